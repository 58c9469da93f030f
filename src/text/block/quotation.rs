//! Tells a quotation from an answer: a block of a reply that stands in the untrusted data of its own prompt.
//!
//! An agent may quote what it was shown, and what it was shown may hold a whole block of ours, written there by whoever
//! wants to answer in its place. So a block or object whose content stands in the data of the same prompt is no answer,
//! wherever it stands in the reply; where nothing else is there, the reply is one without that block.
//!
//! *Data* is what stands between the lines with the boundary, and every line with our mark of quoted text (`| `). Where it is
//! JSON, we wrote it: its structure says nothing that an agent could not say as well (a ranking, stances, a position that
//! somebody stands by), so that the texts in it alone are data, and besides what a peer may shape as it likes (the `content`
//! of an argument, the `data` of evidence). Of a diff each side is data, too.
//!
//! *Stands in* means: with the same letters, digits, brackets, colons and commas in the same order. White space, quotes,
//! escapes, the marks of a diff, a comment or a quotation, the case of letters and what defusing changed are apart.
//!
//! Two answers may be the same by chance, where they have no words: `{"findings": []}`, a ranking, a list of votes. So
//!
//! | the data holds | the reply holds it | it is |
//! |---|---|---|
//! | the content between our markers | anywhere | a quotation |
//! | JSON with a text of several words | anywhere | a quotation |
//! | JSON without such a text | without markers, or before other text | a quotation |
//! | JSON without such a text | between markers, at the end, where the contract wants it | an answer |
//! | even that with our markers | at the end, among all the blocks that are wanted, one each, one of them found nowhere else | an answer |
//! | plain text | between markers of a block of text | an answer: advice may repeat what a comment says |
//!
//! A reply of prose and one fence, without markers, is a quotation also where the fence repeats structure of ours.
//!
//! One pass over prompt and reply, and a bounded number of searches, each linear.

use std::collections::BTreeMap;
use std::ops::Range;

use serde_json::Value;

use super::source::Source;
use super::unmarked::single_fence;
use crate::text::json;
use crate::text::markers::{self, Edge, Marker, Writing, end_marker, start_marker};
use crate::text::{Note, Problem};

/// What stands before a quoted line in a prompt.
const QUOTE: &str = "| ";

/// Different blocks that are looked up; a reply of more is no answer whatever they hold.
const BLOCKS: usize = 16;

/// Characters of a line's number in an excerpt, at least.
const NUMBER: usize = 5;

/// A byte that no UTF-8 text has.
const BROKEN: u8 = 0xff;

/// Between texts that do not follow one another; no skeleton holds it.
const APART: char = '\n';

/// The untrusted data of one prompt, ready to be searched.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Data {
    /// All texts.
    texts: String,
    /// The lines of diffs without those that were removed.
    new: String,
    /// The lines of diffs without those that were added.
    old: String,
    /// Everything as it is shown, our own structure included.
    shown: String,
}

impl Data {
    /// Takes the data out of a prompt that is fenced under this boundary.
    pub fn of(prompt: &str, boundary: &str) -> Self {
        let mut data = Self::default();
        let begin = format!("[{boundary}] BEGIN untrusted data: ");
        let end = format!("[{boundary}] END untrusted data: ");
        // Where the fence that is open began, its first line apart.
        let mut open: Option<usize> = None;
        let mut at = 0;
        for line in prompt.split_inclusive('\n') {
            let start = at;
            at += line.len();
            match open {
                Some(from) if line.starts_with(&end) => {
                    data.fence(&prompt[from..start]);
                    open = None;
                }
                Some(_) => {}
                None => {
                    if let Some(label) = line.strip_prefix(&begin) {
                        // A label may be the name of a file.
                        data.text(label);
                        data.part();
                        open = Some(at);
                    } else if line.starts_with(QUOTE) {
                        data.text(line);
                    }
                }
            }
        }
        if let Some(from) = open {
            data.fence(&prompt[from..]);
        }
        data
    }

    /// Takes what stands in one fence.
    fn fence(&mut self, body: &str) {
        skeleton(body, &mut self.shown);
        let ours = body.starts_with(['{', '[']);
        match serde_json::from_str::<Value>(body) {
            Ok(value) if ours => self.value(&value, false),
            Ok(_) | Err(_) => self.lines(body),
        }
        self.part();
    }

    /// Takes the texts of a value of ours. `listed`: it is an entry of a list.
    fn value(&mut self, value: &Value, listed: bool) {
        match value {
            Value::String(text) => match numbered(text) {
                Some((mark, line)) if listed => self.line(mark, line),
                Some(_) | None => self.text(text),
            },
            Value::Array(entries) => entries.iter().for_each(|each| self.value(each, true)),
            Value::Object(entries) => {
                for (key, each) in entries {
                    let free = matches!(&**key, "content" | "data");
                    if free && (each.is_object() || each.is_array()) {
                        self.text(&each.to_string());
                    } else {
                        self.value(each, false);
                    }
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// Takes text of several lines, which may be a diff.
    fn lines(&mut self, body: &str) {
        let is_diff = body.lines().any(|line| unquoted(line).starts_with("@@ -"));
        for line in body.split_inclusive('\n').map(unquoted) {
            match line.chars().next().filter(|_| is_diff) {
                Some(mark @ ('+' | '-' | ' ' | '\\')) => self.line(mark, &line[1..]),
                Some(_) | None => self.text(line),
            }
        }
    }

    fn text(&mut self, text: &str) {
        skeleton(text, &mut self.texts);
    }

    /// Takes a line of a diff.
    fn line(&mut self, mark: char, line: &str) {
        match mark {
            // Git's word on the line before it.
            '\\' => return,
            '+' => skeleton(line, &mut self.new),
            '-' => skeleton(line, &mut self.old),
            _ => {
                skeleton(line, &mut self.new);
                skeleton(line, &mut self.old);
            }
        }
        self.text(line);
    }

    /// What follows does not belong to what went before.
    fn part(&mut self) {
        for text in [&mut self.texts, &mut self.new, &mut self.old, &mut self.shown] {
            text.push(APART);
        }
    }

    fn holds(&self, skeleton: &str) -> bool {
        let texts = [&self.texts, &self.new, &self.old];
        texts.iter().any(|text| text.contains(skeleton))
    }

    /// Whether the content of a block `name` is a quotation. `last`: nothing but blocks follows it.
    fn quotes(&self, name: &str, content: &str, last: bool) -> bool {
        let body = skeleton_of(content);
        // A code fence around the value names its language.
        let body = ["json{", "json["]
            .iter()
            .find_map(|tag| body.starts_with(tag).then(|| &body[4..]))
            .unwrap_or(&body);
        if body.is_empty() || !self.holds(body) {
            return false;
        }
        let start = skeleton_of(&start_marker(name));
        let end = skeleton_of(&end_marker(name));
        if !body.starts_with(['{', '[']) {
            return self.holds(&format!("{start}{body}{end}"));
        }
        !last
            || has_words(content)
            || self.holds(&format!("{start}{body}"))
            || self.holds(&format!("{start}json{body}"))
            || self.holds(&format!("{body}{end}"))
    }

    /// Whether a value without markers is a quotation. `amid`: it stands in a fence with prose around.
    fn quotes_bare(&self, content: &str, amid: bool) -> bool {
        let body = skeleton_of(content);
        body.starts_with(['{', '[']) && (self.holds(&body) || (amid && self.shown.contains(&*body)))
    }
}

/// A block that was quoted, and is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quoted {
    /// The block's name.
    pub name: String,
    /// The reply has another one of this name.
    pub again: bool,
    /// How the same can be said so that it is no quotation.
    how: &'static str,
}

impl Quoted {
    /// Says that it was left out.
    pub fn note(&self) -> Note {
        let message = format!(
            "a {} block that stands in the data of the prompt is a quotation and no answer; it was left out",
            self.name
        );
        Note::new("quotation", message)
    }

    /// Says that nothing is left without it, and how to mend that.
    pub fn problem(&self) -> Problem {
        let message = format!(
            "it stands in the data of this request, so it is a quotation and no answer; give your own, or {}",
            self.how
        );
        Problem::new("quotation", Some(&self.name), message)
    }
}

/// A reply without its quotations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Own {
    /// What is left of it.
    pub reply: Vec<u8>,
    /// What was quoted, one entry a name; never empty.
    pub quoted: Vec<Quoted>,
}

/// Takes out of a reply what it quotes of the blocks `names`; `None` where it quotes nothing.
pub fn own(reply: &[u8], names: &[&str], data: &Data) -> Option<Own> {
    let source = Source::decode(reply);
    let mut known: BTreeMap<(&str, &str, bool), bool> = BTreeMap::new();
    let mut quoted: BTreeMap<&str, Quoted> = BTreeMap::new();
    let mut cut = Vec::new();
    let bodies: Vec<(Body<'_>, bool)> = bodies(&source.text, names)
        .into_iter()
        .map(|body| {
            let content = source.text[body.content.clone()].trim();
            let full = known.len() >= BLOCKS;
            let shown = *known
                .entry((body.name, content, body.last))
                .or_insert_with(|| full || data.quotes(body.name, content, body.last));
            (body, shown)
        })
        .collect();
    let whole = is_whole(&bodies, names);
    let (quotations, others): (Vec<_>, Vec<_>) = bodies.into_iter().partition(|(body, shown)| {
        *shown && !(whole && body.last && !has_words(&source.text[body.content.clone()]))
    });
    for (body, _) in quotations {
        quoted
            .entry(body.name)
            .or_insert_with(|| Quoted::of(body.name, &source.text[body.content]));
        cut.push(body.whole);
    }
    for (body, _) in others {
        if let Some(quoted) = quoted.get_mut(body.name) {
            quoted.again = true;
        }
    }
    let mut left = without(&source, &cut);
    if let Some(content) = bare(&String::from_utf8_lossy(&left), data) {
        if let Some(name) = names.first() {
            quoted.insert(name, Quoted::of(name, content));
        }
        left = Vec::new();
    }
    (!quoted.is_empty()).then(|| Own { reply: left, quoted: quoted.into_values().collect() })
}

impl Quoted {
    fn of(name: &str, content: &str) -> Self {
        Self {
            name: name.to_owned(),
            again: false,
            how: match skeleton_of(content).trim_start_matches("json").chars().next() {
                Some('[') => {
                    "if you mean it all the same, write each entry as an object: `[{\"id\": \"...\"}, ...]`"
                }
                Some('{') => {
                    "if you mean it all the same, begin the object with a field `own_words` that holds a sentence of yours"
                }
                Some(_) | None => "say it in words of your own",
            },
        }
    }
}

/// Whether the reply ends with every block that is wanted, one each, of which one at least is no quotation: then what has no
/// words there was not quoted either. Nobody can plant that an answer of its own kind is refused.
fn is_whole(bodies: &[(Body<'_>, bool)], names: &[&str]) -> bool {
    let end: Vec<_> = bodies.iter().filter(|(body, _)| body.last).collect();
    let once = |name: &&str| end.iter().filter(|(body, _)| body.name == *name).count() == 1;
    names.iter().all(once) && end.iter().any(|(_, shown)| !shown)
}

/// A block of a reply.
struct Body<'n> {
    name: &'n str,
    /// With its markers.
    whole: Range<usize>,
    content: Range<usize>,
    /// Nothing but blocks follows it.
    last: bool,
}

/// Finds the blocks, as far as their markers make pairs; what does not is no answer anyway.
fn bodies<'n>(text: &str, names: &[&'n str]) -> Vec<Body<'n>> {
    let wanted = |marker: &Marker| names.iter().find(|name| **name == marker.name).copied();
    let markers: Vec<(&'n str, Marker)> = markers::scan(text)
        .into_iter()
        .filter(|marker| marker.writing != Writing::Lookalike)
        .filter_map(|marker| Some((wanted(&marker)?, marker)))
        .collect();
    let mut bodies = Vec::new();
    for (at, (name, start)) in markers.iter().enumerate() {
        if start.edge == Edge::End {
            continue;
        }
        let (until, end) = match markers.get(at + 1) {
            None => (text.len(), text.len()),
            Some((other, end)) if other == name && end.edge == Edge::End => {
                (end.line.start, end.line.end)
            }
            Some(_) => continue,
        };
        bodies.push(Body {
            name,
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

/// The value that a reply without any marker would be taken for, if it is a quotation.
fn bare<'t>(text: &'t str, data: &Data) -> Option<&'t str> {
    if !markers::scan(text).is_empty() {
        return None;
    }
    let fence = single_fence(text).map(|range| {
        // The lines of the fence itself are one on either side.
        let around = [&text[..range.start], &text[range.end..]];
        let amid = around.iter().any(|side| side.trim().lines().count() > 1);
        (&text[range], amid)
    });
    [Some((text, false)), fence]
        .into_iter()
        .flatten()
        .find(|(content, amid)| data.quotes_bare(content, *amid))
        .map(|(content, _)| content)
}

/// The text without these ranges, as bytes that are read like the reply's.
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

/// Whether a value says anything in several words; what cannot be read may.
fn has_words(content: &str) -> bool {
    fn any(value: &Value) -> bool {
        match value {
            Value::String(text) => text.split_whitespace().nth(1).is_some(),
            Value::Array(entries) => entries.iter().any(any),
            Value::Object(entries) => entries.values().any(any),
            Value::Null | Value::Bool(_) | Value::Number(_) => false,
        }
    }
    json::read(content).map_or(true, |(value, _)| any(&value))
}

/// A line of code as the excerpts of a review show it: its number, its mark, its text.
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

fn skeleton_of(text: &str) -> String {
    let mut all = String::with_capacity(text.len());
    skeleton(text, &mut all);
    all
}

/// Writes what of a text is compared: letters and digits, brackets, colons and commas.
fn skeleton(text: &str, into: &mut String) {
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        match c {
            '\\' => rest = escaped(rest.as_str(), into).chars(),
            // What defusing made of an `@`.
            '(' if rest.as_str().starts_with("at)") => rest = rest.as_str()[3..].chars(),
            c => push(c, into),
        }
    }
}

fn push(c: char, into: &mut String) {
    if matches!(c, '{' | '}' | '[' | ']' | ':' | ',') || c.is_alphanumeric() {
        into.push(c.to_ascii_lowercase());
    }
}

/// Writes what an escape stands for, however often it was escaped again; returns what follows.
fn escaped<'t>(after: &'t str, into: &mut String) -> &'t str {
    let after = after.trim_start_matches('\\');
    if let Some(rest) = after.strip_prefix(['n', 'r', 't', 'b', 'f']) {
        return rest;
    }
    let code = after.strip_prefix('u').and_then(|rest| rest.get(..4));
    if let Some(code) = code.and_then(|code| u32::from_str_radix(code, 16).ok()) {
        if let Some(c) = char::from_u32(code) {
            push(c, into);
        }
        return &after[5..];
    }
    after
}

#[cfg(test)]
mod tests;
