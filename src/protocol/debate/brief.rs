//! What is debated, and what makes that impossible.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::protocol::debate::Mode;

/// Bytes of a topic.
pub const TOPIC_BYTES: usize = 4_000;
/// Bytes of a description.
pub const DESCRIPTION_BYTES: usize = 64 << 10;
/// Context files at most.
pub const MAX_FILES: usize = 20;
/// Bytes of all context files together; what is beyond is cut, and said.
pub const CONTEXT_BYTES: usize = 400_000;
/// Options to choose from, and likewise metadata entries.
pub const MAX_OPTIONS: usize = 20;

/// What is debated. Everything in it is data to the agents, defused and fenced in prompts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Brief {
    /// The question.
    pub topic: String,
    /// More about it; may be empty.
    #[serde(default)]
    pub description: String,
    /// The tone.
    pub mode: Mode,
    /// What there is to choose from (`--options`); may be empty.
    #[serde(default)]
    pub options: Vec<String>,
    /// The language that agents write in; `None`: that of the topic.
    #[serde(default)]
    pub language: Option<String>,
    /// Files that both sides are shown.
    #[serde(default)]
    pub context: Vec<ContextFile>,
    /// Carried into the result, not shown to agents.
    #[serde(default)]
    pub metadata: BTreeMap<String, Value>,
}

/// A file that the agents are shown, as it stood when the session was opened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContextFile {
    /// Its name, as the person gave it.
    pub name: String,
    /// Its text, redacted; the first part of it if `cut`.
    pub text: String,
    /// Whether the end is missing.
    #[serde(default)]
    pub cut: bool,
}

/// Why there can be no debate on a brief.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BriefError {
    /// Nothing is asked.
    #[error("the topic is empty: say what is to be settled")]
    NoTopic,
    /// A text is too long for a prompt.
    #[error(
        "the {what} has {bytes} bytes and may have {most}: put the details into a file and give it with `--file`"
    )]
    TooLong {
        /// `topic`, `description`.
        what: &'static str,
        /// How long it is.
        bytes: usize,
        /// How long it may be.
        most: usize,
    },
    /// Too many of something.
    #[error("{count} {what} are given, {most} are possible")]
    TooMany {
        /// `options`, `context files`, `metadata entries`.
        what: &'static str,
        /// How many there are.
        count: usize,
        /// How many there may be.
        most: usize,
    },
}

impl Brief {
    /// Checks a brief before anything is asked.
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
}

#[cfg(test)]
mod tests {
    use super::*;

    fn brief(topic: &str) -> Brief {
        Brief {
            topic: topic.to_owned(),
            description: String::new(),
            mode: Mode::Adversarial,
            options: Vec::new(),
            language: None,
            context: Vec::new(),
            metadata: BTreeMap::new(),
        }
    }

    #[test]
    fn what_cannot_be_debated_is_refused_with_the_reason() {
        assert_eq!(brief("REST or gRPC?").check(), Ok(()));
        assert_eq!(brief(" \n").check(), Err(BriefError::NoTopic));
        let long = brief(&"x".repeat(TOPIC_BYTES + 1)).check().unwrap_err();
        assert_eq!(
            long.to_string(),
            "the topic has 4001 bytes and may have 4000: put the details into a file and give it with `--file`"
        );
        let mut many = brief("x");
        many.options = vec!["a".to_owned(); MAX_OPTIONS + 1];
        assert_eq!(many.check().unwrap_err().to_string(), "21 options are given, 20 are possible");
    }
}
