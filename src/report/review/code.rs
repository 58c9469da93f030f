//! The code of a finding as its page shows it: what its hunk shows is not quoted again, and a fix that is code is a
//! diff of the quoted code.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};
use serde::Serialize;

use crate::change::{Excerpt, Hunk, Lines, compare};
use crate::protocol::review::ReportedFinding;

/// What the page of a finding needs besides the finding.
#[derive(Debug, Serialize)]
pub(super) struct FindingCode {
    /// Whether its hunk shows the quoted lines.
    is_quote_shown: bool,
    patch: Option<Patch>,
}

/// A fix as a diff.
#[derive(Debug, PartialEq, Eq, Serialize)]
struct Patch {
    /// What the fix says besides its code; may be empty.
    text: String,
    /// The differences between the quoted code and that of the fix.
    hunks: Vec<Hunk>,
}

impl FindingCode {
    pub(super) fn of(reported: &ReportedFinding) -> Self {
        let quote = reported.finding.quote.as_deref().unwrap_or_default();
        let shown = reported.hunk.as_ref().and_then(|hunk| quoted(hunk, quote));
        // A diff of code that is not there would be none.
        let patch = shown.as_deref().and_then(|code| patch(code, &reported.finding.fix));
        Self { is_quote_shown: shown.is_some(), patch }
    }
}

/// Returns the whole lines of a hunk that a quote is of, from the file that has the marked ones; white space and blank
/// lines do not count. `None` if they are not all there.
fn quoted(Excerpt { hunk, marked }: &Excerpt, quote: &str) -> Option<String> {
    let squeeze = |line: &str| line.split_whitespace().collect::<String>();
    let wanted = quote.lines().map(squeeze).filter(|line| !line.is_empty());
    let wanted: Vec<String> = wanted.collect();
    let other = if marked.old { '+' } else { '-' };
    let lines = hunk.body.lines().filter(|line| !line.starts_with([other, '\\']));
    let lines: Vec<&str> = lines.map(|line| line.get(1..).unwrap_or_default()).collect();
    let written = lines.iter().map(|line| squeeze(line)).enumerate();
    let written: Vec<(usize, String)> = written.filter(|(_, line)| !line.is_empty()).collect();
    let joined = wanted.join("\n");
    // As many lines: only the first may begin before the quote, only the last end after it.
    let holds = |place: &&[(usize, String)]| {
        let place: Vec<&str> = place.iter().map(|(_, line)| line.as_str()).collect();
        !joined.is_empty() && place.join("\n").contains(&joined)
    };
    let place = written.windows(wanted.len().max(1)).find(holds)?;
    Some(lines[place.first()?.0..=place.last()?.0].join("\n"))
}

/// Returns the code of a fix that has exactly one fenced block, and where that is; `None` for another fix.
fn fenced(fix: &str) -> Option<(String, Range<usize>)> {
    let mut blocks: Vec<(String, Range<usize>)> = Vec::new();
    let mut is_within = false;
    for (event, place) in Parser::new(fix).into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_))) => {
                is_within = true;
                blocks.push((String::new(), place));
            }
            Event::End(TagEnd::CodeBlock) => is_within = false,
            Event::Text(text) if is_within => {
                blocks.last_mut()?.0.push_str(&text);
            }
            _ => {}
        }
    }
    let block = blocks.pop()?;
    blocks.is_empty().then_some(block)
}

/// Returns a fix that is code as a diff from some code.
fn patch(code: &str, fix: &str) -> Option<Patch> {
    let (fixed, place) = fenced(fix)?;
    let hunks = compare::hunks(Some(&flush(code)), &flush(&fixed));
    let around = [&fix[..place.start], &fix[place.end..]].map(str::trim);
    let text = around.join("\n\n").trim().to_owned();
    (!hunks.is_empty()).then_some(Patch { text, hunks })
}

/// Returns the lines that a fix puts in the place of the marked ones, indented like them. `None` if the fix is no such
/// code, or brings lines along that stand around the place: they would be there twice.
pub(super) fn replacement(reported: &ReportedFinding) -> Option<String> {
    let excerpt = reported.hunk.as_ref().filter(|excerpt| !excerpt.marked.old)?;
    let code = quoted(excerpt, reported.finding.quote.as_deref()?)?;
    let Lines { first, last, .. } = excerpt.marked;
    let (fixed, _) = fenced(&reported.finding.fix)?;
    let lines = excerpt.hunk.body.lines().filter(|line| line.starts_with([' ', '+']));
    let lines: Vec<&str> = lines.map(|line| &line[1..]).collect();
    let at = |number: u32| Some((number.checked_sub(excerpt.hunk.new_start)?) as usize);
    let (first, last) = (at(first)?, at(last)?);
    let is_place = lines.get(first..=last)?.join("\n") == code;
    let mut beside = [first.checked_sub(1), Some(last + 1)].into_iter().flatten();
    let is_known = beside.any(|at| {
        let line = lines.get(at).map_or("", |line| line.trim());
        !line.is_empty() && fixed.lines().any(|fixed| fixed.trim() == line)
    });
    if !is_place || is_known || flush(&fixed) == flush(&code) {
        return None;
    }
    let written = code.lines().find(|line| !line.trim().is_empty())?;
    let indent = code.lines().filter(|line| !line.trim().is_empty());
    let indent = indent.map(|line| line.len() - line.trim_start().len()).min()?;
    let indent = written.get(..indent)?;
    let fixed = flush(&fixed);
    let lines = fixed.lines().map(|line| match line.trim() {
        "" => "\n".to_owned(),
        _ => format!("{indent}{line}\n"),
    });
    Some(lines.collect())
}

/// Returns code without the indentation that all its lines have: a fix is rarely indented like the file.
fn flush(code: &str) -> String {
    let written = code.lines().filter(|line| !line.trim().is_empty());
    let indent = written.map(|line| line.len() - line.trim_start().len()).min().unwrap_or(0);
    code.lines().map(|line| line.get(indent..).unwrap_or_default().to_owned() + "\n").collect()
}

#[cfg(test)]
mod tests;
