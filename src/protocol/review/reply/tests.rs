//! The decision table for the four answers, row by row.

use serde_json::{Value, json};

use super::super::model::Stance;
use super::super::testing::raw;
use super::*;
use crate::contract::template::block;
use crate::protocol::council::Vote;

pub(super) fn judge(role: Role, body: &str, chance: Chance) -> Result<Reply<Statement>, Defect> {
    let shown = ["F1", "F2", "F3"].map(str::to_owned);
    let reply = raw(&block(contract::outline(role).name, body));
    parse(role, &reply, ReplyRules { shown: &shown, chance }, &[])
}

pub(super) fn codes(defect: &Defect) -> Vec<&str> {
    let problems = defect.problems.iter();
    problems.map(|problem| problem.code.as_str()).collect()
}

pub(super) fn noted(reply: &Reply<Statement>) -> Vec<&str> {
    reply.notes.iter().map(|note| note.code.as_str()).collect()
}

fn finding(edit: &Value) -> Value {
    let mut finding = json!({
        "severity": "P1", "title": "Off by one", "file": "src/a.rs", "line": 7, "detail": "The last one is left out.",
        "fix": "Use `..=`.",
    });
    for (key, value) in edit.as_object().unwrap() {
        finding[key] = value.clone();
    }
    finding
}

fn review(findings: &[Value]) -> String {
    json!({ "findings": findings }).to_string()
}

#[test]
fn a_review_without_findings_is_an_answer_and_one_without_the_list_is_none() {
    let reply = judge(Role::Reviewer, r#"{"findings": []}"#, Chance::First).unwrap();
    assert_eq!(reply.content.said, Content::Review(super::super::ReviewBlock::default()));
    for chance in [Chance::First, Chance::Last] {
        for body in [
            r#"{"residual_risks": []}"#,
            r#"{"findings": null}"#,
            r#"{"findings": {}}"#,
            r#"{"findings": "none"}"#,
            "{}",
            "[]",
        ] {
            assert!(judge(Role::Reviewer, body, chance).is_err(), "{body} {chance:?}");
        }
    }
}

#[test]
fn the_worst_thirty_findings_count_and_what_is_beyond_is_known_to_be_lost() {
    // More than are read are asked for anew; more than count are not, as nothing in them is wrong.
    let mut body = vec![finding(&json!({ "severity": "P2" })); 30];
    body.push(finding(&json!({ "title": "The last" })));
    let reply = judge(Role::Reviewer, &review(&body), Chance::First).unwrap();
    assert_eq!((noted(&reply), reply.content.left_out), (vec!["too_many"], 1));
    let Content::Review(said) = &reply.content.said else { panic!("another role") };
    assert_eq!((said.findings.len(), said.findings[29].title.as_str()), (30, "The last"));
    let body = review(&vec![finding(&json!({})); 103]);
    let defect = judge(Role::Reviewer, &body, Chance::First).unwrap_err();
    assert_eq!(codes(&defect), ["too_many"]);
    let reply = judge(Role::Reviewer, &body, Chance::Last).unwrap();
    assert_eq!((noted(&reply), reply.content.left_out), (vec!["too_many"; 2], 73));
}

fn judged(judgements: &Value, chance: Chance) -> Result<Vec<(String, Stance)>, Vec<String>> {
    let body = json!({ "judgements": judgements }).to_string();
    match judge(Role::CrossReviewer, &body, chance) {
        Ok(reply) => match reply.content.said {
            Content::Cross(said) => {
                Ok(said.judgements.into_iter().map(|each| (each.id, each.stance)).collect())
            }
            _ => panic!("another role"),
        },
        Err(defect) => Err(codes(&defect).into_iter().map(str::to_owned).collect()),
    }
}

fn stance(id: &str, stance: &str) -> Value {
    json!({ "id": id, "stance": stance, "reason": "So it is." })
}

#[test]
fn judgements_are_of_ids_that_were_shown_once_each() {
    let agree = |id: &str| (id.to_owned(), Stance::Agree);
    let [one, two, three] = ["F1", "F2", "F3"].map(|id| stance(id, "agree"));
    let all = json!([three, one, two]);
    assert_eq!(judged(&all, Chance::First), Ok(vec![agree("F1"), agree("F2"), agree("F3")]));
    // Different case is normalised, an unknown id dropped, an identical entry counted once.
    let odd = json!([stance("f1", "Agree"), two, two, three, stance("F9", "agree")]);
    assert_eq!(judged(&odd, Chance::First), Ok(vec![agree("F1"), agree("F2"), agree("F3")]));
    // Of two stances on one finding, neither is chosen.
    let both = json!([one, stance("F1", "disagree"), two, three]);
    assert_eq!(judged(&both, Chance::First), Err(vec!["conflicting_entries".to_owned()]));
    assert_eq!(judged(&both, Chance::Last), Ok(vec![agree("F2"), agree("F3")]));
}

#[test]
fn votes_are_words_and_whatever_is_none_is_no_approval() {
    let vote = |id: &str, vote: &Value| json!({ "id": id, "vote": vote, "reason": "So." });
    let judge = |one: Value, chance| -> Result<Vec<bool>, Defect> {
        let yes = json!("approve");
        let body = json!({ "votes": [one, vote("F2", &yes), vote("F3", &json!("REJECT"))] });
        let reply = judge(Role::Validator, &body.to_string(), chance)?;
        match reply.content.said {
            Content::Validation(said) => Ok::<_, Defect>(
                said.votes.iter().map(|each| each.vote == Vote::Approve).collect::<Vec<_>>(),
            ),
            _ => panic!("another role"),
        }
    };
    assert_eq!(judge(vote("F1", &json!("approve")), Chance::First), Ok(vec![true, true, false]));
    for faulty in [json!("yes"), json!(true), json!(null), json!("approved?"), json!(1)] {
        assert!(judge(vote("F1", &faulty), Chance::First).is_err(), "{faulty}");
        assert_eq!(judge(vote("F1", &faulty), Chance::Last), Ok(vec![true, false]), "{faulty}");
    }
}
