//! Looks up evidence in what was recorded when the session was opened, so that a resume finds the same.
//!
//! | evidence | is found if |
//! |---|---|
//! | `path:line`, `path:first-last` | the path is a context file or a file of the project, and has that many lines |
//! | a quoted passage of at least 12 letters | a context file has it, whatever its line breaks and spaces are |
//!
//! Data is a text, or a JSON object whose `file` (with `line`) and `quote` are such a place and such a passage.
//!
//! No file is opened here: the brief contains the numbers of lines, and the texts of context files. A path alone is
//! looked up too, but a file is not a place: if it exists, it counts as a named source.

use super::metrics::FILE;
use crate::ordered::{BTreeMap, Gather};
use crate::protocol::debate::Brief;
use crate::protocol::debate::typed::Evidence;

/// The type of evidence that quotes a context file.
pub(crate) const QUOTE: &str = "quote";

/// Minimum number of letters in a passage, so that it is not found by chance.
pub(crate) const QUOTE_LETTERS: usize = 12;

/// The sources of a debate, prepared for looking up evidence.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct EvidenceSources {
    /// Context files, with every run of white space reduced to one space.
    texts: Vec<String>,
    /// Numbers of lines, by path.
    lines: BTreeMap<String, u32>,
}

impl EvidenceSources {
    /// Prepares the look-up from a brief.
    pub(crate) fn new(brief: &Brief) -> Self {
        let mut lines: BTreeMap<String, u32> = (brief.sources.iter())
            .map(|(path, lines)| (plain_path(path).to_owned(), *lines))
            .gather();
        for file in &brief.context {
            let count = u32::try_from(file.text.lines().count()).unwrap_or(u32::MAX);
            let known = lines.entry(plain_path(&file.name).to_owned()).or_default();
            // For a file that was cut, the project may know more lines than are shown.
            *known = count.max(*known);
        }
        Self { texts: brief.context.iter().map(|file| spaced(&file.text)).collect(), lines }
    }

    /// Looks up a piece of evidence; returns `None` if there is nothing to look for, or for a file without a line.
    pub(crate) fn check(&self, evidence: &Evidence) -> Option<bool> {
        let passages = evidence.passages();
        for passage in &passages {
            match FileReference::read(passage) {
                Some(place) if self.has(&place) => return place.first.map(|_| true),
                Some(_) | None => {}
            }
            if self.quotes(passage) {
                return Some(true);
            }
        }
        let kind = evidence.kind.trim();
        let looked_for = [FILE, QUOTE].iter().any(|name| kind.eq_ignore_ascii_case(name));
        // The keys of an object show what to look up, whatever its type is called.
        let by_key = evidence.data.is_object() && !passages.is_empty();
        (looked_for || by_key).then_some(false)
    }

    fn has(&self, place: &FileReference<'_>) -> bool {
        let Some(lines) = self.lines.get(place.path) else {
            return false;
        };
        let Some(first) = place.first else {
            return true;
        };
        let last = place.last.unwrap_or(first);
        1 <= first && first <= last && last <= *lines
    }

    fn quotes(&self, data: &str) -> bool {
        let passage = data.trim().trim_matches(['"', '\'', '`', '“', '”', '„', '«', '»', '…']);
        let passage = spaced(passage);
        let letters = passage.chars().filter(|c| c.is_alphabetic());
        letters.count() >= QUOTE_LETTERS && self.texts.iter().any(|text| text.contains(&passage))
    }
}

/// A place in a file, as written.
struct FileReference<'a> {
    path: &'a str,
    first: Option<u32>,
    last: Option<u32>,
}

impl<'a> FileReference<'a> {
    /// Parses the first word of a text as a place; the rest is commentary.
    fn read(data: &'a str) -> Option<Self> {
        let word = data.split_whitespace().next()?;
        let word = word.trim_start_matches(['`', '"', '\'', '(']);
        let word = word.trim_end_matches(['`', '"', '\'', ')', ',', ';', '.']);
        let place = |path, first, last| Self { path: plain_path(path), first, last };
        let Some((path, line)) = word.rsplit_once(':') else {
            return (!word.is_empty()).then(|| place(word, None, None));
        };
        let number = |text: &str| text.parse::<u32>().ok();
        match line.split_once('-') {
            None => Some(place(path, Some(number(line)?), None)),
            Some((first, last)) => Some(place(path, Some(number(first)?), Some(number(last)?))),
        }
    }
}

fn plain_path(path: &str) -> &str {
    path.strip_prefix("./").unwrap_or(path)
}

/// Reduces every run of white space to one space.
fn spaced(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    //! Evidence that is found, and evidence that is not.

    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::super::testing::brief;
    use super::*;
    use crate::protocol::context::ContextFile;

    fn shelf() -> EvidenceSources {
        let mut brief = brief();
        brief.context = vec![ContextFile {
            name: "./notes/load.md".to_owned(),
            text: "# Load\n\nThe cache answers in\n   3 ms under load.\n".to_owned(),
            cut: true,
        }];
        let lines = [("src/store.rs", 120), ("notes/load.md", 40)];
        brief.sources = lines.map(|(path, lines)| (path.to_owned(), lines)).into();
        EvidenceSources::new(&brief)
    }

    fn found(kind: &str, data: impl Into<Value>) -> Option<bool> {
        shelf().check(&Evidence { kind: kind.to_owned(), data: data.into(), checked: None })
    }

    #[test]
    fn an_object_is_looked_up_by_its_keys_and_other_json_is_not() {
        for (data, expected) in [
            (json!({"file": "src/store.rs", "line": 12}), Some(true)),
            (json!({"file": "src/store.rs", "line": "7-9"}), Some(true)),
            (json!({"file": "src/store.rs", "line": 121}), Some(false)),
            (json!({"file": "src/store.rs"}), None),
            (json!({"file": "src/gone.rs"}), Some(false)),
            (json!({"quote": "The cache answers in 3 ms"}), Some(true)),
            (json!({"file": "src/gone.rs", "quote": "The cache answers in 3 ms"}), Some(true)),
            (json!({"quote": "The database answers in 3 ms"}), Some(false)),
            (json!({"source": "industry_report_2023"}), None),
            (json!({"file": 7, "line": "12"}), None),
            (json!([{"file": "src/store.rs", "line": 12}]), None),
            (json!(0.45), None),
            (json!(true), None),
            (json!({}), None),
        ] {
            assert_eq!(found("market_research", data.clone()), expected, "{data}");
        }
        // A type that promises something to look up must be found.
        assert_eq!(found("file", json!({"period": "Q1-Q3_2023"})), Some(false));
    }

    #[test]
    fn places_and_passages_are_looked_up() {
        for (kind, data, expected) in [
            ("file", "src/store.rs:1", Some(true)),
            ("file", "src/store.rs:120", Some(true)),
            ("file", "src/store.rs:121", Some(false)),
            ("file", "src/store.rs:0", Some(false)),
            ("file", "./src/store.rs:7-9 takes the lock", Some(true)),
            ("file", "src/store.rs:9-7", Some(false)),
            ("file", "src/store.rs:7-", Some(false)),
            ("file", "src/store.rs:119-121", Some(false)),
            ("file", "`src/store.rs:12`", Some(true)),
            ("file", "src/gone.rs:1", Some(false)),
            ("file", "../src/store.rs:1", Some(false)),
            // The file exists, but no place in it is named.
            ("file", "src/store.rs", None),
            ("file", "src/gone.rs", Some(false)),
            ("file", "", Some(false)),
            // The project knows more lines of it than are shown.
            ("file", "notes/load.md:40", Some(true)),
            ("file", "notes/load.md:41", Some(false)),
            // Anything that can be found counts, whatever its type is called.
            ("measurement", "src/store.rs:12", Some(true)),
            ("QUOTE", "\"The cache answers in 3 ms\"", Some(true)),
            ("quote", "the cache answers in 3 ms", Some(false)),
            ("quote", "in 3 ms under", Some(false)),
            ("quote", "answers in 3 ms under load", Some(true)),
            ("quote", "The database answers in 3 ms", Some(false)),
            ("source", "the load test of May", None),
            ("assertion", "It is fast.", None),
            ("source", "src/store.rs:121", None),
        ] {
            assert_eq!(found(kind, data), expected, "{kind} {data}");
        }
    }

    #[test]
    fn nothing_is_found_where_nothing_was_recorded() {
        let shelf = EvidenceSources::new(&Brief::default());
        for (kind, data) in [("file", "src/store.rs:1"), ("quote", "The cache answers in 3 ms")] {
            let evidence =
                Evidence { kind: kind.to_owned(), data: data.into(), checked: Some(true) };
            assert_eq!(shelf.check(&evidence), Some(false));
        }
    }

    proptest! {
        #[test]
        fn any_text_can_be_looked_up(kind in ".{0,12}", data in ".{0,80}") {
            found(&kind, data);
        }
    }
}
