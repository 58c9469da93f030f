//! Which seats reviewed which part, and under which names they stand in the result.

use std::collections::BTreeSet;

use super::Role;
use crate::kernel::{Attendance, Failure, Respondent, Seat, seat_name};

/// All seats of a review.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Reviewers(Vec<Reviewer>);

/// What a seat answered, as far as reviews ask for more than attendance.
#[derive(Debug, Clone, Default, PartialEq)]
struct Reviewer {
    /// Turns without an answer that it owes for a score: reviews and judgements.
    missed: usize,
    /// Batches that it reviewed.
    batches: BTreeSet<usize>,
    /// The agents that wrote its reviews.
    agents: BTreeSet<String>,
}

impl Reviewers {
    pub(super) fn new(seats: usize) -> Self {
        Self(vec![Reviewer::default(); seats])
    }

    /// Notes who answered a turn, and that nobody did.
    pub(super) fn attend(
        &mut self,
        (seat, role, batch): (usize, Role, usize),
        by: &Respondent,
        failed: bool,
    ) {
        let Some(reviewer) = self.0.get_mut(seat) else {
            return;
        };
        match role {
            Role::Reviewer | Role::CrossReviewer if failed => reviewer.missed += 1,
            Role::Reviewer => {
                reviewer.batches.insert(batch);
                reviewer.agents.insert(by.agent.clone());
            }
            Role::CrossReviewer | Role::Composer | Role::Validator => {}
        }
    }

    /// Whether a seat reviewed a batch.
    pub(super) fn reviewed(&self, seat: usize, batch: usize) -> bool {
        self.0.get(seat).is_some_and(|seat| seat.batches.contains(&batch))
    }

    /// Returns how many seats reviewed a batch.
    pub(super) fn of(&self, batch: usize) -> usize {
        self.0.iter().filter(|seat| seat.batches.contains(&batch)).count()
    }

    /// Whether a seat answered all reviews and judgements that it was asked for, and so has a score.
    pub(super) fn complete(&self, seat: usize) -> bool {
        self.0.get(seat).is_some_and(|seat| seat.missed == 0)
    }

    /// Returns the seats that answered a review.
    pub(super) fn present(&self) -> Vec<usize> {
        let seats = self.0.iter().enumerate();
        seats.filter(|(_, seat)| !seat.batches.is_empty()).map(|(at, _)| at).collect()
    }

    /// Returns the names under which the seats stand in the result, each once: the agent that wrote
    /// a seat's reviews, which is another than the configured one where one stepped in.
    pub(super) fn names(&self, configured: &[Respondent]) -> Vec<String> {
        let mut names: Vec<String> = Vec::with_capacity(configured.len());
        for (at, (seat, asked)) in self.0.iter().zip(configured).enumerate() {
            let mut agents = seat.agents.iter();
            let name = match (agents.next(), agents.next()) {
                (Some(only), None) => only,
                (None | Some(_), _) => &asked.agent,
            };
            let taken = names.contains(name)
                || (*name != asked.agent && configured.iter().any(|other| other.agent == *name));
            names.push(if taken { format!("{name} ({})", seat_name(at)) } else { name.clone() });
        }
        names
    }

    /// Returns a seat for the result: it answered if a review of it counts, and beside that stands which of its turns failed.
    pub(super) fn seat(&self, at: usize, seat: &Attendance) -> Seat {
        let present = self.0.get(at).is_some_and(|reviewer| !reviewer.batches.is_empty());
        seat.seat(present, failed(seat))
    }
}

/// Says what failed; of several turns, how many.
fn failed(seat: &Attendance) -> Option<String> {
    let first: &Failure = seat.failures().next()?;
    Some(match (seat.failures().count(), seat.asked()) {
        (_, 1) => first.to_string(),
        (failed, asked) => format!("{failed} of {asked} turns failed: {first}"),
    })
}
