//! The headings and the text of a Markdown document, without its code: `CommonMark`'s first phase, as far as links
//! need it.
//!
//! Line by line, as that specification describes: the open containers (quotes, list items) take their share of a
//! line, new ones are opened, and the rest belongs to a leaf. Code, fenced or indented, comments and raw blocks of
//! HTML are skipped. The other kinds of HTML blocks are not recognised; a row of a table is a separate text.

use std::borrow::Cow;

use super::links;

/// Maximum nesting of containers; a document has a few, a hostile one as many as it has bytes.
const MAX_DEPTH: usize = 100;

/// A heading, or a run of text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Leaf {
    /// Its first line, from 1.
    pub(super) line: u32,
    pub(super) kind: Kind,
    /// Its lines, trimmed; they are consecutive in the document.
    pub(super) text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A heading with its level, 1 to 6.
    Heading(u8),
    /// A paragraph, or a line that reads like one.
    Text,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Container {
    Quote,
    /// A list item, with the indent of its content in spaces.
    Item(usize),
}

/// A block of several lines without readable text.
#[derive(Debug, Clone, PartialEq, Eq)]
enum OpenBlock {
    /// A code block: the character and the length of its fence.
    Fence(u8, usize),
    /// Ends at the line that contains this text, in lower case.
    Until(&'static str),
}

/// Returns the headings and texts of a document, in order.
pub(super) fn leaves(text: &str) -> Vec<Leaf> {
    let mut reader = Reader::default();
    let skipped = front_matter(text);
    for (line, number) in text.split('\n').zip(1..) {
        if number > skipped {
            reader.line(&without_tabs(line.strip_suffix('\r').unwrap_or(line)), number);
        }
    }
    reader.close();
    reader.leaves
}

/// Returns the number of lines of the front matter, which is not part of the document's text.
fn front_matter(text: &str) -> u32 {
    let mut lines = text.split('\n').map(str::trim_end).zip(1..);
    if lines.next().is_none_or(|(line, _)| line != "---") {
        return 0;
    }
    let end = lines.find(|(line, _)| matches!(*line, "---" | "..."));
    end.map_or(0, |(_, number)| number)
}

/// Expands tabs to columns that are multiples of four.
fn without_tabs(line: &str) -> Cow<'_, str> {
    if !line.contains('\t') {
        return line.into();
    }
    let mut out = String::with_capacity(line.len() + 8);
    let mut column = 0;
    for c in line.chars() {
        let width = if c == '\t' { 4 - column % 4 } else { 1 };
        if c == '\t' {
            out.extend(std::iter::repeat_n(' ', width));
        } else {
            out.push(c);
        }
        column += width;
    }
    out.into()
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

#[derive(Debug, Default)]
struct Reader {
    containers: Vec<Container>,
    passed: Option<OpenBlock>,
    /// The open text: its first line, and its lines so far.
    open: Option<(u32, String)>,
    leaves: Vec<Leaf>,
}

impl Reader {
    fn line(&mut self, line: &str, number: u32) {
        let (mut matched, mut rest) = self.matched(line);
        let mut all = matched == self.containers.len();
        if let Some(passed) = &self.passed {
            if all {
                if passed.ends(rest) {
                    self.passed = None;
                }
                return;
            }
            self.passed = None;
        }
        // New containers.
        loop {
            let spaces = indent(rest);
            let inner = &rest[spaces..];
            if inner.is_empty() || spaces >= 4 || matched == MAX_DEPTH {
                break;
            }
            let open = self.open.is_some() && all;
            if let Some(after) = inner.strip_prefix('>') {
                self.enter(matched, Container::Quote);
                rest = after.strip_prefix(' ').unwrap_or(after);
            } else if (open && underline(inner).is_some()) || is_rule(inner) {
                break;
            } else if let Some((width, after)) = item(inner, open) {
                self.enter(matched, Container::Item(spaces + width));
                rest = after;
            } else {
                break;
            }
            matched += 1;
            all = true;
        }
        self.leaf(rest, number, matched, all);
    }

    /// Matches the open containers against a line; returns how many of them go on, and the rest of the line.
    fn matched<'a>(&self, line: &'a str) -> (usize, &'a str) {
        let mut rest = line;
        let mut matched = 0;
        for container in &self.containers {
            let spaces = indent(rest);
            match container {
                Container::Quote => match rest[spaces..].strip_prefix('>') {
                    Some(after) if spaces <= 3 => rest = after.strip_prefix(' ').unwrap_or(after),
                    Some(_) | None => break,
                },
                Container::Item(_) if spaces == rest.len() => {}
                Container::Item(width) if spaces >= *width => rest = &rest[*width..],
                Container::Item(_) => break,
            }
            matched += 1;
        }
        (matched, rest)
    }

    fn enter(&mut self, matched: usize, container: Container) {
        self.close();
        self.containers.truncate(matched);
        self.containers.push(container);
    }

    /// Reads the part of a line that the containers leave.
    fn leaf(&mut self, rest: &str, number: u32, matched: usize, all: bool) {
        let spaces = indent(rest);
        let inner = rest[spaces..].trim_end();
        if inner.is_empty() {
            self.close();
            self.containers.truncate(matched);
            return;
        }
        if spaces >= 4 {
            match &mut self.open {
                // Code cannot interrupt a text; this may also be a continuation line without its container's mark.
                Some((_, text)) => append(text, inner),
                None => self.containers.truncate(matched),
            }
            return;
        }
        if all
            && let Some(level) = underline(inner)
            && let Some((line, text)) = self.open.take()
        {
            self.underlined(line, text, level, inner);
            return;
        }
        let heading = heading(inner);
        let passed = passed(inner);
        let row = inner.starts_with('|');
        if heading.is_some() || passed.is_some() || row || is_rule(inner) {
            self.close();
            self.containers.truncate(matched);
        }
        if let Some((level, text)) = heading {
            self.push(number, Kind::Heading(level), text.to_owned());
        } else if let Some(passed) = passed {
            let ends_at_once = matches!(passed, OpenBlock::Until(_)) && passed.ends(inner);
            self.passed = (!ends_at_once).then_some(passed);
        } else if row {
            self.push(number, Kind::Text, inner.to_owned());
        } else if !is_rule(inner) {
            if let Some((_, text)) = &mut self.open {
                append(text, inner);
            } else {
                self.containers.truncate(matched);
                self.open = Some((number, inner.to_owned()));
            }
        }
    }

    /// Turns the open text into a heading, without the definitions at its beginning.
    fn underlined(&mut self, line: u32, mut text: String, level: u8, mark: &str) {
        let (_, end) = links::definitions(&text);
        if text[end..].trim().is_empty() {
            append(&mut text, mark);
            self.open = Some((line, text));
            return;
        }
        let title = text.split_off(end);
        let before = u32::try_from(text.matches('\n').count()).unwrap_or(u32::MAX);
        if !text.is_empty() {
            self.push(line, Kind::Text, text);
        }
        self.push(line.saturating_add(before), Kind::Heading(level), title);
    }

    fn close(&mut self) {
        if let Some((line, text)) = self.open.take() {
            self.push(line, Kind::Text, text);
        }
    }

    fn push(&mut self, line: u32, kind: Kind, text: String) {
        self.leaves.push(Leaf { line, kind, text });
    }
}

impl OpenBlock {
    /// Whether a line is the last of the block.
    fn ends(&self, line: &str) -> bool {
        match self {
            Self::Fence(mark, length) => {
                let inner = line.trim_end().trim_start_matches(' ');
                indent(line) <= 3
                    && inner.len() >= *length
                    && inner.bytes().all(|byte| byte == *mark)
            }
            Self::Until(end) => line.to_ascii_lowercase().contains(end),
        }
    }
}

fn append(text: &mut String, line: &str) {
    text.push('\n');
    text.push_str(line);
}

/// Returns the level of the heading that an underline makes of the text above it.
fn underline(inner: &str) -> Option<u8> {
    let inner = inner.trim_end();
    let all = |mark: u8| !inner.is_empty() && inner.bytes().all(|byte| byte == mark);
    if all(b'=') {
        Some(1)
    } else if all(b'-') {
        Some(2)
    } else {
        None
    }
}

/// Whether a line is a thematic break.
fn is_rule(inner: &str) -> bool {
    let Some(mark) = inner.chars().next().filter(|c| "*-_".contains(*c)) else {
        return false;
    };
    inner.chars().all(|c| c == mark || c == ' ')
        && inner.chars().filter(|c| *c == mark).count() >= 3
}

/// Parses the beginning of a list item: the width of its mark with the spaces after it, and the rest of the line.
fn item(inner: &str, interrupts: bool) -> Option<(usize, &str)> {
    let digits = inner.len() - inner.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let mark = match inner.as_bytes().get(digits)? {
        b'-' | b'*' | b'+' if digits == 0 => 1,
        b'.' | b')' if (1..=9).contains(&digits) => digits + 1,
        _ => return None,
    };
    let after = &inner[mark..];
    let spaces = indent(after);
    if after.trim().is_empty() {
        return (!interrupts).then_some((mark + 1, ""));
    }
    if spaces == 0 || (interrupts && digits > 0 && inner[..digits].parse() != Ok(1)) {
        return None;
    }
    // More spaces begin indented code.
    let taken = if spaces >= 5 { 1 } else { spaces };
    Some((mark + taken, &after[taken..]))
}

/// Parses a heading with `#` marks: its level and its text.
fn heading(inner: &str) -> Option<(u8, &str)> {
    let text = inner.trim_start_matches('#');
    let level = u8::try_from(inner.len() - text.len()).ok()?;
    if !(1..=6).contains(&level) || !(text.is_empty() || text.starts_with(' ')) {
        return None;
    }
    let text = text.trim();
    // Closing marks do not belong to it if a space precedes them.
    let before = text.trim_end_matches('#');
    let text = if before.is_empty() || before.ends_with(' ') { before.trim_end() } else { text };
    Some((level, text))
}

/// Parses the opening line of a block that is skipped.
fn passed(inner: &str) -> Option<OpenBlock> {
    for mark in [b'`', b'~'] {
        let length = inner.bytes().take_while(|byte| *byte == mark).count();
        if length >= 3 && (mark == b'~' || !inner[length..].contains('`')) {
            return Some(OpenBlock::Fence(mark, length));
        }
    }
    if inner.starts_with("<!--") {
        return Some(OpenBlock::Until("-->"));
    }
    let head: String = inner.chars().take(10).collect::<String>().to_ascii_lowercase();
    [
        ("<pre", "</pre>"),
        ("<script", "</script>"),
        ("<style", "</style>"),
        ("<textarea", "</textarea>"),
    ]
    .into_iter()
    .find(|(start, _)| {
        head.strip_prefix(start)
            .is_some_and(|after| after.is_empty() || after.starts_with([' ', '>']))
    })
    .map(|(_, end)| OpenBlock::Until(end))
}
