//! Seats and vendors, fallbacks, refused inputs, and warnings.

use super::super::super::testing::*;
use super::super::*;
use super::with;
use crate::kernel::SeatStatus;
use crate::protocol::debate::{Stance, StanceEntry};

#[test]
fn sides_are_kept_apart_and_one_vendor_on_both_is_said() {
    let turns = play(&mut machine(3), "2 ad2 ad r");
    for turn in &turns {
        let apart: &[&str] = match &*turn.role {
            "proposer" => &["reviewer"],
            "reviewer" => &["proposer"],
            _ => &["proposer", "reviewer"],
        };
        assert_eq!(turn.not_vendor_of, apart, "{}", turn.id);
    }
    assert_eq!(turns[3].not_vendors, ["anthropic", "google"]);

    let mut same = input(4);
    same.seats.insert("reviewer".to_owned(), seated("claude-2", "anthropic"));
    let mut machine = Machine::open(same).unwrap();
    let turn = only(&machine).unwrap();
    assert!(turn.not_vendor_of.is_empty() && turn.not_vendors.is_empty());
    play(&mut machine, "1 a");
    let end = done(&machine);
    let codes = end.warnings.iter().map(|each| &*each.code);
    assert_eq!(codes.filter(|code| *code == "same_vendor").count(), 1);
}

#[test]
fn who_steps_in_is_named_and_one_vendor_on_both_sides_is_noticed() {
    let mut machine = machine(4);
    play(&mut machine, "1");
    let turn = only(&machine).unwrap();
    let mut review = judged(&machine, &turn, &said(&turn, "a").unwrap().render());
    review.respondent =
        Respondent { fell_back_from: Some("gemini".to_owned()), ..seated("claude-2", "anthropic") };
    machine.apply(vec![review]);
    let end = done(&machine);
    assert!(end.warnings.iter().any(|each| each.code == "same_vendor"));
    assert_eq!(
        (end.seats[1].status, end.seats[1].fell_back_to.as_deref()),
        (SeatStatus::FellBack, Some("claude-2"))
    );
    assert_eq!(
        (end.result.final_positions["reviewer"].agent.as_str(), end.quorum.vendors),
        ("claude-2", 1)
    );
}

#[test]
fn an_expert_of_a_participants_vendor_is_said() {
    let mut other = input(3);
    other.seats.insert("expert".to_owned(), seated("claude-2", "anthropic"));
    let mut machine = Machine::open(other).unwrap();
    play(&mut machine, "2 ad2 ad");
    let turn = only(&machine).unwrap();
    assert!(turn.not_vendor_of.is_empty());
    let mut ruling = judged(&machine, &turn, &said(&turn, "r").unwrap().render());
    ruling.respondent = seated("claude-2", "anthropic");
    machine.apply(vec![ruling]);
    let end = done(&machine);
    assert!(end.result.expert.as_ref().unwrap().of_a_participant);
    assert!(end.warnings.iter().any(|each| each.code == "expert_of_a_participant"));
}

#[test]
fn impossible_inputs_are_refused_with_the_reason() {
    let refused = |input: Input| Machine::open(input).unwrap_err().to_string();
    let mut twice = input(4);
    twice.seats.insert("reviewer".to_owned(), twice.seats["proposer"].clone());
    assert_eq!(refused(twice), "the agent `claude` is on both sides: name two participants");
    assert_eq!(refused(input(0)), "`max_rounds` must be 1 to 10, not 0");
    assert_eq!(refused(input(11)), "`max_rounds` must be 1 to 10, not 11");
    let crossed = with(4, |settings| {
        settings.expert_threshold = Share::thousandths(900);
    });
    assert_eq!(refused(crossed), "the expert's threshold, 90%, is above that of consensus, 85%");
    let mut empty = input(4);
    empty.brief.topic = String::new();
    assert_eq!(refused(empty), "the topic is empty: say what should be settled");
}

#[test]
fn a_stance_that_agrees_with_an_amendment_counts_half() {
    let mut machine = machine(1);
    play(&mut machine, "1");
    let said = Content::Both(
        Stances {
            stances: vec![StanceEntry {
                point: "A1".to_owned(),
                stance: Stance::Agree,
                reason: "Yes, but only behind a flag.".to_owned(),
                support: None,
                amendment: None,
            }],
            missing: Vec::new(),
        },
        position("b", 1),
    );
    say(&mut machine, Some(&said));
    assert_eq!(done(&machine).result.consensus, Some(Share::thousandths(500)));
    assert_eq!(done(&machine).outcome, DebateOutcome::Deadlocked);
}
