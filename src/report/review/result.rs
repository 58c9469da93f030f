//! Converts a review to the common result of sessions.

use super::{ReviewDocument, file_line};
use crate::protocol::review::FinalFinding;
use crate::report::compact::{Compact, Item, labelled, line};
use crate::report::document::{HeaderView, Notes};
use crate::report::session_result::SessionDocument;

impl SessionDocument for ReviewDocument {
    fn header(&self) -> HeaderView<'_> {
        self.header.view()
    }

    fn notes(&mut self) -> Notes<'_> {
        self.header.notes()
    }

    fn compact(&self) -> Compact {
        let (essentials, items) = points(self);
        Compact {
            suspended: self.header.suspended(),
            confidence: Some(self.result.confidence),
            winner: self.result.winner.as_deref().map(line),
            not_reviewed: Some(self.result.not_reviewed.len()),
            essentials,
            items,
            ..Compact::default()
        }
    }
}

fn points(document: &ReviewDocument) -> (Vec<String>, Vec<Item>) {
    let item = |finding: &FinalFinding| {
        let reported = &finding.reported;
        let disputed: Vec<&str> = finding.disputed.keys().map(String::as_str).collect();
        let proof = reported.proof.as_ref();
        let proof = proof.map(|proof| format!("{}: {}", proof.status.name(), proof.reason));
        let proof = proof.unwrap_or_default();
        Item {
            severity: Some(reported.finding.severity.name().to_owned()),
            status: Some(finding.status.name().to_owned()),
            file: Some(line(&reported.finding.file)),
            line: file_line(reported),
            keep_rejected: finding.keep_rejected,
            ..Item::new(&reported.id, "finding", &reported.finding.title)
        }
        .detailed(&[
            &reported.finding.detail,
            &labelled("Fails when", reported.finding.trigger.as_deref().unwrap_or_default()),
            if reported.severity_unconfirmed { "Only one vendor gives this severity." } else { "" },
            &labelled("Disputed within it", &disputed.join(", ")),
            &labelled("Proof", &proof),
            &labelled("Fix", &reported.finding.fix),
        ])
    };
    let mut essentials = Vec::new();
    match document.result.eliminated.len() {
        0 => {}
        1 => essentials.push("1 finding was eliminated.".to_owned()),
        many => essentials.push(format!("{many} findings were eliminated.")),
    }
    if !document.result.suppressed.is_empty() {
        essentials
            .push(format!("Known and not raised again: {}.", document.result.suppressed.len()));
    }
    if !document.result.not_reviewed.is_empty() {
        let some = (document.result.not_reviewed.iter().take(5)).map(|part| &*part.path);
        let some: Vec<&str> = some.collect();
        let more = document.result.not_reviewed.len() - some.len();
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        essentials.push(labelled("Not reviewed", &format!("{}{more}.", some.join(", "))));
    }
    (essentials, document.result.findings.iter().map(item).collect())
}
