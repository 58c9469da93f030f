//! A review as a Markdown report (`.debate/review-*.md`).
//!
//! The order is that of a reader's questions: what is the verdict, what is wrong, what was thrown
//! out and why, who says so, how sure are they, what was not looked at. Whatever an agent or the
//! repository wrote goes through `report::pieces` and is text, never markup.

use std::fmt::Write as _;
use std::time::Duration;

use super::text::{
    change, confidence, cost, doubt, eliminated, headline, known, place, seats, standing,
};
use super::{NothingToReview, ReviewDocument, TurnTime};
use crate::change::NotReviewed;
use crate::protocol::review::{
    DecisionKind, Eliminated, FinalFinding, JudgementRecord, Known, Reported, ReviewOutcome,
    Severity, Status, ValidationResult,
};
use crate::report::pieces::{Page, inert};
use crate::report::progress::REHEARSAL;
use crate::report::standing;
use crate::report::words;

/// Returns the report.
pub fn render(document: &ReviewDocument) -> String {
    let mut page = Page::default();
    head(&mut page, document);
    findings(&mut page, document);
    disputed(&mut page, document);
    eliminated_findings(&mut page, document);
    suppressed(&mut page, document);
    not_reviewed(&mut page, document);
    seated(&mut page, document);
    scores(&mut page, document);
    rounds(&mut page, document);
    agreement(&mut page, document);
    validation(&mut page, document);
    page.heading(2, "Residual risks");
    page.list(document.residual_risks.iter().map(|risk| inert(risk)), "None was named.");
    page.heading(2, "Open questions");
    page.list(document.open_questions.iter().map(|text| inert(text)), "None was named.");
    spent(&mut page, document);
    warnings(&mut page, document);
    page.text
}

/// Returns the report of a change in which there is nothing to look at.
pub fn nothing(nothing: &NothingToReview) -> String {
    let mut page = Page::default();
    page.line("# Code review\n");
    page.line(&format!("{}.", inert(&nothing.sentence())));
    if !nothing.not_reviewed.is_empty() {
        page.heading(2, "Not reviewed");
        left_out(&mut page, &nothing.not_reviewed);
    }
    page.text
}

fn head(page: &mut Page, document: &ReviewDocument) {
    let header = &document.header;
    page.line("# Code review\n");
    if header.rehearsal {
        page.line(&format!("**{REHEARSAL}**\n"));
    }
    page.line(&inert(&headline(document).0));
    page.gap();
    page.line(&inert(&document.recommendation));
    page.gap();
    let mut rows = vec![
        ("Verdict", header.verdict.name().to_owned()),
        ("Outcome", header.outcome.name().to_owned()),
        ("Change", change(document)),
    ];
    if let Some(base) = &document.change.base {
        rows.push(("Base", base.clone()));
    }
    if !document.question.trim().is_empty() {
        rows.push(("Question", document.question.clone()));
    }
    rows.push(("Confidence", confidence(document)));
    rows.push(("Session", header.session_id.clone()));
    rows.push(("Started", header.started_at.format("%Y-%m-%d %H:%M:%S UTC").to_string()));
    rows.push((
        "Ended",
        match header.completed_at {
            Some(at) => {
                let took = (at - header.started_at).to_std().unwrap_or_default();
                format!("{} ({})", at.format("%Y-%m-%d %H:%M:%S UTC"), words::time(took))
            }
            None => standing::ended(None, header.outcome == ReviewOutcome::Running),
        },
    ));
    rows.push(("Cost", cost(document)));
    let rows = rows.into_iter().map(|(name, value)| vec![name.to_owned(), inert(&value)]);
    page.table(&["", "Review"], rows);
}

fn findings(page: &mut Page, document: &ReviewDocument) {
    page.heading(2, "Findings");
    let remaining = |severity: Severity| {
        let findings = document.findings.iter();
        findings.filter(move |finding| {
            finding.reported.severity == severity && finding.status != Status::Disputed
        })
    };
    let mut any = false;
    for severity in Severity::ALL {
        let mut first = true;
        for finding in remaining(severity) {
            if first {
                page.heading(3, &format!("{}: {}", severity.name(), meaning(severity)));
            }
            (first, any) = (false, true);
            one(page, finding);
        }
    }
    if !any {
        // The word `clean` belongs to the verdict alone.
        page.line(match (document.decided(), document.findings.is_empty()) {
            (true, true) => "None remains.",
            (true, false) => "None but what is disputed.",
            (false, true) => "None, but nothing was decided: this is not a clean result.",
            (false, false) => "None but what is disputed, and nothing was decided.",
        });
    }
}

const fn meaning(severity: Severity) -> &'static str {
    match severity {
        Severity::P0 => "breaking",
        Severity::P1 => "likely a bug",
        Severity::P2 => "minor",
    }
}

fn disputed(page: &mut Page, document: &ReviewDocument) {
    let mut findings =
        (document.findings.iter()).filter(|finding| finding.status == Status::Disputed).peekable();
    if findings.peek().is_none() {
        return;
    }
    page.heading(2, "Disputed");
    page.line("A P0 or P1 that one agent alone refuted. Nothing ends it but a look at the code.");
    for finding in findings {
        one(page, finding);
    }
}

fn one(page: &mut Page, finding: &FinalFinding) {
    let reported = &finding.reported;
    title(page, reported);
    page.line(&format!("- Place: {}{}", inert(&place(reported)), doubt(reported)));
    page.line(&format!("- Status: {} {}", reported.severity.name(), standing(finding)));
    people(page, reported);
    page.gap();
    page.quote(&reported.detail);
    page.gap();
    if let Some(quote) = &reported.quote {
        page.line("The code:\n");
        page.code(quote);
        page.gap();
    }
    match reported.fix.trim() {
        "" => page.line("No fix was named."),
        fix if fix.contains('\n') => {
            page.line("The fix:\n");
            page.code(fix);
        }
        fix => page.line(&format!("The fix: {}", inert(fix))),
    }
    page.gap();
    judgements(page, &reported.judgements);
}

fn title(page: &mut Page, reported: &Reported) {
    page.heading(4, &format!("{}: {}", inert(&reported.id), inert(&reported.title)));
}

/// Who found it, who agreed and who did not; names are restored here and nowhere before.
fn people(page: &mut Page, reported: &Reported) {
    let names = |agents: &[String]| {
        let names: Vec<String> = agents.iter().map(|agent| inert(agent)).collect();
        names.join(", ")
    };
    let found: Vec<String> = (reported.found_by.iter())
        .map(|agent| match reported.severities.get(agent) {
            Some(severity) => format!("{} ({})", inert(agent), severity.name()),
            None => inert(agent),
        })
        .collect();
    page.line(&format!("- Found by: {}", found.join(", ")));
    if !reported.confirmed_by.is_empty() {
        page.line(&format!("- Agreed: {}", names(&reported.confirmed_by)));
    }
    if !reported.disputed_by.is_empty() {
        page.line(&format!("- Disagreed: {}", names(&reported.disputed_by)));
    }
    if !reported.merged.is_empty() {
        page.line(&format!("- Merged into it: {}", names(&reported.merged)));
    }
    page.line(&format!("- Fingerprint: {}", inert(&reported.fingerprint)));
}

fn judgements(page: &mut Page, judgements: &[JudgementRecord]) {
    if judgements.is_empty() {
        return;
    }
    page.line("What the others said:\n");
    let each = judgements.iter().map(|said| {
        let mut line =
            format!("{}: {}: {}", inert(&said.agent), said.stance.name(), inert(&said.reason));
        if let Some(evidence) = &said.evidence {
            write!(line, " (evidence: {})", inert(evidence)).ok();
        }
        if said.without_evidence {
            line.push_str(" (it disagreed, but its evidence was not found)");
        }
        line
    });
    page.list(each, "");
    page.gap();
}

fn eliminated_findings(page: &mut Page, document: &ReviewDocument) {
    page.heading(2, "Eliminated");
    if document.eliminated.is_empty() {
        page.line("None.");
    }
    for gone in &document.eliminated {
        let Eliminated { status, reason, reported } = gone;
        title(page, reported);
        page.line(&format!("- Place: {}", inert(&place(reported))));
        page.line(&format!("- Was: {}, {}", reported.severity.name(), eliminated(*status)));
        page.line(&format!("- Why: {}", inert(reason)));
        people(page, reported);
        page.gap();
        judgements(page, &reported.judgements);
    }
}

fn suppressed(page: &mut Page, document: &ReviewDocument) {
    let Some(counts) = known(document) else {
        return;
    };
    page.heading(2, "Known");
    page.line(&format!("{counts}.\n"));
    let rows = document.suppressed.iter().map(|finding| {
        let why = match &finding.known {
            Known::Dismissed { why, .. } => format!("dismissed: {}", inert(why)),
            Known::Baseline => "in the baseline".to_owned(),
        };
        let place = match finding.line {
            Some(line) => format!("{}:{line}", finding.file),
            None => finding.file.clone(),
        };
        vec![
            finding.severity.name().to_owned(),
            inert(&place),
            inert(&finding.title),
            why,
            inert(&finding.fingerprint),
        ]
    });
    page.table(&["", "Place", "Finding", "Why", "Fingerprint"], rows);
}

fn not_reviewed(page: &mut Page, document: &ReviewDocument) {
    page.heading(2, "Not reviewed");
    if document.not_reviewed.is_empty() {
        page.line("Nothing: the whole change was shown.");
        return;
    }
    if document.missed().next().is_some() {
        page.line("Not everything could be looked at, so that without findings this could not be clean.\n");
    }
    left_out(page, &document.not_reviewed);
}

fn left_out(page: &mut Page, parts: &[NotReviewed]) {
    let rows = parts.iter().map(|part| {
        let purpose = if part.by_policy() { "yes" } else { "NO" };
        vec![inert(&part.path), inert(part.why.name()), purpose.to_owned(), inert(&part.detail)]
    });
    page.table(&["What", "Why", "On purpose", "More"], rows);
}

fn seated(page: &mut Page, document: &ReviewDocument) {
    page.heading(2, "Seats");
    page.list(seats(document).iter().map(|line| inert(line)), "");
}

fn scores(page: &mut Page, document: &ReviewDocument) {
    page.heading(2, "Scores");
    if document.scores.is_empty() {
        page.line("Nobody has one.");
        return;
    }
    page.line(
        "Points by rule, no opinion of an agent. Who failed a review or a judgement has none.\n",
    );
    let rows = document.scores.iter().map(|(agent, score)| {
        let mut row = vec![inert(agent)];
        let parts = [
            score.p0_findings,
            score.p1_findings,
            score.p2_findings,
            score.false_positives,
            score.concrete_fixes,
            score.file_accuracy,
            score.clarity,
            score.total,
        ];
        row.extend(parts.iter().map(ToString::to_string));
        row
    });
    let headers =
        ["Agent", "P0", "P1", "P2", "False positives", "Fixes", "Accuracy", "Clarity", "Total"];
    page.table(&headers, rows);
}

fn rounds(page: &mut Page, document: &ReviewDocument) {
    page.heading(2, "Confidence per round");
    let rows = document.rounds.iter().map(|round| {
        let name = match round.round {
            0 => "independent reviews".to_owned(),
            number => format!("cross-examination {number}"),
        };
        vec![
            name,
            format!("{}%", round.confidence),
            format!("{} of {}", round.settled, round.groups),
            format!("{} of {}", round.answered, round.asked),
        ]
    });
    page.table(&["After", "Confidence", "Settled", "Answered"], rows);
}

fn agreement(page: &mut Page, document: &ReviewDocument) {
    if document.agreement.is_empty() {
        return;
    }
    page.heading(2, "Agreement");
    page.line(
        "Findings that both wrote; and of those that one of the two wrote, what the other said.\n",
    );
    let rows = document.agreement.iter().map(|pair| {
        vec![
            inert(&pair.one),
            inert(&pair.other),
            pair.shared.to_string(),
            pair.agreed.to_string(),
            pair.disagreed.to_string(),
            pair.open.to_string(),
        ]
    });
    let headers = ["First", "Second", "Both", "Agreed", "Disagreed", "Open"];
    page.table(&headers, rows);
}

fn validation(page: &mut Page, document: &ReviewDocument) {
    if document.validation.is_empty() {
        return;
    }
    page.heading(2, "Validation");
    let rows = document.validation.iter().map(|vote| {
        let said = (vote.reasons.iter()).map(|(agent, why)| format!("{agent}: {why}"));
        let said: Vec<String> = said.collect();
        let said = if said.is_empty() { "-".to_owned() } else { inert(&said.join("; ")) };
        vec![
            inert(&vote.id),
            decision(vote.decision).to_owned(),
            vote.approves.to_string(),
            vote.rejects.to_string(),
            result(vote.result).to_owned(),
            said,
        ]
    });
    let headers = ["Finding", "Decision", "Approves", "Rejects", "Result", "Why"];
    page.table(&headers, rows);
}

const fn decision(decision: DecisionKind) -> &'static str {
    match decision {
        DecisionKind::Keep => "keep",
        DecisionKind::Merge => "merge",
        DecisionKind::Eliminate => "eliminate",
    }
}

const fn result(result: ValidationResult) -> &'static str {
    match result {
        ValidationResult::Approved => "approved",
        ValidationResult::Rejected => "rejected",
        ValidationResult::TieBroken => "a tie, broken by the composer",
        ValidationResult::TieKept => "a tie: the finding stays",
        ValidationResult::Unvalidated => "nobody voted: the finding stays",
    }
}

fn spent(page: &mut Page, document: &ReviewDocument) {
    page.heading(2, "Cost and time");
    page.line(&format!("- Cost: {}", inert(&cost(document))));
    for TurnTime { turn, milliseconds } in &document.durations {
        let took = words::time(Duration::from_millis(*milliseconds));
        page.line(&format!("- {}: {took}", inert(turn)));
    }
}

fn warnings(page: &mut Page, document: &ReviewDocument) {
    let header = &document.header;
    if !header.warnings.is_empty() {
        page.heading(2, "Warnings");
        let each = document.told().into_iter().map(|told| {
            let turns = match told.turns.as_slice() {
                [] => String::new(),
                turns => format!(" in {}", turns.join(", ")),
            };
            inert(&format!("{}{turns}: {}", told.code, told.message))
        });
        page.list(each, "");
    }
    page.skills(&header.skills);
}

#[cfg(test)]
mod tests;
