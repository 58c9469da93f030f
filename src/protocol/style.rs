//! The styles of a topic debate as one protocol, so that the caller of a debate need not know its style.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::clarify::{self, Informed};
use super::debate::{Brief, BriefError, Outcome};
use super::facts::Facts;
use super::prompt::Prompts;
use super::{argument, panel, topic};
use crate::kernel::{
    Answer, Answers, Chance, Defect, Driver, Protocol, Query, RawReply, Reply, Respondent, Run,
    Step, Stop, Turn,
};
use crate::text::Note;
use crate::words;

pub(crate) const DIALOGUE: [&str; 3] = ["proposer", "reviewer", "expert"];
/// The seats of a debate of typed arguments: the side that proposes, and its opponent.
pub(crate) const ARGUMENT: [&str; 2] = ["primary", "adversary"];
/// The seat of a panel's judge, in addition to `s1`, `s2`, ...
pub(crate) const JUDGE: &str = "judge";
words! {
    /// How a topic is debated.
    #[derive(Hash)]
    pub enum Style {
        /// Two participants and an expert.
        Dialogue = "dialogue",
        /// Typed arguments of two sides.
        Argument = "argument",
        /// Three or more who vote.
        Panel = "panel",
    }
}

/// A debate's task: the brief, and the sources against which evidence is checked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Task {
    /// The topic with its description, options and files.
    pub brief: Brief,
    /// The sources for typed arguments; unused by the other styles.
    #[serde(default)]
    pub sources: argument::Sources,
    /// What becomes of questions before the first turn; `None` if none are asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clarify: Option<clarify::Mode>,
    /// Notes from before the debate was opened: a replaced agent, text removed from a file. Stored with the session,
    /// so that the result repeats them whenever it is shown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Note>,
}

/// The settings of a debate, by style.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "style", rename_all = "snake_case")]
pub(crate) enum Settings {
    /// The settings of a dialogue.
    Dialogue(topic::Settings),
    /// The settings of a debate of typed arguments.
    Argument(argument::Settings),
    /// The settings of a panel.
    Panel {
        /// The settings of the panel's protocol.
        #[serde(flatten)]
        panel: panel::Settings,
        /// Whether a seat judges if no other judge is available.
        judge_from_seats: bool,
    },
}

impl Style {
    /// Returns the allowed numbers of rounds: including the expert's, or a panel's cross rounds.
    pub const fn rounds(self) -> RangeInclusive<u32> {
        match self {
            Self::Dialogue | Self::Argument => 1..=10,
            Self::Panel => 0..=5,
        }
    }
}

impl Settings {
    /// Returns the style to which the settings belong.
    pub(crate) const fn style(&self) -> Style {
        match self {
            Self::Dialogue(_) => Style::Dialogue,
            Self::Argument(_) => Style::Argument,
            Self::Panel { .. } => Style::Panel,
        }
    }

    /// Returns the maximum number of rounds, and the maximum number of turns that one seat can have in them.
    pub(crate) const fn bounds(&self) -> (u32, u32) {
        match self {
            // At most two turns per round and seat; the expert's turn is an additional one.
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
    /// Returns the maximum number of turns with the given number of seats, including an expert or judge.
    pub(crate) const fn most_turns(&self, seats: u32) -> u32 {
        match self {
            // Two per round, one after the other; and the expert's.
            Self::Dialogue(settings) => settings.max_rounds.saturating_mul(2).saturating_add(1),
            // Proposal, challenge, defense, counter, resolution, stances.
            Self::Argument(settings) => settings.max_rounds.saturating_mul(6),
            // The answer, the vote and the cross rounds of each; a judge's three turns.
            Self::Panel { panel, .. } => {
                seats.saturating_mul(panel.max_rounds.saturating_add(2)).saturating_add(3)
            }
        }
    }
}

/// Reasons why a debate cannot be opened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum InputError {
    #[error(transparent)]
    Brief(#[from] BriefError),
    #[error(transparent)]
    Dialogue(#[from] topic::InputError),
    #[error(transparent)]
    Argument(#[from] argument::InputError),
    #[error(transparent)]
    Panel(#[from] panel::InputError),
    #[error("nobody has the seat `{0}`")]
    Empty(&'static str),
}

/// The parts from which a debate is opened.
#[derive(Debug, Clone)]
pub(crate) struct Parts {
    pub task: Task,
    pub settings: Settings,
    /// The respondent of each seat, by the seat's name.
    pub seats: BTreeMap<String, Respondent>,
    /// The words of its prompts.
    pub prompts: Prompts,
    /// The seed of the session's random orders.
    pub seed: u64,
}

/// The state machine of a debate of any style.
#[derive(Debug, Clone)]
pub(crate) enum Machine {
    Dialogue(topic::Machine),
    /// The machine of a debate of typed arguments.
    Argument(argument::Machine),
    Panel(panel::Machine),
}

/// Declares an enum of the types that each style has of its own.
macro_rules! of_each_style {
    ($(#[$doc:meta])* $name:ident, $($style:ident: $own:ty),*) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq)]
        pub enum $name {
            $($style($own)),*
        }

        $(impl From<$own> for $name {
            fn from(own: $own) -> Self {
                Self::$style(own)
            }
        }

        impl<'a> TryFrom<&'a $name> for &'a $own {
            type Error = ();

            fn try_from(any: &'a $name) -> Result<Self, ()> {
                if let $name::$style(own) = any { Ok(own) } else { Err(()) }
            }
        })*
    };
}

of_each_style! {
    /// The purpose of a turn of any style.
    Ask, Dialogue: topic::Purpose, Argument: argument::Purpose, Panel: panel::Purpose
}

of_each_style! {
    /// A reply in a debate of any style.
    Said, Dialogue: topic::Content, Argument: argument::Content, Panel: panel::Content
}

/// Returns the style's own value; `None` if it belongs to another style.
fn own<'a, T: 'a, A>(any: &'a A) -> Option<&'a T>
where
    &'a T: TryFrom<&'a A>,
{
    any.try_into().ok()
}

/// Converts the answers to the style's own type: all convert, since the style itself asked and read each.
fn answers<'a, T: Clone + 'a, S: Clone + 'a>(all: &'a [(Ask, Answer<Said>)]) -> Vec<(T, Answer<S>)>
where
    &'a T: TryFrom<&'a Ask>,
    &'a S: TryFrom<&'a Said>,
{
    let each = |(ask, answer): &'a (Ask, Answer<Said>)| {
        let result = match &answer.result {
            Ok(said) => Ok(own::<S, _>(said)?.clone()),
            Err(failure) => Err(failure.clone()),
        };
        Some((own::<T, _>(ask)?.clone(), answer.clone().with(result)))
    };
    all.iter().filter_map(each).collect()
}

/// Evaluates the same expression with the machine of any style.
macro_rules! each {
    ($any:expr, $machine:ident => $do:expr) => {
        match $any {
            Self::Dialogue($machine) => $do,
            Self::Argument($machine) => $do,
            Self::Panel($machine) => $do,
        }
    };
}

impl Machine {
    /// Opens a debate.
    ///
    /// # Errors
    /// The brief cannot be debated, or a seat is empty.
    pub(crate) fn open(parts: Parts) -> Result<Driver<Self>, InputError> {
        let Parts { task, settings, mut seats, prompts, seed } = parts;
        task.brief.check()?;
        let brief = task.brief;
        let mut taken = |seat: &'static str| seats.remove(seat).ok_or(InputError::Empty(seat));
        Ok(match settings {
            Settings::Dialogue(settings) => topic::Machine::open(topic::Input {
                brief,
                proposer: taken(DIALOGUE[0])?,
                reviewer: taken(DIALOGUE[1])?,
                expert: taken(DIALOGUE[2]).ok(),
                settings,
                prompts,
                seed,
            })?
            .wrap(Self::Dialogue, Ask::Dialogue),
            Settings::Argument(settings) => argument::Machine::open(argument::Input {
                brief,
                primary: taken(ARGUMENT[0])?,
                adversary: taken(ARGUMENT[1])?,
                sources: task.sources,
                settings,
                prompts,
                seed,
            })?
            .wrap(Self::Argument, Ask::Argument),
            Settings::Panel { panel: settings, judge_from_seats } => {
                let judge = match taken(JUDGE) {
                    Ok(judge) => panel::Judge::Named(judge),
                    Err(_) if judge_from_seats => panel::Judge::Seat,
                    Err(_) => panel::Judge::Nobody,
                };
                panel::Machine::open(panel::Input {
                    brief,
                    judge,
                    seats: seats.into_values().collect(),
                    settings,
                    prompts,
                    seed,
                })?
                .wrap(Self::Panel, Ask::Panel)
            }
        })
    }
}

impl Informed for Machine {
    type Input = Parts;

    fn informed(input: &Parts, facts: &Facts) -> Option<Self> {
        let mut parts = input.clone();
        parts.task.brief.facts = facts.clone();
        Self::open(parts).ok().map(|driver| driver.protocol().clone())
    }
}

impl Protocol for Machine {
    type Ask = Ask;
    type Content = Said;
    type Outcome = Outcome;

    fn next(&self, run: &Run) -> Step<Outcome, Query<Ask>> {
        each!(self, machine => machine.next(run).map(|query| query.map(Ask::from)))
    }

    fn read(&self, ask: &Ask, reply: &RawReply, chance: Chance) -> Result<Reply<Said>, Defect> {
        let other = || Defect::of("another_style", "the turn is of another style".to_owned());
        each!(self, machine => {
            let read = machine.read(own(ask).ok_or_else(other)?, reply, chance);
            read.map(|reply| reply.map(Said::from))
        })
    }

    fn data(&self, ask: &Ask, turn: &Turn, run: &Run) -> Value {
        each!(self, machine => own(ask).map_or(Value::Null, |ask| machine.data(ask, turn, run)))
    }

    fn quoted(&self, said: &Said) -> Option<String> {
        each!(self, machine => machine.quoted(own(said)?))
    }

    fn attends<'a>(&self, ask: &Ask, role: &'a str) -> &'a str {
        each!(self, machine => own(ask).map_or(role, |ask| machine.attends(ask, role)))
    }

    fn quorum(&self) -> usize {
        each!(self, machine => machine.quorum())
    }

    fn keeps_part(&self) -> bool {
        each!(self, machine => machine.keeps_part())
    }

    fn apply(&mut self, all: Answers<Self>, run: &mut Run) {
        each!(self, machine => machine.apply(answers(&all), run));
    }

    fn stop(&self, why: Stop, part: &[(Ask, Answer<Said>)], run: &Run) -> Outcome {
        each!(self, machine => machine.stop(why, &answers(part), run))
    }
}
