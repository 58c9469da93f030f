//! Times as written by tools.

use chrono::{DateTime, NaiveDate, NaiveDateTime, TimeDelta, Utc};
use serde_json::Value;

use crate::text::sanitize;

/// How far another clock may be ahead before its time counts as in the future.
const SKEW: TimeDelta = TimeDelta::minutes(5);

/// From here on, a number is in milliseconds: in seconds it would be after the year 5138.
const MILLISECONDS: f64 = 1e11;

pub(super) fn past(value: &Value, now: DateTime<Utc>) -> Result<DateTime<Utc>, String> {
    let shown = || match value {
        Value::String(text) => format!("`{}`", sanitize::line(text, 60)),
        Value::Number(number) => format!("`{number}`"),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => "this".to_owned(),
    };
    let at = match value {
        Value::String(text) => text_time(text.trim()),
        Value::Number(number) => number.as_f64().and_then(epoch),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    };
    let at =
        at.ok_or_else(|| format!("{} is not a time (ISO 8601, or seconds since 1970)", shown()))?;
    if at > now + SKEW {
        return Err(format!("{} is in the future", shown()));
    }
    Ok(at)
}

/// Parses ISO 8601 with or without a zone (default UTC), or a number as text.
fn text_time(text: &str) -> Option<DateTime<Utc>> {
    if text.len() > 64 {
        return None;
    }
    let zoned = DateTime::parse_from_rfc3339(text)
        .or_else(|_| DateTime::parse_from_str(text, "%Y-%m-%dT%H:%M:%S%.f%z"))
        .or_else(|_| DateTime::parse_from_str(text, "%Y-%m-%d %H:%M:%S%.f %z"));
    if let Ok(zoned) = zoned {
        return Some(zoned.to_utc());
    }
    let naive = ["%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%dT%H:%M"]
        .iter()
        .find_map(|format| NaiveDateTime::parse_from_str(text, format).ok())
        .or_else(|| {
            let date = NaiveDate::parse_from_str(text, "%Y-%m-%d").ok()?;
            date.and_hms_opt(0, 0, 0)
        });
    naive.map(|naive| naive.and_utc()).or_else(|| text.parse().ok().and_then(epoch))
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the range is checked, and less than a millisecond does not matter"
)]
fn epoch(number: f64) -> Option<DateTime<Utc>> {
    if !number.is_finite() || !(0.0..1e15).contains(&number) {
        return None;
    }
    let milliseconds = if number < MILLISECONDS { number * 1000.0 } else { number };
    DateTime::from_timestamp_millis(milliseconds as i64)
}
