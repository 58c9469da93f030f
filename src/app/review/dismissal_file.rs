//! The format of the file of dismissals, and its parser.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::protocol::review::{Severity, SuppressionReason};
use crate::report::baseline::is_fingerprint;
use crate::text::{json, sanitize};

/// The file's name; it is at the root of the project.
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
    /// Why it is not a finding.
    pub why: String,
    /// When it was dismissed.
    pub at: DateTime<Utc>,
    /// Who dismissed it, if that was told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

/// Why the file is invalid. It does not name the file: the caller knows which revision it is from.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DismissalsError {
    /// It is not UTF-8.
    #[error("it is not UTF-8 (at byte {0})")]
    NotUtf8(usize),
    /// It is not JSON.
    #[error("it is not JSON: {0}")]
    NotJson(#[from] json::JsonError),
    /// It has another schema version.
    #[error("its version is {found}, but this program knows {VERSION}; update debate-agent")]
    Version {
        /// The version in the file.
        found: String,
    },
    /// A field has an invalid value.
    #[error("{place}: {problem}")]
    Malformed {
        /// The field, for example `dismissals[3].why`.
        place: String,
        /// The problem.
        problem: String,
    },
}

/// Parses the file. Returns the dismissals by fingerprint.
///
/// # Errors
/// Anything in it is invalid.
pub fn read(bytes: &[u8]) -> Result<BTreeMap<String, SuppressionReason>, DismissalsError> {
    let known = parse(bytes)?.into_iter().map(|dismissal| {
        let Dismissal { why, severity, .. } = dismissal;
        (dismissal.fingerprint, SuppressionReason::Dismissed { why, severity })
    });
    // If a merge leaves two with one fingerprint, the first in the file counts.
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
    // The version is checked before the form: another version may have other fields.
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
