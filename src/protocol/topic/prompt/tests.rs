//! Every prompt as it is sent, and its anonymity.

use super::super::machine::Machine;
use super::super::testing::*;
use crate::kernel::Turn;

/// Runs a dialogue with every kind of turn, including a draft of open points only.
fn turns() -> Vec<Turn> {
    let mut machine = Machine::open(input(5)).unwrap();
    let mut turns = play(&mut machine, "3 add 3 apd 3 aad 1 d");
    turns.extend(only(&machine));
    turns
}

/// Outside the `turn:` line, no agent, vendor or seat is named, and no confidence is shown.
#[test]
fn nobody_is_named() {
    for turn in &turns() {
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
