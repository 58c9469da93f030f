//! The result of a code review as a document, and the forms made from it.
//!
//! # Theory of operation
//!
//! [`ReviewDocument`] is printed by `--json` and kept beside the report. Every other form is made from it alone: its
//! page for people, on a terminal and as the report, [`sarif`] for code scanning, [`github`] for the annotations of a
//! workflow. So all forms agree, and a stored result can be shown again in any of them.
//!
//! Each form starts with the facts that limit its reliability: that nothing was decided, that an agent did not
//! answer, that a part was not looked at, that it was a rehearsal. A result without findings reads as clean only if
//! the verdict is `clean`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::document::{Header, SessionFacts};
use crate::change::{Change, ChangeKind, ChangedFile, NotReviewed, Totals};
use crate::kernel::{EndWord as _, Ended, Seat, SeatStatus, Stamp, Usd};
use crate::protocol::review::{
    Distance, FinalFinding, Input, Location, Outcome, PullRequest, ReportedFinding, ReviewFindings,
    Severity, Status, Verdict,
};
use crate::report::page::terminal::line;

pub use nothing::NothingToReview;

mod code;
#[cfg(test)]
pub(crate) mod example;
pub mod github;
mod nothing;
mod page;
pub(crate) mod pull_request;
mod result;
pub mod sarif;

pub(crate) const TOOL: &str = "debate-agent";
/// The key of our fingerprints in SARIF's `partialFingerprints`: their origin, and the version of the algorithm.
pub(crate) const FINGERPRINT: &str = "debateAgent/v1";

/// The result of `review`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReviewDocument {
    /// What all results have. `outcome` repeats the verdict unless the run was cut short.
    #[serde(flatten)]
    pub header: Header<Ended<Verdict>, Verdict>,
    /// `review`.
    pub mode: String,
    /// What the person asked to look at in particular; may be empty.
    pub question: String,
    /// What was reviewed.
    pub change: ReviewedChange,
    /// The pull request that it is, if it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pull_request: Option<PullRequest>,
    /// What came of it.
    #[serde(flatten)]
    pub result: ReviewFindings,
    /// The confidence at which no further round was to be held.
    pub confidence_wanted: u32,
    /// Maximum number of cross-examinations.
    pub max_rounds: u32,
    /// The headline: how it ended and why, in one line.
    pub recommendation: String,
    /// How long each turn took, in the order of the turns.
    pub durations: Vec<TurnTime>,
    /// The same as `cost.total_usd`.
    pub cost_usd: Usd,
}

/// What was reviewed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReviewedChange {
    /// What was compared: `working tree against HEAD`.
    pub scope: String,
    /// The commit that it was compared with; `null` before the first commit and for a patch.
    pub base: Option<String>,
    /// Its size, what is not reviewed included.
    pub totals: Totals,
    /// Files that reviewers were shown, in the order of their paths.
    #[serde(default)]
    pub files: Vec<ReviewedFile>,
    /// Parts that a large change was shown in.
    pub batches: u64,
}

/// A file that reviewers were shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReviewedFile {
    /// Its path from the top of the repository; of a deleted file, the old one.
    pub path: String,
    /// What happened to it.
    pub kind: ChangeKind,
    /// Lines that are added, in the parts that were shown.
    pub added: u64,
    /// Lines that are removed, in the parts that were shown.
    pub removed: u64,
}

/// How long a turn took.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TurnTime {
    /// The turn's id: `r2/cross/s2`.
    pub turn: String,
    /// All its attempts, without pauses and replays.
    pub milliseconds: u64,
}

impl ReviewDocument {
    /// Creates the document. `stamp` contains ids, times and money.
    pub fn new(
        input: Input,
        outcome: Outcome,
        stamp: &Stamp,
        durations: Vec<TurnTime>,
        about: SessionFacts,
    ) -> Self {
        let (mut header, result) = Header::new("review", outcome, stamp, about);
        // That nothing grave is there is an agreement, too, and one vendor's settles nothing.
        header.decided &= header.verdict == Verdict::ChangesRequested || !header.is_of_one_vendor();
        let mut document = Self {
            mode: "review".to_owned(),
            question: input.question,
            change: ReviewedChange::of(&input.change),
            pull_request: input.pull_request,
            confidence_wanted: input.settings.confidence,
            max_rounds: input.settings.max_rounds,
            recommendation: String::new(),
            durations,
            cost_usd: header.cost.total_usd,
            header,
            result,
        };
        document.recommendation = line(&document.headline_text());
        document
    }

    /// Whether the review reached a verdict: otherwise no form of it may look like a result.
    ///
    /// A run that was cut short decided nothing, even if a P0 had already been found.
    pub fn decided(&self) -> bool {
        self.header.verdict.closes() && self.header.outcome.closes()
    }

    /// Returns the seats that have no review that counts.
    fn silent(&self) -> impl Iterator<Item = &Seat> {
        let seats = self.header.seats.iter();
        seats.filter(|seat| !reviewed(seat))
    }

    /// Returns the seats that reviewed the change, but did not answer every question.
    fn lapsed(&self) -> impl Iterator<Item = &Seat> {
        let seats = self.header.seats.iter();
        seats.filter(|seat| reviewed(seat) && seat.failure.is_some())
    }

    /// Returns the parts left out by size or failure: with any of them, a review cannot be clean.
    fn missed(&self) -> impl Iterator<Item = &NotReviewed> {
        let left_out = self.result.not_reviewed.iter();
        left_out.filter(|part| part.missed)
    }

    /// Counts the findings of a severity that remain and that more than their author stands behind, or that are P2.
    fn remaining(&self, severity: Severity) -> usize {
        let of = |finding: &&FinalFinding| {
            finding.reported.finding.severity == severity
                && finding.status != Status::Disputed
                && !is_unverified(finding)
        };
        self.result.findings.iter().filter(of).count()
    }

    /// Counts the P0 and P1 findings of which nobody else could tell whether they hold.
    fn unverified(&self) -> usize {
        self.result.findings.iter().filter(|finding| is_unverified(finding)).count()
    }

    /// Counts the P0 and P1 findings that only one seat refuted.
    fn disputed(&self) -> usize {
        let findings = self.result.findings.iter();
        findings.filter(|finding| finding.status == Status::Disputed).count()
    }
}

fn is_unverified(finding: &FinalFinding) -> bool {
    finding.status == Status::Unverified && finding.reported.finding.severity < Severity::P2
}

const fn reviewed(seat: &Seat) -> bool {
    match seat.status {
        SeatStatus::Answered | SeatStatus::FellBack => true,
        SeatStatus::Failed | SeatStatus::Asked | SeatStatus::Skipped => false,
    }
}

/// Returns the line of the new file that a finding is about. `None` if it names no line, if the line does not exist,
/// or if the change removes it: marking another line would mislead.
pub(crate) fn file_line(reported: &ReportedFinding) -> Option<u32> {
    let there = match (reported.location, reported.nearness) {
        (Location::Located, Some(Distance::Exact | Distance::Context) | None) => true,
        (Location::Located, Some(Distance::Removed))
        | (Location::Mislocated | Location::Outside, _) => false,
    };
    reported.finding.line.filter(|line| there && *line > 0)
}

impl ReviewedChange {
    fn of(change: &Change) -> Self {
        Self {
            scope: change.scope.clone(),
            base: change.base.clone(),
            totals: change.totals,
            files: change.files.iter().map(ReviewedFile::of).collect(),
            batches: change.batches.len() as u64,
        }
    }
}

impl ReviewedFile {
    fn of(file: &ChangedFile) -> Self {
        let count = |marker| file.hunks.iter().map(|hunk| hunk.count(marker)).sum();
        let (added, removed) = (count('+'), count('-'));
        Self { path: file.path.clone(), kind: file.kind, added, removed }
    }
}

#[cfg(test)]
mod tests;
