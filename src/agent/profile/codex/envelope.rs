//! The event stream of `codex exec --json`.

use serde_json::Value;

use crate::agent::attempts::Usage;
use crate::agent::output::classify::{self, has};
use crate::agent::output::json::{count, text, values};
use crate::agent::output::{EnvelopeContent, last_line};
use crate::kernel::FailureClass;

pub(super) fn read(stdout: &[u8], stderr: &[u8], code: Option<i32>) -> EnvelopeContent {
    let mut reading = EnvelopeContent::default();
    let mut warning = None;
    let mut worked = false;
    for event in values(stdout) {
        match text(&event, "/type") {
            Some("thread.started") => {
                reading.session = text(&event, "/thread_id").map(str::to_owned);
            }
            Some("item.completed") if text(&event, "/item/type") == Some("agent_message") => {
                worked = true;
                reading.answer = text(&event, "/item/text").map(|text| text.as_bytes().to_vec());
            }
            Some("turn.completed") => {
                reading.finished = true;
                reading.usage = usage(&event);
            }
            // An `error` on its own is a warning (`Reconnecting... 1/5`); only this is a failure.
            Some("turn.failed") => {
                let said = text(&event, "/error/message").unwrap_or("the turn failed");
                reading.error = Some((by_message(said, code), said.to_owned()));
            }
            Some("error") => {
                warning = text(&event, "/message").map(str::to_owned);
                // It retries by itself, even after an interrupted stream.
                worked |= !warning.as_deref().is_some_and(is_turned_away);
            }
            Some(kind) if kind.starts_with("item.") => {
                worked |= text(&event, "/item/type") != Some("error");
            }
            _ => {}
        }
    }
    if reading.error.is_none() && code.is_some_and(|code| code != 0) {
        let said = last_line(stderr).or(warning);
        reading.error = said.map(|said| (by_message(&said, code), said));
    }
    reading.idle =
        !worked && (reading.error.as_ref()).is_some_and(|(_, said)| is_turned_away(said));
    reading.cut = matches!(&reading.error, Some((FailureClass::OutputLimit, _)));
    reading
}

fn usage(event: &Value) -> Option<Usage> {
    let usage = event.get("usage").filter(|usage| usage.is_object())?;
    Some(Usage {
        input: count(usage, "/input_tokens"),
        cache_read: count(usage, "/cached_input_tokens"),
        cache_write: count(usage, "/cache_write_input_tokens"),
        output: count(usage, "/output_tokens"),
    })
}

fn by_message(said: &str, code: Option<i32>) -> FailureClass {
    if has(said, &["context window", "Input exceeds the maximum length"]) {
        FailureClass::ContextTooLong
    } else if has(said, &["reason: max_output_tokens"]) {
        FailureClass::OutputLimit
    } else if classify::is_quota(said) {
        classify::quota(said)
    } else if has(
        said,
        &["high demand", "at capacity", "stream disconnected", "error sending request"],
    ) {
        FailureClass::Overloaded
    } else if has(said, &["The model "]) && has(said, &["does not exist", "is not supported"]) {
        FailureClass::UnknownModel
    } else if has(said, &["Missing environment variable", "Not logged in"]) {
        FailureClass::NotLoggedIn
    } else if let Some(status) = status(said) {
        classify::http(status, said, code)
    } else {
        classify::crashed(code)
    }
}

/// Whether a message says that the request itself was refused.
fn is_turned_away(said: &str) -> bool {
    match status(said) {
        Some(status) => classify::turns_away(status),
        None => {
            has(said, &["high demand", "at capacity"])
                || matches!(
                    by_message(said, None),
                    FailureClass::NotLoggedIn
                        | FailureClass::UnknownModel
                        | FailureClass::QuotaExhausted { .. }
                )
        }
    }
}

/// Finds the status in `unexpected status 401 Unauthorized` and `last status: 429 Too Many Requests`.
fn status(said: &str) -> Option<u64> {
    ["unexpected status ", "last status: "]
        .iter()
        .find_map(|words| said.split_once(words)?.1.get(..3)?.parse().ok())
}
