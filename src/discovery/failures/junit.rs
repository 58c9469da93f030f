//! JUnit XML, in the dialects of pytest, nextest, Maven surefire, Gradle and jest-junit.
//!
//! Only the elements that all of them share decide: `testsuite`, `testcase`, `failure`, `error`,
//! `skipped`. Of the elements for tests that were run again, `flakyFailure` and `flakyError` mean
//! that it passed in the end; `rerunFailure` and `rerunError` stand beside a `failure` or `error`.
//! Entities beyond the predefined ones are not expanded: they stay as they are written.

use quick_xml::Reader;
use quick_xml::XmlVersion;
use quick_xml::events::{BytesRef, BytesStart, Event};

use super::case::{Malformed, Name, Outcome, Parsed, Raw};
use super::cut;

/// Deepest nesting of elements that is read.
const MAX_DEPTH: usize = 256;

/// Reads a report.
///
/// # Errors
/// It is no XML, ends in the middle, or is another kind of document.
pub fn parse(bytes: &[u8]) -> Result<Parsed, Malformed> {
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Err(Malformed::at(bytes, 0, "it is UTF-16; write it as UTF-8"));
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
            Err(why) => return Err(Malformed::at(text.as_bytes(), at(&reader), why)),
        }
    }
}

/// A suite whose end was not seen yet.
#[derive(Debug)]
struct Suite {
    number: usize,
    name: String,
    file: Option<String>,
    /// `failures` and `errors` of its start tag.
    declared: usize,
    /// Failures of its own and of suites in it, those of runs that were repeated too.
    found: usize,
}

/// A case whose end was not seen yet.
#[derive(Debug)]
struct Case {
    raw: Raw,
    /// The failure whose words are read now.
    inside: bool,
}

/// Where the reader stands, and what it has found.
#[derive(Debug, Default)]
struct Report {
    open: Vec<String>,
    suites: Vec<Suite>,
    seen_suites: usize,
    case: Option<Case>,
    begun: bool,
    parsed: Parsed,
}

impl Report {
    /// Takes the next event; tells whether it was the last one.
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
                return Err(format!("it is no JUnit report: it begins with <{name}>"));
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
                    suites: self.suites.iter().map(|suite| suite.name.clone()).collect(),
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

    /// A case has failed. Of several failures in it the first one speaks.
    fn fail(&mut self, tag: &BytesStart<'_>, outcome: Outcome) {
        if let Some(suite) = self.suites.last_mut() {
            suite.found += 1;
        }
        let Some(case) = &mut self.case else { return };
        if !case.raw.outcome.is_failure() || case.raw.message.is_empty() && case.raw.text.is_empty()
        {
            let message = attribute(tag, "message").unwrap_or_default();
            let kind = attribute(tag, "type").unwrap_or_default();
            // The type says what a message leaves out; nextest's type is a sentence of its own.
            let named = kind.contains(' ') || kind.is_empty() || message.contains(&kind);
            case.raw.message =
                cut::owned(&if named { message } else { format!("{kind}: {message}") });
            case.raw.outcome = outcome;
            case.inside = true;
        }
    }

    /// A further failed run of a case; `None`: it passed in the end. Surefire counts each of them
    /// as a failure of the suite.
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

    fn finish(self) -> Parsed {
        self.parsed
    }
}

fn local(tag: &BytesStart<'_>) -> String {
    tag.local_name().as_ref().to_owned()
}

/// Returns the value of an attribute; what can't be unescaped stays as it is.
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

/// Returns what a reference in text stands for.
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
mod tests;
