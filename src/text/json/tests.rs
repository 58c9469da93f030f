//! What is accepted, what is normalised, and what stays an error.

use proptest::prelude::*;
use serde_json::json;

use super::*;

#[test]
fn strict_parse_refuses_what_serde_json_lets_pass() {
    for text in [
        "{\"a\": 1, \"a\": 1}",
        "{\"a\": 1, \"\\u0061\": 2}",
        "[{\"x\": {\"b\": 1, \"c\": 2, \"b\": 3}}]",
    ] {
        let error = parse(text).unwrap_err();
        assert!(error.message.starts_with("duplicate key"), "{error}");
        assert_eq!(error.line, 1);
    }
    for text in ["NaN", "[Infinity]", "1e999", "\u{feff}[]", "[1] [2]", "", "[01]", "[\"\\ud800\"]"]
    {
        assert!(parse(text).is_err(), "{text}");
    }
    assert_eq!(
        parse("{\"a\": {\"k\": 1}, \"b\": {\"k\": 1}}").unwrap(),
        json!({"a": {"k": 1}, "b": {"k": 1}})
    );
}

#[test]
fn depth_is_limited_and_deep_text_does_not_overflow() {
    let deep = |n: usize| format!("{}{}", "[".repeat(n), "]".repeat(n));
    assert!(parse(&deep(127)).is_ok());
    assert!(parse(&deep(129)).is_err());
    assert!(read(&"[".repeat(200_000)).is_err());
    assert!(read(&"{\"a\":".repeat(100_000)).is_err());
}

#[test]
fn errors_say_where() {
    let error = parse("[\n  1,\n  x\n]").unwrap_err();
    assert_eq!((error.line, error.column), (3, 3));
    assert!(!error.truncated);
    assert!(parse("[1, \"ab").unwrap_err().truncated);
}

#[test]
fn normalising_keeps_the_meaning() {
    let rows: &[(&str, &[&str], Value)] = &[
        ("[1, 2,]", &["trailing_comma"], json!([1, 2])),
        ("{\"a\": [1,\n], // why\n}", &["trailing_comma", "comment"], json!({"a": [1]})),
        ("[1, /* two, */ 3]", &["comment"], json!([1, 3])),
        ("[\"http://x\", 1,]", &["trailing_comma"], json!(["http://x", 1])),
        ("[\"a,]\", \"/* b */\",]", &["trailing_comma"], json!(["a,]", "/* b */"])),
        ("[\"a\nb\tc\u{1}\"]", &["control_character"], json!(["a\nb\tc\u{1}"])),
        ("[\"a\\\"\n\"]", &["control_character"], json!(["a\"\n"])),
        ("```json\n[1]\n```", &["code_fence"], json!([1])),
        ("~~~\n[1]\n~~~\n", &["code_fence"], json!([1])),
        ("```JSON\n[1]", &["code_fence"], json!([1])),
    ];
    for (text, codes, expected) in rows {
        let (value, notes) = read(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let found: Vec<&str> = notes.iter().map(|note| note.code.as_str()).collect();
        assert_eq!(&found, codes, "{text}");
        assert_eq!(&value, expected, "{text}");
    }
}

#[test]
fn guesses_are_not_made() {
    for text in [
        "['a']",
        "[“a”]",
        "[True, None]",
        "[\"a \"b\" c\"]",
        "[\"a\", \"b",
        "[1, 2",
        "{\"a\": ",
        "[,]",
        "[1,,]",
        "{,}",
        "{a: 1}",
        "[1 2]",
        "[1, ...]",
        "<true|false>",
        "[\"a\"// b\", \"c\"\n]",
        "[1] /* open",
        "[1],",
        "I refuse.",
        "{\"a\": 1, \"a\": 2,}",
        "```json\n[1]\n```\nand more",
    ] {
        assert!(read(text).is_err(), "{text}: {:?}", read(text));
    }
}

#[test]
fn a_text_without_faults_is_not_touched() {
    assert_eq!(normalise("[1, 2]"), None);
    assert!(read("[1, 2]").unwrap().1.is_empty());
}

proptest! {
    #[test]
    fn never_panics(text in "[\\[\\]{}\",:/*\\\\ \n\t`~a1é]{0,60}") {
        if let Ok((value, _)) = read(&text) {
            // What is read is JSON: it survives a round trip.
            prop_assert_eq!(parse(&value.to_string()).unwrap(), value);
        }
    }

    /// Whatever stands in strings, the normaliser leaves it as it is.
    #[test]
    fn strings_survive_normalising(strings in prop::collection::vec(any::<String>(), 1..6)) {
        let plain = serde_json::to_string(&strings).unwrap();
        let with_comma = format!("{},]", &plain[..plain.len() - 1]);
        let (value, _) = read(&with_comma).unwrap();
        prop_assert_eq!(value, json!(strings));
    }
}
