//! A review as annotations of a GitHub workflow: one command a line (`::error file=...::message`).
//!
//! GitHub shows at most ten annotations of a level per step, the first ones. So at most that many
//! are written, the worst first; how many are left out, and what came of the review, is said by the
//! last line, for which there is always room. That line is an error where nothing was decided, so
//! that a log without findings does not look like a clean change.
//!
//! Everything in a line that is not ours is escaped as the runner unescapes it: `%`, CR and LF in
//! the message, `:` and `,` besides in a property. So no answer can begin a command of its own.

use std::fmt::Write as _;

use super::page::{doubt, status, who};
use super::{NothingToReview, ReviewDocument, file_line};
use crate::protocol::review::{FinalFinding, Severity};
use crate::report::page::ToPage as _;
use crate::report::page::terminal::line;
use crate::report::progress::REHEARSAL;
use crate::text::sanitize;

/// Annotations of a level that GitHub shows of a step.
const SHOWN: usize = 10;
/// Characters of a title.
const TITLE_CHARS: usize = 200;
/// Characters of a message.
const MESSAGE_CHARS: usize = 4_000;

/// A level of annotations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Level {
    Error,
    Warning,
    Notice,
}

impl Level {
    const ALL: [Self; 3] = [Self::Error, Self::Warning, Self::Notice];

    const fn of(severity: Severity) -> Self {
        match severity {
            Severity::P0 => Self::Error,
            Severity::P1 => Self::Warning,
            Severity::P2 => Self::Notice,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Notice => "notice",
        }
    }
}

/// Returns the annotations, one a line, the worst first; the last line says what came of the review.
pub fn annotations(document: &ReviewDocument) -> String {
    let mut text = String::new();
    let last = closing_level(document);
    let mut left_out = 0;
    for level in Level::ALL {
        let mut findings: Vec<&FinalFinding> = (document.findings.iter())
            .filter(|finding| Level::of(finding.reported.severity) == level)
            .collect();
        findings.sort_by(|a, b| {
            let key = |finding: &FinalFinding| {
                let reported = &finding.reported;
                (reported.file.clone(), reported.line, reported.id.clone())
            };
            key(a).cmp(&key(b))
        });
        let room = SHOWN - usize::from(level == last);
        left_out += findings.len().saturating_sub(room);
        for finding in findings.into_iter().take(room) {
            push(&mut text, level, &place(finding), &title(finding), &message(finding));
        }
    }
    push(&mut text, last, "", "debate-agent review", &closing(document, left_out));
    text
}

/// Returns the one annotation of a change in which there is nothing to look at.
pub fn nothing(nothing: &NothingToReview) -> String {
    let mut text = String::new();
    push(&mut text, Level::Notice, "", "debate-agent review", &nothing.sentence());
    text
}

fn closing_level(document: &ReviewDocument) -> Level {
    let gap = document.silent().chain(document.lapsed()).next().is_some()
        || document.missed().next().is_some();
    match (document.decided(), gap || document.header.rehearsal) {
        (false, _) => Level::Error,
        (true, true) => Level::Warning,
        (true, false) => Level::Notice,
    }
}

fn closing(document: &ReviewDocument, left_out: usize) -> String {
    let mut text = String::new();
    if document.header.rehearsal {
        text.push_str(REHEARSAL);
        text.push('\n');
    }
    text.push_str(&document.headline());
    if left_out > 0 {
        write!(
            text,
            "\nFindings that are not annotated, because GitHub shows {SHOWN} of a level: {left_out}. The report has all."
        )
        .ok();
    }
    text
}

fn title(finding: &FinalFinding) -> String {
    let reported = &finding.reported;
    format!(
        "{} {} ({}): {}",
        reported.severity.name(),
        reported.id,
        line(&status(finding)),
        reported.title
    )
}

fn message(finding: &FinalFinding) -> String {
    let reported = &finding.reported;
    let mut text = reported.detail.trim().to_owned();
    if !reported.fix.trim().is_empty() {
        write!(text, "\nFix: {}", reported.fix.trim()).ok();
    }
    write!(text, "\n{}{}", line(&who(reported)), doubt(reported)).ok();
    text
}

/// `file=src/a.rs,line=3,endLine=5,`; a line only where the new file has it.
fn place(finding: &FinalFinding) -> String {
    let reported = &finding.reported;
    let mut text = format!("file={},", property(&reported.file));
    if let Some(line) = file_line(reported) {
        write!(text, "line={line},").ok();
        if let Some(end) = reported.end_line.filter(|end| *end > line) {
            write!(text, "endLine={end},").ok();
        }
    }
    text
}

fn push(text: &mut String, level: Level, place: &str, title: &str, message: &str) {
    let title = sanitize::line(title, TITLE_CHARS);
    let whole = sanitize::terminal(message);
    let mut message: String = whole.chars().take(MESSAGE_CHARS).collect();
    if message.len() < whole.len() {
        message.push_str(" ... (cut; the report has all of it)");
    }
    writeln!(
        text,
        "::{} {place}title={}::{}",
        level.name(),
        property(&title),
        escaped(message.trim())
    )
    .ok();
}

/// As the runner's `unescapeData` undoes it.
fn escaped(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// As the runner's `unescapeProperty` undoes it; on one line.
fn property(text: &str) -> String {
    escaped(&sanitize::line(text, TITLE_CHARS * 2)).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests;
