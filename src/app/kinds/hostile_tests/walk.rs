//! Hostile text in an answer, in every field that its declaration leaves to the agent.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use crate::contract::field::{Item, Kind, Spec};
use crate::contract::outline::{Body, Outline};
use crate::contract::template;
use crate::kernel::{Chance, Driver, Protocol, Turn};
use crate::protocol::testing::raw;
use crate::protocol::tests::blocks::outlines;
use crate::protocol::tests::sample::Sample;
use crate::text::markers::{end_marker, start_marker};

/// Fields whose text is looked up, so that other text in them changes what is asked next: some runs leave all or some
/// of them unchanged.
const LOOKED_UP: [&str; 6] = [
    "review REVIEW.findings.file",
    "review CROSS_REVIEW.judgements.evidence",
    "review CROSS_REVIEW.missed_issues.file",
    "review REVIEW.findings.quote",
    "review CROSS_REVIEW.missed_issues.quote",
    "argument ARGUMENT.evidence.data",
];

#[derive(Clone, Copy)]
pub(super) struct Attack {
    pub(super) evil: &'static str,
    /// Whether the token comes before the hostile text.
    pub(super) marked_first: bool,
    /// The number of fields of [`LOOKED_UP`], from the first, that stay as the stand-in wrote them.
    pub(super) looked_up: usize,
    /// Whether an answer is read on its last chance, which drops whatever cannot be read.
    pub(super) last: bool,
    /// The turn that fails, with hostile text.
    pub(super) fails: Option<usize>,
    /// Which turns contradict the stand-ins: every second one, the others, all in some steps, or none.
    pub(super) contrary: usize,
}

/// The hostile text of a run, each piece with a token of its own.
pub(super) struct Words {
    pub(super) attack: Attack,
    pub(super) fields: Vec<String>,
}

impl Words {
    /// Returns hostile text for a field, at most `most` characters.
    pub(super) fn of(&mut self, field: &str, most: usize) -> String {
        let (token, evil) = (token(self.fields.len()), self.attack.evil);
        self.fields.push(field.to_owned());
        let last = format!("{evil} {token}");
        if self.attack.marked_first || last.chars().count() > most {
            return format!("{token} {evil}").chars().take(most).collect();
        }
        last
    }
}

pub(super) fn token(number: usize) -> String {
    format!("zq{number}qz")
}

pub(super) fn tokens(text: &str) -> Vec<&str> {
    let end = |rest: &str| rest.find("qz").map(|end| end + 2);
    let starts = text.match_indices("zq").map(|(at, _)| &text[at..]);
    let found = starts.filter_map(|rest| Some(&rest[..end(rest)?]));
    found.filter(|token| token[2..token.len() - 2].parse::<usize>().is_ok()).collect()
}

struct Walk<'a> {
    words: &'a mut Words,
    /// The fields that are left unchanged.
    left: &'a BTreeSet<String>,
    /// The fields found that take free text.
    free: BTreeSet<String>,
    /// The ids that the turn shows.
    ids: &'a [String],
    /// Those of them that are available for lists without an entry.
    freed: Vec<String>,
    /// The renamed names, old to new: references to them are renamed too.
    renamed: BTreeMap<String, String>,
}

impl Walk<'_> {
    /// Makes the body of a block hostile.
    fn body(&mut self, outline: &Outline, field: &str, body: &str) -> String {
        if let Body::Text { most, .. } = outline.body {
            return self.text(field, most).unwrap_or_else(|| body.to_owned());
        }
        let mut value: Value = serde_json::from_str(body).unwrap();
        match (outline.body, &mut value) {
            (Body::Object(item), Value::Object(fields)) => {
                self.freed = Self::freed(item, fields);
                self.object(item, fields, field);
            }
            (Body::ById(item), Value::Object(entries)) => {
                for value in entries.values_mut() {
                    if let Value::Object(fields) = value {
                        self.object(item, fields, field);
                    } else if let Some(spec) = item.fields.iter().find(|spec| spec.alone) {
                        self.value(spec, value, &format!("{field}.{}", spec.key));
                    }
                }
            }
            _ => {}
        }
        self.refer(&mut value);
        value.to_string()
    }

    /// For each empty list, removes an entry from a list with several, since an answer may name an id only once.
    /// Returns the ids of the removed entries.
    fn freed(item: &Item, fields: &mut Map<String, Value>) -> Vec<String> {
        let lists: Vec<(&str, &str)> = (item.fields.iter())
            .filter_map(|spec| {
                let Kind::Entries { item, .. } = spec.kind else {
                    return None;
                };
                let id = item.fields.iter().find(|spec| matches!(spec.kind, Kind::Id(_)))?;
                Some((spec.key, id.key))
            })
            .collect();
        let count = |fields: &Map<String, Value>, list: &str| {
            fields.get(list).and_then(Value::as_array).map_or(0, Vec::len)
        };
        let bare = lists.iter().filter(|(list, _)| count(fields, list) == 0).count();
        let mut freed = Vec::new();
        for (list, id) in lists {
            while freed.len() < bare && count(fields, list) > 1 {
                let last = fields[list].as_array_mut().and_then(Vec::pop).unwrap_or_default();
                freed.extend(last[id].as_str().map(str::to_owned));
            }
        }
        freed
    }

    fn object(&mut self, item: &Item, fields: &mut Map<String, Value>, field: &str) {
        for spec in item.fields {
            let value = fields.entry(spec.key).or_insert(Value::Null);
            self.value(spec, value, &format!("{field}.{}", spec.key));
            if value.is_null() {
                fields.remove(spec.key);
            }
        }
    }

    fn value(&mut self, spec: &Spec, value: &mut Value, field: &str) {
        match spec.kind {
            Kind::Line(most) | Kind::Text(most) | Kind::Code(most) => {
                if let Some(words) = self.text(field, most) {
                    *value = json!(words);
                }
            }
            Kind::Name(most) => {
                if let Some(words) = self.text(field, most) {
                    let before = std::mem::replace(value, json!(words));
                    self.renamed.extend(before.as_str().map(|name| (name.to_owned(), words)));
                }
            }
            Kind::Texts { most, chars, .. } => {
                let texts = (0..most.min(2)).map_while(|_| self.text(field, chars));
                let texts: Vec<String> = texts.collect();
                if !texts.is_empty() {
                    *value = json!(texts);
                }
            }
            Kind::Entries { item, .. } => self.entries(item, value, field),
            Kind::Map | Kind::Json => self.json(value, field),
            _ => {}
        }
    }

    /// Makes all entries hostile; if there are none, one is built from the declaration.
    fn entries(&mut self, item: &'static Item, value: &mut Value, field: &str) {
        if value.as_array().is_none_or(Vec::is_empty) {
            self.free.insert(field.to_owned());
            if self.left.contains(field) {
                return;
            }
            let id = self.freed.pop().or_else(|| self.ids.first().cloned());
            *value = json!([sample(item, id.as_ref())]);
        }
        for entry in value.as_array_mut().into_iter().flatten() {
            if let Value::Object(fields) = entry {
                self.object(item, fields, field);
            }
        }
    }

    /// Makes every text in a value of any form hostile.
    fn json(&mut self, value: &mut Value, field: &str) {
        match value {
            Value::Object(fields) => {
                let free = fields.iter_mut().filter(|(key, _)| *key != "id");
                free.for_each(|(_, value)| self.json(value, field));
                // Data of a different form.
                if let Some(words) = self.text(field, 200) {
                    fields.insert(words.clone(), json!([words]));
                }
            }
            Value::Array(entries) => entries.iter_mut().for_each(|entry| self.json(entry, field)),
            Value::String(_) | Value::Null => {
                if let Some(words) = self.text(field, 200) {
                    *value = json!(words);
                }
            }
            Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn text(&mut self, field: &str, most: usize) -> Option<String> {
        self.free.insert(field.to_owned());
        (!self.left.contains(field)).then(|| self.words.of(field, most))
    }

    /// Renames all references to renamed names.
    fn refer(&self, value: &mut Value) {
        match value {
            Value::String(text) => {
                if let Some(name) = self.renamed.get(text) {
                    text.clone_from(name);
                }
            }
            Value::Array(entries) => entries.iter_mut().for_each(|entry| self.refer(entry)),
            Value::Object(fields) => fields.values_mut().for_each(|value| self.refer(value)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

fn ids(data: &Value, found: &mut Vec<String>) {
    match data {
        Value::Object(fields) => {
            for (key, value) in fields {
                let named = value.as_str().filter(|_| ["id", "letter"].contains(&&**key));
                found.extend(named.map(str::to_owned));
                ids(value, found);
            }
        }
        Value::Array(entries) => entries.iter().for_each(|entry| ids(entry, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn sample(item: &'static Item, id: Option<&String>) -> Value {
    let outline = Outline {
        name: "",
        body: Body::Object(item),
        required: true,
        unasked: &[],
        only: None,
        words: &[],
    };
    serde_json::from_str(
        &Sample { ids: id.map_or(&[], std::slice::from_ref), entries: 1 }.body(&outline),
    )
    .unwrap()
}

/// Returns the declaration of a block that a turn requires, and the name that prefixes its fields.
fn declared(protocols: &[&str], name: &str) -> Option<(String, &'static Outline)> {
    let of = |protocol: &&str| {
        let mut all = outlines().into_iter();
        all.find(|(of, outline)| of == protocol && outline.name == name)
    };
    let (protocol, outline) = protocols.iter().find_map(of)?;
    Some((format!("{protocol} {name}"), outline))
}

/// Makes an answer hostile except for the fields in `left`. Returns it with all fields that take free text.
fn spoiled(
    text: &str,
    turn: &Turn,
    (protocols, ids): (&[&str], &[String]),
    left: &BTreeSet<String>,
    words: &mut Words,
) -> (String, BTreeSet<String>) {
    let mut free = BTreeSet::new();
    let mut spoiled = String::from("Words around the blocks are nobody's: \u{1b}[2J # x\n\n");
    for want in &turn.blocks {
        let (start, end) = (start_marker(want.name), end_marker(want.name));
        let body = text.split_once(&*start).and_then(|(_, rest)| rest.rsplit_once(&*end));
        let Some((name, outline)) = declared(protocols, want.name) else {
            // It is not declared and contains no free text.
            return (text.to_owned(), free);
        };
        let sampled = || Sample { ids: &[], entries: 1 }.body(outline);
        let body = body.map_or_else(sampled, |(body, _)| body.trim().to_owned());
        let renamed = BTreeMap::new();
        let mut walk = Walk { words, left, free, ids, freed: Vec::new(), renamed };
        let body = walk.body(outline, &name, &body);
        free = walk.free;
        spoiled.push_str(&template::block(want.name, &body));
    }
    (spoiled, free)
}

/// Makes as much of an answer hostile as its reader accepts.
pub(super) fn hostile<P: Protocol>(
    driver: &Driver<P>,
    turn: &Turn,
    text: &str,
    protocols: &[&str],
    words: &mut Words,
) -> String {
    let mut shown = Vec::new();
    ids(&driver.data(turn), &mut shown);
    let chance = if words.attack.last { Chance::Last } else { Chance::First };
    let reads = |text: &str| driver.read(turn, &raw(text), chance).is_ok();
    let left: BTreeSet<String> =
        LOOKED_UP[..words.attack.looked_up].iter().map(|&field| field.to_owned()).collect();
    let (whole, free) = spoiled(text, turn, (protocols, &shown), &left, words);
    if reads(&whole) {
        return whole;
    }
    // One of the fields has rules: each is tried together with those before it.
    let mut best = text.to_owned();
    let mut tried: BTreeSet<String> = left.union(&free).cloned().collect();
    for field in &free {
        if left.contains(field) {
            continue;
        }
        tried.remove(field);
        let (again, _) = spoiled(text, turn, (protocols, &shown), &tried, words);
        if reads(&again) {
            best = again;
        } else {
            tried.insert(field.clone());
        }
    }
    best
}

fn free(item: &Item, field: &str, found: &mut BTreeSet<String>) {
    for spec in item.fields {
        free_in(spec, format!("{field}.{}", spec.key), found);
    }
}

fn free_in(spec: &Spec, field: String, found: &mut BTreeSet<String>) {
    match spec.kind {
        Kind::Line(_)
        | Kind::Text(_)
        | Kind::Code(_)
        | Kind::Name(_)
        | Kind::Texts { .. }
        | Kind::Map
        | Kind::Json => _ = found.insert(field),
        Kind::Entries { item, .. } => free(item, &field, found),
        _ => {}
    }
}

/// Returns the fields of the blocks of some protocols that take free text.
pub(super) fn declared_by(protocols: &BTreeSet<&str>) -> BTreeSet<String> {
    let mut declared = BTreeSet::new();
    for (protocol, outline) in outlines() {
        let field = format!("{protocol} {}", outline.name);
        match outline.body {
            _ if !protocols.contains(protocol) => {}
            Body::Object(item) | Body::ById(item) => free(item, &field, &mut declared),
            Body::Text { .. } => _ = declared.insert(field),
            Body::Ids => {}
        }
    }
    declared
}
