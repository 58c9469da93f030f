//! Properties that hold for any replies and failures: no finding is lost, failed seats win nothing and clear nothing,
//! and no prompt names a seat.

use proptest::prelude::*;

use super::super::Role;
use super::super::model::{
    Ballot, CompositionBlock, CrossReviewBlock, Judgement, Merge, Severity, Stance,
    ValidationBlock, Verdict,
};
use super::super::status::awaits_rebuttal;
use super::super::testing::{
    AGENTS, asked, change, code, done, eliminates, failed, files, finding, ids, input, judged,
    review, role, seat,
};
use super::*;
use crate::kernel::{SeatStatus, Turn};

/// The reply to one turn, drawn before the turn is known.
#[derive(Debug, Clone)]
struct TurnAction {
    dead: bool,
    garbage: bool,
    /// Findings: whether in `a` or `b`, line, severity.
    findings: Vec<(bool, u32, Severity)>,
    stances: Vec<(Stance, bool)>,
    fates: Vec<u8>,
}

fn draw() -> impl Strategy<Value = TurnAction> {
    let severity = prop::sample::select(Severity::ALL.to_vec());
    let stance = prop::sample::select(Stance::ALL.to_vec());
    (
        prop::bool::weighted(0.15),
        prop::bool::weighted(0.05),
        prop::collection::vec((any::<bool>(), 1..45_u32, severity), 0..3),
        prop::collection::vec((stance, any::<bool>()), 1..4),
        prop::collection::vec(0..5_u8, 1..4),
    )
        .prop_map(|(dead, garbage, findings, stances, fates)| TurnAction {
            dead,
            garbage,
            findings,
            stances,
            fates,
        })
}

fn found(draw: &TurnAction) -> Vec<super::super::Finding> {
    let words = ["Overflow", "Rounding", "Deadlock", "Leak", "Injection"];
    draw.findings
        .iter()
        .map(|(first, line, severity)| {
            let name = if *first { "a" } else { "b" };
            let at = usize::try_from(*line).unwrap();
            finding(*severity, name, *line, words[at % words.len()])
        })
        .collect()
}

fn said(draw: &TurnAction, turn: &Turn) -> Content {
    let shown = ids(turn);
    match role(turn) {
        Role::Reviewer => review(found(draw)),
        Role::CrossReviewer => {
            let judgements = shown.iter().zip(draw.stances.iter().cycle());
            Content::Cross(CrossReviewBlock {
                judgements: judgements
                    .map(|(id, (stance, proven))| Judgement {
                        id: id.clone(),
                        stance: *stance,
                        reason: format!("Reason {proven}."),
                        evidence: proven.then(|| code("a", 3)),
                        only: None,
                        severity: draw.findings.first().map(|(.., severity)| *severity),
                        lines: None,
                        same_as: shown.last().filter(|other| *proven && *other != id).cloned(),
                    })
                    .collect(),
                missed_issues: found(draw),
            })
        }
        Role::Composer => {
            let mut said = CompositionBlock::default();
            for (id, fate) in shown.iter().zip(draw.fates.iter().cycle()) {
                match fate {
                    0 => said.eliminate.extend(match eliminates(&[id]) {
                        Content::Composition(one) => one.eliminate,
                        _ => Vec::new(),
                    }),
                    1 if *id != shown[0] => {
                        said.merge.push(Merge {
                            into: shown[0].clone(),
                            ids: vec![id.clone()],
                            reason: None,
                        });
                    }
                    _ => {}
                }
            }
            Content::Composition(said)
        }
        Role::Validator | Role::Prover | Role::Sandbox => {
            let votes = shown.iter().zip(draw.fates.iter().cycle());
            Content::Validation(ValidationBlock {
                votes: votes.map(|(id, fate)| Ballot::on(id, fate % 2 == 0)).collect(),
            })
        }
    }
}

fn reply(machine: &Driver<Machine>, turn: &Turn, draw: &TurnAction) -> Answer<Reply<Statement>> {
    if draw.dead {
        return failed(machine, turn);
    }
    let text =
        if draw.garbage { "I could not do that.".to_owned() } else { said(draw, turn).render() };
    judged(machine, turn, &text)
}

fn play(machine: &mut Driver<Machine>, draws: &[TurnAction], watch: &mut dyn FnMut(&Turn)) {
    let mut turns = 0;
    loop {
        let step = asked(machine);
        if step.is_empty() {
            return;
        }
        let answers = step
            .iter()
            .enumerate()
            .map(|(at, turn)| {
                watch(turn);
                reply(machine, turn, &draws[(turns + at) % draws.len()])
            })
            .collect();
        turns += step.len();
        machine.apply(answers);
    }
}

fn start(seats: usize, batches: bool, rounds: u32) -> Driver<Machine> {
    let mut input = input(seats);
    input.change = change(files(), batches);
    input.settings.max_rounds = rounds;
    Machine::open(input).unwrap()
}

fn draws() -> impl Strategy<Value = Vec<TurnAction>> {
    prop::collection::vec(draw(), 1..24)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn every_finding_is_somewhere_in_the_result_once(
        draws in draws(), seats in 2..=3_usize, batches in any::<bool>(), rounds in 1..=5_u32,
    ) {
        let mut machine = start(seats, batches, rounds);
        play(&mut machine, &draws, &mut |_| {});
        let outcome = done(&machine);
        prop_assert!(outcome.result.rounds.len() <= 1 + usize::try_from(rounds).unwrap());
        // Each finding that any seat wrote is in the result exactly once.
        let merged: usize = outcome.result.findings.iter().map(|each| each.reported.merged.len()).sum();
        let all = outcome.result.findings.len() + merged + outcome.result.eliminated.len() + outcome.result.suppressed.len();
        prop_assert_eq!(all, machine.protocol().state.groups.len());
        prop_assert!(outcome.result.scores.values().all(|score| (-30..=134).contains(&score.total)));
    }

    #[test]
    fn the_dead_win_nothing_clear_nothing_and_raise_no_confidence(
        draws in draws(), seats in 2..=3_usize, batches in any::<bool>(),
    ) {
        let mut machine = start(seats, batches, 3);
        play(&mut machine, &draws, &mut |_| {});
        let outcome = done(&machine);
        let failed: Vec<&str> = outcome.seats.iter()
            .filter(|seat| seat.status == SeatStatus::Failed)
            .map(|seat| seat.agent.as_str())
            .collect();
        if !failed.is_empty() {
            prop_assert_ne!(outcome.verdict, Verdict::Clean);
        }
        let batches = machine.protocol().state.input.change.batches.len();
        let whole = |seat: &usize| (0..batches).all(|batch| machine.protocol().state.reviewers.reviewed(*seat, batch));
        let answered = (0..seats).filter(whole).count();
        let most = 100 * answered / seats;
        prop_assert!(usize::try_from(outcome.result.confidence).unwrap() <= most);
        for (at, (agent, _)) in AGENTS.iter().enumerate().take(seats) {
            if !machine.protocol().state.reviewers.complete(at) {
                prop_assert!(outcome.result.winner.as_deref() != Some(agent));
                prop_assert!(outcome.result.composed_by.as_deref() != Some(agent));
                prop_assert!(!outcome.result.scores.contains_key(*agent));
            }
        }
        if outcome.result.degraded {
            prop_assert_eq!(outcome.verdict, Verdict::Undecided);
            prop_assert!(outcome.result.confidence <= 50);
        }
    }

    /// No prompt names a seat outside its own turn's id, and none of its lines can be mistaken for another turn's id.
    #[test]
    fn nobody_reads_a_seat(draws in draws(), seats in 2..=3_usize) {
        let mut machine = start(seats, false, 3);
        let mut named = Vec::new();
        play(&mut machine, &draws, &mut |turn| {
            let text = turn.prompt.text();
            let begins = text.lines().filter(|line| line.starts_with("turn: ")).count();
            let rest = text.replacen(&format!("turn: {}", turn.id), "", 1).to_lowercase();
            let words = rest.split(|c: char| !c.is_alphanumeric());
            let seats = words.filter(|word| ["s1", "s2", "s3"].contains(word));
            named.extend(seats.map(str::to_owned));
            named.extend((begins != 1).then(|| format!("{begins} turns")));
        });
        prop_assert!(named.is_empty(), "{named:?}");
    }

    /// No seat votes on its own findings, or is asked about one but to answer the one refutation of it, once.
    #[test]
    fn nobody_judges_its_own(draws in draws(), seats in 2..=3_usize) {
        let mut machine = start(seats, false, 3);
        loop {
            let step = asked(&machine);
            if step.is_empty() {
                break;
            }
            for turn in &step {
                if matches!(role(turn), Role::CrossReviewer | Role::Validator) {
                    for id in ids(turn) {
                        let group = machine.protocol().state.groups.iter().find(|group| group.id == id).unwrap();
                        let answers = role(turn) == Role::CrossReviewer && awaits_rebuttal(group);
                        prop_assert!(answers || !group.authors().contains(&seat(turn)), "{} {id}", turn.id);
                    }
                }
            }
            let answers = step.iter().enumerate()
                .map(|(at, turn)| reply(&machine, turn, &draws[at % draws.len()]))
                .collect();
            machine.apply(answers);
        }
    }
}
