//! The prompts: first the brief, then the material of the turn, last the contract.
//!
//! Answers are shown under [letters](super::letters) of the reader's own, and in an order of the turn's own: neither a
//! letter nor a place reveals an author. No agent, vendor or seat is named, and no confidence is shown. A seat's own
//! answer is among the others and not marked. A seat may well recognise it, and is told to judge it by what it says; a
//! mark would ask it to defend its own, and would be wrong where another agent has stepped in. Votes for one's own
//! answer are counted and shown apart in the result instead.
//!
//! A seat that votes again sees its own vote and the others' reasons in random order; the judge sees answers but no
//! votes. The tone is told from the first vote on: an answer has nothing before it to be hard on.

use serde_json::{Value, json};

use super::contract::{self, Ask};
use super::letters::Lettering;
use super::machine::{Machine, Purpose};
use super::model::PanelAnswer;
use super::tally::Choices;
use crate::kernel::shuffle::shuffle;
use crate::kernel::{Draft, Prompt};
use crate::protocol::debate::prompt::{Ask as Shown, varying};

/// Description of a panel, for all prompts of a session.
pub(super) const HOW: &str = "Several participants answer one question, each alone. A program compares the answers; where they differ, the participants judge \
     them without knowing whose they are. The program counts; no participant decides alone.\n\n\
     An answer is judged by whether it is right and supported, on what it says and on nothing else: not by its length, its place, \
     its tone, nor by how many hold it.";

#[derive(Debug, Clone, Copy)]
pub(super) struct Frame<'a> {
    pub(super) turn: &'a str,
    /// The panel in the state that asks the turn.
    pub(super) machine: &'a Machine,
    /// The letters of the turn's reader.
    pub(super) letters: &'a Lettering,
}

impl Frame<'_> {
    fn prompt(self, ask: Ask, task: &str, data: Option<(&str, Value)>) -> Draft {
        let shown = Shown {
            turn: self.turn,
            task,
            tone: match ask {
                Ask::Vote | Ask::Cross | Ask::Ruling => Some(self.machine.input.brief.mode),
                Ask::Answer | Ask::Own => None,
            },
            data: data.as_ref().map(|(label, data)| (*label, data)),
        };
        let (varying, notes) = varying(shown, &self.machine.input.prompts.boundary);
        let prompt = Prompt {
            stable: self.machine.stable.text.clone(),
            varying,
            contract: contract::text(ask, !self.machine.options().is_empty()).trim_end().to_owned(),
        };
        Draft { prompt, notes, shown: data.map(|(_, data)| data).unwrap_or_default() }
    }

    fn shuffled<T>(self, mut items: Vec<T>) -> Vec<T> {
        shuffle(&mut items, self.machine.input.seed, self.turn);
        items
    }

    fn letter(self, answer: usize) -> String {
        self.letters.of(answer).unwrap_or_default()
    }

    fn answers(self) -> Value {
        let answers: Vec<Value> = (self.machine.answers.iter().enumerate())
            .map(|(at, given)| view(Some(&self.letter(at)), given))
            .collect();
        Value::Array(self.shuffled(answers))
    }

    /// Returns the groups of letters that form one choice.
    fn same(self, choices: &Choices) -> Vec<Vec<String>> {
        let groups = choices.all().into_iter().map(|choice| choices.answers(choice));
        groups.filter(|group| group.len() > 1).map(|group| self.group(&group)).collect()
    }

    /// Returns the letters of a group, in the alphabet's order.
    fn group(self, answers: &[usize]) -> Vec<String> {
        let mut letters: Vec<String> = answers.iter().map(|answer| self.letter(*answer)).collect();
        letters.sort_unstable();
        letters
    }
}

/// Renders an answer for others to see, without its author and the author's confidence.
fn view(id: Option<&str>, given: &PanelAnswer) -> Value {
    let said = &given.said;
    let mut value =
        json!({ "answer": said.answer, "reasons": said.reasons, "evidence": said.evidence });
    if let Some(map) = value.as_object_mut() {
        for (key, text) in [("with", &said.with), ("option", &said.option)] {
            if let Some(text) = text {
                map.shift_insert(0, key.to_owned(), text.as_str().into());
            }
        }
        if let Some(id) = id {
            map.shift_insert(0, "id".to_owned(), id.into());
        }
    }
    value
}

/// Builds the prompt of a seat's own answer.
pub(super) fn answer(frame: Frame<'_>) -> Draft {
    let options = if frame.machine.options().is_empty() {
        ""
    } else {
        " Choose among the options, or say why none will do."
    };
    let task = format!(
        "You are one of the participants. Answer the question above. Nobody has answered it before you, and nobody sees your answer before all \
         are in. Give one answer that could be followed as it stands, and what supports it.{options}"
    );
    frame.prompt(Ask::Answer, &task, None)
}

/// Says what counts as one answer, where the options say it already.
fn joined(machine: &Machine) -> &'static str {
    if machine.one_option().is_empty() {
        ""
    } else {
        " Answers that take the same `option` count as one already; a vote for any of them is a vote for all."
    }
}

/// Builds the prompt of a first vote.
pub(super) fn vote(frame: Frame<'_>) -> Draft {
    let task = format!(
        "You are one of the participants. Below stand all answers to the question, in an order drawn by lot, with letters in place of names. \
         Vote for the one that is right and best supported. One of them may be your own, and you may recognise it: it counts for what it \
         says, no more and no less. In `same_as`, name answers that amount to the same option or action, whatever their details, so that votes \
         for them count together.{}",
        joined(frame.machine)
    );
    let data = json!({ "answers": frame.answers() });
    frame.prompt(Ask::Vote, &task, Some(("all answers", data)))
}

/// Builds the prompt of a vote in a cross round.
pub(super) fn cross(frame: Frame<'_>, seat: usize) -> Draft {
    let machine = frame.machine;
    let before = machine.vote_of(seat);
    let own = if before.is_some() {
        " `your_vote` is what you said last."
    } else {
        " You have no vote yet."
    };
    let task = format!(
        "You are one of the participants. The votes did not settle the question. Below stand all answers again, in an order drawn by lot, and \
         under `votes` what the others said for theirs, without names and in no order; letters in brackets are those that you see, others may \
         be the writer's.{own}{} Test the reasons against the answers and against what you know. Then vote again. Keep your vote unless \
         something that you can name shows it to be wrong: put that into `moved_by`. That others hold another answer, or that more of them \
         do, is no evidence; a change without any is not counted.",
        joined(machine)
    );
    let others = machine.input.seats.iter().enumerate().filter_map(|(other, _)| {
        let vote = machine.vote_of(other).filter(|_| other != seat)?;
        Some(json!({ "choice": frame.letter(vote.answer), "reason": frame.letters.text(&vote.reason) }))
    });
    let mut data = json!({ "answers": frame.answers(), "votes": frame.shuffled(others.collect()) });
    let same = machine.ballots.last().map(|ballot| frame.same(&ballot.choices));
    if let Some(same) = same.filter(|same| !same.is_empty()) {
        data["counted_as_one"] = json!(same);
    }
    if let Some(vote) = before {
        let groups: Vec<Vec<String>> =
            vote.same_as.iter().map(|group| frame.group(group)).collect();
        data["your_vote"] = json!({
            "choice": frame.letter(vote.answer), "same_as": groups, "reason": frame.letters.text(&vote.reason),
        });
    }
    frame.prompt(Ask::Cross, &task, Some(("all answers and votes", data)))
}

/// Builds the prompt in which the judge commits itself to an answer of its own.
pub(super) fn own(frame: Frame<'_>) -> Draft {
    let task = "You are the judge. Participants have answered the question above and could not settle it. Before you see any of their answers, \
         answer it yourself, so that you know what you would say. You will be shown this answer again beside theirs.";
    frame.prompt(Ask::Own, task, None)
}

/// Builds the prompt of a ruling; with `reversed`, the choices are in the other order.
pub(super) fn ruling(frame: Frame<'_>, reversed: bool) -> Draft {
    let machine = frame.machine;
    let task = "You are the judge. Below stand the choices that the participants could not settle between, in an order drawn by lot, without \
         names and without votes; a choice with several answers is one option or action, whatever their details. `your_answer` is what you \
         said before you saw them. Test each choice, also against your own answer, which may be wrong. Say of each what holds and what does \
         not. Then choose the one that should hold, even if you would word it otherwise; you cannot choose your own answer unless it is among \
         them.";
    let choices = machine.ballots.last().map(|ballot| &ballot.choices);
    let shown: Vec<Value> = (choices.into_iter())
        .flat_map(|choices| {
            machine.ruling_order(reversed).into_iter().map(move |choice| (choices, choice))
        })
        .map(|(choices, choice)| {
            let answers = choices.answers(choice).into_iter();
            let answers = answers.filter_map(|at| machine.answers.get(at));
            let answers: Vec<Value> = answers.map(|given| view(None, given)).collect();
            json!({ "id": frame.letter(choice), "answers": answers })
        })
        .collect();
    let mut data = json!({ "choices": shown });
    if let Some(((by, vendor), said)) = &machine.bench.own {
        let own = PanelAnswer { seat: 0, by: (by.clone(), vendor.clone()), said: said.clone() };
        data["your_answer"] = view(None, &own);
    }
    frame.prompt(Ask::Ruling, task, Some(("the choices", data)))
}

impl Machine {
    /// Returns the choices in the order in which the judge is shown them. Both orders come from one draw, so that each
    /// is the reverse of the other.
    pub(super) fn ruling_order(&self, reversed: bool) -> Vec<usize> {
        let last = self.ballots.last();
        let mut order = last.map(|ballot| ballot.choices.all()).unwrap_or_default();
        let salt = format!("r{}/judge", self.round());
        shuffle(&mut order, self.input.seed, &salt);
        if reversed {
            order.reverse();
        }
        order
    }

    /// Returns the letters that the reader of a turn is shown.
    pub(super) fn lettering(&self, asked: Purpose) -> Lettering {
        let answers = self.answers.len();
        match asked {
            Purpose::Vote(seat) | Purpose::Cross(seat) if answers > 0 => {
                let mut start: Vec<usize> = (0..answers).collect();
                shuffle(&mut start, self.input.seed, "letters");
                Lettering::turned(answers, start[0] + seat)
            }
            Purpose::Ruling { reversed } => Lettering::in_order(&self.ruling_order(reversed)),
            _ => Lettering::usual([]),
        }
    }
}

#[cfg(test)]
mod tests;
