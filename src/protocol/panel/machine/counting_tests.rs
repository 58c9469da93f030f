//! The counting of votes, and the effect of failures on the counts.

use super::super::testing::*;
use super::tests::codes;
use super::*;
use crate::kernel::{Respondent, SeatStatus};
use crate::protocol::debate::outcome::Verdict;

/// A vote for another answer of the same choice is not a change.
#[test]
fn to_name_another_answer_of_the_same_choice_is_no_change() {
    let mut machine = machine(4);
    answers(&mut machine, &[]);
    votes(&mut machine, "1=12 2=12 3=12 3");
    votes(&mut machine, "1=12 1=12 3=12 3");
    let end = done(&machine);
    assert_eq!(codes(&end), Vec::<&str>::new());
    assert_eq!(end.result.choices.len(), 3);
    assert_eq!(end.result.choices.iter().map(|choice| choice.votes).max(), Some(2));
}

/// A seat's last statement on which answers are the same counts: the seat can take it back, without evidence.
#[test]
fn what_is_the_same_is_said_anew_in_every_ballot() {
    let mut machine = machine(4);
    answers(&mut machine, &[]);
    votes(&mut machine, "1=12 2=12 3=12 4");
    votes(&mut machine, "- - 3 4");
    assert_eq!(done(&machine).result.choices.len(), 4);
    let mut machine = super::super::testing::machine(4);
    answers(&mut machine, &[]);
    votes(&mut machine, "1=12 2 1=12 4");
    votes(&mut machine, "- 2=12 - 4");
    let end = done(&machine);
    // Three of four seats, for answers that three of four consider the same.
    assert_eq!(end.outcome, DebateOutcome::Settled);
}

/// A change that is not counted joins no answers either: the previous vote counts as a whole.
#[test]
fn a_change_that_is_not_counted_counts_for_nothing_at_all() {
    let mut machine = machine(3);
    answers(&mut machine, &[]);
    votes(&mut machine, "1 2 3");
    votes(&mut machine, "1=12 1=12 3");
    let end = done(&machine);
    assert_eq!((end.outcome, end.result.choices.len()), (DebateOutcome::Split.into(), 3));
    let (first, last) = (&end.result.first_votes[1], &end.result.last_votes[1]);
    assert_eq!((&first.reason, last.not_counted.is_some()), (&last.reason, true));
    assert_eq!(end.result.dissent.len(), 4, "nothing leads, so that everybody dissents");
}

#[test]
fn a_seat_that_fails_in_a_ballot_has_no_vote_in_it_and_keeps_its_dissent() {
    let mut machine = machine(4);
    answers(&mut machine, &[]);
    votes(&mut machine, "1 1 1 4");
    votes(&mut machine, "- - - .");
    let end = done(&machine);
    assert_eq!(end.outcome, DebateOutcome::Settled);
    assert_eq!((end.result.first_votes.len(), end.result.last_votes.len()), (4, 3));
    let dissent: Vec<&str> = end.result.dissent.iter().map(|each| &*each.seat).collect();
    assert_eq!(dissent, ["s4"]);
    assert_eq!(end.seats[3].status, SeatStatus::Failed);
    // Who was not asked has a vote that stands, and is as present as before.
    assert!(end.result.last_votes.iter().all(|vote| vote.stands));
    assert!(end.seats[..3].iter().all(|seat| seat.status == SeatStatus::Answered));
}

#[test]
fn a_vote_that_stands_keeps_what_moved_it() {
    let mut input = input(4);
    input.settings.max_rounds = 2;
    let mut machine = Machine::open(input).unwrap();
    answers(&mut machine, &[]);
    votes(&mut machine, "1 2 3 4");
    votes(&mut machine, "2 2 2! 4");
    votes(&mut machine, "1 - - 4");
    let end = done(&machine);
    let stood: Vec<(bool, bool)> =
        (end.result.last_votes.iter()).map(|vote| (vote.stands, vote.moved_by.is_some())).collect();
    assert_eq!(stood, [(false, false), (true, false), (true, true), (false, false)]);
    assert_eq!(end.outcome, DebateOutcome::Split);
}

/// A seat that could not answer, or not vote at first, votes later without having to say what moved it.
#[test]
fn a_first_vote_in_a_cross_round_needs_no_evidence() {
    let mut machine = machine(3);
    answers(&mut machine, &[3]);
    votes(&mut machine, "1 2 .");
    votes(&mut machine, "1 2 1");
    let end = done(&machine);
    assert_eq!(end.outcome, DebateOutcome::Settled);
    assert_eq!(end.seats[2].status, SeatStatus::Answered);
    assert_eq!(
        end.seats[2].failure.as_deref().map(|text| text.starts_with("2 of 3 turns failed")),
        Some(true)
    );
}

#[test]
fn a_vendor_is_that_of_the_agent_that_really_voted() {
    let mut machine = machine(3);
    answers(&mut machine, &[]);
    // gemini and codex are down, and another model of claude's vendor steps in for both.
    let turns = asked(&machine);
    let answers = turns.iter().map(|turn| {
        let text = vote(&machine, turn, "1");
        let mut answer = said(&machine, turn, text.as_deref());
        if turn.role != "s1" {
            answer.respondent = Respondent {
                agent: "opus".to_owned(),
                vendor: "anthropic".to_owned(),
                fell_back_from: Some(answer.respondent.agent),
            };
        }
        answer
    });
    let answers = answers.collect();
    machine.apply(answers);
    let end = done(&machine);
    assert_eq!((end.outcome, end.verdict), (DebateOutcome::Failed.into(), Verdict::Undecided));
    assert_eq!((end.quorum.vendors, end.quorum.needed), (1, 2));
    assert_eq!(end.seats[1].status, SeatStatus::FellBack);
    assert_eq!(end.seats[1].fell_back_to.as_deref(), Some("opus"));
}

#[test]
fn one_vendor_alone_decides_nothing_and_is_warned_of() {
    let mut one = input(3);
    for seat in one.seats.values_mut() {
        *seat = seated("claude", "anthropic");
    }
    let mut machine = Machine::open(one).unwrap();
    assert_eq!(machine.run().warnings()[0].code, "same_vendor");
    answers(&mut machine, &[1, 2]);
    assert_eq!(done(&machine).outcome, DebateOutcome::Failed);
    let mut two = input(3);
    two.seats.insert("s3".to_owned(), seated("opus", "anthropic"));
    let machine = Machine::open(two).unwrap();
    assert_eq!(machine.run().warnings()[0].code, "shared_vendor");
    assert!(machine.run().warnings()[0].message.contains("2 of 3 seats"));
}

/// A change counts if it names an answer, a quotation or a file; "good points" is company. The vote is never lost.
#[test]
fn a_change_must_name_what_moved_it() {
    for (moved_by, counts) in [
        ("[A] is measured.", true),
        ("\"It was measured\" is what mine lacks.", true),
        ("The other participants make good points.", false),
        ("Two of three hold it.", false),
    ] {
        let mut machine = machine(3);
        answers(&mut machine, &[]);
        votes(&mut machine, "1 2 3");
        step(&mut machine, |machine, turn| {
            let script = if turn.role == "s2" { "1!" } else { &turn.role[1..] };
            let text = vote(machine, turn, script)?;
            let written = serde_json::to_string(moved_by).unwrap();
            let usual = serde_json::to_string("\"It was measured\", and mine was not.").unwrap();
            Some(text.replace(&usual, &written))
        });
        let end = done(&machine);
        assert_eq!(end.result.last_votes.len(), 3);
        let vote = &end.result.last_votes[1];
        assert_eq!(
            (vote.moved_by.is_some(), vote.not_counted.is_none()),
            (counts, counts),
            "{moved_by}"
        );
        assert_eq!(codes(&end).contains(&"change_not_counted"), !counts, "{moved_by}");
        let mut dissent = end.result.dissent.iter();
        let is_hidden = !dissent.any(|each| each.reason.starts_with("would have changed to"));
        assert_eq!(is_hidden, counts, "{moved_by}");
        let ended = if counts { DebateOutcome::Settled } else { DebateOutcome::Split };
        assert_eq!(end.outcome, ended, "{moved_by}");
    }
}

/// Two who take the same option vote for one choice, whatever they say of sameness.
#[test]
fn answers_with_the_same_option_are_one_choice() {
    let mut input = input(4);
    input.brief.options = vec!["Redis".to_owned(), "Files".to_owned()];
    let mut machine = Machine::open(input).unwrap();
    options(&mut machine, "Redis Redis Files none");
    votes(&mut machine, "1 2 1 2");
    let end = done(&machine);
    assert_eq!((end.outcome, end.result.choices.len()), (DebateOutcome::Settled.into(), 3));
    let names: Vec<Option<&str>> =
        end.result.choices.iter().map(|choice| choice.option.as_deref()).collect();
    assert!(names.contains(&Some("Redis")) && names.contains(&None), "{names:?}");
}

/// Every reader has letters of its own, and what they write is told in those of the result.
#[test]
fn letters_are_the_readers_and_the_result_has_one_set() {
    let mut machine = machine(3);
    answers(&mut machine, &[]);
    let firsts: std::collections::BTreeSet<String> = (asked(&machine).iter())
        .map(|turn| {
            let data = data_of(turn);
            let mut answers = data["answers"].as_array().unwrap().iter();
            answers.find(|answer| answer["id"] == "A").unwrap()["answer"].to_string()
        })
        .collect();
    assert_eq!(firsts.len(), 3, "each answer is A for one seat");
    // All vote for the answer of s2 and name it by the letter that they see.
    step(&mut machine, |machine, turn| {
        let text = vote(machine, turn, "2")?;
        let letter = text.split("\"choice\":\"").nth(1)?.get(..1)?.to_owned();
        Some(text.replace("It is right", &format!("Only [{letter}] is right")))
    });
    let end = done(&machine);
    let letter = letter_of(&machine, 2);
    for vote in &end.result.last_votes {
        assert_eq!(vote.choice, letter);
        assert_eq!(vote.reason, format!("Only [{letter}] is right, says who votes for 2."));
    }
}
