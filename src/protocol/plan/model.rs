//! What planners say, and what the rules make of it.
//!
//! A *seat* is an agent's place in the panel, counted from 0 here and from 1 in names (`s1`). What
//! one seat reads of another never names it; agents' names come back in the
//! [`Outcome`], which stands in `ended`.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::protocol::council::ValidationSaid;

mod ended;

pub use ended::*;

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
            if local.contains(&**id) { key(id) } else { id.clone() }
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
        self.votes().filter(|(_, judged)| judged.stance == stance).count()
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
                if vendors.len() >= 2 { Status::Confirmed } else { Status::Unverified }
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
