//! The question under debate, its context, and the limits on both.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::protocol::context::{ContextFile, MAX_FILES};
use crate::protocol::debate::Mode;
use crate::protocol::debate::ballot::OPTION_CHARS;
use crate::protocol::facts::Facts;
use crate::protocol::prompt::shown_files;
use crate::text::{Note, sanitize};

/// Maximum length of a topic, in bytes.
pub const TOPIC_BYTES: usize = 4_000;
/// Maximum length of a description, in bytes.
pub const DESCRIPTION_BYTES: usize = 64 << 10;
/// Maximum length of the name of a language in prompts, in characters.
const LANGUAGE_CHARS: usize = 40;
/// Maximum number of options, and likewise of metadata entries.
pub const MAX_OPTIONS: usize = 20;

/// The question under debate and its context. All of it is data to the agents, defused and fenced in prompts.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Brief {
    /// The question to settle.
    pub topic: String,
    /// Background to the question; may be empty.
    #[serde(default)]
    pub description: String,
    /// The tone of the debate.
    pub mode: Mode,
    /// The options to choose from (`--options`); may be empty.
    #[serde(default)]
    pub options: Vec<String>,
    /// The language that agents write in; `None` for that of the topic.
    #[serde(default)]
    pub language: Option<String>,
    /// The date on which the session was opened; `None` in sessions that did not tell their agents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub today: Option<NaiveDate>,
    /// What the person who asked says about the matter, and what is assumed (`--facts`).
    #[serde(default, skip_serializing_if = "Facts::is_empty")]
    pub facts: Facts,
    /// Files shown to all agents.
    #[serde(default)]
    pub context: Vec<ContextFile>,
    /// Typed arguments: the project's files and their numbers of lines when the session was opened, against which
    /// evidence is checked; a context file is known with its text.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub sources: BTreeMap<String, u32>,
    /// Data copied into the result and not shown to agents.
    #[serde(default)]
    pub metadata: BTreeMap<String, Value>,
}

/// Reasons for which a brief cannot be debated.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BriefError {
    #[error("the topic is empty: say what should be settled")]
    NoTopic,
    #[error(
        "the {what} has {bytes} bytes, over the limit of {most}: put the details into a file and pass it with `--file`"
    )]
    TooLong {
        /// The field: `topic` or `description`.
        what: &'static str,
        bytes: usize,
        most: usize,
    },
    #[error("{count} {what} are given; at most {most} are allowed")]
    TooMany {
        /// The kind: `options`, `context files` or `metadata entries`.
        what: &'static str,
        count: usize,
        most: usize,
    },
}

impl Brief {
    /// Validates a brief before the first turn.
    pub fn check(&self) -> Result<(), BriefError> {
        if self.topic.trim().is_empty() {
            return Err(BriefError::NoTopic);
        }
        for (what, text, most) in [
            ("topic", &self.topic, TOPIC_BYTES),
            ("description", &self.description, DESCRIPTION_BYTES),
        ] {
            if text.len() > most {
                let bytes = text.len();
                return Err(BriefError::TooLong { what, bytes, most });
            }
        }
        for (what, count, most) in [
            ("options", self.options.len(), MAX_OPTIONS),
            ("metadata entries", self.metadata.len(), MAX_OPTIONS),
            ("context files", self.context.len(), MAX_FILES),
        ] {
            if count > most {
                return Err(BriefError::TooMany { what, count, most });
            }
        }
        Ok(())
    }

    /// Returns what the template `session/brief` shows, with notes on files that are cut.
    pub(crate) fn shown(&self) -> (Value, Vec<Note>) {
        let (files, notes) = shown_files(&self.context);
        let options = self.options.iter().map(|option| sanitize::line(option, OPTION_CHARS));
        let language = self.language.as_ref().map(|name| sanitize::line(name, LANGUAGE_CHARS));
        let shown = json!({
            "topic": self.topic, "description": self.description.trim_end(), "language": language,
            "options": options.collect::<Vec<_>>(), "today": self.today, "facts": self.facts.shown(), "files": files,
        });
        (shown, notes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::context::CONTEXT_BYTES;

    fn brief(topic: &str) -> Brief {
        Brief { topic: topic.to_owned(), ..Brief::default() }
    }

    #[test]
    fn what_cannot_be_debated_is_refused_with_the_reason() {
        assert_eq!(brief("REST or gRPC?").check(), Ok(()));
        assert_eq!(brief(" \n").check(), Err(BriefError::NoTopic));
        let long = brief(&"x".repeat(TOPIC_BYTES + 1)).check().unwrap_err();
        assert_eq!(
            long.to_string(),
            "the topic has 4001 bytes, over the limit of 4000: put the details into a file and pass it with `--file`"
        );
        let mut many = brief("x");
        many.options = vec!["a".to_owned(); MAX_OPTIONS + 1];
        assert_eq!(
            many.check().unwrap_err().to_string(),
            "21 options are given; at most 20 are allowed"
        );
    }

    #[test]
    fn files_are_bounded_and_a_cut_is_said() {
        let file = |(name, bytes, cut): (&str, usize, bool)| ContextFile {
            name: name.to_owned(),
            text: "é".repeat(bytes / 2),
            cut,
        };
        let files =
            [("a", 300_000, false), ("b", 300_001, false), ("c", 10, false), ("d", 0, true)];
        let many = Brief { context: files.map(file).into(), ..brief("REST or gRPC?") };
        let (shown, notes) = many.shown();
        assert!(shown.to_string().len() < CONTEXT_BYTES + 1_000);
        let cut: Vec<&str> = notes.iter().map(|note| &*note.code).collect();
        assert_eq!(cut, ["context_cut"; 3]);
        assert_eq!(shown.to_string().matches("\\n[cut here]").count(), 3);
    }
}
