//! `hook`: real pushes and commits through the hooks that it writes.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::support::reviews::{INJECTION, agreeing, past_end};
use crate::support::{BIN, Run, Sandbox};

impl Sandbox {
    /// Returns a git as the user runs it: with debate-agent and the fakes on PATH.
    #[expect(clippy::disallowed_methods, reason = "tests start git themselves")]
    fn hooked(&self, args: &[&str]) -> Command {
        let bin = Path::new(BIN).parent().unwrap().display();
        let mut git = Command::new("git");
        git.args(["-c", "user.name=T", "-c", "user.email=t@example.org"])
            .args(args)
            .env_clear()
            .envs(self.vars())
            .env("PATH", format!("{bin}:{}", self.vars()["PATH"]))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .current_dir(self.project())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        git
    }

    fn user_git(&self, args: &[&str]) -> Run {
        Self::finish(self.hooked(args).output().unwrap())
    }

    fn remote(&self) -> PathBuf {
        self.tmp().join("remote.git")
    }

    /// Publishes the first commit to a remote, and installs the hook.
    fn published(self, hook: &str) -> Self {
        let remote = self.remote().display().to_string();
        self.git(&["init", "--quiet", "--bare", &remote]);
        self.git(&["remote", "add", "origin", &remote]);
        self.git(&["push", "--quiet", "origin", "main"]);
        self.run(&["hook", "install", hook]).exits(0);
        self
    }

    /// Returns a commit of the remote; nothing if it has no such branch.
    fn there(&self, branch: &str) -> String {
        let dir = format!("--git-dir={}", self.remote().display());
        self.git(&[&dir, "for-each-ref", "--format=%(objectname)", &format!("refs/heads/{branch}")])
    }

    fn here(&self) -> String {
        self.git(&["rev-parse", "HEAD"])
    }

    fn hook_file(&self, name: &str) -> PathBuf {
        self.project().join(".git/hooks").join(name)
    }

    /// Writes a hook of somebody else's.
    fn other_hook(&self, name: &str, text: &str) -> PathBuf {
        let file = self.hook_file(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, text).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
        file
    }
}

/// A branch with two bugs, ready to be pushed.
fn buggy() -> Sandbox {
    let sandbox = agreeing().published("pre-push");
    sandbox.commit("Plant two bugs");
    sandbox
}

/// The same, with reviewers who find nothing.
fn clean() -> Sandbox {
    let sandbox = Sandbox::new().planted().finds("s1", &[]).finds("s2", &[]).published("pre-push");
    sandbox.commit("Change");
    sandbox
}

/// The same, with a reviewer who cannot be asked.
fn undecided() -> Sandbox {
    let sandbox = Sandbox::new()
        .planted()
        .finds("s2", &[])
        .fake("r1_review_s1.json", r#"{"error": "not_logged_in"}"#)
        .published("pre-push");
    sandbox.commit("Change");
    sandbox
}

#[test]
fn a_finding_of_p1_stops_a_push_and_no_verify_does_without() {
    let sandbox = buggy();
    let before = sandbox.there("main");
    let run = sandbox.user_git(&["push", "origin", "main"]);
    run.exits(1)
        .says("CHANGES REQUESTED")
        .says("src/store.py:5")
        .says("! the push is stopped; `git push --no-verify` does it all the same");
    assert_eq!(run.stdout, "");
    assert_eq!(sandbox.there("main"), before);
    // The reviewers are shown what the remote lacks.
    assert!(sandbox.calls()[0].read("stdin").contains(INJECTION));
    let calls = sandbox.calls().len();
    sandbox.user_git(&["push", "--no-verify", "origin", "main"]).exits(0);
    assert_eq!(sandbox.there("main"), sandbox.here());
    assert_eq!(sandbox.calls().len(), calls);
}

#[test]
fn a_finding_below_p1_stops_nothing() {
    let mut minor = past_end();
    minor["severity"] = "P2".into();
    let sandbox = Sandbox::new()
        .planted()
        .finds("s1", std::slice::from_ref(&minor))
        .finds("s2", &[minor])
        .published("pre-push");
    sandbox.commit("Change");
    sandbox.user_git(&["push", "origin", "main"]).exits(0).says("COMMENTS");
    assert_eq!(sandbox.there("main"), sandbox.here());
}

#[test]
fn a_clean_push_goes_through_and_one_without_news_asks_nobody() {
    let sandbox = clean();
    sandbox.user_git(&["push", "origin", "main"]).exits(0).says("CLEAN");
    assert_eq!(sandbox.there("main"), sandbox.here());
    let calls = sandbox.calls().len();
    assert!(calls > 0);
    sandbox.user_git(&["push", "origin", "main"]).exits(0);
    assert_eq!(sandbox.calls().len(), calls);
}

#[test]
fn what_is_not_reviewed_goes_through_with_the_reason_unless_strict() {
    let sandbox = undecided();
    let run = sandbox.user_git(&["push", "origin", "main"]);
    run.exits(0)
        .says("! not reviewed, which does not stop the push: UNDECIDED: codex is not logged in");
    assert_eq!(sandbox.there("main"), sandbox.here());

    let sandbox = undecided();
    sandbox.run(&["hook", "install", "--strict"]).exits(0);
    let before = sandbox.there("main");
    let run = sandbox.user_git(&["push", "origin", "main"]);
    run.exits(1).says("! not reviewed, which stops the push: UNDECIDED: codex").says("--no-verify");
    assert_eq!(sandbox.there("main"), before);
}

/// Whatever is missing before anybody is asked: CLIs, trust, a valid configuration, a repository of the push's.
#[test]
fn what_cannot_begin_goes_through_with_the_reason() {
    let goes_on = |sandbox: &Sandbox, why: &str| {
        let run = sandbox.user_git(&["push", "origin", "HEAD"]);
        run.exits(0).says("! not reviewed, which does not stop the push: ").says(why);
        assert_eq!(sandbox.there("main"), sandbox.here());
        assert!(sandbox.calls().is_empty());
    };
    goes_on(&clean().without(&["claude", "codex", "gemini"]), "codex");
    for (config, why) in [
        (r#"{"review": {"exclude": ["src/**"]}}"#, "this project is not trusted"),
        (r#"{"review": {"exlude": []}}"#, "exlude"),
    ] {
        let sandbox = clean();
        sandbox.write("debate-agent.config.json", config);
        goes_on(&sandbox, why);
    }
    let sandbox = clean().env("DEBATE_AGENT_DEPTH", "1");
    goes_on(&sandbox, "an agent of debate-agent");
}

#[test]
fn without_debate_agent_on_the_path_a_push_goes_through_with_a_note() {
    let sandbox = buggy();
    let mut git = sandbox.hooked(&["push", "origin", "main"]);
    let run = Sandbox::finish(git.env("PATH", "/usr/local/bin:/usr/bin:/bin").output().unwrap());
    run.exits(0).says("debate-agent is not on PATH");
    assert!(sandbox.calls().is_empty());
}

#[test]
fn a_review_that_takes_too_long_lets_the_push_go() {
    let sandbox = clean().slow("30").env("DEBATE_AGENT_DEADLINE", "1");
    let run = sandbox.user_git(&["push", "origin", "main"]);
    run.exits(0)
        .says("! not reviewed, which does not stop the push: UNDECIDED: the deadline passed");
    assert_eq!(sandbox.there("main"), sandbox.here());
}

#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_ends_the_review_and_the_push() {
    use std::os::unix::process::CommandExt as _;

    use rustix::process::{Pid, Signal, kill_process_group};

    let sandbox = clean().slow("30");
    let before = sandbox.there("main");
    let git = sandbox.hooked(&["push", "origin", "main"]).process_group(0).spawn().unwrap();
    sandbox.until_calls(2);
    // As a terminal does it.
    kill_process_group(Pid::from_child(&git), Signal::INT).unwrap();
    let run = Sandbox::finish(git.wait_with_output().unwrap());
    assert_ne!(run.code, 0, "{}", run.stderr);
    assert_eq!(sandbox.there("main"), before);
    crate::support::live::until("everything to end", || sandbox.processes().is_empty());
    assert!(!run.stderr.contains("not reviewed"), "{}", run.stderr);
}

/// A new branch is what it adds to the remote's default branch; a rewritten one too, whatever the remote had of it.
#[test]
fn a_new_or_rewritten_branch_is_compared_with_where_it_left_the_default_branch() {
    let sandbox = clean();
    sandbox.git(&["push", "--quiet", "--no-verify", "origin", "main"]);
    let commit = |name: &str| {
        sandbox.write(&format!("{name}.py"), "def new():\n    return 1\n");
        sandbox.commit(name);
    };
    let shown = |args: &[&str]| {
        let calls = sandbox.calls().len();
        sandbox.user_git(args).exits(0).says("reviewing feature; ").says("CLEAN");
        assert_eq!(sandbox.there("feature"), sandbox.here());
        let prompt = sandbox.calls()[calls].read("stdin");
        let names = ["store", "one", "two", "upstream"].map(|name| format!("{name}.py"));
        names.into_iter().filter(|name| prompt.contains(name)).collect::<Vec<_>>()
    };
    sandbox.git(&["checkout", "--quiet", "-b", "feature"]);
    commit("one");
    assert_eq!(shown(&["push", "origin", "feature"]), ["one.py"]);
    // What the remote has of the branch is not shown again.
    commit("two");
    assert_eq!(shown(&["push", "origin", "HEAD"]), ["two.py"]);
    sandbox.git(&["checkout", "--quiet", "main"]);
    commit("upstream");
    sandbox.git(&["push", "--quiet", "--no-verify", "origin", "main"]);
    sandbox.git(&["checkout", "--quiet", "feature"]);
    sandbox.git(&["rebase", "--quiet", "main"]);
    assert_eq!(shown(&["push", "--force", "origin", "feature"]), ["one.py", "two.py"]);
}

#[test]
fn deleted_branches_and_tags_are_not_reviewed() {
    let sandbox = clean();
    sandbox.git(&["push", "--quiet", "--no-verify", "origin", "main", "main:refs/heads/old"]);
    sandbox.git(&["tag", "v1"]);
    sandbox.user_git(&["push", "origin", ":old", "v1"]).exits(0);
    assert_eq!(sandbox.there("old"), "");
    assert!(sandbox.calls().is_empty());
}

#[test]
fn a_remote_of_which_nothing_is_known_is_no_reason_to_stop() {
    let sandbox = clean();
    let other = sandbox.tmp().join("other.git").display().to_string();
    sandbox.git(&["init", "--quiet", "--bare", &other]);
    sandbox.git(&["remote", "add", "other", &other]);
    let run = sandbox.user_git(&["push", "other", "main"]);
    run.exits(0).says("nothing of other is known").says("git fetch other");
    assert!(sandbox.calls().is_empty());
    sandbox.git(&["update-ref", "-d", "refs/remotes/origin/main"]);
    sandbox.run(&["hook", "run"]).exits(0);
    sandbox
        .piped(&["hook", "run", "pre-push", "origin"], "x\n")
        .exits(0)
        .says("not what git tells");
}

#[test]
fn a_commit_is_reviewed_as_it_will_be() {
    for args in [
        &["commit", "--quiet", "--all", "--message", "All"][..],
        &["commit", "--quiet", "--message", "One", "src/store.py"],
        &["commit", "--quiet", "--message", "Staged"],
    ] {
        let sandbox = agreeing();
        sandbox.run(&["hook", "install", "pre-commit"]).exits(0);
        sandbox.write("other.py", "def other():\n    return 2\n");
        let staged = if args.len() == 4 { "src/store.py" } else { "other.py" };
        sandbox.git(&["add", staged]);
        let before = sandbox.here();
        let run = sandbox.user_git(args);
        run.exits(1)
            .says("CHANGES REQUESTED")
            .says("! the commit is stopped; `git commit --no-verify`");
        assert_eq!(sandbox.here(), before, "{args:?}");
        let prompt = sandbox.calls()[0].read("stdin");
        assert!(prompt.contains("src/store.py"), "{args:?}: {prompt}");
        assert_eq!(prompt.contains("other.py"), args.contains(&"--all"), "{args:?}: {prompt}");
        sandbox.user_git(&[args, &["--no-verify"]].concat()).exits(0);
    }
}

#[test]
fn a_hook_in_a_linked_working_tree_is_that_of_the_repository() {
    let sandbox = buggy();
    let tree = sandbox.tmp().join("tree");
    sandbox.git(&["worktree", "add", "--quiet", "-b", "aside", tree.to_str().unwrap()]);
    fs::remove_file(sandbox.hook_file("pre-push")).unwrap();
    let mut install = sandbox.command(&["hook", "install"]);
    Sandbox::finish(install.current_dir(&tree).output().unwrap()).exits(0);
    assert!(sandbox.hook_file("pre-push").is_file());
    let mut git = sandbox.hooked(&["push", "origin", "aside"]);
    let run = Sandbox::finish(git.current_dir(&tree).output().unwrap());
    run.exits(1).says("CHANGES REQUESTED");
    assert_eq!(sandbox.there("aside"), "");
    // A commit there has an index of its own.
    let mut install = sandbox.command(&["hook", "install", "pre-commit"]);
    Sandbox::finish(install.current_dir(&tree).output().unwrap()).exits(0);
    fs::write(tree.join("aside.py"), "def aside():\n    return 1\n").unwrap();
    let mut add = sandbox.hooked(&["add", "aside.py"]);
    Sandbox::finish(add.current_dir(&tree).output().unwrap()).exits(0);
    let calls = sandbox.calls().len();
    let mut git = sandbox.hooked(&["commit", "--quiet", "--message", "Aside"]);
    Sandbox::finish(git.current_dir(&tree).output().unwrap());
    assert!(sandbox.calls()[calls].read("stdin").contains("aside.py"));
}

#[test]
fn the_hook_is_written_once_and_again() {
    let sandbox = Sandbox::new().planted();
    let file = sandbox.hook_file("pre-push");
    let run = sandbox.run(&["hook", "install"]);
    run.exits(0).prints(&format!("wrote {}", file.canonicalize().unwrap().display()));
    let script = fs::read_to_string(&file).unwrap();
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o755);
    sandbox.run(&["hook", "install", "pre-push"]).exits(0);
    assert_eq!(fs::read_to_string(&file).unwrap(), script);
    sandbox.run(&["hook", "install", "--strict"]).exits(0);
    assert!(fs::read_to_string(&file).unwrap().contains("pre-push --strict \"$@\""));
    let made = sandbox.run(&["hook", "install", "pre-commit", "--json"]).exits(0).json();
    assert!(made["files"][0].as_str().unwrap().ends_with(".git/hooks/pre-commit"));
}

/// The line that the error says does what our own hook does, and the other one still runs.
#[test]
fn another_hook_is_left_alone_and_the_line_for_it_is_said() {
    let sandbox = agreeing();
    let other = "#!/bin/sh\n# @LINE@\necho 'the other hook' >&2\n";
    let file = sandbox.other_hook("pre-push", other);
    let run = sandbox.run(&["hook", "install"]);
    run.exits(2).says("is another hook: it is left alone");
    assert_eq!(fs::read_to_string(&file).unwrap(), other);
    let (_, line) = run.stderr.split_once("near the top: `").unwrap();
    let (line, _) = line.split_once('`').unwrap();
    sandbox.other_hook("pre-push", &other.replace("# @LINE@", line));
    let remote = sandbox.remote().display().to_string();
    sandbox.git(&["init", "--quiet", "--bare", &remote]);
    sandbox.git(&["remote", "add", "origin", &remote]);
    sandbox.git(&["push", "--quiet", "--no-verify", "origin", "main"]);
    sandbox.commit("Plant two bugs");
    let run = sandbox.user_git(&["push", "origin", "main"]);
    run.exits(1).says("CHANGES REQUESTED");
    assert!(!run.stderr.contains("the other hook"), "{}", run.stderr);
    let sandbox = sandbox.finds("s1", &[]).finds("s2", &[]);
    sandbox.user_git(&["push", "origin", "main"]).exits(0).says("CLEAN").says("the other hook");
}

/// The script in `docs/hooks.md` for a hook that reads its standard input.
#[test]
fn a_hook_that_reads_its_standard_input_shares_it() {
    let (_, script) = include_str!("../../docs/hooks.md").split_once("```sh\nrefs=").unwrap();
    let (script, _) = script.split_once("```").unwrap();
    let script = script.replace("git lfs pre-push \"$@\"", "sed 's/^/told: /' >&2");
    for (sandbox, code) in [(clean(), 0), (buggy(), 1)] {
        sandbox.other_hook("pre-push", &format!("#!/bin/sh\nrefs={script}"));
        let run = sandbox.user_git(&["push", "origin", "main"]);
        run.exits(code).says("reviewing main");
        assert_eq!(run.stderr.contains("told: refs/heads/main "), code == 0, "{}", run.stderr);
    }
}

#[test]
fn a_link_is_another_hook_and_nothing_is_written_through_it() {
    let sandbox = Sandbox::new().planted();
    let target = sandbox.tmp().join("target");
    fs::write(&target, "#!/bin/sh\n# Written by `debate-agent hook install`\n").unwrap();
    fs::create_dir_all(sandbox.project().join(".git/hooks")).unwrap();
    symlink(&target, sandbox.hook_file("pre-push")).unwrap();
    sandbox.run(&["hook", "install"]).exits(2).says("is another hook");
    let hooks = sandbox.project().join(".git/hooks");
    fs::remove_dir_all(&hooks).unwrap();
    symlink(sandbox.tmp(), &hooks).unwrap();
    sandbox.run(&["hook", "install"]).exits(2).says("other repositories");
    assert!(!sandbox.tmp().join("pre-push").exists());
    assert_eq!(fs::read_to_string(&target).unwrap().lines().count(), 2);
}

#[test]
fn a_folder_of_hooks_inside_the_repository_is_used_and_one_elsewhere_is_not() {
    let sandbox = buggy();
    fs::remove_file(sandbox.hook_file("pre-push")).unwrap();
    let shared = sandbox.home().join("hooks");
    let inside = sandbox.project().join("hooks");
    for (scope, path) in [
        ("--global", shared.to_str().unwrap()),
        ("--global", inside.to_str().unwrap()),
        ("--local", shared.to_str().unwrap()),
        ("--local", "../hooks"),
    ] {
        sandbox.git(&["config", scope, "core.hooksPath", path]);
        sandbox.run(&["hook", "install"]).exits(2).says("may be a hook of other repositories too");
        assert!(!shared.exists() && !inside.exists(), "{scope} {path}");
        sandbox.git(&["config", scope, "--unset", "core.hooksPath"]);
    }
    sandbox.git(&["config", "core.hooksPath", "tools/hooks"]);
    sandbox.run(&["hook", "install"]).exits(0);
    assert!(sandbox.project().join("tools/hooks/pre-push").is_file());
    assert!(!sandbox.hook_file("pre-push").exists());
    sandbox.user_git(&["push", "origin", "main"]).exits(1).says("CHANGES REQUESTED");
}
