//! The log of decisions: its file, which is also printed by `decisions list`, its Markdown, its form for people.
//!
//! The JSON file is authoritative and strict, since unknown content would be lost when the file is written again; the
//! Markdown is generated from it. Texts in it come from agents and from people, so they pass `sanitize` on their way
//! out like all others.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::page::{Blocks, Page, Table, Text, agent_text, code, count, date, name, names, text};
use super::words;
use crate::kernel::share::Share;
use crate::protocol::debate::Verdict;
use crate::report::page::ToPage;
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

impl Source {
    /// Returns the origin of a decision in words.
    pub(super) const fn words(self) -> &'static str {
        match self {
            Self::Automatic => "automatic, by the agents' agreement",
            Self::Confirmed => "confirmed by a person",
            Self::Manual => "written by a person, without a debate",
        }
    }
}

impl ToPage for DecisionLog {
    /// Returns the log as a page: a row per decision on a screen, each in full in a report.
    fn page(&self) -> Page {
        let headline = match self.decisions.len() {
            0 => text!["No decisions are logged here."],
            logged => text![count(logged, "decision"), "."],
        };
        let mut page = Page::new("Decisions", headline);
        let blocks = page.blocks();
        if self.decisions.is_empty() {
            blocks
                .para(text![
                    code("debate-agent debate"),
                    " logs what agents agree on; ",
                    code("debate-agent decisions add"),
                    " adds others.",
                ])
                .screen_only();
        }
        blocks.para("Written by debate-agent from decisions.json, which is authoritative: changes made here are lost.").record_only();
        let rows = self.decisions.iter().map(|entry| {
            let consensus = match (entry.consensus, entry.source) {
                (Some(share), _) => share.into(),
                (None, Source::Manual) => "manual".into(),
                (None, Source::Automatic | Source::Confirmed) => "-".into(),
            };
            let priority = entry.priority.name().into();
            vec![name(&entry.id), date(entry.date), consensus, priority, entry.in_short()]
        });
        let headers = ["Id", "Date", "Consensus", "Priority", "Decision"];
        blocks.table(Table::new(headers, rows).unbroken(&[0, 1, 2, 3])).screen_only();
        for entry in &self.decisions {
            let heading = text![name(&entry.id), " ", agent_text(&entry.title)];
            blocks.section(heading, |below| entry.draw(below)).record_only();
        }
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

impl Entry {
    fn in_short(&self) -> Text {
        let title = self.title.trim_end();
        let colon = (!title.ends_with(['?', '.', '!', ':'])).then_some(":");
        text![agent_text(title), colon, " ", agent_text(&self.decision)]
    }

    fn draw(&self, blocks: &mut Blocks) {
        let consensus = self.consensus.map_or_else(|| "not measured".into(), Text::from);
        let tags = (!self.tags.is_empty()).then(|| names(&self.tags));
        let facts = [
            ("Date", Some(date(self.date))),
            ("Consensus", Some(consensus)),
            ("Verdict", self.verdict.map(|verdict| verdict.name().into())),
            ("Priority", Some(self.priority.name().into())),
            ("Tags", tags),
            ("Logged", Some(self.source.words().into())),
            ("Session", self.session_id.as_deref().map(name)),
        ];
        blocks.facts(facts.into_iter().map(|(label, value)| (label, value.into_iter().collect())));
        blocks.section("What was decided", |below| {
            below.quote(&self.decision);
        });
        blocks.section("Why", |below| {
            below.quote(&self.why);
        });
        let all =
            |texts: &[String]| texts.iter().map(|text| agent_text(text)).collect::<Vec<Text>>();
        blocks.section("Alternatives", |below| {
            below.list_or(all(&self.alternatives), "None was named.");
        });
        if self.source == Source::Manual {
            return;
        }
        let positions = self.positions.iter();
        let positions =
            positions.map(|stood| text![name(&stood.agent), ": ", agent_text(&stood.position)]);
        blocks.section("Participants", |below| {
            below.list_or(positions, "Nobody gave a position.");
        });
        blocks.section("Open points", |below| {
            below.list_or(all(&self.open_points), "None was recorded.");
        });
        blocks.section("Dissent", |below| {
            below.list_or(all(&self.dissent), "None was recorded.");
        });
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
