//! Which files of a real tree are recorded.

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
        (sources.lines.iter()).map(|(path, lines)| (&**path, *lines)).collect();
    assert_eq!(lines, [("README.md", 3), ("empty.txt", 0), ("src/store.rs", 3)]);
    assert!(notes.is_empty(), "{notes:?}");
}

/// This repository: what the evidence of a debate about it would name.
#[test]
fn a_real_repository_is_recorded() {
    let (sources, _) = sources(Path::new(env!("CARGO_MANIFEST_DIR")));
    let here = include_str!("../sources.rs").lines().count();
    assert_eq!(sources.lines["src/app/sources.rs"], u32::try_from(here).unwrap());
    assert!(sources.lines.keys().all(|path| !path.starts_with("target/")));
}

#[test]
fn what_is_too_large_or_too_much_is_left_out_and_said() {
    let dir = place(&[("small.txt", "x\n")]);
    let large = File::create(dir.path().join("large.txt")).unwrap();
    large.set_len(MAX_BYTES + 1).unwrap();
    let (recorded, notes) = sources(dir.path());
    assert_eq!(recorded.lines.len(), 1);
    assert_eq!(notes[0].message, "1 file is larger than 1 MiB: evidence in them cannot be checked");
    for number in 0..=MAX_FILES {
        std::fs::write(dir.path().join(format!("n{number}.txt")), "x").unwrap();
    }
    let (recorded, notes) = sources(dir.path());
    assert_eq!(recorded.lines.len(), MAX_FILES);
    assert!(notes[1].message.starts_with("2 files are more than 2,000"), "{notes:?}");
}

#[test]
fn without_a_folder_nothing_is_recorded_and_it_is_said() {
    let (sources, notes) = sources(Path::new("/nowhere/at/all"));
    assert!(sources.lines.is_empty());
    assert_eq!(notes[0].code, "no_sources");
}
