//! The stand-ins play whole debates of typed arguments.

use crate::kernel::{Protocol as _, Turn};
use crate::protocol::argument::testing::{asked, done, input, judged};
use crate::protocol::argument::{Input, Machine};
use crate::protocol::debate::{ContextFile, DebateOutcome, Outcome};
use crate::rehearsal::{BANNER, answer};

fn play(input: Input) -> (Outcome, Vec<String>) {
    let mut machine = Machine::new(input).unwrap();
    let mut turns = Vec::new();
    while let Some(turn) = asked(&machine) {
        let reply = reply(&turn);
        turns.push(turn.id.clone());
        let answer = judged(&machine, &turn, &reply);
        machine.apply(vec![answer]);
    }
    (done(&machine), turns)
}

fn reply(turn: &Turn) -> String {
    let text = turn.prompt.text();
    let reply = answer(&text);
    assert_eq!(reply, answer(&text), "the same prompt has the same answer");
    assert!(reply.starts_with(BANNER));
    reply
}

#[test]
fn a_default_rehearsal_moves_from_round_to_round_and_ends_in_consensus() {
    let (end, turns) = play(input());
    assert_eq!(
        turns,
        [
            "r1/proposal",
            "r1/challenge",
            "r1/defense",
            "r1/reply",
            "r1/resolution",
            "r1/stances",
            "r2/proposal",
            "r2/challenge",
            "r2/defense",
            "r2/reply",
            "r2/resolution",
            "r2/stances",
            "r3/proposal",
            "r3/challenge",
            "r3/defense",
            "r3/reply",
            "r3/stances",
        ]
    );
    assert_eq!(end.outcome, DebateOutcome::ConsensusReached);
    assert!(end.warnings.is_empty(), "{:?}", end.warnings);
    let agreement: Vec<u16> = (end.rounds.iter())
        .map(|round| round.metrics.as_ref().unwrap().agreement_score.get())
        .collect();
    // Of three concerns one is met and one in part; then of three one and two in part; then points alone: 5.5 of 6.
    assert_eq!(agreement, [500, 666, 916]);
    let decision = end.decision.unwrap();
    assert!(decision.text.contains("Should the cache move to Redis"), "{}", decision.text);
}

#[test]
fn fewer_rounds_end_without_consensus() {
    for rounds in [1, 2] {
        let mut input = input();
        input.settings.max_rounds = rounds;
        assert_eq!(play(input).0.outcome, DebateOutcome::Deadlocked);
    }
}

#[test]
fn options_and_context_are_spoken_of() {
    let mut input = input();
    input.brief.options = vec!["Move it".to_owned(), "Leave it".to_owned()];
    input.brief.context = vec![ContextFile {
        name: "load.md".to_owned(),
        text: "# Load\nThe cache answers within three milliseconds.\n".to_owned(),
        cut: false,
    }];
    let (end, _) = play(input);
    assert!(end.decision.unwrap().text.contains("take \"Move it\""));
    let first = &end.rounds[0].arguments[0];
    assert_eq!(first.said.evidence[0].checked, Some(true));
    assert_eq!(end.rounds[0].metrics.as_ref().unwrap().evidence_strength.get(), 555);
}

#[test]
fn other_prompts_are_left_to_others() {
    for prompt in
        ["", "turn: r1/proposal", "turn: r1/propose\n{\n\"round\": 1\n}", "turn: r1/proposal\n{\n}"]
    {
        assert!(super::answer(prompt).is_none(), "{prompt}");
    }
}
