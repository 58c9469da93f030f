//! The score of a seat (`docs/review.md`, step 5): by rule, without asking any agent.
//!
//! A group counts once for each of its authors, with that author's own severity: repeats earn nothing. A group that
//! is refuted, or whose file is not in the change, is a false positive and earns nothing else. The points of the table
//! are those of a confirmed group. One that nobody or one vendor alone stands behind, or as many are against, earns half
//! of its severity, rounded down over all; a disputed one nothing, but it is no false positive. Findings that are not
//! where they claim to be (`mislocated`) earn the points of their severity, but none for fix or accuracy.

use std::cmp::Reverse;
use std::sync::LazyLock;

use regex::Regex;

use super::locate::spans;
use super::model::{
    AuthoredFinding, Finding, Group, Location, ReviewBlock, ScoreBreakdown, Severity, Status,
};
use super::status::{is_out, status};

/// The points for one and the cap for all, from the table of the source (`docs/review.md`, step 5).
const P0: Points = Points { one: 15, all: 45 };
const P1: Points = Points { one: 8, all: 32 };
const P2: Points = Points { one: 3, all: 12 };
const FALSE_POSITIVE: Points = Points { one: -10, all: -30 };
const CONCRETE_FIX: Points = Points { one: 5, all: 25 };
const FILE_ACCURACY: Points = Points { one: 2, all: 10 };
/// Points for clarity: for a finding, a residual risk, an open question, and for complete findings only.
const CLARITY: [i32; 4] = [3, 2, 2, 3];

/// The points for one of a kind, and the limit for all of them.
struct Points {
    one: i32,
    all: i32,
}

impl Points {
    /// Returns the points for a number of them.
    fn of(&self, count: i32) -> i32 {
        self.of_halves(count.saturating_mul(2))
    }

    /// Returns the points for a number of halves.
    fn of_halves(&self, halves: i32) -> i32 {
        let sum = self.one.saturating_mul(halves) / 2;
        if self.one < 0 { sum.max(self.all) } else { sum.min(self.all) }
    }
}

/// Scores a seat that answered. `said` are its independent reviews, one per batch.
pub fn score(seat: usize, groups: &[Group], said: &[&ReviewBlock]) -> ScoreBreakdown {
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
        let halves = match status(group) {
            Status::Reproduced | Status::Confirmed => 2,
            Status::Contested | Status::OneVendor | Status::Unverified => 1,
            Status::Disputed | Status::Refuted => continue,
        };
        match severity {
            Severity::P0 => severities[0] += halves,
            Severity::P1 => severities[1] += halves,
            Severity::P2 => severities[2] += halves,
        }
        let is_located = |raised: &&AuthoredFinding| raised.placed.location == Location::Located;
        if own().any(|raised| is_located(&raised)) {
            located += 1;
        }
        if own().filter(is_located).any(|raised| is_concrete(&raised.placed.finding)) {
            fixes += 1;
        }
    }
    let [p0, p1, p2] = severities;
    let mut breakdown = ScoreBreakdown {
        p0_findings: P0.of_halves(p0),
        p1_findings: P1.of_halves(p1),
        p2_findings: P2.of_halves(p2),
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

/// Orders seats, the winner first: by total, then by the number of their confirmed findings, then by the order of the
/// configuration, which is that of the seats.
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

fn clarity(said: &[&ReviewBlock]) -> i32 {
    let findings = || said.iter().flat_map(|said| &said.findings);
    let any = |texts: fn(&ReviewBlock) -> &Vec<String>| {
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

/// Whether a finding states the defect, its consequence and a fix.
fn is_complete(finding: &Finding) -> bool {
    [&finding.title, &finding.file, &finding.detail, &finding.fix]
        .iter()
        .all(|text| !is_blank(text))
}

fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

/// Whether a fix names code that would change: a code span or block of more than one token that is not just a path, or
/// code among its words.
fn is_concrete(finding: &Finding) -> bool {
    let fix = &finding.fix;
    BARE.as_ref().is_some_and(|code| code.is_match(fix))
        || spans(fix).any(|span| is_code(span.trim()) && span.trim() != finding.file)
}

/// Code without any mark of it: a call, an assignment or a comparison, a path of names. No sentence has these; `file(s)`
/// is no call, and a call without arguments may only be named.
static BARE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r#"\w\((?:[^s)]|s[^)])|\w\s*(?:[=!<>]=|[-+*/:]?=|=>|->)\s*[\w"'(\[{]|\w::\w"#).ok()
});

/// Whether a text is more than one token of code, one of them a word, and not a path.
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

#[cfg(test)]
mod tests {
    //! Tests of [`super`]: the table of the spec, caps, and cases that must never earn points.

    use proptest::prelude::*;

    use super::*;
    use crate::protocol::review::model::Stance;
    use crate::protocol::review::samples::{at, finding, group};

    const AGREE: (usize, &str, Stance) = (1, "blue", Stance::Agree);
    const DISAGREE: (usize, &str, Stance) = (1, "blue", Stance::Disagree);

    /// Returns a group of seat 0 with this fix, confirmed by seat 1.
    fn fixed(severity: Severity, fix: &str) -> Group {
        let mut group = group("F1", severity, &[(0, "red")], &[AGREE]);
        fix.clone_into(&mut group.members[0].placed.finding.fix);
        group
    }

    /// Returns the components in the order of the table, and the total.
    fn parts(score: ScoreBreakdown) -> [i32; 8] {
        [
            score.p0_findings,
            score.p1_findings,
            score.p2_findings,
            score.false_positives,
            score.concrete_fixes,
            score.file_accuracy,
            score.clarity,
            score.total,
        ]
    }

    #[test]
    fn each_kind_has_its_points_and_its_cap() {
        use Severity::{P0, P1, P2};
        let vague = "check it";
        for (severity, count, expected) in [
            (P0, 0, [0, 0, 0, 0, 0, 0, 0, 0]),
            (P0, 1, [15, 0, 0, 0, 0, 2, 0, 17]),
            (P0, 3, [45, 0, 0, 0, 0, 6, 0, 51]),
            (P0, 4, [45, 0, 0, 0, 0, 8, 0, 53]),
            (P1, 1, [0, 8, 0, 0, 0, 2, 0, 10]),
            (P1, 4, [0, 32, 0, 0, 0, 8, 0, 40]),
            (P1, 5, [0, 32, 0, 0, 0, 10, 0, 42]),
            (P2, 1, [0, 0, 3, 0, 0, 2, 0, 5]),
            (P2, 4, [0, 0, 12, 0, 0, 8, 0, 20]),
            (P2, 6, [0, 0, 12, 0, 0, 10, 0, 22]),
        ] {
            let groups: Vec<Group> = (0..count).map(|_| fixed(severity, vague)).collect();
            assert_eq!(parts(score(0, &groups, &[])), expected, "{count} {}", severity.name());
        }
        let fixes: Vec<Group> = (0..6).map(|_| fixed(P2, "use `a.b()`")).collect();
        assert_eq!(parts(score(0, &fixes, &[])), [0, 0, 12, 0, 25, 10, 0, 47]);
    }

    #[test]
    fn refuted_and_outside_findings_cost_and_earn_nothing_else() {
        let refuted = group("F1", Severity::P2, &[(0, "red")], &[DISAGREE]);
        let ghost = at(group("F2", Severity::P0, &[(0, "red")], &[]), Location::Outside);
        assert_eq!(
            parts(score(0, std::slice::from_ref(&refuted), &[])),
            [0, 0, 0, -10, 0, 0, 0, -10]
        );
        assert_eq!(
            parts(score(0, std::slice::from_ref(&ghost), &[])),
            [0, 0, 0, -10, 0, 0, 0, -10]
        );
        let four = [refuted.clone(), ghost.clone(), refuted, ghost];
        assert_eq!(parts(score(0, &four, &[])), [0, 0, 0, -30, 0, 0, 0, -30]);
    }

    #[test]
    fn only_what_is_confirmed_earns_all_and_a_mislocated_one_is_no_accuracy() {
        use Severity::{P0, P1};
        let alike = (1, "red", Stance::Agree);
        let unsure = (1, "blue", Stance::Unsure);
        for (severity, judged, expected) in [
            (P0, vec![AGREE], [15, 0, 0, 0, 5, 2, 0, 22]),
            (P0, vec![unsure], [7, 0, 0, 0, 5, 2, 0, 14]),
            (P0, vec![alike], [7, 0, 0, 0, 5, 2, 0, 14]),
            (P1, vec![AGREE, (2, "blue", Stance::Disagree)], [0, 4, 0, 0, 5, 2, 0, 11]),
            (P0, vec![DISAGREE], [0; 8]),
        ] {
            let groups = [group("F1", severity, &[(0, "red")], &judged)];
            assert_eq!(parts(score(0, &groups, &[])), expected, "{judged:?}");
        }
        let unverified = || group("F1", P1, &[(0, "red")], &[]);
        let many: Vec<Group> = (0..9).map(|_| unverified()).collect();
        assert_eq!(score(0, &many, &[]).p1_findings, 32, "nine halves are more than the cap");
        let lost = at(group("F1", P1, &[(0, "red")], &[AGREE]), Location::Mislocated);
        assert_eq!(parts(score(0, &[lost], &[])), [0, 8, 0, 0, 0, 0, 0, 8]);
    }

    #[test]
    fn a_group_counts_once_for_each_author_with_its_own_severity() {
        let mut shared = group("F1", Severity::P2, &[(0, "red"), (0, "red"), (1, "blue")], &[]);
        shared.members[2].placed.finding.severity = Severity::P0;
        let groups = [shared];
        assert_eq!(parts(score(0, &groups, &[])), [0, 0, 3, 0, 5, 2, 0, 10]);
        assert_eq!(parts(score(1, &groups, &[])), [15, 0, 0, 0, 5, 2, 0, 22]);
        assert_eq!(parts(score(2, &groups, &[])), [0; 8]);
    }

    #[test]
    fn a_fix_is_concrete_if_it_names_code_of_more_than_one_token() {
        for (fix, concrete) in [
            ("use `try_into()`", true),
            ("replace with `n as u64`", true),
            ("```rust\nlet n = x;\n```", true),
            ("set `a.b`", true),
            ("write `x += 1`, then test", true),
            ("current = next(selfiter, None); if current is None: return False", true),
            ("return early when len(items) == 0", true),
            ("call retry(attempts, delay) instead", true),
            ("call `lock` first", false),
            ("check the file(s) (all of them)", false),
            ("add a test for it in try_into()", false),
            ("see `src/db/pool.rs`", false),
            ("see `lib/other-file.rs`", false),
            ("`...`", false),
            ("`()`", false),
            ("` `", false),
            ("``", false),
            ("an open `span of code", false),
            ("", false),
        ] {
            let points = score(0, &[fixed(Severity::P2, fix)], &[]).concrete_fixes;
            assert_eq!(points == 5, concrete, "{fix}");
        }
    }

    #[test]
    fn clarity_is_for_what_was_said() {
        let full = finding(Severity::P1, "a.rs", Some(1), "t");
        let bare = Finding { fix: " ".to_owned(), ..full.clone() };
        let said = |findings: &[&Finding], risk: &str, question: &str| ReviewBlock {
            findings: findings.iter().map(|one| (*one).clone()).collect(),
            residual_risks: vec![risk.to_owned()],
            open_questions: vec![question.to_owned()],
        };
        for (reviews, points) in [
            (vec![], 0),
            (vec![said(&[], "", "")], 0),
            (vec![said(&[], "r", "")], 2),
            (vec![said(&[], " ", "q")], 2),
            (vec![said(&[&bare], "", "")], 3),
            (vec![said(&[&full], "", "")], 6),
            (vec![said(&[&full, &bare], "", "")], 3),
            (vec![said(&[&full], "", ""), said(&[&bare], "r", "q")], 7),
            (vec![said(&[&full], "r", "q")], 10),
        ] {
            let reviews: Vec<&ReviewBlock> = reviews.iter().collect();
            let score = score(0, &[], &reviews);
            assert_eq!((score.clarity, score.total), (points, points), "{reviews:?}");
        }
    }

    #[test]
    fn the_winner_has_most_points_then_most_confirmed_then_the_first_seat() {
        let of = |total| ScoreBreakdown { total, ..ScoreBreakdown::default() };
        let groups = [
            group("F1", Severity::P2, &[(2, "blue")], &[(0, "red", Stance::Agree)]),
            group("F2", Severity::P2, &[(1, "red")], &[]),
        ];
        assert_eq!(ranking(&[(0, of(5)), (1, of(9))], &groups), [1, 0]);
        assert_eq!(ranking(&[(0, of(5)), (1, of(5)), (2, of(5))], &groups), [2, 0, 1]);
        assert_eq!(ranking(&[(2, of(-4)), (0, of(-4))], &[]), [0, 2]);
        // A seat that failed has no score, and is not ranked.
        assert_eq!(ranking(&[], &groups), [0_usize; 0]);
    }

    /// Any group that seat 0 may have written: severity, stance of seat 1, location, fix.
    fn any_group() -> impl Strategy<Value = Group> {
        let places = [Location::Located, Location::Mislocated, Location::Outside];
        (0_usize..3, 0_usize..4, 0_usize..3, any::<bool>()).prop_map(
            move |(severity, stance, place, fix)| {
                let judged = Stance::ALL.get(stance).map(|stance| (1, "blue", *stance));
                let judged: Vec<_> = judged.into_iter().collect();
                let mut group = group("F1", Severity::ALL[severity], &[(0, "red")], &judged);
                if !fix {
                    "look".clone_into(&mut group.members[0].placed.finding.fix);
                }
                at(group, places[place])
            },
        )
    }

    proptest! {
        #[test]
        fn it_stays_within_its_range_and_one_more_good_finding_never_lowers_it(
            groups in prop::collection::vec(any_group(), 0..20),
            severity in 0_usize..3, complete in any::<bool>(), risks in any::<bool>(),
        ) {
            let full = finding(Severity::ALL[severity], "a.rs", Some(1), "t");
            let mut said = ReviewBlock::default();
            if risks {
                said.residual_risks.push("r".to_owned());
            }
            for _ in &groups {
                let fix = if complete { "`a.b()`" } else { "" };
                said.findings.push(Finding { fix: fix.to_owned(), ..full.clone() });
            }
            let before = score(0, &groups, &[&said]).total;
            prop_assert!((-30..=134).contains(&before));
            let mut more = groups.clone();
            more.push(group("F99", Severity::ALL[severity], &[(0, "red")], &[AGREE]));
            said.findings.push(full);
            prop_assert!(score(0, &more, &[&said]).total >= before);
        }
    }
}
