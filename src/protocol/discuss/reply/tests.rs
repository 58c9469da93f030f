//! Each rule for a critique, on both chances.

use serde_json::{Value, json};

use super::super::testing::{perspective, raw};
use super::*;
use crate::contract::template::block;
use crate::protocol::discuss::model::RiskLevel;

const MISSING: &str = "missing_requirements";

/// Returns the critique and the codes of its notes, or the codes of its problems.
fn read(name: &str, body: &Value, chance: Chance) -> Result<(Critique, Vec<String>), Vec<String>> {
    let text = block(contract::CRITIQUE.name(), &body.to_string());
    match parse(&perspective(name), &raw(&text), chance) {
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

#[test]
fn a_rating_is_a_whole_number_from_one_to_five_or_none_at_all() {
    for (written, expected) in [
        ("1", Some(1)),
        ("5", Some(5)),
        ("4.0", Some(4)),
        (r#""4""#, Some(4)),
        (r#""4/5""#, Some(4)),
        // Never clamped.
        ("0", None),
        ("6", None),
        ("-1", None),
        ("100", None),
        (r#""6/5""#, None),
        (r#""8/10""#, None),
        (r#""4/10""#, None),
        // Never rounded.
        ("4.5", None),
        ("4.000001", None),
        (r#""4.5""#, None),
        // Never guessed.
        ("null", None),
        ("true", None),
        (r#""good""#, None),
        (r#""""#, None),
        (r#""4 or 5""#, None),
        (r#""4/5/5""#, None),
    ] {
        let rating: Value = serde_json::from_str(written).unwrap();
        for chance in [Chance::First, Chance::Last] {
            let read = read("product", &with("rating", rating.clone()), chance);
            let found = read.as_ref().ok().map(|(critique, _)| critique.rating);
            assert_eq!(found, expected, "{written}: {read:?}");
        }
    }
}

#[test]
fn a_risk_level_is_one_of_four_words_and_what_is_owed_never_vanishes() {
    for (name, level, expected) in [
        ("product", json!("high"), Ok(Some(RiskLevel::High))),
        ("risk", json!("Critical"), Ok(Some(RiskLevel::Critical))),
        ("product", json!(null), Ok(None)),
        ("risk", json!(null), Err(())),
        ("risk", json!("catastrophic"), Err(())),
    ] {
        for chance in [Chance::First, Chance::Last] {
            let read = read(name, &with("risk_level", level.clone()), chance);
            let found = read.as_ref().map(|(critique, _)| critique.risk_level).map_err(|_| ());
            assert_eq!(found, expected, "{name}: {level}: {read:?}");
        }
    }
    for chance in [Chance::First, Chance::Last] {
        assert!(read("risk", &without(&["risk_level"]), chance).is_err(), "it is owed");
    }
    // Where it is not owed it is set aside with a note.
    for chance in [Chance::First, Chance::Last] {
        let body = with("risk_level", json!("catastrophic"));
        let (critique, notes) = read("product", &body, chance).unwrap();
        assert_eq!((critique.risk_level, &*notes), (None, &["unknown_word".to_owned()][..]));
    }
}

/// It weighs too much to be left out.
#[test]
fn a_missing_requirement_that_cannot_be_read_fails_the_answer() {
    for entry in [json!(true), json!(["x"]), json!("\u{1b}[31m"), json!({"a": {"b": 1}})] {
        for chance in [Chance::First, Chance::Last] {
            let read = read("coverage", &with(MISSING, json!(["R2", entry])), chance);
            assert!(read.is_err(), "{entry}: {read:?}");
        }
    }
}

#[test]
fn an_answer_without_a_rating_is_none_on_any_chance() {
    for chance in [Chance::First, Chance::Last] {
        let read = read("product", &without(&["rating"]), chance);
        assert_eq!(read, Err(vec!["missing_field".to_owned()]));
    }
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
        let (critique, notes) = read("product", &body, Chance::First).unwrap();
        assert_eq!(serde_json::to_value(&critique).unwrap()[key], value);
        assert_eq!(notes, ["key_normalised"], "{written}");
        // A field given twice is a conflict, whatever the values.
        body[key] = value;
        let twice = read("product", &body, Chance::Last);
        assert!(twice.unwrap_err().contains(&"conflicting_entries".to_owned()));
    }
}
