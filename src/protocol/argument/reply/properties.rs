//! No reply does harm, and every accepted reply can be submitted.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::testing::*;
use crate::kernel::Chance;

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-2.0..2.0_f64).prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
        prop_oneof![
            Just("A1"),
            Just("C1"),
            Just("source"),
            Just("proposal"),
            Just("src/store.rs:3")
        ]
        .prop_map(Value::from),
    ];
    let key = prop_oneof![
        Just("id"),
        Just("text"),
        Just("claim"),
        Just("how"),
        Just("type"),
        Just("data"),
        Just("name"),
        Just("points"),
    ];
    leaf.prop_recursive(3, 24, 4, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::btree_map(key.clone(), inner, 0..4).prop_map(|map| json!(map)),
        ]
    })
}

fn fields() -> impl Strategy<Value = Value> {
    let key = prop_oneof![
        Just("type"),
        Just("content"),
        Just("references"),
        Just("evidence"),
        Just("confidence_score"),
        Just("impact_areas"),
        Just("concerns"),
        Just("addresses"),
        Just("feasibility"),
        Just("risks"),
    ];
    proptest::collection::btree_map(key, value(), 0..3).prop_map(|map| json!(map))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_argument_is_read_or_refused_and_what_is_read_can_be_taken(more in fields(), first in any::<bool>()) {
        use crate::protocol::debate::typed::ArgumentType;
        let mut machine = machine();
        let turn = only(&machine).unwrap();
        let text = argument(ArgumentType::Proposal, more);
        let chance = if first { Chance::First } else { Chance::Last };
        match machine.read(&turn, &raw(&text), chance) {
            Ok(reply) => {
                machine.apply(vec![answer(&turn, sits(&machine, &turn), Ok(reply))]);
                prop_assert_eq!(only(&machine).unwrap().id, "r1/challenge");
            }
            Err(defect) => prop_assert!(!defect.problems.is_empty()),
        }
    }

}
