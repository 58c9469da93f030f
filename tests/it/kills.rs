//! The program is killed with -9 while its agents work, and resumed until it ends.
#![cfg(target_os = "linux")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::hash::{BuildHasher as _, RandomState};
use std::time::Duration;

use serde_json::Value;

use crate::support::Sandbox;
use crate::support::crash::{decided, warnings};

/// An unpredictable number below `below`.
fn random(below: u64) -> u64 {
    RandomState::new().hash_one(0) % below
}

/// Two rounds, six calls, each long enough to be hit.
fn debate() -> Sandbox {
    let sandbox = Sandbox::new().scenario("backlog/consensus");
    fs::write(sandbox.home().join(".fake/delay"), "0.06").unwrap();
    sandbox.six();
    sandbox
}

/// Resumes the session if there is one, otherwise begins.
fn next_args(sandbox: &Sandbox) -> Vec<String> {
    let begun = sandbox.sessions().into_iter().find(|dir| {
        fs::read_to_string(dir.join("journal.jsonl")).is_ok_and(|text| text.contains('\n'))
    });
    let args = match &begun {
        Some(dir) => {
            let id = dir.file_name().unwrap().to_str().unwrap();
            vec!["sessions", "resume", id, "--json"]
        }
        None => vec!["prioritize", "backlog.json", "--json"],
    };
    args.into_iter().map(str::to_owned).collect()
}

/// Kills a debate `kills` times at random moments, lets it end, and checks it against the fakes' ledger.
fn kill_and_judge(kills: usize, golden: &Value) {
    let sandbox = debate();
    let mut moments = Vec::new();
    for _ in 0..kills {
        let args = next_args(&sandbox);
        let mut child = sandbox.spawn(&args.iter().map(String::as_str).collect::<Vec<_>>());
        let moment = random(900);
        moments.push(moment);
        std::thread::sleep(Duration::from_millis(moment));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let args = next_args(&sandbox);
    let run = sandbox.run(&args.iter().map(String::as_str).collect::<Vec<_>>());
    let what = format!("killed after {moments:?} ms");
    assert_eq!(run.code, 0, "{what}:\n{}\n{}", run.stdout, run.stderr);
    let document = run.json();
    assert_eq!(decided(&document), decided(golden), "{what}");
    sandbox.nobody_is_left();

    sandbox.run(&["sessions", "gc"]).exits(0);
    let mut marked: BTreeMap<String, usize> = BTreeMap::new();
    let (mut turn_of, mut prompts) = (BTreeMap::new(), BTreeSet::new());
    for record in sandbox.journal() {
        let body = &record["body"];
        let key = body["key"].as_str().unwrap_or_default().to_owned();
        match record["type"].as_str().unwrap() {
            "call.intent" => {
                let turn = body["intent"]["turn"].as_str().unwrap();
                turn_of.insert(key, turn.to_owned());
                prompts.insert(body["prompt"].as_str().unwrap().to_owned());
            }
            "call.ambiguous" => *marked.entry(turn_of[&key].clone()).or_default() += 1,
            _ => {}
        }
    }
    // Each prompt is kept once, however often it was asked.
    let kept = fs::read_dir(sandbox.sessions()[0].join("prompts")).unwrap();
    let kept = kept.map(|file| file.unwrap().file_name().into_string().unwrap());
    assert_eq!((kept.collect::<BTreeSet<_>>(), prompts.len()), (prompts, 6), "{what}");
    let mut asked: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for call in sandbox.calls() {
        (asked.entry(call.turn.clone()).or_default()).push(call.read("stdin"));
    }
    assert_eq!(asked.len(), 6, "{what}: six turns");
    for (turn, prompts) in &asked {
        // A fake that was killed while it read its prompt recorded the beginning of it.
        let whole = prompts.iter().max_by_key(|prompt| prompt.len()).unwrap();
        for prompt in prompts {
            assert!(whole.starts_with(prompt), "{what}: {turn} got two prompts");
        }
        let (times, marks) = (prompts.len(), marked.get(turn).copied().unwrap_or(0));
        assert!(times <= 1 + marks, "{what}: {turn} {times} times, {marks} marked");
    }
    let marks: usize = marked.values().sum();
    assert!(marks <= kills, "{what}: {marked:?}");
    let warned: BTreeMap<String, usize> = document["warnings"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|warning| warning["code"] == "possibly_paid_twice")
        .map(|warning| {
            let message = warning["message"].as_str().unwrap();
            let calls = message.split(' ').find_map(|word| word.parse().ok());
            (warning["turn"].as_str().unwrap().to_owned(), calls.unwrap_or(1))
        })
        .collect();
    assert_eq!(warned, marked, "{what}: every mark stands in the result");
}

fn kill_all(rounds: [usize; 5]) {
    let golden = debate().run(&["prioritize", "backlog.json", "--json"]);
    let golden = golden.exits(0).json();
    for kills in rounds {
        kill_and_judge(kills, &golden);
    }
}

#[test]
fn f32_p08_ten_kills_lose_nothing_and_pay_only_the_call_in_flight_again() {
    kill_all([1, 1, 2, 3, 3]);
}

#[test]
fn f32_p08_ten_more_kills_lose_nothing() {
    kill_all([1, 1, 2, 3, 3]);
}

#[test]
fn f32_p08_kills_in_the_recovery_lose_nothing() {
    kill_all([1, 2, 2, 3, 3]);
}

#[test]
fn f32_p08_kills_in_the_recovery_of_a_recovery_lose_nothing() {
    kill_all([1, 1, 2, 3, 4]);
}

/// Kills the program as soon as an agent's complete answer is in the spool.
fn answer_then_hang(turn: &str) {
    let script = format!("{}.1.sh", turn.replace('/', "_"));
    let sandbox =
        Sandbox::new().scenario("backlog/consensus-in-one").fake(&script, "emit; exec sleep 100");
    sandbox.six();
    let mut child = sandbox.spawn(&["prioritize", "backlog.json"]);
    sandbox.until_asked(turn);
    let ends = if turn.contains("critic") { "\"turn.completed\"" } else { "\"type\":\"result\"" };
    sandbox.until("the spool", |sandbox| {
        let last = sandbox.journal().pop().unwrap();
        let spool = sandbox.sessions()[0]
            .join(format!("spool/{}.1.out", last["body"]["key"].as_str().unwrap()));
        last["body"]["intent"]["turn"] == turn
            && fs::read_to_string(spool)
                .is_ok_and(|text| text.contains(ends) && text.ends_with('\n'))
    });
    child.kill().unwrap();
    child.wait().unwrap();
    let document = sandbox.resume(&["--set", "limits.on_ambiguous=fail"]).exits(0).json();
    assert_eq!(sandbox.asked(turn), 1, "{turn} was paid again");
    let codes = warnings(&document);
    assert_eq!(codes.iter().filter(|code| *code == "adopted_after_crash").count(), 1, "{codes:?}");
    assert!(!codes.iter().any(|code| code == "possibly_paid_twice"), "{codes:?}");
    sandbox.nobody_is_left();
}

#[test]
fn f33_f34_an_answer_that_was_complete_at_the_crash_is_adopted_and_not_paid_again() {
    answer_then_hang("r1/champion");
    answer_then_hang("r1/critic");
    answer_then_hang("r1/moderator");
}

#[test]
fn f32_on_ambiguous_fail_stops_and_lets_the_user_decide() {
    let sandbox = Sandbox::new()
        .scenario("backlog/consensus-in-one")
        .fake("r1_critic.1.sh", ": >\"$fake/here\"; exec sleep 100");
    sandbox.six();
    let mut child = sandbox.spawn(&["prioritize", "backlog.json"]);
    sandbox.until_here();
    child.kill().unwrap();
    child.wait().unwrap();
    let refused = sandbox.resume(&["--set", "limits.on_ambiguous=fail"]);
    refused.exits(4).says("r1/critic").says("limits.on_ambiguous=rerun");
    assert_eq!(sandbox.ledger(), ["claude r1/champion", "codex r1/critic"]);
    let document = sandbox.resume(&[]).exits(0).json();
    assert_eq!(sandbox.asked("r1/champion"), 1);
    assert_eq!(sandbox.asked("r1/critic"), 2);
    let codes = warnings(&document);
    assert!(codes.contains(&"possibly_paid_twice".to_owned()), "{codes:?}");
    // The reservation of the lost call is in the total.
    let total = document["cost"]["total_usd"].as_f64().unwrap();
    assert!(total > 0.15, "{total}");
    sandbox.nobody_is_left();
}

#[test]
fn f44_the_lock_of_a_killed_run_is_free_although_its_agent_lives() {
    let sandbox = Sandbox::new()
        .scenario("backlog/consensus-in-one")
        // It survives TERM, through the guard's whole grace.
        .fake("r1_champion.1.sh", "trap '' TERM; : >\"$fake/here\"; sleep 100 & sleep 3; sleep 3");
    sandbox.six();
    let mut child = sandbox.spawn(&["prioritize", "backlog.json"]);
    sandbox.until_here();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!sandbox.alive().is_empty(), "its agent is still there");
    sandbox.resume(&[]).exits(0);
    sandbox.nobody_is_left();
}

#[test]
fn p10_a_guard_killed_in_a_debate_is_a_crashed_call_that_is_made_again() {
    let sandbox = Sandbox::new()
        .scenario("backlog/consensus-in-one")
        .fake("r1_critic.1.sh", "(setsid sleep 100 &); : >\"$fake/here\"; sleep 100");
    sandbox.six();
    let child = sandbox.spawn(&["prioritize", "backlog.json", "--json"]);
    sandbox.until_here();
    let guards = children(child.id());
    assert_eq!(guards.len(), 1, "{guards:?}");
    let guard = rustix::process::Pid::from_raw(guards[0]).unwrap();
    rustix::process::kill_process(guard, rustix::process::Signal::KILL).unwrap();
    let run = Sandbox::finish(child.wait_with_output().unwrap());
    let document = run.exits(0).json();
    assert_eq!(document["verdict"], "decided");
    assert_eq!(sandbox.asked("r1/critic"), 2);
    let crashed = sandbox
        .journal()
        .into_iter()
        .find(|record| record["type"] == "call.result" && record["body"]["ending"] == "guard_lost");
    let failure = &crashed.expect("the lost call is recorded")["body"]["failure"];
    assert!(failure.to_string().contains("crashed"), "{failure}");
    sandbox.nobody_is_left();
}

/// Returns the children of a process.
fn children(parent: u32) -> Vec<i32> {
    fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| {
            let folder = entry.ok()?.path();
            let stat = fs::read_to_string(folder.join("stat")).ok()?;
            let ppid = crate::support::process::stat_field(&stat, 1)?;
            (u32::try_from(ppid) == Ok(parent))
                .then(|| folder.file_name()?.to_str()?.parse().ok())?
        })
        .collect()
}
