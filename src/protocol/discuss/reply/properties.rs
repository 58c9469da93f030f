//! Properties of any reply.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::testing::{perspective, raw};
use super::*;
use crate::contract::Declaration;
use crate::contract::template::block;
use crate::protocol::discuss::model::RiskLevel;

fn text() -> impl Strategy<Value = String> {
    "[A-Za-zäß中0-9.,:'\"{}\\[\\]\\\\/`#*@ -]{0,60}[b-y]{2}x".prop_map(|text| {
        let words: Vec<&str> = text.split_whitespace().collect();
        words.join(" ")
    })
}

fn said() -> impl Strategy<Value = Critique> {
    let list = || proptest::collection::vec(text(), 0..4);
    let level = proptest::option::of(proptest::sample::select(RiskLevel::ALL.to_vec()));
    ((list(), list(), list()), 1_u8..=5, level, (list(), list(), list())).prop_map(
        |(first, rating, risk_level, second)| Critique {
            strengths: first.0,
            weaknesses: first.1,
            suggestions: first.2,
            rating,
            risk_level,
            risks: second.0,
            covered: second.1,
            missing_requirements: second.2,
        },
    )
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

    /// A rendered critique is read back without a note, whatever surrounds it.
    #[test]
    fn parse_of_render_is_the_same(name in name(), said in said(), noise in "[a-z .\n]{0,40}", chance in chance(), strict: bool) {
        let said = Critique { risk_level: said.risk_level.or((name == "risk").then_some(RiskLevel::Low)), ..said };
        let text = format!("{noise}\n{}{noise}", said.render());
        let terms = ReplyContext { strict, limits: BlockLimits::default() };
        let read = parse(&perspective(name), &raw(&text), chance, terms);
        prop_assert_eq!(read, Ok(Reply { content: said, notes: Vec::new() }));
    }

    /// Arbitrary bytes end in problems: no critique arises by chance.
    #[test]
    fn any_bytes_end_in_a_problem(name in name(), bytes in proptest::collection::vec(any::<u8>(), 0..300), cut: bool, chance in chance()) {
        let reply = RawReply { bytes, cut, ..RawReply::default() };
        let read = parse(&perspective(name), &reply, chance, ReplyContext::default());
        prop_assert!(!read.unwrap_err().problems.is_empty());
    }

    /// A parsed rating was in the reply, as a number or as words, and so was every level and point.
    #[test]
    fn nothing_is_invented(name in name(), body in body(), chance in chance(), strict: bool) {
        let text = block(CRITIQUE.name(), &body.to_string());
        let terms = ReplyContext { strict, limits: BlockLimits::default() };
        if let Ok(Reply { content: critique, notes }) = parse(&perspective(name), &raw(&text), chance, terms) {
            let written = match &body["rating"] {
                Value::String(text) => text.trim_end_matches("/5").to_owned(),
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
                Some(entries) => entries.iter().filter(says).count(),
                None => usize::from(body[key].is_string()),
            };
            for (key, points) in [
                ("strengths", &critique.strengths), ("weaknesses", &critique.weaknesses), ("suggestions", &critique.suggestions),
                ("risks", &critique.risks), ("covered", &critique.covered), ("missing_requirements", &critique.missing_requirements),
            ] {
                prop_assert!(points.iter().all(|point| !point.trim().is_empty() && !point.contains('\n')));
                prop_assert!(points.len() == given(key) || notes.iter().any(|note| note.code == "entry_left_out"));
            }
            prop_assert_eq!(critique.missing_requirements.len(), given("missing_requirements"), "none of them is ever left out");
            prop_assert!(!strict || notes.is_empty());
        }
    }
}
