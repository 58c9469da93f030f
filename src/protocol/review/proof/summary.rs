//! What a test runner says of the tests that it ran.
//!
//! An exit code tells a failed test neither from code that does not build nor from a test that was skipped, so a run
//! counts only if its output sums up what was run.

use std::sync::LazyLock;

use regex::Regex;

use crate::text::sanitize;

/// The numbers of tests that passed and failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Summary {
    pub(super) passed: u32,
    pub(super) failed: u32,
}

/// Lines that sum up a run; the first group holds the numbers, each with its word.
static LINES: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let lines = [
        // pytest: `1 failed, 2 passed in 0.03s`, with `=` around it or without.
        r"^=* ?((?:\d+ \w+(?:, )?)+) in [\d.]+ ?s",
        // cargo test: `test result: FAILED. 0 passed; 1 failed; 0 ignored; ...`.
        r"^test result: \w+\. (.*)",
        // cargo nextest: `Summary [   0.004s] 1 test run: 0 passed, 1 failed, 2 skipped`.
        r"^\s*Summary \[.*\] .*run: (.*)",
        // Jest: `Tests:       1 failed, 1 total`; Vitest: `Tests  1 failed | 2 passed (3)`.
        r"^\s*Tests:?\s+(\d.*)",
        // Mocha.
        r"^\s*(\d+ (?:passing|failing))\b",
        // node --test, in both of its forms.
        r"^(?:#|ℹ) ((?:pass|fail) +\d+)\s*$",
        // Maven: `Tests run: 1, Failures: 1, Errors: 0, Skipped: 0`.
        r"(?:^|\s)Tests (run: \d+, Failures: \d+, Errors: \d+, Skipped: \d+)",
        // go test -v.
        r"^\s*--- (PASS|FAIL): ",
        // Gradle, with --info or with its test events on: `PoolTest > closes() FAILED`.
        r"^\S.* > .* (PASSED|FAILED)\s*$",
    ];
    lines.iter().filter_map(|line| Regex::new(line).ok()).collect()
});

/// A word with its number before or behind it; one without a number counts once.
static COUNTS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(\d*)\s*([A-Za-z]+):?\s*(\d*)").ok());

/// Reads the numbers in the output of a test command; `None` if no runner that is known sums up its tests there.
pub(super) fn read(output: &str) -> Option<Summary> {
    let output = sanitize::terminal(output);
    let mut summary: Option<Summary> = None;
    for line in output.lines() {
        let Some(counts) = LINES.iter().find_map(|form| form.captures(line)?.get(1)) else {
            continue;
        };
        let summary = summary.get_or_insert_default();
        let (mut run, mut others) = (0, 0);
        for (word, number) in numbers(counts.as_str()) {
            match word {
                "passed" | "passing" | "pass" | "PASS" | "PASSED" => summary.passed += number,
                "failed" | "failing" | "fail" | "FAIL" | "FAILED" => summary.failed += number,
                "Failures" | "Errors" => {
                    summary.failed += number;
                    others += number;
                }
                "Skipped" => others += number,
                "run" => run = number,
                _ => {}
            }
        }
        summary.passed += u32::saturating_sub(run, others);
    }
    summary
}

fn numbers(counts: &str) -> impl Iterator<Item = (&str, u32)> {
    let found = COUNTS.iter().flat_map(move |counted| counted.captures_iter(counts));
    found.map(|found| found.extract().1).filter_map(|[before, word, behind]| {
        let number = if before.is_empty() { behind } else { before };
        Some((word, if number.is_empty() { 1 } else { number.parse().ok()? }))
    })
}
