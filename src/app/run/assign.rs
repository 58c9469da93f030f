//! Parses the assignments of `sessions decide --set RULE=VALUE`: the same syntax for every protocol's rules.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

use crate::error::{Error, Kind};
use crate::kernel::share::Share;

/// Returns the error for an invalid assignment.
pub(crate) fn wrong(what: String) -> Error {
    Error::new(Kind::Usage, what).named("rule")
}

/// Returns the error for an unknown rule; it lists the known ones.
pub(crate) fn unknown_rule(name: &str, known: &[&str]) -> Error {
    wrong(format!("there is no rule `{name}`")).hint(format!("rules are {}", known.join(", ")))
}

/// Parses a rule's value as a share, 0 to 1.
///
/// # Errors
/// It is not a share.
pub(crate) fn share(name: &str, value: &str) -> Result<Share, Error> {
    (value.parse().ok())
        .and_then(Share::nearest)
        .ok_or_else(|| wrong(format!("`{name}` must be a number from 0 to 1, not `{value}`")))
}

/// Parses a rule's value as a whole number in a range.
///
/// # Errors
/// It is not a number in the range.
pub(crate) fn number<N: FromStr + PartialOrd + Display>(
    name: &str,
    value: &str,
    range: &RangeInclusive<N>,
) -> Result<N, Error> {
    (value.parse().ok()).filter(|number| range.contains(number)).ok_or_else(|| {
        let (least, most) = (range.start(), range.end());
        wrong(format!("`{name}` must be {least} to {most}, not `{value}`"))
    })
}
