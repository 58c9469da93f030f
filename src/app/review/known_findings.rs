//! The file of known findings: its format, and its parser. It is read strictly, since a misread entry would either
//! hide a finding or raise a known one again.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::protocol::review::{Severity, SuppressionReason};
use crate::text::json;

/// The file's name; it is at the root of the project.
pub const FILE: &str = "debate-agent.known-findings.json";

/// The version of the file that is read and written.
pub(crate) const VERSION: u32 = 1;

/// The file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KnownFindings {
    /// Of the file's form: 1.
    pub version: u32,
    /// By file, then by fingerprint.
    pub findings: Vec<KnownFinding>,
}

/// A finding that is not raised again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KnownFinding {
    /// Of the finding: 16 hexadecimal digits. The only thing that it is known by.
    pub fingerprint: String,
    /// Where it was, for people.
    pub file: String,
    /// What it said, for people.
    pub title: String,
    /// How bad it was said to be: what is worse at the same place is raised.
    pub severity: Severity,
    /// Why it is not raised again.
    pub why: String,
    /// When it was dismissed.
    pub at: DateTime<Utc>,
    /// Who dismissed it, if that was told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

/// Parses the file. Returns the findings by fingerprint.
///
/// # Errors
/// What is invalid, and where. The file is not named: the caller knows which revision it is from.
pub(crate) fn read(bytes: &[u8]) -> Result<BTreeMap<String, SuppressionReason>, String> {
    let mut all = BTreeMap::new();
    // If a merge leaves two with one fingerprint, the first in the file counts.
    for KnownFinding { fingerprint, why, severity, .. } in parse(bytes)? {
        all.entry(fingerprint).or_insert(SuppressionReason { why, severity });
    }
    Ok(all)
}

pub(crate) fn parse(bytes: &[u8]) -> Result<Vec<KnownFinding>, String> {
    let file: KnownFindings =
        json::versioned(bytes, "version", VERSION).map_err(|error| error.to_string())?;
    for (index, finding) in file.findings.iter().enumerate() {
        if !is_fingerprint(&finding.fingerprint) {
            let place = format!("findings[{index}].fingerprint");
            return Err(format!("{place}: a fingerprint has 16 hexadecimal digits"));
        }
        if finding.why.trim().is_empty() {
            return Err(format!("findings[{index}].why: a dismissal needs a reason"));
        }
    }
    Ok(file.findings)
}

/// Whether this is the fingerprint of a finding: 16 lower-case hexadecimal digits.
pub(crate) fn is_fingerprint(text: &str) -> bool {
    text.len() == 16
        && (text.bytes()).all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn entry(fingerprint: &str, why: &str) -> Value {
        json!({
            "fingerprint": fingerprint, "file": "src/a.rs", "title": "T", "severity": "P1",
            "why": why, "at": "2026-11-22T05:00:00Z"
        })
    }

    fn file(findings: &[Value]) -> Value {
        json!({"version": 1, "findings": findings})
    }

    fn read_value(value: &Value) -> Result<BTreeMap<String, SuppressionReason>, String> {
        read(value.to_string().as_bytes())
    }

    #[test]
    fn each_finding_is_known_by_its_fingerprint_and_of_two_the_first_counts() {
        let (a, b) = ("00000000000000aa", "00000000000000bb");
        let known = read_value(&file(&[entry(b, "two"), entry(a, "one"), entry(b, "x")])).unwrap();
        let reason = |why: &str| SuppressionReason { why: why.into(), severity: Severity::P1 };
        let expected =
            BTreeMap::from([(a.to_owned(), reason("one")), (b.to_owned(), reason("two"))]);
        assert_eq!(known, expected);
        assert!(read_value(&file(&[])).unwrap().is_empty());
    }

    #[test]
    fn what_is_not_understood_is_an_error_that_names_the_place() {
        let good = entry("00000000000000aa", "why");
        let with = |name: &str, value: Value| {
            let mut entry = good.clone();
            entry[name] = value;
            file(&[good.clone(), entry])
        };
        let without = |name: &str| {
            let mut entry = good.clone();
            entry.as_object_mut().unwrap().remove(name);
            file(&[entry])
        };
        for (value, says) in [
            (json!([]), "version: it is missing"),
            (json!({"findings": []}), "version: it is missing"),
            (json!({"version": "1", "findings": []}), "its version is \"1\""),
            (json!({"version": 2, "x": []}), "its version is 2, but this program knows 1"),
            (json!({"version": 1.5, "findings": []}), "its version is 1.5"),
            (json!({"version": 1}), "missing field `findings`"),
            (json!({"version": 1, "findings": {}}), "findings: invalid type"),
            (json!({"version": 1, "findings": [], "known": []}), "unknown field `known`"),
            (with("why", json!("  ")), "findings[1].why: a dismissal needs a reason"),
            (with("why", json!(3)), "findings[1].why: invalid type"),
            (with("fingerprint", json!("F3")), "findings[1].fingerprint: a fingerprint has 16"),
            (with("fingerprint", json!("00000000000000AA")), "findings[1].fingerprint"),
            (with("severity", json!("P7")), "findings[1].severity: unknown variant"),
            (with("at", json!("today")), "findings[1].at"),
            (with("wyh", json!("x")), "unknown field `wyh`"),
            (without("why"), "missing field `why`"),
            (without("fingerprint"), "missing field `fingerprint`"),
        ] {
            let error = read_value(&value).unwrap_err();
            assert!(error.contains(says), "{value}: {error}");
        }
        for (bytes, says) in [
            (&br#"{"version": 1, "version": 1, "findings": []}"#[..], "it is not JSON"),
            (b"", "it is not JSON"),
            (b"{}\xff", "it is not UTF-8 (at byte 2)"),
        ] {
            let error = read(bytes).unwrap_err();
            assert!(error.starts_with(says), "{error}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_end_in_an_answer(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            prop_assert!(read(&bytes).is_err());
        }
    }
}
