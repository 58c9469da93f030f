//! A council's progress after each round.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::kernel::{Run, TurnId, count};

/// The number of seats that must answer: with only one, nothing is judged by another.
pub(crate) const QUORUM: usize = 2;

/// Maximum confidence where only one agent answered, percent.
const DEGRADED: u128 = 50;

/// How sure the panel was after a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RoundRecord {
    /// 0 for the independent answers, then the cross-examinations.
    pub round: u32,
    /// 0 to 100.
    pub confidence: u32,
    /// Groups that are settled.
    pub settled: u32,
    /// All groups.
    pub groups: u32,
    /// Turns of this round that were answered.
    pub answered: u32,
    /// Turns of this round that were asked.
    pub asked: u32,
}

impl RoundRecord {
    /// Records a round. `groups`: of each the weight, and whether it is settled; `seats`: how many answered everything,
    /// of how many; `turns`: likewise of this round. `degraded`: only one agent answered.
    pub(crate) fn new(
        round: u32,
        groups: &[(u32, bool)],
        seats: (usize, usize),
        turns: (usize, usize),
        degraded: bool,
    ) -> Self {
        Self {
            round,
            confidence: confidence(groups, seats, degraded),
            settled: count(groups.iter().filter(|(_, settled)| *settled).count()),
            groups: count(groups.len()),
            answered: count(turns.0),
            asked: count(turns.1),
        }
    }

    /// Tells how a round ended. `noun`: what is judged, `finding`.
    pub(crate) fn tell(&self, noun: &str, last: Option<&TurnId>, run: &mut Run) {
        let Self { round, confidence, settled, groups, answered, asked } = *self;
        let (round, nouns) = (round + 1, if groups == 1 { "" } else { "s" });
        let message = format!(
            "round {round}: {groups} {noun}{nouns}, {settled} settled; confidence {confidence}%; {answered} of {asked} turns answered"
        );
        let data = json!({
            "round": round, "confidence": confidence, "groups": groups, "settled": settled, "answered": answered,
            "asked": asked,
        });
        run.close_round(round, last, message, data);
    }
}

/// Returns a confidence of 0 to 100 (`docs/review.md`, step 6): the share of the groups that are settled, each by its
/// weight, times the share of the seats that answered everything; rounded down once. Without groups it is that share
/// alone.
pub(crate) fn confidence(
    groups: &[(u32, bool)],
    (answered, asked): (usize, usize),
    degraded: bool,
) -> u32 {
    let weight = |all: &mut dyn Iterator<Item = &(u32, bool)>| -> u128 {
        all.map(|(weight, _)| u128::from(*weight)).sum()
    };
    let (settled, all) = match weight(&mut groups.iter()) {
        0 => (1, 1),
        all => (weight(&mut groups.iter().filter(|(_, settled)| *settled)), all),
    };
    let share = 100 * settled * answered.min(asked) as u128;
    let share = share.checked_div(all * asked as u128).unwrap_or(0);
    u32::try_from(share.min(if degraded { DEGRADED } else { 100 })).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    //! Tests of the confidence: shares calculated by hand.

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn settled_groups_are_weighed_and_attendance_counts() {
        type Row = (&'static [(u32, bool)], (usize, usize), u32);
        let table: [Row; 9] = [
            // Without groups, the confidence is the attendance.
            (&[], (3, 3), 100),
            (&[], (2, 3), 66),
            (&[], (0, 3), 0),
            (&[], (0, 0), 0),
            (&[(5, false)], (2, 2), 0),
            (&[(5, true)], (2, 2), 100),
            (&[(5, true), (3, false), (1, false)], (2, 2), 55),
            (&[(5, false), (3, false), (1, true)], (2, 2), 11),
            // 5 / 9 x 2 / 3 = 10 / 27, rounded down once.
            (&[(5, true), (3, false), (1, false)], (2, 3), 37),
        ];
        for (groups, seats, expected) in table {
            assert_eq!(confidence(groups, seats, false), expected, "{groups:?}");
        }
    }

    proptest! {
        #[test]
        fn a_dead_seat_never_raises_it_and_one_agent_alone_is_sure_of_half_at_most(
            groups in prop::collection::vec((1_u32..6, any::<bool>()), 0..8),
            answered in 0_usize..9, asked in 0_usize..9, degraded in any::<bool>(),
        ) {
            let now = confidence(&groups, (answered, asked), degraded);
            prop_assert!(now <= 100);
            prop_assert!(confidence(&groups, (answered.saturating_sub(1), asked), degraded) <= now);
            prop_assert!(confidence(&groups, (answered, asked), true) <= now.min(50));
        }
    }
}
