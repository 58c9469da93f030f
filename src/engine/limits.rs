//! What a run may spend: money reserved before every call, a hard bound on calls, one switch that stops it.
//!
//! Money is reserved before a call is made and settled after it, so that
//! `spent + reserved <= budget` holds whenever a process is started. What is
//! spent in the end can pass the budget by at most the error of the reserves of
//! the calls in flight. A call whose cost is not known is charged its reserve.

use std::cell::Cell;
use std::collections::BTreeMap;

use tokio::sync::watch;

use crate::kernel::{Shortfall, Stop, Usd};
use crate::process::Control;

/// What is reserved for a role's call before any of its calls is known: 0.15 USD (`spec/backlog.md`).
pub const FIRST_RESERVE: Usd = Usd::from_micros(150_000);

/// What is known of a run's money when a call is about to be made. The journal's fold holds these figures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Account {
    /// Spent so far, earlier runs of the session included.
    pub spent: Usd,
    /// Set aside for calls in flight.
    pub reserved: Usd,
    /// The largest cost of one call of the role in question.
    pub largest: Option<Usd>,
    /// Calls begun in this run.
    pub calls: u32,
}

/// The rules of a run's money.
#[derive(Debug, Clone, Default)]
pub struct Purse {
    /// The most that may be spent.
    pub budget: Option<Usd>,
    /// What each role's call reserves before one of its costs is known.
    pub first: BTreeMap<String, Usd>,
    /// The most processes that this run may start, whatever they cost.
    pub max_calls: Option<u32>,
}

impl Purse {
    /// Returns what a role's next call reserves: the largest cost seen for it, at first the setting.
    pub fn reserve_of(&self, role: &str, largest: Option<Usd>) -> Usd {
        match largest {
            Some(largest) if largest > Usd::ZERO => largest,
            _ => self.first.get(role).copied().unwrap_or(FIRST_RESERVE),
        }
    }

    /// Returns what a role's next call reserves; where an agent's cost per call is configured, that.
    pub fn amount(&self, role: &str, largest: Option<Usd>, declared: Option<Usd>) -> Usd {
        declared.unwrap_or_else(|| self.reserve_of(role, largest))
    }

    /// Says what the budget lacks for this reserve.
    pub fn shortfall(&self, account: &Account, reserve: Usd) -> Option<Shortfall> {
        Shortfall::of(self.budget?, account.spent + account.reserved, reserve)
    }

    /// Says what to set aside for a role's next call. `declared` replaces the
    /// estimate where an agent's cost per call is configured.
    ///
    /// # Errors
    /// [`Stop::Budget`] if it does not fit into the budget, or the number of calls is used up.
    pub fn reserve(
        &self,
        account: &Account,
        role: &str,
        declared: Option<Usd>,
    ) -> Result<Usd, Stop> {
        let amount = self.amount(role, account.largest, declared);
        if self.shortfall(account, amount).is_some()
            || self.max_calls.is_some_and(|most| account.calls >= most)
        {
            return Err(Stop::Budget);
        }
        Ok(amount)
    }
}

/// The one switch that pauses and stops a run; every live process listens to it.
#[derive(Debug)]
pub struct Switch {
    control: watch::Sender<Control>,
    why: Cell<Option<Stop>>,
}

impl Default for Switch {
    fn default() -> Self {
        Self { control: watch::Sender::new(Control::Run), why: Cell::new(None) }
    }
}

impl Switch {
    /// Stops the run: TERM, grace, KILL for what is live, no further call. A second stop kills at once.
    pub fn stop(&self, why: Stop) {
        if self.why.get().is_none() {
            self.why.set(Some(why));
            self.control.send_replace(Control::Stop);
        } else {
            self.control.send_replace(Control::Kill);
        }
    }

    /// Stops the processes and their timers, or lets them go on. Does nothing once the run is stopped.
    pub fn pause(&self, paused: bool) {
        if self.why.get().is_none() {
            self.control.send_replace(if paused { Control::Pause } else { Control::Run });
        }
    }

    /// Returns why the run was stopped, if it was.
    pub fn stopped(&self) -> Option<Stop> {
        self.why.get()
    }

    /// Returns what tells another thread whether the run was stopped.
    pub fn watch(&self) -> impl Fn() -> bool + Send + 'static {
        let control = self.listen();
        move || matches!(*control.borrow(), Control::Stop | Control::Kill)
    }

    /// Returns a receiver for one process or wait.
    pub fn listen(&self) -> watch::Receiver<Control> {
        self.control.subscribe()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cents(amount: u64) -> Usd {
        Usd::from_micros(amount * 10_000)
    }

    fn account(spent: u64, reserved: u64, largest: Option<u64>) -> Account {
        Account {
            spent: cents(spent),
            reserved: cents(reserved),
            largest: largest.map(cents),
            calls: 0,
        }
    }

    #[test]
    fn a_call_is_permitted_only_if_its_reserve_fits() {
        let first = BTreeMap::from([("critic".to_owned(), cents(10))]);
        let purse = Purse { budget: Some(cents(25)), first, max_calls: None };
        assert_eq!(purse.reserve(&account(0, 0, None), "champion", None), Ok(FIRST_RESERVE));
        assert_eq!(purse.reserve(&account(0, 15, None), "critic", None), Ok(cents(10)));
        assert_eq!(purse.reserve(&account(0, 25, None), "critic", None), Err(Stop::Budget));
        assert_eq!(purse.reserve(&account(16, 0, None), "critic", None), Err(Stop::Budget));
        assert_eq!(purse.reserve(&account(35, 0, None), "x", Some(Usd::ZERO)), Err(Stop::Budget));
        assert_eq!(purse.reserve(&account(25, 0, None), "x", Some(Usd::ZERO)), Ok(Usd::ZERO));
    }

    #[test]
    fn the_reserve_is_the_largest_cost_seen_and_never_zero_by_ignorance() {
        let purse = Purse::default();
        assert_eq!(purse.reserve_of("champion", Some(cents(40))), cents(40));
        assert_eq!(purse.reserve_of("champion", None), FIRST_RESERVE);
        assert_eq!(purse.reserve_of("champion", Some(Usd::ZERO)), FIRST_RESERVE);
    }

    #[test]
    fn the_number_of_calls_is_bounded_whatever_they_cost() {
        let purse = Purse { max_calls: Some(2), ..Purse::default() };
        let after = |calls| Account { calls, ..Account::default() };
        assert!(purse.reserve(&after(1), "x", Some(Usd::ZERO)).is_ok());
        assert_eq!(purse.reserve(&after(2), "x", Some(Usd::ZERO)), Err(Stop::Budget));
    }

    #[test]
    fn a_second_stop_kills_and_the_first_reason_stays() {
        let switch = Switch::default();
        let listener = switch.listen();
        switch.pause(true);
        assert_eq!(*listener.borrow(), Control::Pause);
        switch.stop(Stop::Cancelled(2));
        switch.pause(false);
        assert_eq!(*listener.borrow(), Control::Stop, "a stop is not taken back");
        switch.stop(Stop::Cancelled(15));
        assert_eq!(*listener.borrow(), Control::Kill);
        assert_eq!(switch.stopped(), Some(Stop::Cancelled(2)));
    }

    proptest! {
        /// P3 and P4: at every start reservations and spending fit the budget; the end passes it
        /// by no more than what the calls in flight cost beyond their reserves.
        #[test]
        fn p03_p04_spending_is_bounded(
            budget in 0u64..500,
            calls in prop::collection::vec((0u8..3, 0u64..80, any::<bool>()), 0..60),
        ) {
            let purse = Purse { budget: Some(cents(budget)), ..Purse::default() };
            let (mut account, mut over) = (Account::default(), Usd::ZERO);
            let mut live: Vec<Usd> = Vec::new();
            for (role, cost, settle) in calls {
                if let Ok(amount) = purse.reserve(&account, &format!("role{role}"), None) {
                    account.reserved += amount;
                    prop_assert!(account.spent + account.reserved <= cents(budget));
                    live.push(amount);
                }
                if settle && let Some(amount) = live.pop() {
                    over += cents(cost).saturating_sub(amount);
                    account.reserved = account.reserved.saturating_sub(amount);
                    account.spent += cents(cost);
                    account.largest = account.largest.max(Some(cents(cost)));
                }
            }
            prop_assert!(account.spent <= cents(budget) + over);
        }
    }
}
