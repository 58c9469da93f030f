//! Every rule for positions, stances and judgements, on both chances.

use serde_json::{Value, json};

use super::super::contract::STANCES;
use super::*;
use crate::contract::template;
use crate::contract::{Block, ReplyReader, ReplyRules};
use crate::kernel::{Chance, Defect};
use crate::protocol::debate::Stance;
use crate::protocol::debate::contract::JUDGEMENT;
use crate::protocol::testing::raw;

pub(super) fn shown() -> Vec<String> {
    ["P1", "P2", "P3"].map(str::to_owned).to_vec()
}

pub(super) fn terms(shown: &[String], chance: Chance) -> ReplyRules<'_> {
    ReplyRules { shown, chance }
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

fn some_stances(body: &Value, chance: Chance) -> Read<Stances> {
    read(&STANCES, body, terms(&shown(), chance), stances)
}

fn said(point: &str, stance: &str) -> Value {
    json!({ "point": point, "stance": stance, "reason": "Because." })
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
fn a_judgement_rules_on_every_point_and_takes_a_position() {
    let ruling = |id: &str| json!({ "id": id, "ruling": "So.", "reason": "Because." });
    let whole = json!({ "points": [ruling("P1"), ruling("P2"), ruling("P3")], "position": "Do it.", "confidence": 1 });
    let judged = |key: &str, value: Value, chance| {
        let mut body = whole.clone();
        body[key] = value;
        read(&JUDGEMENT, &body, terms(&shown(), chance), judgement)
    };
    for chance in [Chance::First, Chance::Last] {
        assert!(judged("confidence", json!(1), chance).is_ok());
        for (key, value) in [
            ("points", json!([ruling("P1"), ruling("P2")])),
            ("points", json!([])),
            ("position", json!(" ")),
        ] {
            let found = judged(key, value.clone(), chance);
            assert!(found.is_err(), "{key}: {value}: {found:?}");
        }
    }
}
