//! Classifies a client's line: a message, a line that can be answered at once, or one that cannot be answered.

use std::io::Write;

use rmcp::ErrorData;
use rmcp::model::{
    CallToolResult, ClientJsonRpcMessage, ContentBlock, ErrorCode, RequestId, ServerJsonRpcMessage,
    ServerResult,
};
use serde_json::{Map, Value};

use super::head::Head;
use super::lines::LONGEST;
use crate::text::mark::MARK;

/// Number of complaints that are written in full.
const IN_FULL: u64 = 10;

/// The result of reading a line.
#[derive(Debug)]
pub(super) enum Incoming {
    Message(Box<ClientJsonRpcMessage>),
    /// Not for the server: this is the answer.
    Answer(Box<ServerJsonRpcMessage>),
    /// No answer would reach its request: the reason, for standard error.
    Unanswerable(String),
}

/// Reads a line; `None`: it is empty. Clients on Windows begin with a byte order mark.
pub(super) fn message(line: &[u8]) -> Option<Incoming> {
    let line = line.trim_ascii();
    let line = line.strip_prefix(MARK).unwrap_or(line).trim_ascii_start();
    if line.is_empty() {
        return None;
    }
    Some(match serde_json::from_slice(line) {
        Ok(message) => Incoming::Message(Box::new(message)),
        Err(_) => no_message(line),
    })
}

fn no_message(line: &[u8]) -> Incoming {
    let object: Map<String, Value> = match serde_json::from_slice(line) {
        Ok(Value::Object(object)) => object,
        Ok(Value::Array(_)) => {
            return Incoming::Unanswerable(
                "a batch of messages is not supported: send one message per line".to_owned(),
            );
        }
        Ok(Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) => {
            return Incoming::Unanswerable("a line is JSON, but not a JSON-RPC message".to_owned());
        }
        Err(error) => return not_read(line, &error),
    };
    // An answer to an answer would only confuse.
    let answers = object.contains_key("result") || object.contains_key("error");
    match object.get("id").and_then(usable) {
        Some(id) if !answers || object.contains_key("method") => refuse(
            id,
            ErrorCode::INVALID_REQUEST,
            "not a JSON-RPC 2.0 request: it needs `jsonrpc` \"2.0\", `id` and `method`, and no `result` or `error`".to_owned(),
        ),
        Some(_) | None => Incoming::Unanswerable(
            "a line is JSON, but not a JSON-RPC message that could be answered".to_owned(),
        ),
    }
}

/// JSON beyond the parser's limits (nesting, a number that fits no variable) still has an id: its sender must not
/// wait for ever.
fn not_read(line: &[u8], error: &serde_json::Error) -> Incoming {
    let mut seen = Head::default();
    let formed = seen.read(line).is_ok();
    // The position only, not the text, which may come from anyone.
    let why = format!("a line is not readable JSON: {error}");
    match seen.id.as_ref().and_then(usable) {
        Some(id) if formed && seen.method.is_some() => refuse(id, ErrorCode::INVALID_REQUEST, why),
        Some(_) | None => Incoming::Unanswerable(why),
    }
}

/// An id that an answer can carry: text or a whole number.
fn usable(id: &Value) -> Option<RequestId> {
    serde_json::from_value(id.clone()).ok()
}

pub(super) fn refuse(id: RequestId, code: ErrorCode, why: String) -> Incoming {
    let error = ErrorData::new(code, why, None);
    Incoming::Answer(Box::new(ServerJsonRpcMessage::error(error, Some(id))))
}

/// The answer to a line that was not read. A tool call is refused like any other argument that is too large: the
/// assistant that wrote it can see why.
pub(super) fn too_long(bytes: u64, seen: &Head) -> Incoming {
    let Some(id) = seen.id.as_ref().and_then(usable) else {
        return Incoming::Unanswerable(format!(
            "a line of {bytes} bytes is ignored: a message has at most {LONGEST}"
        ));
    };
    if seen.method.as_deref() != Some("tools/call") {
        return refuse(
            id,
            ErrorCode::INVALID_REQUEST,
            format!("a message has at most {LONGEST} bytes, this one has {bytes}"),
        );
    }
    let why = match &seen.largest {
        Some((name, size)) => format!(
            "`{name}`: too large with {size} bytes of JSON; a whole request has at most {LONGEST}"
        ),
        None => format!("the request has {bytes} bytes; at most {LONGEST} are taken"),
    };
    let mut result = CallToolResult::error(vec![ContentBlock::text(why)]);
    // An absent value means complete, in every revision.
    result.result_type = None;
    let result = ServerResult::CallToolResult(result);
    Incoming::Answer(Box::new(ServerJsonRpcMessage::response(result, id)))
}

/// Logs to standard error the lines that cannot be answered: the first ones in full, then their number. A client that
/// sends nothing else must not fill a log.
#[derive(Debug)]
pub(super) struct BadMessageLog<W> {
    to: W,
    said: u64,
}

impl<W: Write> BadMessageLog<W> {
    pub(super) fn new(to: W) -> Self {
        Self { to, said: 0 }
    }

    pub(super) fn say(&mut self, what: &str) {
        self.said += 1;
        if self.said <= IN_FULL {
            // Standard error may be closed; there is no other place to report to.
            writeln!(self.to, "debate-agent mcp: {what}").ok();
        } else if self.said.is_power_of_two() {
            writeln!(
                self.to,
                "debate-agent mcp: {} such lines so far; the last: {what}",
                self.said
            )
            .ok();
        }
    }

    /// Logs the final complaint, however many came before.
    pub(super) fn say_last(&mut self, what: &str) {
        writeln!(self.to, "debate-agent mcp: {what}").ok();
    }

    /// Logs the total, if some were not logged in full.
    pub(super) fn total(&mut self) {
        if self.said > IN_FULL {
            writeln!(self.to, "debate-agent mcp: {} such lines in all", self.said).ok();
        }
    }
}

#[cfg(test)]
mod tests {
    //! Tests of the classification of lines.

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

    fn seen(id: Value, method: &str, largest: Option<(&str, u64)>) -> Head {
        Head {
            id: Some(id),
            method: Some(method.to_owned()),
            largest: largest.map(|(name, size)| (name.to_owned(), size)),
        }
    }

    #[test]
    fn a_line_is_a_message_an_answer_or_a_complaint() {
        for empty in ["", "  ", "\r", "\t", "\u{feff}", "\u{feff}\r"] {
            assert!(message(empty.as_bytes()).is_none());
        }
        for good in [
            r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#,
            "\u{feff}{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}",
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
            ("x", "not readable JSON"),
            // Neither is a message.
            (r#"{"id":1,"method":"a","n":1e999"#, "not readable JSON"),
            (r#"{"id":1,"result":1e999}"#, "not readable JSON"),
            (r#"{"jsonrpc":"2.0","id":1,"method":"ping"} {}"#, "not readable JSON"),
            ("[]", "batch"),
            ("null", "not a JSON-RPC"),
            (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, "not a JSON-RPC"),
            (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, "not a JSON-RPC"),
            (r#"{"jsonrpc":"2.0","id":[1],"method":"ping"}"#, "not a JSON-RPC"),
            // A malformed answer is not answered.
            (r#"{"id":1,"result":{}}"#, "not a JSON-RPC"),
        ] {
            let said = complaint(lost.as_bytes());
            assert!(said.contains(why), "{lost}: {said}");
        }
        // A client's text is not copied into a log.
        let said = complaint(b"{\"secret\": hunter2}");
        assert!(!said.contains("hunter2"), "{said}");
    }

    #[test]
    fn what_is_too_long_is_answered_as_far_as_it_can_be() {
        let call = answer(too_long(
            2_000_000,
            &seen(json!(5), "tools/call", Some(("question", 1_999_000))),
        ));
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
        assert!(matches!(too_long(9, &Head::default()), Incoming::Unanswerable(_)));
    }

    #[test]
    fn complaints_are_written_as_long_as_there_are_few() {
        let mut complaints = BadMessageLog::new(Vec::new());
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
        let mut few = BadMessageLog::new(Vec::new());
        few.say("one");
        few.total();
        assert_eq!(few.to, b"debate-agent mcp: one\n");
    }
}
