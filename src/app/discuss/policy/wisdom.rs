//! `wisdom/issues.md`: warnings for the next person or agent to work on an artifact.

use std::fmt::Write as _;
use std::path::PathBuf;

use super::Entry;
use crate::error::{Error, store_error};
use crate::session::StoreError;
use crate::session::fs::Fs;
use crate::session::shared::SharedFolder;
use crate::text::sanitize;

/// The folder for notes to later workers.
const FOLDER: &str = "wisdom";
const FILE: &str = "issues.md";
/// The start of a new file.
const TITLE: &[u8] = b"# Issues\n";
/// Maximum entries of a list; the rest are counted.
const MOST: usize = 50;
/// Maximum characters of a text before its Markdown is escaped.
const TEXT: usize = 1_000;

/// Appends a warning unless this session's is there in full. The caller must have the lock.
pub(super) fn warn(
    fs: &dyn Fs,
    records: &SharedFolder<'_>,
    entry: &Entry<'_>,
) -> Result<PathBuf, Error> {
    let wisdom = records.within(FOLDER);
    wisdom.make().map_err(store_error)?;
    let path = wisdom.path(FILE);
    let failed = |error| store_error(StoreError::io("write", &path)(error));
    let before = if let Some(before) = wisdom.read(FILE).map_err(store_error)? {
        before
    } else {
        fs.write_new(&path, TITLE).map_err(failed)?;
        TITLE.to_vec()
    };
    let sign = sign(entry);
    let mut lines = before.split(|byte| *byte == b'\n');
    if !lines.any(|line| line == sign.as_bytes()) {
        let feeds = match &before[..] {
            [] => "",
            [.., b'\n'] => "\n",
            _ => "\n\n",
        };
        let text = format!("{feeds}{}{sign}\n", section(entry));
        let added = fs.open_append(&path).and_then(|mut file| {
            file.append(text.as_bytes())?;
            file.sync()
        });
        if let Err(error) = added {
            // A complete section that the disk refused would be found next time and reported as recorded. It is
            // removed unless something was appended after it.
            let whole = (before.len() + text.len()) as u64;
            if fs.len(&path).is_ok_and(|len| len == whole) {
                fs.truncate(&path, before.len() as u64).ok();
            }
            return Err(failed(error));
        }
    }
    // Also syncs an earlier run's section, whose writer may have died before syncing.
    (fs.sync_file(&path)).and_then(|()| fs.sync_dir(&records.path(FOLDER))).map_err(failed)?;
    Ok(path)
}

/// Returns the last line of a session's section, which identifies it. No other line can read like this: all others
/// begin as headings or list items.
fn sign(entry: &Entry<'_>) -> String {
    format!("Session: `{}`", entry.session_id)
}

fn section(entry: &Entry<'_>) -> String {
    let artifact = marked(&entry.artifact.name);
    let mut text = format!("## {}: {artifact}\n\n", marked(entry.round_id));
    let severity = entry.severity.map_or("none", |severity| severity.name());
    let mean = entry.average_rating.map_or_else(|| "none".to_owned(), |mean| format!("{mean:.2}"));
    let items = [
        format!("Time: {}", entry.at().format("%Y-%m-%dT%H:%M:%SZ")),
        format!("Artifact: {artifact}"),
        format!("SHA-256: {}", marked(&entry.artifact.sha256)),
        format!("Severity: {severity}; it proceeds with caution"),
        format!("Mean rating: {mean}"),
    ];
    list(&mut text, &items);
    let divergences: Vec<String> = (entry.divergences.iter())
        .map(|divergence| {
            let head = format!("{} ({})", divergence.kind.name(), divergence.severity);
            log_line(&head, &divergence.perspectives.join(", "), &divergence.text)
        })
        .collect();
    part(&mut text, "Divergences", &divergences);
    let items: Vec<String> = (entry.action_items.iter())
        .map(|item| log_line(item.urgency.name(), &item.perspectives.join("; also "), &item.text))
        .collect();
    part(&mut text, "Action items", &items);
    text
}

fn part(text: &mut String, heading: &str, items: &[String]) {
    // Writing to a `String` cannot fail.
    writeln!(text, "### {heading}\n").ok();
    if items.is_empty() {
        text.push_str("* none\n\n");
        return;
    }
    let mut shown: Vec<String> = items.iter().take(MOST).cloned().collect();
    if items.len() > MOST {
        let more = items.len() - MOST;
        shown.push(format!("and {more} more, in the record of the discussion"));
    }
    list(text, &shown);
}

fn list(text: &mut String, items: &[String]) {
    for item in items {
        writeln!(text, "* {item}").ok();
    }
    text.push('\n');
}

fn log_line(head: &str, who: &str, text: &str) -> String {
    let who = marked(who);
    let who = if who.is_empty() { who } else { format!(", {who}") };
    format!("{}{who}: {}", sanitize::markdown(head), marked(text))
}

/// Returns foreign text on one line, with its Markdown escaped.
fn marked(text: &str) -> String {
    sanitize::markdown(&sanitize::line(text, TEXT))
}
