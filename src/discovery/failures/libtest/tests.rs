//! The output of `cargo test`, whole, apart and cut.

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
            let Name::Rust { target, test } = &raw.name else {
                panic!("{raw:?}");
            };
            let target = match target {
                Target::Source { path, krate } => format!("{krate} {path}"),
                Target::Crate { .. } | Target::Unknown => "-".to_owned(),
            };
            format!("{target} | {test} | {}", raw.message)
        })
        .collect()
}

#[test]
fn both_outputs_in_one_text_or_apart_say_the_same() {
    let whole = parse(&text("cargo/both.txt"), "").unwrap();
    assert_eq!(whole.gap, None);
    let mut found = failing(&whole);
    found.sort();
    insta::assert_snapshot!(found.join("\n"), @r#"
    - | calc/src/lib.rs - add (line 5) | assertion `left == right` failed
    calc src/lib.rs | tests::adds_wrong | assertion `left == right` failed: a sum <&> that is wrong
    calc src/lib.rs | tests::returns_an_error | printed on the way
    calc src/lib.rs | tests::should_panic_and_does_not | note: test did not panic as expected at calc/src/lib.rs:32:8
    it tests/it.rs | works | expected an error, got Ok(1)
    it tests/it.rs | works | expected an error, got Ok(1)
    tool src/bin/tool.rs | tool_fails | connection refused
    "#);
    let apart = parse(&text("cargo/stdout.txt"), &text("cargo/stderr.txt")).unwrap();
    assert_eq!(apart.gap, None);
    let mut apart = failing(&apart);
    apart.sort();
    assert_eq!(apart, found);
}

#[test]
fn a_binary_without_suites_pairs_nothing() {
    let parsed =
        parse(&text("cargo/stdout.txt"), "     Running tests/x.rs (target/debug/deps/x-1)\n")
            .unwrap();
    assert!(failing(&parsed).iter().all(|line| line.starts_with("- | ")));
}

#[test]
fn cargo_that_stopped_at_the_first_failing_binary_leaves_a_gap() {
    let parsed =
        parse(&text("cargo/stopped-stdout.txt"), &text("cargo/stopped-stderr.txt")).unwrap();
    assert_eq!(parsed.failures(), 3);
    assert!(parsed.gap.unwrap().contains("--no-fail-fast"));
}

#[test]
fn a_binary_that_ended_before_its_result_leaves_a_gap() {
    let parsed = parse("running 2 tests\ntest a ... ok\n", "").unwrap();
    assert_eq!(parsed.gap.as_deref(), Some("a binary ended before its tests did"));
    assert_eq!(parse("hello\nrunning fast\n", ""), None);
}

#[test]
fn a_result_behind_printed_words_is_taken_from_the_list() {
    let parsed = parse(
        "running 2 tests\ntest a ... printed\nFAILED\ntest b ... ok\n\nfailures:\n\n---- a stdout ----\ntest c ... FAILED\n\nfailures:\n    a\n    nobody\n\ntest result: FAILED. 1 passed; 1 failed; 0 ignored\n",
        "",
    )
    .unwrap();
    assert_eq!(failing(&parsed), ["- | a | test c ... FAILED"]);
    assert_eq!(parsed.gap, None);
}

proptest! {
    #[test]
    fn any_text_is_read(text in "(running 2 tests\n|test a \\.\\.\\. (ok|FAILED)\n|failures:\n|---- a stdout ----\n|    a\n|test result: FAILED. 1 passed; 1 failed\n|     Running tests/a.rs \\(x-1\\)\n|.{0,20}\n){0,20}") {
        drop(parse(&text, &text));
    }
}
