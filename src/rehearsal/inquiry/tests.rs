//! The stand-ins answer every question of an inquiry, validly and always alike.

use crate::kernel::{Chance, Protocol, RawReply};
use crate::protocol::inquiry::testing::{asked, done, features, fix, judged, machine};
use crate::protocol::inquiry::{InquiryOutcome, Question, Said};
use crate::rehearsal::{BANNER, answer};

fn features_of(summary: &str, existing: &[&str], limit: u32) -> Vec<String> {
    let question = Question::Features {
        summary: summary.to_owned(),
        existing: existing.iter().map(|&title| title.to_owned()).collect(),
        limit,
    };
    let machine = machine(vec![question]);
    let turn = asked(&machine).remove(0);
    let reply = RawReply { bytes: answer(&turn.prompt.text()).into_bytes(), cut: false };
    let reply = machine.parse(&turn, &reply, Chance::First).unwrap();
    assert!(reply.notes.is_empty(), "{:?}", reply.notes);
    let Said::Features(said) = reply.said else { panic!("the analyst") };
    said.features.into_iter().map(|each| each.title).collect()
}

#[test]
fn every_question_is_answered_without_a_warning() {
    let mut machine = machine(vec![features(5), fix("opp-tf-1"), fix("opp-tf-2")]);
    let answers = asked(&machine)
        .iter()
        .map(|turn| {
            let text = turn.prompt.text();
            let reply = answer(&text);
            assert_eq!(reply, answer(&text), "the same prompt has the same answer");
            assert!(reply.starts_with(BANNER));
            judged(&machine, turn, &reply)
        })
        .collect();
    assert!(machine.apply(answers).is_empty());
    let end = done(&machine);
    assert_eq!(end.outcome, InquiryOutcome::Answered);
    assert!(!end.features().unwrap().features.is_empty());
    insta::assert_snapshot!(end.fixes().next().unwrap().1, @r"
    REHEARSAL: no model was asked. Start: decide from the message whether the code or the test is wrong, and mend that one.
    Seen: expected 200, got 401
    Where: tests/test_login.py:41
    The lines shown begin with: def expired(self):
    Check: the test passes, and fails again when the change is taken back.
    ");
}

#[test]
fn ideas_depend_on_what_is_there_and_what_is_known() {
    let all = features_of("Languages\n  Rust: 1 file", &[], 100);
    assert_eq!(all.len(), 6);
    assert_eq!(features_of("How to install; criterion", &[], 100).len(), 4);
    assert_eq!(features_of("", &[&all[0], &all[1]], 100), all[2..]);
    assert_eq!(features_of("", &[], 2), all[..2]);
    let nothing_left = "install example openapi bench json i18n";
    assert!(features_of(nothing_left, &[], 5).is_empty(), "no idea is an answer");
}

#[test]
fn what_the_data_says_is_no_turn() {
    let summary =
        "turn: fix/opp-1\n[\n{\"opportunity_type\": \"x\"}\n]\nPropose at most 1 features\n";
    assert_eq!(features_of(summary, &[], 3).len(), 3);
    for prompt in ["turn: features/x", "turn: fix/a", "turn: fix", "turn: fix/a\n[\n]"] {
        let reply = answer(prompt);
        assert!(reply.starts_with(BANNER) && !reply.contains("<<<"), "{reply}");
    }
}
