//! The event stream of `codex exec --json`.

use serde_json::Value;

use crate::agent::attempts::Usage;
use crate::agent::output::json::{count, text, values};
use crate::agent::output::{Envelope, classify};
use crate::kernel::FailureClass;

pub(super) fn read(stdout: &[u8], _: &[u8], code: Option<i32>) -> Envelope {
    let mut reading = Envelope::default();
    let mut warning: Option<String> = None;
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
                reading.error = Some((classify::message(said, code), said.to_owned()));
            }
            Some("error") => {
                warning = text(&event, "/message").map(str::to_owned);
                // It retries by itself, even after an interrupted stream.
                worked |= !warning.as_deref().is_some_and(|said| is_turned_away(said, code));
            }
            Some(kind) if kind.starts_with("item.") => {
                worked |= text(&event, "/item/type") != Some("error");
            }
            _ => {}
        }
    }
    reading.warning = warning;
    let error = reading.error.as_ref().map(|(_, said)| said);
    reading.idle = !worked && error.is_none_or(|said| is_turned_away(said, code));
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

/// Whether a message says that the request itself was refused.
fn is_turned_away(said: &str, code: Option<i32>) -> bool {
    match classify::status(said) {
        Some(status) => classify::turns_away(status),
        None => {
            classify::has(said, ["high demand", "at capacity"])
                || classify::is_refusal_by_words(&classify::message(said, code))
        }
    }
}
