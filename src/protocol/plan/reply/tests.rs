//! Each row of the decision table that concerns plans and judgements, on both chances.

use crate::kernel::Chance;
use serde_json::{Value, json};

use super::super::model::PlanBlock;
use super::super::testing::*;
use super::*;
use crate::contract::template;

pub(super) fn three() -> Vec<String> {
    ["S1", "S2", "S3"].map(str::to_owned).to_vec()
}

pub(super) fn own() -> Vec<String> {
    vec!["S4".to_owned()]
}

pub(super) fn ask(ask: Ask, text: &str, chance: Chance) -> Result<Reply<Content>, Defect> {
    parse(ask, &raw(text), ReplyRules { shown: &three(), chance }, &own())
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
fn what_is_left_out_takes_its_dependencies_along_and_costs_points() {
    let steps = vec![without("a", "title"), with("b", "depends_on", json!(["a"])), ok("c")];
    let (said, notes) = planned(&body(steps), Chance::Last).unwrap();
    assert_eq!(notes, ["entry_left_out", "unknown_dependency"]);
    assert_eq!(said.steps.len(), 2);
    assert_eq!(said.steps[0].depends_on, Vec::<String>::new());
    assert!(!said.dependencies_valid);
}

#[test]
fn a_plan_without_steps_is_none() {
    for value in [body(Vec::new()), json!({ "summary": "s" }), json!({ "steps": null })] {
        for chance in [Chance::First, Chance::Last] {
            assert!(planned(&value, chance).is_err(), "{value}");
        }
    }
}

/// Of a repeated id the first step stays; of a circle no dependency stays, since nobody knows which is wrong.
#[test]
fn one_bad_field_does_not_lose_a_plan() {
    let ids = three();
    let read = |steps: Vec<Value>, chance| {
        let text = block(Ask::Plan, &body(steps));
        parse(Ask::Plan, &raw(&text), ReplyRules { shown: &ids, chance }, &[])
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
    let named = &read(circle(), Chance::First).unwrap_err().problems[0].message;
    assert_eq!(named, "steps depend on each other: a -> b -> c -> a");
    let kept = |steps| {
        let Content::Plan(said) = read(steps, Chance::Last).unwrap().content else {
            panic!("another answer");
        };
        said
    };
    let said = kept(twice());
    let ids: Vec<&str> = said.steps.iter().map(|step| &*step.id).collect();
    assert_eq!(ids, ["a", "a-2", "b"]);
    assert_eq!(said.steps[2].depends_on, ["a"]);
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
        // Its own step, S4, was not to be judged.
        let all = json!([first, judgement("S2"), judgement("S3"), judgement("S4")]);
        let body = json!({"judgements": all, "missing_steps": []});
        let reply = ask(Ask::Cross, &block(Ask::Cross, &body), Chance::First);
        let reply = reply.unwrap_or_else(|defect| panic!("{written}: {defect:?}"));
        let Content::Cross(said) = reply.content else { panic!("another answer") };
        assert_eq!(said.judgements.len(), 3, "{written}");
        assert_eq!(said.judgements[0].same_as.as_deref(), expected, "{written}");
        let about = (reply.notes.iter())
            .filter(|note| note.code == "unknown_id" && note.message.contains("same_as"));
        assert_eq!(about.count() == 1, noted, "{written}");
    }
}
