//! Ids by side through a whole dialogue.

use super::super::super::testing::*;
use super::*;
use crate::protocol::debate::Point;

fn keeping(of: &str, kept: &[&str]) -> Position {
    let mut said = position(of, 1);
    let keep = |id: &&str| Point {
        keep: Some((*id).to_owned()),
        claim: String::new(),
        ..position("kept", 1).points.remove(0)
    };
    said.points.extend(kept.iter().map(keep));
    said
}

fn ids(position: &Position) -> Vec<&str> {
    position.points.iter().map(|point| &*point.id).collect()
}

#[test]
fn a_point_has_one_id_from_its_first_turn_to_the_result() {
    let mut machine = machine(6);
    play(&mut machine, "3");
    let judged = stances(&shown(&only(&machine).unwrap()), "ddd");
    say(&mut machine, Some(&Content::Both(judged, keeping("review", &["A1"]))));
    let rebuttal = only(&machine).unwrap();
    assert_eq!(shown(&rebuttal), ["B1", "A1"]);
    let judged = stances(&shown(&rebuttal), "da");
    say(&mut machine, Some(&Content::Both(judged, keeping("rebuttal", &["B1", "A2"]))));
    let record = machine.protocol().rounds.last().unwrap();
    assert_eq!(ids(&record.positions["proposer"]), ["A4", "B1", "A2"]);
    assert_eq!(ids(&record.positions["reviewer"]), ["B1", "A1"]);
    assert!(record.stances.contains_key("proposer"), "in the round in which they were given");
    let owners: Vec<Option<&str>> = (record.positions["reviewer"].points.iter())
        .map(|point| point.kept_from.as_deref())
        .collect();
    assert_eq!(owners, [None, Some("proposer")]);
    let draft = only(&machine).unwrap();
    assert!(draft.prompt.contract.ends_with("Those that can be kept: B1, A1, A4, A2."));
    say(&mut machine, Some(&Content::Position(keeping("joint", &["A1", "B1", "A4"]))));
    play(&mut machine, "paad");
    // What is agreed is not up again, and what is open can be kept.
    let draft = only(&machine).unwrap();
    assert_eq!(draft.id, "r4/compromise");
    assert!(
        draft.prompt.contract.ends_with("Those that can be kept: J1, A4, A2."),
        "{}",
        draft.prompt.contract
    );
    say(&mut machine, Some(&Content::Position(keeping("again", &["J1"]))));
    let answer = only(&machine).unwrap();
    assert_eq!(shown(&answer), ["J2", "J1"]);
    play(&mut machine, "aa");
    let end = done(&machine);
    assert_eq!(end.outcome, DebateOutcome::Adopted);
    let decided = end.result.decision.unwrap().position.unwrap();
    assert_eq!(ids(&decided), ["A1", "B1", "J2", "J1"]);
    assert_eq!(decided.points[3].kept_from.as_deref(), Some("joint"));
    assert_eq!(decided.points[1].claim, "Claim 1 of review.");
}

#[test]
fn an_agreed_point_of_a_draft_cannot_be_kept_into_the_next_one_twice() {
    let mut machine = machine(6);
    play(&mut machine, "2 dd4 addd 3 apd");
    let draft = only(&machine).unwrap();
    let text = Content::Position(keeping("again", &["J1"])).render();
    let defect = machine.read(&draft, &raw(&text), Chance::First).unwrap_err();
    assert!(defect.to_string().contains("`keep` names J1"), "{defect}");
    let read = machine.read(&draft, &raw(&text), Chance::Last).unwrap();
    assert_eq!(read.notes[0].code, "unknown_id");
}

#[test]
fn partly_without_an_amendment_is_noted_and_costs_nothing() {
    let mut machine = machine(4);
    play(&mut machine, "2");
    let turn = only(&machine).unwrap();
    let mut judged = stances(&shown(&turn), "pa");
    judged.stances[0].amendment = None;
    let text = Content::Both(judged, position("b", 1)).render();
    let read = machine.read(&turn, &raw(&text), Chance::First).unwrap();
    let notes: Vec<&str> = read.notes.iter().map(|note| &*note.message).collect();
    assert_eq!(notes, ["`partly` on A1 without an amendment"]);
}
