//! The batches that each seat reviewed, and the names of the seats in the result.

use super::Role;
use crate::kernel::attendance::names;
use crate::kernel::{Attendance, Respondent, Seat};
use crate::ordered::{BTreeSet, Gather};

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
            Role::CrossReviewer
            | Role::Composer
            | Role::Validator
            | Role::Prover
            | Role::Sandbox => {}
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

    /// Returns the unique names of the seats in the result, by who wrote their reviews.
    pub(super) fn names(&self, configured: &[Respondent]) -> Vec<String> {
        let wrote = self.0.iter().map(|seat| seat.agents.iter().map(String::as_str).gather());
        names(wrote, configured)
    }

    /// Returns a seat for the result: it counts as answered if it wrote a review that counts, and its failed turns
    /// are named as well.
    pub(super) fn seat(&self, at: usize, seat: &Attendance) -> Seat {
        let present = self.0.get(at).is_some_and(|reviewer| !reviewer.batches.is_empty());
        seat.seat(present, seat.failed())
    }
}
