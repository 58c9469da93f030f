//! The seats of every protocol, and the roles that play them.

use std::borrow::Cow;

use crate::protocol::clarify::CLARIFIER;
use crate::protocol::debate::PERSON;

/// Seats and their roles: the short name in turns and documents, and the role's name in the configuration.
pub(crate) type Roles = &'static [(&'static str, &'static str)];

pub(crate) fn skills(roles: Roles) -> Vec<Cow<'static, str>> {
    roles.iter().map(|(_, role)| Cow::Borrowed(*role)).collect()
}

pub(crate) const DEBATE: Roles = &[
    ("champion", "backlog-champion"),
    ("critic", "backlog-critic"),
    ("moderator", "backlog-moderator"),
];

pub(crate) const ANALYST: Roles = &[("analyst", "feature-analyst")];

pub(crate) const ADVISOR: Roles = &[("advisor", "fix-advisor")];

pub(crate) const INQUIRY: Roles = &[("analyst", "feature-analyst"), ("advisor", "fix-advisor")];

/// The tasks of a review's seats in order, for their skills.
pub(crate) const REVIEW: [&str; 5] =
    ["reviewer", "cross-reviewer", "composer", "validator", PROVER];

/// The author of a test of a finding, whom only a review that runs tests asks.
pub(crate) const PROVER: &str = "prover";

/// The tasks of a plan's seats.
pub(crate) const PLAN: [&str; 3] = ["planner", "plan-reviewer", "plan-validator"];

/// The tasks of a dialogue's seats.
pub(crate) const DIALOGUE: [&str; 5] =
    ["proposer", "topic-reviewer", "rebuttal", "compromise", "expert"];

/// The tasks of the sides in a debate of typed arguments.
pub(crate) const ARGUMENT: [&str; 2] = ["primary", "adversary"];

/// The tasks of a panel's seats and its judge; the last since panels have their second rules.
pub(crate) const PANEL: [&str; 3] = ["panel-seat", "judge", "panel-voter"];

/// Returns the role that sets the time limit for the calls of a seat; `s1`, `s2`, ... have that of `numbered`.
pub(crate) fn of_seat(seat: &str, numbered: &'static str) -> &'static str {
    match seat {
        "proposer" => DIALOGUE[0],
        "reviewer" => DIALOGUE[1],
        "expert" => DIALOGUE[4],
        "primary" => ARGUMENT[0],
        "adversary" => ARGUMENT[1],
        "judge" => PANEL[1],
        CLARIFIER => CLARIFIER,
        PERSON => PERSON,
        _ => numbered,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::{backlog, inquiry, review};

    #[test]
    fn the_seats_are_those_of_the_protocols() {
        for ((seat, _), role) in DEBATE.iter().zip(backlog::Role::ALL) {
            assert_eq!(*seat, role.name());
        }
        for ((seat, name), role) in INQUIRY.iter().zip(inquiry::Role::ALL) {
            assert_eq!((*seat, *name), (role.name(), role.config_name()));
        }
        assert_eq!([ANALYST[0], ADVISOR[0]], INQUIRY);
        assert_eq!(REVIEW, review::Role::ALL.map(review::Role::config_name));
    }
}
