//! `diff`, through the binary and the real git: what reviewers would be shown, and that nothing is lost.

use std::ffi::OsStr;
use std::fs;
use std::io::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::{Output, Stdio};

use serde_json::Value;

use crate::support::git::Repo;
use crate::support::{BIN, Sandbox};

/// Runs `diff --json` in the repository.
#[track_caller]
fn diff(repo: &Repo, args: &[&str]) -> Value {
    let output = run(repo, &repo.path(), &[args, &["--json"]].concat());
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).unwrap()
}

fn run(repo: &Repo, dir: &Path, args: &[&str]) -> Output {
    repo.plain(dir, BIN, &[&["diff"], args].concat())
}

/// `path kind +added -removed` of every file that is shown, and `path why` of what is left out.
fn told(document: &Value) -> (Vec<String>, Vec<String>) {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let list = |value: &Value| value.as_array().unwrap().clone();
    let shown = list(&document["batches"])
        .iter()
        .flat_map(|batch| list(&batch["files"]))
        .map(|file| {
            let from = file["old_path"].as_str().map(|old| format!(" from {old}"));
            format!(
                "{}{} {} +{} -{}",
                text(&file["path"]),
                from.unwrap_or_default(),
                text(&file["kind"]),
                file["added"],
                file["removed"]
            )
        })
        .collect();
    let left = list(&document["not_reviewed"])
        .iter()
        .map(|left| format!("{} {}", text(&left["path"]), text(&left["why"])))
        .collect();
    (shown, left)
}

/// The whole text of the prompts.
#[track_caller]
fn shown_text(repo: &Repo, args: &[&str]) -> String {
    let document = diff(repo, &[args, &["--full"]].concat());
    let batches = document["batches"].as_array().unwrap();
    batches.iter().map(|batch| batch["text"].as_str().unwrap()).collect()
}

#[track_caller]
fn fails(repo: &Repo, args: &[&str], code: i32, says: &str) {
    let output = run(repo, &repo.path(), args);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{args:?}: {said}");
    assert!(said.contains(says), "{args:?}: {said}");
    assert!(output.stdout.is_empty());
}

/// Runs the program with something on its standard input.
#[expect(clippy::disallowed_methods, reason = "tests start the program itself")]
fn piped(dir: &Path, args: &[&str], input: &[u8]) -> Output {
    let mut child = std::process::Command::new(BIN)
        .args(args)
        .env_clear()
        .env("HOME", dir)
        .current_dir(dir)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    child.wait_with_output().unwrap()
}

fn numbered(lines: usize) -> String {
    (1..=lines).map(|line| format!("line {line}\n")).collect()
}

#[test]
fn the_working_tree_is_staged_unstaged_and_untracked_and_the_index_is_left_alone() {
    let repo = Repo::new();
    repo.write(".gitignore", "*.log\n");
    for name in ["staged", "unstaged", "gone", "same", "untouched"] {
        repo.write(name, format!("{name}\n"));
    }
    repo.write("moved", numbered(50));
    repo.commit("first");
    repo.write("staged", "new\n");
    repo.git(&["add", "staged"]);
    repo.write("unstaged", "new\n");
    fs::remove_file(repo.path().join("gone")).unwrap();
    repo.git(&["mv", "moved", "to"]);
    repo.write("added/deep.rs", "one\ntwo");
    repo.write("noise.log", "ignored\n");
    // Of another time, and not changed: git lists it, and nothing differs.
    repo.plain(&repo.path(), "touch", &["-d", "2001-01-01", "same"]);
    let index = fs::read(repo.path().join(".git/index")).unwrap();
    let document = diff(&repo, &[]);
    assert_eq!(
        told(&document),
        (
            vec![
                "added/deep.rs added +2 -0".to_owned(),
                "gone deleted +0 -1".to_owned(),
                "staged modified +1 -1".to_owned(),
                "to from moved renamed +0 -0".to_owned(),
                "unstaged modified +1 -1".to_owned(),
            ],
            vec![]
        )
    );
    assert_eq!(document["scope"], "working tree against HEAD");
    assert_eq!(document["base"], repo.git(&["rev-parse", "HEAD"]));
    assert_eq!(document["complete"], true);
    assert_eq!(document["totals"]["files"], 5);
    assert_eq!(document["totals"]["added"], 4);
    assert_eq!(document["totals"]["removed"], 3);
    let deep = &document["batches"][0]["files"][0];
    assert_eq!(deep["lines"], 2);
    assert_eq!(fs::read(repo.path().join(".git/index")).unwrap(), index);
    assert!(!repo.path().join(".git/index.lock").exists());

    let (staged, _) = told(&diff(&repo, &["--staged"]));
    assert_eq!(staged, ["staged modified +1 -1", "to from moved renamed +0 -0"]);
    let (part, _) = told(&diff(&repo, &["added", "staged"]));
    assert_eq!(part, ["added/deep.rs added +2 -0", "staged modified +1 -1"]);
    // From within a folder, as typed there.
    let output = run(&repo, &repo.path().join("added"), &["--json", "deep.rs", "../gone"]);
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(told(&document).0, ["added/deep.rs added +2 -0", "gone deleted +0 -1"]);

    let all = shown_text(&repo, &[]);
    assert!(all.contains("--- /dev/null\n+++ b/added/deep.rs\n@@ -0,0 +1,2 @@\n+one\n+two\n\\ No newline at end of file\n"));
    assert!(all.contains("rename or copy: moved -> to\n"));
}

#[test]
fn every_scope_compares_what_it_says() {
    let repo = Repo::new();
    repo.write("a", "0\n");
    repo.commit("first");
    repo.git(&["checkout", "-q", "-b", "topic"]);
    repo.write("topic", "of topic\n");
    repo.commit("second");
    repo.git(&["checkout", "-q", "main"]);
    repo.write("main", "of main\n");
    repo.commit("third");
    repo.git(&["checkout", "-q", "topic"]);
    repo.write("wip", "1\n");
    let shown = |args: &[&str]| told(&diff(&repo, args)).0;
    // What main got since is not of this branch; what is not committed yet is.
    assert_eq!(shown(&["--base", "main"]), ["topic added +1 -0", "wip added +1 -0"]);
    assert_eq!(shown(&["--commit", "HEAD"]), ["topic added +1 -0"]);
    assert_eq!(shown(&["--range", "main..topic"]), ["main deleted +0 -1", "topic added +1 -0"]);
    assert_eq!(shown(&["--range", "main...topic"]), ["topic added +1 -0"]);
    assert_eq!(shown(&["--range", "main..."]), ["topic added +1 -0"]);
    // The first commit has no parent; a merge is compared with its first.
    assert_eq!(shown(&["--commit", "topic~1"]), ["a added +1 -0"]);
    repo.git(&["merge", "-q", "--no-ff", "-m", "merge", "main"]);
    assert_eq!(shown(&["--commit", "HEAD"]), ["main added +1 -0"]);

    let base = diff(&repo, &["--range", "main..topic"]);
    assert_eq!(base["base"], repo.git(&["rev-parse", "main"]));
    for (args, says) in [
        (&["--commit", "nowhere"][..], "`nowhere` names no commit"),
        (&["--base", "nowhere"], "`nowhere` names no commit"),
        (&["--range", "main..nowhere"], "`nowhere` names no commit"),
        (&["--range", "main"], "is no range of commits"),
        (&["--commit=--output=x"], "looks like an option"),
        (&["--base=--help"], "looks like an option"),
        (&["--range=--output=x..main"], "looks like an option"),
        (&["--commit", ""], "it is empty"),
        (&["--", "-x"], "looks like an option"),
        (&["--", "--output=x"], "looks like an option"),
        (&["-"], "looks like an option"),
        (&["../outside"], "leads out of the repository"),
        (&["/etc/passwd"], "leads out of the repository"),
        (&["typo.rs"], "there is no such file"),
        (&["--staged", "--commit", "HEAD"], "cannot be used with"),
    ] {
        fails(&repo, args, 2, says);
    }
    assert!(!repo.path().join("x").exists());
    repo.git(&["checkout", "-q", "--orphan", "alone"]);
    repo.git(&["commit", "-q", "-m", "alone"]);
    fails(&repo, &["--base", "main"], 2, "have no commit in common");
}

#[test]
fn where_there_is_nothing_to_compare_it_says_so() {
    let repo = Repo::new();
    fails(&repo, &["--base", "main"], 2, "there is none yet");
    fails(&repo, &["--commit", "HEAD"], 2, "`HEAD` names no commit");
    // Nothing is committed yet, so everything is new.
    let output = run(&repo, &repo.path(), &[]);
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(said, "nothing to review: working tree against no commit yet, no file differs\n");
    repo.write("staged.rs", "1\n");
    repo.git(&["add", "staged.rs"]);
    repo.write("new.rs", "1\n");
    let document = diff(&repo, &[]);
    assert_eq!(told(&document).0, ["new.rs added +1 -0", "staged.rs added +1 -0"]);
    assert_eq!(document["base"], Value::Null);
    assert_eq!(told(&diff(&repo, &["--staged"])).0, ["staged.rs added +1 -0"]);

    let outside = run(&repo, &repo.at("home"), &[]);
    assert_eq!(outside.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&outside.stderr).contains("is not in a git repository"));
    // A repository whose ids are longer.
    repo.plain(&repo.at("home"), "git", &["init", "-q", "--object-format=sha256", "."]);
    fs::write(repo.at("home/a"), "1\n").unwrap();
    let output = run(&repo, &repo.at("home"), &[]);
    assert!(String::from_utf8_lossy(&output.stdout).contains("added  a"), "{output:?}");
}

#[test]
fn a_history_that_was_cut_off_is_not_taken_for_a_first_commit() {
    let repo = Repo::new();
    for n in 0..3 {
        repo.write("a", format!("{n}\n"));
        repo.commit("more");
    }
    let url = format!("file://{}", repo.path().display());
    let clone = repo.at("shallow");
    repo.plain(&repo.at(""), "git", &["clone", "-q", "--depth=1", &url, "shallow"]);
    let output = run(&repo, &clone, &["--commit", "HEAD"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("history was cut off") && said.contains("--deepen"), "{said}");
}

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
    // What is only promised to be added is not staged.
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
    assert_eq!(told(&staged).1, ["both unreadable", "theirs-gone unreadable"]);
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
    // What is not checked out has not been deleted.
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
    // A change within is the submodule's own matter; that its commit moved is ours.
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
fn secrets_generated_own_and_excluded_files_are_named_and_not_read() {
    let repo = Repo::new();
    repo.write("was.env", "TOKEN=canary\n".repeat(10));
    repo.commit("first");
    repo.git(&["mv", "was.env", "settings.txt"]);
    let key = format!(
        "-----BEGIN {}-----\n{}\n-----END-----\n",
        "RSA PRIVATE KEY",
        "canary".repeat(8)
    );
    repo.write("src/key.rs", &key);
    repo.write(".env", "TOKEN=canary\n");
    repo.write(".env.example", "TOKEN=\n");
    repo.write("Cargo.lock", "canary\n");
    repo.write("api.pb.go", "canary\n");
    repo.write("gen.go", "// Code generated by x. DO NOT EDIT.\ncanary\n");
    repo.write("vendored.js", "canary\n");
    repo.write(".debate/notes.md", "canary\n");
    repo.write(".swarm/backlog/x.json", "canary\n");
    repo.write("mine.secret", "canary\n");
    repo.write(
        "debate-agent.config.json",
        "{\"review\": {\"secrets\": [\"*.secret\"], \"exclude\": [\"Cargo.lock\", \"out/\"]}}",
    );
    let document = diff(&repo, &[]);
    let (shown, left) = told(&document);
    assert_eq!(
        shown,
        [
            ".env.example added +1 -0",
            "debate-agent.config.json added +1 -0",
            "vendored.js added +1 -0"
        ]
    );
    assert_eq!(
        left,
        [
            ".debate/notes.md own",
            ".env secret",
            ".swarm/backlog/x.json own",
            "Cargo.lock excluded",
            "api.pb.go generated",
            "gen.go generated",
            "mine.secret secret",
            "settings.txt secret",
            "src/key.rs secret",
        ]
    );
    assert_eq!(document["complete"], true);
    let text = shown_text(&repo, &[]);
    assert!(!text.replace("+canary\n", "").contains("canary"), "{text}");
    let (named, _) = told(&diff(&repo, &[".debate"]));
    assert_eq!(named, [".debate/notes.md added +1 -0"]);
    // Committed, and read from git instead of the disk.
    repo.git(&["add", "-Af"]);
    repo.git(&["commit", "-q", "-m", "second"]);
    let (shown, left) = told(&diff(&repo, &["--commit", "HEAD"]));
    assert_eq!(shown.len(), 3, "{shown:?}");
    assert_eq!(left.len(), 9, "{left:?}");
}

#[test]
fn a_change_cannot_hide_itself_by_attributes_or_by_a_mark() {
    let repo = Repo::new();
    repo.write(".gitattributes", "*.dat -diff\n*.gen linguist-generated\n");
    for name in ["a.dat", "b.gen", "c.rs"] {
        repo.write(name, "one\n");
    }
    repo.commit("first");
    for name in ["a.dat", "b.gen"] {
        repo.write(name, "two\n");
    }
    repo.write("c.rs", "// @generated\nevil\n");
    let document = diff(&repo, &[]);
    let (shown, left) = told(&document);
    assert_eq!(shown, ["c.rs modified +2 -1"]);
    assert_eq!(left, ["a.dat binary", "b.gen generated"]);
    assert_eq!(document["complete"], true);
    // The change brings the attributes itself: they say nothing any more.
    repo.write(".gitattributes", "*.dat -diff\n*.gen linguist-generated\n*.rs -diff\n");
    let document = diff(&repo, &[]);
    let (shown, left) = told(&document);
    assert_eq!(shown, [".gitattributes modified +1 -0", "b.gen modified +1 -1"]);
    assert_eq!(left, ["a.dat unreadable", "c.rs unreadable"]);
    assert_eq!(document["complete"], false);
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
    // Plain git runs them: else this proves nothing.
    repo.git(&["diff"]);
    repo.git(&["diff", "--no-ext-diff", "a.txt"]);
    // This one is the end of plain git, because it does not speak the protocol.
    set("filter.lfs.process", &repo.trap("process", "exit 1"));
    set("filter.lfs.required", "true");
    repo.plain(&repo.path(), "git", &["diff"]);
    let sprung = repo.sprung();
    for name in ["clean", "command", "external", "fsmonitor", "process", "textconv"] {
        assert!(sprung.contains(&name.to_owned()), "{name}: {sprung:?}");
    }
    let (shown, left) = told(&diff(&repo, &[]));
    assert_eq!(shown, ["c.md modified +1 -1", "new.md added +1 -0"]);
    // What a filter would have to be run for is named, never compared raw.
    assert_eq!(
        left,
        ["a.txt unreadable", "b.lfs binary", "new.lfs binary", "new.txt unreadable"]
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
    // Of a commit no filter is needed.
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

#[test]
fn a_large_change_is_parted_and_what_has_no_room_is_named() {
    let repo = Repo::new();
    repo.write("debate-agent.config.json", "{\"review\": {\"max_diff_bytes\": 2000, \"max_batches\": 3}}");
    repo.commit("first");
    for name in ["a", "b", "c", "d"] {
        repo.write(name, numbered(150));
    }
    repo.write("min.js", "x".repeat(5_000));
    let document = diff(&repo, &["--full"]);
    let batches = document["batches"].as_array().unwrap();
    assert_eq!(batches.len(), 3);
    for batch in batches {
        assert!(batch["bytes"].as_u64().unwrap() <= 2_000);
        assert_eq!(batch["text"].as_str().unwrap().len() as u64, batch["bytes"].as_u64().unwrap());
    }
    assert_eq!(document["complete"], false);
    assert_eq!(document["totals"]["files"], 5);
    assert_eq!(document["totals"]["added"], 601);
    let (_, left) = told(&document);
    assert!(left.contains(&"min.js (line 1) too_large".to_owned()), "{left:?}");
    assert!(left.iter().any(|left| left == "d beyond_batches"), "{left:?}");
    // Each line is shown once, or its file is named.
    let all: String = batches.iter().map(|batch| batch["text"].as_str().unwrap()).collect();
    assert_eq!(all.matches("+line 50\n").count(), 3);
}

#[test]
fn a_patch_is_read_without_a_repository_and_whole() {
    let sandbox = Sandbox::new();
    let text = "diff --git a/src/a.rs b/src/a.rs\n--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1 +1 @@\n-old\n+new\ndiff --git a/.env b/.env\n--- a/.env\n+++ b/.env\n@@ -1 +1 @@\n-K=1\n+K=2\ndiff --git a/i.png b/i.png\nnew file mode 100644\nindex 0000000..1111111\nBinary files /dev/null and b/i.png differ\n";
    sandbox.write("a.patch", text);
    let document = sandbox.run(&["diff", "--patch", "a.patch", "--json"]).exits(0).json();
    let expected = (
        vec!["src/a.rs modified +1 -1".to_owned()],
        vec![".env secret".to_owned(), "i.png binary".to_owned()],
    );
    assert_eq!(told(&document), expected);
    assert_eq!(document["scope"], "the patch of a.patch");
    let output = piped(&sandbox.project(), &["diff", "--patch", "-", "--json"], text.as_bytes());
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(told(&document), expected);
    sandbox.run(&["diff", "--patch", "missing"]).exits(2).says("failed to read missing");
    sandbox.write("bad.patch", text.replace("-old\n", ""));
    sandbox.run(&["diff", "--patch", "bad.patch"]).exits(2).says("failed to read the patch");
    sandbox.write("empty.patch", "\n");
    let said = sandbox.run(&["diff", "--patch", "empty.patch"]).exits(0).stdout.clone();
    assert!(said.starts_with("nothing to review: "), "{said}");
    sandbox.run(&["diff", "--patch", "a.patch", "src"]).exits(2).says("without paths");
}

#[test]
fn a_secret_of_the_environment_is_taken_out_of_what_is_shown() {
    let sandbox = Sandbox::new().env("MY_API_KEY", "canary-4711-value");
    sandbox.write(
        "a.patch",
        "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-key = canary-4711-value\n+key = env()\n",
    );
    let run = sandbox.run(&["diff", "--patch", "a.patch", "--full"]);
    assert!(run.exits(0).stdout.contains("-key = [redacted]\n"), "{}", run.stdout);
}
