//! Private keys in a stream: the one kind of secret that spans any number of lines, so no rule with a window can
//! contain it. [`armour`] defines what a key is.

use crate::text::armour::{self, Opening};

/// The start of a private key; its label follows.
pub(super) const BEGIN: &[u8] = armour::BEGIN.as_bytes();
/// Number of bytes that decide.
pub(super) const LOOK: usize = armour::LOOK;

/// Maximum number of bytes removed if the END of a private key never comes.
const LONGEST: usize = 64 << 10;

/// Maximum length of the label in an END line, in bytes.
const NAME: usize = 64;

fn base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

/// The kind of text at a position that begins like a PEM.
#[derive(Debug)]
pub(super) enum Verdict {
    /// The available bytes are not enough to decide.
    More,
    /// No private key.
    Harmless,
    /// A private key: the start of the removal, the end of the examined range, and the state that
    /// removes the rest.
    Key(usize, usize, KeyTail),
}

/// Examines text that begins like a PEM; `ended`: no more bytes count.
pub(super) fn judge(text: &[u8], ended: bool) -> Verdict {
    let body = match armour::opening(text) {
        Opening::Of(body) if ended => body,
        Opening::Cut | Opening::Of(_) if !ended => return Verdict::More,
        Opening::Cut | Opening::Of(_) | Opening::No => return Verdict::Harmless,
    };
    match armour::begin(text) {
        None => Verdict::Harmless,
        Some(begin) => {
            // A quote between the two is not part of a secret, and without it JSON would be
            // invalid.
            let quoted = text[body..begin].contains(&b'"');
            let from = if quoted { begin } else { 0 };
            Verdict::Key(from, begin, KeyTail { left: LONGEST })
        }
    }
}

enum Break {
    Of(usize),
    None,
    Open,
}

/// A line break at the start, raw or as written in (possibly nested) JSON: `\n`, `\\n`.
fn line_break(rest: &[u8], ended: bool) -> Break {
    let slashes = rest.iter().take(8).take_while(|byte| **byte == b'\\').count();
    match rest.get(slashes) {
        Some(b'\n' | b'\r') if slashes == 0 => Break::Of(1),
        Some(b'n' | b'r') if slashes > 0 => Break::Of(slashes + 1),
        Some(_) => Break::None,
        None if ended => Break::None,
        None => Break::Open,
    }
}

/// The rest of a private key, which is removed up to its END line.
#[derive(Debug, Clone, Copy)]
pub(super) struct KeyTail {
    /// Number of bytes that may still be removed.
    left: usize,
}

impl KeyTail {
    /// Returns the number of bytes that belong to the key, and whether it ends there.
    pub(super) fn run(&mut self, buffer: &[u8], last: bool) -> (usize, bool) {
        let mut at = 0;
        while at < buffer.len() {
            let step = match step(&buffer[at..], last) {
                Step::Over(len) => len,
                Step::Wait => return (at, false),
                Step::Last(len) => return (at + len, true),
            };
            at += step;
            self.left = self.left.saturating_sub(step);
            if self.left == 0 {
                return (at, true);
            }
        }
        (at, last)
    }
}

enum Step {
    /// This many bytes belong to the key, and it continues.
    Over(usize),
    /// The available bytes are not enough to decide.
    Wait,
    /// This many bytes belong to the key, and it ends.
    Last(usize),
}

fn step(rest: &[u8], last: bool) -> Step {
    const END: &[u8] = b"-----END ";
    let byte = rest[0];
    if base64(byte) {
        return Step::Over(1);
    }
    match line_break(rest, last) {
        Break::Of(len) => return Step::Over(len),
        Break::Open => return Step::Wait,
        Break::None => {}
    }
    if rest.starts_with(END) {
        let name = rest
            .iter()
            .take(NAME)
            .skip(END.len())
            .take_while(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || **b == b' ')
            .count();
        let dashes = &rest[END.len() + name..];
        return match dashes.iter().take(5).position(|b| *b != b'-') {
            Some(_) => Step::Last(END.len() + name),
            None if dashes.len() >= 5 => Step::Last(END.len() + name + 5),
            None if last => Step::Last(rest.len()),
            None => Step::Wait,
        };
    }
    if !last && END.starts_with(rest) {
        return Step::Wait;
    }
    Step::Last(0)
}
