//! Any program's output, by the pointers of its configuration.

use std::collections::BTreeMap;

use serde_json::Value;

use super::classify::{self, has};
use super::json::{parse, text, values};
use super::{Reading, last_line};
use crate::agent::attempts::Usage;
use crate::agent::roster::Agent;
use crate::config::agents::{OutputConfig, OutputFormat, ProfileName};
use crate::kernel::FailureClass;

pub(super) fn read(agent: &Agent, stdout: &[u8], stderr: &[u8], code: Option<i32>) -> Reading {
    let output = &agent.output;
    let mut reading = match output.format {
        OutputFormat::Text => {
            Reading { answer: Some(stdout.to_vec()), finished: true, ..Reading::default() }
        }
        OutputFormat::Json => match parse(stdout.trim_ascii()) {
            Some(Value::Array(list)) => elements(output, &list, code),
            Some(value) => elements(output, &[value], code),
            None => Reading::default(),
        },
        OutputFormat::Jsonl => elements(output, &values(stdout), code),
    };
    if reading.error.is_none() && code.is_some_and(|code| code != 0) {
        reading.error = last_line(stderr)
            // Copilot's words.
            .filter(|said| has(said, &["No authentication information found"]))
            .map(|said| (FailureClass::NotLoggedIn, said));
        reading.idle |= reading.error.is_some();
    }
    // Of a program that nobody measured nothing proves that it did not ask a model.
    reading.idle &= agent.profile != ProfileName::Generic;
    reading
}

/// Reads the lines of a stream, or the elements of an array.
fn elements(output: &OutputConfig, list: &[Value], code: Option<i32>) -> Reading {
    let mut reading = Reading::default();
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
            // A program that answers with JSON itself.
            Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
                value.to_string().into_bytes()
            }
        });
        reading.finished = true;
    }
    for element in list {
        if let Some(error) = error(output, element, code) {
            reading.error = Some(error);
            reading.idle = status(element).is_some_and(classify::turns_away);
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

/// The figure of the chosen element; where that has none, those of all elements, to be summed.
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
    let class = match status(element) {
        Some(status) => classify::http(status, &said, code),
        None if classify::is_quota(&said) => classify::quota(&said),
        None => classify::crashed(code),
    };
    Some((class, said))
}

/// OpenCode's place for the HTTP status.
fn status(element: &Value) -> Option<u64> {
    element.pointer("/error/data/statusCode").and_then(Value::as_u64)
}
