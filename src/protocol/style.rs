//! The styles of a topic debate as one protocol: whoever runs a debate need not know which it is.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::debate::{Brief, BriefError, Outcome, PERSON};
use super::{argument, panel, topic};
use crate::kernel::{
    Answer, Answers, Chance, Defect, Driver, Protocol, Query, RawReply, Reply, Respondent, Run,
    Step, Stop, Turn,
};
use crate::text::Note;
use crate::words;

/// The seats of a dialogue: who proposes, who reviews, who rules.
pub const DIALOGUE: [&str; 3] = ["proposer", "reviewer", "expert"];
/// The seats of a debate of typed arguments.
pub const ARGUMENT: [&str; 2] = ["primary", "adversary"];
/// The seat of a panel's judge, besides `s1`, `s2`, ...
pub const JUDGE: &str = "judge";
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

impl Style {
    /// Returns how many rounds a debate may have at most: the expert's included, or a panel's cross rounds.
    pub const fn rounds(self) -> RangeInclusive<u32> {
        match self {
            Self::Dialogue | Self::Argument => 1..=10,
            Self::Panel => 0..=5,
        }
    }
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
    /// Returns the most turns that there can be of so many seats, an expert or judge among them.
    pub const fn most_turns(&self, seats: u32) -> u32 {
        match self {
            // Two a round, one after the other; the expert's.
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
    pub seats: BTreeMap<String, Respondent>,
    /// The session's boundary around untrusted text.
    pub boundary: &'a str,
    /// The session's seed.
    pub seed: u64,
}

/// A debate of any style.
#[derive(Debug, Clone)]
pub enum Machine {
    /// A dialogue.
    Dialogue(topic::Machine),
    /// Typed arguments.
    Argument(argument::Machine),
    /// A panel.
    Panel(panel::Machine),
}

/// One of what each style has its own type for.
macro_rules! of_each_style {
    ($(#[$doc:meta])* $name:ident, $($style:ident: $own:ty),*) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq)]
        #[expect(missing_docs, reason = "the names are those of the styles")]
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

/// Returns what is the style's own, if it is.
fn own<'a, T: 'a, A>(any: &'a A) -> Option<&'a T>
where
    &'a T: TryFrom<&'a A>,
{
    any.try_into().ok()
}

/// Returns the answers as the style's own: all are, since each was asked and read by it.
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

/// Does the same with the machine of whichever style it is.
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
    /// Prepares a debate.
    ///
    /// # Errors
    /// The brief cannot be debated, or a seat is empty.
    pub fn open(parts: Parts<'_>) -> Result<Driver<Self>, InputError> {
        let Parts { task, settings, mut seats, boundary, seed } = parts;
        task.brief.check()?;
        let (brief, boundary) = (task.brief.clone(), boundary.to_owned());
        let mut taken = |seat: &'static str| seats.remove(seat).ok_or(InputError::Empty(seat));
        Ok(match settings {
            Settings::Dialogue(settings) => topic::Machine::open(topic::Input {
                brief,
                proposer: taken(DIALOGUE[0])?,
                reviewer: taken(DIALOGUE[1])?,
                expert: taken(DIALOGUE[2]).ok(),
                settings: settings.clone(),
                boundary,
                seed,
            })?
            .wrap(Self::Dialogue, Ask::Dialogue),
            Settings::Argument(settings) => argument::Machine::open(argument::Input {
                brief,
                primary: taken(ARGUMENT[0])?,
                adversary: taken(ARGUMENT[1])?,
                sources: task.sources.clone(),
                settings: settings.clone(),
                boundary,
                seed,
            })?
            .wrap(Self::Argument, Ask::Argument),
            Settings::Panel { panel: settings, judge_from_seats } => {
                let judge = match taken(JUDGE) {
                    Ok(judge) => panel::Judge::Named(judge),
                    Err(_) if *judge_from_seats => panel::Judge::Seat,
                    Err(_) => panel::Judge::Nobody,
                };
                taken(PERSON).ok();
                panel::Machine::open(panel::Input {
                    brief,
                    judge,
                    seats: seats.into_values().collect(),
                    settings: settings.clone(),
                    boundary,
                    seed,
                })?
                .wrap(Self::Panel, Ask::Panel)
            }
        })
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
