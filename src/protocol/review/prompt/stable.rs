//! The part of a prompt that all turns on one batch share: how a review works, the project's rules, the change.

use std::fmt::Write as _;

use serde_json::json;

use super::excerpt::numbered_line;
use crate::change::{Batch, Change, ChangeKind, ChangedFile};
use crate::ordered::{BTreeSet, Gather};
use crate::protocol::prompt::Filled;
use crate::protocol::review::Input;
use crate::text::{Note, fence, sanitize};

/// Maximum number of files named that are in other parts or not shown.
const NAMED: usize = 200;

/// Maximum number of characters of a name.
const NAME_CHARS: usize = 300;

/// Maximum number of characters of the project's guidelines, and likewise of the question.
const RULES_CHARS: usize = 60_000;

/// Builds the part that all turns on a batch share. Composer and validators, who have none, get neither the change nor
/// the project's guidelines.
pub(crate) fn stable(input: &Input, batch: Option<usize>) -> Filled {
    let Input { change, rules, .. } = input;
    let mut notes = Vec::new();
    let guidelines =
        batch.map(|_| shortened("the project's guidelines", &rules.guidelines, &mut notes));
    let question = shortened("the question", &input.question, &mut notes);
    let promised = input.pull_request.as_ref().filter(|_| batch.is_some()).map(|pull| {
        let said = format!("{}\n\n{}", pull.title, pull.description);
        shortened("what the pull request says", &said, &mut notes)
    });
    let shown = batch.and_then(|at| Some((at, change.batches.get(at)?)));
    let shown = shown.map(|(at, batch)| {
        json!({
            "part": at + 1, "parts": change.batches.len(), "others": others(change, batch),
            "diff": diff(change, batch, &input.prompts.boundary, &mut notes),
        })
    });
    let data = json!({
        "read_repo": input.settings.read_repo, "guidelines": guidelines, "question": question,
        "promised": promised, "change": shown,
    });
    let mut filled = input.prompts.fill("session/review", data);
    filled.notes.splice(..0, notes);
    filled
}

/// Returns the beginning of a text of the project or of the user.
fn shortened(what: &str, text: &str, notes: &mut Vec<Note>) -> String {
    let (text, total) = (text.trim(), text.trim().chars().count());
    let Some((end, _)) = text.char_indices().nth(RULES_CHARS) else {
        return text.to_owned();
    };
    let message =
        format!("{what}: {total} characters, of which the prompts hold the first {RULES_CHARS}");
    notes.push(Note::new("shortened_for_prompt", message));
    format!("{}\n[cut; {total} characters in all]", &text[..end])
}

/// Names files that differ but are not in this diff: without them, a finding that something is missing would often be
/// wrong.
fn others(change: &Change, shown: &Batch) -> String {
    let here: BTreeSet<usize> = shown.parts.iter().map(|part| part.file).gather();
    let elsewhere = (change.files.iter().enumerate())
        .filter(|(at, _)| !here.contains(at))
        .map(|(_, file)| format!("{} (in another part)", name(&file.path)));
    let left_out = (change.not_reviewed.iter())
        .map(|each| format!("{} (not shown: {})", name(&each.path), each.why.name()));
    let mut all: Vec<String> = elsewhere.chain(left_out).collect();
    let more = all.len().saturating_sub(NAMED);
    all.truncate(NAMED);
    all.extend((more > 0).then(|| format!("and {more} more")));
    all.join("\n")
}

fn name(path: &str) -> String {
    sanitize::line(path, NAME_CHARS)
}

/// Renders a batch's diff, defused, and notes by file any content that is not what it seems.
fn diff(change: &Change, batch: &Batch, boundary: &str, notes: &mut Vec<Note>) -> String {
    let mut all = String::new();
    for part in &batch.parts {
        let Some(file) = change.files.get(part.file) else {
            continue;
        };
        let mut text = String::new();
        file.render(part.first..part.end, &mut text);
        let text = numbered(file, &one_line_each(&text));
        let (defused, forged) = fence::defuse(&text, boundary);
        // Characters that change the direction of text or have no width can make code look like other code.
        let hidden = text.chars().filter(|c| !c.is_control() && sanitize::is_hidden(*c)).count();
        let name = name(&file.path);
        let forged = (forged > 0).then(|| {
            let message = format!(
                "{name}: text that looks like our markers in {forged} places; it was defused"
            );
            Note::new("forged_marker", message)
        });
        let hidden = (hidden > 0).then(|| {
            let message = format!(
                "{name}: {hidden} invisible characters; reviewers saw the text without them"
            );
            Note::new("hidden_characters", message)
        });
        notes.extend(forged.into_iter().chain(hidden));
        all.push_str(&defused);
    }
    all
}

/// Puts its number before each line of the hunks of a file, so that nobody has to count.
fn numbered(file: &ChangedFile, diff: &str) -> String {
    let is_deleted = file.kind == ChangeKind::Deleted;
    let mut next: Option<u32> = None;
    let mut text = String::with_capacity(diff.len() + diff.len() / 4);
    for line in diff.lines() {
        // A line of a hunk begins with its mark, so this is the head of one.
        if let Some(head) = line.strip_prefix("@@ -") {
            let (old, new) = head.split_once(" +").unwrap_or((head, ""));
            let start = if is_deleted { old } else { new };
            next = start.split([',', ' ']).next().and_then(|number| number.parse().ok());
            let _ = writeln!(text, "{line}");
            continue;
        }
        // Git may leave out the mark of a blank line.
        let mark = line.chars().next().unwrap_or(' ');
        let code = line.get(mark.len_utf8()..).unwrap_or_default();
        let is_counted = (mark == '-') == is_deleted;
        let _ = match &mut next {
            Some(number) if matches!(mark, '+' | '-' | ' ') => {
                let here = is_counted.then_some(*number);
                *number += u32::from(is_counted);
                writeln!(text, "{}", numbered_line(here, mark, code))
            }
            Some(_) | None => writeln!(text, "{line}"),
        };
    }
    text
}

/// Replaces line breaks that git does not count as such: they must not begin a line without a mark.
fn one_line_each(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    text.replace(['\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}'], "\u{2424}")
}
