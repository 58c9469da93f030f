//! Tests of a review's document.

use super::*;
use crate::change::Omission;
use crate::report::Look;
use crate::report::example::is_inert;
use crate::report::page::ToPage as _;

#[test]
fn nothing_to_review_names_what_was_left_out_as_text() {
    let mut change = example::input().change;
    let path = "a\u{1b}[31m\n::error::![x](https://evil.example).lock";
    let part = NotReviewed {
        path: path.into(),
        why: Omission::Excluded,
        detail: "so".into(),
        missed: false,
    };
    change.not_reviewed = vec![part.clone(), part];
    let nothing = NothingToReview::new(change);
    let sentence = "Nothing to review (working tree against HEAD): not read: a";
    assert!(nothing.sentence().starts_with(sentence), "{}", nothing.sentence());
    assert!(!nothing.markdown().contains("![x]"));
    for text in [nothing.render(Look::plain(120)), nothing.markdown()] {
        assert!(is_inert(&text) && text.contains(sentence), "{text:?}");
        // Parts with one reason are one line.
        assert_eq!(text.matches("Not read: a").count(), 1, "{text}");
    }
}

#[test]
fn a_failed_seat_is_no_quorum_and_the_session_stays_open() {
    let document = example::undecided();
    let quorum = document.header.quorum;
    assert_eq!((quorum.needed, quorum.answered, quorum.vendors), (2, 1, 1));
    assert!(document.header.suspended() && !document.decided());
    assert!(document.header.completed_at.is_none());
}

#[test]
fn a_line_is_marked_only_where_the_new_file_has_it() {
    use Distance::{Context, Exact, Removed};
    use Location::{Located, Mislocated, Outside};
    let place = |location, nearness, line| {
        let mut reported = example::reported("F1", Severity::P0, "t");
        (reported.location, reported.nearness, reported.finding.line) = (location, nearness, line);
        file_line(&reported)
    };
    for (location, nearness, line, expected) in [
        (Located, Some(Exact), Some(4), Some(4)),
        (Located, Some(Context), Some(4), Some(4)),
        (Located, None, Some(4), Some(4)),
        (Located, Some(Removed), Some(4), None),
        (Mislocated, None, Some(4), None),
        (Outside, None, Some(4), None),
        (Located, Some(Exact), None, None),
        (Located, Some(Exact), Some(0), None),
    ] {
        assert_eq!(place(location, nearness, line), expected, "{location:?} {nearness:?}");
    }
}

#[test]
fn a_warning_of_both_sources_stands_once() {
    let document = example::changes_requested();
    let warning = document.header.warnings[0].clone();
    let outcome_warnings = document.header.warnings.len();
    let mut outcome = example::outcome(Verdict::Clean, Verdict::Clean);
    outcome.warnings = vec![warning.clone()];
    let about = SessionFacts { warnings: vec![warning], ..SessionFacts::default() };
    let again =
        ReviewDocument::new(example::input(), outcome, &example::stamp(), Vec::new(), about);
    assert_eq!(again.header.warnings.len(), outcome_warnings);
}

#[test]
fn a_verdict_that_the_page_does_not_know_is_no_approval() {
    let headline = example::clean().data().with("verdict", "approved").sentence("review/headline");
    assert!(format!("{headline:?}").contains("UNDECIDED"), "{headline:?}");
}
