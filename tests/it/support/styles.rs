//! Rig of the debates of typed arguments and of panels: who argues, judges and votes how.

use serde_json::{Value, json};

use super::Sandbox;
use super::debates::stances;

/// A typed argument: its type, what it says, and what is to stand beside it or instead.
pub(crate) fn argument(kind: &str, text: &str, more: &Value) -> Value {
    let mut argument = json!({
        "type": kind, "content": {"text": text}, "references": [], "evidence": [], "confidence_score": 0.7,
        "impact_areas": [], "concerns": [], "addresses": [], "feasibility": 3, "risks": [],
    });
    for (key, value) in more.as_object().unwrap() {
        argument[key] = value.clone();
    }
    argument
}

/// Concerns, in the order in which they get their numbers.
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
    let content = json!({"text": "Move the reads.", "points": points, "code_change_required": true});
    argument(
        "resolution",
        "",
        &json!({"content": content, "addresses": addresses}),
    )
}

/// Puts the letter of the answer that says TEXT into a fake's answer, where that has `@{TEXT}`: letters are drawn by lot.
const LETTERS: &str = r#"
resolved=$ledger/resolved
awk '
    FNR == NR {
        if (match($0, /"id": "[A-Z]"/)) id = substr($0, RSTART + 7, 1)
        if (match($0, /"answer": "[^"]*"/)) {
            text = substr($0, RSTART + 11, RLENGTH - 12)
            if (!(text in letter)) letter[text] = id
        }
        next
    }
    {
        while (match($0, /@\{[^}]*\}/)) {
            text = substr($0, RSTART + 2, RLENGTH - 3)
            $0 = substr($0, 1, RSTART - 1) letter[text] substr($0, RSTART + RLENGTH)
        }
        print
    }
' "$prompt" "$answer" >"$resolved"
answer=$resolved
"#;

impl Sandbox {
    /// Lets a turn give a typed argument.
    pub(crate) fn argues(self, turn: &str, argument: &Value) -> Self {
        self.replies(turn, &[("ARGUMENT", argument)])
    }

    /// Lets a side take stances on a resolution.
    pub(crate) fn takes(self, round: u32, said: &[(&str, &str)]) -> Self {
        self.replies(
            &format!("r{round}/stances"),
            &[("STANCES", &stances(said))],
        )
    }

    /// Lets a seat vote for the answer that says this. Groups of answers are held to be the same.
    pub(crate) fn casts(
        self,
        turn: &str,
        answer: &str,
        moved_by: Option<&str>,
        same: &[&str],
    ) -> Self {
        let letter = |text: &&str| format!("@{{{text}}}");
        let group: Vec<String> = same.iter().map(letter).collect();
        let same_as = if group.is_empty() {
            json!([])
        } else {
            json!([group])
        };
        let body = json!({
            "choice": letter(&answer), "same_as": same_as, "changed": moved_by.is_some(), "moved_by": moved_by,
            "reason": format!("It is the better one, says who votes for {answer}"),
        });
        self.replies(turn, &[("VOTE", &body)]).by_lot()
    }

    /// Lets the judge commit itself to an answer of its own, and choose these answers of all in the two orders.
    pub(crate) fn rules_twice(self, round: u32, all: &[&str], chosen: [&str; 2]) -> Self {
        let own = json!({"answer": "Ask again in a year.", "reasons": ["It is early."], "evidence": [], "confidence": 0.4});
        let sandbox = self.replies(&format!("r{round}/judge/own"), &[("ANSWER", &own)]);
        let points: Vec<Value> = (all.iter())
            .map(|text| json!({"id": format!("@{{{text}}}"), "ruling": "It holds in part.", "reason": "I tested it."}))
            .collect();
        ["first", "second"]
            .into_iter()
            .zip(chosen)
            .fold(sandbox, |sandbox, (order, answer)| {
                let body = json!({
                    "points": points, "position": format!("@{{{answer}}}"), "confidence": 0.8,
                    "code_change_required": true,
                });
                let turn = format!("r{round}/judge/{order}");
                sandbox.replies(&turn, &[("JUDGEMENT", &body)])
            })
            .by_lot()
    }

    /// Lets every fake look up the letters that its answer means.
    fn by_lot(self) -> Self {
        ["claude", "codex", "gemini"]
            .into_iter()
            .fold(self, |sandbox, cli| {
                sandbox.fake(&format!("{cli}.sh"), LETTERS)
            })
    }

    /// Takes one scenario file away, so that what it was about goes otherwise from now on.
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
