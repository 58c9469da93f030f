//! The partner debate end to end: the calls, their arguments, and the result.

use crate::support::Sandbox;

/// Waits, at most ten seconds, until a condition holds.
fn wait_until(what: &str, holds: impl Fn() -> bool) {
    for _ in 0..500 {
        if holds() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    panic!("waited in vain until {what}");
}

#[test]
fn the_private_directory_of_a_call_goes_with_it_also_after_kill_9() {
    let sandbox = Sandbox::new().fake("../delay", "30");
    sandbox.six();
    let empty = || std::fs::read_dir(sandbox.tmp()).unwrap().next().is_none();
    let mut run = sandbox.command(&["prioritize", "backlog.json"]).spawn().unwrap();
    wait_until("the champion is called", || !sandbox.calls().is_empty());
    assert!(!empty());
    run.kill().unwrap();
    run.wait().unwrap();
    wait_until("the guard has cleaned up", empty);
}

#[test]
fn an_interrupted_session_reads_as_interrupted_and_names_the_turn_that_comes_next() {
    let sandbox = Sandbox::new().fake("../delay", "30");
    sandbox.six();
    let run = sandbox.command(&["prioritize", "backlog.json"]).spawn().unwrap();
    wait_until("the champion is called", || !sandbox.calls().is_empty());
    let pid = rustix::process::Pid::from_child(&run);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let code = Sandbox::finish(run.wait_with_output().unwrap()).code;
    assert_eq!(code, 130);
    let id =
        sandbox.run(&["sessions", "list", "--json"]).exits(0).json()["sessions"][0]["session_id"]
            .as_str()
            .unwrap()
            .to_owned();
    let shown = sandbox.run(&["sessions", "show", &id, "--json"]).exits(0).json();
    assert_eq!(shown["outcome"], "interrupted");
    assert_eq!(shown["seats"][0]["status"], "asked", "{shown:#}");
    let status = sandbox.run(&["sessions", "status", &id, "--json"]).exits(0).json();
    assert_eq!(status["next_turns"], serde_json::json!(["r1/champion"]));
}
