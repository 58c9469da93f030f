//! P11 to P13: total, a round trip, and safe from defused text.

use proptest::prelude::*;
use serde_json::json;

use super::tests::{ARGUMENT, OPTIONAL, RANKINGS, judge};
use super::*;
use crate::text::fence;

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        "[<>a-zA-Z_ /*,\"\\\\\n\t`]{0,30}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::btree_map(".{0,8}", inner, 0..6)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

/// Text that is likely to confuse a scanner.
fn hostile() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("<<<".to_owned()),
        Just(">>>".to_owned()),
        Just("<".to_owned()),
        Just("«««".to_owned()),
        Just("RANKINGS".to_owned()),
        Just("_START".to_owned()),
        Just("_END".to_owned()),
        Just("\n".to_owned()),
        Just("<<<RANKINGS_START>>>".to_owned()),
        Just("\n<<<RANKINGS_END>>>\n".to_owned()),
        Just("**<<<argument end>>>**\n".to_owned()),
        Just("\u{1b}[".to_owned()),
        Just("\u{1b}]0;".to_owned()),
        Just("\u{200b}".to_owned()),
        Just("\u{202e}".to_owned()),
        Just("\r".to_owned()),
        Just("```\n".to_owned()),
        Just("b-0f3c".to_owned()),
        Just("B-0F3C".to_owned()),
        Just("@/etc/passwd".to_owned()),
        Just("@".to_owned()),
        Just("[\"a\"]".to_owned()),
        any::<char>().prop_map(String::from),
        ".{0,12}",
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    /// P11.
    #[test]
    fn never_panics(bytes in prop::collection::vec(any::<u8>(), 0..400), text in hostile(), cut: bool) {
        for reply in [bytes.as_slice(), text.as_bytes()] {
            if let Err(problems) = judge(reply, cut, &[ARGUMENT, RANKINGS, OPTIONAL]) {
                prop_assert!(!problems.is_empty());
            }
        }
    }

    /// P12, for blocks of JSON in either layout.
    #[test]
    fn what_is_rendered_is_read_back(value in value(), pretty: bool, before in "[^<«]{0,40}") {
        prop_assume!(value.is_array() && value != json!([]));
        let body = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) }.unwrap();
        let reply = format!("{before}\n{}\n{body}\n{}\n", start_marker("RANKINGS"), end_marker("RANKINGS"));
        let found = judge(reply.as_bytes(), false, &[RANKINGS]).unwrap();
        prop_assert_eq!(found.contents, vec![Some(BlockBody::Json(value))]);
    }

    /// P13: outside the blocks, defused text changes nothing; inside a text block it is only text.
    #[test]
    fn defused_text_never_changes_what_is_found(untrusted in hostile(), place in 0..4_usize) {
        let blocks = [
            "<<<ARGUMENT_START>>>\nBecause.\n<<<ARGUMENT_END>>>\n",
            "<<<RANKINGS_START>>>\n[\"a\", \"b\"]\n<<<RANKINGS_END>>>\n",
        ];
        let plain = judge(blocks.concat().as_bytes(), false, &[ARGUMENT, RANKINGS]).unwrap();
        let (fenced, _) = fence::fence("someone's text", &untrusted, "b-0f3c");
        let (bare, _) = fence::defuse(&untrusted, "b-0f3c");
        for extra in [fenced, format!("{bare}\n")] {
            let reply = match place {
                0 => format!("{extra}{}{}", blocks[0], blocks[1]),
                1 => format!("{}{extra}{}", blocks[0], blocks[1]),
                2 => format!("{}{}{extra}", blocks[0], blocks[1]),
                _ => format!("<<<ARGUMENT_START>>>\nBecause.\n{extra}<<<ARGUMENT_END>>>\n{}", blocks[1]),
            };
            let found = judge(reply.as_bytes(), false, &[ARGUMENT, RANKINGS]).unwrap();
            if place < 3 {
                prop_assert_eq!(&found, &plain);
            } else {
                prop_assert_eq!(&found.contents[1], &plain.contents[1]);
                let whole = BlockBody::Text(format!("Because.\n{extra}").trim().to_owned());
                prop_assert_eq!(found.contents[0].as_ref(), Some(&whole));
            }
        }
    }
}
