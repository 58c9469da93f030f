//! Maps the vendors' statuses and messages to failure classes, for every CLI in one place.
//!
//! Only what a CLI itself reports as an error is looked at, by phrases and never by a single word: an answer *about*
//! rate limits is not a rate limit. [`super::limits`] tells a limit that passes from the end of a quota.

use super::limits;
use crate::kernel::FailureClass;
use crate::text::sanitize;

/// A login that is missing, has ended or is refused.
const LOGIN: &str = include_str!("phrases/login.txt");

const TOO_LONG: &str = include_str!("phrases/too-long.txt");

/// Services and networks that may work a moment later.
const UNREACHABLE: &str = include_str!("phrases/unreachable.txt");

/// What a program says that is too old or too new for our arguments, or for its own runtime.
const OTHER_AGE: &str = include_str!("phrases/other-age.txt");

pub(in crate::agent) fn http(status: u64, message: &str, code: Option<i32>) -> FailureClass {
    match status {
        401 | 403 => FailureClass::NotLoggedIn,
        402 => limits::ended(message),
        404 => FailureClass::UnknownModel,
        413 => FailureClass::ContextTooLong,
        429 => limits::passing(message),
        500..=599 => FailureClass::Overloaded,
        // Repeating a request that the vendor rejects would not help.
        400 => by_phrases(message).unwrap_or(FailureClass::RefusedByPolicy),
        _ => crashed(code),
    }
}

/// Whether a status is an answer to the request itself, so that no model saw it. Behind a gateway that timed out
/// (408, 502, 504, ...) one may still be working.
pub(in crate::agent) fn turns_away(status: u64) -> bool {
    matches!(status, 400..=407 | 409..=499 | 500 | 503 | 529)
}

pub(in crate::agent) fn is_refusal(class: &FailureClass) -> bool {
    matches!(class, FailureClass::Overloaded) || is_refusal_by_words(class)
}

/// Whether words of this class are a refusal by themselves; a service that is overloaded may be so in mid-answer.
pub(in crate::agent) fn is_refusal_by_words(class: &FailureClass) -> bool {
    matches!(
        class,
        FailureClass::NotLoggedIn
            | FailureClass::UnknownModel
            | FailureClass::NotExecutable
            | FailureClass::RateLimited { .. }
            | FailureClass::QuotaExhausted { .. }
    )
}

/// The class of a CLI's own error message: by its phrases, by a status in it, else a crash.
pub(in crate::agent) fn message(said: &str, code: Option<i32>) -> FailureClass {
    by_phrases(said)
        .or_else(|| status(said).map(|status| http(status, said, code)))
        .unwrap_or_else(|| crashed(code))
}

fn by_phrases(said: &str) -> Option<FailureClass> {
    let text = said.to_lowercase();
    if has(&text, TOO_LONG.lines()) {
        return Some(FailureClass::ContextTooLong);
    }
    if has(&text, ["output token maximum", "reason: max_output_tokens"]) {
        return Some(FailureClass::OutputLimit);
    }
    if let Some(limit) = limits::of(said) {
        return Some(limit);
    }
    let of_model = text.contains("model")
        && has(&text, ["does not exist", "is not supported", "not found", "unknown model"]);
    if has(&text, LOGIN.lines()) {
        Some(FailureClass::NotLoggedIn)
    } else if of_model || text.contains("issue with the selected model") {
        Some(FailureClass::UnknownModel)
    } else {
        has(&text, UNREACHABLE.lines()).then_some(FailureClass::Overloaded)
    }
}

/// Finds the status in `unexpected status 401 Unauthorized`, `last status: 429 Too Many Requests`, `API Error: 529`.
pub(in crate::agent) fn status(said: &str) -> Option<u64> {
    let text = said.to_lowercase();
    ["status ", "status: ", "status code ", "status code: ", "api error: ", "http "]
        .iter()
        .filter_map(|words| text.split_once(words)?.1.get(..3)?.parse().ok())
        .find(|status| (400..600).contains(status))
}

/// The class of a failure with only an exit code.
pub(in crate::agent) fn crashed(code: Option<i32>) -> FailureClass {
    FailureClass::Crashed { code, signal: None }
}

/// The reason that a program without an answer gave on standard error: the line that says why, not the last one,
/// which often only ends a usage or a stack trace. `None` if it printed nothing.
pub(in crate::agent) fn reason(stderr: &[u8], code: Option<i32>) -> Option<(FailureClass, String)> {
    /// Lines looked at, from the end.
    const LINES: usize = 200;
    const CHARS: usize = 500;
    let text = String::from_utf8_lossy(stderr);
    let lines: Vec<String> = text.lines().map(|line| sanitize::line(line.trim(), CHARS)).collect();
    let lines: Vec<&str> =
        lines.iter().map(String::as_str).filter(|line| !line.is_empty()).collect();
    let lines = &lines[lines.len().saturating_sub(LINES)..];
    // A heading is no reason without the line below it.
    let said = |at: usize| match lines.get(at + 1) {
        Some(below) if lines[at].ends_with(':') => format!("{} {below}", lines[at]),
        Some(_) | None => lines[at].to_owned(),
    };
    let known = lines.iter().enumerate().find_map(|(at, line)| {
        let class = message(line, code);
        (!matches!(class, FailureClass::Crashed { .. })).then(|| (class, said(at)))
    });
    let of_age = || lines.iter().position(|line| has(&line.to_lowercase(), OTHER_AGE.lines()));
    let last = lines.len().checked_sub(1)?;
    known.or_else(|| Some((FailureClass::NotExecutable, said(of_age()?)))).or_else(|| {
        Some((crashed(code), said(lines.iter().position(|line| is_error(line)).unwrap_or(last))))
    })
}

/// `error: ...`, `TypeError: ...`, `fatal: ...`.
fn is_error(line: &str) -> bool {
    let head = line.split_once(':').map_or("", |(head, _)| head).to_lowercase();
    let word = head.rsplit([' ', ']']).next().unwrap_or_default();
    (word.ends_with("error") || word.ends_with("exception") || head == "fatal")
        && !head.contains("warning")
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
    if text.len() > MOST_BYTES || has_marker || is_json || blocks.is_empty() {
        return None;
    }
    let limit = limits::of(text)
        .filter(|limit| !matches!(limit, FailureClass::RateLimited { retry_after: None }))?;
    Some((limit, text.to_owned()))
}

pub(in crate::agent) fn has<'p>(text: &str, phrases: impl IntoIterator<Item = &'p str>) -> bool {
    phrases.into_iter().any(|phrase| text.contains(phrase))
}
