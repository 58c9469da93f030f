//! The fixtures, for the tests of this module.

use std::fs;
use std::path::{Path, PathBuf};

use super::layout::Layout;

/// Returns a path below `fixtures/reports/`.
pub(super) fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/reports").join(name)
}

/// Reads a report of the fixtures.
pub(super) fn report(name: &str) -> Vec<u8> {
    fs::read(path(name)).unwrap()
}

/// Returns the files below a folder, relative to it.
pub(super) fn files(root: &Path) -> Vec<String> {
    let mut stack = vec![root.to_owned()];
    let mut found = Vec::new();
    while let Some(dir) = stack.pop() {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                stack.push(path);
            } else {
                let name = path.strip_prefix(root).unwrap();
                found.push(name.to_str().unwrap().to_owned());
            }
        }
    }
    found
}

/// Returns the layout of one of the sample projects.
pub(super) fn project(name: &str) -> Layout {
    let root = path("projects").join(name);
    let names = files(&root);
    Layout::new(&root, names)
}
