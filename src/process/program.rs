//! Finds programs on PATH, using only its absolute entries.
//!
//! An empty or relative entry means the working directory, whose content a repository controls. `which` accepts both,
//! so they are removed before the search.

use std::path::PathBuf;

/// Returns the absolute entries of a PATH.
pub fn folders(path: &str) -> impl Iterator<Item = PathBuf> + '_ {
    std::env::split_paths(path).filter(|folder| folder.is_absolute())
}

/// Finds a program by its bare name. A name that is a path is not found: it would be resolved from the working
/// directory.
pub fn find(name: &str, path: &str) -> Option<PathBuf> {
    if name.contains('/') {
        return None;
    }
    let folders = std::env::join_paths(folders(path)).ok()?;
    which::which_in(name, Some(folders), "/").ok()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;
    use std::path::Path;

    use super::*;

    fn program(folder: &Path, mode: u32) -> PathBuf {
        fs::create_dir_all(folder).unwrap();
        let file = folder.join("tool");
        fs::write(&file, "#!/bin/sh\n").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
        file
    }

    #[test]
    fn only_absolute_entries_count() {
        let folder = tempfile::tempdir().unwrap();
        let there = folder.path().join("bin");
        let tool = program(&there, 0o755);
        let there = there.display().to_string();
        // Each of these leads to the program from the working directory of this test.
        let up = "../".repeat(20);
        let relative = format!("{up}{}", there.trim_start_matches('/'));
        assert!(Path::new(&relative).join("tool").is_file());
        for path in ["", ":", ".", "bin", "~/bin", &relative, &format!(":{relative}:.")] {
            assert_eq!(find("tool", path), None, "{path}");
            let both = format!("{path}:{there}");
            assert_eq!(find("tool", &both), Some(tool.clone()), "{both}");
        }
        assert_eq!(find(&format!("{relative}/tool"), &there), None);
        assert_eq!(find("./tool", &there), None);
    }

    #[test]
    fn what_cannot_be_run_is_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        let [plain, dir, good] = ["plain", "dir", "good"].map(|name| folder.path().join(name));
        program(&plain, 0o644);
        fs::create_dir_all(dir.join("tool")).unwrap();
        let tool = program(&good, 0o755);
        let path = [&plain, &dir, &good].map(|folder| folder.display().to_string());
        assert_eq!(find("tool", &path[..2].join(":")), None);
        assert_eq!(find("tool", &path.join(":")), Some(tool));
        assert_eq!(find("", &path.join(":")), None);
    }
}
