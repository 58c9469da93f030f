//! Tests of the lines of a run, with their kinds and colours.

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::engine::events::Course;
use crate::kernel::{Fact, Failure};
use crate::report::example::{self, Buffer};

fn shown(events: &[Event], volume: Volume) -> String {
    let buffer = Buffer::default();
    let mut reporter = Plain::new(Box::new(buffer.clone()), Look::plain(80), volume);
    for event in events {
        reporter.event(event).unwrap();
    }
    buffer.text()
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
            course: Course::default(),
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
fn a_replayed_turn_is_not_shown_as_paid_again() {
    let EventKind::TurnFinished { turn, role, seated, failure, took, cost, spent, gist, .. } =
        example::eventful_debate().remove(4).kind
    else {
        panic!("the fifth event ends a turn")
    };
    let replayed = true;
    let kind =
        EventKind::TurnFinished { turn, role, seated, failure, replayed, took, cost, spent, gist };
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
