//! Finds marker lines in text: `<<<NAME_START>>>` and `<<<NAME_END>>>`.
//!
//! A marker counts only when it stands alone on its line, so an `END` inside a
//! JSON string can't cut a block. Three kinds are told apart: *exact* ones;
//! *variants* (case, spaces, hyphens for underscores, Markdown emphasis, quote
//! and heading prefixes), whose meaning is plain; and *lookalikes* (other
//! brackets, another number of brackets, full-width letters), which somebody
//! may have forged and which the caller must not accept.
//!
//! One pass, no backtracking: every byte is looked at a fixed number of times.

use std::ops::Range;

/// The brackets of a marker, in number.
const BRACKETS: usize = 3;

/// The longest trimmed line that is looked at more closely, in bytes.
const LONGEST_LINE: usize = 256;

/// `<` and what could pass for it.
const OPENERS: &str = "<\u{ab}\u{2039}\u{226a}\u{22d8}\u{27e8}\u{27ea}\u{2329}\u{276c}\u{276e}\u{2770}\u{29fc}\u{3008}\u{300a}\u{fe64}\u{ff1c}\u{2c2}\u{1438}";

/// `>` and what could pass for it.
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

/// How a marker is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Writing {
    /// Letter by letter as asked for.
    Exact,
    /// Other case, spaces or Markdown around it, with the right brackets.
    Variant,
    /// Brackets or letters that only resemble the right ones.
    Lookalike,
}

/// A line that is a marker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marker {
    /// The name in capitals with underscores, without `_START` or `_END`.
    pub name: String,
    /// Which end of a block it is.
    pub edge: Edge,
    /// How it is written.
    pub writing: Writing,
    /// The whole line in the text, its line break included.
    pub line: Range<usize>,
}

/// Returns every marker line of the text, in order.
pub fn scan(text: &str) -> Vec<Marker> {
    let mut markers = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let range = at..at + line.len();
        at = range.end;
        if let Some((name, edge, writing)) = classify(line) {
            markers.push(Marker { name, edge, writing, line: range });
        }
    }
    markers
}

/// Whether the character is an opening bracket, or could pass for one.
pub(super) fn is_opener(c: char) -> bool {
    // Almost every character asked about is ASCII.
    if c.is_ascii() {
        return c == '<';
    }
    OPENERS.contains(c)
}

/// Whether the character is a closing bracket, or could pass for one.
fn is_closer(c: char) -> bool {
    CLOSERS.contains(c)
}

/// Whether the character takes no part in what a marker says: white space, or invisible.
fn is_blank(c: char) -> bool {
    c.is_whitespace() || super::sanitize::is_hidden(c)
}

/// Whether Markdown may put the character around a marker.
fn is_emphasis(c: char) -> bool {
    matches!(c, '*' | '_' | '`' | '~')
}

/// Whether the first byte that could not be decoration could open a marker: almost no line gets past this.
fn may_be_marker(line: &str) -> bool {
    let decoration =
        |byte: &u8| matches!(byte, b' ' | b'\t' | b'>' | b'#' | b'*' | b'_' | b'`' | b'~');
    let first = line.bytes().find(|byte| !decoration(byte));
    // Other bytes below 0x20 may be blanks, and those from 0x7f on blanks or brackets.
    first.is_some_and(|byte| byte == b'<' || !(0x20..0x7f).contains(&byte))
}

fn classify(line: &str) -> Option<(String, Edge, Writing)> {
    if !may_be_marker(line) {
        return None;
    }
    let trimmed = line.trim_matches(is_blank);
    if trimmed.len() > LONGEST_LINE {
        return None;
    }
    let rest =
        trimmed.trim_start_matches(|c| is_blank(c) || is_emphasis(c) || matches!(c, '>' | '#'));
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
    let edge = match last.as_str() {
        "START" => Edge::Start,
        "END" => Edge::End,
        _ => return None,
    };
    let name = name.join("_");
    let exact = match edge {
        Edge::Start => start_marker(&name),
        Edge::End => end_marker(&name),
    };
    let writing = if trimmed == exact {
        Writing::Exact
    } else if narrow && openers == "<<<" && closers == ">>>" {
        Writing::Variant
    } else {
        Writing::Lookalike
    };
    Some((name, edge, writing))
}

fn split_run(text: &str, belongs: fn(char) -> bool) -> (&str, &str) {
    let end = text.find(|c| !belongs(c)).unwrap_or(text.len());
    text.split_at(end)
}

/// The words between the brackets in capitals, and whether all of them are plain ASCII.
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
            // Full-width forms lie at a fixed distance from the ASCII ones.
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

    fn one(line: &str) -> Option<(String, Edge, Writing)> {
        let mut found = scan(line);
        assert!(found.len() <= 1);
        found.pop().map(|m| (m.name, m.edge, m.writing))
    }

    #[test]
    fn exact_markers_may_be_indented_and_end_with_crlf() {
        for line in ["<<<A_B_START>>>", "   <<<A_B_START>>>\t\r\n", "\u{feff}<<<A_B_START>>>"] {
            assert_eq!(one(line), Some(("A_B".into(), Edge::Start, Writing::Exact)), "{line:?}");
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
            assert_eq!(one(line), Some(("A_B".into(), Edge::End, Writing::Variant)), "{line:?}");
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
            assert_eq!(one(line), Some(("A".into(), Edge::Start, Writing::Lookalike)), "{line:?}");
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
    fn ranges_cover_the_lines() {
        let text = "a\n<<<X_START>>>\nb\n<<<X_END>>>";
        let found = scan(text);
        assert_eq!(&text[found[0].line.clone()], "<<<X_START>>>\n");
        assert_eq!(&text[found[1].line.clone()], "<<<X_END>>>");
        assert_eq!(&text[found[0].line.end..found[1].line.start], "b\n");
    }
}
