//! A secret planted in every text that a person, an assistant or a file gives: it reaches no prompt, no file of ours
//! and no output. The places come from the command line's definition and from the tools' schemas, so that a new one is
//! tried by itself.

use std::any::TypeId;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use clap::{Arg, Command, ValueHint};
use serde_json::{Value, json};

use crate::support::debates::TOPIC;
use crate::support::{Run, Sandbox};

/// A token as GitHub forms them, put together here so that no scanner finds one in this file.
fn token() -> String {
    ["gh", "p_", "wJ8xKq2RtYp5", "ZsVn4Lc7Bm1D", "fH9gQe6TuA3X"].concat()
}

/// What an argument gets where it is required, or where a command needs it to ask anybody. By its id.
const USUAL: [(&str, &str); 14] = [
    ("topic", TOPIC),
    ("task", "Add paging to the list"),
    ("artifact", "notes.md"),
    ("agent", "claude"),
    ("prompt", "hello"),
    ("input", "backlog.json"),
    ("file", "backlog.json"),
    ("title", "Paging of the list"),
    ("decision", "It gets pages"),
    ("kind", "quality"),
    ("why", "It is not needed"),
    ("id", "opp-tf-login-timeout"),
    ("ids", "opp-tf-login-timeout"),
    ("manual", ""),
];

/// Where a command writes, which folder it works in, and what it would run are no texts.
const PLACES: [&str; 7] = ["out", "folder", "events", "man_dir", "export_dir", "set", "config"];

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new().repository();
    sandbox.six();
    sandbox.write("notes.md", "# Notes\n\nThe list gets pages.\n");
    sandbox.git(&["add", "--all"]);
    sandbox.git(&["-c", "user.name=x", "-c", "user.email=x@x", "commit", "--quiet", "-m", "x"]);
    sandbox.write("notes.md", "# Notes\n\nThe list gets pages of ten.\n");
    let items: Value = serde_json::from_slice(&fs::read(sandbox.six()).unwrap()).unwrap();
    let stored = json!({ "opportunities": items }).to_string();
    sandbox.write(".swarm/backlog/candidates.json", stored);
    sandbox
}

/// A file's content with the token in it, as its reader expects it.
fn content(command: &str, id: &str) -> String {
    let secret = token();
    match (command, id) {
        (_, "patch") => format!(
            "--- a/{secret}.md\n+++ b/{secret}.md\n@@ -1 +1 @@\n-a\n+b {secret}\n"
        ),
        ("prioritize", _) => json!({"opportunities": [
            {"title": format!("Renew {secret}"), "description": secret, "type": "code_quality"},
            {"title": "Pages", "description": "The list", "evidence": [{"source": secret, "content": secret}]},
        ]})
        .to_string(),
        (_, "context") if command == "discuss" => json!({"requirements": [secret]}).to_string(),
        _ => format!("- The token is {secret}\n"),
    }
}

/// Fails if the token is in a prompt, in a file of ours, or in what was printed.
#[track_caller]
fn held_back(sandbox: &Sandbox, run: &Run, what: &str) {
    fn below(folder: &Path, secret: &str, what: &str) {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            assert!(!path.display().to_string().contains(secret), "{what}: {}", path.display());
            if path.is_dir() {
                below(&path, secret, what);
            }
            let text = fs::read(&path).unwrap_or_default();
            let text = String::from_utf8_lossy(&text);
            assert!(!text.contains(secret), "{what}: in {}: {text}", path.display());
        }
    }
    let secret = token();
    for call in sandbox.calls() {
        for part in ["stdin", "argv"] {
            assert!(!call.read(part).contains(&secret), "{what}: {} was told", call.turn);
        }
    }
    for folder in [".debate", ".swarm"] {
        below(&sandbox.project().join(folder), &secret, what);
    }
    assert!(!run.stdout.contains(&secret), "{what}: {}", run.stdout);
    assert!(!run.stderr.contains(&secret), "{what}: {}", run.stderr);
}

/// Returns the arguments of a command's call in which one argument has this value.
fn call(path: &[&str], command: &Command, planted: &Arg, value: &str) -> Vec<String> {
    let mut call: Vec<String> = path.iter().map(|part| (*part).to_owned()).collect();
    let mut positionals = Vec::new();
    for arg in command.get_arguments() {
        let id = arg.get_id().as_str();
        let usual = USUAL.iter().find(|(known, _)| *known == id).map(|(_, value)| *value);
        let given = if arg == planted {
            Some(value)
        } else if arg.is_required_set() || arg.is_positional() || path == ["decisions", "add"] {
            usual
        } else {
            None
        };
        match (given, arg.get_long()) {
            (Some(given), None) => positionals.push(given.to_owned()),
            (Some(""), Some(long)) => call.push(format!("--{long}")),
            (Some(given), Some(long)) => call.push(format!("--{long}={given}")),
            (None, _) => {}
        }
    }
    if !positionals.is_empty() {
        call.push("--".to_owned());
        call.extend(positionals);
    }
    call
}

/// Plants the token in every argument of the commands below one; returns how many runs asked an agent.
fn walk(path: &[&str], command: &Command, tried: &mut Vec<String>) {
    for below in command.get_subcommands() {
        walk(&[path, &[below.get_name()]].concat(), below, tried);
    }
    for arg in command.get_arguments() {
        let id = arg.get_id().as_str();
        let takes = arg.get_action().takes_values() && arg.get_possible_values().is_empty();
        if !takes || PLACES.contains(&id) || (arg.is_global_set() && path != ["debate"]) {
            continue;
        }
        let secret = token();
        let is_file = arg.get_value_parser().type_id() == TypeId::of::<PathBuf>()
            || [ValueHint::AnyPath, ValueHint::FilePath].contains(&arg.get_value_hint());
        let named = format!("{secret}.md");
        let (texts, files) = (
            [format!("of {secret}"), secret.clone(), format!("key={secret}")],
            [named.clone(), "held.md".to_owned()],
        );
        for value in if is_file { &files[..] } else { &texts } {
            let sandbox = sandbox();
            sandbox.write(&named, "# Notes\n\nThe list gets pages.\n");
            sandbox.write("held.md", content(path[0], id));
            let call = call(path, command, arg, value);
            let call: Vec<&str> = call.iter().map(String::as_str).collect();
            let run = sandbox.run(&call);
            held_back(&sandbox, &run, &format!("{call:?}"));
            if !sandbox.calls().is_empty() || run.code == 0 {
                tried.push(format!("{} {id}", path.join(" ")));
                if !is_file {
                    break;
                }
            }
        }
    }
}

/// Walks these commands; each of `told` is a place that was reached.
fn none_of(commands: &[&str], told: &[&str]) {
    let all = debate_agent::command();
    let mut tried = Vec::new();
    for name in commands {
        let command = all.find_subcommand(OsStr::new(name)).unwrap();
        let mut whole = command.clone();
        whole.build();
        walk(&[name], &whole, &mut tried);
    }
    for place in told {
        assert!(tried.iter().any(|tried| tried == place), "`{place}` was not reached: {tried:?}");
    }
}

#[test]
fn no_argument_of_a_debate_tells_a_secret() {
    none_of(&["debate"], &["debate topic", "debate stated", "debate metadata", "debate files"]);
}

#[test]
fn no_argument_of_a_plan_or_a_review_tells_a_secret() {
    none_of(
        &["plan", "review"],
        &["plan task", "plan stated", "plan files", "review question", "review patch"],
    );
}

#[test]
fn no_argument_of_another_command_tells_a_secret() {
    let all = debate_agent::command();
    let rest: Vec<&str> = (all.get_subcommands().map(Command::get_name))
        .filter(|name| !["debate", "plan", "review", "mcp"].contains(name))
        .collect();
    none_of(
        &rest,
        &[
            "prioritize file",
            "discuss artifact",
            "discuss task_id",
            "run prompt",
            "outline topic",
            "backlog add title",
            "backlog edit description",
            "backlog reject why",
            "decisions add decision",
        ],
    );
}

/// A value with the token in each text of a tool's argument, by its schema; `None` where it has none.
fn planted(schema: &Value, secret: &str) -> Option<Value> {
    let of = |kind: &str| match &schema["type"] {
        Value::Array(kinds) => kinds.iter().any(|known| known == kind),
        known => known == kind,
    };
    if schema.get("enum").is_some() || schema.get("const").is_some() {
        None
    } else if of("string") {
        Some(secret.into())
    } else if of("array") {
        let item = planted(&schema["items"], secret)?;
        let other = if item.is_string() { Some("another".into()) } else { usual("item") };
        Some(json!([item, other]))
    } else if of("object") {
        let Some(fields) = schema["properties"].as_object() else {
            return Some(json!({ "title": secret, "description": secret }));
        };
        let filled = fields.iter().filter_map(|(name, field)| {
            Some((name.clone(), planted(field, secret).or_else(|| usual(name))?))
        });
        Some(Value::Object(filled.collect()))
    } else {
        None
    }
}

/// What a tool's field gets where it is required.
fn usual(name: &str) -> Option<Value> {
    let item = json!({"title": "Cache", "description": "The store", "type": "code_quality"});
    Some(match name {
        "topic" | "question" | "task" | "prompt" | "title" => "Add paging to the list".into(),
        "mode" => "plan".into(),
        "agent" => "claude".into(),
        "artifact" => "notes.md".into(),
        "type" => "code_quality".into(),
        "item" => item,
        _ => return None,
    })
}

#[test]
fn no_field_of_a_tool_tells_a_secret() {
    let secret = token();
    let listed = sandbox().mcp().ask("tools/list", json!({}))["result"]["tools"].clone();
    let mut asked = Vec::new();
    for tool in listed.as_array().unwrap() {
        let (name, schema) = (tool["name"].as_str().unwrap(), &tool["inputSchema"]);
        for (field, of) in schema["properties"].as_object().unwrap() {
            let Some(value) = planted(of, &format!("of {secret}")) else {
                continue;
            };
            let mut arguments = json!({});
            for known in ["artifact", "topic", "prompt", "agent"] {
                if schema["properties"].get(known).is_some() {
                    arguments[known] = usual(known).unwrap();
                }
            }
            if name == "debate_360" && field != "question" {
                arguments["mode"] = "plan".into();
                arguments["task"] = usual("task").unwrap();
            }
            arguments[field.as_str()] = value;
            let sandbox = sandbox();
            let allowed = json!({"mcp": {"allow_run_agent": true}}).to_string();
            let own = sandbox.home().join(".config/debate-agent");
            fs::create_dir_all(&own).unwrap();
            fs::write(own.join("config.json"), allowed).unwrap();
            let mut mcp = sandbox.mcp();
            let said = mcp.call(name, arguments.clone()).to_string();
            assert!(!said.contains(&secret), "{name}.{field}: {said}");
            let run = mcp.finish();
            held_back(&sandbox, &run, &format!("{name}.{field}: {arguments}"));
            if !sandbox.calls().is_empty() {
                asked.push(format!("{name}.{field}"));
            }
        }
    }
    for field in [
        "debate_topic.topic",
        "debate_topic.description",
        "debate_topic.facts",
        "debate_review.question",
        "debate_topic.options",
        "prioritize_backlog.opportunities",
        "run_agent.prompt",
        "run_agent.context",
    ] {
        assert!(asked.iter().any(|asked| asked == field), "`{field}` was not reached: {asked:?}");
    }
}

#[test]
fn what_is_taken_out_is_told_with_its_place_and_files_of_secrets_are_refused() {
    let sandbox = sandbox();
    let topic = format!("{TOPIC} With {}?", token());
    let document = sandbox.run(&["debate", &topic, "--rehearse", "--json"]).json();
    let warnings = document["warnings"].to_string();
    assert!(warnings.contains("input_redacted") && warnings.contains("brief.topic"), "{warnings}");
    let id = document["session_id"].as_str().unwrap();
    let shown = sandbox.run(&["sessions", "show", id, "--json"]).json();
    assert_eq!(shown["warnings"], document["warnings"]);
    let key = ["-----BEGIN OPENSSH PRIVATE KEY-----\n", &"b3Bl".repeat(40), "\n"].concat();
    for (name, text) in [(".env", "A=b\n"), (".npmrc", "x\n"), ("id_rsa", "x\n"), ("a.txt", &key)] {
        sandbox.write(name, text);
        for option in ["--facts", "--file"] {
            let run = sandbox.run(&["debate", TOPIC, option, name]);
            run.exits(2).says("would be shown to every agent");
        }
    }
    assert!(sandbox.calls().is_empty());
}

#[test]
fn no_link_of_a_clone_shows_what_git_ignores_gits_own_or_our_records() {
    const HIDDEN: &str = "extraheader-of-somebody";
    let sandbox = sandbox();
    sandbox.write(".gitignore", "/ignored/\n");
    for (file, link) in [
        (".git/config", "a.md"),
        ("ignored/prod.yml", "b.md"),
        (".debate/report.md", "c.md"),
        (".swarm/backlog/x.md", "d.md"),
        ("ignored", "folder"),
    ] {
        if link != "folder" {
            let before = fs::read_to_string(sandbox.project().join(file)).unwrap_or_default();
            sandbox.write(file, format!("{before}\n# {HIDDEN}\n"));
        }
        let readme = sandbox.project().join("README.md");
        fs::remove_file(&readme).ok();
        symlink(file, &readme).unwrap();
        symlink(file, sandbox.project().join(link)).unwrap();
        let plan = sandbox.run(&["plan", "Add paging to the list", "--json"]).json();
        assert!(plan["files"]["left_out"]["unreadable"].as_u64() >= Some(1), "{plan}");
        let named = if link == "folder" { "folder/prod.yml" } else { link };
        for args in [
            &["plan", "x", "--file", named][..],
            &["debate", TOPIC, "--file", named],
            &["debate", TOPIC, "--facts", named],
            &["discuss", named],
            &["prioritize", named],
            &["review", "--patch", named],
        ] {
            let run = sandbox.run(args);
            run.exits(2).says("is a symbolic link that leads").says("name it by its own path");
        }
        let mut mcp = sandbox.mcp();
        let why = mcp.refused("discuss_artifact", json!({ "artifact": named }));
        assert!(why.contains("shown to nobody"), "{why}");
        mcp.finish();
    }
    let mut mcp = sandbox.mcp();
    let why = mcp.refused("discuss_artifact", json!({ "artifact": "ignored/prod.yml" }));
    assert!(why.contains("to what git ignores") && why.contains("copy"), "{why}");
    mcp.finish();
    assert!(!sandbox.calls().is_empty());
    for call in sandbox.calls() {
        assert!(!call.read("stdin").contains(HIDDEN), "{}", call.turn);
    }
}
