//! Finds the marker blocks of a reply and judges them by the decision table. Quotations of the prompt are removed
//! first ([`quotation`]).
//!
//! The order is fixed: decode bytes (recording where they are not UTF-8), strip escape sequences and what was thought
//! aloud before the answer, find marker lines, pair them, drop echoes of our own prompt, parse strict JSON, check the shape. Each step either keeps
//! the meaning (and notes its change) or ends in a problem that says how to fix it. Nothing is ever completed,
//! invented, or chosen between alternatives. The row numbers in the comments are those of the table.

mod letters;
pub mod quotation;
mod said;
mod shape;
mod source;
mod thinking;
mod unmarked;

use std::ops::Range;

use serde_json::Value;

use super::markers::{self, Edge, Marker, MarkerForm, end_marker, start_marker};
use super::{Note, Problem, json};
use shape::{is_empty, shaped};
use source::{Body, Source, any_within, holds_placeholder};
use unmarked::unmarked;

/// Maximum length of an excerpt from a faulty block, in bytes (64 KiB).
const EXCERPT: usize = 64 << 10;

/// The kind of value in a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    Text,
    Array,
    Object,
}

impl Shape {
    fn noun(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Array => "one JSON array",
            Self::Object => "one JSON object",
        }
    }
}

/// A block that a reply should contain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpectedBlock {
    /// The marker's name, as in `<<<NAME_START>>>`.
    pub name: &'static str,
    pub shape: Shape,
    /// Whether a reply without it is a problem (a missing optional block is `None`).
    pub required: bool,
    /// For an object, its known form.
    pub form: Form,
    /// The keys of its fields at any depth; if there are none, any key may hold a text.
    pub fields: Vec<(&'static str, Content)>,
}

/// What a field holds, as far as quotations are told by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// Words of the author.
    Own,
    /// Any JSON, all of it the author's.
    Free,
    /// What was shown: code, evidence, ids, paths.
    Shown,
}

impl ExpectedBlock {
    /// Creates a want without known form.
    pub const fn new(name: &'static str, shape: Shape, required: bool) -> Self {
        Self { name, shape, required, form: Form::Any, fields: Vec::new() }
    }
}

impl Form {
    fn keys(self) -> impl Iterator<Item = &'static str> {
        let (key, also) = match self {
            Self::Fields { key, also, .. } => (key, also),
            Self::Any | Self::ById => (None, &[][..]),
        };
        key.into_iter().chain(also.iter().copied())
    }
}

/// The known form of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Any,
    /// It has fields. `list`: the key of the one list that an answer needs. `key`: the first of the keys of which
    /// it needs one.
    Fields {
        list: Option<&'static str>,
        key: Option<&'static str>,
        /// Other keys that are read as `key`.
        also: &'static [&'static str],
    },
    ById,
}

/// One block's content.
#[derive(Debug, Clone, PartialEq)]
pub enum BlockBody {
    /// The content of a [`Shape::Text`] block.
    Text(String),
    /// The content of a block of any other shape.
    Json(Value),
}

/// The blocks found, in the order of the wants.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Extraction {
    /// One entry per want.
    pub contents: Vec<Option<BlockBody>>,
    /// The normalisations made.
    pub notes: Vec<Note>,
}

/// Maximum bytes of one block.
const MOST_BYTES: usize = 1 << 20;

/// Finds the wanted blocks. `cut`: the model stopped at its output limit. `templates`: block bodies shown in our own
/// prompt, to recognise an echo.
///
/// Returns all problems at once, so that one re-ask can name them all.
pub fn extract(
    reply: &[u8],
    cut: bool,
    wants: &[ExpectedBlock],
    templates: &[&str],
) -> Result<Extraction, Vec<Problem>> {
    let source = Source::decode(reply);
    let markers = markers::scan_generously(&source.text);
    let mut judge = BlockReader {
        source: &source,
        cut,
        templates,
        found: Extraction::default(),
        problems: Vec::new(),
    };
    if let Some((want, range)) = unmarked(&source, &markers, wants, cut) {
        judge.unmarked(want, range, wants);
    } else {
        let bodies = judge.pair(&markers, wants);
        for (want, bodies) in wants.iter().zip(bodies) {
            let content = judge.expected(want, bodies, &markers);
            judge.found.contents.push(content);
        }
    }
    judge.finish()
}

/// Returns a reply without what was thought aloud before it; whole if nothing else is in it.
pub fn without_thinking(reply: &str) -> &str {
    let answer = reply[thinking::end(reply)..].trim_start();
    if answer.is_empty() { reply } else { answer }
}

struct BlockReader<'a> {
    source: &'a Source<'a>,
    cut: bool,
    templates: &'a [&'a str],
    found: Extraction,
    problems: Vec<Problem>,
}

impl BlockReader<'_> {
    fn note(&mut self, code: &str, message: String) {
        let note = Note::new(code, message);
        if !self.found.notes.contains(&note) {
            self.found.notes.push(note);
        }
    }

    fn problem(&mut self, code: &str, name: &str, message: String, range: Option<&Range<usize>>) {
        let mut problem = Problem::new(code, Some(name), message);
        problem.excerpt = range.map(|range| {
            let text = &self.source.text[range.clone()];
            text[..text.floor_char_boundary(EXCERPT)].to_owned()
        });
        self.problems.push(problem);
    }

    fn text(&self, body: &Body) -> &str {
        &self.source.text[body.range.clone()]
    }

    /// Row 2.
    fn unmarked(&mut self, want: &ExpectedBlock, range: Range<usize>, wants: &[ExpectedBlock]) {
        let body = Body { range, closed: true, variant: false };
        self.note(
            "no_markers",
            format!("the reply is only the value of {}, without its markers", want.name),
        );
        let content = self.content(want, &body);
        self.found.contents = wants
            .iter()
            .map(|other| if other.name == want.name { content.clone() } else { None })
            .collect();
    }

    /// Pairs the markers; returns the bodies in the order of the wants.
    fn pair(&mut self, markers: &[Marker], wants: &[ExpectedBlock]) -> Vec<Vec<Body>> {
        let mut bodies: Vec<Vec<Body>> = vec![Vec::new(); wants.len()];
        let mut open: Option<(usize, &Marker)> = None;
        for marker in markers {
            let Some(index) = wants.iter().position(|want| want.name == marker.name) else {
                continue;
            };
            let name = wants[index].name;
            if marker.writing == MarkerForm::Lookalike {
                let message = format!(
                    "a line only resembles a marker of {name}; write the markers exactly as {} and {}",
                    start_marker(name),
                    end_marker(name)
                );
                self.problem("lookalike_marker", name, message, Some(&marker.line));
                continue;
            }
            match (marker.edge, open) {
                (Edge::Start, None) => open = Some((index, marker)),
                (Edge::Start, Some((outer, start))) => {
                    let range = start.line.end..marker.line.start;
                    self.crossed(wants[outer].name, name, &range);
                    open = Some((index, marker));
                }
                (Edge::End, Some((outer, start))) if outer == index => {
                    bodies[index].push(Body {
                        range: start.line.end..marker.line.start,
                        closed: true,
                        variant: [start, marker].iter().any(|m| m.writing != MarkerForm::Exact),
                    });
                    open = None;
                }
                (Edge::End, Some((outer, start))) => {
                    let range = start.line.end..marker.line.start;
                    self.crossed(wants[outer].name, name, &range);
                }
                (Edge::End, None) => {
                    let message = format!(
                        "{} has no {} before it; write each block as START line, content, END line",
                        end_marker(name),
                        start_marker(name)
                    );
                    self.problem("end_without_start", name, message, None);
                }
            }
        }
        if let Some((index, start)) = open {
            bodies[index].push(Body {
                range: start.line.end..self.source.text.len(),
                closed: false,
                variant: start.writing != MarkerForm::Exact,
            });
        }
        bodies
    }

    /// Row 6.
    fn crossed(&mut self, outer: &str, inner: &str, range: &Range<usize>) {
        let message = format!(
            "a marker of {inner} is inside {outer}; close {outer} with {} before another block, and write each block once",
            end_marker(outer)
        );
        self.problem("crossed_markers", outer, message, Some(range));
    }

    /// Judges all bodies with one name.
    fn expected(
        &mut self,
        want: &ExpectedBlock,
        bodies: Vec<Body>,
        markers: &[Marker],
    ) -> Option<BlockBody> {
        let name = want.name;
        let bodies = self.without_echoes(name, bodies);
        if bodies.is_empty() {
            if want.required && !self.problems.iter().any(|p| p.block.as_deref() == Some(name)) {
                self.missing(want, markers);
            }
            return None;
        }
        let before = self.problems.len();
        let mut contents = Vec::with_capacity(bodies.len());
        for body in &bodies {
            contents.extend(self.content(want, body));
        }
        let complete = contents.len() == bodies.len();
        let first = contents.pop()?;
        if complete && contents.iter().all(|content| *content == first) {
            if bodies.len() > 1 {
                self.note(
                    "duplicate_equal",
                    format!("{name} was given more than once, each time with the same content"),
                );
            }
            return Some(first);
        }
        // Row 8; one faulty block among several is not a reason to choose the other.
        self.problems.truncate(before);
        let message = format!(
            "{name} was given {} times with different content; give it exactly once",
            bodies.len()
        );
        let last = bodies.last().map(|body| body.range.clone());
        self.problem("conflicting_blocks", name, message, last.as_ref());
        None
    }

    /// Row 3.
    fn missing(&mut self, want: &ExpectedBlock, markers: &[Marker]) {
        let mut others: Vec<&str> = markers.iter().map(|m| m.name.as_str()).collect();
        others.sort_unstable();
        others.dedup();
        others.retain(|other| *other != want.name);
        others.truncate(8);
        let seen = if others.is_empty() {
            String::new()
        } else {
            format!(" (the reply has: {})", others.join(", "))
        };
        let message = format!(
            // Markers themselves would be defused when this is quoted.
            "the block is missing{seen}; write its start marker on a line of its own, then {}, then its end marker on a line of its own, as below",
            want.shape.noun(),
        );
        self.problem("missing_block", want.name, message, None);
    }

    /// Row 9: an echo of our own prompt is dropped, but only if another block is present.
    fn without_echoes(&mut self, name: &str, bodies: Vec<Body>) -> Vec<Body> {
        if bodies.len() < 2 {
            return bodies;
        }
        let (echoes, rest): (Vec<Body>, Vec<Body>) =
            bodies.into_iter().partition(|body| self.is_echo(self.text(body)));
        if rest.is_empty() {
            return echoes;
        }
        if !echoes.is_empty() {
            self.note(
                "echo",
                format!("a {name} block that repeats the prompt's template was left out"),
            );
        }
        rest
    }

    fn is_echo(&self, text: &str) -> bool {
        let templated = self
            .templates
            .iter()
            .any(|template| template.split_whitespace().eq(text.split_whitespace()));
        templated || holds_placeholder(text)
    }

    /// Judges one body: size, encoding, JSON, shape.
    fn content(&mut self, want: &ExpectedBlock, body: &Body) -> Option<BlockBody> {
        let name = want.name;
        let range = &body.range;
        if range.len() > MOST_BYTES {
            let message = format!(
                "the block has {} bytes, over the limit of {MOST_BYTES}; make it shorter",
                range.len()
            );
            self.problem("output_limit", name, message, Some(range));
            return None;
        }
        if any_within(&self.source.broken, range) {
            let message =
                "the block contains bytes that are not UTF-8; write it again as plain UTF-8 text"
                    .to_owned();
            self.problem("invalid_utf8", name, message, Some(range));
            return None;
        }
        if body.variant {
            self.note(
                "marker_variant",
                format!("the markers of {name} are not written as asked for"),
            );
        }
        if any_within(&self.source.escapes, range) {
            self.note(
                "escapes_stripped",
                format!("terminal escape sequences in {name} were left out"),
            );
        }
        let text = self.text(body).trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
        if text.is_empty() {
            self.empty(want, body);
            return None;
        }
        match want.shape {
            Shape::Text if body.closed => Some(BlockBody::Text(text.to_owned())),
            Shape::Text => {
                self.unclosed(name, range);
                None
            }
            Shape::Array | Shape::Object => {
                self.json(want, body, json::read_generously(text, true)).map(BlockBody::Json)
            }
        }
    }

    fn json(
        &mut self,
        want: &ExpectedBlock,
        body: &Body,
        read: Result<(Value, Vec<Note>), json::JsonError>,
    ) -> Option<Value> {
        let name = want.name;
        let (value, notes) = match read {
            // Row 5: an incomplete value is never completed.
            Err(_) if !body.closed => {
                self.unclosed(name, &body.range);
                return None;
            }
            Err(error) => {
                let near = match error.near.as_str() {
                    "" => String::new(),
                    near => format!(", near `{near}`"),
                };
                let message = format!(
                    "{error} of the block{near}; write {} with double quotes, no comments and nothing else in the block",
                    want.shape.noun()
                );
                let code =
                    if error.is_contradiction() { "conflicting_entries" } else { "bad_json" };
                self.problem(code, name, message, Some(&body.range));
                return None;
            }
            Ok(read) => read,
        };
        if !body.closed {
            if self.cut {
                self.unclosed(name, &body.range);
                return None;
            }
            self.note(
                "unclosed",
                format!("{} is missing after a complete value", end_marker(name)),
            );
        }
        for note in notes {
            self.note(&note.code, format!("{name}: {}", note.message));
        }
        if is_empty(&value) {
            self.empty(want, body);
            return None;
        }
        match shaped(value, want) {
            Ok((value, _)) if is_empty(&value) => {
                self.empty(want, body);
                None
            }
            Ok((value, otherwise)) => {
                if let Some(how) = otherwise {
                    self.note("unwrapped", format!("{name} {how}"));
                }
                Some(value)
            }
            Err(instead) => {
                let message = format!("the block contains {instead}; write {}", want.shape.noun());
                self.problem("wrong_shape", name, message, Some(&body.range));
                None
            }
        }
    }

    /// Row 5, and row 4 if completeness cannot be known.
    fn unclosed(&mut self, name: &str, range: &Range<usize>) {
        let why =
            if self.cut { "the reply was cut at the output limit" } else { "the block has no end" };
        let message = format!(
            "{why}; write the whole block again, shorter if necessary, and close it with {}",
            end_marker(name)
        );
        self.problem("unclosed", name, message, Some(range));
    }

    /// Row 23.
    fn empty(&mut self, want: &ExpectedBlock, body: &Body) {
        let message =
            format!("the block is empty; write {} that answers the task", want.shape.noun());
        self.problem("empty_block", want.name, message, Some(&body.range));
    }

    fn finish(mut self) -> Result<Extraction, Vec<Problem>> {
        if !self.problems.is_empty() {
            return Err(self.problems);
        }
        // Broken bytes inside a wanted block have already become a problem (row 38).
        if !self.source.broken.is_empty() {
            self.note(
                "invalid_utf8",
                "the reply contains bytes that are not UTF-8, outside its blocks".to_owned(),
            );
        }
        Ok(self.found)
    }
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
