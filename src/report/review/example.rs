//! Example reviews for the tests of all their forms.

use std::collections::BTreeMap;

use super::{ReviewDocument, TurnTime};
use crate::change::{
    Batch, Change, ChangeKind, ChangedFile, Excerpt, Hunk, Lines, NotReviewed, Omission, Part,
    Totals,
};
use crate::kernel::{
    Basis, Cost, Ended, Halt, Quorum, Respondent, Seat, SeatStatus, Stamp, Warning,
};
use crate::protocol::council::RoundRecord;
use crate::protocol::prompt::Prompts;
use crate::protocol::review::input::Rules;
use crate::protocol::review::{
    Agreement, DecisionKind, Distance, EliminatedFinding, EliminatedStatus, FinalFinding, Finding,
    Input, JudgementRecord, Location, Outcome, RepeatRecord, ReportedFinding, ReviewFindings,
    ScoreBreakdown, Settings, Severity, Stance, Status, SuppressedFinding, SuppressionReason,
    Tally, ValidationRecord, ValidationResult, Verdict,
};
use crate::report::document::{SessionFacts, SkillUsed};
use crate::report::example::{SESSION, at, usd};

mod poison;

pub(crate) use poison::poisoned;

fn seated(agent: &str, vendor: &str) -> Respondent {
    Respondent { agent: agent.into(), vendor: vendor.into(), fell_back_from: None }
}

fn seat(number: usize, agent: &str, vendor: &str, failure: Option<&str>) -> Seat {
    Seat {
        role: format!("s{number}"),
        agent: agent.into(),
        vendor: vendor.into(),
        status: if failure.is_some() { SeatStatus::Failed } else { SeatStatus::Answered },
        failure: failure.map(str::to_owned),
        fell_back_to: None,
    }
}

pub(crate) fn input() -> Input {
    let file = |path: &str| ChangedFile {
        path: path.into(),
        old_path: None,
        kind: ChangeKind::Modified,
        modes: None,
        hunks: Vec::new(),
        lines: Some(80),
        text: None,
    };
    let part = |file| Part { file, first: 0, end: 0 };
    Input {
        question: String::new(),
        pull_request: None,
        change: Change {
            scope: "working tree against HEAD".into(),
            base: Some("4f".repeat(20)),
            files: vec![file("src/pay.rs"), file("src/store.rs")],
            batches: vec![Batch { parts: vec![part(0), part(1)] }],
            not_reviewed: Vec::new(),
            totals: Totals { files: 3, added: 120, removed: 14, bytes: 5_120 },
        },
        rules: Rules::default(),
        known: BTreeMap::new(),
        seats: vec![seated("claude", "anthropic"), seated("codex", "openai")],
        settings: Settings::default(),
        prompts: Prompts::new("b"),
        seed: 7,
    }
}

pub(crate) fn reported(id: &str, severity: Severity, title: &str) -> ReportedFinding {
    ReportedFinding {
        proof: None,
        id: id.into(),
        finding: Finding {
            severity,
            title: title.into(),
            file: "src/pay.rs".into(),
            line: Some(42),
            end_line: Some(43),
            quote: Some("let cents = amount as i32;\nrefund(cents);".into()),
            trigger: Some("Refund 30,000,000.00.".into()),
            detail: "The amount is cut to 32 bits, so a refund above 21,474,836.47 becomes negative and is paid out.".into(),
            fix: "Use `i64::try_from(amount)?`, and refuse what does not fit.".into(),
        },
        location: Location::Located,
        nearness: Some(Distance::Exact),
        hunk: None,
        severity_unconfirmed: false,
        repeats: Vec::new(),
        found_by: vec!["claude".into()],
        confirmed_by: vec!["codex".into()],
        disputed_by: Vec::new(),
        judgements: vec![JudgementRecord {
            finding: id.into(),
            agent: "codex".into(),
            stance: Stance::Agree,
            reason: "the cast wraps".into(),
            evidence: None,
            without_evidence: false,
..nothing_said()
        }],
        rebuttals: Vec::new(),
        severities: BTreeMap::from([("claude".to_owned(), severity)]),
        merged: Vec::new(),
        fingerprint: fingerprint(id),
    }
}

/// Returns the code around some lines of the new file. `old`, `new`: first line, and how many.
fn excerpt(
    (old_start, old_lines): (u32, u32),
    (new_start, new_lines): (u32, u32),
    (first, last): (u32, u32),
    heading: &str,
    body: &str,
) -> Excerpt {
    let (heading, body) = (heading.to_owned(), body.to_owned());
    let hunk = Hunk { old_start, old_lines, new_start, new_lines, heading, body };
    Excerpt { hunk, marked: Lines { old: false, first, last } }
}

/// A judgement with the fields that most lack.
fn nothing_said() -> JudgementRecord {
    JudgementRecord {
        finding: String::new(),
        agent: String::new(),
        stance: Stance::Unsure,
        reason: String::new(),
        evidence: None,
        without_evidence: false,
        said: None,
        only: None,
        severity: None,
        same_as: None,
        lines: None,
    }
}

/// A fingerprint that differs from id to id: `F3` has `f3f3f3f3f3f3f3f3`.
pub(crate) fn fingerprint(id: &str) -> String {
    id.to_lowercase().repeat(8).chars().take(16).collect()
}

fn overflow() -> FinalFinding {
    let mut reported = reported("F1", Severity::P0, "A large refund overflows and is paid out");
    reported.severities.insert("codex".into(), Severity::P0);
    let body = "     let order = find(id)?;\n     order.check()?;\n-    refund(amount);\n+    let cents = amount as i32;\n+    refund(cents);\n     Ok(())\n";
    let heading = "fn pay_back(id: Id, amount: i64) -> Result<()> {";
    reported.hunk = Some(excerpt((40, 4), (40, 5), (42, 43), heading, body));
    reported.judgements[0].severity = Some(Severity::P0);
    reported.judgements[0].only = Some("what happens above the largest 32-bit amount".into());
    reported.judgements[0].same_as = Some("F8".into());
    reported.merged = vec!["F8".into()];
    reported.repeats = vec![RepeatRecord {
        id: "F8".into(),
        title: "The cast loses the upper bits".into(),
        line: Some(44),
        detail: "`amount as i32` wraps.".into(),
        said_by: vec!["codex".into()],
    }];
    FinalFinding {
        status: Status::Confirmed,
        disputed: BTreeMap::new(),
        keep_rejected: None,
        reported,
    }
}

fn lost_error() -> FinalFinding {
    let mut reported = reported("F2", Severity::P1, "A failed write is reported as saved");
    reported.finding.file = "src/store.rs".into();
    reported.finding.line = Some(7);
    reported.finding.end_line = None;
    reported.nearness = Some(Distance::Context);
    let body = "     let mut file = File::create(path)?;\n     file.write_all(order)?;\n     file.flush().ok();\n     Ok(())\n }\n";
    reported.hunk = Some(excerpt((9, 5), (5, 5), (7, 7), "", body));
    reported.finding.quote = Some("file.flush().ok();".into());
    reported.finding.detail =
        "The error of `flush` is dropped; a full disk loses the order.".into();
    reported.finding.fix = "Return it:\n\n```rust\nfile.flush()?;\n```".into();
    reported.found_by = vec!["codex".into()];
    reported.confirmed_by = Vec::new();
    reported.judgements = vec![JudgementRecord {
        finding: "F2".into(),
        agent: "claude".into(),
        stance: Stance::Unsure,
        reason: "the caller may look".into(),
        evidence: None,
        without_evidence: true,
        said: Some(Stance::Agree),
        ..nothing_said()
    }];
    reported.severity_unconfirmed = true;
    reported.finding.trigger = None;
    FinalFinding {
        status: Status::Unverified,
        disputed: BTreeMap::new(),
        keep_rejected: None,
        reported,
    }
}

fn gap() -> FinalFinding {
    let mut reported = reported("F3", Severity::P2, "No test for an empty order");
    reported.location = Location::Mislocated;
    reported.nearness = None;
    reported.finding.line = Some(900);
    reported.finding.end_line = None;
    reported.finding.quote = None;
    reported.finding.fix = String::new();
    FinalFinding {
        status: Status::Contested,
        disputed: BTreeMap::new(),
        keep_rejected: None,
        reported,
    }
}

fn refuted() -> EliminatedFinding {
    let mut reported = reported("F4", Severity::P2, "The lock is taken twice");
    reported.confirmed_by = Vec::new();
    reported.disputed_by = vec!["codex".into()];
    reported.judgements[0] = JudgementRecord {
        finding: "F4".into(),
        agent: "codex".into(),
        stance: Stance::Disagree,
        reason: "it is re-entrant".into(),
        evidence: Some("let lock = ReentrantLock::new();".into()),
        without_evidence: false,
        ..nothing_said()
    };
    EliminatedFinding {
        status: EliminatedStatus::Refuted,
        reason: "one seat disagreed with evidence and none agreed".into(),
        reported,
    }
}

fn outside() -> EliminatedFinding {
    let mut reported = reported("F5", Severity::P1, "The other file is wrong");
    reported.finding.file = "../else where/öde.rs".into();
    reported.location = Location::Outside;
    reported.nearness = None;
    EliminatedFinding {
        status: EliminatedStatus::Outside,
        reason: "its file is not in the change".into(),
        reported,
    }
}

fn known() -> Vec<SuppressedFinding> {
    let of = |title: &str, fingerprint: &str, why: &str| SuppressedFinding {
        severity: Severity::P1,
        title: title.into(),
        file: "src/pay.rs".into(),
        line: Some(3),
        found_by: vec!["claude".into()],
        fingerprint: fingerprint.into(),
        known: SuppressionReason { why: why.into(), severity: Severity::P1 },
    };
    vec![
        of("Amounts are not limited", "aaaaaaaaaaaaaaaa", "The gateway limits amounts."),
        of("The rate is hard-coded", "bbbbbbbbbbbbbbbb", "Older than our reviews."),
    ]
}

fn lock_file() -> NotReviewed {
    NotReviewed {
        path: "Cargo.lock".into(),
        why: Omission::Excluded,
        detail: "`review.exclude` has `Cargo.lock`".into(),
        missed: false,
    }
}

fn score(total: i32) -> ScoreBreakdown {
    ScoreBreakdown {
        p0_findings: 15,
        p1_findings: 8,
        p2_findings: 0,
        false_positives: -10,
        concrete_fixes: 5,
        file_accuracy: 2,
        clarity: total - 20,
        total,
    }
}

pub(crate) fn outcome(outcome: impl Into<Ended<Verdict>>, verdict: Verdict) -> Outcome {
    Outcome {
        outcome: outcome.into(),
        verdict,
        seats: vec![seat(1, "claude", "anthropic", None), seat(2, "codex", "openai", None)],
        quorum: Quorum { needed: 2, answered: 2, vendors: 2 },
        rounds_used: 1,
        failure: None,
        warnings: vec![Warning {
            code: "unknown_id".into(),
            turn: Some("r2/cross/s2".into()),
            message: "`F9` is none of the ids; it was dropped".into(),
        }],
        result: ReviewFindings {
            composed_by: Some("claude".into()),
            winner: Some("claude".into()),
            confidence: 83,
            rounds: vec![round(0, 0, 0), round(1, 83, 3)],
            findings: Vec::new(),
            eliminated: Vec::new(),
            suppressed: Vec::new(),
            scores: BTreeMap::from([("claude".into(), score(28)), ("codex".into(), score(23))]),
            agreement: vec![Agreement {
                one: "claude".into(),
                other: "codex".into(),
                shared: 1,
                agreed: 2,
                disagreed: 1,
                open: 0,
            }],
            validation: vec![ValidationRecord {
                id: "F1".into(),
                decision: DecisionKind::Keep,
                because: Some("One cause, one fix.".into()),
                tally: Tally { approves: 1, rejects: 0, result: ValidationResult::Approved },
                reasons: vec![("codex".into(), "it is right".into())],
            }],
            not_reviewed: vec![lock_file()],
            residual_risks: vec!["The currency table is not covered.".into()],
            open_questions: vec!["Is a refund of 0 legal?".into()],
            degraded: false,
        },
    }
}

fn round(round: u32, confidence: u32, settled: u32) -> RoundRecord {
    RoundRecord { round, confidence, settled, groups: 4, answered: 2, asked: 2 }
}

const DEAD: &str = "timed_out: codex gave no answer within 180 s";

fn without_codex(outcome: &mut Outcome) {
    outcome.seats[1] = seat(2, "codex", "openai", Some(DEAD));
    (outcome.quorum.answered, outcome.quorum.vendors) = (1, 1);
    outcome.result.degraded = true;
    outcome.result.scores.remove("codex");
    outcome.result.agreement.clear();
    outcome.result.validation.clear();
    outcome.result.composed_by = None;
    outcome.result.confidence = 50;
    outcome.result.not_reviewed.push(NotReviewed {
        path: "src/pay.rs".into(),
        why: Omission::NoQuorum,
        detail: "1 of 2 agents answered for it, and 2 are needed".into(),
        missed: true,
    });
    outcome.result.rounds = vec![RoundRecord { answered: 1, ..round(0, 50, 0) }];
    outcome.rounds_used = 0;
}

pub(crate) fn stamp() -> Stamp {
    Stamp {
        session_id: SESSION.into(),
        started_at: at(0),
        completed_at: Some(at(185)),
        budget: usd(2_500_000),
        cost: Some(Cost { usd: usd(412_000), basis: Basis::Mixed }),
    }
}

fn document(outcome: &Outcome) -> ReviewDocument {
    let stamp = Stamp { completed_at: outcome.outcome.closes().then(|| at(185)), ..stamp() };
    let time = |turn: &str, milliseconds| TurnTime { turn: turn.into(), milliseconds };
    let about = SessionFacts {
        skills: vec![SkillUsed {
            name: "reviewer".into(),
            origin: "embedded".into(),
            sha256: "9f".repeat(32),
            note: None,
        }],
        ..SessionFacts::default()
    };
    let durations = vec![time("r1/review/s1", 62_000), time("r1/review/s2", 71_400)];
    ReviewDocument::new(input(), outcome.clone(), &stamp, durations, about)
}

/// Both agents looked at everything that was shown, and nothing remains.
pub(crate) fn clean() -> ReviewDocument {
    let mut outcome = outcome(Verdict::Clean, Verdict::Clean);
    outcome.result.confidence = 100;
    outcome.result.validation.clear();
    outcome.result.residual_risks.clear();
    outcome.result.open_questions.clear();
    outcome.warnings.clear();
    document(&outcome)
}

/// One P2 remains.
pub(crate) fn comments() -> ReviewDocument {
    let mut outcome = outcome(Verdict::Comments, Verdict::Comments);
    outcome.result.findings = vec![gap()];
    document(&outcome)
}

/// A review in which no list is empty.
pub(crate) fn changes_requested() -> ReviewDocument {
    let mut outcome = outcome(Verdict::ChangesRequested, Verdict::ChangesRequested);
    outcome.result.findings = vec![overflow(), lost_error(), gap()];
    outcome.result.eliminated = vec![refuted(), outside()];
    outcome.result.suppressed = known();
    document(&outcome)
}

/// Nothing was found, but one of two agents did not answer.
pub(crate) fn undecided() -> ReviewDocument {
    let mut outcome = outcome(Verdict::Undecided, Verdict::Undecided);
    without_codex(&mut outcome);
    document(&outcome)
}

/// One of two agents answered, and found something.
pub(crate) fn degraded() -> ReviewDocument {
    let mut outcome = outcome(Verdict::Undecided, Verdict::Undecided);
    without_codex(&mut outcome);
    let mut finding = overflow();
    finding.status = Status::Unverified;
    finding.reported.confirmed_by.clear();
    finding.reported.judgements.clear();
    outcome.result.findings = vec![finding];
    document(&outcome)
}

/// A P0 that only one agent refuted.
pub(crate) fn disputed() -> ReviewDocument {
    let mut outcome = outcome(Verdict::Comments, Verdict::Comments);
    let mut finding = overflow();
    finding.status = Status::Disputed;
    finding.reported.confirmed_by.clear();
    finding.reported.disputed_by = vec!["codex".into()];
    outcome.result.findings = vec![finding];
    document(&outcome)
}

pub(crate) fn budget() -> ReviewDocument {
    let mut outcome = outcome(Halt::Budget, Verdict::Undecided);
    outcome.result.findings = vec![lost_error()];
    outcome.result.rounds.truncate(1);
    outcome.rounds_used = 0;
    outcome.result.composed_by = None;
    outcome.result.validation.clear();
    outcome.result.not_reviewed.push(NotReviewed {
        path: "src/huge.rs (lines 1-9000)".into(),
        why: Omission::TooLarge,
        detail: "one hunk has 700,000 bytes, more than `review.max_diff_bytes`".into(),
        missed: true,
    });
    document(&outcome)
}

pub(crate) fn all() -> Vec<(&'static str, ReviewDocument)> {
    vec![
        ("clean", clean()),
        ("comments", comments()),
        ("changes_requested", changes_requested()),
        ("undecided", undecided()),
        ("degraded", degraded()),
        ("disputed", disputed()),
        ("budget", budget()),
    ]
}
