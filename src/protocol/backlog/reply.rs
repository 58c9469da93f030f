//! Judges one reply: blocks, types, ids, rules (`robustness.md` section 4, rows 16 to 36).
//!
//! Every ranking that leaves this module is a permutation of the input ids,
//! and every disposition map has each id once, whatever the bytes were. What
//! no agent said is completed only on the last chance, or within the share of
//! missing ids that the settings allow, and is noted as `completed_by_rule`.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::Role;
use super::contract::{
    self, CHAMPION_ARGUMENT, CHAMPION_RANKINGS, CRITIC_CONCERNS, CRITIC_RANKINGS, DEBATE_STATUS,
    DISPOSITIONS, FINAL_RANKINGS,
};
use super::model::Disposition;
use crate::protocol::{Chance, Defect, RawReply};
use crate::text::block::{self, BlockLimits, Content};
use crate::text::ids::{self, IdIndex, Resolved};
use crate::text::{Note, Problem};

/// The champion's answer.
#[derive(Debug, Clone, PartialEq)]
pub struct ChampionReply {
    /// Its case.
    pub argument: String,
    /// Its order of all ids.
    pub rankings: Vec<String>,
}

/// The critic's answer.
#[derive(Debug, Clone, PartialEq)]
pub struct CriticReply {
    /// Concerns by id; ids without a concern may be absent.
    pub concerns: BTreeMap<String, Vec<String>>,
    /// Its order of all ids, by feasibility.
    pub rankings: Vec<String>,
}

/// The moderator's answer.
#[derive(Debug, Clone, PartialEq)]
pub struct ModeratorReply {
    /// One disposition for every id.
    pub dispositions: BTreeMap<String, Disposition>,
    /// Its order of all ids.
    pub rankings: Vec<String>,
    /// Whether it wants to go on.
    pub continue_debate: bool,
    /// Whether it claims consensus.
    pub consensus_claimed: bool,
}

/// A valid answer, and what had to be normalised or completed for it.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// What was said.
    pub said: Said,
    /// Warnings, in the order in which they were found.
    pub notes: Vec<Note>,
}

/// What a role said.
#[derive(Debug, Clone, PartialEq)]
pub enum Said {
    /// The champion's answer.
    Champion(ChampionReply),
    /// The critic's answer.
    Critic(CriticReply),
    /// The moderator's answer.
    Moderator(ModeratorReply),
}

impl Said {
    /// Returns the role that says such a thing.
    pub const fn role(&self) -> Role {
        match self {
            Self::Champion(_) => Role::Champion,
            Self::Critic(_) => Role::Critic,
            Self::Moderator(_) => Role::Moderator,
        }
    }

    /// Writes the answer as its blocks; [`parse`] reads the same answer back.
    pub fn render(&self) -> String {
        let list = |ids: &[String]| Value::from(ids).to_string();
        match self {
            Self::Champion(said) => {
                contract::block(CHAMPION_ARGUMENT, &said.argument)
                    + &contract::block(CHAMPION_RANKINGS, &list(&said.rankings))
            }
            Self::Critic(said) => {
                let concerns = said
                    .concerns
                    .iter()
                    .map(|(id, texts)| (id.clone(), Value::from(&texts[..])));
                contract::block(
                    CRITIC_CONCERNS,
                    &Value::Object(concerns.collect()).to_string(),
                ) + &contract::block(CRITIC_RANKINGS, &list(&said.rankings))
            }
            Self::Moderator(said) => {
                let dispositions = said
                    .dispositions
                    .iter()
                    .map(|(id, word)| (id.clone(), Value::from(word.name())));
                let status = serde_json::json!({
                    "continue_debate": said.continue_debate, "consensus_reached": said.consensus_claimed,
                });
                contract::block(
                    DISPOSITIONS,
                    &Value::Object(dispositions.collect()).to_string(),
                ) + &contract::block(FINAL_RANKINGS, &list(&said.rankings))
                    + &contract::block(DEBATE_STATUS, &status.to_string())
            }
        }
    }
}

/// What a reply is judged against.
#[derive(Debug, Clone, Copy)]
pub struct Terms<'a> {
    /// The input ids, in input order.
    pub ids: &'a [String],
    /// The same ids, indexed.
    pub index: &'a IdIndex,
    /// The order in which missing ids are appended: the last final ranking, at first the input.
    pub order: &'a [String],
    /// The largest share of ids that may be missing or unknown in a ranking.
    pub max_missing_share: f64,
    /// Whether anything that would be normalised is a defect instead.
    pub strict: bool,
}

/// Judges a role's reply.
pub fn parse(
    role: Role,
    reply: &RawReply,
    chance: Chance,
    terms: Terms<'_>,
) -> Result<Reply, Defect> {
    let defect = |problems| Defect {
        problems,
        expected_ids: terms.ids.to_vec(),
    };
    let found = block::extract(
        &reply.bytes,
        reply.cut,
        &contract::wants(role),
        &contract::templates(role),
        BlockLimits::default(),
    )
    .map_err(defect)?;
    let mut judge = Judge {
        terms,
        chance,
        notes: found.notes,
        problems: Vec::new(),
    };
    let mut contents = found.contents.into_iter();
    let mut content = || contents.next().flatten();
    let said = match role {
        Role::Champion => {
            let argument = judge.text(CHAMPION_ARGUMENT, content());
            let rankings = judge.ranking(CHAMPION_RANKINGS, content());
            Said::Champion(ChampionReply { argument, rankings })
        }
        Role::Critic => {
            let concerns = judge.concerns(content());
            let rankings = judge.ranking(CRITIC_RANKINGS, content());
            Said::Critic(CriticReply { concerns, rankings })
        }
        Role::Moderator => {
            let dispositions = judge.dispositions(content());
            let rankings = judge.ranking(FINAL_RANKINGS, content());
            let (continue_debate, consensus_claimed) = judge.status(content());
            Said::Moderator(ModeratorReply {
                dispositions,
                rankings,
                continue_debate,
                consensus_claimed,
            })
        }
    };
    let Judge {
        notes,
        mut problems,
        ..
    } = judge;
    if terms.strict {
        problems.extend(
            notes
                .iter()
                .map(|note| Problem::new(&note.code, None, &note.message)),
        );
    }
    if problems.is_empty() {
        Ok(Reply { said, notes })
    } else {
        Err(defect(problems))
    }
}

/// Collects notes and problems while the blocks of one reply are judged.
struct Judge<'a> {
    terms: Terms<'a>,
    chance: Chance,
    notes: Vec<Note>,
    problems: Vec<Problem>,
}

impl Judge<'_> {
    fn note(&mut self, code: &str, message: String) {
        self.notes.push(Note::new(code, message));
    }

    fn problem(&mut self, code: &str, block: &str, message: String) {
        self.problems.push(Problem::new(code, Some(block), message));
    }

    fn text(&mut self, block: &str, content: Option<Content>) -> String {
        let text = match content {
            Some(Content::Text(text)) => text.trim().to_owned(),
            Some(Content::Json(_)) | None => String::new(),
        };
        // Our own template is text too, so a champion that only repeats it would have argued.
        if text.is_empty() || contract::templates(Role::Champion).contains(&text.as_str()) {
            self.problem(
                "empty_block",
                block,
                "write the text between the markers".to_owned(),
            );
        }
        text
    }

    /// Rows 16 to 23: a permutation of the ids, or a problem.
    fn ranking(&mut self, block: &str, content: Option<Content>) -> Vec<String> {
        let Some(written) = self.written_ids(block, content) else {
            return Vec::new();
        };
        let (ids, index) = (self.terms.ids, self.terms.index);
        let prior: Vec<usize> = self
            .terms
            .order
            .iter()
            .filter_map(|id| ids.iter().position(|each| each == id))
            .collect();
        let found = ids::permutation(&written, index, &prior);
        let texts = |texts: &[String]| some_of(texts.iter().map(String::as_str));
        let missing = some_of(found.missing.iter().map(|&at| ids[at].as_str()));
        let unknown = texts(&found.unknown);
        if self.too_many(found.missing.len()) || self.too_many(found.unknown.len()) {
            let count = ids.len();
            let message = format!(
                "list each of the {count} ids exactly once; missing: {missing}; unknown: {unknown}"
            );
            self.problem("ids_missing", block, message);
            return Vec::new();
        }
        for (written, at) in &found.normalised {
            self.note(
                "id_normalised",
                format!("{block}: {} was read as `{}`", quoted(written), ids[*at]),
            );
        }
        if !found.unknown.is_empty() {
            self.note(
                "unknown_id",
                format!("{block}: ids that do not exist were dropped: {unknown}"),
            );
        }
        if !found.duplicates.is_empty() {
            let message = format!(
                "{block}: the first place counts, later ones were dropped: {}",
                texts(&found.duplicates)
            );
            self.note("duplicate_id", message);
        }
        if !found.missing.is_empty() {
            let message =
                format!("{block}: missing ids were appended in the order before: {missing}");
            self.note("completed_by_rule", message);
        }
        found.order.iter().map(|&at| ids[at].clone()).collect()
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "at most 1,000 ids; a reply has no more entries than bytes"
    )]
    fn too_many(&self, count: usize) -> bool {
        count as f64 > self.terms.max_missing_share * self.terms.ids.len() as f64
    }

    /// Returns the entries of a ranking as text, unwrapped where they are objects with an id.
    fn written_ids(&mut self, block: &str, content: Option<Content>) -> Option<Vec<String>> {
        let Some(Content::Json(Value::Array(entries))) = content else {
            self.problem("wrong_type", block, "give a JSON array of ids".to_owned());
            return None;
        };
        if entries.is_empty() {
            self.problem(
                "empty_block",
                block,
                "the array is empty; rank every id".to_owned(),
            );
            return None;
        }
        let mut unwrapped = false;
        let mut ids = Vec::with_capacity(entries.len());
        let mut ranks = Vec::new();
        for (index, entry) in entries.into_iter().enumerate() {
            let id = match entry {
                Value::String(id) => Some(id),
                Value::Object(map) => {
                    unwrapped = true;
                    ranks.extend(map.get("rank").and_then(Value::as_f64));
                    id_of(map)
                }
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => None,
            };
            let Some(id) = id else {
                let message = format!(
                    "entry {} is no id; give the ids themselves, as text",
                    index + 1
                );
                self.problem("wrong_type", block, message);
                return None;
            };
            ids.push(id);
        }
        if ranks.windows(2).any(|pair| pair[0] >= pair[1]) {
            self.problem(
                "wrong_order",
                block,
                "the entries' own ranks contradict their order; give the ids alone, best first"
                    .to_owned(),
            );
            return None;
        }
        if unwrapped {
            self.note(
                "unwrapped",
                format!("{block}: ids were taken out of objects"),
            );
        }
        Some(ids)
    }

    /// Row 18: letter by letter, or without loss.
    fn resolve(&mut self, written: &str) -> Option<usize> {
        match self.terms.index.resolve(written) {
            Resolved::Exact(id) => Some(id),
            Resolved::Normalised(id) => {
                let message = format!("{} was read as `{}`", quoted(written), self.terms.ids[id]);
                self.note("id_normalised", message);
                Some(id)
            }
            Resolved::Unknown => None,
        }
    }

    fn object(&mut self, block: &str, content: Option<Content>) -> Option<Map<String, Value>> {
        match content {
            Some(Content::Json(Value::Object(map))) if !map.is_empty() => Some(map),
            Some(Content::Json(Value::Object(_))) => {
                self.problem(
                    "empty_block",
                    block,
                    "the object is empty; give every id as a key".to_owned(),
                );
                None
            }
            Some(_) | None => {
                self.problem(
                    "wrong_type",
                    block,
                    "give a JSON object with the ids as keys".to_owned(),
                );
                None
            }
        }
    }

    fn concerns(&mut self, content: Option<Content>) -> BTreeMap<String, Vec<String>> {
        let mut concerns: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let mut unknown = Vec::new();
        for (written, value) in self.object(CRITIC_CONCERNS, content).unwrap_or_default() {
            let Some(texts) = texts_of(value) else {
                let message = format!("{}: give a list of texts", quoted(&written));
                self.problem("wrong_type", CRITIC_CONCERNS, message);
                continue;
            };
            match self.resolve(&written) {
                Some(id) => concerns
                    .entry(self.terms.ids[id].clone())
                    .or_default()
                    .extend(texts),
                None => unknown.push(written),
            }
        }
        self.drop_unknown(CRITIC_CONCERNS, &unknown);
        if concerns.is_empty() && !unknown.is_empty() {
            self.problem(
                "ids_missing",
                CRITIC_CONCERNS,
                "no key is an id of the input".to_owned(),
            );
        }
        concerns
    }

    fn drop_unknown(&mut self, block: &str, unknown: &[String]) {
        if !unknown.is_empty() {
            let unknown = some_of(unknown.iter().map(String::as_str));
            self.note(
                "unknown_id",
                format!("{block}: ids that do not exist were dropped: {unknown}"),
            );
        }
    }

    /// Rows 24 to 26: each id once; on the last chance what is open is `investigate`.
    fn dispositions(&mut self, content: Option<Content>) -> BTreeMap<String, Disposition> {
        let mut found: BTreeMap<String, Disposition> = BTreeMap::new();
        let mut open: BTreeMap<String, String> = BTreeMap::new();
        let mut unknown = Vec::new();
        let Some(map) = self.object(DISPOSITIONS, content) else {
            return found;
        };
        for (written, value) in map {
            let Some(id) = self.resolve(&written).map(|id| self.terms.ids[id].clone()) else {
                unknown.push(written);
                continue;
            };
            match value.as_str().and_then(disposition) {
                Some((word, exact)) => {
                    if !exact {
                        let message = format!("`{id}`: {value} was read as {}", word.name());
                        self.note("disposition_normalised", message);
                    }
                    if found
                        .insert(id.clone(), word)
                        .is_some_and(|before| before != word)
                    {
                        open.insert(id, "two different dispositions".to_owned());
                    }
                }
                None => {
                    open.insert(
                        id,
                        format!("{} is no disposition", quoted(&value.to_string())),
                    );
                }
            }
        }
        self.drop_unknown(DISPOSITIONS, &unknown);
        for id in self.terms.ids {
            if !found.contains_key(id) {
                open.entry(id.clone())
                    .or_insert_with(|| "no disposition".to_owned());
            }
        }
        if open.is_empty() {
            return found;
        }
        let list: Vec<String> = open
            .iter()
            .map(|(id, why)| format!("`{id}`: {why}"))
            .collect();
        let list = some_of(list.iter().map(String::as_str));
        if found.is_empty() {
            let message = format!("no id of the input has a disposition: {list}");
            self.problem("dispositions_missing", DISPOSITIONS, message);
            return found;
        }
        match self.chance {
            Chance::First => {
                let message =
                    format!("give each id one of prioritize, investigate, defer, reject; {list}");
                self.problem("dispositions_missing", DISPOSITIONS, message);
            }
            Chance::Last => {
                for id in open.keys() {
                    found.insert(id.clone(), Disposition::Investigate);
                    self.notes.push(Note::new(
                        "completed_by_rule",
                        format!(
                            "{DISPOSITIONS}: `{id}` is set to investigate by rule ({})",
                            open[id]
                        ),
                    ));
                }
            }
        }
        found
    }

    /// Rows 27 and 28: two booleans; without the block the debate goes on.
    fn status(&mut self, content: Option<Content>) -> (bool, bool) {
        let Some(content) = content else {
            let message = format!("{DEBATE_STATUS}: the block is missing, so the debate goes on");
            self.note("completed_by_rule", message);
            return (true, false);
        };
        let Some(mut map) = self.object(DEBATE_STATUS, Some(content)) else {
            return (true, false);
        };
        let continues = self.boolean(&mut map, "continue_debate", true);
        let consensus = self.boolean(&mut map, "consensus_reached", false);
        (continues, consensus)
    }

    fn boolean(&mut self, map: &mut Map<String, Value>, key: &str, by_rule: bool) -> bool {
        let value = match map.remove(key) {
            Some(Value::Bool(value)) => return value,
            Some(Value::String(text))
                if matches!(text.trim().to_ascii_lowercase().as_str(), "true" | "false") =>
            {
                self.note(
                    "boolean_normalised",
                    format!("{DEBATE_STATUS}: `{key}` was text, not a boolean"),
                );
                return text.trim().eq_ignore_ascii_case("true");
            }
            Some(value) => value,
            None => Value::Null,
        };
        if value.is_null() && self.chance == Chance::Last {
            let message =
                format!("{DEBATE_STATUS}: `{key}` is missing and set to {by_rule} by rule");
            self.note("completed_by_rule", message);
        } else {
            let message = format!(
                "`{key}` must be true or false, not {}",
                quoted(&value.to_string())
            );
            self.problem("wrong_type", DEBATE_STATUS, message);
        }
        by_rule
    }
}

/// Returns the id in an object that stands for one.
fn id_of(mut map: Map<String, Value>) -> Option<String> {
    match map.remove("opportunity_id").or_else(|| map.remove("id"))? {
        Value::String(id) => Some(id),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            None
        }
    }
}

/// Returns concerns as a list of texts; one text alone is a list of one, blank ones are none.
fn texts_of(value: Value) -> Option<Vec<String>> {
    let entries = match value {
        Value::String(text) => vec![Value::String(text)],
        Value::Array(entries) => entries,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => return None,
    };
    let mut texts = Vec::new();
    for entry in entries {
        let text = entry.as_str()?.trim();
        if !text.is_empty() {
            texts.push(text.to_owned());
        }
    }
    Some(texts)
}

/// Reads a disposition: the exact word, or one of a closed list of variants (`true` when exact).
fn disposition(written: &str) -> Option<(Disposition, bool)> {
    let word = match written.trim().to_ascii_lowercase().as_str() {
        "prioritize" | "prioritise" | "prioritized" | "prioritised" => Disposition::Prioritize,
        "investigate" | "investigated" => Disposition::Investigate,
        "defer" | "deferred" => Disposition::Defer,
        "reject" | "rejected" => Disposition::Reject,
        _ => return None,
    };
    Some((word, word.name() == written))
}

/// Lists at most ten, and how many more there are.
fn some_of<'a>(items: impl ExactSizeIterator<Item = &'a str>) -> String {
    let count = items.len();
    let mut text: Vec<String> = items.take(10).map(shortened).collect();
    if count > text.len() {
        text.push(format!("and {} more", count - text.len()));
    }
    if text.is_empty() {
        "none".to_owned()
    } else {
        text.join(", ")
    }
}

fn quoted(text: &str) -> String {
    format!("`{}`", shortened(text))
}

/// What an agent wrote goes into messages in one line and not longer than an id can be.
fn shortened(text: &str) -> String {
    crate::text::sanitize::line(text, 128)
}
