//! What reviewers say, what the rules make of it, and the outcome of a review.
//!
//! A *seat* is an agent's place in the panel, counted from 0 here and from 1 in names (`s1`). What
//! one seat reads of another never names it; agents' names come back in the [`Outcome`].

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::change::NotReviewed;
use crate::protocol::Failure;
use crate::protocol::backlog::model::{RoundWarning, Seat};

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

/// One vote of a `VALIDATION` block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ballot {
    /// The id of the composer's decision: the group's id.
    pub id: String,
    /// Whether the decision is right.
    pub approve: bool,
    /// Why.
    pub reason: String,
}

/// A `VALIDATION` block.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ValidationSaid {
    /// One entry a decision; those that are missing are no vote.
    pub votes: Vec<Ballot>,
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

/// Whether a finding is where it says (`spec/review-and-plan.md`, step 2).
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Location {
    /// File, and line or quote, were found.
    Located,
    /// The file is in the change, the line or the quote is not there.
    Mislocated,
    /// The file is not in the change.
    Outside,
}

/// How close a located finding is to what changed.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Nearness {
    /// In a changed hunk.
    Exact,
    /// Elsewhere in the file.
    Context,
    /// In lines that the change removes.
    Removed,
}

/// A finding after the check of its location.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placed {
    /// The finding; `file` is the normalised path, and `line` the corrected line where the quote stands elsewhere.
    pub finding: Finding,
    /// Whether it is where it says.
    pub location: Location,
    /// How close to the change; `None` unless located, or where it names neither line nor quote.
    pub nearness: Option<Nearness>,
    /// The line that the reviewer wrote, where it was corrected.
    pub written_line: Option<u32>,
}

/// A finding with its author.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Raised {
    /// The author's seat.
    pub seat: usize,
    /// The vendor that answered for the seat then.
    pub vendor: String,
    /// The batch it is about, from 0.
    pub batch: usize,
    /// 1 for the independent reviews; later for what a cross-review added.
    pub round: u32,
    /// The finding.
    pub placed: Placed,
}

/// A seat's latest judgement on a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judged {
    /// The vendor that answered for the seat then.
    pub vendor: String,
    /// The round.
    pub round: u32,
    /// What it counts as: a disagreement whose evidence was not found is `Unsure`.
    pub stance: Stance,
    /// What was said, if it counts as something else.
    pub said: Stance,
    /// Why.
    pub reason: String,
    /// The evidence, if it was found in the change or the file.
    pub evidence: Option<String>,
}

/// Findings that are the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// Neutral and stable: `F1`.
    pub id: String,
    /// The findings, in a fixed order that does not depend on the seats' order; never empty. The first is the one that is shown.
    pub members: Vec<Raised>,
    /// Latest judgements by seat; never an author's.
    pub judged: BTreeMap<usize, Judged>,
    /// File, symbol and quoted code, hashed: the same while that code is unchanged.
    pub fingerprint: String,
}

impl Group {
    /// Returns the seats that wrote it.
    pub fn authors(&self) -> BTreeSet<usize> {
        self.members.iter().map(|raised| raised.seat).collect()
    }

    /// Returns its severity: the highest that one of its authors gave.
    pub fn severity(&self) -> Severity {
        let severities = self
            .members
            .iter()
            .map(|raised| raised.placed.finding.severity);
        severities.min().unwrap_or(Severity::P2)
    }

    /// Returns the best location of its members.
    pub fn location(&self) -> Location {
        let places = self.members.iter().map(|raised| raised.placed.location);
        places.min().unwrap_or(Location::Outside)
    }
}

/// What the votes say of a group (`spec/review-and-plan.md`, step 4).
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// More agree than disagree, of two vendors or more.
    Confirmed,
    /// As many agree as disagree.
    Contested,
    /// Nobody but its author spoke, or only its author's vendor.
    Unverified,
    /// More disagree than agree, but a single seat must not end a P0 or P1.
    Disputed,
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
            Self::Disputed => "disputed",
            Self::Refuted => "refuted",
        }
    }

    /// Whether the votes have come to an end: no further round asks about it.
    pub const fn settled(self) -> bool {
        match self {
            Self::Confirmed | Self::Refuted | Self::Disputed => true,
            Self::Contested | Self::Unverified => false,
        }
    }
}

/// What is said of the whole change.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Everybody looked at everything and nothing remains.
    Clean,
    /// Something minor remains, or one seat alone refuted something grave.
    Comments,
    /// A P0 or a P1 remains.
    ChangesRequested,
    /// It cannot be said.
    Undecided,
}

impl Verdict {
    /// Returns the name as it stands in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Clean => "clean",
            Self::Comments => "comments",
            Self::ChangesRequested => "changes_requested",
            Self::Undecided => "undecided",
        }
    }
}

/// How a review ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReviewOutcome {
    /// As the verdict.
    Clean,
    /// As the verdict.
    Comments,
    /// As the verdict.
    ChangesRequested,
    /// Quorum is missing, or nothing remains but not everybody looked at everything.
    Undecided,
    /// The next call did not fit into the budget.
    Budget,
    /// Stopped by a signal, a client or the deadline.
    Interrupted,
}

impl ReviewOutcome {
    /// Returns the name as it stands in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Clean => "clean",
            Self::Comments => "comments",
            Self::ChangesRequested => "changes_requested",
            Self::Undecided => "undecided",
            Self::Budget => "budget",
            Self::Interrupted => "interrupted",
        }
    }

    /// Whether the session is over; the others leave it open, so that a resume asks again what failed.
    pub const fn closes(self) -> bool {
        match self {
            Self::Clean | Self::Comments | Self::ChangesRequested => true,
            Self::Undecided | Self::Budget | Self::Interrupted => false,
        }
    }
}

/// A seat's score, component by component (`spec/review-and-plan.md`, step 5). Points, not counts.
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
pub struct Reported {
    /// `F1`.
    pub id: String,
    /// The highest that an author gave.
    pub severity: Severity,
    /// Whether it is where it says.
    pub location: Location,
    /// In a changed hunk, elsewhere in the file, or in removed lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nearness: Option<Nearness>,
    /// One line.
    pub title: String,
    /// Path from the top of the repository.
    pub file: String,
    /// From 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The last line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end_line: Option<u32>,
    /// The code that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quote: Option<String>,
    /// What is wrong and what happens.
    pub detail: String,
    /// How to mend it.
    pub fix: String,
    /// Agents that wrote it.
    pub found_by: Vec<String>,
    /// Other agents that agreed.
    pub confirmed_by: Vec<String>,
    /// Agents that disagreed with evidence.
    pub disputed_by: Vec<String>,
    /// What each judge said, in the order of the seats.
    pub judgements: Vec<JudgementRecord>,
    /// What severity each author gave.
    pub severities: BTreeMap<String, Severity>,
    /// Ids of groups that the composer merged into this one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub merged: Vec<String>,
    /// File, symbol and quoted code, hashed: the name under which it is dismissed.
    pub fingerprint: String,
}

/// A finding that remains.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FinalFinding {
    /// What the votes say; never `refuted`.
    pub status: Status,
    /// The finding; its location is never `outside`.
    #[serde(flatten)]
    pub reported: Reported,
}

/// A finding that does not remain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Eliminated {
    /// Which rule.
    pub status: EliminatedStatus,
    /// Why, in words.
    pub reason: String,
    /// The finding.
    #[serde(flatten)]
    pub reported: Reported,
}

/// Why a finding does not remain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EliminatedStatus {
    /// More seats disagreed than agreed.
    Refuted,
    /// Its file is not in the change.
    Outside,
    /// The composer threw it out and was not outvoted.
    Eliminated,
}

/// A finding that is known: dismissed before, or in the baseline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Suppressed {
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
    pub known: Known,
}

/// Why a finding is not raised again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "as", rename_all = "snake_case")]
pub enum Known {
    /// Somebody dismissed it.
    Dismissed {
        /// The reason given.
        why: String,
    },
    /// An earlier result holds it.
    Baseline,
}

/// What one judge said of a finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct JudgementRecord {
    /// The agent.
    pub agent: String,
    /// What it counts as.
    pub stance: Stance,
    /// Why, in its words.
    pub reason: String,
    /// The evidence that was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<String>,
    /// It disagreed, but gave no evidence that the program found.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub without_evidence: bool,
}

/// What came of the vote on one of the composer's decisions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ValidationRecord {
    /// The group's id.
    pub id: String,
    /// What the composer decided.
    pub decision: DecisionKind,
    /// Votes for it.
    pub approves: u32,
    /// Votes against it.
    pub rejects: u32,
    /// What follows.
    pub result: ValidationResult,
    /// Why, in the voters' words, with their agents' names.
    pub reasons: Vec<(String, String)>,
}

/// What a composer can decide of a group.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum DecisionKind {
    /// It stays.
    Keep,
    /// It goes into another one.
    Merge,
    /// It is thrown out.
    Eliminate,
}

/// What follows from the votes on a decision.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum ValidationResult {
    /// The decision stands.
    Approved,
    /// It does not: an eliminated finding stays, a merged one stands alone again, a kept one is marked.
    Rejected,
    /// As many for it as against it, and the composer broke the tie.
    TieBroken,
    /// As many for it as against it: the finding stays.
    TieKept,
    /// Nobody could vote: the finding stays.
    Unvalidated,
}

/// How sure the panel was after a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RoundRecord {
    /// 0 for the independent reviews, then the cross-examinations.
    pub round: u32,
    /// 0 to 100.
    pub confidence: u32,
    /// Groups that are settled.
    pub settled: u32,
    /// All groups.
    pub groups: u32,
    /// Turns of this round that were answered.
    pub answered: u32,
    /// Turns of this round that were asked.
    pub asked: u32,
}

/// How two agents' findings and judgements meet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Agreement {
    /// One agent.
    pub one: String,
    /// Another.
    pub other: String,
    /// Groups that both wrote.
    pub shared: u32,
    /// Groups of one that the other agreed with.
    pub agreed: u32,
    /// Groups of one that the other disagreed with, with evidence.
    pub disagreed: u32,
    /// Groups of one on which the other was unsure or silent.
    pub open: u32,
}

/// The result of a review, for whoever writes the document.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// How it ended.
    pub outcome: ReviewOutcome,
    /// What that means.
    pub verdict: Verdict,
    /// Who composed the result; `None` where the rules did.
    pub composed_by: Option<String>,
    /// The agent with the highest score; `None` without a score.
    pub winner: Option<String>,
    /// 0 to 100.
    pub confidence: u32,
    /// One entry a round, from the independent reviews on.
    pub rounds: Vec<RoundRecord>,
    /// What remains, the worst first.
    pub findings: Vec<FinalFinding>,
    /// What does not, with reasons.
    pub eliminated: Vec<Eliminated>,
    /// What is known and not raised again.
    pub suppressed: Vec<Suppressed>,
    /// By agent; a failed one has none.
    pub scores: BTreeMap<String, ScoreBreakdown>,
    /// One entry a pair of agents that answered.
    pub agreement: Vec<Agreement>,
    /// One entry a decision of the composer.
    pub validation: Vec<ValidationRecord>,
    /// One paragraph, by rule.
    pub recommendation: String,
    /// What nobody was shown or too few looked at.
    pub not_reviewed: Vec<NotReviewed>,
    /// Risks that were named, each once.
    pub residual_risks: Vec<String>,
    /// Questions that were named, each once.
    pub open_questions: Vec<String>,
    /// Fewer than two seats answered: nothing is confirmed.
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
