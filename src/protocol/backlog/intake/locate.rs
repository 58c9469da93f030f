//! Splits a backlog file into its items, each with the line and column of its beginning.

use std::cell::Cell;
use std::fmt;

use serde::de::{Deserialize, DeserializeSeed, Deserializer};
use serde_json::Value;

use super::{IntakeError, Limits, LocatedItem, csv};
use crate::text::json;

/// A position in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FilePosition {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
}

impl fmt::Display for FilePosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// The keys under which an object may contain the items: the program's, and that of Jira's search.
const LISTS: [&str; 2] = ["opportunities", "issues"];

/// A file being read.
struct Reader<'a> {
    name: &'a str,
    text: &'a str,
    /// The offsets at which lines begin.
    lines: Vec<usize>,
    /// The last position computed: all items may be on one line, and counting each from the line's beginning would be
    /// quadratic in its length.
    last: Cell<(usize, FilePosition)>,
    limit: usize,
    /// Bytes scanned to compute positions.
    #[cfg(test)]
    counted: Cell<usize>,
}

/// Returns the items of a file; fails if it is not a backlog.
pub(super) fn items(
    name: &str,
    bytes: &[u8],
    limits: Limits,
) -> Result<Vec<LocatedItem>, IntakeError> {
    let file = || name.to_owned();
    if bytes.len() > limits.bytes {
        let (bytes, limit) = (bytes.len(), limits.bytes);
        return Err(IntakeError::TooLarge { file: file(), bytes, limit });
    }
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let offset = error.valid_up_to();
        let before = String::from_utf8_lossy(&bytes[..offset]);
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let place = FilePosition {
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
        };
        IntakeError::NotUtf8 { file: file(), place, offset }
    })?;
    if let Some(advice) = csv::advice(name, text) {
        return Err(IntakeError::Csv { file: file(), advice });
    }
    if text.starts_with('\u{feff}') {
        return Err(IntakeError::ByteOrderMark { file: file() });
    }
    if text.trim().is_empty() {
        return Err(IntakeError::Empty { file: file() });
    }
    Reader::new(name, text, limits.opportunities).file()
}

impl<'a> Reader<'a> {
    fn new(name: &'a str, text: &'a str, limit: usize) -> Self {
        let lines =
            std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Self {
            name,
            text,
            lines,
            last: Cell::new((0, FilePosition { line: 1, column: 1 })),
            limit,
            #[cfg(test)]
            counted: Cell::new(0),
        }
    }

    fn file(&self) -> Result<Vec<LocatedItem>, IntakeError> {
        let start = self.skip_space(0);
        if self.text[start..].starts_with('[') {
            let (items, end) = self.array(start)?;
            self.nothing_after(end)?;
            return Ok(items);
        }
        let (value, end) = self.value(start)?;
        let Value::Object(map) = value else {
            return Err(self.wrong_shape(start, &format!("the file contains {}", kind(&value))));
        };
        let more = self.skip_space(end);
        if let Some(list) = LISTS.into_iter().find(|list| map.contains_key(*list)) {
            if !matches!(map[list], Value::Array(_)) {
                let found = format!("`{list}` is {}", kind(&map[list]));
                return Err(self.wrong_shape(start, &found));
            }
            self.nothing_after(end)?;
            return self.array(self.member(start, list)?).map(|(items, _)| items);
        }
        // A single object is JSON Lines of one line if it could be an opportunity.
        if more >= self.text.len()
            && !["title", "opportunity_id", "fields"].into_iter().any(|key| map.contains_key(key))
        {
            let keys: Vec<&str> = map.keys().take(5).map(String::as_str).collect();
            let found = format!(
                "the file contains an object without `opportunities` (its keys: {})",
                keys.join(", ")
            );
            return Err(self.wrong_shape(start, &found));
        }
        self.lines_of_json(start)
    }

    /// Reads a sequence of JSON values.
    fn lines_of_json(&self, start: usize) -> Result<Vec<LocatedItem>, IntakeError> {
        let (mut at, mut items, mut count) = (start, Vec::new(), 0);
        while at < self.text.len() {
            let (value, end) = self.value(at)?;
            count += 1;
            self.keep(&mut items, at, value, count)?;
            at = self.skip_space(end);
        }
        self.count(count)?;
        Ok(items)
    }

    /// Reads an array's items; returns them with the offset after the closing bracket.
    fn array(&self, start: usize) -> Result<(Vec<LocatedItem>, usize), IntakeError> {
        let (mut at, mut items, mut count) = (self.skip_space(start + 1), Vec::new(), 0);
        if self.text[at..].starts_with(']') {
            return Ok((items, at + 1));
        }
        loop {
            let (value, end) = self.value(at)?;
            count += 1;
            self.keep(&mut items, at, value, count)?;
            at = self.skip_space(end);
            match self.text[at..].chars().next() {
                Some(',') => at = self.skip_space(at + 1),
                Some(']') => break,
                Some(other) => {
                    return Err(self.not_json(
                        at,
                        format!("expected `,` or `]`, found `{}`", other.escape_debug()),
                    ));
                }
                None => return Err(self.not_json(at, "the file ends inside the array".to_owned())),
            }
        }
        self.count(count)?;
        Ok((items, at + 1))
    }

    /// Keeps an item while the limit allows; further items are only counted.
    fn keep(
        &self,
        items: &mut Vec<LocatedItem>,
        at: usize,
        value: Value,
        count: usize,
    ) -> Result<(), IntakeError> {
        let Value::Object(map) = value else {
            let found = format!("item {count} is {}, not an object", kind(&value));
            return Err(self.wrong_shape(at, &found));
        };
        if count <= self.limit {
            items.push((self.place(at), map));
        }
        Ok(())
    }

    fn count(&self, count: usize) -> Result<(), IntakeError> {
        if count > self.limit {
            let (file, limit) = (self.name.to_owned(), self.limit);
            return Err(IntakeError::TooMany { file, count, limit });
        }
        Ok(())
    }

    /// Returns the offset of a key's value in the object at `start`, which is known to be valid and to have that key.
    fn member(&self, start: usize, wanted: &str) -> Result<usize, IntakeError> {
        let mut at = self.skip_space(start + 1);
        loop {
            let (key, end) = self.value(at)?;
            // Past the colon.
            at = self.skip_space(self.skip_space(end) + 1);
            if key == wanted {
                return Ok(at);
            }
            let (_, end) = self.value(at)?;
            at = self.skip_space(self.skip_space(end) + 1);
        }
    }

    /// Parses one JSON value at an offset; returns it with the offset after it.
    fn value(&self, at: usize) -> Result<(Value, usize), IntakeError> {
        let mut stream =
            serde_json::Deserializer::from_str(&self.text[at..]).into_iter::<OneValue>();
        match stream.next() {
            Some(Ok(OneValue(value))) => Ok((value, at + stream.byte_offset())),
            Some(Err(error)) => {
                let detail = error.to_string();
                // The parser counts from its starting point, and its message contains that position.
                let detail = detail.split(" at line ").next().unwrap_or_default().to_owned();
                Err(self.not_json(self.offset(at, error.line(), error.column()), detail))
            }
            None => Err(self.not_json(at, "a value is missing at the end of the file".to_owned())),
        }
    }

    /// Converts the parser's line and column (in bytes) after `from` into an offset.
    fn offset(&self, from: usize, line: usize, column: usize) -> usize {
        let start = if line <= 1 {
            from
        } else {
            self.lines.get(self.place(from).line + line - 2).copied().unwrap_or(from)
        };
        let mut offset = (start + column.saturating_sub(1)).min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        offset
    }

    fn place(&self, offset: usize) -> FilePosition {
        let line = self.lines.partition_point(|&start| start <= offset);
        let start = self.lines.get(line - 1).copied().unwrap_or_default();
        let (known, last) = self.last.get();
        let (from, before) =
            if last.line == line && known <= offset { (known, last.column) } else { (start, 1) };
        let column = before + self.text[from..offset].chars().count();
        #[cfg(test)]
        self.counted.set(self.counted.get() + (offset - from));
        let place = FilePosition { line, column };
        self.last.set((offset, place));
        place
    }

    fn skip_space(&self, at: usize) -> usize {
        let rest = &self.text[at.min(self.text.len())..];
        self.text.len() - rest.trim_start_matches([' ', '\t', '\n', '\r']).len()
    }

    fn nothing_after(&self, end: usize) -> Result<(), IntakeError> {
        let at = self.skip_space(end);
        if at < self.text.len() {
            return Err(
                self.not_json(at, "there is more text after the end of the JSON value".to_owned())
            );
        }
        Ok(())
    }

    fn not_json(&self, at: usize, detail: String) -> IntakeError {
        let (file, place) = (self.name.to_owned(), self.place(at));
        IntakeError::NotJson { file, place, detail }
    }

    fn wrong_shape(&self, at: usize, found: &str) -> IntakeError {
        IntakeError::WrongShape {
            file: self.name.to_owned(),
            place: self.place(at),
            found: found.to_owned(),
        }
    }
}

/// Returns the name of a value's type.
pub(super) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// One JSON value of several, read strictly.
struct OneValue(Value);

impl<'de> Deserialize<'de> for OneValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        json::Strict.deserialize(deserializer).map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn l11_places_of_many_items_in_one_line_cost_its_length_and_not_the_square() {
        let item =
            |n: usize| format!("{{\"title\": \"Item {n}\", \"body\": \"{}\"}}", "ü".repeat(20));
        let items: Vec<String> = (0..2_000).map(item).collect();
        let last = 2 + items[..1_999].iter().map(|item| item.chars().count() + 1).sum::<usize>();
        for (text, place) in [
            (format!("[{}]", items.join(",")), FilePosition { line: 1, column: last }),
            (format!("[{}]", items.join(",\n")), FilePosition { line: 2_000, column: 1 }),
            (
                format!("{{\"issues\":[{}]}}", items.join(",")),
                FilePosition { line: 1, column: last + 10 },
            ),
            (items.join(" "), FilePosition { line: 1, column: last - 1 }),
        ] {
            let reader = Reader::new("b.json", &text, usize::MAX);
            let read = reader.file().unwrap();
            assert_eq!(read.len(), 2_000);
            assert_eq!(read[1_999].0, place);
            assert!(reader.counted.get() <= text.len(), "{}", reader.counted.get());
        }
    }
}
