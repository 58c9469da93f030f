//! Writes a result's report: Markdown for people, JSON beside it.
//!
//! Names hold the time and random digits, so that two runs of one second keep both reports. Each file is
//! written whole or not at all, for the user alone; nothing is written over, and no link is followed:
//! neither the folder nor a file in it can lead elsewhere.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};

use crate::config::file::{Existing, make_private_folder, write_atomic};
use crate::env;

/// Writes `STEM-TIME-RANDOM.md` and `.json` into a folder, which is made if it is missing. `json` makes
/// the JSON, for it may name the report's path.
///
/// # Errors
/// The folder is a link, or is none; or a file cannot be written.
pub(crate) fn write(
    folder: &Path,
    stem: &str,
    now: DateTime<Utc>,
    markdown: &str,
    json: impl FnOnce(&Path) -> io::Result<String>,
) -> io::Result<()> {
    match fs::symlink_metadata(folder) {
        Ok(found) if found.is_symlink() => {
            let what = format!("{} is a symbolic link", folder.display());
            return Err(io::Error::other(what));
        }
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => make_private_folder(folder)?,
        Err(error) => return Err(error),
    }
    let random: String = env::random_token().chars().take(6).collect();
    let name = format!("{stem}-{}-{random}", now.format("%Y%m%dT%H%M%SZ"));
    let file = |extension: &str| -> PathBuf { folder.join(format!("{name}.{extension}")) };
    let report = file("md");
    let json = json(&report)?;
    write_atomic(&report, markdown.as_bytes(), 0o600, Existing::Keep)?;
    write_atomic(&file("json"), json.as_bytes(), 0o600, Existing::Keep)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    #[test]
    fn reports_of_one_second_are_all_kept_and_private() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("a/b");
        let now = DateTime::<Utc>::UNIX_EPOCH;
        for _ in 0..5 {
            write(&folder, "review", now, "# R\n", |path| {
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
        assert!(
            names[0].starts_with("review-19700101T000000Z-"),
            "{names:?}"
        );
        let json = fs::read_to_string(folder.join(&names[0])).unwrap();
        assert!(
            json.contains(&names[1]),
            "the JSON names the Markdown: {json}"
        );
    }

    #[test]
    fn a_folder_that_is_a_link_is_refused_and_its_target_untouched() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("target");
        fs::create_dir(&target).unwrap();
        symlink(&target, dir.path().join("link")).unwrap();
        let now = DateTime::<Utc>::UNIX_EPOCH;
        let error = write(&dir.path().join("link"), "plan", now, "", |_| {
            Ok(String::new())
        })
        .unwrap_err();
        assert!(error.to_string().contains("symbolic link"), "{error}");
        assert_eq!(fs::read_dir(&target).unwrap().count(), 0);
    }
}
