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

/// Returns one line per item, with letters replaced by seats: `<2>` is the answer of s2.
fn told(seats: usize, rounds: u32, ballots: &[&str], rulings: &str) -> String {
    let (end, machine) = end(seats, rounds, ballots, rulings);
    let mut lines = vec![
        format!(
            "{} / {} / {}",
            end.outcome.name(),
            end.outcome.verdict().name(),
            end.consensus.map_or("none".to_owned(), |it| it.to_string())
        ),
        end.recommendation.clone(),
    ];
    let vote = |record: &VoteRecord| {
        let extra = [
            record.own.then(|| "own".to_owned()),
            record.moved_by.as_ref().map(|_| "moved".to_owned()),
            record.not_counted.as_ref().map(|wanted| format!("not counted: {wanted}")),
        ];
        let extra: Vec<String> = extra.into_iter().flatten().collect();
        format!("{} {} ({})", record.seat, record.choice, extra.join(", "))
    };
    for (name, votes) in [("first", &end.first_votes), ("last", &end.last_votes)] {
        let votes: Vec<String> = votes.iter().map(vote).collect();
        lines.push(format!("{name}: {}", votes.join("; ")));
    }
    lines.extend(
        end.dissent
            .iter()
            .map(|each| format!("dissent: {} on {}: {}", each.seat, each.about, each.reason)),
    );
    lines.extend(end.open_points.iter().map(|each| {
        format!(
            "open: {} {} [{}] {}",
            each.id,
            each.text,
            each.reason,
            each.ruling.as_deref().unwrap_or("-")
        )
    }));
    lines.extend(end.decision.iter().map(|each| format!("decision by {}: {}", each.by, each.text)));
    let text = lines.join("\n");
    // Letters are between spaces and punctuation, never within a word.
    let parts = text.split_inclusive(|c: char| !c.is_alphanumeric());
    let named = parts.map(|part| {
        let letter = part.trim_end_matches(|c: char| !c.is_alphanumeric());
        let seat = (1..=seats).find(|seat| letter_of(&machine, *seat) == letter);
        seat.map_or(part.to_owned(), |seat| part.replacen(letter, &format!("<{seat}>"), 1))
    });
    named.collect()
}

#[test]
fn unanimous_at_once() {
    insta::assert_snapshot!(told(3, 1, &["2 2 2"], ""));
}

#[test]
fn settled_because_one_was_moved_by_evidence() {
    insta::assert_snapshot!(told(3, 1, &["1 2 3", "1 1! 3"], ""));
}

#[test]
fn settled_by_a_majority_that_talk_did_not_change() {
    insta::assert_snapshot!(told(3, 1, &["1 1 3", "1 1 3"], ""));
}

#[test]
fn settled_because_answers_are_the_same() {
    insta::assert_snapshot!(told(4, 1, &["1 2 3 4", "1=12 2=12 1!=12 4"], ""));
}

#[test]
fn split_without_a_judge() {
    insta::assert_snapshot!(told(3, 1, &["1 2 3", "1 1 3"], ""));
}

#[test]
fn judged_against_most_of_the_votes() {
    insta::assert_snapshot!(told(4, 1, &["1 1 3 4", "1 1 3 4"], "33"));
}

#[test]
fn unstable_where_the_order_rules() {
    insta::assert_snapshot!(told(3, 0, &["1 2 3"], "13"));
}

#[test]
fn split_because_the_judge_failed() {
    insta::assert_snapshot!(told(3, 0, &["1 2 3"], "1."));
}

#[test]
fn failed_without_a_quorum() {
    insta::assert_snapshot!(told(4, 1, &["1 1 . ."], ""));
}

#[test]
fn each_seat_has_its_answer_and_each_choice_its_authors() {
    let (end, machine) = end(4, 1, &["1=12 2=12 2=12 4", "1=12 2=12 2=12 4"], "");
    assert_eq!(end.final_positions.len(), 4);
    let position = &end.final_positions["s3"];
    assert_eq!(
        (&*position.agent, &*position.vendor, &*position.text, position.round),
        ("gemini", "google", "Answer number 3.", 1)
    );
    let merged = end.choices.iter().find(|choice| choice.answers.len() == 2).unwrap();
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
        end.rounds.iter().map(|round| (round.round, round.votes.len())).collect::<Vec<_>>(),
        [(1, 0), (2, 4), (3, 4)]
    );
    assert_eq!((end.needed, end.vendors), (3, 4));
}

/// The failure that left too few is named, with its seat.
#[test]
fn what_ended_it_is_said() {
    let mut machine = machine(3);
    answers(&mut machine, &[1, 2]);
    let end = done(&machine);
    assert_eq!(end.failure, Some(failure()));
    assert!(
        end.recommendation.ends_with("Without s1 (claude), s2 (codex)."),
        "{}",
        end.recommendation
    );
    assert_eq!((end.rounds.len(), end.choices.len(), end.choices[0].votes), (1, 1, 0));
}
