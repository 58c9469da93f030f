//! The blind opening: every transition, and what each side is shown.

use super::super::super::input::InputError;
use super::super::super::testing::*;
use super::*;

/// Columns as in [`super::ARROWS`]; in a step of two turns the proposer's word comes first.
const ARROWS: &str = "
# positions
 4 | . 1 | r1/position/proposer r1/position/reviewer | failed | -
 4 | 1 . | r1/position/proposer r1/position/reviewer | failed | -
# stances: the higher consensus goes on, whoever's it is
 4 | 1 1 d a | r1/position/proposer r1/position/reviewer r2/stances/proposer r2/stances/reviewer | adopted | 1000
 4 | 1 1 a d | r1/position/proposer r1/position/reviewer r2/stances/proposer r2/stances/reviewer | adopted | 1000
 4 | 10 1 a aaaaaaaapd | r1/position/proposer r1/position/reviewer r2/stances/proposer r2/stances/reviewer | adopted | 1000
 2 | 4 4 aaad addd | r1/position/proposer r1/position/reviewer r2/stances/proposer r2/stances/reviewer | partial | 750
 2 | 2 2 ad dd | r1/position/proposer r1/position/reviewer r2/stances/proposer r2/stances/reviewer | deadlocked | 500
 3 | 2 2 ad dd r | r1/position/proposer r1/position/reviewer r2/stances/proposer r2/stances/reviewer r3/expert | expert | 500
 4 | 2 2 ad dd 1 a | r1/position/proposer r1/position/reviewer r2/stances/proposer r2/stances/reviewer r3/compromise r3/answer | adopted | 1000
# stances missing: no check, and the positions stand
 4 | 1 1 . a 1 a | r1/position/proposer r1/position/reviewer r2/stances/proposer r2/stances/reviewer r3/compromise r3/answer | adopted | 1000
 4 | 1 1 a . 1 a | r1/position/proposer r1/position/reviewer r2/stances/proposer r2/stances/reviewer r3/compromise r3/answer | adopted | 1000
 3 | 1 1 . . r | r1/position/proposer r1/position/reviewer r2/stances/proposer r2/stances/reviewer r3/expert | expert | -
 4 | 1 1 . a . | r1/position/proposer r1/position/reviewer r2/stances/proposer r2/stances/reviewer r3/compromise | failed | -
# later rounds as after a sequential opening
 5 | 2 2 ad dd 2 ad r | r1/position/proposer r1/position/reviewer r2/stances/proposer r2/stances/reviewer r3/compromise r3/answer r4/expert | expert | 500
";

#[test]
fn every_arrow_of_a_blind_opening() {
    every_arrow(ARROWS, blind);
}

#[test]
fn both_positions_are_asked_for_at_once_and_neither_is_shown_the_other() {
    let mut machine = Machine::open(blind(4)).unwrap();
    let Step::Ask { opens_round, turns } = machine.next() else { panic!("over") };
    assert_eq!(opens_round, Some(1));
    let roles: Vec<&str> = turns.iter().map(|turn| &*turn.role).collect();
    assert_eq!(roles, ["proposer", "reviewer"]);
    for turn in &turns {
        assert_eq!(&*turn.plays, "proposer");
        assert!(!turn.prompt.varying.contains("BEGIN untrusted"), "{}", turn.prompt.varying);
        assert!(!turn.prompt.contract.contains("concedes"), "{}", turn.prompt.contract);
    }
    play(&mut machine, "1 2");
    let Step::Ask { opens_round, turns } = machine.next() else { panic!("over") };
    assert_eq!(opens_round, Some(2));
    assert_eq!(
        (shown(&turns[0]), shown(&turns[1])),
        (vec!["B1".into(), "B2".into()], vec!["A1".into()])
    );
    for turn in &turns {
        assert!(!turn.prompt.contract.contains("POSITION_START"));
        assert_eq!(turn.not_vendor_of.len(), 1);
    }
}

#[test]
fn the_side_whose_position_scored_higher_drafts_and_the_other_answers() {
    for (stances, drafts, ids) in [
        ("dd ad", "proposer", "A1 A2"),
        ("ad dd", "reviewer", "B1 B2"),
        // Else who was silent: the other has heard nothing new.
        (". ad", "proposer", "A1 A2"),
        ("ad .", "reviewer", "B1 B2"),
    ] {
        let mut machine = Machine::open(blind(5)).unwrap();
        play(&mut machine, &format!("2 2 {stances}"));
        let draft = only(&machine).unwrap();
        assert_eq!((&*draft.id, &*draft.role), ("r3/compromise", drafts));
        let data = data_of(&draft);
        let own: Vec<&str> = (data["your_position"]["points"].as_array().unwrap().iter())
            .map(|point| point["id"].as_str().unwrap())
            .collect();
        assert_eq!(own.join(" "), ids);
        assert!(
            data["they_said_of_yours"]["stances"][0]["stance"]
                != data["you_said_of_theirs"]["stances"][0]["stance"]
        );
        play(&mut machine, "1");
        let answer = only(&machine).unwrap();
        assert_ne!(answer.role, drafts);
        assert_eq!(shown(&answer), ["J1"]);
        play(&mut machine, "d");
        // Its dissent is that of the side which answered.
        let end = machine.stop(Stop::Budget);
        assert!(
            end.result
                .dissent
                .iter()
                .any(|said| said.seat != drafts && said.about.contains("joint"))
        );
    }
}

#[test]
fn both_checks_are_kept_and_the_decision_is_that_of_the_higher_one() {
    let (_, end) = run(blind(4), "2 2 aa ad");
    assert_eq!(end.result.decision.as_ref().unwrap().by, "reviewer");
    let round = &end.result.rounds[1];
    let scores: Vec<(&str, Option<u16>)> = (round.checks.iter())
        .map(|(seat, check)| (&**seat, check.decisive.map(Share::get)))
        .collect();
    assert_eq!(scores, [("proposer", Some(500)), ("reviewer", Some(1000))]);
    assert_eq!(round.consensus.as_ref(), round.checks.get("reviewer"));
    assert_eq!(round.stances.len(), 2);
    assert!(end.result.rounds[0].checks.is_empty() && end.result.rounds[0].consensus.is_none());
    // Of equal ones the proposer's is adopted.
    let (_, end) = run(blind(4), "2 2 aa aa");
    assert_eq!(end.result.decision.unwrap().by, "proposer");
}

#[test]
fn one_that_reaches_the_threshold_goes_before_one_that_may_not() {
    // All of the reviewer's points are agreed to, but three quarters of the weight is not enough to count.
    let mut input = blind(4);
    input.settings.consensus_threshold = Share::thousandths(700);
    let (_, end) = run(input, "4 4 aaa. aaap");
    assert_eq!(end.result.decision.unwrap().by, "proposer");
}

#[test]
fn a_blind_opening_takes_two_rounds() {
    let refused = Machine::open(blind(1)).unwrap_err();
    assert_eq!(refused, InputError::BlindRounds(1));
    assert_eq!(
        refused.to_string(),
        "a blind opening takes two rounds: `max_rounds` must be 2 to 10, not 1"
    );
    let rounds: Vec<u32> = (2..=5).map(|most| blind(most).settings.debating_rounds()).collect();
    assert_eq!(rounds, [2, 2, 3, 4]);
}

#[test]
fn a_position_of_a_step_that_was_cut_short_is_shown_and_decides_nothing() {
    let mut machine = Machine::open(blind(4)).unwrap();
    let turns = asked(&machine);
    let said = said(&turns[1], "2").unwrap();
    let answer = judged(&machine, &turns[1], &said.render());
    machine.part(vec![None, Some(answer)]);
    let end = machine.stop(Stop::Budget);
    assert_eq!(end.result.final_positions.keys().collect::<Vec<_>>(), ["reviewer"]);
    assert!(end.result.decision.is_none() && end.result.consensus.is_none());
}
