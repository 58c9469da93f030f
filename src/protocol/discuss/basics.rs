//! Facts about an artifact that need no agent: sizes, outline, markers of unfinished work, broken links.
//!
//! These facts are all that is left when every perspective failed, and they are marked as such: nothing in them says
//! that an artifact is good. Markdown is read by `blocks` (headings and text, without code) and `links` (links in
//! that text), which know as much of `CommonMark` as these questions need; the tests compare them with another
//! parser. Where a reader could go either way, a link counts as working: a working link reported as broken costs more
//! trust than a broken one that is missed. Everything is linear in the text and bounded, whatever the text contains.

mod blocks;
mod links;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use regex::Regex;

use super::input::{Artifact, LineReference};
use super::model::Basics;
use crate::text::{json, sanitize};
use blocks::{Kind, Leaf};

/// Maximum entries of one list.
pub const MOST: usize = 200;

/// Maximum links read from one text; the rest is ignored.
const MAX_LINKS: usize = 10_000;

/// Maximum characters of an entry.
const CHARS: usize = 200;

/// Words that mark unfinished work. Assembled from parts, so that a search for them does not find this line.
const MARKERS: [&str; 4] =
    [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("TB", "D"), concat!("XX", "X")];

/// A link of a Markdown text to a file beside it or to a place within it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// The line where the link begins, from 1.
    pub line: u32,
    /// The source text: `[setup](docs/setup.md)`, cut to its beginning if it is long.
    pub text: String,
    /// The destination: `docs/setup.md`, `#goals`; `%20` and the like are not decoded.
    pub target: String,
}

impl Link {
    /// Returns the link as a reference for people: one line, sanitized.
    pub fn place(&self) -> LineReference {
        place(self.line, &self.text)
    }
}

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

/// Returns the facts about an artifact. `broken_links` are the links whose files were found missing.
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

/// Returns the links of a Markdown text that lead to a file beside it or to a place within it, in the order of the
/// text: inline links and images, and definitions of references. Excludes links in code, links with a scheme or a
/// host, and links from the root of a site; returns at most 10,000.
pub fn links(text: &str) -> Vec<Link> {
    links::all(&blocks::leaves(text))
}

/// Returns the [`links()`] of an artifact; none if its name is not that of a Markdown file.
pub fn links_of(artifact: &Artifact) -> Vec<Link> {
    match Form::of(artifact) {
        Form::Markdown => links(&artifact.text),
        Form::Json | Form::Other => Vec::new(),
    }
}

/// Decodes `%20` and the like in a link's target; a malformed code stays unchanged.
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

/// Returns the links to headings that do not exist.
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

/// Returns every anchor in a text that a link can lead to, in lower case.
fn anchors(text: &str, leaves: &[Leaf]) -> BTreeSet<String> {
    static IDS: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r#"(?i)\b(?:id|name)\s*=\s*["']([^"'<>]{1,200})["']|\{#([^{}\s]{1,200})\}"#).ok()
    });
    let mut anchors = BTreeSet::new();
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    for leaf in leaves {
        if let Kind::Heading(_) = leaf.kind {
            let plain = links::plain(&leaf.text);
            // An image at the beginning leaves a space on some sites, and nothing on others.
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

/// Returns a heading's anchor as GitHub builds it: lower case, without punctuation, a `-` for every space.
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
