//! The name by which a finding is recognised in later reviews, derived from the code, not from the wording.
//!
//! It stays the same while lines move, and changes when the code that the finding is about changes: a dismissal does
//! not outlive its reason. It is a hash of the path, the symbol that contains the code (as git names it after the
//! second `@@`, words only), and the whole lines of the quote, or else the named line. A finding with neither is
//! distinguished from others by the keywords of its title.

use sha2::{Digest, Sha256};

use super::locate;
use super::model::LocatedFinding;
use crate::change::Change;
use crate::text::similarity;

/// Part of the hash, so that another way of making fingerprints yields different ones.
const VERSION: &str = "debate-agent finding 1";
/// Number of bytes of the hash that are written.
const BYTES: usize = 8;

/// Returns the fingerprint of a finding: 16 hexadecimal digits.
pub fn fingerprint(change: &Change, placed: &LocatedFinding) -> String {
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

/// Returns the words of the heading of the hunk that contains a line; empty if there is none.
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

#[cfg(test)]
mod tests {
    //! Tests of [`super`]: which edits keep a fingerprint, and which change it.

    use super::*;
    use crate::change::ChangedFile;
    use crate::protocol::review::locate::place;
    use crate::protocol::review::model::{Finding, Severity};
    use crate::protocol::review::samples::{finding, sample};

    const POOL: &str = "src/db/pool.rs";

    fn named(change: &Change, line: Option<u32>, quote: Option<&str>, title: &str) -> String {
        let finding =
            Finding { quote: quote.map(str::to_owned), ..finding(Severity::P1, POOL, line, title) };
        fingerprint(change, &place(change, finding))
    }

    fn edited(edit: impl Fn(&mut ChangedFile)) -> Change {
        let mut change = sample();
        edit(&mut change.files[0]);
        change
    }

    const BUSY: Option<&str> = Some("self.busy += 1;");

    #[test]
    fn it_is_sixteen_digits_and_pinned() {
        let name = named(&sample(), Some(12), BUSY, "t");
        assert_eq!(name.len(), 16);
        // Files of known findings committed in users' repositories contain such names: a change to this value breaks them.
        insta::assert_snapshot!(name, @"edb461701a3865ff");
    }

    #[test]
    fn it_stays_when_lines_move_and_words_change() {
        let before = named(&sample(), Some(12), BUSY, "a title");
        let moved = edited(|file| {
            file.hunks[0].old_start += 20;
            file.hunks[0].new_start += 20;
            file.lines = Some(60);
            let text = file.text.as_deref().unwrap_or_default();
            file.text = Some("// new\n".repeat(20) + text);
        });
        assert_eq!(named(&moved, Some(32), BUSY, "another title"), before);
        // A part of the line, different white space, the mark of the diff, the line alone.
        for quote in ["self.busy", "  self.busy  += 1;", "+    self.busy += 1;"] {
            assert_eq!(named(&sample(), Some(12), Some(quote), "t"), before, "{quote}");
        }
        assert_eq!(named(&sample(), Some(12), None, "t"), before);
        // The quote does not occur: the line counts.
        assert_eq!(named(&sample(), Some(12), Some("no such code"), "t"), before);
        // The punctuation of the heading is not part of it.
        let heading = edited(|file| file.hunks[0].heading = "impl Pool {".to_owned());
        assert_eq!(named(&heading, Some(12), BUSY, "t"), before);
    }

    #[test]
    fn it_changes_with_the_code_the_symbol_and_the_path() {
        let before = named(&sample(), Some(12), BUSY, "t");
        let code = edited(|file| {
            for text in [&mut file.hunks[0].body, file.text.as_mut().unwrap()] {
                *text = text.replace("self.busy += 1;", "self.busy += 2;");
            }
        });
        let symbol = edited(|file| file.hunks[0].heading = "impl Tub".to_owned());
        let path = edited(|file| file.path = "src/db/tub.rs".to_owned());
        let other = Finding {
            quote: BUSY.map(str::to_owned),
            ..finding(Severity::P1, "src/db/tub.rs", Some(12), "t")
        };
        let names = [
            before.clone(),
            named(&code, Some(12), Some("self.busy += 2;"), "t"),
            named(&symbol, Some(12), BUSY, "t"),
            fingerprint(&path, &place(&path, other)),
            named(&sample(), Some(11), None, "t"),
            named(&sample(), Some(11), Some("let conn = self.idle.pop()?;\nself.busy += 1;"), "t"),
        ];
        for (at, one) in names.iter().enumerate() {
            assert!(!names[..at].contains(one), "{at} of {names:?}");
        }
        // A change to any line of the quote changes the fingerprint.
        let two = Some("let conn = self.idle.pop()?;\nself.busy += 1;");
        let two_after = Some("let conn = self.idle.pop()?;\nself.busy += 2;");
        assert_ne!(named(&sample(), None, two, "t"), named(&code, None, two_after, "t"));
    }

    #[test]
    fn without_code_the_words_of_the_title_tell_findings_apart() {
        let name = |title| named(&sample(), None, None, title);
        assert_eq!(name("No test for the pool"), name("no tests: pool"));
        assert_ne!(name("No test for the pool"), name("No docs for the pool"));
    }
}
