//! Every command and option as a user sees it: exit code, one result on standard output, the rest on standard error.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use debate_agent::exit;
use serde_json::Value;

use crate::support::{BIN, Sandbox};

/// The JSON Schema that the program prints for a document.
fn schema(sandbox: &Sandbox, name: &str) -> jsonschema::Validator {
    let printed = sandbox.run(&["schema", name]).exits(0).json();
    jsonschema::validator_for(&printed).unwrap()
}

#[track_caller]
fn holds(sandbox: &Sandbox, name: &str, document: &Value) {
    let errors: Vec<String> = schema(sandbox, name)
        .iter_errors(document)
        .map(|error| format!("{} at {}", error, error.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{name}: {errors:?}\n{document:#}");
}

/// Every event line is JSON with `v` and a dense `seq`; every turn that was started is finished.
#[track_caller]
pub(crate) fn every_turn_ends(events: &str) {
    let lines: Vec<Value> = events
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect();
    assert!(!lines.is_empty());
    let mut open = BTreeSet::new();
    for (index, line) in lines.iter().enumerate() {
        assert_eq!(line["v"], 1, "{line}");
        assert_eq!(line["seq"], index as u64 + 1, "{line}");
        let turn = line["turn"].as_str().unwrap_or_default().to_owned();
        match line["type"].as_str().unwrap() {
            "turn.started" => assert!(open.insert(turn), "{line}"),
            "turn.finished" => assert!(open.remove(&turn), "{line}"),
            _ => {}
        }
    }
    assert!(open.is_empty(), "started and never finished: {open:?}\n{events}");
}

const PATCH: &str = "--- a/x.rs\n+++ b/x.rs\n@@ -1 +1 @@\n-old\n+new\n";

/// The arguments, the schema of the `--json` output, the exit code. `ID` is a closed session, `OPEN` one that is not.
const COMMANDS: &[(&[&str], &str, i32)] = &[
    (&["agents"], "agents", 0),
    (&["doctor"], "doctor", 0),
    (&["doctor", "--live"], "doctor", 0),
    (&["run", "claude", "hello"], "run", 0),
    (&["run", "claude", "hello", "--rehearse"], "run", 0),
    (&["run", "claude", "hello", "--dry-run"], "dry-run", 0),
    (&["run", "nobody", "hello"], "error", 2),
    (&["prioritize", "backlog.json"], "prioritize", 0),
    (&["prioritize", "backlog.json", "--rehearse"], "prioritize", 0),
    (&["prioritize", "backlog.json", "--dry-run"], "dry-run", 0),
    (&["prioritize", "missing.json"], "error", 2),
    (&["prioritize"], "error", 2),
    (&["sessions", "list"], "sessions", 0),
    (&["sessions", "show", "ID"], "prioritize", 0),
    (&["sessions", "show", "0000"], "error", 2),
    (&["sessions", "status", "ID"], "session-status", 0),
    (&["sessions", "resume", "ID"], "prioritize", 0),
    (&["sessions", "resume", "ID", "--dry-run"], "session-status", 0),
    (&["sessions", "decide", "ID", "--set", "backlog.rank_stability=0.5"], "prioritize", 0),
    (&["sessions", "decide", "ID", "--set", "nonsense=1"], "error", 2),
    (&["sessions", "resume", "ID", "--from-round", "9"], "error", 2),
    (&["sessions", "terminate", "OPEN"], "session-status", 0),
    (&["sessions", "terminate", "ID"], "error", 2),
    (&["sessions", "show", "ID", "--format", "json"], "prioritize", 0),
    (&["sessions", "show", "ID", "--format", "md"], "error", 2),
    (&["sessions", "sync"], "sync", 0),
    (&["sessions", "gc", "--dry-run"], "gc", 0),
    (&["sessions", "gc"], "gc", 0),
    (&["backlog"], "backlog", 0),
    (&["backlog", "add", "--title", "Mine"], "backlog", 0),
    (&["backlog", "show", "fo"], "backlog", 0),
    (&["backlog", "accept", "fo", "--issue", "7"], "backlog", 0),
    (&["backlog", "reject", "fo", "--why", "No."], "backlog", 0),
    (&["backlog", "reject", "fo"], "error", 2),
    (&["backlog", "defer", "fo"], "backlog", 0),
    (&["backlog", "reopen", "fo"], "backlog", 0),
    (&["backlog", "similar", "fo"], "backlog-similar", 0),
    (&["backlog", "edit", "fo", "--title", "New"], "backlog", 0),
    (&["backlog", "export"], "backlog", 0),
    (&["backlog", "show", "zz"], "error", 2),
    (&["diff"], "error", 3),
    (&["diff", "--patch", "good.patch"], "diff", 0),
    (&["diff", "--patch", "good.patch", "--full"], "diff", 0),
    (&["diff", "--patch", "backlog.json"], "error", 2),
    (&["diff", "--staged", "--base", "main"], "error", 2),
    (&["discover"], "discover", 4),
    (&["discover", "--type", "all", "--no-debate"], "discover", 0),
    (&["discover", "--type", "feature", "--deep", "--rehearse"], "discover", 0),
    (&["discover", "--type", "all", "--deep", "--dry-run"], "dry-run", 0),
    (&["discover", "--type", "tests"], "error", 2),
    (&["review"], "error", 3),
    (&["review", "--patch", "good.patch", "--rehearse"], "review", 0),
    (&["review", "--patch", "good.patch", "--dry-run"], "dry-run", 0),
    (&["review", "--staged", "--base", "main"], "error", 2),
    (&["review", "--patch", "good.patch", "--agents", "nobody"], "error", 2),
    (&["review", "dismiss", "F1", "--why", "It is a test."], "review-dismiss", 0),
    (&["review", "dismiss", "F9", "--why", "No."], "error", 2),
    (&["plan", "Add paging", "--rehearse"], "plan", 0),
    (&["plan", "Add paging", "--dry-run"], "dry-run", 0),
    (&["plan", " "], "error", 2),
    (&["plan", "Add paging", "--format", "nonsense"], "error", 2),
    (&["discuss", "backlog.json"], "discuss", 0),
    (&["discuss", "backlog.json", "--dry-run"], "dry-run", 0),
    (&["discuss"], "error", 2),
    (&["discuss", "none.md"], "error", 2),
    (&["outline", "REST or gRPC?"], "outline", 0),
    (&["outline", "REST or gRPC?", "--agents", "claude"], "error", 2),
    (&["debate", "REST or gRPC?"], "debate", 0),
    (&["debate", "REST or gRPC?", "--style", "panel", "--rehearse"], "debate", 0),
    (&["debate", "REST or gRPC?", "--dry-run"], "dry-run", 0),
    (&["debate", " "], "error", 2),
    (&["decisions", "list"], "decisions", 0),
    (
        &["decisions", "add", "--manual", "--title", "Transport", "--decision", "gRPC"],
        "decision",
        0,
    ),
    (&["decisions", "list", "--tag", "none"], "decisions", 0),
    (&["decisions", "add", "ID"], "error", 2),
    (&["decisions", "add"], "error", 2),
    (&["skills", "list"], "skills", 0),
    (&["skills", "show", "backlog-critic"], "skill", 0),
    (&["skills", "show", "nobody"], "error", 2),
    (&["skills", "export", "exported"], "files", 0),
    (&["config", "show"], "config-show", 0),
    (&["config", "validate", "good.json"], "config-validate", 0),
    (&["config", "validate", "backlog.json"], "error", 2),
    (&["trust"], "trust", 0),
    (&["trust", "--list"], "trust-list", 0),
    (&["trust", "--revoke"], "trust-revoke", 0),
    (&["schema", "nonsense"], "error", 2),
    (&["completions", "bash"], "error", 2),
    (&["mcp"], "error", 2),
    (&["mcp", "serve"], "error", 2),
    (&["mcp", "install", "cursor"], "mcp-change", 0),
    (&["mcp", "install", "cursor", "--dry-run"], "mcp-change", 0),
    (&["mcp", "install", "codex", "--scope", "project"], "error", 2),
    (&["mcp", "install", "vscode"], "error", 3),
    (&["mcp", "uninstall", "cursor"], "mcp-change", 0),
    (&["hook", "install"], "error", 3),
    (&["man", "manual"], "files", 0),
    (&["init"], "init", 0),
    (&["init"], "error", 2),
    (&["init", "--force"], "init", 0),
];

/// A project with a backlog, a patch, and a review of it that found something.
fn stocked() -> Sandbox {
    let finding = serde_json::json!({
        "severity": "P1", "title": "The old one was right", "file": "x.rs", "line": 1, "quote": "new",
        "detail": "It breaks.", "fix": "`old`",
    });
    let sandbox = Sandbox::new()
        .finds("s1", std::slice::from_ref(&finding))
        .finds("s2", &[finding])
        .proposes(&["It is faster."])
        .reviews(&[("A1", "agree")]);
    sandbox.six();
    sandbox.write("good.json", "{}");
    sandbox.write("src/main.py", "print(1)\n");
    sandbox.write("good.patch", PATCH);
    sandbox.run(&["review", "--patch", "good.patch"]).exits(1);
    sandbox
}

/// Runs one debate to its end and one without money; returns their ids.
fn held(sandbox: &Sandbox) -> [String; 2] {
    let id = |args: &[&str], code: i32| {
        let document = sandbox.run(args).exits(code).json();
        document["session_id"].as_str().unwrap().to_owned()
    };
    [
        id(&["prioritize", "backlog.json", "--json"], 0),
        id(&["debate", "REST?", "--budget", "0.15", "--json"], 4),
    ]
}

fn with_id<'a>(args: &[&'a str], [id, open]: &'a [String; 2]) -> Vec<&'a str> {
    args.iter()
        .map(|arg| match *arg {
            "ID" => id,
            "OPEN" => open,
            arg => arg,
        })
        .collect()
}

#[test]
fn json_is_one_document_of_the_schema_that_is_printed_for_it() {
    let sandbox = stocked();
    let ids = held(&sandbox);
    for (args, name, code) in COMMANDS {
        let mut args = with_id(args, &ids);
        args.push("--json");
        let run = sandbox.run(&args);
        // `json()` fails on anything other than the one document.
        let document = run.exits(*code).json();
        holds(&sandbox, name, &document);
        if *name == "error" {
            assert_eq!(document["error"]["exit_code"], *code, "{args:?}");
            let message = document["error"]["message"].as_str().unwrap();
            assert!(
                run.stderr.replace('\n', " ").contains(&message[..message.len().min(20)]),
                "{args:?}: {}",
                run.stderr
            );
        }
    }
    let config = sandbox.run(&["config", "schema"]).exits(0).json();
    let validator = jsonschema::validator_for(&config).unwrap();
    let own = fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("debate-agent.config.json"));
    let own: Value = serde_json::from_slice(&own.unwrap()).unwrap();
    assert!(validator.is_valid(&own));
    assert!(!validator.is_valid(&serde_json::json!({ "limits": { "budget_usd": "much" } })));
}

#[test]
fn text_stands_on_standard_output_and_everything_else_does_not() {
    let sandbox = stocked();
    let ids = held(&sandbox);
    for (args, name, code) in COMMANDS {
        let run = sandbox.run(&with_id(args, &ids));
        if *args == ["mcp"] || *args == ["mcp", "serve"] {
            // A server whose client closes without a request.
            run.exits(0);
            assert_eq!(run.stdout, "", "{args:?}");
            continue;
        }
        if args[0] == "completions" || args.contains(&"md") {
            run.exits(0);
            assert!(!run.stdout.is_empty());
            continue;
        }
        run.exits(*code);
        assert!(!run.stdout.contains('\u{1b}') && !run.stderr.contains('\u{1b}'));
        if *name == "error" {
            assert_eq!(run.stdout, "", "{args:?}");
            assert!(run.stderr.starts_with("error: "), "{args:?}: {}", run.stderr);
            assert!(run.stderr.lines().count() <= 6, "{args:?}: {}", run.stderr);
        } else if args[0] != "man" && *args != ["trust", "--list"] {
            assert!(!run.stdout.is_empty(), "{args:?}");
        }
        for word in ["panicked", "RUST_BACKTRACE", "src/"] {
            assert!(!run.stderr.contains(word), "{args:?}: {}", run.stderr);
        }
        // Quiet means that only trouble is reported on standard error.
        let once = args[0] == "init" || args.contains(&"exported") || args.contains(&"add");
        if *name != "error" && !once {
            let mut quiet = with_id(args, &ids);
            quiet.extend(["--progress", "off"]);
            let said = sandbox.run(&quiet).exits(*code).stderr.clone();
            let only_trouble = |line: &str| line.starts_with("! ") || line.starts_with("REHEARSAL");
            assert!(said.lines().all(only_trouble), "{args:?}: {said}");
        }
    }
}

/// Reads the names of the commands in a help text, in whatever groups.
fn subcommands(help: &str) -> Vec<String> {
    help.lines()
        .take_while(|line| *line != "Options:")
        .filter_map(|line| line.strip_prefix("  "))
        .filter(|line| line.starts_with(|first: char| first.is_ascii_lowercase()))
        .filter_map(|line| line.split_whitespace().next())
        .map(str::to_owned)
        .collect()
}

fn as_strs(words: &[String]) -> Vec<&str> {
    words.iter().map(String::as_str).collect()
}

#[test]
fn the_docs_have_the_exit_codes_of_the_program() {
    let page = include_str!("../../docs/exit-codes.md");
    for (code, meaning) in exit::TABLE {
        let row = format!("| {code} | {meaning} |");
        assert!(page.contains(&row), "docs/exit-codes.md lacks the row\n{row}");
    }
    let help = Sandbox::new().run(&["--help"]).exits(0).stdout.clone();
    let codes = help.split("Exit codes").nth(1).unwrap();
    for (code, _) in exit::TABLE {
        assert!(codes.contains(&code.to_string()), "--help lacks {code}");
    }
}

#[test]
fn every_help_fits_into_eighty_columns_and_names_its_options() {
    let sandbox = Sandbox::new().env("COLUMNS", "80");
    let mut commands = vec![vec![]];
    for name in subcommands(&sandbox.run(&["--help"]).stdout) {
        let below = subcommands(&sandbox.run(&[&name, "--help"]).stdout);
        commands.extend(below.into_iter().map(|sub| vec![name.clone(), sub]));
        commands.push(vec![name]);
    }
    assert!(commands.len() > 20);
    for command in commands {
        for flag in ["-h", "--help"] {
            let mut args = as_strs(&command);
            args.push(flag);
            let run = sandbox.run(&args);
            run.exits(0);
            assert_eq!(run.stderr, "");
            assert!(run.stdout.contains("Usage: debate-agent"), "{args:?}");
            for line in run.stdout.lines() {
                assert!(line.chars().count() <= 80, "{args:?}: {line}");
            }
        }
    }
}

#[test]
fn without_arguments_there_is_the_short_help() {
    let run = Sandbox::new().run(&[]);
    run.exits(0).prints("Usage: debate-agent");
    assert_eq!(run.stdout, Sandbox::new().run(&["-h"]).stdout);
}

#[test]
fn completions_and_manual_pages_are_written_for_every_command() {
    let sandbox = Sandbox::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = sandbox.run(&["completions", shell]).exits(0).stdout.clone();
        assert!(script.contains("prioritize") && script.contains("rehearse"), "{shell}");
        // Those that can ask offer the ids of sessions.
        let asks = script.contains("debate-agent sessions ids");
        assert_eq!(asks, ["bash", "zsh", "fish"].contains(&shell), "{shell}");
    }
    sandbox.write("good.patch", PATCH);
    let id = sandbox.run(&["review", "--patch", "good.patch", "--rehearse", "--json"]).json();
    let id = &id["session_id"].as_str().unwrap()[..13];
    assert_eq!(sandbox.run(&["sessions", "ids"]).exits(0).stdout, format!("@last\n{id}\n"));
    for name in ["@last", "@last:review"] {
        sandbox.run(&["sessions", "show", name, "--format", "sarif"]).exits(0).prints("2.1.0");
    }
    sandbox.run(&["sessions", "show", "@last:plan"]).exits(2).says("no session `@last:plan`");
    sandbox
        .run(&["sessions", "show", "@last", "--format", "csv"])
        .exits(2)
        .says("no `--format csv`");
    let report = sandbox.project().join("report.md");
    sandbox
        .run(&["sessions", "show", "@last", "--format", "markdown", "--output", "report.md"])
        .exits(0);
    assert!(fs::read_to_string(report).unwrap().starts_with("# Code review"));
    sandbox.run(&["man", "pages"]).exits(0);
    for page in ["debate-agent.1", "debate-agent-prioritize.1", "debate-agent-sessions-resume.1"] {
        let text = fs::read_to_string(sandbox.project().join("pages").join(page)).unwrap();
        assert!(text.contains(".TH"), "{page}");
    }
}

#[test]
fn the_version_says_with_verbose_how_the_program_came_here() {
    let sandbox = Sandbox::new();
    let version = concat!("debate-agent ", env!("CARGO_PKG_VERSION"), "\n");
    assert_eq!(sandbox.run(&["--version"]).exits(0).stdout, version);
    let from = format!("{version}from a build: {BIN}\n");
    assert_eq!(sandbox.run(&["--version", "--verbose"]).exits(0).stdout, from);
    assert_eq!(sandbox.run(&["-V", "--verbose"]).exits(0).stdout, from);
}
