//! Sinks, and the content of their fakes: comments, pull requests, rows, objects.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::Sandbox;

/// The first commit of the fake repository.
const FIRST: &str = "c000000000000000000000000000000000000000";

/// The misbehaving calls of the fakes: the number, and the kind.
pub(crate) type Plan<'a> = &'a [(usize, &'a str)];

impl Sandbox {
    /// A debate that is decided after one round of two calls, and needs a change to code.
    pub(crate) fn agreeing() -> Self {
        Self::new()
            .proposes(&["Redis survives a restart.", "Two processes share it."])
            .reviews(&[("A1", "agree"), ("A2", "agree")])
            .on_github()
    }

    /// Gives the fakes a repository with issue 7.
    fn on_github(self) -> Self {
        let state = json!({
            "repos": {"acme/app": {
                "default_branch": "main",
                "issues": {"7": {"state": "open"}},
                "refs": {"heads/main": FIRST},
                "commits": {FIRST: {"tree": "t0"}},
            }}
        });
        fs::create_dir_all(self.sinks_dir()).unwrap();
        self.set_sinks_state(&state);
        self
    }

    /// Configures sinks, in the user's own file.
    pub(crate) fn sinks(self, sinks: &Value) -> Self {
        let folder = self.home().join(".config/debate-agent");
        fs::create_dir_all(&folder).unwrap();
        let text = json!({ "sinks": sinks }).to_string();
        fs::write(folder.join("config.json"), text).unwrap();
        self
    }

    /// Returns the fakes' folder.
    pub(crate) fn sinks_dir(&self) -> PathBuf {
        self.home().join(".fake/sinks")
    }

    /// Makes calls of the fakes misbehave; they are counted from now on.
    pub(crate) fn misbehave(&self, plan: Plan<'_>) {
        fs::remove_dir_all(self.sinks_dir().join("calls")).ok();
        let steps: Vec<Value> =
            (plan.iter()).map(|(call, how)| json!({"call": call, "how": how})).collect();
        fs::write(self.sinks_dir().join("plan.json"), Value::from(steps).to_string()).unwrap();
    }

    /// Makes every call of some fakes a refusal.
    pub(crate) fn fail_always(&self, programs: &[&str]) {
        let steps: Vec<Value> = (programs.iter())
            .map(|program| json!({"call": 0, "program": program, "how": "refuse"}))
            .collect();
        let plan = Value::from(steps).to_string();
        fs::write(self.sinks_dir().join("plan.json"), plan).unwrap();
    }

    /// Returns the content of the fakes.
    pub(crate) fn sinks_state(&self) -> Value {
        let text = fs::read_to_string(self.sinks_dir().join("state.json")).unwrap();
        serde_json::from_str(&text).unwrap()
    }

    pub(crate) fn set_sinks_state(&self, state: &Value) {
        fs::write(self.sinks_dir().join("state.json"), state.to_string()).unwrap();
    }

    /// Returns the arguments of the fakes' calls, in order.
    pub(crate) fn sink_calls(&self) -> Vec<String> {
        let calls = self.sinks_dir().join("calls");
        let count = fs::read_dir(&calls).map_or(0, Iterator::count);
        (1..=count)
            .map(|number| {
                let argv = fs::read_to_string(calls.join(format!("{number}/argv"))).unwrap();
                argv.trim_end().replace('\n', " ")
            })
            .collect()
    }

    /// Returns issue 7 from the fake.
    pub(crate) fn issue(&self) -> Value {
        self.sinks_state()["repos"]["acme/app"]["issues"]["7"].clone()
    }

    /// Returns the texts of its comments.
    pub(crate) fn comments(&self) -> Vec<String> {
        let issue = self.issue();
        let comments = issue["comments"].as_array().into_iter().flatten();
        comments.map(|comment| comment["body"].as_str().unwrap().to_owned()).collect()
    }
}
