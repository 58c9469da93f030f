//! `backlog show` and `backlog similar`: one item for people, and the items similar to it.

use std::fmt::Write as _;

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::backlog_list::{score, status};
use super::document::SCHEMA_VERSION;
use super::table::{Table, push_wrapped};
use super::words::{self, FAINT, HEAD, paint};
use super::{Look, short_id};
use crate::protocol::backlog::model::{Effort, Evidence, Opportunity, Reversibility};
use crate::text::sanitize;

const LABEL: usize = 13;

/// The result of `backlog similar`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SimilarDocument {
    /// The item that was asked about.
    pub opportunity_id: String,
    /// Its neighbours, the nearest first, whatever their status.
    pub similar: Vec<Similar>,
    /// Further neighbours, which are not listed.
    #[serde(default)]
    pub left_out: usize,
    /// The version of this document.
    pub schema_version: u32,
}

/// An item and how much it has in common with another one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Similar {
    /// The share of their keywords that both have, 0 to 1.
    pub similarity: f64,
    /// The item.
    pub opportunity: Opportunity,
}

impl SimilarDocument {
    pub fn new(opportunity_id: String, similar: Vec<Similar>, left_out: usize) -> Self {
        Self { opportunity_id, similar, left_out, schema_version: SCHEMA_VERSION }
    }

    /// Returns the similar items for people, with a newline at the end.
    pub fn render(&self, look: Look) -> String {
        if self.similar.is_empty() {
            return format!(
                "Nothing in the backlog is similar to {}.\n",
                words::name(&self.opportunity_id)
            );
        }
        let rows = self.similar.iter().map(|each| {
            vec![
                format!("{:.0}%", each.similarity * 100.0),
                each.opportunity.opportunity_id.clone(),
                each.opportunity.title.clone(),
                status(&each.opportunity).to_owned(),
            ]
        });
        let mut text = Table::new(&["Alike", "Id", "Opportunity", "Status"], rows)
            .unbroken(&[0, 1, 3])
            .render(look.width);
        if self.left_out > 0 {
            // Writing to a String cannot fail.
            writeln!(text, "... and {} less similar", self.left_out).ok();
        }
        text
    }
}

/// Returns one item for people, with a newline at the end.
pub fn render(item: &Opportunity, look: Look) -> String {
    let mut page = Page { text: String::new(), look };
    let title = sanitize::line(&item.title, 400);
    let mut wrapped = String::new();
    push_wrapped(&mut wrapped, &title, "", "", look.width);
    page.text.push_str(&paint(wrapped.trim_end(), HEAD, look.colour));
    page.text.push_str("\n\n");
    page.row("Id", &item.opportunity_id);
    page.row("Type", &item.opportunity_type.name().replace('_', " "));
    page.row("Status", &standing(item));
    if let Some(why) = item.rejected_why() {
        page.row("Rejected", why);
    }
    page.row("Score", &scored(item));
    if let Some(rank) = item.priority_rank {
        let of = (item.debate_session_id.as_deref())
            .map_or_else(String::new, |id| format!(", by debate {}", short_id(id)));
        let disposition =
            (item.disposition).map_or_else(String::new, |what| format!(": {}", what.name()));
        page.row("Rank", &format!("{rank}{disposition}{of}"));
    }
    let issue = [item.issue(), item.issue_url().map(str::to_owned)];
    page.row("Issue", &issue.into_iter().flatten().collect::<Vec<_>>().join(" "));
    let by = [Some(item.discovered_by.as_str()), item.rule()];
    let by: Vec<&str> = (by.into_iter().flatten()).filter(|by| !by.is_empty()).collect();
    if !by.is_empty() {
        page.row("Found by", &by.join(", rule "));
    }
    if let Some(symbol) = item.symbol() {
        page.row("About", symbol);
    }
    page.row("Times", &times(item));
    if !item.affected_files.is_empty() {
        page.row("Files", &item.affected_files.join(", "));
    }
    page.block("Description", &item.description);
    for evidence in &item.evidence {
        page.block(&format!("Evidence: {}", place(evidence)), &evidence.content);
    }
    page.block("Suggested fix", item.suggested_fix.as_deref().unwrap_or_default());
    page.text
}

struct Page {
    text: String,
    look: Look,
}

impl Page {
    /// Adds a label and its value, which may take several lines.
    fn row(&mut self, label: &str, value: &str) {
        let value = sanitize::line(value, 2_000);
        if value.is_empty() {
            return;
        }
        let indent = " ".repeat(LABEL);
        let mut wrapped = String::new();
        push_wrapped(&mut wrapped, &value, &indent, &indent, self.look.width);
        let padding = " ".repeat(LABEL.saturating_sub(label.len()));
        self.text.push_str(&paint(label, FAINT, self.look.colour));
        self.text.push_str(&padding);
        self.text.push_str(wrapped.get(LABEL..).unwrap_or_default());
    }

    /// Adds a heading with text of several lines below it; nothing if the text is empty.
    fn block(&mut self, heading: &str, value: &str) {
        let value = sanitize::terminal(value);
        if value.trim().is_empty() {
            return;
        }
        let heading = sanitize::line(heading, 200);
        self.text.push('\n');
        self.text.push_str(&paint(&heading, FAINT, self.look.colour));
        self.text.push('\n');
        for line in value.trim_end().lines() {
            let line = line.replace('\t', "    ");
            push_wrapped(&mut self.text, &line, "  ", "  ", self.look.width);
        }
    }
}

/// `accepted`, `actionable, resolved`.
fn standing(item: &Opportunity) -> String {
    let resolved = match item.resolved_at {
        Some(at) => format!(", resolved {}", minute(at)),
        None => String::new(),
    };
    format!("{}{resolved}", item.status.name())
}

/// `0.72 (clarity 0.80, evidence 0.75, small effort, fully reversible)`.
fn scored(item: &Opportunity) -> String {
    let Some(parts) = item.actionability else {
        return "nobody scored it".to_owned();
    };
    let reversible = match parts.reversibility {
        Reversibility::Full => "fully reversible",
        Reversibility::Partial => "partly reversible",
        Reversibility::None => "not reversible",
    };
    format!(
        "{} (clarity {:.2}, evidence {:.2}, {} effort, {reversible})",
        score(item),
        parts.clarity,
        parts.evidence,
        effort(parts.effort)
    )
}

pub(super) fn effort(effort: Effort) -> &'static str {
    match effort {
        Effort::Small => "small",
        Effort::Medium => "medium",
        Effort::Large => "large",
    }
}

fn times(item: &Opportunity) -> String {
    let seen =
        (item.last_seen_at).map_or_else(String::new, |at| format!(", last seen {}", minute(at)));
    format!("created {}, changed {}{seen} (UTC)", minute(item.created_at), minute(item.updated_at))
}

fn minute(at: DateTime<Utc>) -> String {
    at.format("%Y-%m-%d %H:%M").to_string()
}

/// `junit.xml, src/a.rs:12`.
fn place(evidence: &Evidence) -> String {
    let line = (evidence.line_number).map_or_else(String::new, |line| format!(":{line}"));
    match &evidence.file_path {
        Some(file) => format!("{}, {file}{line}", evidence.source),
        None => format!("{}{line}", evidence.source),
    }
}
