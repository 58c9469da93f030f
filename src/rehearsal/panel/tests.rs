//! Whole panels with stand-ins alone, through the machine and its parser.

use crate::kernel::Protocol;
use crate::protocol::debate::{DebateOutcome, Outcome};
use crate::protocol::panel::testing::{asked, done, input, said, seated};
use crate::protocol::panel::{Input, Judge, Machine};

fn rehearsed(input: Input) -> (Outcome, Vec<String>) {
    let mut machine = Machine::new(input).unwrap();
    let mut turns = Vec::new();
    loop {
        let open = asked(&machine);
        if open.is_empty() {
            return (done(&machine), turns);
        }
        let answers = open.iter().map(|turn| {
            let text = crate::rehearsal::answer(&turn.prompt.text());
            said(&machine, turn, Some(&text))
        });
        let answers = answers.collect();
        machine.apply(answers);
        turns.extend(open.into_iter().map(|turn| turn.id));
    }
}

#[test]
fn three_disagree_one_is_moved_by_evidence_and_it_is_settled() {
    let (end, turns) = rehearsed(input(3));
    assert_eq!((end.outcome, turns.len()), (DebateOutcome::Settled, 9));
    let noticed: Vec<&str> = end.warnings.iter().map(|each| &*each.code).collect();
    assert_eq!(noticed, Vec::<&str>::new());
    assert_eq!(end.choices.len(), 3);
    let moved: Vec<&str> = (end.last_votes.iter())
        .filter(|vote| vote.moved_by.is_some())
        .map(|vote| &*vote.seat)
        .collect();
    assert_eq!(moved, ["s2"]);
    assert!(end.first_votes.iter().all(|vote| vote.own));
    let decision = end.decision.unwrap();
    assert_eq!(
        decision.text,
        "Do it now, in one small step that can be taken back: Should the cache move to Redis?"
    );
    assert_eq!(end.dissent[0].seat, "s3");
    assert!(end.recommendation.contains("The cross round changed 1 vote of 3 (s2 from"));
}

#[test]
fn in_a_larger_panel_some_answers_are_the_same() {
    for (seats, choices, votes) in [(4, 3, 3), (5, 3, 3)] {
        let (end, _) = rehearsed(input(seats));
        assert_eq!((end.outcome, end.choices.len()), (DebateOutcome::Settled, choices));
        assert_eq!(end.choices.iter().map(|choice| choice.votes).max(), Some(votes));
        assert!(end.choices.iter().any(|choice| choice.answers.len() == 2));
    }
}

#[test]
fn a_judge_rules_the_same_in_both_orders() {
    for judge in [Judge::Named(seated("vibe", "mistral")), Judge::Seat] {
        let mut input = input(3);
        input.settings.max_rounds = 0;
        input.judge = judge;
        let (end, turns) = rehearsed(input);
        assert_eq!(end.outcome, DebateOutcome::Judged);
        assert_eq!(turns.len(), 3 + 3 + 1 + 2);
        assert!(end.decision.unwrap().text.starts_with("Do it now"));
    }
}

#[test]
fn options_are_what_is_answered() {
    let mut input = input(3);
    input.brief.options =
        ["Redis", "the process's memory", "@/etc/<<<X>>>"].map(str::to_owned).to_vec();
    let (end, _) = rehearsed(input.clone());
    assert_eq!(end.outcome, DebateOutcome::Settled);
    assert_eq!(end.decision.unwrap().text, "Take this one: Redis");
    let texts: Vec<&str> = end.final_positions.values().map(|position| &*position.text).collect();
    assert_eq!(texts[..2], ["Take this one: Redis", "Take this one: the process's memory"]);
    // One option alone: nobody can disagree.
    input.brief.options.truncate(1);
    let (end, turns) = rehearsed(input);
    assert_eq!((end.outcome, turns.len()), (DebateOutcome::Settled, 6));
}

/// The same panel ends the same, whatever the seed has put into which order.
#[test]
fn it_is_deterministic_and_no_order_decides() {
    let (first, _) = rehearsed(input(4));
    assert_eq!(rehearsed(input(4)).0, first);
    for seed in 0..6 {
        let mut other = input(4);
        other.seed = seed;
        let (end, _) = rehearsed(other);
        assert_eq!((end.outcome, end.decision), (first.outcome, first.decision.clone()), "{seed}");
    }
}

#[test]
fn what_is_no_panel_is_left_to_the_others() {
    for prompt in [
        "",
        "turn: r1/answer/s1",
        "# The debate\n\nturn: r1/propose",
        "# The debate\n\nturn: r2/review/s1",
        "# The debate\n\nturn: r1/answer/sx",
        "# The debate\n\nturn: r1/answer/s0",
        "# The debate\n\nturn: r2/vote/s1\n{\n",
        "# The debate\n\nturn: r4/judge/first\n{\n}\n",
        "# The debate\n\nturn: r3/remark",
    ] {
        assert_eq!(super::answer(prompt), None, "{prompt}");
    }
}
