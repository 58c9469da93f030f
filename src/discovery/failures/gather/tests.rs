//! Reports, command and episodes together: what is found, what is left out, what silence means.

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
    gather(&Input { root: root.to_owned(), names: Vec::new(), head, exclude: Vec::new(), command })
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
    write(&dir, "pytest-output.txt", report("pytest/plain.txt"));
    write(&dir, ".pytest_cache/v/cache/lastfailed", report("pytest/lastfailed.json"));
    let run = look(&dir, None);
    assert_eq!(run.findings.len(), 9);
    assert!(run.findings.iter().all(|finding| finding.evidence.len() == 3));
    let wrong =
        run.findings.iter().find(|finding| finding.symbol.as_deref() == Some("test_adds_wrong"));
    let wrong = wrong.unwrap();
    assert_eq!(wrong.file.as_deref(), Some("tests/test_calc.py"));
    let lines: Vec<_> = wrong.evidence.iter().map(|evidence| evidence.line_number).collect();
    assert_eq!(lines, [None, Some(11), Some(11)]);
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
    let old = "<testsuite><testcase classname='test_a' name='t'><failure/></testcase></testsuite>";
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
    let out = "running 1 test\ntest a ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored\n";
    let run = look(&dir, Some(command(Ok(0), out)));
    assert_eq!(titles(&run), ["Failing test: z"]);
    assert!(run.skipped[0].why.contains("passed when the test command ran"));
    // The same failures, written in the run, make its exit code a told one.
    let mut fresh = command(Ok(1), "");
    fresh.started = DateTime::UNIX_EPOCH;
    let run = look(&dir, Some(fresh));
    assert_eq!((run.status, run.findings.len()), (AgentStatus::Completed, 2));
    // An older one does not.
    assert_eq!(look(&dir, Some(command(Ok(1), ""))).status, AgentStatus::Failed);
}

#[test]
fn episodes_join_the_test_that_they_name() {
    let dir = tempfile::tempdir().unwrap();
    write(&dir, "test_a.py", "");
    write(
        &dir,
        "junit.xml",
        "<testsuite><testcase classname='test_a' name='t'><failure/></testcase></testsuite>",
    );
    let episode =
        |goal: &str| format!("{{\"goal_id\":\"{goal}\",\"success\":false,\"error\":\"no\"}}\n");
    let name = ".swarm/chief-of-staff/episodes/episodes.jsonl";
    write(&dir, name, [episode("fix-test_a.py::t"), episode("write tests")].concat());
    let run = look(&dir, None);
    let sources: Vec<Vec<&str>> = run
        .findings
        .iter()
        .map(|finding| finding.evidence.iter().map(|evidence| evidence.source.as_str()).collect())
        .collect();
    // `fix-` is no part of the file's name, but the name does not stand by itself either.
    assert_eq!(sources.len(), 2, "{sources:?}");
    assert_eq!(sources[0], ["junit.xml", name]);
    assert_eq!(titles(&run)[1], "Failed goal of tests: write tests");
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
    let told = format!("{}{}{}", finding.title, finding.evidence[0].content, finding.description);
    assert!(!told.contains(['\u{1b}', '\u{9b}']));
}
