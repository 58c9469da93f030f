//! Tests of [`super`]: every standing against the sentences of the spec, and the paragraphs.

use super::*;
use crate::change::Omission;

const STATUSES: [Status; 4] =
    [Status::Confirmed, Status::Contested, Status::Unverified, Status::Disputed];

fn left(why: Omission) -> NotReviewed {
    NotReviewed {
        path: "x".to_owned(),
        why,
        detail: String::new(),
        missed: matches!(
            why,
            Omission::TooLarge
                | Omission::BeyondBatches
                | Omission::Unreadable
                | Omission::NoQuorum
        ),
    }
}

/// Returns all lists of up to two findings.
fn lists() -> Vec<Vec<(Severity, Status)>> {
    let mut singles = Vec::new();
    for severity in Severity::ALL {
        for status in STATUSES {
            // A P2 is never disputed: it is refuted.
            if (severity, status) != (Severity::P2, Status::Disputed) {
                singles.push((severity, status));
            }
        }
    }
    let mut lists = vec![Vec::new()];
    for one in &singles {
        lists.push(vec![*one]);
        lists.extend(singles.iter().map(|other| vec![*one, *other]));
    }
    lists
}

/// Returns the verdict by the spec's sentences, in their order; the first that applies decides.
fn sentence(standing: &Standing<'_>, by_size_or_failure: bool) -> Verdict {
    let remain = |grave: bool| {
        let mut findings = standing.findings.iter();
        findings.any(|(severity, status)| {
            *status != Status::Disputed && (!grave || *severity != Severity::P2)
        })
    };
    let refuted_by_one = standing.findings.iter().any(|one| one.1 == Status::Disputed);
    let failed = standing.answered < standing.asked;
    if standing.present < 2 || (!remain(false) && (failed || by_size_or_failure)) {
        Verdict::Undecided
    } else if remain(true) {
        Verdict::ChangesRequested
    } else if remain(false) || refuted_by_one {
        Verdict::Comments
    } else {
        Verdict::Clean
    }
}

#[test]
fn every_standing_has_the_verdict_that_the_spec_names() {
    let policy = vec![left(Omission::Binary), left(Omission::Secret), left(Omission::Excluded)];
    let size = vec![left(Omission::Generated), left(Omission::TooLarge)];
    let failure = vec![left(Omission::NoQuorum)];
    let mut seen = 0;
    for findings in &lists() {
        for (not_reviewed, unseen) in
            [(&vec![], false), (&policy, false), (&size, true), (&failure, true)]
        {
            for asked in 2..=3 {
                for present in 0..=asked {
                    for answered in 0..=present {
                        let standing =
                            Standing { asked, answered, present, findings, not_reviewed };
                        let expected = sentence(&standing, unseen);
                        assert_eq!(verdict(&standing), expected, "{standing:?}");
                        let clean = expected == Verdict::Clean;
                        assert!(!clean || (answered == asked && findings.is_empty()));
                        seen += 1;
                    }
                }
            }
        }
    }
    assert_eq!(seen, (1 + 11 + 121) * 4 * (6 + 10));
}
