//! No link in a path below a root is followed, and no ignore file blocks a walk.

use std::fs;
use std::io::{Read as _, Write as _};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::{CWD, FileType, Mode, OFlags, mknodat};

use super::*;

/// `a/b/file` with the word `inside`, next to a folder with the word `outside`, and links from the first into the
/// second.
fn place() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("root");
    let out = dir.path().join("out");
    fs::create_dir_all(root.join("a/b")).unwrap();
    fs::create_dir(&out).unwrap();
    fs::write(root.join("a/b/file"), "inside").unwrap();
    fs::write(out.join("file"), "outside").unwrap();
    symlink(&out, root.join("folder")).unwrap();
    symlink(&out, root.join("a/folder")).unwrap();
    symlink(out.join("file"), root.join("link")).unwrap();
    symlink("b", root.join("a/inner")).unwrap();
    mknodat(CWD, root.join("pipe"), FileType::Fifo, Mode::RUSR, 0).unwrap();
    (dir, root)
}

const LINKS: [&str; 8] = [
    "link",
    "folder",
    "folder/file",
    "folder/",
    "folder/.",
    "a/folder/file",
    "a/folder",
    "a/inner/file",
];

#[test]
fn what_lies_below_is_opened_and_no_part_of_it_may_be_a_link() {
    let (_dir, root) = place();
    let root = Folder::open(&root).unwrap();
    assert_eq!(root.read(Path::new("a/b/file"), 6).unwrap(), b"inside");
    assert_eq!(root.read(Path::new("./a/./b/file"), 6).unwrap(), b"inside");
    let below = root.folder(Path::new("a")).unwrap();
    assert_eq!(below.read(Path::new("b/file"), 6).unwrap(), b"inside");
    for link in LINKS {
        let error = root.file(Path::new(link)).unwrap_err();
        assert!(is_link(&error), "{link}: {error}");
        let error = root.folder(Path::new(link)).unwrap_err();
        assert!(is_link(&error), "{link}: {error}");
        let error =
            root.write(&Path::new(link).join("new"), b"x", 0o600, IfExists::Replace).unwrap_err();
        assert!(is_link(&error), "{link}: {error}");
        let error = root.make(&Path::new(link).join("new")).unwrap_err();
        assert!(is_link(&error), "{link}: {error}");
    }
    for wrong in ["/etc/passwd", "../out/file", "a/../../out/file", "a/../link"] {
        let error = root.file(Path::new(wrong)).unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::InvalidFilename, "{wrong}");
    }
    let error = root.read(Path::new("a/b/file"), 5).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::FileTooLarge);
    for other in ["pipe", "a"] {
        let error = root.file(Path::new(other)).unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::InvalidInput, "{other}");
    }
    let error = root.file(Path::new("a/missing")).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::NotFound);
    assert_eq!(root.look(Path::new("missing/x")).unwrap(), None);
    assert!(root.look(Path::new("link")).unwrap().unwrap().kind.is_symlink());
}

#[test]
fn an_old_kernel_opens_and_refuses_the_same() {
    let (_dir, root) = place();
    let root = Folder::open(&root).unwrap();
    let open = |path: &str| {
        let parts: Vec<_> = Path::new(path).iter().collect();
        root.part_by_part(&parts, OFlags::RDONLY | OFlags::NONBLOCK, Mode::empty())
    };
    let mut text = String::new();
    let file = open("a/b/file").unwrap();
    fs::File::from(file).read_to_string(&mut text).unwrap();
    assert_eq!(text, "inside");
    for link in LINKS {
        let error = open(link.trim_end_matches(['/', '.'])).unwrap_err();
        assert!(is_link(&error), "{link}: {error}");
    }
}

#[test]
fn a_write_is_whole_private_and_never_goes_through_a_link() {
    let (dir, path) = place();
    let root = Folder::open(&path).unwrap();
    let link = Path::new("link");
    let kept = root.write(link, b"new", 0o600, IfExists::Keep).unwrap_err();
    assert_eq!(kept.kind(), std::io::ErrorKind::AlreadyExists);
    root.write(link, b"new", 0o640, IfExists::Replace).unwrap();
    let outside = dir.path().join("out/file");
    assert_eq!(fs::read_to_string(outside).unwrap(), "outside");
    assert_eq!(fs::read_to_string(path.join("link")).unwrap(), "new");
    let mode = fs::metadata(path.join("link")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
    root.make(Path::new("x/y/z")).unwrap();
    root.write(Path::new("x/y/z/new"), b"new", 0o600, IfExists::Keep).unwrap();
    let mode = fs::metadata(path.join("x/y")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
    let entries = root.folder(Path::new("x/y/z")).unwrap().list(10).unwrap();
    assert_eq!(entries.len(), 1, "no temporary file stays: {entries:?}");
}

#[test]
fn what_is_removed_is_the_link_and_not_what_it_leads_to() {
    let (dir, path) = place();
    let root = Folder::open(&path).unwrap();
    for link in ["folder", "folder/", "a/folder"] {
        assert!(root.remove_all(Path::new(link)).is_err(), "{link}");
    }
    root.remove_all(Path::new("a")).unwrap();
    root.remove_file(Path::new("link")).unwrap();
    assert_eq!(fs::read_to_string(dir.path().join("out/file")).unwrap(), "outside");
    assert!(!path.join("a").exists() && path.join("link").symlink_metadata().is_err());
}

/// The names returned by a walk below a root, sorted, and the ignore files that were not read.
fn names(root: &Path) -> (Vec<String>, Vec<String>) {
    let mut walk = walk(root, true, ParentRules::Repository, |_| true);
    let mut names: Vec<String> = walk
        .by_ref()
        .map(Result::unwrap)
        .filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()))
        .map(|entry| entry.path().strip_prefix(root).unwrap().display().to_string())
        .collect();
    names.sort();
    (names, walk.unread().into_iter().map(|(_, why)| why).collect())
}

#[test]
fn an_ignore_file_that_is_no_honest_file_is_not_read() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    let file = root.join(".gitignore");
    fs::write(root.join("a.log"), "").unwrap();
    let refused = |what: &str| {
        let start = Instant::now();
        let (names, unread) = names(root);
        assert!(start.elapsed() < Duration::from_secs(5), "{what}");
        assert_eq!(names, ["a.log"], "{what}");
        assert_eq!(unread.len(), 1, "{what}: {unread:?}");
        fs::remove_file(&file).unwrap();
    };
    symlink("/dev/zero", &file).unwrap();
    refused("a link to a device");
    fs::write(root.join("rules"), "*.log\nrules\n").unwrap();
    symlink("rules", &file).unwrap();
    let (found, _) = names(root);
    assert_eq!(found, ["a.log", "rules"], "git follows no link here either");
    fs::remove_file(root.join("rules")).unwrap();
    refused("a link");
    mknodat(CWD, &file, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    refused("a pipe");
    fs::write(&file, "*.log\n".repeat(200_000)).unwrap();
    refused("too large");
    fs::write(&file, "*.log\n".repeat(20_001)).unwrap();
    refused("too many patterns");
    fs::write(&file, "*x*y*z*.log\n".repeat(5_001)).unwrap();
    refused("too many wildcards");
    let mut long = fs::File::create(&file).unwrap();
    writeln!(long, "{}\n{}.log", "x".repeat(5_000), "*?".repeat(1_000)).unwrap();
    let (names, _) = names(root);
    assert_eq!(names, ["a.log"], "patterns that nobody writes are passed over");
}

#[test]
fn rules_hold_as_gits_do() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    let write = |name: &str, text: &str| {
        let path = root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    for name in [
        "x.log",
        "sub/x.log",
        "sub/keep.log",
        "sub/deep/y.tmp",
        "sub/deep/keep.tmp",
        "gen/a",
        "sub/gen/a",
        "excluded",
        "other/keep.log",
        "inner/x.log",
    ] {
        write(name, "");
    }
    write(".gitignore", "\u{feff}*.log\n# no\n/gen/\n");
    write(".git/info/exclude", "/excluded\n");
    write("sub/.gitignore", "!keep.log\n*.tmp\n");
    write("sub/deep/.gitignore", "!keep.tmp\n");
    // A repository in the tree has rules of its own.
    write("inner/.git/info/exclude", "");
    assert_eq!(names(root).0, ["inner/x.log", "sub/deep/keep.tmp", "sub/gen/a", "sub/keep.log"]);
    assert_eq!(names(&root.join("sub/deep")).0, ["keep.tmp"]);
    // A linked working tree: `.git` is a file, and the rules are in the folder that it names.
    let linked = tempfile::tempdir().unwrap();
    write(".git/worktrees/w/commondir", "../..\n");
    let target = format!("gitdir: {}/.git/worktrees/w\n", root.display());
    fs::write(linked.path().join(".git"), target).unwrap();
    fs::write(linked.path().join("excluded"), "").unwrap();
    fs::write(linked.path().join("kept"), "").unwrap();
    assert_eq!(names(linked.path()).0, ["kept"]);
}
