//! Who was asked, who answered, and what that makes of the panel.

use std::collections::BTreeSet;

use super::{Role, seat_name};
use crate::kernel::{Failure, Seat, SeatStatus, Seated};

/// All seats of a review.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Panel(Vec<Attendance>);

/// What was asked of a seat, and what came of it.
#[derive(Debug, Clone, Default, PartialEq)]
struct Attendance {
    /// Turns that came to an end.
    asked: usize,
    /// Those without an answer, in the order in which they were asked.
    failures: Vec<Failure>,
    /// Turns that must be answered for the seat to have a score: reviews and judgements.
    missed: usize,
    /// Batches that it reviewed.
    reviewed: BTreeSet<usize>,
    /// Who answered the reviews.
    reviewers: BTreeSet<String>,
    /// Vendors that answered.
    vendors: BTreeSet<String>,
    /// The agent that stepped in last.
    fell_back_to: Option<String>,
}

impl Panel {
    pub(super) fn new(seats: usize) -> Self {
        Self(vec![Attendance::default(); seats])
    }

    /// Notes that a turn came to an end, and who answered or why nobody did.
    pub(super) fn attend(
        &mut self,
        seat: usize,
        role: Role,
        batch: usize,
        seated: &Seated,
        failure: Option<&Failure>,
    ) {
        let Some(attendance) = self.0.get_mut(seat) else {
            return;
        };
        attendance.asked += 1;
        if let Some(failure) = failure {
            attendance.failures.push(failure.clone());
            attendance.missed += match role {
                Role::Reviewer | Role::CrossReviewer => 1,
                Role::Composer | Role::Validator => 0,
            };
            return;
        }
        attendance.vendors.insert(seated.vendor.clone());
        if seated.fell_back_from.is_some() {
            attendance.fell_back_to = Some(seated.agent.clone());
        }
        if role == Role::Reviewer {
            attendance.reviewed.insert(batch);
            attendance.reviewers.insert(seated.agent.clone());
        }
    }

    /// Whether a seat reviewed a batch.
    pub(super) fn reviewed(&self, seat: usize, batch: usize) -> bool {
        let seat = self.0.get(seat);
        seat.is_some_and(|seat| seat.reviewed.contains(&batch))
    }

    /// Returns how many seats reviewed a batch.
    pub(super) fn reviewers_of(&self, batch: usize) -> usize {
        let reviewed = self.0.iter().filter(|seat| seat.reviewed.contains(&batch));
        reviewed.count()
    }

    /// Whether a seat answered all reviews and judgements that it was asked for, and so has a score.
    pub(super) fn complete(&self, seat: usize) -> bool {
        let seat = self.0.get(seat);
        seat.is_some_and(|seat| seat.asked > 0 && seat.missed == 0)
    }

    /// Returns how many seats answered everything that they were asked, without those in `lossy`.
    pub(super) fn flawless(&self, lossy: &BTreeSet<usize>) -> usize {
        let seats = self.0.iter().enumerate();
        seats
            .filter(|(at, seat)| !lossy.contains(at) && seat.asked > 0 && seat.failures.is_empty())
            .count()
    }

    /// Returns the seats that answered a review.
    pub(super) fn present(&self) -> Vec<usize> {
        let present = self.0.iter().enumerate();
        present.filter(|(_, seat)| !seat.reviewed.is_empty()).map(|(at, _)| at).collect()
    }

    /// Returns how many vendors answered.
    pub(super) fn vendors(&self) -> usize {
        let vendors: BTreeSet<&String> = self.0.iter().flat_map(|seat| &seat.vendors).collect();
        vendors.len()
    }

    /// Returns the first failure of the first seat that has one.
    pub(super) fn failure(&self) -> Option<&Failure> {
        self.0.iter().find_map(|seat| seat.failures.first())
    }

    /// Returns the names under which the seats stand in the result, each once: the agent that wrote
    /// a seat's reviews, which is another than the configured one where one stepped in.
    pub(super) fn names(&self, configured: &[Seated]) -> Vec<String> {
        let mut names: Vec<String> = Vec::with_capacity(configured.len());
        for (at, (seat, asked)) in self.0.iter().zip(configured).enumerate() {
            let mut reviewers = seat.reviewers.iter();
            let name = match (reviewers.next(), reviewers.next()) {
                (Some(only), None) => only,
                (None | Some(_), _) => &asked.agent,
            };
            let taken = names.contains(name)
                || (*name != asked.agent && configured.iter().any(|other| other.agent == *name));
            names.push(if taken { format!("{name} ({})", seat_name(at)) } else { name.clone() });
        }
        names
    }

    /// Returns the seats for the result document.
    pub(super) fn seats(&self, configured: &[Seated]) -> Vec<Seat> {
        let seats = self.0.iter().zip(configured).enumerate();
        seats
            .map(|(at, (seat, asked))| Seat {
                role: seat_name(at),
                agent: asked.agent.clone(),
                vendor: asked.vendor.clone(),
                status: seat.status(),
                failure: seat.failed(),
                fell_back_to: seat.fell_back_to.clone(),
            })
            .collect()
    }
}

impl Attendance {
    /// A seat answered if a review of it counts. What else of it failed stands beside that: see [`Self::failed`].
    fn status(&self) -> SeatStatus {
        if self.asked == 0 {
            SeatStatus::Skipped
        } else if self.reviewed.is_empty() {
            SeatStatus::Failed
        } else if self.fell_back_to.is_some() {
            SeatStatus::FellBack
        } else {
            SeatStatus::Answered
        }
    }

    /// Says what failed; of several turns, how many.
    fn failed(&self) -> Option<String> {
        let first = self.failures.first()?;
        let first = format!("{}: {}", first.class.name(), first.message);
        Some(match (self.failures.len(), self.asked) {
            (_, 1) => first,
            (failed, asked) => format!("{failed} of {asked} turns failed: {first}"),
        })
    }
}
