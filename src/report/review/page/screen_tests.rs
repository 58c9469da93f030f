//! Tests of a review on a terminal.

use crate::kernel::{Ended, Halt};
use proptest::prelude::*;

use super::*;
use crate::protocol::review::{Status, Verdict};
use crate::report::Look;
use crate::report::document::TREE_CHANGED;
use crate::report::example::{evil_text, is_inert};
use crate::report::progress::REHEARSAL;
use crate::report::review::example;

fn at(document: &ReviewDocument, width: usize) -> String {
    document.render(Look::plain(width))
}

#[test]
fn only_a_clean_review_is_called_clean() {
    for (name, document) in example::all() {
        let head = document.headline();
        assert_eq!(head.starts_with("CLEAN"), name == "clean", "{head}");
        assert_eq!(document.decided(), !["undecided", "degraded", "budget"].contains(&name));
    }
}

/// Every outcome with every verdict, with and without findings: an undecided review says so first.
#[test]
fn what_decided_nothing_never_begins_like_a_result() {
    let outcomes = Verdict::ALL.map(|verdict| (Ended::from(verdict), None)).into_iter();
    let outcomes = outcomes
        .chain([Halt::Budget, Halt::Interrupted].map(|halt| (halt.into(), Some("UNDECIDED: "))));
    let verdicts = [
        (Verdict::Clean, "CLEAN in "),
        (Verdict::Comments, "COMMENTS: "),
        (Verdict::ChangesRequested, "CHANGES REQUESTED: "),
        (Verdict::Undecided, "UNDECIDED: "),
    ];
    for (outcome, begins) in outcomes {
        for (verdict, otherwise) in verdicts {
            for mut document in [example::clean(), example::changes_requested()] {
                document.header.outcome = outcome;
                document.header.verdict = verdict;
                let head = document.headline();
                let expected = begins.unwrap_or(otherwise);
                // A protocol never returns these, but an outcome with a beginning of its own wins over a verdict.
                assert!(head.starts_with(expected), "{outcome:?} {verdict:?}: {head}");
                let decided = outcome.closes() && verdict != Verdict::Undecided;
                assert_eq!(document.decided(), decided, "{outcome:?} {verdict:?}");
            }
        }
    }
}

#[test]
fn a_changed_tree_is_the_first_thing_that_is_said() {
    let mut document = example::undecided();
    document.header.warnings[0].code = TREE_CHANGED.to_owned();
    let head = document.headline();
    assert!(
        head.starts_with("UNDECIDED: the working tree changed while it was reviewed"),
        "{head}"
    );
}

#[test]
fn a_missing_agent_is_named_beside_requested_changes() {
    let mut document = example::changes_requested();
    document.header.seats[1].status = crate::kernel::SeatStatus::Failed;
    let head = document.headline();
    assert_eq!(
        head,
        "CHANGES REQUESTED: 1 finding at P1 or above (1 P0); 1 more that nobody else could verify; 1 P2; codex did not answer; not read: Cargo.lock (excluded); 2 known and not raised again."
    );
}

#[test]
fn disputed_findings_are_not_counted_as_requested_changes() {
    let mut document = example::changes_requested();
    document.result.findings[0].status = Status::Disputed;
    assert!(document.headline().contains("1 finding at P1 or above that nobody else could verify"));
    assert!(document.headline().contains("1 more is disputed"));
}

#[test]
fn what_is_disputed_in_a_joint_entry_is_said_there_with_what_was_said_of_it() {
    let mut document = example::changes_requested();
    document.result.findings.truncate(1);
    let entry = &mut document.result.findings[0];
    entry.disputed = BTreeMap::from([("F8".to_owned(), Severity::P1)]);
    entry.reported.finding.severity = Severity::P2;
    let refuted = &mut entry.reported.judgements[0];
    (refuted.finding, refuted.stance) =
        ("F8".to_owned(), crate::protocol::review::Stance::Disagree);
    document.header.verdict = Verdict::Comments;
    let head = "COMMENTS: 1 finding, none at P1 or above; 1 finding at P1 or above that only one agent refuted: look at it";
    assert!(document.headline().starts_with(head), "{}", document.headline());
    for text in [at(&document, 200), document.brief(Look::plain(200), 15)] {
        assert!(text.contains("confirmed, but F8 (P1) in it is disputed"), "{text}");
        assert!(text.contains("codex of F8 (disagree): the cast wraps"), "{text}");
    }
    assert!(document.markdown().contains("but F8 (P1) in it is disputed"));
}

#[test]
fn what_is_open_says_why_and_what_is_confirmed_is_not_to_be_dismissed() {
    let document = example::changes_requested();
    let text = at(&document, 200);
    let why = "claude (unsure): the caller may look (it agreed, but quoted no code of the change)";
    assert!(text.contains(why), "{text}");
    let said = text.matches("codex (agree): the cast wraps").count();
    assert_eq!(said, 1, "of the contested one, since a confirmed one stands for itself: {text}");
    assert!(text.contains("severity unconfirmed (claude P1)"), "{text}");
    assert!(text.contains("review dismiss F2 --why"), "{text}");
    let mut document = document;
    document.result.findings.truncate(1);
    assert!(!at(&document, 200).contains("review dismiss"));
}

#[test]
fn a_rehearsal_says_so_before_everything_and_offers_no_dismissal() {
    let mut document = example::changes_requested();
    document.header.rehearsal = true;
    let text = at(&document, 80);
    assert!(text.starts_with(REHEARSAL), "{text}");
    assert!(!text.contains("review dismiss"), "{text}");
}

proptest! {
    #[test]
    fn no_field_brings_a_control_or_a_command(evil in evil_text(), width in 20_usize..140) {
        let text = at(&example::poisoned(&format!("{evil}::error::")), width);
        prop_assert!(is_inert(&text), "{:?}", text);
        prop_assert!(!text.lines().any(|line| line.trim_start().starts_with("::")), "{}", text);
    }
}
