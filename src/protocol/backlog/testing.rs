//! Inputs, answers and a driver for this protocol's tests.

use chrono::{DateTime, Utc};
use serde_json::{Value, json};

use super::input::{Input, Settings};
use super::intake;
use super::machine::{Machine, Outcome};
use super::model::Opportunity;
use crate::kernel::{Basis, Cost, Driver, Event, Step, Usd};
use crate::protocol::conformance::Subject;
use crate::protocol::opening::Opening;
use crate::protocol::prompt::Prompts;
use crate::protocol::testing::seats;
pub(crate) use crate::protocol::testing::{BOUNDARY, asked, failed, judged, only, raw, seated};

pub(crate) fn now() -> DateTime<Utc> {
    DateTime::from_timestamp(1_800_000_000, 0).unwrap()
}

/// Returns opportunities `a`, `b`, ... with titles.
pub(crate) fn opportunities(ids: &str) -> Vec<Opportunity> {
    let items: Vec<Value> = ids
        .chars()
        .map(|id| json!({ "opportunity_id": id.to_string(), "title": format!("Opportunity {id}") }))
        .collect();
    read(&Value::from(items))
}

pub(crate) fn read(items: &Value) -> Vec<Opportunity> {
    let bytes = items.to_string().into_bytes();
    intake::read("test.json", &bytes, now(), intake::Limits::default()).unwrap().opportunities
}

pub(crate) fn input(opportunities: Vec<Opportunity>) -> Input {
    Input {
        opportunities,
        settings: Settings::default(),
        prompts: Prompts::new(BOUNDARY),
        seats: seats(&[
            ("champion", "claude", "anthropic"),
            ("critic", "codex", "openai"),
            ("moderator", "claude", "anthropic"),
        ]),
    }
}

pub(crate) fn machine(ids: &str) -> Driver<Machine> {
    Machine::open(input(opportunities(ids))).unwrap()
}

/// Returns `abc` as a JSON list of ids.
fn list(order: &str) -> Value {
    order.chars().map(|id| Value::from(id.to_string())).collect()
}

pub(crate) fn champion(order: &str) -> String {
    format!(
        "<<<CHAMPION_ARGUMENT_START>>>\nBecause.\n<<<CHAMPION_ARGUMENT_END>>>\n\n\
         <<<CHAMPION_RANKINGS_START>>>\n{}\n<<<CHAMPION_RANKINGS_END>>>\n",
        list(order)
    )
}

pub(crate) fn critic(order: &str) -> String {
    let first = order.chars().next().unwrap();
    format!(
        "<<<CRITIC_CONCERNS_START>>>\n{}\n<<<CRITIC_CONCERNS_END>>>\n\n\
         <<<CRITIC_RANKINGS_START>>>\n{}\n<<<CRITIC_RANKINGS_END>>>\n",
        json!({ first.to_string(): ["Large."] }),
        list(order)
    )
}

/// Returns a moderator's reply; `words` are the dispositions by first letter, in the order of `order`: `ppid`. `I` is
/// an `investigate` with a first step.
pub(crate) fn moderator(order: &str, words: &str, continues: bool, consensus: bool) -> String {
    let word = |letter| match letter {
        'p' => "prioritize",
        'i' => "investigate",
        'd' => "defer",
        _ => "reject",
    };
    let dispositions: Value = order
        .chars()
        .zip(words.chars())
        .map(|(id, letter)| {
            let said = match letter {
                'I' => json!({ "reason": "Unproven.", "disposition": "investigate", "start_with": "Run it." }),
                letter => Value::from(word(letter)),
            };
            (id.to_string(), said)
        })
        .collect::<serde_json::Map<_, _>>()
        .into();
    format!(
        "<<<DISPOSITIONS_START>>>\n{dispositions}\n<<<DISPOSITIONS_END>>>\n\n\
         <<<FINAL_RANKINGS_START>>>\n{}\n<<<FINAL_RANKINGS_END>>>\n\n\
         <<<DEBATE_STATUS_START>>>\n{}\n<<<DEBATE_STATUS_END>>>\n",
        list(order),
        json!({ "continue_debate": continues, "consensus_reached": consensus })
    )
}

/// Gives one reply, at a cost of 0.1 USD.
pub(crate) fn give(
    machine: &mut Driver<Machine>,
    text: &(impl AsRef<[u8]> + ?Sized),
) -> Vec<Event> {
    let turn = only(machine).expect("a turn is asked");
    let mut answer = judged(machine, &turn, text);
    answer.cost = Some(Cost { usd: Usd::from_micros(100_000), basis: Basis::Reported });
    machine.apply(vec![answer])
}

/// Gives replies until the debate is over or they are used up.
pub(crate) fn run(machine: &mut Driver<Machine>, texts: &[impl AsRef<[u8]>]) -> Option<Outcome> {
    for text in texts {
        if only(machine).is_none() {
            break;
        }
        give(machine, text);
    }
    match machine.next() {
        Step::Ask { .. } => None,
        Step::Done(outcome) => Some(outcome),
    }
}

impl Subject for Machine {
    /// Every third opens blind.
    fn open(size: u32) -> Driver<Self> {
        let mut input =
            input(opportunities(["abcd", "abc", "ab"][usize::try_from(size).unwrap() % 3]));
        input.settings.max_rounds = 1 + size;
        if size % 3 == 1 {
            input.settings.opening = Opening::Blind;
        }
        Self::open(input).unwrap()
    }

    /// Three turns per round, and the critic's once more after a blind opening.
    fn most_turns(size: u32) -> u32 {
        3 * (1 + size) + u32::from(size % 3 == 1)
    }

    /// The ranking of a complete round may be applied after a stop; the session stays open.
    fn decides(outcome: &Outcome) -> bool {
        outcome.outcome.closes()
    }
}
