//! Streams as Go and nextest write them, and hostile ones.

use proptest::prelude::*;

use super::*;
use crate::discovery::failures::testing::report;

fn failing(parsed: &Parsed) -> Vec<String> {
    let failing = parsed.cases.iter().filter(|raw| raw.outcome.is_failure());
    failing
        .map(|raw| {
            let name = match &raw.name {
                Name::Go { package, test } => {
                    format!("{package} {}", test.as_deref().unwrap_or("-"))
                }
                Name::Rust { target, test } => format!("{target:?} {test}"),
                Name::Node(_) | Name::JUnit { .. } => panic!("{raw:?}"),
            };
            format!("{name} | {:?} | {}", raw.outcome, raw.message)
        })
        .collect()
}

#[test]
fn go_with_subtests_a_panic_and_a_package_that_does_not_build() {
    let parsed = parse(&report("go/test.jsonl")).unwrap();
    assert_eq!(parsed.gap, None);
    insta::assert_snapshot!(failing(&parsed).join("\n"), @r#"
    example.com/shop/bad - | Errored | # example.com/shop/bad [example.com/shop/bad.test]
    example.com/shop/calc TestPanics | Failed | panic: assignment to entry in nil map [recovered, repanicked]
    example.com/shop/calc TestSums/negative_numbers | Failed | calc_test.go:18: Add(-1, -1): expected 2, got -2
    "#);
}

#[test]
fn nextest_with_tests_that_were_run_again() {
    for file in ["nextest/libtest.jsonl", "nextest/libtest-plus.jsonl"] {
        let parsed = parse(&report(file)).unwrap();
        assert_eq!(parsed.gap, None);
        let mut found = failing(&parsed);
        found.sort();
        insta::allow_duplicates! {
            insta::assert_snapshot!(found.join("\n"), @r#"
    Crate { package: "calc", krate: "calc" } tests::adds_wrong | Failed | assertion `left == right` failed: a sum <&> that is wrong
    Crate { package: "calc", krate: "calc" } tests::returns_an_error | Failed | printed on the way
    Crate { package: "calc", krate: "calc" } tests::should_panic_and_does_not | Failed | test tests::should_panic_and_does_not - should panic ... FAILED
    Crate { package: "calc", krate: "it" } works | Failed | expected an error, got Ok(1)
    Crate { package: "calc", krate: "tool" } tool_fails | Failed | connection refused
    Crate { package: "other-kit", krate: "it" } works | Failed | expected an error, got Ok(1)
    "#);
        }
    }
}

fn gap(text: &str) -> String {
    parse(text.as_bytes()).unwrap().gap.unwrap()
}

#[test]
fn a_stream_that_was_cut_has_a_gap() {
    let whole = report("go/test.jsonl");
    let half = &whole[..whole.len() - 200];
    let parsed = parse(half).unwrap();
    assert!(parsed.gap.is_some());
    assert!(!failing(&parsed).is_empty(), "what it names stays");
    assert_eq!(
        gap("{\"Action\":\"run\",\"Package\":\"p\",\"Test\":\"T\"}\n"),
        "it ends before the package `p` does"
    );
    assert_eq!(
        gap("{\"type\":\"suite\",\"event\":\"started\",\"test_count\":1}\n"),
        "it ends before the last suite does"
    );
    assert_eq!(
        gap(
            "{\"type\":\"suite\",\"event\":\"started\"}\n{\"type\":\"suite\",\"event\":\"failed\",\"failed\":1}"
        ),
        "its suites count 1 failures and name 0"
    );
    assert_eq!(
        gap("{\"type\":\"test\",\"event\":\"started\",\"name\":\"a\"}"),
        "the test `a` was begun and has no result"
    );
}

#[test]
fn what_is_no_stream_is_refused_with_its_line() {
    let why = |text: &str| parse(text.as_bytes()).unwrap_err().to_string();
    assert!(why("hello").starts_with("line 1: it holds no event"));
    assert!(why("{\"a\": 1}").starts_with("line 1: it holds no event"));
    let event = "{\"type\":\"suite\",\"event\":\"ok\"}";
    assert_eq!(why(&format!("{event}\n{{broken\n{event}\n")), "line 2: it is no JSON object");
}

#[test]
fn a_parent_that_says_something_itself_is_an_item_too() {
    let event = |action: &str, test: &str, output: &str| {
        let output = serde_json::to_string(output).unwrap();
        format!(
            "{{\"Action\":\"{action}\",\"Package\":\"p\",\"Test\":\"{test}\",\"Output\":{output}}}\n"
        )
    };
    let text = [
        event("fail", "T/one", ""),
        event("output", "T", "    a_test.go:3: it failed by itself\n"),
        event("fail", "T", ""),
        "{\"Action\":\"fail\",\"Package\":\"p\"}\n".to_owned(),
    ]
    .concat();
    let parsed = parse(text.as_bytes()).unwrap();
    assert_eq!(parsed.failures(), 2);
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        drop(parse(&bytes));
    }

    #[test]
    fn any_cut_of_a_stream_is_read_or_refused(at in 0usize..7800) {
        let bytes = report("go/test.jsonl");
        drop(parse(&bytes[..at.min(bytes.len())]));
    }
}
