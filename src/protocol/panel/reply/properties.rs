//! Invariants under any reply.

use proptest::prelude::*;
use serde_json::json;

use super::tests::{ask, letters, terms};
use super::*;
use crate::contract::template;
use crate::kernel::share::Share;
use crate::protocol::debate::Ruling;
use crate::protocol::debate::ballot::AnswerBlock;

/// Text whose last word never means "nothing", which would be read as an empty list.
fn text() -> impl Strategy<Value = String> {
    "[A-Za-zäß中 0-9.,:'\"{}\\[\\]\\\\/`#*-]{0,60}x".prop_map(|text| {
        let words: Vec<&str> = text.split_whitespace().collect();
        words.join(" ")
    })
}

fn share() -> impl Strategy<Value = Share> {
    (0_u16..=1000).prop_map(Share::thousandths)
}

fn letter() -> impl Strategy<Value = String> {
    proptest::sample::select(letters())
}

fn said() -> impl Strategy<Value = Content> {
    let lines = || proptest::collection::vec(text(), 0..3);
    let answer =
        (text(), lines(), lines(), share()).prop_map(|(answer, reasons, evidence, confidence)| {
            Content::Answer(AnswerBlock {
                reasons,
                evidence,
                option: None,
                with: None,
                answer,
                confidence: Some(confidence),
            })
        });
    let group = proptest::sample::subsequence(letters(), 2..=3);
    let groups = proptest::collection::vec(group, 0..3);
    let moved = proptest::option::of(text().prop_map(|text| format!("because {text}")));
    let vote = (letter(), groups, any::<bool>(), moved, text()).prop_map(
        |(choice, same_as, changed, moved_by, reason)| {
            Content::Vote(VoteBlock { choice, same_as, changed: Some(changed), moved_by, reason })
        },
    );
    let texts = proptest::collection::vec((text(), text()), 3);
    let ruling = (texts, letter(), share(), proptest::option::of(any::<bool>())).prop_map(
        |(texts, position, confidence, code_change_required)| {
            let point = |(id, (ruling, reason))| Ruling { id, reason, ruling };
            Content::Ruling(Judgement {
                points: letters().into_iter().zip(texts).map(point).collect(),
                position,
                confidence: Some(confidence),
                code_change_required,
            })
        },
    );
    prop_oneof![answer, vote, ruling, text().prop_map(Content::Remark)]
}

/// Whether it is the kind of answer that a turn asks for.
const fn fits(said: &Content, ask: Ask) -> bool {
    match said {
        Content::Answer(_) => matches!(ask, Ask::Answer | Ask::Own),
        Content::Vote(_) => matches!(ask, Ask::Vote | Ask::Cross),
        Content::Ruling(_) => matches!(ask, Ask::Ruling),
        Content::Remark(_) => matches!(ask, Ask::Remark),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// A rendered reply is read back unchanged, without a note.
    #[test]
    fn parse_of_render_is_the_same(said in said(), noise in "[a-z .\n]{0,40}") {
        let text = format!("{noise}\n{}{noise}", said.render());
        for each in Ask::ALL.into_iter().filter(|ask| fits(&said, *ask)) {
            prop_assert_eq!(ask(each, &text, Chance::First), Ok(Reply { content: said.clone(), notes: Vec::new() }));
        }
    }

    /// Any bytes yield a reply, or a defect with a problem; only a remark can be made of nothing.
    #[test]
    fn any_bytes_end_in_a_reply_or_a_problem(bytes in proptest::collection::vec(any::<u8>(), 0..200), cut in any::<bool>()) {
        for each in Ask::ALL {
            let reply = RawReply { bytes: bytes.clone(), cut, ..RawReply::default() };
            match parse(each, &reply, Chance::Last, terms(&letters())) {
                Ok(reply) => prop_assert_eq!(reply.content, Content::Remark(String::new())),
                Err(defect) => prop_assert!(!defect.problems.is_empty()),
            }
        }
    }

    /// Whatever is written for letters, an accepted vote is for an answer that was shown, and so are the answers that
    /// it considers the same.
    #[test]
    fn a_vote_is_for_what_was_shown(
        choice in "[a-eA-E ]{0,2}", groups in proptest::collection::vec(proptest::collection::vec("[A-Ea-e]", 0..4), 0..4), last in any::<bool>(),
    ) {
        let body = json!({ "choice": choice, "same_as": groups, "changed": false, "reason": "r" });
        let chance = if last { Chance::Last } else { Chance::First };
        if let Ok(Reply { content: Content::Vote(said), .. }) = ask(Ask::Vote, &template::block(VOTE.name(), &body.to_string()), chance) {
            prop_assert!(letters().contains(&said.choice));
            prop_assert!(said.choice.eq_ignore_ascii_case(choice.trim()));
            for group in &said.same_as {
                prop_assert!(group.len() > 1 && group.iter().all(|letter| letters().contains(letter)));
                prop_assert!(group.windows(2).all(|pair| pair[0] < pair[1]));
            }
        }
    }
}
