//! Results in compact form for a client's model, before anything is left out for size: the ending, then the result
//! point by point.
//!
//! Every text from an agent, a file or a configuration is one sanitized line of bounded length.

use schemars::JsonSchema;
use serde::Serialize;

use crate::protocol::council::RejectedKeepVotes;
use crate::protocol::facts::Fact;
use crate::text::sanitize;

/// Maximum characters of a text.
const TEXT: usize = 500;

/// The parts of a compact result that differ between kinds of documents.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Compact {
    /// Whether the session can be resumed.
    #[serde(rename = "resumable")]
    pub suspended: bool,
    /// Whether no agent was asked because there was nothing to do; then there is no session either.
    #[serde(skip)]
    pub nothing: bool,
    /// The panel's confidence, 0 to 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub severity: Option<&'static str>,
    /// The recommended next action, in one word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recommendation: Option<&'static str>,
    /// A message to a coordinator; each of its lines is sanitized.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The agent whose work is the base of the result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub winner: Option<String>,
    /// Number of parts of the change that no agent was shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_reviewed: Option<usize>,
    /// Sentences for the summary.
    #[serde(skip)]
    pub essentials: Vec<String>,
    /// The points, the most important first.
    pub items: Vec<Item>,
}

/// One point of a result.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Item {
    pub id: String,
    pub kind: &'static str,
    pub title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub severity: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "serde_json::Map<String, serde_json::Value>")]
    pub keep_rejected: Option<RejectedKeepVotes>,
}

impl Item {
    /// Creates a point without details.
    pub fn new(id: &str, kind: &'static str, title: &str) -> Self {
        Self { id: line(id), kind, title: line(title), ..Self::default() }
    }

    /// Sets these texts, each a sentence, as the detail. Empty ones are left out.
    #[must_use]
    pub fn detailed(mut self, texts: &[&str]) -> Self {
        let texts: Vec<&str> =
            (texts.iter().map(|text| text.trim())).filter(|text| !text.is_empty()).collect();
        let mut detail = String::new();
        for text in texts {
            if !detail.is_empty() {
                let ended = detail.ends_with(['.', '!', '?', ':', ';', '…']);
                detail.push_str(if ended { " " } else { ". " });
            }
            detail.push_str(text);
        }
        self.detail = Some(line(&detail)).filter(|text| !text.is_empty());
        self
    }
}

/// One sanitized line of at most `TEXT` characters.
pub(crate) fn line(text: &str) -> String {
    sanitize::line(text, TEXT)
}

/// `Pro: text`, or nothing for an empty text.
pub(super) fn labelled(label: &str, text: &str) -> String {
    let text = line(text);
    if text.is_empty() {
        return String::new();
    }
    format!("{label}: {text}")
}

/// Returns what was assumed as a sentence; nothing if nothing was.
pub(super) fn assumed(assumptions: &[Fact]) -> Option<String> {
    let texts: Vec<&str> = assumptions.iter().map(|fact| &*fact.text).collect();
    (!texts.is_empty()).then(|| labelled("Assumed, since nobody said it", &texts.join("; ")))
}

/// Returns files as a sentence; nothing if there are none.
pub(super) fn files(files: &[String]) -> String {
    labelled("Files", &files.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_texts_of_a_detail_stand_apart_as_sentences() {
        let detail = |texts: &[&str]| Item::new("S1", "step", "Read").detailed(texts).detail;
        assert_eq!(
            detail(&["Read it. ", "After: schema", "", "Done when: green"]).as_deref(),
            Some("Read it. After: schema. Done when: green")
        );
        assert_eq!(detail(&["", " "]), None);
    }
}
