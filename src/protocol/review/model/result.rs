//! The contents of a result: findings that remain and findings that do not, scores, rounds, votes, and the
//! [`Outcome`].
//!
//! Agents are named again in these types; up to this point, seats are numbers.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Distance, Finding, Location, Severity, Stance, Status, Verdict};
use crate::change::{Excerpt, NotReviewed};
use crate::kernel::{self, Ended};
use crate::protocol::council::{RejectedKeepVotes, RoundRecord, Tally};
use crate::protocol::review::proof::Proof;
use crate::words;

/// A seat's score, component by component (`docs/review.md`, step 5). Points, not counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct ScoreBreakdown {
    /// 15 each, 45 at most.
    pub p0_findings: i32,
    /// 8 each, 32 at most.
    pub p1_findings: i32,
    /// 3 each, 12 at most.
    pub p2_findings: i32,
    /// -10 each, -30 at least.
    pub false_positives: i32,
    /// 5 each, 25 at most.
    pub concrete_fixes: i32,
    /// 2 each, 10 at most.
    pub file_accuracy: i32,
    /// 0 to 10.
    pub clarity: i32,
    /// The sum, -30 to 134.
    pub total: i32,
}

/// A finding as a result shows it, without what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReportedFinding {
    /// `F1`.
    pub id: String,
    /// As the first author wrote it, where it was found; the severity is the highest that seats of two vendors give, where
    /// a P0 counts for a P1 and a P2 too, and without authors of two vendors the highest that an author gave.
    #[serde(flatten)]
    pub finding: Finding,
    /// No other vendor gives that severity, or a higher one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub severity_unconfirmed: bool,
    /// Whether it is where it says.
    pub location: Location,
    /// In a changed hunk, elsewhere in the file, or in removed lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nearness: Option<Distance>,
    /// The code that it is about, with its line or lines marked; of lines that the change removes, and of a deleted file,
    /// these are lines of the old file. `None` unless it is located and has a line that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hunk: Option<Excerpt>,
    /// Agents that wrote it.
    pub found_by: Vec<String>,
    /// Other agents that agreed.
    pub confirmed_by: Vec<String>,
    /// Agents that disagreed with evidence.
    pub disputed_by: Vec<String>,
    /// What each judge said, in the order of the seats.
    pub judgements: Vec<JudgementRecord>,
    /// What its author said when it was shown the one refutation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rebuttals: Vec<JudgementRecord>,
    /// What severity each author gave, and each agent that agreed and named one.
    pub severities: BTreeMap<String, Severity>,
    /// Ids of groups that were merged into this one, by the composer or because a judge said that they are the same.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub merged: Vec<String>,
    /// Those of them that were merged on a judge's word, with their texts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub repeats: Vec<RepeatRecord>,
    /// File, symbol and quoted code, hashed: the name under which it is dismissed.
    pub fingerprint: String,
    /// What came of testing it (`--prove`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proof: Option<Proof>,
}

/// A finding that a judge said is the same as another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RepeatRecord {
    /// `F2`.
    pub id: String,
    /// One line.
    pub title: String,
    /// From 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// What is wrong and what happens.
    pub detail: String,
    /// Agents that said so.
    pub said_by: Vec<String>,
}

/// A finding that remains.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FinalFinding {
    /// What the votes say; never `refuted`.
    pub status: Status,
    /// Where it is not `disputed` itself: those of the groups shown as it that only one agent refuted, with their severities.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub disputed: BTreeMap<String, Severity>,
    /// The votes on keeping it, where more validators were against it than for it: it stays all the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keep_rejected: Option<RejectedKeepVotes>,
    /// The finding; its location is never `outside`.
    #[serde(flatten)]
    pub reported: ReportedFinding,
}

/// A finding that does not remain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EliminatedFinding {
    /// Which rule.
    pub status: EliminatedStatus,
    /// Why, in words.
    pub reason: String,
    /// The finding.
    #[serde(flatten)]
    pub reported: ReportedFinding,
}

words! {
    /// Why a finding does not remain.
    #[derive(Hash)]
    pub enum EliminatedStatus {
        /// More seats disagreed than agreed.
        Refuted = "refuted",
        /// Its file is not in the change.
        Outside = "outside",
        /// The composer threw it out and was not outvoted.
        Eliminated = "eliminated",
    }
}

/// A finding that is known: dismissed before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SuppressedFinding {
    /// How bad it is.
    pub severity: Severity,
    /// One line.
    pub title: String,
    /// Path from the top of the repository.
    pub file: String,
    /// From 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Agents that wrote it.
    pub found_by: Vec<String>,
    /// Its fingerprint.
    pub fingerprint: String,
    /// Why it is not raised.
    pub known: SuppressionReason,
}

/// Why a finding is not raised again: somebody dismissed it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SuppressionReason {
    /// The reason given.
    pub why: String,
    /// How bad it was then: what is worse at the same place is raised.
    pub severity: Severity,
}

impl SuppressionReason {
    /// Whether a finding of this severity is covered: if it is no graver than the dismissed one.
    pub fn covers(&self, found: Severity) -> bool {
        found >= self.severity
    }
}

/// What one judge said of a finding, or its author of the refutation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct JudgementRecord {
    /// The finding that it said it of: another id than the entry's where several are shown as one.
    pub finding: String,
    /// The agent.
    pub agent: String,
    /// What it counts as.
    pub stance: Stance,
    /// Why, in its words.
    pub reason: String,
    /// The evidence that was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<String>,
    /// It agreed or disagreed, but gave no evidence that the program found.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub without_evidence: bool,
    /// What it said, if it counts as something else for want of evidence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said: Option<Stance>,
    /// The part of the finding that it agrees with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only: Option<String>,
    /// The severity that it gives the defect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub severity: Option<Severity>,
    /// The id of another finding that it says is the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub same_as: Option<String>,
    /// The lines that it would have had to see.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<String>,
}

/// The result of the vote on one of the composer's decisions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ValidationRecord {
    /// The group's id.
    pub id: String,
    /// What the composer decided.
    pub decision: DecisionKind,
    /// Why, in its words, if it gave a reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
    /// The votes, and what follows.
    #[serde(flatten)]
    pub tally: Tally,
    /// Why, in the voters' words, with their agents' names.
    pub reasons: Vec<(String, String)>,
}

/// What a composer can decide of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DecisionKind {
    #[default]
    Keep,
    /// It goes into another one.
    Merge,
    /// It is thrown out.
    Eliminate,
}

/// How two agents' findings and judgements overlap.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Agreement {
    /// One agent.
    pub one: String,
    /// Another.
    pub other: String,
    /// Groups that both wrote.
    pub shared: u32,
    /// Groups that only one of the two wrote, and the other agreed with.
    pub agreed: u32,
    /// The same, where the other disagreed with evidence.
    pub disagreed: u32,
    /// The same, where the other was unsure or silent.
    pub open: u32,
}

/// How a review ended, with its result.
pub type Outcome = kernel::Outcome<Ended<Verdict>, Verdict, ReviewFindings>;

/// The result of a review.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReviewFindings {
    /// The agent with the highest score; `null` without a score.
    pub winner: Option<String>,
    /// Who composed the result; `null` where the rules did.
    pub composed_by: Option<String>,
    /// How sure the panel is, 0 to 100. It never changes the verdict.
    pub confidence: u32,
    /// One entry per round: 0 for the independent reviews, then the cross-examinations.
    pub rounds: Vec<RoundRecord>,
    /// What remains, the worst first.
    pub findings: Vec<FinalFinding>,
    /// What does not remain, with reasons.
    pub eliminated: Vec<EliminatedFinding>,
    /// What is known and was not raised again.
    pub suppressed: Vec<SuppressedFinding>,
    /// By agent, component by component; one that failed a review or a judgement has none.
    pub scores: BTreeMap<String, ScoreBreakdown>,
    /// One entry per pair of agents that answered.
    pub agreement: Vec<Agreement>,
    /// One entry per decision of the composer.
    pub validation: Vec<ValidationRecord>,
    /// What nobody was shown, or too few reviewed.
    pub not_reviewed: Vec<NotReviewed>,
    /// Risks that were named, each once.
    pub residual_risks: Vec<String>,
    /// Questions that were named, each once.
    pub open_questions: Vec<String>,
    /// Fewer than two agents answered: nothing is confirmed.
    pub degraded: bool,
}
