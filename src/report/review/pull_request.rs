//! A review as it stands on a pull request: what sums it up, and comments at the lines of the diff.

use super::code::replacement;
use super::{ReviewDocument, file_line};
use crate::change::Excerpt;
use crate::protocol::review::{FinalFinding, ReportedFinding, Status};
use crate::report::page::{ToPage as _, markdown};
use crate::text::sanitize::{self, markdown_code};

/// Maximum characters of the folded record; GitHub allows 65,536 in a comment.
const RECORD_CHARS: usize = 55_000;
/// Number of unchanged lines around a change that a diff on GitHub has, in which alone a line can be commented.
const AROUND: usize = 3;
/// Maximum comments of one review; the summary has all findings.
const COMMENTS: usize = 40;

/// Returns what sums up a review, in Markdown: at most 30 lines and the whole record folded below.
pub(crate) fn summary(document: &ReviewDocument) -> String {
    let page = document.page();
    let shown = markdown::piece(&document.data().fill("review/pull-request"), 4);
    let record = document.markdown();
    let whole = sanitize::beginning(&record, RECORD_CHARS);
    let more = if whole.len() < record.len() {
        let id = &document.header.session_id;
        format!(
            "\nThe record is longer than a comment may be: `debate-agent sessions show {id} --format md` has all of it.\n"
        )
    } else {
        String::new()
    };
    format!(
        "{}\n{shown}\n<details><summary>The whole record</summary>\n\n{whole}{more}\n</details>\n",
        markdown::head(&page)
    )
}

/// A finding as a comment at a line, or at the last of several.
#[derive(Debug)]
pub(crate) struct LineComment<'a> {
    pub(crate) finding: &'a ReportedFinding,
    /// The lines in the new file, from 1.
    pub(crate) lines: (u32, u32),
    pub(crate) body: String,
}

/// Returns the findings that the diff of a pull request shows, as comments.
pub(crate) fn comments(document: &ReviewDocument) -> Vec<LineComment<'_>> {
    let findings = document.result.findings.iter();
    findings.filter_map(|finding| comment(document, finding)).take(COMMENTS).collect()
}

/// Returns a finding as a comment at its lines. `None` for a disputed one, and for one that the diff does not show.
fn comment<'a>(document: &ReviewDocument, finding: &'a FinalFinding) -> Option<LineComment<'a>> {
    let reported = &finding.reported;
    let hunk = reported.hunk.as_ref().filter(|_| finding.status != Status::Disputed)?;
    let lines = lines(hunk).filter(|_| file_line(reported).is_some())?;
    let replacement = replacement(reported);
    let data = document.data().with("shown", &reported.id);
    let data = data.with("suggested", replacement.is_some());
    let mut body = markdown::piece(&data.fill("review/comment"), 4);
    if let Some(code) = replacement {
        body.push('\n');
        body.push_str(&markdown_code(&code, "suggestion"));
    }
    Some(LineComment { finding: reported, lines, body })
}

/// Returns the marked lines of the new file, if a diff on GitHub shows all of them.
fn lines(Excerpt { hunk, marked }: &Excerpt) -> Option<(u32, u32)> {
    let marks: Vec<char> = hunk.body.lines().filter_map(|line| line.chars().next()).collect();
    let is_changed = |at: usize| {
        let around = at.saturating_sub(AROUND)..(at + AROUND + 1).min(marks.len());
        marks[around].iter().any(|mark| matches!(mark, '+' | '-'))
    };
    let mut number = hunk.new_start;
    let mut shown = 0;
    for (at, mark) in marks.iter().enumerate() {
        if matches!(mark, ' ' | '+') {
            if (marked.first..=marked.last).contains(&number) && is_changed(at) {
                shown += 1;
            }
            number += 1;
        }
    }
    (!marked.old && shown == marked.last - marked.first + 1).then_some((marked.first, marked.last))
}

#[cfg(test)]
mod tests;
