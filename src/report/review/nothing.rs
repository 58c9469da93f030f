//! The result of reviewing a change in which there is nothing to look at, if that is not an error.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::page::{lines, named};
use crate::change::{Change, NotReviewed, Totals};
use crate::report::document::SCHEMA_VERSION;
use crate::report::page::template::Data;
use crate::report::page::{Page, Text, ToPage, terminal};

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
        let parts = Data::default().with("parts", lines(&self.not_reviewed)).fill("review/parts");
        page.blocks().section("Not reviewed", |below| below.append(parts));
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
        Data::of(self).text("not_read", named(&self.not_reviewed)).sentence("review/nothing")
    }
}
