//! The arguments of a call, checked against its tool's fields.
//!
//! # Theory of operation
//!
//! ```text
//!   given ─ fields of the table, in its order ─ value of each: type, range, length ─┐
//!     └──── what is left over: unknown ─────────────────────────────────────────────┴─ Arguments, or the first fault
//! ```
//!
//! Nothing is converted (`"3"` is no 3), nothing is cut, nothing is ignored: what a client asks for is done or refused. The
//! first fault is the same in whatever order the client wrote them. What only the machine can tell (whether a path lies
//! where it may, whether an agent exists) is judged where it is used.
//!
//! A refusal names the field as the client spelled it, what was given, and what is allowed.

use std::collections::BTreeMap;
use std::io;
use std::time::Duration;

use serde_json::{Map, Value};

use super::answer::Answer;
use super::tool::{Field, Kind, Tool};
use crate::config::error::nearest;
use crate::text::sanitize;

/// Bytes of a path, as systems have them (`PATH_MAX`).
pub(super) const PATH_BYTES: usize = 4_096;

/// Fewest characters of the start of a session's id: fewer would be a guess.
const SESSION_LEAST: usize = 4;

/// Most of them, by the store's rule.
const SESSION_MOST: usize = 64;

/// The same rule for a schema.
pub(super) const SESSION_PATTERN: &str = "^[a-z0-9][a-z0-9-]{3,63}$";

/// Characters of what was given that a refusal shows.
const SHOWN: usize = 60;

/// Arguments that may be used: known, of the right type, within bounds. Defaults of the table are filled in.
#[derive(Debug, Clone)]
pub(crate) struct Arguments {
    fields: &'static [Field],
    taken: BTreeMap<&'static str, Taken>,
}

/// A value that was checked.
#[derive(Debug, Clone, PartialEq)]
enum Taken {
    /// Of a text, a path, a session.
    Text(String),
    Flag(bool),
    Whole(u32),
    /// The word of the table.
    Choice(&'static str),
    Names(Vec<String>),
    Objects(Vec<Value>),
}

impl Arguments {
    /// Checks what was given.
    ///
    /// # Errors
    /// The answer that names the field and what it may hold.
    pub(crate) fn check(
        tool: &'static Tool,
        mut given: Map<String, Value>,
    ) -> Result<Self, Answer> {
        let mut taken = BTreeMap::new();
        for field in tool.fields {
            if let Some(value) = one(field, &mut given)? {
                taken.insert(field.name, value);
            }
        }
        match given.keys().min() {
            Some(unknown) => Err(no_such(tool, unknown)),
            None => Ok(Self { fields: tool.fields, taken }),
        }
    }

    /// Returns a text, a path or a session's id.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        if let Taken::Text(text) = self.taken(name)? { Some(text) } else { None }
    }

    /// Returns whether a flag is set.
    pub(crate) fn flag(&self, name: &str) -> bool {
        matches!(self.taken(name), Some(Taken::Flag(true)))
    }

    /// Returns a whole number.
    pub(crate) fn whole(&self, name: &str) -> Option<u32> {
        if let Taken::Whole(number) = self.taken(name)? { Some(*number) } else { None }
    }

    /// Returns one of the words of the table.
    pub(crate) fn choice(&self, name: &str) -> Option<&'static str> {
        if let Taken::Choice(word) = self.taken(name)? { Some(word) } else { None }
    }

    /// Returns names or other short texts; none where none were given.
    pub(crate) fn names(&self, name: &str) -> &[String] {
        if let Some(Taken::Names(names)) = self.taken(name) { names } else { &[] }
    }

    /// Returns objects.
    pub(crate) fn objects(&self, name: &str) -> Option<&[Value]> {
        if let Taken::Objects(objects) = self.taken(name)? { Some(objects) } else { None }
    }

    /// Returns how long the call waits for its run.
    pub(crate) fn wait(&self) -> Duration {
        Duration::from_secs(self.whole("wait_seconds").unwrap_or_default().into())
    }

    fn taken(&self, name: &str) -> Option<&Taken> {
        debug_assert!(
            self.fields.iter().any(|field| field.name == name),
            "the table has no `{name}` here: what a client gives would be ignored"
        );
        self.taken.get(name)
    }
}

/// Takes one field out of what was given; `None`: it was not given and has no default.
fn one(field: &Field, given: &mut Map<String, Value>) -> Result<Option<Taken>, Answer> {
    let mut take = |name: &'static str| {
        let value = given.remove(name).filter(|value| !value.is_null());
        value.map(|value| (name, value))
    };
    match (take(field.name), field.alias.and_then(take)) {
        (Some(_), Some((alias, _))) => {
            let wrong = format!("it is another spelling of `{}`, which is given too", field.name);
            Err(refused(alias, &wrong, "one of them"))
        }
        (Some((name, value)), None) | (None, Some((name, value))) => (judged(field.kind, value))
            .map(Some)
            .map_err(|wrong| refused(name, &wrong, &allowed(field.kind))),
        (None, None) if field.required => {
            Err(refused(field.name, "it is missing", &allowed(field.kind)))
        }
        (None, None) => Ok(default(field.kind)),
    }
}

/// What holds where nothing is given.
fn default(kind: Kind) -> Option<Taken> {
    match kind {
        Kind::Flag { default } => Some(Taken::Flag(default)),
        Kind::Whole { default, .. } => default.map(Taken::Whole),
        Kind::Choice { default, .. } => default.map(Taken::Choice),
        Kind::Text { .. }
        | Kind::Names { .. }
        | Kind::Path
        | Kind::Session
        | Kind::Objects { .. } => None,
    }
}

/// Judges one value. The error says what is wrong.
fn judged(kind: Kind, value: Value) -> Result<Taken, String> {
    match kind {
        Kind::Text { most } => text(value, most).map(Taken::Text),
        Kind::Flag { .. } => match value.as_bool() {
            Some(flag) => Ok(Taken::Flag(flag)),
            None => Err(given(&value)),
        },
        Kind::Whole { least, most, .. } => (whole(&value))
            .filter(|number| (least..=most).contains(number))
            .map(Taken::Whole)
            .ok_or_else(|| given(&value)),
        Kind::Choice { of, .. } => (of.iter())
            .find(|word| value.as_str() == Some(**word))
            .map(|word| Taken::Choice(word))
            .ok_or_else(|| given(&value)),
        Kind::Names { least, most, longest } => {
            names(value, least, most, longest).map(Taken::Names)
        }
        Kind::Path => path(value).map(Taken::Text),
        Kind::Session => match value {
            Value::String(id) if is_session(&id) => Ok(Taken::Text(id)),
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Array(_)
            | Value::Object(_) => Err(given(&value)),
        },
        Kind::Objects { most, bytes } => objects(value, most, bytes).map(Taken::Objects),
    }
}

fn text(value: Value, most: usize) -> Result<String, String> {
    let text = string(value)?;
    if is_blank(&text) {
        return Err("the text is blank".to_owned());
    }
    if text.len() > most {
        return Err(format!("the text has {} bytes", thousands(text.len())));
    }
    Ok(text)
}

fn path(value: Value) -> Result<String, String> {
    let path = string(value)?;
    if path.is_empty() {
        return Err("it is empty".to_owned());
    }
    if path.contains('\0') {
        return Err("there is a NUL in it".to_owned());
    }
    if path.len() > PATH_BYTES {
        return Err(format!("it has {} bytes", thousands(path.len())));
    }
    Ok(path)
}

/// Whether a text could be a session's id or the start of one, by the store's rule.
fn is_session(text: &str) -> bool {
    (SESSION_LEAST..=SESSION_MOST).contains(&text.len())
        && !text.starts_with('-')
        && (text.bytes()).all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'))
}

/// Reads a number without a fraction, however it is written: 3 and 3.0, never "3".
fn whole(value: &Value) -> Option<u32> {
    if let Some(number) = value.as_u64() {
        return u32::try_from(number).ok();
    }
    let number = value.as_f64().filter(|number| number.fract() == 0.0)?;
    // The sum turns -0 into 0; the format of a whole number is exact.
    format!("{:.0}", number + 0.0).parse().ok()
}

fn names(value: Value, least: usize, most: usize, longest: usize) -> Result<Vec<String>, String> {
    let values = list(value, least, most)?;
    let mut names = Vec::with_capacity(values.len());
    for (place, value) in (1..).zip(values) {
        let name = string(value).map_err(|wrong| format!("entry {place}: {wrong}"))?;
        if is_blank(&name) {
            return Err(format!("entry {place} is blank"));
        }
        let length = name.chars().count();
        if length > longest {
            return Err(format!("entry {place} has {} characters", thousands(length)));
        }
        if names.contains(&name) {
            return Err(format!("{} is given twice", shown(&name)));
        }
        names.push(name);
    }
    Ok(names)
}

fn objects(value: Value, most: usize, bytes: usize) -> Result<Vec<Value>, String> {
    let values = list(value, 1, most)?;
    if let Some((place, other)) = (1..).zip(&values).find(|(_, value)| !value.is_object()) {
        return Err(format!("entry {place}: {}", given(other)));
    }
    let mut size = Size(0);
    // Only the sink could fail, and it does not.
    serde_json::to_writer(&mut size, &values).map_err(|error| error.to_string())?;
    if size.0 > bytes {
        return Err(format!("they have {} bytes", thousands(size.0)));
    }
    Ok(values)
}

/// Counts bytes and keeps none.
struct Size(usize);

impl io::Write for Size {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self.0.saturating_add(bytes.len());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn list(value: Value, least: usize, most: usize) -> Result<Vec<Value>, String> {
    let Value::Array(values) = value else {
        return Err(given(&value));
    };
    match values.len() {
        count if (least..=most).contains(&count) => Ok(values),
        0 => Err("the list is empty".to_owned()),
        1 => Err("the list has 1 entry".to_owned()),
        count => Err(format!("the list has {} entries", thousands(count))),
    }
}

fn string(value: Value) -> Result<String, String> {
    if let Value::String(text) = value { Ok(text) } else { Err(given(&value)) }
}

fn is_blank(text: &str) -> bool {
    // The last is white space to JSON Schema's patterns, and nothing to a reader.
    text.chars().all(|c| c.is_whitespace() || c == '\u{feff}')
}

/// What was given, for a refusal.
fn given(value: &Value) -> String {
    match value {
        Value::Null => "null is given".to_owned(),
        Value::Bool(flag) => format!("{flag} is given"),
        Value::Number(number) => format!("{} is given", sanitize::line(&number.to_string(), SHOWN)),
        Value::String(text) => format!("{} is given", shown(text)),
        Value::Array(_) => "a list is given".to_owned(),
        Value::Object(_) => "an object is given".to_owned(),
    }
}

fn shown(text: &str) -> String {
    format!("\"{}\"", sanitize::line(text, SHOWN))
}

/// What a field may hold, for a refusal.
fn allowed(kind: Kind) -> String {
    match kind {
        Kind::Text { most } => format!("text of 1 to {} bytes", thousands(most)),
        Kind::Flag { .. } => "true, false".to_owned(),
        Kind::Whole { least, most, .. } => {
            format!("a whole number from {least} to {most}")
        }
        Kind::Choice { of, .. } => {
            let words = of.iter().map(|word| format!("\"{word}\""));
            words.collect::<Vec<_>>().join(", ")
        }
        Kind::Names { least, most, longest } => format!(
            "a list of {least} to {most} different texts, each of 1 to {longest} characters"
        ),
        Kind::Path => format!("a path of 1 to {} bytes without NUL", thousands(PATH_BYTES)),
        Kind::Session => format!(
            "an id, or its first {SESSION_LEAST} characters or more: a-z, 0-9 and `-`, at most {SESSION_MOST}"
        ),
        Kind::Objects { most, bytes } => format!(
            "a list of 1 to {most} objects, all together at most {} bytes of JSON",
            thousands(bytes)
        ),
    }
}

fn refused(name: &str, wrong: &str, allowed: &str) -> Answer {
    Answer::field(&sanitize::line(name, SHOWN), format!("{wrong}; allowed: {allowed}"))
}

/// Refuses a field that the tool does not have.
fn no_such(tool: &Tool, unknown: &str) -> Answer {
    let names = || tool.fields.iter().map(|field| field.name);
    // Whatever is longer than any name by far is near to none.
    let near = (unknown.len() <= SHOWN).then(|| nearest(unknown, names()));
    let hint = near.flatten().map_or_else(String::new, |name| format!(" (did you mean `{name}`?)"));
    let wrong = format!("`{}` has no such argument{hint}", tool.name);
    let known: Vec<String> = names().map(|name| format!("`{name}`")).collect();
    let allowed = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
    refused(unknown, &wrong, &allowed)
}

/// A count with its thousands apart: 65,536.
fn thousands(count: usize) -> String {
    let digits = count.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    //! What is refused, in which words; and that schema and check agree.

    use std::sync::LazyLock;

    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::mcp::table;

    fn check(tool: &str, given: Value) -> Result<Arguments, String> {
        let Value::Object(given) = given else { panic!("arguments are an object") };
        let tool = table::tool(tool).unwrap();
        Arguments::check(tool, given).map_err(|answer| match answer {
            Answer::Refused(why) => why,
            Answer::Result(value) => panic!("a fault is refused: {value}"),
        })
    }

    fn refusal(tool: &str, given: Value) -> String {
        check(tool, given).unwrap_err()
    }

    #[test]
    fn what_is_given_is_taken_and_the_rest_has_its_default() {
        let arguments = check(
        "debate_360",
        json!({"question": "Is it right?", "agents": ["codex", "claude"], "maxRounds": 5, "path": "src", "mode": "plan"}),
    )
    .unwrap();
        assert_eq!(arguments.text("question"), Some("Is it right?"));
        assert_eq!(arguments.names("agents"), ["codex", "claude"]);
        assert_eq!(arguments.whole("max_rounds"), Some(5));
        assert_eq!(arguments.text("path"), Some("src"));
        assert_eq!(arguments.choice("mode"), Some("plan"));
        assert_eq!(arguments.choice("platform"), Some("general"));
        assert_eq!(arguments.whole("confidence_threshold"), Some(80));
        assert_eq!(arguments.wait(), Duration::from_secs(45));
    }

    #[test]
    fn defaults_are_those_of_the_specification() {
        let review = check("debate_review", json!({"question": "x"})).unwrap();
        assert!(review.flag("include_critique"));
        assert_eq!(review.choice("platform"), Some("general"));
        assert_eq!(review.text("path"), None);
        assert!(review.names("agents").is_empty());
        let full = check("debate_360", json!({"question": "x"})).unwrap();
        assert_eq!(full.choice("mode"), Some("review"));
        assert_eq!(full.whole("max_rounds"), Some(3));
        let plan = check("debate_plan", json!({"topic": "x"})).unwrap();
        assert_eq!(plan.choice("mode"), Some("adversarial"));
        assert_eq!(plan.whole("rounds"), Some(2));
        let diff = check("read_diff", json!({})).unwrap();
        assert!(!diff.flag("staged"));
        let topic = check("debate_topic", json!({"topic": "x"})).unwrap();
        assert_eq!(topic.choice("style"), Some("dialogue"));
        assert_eq!(topic.whole("max_rounds"), None, "the configuration's");
        let backlog = check("prioritize_backlog", json!({})).unwrap();
        assert_eq!(backlog.objects("opportunities"), None, "the stored backlog");
    }

    #[test]
    fn both_spellings_of_the_source_are_taken() {
        for (given, critique) in [("includeCritique", false), ("include_critique", false)] {
            let review = check("debate_review", json!({"question": "x", given: critique})).unwrap();
            assert!(!review.flag("include_critique"), "{given}");
        }
        let full = json!({"question": "x", "maxRounds": 1, "confidenceThreshold": 50});
        let full = check("debate_360", full).unwrap();
        assert_eq!(full.whole("max_rounds"), Some(1));
        assert_eq!(full.whole("confidence_threshold"), Some(50));
    }

    #[test]
    fn null_is_as_good_as_nothing() {
        let review = json!({"question": "x", "agents": null, "include_critique": null, "includeCritique": false});
        let review = check("debate_review", review).unwrap();
        assert!(review.names("agents").is_empty());
        assert!(!review.flag("include_critique"));
        assert_eq!(
            refusal("debate_review", json!({"question": null})),
            "`question`: it is missing; allowed: text of 1 to 65,536 bytes"
        );
    }

    #[test]
    fn the_ends_of_a_range_are_in_it() {
        for (tool, field, least, most) in [
            ("debate_plan", "rounds", 1, 5),
            ("debate_360", "max_rounds", 1, 5),
            ("debate_360", "confidence_threshold", 50, 100),
            ("debate_topic", "max_rounds", 0, 10),
            ("debate_review", "wait_seconds", 0, 3_600),
        ] {
            let first =
                if tool == "debate_plan" || tool == "debate_topic" { "topic" } else { "question" };
            let at = |number: i64| check(tool, json!({first: "x", field: number}));
            for number in [least, most] {
                let whole = at(number).unwrap().whole(field);
                assert_eq!(whole.map(i64::from), Some(number), "{tool} {field}");
            }
            for number in [least - 1, most + 1] {
                assert!(at(number).is_err(), "{tool} {field} {number}");
            }
        }
    }

    /// A whole number is one however JSON writes it; a text of digits is none.
    #[test]
    fn numbers_are_read_and_never_made() {
        for (written, rounds) in [
            ("3", Some(3)),
            ("3.0", Some(3)),
            ("3e0", Some(3)),
            ("0.3e1", Some(3)),
            ("-0", Some(0)),
            ("-0.0", Some(0)),
            ("3.5", None),
            ("\"3\"", None),
            ("true", None),
            ("18446744073709551616", None),
            ("4294967299", None),
            ("1e300", None),
            ("-1", None),
        ] {
            let given = format!(r#"{{"topic": "x", "max_rounds": {written}}}"#);
            let taken = check("debate_topic", serde_json::from_str(&given).unwrap());
            let taken = taken.ok().and_then(|taken| taken.whole("max_rounds"));
            assert_eq!(taken, rounds, "{written}");
        }
    }

    /// The exact words of each refusal: they are what a client's model mends its call by.
    #[test]
    fn a_fault_is_named_with_what_is_allowed() {
        const ROUNDS: &str = "allowed: a whole number from 1 to 5";
        const TEXT: &str = "allowed: text of 1 to 65,536 bytes";
        const NAMES: &str = "allowed: a list of 2 to 9 different texts, each of 1 to 64 characters";
        const PATH: &str = "allowed: a path of 1 to 4,096 bytes without NUL";
        const ID: &str =
            "allowed: an id, or its first 4 characters or more: a-z, 0-9 and `-`, at most 64";
        const PLAN: &str = "allowed: `topic`, `agents`, `mode`, `rounds`";
        let long = "x".repeat(65_537);
        let names = |count: usize| (0..count).map(|name| format!("a{name}")).collect::<Vec<_>>();
        let cases = [
        ("debate_plan", json!({}), format!("`topic`: it is missing; {TEXT}")),
        ("debate_plan", json!({"topic": ""}), format!("`topic`: the text is blank; {TEXT}")),
        ("debate_plan", json!({"topic": " \n\t\u{a0}"}), format!("`topic`: the text is blank; {TEXT}")),
        ("debate_plan", json!({"topic": []}), format!("`topic`: a list is given; {TEXT}")),
        ("debate_plan", json!({"topic": {}}), format!("`topic`: an object is given; {TEXT}")),
        ("debate_plan", json!({"topic": 7}), format!("`topic`: 7 is given; {TEXT}")),
        ("debate_plan", json!({"topic": false}), format!("`topic`: false is given; {TEXT}")),
        ("debate_plan", json!({"topic": long}), format!("`topic`: the text has 65,537 bytes; {TEXT}")),
        ("debate_plan", json!({"topic": "x", "rounds": 0}), format!("`rounds`: 0 is given; {ROUNDS}")),
        ("debate_plan", json!({"topic": "x", "rounds": -1}), format!("`rounds`: -1 is given; {ROUNDS}")),
        ("debate_plan", json!({"topic": "x", "rounds": 1_000_000_000}), format!("`rounds`: 1000000000 is given; {ROUNDS}")),
        ("debate_plan", json!({"topic": "x", "rounds": 3.5}), format!("`rounds`: 3.5 is given; {ROUNDS}")),
        ("debate_plan", json!({"topic": "x", "rounds": "3"}), format!("`rounds`: \"3\" is given; {ROUNDS}")),
        ("debate_plan", json!({"topic": "x", "rounds": []}), format!("`rounds`: a list is given; {ROUNDS}")),
        ("debate_plan", json!({"topic": "x", "rounds": {}}), format!("`rounds`: an object is given; {ROUNDS}")),
        ("debate_plan", json!({"topic": "x", "mode": "fast"}), "`mode`: \"fast\" is given; allowed: \"adversarial\", \"consensus\", \"collaborative\"".to_owned()),
        ("debate_plan", json!({"topic": "x", "mode": 1}), "`mode`: 1 is given; allowed: \"adversarial\", \"consensus\", \"collaborative\"".to_owned()),
        ("debate_plan", json!({"topic": "x", "agents": "claude"}), format!("`agents`: \"claude\" is given; {NAMES}")),
        ("debate_plan", json!({"topic": "x", "agents": []}), format!("`agents`: the list is empty; {NAMES}")),
        ("debate_plan", json!({"topic": "x", "agents": ["claude"]}), format!("`agents`: the list has 1 entry; {NAMES}")),
        ("debate_plan", json!({"topic": "x", "agents": names(10)}), format!("`agents`: the list has 10 entries; {NAMES}")),
        ("debate_plan", json!({"topic": "x", "agents": ["claude", "codex", "claude"]}), format!("`agents`: \"claude\" is given twice; {NAMES}")),
        ("debate_plan", json!({"topic": "x", "agents": ["claude", 2]}), format!("`agents`: entry 2: 2 is given; {NAMES}")),
        ("debate_plan", json!({"topic": "x", "agents": ["claude", null]}), format!("`agents`: entry 2: null is given; {NAMES}")),
        ("debate_plan", json!({"topic": "x", "agents": ["claude", " "]}), format!("`agents`: entry 2 is blank; {NAMES}")),
        ("debate_plan", json!({"topic": "x", "agents": ["claude", "x".repeat(65)]}), format!("`agents`: entry 2 has 65 characters; {NAMES}")),
        ("debate_plan", json!({"topic": "x", "round": 3}), format!("`round`: `debate_plan` has no such argument (did you mean `rounds`?); {PLAN}")),
        ("debate_plan", json!({"topic": "x", "budget_usd": 3}), format!("`budget_usd`: `debate_plan` has no such argument; {PLAN}")),
        ("debate_plan", json!({"topic": "x", "wait_seconds": 3}), format!("`wait_seconds`: `debate_plan` has no such argument; {PLAN}")),
        ("debate_plan", json!({"topic": "x", "x": null}), format!("`x`: `debate_plan` has no such argument; {PLAN}")),
        ("list_agents", json!({"path": "."}), "`path`: `list_agents` has no such argument; allowed: none".to_owned()),
        ("debate_360", json!({"question": "x", "maxRounds": 6}), format!("`maxRounds`: 6 is given; {ROUNDS}")),
        ("debate_360", json!({"question": "x", "maxRounds": 3, "max_rounds": 3}), "`maxRounds`: it is another spelling of `max_rounds`, which is given too; allowed: one of them".to_owned()),
        ("debate_360", json!({"question": "x", "confidenceThreshold": 49}), "`confidenceThreshold`: 49 is given; allowed: a whole number from 50 to 100".to_owned()),
        ("debate_review", json!({"question": "x", "include_critique": "no"}), "`include_critique`: \"no\" is given; allowed: true, false".to_owned()),
        ("debate_review", json!({"question": "x", "path": ""}), format!("`path`: it is empty; {PATH}")),
        ("debate_review", json!({"question": "x", "path": "a\0b"}), format!("`path`: there is a NUL in it; {PATH}")),
        ("debate_review", json!({"question": "x", "path": "é".repeat(2_049)}), format!("`path`: it has 4,098 bytes; {PATH}")),
        ("debate_review", json!({"question": "x", "path": ["src"]}), format!("`path`: a list is given; {PATH}")),
        ("debate_review", json!({"question": "x", "wait_seconds": 3_601}), "`wait_seconds`: 3601 is given; allowed: a whole number from 0 to 3600".to_owned()),
        ("debate_topic", json!({"topic": "x".repeat(4_001)}), "`topic`: the text has 4,001 bytes; allowed: text of 1 to 4,000 bytes".to_owned()),
        ("debate_topic", json!({"topic": "x", "style": "brawl"}), "`style`: \"brawl\" is given; allowed: \"dialogue\", \"argument\", \"panel\"".to_owned()),
        ("prioritize_backlog", json!({"opportunities": []}), "`opportunities`: the list is empty; allowed: a list of 1 to 100 objects, all together at most 524,288 bytes of JSON".to_owned()),
        ("prioritize_backlog", json!({"opportunities": [{}, "x"]}), "`opportunities`: entry 2: \"x\" is given; allowed: a list of 1 to 100 objects, all together at most 524,288 bytes of JSON".to_owned()),
        ("prioritize_backlog", json!({"opportunities": vec![json!({}); 101]}), "`opportunities`: the list has 101 entries; allowed: a list of 1 to 100 objects, all together at most 524,288 bytes of JSON".to_owned()),
        // [{"t":"…"}] is 10 bytes around its text.
        ("prioritize_backlog", json!({"opportunities": [{"t": "x".repeat(524_279)}]}), "`opportunities`: they have 524,289 bytes; allowed: a list of 1 to 100 objects, all together at most 524,288 bytes of JSON".to_owned()),
        ("discuss_artifact", json!({"artifact": "a.md", "perspectives": []}), "`perspectives`: the list is empty; allowed: a list of 1 to 9 different texts, each of 1 to 64 characters".to_owned()),
        ("session_status", json!({"session_id": "019"}), format!("`session_id`: \"019\" is given; {ID}")),
        ("session_status", json!({"session_id": "-0198"}), format!("`session_id`: \"-0198\" is given; {ID}")),
        ("session_status", json!({"session_id": "0198A"}), format!("`session_id`: \"0198A\" is given; {ID}")),
        ("session_status", json!({"session_id": "../0198"}), format!("`session_id`: \"../0198\" is given; {ID}")),
        ("session_status", json!({"session_id": "0198\n"}), format!("`session_id`: \"0198\" is given; {ID}")),
        ("session_status", json!({"session_id": 198}), format!("`session_id`: 198 is given; {ID}")),
        ("run_agent", json!({"agent": "claude"}), "`prompt`: it is missing; allowed: text of 1 to 524,288 bytes".to_owned()),
    ];
        for (tool, given, why) in cases {
            let shown = given.to_string().chars().take(100).collect::<String>();
            assert_eq!(refusal(tool, given), why, "{tool} {shown}");
        }
    }

    /// Paths and ids are judged by their form here; where they lead is judged where they are used.
    #[test]
    fn what_only_the_machine_can_judge_passes() {
        let review = check("debate_review", json!({"question": "x", "path": "../../etc"})).unwrap();
        assert_eq!(review.text("path"), Some("../../etc"));
        for id in ["0198", "0198a3c2-7f11", &"a".repeat(64)] {
            let status = check("session_status", json!({"session_id": id})).unwrap();
            assert_eq!(status.text("session_id"), Some(id));
        }
        let most = json!({"opportunities": [{"t": "x".repeat(524_278)}]});
        let most = check("prioritize_backlog", most).unwrap();
        assert_eq!(most.objects("opportunities").map(<[Value]>::len), Some(1));
    }

    /// The first fault does not depend on the order in which a client wrote its arguments.
    #[test]
    fn the_first_fault_is_that_of_the_table() {
        let why = "`topic`: the text is blank; allowed: text of 1 to 65,536 bytes";
        for given in [
            json!({"topic": "", "rounds": 9, "aaa": 1}),
            json!({"aaa": 1, "rounds": 9, "topic": ""}),
        ] {
            assert_eq!(refusal("debate_plan", given), why);
        }
        for given in [
            json!({"topic": "x", "zzz": 1, "aaa": 1}),
            json!({"aaa": 1, "zzz": 1, "topic": "x"}),
            json!({"zzz": 1, "aaa": 1, "topic": "x"}),
        ] {
            assert!(refusal("debate_plan", given).starts_with("`aaa`: "));
        }
    }

    /// What a client spelled comes back short and clean, whatever it is.
    #[test]
    fn a_refusal_is_short_and_clean() {
        let evil = "\u{1b}]52;c;eA==\u{7}\u{202e}".to_owned() + &"y".repeat(1 << 20);
        for given in [
            json!({"topic": "x", "mode": evil}),
            json!({"topic": "x", "rounds": evil}),
            json!({"topic": "x", "agents": [evil, evil]}),
            json!({"topic": "x", evil.clone(): 1}),
        ] {
            let why = refusal("debate_plan", given);
            assert!(why.len() <= 300, "{why}");
            assert!(!why.contains(['\u{1b}', '\u{202e}', '\u{7}']), "{why:?}");
        }
        let twice = "\u{1b}[31mred".to_owned();
        assert_eq!(
            refusal("debate_plan", json!({"topic": "x", "agents": [twice, twice]})),
            "`agents`: \"red\" is given twice; allowed: a list of 2 to 9 different texts, each of 1 to 64 characters"
        );
    }

    #[test]
    #[should_panic(expected = "the table has no `topicc` here")]
    fn a_misspelled_field_does_not_pass_a_test() {
        check("debate_plan", json!({"topic": "x"})).unwrap().text("topicc");
    }

    /// A value near to what a field takes, or far from it.
    fn value() -> impl Strategy<Value = Value> {
        let text = prop_oneof![
            Just(String::new()),
            "[ \t]{1,2}",
            "[a-z0-9]{1,6}",
            "-?[A-Z0-9a-z-]{3,66}",
            "\\PC{0,8}",
            Just("plan".to_owned()),
            Just("panel".to_owned()),
            Just("consensus".to_owned()),
            Just("general".to_owned()),
            (4_095_usize..4_098).prop_map(|length| "x".repeat(length)),
        ];
        let number = prop_oneof![
            any::<i64>().prop_map(Value::from),
            (-2_i64..12).prop_map(Value::from),
            (40_i64..110).prop_map(Value::from),
            (3_598_i64..3_603).prop_map(Value::from),
            (-2_i32..12).prop_map(|number| json!(f64::from(number))),
            (-2_i32..12).prop_map(|number| json!(f64::from(number) + 0.5)),
            any::<f64>()
                .prop_filter_map("finite", |number| Some(json!(number)).filter(Value::is_number)),
        ];
        let leaf = prop_oneof![
            4 => text.prop_map(Value::from),
            4 => number,
            2 => any::<bool>().prop_map(Value::from),
            1 => Just(json!({})),
        ];
        prop_oneof![
            3 => leaf.clone(),
            1 => prop::collection::vec(leaf.clone(), 0..4).prop_map(Value::from),
            1 => prop::collection::vec("[abc]", 1..4).prop_map(Value::from),
            1 => prop::collection::vec("[a-z]{1,2}", 0..12).prop_map(Value::from),
            1 => prop::collection::vec(Just(json!({"title": "x"})), 0..3).prop_map(Value::from),
        ]
    }

    /// Arguments of a tool: most fields of the table, by and by another name.
    fn given() -> impl Strategy<Value = (usize, Map<String, Value>)> {
        (0..table::TOOLS.len()).prop_flat_map(|at| {
            let tool = &table::TOOLS[at];
            let fields: Vec<_> = (tool.fields.iter())
                .map(|field| {
                    prop::option::weighted(
                        if field.required { 0.9 } else { 0.4 },
                        good_or(field.kind),
                    )
                })
                .collect();
            let unknown = prop::option::weighted(0.1, ("[a-z_]{1,12}", value()));
            (fields, unknown).prop_map(move |(values, unknown)| {
                let names = tool.fields.iter().map(|field| field.name.to_owned());
                let mut given: Map<String, Value> =
                    (names.zip(values)).filter_map(|(name, value)| Some((name, value?))).collect();
                given.extend(unknown);
                (at, given)
            })
        })
    }

    /// Mostly a value that the field takes, so that whole calls pass as well.
    fn good_or(kind: Kind) -> impl Strategy<Value = Value> {
        let good = match kind {
            Kind::Text { .. } | Kind::Path => "[a-z][a-z /.]{0,8}".prop_map(Value::from).boxed(),
            Kind::Flag { .. } => any::<bool>().prop_map(Value::from).boxed(),
            Kind::Whole { least, most, .. } => (least..=most).prop_map(Value::from).boxed(),
            Kind::Choice { of, .. } => prop::sample::select(of).prop_map(Value::from).boxed(),
            Kind::Names { least, most, .. } => {
                prop::collection::hash_set("[a-z]{1,3}", least..=most)
                    .prop_map(|names| Value::from(names.into_iter().collect::<Vec<_>>()))
                    .boxed()
            }
            Kind::Session => "[a-z0-9][a-z0-9-]{3,63}".prop_map(Value::from).boxed(),
            Kind::Objects { .. } => prop::collection::vec(Just(json!({"title": "x"})), 1..4)
                .prop_map(Value::from)
                .boxed(),
        };
        prop_oneof![3 => good, 1 => value()]
    }

    /// The input schema of each tool of the table, compiled once.
    static SCHEMAS: LazyLock<Vec<jsonschema::Validator>> = LazyLock::new(|| {
        let schemas = table::TOOLS.iter().map(|tool| Value::Object(tool.input_schema()));
        schemas.map(|schema| jsonschema::draft202012::new(&schema).unwrap()).collect()
    });

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]

        /// What clients are told is what the server does: by the schema a call is right exactly if the server takes it. Left
        /// out is what a schema cannot say, and says less of: bytes of texts, a NUL in a path, white space that the
        /// dialects of patterns hold to be different.
        #[test]
        fn the_schema_and_the_check_agree((at, given) in given()) {
            let (tool, given) = (&table::TOOLS[at], Value::Object(given));
            let text = given.to_string();
            prop_assume!(!text.contains("\\u0000") && !text.contains(['\u{85}', '\u{feff}', '\u{180e}']));
            let valid = SCHEMAS[at].is_valid(&given);
            let checked = check(tool.name, given);
            prop_assert_eq!(checked.is_ok(), valid, "{}: {:?}\n{}", tool.name, checked, text);
        }
    }
}
