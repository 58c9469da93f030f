//! Several artifacts in one run (`discuss docs/*.md`): one document, one summary.
//!
//! An artifact that was not discussed, or about which nothing was decided, is counted and named as such. The run as a
//! whole is reached only if all of them are.

use std::cmp::Reverse;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::DiscussDocument;
use crate::kernel::Warning;
use crate::protocol::discuss::{Severity, Verdict};
use crate::report::document::{CostSummary, SCHEMA_VERSION};

mod page;

/// The result of `discuss` for several artifacts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DiscussionsDocument {
    /// One entry per artifact that was discussed, in the order given.
    pub discussions: Vec<DiscussDocument>,
    /// Artifacts that were not, with the reason.
    pub not_discussed: Vec<NotDiscussed>,
    /// All of them together.
    pub summary: Summary,
    /// Built-in stand-ins gave every answer: no model was asked.
    pub rehearsal: bool,
    /// What all of them cost, out of one budget.
    pub cost: CostSummary,
    /// What concerns the whole run.
    pub warnings: Vec<Warning>,
    /// Where the summary is; `null` where none was written.
    #[serde(default)]
    pub record_path: Option<String>,
    /// The version of this document.
    pub schema_version: u32,
}

/// An artifact that was not discussed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NotDiscussed {
    /// Its name.
    pub artifact: String,
    /// A stable name of the reason: `artifact_binary`, `budget`, ...
    pub code: String,
    /// The reason, in a sentence.
    pub why: String,
}

/// Several artifacts together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Summary {
    /// All artifacts of the run.
    pub artifacts: u32,
    /// Those with no blocking objection.
    pub reached: u32,
    /// Those with a blocking objection.
    pub blocked: u32,
    /// Those about which nothing was decided.
    pub undecided: u32,
    /// Those that were not discussed at all.
    pub not_discussed: u32,
    /// The worst severity of those that were decided; `null` where none was.
    pub severity: Option<Severity>,
    /// What is most urgent in those that were decided: at most ten, the first of each artifact first.
    pub action_items: Vec<UrgentItem>,
}

/// Something to be done, and to which artifact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UrgentItem {
    /// The artifact.
    pub artifact: String,
    /// The round whose record contains it.
    pub round_id: String,
    /// What is to be done.
    pub text: String,
    /// `high` and `medium` are changes that are required, `low` is advice.
    pub urgency: Severity,
    /// Who asks for it.
    pub perspectives: Vec<String>,
}

impl Summary {
    fn new(discussions: &[DiscussDocument], not_discussed: &[NotDiscussed]) -> Self {
        let count = |verdict: Verdict| {
            let all = discussions.iter();
            number(all.filter(|each| each.header.verdict == verdict).count())
        };
        let decided = || {
            discussions.iter().filter(|each| match each.header.verdict {
                Verdict::ConsensusReached | Verdict::ConsensusBlocked => true,
                Verdict::Undecided => false,
            })
        };
        let mut items: Vec<(usize, UrgentItem)> = decided()
            .flat_map(|each| {
                let items = each.action_items.iter().map(|item| UrgentItem {
                    artifact: each.artifact.clone(),
                    round_id: each.round_id.clone(),
                    text: item.text.clone(),
                    urgency: item.urgency,
                    perspectives: item.perspectives.clone(),
                });
                items.enumerate()
            })
            .collect();
        // Stable, so equal items stay in the given order.
        items.sort_by_key(|(place, item)| (Reverse(item.urgency), *place));
        let items = items.into_iter().map(|(_, item)| item);
        Self {
            artifacts: number(discussions.len() + not_discussed.len()),
            reached: count(Verdict::ConsensusReached),
            blocked: count(Verdict::ConsensusBlocked),
            undecided: count(Verdict::Undecided),
            not_discussed: number(not_discussed.len()),
            severity: decided().filter_map(|each| each.severity).max(),
            action_items: items.collect(),
        }
    }
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

impl DiscussionsDocument {
    /// Creates the document and its summary. `cost` is that of all artifacts; `warnings` concern the whole run.
    pub fn new(
        discussions: Vec<DiscussDocument>,
        not_discussed: Vec<NotDiscussed>,
        rehearsal: bool,
        cost: CostSummary,
        warnings: Vec<Warning>,
    ) -> Self {
        Self {
            summary: Summary::new(&discussions, &not_discussed),
            discussions,
            not_discussed,
            rehearsal,
            cost,
            warnings,
            record_path: None,
            schema_version: SCHEMA_VERSION,
        }
    }

    /// Sets the path of the summary.
    pub fn place(&mut self, report: String) {
        self.record_path = Some(report);
    }

    /// The verdict of the run as a whole: reached only if all artifacts are.
    fn verdict(&self) -> Verdict {
        let summary = &self.summary;
        if summary.blocked > 0 {
            Verdict::ConsensusBlocked
        } else if summary.artifacts > 0 && summary.reached == summary.artifacts {
            Verdict::ConsensusReached
        } else {
            Verdict::Undecided
        }
    }
}

#[cfg(test)]
mod tests;
