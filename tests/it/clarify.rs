//! Facts before the first turn, through the binary: stated (`--facts`), asked for (`--clarify`), or kept as assumptions
//! (`--clarify=list`). The ledger counts the calls.
#![cfg(target_os = "linux")]

use std::path::Path;

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::support::Sandbox;
use crate::support::crash::warnings;
use crate::support::debates::TOPIC;
use crate::support::plans::TASK;
use crate::support::replies::block;
use crate::support::terminal::Terminal;

/// The question that decides, and what is assumed without an answer.
const WHERE: (&str, &str) = ("Where do the workers run?", "They run on several machines.");
const WHO: (&str, &str) = ("Who pays for it?", "The shop pays.");

/// Makes the clarifier ask both questions.
fn curious(sandbox: Sandbox) -> Sandbox {
    let questions = [WHERE, WHO].map(|(question, assume)| {
        json!({"question": question, "why": "It decides the lock.", "assume": assume})
    });
    let body = json!({ "questions": questions });
    sandbox.fake("r0_clarify.txt", &block("CLARIFY", &body.to_string()))
}

fn debate(sandbox: &Sandbox, more: &[&str], code: i32) -> Value {
    sandbox.run(&[&["debate", TOPIC, "--json"], more].concat()).exits(code).json()
}

/// Calls of agents by turn, in order.
fn turns(sandbox: &Sandbox) -> Vec<String> {
    sandbox.calls().into_iter().map(|call| call.turn).collect()
}

fn texts(facts: &Value) -> Vec<&str> {
    let facts = facts.as_array().map(Vec::as_slice).unwrap_or_default();
    facts.iter().map(|fact| fact["text"].as_str().unwrap()).collect()
}

fn usual_turns() -> Vec<String> {
    let sandbox = Sandbox::disputing();
    debate(&sandbox, &[], 0);
    turns(&sandbox)
}

#[test]
fn a_list_costs_one_call_and_every_prompt_after_it_has_the_assumptions() {
    let sandbox = curious(Sandbox::disputing());
    let document = debate(&sandbox, &["--clarify=list"], 0);
    let asked = turns(&sandbox);
    assert_eq!((&*asked[0], &asked[1..]), ("r0/clarify", &*usual_turns()));
    assert_eq!(document["outcome"], "expert", "it decides nothing");
    assert_eq!(texts(&document["assumptions"]), [WHERE.1, WHO.1]);
    assert_eq!(document["assumptions"][0]["question"], WHERE.0);
    assert_eq!(texts(&document["facts"]), [""; 0]);
    for call in sandbox.calls() {
        let expected = call.turn != "r0/clarify";
        assert_eq!(call.read("stdin").contains(WHERE.1), expected, "{}", call.turn);
    }
    // It reads what the others read, is the first participant's agent, and thinks least.
    let first = &sandbox.calls()[0];
    assert!(first.read("stdin").contains(TOPIC));
    assert_eq!(first.cli, "claude");
    assert!(first.read("argv").contains("low"), "{}", first.read("argv"));
    let seats: Vec<&Value> =
        document["seats"].as_array().unwrap().iter().map(|seat| &seat["role"]).collect();
    assert_eq!(seats, ["proposer", "reviewer", "expert"], "it has no seat");
    // Shown again, it is the same, without a call.
    let (id, before) = (document["session_id"].as_str().unwrap(), turns(&sandbox).len());
    let again = sandbox.run(&["sessions", "resume", id, "--json"]).exits(0).json();
    assert_eq!(again["assumptions"], document["assumptions"]);
    let page = sandbox.run(&["sessions", "show", id, "--full"]);
    page.exits(0);
    assert!(page.stdout.contains(WHERE.1), "{}", page.stdout);
    assert_eq!(turns(&sandbox).len(), before);
    let record = std::fs::read_to_string(document["report_path"].as_str().unwrap()).unwrap();
    assert!(record.contains("## Assumed, since nobody said it"), "{record}");
}

/// A call that nobody can answer is never paid.
#[test]
fn without_a_terminal_a_person_is_not_asked_for() {
    let sandbox = curious(Sandbox::disputing());
    sandbox.write("facts.md", "They run in one rack.\n");
    for args in [
        &["debate", TOPIC, "--clarify"][..],
        &["debate", TOPIC, "--clarify=ask"],
        &["debate", TOPIC, "--clarify", "--facts", "facts.md"],
        &["debate", TOPIC, "--clarify", "--rehearse"],
        &["plan", TASK, "--clarify"],
    ] {
        let run = sandbox.run(args);
        run.exits(2).says("there is no terminal to ask at").says("--clarify=list");
    }
    sandbox.run(&["debate", TOPIC, "--clarify=never"]).exits(2);
    assert!(sandbox.calls().is_empty() && sandbox.sessions().is_empty());
}

#[test]
fn facts_that_are_stated_cost_nothing() {
    let sandbox = Sandbox::disputing();
    sandbox.write("facts.md", "# Known\n\n- They run in one rack.\n- Twelve people use it.\n");
    let document = debate(&sandbox, &["--facts", "facts.md"], 0);
    assert_eq!(turns(&sandbox), usual_turns());
    assert_eq!(texts(&document["facts"]), ["They run in one rack.", "Twelve people use it."]);
    for call in sandbox.calls() {
        let prompt = call.read("stdin");
        assert!(prompt.contains("# What the person says\n"), "{}", call.turn);
        assert!(prompt.contains("| - They run in one rack.\n| - Twelve people use it.\n"));
    }
    // Together with the questions: they are known to who asks.
    let sandbox = curious(Sandbox::disputing());
    sandbox.write("facts.md", "They run in one rack.\n");
    let document = debate(&sandbox, &["--facts", "facts.md", "--clarify=list"], 0);
    assert!(sandbox.prompts("r0/clarify")[0].contains("They run in one rack."));
    assert_eq!((texts(&document["facts"]).len(), texts(&document["assumptions"]).len()), (1, 2));
    sandbox.write("facts.md", "\n# Nothing\n");
    sandbox.run(&["debate", TOPIC, "--facts", "facts.md"]).exits(2).says("contains no fact");
    sandbox.run(&["debate", TOPIC, "--facts", "missing.md"]).exits(2).says("missing.md");
    sandbox.run(&["debate", "-", "--facts", "-"]).exits(2).says("can be read only once");
}

/// A reply that is missing or unreadable is one call, a warning, and no reason to ask again.
#[test]
fn a_clarifier_that_fails_holds_nobody_up() {
    for (file, reply) in
        [("r0_clarify.txt", "Nothing comes to my mind."), ("r0_clarify.sh", "exit 3")]
    {
        let sandbox = Sandbox::disputing().fake(file, reply);
        let document = debate(&sandbox, &["--clarify=list"], 0);
        let asked = turns(&sandbox);
        let clarifying = asked.iter().filter(|turn| *turn == "r0/clarify").count();
        assert!(clarifying >= 1, "{asked:?}");
        if Path::new(file).extension().is_some_and(|extension| extension == "txt") {
            assert_eq!(clarifying, 1, "it is not repaired: {asked:?}");
        }
        assert_eq!(document["outcome"], "expert");
        let warnings = warnings(&document);
        assert!(warnings.iter().any(|code| code.contains("not_clarified")), "{warnings:?}");
        assert!(document.get("assumptions").is_none());
    }
}

#[test]
fn a_person_answers_or_skips_each_question_at_the_terminal() {
    let sandbox = curious(Sandbox::disputing());
    let args = ["debate", TOPIC, "--clarify", "--json"];
    let mut terminal = Terminal::start(&sandbox, &args);
    terminal.sees("Q1: Where do the workers run?");
    terminal.sees("Assumed otherwise: They run on several machines.");
    terminal.types(&["In one rack."]);
    terminal.sees("Q2: Who pays for it?").types(&[""]);
    let document = terminal.finish().exits(0).json();
    assert_eq!(document["facts"], json!([{"question": WHERE.0, "text": "In one rack."}]));
    assert_eq!(document["assumptions"], json!([{"question": WHO.0, "text": WHO.1}]));
    for call in sandbox.calls().into_iter().filter(|call| call.turn != "r0/clarify") {
        assert!(call.read("stdin").contains("In one rack."), "{}", call.turn);
    }
    // From round 2 on it is asked again with the same facts, and nobody is asked for them.
    let id = document["session_id"].as_str().unwrap();
    let forked = sandbox.run(&["sessions", "resume", id, "--from-round", "2", "--json"]);
    let forked = forked.exits(0).json();
    assert_eq!(forked["facts"], document["facts"]);
    let clarifying = turns(&sandbox).into_iter().filter(|turn| turn == "r0/clarify");
    assert_eq!(clarifying.count(), 1);
}

/// The end of the input skips what is left.
#[test]
fn the_end_of_the_input_skips_the_rest() {
    let sandbox = curious(Sandbox::disputing());
    let mut terminal = Terminal::start(&sandbox, &["debate", TOPIC, "--clarify", "--json"]);
    terminal.sees("Q1: ").press(4);
    let document = terminal.finish().exits(0).json();
    assert_eq!(texts(&document["assumptions"]), [WHERE.1, WHO.1]);
}

#[test]
fn a_terminal_that_is_closed_sends_nothing_and_nobody_is_asked() {
    let sandbox = curious(Sandbox::disputing());
    let mut terminal = Terminal::start(&sandbox, &["debate", TOPIC, "--clarify", "--json"]);
    terminal.sees("Q1: ").sees("skip it > ");
    let document = terminal.close().exits(129).json();
    assert_eq!(document["outcome"], "interrupted");
    assert_eq!(turns(&sandbox), ["r0/clarify"]);
    // A resume asks the person again, and the clarifier is not paid again.
    let id = document["session_id"].as_str().unwrap();
    let mut terminal = Terminal::start(&sandbox, &["sessions", "resume", id, "--json"]);
    terminal.sees("Q1: ").press(4);
    terminal.finish().exits(0);
    assert_eq!(turns(&sandbox).iter().filter(|turn| *turn == "r0/clarify").count(), 1);
}

#[test]
fn ctrl_c_in_a_question_ends_at_once() {
    let sandbox = curious(Sandbox::disputing());
    let mut terminal = Terminal::start(&sandbox, &["debate", TOPIC, "--clarify", "--json"]);
    terminal.sees("Q1: ").sees("skip it > ");
    terminal.send(Signal::INT);
    assert_eq!(terminal.finish().exits(130).json()["outcome"], "interrupted");
    assert_eq!(turns(&sandbox), ["r0/clarify"]);
    sandbox.nothing_lives();
}

/// Nobody was paid for a question, so nothing is possibly paid twice.
#[test]
fn a_run_that_is_killed_in_a_question_is_resumed_without_a_word_of_money() {
    let sandbox = curious(Sandbox::disputing());
    let mut terminal = Terminal::start(&sandbox, &["debate", TOPIC, "--clarify", "--json"]);
    terminal.sees("Q1: ").sees("skip it > ");
    terminal.send(Signal::KILL);
    terminal.finish();
    let listed = sandbox.run(&["sessions", "list", "--json"]).exits(0).json();
    let id = listed["sessions"][0]["session_id"].as_str().unwrap();
    let mut terminal = Terminal::start(&sandbox, &["sessions", "resume", id, "--json"]);
    terminal.sees("Q1: ").press(4);
    let document = terminal.finish().exits(0).json();
    assert!(!document["warnings"].to_string().contains("possibly_paid_twice"));
}

#[test]
fn a_plan_has_its_facts_in_the_same_way() {
    let usual = Sandbox::new().scenario("plan/agreeing");
    usual.run(&["plan", TASK, "--json"]).exits(0);
    let sandbox = curious(Sandbox::new().scenario("plan/agreeing"));
    sandbox.write("facts.md", "The store has two readers.\n");
    let args = ["plan", TASK, "--clarify=list", "--facts", "facts.md", "--json"];
    let document = sandbox.run(&args).exits(0).json();
    assert_eq!(sandbox.calls().len(), usual.calls().len() + 1);
    assert_eq!(texts(&document["facts"]), ["The store has two readers."]);
    assert_eq!(texts(&document["assumptions"]), [WHERE.1, WHO.1]);
    for call in sandbox.calls() {
        let prompt = call.read("stdin");
        assert!(prompt.contains("The store has two readers."), "{}", call.turn);
        assert_eq!(prompt.contains(WHERE.1), call.turn != "r0/clarify", "{}", call.turn);
    }
    assert_eq!(document["seats"].as_array().unwrap().len(), 2);
    let id = document["session_id"].as_str().unwrap();
    let page = sandbox.run(&["sessions", "show", id, "--full"]);
    assert!(page.exits(0).stdout.contains(WHERE.1));
}

#[test]
fn a_rehearsal_shows_how_it_goes() {
    let sandbox = Sandbox::new();
    for args in [
        &["debate", TOPIC, "--clarify=list", "--rehearse", "--json"][..],
        &["debate", TOPIC, "--clarify=list", "--rehearse", "--json", "--style", "panel"],
        &["debate", TOPIC, "--clarify=list", "--rehearse", "--json", "--style", "argument"],
        &["plan", TASK, "--clarify=list", "--rehearse", "--json"],
    ] {
        let document = sandbox.run(args).json();
        assert_eq!(texts(&document["assumptions"]).len(), 1, "{args:?}: {document}");
        assert!(document["facts"].is_null());
    }
}
