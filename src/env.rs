//! The only place that reads the clock, the process's variables and randomness.
//!
//! Everything else receives these values as arguments, so that protocols and
//! text stay pure and a test can choose what a run sees. Clippy holds the rule
//! (`disallowed-methods`).

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::time::SystemTime;

use chrono::{DateTime, Utc};
use uuid::{NoContext, Timestamp, Uuid};

/// Returns the wall clock's time. Used for stamps only, never for order or durations.
#[expect(clippy::disallowed_methods, reason = "the one place that reads the clock")]
pub fn now() -> DateTime<Utc> {
    // Not `Utc::now`, which panics where the clock stands before 1970.
    SystemTime::now().into()
}

/// Draws a session id: a `UUIDv7`, so that ids sort by the time they were drawn.
#[expect(clippy::disallowed_methods, reason = "the one place that draws ids")]
pub fn new_session_id() -> String {
    if now() < DateTime::UNIX_EPOCH {
        // A time before 1970 has no place in an id, and `now_v7` panics.
        return Uuid::new_v7(Timestamp::from_unix(NoContext, 0, 0)).to_string();
    }
    Uuid::now_v7().to_string()
}

/// Draws 32 hexadecimal digits of randomness, for boundaries, tags and temporary names.
#[expect(clippy::disallowed_methods, reason = "the one place that draws ids")]
pub fn random_token() -> String {
    Uuid::new_v4().simple().to_string()
}

/// Draws a seed for shuffles (kept in the journal, so a replay shuffles alike).
#[expect(clippy::disallowed_methods, reason = "the one place that draws ids")]
pub fn random_seed() -> u64 {
    Uuid::new_v4().as_u64_pair().0
}

/// Returns one variable if it is set, valid UTF-8 and not empty.
#[expect(clippy::disallowed_methods, reason = "the one place that reads variables")]
pub fn var(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// Returns one variable as the system holds it.
#[expect(clippy::disallowed_methods, reason = "the one place that reads variables")]
pub fn var_os(name: &str) -> Option<OsString> {
    std::env::var_os(name)
}

/// Returns every variable whose name and value are UTF-8, sorted by name.
#[expect(clippy::disallowed_methods, reason = "the one place that reads variables")]
pub fn all_vars() -> BTreeMap<String, String> {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect()
}
