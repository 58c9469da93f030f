//! The price of a call: the CLI's own figure, else tokens times the price table, else the declared figure.
//!
//! A model that is not in the table is never guessed and never free: the cost is then `None`, and the
//! reservation for the call is charged. Loading the table takes some 100 ms and 20 MB, so it is loaded on
//! a thread when a price is first needed, or while the agent is still working if it is clear that one will
//! be.

use std::collections::BTreeMap;

use genai_prices::{Calculator, PriceRequest, Usage as PricedUsage, UsageKey};

use super::attempts::Usage;
use super::envelope::Envelope;
use super::output::COST_INVALID;
use super::profile::PriceTable;
use super::roster::{Agent, key_and_model};
use crate::kernel::{Basis, Cost, Usd};
use crate::text::Note;

/// The price table, with the configured model aliases.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Prices {
    aliases: BTreeMap<String, String>,
}

/// A price from the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Estimate {
    pub usd: Usd,
    /// The matched model in the table; it may be less specific than the one asked for.
    pub matched: String,
}

impl Prices {
    /// Takes the models that short names such as `sonnet` stand for.
    pub fn new(aliases: BTreeMap<String, String>) -> Self {
        Self { aliases }
    }

    /// Starts to load the table while an agent is still working, so that nobody waits for it later.
    pub fn begin_load(&self) {
        drop(tokio::task::spawn_blocking(Calculator::bundled));
    }

    /// Loads the table on a thread, so that the main task is not blocked.
    pub async fn load(&self) {
        // A failed load does no harm: the table is then loaded on use.
        drop(tokio::task::spawn_blocking(Calculator::bundled).await);
    }

    /// Prices tokens; `None` if the table does not know the model.
    pub fn estimate(&self, vendor: &str, model: &str, usage: &Usage) -> Option<Estimate> {
        let model = self.aliases.get(model).map_or(model, String::as_str);
        let priced = PricedUsage::from([
            (UsageKey::INPUT_TOKENS, tokens(usage.input)),
            (UsageKey::CACHE_READ_TOKENS, tokens(usage.cache_read)),
            (UsageKey::CACHE_WRITE_TOKENS, tokens(usage.cache_write)),
            (UsageKey::OUTPUT_TOKENS, tokens(usage.output)),
        ]);
        let request = PriceRequest::new(model, &priced).with_provider_id(vendor);
        let price = Calculator::bundled().calculate(&request).ok()?;
        Some(Estimate { usd: Usd::from_dollars(price.total_price).ok()?, matched: price.model_id })
    }
}

#[expect(clippy::cast_precision_loss, reason = "token counts are far below 2^53")]
fn tokens(count: u64) -> f64 {
    count as f64
}

/// Whether a call will probably need the price table: its CLI reports tokens but no price, and the
/// model will be known.
pub fn may_need_table(agent: &Agent) -> bool {
    match agent.cli().price_table {
        PriceTable::Unused => false,
        PriceTable::ForModel => agent.model.is_some(),
        PriceTable::Used => true,
    }
}

/// Whether the price table is needed to determine a call's cost.
pub fn needs_table(agent: &Agent, envelope: &Envelope) -> bool {
    envelope.cost.is_none() && envelope.usage.is_some() && model(agent, envelope).is_some()
}

fn model<'a>(agent: &'a Agent, envelope: &'a Envelope) -> Option<&'a str> {
    envelope.model.as_deref().or(agent.model.as_deref())
}

/// Determines a call's cost, with notes on its reliability.
pub fn work_out(agent: &Agent, envelope: &Envelope, prices: &Prices) -> (Option<Cost>, Vec<Note>) {
    if envelope.refused {
        return (Some(Cost::refused()), Vec::new());
    }
    // A CLI that reports an invalid cost is not trusted with token counts either.
    let nonsense = envelope.notes.iter().any(|note| note.code == COST_INVALID);
    if let Some(usd) = envelope.cost.filter(|_| !nonsense) {
        return (Some(Cost { usd, basis: Basis::Reported }), Vec::new());
    }
    let declared = agent.declared_cost.map(|usd| Cost { usd, basis: Basis::Declared });
    if nonsense {
        return (declared, Vec::new());
    }
    let Some(usage) = envelope.usage else {
        let message =
            format!("{}: the CLI did not report its cost, so the reserve is charged", agent.name);
        let unknown = Note::new("cost_estimated", message);
        let notes = declared.is_none().then_some(unknown);
        return (declared, notes.into_iter().collect());
    };
    let name = model(agent, envelope);
    let parts: Vec<(&str, Usage)> = match envelope.by_model.as_slice() {
        [] => name.map(|name| (name, usage)).into_iter().collect(),
        models => models.iter().map(|(name, usage)| (name.as_str(), *usage)).collect(),
    };
    let estimate = |(name, usage): &(&str, Usage)| prices.estimate(&agent.vendor, name, usage);
    let estimates: Vec<Option<Estimate>> = parts.iter().map(estimate).collect();
    let unknown = estimates.iter().position(Option::is_none);
    if unknown.is_none() && !parts.is_empty() {
        let each = parts.iter().zip(estimates.iter().flatten()).map(|((name, usage), estimate)| {
            format!(
                "{} input and {} output tokens of {name} at the list price of {}",
                usage.input, usage.output, estimate.matched
            )
        });
        let each: Vec<String> = each.collect();
        let message = format!("{}: priced {}", agent.name, each.join(", and "));
        let usd = estimates.iter().flatten().map(|estimate| estimate.usd).sum();
        let cost = Cost { usd, basis: Basis::Estimated };
        return (Some(cost), vec![Note::new("cost_estimated", message)]);
    }
    let name = unknown.map(|at| parts[at].0).or(name);
    let why = if let Some(name) = name {
        format!("no price is known for the model {name}")
    } else {
        let key = key_and_model(&agent.name).0;
        format!("the CLI does not name its model; set `agents.{key}.model`")
    };
    let charged = if declared.is_some() { "declared figure" } else { "reserve" };
    let note =
        Note::new("cost_estimated", format!("{}: {why}, so the {charged} is charged", agent.name));
    (declared, vec![note])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::agents::ProfileName;
    use std::path::Path;

    const USAGE: Usage = Usage { input: 1_300, cache_read: 300, cache_write: 0, output: 200 };

    fn agent(vendor: &str, model: Option<&str>) -> Agent {
        Agent {
            vendor: vendor.to_owned(),
            model: model.map(str::to_owned),
            declared_cost: None,
            ..Agent::rehearsal("critic", Path::new("/bin/true"))
        }
    }

    fn envelope(cost: Option<u64>, usage: Option<Usage>) -> Envelope {
        Envelope { cost: cost.map(Usd::from_micros), usage, ..Envelope::default() }
    }

    #[test]
    fn the_table_is_loaded_early_only_for_clis_that_tell_tokens_of_a_known_model() {
        let may = |profile, model| may_need_table(&Agent { profile, ..agent("someone", model) });
        assert!(may(ProfileName::Codex, Some("gpt-5")));
        assert!(may(ProfileName::Gemini, None));
        // Nothing could be looked up, so 20 MB would be loaded for nothing.
        assert!(!may(ProfileName::Codex, None));
        assert!(!may(ProfileName::Claude, Some("opus")));
        assert!(!may(ProfileName::Generic, Some("gpt-5")));
    }

    #[test]
    fn the_own_figure_of_a_cli_comes_first() {
        let agent = agent("openai", Some("gpt-5"));
        let (cost, notes) =
            work_out(&agent, &envelope(Some(8_310), Some(USAGE)), &Prices::default());
        let cost = cost.unwrap();
        assert_eq!((cost.usd.micros(), cost.basis), (8_310, Basis::Reported));
        assert_eq!(notes, []);
    }

    #[test]
    fn tokens_are_priced_by_the_table_and_the_matched_model_is_named() {
        let agent = agent("openai", Some("gpt-5"));
        let (cost, notes) = work_out(&agent, &envelope(None, Some(USAGE)), &Prices::default());
        let cost = cost.unwrap();
        // 1,000 x 1.25 + 300 x 0.125 + 200 x 10 dollars per million.
        assert_eq!((cost.usd.micros(), cost.basis), (3_288, Basis::Estimated));
        assert_eq!(notes[0].code, "cost_estimated");
        assert!(notes[0].message.contains("gpt-5"), "{notes:?}");
    }

    #[test]
    fn a_short_name_is_resolved_by_the_configuration_alone() {
        let agent = agent("anthropic", Some("sonnet"));
        let call = envelope(None, Some(USAGE));
        assert_eq!(work_out(&agent, &call, &Prices::default()).0, None);
        let aliases = BTreeMap::from([("sonnet".to_owned(), "claude-sonnet-4-5".to_owned())]);
        let cost = work_out(&agent, &call, &Prices::new(aliases)).0.unwrap();
        assert_eq!(cost.basis, Basis::Estimated);
    }

    #[test]
    fn an_unknown_model_is_not_free() {
        for model in [None, Some("gpt-99-nope")] {
            let mut agent = agent("openai", model);
            let call = envelope(None, Some(USAGE));
            let (cost, notes) = work_out(&agent, &call, &Prices::default());
            assert_eq!(cost, None);
            assert!(notes[0].message.contains("the reserve is charged"), "{notes:?}");
            agent.declared_cost = Some(Usd::from_micros(5));
            let (cost, _) = work_out(&agent, &call, &Prices::default());
            assert_eq!(cost.unwrap().basis, Basis::Declared);
        }
    }
}
