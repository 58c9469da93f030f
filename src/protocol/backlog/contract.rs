//! What each role must answer: marker names, shapes, and the text that asks for them.
//!
//! One constant per marker, shared by prompt, parser, rehearsal and the test
//! that reads the skills. The bodies shown here never parse as answers
//! (`["<id>", ...]` is no JSON), so a model that repeats its instructions has
//! not answered.

use std::fmt::Write as _;

use super::Role;
use crate::text::block::{Shape, Want};

/// The champion's case, as text.
pub const CHAMPION_ARGUMENT: &str = "CHAMPION_ARGUMENT";
/// The champion's order: a JSON array of ids.
pub const CHAMPION_RANKINGS: &str = "CHAMPION_RANKINGS";
/// The critic's concerns: a JSON object, id to a list of texts.
pub const CRITIC_CONCERNS: &str = "CRITIC_CONCERNS";
/// The critic's order, by feasibility: a JSON array of ids.
pub const CRITIC_RANKINGS: &str = "CRITIC_RANKINGS";
/// The moderator's dispositions: a JSON object, id to a word.
pub const DISPOSITIONS: &str = "DISPOSITIONS";
/// The moderator's order: a JSON array of ids.
pub const FINAL_RANKINGS: &str = "FINAL_RANKINGS";
/// Whether the moderator wants to go on: a JSON object of two booleans.
pub const DEBATE_STATUS: &str = "DEBATE_STATUS";

/// One block of a role's answer.
struct Block {
    name: &'static str,
    shape: Shape,
    required: bool,
    template: &'static str,
}

const ORDER: &str = r#"["<id>", "<id>", ...]"#;

const CHAMPION: &[Block] = &[
    Block {
        name: CHAMPION_ARGUMENT,
        shape: Shape::Text,
        required: true,
        template: "<your case, in plain text>",
    },
    Block { name: CHAMPION_RANKINGS, shape: Shape::Array, required: true, template: ORDER },
];

const CRITIC: &[Block] = &[
    Block {
        name: CRITIC_CONCERNS,
        shape: Shape::Object,
        required: true,
        template: r#"{"<id>": ["<concern>", ...], ...}"#,
    },
    Block { name: CRITIC_RANKINGS, shape: Shape::Array, required: true, template: ORDER },
];

const MODERATOR: &[Block] = &[
    Block {
        name: DISPOSITIONS,
        shape: Shape::Object,
        required: true,
        template: r#"{"<id>": "<prioritize|investigate|defer|reject>", ...}"#,
    },
    Block { name: FINAL_RANKINGS, shape: Shape::Array, required: true, template: ORDER },
    // Without it the debate goes on by rule (decision table, row 28).
    Block {
        name: DEBATE_STATUS,
        shape: Shape::Object,
        required: false,
        template: r#"{"continue_debate": <true|false>, "consensus_reached": <true|false>}"#,
    },
];

const fn blocks_of(role: Role) -> &'static [Block] {
    match role {
        Role::Champion => CHAMPION,
        Role::Critic => CRITIC,
        Role::Moderator => MODERATOR,
    }
}

/// Returns the names of the blocks that a role's reply holds.
pub fn names(role: Role) -> Vec<&'static str> {
    blocks_of(role).iter().map(|block| block.name).collect()
}

/// Returns what the parser looks for in a role's reply.
pub fn wants(role: Role) -> Vec<Want> {
    blocks_of(role)
        .iter()
        .map(|block| Want { name: block.name, shape: block.shape, required: block.required })
        .collect()
}

/// Returns the block bodies that our own prompt showed a role, to recognise an echo.
pub fn templates(role: Role) -> Vec<&'static str> {
    blocks_of(role).iter().map(|block| block.template).collect()
}

/// Wraps a body in a block's markers.
pub fn block(name: &str, body: &str) -> String {
    format!("<<<{name}_START>>>\n{body}\n<<<{name}_END>>>\n")
}

/// Returns the last part of a role's prompt: the exact answer that is wanted.
pub fn text(role: Role, opportunities: usize) -> String {
    let blocks = blocks_of(role);
    let count = if blocks.len() == 2 { "two" } else { "three" };
    let mut text = format!(
        "# Your answer\n\nEnd your reply with exactly these {count} blocks, in this order. Each marker stands alone on its line, \
         once, outside any code fence. What stands in angle brackets is yours to fill in.\n\n"
    );
    for each in blocks {
        text.push_str(&block(each.name, each.template));
        text.push('\n');
    }
    let _ = writeln!(
        text,
        "There are {opportunities} opportunities. Every ranking lists each `opportunity_id` exactly once, copied letter by letter, best \
         first; an id that is not in the input is dropped. JSON is strict: double quotes, no comments, no trailing commas."
    );
    text.push_str(match role {
        Role::Champion => "The argument is plain text: at most 1,200 words, leading with what decides the order.\n",
        Role::Critic => {
            "Name every opportunity as a key. Each concern is one sentence of text; `[]` where you have none.\n"
        }
        Role::Moderator => {
            "Give every opportunity one disposition, in these exact words. `continue_debate` and `consensus_reached` are the JSON \
             values true or false; the claim of consensus is checked by rule, so make it only if it holds.\n"
        }
    });
    text
}
