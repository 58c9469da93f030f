//! Invariants under any replies and failures.

use crate::kernel::Ended;
use proptest::prelude::*;
use serde_json::json;

use super::super::legality::{Move, successors};
use super::super::testing::*;
use super::*;
use crate::kernel::share::Share;

/// The answer to each turn: the letters of stances, the number of concerns raised, whether open concerns are
/// addressed, and whether a reply accepts; `None` fails the turn.
type Word = Option<(String, usize, bool, bool)>;

fn script() -> impl Strategy<Value = Vec<Word>> {
    let word = ("[apd]{1,8}", 0..4_usize, any::<bool>(), any::<bool>());
    let turn = prop_oneof![30 => word.prop_map(Some), 1 => Just(None)];
    proptest::collection::vec(turn, 70)
}

/// Writes the reply to a turn as the script wants it.
fn reply(machine: &Driver<Machine>, turn: &Turn, word: &Word) -> Option<String> {
    let (letters, raise, meets, accepts) = word.as_ref()?;
    let open: Vec<String> = (machine.protocol().course.round_concerns().into_iter())
        .map(|raised| raised.concern.id)
        .collect();
    let open: Vec<&str> = open.iter().map(String::as_str).filter(|_| *meets).collect();
    let kind = match successors(machine.protocol().course.last_move()) {
        [] => {
            let ids: Vec<String> =
                machine.protocol().course.to_judge().into_iter().map(|(id, _)| id).collect();
            let said: Vec<(&str, &str)> =
                (ids.iter().map(String::as_str).zip(letters.chars().cycle()))
                    .map(|(id, letter)| match letter {
                        'a' => (id, "agree"),
                        'p' => (id, "partly"),
                        _ => (id, "disagree"),
                    })
                    .collect();
            return Some(stances_block(&said));
        }
        [only] => only.kind,
        [_, second, ..] if *accepts => second.kind,
        [first, ..] => first.kind,
    };
    let texts: Vec<String> = (0..*raise).map(|number| format!("{} {number}", turn.id)).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    Some(argument(kind, json!({"concerns": concerns(&texts), "addresses": addresses(&open)})))
}

fn run(rounds: u32, script: &[Word]) -> (Outcome, usize, Driver<Machine>) {
    let mut input = input();
    input.settings.max_rounds = rounds;
    let mut machine = Machine::open(input).unwrap();
    let mut turns = 0;
    while let Some(turn) = only(&machine) {
        let word = &script[turns % script.len()];
        let text = reply(&machine, &turn, word);
        give(&mut machine, text.as_deref());
        turns += 1;
        assert!(turns <= 70, "it does not end");
    }
    (done(&machine), turns, machine)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn every_debate_ends_and_only_agreement_is_consensus(script in script(), rounds in 1..=10_u32) {
        let (end, turns, machine) = run(rounds, &script);
        let rounds = usize::try_from(rounds).unwrap();
        prop_assert!(turns <= rounds * 6);
        // Every argument is one that the table permits.
        for round in &end.result.rounds {
            let mut last = None;
            for argument in &round.arguments {
                let here = Move { kind: argument.said.kind, side: argument.side };
                prop_assert!(successors(last).contains(&here));
                last = Some(here);
            }
        }
        let last = end.result.rounds.last().unwrap();
        match end.outcome {
            Ended::Closed(DebateOutcome::ConsensusReached) => {
                let check = last.consensus.as_ref().unwrap();
                prop_assert!(check.decisive.unwrap() >= Share::thousandths(800));
                prop_assert!(check.covered >= Share::thousandths(800));
                prop_assert!(!last.stances.is_empty());
                prop_assert!(end.seats.iter().all(|seat| seat.failure.is_none()));
                prop_assert!(end.result.decision.is_some());
            }
            Ended::Closed(DebateOutcome::Deadlocked) => {
                prop_assert_eq!(end.result.rounds.len(), rounds);
                prop_assert!(end.result.decision.is_none());
                prop_assert!(!last.consensus.as_ref().unwrap().reached);
            }
            Ended::Closed(DebateOutcome::Failed) => {
                prop_assert!(end.result.decision.is_none() && end.result.resolution.is_none() && end.failure.is_some());
                prop_assert_eq!(last.forced.len(), 1);
            }
            other => prop_assert!(false, "nobody stopped it: {:?}", other),
        }
        // Dissent is kept: every concern is met, by its raiser's stance or its raiser's resolution, or is in the
        // dissent.
        let listed = |id: &str| end.result.dissent.iter().any(|each| each.about.starts_with(&format!("{id}:")));
        for raised in machine.protocol().course.concerns() {
            let id = &raised.concern.id;
            let met = end.result.rounds.iter().any(|round| {
                let agreed = round.stances.get(raised.side.name()).and_then(|stances| stances.on(id));
                let agreed = agreed.is_some_and(|said| said.stance == crate::protocol::debate::Stance::Agree);
                let own = round.consensus.is_some() && round.arguments.last().is_some_and(|argument| {
                    argument.side == raised.side && argument.said.kind == ArgumentType::Resolution
                        && argument.said.addresses.iter().any(|each| each.id == *id)
                });
                agreed || own
            });
            prop_assert_eq!(met, !listed(id), "{}", id);
        }
        for (side, stances) in &last.stances {
            for said in stances.stances.iter().filter(|said| said.point.starts_with('P')) {
                let agreed = said.stance == crate::protocol::debate::Stance::Agree;
                let kept = end.result.dissent.iter().any(|each| each.seat == *side && each.about.starts_with(&format!("{} (", said.point)));
                prop_assert_eq!(agreed, !kept);
            }
        }
    }
}
