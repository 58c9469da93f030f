//! Checks whether a finding is where it claims to be (`docs/review.md`, step 2), by the program alone.
//!
//! # Theory of operation
//!
//! A reviewer names a file, perhaps a line, perhaps a quote. They are checked in this order:
//!
//! 1. **The file** must be one that reviewers are shown. Normalised paths are compared for equality: `./` and doubled
//!    slashes are dropped, `a/` and `b/` only if the rest matches exactly and the whole does not. Base names and
//!    endings are not guessed: `config.rs` is not `src/config.rs`. The old path of a renamed file means that file. A
//!    line appended to the path (`src/a.rs:42`) is split off if the rest matches exactly; a separate `line` takes
//!    precedence over it. Any other file is [`Location::Outside`].
//! 2. **The quote** is looked for in the new file (hunks and text), then in the removed lines. If it is found, the
//!    line is corrected, to the nearest place if there are several; a written line within the quote stays. If it is
//!    not found, the finding is [`Location::Mislocated`], whatever the line.
//! 3. **The line** must be in the new file's text; if only the patch is known, or the file is deleted, it must be in
//!    the lines that the hunks show (those of the old file for a deletion).
//! 4. A finding that names **neither** is located by its file: it makes no wrong claim about its place, and a missing
//!    test or a file mode has no line. It has no [`Distance`].

use super::model::{Distance, Finding, LocatedFinding, Location};
use crate::change::{Change, ChangeKind, ChangedFile, Excerpt, Lines};

mod rows;
#[cfg(test)]
mod tests;

use rows::{Form, Hit, Rows, forms, weight};

/// A quote shorter than this (in non-white-space characters) is not evidence, unless it is a whole line of two words
/// or more: a brace or `return;` occurs in every file.
const EVIDENCE_CHARS: usize = 8;
/// Maximum number of code spans of one text that are looked for.
const MOST_SPANS: usize = 20;

/// A written path, resolved.
struct Named<'a> {
    file: Option<&'a ChangedFile>,
    /// The file's path, or the written one, normalised, if there is no such file.
    path: String,
    /// The lines that were appended to the path.
    lines: Option<(u32, Option<u32>)>,
}

/// Checks the location of a finding.
pub fn place(change: &Change, finding: Finding) -> LocatedFinding {
    let named = resolve(change, &finding.file);
    let mut finding = Finding { file: named.path, ..finding };
    if let (None, Some((line, end))) = (finding.line, named.lines) {
        finding.line = Some(line);
        finding.end_line = finding.end_line.or(end);
    }
    finding.end_line = match (finding.line, finding.end_line) {
        (Some(line), Some(end)) if end >= line => Some(end),
        (Some(_) | None, Some(_) | None) => None,
    };
    let Some(file) = named.file else {
        return LocatedFinding {
            finding,
            location: Location::Outside,
            nearness: None,
            written_line: None,
        };
    };
    let rows = Rows::of(file);
    let written = finding.line;
    let (location, nearness) = match sought(&finding) {
        Some(forms) => match hit(&rows, &forms, &finding) {
            Some(hit) => (Location::Located, Some(correct(&mut finding, &rows, &hit))),
            None => (Location::Mislocated, None),
        },
        None => match written {
            Some(line) => match near(file, &rows, line) {
                Some(nearness) => (Location::Located, Some(nearness)),
                None => (Location::Mislocated, None),
            },
            None => (Location::Located, None),
        },
    };
    // A range that extends beyond the file ends with the file.
    if let (Some(end), Some(lines), Some(line)) = (finding.end_line, file.lines, finding.line)
        && file.kind != ChangeKind::Deleted
    {
        finding.end_line = Some(end.min(lines.max(line)));
    }
    LocatedFinding {
        written_line: written.filter(|_| finding.line != written),
        finding,
        location,
        nearness,
    }
}

/// Whether a text is evidence: it, or a code span of it, is found in a file of the change, at any distance from the
/// finding, and it is substantial: 8 non-white-space characters, or a whole line of two words.
pub fn evidence(change: &Change, text: &str) -> bool {
    let mut wanted = forms(text);
    for span in spans(text).take(MOST_SPANS) {
        wanted.extend(forms(span));
    }
    let is_substantial = |form: &Form, hit: &Hit| {
        let whole = hit.code == form.lines.join("\n");
        weight(&form.lines) >= EVIDENCE_CHARS || (whole && words(&form.lines) >= 2)
    };
    change.files.iter().any(|file| {
        let rows = Rows::of(file);
        let mut found = wanted.iter().filter_map(|form| Some((form, rows.find(form, None)?)));
        found.any(|(form, hit)| is_substantial(form, &hit))
    })
}

/// Returns the whole lines that a finding is about, squeezed: those of its quote if it was found, otherwise its line.
/// `None` if neither is known.
pub(super) fn code(change: &Change, finding: &Finding) -> Option<String> {
    let file = change.file(&finding.file)?;
    let rows = Rows::of(file);
    if let Some(forms) = sought(finding)
        && let Some(hit) = hit(&rows, &forms, finding)
    {
        return Some(hit.code);
    }
    rows.line(finding.line?).map(str::to_owned)
}

/// Returns the lines of the change around a finding; `None` unless it is located and its line is known.
pub(super) fn excerpt(change: &Change, placed: &LocatedFinding) -> Option<Excerpt> {
    let finding = &placed.finding;
    let first = finding.line.filter(|_| placed.location == Location::Located)?;
    let file = change.file(&finding.file)?;
    let old = placed.nearness == Some(Distance::Removed);
    let (first, last) = if old && file.kind != ChangeKind::Deleted {
        // Its line is the one that took the place of those that are gone.
        hit(&Rows::of(file), &sought(finding)?, finding)?.old?
    } else {
        (first, finding.end_line.unwrap_or(first))
    };
    change.excerpt(file, Lines { old, first, last })
}

/// Returns the file and the lines of `src/a.rs:480-500`; of a file of the change alone.
pub(super) fn lines<'a>(change: &'a Change, written: &str) -> Option<(&'a ChangedFile, u32, u32)> {
    let Named { file, lines, .. } = resolve(change, written);
    let (first, last) = lines?;
    Some((file?, first, last.unwrap_or(first)))
}

/// Returns a quote in the form in which quotes are compared with each other; `None` unless it is substantial.
pub(super) fn quote_key(quote: &str) -> Option<String> {
    let lines = forms(quote).pop()?.lines;
    (weight(&lines) >= EVIDENCE_CHARS).then(|| lines.join("\n"))
}

/// Returns the contents of the code spans and fenced blocks of a Markdown text.
pub(super) fn spans(text: &str) -> impl Iterator<Item = &str> {
    let (fence, tick) = ("```", "`");
    let mut rest = text;
    std::iter::from_fn(move || {
        let start = rest.find(tick)?;
        let mark = if rest[start..].starts_with(fence) { fence } else { tick };
        let inner = rest.get(start + mark.len()..)?;
        let end = inner.find(mark)?;
        rest = inner.get(end + mark.len()..)?;
        let span = inner.get(..end)?;
        // The rest of the line after an opening fence names a language.
        let code = span.split_once('\n').filter(|_| mark == fence);
        Some(code.map_or(span, |(_, code)| code))
    })
}

/// Returns the number of words, made of letters and digits, in some lines.
fn words(lines: &[String]) -> usize {
    let words = lines.iter().flat_map(|line| line.split(|one: char| !one.is_alphanumeric()));
    words.filter(|word| !word.is_empty()).count()
}

/// Returns the forms of a finding's quote; `None` if it has no quote or no form with a letter or digit.
fn sought(finding: &Finding) -> Option<Vec<Form>> {
    let forms = forms(finding.quote.as_deref()?);
    (!forms.is_empty()).then_some(forms)
}

/// Looks for a quote in each of its forms; the first one found counts.
fn hit(rows: &Rows, forms: &[Form], finding: &Finding) -> Option<Hit> {
    let written = finding.line.map(|line| (line, finding.end_line.unwrap_or(line)));
    forms.iter().find_map(|form| rows.find(form, written))
}

/// Moves a finding to where its quote was found, and returns how near to the change that is.
fn correct(finding: &mut Finding, rows: &Rows, hit: &Hit) -> Distance {
    let (start, end) = hit.lines;
    match finding.line {
        Some(line) if (start..=end).contains(&line) => {}
        Some(line) => {
            let span = finding.end_line.map(|end| end - line);
            finding.line = Some(start);
            finding.end_line = span.map(|span| start.saturating_add(span).max(end));
        }
        None => {
            finding.line = Some(start);
            finding.end_line = (end > start).then_some(end);
        }
    }
    let line = finding.line.unwrap_or(start);
    match (hit.removed, rows.shows(line)) {
        (true, _) => Distance::Removed,
        (false, true) => Distance::Exact,
        (false, false) => Distance::Context,
    }
}

/// Returns how near a line is to the change; `None` if the file has no such line.
fn near(file: &ChangedFile, rows: &Rows, line: u32) -> Option<Distance> {
    if line == 0 {
        return None;
    }
    if file.kind == ChangeKind::Deleted {
        let mut hunks = file.hunks.iter();
        let shown = hunks.any(|hunk| {
            (hunk.old_start..hunk.old_start.saturating_add(hunk.old_lines)).contains(&line)
        });
        return shown.then_some(Distance::Removed);
    }
    if file.lines.is_some_and(|lines| line > lines) {
        return None;
    }
    match (rows.shows(line), file.lines) {
        (true, _) => Some(Distance::Exact),
        (false, Some(_)) => Some(Distance::Context),
        (false, None) => None,
    }
}

fn resolve<'a>(change: &'a Change, written: &str) -> Named<'a> {
    let path = normal(written);
    if let Some(file) = exact(change, &path) {
        return found(file, None);
    }
    if let Some((path, lines)) = unglue(&path)
        && let Some(file) = exact(change, path)
    {
        return found(file, Some(lines));
    }
    Named { file: None, path, lines: None }
}

fn found(file: &ChangedFile, lines: Option<(u32, Option<u32>)>) -> Named<'_> {
    Named { file: Some(file), path: file.path.clone(), lines }
}

/// Finds a file by its path, by the path without the prefix that diffs add, or by its old path.
fn exact<'a>(change: &'a Change, path: &str) -> Option<&'a ChangedFile> {
    let bare = path.strip_prefix("a/").or_else(|| path.strip_prefix("b/"));
    let of = |path: &str| {
        let moved = |file: &&ChangedFile| {
            file.kind == ChangeKind::Renamed && file.old_path.as_deref() == Some(path)
        };
        change.file(path).or_else(|| change.files.iter().find(moved))
    };
    of(path).or_else(|| of(bare?))
}

/// Removes `./`, doubled slashes and surrounding blanks from a path.
fn normal(written: &str) -> String {
    let written = written.trim();
    let parts = written.split('/').enumerate();
    // An empty first part is the file system's root: such a path stays outside the change.
    let parts = parts.filter(|(at, part)| *part != "." && (*at == 0 || !part.is_empty()));
    let parts: Vec<&str> = parts.map(|(_, part)| part).collect();
    parts.join("/")
}

/// Splits `src/a.rs:42`, `src/a.rs:42-50` or `src/a.rs:42:7` into the path and the lines.
fn unglue(path: &str) -> Option<(&str, (u32, Option<u32>))> {
    let (rest, last) = path.rsplit_once(':')?;
    if let Some((path, line)) = rest.rsplit_once(':')
        && let (Ok(line), Ok(_)) = (line.parse(), last.parse::<u32>())
    {
        return Some((path, (line, None)));
    }
    let (line, end) = match last.split_once('-') {
        Some((line, end)) => (line, Some(end.parse().ok()?)),
        None => (last, None),
    };
    Some((rest, (line.parse().ok()?, end)))
}
