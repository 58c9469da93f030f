//! Several runs at once, and the effect of a slow disk on a call.
#![cfg(target_os = "linux")]

use std::collections::BTreeSet;
use std::time::Duration;

use debate_agent::process::Ending;

use crate::support::Sandbox;
use crate::support::process::Stage;

#[test]
fn f50_debates_begun_at_the_same_instant_have_sessions_of_their_own() {
    let sandbox = Sandbox::new().scenario("backlog/consensus-in-one");
    sandbox.six();
    let runs: Vec<_> =
        (0..6).map(|_| sandbox.spawn(&["prioritize", "backlog.json", "--json"])).collect();
    let ids: BTreeSet<String> = runs
        .into_iter()
        .map(|child| {
            let run = Sandbox::finish(child.wait_with_output().unwrap());
            let document = run.exits(0).json();
            assert_eq!(document["verdict"], "decided");
            document["session_id"].as_str().unwrap().to_owned()
        })
        .collect();
    assert_eq!(ids.len(), 6);
    assert_eq!(sandbox.sessions().len(), 6);
    assert_eq!(sandbox.calls().len(), 18);
    // Every full id resolves; their common prefix is refused with a list of them.
    for id in &ids {
        sandbox.run(&["sessions", "show", id]).exits(0);
    }
    let shared = &ids.first().unwrap()[..4];
    let run = sandbox.run(&["sessions", "show", shared]);
    run.exits(2).says("give more of the id");
}

#[test]
fn f49_the_program_makes_one_call_at_a_time_where_one_is_allowed() {
    let sandbox = Sandbox::new().scenario("backlog/consensus");
    sandbox.six();
    sandbox.run(&["prioritize", "backlog.json", "--set", "limits.max_parallel=1"]).exits(0);
    let moment = |call: &crate::support::Call, name: &str| -> f64 {
        call.read(name).trim().parse().unwrap()
    };
    let calls = sandbox.calls();
    for (first, second) in calls.iter().zip(calls.iter().skip(1)) {
        assert!(
            moment(first, "end") <= moment(second, "start"),
            "{} and {} overlap",
            first.turn,
            second.turn
        );
    }
    sandbox.run(&["prioritize", "backlog.json", "--set", "limits.max_parallel=0"]).exits(2);
}

#[tokio::test]
async fn f30_a_disk_that_stalls_us_is_not_charged_to_the_agents_time() {
    // A slow sync blocks everything: one task runs all.
    let stage = Stage::new("")
        .program("/bin/sh", &["-c", "sleep 0.3; echo done"])
        .limits(|limits| limits.timeout = Duration::from_secs(1));
    let stall = async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        std::thread::sleep(Duration::from_millis(2500));
    };
    let ((ran, printed, _), ()) = tokio::join!(stage.run(), stall);
    assert_eq!(ran.ending, Ending::Exited { code: 0 });
    assert_eq!(printed.stdout, b"done\n");
    assert!(ran.took < Duration::from_secs(1), "{:?}", ran.took);
}
