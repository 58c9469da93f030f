//! An item as an issue tracker exports it: GitHub (`gh issue list --json`, REST), GitLab and Jira.
//!
//! | field | GitHub | GitLab | Jira |
//! |---|---|---|---|
//! | `title` | `title` | `title` | `fields.summary` |
//! | `description` | `body` | `description` | `fields.description`, as text or as a document |
//! | `linked_issue`, and in the evidence | `number` | `iid` | - |
//! | evidence | `url`, `html_url`, `labels` | `web_url`, `labels` | `key`, `self`, `fields.labels` |
//! | `resolved_at` | `state`, `closedAt` | `state`, `closed_at` | `fields.status`, `fields.resolutiondate` |
//! | `created_at`, `updated_at` | `createdAt`, `updatedAt` | - | `fields.created`, `fields.updated` |
//!
//! This module is lenient: these fields are foreign, and a program of another purpose may use the same names. A field
//! with a type that a tracker does not write counts as unread, and is named with the rest.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use serde_json::{Map, Value};

use super::super::model::Evidence;

/// The source name of the evidence that identifies the issue.
const ISSUE: &str = "issue";
/// The source name of the evidence that lists the labels.
const LABELS: &str = "labels";

/// The tracker's fields of an issue, without the program's own.
#[derive(Debug, Default)]
pub(super) struct Issue {
    pub(super) title: Option<String>,
    pub(super) description: Option<String>,
    pub(super) number: Option<u64>,
    /// Jira's key of the issue: `WEB-12`.
    pub(super) key: Option<String>,
    pub(super) is_closed: bool,
    pub(super) closed_at: Option<DateTime<Utc>>,
    pub(super) created_at: Option<DateTime<Utc>>,
    pub(super) updated_at: Option<DateTime<Utc>>,
    url: Option<String>,
    labels: Vec<String>,
    priority: Option<String>,
    stage: Option<String>,
    /// The paths of the fields that were read.
    read: BTreeSet<String>,
}

impl Issue {
    /// Reads the remaining fields of an item, after the program's own were taken.
    pub(super) fn of(map: &Map<String, Value>) -> Self {
        let mut issue = Self::default();
        for (field, value) in map {
            if issue.take(field, value) {
                issue.read.insert(field.clone());
            }
        }
        if let Some(Value::Object(fields)) = map.get("fields") {
            for (field, value) in fields {
                if issue.take_of_jira(field, value) {
                    issue.read.insert(format!("fields.{field}"));
                }
            }
        }
        issue
    }

    /// Reads one field; returns whether it was recognised.
    fn take(&mut self, field: &str, value: &Value) -> bool {
        match field {
            "body" => set(&mut self.description, value.as_str().map(str::to_owned)),
            "number" | "iid" => set(&mut self.number, value.as_u64().filter(|number| *number > 0)),
            "html_url" | "web_url" => set(&mut self.url, address(value)),
            "url" | "self" if self.url.is_none() => set(&mut self.url, address(value)),
            "key" | "identifier" => set(&mut self.key, value.as_str().map(str::to_owned)),
            "priority" | "priorityLabel" => set(&mut self.priority, called(value)),
            "stage" => set(&mut self.stage, called(value)),
            "labels" => self.take_labels(value),
            "state" => {
                let state = value.as_str().unwrap_or_default().to_lowercase();
                let is_closed = matches!(&*state, "closed" | "merged");
                self.is_closed |= is_closed;
                is_closed || matches!(&*state, "open" | "opened" | "reopened")
            }
            "closedAt" | "closed_at" => set(&mut self.closed_at, time(value)),
            "createdAt" => set(&mut self.created_at, time(value)),
            "updatedAt" => set(&mut self.updated_at, time(value)),
            _ => false,
        }
    }

    fn take_of_jira(&mut self, field: &str, value: &Value) -> bool {
        match field {
            "summary" => set(&mut self.title, value.as_str().map(str::to_owned)),
            "description" => set(&mut self.description, written(value)),
            "labels" => self.take_labels(value),
            "priority" => set(&mut self.priority, called(value)),
            "status" => {
                let category = value.pointer("/statusCategory/key").and_then(Value::as_str);
                self.is_closed |= category == Some("done");
                category.is_some()
            }
            "resolutiondate" => {
                let is_read = set(&mut self.closed_at, time(value));
                self.is_closed |= is_read;
                is_read
            }
            "created" => set(&mut self.created_at, time(value)),
            "updated" => set(&mut self.updated_at, time(value)),
            _ => false,
        }
    }

    /// Reads labels, each a text or an object with a `name`; GraphQL lists them as `nodes`.
    fn take_labels(&mut self, value: &Value) -> bool {
        let labels = value.get("nodes").unwrap_or(value).as_array();
        let names = labels.and_then(|labels| labels.iter().map(called).collect::<Option<Vec<_>>>());
        names.map(|names| self.labels = names).is_some()
    }

    /// Collects the paths of an item's unread fields.
    pub(super) fn unread(&self, map: &Map<String, Value>, unread: &mut BTreeSet<String>) {
        for (field, value) in map {
            if let (Value::Object(fields), "fields") = (value, &**field) {
                let left = (fields.iter()).filter(|(_, value)| !is_nothing(value));
                let paths = left.map(|(field, _)| format!("fields.{field}"));
                unread.extend(paths.filter(|path| !self.read.contains(path)));
            } else if !is_nothing(value) && !self.read.contains(field) {
                unread.insert(field.clone());
            }
        }
    }

    /// Returns the field that the description was read from.
    pub(super) fn described_by(map: &Map<String, Value>) -> &'static str {
        if map.contains_key("body") { "body" } else { "fields.description" }
    }

    /// Returns the tracker's name for the issue: `#12`, `WEB-12`.
    pub(super) fn name(&self) -> Option<String> {
        let number = self.number.map(|number| format!("#{number}"));
        self.key.clone().or(number)
    }

    /// Whether a label says that it is a bug: `bug`, `type: bug`, `kind/bug`.
    pub(super) fn is_bug(&self) -> bool {
        let words = |label: &'_ str| {
            let mut words = label.split(|one: char| !one.is_alphanumeric());
            words.any(|word| ["bug", "defect"].contains(&&*word.to_lowercase()))
        };
        self.labels.iter().any(|label| words(label))
    }

    /// Returns the details without a field in the model, as evidence.
    pub(super) fn evidence(&self) -> Vec<Evidence> {
        let issue: Vec<String> = [self.name(), self.page()].into_iter().flatten().collect();
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        [
            (ISSUE, issue.join(" ")),
            (LABELS, self.labels.join(", ")),
            ("priority", text(&self.priority)),
            ("status", text(&self.stage)),
        ]
        .into_iter()
        .filter(|(_, content)| !content.is_empty())
        .map(|(source, content)| Evidence {
            source: source.to_owned(),
            content,
            file_path: None,
            line_number: None,
            timestamp: None,
        })
        .collect()
    }

    /// Returns the address that a person opens, not that of the API.
    pub(super) fn page(&self) -> Option<String> {
        let url = self.url.as_ref()?;
        Some(match (url.split_once("/rest/api/"), &self.key) {
            (Some((site, _)), Some(key)) => format!("{site}/browse/{key}"),
            _ => url.clone(),
        })
    }
}

/// Sets a field if there is a value; returns whether there was.
fn set<T>(field: &mut Option<T>, value: Option<T>) -> bool {
    let is_read = value.is_some();
    if is_read {
        *field = value;
    }
    is_read
}

fn called(value: &Value) -> Option<String> {
    value.as_str().or_else(|| value["name"].as_str()).map(str::to_owned)
}

fn address(value: &Value) -> Option<String> {
    let url = value.as_str()?;
    let is_address = url.starts_with("https://") || url.starts_with("http://");
    is_address.then(|| url.to_owned())
}

fn time(value: &Value) -> Option<DateTime<Utc>> {
    super::super::time::time(value.as_str()?).ok()
}

/// Returns a text, or the text of a document in Atlassian's format.
fn written(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Object(_) if value["type"] == "doc" => {
            let mut text = String::new();
            flatten(value, &mut text);
            Some(text.trim_end().to_owned())
        }
        Value::Object(_) | Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => {
            None
        }
    }
}

fn flatten(node: &Value, text: &mut String) {
    match node["type"].as_str() {
        Some("hardBreak") => text.push('\n'),
        Some("text") => text.push_str(node["text"].as_str().unwrap_or_default()),
        _ => {
            // Mentions and emojis, link cards, files: all their text.
            let said = ["text", "url", "shortName", "alt"].map(|name| node["attrs"][name].as_str());
            if let Some(said) = said.into_iter().flatten().next() {
                text.push_str(said);
            }
            for child in node["content"].as_array().into_iter().flatten() {
                flatten(child, text);
            }
            let is_block = matches!(
                node["type"].as_str(),
                Some(
                    "paragraph"
                        | "heading"
                        | "codeBlock"
                        | "listItem"
                        | "tableRow"
                        | "rule"
                        | "blockCard"
                        | "embedCard"
                        | "media"
                )
            );
            if is_block && !text.is_empty() && !text.ends_with('\n') {
                text.push('\n');
            }
        }
    }
}

/// Whether a value is empty, so that leaving it unread does not matter.
fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(values) => values.is_empty(),
        Value::Object(map) => map.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

#[cfg(test)]
mod tests {
    //! Trackers' exports as their tools write them, and look-alike fields of other programs.

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
        let bytes = include_bytes!("../../../../fixtures/opportunities/github.json");
        let backlog = read("github.json", bytes, now(), Limits::default()).unwrap();
        let first = &backlog.opportunities[0];
        assert!(first.description.contains("fails one in ten runs"));
        assert_eq!(first.linked_issue, Some(41));
        assert_eq!(first.created_at.to_rfc3339(), "2026-03-02T09:14:33+00:00");
        assert_eq!(
            evidence(&backlog, 0),
            [
                ("issue", "#41 https://github.com/example/shop/issues/41"),
                ("labels", "bug, flaky test")
            ]
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
        let bytes = include_bytes!("../../../../fixtures/opportunities/gitlab.json");
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
        let bytes = include_bytes!("../../../../fixtures/opportunities/jira.json");
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
                ("labels", "checkout, revenue"),
                ("priority", "High")
            ]
        );
        // Two issues with the same title are two items.
        assert_eq!(backlog.opportunities[1].title, backlog.set_aside[0].title);
        assert_ne!(backlog.opportunities[1].opportunity_id, backlog.set_aside[0].opportunity_id);
        assert!(
            warnings(&backlog)[0].ends_with("`expand` (3 items), `id` (3 items)"),
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
        let bytes = include_bytes!("../../../../fixtures/opportunities/github.json");
        let once = read("github.json", bytes, now(), Limits::default()).unwrap();
        let again = read_items(&serde_json::to_value(&once.opportunities).unwrap());
        assert_eq!(again.opportunities, once.opportunities);
    }

    /// A Jira document whose description is one paragraph and the nodes below it.
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
}
