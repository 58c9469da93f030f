//! pytest's cache of the tests that failed last. What it prints is not read: it can write JUnit XML.

use std::collections::BTreeMap;

use super::case::{MalformedReport, Name, Outcome, ParsedReport, Raw};

/// Parses the last-failed cache, an object whose keys are node ids.
///
/// # Errors
/// It is something else.
pub fn last_failed(bytes: &[u8]) -> Result<ParsedReport, MalformedReport> {
    let found: BTreeMap<String, bool> =
        serde_json::from_slice(bytes).map_err(|error| MalformedReport {
            line: u64::try_from(error.line()).unwrap_or(u64::MAX).max(1),
            why: format!("it is not a last-failed cache of pytest: {error}"),
        })?;
    let mut parsed = ParsedReport::default();
    for (node, failed) in found {
        if failed {
            parsed.push(Raw {
                name: Name::Node(node),
                outcome: Outcome::Failed,
                message: String::new(),
                text: String::new(),
                suite: 0,
                line: None,
            });
        }
    }
    Ok(parsed)
}
