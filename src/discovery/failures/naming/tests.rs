//! The same failing test has the same name, whichever tool reports it.

use std::collections::BTreeSet;

use super::*;
use crate::discovery::failures::case::Parsed;
use crate::discovery::failures::testing::{path, project, report};
use crate::discovery::failures::{junit, libtest, pytest, stream};

fn names(layout: &Layout, at: &str, parsed: &Parsed) -> BTreeSet<String> {
    let mut naming = Naming::new(layout, at);
    parsed
        .cases
        .iter()
        .map(|raw| naming.name(raw))
        .filter(|case| case.outcome.is_failure())
        .map(|case| format!("{}::{}", case.file.as_deref().unwrap_or("-"), case.symbol))
        .collect()
}

fn text(name: &str) -> String {
    String::from_utf8(report(name)).unwrap()
}

#[test]
fn pytests_reports_its_output_and_its_cache() {
    let layout = project("pytest");
    let expected =
        names(&layout, "junit.xml", &junit::parse(&report("pytest/xunit2.xml")).unwrap());
    insta::assert_snapshot!(
        expected.iter().cloned().collect::<Vec<_>>().join("\n"),
        @r"
    tests/test_broken.py::(whole file)
    tests/test_calc.py::TestParse::test_type
    tests/test_calc.py::test_adds_wrong
    tests/test_calc.py::test_parses[a - b]
    tests/test_calc.py::test_parses[x::y]
    tests/test_calc.py::test_setup
    tests/test_calc.py::test_sums[2-2-5]
    tests/test_calc.py::test_sums[3-3-7]
    tests/test_calc.py::test_teardown
    "
    );
    let others = [
        junit::parse(&report("pytest/xunit1.xml")).unwrap(),
        pytest::parse(&text("pytest/plain.txt")).unwrap(),
        pytest::parse(&text("pytest/verbose.txt")).unwrap(),
        pytest::last_failed(&report("pytest/lastfailed.json")).unwrap(),
    ];
    for other in others {
        assert_eq!(names(&layout, "reports/out.txt", &other), expected);
    }
}

#[test]
fn cargos_output_and_nextests_reports() {
    let layout = project("cargo");
    let expected = names(
        &layout,
        "target/nextest/default/junit.xml",
        &junit::parse(&report("nextest/junit.xml")).unwrap(),
    );
    insta::assert_snapshot!(
        expected.iter().cloned().collect::<Vec<_>>().join("\n"),
        @r"
    calc/src/bin/tool.rs::tool_fails
    calc/src/lib.rs::tests::adds_wrong
    calc/src/lib.rs::tests::returns_an_error
    calc/src/lib.rs::tests::should_panic_and_does_not
    calc/tests/it.rs::works
    other-kit/tests/it.rs::works
    "
    );
    let events = stream::parse(&report("nextest/libtest.jsonl")).unwrap();
    assert_eq!(names(&layout, "", &events), expected);
    let mut with_doc_test = expected;
    with_doc_test.insert("calc/src/lib.rs::add (line 5)".to_owned());
    let whole = libtest::parse(&text("cargo/both.txt"), "").unwrap();
    assert_eq!(names(&layout, "", &whole), with_doc_test);
    let apart = libtest::parse(&text("cargo/stdout.txt"), &text("cargo/stderr.txt")).unwrap();
    assert_eq!(names(&layout, "", &apart), with_doc_test);
}

#[test]
fn maven_and_gradle() {
    let layout = project("jvm");
    let read = |name: &str| junit::parse(&report(name)).unwrap();
    let sums = names(
        &layout,
        "target/surefire-reports/TEST-com.example.SumTest.xml",
        &read("maven/TEST-com.example.SumTest.xml"),
    );
    assert_eq!(
        sums.iter().collect::<Vec<_>>(),
        ["src/test/java/com/example/SumTest.java::com.example.SumTest::sums[3]"]
    );
    let gradle = names(
        &layout,
        "build/test-results/test/TEST-com.example.SumTest.xml",
        &read("gradle/TEST-com.example.SumTest.xml"),
    );
    assert_eq!(gradle, sums);
    let place = Naming::new(&layout, "target/surefire-reports/x.xml")
        .name(&read("maven/TEST-com.example.CalcTest.xml").cases[0])
        .place;
    let file = "src/test/java/com/example/CalcTest.java".to_owned();
    assert_eq!(place, Some((file, 23)));
}

/// By hand, from what is known of JUnit 5 on Gradle: no tool of that age could be had.
#[test]
fn a_method_with_brackets_and_an_inner_class() {
    let layout = project("jvm");
    let by_hand = b"<testsuite><testcase name='adds()' classname='com.example.CalcTest$Inner'><failure/></testcase></testsuite>";
    let found = names(&layout, "build/test-results/test/x.xml", &junit::parse(by_hand).unwrap());
    assert_eq!(
        found.iter().collect::<Vec<_>>(),
        ["src/test/java/com/example/CalcTest.java::com.example.CalcTest$Inner::adds"]
    );
}

#[test]
fn jest_with_and_without_the_files_name() {
    let layout = project("jest");
    let root = path("projects/jest").canonicalize().unwrap();
    let read = |name: &str| {
        let text = text(name).replace("/tmp/fx/jest", root.to_str().unwrap());
        names(&layout, "junit.xml", &junit::parse(text.as_bytes()).unwrap())
    };
    let default = read("jest/junit-default.xml");
    assert_eq!(
        default.iter().collect::<Vec<_>>(),
        [
            "calc.test.js::calc adds wrong <&>",
            "calc.test.js::calc sums 2 and 2",
            "calc.test.js::type"
        ]
    );
    let mut named = read("jest/junit-file-attribute.xml");
    assert!(named.remove("broken.test.js::Test suite failed to run::broken.test.js"));
    assert_eq!(named, default);
}

#[test]
fn nodes_own_runner_tells_two_of_one_name_apart_by_their_suites() {
    let layout = project("node");
    let root = path("projects/node").canonicalize().unwrap();
    let text = text("node/junit.xml").replace("/tmp/fx/node", root.to_str().unwrap());
    let parsed = junit::parse(text.as_bytes()).unwrap();
    assert_eq!(
        names(&layout, "junit.xml", &parsed).iter().collect::<Vec<_>>(),
        ["test/calc.mjs::adds", "test/calc.mjs::products > of two", "test/calc.mjs::sums > of two"]
    );
    let mut naming = Naming::new(&layout, "junit.xml");
    let place = naming.name(&parsed.cases[0]).place;
    assert_eq!(place, Some(("test/calc.mjs".to_owned(), 4)));
}

#[test]
fn go() {
    let layout = project("go");
    let found = names(&layout, "", &stream::parse(&report("go/test.jsonl")).unwrap());
    assert_eq!(
        found.iter().collect::<Vec<_>>(),
        [
            "-::package example.com/shop/bad",
            "calc/calc_test.go::TestPanics",
            "calc/calc_test.go::TestSums/negative_numbers"
        ]
    );
}

#[test]
fn a_file_that_is_not_there_is_a_part_of_the_symbol() {
    let layout = Layout::new(&path("projects/pytest"), []);
    let parsed =
        pytest::last_failed(br#"{"../../../etc/passwd::test_x": true, "gone.py::test_y": true}"#)
            .unwrap();
    let found = names(&layout, ".pytest_cache/v/cache/lastfailed", &parsed);
    assert_eq!(
        found.iter().collect::<Vec<_>>(),
        ["-::../../../etc/passwd::test_x", "-::gone.py::test_y"]
    );
}

#[test]
fn long_symbols_stay_apart_and_hold_no_control_characters() {
    let long = "x".repeat(600);
    let (one, two) = (bounded(&format!("{long}1")), bounded(&format!("{long}2")));
    assert!(one.len() <= 500 && one != two, "{one}");
    assert_eq!(bounded("a\u{1b}[31mb"), "ab");
}

#[test]
fn places_of_several_languages_are_found() {
    let found: Vec<_> = bare_places(
        "at src/lib.rs:10:9\nFile \"a b.py\", line 7\n(CalcTest.java:23)\n x:1 http://a.b:80",
    )
    .collect();
    assert_eq!(found, [("src/lib.rs", 10), ("a b.py", 7), ("CalcTest.java", 23)]);
}
