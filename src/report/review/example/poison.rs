//! A review in which every text is an attack.

use std::collections::BTreeMap;

use super::{ReviewDocument, changes_requested, score};
use crate::change::Excerpt;
use crate::kernel::{Seat, SeatStatus, Warning};
use crate::protocol::review::{ReportedFinding, Severity};
use crate::report::document::SkillUsed;

pub(crate) fn poisoned(evil: &str) -> ReviewDocument {
    let mut document = changes_requested();
    let text = || evil.to_owned();
    let poison = |reported: &mut ReportedFinding| {
        (reported.id, reported.finding.title, reported.finding.file) = (text(), text(), text());
        (reported.finding.detail, reported.finding.fix) = (text(), text());
        reported.finding.quote = Some(text());
        reported.found_by = vec![text()];
        reported.confirmed_by = vec![text()];
        reported.disputed_by = vec![text()];
        reported.severities = BTreeMap::from([(text(), Severity::P1)]);
        reported.merged = vec![text()];
        reported.fingerprint = text();
        if let Some(Excerpt { hunk, .. }) = &mut reported.hunk {
            (hunk.heading, hunk.body) = (text(), text());
        }
        for said in &mut reported.judgements {
            (said.agent, said.reason, said.evidence) = (text(), text(), Some(text()));
            (said.finding, said.lines) = (text(), Some(text()));
        }
        reported.rebuttals.clone_from(&reported.judgements);
    };
    for finding in &mut document.result.findings {
        poison(&mut finding.reported);
        finding.disputed = BTreeMap::from([(text(), Severity::P1)]);
    }
    for gone in &mut document.result.eliminated {
        gone.reason = text();
        poison(&mut gone.reported);
    }
    for known in &mut document.result.suppressed {
        (known.title, known.file, known.fingerprint) = (text(), text(), text());
        known.known.why = text();
    }
    for part in &mut document.result.not_reviewed {
        (part.path, part.detail) = (text(), text());
    }
    for vote in &mut document.result.validation {
        (vote.id, vote.reasons) = (text(), vec![(text(), text())]);
    }
    for pair in &mut document.result.agreement {
        (pair.one, pair.other) = (text(), text());
    }
    document.result.scores = BTreeMap::from([(text(), score(20))]);
    (document.question, document.change.scope) = (text(), text());
    document.change.base = Some(text());
    (document.result.winner, document.result.composed_by) = (Some(text()), Some(text()));
    document.result.residual_risks = vec![text()];
    document.result.open_questions = vec![text()];
    for file in &mut document.change.files {
        file.path = text();
    }
    for time in &mut document.durations {
        time.turn = text();
    }
    let header = &mut document.header;
    header.session_id = text();
    header.report_path = Some(text());
    header.warnings = vec![Warning { code: text(), turn: Some(text()), message: text() }];
    header.skills = vec![SkillUsed { name: text(), origin: text(), sha256: text(), note: None }];
    for seat in &mut header.seats {
        *seat = Seat {
            role: text(),
            agent: text(),
            vendor: text(),
            status: SeatStatus::Failed,
            failure: Some(text()),
            fell_back_to: Some(text()),
        };
    }
    document
}
