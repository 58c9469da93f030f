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
            changed: BTreeSet::new(),
            head: None,
            debate: Some(self.path().join(".debate")),
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

/// A function of Rust with this complexity.
fn function(name: &str, complexity: usize) -> String {
    format!("fn {name}() {{\n{}}}\n", "    if a { b(); }\n".repeat(complexity - 1))
}

#[test]
fn functions_above_the_threshold_are_found_with_their_scores() {
    let project = Project::new(&[
        (
            "src/a.rs",
            &format!(
                "{}{}{}",
                function("fine", 10),
                function("much", 11),
                function("exceeding", 16)
            ),
        ),
        ("tests/b.rs", &format!("{}// exceeding\n", function("helper", 30))),
    ]);
    let run = project.look();
    assert_eq!(
        found(&run),
        [
            (Rule::Complexity, "src/a.rs", Some("much")),
            (Rule::Complexity, "src/a.rs", Some("exceeding"))
        ]
    );
    let scores: Vec<_> = run.findings.iter().map(|finding| finding.actionability).collect();
    assert_eq!(scores[0], score(0.7, 0.8, Effort::Medium));
    assert_eq!(scores[1], score(0.9, 0.9, Effort::Large));
    assert_eq!(run.findings[1].evidence[0].line_number, Some(24));
    assert_eq!(run.status, AgentStatus::Completed);
    let sources: Vec<&str> = run.looked.sources.iter().map(String::as_str).collect();
    assert_eq!(sources, ["complexity", "file_stats", "missing_tests"]);
}

#[test]
fn a_table_is_told_from_a_tangle_and_overloads_are_not_numbered() {
    let arms: Vec<String> = (0..14).map(|n| format!("        {n} => b,\n")).collect();
    let arms = arms.concat();
    let stubs = "@overload\ndef pick(x): ...\n\n".repeat(3);
    let body = "    if x: pass\n".repeat(11);
    let project = Project::new(&[
        ("table.rs", &format!("fn name(x: u8) {{\n    match x {{\n{arms}    }}\n}}\n")),
        ("pick.py", &format!("{stubs}def pick(x):\n{body}")),
        ("both.py", &format!("def twice(x):\n{body}def twice(x):\n{body}")),
    ]);
    let run = project.look();
    let titles: Vec<&str> = (run.findings.iter()).map(|found| found.title.as_str()).collect();
    assert_eq!(
        titles,
        [
            "twice is complex (cyclomatic complexity 12): both.py",
            "twice#2 is complex (cyclomatic complexity 12): both.py",
            "pick is complex (cyclomatic complexity 12): pick.py",
            "name is complex (cyclomatic complexity 14): table.rs",
        ]
    );
    let says = |at: usize, text: &str| run.findings[at].description.contains(text);
    assert!(says(3, "13 of its decisions are cases"), "{:?}", run.findings[3]);
    assert!(!says(2, "cases"));
    assert_eq!(run.findings[3].measure, 14);
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
    let long = function("much", 20);
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
        ("big.rs", &function("big", 40)),
        ("mid.rs", &function("mid", 30)),
        ("new.rs", &function("new", 12)),
        ("old.rs", &function("old", 14)),
    ]);
    let mut request = project.request();
    let size = |name: &str| fs::metadata(project.path().join(name)).unwrap().len();
    request.changed.insert("new.rs".to_owned());
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
    request.changed.insert("src/a.rs".to_owned());
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

#[test]
fn nothing_usable_is_a_failure() {
    let project = Project::new(&[("lcov.info", "SF:a.c\nDA:1,1\n")]);
    let run = project.look();
    assert_eq!(run.status, AgentStatus::Failed);
    assert_eq!(run.skipped[0].what, "lcov.info");
    assert_eq!(run.skipped[0].why, "line 2: the report ends inside a record");
    assert!(run.looked.sources.is_empty());
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
fn the_cache_is_used_and_written_only_where_the_debate_folder_is_ignored() {
    let project = Project::new(&[("a.rs", &function("much", 12))]);
    let cache = project.path().join(".debate/cache/complexity.json");
    let first = project.look();
    assert!(!project.path().join(".debate").exists());
    project.write(".debate/.gitignore", "*\n");
    assert_eq!(project.look(), first);
    // The cache is believed, which shows that it was read.
    let text = fs::read_to_string(&cache).unwrap();
    fs::write(&cache, text.replace("\"complexity\":12", "\"complexity\":99")).unwrap();
    assert!(project.look().findings[0].title.contains("99"));
    // A different text has a different key.
    project.write("a.rs", &function("much", 13));
    assert!(project.look().findings[0].title.contains("13"));
    for broken in ["{", "[]", "{\"version\":999,\"files\":{}}"] {
        fs::write(&cache, broken).unwrap();
        assert!(project.look().findings[0].title.contains("13"), "{broken}");
    }
}

#[test]
fn a_cache_folder_that_leads_out_of_the_project_is_not_written() {
    let outside = tempfile::tempdir().unwrap();
    let project = Project::new(&[("a.rs", "fn a() {}\n"), (".debate/.gitignore", "*\n")]);
    std::os::unix::fs::symlink(outside.path(), project.path().join(".debate/cache")).unwrap();
    project.look();
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
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
