//! The log of decisions: its file, which is also printed by `decisions list`, its Markdown, its form for people.
//!
//! The JSON file is authoritative and strict, since unknown content would be lost when the file is written again; the
//! Markdown is generated from it. Texts in it come from agents and from people, so they pass `sanitize` on their way
//! out like all others.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::page::template::Data;
use super::page::{Page, ToPage};
use super::words;
use crate::kernel::share::Share;
use crate::ordered::{BTreeMap, Gather};
use crate::protocol::debate::Verdict;
use crate::words;

/// Version of the file that is read and written.
pub const VERSION: u32 = 1;

/// The log: `.debate/decisions.json`, and the result of `decisions list`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DecisionLog {
    /// Of the file's form: 1.
    pub schema_version: u32,
    /// Oldest first.
    pub decisions: Vec<Entry>,
}

impl Default for DecisionLog {
    fn default() -> Self {
        Self { schema_version: VERSION, decisions: Vec::new() }
    }
}

/// A decision that was logged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// `D1`, `D2`, ... in the order of logging; never given twice.
    pub id: String,
    /// The question, or a manual decision's title.
    pub title: String,
    /// When it was decided.
    pub date: DateTime<Utc>,
    /// How far the agents agreed; `null` where nothing was measured, as in a manual decision.
    pub consensus: Option<Share>,
    /// How much depends on it.
    pub priority: Priority,
    /// To find it by.
    #[serde(default)]
    pub tags: Vec<String>,
    /// What was decided.
    pub decision: String,
    /// Why; may be empty in a manual decision.
    #[serde(default)]
    pub why: String,
    /// What else there was.
    #[serde(default)]
    pub alternatives: Vec<String>,
    /// Where the participants stood, shortened.
    #[serde(default)]
    pub positions: Vec<ParticipantPosition>,
    /// What stayed open.
    #[serde(default)]
    pub open_points: Vec<String>,
    /// Who did not agree to what.
    #[serde(default)]
    pub dissent: Vec<String>,
    /// The outcome of the debate; missing in a manual decision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// The debate's session; missing in a manual decision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// The hash of the session's last record then: `sessions verify --head` compares it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub journal_head: Option<String>,
    /// Who logged it.
    pub source: Source,
}

/// A participant's position.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ParticipantPosition {
    /// The agent; with its seat where it held several.
    pub agent: String,
    /// Its position in short.
    pub position: String,
}

words! {
    /// How much depends on a decision.
    #[derive(Hash)]
    pub enum Priority {
        /// Little.
        Low = "low",
        /// Something.
        Medium = "medium",
        /// Much.
        High = "high",
    }
}

words! {
    /// Who logged a decision.
    #[derive(Hash)]
    pub enum Source {
        /// The program: the agents agreed.
        Automatic = "automatic",
        /// A person, about a debate.
        Confirmed = "confirmed",
        /// A person, without a debate.
        Manual = "manual",
    }
}

/// Returns the origin of a decision in words.
pub(super) fn sources() -> BTreeMap<&'static str, &'static str> {
    let words = |source: &Source| match source {
        Source::Automatic => "automatic, by the agents' agreement",
        Source::Confirmed => "confirmed by a person",
        Source::Manual => "written by a person, without a debate",
    };
    Source::ALL.iter().map(|source| (source.name(), words(source))).gather()
}

impl ToPage for DecisionLog {
    /// Returns the log as a page: a row per decision on a screen, each in full in a report.
    fn page(&self) -> Page {
        let data = Data::of(self).with("sources", sources());
        let mut page = Page::new("Decisions", data.sentence("decisions/headline"));
        page.blocks().append(data.fill("decisions/page"));
        page
    }
}

impl DecisionLog {
    /// Returns the log reduced to the decisions with one tag, ignoring case.
    #[must_use]
    pub fn tagged(mut self, tag: &str) -> Self {
        let wanted = tag.trim().to_lowercase();
        self.decisions.retain(|entry| entry.tags.iter().any(|tag| tag.to_lowercase() == wanted));
        self
    }
}

/// The result of `decisions add`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DecisionDocument {
    /// The entry in the log.
    pub decision: Entry,
    /// It was already there, and was left unchanged.
    pub already: bool,
    /// The log's file.
    pub path: String,
    /// The debate's report, where it does not say yet that this was logged, and why not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report_not_written: Option<String>,
    /// The version of this document.
    pub schema_version: u32,
}

impl DecisionDocument {
    /// Returns the result for people, with a newline at the end.
    pub fn render(&self) -> String {
        let of = &self.decision;
        let (id, title) = (words::name(&of.id), words::sentence(&of.title));
        let path = words::sentence(&self.path);
        if self.already {
            let date = of.date.format("%Y-%m-%d");
            return format!(
                "This debate was already logged as {id} on {date}: {title}\nNothing was changed in {path}.\n"
            );
        }
        let mut text = format!("Logged {id} in {path}: {title}\n");
        if let Some(why) = &self.report_not_written {
            text.push_str(&words::sentence(why));
            text.push('\n');
        }
        text
    }
}

#[cfg(test)]
mod tests;
