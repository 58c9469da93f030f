//! Claude Code's `result` object, alone, in an array or at the end of a stream; Qwen Code prints a similar
//! one.

use chrono::DateTime;
use serde_json::Value;

use crate::agent::attempts::Usage;
use crate::agent::output::json::{count, text, values};
use crate::agent::output::{Envelope, classify, limits};
use crate::kernel::{FailureClass, QuotaWindow};
use crate::text::Note;

pub(in crate::agent::profile) fn read(stdout: &[u8], _: &[u8], code: Option<i32>) -> Envelope {
    let mut reading = Envelope::default();
    let events = values(stdout);
    let result = events.iter().rev().find(|event| text(event, "/type") == Some("result"));
    reading.model = events
        .iter()
        .find(|event| text(event, "/subtype") == Some("init"))
        .and_then(|event| text(event, "/model"))
        .map(str::to_owned);
    let worked = events.iter().any(worked);
    let told = events.iter().rev().find(|event| text(event, "/type") == Some("rate_limit_event"));
    reading.quota = told.map(quota).unwrap_or_default();
    let Some(result) = result else {
        // Invalid flags, oversized input, no login: what standard error says is no work.
        reading.idle = !worked;
        return reading;
    };
    reading.session = text(result, "/session_id").map(str::to_owned);
    reading.take_cost(result.get("total_cost_usd"));
    reading.usage = usage(result);
    reading.by_model = by_model(result);
    // The one with the most output: the list also contains small auxiliary models of the CLI.
    let main = reading.by_model.iter().max_by_key(|(_, usage)| usage.output);
    reading.model = main.map(|(name, _)| name.clone()).or(reading.model);
    reading.cut = text(result, "/stop_reason") == Some("max_tokens");
    // `subtype` says "success" even for API failures; only `is_error` is reliable.
    if result.get("is_error") == Some(&Value::Bool(false)) {
        // With no turns, no model was asked, so the text is not an answer.
        if result.get("num_turns").and_then(Value::as_u64) != Some(0) {
            let result = text(result, "/result").unwrap_or_default();
            let streamed = last_message(&events);
            let is_less = result.len() < streamed.len() && streamed.starts_with(result.trim());
            if is_less && !streamed.trim().is_empty() {
                reading.notes.push(Note::new(
                    "result_cut",
                    "the CLI's result holds less than its last message, which is the answer",
                ));
            }
            let answer = if is_less { &streamed } else { result };
            reading.answer = Some(answer.as_bytes().to_vec());
        }
        reading.finished = true;
    } else {
        let (class, said) = error(result, code);
        reading.cut |= class == FailureClass::OutputLimit;
        reading.idle = !worked && is_turned_away(result, &class);
        if !reading.idle && !reading.has_usage() {
            // The CLI's sum omits the usage of an interrupted request, so its 0 means nothing.
            (reading.cost, reading.usage) = (None, None);
        }
        reading.error = Some((class, said));
    }
    reading
}

/// Reads the windows of a subscription, of which Claude Code tells after an answer.
fn quota(event: &Value) -> Vec<QuotaWindow> {
    let read = |(key, window): (&str, &str)| {
        let of = event.pointer(&format!("/rate_limit_info/unifiedWindows/{key}"))?;
        let used = of.get("utilization").and_then(Value::as_f64).filter(|used| *used >= 0.0)?;
        Some(QuotaWindow {
            window: window.to_owned(),
            // A fraction, above 1 where the vendor lets a user go on.
            used_percent: format!("{:.0}", used.min(10.0) * 100.0).parse().ok()?,
            resets_at: DateTime::from_timestamp(of.get("resetsAt")?.as_i64()?, 0)?,
            before_percent: None,
        })
    };
    [("five_hour", "5 h"), ("seven_day", "week")].into_iter().filter_map(read).collect()
}

/// Whether an event shows that a model worked, or that the CLI retried an interrupted request. The CLI attributes its
/// own error messages to a model named `<synthetic>`.
fn worked(event: &Value) -> bool {
    match (text(event, "/type"), text(event, "/subtype")) {
        (Some("assistant"), _) => text(event, "/message/model") != Some("<synthetic>"),
        (Some("stream_event" | "user"), _) => true,
        (Some("system"), Some("api_retry")) => !status(event, "error_status"),
        _ => false,
    }
}

/// Whether an event has a status by which the request itself was refused.
fn status(event: &Value, key: &str) -> bool {
    (event.get(key).and_then(Value::as_u64)).is_some_and(classify::turns_away)
}

/// Whether the failed call was refused before any work; the CLI's own limits apply after the work.
fn is_turned_away(result: &Value, class: &FailureClass) -> bool {
    let own_limit = text(result, "/subtype").is_some_and(|subtype| subtype.starts_with("error_"));
    status(result, "api_error_status") || (classify::is_refusal_by_words(class) && !own_limit)
}

/// The text of the last message: all its events have its id. A subagent's messages are not the agent's own.
fn last_message(events: &[Value]) -> String {
    let said = |event: &&Value| {
        text(event, "/type") == Some("assistant")
            && text(event, "/message/model") != Some("<synthetic>")
            && text(event, "/parent_tool_use_id").is_none()
    };
    let id = |event: &Value| text(event, "/message/id").map(str::to_owned);
    let Some(last) = events.iter().rev().find(said) else {
        return String::new();
    };
    let of_last = |event: &&Value| {
        std::ptr::eq(*event, last) || (id(event).is_some() && id(event) == id(last))
    };
    let pieces = events.iter().filter(said).filter(of_last);
    let pieces = pieces.filter_map(|event| event.pointer("/message/content")?.as_array());
    pieces.flatten().filter_map(|piece| text(piece, "/text")).collect()
}

/// Token counts of this run; the CLI counts cached ones separately from `input_tokens`.
fn usage(result: &Value) -> Option<Usage> {
    let usage = result.get("usage").filter(|usage| usage.is_object())?;
    let cache_read = count(usage, "/cache_read_input_tokens");
    let cache_write = count(usage, "/cache_creation_input_tokens");
    Some(Usage {
        input: count(usage, "/input_tokens").saturating_add(cache_read).saturating_add(cache_write),
        cache_read,
        cache_write,
        output: count(usage, "/output_tokens"),
    })
}

fn by_model(result: &Value) -> Vec<(String, Usage)> {
    let models = result.get("modelUsage").and_then(Value::as_object);
    let each = models.into_iter().flatten().map(|(name, usage)| {
        let cache_read = count(usage, "/cacheReadInputTokens");
        let cache_write = count(usage, "/cacheCreationInputTokens");
        let input = count(usage, "/inputTokens");
        let input = input.saturating_add(cache_read).saturating_add(cache_write);
        let output = count(usage, "/outputTokens");
        (name.clone(), Usage { input, cache_read, cache_write, output })
    });
    each.collect()
}

fn error(result: &Value, code: Option<i32>) -> (FailureClass, String) {
    let said = text(result, "/result")
        .or_else(|| text(result, "/errors/0"))
        .or_else(|| text(result, "/error/message"))
        .unwrap_or("an error without a message")
        .to_owned();
    let class = match (text(result, "/subtype"), text(result, "/terminal_reason")) {
        (_, Some("prompt_too_long")) => FailureClass::ContextTooLong,
        (Some("error_max_budget_usd"), _) => limits::ended(&said),
        // A configured limit; a repeated call would reach it again.
        (Some("error_max_turns"), _) => FailureClass::RefusedByPolicy,
        _ => match result.get("api_error_status").and_then(Value::as_u64) {
            Some(status) => classify::http(status, &said, code),
            None => classify::message(&said, code),
        },
    };
    (class, said)
}
