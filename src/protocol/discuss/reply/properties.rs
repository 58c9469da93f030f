//! Properties of any reply.

use std::collections::HashSet;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::testing::{perspective, raw};
use super::*;
use crate::contract::Declaration;
use crate::contract::generous::says_nothing;
use crate::contract::template::block;

fn text() -> impl Strategy<Value = String> {
    "[A-Za-zäß中0-9.,:'\"{}\\[\\]\\\\/`#*@ -]{0,60}[b-y]{2}x".prop_map(|text| {
        let words: Vec<&str> = text.split_whitespace().collect();
        words.join(" ")
    })
}

fn name() -> impl Strategy<Value = &'static str> {
    proptest::sample::select(vec!["product", "risk", "coverage", "own"])
}

fn chance() -> impl Strategy<Value = Chance> {
    proptest::sample::select(vec![Chance::First, Chance::Last])
}

/// Returns any small JSON value.
fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-3_i64..9).prop_map(Value::from),
        (0_i64..60).prop_map(|tenths| json!(f64::from(i32::try_from(tenths).unwrap()) / 10.0)),
        "[0-9]{0,2}(/5)?".prop_map(Value::from),
        "[a-z ]{0,8}".prop_map(Value::from),
        proptest::sample::select(vec!["low", "High", "critical", "none"]).prop_map(Value::from),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            proptest::collection::btree_map("[a-z]{1,3}", inner, 0..2)
                .prop_map(|map| map.into_iter().collect()),
        ]
    })
}

/// Returns objects that look like critiques, partly well-formed.
fn body() -> impl Strategy<Value = Value> {
    let keys: Vec<&str> = Critique::ITEM.fields.iter().map(|spec| spec.key).collect();
    let key = proptest::sample::select(keys);
    let lists =
        proptest::collection::vec((key.clone(), proptest::collection::vec(text(), 0..3)), 0..9);
    let odd = proptest::collection::vec((key, value()), 0..3);
    (lists, odd, value()).prop_map(|(lists, odd, rating)| {
        let mut body = json!({ "strengths": [], "weaknesses": [], "suggestions": [] });
        for (key, list) in lists {
            body[key] = json!(list);
        }
        body["rating"] = rating;
        for (key, value) in odd {
            body[key] = value;
        }
        body
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// A parsed rating was in the reply, as a number or as words, and so was every level and point.
    #[test]
    fn nothing_is_invented(name in name(), body in body(), chance in chance()) {
        let text = block(contract::CRITIQUE.name(), &body.to_string());
        if let Ok(Reply { content: critique, notes }) = parse(&perspective(name), &raw(&text), chance) {
            let written = match &body["rating"] {
                Value::String(text) => {
                    text.trim_end_matches("/5").trim_start_matches('0').to_owned()
                }
                other @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => {
                    other.to_string().trim_end_matches(".0").to_owned()
                }
            };
            prop_assert_eq!(critique.rating.to_string(), written);
            prop_assert!((1..=5).contains(&critique.rating));
            match (critique.risk_level, &body["risk_level"]) {
                (None, level) => {
                    let said = level.is_null() || notes.iter().any(|note| note.message.contains("risk_level"));
                    prop_assert!(said && name != "risk");
                }
                (Some(level), Value::String(word)) => prop_assert_eq!(level.name(), word.to_lowercase()),
                (Some(_), other) => prop_assert!(false, "{}", other),
            }
            let says = |value: &&Value| !value.as_str().is_some_and(says_nothing);
            let given = |key: &str| match body[key].as_array() {
                Some(entries) => entries.iter().filter(says).collect::<HashSet<_>>().len(),
                None => usize::from(body[key].is_string()),
            };
            for (key, points) in [
                ("strengths", &critique.strengths), ("weaknesses", &critique.weaknesses), ("suggestions", &critique.suggestions),
                ("risks", &critique.risks), ("covered", &critique.covered), ("missing_requirements", &critique.missing_requirements),
            ] {
                prop_assert!(points.iter().all(|point| !point.trim().is_empty() && !point.contains('\n')));
                prop_assert!(points.len() == given(key) || notes.iter().any(|note| note.code == "wrong_type"));
            }
            prop_assert_eq!(critique.missing_requirements.len(), given("missing_requirements"), "none of them is ever left out");
        }
    }
}
