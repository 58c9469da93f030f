//! The rules of a debate in progress: what was argued, what may come next, when a round ends and what follows.
//!
//! # States
//!
//! | from | input | to |
//! |---|---|---|
//! | pending | start | in progress, round 1 |
//! | pending, in progress | terminate | terminated |
//! | pending, in progress | fail | failed |
//! | in progress | an argument that may come now | unchanged |
//! | in progress | stances, after the resolution, of the side that did not write it | unchanged |
//! | in progress | evaluate, after the stances: agreement at or above the threshold, four fifths of the points judged | consensus reached |
//! | in progress | evaluate, after the stances: otherwise, in the last round | deadlocked |
//! | in progress | evaluate, after the stances: otherwise | unchanged, the next round begins |
//! | consensus reached, deadlocked, terminated, failed | anything | refused |
//!
//! Any other input is refused, and the refusal names what is due. A round begins with the concerns that are still
//! open, and they count in it: a side that does not repeat a concern has not withdrawn it.

use std::collections::BTreeMap;

use super::content::{self, PointIds};
use super::legality::{self, Move, Parties};
use super::metrics::{self, ConcernEntry, Figures, MeasuredRound};
use crate::kernel::share::Share;
use crate::protocol::debate::consensus::{Basis, COVERED, Check};
use crate::protocol::debate::typed::{Argument, ArgumentBlock, ArgumentType, Side};
use crate::protocol::debate::{Point, Stances, Status};

mod refusal;

pub use refusal::{Expected, Refusal, status_name};

/// The upper bound of [`DebateRules::max_rounds`].
pub const MAX_ROUNDS: u32 = 10;

/// The permitted changes of status, from and to.
pub const TRANSITIONS: [(Status, Status); 7] = [
    (Status::Pending, Status::InProgress),
    (Status::Pending, Status::Terminated),
    (Status::Pending, Status::Failed),
    (Status::InProgress, Status::ConsensusReached),
    (Status::InProgress, Status::Deadlocked),
    (Status::InProgress, Status::Terminated),
    (Status::InProgress, Status::Failed),
];

/// The limits and thresholds of a debate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DebateRules {
    /// Maximum number of rounds, 1 to [`MAX_ROUNDS`].
    pub max_rounds: u32,
    /// Agreement score at or above which there is consensus; above 0.
    pub consensus_threshold: Share,
    /// Areas an argument may touch; any others are kept and marked.
    pub impact_areas: Vec<String>,
}

/// A round: its arguments, the stances on its resolution, and its evaluation.
#[derive(Debug, Clone, PartialEq)]
pub struct Round {
    /// The round's number, from 1.
    pub number: u32,
    /// Concerns that were open when the round began.
    pub carried: Vec<ConcernEntry>,
    /// The round's arguments, in order.
    pub arguments: Vec<Argument>,
    /// The stances of the side that did not write the resolution.
    pub stances: Option<(Side, Stances)>,
    /// The round's evaluation; `None` until it is evaluated.
    pub evaluation: Option<Evaluation>,
}

/// The result of a round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evaluation {
    /// The figures measured.
    pub figures: Figures,
    /// The measurement in the form that every style records.
    pub check: Check,
    /// Concerns that are open after the round.
    pub open: Vec<ConcernEntry>,
    /// Why evaluators of the caller see no consensus, in their order.
    pub objections: Vec<String>,
    /// The debate's status after the round.
    pub status: Status,
}

/// A caller's own look at a round and its figures: why it sees no consensus, if it sees none.
///
/// It can withhold consensus and not grant it: what the rule does not find, no evaluator can.
pub type Evaluator<'a> = &'a dyn Fn(&Round, &Figures) -> Option<String>;

impl Round {
    /// Returns the concerns that count in the round: those it began with, and those raised in it.
    pub fn concerns(&self) -> Vec<ConcernEntry> {
        let raised = self.arguments.iter().flat_map(|argument| {
            (argument.said.concerns.iter()).map(|concern| ConcernEntry {
                concern: concern.clone(),
                side: argument.side,
                round: self.number,
            })
        });
        self.carried.iter().cloned().chain(raised).collect()
    }

    /// Returns the round's resolution, if there is one.
    pub fn resolution(&self) -> Option<&Argument> {
        metrics::resolution(&self.arguments)
    }

    fn last(&self) -> Option<Move> {
        self.arguments.last().map(|argument| Move { kind: argument.said.kind, side: argument.side })
    }
}

/// The state of a debate under its rules: no clock, and no ids except those of arguments and concerns.
#[derive(Debug, Clone, PartialEq)]
pub struct DebateState {
    parties: Parties,
    terms: DebateRules,
    status: Status,
    rounds: Vec<Round>,
}

impl DebateState {
    /// Creates a debate between two agents; it is pending.
    ///
    /// # Errors
    /// The two agents are the same, or a rule is out of range.
    pub fn new(primary: &str, adversary: &str, terms: DebateRules) -> Result<Self, Refusal> {
        if !(1..=MAX_ROUNDS).contains(&terms.max_rounds) {
            let (name, range) = ("max_rounds", "1 to 10");
            return Err(Refusal::Term { name, range });
        }
        if terms.consensus_threshold == Share::ZERO {
            let (name, range) = ("consensus_threshold", "above 0 and at most 1");
            return Err(Refusal::Term { name, range });
        }
        Ok(Self {
            parties: Parties::new(primary, adversary)?,
            terms,
            status: Status::Pending,
            rounds: Vec::new(),
        })
    }

    /// Returns the status.
    pub const fn status(&self) -> Status {
        self.status
    }

    /// Returns the rounds in order; the last one is in progress unless it is evaluated.
    pub fn rounds(&self) -> &[Round] {
        &self.rounds
    }

    /// Returns the rules that the debate was created with.
    pub const fn terms(&self) -> &DebateRules {
        &self.terms
    }

    /// Returns the two sides and the agents that speak for them.
    pub const fn parties(&self) -> &Parties {
        &self.parties
    }

    /// Returns the number of the round in progress, or of the last one; 0 before the start.
    pub fn current_round(&self) -> u32 {
        self.rounds.last().map_or(0, |round| round.number)
    }

    /// Returns every argument so far, in order.
    pub fn arguments(&self) -> impl Iterator<Item = &Argument> {
        self.rounds.iter().flat_map(|round| &round.arguments)
    }

    /// Starts the debate with round 1.
    ///
    /// # Errors
    /// The debate has already started.
    pub fn start(&mut self) -> Result<(), Refusal> {
        self.become_status(Status::InProgress)?;
        self.open_round(Vec::new());
        Ok(())
    }

    /// Terminates the debate: at a person's request, or because of the budget or the deadline.
    ///
    /// # Errors
    /// The debate is over.
    pub fn terminate(&mut self) -> Result<(), Refusal> {
        self.become_status(Status::Terminated)
    }

    /// Ends the debate because a side failed.
    ///
    /// # Errors
    /// The debate is over.
    pub fn fail(&mut self) -> Result<(), Refusal> {
        self.become_status(Status::Failed)
    }

    /// Lets an agent speak for a side whose own agent failed.
    ///
    /// # Errors
    /// The agent speaks for the other side.
    pub fn stand_in(&mut self, side: Side, agent: &str) -> Result<(), Refusal> {
        Ok(self.parties.stand_in(side, agent)?)
    }

    /// Returns the input that the debate waits for.
    pub fn due(&self) -> Expected {
        match (self.status, self.rounds.last()) {
            (Status::Pending, _) => Expected::Start,
            (Status::InProgress, Some(round)) => match (round.resolution(), &round.stances) {
                (None, _) => Expected::Argument(legality::successors(round.last())),
                (Some(resolution), None) => Expected::Stances(resolution.side.other()),
                (Some(_), Some(_)) => Expected::Evaluation,
            },
            (Status::InProgress, None)
            | (
                Status::ConsensusReached | Status::Deadlocked | Status::Terminated | Status::Failed,
                _,
            ) => Expected::Nothing,
        }
    }

    /// Returns the ids of the arguments that a new one may refer to.
    pub fn argument_ids(&self) -> Vec<String> {
        let ids = self.arguments().map(|argument| argument.argument_id.clone());
        ids.collect()
    }

    /// Returns the points that a new argument can keep, each as it was last put. Points keep their ids over the whole
    /// debate: an argument's new points are numbered after all earlier ones, and `{"keep": "P3"}` is the point P3.
    pub fn points(&self) -> Vec<Point> {
        let of = |argument: &Argument| content::points(&argument.said.content);
        let mut points: BTreeMap<u32, Point> = BTreeMap::new();
        for point in self.arguments().flat_map(of) {
            points.extend(content::number_of(&point.id).map(|number| (number, point)));
        }
        points.into_values().collect()
    }

    /// Returns the last argument of the round in progress; `None` at its beginning.
    pub fn last_move(&self) -> Option<Move> {
        self.rounds.last()?.last()
    }

    /// Returns the concerns that count in the round in progress: those it began with, and those raised in it.
    pub fn round_concerns(&self) -> Vec<ConcernEntry> {
        self.rounds.last().map(Round::concerns).unwrap_or_default()
    }

    /// Returns every concern that was raised in the debate, in order.
    pub fn concerns(&self) -> Vec<ConcernEntry> {
        let raised = self.rounds.iter().flat_map(|round| {
            let concerns = round.concerns();
            concerns.into_iter().skip(round.carried.len())
        });
        raised.collect()
    }

    /// Returns the items that stances are due on, each with its id and text: the resolution's points, then the
    /// concerns of the round that the judging side itself raised. Empty if no stances are due.
    pub fn to_judge(&self) -> Vec<(String, String)> {
        let (Expected::Stances(side), Some(round)) = (self.due(), self.rounds.last()) else {
            return Vec::new();
        };
        let points = (round.resolution().into_iter())
            .flat_map(|resolution| content::points(&resolution.said.content))
            .map(|point| (point.id, point.claim));
        let own = (round.concerns().into_iter())
            .filter(|raised| raised.side == side)
            .map(|raised| (raised.concern.id, raised.concern.text));
        points.chain(own).collect()
    }

    /// Accepts an argument: numbers it, its concerns and, in a resolution, its points, and computes the worth of its
    /// stated confidence. Its evidence counts as its `checked` field says, which the caller sets.
    ///
    /// # Errors
    /// The debate is not in progress; the agent, the type, a reference or an address is not legal now; a resolution
    /// has no points.
    pub fn submit(&mut self, agent: &str, mut said: ArgumentBlock) -> Result<&Argument, Refusal> {
        let next_argument = self.arguments().count() + 1;
        let concerns = self.concerns();
        let known = self.argument_ids();
        let status = self.status;
        let mut ids = PointIds::after(self.points());
        let Some(round) = (self.rounds.last_mut()).filter(|_| status == Status::InProgress) else {
            return Err(Refusal::NotRunning(status));
        };
        let side = legality::check(&self.parties, round.last(), said.kind, agent)?;
        if let Some(written) = said.references.iter().find(|id| !known.contains(id)) {
            let written = written.clone();
            return Err(Refusal::Reference { written, known });
        }
        let raised: Vec<String> =
            (concerns.iter()).map(|raised| raised.concern.id.clone()).collect();
        if let Some(each) = said.addresses.iter().find(|each| !raised.contains(&each.id)) {
            let (written, known) = (each.id.clone(), raised);
            return Err(Refusal::Concern { written, known });
        }
        ids.settle(&mut said.content);
        if said.kind == ArgumentType::Resolution && content::points(&said.content).is_empty() {
            return Err(Refusal::NoPoints);
        }
        for (concern, number) in said.concerns.iter_mut().zip(concerns.len() + 1..) {
            concern.id = format!("C{number}");
        }
        let argument = Argument {
            argument_id: format!("A{next_argument}"),
            round: round.number,
            side,
            agent_id: agent.to_owned(),
            confidence: metrics::confidence(&said),
            unknown_areas: metrics::unknown_areas(&said, &self.terms.impact_areas),
            debate_id: None,
            timestamp: None,
            said,
        };
        let at = round.arguments.len();
        round.arguments.push(argument);
        Ok(&round.arguments[at])
    }

    /// Accepts the stances on the round's resolution. A missing stance counts as `disagree`.
    ///
    /// # Errors
    /// The debate is not in progress; stances are not due, or not from this agent; a stance is on something else or
    /// given twice; no stance is given.
    pub fn submit_stances(&mut self, agent: &str, stances: Stances) -> Result<(), Refusal> {
        if self.status != Status::InProgress {
            return Err(Refusal::NotRunning(self.status));
        }
        let due = self.due();
        let what = "stances";
        let side = match due {
            Expected::Stances(side) if self.parties.side_of(agent) == Some(side) => side,
            _ => {
                return Err(Refusal::NotDue { what, due });
            }
        };
        let known: Vec<String> = self.to_judge().into_iter().map(|(id, _)| id).collect();
        if stances.stances.is_empty() {
            return Err(Refusal::NoStances(known));
        }
        for (at, said) in stances.stances.iter().enumerate() {
            let again = stances.stances[..at].iter().any(|other| other.point == said.point);
            if again || !known.contains(&said.point) {
                let written = said.point.clone();
                return Err(Refusal::NotJudged { written, known });
            }
        }
        if let Some(round) = self.rounds.last_mut() {
            round.stances = Some((side, stances));
        }
        Ok(())
    }

    /// Evaluates a round that has a resolution and the stances on it, and moves on.
    ///
    /// # Errors
    /// Something else is due.
    pub fn evaluate(&mut self) -> Result<&Evaluation, Refusal> {
        self.evaluate_with(&[])
    }

    /// The same with evaluators of the caller: without an objection of theirs there is consensus where the rule finds it.
    ///
    /// # Errors
    /// Something else is due.
    pub fn evaluate_with(&mut self, evaluators: &[Evaluator<'_>]) -> Result<&Evaluation, Refusal> {
        let due = self.due();
        let what = "an evaluation";
        let last = self.current_round() >= self.terms.max_rounds;
        let threshold = self.terms.consensus_threshold;
        let Some(round) = (self.rounds.last_mut()).filter(|_| due == Expected::Evaluation) else {
            return Err(Refusal::NotDue { what, due });
        };
        let concerns = round.concerns();
        let (Some(resolution), Some((_, stances))) =
            (metrics::resolution(&round.arguments), &round.stances)
        else {
            return Err(Refusal::NotDue { what, due });
        };
        let measured =
            MeasuredRound { arguments: &round.arguments, resolution, concerns: &concerns, stances };
        let figures = metrics::measure(measured);
        let open: Vec<ConcernEntry> = (concerns.iter())
            .filter(|raised| metrics::met(raised, measured) < 2)
            .cloned()
            .collect();
        let agreement = figures.metrics.agreement_score;
        let objections = evaluators.iter().filter_map(|evaluator| evaluator(round, &figures));
        let objections: Vec<String> = objections.collect();
        let reached = agreement >= threshold && figures.covered >= COVERED && objections.is_empty();
        let status = match (reached, last) {
            (true, _) => Status::ConsensusReached,
            (false, true) => Status::Deadlocked,
            (false, false) => Status::InProgress,
        };
        let check = Check {
            decisive: Some(agreement),
            stance_score: Some(figures.stance_score),
            // Only one side's resolution is judged; there is no second text to compare it with.
            text_score: None,
            basis: Basis::Stance,
            covered: figures.covered,
            text: None,
            conflict: None,
            threshold,
            reached,
        };
        let at = self.rounds.len() - 1;
        self.rounds[at].evaluation =
            Some(Evaluation { figures, check, open: open.clone(), objections, status });
        if status == Status::InProgress {
            self.open_round(open);
        } else {
            self.become_status(status)?;
        }
        self.rounds[at].evaluation.as_ref().ok_or(Refusal::NotDue { what, due })
    }

    fn become_status(&mut self, to: Status) -> Result<(), Refusal> {
        let from = self.status;
        if !TRANSITIONS.contains(&(from, to)) {
            return Err(Refusal::Transition { from, to });
        }
        self.status = to;
        Ok(())
    }

    fn open_round(&mut self, carried: Vec<ConcernEntry>) {
        self.rounds.push(Round {
            number: self.current_round() + 1,
            carried,
            arguments: Vec::new(),
            stances: None,
            evaluation: None,
        });
    }
}

#[cfg(test)]
mod tests;
