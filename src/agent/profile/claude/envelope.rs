//! Claude Code's `result` object, alone, in an array or at the end of a stream; Qwen Code prints a similar
//! one.

use serde_json::Value;

use crate::agent::attempts::Usage;
use crate::agent::output::classify::{self, has};
use crate::agent::output::json::{count, text, values};
use crate::agent::output::{EnvelopeContent, last_line};
use crate::kernel::FailureClass;

pub(in crate::agent::profile) fn read(
    stdout: &[u8],
    stderr: &[u8],
    code: Option<i32>,
) -> EnvelopeContent {
    let mut reading = EnvelopeContent::default();
    let events = values(stdout);
    let result = events.iter().rev().find(|event| text(event, "/type") == Some("result"));
    reading.model = events
        .iter()
        .find(|event| text(event, "/subtype") == Some("init"))
        .and_then(|event| text(event, "/model"))
        .map(str::to_owned);
    let worked = events.iter().any(worked);
    let Some(result) = result else {
        reading.error = without_result(stderr, code);
        reading.idle = !worked && matches!(reading.error, Some((FailureClass::NotLoggedIn, _)));
        return reading;
    };
    reading.session = text(result, "/session_id").map(str::to_owned);
    reading.take_cost(result.get("total_cost_usd"));
    reading.usage = usage(result);
    reading.model = main_model(result).or(reading.model);
    reading.cut = text(result, "/stop_reason") == Some("max_tokens");
    // `subtype` says "success" even for API failures; only `is_error` is reliable.
    if result.get("is_error") == Some(&Value::Bool(false)) {
        // With no turns, no model was asked, so the text is not an answer.
        if result.get("num_turns").and_then(Value::as_u64) != Some(0) {
            reading.answer = text(result, "/result").map(|text| text.as_bytes().to_vec());
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
    let by_words = matches!(class, FailureClass::NotLoggedIn | FailureClass::QuotaExhausted { .. });
    status(result, "api_error_status") || (by_words && !own_limit)
}

/// Invalid flags and oversized input leave standard output empty.
fn without_result(stderr: &[u8], code: Option<i32>) -> Option<(FailureClass, String)> {
    let said = last_line(stderr)?;
    let known = if has(&said, &["stdin input exceeds 10MB"]) {
        FailureClass::ContextTooLong
    } else if has(&said, &["Not logged in", "Please run /login"]) {
        FailureClass::NotLoggedIn
    } else if code.is_some_and(|code| code != 0) {
        classify::crashed(code)
    } else {
        return None;
    };
    Some((known, said))
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

/// The model with the most output: the list also contains small auxiliary models of the CLI.
fn main_model(result: &Value) -> Option<String> {
    let models = result.get("modelUsage")?.as_object()?;
    models
        .iter()
        .max_by_key(|(_, usage)| count(usage, "/outputTokens"))
        .map(|(name, _)| name.clone())
}

fn error(result: &Value, code: Option<i32>) -> (FailureClass, String) {
    let said = text(result, "/result")
        .or_else(|| text(result, "/errors/0"))
        .or_else(|| text(result, "/error/message"))
        .unwrap_or("an error without a message")
        .to_owned();
    let class = match (text(result, "/subtype"), text(result, "/terminal_reason")) {
        (_, Some("prompt_too_long")) => FailureClass::ContextTooLong,
        (Some("error_max_budget_usd"), _) => FailureClass::QuotaExhausted { resets_at: None },
        // A configured limit; a repeated call would reach it again.
        (Some("error_max_turns"), _) => FailureClass::RefusedByPolicy,
        _ => match result.get("api_error_status").and_then(Value::as_u64) {
            Some(status) => classify::http(status, &said, code),
            None => by_message(&said, code),
        },
    };
    (class, said)
}

fn by_message(said: &str, code: Option<i32>) -> FailureClass {
    if has(
        said,
        &["Not logged in", "Invalid API key", "Please run /login", "OAuth token has expired"],
    ) {
        FailureClass::NotLoggedIn
    } else if has(said, &["Prompt is too long"]) {
        FailureClass::ContextTooLong
    } else if has(said, &["output token maximum"]) {
        FailureClass::OutputLimit
    } else if classify::is_quota(said) {
        classify::quota(said)
    } else if has(
        said,
        &[
            "Connection dropped",
            "Connection error",
            "ECONNRE",
            "Request timed out",
            "Unable to connect",
        ],
    ) {
        FailureClass::Overloaded
    } else {
        classify::crashed(code)
    }
}
