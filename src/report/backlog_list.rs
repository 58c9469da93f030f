//! `backlog`: the document of its commands, and the list for people.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Look;
use super::document::SCHEMA_VERSION;
use super::table::{Table, push_wrapped};
use super::words::{self, FAINT, paint};
use crate::kernel::Warning;
use crate::protocol::backlog::model::{Disposition, Opportunity, OpportunityStatus};
use crate::text::{Note, counted, sanitize};

/// Width from which type and disposition have columns of their own.
const WIDE: usize = 110;

/// The result of `backlog` and its commands: the items listed, shown, or changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BacklogDocument {
    /// The items, most important first. `debating` marks items of a debate that is running now.
    pub opportunities: Vec<Opportunity>,
    /// Items that the list leaves out; only of a list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hidden: Option<HiddenCounts>,
    /// What was noticed in the store's file.
    pub warnings: Vec<Warning>,
    /// The version of this document.
    pub schema_version: u32,
}

/// How many items a list leaves out, each counted once.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HiddenCounts {
    /// Of another type than the one asked for.
    pub other_types: u32,
    /// Gone: their agent looked again and did not find them.
    pub resolved: u32,
    /// Of another status: open ones.
    pub open: u32,
    /// Of another status: accepted.
    pub accepted: u32,
    /// Of another status: rejected.
    pub rejected: u32,
    /// Of another status: deferred.
    pub deferred: u32,
}

impl BacklogDocument {
    /// Creates the document of some items.
    pub fn new(opportunities: Vec<Opportunity>, warnings: &[Note]) -> Self {
        let warning = |note: &Note| Warning {
            code: note.code.clone(),
            turn: None,
            message: note.message.clone(),
        };
        Self {
            opportunities,
            hidden: None,
            warnings: warnings.iter().map(warning).collect(),
            schema_version: SCHEMA_VERSION,
        }
    }

    /// Returns the list for people, with a newline at the end.
    pub fn render(&self, look: Look) -> String {
        let hidden = self.hidden.unwrap_or_default();
        let mut text = String::new();
        if self.opportunities.is_empty() {
            let nothing = if hidden == HiddenCounts::default() {
                "The backlog is empty. `debate-agent discover` finds work in this repository; `debate-agent backlog add --title ...` adds an item of your own."
            } else {
                "Nothing to show here."
            };
            push_wrapped(&mut text, nothing, "", "", look.width);
        } else {
            text.push_str(&self.table(look.width));
            text.push('\n');
        }
        let footer = footer(self.opportunities.len(), hidden);
        if !footer.is_empty() {
            let mut wrapped = String::new();
            push_wrapped(&mut wrapped, &footer, "", "", look.width);
            text.push_str(&paint(wrapped.trim_end(), FAINT, look.colour));
            text.push('\n');
        }
        text
    }

    fn table(&self, width: usize) -> String {
        let wide = width >= WIDE;
        let row = |item: &Opportunity| {
            let rank = (item.priority_rank).map_or_else(|| "-".to_owned(), |rank| rank.to_string());
            let mut row = vec![
                rank,
                item.opportunity_id.clone(),
                item.title.clone(),
                status(item).to_owned(),
                score(item),
            ];
            if wide {
                let disposition = item.disposition.map_or("-", Disposition::name);
                row.insert(3, disposition.to_owned());
                row.insert(3, item.opportunity_type.name().replace('_', " "));
            }
            row
        };
        let rows = self.opportunities.iter().map(row);
        if wide {
            let headers = ["#", "Id", "Opportunity", "Type", "Do", "Status", "Score"];
            Table::new(&headers, rows).unbroken(&[0, 1, 3, 4, 5, 6])
        } else {
            Table::new(&["#", "Id", "Opportunity", "Status", "Score"], rows).unbroken(&[0, 1, 3, 4])
        }
        .render(width)
    }

    /// Returns the changes made by a command, a line per item: `accepted  opp-...  Title`.
    pub fn render_changed(&self) -> String {
        let line = |item: &Opportunity| {
            let issue = (item.linked_issue).map_or_else(String::new, |n| format!("  (issue #{n})"));
            let title = sanitize::line(&item.title, 200);
            let id = words::name(&item.opportunity_id);
            format!("{}  {id}  {title}{issue}\n", status(item))
        };
        self.opportunities.iter().map(line).collect()
    }
}

pub(super) fn status(item: &Opportunity) -> &'static str {
    if item.resolved_at.is_some() && item.status.is_open() {
        "resolved"
    } else {
        item.status.name()
    }
}

/// `0.72`, or a dash if the item has no score.
pub(super) fn score(item: &Opportunity) -> String {
    (item.actionability).map_or_else(|| "-".to_owned(), |score| format!("{:.2}", score.overall()))
}

/// `12 items. Hidden: 3 accepted, 4 resolved; ...`.
fn footer(shown: usize, hidden: HiddenCounts) -> String {
    let parts: Vec<String> = [
        (hidden.open, "open"),
        (hidden.accepted, OpportunityStatus::Accepted.name()),
        (hidden.rejected, OpportunityStatus::Rejected.name()),
        (hidden.deferred, OpportunityStatus::Deferred.name()),
        (hidden.resolved, "resolved"),
        (hidden.other_types, "of other types"),
    ]
    .into_iter()
    .filter(|(number, _)| *number > 0)
    .map(|(number, word)| format!("{number} {word}"))
    .collect();
    match (shown, parts.is_empty()) {
        (0, true) => String::new(),
        (shown, true) => format!("{}.", items(shown)),
        (shown, false) => format!(
            "{}. Hidden: {} (`debate-agent backlog --status all --resolved` shows all).",
            items(shown),
            parts.join(", ")
        ),
    }
}

fn items(number: usize) -> String {
    counted(u32::try_from(number).unwrap_or(u32::MAX), "item")
}

#[cfg(test)]
mod tests;
