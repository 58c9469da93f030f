//! The rules for judgements and votes: known ids, one entry an id, words of a closed list.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::super::contract::ID_CHARS;
use super::super::model::{Judgement, Stance};
use super::judge::{Fault, Judge};
use crate::kernel::Chance;
use crate::protocol::council::{Ballot, ValidationSaid};
use crate::text::ids::{IdIndex, Resolved};
use crate::text::sanitize;

impl Judge {
    /// Judges the `judgements` of a `PLAN_REVIEW` block.
    pub(super) fn judgements(
        &mut self,
        map: &mut Map<String, Value>,
        ids: &[String],
        own: &[String],
    ) -> Option<Vec<Judgement>> {
        let entries = self.list(map, "judgements")?;
        self.per_id("judgement", entries, ids, own, |judge, id, map| {
            let stance = judge.word(&id, map, "stance", |word| {
                Stance::ALL.into_iter().find(|stance| stance.name() == word)
            })?;
            let reason = judge.reason(&id, map, stance != Stance::Agree)?;
            let suggestion = match map.remove("suggestion") {
                Some(Value::String(text)) => Some(judge.cut("suggestion", &text)),
                Some(Value::Null) | None => None,
                Some(_) => {
                    let message = format!("{id}: `suggestion` must be text");
                    return Err(Fault::new("wrong_type", message));
                }
            };
            let suggestion = suggestion.filter(|text| !text.is_empty());
            if stance == Stance::Modify && suggestion.is_none() {
                let message = format!("{id}: `modify` needs a `suggestion`");
                return Err(Fault::new("missing_suggestion", message));
            }
            Ok(Judgement { id, stance, reason, suggestion })
        })
    }

    /// Judges a `VALIDATION` block.
    pub(super) fn validation(&mut self, value: Value, ids: &[String]) -> Option<ValidationSaid> {
        let mut map = self.object(value)?;
        let entries = self.list(&mut map, "votes")?;
        let votes = self.per_id("vote", entries, ids, &[], |judge, id, map| {
            let approve = judge.word(&id, map, "vote", |word| match word {
                "approve" => Some(true),
                "reject" => Some(false),
                _ => None,
            })?;
            let reason = judge.reason(&id, map, !approve)?;
            Ok(Ballot { id, approve, reason })
        })?;
        Some(ValidationSaid { votes })
    }

    /// Reads a list of entries that each name an id, in the order of the ids.
    fn per_id<T: Clone + PartialEq>(
        &mut self,
        noun: &str,
        entries: Vec<Value>,
        ids: &[String],
        own: &[String],
        read: impl Fn(&mut Self, String, &mut Map<String, Value>) -> Result<T, Fault>,
    ) -> Option<Vec<T>> {
        let index = IdIndex::new(ids);
        let own: BTreeSet<&str> = own.iter().map(String::as_str).collect();
        let (mut found, mut faults): (BTreeMap<usize, T>, _) = (BTreeMap::new(), Vec::new());
        let mut conflicting = BTreeSet::new();
        let mut unknown = Vec::new();
        for (number, entry) in (1..).zip(entries) {
            let name = format!("{noun} {number}");
            let Value::Object(mut map) = entry else {
                faults.push(Fault::new("wrong_type", format!("{name} is no JSON object")));
                continue;
            };
            let Some(Value::String(written)) = map.remove("id") else {
                faults.push(Fault::new("missing_id", format!("{name}: `id` must be text")));
                continue;
            };
            let at = match index.resolve(&written) {
                Resolved::Exact(at) => at,
                Resolved::Normalised(at) => {
                    let message = format!("`{written}` was read as `{}`", ids[at]);
                    self.note("id_normalised", message);
                    at
                }
                Resolved::Unknown => {
                    unknown.push(if own.contains(written.trim()) {
                        format!("`{}`, which it wrote itself", written.trim())
                    } else {
                        format!("`{}`", sanitize::line(&written, ID_CHARS))
                    });
                    continue;
                }
            };
            match read(self, ids[at].clone(), &mut map) {
                Err(fault) => faults.push(fault),
                Ok(entry) => match found.get(&at) {
                    None => drop(found.insert(at, entry)),
                    Some(first) if *first == entry => {
                        let message = format!("the {noun} on {} is given twice", ids[at]);
                        self.note("duplicate_equal", message);
                    }
                    Some(_) => {
                        if conflicting.insert(at) {
                            let message = format!("two different {noun}s are given on {}", ids[at]);
                            faults.push(Fault::new("conflicting", message));
                        }
                    }
                },
            }
        }
        if !unknown.is_empty() {
            let (count, few) = (unknown.len(), unknown.len().min(5));
            let message = format!(
                "{count} {noun}s are about {}{}, which nobody asked about; dropped",
                unknown[..few].join(", "),
                if count > few { ", ..." } else { "" }
            );
            self.note("unknown_id", message);
        }
        self.report("vote_dropped", &faults);
        // Of two that differ neither counts: choosing one would be guessing.
        found.retain(|at, _| !conflicting.contains(at));
        self.missing_votes(noun, ids, &found, faults.is_empty());
        (!found.is_empty()).then(|| found.into_values().collect())
    }

    /// Says which ids have no entry: a note up to a third of them, a problem above while a re-ask can
    /// mend it (decision table, row 21), and never an answer where there is none at all.
    fn missing_votes<T>(
        &mut self,
        noun: &str,
        ids: &[String],
        found: &BTreeMap<usize, T>,
        faultless: bool,
    ) {
        let missing: Vec<&str> =
            (0..ids.len()).filter(|at| !found.contains_key(at)).map(|at| &*ids[at]).collect();
        if found.is_empty() {
            let message = format!("there is no valid {noun}; give one for each id");
            self.problem("no_votes", message);
        } else if !missing.is_empty() {
            let message = format!("no {noun} on {}; it counts as no vote", missing.join(", "));
            let few = missing.len() * 3 <= ids.len();
            match self.chance {
                Chance::First if !few => self.problem("missing_ids", message),
                // A faulty entry is a problem of its own.
                Chance::First if !faultless => {}
                Chance::First | Chance::Last => self.note("missing_ids", message),
            }
        }
    }

    /// Reads a word of a closed list; the case of its letters and spaces around it do not matter.
    fn word<T>(
        &mut self,
        id: &str,
        map: &mut Map<String, Value>,
        field: &str,
        known: impl Fn(&str) -> Option<T>,
    ) -> Result<T, Fault> {
        let Some(Value::String(written)) = map.remove(field) else {
            let message = format!("{id}: `{field}` must be text");
            return Err(Fault::new("wrong_type", message));
        };
        if let Some(value) = known(&written) {
            return Ok(value);
        }
        let shown = sanitize::line(&written, 40);
        let Some(value) = known(&written.trim().to_ascii_lowercase()) else {
            let message = format!("{id}: `{shown}` is no {field}");
            return Err(Fault::new("unknown_word", message));
        };
        let message = format!("{id}: `{field}` was given as `{shown}`");
        self.note("word_normalised", message);
        Ok(value)
    }

    fn reason(
        &mut self,
        id: &str,
        map: &mut Map<String, Value>,
        needed: bool,
    ) -> Result<String, Fault> {
        let reason = match map.remove("reason") {
            Some(Value::String(text)) => self.cut("reason", &text),
            Some(Value::Null) | None => String::new(),
            Some(_) => {
                let message = format!("{id}: `reason` must be text");
                return Err(Fault::new("wrong_type", message));
            }
        };
        if reason.is_empty() && needed {
            let message = format!("{id}: an objection needs a `reason`");
            return Err(Fault::new("missing_reason", message));
        }
        Ok(reason)
    }
}
