//! The rules for one block after another: types, ids, completion.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::super::Role;
use super::super::contract::{self, CRITIC_CONCERNS, DEBATE_STATUS, DISPOSITIONS};
use super::super::model::Disposition;
use super::Terms;
use crate::kernel::Chance;
use crate::text::block::Content;
use crate::text::ids::{self, Resolved};
use crate::text::{Note, Problem};

/// Collects notes and problems while the blocks of one reply are judged.
pub(super) struct Judge<'a> {
    pub(super) terms: Terms<'a>,
    pub(super) chance: Chance,
    pub(super) notes: Vec<Note>,
    pub(super) problems: Vec<Problem>,
}

impl Judge<'_> {
    fn note(&mut self, code: &str, message: String) {
        self.notes.push(Note::new(code, message));
    }

    fn problem(&mut self, code: &str, block: &str, message: String) {
        self.problems.push(Problem::new(code, Some(block), message));
    }

    pub(super) fn text(&mut self, block: &str, content: Option<Content>) -> String {
        let text = match content {
            Some(Content::Text(text)) => text.trim().to_owned(),
            Some(Content::Json(_)) | None => String::new(),
        };
        // Our own template is text too, so a champion that only repeats it would have argued.
        if text.is_empty() || contract::templates(Role::Champion).contains(&text.as_str()) {
            self.problem("empty_block", block, "write the text between the markers".to_owned());
        }
        text
    }

    /// Rows 16 to 23: a permutation of the ids, or a problem.
    pub(super) fn ranking(&mut self, block: &str, content: Option<Content>) -> Vec<String> {
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
            // All of them, however many: what no agent said must be told apart from what one did.
            let all: Vec<&str> = found.missing.iter().map(|&at| ids[at].as_str()).collect();
            let message = format!(
                "{block}: missing ids were appended in the order before: {}",
                all.join(", ")
            );
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
            self.problem("empty_block", block, "the array is empty; rank every id".to_owned());
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
                let message =
                    format!("entry {} is no id; give the ids themselves, as text", index + 1);
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
            self.note("unwrapped", format!("{block}: ids were taken out of objects"));
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

    pub(super) fn concerns(&mut self, content: Option<Content>) -> BTreeMap<String, Vec<String>> {
        let mut concerns: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let mut unknown = Vec::new();
        for (written, value) in self.object(CRITIC_CONCERNS, content).unwrap_or_default() {
            let Some(texts) = texts_of(value) else {
                let message = format!("{}: give a list of texts", quoted(&written));
                self.problem("wrong_type", CRITIC_CONCERNS, message);
                continue;
            };
            match self.resolve(&written) {
                Some(id) => concerns.entry(self.terms.ids[id].clone()).or_default().extend(texts),
                None => unknown.push(written),
            }
        }
        self.drop_unknown(CRITIC_CONCERNS, &unknown);
        if concerns.is_empty() && !unknown.is_empty() {
            self.problem("ids_missing", CRITIC_CONCERNS, "no key is an id of the input".to_owned());
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
    pub(super) fn dispositions(
        &mut self,
        content: Option<Content>,
    ) -> BTreeMap<String, Disposition> {
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
                    if found.insert(id.clone(), word).is_some_and(|before| before != word) {
                        open.insert(id, "two different dispositions".to_owned());
                    }
                }
                None => {
                    open.insert(id, format!("{} is no disposition", quoted(&value.to_string())));
                }
            }
        }
        self.drop_unknown(DISPOSITIONS, &unknown);
        for id in self.terms.ids {
            if !found.contains_key(id) {
                open.entry(id.clone()).or_insert_with(|| "no disposition".to_owned());
            }
        }
        if open.is_empty() {
            return found;
        }
        let list: Vec<String> = open.iter().map(|(id, why)| format!("`{id}`: {why}")).collect();
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
    pub(super) fn status(&mut self, content: Option<Content>) -> (bool, bool) {
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
            let message =
                format!("`{key}` must be true or false, not {}", quoted(&value.to_string()));
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
    if text.is_empty() { "none".to_owned() } else { text.join(", ") }
}

fn quoted(text: &str) -> String {
    format!("`{}`", shortened(text))
}

/// What an agent wrote goes into messages in one line and not longer than an id can be.
fn shortened(text: &str) -> String {
    crate::text::sanitize::line(text, 128)
}
