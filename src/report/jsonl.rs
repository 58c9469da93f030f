//! Events for programs: one JSON object per line (`--events FILE|-`), with `v`, `seq`, `at`, `elapsed_ms` and `type`.

use std::io::{self, Write};

use schemars::JsonSchema;
use serde::Serialize;

use super::{Reporter, words};
use crate::engine::events::Event;

const VERSION: u32 = 1;

/// Writes events as JSON Lines, each flushed as it happens.
#[expect(missing_debug_implementations, reason = "a writer has no form")]
pub struct Jsonl {
    out: Box<dyn Write>,
}

impl Jsonl {
    /// Creates a reporter that writes to `out`.
    pub fn new(out: Box<dyn Write>) -> Self {
        Self { out }
    }
}

impl Reporter for Jsonl {
    fn event(&mut self, event: &Event) -> io::Result<()> {
        let json = serde_json::to_string(&Line { v: VERSION, event }).map_err(io::Error::other)?;
        let mut line = words::json_escaped(&json);
        line.push('\n');
        self.out.write_all(line.as_bytes())?;
        self.out.flush()
    }
}

/// One line of `--events`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Line<'a> {
    v: u32,
    #[serde(flatten)]
    event: &'a Event,
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::engine::events::EventKind;
    use crate::report::SinkLost;
    use crate::report::example::{self, Buffer};
    use crate::schemas::schema;

    fn lines(events: &[Event]) -> String {
        let buffer = Buffer::default();
        let mut reporter = Jsonl::new(Box::new(buffer.clone()));
        for event in events {
            reporter.event(event).unwrap();
        }
        buffer.text()
    }

    #[test]
    fn every_line_is_one_object_with_the_common_fields() {
        let text = lines(&example::eventful_debate());
        let schema = jsonschema::validator_for(&schema("events").unwrap()).unwrap();
        for (index, line) in text.lines().enumerate() {
            let value: Value = serde_json::from_str(line).unwrap();
            assert_eq!(value["v"], 1);
            assert_eq!(value["seq"], index + 1);
            assert!(value["at"].is_string() && value["elapsed_ms"].is_u64());
            assert!(value["type"].is_string());
            assert!(schema.is_valid(&value), "{line}");
        }
    }

    #[test]
    fn an_answers_escapes_and_newlines_do_not_leave_their_string() {
        let evil = "a\u{1b}[2J\u{9b}31m\u{202e}\u{e0041}\n{\"v\":1}";
        let text = lines(&[example::event(
            1,
            EventKind::TurnOutput { turn: evil.into(), bytes: 1, phase: Some(evil.into()) },
        )]);
        assert_eq!(text.lines().count(), 1);
        assert!(text.trim_end().chars().all(|character| (' '..='~').contains(&character)));
        let value: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["phase"], evil, "and nothing is lost");
    }

    #[test]
    fn a_closed_pipe_is_told_from_a_write_that_failed() {
        for (kind, closed) in
            [(io::ErrorKind::BrokenPipe, true), (io::ErrorKind::StorageFull, false)]
        {
            let mut reporter = Jsonl::new(Box::new(example::Refusing(kind)));
            let error = reporter.event(&example::eventful_debate()[0]).unwrap_err();
            assert_eq!(matches!(SinkLost::from(error), SinkLost::Closed), closed);
        }
    }
}
