//! One golden run as a file: how its project is made, the commands, and what came of them.
//!
//! ```text
//! # What the run shows.
//! setup = "six"                         a table in TOML: see `Project`
//!
//! $ debate-agent prioritize backlog.json
//! | standard output
//! ! standard error
//! = 4                                   the exit code, unless it is 0
//! @ claude r1/champion                  the calls, as the fakes wrote them down
//! ```
//!
//! What follows the table is written by `--record`, but for the commands. A command of several lines goes on with `> `.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Deserialize;
use serde_json::Value;

/// The widest that JSON on one line may be, unless it is a single value.
const WIDTH: usize = 140;

/// The longest line of JSON Lines that stays a line.
const LINE: usize = 1000;

/// How a run's project is made.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Project {
    /// Shell lines that create it; `make.sh` has functions for them.
    #[serde(default)]
    pub(crate) setup: String,
    /// A folder of `fixtures/scenarios`.
    #[serde(default)]
    pub(crate) scenario: Option<String>,
    /// The user's own configuration, as JSON, in addition to `limits.max_parallel`.
    #[serde(default)]
    pub(crate) config: Option<String>,
    /// The calls whose prompts are kept, such as `1-claude-r1_champion`: each kind of turn in one run alone.
    #[serde(default)]
    pub(crate) prompts: Vec<String>,
}

/// A run, as its file describes it.
pub(crate) struct Case {
    pub(crate) name: String,
    /// The text above the first command.
    head: String,
    pub(crate) project: Project,
    /// Shell lines. `$ID` is the newest session. `INT: line` and `TERM: line` send that signal once a fake has written
    /// `$fake/here`.
    pub(crate) steps: Vec<String>,
}

impl Case {
    pub(crate) fn parse(name: &str, text: &str) -> Self {
        let start = if text.starts_with("$ ") {
            0
        } else {
            text.find("\n$ ").map_or(text.len(), |at| at + 1)
        };
        let (head, rest) = text.split_at(start);
        let project = toml::from_str(head).unwrap_or_else(|error| panic!("{name}: {error}"));
        let mut steps: Vec<String> = Vec::new();
        for line in rest.lines() {
            if let Some(step) = line.strip_prefix("$ ") {
                steps.push(step.to_owned());
            } else if let Some(more) = line.strip_prefix("> ") {
                let step = steps.last_mut().expect("a command comes first");
                step.push('\n');
                step.push_str(more);
            }
        }
        Self { name: name.to_owned(), head: head.to_owned(), project, steps }
    }

    /// The file as it is when it is recorded.
    pub(crate) fn with(&self, transcript: &str) -> String {
        format!("{}{transcript}", self.head)
    }
}

/// What a run printed, asked and ended with.
#[derive(Default)]
pub(crate) struct Played {
    pub(crate) transcript: String,
    /// The kept prompts by their calls.
    pub(crate) prompts: BTreeMap<String, String>,
}

impl Played {
    pub(crate) fn command(&mut self, line: &str) {
        self.lines('$', line.lines().next().unwrap_or_default());
        for more in line.lines().skip(1) {
            self.lines('>', more);
        }
    }

    /// Adds lines, each with its mark.
    pub(crate) fn lines(&mut self, mark: char, text: &str) {
        for line in text.lines() {
            let space = if line.is_empty() { "" } else { " " };
            writeln!(self.transcript, "{mark}{space}{line}").unwrap();
        }
    }
}

/// JSON, whole or a line each, with its keys in order, so that texts of one meaning are equal; other text as it is.
pub(crate) fn by_meaning(text: &str) -> String {
    if let Some(value) = object(text) {
        return filled(&value, WIDTH);
    }
    let line =
        |line: &str| object(line).map_or_else(|| line.to_owned(), |value| filled(&value, LINE));
    text.lines().map(|text| line(text) + "\n").collect()
}

/// A value in as many lines as it takes, if it is longer than that.
fn filled(value: &Value, most: usize) -> String {
    let short = value.to_string();
    if short.len() <= most {
        return short;
    }
    let mut out = String::new();
    fill(value, 0, &mut out);
    out
}

fn object(text: &str) -> Option<Value> {
    let mut value: Value = serde_json::from_str(text).ok()?;
    value.sort_all_objects();
    (value.is_object() || value.is_array()).then_some(value)
}

/// Writes a value on one line where it fits, else a line for each member.
fn fill(value: &Value, indent: usize, out: &mut String) {
    let short = value.to_string();
    if indent + short.len() <= WIDTH {
        out.push_str(&short);
        return;
    }
    let inner = " ".repeat(indent + 1);
    match value {
        Value::Object(members) => {
            out.push('{');
            for (index, (key, member)) in members.iter().enumerate() {
                write!(
                    out,
                    "{}\n{inner}{}: ",
                    if index > 0 { "," } else { "" },
                    Value::from(&**key)
                )
                .unwrap();
                fill(member, indent + 1, out);
            }
            out.push('}');
        }
        Value::Array(elements) => {
            out.push('[');
            for (index, element) in elements.iter().enumerate() {
                write!(out, "{}\n{inner}", if index > 0 { "," } else { "" }).unwrap();
                fill(element, indent + 1, out);
            }
            out.push(']');
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => out.push_str(&short),
    }
}
