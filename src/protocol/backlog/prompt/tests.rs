//! Every prompt as it is sent, the part that all of them share, and the length to which texts are cut.

use super::super::testing::{champion, give, input, machine, only, read};
use super::{Opportunity, PEER_CHARS, STABLE_CHARS, StablePrefix, Value, json};

fn stable_of(opportunities: &[Opportunity], max_chars: usize) -> StablePrefix {
    super::stable(&input(opportunities.to_vec()), max_chars)
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
