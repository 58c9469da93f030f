//! Trackers' exports as their tools write them, and fields of theirs that are not what they seem.

use serde_json::json;

use super::super::super::testing::now;
use super::super::{Backlog, Limits, read};

fn read_items(items: &serde_json::Value) -> Backlog {
    read("f.json", items.to_string().as_bytes(), now(), Limits::default()).unwrap()
}

fn evidence(backlog: &Backlog, item: usize) -> Vec<(&str, &str)> {
    let evidence = backlog.opportunities[item].evidence.iter();
    evidence.map(|each| (&*each.source, &*each.content)).collect()
}

fn warnings(backlog: &Backlog) -> Vec<&str> {
    let warnings = backlog.warnings.iter();
    warnings.map(|note| &*note.message).collect()
}

#[test]
fn github() {
    let bytes = include_bytes!("../../../../../fixtures/opportunities/github.json");
    let backlog = read("github.json", bytes, now(), Limits::default()).unwrap();
    let first = &backlog.opportunities[0];
    assert!(first.description.contains("fails one in ten runs"));
    assert_eq!(first.linked_issue, Some(41));
    assert_eq!(first.created_at.to_rfc3339(), "2026-03-02T09:14:33+00:00");
    assert_eq!(
        evidence(&backlog, 0),
        [("issue", "#41 https://github.com/example/shop/issues/41"), ("labels", "bug, flaky test")]
    );
    assert_eq!(backlog.opportunities.len(), 2);
    let closed = backlog.set_aside[0].resolved_at.unwrap();
    assert_eq!(closed.to_rfc3339(), "2026-04-01T10:00:00+00:00");
    let id = &backlog.set_aside[0].opportunity_id;
    assert_eq!(
        warnings(&backlog),
        [
            "3 fields of the items are not read: `assignees` (1 item), `comments` (1 item), `milestone` (1 item)".to_owned(),
            format!("1 item is accepted, rejected, deferred, resolved or closed, and not debated: {id} (#48)")
        ]
    );
}

#[test]
fn gitlab() {
    let bytes = include_bytes!("../../../../../fixtures/opportunities/gitlab.json");
    let backlog = read("gitlab.json", bytes, now(), Limits::default()).unwrap();
    assert!(backlog.opportunities[0].description.starts_with("Accountants"));
    assert_eq!(backlog.opportunities[1].linked_issue, Some(8));
    assert_eq!(
        evidence(&backlog, 0),
        [
            ("issue", "#7 https://gitlab.com/example/shop/-/issues/7"),
            ("labels", "feature, accounting")
        ]
    );
    assert_eq!(
        warnings(&backlog),
        ["2 fields of the items are not read: `id` (2 items), `project_id` (2 items)"]
    );
}

#[test]
fn jira() {
    let bytes = include_bytes!("../../../../../fixtures/opportunities/jira.json");
    let backlog = read("jira.json", bytes, now(), Limits::default()).unwrap();
    let first = &backlog.opportunities[0];
    assert_eq!(first.title, "Checkout drops the voucher");
    assert_eq!(
        first.description,
        "Going back from payment empties the voucher field.\nSeen by 4% of carts"
    );
    assert_eq!(first.created_at.to_rfc3339(), "2026-01-20T10:02:03+00:00");
    assert_eq!(
        evidence(&backlog, 0),
        [
            ("issue", "WEB-12 https://example.atlassian.net/browse/WEB-12"),
            ("labels", "checkout, revenue")
        ]
    );
    // Two issues of one title are two items.
    assert_eq!(backlog.opportunities[1].title, backlog.set_aside[0].title);
    assert_ne!(backlog.opportunities[1].opportunity_id, backlog.set_aside[0].opportunity_id);
    assert!(
        warnings(&backlog)[0]
            .ends_with("`expand` (3 items), `fields.priority` (2 items), `id` (3 items)"),
        "{:?}",
        warnings(&backlog)
    );
}

#[test]
fn jira_says_in_two_fields_that_an_issue_is_closed() {
    let done = json!({"name": "Released", "statusCategory": {"key": "done"}});
    let date = json!("2026-02-01T09:00:00.000+0100");
    let backlog = read_items(&json!([
        {"key": "A-1", "fields": {"summary": "By its status", "status": done}},
        {"key": "A-2", "fields": {"summary": "By its date", "resolutiondate": date}},
        {"key": "A-3", "fields": {"summary": "By nothing", "resolutiondate": null}},
    ]));
    assert_eq!(backlog.opportunities[0].title, "By nothing");
    let closed = backlog.set_aside.iter().map(|item| &*item.title);
    assert_eq!(closed.collect::<Vec<_>>(), ["By its status", "By its date"]);
}

#[test]
fn what_is_no_trackers_is_named_and_not_read() {
    let backlog = read_items(&json!([
        { "title": "T", "body": 1, "number": 0, "url": "javascript:x", "key": ["k"], "labels": [1], "state": "shelved", "self": {}, "fields": "x" },
    ]));
    let each = &backlog.opportunities[0];
    assert_eq!((&*each.description, each.linked_issue), ("", None));
    assert!(each.evidence.is_empty() && each.is_open());
    assert_eq!(
        warnings(&backlog),
        [
            "7 fields of the items are not read: `body` (1 item), `fields` (1 item), `key` (1 item), `labels` (1 item), \
             `number` (1 item), `state` (1 item), `url` (1 item)"
        ]
    );
    assert_eq!(each.extra["number"], 0, "it is kept");
}

#[test]
fn fields_of_ours_come_first_and_the_other_text_is_named() {
    let backlog = read_items(&json!([
        { "title": "T", "description": "ours", "body": "theirs", "linked_issue": 3, "number": 4 },
    ]));
    assert_eq!(backlog.opportunities[0].description, "ours");
    assert_eq!(backlog.opportunities[0].linked_issue, Some(3));
    assert_eq!(evidence(&backlog, 0), [("issue", "#4")]);
    assert_eq!(warnings(&backlog), ["1 field of the items is not read: `body` (1 item)"]);
}

#[test]
fn what_came_out_can_go_in_again() {
    let bytes = include_bytes!("../../../../../fixtures/opportunities/github.json");
    let once = read("github.json", bytes, now(), Limits::default()).unwrap();
    let again = read_items(&serde_json::to_value(&once.opportunities).unwrap());
    assert_eq!(again.opportunities, once.opportunities);
}

/// A document of Jira's, whose description is one paragraph and what stands below it.
#[test]
fn of_a_document_of_jira_nothing_that_says_something_is_lost() {
    let node = |kind: &str, attrs: serde_json::Value| json!({"type": kind, "attrs": attrs});
    let text = |text: &str| json!({"type": "text", "text": text});
    let items = json!([{"key": "A-1", "fields": {
        "summary": "Cache",
        "created": "2026-03-02T10:14:33.000+0100",
        "updated": "2026-03-02T10:14:33",
        "description": {"type": "doc", "version": 1, "content": [
            {"type": "paragraph", "content": [
                text("see "),
                node("inlineCard", json!({"url": "https://example.org/7"})),
                text(", "),
                node("mention", json!({"id": "5b", "text": "@Jane"})),
                text(" "),
                node("status", json!({"text": "BLOCKED", "color": "red"})),
                node("emoji", json!({"shortName": ":warning:", "id": "26a0"})),
            ]},
            node("blockCard", json!({"url": "https://example.org/8"})),
            {"type": "mediaSingle", "content": [node("media", json!({"id": "x", "alt": "load.png"}))]},
            {"type": "paragraph", "content": [text("end")]},
        ]},
    }}]);
    let backlog = read_items(&items);
    let first = &backlog.opportunities[0];
    assert_eq!(
        first.description,
        "see https://example.org/7, @Jane BLOCKED:warning:\nhttps://example.org/8\nload.png\nend"
    );
    assert_eq!(first.created_at.to_rfc3339(), "2026-03-02T09:14:33+00:00");
    assert_eq!(first.updated_at.to_rfc3339(), "2026-03-02T10:14:33+00:00");
}
