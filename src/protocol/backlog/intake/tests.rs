//! Backlog files, good and bad: each error names the file, the position and the field.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::testing::now;
use super::*;

fn read_text(text: &str) -> Result<Backlog, IntakeError> {
    read("f.json", text.as_bytes(), now(), Limits::default())
}

fn ids(backlog: &Backlog) -> Vec<&str> {
    backlog.opportunities.iter().map(|each| &*each.opportunity_id).collect()
}

#[test]
fn three_forms_of_one_backlog() {
    let one = r#"{"opportunity_id":"a","title":"A"}"#;
    let two = r#"{"opportunity_id":"b","title":"B"}"#;
    for text in [
        format!("[{one},{two}]"),
        format!("{{\"version\": 1, \"opportunities\": [{one}, {two}]}}"),
        format!("{one}\n{two}\n"),
        format!("\n{one}\n\n{two}"),
    ] {
        assert_eq!(ids(&read_text(&text).unwrap()), ["a", "b"], "{text}");
    }
    assert_eq!(ids(&read_text(one).unwrap()), ["a"]);
}

/// What `gh api --paginate` prints, with and without `--slurp`, and what GraphQL answers.
#[test]
fn pages_are_read_one_after_the_other() {
    let [a, b, c] = ["A", "B", "C"].map(|title| format!(r#"{{"title":"{title}","number":1}}"#));
    for text in [
        format!("[{a},{b}][{c}]"),
        format!("[{a},{b}]\n[{c}]\n[]\n"),
        format!("[[{a},{b}],[{c}]]"),
        format!("{{\"total_count\":3,\"items\":[{a},{b}]}}{{\"total_count\":3,\"items\":[{c}]}}"),
        format!("[{{\"items\":[{a},{b}]}},\n{{\"items\":[{c}]}}]"),
        format!("{{\"issues\":[{a},{b}]}}\n{{\"issues\":[{c}]}}\n"),
        format!(
            "{{\"data\":{{\"repository\":{{\"issues\":{{\"nodes\":[{a},{b},{c}],\"pageInfo\":{{}}}}}}}}}}"
        ),
        format!(
            "{{\"data\":{{\"issues\":{{\"edges\":[{{\"node\":{a}}},{{\"node\":{b}}},{{\"node\":{c}}}]}}}}}}"
        ),
        format!("\u{feff}[{a},{b}]\r\n\u{feff}[{c}]"),
    ] {
        let backlog = read_text(&text).unwrap();
        let titles: Vec<_> = backlog.opportunities.iter().map(|each| &*each.title).collect();
        assert_eq!(titles, ["A", "B", "C"], "{text}");
        let wide: Vec<u8> = "\u{feff}"
            .encode_utf16()
            .chain(text.encode_utf16())
            .flat_map(u16::to_le_bytes)
            .collect();
        let wide = read("f.json", &wide, now(), Limits::default()).unwrap();
        assert_eq!(wide.opportunities, backlog.opportunities);
    }
    for (text, says) in [
        (format!("[[{a}],3]"), "item 2 is a number, not an object"),
        (format!("[{a}][{{\"number\":2}}]"), "item 2: missing field `title`"),
        ("{\"items\":3}".to_owned(), "`items` is a number"),
        ("{\"data\":{}}".to_owned(), "without `opportunities`"),
    ] {
        let said = read_text(&text).unwrap_err().to_string();
        assert!(said.contains(says), "{text}: {said}");
    }
}

#[test]
fn tables_of_trackers_are_read_by_the_names_of_their_columns() {
    let jira = include_str!("../../../../fixtures/opportunities/jira.csv");
    for text in [jira.to_owned(), format!("\u{feff}{jira}"), jira.replace('\n', "\r\n")] {
        let backlog = read("x.csv", text.as_bytes(), now(), Limits::default()).unwrap();
        let each = &backlog.opportunities[0];
        assert_eq!(each.title, "Login test, flaky");
        assert_eq!(each.description.replace('\r', ""), "Fails one in ten runs\nsince May");
        assert_eq!(each.issue().as_deref(), Some("WEB-1"));
        assert!(
            each.evidence.iter().any(|part| part.content == "bug, flaky"),
            "{:?}",
            each.evidence
        );
        assert_eq!(backlog.opportunities.len(), 2);
    }
    let linear = "\"ID\",\"Title\",\"Description\",\"Status\",\"Priority\",\"Labels\",\"URL\",\"Team\"\n\
        \"ENG-1\",\"Say \"\"no\"\"\",\"One\n\nTwo\",\"In Progress\",\"High\",\"Bug, UI\",\"https://linear.app/x/issue/ENG-1\",\"Eng\"\n\
        \"ENG-2\",\"Gone\",\"\",\"Canceled\",\"Low\",\"\",\"\",\"Eng\"\n";
    for text in
        [linear.to_owned(), linear.replace("\",\"", "\";\""), linear.replace("\",\"", "\"\t\"")]
    {
        let backlog = read("x", text.as_bytes(), now(), Limits::default()).unwrap();
        let each = &backlog.opportunities[0];
        assert_eq!((&*each.title, &*each.description), ("Say \"no\"", "One\n\nTwo"));
        assert_eq!(each.opportunity_type, OpportunityType::Bug);
        let evidence: Vec<_> =
            each.evidence.iter().map(|part| (&*part.source, &*part.content)).collect();
        assert_eq!(
            evidence,
            [
                ("issue", "ENG-1 https://linear.app/x/issue/ENG-1"),
                ("labels", "Bug, UI"),
                ("priority", "High"),
                ("status", "In Progress")
            ]
        );
        assert_eq!(each.issue_url(), Some("https://linear.app/x/issue/ENG-1"));
        assert_eq!((backlog.opportunities.len(), backlog.set_aside.len()), (1, 1));
        assert!(backlog.warnings[0].message.contains("`Team` (2 items)"), "{:?}", backlog.warnings);
    }
    let gitlab = "Title,Issue ID,URL,State,Labels,Evidence\nA,7,https://gitlab.com/x/-/issues/7,Open,\"a,b\",x\nB,8,,Closed,,\n";
    let backlog = read("x", gitlab.as_bytes(), now(), Limits::default()).unwrap();
    assert_eq!(backlog.opportunities[0].linked_issue, Some(7));
    assert_eq!(backlog.set_aside[0].title, "B");
    for (text, says) in [
        ("a,b\n1,2\n", "no column with a title"),
        ("Title,Labels\n,x\n", "item 1: missing field `title`"),
    ] {
        let said =
            read("x.csv", text.as_bytes(), now(), Limits::default()).unwrap_err().to_string();
        assert!(said.contains(says), "{said}");
    }
}

#[test]
fn every_bad_file_gets_its_own_sentence() {
    macro_rules! bad {
        ($name:literal) => {
            (
                $name,
                include_bytes!(concat!("../../../../fixtures/opportunities/bad/", $name))
                    .as_slice(),
            )
        };
    }
    for ((name, bytes), says) in [
        (bad!("alike-ids.json"), "items 1 and 2 have the ids `Fix-1` and"),
        (bad!("control-id.json"), "item 1 (`a b`), field `opportunity_id`: an id must not contain"),
        (bad!("duplicate-ids.json"), "items 1 and 2 have the same id `same`"),
        (bad!("duplicate-key.json"), "not valid JSON: duplicate key \"title\" at line 2"),
        (bad!("empty-file.json"), "the file is empty; a backlog is a JSON array"),
        (
            bad!("evidence-without-content.json"),
            "item 1, field `evidence[0]`: missing field `content`",
        ),
        (bad!("latin-1.json"), "not UTF-8 (byte 16); save the file as UTF-8"),
        (bad!("no-title.json"), "item 2: missing field `title`"),
        (bad!("not-an-object.json"), "item 2 is text, not an object; a backlog is"),
        (bad!("not-json.json"), "not valid JSON: trailing comma at line 2"),
        (
            bad!("unknown-type.json"),
            "item 1, field `opportunity_type`: unknown variant `test_failiure`",
        ),
        (
            bad!("wrong-shape.json"),
            "the file contains an object without `opportunities`; a backlog",
        ),
    ] {
        let error = read(name, bytes, now(), Limits::default()).expect_err(name).to_string();
        assert!(error.starts_with(&format!("{name}: {says}")), "{error}");
    }
}

#[test]
fn fields_are_strict_and_named() {
    for (fields, field) in [
        (json!({ "title": 1 }), "`title`"),
        (json!({ "title": "  " }), "`title`"),
        (json!({ "title": "T", "opportunity_id": "" }), "`opportunity_id`"),
        (json!({ "title": "T", "opportunity_id": "x".repeat(129) }), "`opportunity_id`"),
        (json!({ "title": "T", "opportunity_id": "<<<DISPOSITIONS_START>>>" }), "`opportunity_id`"),
        (json!({ "title": "T", "opportunity_id": "@/etc/passwd" }), "`opportunity_id`"),
        (json!({ "title": "T", "opportunity_id": "a\u{202e}b" }), "`opportunity_id`"),
        (json!({ "title": "T", "status": "done" }), "`status`"),
        (json!({ "title": "T", "evidence": "x" }), "`evidence`"),
        (
            json!({ "title": "T", "evidence": [{ "content": "x", "line_number": 0 }] }),
            "`evidence[0].line_number`",
        ),
        (json!({ "title": "T", "actionability": { "clarity": 1.5 } }), "`actionability.clarity`"),
        (json!({ "title": "T", "actionability": { "effort": "tiny" } }), "`actionability.effort`"),
        (json!({ "title": "T", "affected_files": ["a", 2] }), "`affected_files[1]`"),
        (json!({ "title": "T", "created_at": "yesterday" }), "`created_at`"),
        (json!({ "title": "T", "priority_rank": -1 }), "`priority_rank`"),
    ] {
        let error =
            read_text(&json!([{ "title": "first" }, fields]).to_string()).unwrap_err().to_string();
        assert!(error.starts_with("f.json: item 2") && error.contains(field), "{error}");
    }
}

#[test]
fn what_is_missing_is_filled_in_and_what_is_foreign_is_kept() {
    let text = r#"[{"title": "T", "score": {"x": 1}, "sttatus": "?", "created_at": "2025-12-20T10:00:00.5"}]"#;
    let backlog = read_text(text).unwrap();
    let each = &backlog.opportunities[0];
    assert_eq!(each.opportunity_id, stable_id(OpportunityType::FeatureOpportunity, "", "T"));
    assert_eq!(each.extra["score"], json!({ "x": 1 }));
    assert_eq!(each.created_at.to_rfc3339(), "2025-12-20T10:00:00.500+00:00");
    assert!(
        backlog.warnings[0].message.contains("did you mean `status`?"),
        "{:?}",
        backlog.warnings
    );
    // The output JSON contains the input's field.
    assert_eq!(serde_json::to_value(each).unwrap()["sttatus"], "?");
}

#[test]
fn generated_ids_are_stable_and_tell_kinds_files_and_titles_apart() {
    let all = [
        stable_id(OpportunityType::TestFailure, "a.rs", "b"),
        stable_id(OpportunityType::TestFailure, "a.rsb", ""),
        stable_id(OpportunityType::CodeQuality, "a.rs", "b"),
        stable_id(OpportunityType::TestFailure, "a.rs", "c"),
    ];
    let different: std::collections::BTreeSet<_> = all.iter().collect();
    assert_eq!(different.len(), all.len());
    assert_eq!(all[0], "opp-tf-e633330e69fd");
    let error = read_text(r#"[{"title":"T"},{"title":"T"}]"#).unwrap_err().to_string();
    assert!(error.contains("items 1 and 2 have the same type, file and title"), "{error}");
}

#[test]
fn what_is_decided_is_set_aside() {
    let text = json!([
        { "title": "a", "status": "accepted" }, { "title": "b", "status": "rejected" }, { "title": "c", "status": "deferred" },
        { "title": "d", "resolved_at": "2026-01-01T00:00:00Z" }, { "title": "e", "status": "actionable" }, { "title": "f" },
    ]);
    let backlog = read_text(&text.to_string()).unwrap();
    assert_eq!((backlog.opportunities.len(), backlog.set_aside.len()), (2, 4));
    assert_eq!(backlog.warnings[0].code, "not_debated");
}

#[test]
fn counts_and_sizes() {
    let many = |count: usize| {
        let items: Vec<_> = (0..count).map(|n| json!({ "title": format!("T{n}") })).collect();
        Value::from(items).to_string()
    };
    for count in [0, 1, 1_000] {
        assert_eq!(read_text(&many(count)).unwrap().opportunities.len(), count);
    }
    assert_eq!(
        read_text(&many(1_001)).unwrap_err().to_string(),
        "f.json: 1001 opportunities are too many for one debate: at most 1000"
    );
    let large = json!([{ "title": "T", "description": "x".repeat(5 << 20) }]).to_string();
    assert_eq!(read_text(&large).unwrap().opportunities[0].description.len(), 5 << 20);
    let small = Limits { bytes: 10, ..Limits::default() };
    let large = read("f", b"[{\"title\":1}]", now(), small).unwrap_err().to_string();
    assert_eq!(large, "f: 13 bytes is more than a backlog may have (10)");
}

#[test]
fn the_good_fixtures_are_good() {
    for (name, bytes, count) in [
        ("six", include_bytes!("../../../../fixtures/opportunities/six.json").as_slice(), 6),
        (
            "this-repository",
            include_bytes!("../../../../fixtures/opportunities/this-repository.json"),
            8,
        ),
        ("one", include_bytes!("../../../../fixtures/opportunities/one.json"), 1),
        ("empty", include_bytes!("../../../../fixtures/opportunities/empty.json"), 0),
        ("lines", include_bytes!("../../../../fixtures/opportunities/lines.jsonl"), 3),
    ] {
        let backlog = read(name, bytes, now(), Limits::default()).unwrap();
        assert_eq!((backlog.opportunities.len(), backlog.warnings.len()), (count, 0), "{name}");
    }
}

proptest! {
    #[test]
    fn any_bytes_are_a_backlog_or_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        if let Err(error) = read("f", &bytes, now(), Limits::default()) {
            prop_assert!(error.to_string().starts_with("f:"));
        }
    }

    #[test]
    fn any_json_like_text_is_a_backlog_or_an_error(text in "[\\[\\]{}\",: \na-z0-9é]{0,80}|\\[(\\{\"title\":\"[é\"\n,}]{0,5}){0,4}") {
        if let Err(error) = read_text(&text) {
            prop_assert!(error.to_string().starts_with("f.json:"));
        }
    }
}
