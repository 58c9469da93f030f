//! Properties that hold for any bytes: no panic, and rendered answers are read back.

use proptest::prelude::*;

use super::super::testing::raw;
use super::*;
use crate::contract::template::block;

fn shown() -> Vec<String> {
    ["F1", "F2", "F3"].map(str::to_owned).to_vec()
}

/// Returns JSON that is nearly valid.
fn nearly() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        prop::sample::select(vec![
            "F1", "f2", "F9", "P0", "p1", "agree", "approve", "42", "7-3", ""
        ])
        .prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
    ];
    let value = leaf.prop_recursive(4, 40, 5, |inner| {
        let key = prop::sample::select(vec![
            "findings",
            "severity",
            "title",
            "file",
            "line",
            "end_line",
            "quote",
            "detail",
            "fix",
            "judgements",
            "id",
            "stance",
            "reason",
            "evidence",
            "missed_issues",
            "keep",
            "merge",
            "into",
            "ids",
            "eliminate",
            "votes",
            "vote",
            "residual_risks",
            "open_questions",
        ])
        .prop_map(str::to_owned);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map(key, inner, 0..8)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    });
    value.prop_map(|value| value.to_string())
}

proptest! {

    /// An accepted answer contains only ids that were shown and content that was asked for, and the last chance is
    /// never stricter than the first.
    #[test]
    fn what_comes_through_is_what_was_asked_for(body in nearly()) {
        let ids = shown();
        for role in Role::ALL {
            let text = block(contract::outline(role).name, &body);
            let first = parse(role, &raw(&text), ReplyRules { shown: &ids, chance: Chance::First }, &[]);
            let last = parse(role, &raw(&text), ReplyRules { shown: &ids, chance: Chance::Last }, &[]);
            if let Ok(first) = &first {
                prop_assert_eq!(&Ok(first.clone()), &last);
                prop_assert_eq!(first.content.left_out, 0);
            }
            let Ok(reply) = last else { continue };
            let known = |id: &String| ids.contains(id);
            match &reply.content.said {
                Content::Review(said) => {
                    prop_assert!(said.findings.iter().all(|each| !each.title.is_empty() && !each.file.is_empty()));
                }
                Content::Cross(said) => prop_assert!(said.judgements.iter().all(|each| known(&each.id))),
                Content::Composition(said) => {
                    prop_assert!(said.keep.iter().all(|each| known(&each.id)));
                    prop_assert!(said.eliminate.iter().all(|each| known(&each.id) && !each.reason.is_empty()));
                    prop_assert!(said.merge.iter().all(|each| known(&each.into) && each.ids.iter().all(known)));
                }
                Content::Validation(said) => prop_assert!(said.votes.iter().all(|each| known(&each.id))),
                Content::Reproduction(said) => prop_assert!(said.files.is_empty() || !said.test.is_empty()),
                Content::Test(report) => prop_assert!(report.runs.len() < 1_000),
            }
        }
    }
}
