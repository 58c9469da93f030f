//! The result of reviewing a change in which there is nothing to look at, if that is not an error.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::page::{listed, named, not_reviewed};
use crate::change::{Change, NotReviewed, Totals};
use crate::report::document::SCHEMA_VERSION;
use crate::report::page::ToPage;
use crate::report::page::{Page, Text, agent_text, terminal, text};

pub(crate) const NOTHING: &str = "nothing_to_review";

/// There was nothing to review: nobody was asked, and nothing was decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NothingToReview {
    /// `review`.
    pub mode: String,
    /// Always true; a result of a review has no such field.
    pub nothing_to_review: bool,
    /// `nothing_to_review`.
    pub outcome: String,
    /// Always false.
    pub decided: bool,
    /// What was compared: `working tree against HEAD`.
    pub scope: String,
    /// Size of what differs, all of it left out by rule.
    pub totals: Totals,
    /// What was left out by rule.
    pub not_reviewed: Vec<NotReviewed>,
    /// The version of this document.
    pub schema_version: u32,
}

impl ToPage for NothingToReview {
    fn page(&self) -> Page {
        let mut page = Page::new("Code review", self.headline_text());
        page.blocks().section("Not reviewed", |below| {
            listed(below, not_reviewed(&self.not_reviewed).into_iter(), "");
        });
        page
    }
}

impl NothingToReview {
    /// Creates the document of a change without files to show to reviewers.
    pub fn new(change: Change) -> Self {
        Self {
            mode: "review".to_owned(),
            nothing_to_review: true,
            outcome: NOTHING.to_owned(),
            decided: false,
            scope: change.scope,
            totals: change.totals,
            not_reviewed: change.not_reviewed,
            schema_version: SCHEMA_VERSION,
        }
    }

    /// Returns the result as a sentence for people.
    pub fn sentence(&self) -> String {
        terminal::line(&self.headline_text())
    }

    fn headline_text(&self) -> Text {
        let left_out = match self.not_reviewed.as_slice() {
            [] => "nothing differs".into(),
            some => text!["not read: ", named(some)],
        };
        text!["Nothing to review (", agent_text(&self.scope), "): ", left_out, "."]
    }
}
