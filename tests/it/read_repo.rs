//! Agents that may read the repository: their start, and the detection of any change to it.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::time::Duration;

use debate_agent::agent::profile;
use debate_agent::agent::roster::{Agent, HostRules};
use debate_agent::config::agents::AgentConfig;
use debate_agent::git::differing;
use debate_agent::process::{self, Ending, Limits, OutputBuffer, Spec};

use crate::support::git::Repo;
use crate::support::{BIN, fixture};

/// A repository with files of every kind.
fn repository() -> Repo {
    let repo = Repo::new();
    repo.write("src/a.rs", "fn a() {}\n");
    repo.write(".gitignore", "/target\n*.log\n");
    repo.write("forced.log", "tracked although ignored\n");
    repo.git(&["add", "-f", "forced.log"]);
    repo.commit("first");
    repo.write("src/b.rs", "fn b() {}\n");
    repo.write("target/out", "built\n");
    repo
}

/// Asks a fake CLI, with a repository to read, as a run would, and returns its record of the call.
async fn ask(repo: &Repo, cli: &str, script: &str) -> BTreeMap<&'static str, String> {
    let scenario = repo.at("home/.fake/scenario");
    fs::create_dir_all(&scenario).unwrap();
    fs::write(scenario.join(format!("{cli}.sh")), script).unwrap();
    let config = AgentConfig {
        path: fixture("bin").join(cli).display().to_string(),
        ..AgentConfig::default()
    };
    let machine = HostRules {
        path: String::new(),
        workspace: repo.path(),
        home: repo.at("home"),
        trusted_groups: debate_agent::agent::roster::trusted_groups(0, ""),
    };
    let agent =
        Agent::resolve(cli, &config, None, &machine, false).unwrap().reading(&repo.path()).unwrap();
    let dir = repo.at("private");
    for sub in ["work", "tmp"] {
        fs::create_dir_all(dir.join(sub)).unwrap();
    }
    let ambient = BTreeMap::from([
        ("HOME".to_owned(), repo.at("home").display().to_string()),
        ("PATH".to_owned(), "/usr/bin:/bin".to_owned()),
    ]);
    let call = profile::prepare(&agent, "SKILL", "turn: r1/review/s1\n", &dir, &ambient);
    for (file, text) in &call.files {
        fs::write(file, text).unwrap();
    }
    let spec = Spec {
        guard: PathBuf::from(BIN),
        program: agent.program,
        args: call.args,
        depth: process::Depth::Counts,
        env: call.env,
        cwd: call.cwd,
        scratch: Some(dir),
        stdin: call.stdin,
        tag: format!("test/{}", debate_agent::env::unique()),
        limits: Limits { timeout: Duration::from_mins(1), ..Limits::default() },
    };
    let mut printed = OutputBuffer::default();
    let ran = process::run(&spec, repo.host().control, &mut printed).await;
    assert_eq!(
        ran.ending,
        Ending::Exited { code: 0 },
        "{}",
        String::from_utf8_lossy(&printed.stderr)
    );
    let ledger = fs::read_dir(repo.at("home/.fake/ledger"));
    let call = ledger.unwrap().next().unwrap().unwrap().path();
    ["argv", "cwd", "system"]
        .map(|name| (name, fs::read_to_string(call.join(name)).unwrap()))
        .into()
}

#[tokio::test]
async fn claude_is_started_in_the_repository_and_codex_beside_it() {
    let repo = repository();
    let top = repo.path().display().to_string();
    let call = ask(&repo, "claude", "").await;
    assert_eq!(call["cwd"].trim_end(), top);
    assert!(call["argv"].contains("\nRead,Grep,Glob\n"), "{}", call["argv"]);
    assert!(call["system"].contains(&format!("`{top}`")));

    let repo = repository();
    let top = repo.path().display().to_string();
    let call = ask(&repo, "codex", "").await;
    assert_eq!(call["cwd"].trim_end(), repo.at("private/work").display().to_string());
    assert!(call["argv"].contains("\nread-only\n") && !call["argv"].contains("shell_tool"));
    assert!(call["system"].contains(&format!("`{top}`")));
}

#[tokio::test]
async fn an_agent_that_writes_is_caught_and_nothing_is_restored() {
    let repo = repository();
    let git = repo.open().await.unwrap();
    let before = git.seen(&[]).await.unwrap();
    ask(
        &repo,
        "claude",
        "printf 'fn evil() {}\\n' >src/a.rs; printf x >src/new.rs; printf '#!/bin/sh\\n' >.git/hooks/pre-commit",
    )
    .await;
    let after = git.seen(&[]).await.unwrap();
    assert_eq!(before.differs(&after), [".git/hooks/pre-commit", "src/a.rs", "src/new.rs"]);
    let text = fs::read_to_string(repo.path().join("src/a.rs")).unwrap();
    assert_eq!(text, "fn evil() {}\n");
}

#[tokio::test]
async fn reading_changes_nothing_and_neither_does_what_is_not_looked_at() {
    let repo = repository();
    let git = repo.open().await.unwrap();
    let own = [".debate".to_owned(), ".swarm/backlog".to_owned()];
    let before = git.seen(&own).await.unwrap();
    repo.write("target/more", "built again\n");
    repo.write(".debate/session/journal", "ours\n");
    repo.write(".swarm/backlog/items.json", "ours\n");
    // Rewritten with the same content, and an index whose times were refreshed.
    repo.write("src/a.rs", "fn a() {}\n");
    repo.git(&["status"]);
    let after = git.seen(&own).await.unwrap();
    assert_eq!(before.differs(&after), Vec::<String>::new());
    assert_eq!(after.differs(&before), Vec::<String>::new());
    // Folders with a longer name are not the program's.
    repo.write(".debates/x", "theirs\n");
    let after = git.seen(&own).await.unwrap();
    assert_eq!(before.differs(&after), [".debates/x"]);
}

/// Every way in which a repository can be changed, one after the other.
#[tokio::test]
async fn each_kind_of_change_is_named() {
    type Change = fn(&Repo, &Path);
    let rows: &[(&str, Change, &[&str])] = &[
        ("content", |repo, _| repo.write("src/a.rs", "fn A() {}\n"), &["src/a.rs"]),
        ("an untracked file", |repo, _| repo.write("src/b.rs", "fn B() {}\n"), &["src/b.rs"]),
        ("deleted", |_, top| fs::remove_file(top.join("src/a.rs")).unwrap(), &["src/a.rs"]),
        (
            "executable",
            |_, top| {
                let mode = fs::Permissions::from_mode(0o755);
                fs::set_permissions(top.join("src/a.rs"), mode).unwrap();
            },
            &["src/a.rs"],
        ),
        (
            "a link in the place of a file",
            |_, top| {
                fs::remove_file(top.join("src/a.rs")).unwrap();
                symlink("/etc/hostname", top.join("src/a.rs")).unwrap();
            },
            &["src/a.rs"],
        ),
        (
            "tracked although ignored",
            |repo, _| repo.write("forced.log", "other\n"),
            &["forced.log"],
        ),
        (
            "hidden by a new rule, which shows itself",
            |repo, _| {
                repo.write(".gitignore", "*\n");
                repo.write("src/a.rs", "fn evil() {}\n");
            },
            // Tracked files are compared all the same; the untracked file is not seen any more.
            &[".gitignore", "src/a.rs", "src/b.rs"],
        ),
        (
            "staged",
            |repo, _| {
                repo.git(&["add", "src/b.rs"]);
            },
            &["src/b.rs (staged)"],
        ),
        (
            "marked as unchanged in the index, then changed",
            |repo, _| {
                repo.git(&["update-index", "--skip-worktree", "src/a.rs"]);
                repo.write("src/a.rs", "fn evil() {}\n");
            },
            &["src/a.rs"],
        ),
        (
            "committed",
            |repo, _| {
                repo.git(&["commit", "-q", "--allow-empty", "-m", "second"]);
            },
            &["refs/heads/main"],
        ),
        (
            "another branch",
            |repo, _| {
                repo.git(&["checkout", "-q", "-b", "other"]);
            },
            &[".git/HEAD", "refs/heads/other"],
        ),
        (
            "the configuration",
            |repo, _| {
                repo.git(&["config", "core.fsmonitor", "/tmp/evil"]);
            },
            &[".git/config"],
        ),
        (
            "attributes outside of the tree",
            |_, top| fs::write(top.join(".git/info/attributes"), "* filter=evil\n").unwrap(),
            &[".git/info/attributes"],
        ),
    ];
    for (what, change, expected) in rows {
        let repo = repository();
        let git = repo.open().await.unwrap();
        let before = git.seen(&[]).await.unwrap();
        assert_eq!(before, git.seen(&[]).await.unwrap(), "{what}: looking changes nothing");
        change(&repo, &repo.path());
        let after = git.seen(&[]).await.unwrap();
        assert_eq!(before.differs(&after), *expected, "{what}");
        // The marks in a journal lead to the same result.
        assert_eq!(differing(&before.marks(), &after.marks()), *expected, "{what}");
        assert_eq!(after.differs(&before), *expected, "{what}, the other way round");
    }
}

#[tokio::test]
async fn a_repository_without_a_commit_and_a_linked_one_are_seen_too() {
    let repo = Repo::new();
    repo.write("a", "1");
    let git = repo.open().await.unwrap();
    let before = git.seen(&[]).await.unwrap();
    repo.write("a", "2");
    assert_eq!(before.differs(&git.seen(&[]).await.unwrap()), ["a"]);

    repo.commit("first");
    repo.git(&["worktree", "add", "-q", "../linked", "-b", "other"]);
    let linked = debate_agent::git::Git::open(repo.host(), &repo.at("linked")).await.unwrap();
    let before = linked.seen(&[]).await.unwrap();
    fs::write(repo.at("linked/a"), "3").unwrap();
    fs::write(repo.path().join(".git/hooks/post-checkout"), "#!/bin/sh\n").unwrap();
    assert_eq!(before.differs(&linked.seen(&[]).await.unwrap()), [".git/hooks/post-checkout", "a"]);
}

#[tokio::test]
async fn what_acts_for_submodules_other_working_trees_and_as_a_tag_is_seen_too() {
    let repo = Repo::new();
    repo.write("a", "1");
    repo.commit("first");
    let inside = |name: &str| repo.path().join(".git").join(name);
    for folder in ["modules/libs/one/hooks", "modules/libs/one/modules/two", "worktrees/other"] {
        fs::create_dir_all(inside(folder)).unwrap();
    }
    for head in
        ["modules/libs/one/HEAD", "modules/libs/one/modules/two/HEAD", "worktrees/other/HEAD"]
    {
        fs::write(inside(head), "ref: refs/heads/main\n").unwrap();
    }
    let git = repo.open().await.unwrap();
    let before = git.seen(&[]).await.unwrap();
    fs::write(inside("modules/libs/one/hooks/post-checkout"), "#!/bin/sh\n").unwrap();
    fs::write(inside("modules/libs/one/modules/two/config"), "[core]\n").unwrap();
    fs::write(inside("worktrees/other/config.worktree"), "[core]\n").unwrap();
    // Work in the other worktree in the meantime.
    fs::write(inside("worktrees/other/HEAD"), "ref: refs/heads/else\n").unwrap();
    repo.git(&["tag", "v1"]);
    assert_eq!(
        before.differs(&git.seen(&[]).await.unwrap()),
        [
            ".git/modules/libs/one/hooks/post-checkout",
            ".git/modules/libs/one/modules/two/config",
            ".git/worktrees/other/config.worktree",
            "refs/tags/v1",
        ]
    );
}
