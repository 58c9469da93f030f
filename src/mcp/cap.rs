//! The spending cap of one server process, whatever its clients ask for.
//!
//! A run is lent an amount before it begins and returns the unspent part when it ends. So with any number of
//! concurrent runs, `spent + lent <= most` whenever one begins. A run exceeds the amount lent by no more than the
//! excess of its last step's calls over what was set aside for them (`engine::budget`).

use crate::kernel::Usd;

/// The account of a server's money.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Account {
    pub(crate) most: Usd,
    pub(crate) spent: Usd,
    /// Lent to runs that are still live.
    pub(crate) lent: Usd,
}

impl Account {
    /// Returns the amount that is neither spent nor lent.
    pub(crate) fn left(self) -> Usd {
        self.most.saturating_sub(self.spent + self.lent)
    }

    /// Lends what is left, at most `wanted`. `None`: nothing is left.
    pub(crate) fn lend(&mut self, wanted: Usd) -> Option<Usd> {
        let lent = wanted.min(self.left());
        if lent == Usd::ZERO && wanted > Usd::ZERO {
            return None;
        }
        self.lent += lent;
        Some(lent)
    }

    /// Takes back a loan; `spent` of it is gone, which can exceed what was lent.
    pub(crate) fn settle(&mut self, lent: Usd, spent: Usd) {
        self.lent = self.lent.saturating_sub(lent);
        self.spent += spent;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn usd(micros: u64) -> Usd {
        Usd::from_micros(micros)
    }

    #[test]
    fn what_was_not_spent_comes_back() {
        let mut cap = Account { most: usd(100), ..Account::default() };
        assert_eq!(cap.lend(usd(70)), Some(usd(70)));
        assert_eq!(cap.lend(usd(70)), Some(usd(30)), "only what is left");
        assert_eq!(cap.lend(usd(1)), None);
        cap.settle(usd(70), usd(20));
        // 100 - 20 spent - 30 lent.
        assert_eq!(cap.lend(usd(70)), Some(usd(50)));
    }

    #[test]
    fn what_was_spent_beyond_the_loan_is_missing_for_the_next() {
        let mut cap = Account { most: usd(100), ..Account::default() };
        assert_eq!(cap.lend(usd(50)), Some(usd(50)));
        cap.settle(usd(50), usd(60));
        assert_eq!(cap.lend(usd(100)), Some(usd(40)));
        cap.settle(usd(40), usd(90));
        assert_eq!(cap.lend(usd(1)), None, "150 of 100 is gone");
    }

    #[test]
    fn what_costs_nothing_needs_nothing() {
        let mut cap = Account { most: Usd::ZERO, ..Account::default() };
        assert_eq!(cap.lend(usd(1)), None);
        assert_eq!(cap.lend(Usd::ZERO), Some(Usd::ZERO));
    }

    #[test]
    fn amounts_beyond_every_bound_lend_nothing_more() {
        let mut cap = Account { most: usd(u64::MAX), ..Account::default() };
        assert_eq!(cap.lend(usd(u64::MAX)), Some(usd(u64::MAX)));
        cap.settle(usd(u64::MAX), usd(u64::MAX));
        assert_eq!(cap.lend(usd(1)), None);
        cap.settle(Usd::ZERO, usd(u64::MAX));
        assert_eq!(cap.lend(usd(1)), None);
    }

    proptest! {
        /// Holds whatever runs ask for and cost, and in whichever order they end.
        #[test]
        fn what_is_spent_and_lent_fits_whenever_a_run_begins(
            most in 0u64..1_000,
            steps in prop::collection::vec((0u64..400, 0u64..400, any::<prop::sample::Index>(), any::<bool>()), 0..80),
        ) {
            let mut cap = Account { most: usd(most), ..Account::default() };
            let (mut live, mut spent, mut beyond): (Vec<u64>, u64, u64) = Default::default();
            for (wanted, cost, which, ends) in steps {
                if ends && !live.is_empty() {
                    let lent = live.swap_remove(which.index(live.len()));
                    cap.settle(usd(lent), usd(cost));
                    spent += cost;
                    beyond += cost.saturating_sub(lent);
                }
                let before = spent + live.iter().sum::<u64>();
                match cap.lend(usd(wanted)) {
                    Some(lent) => {
                        let lent = lent.micros();
                        prop_assert!(lent <= wanted);
                        prop_assert!(lent == 0 || before + lent <= most);
                        prop_assert_eq!(lent, wanted.min(most.saturating_sub(before)));
                        live.push(lent);
                    }
                    None => prop_assert!(before >= most && wanted > 0),
                }
            }
            prop_assert!(spent <= most + beyond);
        }
    }
}
