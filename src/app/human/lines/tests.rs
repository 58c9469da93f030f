//! Files of arguments: what is refused before anybody is paid, and what a resume takes of them.

use super::*;
use crate::protocol::debate::typed::Side;

const PROPOSAL: &str =
    r#"{"type": "proposal", "content": {"text": "Do it."}, "confidence_score": 0.8}"#;
const DEFENSE: &str =
    r#"{"type": "defense", "content": {"text": "Still."}, "confidence_score": 0.8}"#;
const STANCES: &str =
    r#"{"stances": [{"point": "P1", "stance": "agree", "reason": "Yes."}], "missing": []}"#;
const REMARK: &str = r#"{"remark": "Mind the price."}"#;

fn seat(side: Side) -> Seat {
    Seat { side: Some(side), pause: true, rounds: 2 }
}

fn lines(all: &[&str]) -> Lines {
    Lines::read("words.jsonl", all.join("\n").as_bytes(), seat(Side::Primary)).unwrap()
}

fn refused(bytes: &[u8]) -> String {
    let error = Lines::read("words.jsonl", bytes, seat(Side::Primary)).unwrap_err();
    assert_eq!(error.status().code(), 2);
    error.to_string()
}

fn reply(said: Said) -> String {
    match said {
        Said::Reply(text) => text,
        Said::Nothing(why) | Said::Refused(why) => panic!("{why}"),
    }
}

fn a(kind: ArgumentType) -> Vec<Word> {
    vec![Word::Argument(kind)]
}

#[test]
fn what_can_be_known_is_refused_with_its_line_before_anybody_is_paid() {
    let long = format!("{PROPOSAL}\n{}", " ".repeat(4 << 20));
    let second = |line: &str| format!("{PROPOSAL}\n\n{line}\n").into_bytes();
    for (bytes, why) in [
        (b"".to_vec(), "words.jsonl holds no argument"),
        (b"\n \n".to_vec(), "words.jsonl holds no argument"),
        (b"\xff".to_vec(), "words.jsonl is not UTF-8"),
        (long.into_bytes(), "words.jsonl has more than 4194304 bytes"),
        (second("[1]"), "words.jsonl:3: not a JSON object"),
        (second("{"), "words.jsonl:3: not valid JSON"),
        (second(r#"{"remark": "a", "remark": "b"}"#), "words.jsonl:3: not valid JSON"),
        (second("{}"), "words.jsonl:3: it has neither `type` nor `stances` nor `remark`"),
        (
            second(r#"{"type": "defense", "stances": []}"#),
            "words.jsonl:3: it is several things at once: type, stances",
        ),
        (
            second(r#"{"type": "defence", "content": {}}"#),
            "words.jsonl:3: `type` must be one of proposal",
        ),
        (second(r#"{"type": 5, "content": {}}"#), "words.jsonl:3: `type` must be one of proposal"),
        (second(r#"{"type": "defense"}"#), "words.jsonl:3: `content` must be a JSON object"),
        (
            second(r#"{"type": "defense", "content": {}, "confidence_score": 0.5}"#),
            "words.jsonl:3: `content` says nothing",
        ),
        (
            second(r#"{"type": "defense", "content": {"text": "x"}, "confidence_score": "high"}"#),
            "words.jsonl:3: `confidence_score` must be a number from 0 to 1",
        ),
        (
            second(r#"{"type": "defense", "content": {"text": "x"}, "confidence_score": 80}"#),
            "words.jsonl:3: `confidence_score` must be",
        ),
        (
            second(r#"{"type": "resolution", "content": {"text": "x"}, "confidence_score": 0.5}"#),
            "words.jsonl:3: a resolution needs `content.points`",
        ),
        (second(r#"{"stances": {}}"#), "words.jsonl:3: `stances` must be a list"),
        (
            second(r#"{"stances": [{"point": "P1", "stance": "maybe", "reason": "x"}]}"#),
            "words.jsonl:3: each stance needs a `point`",
        ),
        (second(r#"{"remark": 5}"#), "words.jsonl:3: `remark` must be a text"),
        (second(PROPOSAL), "words.jsonl:3: `proposal` cannot come here: now comes `defense`"),
        (second(STANCES), "words.jsonl:3: `stances` cannot come here: now comes `defense`"),
        (
            REMARK.as_bytes().to_vec(),
            "words.jsonl:1: `remark` cannot come here: now comes `proposal`",
        ),
    ] {
        let said = refused(&bytes);
        assert!(said.starts_with(why), "{said}\nexpected {why}");
    }
    let rounds = [PROPOSAL, DEFENSE, STANCES].join("\n");
    let said = refused(format!("{rounds}\n{rounds}\n{PROPOSAL}").as_bytes());
    assert_eq!(said, "words.jsonl:7: `proposal` is never asked for: there is no round left for it");
}

#[test]
fn each_turn_takes_the_next_line_and_the_end_says_how_to_go_on() {
    let mut lines = lines(&[PROPOSAL, DEFENSE]);
    let said = reply(lines.answer("r1/proposal", &a(ArgumentType::Proposal)));
    assert!(said.starts_with("<<<ARGUMENT_START>>>\n{\"type\":\"proposal\""), "{said}");
    assert_eq!(lines.left(), 1);
    let wrong = lines.answer("r1/resolution", &a(ArgumentType::Resolution));
    assert_eq!(
        wrong,
        Said::Refused(
            "words.jsonl:2: `defense` cannot come now: r1/resolution wants `resolution`".to_owned()
        )
    );
    assert_eq!(lines.left(), 1, "it was not taken");
    reply(lines.answer("r1/defense", &a(ArgumentType::Defense)));
    let end = lines.answer("r1/stances", &[Word::Stances]);
    assert_eq!(
        end,
        Said::Nothing(
            "words.jsonl has no line left for r1/stances, which wants `stances`: add it and resume the session".to_owned()
        )
    );
    let Said::Refused(why) = lines.refuse() else { panic!() };
    assert!(why.starts_with("words.jsonl:2: "), "{why}");
}

#[test]
fn a_remark_is_taken_where_there_is_one_and_owed_by_nobody() {
    let mut with = lines(&[PROPOSAL, DEFENSE, STANCES, REMARK, PROPOSAL]);
    let mut without = lines(&[PROPOSAL, DEFENSE, STANCES, PROPOSAL]);
    for lines in [&mut with, &mut without] {
        reply(lines.answer("r1/proposal", &a(ArgumentType::Proposal)));
        reply(lines.answer("r1/defense", &a(ArgumentType::Defense)));
        reply(lines.answer("r1/stances", &[Word::Stances]));
    }
    let remark = [Word::Remark];
    assert!(reply(with.answer("r2/remark", &remark)).contains("Mind the price."));
    assert_eq!(reply(without.answer("r2/remark", &remark)), "No remark.\n");
    for lines in [&mut with, &mut without] {
        reply(lines.answer("r2/proposal", &a(ArgumentType::Proposal)));
        assert_eq!(reply(lines.answer("r3/remark", &remark)), "No remark.\n");
    }
}

#[test]
fn a_resume_begins_behind_what_was_said_and_notices_what_was_changed() {
    let redactor = Redactor::new(&["hunter2-hunter2".to_owned()]);
    let secret =
        r#"{"type": "defense", "content": {"text": "hunter2-hunter2"}, "confidence_score": 1}"#;
    let all = [PROPOSAL, secret, STANCES, PROPOSAL];
    let said = |line: &str| redactor.bytes(entry(1, line).unwrap().reply.as_bytes());
    let answered = vec![
        ("r1/proposal".to_owned(), said(PROPOSAL)),
        ("r1/defense".to_owned(), said(secret)),
        ("r1/stances".to_owned(), said(STANCES)),
        ("r2/remark".to_owned(), b"No remark.\n".to_vec()),
    ];
    let mut longer = lines(&all);
    longer.skip(&answered, &redactor).unwrap();
    assert_eq!(longer.left(), 1);
    let shorter = lines(&all[..2]).skip(&answered, &redactor).unwrap_err();
    assert!(shorter.to_string().contains("2 lines"), "{shorter}");
    let other = r#"{"type": "defense", "content": {"text": "No."}, "confidence_score": 1}"#;
    let changed = lines(&[PROPOSAL, other, STANCES]).skip(&answered, &redactor);
    assert_eq!(
        changed.unwrap_err().to_string(),
        "words.jsonl:2: this is not what was said in r1/defense"
    );
}
