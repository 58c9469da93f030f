//! Changes that a clone's settings hide from `diff`, or repositories they borrow for it: named, or refused.

use crate::diff::{diff, numbered, run, told};
use crate::support::git::Repo;

/// L2: files that the settings of a clone keep out of git's comparison.
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
    // A replaced object is read as the original, and its change is seen.
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

/// L2: files that the user's own list for all repositories keeps out of git's comparison, and none that the tree's
/// lists do.
#[test]
fn what_the_users_own_list_hides_is_named() {
    let repo = Repo::new();
    repo.write(".gitignore", "*.log\n/built/\n");
    repo.write("src/a", "one\n");
    repo.commit("first");
    for name in ["src/a.mine", "notes/x.mine", "cache/b/c.mine", "cache/d.mine"] {
        repo.write(name, "evil\n");
    }
    for name in ["notes/shown", "some.log", "built/e.mine"] {
        repo.write(name, "two\n");
    }
    let untouched = told(&diff(&repo, &[]));
    assert!(untouched.1.is_empty(), "{untouched:?}");
    let own = repo.at("home/.config/git");
    std::fs::create_dir_all(&own).unwrap();
    std::fs::write(own.join("ignore"), "*.mine\n").unwrap();
    let document = diff(&repo, &[]);
    let (shown, left) = told(&document);
    assert_eq!(shown, ["notes/shown added +1 -0"]);
    let wanted = ["cache/ excluded", "notes/x.mine excluded", "src/a.mine excluded"];
    assert_eq!(left, wanted);
    assert_eq!(document["complete"], true, "the user said so");
    // The list that is configured in its place.
    let list = repo.at("home/list").display().to_string();
    std::fs::write(&list, "*.mine\n").unwrap();
    std::fs::write(own.join("ignore"), "").unwrap();
    repo.git(&["config", "--global", "core.excludesFile", &list]);
    assert_eq!(told(&diff(&repo, &[])).1, wanted);
}

/// L3: a `.git` that leads to a repository of the user that does not belong to the folder.
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
        assert!(said.contains("does not know this working tree"), "{name}: {said}");
        assert!(!String::from_utf8_lossy(&output.stdout).contains("canary"), "{name}");
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
    // One created with a separate git directory does belong to it.
    let apart = repo.at("apart");
    std::fs::create_dir(&apart).unwrap();
    let there = repo.at("there.git").display().to_string();
    repo.plain(&apart, "git", &["init", "-q", "--separate-git-dir", &there]);
    repo.plain(&apart, "git", &["config", "core.worktree", &apart.display().to_string()]);
    std::fs::write(apart.join("a"), "1\n").unwrap();
    let output = run(&repo, &apart, &[]);
    assert!(output.status.success(), "{output:?}");
}

/// Writes an untracked file that `list` ignores, applies `make`, and returns the parts left out.
fn left_by_list(make: &dyn Fn(&Repo)) -> Vec<String> {
    let repo = Repo::new();
    repo.write(".gitignore", "*.log\n");
    repo.commit("first");
    repo.write("evil.py", "evil\n");
    repo.write(".git/list", "evil.py\n");
    make(&repo);
    let (shown, left) = told(&diff(&repo, &[]));
    assert_eq!(shown, [] as [&str; 0]);
    left
}

#[test]
fn a_list_of_what_this_clone_ignores_is_found_wherever_it_is_named() {
    let include = |repo: &Repo| {
        repo.write(".git/more", "[core]\nexcludesFile = .git/list\n");
        repo.git(&["config", "include.path", "more"]);
    };
    let worktree = |repo: &Repo| {
        repo.git(&["config", "extensions.worktreeConfig", "true"]);
        repo.git(&["config", "--worktree", "core.excludesFile", ".git/list"]);
    };
    let long = |repo: &Repo| {
        let lines = "# a comment, and many of them\n".repeat(50_000);
        repo.write(".git/info/exclude", format!("{lines}evil.py\n"));
    };
    let odd_name = |repo: &Repo| {
        use std::os::unix::ffi::OsStrExt as _;
        let name = std::ffi::OsStr::from_bytes(b".git/l\xffst");
        repo.write(name, "evil.py\n");
        let key = std::ffi::OsStr::new("core.excludesFile");
        repo.git(&[std::ffi::OsStr::new("config"), key, name]);
    };
    let ways: [&dyn Fn(&Repo); 4] = [&include, &worktree, &long, &odd_name];
    for (number, way) in ways.into_iter().enumerate() {
        assert_eq!(left_by_list(way), ["evil.py excluded"], "way {number}");
    }
}

#[test]
fn what_others_ignore_as_well_is_not_called_this_clones_word() {
    let left = left_by_list(&|repo| {
        repo.write(".git/info/exclude", "*.log\n*.swp\nbuild/\nevil.py\n");
        repo.write(".gitignore", "*.log\nbuild/\n");
        repo.git(&["commit", "-q", "-a", "-m", "more"]);
        repo.write("../home/.config/git/ignore", "*.swp\n");
        for name in ["a.log", "d/b.log", "build/x.log", "build/y", "z.swp"] {
            repo.write(name, "\n");
        }
    });
    assert_eq!(left, ["evil.py excluded"]);
}

/// A file of unchanged size and time is read, whatever the clone's settings for times; and one next to a tracked file
/// is seen, whatever they say about case.
#[test]
fn no_setting_makes_git_pass_over_a_file() {
    use std::os::unix::fs::MetadataExt as _;
    let repo = Repo::new();
    repo.write("a.sh", "one\n");
    let set_time = || repo.plain(&repo.path(), "touch", &["-d", "2001-01-01", "a.sh"]);
    set_time();
    repo.commit("first");
    for (name, value) in
        [("core.checkStat", "minimal"), ("core.trustctime", "false"), ("core.ignoreCase", "true")]
    {
        repo.git(&["config", name, value]);
    }
    repo.git(&["update-index", "--really-refresh"]);
    repo.write("a.sh", "bad\n");
    // The change time cannot be set back, and git compares it in seconds.
    let changed = || std::fs::metadata(repo.path().join("a.sh")).unwrap().ctime();
    let before = changed();
    while changed() == before {
        set_time();
    }
    repo.write("A.sh", "evil\n");
    // Plain git does not notice it: otherwise this would prove nothing.
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
    let (shown, _) = told(&diff(&repo, &[]));
    assert_eq!(shown, ["A.sh added +1 -0", "a.sh modified +1 -1"]);
}

#[test]
fn attributes_of_this_clone_hide_nothing_and_the_users_own_do() {
    let repo = Repo::new();
    for name in ["e.js", "g.js", "m.js", "own.js"] {
        repo.write(name, "one\n");
    }
    repo.write(".gitattributes", "m.js named\n");
    repo.commit("first");
    let attributes = "e.js -diff\n[attr]named linguist-generated\n";
    repo.write(".git/info/attributes", attributes);
    repo.write(".git/attributes", "g.js linguist-generated\n");
    repo.git(&["config", "core.attributesFile", ".git/attributes"]);
    let own = "own.js linguist-generated\n";
    repo.write("../home/.config/git/attributes", own);
    repo.write("e.js", "evil\n".repeat(9) + "\0");
    for name in ["g.js", "m.js", "own.js"] {
        repo.write(name, "evil\n");
    }
    let all = ["e.js", "g.js", "m.js"].map(|name| (name, "shown"));
    let told_of = |args: &[&str]| {
        let (shown, left) = told(&diff(&repo, args));
        let name = |line: &String| line.split(' ').next().unwrap().to_owned();
        let shown: Vec<String> = shown.iter().map(name).collect();
        (shown, left)
    };
    let names = all.map(|(name, _)| name.to_owned()).to_vec();
    let left = vec!["own.js generated".to_owned()];
    assert_eq!(told_of(&[]), (names.clone(), left.clone()));
    repo.git(&["commit", "-q", "-a", "-m", "second"]);
    assert_eq!(told_of(&["--commit", "HEAD"]), (names, left));
}

#[test]
fn what_the_attributes_of_the_base_left_out_is_shown_whole_under_a_new_name() {
    for attribute in ["linguist-generated", "linguist-vendored", "-diff"] {
        let repo = Repo::new();
        repo.write(".gitattributes", format!("dist/** {attribute}\n"));
        repo.write("dist/e.js", format!("evil\n{}", numbered(20)));
        repo.write("dist/same.js", numbered(30));
        repo.commit("first");
        std::fs::create_dir(repo.path().join("src")).unwrap();
        repo.git(&["mv", "dist/e.js", "src/e.js"]);
        let whole = "src/e.js from dist/e.js renamed +21 -0";
        assert_eq!(told(&diff(&repo, &[])).0, [whole], "{attribute}");
        repo.commit("second");
        let (shown, _) = told(&diff(&repo, &["--commit", "HEAD"]));
        assert_eq!(shown, [whole], "{attribute}");
        // With a NUL in it, which git calls binary, and its lines were never shown either.
        repo.git(&["mv", "dist/same.js", "src/same.js"]);
        repo.write("src/same.js", format!("{}\0", numbered(30)));
        let (shown, _) = told(&diff(&repo, &[]));
        let whole = "src/same.js from dist/same.js renamed +31 -0";
        assert_eq!(shown, [whole], "{attribute}");
    }
}

#[test]
fn a_generators_mark_counts_only_where_the_base_had_it_among_its_first_lines() {
    let repo = Repo::new();
    let mark = "// @generated by x\n";
    let low = |lines: usize, end: &str| format!("{}{mark}x\n{end}", numbered(lines));
    repo.write("low.js", low(45, ""));
    repo.write("high.js", low(10, ""));
    repo.write("lost.js", low(11, &numbered(9)));
    repo.commit("first");
    repo.write("low.js", low(20, "evil();\n"));
    repo.write("high.js", low(10, "y\n"));
    // A file that loses its mark was never reviewed before, so it is shown whole.
    let lost = low(11, &numbered(9)).replace(mark, "");
    repo.write("lost.js", lost);
    for args in [&[][..], &["--commit", "HEAD"]] {
        let (shown, left) = told(&diff(&repo, args));
        assert_eq!(shown, ["lost.js modified +21 -0", "low.js modified +1 -25"]);
        assert_eq!(left, ["high.js generated"]);
        repo.commit("second");
    }
}

/// The lines of an untracked `name` that reviewers are shown, without their marks.
fn shown_of(name: &str, text: impl AsRef<[u8]>) -> String {
    let repo = Repo::new();
    repo.commit("first");
    repo.write(name, text);
    let document = diff(&repo, &["--full"]);
    assert_eq!(document["not_reviewed"], serde_json::json!([]), "{name}");
    assert_eq!(document["complete"], true, "{name}");
    let text = document["batches"][0]["text"].as_str().unwrap();
    let lines = text.lines().filter_map(|line| line.strip_prefix('+'));
    let lines = lines.filter(|line| !line.starts_with("++ "));
    lines.flat_map(|line| [line, "\n"]).collect()
}

#[test]
fn what_poses_as_a_key_hides_no_line_and_a_dummy_no_file() {
    let begin = format!("-----BEGIN {}-----\n", "PRIVATE KEY");
    let key = format!("{begin}{}\n", "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7");
    let script = format!(": <<K\n{key}K\nSKIPSIGNATURECHECK=1\n");
    let shown = shown_of("run.sh", script);
    assert_eq!(shown, format!(": <<K\n{begin}[redacted]\nK\nSKIPSIGNATURECHECK=1\n"));
    for dummy in ["abcd", "YOURPRIVATEKEYHERE", "..."] {
        let test = format!("KEY = '''{begin}{dummy}\n-----END PRIVATE KEY-----'''\n");
        assert_eq!(shown_of("test_key.py", &test), test);
    }
}

#[test]
fn a_byte_order_mark_hides_no_line() {
    let code = "<?php\nsystem($_GET[\"c\"]);\n";
    let marked = [&b"\xff\xfe"[..], code.as_bytes()].concat();
    assert!(shown_of("x.php", marked).contains("\nsystem($_GET[\"c\"]);\n"));
    // After a bulk of UTF-16.
    let bulk = format!("\u{feff}{}", "# words\n".repeat(99));
    let bulk: Vec<u8> = bulk.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let shown = shown_of("x.php", [&bulk[..], b"\n\n", code.as_bytes()].concat());
    assert!(shown.contains("system($_GET[\"c\"]);"), "{shown}");
}

#[test]
fn of_our_folders_nothing_that_can_be_run_is_left_out() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let repo = Repo::new();
    repo.commit("first");
    let digest = "a".repeat(64);
    let record = format!(".debate/sessions/s/answers/{digest}");
    let files = [
        (format!(".debate/{digest}"), 0o644, true),
        (format!(".debate/sessions/s/{digest}"), 0o644, true),
        (record.replace("/s/", "/t/"), 0o755, true),
        (".debate/run.md".to_owned(), 0o755, true),
        (record, 0o644, false),
        (".debate/report.md".to_owned(), 0o644, false),
    ];
    for (name, mode, _) in &files {
        repo.write(name, "#!/bin/sh\nevil\n");
        let mode = std::fs::Permissions::from_mode(*mode);
        std::fs::set_permissions(repo.path().join(name), mode).unwrap();
    }
    symlink("../evil", repo.path().join(".debate/link.json")).unwrap();
    let wanted = |shown: bool| {
        let wanted = files.iter().filter(|(.., is_shown)| *is_shown == shown);
        let mut names: Vec<String> = wanted.map(|(name, ..)| name.clone()).collect();
        names.extend(shown.then(|| ".debate/link.json".to_owned()));
        names.sort();
        names
    };
    let check = |args: &[&str]| {
        let (shown, left) = told(&diff(&repo, args));
        let names = |lines: Vec<String>| -> Vec<String> {
            let name = |line: String| line.split(' ').next().unwrap().to_owned();
            lines.into_iter().map(name).collect()
        };
        assert_eq!(names(shown), wanted(true), "{args:?}");
        assert!(left.iter().all(|line| line.ends_with(" own")), "{left:?}");
        assert_eq!(names(left), wanted(false), "{args:?}");
    };
    // A setting under which git ignores mode bits does not turn a script into a record.
    repo.git(&["config", "core.fileMode", "false"]);
    check(&[]);
    repo.git(&["config", "core.fileMode", "true"]);
    repo.commit("second");
    check(&["--commit", "HEAD"]);
    let patch = repo.plain(&repo.path(), "git", &["diff", "HEAD~", "HEAD"]);
    repo.write("../p.patch", patch.stdout);
    check(&["--patch", "../p.patch"]);
}
