//! Private keys in their armour: what counts as one, and which letters of a text belong to it.
//!
//! A key begins after its opening line, preceded only by the key's headers and by whatever a diff, JSON or code puts
//! between two lines: line breaks, markers, quotes. Its lines have the same length, except for the last. Any other
//! line is not part of a key: it may be code that somebody put there to have it removed.

use std::ops::Range;

pub const BEGIN: &str = "-----BEGIN ";
/// Bytes from an opening line on that decide whether a key follows.
pub const LOOK: usize = 1024;
/// Maximum length of the label in an opening line, in bytes.
const NAME: usize = 64;
/// Bytes after an opening line within which the key must begin.
const KEY_WITHIN: usize = 400;
/// Minimum number of key letters in its first two lines; a dummy has fewer.
const KEY: usize = 32;
/// Minimum number of letters in a line that is removed; the last line of a key may be shorter, and is not secret
/// without the others.
const LINE: usize = 16;

/// The kind of text at a place that begins like an armour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Opening {
    /// The opening line of a private key, with its length in bytes.
    Of(usize),
    /// The text ends within it.
    Cut,
    /// Not a private key.
    No,
}

/// Reads the opening line with which a text begins: `-----BEGIN [A-Z0-9 ]… PRIVATE KEY-----`.
pub fn opening(text: &[u8]) -> Opening {
    let Some(rest) = text.strip_prefix(BEGIN.as_bytes()) else {
        return Opening::No;
    };
    let of_name = |byte: &&u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || **byte == b' ';
    let name = rest.iter().take(NAME).take_while(of_name).count();
    if name == rest.len() && name < NAME {
        return Opening::Cut;
    }
    let kind = &rest[..name];
    let private = kind.ends_with(b"PRIVATE KEY") || kind.ends_with(b"PRIVATE KEY BLOCK");
    let dashes = rest[name..].iter().take(5).take_while(|byte| **byte == b'-');
    match dashes.count() {
        5 if private => Opening::Of(BEGIN.len() + name + 5),
        dashes if private && name + dashes == rest.len() => Opening::Cut,
        _ => Opening::No,
    }
}

/// An unbroken run of key letters, and the padding after it.
#[derive(Debug, Clone, Copy)]
struct Run {
    start: usize,
    letters: usize,
    end: usize,
}

impl Run {
    const fn range(self) -> Range<usize> {
        self.start..self.end
    }

    const fn is_padded(self) -> bool {
        self.end > self.start + self.letters
    }
}

/// Returns where the key begins after the opening line at the start of a text; `None` if no key follows.
pub fn begin(text: &[u8]) -> Option<usize> {
    first(text).map(|run| run.start)
}

fn first(text: &[u8]) -> Option<Run> {
    let text = &text[..text.len().min(LOOK)];
    let Opening::Of(body) = opening(text) else {
        return None;
    };
    let mut at = body;
    loop {
        at = between(text, at);
        let Some(length) = header(&text[at..]) else {
            break;
        };
        at += length;
    }
    let run = run(text, at).filter(|run| run.start <= body + KEY_WITHIN)?;
    let second = || self::run(text, run.end).filter(|run| run.letters >= LINE);
    let more = match run.letters {
        KEY.. => 0,
        LINE.. => second()?.letters,
        _ => return None,
    };
    (run.letters + more >= KEY).then_some(run)
}

/// Returns the runs of letters of the key whose opening line starts a text; empty if no key follows.
pub fn runs(text: &[u8]) -> Vec<Range<usize>> {
    let Some(first) = first(text) else {
        return Vec::new();
    };
    // It may be longer than the part that decided.
    let mut last = run(text, first.start).unwrap_or(first);
    let (width, mut over) = (last.letters, last.is_padded());
    let mut all = vec![last.range()];
    while let Some(next) = run(text, last.end) {
        let short = next.is_padded() || next.letters + 1 < width;
        let follows = !over || is_other_side(text, last.end, next.start);
        if !follows || next.letters > width + 1 || short && !is_last(text, next) {
            break;
        }
        if next.letters >= LINE {
            all.push(next.range());
        }
        (last, over) = (next, short);
    }
    all
}

/// Whether only the end of the armour follows.
fn is_last(text: &[u8], run: Run) -> bool {
    let at = between(text, run.end);
    at == text.len() || text[at..].starts_with(b"--") || is_other_side(text, run.end, at)
}

/// Whether a removed line of a diff ends at one place, and the other place is in an added line.
fn is_other_side(text: &[u8], one: usize, other: usize) -> bool {
    let mark = |at: usize| {
        let before = text[..at].iter().rposition(|byte| *byte == b'\n')?;
        text.get(before + 1)
    };
    mark(one) == Some(&b'-') && mark(other) == Some(&b'+')
}

/// Returns the run of key letters at a place, after any separators between two key lines. A name in code is not a run.
fn run(text: &[u8], at: usize) -> Option<Run> {
    let start = between(text, at);
    let rest = &text[start..];
    let letters = rest.iter().take_while(|byte| is_letter(**byte)).count();
    let padding = rest[letters..].iter().take(2).take_while(|byte| **byte == b'=');
    let end = start + letters + padding.count();
    let ends = match &text[end..] {
        [] | [b'<' | b'\\' | 0x80.., ..] | [b'-', b'-', ..] | [b'.', b'.', ..] => true,
        [byte, ..] => is_between(*byte),
    };
    (letters > 0 && ends).then_some(Run { start, letters, end })
}

const fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/')
}

const fn is_between(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b'`' | b',' | b'#' | b'*')
}

/// Skips the separators between two lines of a key.
fn between(text: &[u8], mut at: usize) -> usize {
    while let Some(byte) = text.get(at) {
        let rest = &text[at..];
        at += match byte {
            byte if is_between(*byte) => 1,
            // `\n` as written in JSON, including JSON within JSON.
            b'\\' => {
                let slashes = rest.iter().take_while(|byte| **byte == b'\\').count();
                slashes + usize::from(matches!(rest.get(slashes), Some(b'n' | b'r')))
            }
            // The marker of a diff line.
            b'+' if text[..at].ends_with(b"\n") => 1,
            b'-' if text[..at].ends_with(b"\n") && rest.get(1) != Some(&b'-') => 1,
            // A token that joins two literals or begins a comment.
            b'+' | b'/' => {
                let signs = rest.iter().take_while(|byte| matches!(byte, b'+' | b'/'));
                let signs = signs.count();
                match rest.get(signs) {
                    Some(byte) if is_between(*byte) => signs,
                    Some(_) | None => return at,
                }
            }
            _ => return at,
        };
    }
    at
}

fn header(text: &[u8]) -> Option<usize> {
    const HEADERS: [&[u8]; 6] =
        [b"Proc-Type:", b"DEK-Info:", b"Version:", b"Comment:", b"Hash:", b"Charset:"];
    HEADERS.iter().find(|header| text.starts_with(header))?;
    let end = |at: &usize| text[*at] == b'\n' || text[*at..].starts_with(b"\\n");
    let length = (0..text.len()).find(end).unwrap_or(text.len());
    // A line with another opening is not a header: its key would be skipped along with it.
    let opens = text[..length].windows(BEGIN.len()).any(|part| part == BEGIN.as_bytes());
    (!opens).then_some(length)
}

/// Whether a line consists only of armour content: letters of a key, its checksum, or one of its headers.
pub fn is_line(line: &str) -> bool {
    let checksum = line.strip_prefix('=').filter(|sum| sum.len() == 4);
    let letters = checksum.unwrap_or(line);
    let letters = letters.strip_suffix('=').unwrap_or(letters);
    let letters = letters.strip_suffix('=').unwrap_or(letters);
    letters.bytes().all(is_letter) || header(line.as_bytes()).is_some()
}
