//! What agents quote, turned back into what files hold.
//!
//! Prompts show code in a defused form (`text::fence`): `(at)` for an `@` that could attach a file, a
//! space between brackets that could open a marker. A reviewer that copies `(at)Override` letter by
//! letter quotes rightly, and must not be told that the quote does not exist. So a place is looked for
//! as it was written first, and as it stands in the file next.

use super::locate;
use super::model::{Finding, Location, Placed};
use crate::change::Change;

/// Checks where a finding is, in either form; the best place counts, as written before restored.
pub fn place(change: &Change, finding: &Finding) -> Placed {
    let files = forms(&finding.file);
    let quotes: Vec<Option<String>> = match &finding.quote {
        None => vec![None],
        Some(quote) => forms(quote).into_iter().map(Some).collect(),
    };
    let as_written = locate::place(change, finding.clone());
    let mut best = as_written;
    for file in files {
        for quote in &quotes {
            if best.location == Location::Located {
                return best;
            }
            let form = Finding { file: file.clone(), quote: quote.clone(), ..finding.clone() };
            let placed = locate::place(change, form);
            if placed.location < best.location {
                best = placed;
            }
        }
    }
    best
}

/// Returns the evidence of a disagreement as it was found in the change or in the file, if it was.
pub fn evidence(change: &Change, file: &str, text: &str) -> Option<String> {
    forms(text).into_iter().find(|form| locate::evidence(change, file, form))
}

/// Returns a text as it is and, where that differs, as it was before it was defused.
fn forms(text: &str) -> Vec<String> {
    let mut forms = vec![text.to_owned()];
    if text.contains("(at)") {
        forms.push(text.replace("(at)", "@"));
    }
    if text.contains("< < <") {
        for form in forms.clone() {
            forms.push(joined(&form));
        }
    }
    forms
}

/// Joins brackets that stand apart by one space: `< < <` becomes `<<<`.
fn joined(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if rest.starts_with("< < <") {
            while let Some(after) = rest.strip_prefix("< <") {
                out.push('<');
                rest = &rest[rest.len() - after.len() - 1..];
            }
            continue;
        }
        out.push(c);
        rest = &rest[c.len_utf8()..];
    }
    out
}

#[cfg(test)]
mod tests;
