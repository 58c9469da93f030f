//! Stalled work, found in real repositories, and the report if it cannot be looked for.

use std::fs;
use std::path::PathBuf;

use chrono::{DateTime, Utc};
use debate_agent::agent::roster::ToolError;
use debate_agent::app::discover::stalled::{Request, look};
use debate_agent::config::discovery::DiscoveryConfig;
use debate_agent::discovery::finding::{AgentRun, AgentStatus};
use debate_agent::discovery::stalled::Rules;
use debate_agent::git::{Git, GitError, Host};
use debate_agent::text::redact::Redactor;
use serde_json::json;

use crate::support::fixture;
use crate::support::git::Repo;

fn now() -> DateTime<Utc> {
    DateTime::parse_from_rfc3339("2026-03-10T12:00:00Z").unwrap().to_utc()
}

/// Runs the search as the program does, with the fake gh or without one.
async fn run(repo: &Repo, host: Host, gh: bool) -> AgentRun {
    let opened = Git::open(host, &repo.path()).await;
    run_on(repo, opened.as_ref(), gh).await
}

async fn run_on(repo: &Repo, git: Result<&Git, &GitError>, gh: bool) -> AgentRun {
    let config = DiscoveryConfig::default();
    let request = Request {
        root: &repo.path(),
        rules: Rules { now: now(), config: &config },
        git,
        gh: if gh { Ok(fixture("bin/gh")) } else { Err(ToolError::Missing("gh".to_owned())) },
        redactor: &Redactor::new(&["hunter2-hunter2".to_owned()]),
    };
    look(&request).await
}

fn titles(run: &AgentRun) -> Vec<&str> {
    (run.findings.iter()).map(|finding| finding.title.as_str()).collect()
}

fn skipped(run: &AgentRun) -> String {
    let lines: Vec<String> =
        (run.skipped.iter()).map(|left| format!("{}: {}", left.what, left.why)).collect();
    lines.join("\n")
}

fn looked(run: &AgentRun) -> Vec<&str> {
    run.looked.sources.iter().map(String::as_str).collect()
}

/// A repository with one stale branch among others, and a remote.
fn stale() -> Repo {
    let mut repo = Repo::new();
    repo.commit_at("2026-01-01T00:00:00Z", "first");
    repo.git(&["branch", "merged"]);
    repo.git(&["checkout", "-q", "-b", "forgotten"]);
    repo.commit_at("2026-02-01T00:00:00Z", "begun");
    repo.git(&["checkout", "-q", "-b", "active", "main"]);
    repo.commit_at("2026-03-09T00:00:00Z", "going on");
    repo.git(&["checkout", "-q", "main"]);
    repo.git(&["remote", "add", "origin", "https://example.org/a/b"]);
    repo
}

/// Writes a file for the fake gh.
fn fake(repo: &Repo, name: &str, text: &str) {
    let folder = repo.at("home/.fake/gh");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join(name), text).unwrap();
}

fn calls(repo: &Repo) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(repo.at("home/.fake/gh/calls")) else {
        return Vec::new();
    };
    entries.map(|entry| entry.unwrap().path()).collect()
}

#[tokio::test]
async fn a_forgotten_branch_and_an_old_pull_request_are_found() {
    let repo = stale();
    let pull = |number: u32, updated: &str| {
        json!({"number": number, "title": "Mend it", "headRefName": "x", "updatedAt": updated,
            "url": "https://example.org/hunter2-hunter2", "isDraft": false, "author": {"login": "ada"}})
    };
    let pulls = json!([pull(7, "2026-02-01T00:00:00Z"), pull(8, "2026-03-09T00:00:00Z")]);
    fake(&repo, "pulls.json", &pulls.to_string());
    let mut host = repo.host();
    for (name, value) in
        [("GH_TOKEN", "t"), ("AWS_SECRET", "s"), ("GH_DEBUG", "1"), ("https_proxy", "p")]
    {
        host.vars.insert(name.to_owned(), value.to_owned());
    }
    let found = run(&repo, host, true).await;
    assert_eq!(
        titles(&found),
        [
            "Branch forgotten has 1 commit not in main and has not been touched for 37 days",
            "Pull request #7 has not been updated for 37 days: Mend it",
        ]
    );
    assert_eq!(found.status, AgentStatus::Completed);
    assert_eq!(
        found.read,
        ["git (3 branches besides the default one)", "gh (2 open pull requests)"]
    );
    assert!(looked(&found).contains(&"git") && looked(&found).contains(&"gh"));
    assert!(!format!("{found:?}").contains("hunter2"), "a secret came through");

    let [call] = &calls(&repo)[..] else { panic!("one call") };
    let read = |name: &str| fs::read_to_string(call.join(name)).unwrap();
    assert_eq!(
        read("argv").lines().collect::<Vec<_>>().join(" "),
        "pr list --state open --limit 100 --json number,title,headRefName,updatedAt,url,isDraft,author"
    );
    assert_eq!(read("cwd").trim(), repo.path().display().to_string());
    assert_eq!(read("stdin"), "");
    let env = read("env");
    assert!(env.contains("GH_TOKEN=t\n") && env.contains("https_proxy=p\n"), "{env}");
    assert!(!env.contains("AWS_SECRET") && !env.contains("GH_DEBUG"), "{env}");
}

#[tokio::test]
async fn a_gh_that_fails_is_left_out_and_fails_nobody() {
    let repo = stale();
    let said = |run: &AgentRun| {
        assert_eq!(run.status, AgentStatus::Completed);
        assert_eq!(run.findings.len(), 1, "the branch is found all the same");
        assert!(!looked(run).contains(&"gh"));
        skipped(run)
    };
    fake(&repo, "logged_out", "");
    let run_ = run(&repo, repo.host(), true).await;
    assert!(said(&run_).contains("gh: `gh pr list` failed (exit 4): To get started"), "{run_:?}");
    fs::remove_file(repo.at("home/.fake/gh/logged_out")).unwrap();

    fake(&repo, "pulls.json", "half of an ans");
    let run_ = run(&repo, repo.host(), true).await;
    assert!(said(&run_).contains("gh: `gh pr list` did not print JSON"), "{run_:?}");

    fake(&repo, "then.sh", "kill -9 $$");
    let run_ = run(&repo, repo.host(), true).await;
    assert!(said(&run_).contains("gh: `gh pr list` was ended by signal 9"), "{run_:?}");

    let run_ = run(&repo, repo.host(), false).await;
    assert!(said(&run_).contains("gh: gh is not on PATH"), "{run_:?}");

    let before = calls(&repo).len();
    repo.git(&["remote", "remove", "origin"]);
    let run_ = run(&repo, repo.host(), true).await;
    assert!(said(&run_).contains("gh: the repository has no remote"), "{run_:?}");
    assert_eq!(calls(&repo).len(), before, "it was not asked");
}

#[tokio::test]
async fn the_git_that_gh_starts_runs_nothing_of_the_repository_either() {
    let repo = stale();
    repo.git(&["config", "core.fsmonitor", &repo.trap("fsmonitor", "exit 1")]);
    fake(&repo, "then.sh", "git status >/dev/null");
    let found = run(&repo, repo.host(), true).await;
    assert_eq!(found.read.len(), 2, "{found:?}");
    assert_eq!(repo.sprung(), [""; 0]);
}

#[tokio::test]
async fn hostile_names_of_branches_are_data() {
    let mut repo = stale();
    repo.git(&["checkout", "-q", "-b", "größe/\u{202e}drow", "main"]);
    repo.commit_at("2026-02-02T00:00:00Z", "x");
    let tip = repo.git(&["rev-parse", "HEAD"]);
    let heads = repo.path().join(".git/refs/heads");
    fs::write(heads.join("--output=pwned"), tip + "\n").unwrap();
    let found = run(&repo, repo.host(), false).await;
    let titles = titles(&found).join("\n");
    assert!(titles.contains("Branch --output=pwned has 1 commit"), "{titles}");
    assert!(titles.contains("Branch größe/drow has 1 commit"), "{titles}");
    assert!(!repo.path().join("pwned").exists());
}

#[tokio::test]
async fn the_branch_that_one_is_on_counts_and_one_from_the_future_is_left_out() {
    let mut repo = stale();
    repo.git(&["checkout", "-q", "forgotten"]);
    let found = run(&repo, repo.host(), false).await;
    assert_eq!(found.findings.len(), 1, "{found:?}");
    assert!(looked(&found).contains(&"git"));

    repo.git(&["checkout", "-q", "-b", "tomorrow", "main"]);
    repo.commit_at("2027-01-01T00:00:00Z", "x");
    let found = run(&repo, repo.host(), false).await;
    assert_eq!(found.findings.len(), 1);
    assert!(
        skipped(&found).contains("branch tomorrow: its last commit is in the future"),
        "{found:?}"
    );
    assert!(!looked(&found).contains(&"git"), "not all of it was judged");
}

#[tokio::test]
async fn a_branch_that_cannot_be_counted_is_left_out_by_name() {
    let repo = stale();
    // Its tip exists, so it is listed; its history is gone, so its commits cannot be counted.
    let parent = repo.git(&["rev-parse", "main"]);
    let (folder, file) = parent.split_at(2);
    fs::remove_file(repo.path().join(".git/objects").join(folder).join(file)).unwrap();
    repo.git(&["update-ref", "refs/heads/main", "active"]);
    repo.git(&["update-ref", "-d", "refs/heads/merged"]);
    let found = run(&repo, repo.host(), false).await;
    assert!(skipped(&found).contains("branch forgotten: `git rev-list` failed"), "{found:?}");
    assert!(!looked(&found).contains(&"git"));
}

#[tokio::test]
async fn where_there_is_nothing_to_look_at_the_agent_is_skipped_and_says_what_it_needs() {
    let repo = Repo::new();
    fs::remove_dir_all(repo.path().join(".git")).unwrap();
    // The program's own store is not stalled work.
    repo.write(".swarm/backlog/candidates.json", "{}");
    let skipped = run(&repo, repo.host(), true).await;
    assert_eq!(skipped.status, AgentStatus::Skipped);
    assert!(skipped.error.unwrap().contains("no git repository"));
    assert!(skipped.looked.sources.is_empty());

    // Without git, a folder without `.git` is skipped, one with it fails.
    let none = GitError::NotInstalled("git is not on PATH: install it".to_owned());
    let without = run_on(&repo, Err(&none), true).await;
    assert_eq!(without.status, AgentStatus::Skipped);
    fs::create_dir(repo.path().join(".git")).unwrap();
    let failed = run_on(&repo, Err(&none), true).await;
    assert_eq!(failed.status, AgentStatus::Failed);
    assert!(failed.error.unwrap().contains("git is not on PATH"));
}

#[tokio::test]
async fn a_repository_that_cannot_be_read_is_a_failed_agent_not_an_empty_one() {
    let repo = Repo::new();
    repo.write(".git/config", "[core\n");
    let failed = run(&repo, repo.host(), true).await;
    assert_eq!(failed.status, AgentStatus::Failed);
    assert!(failed.error.unwrap().contains("bad config"));
}
