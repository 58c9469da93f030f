//! Forms, filled in by hand: the questions asked and the replies that result.

use serde_json::Value;

use super::*;
use crate::report::human::Item;

fn items(all: &[(&str, &str)]) -> Vec<Item> {
    (all.iter()).map(|(id, text)| Item { id: (*id).to_owned(), text: (*text).to_owned() }).collect()
}

fn form(turn: &str, judge: &[(&str, &str)], concerns: &[(&str, &str)]) -> Form {
    Form::new(PersonQuestion {
        turn: turn.to_owned(),
        judge: items(judge),
        concerns: items(concerns),
        ..PersonQuestion::default()
    })
}

/// Enters lines, each of which must be accepted, and returns the effect of the last one.
fn fill(form: &mut Form, lines: &[&str]) -> Next {
    let (last, first) = lines.split_last().unwrap();
    for line in first {
        assert_eq!(form.take(Some(line)), Next::Ask, "{line:?} of {lines:?}");
    }
    form.take(Some(last))
}

/// Returns the object in the only block of a finished reply.
fn said(next: Next, name: &str) -> Value {
    let Next::Done(PersonReply::Reply(reply)) = next else {
        panic!("{next:?}");
    };
    let body = reply
        .strip_prefix(&format!("<<<{name}_START>>>\n"))
        .and_then(|rest| rest.strip_suffix(&format!("\n<<<{name}_END>>>\n")))
        .unwrap();
    serde_json::from_str(body).unwrap()
}

#[test]
fn a_proposal_is_a_text_evidence_and_two_ratings() {
    let mut form = form("r1/proposal", &[], &[]);
    assert_eq!(
        form.question(),
        "PROPOSAL: what should be done, and why? End with an empty line.\n> "
    );
    let lines = [
        "Move the cache to Redis.",
        "It outlives a restart.",
        "",
        "src/cache.rs:17",
        "\"every restart costs an hour\"",
        "the load test of May",
        "https://redis.io/docs",
        "",
        "4",
        "75 %",
        "",
    ];
    let argument = said(fill(&mut form, &lines), "ARGUMENT");
    assert_eq!(
        argument,
        json!({
            "type": "proposal",
            "content": {"text": "Move the cache to Redis.\nIt outlives a restart."},
            "references": [],
            "evidence": [
                {"type": "file", "data": "src/cache.rs:17"},
                {"type": "quote", "data": "every restart costs an hour"},
                {"type": "source", "data": "the load test of May"},
                {"type": "source", "data": "https://redis.io/docs"},
            ],
            "confidence_score": 0.75, "impact_areas": [], "concerns": [], "addresses": [], "risks": [],
            "feasibility": 4,
        })
    );
}

#[test]
fn a_challenge_lists_concerns_and_a_rating_can_be_left_out() {
    let mut form = form("r2/challenge", &[], &[]);
    let lines = ["It is dear.", "", "The price.", "Who runs it?", "", "", "", "0", ""];
    let argument = said(fill(&mut form, &lines), "ARGUMENT");
    assert_eq!(
        argument["concerns"],
        json!([{"id": "N1", "text": "The price."}, {"id": "N2", "text": "Who runs it?"}])
    );
    assert_eq!(argument["confidence_score"], 0.0);
    assert_eq!(argument.get("feasibility"), None, "never invented");
}

#[test]
fn a_defense_meets_concerns_by_their_ids_and_leaves_others_open() {
    let concerns = [("C1", "The price."), ("C3", "Who runs it?")];
    let mut form = form("r1/defense", &[], &concerns);
    assert_eq!(fill(&mut form, &["We pay less elsewhere.", ""]), Next::Ask);
    assert_eq!(form.question(), "How is this concern met? Enter: it is not.\n  C1: The price.\n> ");
    let lines = ["", "The platform team.", "", "", "50", ""];
    let argument = said(fill(&mut form, &lines), "ARGUMENT");
    assert_eq!(argument["addresses"], json!([{"id": "C3", "how": "The platform team."}]));
}

#[test]
fn own_concerns_are_disposed_of_in_a_resolution_alone() {
    let asked = |turn: &str| PersonQuestion {
        turn: turn.to_owned(),
        concerns: items(&[("C1", "Theirs."), ("C2", "Mine.")]),
        own: vec!["C2".to_owned()],
        ..PersonQuestion::default()
    };
    let mut defense = Form::new(asked("r1/defense"));
    let lines = ["x", "", "so", "", "", "1", ""];
    let argument = said(fill(&mut defense, &lines), ARGUMENT.name());
    assert_eq!(argument["addresses"], json!([{"id": "C1", "how": "so"}]));
    let mut resolution = Form::new(asked("r1/resolution"));
    let lines = ["x", "", "a point", "", "", "", "by that", "", "", "1", ""];
    let argument = said(fill(&mut resolution, &lines), ARGUMENT.name());
    assert_eq!(argument["addresses"], json!([{"id": "C2", "how": "by that"}]));
}

#[test]
fn a_reply_to_a_defense_is_a_counter_or_a_resolution_with_points() {
    let concerns = [("C1", "The price.")];
    let mut counter = form("r1/reply", &[], &concerns);
    assert!(matches!(counter.take(Some("maybe")), Next::Again(_)));
    let lines = ["c", "The price stands.", "", "It doubles.", "", "", "", "90", ""];
    let argument = said(fill(&mut counter, &lines), "ARGUMENT");
    assert_eq!(argument["type"], "counter");
    assert_eq!(argument["concerns"], json!([{"id": "N1", "text": "It doubles."}]));

    let mut accept = form("r1/reply", &[], &concerns);
    assert_eq!(fill(&mut accept, &["A", "Both do.", ""]), Next::Ask);
    assert!(matches!(accept.take(Some("")), Next::Again(_)), "no point yet");
    let lines = [
        "Use Redis for reads.",
        "3",
        "Keep a fallback.",
        "",
        "",
        "Capped by contract.",
        "",
        "5",
        "80",
        "",
    ];
    let argument = said(fill(&mut accept, &lines), "ARGUMENT");
    assert_eq!(argument["type"], "resolution");
    assert_eq!(
        argument["content"]["points"],
        json!([
            {"id": "P1", "claim": "Use Redis for reads.", "importance": 3},
            {"id": "P2", "claim": "Keep a fallback.", "importance": 2},
        ])
    );
    assert_eq!(argument["addresses"], json!([{"id": "C1", "how": "Capped by contract."}]));
}

#[test]
fn stances_are_asked_on_every_point_and_every_concern_each_with_a_reason() {
    let mut form = form(
        "r1/stances",
        &[("P1", "Use Redis."), ("P2", "Keep a fallback."), ("C1", "The price.")],
        &[("C1", "The price."), ("C2", "Not to be judged.")],
    );
    assert_eq!(
        form.question(),
        "  P1: Use Redis.\na: agree as it stands; p: partly; d: disagree > "
    );
    for wrong in ["x", "", "yes"] {
        assert!(matches!(form.take(Some(wrong)), Next::Again(_)), "{wrong}");
    }
    assert_eq!(form.take(Some("agree")), Next::Ask);
    assert!(matches!(form.take(Some(" ")), Next::Again(_)), "no reason");
    let lines = [
        "It was measured.",
        "p",
        "Only for a month.",
        "Keep it until May.",
        "D",
        "It is not met.",
        "A date.",
        "",
        "",
    ];
    let stances = said(fill(&mut form, &lines), "STANCES");
    assert_eq!(
        stances,
        json!({
            "stances": [
                {"point": "P1", "stance": "agree", "reason": "It was measured."},
                {"point": "P2", "stance": "partly", "reason": "Only for a month.", "amendment": "Keep it until May."},
                {"point": "C1", "stance": "disagree", "reason": "It is not met."},
            ],
            "missing": ["A date."],
        })
    );
}

#[test]
fn a_remark_is_one_line_and_nothing_is_none() {
    let mut some = form("r2/remark", &[], &[]);
    assert_eq!(some.question(), "A remark for both sides, or Enter to continue: ");
    assert_eq!(
        some.take(Some("Mind the price. <<<POSITION_START>>>")),
        Next::Done(PersonReply::Reply(
            "<<<REMARK_START>>>\nMind the price. < < <POSITION_START>>>\n<<<REMARK_END>>>\n"
                .to_owned()
        ))
    );
    for line in [Some(""), Some("  \u{1b}[A "), None] {
        let next = form("r3/remark", &[], &[]).take(line);
        assert_eq!(next, Next::Done(PersonReply::Reply("No remark.\n".to_owned())), "{line:?}");
    }
}

#[test]
fn what_was_entered_can_be_entered_anew() {
    let mut form = form("r1/reply", &[], &[]);
    let first = ["c", "Wrong.", "", "Wrong.", "", "", "", "1"];
    assert_eq!(fill(&mut form, &first), Next::Ask);
    assert!(matches!(form.take(Some("no")), Next::Again(_)));
    assert_eq!(form.take(Some("again")), Next::Ask);
    let lines = ["c", "Right.", "", "", "", "", "2", ""];
    let argument = said(fill(&mut form, &lines), "ARGUMENT");
    assert_eq!(argument["content"], json!({"text": "Right."}));
    assert_eq!((&argument["concerns"], &argument["confidence_score"]), (&json!([]), &json!(0.02)));
}

#[test]
fn numbers_out_of_range_are_asked_for_again() {
    let mut form = form("r1/proposal", &[], &[]);
    assert!(matches!(form.take(Some("")), Next::Again(_)), "no text");
    assert_eq!(fill(&mut form, &["x", "", ""]), Next::Ask);
    for wrong in ["0", "6", "-1", "good", "4.5"] {
        assert!(matches!(form.take(Some(wrong)), Next::Again(_)), "{wrong}");
    }
    assert_eq!(form.take(Some("5")), Next::Ask);
    for wrong in ["101", "0.8", "sure", "256"] {
        assert!(matches!(form.take(Some(wrong)), Next::Again(_)), "{wrong}");
    }
    assert_eq!(form.take(Some("100%")), Next::Ask);
}

#[test]
fn how_sure_a_person_is_may_stay_unsaid() {
    let mut form = form("r1/proposal", &[], &[]);
    assert_eq!(fill(&mut form, &["x", "", "", "", ""]), Next::Ask);
    let Next::Done(PersonReply::Reply(reply)) = form.take(Some("")) else {
        panic!("it is complete");
    };
    assert!(!reply.contains("confidence_score"), "{reply}");
}

#[test]
fn the_end_of_the_input_sends_what_is_an_answer_and_nothing_less() {
    let proposal = ["Use Redis.", "", "src/cache.rs:17", "", "4", "80"];
    let resolution = ["a", "Move the reads.", "", "Reads only.", "3", ""];
    let stances = ["p", "It was measured.", "reads only", ""];
    let judge = [("P1", "Use Redis.")];
    for (turn, lines, least) in [
        ("r1/proposal", &proposal[..], 1),
        ("r1/reply", &resolution[..], 4),
        ("r1/stances", &stances[..], 2),
    ] {
        for count in 0..=lines.len() {
            let mut form = form(turn, &judge, &[]);
            for line in &lines[..count] {
                assert_eq!(form.take(Some(line)), Next::Ask, "{turn}: {line:?}");
            }
            let next = form.take(None);
            let is_sent = matches!(next, Next::Done(PersonReply::Reply(_)));
            assert_eq!(is_sent, count >= least, "{turn}, {count}: {next:?}");
            if !is_sent {
                assert!(matches!(next, Next::Done(PersonReply::Nothing(_))), "{next:?}");
            }
        }
    }
    let mut form = form("r1/proposal", &[], &[]);
    form.take(Some("Use Redis."));
    let sent = said(form.take(None), ARGUMENT.name());
    assert!(sent.get("confidence_score").is_none(), "nobody was asked");
    assert_eq!(sent["content"]["text"], "Use Redis.");
}

#[test]
fn long_lines_and_long_lists_are_said_to_be_too_long() {
    let mut form = form("r1/challenge", &[], &[]);
    let half = "x".repeat(TEXT_CHARS / 2);
    assert_eq!(fill(&mut form, &[&half]), Next::Ask);
    assert!(matches!(form.take(Some(&half)), Next::Again(_)));
    assert_eq!(form.take(Some("")), Next::Ask);
    assert!(matches!(form.take(Some(&"x".repeat(LINE_CHARS + 1))), Next::Again(_)));
    for _ in 0..MAX_POINTS {
        assert_eq!(form.take(Some("x")), Next::Ask);
    }
    assert!(matches!(form.take(Some("x")), Next::Again(_)));
    assert_eq!(form.take(Some("")), Next::Ask);
}

#[test]
fn a_turn_that_no_person_has_is_refused() {
    let next = form("r1/review", &[], &[]).take(Some("x"));
    assert!(matches!(next, Next::Done(PersonReply::Refused(_))), "{next:?}");
}

mod properties {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn no_lines_break_a_form_and_every_reply_is_one_block(
            turn in "r1/(proposal|challenge|defense|reply|resolution|stances|remark)",
            lines in prop::collection::vec(
                prop_oneof![Just(String::new()), "[acpd]", "[0-9]{1,3}", "again", "(?s).{0,40}"],
                0..60,
            ),
        ) {
            let mut form = form(&turn, &[("P1", "x")], &[("C1", "y")]);
            for line in &lines {
                prop_assert!(!form.question().is_empty());
                if let Next::Done(said) = form.take(Some(line)) {
                    let PersonReply::Reply(reply) = said else { panic!("{said:?}") };
                    prop_assert!(reply.matches("_START>>>").count() <= 1, "{}", reply);
                    return Ok(());
                }
            }
        }
    }
}
