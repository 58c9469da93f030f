//! `eval`, end to end: scripted agents of known skill, kills, shards.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::support::replies::block;
use crate::support::{Call, Run, Sandbox, fixture};

/// The members of a case's source.
const SOURCE: [&str; 5] = ["registry", "package", "version", "licence", "how"];

/// Lines of the file of a case; 10 and 30 are changed.
fn lines(change: &str) -> String {
    let line = |number| match number {
        10 | 30 => format!("    value = {change}({number}, total)\n"),
        _ => format!("    step_{number} = {number}\n"),
    };
    (1..=40).map(line).collect()
}

/// Writes a case whose file is `about_NAME.py`.
fn write(sandbox: &Sandbox, name: &str, case: &Value) {
    let mut case = case.clone();
    case["stratum"] = "python/planted".into();
    case["source"] = SOURCE.iter().map(|key| ((*key).to_owned(), json!("x"))).collect();
    sandbox.write(&format!("cases/{name}/case.json"), case.to_string());
}

/// A change of lines 10 and 30; 10 is wrong unless the change is clean.
fn review(sandbox: &Sandbox, name: &str, clean: bool) {
    let file = format!("about_{name}.py");
    let defect =
        json!({"file": file, "from": 10, "to": 10, "what": "It is wrong.", "severity": "P1"});
    let defects = if clean { json!([]) } else { json!([defect]) };
    write(sandbox, name, &json!({"kind": "review", "defects": defects}));
    sandbox.write(&format!("cases/{name}/base/{file}"), lines("old"));
    let patch = diffy::create_patch(&lines("old"), &lines("new")).to_string();
    let patch = patch.replace("--- original", &format!("--- a/{file}"));
    let patch = patch.replace("+++ modified", &format!("+++ b/{file}"));
    sandbox.write(&format!("cases/{name}/change.diff"), patch);
}

/// Makes a turn answer in one case alone.
fn says(sandbox: &Sandbox, name: &str, turn: &str, block_name: &str, body: &Value) {
    let folder = sandbox.home().join(".fake/answers").join(name);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join(format!("{turn}.txt")), block(block_name, &body.to_string())).unwrap();
}

/// Makes a seat find something at these lines.
fn finds(sandbox: &Sandbox, name: &str, seat: u32, at: &[u32]) {
    let finding = |line: &u32| {
        json!({
            "severity": "P1", "title": format!("The call in line {line} is wrong"), "line": line,
            "file": format!("about_{name}.py"), "quote": format!("value = new({line}, total)"),
            "detail": format!("The call in line {line} fails."), "fix": "Use the old one."
        })
    };
    let findings: Vec<Value> = at.iter().map(finding).collect();
    let body = json!({"findings": findings, "residual_risks": [], "open_questions": []});
    says(sandbox, name, &format!("r1_review_s{seat}"), "REVIEW", &body);
}

fn question(sandbox: &Sandbox, name: &str, takes: [&str; 3]) {
    let case = json!({"kind": "question", "question": format!("Which way, about_{name}?"),
        "options": ["the alpha way", "the beta way"], "answer": "the beta way"});
    write(sandbox, name, &case);
    for (seat, (option, letter)) in (1..).zip(takes.iter().zip(["A", "B", "C"])) {
        // All vote for the answer that comes first in the alphabet: that of the first seat.
        let body = json!({"answer": format!("{letter}: {option}"), "option": option,
            "reasons": ["It was measured."], "evidence": [], "confidence": 0.75});
        says(sandbox, name, &format!("r1_answer_s{seat}"), "ANSWER", &body);
    }
}

/// Three scripted agents and eight cases of the tuning part. The first reviewer finds four of five defects; the second
/// three, with two false alarms; the third one. The false alarms are refuted.
fn bench() -> Sandbox {
    let agent = |vendor: &str| {
        json!({"profile": "generic", "path": fixture("bin/fake-agent"), "args": ["claude", "-p"],
            "vendor": vendor, "declared_cost_usd": 0.01})
    };
    let config = json!({
        "agents": {"alpha": agent("acme"), "beta": agent("bolt"), "gamma": agent("core")},
        "review": {"max_rounds": 1, "compose": "never"}
    });
    // The answer of the case that the prompt names, if it has one for this turn.
    let script = r#"for case in "$fake"/answers/*; do
        if grep -q "about_${case##*/}" "$prompt" && [ -f "$case/$turn.txt" ]; then answer=$case/$turn.txt; fi
    done"#;
    let sandbox = Sandbox::new().config(&config.to_string()).fake("claude.sh", script);
    for name in ["one", "two", "four", "five", "six"] {
        review(&sandbox, name, false);
    }
    review(&sandbox, "seven", true);
    for (name, found) in [
        ("one", [&[10][..], &[10], &[10]]),
        ("two", [&[10], &[10, 30], &[]]),
        ("four", [&[10], &[10], &[]]),
        ("five", [&[10], &[], &[]]),
        ("six", [&[], &[], &[]]),
        ("seven", [&[], &[30], &[]]),
    ] {
        for (seat, at) in (1..).zip(found) {
            finds(&sandbox, name, seat, at);
        }
    }
    // The first reviewer refutes the false alarms, the third leaves them open.
    for (name, alarm, others) in [("two", "F2", &["F1"][..]), ("seven", "F1", &[])] {
        let judged = |id: &str, stance: &str, evidence: &str| json!({"id": id, "stance": stance, "reason": "I looked at it.", "evidence": evidence});
        let first = vec![judged(alarm, "disagree", "value = new(30, total)")];
        let mut third = vec![judged(alarm, "unsure", "")];
        third.extend(others.iter().map(|id| judged(id, "agree", "value = new(10, total)")));
        for (seat, judgements) in [(1, first), (3, third)] {
            let body = json!({"judgements": judgements, "missed_issues": []});
            says(&sandbox, name, &format!("r2_cross_s{seat}"), "CROSS_REVIEW", &body);
        }
    }
    question(&sandbox, "none", ["the beta way", "the alpha way", "the alpha way"]);
    question(&sandbox, "loop", ["the beta way"; 3]);
    sandbox
}

fn eval(sandbox: &Sandbox, more: &[&str]) -> Run {
    let args = ["eval", "cases", "--agents", "alpha,beta,gamma", "--out", "out", "--json"];
    sandbox.run(&[&args, more].concat())
}

/// What an arm got over all cases: right, given, wanted.
fn counts(document: &Value, kind: &str, arm: &str) -> [u64; 3] {
    let results = document["results"].as_array().unwrap().iter();
    let of_kind = results.filter(|result| result["kind"] == kind);
    let arms = of_kind.flat_map(|result| result["arms"].as_array().unwrap());
    let arms: Vec<&Value> = arms.filter(|each| each["arm"] == arm).collect();
    assert!(!arms.is_empty(), "no arm {arm}: {document}");
    ["right", "given", "wanted"]
        .map(|key| arms.iter().map(|each| each[key].as_u64().unwrap()).sum())
}

fn near(value: &Value, wanted: f64) -> bool {
    value.as_f64().is_some_and(|value| (value - wanted).abs() < 1e-9)
}

#[test]
fn the_skill_of_scripted_agents_is_recovered_and_is_no_evidence() {
    let sandbox = bench();
    let run = eval(&sandbox, &["--budget", "5"]);
    let document = run.exits(0).json();
    assert_eq!(document["not_scored"], json!([]));
    for (arm, counted) in [
        ("alpha alone", [4, 4, 5]),
        ("beta alone", [3, 5, 5]),
        ("gamma alone", [1, 1, 5]),
        ("union", [4, 6, 5]),
        ("majority", [3, 3, 5]),
        ("pipeline", [4, 4, 5]),
    ] {
        assert_eq!(counts(&document, "review", arm), counted, "{arm}");
    }
    for (arm, right) in [
        ("alpha alone", 2),
        ("beta alone", 1),
        ("gamma alone", 1),
        ("plurality", 1),
        ("pipeline", 2),
    ] {
        assert_eq!(counts(&document, "question", arm)[0], right, "{arm}");
    }
    let tables = document["tables"].as_array().unwrap();
    let [reviews, questions] = &tables[..] else { panic!("{tables:?}") };
    let f1 = &reviews["arms"][0]["f1"];
    assert!(near(&f1["value"], 8.0 / 9.0) && f1["low"].as_f64() < f1["value"].as_f64(), "{f1}");
    // The votes went from the wrong option of two seats to the right one, which no plurality held.
    assert_eq!(questions["minds"], json!({"toward": 2, "away": 0, "all": 6}));
    let alone = &questions["arms"][0];
    assert!(near(&alone["brier"], 0.0625) && near(&alone["confidence"], 0.75), "{alone}");
    // What one seat alone would have cost is its first call in each of the six cases.
    let price = &reviews["arms"][0]["price"];
    assert!(near(&price["cost"]["usd"], 0.06) && price["calls"] == 6, "{price}");
    assert_eq!(document["scripted"], json!(["alpha", "beta", "gamma"]));
    // Nobody is asked again for the same table, in any form.
    let calls = sandbox.calls().len();
    let again = eval(&sandbox, &[]).exits(0).json();
    assert_eq!((&again["tables"], sandbox.calls().len()), (&document["tables"], calls));
    let args = ["eval", "cases", "--agents", "alpha,beta,gamma", "--out", "out"];
    let text = sandbox.run(&args);
    text.exits(0).prints("NO EVIDENCE").prints("0.89").prints("Scripted agents: no evidence");
    let page = sandbox.run(&[&args[..], &["--format", "markdown"]].concat());
    page.exits(0).prints("NO EVIDENCE").prints("| pipeline |");
}

#[test]
fn a_killed_run_goes_on_with_the_same_command_and_asks_nobody_twice() {
    let sandbox = bench();
    fs::write(sandbox.home().join(".fake/delay"), "0.2").unwrap();
    let args = ["eval", "cases", "--agents", "alpha,beta,gamma", "--out", "out", "--json"];
    let mut child =
        sandbox.command(&args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    // In the first case all have answered, and the judges are asked: its first answers are in the journal.
    while !sandbox.calls().iter().any(|call| call.turn.starts_with("r2/")) {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    // What the guards let end is over.
    std::thread::sleep(std::time::Duration::from_millis(800));
    fs::remove_file(sandbox.home().join(".fake/delay")).unwrap();
    let document = eval(&sandbox, &["--budget", "5"]).exits(0).json();
    let whole = bench();
    let golden = eval(&whole, &["--budget", "5"]).exits(0).json();
    assert_eq!(document["results"].as_array().unwrap().len(), 8);
    assert_eq!(counts(&document, "review", "pipeline"), counts(&golden, "review", "pipeline"));
    let calls = sandbox.calls();
    let first = calls.iter().filter(|call| call.turn.starts_with("r1/"));
    let of_case = first.filter(|call| call.read("stdin").contains("about_five"));
    assert_eq!(of_case.count(), 3, "{:?}", sandbox.ledger());
    // At most the two calls in flight were made again.
    let wanted = whole.calls().len();
    assert!((wanted..=wanted + 2).contains(&calls.len()), "{} of {wanted}", calls.len());
}

#[test]
fn shards_are_merged_and_a_missing_one_is_said() {
    let sandbox = bench();
    for (shard, cases) in [("1/2", 6), ("2/2", 2)] {
        let document = eval(&sandbox, &["--shard", shard, "--budget", "5"]).exits(0).json();
        assert_eq!(document["results"].as_array().unwrap().len(), cases, "{shard}");
        assert_eq!(document["shard"], shard);
    }
    let calls = sandbox.calls().len();
    let both = sandbox.run(&["eval", "merge", "out/shard-1-of-2", "out/shard-2-of-2", "--json"]);
    let both = both.exits(0).json();
    assert_eq!(counts(&both, "review", "union"), [4, 6, 5]);
    let half = sandbox.run(&["eval", "merge", "out/shard-2-of-2", "--json"]).exits(4).json();
    assert_eq!(half["missing_shards"], json!(["1/2"]));
    assert_eq!(half["tables"][0]["cases"], 1, "no case of the other shard counts as zero");
    sandbox
        .run(&["eval", "merge", "out/shard-2-of-2"])
        .exits(4)
        .prints("INCOMPLETE")
        .prints("shard 1/2");
    for (folders, says) in [
        (["out/shard-2-of-2", "out/shard-2-of-2"], "give each shard of one evaluation once"),
        (["out/shard-2-of-2", "cases"], "has no eval.json"),
    ] {
        sandbox.run(&["eval", "merge", folders[0], folders[1]]).exits(2).says(says);
    }
    assert_eq!(sandbox.calls().len(), calls);
}

#[test]
fn a_budget_is_for_all_cases_and_what_it_did_not_reach_is_no_zero() {
    let sandbox = bench();
    let run = eval(&sandbox, &["--budget", "0.2"]);
    let document = run.exits(4).json();
    assert!(document["stopped_by"].as_str().unwrap().contains("$0.20"), "{document}");
    // Each call is charged one cent.
    assert!((6..=20).contains(&sandbox.calls().len()), "{:?}", sandbox.ledger());
    let (scored, not) = (&document["results"], document["not_scored"].as_array().unwrap());
    assert_eq!(scored.as_array().unwrap().len() + not.len(), 8);
    assert!(not.iter().any(|each| each["why"] == "it was not run"), "{not:?}");
    let calls = sandbox.calls().len();
    let document = eval(&sandbox, &["--budget", "5"]).exits(0).json();
    assert_eq!(counts(&document, "review", "union"), [4, 6, 5]);
    assert!(sandbox.calls().len() > calls);
}

#[test]
fn the_held_out_part_is_scored_only_when_asked_and_counted() {
    let sandbox = bench();
    // Its hash puts it into the other part.
    question(&sandbox, "three", ["the beta way"; 3]);
    let document = eval(&sandbox, &["--budget", "5"]).exits(0).json();
    assert_eq!(document["held_out_scored"], 0);
    let asked = |call: &Call| call.read("stdin").contains("about_three");
    assert!(!sandbox.calls().iter().any(asked), "nobody is paid for the other part");
    for times in [1, 2] {
        let document = eval(&sandbox, &["--held-out", "--budget", "5"]).exits(0).json();
        assert_eq!(document["held_out_scored"], times);
        let parts: Vec<&Value> =
            document["tables"].as_array().unwrap().iter().map(|table| &table["part"]).collect();
        assert_eq!(parts, ["tuning", "tuning", "held-out"]);
    }
    assert_eq!(eval(&sandbox, &[]).exits(0).json()["tables"].as_array().unwrap().len(), 2);
}

#[test]
fn a_rehearsal_is_apart_and_no_evidence() {
    let sandbox = bench();
    let document = sandbox.run(&["eval", "cases", "--rehearse", "--json"]).exits(0).json();
    assert!(document["scripted"] != json!([]) && sandbox.calls().is_empty());
    let out = sandbox.project().join(".debate/eval/cases/_rehearsal");
    assert!(out.join("eval.json").exists() && !out.join("../eval.json").exists());
    fs::rename(sandbox.project().join("cases"), sandbox.project().join("others")).unwrap();
    let args = ["eval", "others", "--out", ".debate/eval/cases", "--rehearse"];
    sandbox.run(&args).exits(2).says("has an evaluation of `cases`");
}

#[test]
fn what_cannot_be_run_is_refused_before_any_call() {
    let sandbox = bench();
    let case = |text: &str| sandbox.write("cases/one/case.json", text);
    let good = fs::read_to_string(sandbox.project().join("cases/one/case.json")).unwrap();
    case(&good.replace("\"kind\"", "\"more\": 1, \"kind\""));
    eval(&sandbox, &[]).exits(2).says("cases/one/case.json").says("unknown field `more`");
    case(
        &good
            .replace("review", "document")
            .replace("defects", "gaps")
            .replace(&serde_json::from_str::<Value>(&good).unwrap()["defects"].to_string(), "[]"),
    );
    let document = eval(&sandbox, &["--budget", "5"]).exits(0).json();
    assert_eq!(document["left_out"], json!(["one"]));
    let calls = sandbox.calls().len();
    sandbox.run(&["eval", "nowhere"]).exits(2).says("nowhere");
    sandbox.run(&["eval", "cases", "--shard", "3/2"]).exits(2).says("1/4");
    // A case that was run is not another one of the same name.
    let path = sandbox.project().join("cases/two/case.json");
    let changed = fs::read_to_string(&path).unwrap().replace("It is wrong", "It fails");
    fs::write(&path, changed).unwrap();
    eval(&sandbox, &[]).exits(2).says("the case `two` has changed");
    assert_eq!(sandbox.calls().len(), calls);
    assert!(Path::new(&sandbox.project().join("out/two/project/.git")).exists());
}
