//! Tests of a review on a terminal.

use proptest::prelude::*;

use super::*;
use crate::protocol::review::Verdict;
use crate::report::Look;
use crate::report::example::{evil_text, is_inert};
use crate::report::progress::REHEARSAL;
use crate::report::review::{TREE_CHANGED, example};

fn at(document: &ReviewDocument, width: usize) -> String {
    document.render(Look::plain(width))
}

#[test]
fn every_ending_at_80_columns() {
    for (name, document) in example::all() {
        insta::assert_snapshot!(format!("{name}_80"), at(&document, 80));
    }
}

#[test]
fn many_findings_at_other_widths() {
    for width in [40, 120] {
        let text = at(&example::changes_requested(), width);
        insta::assert_snapshot!(format!("changes_requested_{width}"), text);
    }
}

/// A terminal makes a place a link only if it is separate from other text.
#[test]
fn a_place_stands_for_itself_in_its_own_tone() {
    let look = Look { colour: true, ..Look::plain(80) };
    let text = example::changes_requested().render(look);
    assert!(text.contains("  \u{1b}[1msrc/pay.rs:42\u{1b}[0m  confirmed\n"), "{text:?}");
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
    use ReviewOutcome as O;
    let outcomes = [
        (O::Clean, None),
        (O::Comments, None),
        (O::ChangesRequested, None),
        (O::Undecided, Some("UNDECIDED: ")),
        (O::Budget, Some("NOT FINISHED: ")),
        (O::Interrupted, Some("NOT FINISHED: ")),
    ];
    let verdicts = [
        (Verdict::Clean, "CLEAN: "),
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
                let decided = begins.is_none() && verdict != Verdict::Undecided;
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
        "CHANGES REQUESTED: 2 findings at P1 or above (1 P0, 1 P1); 1 P2; codex did not answer; 1 left out on purpose; 2 known and not raised again."
    );
}

#[test]
fn a_seat_that_reviewed_and_failed_later_is_no_missing_agent() {
    let mut document = example::changes_requested();
    document.header.seats[1].failure =
        Some("1 of 3 turns failed: timed_out: no answer within 180 s".into());
    let head = document.headline();
    assert_eq!(
        head,
        "CHANGES REQUESTED: 2 findings at P1 or above (1 P0, 1 P1); 1 P2; codex did not answer everything: no answer within 180 s; 1 left out on purpose; 2 known and not raised again."
    );
    let text = at(&document, 140);
    let row =
        "s2: codex (openai), answered; 1 of 3 turns failed: timed_out: no answer within 180 s";
    assert!(text.contains(row), "{text}");
    let quorum = "2 of 2 seats reviewed the change (2 needed), from 2 vendors";
    assert!(text.contains(quorum), "{text}");
}

/// Both agents answered and nothing was left out: then "fewer than two agents" is not the reason.
#[test]
fn an_undecided_review_without_a_gap_names_what_could_not_be_read() {
    let mut document = example::clean();
    document.header.outcome = ReviewOutcome::Undecided;
    document.header.verdict = Verdict::Undecided;
    assert_eq!(
        document.headline(),
        "UNDECIDED: part of what an agent found could not be read; nothing remains, which is not \"clean\"; 1 left out on purpose."
    );
}

#[test]
fn the_same_warning_of_several_turns_is_said_once() {
    let mut document = example::changes_requested();
    let warning = |turn: &str| crate::kernel::Warning {
        code: "model_unknown".into(),
        turn: Some(turn.into()),
        message: "codex: the CLI does not name its model".into(),
    };
    document.header.warnings = ["r1/review/s2", "r2/cross/s2", "validate/s2"].map(warning).into();
    let text = at(&document, 140);
    assert_eq!(text.matches("does not name its model").count(), 1, "{text}");
    assert!(text.contains("does not name its model (3 times)"), "{text}");
    let report = document.markdown();
    assert_eq!(report.matches("does not name its model").count(), 1);
    let turns = "in r1/review/s2, r2/cross/s2, validate/s2: codex";
    assert!(report.replace('\\', "").contains(turns), "{report}");
}

#[test]
fn parts_that_nobody_and_that_too_few_looked_at_are_told_apart() {
    let mut document = example::changes_requested();
    let part =
        |why| NotReviewed { path: "src/a.rs".into(), why, detail: "so".into(), on_purpose: None };
    document.not_reviewed =
        [Omission::NoQuorum, Omission::NoQuorum, Omission::BeyondBatches, Omission::Binary]
            .map(part)
            .into();
    assert_eq!(
        document.headline(),
        "CHANGES REQUESTED: 2 findings at P1 or above (1 P0, 1 P1); 1 P2; 1 part of the change was not \
         reviewed, check yourself: src/a.rs (beyond batches); 2 parts of the change were reviewed by fewer than two \
         agents; 1 left out on purpose; 2 known and not raised again."
    );
}

#[test]
fn disputed_findings_are_not_counted_as_requested_changes() {
    let mut document = example::changes_requested();
    document.findings[0].status = Status::Disputed;
    assert!(document.headline().contains("1 finding at P1 or above (1 P1)"));
}

#[test]
fn a_rehearsal_says_so_before_everything_and_offers_no_dismissal() {
    let mut document = example::changes_requested();
    document.header.rehearsal = true;
    let text = at(&document, 80);
    assert!(text.starts_with(REHEARSAL), "{text}");
    assert!(!text.contains("review dismiss"), "{text}");
}

#[test]
fn long_lists_are_cut_and_say_so() {
    let mut document = example::changes_requested();
    let finding = document.findings[0].clone();
    document.findings = vec![finding; MOST_FINDINGS + 2];
    document.residual_risks = vec!["r".into(); MOST_ENTRIES + 3];
    document.findings[0].reported.fix = "x\n".repeat(FIX_LINES + 4);
    let text = at(&document, 80);
    assert!(text.contains("... and 2 more, in the report"), "{text}");
    assert!(text.contains("... and 3 more, in the report\n"), "{text}");
    assert!(text.contains("... and 4 more lines"), "{text}");
}

#[test]
fn no_line_is_a_command_of_a_workflow() {
    let mut document = example::changes_requested();
    document.findings[0].reported.fix = "a\n::stop-commands::x\n  ::add-mask::y ##[error]z".into();
    let words = format!("{} ::set-output", "w".repeat(70));
    document.findings[0].reported.detail = words;
    let text = at(&document, 80);
    assert!(!text.lines().any(|line| line.trim_start().starts_with("::")), "{text}");
    assert!(!text.contains("##["), "{text}");
    assert!(text.contains(": :stop-commands::x"), "{text}");
}

proptest! {
    #[test]
    fn no_field_brings_a_control_or_a_command(evil in evil_text(), width in 20_usize..140) {
        let text = at(&example::poisoned(&format!("{evil}::error::")), width);
        prop_assert!(is_inert(&text), "{:?}", text);
        prop_assert!(!text.lines().any(|line| line.trim_start().starts_with("::")), "{}", text);
    }
}

#[test]
fn a_clean_result_names_what_was_thrown_out_without_being_settled() {
    let mut document = example::clean();
    let settled = |document: &ReviewDocument| !document.headline().contains("thrown out");
    assert!(settled(&document));
    document.confidence = document.confidence_wanted - 1;
    for (open, said) in [
        (0, None),
        (1, Some("; 1 finding was thrown out without being settled")),
        (3, Some("; 3 findings were thrown out without being settled")),
    ] {
        let last = document.rounds.last_mut().unwrap();
        last.settled = last.groups - open;
        let head = document.headline();
        match said {
            Some(said) => assert!(head.starts_with("CLEAN: ") && head.contains(said), "{head}"),
            None => assert!(settled(&document), "{head}"),
        }
    }
    // By weight, enough of it is settled.
    document.confidence = document.confidence_wanted;
    assert!(settled(&document));
}
