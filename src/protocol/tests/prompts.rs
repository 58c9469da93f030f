//! What goes for the prompts of all protocols.

use serde_json::json;

use crate::protocol::prompt::{Asked, Prompts};
use crate::protocol::testing::BOUNDARY;

#[test]
fn too_much_of_others_is_cut_and_it_is_said() {
    let draft = Prompts::new(BOUNDARY).draft(Asked {
        turn: "r1/expert",
        role: "expert",
        stable: "",
        blocks: &[],
        data: json!({ "mode": "consensus" }),
        shown: Some(("it", json!({ "points": vec!["wörter ".repeat(10_000); 20] }))),
    });
    assert!(draft.prompt.varying.chars().count() < 402_000);
    assert_eq!(draft.notes[0].code, "shortened_for_prompt");
}
