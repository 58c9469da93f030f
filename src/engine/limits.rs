//! What a run may spend: money reserved before every call, a hard bound on calls, one switch that stops it.
//!
//! Money is reserved before a call is made and settled after it, so that
//! `spent + reserved <= budget` holds whenever a process is started. What is
//! spent in the end can pass the budget by at most the error of the reserves of
//! the calls in flight. A call whose cost is not known is charged its reserve.

use std::cell::Cell;
use std::collections::BTreeMap;

use tokio::sync::watch;

use crate::process::Control;
use crate::protocol::{Stop, Usd};

/// What is reserved for a role's call before any of its calls is known: 0.15 USD (`spec/backlog.md`).
pub const FIRST_RESERVE: Usd = Usd::from_micros(150_000);

/// The money of one run.
#[derive(Debug, Clone, Default)]
pub struct Purse {
    budget: Option<Usd>,
    spent: Usd,
    reserved: Usd,
    first: BTreeMap<String, Usd>,
    largest: BTreeMap<String, Usd>,
    calls: u32,
    max_calls: Option<u32>,
}

/// Money set aside for one call. Settle it; dropping it keeps the money aside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use = "a reservation that is not settled stays reserved"]
pub struct Reservation(Usd);

impl Reservation {
    /// Returns the amount set aside.
    pub fn amount(self) -> Usd {
        self.0
    }
}

impl Purse {
    /// Opens a purse.
    ///
    /// `budget`: the limit, if there is one. `first`: the reserve of each role's first call.
    /// `max_calls`: the most processes this run may start, whatever they cost.
    pub fn new(budget: Option<Usd>, first: BTreeMap<String, Usd>, max_calls: Option<u32>) -> Self {
        Self {
            budget,
            first,
            max_calls,
            ..Self::default()
        }
    }

    /// Counts what an earlier run of the session spent on a role, or on an interrupted call.
    pub fn carry(&mut self, role: &str, charged: Usd) {
        self.spent += charged;
        self.learn(role, charged);
    }

    fn learn(&mut self, role: &str, charged: Usd) {
        let largest = self.largest.entry(role.to_owned()).or_default();
        *largest = charged.max(*largest);
    }

    /// Returns what a role's next call reserves: the largest cost seen for it, at first the setting.
    pub fn reserve_of(&self, role: &str) -> Usd {
        match self.largest.get(role) {
            Some(largest) if *largest > Usd::ZERO => *largest,
            _ => self.first.get(role).copied().unwrap_or(FIRST_RESERVE),
        }
    }

    /// Reserves a call's cost. `declared` replaces the estimate where an agent's cost per call is configured.
    ///
    /// # Errors
    /// [`Stop::Budget`] if it does not fit into the budget, or the number of calls is used up.
    pub fn reserve(&mut self, role: &str, declared: Option<Usd>) -> Result<Reservation, Stop> {
        let amount = declared.unwrap_or_else(|| self.reserve_of(role));
        let fits = self
            .budget
            .is_none_or(|budget| self.spent + self.reserved + amount <= budget);
        if !fits || self.max_calls.is_some_and(|most| self.calls >= most) {
            return Err(Stop::Budget);
        }
        self.calls += 1;
        self.reserved += amount;
        Ok(Reservation(amount))
    }

    /// Gives a reservation back and counts what the call cost.
    pub fn settle(&mut self, role: &str, reservation: Reservation, charged: Usd) {
        self.reserved = self.reserved.saturating_sub(reservation.0);
        self.spent += charged;
        self.learn(role, charged);
    }

    /// Returns what was spent, earlier runs of the session included.
    pub fn spent(&self) -> Usd {
        self.spent
    }

    /// Returns the budget.
    pub fn budget(&self) -> Option<Usd> {
        self.budget
    }

    /// Returns how many calls were permitted in this run.
    pub fn calls(&self) -> u32 {
        self.calls
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
        Self {
            control: watch::Sender::new(Control::Run),
            why: Cell::new(None),
        }
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
            self.control
                .send_replace(if paused { Control::Pause } else { Control::Run });
        }
    }

    /// Returns why the run was stopped, if it was.
    pub fn stopped(&self) -> Option<Stop> {
        self.why.get()
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

    #[test]
    fn a_call_is_permitted_only_if_its_reserve_fits() {
        let first = BTreeMap::from([("critic".to_owned(), cents(10))]);
        let mut purse = Purse::new(Some(cents(25)), first, None);
        let champion = purse.reserve("champion", None).unwrap();
        assert_eq!(champion.amount(), FIRST_RESERVE);
        let critic = purse.reserve("critic", None).unwrap();
        assert_eq!(purse.reserve("critic", None), Err(Stop::Budget));
        purse.settle("champion", champion, cents(5));
        purse.settle("critic", critic, cents(30));
        assert_eq!(purse.spent(), cents(35), "an overspend is recorded in full");
        assert_eq!(purse.reserve("champion", None), Err(Stop::Budget));
    }

    #[test]
    fn the_reserve_is_the_largest_cost_seen_and_never_zero_by_ignorance() {
        let mut purse = Purse::new(None, BTreeMap::new(), None);
        let call = purse.reserve("champion", None).unwrap();
        purse.settle("champion", call, cents(40));
        assert_eq!(purse.reserve_of("champion"), cents(40));
        let call = purse.reserve("champion", None).unwrap();
        purse.settle("champion", call, cents(3));
        assert_eq!(purse.reserve_of("champion"), cents(40));
    }

    #[test]
    fn the_number_of_calls_is_bounded_whatever_they_cost() {
        let mut purse = Purse::new(None, BTreeMap::new(), Some(2));
        for _ in 0..2 {
            let call = purse.reserve("x", Some(Usd::ZERO)).unwrap();
            purse.settle("x", call, Usd::ZERO);
        }
        assert_eq!(purse.reserve("x", Some(Usd::ZERO)), Err(Stop::Budget));
    }

    #[test]
    fn a_second_stop_kills_and_the_first_reason_stays() {
        let switch = Switch::default();
        let listener = switch.listen();
        switch.pause(true);
        assert_eq!(*listener.borrow(), Control::Pause);
        switch.stop(Stop::Cancelled(2));
        switch.pause(false);
        assert_eq!(
            *listener.borrow(),
            Control::Stop,
            "a stop is not taken back"
        );
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
            let mut purse = Purse::new(Some(cents(budget)), BTreeMap::new(), None);
            let mut live: Vec<(String, Reservation)> = Vec::new();
            let mut over = Usd::ZERO;
            for (role, cost, settle) in calls {
                let role = format!("role{role}");
                if let Ok(reservation) = purse.reserve(&role, None) {
                    prop_assert!(purse.spent + purse.reserved <= cents(budget));
                    live.push((role, reservation));
                }
                if settle && let Some((role, reservation)) = live.pop() {
                    over += cents(cost).saturating_sub(reservation.amount());
                    purse.settle(&role, reservation, cents(cost));
                }
            }
            prop_assert!(purse.spent <= cents(budget) + over);
        }
    }
}
