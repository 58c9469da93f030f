//! Git as a data source: nothing that a repository configures is run, and no name becomes an option.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use chrono::{DateTime, Utc};
use debate_agent::git::{Git, GitError, Subcommand};

use crate::support::git::Repo;

/// A repository in which every way for git to run something is armed.
fn trapped() -> Repo {
    let repo = Repo::new();
    let inner = repo.at("inner");
    fs::create_dir(&inner).unwrap();
    repo.plain(&inner, "git", &["init", "-q"]);
    fs::write(inner.join(".gitattributes"), "*.txt filter=inner\n").unwrap();
    fs::write(inner.join("s.txt"), "one\n").unwrap();
    repo.plain(&inner, "git", &["add", "-A"]);
    repo.plain(&inner, "git", &["commit", "-q", "-m", "inner"]);
    repo.git(&[
        OsStr::new("submodule"),
        OsStr::new("--quiet"),
        OsStr::new("add"),
        inner.as_os_str(),
        OsStr::new("sub"),
    ]);
    repo.write(".gitattributes", "*.txt filter=evil diff=evil\n*.bin filter=slow\n");
    for name in ["a.txt", "b.bin", "c.md"] {
        repo.write(name, "one\n");
    }
    repo.commit("first");
    sign_head(&repo);
    let set = |name: &str, value: &str| repo.git(&["config", name, value]);
    set("core.fsmonitor", &repo.trap("fsmonitor", "exit 1"));
    set("filter.evil.clean", &repo.trap("clean", "cat"));
    set("diff.external", &repo.trap("external", ""));
    set("diff.evil.textconv", &repo.trap("textconv", "cat \"$1\""));
    set("gpg.program", &repo.trap("gpg", "exit 1"));
    set("log.showSignature", "true");
    set("core.pager", &repo.trap("pager", "cat"));
    set("alias.mine", &format!("!{}", repo.trap("alias", "")));
    let module = ["-C", "sub", "config", "filter.inner.clean"].map(str::to_owned);
    repo.git(&[&module[..], &[repo.trap("submodule", "cat")]].concat());
    let hook = repo.trap("hook", "");
    fs::copy(hook, repo.path().join(".git/hooks/post-index-change")).unwrap();
    repo.sprung();
    repo
}

/// Puts a signature on HEAD, so that there is something to check with `gpg.program`.
fn sign_head(repo: &Repo) {
    let commit = repo.git(&["cat-file", "commit", "HEAD"]);
    let signature =
        "gpgsig -----BEGIN PGP SIGNATURE-----\n \n aaaa\n -----END PGP SIGNATURE-----\n\n";
    let signed = commit.replacen("\n\n", &format!("\n{signature}"), 1) + "\n";
    repo.write("../signed", signed);
    let id = repo.git(&["hash-object", "-t", "commit", "-w", "../signed"]);
    repo.git(&["update-ref", "HEAD", &id]);
}

/// Makes git read the files: of the same length as before, but different in content or time.
fn touch(repo: &Repo) {
    repo.write("a.txt", "two\n");
    repo.write("c.md", "one\n");
    repo.write("sub/s.txt", "two\n");
}

#[tokio::test]
async fn f86_nothing_that_a_repository_configures_is_run() {
    let repo = trapped();
    touch(&repo);
    // Plain git runs them all: otherwise the second half of this test would prove nothing.
    repo.git(&["status"]);
    repo.git(&["diff"]);
    repo.git(&["diff", "--no-ext-diff"]);
    repo.git(&["log", "-1"]);
    repo.git(&["mine"]);
    let mut all = vec![
        "alias",
        "clean",
        "external",
        "fsmonitor",
        "gpg",
        "hook",
        "process",
        "submodule",
        "textconv",
    ];
    // This one makes plain git fail, because it does not speak the protocol.
    let process = repo.trap("process", "exit 1");
    repo.git(&["config", "filter.slow.process", &process]);
    repo.write("b.bin", "two\n");
    repo.plain(&repo.path(), "git", &["status"]);
    if Path::new("/usr/bin/script").exists() {
        // A pager is run only in a terminal.
        repo.plain(&repo.path(), "script", &["-qec", "git log -1", "/dev/null"]);
        all.insert(6, "pager");
    }
    assert_eq!(repo.sprung(), all);

    touch(&repo);
    let git = repo.open().await.unwrap();
    let time: DateTime<Utc> = "2026-01-01T12:00:00Z".parse().unwrap();
    let head = git.resolve("HEAD").await.unwrap().unwrap();
    let changed = git.recently_changed(100).await.unwrap();
    assert!(changed.contains_key("a.txt") && changed.contains_key("b.bin"), "{changed:?}");
    assert_eq!(git.head_time().await.unwrap(), Some(time));
    let branches = git.branches().await.unwrap();
    git.ahead(&head, &branches.base).await.unwrap();
    let diff = git.read(Subcommand::Diff, &[], &[&head], &["a.txt"]).await.unwrap();
    let diff = String::from_utf8(diff).unwrap();
    assert!(diff.contains("-one\n+two"), "{diff}");
    let log = git.read(Subcommand::Log, &["--patch"], &[&head], &[]).await.unwrap();
    assert!(String::from_utf8(log).unwrap().contains("+one"));
    assert_eq!(repo.sprung(), [""; 0]);
}

#[tokio::test]
async fn f86_an_embedded_bare_repository_is_not_entered() {
    let repo = Repo::new();
    repo.write("file", "");
    repo.commit("first");
    let bare = repo.path().join("docs/embedded");
    fs::create_dir_all(bare.join("refs")).unwrap();
    fs::create_dir_all(bare.join("objects")).unwrap();
    fs::write(bare.join("HEAD"), "ref: refs/heads/main\n").unwrap();
    let config = format!(
        "[core]\nrepositoryformatversion = 0\nbare = false\nworktree = {}\nfsmonitor = {}\n",
        bare.display(),
        repo.trap("fsmonitor", "exit 1")
    );
    fs::write(bare.join("config"), config).unwrap();
    repo.plain(&bare, "git", &["status"]);
    assert_eq!(repo.sprung(), ["fsmonitor"], "plain git runs it");

    let opened = Git::open(repo.host(), &bare).await;
    assert!(matches!(opened, Err(GitError::Bare { .. })), "{opened:?}");
    assert_eq!(repo.sprung(), [""; 0]);
}

#[tokio::test]
async fn a_missing_object_is_not_fetched_by_a_program_of_the_repository() {
    let repo = Repo::new();
    repo.write("file", "");
    repo.commit("first");
    repo.write("file", "more");
    repo.commit("second");
    let tree = repo.git(&["rev-parse", "HEAD~1^{tree}"]);
    let set = |name: &str, value: &str| repo.git(&["config", name, value]);
    set("core.repositoryformatversion", "1");
    set("extensions.partialClone", "origin");
    set("remote.origin.promisor", "true");
    set("remote.origin.url", &format!("ext::{} %S", repo.trap("ext", "exit 1")));
    let (folder, file) = tree.split_at(2);
    fs::remove_file(repo.path().join(".git/objects").join(folder).join(file)).unwrap();
    repo.plain(&repo.path(), "git", &["log", "--name-only"]);
    assert_eq!(repo.sprung(), ["ext"], "plain git runs it");

    let git = repo.open().await.unwrap();
    assert!(git.has_remote());
    let changed = git.recently_changed(100).await;
    assert!(matches!(changed, Err(GitError::NotFetched { .. })), "{changed:?}");
    assert_eq!(repo.sprung(), [""; 0]);
}

#[tokio::test]
async fn a_filter_that_cannot_be_switched_off_stops_everything() {
    let repo = Repo::new();
    repo.git(&["config", "filter.a=b.clean", &repo.trap("clean", "cat")]);
    let opened = repo.open().await;
    assert!(matches!(opened, Err(GitError::Hostile { .. })), "{opened:?}");
}

#[tokio::test]
async fn f85_what_looks_like_an_option_is_no_reference() {
    let repo = Repo::new();
    repo.write("file", "one");
    repo.commit("first");
    repo.write("file", "two");
    repo.git(&["diff", "--output=written", "HEAD"]);
    assert!(repo.path().join("written").exists(), "plain git writes it");
    fs::remove_file(repo.path().join("written")).unwrap();

    let git = repo.open().await.unwrap();
    for reference in ["--output=written", "--help", "-", "", "a\nb"] {
        let resolved = git.resolve(reference).await;
        assert!(matches!(resolved, Err(GitError::BadReference { .. })), "{resolved:?}");
    }
    assert!(!repo.path().join("written").exists());
    assert_eq!(git.resolve("no/such").await.unwrap(), None);
    let head = repo.git(&["rev-parse", "HEAD"]);
    let found = git.resolve("main").await.unwrap().unwrap();
    assert_eq!(found.as_str(), head);
    // A file with the commit's name does not make it ambiguous.
    repo.write(&head, "");
    assert!(git.head_time().await.unwrap().is_some());
    assert!(git.read(Subcommand::Diff, &[], &[&found], &[]).await.is_ok());
}

#[tokio::test]
async fn a_submodule_is_a_repository_of_its_own() {
    let repo = trapped();
    let git = Git::open(repo.host(), &repo.path().join("sub")).await.unwrap();
    assert_eq!(git.root(), repo.path().join("sub"));
    touch(&repo);
    let changed = git.recently_changed(10).await.unwrap();
    let changed: Vec<&str> = changed.keys().map(String::as_str).collect();
    assert_eq!(changed, [".gitattributes", "s.txt"]);
    assert_eq!(repo.sprung(), [""; 0]);
}

#[tokio::test]
async fn variables_from_outside_lead_to_no_other_repository() {
    let (repo, other) = (Repo::new(), Repo::new());
    let mut host = repo.host();
    for (name, sub) in [("GIT_DIR", ".git"), ("GIT_WORK_TREE", ""), ("GIT_EXEC_PATH", "")] {
        let path = other.path().join(sub).display().to_string();
        host.vars.insert(name.to_owned(), path);
    }
    let git = Git::open(host, &repo.path()).await.unwrap();
    assert_eq!(git.root(), repo.path());
}
