//! What a review says of a change in which there is nothing to look at, where that is no error.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::change::{Change, NotReviewed, Totals};
use crate::report::document::SCHEMA_VERSION;

/// The outcome of a change in which there is nothing to look at.
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
    /// What was compared: `working tree against HEAD`.
    pub scope: String,
    /// Size of what differs, all of it left out by rule.
    pub totals: Totals,
    /// What was left out by rule.
    pub not_reviewed: Vec<NotReviewed>,
    /// The version of this document.
    pub schema_version: u32,
}

impl NothingToReview {
    /// Makes the document of a change without files that reviewers are shown.
    pub fn new(change: Change) -> Self {
        Self {
            mode: "review".to_owned(),
            nothing_to_review: true,
            outcome: NOTHING.to_owned(),
            scope: change.scope,
            totals: change.totals,
            not_reviewed: change.not_reviewed,
            schema_version: SCHEMA_VERSION,
        }
    }

    /// Says it in a sentence, for people.
    pub fn sentence(&self) -> String {
        let left_out = match self.not_reviewed.as_slice() {
            [] => "nothing differs".to_owned(),
            [only] => format!("{} is left out ({})", only.path, only.why.name()),
            all => format!("all {} files are left out by rule", all.len()),
        };
        format!("nothing to review ({}): {left_out}", self.scope)
    }
}
