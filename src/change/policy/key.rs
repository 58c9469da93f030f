//! Private keys in their armour: where they are, and a text without them.
//!
//! What stands between the lines of a key could be code that poses as one, so a key is taken out piece by piece: the
//! runs of its letters, in lines that hold nothing else. Every line stays where it was, and what is no such run is
//! still there to be read.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::change::Hunk;

/// What every armour begins with.
const OPENING: &str = "-----BEGIN ";
/// Characters behind a key's opening line in which the key itself must begin.
const KEY_WITHIN: usize = 400;
/// Characters of a key without a break; a placeholder has no such run.
const KEY_RUN: usize = 32;
/// Characters of a run that are taken out of the lines of a key; the last line of one may be shorter, and is no secret
/// without the others.
const TAKEN_RUN: usize = 16;
/// What stands in the place of a run.
const TAKEN: &str = "[redacted]";

/// Returns where the key behind the next opening line would begin.
fn next(text: &str) -> Option<usize> {
    let mut at = 0;
    while let Some(found) = text[at..].find(OPENING) {
        at += found + OPENING.len();
        let end = text[at..].find("-----")?;
        let kind = &text[at..at + end];
        if kind.len() <= 60 && kind.contains("PRIVATE KEY") {
            return Some(at + end + "-----".len());
        }
    }
    None
}

const fn of_key(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

/// Whether a text holds a private key in its armour: the opening line, and what looks like a key behind it.
///
/// Code that only knows the opening line (a scanner, a test of one) holds none.
pub fn holds_private_key(text: &str) -> bool {
    let mut rest = text;
    while let Some(at) = next(rest) {
        rest = &rest[at..];
        if begins(rest) {
            return true;
        }
    }
    false
}

/// Whether a key begins here, behind its opening line.
fn begins(rest: &str) -> bool {
    let mut run = 0;
    rest.bytes().take(KEY_WITHIN).any(|byte| {
        run = if of_key(byte) { run + 1 } else { 0 };
        run == KEY_RUN
    })
}

/// Whether what is shown of a file is private keys in their armour and nothing else.
pub fn is_private_key(hunks: &[Hunk], text: Option<&str>) -> bool {
    let bodies = || hunks.iter().map(|hunk| hunk.body.as_str());
    if !bodies().chain(text).any(holds_private_key) {
        return false;
    }
    let shown = bodies()
        .flat_map(str::lines)
        .map(|line| line.get(1..).unwrap_or_default());
    alone(shown) && text.is_none_or(|text| alone(text.lines()))
}

/// Whether these lines are armours with what is in them, and blank lines.
fn alone<'a>(lines: impl Iterator<Item = &'a str>) -> bool {
    let mut within = false;
    for line in lines {
        let line = line.trim();
        if line.starts_with("-----") && line.ends_with("-----") {
            within = line.starts_with(OPENING);
        } else if !(line.is_empty() || within && is_line_of_key(line)) {
            return false;
        }
    }
    true
}

/// Whether a line can stand in an armour: letters of a key, or one of its headers.
fn is_line_of_key(line: &str) -> bool {
    const HEADERS: [&str; 5] = ["Proc-Type:", "DEK-Info:", "Version:", "Comment:", "Hash:"];
    line.bytes().all(of_key) || HEADERS.iter().any(|header| line.starts_with(header))
}

/// Takes the private keys out of a text, or out of the lines of a hunk. It keeps its lines.
fn without_private_keys(text: &str) -> Cow<'_, str> {
    if !holds_private_key(text) {
        return Cow::Borrowed(text);
    }
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = next(rest) {
        clean.push_str(&rest[..at]);
        rest = &rest[at..];
        if !begins(rest) {
            continue;
        }
        let mut first = true;
        while !rest.is_empty() {
            let end = rest.find('\n').map_or(rest.len(), |end| end + 1);
            let line = &rest[..end];
            let over = [OPENING, "-----END"]
                .iter()
                .filter_map(|mark| line.find(mark))
                .min();
            if !first && over.is_none() && !is_quoted_line_of_key(line) {
                break;
            }
            let over = over.unwrap_or(end);
            // A key may stand behind its opening line, in the same literal.
            let stop = line
                .find(['"', '\'', '`'])
                .filter(|_| first)
                .unwrap_or(end)
                .min(over);
            take_runs(&line[..stop], &mut clean);
            clean.push_str(&line[stop..over]);
            rest = &rest[over..];
            if over < end {
                break;
            }
            first = false;
        }
    }
    clean.push_str(rest);
    Cow::Owned(clean)
}

/// The same of a line with what a diff or code puts around it: a mark, quotes, `\n`, a `+` or a comma.
fn is_quoted_line_of_key(line: &str) -> bool {
    let line = line.strip_prefix(['+', '-', ' ']).unwrap_or(line);
    let around =
        |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ',' | '+' | '\\' | '#' | '*');
    let line = line.trim_matches(around);
    let line = line.strip_suffix("\\n").unwrap_or(line);
    is_line_of_key(line.trim_matches(around))
}

/// Copies a line, or a part of one, without its long runs of letters of a key.
fn take_runs(line: &str, clean: &mut String) {
    // The mark of a diff's line is no letter of the key.
    let mut rest = line.strip_prefix('+').unwrap_or(line);
    clean.push_str(&line[..line.len() - rest.len()]);
    while !rest.is_empty() {
        let run = rest.bytes().take_while(|byte| of_key(*byte)).count();
        clean.push_str(if run >= TAKEN_RUN {
            TAKEN
        } else {
            &rest[..run]
        });
        rest = &rest[run..];
        let is_of_key = |c: char| u8::try_from(c).is_ok_and(of_key);
        let other = rest.find(is_of_key).unwrap_or(rest.len());
        clean.push_str(&rest[..other]);
        rest = &rest[other..];
    }
}

/// Takes the lines of a text's private keys out of a hunk that shows some of them, without the opening line perhaps.
pub fn without_keys_of(text: Option<&str>, body: &str) -> String {
    let body = without_private_keys(body);
    let Some(text) = text.filter(|text| holds_private_key(text)) else {
        return body.into_owned();
    };
    let without = without_private_keys(text);
    let pairs = text.lines().zip(without.lines());
    let keys: BTreeSet<&str> = pairs
        .filter(|(line, clean)| line != clean)
        .map(|(line, _)| line)
        .collect();
    let mut clean = String::with_capacity(body.len());
    for line in body.split_inclusive('\n') {
        let shown = line
            .trim_end_matches(['\n', '\r'])
            .get(1..)
            .unwrap_or_default();
        if keys.contains(shown) {
            take_runs(line, &mut clean);
        } else {
            clean.push_str(line);
        }
    }
    clean
}
