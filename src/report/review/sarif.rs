//! A review as SARIF 2.1.0, for code scanning.
//!
//! A finding that remains is a result; one that was rejected or is known is a result with a
//! suppression that gives the reason. Consumers read a run without results as "nothing is wrong", so
//! `executionSuccessful` is false unless there is a verdict of real agents, and every seat without an answer and
//! every part left out is a notification.
//!
//! Messages are plain text: sequences that SARIF would read as a link are broken up.

use std::fmt::Write as _;

use chrono::{DateTime, SecondsFormat, Utc};
use serde_json::{Map, Value, json};

use super::nothing::NOTHING;
use super::page::about;
use super::{FINGERPRINT, NothingToReview, ReviewDocument, TOOL, file_line};
use crate::change::{NotReviewed, Omission};
use crate::protocol::review::{ReportedFinding, Severity, SuppressedFinding};
use crate::report::page::ToPage as _;
use crate::report::page::session::{count_warnings, seat};
use crate::report::page::terminal::line;
use crate::report::progress::REHEARSAL;
use crate::text::sanitize;

/// The schema named in the log; OASIS publishes it with the standard.
const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json";
/// The name of the repository's root in paths, as used by GitHub and the standard's examples.
const ROOT: &str = "%SRCROOT%";
/// The property of a result that contains the reason for its suppression.
pub(crate) const SUPPRESSED_AS: &str = "suppressed_as";
/// The property of a run that marks a rehearsal.
pub(crate) const REHEARSED: &str = "rehearsal";

/// Returns the log as one JSON value.
pub fn log(document: &ReviewDocument) -> Value {
    let header = &document.header;
    let properties = json!({
        "session_id": header.session_id,
        "outcome": header.outcome.name(),
        "verdict": header.verdict.name(),
        "confidence": document.result.confidence,
        "degraded": document.result.degraded,
        REHEARSED: header.rehearsal,
        "known": document.result.suppressed.len(),
        "base": document.change.base,
    });
    one_run(&invocation(document), &results(document), &properties)
}

/// Returns the log of a change in which there is nothing to look at: no result, and a note with the reason.
pub fn nothing(nothing: &NothingToReview) -> Value {
    let mut notifications = vec![notification("nothing_to_review", "note", &nothing.sentence())];
    notifications.extend(nothing.not_reviewed.iter().map(left_out));
    let invocation =
        json!({ "executionSuccessful": true, "toolExecutionNotifications": notifications });
    one_run(&invocation, &[], &json!({ "outcome": NOTHING, "nothing_to_review": true }))
}

fn one_run(invocation: &Value, results: &[Value], properties: &Value) -> Value {
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": driver() },
            "automationDetails": { "id": "debate-agent/review/" },
            "originalUriBaseIds": {
                ROOT: { "description": { "text": "The root of the repository." } }
            },
            "invocations": [invocation],
            "results": results,
            "properties": properties,
        }],
    })
}

fn driver() -> Value {
    let rules = Severity::ALL.map(|severity| {
        let (short, full) = match severity {
            Severity::P0 => (
                "Breaking defect",
                "A crash, data loss, a security or privacy hole, a failing build.",
            ),
            Severity::P1 => (
                "Likely bug",
                "Likely a bug or a regression: wrong logic, an unhandled error, a missing test.",
            ),
            Severity::P2 => {
                ("Minor problem", "A minor correctness problem, a small gap in logic or tests.")
            }
        };
        json!({
            "id": severity.name(),
            "name": short.replace(' ', ""),
            "shortDescription": { "text": short },
            "fullDescription": { "text": full },
            "help": { "text": full },
            "defaultConfiguration": { "level": level(severity) },
        })
    });
    let notifications = [
        ("undecided", "The review reached no verdict."),
        ("rehearsal", "Built-in stand-ins played every role."),
        ("seat_failed", "An agent gave no answer."),
        (
            "turn_failed",
            "An agent that reviewed the change did not answer everything it was asked.",
        ),
        ("not_reviewed", "Part of the change was not reviewed."),
        ("nothing_to_review", "There was nothing to review."),
        ("warning", "Something else worth knowing."),
    ]
    .map(|(id, text)| json!({ "id": id, "shortDescription": { "text": text } }));
    json!({
        "name": TOOL,
        "version": env!("CARGO_PKG_VERSION"),
        "semanticVersion": env!("CARGO_PKG_VERSION"),
        "rules": rules,
        "notifications": notifications,
    })
}

const fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::P0 => "error",
        Severity::P1 => "warning",
        Severity::P2 => "note",
    }
}

fn invocation(document: &ReviewDocument) -> Value {
    let header = &document.header;
    let time = |at: DateTime<Utc>| at.to_rfc3339_opts(SecondsFormat::Millis, true);
    let mut invocation = Map::new();
    let successful = document.decided() && !header.rehearsal;
    invocation.insert("executionSuccessful".to_owned(), successful.into());
    invocation.insert("startTimeUtc".to_owned(), time(header.started_at).into());
    if let Some(at) = header.completed_at {
        invocation.insert("endTimeUtc".to_owned(), time(at).into());
    }
    invocation.insert("toolExecutionNotifications".to_owned(), notifications(document).into());
    invocation.into()
}

fn notifications(document: &ReviewDocument) -> Vec<Value> {
    let header = &document.header;
    let mut all = Vec::new();
    let mut tell = |id: &str, level: &str, text: &str| all.push(notification(id, level, text));
    if !document.decided() {
        tell("undecided", "error", &document.headline());
    }
    if header.rehearsal {
        tell("rehearsal", "error", REHEARSAL);
    }
    for each in document.silent() {
        tell("seat_failed", "error", &line(&seat(each)));
    }
    for each in document.lapsed() {
        tell("turn_failed", "warning", &line(&seat(each)));
    }
    for part in &document.result.not_reviewed {
        all.push(left_out(part));
    }
    for told in count_warnings(&header.warnings) {
        let text = format!("{}: {}", told.code, told.message);
        all.push(notification("warning", "warning", &text));
    }
    all
}

fn left_out(part: &NotReviewed) -> Value {
    let level = match (part.missed, part.why) {
        (true, _) => "error",
        (false, Omission::UntrackedSecret) => "warning",
        (false, _) => "note",
    };
    let text = format!("{} ({}): {}", part.path, part.why.name(), part.detail);
    notification("not_reviewed", level, &text)
}

fn notification(id: &str, level: &str, text: &str) -> Value {
    json!({
        "descriptor": { "id": id },
        "level": level,
        "message": { "text": plain(text) },
    })
}

fn results(document: &ReviewDocument) -> Vec<Value> {
    let remaining = document.result.findings.iter().map(|finding| {
        let reported = &finding.reported;
        let mut result = result(reported, finding.status.name(), &about(finding, "review/status"));
        if let (Some(votes), Some(Value::Object(properties))) =
            (finding.keep_rejected, result.get_mut("properties"))
        {
            properties.insert("keep_rejected".to_owned(), json!(votes));
        }
        // If one result has suppressions, those without must state so.
        result.insert("suppressions".to_owned(), json!([]));
        result
    });
    let eliminated = document.result.eliminated.iter().map(|gone| {
        let why = format!("{}: {}", about(gone, "review/thrown-out"), gone.reason);
        let status = gone.status.name();
        let mut result = result(&gone.reported, status, status);
        suppress(&mut result, status, &why);
        result
    });
    let known = document.result.suppressed.iter().map(known);
    (remaining.chain(eliminated).chain(known)).map(Value::Object).collect()
}

/// Makes a result. `status` is for programs, `standing` contains the same and more for people.
fn result(reported: &ReportedFinding, status: &str, standing: &str) -> Map<String, Value> {
    let mut text =
        format!("{}\n\n{}", reported.finding.title.trim(), reported.finding.detail.trim());
    if let Some(trigger) = &reported.finding.trigger {
        write!(text, "\n\nFails when: {}", trigger.trim()).ok();
    }
    for repeat in &reported.repeats {
        let (id, title, detail) = (&repeat.id, repeat.title.trim(), repeat.detail.trim());
        write!(text, "\n\nAlso told as {id}: {title}\n\n{detail}").ok();
    }
    if !reported.finding.fix.trim().is_empty() {
        text.push_str("\n\nFix: ");
        text.push_str(reported.finding.fix.trim());
    }
    write!(text, "\n\n{standing}; {}", about(reported, "review/who")).ok();
    let lines = file_line(reported).map(|line| (line, reported.finding.end_line));
    let mut result = bare(
        reported.finding.severity,
        &text,
        &reported.finding.file,
        lines,
        reported.finding.quote.as_deref(),
        &reported.fingerprint,
    );
    result.insert(
        "properties".to_owned(),
        json!({
            "id": reported.id,
            "severity": reported.finding.severity,
            "status": status,
            "location": reported.location,
            "found_by": reported.found_by,
            "confirmed_by": reported.confirmed_by,
            "disputed_by": reported.disputed_by,
        }),
    );
    if let Some(Value::Object(properties)) = result.get_mut("properties") {
        if reported.severity_unconfirmed {
            properties.insert("severity_unconfirmed".to_owned(), true.into());
        }
        if let Some(proof) = &reported.proof {
            let said = proof.reproduction.as_ref();
            let shown = json!({
                "status": proof.status, "reason": proof.reason, "by": proof.by,
                "test": said.map(|said| &said.test), "file": said.map(|said| &said.file),
            });
            properties.insert("proof".to_owned(), shown);
        }
    }
    result
}

fn known(finding: &SuppressedFinding) -> Map<String, Value> {
    let lines = finding.line.map(|line| (line, None));
    let mut result =
        bare(finding.severity, &finding.title, &finding.file, lines, None, &finding.fingerprint);
    suppress(&mut result, "known", &format!("known: {}", finding.known.why));
    result
}

fn suppress(result: &mut Map<String, Value>, as_what: &str, why: &str) {
    result.insert(
        "suppressions".to_owned(),
        json!([{ "kind": "external", "status": "accepted", "justification": plain(why) }]),
    );
    let properties = result.entry("properties").or_insert_with(|| Value::Object(Map::new()));
    if let Value::Object(properties) = properties {
        properties.insert(SUPPRESSED_AS.to_owned(), as_what.into());
    }
}

fn bare(
    severity: Severity,
    text: &str,
    file: &str,
    lines: Option<(u32, Option<u32>)>,
    quote: Option<&str>,
    fingerprint: &str,
) -> Map<String, Value> {
    let mut place = json!({ "artifactLocation": { "uri": uri(file), "uriBaseId": ROOT } });
    if let Some((first, last)) = lines.filter(|(first, _)| *first > 0) {
        let mut region = json!({ "startLine": first, "endLine": last.unwrap_or(first).max(first) });
        if let Some(quote) = quote {
            region["snippet"] = json!({ "text": sanitize::terminal(quote) });
        }
        place["region"] = region;
    }
    let mut result = Map::new();
    result.insert("ruleId".to_owned(), severity.name().into());
    let index = Severity::ALL.iter().position(|each| *each == severity);
    result.insert("ruleIndex".to_owned(), index.unwrap_or_default().into());
    result.insert("level".to_owned(), level(severity).into());
    result.insert("message".to_owned(), json!({ "text": plain(text) }));
    result.insert("locations".to_owned(), json!([{ "physicalLocation": place }]));
    result.insert("partialFingerprints".to_owned(), json!({ FINGERPRINT: fingerprint }));
    result
}

/// Returns text as a SARIF message: no terminal control characters, no embedded link (`[text](target)`), never empty.
fn plain(text: &str) -> String {
    let text = sanitize::terminal(text);
    let text = text.trim().replace("](", "] (");
    if text.is_empty() { "(empty)".to_owned() } else { text }
}

/// Returns a path as a relative reference (RFC 3986) that stays below the repository: each segment percent-encoded,
/// without `.`, `..` and empty segments.
fn uri(path: &str) -> String {
    let segments: Vec<String> = (path.split('/'))
        .filter(|segment| !matches!(*segment, "" | "." | ".."))
        .map(encoded)
        .collect();
    if segments.is_empty() { "unnamed".to_owned() } else { segments.join("/") }
}

fn encoded(segment: &str) -> String {
    let mut text = String::with_capacity(segment.len());
    for byte in segment.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            text.push(char::from(byte));
        } else {
            write!(text, "%{byte:02X}").ok();
        }
    }
    text
}

#[cfg(test)]
mod tests;
