//! The spending limits of a run: the budget, reservations before every call, a hard limit on calls.
//!
//! Money is reserved before a call is made and settled after it, so that `spent + reserved <=
//! budget` holds whenever a process is started. Total spending can exceed the budget by at most the
//! error of the reservations of the calls in flight. A call of unknown cost is charged its
//! reservation.

use std::collections::BTreeMap;

use crate::agent::attempts::Extent;
use crate::kernel::{Shortfall, Stop, Usd};

/// The reservation for a role's call before the cost of any of its calls is known: 0.15 USD
/// (`docs/prioritize.md`).
pub const FIRST_RESERVE: Usd = Usd::from_micros(150_000);

/// Bytes of a prompt whose input is covered by the figure above (32 KiB).
const COVERED_BYTES: u64 = 32 << 10;

/// Micro-dollars per 1,000 bytes of input: 5 USD per million tokens of 4 bytes, the price of the more expensive
/// models of 2026 (`docs/calls.md`).
const MICROS_PER_KB: u64 = 1_250;

/// Returns the input cost of a prompt beyond the usual length.
fn of_length(bytes: u64) -> Usd {
    let beyond = bytes.saturating_sub(COVERED_BYTES);
    Usd::from_micros(beyond.saturating_mul(MICROS_PER_KB) / 1_000)
}

/// Returns the cost of a call above its role's default effort: each step of effort is assumed to double the price
/// (`docs/calls.md`).
fn of_effort(usual: Usd, above: u32) -> Usd {
    let times = 1_u64.checked_shl(above).unwrap_or(u64::MAX);
    Usd::from_micros(usual.micros().saturating_mul(times))
}

/// Returns a call's reservation before one of its costs is known; an agent that costs nothing
/// reserves nothing.
pub fn first_of(declared: Option<Usd>, first: Usd, extent: Extent) -> Usd {
    match declared {
        Some(Usd::ZERO) => Usd::ZERO,
        declared => {
            of_effort(declared.unwrap_or(first), extent.effort_above) + of_length(extent.bytes)
        }
    }
}

/// A run's finances when a call is about to be made, from the journal's fold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Balance {
    /// Spent so far, including earlier runs of the session.
    pub spent: Usd,
    /// Reserved for calls in flight.
    pub reserved: Usd,
    /// The largest cost of one call of the role in question.
    pub largest: Option<Usd>,
    /// Calls begun in this run.
    pub calls: u32,
}

/// The spending rules of a run.
#[derive(Debug, Clone, Default)]
pub struct Budget {
    /// Maximum spending.
    pub limit: Option<Usd>,
    /// The reservation for each role's call before one of its costs is known.
    pub first: BTreeMap<String, Usd>,
    /// Maximum number of processes that this run may start, whatever they cost.
    pub max_calls: Option<u32>,
}

impl Budget {
    /// Returns the reservation for a role's next call: the largest cost seen for it, at first the
    /// setting.
    pub fn reserve_of(&self, role: &str, largest: Option<Usd>) -> Usd {
        match largest {
            Some(largest) if largest > Usd::ZERO => largest,
            _ => self.first.get(role).copied().unwrap_or(FIRST_RESERVE),
        }
    }

    /// Returns the reservation for a role's next call, by its extent: the agent's configured cost per call, if any;
    /// else the largest cost seen, or the setting. Effort above the default costs more, as does a long prompt.
    pub fn amount(
        &self,
        role: &str,
        largest: Option<Usd>,
        declared: Option<Usd>,
        extent: Extent,
    ) -> Usd {
        match (declared, largest) {
            // The earlier calls were long too, and used the same effort.
            (None, Some(largest)) if largest > Usd::ZERO => largest.max(of_length(extent.bytes)),
            _ => first_of(declared, self.reserve_of(role, None), extent),
        }
    }

    /// Returns the budget's shortfall for this reservation.
    pub fn shortfall(&self, balance: &Balance, reserve: Usd) -> Option<Shortfall> {
        Shortfall::of(self.limit?, balance.spent + balance.reserved, reserve)
    }

    /// Returns the reservation for a role's next call of this extent. `declared`, the agent's configured cost per
    /// call, replaces the estimate.
    ///
    /// # Errors
    /// [`Stop::Budget`] if it does not fit into the budget, or the number of calls is used up.
    pub fn reserve(
        &self,
        balance: &Balance,
        role: &str,
        declared: Option<Usd>,
        extent: Extent,
    ) -> Result<Usd, Stop> {
        let amount = self.amount(role, balance.largest, declared, extent);
        if self.shortfall(balance, amount).is_some()
            || self.max_calls.is_some_and(|most| balance.calls >= most)
        {
            return Err(Stop::Budget);
        }
        Ok(amount)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cents(amount: u64) -> Usd {
        Usd::from_micros(amount * 10_000)
    }

    const NOTHING: Extent = Extent { bytes: 0, effort_above: 0 };

    fn balance(spent: u64, reserved: u64, largest: Option<u64>) -> Balance {
        Balance {
            spent: cents(spent),
            reserved: cents(reserved),
            largest: largest.map(cents),
            calls: 0,
        }
    }

    #[test]
    fn a_call_is_permitted_only_if_its_reserve_fits() {
        let first = BTreeMap::from([("critic".to_owned(), cents(10))]);
        let budget = Budget { limit: Some(cents(25)), first, max_calls: None };
        assert_eq!(
            budget.reserve(&balance(0, 0, None), "champion", None, NOTHING),
            Ok(FIRST_RESERVE)
        );
        assert_eq!(budget.reserve(&balance(0, 15, None), "critic", None, NOTHING), Ok(cents(10)));
        assert_eq!(
            budget.reserve(&balance(0, 25, None), "critic", None, NOTHING),
            Err(Stop::Budget)
        );
        assert_eq!(
            budget.reserve(&balance(16, 0, None), "critic", None, NOTHING),
            Err(Stop::Budget)
        );
        assert_eq!(
            budget.reserve(&balance(35, 0, None), "x", Some(Usd::ZERO), NOTHING),
            Err(Stop::Budget)
        );
        assert_eq!(
            budget.reserve(&balance(25, 0, None), "x", Some(Usd::ZERO), NOTHING),
            Ok(Usd::ZERO)
        );
    }

    #[test]
    fn the_reserve_is_the_largest_cost_seen_and_never_zero_by_ignorance() {
        let budget = Budget::default();
        assert_eq!(budget.reserve_of("champion", Some(cents(40))), cents(40));
        assert_eq!(budget.reserve_of("champion", None), FIRST_RESERVE);
        assert_eq!(budget.reserve_of("champion", Some(Usd::ZERO)), FIRST_RESERVE);
    }

    #[test]
    fn a_long_prompt_costs_its_length_besides() {
        let budget = Budget::default();
        let amount = |largest, declared, bytes| {
            budget.amount("x", largest, declared, Extent { bytes, ..NOTHING })
        };
        assert_eq!(amount(None, None, 32 << 10), FIRST_RESERVE);
        let long = (32 << 10) + 100_000;
        assert_eq!(amount(None, None, long), FIRST_RESERVE + Usd::from_micros(125_000));
        assert_eq!(amount(None, Some(cents(10)), long), cents(10) + Usd::from_micros(125_000));
        assert_eq!(amount(Some(cents(40)), None, long), cents(40));
        assert_eq!(amount(Some(cents(1)), None, long), Usd::from_micros(125_000));
        assert_eq!(amount(None, Some(Usd::ZERO), long), Usd::ZERO, "nobody is paid");
    }

    #[test]
    fn more_effort_than_usual_costs_more() {
        let budget = Budget::default();
        let amount = |largest, declared, effort_above| {
            budget.amount("x", largest, declared, Extent { bytes: 0, effort_above })
        };
        assert_eq!(amount(None, None, 0), FIRST_RESERVE);
        assert_eq!(amount(None, None, 1), FIRST_RESERVE + FIRST_RESERVE);
        assert_eq!(amount(None, Some(cents(10)), 2), cents(40));
        assert_eq!(amount(None, Some(Usd::ZERO), 3), Usd::ZERO, "nobody is paid");
        assert_eq!(amount(Some(cents(40)), None, 3), cents(40), "the calls before took it too");
        assert_eq!(amount(None, None, 64), Usd::from_micros(u64::MAX), "no reserve is ever less");
    }

    #[test]
    fn the_number_of_calls_is_bounded_whatever_they_cost() {
        let budget = Budget { max_calls: Some(2), ..Budget::default() };
        let after = |calls| Balance { calls, ..Balance::default() };
        assert!(budget.reserve(&after(1), "x", Some(Usd::ZERO), NOTHING).is_ok());
        assert_eq!(budget.reserve(&after(2), "x", Some(Usd::ZERO), NOTHING), Err(Stop::Budget));
    }

    proptest! {
        /// P3 and P4: at every start, reservations and spending fit the budget; the final total
        /// exceeds it by no more than the cost of the calls in flight beyond their reservations.
        #[test]
        fn p03_p04_spending_is_bounded(
            limit in 0u64..500,
            calls in prop::collection::vec((0u8..3, 0u64..80, any::<bool>()), 0..60),
        ) {
            let budget = Budget { limit: Some(cents(limit)), ..Budget::default() };
            let (mut balance, mut over) = (Balance::default(), Usd::ZERO);
            let mut live: Vec<Usd> = Vec::new();
            for (role, cost, settle) in calls {
                if let Ok(amount) = budget.reserve(&balance, &format!("role{role}"), None, NOTHING) {
                    balance.reserved += amount;
                    prop_assert!(balance.spent + balance.reserved <= cents(limit));
                    live.push(amount);
                }
                if settle && let Some(amount) = live.pop() {
                    over += cents(cost).saturating_sub(amount);
                    balance.reserved = balance.reserved.saturating_sub(amount);
                    balance.spent += cents(cost);
                    balance.largest = balance.largest.max(Some(cents(cost)));
                }
            }
            prop_assert!(balance.spent <= cents(limit) + over);
        }
    }
}
