//! The choice of a judge, and the worth of its rulings.

use super::super::testing::*;
use super::tests::{codes, opens};
use super::*;
use crate::kernel::{Respondent, SeatStatus, Turn};
use crate::protocol::debate::outcome::Verdict;

#[test]
fn the_judge_answers_first_and_rules_in_both_orders_at_once() {
    let mut machine = judged_by_mistral(3, 0);
    answers(&mut machine, &[]);
    votes(&mut machine, "1 2 3");
    let turns = asked(&machine);
    assert_eq!(ids(&turns), ["r3/judge/own"]);
    assert_eq!(
        (&*turns[0].role, &*turns[0].plays, &*turns[0].block_names()),
        ("judge", "judge", ["ANSWER"].as_slice())
    );
    assert_eq!(opens(&machine), Some(3));
    step(&mut machine, |_, _| {
        Some(crate::contract::template::block("ANSWER", &answer_body("Mine.").to_string()))
    });
    let turns = asked(&machine);
    assert_eq!(ids(&turns), ["r3/judge/first", "r3/judge/second"]);
    assert_eq!(opens(&machine), None);
    let order = |turn: &Turn| -> Vec<String> {
        let data = data_of(turn);
        assert_eq!(data["your_answer"]["answer"], "Mine.");
        let choices = data["choices"].as_array().unwrap().iter();
        // Letters go by the order: a choice that is first in one is last in the other, by its place and its letter.
        let ids: Vec<&str> = choices.clone().map(|choice| choice["id"].as_str().unwrap()).collect();
        assert_eq!(ids, ["A", "B", "C"]);
        choices.map(|choice| choice["answers"][0]["answer"].to_string()).collect()
    };
    let mut first = order(&turns[0]);
    let second = order(&turns[1]);
    assert_ne!(first, second);
    first.reverse();
    assert_eq!(first, second);
    step(&mut machine, |machine, turn| Some(ruling(machine, turn, 3)));
    let end = done(&machine);
    assert_eq!((end.outcome, end.verdict), (DebateOutcome::Judged.into(), Verdict::Ruled));
    let decision = end.result.decision.unwrap();
    assert_eq!((&*decision.text, &*decision.by), ("Answer number 3.", "judge"));
    assert!(end.result.code_change_required);
    let judge = end.result.expert.unwrap();
    assert_eq!((&*judge.agent, judge.of_a_participant), ("vibe", false));
    assert_eq!(judge.own_answer.as_deref(), Some("Mine."));
    let letter = letter_of(&machine, 3);
    assert_eq!(judge.choices, [letter.clone(), letter]);
    assert_eq!(
        end.seats.last().map(|seat| (&*seat.role, seat.status)),
        Some(("judge", SeatStatus::Answered))
    );
}

#[test]
fn a_judge_that_fails_has_not_ruled() {
    // The judge fails before committing itself: nothing more is asked.
    let mut machine = judged_by_mistral(3, 0);
    answers(&mut machine, &[]);
    votes(&mut machine, "1 2 3");
    step(&mut machine, |_, _| None);
    let end = done(&machine);
    assert_eq!((end.outcome, &end.result.decision), (DebateOutcome::Split.into(), &None));
    assert!(end.result.expert.unwrap().failure.unwrap().starts_with(failure().class.name()));
    // The judge rules once and fails once, or fails twice.
    for rulings in ["1.", ".1", ".."] {
        let mut machine = judged_by_mistral(3, 0);
        answers(&mut machine, &[]);
        votes(&mut machine, "1 2 3");
        judge(&mut machine, rulings);
        let end = done(&machine);
        assert_eq!(
            (end.outcome, &end.result.decision),
            (DebateOutcome::Split.into(), &None),
            "{rulings}"
        );
        let judge = end.result.expert.unwrap();
        assert_eq!((judge.judgement, judge.choices), (None, vec![]), "{rulings}");
        assert!(judge.failure.is_some() && !end.result.code_change_required);
    }
}

/// Another agent steps in for one of the three turns, so no agent both committed itself and ruled in both orders.
#[test]
fn rulings_of_different_agents_are_none() {
    for odd in 0..3 {
        let mut machine = judged_by_mistral(3, 0);
        answers(&mut machine, &[]);
        votes(&mut machine, "1 2 3");
        let mut asked_so_far = 0;
        while let turns @ [_, ..] = &*asked(&machine) {
            let mut answers = Vec::new();
            for turn in turns {
                let text = if turn.id.ends_with("own") {
                    crate::contract::template::block("ANSWER", &answer_body("x").to_string())
                } else {
                    ruling(&machine, turn, 2)
                };
                let mut answer = said(&machine, turn, Some(&text));
                if asked_so_far == odd {
                    answer.respondent = Respondent {
                        fell_back_from: Some("vibe".to_owned()),
                        ..seated("gemini", "google")
                    };
                }
                asked_so_far += 1;
                answers.push(answer);
            }
            machine.apply(answers);
        }
        let end = done(&machine);
        assert_eq!(
            (end.outcome, &end.result.decision),
            (DebateOutcome::Split.into(), &None),
            "{odd}"
        );
        assert!(end.result.expert.unwrap().failure.unwrap().contains("committed"), "{odd}");
    }
}

/// The seat whose vendor cast the fewest votes judges; in a tie the later one; never one that did not vote.
#[test]
fn where_nobody_else_is_there_a_seat_judges() {
    for (seats, ballot, role) in [
        // anthropic cast two votes, the others one each.
        (5, "1 2 3 4 1", "s4"),
        (5, "1 2 3 . 2", "s3"),
        (3, "1 2 3", "s3"),
        (4, "1 1 2 2", "s4"),
    ] {
        let mut input = input(seats);
        input.settings.judge_from_seats = true;
        input.settings.max_rounds = 0;
        let mut machine = Machine::open(input).unwrap();
        answers(&mut machine, &[]);
        votes(&mut machine, ballot);
        let turns = asked(&machine);
        assert_eq!((&*turns[0].role, &*turns[0].plays), (role, "judge"), "{ballot}");
        judge(&mut machine, "11");
        let end = done(&machine);
        assert_eq!(end.outcome, DebateOutcome::Judged, "{ballot}");
        assert!(end.result.expert.as_ref().unwrap().of_a_participant);
        assert!(codes(&end).contains(&"judge_of_panel"), "{:?}", end.warnings);
        assert!(end.seats.iter().all(|seat| seat.role != "judge"));
    }
}

#[test]
fn a_named_judge_of_a_seats_vendor_is_said() {
    let mut input = input(3);
    input.seats.insert(JUDGE.to_owned(), seated("opus", "anthropic"));
    input.settings.max_rounds = 0;
    let mut machine = Machine::open(input).unwrap();
    answers(&mut machine, &[]);
    votes(&mut machine, "1 2 3");
    judge(&mut machine, "22");
    let end = done(&machine);
    assert_eq!(codes(&end), ["judge_of_panel"]);
    assert!(end.result.expert.unwrap().of_a_participant);
}
