//! Whether the files are there that an artifact links to.
//!
//! Only within the project: a target that leaves its root, even by way of a symbolic link, is not looked at, so an artifact
//! cannot be used to find out what else a machine holds.

use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Component, Path, PathBuf};

use crate::protocol::discuss::basics;
use crate::protocol::discuss::input::{Artifact, Place};
use crate::text::Note;
use crate::text::redact::REDACTED;

/// Links of one artifact that are looked up.
const MOST: usize = 500;

/// Returns the links whose files are not there, and a note if there are more links than are looked up.
///
/// `real` is where the artifact lies, `root` the project's root; both absolute, without links.
pub(super) fn broken(artifact: &Artifact, real: &Path, root: &Path) -> (Vec<Place>, Option<Note>) {
    let folder = real.parent().unwrap_or(root);
    let mut broken = Vec::new();
    let mut looked_up = 0;
    for link in basics::links_of(artifact) {
        let Some(target) = path_of(&link.target).and_then(|path| within(folder, &path, root))
        else {
            continue;
        };
        if looked_up == MOST {
            let what = format!(
                "only the first {MOST} links of the artifact {} to files were looked up",
                artifact.name
            );
            return (broken, Some(Note::new("artifact_links_unchecked", what)));
        }
        looked_up += 1;
        if !is_there(&target, root) {
            broken.push(link.place());
        }
    }
    (broken, None)
}

/// Returns the path that a link's target names, if it names one.
fn path_of(target: &str) -> Option<PathBuf> {
    let path = target.split(['#', '?']).next().unwrap_or_default();
    let redacted = String::from_utf8_lossy(REDACTED);
    // What was taken out of it, nobody knows any more.
    (!path.is_empty() && !path.contains(&*redacted))
        .then(|| OsString::from_vec(basics::decoded(path)).into())
}

/// Returns where a relative path leads from a folder, relative to the root; `None` if it leaves that.
fn within(folder: &Path, path: &Path, root: &Path) -> Option<PathBuf> {
    let mut target = folder.strip_prefix(root).ok()?.to_owned();
    for part in path.components() {
        match part {
            Component::Normal(name) => target.push(name),
            Component::CurDir => {}
            Component::ParentDir => {
                if !target.pop() {
                    return None;
                }
            }
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(target)
}

/// Whether a path below the root is there. What lies behind a symbolic link counts as there, unseen.
fn is_there(target: &Path, root: &Path) -> bool {
    let mut here = root.to_owned();
    for part in target.components() {
        here.push(part);
        match here.symlink_metadata() {
            Ok(meta) if meta.file_type().is_symlink() => return true,
            Ok(_) => {}
            Err(error) => {
                return !matches!(
                    error.kind(),
                    io::ErrorKind::NotFound
                        | io::ErrorKind::NotADirectory
                        | io::ErrorKind::InvalidInput
                        | io::ErrorKind::InvalidFilename
                );
            }
        }
    }
    true
}

#[cfg(test)]
mod tests;
