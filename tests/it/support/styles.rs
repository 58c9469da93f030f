//! Rig for the debates of typed arguments and of panels: arguments, judgements and votes of the seats.

use serde_json::{Value, json};

use super::Sandbox;
use super::debates::{TOPIC, stances};

/// A fake's control file for a permanent failure.
pub(crate) const DEAD: &str = r#"{"error": "not_logged_in"}"#;

/// A typed argument: its type, its text, and members to add or replace.
pub(crate) fn argument(kind: &str, text: &str, more: &Value) -> Value {
    let mut argument = json!({
        "type": kind, "content": {"text": text}, "references": [], "evidence": [], "confidence_score": 0.7,
        "impact_areas": [], "concerns": [], "addresses": [], "feasibility": 0.5, "risks": [],
    });
    for (key, value) in more.as_object().unwrap() {
        argument[key] = value.clone();
    }
    argument
}

/// Concerns, in the order in which they are numbered.
pub(crate) fn concerns(texts: &[&str]) -> Value {
    let concerns = texts.iter().map(|text| json!({"id": "x", "text": text}));
    Value::Array(concerns.collect())
}

/// A resolution of these points, each `(claim, importance)`, that disposes of these concerns.
pub(crate) fn resolution(points: &[(&str, u8)], disposes_of: &[&str]) -> Value {
    let points: Vec<Value> = (points.iter())
        .map(|(claim, importance)| json!({"id": "x", "claim": claim, "importance": importance}))
        .collect();
    let addresses: Vec<Value> = (disposes_of.iter())
        .map(|id| json!({"id": id, "how": "The old one stays for a month."}))
        .collect();
    let content =
        json!({"text": "Move the reads.", "points": points, "code_change_required": true});
    argument("resolution", "", &json!({"content": content, "addresses": addresses}))
}

impl Sandbox {
    /// Asserts that a debate's document matches `schema debate`.
    pub(crate) fn fits(&self, document: &Value) {
        let schema = self.run(&["schema", "debate"]).exits(0).json();
        let schema = jsonschema::validator_for(&schema).unwrap();
        let errors: Vec<String> =
            (schema.iter_errors(document)).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{errors:#?}");
    }

    /// Runs a debate of a style and returns its document, which fits the schema.
    #[track_caller]
    pub(crate) fn debated(&self, style: &str, more: &[&str], code: i32) -> Value {
        let run = self.run(&[&["debate", TOPIC, "--json", "--style", style], more].concat());
        let document = run.exits(code).json();
        self.fits(&document);
        document
    }

    /// Resumes the session of a document.
    #[track_caller]
    pub(crate) fn resumed(&self, document: &Value, more: &[&str], code: i32) -> Value {
        let id = document["session_id"].as_str().unwrap();
        let run = self.run(&[&["sessions", "resume", id, "--json"], more].concat());
        let document = run.exits(code).json();
        self.fits(&document);
        document
    }

    /// Makes a turn give a typed argument.
    pub(crate) fn argues(self, turn: &str, argument: &Value) -> Self {
        self.replies(turn, &[("ARGUMENT", argument)])
    }

    /// Makes a side take stances on a resolution.
    pub(crate) fn takes(self, round: u32, said: &[(&str, &str)]) -> Self {
        self.replies(&format!("r{round}/stances"), &[("STANCES", &stances(said))])
    }

    /// Makes a seat vote for the answer with this text. `same`: the answers that it declares to be the same.
    pub(crate) fn casts(
        self,
        turn: &str,
        answer: &str,
        moved_by: Option<&str>,
        same: &[&str],
    ) -> Self {
        let letter = |text: &&str| format!("@{{{text}}}");
        let group: Vec<String> = same.iter().map(letter).collect();
        let same_as = if group.is_empty() { json!([]) } else { json!([group]) };
        let body = json!({
            "choice": letter(&answer), "same_as": same_as, "changed": moved_by.is_some(), "moved_by": moved_by,
            "reason": format!("It is the better one, says who votes for {answer}"),
        });
        self.replies(turn, &[("VOTE", &body)])
    }

    /// Makes the judge commit itself to an answer of its own, and choose these answers of all in the two orders.
    pub(crate) fn rules_twice(self, round: u32, all: &[&str], chosen: [&str; 2]) -> Self {
        let own = json!({"answer": "Ask again in a year.", "reasons": ["It is early."], "evidence": [], "confidence": 0.4});
        let sandbox = self.replies(&format!("r{round}/judge/own"), &[("ANSWER", &own)]);
        let points: Vec<Value> = (all.iter())
            .map(|text| json!({"id": format!("@{{{text}}}"), "ruling": "It holds in part.", "reason": "I tested it."}))
            .collect();
        ["first", "second"].into_iter().zip(chosen).fold(sandbox, |sandbox, (order, answer)| {
            let body = json!({
                "points": points, "position": format!("@{{{answer}}}"), "confidence": 0.8,
                "code_change_required": true,
            });
            let turn = format!("r{round}/judge/{order}");
            sandbox.replies(&turn, &[("JUDGEMENT", &body)])
        })
    }

    /// Makes a panel of three cast these votes in the first ballot and in the next one.
    pub(crate) fn ballots(self, first: [&str; 3], then: [&str; 3]) -> Self {
        let cast = |sandbox: Self, (at, to): (usize, &&str), turn: &str| {
            sandbox.casts(&format!("{turn}/s{}", at + 1), to, None, &[])
        };
        let sandbox =
            (first.iter().enumerate()).fold(self, |sandbox, vote| cast(sandbox, vote, "r2/vote"));
        (then.iter().enumerate()).fold(sandbox, |sandbox, vote| cast(sandbox, vote, "r3/cross"))
    }

    /// Removes one scenario file, so that its turn is back to normal from now on.
    pub(crate) fn mend(&self, name: &str) {
        let path = self.home().join(".fake/scenario").join(name);
        std::fs::remove_file(path).unwrap();
    }

    /// Returns the prompts of a turn, in the order in which the fakes got them.
    pub(crate) fn prompts(&self, turn: &str) -> Vec<String> {
        let calls = self.calls().into_iter().filter(|call| call.turn == turn);
        calls.map(|call| call.read("stdin")).collect()
    }
}

/// The context file of [`accepted`].
const NOTES: &str = "Load test of May:\nthe cache lost 4,000 entries\nat each restart.\n";

/// The options that give the context file of [`accepted`].
pub(crate) const CONTEXT: [&str; 2] = ["--file", "notes.md"];

/// A round in which the adversary accepts the defense and writes the resolution; every figure is known by hand.
///
/// | argument | claims | evidence, in halves |
/// |---|---|---|
/// | A1 proposal | 1 | a line of the context: 2 |
/// | A2 challenge | 2 concerns | a quote: 2, a source: 1 |
/// | A3 defense | 1 | a line of the project: 2 (the line beyond its end: 0) |
/// | A4 resolution | 2 points | none |
pub(crate) fn accepted() -> Sandbox {
    let sandbox = Sandbox::new().scenario("argument/accepted");
    sandbox.write("notes.md", NOTES);
    sandbox.write("src/store.rs", "one\ntwo\nthree\n");
    sandbox
}

/// A round in which the adversary counters, the primary resolves, and the adversary judges.
pub(crate) fn countered(
    points: &[(&str, u8)],
    disposes_of: &[&str],
    said: &[(&str, &str)],
) -> Sandbox {
    round(Sandbox::new(), 1, &["There is no way back."], points, disposes_of, said)
}

/// The same with the number of the round, and the concerns raised in it.
pub(crate) fn round(
    sandbox: Sandbox,
    round: u32,
    raised: &[&str],
    points: &[(&str, u8)],
    disposes_of: &[&str],
    said: &[(&str, &str)],
) -> Sandbox {
    let turn = |word: &str| format!("r{round}/{word}");
    let body = json!({"concerns": concerns(raised)});
    let none = json!({});
    sandbox
        .argues(&turn("proposal"), &argument("proposal", "Move the cache to Redis.", &none))
        .argues(&turn("challenge"), &argument("challenge", "Redis can fail.", &body))
        .argues(&turn("defense"), &argument("defense", "So can a disk.", &none))
        .argues(&turn("reply"), &argument("counter", "A disk is ours.", &none))
        .argues(&turn("resolution"), &resolution(points, disposes_of))
        .takes(round, said)
}

/// Three different answers.
pub(crate) const THREE: [&str; 3] = ["Redis", "Files", "Memcached"];

/// Three seats of three vendors with [`THREE`] as their answers and these first votes.
pub(crate) fn three(votes: [&str; 3]) -> Sandbox {
    let sandbox = Sandbox::new().panel(&THREE);
    votes.iter().enumerate().fold(sandbox, |sandbox, (at, to)| {
        sandbox.casts(&format!("r2/vote/s{}", at + 1), to, None, &[])
    })
}

/// Three seats that vote for their own answers in every round.
pub(crate) fn stubborn() -> Sandbox {
    Sandbox::new().scenario("panel/stubborn")
}

/// The seats' choices, as answers.
pub(crate) fn chosen(document: &Value, votes: &str) -> Vec<String> {
    let answer = |vote: &Value| {
        let choices = document["choices"].as_array().unwrap();
        let choice = choices.iter().find(|choice| choice["id"] == vote["choice"]).unwrap();
        choice["text"].as_str().unwrap().to_owned()
    };
    let votes = document[votes].as_array().unwrap();
    votes.iter().map(answer).collect()
}

/// Removes the parts that differ between two debates with the same content: the session's id and the times.
pub(crate) fn undated(value: &Value) -> Value {
    match value {
        Value::Object(map) => (map.iter())
            .filter(|(key, _)| {
                let times = [
                    "timestamp",
                    "started_at",
                    "ended_at",
                    "created_at",
                    "journal_head",
                    "updated_at",
                    "debate_id",
                    "round_id",
                ];
                !times.contains(&key.as_str())
            })
            .map(|(key, value)| (key.clone(), undated(value)))
            .collect(),
        Value::Array(entries) => entries.iter().map(undated).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}
