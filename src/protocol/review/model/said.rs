//! What agents say in a review: the blocks' contents, typed.
//!
//! Nothing here is believed yet: paths, lines and quotes are as written.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::protocol::council::ValidationSaid;

/// How bad a finding is.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
pub enum Severity {
    /// A breaking defect: crash, data loss, a hole in security or privacy, a build that fails.
    P0,
    /// Likely a bug or a regression; wrong logic; an error that is not handled, a test that is missing.
    P1,
    /// Minor correctness, a small gap.
    P2,
}

impl Severity {
    /// All, the worst first.
    pub const ALL: [Self; 3] = [Self::P0, Self::P1, Self::P2];

    /// Returns the name as it stands in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::P0 => "P0",
            Self::P1 => "P1",
            Self::P2 => "P2",
        }
    }

    /// How much a group of this severity weighs in the confidence (`spec/review-and-plan.md`: 5, 3, 1).
    pub const fn weight(self) -> u32 {
        match self {
            Self::P0 => 5,
            Self::P1 => 3,
            Self::P2 => 1,
        }
    }
}

/// A finding as a reviewer wrote it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// How bad it is.
    pub severity: Severity,
    /// One line.
    pub title: String,
    /// The path that it names, as written.
    pub file: String,
    /// The first line, from 1, if it names one.
    pub line: Option<u32>,
    /// The last line.
    pub end_line: Option<u32>,
    /// The code that it is about, copied from the change.
    pub quote: Option<String>,
    /// What is wrong and what happens.
    pub detail: String,
    /// How to mend it; may be empty.
    pub fix: String,
}

/// A `REVIEW` block.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReviewSaid {
    /// What it found; none is a legal answer.
    pub findings: Vec<Finding>,
    /// What stays risky.
    pub residual_risks: Vec<String>,
    /// What it could not find out.
    pub open_questions: Vec<String>,
}

/// What a seat thinks of another's finding.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Stance {
    /// It is right.
    Agree,
    /// It is wrong, and here is the evidence.
    Disagree,
    /// It cannot be said.
    Unsure,
}

impl Stance {
    /// All, in the order of the enumeration tests.
    pub const ALL: [Self; 3] = [Self::Agree, Self::Disagree, Self::Unsure];

    /// Returns the name as it stands in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Agree => "agree",
            Self::Disagree => "disagree",
            Self::Unsure => "unsure",
        }
    }
}

/// One judgement of a `CROSS_REVIEW` block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    /// The group's neutral id, `F3`.
    pub id: String,
    /// What it thinks.
    pub stance: Stance,
    /// Why.
    pub reason: String,
    /// Code that shows it; a disagreement without any that is found counts as unsure.
    pub evidence: Option<String>,
}

/// A `CROSS_REVIEW` block.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CrossSaid {
    /// One entry a group that was shown; those that are missing are no vote.
    pub judgements: Vec<Judgement>,
    /// What all others overlooked.
    pub missed_issues: Vec<Finding>,
}

/// A group that the composer keeps, with what it words anew.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Keep {
    /// The group's id.
    pub id: String,
    /// A better title.
    pub title: Option<String>,
    /// A better description.
    pub detail: Option<String>,
    /// A better fix.
    pub fix: Option<String>,
}

/// Groups that the composer takes for one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merge {
    /// The group that stays.
    pub into: String,
    /// Those that go into it.
    pub ids: Vec<String>,
}

/// A group that the composer throws out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Eliminate {
    /// The group's id.
    pub id: String,
    /// Why; never empty.
    pub reason: String,
}

/// A `COMPOSITION` block.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CompositionSaid {
    /// Kept as they are or worded anew.
    pub keep: Vec<Keep>,
    /// Put together.
    pub merge: Vec<Merge>,
    /// Thrown out.
    pub eliminate: Vec<Eliminate>,
    /// What stays risky.
    pub residual_risks: Vec<String>,
    /// What could not be found out.
    pub open_questions: Vec<String>,
}

/// What a turn said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Said {
    /// An independent review.
    Review(ReviewSaid),
    /// Judgements on the others' findings.
    Cross(CrossSaid),
    /// The winner's selection.
    Composition(CompositionSaid),
    /// Votes on that selection.
    Validation(ValidationSaid),
}
