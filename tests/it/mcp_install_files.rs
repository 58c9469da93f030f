//! `mcp install` with clients that have a file and no command: one entry is edited, everything else is kept, and at
//! any moment the file is either the old or the new one.
#![cfg(target_os = "linux")]

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::time::Duration;

use crate::support::clients::entry;
use crate::support::{BIN, Sandbox};

const CURSOR: &[&str] = &["mcp", "install", "cursor"];

#[test]
fn an_entry_is_added_and_everything_else_stays_byte_for_byte() {
    let sandbox = Sandbox::with_clients(&[]);
    let before = "\u{feff}// for work\r\n{\r\n  \"mcpServers\": {\r\n    \"a\": {\"url\": \"https://x\"}, // first\r\n  },\r\n  \"z\" : [1,2 ,3],\r\n}\r\n";
    let path = sandbox.at_home(".cursor/mcp.json", before);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    let done = sandbox.run(&[CURSOR, &["--json"]].concat()).exits(0).json();
    let ours = entry("    ").replace('\n', "\r\n");
    let after =
        before.replace("// first\r\n", &format!("// first\r\n    \"debate-agent\": {ours},\r\n"));
    assert_eq!(fs::read_to_string(&path).unwrap(), after);
    let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode() & 0o7777;
    assert_eq!(mode(&path), 0o640);
    let copy = std::path::PathBuf::from(done["backup"].as_str().unwrap());
    assert_eq!(fs::read_to_string(&copy).unwrap(), before);
    assert_eq!((mode(&copy), copy.parent()), (0o640, path.parent()));
    let name = copy.file_name().unwrap().to_str().unwrap();
    assert!(name.starts_with("mcp.json.debate-agent-backup-2"), "{name}");
    // After the removal the file is the same as before.
    sandbox.run(&["mcp", "uninstall", "cursor"]).exits(0);
    assert_eq!(fs::read_to_string(&path).unwrap(), before);
    let left = fs::read_dir(path.parent().unwrap()).unwrap().count();
    assert_eq!(left, 3, "the file and two backups, no temporary file");
}

#[test]
fn a_missing_file_is_made_with_its_folders() {
    let sandbox = Sandbox::with_clients(&[]);
    let text = |key: &str, more: &str, command: &str| {
        format!(
            "{{\n  \"{key}\": {{\n    \"debate-agent\": {{\n{more}      \"command\": \"{command}\",\n      \"args\": [\"mcp\", \"serve\"]\n    }}\n  }}\n}}\n"
        )
    };
    let rows = [
        ("cursor", "user", sandbox.home().join(".cursor/mcp.json"), text("mcpServers", "", BIN)),
        (
            "cursor",
            "project",
            sandbox.project().join(".cursor/mcp.json"),
            text("mcpServers", "", "debate-agent"),
        ),
        (
            "gemini",
            "project",
            sandbox.project().join(".gemini/settings.json"),
            text("mcpServers", "", "debate-agent"),
        ),
        (
            "vscode",
            "project",
            sandbox.project().join(".vscode/mcp.json"),
            text("servers", "      \"type\": \"stdio\",\n", "debate-agent"),
        ),
        (
            "claude-desktop",
            "user",
            sandbox.home().join(".config/Claude/claude_desktop_config.json"),
            text("mcpServers", "", BIN),
        ),
    ];
    for (client, scope, path, text) in rows {
        let done =
            sandbox.run(&["mcp", "install", client, "--scope", scope, "--json"]).exits(0).json();
        assert_eq!(
            done["file"].as_str().map(std::path::Path::new),
            Some(path.canonicalize().unwrap().as_path())
                .filter(|_| scope == "project")
                .or(Some(&path))
        );
        assert_eq!(done.get("backup"), None);
        assert_eq!(fs::read_to_string(path).unwrap(), text);
    }
    // From a folder below, the project is the repository.
    fs::create_dir(sandbox.project().join("deep")).unwrap();
    let below =
        sandbox.run(&["-C", "deep", "mcp", "install", "cursor", "--scope", "project", "--json"]);
    assert_eq!(below.exits(0).json()["done"], "already_registered");
    // In another folder, if the user keeps settings there.
    let elsewhere = sandbox.tmp().join("config");
    let sandbox = sandbox.env("XDG_CONFIG_HOME", elsewhere.to_str().unwrap());
    sandbox.run(&["mcp", "install", "claude-desktop"]).exits(0);
    assert!(elsewhere.join("Claude/claude_desktop_config.json").is_file());
}

#[test]
fn an_entry_of_the_name_is_replaced_by_force_alone() {
    let sandbox = Sandbox::with_clients(&[]);
    let before = "{\n\t\"mcpServers\": {\n\t\t\"debate-agent\": {\"command\": \"/old\"}, // keep\n\t\t\"b\": {}\n\t}\n}";
    let path = sandbox.at_home(".cursor/mcp.json", before);
    sandbox.run(CURSOR).exits(2).says("it is now: /old");
    assert_eq!(fs::read_to_string(&path).unwrap(), before);
    sandbox.run(&[CURSOR, &["--force"]].concat()).exits(0);
    let ours =
        format!("{{\n\t\t\t\"command\": \"{BIN}\",\n\t\t\t\"args\": [\"mcp\", \"serve\"]\n\t\t}}");
    assert_eq!(
        fs::read_to_string(&path).unwrap(),
        before.replace("{\"command\": \"/old\"}", &ours)
    );
}

#[test]
fn a_link_is_edited_where_it_leads_to_within_its_bounds() {
    let sandbox = Sandbox::with_clients(&[]);
    let dotfiles = sandbox.at_home("dotfiles/cursor.json", "{}\n");
    fs::create_dir(sandbox.home().join(".cursor")).unwrap();
    let link = sandbox.home().join(".cursor/mcp.json");
    symlink("../dotfiles/cursor.json", &link).unwrap();
    let run = sandbox.run(CURSOR);
    run.exits(0);
    run.prints("a link to");
    assert!(link.symlink_metadata().unwrap().is_symlink());
    assert!(fs::read_to_string(dotfiles).unwrap().contains(BIN));
}

/// Makes a client's file invalid.
type Spoil = dyn Fn(&Sandbox);

#[test]
fn files_that_are_not_what_they_should_be_are_left_alone() {
    let cases: &[(&str, &Spoil, i32)] = &[
        ("no JSON", &|it| drop(it.at_home(".cursor/mcp.json", "{\n  \"a\": oops\n}")), 2),
        ("a list", &|it| drop(it.at_home(".cursor/mcp.json", "[]")), 2),
        (
            "servers that are a list",
            &|it| drop(it.at_home(".cursor/mcp.json", "{\"mcpServers\": []}")),
            2,
        ),
        (
            "the servers twice",
            &|it| {
                drop(it.at_home(".cursor/mcp.json", "{\"mcpServers\": {}, \"mcpServers\": {}}"));
            },
            2,
        ),
        ("not UTF-8", &|it| drop(it.at_home(".cursor/mcp.json", b"{\"\xff\": 1}")), 2),
        ("deep", &|it| drop(it.at_home(".cursor/mcp.json", "[".repeat(500_000))), 2),
        ("large", &|it| drop(it.at_home(".cursor/mcp.json", " ".repeat((1 << 20) + 1))), 2),
        ("a folder", &|it| fs::create_dir_all(it.home().join(".cursor/mcp.json")).unwrap(), 2),
        (
            "a pipe",
            &|it| {
                fs::create_dir(it.home().join(".cursor")).unwrap();
                let path = it.home().join(".cursor/mcp.json");
                let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
                rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, mode, 0)
                    .unwrap();
            },
            2,
        ),
        (
            "a link out",
            &|it| {
                fs::create_dir(it.home().join(".cursor")).unwrap();
                fs::write(it.tmp().join("out.json"), "{}").unwrap();
                symlink(it.tmp().join("out.json"), it.home().join(".cursor/mcp.json")).unwrap();
            },
            3,
        ),
        (
            "a folder that is a link out",
            &|it| symlink(it.tmp(), it.home().join(".cursor")).unwrap(),
            3,
        ),
        (
            "a link to nowhere",
            &|it| {
                fs::create_dir(it.home().join(".cursor")).unwrap();
                symlink("gone.json", it.home().join(".cursor/mcp.json")).unwrap();
            },
            3,
        ),
        (
            "a folder that is a link to nowhere",
            &|it| symlink("/nowhere/at/all", it.home().join(".cursor")).unwrap(),
            3,
        ),
        (
            "read-only",
            &|it| {
                let path = it.at_home(".cursor/mcp.json", "{}");
                fs::set_permissions(path, fs::Permissions::from_mode(0o444)).unwrap();
            },
            3,
        ),
    ];
    for (what, make, code) in cases {
        let sandbox = Sandbox::with_clients(&[]);
        make(&sandbox);
        let before = sandbox.everything();
        let out = || fs::read_to_string(sandbox.tmp().join("out.json")).unwrap_or_default();
        let was = out();
        for more in [&[][..], &["--force"], &["--dry-run"]] {
            let run = sandbox.run(&[CURSOR, more].concat());
            assert_eq!(run.code, *code, "{what}: {}{}", run.stdout, run.stderr);
            assert!(run.stderr.contains("mcp.json"), "{what}: {}", run.stderr);
        }
        assert_eq!(sandbox.everything(), before, "{what}");
        assert_eq!(out(), was, "{what}");
        assert_eq!(
            fs::read_dir(sandbox.tmp())
                .unwrap()
                .filter(|it| it.as_ref().unwrap().file_name() == "mcp.json")
                .count(),
            0,
            "{what}"
        );
    }
    let sandbox = Sandbox::with_clients(&[]);
    sandbox.at_home(".cursor/mcp.json", "{\n  \"a\": oops\n}");
    sandbox.run(CURSOR).exits(2).says("line 2, column 8");
}

#[test]
fn a_link_of_a_project_cannot_lead_out_of_it() {
    let sandbox = Sandbox::with_clients(&["claude", "gemini"]);
    let secret = sandbox.at_home("settings.json", "{}");
    for folder in [".cursor", ".vscode", ".gemini"] {
        fs::create_dir(sandbox.project().join(folder)).unwrap();
    }
    for name in [".cursor/mcp.json", ".vscode/mcp.json", ".gemini/settings.json", ".mcp.json"] {
        symlink(&secret, sandbox.project().join(name)).unwrap();
    }
    let before = sandbox.everything();
    for client in ["cursor", "vscode", "gemini", "claude"] {
        sandbox.run(&["mcp", "install", client, "--scope", "project"]).exits(3).says("outside of");
    }
    assert_eq!(sandbox.everything(), before);
    assert_eq!(sandbox.told(), Vec::<String>::new());
}

#[test]
fn whenever_it_is_killed_the_file_is_the_old_one_or_the_new_one() {
    let old = format!("{{\n  // {}\n  \"mcpServers\": {{}}\n}}\n", "long ".repeat(40_000));
    let mut ends = [0, 0];
    for round in 0..40 {
        let sandbox = Sandbox::with_clients(&[]);
        let path = sandbox.at_home(".cursor/mcp.json", &old);
        let mut child = sandbox.spawn(CURSOR);
        // A moment between its first instruction and its end.
        std::thread::sleep(Duration::from_micros(round * 700));
        child.kill().unwrap();
        child.wait().unwrap();
        let text = fs::read_to_string(&path).unwrap();
        if text == old {
            ends[0] += 1;
        } else {
            assert_eq!(
                text,
                old.replace("{}", &format!("{{\n    \"debate-agent\": {}\n  }}", entry("    ")))
            );
            ends[1] += 1;
        }
        // The remains of a kill do not hinder the next run.
        sandbox.run(CURSOR).exits(0);
        assert!(fs::read_to_string(&path).unwrap().contains(BIN));
    }
    assert!(ends[0] > 0, "{ends:?}");
}

#[test]
fn many_at_once_leave_one_entry() {
    let sandbox = Sandbox::with_clients(&[]);
    let path = sandbox.at_home(".cursor/mcp.json", "{}\n");
    let children: Vec<_> = (0..8).map(|_| sandbox.spawn(CURSOR)).collect();
    for child in children {
        let run = Sandbox::finish(child.wait_with_output().unwrap());
        // A run that detects a concurrent change reports it, and has written nothing.
        assert!(
            run.code == 0 || run.stderr.contains("changed by another program"),
            "{}",
            run.stderr
        );
    }
    let text = fs::read_to_string(path).unwrap();
    assert_eq!(text.matches("\"debate-agent\"").count(), 1, "{text}");
    serde_json::from_str::<serde_json::Value>(&text).unwrap();
}
