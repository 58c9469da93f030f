//! Each rule for answers, votes and rulings, on both chances.

use crate::kernel::Chance;
use serde_json::{Value, json};

use super::super::testing::{answer_body, raw};
use super::*;
use crate::contract::template;
use crate::protocol::debate::ballot::{AnswerBlock, MAX_GROUPS};

pub(super) fn letters() -> Vec<String> {
    ["A", "B", "C"].map(str::to_owned).to_vec()
}

pub(super) fn ask(ask: Ask, text: &str, chance: Chance) -> Result<Reply<Content>, Defect> {
    parse(ask, &raw(text), ReplyRules { shown: &letters(), chance })
}

/// Reads a body; returns the content with the codes of its notes, or the codes of its problems.
fn read(each: Ask, body: &Value, chance: Chance) -> Result<(Content, Vec<String>), Vec<String>> {
    match ask(each, &template::block(each.block(false).name, &body.to_string()), chance) {
        Ok(Reply { content: said, notes }) => {
            Ok((said, notes.into_iter().map(|note| note.code).collect()))
        }
        Err(defect) => Err(defect.problems.into_iter().map(|each| each.code).collect()),
    }
}

fn with(mut body: Value, key: &str, value: Value) -> Value {
    body[key] = value;
    body
}

fn vote_body() -> Value {
    json!({ "choice": "B", "same_as": [["A", "C"]], "changed": false, "reason": "It is measured." })
}

fn vote(body: &Value, chance: Chance) -> Result<(VoteBlock, Vec<String>), Vec<String>> {
    read(Ask::Cross, body, chance).map(|(said, notes)| match said {
        Content::Vote(said) => (said, notes),
        Content::Answer(_) | Content::Ruling(_) => panic!("another answer"),
    })
}

/// The option written; the one read; the codes of the notes.
#[test]
fn an_option_is_read_like_an_id_and_costs_no_second_call() {
    let options = options(&["Redis".to_owned(), "@/var/cache".to_owned()]);
    assert_eq!(options, ["Redis", "@/var/cache", "none"]);
    for (written, taken, codes) in [
        (json!("Redis"), Some("Redis"), vec![]),
        (json!(" redis."), Some("Redis"), vec!["id_normalised"]),
        (json!("Option Redis"), Some("Redis"), vec!["id_normalised"]),
        (json!("Redis (managed)"), Some("Redis"), vec!["id_normalised"]),
        (json!("(at)/var/cache"), Some("@/var/cache"), vec![]),
        (json!("none"), Some("none"), vec![]),
        (json!("Redis or files"), None, vec!["unknown_option"]),
        (json!("Memcached"), None, vec!["unknown_option"]),
        (json!(""), None, vec![]),
        (Value::Null, None, vec![]),
    ] {
        let body = with(with(answer_body("x"), "option", written.clone()), "with", json!("None."));
        let text = template::block(ANSWER.name(), &body.to_string());
        let reply =
            parse(Ask::Answer, &raw(&text), ReplyRules { shown: &options, chance: Chance::First })
                .unwrap();
        let Content::Answer(said) = &reply.content else { panic!() };
        assert_eq!((said.option.as_deref(), &said.with), (taken, &None), "{written}");
        assert_eq!(
            reply.notes.iter().map(|note| &*note.code).collect::<Vec<_>>(),
            codes,
            "{written}"
        );
    }
    // A question without options has none to take.
    let text =
        template::block(ANSWER.name(), &with(answer_body("x"), "option", json!("A")).to_string());
    let reply = parse(Ask::Answer, &raw(&text), ReplyRules::default()).unwrap();
    assert!(matches!(reply.content, Content::Answer(AnswerBlock { option: None, .. })));
    // Where "none" is an option, it means that one.
    assert_eq!(super::options(&["None".to_owned()]), ["None"]);
    assert!(super::options(&[]).is_empty());
}

#[test]
fn a_vote_is_for_one_letter_that_was_shown() {
    let (said, notes) = vote(&vote_body(), Chance::First).unwrap();
    let expected = VoteBlock {
        choice: "B".to_owned(),
        same_as: vec![vec!["A".to_owned(), "C".to_owned()]],
        changed: Some(false),
        moved_by: None,
        reason: "It is measured.".to_owned(),
    };
    assert_eq!((said, notes), (expected, Vec::new()));
    let (said, notes) = vote(&with(vote_body(), "choice", json!(" b")), Chance::First).unwrap();
    assert_eq!((&*said.choice, notes), ("B", vec!["id_normalised".to_owned()]));
    // A Cyrillic letter, a letter that was not shown, more than one, a number, none.
    for choice in [json!("В"), json!("D"), json!("A, B"), json!(2), json!(""), Value::Null] {
        for chance in [Chance::First, Chance::Last] {
            let problems = vote(&with(vote_body(), "choice", choice.clone()), chance).unwrap_err();
            assert!(problems.contains(&"unknown_choice".to_owned()), "{choice}: {problems:?}");
        }
    }
}

type Groups = Vec<Vec<String>>;

/// The value written; the groups read on the first chance, if any, and on the last; the notes of the last.
type Row<'a> = (Value, Option<Groups>, Groups, &'a [&'a str]);

#[test]
fn what_is_doubtful_in_same_as_brings_nothing_together() {
    let groups = |value: &Value, chance| {
        vote(&with(vote_body(), "same_as", value.clone()), chance)
            .map(|(said, notes)| (said.same_as, notes))
    };
    let one = |letters: &[&str]| {
        vec![letters.iter().map(|letter| (*letter).to_owned()).collect::<Vec<_>>()]
    };
    let rows: [Row<'_>; 9] = [
        (Value::Null, Some(vec![]), vec![], &[]),
        (json!([]), Some(vec![]), vec![], &[]),
        (json!([["C", "a", "A"]]), Some(one(&["A", "C"])), one(&["A", "C"]), &["id_normalised"]),
        (json!([["A"]]), Some(vec![]), vec![], &["single"]),
        (json!([["A", "A"]]), Some(vec![]), vec![], &["single"]),
        (json!([["A", "X"]]), None, vec![], &["unknown_id"]),
        (json!([["A", "B", 3]]), None, one(&["A", "B"]), &["unknown_id"]),
        (json!(["A", "B"]), None, vec![], &["wrong_type"]),
        (json!("A and B"), None, vec![], &["wrong_type"]),
    ];
    for (value, first, last, codes) in rows {
        let found = groups(&value, Chance::First);
        assert_eq!(found.ok().map(|(said, _)| said), first, "{value}");
        let (said, notes) = groups(&value, Chance::Last).unwrap();
        assert_eq!(
            (said, notes),
            (last, codes.iter().map(|code| (*code).to_owned()).collect()),
            "{value}"
        );
    }
    let many = json!(vec![["A", "B"]; MAX_GROUPS + 1]);
    assert_eq!(groups(&many, Chance::First).unwrap_err(), ["too_many"]);
    assert_eq!(groups(&many, Chance::Last).unwrap(), (vec![], vec!["too_many".to_owned()]));
}

fn ruling_body() -> Value {
    let point = |id: &str| json!({ "id": id, "ruling": "It holds.", "reason": "As measured." });
    json!({ "points": [point("A"), point("B"), point("C")], "position": "c", "confidence": 0.5 })
}

#[test]
fn a_ruling_has_a_word_on_every_choice_and_the_letter_of_one() {
    let (said, notes) = read(Ask::Ruling, &ruling_body(), Chance::First).unwrap();
    let Content::Ruling(said) = said else { panic!() };
    assert_eq!((&*said.position, said.points.len()), ("C", 3));
    assert_eq!((said.code_change_required, notes), (None, vec!["id_normalised".to_owned()]));
    for (body, code) in [
        (with(ruling_body(), "position", json!("The third")), "unknown_choice"),
        (with(ruling_body(), "position", json!("A or C")), "unknown_choice"),
        (with(ruling_body(), "position", json!("")), "missing_field"),
        (with(ruling_body(), "points", json!([])), "missing_ids"),
    ] {
        for chance in [Chance::First, Chance::Last] {
            let problems = read(Ask::Ruling, &body, chance).unwrap_err();
            assert!(problems.contains(&code.to_owned()), "{body}: {problems:?}");
        }
    }
}
