//! The rules of a panel: which turns come next, and when the panel ends.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::contract::Ask;
use super::input::{self, Input, InputError, JUDGE, Judge};
use super::letters::place_of;
use super::model::{Ballot, Content, PanelAnswer};
use super::reply;
use crate::contract::ReplyRules;
use crate::kernel::{
    Answer, Answers, Chance, Defect, Driver, Ended, Protocol, Query, RawReply, Reply, Respondent,
    Run, Stage, Step, Stop, Turn, seat_name,
};
use crate::protocol::clarify::Informed;
use crate::protocol::debate::ballot::AnswerBlock;
use crate::protocol::debate::{Brief, DebateOutcome, Judgement, Outcome};
use crate::protocol::facts::Facts;
use crate::text::Note;

mod asking;
mod counting;
mod facts;

/// A turn of the panel. Seats count from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// A seat's own answer.
    Answer(usize),
    /// A seat's first vote.
    Vote(usize),
    /// A seat's vote in a cross round.
    Cross(usize),
    /// The judge's own answer.
    Own,
    /// The judge's ruling on the choices.
    Ruling {
        /// Whether the choices are in the second of the two orders.
        reversed: bool,
    },
}

impl Purpose {
    /// Returns the kind of answer that the turn asks for.
    pub(crate) const fn kind(self) -> Ask {
        match self {
            Self::Answer(_) => Ask::Answer,
            Self::Vote(_) => Ask::Vote,
            Self::Cross(_) => Ask::Cross,
            Self::Own => Ask::Own,
            Self::Ruling { .. } => Ask::Ruling,
        }
    }
}

/// The step being asked, with its round unless that is always the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Answers,
    Vote,
    Cross(u32),
    Own(u32),
    Ruling(u32),
    Closed(DebateOutcome),
}

/// The judge: its agent, its answer and rulings, and the reason if there is no ruling.
#[derive(Debug, Clone, Default)]
pub(super) struct JudgeState {
    /// The seat that judges, if no judge of another vendor is available.
    pub(super) seat: Option<usize>,
    /// The agent and vendor that answered for it, and its own answer.
    pub(super) own: Option<((String, String), AnswerBlock)>,
    /// Its rulings: in the first order, and in the second.
    pub(super) rulings: [Option<Judgement>; 2],
    /// The reason why there is no ruling.
    pub(super) failure: Option<String>,
}

#[derive(Debug, Clone)]
pub(crate) struct Machine {
    pub(super) input: Input,
    /// The respondents of the seats, in order.
    pub(super) seats: Vec<Respondent>,
    pub(super) judge: Judge,
    pub(super) stable: String,
    pub(super) state: State,
    /// The answers received, in the order of their letters.
    pub(super) answers: Vec<PanelAnswer>,
    pub(super) ballots: Vec<Ballot>,
    pub(super) bench: JudgeState,
}

impl Machine {
    /// Opens a panel, before its first turn.
    ///
    /// # Errors
    /// The input does not allow a panel: see [`InputError`].
    pub(crate) fn open(input: Input) -> Result<Driver<Self>, InputError> {
        let (seats, judge) = input::check(&input)?;
        let (brief, mut notes) = input.brief.shown();
        let stable = input.prompts.fill("session/panel", brief);
        notes.extend(stable.notes);
        notes.extend(shared_vendors(&seats));
        let mut named: Vec<_> = (seats.iter().enumerate())
            .map(|(seat, seated)| (seat_name(seat), seated.clone()))
            .collect();
        if let Judge::Named(judge) = &judge {
            named.push((JUDGE.to_owned(), judge.clone()));
        }
        let boundary = input.prompts.boundary.clone();
        let machine = Self {
            stable: stable.text,
            state: State::Answers,
            answers: Vec::new(),
            ballots: Vec::new(),
            bench: JudgeState::default(),
            seats,
            judge,
            input,
        };
        Ok(Driver::new(machine, Run::new(named), &notes, &boundary))
    }

    /// Returns the round of the current step or, after the end, of the last ballot.
    pub(super) fn round(&self) -> u32 {
        match self.state {
            State::Answers => 1,
            State::Vote => 2,
            State::Cross(round) | State::Own(round) | State::Ruling(round) => round,
            State::Closed(_) => self.ballots.last().map_or(1, |ballot| ballot.round),
        }
    }
}

/// Returns notes on vendors that hold more than one seat, and on a vendor that holds all of them.
fn shared_vendors(respondents: &[Respondent]) -> Vec<Note> {
    let mut seats: BTreeMap<&str, usize> = BTreeMap::new();
    for seat in respondents {
        *seats.entry(&seat.vendor).or_default() += 1;
    }
    let all = respondents.len();
    let several = seats.iter().filter(|(_, held)| **held > 1);
    several
        .map(|(vendor, held)| {
            if *held == all {
                let message = format!(
                    "all {all} seats are from {vendor}: their agreement is that of one vendor"
                );
                return Note::new("same_vendor", message);
            }
            let message = format!("{vendor} holds {held} of {all} seats; they count as one vendor");
            Note::new("shared_vendor", message)
        })
        .collect()
}

impl Informed for Machine {
    type Input = Input;

    fn informed(input: &Input, facts: &Facts) -> Option<Self> {
        Self::open(input.knowing(facts)).ok().map(|driver| driver.protocol().clone())
    }
}

impl Protocol for Machine {
    type Ask = Purpose;
    type Content = Content;
    type Outcome = Outcome;

    const STAGES: &'static [Stage] = &[
        Stage::new("answer", "answers", "answers"),
        Stage::new("vote", "vote", "votes"),
        Stage::new("cross", "cross round", "votes again"),
        Stage::new("judge", "ruling", "judges"),
    ];

    fn next(&self, run: &Run) -> Step<Outcome, Query<Purpose>> {
        if let State::Closed(ended) = self.state {
            return Step::Done(self.outcome(Ended::Closed(ended), run));
        }
        let turns = self.asked().into_iter().map(|asked| self.query(asked)).collect();
        Step::Ask { opens_round: self.opens(), turns }
    }

    fn read(
        &self,
        asked: &Purpose,
        reply: &RawReply,
        chance: Chance,
    ) -> Result<Reply<Content>, Defect> {
        let letters = self.lettering(*asked);
        let shown = match asked.kind() {
            Ask::Answer | Ask::Own => self.options(),
            Ask::Vote | Ask::Cross | Ask::Ruling => letters.letters(),
        };
        let terms = ReplyRules { shown: &shown, chance };
        let Reply { content, notes } = reply::parse(asked.kind(), reply, terms)?;
        Ok(Reply { content: content.with_usual(&letters), notes })
    }

    fn data(&self, asked: &Purpose, turn: &Turn, _: &Run) -> Value {
        let seat = match *asked {
            Purpose::Answer(seat) | Purpose::Vote(seat) | Purpose::Cross(seat) => seat,
            Purpose::Own | Purpose::Ruling { .. } => 0,
        };
        let Brief { topic, options, .. } = &self.input.brief;
        json!({ "panel": {
            "ask": asked.kind(), "seat": seat, "topic": topic, "options": options,
            "shown": self.draft(*asked, &turn.id).shown,
        } })
    }

    fn gist(&self, _: &Purpose, said: &Content) -> Vec<String> {
        let named = |letter: &str| {
            let text = place_of(letter)
                .and_then(|at| self.answers.get(at))
                .map(|PanelAnswer { said, .. }| said.option.as_ref().unwrap_or(&said.answer));
            format!("for {letter}: {}", text.map_or("", String::as_str))
        };
        match said {
            Content::Answer(said) => {
                vec![said.option.clone().unwrap_or_else(|| said.answer.clone())]
            }
            Content::Vote(said) => {
                vec![format!("votes {}", named(&said.choice)), said.reason.clone()]
            }
            Content::Ruling(said) => vec![format!("rules {}", named(&said.position))],
        }
    }

    fn quoted(&self, said: &Content) -> Option<String> {
        Some(json!(said).to_string())
    }

    /// A seat that judges has already done what it owes as a seat.
    fn attends<'a>(&self, asked: &Purpose, role: &'a str) -> &'a str {
        match asked {
            Purpose::Own | Purpose::Ruling { .. } => JUDGE,
            Purpose::Answer(_) | Purpose::Vote(_) | Purpose::Cross(_) => role,
        }
    }

    fn quorum(&self) -> usize {
        self.seats.len() / 2 + 1
    }

    fn apply(&mut self, answers: Answers<Self>, run: &mut Run) {
        let round = self.round();
        let last = answers.last().map(|(_, answer)| answer.turn.clone());
        self.state = match self.state {
            State::Answers => {
                self.take_answers(&answers);
                self.after_answers()
            }
            State::Vote | State::Cross(_) => {
                self.take_votes(round, answers, run);
                self.after_ballot()
            }
            State::Own(round) => {
                self.take_judge(answers);
                if self.bench.own.is_some() {
                    State::Ruling(round)
                } else {
                    State::Closed(DebateOutcome::Split)
                }
            }
            State::Ruling(_) => {
                self.take_judge(answers);
                State::Closed(self.judged())
            }
            State::Closed(ended) => State::Closed(ended),
        };
        // The judge's own answer is only the first step of its round.
        if !matches!(self.state, State::Ruling(next) if next == round) {
            let (message, data) = self.came_to(round);
            run.close_round(round, last.as_ref(), message, data);
        }
        if let State::Own(round) = self.state {
            self.seat_judge(round, run);
        }
    }

    /// Answers are useful even if some are missing; votes and rulings count only together.
    fn keeps_part(&self) -> bool {
        self.state == State::Answers
    }

    fn stop(&self, why: Stop, part: &[(Purpose, Answer<Content>)], run: &Run) -> Outcome {
        let ended = why.into();
        if self.state != State::Answers {
            return self.outcome(ended, run);
        }
        let mut came = self.clone();
        came.take_answers(part);
        came.outcome(ended, run)
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
