//! The types of a critique: the replies of perspectives, and the outcome.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::contract::{ENTRY_CHARS, MAX_ENTRIES};
use super::input::LineReference;
use crate::contract::field::{Field, texts, whole, word};
use crate::kernel::{self, EndWord, Ended};
use crate::{declare, words};

words! {
    /// How a critique ended by its own rules (`docs/exit-codes.md`).
    #[derive(Hash)]
    pub enum Verdict {
        /// Nothing speaks against proceeding.
        ConsensusReached = "consensus_reached",
        /// The same, but all perspectives that answered are of one vendor: it counts as unverified.
        OneVendor = "agreed (one vendor)",
        /// Something does: see the severity.
        ConsensusBlocked = "consensus_blocked",
        /// Too few perspectives answered.
        Undecided = "undecided",
    }
}

impl EndWord for Verdict {
    fn closes(self) -> bool {
        self != Self::Undecided
    }

    fn decides(self) -> bool {
        matches!(self, Self::ConsensusReached | Self::ConsensusBlocked)
    }
}

words! {
    /// How much speaks against an artifact: the rungs of the ladder, in order.
    #[derive(PartialOrd, Ord, Hash)]
    pub enum Severity {
        /// Nothing was raised.
        None = "none",
        /// Notes.
        Low = "low",
        /// It proceeds with caution.
        Medium = "medium",
        /// It goes back.
        High = "high",
    }
}

words! {
    /// What should be done next.
    #[derive(Hash)]
    pub enum Recommendation {
        /// Go on.
        Proceed = "proceed",
        /// Proceed, but note what was said.
        ProceedWithCaution = "proceed-with-caution",
        /// Change the artifact, once.
        Revise = "revise",
        /// A person decides.
        Escalate = "escalate",
    }
}

words! {
    /// How dangerous a perspective considers the artifact, in order.
    #[derive(PartialOrd, Ord, Hash)]
    pub enum RiskLevel {
        /// Nothing to speak of.
        Low = "low" | "none",
        /// To be watched.
        Medium = "medium" | "moderate",
        /// To be dealt with.
        High = "high",
        /// Work must not continue.
        Critical = "critical",
    }
}

const fn points(shown: &'static str) -> Field<Vec<String>> {
    texts(MAX_ENTRIES, ENTRY_CHARS).owed().shown(shown).below()
}

declare! {
    /// What a perspective says, after reading (block `CRITIQUE`).
    #[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
    pub struct Critique {
        /// What is good.
        pub strengths: Vec<String> = points("<what is good, and where>").aside(),
        /// What is not.
        pub weaknesses: Vec<String> = points("<contradiction, gap or error, if it is one, and a colon; what is wrong or missing, and where>"),
        /// What should be done.
        pub suggestions: Vec<String> = points("<what to change, and into what>").aside(),
        /// 1 (unusable) to 5 (excellent).
        #[schemars(range(min = 1, max = 5))]
        pub rating: u8 = whole(1, 5).below(),
        /// How dangerous it is, where the perspective says so.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub risk_level: Option<RiskLevel> = word().below().optional().owed(),
        /// What may go wrong.
        #[serde(default)]
        pub risks: Vec<String> = texts(MAX_ENTRIES, ENTRY_CHARS)
            .owed()
            .shown("<what causes it, what happens, what harm it does>"),
        /// Requirements of the context that the artifact meets.
        #[serde(default)]
        pub covered: Vec<String> = points("<the id or quoted words of a requirement that the artifact meets, and where>"),
        /// Requirements of the context that it does not meet.
        #[serde(default)]
        pub missing_requirements: Vec<String> = points("<the id or quoted words of one that it does not meet, and what is missing>")
            .whole(),
    }
}

/// A perspective that answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PerspectiveReply {
    /// Its name.
    pub perspective: String,
    /// Who takes this perspective.
    pub title: String,
    /// The agent that answered.
    pub agent: String,
    /// Its vendor.
    pub vendor: String,
    /// The agent that should have answered, where another one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instead_of: Option<String>,
    /// What it said.
    pub critique: Critique,
}

words! {
    /// What kind of statement a point is.
    #[derive(PartialOrd, Ord, Hash)]
    pub enum PointKind {
        /// Praise.
        Strength = "strength",
        /// A fault.
        Weakness = "weakness",
        /// Something to do.
        Suggestion = "suggestion",
        /// What may go wrong.
        Risk = "risk",
        /// A requirement that is not met.
        MissingRequirement = "missing_requirement",
    }
}

/// One statement of one perspective.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Point {
    /// Whose it is.
    pub perspective: String,
    /// Its kind.
    pub kind: PointKind,
    /// As it was written.
    pub text: String,
}

/// Points of two or more perspectives about the same place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Theme {
    /// The words of the first.
    pub text: String,
    /// The perspectives that raise it, in the order asked.
    pub perspectives: Vec<String>,
    /// All that was put together, so that the grouping can be checked.
    pub members: Vec<Point>,
}

/// Points about the same place, which one perspective praises and another criticises.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct View {
    /// The words of the first who praises it.
    pub text: String,
    /// Always `low`: opinions differ.
    pub severity: Severity,
    /// Who praises it.
    pub praised_by: Vec<String>,
    /// Who criticises it.
    pub faulted_by: Vec<String>,
    /// All that was put together.
    pub members: Vec<Point>,
}

words! {
    /// The kinds of objections and disagreements.
    #[derive(PartialOrd, Ord, Hash)]
    pub enum DivergenceKind {
        /// Requirements are missing: high.
        CoverageGap = "coverage_gap",
        /// The risk is critical (high) or high (medium).
        HighRisk = "high_risk",
        /// A perspective rates it 2 or less: medium.
        LowRating = "low_rating",
        /// Ratings lie 3 or more apart: medium.
        RatingSpread = "rating_spread",
        /// One praises what another criticises: low.
        View = "view",
    }
}

/// An objection or a disagreement, and who raised it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Divergence {
    /// Its kind.
    pub kind: DivergenceKind,
    /// How much it weighs by itself; the verdict's severity is the ladder's.
    pub severity: Severity,
    /// Who said so, in the order asked.
    pub perspectives: Vec<String>,
    /// One sentence.
    pub text: String,
}

/// A requirement that is missing, and who says so.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Gap {
    /// The requirement, in the words of the first who named it.
    pub text: String,
    /// Who says so, in the order asked.
    pub perspectives: Vec<String>,
    /// All that was put together.
    pub members: Vec<Point>,
}

/// Something to be done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ActionItem {
    /// What, in the words of its first member.
    pub text: String,
    /// `high` and `medium` are changes that are required, `low` is advice.
    pub urgency: Severity,
    /// Who asks for it: first the author of the words.
    pub perspectives: Vec<String>,
    /// All that was put together, most urgent first.
    pub members: Vec<Point>,
}

/// What can be said about an artifact without asking anyone.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Basics {
    /// Its bytes.
    pub bytes: u64,
    /// Its lines.
    pub lines: u32,
    /// Its words.
    pub words: u32,
    /// Its headings with their marks (`## Goals`), or the keys of a JSON object.
    pub outline: Vec<LineReference>,
    /// Lines that say that something is not done: marks in capitals that people leave for later.
    pub markers: Vec<LineReference>,
    /// Whether one of the lists was cut.
    pub cut: bool,
}

/// How a critique ended, with its result.
pub type Outcome = kernel::Outcome<Ended<Verdict>, Verdict, Critiques>;

/// The result of a critique.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Critiques {
    /// How serious the objections to it are; `null` where nothing was decided.
    pub severity: Option<Severity>,
    /// What should be done next; `null` where nothing was decided.
    pub recommendation: Option<Recommendation>,
    /// The mean of the ratings, to hundredths; `null` without any.
    pub average_rating: Option<f64>,
    /// By perspective; one that failed has none.
    pub ratings: BTreeMap<String, u8>,
    /// All that was said, and by whom, in the order asked.
    pub perspectives: Vec<PerspectiveReply>,
    /// Objections to going on and differences between perspectives, most severe first.
    pub divergences: Vec<Divergence>,
    /// What two or more perspectives raise.
    pub convergent_themes: Vec<Theme>,
    /// What one praises and another faults.
    pub divergent_views: Vec<View>,
    /// Requirements that are missing.
    pub coverage_gaps: Vec<Gap>,
    /// What is to be done, most urgent first.
    pub action_items: Vec<ActionItem>,
    /// What the artifact by itself says; present only where no perspective answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub basics: Option<Basics>,
}

macro_rules! shown_by_name {
    ($($kind:ty),*) => {
        $(impl fmt::Display for $kind {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.name())
            }
        })*
    };
}

shown_by_name!(Verdict, Severity, Recommendation, RiskLevel, PointKind, DivergenceKind);

/// What the caller's policy does about a result (`--apply-policy`, `docs/discuss.md`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FollowUpAction {
    /// The artifact goes back, once: a revision task is recorded.
    RevisionTask,
    /// It was revised once and is blocked again: a person decides.
    Escalate,
    /// A person signs it off, and it is blocked: a person decides.
    SignOff,
    /// It proceeds; a warning is kept for whoever works on it next.
    Warning,
    /// It goes on.
    GoOn,
    /// Nothing was decided, so nothing follows.
    Nothing,
}

/// What followed from a result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FollowUp {
    /// What is done.
    pub action: FollowUpAction,
    /// The revision task's id: `DISCUSS-002-R1`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// Whether nothing may go on until a person has decided.
    pub stops: bool,
    /// Whether it was written down, now or by an earlier run of the same session; never in a rehearsal.
    pub recorded: bool,
    /// The file that it was written to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// One sentence for people.
    pub message: String,
}
