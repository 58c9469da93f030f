//! The identity, dates and money of a session, which the engine adds to a protocol's outcome.

use chrono::{DateTime, Utc};

use super::{Cost, Usd};

/// The data a protocol does not know: ids, times and money.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stamp {
    pub session_id: String,
    /// When it began.
    pub started_at: DateTime<Utc>,
    /// When it was closed; `None` while it can be resumed.
    pub completed_at: Option<DateTime<Utc>>,
    pub budget: Usd,
    /// Its cost, including failed attempts and unfinished rounds; `None` if nothing was called.
    pub cost: Option<Cost>,
}
