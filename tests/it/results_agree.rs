//! The outputs of one run, compared with each other for agreement.

use std::fs;

use serde_json::{Value, json};

use crate::support::Sandbox;
use crate::support::debates::TOPIC;
use crate::support::discusses::critique_with;
use crate::support::replies::block;

/// A dialogue that agrees in part.
fn partial() -> Sandbox {
    Sandbox::disputing().compromises(
        3,
        &["Measure in March.", "Then move the reads."],
        &[("J1", "agree"), ("J2", "partly")],
    )
}

/// The report of a debate, as Markdown and as JSON.
fn report(sandbox: &Sandbox, document: &Value) -> (String, Value) {
    let path = document["report_path"].as_str().unwrap();
    let data = fs::read_to_string(path.replace(".md", ".json")).unwrap();
    let text = fs::read_to_string(path).unwrap();
    assert!(path.starts_with(sandbox.project().to_str().unwrap()));
    (text, serde_json::from_str(&data).unwrap())
}

/// Asserts that a debate's every output names the decision that a person recorded from it.
fn names_its_decision(sandbox: &Sandbox, document: &Value) {
    let id = document["session_id"].as_str().unwrap();
    let run = |args: &[&str]| sandbox.run(args).exits(0).stdout.clone();
    let log: Value = serde_json::from_str(&run(&["decisions", "list", "--json"])).unwrap();
    let entry = &log["decisions"][0];
    assert_eq!((&entry["session_id"], &entry["source"]), (&json!(id), &json!("confirmed")));
    let decision = format!("decision {}", entry["id"].as_str().unwrap());
    let shown: Value = serde_json::from_str(&run(&["sessions", "show", id, "--json"])).unwrap();
    let (page, data) = report(sandbox, document);
    for document in [&shown, &data] {
        assert_eq!(document["logged"]["id"], entry["id"]);
        assert_eq!(document["logged"]["date"], entry["date"]);
        assert_eq!(document["outcome"], "partial", "what the agents said stays");
        sandbox.fits(document);
    }
    let screen = run(&["sessions", "show", id]);
    let exported = run(&["sessions", "show", id, "--format", "md"]);
    let mut mcp = sandbox.mcp();
    let result = mcp.result("session_result", json!({ "session_id": id }));
    mcp.finish().exits(0);
    let summary = result["summary"].as_str().unwrap();
    for text in [&*screen, &exported, &page, summary] {
        assert!(text.contains(&decision), "{text}");
        assert!(!text.contains("a person decides"), "{text}");
    }
    assert!(!screen.contains("decisions add"), "{screen}");
}

#[test]
fn a_later_yes_does_too() {
    let sandbox = partial();
    fs::create_dir_all(sandbox.project().join(".git")).unwrap();
    let document = sandbox.run(&["debate", TOPIC, "--json"]).exits(1).json();
    assert!(document.get("logged").is_none());
    let (page, data) = report(&sandbox, &document);
    assert!(page.contains("a person decides"), "{page}");
    assert_eq!(data, document);
    let id = document["session_id"].as_str().unwrap();
    sandbox.run(&["decisions", "add", id]).exits(0);
    names_its_decision(&sandbox, &document);
}

/// A report in another place is not known to the session: the output says that it lacks the decision.
#[test]
fn a_later_yes_says_which_report_it_does_not_reach() {
    let sandbox = partial();
    fs::create_dir_all(sandbox.project().join(".git")).unwrap();
    let args = ["debate", TOPIC, "--json", "--out", "elsewhere"];
    let document = sandbox.run(&args).exits(1).json();
    let path = document["report_path"].as_str().unwrap();
    assert!(path.contains("elsewhere"), "{path}");
    let before = fs::read_to_string(path).unwrap();
    let id = document["session_id"].as_str().unwrap();
    let added = sandbox.run(&["decisions", "add", id]);
    added.exits(0).prints("put elsewhere is left unchanged");
    assert_eq!(fs::read_to_string(path).unwrap(), before);
    // The export that it names has the decision.
    let exported = sandbox.run(&["sessions", "show", id, "--format", "md"]);
    exported.exits(0).prints("decision D1");
}

#[test]
fn a_ruling_is_no_consensus() {
    let document = (Sandbox::disputing().run(&["debate", TOPIC, "--json"])).exits(0).json();
    assert_eq!((&document["outcome"], &document["verdict"]), (&json!("expert"), &json!("ruled")));
    let consensus = document["consensus"].as_f64().unwrap();
    let wanted = document["thresholds"]["consensus"].as_f64().unwrap();
    let claims = document["status"] == "consensus_reached";
    assert_eq!(claims, consensus >= wanted, "{document:#}");
}

#[test]
fn an_attempt_that_failed_is_counted_from_one() {
    let failing = r#"{"error": "server_error"}"#;
    let sandbox = Sandbox::new()
        .scenario("backlog/consensus")
        .fake("r1_champion.1.json", failing)
        .fake("r1_champion.2.json", failing);
    sandbox.six();
    let args = ["prioritize", "backlog.json", "--events", "events.jsonl"];
    let run = sandbox.run(&args);
    let events = fs::read_to_string(sandbox.project().join("events.jsonl")).unwrap();
    let events = events.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let attempts: Vec<u64> = events
        .filter(|event| event["type"] == "turn.retrying")
        .map(|event| event["attempt"].as_u64().unwrap())
        .collect();
    let failed = (sandbox.calls().iter())
        .filter(|call| call.turn == "r1/champion" && call.read("exit").trim() != "0")
        .count() as u64;
    assert_eq!(attempts, (1..=failed).collect::<Vec<_>>(), "{}", run.stderr);
    for attempt in attempts {
        run.says(&format!("attempt {attempt} failed"));
    }
}

#[test]
fn all_sessions_that_an_id_may_mean_are_counted() {
    let sandbox = Sandbox::new();
    sandbox.six();
    for _ in 0..7 {
        sandbox.run(&["prioritize", "backlog.json", "--rehearse"]).exits(0);
    }
    let list = sandbox.run(&["sessions", "list", "--json"]).json();
    let count = list["sessions"].as_array().unwrap().len();
    let run = sandbox.run(&["sessions", "resume", "01"]);
    run.exits(2).says(&format!("the start of {count} sessions"));
    run.says(&format!("and {} more", count - 5));
}

#[test]
fn who_was_never_asked_is_not_said_to_be_silent() {
    let sandbox = Sandbox::new().fake("r1_champion.json", r#"{"error": "not_logged_in"}"#);
    sandbox.six();
    fs::create_dir_all(sandbox.project().join(".git")).unwrap();
    let document = sandbox.run(&["prioritize", "backlog.json", "--json"]).json();
    let id = document["session_id"].as_str().unwrap();
    let screen = sandbox.run(&["sessions", "show", id, "--full"]).stdout;
    let report = sandbox.run(&["sessions", "show", id, "--format", "md"]).stdout;
    let mut mcp = sandbox.mcp();
    let result = mcp.result("session_result", json!({ "session_id": id }));
    mcp.finish().exits(0);
    let asked: Vec<String> = sandbox.calls().into_iter().map(|call| call.turn).collect();
    for seat in document["seats"].as_array().unwrap() {
        let role = seat["role"].as_str().unwrap();
        let was = asked.contains(&format!("r1/{role}"));
        assert_eq!(seat["status"] == "skipped", !was, "{seat}");
        let agent = seat["agent"].as_str().unwrap();
        for text in [&screen, &report] {
            let line =
                text.lines().find(|line| line.contains(&format!("{role}: {agent}"))).unwrap();
            assert_eq!(line.contains("not asked"), !was, "{text}");
        }
        let summary = result["summary"].as_str().unwrap();
        assert_eq!(summary.contains(&format!("{role} ({agent}) was not asked")), !was, "{summary}");
    }
}

#[test]
fn action_items_that_the_screen_leaves_out_are_counted_and_stand_in_the_result() {
    let sandbox = Sandbox::new();
    sandbox.artifact("a.md", "# Of a\n\nIt is written.\n");
    let wanted: Vec<String> =
        (0..16).map(|at| format!("Say what the {at}th part is for.")).collect();
    let said = critique_with(4, json!({ "suggestions": wanted }));
    let sandbox = sandbox.fake("r1_quality.txt", &block("CRITIQUE", &said.to_string()));
    let args = ["discuss", "a.md", "--perspectives", "quality"];
    let document = sandbox.run(&[&args[..], &["--json"]].concat()).json();
    let all = document["action_items"].as_array().unwrap().len();
    assert!(all > 10, "{document:#}");
    let screen = sandbox.run(&args).stdout;
    let shown = screen.lines().filter(|line| line.contains(" part is for.")).count();
    assert!(screen.contains(&format!("... and {} more", all - shown)), "{screen}");
}

#[test]
fn a_dry_run_says_what_is_cut_as_the_run_does() {
    let sandbox = Sandbox::disputing();
    sandbox.write("big.md", "All that is known of it.\n".repeat(60_000));
    sandbox.write("none.md", "");
    let args = ["debate", TOPIC, "--file", "none.md", "--file", "big.md", "--json"];
    let of_files = |document: &Value| {
        let warnings = document["warnings"].as_array().unwrap().iter();
        let told = warnings.map(|each| ["code", "message"].map(|key| each[key].to_string()));
        let mut told: Vec<_> = told.filter(|[code, _]| code.contains("context_")).collect();
        told.sort();
        told
    };
    let dry = sandbox.run(&[&args[..], &["--dry-run"]].concat()).exits(0).json();
    let paid = sandbox.run(&args).json();
    assert_eq!(of_files(&dry), of_files(&paid));
    let codes = of_files(&paid).into_iter().map(|[code, _]| code);
    assert_eq!(codes.collect::<Vec<_>>(), ["\"context_cut\"", "\"context_empty\""]);
}

/// The beginning of a screen, on one line.
fn head(screen: &str) -> String {
    let lines = screen.lines().take_while(|line| !line.trim().is_empty());
    let words: Vec<&str> = lines.flat_map(str::split_whitespace).collect();
    words.join(" ")
}

#[test]
fn a_headline_names_the_cause_that_stands_at_the_seat() {
    let commands: [&[&str]; 5] = [
        &["prioritize", "backlog.json"],
        &["review"],
        &["plan", "Add a cache"],
        &["discuss", "brief.md"],
        &["debate", TOPIC],
    ];
    for command in commands {
        let what = command.join(" ");
        let mut sandbox = crate::support::reviews::agreeing();
        sandbox.six();
        sandbox.write("brief.md", "# Brief\n\nAll of it.\n");
        for cli in ["claude", "codex", "gemini"] {
            sandbox = sandbox.fake(&format!("{cli}.json"), r#"{"error": "not_logged_in"}"#);
        }
        let run = sandbox.run(&[command, &["--json"]].concat());
        assert!([3, 4].contains(&run.code), "{what}: {}", run.stderr);
        let document = run.json();
        let id = document["session_id"].as_str().unwrap();
        let shown = sandbox.run(&["sessions", "show", id]);
        let head = head(&shown.exits(0).stdout);
        let seats = document["seats"].as_array().unwrap();
        let mut failed = 0;
        for seat in seats.iter().filter(|seat| seat["status"] == "failed") {
            let failure = seat["failure"].as_str().unwrap();
            let (_, cause) = failure.split_once("not_logged_in: ").expect(failure);
            // The CLI's own words stand at the seat alone.
            let (cause, _) = cause.split_once(" (it said: ").expect(cause);
            assert!(head.contains(cause), "{what}: {cause}\n{head}");
            failed += 1;
        }
        assert!(failed > 0, "{what}: {seats:?}");
        assert!(!head.contains("not_logged_in"), "{what}: {head}");
    }
}
