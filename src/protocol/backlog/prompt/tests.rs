//! Every prompt as it is sent, the part that all of them share, and the length to which texts are cut.

use super::super::intake::{self, Limits};
use super::super::testing::{champion, critic, give, input, machine, moderator, now, only, read};
use super::{Opening, Opportunity, PEER_CHARS, STABLE_CHARS, StablePrefix, Value, json};

fn six() -> Vec<Opportunity> {
    let bytes = include_bytes!("../../../../fixtures/opportunities/six.json");
    intake::read("six", bytes, now(), Limits::default()).unwrap().opportunities
}

fn stable_of(opportunities: &[Opportunity], max_chars: usize) -> StablePrefix {
    let mut input = input(opportunities.to_vec());
    input.settings.prompt_chars = max_chars;
    super::stable(&input)
}

fn replies() -> [String; 3] {
    [champion("abc"), critic("cab"), moderator("abc", "pid", true, false)]
}

#[test]
fn every_prompt_of_two_rounds() {
    let mut machine = machine("abc");
    for round in 1..=2 {
        for reply in replies() {
            let turn = only(&machine).unwrap();
            let name = format!("r{round}_{}", turn.role);
            let text = if turn.id == "r1/champion" {
                turn.prompt.text()
            } else {
                format!(
                    "(stable part as in r1/champion)\n\n{}\n\n{}",
                    turn.prompt.varying, turn.prompt.contract
                )
            };
            insta::assert_snapshot!(name, text);
            give(&mut machine, reply.as_bytes());
        }
    }
}

#[test]
fn the_stable_part_of_real_opportunities() {
    insta::assert_snapshot!("stable_six", stable_of(&six(), STABLE_CHARS).text);
}

/// Prompt caching: every prompt of a session begins with the same bytes.
#[test]
fn all_prompts_share_the_stable_part_byte_for_byte() {
    let mut machine = machine("abc");
    let first = only(&machine).unwrap().prompt;
    for reply in replies().iter().chain(&replies()) {
        let turn = only(&machine).unwrap();
        assert_eq!(turn.prompt.stable, first.stable);
        assert!(turn.prompt.text().starts_with(&first.stable));
        assert!(turn.prompt.varying.starts_with(&format!("turn: {}\n", turn.id)));
        give(&mut machine, reply.as_bytes());
    }
    assert!(matches!(machine.next(), crate::kernel::Step::Ask { opens_round: Some(3), .. }));
}

/// The frame says once what all three need: sizes, the date, and that the size of the team is unknown.
#[test]
fn the_frame_tells_date_sizes_and_opening() {
    let mut input = input(six());
    let plain = super::stable(&input).text;
    assert!(!plain.contains("Today is") && plain.contains("Each answers once a round."));
    for part in ["XL more than a week, 2 and more (`large`)", "count work, not people"] {
        assert_eq!(plain.matches(part).count(), 1, "{part}");
    }
    input.settings.today = chrono::NaiveDate::from_ymd_opt(2026, 1, 31);
    input.settings.opening = Opening::Blind;
    let told = super::stable(&input).text;
    assert!(told.contains(" Today is 2026-01-31.") && told.contains("neither sees the other"));
}

#[test]
fn no_prompt_begins_with_a_slash() {
    assert!(only(&machine("ab")).unwrap().prompt.stable.starts_with('#'));
}

/// A huge description is cut; a short one in the same prompt keeps every word.
#[test]
fn the_longest_texts_are_cut_first() {
    let mut all = six();
    all[0].description = "x\n".repeat(5 << 19);
    all[1].description = "ä\"".repeat(1 << 20);
    let stable = stable_of(&all, 50_000);
    let chars = stable.text.chars().count();
    assert!((45_000..=50_000).contains(&chars), "{chars}");
    assert_eq!(stable.notes[0].code, "shortened_for_prompt");
    assert!(stable.notes[0].message.starts_with("2 texts were cut"), "{}", stable.notes[0].message);
    assert!(
        stable.text.contains(&all[4].description)
            && stable.text.contains("[cut; 5242880 characters in all]")
            || stable.text.contains("[cut; 2621440")
    );
    assert!(stable_of(&six(), STABLE_CHARS).notes.is_empty());
}

#[test]
fn a_thousand_opportunities_fit() {
    let long = "word ".repeat(2_000);
    let items: Vec<Value> = (0..1_000)
        .map(|n| {
            let evidence: Vec<Value> = (0..30).map(|_| json!({ "source": "log", "content": &long[..200] })).collect();
            json!({ "opportunity_id": format!("id-{n}"), "title": format!("T{n}"), "description": long, "evidence": evidence })
        })
        .collect();
    let stable = stable_of(&read(&Value::from(items)), STABLE_CHARS);
    assert!(stable.text.chars().count() <= STABLE_CHARS, "{}", stable.text.chars().count());
    assert!(stable.text.contains("\"opportunity_id\": \"id-999\""));
}

/// S9: the text that a peer can add to a prompt is bounded; ids are never cut.
#[test]
fn peers_text_is_capped() {
    let mut machine = machine("ab");
    let argument = "very long ".repeat(20_000);
    give(&mut machine, champion("ab").replace("Because.", &argument).as_bytes());
    let prompt = only(&machine).unwrap().prompt;
    assert!(prompt.varying.chars().count() < PEER_CHARS + 2_000);
    assert!(
        prompt.varying.contains("[cut; 199999 characters in all]"),
        "{}",
        &prompt.varying[PEER_CHARS - 500..]
    );
    assert!(prompt.varying.contains("\"champion_rankings\": [\n    \"a\",\n    \"b\"\n  ]"));
}
