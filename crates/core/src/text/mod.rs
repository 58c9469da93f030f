//! Text from agents and for agents, as pure functions.
//!
//! What comes in: [`block::extract`] finds the marker blocks of a reply and
//! judges them by the decision table (accept, normalise with a note, or a
//! problem that earns a re-ask), and [`block::quotation`] takes out before what a reply only quotes of its prompt;
//! [`markers`] finds the marker lines; [`json`] parses strictly; [`ids`] maps what an agent wrote onto the ids that exist. What goes out: [`fence`] wraps untrusted
//! text so that it cannot pose as instructions or markers; [`sanitize`] makes
//! any text safe for a terminal or a Markdown report; [`redact`] takes secrets
//! out of a byte stream before anything is written, of which [`armour`] says what a private key is; [`name`] spells names that
//! are no UTF-8; [`written`] reads words and numbers in other forms; [`mark`] takes byte order marks away. Beside them, [`generated`] tells files that a program wrote, [`similarity`] says how alike two texts are by
//! their words, and [`embedding`] by their meaning. [`word`] declares closed lists of words.

pub mod armour;
pub mod block;
pub mod embedding;
pub mod fence;
pub mod generated;
pub mod ids;
pub mod json;
pub mod mark;
pub mod markers;
pub mod name;
pub mod redact;
pub mod sanitize;
pub mod similarity;
pub mod word;
pub mod written;

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `1 round`, `2 rounds`.
pub fn counted<N: Copy + fmt::Display + PartialEq + From<u8>>(count: N, noun: &str) -> String {
    let plural = if count == N::from(1) { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

/// Returns a text in lower case, with every run of white space as one space, to compare it with another.
pub fn folded(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").to_lowercase()
}

/// Something that was normalised, and is worth knowing (action N of the decision table).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Note {
    /// A stable name: `unknown_id`, `no_markers`, `echo`, ...
    pub code: String,
    /// One sentence for people.
    pub message: String,
}

impl Note {
    pub fn new(code: &str, message: impl Into<String>) -> Self {
        Self { code: code.to_owned(), message: message.into() }
    }
}

/// Something that makes a reply unusable as it is (action R of the decision table).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// A stable name: `missing_block`, `unclosed`, `conflicting_blocks`, `bad_json`, ...
    pub code: String,
    /// The block it concerns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block: Option<String>,
    /// One sentence that tells a model how to mend it.
    pub message: String,
    /// The faulty text, at most 64 KiB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub excerpt: Option<String>,
}

impl Problem {
    /// Creates a problem without an excerpt.
    pub fn new(code: &str, block: Option<&str>, message: impl Into<String>) -> Self {
        Self {
            code: code.to_owned(),
            block: block.map(str::to_owned),
            message: message.into(),
            excerpt: None,
        }
    }
}

impl Problem {
    /// The fault alone, for people: what follows the first `;` tells a model how to write it.
    pub fn fault(&self) -> &str {
        self.message.split_once("; ").map_or(&*self.message, |(fault, _)| fault)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.block {
            Some(block) => write!(f, "{block}: {}", self.fault()),
            None => f.write_str(self.fault()),
        }
    }
}
