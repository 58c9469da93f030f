//! Private keys in a change: whether a text holds one, and the text without them.
//!
//! What is a key is said in [`armour`]. Its letters are taken out run by run: every line stays where it was, and what is
//! none of its letters is still there to be read.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::change::Hunk;
use crate::text::armour;

/// What stands in the place of a run.
const TAKEN: &str = "[redacted]";

/// Whether a text holds a private key in its armour: the opening line, and what looks like a key behind it.
///
/// Code that only knows the opening line (a scanner, a test of one) holds none.
pub fn holds_private_key(text: &str) -> bool {
    let mut openings = text.match_indices(armour::BEGIN);
    openings.any(|(at, _)| armour::begin(&text.as_bytes()[at..]).is_some())
}

/// Whether what is shown of a file is private keys in their armour and nothing else.
pub fn is_private_key(hunks: &[Hunk], text: Option<&str>) -> bool {
    let bodies = || hunks.iter().map(|hunk| hunk.body.as_str());
    if !bodies().chain(text).any(holds_private_key) {
        return false;
    }
    let shown = bodies().flat_map(str::lines).map(|line| line.get(1..).unwrap_or_default());
    alone(shown) && text.is_none_or(|text| alone(text.lines()))
}

/// Whether these lines are armours with what is in them, and blank lines.
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

/// Takes the private keys out of a text, or out of the lines of a hunk. It keeps its lines.
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

/// Takes the lines of a text's private keys out of a hunk that shows some of them, without the opening line perhaps.
pub fn without_keys_of(text: Option<&str>, body: &str) -> String {
    let body = without_private_keys(body);
    let Some(text) = text else {
        return body.into_owned();
    };
    let Cow::Owned(without) = without_private_keys(text) else {
        return body.into_owned();
    };
    let pairs = text.lines().zip(without.lines());
    let keys: BTreeMap<&str, &str> = pairs.filter(|(line, clean)| line != clean).collect();
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
