//! Every prompt as it is sent, its anonymity, and the effect of hostile words.

use std::collections::BTreeSet;

use super::super::contract::ANSWER;
use super::super::input::Input;
use super::super::machine::Machine;
use super::super::testing::*;
use crate::contract::template::block;
use crate::kernel::Turn;

/// Returns all turns of a panel that runs its full course, with `words` in every answer and reason.
fn turns(seats: usize, seed: u64, words: &str) -> Vec<Turn> {
    let mut machine = Machine::open(Input { seed, ..input_of_mistral(seats, 2) }).unwrap();
    let mut all = Vec::new();
    loop {
        let open = asked(&machine);
        if open.is_empty() {
            return all;
        }
        step(&mut machine, |machine, turn| {
            if turn.block_names() == [ANSWER.name()] {
                let text = match turn.role.strip_prefix('s') {
                    Some(seat) => format!("{} {words}", text_of(seat.parse().unwrap())),
                    None => "The judge's own.".to_owned(),
                };
                return Some(block(ANSWER.name(), &answer_body(&text).to_string()));
            }
            if turn.block_names() == ["JUDGEMENT"] {
                return Some(ruling(machine, turn, 1));
            }
            // All vote for their own answer, and the odd seats consider the first two the same: a majority of five
            // seats.
            let seat = &turn.role[1..];
            let same = if seat.parse::<usize>().unwrap() % 2 == 1 { "=12" } else { "" };
            vote(machine, turn, &format!("{seat}{same}"))
        });
        all.extend(open);
    }
}

/// Where seats and judge read each other, no agent, vendor or seat is named, and no confidence is shown.
#[test]
fn nobody_is_named_and_no_confidence_shown() {
    for seats in 3..=5 {
        for turn in turns(seats, 11, "") {
            let text = (turn.prompt.text()).replacen(&format!("turn: {}", turn.id), "", 1);
            let text = text.to_lowercase();
            for (agent, vendor) in PANEL.iter().chain(&[("vibe", "mistral")]) {
                // `local` and `home` are ordinary words.
                for name in [agent, vendor] {
                    assert!(
                        !text.contains(&format!("{name} "))
                            && !text.contains(&format!("\"{name}\"")),
                        "{}: {name}",
                        turn.id
                    );
                }
            }
            for word in ["\"s1", "\"s2", "\"s3", " s1 ", "0.625", "seat"] {
                assert!(!text.contains(word), "{} holds {word}", turn.id);
            }
            if !turn.id.contains("/answer/") && !turn.id.ends_with("/own") {
                let data = data_of(&turn).to_string();
                assert!(!data.contains("confidence"), "{}", turn.id);
            }
        }
    }
}

/// Returns the letters of the answers, in the order in which a turn shows them.
fn order(turn: &Turn) -> Vec<String> {
    let data = data_of(turn);
    let answers = data["answers"].as_array().unwrap().iter();
    answers.map(|answer| answer["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn orders_differ_from_seat_to_seat_and_round_to_round_and_come_from_the_seed() {
    let votes = |seed: u64| -> Vec<Vec<String>> {
        let turns = turns(5, seed, "");
        let turns = turns.iter().filter(|turn| turn.block_names() == ["VOTE"]);
        turns.map(order).collect()
    };
    let one = votes(7);
    // Two seats vote for the answers that lead, and are not asked again.
    assert_eq!(one.len(), 5 + 3 + 3);
    assert_eq!(one, votes(7));
    assert_ne!(one, votes(8));
    // There are 120 orders of five; eleven turns that shared a few of them would reveal authors.
    let different: BTreeSet<&Vec<String>> = one.iter().collect();
    assert!(different.len() > 8, "{different:?}");
    assert_ne!(one[0], one[1]);
    assert_ne!(one[2], one[5]);
}

/// A letter means the same to a seat in every round, and no letter belongs to a seat.
#[test]
fn letters_are_of_answers_and_drawn_by_lot() {
    let mut holders: BTreeSet<(String, String)> = BTreeSet::new();
    for seed in 0..20 {
        let mut meaning: BTreeSet<(String, String)> = BTreeSet::new();
        let turns = turns(3, seed, "");
        let of_one = |turn: &&Turn| turn.block_names() == ["VOTE"] && turn.role == "s1";
        for turn in turns.iter().filter(of_one) {
            for answer in data_of(turn)["answers"].as_array().unwrap() {
                let text = |key: &str| answer[key].as_str().unwrap().trim().to_owned();
                meaning.insert((text("id"), text("answer")));
            }
        }
        assert_eq!(meaning.len(), 3, "seed {seed}");
        holders.extend(meaning);
    }
    assert_eq!(holders.len(), 9, "each letter has been each seat's");
}

/// In a cross round a seat sees its own vote separately and everybody else's reason; the judge sees no vote.
#[test]
fn reasons_are_shown_to_seats_and_votes_to_no_judge() {
    for turn in turns(4, 7, "") {
        if turn.id.contains("/cross/") {
            let data = data_of(&turn);
            let reasons: BTreeSet<&str> = (data["votes"].as_array().unwrap().iter())
                .map(|vote| vote["reason"].as_str().unwrap())
                .collect();
            let own = data["your_vote"]["reason"].as_str().unwrap();
            assert!(own.ends_with(&format!("for {}.", &turn.role[1..])));
            assert_eq!(reasons.len(), 3);
            assert!(!reasons.contains(own));
        }
        if turn.id.contains("/judge/") {
            assert!(!turn.prompt.text().contains("says who votes"), "{}", turn.id);
        }
        if turn.id.contains("/vote/") {
            assert!(!turn.prompt.text().contains("says who votes"), "{}", turn.id);
        }
    }
}
