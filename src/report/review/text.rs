//! A review for a terminal: the verdict in plain words, the findings, and what cannot be relied on.
//!
//! No line starts with what a workflow's runner takes for a command: a terminal's text ends up in
//! the logs of CI, where `::` at the start of a line is one.

use std::fmt::Write as _;

use super::{ReviewDocument, Told};
use crate::change::LeftOut;
use crate::kernel::Seat;
use crate::protocol::council::KeepRejected;
use crate::protocol::review::{
    EliminatedStatus, FinalFinding, Location, Nearness, Reported, ReviewOutcome, Severity,
};
use crate::report::backlog::{push_labelled, seat};
use crate::report::progress::REHEARSAL;
use crate::report::table::push_wrapped;
use crate::report::words::{self, BAD, DOUBT, HEAD, paint};
use crate::report::{Look, short_id, standing};
use crate::text::sanitize;

mod headline;

pub(super) use headline::headline;

/// Findings that are shown in full; the report has all.
const MOST_FINDINGS: usize = 50;
/// Entries of a list under a label.
const MOST_ENTRIES: usize = 8;
/// Characters of a description.
const DETAIL_CHARS: usize = 1_500;
/// Lines of a fix.
const FIX_LINES: usize = 16;

/// Returns the result for people, with a newline at the end.
pub fn render(document: &ReviewDocument, look: Look) -> String {
    let id = short_id(&document.header.session_id);
    rendered(document, look, Some(format!("debate-agent sessions show {id}")))
}

/// Returns the result of a stored session as `sessions show` does, which need not name itself.
pub fn shown(document: &ReviewDocument, look: Look) -> String {
    rendered(document, look, None)
}

fn rendered(document: &ReviewDocument, look: Look, show: Option<String>) -> String {
    let mut text = String::new();
    if document.header.rehearsal {
        text.push_str(&paint(REHEARSAL, DOUBT, look.colour));
        text.push('\n');
    }
    let (head, style) = headline(document);
    let mut wrapped = String::new();
    push_wrapped(&mut wrapped, &head, "", "", look.width);
    text.push_str(&paint(wrapped.trim_end(), style, look.colour));
    text.push_str("\n\n");
    for finding in document.findings.iter().take(MOST_FINDINGS) {
        push_finding(&mut text, finding, look);
        text.push('\n');
    }
    if let Some(more) = beyond(document.findings.len(), MOST_FINDINGS) {
        writeln!(text, "... and {more} more findings: see the report.\n").ok();
    }
    for (label, line) in details(document, show) {
        push_labelled(&mut text, label, &line, look);
    }
    words::commandless(&text)
}

fn beyond(count: usize, most: usize) -> Option<usize> {
    count.checked_sub(most).filter(|more| *more > 0)
}

fn files(count: u64) -> String {
    match count {
        1 => "1 file".to_owned(),
        _ => format!("{count} files"),
    }
}

fn push_finding(text: &mut String, finding: &FinalFinding, look: Look) {
    let reported = &finding.reported;
    let style = match reported.severity {
        Severity::P0 => BAD,
        Severity::P1 => DOUBT,
        Severity::P2 => HEAD,
    };
    writeln!(
        text,
        "{}  {}  {}  {}{}",
        paint(reported.severity.name(), style, look.colour),
        words::name(&reported.id),
        paint(&place(reported), HEAD, look.colour),
        standing(finding),
        doubt(reported)
    )
    .ok();
    let title = sanitize::line(&reported.title, 300);
    push_wrapped(text, &title, "    ", "    ", look.width);
    let detail = sanitize::line(&reported.detail, DETAIL_CHARS);
    if !detail.is_empty() && detail != title {
        push_wrapped(text, &detail, "    ", "    ", look.width);
    }
    push_fix(text, &reported.fix, look);
    push_wrapped(text, &who(reported), "    ", "      ", look.width);
}

fn push_fix(text: &mut String, fix: &str, look: Look) {
    let fix = sanitize::terminal(fix);
    let lines: Vec<&str> = fix.trim().lines().collect();
    for (index, line) in lines.iter().take(FIX_LINES).enumerate() {
        let line = sanitize::line(line, DETAIL_CHARS);
        let first = if index == 0 { "    Fix: " } else { "      " };
        push_wrapped(text, &line, first, "      ", look.width);
    }
    if let Some(more) = beyond(lines.len(), FIX_LINES) {
        writeln!(text, "      ... and {more} more lines").ok();
    }
}

/// `src/pay.rs:42`: what a terminal makes a link of.
pub(super) fn place(reported: &Reported) -> String {
    let file = sanitize::line(&reported.file, 400);
    match reported.line {
        Some(line) => format!("{file}:{line}"),
        None => file,
    }
}

/// `confirmed`; `confirmed, keep rejected 2 to 0` where the validators voted against keeping it.
pub(super) fn standing(finding: &FinalFinding) -> String {
    let status = finding.status.name();
    match finding.keep_rejected {
        Some(KeepRejected { approves, rejects }) => {
            format!("{status}, keep rejected {rejects} to {approves}")
        }
        None => status.to_owned(),
    }
}

/// What is to be known of the place, if it is not simply there.
pub(super) fn doubt(reported: &Reported) -> &'static str {
    match (reported.location, reported.nearness) {
        (Location::Located, Some(Nearness::Removed)) => ", in removed lines",
        (Location::Located, Some(Nearness::Context)) => ", outside of the changed lines",
        (Location::Located, Some(Nearness::Exact) | None) => "",
        (Location::Mislocated, _) => ", not found at that place",
        (Location::Outside, _) => ", not in the change",
    }
}

/// `found by claude; codex agreed`.
pub(super) fn who(reported: &Reported) -> String {
    let names = |agents: &[String]| {
        let names: Vec<String> = agents.iter().map(|agent| words::name(agent)).collect();
        names.join(", ")
    };
    let mut who = format!("found by {}", names(&reported.found_by));
    if !reported.confirmed_by.is_empty() {
        write!(who, "; agreed: {}", names(&reported.confirmed_by)).ok();
    }
    if !reported.disputed_by.is_empty() {
        write!(who, "; disagreed: {}", names(&reported.disputed_by)).ok();
    }
    who
}

/// `refuted`, `not in the change`, `thrown out by the composer`.
pub(super) const fn eliminated(status: EliminatedStatus) -> &'static str {
    match status {
        EliminatedStatus::Refuted => "refuted",
        EliminatedStatus::Outside => "not in the change",
        EliminatedStatus::Eliminated => "thrown out by the composer",
    }
}

/// `F3 refuted: src/a.rs:7 Title (reason)`.
fn eliminated_lines(document: &ReviewDocument) -> Vec<String> {
    let each = document.eliminated.iter().map(|gone| {
        format!(
            "{} {}: {} {} ({})",
            words::name(&gone.reported.id),
            eliminated(gone.status),
            place(&gone.reported),
            sanitize::line(&gone.reported.title, 120),
            words::sentence(&gone.reason)
        )
    });
    listed(each)
}

/// The first entries of a list, and how many there are besides.
fn listed(all: impl Iterator<Item = String>) -> Vec<String> {
    let all: Vec<String> = all.collect();
    let more = beyond(all.len(), MOST_ENTRIES);
    let mut lines: Vec<String> = all.into_iter().take(MOST_ENTRIES).collect();
    lines.extend(more.map(|more| format!("and {more} more")));
    lines
}

fn details(document: &ReviewDocument, show: Option<String>) -> Vec<(&'static str, String)> {
    let header = &document.header;
    let mut lines: Vec<(&'static str, String)> = Vec::new();
    let mut under = |label: &'static str, texts: Vec<String>| {
        for (index, text) in texts.into_iter().enumerate() {
            lines.push((if index == 0 { label } else { "" }, text));
        }
    };
    under("Change", vec![change(document)]);
    under("Seats", seats(document));
    under("Confidence", vec![confidence(document)]);
    let left_out = document.not_reviewed.iter().map(|part| {
        let on_purpose = if part.why == LeftOut::NoQuorum {
            "LOOKED AT BY TOO FEW: "
        } else if part.by_policy() {
            ""
        } else {
            "NOT LOOKED AT: "
        };
        format!(
            "{on_purpose}{} ({})",
            sanitize::line(&part.path, 400),
            words::sentence(&part.detail)
        )
    });
    under("Left out", listed(left_out));
    under("Eliminated", eliminated_lines(document));
    under("Known", known(document).into_iter().collect());
    let risks = document.residual_risks.iter();
    under("Risks", listed(risks.map(|risk| words::sentence(risk))));
    let questions = document.open_questions.iter();
    under("Questions", listed(questions.map(|text| words::sentence(text))));
    under("Cost", vec![cost(document)]);
    let warnings = document.told().into_iter();
    under("Warnings", listed(warnings.map(|told| warning(&told))));
    if let Some(path) = &header.report_path {
        under("Report", vec![words::sentence(path)]);
    }
    under("Next", next(document).into_iter().chain(show).collect());
    lines
}

/// `working tree against HEAD: 3 files, +20 -4`.
pub(super) fn change(document: &ReviewDocument) -> String {
    let change = &document.change;
    let totals = change.totals;
    let mut text = format!(
        "{}: {}, +{} -{}",
        words::sentence(&change.scope),
        files(totals.files),
        totals.added,
        totals.removed
    );
    if change.batches > 1 {
        write!(text, ", shown in {} parts", change.batches).ok();
    }
    text
}

/// `codex: the CLI does not name its model (in 4 turns)`.
fn warning(told: &Told<'_>) -> String {
    let mut text = words::sentence(told.message);
    if told.turns.len() > 1 {
        write!(text, " (in {} turns)", told.turns.len()).ok();
    }
    text
}

/// One line a seat, then how many reviewed the change.
pub(super) fn seats(document: &ReviewDocument) -> Vec<String> {
    let header = &document.header;
    let mut lines: Vec<String> = header.seats.iter().map(|each: &Seat| seat(each)).collect();
    let what = match document.change.batches {
        0 | 1 => "reviewed the change",
        _ => "reviewed the same part of the change",
    };
    lines.push(format!(
        "{} of {} seats {what} ({} needed), from {}",
        header.quorum.answered,
        header.seats.len(),
        header.quorum.needed,
        words::count(header.quorum.vendors, "vendor")
    ));
    lines
}

/// `83% (80% wanted) after 2 cross-examinations; claude scored best and composed the result`.
pub(super) fn confidence(document: &ReviewDocument) -> String {
    let mut text = format!(
        "{}% ({}% wanted) after {}",
        document.confidence,
        document.confidence_wanted,
        words::count(document.header.rounds_used, "cross-examination")
    );
    match (&document.winner, &document.composed_by) {
        (Some(winner), Some(composer)) if winner == composer => {
            write!(text, "; {} scored best and composed the result", words::name(winner)).ok();
        }
        (winner, composer) => {
            if let Some(winner) = winner {
                write!(text, "; {} scored best", words::name(winner)).ok();
            }
            match composer {
                Some(composer) => {
                    write!(text, "; {} composed the result", words::name(composer)).ok()
                }
                None => write!(text, "; the result was composed by rule").ok(),
            };
        }
    }
    text
}

/// What is known and was not raised again; `None` where nothing is.
pub(super) fn known(document: &ReviewDocument) -> Option<String> {
    let counts = document.suppressed_counts;
    let mut parts = Vec::new();
    if counts.dismissed > 0 {
        parts.push(format!("{} dismissed", counts.dismissed));
    }
    if counts.baseline > 0 {
        parts.push(format!("{} in the baseline", counts.baseline));
    }
    (!parts.is_empty()).then(|| format!("{}: not raised again", parts.join(", ")))
}

/// `$0.31 of $2.50, as the CLIs reported it`.
pub(super) fn cost(document: &ReviewDocument) -> String {
    let cost = &document.header.cost;
    let amount = words::spent(cost.total_usd, cost.budget_usd);
    match cost.basis {
        Some(basis) => format!("{amount}, {}", words::basis(basis)),
        None => format!("{amount}: no paid call was made"),
    }
}

fn next(document: &ReviewDocument) -> Vec<String> {
    let id = short_id(&document.header.session_id);
    let raise = words::raise(document.header.cost.short);
    let mut lines = Vec::new();
    match document.header.outcome {
        ReviewOutcome::Budget => lines.push(format!(
            "debate-agent sessions resume {id} {raise}   (goes on with a higher budget; finished answers are not paid again)"
        )),
        ReviewOutcome::Interrupted => lines.push(format!(
            "debate-agent sessions resume {id}   (goes on where it stopped; finished answers are not paid again)"
        )),
        ReviewOutcome::Undecided if document.silent().chain(document.lapsed()).next().is_some() => lines.push(format!(
            "debate-agent sessions resume {id}   (asks again who did not answer, once the cause is mended: `debate-agent doctor`)"
        )),
        ReviewOutcome::Running => lines.push(standing::look_again(&document.header.session_id)),
        ReviewOutcome::Terminated => lines.push(standing::anew(&document.header.session_id, 1)),
        ReviewOutcome::Undecided
        | ReviewOutcome::Clean
        | ReviewOutcome::Comments
        | ReviewOutcome::ChangesRequested => {}
    }
    if let Some(first) = document.findings.first()
        && document.header.outcome != ReviewOutcome::Running
        && !document.header.rehearsal
    {
        lines.push(format!(
            "debate-agent review dismiss {} --why TEXT   (not raised again while the code it quotes is unchanged)",
            words::name(&first.reported.id)
        ));
    }
    lines
}

#[cfg(test)]
mod tests;
