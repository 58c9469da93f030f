//! Takes secrets out of a byte stream, with carry-over across chunks.
//!
//! Three kinds are found: exact values (those of sensitive variables, also as they
//! look inside a JSON string), what the rules call a secret (in `rules`: those that
//! gitleaks publishes, and a few of our own), and private keys (in `pem`). Each
//! becomes `[redacted]`, which is safe inside JSON strings.
//!
//! # How
//!
//! One search finds where the keywords of the rules stand, another the exact values.
//! At a keyword, its rules look at a kilobyte at most, and at a few bytes before it.
//! Where a secret reaches the end of what was looked at, what follows is left out as
//! long as its bytes belong to a token, so a token of any length costs no memory.
//!
//! What is held back between two chunks is what could still turn out to be part of a
//! secret. Every decision rests on the bytes around a place and never on where a chunk
//! ends, so a stream gives the same bytes as its whole, whatever the chunks.

mod allowed;
mod keywords;
mod pem;
mod rules;
mod search;
pub mod variables;

use std::fmt;
use std::ops::Range;

use aho_corasick::AhoCorasick;

use rules::{BEHIND, Rules, Verdict};

/// What stands for a secret.
pub const REDACTED: &[u8] = b"[redacted]";

/// Shorter values are too likely to be ordinary words, in bytes.
const SHORTEST_SECRET: usize = 8;

/// Bytes of a whole text that are looked at in one go.
const CHUNK: usize = 64 << 10;

/// Written bytes that are kept: what stands before a keyword, and before a secret that begins there.
const HISTORY: usize = 2 * BEHIND;

/// What to take out: exact values, and what the rules know.
#[derive(Clone)]
pub struct Redactor {
    /// Finds the exact values.
    search: Option<AhoCorasick>,
    /// Exact values, by their first byte.
    starts: Vec<Vec<Vec<u8>>>,
    /// Bytes of the longest exact value.
    longest: usize,
    /// Number of exact values.
    exact: usize,
}

impl fmt::Debug for Redactor {
    /// Shows how many values it knows, never one of them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Redactor").field("exact", &self.exact).finish_non_exhaustive()
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
        let mut starts = vec![Vec::new(); 256];
        for value in &exact {
            starts[usize::from(value[0])].push(value.clone());
        }
        Self {
            search: (!exact.is_empty()).then(|| search_for(&exact)),
            starts,
            longest: exact.iter().map(Vec::len).max().unwrap_or(0),
            exact: exact.len(),
        }
    }

    /// Redacts a whole text.
    pub fn text(&self, text: &str) -> String {
        // What is taken out of a text are whole characters, so nothing is lost here.
        String::from_utf8_lossy(&self.bytes(text.as_bytes())).into_owned()
    }

    /// Redacts whole bytes.
    pub fn bytes(&self, bytes: &[u8]) -> Vec<u8> {
        let mut stream = self.stream();
        let mut out = Vec::with_capacity(bytes.len());
        for chunk in bytes.chunks(CHUNK) {
            out.extend(stream.push(chunk));
        }
        out.extend(stream.finish());
        out
    }

    /// Starts a stream.
    pub fn stream(&self) -> RedactStream<'_> {
        RedactStream { redactor: self, state: State::default() }
    }

    /// Finds the exact values that end behind `from`.
    fn values(&self, buffer: &[u8], from: usize, into: &mut Vec<Range<usize>>) {
        let Some(search) = &self.search else {
            return;
        };
        let start = from.saturating_sub(self.longest.saturating_sub(1));
        let text = aho_corasick::Input::new(buffer).range(start..);
        let found = search.find_overlapping_iter(text).map(|found| found.range());
        into.extend(found.filter(|found| found.end > from));
    }

    /// The first place where the buffer ends within an exact value.
    fn unresolved(&self, buffer: &[u8]) -> usize {
        let first = buffer.len().saturating_sub(self.longest.saturating_sub(1));
        (first..buffer.len())
            .find(|at| {
                let tail = &buffer[*at..];
                self.starts[usize::from(tail[0])]
                    .iter()
                    .any(|value| value.len() > tail.len() && value.starts_with(tail))
            })
            .unwrap_or(buffer.len())
    }
}

#[expect(clippy::expect_used, reason = "its only limit is far above what an environment can hold")]
fn search_for(values: &[Vec<u8>]) -> AhoCorasick {
    AhoCorasick::new(values).expect("values of variables")
}

/// One stream under redaction.
pub struct RedactStream<'a> {
    redactor: &'a Redactor,
    state: State,
}

impl fmt::Debug for RedactStream<'_> {
    /// Shows how much is held back, never what.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RedactStream").field("held_back", &self.held_back()).finish_non_exhaustive()
    }
}

impl RedactStream<'_> {
    /// Takes a chunk, returns what is safe to write now (a possible secret's start is held back).
    pub fn push(&mut self, chunk: &[u8]) -> Vec<u8> {
        self.state.run(self.redactor, chunk, false)
    }

    /// Returns what was held back, redacted.
    pub fn finish(mut self) -> Vec<u8> {
        self.state.run(self.redactor, &[], true)
    }

    fn held_back(&self) -> usize {
        self.state.buffer.len() - self.state.written
    }
}

/// What a stream remembers between two chunks; all places are those of the buffer.
#[derive(Default)]
struct State {
    /// Bytes that were written, as far as what follows is judged by them, and those that are not decided yet.
    buffer: Vec<u8>,
    /// Up to here all is written.
    written: usize,
    /// Up to here the keywords and the exact values are found.
    scanned: usize,
    /// Where rules are to be tried, in order.
    places: Vec<(usize, usize)>,
    /// Secrets that are not written yet.
    secrets: Vec<Range<usize>>,
    /// Up to here the last secret goes that a label was written for; 0 before the first.
    labelled: usize,
    /// What belongs to a secret that goes on behind what was looked at.
    open: Option<Rest>,
    /// Up to here the last of those goes.
    followed: usize,
}

/// What belongs to a secret behind the place where it was recognised.
#[derive(Clone, Copy)]
enum Rest {
    /// Every byte of a token.
    Token,
    Key(pem::Rest),
}

impl Rest {
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
        redactor.values(&self.buffer, self.scanned, &mut self.secrets);
        self.scanned = self.buffer.len();
        let decided = self.judge(rules, last);
        let decided =
            if last { self.buffer.len() } else { decided.min(redactor.unresolved(&self.buffer)) };
        let out = self.write(decided);
        self.forget();
        out
    }

    /// Tries the rules; returns the place before which no secret can begin any more.
    fn judge(&mut self, rules: &Rules, last: bool) -> usize {
        // A keyword that begins behind this may still be found, and with it one that comes before others.
        let known = if last { self.buffer.len() } else { rules.unresolved(&self.buffer) };
        self.follow(last);
        let mut tried = 0;
        for (at, rule) in std::mem::take(&mut self.places) {
            // What stands in a secret that is left out is none of its own.
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

    /// Tries a rule; returns whether the bytes at hand decided it.
    fn attempt(&mut self, rules: &Rules, rule: usize, at: usize, last: bool) -> bool {
        let (span, rest) = if rules.is_key(rule) {
            let end = self.buffer.len().min(at + pem::LOOK);
            match pem::judge(&self.buffer[at..end], last || end == at + pem::LOOK) {
                pem::Verdict::More => return false,
                pem::Verdict::Harmless => return true,
                pem::Verdict::Key(from, to, rest) => (at + from..at + to, Some(Rest::Key(rest))),
            }
        } else {
            match rules.judge(rule, &self.buffer, at, last) {
                Verdict::More => return false,
                Verdict::Harmless => return true,
                Verdict::Secret { span, open } => (span, open.then_some(Rest::Token)),
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

    /// Leaves out what belongs to a secret that goes on.
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

    /// Gives out what is decided, with a label for every secret, and one for those that overlap or touch.
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

    /// Forgets what no decision needs any more.
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
