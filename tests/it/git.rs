//! Git read as data: what a repository configures is not run, what it holds is told truly.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::path::{Path, PathBuf};
use std::time::Duration;

use chrono::{DateTime, Utc};
use debate_agent::git::{Git, GitError, Read};

use crate::support::git::Repo;

fn time(text: &str) -> DateTime<Utc> {
    DateTime::parse_from_rfc3339(text).unwrap().to_utc()
}

/// A repository in which every way that git has to run something is armed.
fn trapped() -> Repo {
    let repo = Repo::new();
    let inner = repo.at("inner");
    fs::create_dir(&inner).unwrap();
    repo.plain(&inner, "git", &["init", "-q"]);
    repo.plain(
        &inner,
        "git",
        &["commit", "-q", "--allow-empty", "-m", "inner"],
    );
    repo.git(&[
        OsStr::new("submodule"),
        OsStr::new("--quiet"),
        OsStr::new("add"),
        inner.as_os_str(),
        OsStr::new("sub"),
    ]);
    repo.write(
        ".gitattributes",
        "*.txt filter=evil diff=evil\n*.bin filter=slow\n",
    );
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
    let module = ["-C", "sub", "config", "core.fsmonitor"].map(str::to_owned);
    repo.git(&[&module[..], &[repo.trap("submodule", "exit 1")]].concat());
    let hook = repo.trap("hook", "");
    fs::copy(hook, repo.path().join(".git/hooks/post-index-change")).unwrap();
    repo.sprung();
    repo
}

/// Puts a signature on HEAD, so that something is there to be checked with `gpg.program`.
fn sign_head(repo: &Repo) {
    let commit = repo.git(&["cat-file", "commit", "HEAD"]);
    let signature =
        "gpgsig -----BEGIN PGP SIGNATURE-----\n \n aaaa\n -----END PGP SIGNATURE-----\n\n";
    let signed = commit.replacen("\n\n", &format!("\n{signature}"), 1) + "\n";
    repo.write("../signed", signed);
    let id = repo.git(&["hash-object", "-t", "commit", "-w", "../signed"]);
    repo.git(&["update-ref", "HEAD", &id]);
}

/// Makes git look into the files: as long as before, but not the same, or not of the same time.
fn touch(repo: &Repo) {
    repo.write("a.txt", "two\n");
    repo.write("c.md", "one\n");
}

#[tokio::test]
async fn f86_nothing_that_a_repository_configures_is_run() {
    let repo = trapped();
    touch(&repo);
    // Plain git runs them all: else the second half of this test would prove nothing.
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
    // This one is the end of plain git, because it does not speak the protocol.
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
    let head = git.resolve("HEAD").await.unwrap().unwrap();
    let changed = git.recently_changed(100).await.unwrap();
    assert!(
        changed.contains("a.txt") && changed.contains("b.bin"),
        "{changed:?}"
    );
    assert_eq!(
        git.head_time().await.unwrap(),
        Some(time("2026-01-01T12:00:00Z"))
    );
    let branches = git.branches().await.unwrap();
    git.ahead(&head, &branches.base).await.unwrap();
    let diff = git
        .read(Read::Diff, &[], &[&head], &["a.txt"])
        .await
        .unwrap();
    let diff = String::from_utf8(diff).unwrap();
    assert!(diff.contains("-one\n+two"), "{diff}");
    let log = git
        .read(Read::Log, &["--patch"], &[&head], &[])
        .await
        .unwrap();
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
    set(
        "remote.origin.url",
        &format!("ext::{} %S", repo.trap("ext", "exit 1")),
    );
    let (folder, file) = tree.split_at(2);
    fs::remove_file(repo.path().join(".git/objects").join(folder).join(file)).unwrap();
    repo.plain(&repo.path(), "git", &["log", "--name-only"]);
    assert_eq!(repo.sprung(), ["ext"], "plain git runs it");

    let git = repo.open().await.unwrap();
    assert!(git.has_remote());
    let changed = git.recently_changed(100).await;
    assert!(
        matches!(changed, Err(GitError::Failed { .. })),
        "{changed:?}"
    );
    assert_eq!(repo.sprung(), [""; 0]);
}

#[tokio::test]
async fn a_filter_that_cannot_be_switched_off_stops_everything() {
    let repo = Repo::new();
    repo.git(&["config", "filter.a=b.clean", &repo.trap("clean", "cat")]);
    let opened = repo.open().await;
    assert!(
        matches!(opened, Err(GitError::Hostile { .. })),
        "{opened:?}"
    );
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
        assert!(
            matches!(resolved, Err(GitError::BadReference { .. })),
            "{resolved:?}"
        );
    }
    assert!(!repo.path().join("written").exists());
    assert_eq!(git.resolve("no/such").await.unwrap(), None);
    let head = repo.git(&["rev-parse", "HEAD"]);
    let found = git.resolve("main").await.unwrap().unwrap();
    assert_eq!(found.as_str(), head);
    // A file that is called like the commit does not make it ambiguous.
    repo.write(&head, "");
    assert!(git.head_time().await.unwrap().is_some());
    assert!(git.read(Read::Diff, &[], &[&found], &[]).await.is_ok());
}

#[tokio::test]
async fn a_repository_is_found_from_within_and_only_where_it_lies() {
    let repo = Repo::new();
    repo.write(".config/deep/file", "");
    let git = Git::open(repo.host(), &repo.path().join(".config/deep"))
        .await
        .unwrap();
    assert_eq!(git.root(), repo.path());
    assert!(!git.has_remote());

    // No commit yet.
    assert_eq!(git.head_time().await.unwrap(), None);
    let changed = git.recently_changed(10).await.unwrap();
    assert_eq!(
        changed.into_iter().collect::<Vec<_>>(),
        [".config/deep/file"]
    );
    let branches = git.branches().await.unwrap();
    assert!(branches.others.is_empty() && branches.base.is_empty());

    // Detached, linked, and inside `.git`.
    repo.commit("first");
    repo.git(&["checkout", "-q", "--detach"]);
    assert!(git.head_time().await.unwrap().is_some());
    assert_eq!(git.branches().await.unwrap().default, "main");
    repo.git(&["worktree", "add", "-q", "../linked", "-b", "other"]);
    let linked = Git::open(repo.host(), &repo.at("linked")).await.unwrap();
    assert_eq!(linked.root(), repo.at("linked"));
    let others = linked.branches().await.unwrap().others;
    assert_eq!(
        (others[0].name.as_str(), others[0].current),
        ("other", true)
    );
    let inside = Git::open(repo.host(), &repo.path().join(".git")).await;
    assert!(matches!(inside, Err(GitError::Bare { .. })), "{inside:?}");

    // A repository that claims the folder above as its working tree.
    repo.git(&[
        "config",
        "core.worktree",
        &repo.at("").display().to_string(),
    ]);
    let opened = repo.open().await;
    assert!(
        matches!(opened, Err(GitError::Elsewhere { .. })),
        "{opened:?}"
    );
}

#[tokio::test]
async fn a_submodule_is_a_repository_of_its_own() {
    let repo = trapped();
    let git = Git::open(repo.host(), &repo.path().join("sub"))
        .await
        .unwrap();
    assert_eq!(git.root(), repo.path().join("sub"));
    assert!(git.recently_changed(10).await.unwrap().is_empty());
    assert_eq!(repo.sprung(), [""; 0]);
}

#[tokio::test]
async fn where_there_is_no_repository_it_says_so() {
    let repo = Repo::new();
    let opened = Git::open(repo.host(), &repo.at("home")).await;
    assert!(
        matches!(opened, Err(GitError::NotARepository { .. })),
        "{opened:?}"
    );
    let bare = repo.at("bare");
    fs::create_dir(&bare).unwrap();
    repo.plain(&bare, "git", &["init", "-q", "--bare"]);
    let opened = Git::open(repo.host(), &bare).await;
    assert!(matches!(opened, Err(GitError::Bare { .. })), "{opened:?}");
}

#[tokio::test]
async fn a_repository_of_somebody_else_is_refused_until_it_is_trusted() {
    let repo = Repo::new();
    // Only root can give files away; everybody else cannot try this.
    if chown(repo.path(), Some(65534), Some(65534)).is_err() {
        return;
    }
    let opened = repo.open().await;
    assert!(
        matches!(opened, Err(GitError::DubiousOwnership { .. })),
        "{opened:?}"
    );
    let path = repo.path().display().to_string();
    repo.plain(
        &repo.at("home"),
        "git",
        &["config", "--global", "safe.directory", &path],
    );
    assert_eq!(repo.open().await.unwrap().root(), repo.path());
}

#[tokio::test]
async fn variables_from_outside_lead_to_no_other_repository() {
    let (repo, other) = (Repo::new(), Repo::new());
    let mut host = repo.host();
    for (name, sub) in [
        ("GIT_DIR", ".git"),
        ("GIT_WORK_TREE", ""),
        ("GIT_EXEC_PATH", ""),
    ] {
        let path = other.path().join(sub).display().to_string();
        host.vars.insert(name.to_owned(), path);
    }
    let git = Git::open(host, &repo.path()).await.unwrap();
    assert_eq!(git.root(), repo.path());
}

#[tokio::test]
async fn changed_files_are_named_as_everywhere() {
    let mut repo = Repo::new();
    let odd = PathBuf::from(OsString::from(OsStr::from_bytes(b"odd\xff.rs")));
    for name in [
        Path::new("old.rs"),
        &odd,
        Path::new("with space.rs"),
        Path::new("größe.rs"),
    ] {
        repo.write(name, "one");
    }
    repo.commit_at("2026-01-01T00:00:00Z", "first");
    repo.write("old.rs", "two");
    repo.commit_at("2026-01-02T00:00:00Z", "second");
    repo.write("new/file.rs", "");
    repo.write("with space.rs", "two");
    let git = repo.open().await.unwrap();
    let changed = git.recently_changed(100).await.unwrap();
    let changed: Vec<&str> = changed.iter().map(String::as_str).collect();
    assert_eq!(
        changed,
        [
            "größe.rs",
            "new/file.rs",
            "odd\\xff.rs",
            "old.rs",
            "with space.rs"
        ]
    );
    // The working tree comes first, then the newest commits.
    let few = git.recently_changed(3).await.unwrap();
    let few: Vec<&str> = few.iter().map(String::as_str).collect();
    assert_eq!(few, ["new/file.rs", "old.rs", "with space.rs"]);
}

#[tokio::test]
async fn branches_are_held_against_the_default_one() {
    let mut repo = Repo::new();
    repo.commit_at("2026-01-01T00:00:00Z", "first");
    for name in ["done", "feature/größe", "two"] {
        repo.git(&["checkout", "-q", "-b", name, "main"]);
        if name != "done" {
            repo.commit_at("2026-01-03T00:00:00Z", name);
        }
    }
    repo.commit_at("2026-01-05T00:00:00Z", "more");
    // A name that git itself would refuse on its command line.
    let head = repo.git(&["rev-parse", "two"]);
    fs::write(repo.path().join(".git/refs/heads/--output=x"), head + "\n").unwrap();
    let git = repo.open().await.unwrap();
    let branches = git.branches().await.unwrap();
    assert_eq!(branches.default, "main");
    let mut seen = Vec::new();
    for branch in &branches.others {
        let ahead = git.ahead(&branch.tip, &branches.base).await.unwrap();
        seen.push((branch.name.as_str(), ahead, branch.current));
    }
    assert_eq!(
        seen,
        [
            ("--output=x", 2, false),
            ("done", 0, false),
            ("feature/größe", 1, false),
            ("two", 2, true)
        ]
    );
    let two = &branches.others[3];
    assert_eq!(two.committed, Some(time("2026-01-05T00:00:00Z")));
    assert_eq!(two.author, "Ada");
    assert!(!repo.path().join("x").exists());
}

#[tokio::test]
async fn what_the_remote_calls_its_head_is_the_default_branch() {
    let repo = Repo::new();
    repo.commit("first");
    repo.git(&["checkout", "-q", "-b", "develop"]);
    repo.commit("second");
    repo.git(&["update-ref", "refs/remotes/origin/develop", "develop"]);
    repo.git(&[
        "symbolic-ref",
        "refs/remotes/origin/HEAD",
        "refs/remotes/origin/develop",
    ]);
    // What is merged at the remote is merged, though the local branch is behind.
    repo.git(&["checkout", "-q", "-b", "topic"]);
    repo.commit("third");
    repo.git(&["update-ref", "refs/remotes/origin/develop", "topic"]);
    let git = repo.open().await.unwrap();
    let branches = git.branches().await.unwrap();
    assert_eq!(
        (branches.default.as_str(), branches.base.len()),
        ("develop", 2)
    );
    let topic = branches
        .others
        .iter()
        .find(|branch| branch.name == "topic")
        .unwrap();
    assert_eq!(git.ahead(&topic.tip, &branches.base).await.unwrap(), 0);
    let main = branches
        .others
        .iter()
        .find(|branch| branch.name == "main")
        .unwrap();
    assert_eq!(git.ahead(&main.tip, &branches.base).await.unwrap(), 0);
}

/// Puts a program in git's place.
fn posing(repo: &Repo, script: &str) -> PathBuf {
    let path = repo.at("traps/git");
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

#[tokio::test]
async fn a_git_that_fails_hangs_or_floods_is_an_error_with_a_name() {
    let repo = Repo::new();
    let mut host = repo.host();
    host.program = posing(
        &repo,
        "echo 'warning: x' >&2; echo 'fatal: disk on fire' >&2; exit 128",
    );
    let failed = Git::open(host.clone(), &repo.path()).await.unwrap_err();
    assert!(failed.to_string().contains("disk on fire"), "{failed}");

    host.program = posing(&repo, "exec sleep 60");
    host.limits.timeout = Duration::from_millis(200);
    let hung = Git::open(host.clone(), &repo.path()).await.unwrap_err();
    assert!(matches!(hung, GitError::TimedOut { .. }), "{hung}");

    host.limits = repo.host().limits;
    host.limits.stdout_bytes = 1000;
    host.program = posing(&repo, "yes");
    let flooded = Git::open(host.clone(), &repo.path()).await.unwrap_err();
    assert!(
        matches!(flooded, GitError::TooMuchOutput { .. }),
        "{flooded}"
    );

    host.program = posing(&repo, "echo nonsense");
    let nonsense = Git::open(host.clone(), &repo.path()).await.unwrap_err();
    assert!(
        matches!(nonsense, GitError::Unreadable { .. }),
        "{nonsense}"
    );

    host.program = repo.at("traps/gone");
    let gone = Git::open(host, &repo.path()).await.unwrap_err();
    assert!(matches!(gone, GitError::NotInstalled(_)), "{gone}");
}

#[tokio::test]
async fn a_broken_head_is_not_taken_for_none() {
    let repo = Repo::new();
    repo.commit("first");
    let missing = "1234567890123456789012345678901234567890\n";
    fs::write(repo.path().join(".git/refs/heads/main"), missing).unwrap();
    let git = repo.open().await.unwrap();
    let told = git.head_time().await;
    assert!(told.is_err(), "{told:?}");
    assert!(git.recently_changed(10).await.is_err());
}
