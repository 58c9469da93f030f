//! Properties of any reply: P11 and P12 of `docs/promises.md`, and the ranges.

use proptest::prelude::*;

use serde_json::{Value, json};

use super::super::testing::*;
use super::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    /// Whatever the fields contain, an accepted answer obeys the ranges, the limit and the rule of titles.
    #[test]
    fn what_is_accepted_obeys_the_ranges(
        entries in proptest::collection::vec(
            ("[ab\u{200b} ]{0,3}", proptest::collection::vec(prop_oneof![
                (-2_i32..14).prop_map(Value::from),
                (-2.0_f64..14.0).prop_map(Value::from),
                "[0-9./ e-]{0,5}".prop_map(Value::from),
                Just(Value::Null),
            ], 4)), 0..8),
    ) {
        let entries: Vec<Value> = entries.into_iter().map(|(title, numbers)| json!({
            "title": title, "description": "d", "user_value": "u", "existing_code": [],
            "impact": numbers[0], "effort": numbers[1], "leverage": numbers[2], "risk": numbers[3],
        })).collect();
        let given = entries.len();
        let text = proposal(&Value::from(entries));
        let analyst = |chance| parse(features(3).ask(), &raw(&text), chance);
        let first = analyst(Chance::First);
        match analyst(Chance::Last) {
            Ok(reply) => {
                let Content::Features(said) = &reply.content else { panic!("the analyst") };
                prop_assert!(said.features.len() <= 3 && (given == 0) == said.features.is_empty());
                let mut titles = BTreeSet::new();
                for each in &said.features {
                    for number in [each.impact, each.effort, each.leverage, each.risk] {
                        prop_assert!((1.0..=10.0).contains(&number));
                    }
                    prop_assert!(!each.title.is_empty() && titles.insert(each.title.to_lowercase()));
                }
                // An answer accepted on the first chance is complete: no feature of it is left out.
                if let Ok(first) = first {
                    prop_assert_eq!(&first.content, &reply.content);
                    prop_assert_eq!(said.features.len(), given);
                }
            }
            Err(_) => prop_assert!(given > 0 && first.is_err()),
        }
    }
}
