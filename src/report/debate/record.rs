//! The decision record in Markdown (`.debate/debate-TIMESTAMP.md`): what a team would commit.
//!
//! # Theory of operation
//!
//! It is ordered by what a reader asks: what was decided and why, what else there was, what is open and who
//! disagrees; then what can be argued with (every measurement with its weights, every vote, every ruling); then
//! the transcript of the positions, round by round; then who took part, warnings, cost and prompts. Dissent has
//! its section in every record, also where there is none. Text of others passes `inert`, or stands in a quotation
//! or a code block, so it can add no heading, row or link.

mod measured;
mod rounds;

use super::{DebateDocument, cost};
use crate::protocol::debate::model::Position;
use crate::protocol::debate::outcome::Decision;
use crate::protocol::debate::typed::words;
use crate::protocol::debate::{DebateOutcome, Verdict};
use crate::report::backlog;
use crate::report::pieces::{Page, inert};
use crate::report::progress::REHEARSAL;
use crate::report::standing;
use crate::text::sanitize;

/// The longest title; the whole question stands below it.
const TITLE_CHARS: usize = 120;

impl DebateDocument {
    /// Returns the decision record: text of others is text, never markup.
    pub fn markdown(&self) -> String {
        let mut page = Page::default();
        head(&mut page, self);
        decision(&mut page, self);
        alternatives(&mut page, self);
        open(&mut page, self);
        dissent(&mut page, self);
        positions(&mut page, self);
        measured::consensus(&mut page, self);
        measured::metrics(&mut page, self);
        measured::votes(&mut page, self);
        measured::rulings(&mut page, self);
        measured::resolution(&mut page, self);
        rounds::transcript(&mut page, self);
        attendance(&mut page, self);
        page.text
    }
}

/// Adds a line of facts whose value may be any text.
fn fact(page: &mut Page, label: &str, value: &str) {
    page.line(&format!("- {label}: {}", inert(value)));
}

fn head(page: &mut Page, document: &DebateDocument) {
    let header = &document.header;
    let title = sanitize::line(&document.topic, TITLE_CHARS);
    page.heading(1, &inert(&title));
    if header.rehearsal {
        page.line(&format!(
            "**{REHEARSAL}. Everything below is invented; nothing is decided by it.**"
        ));
        page.gap();
    }
    page.line(&format!("**{}**", inert(&document.headline())));
    page.gap();
    page.line(&format!(
        "- Status: {}",
        match header.verdict {
            Verdict::Consensus
            | Verdict::Ruled
            | Verdict::Partial
            | Verdict::NoConsensus
            | Verdict::Undecided
                if header.rehearsal =>
            {
                "rehearsed: nothing is decided"
            }
            Verdict::Consensus => "decided: the agents agree",
            Verdict::Ruled => "ruled by an expert or a judge: the participants did not agree",
            Verdict::Partial if document.logged.is_some() => {
                "decided: agreed in part, and a person took it"
            }
            Verdict::Partial => "proposed: agreed in part, a person decides",
            Verdict::NoConsensus => "not decided: the agents do not agree",
            Verdict::Undecided => "undecided: it cannot be said",
        }
    ));
    page.line(&format!("- Outcome: {}", header.outcome.name()));
    if let Some(logged) = &document.logged {
        fact(page, "Logged", &logged.words());
    }
    page.line(&format!("- Style: {}, {}", inert(&document.style), document.mode.name()));
    let time = "%Y-%m-%d %H:%M:%S UTC";
    page.line(&format!("- Started: {}", header.started_at.format(time)));
    let running = header.outcome == DebateOutcome::Running;
    let ended = standing::ended(header.completed_at, running);
    page.line(&format!("- Ended: {ended}"));
    page.line(&format!(
        "- Code has to change: {}",
        if document.code_change_required { "yes" } else { "nobody says so" }
    ));
    page.line(&format!("- Cost: {}", cost(&header.cost, header.rehearsal)));
    fact(page, "Session", &header.session_id);
    if let Some(parent) = &header.parent {
        let id = inert(&parent.session_id);
        let round = parent.from_round;
        page.line(&format!("- Goes on from: session {id}, whose rounds before {round} were kept"));
    }
    page.heading(2, "Question");
    page.quote(&document.topic);
    if !document.description.trim().is_empty() {
        page.gap();
        page.line("In detail:");
        page.gap();
        page.quote(&document.description);
    }
    page.gap();
    if let Some(language) = &document.language {
        fact(page, "Language", language);
    }
    for option in &document.options {
        fact(page, "Option", option);
    }
    for file in &document.context {
        let cut = if file.cut { ", its end left out" } else { "" };
        page.line(&format!("- Shown to all: {} ({} bytes{cut})", inert(&file.name), file.bytes));
    }
    for (key, value) in &document.metadata {
        page.line(&format!("- Metadata: {} = {}", inert(key), inert(&words(value))));
    }
}

fn decision(page: &mut Page, document: &DebateDocument) {
    let decided = match document.header.outcome {
        DebateOutcome::Adopted
        | DebateOutcome::ConsensusReached
        | DebateOutcome::Settled
        | DebateOutcome::Expert
        | DebateOutcome::Judged => Some("Decision"),
        DebateOutcome::Partial if document.logged.is_some() => Some("Decision"),
        DebateOutcome::Partial => Some("Proposed, not decided"),
        DebateOutcome::Deadlocked
        | DebateOutcome::Unstable
        | DebateOutcome::Split
        | DebateOutcome::Failed
        | DebateOutcome::Terminated
        | DebateOutcome::Interrupted
        | DebateOutcome::Running => None,
    };
    page.heading(2, decided.unwrap_or("Decision"));
    match (&document.decision, decided) {
        (Some(decision), Some(_)) => said(page, decision),
        (Some(decision), None) => {
            page.line("Nothing was decided. What was last on the table:");
            page.gap();
            said(page, decision);
        }
        (None, _) => page.line("Nothing was decided."),
    }
    page.heading(2, "Why");
    page.quote(&document.recommendation);
}

fn said(page: &mut Page, decision: &Decision) {
    page.quote(&decision.text);
    page.gap();
    page.line(&format!("By {}.", inert(&super::by(&decision.by))));
    if let Some(position) = &decision.position {
        page.gap();
        points(page, position);
        strings(page, "Risks", &position.risks);
        strings(page, "Granted to the other side", &position.concedes);
    }
    strings(page, "Amendments that the agreement rests on", &decision.amendments);
}

/// The points of a position, without stances.
fn points(page: &mut Page, position: &Position) {
    if position.points.is_empty() {
        return;
    }
    let rows = position.points.iter().map(|point| {
        vec![
            inert(&point.id),
            claim(&point.claim, &point.reasoning),
            point.importance.to_string(),
            evidence(&point.evidence),
        ]
    });
    page.table(&["Point", "Claim", "Importance", "Evidence"], rows);
}

/// Evidence, as a cell.
fn evidence(texts: &[String]) -> String {
    if texts.is_empty() {
        return "none".to_owned();
    }
    inert(&texts.join("; "))
}

/// A claim with its reasons, as a cell.
fn claim(claim: &str, reasoning: &str) -> String {
    if reasoning.trim().is_empty() {
        inert(claim)
    } else {
        format!("{} Because: {}", inert(claim), inert(reasoning))
    }
}

/// A labelled list; nothing where there is nothing.
fn strings(page: &mut Page, label: &str, texts: &[String]) {
    if texts.is_empty() {
        return;
    }
    page.gap();
    page.line(&format!("{label}:"));
    page.gap();
    page.list(texts.iter().map(|text| inert(text)), "");
}

fn alternatives(page: &mut Page, document: &DebateDocument) {
    page.heading(2, "Alternatives");
    let others = document.alternatives().into_iter();
    page.list(others.map(|text| inert(&text)), "None was put forward.");
}

fn open(page: &mut Page, document: &DebateDocument) {
    page.heading(2, "Open points");
    if document.open_points.is_empty() {
        page.line("None was recorded.");
        return;
    }
    let ruled = (document.open_points.iter()).any(|point| point.ruling.is_some());
    let columns = if ruled { 6 } else { 5 };
    let rows = document.open_points.iter().map(|point| {
        let mut row = vec![
            inert(&point.id),
            inert(&point.text),
            point.importance.to_string(),
            (point.stance.map_or("none given", |stance| stance.name())).to_owned(),
            inert(&point.reason),
            inert(point.ruling.as_deref().unwrap_or("none")),
        ];
        row.truncate(columns);
        row
    });
    let headers = ["Point", "Text", "Importance", "Stance", "Why", "Ruling"];
    page.table(&headers[..columns], rows);
}

fn dissent(page: &mut Page, document: &DebateDocument) {
    page.heading(2, "Dissent");
    if document.dissent.is_empty() {
        // Silence of somebody who did not answer is not consent.
        page.line(if document.header.outcome == DebateOutcome::Running {
            "None was recorded so far, which is not agreement."
        } else if document.header.verdict == Verdict::Undecided {
            "None was recorded before it ended, which is not agreement."
        } else {
            "None was recorded."
        });
        return;
    }
    let rows = document.dissent.iter().map(|dissent| {
        let cells = [&dissent.agent, &dissent.seat, &dissent.about, &dissent.reason];
        cells.map(|cell| inert(cell)).to_vec()
    });
    page.table(&["Agent", "Seat", "About", "Why"], rows);
}

/// Each participant's last position, in its words.
fn positions(page: &mut Page, document: &DebateDocument) {
    page.heading(2, "Positions at the end");
    if document.final_positions.is_empty() {
        page.line("Nobody gave one.");
    }
    for (name, position) in &document.final_positions {
        let last = &position.last;
        page.heading(3, &inert(name));
        let sure = (last.position.as_ref()).map_or_else(String::new, |whole| {
            (whole.confidence)
                .map_or_else(String::new, |sure| format!(", stated confidence {sure}"))
        });
        page.line(&format!(
            "Seat {}, vendor {}, of round {}{sure}.",
            inert(&position.seat),
            inert(&last.vendor),
            last.round
        ));
        page.gap();
        page.quote(&last.text);
    }
}

fn attendance(page: &mut Page, document: &DebateDocument) {
    let header = &document.header;
    page.heading(2, "Who took part");
    for seat in &header.seats {
        page.line(&format!("- {}", inert(&backlog::seat(seat))));
    }
    page.line(&format!("- {}", document.attendance()));
    page.warnings(&header.warnings);
    page.skills(&header.skills);
}
