//! Maps the vendors' documented statuses and messages to failure classes.
//!
//! Messages are matched by complete phrases that a vendor is known to print, never by a single
//! word: an answer *about* rate limits is not a rate limit.

use crate::kernel::FailureClass;

pub(in crate::agent) fn http(status: u64, message: &str, code: Option<i32>) -> FailureClass {
    match status {
        401 | 403 => FailureClass::NotLoggedIn,
        404 => FailureClass::UnknownModel,
        413 => FailureClass::ContextTooLong,
        429 => limited(message),
        500..=599 => FailureClass::Overloaded,
        400 => bad_request(message),
        _ => crashed(code),
    }
}

/// Whether a status is an answer to the request itself, so that no model saw it. Behind a gateway that timed out
/// (408, 502, 504, ...) one may still be working.
pub(in crate::agent) fn turns_away(status: u64) -> bool {
    matches!(status, 400..=407 | 409..=499 | 500 | 503 | 529)
}

/// Whether vendors use a failure of this class to refuse a request.
pub(in crate::agent) fn is_refusal(class: &FailureClass) -> bool {
    matches!(
        class,
        FailureClass::NotLoggedIn
            | FailureClass::UnknownModel
            | FailureClass::RateLimited { .. }
            | FailureClass::QuotaExhausted { .. }
            | FailureClass::Overloaded
    )
}

/// A request that the vendor rejects: repeating it would not help.
fn bad_request(message: &str) -> FailureClass {
    let text = message.to_lowercase();
    if has(&text, &["prompt is too long", "context window", "token count", "maximum context"]) {
        FailureClass::ContextTooLong
    } else if has(&text, &["credit balance is too low", "quota exceeded", "insufficient_quota"]) {
        quota(message)
    } else if has(&text, &["api key not valid", "api key expired", "invalid api key"]) {
        FailureClass::NotLoggedIn
    } else {
        FailureClass::RefusedByPolicy
    }
}

/// A 429 is a transient limit, or the end of a quota, depending on its message.
fn limited(message: &str) -> FailureClass {
    if is_quota(message) {
        quota(message)
    } else {
        FailureClass::RateLimited { retry_after: retry_after(message) }
    }
}

/// Whether a message is one that vendors use for an exhausted quota.
pub(in crate::agent) fn is_quota(message: &str) -> bool {
    has(
        &message.to_lowercase(),
        &[
            "hit your limit",
            "hit your usage limit",
            "hit your session limit",
            "hit your weekly limit",
            "usage limit reached",
            "limit reached",
            "credit balance is too low",
            "quota exceeded",
            "exceeded your current quota",
            "exhausted your daily quota",
            "exhausted your capacity",
            "out of credits",
            "insufficient_quota",
            "reached maximum budget",
        ],
    )
}

/// Creates the class, with the vendor's own words on when the quota resets.
pub(in crate::agent) fn quota(message: &str) -> FailureClass {
    let lower = message.to_lowercase();
    let resets_at = ["resets at ", "resets ", "try again at ", "try again in "]
        .iter()
        .find_map(|words| {
            // Lower-casing may change lengths outside ASCII, so the position is found in the original.
            let at = message.char_indices().map(|(at, _)| at).find(|&at| {
                message[at..]
                    .get(..words.len())
                    .is_some_and(|part| part.eq_ignore_ascii_case(words))
            })?;
            let rest = &message[at + words.len()..];
            let end = rest.find(['\n', '·', '|']).unwrap_or(rest.len());
            let when = rest[..end].trim().trim_end_matches('.');
            (!when.is_empty()).then(|| when.chars().take(60).collect())
        })
        // `Claude AI usage limit reached|1763740800`: seconds since 1970.
        .or_else(|| {
            let (_, stamp) = lower.split_once("limit reached|")?;
            Some(stamp.chars().take_while(char::is_ascii_digit).collect())
                .filter(|digits: &String| !digits.is_empty())
        });
    FailureClass::QuotaExhausted { resets_at }
}

/// Finds the seconds in `retry in 7s`, `try again in 20s`, `retry-after: 30`.
pub(in crate::agent) fn retry_after(message: &str) -> Option<u64> {
    let text = message.to_lowercase();
    ["retry in ", "try again in ", "retry after ", "retry-after: ", "retrying in "].iter().find_map(
        |words| {
            let rest = text.split_once(words)?.1;
            let number: String =
                rest.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
            let unit = rest[number.len()..].trim_start();
            let scale = if unit.starts_with("ms") {
                0.001
            } else if unit.starts_with('m') {
                60.0
            } else {
                1.0
            };
            seconds(number.trim_end_matches('.').parse::<f64>().ok()? * scale)
        },
    )
}

/// Rounds up to whole seconds; `None` for anything that is not a sensible wait.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the range is checked first"
)]
fn seconds(value: f64) -> Option<u64> {
    (0.0..=1e9).contains(&value).then_some(value.ceil() as u64)
}

/// The class of a failure with only an exit code.
pub(in crate::agent) fn crashed(code: Option<i32>) -> FailureClass {
    FailureClass::Crashed { code, signal: None }
}

/// Recognises a limit notice that a CLI prints as if it were the answer. Used only for short
/// replies without markers: mentions of limits in a real reply decide nothing.
pub(in crate::agent) fn limit_text(
    answer: &[u8],
    blocks: &[&str],
) -> Option<(FailureClass, String)> {
    /// A limit notice is one or two sentences.
    const MOST_BYTES: usize = 400;
    let text = std::str::from_utf8(answer).ok()?.trim();
    let has_marker = text.contains("<<<") || blocks.iter().any(|block| text.contains(block));
    let is_json = text.starts_with(['{', '[']);
    if text.len() > MOST_BYTES || has_marker || is_json || blocks.is_empty() || !is_quota(text) {
        return None;
    }
    Some((quota(text), format!("answered with a limit notice: {text}")))
}

pub(in crate::agent) fn has(text: &str, phrases: &[&str]) -> bool {
    phrases.iter().any(|phrase| text.contains(phrase))
}
