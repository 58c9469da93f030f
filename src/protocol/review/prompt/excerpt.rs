//! The code around findings, for roles that are not shown the whole diff.

use serde_json::{Value, json};

use crate::change::{Change, ChangedFile, Hunk};
use crate::ordered::{BTreeMap, Gather};
use crate::protocol::review::locate;
use crate::protocol::review::model::LocatedFinding;

/// Maximum number of lines of a finding that are shown after its first, not counting those around it.
const OWN_LINES: u32 = 12;
/// Maximum number of lines that a judge gets to see on its word.
const ASKED_LINES: usize = 80;
/// Maximum number of characters of a line.
const LINE_CHARS: usize = 200;
/// Stands where lines are left out.
const GAP: &str = "...";

struct Row<'a> {
    mark: char,
    /// Its number in the new file; `None` for a removed line.
    number: Option<u32>,
    text: &'a str,
}

/// The place of a line in its file: the number of the new file, then hunk and row, for removed lines before it.
type Place = (u32, usize, usize);

/// Lines of a file to be shown, in their order.
type Lines = BTreeMap<Place, String>;

/// Returns the code around some findings by file, each line once, with its number and mark. A file of which no place is
/// known is left out.
pub(super) fn excerpts(change: &Change, findings: &[&LocatedFinding], context: u32) -> Value {
    let mut files: BTreeMap<&str, Lines> = BTreeMap::new();
    for placed in findings {
        if let Some(file) = change.file(&placed.finding.file) {
            files.entry(&file.path).or_default().extend(around_finding(file, placed, context));
        }
    }
    let files = files.into_iter().filter(|(_, lines)| !lines.is_empty());
    files.map(|(path, lines)| json!({ "file": path, "code": with_gaps(lines) })).collect()
}

/// Marks where lines are left out.
fn with_gaps(lines: Lines) -> Vec<String> {
    let mut shown = Vec::with_capacity(lines.len());
    let mut before: Option<u32> = None;
    for ((number, ..), line) in lines {
        if before.is_some_and(|before| number > before.saturating_add(1)) {
            shown.push(GAP.to_owned());
        }
        before = Some(number);
        shown.push(line);
    }
    shown
}

fn around_finding(file: &ChangedFile, placed: &LocatedFinding, context: u32) -> Lines {
    let finding = &placed.finding;
    let context_rows = usize::try_from(context).unwrap_or(0);
    for (index, hunk) in file.hunks.iter().enumerate() {
        let rows = rows(hunk);
        let at = match finding.line {
            Some(line) => rows.iter().position(|row| row.number == Some(line)),
            None => None,
        };
        let at = at.or_else(|| quoted(&rows, finding.quote.as_deref()));
        if let Some(at) = at {
            let own = usize::try_from(own(finding.line, finding.end_line)).unwrap_or(0);
            let first = at.saturating_sub(context_rows);
            let until = (at + own + context_rows + 1).min(rows.len());
            let lines =
                places(hunk, &rows, index).into_iter().zip(&rows).skip(first).take(until - first);
            return lines.map(|(place, row)| (place, shown(row))).gather();
        }
    }
    match finding.line {
        Some(line) => around(file, line, finding.end_line, context),
        None => Lines::new(),
    }
}

fn places(hunk: &Hunk, rows: &[Row<'_>], index: usize) -> Vec<Place> {
    let mut next = hunk.new_start;
    let places = rows.iter().enumerate().map(|(at, row)| {
        let place = (row.number.unwrap_or(next), index, at);
        next = row.number.map_or(next, |number| number.saturating_add(1));
        place
    });
    places.collect()
}

/// Returns how many lines of the finding follow its first.
fn own(line: Option<u32>, end: Option<u32>) -> u32 {
    match (line, end) {
        (Some(line), Some(end)) => end.saturating_sub(line).min(OWN_LINES),
        (Some(_) | None, Some(_) | None) => 0,
    }
}

fn rows(hunk: &Hunk) -> Vec<Row<'_>> {
    let mut next = hunk.new_start;
    let mut rows = Vec::new();
    for line in hunk.body.lines() {
        let mut characters = line.chars();
        let Some(mark) = characters.next() else {
            continue;
        };
        let number = match mark {
            ' ' | '+' => {
                next = next.saturating_add(1);
                Some(next - 1)
            }
            _ => None,
        };
        rows.push(Row { mark, number, text: characters.as_str() });
    }
    rows
}

/// Finds removed code, which has no line number, by the first non-blank line of its quote.
fn quoted(rows: &[Row<'_>], quote: Option<&str>) -> Option<usize> {
    let wanted = quote?.lines().map(str::trim).find(|line| !line.is_empty())?;
    rows.iter().position(|row| row.mark == '-' && row.text.trim() == wanted)
}

/// Returns lines of the new file that are not in any hunk.
fn around(file: &ChangedFile, line: u32, end: Option<u32>, context: u32) -> Lines {
    let Some(text) = &file.text else {
        return Lines::new();
    };
    let from = line.saturating_sub(context).max(1);
    let until = line.saturating_add(own(Some(line), end)).saturating_add(context);
    (1_u32..)
        .zip(text.lines())
        .skip_while(|(number, _)| *number < from)
        .take_while(|(number, _)| *number <= until)
        .map(|(number, text)| {
            let row = Row { mark: ' ', number: Some(number), text };
            ((number, usize::MAX, 0), shown(&row))
        })
        .gather()
}

/// Returns the lines of a file of the change that a judge asked for, such as `src/a.rs:480-500`; none if it has no such.
pub(crate) fn asked_for(change: &Change, written: &str) -> Vec<String> {
    let Some((ChangedFile { text: Some(text), .. }, first, last)) = locate::lines(change, written)
    else {
        return Vec::new();
    };
    let lines = (1..).zip(text.lines()).filter(|(number, _)| (first..=last).contains(number));
    let row = |(number, text)| shown(&Row { mark: ' ', number: Some(number), text });
    lines.map(row).take(ASKED_LINES).collect()
}

fn shown(row: &Row<'_>) -> String {
    let text: String = row.text.chars().take(LINE_CHARS).collect();
    numbered_line(row.number, row.mark, &text)
}

/// Returns a line of code as prompts show it, with its number and its mark: a form in which quotations are recognised
/// ([`crate::text::block::quotation`]).
pub(super) fn numbered_line(number: Option<u32>, mark: char, text: &str) -> String {
    let number = number.map(|number| number.to_string());
    format!("{:>5} {mark} {text}", number.unwrap_or_default())
}
