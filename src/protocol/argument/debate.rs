//! A debate of typed arguments for any program: create, start, submit, evaluate, terminate.
//!
//! [`Debate`] is a [`Course`] with ids and times. It has no clock: every call that changes it is given the time,
//! and a call that is refused changes nothing, not even `updated_at`. Evidence counts as its `checked` says: who
//! submits an argument looks it up before (see [`super::evidence`]).
//!
//! ```
//! use chrono::DateTime;
//! use debate_agent::protocol::argument::debate::{Debate, New};
//! use debate_agent::protocol::debate::Status;
//! use debate_agent::kernel::share::Share;
//! use serde_json::json;
//!
//! let at = DateTime::UNIX_EPOCH;
//! let mut debate = Debate::create(New {
//!     debate_id: "d1".to_owned(),
//!     topic: "Should the cache move to Redis?".to_owned(),
//!     description: String::new(),
//!     primary_agent_id: "ada".to_owned(),
//!     adversary_agent_id: "grace".to_owned(),
//!     max_rounds: 3,
//!     consensus_threshold: Share::thousandths(800),
//!     impact_areas: vec![],
//!     metadata: Default::default(),
//! }, at)?;
//! debate.start(at)?;
//! let proposal = serde_json::from_value(json!({
//!     "type": "proposal", "content": {"text": "Move it."}, "confidence_score": 0.7,
//! })).unwrap();
//! let refused = debate.submit("grace", proposal, at).unwrap_err();
//! assert_eq!(
//!     refused.to_string(),
//!     "a proposal by the adversary cannot come now: now comes a proposal by the primary",
//! );
//! assert_eq!(debate.record().status, Status::InProgress);
//! # Ok::<(), debate_agent::protocol::argument::course::Refusal>(())
//! ```

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::course::{Course, Evaluation, Refusal, Terms};
use crate::kernel::share::Share;
pub use crate::protocol::debate::typed::RoundStatus;
use crate::protocol::debate::typed::{Argument, ArgumentSaid, Metrics, Side};
use crate::protocol::debate::{Stances, Status};

/// What a debate is created from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct New {
    /// Its id, of the caller's making.
    pub debate_id: String,
    /// The question.
    pub topic: String,
    /// More about it; may be empty.
    pub description: String,
    /// Who proposes.
    pub primary_agent_id: String,
    /// Who challenges; somebody else.
    pub adversary_agent_id: String,
    /// Rounds at most, 1 to 10.
    pub max_rounds: u32,
    /// At or above it the agreement score is consensus; above 0.
    pub consensus_threshold: Share,
    /// Areas that an argument may touch; others are kept and marked.
    pub impact_areas: Vec<String>,
    /// Carried along.
    pub metadata: BTreeMap<String, Value>,
}

/// A debate, with its ids and times.
#[derive(Debug, Clone, PartialEq)]
pub struct Debate {
    new: New,
    course: Course,
    created_at: DateTime<Utc>,
    updated_at: DateTime<Utc>,
    /// When each round began and ended, in order.
    times: Vec<(DateTime<Utc>, Option<DateTime<Utc>>)>,
    /// When each argument was made, in order.
    made: Vec<DateTime<Utc>>,
}

/// A debate as data (`spec/topic-debate.md`, style `argument`).
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
    /// Creates a debate, which is pending then.
    ///
    /// # Errors
    /// There is no topic, the two agents are the same, or a number is out of range.
    pub fn create(new: New, at: DateTime<Utc>) -> Result<Self, Refusal> {
        if new.topic.trim().is_empty() {
            let (name, range) = ("topic", "a text that is not empty");
            return Err(Refusal::Term { name, range });
        }
        let terms = Terms {
            max_rounds: new.max_rounds,
            consensus_threshold: new.consensus_threshold,
            impact_areas: new.impact_areas.clone(),
        };
        Ok(Self {
            course: Course::new(&new.primary_agent_id, &new.adversary_agent_id, terms)?,
            new,
            created_at: at,
            updated_at: at,
            times: Vec::new(),
            made: Vec::new(),
        })
    }

    /// Returns the rules as they stand: what is due, what is to be judged, what was measured.
    pub const fn course(&self) -> &Course {
        &self.course
    }

    /// Begins the first round.
    ///
    /// # Errors
    /// It has begun already.
    pub fn start(&mut self, at: DateTime<Utc>) -> Result<(), Refusal> {
        self.course.start()?;
        self.touched(at);
        Ok(())
    }

    /// Takes an argument; see [`Course::submit`].
    ///
    /// # Errors
    /// What [`Course::submit`] refuses.
    pub fn submit(
        &mut self,
        agent: &str,
        said: ArgumentSaid,
        at: DateTime<Utc>,
    ) -> Result<Argument, Refusal> {
        let argument = self.course.submit(agent, said)?.clone();
        self.made.push(at);
        self.touched(at);
        Ok(argument)
    }

    /// Takes the stances on the round's resolution; see [`Course::submit_stances`].
    ///
    /// # Errors
    /// What [`Course::submit_stances`] refuses.
    pub fn submit_stances(
        &mut self,
        agent: &str,
        stances: Stances,
        at: DateTime<Utc>,
    ) -> Result<(), Refusal> {
        self.course.submit_stances(agent, stances)?;
        self.touched(at);
        Ok(())
    }

    /// Evaluates the round and moves on: to consensus, to a deadlock after the last round, or to the next round.
    ///
    /// # Errors
    /// Something else is due.
    pub fn evaluate_round(&mut self, at: DateTime<Utc>) -> Result<Evaluation, Refusal> {
        let evaluation = self.course.evaluate()?.clone();
        self.touched(at);
        Ok(evaluation)
    }

    /// Ends it by a person's wish.
    ///
    /// # Errors
    /// It is over.
    pub fn terminate(&mut self, at: DateTime<Utc>) -> Result<(), Refusal> {
        self.course.terminate()?;
        self.touched(at);
        Ok(())
    }

    /// Ends it because a side failed.
    ///
    /// # Errors
    /// It is over.
    pub fn fail(&mut self, at: DateTime<Utc>) -> Result<(), Refusal> {
        self.course.fail()?;
        self.touched(at);
        Ok(())
    }

    fn touched(&mut self, at: DateTime<Utc>) {
        self.updated_at = at;
        let over = self.is_over();
        for (number, round) in self.course.rounds().iter().enumerate() {
            let ended = (over || round.evaluation.is_some()).then_some(at);
            match self.times.get_mut(number) {
                Some((_, end)) => *end = end.or(ended),
                None => self.times.push((at, ended)),
            }
        }
    }

    const fn is_over(&self) -> bool {
        match self.course.status() {
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
        let rounds = self.course.rounds().iter().zip(&self.times);
        let round = |(round, (started_at, ended_at)): (&super::course::Round, &_)| RoundEntry {
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
            status: self.course.status(),
            current_round: self.course.current_round(),
            created_at: self.created_at,
            updated_at: self.updated_at,
            debate_id: new.debate_id,
            topic: new.topic,
            description: new.description,
            primary_agent_id: self.course.parties().named(Side::Primary).to_owned(),
            adversary_agent_id: self.course.parties().named(Side::Adversary).to_owned(),
            max_rounds: new.max_rounds,
            consensus_threshold: new.consensus_threshold,
            metadata: new.metadata,
        }
    }
}

#[cfg(test)]
mod tests;
