//! The result of `standing`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::table::{Table, push_wrapped};
use super::{Look, short_id, words};
use crate::kernel::Cost;
use crate::ordered::BTreeMap;
use crate::text::counted;

crate::words! {
    /// What agents agreed or disagreed about.
    #[derive(PartialOrd, Ord)]
    pub enum Judged {
        /// Whether a finding of a review is right: its authors say so, each judge agrees or disagrees.
        Findings = "findings",
        /// Whether an answer is the best, in the first vote of a panel.
        Votes = "votes",
    }
}

/// What the sessions say of one agent with one model.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AgentStanding {
    /// The agent's name in the configuration.
    pub agent: String,
    /// The model; missing where neither CLI nor configuration named one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Calls that were begun.
    pub calls: u32,
    /// How many of them failed, by class; `cut_off`: they have no result.
    pub failures: BTreeMap<String, u32>,
    /// What those cost whose cost is known; missing where none is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Cost>,
    /// Calls whose cost nobody reported: it is in no sum here.
    pub cost_unknown: u32,
    /// How long the calls that ended took, in seconds.
    pub seconds: f64,
    /// Findings that it wrote, alone or with others.
    pub raised: u32,
    /// How many of them ended as confirmed.
    pub confirmed: u32,
    /// How many were refuted.
    pub refuted: u32,
    /// How many a test showed.
    pub reproduced: u32,
    /// How many people dismissed.
    pub dismissed: u32,
    /// Votes that evidence moved, and findings that it gave up when it was shown a refutation.
    pub changes_of_mind: u32,
}

/// How far agents agree.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AgreementBeyondChance {
    /// About what.
    pub about: Judged,
    /// The agents: two.
    pub agents: [String; 2],
    /// How many findings or answers both judged.
    pub units: u32,
    /// Krippendorff's alpha; `null` where it is not defined: all judgements were the same.
    pub alpha: Option<f64>,
}

/// A session of which nothing is counted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionNotRead {
    /// Its id.
    pub session_id: String,
    /// Why.
    pub problem: String,
}

/// The result of `standing`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StandingDocument {
    /// How many sessions are counted.
    pub sessions: u32,
    /// How many are not, being rehearsals.
    pub rehearsals: u32,
    /// Those that could not be read, such as those of another version.
    pub not_read: Vec<SessionNotRead>,
    /// By agent, then by model.
    pub agents: Vec<AgentStanding>,
    /// Each pair of agents that judged the same.
    pub agreement: Vec<AgreementBeyondChance>,
    /// The version of this document.
    pub schema_version: u32,
}

impl StandingDocument {
    /// Returns the result for people, with a newline at the end.
    pub fn render(&self, look: Look) -> String {
        let rows = self.agents.iter().map(|one| {
            let failures = one.failures.iter().map(|(class, times)| format!("{times} {class}"));
            let findings = [one.raised, one.confirmed, one.refuted, one.reproduced, one.dismissed];
            vec![
                one.agent.clone(),
                one.model.clone().unwrap_or("unknown".to_owned()),
                one.calls.to_string(),
                failures.collect::<Vec<_>>().join(", "),
                cost(one),
                format!("{:.1}", one.seconds),
                findings.map(|number| number.to_string()).join("/"),
                one.changes_of_mind.to_string(),
            ]
        });
        let headers =
            ["Agent", "Model", "Calls", "Failed", "Cost", "Seconds", "Findings", "Changed mind"];
        let mut text = Table::new(&headers, rows).render(look.width);
        let mut say = |line: &str| push_wrapped(&mut text, line, "", "  ", look.width);
        let (read, rehearsals) = (counted(self.sessions, "session"), self.rehearsals);
        say("Findings: raised/confirmed/refuted/reproduced/dismissed.");
        say(&format!(
            "Of {read}; rehearsals left out: {rehearsals}. It weighs nothing: no rule reads it."
        ));
        for SessionNotRead { session_id, problem } in &self.not_read {
            say(&format!("Not read: {}: {}", short_id(session_id), words::sentence(problem)));
        }
        let pairs = self.agreement.iter().map(|pair| {
            let alpha = pair.alpha.map_or("undefined".to_owned(), |alpha| format!("{alpha:.3}"));
            vec![
                pair.agents.join(", "),
                pair.about.name().to_owned(),
                pair.units.to_string(),
                alpha,
            ]
        });
        let pairs = Table::new(&["Agents", "About", "Judged", "Alpha"], pairs).render(look.width);
        if self.agreement.is_empty() { text } else { text + "\n" + &pairs }
    }
}

fn cost(one: &AgentStanding) -> String {
    let unknown = (one.cost_unknown > 0).then(|| format!("{} unknown", one.cost_unknown));
    let known = one.cost.map(|cost| cost.usd.to_string());
    known.into_iter().chain(unknown).collect::<Vec<_>>().join(" + ")
}
