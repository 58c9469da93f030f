//! The attributes `linguist-generated` and `linguist-vendored` in `.gitattributes`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::files::Folder;

/// Maximum number of bytes read from one `.gitattributes`.
const MAX_BYTES: u64 = 256 << 10;
/// Maximum number of such files in a tree.
const MAX_FILES: usize = 1_000;

/// A file's attributes: the last matching line of the nearest file that has one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AttributeValues {
    /// It is not the project's own.
    LeftOut,
    /// It is, whatever its name suggests.
    Kept,
    Nothing,
}

impl AttributeValues {
    pub(super) fn left_out(self) -> Option<&'static str> {
        (self == Self::LeftOut).then_some("generated or vendored, by .gitattributes")
    }

    pub(super) fn kept(self) -> bool {
        self == Self::Kept
    }
}

/// The rules found so far, by folder.
#[derive(Debug, Default)]
pub(super) struct Attributes {
    by_dir: BTreeMap<PathBuf, Gitignore>,
}

impl Attributes {
    /// Reads the rules of a folder, if it has any.
    pub(super) fn enter(&mut self, root: &Folder, dir: &Path) {
        if self.by_dir.len() >= MAX_FILES {
            return;
        }
        let Ok(bytes) = root.head(&dir.join(".gitattributes"), MAX_BYTES) else {
            return;
        };
        if let Some(rules) = rules(&root.path().join(dir), &String::from_utf8_lossy(&bytes)) {
            self.by_dir.insert(dir.to_owned(), rules);
        }
    }

    pub(super) fn of(&self, root: &Path, file: &Path) -> AttributeValues {
        if self.by_dir.is_empty() {
            return AttributeValues::Nothing;
        }
        for dir in file.ancestors().skip(1) {
            let Some(rules) = self.by_dir.get(dir) else {
                continue;
            };
            match rules.matched(root.join(file), false) {
                Match::Ignore(_) => return AttributeValues::LeftOut,
                Match::Whitelist(_) => return AttributeValues::Kept,
                Match::None => {}
            }
        }
        AttributeValues::Nothing
    }
}

/// Converts lines with one of the two attributes into patterns: set ignores, unset includes.
fn rules(dir: &Path, text: &str) -> Option<Gitignore> {
    let mut builder = GitignoreBuilder::new(dir);
    let mut any = false;
    for line in text.lines() {
        let Some((pattern, attributes)) = split(line.trim()) else {
            continue;
        };
        let Some(set) = attributes.split_whitespace().rev().find_map(value) else {
            continue;
        };
        let line = if set { pattern.to_owned() } else { format!("!{pattern}") };
        any |= builder.add_line(None, &line).is_ok();
    }
    any.then(|| builder.build().ok()).flatten()
}

fn split(line: &str) -> Option<(&str, &str)> {
    if line.starts_with(['#', '!', '[']) {
        return None;
    }
    line.strip_prefix('"')
        .map_or_else(|| line.split_once(char::is_whitespace), |rest| rest.split_once('"'))
}

/// Parses one attribute: set, unset, or another one.
fn value(attribute: &str) -> Option<bool> {
    let (name, value) = attribute.split_once('=').unwrap_or((attribute, "true"));
    let (name, value) = name.strip_prefix(['-', '!']).map_or((name, value), |name| (name, "false"));
    ["linguist-generated", "linguist-vendored"].contains(&name).then_some(value != "false")
}
