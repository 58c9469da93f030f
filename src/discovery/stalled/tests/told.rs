//! Sources read line by line, or from the output of git or gh.

use serde_json::{Value, json};

use super::super::{Branch, Reading, branches, conclude, episodes, pull_requests};
use super::{EPISODES, folder, left_out, look, put, scores, time, with};
use crate::protocol::backlog::model::Effort;

pub(super) fn episode(goal: &str, success: bool) -> String {
    json!({"goal_id": goal, "success": success, "timestamp": "2026-03-01T00:00:00", "error": "boom"})
        .to_string()
}

#[test]
fn a_goal_that_fails_again_and_again_is_found_unless_it_succeeded_since() {
    let mut lines = Vec::new();
    for (goal, outcomes) in [
        ("thrice", "fff"),
        ("seven", "fffffff"),
        ("twice", "ff"),
        ("healed", "fffffs"),
        ("relapsed", "fffsff"),
        ("worse", "sffff"),
    ] {
        lines.extend(outcomes.chars().map(|outcome| episode(goal, outcome == 's')));
    }
    let dir = folder(&[(EPISODES, &lines.join("\n"))]);
    let source = look(episodes, &dir);
    assert_eq!(
        scores(&source),
        [
            ("seven", 0.9, 0.8, Effort::Medium),
            ("thrice", 0.5, 0.8, Effort::Medium),
            ("worse", 0.6, 0.8, Effort::Medium),
        ]
    );
    assert_eq!(source.findings[0].title, "Goal seven failed 7 times in a row");
    assert_eq!(
        source.findings[0].evidence[0].content,
        "failed 7 times within the last 100 episodes: boom"
    );
    assert_eq!(source.findings[0].evidence[0].timestamp, Some(time("2026-03-01T00:00:00Z")));
    assert_eq!(source.amount, "29 episodes");
}

#[test]
fn of_a_huge_log_the_last_hundred_lines_are_read_from_its_end() {
    let filler = format!("{}\n", episode(&"x".repeat(50_000), true));
    let mut log = filler.repeat(200);
    for _ in 0..3 {
        log += &(episode("early", false) + "\n");
    }
    for _ in 0..98 {
        log += &(episode("fine", true) + "\n");
    }
    // Only two of `early` are among the last hundred.
    let dir = folder(&[(EPISODES, &log)]);
    let source = look(episodes, &dir);
    assert_eq!((source.findings.len(), source.amount.as_str()), (0, "100 episodes"));
    assert_eq!(left_out(&source), [""; 0]);

    put(dir.path(), EPISODES, filler.repeat(200));
    let source = look(episodes, &dir);
    assert!(left_out(&source)[0].contains("the older ones were not read"), "{source:?}");
    assert!(!conclude(vec![source]).looked.sources.contains(EPISODES));

    // One line, longer than the part that is read.
    put(dir.path(), EPISODES, vec![b'x'; 5 << 20]);
    let source = look(episodes, &dir);
    assert_eq!(source.reading, Reading::Unusable);
}

#[test]
fn a_malformed_episode_is_left_out_with_its_line() {
    let log = format!("{}\n\nnonsense\n{{\"success\": true}}\n\n", episode("a", false));
    let dir = folder(&[(EPISODES, &log)]);
    let source = look(episodes, &dir);
    assert_eq!(
        left_out(&source),
        [
            format!("{EPISODES}, line 3: it is not JSON: expected ident at column 2"),
            format!("{EPISODES}, line 4: it has no `goal_id`"),
        ]
    );
    assert_eq!(source.amount, "1 episode");
}

#[test]
fn a_branch_is_stale_when_it_is_old_and_has_commits_of_its_own() {
    let branch = |name: &str, committed: &str, ahead| Branch {
        name: name.to_owned(),
        committed: time(committed),
        author: "Ada".to_owned(),
        ahead,
    };
    let all = [
        branch("old", "2026-02-01T00:00:00Z", 3),
        branch("merged", "2026-02-01T00:00:00Z", 0),
        // Fourteen days to the second.
        branch("edge", "2026-02-24T12:00:00Z", 1),
    ];
    let source = with(|rules| branches("main", 3, &all, rules));
    assert_eq!(scores(&source), [("old", 0.7, 0.8, Effort::Small)]);
    assert_eq!(
        source.findings[0].title,
        "Branch old has 3 commits not in main and has not been touched for 37 days"
    );
    let none = with(|rules| branches("main", 0, &[], rules));
    assert_eq!(none.reading, Reading::Read, "a repository without other branches was read");
}

#[test]
fn a_pull_request_is_stale_when_nobody_updated_it() {
    let pull = |number: u64, updated: &str| {
        json!({"number": number, "title": "Add \u{1b}[31mcolour", "headRefName": "topic",
            "updatedAt": updated, "url": "https://x/1", "isDraft": true,
            "author": {"login": "ada"}})
    };
    let listed = json!([
        pull(12, "2026-02-01T00:00:00Z"),
        pull(13, "2026-03-09T00:00:00Z"),
        pull(14, "2031-01-01T00:00:00Z"),
        {"title": "no number"},
    ]);
    let source = with(|rules| pull_requests(listed.to_string().as_bytes(), rules));
    assert_eq!(scores(&source), [("#12", 0.7, 0.8, Effort::Small)]);
    assert_eq!(
        source.findings[0].title,
        "Pull request #12 has not been updated for 37 days: Add colour"
    );
    assert_eq!(
        left_out(&source),
        [
            "gh #14: `updatedAt`: `2031-01-01T00:00:00Z` is in the future",
            "gh entry 4: it has no `number`",
        ]
    );
    for (printed, reading) in [
        ("[]", Reading::Read),
        ("{}", Reading::Unusable),
        ("no JSON", Reading::Unusable),
        ("", Reading::Unusable),
    ] {
        let source = with(|rules| pull_requests(printed.as_bytes(), rules));
        assert_eq!(source.reading, reading, "{printed}");
    }
    let many: Vec<Value> = (0..100).map(|n| pull(n, "2026-03-09T00:00:00Z")).collect();
    let source = with(|rules| pull_requests(json!(many).to_string().as_bytes(), rules));
    assert_eq!(source.left_out.len(), 1, "there may be more than were asked for");
}
