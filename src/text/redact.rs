//! Takes secrets out of a byte stream, with carry-over across chunks.
//!
//! Two kinds are found: exact values (those of sensitive variables, also as they
//! look inside a JSON string), and the shapes of well-known keys and tokens
//! (in `shapes`). Each becomes `[redacted]`, which is safe inside JSON strings.
//!
//! # How
//!
//! Every secret begins with one of a fixed set of literals: an exact value is one
//! itself, a shape has a prefix like `ghp_`. One search finds the next literal;
//! only there a closer look decides, and it needs about a kilobyte at most.
//! When it is a secret, what follows is skipped as long as its bytes belong to the
//! token, so a token of any length costs no memory.
//!
//! What is held back between two chunks is what could still turn out to be the
//! start of a secret: less than the longest literal plus the closer look. Every
//! decision rests on the bytes from a fixed place on and never on where a chunk
//! ends, so a stream gives the same bytes as its whole, whatever the chunks.

mod shapes;

use std::fmt::{self, Write as _};

use regex::bytes::{Regex, RegexBuilder};

use shapes::{SHAPES, Shape, Skip, Verdict};

/// What stands for a secret.
pub const REDACTED: &[u8] = b"[redacted]";

/// Shorter values are too likely to be ordinary words, in bytes.
const SHORTEST_SECRET: usize = 8;

/// What to take out: exact values and the known shapes of keys and tokens.
#[derive(Clone)]
pub struct Redactor {
    /// Finds the next literal, the longest at its place.
    search: Regex,
    /// Exact values, longest first.
    exact: Vec<Vec<u8>>,
    /// Every literal, by its first byte.
    starts: Vec<Vec<Vec<u8>>>,
    /// Bytes of the longest literal.
    longest: usize,
}

impl fmt::Debug for Redactor {
    /// Shows how many values it knows, never one of them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Redactor")
            .field("exact", &self.exact.len())
            .finish_non_exhaustive()
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
        // The longest first: where two values begin alike, all of the longer one must go.
        exact.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        exact.dedup();
        let mut literals = exact.clone();
        for shape in SHAPES {
            literals.extend(
                shape
                    .prefixes
                    .iter()
                    .map(|prefix| prefix.as_bytes().to_vec()),
            );
        }
        literals.sort_by_key(|literal| std::cmp::Reverse(literal.len()));
        let mut starts = vec![Vec::new(); 256];
        for literal in &literals {
            starts[usize::from(literal[0])].push(literal.clone());
        }
        Self {
            search: alternation(&literals),
            exact,
            starts,
            longest: literals.first().map_or(0, Vec::len),
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
        let mut out = stream.push(bytes);
        out.extend(stream.finish());
        out
    }

    /// Starts a stream.
    pub fn stream(&self) -> RedactStream<'_> {
        RedactStream {
            redactor: self,
            state: State::default(),
        }
    }

    /// Bytes of the longest exact value that the bytes start with, or 0.
    fn exact_len(&self, bytes: &[u8]) -> usize {
        let found = self.exact.iter().find(|value| bytes.starts_with(value));
        found.map_or(0, Vec::len)
    }

    /// The first place at or after `from` where the buffer ends within a literal.
    fn unresolved(&self, buffer: &[u8], from: usize) -> usize {
        let first = buffer.len().saturating_sub(self.longest - 1).max(from);
        (first..buffer.len())
            .find(|at| {
                let tail = &buffer[*at..];
                self.starts[usize::from(tail[0])]
                    .iter()
                    .any(|literal| literal.len() > tail.len() && literal.starts_with(tail))
            })
            .unwrap_or(buffer.len())
    }
}

/// A search for the first of the literals; of those at one place, the first in the list.
#[expect(
    clippy::expect_used,
    reason = "escaped bytes are valid, and the size limit is far above what an environment can hold"
)]
fn alternation(literals: &[Vec<u8>]) -> Regex {
    let mut pattern = String::from("(?-u)");
    for (index, literal) in literals.iter().enumerate() {
        if index > 0 {
            pattern.push('|');
        }
        for byte in literal {
            // Writing to a string can't fail.
            let _ = write!(pattern, "\\x{byte:02x}");
        }
    }
    RegexBuilder::new(&pattern)
        .size_limit(1 << 30)
        .build()
        .expect("escaped bytes in an alternation are a valid pattern")
}

/// One stream under redaction.
pub struct RedactStream<'a> {
    redactor: &'a Redactor,
    state: State,
}

impl fmt::Debug for RedactStream<'_> {
    /// Shows how much is held back, never what.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RedactStream")
            .field("held_back", &self.state.carry.len())
            .finish_non_exhaustive()
    }
}

/// What a stream remembers between two chunks.
#[derive(Default)]
struct State {
    /// Bytes that are not decided yet.
    carry: Vec<u8>,
    /// The last byte that was decided.
    previous: Option<u8>,
    /// The rest of a secret, which is being left out.
    skip: Option<Skip>,
}

impl RedactStream<'_> {
    /// Takes a chunk, returns what is safe to write now (a possible secret's start is held back).
    pub fn push(&mut self, chunk: &[u8]) -> Vec<u8> {
        self.run(chunk, false)
    }

    /// Returns what was held back, redacted.
    pub fn finish(mut self) -> Vec<u8> {
        self.run(&[], true)
    }

    fn run(&mut self, chunk: &[u8], last: bool) -> Vec<u8> {
        let mut out = Vec::with_capacity(chunk.len());
        if self.state.carry.is_empty() {
            let done = self.state.advance(self.redactor, chunk, last, &mut out);
            self.state.carry.extend_from_slice(&chunk[done..]);
        } else {
            let mut buffer = std::mem::take(&mut self.state.carry);
            buffer.extend_from_slice(chunk);
            let done = self.state.advance(self.redactor, &buffer, last, &mut out);
            buffer.drain(..done);
            self.state.carry = buffer;
        }
        out
    }
}

impl State {
    /// Decides as much of the buffer as it can; returns how many bytes are decided.
    fn advance(
        &mut self,
        redactor: &Redactor,
        buffer: &[u8],
        last: bool,
        out: &mut Vec<u8>,
    ) -> usize {
        let mut at = 0;
        let mut hold = if last {
            buffer.len()
        } else {
            redactor.unresolved(buffer, 0)
        };
        // Where the search goes on: a literal that began no secret is passed by one byte.
        let mut from = 0;
        loop {
            if let Some(skip) = &mut self.skip {
                let (skipped, done) = skip.run(&buffer[at..], last);
                at += skipped;
                if !done {
                    break;
                }
                self.skip = None;
                from = at;
                if at > hold {
                    hold = redactor.unresolved(buffer, at);
                }
            }
            let found = redactor
                .search
                .find_at(buffer, from)
                .filter(|found| found.start() < hold);
            let Some(found) = found else {
                out.extend_from_slice(&buffer[at..hold]);
                at = hold;
                break;
            };
            let start = found.start();
            let previous = match start.checked_sub(1) {
                Some(before) => Some(buffer[before]),
                None => self.previous,
            };
            let rest = &buffer[start..];
            let (keep, taken, skip) = match Shape::judge(previous, rest, last) {
                // Also a value right after what is kept must be decided as a whole.
                Verdict::Secret { keep, .. } if start + keep >= hold && !last => (0, None, None),
                Verdict::More => (0, None, None),
                Verdict::Harmless => (0, Some(0), None),
                Verdict::Secret { keep, taken, skip } => (keep, Some(taken), skip),
            };
            let Some(taken) = taken else {
                out.extend_from_slice(&buffer[at..start]);
                at = start;
                break;
            };
            let exact = redactor.exact_len(rest);
            let taken = taken.max(exact).max(match keep {
                0 => 0,
                keep => keep + redactor.exact_len(&rest[keep..]),
            });
            if taken == 0 {
                from = start + 1;
                continue;
            }
            let keep = if exact == 0 { keep } else { 0 };
            out.extend_from_slice(&buffer[at..start + keep]);
            out.extend_from_slice(REDACTED);
            at = start + taken;
            from = at;
            self.skip = skip;
            if at > hold {
                hold = redactor.unresolved(buffer, at);
            }
        }
        if let Some(before) = at.checked_sub(1) {
            self.previous = Some(buffer[before]);
        }
        at
    }
}

#[cfg(test)]
mod tests;
