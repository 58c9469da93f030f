//! Reading the file of dismissals.

use crate::protocol::review::{Severity, SuppressionReason};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;

use super::*;

fn entry(fingerprint: &str, why: &str) -> Value {
    json!({
        "fingerprint": fingerprint, "file": "src/a.rs", "title": "T", "severity": "P1",
        "why": why, "at": "2026-11-22T05:00:00Z"
    })
}

fn file(dismissals: &[Value]) -> Value {
    json!({"version": 1, "dismissals": dismissals})
}

fn read_value(value: &Value) -> Result<BTreeMap<String, SuppressionReason>, DismissalsError> {
    read(value.to_string().as_bytes())
}

#[test]
fn each_dismissal_is_known_by_its_fingerprint_with_its_reason() {
    let (a, b) = ("00000000000000aa", "00000000000000bb");
    let known = read_value(&file(&[entry(b, "two"), entry(a, "one")])).unwrap();
    let dismissed =
        |why: &str| SuppressionReason::Dismissed { why: why.into(), severity: Severity::P1 };
    let expected =
        BTreeMap::from([(a.to_owned(), dismissed("one")), (b.to_owned(), dismissed("two"))]);
    assert_eq!(known, expected);
    assert!(read_value(&file(&[])).unwrap().is_empty());
}

#[test]
fn of_two_of_one_fingerprint_the_first_counts() {
    let twice = file(&[entry("00000000000000aa", "one"), entry("00000000000000aa", "two")]);
    let known = read_value(&twice).unwrap();
    let first = SuppressionReason::Dismissed { why: "one".into(), severity: Severity::P1 };
    assert_eq!(known.into_values().collect::<Vec<_>>(), [first]);
}

#[test]
fn what_is_not_understood_is_an_error_that_names_the_place() {
    let good = entry("00000000000000aa", "why");
    let with = |name: &str, value: Value| {
        let mut entry = good.clone();
        entry[name] = value;
        file(&[good.clone(), entry])
    };
    let without = |name: &str| {
        let mut entry = good.clone();
        entry.as_object_mut().unwrap().remove(name);
        file(&[entry])
    };
    for (value, says) in [
        (json!([]), "version: it is missing"),
        (json!({"dismissals": []}), "version: it is missing"),
        (json!({"version": "1", "dismissals": []}), "version: it must be a number"),
        (json!({"version": 2, "dismissals": []}), "its version is 2, but this program knows 1"),
        (json!({"version": 1.5, "dismissals": []}), "its version is 1.5"),
        (json!({"version": 1}), "missing field `dismissals`"),
        (json!({"version": 1, "dismissals": {}}), "dismissals: invalid type"),
        (json!({"version": 1, "dismissals": [], "dismissed": []}), "unknown field `dismissed`"),
        (with("why", json!("  ")), "dismissals[1].why: a dismissal needs a reason"),
        (with("why", json!(3)), "dismissals[1].why: invalid type"),
        (with("fingerprint", json!("F3")), "dismissals[1].fingerprint: a fingerprint has 16"),
        (with("fingerprint", json!("00000000000000AA")), "dismissals[1].fingerprint"),
        (with("severity", json!("P7")), "dismissals[1].severity: unknown variant"),
        (with("at", json!("today")), "dismissals[1].at"),
        (with("wyh", json!("x")), "unknown field `wyh`"),
        (without("why"), "missing field `why`"),
        (without("fingerprint"), "missing field `fingerprint`"),
    ] {
        let error = read_value(&value).unwrap_err().to_string();
        assert!(error.contains(says), "{value}: {error}");
    }
    let twice = r#"{"version": 1, "version": 1, "dismissals": []}"#;
    assert!(matches!(read(twice.as_bytes()), Err(DismissalsError::NotJson(_))));
    assert!(matches!(read(b""), Err(DismissalsError::NotJson(_))));
    assert_eq!(read(b"{}\xff"), Err(DismissalsError::NotUtf8(2)));
}

proptest! {
    #[test]
    fn any_bytes_end_in_an_answer(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(read(&bytes).is_err());
    }
}
