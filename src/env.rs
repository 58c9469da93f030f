//! The only place that reads the clock, the process's variables and randomness.
//!
//! Everything else receives these as arguments: an [`Env`] for time and randomness, plain values for variables. So
//! protocols and text stay pure, and a test can choose what a run sees. Clippy enforces the rule
//! (`disallowed-methods`).

use std::ffi::OsString;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use chrono::{DateTime, FixedOffset, Local, Utc};
use sha2::{Digest as _, Sha256};
use uuid::{Builder, NoContext, Timestamp, Uuid};

use crate::ordered::{BTreeMap, Gather};

/// A run's source of time and randomness. Clones share their source.
#[derive(Debug, Clone)]
pub struct Env(Source);

#[derive(Debug, Clone)]
enum Source {
    System,
    Fixed(Arc<FixedEnv>),
}

#[derive(Debug)]
struct FixedEnv {
    at: DateTime<Utc>,
    seed: u64,
    drawn: AtomicU64,
}

impl Env {
    /// The system's clock and randomness.
    pub const fn system() -> Self {
        Self(Source::System)
    }

    /// A clock fixed at `at` and draws determined by `seed` and their order, so that a run can be repeated exactly.
    pub fn fixed(at: DateTime<Utc>, seed: u64) -> Self {
        Self(Source::Fixed(Arc::new(FixedEnv { at, seed, drawn: AtomicU64::new(0) })))
    }

    /// Returns the wall-clock time. Used only for time stamps, never for order or durations.
    #[expect(clippy::disallowed_methods, reason = "the one place that reads the clock")]
    pub fn now(&self) -> DateTime<Utc> {
        match &self.0 {
            // Not `Utc::now`, which panics if the clock is before 1970.
            Source::System => SystemTime::now().into(),
            Source::Fixed(fixed) => fixed.at,
        }
    }

    /// Returns the same in the user's time zone.
    pub fn here(&self) -> DateTime<FixedOffset> {
        match &self.0 {
            Source::System => self.now().with_timezone(&Local).fixed_offset(),
            Source::Fixed(fixed) => fixed.at.fixed_offset(),
        }
    }

    /// Draws a session id: a `UUIDv7`, so that ids sort by creation time.
    #[expect(clippy::disallowed_methods, reason = "the one place that draws ids")]
    pub fn session_id(&self) -> String {
        let now = self.now();
        let id = match &self.0 {
            // A time before 1970 cannot be part of an id, and `now_v7` panics.
            _ if now < DateTime::UNIX_EPOCH => Uuid::new_v7(Timestamp::from_unix(NoContext, 0, 0)),
            Source::System => Uuid::now_v7(),
            Source::Fixed(fixed) => {
                let millis = now.timestamp_millis().unsigned_abs();
                let bits = fixed.draw();
                let mut random = [0; 10];
                random.copy_from_slice(&bits[..10]);
                Builder::from_unix_timestamp_millis(millis, &random).into_uuid()
            }
        };
        id.to_string()
    }

    /// Draws 32 hexadecimal digits, for boundaries and names visible to people.
    pub fn token(&self) -> String {
        self.uuid().simple().to_string()
    }

    /// Draws a seed for shuffles (kept in the journal, so that a replay gives the same order).
    pub fn seed(&self) -> u64 {
        self.uuid().as_u64_pair().0
    }

    #[expect(clippy::disallowed_methods, reason = "the one place that draws ids")]
    fn uuid(&self) -> Uuid {
        match &self.0 {
            Source::System => Uuid::new_v4(),
            Source::Fixed(fixed) => Builder::from_random_bytes(fixed.draw()).into_uuid(),
        }
    }
}

/// Draws 32 unique hexadecimal digits, for tags of processes and names of temporary files: no [`Env`] fixes these,
/// since two runs sharing one would end each other's processes.
#[expect(clippy::disallowed_methods, reason = "the one place that draws ids")]
pub fn unique() -> String {
    Uuid::new_v4().simple().to_string()
}

impl FixedEnv {
    fn draw(&self) -> [u8; 16] {
        let number = self.drawn.fetch_add(1, Ordering::Relaxed);
        let mut hash = Sha256::new();
        hash.update(self.seed.to_le_bytes());
        hash.update(number.to_le_bytes());
        let mut bits = [0; 16];
        bits.copy_from_slice(&hash.finalize()[..16]);
        bits
    }
}

/// Returns a variable if it is set, valid UTF-8 and not empty.
#[expect(clippy::disallowed_methods, reason = "the one place that reads variables")]
pub fn var(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// Returns a variable as the system stores it.
#[expect(clippy::disallowed_methods, reason = "the one place that reads variables")]
pub fn var_os(name: &str) -> Option<OsString> {
    std::env::var_os(name)
}

/// Returns every variable whose name and value are UTF-8, sorted by name.
#[expect(clippy::disallowed_methods, reason = "the one place that reads variables")]
pub fn all_vars() -> BTreeMap<String, String> {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .gather()
}
