//! Result documents for a client's model: the outcome, the seats that answered, the results, and the place of the
//! full report.
//!
//! # Theory of operation
//!
//! Every session has one form in this module, whatever its protocol: [`Session`]. Its summary begins with the
//! headline that people get, which depends on the outcome alone, and goes on with the seats that did not answer: a
//! model that reads only the first sentence is not misled. `decided` is true only if the outcome decides, the
//! protocol is over, and enough seats answered; the form requires all three, whatever the document says. Raw answers
//! are never part of it: they are a resource.
//!
//! Text from an agent, a file or a configuration is one sanitized line of bounded length. Lists are bounded, and end
//! with the number of items left out.

mod others;

use std::collections::BTreeSet;

use schemars::{JsonSchema, Schema};
use serde::Serialize;
use serde_json::{Value, json};

pub(crate) use others::{Call, Diff, call, diff};

use crate::kernel::{Limit, Quorum, Seat, SeatStatus, Shortfall, Usd, Warning};
use crate::report;
use crate::report::compact::{Compact, line};
use crate::report::document::HeaderView;
use crate::report::progress::REHEARSAL;
use crate::report::review::NothingToReview;
use crate::report::session_result::SessionDocument;
use crate::text::sanitize;

/// Maximum number of characters of a summary.
const SUMMARY: usize = 2_000;
/// Maximum number of characters of a path: a cut path would be a different path, so the bound is above any real file
/// system's.
const PATH: usize = 4_096;
/// Maximum number of items.
const ITEMS: usize = 50;
/// Maximum number of warnings.
const WARNINGS: usize = 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SessionPhase {
    #[default]
    Done,
    Running,
    /// It can be resumed.
    Suspended,
    /// It was stopped, and can be resumed.
    Interrupted,
    Unreadable,
    /// There was nothing to do; no agent was asked.
    Nothing,
}

/// The form of every session; of one that is still running, or whose result is not asked for, only a part is told.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[schemars(transform = status_alone_is_required)]
#[expect(clippy::struct_field_names, reason = "`session_id` is what every document calls it")]
pub(crate) struct Session {
    status: SessionPhase,
    #[serde(skip_serializing_if = "Option::is_none")]
    session_id: Option<String>,
    protocol: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    stopped_by: Option<Limit>,
    decided: bool,
    summary: String,
    #[serde(flatten)]
    compact: Compact,
    seats: Vec<SeatEntry>,
    #[serde(skip_serializing_if = "Option::is_none")]
    quorum: Option<Quorum>,
    items_left_out: usize,
    warnings: Vec<String>,
    cost_usd: Usd,
    rehearsal: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    report_path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    transcript: Option<String>,
}

fn status_alone_is_required(schema: &mut Schema) {
    schema.insert("required".to_owned(), json!(["status"]));
}

#[derive(Debug, Serialize, JsonSchema)]
struct SeatEntry {
    role: String,
    agent: String,
    vendor: String,
    status: SeatStatus,
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<String>,
}

pub(crate) fn session(result: &dyn SessionDocument) -> Value {
    let mut session = Session::new(&result.header(), result.headline(), result.compact());
    for essential in &session.compact.essentials {
        session.summary.push(' ');
        session.summary.push_str(essential);
    }
    session.summary = sanitize::line(&session.summary, SUMMARY);
    if session.compact.nothing {
        // Nothing was stored of it, either.
        session.status = SessionPhase::Nothing;
        session.session_id = None;
        session.transcript = None;
        session.decided = false;
    }
    value(&session)
}

/// Builds the result of a review that had nothing to look at.
pub(crate) fn nothing(nothing: &NothingToReview) -> Value {
    let said = format!(
        "NOTHING TO REVIEW: {}. Nobody was asked, and nothing was found to be in order.",
        nothing.sentence()
    );
    value(&Session {
        status: SessionPhase::Nothing,
        protocol: "review".to_owned(),
        summary: sanitize::line(&said, SUMMARY),
        compact: Compact { not_reviewed: Some(nothing.not_reviewed.len()), ..Compact::default() },
        ..Session::default()
    })
}

impl Session {
    fn new(header: &HeaderView<'_>, headline: String, mut end: Compact) -> Self {
        let items_left_out = end.items.len().saturating_sub(ITEMS);
        end.items.truncate(ITEMS);
        // All protocols use the same words for these outcomes.
        let status = match (end.suspended, header.outcome.as_deref()) {
            (_, Some("running")) => SessionPhase::Running,
            (true, Some("interrupted")) => SessionPhase::Interrupted,
            (true, _) => SessionPhase::Suspended,
            (false, _) => SessionPhase::Done,
        };
        let quorum = header.quorum;
        // The id of a stored session comes from its journal.
        let id = sanitize::line(header.session_id, 64);
        let raise =
            (header.stopped_by == Some(Limit::Budget)).then(|| raise(&id, header.cost.short));
        let mut summary = headline;
        if header.rehearsal {
            summary = format!("{REHEARSAL}. {summary}");
        }
        for seat in header.seats {
            summary.push_str(&silence(seat));
        }
        Self {
            status,
            session_id: Some(id.clone()),
            protocol: header.protocol.to_owned(),
            outcome: header.outcome.clone(),
            verdict: header.verdict.clone(),
            stopped_by: header.stopped_by,
            decided: header.decided && !end.suspended && quorum.answered >= quorum.needed,
            summary,
            seats: header.seats.iter().map(SeatEntry::of).collect(),
            quorum: Some(quorum),
            items_left_out,
            warnings: warnings(header.warnings, raise),
            cost_usd: header.cost.total_usd,
            rehearsal: header.rehearsal,
            report_path: header.report_path.map(|path| sanitize::line(path, PATH)),
            transcript: Some(format!("debate://sessions/{id}")),
            compact: end,
        }
    }
}

impl SeatEntry {
    fn of(seat: &Seat) -> Self {
        let instead =
            (seat.fell_back_to.as_deref()).map(|other| format!("{} answered instead", line(other)));
        let why: Vec<String> =
            (seat.failure.as_deref().map(line).into_iter()).chain(instead).collect();
        Self {
            role: line(&seat.role),
            agent: line(&seat.agent),
            vendor: line(&seat.vendor),
            status: seat.status,
            failure: Some(line(&why.join("; "))).filter(|why| !why.is_empty()),
        }
    }
}

/// The summary's note on a seat that has more to report than an answer; otherwise empty.
fn silence(seat: &Seat) -> String {
    let what = match seat.status {
        SeatStatus::Failed => "did not answer",
        SeatStatus::Asked => "was asked and has not answered yet",
        SeatStatus::Skipped => "was not asked",
        SeatStatus::FellBack => "was stood in for",
        SeatStatus::Answered if seat.failure.is_some() => "did not answer everything",
        SeatStatus::Answered => return String::new(),
    };
    let why = (seat.failure.as_deref()).map(|why| format!(": {}", sanitize::line(why, 200)));
    let (role, agent) = (line(&seat.role), line(&seat.agent));
    format!(" {role} ({agent}) {what}{}.", why.unwrap_or_default())
}

/// Points to the user as the one who can raise a session's budget, with a sufficient sum where it is known.
pub(super) fn raise(id: &str, short: Option<Shortfall>) -> String {
    let raise = report::raise(short);
    format!(
        "only the user can raise a session's budget: `debate-agent sessions resume {id} {raise}`"
    )
}

/// Each warning once, as `code: message`, after `first`. If there are more than the maximum, the last line counts the
/// rest.
fn warnings(all: &[Warning], first: Option<String>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let all = all.iter().map(|warning| format!("{}: {}", warning.code, warning.message));
    let mut said: Vec<String> = (first.into_iter().chain(all))
        .map(|text| line(&text))
        .filter(|text| seen.insert(text.clone()))
        .collect();
    if said.len() > WARNINGS {
        let more = said.len() - (WARNINGS - 1);
        said.truncate(WARNINGS - 1);
        said.push(self::more(more));
    }
    said
}

const MORE: &str = " more warnings: see the report";

fn more(count: usize) -> String {
    format!("{count}{MORE}")
}

/// Puts a warning before the others of a result. If there are more than the maximum, the last line counts the rest.
pub(crate) fn warn(result: &mut Value, warning: &str) {
    let warning = Value::from(line(warning));
    match result["warnings"].as_array_mut() {
        Some(warnings) => {
            warnings.insert(0, warning);
            // The list was full: its last line now has to count two more.
            if warnings.len() > WARNINGS {
                let counted = (warnings.pop())
                    .and_then(|last| last.as_str()?.strip_suffix(MORE)?.parse::<usize>().ok());
                warnings.pop();
                warnings.push(more(counted.unwrap_or(1) + 1).into());
            }
        }
        None => result["warnings"] = json!([warning]),
    }
}

/// These forms are plain structs of texts and numbers, which always serialize to JSON.
fn value(of: &impl Serialize) -> Value {
    serde_json::to_value(of).unwrap_or_else(|error| {
        json!({
            "status": SessionPhase::Suspended,
            "decided": false,
            "summary": format!("the result cannot be written as JSON: {error}; a bug; `session_result` of the session and its report have it"),
        })
    })
}

#[cfg(test)]
mod tests;
