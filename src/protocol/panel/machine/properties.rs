//! Invariants under any replies and failures.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::super::input::{MAX_ROUNDS, Settings};
use super::super::testing::*;
use super::*;
use crate::contract::template::block;
use crate::kernel::share::Share;
use crate::kernel::{Ended, Turn};

/// The answer to a turn: it fails, or it votes (or rules) for an answer, perhaps with evidence, perhaps with two
/// answers considered the same.
#[derive(Debug, Clone, Copy)]
struct TurnAction {
    fails: bool,
    choice: usize,
    evidence: bool,
    same: Option<(usize, usize)>,
    garbage: bool,
}

fn moves() -> impl Strategy<Value = Vec<TurnAction>> {
    let pair = proptest::option::weighted(0.4, (0_usize..5, 0_usize..5));
    let one = (0_u8..8, 0_usize..5, any::<bool>(), pair, 0_u8..20);
    let one = one.prop_map(|(fails, choice, evidence, same, garbage)| TurnAction {
        fails: fails == 0,
        choice,
        evidence,
        same,
        garbage: garbage == 0,
    });
    proptest::collection::vec(one, 40)
}

/// The setup of a panel: the vendor of each seat, cross rounds, judge.
#[derive(Debug, Clone)]
struct Setup {
    vendors: Vec<u8>,
    rounds: u32,
    judge: u8,
    seed: u64,
}

fn setups() -> impl Strategy<Value = Setup> {
    let vendors = proptest::collection::vec(0_u8..3, 3..=5);
    (vendors, 0..=MAX_ROUNDS, 0_u8..3, any::<u64>())
        .prop_map(|(vendors, rounds, judge, seed)| Setup { vendors, rounds, judge, seed })
}

fn prepared(setup: &Setup) -> Driver<Machine> {
    let seats = setup.vendors.iter().enumerate();
    let seats = seats.map(|(seat, vendor)| {
        (seat_name(seat), seated(&format!("agent{seat}"), &format!("vendor{vendor}")))
    });
    let judge = (setup.judge == 1).then(|| (JUDGE.to_owned(), seated("judge", "vendor9")));
    Machine::open(Input {
        seats: seats.chain(judge).collect(),
        settings: Settings { max_rounds: setup.rounds, judge_from_seats: setup.judge == 2 },
        seed: setup.seed,
        ..input(3)
    })
    .unwrap()
}

fn reply(machine: &Driver<Machine>, turn: &Turn, does: TurnAction) -> Option<String> {
    if does.fails {
        return None;
    }
    if does.garbage {
        return Some("I would rather not.".to_owned());
    }
    let given: Vec<usize> = machine.protocol().answers.iter().map(|given| given.seat + 1).collect();
    let pick = |at: usize| given[at % given.len()];
    if turn.block_names() == ["ANSWER"] {
        return Some(block("ANSWER", &answer_body(&turn.id).to_string()));
    }
    if turn.block_names() == ["JUDGEMENT"] {
        let ballot = machine.protocol().ballots.last().unwrap();
        let first = ballot.choices.of(does.choice % given.len());
        return Some(ruling(machine, turn, given[first]));
    }
    let mut script = pick(does.choice).to_string();
    if does.evidence {
        script.push('!');
    }
    if let Some((one, other)) = does.same {
        let (one, other) = (pick(one), pick(other));
        script = format!("{script}={one}{other}");
    }
    vote(machine, turn, &script)
}

/// Runs a panel; returns its outcome, the number of turns asked, and the machine.
fn run(setup: &Setup, moves: &[TurnAction]) -> (Outcome, usize, Driver<Machine>) {
    let mut machine = prepared(setup);
    let mut turns = 0;
    loop {
        let open = asked(&machine);
        if open.is_empty() {
            return (done(&machine), turns, machine);
        }
        let answers: Vec<_> = (open.iter().enumerate())
            .map(|(at, turn)| {
                let does = moves[(turns + at) % moves.len()];
                said(&machine, turn, reply(&machine, turn, does).as_deref())
            })
            .collect();
        turns += open.len();
        assert!(turns < 100, "it does not end");
        machine.apply(answers);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// A panel ends within its bound of turns, and its result is consistent with the votes.
    #[test]
    fn every_panel_ends_and_only_votes_that_came_decide(setup in setups(), moves in moves()) {
        let (end, turns, machine) = run(&setup, &moves);
        let seats = setup.vendors.len();
        let rounds = usize::try_from(setup.rounds).unwrap();
        prop_assert!(turns <= seats * (2 + rounds) + 3, "{} turns", turns);
        prop_assert!(end.result.rounds.len() <= 2 + rounds);
        prop_assert!(end.outcome.closes() || end.outcome == DebateOutcome::Failed);
        let vendors_of = |choice: &str| -> BTreeSet<&String> {
            end.result.last_votes.iter().filter(|vote| vote.choice == choice).map(|vote| &vote.vendor).collect()
        };
        let votes_of = |choice: &str| end.result.last_votes.iter().filter(|vote| vote.choice == choice).count();
        let decided = matches!(end.outcome, Ended::Closed(DebateOutcome::Settled | DebateOutcome::OneVendor | DebateOutcome::Judged));
        prop_assert_eq!(end.result.decision.is_some(), decided);
        if end.outcome == DebateOutcome::Settled {
            // More than half of all seats, of two vendors: never fewer, never one.
            let won = end.result.choices.iter().find(|choice| choice.votes as usize * 2 > seats).unwrap();
            prop_assert!(votes_of(&won.id) * 2 > seats && vendors_of(&won.id).len() >= 2);
            prop_assert_eq!(&end.result.decision.as_ref().unwrap().text, &won.text);
            prop_assert_eq!(end.result.consensus, Share::of(won.votes.into(), seats as u64));
        }
        if end.outcome == DebateOutcome::Judged {
            let judge = end.result.expert.as_ref().unwrap();
            prop_assert!(judge.failure.is_none() && judge.own_answer.is_some());
            prop_assert!(judge.choices.len() == 2 && judge.choices[0] == judge.choices[1]);
            prop_assert!(end.result.choices.iter().any(|choice| choice.id == judge.choices[0]));
        }
        if setup.vendors.iter().all(|vendor| *vendor == setup.vendors[0]) {
            prop_assert_ne!(end.outcome, DebateOutcome::Settled, "one vendor settles nothing");
        }
        // Every vote is for an answer that was received and from a seat that voted, and each seat has one vote.
        let voters: BTreeSet<&String> = end.result.last_votes.iter().map(|vote| &vote.seat).collect();
        prop_assert_eq!(voters.len(), end.result.last_votes.len());
        for vote in &end.result.last_votes {
            prop_assert!(end.result.choices.iter().any(|choice| choice.id == vote.choice));
        }
        for choice in &end.result.choices {
            prop_assert_eq!(votes_of(&choice.id), choice.votes as usize);
            prop_assert_eq!(vendors_of(&choice.id).len(), choice.vendors as usize);
        }
        // Dissent is kept: every seat that ever voted is with the decision or in the dissent.
        if let Some(chosen) = end.result.choices.iter().find(|choice| Some(&choice.text) == end.result.decision.as_ref().map(|it| &it.text)) {
            for seat in 0..seats {
                let Some(vote) = machine.protocol().vote_of(seat) else { continue };
                let with = chosen.answers.contains(&super::super::letters::letter(vote.answer));
                let name = seat_name(seat);
                prop_assert!(with || end.result.dissent.iter().any(|each| each.seat == name), "{} is lost", name);
            }
        }
    }

    /// Failing one vote of the ballot, all others unchanged, settles nothing that was not settled before, and never
    /// for another choice.
    #[test]
    fn a_dead_seat_is_no_vote(setup in setups(), moves in moves(), dead in 0_usize..5) {
        let setup = Setup { rounds: 0, judge: 0, ..setup };
        let (end, ..) = run(&setup, &moves);
        let seats = setup.vendors.len();
        let mut failing = moves;
        failing[(seats + dead % seats) % 40].fails = true;
        let (other, ..) = run(&setup, &failing);
        if other.outcome == DebateOutcome::Settled && other.result.choices.iter().map(|choice| &choice.answers).eq(end.result.choices.iter().map(|choice| &choice.answers)) {
            prop_assert_eq!(end.outcome, DebateOutcome::Settled);
            prop_assert_eq!(other.result.decision, end.result.decision);
        }
    }
}
