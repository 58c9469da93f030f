//! Tests of the lines of a run, with their kinds and colours.

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::kernel::Fact;
use crate::report::example::{self, Buffer};

fn shown(events: &[Event], volume: Volume) -> String {
    let buffer = Buffer::default();
    let mut reporter = Plain::new(Box::new(buffer.clone()), Look::plain(80), volume);
    for event in events {
        reporter.event(event).unwrap();
    }
    buffer.text()
}

#[test]
fn a_whole_debate_in_plain_lines() {
    insta::assert_snapshot!(shown(&example::eventful_debate(), Volume::Normal));
}

/// The ids of a topic debate's turns reveal more than its seats do: the proposer, the responder, the result of the
/// round.
#[test]
fn a_dialogue_in_plain_lines() {
    let turn = |id: &str, role: &str, agent: &str| {
        let started = EventKind::TurnStarted {
            turn: id.into(),
            role: role.into(),
            agent: agent.into(),
            vendor: "v".into(),
        };
        let mut finished = example::finished(role, agent, 1, None, 110_000, None);
        if let EventKind::TurnFinished { turn, .. } = &mut finished {
            id.clone_into(turn);
        }
        [started, finished]
    };
    let mut kinds = vec![EventKind::RoundOpened { round: 1, of: 4 }];
    kinds.extend(turn("r1/propose", "proposer", "claude"));
    kinds.extend(turn("r1/review", "reviewer", "gemini"));
    kinds.push(EventKind::Found(Fact {
        code: "round_closed".into(),
        turn: None,
        message: "round 1: consensus 45% (85% needed)".into(),
        data: json!({ "round": 1 }),
        warning: false,
    }));
    let events: Vec<Event> =
        (1..).zip(kinds).map(|(seq, kind)| example::event(seq, kind)).collect();
    insta::assert_snapshot!(shown(&events, Volume::Normal), @r"
    === Round 1 of 4 ===
    · proposer (claude) proposes
    ✓ proposer (claude): 3.2s, no call, spent $0.11
    · reviewer (gemini) reviews
    ✓ reviewer (gemini): 3.2s, no call, spent $0.11
      round 1: consensus 45% (85% needed)
    ");
}

#[test]
fn verbose_lines_begin_with_the_time() {
    let text = shown(&example::eventful_debate()[1..3], Volume::Verbose);
    insta::assert_snapshot!(text, @r"
       2.0s  === Round 1 of 3 ===
       3.0s  · champion (claude) is asked
    ");
}

#[test]
fn quiet_says_only_what_went_wrong() {
    insta::assert_snapshot!(shown(&example::eventful_debate(), Volume::Quiet));
}

fn start(resumed: bool, rehearsal: bool, spent: u64) -> Event {
    example::event(
        1,
        EventKind::SessionStarted {
            session: example::SESSION.into(),
            protocol: "backlog",
            title: "6 opportunities to rank".into(),
            resumed,
            rehearsal,
            budget: Some(example::usd(2_500_000)),
            spent: example::usd(spent),
        },
    )
}

#[test]
fn a_rehearsal_says_so_first_also_when_quiet() {
    for volume in [Volume::Normal, Volume::Quiet] {
        let text = shown(&[start(false, true, 0)], volume);
        assert_eq!(text.lines().next(), Some(REHEARSAL));
    }
}

#[test]
fn each_kind_of_session_goes_by_its_own_word() {
    for (kind, word) in [
        ("backlog", "Debate"),
        ("debate", "Debate"),
        ("discuss", "Critique"),
        ("inquiry", "Inquiry"),
        ("plan", "Plan"),
        ("review", "Review"),
    ] {
        let mut event = start(false, false, 0);
        if let EventKind::SessionStarted { protocol, .. } = &mut event.kind {
            *protocol = kind;
        }
        let text = shown(&[event], Volume::Normal);
        assert!(text.starts_with(&format!("{word}: ")), "{kind}: {text}");
    }
}

#[test]
fn several_sessions_say_once_that_they_are_rehearsed() {
    let text = shown(&[start(false, true, 0), start(false, true, 0)], Volume::Normal);
    assert_eq!(text.matches(REHEARSAL).count(), 1, "{text}");
    assert_eq!(text.matches("Debate: ").count(), 2, "{text}");
}

#[test]
fn a_warning_is_said_once_a_session() {
    let warning = |turn: &str, message: &str| {
        let fact = Fact {
            code: "cost_estimated".into(),
            turn: Some(turn.into()),
            message: message.into(),
            data: json!({}),
            warning: true,
        };
        example::event(2, EventKind::Found(fact))
    };
    let events = [
        start(false, false, 0),
        warning("r1/product", "gemini names no cost"),
        warning("r1/technical", "codex names no model"),
        warning("r1/risk", "gemini names no cost"),
        start(false, false, 0),
        warning("r1/product", "gemini names no cost"),
    ];
    insta::assert_snapshot!(shown(&events, Volume::Quiet), @r"
    ! gemini names no cost
    ! codex names no model
    ! gemini names no cost
    ");
}

#[test]
fn a_resume_says_what_was_spent_before() {
    insta::assert_snapshot!(
        shown(&[start(true, false, 313_100)], Volume::Normal),
        @"Debate resumed: 6 opportunities to rank (0199a3c2-7f11, $0.3131 of $2.50 spent before)"
    );
}

#[test]
fn a_replayed_turn_is_not_shown_as_paid_again() {
    let EventKind::TurnFinished { turn, role, seated, failure, took, cost, spent, .. } =
        example::eventful_debate().remove(4).kind
    else {
        panic!("the fifth event ends a turn")
    };
    let replayed = true;
    let kind = EventKind::TurnFinished { turn, role, seated, failure, replayed, took, cost, spent };
    insta::assert_snapshot!(
        shown(&[example::event(1, kind)], Volume::Normal),
        @"✓ champion (claude): from the journal, $0.11, not paid for again"
    );
}

#[test]
fn a_closed_standard_error_does_not_end_the_run() {
    for kind in [io::ErrorKind::BrokenPipe, io::ErrorKind::StorageFull] {
        let out = Box::new(example::Refusing(kind));
        let mut reporter = Plain::new(out, Look::plain(80), Volume::Normal);
        for event in example::eventful_debate() {
            reporter.event(&event).unwrap();
        }
    }
}

proptest! {
    #[test]
    fn no_text_of_others_brings_a_control_or_a_line(evil in example::evil_text()) {
        let mut events = vec![
            example::event(1, example::started(&evil, &evil, &evil, 1)),
            example::event(2, EventKind::TurnRepairing { turn: "r1/x".into(), defect: evil.clone() }),
            example::event(3, EventKind::TurnFellBack { turn: evil.clone(), from: evil.clone(), to: evil.clone() }),
        ];
        let failure = Failure { class: FailureClass::EmptyReply, message: evil.clone() };
        events.push(example::event(4, example::finished(&evil, &evil, 1, None, 0, Some(failure))));
        let text = shown(&events, Volume::Normal);
        prop_assert_eq!(text.lines().count(), events.len());
        prop_assert!(example::is_inert(&text), "{:?}", text);
    }
}
