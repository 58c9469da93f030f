//! What is seen of long requests, against a parser that holds them.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::*;

fn seen(text: &[u8], piece: usize) -> Passed {
    let mut seen = Seen::default();
    for piece in text.chunks(piece.max(1)) {
        seen.pass(piece);
    }
    seen.finish()
}

fn passed(id: Value, method: &str, largest: Option<(&str, u64)>) -> Passed {
    Passed {
        id: Some(id),
        method: Some(method.to_owned()),
        largest: largest.map(|(name, size)| (name.to_owned(), size)),
    }
}

#[test]
fn the_order_of_members_does_not_matter() {
    let question = format!("\"{}\"", "q".repeat(1_000));
    let params = format!(
        r#"{{ "arguments" : {{"path":"a,b}}\"","question": {question},"agents":["{{"]}},"name":"t","_meta":{{"id":3}}}}"#
    );
    // With the space before it.
    let largest = Some(("question", 1_003));
    for text in [
        format!(r#"{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{params}}}"#),
        format!(r#"{{"params":{params},"method":"tools/call","jsonrpc":"2.0","id":7}}"#),
        format!(r#" {{ "id" : 7 , "params" : {params} , "method" : "tools/call" }} "#),
    ] {
        assert_eq!(seen(text.as_bytes(), 7), passed(json!(7), "tools/call", largest));
    }
}

#[test]
fn only_the_members_of_the_message_itself_count() {
    for text in [
        r#"[{"id":1,"method":"x"}]"#,
        r#"{"a":{"id":1,"method":"x"}}"#,
        r#"{"a":[{"id":1}],"params":{"id":1,"method":"x"}}"#,
        r#"{"arguments":{"question":"long"}}"#,
        r#"{"params":[{"arguments":{"question":"long"}}]}"#,
        r#""id""#,
        "",
        "}}}}{",
        r#"{"id":"#,
    ] {
        assert_eq!(seen(text.as_bytes(), 3), Passed::default(), "{text}");
    }
}

#[test]
fn what_is_too_long_for_an_id_or_a_name_is_not_kept() {
    let long = "i".repeat(KEPT);
    let text =
        format!(r#"{{"id":"{long}","method":"{long}","params":{{"arguments":{{"{long}":1}}}}}}"#);
    assert_eq!(seen(text.as_bytes(), 64), Passed::default());
    let just = "i".repeat(KEPT - 2);
    let text = format!(r#"{{"id":"{just}","method":"m"}}"#);
    assert_eq!(seen(text.as_bytes(), 64), passed(json!(just), "m", None));
}

#[test]
fn memory_does_not_depend_on_what_goes_by() {
    let mut seen = Seen::default();
    for _ in 0..100_000 {
        seen.pass(b"{\"k\":[");
    }
    seen.pass("\"".repeat(9).as_bytes());
    for _ in 0..10_000 {
        seen.pass(&[b'x'; 100]);
    }
    let kept = [&seen.kept, &seen.id, &seen.method, &seen.keys[0], &seen.keys[1], &seen.keys[2]];
    assert!(kept.into_iter().flatten().all(|kept| kept.len() <= KEPT));
    seen.finish();
}

fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "[ -~äé\\n\"\\\\{}\\[\\],:]{0,40}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((name(), inner), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("id".to_owned()),
        Just("method".to_owned()),
        Just("params".to_owned()),
        Just("arguments".to_owned()),
        "[a-z\"\\\\{}:,é]{0,12}",
    ]
}

proptest! {
    #[test]
    fn what_is_seen_is_what_a_parser_finds(
        members in prop::collection::vec((name(), json_value()), 0..6),
        params in prop::collection::vec((name(), json_value()), 0..4),
        arguments in prop::collection::vec((name(), json_value()), 0..5),
        pretty in any::<bool>(),
        piece in 1_usize..50,
    ) {
        let object = |members: Vec<(String, Value)>| Value::Object(members.into_iter().collect());
        let mut inner = object(params);
        inner["arguments"] = object(arguments);
        let mut message = object(members);
        message["params"] = inner;
        let text = if pretty { serde_json::to_string_pretty(&message) } else { serde_json::to_string(&message) };
        // A line has no line ends.
        let text = text.unwrap().replace('\n', " ");
        let found = seen(text.as_bytes(), piece);
        let id = message.get("id").filter(|id| !id.is_object() && !id.is_array());
        prop_assert_eq!(found.id.as_ref(), id);
        prop_assert_eq!(found.method.as_deref(), message["method"].as_str());
        let arguments = message["params"]["arguments"].as_object().unwrap();
        match found.largest {
            None => prop_assert!(arguments.is_empty()),
            Some((name, size)) => {
                prop_assert!(arguments.contains_key(&name));
                if !pretty {
                    let size_of = |value: &Value| value.to_string().len() as u64;
                    prop_assert_eq!(size, size_of(&arguments[&name]));
                    prop_assert!(arguments.values().all(|value| size_of(value) <= size));
                }
            }
        }
    }

    #[test]
    fn anything_may_go_by(text in prop::collection::vec(any::<u8>(), 0..300), piece in 1_usize..50) {
        seen(&text, piece);
    }
}
