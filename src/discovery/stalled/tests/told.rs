//! Sources read from the output of git or gh.

use serde_json::{Value, json};

use super::super::{Branch, Reading, branches, pull_requests};
use super::{left_out, scores, time, with};
use crate::protocol::backlog::model::Effort;

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
