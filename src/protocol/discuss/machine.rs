//! The critique's state machine: all perspectives at once, and then it is over.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::contract::CRITIQUE;
use super::input::{self, Input, InputError, Perspective};
use super::model::{Critique, DiscussOutcome, Outcome, Verdict};
use super::prompt::{self, Stable};
use super::reply::{self, Reply, Terms};
use super::{ladder, outcome};
use crate::kernel::{
    Answer, Chance, Defect, Drive, Event, Fact, Failure, RawReply, Seated, Step, Stop, Turn,
    Warning,
};
use crate::text::block::BlockLimits;
use crate::text::{Note, Problem};

/// What the next answers are expected to be.
#[derive(Debug, Clone, PartialEq)]
enum State {
    /// Of the perspectives that have not answered yet.
    Asking,
    /// Nobody is asked any more; with how it ended.
    Closed(Box<Outcome>),
}

/// What became of a perspective's turn.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Heard {
    /// Who answered, or who was asked last.
    pub(super) seated: Seated,
    /// What was said.
    pub(super) result: Result<Critique, Failure>,
    /// What was noticed on the way.
    notes: Vec<Note>,
}

/// The critique.
#[derive(Debug, Clone)]
pub struct Machine {
    pub(super) input: Input,
    stable: Stable,
    state: State,
    /// By the place of the perspective, so that the order of arrival plays no part.
    pub(super) heard: BTreeMap<usize, Heard>,
}

impl Machine {
    /// Prepares a critique.
    ///
    /// # Errors
    ///
    /// An input on which there can be none, before anybody is asked.
    pub fn new(input: Input) -> Result<Self, InputError> {
        input::check(&input)?;
        Ok(Self {
            stable: prompt::stable(&input.task, &input.boundary),
            state: State::Asking,
            heard: BTreeMap::new(),
            input,
        })
    }

    /// Returns the input, for whoever builds the result document.
    pub fn input(&self) -> &Input {
        &self.input
    }

    /// Returns the perspectives that must answer: more than half of those that are asked.
    pub(super) fn needed(&self) -> usize {
        self.input.task.perspectives.len() / 2 + 1
    }

    /// Returns what was noticed so far, in the order of the perspectives.
    pub(super) fn warnings(&self) -> Vec<Warning> {
        let warning = |note: &Note, turn: Option<String>| Warning {
            code: note.code.clone(),
            turn,
            message: note.message.clone(),
        };
        let general = self.stable.notes.iter().map(|note| warning(note, None));
        let heard = self.heard.iter().flat_map(|(at, heard)| {
            let turn = self.input.task.perspectives.get(*at).map(turn_id);
            heard.notes.iter().map(move |note| warning(note, turn.clone()))
        });
        general.chain(heard).collect()
    }

    /// Returns the perspectives that are asked now, with their places.
    fn open(&self) -> impl Iterator<Item = (usize, &Perspective)> {
        let asking = self.state == State::Asking;
        let all = self.input.task.perspectives.iter().enumerate();
        all.filter(move |(at, _)| asking && !self.heard.contains_key(at))
    }

    fn find(&self, turn: &str) -> Option<(usize, &Perspective)> {
        self.open().find(|(_, perspective)| turn_id(perspective) == turn)
    }

    fn take(&mut self, answer: Answer<Reply>) -> Vec<Fact> {
        let Some((at, _)) = self.find(&answer.turn) else {
            let message = format!(
                "an answer to {} came, which was not asked now; it is ignored",
                answer.turn
            );
            return vec![fact("unexpected_answer", Some(&answer.turn), message)];
        };
        let mut notes = answer.notes;
        let result = answer.result.map(|reply| {
            notes.extend(reply.notes);
            reply.critique
        });
        let facts = (notes.iter())
            .map(|note| fact(&note.code, Some(&answer.turn), note.message.clone()))
            .collect();
        let heard = Heard { seated: answer.seated, result, notes };
        self.heard.insert(at, heard);
        facts
    }

    /// Ends the critique when every perspective has answered or failed.
    fn advance(&mut self) -> Vec<Fact> {
        if self.state != State::Asking || self.open().next().is_some() {
            return Vec::new();
        }
        let view = outcome::View::new(self);
        let ended = match view.severity() {
            None => DiscussOutcome::Undecided,
            Some(severity) => match ladder::verdict(severity) {
                Verdict::ConsensusReached => DiscussOutcome::ConsensusReached,
                Verdict::ConsensusBlocked => DiscussOutcome::ConsensusBlocked,
                Verdict::Undecided => DiscussOutcome::Undecided,
            },
        };
        let outcome = view.outcome(ended);
        let vendor = view.one_vendor();
        let closed = self.round_closed(&outcome);
        self.state = State::Closed(Box::new(outcome));
        let vendor = vendor.map(|note| fact(&note.code, None, note.message));
        vendor.into_iter().chain([closed]).collect()
    }

    fn round_closed(&self, outcome: &Outcome) -> Fact {
        let (answered, asked) = (outcome.voices.len(), self.input.task.perspectives.len());
        let verdict = outcome.outcome.verdict();
        let came = match outcome.severity {
            Some(severity) => format!("severity {severity}: {verdict}"),
            None => format!("{verdict}: {} must answer", outcome.needed),
        };
        let ratings: Vec<String> = (outcome.voices.iter())
            .map(|voice| format!("{} {}", voice.perspective, voice.critique.rating))
            .collect();
        let rated = match ratings.join(", ") {
            none if none.is_empty() => none,
            ratings => format!(" ({ratings})"),
        };
        Fact {
            code: "round_closed".to_owned(),
            turn: self.input.task.perspectives.last().map(turn_id),
            message: format!("round 1: {answered} of {asked} perspectives answered{rated}; {came}"),
            data: json!({
                "round": 1, "answered": answered, "asked": asked, "ratings": outcome.ratings,
                "severity": outcome.severity, "verdict": verdict,
            }),
            warning: false,
        }
    }
}

/// The id of a perspective's turn: `r1/product`.
fn turn_id(perspective: &Perspective) -> String {
    format!("r1/{}", perspective.name)
}

fn fact(code: &str, turn: Option<&str>, message: String) -> Fact {
    Fact {
        code: code.to_owned(),
        turn: turn.map(str::to_owned),
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

    /// Critiques that came are paid for and worth reading without the others; nothing is decided on them.
    pub(crate) fn part(&mut self, answers: Vec<Answer<Reply>>) {
        for answer in answers {
            self.take(answer);
        }
    }
}

impl Drive for Machine {
    type Reply = Reply;
    type Outcome = Outcome;

    fn next(&self) -> Step<Outcome> {
        if let State::Closed(outcome) = &self.state {
            return Step::Done(Outcome::clone(outcome));
        }
        let turn = |(_, perspective): (usize, &Perspective)| {
            let id = turn_id(perspective);
            Turn {
                prompt: prompt::prompt(&self.stable, &id, perspective, &self.input.boundary),
                id: crate::kernel::TurnId::read(&id),
                role: perspective.name.clone(),
                plays: perspective.plays.clone().into(),
                blocks: vec![CRITIQUE],
                not_vendor_of: Vec::new(),
                not_vendors: Vec::new(),
            }
        };
        Step::Ask {
            opens_round: self.heard.is_empty().then_some(1),
            turns: self.open().map(turn).collect(),
        }
    }

    fn quorum(&self) -> usize {
        self.needed()
    }

    fn parse(&self, turn: &Turn, reply: &RawReply, chance: Chance) -> Result<Reply, Defect> {
        let Some((_, perspective)) = self.find(&turn.id) else {
            let message = format!("`{}` is no turn that is asked now", turn.id);
            return Err(Defect {
                problems: vec![Problem::new("unknown_turn", None, message)],
                expected_ids: Vec::new(),
            });
        };
        let terms = Terms {
            strict: self.input.settings.strict,
            limits: BlockLimits { block_bytes: self.input.settings.block_bytes },
        };
        reply::parse(perspective, reply, chance, terms)
    }

    fn apply(&mut self, answers: Vec<Answer<Reply>>) -> Vec<Event> {
        Self::apply(self, answers).into_iter().map(Event::of).collect()
    }

    fn part(&mut self, answers: Vec<Option<Answer<Reply>>>) {
        Self::part(self, answers.into_iter().flatten().collect());
    }

    fn stop(&self, why: Stop) -> Outcome {
        let ended = match (&self.state, why) {
            (_, Stop::Running) => DiscussOutcome::Running,
            (_, Stop::Terminated) => DiscussOutcome::Terminated,
            // A critique that is over stays what it is.
            (State::Closed(outcome), _) => return Outcome::clone(outcome),
            (State::Asking, Stop::Budget) => DiscussOutcome::Budget,
            (State::Asking, Stop::Deadline | Stop::Cancelled(_)) => DiscussOutcome::Interrupted,
        };
        outcome::View::new(self).outcome(ended)
    }
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
