//! Streams of JSON lines: `go test -json`, and libtest's format as written by nextest and libtest.
//!
//! Builds may print lines between the events that are not JSON objects; these are skipped. A line
//! that begins like an event but is not one is malformed; as the last line, it means that the
//! stream was truncated.

use serde::Deserialize;

use super::case::{MalformedReport, Name, Outcome, ParsedReport, Raw, Target};
use super::cut;
use crate::ordered::{BTreeMap, BTreeSet, Gather};

/// An event of `go test -json` (`Action`) or of libtest (`type` and `event`).
#[derive(Debug, Deserialize)]
struct Line {
    #[serde(rename = "Action")]
    action: Option<String>,
    #[serde(rename = "Package")]
    package: Option<String>,
    #[serde(rename = "ImportPath")]
    import_path: Option<String>,
    #[serde(rename = "Test")]
    test: Option<String>,
    #[serde(rename = "Output")]
    output: Option<String>,
    #[serde(rename = "FailedBuild")]
    failed_build: Option<String>,
    #[serde(rename = "type")]
    kind: Option<String>,
    event: Option<String>,
    name: Option<String>,
    stdout: Option<String>,
    message: Option<String>,
    failed: Option<usize>,
}

pub(super) fn is_event(line: &[u8]) -> bool {
    read(line).is_some_and(|line| {
        line.action.is_some() && (line.package.is_some() || line.import_path.is_some())
            || line.kind.is_some() && line.event.is_some()
    })
}

fn read(line: &[u8]) -> Option<Line> {
    line.trim_ascii_start().starts_with(b"{").then(|| serde_json::from_slice(line).ok()).flatten()
}

/// Parses a stream.
///
/// # Errors
/// It contains no event, or a line that begins like one but is not.
pub fn parse(bytes: &[u8]) -> Result<ParsedReport, MalformedReport> {
    let mut go = Go::default();
    let mut libtest = Libtest::default();
    let mut events = 0_usize;
    let mut cut_line = None;
    let mut number = 0;
    for line in bytes.split(|byte| *byte == b'\n') {
        number += 1;
        if !line.trim_ascii_start().starts_with(b"{") {
            continue;
        }
        if let Some(line) = cut_line {
            let why = "it is not a JSON object".to_owned();
            return Err(MalformedReport { line, why });
        }
        let Some(line) = read(line) else {
            cut_line = Some(number);
            continue;
        };
        if line.action.is_some() {
            go.take(line);
            events += 1;
        } else if line.event.is_some() {
            libtest.take(line);
            events += 1;
        }
    }
    if events == 0 {
        let why = "it contains no event of `go test -json` or of libtest".to_owned();
        return Err(MalformedReport { line: 1, why });
    }
    let mut parsed = go.finish();
    parsed.absorb(libtest.finish());
    if cut_line.is_some() {
        parsed.note_gap("it ends in the middle of a line");
    }
    Ok(parsed)
}

#[derive(Debug, Default)]
struct GoTest {
    outcome: Option<Outcome>,
    output: String,
}

impl GoTest {
    fn end(&mut self, outcome: Outcome) {
        // Of several runs (`-count`), a failed one counts.
        if self.outcome.is_none_or(|before| !before.is_failure()) {
            self.outcome = Some(outcome);
        }
        if !self.outcome.is_some_and(Outcome::is_failure) {
            self.output.clear();
        }
    }
}

#[derive(Debug, Default)]
struct GoPackage {
    own: GoTest,
    tests: BTreeMap<String, GoTest>,
    failed_build: Option<String>,
}

#[derive(Debug, Default)]
struct Go {
    packages: BTreeMap<String, GoPackage>,
    builds: BTreeMap<String, String>,
}

impl Go {
    fn take(&mut self, line: Line) {
        let Some(action) = line.action else { return };
        let Some(package) = line.package else {
            if let (Some(build), Some(output)) = (line.import_path, line.output) {
                cut::append(self.builds.entry(build).or_default(), &output);
            }
            return;
        };
        let package = self.packages.entry(package).or_default();
        if line.failed_build.is_some() {
            package.failed_build = line.failed_build;
        }
        let test = match line.test {
            Some(name) => package.tests.entry(name).or_default(),
            None => &mut package.own,
        };
        match action.as_str() {
            "output" => {
                let output = line.output.unwrap_or_default();
                if !is_frame(&output) {
                    cut::append(&mut test.output, &output);
                }
            }
            "pass" | "bench" => test.end(Outcome::Passed),
            "fail" => test.end(Outcome::Failed),
            "skip" => test.end(Outcome::Skipped),
            _ => {}
        }
    }

    fn finish(self) -> ParsedReport {
        let mut parsed = ParsedReport::default();
        for (suite, (package, found)) in self.packages.into_iter().enumerate() {
            let Some(ending) = found.own.outcome else {
                parsed.note_gap(format!("it ends before the package `{package}` does"));
                push_go(&mut parsed, suite, &package, found.tests, false);
                continue;
            };
            let failing = push_go(&mut parsed, suite, &package, found.tests, ending.is_failure());
            if ending.is_failure() && failing == 0 {
                let build = (found.failed_build).and_then(|build| self.builds.get(&build));
                let text = build.unwrap_or(&found.own.output);
                parsed.push(go_case(suite, &package, None, Outcome::Errored, text));
            }
        }
        parsed
    }
}

/// Adds the tests of a package; returns the number of failures.
fn push_go(
    parsed: &mut ParsedReport,
    suite: usize,
    package: &str,
    tests: BTreeMap<String, GoTest>,
    ended: bool,
) -> usize {
    let failed: BTreeSet<String> = tests
        .iter()
        .filter(|(_, test)| test.outcome == Some(Outcome::Failed))
        .map(|(name, _)| name.clone())
        .gather();
    let mut count = 0;
    for (name, test) in tests {
        let outcome = match test.outcome {
            // A test fails along with its subtests: it is an item of its own only if it has output.
            Some(Outcome::Failed) if has_failed_child(&name, &failed) && !speaks(&test.output) => {
                continue;
            }
            Some(outcome) => outcome,
            None if ended => Outcome::Errored,
            None => continue,
        };
        count += usize::from(outcome.is_failure());
        parsed.push(go_case(suite, package, Some(name), outcome, &test.output));
    }
    count
}

fn go_case(
    suite: usize,
    package: &str,
    test: Option<String>,
    outcome: Outcome,
    output: &str,
) -> Raw {
    let (message, words) = if outcome.is_failure() {
        (first_words(output), cut::owned(output))
    } else {
        (String::new(), String::new())
    };
    Raw {
        name: Name::Go { package: package.to_owned(), test },
        outcome,
        message,
        text: words,
        suite,
        line: None,
    }
}

fn has_failed_child(name: &str, failed: &BTreeSet<String>) -> bool {
    let prefix = format!("{name}/");
    failed.range(prefix.clone()..).next().is_some_and(|next| next.starts_with(&prefix))
}

/// Whether a test's own output contains a location in a Go file.
fn speaks(output: &str) -> bool {
    output.contains(".go:")
}

/// Framing lines in Go's output, without information about the test.
fn is_frame(output: &str) -> bool {
    let line = output.trim();
    line.is_empty()
        || line == "FAIL"
        || line == "PASS"
        || ["=== ", "--- ", "FAIL\t", "ok  \t", "exit status"]
            .iter()
            .any(|frame| line.starts_with(frame))
}

/// Returns the first informative line.
pub(super) fn first_words(text: &str) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty());
    cut::owned(line.unwrap_or_default())
}

#[derive(Debug, Default)]
struct Libtest {
    parsed: ParsedReport,
    suites: usize,
    ended: usize,
    /// Number of failures counted in suite ends.
    declared: usize,
    running: BTreeSet<String>,
}

impl Libtest {
    fn take(&mut self, line: Line) {
        let event = line.event.unwrap_or_default();
        match (line.kind.as_deref(), event.as_str()) {
            (Some("suite"), "started") => self.suites += 1,
            (Some("suite"), "ok" | "failed") => {
                self.ended += 1;
                self.declared = self.declared.saturating_add(line.failed.unwrap_or(0));
            }
            (Some("test"), "started") => {
                self.running.insert(plain(&line.name.unwrap_or_default()));
            }
            (Some("test"), "ok") => self.test(line.name, Outcome::Passed, ""),
            (Some("test"), "ignored") => self.test(line.name, Outcome::Skipped, ""),
            (Some("test"), "failed") => {
                let words = [line.message, line.stdout].into_iter().flatten();
                let words: Vec<String> = words.collect();
                self.test(line.name, Outcome::Failed, &words.join("\n"));
            }
            _ => {}
        }
    }

    fn test(&mut self, name: Option<String>, outcome: Outcome, words: &str) {
        let name = plain(&name.unwrap_or_default());
        self.running.remove(&name);
        let (target, test) = match name.split_once('$') {
            Some((binary, test)) => {
                let (package, krate) = binary.split_once("::").unwrap_or((binary, binary));
                let target = Target::Crate { package: package.to_owned(), krate: krate.to_owned() };
                (target, test.to_owned())
            }
            None => (Target::Unknown, name),
        };
        // A binary with a name is one suite, however often nextest starts it.
        let suite = match target {
            Target::Unknown => self.suites.saturating_sub(1),
            Target::Crate { .. } | Target::Source { .. } => 0,
        };
        self.parsed.push(Raw {
            name: Name::Rust { target, test },
            outcome,
            message: super::libtest::first_words(words),
            text: cut::owned(words),
            suite,
            line: None,
        });
    }

    fn finish(self) -> ParsedReport {
        let mut parsed = self.parsed;
        if self.suites > self.ended {
            parsed.note_gap("it ends before the last suite does");
        } else if self.declared > parsed.failures() {
            parsed.note_gap(format!(
                "its suites count {} failures and name {}",
                self.declared,
                parsed.failures()
            ));
        } else if let Some(name) = self.running.first() {
            let name = cut::head(name, 200);
            parsed.note_gap(format!("the test `{name}` was started and has no result"));
        }
        parsed
    }
}

/// A test's name without the attempt number that nextest appends (`works#2`).
fn plain(name: &str) -> String {
    match name.rsplit_once('#') {
        Some((plain, attempt))
            if !attempt.is_empty() && attempt.bytes().all(|byte| byte.is_ascii_digit()) =>
        {
            plain.to_owned()
        }
        Some(_) | None => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    //! Streams as written by Go and nextest, and hostile ones.

    use proptest::prelude::*;

    use super::*;
    use crate::discovery::failures::testing::report;

    fn failing(parsed: &ParsedReport) -> Vec<String> {
        let failing = parsed.cases.iter().filter(|raw| raw.outcome.is_failure());
        failing
            .map(|raw| {
                let name = match &raw.name {
                    Name::Go { package, test } => {
                        format!("{package} {}", test.as_deref().unwrap_or("-"))
                    }
                    Name::Rust { target, test } => format!("{target:?} {test}"),
                    Name::Node(_) | Name::JUnit { .. } => panic!("{raw:?}"),
                };
                format!("{name} | {:?} | {}", raw.outcome, raw.message)
            })
            .collect()
    }

    #[test]
    fn go_with_subtests_a_panic_and_a_package_that_does_not_build() {
        let parsed = parse(&report("go/test.jsonl")).unwrap();
        assert_eq!(parsed.gap, None);
        insta::assert_snapshot!(failing(&parsed).join("\n"), @r#"
    example.com/shop/bad - | Errored | # example.com/shop/bad [example.com/shop/bad.test]
    example.com/shop/calc TestPanics | Failed | panic: assignment to entry in nil map [recovered, repanicked]
    example.com/shop/calc TestSums/negative_numbers | Failed | calc_test.go:18: Add(-1, -1): expected 2, got -2
    "#);
    }

    #[test]
    fn nextest_with_tests_that_were_run_again() {
        for file in ["nextest/libtest.jsonl", "nextest/libtest-plus.jsonl"] {
            let parsed = parse(&report(file)).unwrap();
            assert_eq!(parsed.gap, None);
            let mut found = failing(&parsed);
            found.sort();
            insta::allow_duplicates! {
                insta::assert_snapshot!(found.join("\n"), @r#"
    Crate { package: "calc", krate: "calc" } tests::adds_wrong | Failed | assertion `left == right` failed: a sum <&> that is wrong
    Crate { package: "calc", krate: "calc" } tests::returns_an_error | Failed | printed on the way
    Crate { package: "calc", krate: "calc" } tests::should_panic_and_does_not | Failed | test tests::should_panic_and_does_not - should panic ... FAILED
    Crate { package: "calc", krate: "it" } works | Failed | expected an error, got Ok(1)
    Crate { package: "calc", krate: "tool" } tool_fails | Failed | connection refused
    Crate { package: "other-kit", krate: "it" } works | Failed | expected an error, got Ok(1)
    "#);
            }
        }
    }

    fn gap(text: &str) -> String {
        parse(text.as_bytes()).unwrap().gap.unwrap()
    }

    #[test]
    fn a_stream_that_was_cut_has_a_gap() {
        let whole = report("go/test.jsonl");
        let half = &whole[..whole.len() - 200];
        let parsed = parse(half).unwrap();
        assert!(parsed.gap.is_some());
        assert!(!failing(&parsed).is_empty(), "what it names stays");
        assert_eq!(
            gap("{\"Action\":\"run\",\"Package\":\"p\",\"Test\":\"T\"}\n"),
            "it ends before the package `p` does"
        );
        assert_eq!(
            gap("{\"type\":\"suite\",\"event\":\"started\",\"test_count\":1}\n"),
            "it ends before the last suite does"
        );
        assert_eq!(
            gap(
                "{\"type\":\"suite\",\"event\":\"started\"}\n{\"type\":\"suite\",\"event\":\"failed\",\"failed\":1}"
            ),
            "its suites count 1 failures and name 0"
        );
        assert_eq!(
            gap("{\"type\":\"test\",\"event\":\"started\",\"name\":\"a\"}"),
            "the test `a` was started and has no result"
        );
    }

    #[test]
    fn what_is_no_stream_is_refused_with_its_line() {
        let why = |text: &str| parse(text.as_bytes()).unwrap_err().to_string();
        assert!(why("hello").starts_with("line 1: it contains no event"));
        assert!(why("{\"a\": 1}").starts_with("line 1: it contains no event"));
        let event = "{\"type\":\"suite\",\"event\":\"ok\"}";
        assert_eq!(
            why(&format!("{event}\n{{broken\n{event}\n")),
            "line 2: it is not a JSON object"
        );
    }

    #[test]
    fn a_parent_that_says_something_itself_is_an_item_too() {
        let event = |action: &str, test: &str, output: &str| {
            let output = serde_json::to_string(output).unwrap();
            format!(
                "{{\"Action\":\"{action}\",\"Package\":\"p\",\"Test\":\"{test}\",\"Output\":{output}}}\n"
            )
        };
        let text = [
            event("fail", "T/one", ""),
            event("output", "T", "    a_test.go:3: it failed by itself\n"),
            event("fail", "T", ""),
            "{\"Action\":\"fail\",\"Package\":\"p\"}\n".to_owned(),
        ]
        .concat();
        let parsed = parse(text.as_bytes()).unwrap();
        assert_eq!(parsed.failures(), 2);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            drop(parse(&bytes));
        }

        #[test]
        fn any_cut_of_a_stream_is_read_or_refused(at in 0usize..7800) {
            let bytes = report("go/test.jsonl");
            drop(parse(&bytes[..at.min(bytes.len())]));
        }
    }
}
