//! The outcome of a topic debate, in the same form for every style.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ballot::{Choice, VoteRecord};
use super::consensus::Check;
use super::model::{Judgement, Position, Stance, Stances, Support};
use super::typed::{Argument, Metrics, Resolution, RoundStatus};
use crate::kernel::share::Share;
use crate::kernel::{Failure, Seat, SessionOutcome, Stop, TurnId, Warning};
use crate::words;

words! {
    /// How a debate ended (`docs/exit-codes.md`).
    #[derive(Hash)]
    pub enum DebateOutcome {
        /// Dialogue: consensus at or above the threshold.
        Adopted = "adopted",
        /// Dialogue: the expert ruled.
        Expert = "expert",
        /// Dialogue: between the two thresholds; a person decides.
        Partial = "partial",
        /// The sides or seats agree, all of one vendor: it counts as unverified.
        OneVendor = "agreed (one vendor)",
        /// Dialogue, argument: no consensus, and nobody left to rule.
        Deadlocked = "deadlocked",
        /// Argument: consensus at or above the threshold.
        ConsensusReached = "consensus_reached",
        /// Panel: enough votes of enough vendors.
        Settled = "settled",
        /// Panel: a judge ruled the same in both orders.
        Judged = "judged",
        /// Panel: the judge's ruling depends on the order.
        Unstable = "unstable",
        /// Panel: no majority, and no judge.
        Split = "split",
        /// Agents failed: nothing was decided.
        Failed = "failed",
        /// Ended early: by a person (`sessions terminate`), the budget or the deadline.
        Terminated = "terminated",
        /// Stopped by a signal or a client, or its process died.
        Interrupted = "interrupted",
        /// No end: a process is still running it.
        Running = "running",
    }
}

impl From<Stop> for DebateOutcome {
    /// Returns the outcome of a debate that is stopped before its end.
    fn from(why: Stop) -> Self {
        match why {
            Stop::Budget | Stop::Deadline | Stop::Terminated => Self::Terminated,
            Stop::Cancelled(_) => Self::Interrupted,
            Stop::Running => Self::Running,
        }
    }
}

impl DebateOutcome {
    /// Returns the verdict that goes with the outcome: an unanswered question is undecided.
    pub const fn verdict(self) -> Verdict {
        match self {
            Self::Adopted | Self::ConsensusReached | Self::Settled => Verdict::Consensus,
            Self::Expert | Self::Judged => Verdict::Ruled,
            Self::Partial => Verdict::Partial,
            Self::OneVendor => Verdict::OneVendor,
            Self::Deadlocked | Self::Unstable | Self::Split => Verdict::NoConsensus,
            Self::Failed | Self::Terminated | Self::Interrupted | Self::Running => {
                Verdict::Undecided
            }
        }
    }

    /// Returns the outcome if only one vendor answered.
    #[must_use]
    pub const fn of_one_vendor(self) -> Self {
        match self {
            Self::Adopted | Self::ConsensusReached | Self::Settled => Self::OneVendor,
            other => other,
        }
    }

    /// Returns the status that goes with the outcome.
    pub const fn status(self) -> Status {
        match self {
            Self::Adopted | Self::ConsensusReached | Self::Settled => Status::ConsensusReached,
            // A ruling ends a disagreement; it is not a consensus of the sides. One vendor's agreement is none either.
            Self::Expert
            | Self::OneVendor
            | Self::Judged
            | Self::Partial
            | Self::Deadlocked
            | Self::Unstable
            | Self::Split => Status::Deadlocked,
            Self::Failed => Status::Failed,
            Self::Terminated => Status::Terminated,
            Self::Interrupted | Self::Running => Status::InProgress,
        }
    }

    /// Whether the session is over; other outcomes leave it open, so that a resume continues it or repeats failed
    /// turns.
    pub const fn closes(self) -> bool {
        match self {
            Self::Adopted
            | Self::Expert
            | Self::Partial
            | Self::OneVendor
            | Self::Deadlocked
            | Self::ConsensusReached
            | Self::Settled
            | Self::Judged
            | Self::Unstable
            | Self::Split => true,
            Self::Failed | Self::Terminated | Self::Interrupted | Self::Running => false,
        }
    }
}

words! {
    /// The verdict on the question.
    #[derive(Hash)]
    pub enum Verdict {
        /// The agents agree.
        Consensus = "consensus",
        /// An expert or a judge ruled.
        Ruled = "ruled",
        /// They agree in part; a person decides.
        Partial = "partial",
        /// Agents of one vendor agree; a person decides.
        OneVendor = "agreed (one vendor)",
        /// They do not agree.
        NoConsensus = "no_consensus",
        /// It cannot be determined.
        Undecided = "undecided",
    }
}

/// A debate's status (`docs/debate.md`, style `argument`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Created, not started.
    Pending,
    /// Going on.
    InProgress,
    /// The agents agreed.
    ConsensusReached,
    /// No agreement of two vendors within the rounds; where an expert or a judge ruled on it, the outcome says so.
    Deadlocked,
    /// Ended by a person, the budget or the deadline; `stopped_by` names the limit.
    Terminated,
    /// Agents failed.
    Failed,
}

impl Status {
    pub const ALL: [Self; 6] = [
        Self::Pending,
        Self::InProgress,
        Self::ConsensusReached,
        Self::Deadlocked,
        Self::Terminated,
        Self::Failed,
    ];
}

/// The complete result of a debate.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The way in which the debate ended.
    pub outcome: DebateOutcome,
    /// The seats, each with whether it answered.
    pub seats: Vec<Seat>,
    /// Number of seats that must have answered.
    pub needed: u32,
    /// Number of vendors that answered.
    pub vendors: u32,
    /// The last decisive consensus; `None` if none was measured.
    pub consensus: Option<Share>,
    /// Rounds in order, without those of the expert or the judge, which are in `expert`.
    pub rounds: Vec<RoundRecord>,
    /// The last position of each participant, by seat.
    pub final_positions: BTreeMap<String, FinalPosition>,
    /// The decision; `None` if nothing was decided.
    pub decision: Option<Decision>,
    /// Points and concerns that are open at the end.
    pub open_points: Vec<OpenPoint>,
    /// Objections, each with its seat; always kept.
    pub dissent: Vec<Dissent>,
    /// The expert or the judge, if one was asked.
    pub expert: Option<ExpertRecord>,
    /// Panel: the choices that the seats' answers form.
    pub choices: Vec<Choice>,
    /// Panel: the votes of the first ballot.
    pub first_votes: Vec<VoteRecord>,
    /// Panel: the votes of the last ballot.
    pub last_votes: Vec<VoteRecord>,
    /// Argument: the resolution, if there is one.
    pub resolution: Option<Resolution>,
    /// Whether code has to change, according to those who decided.
    pub code_change_required: bool,
    /// Whether the likeness of texts decided the consensus (`--consensus text`).
    pub by_text: bool,
    /// The failure that ended the debate, if one did.
    pub failure: Option<Failure>,
    /// Warnings of the whole session, in order.
    pub warnings: Vec<Warning>,
}

/// One round.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RoundRecord {
    /// From 1.
    pub round: u32,
    /// The consensus that was measured; missing where no check was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub consensus: Option<Check>,
    /// Where both sides' positions were judged (a dialogue's blind opening): by seat, the check of its position.
    /// `consensus` is that of the one that goes on.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub checks: BTreeMap<String, Check>,
    /// By seat, the position as it stood at the end of the round; a dialogue's joint draft of the round as `joint`.
    #[serde(default)]
    pub positions: BTreeMap<String, Position>,
    /// By seat, what it thinks of the other's points.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub stances: BTreeMap<String, Stances>,
    /// Typed arguments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<Argument>,
    /// What they measure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metrics: Option<Metrics>,
    /// Votes of a panel.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub votes: Vec<VoteRecord>,
    /// Seats whose answer is missing; nothing was measured in such a round.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub forced: Vec<String>,
    /// Typed arguments: the round's ids and times.
    #[serde(flatten)]
    pub stamp: Option<RoundStamp>,
}

/// A round of typed arguments as the source document has it, beside what every style has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RoundStamp {
    /// Of its debate and its number.
    pub round_id: String,
    /// The session's id.
    pub debate_id: String,
    /// The same as `round`.
    pub round_number: u32,
    /// The same as `metrics`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub consensus_metrics: Option<Metrics>,
    /// When its first turn was asked for.
    pub started_at: DateTime<Utc>,
    /// When its last turn ended; missing while it is under way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<DateTime<Utc>>,
    /// Its state.
    pub status: RoundStatus,
}

/// A participant's last position.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FinalPosition {
    /// The agent's name.
    pub agent: String,
    /// Its vendor.
    pub vendor: String,
    /// The text: the position's summary, the last argument's text, the panel seat's answer.
    pub text: String,
    /// The round it belongs to.
    pub round: u32,
    /// The whole position, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<Position>,
}

/// What was decided, and by whom.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Decision {
    /// In words.
    pub text: String,
    /// Whose it is: `proposer`, `reviewer`, `joint`, `expert`, `primary`, `panel`, `judge`, ...
    pub by: String,
    /// The position that was adopted, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<Position>,
    /// Amendments that its agreement rests on, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub amendments: Vec<String>,
}

/// What is open at the end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OpenPoint {
    /// The point's or the concern's id.
    pub id: String,
    /// What it says.
    pub text: String,
    /// 1 to 3.
    pub importance: u8,
    /// What the other side thinks of it; `None`: it said nothing.
    pub stance: Option<Stance>,
    /// How well the other side finds it supported, where it says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub support: Option<Support>,
    /// Why.
    pub reason: String,
    /// What the expert ruled on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ruling: Option<String>,
}

/// A disagreement that remained at the end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Dissent {
    /// Whose.
    pub seat: String,
    /// The agent's name.
    pub agent: String,
    /// With what.
    pub about: String,
    /// Why.
    pub reason: String,
}

/// The expert, or the panel's judge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ExpertRecord {
    /// The agent's name.
    pub agent: String,
    /// Its vendor.
    pub vendor: String,
    /// Whether the vendor also has a participant.
    pub of_a_participant: bool,
    /// The ruling; `None`: it failed. A judge's is that of the first order.
    pub judgement: Option<Judgement>,
    /// A judge's own answer, before it saw the others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own_answer: Option<String>,
    /// A judge's choice in the first order and in the other.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<String>,
    /// Why it gave no ruling.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
}

impl SessionOutcome for Outcome {
    fn name(&self) -> String {
        self.outcome.name().to_owned()
    }

    fn verdict(&self) -> &str {
        self.outcome.verdict().name()
    }

    fn closes(&self) -> bool {
        self.outcome.closes()
    }

    fn seats(&mut self) -> &mut [Seat] {
        &mut self.seats
    }

    fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// Statements made after a missing answer were made because it was missing; repeating that turn would make them
    /// part of a different debate. So only the failures that ended the debate are repeated: those of the last round.
    fn again(&self, mut failed: Vec<String>) -> Vec<String> {
        let round = |turn: &str| TurnId::read(turn).round();
        let last = failed.iter().filter_map(|turn| round(turn)).max();
        failed.retain(|turn| self.outcome == DebateOutcome::Failed && round(turn) == last);
        failed
    }
}
