//! What a line of the client is: a message, something that can be answered at once, or something that cannot.

use std::io::Write;

use rmcp::ErrorData;
use rmcp::model::{
    CallToolResult, ClientJsonRpcMessage, ContentBlock, ErrorCode, RequestId, ServerJsonRpcMessage,
    ServerResult,
};
use serde::de::IgnoredAny;
use serde_json::{Map, Value};

use super::passing::{Passed, Seen};
use crate::mcp::lines::{LONGEST, Passing as _};

/// Complaints that are written as they come.
const IN_FULL: u64 = 10;

/// What a line comes to.
#[derive(Debug)]
pub(super) enum Incoming {
    /// A message for the server.
    Message(Box<ClientJsonRpcMessage>),
    /// Nothing for the server: this is the answer.
    Answer(Box<ServerJsonRpcMessage>),
    /// No answer would find its way: why, for standard error.
    Unanswerable(String),
}

/// Reads a line; `None`: it is empty.
pub(super) fn message(line: &[u8]) -> Option<Incoming> {
    let line = line.trim_ascii();
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
                "a batch of messages is not supported: send one message a line".to_owned(),
            );
        }
        Ok(Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) => {
            return Incoming::Unanswerable("a line is JSON, but no JSON-RPC message".to_owned());
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
            "a line is JSON, but no JSON-RPC message that could be answered".to_owned(),
        ),
    }
}

/// JSON that goes beyond what is read (nesting, a number that no variable holds) has an id all the same: whoever asked must
/// not wait for ever.
fn not_read(line: &[u8], error: &serde_json::Error) -> Incoming {
    let mut seen = Seen::default();
    seen.pass(line);
    let seen = seen.finish();
    // It looks at the form alone, without recursion.
    let formed = serde_json::from_slice::<IgnoredAny>(line).is_ok();
    // The position, not the text: it is anybody's.
    let why = format!("a line is not JSON that can be read: {error}");
    match seen.id.as_ref().and_then(usable) {
        Some(id) if formed && seen.method.is_some() => refuse(id, ErrorCode::INVALID_REQUEST, why),
        Some(_) | None => Incoming::Unanswerable(why),
    }
}

/// An id that an answer can carry: text or a whole number.
fn usable(id: &Value) -> Option<RequestId> {
    serde_json::from_value(id.clone()).ok()
}

/// Answers with an error.
pub(super) fn refuse(id: RequestId, code: ErrorCode, why: String) -> Incoming {
    let error = ErrorData::new(code, why, None);
    Incoming::Answer(Box::new(ServerJsonRpcMessage::error(error, Some(id))))
}

/// What a line that was not read comes to. A tool call is refused as any other argument that is too large: the assistant
/// that wrote it can see why.
pub(super) fn too_long(bytes: u64, seen: &Passed) -> Incoming {
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
    // Absent means complete, in every revision.
    result.result_type = None;
    let result = ServerResult::CallToolResult(result);
    Incoming::Answer(Box::new(ServerJsonRpcMessage::response(result, id)))
}

/// Says on standard error what cannot be answered: the first ones in full, then how many there were. A client that sends
/// nothing else must not fill a log.
#[derive(Debug)]
pub(super) struct Complaints<W> {
    to: W,
    said: u64,
}

impl<W: Write> Complaints<W> {
    pub(super) fn new(to: W) -> Self {
        Self { to, said: 0 }
    }

    /// Says one.
    pub(super) fn say(&mut self, what: &str) {
        self.said += 1;
        if self.said <= IN_FULL {
            // Standard error may be closed; nothing else can be told then.
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

    /// Says what is the last that happens, however much was said before.
    pub(super) fn say_last(&mut self, what: &str) {
        writeln!(self.to, "debate-agent mcp: {what}").ok();
    }

    /// Says how many there were, where not all were said.
    pub(super) fn total(&mut self) {
        if self.said > IN_FULL {
            writeln!(self.to, "debate-agent mcp: {} such lines in all", self.said).ok();
        }
    }
}

#[cfg(test)]
mod tests;
