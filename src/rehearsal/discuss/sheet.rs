//! The artifact as the rules see it: numbered lines, and the words in them.

use super::SHORT;
use crate::text::sanitize;
use crate::text::similarity::{self, Keywords};

/// Words that say that something is not done. Spelled apart, so that a search for work left undone here finds nothing.
const UNFINISHED: [&str; 4] =
    [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("TB", "D"), concat!("XX", "X")];

/// Words that leave open what is meant.
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

/// Months by their names, without the one that is a verb as well.
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

/// One line.
#[derive(Debug)]
pub(super) struct Line<'a> {
    /// From 1.
    pub(super) number: usize,
    text: &'a str,
    lower: String,
    /// It belongs to a code fence: no heading and no prose.
    code: bool,
}

impl Line<'_> {
    /// The line's number and its first words.
    pub(super) fn shown(&self) -> String {
        format!("line {}: `{}`", self.number, self.quote())
    }

    /// The line's first words.
    pub(super) fn quote(&self) -> String {
        sanitize::line(&self.text.replace('`', "'"), SHORT)
    }

    /// Whether a word begins with one of these, which are in lower case.
    fn speaks_of(&self, stems: &[&str]) -> bool {
        words(&self.lower).any(|word| stems.iter().any(|stem| word.starts_with(stem)))
    }

    /// The level of a heading: how many marks it has.
    fn heading(&self) -> Option<usize> {
        let marks = self.text.bytes().take_while(|byte| *byte == b'#').count();
        let rest = self.text.get(marks..)?;
        ((1..=6).contains(&marks) && !self.code && rest.starts_with(' ')).then_some(marks)
    }

    /// Neither in a fence nor indented as an example is.
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

/// The whole artifact.
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

    /// The first line with a word that begins with one of these: of prose, if there is one, else of code or an example.
    pub(super) fn first(&self, stems: &[&str]) -> Option<&Line<'a>> {
        let mut prose = self.lines.iter().filter(|line| line.is_prose());
        prose
            .find(|line| line.speaks_of(stems))
            .or_else(|| self.lines.iter().find(|line| line.speaks_of(stems)))
    }

    /// All lines with such a word.
    pub(super) fn all(&self, stems: &[&str]) -> Vec<&Line<'a>> {
        let lines = self.lines.iter();
        lines.filter(|line| line.speaks_of(stems)).collect()
    }

    /// The first line with a year or a month.
    pub(super) fn dated(&self) -> Option<&Line<'a>> {
        self.lines.iter().find(|line| line.is_dated())
    }

    /// Lines that say that something is not done.
    pub(super) fn unfinished(&self) -> Vec<&Line<'a>> {
        let marked = |line: &&Line<'_>| words(line.text).any(|word| UNFINISHED.contains(&word));
        self.lines.iter().filter(marked).collect()
    }

    /// Lines that leave open what is meant, with the word; code means what it says.
    pub(super) fn vague(&self) -> Vec<(&Line<'a>, &'static str)> {
        let lines = self.lines.iter().filter(|line| !line.code);
        let vague = |line: &Line<'_>| {
            words(&line.lower).find_map(|word| VAGUE.into_iter().find(|vague| *vague == word))
        };
        lines.filter_map(|line| Some((line, vague(line)?))).collect()
    }

    /// The headings.
    pub(super) fn headings(&self) -> impl Iterator<Item = &Line<'a>> {
        let lines = self.lines.iter();
        lines.filter(|line| line.heading().is_some())
    }

    /// Headings with nothing below them: neither a line nor a heading of a lower level.
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

    /// How many words there are.
    pub(super) fn word_count(&self) -> usize {
        self.lines.iter().map(|line| words(line.text).count()).sum()
    }

    /// The lines that have keywords, with them.
    pub(super) fn keywords(&self) -> Vec<(&Line<'a>, Keywords)> {
        let lines = self.lines.iter();
        lines
            .map(|line| (line, similarity::keywords([line.text])))
            .filter(|(_, words)| !words.is_empty())
            .collect()
    }

    /// The texts of all lines.
    pub(super) fn texts(&self) -> impl Iterator<Item = &'a str> {
        self.lines.iter().map(|line| line.text)
    }
}
