//! A person's replies from a file: one JSON object per line, in the order in which they are asked for.
//!
//! Everything that can be known before any agent is paid is checked when the file is read: that each line is an
//! object of a known kind, and that a debate can ask for the kinds in this order. Each turn uses one line. A resumed
//! session starts after the lines that it has used, and detects whether they have changed since: replies that were
//! weighed stay as given.

use serde_json::{Map, Value};

use super::seat::{DebatePosition, Word, named, owed};
use crate::agent::person::PersonReply;
use crate::contract::template::block;
use crate::error::{Error, Kind};
use crate::protocol::argument::content;
use crate::protocol::argument::contract::ARGUMENT;
use crate::protocol::debate::Stance;
use crate::protocol::debate::contract::STANCES;
use crate::protocol::debate::typed::{ArgumentType, Side};
use crate::text::redact::Redactor;
use crate::text::word::Word as _;
use crate::text::{json, sanitize};

/// Maximum bytes of a file of arguments.
pub(crate) const MOST_BYTES: u64 = 4 << 20;

/// Maximum lines with replies: more than the longest debate asks for.
const MOST_LINES: usize = 200;

/// The replies in a file, and the number used so far.
#[derive(Debug)]
pub(super) struct Lines {
    /// The file's name for messages.
    name: String,
    entries: Vec<Entry>,
    next: usize,
}

#[derive(Debug)]
struct Entry {
    line: usize,
    word: Word,
    reply: String,
}

impl Lines {
    /// Parses a file and checks everything that can be checked before a debate.
    pub(super) fn read(name: &str, bytes: &[u8], side: Side, rounds: u32) -> Result<Self, Error> {
        let name = sanitize::line(name, 200);
        let input = |what: String| Error::new(Kind::Input, what).named("arguments");
        if u64::try_from(bytes.len()).unwrap_or(u64::MAX) > MOST_BYTES {
            let what = format!("{name} has more than {MOST_BYTES} bytes");
            return Err(input(what).hint("an argument is a few paragraphs: shorten it"));
        }
        let text = std::str::from_utf8(bytes)
            .map_err(|error| input(format!("{name} is not UTF-8")).because(error))?;
        let mut entries = Vec::new();
        let mut course = DebatePosition::new(side, rounds);
        for (index, text) in text.lines().enumerate() {
            let line = index + 1;
            if text.trim().is_empty() {
                continue;
            }
            let entry = entry(line, text).map_err(|why| {
                input(format!("{name}:{line}: {why}")).hint(
                    "each line is one JSON object: an argument with its `type`, or {\"stances\": [...], \"missing\": []}",
                )
            })?;
            let may = course.may();
            if !course.take(entry.word) {
                let word = entry.word.name();
                let why = if may.is_empty() {
                    format!("`{word}` is not needed any more: there is no round left for it")
                } else {
                    format!("`{word}` cannot come here: next is {}", named(&may))
                };
                return Err(input(format!("{name}:{line}: {why}")));
            }
            entries.push(entry);
            if entries.len() > MOST_LINES {
                return Err(input(format!("{name} has more than {MOST_LINES} lines")));
            }
        }
        if entries.is_empty() {
            return Err(input(format!("{name} contains no argument")));
        }
        Ok(Self { name, entries, next: 0 })
    }

    /// Skips the lines that a session has used already, given its replies in order.
    pub(super) fn skip(
        &mut self,
        answered: &[(String, Vec<u8>)],
        redactor: &Redactor,
    ) -> Result<(), Error> {
        for (turn, recorded) in answered {
            if owed(turn).is_empty() {
                // It was answered at the terminal.
                continue;
            }
            let Some(entry) = self.entries.get(self.next) else {
                let what = format!(
                    "{} has {} lines, but {turn} was already answered",
                    self.name,
                    self.entries.len()
                );
                return Err(Error::new(Kind::Input, what).named("arguments").hint(
                    "the file must begin with everything said so far; add new lines at its end",
                ));
            };
            if redactor.bytes(entry.reply.as_bytes()) != *recorded {
                let what =
                    format!("{}:{}: this is not what was said in {turn}", self.name, entry.line);
                return Err(Error::new(Kind::Input, what)
                    .named("arguments")
                    .hint("answers cannot be changed afterwards: restore that line"));
            }
            self.next += 1;
        }
        Ok(())
    }

    pub(super) fn answer(&mut self, turn: &str, wanted: &[Word]) -> PersonReply {
        let Some(entry) = self.entries.get(self.next) else {
            return PersonReply::Nothing(format!(
                "{} has no line left for {turn}, which needs {}: add it and resume the session",
                self.name,
                named(wanted)
            ));
        };
        if wanted.contains(&entry.word) {
            self.next += 1;
            return PersonReply::Reply(entry.reply.clone());
        }
        PersonReply::Refused(format!(
            "{}:{}: `{}` is not due: {turn} wants {}",
            self.name,
            entry.line,
            entry.word.name(),
            named(wanted)
        ))
    }

    /// Returns a refusal: the line just used cannot be repaired.
    pub(super) fn refuse(&self) -> PersonReply {
        let line = self.next.checked_sub(1).and_then(|at| self.entries.get(at));
        let line = line.map_or(0, |entry| entry.line);
        PersonReply::Refused(format!(
            "{}:{line}: the line was refused: fix it and resume the session",
            self.name
        ))
    }

    /// Returns the number of unused lines.
    pub(super) fn left(&self) -> usize {
        self.entries.len() - self.next
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }
}

fn entry(line: usize, text: &str) -> Result<Entry, String> {
    let value = json::parse(text)
        .map_err(|error| format!("not valid JSON: {} at column {}", error.message, error.column))?;
    let Value::Object(object) = value else {
        return Err("not a JSON object".to_owned());
    };
    let (word, reply) = parse_line(object)?;
    Ok(Entry { line, word, reply })
}

fn parse_line(object: Map<String, Value>) -> Result<(Word, String), String> {
    let kinds: Vec<&str> =
        (["type", "stances"].into_iter()).filter(|key| object.contains_key(*key)).collect();
    match kinds.as_slice() {
        ["type"] => {
            let name = object["type"].as_str().unwrap_or_default();
            let kind = ArgumentType::of(name).ok_or_else(|| {
                let all: Vec<&str> = ArgumentType::ALL.iter().map(|kind| kind.name()).collect();
                format!("`type` must be one of {}", all.join(", "))
            })?;
            check_argument(kind, &object)?;
            let reply = block(ARGUMENT.name(), &Value::Object(object).to_string());
            Ok((Word::Argument(kind), reply))
        }
        ["stances"] => {
            check_stances(&object["stances"])?;
            let reply = block(STANCES.name(), &Value::Object(object).to_string());
            Ok((Word::Stances, reply))
        }
        [] => Err("it has neither `type` nor `stances`".to_owned()),
        several => Err(format!("it is several things at once: {}", several.join(", "))),
    }
}

/// Checks the requirements common to all arguments; the debate's own reader checks the rest.
fn check_argument(kind: ArgumentType, object: &Map<String, Value>) -> Result<(), String> {
    let Some(content) = object.get("content").and_then(Value::as_object) else {
        return Err("`content` must be a JSON object that says what is argued".to_owned());
    };
    if content.is_empty() {
        return Err("`content` is empty".to_owned());
    }
    let stated = (object.get("confidence_score")).filter(|stated| !stated.is_null());
    let share = |stated: &Value| stated.as_f64().is_some_and(|share| (0.0..=1.0).contains(&share));
    if !stated.is_none_or(share) {
        return Err("`confidence_score` must be a number from 0 to 1, or be left out".to_owned());
    }
    if kind == ArgumentType::Resolution && content::claims(content).is_empty() {
        return Err("a resolution needs `content.points`, each with a `claim`".to_owned());
    }
    Ok(())
}

fn check_stances(stances: &Value) -> Result<(), String> {
    let Some(stances) = stances.as_array() else {
        return Err("`stances` must be a list".to_owned());
    };
    let whole = |stance: &Value| {
        let word = stance["stance"].as_str().unwrap_or_default();
        stance["point"].is_string() && Stance::of(word).is_some()
    };
    if stances.is_empty() || !stances.iter().all(whole) {
        return Err(
            "each stance needs a `point`, `agree`, `partly` or `disagree` as its `stance`, and a `reason`"
                .to_owned(),
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    //! Files of arguments: what is refused before any agent is paid, and what a resume accepts.

    use super::*;

    const PROPOSAL: &str =
        r#"{"type": "proposal", "content": {"text": "Do it."}, "confidence_score": 0.8}"#;
    const DEFENSE: &str =
        r#"{"type": "defense", "content": {"text": "Still."}, "confidence_score": 0.8}"#;
    const STANCES: &str =
        r#"{"stances": [{"point": "P1", "stance": "agree", "reason": "Yes."}], "missing": []}"#;

    fn lines(all: &[&str]) -> Lines {
        Lines::read("words.jsonl", all.join("\n").as_bytes(), Side::Primary, 2).unwrap()
    }

    fn refused(bytes: &[u8]) -> String {
        let error = Lines::read("words.jsonl", bytes, Side::Primary, 2).unwrap_err();
        assert_eq!(error.status().code(), 2);
        error.to_string()
    }

    fn reply(said: PersonReply) -> String {
        match said {
            PersonReply::Reply(text) => text,
            PersonReply::Nothing(why) | PersonReply::Refused(why) => panic!("{why}"),
        }
    }

    fn a(kind: ArgumentType) -> Vec<Word> {
        vec![Word::Argument(kind)]
    }

    #[test]
    fn what_can_be_known_is_refused_with_its_line_before_anybody_is_paid() {
        let long = format!("{PROPOSAL}\n{}", " ".repeat(4 << 20));
        let second = |line: &str| format!("{PROPOSAL}\n\n{line}\n").into_bytes();
        for (bytes, why) in [
            (b"".to_vec(), "words.jsonl contains no argument"),
            (b"\n \n".to_vec(), "words.jsonl contains no argument"),
            (b"\xff".to_vec(), "words.jsonl is not UTF-8"),
            (long.into_bytes(), "words.jsonl has more than 4194304 bytes"),
            (second("[1]"), "words.jsonl:3: not a JSON object"),
            (second("{"), "words.jsonl:3: not valid JSON"),
            (second(r#"{"stances": [], "stances": []}"#), "words.jsonl:3: not valid JSON"),
            (second("{}"), "words.jsonl:3: it has neither `type` nor `stances`"),
            (
                second(r#"{"type": "defense", "stances": []}"#),
                "words.jsonl:3: it is several things at once: type, stances",
            ),
            (
                second(r#"{"type": "defence", "content": {}}"#),
                "words.jsonl:3: `type` must be one of proposal",
            ),
            (
                second(r#"{"type": 5, "content": {}}"#),
                "words.jsonl:3: `type` must be one of proposal",
            ),
            (second(r#"{"type": "defense"}"#), "words.jsonl:3: `content` must be a JSON object"),
            (
                second(r#"{"type": "defense", "content": {}, "confidence_score": 0.5}"#),
                "words.jsonl:3: `content` is empty",
            ),
            (
                second(
                    r#"{"type": "defense", "content": {"text": "x"}, "confidence_score": "high"}"#,
                ),
                "words.jsonl:3: `confidence_score` must be a number from 0 to 1",
            ),
            (
                second(r#"{"type": "defense", "content": {"text": "x"}, "confidence_score": 80}"#),
                "words.jsonl:3: `confidence_score` must be",
            ),
            (
                second(
                    r#"{"type": "resolution", "content": {"text": "x"}, "confidence_score": 0.5}"#,
                ),
                "words.jsonl:3: a resolution needs `content.points`",
            ),
            (second(r#"{"stances": {}}"#), "words.jsonl:3: `stances` must be a list"),
            (
                second(r#"{"stances": [{"point": "P1", "stance": "maybe", "reason": "x"}]}"#),
                "words.jsonl:3: each stance needs a `point`",
            ),
            (second(PROPOSAL), "words.jsonl:3: `proposal` cannot come here: next is `defense`"),
            (second(STANCES), "words.jsonl:3: `stances` cannot come here: next is `defense`"),
        ] {
            let said = refused(&bytes);
            assert!(said.starts_with(why), "{said}\nexpected {why}");
        }
        let rounds = [PROPOSAL, DEFENSE, STANCES].join("\n");
        let said = refused(format!("{rounds}\n{rounds}\n{PROPOSAL}").as_bytes());
        assert_eq!(
            said,
            "words.jsonl:7: `proposal` is not needed any more: there is no round left for it"
        );
    }

    #[test]
    fn each_turn_takes_the_next_line_and_the_end_says_how_to_go_on() {
        let mut lines = lines(&[PROPOSAL, DEFENSE]);
        let said = reply(lines.answer("r1/proposal", &a(ArgumentType::Proposal)));
        assert!(said.starts_with("<<<ARGUMENT_START>>>\n{\"type\":\"proposal\""), "{said}");
        assert_eq!(lines.left(), 1);
        let wrong = lines.answer("r1/resolution", &a(ArgumentType::Resolution));
        assert_eq!(
            wrong,
            PersonReply::Refused(
                "words.jsonl:2: `defense` is not due: r1/resolution wants `resolution`".to_owned()
            )
        );
        assert_eq!(lines.left(), 1, "it was not taken");
        reply(lines.answer("r1/defense", &a(ArgumentType::Defense)));
        let end = lines.answer("r1/stances", &[Word::Stances]);
        assert_eq!(
        end,
        PersonReply::Nothing(
            "words.jsonl has no line left for r1/stances, which needs `stances`: add it and resume the session".to_owned()
        )
    );
        let PersonReply::Refused(why) = lines.refuse() else { panic!() };
        assert!(why.starts_with("words.jsonl:2: "), "{why}");
    }

    #[test]
    fn a_resume_begins_behind_what_was_said_and_notices_what_was_changed() {
        let redactor = Redactor::new(&["hunter2-hunter2".to_owned()]);
        let secret =
            r#"{"type": "defense", "content": {"text": "hunter2-hunter2"}, "confidence_score": 1}"#;
        let all = [PROPOSAL, secret, STANCES, PROPOSAL];
        let said = |line: &str| redactor.bytes(entry(1, line).unwrap().reply.as_bytes());
        let answered = vec![
            ("r1/proposal".to_owned(), said(PROPOSAL)),
            ("r1/defense".to_owned(), said(secret)),
            ("r1/stances".to_owned(), said(STANCES)),
            ("r0/facts".to_owned(), b"asked at the terminal".to_vec()),
        ];
        let mut longer = lines(&all);
        longer.skip(&answered, &redactor).unwrap();
        assert_eq!(longer.left(), 1);
        let shorter = lines(&all[..2]).skip(&answered, &redactor).unwrap_err();
        assert!(shorter.to_string().contains("2 lines"), "{shorter}");
        let other = r#"{"type": "defense", "content": {"text": "No."}, "confidence_score": 1}"#;
        let changed = lines(&[PROPOSAL, other, STANCES]).skip(&answered, &redactor);
        assert_eq!(
            changed.unwrap_err().to_string(),
            "words.jsonl:2: this is not what was said in r1/defense"
        );
    }
}
