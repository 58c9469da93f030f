//! Writes a result's report: Markdown for people, with JSON beside it.
//!
//! Generated names contain the time and random digits, so that two runs within one second keep both reports; a given
//! name gets a number appended if it is taken. Each file is written whole or not at all, readable for the user alone;
//! nothing is overwritten, and no link is followed: neither the folder nor a file in it can lead elsewhere.

use std::io;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::env::Env;
use crate::files::{Folder, IfExists};

/// Maximum reports with one name: beyond that, something must be writing them in a loop.
const MOST_OF_A_NAME: u32 = 1_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Location {
    /// The folders to create, from the top; none of them may belong to another user. The last one contains the
    /// report.
    folders: Vec<PathBuf>,
    name: Name,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Name {
    /// `STEM-TIME-RANDOM`.
    Dated(&'static str),
    /// `NAME`, `NAME-2`, `NAME-3`, ...
    Given(String),
}

impl Location {
    /// Returns the location of a report named by a stem, the time and random digits.
    pub(crate) fn dated(folder: &Path, stem: &'static str) -> Self {
        Self { folders: vec![folder.to_owned()], name: Name::Dated(stem) }
    }

    /// Returns the location of a report of this name, in the last of some folders; the caller ensures that the name
    /// is a plain one.
    pub(crate) fn given(folders: &[&Path], name: String) -> Self {
        Self {
            folders: folders.iter().map(|&folder| folder.to_owned()).collect(),
            name: Name::Given(name),
        }
    }
}

/// Writes a report as Markdown, with JSON beside it, into a folder that is created if it is missing; `root` is the
/// project's. `json` creates the JSON, which may name the report's path; it is called again if a name is taken.
/// Returns the Markdown's path.
///
/// # Errors
/// The folder is a link or not a folder; or a file cannot be written.
pub(crate) fn write(
    root: &Path,
    location: &Location,
    env: &Env,
    markdown: &str,
    json: &mut dyn FnMut(&Path) -> io::Result<String>,
) -> io::Result<PathBuf> {
    let mut opened = None;
    for path in &location.folders {
        let (above, below) = Folder::towards(Some(root), path)?;
        opened = Some((path, above.make(below)?));
    }
    let Some((path, folder)) = opened else {
        return Err(io::Error::other("no folder is named"));
    };
    let mut both = |name: &str| {
        let [report, data] = ["md", "json"].map(|end| format!("{name}.{end}"));
        if folder.look(Path::new(&data))?.is_some() {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        let text = json(&path.join(&report))?;
        let write = |name: &str, bytes| folder.write(Path::new(name), bytes, 0o600, IfExists::Keep);
        write(&report, markdown.as_bytes())?;
        write(&data, text.as_bytes())?;
        Ok(path.join(report))
    };
    let name = match &location.name {
        Name::Dated(stem) => {
            let random: String = env.token().chars().take(6).collect();
            return both(&format!("{stem}-{}-{random}", env.now().format("%Y%m%dT%H%M%SZ")));
        }
        Name::Given(name) => name,
    };
    for number in 1..=MOST_OF_A_NAME {
        let written = match number {
            1 => both(name),
            _ => both(&format!("{name}-{number}")),
        };
        match written {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            written => return written,
        }
    }
    let what = format!("there are {MOST_OF_A_NAME} reports named {name} in {}", path.display());
    Err(io::Error::other(what))
}

/// Maximum bytes read of a report's JSON to identify it; this program writes none that is larger.
const MOST_BYTES: u64 = 64 << 20;

/// Returns the Markdown's path of the newest report in a location whose JSON matches `is_it`. Anything under its name
/// that is not a regular file of JSON is ignored.
pub(crate) fn find(
    root: &Path,
    location: &Location,
    is_it: &dyn Fn(&Value) -> bool,
) -> Option<PathBuf> {
    let path = location.folders.last()?;
    let (above, below) = Folder::towards(Some(root), path).ok()?;
    let folder = above.folder(below).ok()?;
    let name = match &location.name {
        Name::Dated(stem) => {
            let mut names: Vec<String> = (folder.list(usize::MAX).ok()?.into_iter())
                .filter_map(|entry| entry.name.into_string().ok())
                .filter_map(|name| Some(name.strip_suffix(".json")?.to_owned()))
                .filter(|name| name.strip_prefix(stem).is_some_and(|at| at.starts_with('-')))
                .collect();
            // They begin with the time.
            names.sort_unstable_by(|a, b| b.cmp(a));
            names.into_iter().find(|name| is_of(&folder, name, is_it))
        }
        Name::Given(name) => {
            let mut newest = None;
            for number in 1..=MOST_OF_A_NAME {
                let name = match number {
                    1 => name.clone(),
                    _ => format!("{name}-{number}"),
                };
                let data = folder.look(Path::new(&format!("{name}.json")));
                if data.ok()?.is_none() {
                    break;
                }
                if is_of(&folder, &name, is_it) {
                    newest = Some(name);
                }
            }
            newest
        }
    };
    Some(path.join(format!("{}.md", name?)))
}

/// Whether the JSON of the report of this name matches.
fn is_of(folder: &Folder, name: &str, is_it: &dyn Fn(&Value) -> bool) -> bool {
    let [report, data] = ["md", "json"].map(|end| format!("{name}.{end}"));
    let text = (folder.file(Path::new(&report)))
        .and_then(|_| folder.read(Path::new(&data), MOST_BYTES))
        .unwrap_or_default();
    serde_json::from_slice(&text).is_ok_and(|data| is_it(&data))
}

/// Overwrites an existing report: each of its two files whole or not at all. `root`: as in [`write()`].
///
/// # Errors
/// Its folder is a link, or a file cannot be written.
pub(crate) fn replace(root: &Path, report: &Path, markdown: &str, json: &str) -> io::Result<()> {
    let data = report.with_extension("json");
    for (path, text) in [(report, markdown), (&data, json)] {
        let (folder, below) = Folder::towards(Some(root), path)?;
        folder.write(below, text.as_bytes(), 0o600, IfExists::Replace)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    #[test]
    fn reports_of_one_second_are_all_kept_and_private() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("a/b");
        let now = &Env::fixed(chrono::DateTime::UNIX_EPOCH, 0);
        for _ in 0..5 {
            write(dir.path(), &Location::dated(&folder, "review"), now, "# R\n", &mut |path| {
                Ok(format!("{{\"at\": {:?}}}\n", path.display().to_string()))
            })
            .unwrap();
        }
        let mut names: Vec<String> = fs::read_dir(&folder)
            .unwrap()
            .map(|entry| {
                let entry = entry.unwrap();
                let mode = entry.metadata().unwrap().permissions().mode();
                assert_eq!(mode & 0o777, 0o600);
                entry.file_name().into_string().unwrap()
            })
            .collect();
        names.sort();
        assert_eq!(names.len(), 10);
        assert!(names[0].starts_with("review-19700101T000000Z-"), "{names:?}");
        let json = fs::read_to_string(folder.join(&names[0])).unwrap();
        assert!(json.contains(&names[1]), "the JSON names the Markdown: {json}");
    }

    #[test]
    fn a_name_that_is_taken_gets_a_number_and_nothing_is_written_over() {
        let dir = tempfile::tempdir().unwrap();
        let location = Location::given(&[dir.path()], "R-1-discussion".to_owned());
        let mut named = Vec::new();
        for text in ["first", "second", "third"] {
            write(
                dir.path(),
                &location,
                &Env::fixed(chrono::DateTime::UNIX_EPOCH, 0),
                text,
                &mut |path| {
                    named.push(path.file_name().unwrap().to_owned());
                    Ok("{}".to_owned())
                },
            )
            .unwrap();
        }
        let texts = ["R-1-discussion.md", "R-1-discussion-2.md", "R-1-discussion-3.md"]
            .map(|name| fs::read_to_string(dir.path().join(name)).unwrap());
        assert_eq!(texts, ["first", "second", "third"]);
        assert_eq!(named.last().unwrap(), "R-1-discussion-3.md");
    }

    #[test]
    fn the_newest_report_that_is_meant_is_found_and_nothing_else_is_read() {
        let dir = tempfile::tempdir().unwrap();
        let location = Location::given(&[dir.path()], "R-1-discussion".to_owned());
        for id in ["a", "b", "b", "c"] {
            write(
                dir.path(),
                &location,
                &Env::fixed(chrono::DateTime::UNIX_EPOCH, 0),
                "# R\n",
                &mut |_| Ok(format!("{{\"session_id\": \"{id}\"}}")),
            )
            .unwrap();
        }
        let of = |id: &str| {
            let found = find(dir.path(), &location, &|data| data["session_id"] == id)?;
            Some(found.file_name()?.to_str()?.to_owned())
        };
        assert_eq!(of("a").as_deref(), Some("R-1-discussion.md"));
        assert_eq!(of("b").as_deref(), Some("R-1-discussion-3.md"));
        assert_eq!(of("d"), None);
        // A link is ignored, whatever it leads to; so is a file that is not JSON or has no Markdown beside it.
        fs::remove_file(dir.path().join("R-1-discussion-3.json")).unwrap();
        let last = dir.path().join("R-1-discussion-2.json");
        symlink(&last, dir.path().join("R-1-discussion-3.json")).unwrap();
        assert_eq!(of("b").as_deref(), Some("R-1-discussion-2.md"));
        assert_eq!(of("c").as_deref(), Some("R-1-discussion-4.md"));
        fs::write(&last, "{").unwrap();
        fs::remove_file(dir.path().join("R-1-discussion-4.md")).unwrap();
        assert_eq!((of("b"), of("c")), (None, None));
    }

    #[test]
    fn a_folder_that_is_a_link_is_refused_and_its_target_untouched() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("target");
        fs::create_dir(&target).unwrap();
        symlink(&target, dir.path().join("link")).unwrap();
        let now = &Env::fixed(chrono::DateTime::UNIX_EPOCH, 0);
        let location = Location::dated(&dir.path().join("link"), "plan");
        let error = write(dir.path(), &location, now, "", &mut |_| Ok(String::new())).unwrap_err();
        assert!(error.to_string().contains("symbolic link"), "{error}");
        assert_eq!(fs::read_dir(&target).unwrap().count(), 0);
    }
}
