//! The outcome of a topic debate, in the same form for every style.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ballot::{Choice, VoteRecord};
use super::consensus::Check;
use super::model::{Judgement, Position, Stance, StanceEntry, Stances, Support};
use super::typed::{Argument, Metrics, Resolution, RoundStatus};
use crate::kernel::share::Share;
use crate::kernel::{self, EndWord, Ended, Failure, HUMAN, Halt, Quorum, Seat, TurnId, Warning};
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
    }
}

impl EndWord for DebateOutcome {
    fn closes(self) -> bool {
        self != Self::Failed
    }

    fn decides(self) -> bool {
        matches!(self.verdict(), Verdict::Consensus | Verdict::Ruled)
    }

    /// Statements made after a missing answer were made because it was missing; repeating that turn would make them
    /// part of a different debate. So only the failures that ended the debate are repeated: those of the last round.
    fn again(ended: Ended<Self>, mut failed: Vec<String>) -> Vec<String> {
        let round = |turn: &str| TurnId::read(turn).round();
        let last = failed.iter().filter_map(|turn| round(turn)).max();
        failed.retain(|turn| ended == Self::Failed && round(turn) == last);
        failed
    }
}

impl DebateOutcome {
    /// Returns the verdict that goes with the outcome.
    pub const fn verdict(self) -> Verdict {
        match self {
            Self::Adopted | Self::ConsensusReached | Self::Settled => Verdict::Consensus,
            Self::Expert | Self::Judged => Verdict::Ruled,
            Self::Partial => Verdict::Partial,
            Self::OneVendor => Verdict::OneVendor,
            Self::Deadlocked | Self::Unstable | Self::Split => Verdict::NoConsensus,
            Self::Failed => Verdict::Undecided,
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
    /// Ended by a person or the budget.
    Terminated,
    /// Agents failed.
    Failed,
}

impl From<Ended<DebateOutcome>> for Status {
    fn from(ended: Ended<DebateOutcome>) -> Self {
        match ended {
            Ended::Closed(DebateOutcome::Failed) => Self::Failed,
            Ended::Closed(outcome) if outcome.verdict() == Verdict::Consensus => {
                Self::ConsensusReached
            }
            // A ruling ends a disagreement; it is not a consensus of the sides. One vendor's agreement is none either.
            Ended::Closed(_) => Self::Deadlocked,
            Ended::Stopped(Halt::Running | Halt::Interrupted) => Self::InProgress,
            Ended::Stopped(Halt::Budget | Halt::Terminated) => Self::Terminated,
        }
    }
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

/// How a debate ended, with its result.
pub type Outcome = kernel::Outcome<Ended<DebateOutcome>, Verdict, DebateResult>;

/// Seats that do not count as participants: those that rule, and the person who is asked for facts.
const BESIDE: [&str; 3] = ["expert", "judge", "person"];

/// Whether a seat is a participant's.
pub fn at_the_table(seat: &&Seat) -> bool {
    !BESIDE.contains(&seat.role.as_str())
}

/// Returns the outcome of a debate in which this many vendors answered; `needed`: participants that must have.
pub(crate) fn outcome(
    ended: Ended<DebateOutcome>,
    (needed, vendors): (u32, u32),
    seats: Vec<Seat>,
    failure: Option<Failure>,
    warnings: &[Warning],
    result: DebateResult,
) -> Outcome {
    let table: Vec<Seat> = seats.iter().filter(at_the_table).cloned().collect();
    // With a person in a seat it is no matter of vendors.
    let one_vendor = vendors < 2 && table.iter().all(|seat| seat.vendor != HUMAN);
    let outcome = match ended {
        Ended::Closed(reached) if one_vendor && reached.verdict() == Verdict::Consensus => {
            Ended::Closed(DebateOutcome::OneVendor)
        }
        other => other,
    };
    Outcome {
        outcome,
        verdict: match outcome {
            Ended::Closed(outcome) => outcome.verdict(),
            Ended::Stopped(_) => Verdict::Undecided,
        },
        // The seats name the configured agents; only the protocol knows their stand-ins.
        quorum: Quorum { vendors, ..Quorum::of(&table, needed) },
        seats,
        rounds_used: u32::try_from(result.rounds.len()).unwrap_or(u32::MAX),
        failure,
        warnings: warnings.to_vec(),
        result,
    }
}

/// The result of a debate.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct DebateResult {
    /// The last decisive consensus; `null` where none was measured.
    pub consensus: Option<Share>,
    /// Rounds, in order; those of the expert or the judge are in `expert`.
    pub rounds: Vec<RoundRecord>,
    /// By seat, each participant's last position; in a document by agent (`agent/seat` where one holds several seats).
    pub final_positions: BTreeMap<String, FinalPosition>,
    /// What was decided; `null` where nothing was.
    pub decision: Option<Decision>,
    /// What is open.
    pub open_points: Vec<OpenPoint>,
    /// Who did not agree to what; never left out.
    pub dissent: Vec<Dissent>,
    /// The expert or the judge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expert: Option<ExpertRecord>,
    /// Panel: what the answers amount to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<Choice>,
    /// Panel: the first ballot.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub first_votes: Vec<VoteRecord>,
    /// Panel: the last ballot.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub last_votes: Vec<VoteRecord>,
    /// Typed arguments: how it was resolved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolution: Option<Resolution>,
    /// Whether code has to change, as those say who decided.
    pub code_change_required: bool,
    /// Whether the likeness of texts decided the consensus (`--consensus text`); in a document, `thresholds.basis` says
    /// so.
    #[serde(skip)]
    pub by_text: bool,
}

/// One round.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
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
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct FinalPosition {
    /// `proposer`, `s2`.
    pub seat: String,
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

impl FinalPosition {
    /// Returns a position of which there is the text alone.
    pub(crate) fn new(seat: &str, (agent, vendor): (&str, &str), text: &str, round: u32) -> Self {
        let [seat, agent, vendor, text] = [seat, agent, vendor, text].map(str::to_owned);
        Self { seat, agent, vendor, text, round, position: None }
    }
}

/// What was decided, and by whom.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Decision {
    /// In words.
    pub text: String,
    /// Whose it is: `proposer`, `reviewer`, `joint`, `expert`, `primary`, `panel`, `judge`, ...
    pub by: String,
    /// The position that was adopted, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<Position>,
    /// Amendments that its agreement rests on, in words; in a dialogue the points of the position read so.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub amendments: Vec<String>,
    /// Dialogue: what the other side conceded, and its points that are not in its last position as they stood: withdrawn, or
    /// worded anew under another id.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub withdrawn: Vec<String>,
    /// Dialogue: why the other side agrees, by point. Panel: the reasons of the answers that it holds, by seat.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agreed: Vec<String>,
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

impl OpenPoint {
    /// Returns a point, or a concern of this importance, on which the other side said this.
    pub(crate) fn new(id: &str, text: &str, importance: u8, said: Option<&StanceEntry>) -> Self {
        Self {
            id: id.to_owned(),
            text: text.to_owned(),
            importance,
            stance: said.map(|said| said.stance),
            support: said.and_then(|said| said.support),
            reason: said.map(|said| said.reason.clone()).unwrap_or_default(),
            ruling: None,
        }
    }
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
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
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
