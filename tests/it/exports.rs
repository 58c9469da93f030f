//! Exports of issue trackers, ranked: the agents are shown their content, and the user is told which fields were not
//! read.

use serde_json::{Value, json};

use crate::support::{Run, Sandbox, fixture};

/// The one sentence on fields that are not read.
fn unread(document: &Value) -> Vec<&str> {
    let warnings = document["warnings"].as_array().unwrap().iter();
    warnings
        .filter(|warning| warning["code"] == "unknown_field")
        .map(|warning| warning["message"].as_str().unwrap())
        .collect()
}

fn prioritize(sandbox: &Sandbox, name: &str, more: &[&str]) -> Run {
    let file = fixture("opportunities").join(name).display().to_string();
    sandbox.run(&[&["prioritize", &file, "--max-rounds", "1"], more].concat())
}

#[test]
fn the_agents_are_shown_bodies_labels_and_links() {
    for (name, shown) in [
        (
            "github.json",
            &[
                "fails one in ten runs.\\r\\n\\r\\nThe cookie",
                "counting up the id in the address",
                "bug, flaky test",
                "#57 https://github.com/example/shop/issues/57",
            ][..],
        ),
        (
            "gitlab.json",
            &[
                "today they copy by hand",
                "feature, accounting",
                "#8 https://gitlab.com/example/shop/-/issues/8",
            ],
        ),
        (
            "jira.json",
            &[
                "Going back from payment empties the voucher field.\\nSeen by 4% of carts",
                "WEB-13 https://example.atlassian.net/browse/WEB-13",
                "checkout, revenue",
            ],
        ),
    ] {
        let sandbox = Sandbox::new();
        let run = prioritize(&sandbox, name, &["--json"]);
        let document = run.json();
        let calls = sandbox.calls();
        assert_eq!(calls.len(), 3, "{name}: {}", run.stderr);
        for call in calls {
            let prompt = call.read("stdin");
            for text in shown {
                assert!(prompt.contains(text), "{name}, {}: no `{text}`", call.turn);
            }
            assert!(!prompt.contains("Dark mode"), "a closed issue is not asked about");
        }
        // Unread fields are reported once, and in the same words everywhere.
        let [said] = unread(&document)[..] else {
            panic!("{name}: {}", document["warnings"]);
        };
        run.says(said);
        let dry = prioritize(&Sandbox::new(), name, &["--json", "--dry-run"]);
        assert_eq!(unread(&dry.exits(0).json()), [said], "{name}");
        dry.says(said);
        let dry = prioritize(&Sandbox::new(), name, &["--dry-run"]);
        // A line wider than the screen is wrapped.
        let words: Vec<&str> = dry.exits(0).stdout.split_whitespace().collect();
        assert_eq!(words.join(" ").matches(said).count(), 1, "{name}");
    }
}

#[test]
fn a_client_of_the_server_is_told_as_well() {
    let sandbox = Sandbox::new();
    let mut mcp = sandbox.mcp();
    let items = json!([
        { "title": "Login test flaky", "body": "It fails one in ten runs.", "assignees": [1], "number": 41 },
        { "title": "Search is slow", "labels": ["speed"], "assignees": [2] },
    ]);
    let result = mcp.result("prioritize_backlog", json!({ "opportunities": items }));
    assert!(result["warnings"].to_string().contains("`assignees` (2 items)"), "{result}");
    let prompt = sandbox.calls()[0].read("stdin");
    assert!(prompt.contains("It fails one in ten runs.") && prompt.contains("speed"));
}

#[test]
fn a_table_is_read_as_it_comes_and_its_issues_are_named_in_the_ranking() {
    let sandbox = Sandbox::new();
    let table = std::fs::read(fixture("opportunities/jira.csv")).unwrap();
    sandbox.write("jira.csv", table);
    let run = sandbox.run(&["prioritize", "jira.csv", "--json"]);
    let ranked = run.exits(0).json()["ranked_opportunities"].clone();
    assert!(ranked.as_array().unwrap().iter().any(|item| item["issue"] == "WEB-1"), "{ranked}");
    let prompt = sandbox.calls()[0].read("stdin");
    for text in ["Login test, flaky", "since May", "WEB-1", "Dark mode"] {
        assert!(prompt.contains(text), "{text}");
    }
}
