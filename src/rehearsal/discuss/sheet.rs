//! The artifact as the rules read it: numbered lines, and the words in them.

use super::SHORT;
use crate::text::sanitize;
use crate::text::similarity::{self, Keywords};

/// Words that mark unfinished work. Assembled from parts, so that a search for work left undone does not find this
/// line.
const UNFINISHED: [&str; 4] =
    [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("TB", "D"), concat!("XX", "X")];

/// Words that leave their meaning open.
const VAGUE: [&str; 14] = [
    "appropriate",
    "easily",
    "easy",
    "etc",
    "fast",
    "flexible",
    "quickly",
    "robust",
    "should",
    "simple",
    "simply",
    "soon",
    "somehow",
    "various",
];

/// Names of months, without the one that is also a verb.
const MONTHS: [&str; 11] = [
    "January",
    "February",
    "March",
    "April",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// A line of the artifact.
#[derive(Debug)]
pub(super) struct Line<'a> {
    /// The line's number, from 1.
    pub(super) number: usize,
    text: &'a str,
    lower: String,
    /// Whether it belongs to a code fence, and so is neither a heading nor prose.
    code: bool,
}

impl Line<'_> {
    /// Returns the line's number and its first words.
    pub(super) fn shown(&self) -> String {
        format!("line {}: `{}`", self.number, self.quote())
    }

    pub(super) fn quote(&self) -> String {
        sanitize::line(&self.text.replace('`', "'"), SHORT)
    }

    /// Whether a word begins with one of the given stems, which are in lower case.
    fn speaks_of(&self, stems: &[&str]) -> bool {
        words(&self.lower).any(|word| stems.iter().any(|stem| word.starts_with(stem)))
    }

    /// Returns the level of a heading: its number of marks.
    fn heading(&self) -> Option<usize> {
        let marks = self.text.bytes().take_while(|byte| *byte == b'#').count();
        let rest = self.text.get(marks..)?;
        ((1..=6).contains(&marks) && !self.code && rest.starts_with(' ')).then_some(marks)
    }

    /// Whether the line is neither in a fence nor indented like an example.
    fn is_prose(&self) -> bool {
        !self.code && !self.text.starts_with("    ")
    }

    fn is_dated(&self) -> bool {
        let year = |word: &str| {
            word.len() == 4
                && word.starts_with("20")
                && word.bytes().all(|byte| byte.is_ascii_digit())
        };
        words(self.text).any(|word| year(word) || MONTHS.contains(&word))
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

/// The lines of the whole artifact.
#[derive(Debug)]
pub(super) struct ArtifactText<'a> {
    lines: Vec<Line<'a>>,
}

impl<'a> ArtifactText<'a> {
    pub(super) fn new(lines: &[&'a str]) -> Self {
        let mut code = false;
        let read = (1..).zip(lines).map(|(number, &text)| {
            let fence = text.trim_start().starts_with("```");
            let line = Line { number, text, lower: text.to_lowercase(), code: code || fence };
            code ^= fence;
            line
        });
        Self { lines: read.collect() }
    }

    /// Returns the first line with a word that begins with one of the stems: of prose if there is one, else of code
    /// or an example.
    pub(super) fn first(&self, stems: &[&str]) -> Option<&Line<'a>> {
        let mut prose = self.lines.iter().filter(|line| line.is_prose());
        prose
            .find(|line| line.speaks_of(stems))
            .or_else(|| self.lines.iter().find(|line| line.speaks_of(stems)))
    }

    /// Returns all lines with such a word.
    pub(super) fn all(&self, stems: &[&str]) -> Vec<&Line<'a>> {
        let lines = self.lines.iter();
        lines.filter(|line| line.speaks_of(stems)).collect()
    }

    /// Returns the first line with a year or a month.
    pub(super) fn dated(&self) -> Option<&Line<'a>> {
        self.lines.iter().find(|line| line.is_dated())
    }

    /// Returns the lines with a marker of unfinished work.
    pub(super) fn unfinished(&self) -> Vec<&Line<'a>> {
        let marked = |line: &&Line<'_>| words(line.text).any(|word| UNFINISHED.contains(&word));
        self.lines.iter().filter(marked).collect()
    }

    /// Returns the lines with a vague word, and that word; code is excluded, since it means what it says.
    pub(super) fn vague(&self) -> Vec<(&Line<'a>, &'static str)> {
        let lines = self.lines.iter().filter(|line| !line.code);
        let vague = |line: &Line<'_>| {
            words(&line.lower).find_map(|word| VAGUE.into_iter().find(|vague| *vague == word))
        };
        lines.filter_map(|line| Some((line, vague(line)?))).collect()
    }

    pub(super) fn headings(&self) -> impl Iterator<Item = &Line<'a>> {
        let lines = self.lines.iter();
        lines.filter(|line| line.heading().is_some())
    }

    /// Returns headings with nothing below them: neither a line nor a heading of a lower level.
    pub(super) fn empty_headings(&self) -> Vec<&Line<'a>> {
        let mut filled = (self.lines.iter()).filter(|line| !line.text.trim().is_empty());
        let mut empty = Vec::new();
        let mut open: Option<(&Line<'a>, usize)> = None;
        loop {
            let next = filled.next();
            let level = next.map_or(Some(0), Line::heading);
            if let (Some((heading, above)), Some(level)) = (open, level)
                && level <= above
            {
                empty.push(heading);
            }
            let Some(line) = next else { return empty };
            open = level.map(|level| (line, level));
        }
    }

    pub(super) fn word_count(&self) -> usize {
        self.lines.iter().map(|line| words(line.text).count()).sum()
    }

    /// Returns the lines that have keywords, with those keywords.
    pub(super) fn keywords(&self) -> Vec<(&Line<'a>, Keywords)> {
        let lines = self.lines.iter();
        lines
            .map(|line| (line, similarity::keywords([line.text])))
            .filter(|(_, words)| !words.is_empty())
            .collect()
    }

    pub(super) fn texts(&self) -> impl Iterator<Item = &'a str> {
        self.lines.iter().map(|line| line.text)
    }
}
