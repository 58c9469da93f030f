//! What planners say, what the rules make of it, and the outcome of a planning.
//!
//! A *seat* is an agent's place in the panel, counted from 0 here and from 1 in names (`s1`). What
//! one seat reads of another never names it; agents' names come back in the [`Outcome`].

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::change::NotReviewed;
use crate::protocol::Failure;
use crate::protocol::backlog::model::{RoundWarning, Seat};
pub use crate::protocol::review::model::{Ballot, RoundRecord, ValidationSaid};

/// A step as its author wrote it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PlanStep {
    /// Its name within the answer: one line.
    pub id: String,
    /// The part of the plan that it belongs to.
    pub phase: String,
    /// One line.
    pub title: String,
    /// What is to be done.
    pub description: String,
    /// Files that it touches, as written.
    pub files: Vec<String>,
    /// Steps that must be done before, by id.
    pub depends_on: Vec<String>,
    /// How one sees that it is done; may be empty.
    pub acceptance: String,
}

/// A `PLAN` block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanSaid {
    /// The steps in the planner's order; never empty, ids unique, dependencies known and without a cycle.
    pub steps: Vec<PlanStep>,
    /// The plan in a few sentences; may be empty.
    pub summary: String,
    /// What can go wrong.
    pub risks: Vec<String>,
    /// What it could not find out.
    pub open_questions: Vec<String>,
    /// Every dependency was as it should be; `false` if one had to be dropped.
    pub dependencies_valid: bool,
}

/// What a seat thinks of another's step.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Stance {
    /// It is right as it is.
    Agree,
    /// It should not be done.
    Disagree,
    /// It should be done otherwise; a suggestion says how.
    Modify,
}

impl Stance {
    /// All, in the order of the enumeration tests.
    pub const ALL: [Self; 3] = [Self::Agree, Self::Disagree, Self::Modify];

    /// Returns the name as it stands in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Agree => "agree",
            Self::Disagree => "disagree",
            Self::Modify => "modify",
        }
    }
}

/// One judgement of a `PLAN_REVIEW` block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    /// The group's neutral id, `S3`.
    pub id: String,
    /// What it thinks.
    pub stance: Stance,
    /// Why; empty only for an agreement.
    pub reason: String,
    /// What instead; always there for [`Stance::Modify`].
    pub suggestion: Option<String>,
}

/// A `PLAN_REVIEW` block.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PlanReviewSaid {
    /// One entry a step that was shown; those that are missing are no vote.
    pub judgements: Vec<Judgement>,
    /// What all plans lack. Their `depends_on` name neutral ids or each other.
    pub missing_steps: Vec<PlanStep>,
}

/// What a turn said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Said {
    /// A plan.
    Plan(PlanSaid),
    /// Judgements on the others' steps.
    Cross(PlanReviewSaid),
    /// Votes on the merged plan.
    Validation(ValidationSaid),
}

/// A step with its author.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Raised {
    /// The author's seat.
    pub seat: usize,
    /// The vendor that answered for the seat then.
    pub vendor: String,
    /// 0 for the seat's own plan; later the cross-examination that added it.
    pub round: u32,
    /// Its place in the answer, from 0.
    pub place: usize,
    /// Its id among all steps of the planning: `s1.setup`, or `s2.r2.rollback` from a cross-examination.
    pub key: String,
    /// The steps that it depends on: such keys, or neutral ids (`S4`).
    pub needs: Vec<String>,
    /// The step, as it was written.
    pub step: PlanStep,
}

impl Raised {
    /// Names the steps of one answer. `round` is 0 for a plan.
    pub fn all(steps: &[PlanStep], seat: usize, vendor: &str, round: u32) -> Vec<Self> {
        let local: BTreeSet<&str> = steps.iter().map(|step| &*step.id).collect();
        let key = |id: &str| match round {
            0 => format!("s{}.{id}", seat + 1),
            _ => format!("s{}.r{round}.{id}", seat + 1),
        };
        let need = |id: &String| {
            if local.contains(&**id) {
                key(id)
            } else {
                id.clone()
            }
        };
        let raised = |(place, step): (usize, &PlanStep)| Self {
            seat,
            vendor: vendor.to_owned(),
            round,
            place,
            key: key(&step.id),
            needs: step.depends_on.iter().map(need).collect(),
            step: step.clone(),
        };
        steps.iter().enumerate().map(raised).collect()
    }
}

/// A seat's latest judgement on a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judged {
    /// The vendor that answered for the seat then.
    pub vendor: String,
    /// The cross-examination.
    pub round: u32,
    /// What it thinks.
    pub stance: Stance,
    /// Why.
    pub reason: String,
    /// What instead.
    pub suggestion: Option<String>,
}

/// Steps that are the same. A plan has one member at most; a missing step can join what its critic wrote before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// Neutral and stable: `S1`.
    pub id: String,
    /// The steps, in an order that does not depend on the seats; never empty. The first is the one that is shown.
    pub members: Vec<Raised>,
    /// Latest judgements by seat; never an author's.
    pub judged: BTreeMap<usize, Judged>,
}

impl Group {
    /// Returns the seats that wrote it.
    pub fn authors(&self) -> BTreeSet<usize> {
        self.members.iter().map(|raised| raised.seat).collect()
    }

    /// Whether a seat wrote it.
    pub fn wrote(&self, seat: usize) -> bool {
        self.members.iter().any(|raised| raised.seat == seat)
    }

    /// Returns the judgements that count: those of seats that did not write it.
    pub fn votes(&self) -> impl Iterator<Item = (usize, &Judged)> {
        (self.judged.iter())
            .filter(|(seat, _)| !self.wrote(**seat))
            .map(|(seat, judged)| (*seat, judged))
    }

    /// Counts the votes of one kind.
    pub fn count(&self, stance: Stance) -> usize {
        self.votes()
            .filter(|(_, judged)| judged.stance == stance)
            .count()
    }

    /// Returns what the votes say, the first that holds (`spec/review-and-plan.md`, step 4, with agree =
    /// further authors + agreeing seats): nobody spoke, `unverified`; more disagree than agree,
    /// `refuted`; as many, `contested`, which is also a step that others only want changed; more agree,
    /// `confirmed` if authors and agreeing seats are of two vendors or more, else `unverified`.
    pub fn status(&self) -> Status {
        let agree = self.authors().len().saturating_sub(1) + self.count(Stance::Agree);
        let disagree = self.count(Stance::Disagree);
        if agree == 0 && disagree == 0 && self.count(Stance::Modify) == 0 {
            return Status::Unverified;
        }
        match disagree.cmp(&agree) {
            std::cmp::Ordering::Greater => Status::Refuted,
            std::cmp::Ordering::Equal => Status::Contested,
            std::cmp::Ordering::Less => {
                let authors = self.members.iter().map(|raised| &raised.vendor);
                let agreeing = (self.votes())
                    .filter(|(_, judged)| judged.stance == Stance::Agree)
                    .map(|(_, judged)| &judged.vendor);
                let vendors: BTreeSet<&String> = authors.chain(agreeing).collect();
                if vendors.len() >= 2 {
                    Status::Confirmed
                } else {
                    Status::Unverified
                }
            }
        }
    }
}

/// What the votes say of a step.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// More agree than disagree, of two vendors or more.
    Confirmed,
    /// As many agree as disagree, or it is only wanted otherwise.
    Contested,
    /// Nobody but its author spoke, or only its author's vendor.
    Unverified,
    /// More disagree than agree.
    Refuted,
}

impl Status {
    /// Returns the name as it stands in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Confirmed => "confirmed",
            Self::Contested => "contested",
            Self::Unverified => "unverified",
            Self::Refuted => "refuted",
        }
    }

    /// Whether the votes have come to an end: no further round asks about it.
    pub const fn settled(self) -> bool {
        match self {
            Self::Confirmed | Self::Refuted => true,
            Self::Contested | Self::Unverified => false,
        }
    }
}

/// What is said of the whole plan.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It was not rejected.
    Accepted,
    /// Most of its steps were rejected.
    Rejected,
    /// It cannot be said.
    Undecided,
}

impl Verdict {
    /// Returns the name as it stands in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::Rejected => "rejected",
            Self::Undecided => "undecided",
        }
    }
}

/// How a planning ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PlanOutcome {
    /// As the verdict.
    Accepted,
    /// As the verdict.
    Rejected,
    /// Fewer than two seats answered every time.
    Undecided,
    /// The next call did not fit into the budget.
    Budget,
    /// Stopped by a signal, a client or the deadline.
    Interrupted,
}

impl PlanOutcome {
    /// All.
    pub const ALL: [Self; 5] = [
        Self::Accepted,
        Self::Rejected,
        Self::Undecided,
        Self::Budget,
        Self::Interrupted,
    ];

    /// Returns the name as it stands in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::Rejected => "rejected",
            Self::Undecided => "undecided",
            Self::Budget => "budget",
            Self::Interrupted => "interrupted",
        }
    }

    /// Returns the verdict that goes with it: what is not over is undecided.
    pub const fn verdict(self) -> Verdict {
        match self {
            Self::Accepted => Verdict::Accepted,
            Self::Rejected => Verdict::Rejected,
            Self::Undecided | Self::Budget | Self::Interrupted => Verdict::Undecided,
        }
    }

    /// Whether the session is over; the others leave it open, so that a resume asks again what failed.
    pub const fn closes(self) -> bool {
        match self {
            Self::Accepted | Self::Rejected => true,
            Self::Undecided | Self::Budget | Self::Interrupted => false,
        }
    }
}

/// A seat's score, component by component (`spec/review-and-plan.md`, plan pipeline). Points, not counts.
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

/// What came of the vote on one step of the merged plan.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum ValidationResult {
    /// More votes for it than against it.
    Approved,
    /// More votes against it than for it.
    Rejected,
    /// As many for it as against it.
    Tied,
    /// Nobody who had not written it voted.
    Unvalidated,
}

impl ValidationResult {
    /// Returns the name as it stands in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Approved => "approved",
            Self::Rejected => "rejected",
            Self::Tied => "tied",
            Self::Unvalidated => "unvalidated",
        }
    }
}

/// The vote on one step of the merged plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StepValidation {
    /// Votes for it.
    pub approves: u32,
    /// Votes against it.
    pub rejects: u32,
    /// What follows.
    pub result: ValidationResult,
}

/// Who thinks what of a step; agents' names.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct StepVotes {
    /// It is right as it is.
    pub agree: Vec<String>,
    /// It should not be done.
    pub disagree: Vec<String>,
    /// It should be done otherwise.
    pub modify: Vec<String>,
}

/// Where an objection was made.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum ObjectionKind {
    /// A disagreement in cross-examination.
    Disagree,
    /// A wish for a change in cross-examination.
    Modify,
    /// A vote against the step in the merged plan.
    Reject,
}

impl ObjectionKind {
    /// Returns the name as it stands in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Disagree => "disagree",
            Self::Modify => "modify",
            Self::Reject => "reject",
        }
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
    /// What instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<String>,
}

/// A step of the final plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FinalStep {
    /// Unique in the plan; the author's own word, with a number where two had the same.
    pub id: String,
    /// The part of the plan that it belongs to.
    pub phase: String,
    /// One line.
    pub title: String,
    /// What is to be done.
    pub description: String,
    /// Files that it touches.
    pub files: Vec<String>,
    /// Steps of this plan that must be done before.
    pub depends_on: Vec<String>,
    /// How one sees that it is done.
    pub acceptance: String,
    /// What the votes say.
    pub status: Status,
    /// Agents that wrote it.
    pub proposed_by: Vec<String>,
    /// It is not of the winner's plan: it was added because others confirmed it.
    pub added: bool,
    /// Who thinks what of it, authors left out.
    pub votes: StepVotes,
    /// What speaks against it, with names.
    pub objections: Vec<Objection>,
    /// The vote on the merged plan; missing where it was not held.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub validation: Option<StepValidation>,
}

/// A step that is not in the final plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LeftOutStep {
    /// One line.
    pub title: String,
    /// What was to be done.
    pub description: String,
    /// Files that it would touch.
    pub files: Vec<String>,
    /// What the votes say.
    pub status: Status,
    /// Agents that wrote it.
    pub proposed_by: Vec<String>,
    /// Why it is not in the plan, by rule.
    pub reason: String,
    /// Who thinks what of it.
    pub votes: StepVotes,
    /// What speaks against it, with names.
    pub objections: Vec<Objection>,
}

/// The result of a planning, for whoever writes the document.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// How it ended.
    pub outcome: PlanOutcome,
    /// What that means.
    pub verdict: Verdict,
    /// The agent whose plan is the base; `None` without a plan.
    pub winner: Option<String>,
    /// 0 to 100, after the last complete round.
    pub confidence: u32,
    /// One entry a round, from the independent plans (0) on.
    pub rounds: Vec<RoundRecord>,
    /// The final plan, in order; empty without a plan.
    pub steps: Vec<FinalStep>,
    /// Steps of others that are not in it, with reasons.
    pub left_out: Vec<LeftOutStep>,
    /// By agent; one without a plan has none.
    pub scores: BTreeMap<String, ScoreBreakdown>,
    /// The winner's summary.
    pub summary: String,
    /// Risks that were named, each once, the winner's first.
    pub risks: Vec<String>,
    /// Questions that were named, each once, the winner's first.
    pub open_questions: Vec<String>,
    /// One paragraph, by rule.
    pub recommendation: String,
    /// What of the change planners were not shown.
    pub not_shown: Vec<NotReviewed>,
    /// Fewer than two plans: nothing was examined.
    pub degraded: bool,
    /// Who sat where and answered.
    pub seats: Vec<Seat>,
    /// Different vendors that answered.
    pub vendors: u32,
    /// The first failure that left a seat empty, for the exit code.
    pub failure: Option<Failure>,
    /// All warnings.
    pub warnings: Vec<RoundWarning>,
}
