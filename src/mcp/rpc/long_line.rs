//! Extracts from a request that is too long to buffer its id, its method and its largest argument.
//!
//! # Theory of operation
//!
//! The bytes go by once, in pieces. Three objects are followed: the message, its `params`, their `arguments`. In them
//! keys and plain values are kept up to [`KEPT`] bytes; everything else is only counted: its depth, its size. So
//! memory does not depend on the input, and the order of members does not matter. Malformed JSON is not detected: its
//! sender gets the answer that the line is too long, which is true.

use serde_json::Value;

use crate::mcp::lines::LongLine;

/// Maximum number of bytes of a key or a plain value that are kept. Longer ones count as absent.
const KEPT: usize = 256;

/// The depth to which objects are followed: the message, `params`, `arguments`.
const FOLLOWED: usize = 3;

#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct LongLineSummary {
    /// `id`, a text or a number, if found.
    pub(super) id: Option<Value>,
    /// `method`.
    pub(super) method: Option<String>,
    /// The largest of `params.arguments`, with the size of its JSON in bytes.
    pub(super) largest: Option<(String, u64)>,
}

/// Scans a line while it goes by.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct LongLineScanner {
    /// Bytes so far.
    at: u64,
    /// Number of open objects and lists.
    depth: usize,
    /// Number of them, from the outside, that are followed.
    followed: usize,
    /// The keys that lead to the current value: in the message, in `params`, in `arguments`.
    keys: [Option<Vec<u8>>; FOLLOWED],
    /// Whether the scanner is in a value rather than a key.
    in_value: bool,
    /// The offset at which the value began.
    began: u64,
    /// The plain text of the key or value so far; `None` once it is too long or turns out not to be plain.
    kept: Option<Vec<u8>>,
    /// Inside a string, and after a backslash in it.
    quoted: bool,
    escaped: bool,
    id: Option<Vec<u8>>,
    method: Option<Vec<u8>>,
    largest: Option<(Vec<u8>, u64)>,
}

impl LongLine for LongLineScanner {
    fn pass(&mut self, piece: &[u8]) {
        for byte in piece {
            self.byte(*byte);
            self.at += 1;
        }
    }
}

impl LongLineScanner {
    pub(super) fn finish(self) -> LongLineSummary {
        let text = |kept: &[u8]| serde_json::from_slice::<String>(kept).ok();
        LongLineSummary {
            id: self.id.and_then(|kept| serde_json::from_slice(&kept).ok()),
            method: self.method.as_deref().and_then(text),
            largest: self.largest.and_then(|(name, size)| Some((text(&name)?, size))),
        }
    }

    /// Whether the innermost open object is one that is followed.
    fn here(&self) -> bool {
        self.depth > 0 && self.depth == self.followed
    }

    fn byte(&mut self, byte: u8) {
        if self.quoted {
            self.keep(byte);
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                b'"' => self.quoted = false,
                _ => {}
            }
            return;
        }
        match byte {
            b'"' => {
                self.quoted = true;
                self.keep(byte);
            }
            b'{' | b'[' => self.open(byte == b'{'),
            b'}' | b']' => self.close(),
            b':' if self.here() && !self.in_value => self.value_begins(),
            b',' if self.here() => {
                self.value_ends();
                self.begin_key();
            }
            b' ' | b'\t' | b'\r' => {}
            _ => self.keep(byte),
        }
    }

    fn keep(&mut self, byte: u8) {
        if !self.here() {
            return;
        }
        match &mut self.kept {
            Some(kept) if kept.len() < KEPT => kept.push(byte),
            Some(_) => self.kept = None,
            None => {}
        }
    }

    fn begin_key(&mut self) {
        self.in_value = false;
        self.kept = Some(Vec::new());
    }

    fn value_begins(&mut self) {
        self.in_value = true;
        self.began = self.at + 1;
        if let Some(key) = self.keys.get_mut(self.depth - 1) {
            *key = self.kept.replace(Vec::new());
        }
        self.kept = Some(Vec::new());
    }

    fn open(&mut self, object: bool) {
        let leads_on = object
            && match self.depth {
                0 => true,
                1 => self.here() && self.in_value && self.key(0) == Some(b"\"params\""),
                2 => self.here() && self.in_value && self.key(1) == Some(b"\"arguments\""),
                _ => false,
            };
        if self.here() {
            self.kept = None;
        }
        self.depth = self.depth.saturating_add(1);
        if leads_on {
            self.followed = self.depth;
            self.begin_key();
        }
    }

    fn close(&mut self) {
        if self.here() {
            self.value_ends();
            self.followed -= 1;
            // Back in the value of the enclosing object, which is not a plain one.
            self.in_value = true;
            self.kept = None;
        }
        self.depth = self.depth.saturating_sub(1);
    }

    fn key(&self, level: usize) -> Option<&[u8]> {
        self.keys.get(level)?.as_deref()
    }

    fn value_ends(&mut self) {
        if !self.in_value {
            return;
        }
        let kept = self.kept.take();
        match (self.depth, self.key(0)) {
            (1, Some(b"\"id\"")) => self.id = kept,
            (1, Some(b"\"method\"")) => self.method = kept,
            (FOLLOWED, _) => {
                let size = self.at - self.began;
                let larger = self.largest.as_ref().is_none_or(|(_, most)| size > *most);
                if let (true, Some(name)) = (larger, self.key(FOLLOWED - 1)) {
                    self.largest = Some((name.to_vec(), size));
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    //! Tests of the facts found in long requests, against a parser that buffers them.

    use proptest::prelude::*;
    use serde_json::{Map, Value, json};

    use super::*;

    fn seen(text: &[u8], piece: usize) -> LongLineSummary {
        let mut seen = LongLineScanner::default();
        for piece in text.chunks(piece.max(1)) {
            seen.pass(piece);
        }
        seen.finish()
    }

    fn passed(id: Value, method: &str, largest: Option<(&str, u64)>) -> LongLineSummary {
        LongLineSummary {
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
        // The size includes the space before the value.
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
            assert_eq!(seen(text.as_bytes(), 3), LongLineSummary::default(), "{text}");
        }
    }

    #[test]
    fn what_is_too_long_for_an_id_or_a_name_is_not_kept() {
        let long = "i".repeat(KEPT);
        let text = format!(
            r#"{{"id":"{long}","method":"{long}","params":{{"arguments":{{"{long}":1}}}}}}"#
        );
        assert_eq!(seen(text.as_bytes(), 64), LongLineSummary::default());
        let just = "i".repeat(KEPT - 2);
        let text = format!(r#"{{"id":"{just}","method":"m"}}"#);
        assert_eq!(seen(text.as_bytes(), 64), passed(json!(just), "m", None));
    }

    #[test]
    fn memory_does_not_depend_on_what_goes_by() {
        let mut seen = LongLineScanner::default();
        for _ in 0..100_000 {
            seen.pass(b"{\"k\":[");
        }
        seen.pass("\"".repeat(9).as_bytes());
        for _ in 0..10_000 {
            seen.pass(&[b'x'; 100]);
        }
        let kept =
            [&seen.kept, &seen.id, &seen.method, &seen.keys[0], &seen.keys[1], &seen.keys[2]];
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
            // A line contains no line ends.
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
}
