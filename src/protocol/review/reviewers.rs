//! The batches that each seat reviewed, and the names of the seats in the result.

use std::collections::BTreeSet;

use super::Role;
use crate::kernel::{Attendance, Failure, Respondent, Seat, seat_name};

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Reviewers(Vec<Reviewer>);

/// The answers of a seat, as far as the review needs more than attendance.
#[derive(Debug, Clone, Default, PartialEq)]
struct Reviewer {
    /// Number of unanswered turns that cost it its score: reviews and judgements.
    missed: usize,
    batches: BTreeSet<usize>,
    /// The agents that wrote its reviews.
    agents: BTreeSet<String>,
}

impl Reviewers {
    pub(super) fn new(seats: usize) -> Self {
        Self(vec![Reviewer::default(); seats])
    }

    /// Records a turn: the agent that answered it, or that it failed.
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

    /// Returns the unique names of the seats in the result: the agent that wrote a seat's reviews, which differs from
    /// the configured one if a fallback stepped in.
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

    /// Returns a seat for the result: it counts as answered if it wrote a review that counts, and its failed turns
    /// are named as well.
    pub(super) fn seat(&self, at: usize, seat: &Attendance) -> Seat {
        let present = self.0.get(at).is_some_and(|reviewer| !reviewer.batches.is_empty());
        seat.seat(present, failed(seat))
    }
}

/// Describes what failed; of several turns, how many.
fn failed(seat: &Attendance) -> Option<String> {
    let first: &Failure = seat.failures().next()?;
    Some(match (seat.failures().count(), seat.asked()) {
        (_, 1) => first.to_string(),
        (failed, asked) => format!("{failed} of {asked} turns failed: {first}"),
    })
}
