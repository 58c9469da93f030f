//! The results that are no sessions: a change, and one agent's answer.

use serde::Serialize;
use serde_json::Value;

use super::{line, value};
use crate::app::run_agent::CallDocument;
use crate::protocol::Usd;
use crate::report::change::DiffDocument;
use crate::text::sanitize;

/// Files of a change, and parts that are left out, that are listed.
const FILES: usize = 200;
/// Bytes of a diff's text: what a client's model reads besides all else.
const DIFF_BYTES: usize = 32 << 10;
/// Bytes of one agent's answer.
const ANSWER_BYTES: usize = 64 << 10;

/// What a review would show, and what it would leave out.
#[derive(Debug, Serialize)]
struct Diff {
    scope: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    base: Option<String>,
    totals: Value,
    complete: bool,
    prompts: usize,
    files: Vec<File>,
    files_left_out: usize,
    not_reviewed: Vec<Missing>,
    not_reviewed_left_out: usize,
    text: String,
    text_cut: bool,
}

/// A file that reviewers would be shown.
#[derive(Debug, Serialize)]
struct File {
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    old_path: Option<String>,
    kind: Value,
    added: u64,
    removed: u64,
}

/// What they would not be shown.
#[derive(Debug, Serialize)]
struct Missing {
    path: String,
    why: &'static str,
    detail: String,
}

/// Makes the result of `read_diff`. A file that several prompts share is listed once.
pub(crate) fn diff(document: &DiffDocument) -> Value {
    let mut files: Vec<File> = Vec::new();
    let mut last: Option<&str> = None;
    // Prompts take the files in their order, so that the parts of one stand one after the other.
    for entry in document.batches.iter().flat_map(|batch| &batch.files) {
        match files.last_mut().filter(|_| last == Some(&entry.path)) {
            Some(file) => {
                file.added += entry.added;
                file.removed += entry.removed;
            }
            None => files.push(File {
                path: line(&entry.path),
                old_path: entry.old_path.as_deref().map(line),
                kind: value(&entry.kind),
                added: entry.added,
                removed: entry.removed,
            }),
        }
        last = Some(&entry.path);
    }
    let all = document
        .batches
        .iter()
        .filter_map(|batch| batch.text.as_deref());
    let all: String = all.collect::<Vec<_>>().concat();
    let (text, text_cut) = cut(&all, DIFF_BYTES);
    let shown = files.len();
    files.truncate(FILES);
    let missing = document
        .not_reviewed
        .iter()
        .take(FILES)
        .map(|part| Missing {
            path: line(&part.path),
            why: part.why.name(),
            detail: line(&part.detail),
        });
    value(&Diff {
        scope: line(&document.scope),
        base: document.base.clone(),
        totals: value(&document.totals),
        complete: document.complete,
        prompts: document.batches.len(),
        files_left_out: shown - files.len(),
        files,
        not_reviewed: missing.collect(),
        not_reviewed_left_out: document.not_reviewed.len().saturating_sub(FILES),
        text,
        text_cut,
    })
}

/// One agent's answer, or why there is none.
#[derive(Debug, Serialize)]
struct Call {
    status: &'static str,
    agent: String,
    vendor: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    answer: Option<String>,
    answer_cut: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<String>,
    warnings: Vec<String>,
    cost_usd: Usd,
    rehearsal: bool,
}

/// Makes the result of `run_agent`.
pub(crate) fn call(document: &CallDocument) -> Value {
    let (answer, answer_cut) = match document.answer.as_deref() {
        Some(answer) => {
            let (answer, answer_cut) = cut(answer, ANSWER_BYTES);
            (Some(answer), answer_cut)
        }
        None => (None, false),
    };
    let failure = match (&answer, document.failure.as_deref()) {
        (Some(_), _) => None,
        (None, why) => Some(line(why.unwrap_or("no reason is known"))),
    };
    let warnings = document.warnings.iter().take(super::WARNINGS);
    let warnings = warnings.map(|warning| line(&format!("{}: {}", warning.code, warning.message)));
    value(&Call {
        status: if answer.is_some() {
            "answered"
        } else {
            "failed"
        },
        agent: line(&document.agent),
        vendor: line(&document.vendor),
        answer,
        answer_cut,
        failure,
        warnings: warnings.collect(),
        cost_usd: document.cost.total_usd,
        rehearsal: document.rehearsal,
    })
}

/// The first bytes of a text of several lines, without anything that a terminal obeys, and whether more was there.
fn cut(text: &str, most: usize) -> (String, bool) {
    // What is taken out makes a text shorter, never longer than it was.
    let head = &text[..text.floor_char_boundary(most)];
    (sanitize::terminal(head), head.len() < text.len())
}
