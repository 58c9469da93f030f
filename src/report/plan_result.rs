//! The result of `plan`: its document and its page.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::document::{Header, SessionFacts};
use crate::kernel::{Ended, Stamp};
use crate::protocol::facts::{Fact, Facts};
use crate::protocol::plan::{Outcome, PlanResult, Verdict};
use crate::report::page::terminal::line;

mod page;
mod result;

/// The result of `plan`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlanDocument {
    /// What all results have; `rounds_used` counts cross-examinations.
    #[serde(flatten)]
    pub header: Header<Ended<Verdict>, Verdict>,
    /// `plan`.
    pub mode: String,
    /// What was to be planned.
    pub task: String,
    /// What the person who asked said about the task; shown to all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<Fact>,
    /// What was assumed where nobody said it; shown to all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assumptions: Vec<Fact>,
    /// What came of it.
    #[serde(flatten)]
    pub result: PlanResult,
    /// Ids of its steps that not everybody stands behind: as many disagree as agree, or more, or others want it changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contested: Vec<String>,
    /// The headline: how it ended and why, in one line.
    pub recommendation: String,
}

impl PlanDocument {
    /// Creates the document. `stamp` contains ids, times and money.
    pub fn new(
        outcome: Outcome,
        task: String,
        Facts { told, assumed }: Facts,
        stamp: &Stamp,
        about: SessionFacts,
    ) -> Self {
        let (header, result) = Header::new("plan", outcome, stamp, about);
        let contested = result.steps.iter().filter(|step| step.is_contested());
        let mut document = Self {
            header,
            mode: "plan".to_owned(),
            task,
            facts: told,
            assumptions: assumed,
            contested: contested.map(|step| step.words.id.clone()).collect(),
            result,
            recommendation: String::new(),
        };
        document.recommendation = line(&document.headline_text());
        document
    }
}

#[cfg(test)]
pub(crate) mod tests;
