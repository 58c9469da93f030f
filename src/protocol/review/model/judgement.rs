//! Types for the rules' conclusions from the blocks: locations, groups, judgements that count, statuses, verdict,
//! outcome.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Finding, Severity, Stance};

use crate::words;

/// Whether a finding is where it says (`docs/review.md`, step 2).
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
pub enum Distance {
    /// In a changed hunk.
    Exact,
    /// Elsewhere in the file.
    Context,
    /// In lines that the change removes.
    Removed,
}

/// A finding after the check of its location.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocatedFinding {
    /// The finding; `file` is the normalised path, and `line` the corrected line if the quote was found elsewhere.
    pub finding: Finding,
    /// Whether the finding is where it claims to be.
    pub location: Location,
    /// Distance to the change; `None` unless the finding is located, or if it names neither line nor quote.
    pub nearness: Option<Distance>,
    /// The line that the reviewer wrote, if it was corrected.
    pub written_line: Option<u32>,
}

/// A finding with its author.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuthoredFinding {
    /// The author's seat.
    pub seat: usize,
    /// The vendor that answered for the seat at the time.
    pub vendor: String,
    /// The batch that it is about, from 0.
    pub batch: usize,
    /// 1 for the independent reviews; higher for findings added by a cross-review.
    pub round: u32,
    /// The finding, with its location.
    pub placed: LocatedFinding,
}

/// A seat's latest judgement on a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeatJudgement {
    /// The vendor that answered for the seat at the time.
    pub vendor: String,
    /// The round in which it was given.
    pub round: u32,
    /// The stance as counted: a disagreement whose evidence was not found is `Unsure`.
    pub stance: Stance,
    /// The stance as the seat stated it.
    pub said: Stance,
    /// The seat's reason.
    pub reason: String,
    /// The evidence, if it was found in the change or the file.
    pub evidence: Option<String>,
}

/// Findings about the same defect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// Neutral and stable id: `F1`.
    pub id: String,
    /// The findings, in a fixed order that does not depend on the seats' order; never empty. The first is the one
    /// shown.
    pub members: Vec<AuthoredFinding>,
    /// The latest judgements by seat; never an author's.
    pub judged: BTreeMap<usize, SeatJudgement>,
    /// Hash of the file, the symbol and the quoted code: unchanged as long as that code is.
    pub fingerprint: String,
}

impl Group {
    /// Returns the seats that wrote the group's findings.
    pub fn authors(&self) -> BTreeSet<usize> {
        self.members.iter().map(|raised| raised.seat).collect()
    }

    /// Returns the highest severity given by one of the authors.
    pub fn severity(&self) -> Severity {
        let severities = self.members.iter().map(|raised| raised.placed.finding.severity);
        severities.min().unwrap_or(Severity::P2)
    }

    /// Returns the best location among the members.
    pub fn location(&self) -> Location {
        let places = self.members.iter().map(|raised| raised.placed.location);
        places.min().unwrap_or(Location::Outside)
    }
}

words! {
    /// What the votes say of a group (`docs/review.md`, step 4).
    #[derive(PartialOrd, Ord, Hash)]
    pub enum Status {
        /// More agree than disagree, of two vendors or more.
        Confirmed = "confirmed",
        /// As many agree as disagree.
        Contested = "contested",
        /// Nobody but its author spoke, or only its author's vendor.
        Unverified = "unverified",
        /// More disagree than agree, but a single seat must not end a P0 or P1.
        Disputed = "disputed",
        /// More disagree than agree.
        Refuted = "refuted",
    }
}

impl Status {
    /// Whether the votes are final: no further round asks about the group.
    pub const fn settled(self) -> bool {
        match self {
            Self::Confirmed | Self::Refuted | Self::Disputed => true,
            Self::Contested | Self::Unverified => false,
        }
    }
}

words! {
    /// The verdict on the whole change.
    #[derive(PartialOrd, Ord, Hash)]
    pub enum Verdict {
        /// Everyone reviewed everything and nothing remains.
        Clean = "clean",
        /// Something minor remains, or only one seat refuted something serious.
        Comments = "comments",
        /// A P0 or a P1 remains.
        ChangesRequested = "changes_requested",
        /// It cannot be determined.
        Undecided = "undecided",
    }
}

words! {
    /// How a review ended.
    #[derive(Hash)]
    pub enum ReviewOutcome {
        /// Same as the verdict.
        Clean = "clean",
        /// Same as the verdict.
        Comments = "comments",
        /// Same as the verdict.
        ChangesRequested = "changes_requested",
        /// Quorum is missing, or nothing remains but not everyone reviewed everything.
        Undecided = "undecided",
        /// The next call did not fit into the budget.
        Budget = "budget",
        /// Stopped by a signal, a client or the deadline.
        Interrupted = "interrupted",
        /// No end: a process is still running it.
        Running = "running",
        /// A person closed the session before it was decided (`sessions terminate`).
        Terminated = "terminated",
    }
}

impl ReviewOutcome {
    /// Whether the session is over; the other outcomes leave it open, so that a resume repeats the turns that failed.
    pub const fn closes(self) -> bool {
        match self {
            Self::Clean | Self::Comments | Self::ChangesRequested => true,
            Self::Undecided
            | Self::Budget
            | Self::Interrupted
            | Self::Running
            | Self::Terminated => false,
        }
    }
}
