//! Round trips: a rendered reply is read back, and any bytes yield a reply or a problem.

use proptest::prelude::*;

use super::*;
use crate::kernel::Chance;
use crate::kernel::share::Share;
use crate::protocol::debate::{Point, Ruling, Stance, StanceEntry};
use crate::protocol::testing::raw;
use crate::text::block::BlockLimits;

fn text() -> impl Strategy<Value = String> {
    "[A-Zäß中0-9.,:'\"{}\\[\\]\\\\/`#*-]{0,30}[a-z] [xyz]{1,9}"
}

fn ids() -> Vec<String> {
    ["P1", "P2", "P3"].map(str::to_owned).to_vec()
}

fn a_position() -> impl Strategy<Value = Position> {
    let point = (text(), text(), proptest::collection::vec(text(), 0..3), 1_u8..=3);
    let points = proptest::collection::vec(point, 1..5);
    (text(), points, proptest::collection::vec(text(), 0..3), 0_u16..=1000, any::<Option<bool>>())
        .prop_map(|(summary, points, risks, confidence, code_change_required)| Position {
            summary,
            points: (1..)
                .zip(points)
                .map(|(at, (claim, reasoning, evidence, importance))| Point {
                    id: format!("P{at}"),
                    // Duplicate claims would be merged, so each is numbered.
                    claim: format!("{at} {claim}"),
                    reasoning,
                    evidence,
                    importance,
                    keep: None,
                    kept_from: None,
                })
                .collect(),
            concedes: risks.clone(),
            changes: risks.clone(),
            risks,
            confidence: Some(Share::thousandths(confidence)),
            code_change_required,
        })
}

fn some_stances() -> impl Strategy<Value = Stances> {
    let stance = (0_usize..3, text(), text());
    (proptest::collection::vec(stance, 3), proptest::collection::vec(text(), 0..3)).prop_map(
        |(all, missing)| Stances {
            stances: ids()
                .into_iter()
                .zip(all)
                .map(|(point, (stance, reason, amendment))| {
                    let stance = Stance::ALL[stance];
                    StanceEntry {
                        point,
                        stance,
                        reason,
                        support: None,
                        amendment: (stance != Stance::Agree).then_some(amendment),
                    }
                })
                .collect(),
            missing,
        },
    )
}

fn a_judgement() -> impl Strategy<Value = Judgement> {
    let ruling = (text(), text());
    (proptest::collection::vec(ruling, 3), text(), 0_u16..=1000).prop_map(
        |(all, position, confidence)| Judgement {
            points: ids()
                .into_iter()
                .zip(all)
                .map(|(id, (ruling, reason))| Ruling { id, reason, ruling })
                .collect(),
            position,
            confidence: Some(Share::thousandths(confidence)),
            code_change_required: None,
        },
    )
}

fn everything() -> impl Strategy<Value = Content> {
    prop_oneof![
        a_position().prop_map(Content::Position),
        (some_stances(), a_position())
            .prop_map(|(stances, position)| Content::Both(stances, position)),
        some_stances().prop_map(Content::Stances),
        a_judgement().prop_map(Content::Judgement),
        proptest::option::of(text()).prop_map(Content::Remark),
    ]
}

/// Whether `said` is the kind of answer that `ask` calls for.
const fn answers(said: &Content, ask: Ask) -> bool {
    match ask {
        Ask::Remark => matches!(said, Content::Remark(_)),
        Ask::Propose | Ask::Position(_) | Ask::Alternative | Ask::Compromise => {
            matches!(said, Content::Position(_))
        }
        Ask::Review | Ask::Rebuttal => matches!(said, Content::Both(..)),
        Ask::Stances(_) | Ask::Answer => matches!(said, Content::Stances(_)),
        Ask::Expert => matches!(said, Content::Judgement(_)),
    }
}

fn read(ask: Ask, text: &str, chance: Chance) -> Result<Reply<Content>, Defect> {
    let shown = ids();
    let terms = ReplyRules { shown: &shown, chance, strict: true, limits: BlockLimits::default() };
    parse(ask, None, &raw(text), terms)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// P12: a rendered reply is read back without a note, and only as an answer to its own kind of turn.
    #[test]
    fn parse_of_render_is_the_same(said in everything(), noise in "[a-z .\n]{0,40}") {
        let text = format!("{noise}\n{}", said.render());
        let mut kinds = 0;
        for ask in Ask::ALL.into_iter().filter(|ask| answers(&said, *ask)) {
            kinds += 1;
            prop_assert_eq!(read(ask, &text, Chance::First), Ok(Reply { content: said.clone(), notes: Vec::new() }));
        }
        prop_assert!(kinds > 0);
    }

    /// P11: any bytes yield a reply, or a defect with a problem.
    #[test]
    fn any_bytes_end_in_a_reply_or_a_problem(text in ".{0,200}") {
        for ask in Ask::ALL {
            if let Err(defect) = read(ask, &text, Chance::Last) {
                prop_assert!(!defect.problems.is_empty());
            }
        }
    }
}

/// A model that repeats its instructions has not answered.
#[test]
fn an_echo_of_the_contract_is_no_answer() {
    for ask in Ask::ALL.into_iter().filter(|ask| *ask != Ask::Remark) {
        let echoed = super::super::contract::text(ask, None);
        assert!(read(ask, &echoed, Chance::Last).is_err(), "{ask:?}");
    }
    let echoed = super::super::contract::text(Ask::Remark, None);
    let shown = ids();
    let terms = ReplyRules {
        shown: &shown,
        chance: Chance::Last,
        strict: false,
        limits: BlockLimits::default(),
    };
    let reply = parse(Ask::Remark, None, &raw(&echoed), terms);
    assert!(reply.is_err() || reply.is_ok_and(|reply| reply.content == Content::Remark(None)));
}
