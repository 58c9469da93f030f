//! A number between 0 and 1, in thousandths, so that decisions compare whole numbers.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A share from 0 to 1, in thousandths. In JSON a number: `0.85`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Share(u16);

impl Share {
    pub const ZERO: Self = Self(0);
    pub const ONE: Self = Self(1000);

    /// Creates a share from thousandths, capped at 1,000.
    pub const fn thousandths(thousandths: u16) -> Self {
        Self(if thousandths > 1000 { 1000 } else { thousandths })
    }

    /// Returns `part` of `whole`, rounded down, so that a threshold is never reached by rounding; `None` if `whole` is
    /// 0.
    pub fn of(part: u64, whole: u64) -> Option<Self> {
        let scaled = u128::from(part.min(whole)).checked_mul(1000)?;
        let share = scaled.checked_div(u128::from(whole))?;
        u16::try_from(share).ok().map(Self)
    }

    /// Returns the share nearest to a number; `None` outside 0 to 1.
    pub fn nearest(number: f64) -> Option<Self> {
        if !(0.0..=1.0).contains(&number) {
            return None;
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the number is between 0 and 1000"
        )]
        let thousandths = (number * 1000.0).round() as u16;
        Some(Self(thousandths))
    }

    /// Returns the number of thousandths.
    pub const fn get(self) -> u16 {
        self.0
    }

    /// Returns the share as a number from 0 to 1.
    pub fn number(self) -> f64 {
        f64::from(self.0) / 1000.0
    }

    /// Returns the whole percentage, rounded down.
    pub const fn percent(self) -> u16 {
        self.0 / 10
    }
}

impl fmt::Display for Share {
    /// Writes a percentage, with a decimal if needed: `85%`, `72.5%`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 % 10 {
            0 => write!(f, "{}%", self.0 / 10),
            tenths => write!(f, "{}.{tenths}%", self.0 / 10),
        }
    }
}

impl Serialize for Share {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.number())
    }
}

impl<'de> Deserialize<'de> for Share {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = f64::deserialize(deserializer)?;
        Self::nearest(number)
            .ok_or_else(|| serde::de::Error::custom(format!("{number} is not between 0 and 1")))
    }
}

impl JsonSchema for Share {
    fn schema_name() -> Cow<'static, str> {
        "Share".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "number", "minimum": 0, "maximum": 1 })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_share_is_rounded_down_and_a_number_to_the_nearest() {
        assert_eq!(Share::of(2, 3), Some(Share::thousandths(666)));
        assert_eq!(Share::of(17, 20), Some(Share::thousandths(850)));
        assert_eq!(Share::of(3, 2), Some(Share::ONE));
        assert_eq!(Share::of(0, 0), None);
        assert_eq!(Share::thousandths(1001), Share::ONE);
        assert_eq!(Share::nearest(0.85), Some(Share::thousandths(850)));
        for outside in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
            assert_eq!(Share::nearest(outside), None);
        }
        let shown = [850, 725, 0, 1000, 5].map(|n| Share::thousandths(n).to_string());
        assert_eq!(shown, ["85%", "72.5%", "0%", "100%", "0.5%"]);
    }

    #[test]
    fn it_reads_back_as_it_was_written() {
        for thousandths in 0..=1000 {
            let share = Share::thousandths(thousandths);
            let text = serde_json::to_string(&share).unwrap();
            assert_eq!(serde_json::from_str::<Share>(&text).unwrap(), share);
        }
        assert!(serde_json::from_str::<Share>("1.5").is_err());
        assert_eq!(serde_json::from_str::<Share>("1").unwrap(), Share::ONE);
    }

    #[test]
    fn a_share_is_given_as_thousandths_percent_and_a_number() {
        let share = Share::thousandths(729);
        assert_eq!((share.get(), share.percent()), (729, 72));
        assert!((share.number() - 0.729).abs() < f64::EPSILON);
        let schema = schemars::schema_for!(Share);
        let schema = schema.as_value();
        let limits = (&schema["title"], &schema["minimum"], &schema["maximum"]);
        assert_eq!(limits, (&"Share".into(), &0.into(), &1.into()));
    }

    proptest! {
        #[test]
        fn no_numbers_overflow(part in any::<u64>(), whole in any::<u64>()) {
            let share = Share::of(part, whole);
            prop_assert_eq!(share.is_none(), whole == 0);
            prop_assert!(share.is_none_or(|share| share <= Share::ONE));
        }
    }
}
