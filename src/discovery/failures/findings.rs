//! Failing tests as findings.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};

use super::case::{Outcome, TestCase};
use super::cut;
use super::naming::WHOLE_FILE;
use super::score::score;
use crate::discovery::finding::{Finding, Rule};
use crate::protocol::backlog::model::Evidence;
use crate::text::sanitize;

/// Maximum length of a title, in characters.
const TITLE: usize = 200;

/// Maximum length of an evidence's content, in characters.
const CONTENT: usize = 2_000;

/// Maximum number of sources named in a finding.
const MAX_SOURCES: usize = 10;

#[derive(Debug)]
pub(super) struct ReportedTest {
    pub(super) source: String,
    pub(super) at: Option<DateTime<Utc>>,
    pub(super) case: TestCase,
}

pub(super) type Key = (Option<String>, String);

impl TestCase {
    /// Merges a second failure of the same test in the same source.
    pub(super) fn take_in(&mut self, other: &Self) {
        if !other.message.is_empty() && !self.message.contains(&other.message) {
            if !self.message.is_empty() {
                self.message.push_str("\n\n");
            }
            cut::append(&mut self.message, &other.message);
        }
        if self.place.is_none() {
            self.place.clone_from(&other.place);
        }
    }
}

pub(super) fn of(failures: BTreeMap<Key, Vec<ReportedTest>>) -> Vec<Finding> {
    failures.into_values().filter_map(|seen| failing(&seen)).collect()
}

fn failing(seen: &[ReportedTest]) -> Option<Finding> {
    // The most detailed source describes the test.
    let rank = |seen: &&ReportedTest| (seen.case.place.is_some(), seen.case.message.len());
    let best = seen.iter().max_by_key(rank)?;
    let case = &best.case;
    let whole = case.symbol == WHOLE_FILE;
    let title = match (&case.file, whole) {
        (Some(file), true) => format!("The tests of {file} can't be loaded"),
        (Some(file), false) => format!("Failing test: {} in {file}", case.symbol),
        (None, _) => format!("Failing test: {}", case.symbol),
    };
    let verb = match case.outcome {
        Outcome::Errored => "could not be run",
        Outcome::Failed | Outcome::Passed | Outcome::Skipped => "failed",
    };
    let said = case.message.lines().map(str::trim).find(|line| !line.is_empty());
    let said = said
        .map_or_else(|| "its report does not say why".to_owned(), |line| sanitize::line(line, 500));
    let sources: Vec<&str> =
        seen.iter().take(MAX_SOURCES).map(|seen| seen.source.as_str()).collect();
    let name = if whole { case.file.as_deref().unwrap_or(&case.symbol) } else { &case.symbol };
    let mut affected: Vec<String> = case.file.iter().cloned().collect();
    if let Some((file, _)) = &case.place
        && !affected.contains(file)
    {
        affected.push(file.clone());
    }
    Some(Finding {
        measure: 0,
        rule: Rule::FailingTest,
        file: case.file.clone(),
        symbol: Some(case.symbol.clone()),
        title: sanitize::line(&title, TITLE),
        description: format!(
            "The test {} {verb}: {said} (seen in {}).",
            sanitize::line(name, TITLE),
            sanitize::line(&sources.join(", "), 500)
        ),
        evidence: seen.iter().take(MAX_SOURCES).map(evidence).collect(),
        actionability: score(case),
        affected_files: affected,
    })
}

fn evidence(seen: &ReportedTest) -> Evidence {
    let case = &seen.case;
    let (file_path, line_number) = match &case.place {
        Some((file, line)) => (Some(file.clone()), Some(*line)),
        None => (case.file.clone(), None),
    };
    let content = if case.message.trim().is_empty() {
        "It is listed as failing, without a message.".to_owned()
    } else {
        content(&case.message)
    };
    Evidence { source: seen.source.clone(), content, file_path, line_number, timestamp: seen.at }
}

/// Returns a text for an evidence, without control characters and cut to length.
fn content(text: &str) -> String {
    let clean = sanitize::terminal(text.trim());
    if clean.chars().nth(CONTENT).is_none() {
        return clean;
    }
    let kept: String = clean.chars().take(CONTENT - 1).collect();
    format!("{kept}…")
}

/// Returns the end of a command's output, for an error; empty if it printed nothing.
pub(super) fn last_lines(stdout: &[u8], stderr: &[u8]) -> String {
    let tail = |bytes: &[u8]| {
        let text = sanitize::terminal(&String::from_utf8_lossy(bytes));
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        let last = lines.get(lines.len().saturating_sub(5)..).unwrap_or_default();
        cut::tail(&last.join("\n"), 600).to_owned()
    };
    let said = [tail(stdout), tail(stderr)];
    let said: Vec<&str> = said.iter().map(String::as_str).filter(|tail| !tail.is_empty()).collect();
    said.join("\n")
}
