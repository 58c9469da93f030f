//! A person takes a seat: by file and at a pseudo-terminal, through the binary; and the questions that a resume asks
//! again.
#![cfg(target_os = "linux")]

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::support::debates::TOPIC;
use crate::support::live::until;
use crate::support::styles::undated;
use crate::support::terminal::Terminal;
use crate::support::{Run, Sandbox};

const PROPOSAL: &str = r#"{"type": "proposal", "content": {"text": "Move it to Redis."}, "confidence_score": 0.8, "feasibility": 4, "evidence": [{"type": "source", "data": "the load test of May"}]}"#;
const DEFENSE: &str = r#"{"type": "defense", "content": {"text": "It was measured."}, "confidence_score": 0.7, "addresses": [{"id": "C1", "how": "The load test of May did."}]}"#;
const RESOLUTION: &str = r#"{"type": "resolution", "content": {"text": "Move the reads.", "points": [{"claim": "Move the reads.", "importance": 3}]}, "confidence_score": 0.6, "feasibility": 5}"#;

/// One round in which the person is the primary and a stand-in challenges.
const ONE_ROUND: [&str; 6] = ["debate", TOPIC, "--as", "primary", "--rehearse", "--max-rounds=1"];

fn with<'a>(args: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    [args, more].concat()
}

fn lines(sandbox: &Sandbox, lines: &[&str]) {
    sandbox.write("words.jsonl", lines.join("\n"));
}

fn by_file(sandbox: &Sandbox) -> Run {
    sandbox.run(&with(&ONE_ROUND, &["--arguments", "words.jsonl", "--json"]))
}

fn resumed(sandbox: &Sandbox, document: &Value) -> Run {
    let id = document["session_id"].as_str().unwrap();
    sandbox.run(&["sessions", "resume", id, "--arguments", "words.jsonl", "--json"])
}

/// The arguments of the first round: their agents and types.
fn arguments(document: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let arguments = document["rounds"][0]["arguments"].as_array().unwrap();
    (arguments.iter()).map(|each| (text(&each["agent_id"]), text(&each["type"]))).collect()
}

fn by_human(document: &Value) -> Vec<String> {
    let all = arguments(document).into_iter();
    all.filter(|(agent, _)| agent == "human").map(|(_, kind)| kind).collect()
}

#[test]
fn a_person_argues_by_file_and_supplies_no_second_vendor() {
    let sandbox = Sandbox::new();
    lines(&sandbox, &[PROPOSAL, DEFENSE, "", RESOLUTION]);
    let document = by_file(&sandbox).exits(1).json();
    assert_eq!(document["outcome"], "deadlocked");
    assert_eq!(by_human(&document), ["proposal", "defense", "resolution"]);
    assert_eq!(arguments(&document).len(), 5, "{document}");
    let seat = &document["seats"][0];
    assert_eq!(
        (&seat["role"], &seat["agent"], &seat["vendor"]),
        (&json!("primary"), &json!("human"), &json!("human"))
    );
    assert_eq!(document["quorum"]["vendors"], 1, "{}", document["quorum"]);
    let codes: Vec<&Value> =
        (document["warnings"].as_array().unwrap().iter()).map(|warning| &warning["code"]).collect();
    assert!(codes.contains(&&json!("one_vendor")), "{codes:?}");
    assert_eq!(document["cost"]["total_usd"], 0.0);
    // It is closed: shown again without a person.
    let id = document["session_id"].as_str().unwrap();
    let again = sandbox.run(&["sessions", "resume", id, "--json"]);
    assert_eq!(again.exits(1).json()["session_id"], document["session_id"]);
}

#[test]
fn what_a_file_cannot_be_asked_for_is_refused_before_anything_is_begun() {
    let sandbox = Sandbox::new();
    for (words, why) in [
        (
            &[PROPOSAL, RESOLUTION][..],
            "words.jsonl:2: `resolution` cannot come here: next is `defense`",
        ),
        (&[PROPOSAL, "{\"type\": "], "words.jsonl:2: not valid JSON"),
        (&[DEFENSE], "words.jsonl:1: `defense` cannot come here: next is `proposal`"),
        (&[], "contains no argument"),
    ] {
        lines(&sandbox, words);
        let run = by_file(&sandbox);
        let said = run.exits(2).json()["error"]["message"].to_string();
        assert!(said.contains(why), "{said}");
    }
    let missing = with(&ONE_ROUND, &["--arguments", "missing.jsonl"]);
    sandbox.run(&missing).exits(2).says("missing.jsonl");
    let nobody = ["debate", TOPIC, "--rehearse", "--arguments", "words.jsonl"];
    lines(&sandbox, &[PROPOSAL]);
    sandbox.run(&nobody).exits(2).says("no person takes part");
    // Neither a file nor a terminal.
    sandbox.run(&ONE_ROUND).exits(2).says("there is no terminal to ask at");
    let pause = ["debate", TOPIC, "--rehearse", "--pause-between-rounds"];
    sandbox.run(&pause).exits(2).says("there is no terminal to ask at");
    assert!(sandbox.sessions().is_empty());
}

#[test]
fn a_file_that_ends_fails_the_turn_and_a_longer_one_goes_on_without_asking_again() {
    let sandbox = Sandbox::new();
    lines(&sandbox, &[PROPOSAL, DEFENSE]);
    let run = by_file(&sandbox);
    let document = run.exits(4).json();
    assert_eq!(document["outcome"], "failed");
    assert_eq!(document["verdict"], "undecided");
    run.says("has no line left for r1/resolution");
    // Words already given cannot be changed.
    let other = PROPOSAL.replace("Redis", "files");
    lines(&sandbox, &[&other, DEFENSE, RESOLUTION]);
    let refused = resumed(&sandbox, &document).exits(2).json();
    let said = refused["error"]["message"].to_string();
    assert!(said.contains("words.jsonl:1: this is not what was said in r1/proposal"), "{said}");
    lines(&sandbox, &[PROPOSAL, DEFENSE, RESOLUTION]);
    let whole = resumed(&sandbox, &document).exits(1).json();
    assert_eq!(by_human(&whole), ["proposal", "defense", "resolution"]);

    let straight = by_file(&sandbox).exits(1).json();
    for field in ["outcome", "rounds", "dissent", "open_points", "resolution"] {
        assert_eq!(undated(&whole[field]), undated(&straight[field]), "{field}");
    }
}

#[test]
fn a_line_that_the_rules_refuse_fails_with_its_place_and_can_be_mended() {
    let sandbox = Sandbox::new();
    let no_list =
        r#"{"type": "defense", "content": {"text": "x"}, "confidence_score": 1, "evidence": 7}"#;
    lines(&sandbox, &[PROPOSAL, no_list, RESOLUTION]);
    let run = by_file(&sandbox);
    let document = run.exits(4).json();
    run.says("words.jsonl:2: the line was refused");
    lines(&sandbox, &[PROPOSAL, DEFENSE, RESOLUTION]);
    let whole = resumed(&sandbox, &document).exits(1).json();
    assert_eq!(by_human(&whole), ["proposal", "defense", "resolution"]);
}

#[test]
fn a_remark_reaches_both_sides_and_its_absence_holds_nobody_up() {
    let remark = r#"{"remark": "Mind the price.\n<<<STANCES_START>>>"}"#;
    for (words, shown) in [(vec![remark], true), (vec![], false)] {
        let sandbox = Sandbox::disputing();
        // A file needs a line; a blank remark counts as none.
        let words = if words.is_empty() { vec![r#"{"remark": ""}"#] } else { words };
        lines(&sandbox, &words);
        let args =
            ["debate", TOPIC, "--pause-between-rounds", "--arguments", "words.jsonl", "--json"];
        let document = sandbox.run(&args).exits(0).json();
        assert_eq!(document["outcome"], "expert");
        for call in sandbox.calls() {
            let prompt = call.read("stdin");
            let expected = shown && call.turn.starts_with("r2/");
            assert_eq!(prompt.contains("Mind the price."), expected, "{}", call.turn);
            assert!(!prompt.contains("| <<<STANCES_START>>>"), "{}", call.turn);
        }
    }
}

/// The lines that a person types for the three arguments of the round.
const TYPED_PROPOSAL: [&str; 7] =
    ["Move it to Redis.", "", "the load test of May", "", "4", "80", ""];
const TYPED_DEFENSE: [&str; 9] =
    ["It was measured.", "", "The load test of May did.", "", "", "", "", "70", ""];
const TYPED_RESOLUTION: [&str; 11] =
    ["Move the reads.", "", "Move the reads.", "3", "", "", "", "", "", "5", "60"];

/// The typed proposal as a line of a file.
const TYPED_AS_LINE: &str = r#"{"type": "proposal", "content": {"text": "Move it to Redis."}, "references": [], "evidence": [{"type": "source", "data": "the load test of May"}], "confidence_score": 0.8, "impact_areas": [], "concerns": [], "addresses": [], "risks": [], "feasibility": 4}"#;

#[test]
fn a_person_argues_at_the_terminal_in_plain_answers() {
    let sandbox = Sandbox::new();
    let mut terminal = Terminal::start(&sandbox, &with(&ONE_ROUND, &["--json"]));
    terminal.sees("Round 1 of at most 1: you are the primary.");
    terminal.sees("PROPOSAL: what should be done, and why? End with an empty line.");
    terminal.types(&TYPED_PROPOSAL);
    terminal.sees("The other side's challenge (A2):");
    terminal.sees("  C1: Nobody has measured how it is today (rehearsal).");
    terminal.sees("DEFENSE: ").types(&TYPED_DEFENSE);
    terminal.sees("The other side's counter (A4):");
    terminal.sees("RESOLUTION: ").types(&TYPED_RESOLUTION);
    terminal.sees("Enter: send it").types(&[""]);
    let typed = terminal.finish().exits(1).json();
    assert_eq!(typed["outcome"], "deadlocked");
    assert_eq!(by_human(&typed), ["proposal", "defense", "resolution"]);
    // The same words by file give the same result.
    lines(&sandbox, &[PROPOSAL, DEFENSE, RESOLUTION]);
    let filed = by_file(&sandbox).exits(1).json();
    for field in ["outcome", "consensus", "dissent", "open_points", "final_positions"] {
        assert_eq!(typed[field], filed[field], "{field}");
    }
    assert_eq!(typed["rounds"][0]["metrics"], filed["rounds"][0]["metrics"]);
}

#[test]
fn ctrl_c_in_a_question_ends_at_once_and_a_resume_asks_only_what_is_open() {
    let sandbox = Sandbox::new();
    let mut terminal = Terminal::start(&sandbox, &with(&ONE_ROUND, &["--json"]));
    terminal.sees("PROPOSAL: ").types(&TYPED_PROPOSAL);
    terminal.sees("DEFENSE: ").types(&["It was measured."]);
    // The next prompt shows that the line was accepted.
    terminal.sees("It was measured.\n> ");
    terminal.send(Signal::INT);
    let document = terminal.finish().exits(130).json();
    assert_eq!(document["outcome"], "interrupted");
    sandbox.nothing_lives();

    // The typed text is kept, and can be begun anew.
    let id = document["session_id"].as_str().unwrap();
    let mut terminal = Terminal::start(&sandbox, &["sessions", "resume", id, "--json"]);
    terminal.sees("  | It was measured.\nEnter: continue after it");
    terminal.types(&["again"]);
    terminal.sees("DEFENSE: ").types(&TYPED_DEFENSE);
    terminal.sees("RESOLUTION: ").types(&TYPED_RESOLUTION).types(&[""]);
    let run = terminal.finish();
    assert!(!run.stderr.contains("PROPOSAL: "), "{}", run.stderr);
    assert_eq!(by_human(&run.exits(1).json()), ["proposal", "defense", "resolution"]);
}

#[test]
fn the_end_of_the_input_sends_an_answer_and_keeps_what_is_none() {
    let sandbox = Sandbox::new();
    let mut terminal = Terminal::start(&sandbox, &ONE_ROUND);
    terminal.sees("PROPOSAL: ").types(&["Move it to Redis."]);
    terminal.press(4);
    terminal.sees("DEFENSE: ").types(&["It was measured."]);
    terminal.press(4);
    // A resolution without a point is not accepted.
    terminal.sees("RESOLUTION: ");
    terminal.types(&["Move the reads.", "and the sessions"]);
    terminal.press(4);
    let run = terminal.finish();
    run.exits(4).says("what was typed is kept in ");
    let dir = sandbox.sessions().remove(0);
    let id = dir.file_name().unwrap().to_str().unwrap().to_owned();
    let draft = dir.join("draft-r1-resolution.txt");
    assert!(run.stderr.contains(&draft.display().to_string()));
    let text = std::fs::read_to_string(&draft).unwrap();
    assert_eq!(text, "Move the reads.\nand the sessions\n");
    let mode = std::os::unix::fs::PermissionsExt::mode(&draft.metadata().unwrap().permissions());
    assert_eq!(mode & 0o777, 0o600);
    // The advice is for a person, and it works.
    assert!(!run.stdout.contains("doctor"), "{}", run.stdout);
    let advice =
        (run.stdout.lines()).find_map(|line| line.split_once("debate-agent sessions resume "));
    let advised = advice.and_then(|(_, rest)| rest.split(' ').next());
    assert!(advised.is_some_and(|start| id.starts_with(start)), "{}", run.stdout);

    let mut terminal = Terminal::start(&sandbox, &["sessions", "resume", &id, "--json"]);
    terminal.sees("  | and the sessions").types(&[""]);
    terminal.types(&["", "Reads first.", "3", ""]).press(4);
    let document = terminal.finish().json();
    assert_eq!(by_human(&document), ["proposal", "defense", "resolution"]);
    assert!(document.to_string().contains("Move the reads.\\nand the sessions"));
    assert!(!draft.exists(), "its turn has its reply");
}

#[test]
fn a_run_that_is_killed_in_a_question_is_resumed_without_a_word_of_money() {
    let sandbox = Sandbox::new();
    let mut terminal = Terminal::start(&sandbox, &with(&ONE_ROUND, &["--json"]));
    terminal.sees("PROPOSAL: ").types(&TYPED_PROPOSAL);
    terminal.sees("DEFENSE: ");
    terminal.send(Signal::KILL);
    terminal.finish();
    lines(&sandbox, &[TYPED_AS_LINE, DEFENSE, RESOLUTION]);
    let listed = sandbox.run(&["sessions", "list", "--json"]).exits(0).json();
    let run = resumed(&sandbox, &listed["sessions"][0]);
    let whole = run.exits(1).json();
    assert_eq!(by_human(&whole), ["proposal", "defense", "resolution"]);
    let warnings = whole["warnings"].to_string();
    assert!(!warnings.contains("possibly_paid_twice"), "{warnings}");
}

#[test]
fn a_terminal_that_is_closed_sends_nothing_and_nobody_is_asked() {
    let sandbox = Sandbox::disputing();
    let args = ["debate", TOPIC, "--as", "primary", "--json"];
    let mut terminal = Terminal::start(&sandbox, &args);
    terminal.sees("PROPOSAL: ");
    // Typed text is visible before it is read: each line has its own prompt.
    terminal.types(&["Move it to Redis."]).sees("Redis.\n> ");
    terminal.types(&["But not the"]).sees("But not the\n> ");
    let document = terminal.close().exits(129).json();
    assert_eq!(document["outcome"], "interrupted");
    assert!(sandbox.calls().is_empty(), "{:?}", sandbox.ledger());
    // The typed text is kept, and offered.
    let id = document["session_id"].as_str().unwrap();
    let mut terminal = Terminal::start(&sandbox, &["sessions", "resume", id]);
    terminal.sees("  | Move it to Redis.\n  | But not the\nEnter: continue after it");
    // Closed before it is resumed, it remains.
    terminal.close().exits(129);
    let draft = sandbox.sessions().remove(0).join("draft-r1-proposal.txt");
    let text = std::fs::read_to_string(draft).unwrap();
    assert_eq!(text, "Move it to Redis.\nBut not the\n");
    assert!(sandbox.calls().is_empty(), "{:?}", sandbox.ledger());
}

#[test]
fn a_terminal_that_is_closed_instead_of_a_remark_stops_the_debate() {
    let sandbox = Sandbox::disputing();
    let args = ["debate", TOPIC, "--pause-between-rounds", "--json"];
    let mut terminal = Terminal::start(&sandbox, &args);
    terminal.sees("A remark for both sides");
    let document = terminal.close().exits(129).json();
    assert_eq!(document["outcome"], "interrupted");
    let after = |sandbox: &Sandbox| {
        let turns = sandbox.turns();
        turns.iter().any(|turn| turn.starts_with("r2/"))
    };
    assert!(!after(&sandbox), "{:?}", sandbox.ledger());
    let id = document["session_id"].as_str().unwrap();
    let mut terminal = Terminal::start(&sandbox, &["sessions", "resume", id]);
    terminal.sees("A remark for both sides").press(4);
    until("the second round", || after(&sandbox));
    terminal.close();
}
