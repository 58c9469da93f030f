//! Summaries of small repositories: their content, files that are never opened, and their bounded
//! size.

use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::path::Path;

use chrono::DateTime;
use proptest::prelude::*;

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

fn web_app() -> Repository {
    Repository::new(&[
        (
            "README.md",
            "# Ledger\n\n[![build](https://x/y.svg)](https://x)\n\nKeeps accounts in [plain text](https://y).\n",
        ),
        (
            "pyproject.toml",
            "[project]\nname = \"ledger\"\ndependencies = [\n  \"flask>=3\",\n  \"sqlalchemy\",\n]\n",
        ),
        (
            "src/ledger/app.py",
            "from flask import Flask\n\n@app.route(\"/accounts\")\ndef accounts():\n    return []\n\n@app.post('/accounts/<id>')\ndef add(id):\n    return id\n",
        ),
        (
            "src/ledger/models.py",
            "class Account(Base):\n    pass\n\nclass Entry(Base):\n    pass\n\nclass _Private:\n    pass\n",
        ),
        (
            "tests/test_app.py",
            "class TestAccounts:\n    pass\n@app.get('/only-in-a-test')\ndef x(): pass\n",
        ),
        (
            "web/package.json",
            r#"{"name": "ledger-web", "dependencies": {"react": "^19"}, "devDependencies": {"vite": "^7"}}"#,
        ),
        ("web/main.ts", "export interface Row { id: string }\nrouter.get(\"/rows\", rows);\n"),
        ("web/vendor.min.js", "var a=1;"),
        (".env", "PASSWORD=hunter2"),
        ("config/secrets.py", "class Hunter2: pass"),
    ])
}

#[test]
fn a_small_web_application() {
    let summary = web_app().summary();
    insta::assert_snapshot!(summary.text, @r"
    Languages (lines are estimates)
      Python: 3 files, about 25 lines
      TypeScript: 1 file, about 3 lines

    Beginning of README.md
      # Ledger
      Keeps accounts in [plain text](https://y).

    Frameworks
      Flask
      React
      SQLAlchemy

    Dependencies by manifest
      pyproject.toml (`ledger`): flask, sqlalchemy
      web/package.json (`ledger-web`): react, vite

    Folders
      src/ (2)
      src/ledger/ (2)
      tests/ (1)
      web/ (3)

    Main files
      src/ledger/app.py
      src/ledger/models.py
      web/main.ts

    Routes
      /accounts (src/ledger/app.py)
      POST /accounts/<id> (src/ledger/app.py)
      GET /rows (web/main.ts)

    Types
      src/ledger/models.py: Account, Entry
      web/main.ts: Row
    ");
    assert_eq!(
        summary.opened,
        [
            "README.md",
            "pyproject.toml",
            "web/package.json",
            "src/ledger/app.py",
            "src/ledger/models.py",
            "web/main.ts"
        ]
    );
    assert!(summary.left_out.is_empty());
}

#[test]
fn the_same_files_give_the_same_text() {
    let repository = web_app();
    assert_eq!(repository.summary(), repository.summary());
    assert_eq!(web_app().summary().text, repository.summary().text);
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
        assert_eq!(summary.opened, ["a.py"], "{name}");
        let last = name.rsplit('/').next().unwrap();
        assert!(!summary.text.contains(last), "{name}: {}", summary.text);
    }
    for name in ["src/environment.py", "src/keyboard.rs", "monkey.py", "src/env.rs"] {
        assert!(!pick::is_secret(name), "{name}");
    }
}

#[test]
fn what_cannot_be_read_is_named_and_no_link_is_followed() {
    let outside = Repository::new(&[("app.py", "class Outside: pass"), ("README.md", "Outside")]);
    let repository = Repository::new(&[("lib.py", "class Inside: pass")]);
    let root = repository.0.path();
    symlink(outside.0.path().join("app.py"), root.join("app.py")).unwrap();
    symlink(outside.0.path(), root.join("linked")).unwrap();
    repository.write("server.py", b"\0\0\0binary");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        root.join("main.py"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR,
        0,
    )
    .unwrap();
    let mut tree = repository.tree();
    for name in ["linked/app.py", "gone.py", "../app.py"] {
        tree.files.push(TreeFile {
            path: name.into(),
            name: name.to_owned(),
            bytes: 10,
            modified: tree.files[0].modified,
        });
    }
    let summary = summary(&tree);
    assert_eq!(summary.opened, ["lib.py"]);
    assert!(!summary.text.contains("Outside"), "{}", summary.text);
    let left: Vec<(&str, &str)> = summary
        .left_out
        .iter()
        .map(|left| (left.what.as_str(), left.why.split(':').next().unwrap()))
        .collect();
    for expected in [
        ("app.py", "it is a symbolic link, or behind one"),
        ("linked/app.py", "it is a symbolic link, or behind one"),
        ("../app.py", "it cannot be read"),
        ("gone.py", "it cannot be read"),
        ("main.py", "it is not a regular file"),
        ("server.py", "it is not text"),
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
    let names: Vec<String> = (0..5_000).map(|n| format!("package-{n}==1")).collect();
    files.push(("requirements.txt".to_owned(), names.join("\n")));
    files.push(("README.md".to_owned(), format!("# Big\\n{}", "word ".repeat(1 << 20))));
    let files: Vec<(&str, &str)> = files.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    let summary = Repository::new(&files).summary();
    let chars = summary.text.chars().count();
    assert!((10_000..=SUMMARY_CHARS).contains(&chars), "{chars}");
    assert_eq!(summary.opened.len(), MAX_OPENED);
    let longest = summary.text.lines().map(|line| line.chars().count()).max();
    assert!(longest <= Some(ENTRY_LINES * LINE_CHARS + 10), "{longest:?}");
    for section in
        ["Languages", "Beginning of", "Dependencies", "Folders", "Main files", "Routes", "Types"]
    {
        assert!(summary.text.contains(section), "{section}");
    }
    // Entries not shown are counted: folders, main files and routes.
    assert!(summary.text.matches("  ... and ").count() >= 3);
    // Shown and counted folders add up: `src` and one per file.
    let section = summary.text.split("\nFolders\n").nth(1).unwrap();
    let section = section.split("\n\n").next().unwrap();
    let shown = section.matches("/ (").count();
    assert!(section.ends_with(&format!("... and {} more", 301 - shown)), "{shown}");
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

#[test]
fn tests_are_told_by_their_path() {
    for name in [
        "tests/a.rs",
        "a/__tests__/b.ts",
        "x_test.go",
        "test_x.py",
        "b.spec.ts",
        "src/a/tests.rs",
        "examples/a.rs",
    ] {
        assert!(pick::is_test(name), "{name}");
    }
    for name in ["src/latest.py", "src/contest.rs", "attestation/a.go", "src/testament.py"] {
        assert!(!pick::is_test(name), "{name}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    /// Any text in any kind of file causes no panic, and lists stay bounded.
    #[test]
    fn no_text_breaks_a_reader(text in "(\\PC|\n|\\[project\\]|dependencies = \\[|\"|=|require \\(|<dependency>|<artifactId>|@app.get\\(){0,60}") {
        for name in ["Cargo.toml", "package.json", "pyproject.toml", "requirements.txt", "go.mod", "pom.xml", "build.gradle"] {
            let manifest = manifest::read(name, &text).unwrap();
            prop_assert!(manifest.dependencies.iter().all(|name| !name.contains(char::is_whitespace)));
        }
        for name in ["a.rs", "a.py", "a.ts", "a.go", "a.java", "a.rb", "a.c"] {
            let language = Language::of(name).unwrap();
            prop_assert!(lexical::routes(language, &text).len() <= 16 && lexical::types(language, &text).len() <= 20);
        }
    }
}
