//! What evidence is checked against: the project's files and how many lines each has.
//!
//! Recorded once, when a session is opened, so that a resume finds what was found then. The files are those of
//! [`Tree`]: the project's own, by git's ignore rules, with or without git; nothing is run and no link is
//! followed. Only numbers of lines are kept, no text. What is too much is left out, and said: evidence that
//! names such a file is not found, and counts for nothing.

use std::collections::BTreeMap;
use std::path::Path;

use crate::discovery::tree::Tree;
use crate::files::Folder;
use crate::protocol::argument::Sources;
use crate::text::Note;

/// Files that are recorded at most.
const MAX_FILES: usize = 2_000;
/// Bytes of a file that is recorded at most.
const MAX_BYTES: u64 = 1 << 20;

/// Records the files below a project's root, and notes what is not recorded.
pub(crate) fn sources(root: &Path) -> (Sources, Vec<Note>) {
    let tree = match Tree::read(root, &[]) {
        Ok((tree, _)) => tree,
        Err(error) => {
            let message = format!("no file of the project can be checked as evidence: {error}");
            return (Sources::default(), vec![Note::new("no_sources", message)]);
        }
    };
    let root = Folder::open(&tree.root);
    let mut lines = BTreeMap::new();
    let (mut large, mut unread, mut beyond) = (0_usize, 0_usize, 0_usize);
    for file in &tree.files {
        if file.bytes > MAX_BYTES {
            large += 1;
        } else if lines.len() >= MAX_FILES {
            beyond += 1;
        } else {
            // It may have grown since it was listed, or have become something else.
            let read = (root.as_ref()).map(|root| root.head(&file.path, MAX_BYTES));
            match read.unwrap_or_else(|error| Err(error.kind().into())) {
                Ok(bytes) => drop(lines.insert(file.name.clone(), count(&bytes))),
                Err(_) => unread += 1,
            }
        }
    }
    let notes =
        [(large, "larger than 1 MiB"), (beyond, "more than 2,000"), (unread, "not readable")];
    let notes = notes.into_iter().filter(|(count, _)| *count > 0);
    let notes = notes.map(|(count, why)| {
        let files = if count == 1 { "file is" } else { "files are" };
        let message = format!("{count} {files} {why}: evidence in them cannot be checked");
        Note::new("sources_left_out", message)
    });
    (Sources { lines }, notes.collect())
}

/// Returns how many lines a text has; the last one need not end.
#[expect(
    clippy::naive_bytecount,
    reason = "once a file of at most 1 MiB, when a session is opened: no crate is worth it"
)]
fn count(bytes: &[u8]) -> u32 {
    let ends = bytes.iter().filter(|byte| **byte == b'\n').count();
    let open = usize::from(bytes.last().is_some_and(|byte| *byte != b'\n'));
    u32::try_from(ends + open).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
