//! The rules that `sessions decide --set KEY=VALUE` can change.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::kind::wrong_input;
use crate::error::{Error, Kind};
use crate::kernel::share::Share;

/// Sets one rule to the value that `fresh` has for it: the setting that the key ends with.
///
/// # Errors
/// The key is none of `known`.
pub(crate) fn assign<S: Serialize + DeserializeOwned>(
    settings: &mut S,
    fresh: &S,
    key: &str,
    known: &[&str],
) -> Result<(), Error> {
    let name = key.rsplit('.').next().filter(|_| known.contains(&key));
    let name = name.ok_or_else(|| unknown_rule(key, known))?;
    let json = |settings: &S| serde_json::to_value(settings).map_err(wrong_input);
    let mut all = json(settings)?;
    all[name] = json(fresh)?[name].take();
    *settings = serde_json::from_value(all).map_err(wrong_input)?;
    Ok(())
}

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
