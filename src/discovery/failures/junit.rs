//! JUnit XML, in the dialects of pytest, nextest, Maven surefire, Gradle and jest-junit.
//!
//! Only the elements common to all of them decide: `testsuite`, `testcase`, `failure`, `error`,
//! `skipped`. Of the elements for tests that were run again, `flakyFailure` and `flakyError` mean
//! that the test passed in the end; `rerunFailure` and `rerunError` accompany a `failure` or
//! `error`. Entities beyond the predefined ones are not expanded: they are kept as written.

use quick_xml::Reader;
use quick_xml::XmlVersion;
use quick_xml::events::{BytesRef, BytesStart, Event};

use super::case::{MalformedReport, Name, Outcome, ParsedReport, Raw};
use super::cut;

/// Maximum nesting depth of elements.
const MAX_DEPTH: usize = 256;

/// Parses a report.
///
/// # Errors
/// It is not XML, is truncated, or is another kind of document.
pub fn parse(bytes: &[u8]) -> Result<ParsedReport, MalformedReport> {
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Err(MalformedReport::at(bytes, 0, "it is UTF-16; write it as UTF-8"));
    }
    let text = String::from_utf8_lossy(bytes);
    let mut reader = Reader::from_str(&text);
    let mut report = Report::default();
    loop {
        let event = reader.read_event();
        let at = |reader: &Reader<&[u8]>| usize::try_from(reader.buffer_position()).unwrap_or(0);
        let done = match event {
            Ok(event) => report.take(&event),
            Err(error) => Err(error.to_string()),
        };
        match done {
            Ok(true) => return Ok(report.finish()),
            Ok(false) => {}
            Err(why) => return Err(MalformedReport::at(text.as_bytes(), at(&reader), why)),
        }
    }
}

/// A suite whose end has not been read.
#[derive(Debug)]
struct Suite {
    number: usize,
    name: String,
    file: Option<String>,
    /// `failures` and `errors` of its start tag.
    declared: usize,
    /// Its own failures and those of its inner suites, including those of repeated runs.
    found: usize,
}

/// A case whose end has not been read.
#[derive(Debug)]
struct Case {
    raw: Raw,
    /// Whether a failure's text is being read.
    inside: bool,
}

/// The reader's state, and its results.
#[derive(Debug, Default)]
struct Report {
    open: Vec<String>,
    suites: Vec<Suite>,
    seen_suites: usize,
    case: Option<Case>,
    begun: bool,
    parsed: ParsedReport,
}

impl Report {
    /// Handles the next event; returns whether it was the last one.
    fn take(&mut self, event: &Event<'_>) -> Result<bool, String> {
        match event {
            Event::Start(start) => {
                if self.open.len() >= MAX_DEPTH {
                    return Err(format!("elements are nested more than {MAX_DEPTH} deep"));
                }
                let name = local(start);
                self.start(&name, start)?;
                self.open.push(name);
            }
            Event::Empty(start) => {
                let name = local(start);
                self.start(&name, start)?;
                self.open.push(name);
                self.end();
            }
            Event::End(_) => self.end(),
            Event::Text(text) => self.words(&text.xml_content(XmlVersion::Implicit1_0)),
            Event::CData(text) => self.words(&text.xml_content(XmlVersion::Implicit1_0)),
            Event::GeneralRef(reference) => self.words(&expand(reference)),
            Event::Eof if !self.open.is_empty() => {
                return Err("it ends in the middle".to_owned());
            }
            Event::Eof if !self.begun => return Err("it is empty".to_owned()),
            Event::Eof => return Ok(true),
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => {}
        }
        Ok(false)
    }

    fn start(&mut self, name: &str, tag: &BytesStart<'_>) -> Result<(), String> {
        if self.open.is_empty() {
            if !matches!(name, "testsuites" | "testsuite") {
                return Err(format!("it is not a JUnit report: it begins with <{name}>"));
            }
            self.begun = true;
        }
        let inside_case = self.open.last().is_some_and(|open| open == "testcase");
        match name {
            "testsuite" => self.open_suite(tag),
            "testcase" if self.case.is_none() => self.open_case(tag),
            "failure" if inside_case => self.fail(tag, Outcome::Failed),
            "error" if inside_case => self.fail(tag, Outcome::Errored),
            "rerunFailure" if inside_case => self.rerun(Some(Outcome::Failed)),
            "rerunError" if inside_case => self.rerun(Some(Outcome::Errored)),
            "flakyFailure" | "flakyError" if inside_case => self.rerun(None),
            "skipped" if inside_case => {
                if let Some(case) = &mut self.case
                    && case.raw.outcome == Outcome::Passed
                {
                    case.raw.outcome = Outcome::Skipped;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn open_suite(&mut self, tag: &BytesStart<'_>) {
        let number = |name: &str| {
            attribute(tag, name).and_then(|value| value.trim().parse::<usize>().ok()).unwrap_or(0)
        };
        self.suites.push(Suite {
            number: self.seen_suites,
            name: attribute(tag, "name").unwrap_or_default(),
            file: attribute(tag, "file").filter(|file| !file.is_empty()),
            declared: number("failures").saturating_add(number("errors")),
            found: 0,
        });
        self.seen_suites += 1;
    }

    fn open_case(&mut self, tag: &BytesStart<'_>) {
        let suite = self.suites.last();
        let file = attribute(tag, "file")
            .filter(|file| !file.is_empty())
            .or_else(|| suite.and_then(|suite| suite.file.clone()));
        self.case = Some(Case {
            raw: Raw {
                name: Name::JUnit {
                    class: attribute(tag, "classname").unwrap_or_default(),
                    name: attribute(tag, "name").unwrap_or_default(),
                    file,
                },
                outcome: Outcome::Passed,
                message: String::new(),
                text: String::new(),
                suite: suite.map_or(0, |suite| suite.number),
                line: attribute(tag, "line")
                    .and_then(|line| line.parse().ok())
                    .filter(|line| *line > 0),
            },
            inside: false,
        });
    }

    /// Records a failure of a case. The first of several is described.
    fn fail(&mut self, tag: &BytesStart<'_>, outcome: Outcome) {
        if let Some(suite) = self.suites.last_mut() {
            suite.found += 1;
        }
        let Some(case) = &mut self.case else { return };
        if !case.raw.outcome.is_failure() || case.raw.message.is_empty() && case.raw.text.is_empty()
        {
            let message = attribute(tag, "message").unwrap_or_default();
            let kind = attribute(tag, "type").unwrap_or_default();
            // The type adds what a message leaves out; nextest's type is a sentence of its own.
            let named = kind.contains(' ') || kind.is_empty() || message.contains(&kind);
            case.raw.message =
                cut::owned(&if named { message } else { format!("{kind}: {message}") });
            case.raw.outcome = outcome;
            case.inside = true;
        }
    }

    /// Records a further failed run of a case; `None`: it passed in the end. Surefire counts each
    /// one as a failure of the suite.
    fn rerun(&mut self, outcome: Option<Outcome>) {
        if let Some(suite) = self.suites.last_mut() {
            suite.found += 1;
        }
        if let (Some(case), Some(outcome)) = (&mut self.case, outcome)
            && case.raw.outcome == Outcome::Passed
        {
            case.raw.outcome = outcome;
        }
    }

    fn words(&mut self, words: &str) {
        let direct =
            self.open.last().is_some_and(|open| matches!(open.as_str(), "failure" | "error"));
        if let Some(case) = &mut self.case
            && case.inside
            && direct
        {
            cut::append(&mut case.raw.text, words);
        }
    }

    fn end(&mut self) {
        let Some(name) = self.open.pop() else { return };
        match name.as_str() {
            "testcase" if !self.open.iter().any(|open| open == "testcase") => {
                if let Some(case) = self.case.take() {
                    self.parsed.push(case.raw);
                }
            }
            "failure" | "error" => {
                if let Some(case) = &mut self.case
                    && self.open.last().is_some_and(|open| open == "testcase")
                {
                    case.inside = false;
                }
            }
            "testsuite" => self.close_suite(),
            _ => {}
        }
    }

    fn close_suite(&mut self) {
        let Some(suite) = self.suites.pop() else {
            return;
        };
        if suite.declared > suite.found {
            self.parsed.note_gap(format!(
                "its suite `{}` counts {} failures and names {}",
                cut::head(&suite.name, 100),
                suite.declared,
                suite.found
            ));
        }
        if let Some(outer) = self.suites.last_mut() {
            outer.found += suite.found;
        }
    }

    fn finish(self) -> ParsedReport {
        self.parsed
    }
}

fn local(tag: &BytesStart<'_>) -> String {
    tag.local_name().as_ref().to_owned()
}

/// Returns the value of an attribute; one that cannot be unescaped is kept as written.
fn attribute(tag: &BytesStart<'_>, name: &str) -> Option<String> {
    let found = tag
        .attributes()
        .with_checks(false)
        .filter_map(Result::ok)
        .find(|attribute| attribute.key.as_ref() == name)?;
    let value = found
        .normalized_value(XmlVersion::Implicit1_0)
        .map_or_else(|_| found.value.to_string(), std::borrow::Cow::into_owned);
    Some(cut::owned(&value))
}

fn expand(reference: &BytesRef<'_>) -> String {
    let name = reference.xml_content(XmlVersion::Implicit1_0);
    match &*name {
        "lt" => "<".to_owned(),
        "gt" => ">".to_owned(),
        "amp" => "&".to_owned(),
        "apos" => "'".to_owned(),
        "quot" => "\"".to_owned(),
        _ => match reference.resolve_char_ref() {
            Ok(Some(c)) => c.to_string(),
            Ok(None) | Err(_) => format!("&{name};"),
        },
    }
}

#[cfg(test)]
mod tests {
    //! Reports as written by the tools (`fixtures/reports/README.md`), and hostile ones.

    use proptest::prelude::*;

    use super::*;
    use crate::discovery::failures::testing::report;

    /// Name, outcome and first line of output of each failing case.
    fn failing(path: &str) -> Vec<String> {
        let parsed = parse(&report(path)).unwrap();
        assert_eq!(parsed.gap, None, "{path}");
        let failing = parsed.cases.iter().filter(|raw| raw.outcome.is_failure());
        failing
            .map(|raw| {
                let Name::JUnit { class, name, .. } = &raw.name else {
                    panic!("{raw:?}");
                };
                let first = raw.message.lines().next().unwrap_or_default();
                let line = format!("{class} | {name} | {:?} | {first}", raw.outcome);
                line.trim_end().to_owned()
            })
            .collect()
    }

    fn outcomes(path: &str) -> [usize; 4] {
        let parsed = parse(&report(path)).unwrap();
        let all = [Outcome::Passed, Outcome::Failed, Outcome::Errored, Outcome::Skipped];
        all.map(|outcome| parsed.cases.iter().filter(|raw| raw.outcome == outcome).count())
    }

    #[test]
    fn pytest() {
        insta::assert_snapshot!(failing("pytest/xunit2.xml").join("\n"), @r#"
     | tests.test_broken | Errored | collection failure
    tests.test_calc | test_adds_wrong | Failed | AssertionError: expected 4 got 3 <&> é
    tests.test_calc | test_sums[2-2-5] | Failed | assert 4 == 5
    tests.test_calc | test_sums[3-3-7] | Failed | assert 6 == 7
    tests.test_calc | test_parses[a - b] | Failed | ValueError: invalid literal for int() with base 10: 'a - b'
    tests.test_calc | test_parses[x::y] | Failed | ValueError: invalid literal for int() with base 10: 'x::y'
    tests.test_calc.TestParse | test_type | Failed | TypeError: int() argument must be a string, a bytes-like object or a real number, not 'NoneType'
    tests.test_calc | test_setup | Errored | failed on setup with "ConnectionError: no database"
    tests.test_calc | test_teardown | Errored | failed on teardown with "KeyError: 'teardown'"
    "#);
        assert_eq!(outcomes("pytest/xunit2.xml"), [3, 6, 3, 2]);
        assert_eq!(failing("pytest/xunit1.xml"), failing("pytest/xunit2.xml"));
        assert_eq!(outcomes("pytest/reruns-xunit2.xml"), [3, 1, 0, 0]);
    }

    #[test]
    fn nextest() {
        insta::assert_snapshot!(failing("nextest/junit.xml").join("\n"), @r#"
    calc | tests::returns_an_error | Failed | Error: ParseIntError { kind: InvalidDigit }
    calc | tests::should_panic_and_does_not | Failed | note: test did not panic as expected at calc/src/lib.rs:32:8
    calc | tests::adds_wrong | Failed | thread 'tests::adds_wrong' (29880) panicked at calc/src/lib.rs:23:9
    calc::it | works | Failed | thread 'works' (29893) panicked at calc/tests/it.rs:4:5
    other-kit::it | works | Failed | thread 'works' (29925) panicked at other-kit/tests/it.rs:4:5
    calc::bin/tool | tool_fails | Failed | thread 'tool_fails' (29902) panicked at calc/src/bin/tool.rs:5:5
    "#);
        assert_eq!(outcomes("nextest/junit.xml"), [4, 6, 0, 0]);
    }

    fn why(text: &str) -> String {
        parse(text.as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn what_is_no_whole_report_is_refused_with_its_line() {
        assert_eq!(why(""), "line 1: it is empty");
        assert_eq!(
            why("<?xml version='1.0'?>\n<project/>"),
            "line 2: it is not a JUnit report: it begins with <project>"
        );
        assert_eq!(why("<testsuite>\n<testcase name='a'/>\n"), "line 3: it ends in the middle");
        assert!(why("<testsuite>\n</testsuites>").starts_with("line 2: "));
        assert!(why("<testsuite>\n<testcase <<").starts_with("line 2: "));
        assert_eq!(parse(b"\xff\xfe<\0t\0").unwrap_err().why, "it is UTF-16; write it as UTF-8");
        let deep = "<testsuite>".repeat(10_000);
        assert!(why(&deep).contains("nested more than"));
    }

    #[test]
    fn entities_of_its_own_are_not_expanded() {
        let bomb = r#"<!DOCTYPE b [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>
<testsuite><testcase name="x&b;"><failure message="m&b;">t&b;&#65;&lt;</failure></testcase></testsuite>"#;
        let parsed = parse(bomb.as_bytes()).unwrap();
        let raw = &parsed.cases[0];
        assert_eq!(raw.text, "t&b;A<");
        assert_eq!(raw.message, "m&b;");
    }

    #[test]
    fn what_a_failure_says_is_cut() {
        let long = "x".repeat(1 << 20);
        let text = format!(
            "<testsuite><testcase name='a'><failure message='{long}'>{long}</failure></testcase></testsuite>"
        );
        let raw = &parse(text.as_bytes()).unwrap().cases[0];
        assert!(raw.message.len() <= 8 << 10 && raw.text.len() <= 8 << 10);
    }

    #[test]
    fn a_suite_that_counts_more_failures_than_it_names_has_a_gap() {
        let parsed = parse(b"<testsuites><testsuite name='s' failures='2' errors='1'><testcase name='a'><failure/></testcase></testsuite></testsuites>").unwrap();
        assert_eq!(parsed.gap.as_deref(), Some("its suite `s` counts 3 failures and names 1"));
        let nested = parse(b"<testsuite failures='1'><testsuite failures='1'><testcase name='a'><failure/></testcase></testsuite></testsuite>").unwrap();
        assert_eq!(nested.gap, None);
    }

    #[test]
    fn a_second_failure_a_lone_rerun_and_bytes_that_are_no_text() {
        let parsed = parse(b"<testsuite><testcase name='a'><error message='one'/><failure message='two'/></testcase><testcase name='b'><rerunFailure/></testcase><testcase name='\xe9'><skipped/></testcase></testsuite>").unwrap();
        let seen: Vec<_> =
            parsed.cases.iter().map(|raw| (raw.outcome, raw.message.as_str())).collect();
        assert_eq!(
            seen,
            [(Outcome::Errored, "one"), (Outcome::Failed, ""), (Outcome::Skipped, "")]
        );
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            drop(parse(&bytes));
        }

        #[test]
        fn a_damaged_report_is_read_or_refused(at in 0usize..4000, byte in any::<u8>(), cut in any::<bool>()) {
            let mut bytes = report("pytest/xunit2.xml");
            let at = at.min(bytes.len() - 1);
            if cut {
                bytes.truncate(at);
                prop_assert!(parse(&bytes).is_err());
            } else {
                bytes[at] = byte;
                drop(parse(&bytes));
            }
        }
    }
}
