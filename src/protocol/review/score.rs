//! What a seat's work is worth (`spec/review-and-plan.md`, step 5): by rule, without asking anybody.
//!
//! A group counts once for each of its authors, with that author's own severity: repeats earn
//! nothing. A group that is refuted, or whose file is not in the change, is a false positive and
//! earns nothing else. A disputed one is not refuted. Findings where they do not say they are
//! (`mislocated`) earn what their severity is worth, but neither fix nor accuracy.

use std::cmp::Reverse;

use super::locate::spans;
use super::model::{
    Finding, Group, Location, Raised, ReviewSaid, ScoreBreakdown, Severity, Status,
};
use super::status::{is_out, status};

#[cfg(test)]
mod tests;

/// Points of one and of all, from the table of the source (`spec/review-and-plan.md`, step 5).
const P0: Points = Points { one: 15, all: 45 };
const P1: Points = Points { one: 8, all: 32 };
const P2: Points = Points { one: 3, all: 12 };
const FALSE_POSITIVE: Points = Points { one: -10, all: -30 };
const CONCRETE_FIX: Points = Points { one: 5, all: 25 };
const FILE_ACCURACY: Points = Points { one: 2, all: 10 };
/// Clarity: a finding, a residual risk, an open question, nothing but complete findings.
const CLARITY: [i32; 4] = [3, 2, 2, 3];

/// What one of a kind is worth, and all of them at most.
struct Points {
    one: i32,
    all: i32,
}

impl Points {
    /// Returns what so many are worth.
    fn of(&self, count: i32) -> i32 {
        let sum = self.one.saturating_mul(count);
        if self.one < 0 { sum.max(self.all) } else { sum.min(self.all) }
    }
}

/// Scores a seat that answered, with what it said in its independent reviews, one a batch.
pub fn score(seat: usize, groups: &[Group], said: &[&ReviewSaid]) -> ScoreBreakdown {
    let (mut severities, mut wrong, mut fixes, mut located) = ([0; 3], 0, 0, 0);
    for group in groups {
        let own = || group.members.iter().filter(|raised| raised.seat == seat);
        let Some(severity) = own().map(|raised| raised.placed.finding.severity).min() else {
            continue;
        };
        if is_out(group) {
            wrong += 1;
            continue;
        }
        match severity {
            Severity::P0 => severities[0] += 1,
            Severity::P1 => severities[1] += 1,
            Severity::P2 => severities[2] += 1,
        }
        let is_located = |raised: &&Raised| raised.placed.location == Location::Located;
        if own().any(|raised| is_located(&raised)) {
            located += 1;
        }
        if own().filter(is_located).any(|raised| is_concrete(&raised.placed.finding)) {
            fixes += 1;
        }
    }
    let [p0, p1, p2] = severities;
    let mut breakdown = ScoreBreakdown {
        p0_findings: P0.of(p0),
        p1_findings: P1.of(p1),
        p2_findings: P2.of(p2),
        false_positives: FALSE_POSITIVE.of(wrong),
        concrete_fixes: CONCRETE_FIX.of(fixes),
        file_accuracy: FILE_ACCURACY.of(located),
        clarity: clarity(said),
        total: 0,
    };
    breakdown.total = breakdown.p0_findings
        + breakdown.p1_findings
        + breakdown.p2_findings
        + breakdown.false_positives
        + breakdown.concrete_fixes
        + breakdown.file_accuracy
        + breakdown.clarity;
    breakdown
}

/// Orders seats, the winner first: by total, then by findings of theirs that are confirmed, then by
/// the order of the configuration, which is that of the seats.
pub fn ranking(scores: &[(usize, ScoreBreakdown)], groups: &[Group]) -> Vec<usize> {
    let mut ranked: Vec<(Reverse<i32>, Reverse<usize>, usize)> = scores
        .iter()
        .map(|(seat, score)| {
            let confirmed = groups
                .iter()
                .filter(|group| group.authors().contains(seat) && !is_out(group))
                .filter(|group| status(group) == Status::Confirmed)
                .count();
            (Reverse(score.total), Reverse(confirmed), *seat)
        })
        .collect();
    ranked.sort_unstable();
    ranked.into_iter().map(|(_, _, seat)| seat).collect()
}

/// Returns the points for how clear a seat's reviews are.
fn clarity(said: &[&ReviewSaid]) -> i32 {
    let findings = || said.iter().flat_map(|said| &said.findings);
    let any = |texts: fn(&ReviewSaid) -> &Vec<String>| {
        said.iter().any(|said| texts(said).iter().any(|text| !is_blank(text)))
    };
    let earned = [
        findings().next().is_some(),
        any(|said| &said.residual_risks),
        any(|said| &said.open_questions),
        findings().next().is_some() && findings().all(is_complete),
    ];
    let points = earned.iter().zip(CLARITY);
    points.map(|(earned, points)| if *earned { points } else { 0 }).sum()
}

/// Whether a finding says what, why and how to mend it.
fn is_complete(finding: &Finding) -> bool {
    [&finding.title, &finding.file, &finding.detail, &finding.fix]
        .iter()
        .all(|text| !is_blank(text))
}

fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

/// Whether a fix names code that would change: a code span or block of more than one token that is
/// no mere path.
fn is_concrete(finding: &Finding) -> bool {
    spans(&finding.fix).any(|span| is_code(span.trim()) && span.trim() != finding.file)
}

/// Whether a text is more than one token of code, one of them a word, and no path.
fn is_code(text: &str) -> bool {
    let word = |one: char| one.is_alphanumeric() || one == '_';
    let path = text.contains('/') && text.chars().all(|one| word(one) || "./-".contains(one));
    let (mut tokens, mut words, mut inside) = (0_u32, 0_u32, false);
    for one in text.chars() {
        if word(one) && inside {
            continue;
        }
        inside = word(one);
        words += u32::from(inside);
        tokens += u32::from(!one.is_whitespace());
    }
    !path && words >= 1 && tokens >= 2
}
