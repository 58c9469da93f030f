//! Private keys in a change: whether a text holds one, and the text without them.
//!
//! [`armour`] defines what a key is. Its letters are removed run by run: every line keeps its place, and all other text
//! stays readable.

use std::borrow::Cow;

use crate::change::Hunk;
use crate::ordered::{BTreeMap, Gather};
use crate::text::armour;

const TAKEN: &str = "[redacted]";

/// Whether a text holds a private key in its armour: the opening line, followed by what looks like a key.
///
/// Code that only contains the opening line (a scanner, a test of one) does not.
pub fn holds_private_key(text: &str) -> bool {
    let mut openings = text.match_indices(armour::BEGIN);
    openings.any(|(at, _)| armour::begin(&text.as_bytes()[at..]).is_some())
}

/// Whether the shown part of a file consists of private keys in their armour only.
pub fn is_private_key(hunks: &[Hunk], text: Option<&str>) -> bool {
    let bodies = || hunks.iter().map(|hunk| hunk.body.as_str());
    if !bodies().chain(text).any(holds_private_key) {
        return false;
    }
    let shown = bodies().flat_map(str::lines).map(|line| line.get(1..).unwrap_or_default());
    alone(shown) && text.is_none_or(|text| alone(text.lines()))
}

/// Whether these lines are only armoured keys and blank lines.
fn alone<'a>(lines: impl Iterator<Item = &'a str>) -> bool {
    let mut within = false;
    for line in lines {
        let line = line.trim();
        if line.starts_with("-----") && line.ends_with("-----") {
            within = line.starts_with(armour::BEGIN);
        } else if !(line.is_empty() || within && armour::is_line(line)) {
            return false;
        }
    }
    true
}

/// Removes the private keys from a text or from the lines of a hunk, keeping its lines.
fn without_private_keys(text: &str) -> Cow<'_, str> {
    let (mut clean, mut copied) = (String::new(), 0);
    for (at, _) in text.match_indices(armour::BEGIN) {
        if at < copied {
            continue;
        }
        for run in armour::runs(&text.as_bytes()[at..]) {
            clean.push_str(&text[copied..at + run.start]);
            clean.push_str(TAKEN);
            copied = at + run.end;
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    clean.push_str(&text[copied..]);
    Cow::Owned(clean)
}

/// Removes the lines of a text's private keys from a hunk that shows some of them, possibly without the opening
/// line.
pub fn without_keys_of(text: Option<&str>, body: &str) -> String {
    let body = without_private_keys(body);
    let Some(text) = text else {
        return body.into_owned();
    };
    let Cow::Owned(without) = without_private_keys(text) else {
        return body.into_owned();
    };
    let pairs = text.lines().zip(without.lines());
    let keys: BTreeMap<&str, &str> = pairs.filter(|(line, clean)| line != clean).gather();
    let mut clean = String::with_capacity(body.len());
    for line in body.split_inclusive('\n') {
        let end = line.trim_end_matches(['\n', '\r']).len();
        let shown = line[..end].get(1..).and_then(|shown| keys.get(shown));
        if let Some(shown) = shown {
            clean.extend([&line[..1], shown, &line[end..]]);
        } else {
            clean.push_str(line);
        }
    }
    clean
}
