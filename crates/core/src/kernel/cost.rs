//! Money: integer micro-dollars, and the basis of a figure.
//!
//! Floats never hold money here: `NaN >= budget` is false, and sums drift. A cost that is not known
//! is never 0; it is the reservation, and marked as such.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign};

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// US dollars in millionths. Serializes as a JSON number of dollars.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Usd(u64);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not an amount in US dollars between 0 and 1,000,000")]
pub struct InvalidUsd(pub String);

/// The largest amount accepted anywhere: 1,000,000 USD.
const MAX_MICROS: u64 = 1_000_000_000_000;

impl Usd {
    pub const ZERO: Self = Self(0);

    /// Creates an amount from millionths of a dollar, capped at 1,000,000 USD.
    pub const fn from_micros(micros: u64) -> Self {
        Self(if micros > MAX_MICROS { MAX_MICROS } else { micros })
    }

    /// Returns the amount in millionths of a dollar.
    pub const fn micros(self) -> u64 {
        self.0
    }

    /// Creates an amount from a number of dollars, rounded up to the next millionth.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "the range is checked first"
    )]
    pub fn from_dollars(dollars: f64) -> Result<Self, InvalidUsd> {
        let micros = dollars * 1e6;
        if !micros.is_finite()
            || dollars.is_sign_negative() && micros != 0.0
            || micros > MAX_MICROS as f64
        {
            return Err(InvalidUsd(dollars.to_string()));
        }
        // 0.31 * 1e6 is 310000.00000000006: round to the nearest thousandth of a micro first.
        Ok(Self(((micros * 1e3).round() / 1e3).ceil() as u64))
    }

    /// Returns the amount in dollars, for display and JSON only.
    #[expect(clippy::cast_precision_loss, reason = "below 2^53 by construction")]
    pub fn dollars(self) -> f64 {
        self.0 as f64 / 1e6
    }

    /// Subtracts, stopping at zero.
    #[must_use]
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Add for Usd {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Usd {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sum for Usd {
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(Self::ZERO, Add::add)
    }
}

impl fmt::Display for Usd {
    /// Writes whole cents, for people: `$0.31`; less than a cent is not nothing: `<$0.01`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if (1..10_000).contains(&self.0) {
            return f.write_str("<$0.01");
        }
        let cents = (self.0 + 5_000) / 10_000;
        write!(f, "${}.{:02}", cents / 100, cents % 100)
    }
}

impl std::str::FromStr for Usd {
    type Err = InvalidUsd;
    fn from_str(text: &str) -> Result<Self, InvalidUsd> {
        let number: f64 =
            text.trim().trim_start_matches('$').parse().map_err(|_| InvalidUsd(text.to_owned()))?;
        Self::from_dollars(number).map_err(|_| InvalidUsd(text.to_owned()))
    }
}

impl Serialize for Usd {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.dollars())
    }
}

impl<'de> Deserialize<'de> for Usd {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::from_dollars(f64::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for Usd {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Usd".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "number", "minimum": 0, "maximum": 1_000_000, "description": "US dollars" })
    }
}

/// What a budget lacks for the calls that come next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Shortfall {
    /// What they would reserve together.
    pub reserve_usd: Usd,
    /// The smallest budget that covers them on top of what is spent, in whole cents.
    pub budget_usd: Usd,
}

impl Shortfall {
    /// Returns the shortfall; `None` if the reserve fits into the budget.
    pub fn of(budget: Usd, spent: Usd, reserve: Usd) -> Option<Self> {
        const CENT: u64 = 10_000;
        let needed = spent + reserve;
        (needed > budget).then(|| Self {
            reserve_usd: reserve,
            budget_usd: Usd::from_micros(needed.micros().div_ceil(CENT) * CENT),
        })
    }

    /// Returns the option for a sufficient budget: `--budget 0.31`.
    pub fn option(self) -> String {
        format!("--budget {}", self.budget_usd.to_string().replace('$', ""))
    }
}

/// Where a cost's figure comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// The CLI said so.
    Reported,
    /// Tokens times the price table.
    Estimated,
    /// The configured figure, or the reservation, because nothing else is known.
    Declared,
    /// Nothing: the call was refused before any work, and the CLI reported no usage.
    Refused,
    /// A sum over calls of different kinds.
    Mixed,
}

impl Basis {
    /// Combines the bases of two figures in one sum. A refused call adds nothing, so it does not
    /// make a figure less certain.
    #[must_use]
    pub fn join(self, other: Self) -> Self {
        match (self, other) {
            (Self::Refused, basis) | (basis, Self::Refused) => basis,
            _ if self == other => self,
            _ => Self::Mixed,
        }
    }
}

/// What one or more calls cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Cost {
    /// The amount.
    pub usd: Usd,
    /// Where the figure comes from.
    pub basis: Basis,
}

impl Cost {
    /// The cost of a call of which only the reservation is known.
    pub const fn declared(usd: Usd) -> Self {
        Self { usd, basis: Basis::Declared }
    }

    /// The cost of a call that was refused before any work.
    pub const fn refused() -> Self {
        Self { usd: Usd::ZERO, basis: Basis::Refused }
    }

    /// Adds another cost of the same sum.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self { usd: self.usd + other.usd, basis: self.basis.join(other.basis) }
    }

    /// Sums the known costs; `None` if there is none.
    pub fn sum(costs: impl IntoIterator<Item = Self>) -> Option<Self> {
        costs.into_iter().reduce(Self::plus)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dollars_become_exact_micros() {
        for (text, micros) in [
            ("0.31", 310_000),
            ("$2.50", 2_500_000),
            ("0", 0),
            ("0.0000001", 1),
            ("1000000", MAX_MICROS),
        ] {
            assert_eq!(text.parse::<Usd>().unwrap().micros(), micros, "{text}");
        }
    }

    #[test]
    fn what_is_no_money_is_refused() {
        for text in ["-1", "NaN", "inf", "1e12", "", "two", "-0.000001"] {
            assert!(text.parse::<Usd>().is_err(), "{text}");
        }
    }

    #[test]
    fn amounts_are_shown_in_whole_cents_and_a_little_is_not_nothing() {
        for (micros, text) in [
            (0, "$0.00"),
            (1, "<$0.01"),
            (9_999, "<$0.01"),
            (26_632, "$0.03"),
            (310_000, "$0.31"),
            (12_000_000, "$12.00"),
        ] {
            assert_eq!(Usd::from_micros(micros).to_string(), text);
        }
    }

    #[test]
    fn a_shortfall_names_whole_cents() {
        let micros = Usd::from_micros;
        let short = |budget, spent| Shortfall::of(micros(budget), micros(spent), micros(150_000));
        assert_eq!(short(160_000, 10_000), None);
        let missing = short(160_000, 10_001).unwrap();
        assert_eq!(missing.reserve_usd, micros(150_000));
        assert_eq!(missing.budget_usd, micros(170_000));
    }

    #[test]
    fn a_sum_of_two_bases_is_mixed() {
        let a = Cost { usd: Usd::from_micros(1), basis: Basis::Reported };
        let b = Cost { usd: Usd::from_micros(2), basis: Basis::Declared };
        assert_eq!(Cost::sum([a, b]), Some(Cost { usd: Usd::from_micros(3), basis: Basis::Mixed }));
        assert_eq!(Cost::sum([a, a]).unwrap().basis, Basis::Reported);
        assert_eq!(Cost::sum([Cost::refused(), a]), Some(a));
        assert_eq!(Cost::sum([b, Cost::refused()]), Some(b));
    }

    #[test]
    fn no_amount_is_below_nothing_or_above_a_million() {
        let micros = Usd::from_micros;
        for (given, kept) in
            [(0, 0), (MAX_MICROS, MAX_MICROS), (MAX_MICROS + 1, MAX_MICROS), (u64::MAX, MAX_MICROS)]
        {
            assert_eq!(micros(given).micros(), kept);
        }
        assert_eq!(micros(5).saturating_sub(micros(3)), micros(2));
        assert_eq!(micros(3).saturating_sub(micros(5)), Usd::ZERO);
        let mut sum: Usd = [1, 2, 3].map(micros).into_iter().sum();
        sum += micros(4);
        assert_eq!(sum, micros(10));
    }

    #[test]
    fn json_holds_dollars() {
        for (micros, json) in [(310_000, "0.31"), (2_500_000, "2.5"), (0, "0.0"), (1, "1e-6")] {
            let usd = Usd::from_micros(micros);
            assert_eq!(serde_json::to_string(&usd).unwrap(), json);
            assert_eq!(serde_json::from_str::<Usd>(json).unwrap(), usd);
        }
        let refused = serde_json::from_str::<Usd>("-1").unwrap_err().to_string();
        assert_eq!(refused, "`-1` is not an amount in US dollars between 0 and 1,000,000");
        let schema = schemars::schema_for!(Cost);
        let usd = &schema.as_value()["properties"]["usd"];
        assert_eq!((&usd["type"], &usd["maximum"]), (&"number".into(), &1_000_000.into()));
    }

    #[test]
    fn the_option_that_gives_enough_has_no_sign() {
        let short = Shortfall::of(Usd::ZERO, Usd::from_micros(1), Usd::from_micros(300_001));
        assert_eq!(short.unwrap().option(), "--budget 0.31");
    }
}
