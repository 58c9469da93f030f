//! JSON as printed by CLIs: one value, or one per line, with numbers that JSON does not allow.

use serde_json::Value;

/// Parses one document. If strict parsing fails, invalid words and numbers (`NaN`, `1e999`) are
/// read as `null`, so that a broken figure does not cost an answer.
pub(in crate::agent) fn parse(bytes: &[u8]) -> Option<Value> {
    if let Ok(value) = serde_json::from_slice(bytes) {
        return Some(value);
    }
    serde_json::from_slice(&without_odd_words(bytes)?).ok()
}

/// Replaces every bare word that is not a JSON value by `null`; `None` if there is none.
fn without_odd_words(bytes: &[u8]) -> Option<Vec<u8>> {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
    let mut out = Vec::with_capacity(bytes.len());
    let mut replaced = false;
    let mut in_string = false;
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        if in_string {
            out.push(byte);
            if byte == b'\\' {
                at += 1;
                out.extend(bytes.get(at));
            } else if byte == b'"' {
                in_string = false;
            }
            at += 1;
        } else if is_word(byte) {
            let end = bytes[at..]
                .iter()
                .position(|&byte| !is_word(byte))
                .map_or(bytes.len(), |length| at + length);
            let word = &bytes[at..end];
            if serde_json::from_slice::<Value>(word).is_ok() {
                out.extend_from_slice(word);
            } else {
                out.extend_from_slice(b"null");
                replaced = true;
            }
            at = end;
        } else {
            in_string = byte == b'"';
            out.push(byte);
            at += 1;
        }
    }
    replaced.then_some(out)
}

/// Returns the values of an output: the elements of an array, one document, or one value per line.
/// Lines that are not JSON (warnings, a torn last one) are skipped.
pub(in crate::agent) fn values(bytes: &[u8]) -> Vec<Value> {
    let text = bytes.trim_ascii();
    if text.starts_with(b"[")
        && let Some(Value::Array(list)) = parse(text)
    {
        return list;
    }
    let lines: Vec<Value> = text
        .split(|&byte| byte == b'\n')
        .filter(|line| line.trim_ascii_start().starts_with(b"{"))
        .filter_map(parse)
        .collect();
    if lines.is_empty() {
        return parse(text).into_iter().collect();
    }
    lines
}

/// Returns the object at the end of a text, after any noise.
pub(in crate::agent) fn last_object(bytes: &[u8]) -> Option<Value> {
    let text = bytes.trim_ascii();
    if !text.ends_with(b"}") {
        return None;
    }
    // The outermost brace at the start of a line; the object is the last part of a report.
    let mut starts: Vec<usize> = Vec::new();
    for (at, &byte) in text.iter().enumerate() {
        if byte == b'{' && (at == 0 || text[at - 1] == b'\n') {
            starts.push(at);
        }
    }
    starts.into_iter().rev().take(100).find_map(|at| parse(&text[at..])).filter(Value::is_object)
}

pub(in crate::agent) fn text<'a>(value: &'a Value, pointer: &str) -> Option<&'a str> {
    value.pointer(pointer).and_then(Value::as_str)
}

/// Returns the count at a pointer, 0 if there is none.
pub(in crate::agent) fn count(value: &Value, pointer: &str) -> u64 {
    value.pointer(pointer).and_then(Value::as_u64).unwrap_or(0)
}
