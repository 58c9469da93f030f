//! Input from a program, accepted exactly or refused. `src/mcp/arguments.rs` tests the refusal of each kind, word for
//! word.

use super::super::exact;
use super::*;

declare! {
    #[derive(Debug, Clone, PartialEq, Serialize)]
    struct Order {
        text: String = exact::text(4).also(&["words"]),
        path: Option<String> = exact::path().optional(),
        id: Option<String> = exact::start(2, 4).optional(),
        quick: bool = exact::flag().usually(true),
        count: u32 = exact::whole(1, 300).usually(2).also(&["number"]),
        most: Option<u32> = exact::whole(0, 9).optional(),
        size: Size = exact::word().usual_word("large"),
        names: Vec<String> = exact::names(1, 2, 3),
        objects: Option<Vec<Map<String, Value>>> = exact::objects(2, 20).optional(),
    }
}

fn order(given: Value) -> Result<Order, String> {
    let Value::Object(given) = given else { panic!("an object") };
    exact::read(given, |unknown| format!("no {unknown}"))
}

#[test]
fn what_is_given_is_taken_as_it_stands() {
    let usual = order(json!({"text": " a\n"})).unwrap();
    assert_eq!(
        (usual.text.as_str(), usual.quick, usual.count, usual.size),
        (" a\n", true, 2, Size::Large)
    );
    assert_eq!((&usual.path, &usual.id, usual.most, &usual.objects), (&None, &None, None, &None));
    assert!(usual.names.is_empty());
    let all = json!({
        "text": "xé ", "path": " ", "id": "0-", "quick": false, "count": 300, "most": 0, "size": "small",
        "names": ["a", " b"], "objects": [{"b": 1}, {"a": []}],
    });
    assert_eq!(serde_json::to_value(order(all.clone()).unwrap()).unwrap(), all);
    let bytes = "`text`: the text has 5 bytes; allowed: text of 1 to 4 bytes";
    assert_eq!(order(json!({"text": "xéé"})).unwrap_err(), bytes);
}

/// Forms that an agent may use and a program may not.
#[test]
fn nothing_is_converted_and_nothing_is_cut() {
    for (key, value) in [
        ("text", json!("xxxxx")),
        ("text", json!(7)),
        ("quick", json!("true")),
        ("count", json!("3")),
        ("count", json!(301)),
        ("size", json!("Small")),
        ("size", json!(" small")),
        ("size", json!("big")),
        ("names", json!("a")),
        ("names", json!(["a", "b", "c"])),
        ("names", json!(["a", "a"])),
        ("names", json!(["long"])),
        ("objects", json!([{}, 1])),
        ("objects", json!([{"x": "more than twenty"}])),
    ] {
        let mut given = json!({"text": "x"});
        given[key] = value.clone();
        let refused = order(given).unwrap_err();
        assert!(refused.starts_with(&format!("`{key}`: ")), "{key} {value}: {refused}");
    }
}

/// The first fault is the first in the declaration; unknown keys come last, in alphabetical order.
#[test]
fn the_first_fault_is_the_same_in_any_order() {
    let why = |given: Value| order(given).unwrap_err();
    let missing = "`text`: it is missing; allowed: text of 1 to 4 bytes";
    assert_eq!(why(json!({"zeal": 1, "count": 0, "quick": 1})), missing);
    let quick = "`quick`: 1 is given; allowed: true, false";
    assert_eq!(why(json!({"zeal": 1, "count": 0, "quick": 1, "text": "x"})), quick);
    for given in [json!({"b": 1, "a": null, "words": "x"}), json!({"a": 1, "text": "x", "b": 1})] {
        assert_eq!(why(given), "no a");
    }
}

/// A refusal names the key that was used; given two, it names the other one.
#[test]
fn a_refusal_names_what_was_written() {
    for (key, value, why) in [
        ("number", json!(0), "`number`: 0 is given; allowed: a whole number from 1 to 300"),
        (
            "words",
            json!("y"),
            "`words`: it is another spelling of `text`, which is also given; allowed: one of them",
        ),
    ] {
        let mut given = json!({"text": "x"});
        given[key] = value;
        assert_eq!(order(given).unwrap_err(), why);
    }
    let written = order(json!({"words": "x", "text": null, "number": 3.0})).unwrap();
    assert_eq!((written.text.as_str(), written.count), ("x", 3));
}
