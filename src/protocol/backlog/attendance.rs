//! Who was asked, who answered, and what that makes of the panel.

use std::collections::{BTreeMap, BTreeSet};

use super::Role;
use super::input::Seats;
use crate::kernel::{Failure, Seat, SeatStatus, Seated};

/// Attendance in numbers.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
pub struct Quorum {
    /// Seats that must answer every time.
    pub needed: usize,
    /// Seats that did.
    pub answered: usize,
    /// Vendors among those.
    pub vendors: usize,
}

/// All seats of a debate.
#[derive(Debug, Clone)]
pub(super) struct Panel(BTreeMap<Role, Attendance>);

/// How often a seat was asked and what came of it.
#[derive(Debug, Clone, Default, PartialEq)]
struct Attendance {
    asked: bool,
    failure: Option<Failure>,
    fell_back_to: Option<String>,
    vendors: BTreeSet<String>,
}

impl Panel {
    pub(super) fn new() -> Self {
        Self(Role::ALL.into_iter().map(|role| (role, Attendance::default())).collect())
    }

    /// Notes that a seat was asked, and who answered or why nobody did.
    pub(super) fn attend(&mut self, role: Role, seated: &Seated, failure: Option<&Failure>) {
        let attendance = self.0.entry(role).or_default();
        attendance.asked = true;
        attendance.failure = failure.cloned();
        if failure.is_none() {
            attendance.vendors.insert(seated.vendor.clone());
            if seated.fell_back_from.is_some() {
                attendance.fell_back_to = Some(seated.agent.clone());
            }
        }
    }

    /// Returns the vendors that answered for a seat so far.
    pub(super) fn vendors(&self, role: Role) -> Vec<String> {
        self.0.get(&role).into_iter().flat_map(|seat| seat.vendors.iter().cloned()).collect()
    }

    /// Returns the failure that a seat ended with, if one did.
    pub(super) fn failure(&self) -> Option<&Failure> {
        self.0.values().find_map(|seat| seat.failure.as_ref())
    }

    /// Returns the seats for the result document.
    pub(super) fn seats(&self, seats: &Seats) -> Vec<Seat> {
        let seat = |(role, attendance): (&Role, &Attendance)| {
            let configured = seats.of(*role);
            Seat {
                role: role.name().to_owned(),
                agent: configured.agent.clone(),
                vendor: configured.vendor.clone(),
                status: attendance.status(),
                failure: attendance
                    .failure
                    .as_ref()
                    .map(|failure| format!("{}: {}", failure.class.name(), failure.message)),
                fell_back_to: attendance.fell_back_to.clone(),
            }
        };
        self.0.iter().map(seat).collect()
    }

    /// Returns attendance in numbers. All three roles are needed, every round.
    pub(super) fn quorum(&self) -> Quorum {
        let answered = self.0.values().filter(|seat| seat.asked && seat.failure.is_none());
        let vendors: BTreeSet<&String> = answered.clone().flat_map(|seat| &seat.vendors).collect();
        Quorum { needed: Role::ALL.len(), answered: answered.count(), vendors: vendors.len() }
    }
}

impl Attendance {
    fn status(&self) -> SeatStatus {
        if !self.asked {
            SeatStatus::Skipped
        } else if self.failure.is_some() {
            SeatStatus::Failed
        } else if self.fell_back_to.is_some() {
            SeatStatus::FellBack
        } else {
            SeatStatus::Answered
        }
    }
}
