//! Functions of Python: by indentation, including the expressions of f-strings.

use super::super::newlines;
use super::lex::is_word_byte;
use super::{Function, Range, qualified, tally};

struct Token<'a> {
    text: &'a str,
    line: u32,
    /// The indentation, if it is the first of a logical line.
    indent: Option<usize>,
}

/// Maximum nesting depth of f-strings.
const MAX_NESTED: u32 = 8;

pub(super) fn functions(text: &str) -> Vec<Function> {
    let mut tokens = Vec::with_capacity(text.len() / 5);
    lex(text, 1, 0, &mut tokens);
    tally(
        tokens.len(),
        ranges(&tokens),
        |at| tokens[at].text,
        |at| {
            u32::from(match tokens[at].text {
                "if" | "elif" | "for" | "while" | "except" | "finally" | "and" | "or" => true,
                "case" => is_case(&tokens, at),
                _ => false,
            })
        },
    )
}

fn ranges(tokens: &[Token<'_>]) -> Vec<Range> {
    /// An open `def` or `class`, with the indentation of its line.
    struct OpenBlock {
        indent: usize,
        /// Its range, if it is a function.
        range: Option<usize>,
    }
    let mut ranges: Vec<Range> = Vec::new();
    let mut open: Vec<OpenBlock> = Vec::new();
    let mut around: Vec<(String, usize)> = Vec::new();
    let mut indent = 0;
    for (at, token) in tokens.iter().enumerate() {
        if let Some(new) = token.indent {
            indent = new;
            while open.last().is_some_and(|open| open.indent >= new) {
                around.pop();
                if let Some(range) = open.pop().and_then(|open| open.range) {
                    ranges[range].end = at - 1;
                }
            }
        }
        let starts = token.indent.is_some()
            || at.checked_sub(1).is_some_and(|before| {
                tokens[before].text == "async" && tokens[before].indent.is_some()
            });
        if !starts || !matches!(token.text, "def" | "class") {
            continue;
        }
        let Some(name) = tokens.get(at + 1).filter(|next| next.indent.is_none()) else {
            continue;
        };
        let range = (token.text == "def").then(|| {
            ranges.push(Range {
                name: qualified(&around, name.text, "."),
                line: name.line,
                start: at,
                end: tokens.len() - 1,
                is_test: false,
            });
            ranges.len() - 1
        });
        open.push(OpenBlock { indent, range });
        around.push((name.text.to_owned(), 0));
    }
    ranges
}

/// Whether `case` is the keyword: first on its line, with a colon after its pattern.
fn is_case(tokens: &[Token<'_>], at: usize) -> bool {
    if tokens[at].indent.is_none() {
        return false;
    }
    let mut depth = 0_i32;
    for (offset, token) in tokens[at + 1..].iter().enumerate() {
        if token.indent.is_some() {
            return false;
        }
        match token.text {
            "=" | "." | ":" | "," | "+" | "-=" if offset == 0 => return false,
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            ":" if depth == 0 => return true,
            _ => {}
        }
    }
    false
}

/// Splits a text into tokens; a string is one empty token, after the expressions if it is an
/// f-string.
fn lex<'a>(text: &'a str, first_line: u32, nested: u32, tokens: &mut Vec<Token<'a>>) {
    let bytes = text.as_bytes();
    let mut at = 0;
    let mut line = first_line;
    let mut brackets = 0_u32;
    let mut fresh = nested == 0;
    let mut indent = 0;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\n' => {
                line += 1;
                at += 1;
                if brackets == 0 && nested == 0 {
                    fresh = true;
                    indent = 0;
                }
            }
            b'\\' if bytes.get(at + 1) == Some(&b'\n') => {
                line += 1;
                at += 2;
            }
            b'\\' if bytes.get(at + 1..at + 3) == Some(b"\r\n") => {
                line += 1;
                at += 3;
            }
            // The tool's tab width, which is also Python's where it matters.
            b'\t' if fresh => {
                indent += 8;
                at += 1;
            }
            _ if byte.is_ascii_whitespace() => {
                indent += usize::from(fresh && byte == b' ');
                at += 1;
            }
            b'#' => {
                at += bytes[at..].iter().take_while(|byte| **byte != b'\n').count();
            }
            _ => {
                let start = fresh.then_some(indent);
                fresh = false;
                let word = bytes[at..].iter().take_while(|byte| is_word_byte(**byte)).count();
                let quote = bytes.get(at + word).copied();
                let is_prefix = word <= 2
                    && matches!(quote, Some(b'"' | b'\''))
                    && bytes[at..at + word].iter().all(|byte| b"rRbBuUfFtT".contains(byte));
                let from = at;
                if is_prefix {
                    let prefix = &text[at..at + word];
                    let string = string(bytes, at + word);
                    tokens.push(Token { text: "", line, indent: start });
                    if prefix.contains(['f', 'F', 't', 'T']) && nested < MAX_NESTED {
                        expressions(text, string.inner, line, nested, tokens);
                    }
                    at = string.end;
                    line += lines(&bytes[from..at]);
                    continue;
                }
                match byte {
                    b'(' | b'[' | b'{' => brackets += 1,
                    b')' | b']' | b'}' => brackets = brackets.saturating_sub(1),
                    _ => {}
                }
                at += word.max(1);
                tokens.push(Token {
                    text: text.get(from..at).unwrap_or_default(),
                    line,
                    indent: start,
                });
                // A definition inside brackets is not one: a bracket was never closed.
                if brackets > 0
                    && word > 0
                    && &text[from..at] == "def"
                    && at_line_start(bytes, from)
                {
                    brackets = 0;
                }
            }
        }
    }
}

fn at_line_start(bytes: &[u8], at: usize) -> bool {
    bytes[..at].iter().rev().take_while(|byte| **byte != b'\n').all(u8::is_ascii_whitespace)
}

fn lines(bytes: &[u8]) -> u32 {
    u32::try_from(newlines(bytes)).unwrap_or(u32::MAX)
}

/// A string with the range between its quotes.
struct StringLiteral {
    inner: (usize, usize),
    end: usize,
}

fn string(bytes: &[u8], at: usize) -> StringLiteral {
    let quote = bytes[at];
    let triple = bytes.get(at + 1) == Some(&quote) && bytes.get(at + 2) == Some(&quote);
    let width = if triple { 3 } else { 1 };
    let from = at + width;
    let mut to = from;
    while let Some(&byte) = bytes.get(to) {
        let closes = byte == quote
            && (!triple
                || (bytes.get(to + 1) == Some(&quote) && bytes.get(to + 2) == Some(&quote)));
        if closes {
            return StringLiteral { inner: (from, to), end: to + width };
        }
        if byte == b'\n' && !triple {
            break;
        }
        // In a raw string as well: the backslash stays, and the quote after it does not close the
        // string.
        to += if byte == b'\\' { 2 } else { 1 };
    }
    let end = to.min(bytes.len());
    StringLiteral { inner: (from.min(end), end), end }
}

/// Reads the `{...}` of an f-string.
fn expressions<'a>(
    text: &'a str,
    (from, to): (usize, usize),
    line: u32,
    nested: u32,
    tokens: &mut Vec<Token<'a>>,
) {
    let bytes = text.as_bytes();
    let mut at = from;
    while at < to {
        match (bytes[at], bytes.get(at + 1)) {
            (b'{', Some(b'{')) | (b'}', Some(b'}')) => at += 2,
            (b'{', _) => {
                let end = expression_end(bytes, at + 1, to);
                if let Some(inner) = text.get(at + 1..end) {
                    lex(inner, line, nested + 1, tokens);
                }
                at = end + 1;
            }
            _ => at += 1,
        }
    }
}

fn expression_end(bytes: &[u8], from: usize, to: usize) -> usize {
    let mut depth = 1_u32;
    let mut at = from;
    while at < to {
        match bytes[at] {
            b'"' | b'\'' => {
                at = string(bytes, at).end;
                continue;
            }
            b'{' => depth += 1,
            b'}' => {
                depth -= 1;
                if depth == 0 {
                    return at;
                }
            }
            _ => {}
        }
        at += 1;
    }
    to
}
