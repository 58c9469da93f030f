//! Programs that a test kills, and the search for their remains.
#![cfg(target_os = "linux")]

use std::fs;
use std::path::PathBuf;
use std::process::Child;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::{Run, Sandbox};

impl Sandbox {
    /// Starts the program and does not wait for it.
    pub(crate) fn spawn(&self, args: &[&str]) -> Child {
        self.command(args).spawn().unwrap()
    }

    /// Waits for a condition, at most 20 s.
    #[track_caller]
    pub(crate) fn until(&self, what: &str, happened: impl Fn(&Self) -> bool) {
        let deadline = Instant::now() + Duration::from_secs(20);
        while !happened(self) {
            assert!(Instant::now() < deadline, "waited in vain for {what}");
            std::thread::sleep(Duration::from_millis(3));
        }
    }

    /// Waits until a fake was asked this turn.
    #[track_caller]
    pub(crate) fn until_asked(&self, turn: &str) {
        self.until(turn, |sandbox| sandbox.calls().iter().any(|call| call.turn == turn));
    }

    /// Waits until a fake's script has written `$fake/here`.
    #[track_caller]
    pub(crate) fn until_here(&self) {
        self.until("$fake/here", |sandbox| sandbox.home().join(".fake/here").exists());
    }

    /// Returns the number of calls of a turn.
    pub(crate) fn asked(&self, turn: &str) -> usize {
        self.calls().iter().filter(|call| call.turn == turn).count()
    }

    /// Asserts that a session is shown as its result, and resumed without a call.
    #[track_caller]
    pub(crate) fn keeps(&self, document: &Value, code: i32) {
        let calls = self.calls().len();
        let id = document["session_id"].as_str().unwrap();
        let mut shown = self.run(&["sessions", "show", id, "--json"]).exits(0).json();
        shown["report_path"] = document["report_path"].clone();
        assert_eq!(&shown, document);
        let resumed = self.run(&["sessions", "resume", id, "--json"]).exits(code).json();
        assert_eq!(lasting(&resumed), lasting(document));
        assert_eq!(self.calls().len(), calls);
    }

    /// Returns the id of the only session.
    #[track_caller]
    pub(crate) fn only_session(&self) -> String {
        let dirs = self.sessions();
        assert_eq!(dirs.len(), 1, "{dirs:?}");
        dirs[0].file_name().unwrap().to_str().unwrap().to_owned()
    }

    /// Returns the path of the only session's journal.
    #[track_caller]
    pub(crate) fn journal_path(&self) -> PathBuf {
        let id = self.only_session();
        (self.project().join(".debate/sessions").join(id)).join("journal.jsonl")
    }

    /// Resumes the only session to its end.
    #[track_caller]
    pub(crate) fn resume(&self, more: &[&str]) -> Run {
        let id = self.only_session();
        let mut args = vec!["sessions", "resume", &id, "--json"];
        args.extend(more);
        self.run(&args)
    }

    /// Lists the live processes that have this sandbox in their environment.
    pub(crate) fn alive(&self) -> Vec<String> {
        let home = self.home().display().to_string();
        fs::read_dir("/proc")
            .unwrap()
            .filter_map(|entry| {
                let folder = entry.ok()?.path();
                let environ = fs::read(folder.join("environ")).ok()?;
                let stat = fs::read_to_string(folder.join("stat")).ok()?;
                let zombie = stat.rsplit(')').next()?.trim().starts_with('Z');
                let ours = String::from_utf8_lossy(&environ).contains(&home);
                let command = fs::read(folder.join("cmdline")).unwrap_or_default();
                let command = String::from_utf8_lossy(&command).replace('\0', " ");
                (ours && !zombie).then(|| format!("{} {command}", folder.display()))
            })
            .collect()
    }

    /// Asserts that every process of the sandbox is gone within the grace.
    #[track_caller]
    pub(crate) fn nobody_is_left(&self) {
        let deadline = Instant::now() + Duration::from_secs(8);
        loop {
            let left = self.alive();
            if left.is_empty() {
                return;
            }
            assert!(Instant::now() < deadline, "left:\n{}", left.join("\n"));
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

/// Returns the codes of a result's warnings.
pub(crate) fn warnings(document: &Value) -> Vec<String> {
    document["warnings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|warning| warning["code"].as_str().unwrap().to_owned())
        .collect()
}

/// Returns the decision of a debate: outcome, verdict, and ranking.
pub(crate) fn decided(document: &Value) -> Value {
    let ranked: Vec<_> = document["ranked_opportunities"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| (&item["opportunity_id"], &item["priority_rank"], &item["status"]))
        .collect();
    serde_json::json!([document["outcome"], document["verdict"], document["rounds_used"], ranked])
}

/// Returns a result without what differs between two runs of the same session.
pub(crate) fn lasting(document: &Value) -> Value {
    let mut document = document.clone();
    let fields = document.as_object_mut().unwrap();
    fields.retain(|name, _| !DIFFERS.contains(&&**name));
    document
}

/// Ids, heads, times, places and costs, and what is said of the run; `logged`: the log entry's time and id.
const DIFFERS: [&str; 14] = [
    "journal_head",
    "session_id",
    "started_at",
    "completed_at",
    "logged",
    "report_path",
    "record_path",
    "durations",
    "cost",
    "cost_usd",
    "warnings",
    "message",
    "parent",
    "change",
];
