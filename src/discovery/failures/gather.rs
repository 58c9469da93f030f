//! Combines all reports and the test command into one finding per failing test.
//!
//! A test reported by several sources is one finding with the evidence of each. A failure in a report
//! that is older than the run of the test command counts unless that run shows the test as passed.

use std::path::PathBuf;

use chrono::{DateTime, Duration, Utc};
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::case::{Outcome, ParsedReport, TestCase};
use super::findings::{Key, ReportedTest};
use super::layout::Layout;
use super::locate::{self, Candidate};
use super::naming::TestNames;
use super::sniff::{self, Format};
use super::{findings, read};
use crate::discovery::finding::{AgentName, AgentRun};
use crate::ordered::{BTreeMap, BTreeSet, Gather};
use crate::text::{Note, sanitize};

/// The source named in findings of the test command.
pub const COMMAND: &str = "test_command";

/// Maximum number of failing tests kept from all sources.
const MAX_FAILURES: usize = 10_000;

/// Maximum number of tests without a result that are listed individually.
const MAX_NAMED: usize = 20;

/// Tolerance, as file system clocks are slightly behind the system clock.
const CLOCK_SLACK: Duration = Duration::milliseconds(100);

#[derive(Debug)]
pub struct Input {
    /// The repository's root, absolute.
    pub root: PathBuf,
    /// The project's own files, relative to it.
    pub names: Vec<String>,
    pub head: Option<DateTime<Utc>>,
    /// `discovery.exclude`.
    pub exclude: Vec<String>,
    /// The run of the test command, if one is configured.
    pub command: Option<CommandRun>,
}

/// The result of the test command.
#[derive(Debug)]
pub struct CommandRun {
    pub shown: String,
    pub started: DateTime<Utc>,
    /// Its exit code, or why it has no usable one.
    pub ending: Result<i32, String>,
    /// Its standard output, as far as it was kept.
    pub stdout: Vec<u8>,
    /// Its standard error, as far as it was kept.
    pub stderr: Vec<u8>,
}

/// Looks at everything and returns the findings.
pub fn gather(input: &Input) -> AgentRun {
    let exclude = matcher(input);
    let layout = Layout::new(&input.root, input.names.iter().cloned());
    let mut gather = TestRun {
        input,
        layout: &layout,
        run: AgentRun::new(AgentName::TestFailures),
        failures: BTreeMap::new(),
        passed: BTreeSet::new(),
        usable: 0,
        unusable: Vec::new(),
        fresh_failures: 0,
        recognised: false,
    };
    if let Some(command) = &input.command {
        gather.command(command);
    }
    let located = locate::find(&input.root, &exclude);
    for left_out in located.left_out {
        gather.run.looked.left_out.insert(left_out.what.clone());
        gather.run.skipped.push(left_out);
    }
    for candidate in &located.candidates {
        gather.report(candidate);
    }
    gather.finish(located.cut)
}

fn matcher(input: &Input) -> Gitignore {
    let mut builder = GitignoreBuilder::new(&input.root);
    for pattern in &input.exclude {
        // The configuration was validated when it was loaded.
        builder.add_line(None, pattern).ok();
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}

struct TestRun<'a> {
    input: &'a Input,
    layout: &'a Layout,
    run: AgentRun,
    failures: BTreeMap<Key, Vec<ReportedTest>>,
    /// Tests that passed according to the test command.
    passed: BTreeSet<Key>,
    usable: usize,
    unusable: Vec<String>,
    /// Failures in the test command's output and in reports written during its run.
    fresh_failures: usize,
    /// Whether part of the test command's output is in a known format.
    recognised: bool,
}

impl TestRun<'_> {
    fn command(&mut self, command: &CommandRun) {
        let parsed = sniff::output(&command.stdout, &command.stderr);
        self.recognised = parsed.is_some();
        let parsed = parsed.unwrap_or_default();
        let gap = parsed.gap.clone();
        let cases = self.name(&parsed, "");
        let failed: BTreeSet<Key> =
            cases.iter().filter(|case| case.outcome.is_failure()).map(key).gather();
        self.passed = cases
            .iter()
            .filter(|case| case.outcome == Outcome::Passed)
            .map(key)
            .filter(|key| !failed.contains(key))
            .gather();
        self.fresh_failures += failed.len();
        self.keep(COMMAND, Some(command.started), cases);
        if command.ending.is_ok() {
            match gap {
                None => {
                    self.run.looked.sources.insert(COMMAND.to_owned());
                }
                Some(why) => self.incomplete(COMMAND, &why),
            }
        }
    }

    fn report(&mut self, candidate: &Candidate) {
        let bytes = match read::file(self.layout.root(), &candidate.name, read::MAX_BYTES) {
            Ok(bytes) => bytes,
            // A candidate by name only may be any file.
            Err(_)
                if candidate.format.is_none()
                    && !sniff::begins_like_one(self.layout.root(), &candidate.name) =>
            {
                return;
            }
            Err(why) => return self.unusable(&candidate.name, &why),
        };
        let Some(format) = candidate.format.or_else(|| sniff::of(&bytes)) else {
            return;
        };
        let parsed = match sniff::parse(format, &bytes) {
            Ok(parsed) => parsed,
            Err(malformed) => return self.unusable(&candidate.name, &malformed.to_string()),
        };
        drop(bytes);
        self.usable += 1;
        let cases = self.name(&parsed, &candidate.name);
        let cases = self.without_gone(candidate, format, cases);
        let failing = cases.iter().filter(|case| case.outcome.is_failure()).count();
        self.run.read.push(match format {
            Format::LastFailed => format!("{} ({failing} failing)", candidate.name),
            Format::JUnit | Format::Stream | Format::Text => {
                format!("{} ({} tests, {failing} failing)", candidate.name, cases.len())
            }
        });
        match &parsed.gap {
            None => {
                self.run.looked.sources.insert(candidate.name.clone());
            }
            Some(why) => self.incomplete(&candidate.name, why),
        }
        self.stale(candidate, &cases);
        if self.is_fresh(candidate) {
            self.fresh_failures += failing;
        }
        let cases = self.without_passed(candidate, cases);
        self.keep(&candidate.name, Some(candidate.modified), cases);
    }

    /// Names the tests of a source. Two failures with one name in two suites are two, unless their
    /// file shows that they are one.
    fn name(&self, parsed: &ParsedReport, report: &str) -> Vec<TestCase> {
        let mut naming = TestNames::new(self.layout, report);
        let mut suites: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        parsed
            .cases
            .iter()
            .map(|raw| {
                let mut case = naming.name(raw);
                if case.outcome.is_failure() && case.file.is_none() {
                    let seen = suites.entry(case.symbol.clone()).or_default();
                    let place = seen.iter().position(|suite| *suite == raw.suite);
                    let place = place.unwrap_or_else(|| {
                        seen.push(raw.suite);
                        seen.len() - 1
                    });
                    if place > 0 {
                        case.symbol = format!("{} #{}", case.symbol, place + 1);
                    }
                }
                case
            })
            .collect()
    }

    /// Drops pytest's memory of deleted files: it forgets a test only by running it.
    fn without_gone(
        &mut self,
        candidate: &Candidate,
        format: Format,
        cases: Vec<TestCase>,
    ) -> Vec<TestCase> {
        if format != Format::LastFailed {
            return cases;
        }
        let (there, gone): (Vec<_>, Vec<_>) =
            cases.into_iter().partition(|case| case.file.is_some());
        for case in gone.iter().take(MAX_NAMED) {
            let what = format!("{}: {}", candidate.name, sanitize::line(&case.symbol, 200));
            self.run.leave_out(what, "its file no longer exists");
        }
        there
    }

    fn is_fresh(&self, candidate: &Candidate) -> bool {
        let command = self.input.command.as_ref();
        command.is_some_and(|command| candidate.modified >= command.started - CLOCK_SLACK)
    }

    /// Drops from an older report the tests that passed in the test command's run.
    fn without_passed(&mut self, candidate: &Candidate, cases: Vec<TestCase>) -> Vec<TestCase> {
        if self.input.command.is_none() || self.is_fresh(candidate) {
            return cases;
        }
        let (passed, rest): (Vec<_>, Vec<_>) = cases
            .into_iter()
            .partition(|case| case.outcome.is_failure() && self.passed.contains(&key(case)));
        if !passed.is_empty() {
            let why = format!(
                "{} of its failures passed when the test command ran, which was later",
                passed.len()
            );
            self.run.leave_out(candidate.name.clone(), why);
        }
        rest
    }

    fn keep(&mut self, source: &str, at: Option<DateTime<Utc>>, cases: Vec<TestCase>) {
        for case in cases {
            if !case.outcome.is_failure() {
                continue;
            }
            let key = key(&case);
            if self.failures.len() >= MAX_FAILURES && !self.failures.contains_key(&key) {
                let why = format!("at most {MAX_FAILURES} failing tests are kept");
                self.incomplete(source, &why);
                return;
            }
            let seen = self.failures.entry(key).or_default();
            match seen.iter_mut().find(|seen| seen.source == source) {
                // The test's own failure, and one of its tear-down.
                Some(before) => before.case.take_in(&case),
                None => seen.push(ReportedTest { source: source.to_owned(), at, case }),
            }
        }
    }

    /// Warns about a report that describes an older state of the project.
    fn stale(&mut self, candidate: &Candidate, cases: &[TestCase]) {
        let written = candidate.modified;
        let older_than = if self.input.head.is_some_and(|head| written < head) {
            Some("HEAD's commit".to_owned())
        } else {
            let files: BTreeSet<&str> =
                cases.iter().filter_map(|case| case.file.as_deref()).gather();
            files
                .into_iter()
                .find(|file| {
                    let meta = self.layout.on_disk(file).symlink_metadata();
                    let changed = meta.and_then(|meta| meta.modified());
                    changed.is_ok_and(|changed| DateTime::<Utc>::from(changed) > written)
                })
                .map(|file| format!("{}, which it names", sanitize::line(file, 200)))
        };
        if let Some(what) = older_than {
            self.run.warnings.push(Note::new(
                "stale_report",
                format!(
                    "{} ({}) is older than {what}: run the tests again",
                    candidate.name,
                    written.format("%Y-%m-%d %H:%M:%S UTC")
                ),
            ));
        }
    }

    /// Notes that a source is incomplete, so that its silence resolves nothing.
    fn incomplete(&mut self, source: &str, why: &str) {
        self.run.looked.sources.remove(source);
        let why = sanitize::line(why, 300);
        self.run.warnings.push(Note::new(
            "incomplete_report",
            format!("{source} does not contain all tests: {why}"),
        ));
    }

    fn unusable(&mut self, name: &str, why: &str) {
        let why = sanitize::line(why, 300);
        self.unusable.push(format!("{name}: {why}"));
        self.run.looked.left_out.insert(name.to_owned());
        self.run.leave_out(name, why);
    }

    fn finish(mut self, cut: bool) -> AgentRun {
        let failing = self.failures.len();
        self.run.findings = findings::of(std::mem::take(&mut self.failures));
        if cut {
            // The part not looked at may contain items that are not found again.
            self.run.looked.sources.clear();
        }
        match &self.input.command {
            Some(command) => {
                let verdict = self.verdict(command);
                let shown = sanitize::line(&command.shown, 200);
                match verdict {
                    Ok(code) => {
                        let known = if self.recognised {
                            ""
                        } else {
                            ", output in no known format"
                        };
                        self.run
                            .read
                            .insert(0, format!("{COMMAND} `{shown}` (exit {code}{known})"));
                        self.run
                    }
                    Err(why) => {
                        self.run.looked.sources.remove(COMMAND);
                        let tail = findings::last_lines(&command.stdout, &command.stderr);
                        let tail = match (tail.is_empty(), &command.ending) {
                            (false, _) => format!("; it ended with:\n{tail}"),
                            (true, Ok(_)) => "; it printed nothing".to_owned(),
                            (true, Err(_)) => String::new(),
                        };
                        self.run.failed(format!("`{shown}` {why}{tail}"))
                    }
                }
            }
            None if self.usable > 0 || failing > 0 || !self.run.findings.is_empty() => self.run,
            None if !self.unusable.is_empty() => {
                let first = self.unusable.first().cloned().unwrap_or_default();
                let count = self.unusable.len();
                self.run.failed(format!(
                    "none of the {count} test reports could be used: {first}"
                ))
            }
            None => self.run.skipped(
                "there is no test report (JUnit XML such as junit.xml, TEST-*.xml or below test-results/, \
                 target/nextest/, target/surefire-reports/ or build/test-results/; `go test -json` or libtest \
                 JSON; .pytest_cache): let your test tool write JUnit XML, or set `discovery.test_command`",
            ),
        }
    }

    fn verdict(&self, command: &CommandRun) -> Result<i32, String> {
        match &command.ending {
            Err(why) => Err(why.clone()),
            Ok(0) => Ok(0),
            Ok(code) if self.fresh_failures > 0 => Ok(*code),
            Ok(code) => Err(format!(
                "ended with exit code {code}, and no failing test could be read from it; let it print what \
                 `cargo test`, `go test -json` or libtest JSON print, or write JUnit XML"
            )),
        }
    }
}

fn key(case: &TestCase) -> Key {
    (case.file.clone(), case.symbol.clone())
}

#[cfg(test)]
mod tests {
    //! Reports and command together: what is found, what is left out, and what silence
    //! means.

    use std::fs;
    use std::path::Path;

    use tempfile::TempDir;

    use super::*;
    use crate::discovery::failures::testing::{path, report};
    use crate::discovery::finding::AgentStatus;

    const FAILING: &str = "<testsuite name='s' failures='1'><testcase classname='c' name='a'><failure message='assert 1'/></testcase><testcase classname='c' name='b'/></testsuite>";

    fn write(dir: &TempDir, name: &str, text: impl AsRef<[u8]>) {
        let path = dir.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn look(dir: &TempDir, command: Option<CommandRun>) -> AgentRun {
        look_at(dir.path(), None, command)
    }

    fn look_at(root: &Path, head: Option<DateTime<Utc>>, command: Option<CommandRun>) -> AgentRun {
        gather(&Input {
            root: root.to_owned(),
            names: Vec::new(),
            head,
            exclude: Vec::new(),
            command,
        })
    }

    fn command(ending: Result<i32, String>, stdout: &str) -> CommandRun {
        CommandRun {
            shown: "make test".to_owned(),
            started: DateTime::UNIX_EPOCH + Duration::days(40_000),
            ending,
            stdout: stdout.as_bytes().to_vec(),
            stderr: Vec::new(),
        }
    }

    fn titles(run: &AgentRun) -> Vec<&str> {
        run.findings.iter().map(|finding| finding.title.as_str()).collect()
    }

    #[test]
    fn nothing_to_read_is_no_success() {
        let run = look(&tempfile::tempdir().unwrap(), None);
        assert_eq!(run.status, AgentStatus::Skipped);
        assert!(run.error.unwrap().contains("discovery.test_command"));
    }

    #[test]
    fn a_report_is_read_to_its_end() {
        let dir = tempfile::tempdir().unwrap();
        write(&dir, "junit.xml", FAILING);
        let run = look(&dir, None);
        assert_eq!(run.status, AgentStatus::Completed);
        assert_eq!(titles(&run), ["Failing test: c::a"]);
        assert_eq!(run.read, ["junit.xml (2 tests, 1 failing)"]);
        assert!(run.looked.sources.contains("junit.xml"));
        assert_eq!(run.findings[0].evidence[0].source, "junit.xml");
    }

    #[test]
    fn a_report_that_cannot_be_used_is_named_and_alone_is_a_failure() {
        let dir = tempfile::tempdir().unwrap();
        write(&dir, "junit.xml", "<testsuite>\n<testcase name='a'>");
        let run = look(&dir, None);
        assert_eq!(run.status, AgentStatus::Failed);
        assert!(run.error.unwrap().contains("junit.xml: line 2: it ends in the middle"));
        write(&dir, "TEST-x.xml", FAILING);
        let run = look(&dir, None);
        assert_eq!(run.status, AgentStatus::Completed);
        assert_eq!(run.skipped[0].what, "junit.xml");
        assert!(!run.looked.sources.contains("junit.xml"));
    }

    #[test]
    fn one_test_of_many_reports_is_one_finding_and_two_tests_of_a_file_are_two() {
        let dir = tempfile::tempdir().unwrap();
        for file in ["calc.py", "tests/test_calc.py", "tests/test_broken.py"] {
            write(&dir, file, fs::read(path("projects/pytest").join(file)).unwrap());
        }
        write(&dir, "junit.xml", report("pytest/xunit2.xml"));
        write(&dir, ".pytest_cache/v/cache/lastfailed", report("pytest/lastfailed.json"));
        let run = look(&dir, None);
        assert_eq!(run.findings.len(), 9);
        assert!(run.findings.iter().all(|finding| finding.evidence.len() == 2));
        let wrong = run
            .findings
            .iter()
            .find(|finding| finding.symbol.as_deref() == Some("test_adds_wrong"));
        let wrong = wrong.unwrap();
        assert_eq!(wrong.file.as_deref(), Some("tests/test_calc.py"));
        let lines: Vec<_> = wrong.evidence.iter().map(|evidence| evidence.line_number).collect();
        assert_eq!(lines, [None, Some(11)]);
        assert!((wrong.actionability.clarity - 0.9).abs() < 1e-9);
    }

    #[test]
    fn same_names_in_two_suites_without_a_file_are_two() {
        let dir = tempfile::tempdir().unwrap();
        write(&dir, "junit.xml", format!("<testsuites>{FAILING}{FAILING}</testsuites>"));
        assert_eq!(titles(&look(&dir, None)), ["Failing test: c::a", "Failing test: c::a #2"]);
    }

    #[test]
    fn an_incomplete_report_resolves_nothing() {
        let dir = tempfile::tempdir().unwrap();
        write(&dir, "junit.xml", FAILING.replace("failures='1'", "failures='2'"));
        let run = look(&dir, None);
        assert_eq!(run.status, AgentStatus::Completed);
        assert_eq!(run.findings.len(), 1);
        assert!(run.looked.sources.is_empty());
        assert_eq!(run.warnings[0].code, "incomplete_report");
    }

    #[test]
    fn a_report_older_than_head_or_than_a_file_it_names_is_stale() {
        let dir = tempfile::tempdir().unwrap();
        write(&dir, "test_a.py", "");
        let old =
            "<testsuite><testcase classname='test_a' name='t'><failure/></testcase></testsuite>";
        write(&dir, "junit.xml", old);
        assert_eq!(look(&dir, None).warnings, []);
        let head = Some(DateTime::UNIX_EPOCH + Duration::days(40_000));
        let run = look_at(dir.path(), head, None);
        assert_eq!(run.warnings[0].code, "stale_report");
        assert_eq!(run.findings.len(), 1, "it is used all the same");
        let file = fs::File::options().write(true).open(dir.path().join("junit.xml")).unwrap();
        file.set_modified(std::time::UNIX_EPOCH + std::time::Duration::from_secs(5)).unwrap();
        let run = look(&dir, None);
        assert!(run.warnings[0].message.contains("older than test_a.py"));
    }

    #[test]
    fn a_command_that_says_nothing_is_a_failure_unless_it_succeeds() {
        let dir = tempfile::tempdir().unwrap();
        let run = look(&dir, Some(command(Ok(0), "fine")));
        assert_eq!(run.status, AgentStatus::Completed);
        assert!(run.looked.sources.contains(COMMAND));
        assert_eq!(run.read, ["test_command `make test` (exit 0, output in no known format)"]);
        for ending in [Ok(2), Err("did not end within 1 s".to_owned())] {
            let run = look(&dir, Some(command(ending, "first\nlast words")));
            assert_eq!(run.status, AgentStatus::Failed);
            assert!(run.error.unwrap().ends_with("last words"));
            assert!(run.looked.sources.is_empty());
        }
    }

    #[test]
    fn a_commands_failures_are_findings_also_where_it_was_stopped() {
        let dir = tempfile::tempdir().unwrap();
        let out = "running 2 tests\ntest a ... FAILED\ntest b ... ok\n\nfailures:\n    a\n\ntest result: FAILED. 1 passed; 1 failed; 0 ignored\n";
        let run = look(&dir, Some(command(Ok(101), out)));
        assert_eq!(run.status, AgentStatus::Completed);
        assert_eq!(titles(&run), ["Failing test: a"]);
        assert!(run.looked.sources.contains(COMMAND));
        let run = look(&dir, Some(command(Err("was killed by signal 9".to_owned()), out)));
        assert_eq!(run.status, AgentStatus::Failed);
        assert_eq!(run.findings.len(), 1);
        assert!(run.looked.sources.is_empty());
    }

    #[test]
    fn an_older_report_yields_to_the_command_only_for_tests_that_it_saw_pass() {
        let dir = tempfile::tempdir().unwrap();
        write(
            &dir,
            "junit.xml",
            "<testsuite><testcase name='a'><failure/></testcase><testcase name='z'><failure/></testcase></testsuite>",
        );
        let out =
            "running 1 test\ntest a ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored\n";
        let run = look(&dir, Some(command(Ok(0), out)));
        assert_eq!(titles(&run), ["Failing test: z"]);
        assert!(run.skipped[0].why.contains("passed when the test command ran"));
        // The same failures, written during the run, account for its exit code.
        let mut fresh = command(Ok(1), "");
        fresh.started = DateTime::UNIX_EPOCH;
        let run = look(&dir, Some(fresh));
        assert_eq!((run.status, run.findings.len()), (AgentStatus::Completed, 2));
        // An older one does not.
        assert_eq!(look(&dir, Some(command(Ok(1), ""))).status, AgentStatus::Failed);
    }

    #[test]
    fn a_file_that_is_too_large_is_a_failure_only_if_it_is_a_report() {
        let dir = tempfile::tempdir().unwrap();
        let grow = |name: &str, head: &str| {
            write(&dir, name, head);
            let file = fs::File::options().write(true).open(dir.path().join(name)).unwrap();
            file.set_len(read::MAX_BYTES + 1).unwrap();
        };
        grow("test-data.json", "[1, 2]");
        assert_eq!(look(&dir, None).status, AgentStatus::Skipped);
        grow("test-events.json", "{\"type\":\"suite\",\"event\":\"started\"}\n");
        let run = look(&dir, None);
        assert_eq!(run.status, AgentStatus::Failed);
        assert!(run.error.unwrap().contains("test-events.json: it has more than 64 MiB"));
    }

    #[test]
    fn what_is_told_is_cut_and_clean() {
        let dir = tempfile::tempdir().unwrap();
        let long = "\u{9b}31m&#27;[31mx".repeat(2_000);
        write(
            &dir,
            "junit.xml",
            format!(
                "<testsuite><testcase name='{long}'><failure message='{long}'/></testcase></testsuite>"
            ),
        );
        let run = look(&dir, None);
        let finding = &run.findings[0];
        assert!(finding.title.chars().count() <= 200);
        assert!(finding.evidence[0].content.chars().count() <= 2_000);
        let told =
            format!("{}{}{}", finding.title, finding.evidence[0].content, finding.description);
        assert!(!told.contains(['\u{1b}', '\u{9b}']));
    }
}
