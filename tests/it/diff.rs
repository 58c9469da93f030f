//! `diff`, through the binary and the real git: the material for reviewers, and that nothing is lost.

use std::fs;
use std::path::Path;
use std::process::Output;

use serde_json::Value;

use crate::support::git::Repo;
use crate::support::{BIN, Sandbox};

/// Runs `diff --json` in the repository.
#[track_caller]
pub(crate) fn diff(repo: &Repo, args: &[&str]) -> Value {
    let output = run(repo, &repo.path(), &[args, &["--json"]].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

pub(crate) fn run(repo: &Repo, dir: &Path, args: &[&str]) -> Output {
    repo.plain(dir, BIN, &[&["diff"], args].concat())
}

/// `path kind +added -removed` of every file shown, and `path why` of every part left out, `(missed)` if that was not
/// on purpose.
pub(crate) fn told(document: &Value) -> (Vec<String>, Vec<String>) {
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
        .map(|left| {
            let missed = if left["missed"] == true { " (missed)" } else { "" };
            format!("{} {}{missed}", text(&left["path"]), text(&left["why"]))
        })
        .collect();
    (shown, left)
}

/// The whole text of the prompts.
#[track_caller]
pub(crate) fn shown_text(repo: &Repo, args: &[&str]) -> String {
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
fn piped(dir: &Path, args: &[&str], input: &[u8]) -> Output {
    assert_cmd::Command::new(BIN)
        .args(args)
        .env_clear()
        .env("HOME", dir)
        .current_dir(dir)
        .write_stdin(input)
        .output()
        .unwrap()
}

pub(crate) fn numbered(lines: usize) -> String {
    let lines: Vec<String> = (1..=lines).map(|line| format!("line {line}\n")).collect();
    lines.concat()
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
    // Dated differently but unchanged: git lists it, and nothing differs.
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
    // From within a folder, with paths relative to it.
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
    // Commits that main got since are not part of this branch; uncommitted changes are.
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
        (&["--commit=--output=x"], "looks like an option"),
        (&["--base=--help"], "looks like an option"),
        (&["--commit=--output=x..main"], "looks like an option"),
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
    fails(&repo, &["--base", "main"], 2, "none exists yet");
    fails(&repo, &["--commit", "HEAD"], 2, "`HEAD` names no commit");
    // Nothing is committed yet, so everything is new.
    let output = run(&repo, &repo.path(), &[]);
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(said, "Nothing to review: working tree against no commit yet, no file differs\n");
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
    // A repository with longer ids.
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
fn a_large_change_is_parted_and_what_has_no_room_is_named() {
    let repo = Repo::new();
    repo.write(
        "debate-agent.config.json",
        "{\"review\": {\"max_diff_bytes\": 2000, \"max_batches\": 3}}",
    );
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
    assert!(left.contains(&"min.js (line 1) too_large (missed)".to_owned()), "{left:?}");
    assert!(left.iter().any(|left| left == "d beyond_batches (missed)"), "{left:?}");
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
        vec![".env secret (missed)".to_owned(), "i.png binary".to_owned()],
    );
    assert_eq!(told(&document), expected);
    assert_eq!(document["scope"], "the patch from a.patch");
    let output = piped(&sandbox.project(), &["diff", "--patch", "-", "--json"], text.as_bytes());
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(told(&document), expected);
    sandbox.run(&["diff", "--patch", "missing"]).exits(2).says("/missing").says("failed to read");
    sandbox.write("bad.patch", text.replace("-old\n", ""));
    sandbox.run(&["diff", "--patch", "bad.patch"]).exits(2).says("failed to read the patch");
    sandbox.write("empty.patch", "\n");
    let said = sandbox.run(&["diff", "--patch", "empty.patch"]).exits(0).stdout.clone();
    assert!(said.starts_with("Nothing to review: "), "{said}");
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

#[test]
fn twenty_megabytes_in_four_hundred_files_are_shown_or_named_to_the_last_one() {
    let repo = Repo::new();
    repo.commit("first");
    let line = format!("{}\n", "word ".repeat(20).trim_end());
    for file in 0..400 {
        repo.write(format!("src/f{file:03}.txt"), line.repeat(500));
    }
    let document = diff(&repo, &[]);
    let batches = document["batches"].as_array().unwrap();
    assert_eq!(batches.len(), 8);
    let totals = &document["totals"];
    assert_eq!((&totals["files"], &totals["added"]), (&400.into(), &200_000.into()));
    assert_eq!(totals["bytes"], 20_000_000);
    let (shown, left) = told(&document);
    let name = |entry: &String| entry.split(' ').next().unwrap().to_owned();
    let mut names: Vec<String> = shown.iter().chain(&left).map(name).collect();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), 400);
    assert!(left.iter().all(|left| left.ends_with(" beyond_batches (missed)")));
    assert_eq!(document["complete"], false);
}

#[test]
fn a_line_of_five_megabytes_is_named_and_hides_no_other_file() {
    let repo = Repo::new();
    repo.write("long.txt", "head\n");
    repo.commit("first");
    repo.write("long.txt", format!("head\n{}\n", "x".repeat(5_000_000)));
    repo.write("short.txt", "one\n");
    let document = diff(&repo, &[]);
    let (shown, left) = told(&document);
    // The rest of the file is the line before.
    assert_eq!(shown, ["long.txt modified +0 -0", "short.txt added +1 -0"]);
    assert_eq!(left.len(), 1, "{left:?}");
    assert!(left[0].starts_with("long.txt") && left[0].ends_with("too_large (missed)"), "{left:?}");
    assert_eq!(document["complete"], false);
}

#[test]
fn a_submodule_in_a_patch_is_left_out_with_its_two_commits() {
    let sandbox = Sandbox::new();
    let file = "diff --git a/x.rs b/x.rs\n--- a/x.rs\n+++ b/x.rs\n@@ -1 +1 @@\n-x\n+y\n";
    let long = |digit: &str| digit.repeat(40);
    for (lines, detail) in [
        ("Submodule lib 1234567..89abcde:\n  > One\n".to_owned(), "from commit 1234567 to 89abcde"),
        ("Submodule lib 0000000...89abcde (new submodule)\n".to_owned(), "new, at commit 89abcde"),
        (
            "Submodule lib 1234567...0000000 (submodule deleted)\n".to_owned(),
            "removed, at commit 1234567",
        ),
        ("Submodule lib contains modified content\n".to_owned(), "changed inside"),
        (
            format!(
                "diff --git a/lib b/lib\nindex 1..2 160000\n--- a/lib\n+++ b/lib\n@@ -1 +1 @@\n-Subproject commit {}\n+Subproject commit {}\n",
                long("1"),
                long("2")
            ),
            "from commit 1111111111 to 2222222222",
        ),
    ] {
        sandbox.write("a.patch", format!("{lines}{file}"));
        let document = sandbox.run(&["diff", "--patch", "a.patch", "--json"]).exits(0).json();
        let (shown, left) = told(&document);
        assert_eq!(
            (shown, left),
            (vec!["x.rs modified +1 -1".to_owned()], vec!["lib submodule".to_owned()])
        );
        let said = document["not_reviewed"][0]["detail"].as_str().unwrap();
        assert!(said.contains(detail), "{said}");
    }
}

/// Nothing is fetched, as a fetch runs what the clone configures; what is missing is said with its remedy.
#[test]
fn a_clone_without_all_objects_is_refused_with_its_remedy() {
    let repo = Repo::new();
    repo.git(&["config", "uploadpack.allowFilter", "true"]);
    repo.write("AGENTS.md", "1\n");
    repo.write("src/a.rs", "1\n");
    repo.commit("first");
    for text in ["2\n", "3\n"] {
        repo.write("src/a.rs", text);
        repo.commit("next");
    }
    let from = format!("file://{}", repo.path().display());
    for filter in ["blob:none", "tree:0"] {
        let clone = repo.at(filter);
        let to = clone.display().to_string();
        let filter = format!("--filter={filter}");
        let made = repo.plain(&repo.at(""), "git", &["clone", "-q", &filter, &from, &to]);
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        for scope in [["--base", "HEAD~1"], ["--commit", "HEAD~1"], ["--range", "HEAD~2..HEAD~1"]] {
            let told = run(&repo, &clone, &scope);
            let said = String::from_utf8_lossy(&told.stderr);
            assert_eq!(told.status.code(), Some(3), "{filter} {scope:?}: {said}");
            assert!(said.contains("partial clone") && said.contains("--refetch"), "{said}");
        }
        // The remedy helps.
        let fetched = repo.plain(&clone, "git", &["fetch", "-q", "--refetch", "--no-filter"]);
        assert!(fetched.status.success(), "{}", String::from_utf8_lossy(&fetched.stderr));
        assert!(run(&repo, &clone, &["--range", "HEAD~2..HEAD"]).status.success());
    }
}
