//! Tells a quotation from an answer: a quotation is a block of a reply that occurs in the untrusted data of its own
//! prompt.
//!
//! An agent may quote what it was shown, and that may contain a complete marker block, planted by somebody who wants
//! to answer in the agent's place. So a block or object whose content occurs in the data of the same prompt is not an
//! answer, wherever it is in the reply; if there is no other, the reply lacks that block.
//!
//! *Data* is the text between the lines with the boundary, and every line with our marker for quoted text (`| `). If
//! it is JSON, we wrote it: an agent could honestly repeat a text of it (a point that somebody maintains), so such a
//! text is a quotation only as part of a longer one, or in the parts that a peer may shape freely (the `content` of
//! an argument, the `data` of evidence). Each side of a diff is data, too.
//!
//! What is compared is the value as it is read ([`Said`]), text by text, as [letters](super::letters): neither the order
//! nor what stands between the texts matters, in the data or in the reply, nor how either is written. Copies of code
//! and evidence do not count, nor do fields that the block does not have.
//!
//! | the block has | the data contains | it is |
//! |---|---|---|
//! | `own_words` that are its own | anything | an answer |
//! | texts of several words | nearly all of them: many words, or behind the same keys, or with our markers | a quotation |
//! | none | all its values, between our markers | a quotation, unless it is at the end, among all the wanted blocks, one each, one of them found nowhere else |
//! | none | the same JSON | a quotation without markers, or before other text |
//! | plain text | nearly all its lines, between our markers | a quotation: without these, advice may repeat what a comment says |
//!
//! This takes one pass over prompt and reply, and a bounded number of searches, each linear.

use std::collections::BTreeMap;
use std::ops::Range;

use serde_json::Value;

use super::letters::{letters, write};
use super::said::{LETTERS, Said};
use super::source::Source;
use super::unmarked::{has_prose, unmarked};
use super::{ExpectedBlock, Shape};
use crate::text::markers::{self, Edge, Marker, MarkerForm, end_marker, start_marker};
use crate::text::written::plain_key;
use crate::text::{Note, Problem};

/// The marker before a quoted line in a prompt.
const QUOTE: &str = "| ";

/// Number of different blocks looked up; a reply with more is not an answer, whatever they contain.
const BLOCKS: usize = 16;

/// Minimum width of a line number in an excerpt, in characters.
const NUMBER: usize = 5;

/// A byte that never occurs in UTF-8.
const BROKEN: u8 = 0xff;

/// Separates texts that are not adjacent; it is no letter.
const APART: char = '\n';

/// Stands before and after each text in JSON of ours.
const LEAF: char = '|';

/// Number of words that nobody has in common with the data by chance.
const MANY: usize = 12;

/// Of so many words one may be the agent's own in a quotation.
const NEARLY: usize = 8;

/// Maximum number of markers of one name that are looked at.
const PLACES: usize = 16;

/// The untrusted data of one prompt, ready to be searched.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Data {
    /// What others wrote.
    texts: String,
    /// The lines of diffs without those that were removed.
    new: String,
    /// The lines of diffs without those that were added.
    old: String,
    ours: String,
}

/// A piece of a prompt's data.
#[derive(Debug, Clone, Copy)]
enum Piece<'t> {
    /// Text in which each line stands on its own.
    Text(&'t str),
    /// A text in JSON of ours.
    Leaf(&'t str),
    /// A line of a diff, and its marker.
    Line(char, &'t str),
    /// The content of one fence, including our own structure.
    Fence(&'t str),
    /// The end of a connected part.
    End,
}

fn pieces(prompt: &str, boundary: &str, each: &mut impl FnMut(Piece<'_>)) {
    let begin = format!("[{boundary}] BEGIN untrusted data: ");
    let end = format!("[{boundary}] END untrusted data: ");
    // The start of the open fence, after its first line.
    let mut open: Option<usize> = None;
    let mut at = 0;
    for line in prompt.split_inclusive('\n') {
        let start = at;
        at += line.len();
        match open {
            Some(from) if line.starts_with(&end) => {
                fenced(&prompt[from..start], each);
                open = None;
            }
            Some(_) => {}
            None => {
                if let Some(label) = line.strip_prefix(&begin) {
                    // A label may be a file name.
                    each(Piece::Text(label));
                    each(Piece::End);
                    open = Some(at);
                } else if line.starts_with(QUOTE) {
                    each(Piece::Text(line));
                }
            }
        }
    }
    if let Some(from) = open {
        fenced(&prompt[from..], each);
    }
}

fn fenced(body: &str, each: &mut impl FnMut(Piece<'_>)) {
    each(Piece::Fence(body));
    let ours = body.starts_with(['{', '[']);
    match serde_json::from_str::<Value>(body) {
        Ok(value) if ours => texts_of(&value, false, each),
        Ok(_) | Err(_) => lines_of(body, each),
    }
    each(Piece::End);
}

/// Visits the texts of a value of ours. `listed`: it is a list entry.
fn texts_of(value: &Value, listed: bool, each: &mut impl FnMut(Piece<'_>)) {
    match value {
        Value::String(text) => each(match numbered(text) {
            Some((mark, line)) if listed => Piece::Line(mark, line),
            Some(_) | None => Piece::Leaf(text),
        }),
        Value::Array(entries) => entries.iter().for_each(|entry| texts_of(entry, true, each)),
        Value::Object(entries) => {
            for (key, entry) in entries {
                let free = matches!(&**key, "content" | "data");
                if free && (entry.is_object() || entry.is_array()) {
                    each(Piece::Text(&entry.to_string()));
                } else {
                    texts_of(entry, false, each);
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Visits text of several lines, which may be a diff.
fn lines_of(body: &str, each: &mut impl FnMut(Piece<'_>)) {
    let is_diff = body.lines().any(|line| unquoted(line).starts_with("@@ -"));
    for line in body.split_inclusive('\n').map(unquoted) {
        if let Some((mark, line)) = numbered(line).filter(|_| is_diff) {
            each(Piece::Line(mark, line));
            continue;
        }
        each(match line.chars().next().filter(|_| is_diff) {
            Some(mark @ ('+' | '-' | ' ' | '\\')) => Piece::Line(mark, &line[1..]),
            Some(_) | None => Piece::Text(line),
        });
    }
}

impl Data {
    /// Extracts the data from a prompt that is fenced with this boundary.
    pub fn of(prompt: &str, boundary: &str) -> Self {
        let mut data = Self::default();
        pieces(prompt, boundary, &mut |piece| match piece {
            Piece::Text(text) => write(text, &mut data.texts),
            Piece::Leaf(text) => {
                data.ours.push(LEAF);
                write(text, &mut data.ours);
                data.ours.push(LEAF);
            }
            Piece::Line(mark, line) => data.line(mark, line),
            Piece::Fence(_) => {}
            Piece::End => data.texts_mut().for_each(|text| text.push(APART)),
        });
        data
    }

    fn texts_mut(&mut self) -> impl Iterator<Item = &mut String> {
        [&mut self.texts, &mut self.new, &mut self.old, &mut self.ours].into_iter()
    }

    fn line(&mut self, mark: char, line: &str) {
        match mark {
            // Git's note on the previous line.
            '\\' => return,
            '+' => write(line, &mut self.new),
            '-' => write(line, &mut self.old),
            _ => {
                write(line, &mut self.new);
                write(line, &mut self.old);
            }
        }
        write(line, &mut self.texts);
    }

    /// Whether somebody else wrote this, other than as a whole text in JSON of ours.
    fn holds(&self, letters: &str) -> bool {
        let whole = || format!("{LEAF}{letters}{LEAF}");
        [&self.texts, &self.new, &self.old].iter().any(|text| text.contains(letters))
            || self.ours.matches(letters).count() > self.ours.matches(&whole()).count()
    }

    /// Returns what stands between markers with this name, or before one that closes alone.
    fn planted(&self, name: &str) -> Vec<&str> {
        let (start, end) = (letters(&start_marker(name)), letters(&end_marker(name)));
        let mut all = Vec::new();
        for text in [&self.texts, &self.new, &self.old, &self.ours] {
            let before = all.len();
            for (at, _) in text.match_indices(&start).take(PLACES) {
                let rest = &text[at + start.len()..];
                all.push(&rest[..rest.find(&end).unwrap_or(rest.len())]);
            }
            if let Some(at) = text.find(&end).filter(|_| all.len() == before) {
                all.push(&text[text[..at].rfind(APART).unwrap_or(0)..at]);
            }
        }
        all
    }

    /// Tells whether the content of a block is a quotation. `last`: only blocks follow it.
    fn likeness(&self, want: &ExpectedBlock, content: &str, last: bool) -> Likeness {
        let said = Said::of(want, content);
        if said.own_words.iter().any(|text| !self.holds(text)) {
            return Likeness::None;
        }
        let planted = self.planted(want.name);
        if said.texts.is_empty() {
            let same = !last && said.all.len() >= LETTERS && self.holds(&said.all);
            let is_quoted = same || planted.iter().any(|text| said.is_in(text, want.shape));
            return if is_quoted { Likeness::Bare } else { Likeness::None };
        }
        let is_text = want.shape == Shape::Text;
        let all: usize = said.texts.iter().map(|text| text.words).sum();
        let mut own = 0;
        for text in &said.texts {
            let is_held = match want.shape {
                Shape::Text => planted.iter().any(|planted| planted.contains(&text.letters)),
                Shape::Array | Shape::Object => self.holds(&text.letters),
            };
            own += if is_held { 0 } else { text.words };
            if own * NEARLY > all {
                return Likeness::None;
            }
        }
        let is_told = is_text
            || all >= MANY
            || !planted.is_empty()
            || said.texts.iter().all(|text| self.holds(&text.behind));
        if is_told { Likeness::Words } else { Likeness::None }
    }
}

/// How far a block is like the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Likeness {
    None,
    /// It is the same, but without a text of several words, so it may be the same by chance.
    Bare,
    Words,
}

/// Returns why the object in a reply without markers is not accepted: the data of its prompt contains the object's
/// key in quotes, so somebody else may have written it. `None`: it has markers, or the key does not occur there.
pub fn doubtful(
    reply: &[u8],
    cut: bool,
    wants: &[ExpectedBlock],
    prompt: &str,
    boundary: &str,
) -> Option<Problem> {
    let source = Source::decode(reply);
    let markers = markers::scan_generously(&source.text);
    let (want, range) = unmarked(&source, &markers, wants, cut)?;
    let found = if has_prose(&source.text, &range) { Found::AmidProse } else { Found::Alone };
    let named = want.form.keys().find(|key| {
        let wanted = plain_key(key);
        any_data_line(prompt, boundary, found, |line| quotes_word(line, &wanted))
    });
    named.map(|key| {
        let message = format!(
            "the object has no markers around it, and the data of this request also names `{key}`, so it may be a quotation; write the markers as below"
        );
        Problem::new("no_markers", Some(want.name), message)
    })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Found {
    /// In its markers, or as the whole reply.
    Alone,
    /// Surrounded by prose, which may discuss it: our structure counts as well.
    AmidProse,
}

/// Whether any line of a prompt's data matches: lines of texts, and, for a find amid prose, of our own
/// JSON too.
fn any_data_line(
    prompt: &str,
    boundary: &str,
    found: Found,
    is_such: impl Fn(&str) -> bool,
) -> bool {
    let mut any = false;
    pieces(prompt, boundary, &mut |piece| match piece {
        Piece::Text(text) | Piece::Leaf(text) | Piece::Line(_, text) => {
            any = any || text.lines().any(&is_such);
        }
        Piece::Fence(body) if found == Found::AmidProse => any = any || body.lines().any(&is_such),
        Piece::Fence(_) | Piece::End => {}
    });
    any
}

/// Whether a line contains a word in quotes of any kind, escaped or not, in any style; `wanted` is as `plain` returns it.
fn quotes_word(line: &str, wanted: &str) -> bool {
    let is_quote =
        |c: char| matches!(c, '"' | '\'' | '\u{201c}' | '\u{201d}' | '\u{2018}' | '\u{2019}');
    line.char_indices().filter(|(_, c)| is_quote(*c)).any(|(at, quote)| {
        let rest = &line[at + quote.len_utf8()..];
        let end = rest.find(|c| is_quote(c) || c == '\\').unwrap_or(rest.len());
        rest[end..].trim_start_matches('\\').starts_with(is_quote)
            && plain_key(&rest[..end]) == wanted
    })
}

/// A block that is a quotation and so not an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quotation {
    /// The block's name.
    pub name: String,
    /// Whether the reply has another one with this name.
    pub again: bool,
    /// How the same can be said without being a quotation.
    how: &'static str,
}

impl Quotation {
    /// Returns the note that it was left out.
    pub fn note(&self) -> Note {
        let message = format!(
            "a {} block that is in the data of the prompt is a quotation, not an answer; it was left out",
            self.name
        );
        Note::new("quotation", message)
    }

    /// Returns the problem that nothing is left without it, and how to fix that.
    pub fn problem(&self) -> Problem {
        let message = format!(
            "it is in the data of this request, so it is a quotation, not an answer; give your own, or {}",
            self.how
        );
        Problem::new("quotation", Some(&self.name), message)
    }
}

/// A reply without its quotations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnText {
    pub reply: Vec<u8>,
    /// The quotations, one per name; never empty.
    pub quoted: Vec<Quotation>,
}

/// Removes the wanted blocks that a reply quotes; `None` if it quotes none.
pub fn own(reply: &[u8], wants: &[ExpectedBlock], data: &Data) -> Option<OwnText> {
    let source = Source::decode(reply);
    let mut known: BTreeMap<(&str, &str, bool), Likeness> = BTreeMap::new();
    let mut quoted: BTreeMap<&str, Quotation> = BTreeMap::new();
    let mut cut = Vec::new();
    let bodies: Vec<(Body<'_>, Likeness)> = bodies(&source, wants)
        .into_iter()
        .map(|body| {
            let content = source.text[body.content.clone()].trim();
            let full = known.len() >= BLOCKS;
            let like = *known.entry((body.want.name, content, body.last)).or_insert_with(|| {
                if full { Likeness::Words } else { data.likeness(body.want, content, body.last) }
            });
            (body, like)
        })
        .collect();
    let whole = is_whole(&bodies, wants);
    let (quotations, others): (Vec<_>, Vec<_>) =
        bodies.into_iter().partition(|(body, like)| match like {
            Likeness::None => false,
            Likeness::Bare => !(whole && body.last),
            Likeness::Words => true,
        });
    for (body, _) in quotations {
        quoted.entry(body.want.name).or_insert_with(|| Quotation::of(body.want));
        cut.push(body.whole);
    }
    for (body, _) in others {
        if let Some(quoted) = quoted.get_mut(body.want.name) {
            quoted.again = true;
        }
    }
    let reply = without(&source, &cut);
    (!quoted.is_empty()).then(|| OwnText { reply, quoted: quoted.into_values().collect() })
}

impl Quotation {
    fn of(want: &ExpectedBlock) -> Self {
        Self {
            name: want.name.to_owned(),
            again: false,
            how: match want.shape {
                Shape::Array => {
                    "if you do mean it, write `{\"own_words\": \"...\", \"ids\": [...]}`, with a sentence of your own"
                }
                Shape::Object => {
                    "if you do mean it, begin the object with a field `own_words` that contains a sentence of your own"
                }
                Shape::Text => "say it in your own words",
            },
        }
    }
}

/// Whether the reply ends with every wanted block, one each, at least one of which is not a quotation: then a block
/// without words is not one either. So nobody can get an honest answer refused by planting its like.
fn is_whole(bodies: &[(Body<'_>, Likeness)], wants: &[ExpectedBlock]) -> bool {
    let end: Vec<_> = bodies.iter().filter(|(body, _)| body.last).collect();
    let once = |want: &ExpectedBlock| {
        end.iter().filter(|(body, _)| body.want.name == want.name).count() == 1
    };
    wants.iter().all(once) && end.iter().any(|(_, like)| *like == Likeness::None)
}

struct Body<'n> {
    want: &'n ExpectedBlock,
    /// Including its markers.
    whole: Range<usize>,
    content: Range<usize>,
    /// Only blocks follow it.
    last: bool,
}

/// Finds the blocks with paired markers, or the value of a reply without any; others are not answers anyway.
fn bodies<'n>(source: &Source<'_>, wants: &'n [ExpectedBlock]) -> Vec<Body<'n>> {
    let text = &*source.text;
    let all = markers::scan_generously(text);
    if let Some((want, content)) = unmarked(source, &all, wants, false) {
        return vec![Body { want, whole: 0..text.len(), content, last: false }];
    }
    let wanted = |marker: &Marker| wants.iter().find(|want| want.name == marker.name);
    let markers: Vec<(&'n ExpectedBlock, Marker)> = all
        .into_iter()
        .filter(|marker| marker.writing != MarkerForm::Lookalike)
        .filter_map(|marker| Some((wanted(&marker)?, marker)))
        .collect();
    let mut bodies = Vec::new();
    for (at, (want, start)) in markers.iter().enumerate() {
        if start.edge == Edge::End {
            continue;
        }
        let (until, end) = match markers.get(at + 1) {
            None => (text.len(), text.len()),
            Some((other, end)) if other.name == want.name && end.edge == Edge::End => {
                (end.line.start, end.line.end)
            }
            Some(_) => continue,
        };
        bodies.push(Body {
            want,
            whole: start.line.start..end,
            content: start.line.end..until,
            last: false,
        });
    }
    let mut tail = text.len();
    for body in bodies.iter_mut().rev() {
        if !text[body.whole.end..tail].trim().is_empty() {
            break;
        }
        body.last = true;
        tail = body.whole.start;
    }
    bodies
}

/// The text without these ranges, as bytes that decode like the reply's.
fn without(source: &Source<'_>, cut: &[Range<usize>]) -> Vec<u8> {
    let text = source.text.as_bytes();
    let mut left = Vec::with_capacity(text.len());
    let mut broken = source.broken.iter().copied().peekable();
    let mut at = 0;
    let end = std::iter::once(text.len()..text.len());
    for range in cut.iter().cloned().chain(end) {
        while let Some(place) = broken.next_if(|place| *place < range.end) {
            if (at..range.start).contains(&place) {
                left.extend_from_slice(&text[at..place]);
                left.push(BROKEN);
                at = place + char::REPLACEMENT_CHARACTER.len_utf8();
            }
        }
        left.extend_from_slice(&text[at..range.start]);
        at = range.end;
    }
    left
}

/// Splits a line of code as shown in a review, in excerpts and numbered diffs: its number, marker and text.
fn numbered(line: &str) -> Option<(char, &str)> {
    let (head, rest) = line.split_at_checked(NUMBER)?;
    let number = head.trim_start_matches(' ');
    if !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let rest = match number {
        "" => rest,
        _ => rest.trim_start_matches(|c: char| c.is_ascii_digit()),
    };
    let mut rest = rest.strip_prefix(' ')?.chars();
    let mark = rest.next().filter(|mark| matches!(mark, '+' | '-' | ' '))?;
    Some((mark, rest.as_str().strip_prefix(' ')?))
}

fn unquoted(line: &str) -> &str {
    line.strip_prefix(QUOTE).unwrap_or(line)
}

#[cfg(test)]
mod tests;
