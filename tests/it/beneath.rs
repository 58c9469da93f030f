//! Links in a project: nothing in its files leads the program out of it, to read or to write.
#![cfg(target_os = "linux")]

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use serde_json::json;

use crate::support::Sandbox;

/// A secret at the place of an AI CLI's login.
const LOGIN: &str = "{\"tokens\": {\"id\": \"the very login\"}}\n";

fn entries(folder: &Path) -> usize {
    fs::read_dir(folder).unwrap().count()
}

/// A project with the link `ln` to a folder outside of it; its own configuration keeps its sessions at `debate`.
fn led(debate: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.six();
    sandbox.git(&["init", "--quiet"]);
    fs::create_dir(sandbox.home().join("out")).unwrap();
    symlink(sandbox.home().join("out"), sandbox.project().join("ln")).unwrap();
    let config = json!({"paths": {"debate": debate, "backlog": debate}});
    sandbox.write("debate-agent.config.json", config.to_string());
    // Trusting the name of a folder does not mean trusting the target of a link.
    sandbox.run(&["trust"]).exits(0);
    sandbox
}

#[test]
fn h2_no_folder_of_the_project_leads_out_of_it() {
    for debate in ["ln", "ln/", "ln/.", "ln/x", "ln/sub/y", "./ln/x"] {
        let sandbox = led(debate);
        for args in [
            &["prioritize", "backlog.json", "--rehearse"][..],
            &["discover"],
            &["sessions", "list"],
            &["sessions", "gc", "--older-than", "0"],
            &["decisions", "add", "--manual", "--title", "Cache", "--decision", "One for all"],
            &["backlog", "add", "--title", "One cache", "--description", "Of all."],
        ] {
            let run = sandbox.run(args);
            assert_ne!(run.code, 0, "{debate} {args:?}: {}", run.stdout);
        }
        assert_eq!(entries(&sandbox.home().join("out")), 0, "{debate}");
    }
}

#[test]
fn h2_the_sessions_of_another_project_are_neither_shown_nor_removed() {
    let other = Sandbox::new();
    other.six();
    other.run(&["prioritize", "backlog.json", "--rehearse"]);
    assert_eq!(other.sessions().len(), 1);
    for debate in ["ln/", "ln/../ln", "ln/.debate"] {
        let sandbox = Sandbox::new();
        let to = if debate.ends_with(".debate") {
            other.project()
        } else {
            other.project().join(".debate")
        };
        symlink(to, sandbox.project().join("ln")).unwrap();
        let config = json!({"paths": {"debate": debate}});
        sandbox.write("debate-agent.config.json", config.to_string());
        let listed = sandbox.run(&["sessions", "list", "--json"]);
        assert!(
            !listed.stdout.contains("prioritize") && listed.code != 0,
            "{debate}: {}",
            listed.stdout
        );
        sandbox.run(&["sessions", "gc", "--older-than", "0"]);
        assert_eq!(other.sessions().len(), 1, "{debate}");
    }
}

#[test]
fn h2_a_folder_that_is_not_ours_needs_trust_before_anything_is_written_into_it() {
    for debate in ["src", ".", "./", ".git/x", ".git", "sub/.GIT/x"] {
        let sandbox = Sandbox::new();
        sandbox.six();
        sandbox.git(&["init", "--quiet"]);
        sandbox.write("src/main.py", "pass\n");
        let config = json!({"paths": {"debate": debate}});
        sandbox.write("debate-agent.config.json", config.to_string());
        let before = entries(&sandbox.project().join(".git"));
        let run = sandbox.run(&["prioritize", "backlog.json", "--rehearse"]);
        run.exits(3).says("paths.debate");
        assert!(!sandbox.project().join(".gitignore").exists(), "{debate}");
        assert_eq!(entries(&sandbox.project().join("src")), 1, "{debate}");
        assert_eq!(entries(&sandbox.project().join(".git")), before, "{debate}");
    }
}

/// Every name that the program writes, as part of a clone.
#[test]
fn h2_nothing_that_a_clone_brings_makes_a_folder_ours() {
    let sandbox = Sandbox::new();
    sandbox.six();
    sandbox.git(&["init", "--quiet"]);
    for name in
        ["main.c", "sessions/.keep", "candidates.json", "candidates.lock", ".gitignore", "cache/x"]
    {
        sandbox.write(&format!("src/{name}"), "*\n");
    }
    let src = sandbox.project().join("src");
    fs::set_permissions(&src, fs::Permissions::from_mode(0o755)).unwrap();
    for key in ["debate", "backlog"] {
        let config = json!({"paths": {key: "src"}});
        sandbox.write("debate-agent.config.json", config.to_string());
        for args in [
            &["prioritize", "backlog.json", "--rehearse"][..],
            &["debate", "Which cache?", "--rehearse"],
            // No agent is asked, and the findings are written all the same.
            &["discover", "--type", "quality", "--no-debate"],
            &["discover", "--type", "stalled", "--no-debate"],
            &["sessions", "gc", "--older-than", "0"],
        ] {
            let run = sandbox.run(args);
            run.exits(3).says(&format!("paths.{key}"));
        }
    }
    assert_eq!(entries(&src), 6);
    assert_eq!(entries(&src.join("sessions")) + entries(&src.join("cache")), 2);
    assert_eq!(fs::read_to_string(src.join("candidates.json")).unwrap(), "*\n");
    let mode = fs::metadata(&src).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o755);
    // Once the configuration is trusted, it is used.
    sandbox.write("debate-agent.config.json", r#"{"paths": {"debate": "notes/debates"}}"#);
    sandbox.run(&["trust"]).exits(0);
    sandbox.run(&["prioritize", "backlog.json", "--rehearse"]).exits(0);
    assert!(sandbox.project().join("notes/debates/sessions").is_dir());
}

#[test]
fn h3_a_link_of_the_project_does_not_show_what_lies_outside() {
    let sandbox = Sandbox::discussing();
    sandbox.git(&["init", "--quiet"]);
    let login = sandbox.home().join("notes/private.md");
    fs::create_dir_all(login.parent().unwrap()).unwrap();
    fs::write(&login, LOGIN).unwrap();
    sandbox.write("docs/own.md", "# Own\n\nText.\n");
    symlink(&login, sandbox.project().join("docs/design.md")).unwrap();
    symlink(login.parent().unwrap(), sandbox.project().join("more")).unwrap();
    symlink("docs", sandbox.project().join("within")).unwrap();
    let typed = sandbox.project().join("docs/design.md").display().to_string();
    for args in [
        &["discuss", "docs/design.md"][..],
        &["discuss", "within/design.md"],
        &["discuss", "more"],
        &["discuss", "more/private.md"],
        &["discuss", "docs/own.md", "--context", "docs/design.md"],
        &["discuss", &typed],
        &["debate", "Which cache?", "--file", "docs/design.md"],
        &["prioritize", "docs/design.md"],
        &["review", "--patch", "docs/design.md"],
        &["diff", "--patch", "docs/design.md"],
    ] {
        let run = sandbox.run(args);
        run.exits(2);
        assert!(run.stderr.contains("leads out of the project"), "{args:?}: {}", run.stderr);
        assert!(run.stderr.contains("notes"), "where it leads: {}", run.stderr);
        assert!(sandbox.calls().is_empty(), "{args:?}");
    }
    // A file named by its own path is the user's choice; a link that stays inside is followed.
    let own = login.display().to_string();
    for (path, word) in [(own.as_str(), "the very login"), ("within/own.md", "# Own")] {
        let before = sandbox.calls().len();
        sandbox.run(&["discuss", path]);
        let calls = sandbox.calls();
        assert!(calls[before].read("stdin").contains(word), "{path}");
    }
}

#[test]
fn h3_logins_of_clis_are_not_shown_by_whatever_path() {
    let sandbox = Sandbox::discussing();
    for login in [
        ".codex/auth.json",
        ".claude/.credentials.json",
        ".gemini/oauth_creds.json",
        ".config/gh/hosts.yml",
        ".kube/config",
        ".bash_history",
    ] {
        let path = sandbox.home().join(login);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, LOGIN).unwrap();
        let run = sandbox.run(&["discuss", &path.display().to_string()]);
        run.exits(2).says("would be shown to every agent");
    }
    assert!(sandbox.calls().is_empty());
}

#[test]
fn l12_nothing_is_written_through_a_link_that_bears_the_typed_name() {
    let sandbox = Sandbox::new();
    sandbox.six();
    let mine = sandbox.home().join("mine");
    fs::write(&mine, "mine").unwrap();
    symlink(&mine, sandbox.project().join("events.jsonl")).unwrap();
    fs::create_dir(sandbox.home().join("out")).unwrap();
    symlink(sandbox.home().join("out"), sandbox.project().join("ln")).unwrap();
    for events in ["events.jsonl", "ln/events.jsonl"] {
        let run = sandbox.run(&["prioritize", "backlog.json", "--rehearse", "--events", events]);
        run.exits(2).says("symbolic link");
    }
    assert_eq!(fs::read_to_string(&mine).unwrap(), "mine");
    assert_eq!(entries(&sandbox.home().join("out")), 0);
    let run = sandbox.run(&["prioritize", "backlog.json", "--rehearse", "--events", "/dev/stderr"]);
    run.exits(0).says("\"type\":");
}

#[test]
fn l9_what_is_ours_is_private_again_and_git_is_told_so() {
    let sandbox = Sandbox::new();
    sandbox.six();
    let ours = sandbox.project().join(".debate");
    fs::create_dir_all(ours.join("sessions")).unwrap();
    fs::write(ours.join(".gitignore"), "*.tmp\n!*").unwrap();
    for path in [ours.clone(), ours.join("sessions"), ours.join(".gitignore")] {
        fs::set_permissions(path, fs::Permissions::from_mode(0o777)).unwrap();
    }
    let run = sandbox.run(&["prioritize", "backlog.json", "--rehearse"]);
    run.exits(0).says(".gitignore let git see the sessions");
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&ours), 0o700);
    assert_eq!(mode(&ours.join("sessions")), 0o700);
    let ignored = fs::read_to_string(ours.join(".gitignore")).unwrap();
    assert!(ignored.starts_with("*.tmp\n!*\n#"), "{ignored}");
    assert!(ignored.ends_with("\n*\n"), "{ignored}");
    // Only once.
    let run = sandbox.run(&["prioritize", "backlog.json", "--rehearse"]);
    assert!(!run.exits(0).stderr.contains(".gitignore"), "{}", run.stderr);
    assert_eq!(fs::read_to_string(ours.join(".gitignore")).unwrap(), ignored);
    // Git does not follow a link there, so one ignores nothing, wherever it leads.
    let file = ours.join(".gitignore");
    fs::rename(&file, sandbox.home().join("ignored")).unwrap();
    symlink(sandbox.home().join("ignored"), &file).unwrap();
    let run = sandbox.run(&["prioritize", "backlog.json", "--rehearse"]);
    run.exits(0).says("it was replaced");
    assert!(!file.is_symlink());
    assert!(fs::read_to_string(file).unwrap().ends_with("\n*\n"));
}

/// Files that a person lets git see next to the sessions remain theirs, however many there are.
#[test]
fn a_gitignore_that_hides_the_sessions_stays_as_it_is() {
    let sandbox = Sandbox::new();
    sandbox.six();
    let own = format!("*\n!decisions.md\n{}", "# why\n".repeat(2_000));
    sandbox.write(".debate/.gitignore", &own);
    let run = sandbox.run(&["prioritize", "backlog.json", "--rehearse"]);
    assert!(!run.exits(0).stderr.contains(".gitignore"), "{}", run.stderr);
    let path = sandbox.project().join(".debate/.gitignore");
    assert_eq!(fs::read_to_string(path).unwrap(), own);
}
