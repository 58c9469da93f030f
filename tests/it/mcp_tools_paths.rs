//! The files and folders that a client of the MCP server reaches, over the wire, wherever the server was started.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::support::Sandbox;
use crate::support::mcps::Mcp;

/// A repository with a change of several files, some of them in a folder.
fn project() -> Sandbox {
    let sandbox = Sandbox::new().planted();
    sandbox.write("docs/gone.md", "Gone.\n");
    sandbox.write("docs/design.md", "# Design\n");
    sandbox.git(&["add", "docs"]);
    sandbox.git(&["commit", "--quiet", "--message", "Docs"]);
    fs::remove_file(sandbox.project().join("docs/gone.md")).unwrap();
    sandbox.write("docs/design.md", "# Design\n\nMore.\n");
    sandbox
}

/// The paths of a change, or the refusal.
fn changed(mcp: &mut Mcp, arguments: Value) -> Vec<String> {
    let diff = mcp.valid("read_diff", arguments);
    (diff["files"].as_array().unwrap().iter())
        .map(|file| file["path"].as_str().unwrap().to_owned())
        .collect()
}

/// Moves the project's repository to another folder of the home; the project is empty afterwards.
fn moved(sandbox: &Sandbox, to: &str) -> PathBuf {
    let there = sandbox.home().join(to);
    fs::create_dir_all(there.parent().unwrap()).unwrap();
    fs::rename(sandbox.project(), &there).unwrap();
    fs::create_dir(sandbox.project()).unwrap();
    there
}

#[test]
fn what_leads_out_is_refused_and_what_is_odd_is_taken_as_it_stands() {
    let sandbox = project();
    let (here, out) = (sandbox.project(), sandbox.tmp());
    fs::write(out.join("secret.md"), "secret").unwrap();
    fs::write(sandbox.home().join("secret.md"), "secret").unwrap();
    symlink(out.join("secret.md"), here.join("file")).unwrap();
    symlink(&out, here.join("folder")).unwrap();
    symlink("/nowhere/at/all", here.join("dangling")).unwrap();
    symlink("docs", here.join("within")).unwrap();
    let absolute = out.join("secret.md").display().to_string();
    let mut mcp = sandbox.mcp();
    let outside = "is outside the repository (";
    let nowhere = "is not there";
    let rows: Vec<(String, &str, &str)> = vec![
        ("..".to_owned(), outside, outside),
        ("../tmp/secret.md".to_owned(), outside, outside),
        ("docs/../../tmp/secret.md".to_owned(), outside, outside),
        ("folder/../../../etc/passwd".to_owned(), outside, outside),
        (absolute.clone(), outside, outside),
        ("file".to_owned(), outside, outside),
        ("folder".to_owned(), outside, outside),
        ("folder/secret.md".to_owned(), outside, outside),
        ("dangling".to_owned(), "is a broken link", "is a broken link"),
        // These are not expanded: they are names like any other.
        ("~".to_owned(), "the change has nothing at", nowhere),
        ("~/secret.md".to_owned(), "the change has nothing at", nowhere),
        (format!("file://{absolute}"), "the change has nothing at", nowhere),
        ("$HOME/secret.md".to_owned(), "the change has nothing at", nowhere),
        ("docs/\u{0}".to_owned(), "contains a NUL byte", "contains a NUL byte"),
        ("x".repeat(5 << 10), "cannot be found", "cannot be found"),
        (String::new(), "\"\" is given", "\"\" is given"),
        ("docs".to_owned(), "", "is a folder"),
        (".git/HEAD".to_owned(), "belongs to git itself", "belongs to git itself"),
    ];
    for (path, of_diff, of_artifact) in rows {
        for (tool, field, wanted) in
            [("read_diff", "path", of_diff), ("discuss_artifact", "artifact", of_artifact)]
        {
            if wanted.is_empty() {
                continue;
            }
            let why = mcp.refused(tool, json!({ field: path }));
            assert!(why.starts_with(&format!("`{field}`: ")), "{tool} {path:?}: {why}");
            assert!(why.contains(wanted), "{tool} {path:?}: {why}");
            assert!(!why.contains("secret\n"), "{why}");
        }
    }
    // A link that stays within counts as the folder that it leads to.
    let within = changed(&mut mcp, json!({"path": "within"}));
    assert_eq!(within, ["docs/design.md", "docs/gone.md"]);
    mcp.finish().exits(0);
    assert!(sandbox.calls().is_empty() && sandbox.sessions().is_empty());
}

#[test]
fn a_path_counts_from_where_the_server_was_started() {
    let sandbox = project();
    let here = sandbox.project();
    let all = ["docs/design.md", "docs/gone.md", "src/store.py"];
    let docs = ["docs/design.md", "docs/gone.md"];
    let mut mcp = sandbox.mcp();
    let absolute = here.join("docs").display().to_string();
    for (path, wanted) in [
        (".", &all[..]),
        ("docs", &docs),
        ("docs/", &docs),
        ("./docs/../docs", &docs),
        (&absolute, &docs),
        // Deleted, with its folder still there.
        ("docs/gone.md", &["docs/gone.md"]),
    ] {
        assert_eq!(changed(&mut mcp, json!({"path": path})), wanted, "{path}");
    }
    mcp.finish().exits(0);
    let mut mcp = sandbox.mcp_in(&here.join("docs"), &[]);
    assert_eq!(changed(&mut mcp, json!({})), all, "the whole change");
    for (path, wanted) in [
        (".", &docs[..]),
        ("..", &all),
        ("gone.md", &["docs/gone.md"]),
        ("../src/store.py", &["src/store.py"]),
    ] {
        assert_eq!(changed(&mut mcp, json!({"path": path})), wanted, "{path}");
    }
    let why = mcp.refused("read_diff", json!({"path": "../.."}));
    assert!(why.contains("is outside the repository ("), "{why}");
    // The deleted folder of a deleted file.
    fs::remove_dir_all(here.join("src")).unwrap();
    let gone = changed(&mut mcp, json!({"path": "../src/store.py"}));
    assert_eq!(gone, ["src/store.py"]);
    mcp.finish().exits(0);
}

#[test]
fn a_root_of_the_users_own_lets_in_its_repositories_and_nothing_beside_them() {
    let sandbox = Sandbox::disputing();
    let sandbox = sandbox.planted();
    let there = moved(&sandbox, "work/deep/repo");
    fs::write(there.join("note.md"), "# Note\n\nText.\n").unwrap();
    fs::create_dir_all(sandbox.home().join("work/plain")).unwrap();
    fs::write(sandbox.home().join("work/plain/x.md"), "x").unwrap();
    symlink(sandbox.tmp(), there.join("out")).unwrap();
    let sandbox =
        sandbox.config(r#"{"mcp": {"roots": ["~/work", "/gone/for/good"]}}"#).repository();
    let mut mcp = sandbox.mcp_rehearsed();
    let at = |sub: &str| there.join(sub).display().to_string();
    let paths = changed(&mut mcp, json!({"path": at("")}));
    assert_eq!(paths, ["note.md", "out", "src/store.py"]);
    assert_eq!(changed(&mut mcp, json!({"path": at("src")})), ["src/store.py"]);
    for (path, wanted) in [
        (at("out"), "is outside the repository ("),
        (at("../../plain/x.md"), "not in a git repository inside it"),
        ("/gone/for/good/x".to_owned(), "/gone/for/good does not exist"),
        (sandbox.home().display().to_string(), "is outside the repository ("),
    ] {
        let why = mcp.refused("read_diff", json!({"path": path}));
        assert!(why.starts_with("`path`: ") && why.contains(wanted), "{path}: {why}");
    }
    // Sessions of that place are kept there, and found again by their ids alone, in every way.
    let arguments = json!({"artifact": at("note.md"), "wait_seconds": 600});
    let result = mcp.valid("discuss_artifact", arguments);
    assert_eq!(result["status"], "done", "{result}");
    let id = result["session_id"].as_str().unwrap();
    assert!(there.join(".debate/sessions").join(id).is_dir());
    assert!(sandbox.sessions().is_empty());
    let again = mcp.valid("session_result", json!({"session_id": id}));
    assert_eq!(again["verdict"], result["verdict"]);
    for uri in [format!("debate://sessions/{id}"), format!("debate://sessions/{id}/report")] {
        let read = mcp.ask("resources/read", json!({ "uri": uri }));
        assert_eq!(read["result"]["contents"][0]["uri"], uri, "{read}");
    }
    let listed = mcp.ask("resources/list", json!({}));
    assert!(listed.to_string().contains(id), "{listed}");
    mcp.finish().exits(0);
}

#[test]
fn outside_any_repository_a_path_in_a_root_works_and_all_else_says_so() {
    let sandbox = Sandbox::new().planted();
    let there = moved(&sandbox, "repo");
    let inside = there.join("src").display().to_string();
    let mut bare = sandbox.mcp();
    for arguments in [json!({}), json!({"path": "src"}), json!({"path": inside})] {
        let why = bare.refused("read_diff", arguments.clone());
        assert!(why.contains("outside any git repository"), "{arguments}: {why}");
        assert!(why.contains("(none are set)"), "{arguments}: {why}");
    }
    bare.finish().exits(0);
    let sandbox = sandbox.config(r#"{"mcp": {"roots": ["~/repo"]}}"#);
    let mut mcp = sandbox.mcp_rehearsed();
    assert_eq!(changed(&mut mcp, json!({"path": inside})), ["src/store.py"]);
    let why = mcp.refused("debate_review", json!({"question": "?"}));
    assert!(why.contains("outside any git repository"), "{why}");
    let review = json!({"question": "?", "path": inside, "wait_seconds": 600});
    let result = mcp.valid("debate_review", review);
    assert_eq!(result["status"], "done", "{result}");
    let id = result["session_id"].as_str().unwrap();
    assert!(there.join(".debate/sessions").join(id).is_dir());
    mcp.finish().exits(0);
    // Another server knows it too, by its root.
    let mut other = sandbox.mcp_rehearsed();
    let again = other.valid("session_result", json!({"session_id": id}));
    assert_eq!(again["verdict"], result["verdict"]);
    other.finish().exits(0);
}

#[test]
fn a_worktree_and_a_submodule_are_repositories_of_their_own() {
    let sandbox = project();
    let tree = sandbox.tmp().join("tree");
    let place = tree.display().to_string();
    sandbox.git(&["worktree", "add", "--quiet", "--detach", &place]);
    fs::write(tree.join("docs/design.md"), "# Another\n").unwrap();
    let mut mcp = sandbox.mcp_in(&tree, &[]);
    assert_eq!(changed(&mut mcp, json!({})), ["docs/design.md"]);
    let main = sandbox.project().join("src").display().to_string();
    let why = mcp.refused("read_diff", json!({"path": main}));
    assert!(why.contains("is outside the repository ("), "{why}");
    let why = mcp.refused("discuss_artifact", json!({"artifact": ".git"}));
    assert!(why.contains("belongs to git itself"), "{why}");
    mcp.finish().exits(0);

    let whole = Sandbox::new().planted();
    whole.commit("Plant");
    let part = sandbox.project().display().to_string();
    let allowed = "protocol.file.allow=always";
    whole.git(&["-c", allowed, "submodule", "--quiet", "add", &part, "part"]);
    whole.commit("Take a part in");
    whole.write("part/docs/design.md", "# Of the part\n");
    let mut mcp = whole.mcp();
    let inside = json!({"question": "?", "path": "part/docs/design.md"});
    for (tool, arguments) in
        [("read_diff", json!({"path": "part/docs/design.md"})), ("debate_review", inside)]
    {
        // Git reports nothing about it there: that does not mean that all is well.
        let why = mcp.refused(tool, arguments);
        assert!(why.contains("/part, a separate repository"), "{why}");
    }
    mcp.finish().exits(0);
    let mut mcp = whole.mcp_in(&whole.project().join("part"), &[]);
    assert_eq!(changed(&mut mcp, json!({})), ["docs/design.md"]);
    let why = mcp.refused("read_diff", json!({"path": "../src"}));
    assert!(why.contains("is outside the repository ("), "{why}");
    mcp.finish().exits(0);
}
