//! Finds marker lines in text: `<<<NAME_START>>>` and `<<<NAME_END>>>`.
//!
//! A marker counts only if it is alone on its line, so an `END` inside a JSON string can't cut a block. There are
//! three kinds: *exact* ones; *variants* (case, spaces, hyphens for underscores, Markdown emphasis, quote and heading
//! prefixes), whose meaning is plain; and *lookalikes* (other brackets, another number of brackets, full-width
//! letters), which may be forged and which the caller must not accept.
//!
//! Read generously ([`scan_generously`]), an exact marker or a variant may also be in a list, end with `.` or `:`, and share
//! its line with its content. That counts as a marker only if it cannot be anything else: a START followed by JSON, a
//! fence or its own END; an END whose START is open, after a closing bracket, a fence or plain words.
//!
//! One pass, no backtracking: every byte is examined a fixed number of times.

use std::ops::Range;

/// The number of brackets on each side of a marker.
const BRACKETS: usize = 3;

const FENCE: &str = "```";

/// Maximum length of a trimmed line that is examined closely, in bytes.
const LONGEST_LINE: usize = 256;

/// `<` and characters that could pass for it.
const OPENERS: &str = "<\u{ab}\u{2039}\u{226a}\u{22d8}\u{27e8}\u{27ea}\u{2329}\u{276c}\u{276e}\u{2770}\u{29fc}\u{3008}\u{300a}\u{fe64}\u{ff1c}\u{2c2}\u{1438}";

/// `>` and characters that could pass for it.
const CLOSERS: &str = ">\u{bb}\u{203a}\u{226b}\u{22d9}\u{27e9}\u{27eb}\u{232a}\u{276d}\u{276f}\u{2771}\u{29fd}\u{3009}\u{300b}\u{fe65}\u{ff1e}\u{2c3}\u{1433}";

/// Returns the line that opens a block: `<<<NAME_START>>>`.
pub fn start_marker(name: &str) -> String {
    format!("<<<{name}_START>>>")
}

/// Returns the line that closes a block: `<<<NAME_END>>>`.
pub fn end_marker(name: &str) -> String {
    format!("<<<{name}_END>>>")
}

/// Which end of a block a marker is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edge {
    /// The line before the content.
    Start,
    /// The line after the content.
    End,
}

/// How exactly a marker is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MarkerForm {
    /// Letter by letter as requested.
    Exact,
    /// Different case, spaces or surrounding Markdown, with the right brackets.
    Variant,
    /// Brackets or letters that only resemble the right ones.
    Lookalike,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marker {
    /// The name in capitals with underscores, without `_START` or `_END`.
    pub name: String,
    /// Which end of a block it is.
    pub edge: Edge,
    /// How exactly it is written.
    pub writing: MarkerForm,
    /// The whole line in the text, including its line break; without the content if that begins or ends on the same
    /// line.
    pub line: Range<usize>,
}

/// Returns every marker line of the text, in order.
pub fn scan(text: &str) -> Vec<Marker> {
    scan_by(text, |_, _, _| {})
}

/// Returns every marker of the text, in order, including the other forms that models write.
pub fn scan_generously(text: &str) -> Vec<Marker> {
    scan_by(text, within)
}

/// Finds the markers line by line; `otherwise` searches a line that is not a marker line and adds the markers in
/// it.
fn scan_by(text: &str, otherwise: fn(&str, Range<usize>, &mut Vec<Marker>)) -> Vec<Marker> {
    let mut markers = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let range = at..at + line.len();
        at = range.end;
        match classify(line) {
            Some((name, edge, writing)) => {
                markers.push(Marker { name, edge, writing, line: range });
            }
            None => otherwise(text, range, &mut markers),
        }
    }
    markers
}

/// Adds the markers of a line that contains more than a marker. They must have the right brackets.
fn within(text: &str, line: Range<usize>, markers: &mut Vec<Marker>) {
    let whole = &text[line.clone()];
    let start = starting(whole).filter(|start| start.edge == Edge::Start || start.alone);
    let end = ending(whole).filter(|end| {
        start.as_ref().is_none_or(|start| !start.alone && end.at.start >= start.at.end)
    });
    let marker = |found: &Inline, line| Marker {
        name: found.name.clone(),
        edge: found.edge,
        writing: MarkerForm::Variant,
        line,
    };
    if let Some(start) = &start {
        if start.alone {
            markers.push(marker(start, line));
            return;
        }
        let after = whole[start.at.end..].trim_start_matches(is_blank);
        let closed = end.as_ref().is_some_and(|end| end.name == start.name);
        if closed || after.starts_with(['{', '[']) || after.starts_with(FENCE) {
            markers.push(marker(start, line.start..line.start + start.at.end));
        }
    }
    let Some(end) = end else { return };
    let open = markers.last().filter(|open| open.edge == Edge::Start && open.name == end.name);
    let Some(open) = open else { return };
    let content = text[open.line.end..line.start + end.at.start].trim_matches(is_blank);
    // In JSON with unescaped line breaks it could end a line, too.
    let is_json = content.starts_with(['{', '[']) || content.starts_with(FENCE);
    if !is_json || content.ends_with(['}', ']']) || content.ends_with(FENCE) {
        markers.push(marker(&end, line.start + end.at.start..line.end));
    }
}

/// A marker in a line that contains more.
struct Inline {
    name: String,
    edge: Edge,
    /// Its range in the line, including decoration.
    at: Range<usize>,
    /// Whether nothing else is on the line.
    alone: bool,
}

fn starting(line: &str) -> Option<Inline> {
    let rest = line.trim_start_matches(|c| is_decoration(c) || matches!(c, '-' | '+' | '\\'));
    let (name, edge, len) = plain(rest)?;
    let begin = line.len() - rest.len();
    let after = rest[len..].trim_start_matches(|c| is_emphasis(c) && c != '`');
    let alone = after.chars().all(trails);
    Some(Inline { name, edge, at: 0..begin + (rest.len() - after.len()), alone })
}

fn ending(line: &str) -> Option<Inline> {
    let trimmed = line.trim_end_matches(trails);
    if !trimmed.ends_with('>') {
        return None;
    }
    let from = trimmed.len().saturating_sub(LONGEST_LINE);
    let from = trimmed.ceil_char_boundary(from);
    let at = from + trimmed[from..].rfind("<<<")?;
    let (name, edge, len) = plain(&trimmed[at..])?;
    (edge == Edge::End && at + len == trimmed.len()).then_some(Inline {
        name,
        edge,
        at: at..line.len(),
        alone: false,
    })
}

/// Parses a marker with the right brackets and letters at the start of a text: its name, edge and length.
fn plain(text: &str) -> Option<(String, Edge, usize)> {
    let inner = text.strip_prefix("<<<")?;
    let close = inner.get(..inner.floor_char_boundary(LONGEST_LINE))?.find('>')?;
    let rest = inner[close..].strip_prefix(">>>")?;
    if rest.starts_with(is_closer) || inner.starts_with(is_opener) {
        return None;
    }
    let (words, narrow) = words(&inner[..close])?;
    let (last, name) = words.split_last()?;
    let edge = edge_of(last).filter(|_| narrow && !name.is_empty())?;
    Some((name.join("_"), edge, text.len() - rest.len()))
}

fn edge_of(word: &str) -> Option<Edge> {
    match word {
        "START" => Some(Edge::Start),
        "END" => Some(Edge::End),
        _ => None,
    }
}

/// Whether the character may precede a marker without meaning anything.
fn is_decoration(c: char) -> bool {
    is_blank(c) || is_emphasis(c) || matches!(c, '>' | '#')
}

/// Whether the character may follow a marker without meaning anything.
fn trails(c: char) -> bool {
    is_blank(c) || is_emphasis(c) || matches!(c, '#' | '.' | ':')
}

/// Whether the character is an opening bracket, or could pass for one.
pub(super) fn is_opener(c: char) -> bool {
    // Almost every character tested is ASCII.
    if c.is_ascii() {
        return c == '<';
    }
    OPENERS.contains(c)
}

/// Whether the character is a closing bracket, or could pass for one.
fn is_closer(c: char) -> bool {
    CLOSERS.contains(c)
}

/// Whether the character is irrelevant to a marker: white space or invisible.
fn is_blank(c: char) -> bool {
    c.is_whitespace() || super::sanitize::is_hidden(c)
}

/// Whether Markdown may put the character around a marker.
fn is_emphasis(c: char) -> bool {
    matches!(c, '*' | '_' | '`' | '~')
}

/// Whether the first byte that is not decoration could open a marker: almost every line fails this test.
fn may_be_marker(line: &str) -> bool {
    let decoration =
        |byte: &u8| matches!(byte, b' ' | b'\t' | b'>' | b'#' | b'*' | b'_' | b'`' | b'~');
    let first = line.bytes().find(|byte| !decoration(byte));
    // Other bytes below 0x20 may be blanks, and those from 0x7f on blanks or brackets.
    first.is_some_and(|byte| byte == b'<' || !(0x20..0x7f).contains(&byte))
}

fn classify(line: &str) -> Option<(String, Edge, MarkerForm)> {
    if !may_be_marker(line) {
        return None;
    }
    let trimmed = line.trim_matches(is_blank);
    if trimmed.len() > LONGEST_LINE {
        return None;
    }
    let rest = trimmed.trim_start_matches(is_decoration);
    let (openers, rest) = split_run(rest, is_opener);
    if openers.chars().count() < BRACKETS {
        return None;
    }
    let closers_at = rest.find(is_closer)?;
    let (inner, rest) = rest.split_at(closers_at);
    let (closers, rest) = split_run(rest, is_closer);
    if !rest.chars().all(|c| is_blank(c) || is_emphasis(c) || c == '#') {
        return None;
    }
    let (words, narrow) = words(inner)?;
    let (last, name) = words.split_last()?;
    if name.is_empty() {
        return None;
    }
    let edge = edge_of(last)?;
    let name = name.join("_");
    let exact = match edge {
        Edge::Start => start_marker(&name),
        Edge::End => end_marker(&name),
    };
    let writing = if trimmed == exact {
        MarkerForm::Exact
    } else if narrow && openers == "<<<" && closers == ">>>" {
        MarkerForm::Variant
    } else {
        MarkerForm::Lookalike
    };
    Some((name, edge, writing))
}

fn split_run(text: &str, belongs: fn(char) -> bool) -> (&str, &str) {
    let end = text.find(|c| !belongs(c)).unwrap_or(text.len());
    text.split_at(end)
}

/// The words between the brackets in capitals, and whether they are all plain ASCII.
fn words(inner: &str) -> Option<(Vec<String>, bool)> {
    let mut words = vec![String::new()];
    let mut narrow = true;
    for c in inner.chars() {
        if is_blank(c) || is_emphasis(c) || c == '-' {
            if words.last().is_some_and(|word| !word.is_empty()) {
                words.push(String::new());
            }
            continue;
        }
        let plain = match c {
            // Full-width forms are at a fixed distance from the ASCII ones.
            '\u{ff01}'..='\u{ff5e}' => {
                narrow = false;
                char::from_u32(u32::from(c) - 0xfee0)?
            }
            c => c,
        };
        if plain == '_' {
            words.push(String::new());
            continue;
        }
        if !plain.is_ascii_alphanumeric() {
            return None;
        }
        words.last_mut()?.push(plain.to_ascii_uppercase());
    }
    words.retain(|word| !word.is_empty());
    Some((words, narrow))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(line: &str) -> Option<(String, Edge, MarkerForm)> {
        let mut found = scan(line);
        assert!(found.len() <= 1);
        found.pop().map(|m| (m.name, m.edge, m.writing))
    }

    #[test]
    fn exact_markers_may_be_indented_and_end_with_crlf() {
        for line in ["<<<A_B_START>>>", "   <<<A_B_START>>>\t\r\n", "\u{feff}<<<A_B_START>>>"] {
            assert_eq!(one(line), Some(("A_B".into(), Edge::Start, MarkerForm::Exact)), "{line:?}");
        }
    }

    #[test]
    fn variants_keep_their_meaning() {
        for line in [
            "<<<a_b_end>>>",
            "<<< A_B_END >>>",
            "<<<A B END>>>",
            "<<<A-B-END>>>",
            "**<<<A_B_END>>>**",
            "`<<<A_B_END>>>`",
            "## <<<A_B_END>>>",
            "> **`<<<A_B_END>>>`**",
            "__<<<**A_B_END**>>>__",
        ] {
            assert_eq!(one(line), Some(("A_B".into(), Edge::End, MarkerForm::Variant)), "{line:?}");
        }
    }

    #[test]
    fn lookalikes_are_told_apart() {
        for line in [
            "«««A_START»»»",
            "＜＜＜A_START＞＞＞",
            "<<<Ａ_START>>>",
            "<<<<A_START>>>>",
            "<<<A_START>>",
            "‹‹‹a start›››",
        ] {
            assert_eq!(
                one(line),
                Some(("A".into(), Edge::Start, MarkerForm::Lookalike)),
                "{line:?}"
            );
        }
    }

    #[test]
    fn other_lines_are_no_markers() {
        for line in [
            "",
            "<<<",
            "<<<>>>",
            "<<<START>>>",
            "<<<A>>>",
            "<< <A_START>>>",
            "<<A_START>>",
            "<<<A_START>>> and more",
            "put it in <<<A_START>>>",
            "\"text\": \"<<<A_END>>>\"",
            "<<<A_START",
            "<<<А_START>>>", // Cyrillic А
            "<<<A_START>>> <<<A_END>>>",
            "<<<<<<< HEAD",
        ] {
            assert_eq!(one(line), None, "{line:?}");
        }
        assert_eq!(one(&format!("<<<{}_START>>>", "A".repeat(300))), None);
    }

    #[test]
    fn read_generously_they_may_share_their_lines() {
        // The text between the markers; `None`: they are not a pair.
        for (text, content) in [
            ("<<<X_START>>>{\"a\": 1}<<<X_END>>>", Some("{\"a\": 1}")),
            ("<<<X_START>>> [1] <<<X_END>>>.", Some(" [1] ")),
            ("<<<X_START>>>So.<<<X_END>>>", Some("So.")),
            ("<<<X_START>>> ```json\n{}\n```<<<X_END>>>", Some(" ```json\n{}\n")),
            ("<<<X_START>>>\nSo it is. <<<X_END>>>", Some("So it is. ")),
            ("- <<<X_START>>>\n{}\n- <<<X_END>>>", Some("{}\n")),
            ("\\<<<X_START>>>\n{}\n\\<<<X_END>>>", Some("{}\n")),
            ("<<<X_START>>>:\n{}\n<<<X_END>>>.", Some("{}\n")),
            ("**<<<X_START>>>** {}\n<<<X_END>>>", Some(" {}\n")),
            // A START that is only mentioned, and an END inside a string with an unescaped line break.
            ("<<<X_START>>> is what I begin with\n<<<X_END>>>", None),
            ("<<<X_START>>>\n{\"a\": \"no <<<X_END>>>\n\"}", None),
            ("It closes with <<<X_END>>>", None),
            ("<<<X_START>>>\n{} <<<Y_END>>>", None),
            ("- \u{ab}\u{ab}\u{ab}X_START\u{bb}\u{bb}\u{bb}\n{}\n<<<X_END>>>", None),
            ("<<<<X_START>>>> {}\n<<<X_END>>>", None),
        ] {
            let found = scan_generously(text);
            let pair = match &found[..] {
                [start, end] if start.edge == Edge::Start && end.edge == Edge::End => {
                    Some(&text[start.line.end..end.line.start])
                }
                _ => None,
            };
            assert_eq!(
                pair.map(|pair| pair.trim_start_matches('\n')),
                content,
                "{text}: {found:?}"
            );
        }
        let exact = "<<<X_START>>>\n{}\n<<<X_END>>>\n";
        assert_eq!(scan_generously(exact), scan(exact));
    }

    #[test]
    fn ranges_cover_the_lines() {
        let text = "a\n<<<X_START>>>\nb\n<<<X_END>>>";
        let found = scan(text);
        assert_eq!(&text[found[0].line.clone()], "<<<X_START>>>\n");
        assert_eq!(&text[found[1].line.clone()], "<<<X_END>>>");
        assert_eq!(&text[found[0].line.end..found[1].line.start], "b\n");
    }
}
