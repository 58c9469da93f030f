//! A review as annotations of a GitHub workflow: one command per line (`::error file=...::message`).
//!
//! GitHub shows the first ten annotations of each level per step. So at most that many are written, the worst first;
//! the last line, for which there is always room, contains the number left out and the result of the review. That
//! line is an error if nothing was decided, so that a log without findings does not look like a clean change.
//!
//! All text that is not ours is escaped the way the runner unescapes it: `%`, CR and LF in the message, and `:` and
//! `,` too in a property. So no reply can start a command of its own.

use std::fmt::Write as _;

use super::page::about;
use super::{NothingToReview, ReviewDocument, file_line};
use crate::protocol::review::{FinalFinding, Severity};
use crate::report::page::ToPage as _;
use crate::report::progress::REHEARSAL;
use crate::text::sanitize;
use crate::words;

/// Maximum number of annotations of a level that GitHub shows per step.
const SHOWN: usize = 10;
/// Maximum characters of a title.
const TITLE_CHARS: usize = 200;
/// Maximum characters of a message.
const MESSAGE_CHARS: usize = 4_000;

words! {
    /// The level of an annotation.
    enum Level {
        Error = "error",
        Warning = "warning",
        Notice = "notice",
    }
}

impl Level {
    const fn of(severity: Severity) -> Self {
        match severity {
            Severity::P0 => Self::Error,
            Severity::P1 => Self::Warning,
            Severity::P2 => Self::Notice,
        }
    }
}

/// Returns the annotations, one per line, the worst first; the last line contains the result of the review.
pub fn annotations(document: &ReviewDocument) -> String {
    let mut text = String::new();
    let last = closing_level(document);
    let mut left_out = 0;
    for level in Level::ALL {
        let mut findings: Vec<&FinalFinding> = (document.result.findings.iter())
            .filter(|finding| Level::of(finding.reported.finding.severity) == level)
            .collect();
        findings.sort_by(|a, b| {
            let key = |finding: &FinalFinding| {
                let reported = &finding.reported;
                (reported.finding.file.clone(), reported.finding.line, reported.id.clone())
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

/// Returns the single annotation of a change in which there is nothing to look at.
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
            "\nFindings not annotated, because GitHub shows only {SHOWN} per level: {left_out}. The report has them all."
        )
        .ok();
    }
    text
}

fn title(finding: &FinalFinding) -> String {
    let reported = &finding.reported;
    format!(
        "{} {} ({}): {}",
        reported.finding.severity.name(),
        reported.id,
        about(finding, "review/status"),
        reported.finding.title
    )
}

fn message(finding: &FinalFinding) -> String {
    let reported = &finding.reported;
    let mut text = reported.finding.detail.trim().to_owned();
    if let Some(trigger) = &reported.finding.trigger {
        write!(text, "\nFails when: {}", trigger.trim()).ok();
    }
    for repeat in &reported.repeats {
        write!(text, "\nAlso told as {}: {}", repeat.id, repeat.title.trim()).ok();
    }
    if !reported.finding.fix.trim().is_empty() {
        write!(text, "\nFix: {}", reported.finding.fix.trim()).ok();
    }
    write!(text, "\n{}{}", about(reported, "review/who"), about(reported, "review/doubt")).ok();
    text
}

/// `file=src/a.rs,line=3,endLine=5,`; lines only if the new file has them.
fn place(finding: &FinalFinding) -> String {
    let reported = &finding.reported;
    let mut text = format!("file={},", property(&reported.finding.file));
    if let Some(line) = file_line(reported) {
        write!(text, "line={line},").ok();
        if let Some(end) = reported.finding.end_line.filter(|end| *end > line) {
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

/// Escapes a message; the inverse of the runner's `unescapeData`.
fn escaped(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes a property, as one line; the inverse of the runner's `unescapeProperty`.
fn property(text: &str) -> String {
    escaped(&sanitize::line(text, TITLE_CHARS * 2)).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests;
