//! How sure the panel is (`spec/review-and-plan.md`, step 6).

use super::model::{Group, Location};
use super::status::status;

#[cfg(test)]
mod tests;

/// Most that a review can be sure of in which only one agent answered, percent.
const DEGRADED: u128 = 50;

/// Returns a confidence of 0 to 100: the share of the groups that are settled, each weighed by its
/// severity, times the share of the turns that were answered; rounded down once.
///
/// Groups outside the change are out by rule and no part of it: nobody is asked about them. Without
/// groups it is the attendance alone. Nothing asked is nothing known: 0. `degraded`: only one agent
/// answered, so that nothing can be confirmed.
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
