//! Every prompt as it is sent, the part that all of them share, and the length to which texts are cut.

use super::super::testing::{champion, give, input, machine, only, read};
use super::{LIST_CHARS, PEER_CHARS, Value, json};

#[test]
fn a_thousand_opportunities_fit() {
    let long = "word ".repeat(2_000);
    let items: Vec<Value> = (0..1_000)
        .map(|n| {
            let evidence: Vec<Value> = (0..30).map(|_| json!({ "source": "log", "content": &long[..200] })).collect();
            json!({ "opportunity_id": format!("id-{n}"), "title": format!("T{n}"), "description": long, "evidence": evidence })
        })
        .collect();
    let stable = super::stable(&input(read(&Value::from(items)))).text;
    assert!(stable.chars().count() <= LIST_CHARS + 5_000, "{}", stable.chars().count());
    assert!(stable.contains("\"opportunity_id\": \"id-999\""));
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
