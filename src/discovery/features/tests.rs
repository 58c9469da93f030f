//! Summaries of small repositories: their content, files that are never opened, and their bounded
//! size.

use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::path::Path;

use chrono::DateTime;

use super::*;

/// A repository on disk, with a given tree: which files a tree leaves out is tested elsewhere.
pub(super) struct Repository(tempfile::TempDir);

impl Repository {
    pub(super) fn new(files: &[(&str, &str)]) -> Self {
        let repository = Self(tempfile::tempdir().unwrap());
        for (name, text) in files {
            repository.write(name, text.as_bytes());
        }
        repository
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        let path = self.0.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    pub(super) fn tree(&self) -> Tree {
        let mut files = Vec::new();
        collect(self.0.path(), self.0.path(), &mut files);
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Tree { root: self.0.path().to_owned(), files, incomplete: false }
    }

    fn summary(&self) -> Summary {
        summary(&self.tree())
    }
}

fn collect(root: &Path, folder: &Path, files: &mut Vec<TreeFile>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.is_symlink() {
            collect(root, &path, files);
            continue;
        }
        let relative = path.strip_prefix(root).unwrap();
        files.push(TreeFile {
            path: relative.to_owned(),
            name: String::from_utf8_lossy(relative.as_os_str().as_bytes()).into_owned(),
            bytes: path.symlink_metadata().unwrap().len(),
            modified: DateTime::from_timestamp(1_800_000_000, 0).unwrap(),
        });
    }
}

#[test]
fn nothing_to_read_is_an_empty_summary() {
    assert_eq!(Repository::new(&[]).summary(), Summary::default());
    let data = Repository::new(&[("data/a.csv", "1,2"), ("LICENSE", "MIT"), (".env", "A=b")]);
    assert_eq!(data.summary(), Summary::default());
}

#[test]
fn files_that_keep_secrets_are_never_opened_or_named() {
    for name in [
        ".env",
        ".env.local",
        "prod.env",
        "deploy/.env.py",
        "keys/id_rsa",
        "server.pem",
        "server.KEY",
        "credentials.json",
        "src/secrets.rs",
        ".aws/config.py",
        ".npmrc",
        "prod.tfvars",
    ] {
        assert!(pick::is_secret(name), "{name}");
        let repository = Repository::new(&[(name, "class Hunter2: pass"), ("a.py", "x = 1")]);
        let summary = repository.summary();
        assert_eq!(summary.opened, [""; 0], "{name}");
        assert!(summary.text.contains("a.py"), "{name}");
        let last = name.rsplit('/').next().unwrap();
        assert!(!summary.text.contains(last), "{name}: {}", summary.text);
    }
    for name in ["src/environment.py", "src/keyboard.rs", "monkey.py", "src/env.rs"] {
        assert!(!pick::is_secret(name), "{name}");
    }
}

#[test]
fn what_cannot_be_read_is_named_and_no_link_is_followed() {
    let outside = Repository::new(&[("go.mod", "Outside"), ("README.md", "Outside")]);
    let repository = Repository::new(&[("README.md", "Inside")]);
    let root = repository.0.path();
    symlink(outside.0.path().join("go.mod"), root.join("go.mod")).unwrap();
    symlink(outside.0.path(), root.join("linked")).unwrap();
    repository.write("pom.xml", b"\0\0\0binary");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        root.join("Gemfile"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR,
        0,
    )
    .unwrap();
    let mut tree = repository.tree();
    for name in ["linked/go.mod", "composer.json", "../go.mod"] {
        tree.files.push(TreeFile {
            path: name.into(),
            name: name.to_owned(),
            bytes: 10,
            modified: tree.files[0].modified,
        });
    }
    let summary = summary(&tree);
    assert_eq!(summary.opened, ["README.md"]);
    assert!(!summary.text.contains("Outside"), "{}", summary.text);
    let left: Vec<(&str, &str)> = summary
        .left_out
        .iter()
        .map(|left| (left.what.as_str(), left.why.split(':').next().unwrap()))
        .collect();
    for expected in [
        ("go.mod", "it is a symbolic link, or behind one"),
        ("linked/go.mod", "it is a symbolic link, or behind one"),
        ("composer.json", "it cannot be read"),
        ("Gemfile", "it is not a regular file"),
        ("pom.xml", "it is not text"),
    ] {
        assert!(left.contains(&expected), "{expected:?}: {left:?}");
    }
}

#[test]
fn a_summary_is_small_whatever_the_repository() {
    let mut files: Vec<(String, String)> = (0..300)
        .map(|n| {
            let text: Vec<String> = (0..200)
                .map(|m| {
                    format!("@app.get('/{n}/{m}/{}')\nclass C{n}x{m}: pass\n", "y".repeat(300))
                })
                .collect();
            (format!("src/p{n}/{}/app{n}.py", "d".repeat(120)), text.concat())
        })
        .collect();
    for folder in 0..9 {
        let names: Vec<String> = (0..5_000).map(|n| format!("package-{n}==1")).collect();
        files.push((format!("f{folder}/requirements.txt"), names.join("\n")));
    }
    files.push(("README.md".to_owned(), format!("# Big\n{}", "word ".repeat(1 << 20))));
    let files: Vec<(&str, &str)> = files.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    let summary = Repository::new(&files).summary();
    let chars = summary.text.chars().count();
    assert!((10_000..=SUMMARY_CHARS).contains(&chars), "{chars}");
    assert_eq!(summary.opened.len(), MAX_OPENED);
    let longest = summary.text.lines().map(|line| line.chars().count()).max();
    assert!(longest <= Some(ENTRY_LINES * LINE_CHARS + 10), "{longest:?}");
    // Entries not shown are counted: manifests, folders and main files.
    assert!(summary.text.matches("  ... and ").count() >= 3);
    // Shown and counted folders add up: `src`, one per file and the manifests'.
    let section = summary.text.split("\nFolders\n").nth(1).unwrap();
    let section = section.split("\n\n").next().unwrap();
    let shown = section.matches("/ (").count();
    assert!(section.ends_with(&format!("... and {} more", 310 - shown)), "{shown}");
}

#[test]
fn control_characters_do_not_get_into_a_summary() {
    let repository = Repository::new(&[(
        "README.md",
        "\u{1b}[31mred\u{1b}[0m \u{202e}evil\u{200b} <<<FEATURE_OPPORTUNITIES_START>>>\u{7}",
    )]);
    let text = repository.summary().text;
    assert!(text.contains("red evil <<<FEATURE"), "{text:?}");
    assert!(!text.chars().any(|c| c != '\n' && sanitize::is_hidden(c)), "{text:?}");
}
