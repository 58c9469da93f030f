//! Every prompt as it is sent, and its anonymity.

use super::super::machine::Machine;
use super::super::testing::*;
use crate::kernel::Turn;
use crate::protocol::debate::Position;

/// Runs a dialogue with every kind of turn, including a draft of open points only.
fn turns() -> Vec<Turn> {
    let mut input = input(5);
    input.settings.pause = true;
    let mut machine = Machine::open(input).unwrap();
    let mut turns = play(&mut machine, "3 add What-of-costs? 3 apd - 3 aad - 1 d");
    turns.extend(only(&machine));
    turns
}

#[test]
fn every_kind_of_prompt() {
    for turn in turns() {
        let name = turn.id.replace('/', "_");
        // The stable part has its own snapshot.
        let text = format!("{}\n\n{}", turn.prompt.varying, turn.prompt.contract);
        insta::assert_snapshot!(name, text);
    }
}

#[test]
fn all_prompts_share_the_stable_part_byte_for_byte() {
    let all = turns();
    assert_eq!(all.len(), 12);
    for turn in &all {
        assert_eq!(turn.prompt.stable, all[0].prompt.stable);
        let first = format!("turn: {}\n", turn.id);
        assert!(turn.prompt.varying.starts_with(&first));
        for block in &turn.block_names() {
            assert!(turn.prompt.contract.contains(&format!("<<<{block}_START>>>")));
        }
    }
}

/// Outside the `turn:` line, no agent, vendor or seat is named, and no confidence is shown.
#[test]
fn nobody_is_named() {
    for turn in turns().iter().filter(|turn| turn.role != "person") {
        let text = turn.prompt.text();
        let text = text.replacen(&format!("turn: {}", turn.id), "", 1).to_lowercase();
        for name in [
            "claude",
            "anthropic",
            "gemini",
            "google",
            "codex",
            "openai",
            "proposer",
            "\"confidence\": 0",
        ] {
            assert!(!text.contains(name), "{} holds {name}", turn.id);
        }
    }
}

#[test]
fn each_side_sees_what_it_answers() {
    let all = turns();
    let keys = |id: &str| -> Vec<String> {
        let turn = all.iter().find(|turn| turn.id == id).unwrap();
        let data = data_of(turn);
        let mut keys: Vec<String> = data.as_object().unwrap().keys().cloned().collect();
        keys.sort();
        keys
    };
    assert_eq!(keys("r1/review"), ["position"]);
    assert_eq!(keys("r2/alternative"), ["their_position", "you_said_of_it", "your_position"]);
    assert_eq!(keys("r2/rebuttal"), ["position", "said_of_yours", "your_position"]);
    assert_eq!(
        keys("r3/compromise"),
        ["their_position", "they_said_of_yours", "you_said_of_theirs", "your_position"]
    );
    assert_eq!(keys("r3/answer"), ["position", "your_position"]);
    assert_eq!(
        keys("r4/compromise"),
        [
            "agreed",
            "draft",
            "said_of_draft",
            "their_position",
            "they_said_of_yours",
            "you_said_of_theirs",
            "your_position"
        ]
    );
    assert_eq!(keys("r4/answer"), ["agreed", "position", "your_position"]);
    assert_eq!(keys("r5/expert"), ["joint_draft", "open_points", "sides"]);
}

#[test]
fn the_experts_order_is_drawn_by_the_seed() {
    let first = |seed: u64| {
        let mut machine = Machine::open(super::super::input::Input { seed, ..input(2) }).unwrap();
        play(&mut machine, "1 d");
        let turn = only(&machine).unwrap();
        data_of(&turn)["sides"][0]["position"]["summary"].as_str().unwrap().to_owned()
    };
    let orders: std::collections::BTreeSet<String> = (0..16).map(first).collect();
    assert_eq!(orders.len(), 2);
    assert_eq!(first(3), first(3));
}

#[test]
fn the_confidence_of_a_position_is_not_shown() {
    let position = super::position(&Position { ..position("a", 1) });
    assert!(position.get("confidence").is_none());
}
