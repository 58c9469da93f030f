//! The recommendation: one paragraph, composed by rules.

use super::super::letters::letter;
use super::super::model::Ballot;
use super::View;
use crate::kernel::{SeatStatus, seat_name};
use crate::protocol::debate::ballot::{AnswerBlock, Choice};
use crate::protocol::debate::{DebateOutcome, Outcome};

/// Returns a number with its noun: `1 vote`, `2 votes`.
pub(super) fn count(noun: &str, count: u32) -> String {
    match count {
        1 => format!("1 {noun}"),
        _ => format!("{count} {noun}s"),
    }
}

/// States the decision and who made it, what the debate changed, who disagrees and who did not answer.
pub(super) fn recommendation(view: &View<'_>, outcome: &Outcome) -> String {
    let mut said = vec![decided(view, outcome)];
    if outcome.outcome == DebateOutcome::Settled {
        said.extend(equal_answers(view, outcome));
        said.extend(own_votes(view, outcome));
    }
    said.extend(additions(outcome));
    said.extend(changed(view));
    if outcome.expert.as_ref().is_some_and(|judge| judge.of_a_participant) {
        said.push("The judge's vendor also has a seat on the panel.".to_owned());
    }
    let seats = outcome.dissent.iter().map(|each| &each.seat);
    let mut seats: Vec<&String> = seats.collect();
    seats.dedup();
    if !seats.is_empty() && outcome.decision.is_some() {
        let seats: Vec<&str> = seats.into_iter().map(String::as_str).collect();
        said.push(format!("Read the dissent of {} first.", seats.join(", ")));
    }
    let absent: Vec<String> = (outcome.seats.iter())
        .filter(|seat| seat.role != "judge" && seat.status == SeatStatus::Failed)
        .map(|seat| format!("{} ({})", seat.role, seat.agent))
        .collect();
    if !absent.is_empty() {
        said.push(format!("Without {}.", absent.join(", ")));
    }
    said.join(" ")
}

/// Returns the name of a choice, given its letter: `"Kafka"`, `"Use Kafka" (answer B)`.
fn named(outcome: &Outcome, id: &str) -> String {
    let choice = outcome.choices.iter().find(|choice| choice.id == id);
    choice.map_or_else(|| id.to_owned(), Choice::named)
}

/// Returns the number of votes for each choice in the last ballot: `2 for "Kafka" (answer B), 1 for "SQS" (answer
/// A)`.
fn spread(view: &View<'_>, outcome: &Outcome) -> String {
    let by_choice = view.machine.ballots.last().map(|last| &last.tally.by_choice);
    let mut parts: Vec<(usize, usize)> =
        (by_choice.into_iter().flatten()).map(|(choice, (votes, _))| (*choice, *votes)).collect();
    parts.sort_by_key(|(choice, votes)| (std::cmp::Reverse(*votes), *choice));
    let parts: Vec<String> = (parts.into_iter())
        .map(|(choice, votes)| format!("{votes} for {}", named(outcome, &letter(choice))))
        .collect();
    parts.join(", ")
}

fn decided(view: &View<'_>, outcome: &Outcome) -> String {
    let machine = view.machine;
    let seats = machine.input.seats.len();
    let last = machine.ballots.last();
    let for_chosen = || {
        let choice = view.chosen()?;
        let (votes, vendors) = last?.tally.by_choice.get(&choice).copied().unwrap_or_default();
        let named = named(outcome, &letter(choice));
        Some((named, super::number(votes), super::number(vendors)))
    };
    match outcome.outcome {
        DebateOutcome::Settled if view.without_vote() => {
            let came = machine.answers.len();
            format!(
                "Settled for {}: the answers of {came} of {seats} seats take it, from {}, and no vote was needed.",
                named(outcome, &letter(0)),
                count("vendor", outcome.vendors)
            )
        }
        DebateOutcome::Settled => match for_chosen() {
            Some((named, votes, vendors)) => format!(
                "Settled for {named}: {votes} of {seats} seats vote for it, from {}.",
                count("vendor", vendors)
            ),
            None => "Settled.".to_owned(),
        },
        DebateOutcome::Judged => match for_chosen() {
            Some((named, votes, _)) => format!(
                "The seats did not settle it ({}); the judge rules for {named} in both orders; that choice has {} of {seats}.",
                spread(view, outcome),
                count("vote", votes)
            ),
            None => "The judge rules the same in both orders.".to_owned(),
        },
        DebateOutcome::Unstable => {
            let chosen = outcome.expert.as_ref().map(|judge| {
                let choices = judge.choices.iter().map(|id| named(outcome, id));
                choices.collect::<Vec<_>>().join(" and ")
            });
            format!(
                "The seats did not settle it ({}), and the judge's ruling depends on the order in which it reads: {}, one in each. Neither \
                 is decided.",
                spread(view, outcome),
                chosen.unwrap_or_default()
            )
        }
        DebateOutcome::Split => {
            let why = outcome.expert.as_ref().map(|judge| &judge.failure);
            match why {
                Some(Some(why)) => format!(
                    "The seats are split ({}), and the judge gave no ruling: {why}.",
                    spread(view, outcome)
                ),
                Some(None) | None => {
                    format!(
                        "The seats are split ({}), and there is no judge.",
                        spread(view, outcome)
                    )
                }
            }
        }
        DebateOutcome::Failed => {
            let (what, came) = match last {
                None => ("answered", machine.answers.len()),
                Some(ballot) => ("voted", ballot.tally.cast),
            };
            format!(
                "Nothing is decided: {came} of {seats} seats {what}, from {}, but more than half of the seats, from two vendors, must.",
                count("vendor", outcome.vendors)
            )
        }
        DebateOutcome::Terminated | DebateOutcome::Interrupted | DebateOutcome::Running => {
            let votes = match last {
                None => "no vote was held".to_owned(),
                Some(ballot) => format!(
                    "the last votes are those of round {} ({})",
                    ballot.round,
                    spread(view, outcome)
                ),
            };
            let how = if outcome.outcome == DebateOutcome::Running {
                "Nothing is decided yet: it is still running"
            } else {
                "Nothing is decided: it was stopped early"
            };
            format!("{how}; {} of {seats} seats answered, and {votes}.", machine.answers.len())
        }
        DebateOutcome::Adopted
        | DebateOutcome::Expert
        | DebateOutcome::Partial
        | DebateOutcome::Deadlocked
        | DebateOutcome::ConsensusReached => String::new(),
    }
}

/// Reports that the choice consists of several answers, if it does.
fn equal_answers(view: &View<'_>, outcome: &Outcome) -> Option<String> {
    let id = letter(view.chosen()?);
    let choice = outcome.choices.iter().find(|choice| choice.id == id)?;
    let answers = choice.answers.join(", ");
    let takes = |answer: &AnswerBlock| choice.option.is_some() && answer.option == choice.option;
    match choice.said.len() {
        1 => None,
        _ if choice.said.iter().all(takes) => Some(format!(
            "{answers} take the same option and may differ in the details; the wording is that of {id}."
        )),
        _ => Some(format!(
            "{answers} are one choice, as most of those who voted consider them the same; the wording is that of {id}."
        )),
    }
}

/// Reports what the seats add to the option that was decided on.
fn additions(outcome: &Outcome) -> Option<String> {
    let with = outcome.decision.as_ref()?.amendments.len();
    let what = if with == 1 { "answer says" } else { "answers say" };
    (with > 0).then(|| format!("{with} {what} what it needs besides."))
}

/// Reports how many of the votes that settled the question are for the seat's own answer.
fn own_votes(view: &View<'_>, outcome: &Outcome) -> Option<String> {
    let id = letter(view.chosen()?);
    let own = outcome.last_votes.iter().filter(|vote| vote.choice == id && vote.own);
    let own = super::number(own.count());
    (own > 0).then(|| {
        let are = if own == 1 { "is" } else { "are" };
        format!("{} of these {are} for the seat's own answer.", count("vote", own))
    })
}

/// Reports what the cross rounds changed, even if that is nothing.
fn changed(view: &View<'_>) -> Vec<String> {
    let ballots = &view.machine.ballots;
    let (Some(first), Some(last)) = (ballots.first(), ballots.last()) else {
        return Vec::new();
    };
    let held = match ballots.len() - 1 {
        0 => {
            return match view.ended {
                DebateOutcome::Settled => vec!["No debate was needed for it.".to_owned()],
                DebateOutcome::Judged | DebateOutcome::Unstable | DebateOutcome::Split => {
                    vec!["No cross round was held.".to_owned()]
                }
                DebateOutcome::Adopted
                | DebateOutcome::Expert
                | DebateOutcome::Partial
                | DebateOutcome::Deadlocked
                | DebateOutcome::ConsensusReached
                | DebateOutcome::Failed
                | DebateOutcome::Terminated
                | DebateOutcome::Interrupted
                | DebateOutcome::Running => Vec::new(),
            };
        }
        1 => "The cross round".to_owned(),
        held => format!("The {held} cross rounds"),
    };
    let moves = moved(first, last);
    let mut parts = Vec::new();
    if !moves.is_empty() {
        let votes = super::number(moves.len());
        parts.push(format!(
            "changed {} of {} ({})",
            count("vote", votes),
            first.votes.len(),
            moves.join(", ")
        ));
    }
    if first.choices != last.choices {
        parts.push("changed which answers are considered the same".to_owned());
    }
    let came = last.votes.keys().filter(|seat| !first.votes.contains_key(seat));
    let came = super::number(came.count());
    if came > 0 {
        parts.push(format!("brought {} that was missing before", count("vote", came)));
    }
    let mut said = vec![match parts.len() {
        0 => format!("{held} changed nothing: all votes are as before."),
        _ => format!("{held} {}.", parts.join(" and ")),
    }];
    let refused = ballots.iter().flat_map(|ballot| ballot.votes.values());
    let refused = super::number(refused.filter(|vote| vote.wanted.is_some()).count());
    if refused > 0 {
        let (changes, was) = (count("change", refused), if refused == 1 { "was" } else { "were" });
        said.push(format!("{changes} named no evidence and {was} not counted."));
    }
    said
}

/// Returns the votes that are for another choice at the end than at the beginning: `s2 from B to A`.
fn moved(first: &Ballot, last: &Ballot) -> Vec<String> {
    let both = first.votes.iter().filter_map(|(seat, before)| {
        let after = last.votes.get(seat)?;
        let (from, to) = (before.answer, after.answer);
        let moved = last.choices.of(from) != last.choices.of(to)
            && first.choices.of(from) != first.choices.of(to);
        moved.then(|| {
            let (from, to) = (first.choices.of(from), last.choices.of(to));
            format!("{} from {} to {}", seat_name(*seat), letter(from), letter(to))
        })
    });
    both.collect()
}
