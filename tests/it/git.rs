//! Git as a data source: a repository's content is reported truthfully, and anything unreadable by its name.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::path::{Path, PathBuf};
use std::time::Duration;

use chrono::{DateTime, Utc};
use debate_agent::git::{Git, GitError};

use crate::support::git::Repo;

fn time(text: &str) -> DateTime<Utc> {
    DateTime::parse_from_rfc3339(text).unwrap().to_utc()
}

#[tokio::test]
async fn a_repository_is_found_from_within_and_only_where_it_lies() {
    let repo = Repo::new();
    repo.write(".config/deep/file", "");
    let git = Git::open(repo.host(), &repo.path().join(".config/deep")).await.unwrap();
    assert_eq!(git.root(), repo.path());
    assert!(!git.has_remote());

    // No commit yet.
    assert_eq!(git.head_time().await.unwrap(), None);
    let changed = git.recently_changed(10).await.unwrap();
    assert_eq!(changed.into_keys().collect::<Vec<_>>(), [".config/deep/file"]);
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
    assert_eq!((others[0].name.as_str(), others[0].current), ("other", true));
    let inside = Git::open(repo.host(), &repo.path().join(".git")).await;
    assert!(matches!(inside, Err(GitError::Bare { .. })), "{inside:?}");

    // A repository that claims the folder above as its working tree.
    repo.git(&["config", "core.worktree", &repo.at("").display().to_string()]);
    let opened = repo.open().await;
    assert!(matches!(opened, Err(GitError::Elsewhere { .. })), "{opened:?}");
}

#[tokio::test]
async fn where_there_is_no_repository_it_says_so() {
    let repo = Repo::new();
    let opened = Git::open(repo.host(), &repo.at("home")).await;
    assert!(matches!(opened, Err(GitError::NotARepository { .. })), "{opened:?}");
    let bare = repo.at("bare");
    fs::create_dir(&bare).unwrap();
    repo.plain(&bare, "git", &["init", "-q", "--bare"]);
    let opened = Git::open(repo.host(), &bare).await;
    assert!(matches!(opened, Err(GitError::Bare { .. })), "{opened:?}");
}

#[tokio::test]
async fn a_repository_of_somebody_else_is_refused_until_it_is_trusted() {
    let repo = Repo::new();
    // Only root can give files away; no other user can test this.
    if chown(repo.path(), Some(65534), Some(65534)).is_err() {
        return;
    }
    let opened = repo.open().await;
    assert!(matches!(opened, Err(GitError::DubiousOwnership { .. })), "{opened:?}");
    let path = repo.path().display().to_string();
    repo.plain(&repo.at("home"), "git", &["config", "--global", "safe.directory", &path]);
    assert_eq!(repo.open().await.unwrap().root(), repo.path());
}

#[tokio::test]
async fn changed_files_are_named_as_everywhere() {
    let mut repo = Repo::new();
    let odd = PathBuf::from(OsString::from(OsStr::from_bytes(b"odd\xff.rs")));
    for name in [Path::new("old.rs"), &odd, Path::new("with space.rs"), Path::new("größe.rs")] {
        repo.write(name, "one");
    }
    repo.commit_at("2026-01-01T00:00:00Z", "first");
    repo.write("old.rs", "two");
    repo.commit_at("2026-01-02T00:00:00Z", "second");
    repo.write("new/file.rs", "");
    repo.write("with space.rs", "two");
    let git = repo.open().await.unwrap();
    let changed = git.recently_changed(100).await.unwrap();
    let changed: Vec<&str> = changed.keys().map(String::as_str).collect();
    assert_eq!(changed, ["größe.rs", "new/file.rs", "odd\\xff.rs", "old.rs", "with space.rs"]);
    // The working tree comes first, then the newest commits.
    let few = git.recently_changed(3).await.unwrap();
    let few: Vec<&str> = few.keys().map(String::as_str).collect();
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
    // One call for all gives the same as one for each.
    let tips: Vec<_> = branches.others.iter().map(|branch| &branch.tip).collect();
    let all = git.all_ahead(&tips, &branches.base).await.unwrap();
    assert_eq!(all, [2, 0, 1, 2]);
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
    repo.git(&["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/develop"]);
    // A branch merged at the remote is merged, though the local branch is behind.
    repo.git(&["checkout", "-q", "-b", "topic"]);
    repo.commit("third");
    repo.git(&["update-ref", "refs/remotes/origin/develop", "topic"]);
    let git = repo.open().await.unwrap();
    let branches = git.branches().await.unwrap();
    assert_eq!((branches.default.as_str(), branches.base.len()), ("develop", 2));
    let topic = branches.others.iter().find(|branch| branch.name == "topic").unwrap();
    assert_eq!(git.ahead(&topic.tip, &branches.base).await.unwrap(), 0);
    let main = branches.others.iter().find(|branch| branch.name == "main").unwrap();
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
    host.program = posing(&repo, "echo 'warning: x' >&2; echo 'fatal: disk on fire' >&2; exit 128");
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
    assert!(matches!(flooded, GitError::TooMuchOutput { .. }), "{flooded}");

    host.program = posing(&repo, "echo nonsense");
    let nonsense = Git::open(host.clone(), &repo.path()).await.unwrap_err();
    assert!(matches!(nonsense, GitError::Unreadable { .. }), "{nonsense}");

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
