//! Facts about an artifact that need no agent: sizes, outline, markers of unfinished work.
//!
//! These facts are all that is left when every perspective failed, and they are marked as such: nothing in them says
//! that an artifact is good. Everything is linear in the text and bounded, whatever the text contains.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::input::{Artifact, LineReference};
use super::model::Basics;
use crate::kernel::count;
use crate::text::{json, sanitize};

/// Maximum entries of one list.
pub const MOST: usize = 200;

/// Maximum characters of an entry.
const CHARS: usize = 200;

/// Words that mark unfinished work. Assembled from parts, so that a search for them does not find this line.
const MARKERS: [&str; 4] =
    [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("TB", "D"), concat!("XX", "X")];

/// The syntax by which a text is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Markdown,
    Json,
    /// Code and unknown formats.
    Other,
}

impl Form {
    fn of(artifact: &Artifact) -> Self {
        let base = artifact.name.rsplit('/').next().unwrap_or_default();
        match base.rsplit_once('.') {
            Some((_, end)) => match end.to_lowercase().as_str() {
                "md" | "markdown" | "mdown" | "mkd" | "mdx" | "txt" | "text" => Self::Markdown,
                "json" => Self::Json,
                _ => Self::Other,
            },
            // Standard input, or a file without an extension such as `README`.
            None if json::parse(&artifact.text).is_ok() => Self::Json,
            None => Self::Markdown,
        }
    }
}

/// Returns the facts about an artifact.
pub fn basics(artifact: &Artifact) -> Basics {
    let text = &artifact.text;
    let mut basics = Basics {
        bytes: artifact.bytes,
        lines: count(text.lines().count()),
        words: count(text.split_whitespace().count()),
        markers: markers(text),
        ..Basics::default()
    };
    match Form::of(artifact) {
        Form::Markdown => basics.outline = headings(text),
        Form::Json => basics.outline = keys(text),
        Form::Other => {}
    }
    for list in [&mut basics.outline, &mut basics.markers] {
        basics.cut |= list.len() > MOST;
        list.truncate(MOST);
    }
    basics
}

fn place(line: u32, text: &str) -> LineReference {
    LineReference { line, text: sanitize::line(text, CHARS) }
}

fn headings(text: &str) -> Vec<LineReference> {
    let mut found = Vec::new();
    let mut open: Option<(u32, String)> = None;
    // Lines are counted on the way: the offsets of blocks only grow.
    let (mut line, mut counted) = (1, 0);
    for (event, range) in
        Parser::new_ext(text, Options::ENABLE_YAML_STYLE_METADATA_BLOCKS).into_offset_iter()
    {
        match (event, &mut open) {
            (Event::Start(Tag::Heading { level, .. }), _) => {
                let between = text.get(counted..range.start).unwrap_or_default();
                line += count(between.matches('\n').count());
                counted = range.start.max(counted);
                open = Some((line, "#".repeat(level as usize) + " "));
            }
            (Event::Text(words) | Event::Code(words), Some((_, heading))) => {
                heading.push_str(&words);
            }
            (Event::SoftBreak | Event::HardBreak, Some((_, heading))) => heading.push(' '),
            (Event::End(TagEnd::Heading(_)), _) => {
                found.extend(open.take().map(|(line, heading)| place(line, &heading)));
                if found.len() > MOST {
                    break;
                }
            }
            _ => {}
        }
    }
    found
}

/// Returns the lines that contain a marker as a whole word; a long line is shown from the marker on.
fn markers(text: &str) -> Vec<LineReference> {
    /// Maximum bytes shown before a marker.
    const BEFORE: usize = 120;
    (text.lines().zip(1..))
        .filter_map(|(line, number)| {
            let at = MARKERS.iter().filter_map(|word| whole_word(line, word)).min()?;
            Some(if at <= BEFORE {
                place(number, line)
            } else {
                place(number, &format!("… {}", &line[at..]))
            })
        })
        .take(MOST + 1)
        .collect()
}

fn whole_word(line: &str, word: &str) -> Option<usize> {
    let of_word = |c: char| c.is_alphanumeric() || c == '_';
    (line.match_indices(word).map(|(at, _)| at))
        .find(|&at| !line[..at].ends_with(of_word) && !line[at + word.len()..].starts_with(of_word))
}

/// Returns the keys of a JSON object with their lines; none for any other text.
fn keys(text: &str) -> Vec<LineReference> {
    if !matches!(json::parse(text), Ok(serde_json::Value::Object(_))) {
        return Vec::new();
    }
    let bytes = text.as_bytes();
    let mut keys = Vec::new();
    let (mut line, mut depth, mut at) = (1, 0_usize, 0);
    // The next string is a key: the text is known to be valid.
    let mut before_key = false;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\n' => line += 1,
            b'{' | b'[' => {
                depth += 1;
                before_key = depth == 1;
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            b',' => before_key = depth == 1,
            b'"' => {
                let start = at;
                at += 1;
                while bytes.get(at).is_some_and(|byte| *byte != b'"') {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
                if before_key && depth == 1 {
                    let key = text.get(start..=at).and_then(|key| serde_json::from_str(key).ok());
                    keys.push(place(line, &key.unwrap_or_else(String::new)));
                    before_key = false;
                    if keys.len() > MOST {
                        break;
                    }
                }
            }
            _ => {}
        }
        at += 1;
    }
    keys
}

#[cfg(test)]
mod tests;
