//! Ids by side, what is kept, and what a marked memory becomes.

use serde_json::{Value, json};

use super::super::contract::{Ask, Side};
use super::super::reply::{Content, parse};
use super::super::testing::{position, raw};
use super::*;
use crate::contract::ReplyRules;
use crate::kernel::{Chance, Defect, Reply};

/// Returns the ids of an answer by the reviewer that may keep `A1`, `A2` and `B1`.
fn ids() -> PointIds {
    let mut used = UsedNumbers::default();
    let mut known = position("a", 3);
    for (point, id) in known.points.iter_mut().zip(["A1", "A2", "B1"]) {
        point.id = id.to_owned();
    }
    used.take(&known);
    used.ids(Some(Side::Reviewer), known.points.into_iter())
}

fn read(points: &Value, chance: Chance) -> Result<Reply<Content>, Defect> {
    let body = json!({ "points": points, "summary": "What I hold.", "concedes": [], "risks": [] });
    let text = format!("<<<POSITION_START>>>\n{body}\n<<<POSITION_END>>>");
    let terms = ReplyRules { chance, ..ReplyRules::default() };
    parse(Ask::Compromise, &ids(), &raw(&text), terms)
}

/// A point's id, claim and owner.
type Seen = (String, String, Option<String>);

/// Returns each point, and the codes of the notes.
fn points(points: &Value) -> (Vec<Seen>, Vec<String>) {
    let reply = read(points, Chance::First).unwrap();
    let Content::Position(said) = reply.content else { panic!("no position") };
    let of = |point: Point| {
        assert_eq!(point.keep, None);
        (point.id, point.claim, point.kept_from)
    };
    let notes = reply.notes.into_iter().map(|note| note.code).collect();
    (said.points.into_iter().map(of).collect(), notes)
}

fn point(id: &str, claim: &str, owner: Option<&str>) -> Seen {
    (id.to_owned(), claim.to_owned(), owner.map(str::to_owned))
}

#[test]
fn a_kept_point_has_its_id_its_text_and_its_owner_and_new_ones_are_numbered_on() {
    let written = json!([
        { "keep": "A2" }, { "claim": "New.", "importance": 3 }, { "keep": "B1" },
        { "id": "A1", "claim": "Newer.", "importance": 1 },
    ]);
    let (read, notes) = points(&written);
    assert_eq!(
        read,
        [
            point("A2", "Claim 2 of a.", Some("proposer")),
            point("B2", "New.", None),
            point("B1", "Claim 3 of a.", Some("reviewer")),
            point("B3", "Newer.", None),
        ]
    );
    assert_eq!(notes, Vec::<String>::new());
}

#[test]
fn a_kept_point_is_read_in_the_forms_that_models_write() {
    for (written, codes) in [
        (json!({ "keep": "a1" }), vec![]),
        (json!({ "keep": "A1", "claim": "Claim 1 of a." }), vec![]),
        (json!({ "keep": "A1: as it stands" }), vec![]),
        (json!("keep A1"), vec!["unwrapped", "unwrapped"]),
        (json!("A1"), vec!["unwrapped", "unwrapped"]),
        (json!({ "claim": "keep A1", "importance": 2 }), vec!["unwrapped"]),
    ] {
        let (read, mut notes) = points(&json!([written]));
        assert_eq!(read, [point("A1", "Claim 1 of a.", Some("proposer"))], "{written}");
        notes.retain(|code| code != "id_normalised" && code != "missing_field");
        assert_eq!(notes, codes, "{written}");
    }
}

#[test]
fn what_is_reworded_is_a_new_point() {
    let (read, notes) = points(&json!([{ "keep": "A1", "claim": "Otherwise.", "importance": 2 }]));
    assert_eq!(read, [point("B2", "Otherwise.", None)]);
    assert_eq!(notes, ["not_kept"]);
}

#[test]
fn an_unknown_id_is_a_problem_and_no_point() {
    let written = json!([{ "keep": "A9" }, { "keep": "A1" }, { "keep": "A1" }]);
    let defect = read(&written, Chance::First).unwrap_err();
    let said: Vec<&str> = defect.problems.iter().map(|problem| &*problem.message).collect();
    let message =
        "`keep` names A9, which was not shown; keep one of A1, A2, B1, or write the point out";
    assert_eq!(said, [message]);
    let Content::Position(said) = read(&written, Chance::Last).unwrap().content else {
        panic!("no position")
    };
    assert_eq!(said.points.len(), 1);
    // A position of nothing else is none.
    let defect = read(&json!([{ "keep": "A9" }]), Chance::Last).unwrap_err();
    assert_eq!(defect.problems[0].code, "no_points");
    // And a point without a claim that keeps nothing is none either.
    assert!(read(&json!([{ "reasoning": "So." }]), Chance::Last).is_err());
}

#[test]
fn numbers_go_on_from_all_that_were_used() {
    let mut used = UsedNumbers::default();
    let mut position = position("a", 2);
    for (side, id, next) in [
        (Some(Side::Proposer), "A7", "A8"),
        (Some(Side::Reviewer), "B2", "B3"),
        (None, "J1", "J2"),
        (Some(Side::Proposer), "A3", "A8"),
    ] {
        id.clone_into(&mut position.points[1].id);
        used.take(&position);
        assert_eq!(used.ids(side, std::iter::empty()).id(0), next);
    }
}

#[test]
fn what_is_said_from_memory_is_marked_in_one_way() {
    for (written, read) in [
        ("from memory: SQS has no order", "from memory: SQS has no order"),
        ("From memory - SQS has no order", "from memory: SQS has no order"),
        ("[from memory] SQS has no order", "from memory: SQS has no order"),
        ("(From memory), SQS has no order", "from memory: SQS has no order"),
        ("From memory-mapped files", "From memory-mapped files"),
        ("docs/a.md:3 from memory", "docs/a.md:3 from memory"),
        ("From memoryé", "From memoryé"),
    ] {
        let reply = read_one(written);
        assert_eq!(reply, read, "{written}");
    }
}

fn read_one(evidence: &str) -> String {
    let points = json!([{ "claim": "New.", "evidence": [evidence], "importance": 2 }]);
    let Content::Position(said) = read(&points, Chance::First).unwrap().content else {
        panic!("no position")
    };
    said.points[0].evidence[0].clone()
}
