//! The result of `discuss`: its document, its page, the message to a coordinator.
//!
//! # Theory of operation
//!
//! Everything a page shows about the verdict follows from the outcome alone: an undecided critique has no severity
//! and no recommendation, whatever the protocol returns, and its page never says that anything was agreed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::document::{Header, SessionFacts};
use crate::kernel::warning::warning;
use crate::kernel::{Ended, Stamp};
use crate::protocol::discuss::{
    Critiques, FollowUp, FollowUpAction, Outcome, Recommendation, Task, Verdict,
};

#[cfg(test)]
pub(crate) mod example;
mod message;
mod page;
mod result;

/// The result of `discuss` for one artifact.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DiscussDocument {
    /// What all results have; seats are named by their perspectives.
    #[serde(flatten)]
    pub header: Header<Ended<Verdict>, Verdict>,
    /// The round's id, which names the record.
    pub round_id: String,
    /// The preset that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preset: Option<String>,
    /// What was read, as it was named.
    pub artifact: String,
    /// SHA-256 of its bytes, hexadecimal.
    pub artifact_sha256: String,
    /// How many bytes it had.
    pub artifact_bytes: u64,
    /// What it was checked against, as it was named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// Whether a person signs it off: what blocks it is then never for an agent to settle.
    pub sign_off: bool,
    /// The perspectives that were asked, in order; one that was skipped is not among them.
    pub asked: Vec<String>,
    /// What came of it.
    #[serde(flatten)]
    pub result: Critiques,
    /// What the policy made of it, where it was to be applied.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub follow_up: Option<FollowUp>,
    /// Where the record is; `null` where none was written.
    #[serde(default)]
    pub record_path: Option<String>,
    /// Six lines for a coordinator; present only where it is blocked with severity high or medium.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The role that asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// Its task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
}

impl DiscussDocument {
    /// Creates the document. `stamp` contains ids, times and money; notes from reading `task` become warnings.
    pub fn new(outcome: Outcome, task: &Task, stamp: &Stamp, mut about: SessionFacts) -> Self {
        about.warnings = task.notes.iter().map(warning).chain(about.warnings).collect();
        let record_path = about.report_path.clone();
        let (header, mut result) = Header::new("discuss", outcome, stamp, about);
        if !header.outcome.closes() {
            (result.severity, result.recommendation) = (None, None);
        }
        let asked = task.perspectives.iter();
        let mut document = Self {
            header,
            round_id: task.round_id.clone(),
            preset: task.preset.clone(),
            artifact: task.artifact.name.clone(),
            artifact_sha256: task.artifact.sha256.clone(),
            artifact_bytes: task.artifact.bytes,
            context: task.context.as_ref().map(|context| context.name.clone()),
            sign_off: task.sign_off,
            asked: asked.map(|perspective| perspective.name.clone()).collect(),
            result,
            follow_up: None,
            record_path,
            message: None,
            role: task.role.clone(),
            task_id: task.task_id.clone(),
        };
        document.message = message::message(&document);
        document
    }

    /// Sets the path of the record, also in the message to the coordinator.
    pub fn place(&mut self, report: String) {
        self.header.report_path = Some(report.clone());
        self.record_path = Some(report);
        self.message = message::message(self);
    }

    /// Sets the follow-up. That the artifact has been sent back before may become known only now, if another session
    /// did so after this one was opened.
    pub fn follow(&mut self, follow_up: FollowUp) {
        match follow_up.action {
            FollowUpAction::Escalate | FollowUpAction::SignOff => {
                self.result.recommendation = Some(Recommendation::Escalate);
                self.message = message::message(self);
            }
            FollowUpAction::RevisionTask
            | FollowUpAction::Warning
            | FollowUpAction::GoOn
            | FollowUpAction::Nothing => {}
        }
        self.follow_up = Some(follow_up);
    }
}

#[cfg(test)]
mod tests;
