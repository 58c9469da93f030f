//! Invariants under any replies and failures.

use proptest::prelude::*;

use super::super::testing::*;
use super::*;
use crate::kernel::{Ended, Turn};
use crate::protocol::debate::Stance;

/// The answer to each turn: number of points of a position, letters of stances; `None` fails the turn.
type Script = Vec<Option<(usize, String)>>;

fn script() -> impl Strategy<Value = Script> {
    let reply = (1_usize..=4, "[apd.]{4}");
    let turn = prop_oneof![6 => reply.prop_map(Some), 1 => Just(None)];
    proptest::collection::vec(turn, 24)
}

fn word(turn: &Turn, points: usize, letters: &str) -> String {
    match ask(turn) {
        Ask::Propose | Ask::Position(_) | Ask::Compromise => points.to_string(),
        Ask::Stances(_) | Ask::Review | Ask::Rebuttal | Ask::Answer => {
            letters.chars().cycle().take(shown(turn).len()).collect()
        }
        Ask::Expert => "r".to_owned(),
    }
}

/// Runs a debate to its end; the seat `dead` never answers. Returns the number of turns as well.
fn run(input: Input, script: &Script, dead: Option<&str>) -> (Driver<Machine>, usize) {
    let mut machine = Machine::open(input).unwrap();
    let mut turns = 0;
    loop {
        let step = asked(&machine);
        if step.is_empty() {
            break;
        }
        let answer = |turn: &Turn| {
            let reply = script[turns % script.len()].as_ref().filter(|_| dead != Some(&*turn.role));
            turns += 1;
            let said =
                reply.and_then(|(points, letters)| said(turn, &word(turn, *points, letters)));
            match said {
                Some(said) => judged(&machine, turn, &said.render()),
                None => failed(&machine, turn),
            }
        };
        let answers = step.iter().map(answer).collect();
        machine.apply(answers);
        assert!(turns < 60, "it does not end");
    }
    (machine, turns)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// A dialogue ends within its bound of turns, reports what was not agreed to, and decides only on a measured
    /// consensus.
    #[test]
    fn every_dialogue_ends_and_keeps_its_dissent(
        script in script(), max_rounds in 2..=10_u32, expert in any::<bool>(),
        unseen in any::<bool>(),
    ) {
        let mut input = if unseen { blind(max_rounds) } else { input(max_rounds - 1) };
        input.seats.retain(|seat, _| expert || seat != "expert");
        let debating = usize::try_from(input.settings.debating_rounds()).unwrap();
        let bound = usize::try_from(input.settings.most_turns()).unwrap();
        let (machine, turns) = run(input, &script, None);
        let end = done(&machine);
        prop_assert!(turns <= bound, "{} of {}", turns, bound);
        prop_assert!(end.result.rounds.len() <= debating);

        let last = end.result.rounds.last();
        let check = last.and_then(|round| round.consensus.as_ref());
        match end.outcome {
            Ended::Closed(DebateOutcome::Adopted) => {
                prop_assert!(check.is_some_and(|check| check.reached));
                prop_assert!(last.is_some_and(|round| round.forced.is_empty()));
            }
            Ended::Closed(DebateOutcome::Partial) => {
                let decisive = check.and_then(|check| check.decisive).unwrap();
                prop_assert!(decisive >= Share::thousandths(700) && !check.unwrap().reached);
            }
            Ended::Closed(DebateOutcome::Expert) => prop_assert!(end.result.expert.as_ref().unwrap().judgement.is_some()),
            Ended::Closed(DebateOutcome::Deadlocked) => prop_assert!(end.result.decision.is_none()),
            Ended::Closed(DebateOutcome::Failed) => prop_assert!(end.failure.is_some() && end.result.decision.is_none()),
            other => prop_assert!(false, "{other:?}"),
        }
        // A decision takes positions from both sides.
        if end.result.decision.is_some() {
            prop_assert_eq!(end.result.final_positions.len(), 2);
        }
        // Every objection to the last position put is in the dissent, and every point not agreed to is open.
        if let Some(put) = machine.protocol().puts.last() {
            let said = put.stances().stances;
            let objections = said.iter().filter(|said| said.stance != Stance::Agree).count();
            prop_assert!(end.result.dissent.len() >= objections);
            // But for one that reads as its amendment in what was adopted.
            let adopted = end.outcome == DebateOutcome::Adopted;
            let met = said.iter().filter(|said| adopted && said.amendment.is_some() && said.stance != Stance::Agree);
            let left = objections - met.count();
            prop_assert_eq!(end.result.open_points.len(), put.position.points.len() - (said.len() - left));
            let ids: std::collections::BTreeSet<&String> = put.position.points.iter().map(|point| &point.id).collect();
            prop_assert_eq!(ids.len(), put.position.points.len());
        }
    }

    /// A participant that never answers decides nothing, whatever the other says.
    #[test]
    fn the_dead_decide_nothing(
        script in script(), max_rounds in 2..=10_u32, dead in 0_usize..2, unseen in any::<bool>(),
    ) {
        let input = if unseen { blind(max_rounds) } else { input(max_rounds - 1) };
        let (machine, _) = run(input, &script, Some(["proposer", "reviewer"][dead]));
        let end = done(&machine);
        prop_assert_eq!(end.outcome, DebateOutcome::Failed);
        prop_assert!(end.result.consensus.is_none() && end.result.decision.is_none() && end.result.expert.is_none());
    }
}
