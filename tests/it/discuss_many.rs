//! Several artifacts and folders in one run: the order, one summary, one budget, the worst exit code, and the
//! artifacts that were not reached.

use std::fs;

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::cli::every_turn_ends;
use crate::support::Sandbox;
use crate::support::discusses::{critique, critique_with};
use crate::support::live::until;
use crate::support::replies::{block, warned};

const QUALITY: [&str; 2] = ["--perspectives", "quality"];

/// A project with these files, each a document of its own.
fn with(names: &[&str]) -> Sandbox {
    let sandbox = Sandbox::new();
    for name in names {
        sandbox.artifact(name, format!("# Of {name}\n\nIt is written.\n"));
    }
    sandbox
}

/// Makes `quality` give this answer for the `nth` artifact that it is asked about.
fn of_nth(sandbox: Sandbox, nth: usize, said: &Value) -> Sandbox {
    let text = block("CRITIQUE", &said.to_string());
    sandbox.fake(&format!("r1_quality.{nth}.txt"), &text)
}

fn discussions(sandbox: &Sandbox, args: &[&str], code: i32) -> Value {
    let run = sandbox.run(&[&["discuss"], args, &["--json"]].concat());
    let document = run.exits(code).json();
    sandbox.is_of("discussions", &document);
    let record = document["record_path"].as_str().unwrap();
    assert!(fs::metadata(record).is_ok(), "{record}");
    let beside = fs::read_to_string(record.replace(".md", ".json")).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&beside).unwrap(), document);
    document
}

/// The values of one field over a list.
fn each<'a>(document: &'a Value, list: &str, field: &str) -> Vec<&'a str> {
    let entries = document[list].as_array().unwrap().iter();
    entries.map(|entry| entry[field].as_str().unwrap()).collect()
}

/// A document's counts: all, reached, blocked, undecided, not discussed.
fn counts(document: &Value) -> [u64; 5] {
    ["artifacts", "reached", "blocked", "undecided", "not_discussed"]
        .map(|name| document["summary"][name].as_u64().unwrap())
}

#[test]
fn three_files_have_three_records_and_one_summary() {
    let names = ["c.md", "a.md", "b.md"];
    let advice = json!({"suggestions": ["Name an owner."]});
    let sandbox = of_nth(with(&names), 2, &critique(2));
    let sandbox = of_nth(sandbox, 3, &critique_with(4, advice));
    let args = [&names[..], &QUALITY, &["--round-id", "SPRINT"]].concat();
    let document = discussions(&sandbox, &args, 1);
    assert_eq!(each(&document, "discussions", "artifact"), names);
    assert_eq!(each(&document, "discussions", "round_id"), ["SPRINT-1", "SPRINT-2", "SPRINT-3"]);
    assert_eq!(each(&document, "discussions", "severity"), ["none", "high", "low"]);
    assert_eq!(counts(&document), [3, 2, 1, 0, 0]);
    assert_eq!(document["summary"]["severity"], "high");
    assert_eq!(document["not_discussed"], json!([]));
    // Each is read in a prompt of its own, and once.
    let prompts = sandbox.prompts("r1/quality");
    assert_eq!(prompts.len(), 3);
    for (prompt, name) in prompts.iter().zip(names) {
        for other in names {
            let shown = prompt.contains(&format!("# Of {other}"));
            assert_eq!(shown, other == name, "{name}: {other}");
        }
    }
    let summary = document["record_path"].as_str().unwrap();
    assert!(summary.ends_with("/SPRINT-summary.md"), "{summary}");
    let page = fs::read_to_string(summary).unwrap();
    for one in document["discussions"].as_array().unwrap() {
        sandbox.is_of("discuss", one);
        let record = one["record_path"].as_str().unwrap();
        assert!(fs::metadata(record).is_ok(), "{record}");
        let name = one["artifact"].as_str().unwrap();
        assert!(page.contains(name), "{name}: {page}");
        let round = one["round_id"].as_str().unwrap();
        assert!(page.contains(&format!("{round}-discussion")), "{page}");
    }
    // The most urgent of all comes first, and names its artifact.
    let items = &document["summary"]["action_items"];
    assert_eq!(items[0]["artifact"], "a.md");
    assert_eq!(items[0]["urgency"], "high");
    assert_eq!(items[1]["artifact"], "b.md");
    // On a screen the worst comes first.
    let sandbox = of_nth(with(&names), 2, &critique(2));
    let run = sandbox.run(&[&["discuss"], &names[..], &QUALITY].concat());
    let text = &run.exits(1).stdout;
    assert!(text.starts_with("BLOCKED (high): 1 of 3 artifacts; 2 in consensus."), "{text}");
}

#[test]
fn fail_on_and_tasks_are_for_each() {
    let sandbox = of_nth(with(&["a.md", "b.md"]), 1, &critique(2));
    let args = ["a.md", "b.md", "--perspectives", "quality,technical"];
    let same = ["--round-id", "SAME"];
    let more = [&args[..], &same, &["--fail-on", "high", "--task-id", "T"]].concat();
    let document = discussions(&sandbox, &more, 0);
    assert_eq!(document["discussions"][0]["severity"], "medium");
    assert_eq!(each(&document, "discussions", "task_id"), ["T-1", "T-2"]);
    let more = [&args[..], &same, &["--exit-zero"]].concat();
    let document = discussions(&sandbox, &more, 0);
    // By now there is no objection left.
    assert_eq!(counts(&document), [2, 2, 0, 0, 0]);
    // The first run's files are kept.
    let summary = document["record_path"].as_str().unwrap();
    assert!(summary.ends_with("/SAME-summary-2.md"), "{summary}");
    for (record, number) in each(&document, "discussions", "record_path").into_iter().zip(1..) {
        let file = format!("/SAME-{number}-discussion-2.md");
        assert!(record.ends_with(&file), "{record}");
    }
}

#[test]
fn a_folder_is_read_in_order_without_what_is_no_document() {
    let sandbox = with(&[
        "notes/b.md",
        "notes/a.md",
        "notes/sub/c.txt",
        "notes/.hidden.md",
        "notes/private/d.md",
        "notes/z.md",
    ]);
    sandbox.write("notes/.gitignore", "private/\n");
    sandbox.write("notes/picture.png", b"\x89PNG\r\n\x1a\n\0\0\0\0");
    sandbox.write("notes/empty.md", "");
    let document = discussions(&sandbox, &[&["notes"], &QUALITY[..]].concat(), 0);
    assert_eq!(
        each(&document, "discussions", "artifact"),
        ["notes/a.md", "notes/b.md", "notes/sub/c.txt", "notes/z.md"]
    );
    assert_eq!(counts(&document), [4, 4, 0, 0, 0]);
    assert_eq!(warned(&document, ""), ["left_out", "left_out"]);
    let warnings = document["warnings"].to_string();
    for name in ["notes/empty.md", "notes/picture.png"] {
        assert!(warnings.contains(name), "{warnings}");
    }
    // The records of this run are not artifacts of the next one.
    let args = [&["."], &QUALITY[..]].concat();
    let document = discussions(&sandbox, &args, 0);
    assert_eq!(
        each(&document, "discussions", "artifact"),
        ["notes/a.md", "notes/b.md", "notes/sub/c.txt", "notes/z.md"]
    );
}

#[test]
fn a_folder_with_one_document_is_a_run_of_several_and_one_without_an_error() {
    let sandbox = with(&["notes/a.md"]);
    let args = [&["notes"], &QUALITY[..]].concat();
    // A folder was named: a reader of the result need not know how many files it has today.
    let document = discussions(&sandbox, &args, 0);
    assert_eq!(counts(&document), [1, 1, 0, 0, 0]);
    fs::create_dir(sandbox.project().join("void")).unwrap();
    let calls = sandbox.calls().len();
    let run = sandbox.run(&["discuss", "void", "--json"]);
    let document = run.exits(2).json();
    assert_eq!(document["error"]["code"], "artifact_folder_empty");
    assert_eq!(sandbox.calls().len(), calls);
}

/// A file that could have been discussed but was not counts against the result.
#[test]
fn a_file_of_a_folder_that_is_too_large_stands_against_the_result() {
    let sandbox = with(&["notes/a.md"]);
    sandbox.write("notes/b.md", "word ".repeat(200_000));
    let document = discussions(&sandbox, &[&["notes"], &QUALITY[..]].concat(), 4);
    assert_eq!(counts(&document), [2, 1, 0, 0, 1]);
    assert_eq!(each(&document, "not_discussed", "artifact"), ["notes/b.md"]);
    assert_eq!(each(&document, "not_discussed", "code"), ["too_large"]);
    let text = sandbox.run(&[&["discuss", "notes"], &QUALITY[..]].concat()).exits(4).stdout.clone();
    assert!(!text.contains("CONSENSUS REACHED"), "{text}");
    assert!(text.starts_with("NOT DISCUSSED: 1 of 2 artifacts"), "{text}");
}

#[test]
fn one_that_is_named_twice_is_read_once() {
    let sandbox = with(&["a.md", "b.md"]);
    let args = [&["a.md", "./a.md", "b.md"], &QUALITY[..]].concat();
    let document = discussions(&sandbox, &args, 0);
    assert_eq!(each(&document, "discussions", "artifact"), ["a.md", "b.md"]);
    assert_eq!(warned(&document, ""), ["left_out"]);
    assert_eq!(sandbox.calls().len(), 2);
}

#[test]
fn a_missing_one_among_ten_is_told_before_anybody_is_asked() {
    let names = ["a", "b", "c", "d", "e", "f", "g", "h", "i"].map(|name| format!("{name}.md"));
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let sandbox = with(&names);
    let run = sandbox.run(&[&["discuss"], &names[..], &["gone.md", "--json"]].concat());
    let document = run.exits(2).json();
    assert_eq!(document["error"]["code"], "artifact_missing");
    run.says("gone.md");
    assert!(sandbox.calls().is_empty());
    assert!(sandbox.sessions().is_empty());
    assert!(!sandbox.project().join(".debate").exists());
}

/// A call of `quality` costs 0.10 in this test; before each artifact 0.15 must be left for it.
#[test]
fn one_budget_is_for_all_and_what_does_not_fit_is_not_begun() {
    let names = ["a.md", "b.md", "c.md", "d.md", "e.md"];
    let sandbox = with(&names).fake("r1_quality.json", r#"{"cost": 0.10}"#);
    let args = [&names[..], &QUALITY, &["--budget", "0.40"]].concat();
    let document = discussions(&sandbox, &args, 4);
    assert_eq!(each(&document, "discussions", "artifact"), ["a.md", "b.md", "c.md"]);
    assert_eq!(each(&document, "not_discussed", "artifact"), ["d.md", "e.md"]);
    assert_eq!(each(&document, "not_discussed", "code"), ["budget", "budget"]);
    assert_eq!(counts(&document), [5, 3, 0, 0, 2]);
    assert_eq!(sandbox.calls().len(), 3);
    assert_eq!(document["cost"]["total_usd"], json!(0.3));
    assert_eq!(document["cost"]["budget_usd"], json!(0.4));
    let page = fs::read_to_string(document["record_path"].as_str().unwrap()).unwrap();
    assert!(page.contains("d.md (budget)"), "{page}");
    assert!(!page.contains("CONSENSUS REACHED"), "{page}");
    // Nothing fits at all: nothing is begun, and that is not agreement.
    let args = [&names[..], &QUALITY, &["--budget", "0.10"]].concat();
    let document = discussions(&sandbox, &args, 4);
    assert_eq!(counts(&document), [5, 0, 0, 0, 5]);
    assert_eq!(document["summary"]["severity"], Value::Null);
    assert_eq!(sandbox.calls().len(), 3);
}

#[test]
fn where_nobody_answers_the_run_ends_and_names_the_rest() {
    let names = ["a.md", "b.md", "c.md"];
    let sandbox = with(&names).fails("quality", "not_logged_in");
    let document = discussions(&sandbox, &[&names[..], &QUALITY].concat(), 4);
    assert_eq!(counts(&document), [3, 0, 0, 1, 2]);
    assert_eq!(each(&document, "not_discussed", "code"), ["nobody_answers", "nobody_answers"]);
    // For the first one each agent was asked once; for the others, none was.
    assert_eq!(sandbox.ledger(), ["claude r1/quality", "codex r1/quality", "gemini r1/quality"]);
    // One left undecided by an unreadable answer ends the run too, and gives 4 next to a blocked one.
    let sandbox = of_nth(with(&names), 1, &critique(1)).fake("r1_quality.2.txt", "It is fine.");
    let sandbox = sandbox.fake("r1_quality.3.txt", "It is fine.");
    let document = discussions(&sandbox, &[&names[..], &QUALITY].concat(), 4);
    assert_eq!(counts(&document), [3, 0, 1, 1, 1]);
    assert_eq!(sandbox.calls().len(), 3);
}

#[test]
fn a_signal_in_the_second_keeps_the_first_and_names_the_rest() {
    let names = ["a.md", "b.md", "c.md"];
    let sandbox = with(&names).fake("r1_quality.2.sh", "exec sleep 600");
    let args = [&["discuss"], &names[..], &QUALITY, &["--json"]].concat();
    let live = sandbox.start(&args);
    until("the second is asked about", || sandbox.calls().len() == 2);
    sandbox.until_calls(2);
    live.send(Signal::INT);
    let run = live.finish();
    let document = run.exits(130).json();
    sandbox.is_of("discussions", &document);
    sandbox.nothing_lives();
    assert_eq!(each(&document, "discussions", "outcome"), ["consensus_reached", "interrupted"]);
    assert_eq!(each(&document, "not_discussed", "artifact"), ["c.md"]);
    assert_eq!(each(&document, "not_discussed", "code"), ["interrupted"]);
    assert_eq!(counts(&document), [3, 1, 0, 1, 1]);
    let first = document["discussions"][0]["record_path"].as_str().unwrap();
    let page = fs::read_to_string(first).unwrap();
    assert!(page.contains("CONSENSUS REACHED"), "{page}");
    let summary = fs::read_to_string(document["record_path"].as_str().unwrap()).unwrap();
    assert!(!summary.contains("CONSENSUS REACHED"), "{summary}");
    // The interrupted artifact is resumed, and it is the only one asked about.
    sandbox.heal();
    let id = document["discussions"][1]["session_id"].as_str().unwrap();
    let resumed = sandbox.run(&["sessions", "resume", id, "--json"]);
    let resumed = resumed.exits(0).json();
    sandbox.is_of("discuss", &resumed);
    assert_eq!(resumed["artifact"], "b.md");
    assert_eq!(sandbox.calls().len(), 3);
}

#[test]
fn when_the_time_is_over_the_rest_is_named() {
    let names = ["a.md", "b.md"];
    let sandbox = with(&names).config(r#"{"limits": {"deadline_seconds": 1}}"#).hangs("quality");
    let document = discussions(&sandbox, &[&names[..], &QUALITY].concat(), 4);
    sandbox.nothing_lives();
    assert_eq!(each(&document, "discussions", "outcome"), ["interrupted"]);
    assert_eq!(each(&document, "not_discussed", "code"), ["deadline"]);
    assert_eq!(counts(&document), [2, 0, 0, 1, 1]);
}

#[test]
fn events_of_all_are_one_stream() {
    let names = ["a.md", "b.md"];
    let sandbox = with(&names);
    let args = [&["discuss"], &names[..], &QUALITY, &["--events", "-"]].concat();
    let run = sandbox.run(&args);
    let text = &run.exits(0).stdout;
    every_turn_ends(text);
    let events: Vec<Value> =
        (text.lines()).map(|line| serde_json::from_str(line).unwrap()).collect();
    let count = |kind: &str| events.iter().filter(|event| event["type"] == kind).count();
    assert_eq!(count("turn.started"), 2);
    assert_eq!(count("turn.finished"), 2);
}

#[test]
fn a_dry_run_asks_nobody_and_keeps_nothing() {
    let sandbox = with(&["a.md", "notes/b.md"]);
    let args = ["discuss", "a.md", "notes", "--dry-run", "--json"];
    let plan = sandbox.run(&args).exits(0).json();
    let turns = each(&plan, "calls", "turn");
    assert_eq!(
        turns,
        [
            "a.md: r1/product",
            "a.md: r1/technical",
            "a.md: r1/quality",
            "a.md: r1/risk",
            "notes/b.md: r1/product",
            "notes/b.md: r1/technical",
            "notes/b.md: r1/quality",
            "notes/b.md: r1/risk"
        ]
    );
    assert!(sandbox.calls().is_empty());
    assert!(!sandbox.project().join(".debate").exists());
    // A file that would be left out is reported before anything is paid.
    sandbox.write("notes/c.md", "word ".repeat(200_000));
    let plan = sandbox.run(&["discuss", "notes", "--dry-run", "--json"]);
    let plan = plan.exits(0).json();
    assert_eq!(each(&plan, "warnings", "code"), ["perspective_skipped", "not_discussed"]);
    assert!(plan["warnings"].to_string().contains("notes/c.md"), "{plan}");
    let policy = ["discuss", "a.md", "--apply-policy", "--dry-run"];
    sandbox.run(&policy).exits(0);
    assert!(sandbox.calls().is_empty());
    assert!(!sandbox.project().join(".debate").exists());
}

#[test]
fn a_rehearsal_of_a_folder_is_marked_as_one() {
    let sandbox = with(&["notes/a.md", "notes/b.md"]);
    let args = ["notes", "--rehearse", "--exit-zero"];
    let document = discussions(&sandbox, &args, 0);
    assert_eq!(document["rehearsal"], true);
    assert_eq!(document["cost"]["total_usd"], json!(0.0));
    let record = document["record_path"].as_str().unwrap();
    assert!(record.ends_with("-rehearsal-summary.md"), "{record}");
    let page = fs::read_to_string(record).unwrap();
    assert!(page.contains("REHEARSAL"), "{page}");
    assert!(sandbox.calls().is_empty());
}
