//! Signals and closed streams, through the binary with slow fakes: the data saved, the processes killed, the time
//! taken.
#![cfg(target_os = "linux")]

use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::support::Sandbox;
use crate::support::live::{Process, shell, until, until_paused};

/// Grace is 5 s by default; the measured time may take a second more, and the machine is busy.
const GRACE_AND_MORE: Duration = Duration::from_secs(9);

fn sessions(sandbox: &Sandbox) -> serde_json::Value {
    sandbox.run(&["sessions", "list", "--json"]).exits(0).json()
}

/// Ends a debate in its second call, and checks its exit code and the time taken.
fn interrupted(signal: Signal, code: i32) -> Sandbox {
    let sandbox = Sandbox::new().fake("r1_critic.json", r#"{"delay": 60}"#);
    sandbox.six();
    let live = sandbox.start(&["prioritize", "backlog.json", "--json"]);
    sandbox.until_calls(2);
    let before = Instant::now();
    live.send(signal);
    let run = live.finish();
    assert!(before.elapsed() < GRACE_AND_MORE, "{:?}", before.elapsed());
    run.says("stopping: running agents get a moment to finish")
        .says("critic (codex): stopped without an answer");
    let document = run.exits(code).json();
    assert_eq!(document["outcome"], "interrupted");
    assert_eq!(document["verdict"], "undecided");
    assert_eq!(document["completed_at"], serde_json::Value::Null);
    sandbox.nothing_lives();
    sandbox
}

#[test]
fn f45_ctrl_c_saves_and_a_resume_ends_as_an_uninterrupted_run_would() {
    let sandbox = interrupted(Signal::INT, 130);
    let listed = sessions(&sandbox);
    assert_eq!(listed["sessions"].as_array().unwrap().len(), 1);
    assert_eq!(listed["sessions"][0]["status"], "suspended");
    let id = listed["sessions"][0]["session_id"].as_str().unwrap();

    std::fs::remove_file(sandbox.home().join(".fake/scenario/r1_critic.json")).unwrap();
    let resumed = sandbox.run(&["sessions", "resume", id, "--json"]).exits(0).json();
    assert_eq!(
        sandbox.ledger(),
        ["claude r1/champion", "codex r1/critic", "codex r1/critic", "claude r1/moderator"],
        "the champion's answer was not paid again"
    );

    let calm = Sandbox::new();
    calm.six();
    let straight = calm.run(&["prioritize", "backlog.json", "--json"]).exits(0).json();
    for field in ["outcome", "verdict", "quorum", "rounds_used"] {
        assert_eq!(resumed[field], straight[field], "{field}");
    }
    let order = |document: &serde_json::Value| -> Vec<String> {
        let ranked = document["ranked_opportunities"].as_array().unwrap();
        ranked
            .iter()
            .map(|item| item["opportunity_id"].to_string() + &item["title"].to_string())
            .collect()
    };
    assert_eq!(order(&resumed), order(&straight));
}

#[test]
fn f47_term_ends_with_143_and_saves() {
    let sandbox = interrupted(Signal::TERM, 143);
    assert_eq!(sessions(&sandbox)["sessions"][0]["status"], "suspended");
}

#[test]
fn f47_a_hangup_ends_with_129_and_saves() {
    let sandbox = interrupted(Signal::HUP, 129);
    assert_eq!(sessions(&sandbox)["sessions"][0]["status"], "suspended");
}

#[test]
fn f47_a_hangup_is_ignored_where_nohup_says_so() {
    let sandbox = Sandbox::new().slow("1");
    sandbox.six();
    let script = "trap '' HUP; \"$0\" \"$@\" & sleep 1.5; kill -HUP $!; wait $!";
    let run =
        shell(&sandbox, script, &["prioritize", "backlog.json", "--json"], &sandbox.project());
    assert_eq!(run.exits(0).json()["outcome"], "consensus");
}

#[test]
fn f46_ctrl_c_twice_kills_at_once_what_ignores_the_first() {
    let sandbox = Sandbox::new().fake("r1_champion.sh", "trap '' TERM INT\nsleep 60\n");
    sandbox.six();
    sandbox.write("debate-agent.config.json", r#"{"limits": {"grace_seconds": 5}}"#);
    let live = sandbox.start(&["prioritize", "backlog.json", "--json"]);
    until("the sleep of the fake", || {
        sandbox.processes().iter().any(|process| process.command.starts_with("sleep 60"))
    });
    live.send(Signal::INT);
    std::thread::sleep(Duration::from_millis(300));
    assert!(!live.fakes().is_empty(), "it ignores the first one");
    let before = Instant::now();
    live.send(Signal::INT);
    let run = live.finish();
    // The promise is one second, and the grace that it must not wait for is 5 s.
    assert!(before.elapsed() < Duration::from_millis(2500), "{:?}", before.elapsed());
    run.exits(130);
    sandbox.nothing_lives();
    assert_eq!(sessions(&sandbox)["sessions"][0]["status"], "suspended");
}

#[test]
fn f45_to_f47_a_single_call_is_stopped_alike() {
    for (signal, code) in [(Signal::INT, 130), (Signal::TERM, 143), (Signal::HUP, 129)] {
        let sandbox = Sandbox::new().slow("60");
        let live = sandbox.start(&["run", "claude", "hello", "--json", "--events", "ev.jsonl"]);
        sandbox.until_calls(1);
        let before = Instant::now();
        live.send(signal);
        let run = live.finish();
        assert!(before.elapsed() < GRACE_AND_MORE, "{:?}", before.elapsed());
        run.exits(code);
        sandbox.nothing_lives();
        let events = std::fs::read_to_string(sandbox.project().join("ev.jsonl")).unwrap();
        crate::cli::every_turn_ends(&events);
    }
}

#[test]
fn f48_a_pause_stops_the_agents_and_is_not_charged_to_their_time() {
    let sandbox = Sandbox::new().fake("r1_champion.json", r#"{"delay": 3}"#);
    sandbox.six();
    let live = sandbox.start(&["prioritize", "backlog.json", "--json", "--timeout", "5"]);
    sandbox.until_calls(1);
    live.send(Signal::TSTP);
    until("this program to stop", || live.state() == Some('T'));
    // The guards stop them, each at its own time.
    until_paused(&live);
    // Longer than the time limit, with nothing running.
    std::thread::sleep(Duration::from_secs(6));
    assert!(live.fakes().iter().all(Process::paused));
    live.send(Signal::CONT);
    let document = live.finish().exits(0).json();
    assert_eq!(document["outcome"], "consensus");
    assert_eq!(sandbox.calls().len(), 3, "nothing was asked twice");
    sandbox.nothing_lives();
}

#[test]
fn f48_a_paused_run_is_ended_by_ctrl_c_once_it_goes_on() {
    let sandbox = Sandbox::new().slow("60");
    let live = sandbox.start(&["run", "claude", "hello"]);
    sandbox.until_calls(1);
    live.send(Signal::TSTP);
    until("this program to stop", || live.state() == Some('T'));
    live.send(Signal::INT);
    live.send(Signal::CONT);
    live.finish().exits(130);
    sandbox.nothing_lives();
}

#[test]
fn f26_a_closed_standard_output_is_a_quiet_success() {
    for args in [
        &["prioritize", "backlog.json"][..],
        &["prioritize", "backlog.json", "--json"],
        &["config", "schema"],
        &["skills", "show", "backlog-critic"],
        &["completions", "bash"],
        &["--help"],
    ] {
        let sandbox = Sandbox::new();
        sandbox.six();
        // `true` reads nothing, so the pipe is closed before anything is written.
        let script = "\"$0\" \"$@\" | true; exit ${PIPESTATUS[0]}";
        let run = shell(&sandbox, script, args, &sandbox.project());
        run.exits(0);
        for noise in ["panick", "Broken pipe", "error"] {
            assert!(!run.stderr.contains(noise), "{args:?}: {}", run.stderr);
        }
        if args[0] == "prioritize" {
            assert_eq!(
                sessions(&sandbox)["sessions"][0]["outcome"],
                "consensus",
                "the result is safe"
            );
        }
    }
}

#[test]
fn f26_events_into_head_end_quietly_and_can_be_resumed() {
    let sandbox = Sandbox::new().slow("0.2");
    sandbox.six();
    let script = "\"$0\" \"$@\" | head -n 1; exit ${PIPESTATUS[0]}";
    let run = shell(
        &sandbox,
        script,
        &["prioritize", "backlog.json", "--events", "-"],
        &sandbox.project(),
    );
    run.exits(0);
    assert_eq!(run.stdout.lines().count(), 1);
    assert!(!run.stderr.contains("error"), "{}", run.stderr);
    sandbox.nothing_lives();
    let listed = sessions(&sandbox);
    let id = listed["sessions"][0]["session_id"].as_str().unwrap();
    let paid = sandbox.calls().len();
    let document = sandbox.run(&["sessions", "resume", id, "--json"]).exits(0).json();
    assert_eq!(document["outcome"], "consensus");
    assert!(sandbox.calls().len() <= paid + 3);
}

#[test]
fn f27_a_closed_standard_error_does_not_end_the_run() {
    for script in [
        "exec \"$0\" \"$@\" 2>&-",
        "exec \"$0\" \"$@\" 2> >(true)",
        "exec \"$0\" \"$@\" 2>/dev/full",
    ] {
        let sandbox = Sandbox::new().slow("0.2");
        sandbox.six();
        let run =
            shell(&sandbox, script, &["prioritize", "backlog.json", "--json"], &sandbox.project());
        assert_eq!(run.exits(0).json()["outcome"], "consensus", "{script}");
        assert_eq!(sandbox.calls().len(), 3);
    }
}

#[test]
fn f15_an_agent_has_no_terminal_to_ask_at() {
    let sandbox = Sandbox::new().fake(
        "r1_champion.sh",
        "if (: </dev/tty) 2>/dev/null; then echo opened; else echo refused; fi >$fake/tty\n",
    );
    sandbox.six();
    // `script` gives the program a terminal of its own, which the agent must not inherit.
    let line = "exec script -qec \"$0 prioritize backlog.json\" /dev/null";
    let run = shell(&sandbox, line, &[], &sandbox.project());
    run.exits(0);
    assert_eq!(std::fs::read_to_string(sandbox.home().join(".fake/tty")).unwrap(), "refused\n");
}
