//! Small JSON files in a folder, read safely.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::Source;
use crate::files::{Folder, link_of};
use crate::text::json;
use crate::text::name::spell;

/// Maximum size of a file, in bytes.
const FILE: u64 = 1 << 20;
/// Maximum number of files.
const FILES: usize = 2000;
/// Maximum number of folder entries examined.
const ENTRIES: usize = 20_000;
/// Maximum folder depth.
const DEPTH: usize = 8;

/// Opens a file below `root` that is not a link, not behind one, and does not block. `None`: it
/// does not exist.
pub(super) fn open(root: &Path, name: &str) -> Result<Option<File>, String> {
    match Folder::open(root).and_then(|root| root.file(Path::new(name))) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(match link_of(&error) {
            Some(link) if link == root.join(name) => LINK.to_owned(),
            Some(link) => {
                format!("{} is a symbolic link, which is not followed", shown(root, link))
            }
            None => error.to_string(),
        }),
    }
}

const LINK: &str = "it is a symbolic link, which is not followed";

/// Whether a folder exists, without following a link on the way to it.
fn is_folder(root: &Path, folder: &Path) -> Result<bool, String> {
    let mut path = root.to_owned();
    for part in folder {
        path.push(part);
        match path.symlink_metadata() {
            Ok(meta) if meta.is_symlink() => {
                return Err(format!(
                    "{} is a symbolic link, which is not followed",
                    shown(root, &path)
                ));
            }
            Ok(meta) if meta.is_dir() => {}
            Ok(_) => return Err(format!("{} is not a folder", shown(root, &path))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(error.to_string()),
        }
    }
    Ok(true)
}

fn shown(root: &Path, path: &Path) -> String {
    spell(path.strip_prefix(root).unwrap_or(path).as_os_str().as_bytes())
}

/// Reads the JSON files of `folder`, and of its subfolders if `deep`, in order of name, and passes
/// each to `take`, which returns an error if it cannot use one. Returns the number of files used.
pub(super) fn json_files(
    root: &Path,
    folder: &str,
    deep: bool,
    source: &mut Source,
    mut take: impl FnMut(&str, &Value) -> Result<(), String>,
) -> usize {
    match is_folder(root, Path::new(folder)) {
        Ok(true) => {}
        Ok(false) => return 0,
        Err(why) => {
            source.leave_out(folder, why);
            return 0;
        }
    }
    let mut used = 0;
    for path in list(root, folder, deep, source) {
        let name = shown(root, &path);
        let judged = read(root, &name).and_then(|value| match value {
            Some(value) => take(&name, &value).map(|()| 1),
            None => Ok(0),
        });
        match judged {
            Ok(count) => used += count,
            Err(why) => source.leave_out(name, why),
        }
    }
    used
}

/// Lists the JSON files of a folder.
fn list(root: &Path, folder: &str, deep: bool, source: &mut Source) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut entries = 0;
    let mut open = vec![(root.join(folder), 1)];
    while let Some((dir, depth)) = open.pop() {
        let listing = match fs::read_dir(&dir) {
            Ok(listing) => listing,
            Err(error) => {
                source.leave_out(shown(root, &dir), error.to_string());
                continue;
            }
        };
        for entry in listing {
            entries += 1;
            if entries > ENTRIES || found.len() >= FILES {
                source.leave_out(
                    folder,
                    format!(
                        "it has more than {FILES} files or {ENTRIES} entries: the rest was not read"
                    ),
                );
                found.sort();
                return found;
            }
            let path = match entry {
                Ok(entry) => entry.path(),
                Err(error) => {
                    source.leave_out(shown(root, &dir), error.to_string());
                    continue;
                }
            };
            let is_json = path.extension().is_some_and(|extension| extension == "json");
            match path.symlink_metadata() {
                Ok(meta) if meta.is_dir() && deep && depth < DEPTH => open.push((path, depth + 1)),
                Ok(meta) if meta.is_dir() && deep => source
                    .leave_out(shown(root, &path), format!("it is more than {DEPTH} folders deep")),
                Ok(meta) if meta.is_symlink() && (is_json || deep) => {
                    source.leave_out(shown(root, &path), LINK);
                }
                Ok(meta) if meta.is_file() && is_json => found.push(path),
                Ok(meta) if is_json && !meta.is_dir() => {
                    source.leave_out(shown(root, &path), "it is not a regular file");
                }
                Ok(_) => {}
                // Deleted since it was listed.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => source.leave_out(shown(root, &path), error.to_string()),
            }
        }
    }
    found.sort();
    found
}

/// Reads one file; `None`: it no longer exists.
fn read(root: &Path, name: &str) -> Result<Option<Value>, String> {
    let Some(file) = open(root, name)? else {
        return Ok(None);
    };
    let mut bytes = Vec::new();
    (file.take(FILE + 1).read_to_end(&mut bytes)).map_err(|error| error.to_string())?;
    let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
    if length > FILE {
        return Err(format!("it is larger than {FILE} bytes"));
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let before = error.as_bytes().get(..at).unwrap_or_default();
        let line = before.split(|byte| *byte == b'\n').count();
        format!("line {line} is not UTF-8")
    })?;
    let value = json::parse(text.trim_start_matches('\u{feff}'))
        .map_err(|error| format!("it is not JSON: {error}"))?;
    Ok(Some(value))
}

/// Returns a text member of an object.
pub(super) fn text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key)?.as_str().filter(|text| !text.trim().is_empty())
}

/// Returns the first of some members that exists and is not null.
pub(super) fn first<'a>(value: &'a Value, keys: &[&str]) -> Option<&'a Value> {
    (keys.iter().filter_map(|key| value.get(key))).find(|value| !value.is_null())
}

/// Returns a file's name without folders and extension.
pub(super) fn stem(name: &str) -> &str {
    let file = name.rsplit('/').next().unwrap_or(name);
    file.strip_suffix(".json").unwrap_or(file)
}
