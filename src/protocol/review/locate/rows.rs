//! The lines of a changed file, and the search for quotes in them.
//!
//! A file is read as several runs of [`Row`]s: the new text, and for each hunk the new side, the old side, and the
//! lines as printed, so that a quote is found whether it was copied from the code or from the diff. White space is
//! compared only by its presence, blank lines not at all.

use std::ops::Range;

use crate::change::{ChangeKind, ChangedFile, Hunk};

/// Lines of a quote beyond this are not compared: the lines before them suffice to identify the place.
const QUOTE_LINES: usize = 50;
/// A part of a line shorter than this (in non-white-space characters) occurs everywhere: it is found only where the
/// finding claims it to be.
const FRAGMENT_CHARS: usize = 8;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Row {
    /// Its number in the new file; for a removed line, that of the line that took its place.
    pub(super) line: u32,
    /// Its number in the old file, if it was there and is known.
    pub(super) old: Option<u32>,
    pub(super) removed: bool,
    /// The text, with every run of white space collapsed to one space.
    pub(super) text: String,
}

/// A way in which a quote may have been copied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Form {
    /// Its non-blank lines, squeezed; at least one.
    pub(super) lines: Vec<String>,
    /// Whether it was marked as removed: it is then looked for in the removed lines first.
    removed: bool,
}

/// The place where a quote was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Hit {
    /// First and last line, in the new file; for a deleted file, in the old one.
    pub(super) lines: (u32, u32),
    /// Whether it is in lines that the change removes.
    pub(super) removed: bool,
    /// The first and last of the removed lines among them, in the old file.
    pub(super) old: Option<(u32, u32)>,
    /// The whole lines that it covers, as [`Row::text`], joined by line breaks.
    pub(super) code: String,
}

/// Collapses every run of white space in a text to one space and trims it.
pub(super) fn squeeze(text: &str) -> String {
    let mut squeezed = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !squeezed.is_empty() {
            squeezed.push(' ');
        }
        squeezed.push_str(word);
    }
    squeezed
}

/// Returns the squeezed non-blank lines of a text, at most [`QUOTE_LINES`].
pub(super) fn quote_lines(text: &str) -> Vec<String> {
    let lines = text.lines().map(squeeze).filter(|line| !line.is_empty());
    lines.take(QUOTE_LINES).collect()
}

/// Returns the forms in which a quote may have been copied: unchanged, out of a Markdown fence or backticks, without
/// the numbers that prompts put before each line, and without the marks of a diff. A form without a letter or a digit (`}`) identifies no place, and is dropped.
pub(super) fn forms(quote: &str) -> Vec<Form> {
    let mut texts = vec![(quote.to_owned(), false)];
    let bare = unwrap(quote);
    if bare != quote.trim() {
        texts.push((bare.to_owned(), false));
    }
    let unnumbered = without_numbers(bare);
    texts.extend(unnumbered.iter().map(|text| (text.clone(), false)));
    texts.extend(without_marks(unnumbered.as_deref().unwrap_or(bare)));
    let forms =
        texts.into_iter().map(|(text, removed)| Form { lines: quote_lines(&text), removed });
    forms.filter(|form| says_something(&form.lines)).collect()
}

/// Whether a quote contains a letter or a digit.
pub(super) fn says_something(lines: &[String]) -> bool {
    let mut characters = lines.iter().flat_map(|line| line.chars());
    characters.any(char::is_alphanumeric)
}

/// Removes a fence or backticks that wrap a text as a whole.
fn unwrap(text: &str) -> &str {
    let text = text.trim();
    if let Some(inner) = text.strip_prefix("```")
        && let Some(inner) = inner.strip_suffix("```")
    {
        // The rest of the line after the opening fence names a language.
        return inner.split_once('\n').map_or(inner, |(_, code)| code);
    }
    let inner = text.trim_matches('`');
    if inner.contains('`') { text } else { inner }
}

/// Removes the numbers of lines as prompts show them (`   11 +let a = 1;`), if every line has one, or is a removed
/// line, which has none. What is left has the marks of a diff.
fn without_numbers(text: &str) -> Option<String> {
    let mut numbered = false;
    let mut lines = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let line = line.trim_start();
        let rest = line.trim_start_matches(|one: char| one.is_ascii_digit());
        if rest.len() == line.len() {
            lines.push(line.starts_with('-').then_some(line)?);
            continue;
        }
        numbered = true;
        let rest = rest.strip_prefix(' ')?;
        lines.push(rest.starts_with(['+', '-', ' ']).then_some(rest)?);
    }
    numbered.then(|| lines.join("\n"))
}

/// Removes the marks of a diff, if every line has one and one of them is not a space; also returns whether one of
/// them marks a removed line.
fn without_marks(text: &str) -> Option<(String, bool)> {
    let (mut marked, mut removed) = (false, false);
    let mut lines = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        marked |= line.starts_with(['+', '-']);
        removed |= line.starts_with('-');
        lines.push(line.strip_prefix(['+', '-', ' '])?);
    }
    marked.then(|| (lines.join("\n"), removed))
}

/// Returns the number of non-white-space characters of a quote.
pub(super) fn weight(lines: &[String]) -> usize {
    let characters = lines.iter().flat_map(|line| line.chars());
    characters.filter(|one| !one.is_whitespace()).count()
}

/// A file's lines, prepared for several searches.
#[derive(Debug)]
pub(super) struct Rows {
    /// Runs of lines in the new file: of its text and of each hunk.
    new: Vec<Vec<Row>>,
    /// Runs of lines in the old file, and of the printed lines, of each hunk.
    old: Vec<Vec<Row>>,
    /// The ranges of the new file that the hunks cover.
    shown: Vec<Range<u32>>,
}

impl Rows {
    /// Reads a file: its hunks and its text.
    pub(super) fn of(file: &ChangedFile) -> Self {
        let mut new = Vec::new();
        let mut old = Vec::new();
        for hunk in &file.hunks {
            let printed = printed(file, hunk);
            let rows = || printed.iter().cloned();
            new.push(rows().filter(|row| !row.removed).collect());
            old.push(rows().filter(|row| row.old.is_some()).collect());
            old.push(printed);
        }
        if let Some(text) = &file.text {
            new.push(text_rows(text));
        }
        let shown = file.hunks.iter().map(new_lines).collect();
        Self { new, old, shown }
    }

    /// Whether a line of the new file is in a hunk.
    pub(super) fn shows(&self, line: u32) -> bool {
        self.shown.iter().any(|lines| lines.contains(&line))
    }

    /// Returns a line of the new file, squeezed; `None` if it is blank or not known.
    pub(super) fn line(&self, line: u32) -> Option<&str> {
        let mut rows = self.new.iter().flatten();
        let row = rows.find(|row| row.line == line)?;
        Some(&row.text)
    }

    /// Looks for a quote: in the new file, then in the removed lines; the other way round for a quote that is marked
    /// as removed.
    ///
    /// Of several places, the nearest to the written lines is taken; without written lines, one in a hunk, then one
    /// of whole lines, then the first.
    pub(super) fn find(&self, form: &Form, written: Option<(u32, u32)>) -> Option<Hit> {
        let (first, second) =
            if form.removed { (&self.old, &self.new) } else { (&self.new, &self.old) };
        self.find_in(first, &form.lines, written)
            .or_else(|| self.find_in(second, &form.lines, written))
    }

    fn find_in(
        &self,
        runs: &[Vec<Row>],
        quote: &[String],
        written: Option<(u32, u32)>,
    ) -> Option<Hit> {
        if quote.is_empty() {
            return None;
        }
        let long = weight(quote) >= FRAGMENT_CHARS;
        let places = runs.iter().flat_map(|run| run.windows(quote.len()));
        let hits = places.filter_map(|rows| {
            let fit = fit(rows, quote)?;
            let away = written.map_or(0, |written| distance(rows, written));
            if fit == QuoteMatch::Part && !long && (written.is_none() || away > 0) {
                return None;
            }
            let (first, last) = (rows.first()?, rows.last()?);
            let hidden = !self.shows(first.line) && !first.removed;
            Some(((away, hidden, fit, first.line), (first, last, rows)))
        });
        let (_, (first, last, rows)) = hits.min_by_key(|(rank, _)| *rank)?;
        let gone = rows.iter().any(|row| row.removed);
        // Printed lines may mix both sides: the place is then that of the added lines.
        let added = rows.iter().find(|row| row.old.is_none());
        let start = match added {
            Some(added) if gone => added.line,
            Some(_) | None => first.line,
        };
        let removed = gone && added.is_none();
        let old = rows.iter().filter(|row| row.removed).filter_map(|row| row.old);
        let old = old.clone().min().zip(old.max());
        let lines: Vec<&str> = rows.iter().map(|row| row.text.as_str()).collect();
        let code = lines.join("\n");
        Some(Hit { lines: (start, last.line.max(start)), removed, old, code })
    }
}

/// The quality of a quote's match with some lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum QuoteMatch {
    /// It is exactly those lines.
    Whole,
    /// It begins or ends within a line.
    Part,
}

/// Compares a quote with the same number of lines.
fn fit(rows: &[Row], quote: &[String]) -> Option<QuoteMatch> {
    if rows.iter().zip(quote).all(|(row, line)| row.text == *line) {
        return Some(QuoteMatch::Whole);
    }
    if let ([row], [line]) = (rows, quote) {
        return holds(&row.text, line).then_some(QuoteMatch::Part);
    }
    let (first, rows) = rows.split_first()?;
    let (last, rows) = rows.split_last()?;
    let (begin, quote) = quote.split_first()?;
    let (end, quote) = quote.split_last()?;
    let inner = rows.iter().zip(quote).all(|(row, line)| row.text == *line);
    let fits = inner
        && cut(&first.text, first.text.len().checked_sub(begin.len())?, begin)
        && cut(&last.text, 0, end);
    fits.then_some(QuoteMatch::Part)
}

/// Whether a part occurs in a line as whole words.
fn holds(line: &str, part: &str) -> bool {
    line.match_indices(part).any(|(at, _)| cut(line, at, part))
}

/// Whether a part occurs at this place of a line, and neither begins nor ends within a word.
fn cut(line: &str, at: usize, part: &str) -> bool {
    let Some((before, rest)) = line.split_at_checked(at) else {
        return false;
    };
    let Some(after) = rest.strip_prefix(part) else {
        return false;
    };
    let word = |one: char| one.is_alphanumeric() || one == '_';
    let begins = before.ends_with(word) && part.starts_with(word);
    let ends = after.starts_with(word) && part.ends_with(word);
    !begins && !ends
}

/// Returns the distance of some lines from the written ones; 0 if they overlap. Removed lines may have been written
/// with their old numbers.
fn distance(rows: &[Row], (first, last): (u32, u32)) -> u32 {
    let (Some(start), Some(end)) = (rows.first(), rows.last()) else {
        return u32::MAX;
    };
    let gap = |start: u32, end: u32| {
        let before = first.saturating_sub(end);
        let after = start.saturating_sub(last);
        before.max(after)
    };
    let new = gap(start.line, end.line);
    match (start.removed || end.removed, start.old, end.old) {
        (true, Some(start), Some(end)) => new.min(gap(start, end)),
        (true | false, _, _) => new,
    }
}

fn new_lines(hunk: &Hunk) -> Range<u32> {
    hunk.new_start..hunk.new_start.saturating_add(hunk.new_lines)
}

/// Returns the non-blank lines of a text.
fn text_rows(text: &str) -> Vec<Row> {
    let lines = (1..).zip(text.lines());
    let rows =
        lines.map(|(line, text)| Row { line, old: None, removed: false, text: squeeze(text) });
    rows.filter(|row| !row.text.is_empty()).collect()
}

/// Returns the non-blank lines of a hunk, as printed.
fn printed(file: &ChangedFile, hunk: &Hunk) -> Vec<Row> {
    let deleted = file.kind == ChangeKind::Deleted;
    let (mut old, mut new) = (hunk.old_start.max(1), hunk.new_start.max(1));
    let mut rows = Vec::new();
    for line in hunk.body.lines() {
        let (mark, text) = match line.as_bytes().first() {
            Some(mark @ (b'+' | b'-' | b' ')) => (*mark, line.get(1..).unwrap_or_default()),
            // Git may leave out the space of a blank line.
            None => (b' ', ""),
            // `\ No newline at end of file`, and anything else that is not a line of a diff.
            Some(_) => continue,
        };
        let at = match (deleted, mark) {
            (true, _) => old,
            (false, b'-') => file.lines.map_or(new, |lines| new.min(lines.max(1))),
            (false, _) => new,
        };
        let row = Row {
            line: at,
            old: (mark != b'+').then_some(old),
            removed: mark == b'-',
            text: squeeze(text),
        };
        if mark != b'+' {
            old = old.saturating_add(1);
        }
        if mark != b'-' {
            new = new.saturating_add(1);
        }
        if !row.text.is_empty() {
            rows.push(row);
        }
    }
    rows
}
