//! The panel's state machine: whom to ask what, and when it is over.

use std::collections::BTreeMap;

use super::input::{self, Input, InputError};
use super::model::{Ballot, Given, Said};
use super::outcome;
use super::prompt::HOW;
use super::reply::{self, Reply, Terms};
use crate::kernel::{
    Answer, Chance, Defect, Drive, Event, Fact, Failure, RawReply, Seated, Step, Stop, Turn,
    Warning,
};
use crate::protocol::debate::ballot::AnswerSaid;
use crate::protocol::debate::prompt::{self, Stable};
use crate::protocol::debate::{DebateOutcome, Judgement, Outcome};
use crate::text::block::BlockLimits;
use crate::text::{Note, Problem, fence};

mod asking;
mod counting;
mod facts;

pub(super) use asking::seat_name;
use asking::{Asked, Who};
pub(super) use facts::share;
use facts::{fact, warning};

/// What the next answers are expected to be; with the round where it is not always the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Answers,
    Vote,
    Remark(u32),
    Cross(u32),
    Own(u32),
    Ruling(u32),
    Closed(DebateOutcome),
}

/// What became of a seat's turns.
#[derive(Debug, Clone, Default)]
pub(super) struct Attendance {
    pub(super) asked: usize,
    pub(super) failed: Vec<Failure>,
    pub(super) fell_back_to: Option<String>,
    /// Whether its last turn was answered.
    pub(super) present: bool,
}

impl Attendance {
    fn take(&mut self, seated: &Seated, failure: Option<&Failure>) {
        self.asked += 1;
        self.present = failure.is_none();
        if let Some(failure) = failure {
            self.failed.push(failure.clone());
        } else if seated.fell_back_from.is_some() {
            self.fell_back_to = Some(seated.agent.clone());
        }
    }
}

/// The judge: who it is, what it said, why it gave no ruling.
#[derive(Debug, Clone, Default)]
pub(super) struct Bench {
    /// The seat that judges, where no judge of another vendor is there.
    pub(super) seat: Option<usize>,
    /// Its turns, unless a seat judges.
    pub(super) attendance: Attendance,
    /// Who answered for it, and its own answer.
    pub(super) own: Option<((String, String), AnswerSaid)>,
    /// Its rulings: in the first order, and in the other.
    pub(super) rulings: [Option<Judgement>; 2],
    /// Why there is no ruling.
    pub(super) failure: Option<String>,
}

/// The panel.
#[derive(Debug, Clone)]
pub struct Machine {
    pub(super) input: Input,
    pub(super) stable: Stable,
    pub(super) state: State,
    /// Answers of this step that came; it is over when all have.
    pending: BTreeMap<String, Answer<Reply>>,
    pub(super) attendance: Vec<Attendance>,
    /// The answers that came, in the order of their letters.
    pub(super) answers: Vec<Given>,
    pub(super) ballots: Vec<Ballot>,
    /// By round, what a person said before it.
    pub(super) remarks: BTreeMap<u32, String>,
    pub(super) bench: Bench,
    pub(super) warnings: Vec<Warning>,
}

impl Machine {
    /// Prepares a panel.
    pub fn new(input: Input) -> Result<Self, InputError> {
        input::check(&input)?;
        let stable = prompt::stable(&input.brief, HOW, &input.boundary);
        let mut machine = Self {
            attendance: vec![Attendance::default(); input.seats.len()],
            stable,
            state: State::Answers,
            pending: BTreeMap::new(),
            answers: Vec::new(),
            ballots: Vec::new(),
            remarks: BTreeMap::new(),
            bench: Bench::default(),
            warnings: Vec::new(),
            input,
        };
        let mut notes = machine.stable.notes.clone();
        notes.extend(machine.shared_vendors());
        machine.warnings = notes.iter().map(|note| warning(note, None)).collect();
        Ok(machine)
    }

    /// Returns the input, for whoever builds the result document.
    pub fn input(&self) -> &Input {
        &self.input
    }

    /// Returns the round of the current step; after the end, of the last ballot.
    pub(super) fn round(&self) -> u32 {
        match self.state {
            State::Answers => 1,
            State::Vote => 2,
            State::Remark(round)
            | State::Cross(round)
            | State::Own(round)
            | State::Ruling(round) => round,
            State::Closed(_) => self.ballots.last().map_or(1, |ballot| ballot.round),
        }
    }

    /// Says which vendors hold more than one seat, and when there is no second one.
    fn shared_vendors(&self) -> Vec<Note> {
        let mut seats: BTreeMap<&str, usize> = BTreeMap::new();
        for seat in &self.input.seats {
            *seats.entry(&seat.vendor).or_default() += 1;
        }
        let all = self.input.seats.len();
        let several = seats.iter().filter(|(_, held)| **held > 1);
        several
            .map(|(vendor, held)| {
                if *held == all {
                    let message = format!("all {all} seats are of {vendor}: nothing can be decided, for that takes two vendors");
                    return Note::new("same_vendor", message);
                }
                let message = format!("{vendor} holds {held} of {all} seats; they count as one vendor");
                Note::new("shared_vendor", message)
            })
            .collect()
    }

    fn take(&mut self, answer: Answer<Reply>) -> Vec<Fact> {
        let asked = self.asked();
        let open = (asked.iter())
            .find(|each| each.id == answer.turn && !self.pending.contains_key(&each.id));
        let fits = open.is_some_and(|each| match &answer.result {
            Ok(reply) => reply.said.fits(each.ask),
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
        let (_, places) = fence::defuse(&reply.said.render(), &self.input.boundary);
        // The block's own two markers are no forgery.
        let places = places.saturating_sub(2);
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
        if asked.is_empty() || asked.iter().any(|each| !self.pending.contains_key(&each.id)) {
            return Vec::new();
        }
        let mut facts = self.collect(&asked);
        self.state = match self.state {
            State::Answers if self.answers_are_a_quorum() => State::Vote,
            State::Answers => State::Closed(DebateOutcome::Failed),
            State::Vote | State::Cross(_) => self.after_ballot(),
            State::Remark(round) => State::Cross(round),
            State::Own(round) if self.bench.own.is_some() => State::Ruling(round),
            State::Own(_) => State::Closed(DebateOutcome::Split),
            State::Ruling(_) => State::Closed(self.judged()),
            State::Closed(outcome) => State::Closed(outcome),
        };
        facts.extend(self.round_closed(&asked));
        if let State::Own(round) = self.state {
            facts.extend(self.seat_judge(round));
        }
        for (turn, notes) in self.turns() {
            facts.extend(self.warn(&turn.id, &notes));
        }
        facts
    }

    /// Takes the step's answers into the state, in turn order.
    fn collect(&mut self, asked: &[Asked]) -> Vec<Fact> {
        let mut pending = std::mem::take(&mut self.pending);
        let mut facts = Vec::new();
        let mut votes = BTreeMap::new();
        for each in asked {
            let Some(answer) = pending.remove(&each.id) else {
                continue;
            };
            self.attend(each.who, &answer.seated, answer.result.as_ref().err());
            let by = (answer.seated.agent, answer.seated.vendor);
            let said = match answer.result {
                Ok(reply) => reply.said,
                Err(failure) => {
                    facts.extend(self.missed(each, &failure));
                    continue;
                }
            };
            match (each.who, said) {
                (Who::Seat(seat), Said::Answer(said)) => {
                    self.answers.push(Given { seat, by, said });
                }
                (Who::Seat(seat), Said::Vote(said)) => {
                    let (vote, notes) = self.counted(seat, by, said);
                    facts.extend(self.warn(&each.id, &notes));
                    votes.extend(vote.map(|vote| (seat, vote)));
                }
                (Who::Judge, Said::Answer(said)) => self.bench.own = Some((by, said)),
                (Who::Judge, Said::Ruling(said)) => self.ruled(each, &by, said),
                (Who::Person, Said::Remark(text)) => {
                    if let (State::Remark(round), false) = (self.state, text.is_empty()) {
                        self.remarks.insert(round, text);
                    }
                }
                // What does not fit was not let in by `take`.
                (Who::Seat(_) | Who::Judge | Who::Person, _) => {}
            }
        }
        match self.state {
            State::Answers => self.letters(),
            State::Vote => self.ballots.push(Ballot::new(2, votes, self.answers.len())),
            State::Cross(round) => {
                let ballot = Ballot::new(round, votes, self.answers.len());
                self.ballots.push(ballot);
            }
            State::Remark(_) | State::Own(_) | State::Ruling(_) | State::Closed(_) => {}
        }
        facts
    }

    fn attend(&mut self, who: Who, seated: &Seated, failure: Option<&Failure>) {
        match who {
            // A seat that judges has done what it owes as a seat.
            Who::Seat(seat) => self.attendance[seat].take(seated, failure),
            Who::Judge => self.bench.attendance.take(seated, failure),
            Who::Person => {}
        }
    }

    /// Says what a missing answer means where it is no seat's.
    fn missed(&mut self, asked: &Asked, failure: &Failure) -> Vec<Fact> {
        match asked.who {
            Who::Seat(_) => Vec::new(),
            Who::Judge => {
                let why = format!("{}: {}", failure.class.name(), failure.message);
                self.bench.failure.get_or_insert(why);
                Vec::new()
            }
            Who::Person => {
                let message = format!("there is no remark: {}", failure.message);
                self.warn(&asked.id, &[Note::new("no_remark", message)])
            }
        }
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

    /// Answers that came are worth reading without the others; votes and rulings count only together.
    pub(crate) fn part(&mut self, answers: Vec<Answer<Reply>>) {
        if self.state != State::Answers {
            return;
        }
        for answer in answers {
            self.take(answer);
        }
        let came: Vec<Asked> =
            (self.asked().into_iter()).filter(|each| self.pending.contains_key(&each.id)).collect();
        self.collect(&came);
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
        Step::Ask {
            opens_round: self.opens().filter(|_| self.pending.is_empty()),
            turns: open.collect(),
        }
    }

    fn quorum(&self) -> usize {
        self.input.seats.len() / 2 + 1
    }

    fn parse(&self, turn: &Turn, reply: &RawReply, chance: Chance) -> Result<Reply, Defect> {
        let asked = self.asked();
        let Some(each) = asked.iter().find(|each| each.id == turn.id) else {
            let message = format!("`{}` is no turn that is asked now", turn.id);
            return Err(Defect {
                problems: vec![Problem::new("unknown_turn", None, message)],
                expected_ids: Vec::new(),
            });
        };
        let terms = Terms {
            letters: &self.shown(each.ask),
            strict: self.input.settings.strict,
            limits: BlockLimits { block_bytes: self.input.settings.block_bytes },
        };
        reply::parse(each.ask, reply, chance, terms)
    }

    fn apply(&mut self, answers: Vec<Answer<Reply>>) -> Vec<Event> {
        Self::apply(self, answers).into_iter().map(Event::of).collect()
    }

    fn part(&mut self, answers: Vec<Option<Answer<Reply>>>) {
        Self::part(self, answers.into_iter().flatten().collect());
    }

    fn stop(&self, why: Stop) -> Outcome {
        let ended = match (self.state, why) {
            (_, Stop::Running) => DebateOutcome::Running,
            (_, Stop::Terminated) => DebateOutcome::Terminated,
            // A panel that is over stays what it is.
            (State::Closed(ended), _) => ended,
            (_, Stop::Budget | Stop::Deadline) => DebateOutcome::Terminated,
            (_, Stop::Cancelled(_)) => DebateOutcome::Interrupted,
        };
        outcome::outcome(self, ended)
    }
}

#[cfg(test)]
mod counting_tests;
#[cfg(test)]
mod judge_tests;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
