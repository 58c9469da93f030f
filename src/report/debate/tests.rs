//! Tests of the document against its schema and the contract, and of the forms for people.

use serde_json::json;
use unicode_width::UnicodeWidthStr;

use super::example::{document, documents, ended, outcomes};
use super::*;
use crate::kernel::SeatStatus;
use crate::protocol::debate::model::Support;
use crate::report::Look;
use crate::report::document::to_json;
use crate::report::page::ToPage as _;
use crate::schemas::schema;

#[test]
fn every_ending_has_an_example() {
    let shown: BTreeSet<&str> =
        (outcomes().iter()).map(|(_, outcome)| outcome.outcome.name()).collect();
    let all: BTreeSet<&str> = DebateOutcome::ALL.map(DebateOutcome::name).into();
    assert_eq!(shown, all);
}

#[test]
fn examples_hold_against_their_schema_and_read_back() {
    let schema = schema("debate").unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    for (name, document) in documents() {
        let value = serde_json::to_value(&document).unwrap();
        let errors: Vec<String> =
            (validator.iter_errors(&value)).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{name}: {errors:?}");
        // The row `debate` of `docs/json-and-events.md`, and the fields of every document.
        for field in [
            "session_id",
            "protocol",
            "outcome",
            "verdict",
            "seats",
            "quorum",
            "rehearsal",
            "cost",
            "rounds_used",
            "warnings",
            "skills",
            "started_at",
            "completed_at",
            "schema_version",
            "topic",
            "style",
            "status",
            "consensus",
            "rounds",
            "final_positions",
            "decision",
            "open_points",
            "dissent",
            "code_change_required",
        ] {
            assert!(value.get(field).is_some(), "{name}: {field}");
        }
        let check =
            value["rounds"].as_array().unwrap().iter().find_map(|round| round.get("consensus"));
        for field in ["decisive", "stance_score", "text_score", "basis"] {
            assert!(check.is_none_or(|check| check.get(field).is_some()), "{name}");
        }
        let text = to_json(&document).unwrap();
        let back: DebateDocument = serde_json::from_str(&text).unwrap();
        assert_eq!(back, document, "{name}");
        for (field, wrong) in
            [("verdict", json!("surely")), ("consensus", json!("85%")), ("rounds", json!(3))]
        {
            let mut other = value.clone();
            other[field] = wrong;
            assert!(!validator.is_valid(&other), "{name}: {field}");
        }
    }
}

/// Written by hand from `docs/exit-codes.md`: outcome, verdict, status, beginning of the first line.
const ENDINGS: &str = r#"
adopted | consensus | consensus_reached | ADOPTED: consensus 91% (85% needed) after round 2.
expert | ruled | deadlocked | RULED by the expert codex (openai). Without the ruling: consensus 46%
partial | partial | deadlocked | PARTIAL: consensus 78% (85% needed) after round 2. Not adopted
deadlocked | no_consensus | deadlocked | DEADLOCKED: consensus 46% (85% needed) after round 2; the expert codex (openai) gave no ruling.
consensus_reached | consensus | consensus_reached | CONSENSUS (conditional approval, 1 condition): agreement 84% (80% needed) after round 1.
settled | consensus | consensus_reached | SETTLED: "Answer A: gRPC" (answer A) has the votes of 4 of 4 seats, 2 vendors.
judged | ruled | deadlocked | RULED by the judge extra (other): "Answer A: gRPC" (answer A), the same choice in both orders.
unstable | no_consensus | deadlocked | UNSTABLE: the ruling of the judge extra (other) depends on the order
split | no_consensus | deadlocked | SPLIT: 2 answers have the votes of 2 of 4 seats each; nobody judged.
failed | undecided | failed | UNDECIDED: agents failed; 1 of 2 participants answered (2 needed), from 1 vendor.
terminated | undecided | terminated | UNDECIDED: the budget does not cover the next call.
interrupted | undecided | in_progress | UNDECIDED: interrupted.
running | undecided | in_progress | RUNNING: nothing is decided yet
"#;

#[test]
fn an_outcome_s_verdict_status_and_first_line_are_those_of_the_contract() {
    let rows = ENDINGS.trim().lines();
    let rows: Vec<Vec<&str>> = rows.map(|row| row.split(" | ").collect()).collect();
    assert_eq!(rows.len(), DebateOutcome::ALL.len());
    for (row, outcome) in rows.iter().zip(DebateOutcome::ALL) {
        let document = ended(outcome);
        let value = serde_json::to_value(&document).unwrap();
        let said = ["outcome", "verdict", "status"].map(|field| value[field].as_str().unwrap());
        assert_eq!(said, row[..3]);
        let headline = document.headline();
        assert!(headline.starts_with(row[3]), "{headline}");
        // An undecided debate stays open, so that a resume asks the failed turns again.
        let open = row[1] == "undecided";
        let suspended = open && outcome != DebateOutcome::Running;
        assert_eq!(document.suspended(), suspended, "{outcome:?}");
        assert_eq!(value["completed_at"].is_null(), open, "{outcome:?}");
    }
}

/// `sessions terminate` closes a session that would otherwise be open.
#[test]
fn what_a_person_terminated_cannot_be_resumed_and_decides_nothing() {
    let mut document = ended(DebateOutcome::Terminated);
    assert!(document.suspended(), "stopped by its budget");
    document.header.stopped_by = None;
    assert!(!document.suspended());
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

/// A panel whose answers all take one option is named by it, and nothing in it is called a vote.
#[test]
fn an_option_that_all_take_is_what_was_decided() {
    let mut outcome = outcomes()
        .into_iter()
        .map(|(_, outcome)| outcome)
        .find(|outcome| outcome.outcome == DebateOutcome::Settled)
        .unwrap();
    outcome.first_votes.clear();
    outcome.last_votes.clear();
    outcome.rounds[0].votes.clear();
    outcome.choices.truncate(1);
    let choice = &mut outcome.choices[0];
    choice.option = Some("gRPC".to_owned());
    choice.votes = 2;
    for said in &mut choice.said {
        said.option = Some("gRPC".to_owned());
    }
    choice.said[1].with = Some("A proxy for browsers.".to_owned());
    outcome.decision.as_mut().unwrap().amendments = vec!["s4: A proxy for browsers.".to_owned()];
    let document = document("panel", &outcome);
    assert_eq!(
        document.headline(),
        "SETTLED: \"gRPC\" is the answer of 2 of 4 seats, 2 vendors, without a vote."
    );
    let page = document.markdown();
    for part in [
        "A by s1, s4 (2 seats, 2 vendors, treated as one: A, D): \"gRPC\": Answer A: gRPC.",
        "All answers take the same option; no vote was held.",
        "s4: A proxy for browsers.",
        "Option: gRPC",
        "With: A proxy for browsers.",
    ] {
        assert!(page.replace("**", "").contains(part), "{part}: {page}");
    }
    assert!(document.alternatives().contains(&"Given as an option: REST".to_owned()));
    assert!(!document.alternatives().contains(&"Given as an option: gRPC".to_owned()));
    let value = serde_json::to_value(&document).unwrap();
    assert_eq!(value["choices"][0]["option"], "gRPC");
    assert_eq!(value["choices"][0]["said"][1]["with"], "A proxy for browsers.");
}

#[test]
fn positions_are_named_by_agent_and_by_seat_where_an_agent_holds_two() {
    let names = |document: &DebateDocument| -> Vec<String> {
        document.final_positions.keys().cloned().collect()
    };
    assert_eq!(names(&ended(DebateOutcome::Adopted)), ["claude", "gemini"]);
    let settled = ended(DebateOutcome::Settled);
    assert_eq!(names(&settled), ["claude/s1", "claude/s4", "codex", "gemini"]);
    assert_eq!(settled.final_positions["claude/s4"].last.text, "The answer of s4.");
}

#[test]
fn each_ending_for_people() {
    for (name, document) in documents() {
        let text = document.render(Look::plain(80));
        assert!(text.lines().all(|line| line.width() <= 80), "{text}");
        insta::assert_snapshot!(format!("{name}_text"), text);
        insta::assert_snapshot!(format!("{name}_md"), document.markdown());
    }
}

/// A narrow and a wide terminal.
#[test]
fn each_style_at_two_more_widths() {
    for outcome in [DebateOutcome::Partial, DebateOutcome::ConsensusReached, DebateOutcome::Judged]
    {
        let document = ended(outcome);
        for width in [40, 120] {
            let text = document.render(Look::plain(width));
            insta::assert_snapshot!(format!("{}_text_{width}", document.style), text);
        }
    }
}

/// The unforgivable bug: a failure that reads as a success.
#[test]
fn what_is_not_decided_never_reads_as_decided() {
    for (name, document) in documents() {
        let decided = match document.header.verdict {
            Verdict::Consensus | Verdict::Ruled => true,
            Verdict::Partial | Verdict::NoConsensus | Verdict::Undecided => false,
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
        let head = ["UNDECIDED", "RUNNING"].map(|word| text.starts_with(word));
        assert_eq!(head.contains(&true), undecided, "{name}");
    }
}

/// Holds even if a machine returns a decision with an outcome that decides nothing.
#[test]
fn a_position_without_a_verdict_is_not_shown_as_the_decision() {
    let mut document = ended(DebateOutcome::Adopted);
    for outcome in DebateOutcome::ALL {
        document.header.outcome = outcome;
        document.header.verdict = outcome.verdict();
        let (text, record) = (document.render(Look::plain(80)), document.markdown());
        let shown = match outcome.verdict() {
            Verdict::Consensus | Verdict::Ruled => "Decision (by the reviewer)",
            Verdict::Partial => "Proposed, not decided (by the reviewer)",
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
        document.dissent = vec![Dissent {
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

/// Points of all positions are called P1, P2, ...: a stance on the draft is not a stance on a side's own position.
#[test]
fn stances_on_a_joint_draft_stand_beside_the_draft_alone() {
    let mut document = ended(DebateOutcome::Adopted);
    let mut third = document.rounds[0].clone();
    third.round = 3;
    let draft = third.positions["reviewer"].clone();
    third.positions.insert("joint".into(), draft);
    document.rounds.push(third);
    let record = document.markdown();
    let round = record.split("### Round 3").nth(1).unwrap();
    let (draft, rest) = round.split_once("#### Position of proposer").unwrap();
    assert!(draft.contains("#### Joint draft of both sides"), "{record}");
    assert!(draft.contains("| Stance of reviewer |"), "{record}");
    assert!(!rest.contains("Stance of"), "{record}");
    // An unchanged position is not repeated.
    assert!(rest.starts_with("\n\nAs in round 2.\n"), "{record}");
}

#[test]
fn who_debated_one_round_is_sent_back_to_that_one() {
    let mut document = ended(DebateOutcome::Deadlocked);
    let text = document.render(Look::plain(80));
    assert!(text.contains("--from-round 2"), "{text}");
    document.rounds.truncate(1);
    let text = document.render(Look::plain(80));
    assert!(text.contains("--from-round 1"), "{text}");
}

#[test]
fn a_panel_says_what_the_debate_changed_and_what_did_not_count() {
    let text = ended(DebateOutcome::Settled).render(Look::plain(80));
    assert!(text.contains("The debate changed 1 of 4 votes."), "{text}");
    assert!(text.contains("B was not counted: no evidence given"), "{text}");
    let text = ended(DebateOutcome::Split).render(Look::plain(80));
    assert!(text.contains("The debate changed none of 4 votes."), "{text}");
}

#[test]
fn a_consensus_of_texts_alone_says_so_in_its_first_line() {
    let mut outcome = outcomes().swap_remove(0).1;
    outcome.by_text = true;
    let document = document("dialogue", &outcome);
    assert!(document.headline().starts_with("ADOPTED by the similarity of the texts: "));
    assert!(document.markdown().contains("Only the texts decide; at or above 85%"));
}

#[test]
fn a_record_says_what_was_kept_changed_remembered_and_how_well_it_is_supported() {
    let mut outcome = outcomes().swap_remove(0).1;
    let mut position = outcome.decision.as_ref().unwrap().position.clone().unwrap();
    position.points[0].kept_from = Some("proposer".to_owned());
    position.points[1].kept_from = Some("joint".to_owned());
    position.points[1].evidence = vec!["from memory: browsers speak no gRPC".to_owned()];
    position.changes = vec!["REST is back, for browsers.".to_owned()];
    outcome.decision.as_mut().unwrap().position = Some(position.clone());
    outcome.open_points = example::open_points();
    outcome.open_points[0].support = Some(Support::Weak);
    let round = outcome.rounds.last_mut().unwrap();
    let check = round.consensus.clone().unwrap();
    round.checks = ["proposer", "reviewer"].map(|seat| (seat.to_owned(), check.clone())).into();
    round.positions.insert("reviewer".to_owned(), position);
    for said in round.stances.values_mut().flat_map(|said| &mut said.stances) {
        said.support = Some(Support::Sound);
    }
    let mut document = document("dialogue", &outcome);
    document.opening = Some(Opening::Blind);
    let record = document.markdown();
    for shown in [
        "dialogue, adversarial, blind opening",
        "kept from the proposer",
        "kept from the last draft",
        "browsers speak no gRPC (from memory, not looked up)",
        "REST is back, for browsers.",
        "support: weak",
        "agree (support: sound)",
        "2, position of the proposer",
        "2, position of the reviewer",
    ] {
        assert!(record.contains(shown), "{shown}:\n{record}");
    }
    let text = document.render(Look::plain(120));
    for shown in ["kept from the proposer", "REST is back, for browsers.", "support: weak"] {
        assert!(text.contains(shown), "{shown}:\n{text}");
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

/// Returns the headings of a record with their depth, in order.
fn headings(markdown: &str) -> Vec<String> {
    (markdown.lines()).filter(|line| line.starts_with('#')).map(str::to_owned).collect()
}

#[test]
fn a_record_is_markdown_of_headings_tables_lists_and_quotations() {
    use pulldown_cmark::{Event, Options, Parser, Tag};
    for (name, document) in documents() {
        let record = document.markdown();
        let (mut tables, mut titles) = (0, 0);
        for event in Parser::new_ext(&record, Options::all()) {
            tables += usize::from(matches!(event, Event::Start(Tag::Table(_))));
            titles += usize::from(matches!(event, Event::Start(Tag::Heading { .. })));
        }
        // Every table that was written parses as a table, and no line of text has become a heading.
        assert_eq!(tables, record.matches("\n|---|").count(), "{name}\n{record}");
        assert_eq!(titles, headings(&record).len(), "{name}\n{record}");
        assert!(tables > 0, "{name}");
    }
}
