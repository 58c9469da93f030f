//! The fakes alone play every job: with only `fixtures/bin` on PATH a user can try the whole program.

use crate::support::debates::TOPIC;
use crate::support::plans::TASK;
use crate::support::{Sandbox, fixture};

#[test]
fn every_job_goes_the_whole_way_without_a_scenario() {
    let six = fixture("opportunities/six.json");
    let six = six.to_str().unwrap();
    for (args, outcome, turns) in [
        (&["prioritize", six][..], "consensus", "r1/champion r1/critic r1/moderator"),
        (&["review"], "comments", "compose/s1 r1/review/s1 r1/review/s2 r2/cross/s2 validate/s2"),
        (
            &["plan", TASK],
            "accepted",
            "r1/plan/s1 r1/plan/s2 r2/cross/s1 r2/cross/s2 validate/s1 validate/s2",
        ),
        (&["debate", TOPIC, "--style", "dialogue"], "adopted", "r1/propose r1/review"),
        (
            &["debate", TOPIC, "--style", "argument"],
            "consensus_reached",
            "r1/challenge r1/defense r1/proposal r1/reply r1/stances",
        ),
        (
            &["debate", TOPIC, "--style", "panel"],
            "settled",
            "r1/answer/s1 r1/answer/s2 r1/answer/s3 r2/vote/s1 r2/vote/s2 r2/vote/s3",
        ),
        (&["discuss", "src/store.py"], "consensus_reached", "r1/"),
        (&["discover", "--type", "feature"], "", "features"),
        (&["discover", "--type", "quality"], "", ""),
        (&["doctor"], "", ""),
    ] {
        let sandbox = Sandbox::new().planted();
        let run = sandbox.run(&[args, &["--json"]].concat());
        let document = run.exits(0).json();
        if !outcome.is_empty() {
            assert_eq!(document["outcome"], outcome, "{args:?}");
        }
        assert!(sandbox.turns().join(" ").starts_with(turns), "{args:?}: {:?}", sandbox.turns());
        for warning in document["warnings"].as_array().into_iter().flatten() {
            let fine = ["cost_estimated", "perspective_skipped"];
            let code = warning["code"].as_str().unwrap();
            assert!(fine.contains(&code), "{args:?}: {warning}");
        }
    }
}
