//! Values found in faulty answers, and when a corrected answer says the same.

use super::*;

fn want() -> ExpectedBlock {
    let form = Form::Fields { list: Some("findings"), key: Some("findings"), also: &["issues"] };
    let decides = vec![
        Decisive {
            keys: vec!["severity"],
            values: Values::Words(vec![
                ("P0", "P0"),
                ("P1", "P1"),
                ("P2", "P2"),
                ("critical", "P0"),
            ]),
        },
        Decisive { keys: vec!["id", "finding_id"], values: Values::Ids },
        Decisive { keys: vec!["rating"], values: Values::Whole { least: 1, most: 5 } },
    ];
    ExpectedBlock { form, decides, ..ExpectedBlock::new("REVIEW", Shape::Object, true) }
}

fn same(faulty: &str, corrected: &str) -> Result<(), String> {
    let corrected = format!("<<<REVIEW_START>>>\n{corrected}\n<<<REVIEW_END>>>");
    let ids = ["F1".to_owned(), "F2".to_owned()];
    says_the_same(faulty.as_bytes(), corrected.as_bytes(), &[want()], &ids)
}

#[test]
fn values_are_found_in_json_and_whatever_is_like_it() {
    for text in [
        r#"{"severity": "P0"}"#,
        "{'severity': 'P0'}",
        "{severity: P0}",
        "severity: P0\ntitle: x",
        "- **Severity:** P0",
        r#"{\"severity\": \"P0\"}"#,
        "\"severity\" : `P0`, ",
    ] {
        assert_eq!(values(text, "severity").collect::<Vec<_>>(), ["P0"], "{text}");
    }
    assert_eq!(values(r#"{"my_severity": "P0", "severity_of": "P1"}"#, "severity").count(), 0);
    assert_eq!(values("its severity is P0", "severity").count(), 0);
}

#[test]
fn what_could_be_read_must_be_there_again_and_no_more_of_it() {
    let two = r#"{findings: [{severity: "P0"}, {severity: "P2"}]}"#;
    for (corrected, ok) in [
        (r#"{"findings": [{"severity": "P0"}, {"severity": "P2"}]}"#, true),
        (r#"{"findings": [{"severity": "P2"}, {"severity": "P0"}]}"#, false),
        (r#"{"findings": [{"severity": "P2"}]}"#, false),
        (r#"{"findings": []}"#, false),
        (r#"{"findings": [{"severity": "P0"}, {"severity": "P1"}]}"#, false),
        (r#"{"findings": [{"severity": "P0"}, {"severity": "P2"}, {"severity": "P2"}]}"#, false),
    ] {
        assert_eq!(same(two, corrected).is_ok(), ok, "{corrected}");
    }
    // One could not be read: it may become any value, but remains one.
    let one = r#"{findings: [{severity: "P0"}, {severity: "heavy"}]}"#;
    for (corrected, ok) in [
        (r#"{"findings": [{"severity": "P0"}, {"severity": "P1"}]}"#, true),
        (r#"{"findings": [{"severity": "P1"}, {"severity": "P1"}]}"#, false),
        (r#"{"findings": [{"severity": "P0"}, {"severity": "P1"}, {"severity": "P1"}]}"#, false),
    ] {
        assert_eq!(same(one, corrected).is_ok(), ok, "{corrected}");
    }
    assert!(same("rating: 3.5", r#"{"findings": [], "rating": 3}"#).is_ok());
    assert!(same("rating: 3", r#"{"findings": [], "rating": 4}"#).is_err());
    assert!(same("id: F1", r#"{"findings": [{"id": "F2"}]}"#).is_err());
}

/// Values accepted in other forms count in those forms, too.
#[test]
fn what_could_be_read_in_other_forms_must_be_there_again() {
    for (faulty, corrected, ok) in [
        ("finding_id: F1", r#"{"findings": [{"id": "F1"}]}"#, true),
        ("finding_id: F1", r#"{"findings": [{"id": "F2"}]}"#, false),
        ("id: <F1>", r#"{"findings": [{"id": "F2"}]}"#, false),
        ("\"id\": \"Finding F1\"", r#"{"findings": [{"id": "F2"}]}"#, false),
        ("severity: critical", r#"{"findings": [{"severity": "P0"}]}"#, true),
        ("severity: critical", r#"{"findings": [{"severity": "P2"}]}"#, false),
        ("severity: P0 (it is bad)", r#"{"findings": [{"severity": "P1"}]}"#, false),
        ("rating: 3 - usable", r#"{"rating": 3}"#, true),
        ("rating: 3 - usable", r#"{"rating": 4}"#, false),
    ] {
        assert_eq!(same(faulty, corrected).is_ok(), ok, "{faulty}: {corrected}");
    }
}

/// Two entries that swap their values are different entries.
#[test]
fn what_belongs_together_stays_together() {
    let faulty = "[{id: F1, severity: P0}, {id: F2, severity: P2}]";
    for (corrected, ok) in [
        (r#"[{"id": "F1", "severity": "P0"}, {"id": "F2", "severity": "P2"}]"#, true),
        (r#"[{"id": "F1", "severity": "P2"}, {"id": "F2", "severity": "P0"}]"#, false),
        (r#"[{"id": "F2", "severity": "P0"}, {"id": "F1", "severity": "P2"}]"#, false),
    ] {
        let corrected = format!("{{\"findings\": {corrected}}}");
        assert_eq!(same(faulty, &corrected).is_ok(), ok, "{corrected}");
    }
}

#[test]
fn an_order_stays_and_so_does_what_stands_under_an_id() {
    let ids = ["a-1".to_owned(), "a-10".to_owned(), "b".to_owned()];
    let order = ExpectedBlock::new("ORDER", Shape::Array, true);
    let corrected = b"<<<ORDER_START>>>\n[\"a-10\", \"a-1\", \"b\"]\n<<<ORDER_END>>>";
    let faulty = |list: &str| format!("<<<ORDER_START>>>\n{list}\n<<<ORDER_END>>>");
    for (list, ok) in
        [("1. a-10\n2. a-1\n3. b", true), ("a-10, b", true), ("- a-1\n- a-10\n- b", false)]
    {
        let faulty = faulty(list);
        let read = says_the_same(faulty.as_bytes(), corrected, std::slice::from_ref(&order), &ids);
        assert_eq!(read.is_ok(), ok, "{list}");
    }
    let by_id =
        ExpectedBlock { form: Form::ById, ..ExpectedBlock::new("WHAT", Shape::Object, true) };
    let corrected = br#"<<<WHAT_START>>>
{"a-1": "defer", "b": "reject"}
<<<WHAT_END>>>"#;
    for (faulty, ok) in [("a-1: defer\nb: reject", true), ("a-1: reject\nb: reject", false)] {
        let read = says_the_same(faulty.as_bytes(), corrected, std::slice::from_ref(&by_id), &ids);
        assert_eq!(read.is_ok(), ok, "{faulty}");
    }
}

/// The word in an object under an id is a deciding value: a correction of the form may not change it.
#[test]
fn a_word_in_an_object_under_an_id_stays() {
    let ids = ["a".to_owned(), "b".to_owned()];
    let word = Decisive {
        keys: vec!["disposition"],
        values: Values::Words(vec![("defer", "defer"), ("reject", "reject")]),
    };
    let want = ExpectedBlock {
        form: Form::ById,
        decides: vec![word],
        ..ExpectedBlock::new("WHAT", Shape::Object, true)
    };
    let faulty = "<<<WHAT_START>>>\n{\"a\": {\"disposition\": \"defer\", \"reason\": \"x \\d\"}, \"b\": {\"disposition\": \"reject\"}\n<<<WHAT_END>>>";
    for (corrected, ok) in [
        (r#"{"a": {"disposition": "defer"}, "b": {"disposition": "reject"}}"#, true),
        (r#"{"a": {"disposition": "reject"}, "b": {"disposition": "reject"}}"#, false),
        (r#"{"a": {"disposition": "reject"}, "b": {"disposition": "defer"}}"#, false),
        (r#"{"a": {"disposition": "defer"}}"#, false),
    ] {
        let text = format!("<<<WHAT_START>>>\n{corrected}\n<<<WHAT_END>>>");
        let wants = std::slice::from_ref(&want);
        let read = says_the_same(faulty.as_bytes(), text.as_bytes(), wants, &ids);
        assert_eq!(read.is_ok(), ok, "{corrected}: {read:?}");
    }
}
