//! Private keys in a stream: the one kind of secret that goes over lines, of any number, so no rule of a window holds it.
//! What is one is said in [`armour`].

use crate::text::armour::{self, Opening};

/// What a private key begins with; its name follows.
pub(super) const BEGIN: &[u8] = armour::BEGIN.as_bytes();
/// Bytes that decide.
pub(super) const LOOK: usize = armour::LOOK;

/// Bytes of a private key that are left out if its END never comes.
const LONGEST: usize = 64 << 10;

/// Bytes of what an END line names.
const NAME: usize = 64;

fn base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

/// What stands at a place that begins like a PEM.
#[derive(Debug)]
pub(super) enum Verdict {
    /// The bytes at hand do not decide it.
    More,
    /// No private key.
    Harmless,
    /// A private key: from where it is left out, up to where it was looked at, and what takes the rest.
    Key(usize, usize, Rest),
}

/// Looks at what begins like a PEM; `ended` says that no more bytes count.
pub(super) fn judge(text: &[u8], ended: bool) -> Verdict {
    let body = match armour::opening(text) {
        Opening::Of(body) if ended => body,
        Opening::Cut | Opening::Of(_) if !ended => return Verdict::More,
        Opening::Cut | Opening::Of(_) | Opening::No => return Verdict::Harmless,
    };
    match armour::begin(text) {
        None => Verdict::Harmless,
        Some(begin) => {
            // A quote between the two is no part of a secret, and JSON without it would be none.
            let quoted = text[body..begin].contains(&b'"');
            let from = if quoted { begin } else { 0 };
            Verdict::Key(from, begin, Rest { left: LONGEST })
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

/// The rest of a private key, which is left out up to its END line.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rest {
    /// Bytes that may still be left out.
    left: usize,
}

impl Rest {
    /// Returns how many bytes belong to the key, and whether it ends there.
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
    /// So many bytes belong to the key, and it goes on.
    Over(usize),
    /// The bytes at hand do not decide it.
    Wait,
    /// So many bytes belong to the key, and it is over.
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
