//! The contents of a result, for every way a panel can end.

use super::super::testing::*;
use super::*;
use crate::kernel::Driver;
use crate::protocol::debate::Outcome;

fn end(seats: usize, rounds: u32, ballots: &[&str], rulings: &str) -> (Outcome, Driver<Machine>) {
    let mut machine = if rulings.is_empty() {
        let mut input = input(seats);
        input.settings.max_rounds = rounds;
        Machine::open(input).unwrap()
    } else {
        judged_by_mistral(seats, rounds)
    };
    answers(&mut machine, &[]);
    for ballot in ballots {
        votes(&mut machine, ballot);
    }
    if !rulings.is_empty() {
        judge(&mut machine, rulings);
    }
    (done(&machine), machine)
}

#[test]
fn each_seat_has_its_answer_and_each_choice_its_authors() {
    let (end, machine) = end(4, 1, &["1=12 2=12 2=12 4", "- - - 4"], "");
    assert_eq!(end.result.final_positions.len(), 4);
    let position = &end.result.final_positions["s3"];
    assert_eq!(
        (&*position.agent, &*position.vendor, &*position.text, position.round),
        ("gemini", "google", "Answer number 3.", 1)
    );
    let merged = end.result.choices.iter().find(|choice| choice.answers.len() == 2).unwrap();
    assert_eq!((merged.votes, merged.vendors), (3, 3));
    let mut seats = merged.seats.clone();
    seats.sort();
    assert_eq!(seats, ["s1", "s2"]);
    for (at, seat) in merged.seats.iter().enumerate() {
        let number: usize = seat[1..].parse().unwrap();
        assert_eq!(merged.answers[at], letter_of(&machine, number));
        assert_eq!(merged.said[at].answer, text_of(number));
        assert_eq!(merged.said[at].reasons.len(), 1);
    }
    assert_eq!(merged.text, merged.said[0].answer);
    assert!(merged.answers[0] < merged.answers[1] && merged.id == merged.answers[0]);
    assert_eq!(
        end.result.rounds.iter().map(|round| (round.round, round.votes.len())).collect::<Vec<_>>(),
        [(1, 0), (2, 4), (3, 4)]
    );
    assert_eq!((end.quorum.needed, end.quorum.vendors), (3, 4));
}

/// The failure that left too few is named, with its seat.
#[test]
fn what_ended_it_is_said() {
    let mut machine = machine(3);
    answers(&mut machine, &[1, 2]);
    let end = done(&machine);
    assert_eq!(end.failure, Some(failure()));
    assert_eq!(
        (end.result.rounds.len(), end.result.choices.len(), end.result.choices[0].votes),
        (1, 1, 0)
    );
}
