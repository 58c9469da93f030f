//! Every rule for positions, stances, judgements and remarks, on both chances.

use serde_json::{Value, json};

use super::super::contract::{JUDGEMENT, POSITION, REMARK, STANCES};
use super::*;
use crate::contract::template;
use crate::contract::{Block, ReplyReader, ReplyRules};
use crate::kernel::{Chance, Defect};
use crate::protocol::debate::Stance;
use crate::protocol::debate::model::{MAX_ENTRIES, MAX_POINTS, TEXT_CHARS};
use crate::protocol::testing::by_the_first_rules;
use crate::protocol::testing::raw;
use crate::text::block::BlockLimits;

pub(super) fn shown() -> Vec<String> {
    ["P1", "P2", "P3"].map(str::to_owned).to_vec()
}

pub(super) fn terms(shown: &[String], chance: Chance) -> ReplyRules<'_> {
    ReplyRules { shown, chance, strict: false, limits: BlockLimits::default() }
}

type Read<T> = Result<(T, Vec<String>), Vec<String>>;

fn read<T>(
    block: &Block<T>,
    body: &Value,
    terms: ReplyRules<'_>,
    rules: impl FnOnce(&mut Diagnostics, T) -> T,
) -> Read<T> {
    let text = template::block(block.name(), &body.to_string());
    let codes = |defect: Defect| -> Vec<String> {
        defect.problems.into_iter().map(|problem| problem.code).collect()
    };
    let mut reading = ReplyReader::of(&raw(&text), &[&block.outline], terms).map_err(codes)?;
    let said = reading.read(block, |judge, said| Some(rules(judge, said)));
    let (said, notes) = reading.close(said).map_err(codes)?;
    Ok((said, notes.into_iter().map(|note| note.code).collect()))
}

fn a_position(body: &Value, chance: Chance) -> Read<Position> {
    read(&POSITION, body, terms(&[], chance), position)
}

fn some_stances(body: &Value, chance: Chance) -> Read<Stances> {
    read(&STANCES, body, terms(&shown(), chance), stances)
}

fn a_judgement(body: &Value, chance: Chance) -> Read<Judgement> {
    read(&JUDGEMENT, body, terms(&shown(), chance), judgement)
}

fn point(id: &str, claim: &str) -> Value {
    json!({ "id": id, "claim": claim, "reasoning": "So.", "evidence": ["a.rs:1"], "importance": 2 })
}

fn with_points(points: &Value) -> Value {
    json!({ "summary": "Do it.", "points": points, "concedes": [], "risks": [], "confidence": 0.8 })
}

fn said(point: &str, stance: &str) -> Value {
    json!({ "point": point, "stance": stance, "reason": "Because." })
}

#[test]
fn a_whole_position_is_read_as_it_is_written() {
    let mut body = with_points(&json!([point("P1", "One."), point("P2", "Two.")]));
    body["code_change_required"] = json!(true);
    let (position, notes) = a_position(&body, Chance::First).unwrap();
    assert_eq!(notes, Vec::<String>::new());
    assert_eq!(json!(position), body);
}

#[test]
fn points_get_our_ids_in_the_order_written() {
    let points = json!([point("X", "One."), point("P2", "Two."), point("P2", "Three.")]);
    let (position, notes) = a_position(&with_points(&points), Chance::First).unwrap();
    let ids: Vec<(&str, &str)> =
        position.points.iter().map(|point| (&*point.id, &*point.claim)).collect();
    assert_eq!(ids, [("P1", "One."), ("P2", "Two."), ("P3", "Three.")]);
    assert_eq!(notes, ["renumbered"]);
    // A foreign id, or none at all, is not a fault.
    let points = json!([{ "claim": "One.", "importance": 1 }]);
    let (position, _) = a_position(&with_points(&points), Chance::First).unwrap();
    assert_eq!((&*position.points[0].id, position.points[0].importance), ("P1", 1));
}

#[test]
fn a_claim_that_is_made_twice_weighs_once() {
    let points = json!([point("P1", "Use  the queue."), point("P2", "use the Queue.")]);
    let (position, notes) = a_position(&with_points(&points), Chance::First).unwrap();
    assert_eq!((position.points.len(), &notes[..]), (1, &["duplicate_claim".to_owned()][..]));
}

#[test]
fn what_makes_a_position_none() {
    by_the_first_rules();
    let many: Vec<Value> = (0..=MAX_POINTS).map(|at| point("P", &format!("Claim {at}."))).collect();
    let rows = [
        (with_points(&json!([])), "no_points"),
        (with_points(&json!("one")), "wrong_type"),
        (json!({ "summary": "x", "confidence": 1 }), "wrong_type"),
        (with_points(&json!(many)), "too_many"),
        (with_points(&json!([{ "id": "P1" }])), "missing_field"),
        (with_points(&json!(["P1"])), "wrong_type"),
    ];
    for (body, code) in rows {
        for chance in [Chance::First, Chance::Last] {
            let codes = a_position(&body, chance).unwrap_err();
            assert!(codes.contains(&code.to_owned()), "{body}: {codes:?}");
        }
    }
    // Required fields are never invented: the summary, and a confidence from 0 to 1.
    for (key, value, code) in [
        ("summary", json!(""), "missing_field"),
        ("summary", json!("\u{200b} \u{1b}"), "missing_field"),
        ("summary", json!(3), "wrong_type"),
        ("confidence", json!(80), "out_of_range"),
        ("confidence", json!(-0.1), "out_of_range"),
        ("confidence", json!("0.8"), "out_of_range"),
        ("confidence", Value::Null, "missing_field"),
    ] {
        let mut body = with_points(&json!([point("P1", "One.")]));
        body[key] = value;
        for chance in [Chance::First, Chance::Last] {
            let codes = a_position(&body, chance).unwrap_err();
            assert!(codes.contains(&code.to_owned()), "{key}: {codes:?}");
        }
    }
}

#[test]
fn importance_is_1_to_3_and_2_where_it_is_not_given() {
    by_the_first_rules();
    let importance = |value: Value, chance: Chance| {
        let mut point = point("P1", "One.");
        point["importance"] = value;
        a_position(&with_points(&json!([point])), chance)
            .map(|(position, notes)| (position.points[0].importance, notes))
    };
    for number in 1..=3 {
        assert_eq!(importance(json!(number), Chance::First), Ok((number, Vec::new())));
    }
    assert_eq!(importance(Value::Null, Chance::First), Ok((2, vec!["missing_field".to_owned()])));
    for wrong in [json!(0), json!(4), json!(2.5), json!("3"), json!(u64::MAX)] {
        assert_eq!(
            importance(wrong.clone(), Chance::First),
            Err(vec!["out_of_range".to_owned()]),
            "{wrong}"
        );
        assert_eq!(importance(wrong, Chance::Last), Ok((2, vec!["out_of_range".to_owned()])));
    }
}

#[test]
fn a_faulty_point_is_asked_again_and_left_out_at_last() {
    let body = with_points(&json!([point("P1", "One."), { "id": "P2", "claim": " " }]));
    assert_eq!(a_position(&body, Chance::First), Err(vec!["missing_field".to_owned()]));
    let (position, notes) = a_position(&body, Chance::Last).unwrap();
    assert_eq!((position.points.len(), &notes[..]), (1, &["entry_left_out".to_owned()][..]));
}

#[test]
fn each_shown_point_needs_one_stance() {
    let all = json!({ "stances": [said("P3", "agree"), said("p1", "Agree"), said("P2", "disagree")], "missing": ["Costs."] });
    let (stances, notes) = some_stances(&all, Chance::First).unwrap();
    let read: Vec<(&str, Stance)> =
        stances.stances.iter().map(|said| (&*said.point, said.stance)).collect();
    assert_eq!(read, [("P1", Stance::Agree), ("P2", Stance::Disagree), ("P3", Stance::Agree)]);
    assert_eq!(stances.missing, ["Costs."]);
    assert_eq!(notes, ["word_normalised", "id_normalised"]);

    // One stance is missing: asked again, then left out; nothing is invented.
    let two = json!({ "stances": [said("P1", "agree"), said("P2", "agree")] });
    assert_eq!(some_stances(&two, Chance::First), Err(vec!["missing_ids".to_owned()]));
    let (stances, notes) = some_stances(&two, Chance::Last).unwrap();
    assert_eq!((stances.stances.len(), &notes[..]), (2, &["missing_ids".to_owned()][..]));
    assert_eq!(stances.on("P3"), None);

    // An answer without any stance is not an answer.
    for none in [
        json!({ "stances": [] }),
        json!({ "missing": [] }),
        json!({ "stances": [said("P9", "agree")] }),
        json!({ "stances": [{ "point": "P1", "stance": "maybe", "reason": "x" }] }),
    ] {
        for chance in [Chance::First, Chance::Last] {
            assert!(some_stances(&none, chance).is_err(), "{none}");
        }
    }
}

#[test]
fn unknown_points_are_dropped_and_contradictions_count_for_nothing() {
    let mut entries = vec![said("P1", "agree"), said("P2", "agree"), said("P3", "agree")];
    entries.push(said("P4", "agree"));
    let (stances, notes) = some_stances(&json!({ "stances": entries }), Chance::First).unwrap();
    assert_eq!((stances.stances.len(), &notes[..]), (3, &["unknown_id".to_owned()][..]));

    entries[3] = said("P3", "disagree");
    let body = json!({ "stances": entries });
    assert!(
        some_stances(&body, Chance::First).unwrap_err().contains(&"conflicting_entries".to_owned())
    );
    let (stances, notes) = some_stances(&body, Chance::Last).unwrap();
    assert_eq!(stances.stances.len(), 2);
    assert_eq!(notes, ["conflicting_entries", "missing_ids"]);

    entries[3] = said("P3", "agree");
    let (stances, notes) = some_stances(&json!({ "stances": entries }), Chance::First).unwrap();
    assert_eq!((stances.stances.len(), &notes[..]), (3, &["duplicate_equal".to_owned()][..]));
}

#[test]
fn agree_but_is_partly() {
    let one = vec!["P1".to_owned()];
    let stance = |reason: &str, amendment: Value| {
        let body = json!({ "stances": [
            { "point": "P1", "stance": "agree", "reason": reason, "amendment": amendment }
        ] });
        let (stances, notes) = read(&STANCES, &body, terms(&one, Chance::First), stances).unwrap();
        let said = &stances.stances[0];
        assert_eq!(notes.contains(&"agree_but".to_owned()), said.stance == Stance::Partly);
        (said.stance, said.amendment.is_some())
    };
    let half = (Stance::Partly, false);
    for reason in [
        "Agree, but only on Mondays.",
        "agree but no",
        "Yes, but who pays?",
        "\"Agreed, but\" is what I would say.",
        "I agree, but it is slow.",
        "Agree… but then",
        "Agree except for the limit.",
        "Agree only if it is measured.",
    ] {
        assert_eq!(stance(reason, Value::Null), half, "{reason}");
    }
    let whole = (Stance::Agree, false);
    for reason in [
        "It is butter.",
        "Nothing but this works.",
        "Agree.",
        "Yes: but-for causation holds.",
        "But of course.",
    ] {
        assert_eq!(stance(reason, Value::Null), whole, "{reason}");
    }
    assert_eq!(stance("It is so.", json!("On Mondays only.")), (Stance::Partly, true));
    for nothing in ["", " ", "none", "None.", "n/a", "-", "—", "No amendment."] {
        assert_eq!(stance("It is so.", json!(nothing)), whole, "{nothing}");
    }
}

#[test]
fn a_stance_without_a_reason_is_none() {
    by_the_first_rules();
    let body = json!({ "stances": [
        said("P1", "agree"), said("P2", "agree"), { "point": "P3", "stance": "agree", "reason": "" }
    ] });
    assert!(some_stances(&body, Chance::First).unwrap_err().contains(&"missing_field".to_owned()));
    let (stances, _) = some_stances(&body, Chance::Last).unwrap();
    assert_eq!(stances.on("P3"), None);
}

#[test]
fn a_judgement_rules_on_every_point_and_takes_a_position() {
    by_the_first_rules();
    let ruling = |id: &str| json!({ "id": id, "ruling": "So.", "reason": "Because." });
    let whole = json!({ "points": [ruling("P1"), ruling("P2"), ruling("P3")], "position": "Do it.", "confidence": 1 });
    let (judgement, notes) = a_judgement(&whole, Chance::First).unwrap();
    assert_eq!((judgement.points.len(), judgement.code_change_required, notes.len()), (3, None, 0));
    let change = |key: &str, value: Value| {
        let mut body = whole.clone();
        body[key] = value;
        body
    };
    let rows = [
        (change("points", json!([ruling("P1"), ruling("P2")])), "missing_ids"),
        (change("points", json!([])), "missing_ids"),
        (change("points", Value::Null), "wrong_type"),
        (
            change("points", json!([ruling("P1"), ruling("P2"), { "id": "P3", "ruling": "So." }])),
            "missing_ids",
        ),
        (change("position", json!(" ")), "missing_field"),
        (change("position", json!({ "summary": "x" })), "wrong_type"),
        (change("confidence", json!(2)), "out_of_range"),
    ];
    for (body, code) in rows {
        for chance in [Chance::First, Chance::Last] {
            let codes = a_judgement(&body, chance).unwrap_err();
            assert!(codes.contains(&code.to_owned()), "{body}: {codes:?}");
        }
    }
    let mut two = whole.clone();
    two["points"] = json!([ruling("P1"), ruling("P2"), ruling("P3"), { "id": "P3", "ruling": "No.", "reason": "?" }]);
    assert!(a_judgement(&two, Chance::Last).is_err());
    // If nothing is open, there is nothing to rule on.
    let none = change("points", json!([]));
    assert!(read(&JUDGEMENT, &none, terms(&[], Chance::First), super::judgement).is_ok());
}

#[test]
fn lists_are_bounded() {
    let many: Vec<Value> = (0..=MAX_ENTRIES).map(|_| said("P1", "agree")).collect();
    let body = json!({ "stances": many });
    assert!(some_stances(&body, Chance::First).unwrap_err().contains(&"too_many".to_owned()));
    let (stances, notes) = some_stances(&body, Chance::Last).unwrap();
    assert_eq!(stances.stances.len(), 1);
    assert!(notes.contains(&"too_many".to_owned()));
    let mut body = with_points(&json!([point("P1", "One.")]));
    body["risks"] = json!(vec!["r"; 50]);
    body["summary"] = json!("x".repeat(5_000));
    let (position, notes) = a_position(&body, Chance::First).unwrap();
    assert_eq!((position.risks.len(), position.summary.chars().count()), (20, 4_000));
    assert_eq!(notes, ["too_many", "shortened"]);
}

#[test]
fn strictly_what_would_be_normalised_is_a_defect() {
    let body = with_points(&json!([point("X", "One.")]));
    let strict = ReplyRules { strict: true, ..terms(&[], Chance::First) };
    assert_eq!(read(&POSITION, &body, strict, position), Err(vec!["renumbered".to_owned()]));
}

#[test]
fn a_remark_is_text_and_none_is_a_good_one() {
    let remark = |text: &str| {
        let mut reading =
            ReplyReader::of(&raw(text), &[&REMARK.outline], terms(&[], Chance::First)).unwrap();
        reading.read(&REMARK, |_, remark| Some(remark))
    };
    let block = |text: &str| template::block(REMARK.name(), text);
    assert_eq!(remark(&block("Think of costs.")), Some("Think of costs.".to_owned()));
    assert_eq!(remark(&block("\u{1b}[31mred\u{202e}")), Some("red".to_owned()));
    for none in ["", "Nothing from me.", &block(""), &block(" \n ")] {
        assert_eq!(remark(none), None, "{none}");
    }
    let long = remark(&block(&"é".repeat(TEXT_CHARS + 10))).unwrap();
    assert_eq!(long.chars().count(), TEXT_CHARS + 1);
}

#[test]
fn all_that_is_wrong_is_said_at_once_with_the_ids_that_are_expected() {
    by_the_first_rules();
    let text = format!(
        "{}\n{}",
        template::block(STANCES.name(), &json!({ "stances": [said("P1", "agree")] }).to_string()),
        template::block(
            POSITION.name(),
            &json!({ "points": [point("P1", "One.")], "confidence": 3 }).to_string()
        )
    );
    let ids = shown();
    let blocks = [&STANCES.outline, &POSITION.outline];
    let mut reading = ReplyReader::of(&raw(&text), &blocks, terms(&ids, Chance::First)).unwrap();
    let stances = reading.read(&STANCES, |judge, said| Some(stances(judge, said)));
    let position = reading.read(&POSITION, |judge, said| Some(position(judge, said)));
    let both = stances.zip(position);
    let defect = reading.close(both).unwrap_err();
    let codes: Vec<(&str, &str)> = (defect.problems.iter())
        .map(|problem| (problem.block.as_deref().unwrap(), &*problem.code))
        .collect();
    assert_eq!(
        codes,
        [("STANCES", "missing_ids"), ("POSITION", "missing_field"), ("POSITION", "out_of_range")]
    );
    assert_eq!(defect.expected_ids, ids);
}
