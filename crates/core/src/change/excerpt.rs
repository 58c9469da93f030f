//! The lines of a change around a place in it, cut as a hunk of their own.
//!
//! The hunks of a file are read as rows, with the unchanged lines between them where the new file's text is known. An
//! excerpt is a run of consecutive rows, so its `@@` line is right whatever it was cut from. Of a file of which a part
//! is not shown, what lies between its hunks is not known to be unchanged, and is left out.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::assemble::with_endings;
use super::parse::NO_NEWLINE;
use super::{Change, ChangeKind, ChangedFile, Hunk};

/// Lines before and after the place: a screen's third, enough for the condition above and the use below.
const AROUND: usize = 6;
/// Lines of the place itself: a longer one is cut after these, so that a finding about a whole file stays small.
const MOST: usize = 30;
/// Characters of a line: no code that people write has more.
const LINE_CHARS: usize = 400;

/// Lines of one side of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Lines {
    /// Whether they are counted in the old file.
    pub old: bool,
    /// The first one, from 1.
    pub first: u32,
    /// The last one.
    pub last: u32,
}

/// The lines of a change around a place: 6 before it and 6 after it, of the place itself the first 30, of each line the
/// first 400 characters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Excerpt {
    /// Its lines.
    #[serde(flatten)]
    pub hunk: Hunk,
    /// The place itself, as far as it is shown.
    pub marked: Lines,
}

/// A line of a changed file.
struct Row<'a> {
    mark: char,
    /// Its number in the old file; of an added line, that of the line after it.
    old: u32,
    /// Its number in the new file; of a removed line, that of the line after it.
    new: u32,
    /// With its line break, if it has one.
    text: &'a str,
    /// The heading of its hunk.
    heading: &'a str,
}

impl Row<'_> {
    /// Returns its number on one side, if it is on it.
    fn number(&self, old: bool) -> Option<u32> {
        let (other, number) = if old { ('+', self.old) } else { ('-', self.new) };
        (self.mark != other).then_some(number)
    }

    /// Returns the numbers of the next line, in both files.
    fn next(&self) -> (u32, u32) {
        let after = |old| u32::from(self.number(old).is_some());
        (self.old.saturating_add(after(true)), self.new.saturating_add(after(false)))
    }

    fn print(&self, body: &mut String) {
        let line = self.text.trim_end_matches(['\r', '\n']);
        body.push(self.mark);
        match line.char_indices().nth(LINE_CHARS) {
            Some((end, _)) => body.extend([&line[..end], "…"]),
            None => body.push_str(line),
        }
        match &self.text[line.len()..] {
            "" => body.extend(["\n", NO_NEWLINE]),
            end => body.push_str(end),
        }
    }
}

impl Change {
    /// Returns the lines around a place of a file; `None` if none of its lines is known.
    pub fn excerpt(&self, file: &ChangedFile, place: Lines) -> Option<Excerpt> {
        let part = format!("{} (", file.path);
        let mut left_out = self.not_reviewed.iter();
        let whole = !left_out.any(|left| left.path == file.path || left.path.starts_with(&part));
        let rows = file.rows(whole);
        let is_marked = |row: &Row<'_>| {
            let number = row.number(place.old);
            number.is_some_and(|number| (place.first..=place.last).contains(&number))
        };
        let at = rows.iter().position(is_marked)?;
        let joined = |pair: &[Row<'_>]| pair[0].next() == (pair[1].old, pair[1].new);
        let before = rows[..=at].windows(2).rev().take_while(|pair| joined(pair)).take(AROUND);
        let run = 1 + rows[at..].windows(2).take_while(|pair| joined(pair)).count();
        let run = &rows[at..at + run];
        let own = run.iter().rposition(is_marked)? + 1;
        let until = at + if own > MOST { MOST } else { run.len().min(own + AROUND) };
        let shown = &rows[at - before.count()..until];

        let first = shown.first()?;
        let count = |old| shown.iter().filter(|row| row.number(old).is_some()).count();
        let (old_lines, new_lines) = (number(count(true)), number(count(false)));
        // A side without lines is counted from the line before.
        let start = |at: u32, lines: u32| at.saturating_sub(u32::from(lines == 0));
        let mut body = String::new();
        for row in shown {
            row.print(&mut body);
        }
        let hunk = Hunk {
            old_start: start(first.old, old_lines),
            old_lines,
            new_start: start(first.new, new_lines),
            new_lines,
            heading: rows[at].heading.chars().take(LINE_CHARS).collect(),
            body,
        };
        let marked = shown.iter().filter(|row| is_marked(row));
        let last = marked.filter_map(|row| row.number(place.old)).next_back()?;
        let first = rows[at].number(place.old)?;
        Some(Excerpt { hunk, marked: Lines { first, last, ..place } })
    }
}

impl ChangedFile {
    /// Reads the file: its hunks and, if all of them are there, what is between them.
    fn rows(&self, whole: bool) -> Vec<Row<'_>> {
        // A file that was added or deleted is in its hunks.
        let whole = whole && !matches!(self.kind, ChangeKind::Added | ChangeKind::Deleted);
        let text = self.text.as_deref().filter(|_| whole).unwrap_or_default();
        let mut lines = (1..).zip(text.split_inclusive('\n')).peekable();
        let (mut rows, mut next) = (Vec::new(), (1, 1));
        for hunk in self.hunks.iter().map(Some).chain([None]) {
            let start = |at: u32, lines: u32| at.saturating_add(u32::from(lines == 0));
            let until = hunk.map_or(u32::MAX, |hunk| start(hunk.new_start, hunk.new_lines));
            while let Some((new, text)) = lines.next_if(|(number, _)| *number < until) {
                // Those before are in the last hunk.
                if new == next.1 {
                    let row = Row { mark: ' ', old: next.0, new, text, heading: "" };
                    next = row.next();
                    rows.push(row);
                }
            }
            let Some(hunk) = hunk else { break };
            next = (start(hunk.old_start, hunk.old_lines), until);
            for line in with_endings(&hunk.body) {
                let (mark, text) = match line.as_bytes().first() {
                    Some(mark @ (b'+' | b'-' | b' ')) => (char::from(*mark), &line[1..]),
                    // Git may leave out the space of a blank line.
                    Some(_) | None => (' ', line),
                };
                let open = text.strip_suffix(NO_NEWLINE).and_then(|text| text.strip_suffix('\n'));
                let (text, heading) = (open.unwrap_or(text), hunk.heading.as_str());
                let row = Row { mark, old: next.0, new: next.1, text, heading };
                next = row.next();
                rows.push(row);
            }
        }
        rows
    }
}

impl fmt::Display for Hunk {
    /// Prints it in unified form, with its `@@` line.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { old_start, old_lines, new_start, new_lines, heading, body } = self;
        let space = if heading.is_empty() { "" } else { " " };
        let end = if body.ends_with('\n') { "" } else { "\n" };
        writeln!(out, "@@ -{old_start},{old_lines} +{new_start},{new_lines} @@{space}{heading}")?;
        write!(out, "{body}{end}")
    }
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
