//! Gemini's event stream, and its single JSON document.
//!
//! The answer in a stream is the assistant's text after its last tool call, which is its final
//! message.

use serde_json::Value;

use crate::agent::attempts::Usage;
use crate::agent::output::classify::{self, has};
use crate::agent::output::json::{count, last_object, text, values};
use crate::agent::output::{Envelope, limits};
use crate::kernel::FailureClass;

pub(super) fn read(stdout: &[u8], stderr: &[u8], code: Option<i32>) -> Envelope {
    let mut reading = Envelope::default();
    let mut answer = String::new();
    let mut stats = None;
    let mut worked = false;
    for event in values(stdout) {
        match text(&event, "/type") {
            Some("init") => {
                reading.session = text(&event, "/session_id").map(str::to_owned);
                reading.model = text(&event, "/model").map(str::to_owned);
            }
            Some("message") if text(&event, "/role") == Some("assistant") => {
                if event.get("delta") != Some(&Value::Bool(true)) {
                    answer.clear();
                }
                answer.push_str(text(&event, "/content").unwrap_or_default());
                worked = true;
            }
            Some(kind @ ("message" | "tool_use" | "tool_result")) => {
                answer.clear();
                worked |= kind != "message";
            }
            Some("result") => {
                reading.finished = text(&event, "/status") == Some("success");
                reading.error = error(&event, code);
                stats = event.get("stats").cloned();
            }
            // The single document has no type.
            None if event.get("session_id").is_some() => {
                reading.session = text(&event, "/session_id").map(str::to_owned);
                text(&event, "/response").unwrap_or_default().clone_into(&mut answer);
                reading.finished = event.get("response").is_some();
                reading.error = error(&event, code);
                stats = event.get("stats").cloned();
            }
            Some(_) | None => {}
        }
    }
    if let Some(stats) = &stats {
        take_stats(&mut reading, stats);
    }
    let asked_nobody = stats.is_some_and(|stats| requests(&stats) == Some(0));
    if !answer.trim().is_empty() {
        reading.answer = Some(answer.into_bytes());
    } else if reading.finished && reading.error.is_none() && asked_nobody {
        // Beyond its context window it calls no model, answers "" and exits with 0.
        reading.error = Some((
            FailureClass::ContextTooLong,
            "answered nothing and asked no model, as it does when a prompt exceeds its context window"
                .to_owned(),
        ));
    }
    if reading.error.is_none() && code.is_some_and(|code| code != 0) {
        // With `json`, the report is at the end of standard error, after stack traces.
        reading.error = last_object(stderr).and_then(|report| error(&report, code));
    }
    // It retries only if the request was refused, not after an interrupted stream.
    let error = reading.error.as_ref();
    reading.idle = !worked && error.is_none_or(|(class, _)| turned_away(class, code));
    reading
}

/// Whether a failed call was refused before any work: by its status, or before there was a request.
fn turned_away(class: &FailureClass, code: Option<i32>) -> bool {
    classify::is_refusal_by_words(class) || code.and_then(status).is_some_and(classify::turns_away)
}

/// Finds the HTTP status in an exit code, which is the status modulo 256, or in a report, which has it unchanged.
fn status(code: i32) -> Option<u64> {
    match code {
        144..=255 => Some(u64::from(code.unsigned_abs()) + 256),
        400..=599 => Some(u64::from(code.unsigned_abs())),
        _ => None,
    }
}

/// An `error` key means failure, even with exit code 0.
fn error(event: &Value, code: Option<i32>) -> Option<(FailureClass, String)> {
    let error = event.get("error").filter(|error| !error.is_null());
    if error.is_none() && text(event, "/status") != Some("error") {
        return None;
    }
    let said = text(event, "/error/message").unwrap_or("an error without a message");
    let kind = text(event, "/error/type").unwrap_or_default();
    let code = event
        .pointer("/error/code")
        .and_then(Value::as_i64)
        .and_then(|code| i32::try_from(code).ok())
        .or(code);
    Some((class(kind, said, code), said.to_owned()))
}

/// Its exit code is the HTTP status modulo 256, so 173 is 429 and not signal 45.
fn class(kind: &str, said: &str, code: Option<i32>) -> FailureClass {
    if has(said, ["Model stream ended with empty response"]) {
        return FailureClass::EmptyReply;
    }
    if kind == "TerminalQuotaError" {
        return limits::ended(said);
    }
    if kind == "ModelNotFoundError" {
        return FailureClass::UnknownModel;
    }
    match code {
        Some(41) => FailureClass::NotLoggedIn,
        // An untrusted folder.
        Some(55) => FailureClass::RefusedByPolicy,
        _ => match code.and_then(status) {
            Some(status) => classify::http(status, said, code),
            None => classify::message(said, code),
        },
    }
}

fn requests(stats: &Value) -> Option<u64> {
    let models = stats.get("models")?.as_object()?;
    Some(
        models
            .values()
            .map(|model| count(model, "/api/totalRequests").max(count(model, "/total_tokens")))
            .sum(),
    )
}

/// The tokens of each model (a router model counts too), and the model with the most output.
fn take_stats(reading: &mut Envelope, stats: &Value) {
    let models = stats.get("models").and_then(Value::as_object);
    let each = models.into_iter().flatten().map(|(name, model)| (name.clone(), tokens(model)));
    reading.by_model = each.filter(|(_, usage)| *usage != Usage::default()).collect();
    let main = reading.by_model.iter().max_by_key(|(_, usage)| usage.output);
    if let Some((name, _)) = main {
        reading.model = Some(name.clone());
    }
    let all = reading.by_model.iter().map(|(_, usage)| *usage);
    let usage = all.reduce(Usage::plus).unwrap_or_else(|| tokens(stats));
    reading.usage = (usage != Usage::default()).then_some(usage);
}

/// The document nests its counts; the stream writes them flat.
fn tokens(model: &Value) -> Usage {
    let (input, cache_read, output) = if model.get("tokens").is_some() {
        let output = count(model, "/tokens/candidates");
        let output = output.saturating_add(count(model, "/tokens/thoughts"));
        (count(model, "/tokens/prompt"), count(model, "/tokens/cached"), output)
    } else {
        (count(model, "/input_tokens"), count(model, "/cached"), count(model, "/output_tokens"))
    };
    Usage { input, cache_read, cache_write: 0, output }
}
