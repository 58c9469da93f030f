//! Edits one entry of a client's JSON file, and nothing else of it.
//!
//! The file belongs to the user: comments, trailing commas, order, indentation, line endings and the byte order mark
//! stay byte for byte, because the text is never printed anew. The parser gives the positions; the edit is one or two
//! insertions or cuts, or the replacement of one value, in the file's own style. Before the new text is returned it
//! is parsed again and must have the same content as the old one with only that entry changed: a bug here becomes an
//! error, never a damaged file.
//!
//! Comments and trailing commas are accepted in every file, because VS Code accepts them (Gemini CLI: comments
//! alone), and are never added to a file without any; other extensions of JSON (single quotes, bare words) are not,
//! and a file that uses them is refused. So is a file with a duplicate name at the place of the edit: clients differ
//! in which of the two counts.

mod parse;

use serde_json::Value;

pub(crate) use parse::{Document, Flaw};

/// A change to an entry.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Change {
    /// Adds the entry, or replaces one of the same name.
    Put(Value),
    /// Removes the entry.
    Remove,
}

/// Changes the entry `name` of the top-level object `key` in a document. A missing or empty document becomes one that
/// contains nothing else; removing a missing entry changes nothing.
///
/// # Errors
/// The text is not a JSON object, the entry occurs twice, or the edit would change anything else.
pub(crate) fn edit(text: &str, key: &str, name: &str, change: &Change) -> Result<String, Flaw> {
    let (mark, body) = match text.strip_prefix('\u{feff}') {
        Some(body) => ("\u{feff}", body),
        None => ("", text),
    };
    if body.trim().is_empty() {
        return Ok(match change {
            Change::Put(entry) => format!("{mark}{}", fresh(body, key, name, entry)),
            Change::Remove => text.to_owned(),
        });
    }
    let document = Document::parse(body)?;
    let mut expected = document.value()?;
    let new = match change {
        Change::Put(entry) => {
            put(&mut expected, key, name, Some(entry));
            added(&document, key, name, entry)?
        }
        Change::Remove => {
            put(&mut expected, key, name, None);
            removed(&document, key, name)?
        }
    };
    let again = Document::parse(&new)?.value()?;
    if again != expected {
        return Err(Flaw::nowhere("the edit would change more than one entry"));
    }
    Ok(format!("{mark}{new}"))
}

/// Returns a new document, which ends with a newline as files do.
fn fresh(body: &str, key: &str, name: &str, entry: &Value) -> String {
    let newline = if body.contains("\r\n") { "\r\n" } else { "\n" };
    let document = serde_json::json!({ key: { name: entry } });
    format!("{}{newline}", Style::new("  ", newline).pretty(&document, ""))
}

/// Makes the same change to the expected value.
fn put(document: &mut Value, key: &str, name: &str, entry: Option<&Value>) {
    let Some(object) = document.as_object_mut() else {
        return;
    };
    match (entry, object.get_mut(key)) {
        (Some(entry), Some(Value::Object(entries))) => {
            entries.insert(name.to_owned(), entry.clone());
        }
        (None, Some(Value::Object(entries))) => {
            entries.shift_remove(name);
        }
        (Some(entry), _) => {
            object.insert(key.to_owned(), serde_json::json!({ name: entry }));
        }
        (None, _) => {}
    }
}

fn added(document: &Document<'_>, key: &str, name: &str, entry: &Value) -> Result<String, Flaw> {
    let root = document.root()?;
    let Some(entries) = document.object_at(&root, key)? else {
        return Ok(insert(document, &root, key, &serde_json::json!({ name: entry })));
    };
    let Some(place) = entries.unique(document, name)? else {
        return Ok(insert(document, &entries, name, entry));
    };
    let indent = document.indent_at(place.start);
    let style = Style::new(document.unit(), document.newline());
    let value = if document.spans_lines(entries.start, entries.end) {
        style.pretty(entry, indent)
    } else {
        compact(entry)
    };
    Ok(document.spliced(&[(place.value_start, place.end, &value)]))
}

/// Inserts a member after the last one of an object, in the object's own style.
fn insert(document: &Document<'_>, object: &parse::Object, name: &str, value: &Value) -> String {
    let style = Style::new(document.unit(), document.newline());
    let outer = document.indent_at(object.start);
    let label = Value::from(name);
    let member = |indent: &str| format!("{label}: {}", style.pretty(value, indent));
    // Comments before the closing brace belong to what is above them, so the entry comes after them.
    let behind = document.last_before(object.end - 1).max(object.start + 1);
    let newline = style.newline;
    let Some(last) = object.members.last() else {
        let indent = format!("{outer}{}", style.unit);
        let close = if document.spans_lines(behind, object.end) {
            String::new()
        } else {
            format!("{newline}{outer}")
        };
        let text = format!("{newline}{indent}{}{close}", member(&indent));
        return document.spliced(&[(behind, behind, &text)]);
    };
    let first = object.members.first().unwrap_or(last);
    let comma = last.comma.is_some();
    let tail = if comma { "," } else { "" };
    let apart = document.spans_lines(object.start, first.start)
        || document.spans_lines(last.end, behind)
        || document.ends_with_line_comment(behind);
    let text = if apart {
        let own = document.indent_at(first.start);
        let indent = if document.spans_lines(object.start, first.start) {
            own.to_owned()
        } else {
            format!("{outer}{}", style.unit)
        };
        let close = if document.ends_with_line_comment(behind)
            && !document.spans_lines(behind, object.end)
        {
            newline
        } else {
            ""
        };
        format!("{newline}{indent}{}{tail}{close}", member(&indent))
    } else {
        format!(" {label}: {}{tail}", compact(value))
    };
    if comma {
        document.spliced(&[(behind, behind, &text)])
    } else {
        document.spliced(&[(last.end, last.end, ","), (behind, behind, &text)])
    }
}

fn removed(document: &Document<'_>, key: &str, name: &str) -> Result<String, Flaw> {
    let root = document.root()?;
    let unchanged = || document.text().to_owned();
    let Some(entries) = document.object_at(&root, key)? else {
        return Ok(unchanged());
    };
    let Some(member) = entries.unique(document, name)? else {
        return Ok(unchanged());
    };
    let end = member.comma.map_or(member.end, |comma| comma + 1);
    let (start, end) = document.whole_lines(member.start, end);
    let is_last = entries.members.last().is_some_and(|last| last.start == member.start);
    // A file without a trailing comma must not get one after its new last entry.
    let before = entries
        .members
        .iter()
        .rev()
        .find(|other| other.start < member.start)
        .and_then(|other| other.comma)
        .filter(|_| is_last && member.comma.is_none());
    Ok(match before {
        // On a single line, the blank after that comma goes with it.
        Some(comma)
            if document.text()[comma + 1..start].trim().is_empty()
                && !document.spans_lines(comma, start) =>
        {
            document.spliced(&[(comma, end, "")])
        }
        Some(comma) => document.spliced(&[(comma, comma + 1, ""), (start, end, "")]),
        None => document.spliced(&[(start, end, "")]),
    })
}

/// The layout of a file.
struct Style<'a> {
    unit: &'a str,
    newline: &'a str,
}

impl<'a> Style<'a> {
    fn new(unit: &'a str, newline: &'a str) -> Self {
        Self { unit, newline }
    }

    /// Prints a value over several lines, the first without indentation. Lists of words stay on one line.
    fn pretty(&self, value: &Value, indent: &str) -> String {
        match value {
            Value::Object(members) if !members.is_empty() => {
                let inner = format!("{indent}{}", self.unit);
                let members: Vec<String> = members
                    .iter()
                    .map(|(name, value)| {
                        let value = self.pretty(value, &inner);
                        format!("{inner}{}: {value}", Value::from(name.as_str()))
                    })
                    .collect();
                let newline = self.newline;
                let members = members.join(&format!(",{newline}"));
                format!("{{{newline}{members}{newline}{indent}}}")
            }
            Value::Object(_)
            | Value::Array(_)
            | Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_) => compact(value),
        }
    }
}

/// Prints a value on one line.
fn compact(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let members: Vec<String> = members
                .iter()
                .map(|(name, value)| format!("{}: {}", Value::from(name.as_str()), compact(value)))
                .collect();
            format!("{{{}}}", members.join(", "))
        }
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(compact).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.to_string(),
    }
}

#[cfg(test)]
mod tests;
