//! Of a request that is not read as a whole: its id, its method and its largest argument.
//!
//! The bytes go by once. Of three objects (the message, its `params`, their `arguments`) the keys are read, everything
//! else is passed over and not held, whatever its length and nesting; the order of members does not matter.

use std::cell::Cell;
use std::fmt;
use std::io::{self, Read};

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Head {
    /// `id`, if found.
    pub(super) id: Option<Value>,
    pub(super) method: Option<String>,
    /// The largest of `params.arguments`, with the size of its JSON in bytes.
    pub(super) largest: Option<(String, u64)>,
}

impl Head {
    /// Reads a message; what was found before an error stays.
    pub(super) fn read(&mut self, from: impl Read) -> serde_json::Result<()> {
        let read = Cell::new(0);
        let mut json = serde_json::Deserializer::from_reader(Counted { from, read: &read });
        Members { head: self, read: &read, depth: 0 }.deserialize(&mut json)?;
        json.end()
    }
}

struct Counted<'c, R> {
    from: R,
    read: &'c Cell<u64>,
}

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.from.read(into)?;
        self.read.set(self.read.get() + count as u64);
        Ok(count)
    }
}

/// The members of one of the three objects, by its depth.
struct Members<'h> {
    head: &'h mut Head,
    /// The number of bytes so far.
    read: &'h Cell<u64>,
    depth: u8,
}

impl<'de> DeserializeSeed<'de> for Members<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Members<'_> {
    type Value = ();

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        while let Some(name) = members.next_key::<String>()? {
            match (self.depth, &*name) {
                (0, "id") => self.head.id = members.next_value()?,
                (0, "method") => self.head.method = members.next_value()?,
                (0, "params") | (1, "arguments") => members.next_value_seed(Members {
                    head: self.head,
                    read: self.read,
                    depth: self.depth + 1,
                })?,
                _ => {
                    // Before the value stands a colon.
                    let before = self.read.get() + 1;
                    members.next_value::<IgnoredAny>()?;
                    let size = self.read.get().saturating_sub(before);
                    let largest = &mut self.head.largest;
                    if self.depth == 2 && largest.as_ref().is_none_or(|(_, most)| size > *most) {
                        *largest = Some((name, size));
                    }
                }
            }
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        while entries.next_element::<IgnoredAny>()?.is_some() {}
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn head(text: &str) -> (Head, bool) {
        let mut head = Head::default();
        let formed = head.read(text.as_bytes()).is_ok();
        (head, formed)
    }

    #[test]
    fn id_method_and_largest_argument_are_found_in_any_order() {
        let long = "é\\\"}".repeat(100);
        for text in [
            format!(
                r#"{{"id":"a","method":"tools/call","params":{{"arguments":{{"x":1,"topic":"{long}"}},"id":2}}}}"#
            ),
            format!(
                r#" {{"params": {{"arguments":{{"topic":"{long}","id":[[{{}}]]}}, "name":{{"id":3}}}}, "x":1e999,"method":"tools/call","id":"a"}} "#
            ),
        ] {
            let (found, formed) = head(&text);
            assert!(formed, "{text}");
            assert_eq!((found.id, found.method.as_deref()), (Some(json!("a")), Some("tools/call")));
            assert_eq!(found.largest, Some(("topic".to_owned(), long.len() as u64 + 2)), "{text}");
        }
        let (found, formed) =
            head(&format!(r#"{{"params":{}{},"id":7}}"#, "[".repeat(5_000), "]".repeat(5_000)));
        assert_eq!((found.id, found.largest, formed), (Some(json!(7)), None, true));
    }

    #[test]
    fn what_is_no_message_has_what_was_found_in_it() {
        for (text, id) in [
            (r#"{"id":1,"method":"ping""#, Some(json!(1))),
            (r#"{"id":1} {}"#, Some(json!(1))),
            (r#"{"x":"#, None),
            (r#"{"id":"\ud800"}"#, None),
            ("5", None),
            ("", None),
        ] {
            let (found, formed) = head(text);
            assert_eq!((found.id, formed), (id, false), "{text}");
        }
        assert_eq!(head(r#"[{"id":1}]"#), (Head::default(), true));
    }
}
