//! Invariants under any reply.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::contract::{JUDGEMENT, POSITION, STANCES};
use super::tests::{shown, terms};
use super::*;
use crate::contract::{ReplyReader, template};
use crate::kernel::{Chance, RawReply};
use crate::protocol::debate::Stance;
use crate::protocol::testing::raw;

/// Any JSON value, biased towards the contents of blocks.
fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        (0_i64..5).prop_map(Value::from),
        "(P[1-4]|agree|partly|disagree|Agree, but|none|.{0,8})".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 5, |inner| {
        let key = "(summary|points|id|claim|importance|confidence|stances|point|stance|reason|amendment|missing|ruling|position)";
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            proptest::collection::btree_map(key, inner, 0..6)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// Any bytes and any JSON yield a reading or a defect with a problem, never a panic.
    #[test]
    fn anything_ends_in_an_answer_or_a_problem(
        bytes in proptest::collection::vec(any::<u8>(), 0..120), body in value(), last in any::<bool>(),
    ) {
        let chance = if last { Chance::Last } else { Chance::First };
        let ids = shown();
        for outline in [POSITION.outline, STANCES.outline, JUDGEMENT.outline] {
            let block = template::block(outline.name, &body.to_string());
            for reply in [RawReply { bytes: bytes.clone(), cut: false, ..RawReply::default() }, raw(&block)] {
                let Ok(mut reading) = ReplyReader::of(&reply, &[&outline], terms(&ids, chance)) else {
                    continue;
                };
                let said = match outline.name {
                    "POSITION" => reading.read(&POSITION, |judge, said| Some(Some(position(judge, said)))),
                    "STANCES" => reading.read(&STANCES, |judge, said| Some(stances(judge, said))).map(|_| None),
                    _ => reading.read(&JUDGEMENT, |judge, said| Some(judgement(judge, said))).map(|_| None),
                };
                match reading.close(said) {
                    Ok((None, _)) => {}
                    Ok((Some(position), _)) => {
                        prop_assert!(!position.points.is_empty() && !position.summary.is_empty());
                        prop_assert!(position.points.iter().all(|point| (1..=3).contains(&point.importance)));
                    }
                    Err(defect) => prop_assert!(!defect.problems.is_empty()),
                }
            }
        }
    }

    /// Accepted stances are on points that were shown, one each, and none of them agrees with an amendment.
    #[test]
    fn accepted_stances_keep_their_promises(
        entries in proptest::collection::vec(("P[1-5]", 0_usize..3, "(ok|Yes, but no|)", "(|less|none)"), 0..6),
    ) {
        let body = json!({ "stances": entries.iter().map(|(point, stance, reason, amendment)| json!({
            "point": point, "stance": Stance::ALL[*stance].name(), "reason": reason, "amendment": amendment,
        })).collect::<Vec<_>>() });
        let ids = shown();
        let block = template::block(STANCES.name(), &body.to_string());
        let mut reading = ReplyReader::of(&raw(&block), &[&STANCES.outline], terms(&ids, Chance::Last)).unwrap();
        let said = reading.read(&STANCES, |judge, said| Some(stances(judge, said)));
        if let Ok((stances, _)) = reading.close(said) {
            let points: BTreeSet<&String> = stances.stances.iter().map(|said| &said.point).collect();
            prop_assert_eq!(points.len(), stances.stances.len());
            prop_assert!(!points.is_empty() && points.iter().all(|point| ids.contains(point)));
            for said in &stances.stances {
                prop_assert!(said.stance != Stance::Agree || (said.amendment.is_none() && ["ok", ""].contains(&&*said.reason)));
                // No stance became more agreeable than it was written.
                let meant = entries.iter().any(|(point, stance, _, _)| {
                    *point == said.point && Stance::ALL[*stance].halves() >= said.stance.halves()
                });
                prop_assert!(meant);
            }
        }
    }
}
