//! What can be said of an artifact without asking anybody: sizes, outline, marks of unfinished work, links that lead nowhere.
//!
//! It is all that is left when every perspective failed, and it is marked as that: no word here says that an artifact is good.
//! Markdown is read by `blocks` (headings and text, without code) and `links` (links in that text), which know as much of `CommonMark` as
//! these questions need; the tests hold them against another parser. Where a reader could go either way, a link is taken to work: a link
//! that is called broken and works costs more trust than one that is missed. Everything is linear in the text and
//! bounded, whatever the text says.

mod blocks;
mod links;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use regex::Regex;

use super::input::{Artifact, LineReference};
use super::model::Basics;
use crate::text::{json, sanitize};
use blocks::{Kind, Leaf};

/// Entries of one list.
pub const MOST: usize = 200;

/// Links of one text; a longer list is cut.
const MAX_LINKS: usize = 10_000;

/// Characters of an entry.
const CHARS: usize = 200;

/// Words that say that something is not done. Put together here, so that nobody who looks for them finds this line.
const MARKERS: [&str; 4] =
    [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("TB", "D"), concat!("XX", "X")];

/// A link of a Markdown text to something beside it or within it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// The line where it begins, from 1.
    pub line: u32,
    /// As it was written: `[setup](docs/setup.md)`, its beginning if it is long.
    pub text: String,
    /// Where it leads: `docs/setup.md`, `#goals`; `%20` and the like as they stand.
    pub target: String,
}

impl Link {
    /// Returns it as a place for people: one line, sanitized.
    pub fn place(&self) -> LineReference {
        place(self.line, &self.text)
    }
}

/// How a text is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Markdown,
    Json,
    /// Code and formats of which nothing is known.
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
            // Standard input, `README`.
            None if json::parse(&artifact.text).is_ok() => Self::Json,
            None => Self::Markdown,
        }
    }
}

/// Returns what can be said of an artifact. `broken_links` are those whose files were found missing.
pub fn basics(artifact: &Artifact, broken_links: &[LineReference]) -> Basics {
    let text = &artifact.text;
    let mut basics = Basics {
        bytes: artifact.bytes,
        lines: number(text.lines().count()),
        words: number(text.split_whitespace().count()),
        markers: markers(text),
        broken_links: broken_links.to_vec(),
        ..Basics::default()
    };
    match Form::of(artifact) {
        Form::Markdown => {
            let leaves = blocks::leaves(text);
            basics.outline = headings(&leaves);
            let links = links::all(&leaves);
            basics.cut |= links.len() == MAX_LINKS;
            basics.broken_links.extend(astray(text, &leaves, &links));
        }
        Form::Json => basics.outline = keys(text),
        Form::Other => {}
    }
    basics.broken_links.sort_by_key(|place| place.line);
    for list in [&mut basics.outline, &mut basics.markers, &mut basics.broken_links] {
        basics.cut |= list.len() > MOST;
        list.truncate(MOST);
    }
    basics
}

/// Returns the links of a Markdown text that lead to something beside it or within it, by their places: inline links and
/// images, and definitions of references. None in code, none with a scheme or a host, none from the root of a site;
/// 10,000 at most.
pub fn links(text: &str) -> Vec<Link> {
    links::all(&blocks::leaves(text))
}

/// Returns the [`links()`] of an artifact; none if it is not Markdown by its name.
pub fn links_of(artifact: &Artifact) -> Vec<Link> {
    match Form::of(artifact) {
        Form::Markdown => links(&artifact.text),
        Form::Json | Form::Other => Vec::new(),
    }
}

/// Decodes `%20` and the like of a link's target; what is no such code stays as it is.
pub fn decoded(target: &str) -> Vec<u8> {
    let bytes = target.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let code = (byte == b'%')
            .then(|| bytes.get(at + 1..at + 3))
            .flatten()
            .filter(|code| code.iter().all(u8::is_ascii_hexdigit))
            .and_then(|code| u8::from_str_radix(std::str::from_utf8(code).ok()?, 16).ok());
        out.push(code.unwrap_or(byte));
        at += if code.is_some() { 3 } else { 1 };
    }
    out
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

fn place(line: u32, text: &str) -> LineReference {
    LineReference { line, text: sanitize::line(text, CHARS) }
}

fn headings(leaves: &[Leaf]) -> Vec<LineReference> {
    (leaves.iter())
        .filter_map(|leaf| match leaf.kind {
            Kind::Heading(level) => {
                let marks = "#".repeat(level.into());
                Some(place(leaf.line, &format!("{marks} {}", leaf.text)))
            }
            Kind::Text => None,
        })
        .take(MOST + 1)
        .collect()
}

/// Lines that hold a marker as a whole word; in a long line from there on.
fn markers(text: &str) -> Vec<LineReference> {
    /// Bytes before a marker that are shown with it.
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

/// The keys of a JSON object, by their lines; nothing for any other text.
fn keys(text: &str) -> Vec<LineReference> {
    if !matches!(json::parse(text), Ok(serde_json::Value::Object(_))) {
        return Vec::new();
    }
    let bytes = text.as_bytes();
    let mut keys = Vec::new();
    let (mut line, mut depth, mut at) = (1, 0_usize, 0);
    // A string that stands where a key must stand: the text is known to be valid.
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

/// Links to headings that are not there.
fn astray(text: &str, leaves: &[Leaf], links: &[Link]) -> Vec<LineReference> {
    let to_heading = |link: &&Link| link.target.starts_with('#');
    if !links.iter().any(|link| to_heading(&link)) {
        return Vec::new();
    }
    let anchors = anchors(text, leaves);
    (links.iter().filter(to_heading))
        .filter(|link| {
            let wanted = String::from_utf8_lossy(&decoded(&link.target[1..])).to_lowercase();
            let wanted = wanted.strip_prefix("user-content-").unwrap_or(&wanted);
            // Every browser goes to the top for these.
            !matches!(wanted, "" | "top") && !anchors.contains(wanted)
        })
        .map(Link::place)
        .take(MOST + 1)
        .collect()
}

/// Everything in a text that a link can lead to, in lower case.
fn anchors(text: &str, leaves: &[Leaf]) -> BTreeSet<String> {
    static IDS: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r#"(?i)\b(?:id|name)\s*=\s*["']([^"'<>]{1,200})["']|\{#([^{}\s]{1,200})\}"#).ok()
    });
    let mut anchors = BTreeSet::new();
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    for leaf in leaves {
        if let Kind::Heading(_) = leaf.kind {
            let plain = links::plain(&leaf.text);
            // What a picture at the beginning leaves is a space on some sites, and nothing on others.
            for plain in BTreeSet::from([plain.as_str(), plain.trim()]) {
                let slug = slug(plain);
                let count = counts.entry(slug.clone()).or_default();
                anchors.insert(if *count == 0 { slug } else { format!("{slug}-{count}") });
                *count += 1;
            }
        }
    }
    for ids in IDS.iter().flat_map(|ids| ids.captures_iter(text)) {
        anchors.extend(ids.iter().skip(1).flatten().map(|id| id.as_str().to_lowercase()));
    }
    anchors
}

/// What GitHub makes of a heading's text: lower case, without punctuation, a `-` for every space.
fn slug(plain: &str) -> String {
    static OTHERS: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"[^\w\- ]").ok());
    let lower = plain.to_lowercase();
    let kept = match OTHERS.as_ref() {
        Some(others) => others.replace_all(&lower, ""),
        None => lower.into(),
    };
    kept.replace(' ', "-")
}

#[cfg(test)]
mod tests;
