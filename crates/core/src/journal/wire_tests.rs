//! Tests of the line format: round trips, damage, later versions, unknown members.

use proptest::prelude::*;

use super::*;
use crate::journal::attempt::{Intent, Kind};
use crate::journal::record::{CallIntent, Digests, SessionOpened, SkillUsed};
use crate::kernel::Usd;
use chrono::DateTime;
use serde_json::json;

fn record(body: Body) -> Record {
    Record { seq: 1, at: DateTime::from_timestamp(1_790_000_000, 0).unwrap(), body }
}

fn opened() -> SessionOpened {
    SessionOpened {
        session: "s1".to_owned(),
        protocol: "backlog".to_owned(),
        title: "Six items".to_owned(),
        input: json!({"opportunities": [{"id": "a\n{\"v\":1}"}]}),
        redacted: Vec::new(),
        settings: json!({"max_rounds": 3}),
        boundary: "0f".repeat(16),
        seed: u64::MAX,
        digests: Digests { input: "i".to_owned(), config: "c".to_owned(), ..Digests::default() },
        skills: vec![SkillUsed {
            name: "critic".to_owned(),
            origin: "built-in".to_owned(),
            sha256: "ab".repeat(32),
            note: None,
        }],
        rehearsal: false,
        budget: Some(Usd::from_micros(2_500_000)),
        program_version: "0.1.0".to_owned(),
        parent: None,
    }
}

fn signed(json: &str) -> Vec<u8> {
    let crc = crc32fast::hash(json.as_bytes());
    format!("{}{CRC_OPEN}{crc:08x}\"}}", &json[..json.len() - 1]).into_bytes()
}

/// A record's line without its checksum.
fn unsigned(record: &Record) -> String {
    let line = String::from_utf8(record.encode(START).unwrap()).unwrap();
    line[..line.len() - 1 - CRC_LEN].to_owned() + "}"
}

fn sample() -> Record {
    record(Body::Opened(Box::new(opened())))
}

#[test]
fn a_record_is_one_line_whatever_its_strings_hold() {
    // S27: a line feed and a whole fake record inside an id.
    let line = sample().encode(START).unwrap();
    assert_eq!(line.iter().position(|byte| *byte == b'\n'), Some(line.len() - 1));
}

#[test]
fn unknown_members_are_passed_over() {
    let json =
        unsigned(&sample()).replace("\"body\":{", "\"later\":[1],\"body\":{\"new\":{\"x\":1},");
    let Line::Known(read, prev) = parse_line(&signed(&json)).unwrap() else {
        panic!("not known");
    };
    assert_eq!((read, prev.as_deref()), (sample(), Some(START)));
}

#[test]
fn a_later_version_and_an_unknown_type_say_so() {
    let json = r#"{"v":3,"seq":"other","type":7,"body":[]}"#;
    // A later version may change every member but `v`.
    assert_eq!(claimed_newer(&signed(json)), Some(3));
    let json = r#"{"v":3,"seq":1,"type":"x","at":"2026-01-01T00:00:00Z","body":[]}"#;
    assert!(matches!(parse_line(&signed(json)), Ok(Line::Newer { v: 3 })));
    let json = r#"{"v":1,"seq":1,"type":"x","at":"2026-01-01T00:00:00Z","body":[]}"#;
    assert!(matches!(parse_line(&signed(json)), Ok(Line::Unknown { kind }) if kind == "x"));
}

#[test]
fn the_first_version_is_read_without_a_chain_and_the_second_needs_one() {
    let second = unsigned(&sample());
    let without = second.replace(&format!(",\"prev\":\"{START}\""), "");
    let error = parse_line(&signed(&without)).unwrap_err();
    assert!(error.contains("missing field `prev`"), "{error}");
    let first = without.replacen("\"v\":2", "\"v\":1", 1);
    assert!(matches!(parse_line(&signed(&first)), Ok(Line::Known(read, None)) if read == sample()));
}

#[test]
fn deep_json_is_an_error_and_no_crash() {
    let deep = format!(
        r#"{{"v":1,"seq":1,"type":"session.opened","x":{}{}}}"#,
        "[".repeat(100_000),
        "]".repeat(100_000)
    );
    parse_line(&signed(&deep)).unwrap_err();
}

proptest! {
    #[test]
    fn what_is_written_is_read(turn in "\\PC{0,20}", role in any::<String>(), run in 1_u32..9, micros in 0_u64..10_000_000_000) {
        let written = record(Body::Intent(Box::new(CallIntent {
            key: "0".repeat(64),
            run,
            epoch: 0,
            intent: Intent {
                turn,
                role,
                kind: Kind::First,
                attempt: 1,
                agent: "claude".to_owned(),
                prompt_sha: "prompt".to_owned(),
                prompt_bytes: 100,
                effort_above: 0,
                agent_digest: "digest".to_owned(),
            },
            prompt: (run > 1).then(|| "5f".repeat(32)),
            reservation: Usd::from_micros(micros),
        })));
        let line = written.encode(START).unwrap();
        let Ok(Line::Known(read, _)) = parse_line(&line[..line.len() - 1]) else {
            panic!("not known");
        };
        prop_assert_eq!(read, written);
    }

    #[test]
    fn one_flipped_bit_is_seen(at in any::<prop::sample::Index>(), bit in 0_u8..8) {
        let mut line = sample().encode(START).unwrap();
        line.pop();
        let at = at.index(line.len());
        line[at] ^= 1 << bit;
        prop_assert!(parse_line(&line).is_err());
    }

    #[test]
    fn any_bytes_are_judged_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        drop(parse_line(&bytes));
    }
}

#[test]
fn the_largest_seed_and_the_input_survive() {
    let line = sample().encode(START).unwrap();
    let Ok(Line::Known(Record { body: Body::Opened(read), .. }, _)) =
        parse_line(&line[..line.len() - 1])
    else {
        panic!("not known");
    };
    assert_eq!(*read, SessionOpened::clone(&opened()));
}
