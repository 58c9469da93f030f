//! The prompts: first the brief, then the material of the turn, last the contract.
//!
//! Answers are shown under letters drawn by lot once per session, and in an order of the turn's own: neither a letter
//! nor a place reveals an author, and a letter means the same to everybody in every round. No agent, vendor or seat
//! is named, no confidence is shown, and an author's own answer is among the others, unmarked. A seat that votes
//! again sees its own vote and the others' reasons in random order; the judge sees answers but no votes.

use serde_json::{Value, json};

use super::contract::{self, Ask};
use super::machine::Machine;
use super::model::{PanelAnswer, letter};
use super::tally::Choices;
use crate::kernel::shuffle::shuffle;
use crate::kernel::{Draft, Prompt};
use crate::protocol::debate::prompt::{Ask as Shown, varying};

/// Description of a panel, for all prompts of a session.
pub(super) const HOW: &str = "Several participants answer one question, each alone. They then read all answers without knowing whose they are, and vote for \
     one. If they do not all agree, they read each other's reasons and vote again, and only evidence may change a vote. A program \
     counts; no participant decides alone.\n\n\
     An answer is judged by whether it is right and supported, on what it says and on nothing else: not by its length, its place, \
     its tone, nor by how many hold it.";

/// The material of one prompt.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame<'a> {
    /// The turn's id.
    pub(super) turn: &'a str,
    /// The panel in the state that asks the turn.
    pub(super) machine: &'a Machine,
}

impl Frame<'_> {
    fn prompt(self, ask: Ask, task: &str, data: Option<(&str, Value)>) -> Draft {
        let round = self.machine.round();
        let shown = Shown {
            turn: self.turn,
            task,
            tone: match ask {
                Ask::Vote | Ask::Cross | Ask::Ruling => Some(self.machine.input.brief.mode),
                Ask::Answer | Ask::Remark | Ask::Own => None,
            },
            remark: match ask {
                Ask::Cross => self.machine.remarks.get(&round).map(String::as_str),
                Ask::Answer | Ask::Vote | Ask::Remark | Ask::Own | Ask::Ruling => None,
            },
            data: data.as_ref().map(|(label, data)| (*label, data)),
        };
        let (varying, notes) = varying(shown, &self.machine.input.boundary);
        let prompt = Prompt {
            stable: self.machine.stable.text.clone(),
            varying,
            contract: contract::text(ask).trim_end().to_owned(),
        };
        Draft { prompt, notes, shown: data.map(|(_, data)| data).unwrap_or_default() }
    }

    /// Shuffles items into an order of this turn's own.
    fn shuffled<T>(self, mut items: Vec<T>) -> Vec<T> {
        shuffle(&mut items, self.machine.input.seed, self.turn);
        items
    }

    /// Returns all answers under their letters.
    fn answers(self) -> Value {
        let answers: Vec<Value> = (self.machine.answers.iter().enumerate())
            .map(|(at, given)| view(Some(&letter(at)), given))
            .collect();
        Value::Array(self.shuffled(answers))
    }
}

/// Renders an answer for others to see, without its author and the author's confidence.
fn view(id: Option<&str>, given: &PanelAnswer) -> Value {
    let said = &given.said;
    let mut value =
        json!({ "answer": said.answer, "reasons": said.reasons, "evidence": said.evidence });
    if let (Some(id), Some(map)) = (id, value.as_object_mut()) {
        map.shift_insert(0, "id".to_owned(), id.into());
    }
    value
}

/// Returns the groups of letters that form one choice.
fn same(choices: &Choices) -> Vec<Vec<String>> {
    let groups = choices.all().into_iter().map(|choice| choices.answers(choice));
    groups
        .filter(|group| group.len() > 1)
        .map(|group| group.into_iter().map(letter).collect())
        .collect()
}

/// Builds the prompt of a seat's own answer.
pub(super) fn answer(frame: Frame<'_>) -> Draft {
    let task = "You are one of the participants. Answer the question above. Nobody has answered it before you, and nobody sees your answer \
         before all are in. Give one answer that could be followed as it stands; where options are given, choose among them or say why \
         none will do. Say what supports it. How sure you are is shown to nobody who votes.";
    frame.prompt(Ask::Answer, task, None)
}

/// Builds the prompt of a first vote.
pub(super) fn vote(frame: Frame<'_>) -> Draft {
    let task = "You are one of the participants. Below stand all answers to the question, in an order drawn by lot, with letters in place of \
         names. Vote for the one that is right and best supported. You may find an answer that you could have given yourself: it counts for \
         what it says, no more and no less. In `same_as`, name answers that come to the same thing, so that votes for them count together; \
         answers that differ in what would be done are not the same.";
    let data = json!({ "answers": frame.answers() });
    frame.prompt(Ask::Vote, task, Some(("all answers", data)))
}

/// Builds the prompt of a vote in a cross round.
pub(super) fn cross(frame: Frame<'_>, seat: usize) -> Draft {
    let before = frame.machine.vote_of(seat);
    let own = if before.is_some() {
        " `your_vote` is what you said last."
    } else {
        " You have no vote yet."
    };
    let task = format!(
        "You are one of the participants. The votes did not settle the question. Below stand all answers again, in an order drawn by lot, and \
         under `votes` what the others said for theirs, without names and in no order.{own} Test the reasons against the answers and against \
         what you know. Then vote again. Keep your vote unless something that you can name shows it to be wrong: put that into `moved_by`. \
         That others hold another answer, or that more of them do, is no evidence; a change without any is not counted."
    );
    let machine = frame.machine;
    let others = machine.input.seats.iter().enumerate().filter_map(|(other, _)| {
        let vote = machine.vote_of(other).filter(|_| other != seat)?;
        Some(json!({ "choice": letter(vote.answer), "reason": vote.reason }))
    });
    let mut data = json!({ "answers": frame.answers(), "votes": frame.shuffled(others.collect()) });
    let same = machine.ballots.last().map(|ballot| same(&ballot.choices));
    if let Some(same) = same.filter(|same| !same.is_empty()) {
        data["held_to_be_the_same"] = json!(same);
    }
    if let Some(vote) = before {
        let groups: Vec<Vec<String>> = (vote.same_as.iter())
            .map(|group| group.iter().copied().map(letter).collect())
            .collect();
        data["your_vote"] =
            json!({ "choice": letter(vote.answer), "same_as": groups, "reason": vote.reason });
    }
    frame.prompt(Ask::Cross, &task, Some(("all answers and votes", data)))
}

/// Builds the text shown to a person before a cross round.
pub(super) fn remark(frame: Frame<'_>) -> Draft {
    let task = "The votes did not settle the question. Below stand the answers, and what was said for each. Before all participants vote \
         once more, you may tell them something: a fact that they lack, what matters most to you, a question that they should answer. All of \
         them read it, as a remark of the person who asked.";
    let machine = frame.machine;
    let votes = (0..machine.input.seats.len()).filter_map(|seat| machine.vote_of(seat));
    let votes = votes.map(|vote| json!({ "choice": letter(vote.answer), "reason": vote.reason }));
    let data = json!({
        "answers": frame.answers(), "votes": frame.shuffled(votes.collect()),
    });
    frame.prompt(Ask::Remark, task, Some(("all answers and votes", data)))
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
         names and without votes; a choice with several answers is one that they hold to come to the same. `your_answer` is what you said \
         before you saw them. Test each choice, also against your own answer, which may be wrong. Say of each what holds and what does not. \
         Then choose the one that is to hold, though you would word it otherwise; you cannot choose your own answer unless it is among them.";
    let choices = machine.ballots.last().map(|ballot| &ballot.choices);
    let mut shown: Vec<Value> = choices
        .into_iter()
        .flat_map(|choices| choices.all().into_iter().map(move |choice| (choices, choice)))
        .map(|(choices, choice)| {
            let answers = choices.answers(choice).into_iter();
            let answers = answers.filter_map(|at| machine.answers.get(at));
            let answers: Vec<Value> = answers.map(|given| view(None, given)).collect();
            json!({ "id": letter(choice), "answers": answers })
        })
        .collect();
    // Both orders come from one draw, so that each is the reverse of the other.
    let salt = format!("r{}/judge", machine.round());
    shuffle(&mut shown, machine.input.seed, &salt);
    if reversed {
        shown.reverse();
    }
    let mut data = json!({ "choices": shown });
    if let Some((_, said)) = &machine.bench.own {
        data["your_answer"] =
            json!({ "answer": said.answer, "reasons": said.reasons, "evidence": said.evidence });
    }
    frame.prompt(Ask::Ruling, task, Some(("the choices", data)))
}

#[cfg(test)]
mod tests;
