//! What pytest prints, in several manners, and its cache.

use proptest::prelude::*;

use super::*;
use crate::discovery::failures::testing::report;

fn text(name: &str) -> String {
    String::from_utf8(report(name)).unwrap()
}

fn failing(parsed: &Parsed) -> Vec<String> {
    let failing = parsed.cases.iter().filter(|raw| raw.outcome.is_failure());
    failing
        .map(|raw| {
            let node = node(&raw.name).unwrap();
            format!("{node} | {:?} | {}", raw.outcome, raw.message)
        })
        .collect()
}

fn nodes(parsed: &Parsed) -> Vec<String> {
    let mut nodes: Vec<String> = parsed
        .cases
        .iter()
        .filter(|raw| raw.outcome.is_failure())
        .filter_map(|raw| node(&raw.name).map(str::to_owned))
        .collect();
    nodes.sort();
    nodes.dedup();
    nodes
}

#[test]
fn the_summary_and_what_the_sections_say() {
    let parsed = parse(&text("pytest/plain.txt")).unwrap();
    assert_eq!(parsed.gap, None);
    insta::assert_snapshot!(failing(&parsed).join("\n"), @r#"
    tests/test_calc.py::test_adds_wrong | Failed | AssertionError: expected 4 got 3 <&> é
    tests/test_calc.py::test_sums[2-2-5] | Failed | assert 4 == 5
    tests/test_calc.py::test_sums[3-3-7] | Failed | assert 6 == 7
    tests/test_calc.py::test_parses[a - b] | Failed | ValueError: invalid literal for int() with base 10: 'a - b'
    tests/test_calc.py::test_parses[x::y] | Failed | ValueError: invalid literal for int() with base 10: 'x::y'
    tests/test_calc.py::TestParse::test_type | Failed | TypeError: int() argument must be a string, a bytes-like object or a real number, not 'NoneType'
    tests/test_broken.py | Errored | ModuleNotFoundError: No module named 'no_such_module_here'
    tests/test_calc.py::test_setup | Errored | ConnectionError: no database
    tests/test_calc.py::test_teardown | Errored | KeyError: 'teardown'
    "#);
    let wrong = &parsed.cases[0];
    assert!(wrong.text.contains("tests/test_calc.py:11: AssertionError"), "{wrong:?}");
}

#[test]
fn summary_verbose_output_and_cache_name_the_same_tests() {
    let plain = nodes(&parse(&text("pytest/plain.txt")).unwrap());
    assert_eq!(plain.len(), 9);
    assert_eq!(nodes(&parse(&text("pytest/verbose.txt")).unwrap()), plain);
    let cache = last_failed(&report("pytest/lastfailed.json")).unwrap();
    assert_eq!(nodes(&cache), plain);
}

#[test]
fn verbose_output_says_it_where_the_summary_is_switched_off() {
    let text = text("pytest/verbose.txt");
    let without: Vec<&str> = text
        .lines()
        .filter(|line| !line.starts_with("FAILED ") && !line.starts_with("ERROR "))
        .collect();
    let parsed = parse(&without.join("\n")).unwrap();
    // The file that could not be imported stands in the summary alone.
    assert_eq!(nodes(&parsed).len(), 8);
    assert_eq!(parsed.gap.as_deref(), Some("pytest counts 9 failures and errors and names 8"));
    let named = parsed.cases.iter().filter(|raw| raw.outcome == Outcome::Passed);
    assert_eq!(named.count(), 4);
}

#[test]
fn a_run_that_was_stopped_has_a_gap() {
    for (file, failing) in [("pytest/interrupted.txt", 1), ("pytest/stopped.txt", 1)] {
        let parsed = parse(&text(file)).unwrap();
        assert_eq!(nodes(&parsed).len(), failing, "{file}");
        assert!(parsed.gap.unwrap().starts_with("pytest did not run all tests"));
    }
    let cut = text("pytest/plain.txt");
    let cut = &cut[..cut.find("ERROR tests/test_broken.py").unwrap()];
    assert_eq!(parse(cut).unwrap().gap.as_deref(), Some("it ends before pytest counts its tests"));
}

#[test]
fn a_test_that_passed_at_last_is_no_failure() {
    let parsed = parse(&text("pytest/reruns.txt")).unwrap();
    assert_eq!(nodes(&parsed), ["tests/test_flaky.py::test_always"]);
    assert_eq!(parsed.gap, None);
}

#[test]
fn other_texts_are_not_its_output() {
    assert_eq!(parse("FAILED tests/a.py::b - no\n"), None);
    assert_eq!(parse("I have 3 failed attempts in 2 days\n"), None);
    assert!(parse("2 passed in 0.01s\n").is_some());
    assert!(last_failed(b"[1]").unwrap_err().to_string().starts_with("line 1: "));
    assert_eq!(last_failed(b"{}").unwrap().cases, []);
}

#[test]
fn lines_of_xdist_are_read() {
    let raw = progress("[gw1] [ 50%] FAILED tests/test_a.py::test_x[a b]").unwrap();
    assert_eq!(raw.name, Name::Node("tests/test_a.py::test_x[a b]".to_owned()));
    assert_eq!(progress("tests/test_a.py::test_x SKIPPED (why) [ 5%]"), None);
}

proptest! {
    #[test]
    fn any_text_is_read(text in "(=== short test summary info ===\n|FAILED a.py::b\\[x - y\\] - z\n|ERROR .{0,10}\n|=== 1 failed in 0.1s ===\n|__ b __\n|=== FAILURES ===\n|!!!! x !!!!\n|.{0,30}\n){0,20}") {
        drop(parse(&text));
    }

    #[test]
    fn any_bytes_are_a_cache_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        drop(last_failed(&bytes));
    }
}
