//! The decision table for the four answers, row by row.

use serde_json::{Value, json};

use super::super::model::{Severity, Stance};
use super::super::testing::raw;
use super::*;
use crate::contract::template::block;
use crate::protocol::testing::by_the_first_rules;

/// Returns what a reply to these ids is checked against.
fn context(shown: &[String]) -> ReplyContext<'_> {
    ReplyContext {
        shown,
        named: &[],
        by_evidence: true,
        strict: false,
        limits: BlockLimits::default(),
    }
}

pub(super) fn judge(role: Role, body: &str, chance: Chance) -> Result<Reply<Statement>, Defect> {
    let shown = ["F1", "F2", "F3"].map(str::to_owned);
    let reply = raw(&block(contract::outline(role).name, body));
    parse(role, &reply, chance, context(&shown))
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

fn one(edit: &Value, chance: Chance) -> Result<(Finding, Vec<String>), Defect> {
    let reply = judge(Role::Reviewer, &review(&[finding(edit)]), chance)?;
    let notes = reply.notes.iter().map(|note| note.code.clone()).collect();
    match reply.content.said {
        Content::Review(mut said) => Ok((said.findings.remove(0), notes)),
        Content::Cross(_) | Content::Composition(_) | Content::Validation(_) => {
            panic!("another role")
        }
    }
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

/// Only the `@` of a file reference is written differently in a prompt; text that an agent copies from it reaches
/// users in its original form.
#[test]
fn what_was_copied_from_a_prompt_is_shown_as_it_was_written() {
    let copied = json!({
        "title": "@Override reads (at)/etc/hosts", "detail": "It reads `(at)/etc/hosts`.", "fix": "Write (at) home.",
    });
    let (finding, notes) = one(&copied, Chance::First).unwrap();
    assert_eq!(finding.title, "@Override reads @/etc/hosts");
    assert_eq!(finding.detail, "It reads `@/etc/hosts`.");
    assert_eq!((&*finding.fix, notes.len()), ("Write (at) home.", 0));
    by_the_first_rules();
    assert_eq!(one(&copied, Chance::First).unwrap().0.detail, "It reads `(at)/etc/hosts`.");
}

#[test]
fn severities_are_three_words_and_no_others() {
    by_the_first_rules();
    for (written, read, notes) in
        [("P0", Severity::P0, 0), ("p0", Severity::P0, 1), (" P2 ", Severity::P2, 1)]
    {
        let (finding, noted) = one(&json!({ "severity": written }), Chance::First).unwrap();
        assert_eq!((finding.severity, noted.len()), (read, notes), "{written}");
    }
    for written in [json!("Critical"), json!("P3"), json!(1), json!(null), json!("P0/P1")] {
        let edit = json!({ "severity": written });
        for chance in [Chance::First, Chance::Last] {
            let defect = one(&edit, chance).unwrap_err();
            let code = if written.is_null() { "missing_field" } else { "unknown_word" };
            assert!(codes(&defect).contains(&code), "{written}");
        }
    }
}

#[test]
fn a_line_that_cannot_be_read_costs_the_line_and_not_the_finding() {
    by_the_first_rules();
    let lines = |edit: &Value| {
        let (finding, notes) = one(edit, Chance::First).unwrap();
        (finding.line, finding.end_line, notes.join(" "))
    };
    let cases = [
        (json!({}), (Some(7), None, "")),
        (json!({ "line": null }), (None, None, "")),
        (json!({ "line": "42" }), (Some(42), None, "number_as_text")),
        (json!({ "line": "L42-L48" }), (Some(42), Some(48), "number_as_text")),
        (json!({ "end_line": 9 }), (Some(7), Some(9), "")),
        (json!({ "end_line": 3 }), (Some(7), None, "line_ignored")),
        (json!({ "line": null, "end_line": 3 }), (Some(3), None, "line_ignored")),
    ];
    for (edit, (line, end, notes)) in cases {
        assert_eq!(lines(&edit), (line, end, notes.to_owned()), "{edit}");
    }
    for line in [json!(0), json!(-1), json!(7.5), json!("near the top"), json!([7]), json!(1e20)] {
        let edit = json!({ "line": line });
        assert_eq!(codes(&one(&edit, Chance::First).unwrap_err())[0], "wrong_line");
        let (finding, notes) = one(&edit, Chance::Last).unwrap();
        assert_eq!((finding.line, notes), (None, vec!["wrong_line".to_owned()]), "{line}");
    }
}

#[test]
fn what_says_where_and_what_is_needed_and_the_rest_is_not() {
    by_the_first_rules();
    for missing in ["title", "file"] {
        for value in [json!(null), json!("  "), json!(3)] {
            for chance in [Chance::First, Chance::Last] {
                let defect = one(&json!({ missing: value }), chance).unwrap_err();
                let code = if value.is_number() { "wrong_type" } else { "missing_field" };
                assert!(codes(&defect).contains(&code), "{missing}");
            }
        }
    }
    // A detail can be asked for again; a finding without one is still a finding.
    assert!(one(&json!({ "detail": "" }), Chance::First).is_err());
    assert_eq!(one(&json!({ "detail": "" }), Chance::Last).unwrap().0.detail, "");
    let (finding, notes) =
        one(&json!({ "fix": null, "quote": null, "colour": "red" }), Chance::First).unwrap();
    assert_eq!((finding.fix, finding.quote, notes.len()), (String::new(), None, 0));
}

#[test]
fn long_texts_are_cut_and_quotes_at_a_line() {
    let long = "word ".repeat(2_000);
    let quote = format!("    if a {{\n{}", "        b();\n".repeat(400));
    let edit = json!({ "title": long, "detail": long, "quote": quote });
    let (finding, notes) = one(&edit, Chance::First).unwrap();
    assert_eq!(finding.title.chars().count(), contract::TITLE_CHARS);
    assert_eq!(finding.detail.chars().count(), contract::DETAIL_CHARS);
    let quote = finding.quote.unwrap();
    assert!(quote.chars().count() <= contract::QUOTE_CHARS);
    assert!(quote.starts_with("    if a {\n        b();\n") && quote.ends_with("        b();"));
    assert_eq!(notes, ["shortened", "shortened"]);
}

#[test]
fn faulty_findings_are_all_named_at_first_and_left_out_at_last() {
    by_the_first_rules();
    let body = review(&[
        finding(&json!({ "severity": "High", "file": "" })),
        finding(&json!({})),
        json!("a bug"),
    ]);
    let defect = judge(Role::Reviewer, &body, Chance::First).unwrap_err();
    assert_eq!(codes(&defect), ["missing_field", "unknown_word", "wrong_type"]);
    assert!(defect.problems[1].message.starts_with("finding 1 (`Off by one`): `severity`"));
    let reply = judge(Role::Reviewer, &body, Chance::Last).unwrap();
    assert_eq!((noted(&reply).len(), reply.content.left_out), (2, 2));
    // A list of only faulty entries is not an answer, and never means "nothing found".
    let body = review(&[finding(&json!({ "severity": "High" }))]);
    let defect = judge(Role::Reviewer, &body, Chance::Last).unwrap_err();
    assert_eq!(codes(&defect), ["no_valid_entry", "unknown_word"]);
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

#[test]
fn a_placeholder_that_was_left_in_is_no_trigger_and_no_part() {
    let edit = json!({ "trigger": "<the input or order of events that makes it fail>" });
    assert_eq!(one(&edit, Chance::First).unwrap().0.trigger, None);
    let edit = json!({ "trigger": "<script>alert(1)</script>" });
    assert!(one(&edit, Chance::First).unwrap().0.trigger.is_some());
    let mut agreed = stance("F1", "agree");
    agreed["only"] = json!("<the part that holds, if not all of it>");
    let body = json!({ "judgements": [agreed, stance("F2", "agree"), stance("F3", "agree")] });
    let reply = judge(Role::CrossReviewer, &body.to_string(), Chance::First).unwrap();
    let Content::Cross(said) = &reply.content.said else { panic!("another role") };
    assert_eq!(said.judgements[0].only, None);
}

#[test]
fn by_the_rules_before_everything_that_is_read_counts() {
    let shown = ["F1".to_owned()];
    let terms = ReplyContext {
        shown: &shown,
        named: &[],
        by_evidence: false,
        strict: false,
        limits: BlockLimits::default(),
    };
    let read = |role, body: &str| {
        let text = block(contract::outline(role).name, body);
        parse(role, &raw(&text), Chance::First, terms).unwrap()
    };
    let all = read(Role::Reviewer, &review(&vec![finding(&json!({})); 40]));
    let Content::Review(said) = &all.content.said else { panic!("another role") };
    assert_eq!((said.findings.len(), all.content.left_out), (40, 0));
    let missed = vec![finding(&json!({ "severity": "P2" })); 5];
    let body = json!({ "judgements": [stance("F1", "agree")], "missed_issues": missed });
    let all = read(Role::CrossReviewer, &body.to_string());
    let Content::Cross(said) = &all.content.said else { panic!("another role") };
    assert_eq!((said.missed_issues.len(), all.content.left_out), (5, 0));
}

#[test]
fn risks_and_questions_are_lines() {
    by_the_first_rules();
    let body =
        json!({ "findings": [], "residual_risks": "One\nrisk", "open_questions": ["a", " ", "b"] });
    let reply = judge(Role::Reviewer, &body.to_string(), Chance::First).unwrap();
    let Content::Review(said) = &reply.content.said else { panic!("another role") };
    assert_eq!(said.residual_risks, ["One risk"]);
    assert_eq!(said.open_questions, ["a", "b"]);
    assert_eq!(noted(&reply), ["unwrapped"]);
    let body = json!({ "findings": [], "residual_risks": [1], "open_questions": 3 }).to_string();
    assert_eq!(judge(Role::Reviewer, &body, Chance::First).unwrap_err().problems.len(), 2);
    assert!(judge(Role::Reviewer, &body, Chance::Last).is_ok());
}

fn judged(judgements: &Value, chance: Chance) -> Result<Vec<(String, Stance)>, Vec<String>> {
    let body = json!({ "judgements": judgements }).to_string();
    match judge(Role::CrossReviewer, &body, chance) {
        Ok(reply) => match reply.content.said {
            Content::Cross(said) => {
                Ok(said.judgements.into_iter().map(|each| (each.id, each.stance)).collect())
            }
            Content::Review(_) | Content::Composition(_) | Content::Validation(_) => {
                panic!("another role")
            }
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
fn missing_judgements_are_no_votes_and_none_at_all_is_no_answer() {
    let missing = Err(vec!["ids_missing".to_owned()]);
    let [one, two] = ["F1", "F2"].map(|id| stance(id, "unsure"));
    assert_eq!(judged(&json!([one, two]), Chance::First).unwrap().len(), 2);
    assert_eq!(judged(&json!([one]), Chance::First), missing);
    assert_eq!(judged(&json!([one]), Chance::Last).unwrap().len(), 1);
    for chance in [Chance::First, Chance::Last] {
        assert_eq!(judged(&json!([]), chance), missing);
        assert_eq!(judged(&json!([stance("F9", "agree")]), chance), missing);
        assert!(judged(&json!({}), chance).is_err());
    }
}

#[test]
fn a_judgement_has_a_stance_of_three_and_a_reason() {
    by_the_first_rules();
    let rest = [stance("F2", "agree"), stance("F3", "agree")];
    let faulty = [
        stance("F1", "partly"),
        json!({ "id": "F1", "stance": "agree" }),
        json!({ "id": "F1", "stance": "agree", "reason": " " }),
        json!("F1: agree"),
    ];
    for one in faulty {
        let all = json!([one, rest[0], rest[1]]);
        assert!(judged(&all, Chance::First).is_err(), "{one}");
        assert_eq!(judged(&all, Chance::Last).unwrap().len(), 2, "{one}");
    }
}

#[test]
fn missed_issues_are_judged_as_findings() {
    by_the_first_rules();
    let with = |missed: Value| {
        let all: Vec<Value> = ["F1", "F2", "F3"].iter().map(|id| stance(id, "agree")).collect();
        json!({ "judgements": all, "missed_issues": missed }).to_string()
    };
    let good = with(json!([finding(&json!({}))]));
    assert!(judge(Role::CrossReviewer, &good, Chance::First).is_ok());
    assert!(judge(Role::CrossReviewer, &with(json!(null)), Chance::First).is_ok());
    let mixed = with(json!([finding(&json!({})), finding(&json!({ "severity": "!" }))]));
    assert!(judge(Role::CrossReviewer, &mixed, Chance::First).is_err());
    assert_eq!(judge(Role::CrossReviewer, &mixed, Chance::Last).unwrap().content.left_out, 1);
    assert!(judge(Role::CrossReviewer, &with(json!("none")), Chance::Last).is_err());
}

#[test]
fn votes_are_words_and_whatever_is_none_is_no_approval() {
    by_the_first_rules();
    let vote = |id: &str, vote: &Value| json!({ "id": id, "vote": vote, "reason": "So." });
    let judge = |one: Value, chance| -> Result<Vec<bool>, Defect> {
        let yes = json!("approve");
        let body = json!({ "votes": [one, vote("F2", &yes), vote("F3", &json!("REJECT"))] });
        let reply = judge(Role::Validator, &body.to_string(), chance)?;
        match reply.content.said {
            Content::Validation(said) => {
                Ok::<_, Defect>(said.votes.iter().map(|each| each.approve).collect::<Vec<_>>())
            }
            Content::Review(_) | Content::Cross(_) | Content::Composition(_) => {
                panic!("another role")
            }
        }
    };
    assert_eq!(judge(vote("F1", &json!("approve")), Chance::First), Ok(vec![true, true, false]));
    for faulty in [json!("yes"), json!(true), json!(null), json!("approved?"), json!(1)] {
        assert!(judge(vote("F1", &faulty), Chance::First).is_err(), "{faulty}");
        assert_eq!(judge(vote("F1", &faulty), Chance::Last), Ok(vec![true, false]), "{faulty}");
    }
    assert!(judge(json!({ "id": "F1", "vote": "approve" }), Chance::First).is_err());
}

#[test]
fn strict_takes_nothing_that_was_normalised() {
    let shown = ["F1".to_owned()];
    let text = block(
        VALIDATION.name(),
        &json!({ "votes": [{ "id": "f1", "vote": "approve", "reason": "So." }] }).to_string(),
    );
    let judge = |strict| {
        let terms = ReplyContext {
            shown: &shown,
            named: &[],
            by_evidence: true,
            strict,
            limits: BlockLimits::default(),
        };
        parse(Role::Validator, &raw(&text), Chance::Last, terms)
    };
    assert!(judge(false).is_ok());
    assert_eq!(codes(&judge(true).unwrap_err()), ["id_normalised"]);
}

/// A model that repeats its instructions has not answered; one that repeats them and then answers has.
#[test]
fn a_template_is_no_answer() {
    let judgements = ["F1", "F2", "F3"].map(|id| stance(id, "agree"));
    let votes = ["F1", "F2", "F3"].map(|id| json!({ "id": id, "vote": "reject", "reason": "So." }));
    let empty = [
        (Role::Reviewer, r#"{"findings": []}"#.to_owned()),
        (Role::CrossReviewer, json!({ "judgements": judgements }).to_string()),
        (Role::Composer, r#"{"keep": ["F1"]}"#.to_owned()),
        (Role::Validator, json!({ "votes": votes }).to_string()),
    ];
    let shown = ["F1", "F2", "F3"].map(str::to_owned);
    for (role, body) in empty {
        let terms = context(&shown);
        let echo = contract::text(role, &shown);
        for chance in [Chance::First, Chance::Last] {
            assert!(parse(role, &raw(&echo), chance, terms).is_err(), "{role:?}");
        }
        let answered = format!("{echo}\n\n{}", block(contract::outline(role).name, &body));
        let reply = parse(role, &raw(&answered), Chance::First, terms).unwrap();
        assert_eq!(reply.content.said.role(), role);
    }
    let names = ["REVIEW", "CROSS_REVIEW", "COMPOSITION", "VALIDATION"];
    assert_eq!(Role::ALL.map(|role| contract::outline(role).name), names);
}
