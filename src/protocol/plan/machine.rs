//! The planning's state machine: whom to ask what, and when it is over.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::input::{self, Input, InputError};
use super::merge::{self, Merged};
use super::model::{
    Group, Judged, Outcome, PlanOutcome, PlanReviewSaid, PlanSaid, Raised, Said, ScoreBreakdown,
};
use super::prompt::{self, Stable};
use super::reply::{self, Reply, Terms};
use super::{confidence, group, outcome, score, validate};
use crate::kernel::{
    Answer, Chance, Defect, Drive, Event, Fact, Failure, RawReply, Seated, Step, Stop, Turn,
    Warning,
};
use crate::protocol::council::{RoundRecord, ValidationSaid};
use crate::text::block::BlockLimits;
use crate::text::{Note, Problem, fence};

mod asking;

use asking::Asked;

/// Planners that must answer every time.
const QUORUM: usize = 2;

/// What the next answers are expected to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Plans,
    /// Counted from 1.
    Cross(u32),
    Validation,
    Closed(PlanOutcome),
}

/// What became of a seat's turns.
#[derive(Debug, Clone, Default)]
pub(super) struct Attendance {
    pub(super) asked: usize,
    pub(super) failed: Vec<Failure>,
    pub(super) fell_back_to: Option<String>,
    /// The vendors that answered.
    pub(super) vendors: Vec<String>,
}

impl Attendance {
    /// Whether it was asked and answered every time.
    pub(super) fn intact(&self) -> bool {
        self.asked > 0 && self.failed.is_empty()
    }
}

/// How the plans stand: scores, whose is the best, what the merge gives.
#[derive(Debug, Clone)]
pub(super) struct Standing {
    pub(super) scores: Vec<(usize, ScoreBreakdown)>,
    pub(super) winner: usize,
    pub(super) merged: Merged,
}

/// The planning.
#[derive(Debug, Clone)]
pub struct Machine {
    pub(super) input: Input,
    pub(super) stable: Stable,
    pub(super) state: State,
    /// Answers of this step that came; it is over when all have.
    pending: BTreeMap<String, Answer<Reply>>,
    pub(super) attendance: Vec<Attendance>,
    /// One entry a seat.
    pub(super) plans: Vec<Option<PlanSaid>>,
    pub(super) groups: Vec<Group>,
    pub(super) rounds: Vec<RoundRecord>,
    pub(super) ballots: BTreeMap<usize, ValidationSaid>,
    pub(super) warnings: Vec<Warning>,
    /// Whether the last cross-examination changed anything.
    moved: bool,
    /// How the plans stand once nothing about them changes any more.
    settled: Option<Standing>,
}

impl Machine {
    /// Prepares a planning.
    pub fn new(input: Input) -> Result<Self, InputError> {
        input::check(&input)?;
        let stable = prompt::stable(&input);
        let mut warnings: Vec<Warning> =
            (stable.notes.iter()).map(|note| warning(note, None)).collect();
        let first = input.seats.first().map(|seat| &seat.vendor);
        if input.seats.iter().all(|seat| Some(&seat.vendor) == first) {
            let message = format!(
                "all planners are of {}: no step of another plan can be confirmed",
                first.map_or("", String::as_str)
            );
            warnings.push(warning(&Note::new("same_vendor", message), None));
        }
        let seats = input.seats.len();
        Ok(Self {
            stable,
            state: State::Plans,
            pending: BTreeMap::new(),
            attendance: vec![Attendance::default(); seats],
            plans: vec![None; seats],
            groups: Vec::new(),
            rounds: Vec::new(),
            ballots: BTreeMap::new(),
            warnings,
            moved: false,
            settled: None,
            input,
        })
    }

    /// Returns the input, for whoever builds the result document.
    pub fn input(&self) -> &Input {
        &self.input
    }

    /// Returns the seats that have a plan.
    pub(super) fn planners(&self) -> impl Iterator<Item = usize> {
        (0..self.plans.len()).filter(|seat| self.plans[*seat].is_some())
    }

    /// Returns how many seats answered every time they were asked.
    pub(super) fn intact(&self) -> usize {
        let intact = self.attendance.iter().filter(|seat| seat.intact());
        intact.count()
    }

    /// Scores the plans and merges them; `None` without a plan.
    pub(super) fn standing(&self) -> Option<Standing> {
        if self.settled.is_some() {
            return self.settled.clone();
        }
        let wanted = score::wanted(&self.input.task, self.input.change.as_ref());
        let scores: Vec<(usize, ScoreBreakdown)> = (self.plans.iter().enumerate())
            .filter_map(|(seat, plan)| {
                let plan = plan.as_ref()?;
                Some((seat, score::score(seat, plan, &self.groups, &wanted)))
            })
            .collect();
        let winner = score::winner(&scores)?;
        Some(Standing { merged: merge::merge(&self.groups, winner), scores, winner })
    }

    fn take(&mut self, answer: Answer<Reply>) -> Vec<Fact> {
        let asked = self.asked();
        let open =
            (asked.iter()).find(|(id, ..)| *id == answer.turn && !self.pending.contains_key(id));
        let fits = open.is_some_and(|(_, _, ask, _)| match &answer.result {
            Ok(reply) => reply.said.ask() == *ask,
            Err(_) => true,
        });
        if !fits {
            let message = format!(
                "an answer to {} came, which was not asked now; it is ignored",
                answer.turn
            );
            return vec![fact("unexpected_answer", &answer.turn, message)];
        }
        let turn = answer.turn.to_string();
        let mut notes = answer.notes.clone();
        if let Ok(reply) = &answer.result {
            notes.extend(reply.notes.iter().cloned());
            notes.extend(self.forged(reply));
        }
        let facts = self.warn(&turn, &notes);
        self.pending.insert(turn, answer);
        facts
    }

    /// Notes marker-like text in an answer that other agents will read: it is defused there.
    fn forged(&self, reply: &Reply) -> Option<Note> {
        let (_, places) = fence::defuse(&reply.said.body().to_string(), &self.input.boundary);
        let message = format!(
            "the answer holds text that looks like our markers in {places} places; it is defused for the others"
        );
        (places > 0).then(|| Note::new("forged_marker", message))
    }

    fn warn(&mut self, turn: &str, notes: &[Note]) -> Vec<Fact> {
        let warnings = notes.iter().map(|note| warning(note, Some(turn)));
        self.warnings.extend(warnings);
        (notes.iter()).map(|note| fact(&note.code, turn, note.message.clone())).collect()
    }

    /// Moves on when every turn of the step has an answer.
    fn advance(&mut self) -> Vec<Fact> {
        let asked = self.asked();
        if asked.is_empty() || asked.iter().any(|(id, ..)| !self.pending.contains_key(id)) {
            return Vec::new();
        }
        let mut facts = self.collect(&asked);
        self.state = match self.state {
            State::Plans if self.planners().count() < QUORUM => {
                State::Closed(PlanOutcome::Undecided)
            }
            State::Plans => self.after_round(0),
            State::Cross(_) | State::Validation if self.intact() < QUORUM => {
                State::Closed(PlanOutcome::Undecided)
            }
            State::Cross(round) => self.after_round(round),
            State::Validation => State::Closed(self.validated()),
            State::Closed(outcome) => State::Closed(outcome),
        };
        if self.state == State::Validation {
            self.settled = self.standing();
        }
        // A state that asks nobody is over as it is.
        if self.state == State::Validation && self.asked().is_empty() {
            let message = "every step was written by every planner, so nobody could vote on one";
            facts.extend(self.warn("validate", &[Note::new("unvalidated", message)]));
            self.state = State::Closed(self.validated());
        }
        for (turn, notes) in self.turns() {
            facts.extend(self.warn(&turn.id, &notes));
        }
        facts
    }

    /// Takes the step's answers into the state, in turn order.
    fn collect(&mut self, asked: &[Asked]) -> Vec<Fact> {
        let mut pending = std::mem::take(&mut self.pending);
        let mut answered = 0_u32;
        let (before, mut added) = (self.stances(), Vec::new());
        for (id, seat, _, _) in asked {
            let Some(answer) = pending.remove(id) else {
                continue;
            };
            self.attend(*seat, &answer.seated, answer.result.as_ref().err());
            let Ok(reply) = answer.result else {
                continue;
            };
            answered += 1;
            match reply.said {
                Said::Plan(plan) => {
                    added.extend(Raised::all(&plan.steps, *seat, &answer.seated.vendor, 0));
                    self.plans[*seat] = Some(plan);
                }
                Said::Cross(said) => {
                    added.extend(self.judge(*seat, &answer.seated.vendor, said));
                }
                Said::Validation(said) => drop(self.ballots.insert(*seat, said)),
            }
        }
        let round = match self.state {
            State::Plans => {
                self.groups = group::cluster(added);
                0
            }
            State::Cross(round) => {
                let new = group::join(&mut self.groups, added);
                self.moved = new > 0 || self.stances() != before;
                round
            }
            State::Validation | State::Closed(_) => return Vec::new(),
        };
        vec![self.close_round(round, answered, asked)]
    }

    fn attend(&mut self, seat: usize, seated: &Seated, failure: Option<&Failure>) {
        let attendance = &mut self.attendance[seat];
        attendance.asked += 1;
        if let Some(failure) = failure {
            attendance.failed.push(failure.clone());
        } else {
            attendance.vendors.push(seated.vendor.clone());
            if seated.fell_back_from.is_some() {
                attendance.fell_back_to = Some(seated.agent.clone());
            }
        }
    }

    /// Takes a seat's judgements; returns the steps that it misses.
    fn judge(&mut self, seat: usize, vendor: &str, said: PlanReviewSaid) -> Vec<Raised> {
        let round = match self.state {
            State::Cross(round) => round,
            State::Plans | State::Validation | State::Closed(_) => 0,
        };
        for judgement in said.judgements {
            let group = self.groups.iter_mut().find(|group| group.id == judgement.id);
            if let Some(group) = group.filter(|group| !group.wrote(seat)) {
                let judged = Judged {
                    vendor: vendor.to_owned(),
                    round,
                    stance: judgement.stance,
                    reason: judgement.reason,
                    suggestion: judgement.suggestion,
                };
                group.judged.insert(seat, judged);
            }
        }
        Raised::all(&said.missing_steps, seat, vendor, round)
    }

    /// Every vote that counts, for the question whether anything moved.
    fn stances(&self) -> Vec<(usize, usize, super::model::Stance)> {
        let votes = self.groups.iter().enumerate().flat_map(|(at, group)| {
            let votes = group.votes();
            votes.map(move |(seat, judged)| (at, seat, judged.stance))
        });
        votes.collect()
    }

    fn confidence(&self) -> u32 {
        confidence::confidence(&self.groups, self.intact(), self.attendance.len())
    }

    fn close_round(&mut self, round: u32, answered: u32, asked: &[Asked]) -> Fact {
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let settled = self.groups.iter().filter(|group| group.status().settled());
        let record = RoundRecord {
            round,
            confidence: self.confidence(),
            settled: number(settled.count()),
            groups: number(self.groups.len()),
            answered,
            asked: number(asked.len()),
        };
        self.rounds.push(record);
        let message = match round {
            0 => {
                format!("{answered} of {} planned; {} different steps", record.asked, record.groups)
            }
            _ => format!(
                "cross-examination {round}: confidence {}%, {} of {} steps settled",
                record.confidence, record.settled, record.groups
            ),
        };
        Fact {
            code: "round_closed".to_owned(),
            turn: asked.last().map(|(id, ..)| id.clone()),
            message,
            data: json!({
                "round": round + 1, "confidence": record.confidence, "settled": record.settled,
                "steps": record.groups, "answered": answered, "asked": record.asked,
            }),
            warning: false,
        }
    }

    /// Says what follows on a complete round; 0 is that of the plans.
    fn after_round(&self, round: u32) -> State {
        let settings = &self.input.settings;
        let low = self.confidence() < settings.confidence && (round == 0 || self.moved);
        // What a critic missed is judged while there is a round for it: asked for and then dropped, it would be for nothing.
        let new = round > 0
            && self.groups.iter().any(|group| {
                let fresh = |raised: &Raised| raised.round == round;
                group.members.iter().all(fresh) && group.votes().next().is_none()
            });
        let somebody = || self.planners().any(|seat| !self.to_judge(seat).is_empty());
        if round < settings.max_rounds && (low || new) && somebody() {
            State::Cross(round + 1)
        } else {
            State::Validation
        }
    }

    /// Decides by the votes on the merged plan.
    fn validated(&self) -> PlanOutcome {
        let Some(standing) = self.standing() else {
            return PlanOutcome::Undecided;
        };
        let (merged, winner) = (&standing.merged, standing.winner);
        let tally = validate::tally(merged, &self.groups, winner, &self.ballots);
        if validate::rejected(merged, &self.groups, &tally) {
            PlanOutcome::Rejected
        } else {
            PlanOutcome::Accepted
        }
    }
}

fn warning(note: &Note, turn: Option<&str>) -> Warning {
    Warning {
        code: note.code.clone(),
        turn: turn.map(str::to_owned),
        message: note.message.clone(),
    }
}

fn fact(code: &str, turn: &str, message: String) -> Fact {
    Fact {
        code: code.to_owned(),
        turn: Some(turn.to_owned()),
        message,
        data: Value::Null,
        warning: true,
    }
}

impl Machine {
    pub(crate) fn apply(&mut self, answers: Vec<Answer<Reply>>) -> Vec<Fact> {
        let mut facts = Vec::new();
        for answer in answers {
            facts.extend(self.take(answer));
        }
        facts.extend(self.advance());
        facts
    }

    /// Plans that came are paid for and worth reading without the others; judgements count only together.
    pub(crate) fn part(&mut self, answers: Vec<Answer<Reply>>) {
        if self.state != State::Plans {
            return;
        }
        for answer in answers {
            self.take(answer);
        }
        let came: Vec<_> =
            (self.asked().into_iter()).filter(|(id, ..)| self.pending.contains_key(id)).collect();
        self.collect(&came);
        self.rounds.clear();
    }
}

impl Drive for Machine {
    type Reply = Reply;
    type Outcome = Outcome;

    fn next(&self) -> Step<Outcome> {
        if let State::Closed(ended) = self.state {
            return Step::Done(outcome::outcome(self, ended));
        }
        let turns = self.turns().into_iter().map(|(turn, _)| turn);
        let open = turns.filter(|turn| !self.pending.contains_key(turn.id.as_str()));
        let opens_round = match self.state {
            State::Plans => Some(1),
            State::Cross(round) => Some(round + 1),
            State::Validation | State::Closed(_) => None,
        };
        Step::Ask {
            opens_round: opens_round.filter(|_| self.pending.is_empty()),
            turns: open.collect(),
        }
    }

    fn quorum(&self) -> usize {
        QUORUM
    }

    fn parse(&self, turn: &Turn, reply: &RawReply, chance: Chance) -> Result<Reply, Defect> {
        let asked = self.asked();
        let Some((_, _, ask, ids)) = asked.iter().find(|(id, ..)| *id == turn.id) else {
            let message = format!("`{}` is no turn that is asked now", turn.id);
            return Err(Defect {
                problems: vec![Problem::new("unknown_turn", None, message)],
                expected_ids: Vec::new(),
            });
        };
        let others: Vec<String> = (self.groups.iter())
            .map(|group| group.id.clone())
            .filter(|id| !ids.contains(id))
            .collect();
        let terms = Terms {
            ids,
            others: &others,
            strict: self.input.settings.strict,
            limits: BlockLimits { block_bytes: self.input.settings.block_bytes },
        };
        reply::parse(*ask, reply, chance, terms)
    }

    fn apply(&mut self, answers: Vec<Answer<Reply>>) -> Vec<Event> {
        Self::apply(self, answers).into_iter().map(Event::of).collect()
    }

    fn part(&mut self, answers: Vec<Option<Answer<Reply>>>) {
        Self::part(self, answers.into_iter().flatten().collect());
    }

    fn stop(&self, why: Stop) -> Outcome {
        let ended = match (self.state, why) {
            (_, Stop::Running) => PlanOutcome::Running,
            (_, Stop::Terminated) => PlanOutcome::Terminated,
            // A planning that is over stays what it is.
            (State::Closed(ended), _) => ended,
            (_, Stop::Budget) => PlanOutcome::Budget,
            (_, Stop::Deadline | Stop::Cancelled(_)) => PlanOutcome::Interrupted,
        };
        outcome::outcome(self, ended)
    }
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
