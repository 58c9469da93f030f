//! The contract for each role's reply: its block, declared.

use serde::Serialize;

use super::Role;
use crate::contract::Block;
use crate::contract::block::{object, plain};
use crate::contract::field::{entries, line, number, raised_number, text, texts};
use crate::contract::outline::Outline;
use crate::declare;

/// Maximum characters of a suggested fix.
pub(crate) const FIX_CHARS: usize = 8_000;

/// Maximum characters of a title.
const TITLE_CHARS: usize = 200;

/// No limit other than the block's.
const ANY: usize = usize::MAX;

declare! {
    /// A proposed feature.
    #[derive(Debug, Clone, PartialEq, Serialize)]
    pub struct Feature as "opportunity" {
        /// Its name: one line, unlike every other title of the answer.
        pub title: String = line(TITLE_CHARS).shown("<a short name>"),
        /// What to build.
        pub description: String = text(ANY).shown("<what to build>"),
        /// What users gain.
        pub user_value: String = text(ANY).shown("<what users gain>"),
        /// How much it changes for them, 1 to 10.
        pub impact: f64 = number(1.0, 10.0).below(),
        /// How much work it is, 1 to 10.
        pub effort: f64 = number(1.0, 10.0),
        /// How much of it the code already has, 1 to 10.
        pub leverage: f64 = number(1.0, 10.0),
        /// How likely it is to fail or to do harm, 1 to 10; below 1 counts as 1 (`docs/discover.md`).
        pub risk: f64 = raised_number(1.0, 10.0),
        /// Files that it could build on, as the analyst wrote them; they may not exist.
        pub existing_code: Vec<String> = texts(ANY, ANY).shown("<path>"),
    }
}

declare! {
    /// The analyst's answer.
    #[derive(Debug, Clone, PartialEq, Serialize)]
    pub struct Features {
        /// What the software is; empty if the analyst did not say.
        pub product_type: String = text(ANY).shown("<what this software is>").extra().noted(),
        /// Who it is for.
        pub target_users: Vec<String> = texts(ANY, ANY).shown("<a kind of user>").noted(),
        /// What it proposes, in its order; no feature at all is a legal answer.
        #[serde(rename = "opportunities")]
        pub features: Vec<Feature> = entries(ANY).key("opportunities").apart(),
    }
}

pub(crate) const FEATURE_OPPORTUNITIES: Block<Features> = object("FEATURE_OPPORTUNITIES");

pub(crate) const FIX_SUGGESTION: Block<String> =
    plain("FIX_SUGGESTION", "suggestion", "<your suggestion, in plain text>", FIX_CHARS);

/// Returns the block that a role's reply contains.
pub(crate) const fn outline(role: Role) -> &'static Outline {
    match role {
        Role::Analyst => &FEATURE_OPPORTUNITIES.outline,
        Role::Advisor => &FIX_SUGGESTION.outline,
    }
}
