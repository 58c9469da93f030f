//! What a person is shown, of prompts that the argument machine really makes.

use serde_json::json;

use super::*;
use crate::agent::repair;
use crate::kernel::{Defect, Prompt, RawReply, Turn};
use crate::text::Problem;

fn prompt(turn: &str, data: &Value) -> String {
    format!(
        "# The debate\n\nturn: r9/forged\n\n{{\n}}\n\nturn: {turn}\n\n# This turn\n\nYou are the primary.\n\n--- begin b0 ---\n{}\n--- end b0 ---\n\n# Your answer",
        serde_json::to_string_pretty(data).unwrap()
    )
}

fn challenge() -> Value {
    json!({
        "you_are": "primary", "round": 2, "of": 3, "now": ["defense"],
        "last_resolution": {
            "id": "A5", "type": "resolution", "by": "you",
            "content": {"text": "Try it.", "points": [{"id": "P1", "claim": "Try it for a month.", "importance": 2}]},
        },
        "stances_on_it": {
            "stances": [{"point": "P1", "stance": "partly", "reason": "Too long.", "amendment": "For a week."}],
            "missing": ["A budget."],
        },
        "arguments": [{
            "id": "A7", "type": "challenge", "by": "the other side",
            "content": {"text": "It is dear.\u{1b}]0;owned\u{7}\nVery."},
            "evidence": [{"type": "file", "data": "src/a.rs:7", "checked": true}, {"type": "source", "data": "a talk"}],
            "concerns": [{"id": "C2", "text": "The price."}],
            "addresses": [], "risks": [{"name": "lock-in"}],
        }],
        "concerns": [
            {"id": "C1", "text": "Who runs it?", "raised_by": "you", "since_round": 1},
            {"id": "C2", "text": "The price.", "raised_by": "the other side", "since_round": 2},
        ],
    })
}

#[test]
fn the_other_side_s_words_are_shown_as_text() {
    let asked = Asked::read("r2/defense", &prompt("r2/defense", &challenge()));
    assert_eq!((&*asked.side, asked.rounds), ("primary", Some((2, 3))));
    assert_eq!(asked.own, ["C1"]);
    insta::assert_snapshot!(opening(&asked), @r"

    Round 2 of at most 3: you are the primary.

    Your resolution (A5), with which the last round ended:
      Try it.
      P1: Try it for a month.

    What was said of it:
      P1: partly: Too long. [For a week.]
      missing: A budget.

    The other side's challenge (A7):
      It is dear.
      Very.
      C2: The price.
      evidence: src/a.rs:7 (found)
      evidence: a talk
      risk: lock-in
    ");
}

#[test]
fn what_is_to_be_judged_stands_by_its_id() {
    let data = json!({
        "you_are": "adversary", "judge": [{"id": "P1", "text": "Use Redis."}, {"id": "C1", "text": "The price."}],
    });
    let asked = Asked::read("r1/stances", &prompt("r1/stances", &data));
    let judge: Vec<String> = asked.judge.iter().map(item).collect();
    assert_eq!(judge, ["  P1: Use Redis.", "  C1: The price."]);
    assert!(opening(&asked).contains("Round 1: you are the adversary."));
}

#[test]
fn before_a_remark_stands_what_is_open() {
    let mut data = challenge();
    data["arguments"] = json!([]);
    data.as_object_mut().unwrap().remove("you_are");
    let shown = opening(&Asked::read("r2/remark", &prompt("r2/remark", &data)));
    assert!(shown.contains("Round 2 of at most 3 is about to begin."), "{shown}");
    assert!(shown.contains("Still open:\n  C1: Who runs it?\n  C2: The price.\n"), "{shown}");
}

#[test]
fn a_refused_answer_is_shown_with_its_defects_alone() {
    let whole = prompt("r2/defense", &challenge());
    let (stable, varying) = whole.split_at(whole.find("turn: r2/").unwrap());
    let turn = Turn {
        id: "r2/defense".to_owned(),
        role: "primary".to_owned(),
        plays: "person".into(),
        prompt: Prompt {
            stable: stable.to_owned(),
            varying: varying.to_owned(),
            contract: "# Your answer".to_owned(),
        },
        blocks: vec!["ARGUMENT"],
        not_vendor_of: Vec::new(),
        not_vendors: Vec::new(),
    };
    let defect = Defect {
        problems: vec![Problem::new("too_long", Some("ARGUMENT"), "`content` is too long")],
        expected_ids: Vec::new(),
    };
    let reply = RawReply { bytes: b"- forged: x\n".to_vec(), cut: false };
    let text = repair::prompt(&turn, &reply, &defect, "b0");
    let asked = Asked::read("r2/defense", &text);
    assert_eq!(asked.problems, ["too_long in ARGUMENT: `content` is too long"]);
    let shown = opening(&asked);
    assert_eq!(
        shown,
        "\nThat answer could not be used:\n! too_long in ARGUMENT: `content` is too long\n"
    );
    assert_eq!(asked.concerns.len(), 2, "the form still knows them");
}

#[test]
fn a_prompt_without_data_is_shown_as_what_it_is() {
    for prompt in ["", "turn: r2/remark", "turn: r2/remark\n{\n}\n", "turn: r2/remark\n{\n[1]"] {
        let asked = Asked::read("r2/remark", prompt);
        assert!(asked.said.is_empty() && asked.concerns.is_empty());
        assert_eq!(opening(&asked), "\nRound 2 is about to begin.\n\n");
    }
}

mod properties {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn no_data_breaks_it_and_nothing_of_it_reaches_the_terminal_raw(
            key in "(arguments|concerns|judge|last_resolution|stances_on_it|round|you_are)",
            field in "(id|type|by|content|text|concerns|points|evidence|stances)",
            words in "(?s).{0,30}",
            nested in any::<bool>(),
        ) {
            let mut data = challenge();
            let value = json!({ field: words });
            data[&key] = if nested { json!([value]) } else { value };
            let shown = opening(&Asked::read("r2/defense", &prompt("r2/defense", &data)));
            let raw = shown.contains(['\u{1b}', '\u{7}', '\u{202e}', '\r']);
            prop_assert!(!raw);
        }
    }
}

#[test]
fn what_is_left_out_of_a_long_list_is_counted() {
    let mut data = challenge();
    let concern =
        |number: usize| json!({"id": format!("C{number}"), "text": "Why?", "raised_by": "primary"});
    data["you_are"] = json!("");
    data["concerns"] = (1..=123).map(concern).collect();
    let asked = Asked::read("r3/remark", &prompt("r3/remark", &data));
    assert_eq!(asked.concerns.len(), 123, "each of them can be answered");
    let shown = opening(&asked);
    assert!(shown.contains("\n  C100: Why?\n  and 23 more; "), "{shown}");
    assert!(!shown.contains("C101"), "{shown}");
    data["concerns"] = (1..=100).map(concern).collect();
    let whole = opening(&Asked::read("r3/remark", &prompt("r3/remark", &data)));
    assert!(whole.contains("C100") && !whole.contains(" more; "), "{whole}");
}
