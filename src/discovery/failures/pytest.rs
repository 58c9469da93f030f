//! The output of pytest, and its last-failed cache.

use std::collections::{BTreeMap, VecDeque};
use std::sync::LazyLock;

use regex::Regex;

use super::case::{MalformedReport, Name, Outcome, ParsedReport, Raw};
use super::cut;

/// `=== 6 failed, 4 passed, 3 errors in 0.08s ===`, also without the frame (`-q`).
static TOTALS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"^(?:=+ )?((?:\d+ [a-z]+(?:, )?)+) in \d+\.\d+s(?: \([\d:]+\))?(?: =+)?$").ok()
});

/// `tests/test_calc.py:16: AssertionError`.
static PLACE: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"^\S[^:]*\.pyx?:\d+: ").ok());

fn matches<'t>(regex: &LazyLock<Option<Regex>>, line: &'t str) -> Option<regex::Captures<'t>> {
    regex.as_ref()?.captures(line)
}

/// Whether a line is one that only pytest writes.
pub(super) fn is_mark(line: &str) -> bool {
    title(line) == Some("short test summary info") || matches(&TOTALS, line).is_some()
}

/// Parses the output of pytest. `None` if it is something else.
pub fn parse(text: &str) -> Option<ParsedReport> {
    let mut reader = Reader::default();
    for line in text.lines() {
        reader.line(line.trim_end());
    }
    reader.finish()
}

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
            parsed.push(case(&node, Outcome::Failed, ""));
        }
    }
    Ok(parsed)
}

fn case(node: &str, outcome: Outcome, message: &str) -> Raw {
    Raw {
        name: Name::Node(node.to_owned()),
        outcome,
        message: cut::owned(message),
        text: String::new(),
        suite: 0,
        line: None,
    }
}

/// The part of the output being read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Part {
    #[default]
    Progress,
    Failures,
    Summary,
}

#[derive(Debug, Default)]
struct Reader {
    part: Part,
    /// The tests' output, by the name in the heading of their section, in order.
    words: BTreeMap<String, VecDeque<String>>,
    speaker: Option<String>,
    verbose: Vec<Raw>,
    parsed: ParsedReport,
    totals: usize,
    summaries: usize,
    declared: usize,
}

impl Reader {
    fn line(&mut self, line: &str) {
        if let Some(found) = matches(&TOTALS, line) {
            self.totals += 1;
            self.part = Part::Progress;
            self.declared += counted(found.get(1).map_or("", |counts| counts.as_str()));
            return;
        }
        if let Some(title) = title(line) {
            self.speaker = None;
            self.part = match title {
                "FAILURES" | "ERRORS" => Part::Failures,
                "short test summary info" => {
                    self.summaries += 1;
                    Part::Summary
                }
                _ => Part::Progress,
            };
            return;
        }
        if line.starts_with("!!!!") {
            let why = line.trim_matches(['!', ' ']);
            self.parsed.note_gap(format!("pytest did not run all tests: {}", cut::head(why, 200)));
            return;
        }
        match self.part {
            Part::Progress => self.verbose.extend(progress(line)),
            Part::Failures => self.failure(line),
            Part::Summary => self.parsed.cases.extend(summary(line)),
        }
    }

    fn failure(&mut self, line: &str) {
        if let Some(name) = section(line) {
            let name = ["ERROR at setup of ", "ERROR at teardown of ", "ERROR collecting "]
                .iter()
                .find_map(|prefix| name.strip_prefix(prefix))
                .unwrap_or(name);
            self.words.entry(name.to_owned()).or_default().push_back(String::new());
            self.speaker = Some(name.to_owned());
        } else if (line.starts_with("E ") || matches(&PLACE, line).is_some())
            && let Some(words) = self.speaker.as_ref().and_then(|name| self.words.get_mut(name))
            && let Some(words) = words.back_mut()
        {
            cut::append(words, line.strip_prefix("E ").unwrap_or(line).trim());
            cut::append(words, "\n");
        }
    }

    fn finish(mut self) -> Option<ParsedReport> {
        if self.totals == 0 && self.summaries == 0 {
            return None;
        }
        if self.totals < self.summaries {
            self.parsed.note_gap("it ends before pytest counts its tests");
        }
        // The summary may be switched off (-r N) or partial (-r f): then -v still names the tests.
        let named: Vec<Name> = self.parsed.cases.iter().map(|raw| raw.name.clone()).collect();
        let named: std::collections::BTreeSet<&str> = named.iter().filter_map(node).collect();
        let more: Vec<Raw> = self
            .verbose
            .into_iter()
            .filter(|raw| !node(&raw.name).is_some_and(|node| named.contains(node)))
            .collect();
        for raw in more {
            self.parsed.push(raw);
        }
        let found = self.parsed.failures();
        if found < self.declared {
            self.parsed.note_gap(format!(
                "pytest counts {} failures and errors and names {found}",
                self.declared
            ));
        }
        for raw in &mut self.parsed.cases {
            if let Some(name) = node(&raw.name).filter(|_| raw.outcome.is_failure())
                && let Some(words) = self.words.get_mut(&heading(name))
                && let Some(words) = words.pop_front()
            {
                // The summary's messages are cut to the width of a terminal.
                let said = words.lines().find(|line| matches(&PLACE, line).is_none());
                let whole = cut::owned(said.unwrap_or_default());
                if whole.len() > raw.message.len() {
                    raw.message = whole;
                }
                raw.text = words;
            }
        }
        Some(self.parsed)
    }
}

fn node(name: &Name) -> Option<&str> {
    match name {
        Name::Node(node) => Some(node),
        Name::JUnit { .. } | Name::Rust { .. } | Name::Go { .. } => None,
    }
}

/// Returns the heading of a test's section in the output: `TestParse.test_type`, or the file.
fn heading(node: &str) -> String {
    match node.split_once("::") {
        None => node.to_owned(),
        Some((_, test)) => {
            let (path, parameters) = match test.find('[') {
                Some(at) => test.split_at(at),
                None => (test, ""),
            };
            format!("{}{parameters}", path.replace("::", "."))
        }
    }
}

/// `=== FAILURES ===`
fn title(line: &str) -> Option<&str> {
    let inner = line.strip_prefix("===")?.strip_suffix("===")?;
    Some(inner.trim_matches('=').trim())
}

/// `___ TestParse.test_type ___`
fn section(line: &str) -> Option<&str> {
    let inner = line.strip_prefix('_')?.strip_suffix('_')?;
    let name = inner.trim_matches('_');
    (name.starts_with(' ') && name.ends_with(' ') && !name.starts_with(" _")).then(|| name.trim())
}

/// `FAILED tests/test_calc.py::test_sums[a - b] - assert 4 == 5`
fn summary(line: &str) -> Option<Raw> {
    let (outcome, rest) = match line.split_once(' ')? {
        ("FAILED", rest) => (Outcome::Failed, rest),
        ("ERROR", rest) => (Outcome::Errored, rest),
        _ => return None,
    };
    let rest = rest.trim_start();
    // A parameter may contain the separator between a test and its message.
    let end = match (rest.find('['), rest.find(" - ")) {
        (Some(bracket), Some(dash)) if bracket < dash => rest
            .find("] - ")
            .map(|at| at + 1)
            .or_else(|| rest.ends_with(']').then_some(rest.len()))
            .unwrap_or(dash),
        (_, Some(dash)) => dash,
        (_, None) => rest.len(),
    };
    let (node, message) = rest.split_at(end);
    (!node.is_empty()).then(|| {
        let message = message.strip_prefix(" - ").unwrap_or(message);
        case(node.trim(), outcome, message)
    })
}

/// `tests/test_calc.py::test_adds PASSED   [  7%]`, or as pytest-xdist writes it.
fn progress(line: &str) -> Option<Raw> {
    const RESULTS: [(&str, Outcome); 4] = [
        ("PASSED", Outcome::Passed),
        ("FAILED", Outcome::Failed),
        ("ERROR", Outcome::Errored),
        ("SKIPPED", Outcome::Skipped),
    ];
    if !line.contains("::") {
        return None;
    }
    if line.starts_with("[gw") {
        let (_, rest) = line.split_once("] [")?;
        let (result, node) = rest.split_once("] ")?.1.split_once(' ')?;
        let outcome = RESULTS.iter().find(|(word, _)| *word == result)?.1;
        return Some(case(node.trim(), outcome, ""));
    }
    let before = match line.rfind(" [") {
        Some(at) if line.ends_with("%]") => line.get(..at)?.trim_end(),
        Some(_) | None => line,
    };
    RESULTS.iter().find_map(|(word, outcome)| {
        let node = before.strip_suffix(word)?.strip_suffix(' ')?;
        Some(case(node.trim(), *outcome, ""))
    })
}

/// Returns the number of failures and errors.
fn counted(counts: &str) -> usize {
    counts
        .split(", ")
        .filter_map(|part| part.split_once(' '))
        .filter(|(_, what)| matches!(*what, "failed" | "error" | "errors"))
        .filter_map(|(count, _)| count.parse::<usize>().ok())
        .sum()
}

#[cfg(test)]
mod tests {
    //! The output of pytest with various options, and its cache.

    use proptest::prelude::*;

    use super::*;
    use crate::discovery::failures::testing::report;

    fn text(name: &str) -> String {
        String::from_utf8(report(name)).unwrap()
    }

    fn failing(parsed: &ParsedReport) -> Vec<String> {
        let failing = parsed.cases.iter().filter(|raw| raw.outcome.is_failure());
        failing
            .map(|raw| {
                let node = node(&raw.name).unwrap();
                format!("{node} | {:?} | {}", raw.outcome, raw.message)
            })
            .collect()
    }

    fn nodes(parsed: &ParsedReport) -> Vec<String> {
        let mut nodes: Vec<String> = parsed
            .cases
            .iter()
            .filter(|raw| raw.outcome.is_failure())
            .filter_map(|raw| node(&raw.name).map(str::to_owned))
            .collect();
        nodes.sort();
        nodes.dedup();
        nodes
    }

    #[test]
    fn the_summary_and_what_the_sections_say() {
        let parsed = parse(&text("pytest/plain.txt")).unwrap();
        assert_eq!(parsed.gap, None);
        insta::assert_snapshot!(failing(&parsed).join("\n"), @r#"
    tests/test_calc.py::test_adds_wrong | Failed | AssertionError: expected 4 got 3 <&> é
    tests/test_calc.py::test_sums[2-2-5] | Failed | assert 4 == 5
    tests/test_calc.py::test_sums[3-3-7] | Failed | assert 6 == 7
    tests/test_calc.py::test_parses[a - b] | Failed | ValueError: invalid literal for int() with base 10: 'a - b'
    tests/test_calc.py::test_parses[x::y] | Failed | ValueError: invalid literal for int() with base 10: 'x::y'
    tests/test_calc.py::TestParse::test_type | Failed | TypeError: int() argument must be a string, a bytes-like object or a real number, not 'NoneType'
    tests/test_broken.py | Errored | ModuleNotFoundError: No module named 'no_such_module_here'
    tests/test_calc.py::test_setup | Errored | ConnectionError: no database
    tests/test_calc.py::test_teardown | Errored | KeyError: 'teardown'
    "#);
        let wrong = &parsed.cases[0];
        assert!(wrong.text.contains("tests/test_calc.py:11: AssertionError"), "{wrong:?}");
    }

    #[test]
    fn summary_verbose_output_and_cache_name_the_same_tests() {
        let plain = nodes(&parse(&text("pytest/plain.txt")).unwrap());
        assert_eq!(plain.len(), 9);
        assert_eq!(nodes(&parse(&text("pytest/verbose.txt")).unwrap()), plain);
        let cache = last_failed(&report("pytest/lastfailed.json")).unwrap();
        assert_eq!(nodes(&cache), plain);
    }

    #[test]
    fn verbose_output_says_it_where_the_summary_is_switched_off() {
        let text = text("pytest/verbose.txt");
        let without: Vec<&str> = text
            .lines()
            .filter(|line| !line.starts_with("FAILED ") && !line.starts_with("ERROR "))
            .collect();
        let parsed = parse(&without.join("\n")).unwrap();
        // The file that could not be imported appears only in the summary.
        assert_eq!(nodes(&parsed).len(), 8);
        assert_eq!(parsed.gap.as_deref(), Some("pytest counts 9 failures and errors and names 8"));
        let named = parsed.cases.iter().filter(|raw| raw.outcome == Outcome::Passed);
        assert_eq!(named.count(), 4);
    }

    #[test]
    fn a_run_that_was_stopped_has_a_gap() {
        for (file, failing) in [("pytest/interrupted.txt", 1), ("pytest/stopped.txt", 1)] {
            let parsed = parse(&text(file)).unwrap();
            assert_eq!(nodes(&parsed).len(), failing, "{file}");
            assert!(parsed.gap.unwrap().starts_with("pytest did not run all tests"));
        }
        let cut = text("pytest/plain.txt");
        let cut = &cut[..cut.find("ERROR tests/test_broken.py").unwrap()];
        assert_eq!(
            parse(cut).unwrap().gap.as_deref(),
            Some("it ends before pytest counts its tests")
        );
    }

    #[test]
    fn a_test_that_passed_at_last_is_no_failure() {
        let parsed = parse(&text("pytest/reruns.txt")).unwrap();
        assert_eq!(nodes(&parsed), ["tests/test_flaky.py::test_always"]);
        assert_eq!(parsed.gap, None);
    }

    #[test]
    fn other_texts_are_not_its_output() {
        assert_eq!(parse("FAILED tests/a.py::b - no\n"), None);
        assert_eq!(parse("I have 3 failed attempts in 2 days\n"), None);
        assert!(parse("2 passed in 0.01s\n").is_some());
        assert!(last_failed(b"[1]").unwrap_err().to_string().starts_with("line 1: "));
        assert_eq!(last_failed(b"{}").unwrap().cases, []);
    }

    #[test]
    fn lines_of_xdist_are_read() {
        let raw = progress("[gw1] [ 50%] FAILED tests/test_a.py::test_x[a b]").unwrap();
        assert_eq!(raw.name, Name::Node("tests/test_a.py::test_x[a b]".to_owned()));
        assert_eq!(progress("tests/test_a.py::test_x SKIPPED (why) [ 5%]"), None);
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "(=== short test summary info ===\n|FAILED a.py::b\\[x - y\\] - z\n|ERROR .{0,10}\n|=== 1 failed in 0.1s ===\n|__ b __\n|=== FAILURES ===\n|!!!! x !!!!\n|.{0,30}\n){0,20}") {
            drop(parse(&text));
        }

        #[test]
        fn any_bytes_are_a_cache_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            drop(last_failed(&bytes));
        }
    }
}
