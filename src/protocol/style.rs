//! The styles of a topic debate as one protocol: whoever runs a debate need not know which it is.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::debate::{Brief, BriefError, Outcome, PERSON};
use super::{argument, panel, topic};
use crate::contract::field::Word;
use crate::kernel::{
    Answer, Answers, Chance, Defect, Driver, Protocol, Query, RawReply, Reply, Run, Seated, Step,
    Stop, Turn,
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

impl Word for Style {
    const WORDS: &'static [Self] = &[Self::Dialogue, Self::Argument, Self::Panel];

    fn word(self) -> &'static str {
        self.name()
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
    Dialogue(topic::Machine),
    /// Typed arguments.
    Argument(argument::Machine),
    /// A panel.
    Panel(panel::Machine),
}

/// One of what each style has its own type for.
macro_rules! of_each_style {
    ($(#[$doc:meta])* $name:ident, $dialogue:ty, $argument:ty, $panel:ty) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq)]
        pub enum $name {
            /// In a dialogue.
            Dialogue($dialogue),
            /// Of typed arguments.
            Argument($argument),
            /// In a panel.
            Panel($panel),
        }

        of_each_style!(@own $name, Dialogue, $dialogue);
        of_each_style!(@own $name, Argument, $argument);
        of_each_style!(@own $name, Panel, $panel);
    };
    (@own $name:ident, $style:ident, $own:ty) => {
        impl TryFrom<$name> for $own {
            type Error = ();

            fn try_from(any: $name) -> Result<Self, ()> {
                if let $name::$style(own) = any { Ok(own) } else { Err(()) }
            }
        }
    };
}

of_each_style! {
    /// The purpose of a turn of any style.
    Ask, topic::Asked, argument::Asked, panel::Asked
}

of_each_style! {
    /// A reply in a debate of any style.
    Said, topic::Said, argument::Said, panel::Said
}

/// Returns the answers as the style's own: all are, since each was asked and read by it.
fn own<A: TryFrom<Ask>, S: TryFrom<Said>>(
    answers: impl IntoIterator<Item = (Ask, Answer<Said>)>,
) -> Vec<(A, Answer<S>)> {
    let own = |(ask, answer): (Ask, Answer<Said>)| {
        let result = match &answer.result {
            Ok(said) => Ok(S::try_from(said.clone()).ok()?),
            Err(failure) => Err(failure.clone()),
        };
        Some((A::try_from(ask).ok()?, answer.with(result)))
    };
    answers.into_iter().filter_map(own).collect()
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
    type Said = Said;
    type Outcome = Outcome;

    fn next(&self, run: &Run) -> Step<Outcome, Query<Ask>> {
        match self {
            Self::Dialogue(machine) => machine.next(run).map(|query| query.map(Ask::Dialogue)),
            Self::Argument(machine) => machine.next(run).map(|query| query.map(Ask::Argument)),
            Self::Panel(machine) => machine.next(run).map(|query| query.map(Ask::Panel)),
        }
    }

    fn read(&self, ask: &Ask, reply: &RawReply, chance: Chance) -> Result<Reply<Said>, Defect> {
        match (self, ask) {
            (Self::Dialogue(machine), Ask::Dialogue(ask)) => {
                machine.read(ask, reply, chance).map(|reply| reply.map(Said::Dialogue))
            }
            (Self::Argument(machine), Ask::Argument(ask)) => {
                machine.read(ask, reply, chance).map(|reply| reply.map(Said::Argument))
            }
            (Self::Panel(machine), Ask::Panel(ask)) => {
                machine.read(ask, reply, chance).map(|reply| reply.map(Said::Panel))
            }
            (Self::Dialogue(_) | Self::Argument(_) | Self::Panel(_), _) => {
                Err(Defect::of("another_style", "the turn is of another style".to_owned()))
            }
        }
    }

    fn data(&self, ask: &Ask, turn: &Turn, run: &Run) -> Value {
        match (self, ask) {
            (Self::Dialogue(machine), Ask::Dialogue(ask)) => machine.data(ask, turn, run),
            (Self::Argument(machine), Ask::Argument(ask)) => machine.data(ask, turn, run),
            (Self::Panel(machine), Ask::Panel(ask)) => machine.data(ask, turn, run),
            (Self::Dialogue(_) | Self::Argument(_) | Self::Panel(_), _) => Value::Null,
        }
    }

    fn quoted(&self, said: &Said) -> Option<String> {
        match (self, said) {
            (Self::Dialogue(machine), Said::Dialogue(said)) => machine.quoted(said),
            (Self::Argument(machine), Said::Argument(said)) => machine.quoted(said),
            (Self::Panel(machine), Said::Panel(said)) => machine.quoted(said),
            (Self::Dialogue(_) | Self::Argument(_) | Self::Panel(_), _) => None,
        }
    }

    fn attends<'a>(&self, ask: &Ask, role: &'a str) -> &'a str {
        match (self, ask) {
            (Self::Dialogue(machine), Ask::Dialogue(ask)) => machine.attends(ask, role),
            (Self::Argument(machine), Ask::Argument(ask)) => machine.attends(ask, role),
            (Self::Panel(machine), Ask::Panel(ask)) => machine.attends(ask, role),
            (Self::Dialogue(_) | Self::Argument(_) | Self::Panel(_), _) => role,
        }
    }

    fn quorum(&self) -> usize {
        match self {
            Self::Dialogue(machine) => machine.quorum(),
            Self::Argument(machine) => machine.quorum(),
            Self::Panel(machine) => machine.quorum(),
        }
    }

    fn keeps_part(&self) -> bool {
        match self {
            Self::Dialogue(machine) => machine.keeps_part(),
            Self::Argument(machine) => machine.keeps_part(),
            Self::Panel(machine) => machine.keeps_part(),
        }
    }

    fn apply(&mut self, answers: Answers<Self>, run: &mut Run) {
        match self {
            Self::Dialogue(machine) => machine.apply(own(answers), run),
            Self::Argument(machine) => machine.apply(own(answers), run),
            Self::Panel(machine) => machine.apply(own(answers), run),
        }
    }

    fn stop(&self, why: Stop, part: &[(Ask, Answer<Said>)], run: &Run) -> Outcome {
        let part = part.iter().cloned();
        match self {
            Self::Dialogue(machine) => machine.stop(why, &own(part), run),
            Self::Argument(machine) => machine.stop(why, &own(part), run),
            Self::Panel(machine) => machine.stop(why, &own(part), run),
        }
    }
}
