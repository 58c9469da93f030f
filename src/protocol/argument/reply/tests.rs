//! Replies that are read, faults that are problems at first, and what remains on the last chance.

use serde_json::json;

use super::super::content;
use super::super::machine::Machine;
use super::super::testing::*;
use super::{CONTENT_BYTES, Content, MAX_CONCERNS, MAX_POINTS};
use crate::kernel::{Chance, Defect, Driver, Reply};
use crate::protocol::debate::typed::ArgumentType::{
    Challenge, Counter, Defense, Proposal, Resolution,
};
use crate::protocol::debate::typed::{ArgumentBlock, MAX_LIST};

/// Returns a debate in which the reply to the defense is due, with the concerns C1 and C2.
fn replying() -> Driver<Machine> {
    let mut machine = machine();
    for (kind, more) in [
        (Proposal, json!({})),
        (Challenge, json!({"concerns": concerns(&["No way back", "Cost"])})),
        (Defense, json!({})),
    ] {
        give(&mut machine, Some(&argument(kind, more)));
    }
    machine
}

fn read(
    machine: &Driver<Machine>,
    text: &str,
    chance: Chance,
) -> Result<Reply<Content>, Vec<String>> {
    let turn = only(machine).unwrap();
    let codes = |defect: Defect| defect.problems.into_iter().map(|each| each.code).collect();
    machine.read(&turn, &raw(text), chance).map_err(codes)
}

fn argued(reply: &Reply<Content>) -> &ArgumentBlock {
    match &reply.content {
        Content::Argument(said) => said,
        Content::Stances(_) => panic!("no argument"),
    }
}

fn codes(reply: &Reply<Content>) -> Vec<&str> {
    reply.notes.iter().map(|note| &*note.code).collect()
}

#[test]
fn a_good_argument_is_read_and_its_evidence_looked_up() {
    let evidence = json!([
        {"type": "file", "data": "src/store.rs:120"}, {"type": "file", "data": "src/store.rs:121"},
        {"type": "source", "data": "the load test"},
    ]);
    let text = argument(
        Counter,
        json!({"evidence": evidence, "references": ["a1", "A1"], "addresses": addresses(&["c1"])}),
    );
    let reply = read(&replying(), &text, Chance::First).unwrap();
    let said = argued(&reply);
    let checked: Vec<Option<bool>> = said.evidence.iter().map(|each| each.checked).collect();
    assert_eq!(checked, [Some(true), Some(false), None]);
    assert_eq!(said.references, ["A1"]);
    assert_eq!(said.addresses[0].id, "C1");
    // Written out again, it reads the same.
    let again = read(&replying(), &reply.content.render(), Chance::First).unwrap();
    assert_eq!(argued(&again).content, said.content);
}

/// Faults that cannot be completed without guessing are refused on any chance.
#[test]
fn what_cannot_be_completed_without_guessing_is_refused() {
    let machine = replying();
    let nested = (0..9).fold(json!("x"), |value, _| json!([value]));
    for (kind, more, code) in [
        (Proposal, json!({}), "illegal_argument"),
        (Defense, json!({}), "illegal_argument"),
        (Counter, json!({"type": "rant"}), "unknown_word"),
        (Counter, json!({"type": null}), "missing_field"),
        (Counter, json!({"content": {}}), "empty_content"),
        (Counter, json!({"content": {"text": "x".repeat(CONTENT_BYTES)}}), "too_long"),
        (Counter, json!({"content": {"text": nested}}), "too_deep"),
        (Resolution, json!({"content": {"points": []}}), "no_points"),
        (Resolution, json!({"content": {"points": vec!["x"; MAX_POINTS + 1]}}), "too_many"),
    ] {
        for chance in [Chance::First, Chance::Last] {
            let refused = read(&machine, &argument(kind, more.clone()), chance).unwrap_err();
            assert!(refused.iter().any(|each| each == code), "{code}: {refused:?}");
        }
    }
    let turn = only(&machine).unwrap();
    let defect =
        machine.read(&turn, &raw(&argument(Defense, json!({}))), Chance::Last).unwrap_err();
    assert_eq!(
        defect.problems[0].message,
        "a defense by the adversary is not due: now comes a counter by the adversary, or a resolution by the adversary"
    );
}

#[test]
fn what_is_normalised_is_noted() {
    let machine = replying();
    for (kind, more, code) in [
        (Counter, json!({"addresses": addresses(&["C7"])}), "unknown_id"),
        (
            Counter,
            json!({"evidence": [{"type": "source", "data": "it", "checked": true}]}),
            "checked_ignored",
        ),
        (Counter, json!({"evidence": [{"type": "vibe", "data": "it"}]}), "evidence_type"),
        (Counter, json!({"concerns": concerns(&["no  way BACK"])}), "concern_repeated"),
        (Resolution, json!({"content": {"points": [{"claim": "a"}]}}), "missing_field"),
        (
            Resolution,
            json!({"content": {"points": [{"claim": "a", "importance": 1}, {"claim": "A", "importance": 3}]}}),
            "duplicate_claim",
        ),
    ] {
        let reply = read(&machine, &argument(kind, more), Chance::First).unwrap();
        assert_eq!(codes(&reply), [code]);
        let said = argued(&reply);
        assert!(said.addresses.is_empty() && said.concerns.is_empty());
        assert!(said.evidence.iter().all(|each| each.checked.is_none()), "an agent cannot set it");
        if kind == Resolution {
            assert_eq!(content::points(&said.content).len(), 1);
            assert_eq!(said.content["points"][0]["id"], "P1");
        }
    }
}

#[test]
fn more_concerns_than_can_be_judged_are_refused_and_none_is_lost() {
    let mut machine = machine();
    let texts =
        |from: usize| -> Vec<String> { (from..from + MAX_LIST).map(|n| format!("c{n}")).collect() };
    let block = |kind, from| {
        let texts = texts(from);
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        argument(kind, json!({"concerns": concerns(&texts)}))
    };
    for round in 0..2 {
        give(&mut machine, Some(&argument(Proposal, json!({}))));
        give(&mut machine, Some(&block(Challenge, 40 * round)));
        give(&mut machine, Some(&argument(Defense, json!({}))));
        if round == 1 {
            break;
        }
        give(&mut machine, Some(&block(Counter, 20)));
        give(&mut machine, Some(&argument(Resolution, json!({}))));
        give(&mut machine, Some(&stances_block(&[("P1", "agree")])));
    }
    assert_eq!(machine.protocol().course.round_concerns().len(), MAX_CONCERNS);
    let one_more = argument(Counter, json!({"concerns": concerns(&["one more"])}));
    assert_eq!(read(&machine, &one_more, Chance::Last).unwrap_err(), ["too_many"]);
}
