//! The name under which a finding is known again in later reviews: of the code, not of the words.
//!
//! It stays the same while lines move, and changes when the code that the finding is about changes:
//! a dismissal does not outlive its reason. It is hashed from the path, the symbol that the code is
//! in (as git names it behind the second `@@`, its words alone), and the whole lines of the quote, or
//! else the line that is named. A finding without either is told from others by the keywords of its
//! title.

use sha2::{Digest, Sha256};

use super::locate;
use super::model::Placed;
use crate::change::Change;
use crate::text::similarity;

#[cfg(test)]
mod tests;

/// Stands in the hash, so that another way of making fingerprints makes other ones.
const VERSION: &str = "debate-agent finding 1";
/// Bytes of the hash that are written.
const BYTES: usize = 8;

/// Returns the fingerprint of a finding: 16 hexadecimal digits.
pub fn fingerprint(change: &Change, placed: &Placed) -> String {
    let finding = &placed.finding;
    let (kind, code) = if let Some(code) = locate::code(change, finding) {
        ("code", code)
    } else {
        let words = similarity::keywords([finding.title.as_str()]);
        ("title", words.into_iter().collect::<Vec<_>>().join(" "))
    };
    let symbol = symbol(change, &finding.file, finding.line);
    let mut hash = Sha256::new();
    for part in [VERSION, &finding.file, &symbol, kind, &code] {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    let digits = hash.finalize();
    let digits = digits.iter().take(BYTES).map(|byte| format!("{byte:02x}"));
    digits.collect()
}

/// Returns the words of the heading of the hunk that a line is in; nothing if there is none.
fn symbol(change: &Change, file: &str, line: Option<u32>) -> String {
    let hunk = change.file(file).zip(line).and_then(|(file, line)| {
        file.hunks.iter().find(|hunk| {
            let lines = hunk.new_start..hunk.new_start.saturating_add(hunk.new_lines.max(1));
            lines.contains(&line)
        })
    });
    let heading = hunk.map_or("", |hunk| hunk.heading.as_str());
    let words = heading.split(|one: char| !one.is_alphanumeric() && one != '_');
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}
