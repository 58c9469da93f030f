//! The checks before anything is paid: the minimum budget, and the logins.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use serde_json::json;

use crate::support::reviews::agreeing;
use crate::support::table::each_of;
use crate::support::{Run, Sandbox};

/// Every command that asks agents, with its arguments.
const COMMANDS: [&[&str]; 8] = [
    &["prioritize", "backlog.json"],
    &["debate", "REST or gRPC?"],
    &["review"],
    &["plan", "Add a cache"],
    &["discuss", "brief.md"],
    &["discover", "--type", "feature"],
    &["run", "codex", "hello"],
    &["outline", "REST or gRPC?", "--run"],
];

fn stocked() -> Sandbox {
    let sandbox = agreeing();
    sandbox.six();
    sandbox.write("brief.md", "# Brief\n\nAll of it.\n");
    sandbox
}

/// Makes the login checks of this CLI fail; `check.sh` is sourced instead of them.
fn logs_out(sandbox: &Sandbox, cli: &str) {
    fs::write(sandbox.home().join(format!(".fake/logged_out.{cli}")), "").unwrap();
}

fn checks(sandbox: &Sandbox) -> Vec<String> {
    let probes = fs::read_to_string(sandbox.home().join(".fake/probes")).unwrap_or_default();
    let mut probes: Vec<String> = probes.lines().map(str::to_owned).collect();
    probes.sort();
    probes
}

#[track_caller]
fn asked_nobody(sandbox: &Sandbox, what: &str) {
    assert_eq!(sandbox.ledger(), [""; 0], "{what}");
    assert!(sandbox.sessions().is_empty(), "{what}");
}

#[test]
fn who_is_logged_out_is_named_with_the_mend_before_anything_is_paid() {
    // In a critique another agent steps in for the one that is logged out.
    let commands = COMMANDS.map(|command| (command != ["discuss", "brief.md"]).then_some(command));
    each_of(&commands, |command| {
        let Some(command) = command else { return };
        let what = command.join(" ");
        let sandbox = stocked();
        for cli in ["claude", "codex"] {
            logs_out(&sandbox, cli);
        }
        let text = sandbox.run(command);
        text.exits(3).says("not logged in").says("limits.check_logins=false");
        let error = sandbox.run(&[command, &["--json"][..]].concat()).exits(3).json();
        assert_eq!(error["error"]["code"], "not_logged_in", "{what}");
        // Screen and document have the same text.
        text.says(error["error"]["message"].as_str().unwrap());
        asked_nobody(&sandbox, &what);
        // A refusal is not remembered: after a login the command works at once.
        for cli in ["claude", "codex"] {
            fs::remove_file(sandbox.home().join(format!(".fake/logged_out.{cli}"))).unwrap();
        }
        sandbox.run(command);
        assert!(!sandbox.calls().is_empty(), "{what}");
    });
}

#[test]
fn only_those_are_looked_at_who_would_be_asked() {
    let sandbox = stocked();
    logs_out(&sandbox, "codex");
    sandbox.run(&["run", "claude", "hello"]).exits(0);
    assert_eq!(checks(&sandbox), ["claude login"]);
    let run = sandbox.run(&["review"]);
    run.exits(3)
        .says("codex is not logged in")
        .says("codex: run `codex login`, or set CODEX_API_KEY");
    assert!(!run.stderr.contains("claude is"), "{}", run.stderr);
    assert_eq!(sandbox.ledger(), ["claude none"]);
    // One agent that may step in for it is enough.
    let sandbox = stocked().config(r#"{"agents": {"codex": {"fallback": ["gemini"]}}}"#);
    sandbox.six();
    logs_out(&sandbox, "codex");
    let run = sandbox.run(&["prioritize", "backlog.json"]);
    assert!(!sandbox.calls().is_empty(), "{}", run.stderr);
}

#[test]
fn a_key_a_check_that_fails_or_hangs_and_the_user_s_word_refuse_nobody() {
    let out = |sandbox: Sandbox| {
        logs_out(&sandbox, "codex");
        sandbox
    };
    let check = |text: &str| {
        let sandbox = stocked();
        fs::write(sandbox.home().join(".fake/check.sh"), text).unwrap();
        sandbox
    };
    let cases: [(&str, Sandbox, &[&str]); 5] = [
        ("a key is set", out(stocked().env("CODEX_API_KEY", "sk-1")), &[]),
        ("the user says so", out(stocked()), &["--set", "limits.check_logins=false"]),
        ("it fails", check("echo 'error: no such command' >&2; exit 2"), &[]),
        ("it dies", check("kill -9 $$"), &[]),
        ("it hangs", check("sleep 60"), &[]),
    ];
    for (what, sandbox, more) in cases {
        let run = sandbox.run(&[&["run", "codex", "hello"], more].concat());
        run.exits(0);
        assert_eq!(sandbox.ledger(), ["codex none"], "{what}");
    }
}

#[test]
fn what_was_found_is_remembered_for_some_minutes_in_a_private_file() {
    let sandbox = stocked();
    sandbox.run(&["review"]);
    assert_eq!(checks(&sandbox), ["claude login", "codex login"]);
    sandbox.run(&["prioritize", "backlog.json"]).exits(0);
    assert_eq!(checks(&sandbox).len(), 2);
    let file = sandbox.home().join(".local/state/debate-agent/logins.json");
    let mode = fs::metadata(&file).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode, 0o600);
    // An old entry no longer counts, and neither does an unreadable one.
    let text = fs::read_to_string(&file).unwrap();
    let mut known: serde_json::Map<String, serde_json::Value> =
        serde_json::from_str(&text).unwrap();
    for at in known.values_mut() {
        *at = json!(at.as_i64().unwrap() - 301);
    }
    fs::write(&file, serde_json::to_vec(&known).unwrap()).unwrap();
    sandbox.run(&["prioritize", "backlog.json"]).exits(0);
    assert_eq!(checks(&sandbox).len(), 4);
    fs::write(&file, "no JSON").unwrap();
    sandbox.run(&["prioritize", "backlog.json"]).exits(0);
    assert_eq!(checks(&sandbox).len(), 6);
}

/// The maximum reservation of each job while no cost is known. A round of arguments has a sixth turn only if there is
/// a counter.
#[test]
fn a_default_run_of_each_job_fits_the_default_budget() {
    let sandbox = agreeing();
    sandbox.six();
    sandbox.write("brief.md", "# Brief\n\nOne shop.\n");
    let question = "Redis or the table?";
    for (args, part) in [
        (&["prioritize", "backlog.json"][..], 1.0),
        (&["review"], 1.0),
        (&["plan", "Move the store"], 1.0),
        (&["debate", question], 1.0),
        (&["debate", question, "--style", "argument"], 5.0 / 6.0),
        (&["debate", question, "--style", "panel"], 1.0),
        (&["discuss", "brief.md"], 1.0),
        (&["discover"], 1.0),
    ] {
        let plan = sandbox.run(&[args, &["--dry-run", "--json"]].concat()).exits(0).json();
        let most = plan["estimated_usd_at_most"].as_f64().unwrap() * part;
        assert!(most > 0.0 && most <= plan["budget_usd"].as_f64().unwrap(), "{args:?}: {plan}");
    }
}

/// Four seats may leave something that a vote can settle; two or three never do.
#[test]
fn a_review_counts_a_composition_only_where_one_can_be_asked() {
    let twin = r#"{"agents": {"twin": {"path": "claude", "profile": "claude"}}}"#;
    let sandbox = agreeing().config(twin);
    for (agents, composes) in [
        ("claude,codex", false),
        ("claude,codex,gemini", false),
        ("claude,codex,gemini,twin", true),
    ] {
        let [never, auto, always] = ["never", "auto", "always"].map(|compose| {
            let compose = format!("review.compose={compose}");
            let args = ["review", "--dry-run", "--json", "--agents", agents, "--set", &compose];
            sandbox.run(&args).exits(0).json()["estimated_usd_at_most"].clone()
        });
        assert!(never.as_f64() < always.as_f64(), "{agents}: {never}, {always}");
        assert_eq!(auto, if composes { always } else { never }, "{agents}");
    }
}

#[test]
fn a_rehearsal_and_a_dry_run_look_at_nobody() {
    let sandbox = stocked();
    for cli in ["claude", "codex"] {
        logs_out(&sandbox, cli);
    }
    for more in ["--rehearse", "--dry-run"] {
        for command in &COMMANDS[..6] {
            let run = sandbox.run(&[command, &[more][..]].concat());
            assert_ne!(run.code, 3, "{command:?} {more}: {}", run.stderr);
        }
    }
    assert_eq!(checks(&sandbox), [""; 0]);
    assert_eq!(sandbox.ledger(), [""; 0]);
}

#[test]
fn a_resume_looks_first_and_leaves_the_session_as_it_was() {
    let sandbox = stocked();
    let document =
        sandbox.run(&["prioritize", "backlog.json", "--budget", "0.16", "--json"]).exits(4).json();
    let id = document["session_id"].as_str().unwrap();
    let before = sandbox.run(&["sessions", "show", id, "--json"]).json();
    fs::remove_file(sandbox.home().join(".local/state/debate-agent/logins.json")).unwrap();
    logs_out(&sandbox, "codex");
    let calls = sandbox.ledger();
    let resume = ["sessions", "resume", id, "--budget", "2"];
    sandbox.run(&resume).exits(3).says("codex is not logged in");
    let shown = sandbox.run(&["sessions", "show", id, "--json"]).json();
    assert_eq!((sandbox.ledger(), shown), (calls, before));
}

/// Makes the checks of both CLIs fail and forgets any earlier success.
fn logs_all_out(sandbox: &Sandbox) {
    fs::remove_file(sandbox.home().join(".local/state/debate-agent/logins.json")).unwrap();
    fs::remove_file(sandbox.home().join(".fake/probes")).unwrap();
    for cli in ["claude", "codex"] {
        logs_out(sandbox, cli);
    }
}

#[test]
fn a_resume_that_asks_nobody_looks_at_nobody() {
    let sandbox = stocked();
    let first = sandbox.run(&["review", "--json"]);
    let path = sandbox.journal_path();
    let text = fs::read_to_string(&path).unwrap();
    // The state after a crash that followed the last answer.
    let (kept, closed) = text.trim_end().rsplit_once('\n').unwrap();
    assert!(closed.contains("session.closed"), "{closed}");
    fs::write(&path, format!("{kept}\n")).unwrap();
    logs_all_out(&sandbox);
    let calls = sandbox.ledger();
    let resumed = sandbox.resume(&[]);
    assert_eq!(resumed.code, first.code, "{}", resumed.stderr);
    assert_eq!(resumed.json()["verdict"], first.json()["verdict"]);
    assert_eq!((sandbox.ledger(), checks(&sandbox)), (calls, vec![]));
}

#[test]
fn a_resume_that_asks_again_what_failed_looks_first() {
    let sandbox = stocked().fake("r1_review_s2.json", r#"{"crash": 1}"#);
    let document = sandbox.run(&["review", "--json"]).exits(4).json();
    assert_eq!(document["outcome"], "undecided");
    logs_all_out(&sandbox);
    let calls = sandbox.ledger();
    sandbox.resume(&[]).exits(3).says("not logged in");
    // The budget is checked first.
    refused(&sandbox.resume(&["--budget", "0.01"]));
    assert_eq!(sandbox.ledger(), calls);
}

#[test]
fn a_client_is_told_how_a_login_is_mended() {
    let sandbox = stocked();
    logs_out(&sandbox, "codex");
    let mut mcp = sandbox.mcp();
    let why = mcp.refusal("debate_review", json!({ "question": "Is it safe?" }));
    let run = sandbox.run(&["review", "--json"]).exits(3).json();
    assert!(why.contains(run["error"]["message"].as_str().unwrap()), "{why}");
    assert!(why.contains("run `codex login`"), "{why}");
    asked_nobody(&sandbox, "debate_review");
    mcp.finish().exits(0);
}

/// The error of a budget that is too small, and the sum that it names: `--budget 0.30`.
fn refused(run: &Run) -> (String, String) {
    let error = run.exits(4).json();
    assert_eq!(error["error"]["code"], "budget", "{error}");
    let hint = error["error"]["hint"].to_string();
    let sum = hint.split_once("--budget ").unwrap().1;
    let sum = sum.split_once('`').unwrap().0;
    (error["error"]["message"].to_string(), sum.to_owned())
}

/// D6: a refusal names a sum, and that sum is enough to begin.
#[test]
fn a_budget_below_what_is_needed_from_the_start_is_refused_with_the_sum() {
    let cases: [(&[&str], &str, &str); 8] = [
        (&["prioritize", "backlog.json"], "0.14", "0.15"),
        (&["debate", "REST or gRPC?"], "0.14", "0.15"),
        // A review by one agent and a plan by one decide nothing.
        (&["review"], "0.29", "0.30"),
        (&["plan", "Add a cache"], "0.25", "0.30"),
        // Three of five perspectives are a quorum.
        (&["discuss", "brief.md"], "0.44", "0.45"),
        (&["run", "claude", "hello"], "0.1", "0.15"),
        (&["outline", "REST or gRPC?", "--run"], "0.29", "0.30"),
        (&["review"], "0", "0.30"),
    ];
    each_of(&cases, |(command, little, needed)| {
        let what = command.join(" ");
        let sandbox = stocked();
        let with = |budget: &str| {
            let more = ["--budget", budget, "--json"];
            sandbox.run(&[command, &more[..]].concat())
        };
        let (message, sum) = refused(&with(little));
        assert_eq!(sum, *needed, "{what}");
        assert!(message.contains(&format!("${needed}")), "{what}: {message}");
        asked_nobody(&sandbox, &what);
        assert_eq!(checks(&sandbox), [""; 0], "{what}: the sum is known without asking");
        with(&sum);
        assert!(!sandbox.calls().is_empty(), "{what}");
    });
}

/// If the budget runs out later, the result names the reservation of the next calls and a budget that covers them.
#[test]
fn a_budget_that_ends_names_the_one_that_goes_on() {
    let costly = r#"{"cost": 0.1}"#;
    let cases: [(&[&str], &str); 3] = [
        (&["prioritize", "backlog.json"], "0.25"),
        (&["review"], "0.30"),
        (&["plan", "Add a cache"], "0.30"),
    ];
    each_of(&cases, |(command, budget)| {
        let what = command.join(" ");
        let sandbox = stocked().fake("claude.json", costly);
        let more = ["--budget", budget, "--json"];
        let document = sandbox.run(&[command, &more[..]].concat()).exits(4).json();
        assert_eq!(document["outcome"], "budget", "{what}");
        let short = &document["cost"]["short"];
        let enough = format!("{:.2}", short["budget_usd"].as_f64().unwrap());
        let id = document["session_id"].as_str().unwrap();
        // Screen, document and refusal name the same sum.
        let shown = sandbox.run(&["sessions", "show", id, "--full"]).exits(0).stdout.clone();
        assert!(shown.contains(&format!("--budget {enough}")), "{what}: {shown}");
        let warned = document["warnings"].to_string();
        assert!(warned.contains(&format!("${enough} covers it")), "{what}: {warned}");
        let calls = sandbox.calls().len();
        let resume =
            |budget: &str| sandbox.run(&["sessions", "resume", id, "--budget", budget, "--json"]);
        refused(&resume(budget));
        assert_eq!(sandbox.calls().len(), calls, "{what}");
        resume(&enough);
        assert!(sandbox.calls().len() > calls, "{what}");
    });
}
