//! Properties that hold for any replies and failures.

use proptest::prelude::*;

use super::super::input::{MAX_ROUNDS, Settings};
use super::super::model::{Status, Verdict};
use super::super::testing::*;
use super::*;
use crate::kernel::{Ended, SeatStatus, Turn};

/// A seat's reply to each turn: letters for judgements and votes, ids for a plan; `None` fails.
type Script = Vec<Option<(String, String, bool)>>;

fn script() -> impl Strategy<Value = Script> {
    let reply = ("[a-f]{1,5}", "[adm]{1,8}", any::<bool>());
    let turn = prop_oneof![8 => reply.prop_map(Some), 1 => Just(None)];
    proptest::collection::vec(turn, 40)
}

fn distinct(ids: &str) -> String {
    let mut seen = std::collections::BTreeSet::new();
    ids.chars().filter(|id| seen.insert(*id)).collect()
}

/// Runs a planning; returns its outcome and the machine.
fn run(seats: usize, rounds: u32, confidence: u32, script: &Script) -> (Outcome, Driver<Machine>) {
    let settings = Settings { max_rounds: rounds, confidence, ..Settings::default() };
    let mut machine = Machine::open(Input { settings, ..input(seats) }).unwrap();
    let mut turns = 0;
    while !asked(&machine).is_empty() {
        let before = turns;
        let place = std::cell::Cell::new(before);
        turns += round(&mut machine, |turn| {
            let at = place.replace(place.get() + 1);
            let (ids, letters, more) = script[at % script.len()].as_ref()?;
            if turn.id.contains("/plan/") {
                return Some(plan(&steps(&distinct(ids))));
            }
            let shown = to_judge(turn);
            let all: String = letters.chars().cycle().take(shown.len()).collect();
            if turn.id.starts_with("validate/") {
                return Some(validation(&shown, &all));
            }
            let missing =
                more.then(|| step(&format!("more-{}", turn.id.replace('/', "-")), "work", &[]));
            Some(review(&shown, &all, missing.as_slice()))
        })
        .len();
    }
    (done(&machine), machine)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// A failed seat never wins and has no score; errors approve nothing; figures stay in range.
    #[test]
    fn the_dead_decide_nothing_and_figures_stay_in_range(
        script in script(), seats in 2_usize..=4, rounds in 1..=MAX_ROUNDS, confidence in 0..=100_u32,
    ) {
        let (end, machine) = run(seats, rounds, confidence, &script);
        prop_assert!(end.result.rounds.len() <= 1 + usize::try_from(rounds).unwrap());
        prop_assert!(end.result.confidence <= 100 && end.result.scores.values().all(|score| score.total <= 100));
        let planned: Vec<&str> = machine.protocol().planners().map(|seat| PANEL[seat].0).collect();
        prop_assert!(end.result.scores.keys().all(|agent| planned.contains(&&**agent)));
        prop_assert_eq!(end.result.winner.is_some(), !planned.is_empty());
        if let Some(winner) = &end.result.winner {
            prop_assert!(planned.contains(&&**winner));
            let best = end.result.scores.values().map(|score| score.total).max();
            prop_assert_eq!(Some(end.result.scores[winner].total), best);
        }
        let intact = end.seats.iter().filter(|seat| seat.status == SeatStatus::Answered).count();
        match end.outcome {
            Ended::Closed(Verdict::Accepted | Verdict::Rejected) => {
                prop_assert!(intact >= 2);
                let validators = end.seats.iter().zip(&PANEL).filter(|(seat, _)| seat.status == SeatStatus::Answered);
                prop_assert!(validators.count() >= 2);
            }
            Ended::Closed(Verdict::Undecided) => prop_assert!(intact < 2),
            _ => prop_assert!(false, "nobody stopped it"),
        }
        // Every added step was confirmed by another seat.
        for step in end.result.steps.iter().filter(|step| step.added) {
            prop_assert_eq!(step.status, Status::Confirmed);
            prop_assert!(
                step.proposed_by.len() > 1 || !step.votes.agree.is_empty() || step.amendment.is_some()
            );
        }
        for step in &end.result.steps {
            let voices = step.votes.agree.iter().chain(&step.votes.disagree).chain(&step.votes.modify);
            for agent in voices {
                prop_assert!(!step.proposed_by.contains(agent), "an author votes");
            }
        }
    }

    /// Failing a seat that answered never raises the confidence of that round.
    #[test]
    fn a_failure_never_raises_confidence(script in script(), seats in 2_usize..=4, dead in 0_usize..4) {
        let mut machine = machine(seats);
        let mut place = 0;
        let mut scripted = |machine: &Driver<Machine>, turn: &Turn| {
            place += 1;
            let (ids, _, _) = script[place % script.len()].clone().unwrap_or_else(|| ("ab".to_owned(), "a".to_owned(), false));
            if turn.id.contains("/plan/") {
                return judged_reply(machine, turn, &plan(&steps(&distinct(&ids))));
            }
            let shown = to_judge(turn);
            judged_reply(machine, turn, &review(&shown, &"a".repeat(shown.len()), &[]))
        };
        let answers = asked(&machine).iter().map(|turn| scripted(&machine, turn)).collect();
        machine.apply(answers);
        let open = asked(&machine);
        if open.is_empty() || !open[0].id.contains("/cross/") {
            return Ok(());
        }
        let answers: Vec<_> = open.iter().map(|turn| scripted(&machine, turn)).collect();
        let mut failing = answers.clone();
        let at = dead % failing.len();
        failing[at] = failed(&machine, &open[at]);
        let mut other = machine.clone();
        machine.apply(answers);
        other.apply(failing);
        prop_assert!(other.protocol().rounds[1].confidence <= machine.protocol().rounds[1].confidence);
    }
}
