//! The rules that `sessions decide --set KEY=VALUE` can change.

use crate::error::{Error, Kind};
use crate::kernel::share::Share;

/// Returns the error for a key that is no rule of a session; it lists the rules.
pub(crate) fn unknown_rule(key: &str, known: &[&str]) -> Error {
    Error::new(Kind::Usage, format!("`{key}` is no rule of this session"))
        .named("rule")
        .hint(format!("rules are {}", known.join(", ")))
}

/// Returns a configured number as a share, 0 to 1.
///
/// # Errors
/// It is not a share.
pub(crate) fn share(key: &str, value: f64) -> Result<Share, Error> {
    Share::nearest(value).ok_or_else(|| {
        let what = format!("`{key}` must be a number from 0 to 1, not {value}");
        Error::new(Kind::Usage, what).named("rule")
    })
}
