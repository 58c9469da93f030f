//! `sessions show --format transcript`: what was asked, what was answered, and what the program made of it.

use std::fs;

use serde_json::{Value, json};

use crate::support::reviews::{agreeing, past_end};
use crate::support::{Run, Sandbox};

const TURN: &str = "r1/review/s2";
const REFUSAL: &str = "I cannot review ``` this.";

/// A review whose second seat had to be asked twice.
fn repaired() -> Sandbox {
    let sandbox = agreeing().fake("r1_review_s2.1.txt", REFUSAL);
    sandbox.run(&["review", "--json"]).exits(1);
    sandbox
}

fn show(sandbox: &Sandbox, more: &[&str]) -> Run {
    sandbox.run(&[&["sessions", "show", "@last"], more].concat())
}

#[test]
fn a_repaired_turn_is_told_from_its_prompt_to_what_was_read() {
    let sandbox = repaired();
    let asked = sandbox.prompts(TURN);
    let told = show(&sandbox, &["--format", "transcript", "--turn", TURN]).exits(0).stdout.clone();
    let parts = [
        "## r1/review/s2: ",
        "\nPrompt:\n",
        "\nAnswer:\n",
        "Not a valid answer: it was not counted.",
        "Why: ",
        REFUSAL,
        "attempt 2 (asked to repair)",
        "\nPrompt:\n",
        "<<<REVIEW_START>>>",
        "r1/review/s2 was read as:",
    ];
    let mut rest = told.as_str();
    for part in parts {
        rest = rest.split_once(part).unwrap_or_else(|| panic!("{part} is missing in {told}")).1;
    }
    assert!(!told.contains("## r1/review/s1"), "{told}");
    let document = show(&sandbox, &["--json", "--turn", TURN]).exits(0).json();
    let turn = &document["turns"][0];
    assert_eq!(document["turns"].as_array().unwrap().len(), 1);
    assert_eq!((&turn["turn"], &turn["seat"]), (&TURN.into(), &"s2".into()), "{turn}");
    let (first, second) = (&turn["attempts"][0], &turn["attempts"][1]);
    assert_eq!((&first["answer"], &first["valid"]), (&REFUSAL.into(), &false.into()), "{turn}");
    assert_eq!((&second["valid"], &second["problems"]), (&true.into(), &Value::Array(vec![])));
    assert!(first["problems"][0].is_string() && turn["gist"][0].is_string(), "{turn}");
    for (asked, prompt) in asked.iter().zip([&turn["prompt"], &second["prompt"]]) {
        let prompt = prompt["prompt"].as_str().unwrap();
        assert!(prompt.len() > 1000 && asked.contains(prompt), "{prompt}");
    }
    // The last answer alone, and a seat's turns; all of them as a document.
    let raw = show(&sandbox, &["--format", "transcript", "--turn", TURN, "--raw"]);
    assert_eq!(raw.exits(0).stdout, second["answer"].as_str().unwrap());
    let seat =
        show(&sandbox, &["--format", "transcript", "--json", "--seat", "s2"]).exits(0).json();
    let seats = seat["turns"].as_array().unwrap();
    assert!(seats.len() > 1 && seats.iter().all(|turn| turn["seat"] == "s2"), "{seat}");
    let all = show(&sandbox, &["--format", "transcript", "--json"]).exits(0).json();
    assert!(all["turns"].as_array().unwrap().len() > seats.len(), "{all}");
}

#[test]
fn a_part_that_is_no_transcripts_is_refused() {
    let sandbox = repaired();
    for (args, says) in [
        (&["--turn", TURN][..], "--format transcript"),
        (&["--raw", "--json"], "`--raw` is without `--json`"),
        (&["--format", "transcript", "--turn", "r1/rev"], "r1/review/s1, r1/review/s2"),
        (&["--format", "transcript", "--raw", "--turn", "r1"], "not of several"),
        (&["--format", "sarif", "--seat", "s1"], "--format transcript"),
    ] {
        show(&sandbox, args).exits(2).says(says);
    }
}

#[test]
fn prompts_that_are_gone_are_missed_once_and_those_of_nobody_are_removed() {
    let sandbox = repaired();
    let folder = sandbox.sessions()[0].join("prompts");
    let count = || fs::read_dir(&folder).unwrap().count();
    let before = count();
    fs::write(folder.join("5f".repeat(32)), "of nobody").unwrap();
    let removed = sandbox.run(&["sessions", "gc"]).exits(0).stdout.clone();
    assert!(removed.contains("a prompt that no record points to"), "{removed}");
    assert_eq!(count(), before);
    // Another content under its name is not shown as what was asked.
    for file in fs::read_dir(&folder).unwrap() {
        fs::write(file.unwrap().path(), "planted").unwrap();
    }
    let told = show(&sandbox, &["--format", "transcript"]).exits(0).stdout.clone();
    assert_eq!(told.matches("Its prompt was not kept").count(), 1, "{told}");
    assert!(told.contains(REFUSAL) && !told.contains("planted"), "{told}");
}

#[test]
fn a_failed_turn_keeps_what_was_said() {
    let sandbox = Sandbox::new().fake("r1_critic.txt", REFUSAL).repository();
    sandbox.six();
    sandbox.run(&["prioritize", "backlog.json"]).exits(4);
    let document = show(&sandbox, &["--json", "--seat", "critic"]).exits(0).json();
    let turn = &document["turns"][0];
    assert!(turn["failure"].as_str().unwrap().starts_with("unreadable: "), "{turn}");
    let attempts = turn["attempts"].as_array().unwrap();
    assert!(attempts.len() > 1, "{turn}");
    for attempt in attempts {
        assert_eq!(attempt["answer"], REFUSAL, "{turn}");
    }
    let told = show(&sandbox, &["--format", "transcript", "--seat", "critic"]);
    let told = &told.exits(0).stdout;
    // A prompt to repair quotes it once more.
    assert!(told.matches(REFUSAL).count() >= attempts.len(), "{told}");
    assert!(told.contains("r1/critic: no answer (unreadable)"), "{told}");
    assert!(!told.contains("## r1/champion"), "{told}");
}

#[test]
fn what_was_noticed_about_a_call_is_told() {
    let sandbox = repaired();
    let known = "the CLI does not name its model";
    let one = ["--turn", "r1/review/s1"];
    let document = show(&sandbox, &[&["--json"], &one[..]].concat()).exits(0).json();
    let notes = document["turns"][0]["attempts"][0]["notes"].to_string();
    assert!(notes.contains(known), "{document}");
    let told = show(&sandbox, &[&["--format", "transcript"], &one[..]].concat());
    let is_note = |line: &str| line.starts_with("Noted: ") && line.contains(known);
    assert!(told.exits(0).stdout.lines().any(is_note), "{}", told.stdout);
}

#[test]
fn what_was_left_out_of_an_answer_is_told_with_the_reason() {
    let nameless = json!({"severity": "P1", "file": "src/store.py", "line": 5});
    let sandbox = agreeing().finds("s2", &[past_end(), nameless]);
    sandbox.run(&["review", "--json"]);
    let left_out = "left out: finding 2: `title` must be text";
    let document = show(&sandbox, &["--json", "--turn", TURN]).exits(0).json();
    let attempts = document["turns"][0]["attempts"].as_array().unwrap();
    let [.., last] = attempts.as_slice() else { panic!("{document}") };
    let notes = last["notes"].as_array().unwrap();
    assert!(notes.iter().any(|note| note == left_out), "{document}");
    let told = show(&sandbox, &["--format", "transcript", "--turn", TURN]).exits(0).stdout.clone();
    assert!(told.contains("Noted: left out: finding 2: "), "{told}");
}
