//! Reads one configuration text: JSON with the position of every value; duplicate keys are refused.
//!
//! `serde_json` judges the syntax and returns the values, but it loses their positions and keeps the last of two
//! equal keys. A second pass over the text, which by then is known to be valid JSON, therefore records the line and
//! column of every key and finds the duplicates.

use std::collections::BTreeMap;

use serde_json::Value;

use super::key::KeyPath;
use crate::text::json;

/// A line and a column, both from 1. The column counts characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
}

/// A parsed text.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    /// The values of the text.
    pub value: Value,
    /// The position of each value: that of its key, or that of the value itself in an array.
    pub positions: BTreeMap<KeyPath, Position>,
}

/// The reason why a text is not a configuration at all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DocumentError {
    /// The text is not JSON.
    #[error("not valid JSON: {message}")]
    Syntax {
        at: Position,
        /// The parser's message.
        message: String,
    },
    /// One object has the same key twice.
    #[error("`{path}` is given twice (first on line {first})")]
    Duplicate {
        /// The position of the second occurrence.
        at: Position,
        /// The line of the first occurrence.
        first: usize,
        path: KeyPath,
    },
    /// The text is JSON, but not an object.
    #[error("must be a JSON object, {found} found")]
    NoObject {
        at: Position,
        /// The type found instead.
        found: &'static str,
    },
}

impl DocumentError {
    /// Returns the position of the fault.
    pub const fn at(&self) -> Position {
        match self {
            Self::Syntax { at, .. } | Self::Duplicate { at, .. } | Self::NoObject { at, .. } => *at,
        }
    }
}

impl Document {
    /// Parses a text.
    pub fn parse(text: &str) -> Result<Self, DocumentError> {
        if text.starts_with('\u{feff}') {
            return Err(DocumentError::Syntax {
                at: Position { line: 1, column: 1 },
                message: "it begins with a byte order mark; save it as UTF-8 without one"
                    .to_owned(),
            });
        }
        let value: Value = serde_json::from_str(text).map_err(|error| DocumentError::Syntax {
            at: Position { line: error.line().max(1), column: error.column().max(1) },
            message: without_place(&error.to_string()),
        })?;
        let mut scan = Scan::new(text);
        scan.value(&KeyPath::root())?;
        if !value.is_object() {
            return Err(DocumentError::NoObject { at: scan.root, found: json::kind(&value) });
        }
        Ok(Self { value, positions: scan.positions })
    }

    /// Returns the position of a value; for a missing value, that of the nearest enclosing one.
    pub fn position(&self, path: &KeyPath) -> Position {
        let mut path = Some(path.clone());
        while let Some(here) = path {
            if let Some(position) = self.positions.get(&here) {
                return *position;
            }
            path = here.parent();
        }
        Position { line: 1, column: 1 }
    }
}

/// Cuts ` at line 3 column 4` from a message, because our messages state the position themselves.
pub(super) fn without_place(message: &str) -> String {
    match message.rfind(" at line ") {
        Some(at) => message[..at].to_owned(),
        None => message.to_owned(),
    }
}

/// The second pass. Every step assumes valid JSON and stops quietly otherwise.
struct Scan<'a> {
    rest: std::iter::Peekable<std::str::Chars<'a>>,
    here: Position,
    root: Position,
    positions: BTreeMap<KeyPath, Position>,
}

impl<'a> Scan<'a> {
    fn new(text: &'a str) -> Self {
        let start = Position { line: 1, column: 1 };
        Self { rest: text.chars().peekable(), here: start, root: start, positions: BTreeMap::new() }
    }

    fn bump(&mut self) -> Option<char> {
        let c = self.rest.next()?;
        if c == '\n' {
            self.here.line += 1;
            self.here.column = 1;
        } else {
            self.here.column += 1;
        }
        Some(c)
    }

    /// Skips white space and separators, and returns the next character.
    fn next_token(&mut self) -> Option<char> {
        while let Some(&c) = self.rest.peek() {
            if c.is_ascii_whitespace() || c == ',' || c == ':' {
                self.bump();
            } else {
                return Some(c);
            }
        }
        None
    }

    fn value(&mut self, path: &KeyPath) -> Result<(), DocumentError> {
        let token = self.next_token();
        if path.segments().is_empty() {
            self.root = self.here;
        }
        match token {
            Some('{') => self.object(path),
            Some('[') => self.array(path),
            Some('"') => {
                self.string();
                Ok(())
            }
            Some(_) => {
                while let Some(&c) = self.rest.peek() {
                    if matches!(c, ',' | ']' | '}') || c.is_ascii_whitespace() {
                        break;
                    }
                    self.bump();
                }
                Ok(())
            }
            None => Ok(()),
        }
    }

    fn object(&mut self, path: &KeyPath) -> Result<(), DocumentError> {
        self.bump();
        loop {
            if self.next_token() != Some('"') {
                self.bump();
                return Ok(());
            }
            let at = self.here;
            let member = path.key(&self.string());
            if let Some(first) = self.positions.insert(member.clone(), at) {
                return Err(DocumentError::Duplicate { at, first: first.line, path: member });
            }
            self.value(&member)?;
        }
    }

    fn array(&mut self, path: &KeyPath) -> Result<(), DocumentError> {
        self.bump();
        for index in 0.. {
            match self.next_token() {
                Some(']') | None => break,
                Some(_) => {
                    let element = path.index(index);
                    self.positions.insert(element.clone(), self.here);
                    self.value(&element)?;
                }
            }
        }
        self.bump();
        Ok(())
    }

    /// Reads a string token and decodes it: two spellings of one key are the same key.
    fn string(&mut self) -> String {
        let mut token = String::new();
        token.extend(self.bump());
        while let Some(c) = self.bump() {
            token.push(c);
            if c == '\\' {
                token.extend(self.bump());
            } else if c == '"' {
                break;
            }
        }
        serde_json::from_str(&token).unwrap_or(token)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_knows_its_place() {
        let document = Document::parse(
            "{\n  \"a\": { \"b\": [1,\n {\"c\": \"x,]}\"}] },\n  \"é\": 1 , \"f\":2}",
        )
        .unwrap();
        let at = |path: KeyPath| {
            let position = document.positions[&path];
            (position.line, position.column)
        };
        assert_eq!(at(KeyPath::of(["a"])), (2, 3));
        assert_eq!(at(KeyPath::of(["a", "b"])), (2, 10));
        assert_eq!(at(KeyPath::of(["a", "b"]).index(1).key("c")), (3, 3));
        assert_eq!(at(KeyPath::of(["f"])), (4, 12));
        let missing = KeyPath::of(["a", "b", "nothing"]);
        assert_eq!(document.position(&missing), document.positions[&KeyPath::of(["a", "b"])]);
    }

    #[test]
    fn a_key_given_twice_is_refused_also_in_another_spelling() {
        for text in [
            "{\"a\": 1,\n\"a\": 1}",
            "{\"a\": 1,\n\"\\u0061\": 2}",
            "{\"a\": {\"b\": 1},\n\"a\": {\"c\": 1}}",
        ] {
            let error = Document::parse(text).unwrap_err();
            assert_eq!(error.at(), Position { line: 2, column: 1 }, "{text}");
            assert_eq!(error.to_string(), "`a` is given twice (first on line 1)");
        }
        assert!(Document::parse(r#"{"a": [{"x": 1}, {"x": 2}]}"#).is_ok());
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read_or_refused_without_a_panic(text in "[\\[\\]{},:\"\\\\a0 \n]{0,60}") {
            let ours = Document::parse(&text);
            if let Ok(document) = ours {
                proptest::prop_assert_eq!(document.value, serde_json::from_str::<Value>(&text).unwrap());
            }
        }
    }
}
