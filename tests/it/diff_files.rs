//! `diff` over files of every kind, and over repositories that set traps: each file is shown or named.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use serde_json::Value;

use crate::diff::{diff, numbered, run, shown_text, told};
use crate::support::BIN;
use crate::support::git::Repo;

#[test]
fn files_of_every_kind_are_shown_or_named() {
    let repo = Repo::new();
    repo.write("bin", b"\0\x01");
    repo.write("mode", "1\n");
    repo.write("was-file", "1\n");
    repo.write("crlf", "one\r\ntwo\r\n");
    repo.write("latin1", b"gr\xfc\xdfe\n");
    repo.write("untracked-now", "1\n");
    repo.write("both", "old\n");
    repo.write("empty", "");
    repo.commit("first");
    repo.write("bin", b"\0\x02");
    repo.write("new.bin", b"a\0");
    repo.write("new-empty", "");
    fs::set_permissions(repo.path().join("mode"), fs::Permissions::from_mode(0o755)).unwrap();
    fs::remove_file(repo.path().join("was-file")).unwrap();
    symlink("/etc/passwd", repo.path().join("was-file")).unwrap();
    symlink("/etc/shadow", repo.path().join("new-link")).unwrap();
    repo.write("crlf", "one\r\nthree\r\n");
    repo.write("latin1", b"gr\xfcn\n");
    repo.git(&["rm", "-q", "--cached", "untracked-now", "both"]);
    repo.write("both", "new\n");
    repo.write("promised", "to be added\n");
    repo.git(&["add", "-N", "promised"]);
    let odd = OsStr::from_bytes(b"odd\xff \"\t\n");
    repo.write(Path::new(odd), "1\n");
    repo.git(&["mv", "empty", "still-empty"]);
    repo.plain(&repo.path(), "mkfifo", &["pipe"]);
    let document = diff(&repo, &[]);
    let (shown, left) = told(&document);
    assert_eq!(
        shown,
        [
            "both modified +1 -1",
            "crlf modified +1 -1",
            "latin1 modified +1 -1",
            "mode mode_changed +0 -0",
            "new-empty added +0 -0",
            "new-link added +1 -0",
            "odd\\xff \"\\x09\\x0a added +1 -0",
            "promised added +1 -0",
            "still-empty from empty renamed +0 -0",
            "untracked-now deleted +0 -1",
            "was-file type_changed +1 -1",
        ]
    );
    assert_eq!(left, ["bin binary", "new.bin binary"]);
    let text = shown_text(&repo, &[]);
    assert!(text.contains("+three\r\n"), "{text}");
    assert!(text.contains("-gr\u{fffd}\u{fffd}e\n+gr\u{fffd}n\n"), "{text}");
    assert!(text.contains("+/etc/shadow\n\\ No newline"), "a link is its target: {text}");
    assert!(!text.contains("root:"), "nothing behind a link is read");
    assert!(text.contains("mode of mode: 100644 -> 100755\n"), "{text}");
    // An intent to add is not staged.
    let (staged, _) = told(&diff(&repo, &["--staged"]));
    assert!(!staged.concat().contains("promised"), "{staged:?}");
    // The same as a commit.
    repo.git(&["add", "-A"]);
    repo.git(&["commit", "-q", "-m", "second"]);
    let (shown, left) = told(&diff(&repo, &["--commit", "HEAD"]));
    assert_eq!(left, ["bin binary", "new.bin binary"]);
    assert!(shown.contains(&"odd\\xff \"\\x09\\x0a added +1 -0".to_owned()), "{shown:?}");
    assert!(shown.contains(&"was-file type_changed +1 -1".to_owned()), "{shown:?}");
}

#[test]
fn a_merge_that_is_not_done_is_shown_as_it_lies_there() {
    let repo = Repo::new();
    repo.write("both", "0\n");
    repo.write("theirs-gone", "0\n");
    repo.commit("first");
    repo.git(&["checkout", "-q", "-b", "other"]);
    repo.write("both", "other\n");
    repo.git(&["rm", "-q", "theirs-gone"]);
    repo.commit("other");
    repo.git(&["checkout", "-q", "main"]);
    repo.write("both", "main\n");
    repo.write("theirs-gone", "1\n");
    repo.commit("main");
    repo.plain(&repo.path(), "git", &["merge", "other"]);
    let (shown, left) = told(&diff(&repo, &[]));
    assert_eq!((shown, left), (vec!["both modified +4 -0".to_owned()], vec![]));
    let text = shown_text(&repo, &[]);
    assert!(text.contains("+<<<<<<< HEAD\n main\n+=======\n+other\n"), "{text}");
    let staged = diff(&repo, &["--staged"]);
    assert_eq!(told(&staged).1, ["both unreadable (missed)", "theirs-gone unreadable (missed)"]);
    assert_eq!(staged["complete"], false);
}

#[test]
fn linked_working_trees_and_sparse_ones_are_read() {
    let repo = Repo::new();
    repo.write("in/a", "1\n");
    repo.write("out/b", "1\n");
    repo.commit("first");
    repo.git(&["worktree", "add", "-q", "../linked", "-b", "other"]);
    fs::write(repo.at("linked/in/a"), "2\n").unwrap();
    let output = run(&repo, &repo.at("linked"), &["--json"]);
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(told(&document).0, ["in/a modified +1 -1"]);
    repo.git(&["sparse-checkout", "set", "in"]);
    assert!(!repo.path().join("out").exists());
    repo.write("in/a", "3\n");
    // A file that is not checked out has not been deleted.
    assert_eq!(told(&diff(&repo, &[])).0, ["in/a modified +1 -1"]);
}

#[test]
fn other_repositories_are_named_and_not_entered() {
    let repo = Repo::new();
    let inner = repo.at("inner");
    fs::create_dir(&inner).unwrap();
    repo.plain(&inner, "git", &["init", "-q"]);
    fs::write(inner.join("f"), "1\n").unwrap();
    repo.plain(&inner, "git", &["add", "-A"]);
    repo.plain(&inner, "git", &["commit", "-q", "-m", "one"]);
    let from = inner.display().to_string();
    repo.git(&["submodule", "--quiet", "add", &from, "sub"]);
    repo.git(&["submodule", "--quiet", "add", &from, "becomes-file"]);
    repo.commit("first");
    // A change within is the submodule's own matter; a change of its commit is ours.
    repo.write("sub/f", "2\n");
    assert_eq!(told(&diff(&repo, &[])), (vec![], vec![]));
    repo.git(&["-C", "sub", "commit", "-qam", "two"]);
    repo.git(&["init", "-q", "embedded"]);
    repo.write("embedded/secret.rs", "1\n");
    repo.git(&["rm", "-q", "-f", "becomes-file"]);
    repo.write("becomes-file", "now a file\n");
    let trap = repo.trap("inner", "exit 1");
    repo.git(&["-C", "sub", "config", "core.fsmonitor", &trap]);
    repo.git(&["-C", "embedded", "config", "core.fsmonitor", &trap]);
    repo.sprung();
    let (shown, left) = told(&diff(&repo, &[]));
    assert_eq!(repo.sprung(), [""; 0]);
    assert_eq!(
        left,
        ["becomes-file submodule", "embedded/ submodule", "sub submodule"],
        "{shown:?}"
    );
}

#[test]
fn secrets_own_and_excluded_files_are_named_and_not_read() {
    let repo = Repo::new();
    repo.write("was.env", "TOKEN=canary\n".repeat(10));
    repo.write("Cargo.lock", "1\n");
    repo.commit("first");
    repo.git(&["mv", "was.env", "settings.txt"]);
    let key = format!(
        "-----BEGIN {}-----\n{}\n-----END RSA PRIVATE KEY-----\n",
        "RSA PRIVATE KEY",
        "canary".repeat(8)
    );
    repo.write("deploy.txt", &key);
    repo.write("src/key.rs", format!("// {key}fn main() {{}}\n"));
    repo.write(".env", "TOKEN=canary\n");
    repo.write(".env.example", "TOKEN=\n");
    repo.write("Cargo.lock", "canary\n");
    repo.write(".debate/notes.md", "canary\n");
    repo.write(".swarm/backlog/x.json", "canary\n");
    repo.write("mine.secret", "canary\n");
    let config = "{\"review\": {\"secrets\": [\"*.secret\"], \"exclude\": [\"Cargo.lock\", \"out/\", \"*.json\"]}}";
    repo.write("debate-agent.config.json", config);
    // Patterns of an untrusted project leave nothing out on purpose.
    assert_eq!(
        told(&diff(&repo, &[])).1,
        [
            ".debate/notes.md own",
            ".env untracked_secret",
            ".swarm/backlog/x.json own",
            "Cargo.lock lock_file",
            "deploy.txt untracked_secret",
            "mine.secret secret (missed)",
            "settings.txt secret (missed)",
        ]
    );
    repo.plain(&repo.path(), BIN, &["trust"]);
    let document = diff(&repo, &[]);
    let (shown, left) = told(&document);
    assert_eq!(
        shown,
        [
            ".env.example added +1 -0",
            "debate-agent.config.json added +1 -0",
            "src/key.rs added +4 -0"
        ]
    );
    assert_eq!(
        left,
        [
            ".debate/notes.md own",
            ".env untracked_secret",
            ".swarm/backlog/x.json own",
            "Cargo.lock lock_file",
            "deploy.txt untracked_secret",
            "mine.secret untracked_secret",
            "settings.txt secret (missed)",
        ]
    );
    assert_eq!(document["complete"], false);
    let text = shown_text(&repo, &[]);
    assert!(!text.contains("canary"), "{text}");
    assert!(text.contains("+[redacted]\n") && text.contains("+fn main() {}\n"), "{text}");
    let (named, _) = told(&diff(&repo, &[".debate"]));
    assert_eq!(named, [".debate/notes.md added +1 -0"]);
    // Committed, and read from git instead of the disk.
    repo.git(&["add", "-Af"]);
    repo.git(&["commit", "-q", "-m", "second"]);
    let (shown, left) = told(&diff(&repo, &["--commit", "HEAD"]));
    assert_eq!(shown.len(), 3, "{shown:?}");
    assert_eq!(left.len(), 7, "{left:?}");
    // The deletion of such files is shown, but not their content.
    repo.git(&["rm", "-q", "-f", ".env", "deploy.txt"]);
    let document = diff(&repo, &["--full"]);
    assert_eq!(told(&document).0, [".env deleted +0 -0", "deploy.txt deleted +0 -0"]);
    assert!(!document.to_string().contains("canary"));
}

#[test]
fn the_bases_attributes_and_marks_count_and_those_of_the_change_do_not() {
    let repo = Repo::new();
    repo.write(".gitattributes", "*.dat -diff\n*.gen linguist-generated\n");
    for name in ["a.dat", "b.gen", "c.rs"] {
        repo.write(name, "one\n");
    }
    repo.write("was.go", "// Code generated by x. DO NOT EDIT.\npackage a\n");
    repo.commit("first");
    for name in ["a.dat", "b.gen"] {
        repo.write(name, "two\n");
    }
    repo.write("c.rs", "// @generated\nevil\n");
    repo.write("was.go", "// Code generated by x. DO NOT EDIT.\npackage b\n");
    let document = diff(&repo, &[]);
    let (shown, left) = told(&document);
    assert_eq!(shown, ["c.rs modified +2 -1"]);
    assert_eq!(left, ["a.dat binary", "b.gen generated", "was.go generated"]);
    assert_eq!(document["complete"], false);
    // The change brings attributes of its own: they have no effect, and the base's still count.
    repo.write(
        ".gitattributes",
        "*.dat -diff\n*.gen linguist-generated\n*.rs -diff\n*.py linguist-generated\n",
    );
    repo.write("new.py", "evil\n");
    repo.write("new.rs", "evil\n");
    let check = |scope: &[&str]| {
        let (shown, left) = told(&diff(&repo, scope));
        assert_eq!(
            shown,
            [
                ".gitattributes modified +2 -0",
                "c.rs modified +2 -1",
                "new.py added +1 -0",
                "new.rs added +1 -0"
            ]
        );
        assert_eq!(left, ["a.dat binary", "b.gen generated", "was.go generated"]);
    };
    check(&[]);
    repo.commit("second");
    check(&["--commit", "HEAD"]);
}

#[test]
fn f86_no_trap_of_a_repository_is_sprung_by_any_scope() {
    let repo = Repo::new();
    repo.write(".gitattributes", "*.txt filter=evil diff=evil\n*.lfs filter=lfs\n");
    for name in ["a.txt", "b.lfs", "c.md"] {
        repo.write(name, "one\n");
    }
    repo.commit("first");
    repo.write("c.md", "two\n");
    repo.commit("second");
    let set = |name: &str, value: &str| repo.git(&["config", name, value]);
    set("core.fsmonitor", &repo.trap("fsmonitor", "exit 1"));
    set("filter.evil.clean", &repo.trap("clean", "cat"));
    set("diff.external", &repo.trap("external", ""));
    set("diff.evil.textconv", &repo.trap("textconv", "cat \"$1\""));
    set("diff.evil.command", &repo.trap("command", ""));
    set("core.pager", &repo.trap("pager", "cat"));
    let hook = repo.trap("hook", "");
    for name in ["post-index-change", "pre-commit", "post-checkout"] {
        fs::copy(&hook, repo.path().join(".git/hooks").join(name)).unwrap();
    }
    for name in ["a.txt", "c.md", "new.txt", "new.lfs", "new.md"] {
        repo.write(name, "three\n");
    }
    repo.write("b.lfs", "big\n");
    // Plain git runs them: otherwise this proves nothing.
    repo.git(&["diff"]);
    repo.git(&["diff", "--no-ext-diff", "a.txt"]);
    // This one makes plain git fail, because it does not speak the protocol.
    set("filter.lfs.process", &repo.trap("process", "exit 1"));
    set("filter.lfs.required", "true");
    repo.plain(&repo.path(), "git", &["diff"]);
    let sprung = repo.sprung();
    for name in ["clean", "command", "external", "fsmonitor", "process", "textconv"] {
        assert!(sprung.contains(&name.to_owned()), "{name}: {sprung:?}");
    }
    let (shown, left) = told(&diff(&repo, &[]));
    assert_eq!(shown, ["c.md modified +1 -1", "new.md added +1 -0"]);
    // Files that would need a filter are named, never compared raw.
    assert_eq!(
        left,
        [
            "a.txt unreadable (missed)",
            "b.lfs binary",
            "new.lfs binary",
            "new.txt unreadable (missed)"
        ]
    );
    for args in [
        &["--staged"][..],
        &["--base", "HEAD~1"],
        &["--commit", "HEAD"],
        &["--range", "HEAD~1..HEAD"],
        &["--full"],
    ] {
        diff(&repo, args);
    }
    // A commit needs no filter.
    let (shown, left) = told(&diff(&repo, &["--commit", "HEAD~1"]));
    assert_eq!(left, [""; 0]);
    assert_eq!(shown.len(), 4, "{shown:?}");
    assert_eq!(repo.sprung(), [""; 0]);
}

#[test]
fn settings_of_the_repository_do_not_change_what_is_shown() {
    let repo = Repo::new();
    repo.write("src/a.rs", numbered(40));
    repo.write("größe", "1\n");
    repo.commit("first");
    repo.write("src/a.rs", numbered(40).replace("line 20\n", "\nchanged\n"));
    repo.write("größe", "2\n");
    let before = shown_text(&repo, &[]);
    repo.write("../order", "größe\n");
    let order = repo.at("order").display().to_string();
    for (name, value) in [
        ("diff.noprefix", "true"),
        ("diff.mnemonicPrefix", "true"),
        ("diff.context", "0"),
        ("diff.interHunkContext", "99"),
        ("diff.relative", "true"),
        ("diff.orderFile", order.as_str()),
        ("diff.suppressBlankEmpty", "true"),
        ("diff.renames", "false"),
        ("diff.submodule", "log"),
        ("diff.colorMoved", "true"),
        ("diff.ignoreSubmodules", "none"),
        ("core.quotePath", "true"),
        ("core.bigFileThreshold", "1"),
        ("color.ui", "always"),
        ("status.showUntrackedFiles", "no"),
    ] {
        repo.git(&["config", name, value]);
    }
    assert_eq!(shown_text(&repo, &[]), before);
    assert!(before.contains("+++ b/größe\n"), "{before}");
}
