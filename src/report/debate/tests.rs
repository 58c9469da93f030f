//! Tests of the document against the contract, and of the forms for people.

use super::example::{document, documents, ended, outcomes};
use super::*;
use crate::kernel::{Ended, Halt, SeatStatus};
use crate::protocol::debate::outcome::Dissent;
use crate::report::Look;
use crate::report::page::ToPage as _;

#[test]
fn every_ending_has_an_example() {
    let shown: BTreeSet<&str> =
        (outcomes().iter()).map(|(_, outcome)| outcome.outcome.name()).collect();
    let words = DebateOutcome::ALL.map(DebateOutcome::name).into_iter();
    let all: BTreeSet<&str> = words.chain(Halt::ALL.map(Halt::name)).collect();
    assert_eq!(shown, all);
}

/// Written by hand from `docs/exit-codes.md`: outcome, verdict, status, beginning of the first line.
const ENDINGS: &str = r#"
adopted | consensus | consensus_reached | ADOPTED: consensus 87.5% (85% needed) after round 2.
expert | ruled | deadlocked | RULED by the expert codex (openai). Without the ruling: consensus 50%
partial | partial | deadlocked | PARTIAL: consensus 75% (85% needed) after round 3. Not adopted
agreed (one vendor) | agreed (one vendor) | deadlocked | one vendor: AGREED: consensus 87.5% (85% needed) after round 2. No second vendor checked it: a person decides.
deadlocked | no_consensus | deadlocked | DEADLOCKED: consensus 50% (85% needed) after round 2; the expert codex (openai) gave no ruling.
consensus_reached | consensus | consensus_reached | CONSENSUS (conditional approval, 1 condition): agreement 87.5% (80% needed) after round 1.
settled | consensus | consensus_reached | SETTLED: "Answer number 1" (answer B) has the votes of 3 of 4 seats, 3 vendors.
judged | ruled | deadlocked | RULED by the judge vibe (mistral): "Answer number 1" (answer B), the same choice in both orders.
unstable | no_consensus | deadlocked | UNSTABLE: the ruling of the judge vibe (mistral) depends on the order
split | no_consensus | deadlocked | SPLIT: 2 answers have the votes of 2 of 4 seats each; nobody judged.
failed | undecided | failed | UNDECIDED: agents failed; 1 of 2 participants answered (2 needed), from 1 vendor.
budget | undecided | terminated | UNDECIDED: the budget does not cover the next call.
interrupted | undecided | in_progress | UNDECIDED: interrupted.
running | undecided | in_progress | RUNNING: nothing is decided yet
terminated | undecided | terminated | TERMINATED: a person ended it
"#;

#[test]
fn an_outcome_s_verdict_status_and_first_line_are_those_of_the_contract() {
    let rows = ENDINGS.trim().lines();
    let rows: Vec<Vec<&str>> = rows.map(|row| row.split(" | ").collect()).collect();
    let all = DebateOutcome::ALL.map(Ended::from).into_iter().chain(Halt::ALL.map(Ended::from));
    assert_eq!(rows.len(), all.clone().count());
    for (row, outcome) in rows.iter().zip(all) {
        let document = ended(outcome);
        let value = serde_json::to_value(&document).unwrap();
        let said = ["outcome", "verdict", "status"].map(|field| value[field].as_str().unwrap());
        assert_eq!(said, row[..3]);
        let headline = document.headline();
        assert!(headline.starts_with(row[3]), "{headline}");
        // An undecided debate stays open, so that a resume asks the failed turns again.
        let open = row[1] == "undecided";
        let suspended = open && !["running", "terminated"].contains(&row[0]);
        assert_eq!(document.header.suspended(), suspended, "{outcome:?}");
        assert_eq!(value["completed_at"].is_null(), open, "{outcome:?}");
    }
}

/// `sessions terminate` closes a session that would otherwise be open.
#[test]
fn what_a_person_terminated_cannot_be_resumed_and_decides_nothing() {
    let document = ended(Halt::Terminated);
    assert!(!document.header.suspended());
    let text = document.render(Look::plain(80));
    assert!(!text.contains("finished answers are not paid for again"), "{text}");
    assert!(text.contains("--from-round 2"), "{text}");
    assert!(text.starts_with("TERMINATED: "), "{text}");
}

/// An expert's answer does not replace that of a failed participant.
#[test]
fn who_rules_never_counts_for_the_quorum() {
    let mut outcome = outcomes().swap_remove(1).1;
    assert_eq!(outcome.outcome, DebateOutcome::Expert);
    outcome.seats[1].status = SeatStatus::Failed;
    let quorum = document("dialogue", &outcome).header.quorum;
    assert_eq!((quorum.needed, quorum.answered), (2, 1));
    outcome.seats[0].status = SeatStatus::FellBack;
    let quorum = document("dialogue", &outcome).header.quorum;
    assert_eq!((quorum.needed, quorum.answered), (2, 1));
}

/// The unforgivable bug: a failure that reads as a success.
#[test]
fn what_is_not_decided_never_reads_as_decided() {
    for (name, document) in documents() {
        let decided = match document.header.verdict {
            Verdict::Consensus | Verdict::Ruled => true,
            Verdict::Partial | Verdict::OneVendor | Verdict::NoConsensus | Verdict::Undecided => {
                false
            }
        };
        let (text, record) = (document.render(Look::plain(80)), document.markdown());
        for word in ["ADOPTED", "CONSENSUS:", "SETTLED", "RULED"] {
            for page in [&text, &record] {
                assert!(decided || !page.contains(word), "{name}: {word} in\n{page}");
            }
        }
        assert_eq!(text.contains("\nDecision ("), decided, "{name}\n{text}");
        let undecided = document.header.verdict == Verdict::Undecided;
        assert_eq!(record.contains("Status: undecided"), undecided, "{name}");
        let head = ["UNDECIDED", "RUNNING", "TERMINATED"].map(|word| text.starts_with(word));
        assert_eq!(head.contains(&true), undecided, "{name}");
    }
}

#[test]
fn an_outcome_that_the_page_does_not_know_is_no_decision() {
    for (name, document) in documents() {
        let data = document.data().with("halt", "").with("outcome", "approved");
        let headline = data.sentence("debate/headline");
        assert!(format!("{headline:?}").contains("UNDECIDED"), "{name}: {headline:?}");
    }
}

/// Holds even if a machine returns a decision with an outcome that decides nothing.
#[test]
fn a_position_without_a_verdict_is_not_shown_as_the_decision() {
    let mut document = ended(DebateOutcome::Adopted);
    for outcome in DebateOutcome::ALL {
        document.header.outcome = outcome.into();
        document.header.verdict = outcome.verdict();
        let (text, record) = (document.render(Look::plain(80)), document.markdown());
        let shown = match outcome.verdict() {
            Verdict::Consensus | Verdict::Ruled => "Decision (by the reviewer)",
            Verdict::Partial | Verdict::OneVendor => "Proposed, not decided (by the reviewer)",
            Verdict::NoConsensus | Verdict::Undecided => {
                "Last on the table, not decided (by the reviewer)"
            }
        };
        assert!(text.contains(shown), "{outcome:?}\n{text}");
        let refused = record.contains("Nothing was decided. What was last on the table:");
        let without = matches!(outcome.verdict(), Verdict::NoConsensus | Verdict::Undecided);
        assert_eq!(refused, without, "{outcome:?}");
    }
}

#[test]
fn dissent_has_its_section_in_every_record_and_every_disagreement_its_line() {
    for (name, mut document) in documents() {
        let record = document.markdown();
        assert_eq!(record.matches("\n## Dissent\n").count(), 1, "{name}");
        document.result.dissent = vec![Dissent {
            seat: "s9".into(),
            agent: "loner".into(),
            about: "P7".into(),
            reason: "It is wrong all the same.".into(),
        }];
        for page in [document.markdown(), document.render(Look::plain(80))] {
            assert!(page.contains("loner"), "{name}");
            assert!(page.contains("It is wrong all the same."), "{name}");
        }
    }
}

#[test]
fn a_rehearsal_says_so_first_and_offers_no_log() {
    for (name, mut document) in documents() {
        document.header.rehearsal = true;
        let text = document.render(Look::plain(80));
        assert!(text.starts_with("REHEARSAL: no model was asked\n"), "{name}");
        assert!(!text.contains("decisions add 0199"), "{name}\n{text}");
        let record = document.markdown();
        let third = record.lines().nth(2).unwrap();
        assert!(third.contains("REHEARSAL"), "{name}\n{record}");
        assert!(record.contains("- Status: rehearsed: nothing is decided\n"), "{name}");
    }
}
