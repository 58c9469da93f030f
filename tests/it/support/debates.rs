//! Debaters' answers to one question: positions, stances, arguments, answers, votes.

use serde_json::{Value, json};

use super::Sandbox;
use super::replies::block;

/// The question.
pub(crate) const TOPIC: &str = "Should the cache move to Redis?";

/// A position with these points, each of importance 2.
pub(crate) fn position(summary: &str, claims: &[&str]) -> Value {
    let points: Vec<Value> = (claims.iter().enumerate())
        .map(|(index, claim)| {
            json!({
                "id": format!("x{index}"), "claim": claim, "reasoning": "It was measured.",
                "evidence": ["The load test of May"], "importance": 2,
            })
        })
        .collect();
    json!({
        "summary": summary, "points": points, "concedes": [], "risks": ["It may take longer."],
        "confidence": 0.7, "code_change_required": true,
    })
}

/// Stances: `("A1", "agree")`. One that is `partly` has an amendment.
pub(crate) fn stances(said: &[(&str, &str)]) -> Value {
    let stances: Vec<Value> = (said.iter())
        .map(|(point, stance)| {
            let amendment = (*stance == "partly").then_some("Only for reads.");
            json!({"point": point, "stance": stance, "reason": "I thought it through.", "amendment": amendment})
        })
        .collect();
    json!({ "stances": stances, "missing": [] })
}

impl Sandbox {
    /// Makes a turn answer with these blocks.
    pub(crate) fn replies(self, turn: &str, blocks: &[(&str, &Value)]) -> Self {
        let text: String =
            (blocks.iter()).map(|(name, body)| block(name, &body.to_string())).collect();
        self.fake(&format!("{}.txt", turn.replace('/', "_")), &text)
    }

    /// Makes claude propose.
    pub(crate) fn proposes(self, claims: &[&str]) -> Self {
        self.replies("r1/propose", &[("POSITION", &position("Move the cache to Redis.", claims))])
    }

    /// Makes the reviewer answer in round 1, with a position of its own.
    pub(crate) fn reviews(self, said: &[(&str, &str)]) -> Self {
        self.offers("r1/review", said, &["It is fast enough.", "It costs nothing."])
    }

    /// Makes the reviewer answer in a turn, with a position that makes these claims.
    pub(crate) fn offers(self, turn: &str, said: &[(&str, &str)], claims: &[&str]) -> Self {
        let own = position("Keep the cache in the process.", claims);
        self.replies(turn, &[("STANCES", &stances(said)), ("POSITION", &own)])
    }

    /// Makes the proposer answer the reviewer's position in a turn.
    pub(crate) fn rebuts(self, turn: &str, said: &[(&str, &str)]) -> Self {
        let revised = position("Move it after the measurement.", &["Reads come first."]);
        self.replies(turn, &[("STANCES", &stances(said)), ("POSITION", &revised)])
    }

    /// Makes one side draft a joint position in a round, and the other answer it.
    pub(crate) fn compromises(self, round: u32, claims: &[&str], said: &[(&str, &str)]) -> Self {
        let joint = position("Measure, then move the reads.", claims);
        self.replies(&format!("r{round}/compromise"), &[("POSITION", &joint)])
            .replies(&format!("r{round}/answer"), &[("STANCES", &stances(said))])
    }

    /// Makes the expert rule on these points after this many debating rounds.
    pub(crate) fn rules(self, round: u32, points: &[&str]) -> Self {
        let points: Vec<Value> = (points.iter())
            .map(|id| json!({"id": id, "ruling": "It holds.", "reason": "The figures say so."}))
            .collect();
        let body = json!({
            "points": points, "position": "Measure first, then move the reads.", "confidence": 0.8,
            "code_change_required": false,
        });
        self.replies(&format!("r{round}/expert"), &[("JUDGEMENT", &body)])
    }

    /// Makes the two disagree to the end, and an expert rule.
    pub(crate) fn disputing() -> Self {
        Self::new().scenario("dialogue/disputing")
    }

    /// Makes the seats of a panel give these answers.
    pub(crate) fn panel(self, answers: &[&str]) -> Self {
        (answers.iter().enumerate()).fold(self, |sandbox, (index, answer)| {
            let body = json!({
                "answer": answer, "reasons": ["It was measured."], "evidence": ["The load test of May"], "confidence": 0.6,
            });
            sandbox.replies(&format!("r1/answer/s{}", index + 1), &[("ANSWER", &body)])
        })
    }
}
