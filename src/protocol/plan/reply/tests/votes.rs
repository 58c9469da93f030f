//! Tests of judgements, missing steps and votes.

use super::*;
use crate::kernel::Chance;

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
