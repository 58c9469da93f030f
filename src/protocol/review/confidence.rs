//! The panel's confidence (`docs/review.md`, step 6).

use super::model::{Group, Location};
use super::status::status;

/// Maximum confidence of a review in which only one agent answered, percent.
const DEGRADED: u128 = 50;

/// Returns a confidence of 0 to 100: the share of the groups that are settled, each weighted by its severity, times
/// the share of the turns that were answered; rounded down once.
///
/// Groups outside the change are out by rule and do not count: no seat is asked about them. Without groups, the
/// confidence is the attendance alone. If nothing was asked, it is 0. `degraded`: only one agent answered, so that
/// nothing can be confirmed.
pub fn confidence(groups: &[&Group], answered: u32, asked: u32, degraded: bool) -> u32 {
    let (mut settled, mut all) = (0_u128, 0_u128);
    for group in groups {
        if group.location() == Location::Outside {
            continue;
        }
        let weight = u128::from(group.severity().weight());
        all += weight;
        if status(group).settled() {
            settled += weight;
        }
    }
    if all == 0 {
        (settled, all) = (1, 1);
    }
    let answered = u128::from(answered.min(asked));
    let share = (100 * settled * answered).checked_div(all * u128::from(asked)).unwrap_or(0);
    let most = if degraded { DEGRADED } else { 100 };
    u32::try_from(share.min(most)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    //! Tests of [`super`]: shares calculated by hand.

    use proptest::prelude::*;

    use super::*;
    use crate::protocol::review::model::{Severity, Stance};
    use crate::protocol::review::samples::{at, group};

    fn open(severity: Severity) -> Group {
        group("F1", severity, &[(0, "red")], &[])
    }

    fn judged(severity: Severity, stance: Stance) -> Group {
        group("F1", severity, &[(0, "red")], &[(1, "blue", stance)])
    }

    #[test]
    fn settled_groups_are_weighed_by_severity_and_attendance() {
        use Severity::{P0, P1, P2};
        let (agree, disagree) = (Stance::Agree, Stance::Disagree);
        let table: [(Vec<Group>, (u32, u32), u32); 12] = [
            // Without findings, the confidence is the attendance.
            (vec![], (3, 3), 100),
            (vec![], (2, 3), 66),
            (vec![], (0, 3), 0),
            (vec![], (0, 0), 0),
            (vec![open(P0)], (2, 2), 0),
            (vec![judged(P0, agree)], (2, 2), 100),
            // Confirmed, refuted and disputed groups are settled: 5 of 9, 1 of 9, 5 of 5.
            (vec![judged(P0, agree), open(P1), open(P2)], (2, 2), 55),
            (vec![open(P0), open(P1), judged(P2, disagree)], (2, 2), 11),
            (vec![judged(P0, disagree)], (2, 2), 100),
            // 5 / 9 x 2 / 3 = 10 / 27, rounded down once.
            (vec![judged(P0, agree), open(P1), open(P2)], (2, 3), 37),
            (vec![judged(P0, Stance::Unsure)], (2, 2), 0),
            // Groups outside the change do not count.
            (vec![at(open(P0), Location::Outside), judged(P2, agree)], (2, 2), 100),
        ];
        for (groups, (answered, asked), expected) in table {
            let groups: Vec<&Group> = groups.iter().collect();
            assert_eq!(confidence(&groups, answered, asked, false), expected, "{groups:?}");
        }
    }

    #[test]
    fn one_agent_alone_is_sure_of_half_at_most() {
        assert_eq!(confidence(&[], 1, 2, true), 50);
        assert_eq!(confidence(&[], 3, 3, true), 50);
        assert_eq!(confidence(&[&open(Severity::P0)], 3, 3, true), 0);
    }

    proptest! {
        #[test]
        fn it_is_within_bounds_and_a_dead_seat_never_raises_it(
            kinds in prop::collection::vec((0_usize..3, 0_usize..4), 0..8),
            answered in any::<u32>(), asked in any::<u32>(), degraded in any::<bool>(),
        ) {
            let groups: Vec<Group> = kinds.iter().map(|(severity, kind)| {
                let severity = Severity::ALL[*severity];
                Stance::ALL.get(*kind).map_or_else(|| open(severity), |stance| judged(severity, *stance))
            }).collect();
            let groups: Vec<&Group> = groups.iter().collect();
            let now = confidence(&groups, answered, asked, degraded);
            prop_assert!(now <= 100);
            prop_assert!(confidence(&groups, answered.saturating_sub(1), asked, degraded) <= now);
            prop_assert!(confidence(&groups, answered, asked, true) <= now.min(50));
        }
    }
}
