//! The rules for the content of a block: fields, ranges, what is left out on the last chance.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::contract::{self, FEATURE_OPPORTUNITIES, FIX_CHARS, FIX_SUGGESTION};
use super::{Feature, Features, Role};
use crate::kernel::Chance;
use crate::text::{Note, Problem, sanitize};

/// Characters that a title may have.
const TITLE_CHARS: usize = 200;

/// Faulty features that are named one by one; the rest is counted.
const NAMED: usize = 20;

/// Collects notes and problems while a reply is judged.
pub(super) struct Judge {
    chance: Chance,
    pub(super) notes: Vec<Note>,
    pub(super) problems: Vec<Problem>,
}

/// Why a feature cannot be taken.
struct Fault {
    code: &'static str,
    message: String,
}

impl Judge {
    pub(super) fn new(chance: Chance, notes: Vec<Note>) -> Self {
        Self { chance, notes, problems: Vec::new() }
    }

    fn note(&mut self, code: &str, message: String) {
        self.notes.push(Note::new(code, message));
    }

    fn problem(&mut self, code: &str, block: &str, message: String) {
        self.problems.push(Problem::new(code, Some(block), message));
    }

    /// Something that is a problem while a re-ask can mend it, and a warning when none can.
    fn lenient(&mut self, code: &str, message: String) {
        match self.chance {
            Chance::First => self.problem(code, FEATURE_OPPORTUNITIES, message),
            Chance::Last => self.note(code, message),
        }
    }

    pub(super) fn fix(&mut self, text: &str) -> String {
        let text = text.trim();
        let template = contract::template(Role::Advisor);
        // The template is text too, so an advisor that only repeats it would have suggested it.
        if text.is_empty() || text.split_whitespace().eq(template.split_whitespace()) {
            let message = "write the suggestion between the markers".to_owned();
            self.problem("empty_block", FIX_SUGGESTION, message);
            return String::new();
        }
        let chars = text.chars().count();
        if chars <= FIX_CHARS {
            return text.to_owned();
        }
        let message = format!("the suggestion has {chars} characters and may have {FIX_CHARS}");
        match self.chance {
            Chance::First => {
                self.problem("too_long", FIX_SUGGESTION, format!("{message}; make it shorter"));
                String::new()
            }
            Chance::Last => {
                let cut = text.chars().take(FIX_CHARS - 1).chain(['…']).collect();
                self.note("shortened", format!("{message}; it was cut there"));
                cut
            }
        }
    }

    pub(super) fn features(&mut self, value: Value, limit: u32) -> Features {
        let Value::Object(mut map) = value else {
            let message = "give one JSON object".to_owned();
            self.problem("wrong_type", FEATURE_OPPORTUNITIES, message);
            return Features::none();
        };
        let mut said = Features {
            product_type: self.product_type(map.remove("product_type")),
            target_users: self.target_users(map.remove("target_users")),
            features: Vec::new(),
        };
        let entries = match map.remove("opportunities") {
            Some(Value::Array(entries)) => entries,
            // No list at all must never pass for an empty one.
            Some(
                Value::Null
                | Value::Bool(_)
                | Value::Number(_)
                | Value::String(_)
                | Value::Object(_),
            )
            | None => {
                let message =
                    "`opportunities` must be a JSON array; `[]` where there is nothing to propose"
                        .to_owned();
                self.problem("wrong_type", FEATURE_OPPORTUNITIES, message);
                return said;
            }
        };
        let given = entries.len();
        let mut faults = Vec::new();
        let mut titles = BTreeSet::new();
        for (index, entry) in entries.into_iter().enumerate() {
            let before = self.notes.len();
            let feature = self.feature(index + 1, entry).and_then(|feature| {
                if titles.insert(key(&feature.title)) {
                    return Ok(feature);
                }
                let message = format!(
                    "opportunity {} (`{}`): another one before it has the same title",
                    index + 1,
                    feature.title
                );
                let code = "duplicate_title";
                Err(vec![Fault { code, message }])
            });
            match feature {
                Ok(feature) => said.features.push(feature),
                Err(found) => {
                    // What was normalised in something that is left out concerns nobody.
                    self.notes.truncate(before);
                    faults.push(found);
                }
            }
        }
        self.report(&faults);
        self.cap(&mut said.features, limit);
        if said.features.is_empty() && given > 0 && self.chance == Chance::Last {
            let message = format!("none of the {given} opportunities could be read");
            self.problem("no_valid_feature", FEATURE_OPPORTUNITIES, message);
            for fault in faults.into_iter().flatten().take(NAMED) {
                self.problem(fault.code, FEATURE_OPPORTUNITIES, fault.message);
            }
        }
        said
    }

    fn report(&mut self, faults: &[Vec<Fault>]) {
        for found in faults.iter().take(NAMED) {
            match self.chance {
                Chance::First => {
                    for fault in found {
                        self.problem(fault.code, FEATURE_OPPORTUNITIES, fault.message.clone());
                    }
                }
                Chance::Last => {
                    let all: Vec<&str> = found.iter().map(|fault| &*fault.message).collect();
                    self.note("feature_left_out", format!("left out: {}", all.join("; ")));
                }
            }
        }
        if faults.len() > NAMED {
            let message =
                format!("{} more opportunities are faulty in such ways", faults.len() - NAMED);
            self.lenient("feature_left_out", message);
        }
    }

    fn cap(&mut self, features: &mut Vec<Feature>, limit: u32) {
        let most = usize::try_from(limit).unwrap_or(usize::MAX);
        if features.len() > most {
            let message = format!(
                "{} opportunities are given, and at most {limit} were asked for; the first of them count",
                features.len()
            );
            features.truncate(most);
            self.lenient("too_many", message);
        }
    }

    fn product_type(&mut self, value: Option<Value>) -> String {
        match value {
            Some(Value::String(text)) => text.trim().to_owned(),
            None => {
                self.note("missing_field", "`product_type` is not given".to_owned());
                String::new()
            }
            Some(
                Value::Null
                | Value::Bool(_)
                | Value::Number(_)
                | Value::Array(_)
                | Value::Object(_),
            ) => {
                let message = "`product_type` must be text; it is left empty otherwise".to_owned();
                self.lenient("wrong_type", message);
                String::new()
            }
        }
    }

    fn target_users(&mut self, value: Option<Value>) -> Vec<String> {
        let Some(value) = value else {
            self.note("missing_field", "`target_users` is not given".to_owned());
            return Vec::new();
        };
        texts(value).unwrap_or_else(|| {
            let message =
                "`target_users` must be an array of texts; it is left empty otherwise".to_owned();
            self.lenient("wrong_type", message);
            Vec::new()
        })
    }

    fn feature(&mut self, number: usize, entry: Value) -> Result<Feature, Vec<Fault>> {
        let Value::Object(map) = entry else {
            let message = format!("opportunity {number} is no JSON object");
            let code = "wrong_type";
            return Err(vec![Fault { code, message }]);
        };
        let title = match map.get("title") {
            Some(Value::String(title)) => sanitize::line(title, TITLE_CHARS),
            Some(_) | None => String::new(),
        };
        let name = if title.is_empty() {
            format!("opportunity {number}")
        } else {
            format!("opportunity {number} (`{}`)", sanitize::line(&title, 60))
        };
        let mut fields = Fields { map, name: &name, faults: Vec::new(), notes: Vec::new() };
        if title.is_empty() {
            fields.fault("missing_title", "`title` must be text");
        }
        let feature = Feature {
            description: fields.text("description"),
            user_value: fields.text("user_value"),
            impact: fields.scale("impact"),
            effort: fields.scale("effort"),
            leverage: fields.scale("leverage"),
            risk: fields.scale("risk"),
            existing_code: fields.files(),
            title,
        };
        let Fields { faults, notes, .. } = fields;
        self.notes.extend(notes);
        if faults.is_empty() { Ok(feature) } else { Err(faults) }
    }
}

impl Features {
    fn none() -> Self {
        Self { product_type: String::new(), target_users: Vec::new(), features: Vec::new() }
    }
}

/// One opportunity of the answer, while it is read.
struct Fields<'a> {
    map: Map<String, Value>,
    name: &'a str,
    faults: Vec<Fault>,
    notes: Vec<Note>,
}

impl Fields<'_> {
    fn fault(&mut self, code: &'static str, message: &str) {
        let message = format!("{}: {message}", self.name);
        self.faults.push(Fault { code, message });
    }

    fn text(&mut self, field: &str) -> String {
        match self.map.remove(field) {
            Some(Value::String(text)) if !text.trim().is_empty() => text.trim().to_owned(),
            Some(_) | None => {
                self.fault("missing_field", &format!("`{field}` must be text"));
                String::new()
            }
        }
    }

    /// Reads a number from 1 to 10; a risk below 1 counts as 1 (`spec/backlog.md`).
    fn scale(&mut self, field: &str) -> f64 {
        let (number, as_text) = match self.map.remove(field) {
            Some(Value::Number(number)) => (number.as_f64(), false),
            Some(Value::String(text)) => (of_ten(&text), true),
            Some(Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_)) | None => {
                (None, false)
            }
        };
        let Some(number) = number else {
            self.fault("missing_number", &format!("`{field}` must be a number"));
            return 1.0;
        };
        let low = field == "risk" && (0.0..1.0).contains(&number);
        if !low && !(1.0..=10.0).contains(&number) {
            let message = format!("`{field}` must be from 1 to 10, not {number}");
            self.fault("out_of_range", &message);
            return 1.0;
        }
        if as_text {
            let message = format!("{}: `{field}` was given as text", self.name);
            self.notes.push(Note::new("number_as_text", message));
        }
        if low {
            let message = format!("{}: a risk of {number} counts as 1", self.name);
            self.notes.push(Note::new("risk_raised", message));
            return 1.0;
        }
        number
    }

    fn files(&mut self) -> Vec<String> {
        match self.map.remove("existing_code") {
            None => Vec::new(),
            Some(value) => texts(value).unwrap_or_else(|| {
                self.fault("wrong_type", "`existing_code` must be an array of paths");
                Vec::new()
            }),
        }
    }
}

/// Reads `7`, `7.5` and `7/10`; nothing else is a number of this scale.
fn of_ten(text: &str) -> Option<f64> {
    let number = match text.split_once('/') {
        Some((number, of)) => (of.trim() == "10").then_some(number)?,
        None => text,
    };
    let number = number.trim();
    let plain = |c: char| c.is_ascii_digit() || c == '.' || c == '-';
    number.chars().all(plain).then(|| number.parse().ok())?
}

fn texts(value: Value) -> Option<Vec<String>> {
    let Value::Array(entries) = value else {
        return None;
    };
    entries
        .into_iter()
        .map(|entry| match entry {
            Value::String(text) => Some(text.trim().to_owned()),
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::Array(_)
            | Value::Object(_) => None,
        })
        .filter(|text| text.as_ref().is_none_or(|text| !text.is_empty()))
        .collect()
}

/// What two titles have in common that are the same to a reader.
fn key(title: &str) -> String {
    let words: Vec<String> = title
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    if words.is_empty() { title.to_owned() } else { words.join(" ") }
}
