//! Removes secrets from a byte stream, with carry-over across chunks.
//!
//! It finds three kinds: exact values (of sensitive variables, also as escaped in a JSON string),
//! secrets by the rules (in `rules`: those published by gitleaks, and a few of our own), and
//! private keys (in `pem`). Each becomes `[redacted]`, which is safe inside JSON strings.
//!
//! # How
//!
//! One search finds the keywords of the rules, another the exact values. At a keyword, its rules
//! look at no more than a kilobyte, and at a few bytes before it. If a secret reaches the end of
//! that range, the bytes after it are also removed as long as they belong to a token, so a token of
//! any length costs no memory.
//!
//! Between two chunks, bytes that could still turn out to be part of a secret are held back. Every
//! decision depends on the bytes around a position and never on where a chunk ends, so a stream
//! gives the same output as the whole text, whatever the chunks.

mod allowed;
mod pem;
mod rules;
mod search;
mod value;
pub mod variables;
mod words;

use std::fmt;
use std::ops::Range;

use rules::{BEHIND, Rules, Verdict};
pub use value::Redacted;
use words::Words;

/// The replacement for a secret.
pub const REDACTED: &[u8] = b"[redacted]";

/// Minimum length of an exact secret in bytes; shorter values are too likely to be ordinary words.
const SHORTEST_SECRET: usize = 8;

/// Bytes of a whole text processed at a time.
const CHUNK: usize = 64 << 10;

/// Written bytes that are kept: those before a keyword, and before a secret that begins there.
const HISTORY: usize = 2 * BEHIND;

/// Removes exact values and secrets known by the rules.
#[derive(Clone)]
pub struct Redactor {
    exact: Words,
}

impl fmt::Debug for Redactor {
    /// Shows the number of known values, never a value.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Redactor").field("exact", &self.exact.len()).finish_non_exhaustive()
    }
}

impl Redactor {
    /// Prepares a redactor for these exact secret values (shorter than 8 bytes are ignored).
    pub fn new(secrets: &[String]) -> Self {
        let mut exact = Vec::new();
        for secret in secrets {
            if secret.trim().len() < SHORTEST_SECRET {
                continue;
            }
            exact.push(secret.clone().into_bytes());
            let json = serde_json::Value::from(secret.as_str()).to_string();
            exact.push(json.as_bytes()[1..json.len() - 1].to_vec());
        }
        exact.sort();
        exact.dedup();
        Self { exact: Words::new(exact, false) }
    }

    pub fn text(&self, text: &str) -> String {
        // Only whole characters are removed from a text, so nothing is lost here.
        String::from_utf8_lossy(&self.bytes(text.as_bytes())).into_owned()
    }

    pub fn bytes(&self, bytes: &[u8]) -> Vec<u8> {
        let mut stream = self.stream();
        let mut out = Vec::with_capacity(bytes.len());
        for chunk in bytes.chunks(CHUNK) {
            out.extend(stream.push(chunk));
        }
        out.extend(stream.finish());
        out
    }

    pub fn stream(&self) -> RedactStream<'_> {
        RedactStream { redactor: self, state: State::default() }
    }
}

/// One stream under redaction.
pub struct RedactStream<'a> {
    redactor: &'a Redactor,
    state: State,
}

impl fmt::Debug for RedactStream<'_> {
    /// Shows how much is held back, never the content.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RedactStream").field("held_back", &self.held_back()).finish_non_exhaustive()
    }
}

impl RedactStream<'_> {
    /// Accepts a chunk and returns the bytes that are safe to write now (a possible secret's start
    /// is held back).
    pub fn push(&mut self, chunk: &[u8]) -> Vec<u8> {
        self.state.run(self.redactor, chunk, false)
    }

    /// Returns the bytes held back, redacted.
    pub fn finish(mut self) -> Vec<u8> {
        self.state.run(self.redactor, &[], true)
    }

    fn held_back(&self) -> usize {
        self.state.buffer.len() - self.state.written
    }
}

/// The state of a stream between two chunks; all positions are in the buffer.
#[derive(Default)]
struct State {
    /// Written bytes, as far as later ones are judged by them, and undecided bytes.
    buffer: Vec<u8>,
    written: usize,
    /// The keywords and exact values up to here are found.
    scanned: usize,
    /// Positions at which rules are to be tried, in order.
    places: Vec<(usize, usize)>,
    /// Secrets that are not yet written.
    secrets: Vec<Range<usize>>,
    /// The end of the last secret for which a label was written; 0 before the first.
    labelled: usize,
    /// How a secret continues beyond the range that was examined.
    open: Option<SecretTail>,
    /// The end of the last such secret.
    followed: usize,
}

/// The bytes that belong to a secret beyond the place where it was recognised.
#[derive(Clone, Copy)]
enum SecretTail {
    Token,
    Key(pem::KeyTail),
}

impl SecretTail {
    fn run(&mut self, buffer: &[u8], last: bool) -> (usize, bool) {
        let token = |byte: &u8| {
            byte.is_ascii_alphanumeric()
                || matches!(byte, b'_' | b'-' | b'.' | b'~' | b'+' | b'/' | b'=')
        };
        match self {
            Self::Token => match buffer.iter().position(|byte| !token(byte)) {
                Some(end) => (end, true),
                None => (buffer.len(), last),
            },
            Self::Key(rest) => rest.run(buffer, last),
        }
    }
}

impl State {
    fn run(&mut self, redactor: &Redactor, chunk: &[u8], last: bool) -> Vec<u8> {
        let rules = Rules::get();
        self.buffer.extend_from_slice(chunk);
        rules.places(&self.buffer, self.scanned, &mut self.places);
        self.places.sort_unstable();
        self.secrets.extend(redactor.exact.find(&self.buffer, self.scanned).map(|(_, span)| span));
        self.scanned = self.buffer.len();
        let decided = self.judge(rules, last);
        let decided = if last {
            self.buffer.len()
        } else {
            decided.min(redactor.exact.unresolved(&self.buffer))
        };
        let out = self.write(decided);
        self.forget();
        out
    }

    /// Tries the rules; returns the position before which no further secret can begin.
    fn judge(&mut self, rules: &Rules, last: bool) -> usize {
        // A keyword after this position may still be found, possibly along with one that precedes others.
        let known = if last { self.buffer.len() } else { rules.keywords.unresolved(&self.buffer) };
        self.follow(last);
        let mut tried = 0;
        for (at, rule) in std::mem::take(&mut self.places) {
            // A keyword inside a removed secret does not count on its own.
            if at < self.followed {
                continue;
            }
            let waits = tried > 0 || self.open.is_some() || at >= known;
            if waits || !self.attempt(rules, rule, at, last) {
                self.places.push((at, rule));
                tried += 1;
            }
        }
        if self.open.is_some() {
            return self.followed;
        }
        let begins = |(at, rule): &(usize, usize)| at.saturating_sub(rules.before(*rule));
        let first = self.places.iter().map(begins).min();
        let first = first.unwrap_or(known).min(Rules::begins_before(&self.buffer, known));
        first.max(self.followed)
    }

    /// Tries a rule; returns whether the available bytes were enough to decide.
    fn attempt(&mut self, rules: &Rules, rule: usize, at: usize, last: bool) -> bool {
        let (span, rest) = if rules.is_key(rule) {
            let end = self.buffer.len().min(at + pem::LOOK);
            match pem::judge(&self.buffer[at..end], last || end == at + pem::LOOK) {
                pem::Verdict::More => return false,
                pem::Verdict::Harmless => return true,
                pem::Verdict::Key(from, to, rest) => {
                    (at + from..at + to, Some(SecretTail::Key(rest)))
                }
            }
        } else {
            match rules.judge(rule, &self.buffer, at, last) {
                Verdict::More => return false,
                Verdict::Harmless => return true,
                Verdict::Secret { span, open } => (span, open.then_some(SecretTail::Token)),
            }
        };
        let (start, end) = (span.start.max(self.followed), span.end);
        if start < end {
            self.secrets.push(start..end);
        }
        if let Some(rest) = rest {
            self.followed = end;
            self.open = Some(rest);
            self.follow(last);
        }
        true
    }

    /// Removes the continuation of a secret.
    fn follow(&mut self, last: bool) {
        let Some(rest) = &mut self.open else {
            return;
        };
        let (length, done) = rest.run(&self.buffer[self.followed..], last);
        if length > 0 {
            let end = self.followed + length;
            self.secrets.push(self.followed..end);
            self.followed = end;
        }
        if done {
            self.open = None;
        }
    }

    /// Returns the decided bytes, with one label per secret; secrets that overlap or touch share one.
    fn write(&mut self, decided: usize) -> Vec<u8> {
        let mut out = Vec::with_capacity(decided.saturating_sub(self.written));
        self.secrets.sort_unstable_by_key(|secret| secret.start);
        for secret in std::mem::take(&mut self.secrets) {
            if secret.start >= decided {
                self.secrets.push(secret);
                continue;
            }
            if secret.start > self.labelled || self.labelled == 0 {
                let from = self.written.max(self.labelled);
                if from < secret.start {
                    out.extend_from_slice(&self.buffer[from..secret.start]);
                }
                out.extend_from_slice(REDACTED);
            }
            self.labelled = self.labelled.max(secret.end);
        }
        let from = self.written.max(self.labelled);
        if from < decided {
            out.extend_from_slice(&self.buffer[from..decided]);
        }
        self.written = self.written.max(decided);
        out
    }

    /// Drops bytes that no decision needs any more.
    fn forget(&mut self) {
        let cut = self.written.saturating_sub(HISTORY);
        if cut == 0 {
            return;
        }
        self.buffer.drain(..cut);
        self.written -= cut;
        self.scanned -= cut;
        self.labelled = self.labelled.saturating_sub(cut);
        self.followed = self.followed.saturating_sub(cut);
        for (at, _) in &mut self.places {
            *at -= cut;
        }
        for secret in &mut self.secrets {
            *secret = secret.start - cut..secret.end - cut;
        }
    }
}

#[cfg(test)]
mod tests;
