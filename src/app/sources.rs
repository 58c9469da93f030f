//! Records what evidence is checked against: the project's files and their numbers of lines.
//!
//! Recorded once, when a session is opened, so that a resume finds the same. The files are those of [`Tree`]: the
//! project's own, by git's ignore rules, with or without git; nothing is run and no link is followed. Only line
//! counts are kept, no text. Files beyond the limits are left out, with a note: evidence that names such a file is
//! not found, and counts for nothing.

use std::collections::BTreeMap;
use std::path::Path;

use crate::discovery::tree::Tree;
use crate::files::Folder;
use crate::text::Note;

/// Maximum files recorded.
const MAX_FILES: usize = 2_000;
/// Maximum bytes of a recorded file.
const MAX_BYTES: u64 = 1 << 20;

/// Records the files below a project's root, and returns notes on those left out.
pub(crate) fn sources(root: &Path) -> (BTreeMap<String, u32>, Vec<Note>) {
    let tree = match Tree::read(root, &[]) {
        Ok((tree, _)) => tree,
        Err(error) => {
            let message = format!("no file of the project can be checked as evidence: {error}");
            return (BTreeMap::new(), vec![Note::new("no_sources", message)]);
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
            // It may have grown since it was listed, or may no longer be a file.
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
    (lines, notes.collect())
}

/// Returns the number of lines in a text; the last one need not end with a newline.
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
mod tests {
    //! The files recorded of a real tree.

    use std::fs::File;
    use std::os::unix::fs::symlink;
    use std::path::PathBuf;

    use super::*;

    fn place(files: &[(&str, &str)]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path: PathBuf = dir.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        dir
    }

    #[test]
    fn the_projects_own_files_are_recorded_with_their_lines() {
        let dir = place(&[
            ("src/store.rs", "a\nb\nc\n"),
            ("README.md", "a\n\nb"),
            ("empty.txt", ""),
            (".gitignore", "secret.txt\n"),
            ("secret.txt", "x\n"),
        ]);
        symlink(dir.path().join("README.md"), dir.path().join("link.md")).unwrap();
        let (sources, notes) = sources(dir.path());
        let lines: Vec<(&str, u32)> =
            (sources.iter()).map(|(path, lines)| (&**path, *lines)).collect();
        assert_eq!(lines, [("README.md", 3), ("empty.txt", 0), ("src/store.rs", 3)]);
        assert!(notes.is_empty(), "{notes:?}");
    }

    /// This repository, as the evidence of a debate about it would name it.
    #[test]
    fn a_real_repository_is_recorded() {
        let (sources, _) = sources(Path::new(env!("CARGO_MANIFEST_DIR")));
        let here = include_str!("sources.rs").lines().count();
        assert_eq!(sources["src/app/sources.rs"], u32::try_from(here).unwrap());
        assert!(sources.keys().all(|path| !path.starts_with("target/")));
    }

    #[test]
    fn what_is_too_large_or_too_much_is_left_out_and_said() {
        let dir = place(&[("small.txt", "x\n")]);
        let large = File::create(dir.path().join("large.txt")).unwrap();
        large.set_len(MAX_BYTES + 1).unwrap();
        let (recorded, notes) = sources(dir.path());
        assert_eq!(recorded.len(), 1);
        assert_eq!(
            notes[0].message,
            "1 file is larger than 1 MiB: evidence in them cannot be checked"
        );
        for number in 0..=MAX_FILES {
            std::fs::write(dir.path().join(format!("n{number}.txt")), "x").unwrap();
        }
        let (recorded, notes) = sources(dir.path());
        assert_eq!(recorded.len(), MAX_FILES);
        assert!(notes[1].message.starts_with("2 files are more than 2,000"), "{notes:?}");
    }

    #[test]
    fn without_a_folder_nothing_is_recorded_and_it_is_said() {
        let (sources, notes) = sources(Path::new("/nowhere/at/all"));
        assert!(sources.is_empty());
        assert_eq!(notes[0].code, "no_sources");
    }
}
