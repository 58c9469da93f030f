//! The decision table of `docs/answers.md`, as far as it concerns this protocol.

use super::super::Question;
use serde_json::Value;

use super::super::testing::*;
use super::*;

pub(super) const LIMIT: u32 = 3;

pub(super) fn ask(
    question: &Question,
    text: &str,
    chance: Chance,
) -> Result<Reply<Content>, Defect> {
    parse(question.ask(), &raw(text), chance)
}

pub(super) fn analyst(text: &str, chance: Chance) -> Result<Reply<Content>, Defect> {
    ask(&features(LIMIT), text, chance)
}

fn advisor(text: &str, chance: Chance) -> Result<Reply<Content>, Defect> {
    ask(&fix("opp-tf-1"), text, chance)
}

fn named(reply: &Reply<Content>) -> String {
    let Content::Features(said) = &reply.content else { panic!("the analyst") };
    let titles: Vec<&str> = said.features.iter().map(|each| &*each.title).collect();
    titles.join(",")
}

fn codes(reply: &Reply<Content>) -> Vec<&str> {
    reply.notes.iter().map(|note| note.code.as_str()).collect()
}

fn problems(defect: &Defect) -> Vec<&str> {
    let codes = defect.problems.iter().map(|each| each.code.as_str());
    codes.collect()
}

#[test]
fn more_than_was_asked_for() {
    let all: Vec<Value> = (1..=5).map(|n| feature(&format!("F{n}"), [5, 5, 5, 5])).collect();
    let text = proposal(&Value::from(all));
    assert_eq!(problems(&analyst(&text, Chance::First).unwrap_err()), ["too_many"]);
    let reply = analyst(&text, Chance::Last).unwrap();
    assert_eq!((named(&reply).as_str(), codes(&reply)), ("F1,F2,F3", vec!["too_many"]));
}

#[test]
fn fixes() {
    let long = "x".repeat(contract::FIX_CHARS + 1);
    let fix = |text: &str, chance| advisor(&suggestion(text), chance);
    assert_eq!(
        fix(" Do\n\nit. ", Chance::First).unwrap().content,
        Content::Fix("Do\n\nit.".to_owned())
    );
    for chance in [Chance::First, Chance::Last] {
        for none in
            ["", "  ", "<your suggestion, in plain text>", "<your  suggestion,\nin plain text>"]
        {
            assert_eq!(problems(&fix(none, chance).unwrap_err()), ["empty_block"], "{none}");
        }
        assert_eq!(problems(&advisor("Do it.", chance).unwrap_err()), ["missing_block"]);
    }
    assert_eq!(problems(&fix(&long, Chance::First).unwrap_err()), ["too_long"]);
    let reply = fix(&long, Chance::Last).unwrap();
    let Content::Fix(text) = &reply.content else { panic!("the advisor") };
    assert_eq!((text.chars().count(), codes(&reply)), (contract::FIX_CHARS, vec!["shortened"]));
}
