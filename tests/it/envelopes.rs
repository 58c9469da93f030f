//! Vendors' envelopes through `prioritize`: every ending is reported as its own class (rows 32 to 42, F53 to F67).
//!
//! The CLI in question is the champion, so that nothing was paid before it.

use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::replies::{SIX, champion, list, ranking, warned};
use crate::support::table::each_of;
use crate::support::{Run, Sandbox, fixture};

/// No waits: other tests cover the number of retries.
const NO_RETRIES: &str = r#"{"limits": {"retries": 0, "grace_seconds": 1}}"#;

/// One retry for each transient class.
const ONE_RETRY: &str = r#"{"limits": {"retries": 1}}"#;

/// The argument that makes a CLI the champion, with a critic of another vendor.
fn seat(cli: &str) -> &'static str {
    match cli {
        "claude" => "champion=claude",
        "codex" => "champion=codex,critic=claude",
        "gemini" => "champion=gemini",
        _ => panic!("no CLI {cli}"),
    }
}

/// Ranks six opportunities, in one round at most, with a CLI as the champion.
fn prioritize(sandbox: &Sandbox, cli: &str, more: &[&str]) -> Run {
    sandbox.six();
    let mut args = vec!["prioritize", "backlog.json", "--json", "--max-rounds", "1"];
    args.extend(["--seat", seat(cli)]);
    args.extend(more);
    sandbox.run(&args)
}

/// Returns the number of calls of the champion.
fn champions(sandbox: &Sandbox) -> usize {
    let calls = sandbox.calls();
    calls.iter().filter(|call| call.turn == "r1/champion").count()
}

/// Asserts that the champion failed with this class, that no other agent was asked and nothing decided.
#[track_caller]
fn failed(what: &str, sandbox: &Sandbox, run: &Run, class: &str, calls: usize) -> Value {
    let document: Value = serde_json::from_str(&run.stdout)
        .unwrap_or_else(|error| panic!("{what}: {error}\n{}{}", run.stdout, run.stderr));
    assert_eq!(document["outcome"], "agent_failure", "{what}\n{}", run.stderr);
    assert_eq!(document["verdict"], "undecided", "{what}");
    assert_eq!(document["rounds_used"], 0, "{what}");
    assert_eq!(ranking(&document), SIX, "{what}: the order was left alone");
    let failure = document["seats"][0]["failure"].as_str().unwrap_or_default();
    assert!(failure.starts_with(&format!("{class}: ")), "{what}: {failure}");
    assert_eq!(sandbox.calls().len(), calls, "{what}: {:?}", sandbox.ledger());
    assert_eq!(champions(sandbox), calls, "{what}");
    document
}

/// Some errors of each vendor, as the real CLIs were measured to print them; all of them: `agent::envelope::tests`.
const ERRORS: [(&str, &str, &str, i32); 11] = [
    ("claude", "not_logged_in", "not_logged_in", 3),
    ("claude", "rate_limited", "rate_limited", 4),
    ("claude", "budget", "quota_exhausted", 4),
    ("claude", "max_turns", "refused_by_policy", 4),
    ("codex", "unknown_model", "unknown_model", 4),
    ("codex", "credit", "quota_exhausted", 4),
    ("codex", "cut", "output_limit", 4),
    ("gemini", "bad_key", "not_logged_in", 3),
    ("gemini", "cut_stream", "crashed", 4),
    ("gemini", "prompt_too_long", "context_too_long", 4),
    ("gemini", "limit_text", "quota_exhausted", 4),
];

/// Whatever the exit code of the CLI (many of these are 0), an error in the envelope is an error.
#[test]
fn a_vendor_s_error_ends_as_what_it_is() {
    each_of(&ERRORS, |(cli, error, class, code)| {
        let what = format!("{cli} {error}");
        let sandbox = Sandbox::new()
            .config(NO_RETRIES)
            .fake("r1_champion.json", &format!("{{\"error\": \"{error}\"}}"));
        let run = prioritize(&sandbox, cli, &[]);
        failed(&what, &sandbox, &run, class, 1);
        assert_eq!(run.code, *code, "{what}\n{}", run.stderr);
    });
}

/// Codex prints `error` events that are warnings; its answer counts.
#[test]
fn a_warning_that_looks_like_an_error_is_none() {
    let sandbox = Sandbox::new().fake("r1_champion.json", "{\"error\": \"warning\"}");
    let run = prioritize(&sandbox, "codex", &[]);
    assert_eq!(run.exits(0).json()["verdict"], "decided");
    assert_eq!(champions(&sandbox), 1);
}

/// Transient failures are asked once more, all others never: by the ledger.
#[test]
fn f65_f66_f67_only_passing_failures_are_retried() {
    let cases = [
        ("claude", "rate_limited", "rate_limited", 2),
        ("claude", "overloaded", "overloaded", 2),
        ("claude", "interrupted", "crashed", 2),
        ("claude", "empty", "empty_reply", 2),
        ("codex", "server_error", "overloaded", 2),
        ("codex", "empty", "empty_reply", 2),
        ("gemini", "overloaded", "overloaded", 2),
        ("gemini", "silent", "empty_reply", 2),
        ("claude", "limit_text", "quota_exhausted", 1),
        ("codex", "limit_text", "quota_exhausted", 1),
        ("gemini", "limit_text", "quota_exhausted", 1),
        ("claude", "bad_key", "not_logged_in", 1),
        ("codex", "not_logged_in", "not_logged_in", 1),
        ("gemini", "not_logged_in", "not_logged_in", 1),
        ("claude", "credit", "quota_exhausted", 1),
        ("claude", "prompt_too_long", "context_too_long", 1),
    ];
    each_of(&cases, |(cli, error, class, calls)| {
        let what = format!("{cli} {error}");
        let sandbox = Sandbox::new()
            .config(ONE_RETRY)
            .fake("r1_champion.json", &format!("{{\"error\": \"{error}\"}}"));
        let run = prioritize(&sandbox, cli, &[]);
        failed(&what, &sandbox, &run, class, *calls);
    });
}

/// An answer *about* limits, keys and errors is an answer: text decides nothing where there are blocks.
#[test]
fn t34_words_about_limits_in_a_real_answer_decide_nothing() {
    let words = "You've hit your limit. 429 Too Many Requests; unauthorized; not logged in.\n";
    let sandbox =
        Sandbox::new().fake("r1_champion.txt", &format!("{words}{}", champion(&list(&SIX))));
    let run = prioritize(&sandbox, "claude", &[]);
    assert_eq!(run.exits(0).json()["verdict"], "decided");
    assert_eq!(champions(&sandbox), 1);
}

#[test]
fn t32_f63_an_empty_answer_is_retried_once_and_both_calls_are_counted() {
    let sandbox = Sandbox::new().fake("r1_champion.1.json", "{\"error\": \"empty\"}");
    let document = prioritize(&sandbox, "claude", &[]).exits(0).json();
    assert_eq!(champions(&sandbox), 2);
    assert_eq!(document["session"]["rounds"][0]["champion_cost_usd"], 0.02);
    let sandbox = Sandbox::new().fake("r1_champion.txt", " \n\t\n");
    let run = prioritize(&sandbox, "claude", &[]);
    let document = failed("blank", &sandbox, run.exits(4), "empty_reply", 2);
    assert_eq!(document["cost_usd"], 0.02);
}

#[test]
fn t37_an_answer_on_standard_error_alone_is_no_answer() {
    for cli in ["claude", "codex", "gemini"] {
        let sandbox = Sandbox::new()
            .config(NO_RETRIES)
            .fake("r1_champion.sh", "cat \"$answer\" >&2; exit 0\n");
        let run = prioritize(&sandbox, cli, &[]);
        failed(cli, &sandbox, run.exits(4), "empty_reply", 1);
    }
}

/// An agent that prints plain text, as no vendor's JSON can contain such bytes.
#[test]
fn t38_bytes_that_are_not_utf8_are_noted_outside_and_asked_again_inside_a_block() {
    let program = fixture("bin/claude").display().to_string();
    let config = format!(
        r#"{{"agents": {{"plain": {{"profile": "generic", "path": "{program}", "args": ["-p"], "declared_cost_usd": 0.01}}}}}}"#
    );
    let reply = champion(&list(&SIX));
    let broken = |place: &str| reply.replacen(place, &format!("{place}\u{1}"), 1);
    // The marker byte becomes one that is never part of UTF-8 text.
    let script = "tr '\\001' '\\377' <\"$answer\"; exit 0\n";
    for (place, calls, code) in
        [("<<<CHAMPION_RANKINGS_END>>>\n", 1, "invalid_utf8"), ("Value", 2, "")]
    {
        let sandbox = Sandbox::new()
            .config(&config)
            .fake("r1_champion.1.txt", &broken(place))
            .fake("r1_champion.1.sh", script);
        sandbox.six();
        let args = ["prioritize", "backlog.json", "--json", "--seat", "champion=plain"];
        let document = sandbox.run(&args).exits(0).json();
        assert_eq!(champions(&sandbox), calls, "{place}");
        assert!(warned(&document, "r1/champion").iter().all(|each| each == code), "{place}");
        if let [_, again, ..] = sandbox.calls().as_slice()
            && again.turn == "r1/champion"
        {
            assert!(again.read("stdin").contains("- invalid_utf8 in CHAMPION_ARGUMENT"));
        }
    }
}

#[test]
fn t40_more_than_the_cap_is_an_error_and_is_never_cut_and_parsed() {
    let config = NO_RETRIES.replacen("{\"limits\": {", "{\"limits\": {\"stdout_bytes\": 4096, ", 1);
    let long = champion(&list(&SIX)) + &"And so on.\n".repeat(1_000);
    let sandbox = Sandbox::new().config(&config).fake("r1_champion.txt", &long);
    let run = prioritize(&sandbox, "claude", &[]);
    failed("over the cap", &sandbox, run.exits(4), "output_limit", 1);
}

/// Row 41: a whole answer counts, and is paid once, whether its CLI then fails or does not end. The exit code says
/// failure, a signal ends it, or it lives on.
#[test]
fn t41_an_answer_after_which_the_cli_said_its_last_word_counts() {
    let by_code = ("r1_champion.json", "{\"exit\": 1}");
    let by_signal = ("r1_champion.sh", "emit; trap - EXIT; finish; kill -SEGV $$\n");
    let hanging = ("r1_champion.sh", "emit; while :; do sleep 1; done\n");
    let rows: Vec<_> = [by_code, by_signal, hanging]
        .into_iter()
        .flat_map(|how| ["claude", "codex", "gemini"].map(|cli| (how, cli)))
        .collect();
    each_of(&rows, |((file, text), cli)| {
        let what = format!("{cli} {text}");
        let sandbox =
            Sandbox::new().fake(file, text).fake("r1_champion.txt", &champion(&list(&SIX)));
        let began = Instant::now();
        let document = prioritize(&sandbox, cli, &[]).exits(0).json();
        assert!(began.elapsed() < Duration::from_secs(40), "{what}: {:?}", began.elapsed());
        assert_eq!(champions(&sandbox), 1, "{what}");
        assert!(warned(&document, "r1/champion").contains(&"bad_ending".to_owned()), "{what}");
    });
}

/// Row 42: without a last word, a time-out leaves a failure.
#[test]
fn t42_an_answer_without_the_last_word_is_a_failure_unless_salvaged() {
    let config =
        NO_RETRIES.replacen('{', r#"{"roles": {"backlog-champion": {"timeout_seconds": 2}}, "#, 1);
    let reply = champion(&list(&SIX));
    let sandbox = Sandbox::new()
        .config(&config)
        .fake("r1_champion.txt", &reply)
        .fake("r1_champion.sh", "emit | grep -v turn.completed; while :; do sleep 1; done\n");
    let run = prioritize(&sandbox, "codex", &[]);
    failed("codex", &sandbox, run.exits(4), "timed_out", 1);
    assert!(sandbox.answers().iter().any(|each| each.trim() == reply.trim()), "kept");
    let document = prioritize(&sandbox, "codex", &["--set", "limits.salvage=true"]).exits(0).json();
    assert!(warned(&document, "r1/champion").contains(&"salvaged".to_owned()));
}

/// A torn envelope cannot be salvaged: there is no whole answer.
#[test]
fn t42_half_an_answer_is_not_salvaged() {
    let sandbox =
        Sandbox::new().config(NO_RETRIES).fake("r1_champion.sh", "emit | head -c 300; exit 1\n");
    let run = prioritize(&sandbox, "claude", &["--set", "limits.salvage=true"]);
    failed("torn", &sandbox, run.exits(4), "crashed", 1);
}

#[test]
fn a_daemon_with_a_cleared_environment_is_ended_and_the_answer_counts() {
    for cli in ["claude", "codex", "gemini"] {
        let sandbox = Sandbox::new();
        let pid = sandbox.home().join("daemon.pid");
        let script = format!(
            "(env -i PATH=\"$PATH\" setsid sh -c 'echo $$ >{0}; exec sleep 1000' </dev/null >/dev/null 2>&1 &)\nuntil [ -s {0} ]; do sleep 0.01; done\n",
            pid.display()
        );
        let sandbox = sandbox.fake("r1_champion.sh", &script);
        let document = prioritize(&sandbox, cli, &[]).exits(0).json();
        assert_eq!(document["verdict"], "decided", "{cli}");
        assert!(warned(&document, "r1/champion").contains(&"survivors_killed".to_owned()), "{cli}");
        let pid = std::fs::read_to_string(pid).unwrap();
        let left = std::fs::read(format!("/proc/{}/cmdline", pid.trim())).unwrap_or_default();
        assert!(!left.starts_with(b"sleep\x001000"), "{cli}: the daemon lives on as {pid}");
    }
}

#[test]
fn f08_a_child_that_holds_the_output_open_delays_the_answer_no_longer_than_the_drain() {
    let sandbox = Sandbox::new().fake("r1_champion.sh", "setsid sleep 1000 &\n");
    let began = Instant::now();
    let document = prioritize(&sandbox, "claude", &[]).exits(0).json();
    assert!(began.elapsed() < Duration::from_secs(20));
    assert!(warned(&document, "r1/champion").contains(&"leaked_output_handle".to_owned()));
}

/// A block over its own cap is asked for again, shorter.
#[test]
fn t40_a_block_over_the_cap_is_asked_for_again() {
    let words = "Value. ".repeat(200_000);
    let long = champion(&list(&SIX)).replacen("Value before effort.", &words, 1);
    let sandbox = Sandbox::new().fake("r1_champion.1.txt", &long);
    prioritize(&sandbox, "claude", &[]).exits(0);
    assert_eq!(champions(&sandbox), 2);
    let again = sandbox.calls()[1].read("stdin");
    assert!(again.contains("- output_limit in CHAMPION_ARGUMENT: the block has 1"), "{again}");
}

/// Row 4 holds only where the model was not cut: a cut list is complete JSON by chance alone.
#[test]
fn t04_an_open_block_of_a_cut_reply_is_asked_again_though_its_json_is_complete() {
    let open = champion(&list(&SIX)).replace("<<<CHAMPION_RANKINGS_END>>>", "");
    for (stop, calls) in [("end_turn", 1), ("max_tokens", 2)] {
        let script = format!(
            "emit | sed 's/\"stop_reason\":\"end_turn\"/\"stop_reason\":\"{stop}\"/'; exit 0\n"
        );
        let sandbox =
            Sandbox::new().fake("r1_champion.1.txt", &open).fake("r1_champion.1.sh", &script);
        prioritize(&sandbox, "claude", &[]).exits(0);
        assert_eq!(champions(&sandbox), calls, "{stop}");
        if calls == 2 {
            let again = sandbox.calls()[1].read("stdin");
            assert!(again.contains("the reply was cut at the output limit"), "{again}");
            assert!(again.contains("write less prose this time"), "{again}");
        }
    }
}
