//! The page of a review: remaining findings, parts that were not looked at, rejected findings with the reasons, then
//! the seats and their confidence.

use crate::kernel::{Ended, Halt};
use std::time::Duration;

use super::ReviewDocument;
use crate::change::{NotReviewed, Omission};
use crate::protocol::council::{RejectedKeepVotes, RoundRecord};
use crate::protocol::review::{
    Agreement, DecisionKind, Distance, EliminatedFinding, EliminatedStatus, FinalFinding,
    JudgementRecord, Location, RepeatRecord, ReportedFinding, ScoreBreakdown, Severity, Stance,
    Status, SuppressedFinding, ValidationRecord, ValidationResult, Verdict,
};
use crate::report::page::ToPage;
use crate::report::page::session::{self, SessionPhase};
use crate::report::page::{
    Blocks, Emphasis, Item, Page, Table, Text, agent_text, agent_text_up_to, code, count, name,
    names, path, percent, text, took,
};

mod headline;

pub(super) use headline::named;

/// Maximum number of findings on a screen.
const MOST_FINDINGS: usize = 50;
/// Maximum number of entries of any other list on a screen.
const MOST_ENTRIES: usize = 8;
/// Maximum characters of a description on a screen.
const DETAIL_CHARS: usize = 1_500;
/// Maximum characters of an eliminated finding's title on a screen.
const ELIMINATED_CHARS: usize = 120;
const FIX_LINES: usize = 16;

type Rows = Vec<Vec<Text>>;

impl ToPage for ReviewDocument {
    fn page(&self) -> Page {
        let mut page = session::begin("Code review", &self.header, self.headline_text());
        let blocks = page.blocks();
        session::about(blocks, &self.header, self.standing(), self.subject());
        blocks.section("Findings", |below| self.undisputed(below));
        blocks.section("Disputed", |below| self.in_dispute(below));
        blocks.section("Not reviewed", |below| self.left_out(below));
        blocks.section("Eliminated", |below| {
            listed(below, self.result.eliminated.iter().map(eliminated), "None.");
        });
        blocks.section("Known", |below| {
            below.para(self.known());
            let headers = ["Severity", "Place", "Finding", "Why", "Fingerprint"];
            let rows = self.result.suppressed.iter().map(suppressed);
            below.table(Table::new(headers, rows)).record_only();
        });
        blocks.section("Residual risks", |below| {
            listed(
                below,
                self.result.residual_risks.iter().map(|risk| agent_text(risk)),
                "None was named.",
            );
        });
        blocks.section("Open questions", |below| {
            listed(
                below,
                self.result.open_questions.iter().map(|text| agent_text(text)),
                "None was named.",
            );
        });
        self.measured(blocks);
        session::attendance(blocks, &self.header, self.attendance());
        session::record(blocks, &self.header);
        self.foot(blocks);
        page
    }
}

impl ReviewDocument {
    fn standing(&self) -> SessionPhase {
        match self.header.outcome {
            Ended::Closed(Verdict::Undecided)
                if self.silent().chain(self.lapsed()).next().is_some() =>
            {
                SessionPhase::Failed
            }
            // Undecided although all agents answered: asking again would change nothing.
            Ended::Closed(_) => SessionPhase::Decided,
            Ended::Stopped(halt) => SessionPhase::of(halt, 1),
        }
    }

    /// The scope of the review and its result, for the head of a report.
    fn subject(&self) -> impl Iterator<Item = (&'static str, Text)> {
        let asked = !self.question.trim().is_empty();
        let facts = [
            ("Verdict", Some(self.header.verdict.name().into())),
            ("Outcome", Some(self.header.outcome.name().into())),
            ("Change", Some(self.scope())),
            ("Base", self.change.base.as_deref().map(name)),
            ("Question", asked.then(|| agent_text(&self.question))),
            ("Confidence", Some(self.certainty())),
        ];
        facts.into_iter().filter_map(|(label, value)| Some((label, value?)))
    }

    /// `working tree against HEAD: 3 files, +20 -4`.
    fn scope(&self) -> Text {
        let (change, totals) = (&self.change, self.change.totals);
        let shown = (change.batches > 1).then(|| text![", shown in ", change.batches, " parts"]);
        let size = text![count(totals.files, "file"), ", +", totals.added, " -", totals.removed];
        text![agent_text(&change.scope), ": ", size, shown]
    }

    /// `83% (80% needed) after 2 cross-examinations; claude scored best and composed the result`.
    fn certainty(&self) -> Text {
        let who = match (self.result.winner.as_deref(), self.result.composed_by.as_deref()) {
            (Some(winner), Some(composer)) if winner == composer => {
                text!["; ", name(winner), " scored best and composed the result"]
            }
            (winner, composer) => {
                let best = winner.map(|winner| text!["; ", name(winner), " scored best"]);
                match composer {
                    Some(composer) => text![best, "; ", name(composer), " composed the result"],
                    None => text![best, "; the result was composed by rule"],
                }
            }
        };
        let wanted = percent(self.confidence_wanted);
        let rounds = count(self.header.rounds_used, "cross-examination");
        let stopped = self.decided()
            && (1..self.max_rounds).contains(&self.header.rounds_used)
            && self.result.confidence >= self.confidence_wanted;
        let sure = stopped.then_some(", sure enough to stop there");
        text![percent(self.result.confidence), " (", wanted, " needed) after ", rounds, sure, who]
    }

    /// Adds the findings that are not disputed by a single agent.
    fn undisputed(&self, blocks: &mut Blocks) {
        let findings = self.result.findings.iter().filter(|each| each.status != Status::Disputed);
        let mut findings = findings.peekable();
        if findings.peek().is_none() {
            // The word `clean` is reserved for the verdict.
            let none = match (self.decided(), self.result.findings.is_empty()) {
                (true, true) => "None remains.",
                (true, false) => "None except what is disputed.",
                (false, true) => "None, but nothing was decided: this is not a clean result.",
                (false, false) => "None except what is disputed, and nothing was decided.",
            };
            blocks.para(none).record_only();
        }
        blocks.list(findings.map(finding)).headed().most_on_screen(MOST_FINDINGS);
    }

    fn in_dispute(&self, blocks: &mut Blocks) {
        if self.disputed() == 0 {
            return;
        }
        blocks
            .para("A P0 or P1 that only one agent refuted. Only a look at the code can settle it.");
        let findings = self.result.findings.iter().filter(|each| each.status == Status::Disputed);
        blocks.list(findings.map(finding)).headed().most_on_screen(MOST_FINDINGS);
    }

    /// Adds parts that no agent or too few looked at, then secrets that could be committed, then what is left out.
    fn left_out(&self, blocks: &mut Blocks) {
        if self.missed().next().is_some() {
            blocks
                .para("Not everything could be reviewed, so even without findings this could not be clean.")
                .record_only();
        }
        let mut parts: Vec<&NotReviewed> = self.result.not_reviewed.iter().collect();
        parts.sort_by_key(|part| {
            (!part.missed, part.why != Omission::UntrackedSecret, part.why == Omission::Own)
        });
        let parts = not_reviewed(parts);
        listed(blocks, parts.into_iter(), "Nothing: the whole change was shown.");
    }

    /// `2 known: not raised again.`; nothing if no finding is known.
    fn known(&self) -> Text {
        let count = self.result.suppressed.len();
        (count > 0).then(|| text![count, " known: not raised again."]).into()
    }

    /// Adds the counts and measurements, for a report.
    fn measured(&self, blocks: &mut Blocks) {
        let times = self
            .durations
            .iter()
            .map(|time| vec![name(&time.turn), took(Duration::from_millis(time.milliseconds))]);
        let tables: [(_, &'static str, &[&'static str], Rows); 5] = [
            (
                "Scores",
                "Points by rule, not an agent's opinion. An agent that failed a review or a judgement has none.",
                &[
                    "Agent",
                    "P0",
                    "P1",
                    "P2",
                    "False positives",
                    "Fixes",
                    "Accuracy",
                    "Clarity",
                    "Total",
                ],
                self.result.scores.iter().map(score).collect(),
            ),
            (
                "Confidence per round",
                "",
                &["After", "Confidence", "Settled", "Answered"],
                self.result.rounds.iter().map(round).collect(),
            ),
            (
                "Agreement",
                "Findings that both wrote; for those that only one wrote, what the other said.",
                &["First", "Second", "Both", "Agreed", "Disagreed", "Open"],
                self.result.agreement.iter().map(agreement).collect(),
            ),
            (
                "Validation",
                "",
                &["Finding", "Decision", "Approves", "Rejects", "Result", "Why"],
                self.result.validation.iter().map(validation).collect(),
            ),
            ("Time", "", &["Turn", "Took"], times.collect()),
        ];
        for (heading, about, headers, rows) in
            tables.into_iter().filter(|table| !table.3.is_empty())
        {
            blocks
                .section(heading, |below| {
                    below.para(about);
                    below.table(Table::new(headers.iter().copied(), rows));
                })
                .record_only();
        }
    }

    /// `2 of 2 seats reviewed the change (2 needed), from 2 vendors`.
    fn attendance(&self) -> Text {
        let quorum = self.header.quorum;
        let what = match self.change.batches {
            0 | 1 => " seats reviewed the change (",
            _ => " seats reviewed the same part of the change (",
        };
        let seats = self.header.seats.len();
        let vendors = session::vendors(quorum.vendors);
        text![quorum.answered, " of ", seats, what, quorum.needed, " needed), ", vendors]
    }

    fn foot(&self, blocks: &mut Blocks) {
        let seats = self.header.seats.iter().map(session::seat).chain([self.attendance()]);
        let first = [
            ("Change", vec![self.scope()]),
            ("Seats", seats.collect()),
            ("Confidence", vec![self.certainty()]),
        ];
        let mut next = session::next(&self.header, self.standing());
        next.extend(self.dismissal());
        session::foot(blocks, &self.header, first, next);
    }

    fn dismissal(&self) -> Option<Text> {
        let running = self.header.outcome == Ended::Stopped(Halt::Running);
        let first = self.result.findings.first().filter(|_| !running && !self.header.rehearsal)?;
        let command = format!("debate-agent review dismiss {} --why TEXT", first.reported.id);
        Some(session::step(command, "not raised again while the code it quotes is unchanged"))
    }
}

/// Adds a list; if it is empty, a report gets a phrase for that.
pub(super) fn listed<I: Into<Item>>(
    blocks: &mut Blocks,
    all: impl Iterator<Item = I>,
    none: &'static str,
) {
    let mut all = all.peekable();
    if all.peek().is_none() {
        blocks.para(none).record_only();
    }
    blocks.list(all).most_on_screen(MOST_ENTRIES);
}

fn finding(finding: &FinalFinding) -> Item {
    let reported = &finding.reported;
    let tone = match reported.finding.severity {
        Severity::P0 => Emphasis::Bad,
        Severity::P1 => Emphasis::Doubt,
        Severity::P2 => Emphasis::Strong,
    };
    let severity = Text::from(reported.finding.severity.name()).tone(tone);
    Item::new(text![head(severity, reported, status(finding)), doubt(reported)]).with(|below| {
        below.para(agent_text(&reported.finding.title));
        let detail = reported.finding.detail.trim();
        if detail != reported.finding.title.trim() {
            below.para(agent_text_up_to(detail, DETAIL_CHARS)).screen_only();
        }
        below.quote(detail).record_only();
        if let Some(trigger) = &reported.finding.trigger {
            below.para(text!["Fails when: ", agent_text_up_to(trigger.trim(), DETAIL_CHARS)]);
        }
        for judgement in &reported.judgements {
            if let Some(only) = &judgement.only {
                let who = name(&judgement.agent);
                below.para(text![who, " agrees with this part: ", agent_text(only)]).screen_only();
            }
        }
        if !reported.repeats.is_empty() {
            below.list(reported.repeats.iter().map(repeat));
        }
        if let Some(quote) = &reported.finding.quote {
            below.para("The code:").record_only();
            below.code(quote).record_only();
        }
        fix(below, reported.finding.fix.trim());
        let meaning =
            text![reported.finding.severity.name(), ", ", meaning(reported.finding.severity)];
        below
            .facts([("Severity", vec![meaning])].into_iter().chain(people(reported)))
            .record_only();
        below.para(who(reported)).screen_only();
    })
}

/// `Also told as F4 (line 12, the same according to codex): title. Detail`: nothing of a finding that one seat called the
/// same is hidden.
fn repeat(repeat: &RepeatRecord) -> Text {
    let line = repeat.line.map(|line| text!["line ", line, ", "]);
    text![
        "Also told as ",
        name(&repeat.id),
        " (",
        line,
        "the same according to ",
        names(&repeat.said_by),
        "): ",
        agent_text(&repeat.title),
        " - ",
        agent_text_up_to(&repeat.detail, DETAIL_CHARS),
    ]
}

/// Adds the fix: inline, or as a quotation.
fn fix(blocks: &mut Blocks, fix: &str) {
    if fix.is_empty() {
        blocks.para("No fix was named.").record_only();
    } else if fix.contains('\n') {
        blocks.para("Fix:");
        blocks.quote(fix).most_on_screen(FIX_LINES).screen_only();
        blocks.code(fix).record_only();
    } else {
        blocks.para(text!["Fix: ", agent_text_up_to(fix, DETAIL_CHARS)]);
    }
}

/// `P0  F1  src/pay.rs:42  confirmed`: terminals make the place a link.
fn head(severity: Text, reported: &ReportedFinding, state: Text) -> Text {
    let (id, place) = (name(&reported.id), place(&reported.finding.file, reported.finding.line));
    text![severity, "  ", id, "  ", place.tone(Emphasis::Strong), "  ", state]
}

fn place(file: &str, line: Option<u32>) -> Text {
    text![path(file), line.map(|line| text![":", line])]
}

/// `confirmed`; `confirmed, severity unconfirmed` if only one vendor gives that severity, `confirmed, keep rejected 2
/// to 0` if the validators voted against keeping it.
pub(super) fn status(finding: &FinalFinding) -> Text {
    let votes = finding.keep_rejected.map(|RejectedKeepVotes { approves, rejects }| {
        text![", keep rejected ", rejects, " to ", approves]
    });
    let severity = finding.reported.severity_unconfirmed.then_some(", severity unconfirmed");
    text![finding.status.name(), severity, votes]
}

/// Returns a doubt about the finding's place; empty if it is in the changed lines.
pub(super) const fn doubt(reported: &ReportedFinding) -> &'static str {
    match (reported.location, reported.nearness) {
        (Location::Located, Some(Distance::Removed)) => ", in removed lines",
        (Location::Located, Some(Distance::Context)) => ", outside the changed lines",
        (Location::Located, Some(Distance::Exact) | None) => "",
        (Location::Mislocated, _) => ", not found at that place",
        (Location::Outside, _) => ", not in the change",
    }
}

const fn meaning(severity: Severity) -> &'static str {
    match severity {
        Severity::P0 => "breaking",
        Severity::P1 => "likely a bug",
        Severity::P2 => "minor",
    }
}

/// `found by claude; agreed: codex`.
pub(super) fn who(reported: &ReportedFinding) -> Text {
    let others = |what: &'static str, agents: &[String]| {
        (!agents.is_empty()).then(|| text![what, names(agents)])
    };
    text![
        "found by ",
        names(&reported.found_by),
        others("; agreed: ", &reported.confirmed_by),
        others("; disagreed: ", &reported.disputed_by),
    ]
}

/// The agents that found it, agreed and disagreed, with their reasons; real names are restored only at this point.
fn people(reported: &ReportedFinding) -> impl Iterator<Item = (&'static str, Vec<Text>)> {
    let found = reported.found_by.iter().map(|agent| {
        let severity = reported.severities.get(agent);
        text![name(agent), severity.map(|severity| text![" (", severity.name(), ")"])]
    });
    let those = |agents: &[String]| -> Vec<Text> {
        (!agents.is_empty()).then(|| names(agents)).into_iter().collect()
    };
    [
        ("Found by", vec![Text::join(found, ", ")]),
        ("Agreed", those(&reported.confirmed_by)),
        ("Disagreed", those(&reported.disputed_by)),
        ("Merged into it", those(&reported.merged)),
        ("What the others said", reported.judgements.iter().map(judgement).collect()),
        ("Fingerprint", vec![name(&reported.fingerprint)]),
    ]
    .into_iter()
}

/// `codex (disagree): it is re-entrant (evidence: ...)`; then what it agrees with, how bad it finds it, and what it calls
/// the same.
fn judgement(judgement: &JudgementRecord) -> Text {
    let evidence = judgement.evidence.as_deref();
    text![
        name(&judgement.agent),
        " (",
        judgement.stance.name(),
        "): ",
        agent_text(&judgement.reason),
        evidence.map(|evidence| text![" (evidence: ", code(evidence), ")"]),
        without_evidence(judgement),
        judgement.only.as_deref().map(|only| text![" (only: ", agent_text(only), ")"]),
        judgement.severity.map(|severity| text![" (it says ", severity.name(), ")"]),
        judgement.same_as.as_deref().map(|same| text![" (the same as ", name(same), ")"]),
    ]
}

/// Returns what a judge said for which it gave no evidence that counts.
fn without_evidence(judgement: &JudgementRecord) -> Option<&'static str> {
    let said = judgement.said.unwrap_or(Stance::Disagree);
    judgement.without_evidence.then_some(match said {
        Stance::Agree => {
            " (it agreed, but its evidence was not found, or has nothing to do with it)"
        }
        Stance::Disagree | Stance::Unsure => " (it disagreed, but its evidence was not found)",
    })
}

fn eliminated(gone: &EliminatedFinding) -> Item {
    let EliminatedFinding { status, reason, reported } = gone;
    let title = agent_text_up_to(&reported.finding.title, ELIMINATED_CHARS);
    let state = text![thrown_out(*status), ": ", title, " (", agent_text(reason), ")"];
    Item::new(head(reported.finding.severity.name().into(), reported, state)).with(|below| {
        below.facts(people(reported)).record_only();
    })
}

/// `refuted`, `not in the change`, `thrown out by the composer`.
pub(super) const fn thrown_out(status: EliminatedStatus) -> &'static str {
    match status {
        EliminatedStatus::Refuted => "refuted",
        EliminatedStatus::Outside => "not in the change",
        EliminatedStatus::Eliminated => "thrown out by the composer",
    }
}

const PATHS_OF_A_LINE: usize = 20;

/// `NOT REVIEWED: src/huge.rs (too large): one hunk has 700,000 bytes`; parts with one reason are one line.
pub(super) fn not_reviewed<'a>(parts: impl IntoIterator<Item = &'a NotReviewed>) -> Vec<Text> {
    let mut lines: Vec<(&NotReviewed, Vec<Text>)> = Vec::new();
    for part in parts {
        let same = |(first, paths): &&mut (&NotReviewed, Vec<Text>)| {
            (first.why, first.missed, &first.detail) == (part.why, part.missed, &part.detail)
                && paths.len() < PATHS_OF_A_LINE
        };
        match lines.iter_mut().find(same) {
            Some((_, paths)) => paths.push(path(&part.path)),
            None => lines.push((part, vec![path(&part.path)])),
        }
    }
    lines.into_iter().map(|(part, paths)| left_out(part, Text::join(paths, ", "))).collect()
}

fn left_out(part: &NotReviewed, paths: Text) -> Text {
    let how = if part.why == Omission::NoQuorum {
        "REVIEWED BY TOO FEW: "
    } else if part.missed {
        "NOT REVIEWED: "
    } else if part.why == Omission::UntrackedSecret {
        "NOT IGNORED: "
    } else {
        "Not read: "
    };
    text![how, paths, " (", reason(part.why), "): ", agent_text(&part.detail)]
}

/// `too large`.
fn reason(why: Omission) -> Text {
    Text::join(why.name().split('_'), " ")
}

fn suppressed(finding: &SuppressedFinding) -> Vec<Text> {
    vec![
        finding.severity.name().into(),
        place(&finding.file, finding.line),
        agent_text(&finding.title),
        agent_text(&finding.known.why),
        name(&finding.fingerprint),
    ]
}

fn score((agent, score): (&String, &ScoreBreakdown)) -> Vec<Text> {
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
    [name(agent)].into_iter().chain(parts.map(Text::from)).collect()
}

fn round(round: &RoundRecord) -> Vec<Text> {
    let after = match round.round {
        0 => "independent reviews".into(),
        number => text!["cross-examination ", number],
    };
    vec![
        after,
        percent(round.confidence),
        text![round.settled, " of ", round.groups],
        text![round.answered, " of ", round.asked],
    ]
}

fn agreement(pair: &Agreement) -> Vec<Text> {
    let counts = [pair.shared, pair.agreed, pair.disagreed, pair.open];
    [name(&pair.one), name(&pair.other)].into_iter().chain(counts.map(Text::from)).collect()
}

fn validation(vote: &ValidationRecord) -> Vec<Text> {
    let decision = match vote.decision {
        DecisionKind::Keep => "keep",
        DecisionKind::Merge => "merge",
        DecisionKind::Eliminate => "eliminate",
    };
    let result = match vote.tally.result {
        ValidationResult::Approved => "approved",
        ValidationResult::Rejected => "rejected",
        ValidationResult::TieBroken => "a tie, broken by the composer",
        ValidationResult::TieKept => "a tie: the finding stays",
        ValidationResult::Unvalidated => "nobody voted: the finding stays",
    };
    let reasons = vote.reasons.iter().map(|(agent, why)| text![name(agent), ": ", agent_text(why)]);
    let reasons = if vote.reasons.is_empty() { "-".into() } else { Text::join(reasons, "; ") };
    let because = vote.because.as_deref().map(|why| text![" (", agent_text(why), ")"]);
    vec![
        name(&vote.id),
        text![decision, because],
        vote.tally.approves.into(),
        vote.tally.rejects.into(),
        result.into(),
        reasons,
    ]
}

#[cfg(test)]
mod record_tests;
#[cfg(test)]
mod screen_tests;
