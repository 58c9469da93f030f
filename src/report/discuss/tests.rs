//! Tests of the document against the contract, and of the look of the forms for people.

use super::example::{ONE_VENDOR_SAYS, document, documents, high, low, medium, undecided};
use super::*;
use crate::kernel::{SeatStatus, Stop};
use crate::report::Look;
use crate::report::page::ToPage as _;
use crate::report::session_result::SessionDocument as _;

mod hostile;

fn example(name: &str) -> DiscussDocument {
    let mut all = documents().into_iter();
    all.find(|(known, _)| *known == name).unwrap().1
}

/// Written by hand from `docs/discuss.md`: name, outcome, verdict, severity, recommendation, first line.
const ENDINGS: &str = "
nothing_raised | consensus_reached | consensus_reached | none | proceed | CONSENSUS REACHED (nothing was raised): DISCUSS-002, mean rating 5.00 of 5; 2 of 2 perspectives answered, from 2 vendors.
low | consensus_reached | consensus_reached | low | proceed | CONSENSUS REACHED (low): DISCUSS-002, mean rating 4.25 of 5; 4 of 4 perspectives answered, from 3 vendors.
medium | consensus_blocked | consensus_blocked | medium | proceed-with-caution | one vendor: BLOCKED (medium): DISCUSS-002, mean rating 3.33 of 5; 3 of 3 perspectives answered, from 1 vendor.
high | consensus_blocked | consensus_blocked | high | revise | BLOCKED (high): DISCUSS-002, mean rating 2.40 of 5; 5 of 5 perspectives answered, from 3 vendors.
sign_off | consensus_blocked | consensus_blocked | high | escalate | BLOCKED (high): DISCUSS-002, mean rating 2.40 of 5; 5 of 5 perspectives answered, from 3 vendors.
undecided | undecided | undecided | null | null | UNDECIDED: 2 of 5 perspectives answered, 3 are needed (DISCUSS-002).
budget | budget | undecided | null | null | UNDECIDED: the budget does not cover the next call; 2 of 5 perspectives answered (DISCUSS-002).
interrupted | interrupted | undecided | null | null | UNDECIDED: interrupted; 2 of 5 perspectives answered (DISCUSS-002).
nobody | undecided | undecided | null | null | UNDECIDED: no perspective answered, 2 are needed (DISCUSS-002).
rehearsal | consensus_reached | consensus_reached | low | proceed | CONSENSUS REACHED (low): DISCUSS-002, mean rating 4.25 of 5; 4 of 4 perspectives answered, from 3 vendors.
";

#[test]
fn what_is_decided_and_the_first_line_are_those_of_the_specification() {
    let rows: Vec<Vec<&str>> =
        (ENDINGS.trim().lines()).map(|row| row.split(" | ").collect()).collect();
    let documents = documents();
    assert_eq!(rows.len(), documents.len());
    for (row, (name, document)) in rows.iter().zip(documents) {
        assert_eq!(row[0], name);
        let value = serde_json::to_value(&document).unwrap();
        let fields = ["outcome", "verdict", "severity", "recommendation"];
        for (field, wanted) in fields.into_iter().zip(&row[1..]) {
            let is = value[field].as_str().unwrap_or("null");
            assert_eq!(is, *wanted, "{name}: {field}");
        }
        assert!(document.headline().starts_with(row[5]), "{name}");
        // An undecided critique stays open, so that a resume asks the failed perspectives again.
        let open = row[2] == "undecided";
        assert_eq!(document.header.suspended(), open, "{name}");
        assert_eq!(value["completed_at"].is_null(), open, "{name}");
        // The round of a stopped step is not complete.
        let complete = u64::from(!["budget", "interrupted"].contains(&row[1]));
        assert_eq!(value["rounds_used"], complete, "{name}");
    }
}

/// The unforgivable bug: a failure that reads as a success.
#[test]
fn what_is_undecided_never_reads_as_decided_even_if_a_machine_hands_a_severity_over() {
    for cut in [None, Some(Stop::Budget), Some(Stop::Cancelled(2))] {
        let (undecided, task) = undecided(cut);
        let outcome = undecided.outcome;
        let mut from = low().0;
        (from.outcome, from.verdict) = (outcome, Verdict::Undecided);
        from.result.recommendation = Some(Recommendation::Proceed);
        let wrong = document(&from, &task, false);
        assert_eq!((wrong.result.severity, wrong.result.recommendation), (None, None));
        assert_eq!(wrong.message, None);
        for document in [wrong, document(&undecided, &task, false)] {
            for page in [document.render(Look::plain(80)), document.markdown()] {
                for word in ["REACHED", "reached", "BLOCKED", "Recommendation", "severity"] {
                    assert!(!page.contains(word), "{outcome:?}: {word} in\n{page}");
                }
                assert!(page.contains("UNDECIDED"), "{page}");
                assert!(page.contains("Nothing was decided"), "{page}");
                assert!(page.contains("not a verdict"), "{page}");
            }
            let text = document.render(Look::plain(80));
            assert!(text.contains("debate-agent sessions resume 0199a3c2-7f11"), "{text}");
        }
    }
}

#[test]
fn a_perspective_that_failed_or_was_skipped_has_no_rating_and_is_named() {
    let (outcome, task) = undecided(None);
    let blank = document(&outcome, &task, false);
    let text = blank.render(Look::plain(80));
    let row = |name: &str| {
        let mut rows = text.lines().filter(|line| line.starts_with(name));
        let words: Vec<&str> = rows.next().unwrap().split_whitespace().collect();
        words.join(" ")
    };
    assert_eq!(row("product"), "product - - FAILED: gemini (google)");
    assert_eq!(row("technical"), "technical 5/5 - codex (openai)");
    let record = blank.markdown();
    assert!(record.contains("| risk | - | - | FAILED: gemini (google) |"), "{record}");
    assert!(record.contains("FAILED: CRITIQUE: the block is missing"), "{record}");
    assert!(record.contains("One that failed is left out of the mean"), "{record}");
    let (outcome, task) = low();
    let skipped = document(&outcome, &task, false);
    assert_eq!(skipped.asked, ["product", "technical", "quality", "risk"]);
    assert!(skipped.markdown().contains("| coverage | - | - | not asked |"));
    let quorum = skipped.header.quorum;
    assert_eq!((quorum.needed, quorum.answered, quorum.vendors), (3, 4, 3));
    // A seat marked as answered but without an answer does not count.
    let (mut outcome, task) = undecided(None);
    outcome.seats[0].status = SeatStatus::Answered;
    let text = document(&outcome, &task, false).render(Look::plain(80));
    assert!(text.contains("FAILED: gemini (google)"), "{text}");
}

#[test]
fn who_answered_for_whom_stands_on_every_page() {
    let (outcome, task) = high(false);
    let document = document(&outcome, &task, false);
    for page in [document.render(Look::plain(100)), document.markdown()] {
        assert!(page.contains("opus (anthropic) for gemini"), "{page}");
        assert!(page.contains("fell back to opus"), "{page}");
        assert!(page.contains("gemini says: quota"), "{page}");
    }
}

#[test]
fn one_vendor_s_voice_is_told_at_the_top() {
    let (outcome, task) = medium();
    let document = document(&outcome, &task, false);
    let wanted = ONE_VENDOR_SAYS;
    let text = document.render(Look::plain(120));
    assert_eq!(text.lines().nth(1).unwrap(), format!("WARNING: {wanted}"));
    assert_eq!(text.matches(wanted).count(), 1, "{text}");
    let record = document.markdown();
    let top = record.split("\n- ").next().unwrap();
    assert!(top.contains(&format!("**WARNING:** {wanted}")), "{record}");
    assert!(record.contains("- one\\_vendor: "), "{record}");
    // The warning does not appear in every record.
    assert!(!example("high").markdown().contains("WARNING"));
}

#[test]
fn a_rehearsal_says_so_first_everywhere() {
    let (outcome, task) = high(false);
    let document = document(&outcome, &task, true);
    let text = document.render(Look::plain(80));
    assert!(text.starts_with("REHEARSAL: no model was asked\n"), "{text}");
    let record = document.markdown();
    assert!(record.lines().nth(2).unwrap().contains("REHEARSAL"), "{record}");
    assert!(record.contains("**Consensus**: rehearsed: nothing is decided\n"), "{record}");
    let message = document.message.unwrap();
    let first = message.lines().next().unwrap();
    assert_eq!(
        first,
        "[writer] DRAFT-001 complete. Discuss DISCUSS-002: consensus_blocked (severity=HIGH) [rehearsal: no model was asked]"
    );
}

#[test]
fn an_outcome_that_the_page_does_not_know_is_no_approval() {
    let data = example("low").data().with("outcome", "approved");
    let headline = data.sentence("discuss/headline");
    assert!(format!("{headline:?}").contains("UNDECIDED"), "{headline:?}");
}

/// In a trial, what one had written stood on the screen as what two had said.
#[test]
fn a_text_is_its_author_s_and_what_others_wrote_stands_below_it() {
    let (outcome, task) = low();
    let document = document(&outcome, &task, false);
    let own = "Say how 'one shop for bicycle parts' is measured.";
    let other = "Name the measure of 'one shop for bicycle parts'.";
    for page in [document.render(Look::plain(100)), document.markdown()] {
        let mut lines = page.lines().map(str::trim).skip_while(|line| !line.contains("1. Say how"));
        assert_eq!(lines.next(), Some(&*format!("1. {own} (low; product; also quality)")));
        let below = format!("quality, suggestion: {other}");
        assert!(lines.take(3).any(|line| line.ends_with(&below)), "{page}");
    }
    let item = &serde_json::to_value(document.compact()).unwrap()["items"][0];
    assert_eq!(item["detail"], format!("Asked for by: product; also quality. quality: {other}"));
}
