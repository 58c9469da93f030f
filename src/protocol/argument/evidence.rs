//! Looks evidence up in what was recorded when the session was opened, so that a resume finds the same.
//!
//! | evidence | is found if |
//! |---|---|
//! | `path:line`, `path:first-last` | the path is a context file or a file of the project, and has that many lines |
//! | a quoted passage of at least 12 letters | a context file has it, whatever its line breaks and spaces are |
//!
//! Data is text, or a JSON object whose `file` (with `line`) and `quote` are such a place and such a passage.
//!
//! Nothing is opened here: [`Sources`] holds numbers of lines, the brief holds the texts. A path alone is
//! looked up too, but a file is no place: where there is such a file, it counts as a source that is named.

use std::collections::BTreeMap;

use super::input::Sources;
use super::metrics::FILE;
use crate::protocol::debate::Brief;
use crate::protocol::debate::typed::Evidence;

/// The type of evidence that quotes a context file.
pub const QUOTE: &str = "quote";

/// Letters that a passage needs, so that what is found is no accident.
pub const QUOTE_LETTERS: usize = 12;

/// What evidence is looked up in, ready for use.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Shelf {
    /// Context files with every run of white space made one space.
    texts: Vec<String>,
    /// Numbers of lines, by path.
    lines: BTreeMap<String, u32>,
}

impl Shelf {
    /// Prepares the look-up.
    pub fn new(brief: &Brief, sources: &Sources) -> Self {
        let mut lines: BTreeMap<String, u32> = (sources.lines.iter())
            .map(|(path, lines)| (plain_path(path).to_owned(), *lines))
            .collect();
        for file in &brief.context {
            let count = u32::try_from(file.text.lines().count()).unwrap_or(u32::MAX);
            let known = lines.entry(plain_path(&file.name).to_owned()).or_default();
            // Of a file that was cut, the project may know more lines than are shown.
            *known = count.max(*known);
        }
        Self { texts: brief.context.iter().map(|file| spaced(&file.text)).collect(), lines }
    }

    /// Looks a piece of evidence up: `None` where there is nothing to look for, and for a file without a line.
    pub fn check(&self, evidence: &Evidence) -> Option<bool> {
        let passages = evidence.passages();
        for passage in &passages {
            match Place::read(passage) {
                Some(place) if self.has(&place) => return place.first.map(|_| true),
                Some(_) | None => {}
            }
            if self.quotes(passage) {
                return Some(true);
            }
        }
        let kind = evidence.kind.trim();
        let looked_for = [FILE, QUOTE].iter().any(|name| kind.eq_ignore_ascii_case(name));
        // An object says by its keys what is to be looked up, whatever its type is called.
        let by_key = evidence.data.is_object() && !passages.is_empty();
        (looked_for || by_key).then_some(false)
    }

    fn has(&self, place: &Place<'_>) -> bool {
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

/// A place in a file, as it is written.
struct Place<'a> {
    path: &'a str,
    first: Option<u32>,
    last: Option<u32>,
}

impl<'a> Place<'a> {
    /// Reads the first word of a text as a place; what follows it is commentary.
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

/// Makes every run of white space one space.
fn spaced(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ")
}

#[cfg(test)]
mod tests;
