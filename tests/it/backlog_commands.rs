//! `backlog` and its commands, through the binary.

use serde_json::{Value, json};

use crate::support::{Run, Sandbox};

/// A project whose store contains these items.
fn holding(items: &Value) -> Sandbox {
    let sandbox = Sandbox::new();
    let file = json!({ "opportunities": items });
    sandbox.write(".swarm/backlog/candidates.json", file.to_string());
    sandbox
}

fn item(id: &str, status: &str, title: &str) -> Value {
    json!({
        "opportunity_id": id,
        "opportunity_type": "test_failure",
        "status": status,
        "title": title,
        "created_at": "2026-01-01T00:00:00Z",
        "updated_at": "2026-01-01T00:00:00Z",
        "actionability": { "clarity": 0.5, "evidence": 0.5, "effort": "small" },
    })
}

fn team() -> Sandbox {
    let mut ranked = item("opp-tf-bbbb00000002", "actionable", "Fix the test of the lexer");
    ranked["priority_rank"] = json!(1);
    let mut gone = item("opp-tf-ffff00000006", "actionable", "Fix what is gone");
    gone["resolved_at"] = json!("2026-01-02T00:00:00Z");
    let mut scored = item("opp-cx-aaaa00000007", "discovered", "Simplify the parser");
    scored["opportunity_type"] = json!("complexity");
    scored["actionability"]["clarity"] = json!(0.9);
    holding(&json!([
        item("opp-tf-aaaa00000001", "discovered", "Fix the test of the parser"),
        ranked,
        item("opp-tf-cccc00000003", "accepted", "Fix the build"),
        item("opp-tf-dddd00000004", "rejected", "Fix the tests of the parser"),
        item("opp-tf-eeee00000005", "deferred", "Fix the docs"),
        gone,
        scored,
    ]))
}

fn ids(run: &Run) -> Vec<String> {
    let document = run.exits(0).json();
    let items = document["opportunities"].as_array().unwrap();
    (items.iter()).map(|item| item["opportunity_id"].as_str().unwrap().to_owned()).collect()
}

fn stored(sandbox: &Sandbox, id: &str) -> Value {
    let run = sandbox.run(&["backlog", "show", id, "--json"]);
    run.exits(0).json()["opportunities"][0].clone()
}

fn file(sandbox: &Sandbox) -> String {
    std::fs::read_to_string(sandbox.project().join(".swarm/backlog/candidates.json")).unwrap()
}

#[test]
fn decisions_are_kept_told_and_taken_back() {
    let sandbox = team();
    let run = sandbox.run(&["backlog", "accept", "tf-a", "tf-b", "tf-a", "--issue", "12"]);
    assert_eq!(run.exits(0).stdout.lines().count(), 2, "{}", run.stdout);
    let item = stored(&sandbox, "tf-b");
    assert_eq!((&item["status"], &item["linked_issue"]), (&json!("accepted"), &json!(12)));
    assert_eq!(item["priority_rank"], 1);
    sandbox.run(&["backlog", "reject", "tf-b"]).exits(2).says("--why");
    sandbox.run(&["backlog", "reject", "tf-b", "--why", " "]).exits(2).says("must not be empty");
    sandbox.run(&["backlog", "reject", "tf-b", "--why", "Flaky, and gone soon."]).exits(0);
    let text = sandbox.run(&["backlog", "show", "tf-b"]).stdout;
    assert!(text.contains("rejected") && text.contains("Flaky, and gone soon."), "{text}");
    sandbox.run(&["backlog", "defer", "tf-b"]).exits(0);
    let item = stored(&sandbox, "tf-b");
    assert_eq!((&item["status"], &item["rejected_why"]), (&json!("deferred"), &Value::Null));
    sandbox.run(&["backlog", "reopen", "tf-b"]).exits(0);
    assert_eq!(stored(&sandbox, "tf-b")["status"], "actionable", "its score is 0.6");
    assert_ne!(stored(&sandbox, "tf-b")["updated_at"], "2026-01-01T00:00:00Z");
}

#[test]
fn an_item_of_ones_own_is_added_edited_and_not_added_twice() {
    let sandbox = Sandbox::new();
    let add = [
        "backlog",
        "add",
        "--title",
        "Cache the schema",
        "--file",
        "./src/a.rs",
        "--type",
        "code_quality",
    ];
    let run = sandbox.run(&[&add[..], &["--json"]].concat());
    let added = run.exits(0).json()["opportunities"][0].clone();
    assert_eq!(added["affected_files"], json!(["src/a.rs"]));
    assert_eq!((&added["discovered_by"], &added["status"]), (&json!("user"), &json!("discovered")));
    sandbox.run(&add).exits(2).says("already has such an item");
    sandbox.run(&["backlog", "edit", "cq"]).exits(2);
    sandbox.run(&["backlog", "edit", "cq", "--title", "\u{1b}[31m \n"]).exits(2);
    sandbox.run(&["backlog", "edit", "cq", "--description", "Why.\nHow."]).exits(0);
    let item = stored(&sandbox, "cq");
    assert_eq!(
        (&item["title"], &item["description"]),
        (&json!("Cache the schema"), &json!("Why.\nHow."))
    );
    assert_eq!(item["edited"], json!(["title", "description"]));
    sandbox.run(&["backlog", "add", "--title", ""]).exits(2);
    sandbox.run(&["backlog", "add", "--title", &"x".repeat(201)]).exits(2).says("more than 200");
}

#[test]
fn exports_hold_every_item_and_nothing_that_acts() {
    let evil = "=HYPERLINK(\"http://evil\")";
    let sandbox = holding(&json!([
        item("opp-tf-a", "rejected", evil),
        item("opp-tf-b", "discovered", "![x](http://evil) | <script>"),
    ]));
    let csv = sandbox.run(&["backlog", "export", "--format", "csv"]).exits(0).stdout.clone();
    assert!(csv.contains("\"'=HYPERLINK"), "{csv}");
    assert_eq!(csv.lines().count(), 3);
    let text = sandbox.run(&["backlog", "export"]).exits(0).stdout.clone();
    assert!(!text.contains("![x](") && !text.contains("<script>"), "{text}");
    let json = sandbox.run(&["backlog", "export", "--format", "json"]).exits(0).json();
    assert_eq!(json["opportunities"].as_array().unwrap().len(), 2);
    let two = ["backlog", "export", "--format", "csv", "--json"];
    sandbox.run(&two).exits(2).says("two formats");
    // An export can be ranked.
    sandbox.write("exported.json", json.to_string());
    sandbox.run(&["prioritize", "exported.json", "--dry-run"]).exits(0);
}

#[test]
fn a_store_that_cannot_be_understood_is_an_error_and_stays_as_it_is() {
    let sandbox = Sandbox::new();
    let text = "{\"opportunities\": [\n  {\"title\": \"a\", \"status\": \"done\"}\n]}";
    sandbox.write(".swarm/backlog/candidates.json", text);
    for args in [
        &["backlog"][..],
        &["backlog", "show", "x"],
        &["backlog", "add", "--title", "x"],
        &["backlog", "export"],
    ] {
        let run = sandbox.run(args);
        run.exits(5).says("candidates.json: item 1").says("field `status`");
        assert_eq!(run.stdout, "");
    }
    assert_eq!(file(&sandbox), text);
}

#[test]
#[cfg(target_os = "linux")]
fn debating_is_said_while_the_debate_runs_and_is_never_left_behind() {
    let sandbox = Sandbox::new()
        .scenario("backlog/consensus")
        .fake("r1_champion.1.sh", ": >\"$fake/here\"; exec sleep 100");
    let items = std::fs::read_to_string(sandbox.six()).unwrap();
    let file_with_items = format!("{{\"opportunities\": {items}}}");
    sandbox.write(".swarm/backlog/candidates.json", file_with_items);
    let mut debate = sandbox.spawn(&["prioritize", "backlog.json", "--json"]);
    sandbox.until_here();
    let debating = |args: &[&str]| ids(&sandbox.run(args)).len();
    let list = ["backlog", "--status", "debating", "--json"];
    let live = debating(&list);
    assert!(live >= 5, "{live}");
    assert_eq!(stored(&sandbox, "opp-fo-sso")["status"], "debating");
    // A decision made in the meantime is kept.
    sandbox.run(&["backlog", "accept", "opp-fo-sso"]).exits(0);
    assert_eq!(debating(&list), live - 1);
    debate.kill().unwrap();
    debate.wait().unwrap();
    assert_eq!(debating(&list), 0);
    assert!(!file(&sandbox).contains("debating"));
    sandbox.nobody_is_left();
}
