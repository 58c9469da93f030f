//! Tests of judgements, missing steps and votes.

use super::super::super::contract::{self, MAX_MISSING};
use super::*;

fn crossed(
    judgements: &Value,
    missing: &Value,
    chance: Chance,
) -> Result<(PlanReviewBlock, Vec<String>), Vec<String>> {
    let body = json!({ "judgements": judgements, "missing_steps": missing });
    match ask(Ask::Cross, &block(Ask::Cross, &body), chance) {
        Ok(Reply { content: Content::Cross(said), notes }) => {
            Ok((said, notes.into_iter().map(|note| note.code).collect()))
        }
        Ok(_) => panic!("another answer"),
        Err(defect) => Err(defect.problems.into_iter().map(|each| each.code).collect()),
    }
}

fn judgement(id: &str, stance: &str) -> Value {
    json!({ "id": id, "stance": stance, "reason": "So.", "suggestion": "Otherwise." })
}

fn agreed(ids: &[&str]) -> Vec<Value> {
    ids.iter().map(|id| judgement(id, "agree")).collect()
}

#[test]
fn judgements_are_about_ids_that_were_shown() {
    let (said, notes) =
        crossed(&json!(agreed(&["S1", "S2", "S3"])), &json!([]), Chance::First).unwrap();
    assert_eq!((said.judgements.len(), notes.len()), (3, 0));
    // Unknown ids and the seat's own are dropped; a third of the judgements may be missing.
    let (said, notes) =
        crossed(&json!(agreed(&["S1", "S2", "S4", "S9"])), &json!([]), Chance::First).unwrap();
    let ids: Vec<&str> = said.judgements.iter().map(|each| &*each.id).collect();
    assert_eq!(ids, ["S1", "S2"]);
    assert_eq!(notes, ["unknown_id", "unknown_id", "ids_missing"]);
    // Different case and quotes are normalised.
    let odd = json!([
        judgement("s1", "Agree"),
        judgement("'S2'", " MODIFY "),
        judgement("S3", "disagree")
    ]);
    let (said, notes) = crossed(&odd, &json!([]), Chance::First).unwrap();
    let stances: Vec<Stance> = said.judgements.iter().map(|each| each.stance).collect();
    assert_eq!(stances, [Stance::Agree, Stance::Modify, Stance::Disagree]);
    assert_eq!(notes.len(), 4);
}

#[test]
fn faulty_judgements_at_both_chances() {
    by_the_first_rules();
    let rest = || agreed(&["S2", "S3"]);
    let one = |judgement: Value| {
        let mut all = rest();
        all.push(judgement);
        json!(all)
    };
    for (what, judgements, first, last) in [
        ("an unknown stance", one(judgement("S1", "approve")), "unknown_word", Ok(2)),
        ("no stance", one(json!({ "id": "S1", "reason": "So." })), "missing_field", Ok(2)),
        (
            "modify without a suggestion",
            one(json!({ "id": "S1", "stance": "modify", "reason": "So." })),
            "missing_suggestion",
            Ok(2),
        ),
        (
            "disagree without a reason",
            one(json!({ "id": "S1", "stance": "disagree" })),
            "missing_reason",
            Ok(2),
        ),
        (
            "a reason that is none",
            one(json!({ "id": "S1", "stance": "agree", "reason": 1 })),
            "wrong_type",
            Ok(2),
        ),
        ("no id", one(json!({ "stance": "agree" })), "missing_field", Ok(2)),
        ("no object", one(json!("S1")), "wrong_type", Ok(2)),
        (
            "two that differ",
            json!([
                judgement("S1", "agree"),
                judgement("S1", "disagree"),
                judgement("S2", "agree"),
                judgement("S3", "agree")
            ]),
            "conflicting_entries",
            Ok(2),
        ),
        ("two of three missing", json!(agreed(&["S1"])), "ids_missing", Ok(1)),
        ("none", json!([]), "ids_missing", Err("ids_missing")),
        ("none that counts", json!(agreed(&["S7"])), "ids_missing", Err("ids_missing")),
        ("no list", json!({}), "wrong_type", Err("wrong_type")),
    ] {
        let codes = crossed(&judgements, &json!([]), Chance::First).unwrap_err();
        assert!(codes.contains(&first.to_owned()), "{what}: {codes:?}");
        match (crossed(&judgements, &json!([]), Chance::Last), last) {
            (Ok((said, notes)), Ok(count)) => {
                assert_eq!(said.judgements.len(), count, "{what}");
                assert!(!notes.is_empty(), "{what}");
            }
            (Err(codes), Err(last)) => {
                assert!(codes.contains(&last.to_owned()), "{what}: {codes:?}");
            }
            (found, expected) => panic!("{what}: {found:?}, expected {expected:?}"),
        }
    }
    // An agreement needs no reason, and an identical repeat counts once.
    let bare = json!({ "id": "S1", "stance": "agree" });
    let (said, notes) = crossed(
        &json!([bare, bare, judgement("S2", "agree"), judgement("S3", "agree")]),
        &json!([]),
        Chance::First,
    )
    .unwrap();
    assert_eq!((said.judgements.len(), notes), (3, vec!["duplicate_equal".to_owned()]));
}

#[test]
fn missing_steps_depend_on_what_was_shown_or_on_each_other() {
    by_the_first_rules();
    let all = json!(agreed(&["S1", "S2", "S3"]));
    let first = with("x", "depends_on", json!(["S4", "s1", "y"]));
    let (said, notes) = crossed(&all, &json!([first, ok("y")]), Chance::First).unwrap();
    assert_eq!(said.missing_steps[0].depends_on, ["S4", "S1", "y"]);
    assert_eq!(notes, ["id_normalised"]);
    for (what, missing, code, left) in [
        ("an unknown one", json!([with("x", "depends_on", json!(["q"]))]), "unknown_dependency", 1),
        ("the id of another", json!([ok("S4")]), "duplicate_id", 0),
        (
            "a circle",
            json!([
                with("x", "depends_on", json!(["y"])),
                with("y", "depends_on", json!(["x"])),
                ok("z")
            ]),
            "dependency_cycle",
            1,
        ),
        ("a faulty one", json!([without("x", "title"), ok("z")]), "missing_field", 1),
        (
            "too many",
            json!((0..=MAX_MISSING).map(|n| ok(&format!("n{n}"))).collect::<Vec<_>>()),
            "too_many",
            MAX_MISSING,
        ),
        ("no list", json!("none"), "wrong_type", 0),
    ] {
        let codes = crossed(&all, &missing, Chance::First).unwrap_err();
        assert!(codes.contains(&code.to_owned()), "{what}: {codes:?}");
        let (said, notes) = crossed(&all, &missing, Chance::Last).unwrap();
        assert_eq!(said.missing_steps.len(), left, "{what}");
        assert!(!notes.is_empty(), "{what}");
    }
}

fn voted(votes: &Value, chance: Chance) -> Result<ValidationBlock, Vec<String>> {
    match ask(Ask::Validation, &block(Ask::Validation, &json!({ "votes": votes })), chance) {
        Ok(Reply { content: Content::Validation(said), .. }) => Ok(said),
        Ok(_) => panic!("another answer"),
        Err(defect) => Err(defect.problems.into_iter().map(|each| each.code).collect()),
    }
}

/// In the source, everything but "reject" approved, errors included.
#[test]
fn only_the_word_approve_approves() {
    by_the_first_rules();
    let vote = |id: &str, word: &str| json!({ "id": id, "vote": word, "reason": "So." });
    let two = |third: Value| json!([vote("S1", "approve"), vote("S2", "reject"), third]);
    let said = voted(&two(vote("S3", "Approve")), Chance::First).unwrap();
    let approvals: Vec<bool> = said.votes.iter().map(|vote| vote.approve).collect();
    assert_eq!(approvals, [true, false, true]);
    for odd in [
        vote("S3", "yes"),
        vote("S3", "approved"),
        vote("S3", ""),
        json!({ "id": "S3", "vote": true }),
        json!({ "id": "S3", "reason": "So." }),
        json!({ "id": "S3", "vote": "reject" }),
    ] {
        assert!(voted(&two(odd.clone()), Chance::First).is_err(), "{odd}");
        assert_eq!(voted(&two(odd.clone()), Chance::Last).unwrap().votes.len(), 2, "{odd}");
    }
    assert_eq!(voted(&json!([]), Chance::Last), Err(vec!["ids_missing".to_owned()]));
}

#[test]
fn the_prompts_own_templates_are_no_answers() {
    for (each, name) in
        [(Ask::Plan, "PLAN"), (Ask::Cross, "PLAN_REVIEW"), (Ask::Validation, "VALIDATION")]
    {
        assert_eq!(each.outline().name, name);
        for chance in [Chance::First, Chance::Last] {
            assert!(ask(each, &contract::text(each), chance).is_err());
            assert!(ask(each, "I cannot help with that.", chance).is_err());
            assert!(ask(each, "", chance).is_err());
        }
    }
}
