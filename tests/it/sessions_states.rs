//! The state of a session: every kind in every state, with all its outputs compared with each other, `sessions list`
//! with `status`, `show`, both exports and the MCP server.
#![cfg(target_os = "linux")]

use std::fs;

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::plan;
use crate::support::debates::TOPIC;
use crate::support::discusses::BRIEF;
use crate::support::live::{Live, until};
use crate::support::plans::TASK;
use crate::support::reviews;
use crate::support::styles::{self, CONTEXT};
use crate::support::{Sandbox, fixture};

/// A kind of session, and a turn of it that can be made to take ten minutes.
struct Kind {
    sandbox: Sandbox,
    args: Vec<&'static str>,
    slow: &'static str,
    /// Whether `--from-round` can fork it.
    rounds: bool,
}

/// The facts on which all outputs agree.
#[derive(Debug)]
struct Told {
    /// `running`, `interrupted`, or the outcome of its end or suspension.
    outcome: String,
    /// The first word of its result for people.
    head: String,
    /// The limit that suspended it.
    stopped_by: Option<String>,
    resumable: bool,
}

impl Kind {
    fn new(sandbox: Sandbox, args: &[&'static str], slow: &'static str) -> Self {
        // A real repository: if git cannot decide whose a session is, it is not resumed.
        sandbox.git(&["init", "--quiet"]);
        Self { sandbox, args: args.to_vec(), slow, rounds: true }
    }

    /// Makes the slow turn slow, or quick again.
    fn slow(&self, slow: bool) {
        let file = format!(".fake/scenario/{}.json", self.slow.replace('/', "_"));
        let file = self.sandbox.home().join(file);
        if slow {
            fs::write(file, r#"{"delay": 600}"#).unwrap();
        } else {
            fs::remove_file(file).unwrap();
        }
    }

    /// Waits until the slow turn is asked for the nth time, and the answers of those asked at the same time are
    /// journaled: from then on the session's outputs do not change.
    fn until_slow(&self, times: usize) {
        until("the slow call alone", || {
            let calls = self.sandbox.calls();
            let slow = calls
                .iter()
                .filter(|call| call.turn == self.slow && call.dir.join("start").is_file());
            slow.count() == times && self.others_are_journaled()
        });
    }

    fn others_are_journaled(&self) -> bool {
        let path = self.sandbox.sessions().pop().unwrap().join("journal.jsonl");
        let text = fs::read_to_string(path).unwrap();
        let records: Vec<Value> =
            text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        let of = |kind: &'static str| records.iter().filter(move |record| record["type"] == kind);
        of("call.intent")
            .filter(|call| call["body"]["intent"]["turn"] != self.slow)
            .all(|call| of("call.result").any(|got| got["body"]["key"] == call["body"]["key"]))
    }

    /// The newest session.
    fn newest(&self) -> String {
        let list = self.sandbox.run(&["sessions", "list", "--json"]).json();
        list["sessions"][0]["session_id"].as_str().unwrap().to_owned()
    }

    /// Compares all outputs about a session.
    fn told(&self, id: &str) -> Told {
        let run = |args: &[&str]| self.sandbox.run(args).exits(0).stdout.clone();
        let json = |args: &[&str]| -> Value { serde_json::from_str(&run(args)).unwrap() };
        let list = json(&["sessions", "list", "--json"]);
        let all = list["sessions"].as_array().unwrap();
        let entry = all.iter().find(|entry| entry["session_id"] == id).unwrap();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let state = text(&entry["status"]);
        let outcome = match entry["outcome"].as_str() {
            Some(outcome) => outcome.to_owned(),
            None => state.clone(),
        };
        let resumable = ["suspended", "interrupted"].contains(&&*state);

        let status = json(&["sessions", "status", id, "--json"]);
        // For a running one, the rest changes between two looks.
        for field in ["status", "outcome", "verdict", "stopped_by", "protocol"] {
            assert_eq!(status["session"][field], entry[field], "{field}");
        }
        let page = run(&["sessions", "status", id]);
        let resume = format!("sessions resume {}", &id[..13]);
        assert_eq!(page.contains(&resume), resumable, "{page}");

        let shown = json(&["sessions", "show", id, "--json"]);
        assert_eq!(shown["outcome"], *outcome, "{shown:#}");
        assert_eq!(shown["stopped_by"], entry["stopped_by"]);
        if state == "closed" {
            assert_eq!(shown["verdict"], entry["verdict"]);
        }
        assert_eq!(shown["completed_at"].is_null(), state != "closed");
        if shown["protocol"] == "dialogue" {
            let going = ["running", "interrupted"].contains(&&*outcome);
            assert_eq!(shown["status"] == "in_progress", going, "{shown:#}");
        }

        let page = run(&["sessions", "show", id, "--full"]);
        let head = |text: &str| {
            let heads = text.lines().map(|line| line.trim_start_matches(['*', '#', ' ']));
            let mut heads = heads.filter_map(|line| line.split_once([':', ' ', ';']));
            heads
                .find(|(word, _)| word.len() >= 3 && word.chars().all(|c| c.is_ascii_uppercase()))
                .map(|(word, _)| word.to_owned())
        };
        let first = head(&page).unwrap_or_else(|| panic!("{page}"));
        let report = run(&["sessions", "show", id, "--format", "md"]);
        assert_eq!(head(&report).as_deref(), Some(&*first), "{report}");
        assert!(!page.contains("sessions show"), "{page}");
        let goes_on = page.contains(&resume) && !page.contains("--from-round");
        assert_eq!(goes_on, resumable, "{page}");
        assert_eq!(page.contains("sessions status"), state == "running", "{page}");
        if state == "running" {
            assert!(!page.contains("UNDECIDED") && !page.contains("interrupted"), "{page}");
            assert!(!report.contains("can be resumed"), "{report}");
        }

        let mut mcp = self.sandbox.mcp();
        let about = json!({ "session_id": id });
        let standing = mcp.result("session_status", about.clone());
        let result = mcp.result("session_result", about);
        assert_eq!(standing["status"], result["status"]);
        assert_eq!(result["resumable"], resumable, "{result}");
        assert_eq!(standing["resumable"], resumable, "{standing}");
        let word = match (&*state, &*outcome) {
            ("closed", _) => "done",
            ("running", _) => "running",
            (_, "interrupted") => "interrupted",
            _ => "suspended",
        };
        assert_eq!(result["status"], word, "{result}");
        if state != "running" {
            let summary = result["summary"].as_str().unwrap();
            assert!(summary.starts_with(&first), "{first}: {summary}");
            assert_eq!(result["outcome"], *outcome);
        }
        mcp.finish().exits(0);
        Told {
            outcome,
            head: first,
            stopped_by: entry["stopped_by"].as_str().map(str::to_owned),
            resumable,
        }
    }

    fn resumes(&self, id: &str) -> Live<'_> {
        self.sandbox.start(&["sessions", "resume", id])
    }

    /// Leads a session through all states.
    fn all_states(self) {
        // Closed with its own outcome.
        let run = self.sandbox.run(&self.args);
        assert!([0, 1].contains(&run.code), "{}{}", run.stdout, run.stderr);
        let told = self.told(&self.newest());
        assert!(!told.resumable && told.head != "TERMINATED", "{told:?}");
        let asked = self.sandbox.calls();
        let before = asked.iter().filter(|call| call.turn == self.slow).count();

        self.slow(true);
        let run = self.sandbox.start(&self.args);
        self.until_slow(before + 1);
        let id = self.newest();
        let told = self.told(&id);
        assert_eq!((&*told.outcome, &*told.head), ("running", "RUNNING"));
        run.send(Signal::INT);
        run.finish().exits(130);
        assert_eq!(self.told(&id).outcome, "interrupted");

        let mut run = self.resumes(&id);
        self.until_slow(before + 2);
        assert_eq!(self.told(&id).head, "RUNNING");
        run.child.kill().unwrap();
        run.child.wait().unwrap();
        until("the end of all", || self.sandbox.processes().is_empty());
        let told = self.told(&id);
        assert_eq!(told.outcome, "interrupted");
        assert!(told.resumable);

        let run = ["sessions", "resume", &id, "--budget", "0.001"];
        self.sandbox.run(&run);
        let told = self.told(&id);
        assert_eq!(told.outcome, "budget");
        assert_eq!(told.stopped_by.as_deref(), Some("budget"));
        assert!(told.resumable);

        let mut run = (self.sandbox).command(&["sessions", "resume", &id, "--budget", "9"]);
        Sandbox::finish(run.env("DEBATE_AGENT_DEADLINE", "1").output().unwrap());
        let told = self.told(&id);
        assert_eq!(told.outcome, "interrupted");
        assert_eq!(told.stopped_by.as_deref(), Some("deadline"));
        assert!(told.resumable);

        self.sandbox.run(&["sessions", "terminate", &id]).exits(0);
        let told = self.told(&id);
        assert_eq!((&*told.outcome, &*told.head), ("terminated", "TERMINATED"));
        let again = self.sandbox.run(&["sessions", "resume", &id]);
        again.exits(4);
        assert!(again.stdout.contains("TERMINATED"), "{}", again.stdout);
        assert_eq!(again.stdout.contains("--from-round"), self.rounds);
        if self.rounds {
            // The advice works.
            self.slow(false);
            let again = ["sessions", "resume", &id, "--from-round", "1", "--budget", "9"];
            let run = self.sandbox.run(&again);
            assert!([0, 1].contains(&run.code), "{}{}", run.stdout, run.stderr);
        }
        self.sandbox.nothing_lives();
    }
}

#[test]
fn a_partner_debate() {
    let sandbox = Sandbox::new().scenario("backlog/consensus");
    sandbox.six();
    let args = ["prioritize", "backlog.json"];
    let kind = Kind::new(sandbox, &args, "r1/moderator");
    Kind { rounds: false, ..kind }.all_states();
}

/// An agent's failure ends the protocol, but not the session.
#[test]
fn a_debate_that_an_agent_failed() {
    let sandbox = Sandbox::new().scenario("backlog/consensus");
    sandbox.six();
    sandbox.write("debate-agent.config.json", r#"{"limits": {"retries": 0}}"#);
    let sandbox = sandbox.fake("r1_critic.json", r#"{"crash": 7}"#);
    let kind = Kind::new(sandbox, &["prioritize", "backlog.json"], "r1/critic");
    kind.sandbox.run(&kind.args).exits(4);
    let id = kind.newest();
    let told = kind.told(&id);
    assert_eq!(told.outcome, "agent_failure");
    assert!(told.resumable);

    kind.slow(true);
    let run = kind.resumes(&id);
    kind.until_slow(2);
    assert_eq!(kind.told(&id).head, "RUNNING");
    run.send(Signal::INT);
    run.finish().exits(130);

    let sandbox = &kind.sandbox;
    let failing = sandbox.home().join(".fake/scenario/r1_critic.json");
    fs::write(failing, r#"{"crash": 7}"#).unwrap();
    sandbox.run(&["sessions", "resume", &id]).exits(4);
    assert_eq!(kind.told(&id).outcome, "agent_failure");
    sandbox.run(&["sessions", "terminate", &id]).exits(0);
    let told = kind.told(&id);
    assert_eq!((&*told.outcome, &*told.head), ("terminated", "TERMINATED"));
    sandbox.nothing_lives();
}

#[test]
fn an_inquiry() {
    let sandbox = Sandbox::new().scenario("discovery/features");
    sandbox.write("src/store.py", "def keep(item):\n    return item\n");
    let args = ["discover", "--type", "feature", "--no-debate"];
    let kind = Kind::new(sandbox, &args, "features");
    Kind { rounds: false, ..kind }.all_states();
}

#[test]
fn a_dialogue() {
    let args = ["debate", TOPIC];
    Kind::new(Sandbox::disputing(), &args, "r2/rebuttal").all_states();
}

#[test]
fn typed_arguments() {
    let args = ["debate", TOPIC, "--style", "argument", CONTEXT[0], CONTEXT[1]];
    Kind::new(styles::accepted(), &args, "r1/defense").all_states();
}

#[test]
fn a_panel() {
    let args = ["debate", TOPIC, "--style", "panel"];
    let sandbox = styles::three(["Redis", "Redis", "Redis"]);
    Kind::new(sandbox, &args, "r2/vote/s2").all_states();
}

#[test]
fn a_review() {
    let args = ["review", "--fail-on", "P0"];
    Kind::new(reviews::agreeing(), &args, "r2/cross/s2").all_states();
}

#[test]
fn a_plan() {
    Kind::new(plan::agreeing(), &["plan", TASK], "validate/s2").all_states();
}

#[test]
fn a_critique() {
    let args = ["discuss", BRIEF, "--perspectives", "product,technical,quality"];
    Kind::new(Sandbox::discussing(), &args, "r1/quality").all_states();
}

/// A debate with the source's record but no journal: every command knows it, and names the commands that work.
#[test]
fn a_record_without_a_journal_is_known_to_every_command() {
    let sandbox = Sandbox::new();
    let file = fs::read_to_string(fixture("source/debates/debate-20251218.json")).unwrap();
    sandbox.write(".swarm/backlog/debates/debate-20251218.json", &file);
    let given: Value = serde_json::from_str(&file).unwrap();
    let id = given["session_id"].as_str().unwrap();
    let list = sandbox.run(&["sessions", "list", "--json"]);
    assert_eq!(list.exits(0).json()["records"], json!([id]));
    sandbox.run(&["sessions", "list"]).exits(0).prints(id);
    for (command, more) in [
        ("status", &[][..]),
        ("resume", &[]),
        ("terminate", &[]),
        ("decide", &["--set", "backlog.rank_stability=0.5"]),
        ("show", &["--format", "transcript"]),
    ] {
        let args = [&["sessions", command, "debate-2025"], more].concat();
        sandbox
            .run(&args)
            .exits(2)
            .says(&format!("`debate-agent sessions show {id}`"))
            .says("no journal");
    }
    sandbox.run(&["sessions", "show", id, "--json"]).exits(0);
}

/// The first calls of each kind, cut off: an agent that was called is not reported as unasked, and one that was not
/// is not reported as silent.
#[test]
fn whose_call_was_cut_off_was_asked() {
    let inquiry = Sandbox::new();
    inquiry.write("src/store.py", "def keep(item):\n    return item\n");
    let critique = ["discuss", BRIEF, "--perspectives", "product,technical"];
    for (sandbox, args, calls) in [
        (Sandbox::disputing(), &["debate", TOPIC][..], 1),
        (styles::three(["Redis", "Redis", "Redis"]), &["debate", TOPIC, "--style", "panel"], 3),
        (reviews::agreeing(), &["review"], 2),
        (plan::agreeing(), &["plan", TASK], 2),
        (Sandbox::discussing(), &critique, 2),
        (inquiry, &["discover", "--type", "feature", "--no-debate"], 1),
    ] {
        let sandbox = sandbox.slow("600");
        let run = sandbox.start(args);
        sandbox.until_calls(calls);
        run.send(Signal::INT);
        run.finish().exits(130);
        let called: Vec<String> = sandbox.calls().into_iter().map(|call| call.cli).collect();
        let id = sandbox.only_session();
        let shown = sandbox.run(&["sessions", "show", &id, "--json"]);
        let shown = shown.exits(0).json();
        for seat in shown["seats"].as_array().unwrap() {
            let was = called.iter().any(|cli| seat["agent"] == **cli);
            let status = if was { "asked" } else { "skipped" };
            assert_eq!(seat["status"], status, "{args:?}: {called:?}, {seat}");
        }
    }
}
