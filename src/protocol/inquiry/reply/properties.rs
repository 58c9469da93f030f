//! Properties of any reply: P11 and P12 of `docs/promises.md`, and the ranges.

use proptest::prelude::*;

use serde_json::{Value, json};

use super::super::testing::*;
use super::tests::{LIMIT, analyst, ask, terms};
use super::*;

/// Returns text that does not end like a word for "nothing", which would be read as an empty list.
fn text() -> impl Strategy<Value = String> {
    "[A-Za-zäß中 0-9.,:'\"{}\\[\\]\\\\/`#*-]{0,60}x".prop_map(|text| text.trim().to_owned())
}

fn said() -> impl Strategy<Value = Content> {
    let scale = || (10_u32..=100).prop_map(|tenths| f64::from(tenths) / 10.0);
    let feature = (
        text(),
        text(),
        [scale(), scale(), scale(), scale()],
        proptest::collection::vec(text(), 0..3),
    );
    let feature = feature.prop_map(|(description, user_value, numbers, existing_code)| Feature {
        title: String::new(),
        description,
        user_value,
        impact: numbers[0],
        effort: numbers[1],
        leverage: numbers[2],
        risk: numbers[3],
        existing_code,
    });
    let features = proptest::collection::vec(feature, 0..4).prop_map(|mut all| {
        for (n, each) in all.iter_mut().enumerate() {
            each.title = format!("Feature {n}");
        }
        all
    });
    prop_oneof![
        (text(), proptest::collection::vec(text(), 0..3), features).prop_map(
            |(product_type, target_users, features)| {
                Content::Features(Features { product_type, target_users, features })
            }
        ),
        text().prop_map(Content::Fix),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    /// P12: a rendered answer is read back without a note.
    #[test]
    fn parse_of_render_is_the_same(said in said(), noise in "[a-z .\n]{0,40}") {
        let question = match said.role() {
            Role::Analyst => features(LIMIT),
            Role::Advisor => fix("a"),
        };
        let text = format!("{noise}\n{}{noise}", said.render());
        prop_assert_eq!(ask(&question, &text, Chance::First), Ok(Reply { content: said, notes: Vec::new() }));
    }

    /// P11: any bytes lead to a reply, or to a defect with a problem.
    #[test]
    fn any_bytes_end_in_a_reply_or_a_problem(bytes in proptest::collection::vec(any::<u8>(), 0..200), cut in any::<bool>()) {
        for question in [features(LIMIT), fix("a")] {
            let reply = RawReply { bytes: bytes.clone(), cut, ..RawReply::default() };
            if let Err(defect) = parse(question.ask(), &reply, Chance::Last, terms()) {
                prop_assert!(!defect.problems.is_empty());
            }
        }
    }

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
        let first = analyst(&text, Chance::First);
        match analyst(&text, Chance::Last) {
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
