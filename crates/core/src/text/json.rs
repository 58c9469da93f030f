//! Strict JSON (duplicate keys refused) and a lossless normaliser.
//!
//! [`read`] first parses strictly. Only if that fails does it retry on the output of `normalise`: without trailing
//! commas, comments and a code fence around the value, and with raw control characters inside strings escaped.
//! None of these can change what the text says. [`read_generously`] also accepts backslashes that escape nothing
//! and white space that JSON does not allow, and drops words around the value and one surplus bracket after it.
//! Anything that would need a guess (single quotes, unescaped quotes, Python literals, a text that was cut) stays
//! an error, since a guessed ranking is a wrong ranking.

use std::fmt::{self, Write as _};

use serde::de::{
    self, DeserializeOwned, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor,
};
use serde_json::map::Entry;
use serde_json::{Map, Number, Value};

use super::{Note, sanitize};

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message} at line {line}, column {column}")]
pub struct JsonError {
    /// The parser's message.
    pub message: String,
    /// From 1.
    pub line: usize,
    /// From 1 (0 when the line is empty).
    pub column: usize,
    /// The text ended before the value did.
    pub truncated: bool,
    /// The characters around the place, on one line; empty if the text ended.
    pub near: String,
}

/// Returns what people are told that a value is, with its article.
pub const fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

const DUPLICATE_KEY: &str = "duplicate key";

impl JsonError {
    /// Whether the error is a duplicate key.
    pub(super) fn is_contradiction(&self) -> bool {
        self.message.starts_with(DUPLICATE_KEY)
    }

    fn new(error: &serde_json::Error, text: &str) -> Self {
        let full = error.to_string();
        // The position has fields of its own.
        let message = full.split(" at line ").next().unwrap_or(&full);
        Self {
            message: sanitize::line(message, 200),
            line: error.line(),
            column: error.column(),
            truncated: error.is_eof(),
            near: around(text, error.line(), error.column()),
        }
    }
}

/// Why a file of ours cannot be read; a sentence without its name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum VersionedError {
    #[error("it is not UTF-8 (at byte {0})")]
    NotUtf8(usize),
    #[error("it is not JSON: {0}")]
    NotJson(JsonError),
    #[error("its version is {found}, but this program knows {known}; update debate-agent")]
    Version { found: String, known: u32 },
    #[error(transparent)]
    Malformed(#[from] Malformed),
}

/// A field that is not as it has to be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {problem}")]
pub struct Malformed {
    /// The field, for example `decisions[3].title`; `.` for the whole value. One line.
    pub place: String,
    /// What is wrong with it, in one line.
    pub problem: String,
}

impl Malformed {
    /// Names a field and what is wrong with it.
    pub fn at(place: &str, problem: &str) -> Self {
        Self { place: sanitize::line(place, 200), problem: sanitize::line(problem, 300) }
    }
}

/// Reads a file of ours strictly: UTF-8, JSON without duplicate keys, the version in the member `key`, the form.
///
/// # Errors
/// The first fault, with its place.
pub fn versioned<T: DeserializeOwned>(
    bytes: &[u8],
    key: &str,
    known: u32,
) -> Result<T, VersionedError> {
    let text =
        std::str::from_utf8(bytes).map_err(|error| VersionedError::NotUtf8(error.valid_up_to()))?;
    let value =
        parse(text.strip_prefix('\u{feff}').unwrap_or(text)).map_err(VersionedError::NotJson)?;
    // The version is checked before the form: another version may have other fields.
    match value.get(key) {
        Some(version) if version.as_u64() == Some(u64::from(known)) => {}
        None => return Err(Malformed::at(key, "it is missing").into()),
        Some(other) => {
            let found = sanitize::line(&other.to_string(), 60);
            return Err(VersionedError::Version { found, known });
        }
    }
    Ok(typed(&value)?)
}

/// Reads a value into its type. All JSON goes this way, because each further way makes code of its own for every type.
///
/// # Errors
/// The first fault, with its place.
pub fn typed<T: DeserializeOwned>(value: &Value) -> Result<T, Malformed> {
    serde_path_to_error::deserialize(value)
        .map_err(|error| Malformed::at(&error.path().to_string(), &error.inner().to_string()))
}

/// Characters shown before the place of an error, and half as many after it.
const AROUND: usize = 20;

/// Returns the characters around a place. `line` from 1, `column` in bytes from 1.
fn around(text: &str, line: usize, column: usize) -> String {
    let line = text.lines().nth(line.saturating_sub(1)).unwrap_or_default();
    let (before, after) = line.split_at(line.floor_char_boundary(column));
    let skipped = before.chars().count().saturating_sub(AROUND);
    let near = before.chars().skip(skipped).chain(after.chars().take(AROUND / 2));
    sanitize::line(&near.collect::<String>(), 2 * AROUND)
}

/// Parses exactly one JSON value, optionally surrounded by white space.
///
/// Also refused: duplicate keys in one object, at any depth, and more than 128 levels.
pub fn parse(text: &str) -> Result<Value, JsonError> {
    let mut parser = serde_json::Deserializer::from_str(text);
    let value = Strict.deserialize(&mut parser).map_err(|error| JsonError::new(&error, text))?;
    parser.end().map_err(|error| JsonError::new(&error, text))?;
    Ok(value)
}

/// Parses strictly, and if that fails, parses the output of `normalise`.
///
/// The notes list the normalisations; the error is about the remaining fault.
pub fn read(text: &str) -> Result<(Value, Vec<Note>), JsonError> {
    read_by(text, Leniency::Plain)
}

/// The same, also in the other forms that models write. `words`: whether there may be words around the
/// value.
///
/// If nothing could be normalised, the error is about the text as given.
pub fn read_generously(text: &str, words: bool) -> Result<(Value, Vec<Note>), JsonError> {
    read_by(text, if words { Leniency::Among } else { Leniency::Alone })
}

/// Deviations accepted in addition to strict JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Leniency {
    /// Those outside strings, and raw control characters.
    Plain,
    /// Also backslashes and white space that JSON does not allow, and a surplus bracket.
    Alone,
    /// Also words before and after.
    Among,
}

fn read_by(text: &str, manner: Leniency) -> Result<(Value, Vec<Note>), JsonError> {
    let first = match parse(text) {
        Ok(value) => return Ok((value, Vec::new())),
        Err(error) => error,
    };
    let Some((clean, notes)) = normalise(text, manner) else {
        return Err(first);
    };
    parse(&clean).map(|value| (value, notes))
}

/// Parses into a [`Value`] and refuses duplicate keys; a seed, so that it can also read one value of
/// many.
pub struct Strict;

impl<'de> DeserializeSeed<'de> for Strict {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("number out of range"))
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E: de::Error>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut array = Vec::new();
        while let Some(item) = items.next_element_seed(Self)? {
            array.push(item);
        }
        Ok(Value::Array(array))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            match object.entry(key) {
                Entry::Occupied(entry) => {
                    let key = sanitize::line(entry.key(), 80);
                    return Err(de::Error::custom(format!("{DUPLICATE_KEY} \"{key}\"")));
                }
                Entry::Vacant(entry) => {
                    entry.insert(entries.next_value_seed(Self)?);
                }
            }
        }
        Ok(Value::Object(object))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Change {
    Fence,
    Comma,
    Comment,
    Control,
    Words,
    Bracket,
    Escape,
    Space,
}

impl Change {
    fn note(self) -> Note {
        let (code, message) = match self {
            Self::Fence => ("code_fence", "a code fence around the JSON value was left out"),
            Self::Comma => ("trailing_comma", "a comma before a closing bracket was left out"),
            Self::Comment => ("comment", "a comment in the JSON value was left out"),
            Self::Control => {
                ("control_character", "a raw control character in a JSON string was escaped")
            }
            Self::Words => ("words_left_out", "words around the JSON value were left out"),
            Self::Bracket => ("bracket_left_out", "an extra closing bracket was left out"),
            Self::Escape => {
                ("bad_escape", "a backslash that escapes nothing in JSON was read literally")
            }
            Self::Space => {
                ("odd_space", "white space that JSON does not allow was read as a space")
            }
        };
        Note::new(code, message)
    }
}

/// The changes made, each kind once, in order of occurrence.
#[derive(Debug, Default)]
struct Changes(Vec<Change>);

impl Changes {
    fn made(&mut self, change: Change) {
        if !self.0.contains(&change) {
            self.0.push(change);
        }
    }
}

/// Removes everything that JSON does not allow and that does not affect the meaning; returns the
/// text and notes on the changes.
///
/// `None`: there is nothing to normalise, or a comment is not clearly one.
fn normalise(text: &str, manner: Leniency) -> Option<(String, Vec<Note>)> {
    let mut changes = Changes::default();
    let mut body = text;
    if let Some(inner) = unfence(text) {
        changes.made(Change::Fence);
        body = inner;
    }
    let mut around = Changes::default();
    let value = outlined(body, &mut around);
    let takes_words = manner == Leniency::Among || around.0 == [Change::Bracket];
    if manner != Leniency::Plain && takes_words {
        body = value;
        around.0.into_iter().for_each(|change| changes.made(change));
    }
    let clean = rewrite(body, manner, &mut changes)?;
    let notes: Vec<Note> = changes.0.into_iter().map(Change::note).collect();
    (!notes.is_empty()).then_some((clean, notes))
}

/// Returns the content of a code fence that encloses the text. A fence whose other end fell outside
/// the block counts as well.
fn unfence(text: &str) -> Option<&str> {
    let mut inner = text.trim();
    let whole = inner.len();
    for fence in ["```", "~~~"] {
        if inner.starts_with(fence) {
            let (first, rest) = inner.split_once('\n')?;
            let language = first.trim_start_matches(['`', '~']).trim();
            if !language.chars().all(|c| c.is_ascii_alphanumeric()) {
                return None;
            }
            inner = rest.trim_end();
        }
        if let Some(last) = inner.lines().next_back()
            && last.trim_start().starts_with(fence)
            && last.trim().trim_matches(['`', '~']).is_empty()
        {
            inner = inner[..inner.len() - last.len()].trim_end();
        }
    }
    (inner.len() < whole).then_some(inner)
}

/// Returns the text without words before its first bracket and after the matching one, and without one surplus closing
/// bracket; the whole text if another value follows.
fn outlined<'t>(text: &'t str, changes: &mut Changes) -> &'t str {
    let Some(begin) = text.find(['{', '[']) else {
        return text;
    };
    let Some(end) = closing(&text[begin..]).map(|at| begin + at) else {
        return text;
    };
    let blank = |text: &str| text.chars().all(|c| c.is_whitespace() || is_odd_space(c));
    let after = text[end..].trim();
    let (before, too_many) = (!blank(&text[..begin]), matches!(after, "}" | "]"));
    if !too_many && after.contains(['{', '[', '}', ']']) {
        return text;
    }
    if before || !(too_many || blank(after)) {
        changes.made(Change::Words);
    }
    if too_many {
        changes.made(Change::Bracket);
    }
    &text[begin..end]
}

/// Returns the position after the bracket that closes the one at the start of the text.
fn closing(text: &str) -> Option<usize> {
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// Whether the character is white space to a reader but not in JSON.
fn is_odd_space(c: char) -> bool {
    let json = matches!(c, ' ' | '\t' | '\n' | '\r');
    !json && (c.is_whitespace() || sanitize::is_hidden(c))
}

fn rewrite(text: &str, manner: Leniency, changes: &mut Changes) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    // The last significant character, and the position of a held-back comma in `out`.
    let mut last = None;
    let mut comma: Option<usize> = None;
    while let Some(c) = rest.chars().next() {
        if c == '"' {
            let (string, after) = string(rest, manner, changes);
            out.push_str(&string);
            rest = after;
            (last, comma) = (Some('"'), None);
            continue;
        }
        if rest.starts_with("//") || rest.starts_with("/*") {
            rest = after_comment(rest)?;
            changes.made(Change::Comment);
            out.push(' ');
            continue;
        }
        match c {
            ',' => {
                // A comma after no value is an error, not a trailing comma.
                let follows_value = !matches!(last, None | Some('[' | '{' | ',' | ':'));
                comma = follows_value.then_some(out.len());
                last = Some(c);
            }
            ']' | '}' => {
                if let Some(at) = comma.take() {
                    out.remove(at);
                    changes.made(Change::Comma);
                }
                last = Some(c);
            }
            c if manner != Leniency::Plain && is_odd_space(c) => {
                changes.made(Change::Space);
                out.push(' ');
                rest = &rest[c.len_utf8()..];
                continue;
            }
            c if c.is_whitespace() => {}
            c => (last, comma) = (Some(c), None),
        }
        out.push(c);
        rest = &rest[c.len_utf8()..];
    }
    Some(out)
}

/// Copies the string at the start of `text`, escaping raw control characters; returns it and the
/// rest.
fn string<'a>(text: &'a str, manner: Leniency, changes: &mut Changes) -> (String, &'a str) {
    let mut out = String::from("\"");
    let mut chars = text.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => {
                out.push('"');
                return (out, &text[at + 1..]);
            }
            '\\' if manner != Leniency::Plain && !escapes(&text[at + 1..]) => {
                changes.made(Change::Escape);
                // These are escaped only in Markdown or another language.
                if !text[at + 1..].starts_with(['\'', '`']) {
                    out.push_str("\\\\");
                }
            }
            '\\' => {
                out.push('\\');
                if let Some((_, escaped)) = chars.next() {
                    out.push(escaped);
                }
            }
            '\n' => {
                out.push_str("\\n");
                changes.made(Change::Control);
            }
            '\t' => {
                out.push_str("\\t");
                changes.made(Change::Control);
            }
            c if c < ' ' => {
                // Writing to a string can't fail.
                let _ = write!(out, "\\u{:04x}", u32::from(c));
                changes.made(Change::Control);
            }
            c => out.push(c),
        }
    }
    (out, "")
}

/// Whether the text after a backslash makes a valid JSON escape.
fn escapes(after: &str) -> bool {
    match after.strip_prefix('u') {
        Some(code) => code.get(..4).is_some_and(|code| code.bytes().all(|c| c.is_ascii_hexdigit())),
        None => after.starts_with(['"', '\\', '/', 'b', 'f', 'n', 'r', 't']),
    }
}

/// Returns the rest after the comment at the start of `text` and its line break.
///
/// `None` for a comment without an end, or with an odd number of quotes: it may be the rest of a
/// string with unescaped quotes.
fn after_comment(text: &str) -> Option<&str> {
    let (comment, rest) = if text.starts_with("//") {
        text.split_at(text.find('\n').unwrap_or(text.len()))
    } else {
        text.split_at(text[2..].find("*/")? + 4)
    };
    let quotes = comment.bytes().filter(|byte| *byte == b'"').count();
    (quotes % 2 == 0).then_some(rest)
}

#[cfg(test)]
mod tests {
    //! Which texts are accepted, which are normalised, and which stay errors.

    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn strict_parse_refuses_what_serde_json_lets_pass() {
        for text in [
            "{\"a\": 1, \"a\": 1}",
            "{\"a\": 1, \"\\u0061\": 2}",
            "[{\"x\": {\"b\": 1, \"c\": 2, \"b\": 3}}]",
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.message.starts_with("duplicate key"), "{error}");
            assert_eq!(error.line, 1);
        }
        for text in
            ["NaN", "[Infinity]", "1e999", "\u{feff}[]", "[1] [2]", "", "[01]", "[\"\\ud800\"]"]
        {
            assert!(parse(text).is_err(), "{text}");
        }
        assert_eq!(
            parse("{\"a\": {\"k\": 1}, \"b\": {\"k\": 1}}").unwrap(),
            json!({"a": {"k": 1}, "b": {"k": 1}})
        );
    }

    #[test]
    fn depth_is_limited_and_deep_text_does_not_overflow() {
        let deep = |n: usize| format!("{}{}", "[".repeat(n), "]".repeat(n));
        assert!(parse(&deep(127)).is_ok());
        assert!(parse(&deep(129)).is_err());
        assert!(read(&"[".repeat(200_000)).is_err());
        assert!(read(&"{\"a\":".repeat(100_000)).is_err());
    }

    #[test]
    fn errors_say_where() {
        let error = parse("[\n  1,\n  x\n]").unwrap_err();
        assert_eq!((error.line, error.column), (3, 3));
        assert_eq!((error.truncated, error.near.as_str()), (false, "x"));
        let long = format!("[\n{{\"detail\": \"{}é says \"no\" to all of it\"}}]", "x".repeat(40));
        assert_eq!(parse(&long).unwrap_err().near, "xxxxxxxxxxxé says \"no\" to all");
        assert!(parse("[1, \"ab").unwrap_err().truncated);
    }

    #[test]
    fn normalising_keeps_the_meaning() {
        let rows: &[(&str, &[&str], Value)] = &[
            ("[1, 2,]", &["trailing_comma"], json!([1, 2])),
            ("{\"a\": [1,\n], // why\n}", &["trailing_comma", "comment"], json!({"a": [1]})),
            ("[1, /* two, */ 3]", &["comment"], json!([1, 3])),
            ("[\"http://x\", 1,]", &["trailing_comma"], json!(["http://x", 1])),
            ("[\"a,]\", \"/* b */\",]", &["trailing_comma"], json!(["a,]", "/* b */"])),
            ("[\"a\nb\tc\u{1}\"]", &["control_character"], json!(["a\nb\tc\u{1}"])),
            ("[\"a\\\"\n\"]", &["control_character"], json!(["a\"\n"])),
            ("```json\n[1]\n```", &["code_fence"], json!([1])),
            ("~~~\n[1]\n~~~\n", &["code_fence"], json!([1])),
            ("```JSON\n[1]", &["code_fence"], json!([1])),
        ];
        for (text, codes, expected) in rows {
            let (value, notes) = read(text).unwrap_or_else(|error| panic!("{text}: {error}"));
            let found: Vec<&str> = notes.iter().map(|note| note.code.as_str()).collect();
            assert_eq!(&found, codes, "{text}");
            assert_eq!(&value, expected, "{text}");
        }
    }

    #[test]
    fn read_generously_a_value_is_what_it_says() {
        let rows: &[(&str, &[&str], Value)] = &[
            (r#"["^\d+$ \s \$5"]"#, &["bad_escape"], json!([r"^\d+$ \s \$5"])),
            (r#"["C:\Users\x \u12"]"#, &["bad_escape"], json!([r"C:\Users\x \u12"])),
            (r#"["isn\'t \`a\`"]"#, &["bad_escape"], json!(["isn't `a`"])),
            ("{\u{a0}\"a\":\u{200b}1}", &["odd_space"], json!({"a": 1})),
            ("[1]]", &["bracket_left_out"], json!([1])),
            ("{\"a\": [1]}\n}", &["bracket_left_out"], json!({"a": [1]})),
        ];
        for (text, codes, expected) in rows {
            assert!(read(text).is_err(), "{text}");
            for words in [true, false] {
                let (value, notes) =
                    read_generously(text, words).unwrap_or_else(|error| panic!("{text}: {error}"));
                let found: Vec<&str> = notes.iter().map(|note| note.code.as_str()).collect();
                assert_eq!((&found[..], &value), (*codes, expected), "{text}");
            }
        }
        for (text, value) in [
            ("Here it is: [1]", "[1]"),
            ("{\"a\": \"}\"}\nThat is all.", "{\"a\": \"}\"}"),
            ("So:\n```json\n[1]\n```\nDone", "[1]"),
        ] {
            let (read, notes) = read_generously(text, true).unwrap();
            assert_eq!(
                (read, &*notes[0].code),
                (parse(value).unwrap(), "words_left_out"),
                "{text}"
            );
            assert!(read_generously(text, false).is_err(), "{text}");
        }
    }

    #[test]
    fn guesses_are_not_made() {
        for text in [
            "[1] and [2]",
            "a [x] b {\"a\": 1}",
            "{\"a\": 1",
            "{'a': 1}",
            "{\"a\": 1} {\"a\": 2}",
            "[1]]]",
            "no value at all",
            "[\"\\ud800\"]",
        ] {
            assert!(read_generously(text, true).is_err(), "{text}");
        }
        for text in [
            "['a']",
            "[“a”]",
            "[True, None]",
            "[\"a \"b\" c\"]",
            "[\"a\", \"b",
            "[1, 2",
            "{\"a\": ",
            "[,]",
            "[1,,]",
            "{,}",
            "{a: 1}",
            "[1 2]",
            "[1, ...]",
            "<true|false>",
            "[\"a\"// b\", \"c\"\n]",
            "[1] /* open",
            "[1],",
            "I refuse.",
            "{\"a\": 1, \"a\": 2,}",
            "```json\n[1]\n```\nand more",
        ] {
            assert!(read(text).is_err(), "{text}: {:?}", read(text));
        }
    }

    #[test]
    fn a_text_without_faults_is_not_touched() {
        assert_eq!(normalise("[1, 2]", Leniency::Among), None);
        assert!(read("[1, 2]").unwrap().1.is_empty());
    }

    proptest! {
        #[test]
        fn never_panics(text in "[\\[\\]{}\",:/*\\\\ \n\t`~a1é]{0,60}") {
            if let Ok((value, _)) = read(&text) {
                // The result is JSON: it survives a round trip.
                prop_assert_eq!(parse(&value.to_string()).unwrap(), value);
            }
        }

        /// The normaliser leaves the content of strings unchanged.
        #[test]
        fn strings_survive_normalising(strings in prop::collection::vec(any::<String>(), 1..6)) {
            let plain = serde_json::to_string(&strings).unwrap();
            let with_comma = format!("{},]", &plain[..plain.len() - 1]);
            let (value, _) = read(&with_comma).unwrap();
            prop_assert_eq!(value, json!(strings));
        }
    }
}
