//! The prompts: what a turn is shown.
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

use super::letters::Lettering;
use super::machine::{Machine, Purpose};
use super::tally::Choices;
use crate::kernel::Draft;
use crate::kernel::fit::without_nulls;
use crate::kernel::shuffle::shuffle;
use crate::protocol::debate::ballot::AnswerBlock;
use crate::protocol::debate::model::MAX_LINES;
use crate::protocol::prompt::Asked;

/// A turn in the eyes of its reader.
#[derive(Debug, Clone, Copy)]
struct View<'a> {
    turn: &'a str,
    /// The panel in the state that asks the turn.
    machine: &'a Machine,
    /// The letters of the turn's reader.
    letters: &'a Lettering,
}

impl View<'_> {
    fn shuffled<T>(self, mut items: Vec<T>) -> Vec<T> {
        shuffle(&mut items, self.machine.input.seed, self.turn);
        items
    }

    fn letter(self, answer: usize) -> String {
        self.letters.of(answer).unwrap_or_default()
    }

    fn answers(self) -> Vec<Value> {
        let answers = self.machine.answers.iter().enumerate();
        self.shuffled(
            answers.map(|(at, given)| view(Some(&self.letter(at)), &given.said)).collect(),
        )
    }

    /// Returns the groups of letters that form one choice; `None` if there are none.
    fn same(self, choices: &Choices) -> Option<Vec<Vec<String>>> {
        let groups = choices.all().into_iter().map(|choice| choices.answers(choice));
        let groups = groups.filter(|group| group.len() > 1).map(|group| self.group(&group));
        Some(groups.collect()).filter(|groups: &Vec<_>| !groups.is_empty())
    }

    /// Returns the letters of a group, in the alphabet's order.
    fn group(self, answers: &[usize]) -> Vec<String> {
        let mut letters: Vec<String> = answers.iter().map(|answer| self.letter(*answer)).collect();
        letters.sort_unstable();
        letters
    }

    fn cross(self, seat: usize) -> Value {
        let Self { machine, letters, .. } = self;
        let others = (0..machine.seats.len()).filter(|other| *other != seat);
        let others = others.filter_map(|other| machine.vote_of(other)).map(|vote| {
            json!({ "choice": self.letter(vote.answer), "reason": letters.text(&vote.reason) })
        });
        let own = machine.vote_of(seat).map(|vote| {
            let groups: Vec<_> = vote.same_as.iter().map(|group| self.group(group)).collect();
            json!({
                "choice": self.letter(vote.answer), "same_as": groups, "reason": letters.text(&vote.reason),
            })
        });
        without_nulls(json!({
            "answers": self.answers(), "votes": self.shuffled(others.collect()),
            "counted_as_one": machine.ballots.last().and_then(|ballot| self.same(&ballot.choices)),
            "your_vote": own,
        }))
    }

    /// Returns what a judge is shown; with `reversed`, the choices in the other order.
    fn ruling(self, reversed: bool) -> Value {
        let machine = self.machine;
        let answers = |choice| {
            let choices = machine.ballots.last().map(|ballot| &ballot.choices);
            let answers = choices.map(|choices| choices.answers(choice)).unwrap_or_default();
            let answers = answers.into_iter().filter_map(|at| machine.answers.get(at));
            answers.map(|given| view(None, &given.said)).collect::<Vec<_>>()
        };
        let choices = machine.ruling_order(reversed).into_iter();
        let choices =
            choices.map(|choice| json!({ "id": self.letter(choice), "answers": answers(choice) }));
        without_nulls(json!({
            "choices": choices.collect::<Vec<_>>(),
            "your_answer": machine.bench.own.as_ref().map(|(_, said)| view(None, said)),
        }))
    }
}

/// Renders an answer for others to see, without its author's confidence.
fn view(id: Option<&str>, said: &AnswerBlock) -> Value {
    let AnswerBlock { option, with, answer, reasons, evidence, .. } = said;
    without_nulls(json!({
        "id": id, "option": option, "with": with, "answer": answer, "reasons": reasons, "evidence": evidence,
    }))
}

impl Machine {
    /// Builds a turn's prompt, with notes on what was cut or defused in it.
    pub(super) fn draft(&self, asked: Purpose, turn: &str) -> Draft {
        let (ask, options) = (asked.kind(), !self.options().is_empty());
        let view = View { turn, machine: self, letters: &self.lettering(asked) };
        let shown = match asked {
            Purpose::Answer(_) | Purpose::Own => None,
            Purpose::Vote(_) => Some(("all answers", json!({ "answers": view.answers() }))),
            Purpose::Cross(seat) => Some(("all answers and votes", view.cross(seat))),
            Purpose::Ruling { reversed } => Some(("the choices", view.ruling(reversed))),
        };
        let voted = shown.as_ref().is_some_and(|(_, shown)| shown.get("your_vote").is_some());
        let data = json!({
            "ask": ask, "mode": self.input.brief.mode, "options": options, "voted": voted,
            "same_option": !self.one_option().is_empty(), "most_lines": MAX_LINES,
        });
        let (role, stable, blocks) = (ask.plays(), &*self.stable, &[ask.block(options)]);
        self.input.prompts.draft(Asked { turn, role, stable, blocks, data, shown })
    }

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
