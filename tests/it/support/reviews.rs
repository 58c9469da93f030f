//! A repository with a planted bug, and reviewers' answers about it.

use std::process::Stdio;

use serde_json::{Value, json};

use super::replies::block;
use super::{Run, Sandbox};

/// The store before the change.
pub(crate) const BEFORE: &str = "import sqlite3


def find(db, name):
    cursor = db.execute(\"SELECT * FROM users WHERE name = ?\", (name,))
    return cursor.fetchone()


def last(items):
    return items[len(items) - 1]
";

/// The line with the injection, as in the change.
pub(crate) const INJECTION: &str =
    "db.execute(\"SELECT * FROM users WHERE name = '\" + name + \"'\")";

/// The line that reads past the end.
pub(crate) const PAST_END: &str = "return items[len(items)]";

impl Sandbox {
    /// Runs git in the project.
    #[expect(clippy::disallowed_methods, reason = "tests start git themselves")]
    pub(crate) fn git(&self, args: &[&str]) -> String {
        let output = std::process::Command::new("git")
            .args(["-c", "user.name=T", "-c", "user.email=t@example.org"])
            .args(["-c", "commit.gpgsign=false", "-c", "init.defaultBranch=main"])
            .args(args)
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("HOME", self.home())
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .current_dir(self.project())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "git {args:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8(output.stdout).unwrap()
    }

    /// Commits everything.
    pub(crate) fn commit(&self, message: &str) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message", message]);
    }

    /// Makes the project a repository whose working tree plants two bugs in `src/store.py`.
    pub(crate) fn planted(self) -> Self {
        self.git(&["init", "--quiet"]);
        self.write("src/store.py", BEFORE);
        self.commit("Begin");
        let after = BEFORE
            .replace("db.execute(\"SELECT * FROM users WHERE name = ?\", (name,))", INJECTION)
            .replace("return items[len(items) - 1]", PAST_END);
        self.write("src/store.py", after);
        // So that each step of the pipeline is taken.
        if self.home().join(".config/debate-agent/config.json").exists() {
            return self;
        }
        self.config(r#"{"review": {"compose": "always"}}"#)
    }

    /// Makes a seat's turn answer with a block: `says("r1/review/s1", "REVIEW", ..)`.
    pub(crate) fn says(self, turn: &str, name: &str, body: &Value) -> Self {
        let text = block(name, &body.to_string());
        self.fake(&format!("{}.txt", turn.replace('/', "_")), &text)
    }

    /// Makes a seat review with these findings.
    pub(crate) fn finds(self, seat: &str, findings: &[Value]) -> Self {
        let body = json!({"findings": findings, "residual_risks": [], "open_questions": []});
        self.says(&format!("r1/review/{seat}"), "REVIEW", &body)
    }

    /// Makes a seat judge in a round.
    pub(crate) fn judges(self, round: u32, seat: &str, judgements: &[Value]) -> Self {
        let body = json!({"judgements": judgements, "missed_issues": []});
        self.says(&format!("r{round}/cross/{seat}"), "CROSS_REVIEW", &body)
    }

    /// Reviews in one round without a composition.
    pub(crate) fn reviewed(&self, more: &[&str]) -> Run {
        let once = ["review", "--set", "review.max_rounds=1", "--set", "review.compose=never"];
        self.run(&[&once, more].concat())
    }

    /// Makes a seat keep everything, and the other approve of that.
    pub(crate) fn composes(self, seat: &str, other: &str, ids: &[&str]) -> Self {
        let keep: Vec<Value> = ids.iter().map(|id| json!({ "id": id })).collect();
        let votes: Vec<Value> = (ids.iter())
            .map(|id| json!({"id": id, "vote": "approve", "reason": "It holds."}))
            .collect();
        let composition = json!({"keep": keep, "merge": [], "eliminate": [], "residual_risks": [], "open_questions": []});
        self.says(&format!("compose/{seat}"), "COMPOSITION", &composition).says(
            &format!("validate/{other}"),
            "VALIDATION",
            &json!({ "votes": votes }),
        )
    }
}

/// Two reviewers that find the injection; the first also finds the index.
pub(crate) fn agreeing() -> Sandbox {
    Sandbox::new().planted().scenario("review/agreeing")
}

/// The injection as a finding.
pub(crate) fn injection(title: &str) -> Value {
    json!({
        "severity": "P0", "title": title, "file": "src/store.py", "line": 5, "quote": INJECTION,
        "trigger": "Call `find(db, \"' OR 1=1 --\")`.",
        "detail": "A name with a quote in it ends the SQL string.", "fix": "Pass it: `db.execute(sql, (name,))`",
    })
}

/// The index past the end as a finding.
pub(crate) fn past_end() -> Value {
    json!({
        "severity": "P1", "title": "The index is past the end", "file": "src/store.py", "line": 10, "quote": PAST_END,
        "trigger": "Call `last([1])`.",
        "detail": "Every call raises IndexError.", "fix": "`return items[-1]`",
    })
}

/// A judgement on a finding; evidence is optional, and that of an agreement is the injection.
pub(crate) fn judgement(id: &str, stance: &str, evidence: Option<&str>) -> Value {
    let evidence = evidence.or((stance == "agree").then_some(INJECTION));
    json!({"id": id, "stance": stance, "reason": "I looked at it.", "evidence": evidence})
}
