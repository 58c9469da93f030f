//! The results that are not sessions: a change, and one agent's answer.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::{line, value};
use crate::app::run_agent::CallDocument;
use crate::kernel::Usd;
use crate::report::change::DiffDocument;
use crate::text::sanitize;

/// Maximum number of files listed of a change, and of parts left out.
const FILES: usize = 200;
/// Maximum number of bytes of a diff's text, which comes on top of everything else that a client's model reads.
const DIFF_BYTES: usize = 32 << 10;
/// Maximum number of bytes of one agent's answer.
const ANSWER_BYTES: usize = 64 << 10;

/// The material that a review would show and leave out.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Diff {
    scope: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    base: Option<String>,
    complete: bool,
    summary: String,
    total_files: u64,
    added: u64,
    removed: u64,
    prompts: usize,
    prompt_bytes: u64,
    files: Vec<File>,
    files_left_out: usize,
    not_reviewed: Vec<Missing>,
    not_reviewed_left_out: usize,
    text: String,
    text_cut: bool,
}

/// A file that reviewers would be shown.
#[derive(Debug, Serialize, JsonSchema)]
struct File {
    path: String,
    kind: Value,
    added: u64,
    removed: u64,
}

/// A part that reviewers would not be shown.
#[derive(Debug, Serialize, JsonSchema)]
struct Missing {
    path: String,
    why: &'static str,
    detail: String,
}

/// Builds the result of `read_diff`. A file that several prompts share is listed once.
pub(crate) fn diff(document: &DiffDocument) -> Value {
    let mut files: Vec<File> = Vec::new();
    let mut last: Option<&str> = None;
    // Prompts take the files in order, so the parts of one file follow each other.
    for entry in document.batches.iter().flat_map(|batch| &batch.files) {
        match files.last_mut().filter(|_| last == Some(&entry.path)) {
            Some(file) => {
                file.added += entry.added;
                file.removed += entry.removed;
            }
            None => files.push(File {
                path: line(&entry.path),
                kind: value(&entry.kind),
                added: entry.added,
                removed: entry.removed,
            }),
        }
        last = Some(&entry.path);
    }
    let all = document.batches.iter().filter_map(|batch| batch.text.as_deref());
    let all: String = all.collect::<Vec<_>>().concat();
    let (text, text_cut) = cut(&all, DIFF_BYTES);
    let shown = files.len();
    files.truncate(FILES);
    let missing = document.not_reviewed.iter().take(FILES).map(|part| Missing {
        path: line(&part.path),
        why: part.why.name(),
        detail: line(&part.detail),
    });
    let totals = document.totals;
    value(&Diff {
        scope: line(&document.scope),
        base: document.base.clone(),
        complete: document.complete,
        summary: summary(document, shown),
        total_files: totals.files,
        added: totals.added,
        removed: totals.removed,
        prompts: document.batches.len(),
        prompt_bytes: document.batches.iter().map(|batch| batch.bytes).sum(),
        files_left_out: shown - files.len(),
        files,
        not_reviewed: missing.collect(),
        not_reviewed_left_out: document.not_reviewed.len().saturating_sub(FILES),
        text,
        text_cut,
    })
}

fn summary(document: &DiffDocument, shown: usize) -> String {
    if document.totals.files == 0 && document.not_reviewed.is_empty() {
        return "Nothing differs: there is nothing to review.".to_owned();
    }
    let missing = match (document.not_reviewed.len(), document.complete) {
        (0, _) => "nothing is left out".to_owned(),
        (many, true) => format!("{many} not read"),
        (many, false) => {
            format!("{many} not read, some of which should be: a review of it cannot be clean")
        }
    };
    format!(
        "{shown} of {} changed files would be shown, in {} prompts; {missing}.",
        document.totals.files,
        document.batches.len()
    )
}

/// One agent's answer.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Call {
    agent: String,
    vendor: String,
    answer: String,
    answer_cut: bool,
    cost_usd: Usd,
    attempts: u32,
    took_ms: u64,
    warnings: Vec<String>,
    rehearsal: bool,
}

/// Builds the result of `run_agent`.
///
/// # Errors
/// There is no answer: one sentence with the reason and the cost.
pub(crate) fn call(document: &CallDocument) -> Result<Value, String> {
    let Some(answer) = &document.answer else {
        let why = document.failure.as_deref().unwrap_or("no reason is known");
        return Err(format!(
            "{} ({}) gave no answer: {} (it cost {}; `debate-agent doctor` in a terminal checks the agents)",
            line(&document.agent),
            line(&document.vendor),
            line(why),
            document.cost.total_usd
        ));
    };
    let (answer, answer_cut) = cut(answer, ANSWER_BYTES);
    let warnings = document.warnings.iter();
    let warnings = warnings.map(|warning| line(&format!("{}: {}", warning.code, warning.message)));
    Ok(value(&Call {
        agent: line(&document.agent),
        vendor: line(&document.vendor),
        answer,
        answer_cut,
        cost_usd: document.cost.total_usd,
        attempts: document.attempts,
        took_ms: document.took_ms,
        warnings: warnings.take(super::WARNINGS).collect(),
        rehearsal: document.rehearsal,
    }))
}

/// The first bytes of a multi-line text, sanitized for terminals, and whether it was cut.
fn cut(text: &str, most: usize) -> (String, bool) {
    // Sanitizing only shortens a text.
    let head = &text[..text.floor_char_boundary(most)];
    (sanitize::terminal(head), head.len() < text.len())
}
