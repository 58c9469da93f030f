//! The code around a finding, for roles that are not shown the whole diff.

use crate::change::{Change, ChangedFile, Hunk};
use crate::protocol::review::model::LocatedFinding;

/// Maximum number of lines of a finding that are shown after its first, not counting those around it.
const OWN_LINES: u32 = 12;
/// Maximum number of characters of a line.
const LINE_CHARS: usize = 200;

/// One line of a hunk.
struct Row<'a> {
    mark: char,
    /// Its number in the new file; `None` for a removed line.
    number: Option<u32>,
    text: &'a str,
}

/// Returns the lines around a finding, each with its number and mark; empty if the place is not known.
pub(super) fn excerpt(change: &Change, placed: &LocatedFinding, context: u32) -> Vec<String> {
    let finding = &placed.finding;
    let Some(file) = change.file(&finding.file) else {
        return Vec::new();
    };
    let context_rows = usize::try_from(context).unwrap_or(0);
    for hunk in &file.hunks {
        let rows = rows(hunk);
        let at = match finding.line {
            Some(line) => rows.iter().position(|row| row.number == Some(line)),
            None => None,
        };
        let at = at.or_else(|| quoted(&rows, finding.quote.as_deref()));
        if let Some(at) = at {
            let own = usize::try_from(own(finding.line, finding.end_line)).unwrap_or(0);
            let from = at.saturating_sub(context_rows);
            let until = (at + own + context_rows + 1).min(rows.len());
            return rows[from..until].iter().map(shown).collect();
        }
    }
    match finding.line {
        Some(line) => around(file, line, finding.end_line, context),
        None => Vec::new(),
    }
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
fn around(file: &ChangedFile, line: u32, end: Option<u32>, context: u32) -> Vec<String> {
    let Some(text) = &file.text else {
        return Vec::new();
    };
    let from = line.saturating_sub(context).max(1);
    let until = line.saturating_add(own(Some(line), end)).saturating_add(context);
    (1_u32..)
        .zip(text.lines())
        .skip_while(|(number, _)| *number < from)
        .take_while(|(number, _)| *number <= until)
        .map(|(number, text)| shown(&Row { mark: ' ', number: Some(number), text }))
        .collect()
}

fn shown(row: &Row<'_>) -> String {
    let number = row.number.map(|number| number.to_string());
    let text: String = row.text.chars().take(LINE_CHARS).collect();
    format!("{:>5} {} {text}", number.unwrap_or_default(), row.mark)
}
