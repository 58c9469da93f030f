//! The dialogue's state machine: whom to ask what, and when it is over.

use std::collections::BTreeMap;

use serde_json::json;

use super::contract::Ask;
use super::input::{self, Input, InputError};
use super::reply::{self, Reply, Said};
use super::table::{Held, Judged, Kind, Put, Side};
use super::{outcome, prompt};
use crate::contract::Terms;
use crate::kernel::share::Share;
use crate::kernel::{
    Answer, Chance, Defect, Drive, Event, Fact, Failure, RawReply, Seated, Step, Stop, Turn,
    Warning,
};
use crate::protocol::debate::consensus::{self, Basis, Check, Compared};
use crate::protocol::debate::outcome::RoundRecord;
use crate::protocol::debate::prompt::Stable;
use crate::protocol::debate::{DebateOutcome, Judgement, Outcome, Position, Stances};
use crate::text::block::BlockLimits;
use crate::text::{Note, Problem, fence};

mod arrows;
mod asking;
mod facts;

use facts::{closed, fact, same_vendor, warning};

/// What the next answer is expected to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// Of this round.
    Asked(u32, Ask),
    Closed(DebateOutcome),
}

/// What became of a seat's turns.
#[derive(Debug, Clone, Default)]
pub(super) struct Attendance {
    pub(super) asked: usize,
    pub(super) failed: Vec<Failure>,
    /// Turns in a row, of those it was asked, that were not answered.
    pub(super) misses: usize,
    pub(super) fell_back_to: Option<String>,
    /// The vendors that answered.
    pub(super) vendors: Vec<String>,
}

/// What the expert said, or why not.
#[derive(Debug, Clone)]
pub(super) struct Ruled {
    pub(super) seated: Seated,
    pub(super) result: Result<Judgement, Failure>,
}

/// The dialogue.
#[derive(Debug, Clone)]
pub struct Machine {
    pub(super) input: Input,
    stable: Stable,
    pub(super) state: State,
    pub(super) attendance: BTreeMap<Side, Attendance>,
    /// Each side's last position.
    pub(super) held: BTreeMap<Side, Held>,
    /// Everything that was put, in order; the last is what things stand on.
    pub(super) puts: Vec<Put>,
    pub(super) ruled: Option<Ruled>,
    pub(super) rounds: Vec<RoundRecord>,
    /// What the person said before this round.
    remark: Option<String>,
    /// The last consensus that was measured, whatever it came to.
    measured: Option<Share>,
    pub(super) warnings: Vec<Warning>,
}

impl Machine {
    /// Prepares a dialogue.
    pub fn new(input: Input) -> Result<Self, InputError> {
        input::check(&input)?;
        let stable =
            crate::protocol::debate::prompt::stable(&input.brief, prompt::HOW, &input.boundary);
        let mut machine = Self {
            stable,
            state: State::Asked(1, Ask::Propose),
            attendance: Side::ALL.map(|side| (side, Attendance::default())).into(),
            held: BTreeMap::new(),
            puts: Vec::new(),
            ruled: None,
            rounds: Vec::new(),
            remark: None,
            measured: None,
            warnings: Vec::new(),
            input,
        };
        let mut notes = machine.stable.notes.clone();
        let (proposer, reviewer) = (&machine.input.proposer, &machine.input.reviewer);
        if proposer.vendor == reviewer.vendor {
            notes.push(same_vendor(&proposer.vendor));
        }
        if machine.input.settings.consensus == Basis::Text {
            let message = "the likeness of texts decides (`--consensus text`): it cannot tell agreement from similar words";
            notes.push(Note::new("decided_by_text", message));
        }
        for note in &notes {
            machine.warnings.push(warning(note, None));
        }
        Ok(machine)
    }

    /// Returns the input, for whoever builds the result document.
    pub fn input(&self) -> &Input {
        &self.input
    }

    /// Returns the agent that a seat was given to.
    pub(super) fn seated(&self, side: Side) -> &Seated {
        match side {
            Side::Proposer => &self.input.proposer,
            Side::Reviewer => &self.input.reviewer,
        }
    }

    fn take(&mut self, answer: Answer<Reply>) -> Vec<Fact> {
        let now = self.asked().filter(|(round, ask)| {
            let fits = match &answer.result {
                Ok(reply) => reply.said.answers(*ask),
                Err(_) => true,
            };
            fits && answer.turn == turn_id(*round, *ask)
        });
        let Some((round, ask)) = now else {
            let message = format!(
                "an answer to {} came, which was not asked now; it is ignored",
                answer.turn
            );
            return vec![fact("unexpected_answer", &answer.turn, message)];
        };
        let mut notes = answer.notes;
        if let Ok(reply) = &answer.result {
            notes.extend(reply.notes.iter().cloned());
            notes.extend(self.forged(reply));
        }
        let failure = answer.result.as_ref().err();
        if let Some(side) = Side::of(ask) {
            notes.extend(self.attend(side, &answer.seated, failure));
        }
        let mut facts = self.warn(&answer.turn, &notes);
        facts.extend(match answer.result {
            Ok(reply) => self.heard(round, ask, reply.said, answer.seated),
            Err(failure) => self.missed(round, ask, failure, answer.seated),
        });
        if let Some((round, ask)) = self.asked() {
            let (turn, notes) = self.turn(round, ask);
            facts.extend(self.warn(&turn.id, &notes));
        }
        facts
    }

    /// Notes marker-like text in an answer that others will read: it is defused there.
    fn forged(&self, reply: &Reply) -> Option<Note> {
        let text = match &reply.said {
            Said::Position(position) => json!(position).to_string(),
            Said::Both(stances, position) => json!([stances, position]).to_string(),
            Said::Stances(stances) => json!(stances).to_string(),
            Said::Judgement(judgement) => json!(judgement).to_string(),
            Said::Remark(remark) => remark.clone().unwrap_or_default(),
        };
        let (_, places) = fence::defuse(&text, &self.input.boundary);
        let message = format!(
            "the answer holds text that looks like our markers in {places} places; it is defused for the others"
        );
        (places > 0).then(|| Note::new("forged_marker", message))
    }

    /// Notes that a side was asked; says so if both sides have become one vendor's.
    fn attend(&mut self, side: Side, seated: &Seated, failure: Option<&Failure>) -> Option<Note> {
        let attendance = self.attendance.entry(side).or_default();
        attendance.asked += 1;
        if let Some(failure) = failure {
            attendance.failed.push(failure.clone());
            attendance.misses += 1;
            return None;
        }
        attendance.misses = 0;
        attendance.vendors.push(seated.vendor.clone());
        if seated.fell_back_from.is_some() {
            attendance.fell_back_to = Some(seated.agent.clone());
        }
        let other = self.attendance.get(&side.other())?;
        let known = self.warnings.iter().any(|known| known.code == "same_vendor");
        (!known && other.vendors.contains(&seated.vendor)).then(|| same_vendor(&seated.vendor))
    }

    fn warn(&mut self, turn: &str, notes: &[Note]) -> Vec<Fact> {
        let warnings = notes.iter().map(|note| warning(note, Some(turn)));
        self.warnings.extend(warnings);
        (notes.iter()).map(|note| fact(&note.code, turn, note.message.clone())).collect()
    }

    /// Takes an answer; what it is was checked against the turn.
    fn heard(&mut self, round: u32, ask: Ask, said: Said, seated: Seated) -> Vec<Fact> {
        match said {
            Said::Remark(remark) => {
                self.remark = remark;
                self.state = State::Asked(round, first(round));
                Vec::new()
            }
            Said::Position(position) => {
                self.put(round, ask, position, seated);
                Vec::new()
            }
            Said::Both(stances, position) => {
                if let Some(side) = Side::of(ask) {
                    self.hold(side, position, round, seated.clone());
                }
                self.judged(round, ask, stances, seated)
            }
            Said::Stances(stances) => self.judged(round, ask, stances, seated),
            Said::Judgement(judgement) => self.expert(round, seated, Ok(judgement)),
        }
    }

    /// Puts a position to the other side. A joint draft is nobody's own: both sides' positions stand beside it.
    fn put(&mut self, round: u32, ask: Ask, position: Position, seated: Seated) {
        let (put, next) = match (ask, self.puts.last()) {
            (Ask::Propose, _) => {
                self.hold(Side::Proposer, position.clone(), round, seated);
                (Put::new(Kind::Proposal, position, round), Ask::Review)
            }
            (Ask::Alternative, _) => {
                self.hold(Side::Reviewer, position.clone(), round, seated);
                (Put::new(Kind::Alternative, position, round), Ask::Rebuttal)
            }
            (
                Ask::Compromise
                | Ask::Remark
                | Ask::Review
                | Ask::Rebuttal
                | Ask::Answer
                | Ask::Expert,
                last,
            ) => {
                let put = match last {
                    Some(last) => Put::over(last, position, round),
                    None => Put::new(Kind::Joint, position, round),
                };
                (put, Ask::Answer)
            }
        };
        self.puts.push(put);
        self.state = State::Asked(round, next);
    }

    /// Goes on without an answer.
    fn missed(&mut self, round: u32, ask: Ask, failure: Failure, seated: Seated) -> Vec<Fact> {
        let Some(side) = Side::of(ask) else {
            if ask == Ask::Expert {
                return self.expert(round, seated, Err(failure));
            }
            let message = format!("no remark was taken: {}", failure.message);
            self.state = State::Asked(round, first(round));
            return self.warn(&turn_id(round, ask), &[Note::new("no_remark", message)]);
        };
        let facts = vec![self.close_round(round, ask, None, Some(side))];
        let twice = self.attendance.get(&side).is_some_and(|seat| seat.misses > 1);
        let last = round >= self.input.settings.debating_rounds();
        // Without a position of both sides there was no debate, and nobody rules on it.
        let mute = last && Side::ALL.iter().any(|side| !self.held.contains_key(side));
        self.state = if ask == Ask::Propose || twice || mute {
            State::Closed(DebateOutcome::Failed)
        } else if last {
            self.to_expert(round)
        } else {
            self.further(round)
        };
        facts
    }

    fn hold(&mut self, side: Side, position: Position, round: u32, seated: Seated) {
        let held = Held { position, round, seated };
        self.held.insert(side, held);
    }

    /// Takes the stances on what was put, checks, and says what follows.
    fn judged(&mut self, round: u32, ask: Ask, stances: Stances, seated: Seated) -> Vec<Fact> {
        let Some(put) = self.puts.last_mut() else {
            return Vec::new();
        };
        put.judged = Some(Judged { stances, seated });
        let put = &*put;
        let reader = put.kind.author().other();
        let threshold = self.input.settings.consensus_threshold;
        let check = self.held.get(&reader).map(|own| {
            consensus::check(Compared {
                position: &put.position,
                stances: &put.stances(),
                other: &own.position,
                same_answer: put.kind != Kind::Joint,
                basis: self.input.settings.consensus,
                threshold,
            })
        });
        let conflict = (check.as_ref()).and_then(|check| check.polarity_conflict);
        let mut facts = vec![self.close_round(round, ask, check.clone(), None)];
        if let Some(conflict) = conflict {
            let note = Note::new("polarity_conflict", outcome::conflict(conflict));
            facts.extend(self.warn(&turn_id(round, ask), &[note]));
        }
        self.state = self.after(round, check.as_ref());
        if let Some(decisive) = check.and_then(|check| check.decisive) {
            self.measured = Some(decisive);
        }
        facts
    }

    /// Takes the ruling, or that there is none: who failed has approved of nothing.
    fn expert(
        &mut self,
        round: u32,
        seated: Seated,
        result: Result<Judgement, Failure>,
    ) -> Vec<Fact> {
        let turn = turn_id(round, Ask::Expert);
        let mut notes = Vec::new();
        if outcome::of_a_participant(self, &seated.vendor) {
            let message = format!(
                "the expert is of {}, as a participant is: it is no third voice",
                seated.vendor
            );
            notes.push(Note::new("expert_of_a_participant", message));
        }
        let message = match &result {
            Ok(judgement) => {
                format!("round {round}: the expert ruled on {} open points", judgement.points.len())
            }
            Err(failure) => format!("round {round}: the expert failed: {}", failure.message),
        };
        let mut facts = self.warn(&turn, &notes);
        facts.push(Fact {
            code: "round_closed".to_owned(),
            turn: Some(turn),
            message,
            data: json!({ "round": round, "ruled": result.is_ok() }),
            warning: false,
        });
        self.state = State::Closed(match &result {
            Ok(_) => DebateOutcome::Expert,
            Err(_) => DebateOutcome::Deadlocked,
        });
        self.ruled = Some(Ruled { seated, result });
        facts
    }

    /// Writes the round down. `silent`: whose answer is missing.
    fn close_round(
        &mut self,
        round: u32,
        ask: Ask,
        check: Option<Check>,
        silent: Option<Side>,
    ) -> Fact {
        let put = self.puts.last().filter(|put| put.round == round);
        let mut positions: BTreeMap<String, Position> = (self.held.iter())
            .map(|(side, held)| (side.seat().to_owned(), held.position.clone()))
            .collect();
        if let Some(joint) = put.filter(|put| put.kind == Kind::Joint) {
            positions.insert(joint.kind.by().to_owned(), joint.position.clone());
        }
        let stances = put.filter(|put| put.judged.is_some()).map(|put| {
            let reader = put.kind.author().other();
            (reader.seat().to_owned(), put.stances())
        });
        let record = RoundRecord {
            round,
            consensus: check,
            positions,
            stances: stances.into_iter().collect(),
            arguments: Vec::new(),
            metrics: None,
            votes: Vec::new(),
            forced: silent.map(|side| side.seat().to_owned()).into_iter().collect(),
            remark: self.remark.take(),
            stamp: None,
        };
        let fact = closed(&record, turn_id(round, ask));
        self.rounds.push(record);
        fact
    }
}

/// Names a turn.
pub(super) fn turn_id(round: u32, ask: Ask) -> String {
    format!("r{round}/{}", ask.word())
}

/// What a debating round begins with.
const fn first(round: u32) -> Ask {
    match round {
        0 | 1 => Ask::Propose,
        2 => Ask::Alternative,
        _ => Ask::Compromise,
    }
}

impl Machine {
    pub(crate) fn apply(&mut self, answers: Vec<Answer<Reply>>) -> Vec<Fact> {
        let mut facts = Vec::new();
        for answer in answers {
            facts.extend(self.take(answer));
        }
        facts
    }
}

impl Drive for Machine {
    type Reply = Reply;
    type Outcome = Outcome;

    fn next(&self) -> Step<Outcome> {
        let (round, ask) = match self.state {
            State::Closed(ended) => return Step::Done(outcome::outcome(self, ended)),
            State::Asked(round, ask) => (round, ask),
        };
        let (turn, _) = self.turn(round, ask);
        let asks_person = self.input.settings.pause && round > 1;
        let opens = match ask {
            Ask::Remark | Ask::Propose | Ask::Expert => true,
            Ask::Alternative | Ask::Compromise => !asks_person,
            Ask::Review | Ask::Rebuttal | Ask::Answer => false,
        };
        Step::Ask { opens_round: opens.then_some(round), turns: vec![turn] }
    }

    fn parse(&self, turn: &Turn, reply: &RawReply, chance: Chance) -> Result<Reply, Defect> {
        let Some((_, ask)) = self.asked().filter(|(round, ask)| turn_id(*round, *ask) == turn.id)
        else {
            let message = format!("`{}` is no turn that is asked now", turn.id);
            return Err(Defect {
                problems: vec![Problem::new("unknown_turn", None, message)],
                expected_ids: Vec::new(),
            });
        };
        let shown = self.shown(ask);
        let terms = Terms {
            shown: &shown,
            chance,
            strict: self.input.settings.strict,
            limits: BlockLimits { block_bytes: self.input.settings.block_bytes },
        };
        reply::parse(ask, reply, terms)
    }

    fn apply(&mut self, answers: Vec<Answer<Reply>>) -> Vec<Event> {
        Self::apply(self, answers).into_iter().map(Event::of).collect()
    }

    fn stop(&self, why: Stop) -> Outcome {
        let ended = match (self.state, why) {
            (_, Stop::Running) => DebateOutcome::Running,
            (_, Stop::Terminated) | (State::Asked(..), Stop::Budget | Stop::Deadline) => {
                DebateOutcome::Terminated
            }
            // A debate that is over stays what it is.
            (State::Closed(ended), _) => ended,
            (State::Asked(..), Stop::Cancelled(_)) => DebateOutcome::Interrupted,
        };
        outcome::outcome(self, ended)
    }
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
