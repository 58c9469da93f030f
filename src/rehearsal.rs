//! The built-in stand-in for every role: answers without a model, a login, a network or costs.
//!
//! The binary starts itself as this agent, so everything around the answer is the real path. Before the prompt it
//! gets one line that no other agent gets: the turn's subject, as data
//! ([`Protocol::data`](crate::kernel::Protocol::data)). The answer is a pure function of it, by a few plain rules,
//! and its text states that it is a rehearsal. Its decisions are not advice.

mod argument;
mod backlog;
mod clarify;
mod dialogue;
mod discuss;
mod inquiry;
mod panel;
mod plan;
mod review;

use serde_json::Value;

use crate::protocol::clarify::CLARIFY;

/// The sentence that opens every rehearsed text.
pub(crate) const BANNER: &str = "REHEARSAL: no model was asked.";

/// Answers a stand-in's input: a line of JSON with the turn's data, then the prompt that an agent would get. Input
/// that is not one of our turns gets a sentence that says so, and no blocks.
pub(crate) fn answer(input: &str) -> String {
    let line = input.lines().next().unwrap_or_default();
    let data: Value = serde_json::from_str(line).unwrap_or_default();
    let blocks = match backlog::answer(&data["backlog"]) {
        Some(said) => Some(said.render()),
        None => (discuss::answer(&data["discuss"]).map(|said| said.render()))
            .or_else(|| inquiry::answer(&data["inquiry"]).map(|said| said.render()))
            .or_else(|| review::answer(&data["review"]).map(|said| said.render()))
            .or_else(|| plan::answer(&data["plan"]).map(|said| said.render()))
            .or_else(|| argument::answer(&data["argument"]).map(|said| said.render()))
            .or_else(|| dialogue::answer(&data["dialogue"]).map(|said| said.render()))
            .or_else(|| panel::answer(&data["panel"]).map(|said| said.render()))
            .or_else(|| clarify::answer(&data["clarify"]).map(|said| CLARIFY.render(&said))),
    };
    match blocks {
        Some(blocks) => format!("{BANNER} These blocks follow fixed rules.\n\n{blocks}"),
        None => format!("{BANNER} The prompt holds no turn that the rehearsal knows.\n"),
    }
}

/// Returns a stand-in's input for a turn, as the program passes it.
#[cfg(test)]
pub(crate) fn given<P: crate::kernel::Protocol>(
    driver: &crate::kernel::Driver<P>,
    turn: &crate::kernel::Turn,
) -> String {
    format!("{}\n{}", driver.data(turn), turn.prompt.text())
}

#[expect(clippy::cast_precision_loss, reason = "counts of at most a few thousand")]
fn small(count: usize) -> f64 {
    count as f64
}

fn strings(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests;
