//! Parses times as other programs write them.

use chrono::{DateTime, NaiveDateTime, Utc};
use serde::{Deserialize, Deserializer, de};

use crate::text::sanitize;

/// Parses a time. Jira writes its zone without a colon; Python's `isoformat()` writes none, which counts as UTC.
///
/// # Errors
/// A message, if the text is not a time.
pub(crate) fn time(written: &str) -> Result<DateTime<Utc>, String> {
    let zoned = DateTime::parse_from_rfc3339(written).map(|time| time.to_utc());
    let plain =
        || DateTime::parse_from_str(written, "%Y-%m-%dT%H:%M:%S%.f%z").map(|time| time.to_utc());
    let naive = || {
        NaiveDateTime::parse_from_str(written, "%Y-%m-%dT%H:%M:%S%.f").map(|time| time.and_utc())
    };
    let read = zoned.or_else(|_| plain()).or_else(|_| naive());
    read.map_err(|_| {
        let shown = sanitize::line(written, 64);
        format!("`{shown}` is not a time like 2026-01-31T12:00:00Z")
    })
}

pub(super) fn required<'de, D: Deserializer<'de>>(from: D) -> Result<DateTime<Utc>, D::Error> {
    time(&String::deserialize(from)?).map_err(de::Error::custom)
}

/// Deserialises a time of a record that may be `null`.
pub(super) fn optional<'de, D: Deserializer<'de>>(
    from: D,
) -> Result<Option<DateTime<Utc>>, D::Error> {
    let written = Option::<String>::deserialize(from)?;
    let read = written.map(|written| time(&written)).transpose();
    read.map_err(de::Error::custom)
}
