//! What the settings of a clone hide from `diff`, or borrow for it: it is named, or refused.

use crate::diff::{diff, run, told};
use crate::support::git::Repo;

/// L2: what the settings of a clone keep out of git's comparison.
#[test]
fn what_a_clones_own_settings_hide_is_named() {
    let repo = Repo::new();
    for name in ["assumed", "skipped", "same", "plain"] {
        repo.write(name, "one\n");
    }
    repo.commit("first");
    let replaced = repo.git(&["rev-parse", "HEAD:plain"]);
    repo.write("other", "evil\n");
    let other = repo.git(&["hash-object", "-w", "other"]);
    std::fs::remove_file(repo.path().join("other")).unwrap();
    repo.write("plain", "evil\n");
    repo.git(&["replace", &replaced, &other]);
    repo.git(&["update-index", "--assume-unchanged", "assumed", "same"]);
    repo.git(&["update-index", "--skip-worktree", "skipped"]);
    repo.write("assumed", "evil\n");
    repo.write("skipped", "evil\n");
    repo.write(".git/info/exclude", "# mine\nignored.py\n");
    repo.write(".git/list", "more/\n");
    repo.git(&["config", "core.excludesFile", ".git/list"]);
    repo.write("ignored.py", "evil\n");
    repo.write("more/evil.py", "evil\n");
    let document = diff(&repo, &[]);
    let (shown, left) = told(&document);
    // A replaced object is the one that it is, and its change is seen.
    assert_eq!(shown, ["plain modified +1 -1"]);
    assert_eq!(
        left,
        [
            "assumed unreadable (missed)",
            "ignored.py excluded",
            "more/ excluded",
            "skipped unreadable (missed)"
        ]
    );
    assert_eq!(document["complete"], false);
}

/// L3: a `.git` that leads to a repository of the user which knows nothing of the folder.
#[test]
fn a_borrowed_repository_is_refused_and_said() {
    let repo = Repo::new();
    repo.write("private.txt", "canary\n");
    repo.commit("first");
    let git = repo.path().join(".git");
    let refused = |name: &str, make: &dyn Fn(&std::path::Path)| {
        let folder = repo.at(name);
        std::fs::create_dir(&folder).unwrap();
        make(&folder);
        let output = run(&repo, &folder, &["--full"]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(3), "{name}: {said}");
        assert!(
            said.contains("does not know this working tree"),
            "{name}: {said}"
        );
        assert!(
            !String::from_utf8_lossy(&output.stdout).contains("canary"),
            "{name}"
        );
    };
    refused("file", &|folder| {
        std::fs::write(folder.join(".git"), format!("gitdir: {}\n", git.display())).unwrap();
    });
    refused("link", &|folder| {
        std::os::unix::fs::symlink(&git, folder.join(".git")).unwrap();
    });
    refused("common", &|folder| {
        let own = folder.join(".git");
        std::fs::create_dir(&own).unwrap();
        std::fs::write(own.join("HEAD"), "ref: refs/heads/main\n").unwrap();
        std::fs::write(own.join("commondir"), git.display().to_string()).unwrap();
    });
    // One that was made so knows it.
    let apart = repo.at("apart");
    std::fs::create_dir(&apart).unwrap();
    let there = repo.at("there.git").display().to_string();
    repo.plain(&apart, "git", &["init", "-q", "--separate-git-dir", &there]);
    repo.plain(
        &apart,
        "git",
        &["config", "core.worktree", &apart.display().to_string()],
    );
    std::fs::write(apart.join("a"), "1\n").unwrap();
    let output = run(&repo, &apart, &[]);
    assert!(output.status.success(), "{output:?}");
}
