//! The end of a planning, and the contents of its result.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{PlanStep, Status, Tally};
use crate::change::{NotReviewed, Omission};
use crate::kernel::{self, EndWord, Ended};
pub(crate) use crate::protocol::council::ValidationResult;
use crate::protocol::council::{RejectedKeepVotes, RoundRecord};
use crate::words;

words! {
    /// How a planning ended by its own rules: the verdict on the whole plan.
    #[derive(PartialOrd, Ord, Hash)]
    pub enum Verdict {
        /// It was not rejected.
        Accepted = "accepted",
        /// It was not rejected, and all planners are of one vendor: it counts as unverified.
        OneVendor = "agreed (one vendor)",
        /// Most of its steps were rejected.
        Rejected = "rejected",
        /// It cannot be determined: fewer than two seats answered every time.
        Undecided = "undecided",
    }
}

impl EndWord for Verdict {
    fn closes(self) -> bool {
        self != Self::Undecided
    }

    fn decides(self) -> bool {
        matches!(self, Self::Accepted | Self::Rejected)
    }
}

/// A seat's score, component by component (`docs/plan.md`, the score). Points, not counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct ScoreBreakdown {
    /// 0 to 30: steps, titles, descriptions, files, summary.
    pub clarity: u32,
    /// 0 to 30: files covered, phases, risks, questions.
    pub completeness: u32,
    /// 0 to 20: steps, order of the phases, dependencies, number of steps.
    pub feasibility: u32,
    /// 0 to 20: the share of agreeing votes among the votes that others cast.
    pub consensus: u32,
    /// The sum, 0 to 100.
    pub total: u32,
}

/// Who thinks what about a step; agents' names.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct StepVotes {
    /// It is right as it is.
    pub agree: Vec<String>,
    /// It should not be done.
    pub disagree: Vec<String>,
    /// It should be done otherwise.
    pub modify: Vec<String>,
}

words! {
    /// Where an objection was made.
    #[derive(PartialOrd, Ord, Hash)]
    pub enum ObjectionKind {
        /// A disagreement in cross-examination.
        Disagree = "disagree",
        /// A wish for a change in cross-examination.
        Modify = "modify",
        /// A vote against the step in the merged plan.
        Reject = "reject",
        /// A vote against a change that another suggested: without it, the step stays as it was written.
        RefusedChange = "refused_change",
    }
}

/// An objection that nobody has taken back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Objection {
    /// Whose it is.
    pub agent: String,
    /// What it asks for.
    pub kind: ObjectionKind,
    /// Why, in its words.
    pub reason: String,
    /// What the step should say instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

words! {
    /// Whether the final vote was held.
    #[derive(PartialOrd, Ord, Hash)]
    pub enum FinalVote {
        /// It was.
        Held = "held",
        /// It could have changed nothing: every step was confirmed as it is.
        NotNeeded = "not_needed",
        /// It was not: the planning ended before it, or nobody could vote.
        NotHeld = "not_held",
    }
}

/// Another author's words for a step that was taken as the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OtherWording {
    /// Whose they are.
    pub agent: String,
    /// One line.
    pub title: String,
    /// What was to be done.
    pub description: String,
}

/// A statement that two steps are the same, by which they became one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SaidSame {
    /// Who said so.
    pub agent: String,
    /// The ids of the two steps; the plan has one of them.
    pub steps: [String; 2],
    /// Why, in its words.
    pub reason: String,
    /// What it would have had the step say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// A change that was suggested by one agent, opposed by nobody and approved in the final vote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Amendment {
    /// Who suggested it.
    pub agent: String,
    /// Why, in its words.
    pub reason: String,
    /// The description before, which the step's own replaced.
    pub instead_of: String,
}

/// A step of the final plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FinalStep {
    /// Its words as they hold. The id is the one under which it was judged, so that reasons call it so; it depends on
    /// steps of this plan.
    #[serde(flatten)]
    pub words: PlanStep,
    /// Those of its files that it creates.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub new_files: Vec<String>,
    /// Those of its files that do not exist, and that no step creates.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing_files: Vec<String>,
    /// What the votes say.
    pub status: Status,
    /// Agents that wrote it.
    pub proposed_by: Vec<String>,
    /// It is not from the winner's plan: it was added because others confirmed it.
    pub added: bool,
    /// Who thinks what about it, authors left out.
    pub votes: StepVotes,
    /// What speaks against it, with names.
    pub objections: Vec<Objection>,
    /// The change that was put in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub amendment: Option<Amendment>,
    /// Other authors' words for it; their files, dependencies and criteria are in the step.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub other_wordings: Vec<OtherWording>,
    /// Who said that it is the same as another step, which became a part of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub said_same: Vec<SaidSame>,
    /// The vote on the merged plan; missing where it was not held.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub validation: Option<Tally>,
}

impl FinalStep {
    /// Whether as many disagree with it as agree, or more, or others want it changed.
    pub const fn is_contested(&self) -> bool {
        match self.status {
            Status::Contested | Status::Disputed | Status::Refuted => true,
            Status::Reproduced | Status::Confirmed | Status::OneVendor | Status::Unverified => {
                false
            }
        }
    }

    /// Returns the votes on the step if more were against it than for it; it stays in the plan nevertheless.
    pub fn keep_rejected(&self) -> Option<RejectedKeepVotes> {
        self.validation?.rejected()
    }
}

/// A step that is not in the final plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OmittedStep {
    /// Its words, as its first author wrote them, with ids as in the plan.
    #[serde(flatten)]
    pub words: PlanStep,
    /// What the votes say.
    pub status: Status,
    /// Agents that wrote it.
    pub proposed_by: Vec<String>,
    /// Why it is not in the plan, by rule.
    pub reason: String,
    /// Who thinks what about it.
    pub votes: StepVotes,
    /// What speaks against it, with names.
    pub objections: Vec<Objection>,
}

pub(crate) type Outcome = kernel::Outcome<Ended<Verdict>, Verdict, PlanResult>;

/// What planners were shown of the repository and of the files given.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct ShownFiles {
    /// The files whose text they were shown.
    pub shown: Vec<String>,
    /// The number of the repository's files that they were not shown, by the reason.
    pub left_out: BTreeMap<Omission, usize>,
}

/// The result of a planning.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlanResult {
    /// The agent whose plan is the base; `null` without a plan.
    pub winner: Option<String>,
    /// 0 to 100: the share of the steps that are settled, times attendance.
    pub confidence: u32,
    /// One entry per round; 0 for the independent plans, then the cross-examinations.
    pub rounds: Vec<RoundRecord>,
    /// The final plan, ordered by phase and dependencies.
    pub steps: Vec<FinalStep>,
    /// Steps of others that are not in it, with reasons.
    pub left_out: Vec<OmittedStep>,
    /// Whether the final vote was held.
    pub final_vote: FinalVote,
    /// By agent; one without a plan has none.
    pub scores: BTreeMap<String, ScoreBreakdown>,
    /// The winner's summary.
    pub summary: String,
    /// Risks that were named, each once, the winner's first.
    pub risks: Vec<String>,
    /// Questions that were named, each once, the winner's first.
    pub open_questions: Vec<String>,
    /// The files that the planners were shown, and why others were not.
    pub files: ShownFiles,
    /// The parts of the change that the planners were not shown.
    pub not_shown: Vec<NotReviewed>,
    /// Fewer than two plans: nothing was examined.
    pub degraded: bool,
}
