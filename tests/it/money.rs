//! The cost of a debate, by the fakes' own figures: F66 to F71, P5, P6, P8.

use serde_json::Value;

use crate::support::replies::{
    SIX, champion, critic, each, list, moderator, prioritize, ranking, status, warned,
};
use crate::support::reviews::agreeing;
use crate::support::table::each_of;
use crate::support::{Run, Sandbox};

fn resume(sandbox: &Sandbox, document: &Value, more: &[&str]) -> Run {
    let id = document["session_id"].as_str().unwrap();
    sandbox.run(&[&["sessions", "resume", id, "--json"], more].concat())
}

/// A CLI's figures in millionths, so that sums are exact.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small sums")]
fn micros(value: &Value) -> u64 {
    (value.as_f64().unwrap() * 1e6).round() as u64
}

/// Returns the journal's charges, call by call: role, millionths, basis.
fn charged(sandbox: &Sandbox) -> Vec<(String, u64, String)> {
    let journal = sandbox.journal();
    let role = |key: &Value| {
        let intent = journal
            .iter()
            .find(|record| record["type"] == "call.intent" && record["body"]["key"] == *key);
        intent.unwrap()["body"]["intent"]["role"].as_str().unwrap().to_owned()
    };
    journal
        .iter()
        .filter(|record| record["type"] == "call.result")
        .map(|record| &record["body"])
        .map(|body| {
            (
                role(&body["key"]),
                micros(&body["cost"]["usd"]),
                body["cost"]["basis"].as_str().unwrap().to_owned(),
            )
        })
        .collect()
}

/// P6: the result, the journal and the rounds agree on one sum, and the ledger has as many calls.
#[track_caller]
fn adds_up(sandbox: &Sandbox, document: &Value) -> u64 {
    let charged = charged(sandbox);
    let sum: u64 = charged.iter().map(|(_, usd, _)| usd).sum();
    assert_eq!(micros(&document["cost"]["total_usd"]), sum, "{charged:?}");
    assert_eq!(document["cost_usd"], document["cost"]["total_usd"]);
    assert_eq!(document["session"]["total_cost_usd"], document["cost"]["total_usd"]);
    assert_eq!(charged.len(), sandbox.calls().len(), "each call is charged once");
    sum
}

#[test]
fn f66_a_rate_limit_that_passes_makes_two_calls_and_both_are_counted() {
    // Codex reports no cost, so the call that answers is charged the champion's reservation; the refused one is free.
    for (agents, cost) in [("champion=claude", 10_000), ("champion=codex,critic=claude", 150_000)] {
        let sandbox = Sandbox::new().fake("r1_champion.1.json", "{\"error\": \"rate_limited\"}");
        let document = prioritize(&sandbox, &["--seat", agents]).exits(0).json();
        let calls = sandbox.calls();
        assert_eq!(calls.iter().filter(|call| call.turn == "r1/champion").count(), 2, "{agents}");
        assert_eq!(calls[0].read("stdin"), calls[1].read("stdin"), "the same call again");
        assert_eq!(
            micros(&document["session"]["rounds"][0]["champion_cost_usd"]),
            cost,
            "{agents}"
        );
        adds_up(&sandbox, &document);
    }
}

/// A2: a call that a vendor rejects before any work costs nothing, and journal, JSON and screen say so; one that may
/// have done work does.
#[test]
fn a_call_that_is_refused_before_any_work_is_free_and_one_that_may_have_worked_is_not() {
    let broke_off = r#"say '{"type":"error","message":"Reconnecting... 1/5 (stream disconnected before completion)"}'"#;
    for (script, attempts, usd, basis) in [
        ("", 4, 0, "refused"),
        (broke_off, 4, 400_000, "declared"),
        ("kill -9 $$", 4, 400_000, "declared"),
    ] {
        let sandbox = Sandbox::new()
            .fake("r1_critic.json", "{\"error\": \"rate_limited\"}")
            .fake("r1_critic.sh", script);
        let document = prioritize(&sandbox, &[]).exits(4).json();
        let of_critic: Vec<(u64, String)> = (charged(&sandbox).into_iter())
            .filter(|(role, _, _)| role == "critic")
            .map(|(_, usd, basis)| (usd, basis))
            .collect();
        assert_eq!(of_critic, vec![(usd / attempts, basis.to_owned()); 4], "{script}");
        assert_eq!(adds_up(&sandbox, &document), 10_000 + usd, "{script}");
        // The sum has the champion's basis alone if nothing else was paid.
        let of_all = if usd == 0 { "reported" } else { "mixed" };
        assert_eq!(document["cost"]["basis"], of_all, "{script}");
        assert_eq!(
            resume(&sandbox, &document, &[]).exits(4).stderr.contains("refused before any work"),
            usd == 0,
            "{script}"
        );
    }
}

#[test]
fn f67_a_login_that_fails_after_a_paid_call_is_undecided_and_resumes_where_it_was() {
    let sandbox = Sandbox::new().fake("r1_critic.json", "{\"error\": \"not_logged_in\"}");
    let document = prioritize(&sandbox, &[]).exits(4).json();
    assert_eq!(sandbox.ledger(), ["claude r1/champion", "codex r1/critic"], "not retried");
    assert_eq!(document["outcome"], "agent_failure");
    assert_eq!(adds_up(&sandbox, &document), 10_000, "who is not let in has asked nothing");
    sandbox.heal();
    resume(&sandbox, &document, &[]).exits(0);
    assert_eq!(sandbox.ledger()[2..], ["codex r1/critic", "claude r1/moderator"]);
}

/// Without a figure, tokens are priced; without tokens, the reservation is charged. Never nothing.
#[test]
fn f68_an_absent_cost_is_estimated_or_the_reserve_and_says_so() {
    let no_cost = r#"s/"total_cost_usd":[0-9.]*,//"#;
    let no_usage = r#"s/"usage":{[^}]*},//"#;
    for (script, model, basis) in [
        (format!("emit | sed '{no_cost}'; exit 0\n"), "claude-sonnet-4-5", "estimated"),
        (format!("emit | sed '{no_cost}'; exit 0\n"), "no-such-model", "declared"),
        (format!("emit | sed '{no_cost}; {no_usage}'; exit 0\n"), "claude-sonnet-4-5", "declared"),
    ] {
        let sandbox = Sandbox::new()
            .fake("r1_champion.sh", &script)
            .fake("r1_champion.json", &format!("{{\"model\": \"{model}\"}}"));
        let document = prioritize(&sandbox, &[]).exits(0).json();
        let (_, usd, how) = charged(&sandbox).swap_remove(0);
        assert_eq!(how, basis, "{script} {model}");
        // 1,000 tokens in at 3 dollars a million, 200 out at 15; the champion's reservation is 0.15.
        assert_eq!(usd, if basis == "estimated" { 6_000 } else { 150_000 }, "{script} {model}");
        let warnings = document["warnings"].as_array().unwrap();
        let noted = |warning: &&Value| {
            warning["turn"] == "r1/champion" && warning["code"] == "cost_estimated"
        };
        assert!(warnings.iter().any(|warning| noted(&warning)), "{warnings:?}");
        adds_up(&sandbox, &document);
    }
}

#[test]
fn f69_a_cost_that_is_no_amount_charges_the_reserve_and_keeps_the_answer() {
    let costs = [
        "-1",
        "-0.000001",
        "NaN",
        "1e999",
        "1000000000",
        "Infinity",
        "\"0.01\"",
        "\"lots\"",
        "null",
        "{}",
        "[0.01]",
        "true",
    ];
    each_of(&costs, |cost| {
        let script = format!(
            "emit | sed 's/\"total_cost_usd\":[0-9.]*/\"total_cost_usd\":{cost}/'; exit 0\n"
        );
        let sandbox = Sandbox::new().fake("r1_champion.sh", &script);
        let document = prioritize(&sandbox, &[]).exits(0).json();
        assert_eq!(document["verdict"], "decided", "{cost}");
        assert_eq!(warned(&document, "r1/champion"), ["cost_invalid"], "{cost}");
        assert_eq!(
            charged(&sandbox)[0],
            ("champion".to_owned(), 150_000, "declared".to_owned()),
            "{cost}"
        );
        adds_up(&sandbox, &document);
    });
}

#[test]
fn f70_a_budget_that_ends_in_the_first_round_decides_nothing_and_resumes_with_a_higher_one() {
    let sandbox = Sandbox::new();
    let document = prioritize(&sandbox, &["--budget", "0.25"]).exits(4).json();
    assert_eq!(document["outcome"], "budget");
    assert_eq!(document["verdict"], "undecided");
    assert_eq!(document["session"]["stalemate"], true);
    assert_eq!(ranking(&document), SIX);
    assert_eq!(sandbox.ledger(), ["claude r1/champion", "codex r1/critic"]);
    assert_eq!(adds_up(&sandbox, &document), 110_000);
    // The same budget buys nothing more.
    let again = resume(&sandbox, &document, &["--budget", "0.25"]).exits(4).json();
    assert_eq!((again["error"]["code"].as_str(), sandbox.calls().len()), (Some("budget"), 2));
    let finished = resume(&sandbox, &document, &["--budget", "1"]).exits(0).json();
    assert_eq!(sandbox.ledger()[2..], ["claude r1/moderator"], "finished calls are used again");
    assert_eq!(finished["outcome"], "consensus");
    assert_eq!(finished["cost"]["budget_usd"], 1.0);
    assert_eq!(adds_up(&sandbox, &finished), 120_000);
}

#[test]
fn f70_a_budget_that_ends_in_a_later_round_applies_the_last_complete_one() {
    let sandbox =
        Sandbox::new().scenario("backlog/consensus").fake("r1_moderator.json", "{\"cost\": 0.15}");
    let document = prioritize(&sandbox, &["--budget", "0.30"]).exits(1).json();
    assert_eq!(document["outcome"], "budget");
    assert_eq!(document["verdict"], "decided");
    assert_eq!(document["session"]["stalemate"], true);
    assert_eq!(document["rounds_used"], 1);
    let first = &document["session"]["rounds"][0]["moderator_final_rankings"];
    assert_eq!(serde_json::json!(ranking(&document)), *first);
    assert_eq!(sandbox.calls().len(), 4, "{:?}", sandbox.ledger());
    let finished = resume(&sandbox, &document, &["--budget", "2"]).exits(0).json();
    assert_eq!(sandbox.ledger()[4..], ["codex r2/critic", "claude r2/moderator"]);
    assert_eq!(finished["outcome"], "consensus");
    adds_up(&sandbox, &finished);
    p08_no_call_was_made_twice(&sandbox);
}

#[test]
fn f71_an_overspend_is_recorded_in_full_and_the_next_call_is_not_made() {
    let sandbox = Sandbox::new().fake("r1_champion.json", "{\"cost\": 7.125}");
    let document = prioritize(&sandbox, &["--budget", "1"]).exits(4).json();
    assert_eq!(document["outcome"], "budget");
    assert_eq!(sandbox.ledger(), ["claude r1/champion"]);
    assert_eq!(adds_up(&sandbox, &document), 7_125_000);
    // The largest cost of a role's call becomes its next reservation.
    let reserved = resume(&sandbox, &document, &["--budget", "7.2"]).exits(4).json();
    assert_eq!((reserved["error"]["code"].as_str(), sandbox.calls().len()), (Some("budget"), 1));
    resume(&sandbox, &document, &["--budget", "8"]).exits(0);
}

#[test]
fn f70_a_budget_below_the_first_reserve_asks_nobody() {
    let sandbox = Sandbox::new();
    let error = prioritize(&sandbox, &["--budget", "0.1"]).exits(4).json();
    assert_eq!(error["error"]["code"], "budget");
    assert_eq!(sandbox.ledger(), [""; 0]);
    assert!(sandbox.sessions().is_empty());
}

/// The repair is a call like any other: without money for it the run stops, and can be resumed.
#[test]
fn f70_a_budget_that_ends_before_the_repair_suspends_and_the_repair_is_made_later() {
    let sandbox = Sandbox::new()
        .fake("r1_champion.1.txt", "no blocks")
        .fake("r1_champion.1.json", "{\"cost\": 0.2}");
    let document = prioritize(&sandbox, &["--budget", "0.3"]).exits(4).json();
    assert_eq!(document["outcome"], "budget");
    assert_eq!(sandbox.ledger(), ["claude r1/champion"]);
    let finished = resume(&sandbox, &document, &["--budget", "2"]).exits(0).json();
    let calls = sandbox.calls();
    assert_eq!(calls[1].turn, "r1/champion");
    assert!(calls[1].read("stdin").contains("# Your last reply could not be used"));
    assert_eq!(calls.len(), 4);
    adds_up(&sandbox, &finished);
    p08_no_call_was_made_twice(&sandbox);
}

/// P5: the retries, whatever each is for, then the repair: the maximum number of calls of one turn.
#[test]
fn p05_the_calls_of_a_turn_are_bounded() {
    let sandbox = Sandbox::new()
        .fake("r1_champion.1.json", "{\"error\": \"rate_limited\"}")
        .fake("r1_champion.2.json", "{\"error\": \"overloaded\"}")
        .fake("r1_champion.3.json", "{\"crash\": 1}")
        .fake("r1_champion.4.txt", "no blocks")
        .fake("r1_champion.4.json", "{}")
        .fake("r1_champion.5.json", "{\"error\": \"empty\"}")
        .fake("r1_champion.json", "{\"error\": \"overloaded\"}");
    let document = prioritize(&sandbox, &[]).exits(4).json();
    let bound = 1 + 3 + 1; // first, retries, repair
    assert_eq!(sandbox.calls().len(), bound, "{:?}", sandbox.ledger());
    assert_eq!(document["outcome"], "agent_failure");
    adds_up(&sandbox, &document);
}

/// P5, P6, P8 over a whole debate with a retry, a repair, three rounds and figures of its own for each call.
#[test]
fn p05_p06_p08_what_was_spent_is_what_the_clis_said_and_what_the_journal_holds() {
    let mut backwards = SIX;
    backwards.reverse();
    let open = moderator(&each("\"investigate\""), &list(&SIX), &status(true, false));
    let sandbox = Sandbox::new()
        .fake("critic.txt", &critic(&list(&backwards)))
        .fake("r1_champion.1.json", "{\"error\": \"empty\", \"cost\": 0.013001}")
        .fake("r1_champion.2.json", "{\"cost\": 0.017}")
        .fake("r1_moderator.1.txt", "no blocks")
        .fake("r1_moderator.1.json", "{\"cost\": 0.019}")
        .fake("r1_moderator.2.txt", &open)
        .fake("r1_moderator.2.json", "{\"cost\": 0.023}")
        .fake("r2_champion.txt", &champion(&list(&backwards)))
        .fake("r2_champion.json", "{\"cost\": 0.0290005}")
        .fake("r2_moderator.txt", &open)
        .fake("r2_moderator.json", "{\"cost\": 0.031}")
        .fake("r3_champion.json", "{\"cost\": 0.037}")
        .fake("r3_moderator.txt", &open)
        .fake("r3_moderator.json", "{\"cost\": 0}");
    let document = prioritize(&sandbox, &[]).exits(1).json();
    assert_eq!(document["outcome"], "max_rounds");
    assert_eq!(sandbox.calls().len(), 11, "{:?}", sandbox.ledger());
    // Codex's three calls are charged the critic's reservation; half a millionth is rounded up.
    let said = 13_001 + 17_000 + 19_000 + 23_000 + 29_001 + 31_000 + 37_000;
    assert_eq!(adds_up(&sandbox, &document), said + 3 * 100_000);
    let rounds = document["session"]["rounds"].as_array().unwrap();
    let by_round: u64 = rounds
        .iter()
        .flat_map(|round| {
            ["champion", "critic", "moderator"]
                .map(|role| micros(&round[format!("{role}_cost_usd")]))
        })
        .sum();
    assert_eq!(by_round, micros(&document["cost_usd"]));
    assert_eq!(document["cost"]["basis"], "mixed");
}

/// P8: no prompt was sent twice for a turn. (A retry sends the same again, on purpose: not for runs that have one.)
#[track_caller]
fn p08_no_call_was_made_twice(sandbox: &Sandbox) {
    let mut calls: Vec<(String, String)> =
        sandbox.calls().iter().map(|call| (call.turn.clone(), call.read("stdin"))).collect();
    let all = calls.len();
    calls.sort();
    calls.dedup();
    assert_eq!(calls.len(), all, "{:?}", sandbox.ledger());
}

/// The default budget covers a default run of each job, with agents that cost as much as their reservations: claude
/// reports it, gemini's tokens amount to it, and codex, which names no model, is charged its reservation.
#[test]
fn the_default_budget_covers_a_default_run_of_each_job() {
    const JOBS: [&[&str]; 8] = [
        &["prioritize", "backlog.json"],
        &["review"],
        &["plan", "Add a cache"],
        &["debate", "REST or gRPC?"],
        &["debate", "REST or gRPC?", "--style", "argument"],
        &["debate", "REST or gRPC?", "--style", "panel"],
        &["discuss", "brief.md"],
        &["discover", "--type", "feature"],
    ];
    const BUDGET: u64 = 2_500_000;
    each_of(&JOBS, |job| {
        let sandbox = Sandbox::new().planted();
        sandbox.six();
        sandbox.write("brief.md", "# Brief\n\nAll of it.\n");
        let sandbox = sandbox
            .fake("claude.json", "{\"cost\": 0.15}")
            .fake("gemini.json", "{\"input_tokens\": 20000, \"output_tokens\": 12500}");
        let what = job.join(" ");
        let plan = sandbox.run(&[job, &["--dry-run", "--json"][..]].concat()).exits(0).json();
        assert_eq!(micros(&plan["budget_usd"]), BUDGET, "{what}");
        assert!(micros(&plan["estimated_usd_per_round"]) <= BUDGET, "{what}: {plan}");
        let run = sandbox.run(&[job, &["--json"][..]].concat());
        let document = run.json();
        let spent = micros(&document["cost"]["total_usd"]);
        let calls = u64::try_from(sandbox.calls().len()).unwrap();
        assert!(calls > 0 && spent >= calls * 100_000, "{what}: {spent} for {calls} calls");
        assert!(spent <= BUDGET, "{what}: {spent} for {calls} calls");
        assert!(matches!(run.code, 0 | 1), "{what} is decided: {}", run.stderr);
        assert_ne!(document["outcome"], "budget", "{what}");
    });
}

/// An agent with more effort than a role's default reserves more for it, in the dry run and in the journal.
#[test]
fn a_reserve_grows_with_the_effort_of_its_role() {
    for (config, reserve) in [
        ("{}", 150_000),
        (r#"{"roles": {"reviewer": {"effort": "high"}}}"#, 150_000),
        (r#"{"roles": {"reviewer": {"effort": "low"}}}"#, 150_000),
        (r#"{"roles": {"reviewer": {"effort": "xhigh"}}}"#, 300_000),
        (r#"{"agents": {"claude": {"effort": "max"}, "codex": {"effort": "max"}}}"#, 600_000),
    ] {
        let sandbox = agreeing().config(config);
        let plan = sandbox.run(&["review", "--dry-run", "--json"]).exits(0).json();
        let reserves: Vec<u64> = plan["calls"]
            .as_array()
            .unwrap()
            .iter()
            .map(|call| micros(&call["reserve_usd"]))
            .collect();
        assert_eq!(reserves, [reserve; 2], "{config}");
        sandbox.run(&["review"]);
        let intent = sandbox.journal().into_iter().find(|record| record["type"] == "call.intent");
        assert_eq!(micros(&intent.unwrap()["body"]["reservation"]), reserve, "{config}");
    }
}
