//! The styles of a topic debate as one protocol: whoever runs a debate need not know which it is.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::debate::{Brief, BriefError, Outcome, PERSON};
use super::{argument, panel, topic};
use crate::kernel::{
    self, Answer, Chance, Defect, Drive, Driver, Event, Failure, FailureClass, RawReply, Seated,
    Step, Stop, Turn,
};
use crate::text::Note;

/// The seats of a dialogue: who proposes, who reviews, who rules.
pub const DIALOGUE: [&str; 3] = ["proposer", "reviewer", "expert"];
/// The seats of a debate of typed arguments.
pub const ARGUMENT: [&str; 2] = ["primary", "adversary"];
/// The seat of a panel's judge, besides `s1`, `s2`, ...
pub const JUDGE: &str = "judge";
/// How a topic is debated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Style {
    /// Two participants and an expert.
    Dialogue,
    /// Typed arguments of two sides.
    Argument,
    /// Three or more who vote.
    Panel,
}

impl Style {
    /// Returns the name as it stands in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Dialogue => "dialogue",
            Self::Argument => "argument",
            Self::Panel => "panel",
        }
    }
}

/// What is debated, and what evidence is checked against.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Task {
    /// What is debated.
    pub brief: Brief,
    /// For typed arguments.
    #[serde(default)]
    pub sources: argument::Sources,
    /// What was noticed before it was opened: who is replaced, what was taken out of a file. Kept with the session, so
    /// that the result says it whenever it is shown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Note>,
}

/// How a debate of each style is run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "style", rename_all = "snake_case")]
pub enum Settings {
    /// A dialogue.
    Dialogue(topic::Settings),
    /// Typed arguments.
    Argument(argument::Settings),
    /// A panel.
    Panel {
        /// As its protocol takes them.
        #[serde(flatten)]
        panel: panel::Settings,
        /// Whether a seat judges where nobody else is there.
        judge_from_seats: bool,
    },
}

impl Settings {
    /// Returns the style.
    pub const fn style(&self) -> Style {
        match self {
            Self::Dialogue(_) => Style::Dialogue,
            Self::Argument(_) => Style::Argument,
            Self::Panel { .. } => Style::Panel,
        }
    }

    /// Returns the most rounds there can be, and the most turns that one seat can have in them.
    pub const fn bounds(&self) -> (u32, u32) {
        match self {
            // Two turns a round and a seat at most; the expert's is one of its own.
            Self::Dialogue(settings) => {
                (settings.max_rounds, settings.max_rounds.saturating_mul(2).saturating_add(1))
            }
            // Proposal, defense and resolution, or challenge, reply and stances.
            Self::Argument(settings) => {
                (settings.max_rounds, settings.max_rounds.saturating_mul(3).saturating_add(1))
            }
            // The answer, the vote, the cross rounds; a judge's three turns.
            Self::Panel { panel, .. } => {
                let rounds = panel.max_rounds.saturating_add(2);
                (rounds, rounds.saturating_add(3))
            }
        }
    }
}

/// Why there can be no debate.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InputError {
    /// What is debated.
    #[error(transparent)]
    Brief(#[from] BriefError),
    /// A dialogue.
    #[error(transparent)]
    Dialogue(#[from] topic::InputError),
    /// Typed arguments.
    #[error(transparent)]
    Argument(#[from] argument::InputError),
    /// A panel.
    #[error(transparent)]
    Panel(#[from] panel::InputError),
    /// A seat that the style needs is empty.
    #[error("nobody sits in the seat `{0}`")]
    Empty(&'static str),
}

/// What a debate is made of.
#[derive(Debug, Clone)]
pub struct Parts<'a> {
    /// What is debated.
    pub task: &'a Task,
    /// How.
    pub settings: &'a Settings,
    /// Who sits where.
    pub seats: BTreeMap<String, Seated>,
    /// The session's boundary around untrusted text.
    pub boundary: &'a str,
    /// The session's seed.
    pub seed: u64,
}

/// A debate of any style.
#[derive(Debug, Clone)]
pub enum Machine {
    /// A dialogue.
    Dialogue(Driver<topic::Machine>),
    /// Typed arguments.
    Argument(Driver<argument::Machine>),
    /// A panel.
    Panel(Driver<panel::Machine>),
}

/// A reply in a debate of any style.
#[derive(Debug, Clone)]
pub enum Reply {
    /// In a dialogue.
    Dialogue(kernel::Reply<topic::Said>),
    /// Of typed arguments.
    Argument(kernel::Reply<argument::Said>),
    /// In a panel.
    Panel(kernel::Reply<panel::Said>),
}

impl Machine {
    /// Prepares a debate.
    ///
    /// # Errors
    /// The brief cannot be debated, or a seat is empty.
    pub fn new(parts: Parts<'_>) -> Result<Self, InputError> {
        let Parts { task, settings, mut seats, boundary, seed } = parts;
        task.brief.check()?;
        let (brief, boundary) = (task.brief.clone(), boundary.to_owned());
        let mut taken = |seat: &'static str| seats.remove(seat).ok_or(InputError::Empty(seat));
        Ok(match settings {
            Settings::Dialogue(settings) => Self::Dialogue(topic::Machine::open(topic::Input {
                brief,
                proposer: taken(DIALOGUE[0])?,
                reviewer: taken(DIALOGUE[1])?,
                expert: taken(DIALOGUE[2]).ok(),
                settings: settings.clone(),
                boundary,
                seed,
            })?),
            Settings::Argument(settings) => {
                Self::Argument(argument::Machine::open(argument::Input {
                    brief,
                    primary: taken(ARGUMENT[0])?,
                    adversary: taken(ARGUMENT[1])?,
                    sources: task.sources.clone(),
                    settings: settings.clone(),
                    boundary,
                    seed,
                })?)
            }
            Settings::Panel { panel: settings, judge_from_seats } => {
                let judge = match taken(JUDGE) {
                    Ok(judge) => panel::Judge::Named(judge),
                    Err(_) if *judge_from_seats => panel::Judge::Seat,
                    Err(_) => panel::Judge::Nobody,
                };
                taken(PERSON).ok();
                Self::Panel(panel::Machine::open(panel::Input {
                    brief,
                    judge,
                    seats: seats.into_values().collect(),
                    settings: settings.clone(),
                    boundary,
                    seed,
                })?)
            }
        })
    }
}

/// Takes an answer for the style that asked for it.
fn narrow<R>(answer: Answer<Reply>, own: impl FnOnce(Reply) -> Option<R>) -> Answer<R> {
    let foreign = || Failure {
        class: FailureClass::Unreadable,
        message: "the reply is of another style of debate".to_owned(),
    };
    Answer {
        turn: answer.turn,
        role: answer.role,
        seated: answer.seated,
        result: answer.result.and_then(|reply| own(reply).ok_or_else(foreign)),
        cost: answer.cost,
        attempts: answer.attempts,
        took: answer.took,
        notes: answer.notes,
    }
}

fn of_dialogue(reply: Reply) -> Option<kernel::Reply<topic::Said>> {
    match reply {
        Reply::Dialogue(reply) => Some(reply),
        Reply::Argument(_) | Reply::Panel(_) => None,
    }
}

fn of_argument(reply: Reply) -> Option<kernel::Reply<argument::Said>> {
    match reply {
        Reply::Argument(reply) => Some(reply),
        Reply::Dialogue(_) | Reply::Panel(_) => None,
    }
}

fn of_panel(reply: Reply) -> Option<kernel::Reply<panel::Said>> {
    match reply {
        Reply::Panel(reply) => Some(reply),
        Reply::Dialogue(_) | Reply::Argument(_) => None,
    }
}

fn all<R>(answers: Vec<Answer<Reply>>, own: fn(Reply) -> Option<R>) -> Vec<Answer<R>> {
    answers.into_iter().map(|answer| narrow(answer, own)).collect()
}

fn parts<R>(
    answers: Vec<Option<Answer<Reply>>>,
    own: fn(Reply) -> Option<R>,
) -> Vec<Option<Answer<R>>> {
    answers.into_iter().map(|answer| answer.map(|answer| narrow(answer, own))).collect()
}

impl Drive for Machine {
    type Reply = Reply;
    type Outcome = Outcome;

    fn next(&self) -> Step<Outcome> {
        match self {
            Self::Dialogue(machine) => machine.next(),
            Self::Argument(machine) => machine.next(),
            Self::Panel(machine) => machine.next(),
        }
    }

    fn quorum(&self) -> usize {
        match self {
            Self::Dialogue(machine) => machine.quorum(),
            Self::Argument(machine) => machine.quorum(),
            Self::Panel(machine) => machine.quorum(),
        }
    }

    fn parse(&self, turn: &Turn, reply: &RawReply, chance: Chance) -> Result<Reply, Defect> {
        match self {
            Self::Dialogue(machine) => machine.parse(turn, reply, chance).map(Reply::Dialogue),
            Self::Argument(machine) => machine.parse(turn, reply, chance).map(Reply::Argument),
            Self::Panel(machine) => machine.parse(turn, reply, chance).map(Reply::Panel),
        }
    }

    fn apply(&mut self, answers: Vec<Answer<Reply>>) -> Vec<Event> {
        match self {
            Self::Dialogue(machine) => Drive::apply(machine, all(answers, of_dialogue)),
            Self::Argument(machine) => Drive::apply(machine, all(answers, of_argument)),
            Self::Panel(machine) => Drive::apply(machine, all(answers, of_panel)),
        }
    }

    fn part(&mut self, answers: Vec<Option<Answer<Reply>>>) {
        match self {
            Self::Dialogue(machine) => Drive::part(machine, parts(answers, of_dialogue)),
            Self::Argument(machine) => Drive::part(machine, parts(answers, of_argument)),
            Self::Panel(machine) => Drive::part(machine, parts(answers, of_panel)),
        }
    }

    fn stop(&self, why: Stop) -> Outcome {
        match self {
            Self::Dialogue(machine) => machine.stop(why),
            Self::Argument(machine) => machine.stop(why),
            Self::Panel(machine) => machine.stop(why),
        }
    }
}
