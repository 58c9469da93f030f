//! Where a session stands: every kind in every state, and all that tells of it compared with each other, `sessions list`
//! with `status`, `show`, both exports and the MCP server.
#![cfg(target_os = "linux")]

use std::fs;

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::plan;
use crate::support::Sandbox;
use crate::support::debates::TOPIC;
use crate::support::discusses::BRIEF;
use crate::support::live::{Live, until};
use crate::support::plans::TASK;
use crate::support::reviews;
use crate::support::styles::{self, CONTEXT};

/// A kind of session, and a turn of it that can be made to take ten minutes.
struct Kind {
    sandbox: Sandbox,
    args: Vec<&'static str>,
    slow: &'static str,
    /// Whether `--from-round` begins it again.
    rounds: bool,
}

/// What all surfaces say alike.
#[derive(Debug)]
struct Told {
    /// `running`, `interrupted`, or how it ended or was suspended.
    outcome: String,
    /// The first word of its result for people.
    head: String,
    resumable: bool,
}

impl Kind {
    fn new(sandbox: Sandbox, args: &[&'static str], slow: &'static str) -> Self {
        fs::create_dir_all(sandbox.project().join(".git")).unwrap();
        Self {
            sandbox,
            args: args.to_vec(),
            slow,
            rounds: true,
        }
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

    /// Waits until the slow turn is asked for the nth time.
    fn until_slow(&self, times: usize) {
        until("the slow call", || {
            let calls = self.sandbox.calls();
            let slow = calls
                .iter()
                .filter(|call| call.turn == self.slow && call.dir.join("start").is_file());
            slow.count() == times
        });
    }

    /// The session that was begun last.
    fn newest(&self) -> String {
        let list = self.sandbox.run(&["sessions", "list", "--json"]).json();
        list["sessions"][0]["session_id"]
            .as_str()
            .unwrap()
            .to_owned()
    }

    /// Compares what everything says of a session.
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
        // Of one that runs, the rest changes between two looks.
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
        if shown["protocol"] == "debate" {
            let going = ["running", "interrupted"].contains(&&*outcome);
            assert_eq!(shown["status"] == "in_progress", going, "{shown:#}");
        }
        let exported = json(&["sessions", "export", id, "--format", "json"]);
        assert_eq!(exported, shown);

        let page = run(&["sessions", "show", id]);
        let head = |text: &str| {
            let heads = text
                .lines()
                .map(|line| line.trim_start_matches(['*', '#', ' ']));
            let mut heads = heads.filter_map(|line| line.split_once([':', ' ', ';']));
            heads
                .find(|(word, _)| word.len() >= 3 && word.chars().all(|c| c.is_ascii_uppercase()))
                .map(|(word, _)| word.to_owned())
        };
        let first = head(&page).unwrap_or_else(|| panic!("{page}"));
        let report = run(&["sessions", "export", id, "--format", "md"]);
        assert_eq!(head(&report).as_deref(), Some(&*first), "{report}");
        assert!(!page.contains("sessions show"), "{page}");
        let goes_on = page.contains(&resume) && !page.contains("--from-round");
        assert_eq!(goes_on, resumable, "{page}");
        assert_eq!(
            page.contains("sessions status"),
            state == "running",
            "{page}"
        );
        if state == "running" {
            assert!(
                !page.contains("UNDECIDED") && !page.contains("interrupted"),
                "{page}"
            );
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
            resumable,
        }
    }

    fn resumes(&self, id: &str) -> Live<'_> {
        self.sandbox.start(&["sessions", "resume", id])
    }

    /// Leads a session through all states.
    fn all_states(self) {
        // Closed by what it came to.
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
        assert!(
            ["budget", "terminated"].contains(&&*told.outcome),
            "{told:?}"
        );
        assert!(told.resumable);

        self.sandbox.run(&["sessions", "terminate", &id]).exits(0);
        let told = self.told(&id);
        assert_eq!((&*told.outcome, &*told.head), ("terminated", "TERMINATED"));
        let again = self.sandbox.run(&["sessions", "resume", &id]);
        again.exits(4);
        assert!(again.stdout.contains("TERMINATED"), "{}", again.stdout);
        assert_eq!(again.stdout.contains("--from-round"), self.rounds);
        if self.rounds {
            // What it advises works.
            self.slow(false);
            let again = [
                "sessions",
                "resume",
                &id,
                "--from-round",
                "1",
                "--budget",
                "9",
            ];
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
    Kind {
        rounds: false,
        ..kind
    }
    .all_states();
}

#[test]
fn an_inquiry() {
    let sandbox = Sandbox::new().scenario("discovery/features");
    sandbox.write("src/store.py", "def keep(item):\n    return item\n");
    let args = ["discover", "--type", "feature", "--no-debate"];
    let kind = Kind::new(sandbox, &args, "features");
    Kind {
        rounds: false,
        ..kind
    }
    .all_states();
}

#[test]
fn a_dialogue() {
    let args = ["debate", TOPIC];
    Kind::new(Sandbox::disputing(), &args, "r2/alternative").all_states();
}

#[test]
fn typed_arguments() {
    let args = [
        "debate", TOPIC, "--style", "argument", CONTEXT[0], CONTEXT[1],
    ];
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
    let args = [
        "discuss",
        BRIEF,
        "--perspectives",
        "product,technical,quality",
    ];
    Kind::new(Sandbox::discussing(), &args, "r1/quality").all_states();
}
