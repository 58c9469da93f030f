//! The links in a text of Markdown: `CommonMark`'s second phase, as far as links need it.
//!
//! Code spans, comments, tags and addresses in angle brackets go first, then brackets are paired. A link contains no
//! other link; an image may. Uses of references are ignored and only their definitions read, so a link around such a
//! use counts in this reader although `CommonMark` rejects it.

use std::collections::BTreeMap;
use std::ops::Range;

use super::blocks::{Kind, Leaf};
use super::{Link, MAX_LINKS, number};

/// Maximum bytes of a link's destination and title, and of a tag; each bracket of a hostile text may begin one.
const MAX_TAIL: usize = 1_000;

/// Maximum nesting of parentheses in a destination, as in other parsers.
const MAX_NESTED: usize = 32;

/// Maximum characters of a link that are kept for people.
const KEPT: usize = 300;

/// Returns the links of all leaves that lead to a file beside the text or to a place within it.
pub(super) fn all(leaves: &[Leaf]) -> Vec<Link> {
    let mut links = Vec::new();
    for leaf in leaves {
        let (mut found, end) = match leaf.kind {
            Kind::Text => definitions(&leaf.text),
            Kind::Heading(_) => (Vec::new(), 0),
        };
        found.extend(scan(&leaf.text, end).links);
        found.sort_by_key(|link| link.all.start);
        let (mut line, mut at) = (leaf.line, 0);
        for link in found {
            line = line.saturating_add(number(leaf.text[at..link.all.start].matches('\n').count()));
            at = link.all.start;
            if links.len() == MAX_LINKS {
                return links;
            }
            if leads_here(&link.target) {
                links.push(Link {
                    line,
                    text: leaf.text[link.all].chars().take(KEPT).collect(),
                    target: link.target,
                });
            }
        }
    }
    links
}

/// Whether a target is beside the text or within it: no scheme, no host, no root of a site.
fn leads_here(target: &str) -> bool {
    let scheme = target.split_once(':').is_some_and(|(scheme, _)| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && (scheme.chars()).all(|c| c.is_ascii_alphanumeric() || "+.-".contains(c))
    });
    !target.is_empty() && !target.starts_with('/') && !scheme
}

/// A link found in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    /// The whole link.
    all: Range<usize>,
    /// Where the link's text ends and its destination begins.
    tail: usize,
    image: bool,
    target: String,
}

/// Everything in a text that is not prose.
#[derive(Debug, Default)]
struct LinkScan {
    links: Vec<Found>,
    code: Vec<Range<usize>>,
    tags: Vec<Range<usize>>,
}

/// Scans a text from an offset.
fn scan(text: &str, from: usize) -> LinkScan {
    let bytes = text.as_bytes();
    let mut scanned = LinkScan::default();
    let runs = backticks(bytes);
    let last_comment = text.rfind("-->").unwrap_or(0);
    // Open brackets: their offsets, and whether they are an image's.
    let mut open: Vec<(usize, bool)> = Vec::new();
    // Open brackets below this index enclose a link, so they can only be images.
    let mut around = 0;
    let mut at = from;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\\' if bytes.get(at + 1).is_some_and(u8::is_ascii_punctuation) => at += 2,
            b'`' => {
                let length = run(bytes, at);
                let starts = runs.get(&length).map(Vec::as_slice).unwrap_or_default();
                let next = starts.partition_point(|start| *start < at + length);
                at = match starts.get(next) {
                    Some(close) => {
                        scanned.code.push(at..close + length);
                        close + length
                    }
                    None => at + length,
                };
            }
            b'<' if text[at..].starts_with("<!--") && at < last_comment => {
                let end = text[at..].find("-->").map_or(at + 4, |end| at + end + 3);
                scanned.tags.push(at..end);
                at = end;
            }
            b'<' => {
                if let Some(end) = address(bytes, at) {
                    at = end;
                } else if let Some(end) = tag(bytes, at) {
                    scanned.tags.push(at..end);
                    at = end;
                } else {
                    at += 1;
                }
            }
            b'!' if bytes.get(at + 1) == Some(&b'[') => {
                open.push((at, true));
                at += 2;
            }
            b'[' => {
                open.push((at, false));
                at += 1;
            }
            b']' => {
                at += 1;
                let Some((start, image)) = open.pop() else {
                    continue;
                };
                let dead = !image && open.len() < around;
                around = around.min(open.len());
                if let (false, Some((end, target))) = (dead, tail(text, at)) {
                    if !image {
                        around = open.len();
                    }
                    scanned.links.push(Found { all: start..end, tail: at, image, target });
                    at = end;
                }
            }
            _ => at += 1,
        }
    }
    scanned
}

/// Returns the length of the run of backticks at an offset.
fn run(bytes: &[u8], at: usize) -> usize {
    bytes[at..].iter().take_while(|byte| **byte == b'`').count()
}

/// Returns the offsets of runs of backticks, by the length of the run.
fn backticks(bytes: &[u8]) -> BTreeMap<usize, Vec<usize>> {
    let mut runs: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let mut at = 0;
    while at < bytes.len() {
        let length = run(bytes, at);
        if length > 0 {
            runs.entry(length).or_default().push(at);
        }
        at += length.max(1);
    }
    runs
}

/// Returns the end of an address in angle brackets: `<https://...>`, `<name@host>`.
fn address(bytes: &[u8], at: usize) -> Option<usize> {
    let window = &bytes[at + 1..bytes.len().min(at + MAX_TAIL)];
    let end = window.iter().position(|byte| *byte == b'>' || *byte == b'<' || *byte <= b' ')?;
    let inner = &window[..end];
    if window[end] != b'>' || !inner.first().is_some_and(u8::is_ascii_alphanumeric) {
        return None;
    }
    let scheme = inner.iter().position(|byte| *byte == b':').is_some_and(|colon| {
        (2..=32).contains(&colon)
            && inner[0].is_ascii_alphabetic()
            && (inner[..colon].iter())
                .all(|byte| byte.is_ascii_alphanumeric() || b"+.-".contains(byte))
    });
    let mail = inner.contains(&b'@') && !inner.iter().any(|byte| b"\\\"(),:;[]".contains(byte));
    (scheme || mail).then_some(at + 1 + end + 1)
}

/// Returns the end of an HTML tag.
fn tag(bytes: &[u8], at: usize) -> Option<usize> {
    let window = &bytes[..bytes.len().min(at + MAX_TAIL)];
    let skip = |from: usize, of: fn(u8) -> bool| {
        let rest = window.get(from..).unwrap_or_default();
        from + rest.iter().take_while(|byte| of(**byte)).count()
    };
    let space = |byte: u8| byte == b' ' || byte == b'\n';
    let closing = window.get(at + 1) == Some(&b'/');
    let name = at + 1 + usize::from(closing);
    if !window.get(name)?.is_ascii_alphabetic() {
        return None;
    }
    let mut here = skip(name, |byte| byte.is_ascii_alphanumeric() || byte == b'-');
    loop {
        let next = skip(here, space);
        match window.get(next)? {
            b'>' => return Some(next + 1),
            b'/' if !closing && window.get(next + 1) == Some(&b'>') => return Some(next + 2),
            byte if !closing
                && next > here
                && (byte.is_ascii_alphabetic() || matches!(byte, b'_' | b':')) => {}
            _ => return None,
        }
        here = skip(next, |byte| byte.is_ascii_alphanumeric() || b"_.:-".contains(&byte));
        let equals = skip(here, space);
        if window.get(equals) != Some(&b'=') {
            continue;
        }
        let value = skip(equals + 1, space);
        here = match window.get(value)? {
            b'"' => skip(value + 1, |byte| byte != b'"') + 1,
            b'\'' => skip(value + 1, |byte| byte != b'\'') + 1,
            _ => skip(value, |byte| byte > b' ' && !b"\"'=<>`".contains(&byte)),
        };
        if here == value {
            return None;
        }
    }
}

/// Parses the part after a link's text, from `(` to `)`; returns its end and the destination.
fn tail(text: &str, at: usize) -> Option<(usize, String)> {
    let bytes = text.as_bytes();
    if bytes.get(at) != Some(&b'(') {
        return None;
    }
    let most = bytes.len().min(at + MAX_TAIL);
    let bytes = &bytes[..most];
    let (end, target) = destination(text, bytes, blank(bytes, at + 1), true)?;
    let mut here = blank(bytes, end);
    if here > end
        && let Some(end) = title(bytes, here)
    {
        here = blank(bytes, end);
    }
    (bytes.get(here) == Some(&b')')).then_some((here + 1, target))
}

/// Skips spaces and line breaks.
fn blank(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    at + rest.iter().take_while(|byte| matches!(byte, b' ' | b'\n')).count()
}

/// Parses a destination; returns its end and its text. An empty one is accepted only if `may_be_empty`.
fn destination(text: &str, bytes: &[u8], at: usize, may_be_empty: bool) -> Option<(usize, String)> {
    let mut here = at;
    if bytes.get(at) == Some(&b'<') {
        here += 1;
        loop {
            match bytes.get(here)? {
                b'>' => return Some((here + 1, unescaped(text.get(at + 1..here)?))),
                b'<' | b'\n' => return None,
                b'\\' if bytes.get(here + 1).is_some_and(u8::is_ascii_punctuation) => here += 2,
                _ => here += 1,
            }
        }
    }
    let mut nested = 0;
    while let Some(&byte) = bytes.get(here) {
        match byte {
            0..=b' ' | 0x7f => break,
            b'\\' if bytes.get(here + 1).is_some_and(u8::is_ascii_punctuation) => here += 1,
            b'(' => nested += 1,
            b')' if nested == 0 => break,
            b')' => nested -= 1,
            _ => {}
        }
        if nested > MAX_NESTED {
            return None;
        }
        here += 1;
    }
    if nested > 0 || (here == at && !may_be_empty) {
        return None;
    }
    Some((here, unescaped(text.get(at..here)?)))
}

/// Returns the end of a title.
fn title(bytes: &[u8], at: usize) -> Option<usize> {
    let close = match bytes.get(at)? {
        b'"' => b'"',
        b'\'' => b'\'',
        b'(' => b')',
        _ => return None,
    };
    let mut here = at + 1;
    loop {
        match *bytes.get(here)? {
            byte if byte == close => return Some(here + 1),
            b'(' if close == b')' => return None,
            b'\\' => here += 2,
            _ => here += 1,
        }
    }
}

fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match chars.peek() {
            Some(next) if c == '\\' && next.is_ascii_punctuation() => {}
            Some(_) | None => {
                out.push(c);
                continue;
            }
        }
        out.extend(chars.next());
    }
    out.replace("&amp;", "&")
}

/// Parses the reference definitions at the beginning of a text; returns them and their end.
pub(super) fn definitions(text: &str) -> (Vec<Found>, usize) {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some((definition, end)) = definition(text, at) {
        found.push(definition);
        at = end;
    }
    (found, at)
}

fn definition(text: &str, at: usize) -> Option<(Found, usize)> {
    let bytes = text.as_bytes();
    if bytes.get(at) != Some(&b'[') || bytes.get(at + 1) == Some(&b'^') {
        return None;
    }
    let mut here = at + 1;
    loop {
        match bytes.get(here)? {
            b']' => break,
            b'[' => return None,
            b'\\' if bytes.get(here + 1).is_some_and(u8::is_ascii_punctuation) => here += 2,
            _ => here += 1,
        }
        if here - at > MAX_TAIL {
            return None;
        }
    }
    if text.get(at + 1..here)?.trim().is_empty() || bytes.get(here + 1) != Some(&b':') {
        return None;
    }
    let (end, target) = destination(text, bytes, blank(bytes, here + 2), false)?;
    let line_end = |from: usize| {
        let rest = &bytes[from..];
        let spaces = rest.iter().take_while(|byte| **byte == b' ').count();
        match rest.get(spaces) {
            None => Some(from + spaces),
            Some(b'\n') => Some(from + spaces + 1),
            Some(_) => None,
        }
    };
    let alone = line_end(end);
    let from = blank(bytes, end);
    let titled = (from > end).then(|| title(bytes, from)).flatten().and_then(line_end);
    let next = titled.or(alone)?;
    let found = Found { all: at..end, tail: end, image: false, target };
    Some((found, next))
}

/// Returns a heading's text as displayed: without images, destinations and tags, and without the underscores of
/// emphasis.
pub(super) fn plain(text: &str) -> String {
    /// Maximum bytes of a heading that are read.
    const MOST: usize = 2_000;
    let text = &text[..text.floor_char_boundary(MOST)];
    let scanned = scan(text, 0);
    let mut dropped = vec![false; text.len()];
    let mut drop = |range: Range<usize>| dropped[range].fill(true);
    for link in scanned.links {
        drop(if link.image { link.all } else { link.tail..link.all.end });
    }
    scanned.tags.into_iter().for_each(&mut drop);
    let mut kept = vec![false; text.len()];
    (scanned.code.into_iter()).for_each(|range| kept[range].fill(true));
    let mut out = String::with_capacity(text.len());
    let of_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    for (at, c) in text.char_indices() {
        let (before, after) = (&text[..at], &text[at + c.len_utf8()..]);
        let within_word = of_word(before.trim_end_matches('_').chars().next_back())
            && of_word(after.trim_start_matches('_').chars().next());
        let written = kept[at] || before.ends_with('\\') || within_word;
        let emphasis = c == '_' && !written;
        if !dropped[at] && !emphasis {
            out.push(if c == '\n' { ' ' } else { c });
        }
    }
    out
}
