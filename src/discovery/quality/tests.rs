//! The agent run on whole trees.

use std::fs;
use std::path::Path;

use chrono::TimeDelta;

use super::*;
use crate::discovery::finding::{AgentStatus, Rule};

struct Project(tempfile::TempDir);

impl Project {
    fn new(files: &[(&str, &str)]) -> Self {
        let project = Self(tempfile::tempdir().unwrap());
        for (name, text) in files {
            project.write(name, text);
        }
        project
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn request(&self) -> Request {
        Request {
            tree: Arc::new(Tree::read(self.path(), &[]).unwrap().0),
            settings: DiscoveryConfig::default(),
            changed: BTreeMap::new(),
            commits: 200,
            complexity: Complexity::Unknown,
            head: None,
            budget: MAX_TOTAL_BYTES,
        }
    }

    fn look(&self) -> AgentRun {
        look(&self.request())
    }
}

fn found(run: &AgentRun) -> Vec<(Rule, &str, Option<&str>)> {
    (run.findings.iter())
        .map(|finding| {
            (finding.rule, finding.file.as_deref().unwrap_or(""), finding.symbol.as_deref())
        })
        .collect()
}

/// A function of Rust with this many lines.
fn function(name: &str, lines: usize) -> String {
    format!("fn {name}() {{\n{}}}\n", "    b();\n".repeat(lines - 2))
}

#[test]
fn long_functions_are_found_and_those_of_tests_are_not() {
    let text = function("fine", 80) + &function("exceeding", 81);
    let tests = function("helper", 200) + "// exceeding\n";
    let run = Project::new(&[("src/a.rs", &text), ("tests/b.rs", &tests)]).look();
    assert_eq!(found(&run), [(Rule::LongFunction, "src/a.rs", Some("exceeding"))]);
    assert_eq!(run.findings[0].evidence[0].line_number, Some(81));
    assert_eq!(run.status, AgentStatus::Completed);
    let sources: Vec<&str> = run.looked.sources.iter().map(String::as_str).collect();
    assert_eq!(sources, ["file_stats", "missing_tests"]);
    assert!(
        run.skipped
            .iter()
            .any(|left| left.what == "complexity" && left.why.contains("pip install lizard"))
    );
}

#[test]
fn a_large_file_that_changes_often_is_found() {
    let project = Project::new(&[("a.js", &"a();\n".repeat(300)), ("b.js", &"b();\n".repeat(299))]);
    let mut request = project.request();
    for (file, commits) in [("a.js", 20), ("b.js", 100)] {
        request.changed.insert(file.to_owned(), commits);
    }
    assert_eq!(found(&look(&request)), [(Rule::HotFile, "a.js", None)]);
    request.changed.insert("a.js".to_owned(), 19);
    assert!(found(&look(&request)).is_empty());
}

#[test]
fn a_long_file_is_found_and_a_long_test_is_not() {
    let long = "let a = 1;\n".repeat(501);
    let run = Project::new(&[("a.js", &long), ("b.js", &long[11..]), ("a.test.js", &long)]).look();
    assert_eq!(found(&run), [(Rule::LongFile, "a.js", None)]);
    assert_eq!(run.findings[0].actionability, score(0.6, 0.9, Effort::Large));
}

#[test]
fn modules_that_no_test_names_are_found_where_there_are_tests() {
    let module = |name: &str| format!("def {name}(x):\n{}", "    x = x + 1\n".repeat(25));
    let files = [
        ("pkg/__init__.py", module("start")),
        ("pkg/by_file.py", module("f_one")),
        ("pkg/by_import.py", module("f_two")),
        ("pkg/by_function.py", module("reckon_tax")),
        ("pkg/nowhere.py", module("f_four")),
        ("pkg/short.py", "def x():\n    pass\n".to_owned()),
        ("pkg/types_only.py", "A = 1\n".repeat(30)),
        ("setup.py", module("f_five")),
        ("examples/demo.py", module("f_six")),
        ("web/app.js", format!("function app() {{\n{}}}\n", "  a();\n".repeat(30))),
        ("tests/test_by_file.py", String::new()),
        ("tests/test_all.py", "from pkg import by_import\nassert reckon_tax(1)\n".to_owned()),
    ];
    let files: Vec<(&str, &str)> =
        files.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let run = Project::new(&files).look();
    assert_eq!(found(&run), [(Rule::MissingTest, "pkg/nowhere.py", None)]);
    assert_eq!(run.findings[0].actionability, score(0.8, 0.7, Effort::Medium));
    let remark = run.skipped.iter().find(|left| left.what.contains("JavaScript")).unwrap();
    assert_eq!(remark.what, "modules without a test: 1 of JavaScript and TypeScript");
}

#[test]
fn rust_modules_are_tested_inside_beside_and_by_name() {
    let body = format!("pub fn work() {{\n{}}}\n", "    a();\n".repeat(30));
    let inside = format!("{body}#[cfg(test)]\nmod tests {{}}\n");
    let run = Project::new(&[
        ("src/inside.rs", &inside),
        ("src/beside.rs", &body),
        ("src/beside/tests.rs", ""),
        ("src/folder/mod.rs", &body),
        ("src/lone.rs", &body),
        ("src/main.rs", &body),
        ("tests/it.rs", "use a::folder;\n"),
    ])
    .look();
    assert_eq!(found(&run), [(Rule::MissingTest, "src/lone.rs", None)]);
}

#[test]
fn generated_and_minified_files_are_left_out() {
    let long = function("much", 200);
    let run = Project::new(&[
        ("a.rs", &format!("// @generated by a tool\n{long}")),
        ("b.js", &format!("var a = \"{}\";\n", "x".repeat(10_001))),
        ("c.rs", "fn main() {}\n"),
    ])
    .look();
    assert!(run.findings.is_empty(), "{:?}", run.findings);
    assert_eq!(run.skipped[0].what, "2 source files");
}

#[test]
fn beyond_the_budget_changed_and_large_files_come_first_and_the_rest_is_said() {
    let project = Project::new(&[
        ("big.rs", &function("big", 400)),
        ("mid.rs", &function("mid", 300)),
        ("new.rs", &function("new", 120)),
        ("old.rs", &function("old", 140)),
    ]);
    let mut request = project.request();
    let size = |name: &str| fs::metadata(project.path().join(name)).unwrap().len();
    request.changed.insert("new.rs".to_owned(), 1);
    request.budget = size("new.rs") + size("big.rs");
    let run = look(&request);
    let files: Vec<&str> = found(&run).iter().map(|(_, file, _)| *file).collect();
    assert_eq!(files, ["big.rs", "new.rs"]);
    let left: Vec<&str> = run.looked.left_out.iter().map(String::as_str).collect();
    assert_eq!(left, ["mid.rs", "old.rs"]);
    assert_eq!(run.skipped[0].what, "2 source files");
}

#[test]
fn a_test_that_was_not_read_settles_no_missing_test() {
    let project = Project::new(&[("src/a.rs", &function("work_hard", 25)), ("tests/it.rs", "x\n")]);
    let mut request = project.request();
    request.budget = 0;
    request.changed.insert("src/a.rs".to_owned(), 1);
    request.budget = fs::metadata(project.path().join("src/a.rs")).unwrap().len();
    let run = look(&request);
    assert!(!run.looked.sources.contains("missing_tests"));
    assert!(run.skipped.iter().any(|left| left.what == "modules without a test"));
}

#[test]
fn nothing_to_read_is_skipped_and_an_incomplete_tree_settles_nothing() {
    let run = Project::new(&[("README.md", "# Hello\n")]).look();
    assert_eq!(run.status, AgentStatus::Skipped);
    assert!(run.error.unwrap().contains("lcov.info"));
    let project = Project::new(&[("a.rs", "fn a() {}\n")]);
    let mut request = project.request();
    Arc::get_mut(&mut request.tree).unwrap().incomplete = true;
    let run = look(&request);
    assert!(run.looked.sources.is_empty());
    assert_eq!(run.status, AgentStatus::Completed);
}

const LCOV: &str = "SF:src/low.py\nDA:1,1\nDA:2,0\nDA:3,0\nDA:4,0\nend_of_record\n\
    SF:src/some.py\nDA:1,1\nDA:2,1\nDA:3,0\nDA:4,0\nDA:5,0\nend_of_record\n\
    SF:src/half.py\nDA:1,1\nDA:2,0\nend_of_record\nSF:gone.py\nDA:1,0\nend_of_record\n\
    SF:tests/test_a.py\nDA:1,0\nend_of_record\n";

fn covered() -> Project {
    let project = Project::new(&[
        ("src/low.py", "a\n"),
        ("src/some.py", "a\n"),
        ("src/half.py", "a\n"),
        ("tests/test_a.py", "a\n"),
    ]);
    project.write("lcov.info", LCOV);
    project
}

#[test]
fn files_below_the_coverage_are_found_with_their_scores() {
    let run = covered().look();
    assert_eq!(
        found(&run),
        [(Rule::LineCoverage, "src/low.py", None), (Rule::LineCoverage, "src/some.py", None)]
    );
    assert_eq!(run.findings[0].actionability, score(0.8, 0.9, Effort::Medium));
    assert_eq!(run.findings[1].actionability, score(0.7, 0.9, Effort::Medium));
    assert_eq!(run.findings[0].evidence[0].source, "lcov.info");
    assert_eq!(run.findings[0].evidence[0].content, "1 of 4 lines covered (25.0%)");
    assert!(run.looked.sources.contains("lcov.info"));
    assert_eq!(run.skipped[0].what, "lcov.info: 1 of 5 files");
    assert!(run.warnings.is_empty(), "{:?}", run.warnings);
}

#[test]
fn a_report_older_than_head_or_its_files_is_said_to_be_stale() {
    let project = covered();
    let mut request = project.request();
    let written =
        DateTime::from(fs::metadata(project.path().join("lcov.info")).unwrap().modified().unwrap());
    request.head = Some(written - TimeDelta::seconds(1));
    assert!(look(&request).warnings.is_empty());
    request.head = Some(written + TimeDelta::seconds(1));
    assert_eq!(look(&request).warnings[0].code, "stale_report");
    request.head = None;
    let half = Arc::get_mut(&mut request.tree)
        .unwrap()
        .files
        .iter_mut()
        .find(|file| file.name == "src/half.py");
    half.unwrap().modified = written + TimeDelta::seconds(1);
    let run = look(&request);
    assert!(run.warnings[0].message.contains("src/half.py"), "{:?}", run.warnings);
}

#[test]
fn a_report_of_another_project_settles_nothing() {
    let project = Project::new(&[("a.py", "a\n")]);
    project.write("coverage.xml", "<coverage><class filename=\"b.py\"><lines><line number=\"1\" hits=\"0\"/></lines></class></coverage>");
    let run = project.look();
    assert!(!run.looked.sources.contains("coverage.xml"));
    assert!(run.findings.is_empty());
}

#[test]
fn what_is_a_test_is_told_by_the_path() {
    for name in [
        "tests/a.rs",
        "src/a/tests.rs",
        "src/a_tests.rs",
        "pkg/test_a.py",
        "a_test.go",
        "src/ATest.java",
        "src/a.test.ts",
        "src/__tests__/a.js",
        "fixtures/a.py",
        "conftest.py",
    ] {
        assert!(is_test(name), "{name}");
    }
    for name in [
        "src/a.rs",
        "src/testing.rs",
        "latest.py",
        "src/contest.go",
        "src/Latest.java",
        "attest.ts",
    ] {
        assert!(!is_test(name), "{name}");
    }
}
