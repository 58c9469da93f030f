//! What lines come to.

use serde_json::json;

use super::*;

fn answer(incoming: Incoming) -> Value {
    let Incoming::Answer(answer) = incoming else {
        panic!("{incoming:?}");
    };
    serde_json::to_value(answer).unwrap()
}

fn complaint(line: &[u8]) -> String {
    let incoming = message(line).unwrap();
    let Incoming::Unanswerable(said) = incoming else {
        panic!("{incoming:?}");
    };
    said
}

fn seen(id: Value, method: &str, largest: Option<(&str, u64)>) -> Passed {
    Passed {
        id: Some(id),
        method: Some(method.to_owned()),
        largest: largest.map(|(name, size)| (name.to_owned(), size)),
    }
}

#[test]
fn a_line_is_a_message_an_answer_or_a_complaint() {
    for empty in ["", "  ", "\r", "\t"] {
        assert!(message(empty.as_bytes()).is_none());
    }
    for good in [
        r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#,
        r#"  {"method":"x/y","params":null,"id":"a","jsonrpc":"2.0"} "#,
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
    ] {
        let arrived = message(good.as_bytes()).unwrap();
        assert!(matches!(arrived, Incoming::Message(_)), "{good}: {arrived:?}");
    }
    for (bad, id) in [
        (r#"{"id":1,"method":"ping"}"#, json!(1)),
        (r#"{"jsonrpc":"2.0","id":"a","method":5}"#, json!("a")),
        (r#"{"jsonrpc":"2.0","id":3}"#, json!(3)),
        (r#"{"jsonrpc":"2.0","id":4,"method":"ping","result":{}}"#, json!(4)),
    ] {
        let answer = answer(message(bad.as_bytes()).unwrap());
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&id, &json!(-32600)), "{bad}");
    }
    let nested = format!(
        r#"{{"method":"tools/call","params":{}{},"jsonrpc":"2.0","id":7}}"#,
        "[".repeat(5_000),
        "]".repeat(5_000)
    );
    let large = r#"{"jsonrpc":"2.0","id":"n","method":"tools/call","params":{"arguments":{"rounds":1e999}}}"#;
    for (beyond, id) in [(nested.as_str(), json!(7)), (large, json!("n"))] {
        let answer = answer(message(beyond.as_bytes()).unwrap());
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&id, &json!(-32600)));
    }
    for (lost, why) in [
        ("x", "not JSON"),
        // Neither is one message.
        (r#"{"id":1,"method":"a","n":1e999"#, "not JSON"),
        (r#"{"id":1,"result":1e999}"#, "not JSON"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping"} {}"#, "not JSON"),
        ("[]", "batch"),
        ("null", "no JSON-RPC"),
        (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, "no JSON-RPC"),
        (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, "no JSON-RPC"),
        (r#"{"jsonrpc":"2.0","id":[1],"method":"ping"}"#, "no JSON-RPC"),
        // An answer that is none is not answered.
        (r#"{"id":1,"result":{}}"#, "no JSON-RPC"),
    ] {
        let said = complaint(lost.as_bytes());
        assert!(said.contains(why), "{lost}: {said}");
    }
    // What a client sends is not repeated into a log.
    let said = complaint(b"{\"secret\": hunter2}");
    assert!(!said.contains("hunter2"), "{said}");
}

#[test]
fn what_is_too_long_is_answered_as_far_as_it_can_be() {
    let call =
        answer(too_long(2_000_000, &seen(json!(5), "tools/call", Some(("question", 1_999_000)))));
    assert_eq!(
        call,
        json!({
            "jsonrpc": "2.0",
            "id": 5,
            "result": {
                "content": [{
                    "type": "text",
                    "text": "`question`: too large with 1999000 bytes of JSON; a whole request has at most 1048576",
                }],
                "isError": true,
            },
        })
    );
    let call = answer(too_long(2_000_000, &seen(json!("a"), "tools/call", None)));
    let text = call["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("2000000") && text.contains("1048576"), "{text}");
    let other = answer(too_long(2_000_000, &seen(json!(6), "resources/read", None)));
    assert_eq!(other["error"]["code"], -32600);
    for id in [Value::Null, json!(1.5), json!(true)] {
        let arrived = too_long(2_000_000, &seen(id, "tools/call", None));
        assert!(matches!(arrived, Incoming::Unanswerable(_)), "{arrived:?}");
    }
    assert!(matches!(too_long(9, &Passed::default()), Incoming::Unanswerable(_)));
}

#[test]
fn complaints_are_written_as_long_as_there_are_few() {
    let mut complaints = Complaints::new(Vec::new());
    for number in 1..=100 {
        complaints.say(&format!("number {number}"));
    }
    complaints.total();
    let said = String::from_utf8(complaints.to).unwrap();
    let said: Vec<&str> = said.lines().collect();
    assert_eq!(said.len(), 10 + 3 + 1);
    assert_eq!(said[9], "debate-agent mcp: number 10");
    assert_eq!(said[10], "debate-agent mcp: 16 such lines so far; the last: number 16");
    assert_eq!(said[12], "debate-agent mcp: 64 such lines so far; the last: number 64");
    assert_eq!(said[13], "debate-agent mcp: 100 such lines in all");
    let mut few = Complaints::new(Vec::new());
    few.say("one");
    few.total();
    assert_eq!(few.to, b"debate-agent mcp: one\n");
}
