//! Things that must never leak, run, be written through or be shown, through the binary.
#![cfg(target_os = "linux")]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use crate::support::live::shell;
use crate::support::{BIN, Run, Sandbox, fixture};

/// Every file below a directory, symbolic links not followed.
fn files(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut stack = vec![dir.to_owned()];
    while let Some(dir) = stack.pop() {
        for entry in fs::read_dir(&dir).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() && !path.is_symlink() {
                stack.push(path.clone());
            }
            found.push(path);
        }
    }
    found
}

/// Everything that a run wrote: its streams, and every file except the fakes' own.
fn written(sandbox: &Sandbox, runs: &[&Run]) -> Vec<(String, Vec<u8>)> {
    let mut all: Vec<(String, Vec<u8>)> = Vec::new();
    for run in runs {
        all.push(("stdout".to_owned(), run.stdout.clone().into_bytes()));
        all.push(("stderr".to_owned(), run.stderr.clone().into_bytes()));
    }
    for dir in [sandbox.project(), sandbox.home(), sandbox.home().join("../tmp")] {
        for path in files(&dir) {
            if path.is_file() && !path.starts_with(sandbox.home().join(".fake")) {
                all.push((path.display().to_string(), fs::read(&path).unwrap()));
            }
        }
    }
    all
}

#[track_caller]
fn absent(written: &[(String, Vec<u8>)], needle: &str) {
    for (name, bytes) in written {
        let found = bytes.windows(needle.len()).any(|window| window == needle.as_bytes());
        assert!(!found, "`{needle}` stands in {name}");
    }
}

/// Variables with a canary each, and the CLIs that may see it.
const CANARIES: [(&str, &str, &[&str]); 12] = [
    ("ANTHROPIC_API_KEY", "canary-01-Zq8xKd03mVbT", &["claude"]),
    ("ANTHROPIC_AUTH_TOKEN", "/canary-02-Hw7yPc14nWcU", &["claude"]),
    ("CODEX_API_KEY", "canary-03-Jv6zQe25oXdV", &["codex"]),
    ("OPENAI_API_KEY", "canary-04-Ku5aRf36pYeW", &["codex"]),
    ("GEMINI_API_KEY", "canary-05-Lt4bSg47qZfX", &["gemini"]),
    ("GITHUB_TOKEN", "canary-06-Ms3cTh58rAgY", &[]),
    ("AWS_SECRET_ACCESS_KEY", "/canary-07-Nr2dUi69sBhZ", &[]),
    ("NPM_TOKEN", "canary-08-Oq1eVj70tCiA", &[]),
    ("DATABASE_PASSWORD", "canary-09-Pp0fWk81uDjB", &[]),
    ("SLACK_SIGNING_SECRET", "canary-10-Qo9gXl92vEkC", &[]),
    ("SESSION_COOKIE", "canary-11-Rn8hYm03wFlD\"quoted", &[]),
    ("HTTP_CREDENTIAL", "canary-12-Sm7iZn14xGmE", &[]),
];

#[test]
fn f91_s12_p20_canaries_reach_no_written_byte_and_no_agent_but_their_own() {
    let tell = r#"
{ env; cat "$answer"; } >"$ledger/telling"
answer=$ledger/telling
env >&2
"#;
    let mut sandbox = Sandbox::new().fake("claude.sh", tell).fake("codex.sh", tell);
    for (name, value, _) in CANARIES {
        sandbox = sandbox.env(name, value);
    }
    sandbox.six();
    let debate = sandbox.run(&["prioritize", "backlog.json", "--events", "events.jsonl"]);
    debate.exits(0);
    let call = sandbox.run(&["run", "claude", "hello"]);
    assert!(call.exits(0).stdout.contains("[redacted]"), "{}", call.stdout);
    let to_stdout = sandbox.run(&["run", "codex", "hello", "--events", "-"]);
    to_stdout.exits(0);
    // The same if the agent fails, so that its standard error is quoted.
    let sandbox = sandbox.fake("r1_champion.sh", "env >&2\nexit 3\n");
    sandbox.write("debate-agent.config.json", r#"{"limits": {"retries": 0}}"#);
    let failed = sandbox.run(&["prioritize", "backlog.json", "--events", "failed.jsonl", "--json"]);
    failed.exits(4);
    let shown = sandbox.run(&["config", "show"]);
    let list = sandbox.run(&["sessions", "list"]).exits(0).json_ids();
    let mut reports: Vec<Run> = Vec::new();
    for id in &list {
        reports.push(sandbox.run(&["sessions", "show", id, "--format", "md"]));
        reports.push(sandbox.run(&["sessions", "show", id, "--json"]));
    }
    let mut runs = vec![&debate, &call, &to_stdout, &failed, &shown];
    runs.extend(&reports);
    let everything = written(&sandbox, &runs);
    assert!(everything.len() > 20, "{}", everything.len());
    for (name, value, allowed) in CANARIES {
        absent(&everything, value);
        // Its form inside JSON, too.
        absent(&everything, value.split('"').next().unwrap());
        for call in sandbox.calls() {
            let seen = call.read("env").contains(value);
            assert_eq!(seen, allowed.contains(&call.cli.as_str()), "{name} and {}", call.cli);
        }
    }
}

impl Run {
    /// The ids in a text list of sessions.
    fn json_ids(&self) -> Vec<String> {
        self.stdout
            .lines()
            .filter_map(|line| line.split_whitespace().next())
            .filter(|word| {
                word.len() > 8 && word.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-')
            })
            .map(str::to_owned)
            .collect()
    }
}

#[test]
fn s6_no_byte_of_a_prompt_is_an_argument_and_agents_stand_in_an_empty_private_folder() {
    let look = "ls -A . >\"$ledger/ls\"; stat -c %a . >\"$ledger/mode\"; umask >\"$ledger/umask\"; echo \"$PWD\" >\"$ledger/pwd\"\n";
    let sandbox = ["claude.sh", "codex.sh", "gemini.sh"]
        .into_iter()
        .fold(Sandbox::new(), |sandbox, name| sandbox.fake(name, look));
    sandbox.write(
        "backlog.json",
        r#"[{"title": "Wombatorium", "description": "@/etc/passwd /compact"}, {"title": "--yolo Quokkatron"}]"#,
    );
    sandbox.run(&["prioritize", "backlog.json", "--seat", "moderator=gemini"]).exits(0);
    sandbox.run(&["run", "gemini", "Wombatorium"]).exits(0);
    let calls = sandbox.calls();
    assert_eq!(calls.len(), 4);
    for call in &calls {
        assert!(call.read("stdin").contains("Wombatorium"));
        let argv = call.read("argv");
        for byte in ["Wombatorium", "Quokkatron", "opportunit"] {
            assert!(!argv.contains(byte), "{byte}: {argv}");
        }
        let cwd = call.read("cwd");
        let cwd = Path::new(cwd.trim());
        assert!(!cwd.starts_with(sandbox.project().canonicalize().unwrap()), "{cwd:?}");
        assert!(!cwd.exists(), "{cwd:?} is gone after the call");
        assert_eq!(call.read("ls"), "", "the folder is empty");
        assert_eq!(call.read("mode").trim(), "700");
        assert_eq!(call.read("umask").trim(), "0077");
        assert_eq!(Path::new(call.read("pwd").trim()).canonicalize().ok(), None);
        assert!(call.read("env").contains(&format!("PWD={}\n", call.read("pwd").trim())));
    }
}

/// Asserts that a text contains no control, no escape and no character that hides or reorders text.
#[track_caller]
fn inert(text: &str) {
    for c in text.chars() {
        let bad = (c.is_control() && c != '\n' && c != '\t')
            || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{e0000}'..='\u{e007f}' | '\u{feff}');
        assert!(!bad, "{c:?} in {text:?}");
    }
}

const EVIL: &str = "\u{1b}]0;owned\u{7}\u{1b}[2J\u{9b}31m\u{202e}evil\u{2066}\u{e0041}\u{1b}]8;;http://evil\u{1b}\\\\link <img src=x onerror=alert(1)> ![p](http://evil/p.png) [l](http://evil) | `x` <script>";

/// A backlog whose every free field is hostile, and equally hostile answers.
fn hostile_debate() -> Sandbox {
    let sandbox = Sandbox::new();
    let items: Vec<_> = ["one", "two"]
        .iter()
        .map(|id| {
            serde_json::json!({ "opportunity_id": id, "title": format!("{EVIL} {id}"), "description": EVIL })
        })
        .collect();
    sandbox.write("backlog.json", serde_json::to_vec(&items).unwrap());
    let concern = serde_json::json!({ "one": [EVIL], "two": [EVIL] });
    sandbox
        .fake(
            "r1_critic.txt",
            &format!(
                "{EVIL}\n<<<CRITIC_CONCERNS_START>>>\n{concern}\n<<<CRITIC_CONCERNS_END>>>\n<<<CRITIC_RANKINGS_START>>>\n[\"one\",\"two\"]\n<<<CRITIC_RANKINGS_END>>>\n"
            ),
        )
        .fake("claude.sh", &format!("printf '%s' '{EVIL}' >&2\n"))
}

#[test]
fn f80_p14_s10_nothing_an_agent_or_a_backlog_says_reaches_the_terminal_alive() {
    let sandbox = hostile_debate();
    let debate = sandbox.run(&["prioritize", "backlog.json"]);
    let id = &sandbox.run(&["sessions", "list"]).json_ids()[0];
    for args in [
        &["sessions", "show", id][..],
        &["sessions", "list"],
        &["sessions", "status", id],
        &["sessions", "show", id, "--format", "md"],
        &["sessions", "show", id, "--json"],
        &["prioritize", "backlog.json", "--dry-run"],
    ] {
        let run = sandbox.run(args);
        run.exits(0);
        inert(&run.stdout);
        inert(&run.stderr);
    }
    inert(&debate.stdout);
    inert(&debate.stderr);
    debate.prints("evil");
    // A single call, and one that fails with hostile words.
    let sandbox = sandbox
        .fake("none.txt", EVIL)
        .fake("none.2.sh", &format!("printf '%s' '{EVIL}' >&2\nexit 3\n"));
    sandbox.write("debate-agent.config.json", r#"{"limits": {"retries": 0}}"#);
    for code in [0, 4] {
        let run = sandbox.run(&["run", "claude", "hello", "--events", "-"]);
        inert(&run.exits(code).stdout);
        inert(&run.stderr);
    }
    for name in [EVIL, "\u{1b}[31mred"] {
        for args in [
            &["run", name, "x"][..],
            &["sessions", "show", name],
            &["skills", "show", name],
            &["schema", name],
            &["prioritize", name],
            &["--config", name, "agents"],
            &[name],
        ] {
            let run = sandbox.run(args);
            run.exits(2);
            inert(&run.stderr);
            inert(&run.stdout);
        }
    }
}

#[test]
fn f81_p15_s11_a_report_has_no_link_image_or_html_of_theirs() {
    use pulldown_cmark::{Event, Options, Parser, Tag};
    let sandbox = hostile_debate();
    sandbox.run(&["prioritize", "backlog.json"]);
    let id = &sandbox.run(&["sessions", "list"]).json_ids()[0];
    let report = sandbox.run(&["sessions", "show", id, "--format", "md"]).exits(0).stdout.clone();
    assert!(report.contains("evil"));
    for event in Parser::new_ext(&report, Options::all()) {
        let active = matches!(
            event,
            Event::Html(_)
                | Event::InlineHtml(_)
                | Event::Start(Tag::Link { .. } | Tag::Image { .. } | Tag::HtmlBlock)
        );
        assert!(!active, "{event:?}\n{report}");
    }
}

#[test]
fn f84_s13_files_are_private_whatever_the_umask() {
    let sandbox = Sandbox::new();
    sandbox.six();
    let run = shell(
        &sandbox,
        "umask 000; exec \"$0\" \"$@\"",
        &["prioritize", "backlog.json", "--events", "events.jsonl"],
        &sandbox.project(),
    );
    run.exits(0);
    let run = shell(&sandbox, "umask 000; exec \"$0\" \"$@\"", &["init"], &sandbox.project());
    run.exits(0);
    let mut seen = 0;
    let mut private = files(&sandbox.project().join(".debate"));
    private.push(sandbox.project().join(".debate"));
    private.push(sandbox.project().join("events.jsonl"));
    private.extend(files(&sandbox.home().join(".local")));
    for path in private {
        let mode = fs::symlink_metadata(&path).unwrap().permissions().mode() & 0o777;
        if path.ends_with(".local") || path.ends_with(".local/state") {
            continue;
        }
        let wanted = if path.is_dir() { 0o700 } else { 0o600 };
        assert_eq!(mode & 0o077, 0, "{} is {mode:o}, not {wanted:o}", path.display());
        seen += 1;
    }
    assert!(seen > 8, "{seen}");
}

#[test]
fn f90_s19_an_agent_that_runs_debate_agent_is_refused() {
    let script = format!(
        "mkdir \"$fake/nested.once\" && for line in 'run claude hi' 'prioritize backlog.json' 'prioritize backlog.json --rehearse' 'doctor --live'; do\n\
         (cd {project} && {BIN} $line) >>$fake/nested.out 2>&1; echo $? >>$fake/nested.codes\ndone\n",
        project = "\"$fake/../../project\"",
    );
    let sandbox = Sandbox::new().fake("r1_champion.sh", &script);
    sandbox.six();
    sandbox.run(&["prioritize", "backlog.json"]).exits(0);
    let read = |name: &str| fs::read_to_string(sandbox.home().join(".fake").join(name)).unwrap();
    assert_eq!(read("nested.codes"), "3\n3\n3\n3\n", "{}", read("nested.out"));
    assert!(read("nested.out").contains("started by an agent of debate-agent"));
    assert_eq!(sandbox.calls().len(), 3, "{:?}", sandbox.ledger());
}

#[test]
fn s24_a_program_that_others_could_have_put_there_is_refused() {
    let script = fs::read_to_string(fixture("bin/claude")).unwrap();
    let place = |dir: &Path| {
        fs::create_dir_all(dir).unwrap();
        let file = dir.join("claude");
        fs::write(&file, &script).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    };
    let system = "/usr/local/bin:/usr/bin:/bin";
    let bin = fixture("bin").display().to_string();
    let inside = Sandbox::new();
    place(&inside.project());
    place(&inside.project().join("tools"));
    place(&inside.home().join("shared"));
    fs::set_permissions(inside.home().join("shared"), fs::Permissions::from_mode(0o777)).unwrap();
    let project = inside.project().display().to_string();
    let home = inside.home().display().to_string();
    for (path, code) in [
        // Empty and relative entries are skipped, so the real one is found.
        (format!(":.:tools:{bin}:{system}"), 0),
        (format!(".:{system}"), 3),
        (format!("{project}:{bin}:{system}"), 3),
        (format!("{project}/tools:{bin}:{system}"), 3),
        (format!("{home}/shared:{bin}:{system}"), 3),
    ] {
        let mut command = inside.command(&["run", "claude", "hello", "--json"]);
        command.env("PATH", &path);
        let run = Sandbox::finish(command.output().unwrap());
        run.exits(code);
        if code == 3 {
            let document = run.json();
            let code = document["error"]["code"].as_str().unwrap();
            assert!(code.starts_with("agent_"), "{path}: {document}");
        }
    }
    assert_eq!(inside.calls().len(), 1);
}

#[test]
fn s5_a_name_that_looks_like_a_flag_is_never_one() {
    for config in [
        r#"{"agents": {"gemini": {"model": "--yolo"}}}"#,
        r#"{"agents": {"claude": {"model": "-x"}}}"#,
        r#"{"agents": {"codex": {"effort": "--full-auto"}}}"#,
        r#"{"roles": {"backlog-critic": {"model": "--dangerously-bypass-approvals-and-sandbox"}}}"#,
        r#"{"agents": {"codex": {"model": "x\n--yolo"}}}"#,
    ] {
        let sandbox = Sandbox::new();
        sandbox.six();
        sandbox.write("debate-agent.config.json", config);
        sandbox.run(&["prioritize", "backlog.json"]).exits(2);
        assert!(sandbox.calls().is_empty(), "{config}");
    }
    let sandbox = Sandbox::new();
    sandbox.run(&["run", "--", "--yolo", "hello"]).exits(2).says("no agent `--yolo`");
}
