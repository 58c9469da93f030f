//! Whole dialogues with stand-ins alone, through the machine and its parser.

use crate::kernel::Protocol;
use crate::protocol::debate::{DebateOutcome, Outcome};
use crate::protocol::topic::Machine;
use crate::protocol::topic::input::Input;
use crate::protocol::topic::testing::{asked, done, input, judged};

fn rehearsed(input: Input) -> Outcome {
    let mut machine = Machine::new(input).unwrap();
    while let Some(turn) = asked(&machine) {
        let text = crate::rehearsal::answer(&turn.prompt.text());
        assert!(text.contains("REHEARSAL"), "{text}");
        let answer = judged(&machine, &turn, &text);
        machine.apply(vec![answer]);
    }
    done(&machine)
}

fn about(topic: &str) -> Input {
    let mut input = input(4);
    input.brief.topic = topic.to_owned();
    input.brief.description = String::new();
    input.brief.options = Vec::new();
    input
}

fn measured(end: &Outcome) -> Vec<Option<u16>> {
    let checks = end.rounds.iter().map(|round| round.consensus.as_ref());
    checks.map(|check| Some(check?.decisive?.get())).collect()
}

#[test]
fn without_evidence_the_topic_decides_how_it_ends() {
    // The letters of the topic as numbers, modulo 3.
    let rows = [
        ("REST or gRPC", DebateOutcome::Adopted, vec![Some(416), Some(500), Some(1000)]),
        ("REST or gRPD", DebateOutcome::Partial, vec![Some(416), Some(500), Some(750)]),
        ("REST or gRPE", DebateOutcome::Expert, vec![Some(416), Some(500), Some(500)]),
    ];
    let letters = |topic: &str| topic.bytes().map(usize::from).sum::<usize>() % 3;
    for (topic, _, _) in &rows {
        let place = letters(topic);
        let (_, outcome, consensus) = &rows[place];
        let end = rehearsed(about(topic));
        assert_eq!((end.outcome, &measured(&end)), (*outcome, consensus), "{topic}");
        let noticed: Vec<&str> = end.warnings.iter().map(|each| &*each.code).collect();
        assert!(noticed.iter().all(|code| *code == "polarity_conflict"), "{noticed:?}");
        assert!(end.final_positions["proposer"].text.contains("choose REST"));
        assert_eq!(rehearsed(about(topic)), end);
    }
}

#[test]
fn evidence_moves_the_sides() {
    // Two lines for the table, one for the queue: the proposer comes half the way, and the joint draft is signed.
    let mut with = input(4);
    with.brief.description =
        "The queue loses orders.\nThe table is there.\nA table can be locked.".to_owned();
    let end = rehearsed(with);
    assert_eq!(measured(&end), [Some(416), Some(750), Some(1000)]);
    assert_eq!(end.outcome, DebateOutcome::Adopted);
    let decision = end.decision.unwrap();
    assert!(decision.text.contains("begin with the table"), "{}", decision.text);
    assert_eq!(
        decision.position.unwrap().points[0].evidence,
        ["The table is there.", "A table can be locked."]
    );
}

#[test]
fn the_expert_rules_on_what_is_open_and_dissent_stays() {
    let mut two = input(2);
    two.brief.description = String::new();
    let end = rehearsed(two);
    assert_eq!(end.outcome, DebateOutcome::Expert);
    assert!(end.open_points.iter().all(|point| point.ruling.is_some()));
    assert_eq!((end.open_points.len(), end.dissent.len()), (2, 2));
}

#[test]
fn a_topic_without_a_choice_is_debated_too_and_rounds_go_on_about_what_is_open() {
    let mut more = about("Move the import out of the web process");
    more.settings.max_rounds = 6;
    more.settings.deadlock_rise = crate::kernel::share::Share::ZERO;
    let end = rehearsed(more);
    assert!(end.final_positions["reviewer"].text.contains("leaving it as it is"));
    assert_eq!(end.outcome, DebateOutcome::Adopted);
}

#[test]
fn a_prompt_of_another_kind_is_not_answered() {
    assert!(super::answer("turn: r1/propose\n").is_none());
    assert!(super::answer("# The debate\n\nturn: r1/remark\n").is_none());
}
