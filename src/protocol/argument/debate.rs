//! A debate of typed arguments for any program: create, start, submit, evaluate, terminate.
//!
//! [`Debate`] is a [`DebateState`] with ids and times. It has no clock: every call that changes it is given the time,
//! and a refused call changes nothing, not even `updated_at`. Evidence counts as its `checked` field says: the caller
//! looks it up before submitting an argument (see [`super::evidence`]).

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::state::{DebateRules, DebateState, Evaluation, Refusal};
use crate::kernel::share::Share;
pub use crate::protocol::debate::typed::RoundStatus;
use crate::protocol::debate::typed::{Argument, ArgumentBlock, Metrics, Side};
use crate::protocol::debate::{Stances, Status};

/// The parameters of a new debate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewDebate {
    /// The debate's id, chosen by the caller.
    pub debate_id: String,
    /// The question to settle.
    pub topic: String,
    /// Background to the question; may be empty.
    pub description: String,
    /// The agent that proposes.
    pub primary_agent_id: String,
    /// The agent that challenges; different from the primary.
    pub adversary_agent_id: String,
    /// Maximum number of rounds, 1 to 10.
    pub max_rounds: u32,
    /// Agreement score at or above which there is consensus; above 0.
    pub consensus_threshold: Share,
    /// Areas an argument may touch; any others are kept and marked.
    pub impact_areas: Vec<String>,
    /// Data of the caller's, passed through unread.
    pub metadata: BTreeMap<String, Value>,
}

/// A debate with its ids and times.
#[derive(Debug, Clone, PartialEq)]
pub struct Debate {
    new: NewDebate,
    state: DebateState,
    created_at: DateTime<Utc>,
    updated_at: DateTime<Utc>,
    /// The beginning and end of each round, in order.
    times: Vec<(DateTime<Utc>, Option<DateTime<Utc>>)>,
    /// The time of each argument, in order.
    made: Vec<DateTime<Utc>>,
}

/// A debate as data (`docs/debate.md`, style `argument`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[expect(missing_docs, reason = "the names are those of the specification")]
pub struct Record {
    pub debate_id: String,
    pub topic: String,
    pub description: String,
    pub primary_agent_id: String,
    pub adversary_agent_id: String,
    pub status: Status,
    pub rounds: Vec<RoundEntry>,
    pub current_round: u32,
    pub max_rounds: u32,
    pub consensus_threshold: Share,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
    pub metadata: BTreeMap<String, Value>,
}

/// A round as data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[expect(missing_docs, reason = "the names are those of the specification")]
pub struct RoundEntry {
    pub round_id: String,
    pub debate_id: String,
    pub round_number: u32,
    pub arguments: Vec<Argument>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stances: Option<Stances>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub consensus_metrics: Option<Metrics>,
    pub started_at: DateTime<Utc>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<DateTime<Utc>>,
    pub status: RoundStatus,
}

impl Debate {
    /// Creates a debate; it is pending.
    ///
    /// # Errors
    /// The topic is empty, the two agents are the same, or a number is out of range.
    pub fn create(new: NewDebate, at: DateTime<Utc>) -> Result<Self, Refusal> {
        if new.topic.trim().is_empty() {
            let (name, range) = ("topic", "a text that is not empty");
            return Err(Refusal::Term { name, range });
        }
        let terms = DebateRules {
            max_rounds: new.max_rounds,
            consensus_threshold: new.consensus_threshold,
            impact_areas: new.impact_areas.clone(),
        };
        Ok(Self {
            state: DebateState::new(&new.primary_agent_id, &new.adversary_agent_id, terms)?,
            new,
            created_at: at,
            updated_at: at,
            times: Vec::new(),
            made: Vec::new(),
        })
    }

    /// Returns the state under the rules: what is due, what is to be judged, what was measured.
    pub const fn state(&self) -> &DebateState {
        &self.state
    }

    /// Starts the first round.
    ///
    /// # Errors
    /// The debate has already started.
    pub fn start(&mut self, at: DateTime<Utc>) -> Result<(), Refusal> {
        self.state.start()?;
        self.touched(at);
        Ok(())
    }

    /// Accepts an argument; see [`DebateState::submit`].
    ///
    /// # Errors
    /// The same as those of [`DebateState::submit`].
    pub fn submit(
        &mut self,
        agent: &str,
        said: ArgumentBlock,
        at: DateTime<Utc>,
    ) -> Result<Argument, Refusal> {
        let argument = self.state.submit(agent, said)?.clone();
        self.made.push(at);
        self.touched(at);
        Ok(argument)
    }

    /// Accepts the stances on the round's resolution; see [`DebateState::submit_stances`].
    ///
    /// # Errors
    /// The same as those of [`DebateState::submit_stances`].
    pub fn submit_stances(
        &mut self,
        agent: &str,
        stances: Stances,
        at: DateTime<Utc>,
    ) -> Result<(), Refusal> {
        self.state.submit_stances(agent, stances)?;
        self.touched(at);
        Ok(())
    }

    /// Evaluates the round and moves on: to consensus, to a deadlock after the last round, or to the next round.
    ///
    /// # Errors
    /// Something else is due.
    pub fn evaluate_round(&mut self, at: DateTime<Utc>) -> Result<Evaluation, Refusal> {
        let evaluation = self.state.evaluate()?.clone();
        self.touched(at);
        Ok(evaluation)
    }

    /// Terminates the debate at a person's request.
    ///
    /// # Errors
    /// The debate is over.
    pub fn terminate(&mut self, at: DateTime<Utc>) -> Result<(), Refusal> {
        self.state.terminate()?;
        self.touched(at);
        Ok(())
    }

    /// Ends the debate because a side failed.
    ///
    /// # Errors
    /// The debate is over.
    pub fn fail(&mut self, at: DateTime<Utc>) -> Result<(), Refusal> {
        self.state.fail()?;
        self.touched(at);
        Ok(())
    }

    fn touched(&mut self, at: DateTime<Utc>) {
        self.updated_at = at;
        let over = self.is_over();
        for (number, round) in self.state.rounds().iter().enumerate() {
            let ended = (over || round.evaluation.is_some()).then_some(at);
            match self.times.get_mut(number) {
                Some((_, end)) => *end = end.or(ended),
                None => self.times.push((at, ended)),
            }
        }
    }

    const fn is_over(&self) -> bool {
        match self.state.status() {
            Status::Pending | Status::InProgress => false,
            Status::ConsensusReached | Status::Deadlocked | Status::Terminated | Status::Failed => {
                true
            }
        }
    }

    /// Returns the debate as data.
    pub fn record(&self) -> Record {
        let new = self.new.clone();
        let mut made = self.made.iter().copied();
        let rounds = self.state.rounds().iter().zip(&self.times);
        let round = |(round, (started_at, ended_at)): (&super::state::Round, &_)| RoundEntry {
            round_id: format!("{}/r{}", new.debate_id, round.number),
            debate_id: new.debate_id.clone(),
            round_number: round.number,
            arguments: (round.arguments.iter().zip(made.by_ref()))
                .map(|(argument, timestamp)| Argument {
                    debate_id: Some(new.debate_id.clone()),
                    timestamp: Some(timestamp),
                    ..argument.clone()
                })
                .collect(),
            stances: round.stances.as_ref().map(|(_, stances)| stances.clone()),
            consensus_metrics: (round.evaluation.as_ref())
                .map(|evaluation| evaluation.figures.metrics.clone()),
            started_at: *started_at,
            ended_at: *ended_at,
            status: match &round.evaluation {
                Some(_) => RoundStatus::Evaluated,
                None if self.is_over() => RoundStatus::Abandoned,
                None => RoundStatus::Open,
            },
        };
        Record {
            rounds: rounds.map(round).collect(),
            status: self.state.status(),
            current_round: self.state.current_round(),
            created_at: self.created_at,
            updated_at: self.updated_at,
            debate_id: new.debate_id,
            topic: new.topic,
            description: new.description,
            primary_agent_id: self.state.parties().named(Side::Primary).to_owned(),
            adversary_agent_id: self.state.parties().named(Side::Adversary).to_owned(),
            max_rounds: new.max_rounds,
            consensus_threshold: new.consensus_threshold,
            metadata: new.metadata,
        }
    }
}

#[cfg(test)]
mod tests {
    //! A debate with its times, and its form as data.

    use super::super::testing::{said, stances};
    use super::*;
    use crate::protocol::debate::typed::ArgumentType::{Challenge, Defense, Proposal, Resolution};
    use serde_json::json;

    fn at(second: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(1_800_000_000 + second, 0).unwrap()
    }

    fn new() -> NewDebate {
        NewDebate {
            debate_id: "d1".to_owned(),
            topic: "Redis?".to_owned(),
            description: "The cache.".to_owned(),
            primary_agent_id: "ada".to_owned(),
            adversary_agent_id: "grace".to_owned(),
            max_rounds: 2,
            consensus_threshold: Share::thousandths(800),
            impact_areas: Vec::new(),
            metadata: [("team".to_owned(), "core".into())].into(),
        }
    }

    fn round(debate: &mut Debate, points: [&str; 2], stance: &str, mut second: i64) {
        for (agent, kind) in
            [("ada", Proposal), ("grace", Challenge), ("ada", Defense), ("grace", Resolution)]
        {
            debate.submit(agent, said(kind, json!({})), at(second)).unwrap();
            second += 1;
        }
        let stances = stances(&points.map(|point| (point, stance)));
        debate.submit_stances("ada", stances, at(second)).unwrap();
        debate.evaluate_round(at(second + 1)).unwrap();
    }

    #[test]
    fn ids_and_times_are_kept_and_only_what_happened_moves_them() {
        let mut debate = Debate::create(new(), at(0)).unwrap();
        assert_eq!((debate.record().status, debate.record().current_round), (Status::Pending, 0));
        debate.start(at(1)).unwrap();
        debate.submit("grace", said(Proposal, json!({})), at(2)).unwrap_err();
        assert_eq!(debate.record().updated_at, at(1), "what is refused leaves no trace");
        round(&mut debate, ["P1", "P2"], "disagree", 10);
        let record = debate.record();
        assert_eq!((record.status, record.current_round), (Status::InProgress, 2));
        assert_eq!((record.created_at, record.updated_at), (at(0), at(15)));
        let first = &record.rounds[0];
        assert_eq!((first.started_at, first.ended_at), (at(1), Some(at(15))));
        assert_eq!((&*first.round_id, first.status), ("d1/r1", RoundStatus::Evaluated));
        assert_eq!(first.consensus_metrics.as_ref().unwrap().agreement_score, Share::ZERO);
        assert_eq!(first.arguments[3].timestamp, Some(at(13)));
        let second = &record.rounds[1];
        assert_eq!(
            (second.started_at, second.ended_at, second.status),
            (at(15), None, RoundStatus::Open)
        );
        round(&mut debate, ["P3", "P4"], "agree", 20);
        let record = debate.record();
        assert_eq!(record.status, Status::ConsensusReached);
        assert_eq!(record.rounds[1].arguments[0].timestamp, Some(at(20)));
        assert_eq!(record.rounds[1].arguments[0].argument_id, "A5");
        assert_eq!(record.rounds[1].ended_at, Some(at(25)));
    }

    #[test]
    fn a_round_that_is_cut_short_is_abandoned() {
        for fail in [false, true] {
            let mut debate = Debate::create(new(), at(0)).unwrap();
            debate.start(at(1)).unwrap();
            debate.submit("ada", said(Proposal, json!({})), at(2)).unwrap();
            let status = if fail {
                debate.fail(at(3)).unwrap();
                Status::Failed
            } else {
                debate.terminate(at(3)).unwrap();
                Status::Terminated
            };
            let record = debate.record();
            assert_eq!(record.status, status);
            assert_eq!(record.rounds[0].status, RoundStatus::Abandoned);
            assert_eq!(record.rounds[0].ended_at, Some(at(3)));
            assert!(debate.terminate(at(4)).is_err() && debate.fail(at(4)).is_err());
            assert!(debate.start(at(4)).is_err() && debate.evaluate_round(at(4)).is_err());
            assert_eq!(debate.record(), record);
        }
    }

    #[test]
    fn what_cannot_be_debated_is_not_created() {
        for (change, message) in [
            (
                NewDebate { topic: " ".to_owned(), ..new() },
                "`topic` must be a text that is not empty",
            ),
            (NewDebate { max_rounds: 0, ..new() }, "`max_rounds` must be 1 to 10"),
            (NewDebate { max_rounds: 11, ..new() }, "`max_rounds` must be 1 to 10"),
            (
                NewDebate { consensus_threshold: Share::ZERO, ..new() },
                "`consensus_threshold` must be above 0 and at most 1",
            ),
            (
                NewDebate { adversary_agent_id: "ada".to_owned(), ..new() },
                "`ada` cannot argue with itself: name two different agents",
            ),
        ] {
            let refused = Debate::create(change, at(0)).unwrap_err();
            assert_eq!(refused.to_string(), message);
        }
    }
}
