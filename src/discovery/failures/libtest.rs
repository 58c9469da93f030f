//! The plain output of `cargo test`.
//!
//! Cargo reports on standard error which binary it runs, and the binaries report on standard output
//! how their tests ended. If the two are separate, the n-th suite is the n-th binary, provided that
//! there are equally many.

use std::collections::BTreeMap;

use super::case::{Name, Outcome, ParsedReport, Raw, Target};
use super::cut;

/// Parses the output of `cargo test`; `stderr` is empty if both are in one text. `None` if it is
/// something else.
pub fn parse(stdout: &str, stderr: &str) -> Option<ParsedReport> {
    let mut reader = Reader::default();
    for line in stdout.lines() {
        reader.line(line);
    }
    reader.close();
    if reader.suites.is_empty() {
        return None;
    }
    let apart: Vec<Header> = stderr.lines().filter_map(header).collect();
    if reader.suites.iter().all(|suite| suite.header.is_none()) {
        pair(&mut reader.suites, &apart);
    }
    let mut parsed = ParsedReport::default();
    for (number, suite) in reader.suites.into_iter().enumerate() {
        suite.finish(number, &mut parsed);
    }
    // Without --no-fail-fast, cargo does not run the binaries after the first one that fails.
    let both = || stdout.lines().chain(stderr.lines());
    let failed = both().any(|line| is_rerun_hint(line.trim()));
    let all = both().any(|line| {
        let line = line.trim();
        line.starts_with("error: ") && line.ends_with(" failed:")
    });
    if failed && !all {
        parsed.note_gap("cargo stopped at the first binary that failed; give it --no-fail-fast");
    }
    Some(parsed)
}

fn is_rerun_hint(line: &str) -> bool {
    line.starts_with("error: test failed, to rerun pass")
        || line.starts_with("error: doctest failed, to rerun pass")
}

/// The binary that cargo says it runs.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Header {
    Binary(Target),
    Doc,
}

fn header(line: &str) -> Option<Header> {
    let line = line.trim();
    if line.starts_with("Doc-tests ") {
        return Some(Header::Doc);
    }
    let rest = line.strip_prefix("Running ")?;
    let (source, binary) = rest.strip_suffix(')')?.split_once(" (")?;
    let path = source.strip_prefix("unittests ").unwrap_or(source);
    let file = binary.rsplit('/').next().unwrap_or(binary);
    let krate = file.rsplit_once('-').map_or(file, |(krate, _)| krate);
    Some(Header::Binary(Target::Source { path: path.to_owned(), krate: krate.to_owned() }))
}

/// Assigns headers to the suites. Doc tests, which come last, may form several suites or none.
fn pair(suites: &mut [Suite], headers: &[Header]) {
    let binaries: Vec<Header> =
        headers.iter().filter(|header| **header != Header::Doc).cloned().collect();
    let docs = headers.len() - binaries.len();
    let rest = suites.get(binaries.len()..);
    let fits = rest.is_some_and(|rest| {
        rest.is_empty() || docs > 0 && rest.iter().all(Suite::may_be_of_doc_tests)
    });
    if fits {
        for (suite, header) in suites.iter_mut().zip(binaries) {
            suite.header = Some(header);
        }
    }
}

#[derive(Debug, Default)]
struct Suite {
    header: Option<Header>,
    /// In order; without an outcome if other output separates a name from its result.
    tests: Vec<(String, Option<Outcome>)>,
    words: BTreeMap<String, String>,
    listed: Vec<String>,
    declared: Option<usize>,
}

impl Suite {
    fn may_be_of_doc_tests(&self) -> bool {
        self.tests.iter().all(|(name, _)| doc_test(name).is_some())
    }

    fn finish(self, number: usize, parsed: &mut ParsedReport) {
        let target = match self.header {
            Some(Header::Binary(target)) => target,
            Some(Header::Doc) | None => Target::Unknown,
        };
        let mut failures = 0;
        for (name, outcome) in self.tests {
            let listed = || self.listed.contains(&name).then_some(Outcome::Failed);
            let Some(outcome) = outcome.or_else(listed) else {
                continue;
            };
            failures += usize::from(outcome.is_failure());
            let words = self.words.get(&name).map_or("", String::as_str);
            parsed.push(Raw {
                outcome,
                message: first_words(words),
                text: cut::owned(words),
                suite: number,
                line: None,
                name: Name::Rust { target: target.clone(), test: name },
            });
        }
        match self.declared {
            None => parsed.note_gap("a binary ended before its tests did"),
            Some(declared) if declared > failures => parsed
                .note_gap(format!("a binary counts {declared} failures and {failures} are named")),
            Some(_) => {}
        }
    }
}

/// Splits the name of a doc test: `src/lib.rs - add (line 5)`.
pub(super) fn doc_test(name: &str) -> Option<(&str, &str, u64)> {
    let (path, item) = name.split_once(" - ")?;
    let line = item.rsplit_once("(line ")?.1.split_once(')')?.0;
    Some((path, item, line.parse().ok()?))
}

#[derive(Debug, Default)]
struct Reader {
    suites: Vec<Suite>,
    header: Option<Header>,
    suite: Option<Suite>,
    /// Whether the list of names at the end of a suite is being read.
    in_failures: bool,
    /// The test whose output is being read.
    speaker: Option<String>,
}

impl Reader {
    fn line(&mut self, line: &str) {
        if let Some(found) = header(line)
            && self.speaker.is_none()
        {
            self.close();
            self.header = Some(found);
            return;
        }
        if self.speaker.is_none() && is_start(line) {
            self.close();
            self.suite = Some(Suite { header: self.header.take(), ..Suite::default() });
            return;
        }
        let Some(suite) = &mut self.suite else { return };
        if let Some(result) = line.strip_prefix("test result: ") {
            suite.declared = failed(result);
            return self.close();
        }
        if line == "failures:" {
            self.in_failures = true;
            self.speaker = None;
        } else if let Some(name) = speaker(line).filter(|_| self.in_failures) {
            self.speaker = Some(name.to_owned());
            suite.words.entry(name.to_owned()).or_default();
        } else if let Some(name) = &self.speaker {
            if let Some(words) = suite.words.get_mut(name) {
                cut::append(words, line);
                cut::append(words, "\n");
            }
        } else if self.in_failures {
            if let Some(name) = line.strip_prefix("    ") {
                suite.listed.push(name.to_owned());
            }
        } else if let Some(test) = line.strip_prefix("test ").and_then(test) {
            suite.tests.push(test);
        }
    }

    fn close(&mut self) {
        self.suites.extend(self.suite.take());
        self.in_failures = false;
        self.speaker = None;
    }
}

/// `running 5 tests`.
pub(super) fn is_start(line: &str) -> bool {
    let count = line
        .strip_prefix("running ")
        .and_then(|rest| rest.strip_suffix(" tests").or_else(|| rest.strip_suffix(" test")));
    count.is_some_and(|count| count.parse::<u64>().is_ok())
}

/// `tests::adds ... ok`, after `test `.
fn test(line: &str) -> Option<(String, Option<Outcome>)> {
    let (name, result) = line.split_once(" ... ")?;
    let outcome = match result.trim_end() {
        "ok" => Some(Outcome::Passed),
        "FAILED" => Some(Outcome::Failed),
        "ignored" => Some(Outcome::Skipped),
        other if other.starts_with("ignored, ") => Some(Outcome::Skipped),
        _ => None,
    };
    let name = name.strip_suffix(" - should panic").unwrap_or(name).to_owned();
    Some((name, outcome))
}

/// `---- tests::adds_wrong stdout ----`.
fn speaker(line: &str) -> Option<&str> {
    let inner = line.strip_prefix("---- ")?.strip_suffix(" ----")?;
    Some(inner.rsplit_once(' ').map_or(inner, |(name, _)| name))
}

/// The number before ` failed` in `FAILED. 1 passed; 3 failed; ...`.
fn failed(result: &str) -> Option<usize> {
    result.split(['.', ';']).find_map(|part| part.trim().strip_suffix(" failed")?.parse().ok())
}

/// Returns the most informative line: the one after the location of a panic, or else the first.
pub(super) fn first_words(words: &str) -> String {
    let mut lines = words.lines().map(str::trim).filter(|line| !line.is_empty());
    let Some(first) = lines.next() else {
        return String::new();
    };
    let panic = std::iter::once(first).chain(lines.clone()).position(is_panic);
    let told = match panic {
        Some(at) => lines.nth(at).unwrap_or(first),
        None => first,
    };
    cut::owned(told)
}

/// `thread 'tests::adds' (123) panicked at src/lib.rs:23:9:`
fn is_panic(line: &str) -> bool {
    line.starts_with("thread '") && line.contains(" panicked at ")
}

#[cfg(test)]
mod tests {
    //! The output of `cargo test`: combined, separate and truncated.

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
                let Name::Rust { target, test } = &raw.name else {
                    panic!("{raw:?}");
                };
                let target = match target {
                    Target::Source { path, krate } => format!("{krate} {path}"),
                    Target::Crate { .. } | Target::Unknown => "-".to_owned(),
                };
                format!("{target} | {test} | {}", raw.message)
            })
            .collect()
    }

    #[test]
    fn both_outputs_in_one_text_or_apart_say_the_same() {
        let whole = parse(&text("cargo/both.txt"), "").unwrap();
        assert_eq!(whole.gap, None);
        let mut found = failing(&whole);
        found.sort();
        insta::assert_snapshot!(found.join("\n"), @r#"
    - | calc/src/lib.rs - add (line 5) | assertion `left == right` failed
    calc src/lib.rs | tests::adds_wrong | assertion `left == right` failed: a sum <&> that is wrong
    calc src/lib.rs | tests::returns_an_error | printed on the way
    calc src/lib.rs | tests::should_panic_and_does_not | note: test did not panic as expected at calc/src/lib.rs:32:8
    it tests/it.rs | works | expected an error, got Ok(1)
    it tests/it.rs | works | expected an error, got Ok(1)
    tool src/bin/tool.rs | tool_fails | connection refused
    "#);
        let apart = parse(&text("cargo/stdout.txt"), &text("cargo/stderr.txt")).unwrap();
        assert_eq!(apart.gap, None);
        let mut apart = failing(&apart);
        apart.sort();
        assert_eq!(apart, found);
    }

    #[test]
    fn a_binary_without_suites_pairs_nothing() {
        let parsed =
            parse(&text("cargo/stdout.txt"), "     Running tests/x.rs (target/debug/deps/x-1)\n")
                .unwrap();
        assert!(failing(&parsed).iter().all(|line| line.starts_with("- | ")));
    }

    #[test]
    fn cargo_that_stopped_at_the_first_failing_binary_leaves_a_gap() {
        let parsed =
            parse(&text("cargo/stopped-stdout.txt"), &text("cargo/stopped-stderr.txt")).unwrap();
        assert_eq!(parsed.failures(), 3);
        assert!(parsed.gap.unwrap().contains("--no-fail-fast"));
    }

    #[test]
    fn a_binary_that_ended_before_its_result_leaves_a_gap() {
        let parsed = parse("running 2 tests\ntest a ... ok\n", "").unwrap();
        assert_eq!(parsed.gap.as_deref(), Some("a binary ended before its tests did"));
        assert_eq!(parse("hello\nrunning fast\n", ""), None);
    }

    #[test]
    fn a_result_behind_printed_words_is_taken_from_the_list() {
        let parsed = parse(
        "running 2 tests\ntest a ... printed\nFAILED\ntest b ... ok\n\nfailures:\n\n---- a stdout ----\ntest c ... FAILED\n\nfailures:\n    a\n    nobody\n\ntest result: FAILED. 1 passed; 1 failed; 0 ignored\n",
        "",
    )
    .unwrap();
        assert_eq!(failing(&parsed), ["- | a | test c ... FAILED"]);
        assert_eq!(parsed.gap, None);
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "(running 2 tests\n|test a \\.\\.\\. (ok|FAILED)\n|failures:\n|---- a stdout ----\n|    a\n|test result: FAILED. 1 passed; 1 failed\n|     Running tests/a.rs \\(x-1\\)\n|.{0,20}\n){0,20}") {
            drop(parse(&text, &text));
        }
    }
}
