//! The summary sentence and the figures of a closed round.

use serde_json::{Value, json};

use super::super::letters::letter;
use super::{Machine, State};
use crate::kernel::share::Share;
use crate::protocol::debate::DebateOutcome;

impl Machine {
    /// Returns the result of the round that was just closed, as a sentence and as data.
    pub(super) fn came_to(&self, round: u32) -> (String, Value) {
        let seats = self.seats.len();
        let settled = if self.vendors() < 2 { "agreed (one vendor)" } else { "settled" };
        match (round, self.ballots.last()) {
            (1, _) => {
                let came = self.answers.len();
                let mut message = format!("round 1: {came} of {seats} answered");
                let mut data = json!({ "round": 1, "answered": came, "asked": seats });
                if self.state == State::Closed(DebateOutcome::Settled) {
                    message.push_str(", all for the same option: ");
                    message.push_str(settled);
                    data["option"] = json!(self.answers.first().map(|given| &given.said.option));
                }
                (message, data)
            }
            (_, Some(ballot)) if ballot.round == round => {
                let wanted = match self.state {
                    State::Closed(DebateOutcome::Settled) => settled,
                    State::Closed(_) | State::Answers | State::Vote => "not settled",
                    State::Cross(_) => "a cross round follows",
                    State::Own(_) | State::Ruling(_) => "a judge is asked",
                };
                let leading = ballot.tally.leading();
                let (votes, vendors) = leading
                    .and_then(|choice| ballot.tally.by_choice.get(&choice))
                    .copied()
                    .unwrap_or_default();
                let standing = ballot.votes.values().filter(|vote| vote.stands).count();
                let again = match standing {
                    0 => String::new(),
                    _ => format!(" ({standing} not asked again)"),
                };
                let message = match leading {
                    Some(choice) => format!(
                        "round {round}: {votes} of {seats} seats, {vendors} {}, for {}{again}: {wanted}",
                        if vendors == 1 { "vendor" } else { "vendors" },
                        letter(choice)
                    ),
                    None => format!("round {round}: nobody voted"),
                };
                let data = json!({
                    "round": round, "answered": ballot.tally.cast - standing, "asked": seats - standing,
                    "consensus": share(votes, seats), "choice": leading.map(letter), "votes": votes, "vendors": vendors,
                });
                (message, data)
            }
            (_, Some(_) | None) => {
                let choices: Vec<&str> = self.rulings().map(|said| &*said.position).collect();
                let message = match (&self.bench.failure, &*choices) {
                    (None, [first, second]) if first == second => {
                        format!("round {round}: the judge rules for {first} in both orders")
                    }
                    (None, [first, second]) => format!(
                        "round {round}: the judge rules for {first} in one order and for {second} in the other"
                    ),
                    (_, _) => format!("round {round}: the judge gave no ruling"),
                };
                (message, json!({ "round": round, "choices": choices }))
            }
        }
    }
}

/// Returns the share that `votes` are of all seats.
fn share(votes: usize, seats: usize) -> Option<Share> {
    let number = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
    Share::of(number(votes), number(seats))
}
