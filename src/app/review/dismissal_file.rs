//! The file of dismissals: its form, and how it is read.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::protocol::review::{Severity, SuppressionReason};
use crate::report::baseline::is_fingerprint;
use crate::text::{json, sanitize};

/// The file's name, at the root of the project.
pub const FILE: &str = "debate-agent.dismissals.json";

/// The version of the file that is read and written.
pub(crate) const VERSION: u32 = 1;

/// The file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Dismissals {
    /// Of the file's form: 1.
    pub version: u32,
    /// By file, then by fingerprint.
    pub dismissals: Vec<Dismissal>,
}

/// A finding that is not raised again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Dismissal {
    /// Of the finding: 16 hexadecimal digits. The only thing that it is known by.
    pub fingerprint: String,
    /// Where it was, for people.
    pub file: String,
    /// What it said, for people.
    pub title: String,
    /// How bad it was said to be.
    pub severity: Severity,
    /// Why it is none.
    pub why: String,
    /// When it was dismissed.
    pub at: DateTime<Utc>,
    /// Who dismissed it, if that was told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

/// Why the file cannot be understood. It does not name the file: the caller knows which revision's it is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DismissalsError {
    /// Its bytes are no UTF-8.
    #[error("it is not UTF-8 (at byte {0})")]
    NotUtf8(usize),
    /// It is no JSON.
    #[error("it is not JSON: {0}")]
    NotJson(#[from] json::JsonError),
    /// It has another form.
    #[error("it is of version {found}, and this program knows {VERSION}; update debate-agent")]
    Version {
        /// What it says.
        found: String,
    },
    /// A field is not what it must be.
    #[error("{place}: {problem}")]
    Malformed {
        /// Where: `dismissals[3].why`.
        place: String,
        /// What is wrong.
        problem: String,
    },
}

/// Reads the file: what is dismissed, by fingerprint.
///
/// # Errors
/// Anything in it is not understood.
pub fn read(bytes: &[u8]) -> Result<BTreeMap<String, SuppressionReason>, DismissalsError> {
    let known = parse(bytes)?.into_iter().map(|dismissal| {
        let Dismissal { why, severity, .. } = dismissal;
        (dismissal.fingerprint, SuppressionReason::Dismissed { why, severity })
    });
    // Of two of one fingerprint, as a merge leaves them, the first counts, as in the file's own order.
    let mut all = BTreeMap::new();
    for (fingerprint, known) in known {
        all.entry(fingerprint).or_insert(known);
    }
    Ok(all)
}

pub(crate) fn parse(bytes: &[u8]) -> Result<Vec<Dismissal>, DismissalsError> {
    let text = std::str::from_utf8(bytes)
        .map_err(|error| DismissalsError::NotUtf8(error.valid_up_to()))?;
    let value = json::parse(text.strip_prefix('\u{feff}').unwrap_or(text))?;
    // The version decides before the form: another one may have other fields.
    match value.get("version") {
        Some(version) if version.as_u64() == Some(u64::from(VERSION)) => {}
        None => return Err(malformed("version", "it is missing")),
        Some(Value::Number(other)) => {
            return Err(DismissalsError::Version { found: other.to_string() });
        }
        Some(_) => return Err(malformed("version", "it must be a number")),
    }
    let file: Dismissals = serde_path_to_error::deserialize(&value).map_err(|error| {
        malformed(
            &sanitize::line(&error.path().to_string(), 200),
            &sanitize::line(&error.inner().to_string(), 300),
        )
    })?;
    for (index, dismissal) in file.dismissals.iter().enumerate() {
        if !is_fingerprint(&dismissal.fingerprint) {
            let place = format!("dismissals[{index}].fingerprint");
            return Err(malformed(&place, "a fingerprint has 16 hexadecimal digits"));
        }
        if dismissal.why.trim().is_empty() {
            let place = format!("dismissals[{index}].why");
            return Err(malformed(&place, "a dismissal needs a reason"));
        }
    }
    Ok(file.dismissals)
}

fn malformed(place: &str, problem: &str) -> DismissalsError {
    DismissalsError::Malformed { place: place.to_owned(), problem: problem.to_owned() }
}
