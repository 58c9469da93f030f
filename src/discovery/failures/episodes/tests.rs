//! Episodes that count, that do not, and that are none.

use proptest::prelude::*;

use super::*;

fn line(goal: &str, success: bool, error: &str) -> String {
    format!(
        "{{\"episode_id\":\"e\",\"timestamp\":\"2026-01-02T03:04:05Z\",\"goal_id\":\"{goal}\",\"success\":{success},\"error\":\"{error}\",\"cost_usd\":1}}\n"
    )
}

#[test]
fn goals_of_tests_that_failed_last() {
    let text = [
        line("fix-Test-a", false, "one"),
        line("fix-Test-a", false, "two"),
        line("test-b", false, "x"),
        line("test-b", true, ""),
        line("ship", false, "x"),
    ]
    .concat();
    let (goals, malformed) = read(text.as_bytes());
    assert_eq!(malformed, []);
    assert_eq!(goals.len(), 1);
    assert_eq!((goals[0].goal.as_str(), goals[0].failures), ("fix-Test-a", 2));
    assert_eq!(goals[0].error, "two");
    assert!(goals[0].at.is_some());
}

#[test]
fn only_the_last_hundred_count_and_broken_lines_are_named() {
    let mut text = line("test-old", false, "x");
    text.push('\n');
    for _ in 0..99 {
        text.push_str(&line("ship", true, ""));
    }
    text.push_str("{broken\n");
    let (goals, malformed) = read(text.as_bytes());
    assert_eq!(goals, []);
    assert_eq!(malformed.len(), 1);
    assert_eq!(malformed[0].line, 102);
}

#[test]
fn a_goal_names_a_test_only_as_a_whole() {
    let goal = |goal: &str| FailedGoal {
        goal: goal.to_owned(),
        error: String::new(),
        failures: 1,
        episode: None,
        at: None,
    };
    let fix = goal("fix tests/test_a.py::test_x now");
    assert!(fix.names(Some("tests/test_a.py"), "test_x"));
    assert!(!fix.names(Some("tests/test_a.py"), "test"));
    assert!(!fix.names(Some("test_a.py"), "test_x"));
    assert!(!goal("tests").names(None, "tests"));
}

proptest! {
    #[test]
    fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        drop(read(&bytes));
    }
}
