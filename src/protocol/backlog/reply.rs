//! Judges one reply: blocks, types, ids, rules (`docs/answers.md`, rows 16 to 36).
//!
//! Every ranking that leaves this module is a permutation of the input ids, and every disposition map has each id
//! once, whatever the bytes were. What no agent said is completed only on the last chance, or within the share of
//! missing ids that the settings allow, and is noted as `completed_by_rule`.

use super::Role;
use super::contract::{
    self, CHAMPION_ARGUMENT, CHAMPION_RANKINGS, CRITIC_CONCERNS, CRITIC_RANKINGS, Concerns,
    DEBATE_STATUS, DISPOSITIONS, FINAL_RANKINGS, Ruling, Status,
};
use super::model::{Disposition, ModeratorReason};
use crate::contract::block::ById;
use crate::contract::generous::says_nothing;
use crate::contract::{Block, Diagnostics, ReplyReader, ReplyRules, some_of};
use crate::kernel::{Chance, Defect, RawReply, Reply};
use crate::ordered::{BTreeMap, BTreeSet, Gather};
use crate::text::{ids, sanitize};

/// The champion's answer: a case and a ranking.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ChampionReply {
    /// The champion's case for its ranking.
    pub argument: String,
    /// Its ranking of all ids.
    pub rankings: Vec<String>,
}

/// The critic's answer: concerns and a ranking.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CriticReply {
    /// Concerns by id; ids without a concern may be absent.
    pub concerns: BTreeMap<String, Vec<String>>,
    /// The ids whose concerns of the round before are all met.
    pub met: BTreeSet<String>,
    /// Its ranking of all ids, by feasibility.
    pub rankings: Vec<String>,
}

/// The moderator's answer: dispositions, a ranking and two flags.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ModeratorReply {
    pub dispositions: BTreeMap<String, Disposition>,
    /// Reasons, conditions and first steps, where there are some.
    pub reasons: BTreeMap<String, ModeratorReason>,
    /// Its ranking of all ids.
    pub rankings: Vec<String>,
    /// Whether the moderator wants another round.
    pub continue_debate: bool,
    pub consensus_claimed: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Content {
    /// The champion's case and ranking.
    Champion(ChampionReply),
    /// The critic's concerns and ranking.
    Critic(CriticReply),
    /// The moderator's dispositions, ranking and flags.
    Moderator(ModeratorReply),
}

/// The critic's word for an opportunity whose concerns are met.
pub(super) const MET: &str = "met";

/// The terms on which a reply is judged.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReplyContext<'a> {
    /// The input ids, in input order.
    pub ids: &'a [String],
    /// The order in which missing ids are appended: the last final ranking, at first the input order.
    pub order: &'a [String],
}

/// Judges a role's reply against its blocks.
pub(crate) fn parse(
    role: Role,
    reply: &RawReply,
    chance: Chance,
    terms: ReplyContext<'_>,
) -> Result<Reply<Content>, Defect> {
    let shown = ReplyRules { shown: terms.ids, chance };
    let mut reading = ReplyReader::of(reply, contract::outlines(role), shown)?;
    let said = match role {
        Role::Champion => {
            let argument = reading.read(&CHAMPION_ARGUMENT, |_, text| Some(text));
            let rankings = ranking(&mut reading, &CHAMPION_RANKINGS, terms);
            argument
                .zip(rankings)
                .map(|(argument, rankings)| Content::Champion(ChampionReply { argument, rankings }))
        }
        Role::Critic => {
            let concerns =
                reading.read(&CRITIC_CONCERNS, |judge, said| Some(concerns(judge, said)));
            let rankings = ranking(&mut reading, &CRITIC_RANKINGS, terms);
            concerns.zip(rankings).map(|(mut concerns, rankings)| {
                let met = met(&mut concerns);
                Content::Critic(CriticReply { concerns, met, rankings })
            })
        }
        Role::Moderator => {
            let rulings = reading.read(&DISPOSITIONS, rulings);
            let rankings = ranking(&mut reading, &FINAL_RANKINGS, terms);
            let status = status(&mut reading);
            rulings.zip(rankings).zip(status).map(|((rulings, rankings), status)| {
                let dispositions = rulings.iter().map(|(id, said)| (id.clone(), said.disposition));
                Content::Moderator(ModeratorReply {
                    dispositions: dispositions.gather(),
                    reasons: reasons(rulings),
                    rankings,
                    continue_debate: status.continue_debate,
                    consensus_claimed: status.consensus_reached,
                })
            })
        }
    };
    let (said, notes) = reading.close(said)?;
    Ok(Reply { content: said, notes })
}

/// Rows 16 to 23: reads a permutation of the ids, or reports a problem.
fn ranking(
    reading: &mut ReplyReader<'_>,
    block: &Block<Vec<String>>,
    terms: ReplyContext<'_>,
) -> Option<Vec<String>> {
    reading.read(block, |judge, written| permutation(judge, block.name(), &written, terms))
}

fn permutation(
    judge: &mut Diagnostics,
    block: &str,
    written: &[String],
    terms: ReplyContext<'_>,
) -> Option<Vec<String>> {
    let ids = terms.ids;
    let before = terms.order.iter().filter_map(|id| ids.iter().position(|each| each == id));
    let found = ids::permutation(written, &judge.shown, &before.collect::<Vec<usize>>());
    let missing: Vec<&str> = found.missing.iter().map(|&at| ids[at].as_str()).collect();
    if [missing.len(), found.unknown.len()].iter().any(|count| too_many(*count, ids.len())) {
        let message = format!(
            "list each of the {} ids exactly once; missing: {}; unknown: {}",
            ids.len(),
            named(&missing),
            named(&found.unknown)
        );
        judge.problem("ids_missing", message);
        return None;
    }
    for (written, at) in &found.normalised {
        let message = format!("{block}: {} was read as `{}`", quoted(written), ids[*at]);
        judge.note("id_normalised", message);
    }
    dropped(judge, block, &found.unknown);
    if !found.duplicates.is_empty() {
        let again = named(&found.duplicates);
        let message =
            format!("{block}: the first position counts; later ones were dropped: {again}");
        judge.note("duplicate_id", message);
    }
    if !missing.is_empty() {
        // All of them, however many: what no agent said must be distinguishable from what one did.
        let all = missing.join(", ");
        let message = format!("{block}: missing ids were appended in their previous order: {all}");
        judge.note("completed_by_rule", message);
    }
    Some(found.order.iter().map(|&at| ids[at].clone()).collect())
}

/// Whether so many ids are missing or unknown, more than a third, that the others are no ranking.
const fn too_many(count: usize, all: usize) -> bool {
    count * 100 > all * 34
}

/// Returns the entries of ids that were shown; entries of other ids are dropped.
fn shown<T>(judge: &mut Diagnostics, block: &str, said: ById<T>) -> ById<T> {
    let mut known = Vec::with_capacity(said.len());
    let mut unknown = Vec::new();
    for (written, each) in said {
        match judge.known(&written) {
            Some(id) => known.push((id, each)),
            None => unknown.push(written),
        }
    }
    dropped(judge, block, &unknown);
    known
}

fn dropped(judge: &mut Diagnostics, block: &str, unknown: &[String]) {
    if !unknown.is_empty() {
        let unknown = named(unknown);
        let message = format!("{block}: ids that do not exist were dropped: {unknown}");
        judge.note("unknown_id", message);
    }
}

fn concerns(judge: &mut Diagnostics, said: ById<Concerns>) -> BTreeMap<String, Vec<String>> {
    for (written, each) in &said {
        if each.is_err() {
            judge.problem("wrong_type", format!("{}: give a list of texts", quoted(written)));
        }
    }
    let said = shown(judge, CRITIC_CONCERNS.name(), said);
    if said.is_empty() {
        judge.problem("ids_missing", "no key is an id from the input".to_owned());
    }
    let mut concerns: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (id, each) in said {
        concerns.entry(id).or_default().extend(each.map(|each| each.concerns).unwrap_or_default());
    }
    concerns
}

/// Takes out the ids whose only entry is the word for concerns that are met; they keep an empty list.
fn met(concerns: &mut BTreeMap<String, Vec<String>>) -> BTreeSet<String> {
    let is_word = |text: &String| text.trim().trim_end_matches('.').eq_ignore_ascii_case(MET);
    let mut met = BTreeSet::new();
    for (id, texts) in concerns {
        if !texts.is_empty() && texts.iter().all(is_word) {
            texts.clear();
            met.insert(id.clone());
        }
    }
    met
}

/// Returns what was said beside the dispositions. A text that says in words that there is nothing is none: an
/// `investigate` with the first step "none" would pass for decided.
fn reasons(rulings: BTreeMap<String, Ruling>) -> BTreeMap<String, ModeratorReason> {
    let some = |text: Option<String>| text.filter(|text| !says_nothing(text));
    let reason = |(id, said): (String, Ruling)| {
        let Ruling { reason, condition, start_with, .. } = said;
        let [reason, condition, start_with] = [reason, condition, start_with].map(some);
        (id, ModeratorReason { reason, condition, start_with })
    };
    rulings.into_iter().map(reason).filter(|(_, reason)| !reason.is_empty()).gather()
}

/// Rows 24 to 26: each id once; on the last chance open ids become `investigate`.
fn rulings(judge: &mut Diagnostics, said: ById<Ruling>) -> Option<BTreeMap<String, Ruling>> {
    let mut found: BTreeMap<String, Ruling> = BTreeMap::new();
    let mut open: BTreeMap<String, String> = BTreeMap::new();
    for (id, said) in shown(judge, DISPOSITIONS.name(), said) {
        match said {
            Ok(said) => match found.get(&id) {
                Some(before) if before.disposition != said.disposition => {
                    open.insert(id, "two different dispositions".to_owned());
                }
                Some(_) => {}
                None => {
                    found.insert(id, said);
                }
            },
            Err(value) => {
                let word = value.get("disposition").unwrap_or(&value);
                open.insert(id, format!("{} is not a disposition", quoted(&word.to_string())));
            }
        }
    }
    for id in judge.shown.ids() {
        if !found.contains_key(id) {
            open.entry(id.clone()).or_insert_with(|| "no disposition".to_owned());
        }
    }
    if open.is_empty() {
        return Some(found);
    }
    let list: Vec<String> = open.iter().map(|(id, why)| format!("`{id}`: {why}")).collect();
    let list = named(&list);
    if found.is_empty() {
        let message = format!("no id from the input has a disposition: {list}");
        judge.problem("dispositions_missing", message);
        return None;
    }
    if judge.chance == Chance::First {
        let message = format!("give each id one of prioritize, investigate, defer, reject; {list}");
        judge.problem("dispositions_missing", message);
        return None;
    }
    for (id, why) in open {
        let message = format!("DISPOSITIONS: `{id}` is set to investigate by rule ({why})");
        judge.note("completed_by_rule", message);
        // What was said of it belongs to another word.
        found.insert(id, Ruling::bare(Disposition::Investigate));
    }
    Some(found)
}

/// Rows 27 and 28: reads two flags; without the block the debate goes on.
fn status(reading: &mut ReplyReader<'_>) -> Option<Status> {
    if reading.has(DEBATE_STATUS.name()) {
        return reading.read(&DEBATE_STATUS, |_, status| Some(status));
    }
    let message = "DEBATE_STATUS: the block is missing, so the debate continues";
    reading.note("completed_by_rule", message.to_owned());
    Some(Status { continue_debate: true, consensus_reached: false })
}

/// Lists at most ten items, and counts the others.
fn named<T: AsRef<str>>(items: &[T]) -> String {
    let items: Vec<&str> = items.iter().map(AsRef::as_ref).collect();
    if items.is_empty() { "none".to_owned() } else { some_of(&items) }
}

/// Quotes an agent's text for messages: on one line, and at most as long as an id.
fn quoted(text: &str) -> String {
    format!("`{}`", sanitize::line(text, 128))
}

#[cfg(test)]
mod by_rule;
#[cfg(test)]
mod tests;
