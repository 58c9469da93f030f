//! Each row of the decision table that concerns plans, judgements and votes, on both chances.

use serde_json::{Value, json};

use super::super::contract::MAX_STEPS;
use super::super::model::PlanBlock;
use super::super::testing::*;
use super::*;
use crate::contract::template;
use crate::protocol::testing::by_the_first_rules;

mod votes;

pub(super) fn terms<'a>(ids: &'a [String], others: &'a [String]) -> ReplyContext<'a> {
    let limits = BlockLimits::default();
    ReplyContext { ids, others, revises: false, strict: false, limits }
}

pub(super) fn three() -> Vec<String> {
    ["S1", "S2", "S3"].map(str::to_owned).to_vec()
}

pub(super) fn own() -> Vec<String> {
    vec!["S4".to_owned()]
}

pub(super) fn ask(ask: Ask, text: &str, chance: Chance) -> Result<Reply<Content>, Defect> {
    parse(ask, &raw(text), chance, terms(&three(), &own()))
}

fn block(ask: Ask, body: &Value) -> String {
    template::block(ask.outline().name, &body.to_string())
}

fn planned(body: &Value, chance: Chance) -> Result<(PlanBlock, Vec<String>), Vec<String>> {
    match ask(Ask::Plan, &block(Ask::Plan, body), chance) {
        Ok(Reply { content: Content::Plan(said), notes }) => {
            Ok((said, notes.into_iter().map(|note| note.code).collect()))
        }
        Ok(_) => panic!("another answer"),
        Err(defect) => Err(defect.problems.into_iter().map(|each| each.code).collect()),
    }
}

#[expect(clippy::needless_pass_by_value, reason = "callers make the list for it")]
fn body(steps: Vec<Value>) -> Value {
    json!({ "steps": steps, "summary": "s", "risks": [], "open_questions": [] })
}

fn ok(id: &str) -> Value {
    written(&step(id, "work", &[]))
}

fn with(id: &str, field: &str, value: Value) -> Value {
    let mut step = ok(id);
    step[field] = value;
    step
}

fn without(id: &str, field: &str) -> Value {
    let mut step = ok(id);
    step.as_object_mut().unwrap().remove(field);
    step
}

#[test]
fn a_good_plan_is_taken_as_it_is() {
    let steps =
        vec![step("a", "work", &[]), step("b", "work", &["a"]), step("c", "rest", &["a", "b"])];
    let reply = ask(Ask::Plan, &plan(&steps), Chance::First).unwrap();
    assert_eq!(reply.notes, []);
    let Content::Plan(said) = reply.content else { panic!("another answer") };
    assert_eq!(said.steps, steps);
    assert!(said.dependencies_valid);
    assert_eq!(said.risks, ["It may be slow."]);
}

/// A fault that a re-ask can fix is at first a problem; then it is left out with a note, or the turn fails.
#[test]
fn faulty_plans_at_both_chances() {
    by_the_first_rules();
    let others = || vec![ok("b"), ok("c"), ok("d")];
    let one = |step: Value| {
        let mut steps = others();
        steps.push(step);
        body(steps)
    };
    for (what, value, first, last) in [
        ("no id", one(without("a", "id")), "missing_field", Ok("entry_left_out")),
        ("an empty id", one(with("a", "id", json!(" "))), "missing_field", Ok("entry_left_out")),
        (
            "a long id",
            one(with("a", "id", json!("x".repeat(65)))),
            "wrong_type",
            Ok("entry_left_out"),
        ),
        ("no title", one(without("a", "title")), "missing_field", Ok("entry_left_out")),
        ("no phase", one(without("a", "phase")), "missing_field", Ok("entry_left_out")),
        (
            "no description",
            one(with("a", "description", json!(7))),
            "wrong_type",
            Ok("entry_left_out"),
        ),
        (
            "files as text",
            one(with("a", "files", json!("a, b"))),
            "wrong_type",
            Ok("entry_left_out"),
        ),
        (
            "acceptance as a list",
            one(with("a", "acceptance", json!([]))),
            "wrong_type",
            Ok("entry_left_out"),
        ),
        ("no object", one(json!("do it")), "wrong_type", Ok("entry_left_out")),
        (
            "an unknown dependency",
            one(with("a", "depends_on", json!(["x"]))),
            "unknown_dependency",
            Ok("unknown_dependency"),
        ),
        (
            "risks as a number",
            json!({ "steps": others(), "summary": "s", "risks": 7, "open_questions": [] }),
            "wrong_type",
            Ok("wrong_type"),
        ),
        (
            "summary as a list",
            json!({ "steps": others(), "summary": [], "risks": [], "open_questions": [] }),
            "wrong_type",
            Ok("wrong_type"),
        ),
        ("no steps", body(Vec::new()), "no_steps", Err("no_steps")),
        ("no list", json!({ "summary": "s" }), "wrong_type", Err("wrong_type")),
        ("a list as text", json!({ "steps": "a" }), "wrong_type", Err("wrong_type")),
        ("null", json!({ "steps": null }), "wrong_type", Err("wrong_type")),
        (
            "two of one id",
            body(vec![ok("a"), with("a", "title", json!("Other"))]),
            "duplicate_id",
            Err("duplicate_id"),
        ),
        (
            "itself",
            body(vec![with("a", "depends_on", json!(["a"]))]),
            "dependency_cycle",
            Err("dependency_cycle"),
        ),
        (
            "half of it faulty",
            body(vec![ok("a"), without("b", "title")]),
            "missing_field",
            Err("no_valid_plan"),
        ),
        (
            "too many",
            body((0..=MAX_STEPS).map(|n| ok(&format!("n{n}"))).collect()),
            "too_many",
            Err("too_many"),
        ),
    ] {
        let codes = planned(&value, Chance::First).unwrap_err();
        assert!(codes.contains(&first.to_owned()), "{what}: {codes:?}");
        match (planned(&value, Chance::Last), last) {
            (Ok((_, notes)), Ok(last)) => {
                assert!(notes.contains(&last.to_owned()), "{what}: {notes:?}");
            }
            (Err(codes), Err(last)) => {
                assert!(codes.contains(&last.to_owned()), "{what}: {codes:?}");
            }
            (found, expected) => panic!("{what}: {found:?}, expected {expected:?}"),
        }
    }
}

#[test]
fn what_is_left_out_takes_its_dependencies_along_and_costs_points() {
    let steps = vec![without("a", "title"), with("b", "depends_on", json!(["a"])), ok("c")];
    let (said, notes) = planned(&body(steps), Chance::Last).unwrap();
    assert_eq!(notes, ["entry_left_out", "unknown_dependency"]);
    assert_eq!(said.steps.len(), 2);
    assert_eq!(said.steps[0].depends_on, Vec::<String>::new());
    assert!(!said.dependencies_valid);
}

/// A list that cannot be read is reported once, and not also as empty.
#[test]
fn a_list_that_is_none_is_one_problem() {
    by_the_first_rules();
    for (each, body) in [
        (Ask::Plan, json!({ "steps": "a", "summary": "s", "risks": [], "open_questions": [] })),
        (Ask::Cross, json!({ "judgements": {}, "missing_steps": [] })),
        (Ask::Validation, json!({ "votes": null })),
    ] {
        for chance in [Chance::First, Chance::Last] {
            let defect = ask(each, &block(each, &body), chance).unwrap_err();
            let codes: Vec<&str> = defect.problems.iter().map(|each| &*each.code).collect();
            assert_eq!(codes, ["wrong_type"], "{each:?}");
        }
    }
}

#[test]
fn a_cycle_is_named() {
    let steps = vec![
        with("setup", "depends_on", json!(["build"])),
        with("build", "depends_on", json!(["ship"])),
        with("ship", "depends_on", json!(["setup"])),
    ];
    let text = block(Ask::Plan, &body(steps));
    let defect = ask(Ask::Plan, &text, Chance::Last).unwrap_err();
    assert_eq!(
        defect.problems[0].message,
        "steps depend on each other: setup -> build -> ship -> setup"
    );
}

#[test]
fn what_is_meant_without_doubt_is_normalised_with_a_note() {
    let mut steps = vec![ok("setup"), with("b", "depends_on", json!(["“Setup”", "setup"]))];
    let (said, notes) = planned(&body(steps.clone()), Chance::First).unwrap();
    assert_eq!(
        (&*said.steps[1].depends_on, &*notes[0]),
        (&["setup".to_owned()][..], "id_normalised")
    );
    steps[0]["id"] = json!(1);
    steps[1]["depends_on"] = json!([1]);
    let (said, notes) = planned(&body(steps), Chance::First).unwrap();
    assert_eq!((&*said.steps[0].id, &*said.steps[1].depends_on[0]), ("1", "1"));
    assert_eq!(notes, ["id_normalised"]);
    let (said, notes) = planned(&body(vec![ok("a"), ok("a")]), Chance::First).unwrap();
    assert_eq!((said.steps.len(), &*notes[0]), (1, "duplicate_equal"));
    let bare = json!({ "id": "a", "phase": "p", "title": "t", "description": "d" });
    let (_, notes) = planned(&json!({ "steps": [bare] }), Chance::First).unwrap();
    assert_eq!(notes, ["missing_field"; 6]);
    let long = with("a", "description", json!("x".repeat(5_000)));
    let (said, notes) = planned(&body(vec![long]), Chance::First).unwrap();
    assert_eq!((said.steps[0].description.chars().count(), &*notes[0]), (4_000, "shortened"));
}

#[test]
fn strict_takes_nothing_that_was_normalised() {
    let (ids, others) = (three(), own());
    let mut terms = terms(&ids, &others);
    terms.strict = true;
    let text = block(Ask::Plan, &body(vec![with("a", "id", json!(1))]));
    let defect = parse(Ask::Plan, &raw(&text), Chance::Last, terms).unwrap_err();
    assert_eq!(defect.problems[0].code, "id_normalised");
}

/// A repeated id gets another; of a circle no dependency stays, since nobody knows which is wrong.
#[test]
fn one_bad_field_does_not_lose_a_plan() {
    let ids = three();
    let read = |steps: Vec<Value>, chance| {
        let terms = ReplyContext { revises: true, ..terms(&ids, &[]) };
        let text = block(Ask::Plan, &body(steps));
        parse(Ask::Plan, &raw(&text), chance, terms)
    };
    let twice = || {
        vec![
            ok("a"),
            with("a", "title", json!("Another")),
            ok("a-2"),
            with("b", "depends_on", json!(["a"])),
        ]
    };
    let circle = || {
        let needs = |id, need: &str| with(id, "depends_on", json!([need, "d"]));
        vec![needs("a", "b"), needs("b", "c"), needs("c", "a"), ok("d")]
    };
    for (steps, code) in [(twice(), "duplicate_id"), (circle(), "dependency_cycle")] {
        let defect = read(steps, Chance::First).unwrap_err();
        assert_eq!(defect.problems[0].code, code);
    }
    let kept = |steps| {
        let Content::Plan(said) = read(steps, Chance::Last).unwrap().content else {
            panic!("another answer");
        };
        said
    };
    let said = kept(twice());
    let ids: Vec<&str> = said.steps.iter().map(|step| &*step.id).collect();
    assert_eq!(ids, ["a", "a-3", "a-2", "b"]);
    assert_eq!(said.steps[3].depends_on, ["a"]);
    let said = kept(circle());
    assert!(!said.dependencies_valid);
    for step in &said.steps[..3] {
        assert_eq!(step.depends_on, ["d"], "{}", step.id);
    }
}

#[test]
fn same_as_names_a_shown_step_or_nothing() {
    for (written, expected, noted) in [
        (json!("S4"), Some("S4"), false),
        (json!("step s2"), Some("S2"), false),
        (json!("S1"), None, false),
        (json!("none"), None, false),
        (json!(null), None, false),
        (json!("S9"), None, true),
        (json!(7), None, true),
        (json!(["S4"]), Some("S4"), false),
    ] {
        let judgement = |id: &str| json!({"id": id, "reason": "r", "stance": "agree"});
        let mut first = judgement("S1");
        first["same_as"] = written.clone();
        let body =
            json!({"judgements": [first, judgement("S2"), judgement("S3")], "missing_steps": []});
        let reply = ask(Ask::Cross, &block(Ask::Cross, &body), Chance::First);
        let reply = reply.unwrap_or_else(|defect| panic!("{written}: {defect:?}"));
        let Content::Cross(said) = reply.content else { panic!("another answer") };
        assert_eq!(said.judgements.len(), 3, "{written}");
        assert_eq!(said.judgements[0].same_as.as_deref(), expected, "{written}");
        assert!(!noted || !reply.notes.is_empty(), "{written}");
    }
}
