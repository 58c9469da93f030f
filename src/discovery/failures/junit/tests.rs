//! Reports as the tools write them (`fixtures/reports/README.md`), and hostile ones.

use proptest::prelude::*;

use super::*;
use crate::discovery::failures::testing::report;

/// Name, outcome and first line of what each failing case said.
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

#[test]
fn surefire_with_a_flaky_test_that_passed_in_the_end() {
    let found = failing("maven/TEST-com.example.CalcTest.xml");
    insta::assert_snapshot!(found.join("\n"), @r#"
    com.example.CalcTest | breaks | Errored | java.lang.NullPointerException: Cannot invoke "String.length()" because "text" is null
    com.example.CalcTest | addsWrong | Failed | java.lang.AssertionError: a sum <&> expected:<4> but was:<3>
    "#);
    assert_eq!(outcomes("maven/TEST-com.example.CalcTest.xml"), [2, 1, 1, 1]);
}

#[test]
fn gradle() {
    let found = failing("gradle/TEST-com.example.CalcTest.xml");
    insta::assert_snapshot!(found.join("\n"), @r#"
    com.example.CalcTest | breaks | Failed | java.lang.NullPointerException
    com.example.CalcTest | flaky | Failed | java.lang.IllegalStateException: connection refused
    com.example.CalcTest | addsWrong | Failed | java.lang.AssertionError: a sum <&> expected:<4> but was:<3>
    "#);
}

#[test]
fn jest() {
    let found = failing("jest/junit-file-attribute.xml");
    insta::assert_snapshot!(found.join("\n"), @r#"
    calc adds wrong <&> | calc adds wrong <&> | Failed |
    calc sums 2 and 2 | calc sums 2 and 2 | Failed |
    type | type | Failed |
    Test suite failed to run | broken.test.js | Errored |
    Test suite failed to run | broken.test.js | Failed |
    "#);
    assert_eq!(outcomes("jest/junit-default.xml"), [2, 3, 0, 1]);
}

fn why(text: &str) -> String {
    parse(text.as_bytes()).unwrap_err().to_string()
}

#[test]
fn what_is_no_whole_report_is_refused_with_its_line() {
    assert_eq!(why(""), "line 1: it is empty");
    assert_eq!(
        why("<?xml version='1.0'?>\n<project/>"),
        "line 2: it is no JUnit report: it begins with <project>"
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
    let seen: Vec<_> = parsed.cases.iter().map(|raw| (raw.outcome, raw.message.as_str())).collect();
    assert_eq!(seen, [(Outcome::Errored, "one"), (Outcome::Failed, ""), (Outcome::Skipped, "")]);
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        drop(parse(&bytes));
    }

    /// A report that was damaged anywhere is read or refused.
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
