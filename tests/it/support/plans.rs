//! Planners' answers for a small task: two plans that share a step, judgements, votes.

use serde_json::{Value, json};

use super::Sandbox;

/// The task. It names no file, so that coverage does not count.
pub(crate) const TASK: &str = "Move the store to SQLite";

/// A step that a reader could follow.
pub(crate) fn step(id: &str, phase: &str, title: &str, needs: &[&str]) -> Value {
    json!({
        "id": id, "phase": phase, "title": title, "description": format!("{title}, and say how it was checked."),
        "files": [format!("src/{id}.py")], "depends_on": needs, "acceptance": "The tests are green.",
    })
}

/// The plan of the first seat.
pub(crate) fn three() -> Vec<Value> {
    vec![
        step("schema", "1 store", "Write the new schema", &[]),
        step("readers", "2 callers", "Let every caller read rows", &["schema"]),
        step("cleanup", "3 cleanup", "Delete the pickled files", &["readers"]),
    ]
}

/// The plan of the second seat: its first step is the other's, word for word.
pub(crate) fn two() -> Vec<Value> {
    vec![
        step("schema", "1 store", "Write the new schema", &[]),
        step("backup", "2 callers", "Keep a copy of yesterday's data", &["schema"]),
    ]
}

impl Sandbox {
    /// Makes a seat plan these steps. `risks`: the number of risks that it names.
    pub(crate) fn plans(self, seat: &str, steps: &[Value], risks: usize) -> Self {
        let risks: Vec<String> = (0..risks).map(|n| format!("Risk {n}")).collect();
        let body = json!({
            "steps": steps, "summary": "First the schema, then everything that reads it.",
            "risks": risks, "open_questions": [],
        });
        self.says(&format!("r1/plan/{seat}"), "PLAN", &body)
    }

    /// Makes a seat judge steps in a round: `("S1", "agree")`.
    pub(crate) fn weighs(self, round: u32, seat: &str, judgements: &[(&str, &str)]) -> Self {
        let judgements: Vec<Value> = (judgements.iter())
            .map(|(id, stance)| {
                let description = (*stance == "modify").then_some("Do it in two commits.");
                json!({"id": id, "stance": stance, "reason": "I thought it through.", "description": description})
            })
            .collect();
        let body = json!({"judgements": judgements, "missing_steps": []});
        self.says(&format!("r{round}/cross/{seat}"), "PLAN_REVIEW", &body)
    }

    /// Makes a seat give the same vote on several steps of the merged plan.
    pub(crate) fn votes(self, seat: &str, vote: &str, ids: &[&str]) -> Self {
        let votes: Vec<Value> = (ids.iter())
            .map(|id| json!({"id": id, "vote": vote, "reason": "I thought it through."}))
            .collect();
        let body = json!({ "votes": votes });
        self.says(&format!("validate/{seat}"), "VALIDATION", &body)
    }

    /// Returns the turns asked, each once, sorted.
    pub(crate) fn turns(&self) -> Vec<String> {
        let turns: std::collections::BTreeSet<String> =
            self.calls().into_iter().map(|call| call.turn).collect();
        turns.into_iter().collect()
    }
}
