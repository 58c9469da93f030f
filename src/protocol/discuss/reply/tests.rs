//! Each rule for a critique, on both chances.

use serde_json::{Value, json};

use super::super::testing::{perspective, raw};
use super::*;
use crate::contract::Declaration;
use crate::contract::template::block;
use crate::protocol::discuss::model::RiskLevel;
use crate::protocol::testing::by_the_first_rules;

const LISTS: [&str; 6] = ["strengths", "weaknesses", "suggestions", "risks", "covered", MISSING];
const MISSING: &str = "missing_requirements";

fn terms(strict: bool) -> ReplyContext {
    ReplyContext { strict, limits: BlockLimits::default() }
}

/// Returns the critique and the codes of its notes, or the codes of its problems.
fn read(
    name: &str,
    body: &Value,
    chance: Chance,
    strict: bool,
) -> Result<(Critique, Vec<String>), Vec<String>> {
    let text = block(CRITIQUE.name(), &body.to_string());
    match parse(&perspective(name), &raw(&text), chance, terms(strict)) {
        Ok(Reply { content: critique, notes }) => {
            Ok((critique, notes.into_iter().map(|note| note.code).collect()))
        }
        Err(defect) => {
            assert!(defect.expected_ids.is_empty());
            Err(defect.problems.into_iter().map(|each| each.code).collect())
        }
    }
}

/// Returns a critique with every field.
fn body() -> Value {
    json!({
        "strengths": ["Goals are measured."], "weaknesses": ["Who pays is open."], "suggestions": ["Name the payer."],
        "rating": 4, "risk_level": "medium", "risks": ["One supplier."], "covered": ["R1"], "missing_requirements": ["R2: returns"],
    })
}

fn with(key: &str, value: Value) -> Value {
    let mut body = body();
    body[key] = value;
    body
}

fn without(keys: &[&str]) -> Value {
    let mut body = body();
    for key in keys {
        body.as_object_mut().unwrap().remove(*key);
    }
    body
}

fn texts(count: usize) -> Vec<String> {
    (0..count).map(|at| format!("point {at}")).collect()
}

#[test]
fn everything_is_read_as_it_was_written() {
    let expected = Critique {
        strengths: vec!["Goals are measured.".to_owned()],
        weaknesses: vec!["Who pays is open.".to_owned()],
        suggestions: vec!["Name the payer.".to_owned()],
        rating: 4,
        risk_level: Some(RiskLevel::Medium),
        risks: vec!["One supplier.".to_owned()],
        covered: vec!["R1".to_owned()],
        missing_requirements: vec!["R2: returns".to_owned()],
    };
    for name in ["product", "risk", "coverage", "own"] {
        for strict in [false, true] {
            let read = read(name, &body(), Chance::First, strict);
            assert_eq!(read, Ok((expected.clone(), Vec::new())), "{name}");
        }
    }
}

/// A rating as written, the rating that is read, and whether it is noted.
const RATINGS: [(&str, Option<u8>, bool); 37] = [
    ("1", Some(1), false),
    ("2", Some(2), false),
    ("3", Some(3), false),
    ("4", Some(4), false),
    ("5", Some(5), false),
    ("4.0", Some(4), true),
    ("1.0", Some(1), true),
    (r#""4""#, Some(4), true),
    (r#"" 4 ""#, Some(4), true),
    (r#""4/5""#, Some(4), true),
    (r#""4 / 5""#, Some(4), true),
    (r#""1/5""#, Some(1), true),
    // Never clamped.
    ("0", None, false),
    ("6", None, false),
    ("-1", None, false),
    ("10", None, false),
    ("100", None, false),
    ("1e300", None, false),
    (r#""0""#, None, false),
    (r#""6/5""#, None, false),
    (r#""5/4""#, None, false),
    (r#""8/10""#, None, false),
    (r#""4/10""#, None, false),
    // Never rounded.
    ("4.5", None, false),
    ("4.000001", None, false),
    (r#""4.5""#, None, false),
    // Never guessed.
    ("null", None, false),
    ("true", None, false),
    ("[4]", None, false),
    (r#"{"value": 4}"#, None, false),
    (r#""good""#, None, false),
    (r#""four""#, None, false),
    (r#""""#, None, false),
    (r#""4 or 5""#, None, false),
    (r#""+4""#, None, false),
    (r#""4/5/5""#, None, false),
    (r#""٤""#, None, false),
];

#[test]
fn a_rating_is_a_whole_number_from_one_to_five_or_none_at_all() {
    by_the_first_rules();
    for (written, expected, noted) in RATINGS {
        let text = format!(
            r#"{{"strengths": [], "weaknesses": [], "suggestions": [], "rating": {written}}}"#
        );
        let text = block(CRITIQUE.name(), &text);
        for chance in [Chance::First, Chance::Last] {
            for strict in [false, true] {
                let read = parse(&perspective("product"), &raw(&text), chance, terms(strict));
                let rating = read.as_ref().ok().map(|reply| reply.content.rating);
                let expected = expected.filter(|_| !(strict && noted));
                assert_eq!(rating, expected, "{written} {chance:?} {strict}: {read:?}");
                if let Ok(reply) = read {
                    let codes: Vec<&str> = reply.notes.iter().map(|note| &*note.code).collect();
                    let wanted: &[&str] = if noted { &["rating_normalised"] } else { &[] };
                    assert_eq!(codes, wanted, "{written}");
                }
            }
        }
    }
}

#[test]
fn an_answer_without_a_rating_is_none_on_any_chance() {
    for chance in [Chance::First, Chance::Last] {
        let read = read("product", &without(&["rating"]), chance, false);
        assert_eq!(read, Err(vec!["missing_field".to_owned()]));
    }
}

/// Perspective; the level as written; the level read with its note, or the problem; the same on both chances.
#[test]
fn a_risk_level_is_one_of_four_words_and_never_vanishes() {
    by_the_first_rules();
    for (name, level, expected) in [
        ("product", json!("high"), Ok((Some(RiskLevel::High), None))),
        ("risk", json!("critical"), Ok((Some(RiskLevel::Critical), None))),
        ("risk", json!("Critical"), Ok((Some(RiskLevel::Critical), Some("word_normalised")))),
        ("product", json!(" HIGH "), Ok((Some(RiskLevel::High), Some("word_normalised")))),
        ("product", json!(null), Ok((None, None))),
        ("risk", json!(null), Err("missing_field")),
        ("risk", json!("catastrophic"), Err("unknown_word")),
        // Even if it is not owed.
        ("product", json!("catastrophic"), Err("unknown_word")),
        ("product", json!(""), Err("unknown_word")),
        ("product", json!("none"), Err("unknown_word")),
        ("product", json!(4), Err("unknown_word")),
        ("product", json!(["high"]), Err("unknown_word")),
    ] {
        for chance in [Chance::First, Chance::Last] {
            let got = read(name, &with("risk_level", level.clone()), chance, false);
            let expected = expected
                .map(|(level, note)| (level, note.map(str::to_owned).into_iter().collect()))
                .map_err(|code| vec![code.to_owned()]);
            let got = got.map(|(critique, notes)| (critique.risk_level, notes));
            assert_eq!(got, expected, "{name}: {level}");
        }
    }
}

/// The fields that each perspective owes; leaving one out is a problem, then a failed seat.
#[test]
fn what_is_owed_must_be_there() {
    by_the_first_rules();
    let always: &[&str] = &["strengths", "weaknesses", "suggestions"];
    for (name, owed) in [
        ("product", &[][..]),
        ("risk", &["risk_level", "risks"]),
        ("coverage", &["covered", "missing_requirements"]),
    ] {
        let keys = Critique::ITEM.fields.iter().map(|spec| spec.key);
        for key in keys.filter(|key| *key != "rating") {
            let owed = always.contains(&key) || owed.contains(&key);
            for chance in [Chance::First, Chance::Last] {
                for body in [without(&[key]), with(key, Value::Null)] {
                    let read = read(name, &body, chance, false);
                    assert_eq!(read.is_err(), owed, "{name} without {key}: {read:?}");
                }
            }
        }
    }
}

#[test]
fn an_empty_list_is_a_good_answer() {
    let mut body = body();
    for key in LISTS {
        body[key] = json!([]);
    }
    for name in ["product", "risk", "coverage"] {
        let (critique, notes) = read(name, &body, Chance::First, true).unwrap();
        let expected =
            Critique { rating: 4, risk_level: Some(RiskLevel::Medium), ..Critique::default() };
        assert_eq!((critique, notes), (expected, Vec::new()), "{name}");
    }
}

/// A text, an object or a number in place of a list: it must never pass for an empty list, even if none is owed.
#[test]
fn what_is_no_list_is_no_answer() {
    by_the_first_rules();
    for key in LISTS {
        for value in [json!("one, two"), json!({}), json!(3), json!(false)] {
            for chance in [Chance::First, Chance::Last] {
                let read = read("product", &with(key, value.clone()), chance, false);
                assert_eq!(read, Err(vec!["wrong_type".to_owned()]), "{key}: {value}");
            }
        }
    }
}

#[test]
fn faulty_entries_are_asked_for_again_and_then_left_out() {
    by_the_first_rules();
    let faulty = [
        json!(7),
        json!(null),
        json!(true),
        json!({"text": "x"}),
        json!(["x"]),
        json!(""),
        json!(" \n"),
        json!("\u{1b}[31m"),
        json!("None."),
        json!("N/A"),
        json!("nothing"),
        json!("-"),
    ];
    for key in LISTS.into_iter().filter(|key| *key != MISSING) {
        for entry in &faulty {
            let some = with(key, json!(["It holds.", entry]));
            assert_eq!(
                read("product", &some, Chance::First, false),
                Err(vec!["wrong_type".to_owned()]),
                "{key}: {entry}"
            );
            let (critique, notes) = read("product", &some, Chance::Last, false).unwrap();
            assert_eq!(notes, ["entry_left_out"], "{key}: {entry}");
            let kept = serde_json::to_value(&critique).unwrap();
            assert_eq!(kept[key], json!(["It holds."]));
            assert!(read("product", &some, Chance::Last, true).is_err());
            // A list of nothing but such entries is not a list.
            for chance in [Chance::First, Chance::Last] {
                let read = read("product", &with(key, json!([entry, entry])), chance, false);
                assert_eq!(read, Err(vec!["no_valid_entry".to_owned()]), "{key}");
            }
        }
    }
    // A missing requirement weighs too much to be left out.
    for entry in &faulty {
        for chance in [Chance::First, Chance::Last] {
            for name in ["product", "coverage"] {
                let some = with(MISSING, json!(["R2", entry]));
                let none = with(MISSING, json!([entry]));
                assert_eq!(
                    read(name, &some, chance, false),
                    Err(vec!["wrong_type".to_owned()]),
                    "{entry}"
                );
                assert!(read(name, &none, chance, false).is_err(), "{entry}");
            }
        }
    }
}

/// A text that begins like "nothing" but makes a statement is a point.
#[test]
fn a_point_that_says_something_is_kept() {
    for text in ["No tests.", "None of the goals is measured.", "Nothing new"] {
        let body = with("weaknesses", json!([text]));
        let (critique, notes) = read("product", &body, Chance::First, true).unwrap();
        assert_eq!((critique.weaknesses, notes.len()), (vec![text.to_owned()], 0));
    }
}

#[test]
fn lists_and_entries_are_bounded_and_what_is_cut_is_said() {
    for key in LISTS {
        for (count, kept, noted) in [(50, 50, false), (51, 50, true), (2_000, 50, true)] {
            let body = with(key, json!(texts(count)));
            let (critique, notes) = read("coverage", &body, Chance::First, false).unwrap();
            let value = serde_json::to_value(&critique).unwrap();
            assert_eq!(value[key].as_array().unwrap().len(), kept, "{key}");
            assert_eq!(value[key][49], json!("point 49"));
            let wanted: &[&str] = if noted { &["too_many"] } else { &[] };
            assert_eq!(notes, wanted, "{key}");
            assert_eq!(read("coverage", &body, Chance::Last, true).is_err(), noted);
        }
        for (chars, noted) in [(1_000, false), (1_001, true), (50_000, true)] {
            let body = with(key, json!(["ä".repeat(chars)]));
            let (critique, notes) = read("coverage", &body, Chance::First, false).unwrap();
            let value = serde_json::to_value(&critique).unwrap();
            let text = value[key][0].as_str().unwrap();
            assert_eq!(text.chars().count(), 1_000, "{key}");
            assert_eq!(text.ends_with('…'), noted);
            let wanted: &[&str] = if noted { &["shortened"] } else { &[] };
            assert_eq!(notes, wanted, "{key}");
        }
    }
}

#[test]
fn a_point_is_one_line_without_escapes() {
    let body =
        with("weaknesses", json!(["  One\nline\t \u{1b}[31mred\u{1b}[0m\u{202e} and more  "]));
    let (critique, _) = read("product", &body, Chance::First, false).unwrap();
    assert_eq!(critique.weaknesses, ["One line red and more"]);
}

/// `riskLevel` means `risk_level`; left unread, a critical risk would vanish.
#[test]
fn a_field_in_another_writing_is_read_and_noted() {
    for (key, written) in [
        ("risk_level", "riskLevel"),
        ("risk_level", "Risk-Level"),
        ("missing_requirements", "missingRequirements"),
        ("rating", "Rating"),
    ] {
        let mut body = body();
        let map = body.as_object_mut().unwrap();
        let value = map.remove(key).unwrap();
        map.insert(written.to_owned(), value.clone());
        let (critique, notes) = read("product", &body, Chance::First, false).unwrap();
        assert_eq!(serde_json::to_value(&critique).unwrap()[key], value);
        assert_eq!(notes, ["key_normalised"], "{written}");
        assert!(read("product", &body, Chance::Last, true).is_err());
        // A field given twice is a conflict, whatever the values.
        body[key] = value;
        let twice = read("product", &body, Chance::Last, false);
        assert!(twice.unwrap_err().contains(&"conflicting_entries".to_owned()));
    }
}

#[test]
fn what_is_no_field_of_a_critique_is_not_read() {
    let mut body = body();
    body["verdict"] = json!("consensus_reached");
    body["severity"] = json!("none");
    let (critique, notes) = read("product", &body, Chance::First, true).unwrap();
    let (plain, _) = read("product", &self::body(), Chance::First, true).unwrap();
    assert_eq!((critique, notes), (plain, Vec::new()));
}

/// One re-ask can fix everything, because it lists every problem.
#[test]
fn all_problems_are_told_at_once() {
    by_the_first_rules();
    let body = json!({ "strengths": "many", "weaknesses": [1], "rating": 7, "risk_level": "huge" });
    let mut codes = read("risk", &body, Chance::First, false).unwrap_err();
    codes.sort_unstable();
    // strengths, suggestions and risks; weaknesses; the rating; the level.
    assert_eq!(
        codes,
        [
            "no_valid_entry",
            "out_of_range",
            "unknown_word",
            "wrong_type",
            "wrong_type",
            "wrong_type"
        ]
    );
    let text = block(CRITIQUE.name(), &body.to_string());
    let defect = parse(&perspective("risk"), &raw(&text), Chance::First, terms(false)).unwrap_err();
    let said = defect.to_string();
    for part in [
        "`strengths` must be an array of strings",
        "1 (a number)",
        "from 1 to 5, not 7",
        "low, medium, high, critical, not `huge`",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
}

#[test]
fn prose_an_array_and_an_echo_are_no_critique() {
    let echo = contract::text(&perspective("risk"));
    for text in [
        "I rate it 4 of 5.",
        "",
        "<<<CRITIQUE_START>>>\n[4]\n<<<CRITIQUE_END>>>\n",
        "<<<CRITIQUE_START>>>\n{}\n<<<CRITIQUE_END>>>\n",
        "<<<CRITIQUE_START>>>\n{\"rating\": 4",
        &echo,
    ] {
        for chance in [Chance::First, Chance::Last] {
            let read = parse(&perspective("risk"), &raw(text), chance, terms(false));
            assert!(!read.unwrap_err().problems.is_empty(), "{text}");
        }
    }
    // An echo beside an answer is ignored; two different answers count as none.
    let answer = block(CRITIQUE.name(), &body().to_string());
    let both = format!("{echo}\n{answer}");
    let read = parse(&perspective("risk"), &raw(&both), Chance::First, terms(false));
    assert_eq!(read.unwrap().content.rating, 4);
    let other = block(CRITIQUE.name(), &with("rating", json!(1)).to_string());
    let two = format!("{other}\n{answer}");
    assert!(parse(&perspective("risk"), &raw(&two), Chance::Last, terms(false)).is_err());
}

#[test]
fn a_block_has_a_size() {
    let small = ReplyContext { strict: false, limits: BlockLimits { block_bytes: 100 } };
    let text = block(CRITIQUE.name(), &body().to_string());
    let defect = parse(&perspective("product"), &raw(&text), Chance::Last, small).unwrap_err();
    assert_eq!(defect.problems[0].code, "output_limit");
}
