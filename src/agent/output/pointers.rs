//! Reads a program's output by the pointers of its profile or configuration.

use std::collections::BTreeMap;

use serde_json::Value;

use super::json::{parse, text, values};
use super::{Envelope, classify};
use crate::agent::attempts::Usage;
use crate::config::agents::{OutputConfig, OutputFormat};
use crate::kernel::FailureClass;

/// Reads an output. `statuses`: pointers to possible HTTP statuses of a failed request; `last_word`: whether an event
/// is the last of a good answer.
pub(in crate::agent) fn read(
    output: &OutputConfig,
    statuses: &[&str],
    last_word: fn(&Value) -> bool,
    stdout: &[u8],
    code: Option<i32>,
) -> Envelope {
    match output.format {
        OutputFormat::Text => {
            Envelope { answer: Some(stdout.to_vec()), finished: true, ..Envelope::default() }
        }
        OutputFormat::Json => match parse(stdout.trim_ascii()) {
            Some(Value::Array(list)) => elements(output, statuses, last_word, &list, code),
            Some(value) => elements(output, statuses, last_word, &[value], code),
            None => Envelope::default(),
        },
        OutputFormat::Jsonl => elements(output, statuses, last_word, &values(stdout), code),
    }
}

/// Reads the lines of a stream, or the elements of an array.
fn elements(
    output: &OutputConfig,
    statuses: &[&str],
    last_word: fn(&Value) -> bool,
    list: &[Value],
    code: Option<i32>,
) -> Envelope {
    let mut reading = Envelope { idle: list.is_empty(), ..Envelope::default() };
    let chosen = list.iter().rev().find(|element| {
        let has_text =
            output.text.as_ref().is_none_or(|pointer| element.pointer(pointer).is_some());
        fits(element, &output.select) && has_text
    });
    if let Some(chosen) = chosen {
        let found = match &output.text {
            Some(pointer) => chosen.pointer(pointer),
            None => Some(chosen),
        };
        reading.answer = found.map(|value| match value {
            Value::String(text) => text.as_bytes().to_vec(),
            Value::Null => Vec::new(),
            // A program that answers in JSON itself.
            Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
                value.to_string().into_bytes()
            }
        });
        reading.finished = true;
    }
    for element in list {
        let mut found = statuses.iter().filter_map(|pointer| element.pointer(pointer)?.as_u64());
        let status = found.next();
        if let Some((class, said)) = error(output, element, status, code) {
            reading.idle =
                status.map_or_else(|| classify::is_refusal_by_words(&class), classify::turns_away);
            reading.error = Some((class, said));
            reading.ended = false;
        } else if last_word(element) {
            // It went on after its error.
            reading.error = None;
            reading.ended = true;
        }
    }
    for cost in figures(output.cost_usd.as_deref(), chosen, list) {
        reading.take_cost(Some(cost));
    }
    let tokens = |pointer: Option<&str>| -> u64 {
        figures(pointer, chosen, list)
            .into_iter()
            .filter_map(Value::as_u64)
            .fold(0, u64::saturating_add)
    };
    let usage = Usage {
        input: tokens(output.input_tokens.as_deref()),
        output: tokens(output.output_tokens.as_deref()),
        ..Usage::default()
    };
    reading.usage = (usage != Usage::default()).then_some(usage);
    reading.model = output.model.as_deref().and_then(|pointer| {
        list.iter().rev().find_map(|element| text(element, pointer)).map(str::to_owned)
    });
    reading
}

/// The figure of the chosen element, or those of all elements, to be summed, if it has none.
fn figures<'a>(
    pointer: Option<&str>,
    chosen: Option<&'a Value>,
    list: &'a [Value],
) -> Vec<&'a Value> {
    let Some(pointer) = pointer else {
        return Vec::new();
    };
    match chosen.and_then(|chosen| chosen.pointer(pointer)) {
        Some(value) => vec![value],
        None => list.iter().filter_map(|element| element.pointer(pointer)).collect(),
    }
}

fn fits(element: &Value, wanted: &BTreeMap<String, Value>) -> bool {
    wanted.iter().all(|(pointer, value)| element.pointer(pointer) == Some(value))
}

fn error(
    output: &OutputConfig,
    element: &Value,
    status: Option<u64>,
    code: Option<i32>,
) -> Option<(FailureClass, String)> {
    let said = output
        .error
        .as_ref()
        .and_then(|pointer| element.pointer(pointer))
        .filter(|value| !value.is_null());
    let is_event = !output.error_select.is_empty() && fits(element, &output.error_select);
    if said.is_none() && !is_event {
        return None;
    }
    let said = match said {
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
        None => "an error without a message".to_owned(),
    };
    let class = match status {
        Some(status) => classify::http(status, &said, code),
        None => classify::message(&said, code),
    };
    Some((class, said))
}
