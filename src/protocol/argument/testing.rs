//! Inputs, arguments and a driver for the tests of this protocol.

use serde_json::{Map, Value, json};

use super::contract::ARGUMENT;
use super::input::{Input, Settings};
use super::machine::Machine;
use super::state::{DebateRules, DebateState};
use crate::contract::template::block;
use crate::kernel::Driver;
use crate::kernel::share::Share;
use crate::protocol::conformance::Subject;
use crate::protocol::debate::contract::STANCES;
use crate::protocol::debate::typed::{ArgumentBlock, ArgumentType};
use crate::protocol::debate::{Brief, Stances};
use crate::protocol::prompt::Prompts;
use crate::protocol::testing::said as given;
pub(crate) use crate::protocol::testing::{
    BOUNDARY, answer, data_of, done, failure, judged, only, raw, seated, seats, sits,
};

pub(crate) fn brief() -> Brief {
    Brief {
        topic: "Should the cache move to Redis?".to_owned(),
        sources: [("src/store.rs".to_owned(), 120)].into(),
        ..Brief::default()
    }
}

pub(crate) fn settings() -> Settings {
    Settings {
        max_rounds: 3,
        consensus_threshold: Share::thousandths(800),
        impact_areas: vec!["performance".to_owned(), "operations".to_owned()],
    }
}

pub(crate) fn input() -> Input {
    Input {
        brief: brief(),
        seats: seats(&[("primary", "claude", "anthropic"), ("adversary", "gemini", "google")]),
        settings: settings(),
        prompts: Prompts::new(BOUNDARY),
        seed: 7,
    }
}

pub(crate) fn machine() -> Driver<Machine> {
    Machine::open(input()).unwrap()
}

/// Returns a started debate of at most `max_rounds` rounds between `claude` and `gemini`, with the threshold 0.8.
pub(crate) fn course(max_rounds: u32) -> DebateState {
    let terms = DebateRules {
        max_rounds,
        consensus_threshold: Share::thousandths(800),
        impact_areas: settings().impact_areas,
    };
    let mut course = DebateState::new("claude", "gemini", terms).unwrap();
    course.start().unwrap();
    course
}

/// Returns an argument as an agent writes it. `more` overrides and adds fields.
pub(crate) fn written(kind: ArgumentType, more: Value) -> Value {
    let content = match kind {
        ArgumentType::Proposal => json!({"text": "Move the cache to Redis."}),
        ArgumentType::Challenge => json!({"text": "Redis is one more thing that can fail."}),
        ArgumentType::Defense => {
            json!({"text": "It survives a restart, which the cache does not."})
        }
        ArgumentType::Counter => json!({"text": "Nobody has measured a restart."}),
        ArgumentType::Resolution => json!({
            "text": "Measure restarts in March, then decide.",
            "points": [
                {"id": "a", "claim": "Measure restarts in March.", "importance": 3},
                {"id": "b", "claim": "Keep the cache until then.", "importance": 1},
            ],
        }),
    };
    let mut value = json!({
        "type": kind.name(), "content": content, "references": [], "evidence": [],
        "confidence_score": 0.9, "impact_areas": ["performance"], "concerns": [], "addresses": [],
        "feasibility": 0.5, "risks": [],
    });
    let more: Map<String, Value> = serde_json::from_value(more).unwrap();
    value.as_object_mut().unwrap().extend(more);
    value
}

pub(crate) fn said(kind: ArgumentType, more: Value) -> ArgumentBlock {
    serde_json::from_value(written(kind, more)).unwrap()
}

/// Returns concerns with these texts.
pub(crate) fn concerns(texts: &[&str]) -> Value {
    let concerns = texts.iter().map(|text| json!({"id": "x", "text": text}));
    concerns.collect()
}

/// Returns addresses of these concerns, each with an answer.
pub(crate) fn addresses(ids: &[&str]) -> Value {
    let met = ids.iter().map(|id| json!({"id": id, "how": "It was measured."}));
    met.collect()
}

/// Returns stances such as `("P1", "agree")`; a `partly` one has an amendment.
pub(crate) fn stances_value(said: &[(&str, &str)]) -> Value {
    let stances = said.iter().map(|(point, stance)| {
        let mut value =
            json!({"point": point, "stance": stance, "reason": format!("{stance}, I say.")});
        if *stance == "partly" {
            value["amendment"] = json!("Only for reads.");
        }
        value
    });
    json!({ "stances": stances.collect::<Vec<_>>(), "missing": [] })
}

pub(crate) fn stances(said: &[(&str, &str)]) -> Stances {
    serde_json::from_value(stances_value(said)).unwrap()
}

/// Returns an `ARGUMENT` block.
pub(crate) fn argument(kind: ArgumentType, more: Value) -> String {
    block(ARGUMENT.name(), &written(kind, more).to_string())
}

/// Returns a `STANCES` block.
pub(crate) fn stances_block(said: &[(&str, &str)]) -> String {
    block(STANCES.name(), &stances_value(said).to_string())
}

/// Answers the current turn; `None` fails it. Returns the turn's id.
pub(crate) fn give(machine: &mut Driver<Machine>, text: Option<&str>) -> String {
    let turn = only(machine).expect("a turn is asked");
    let answer = given(machine, &turn, text);
    machine.apply(vec![answer]);
    turn.id.into()
}

impl Subject for Machine {
    fn open(size: u32) -> Driver<Self> {
        let mut input = input();
        input.settings.max_rounds = 1 + size;
        Self::open(input).unwrap()
    }

    /// Arguments and stances: six turns per round.
    fn most_turns(size: u32) -> u32 {
        6 * (1 + size)
    }
}
