//! The contract for a perspective's reply: its block, the limits, and the text that asks for it.
//!
//! The fields of a critique are declared with its type ([`Critique`]). The contract differs by what a perspective
//! owes: one that rates the risk owes a level and the risks, and the others may give them; one that checks against the
//! context owes what is covered and what is missing, and the others are not asked for it
//! ([`super::requirement`]). The body shown in the prompt never parses as a reply (`<1 to 5>`
//! is not JSON), so a model that repeats its instructions has not answered.

use super::input::Perspective;
use super::model::Critique;
use crate::contract::block::object;
use crate::contract::template::{ask, fields};
use crate::contract::{Block, Declaration};

/// Maximum entries of one list; the rest is cut with a note.
pub const MAX_ENTRIES: usize = 50;
/// Maximum characters of one entry; the rest is cut with a note.
pub const ENTRY_CHARS: usize = 1_000;

/// A perspective's critique, with all possible fields. A key in another case (`riskLevel`) is accepted: a critical
/// risk left unread would vanish.
pub const CRITIQUE: Block<Critique> = object("CRITIQUE");

const RISK: &[&str] = &["risk_level", "risks"];
const CONTEXT: &[&str] = &["covered", "missing_requirements"];
const BOTH: &[&str] = &["risk_level", "risks", "covered", "missing_requirements"];

/// Returns the critique block with the fields that a perspective owes.
pub const fn block(perspective: &Perspective) -> Block<Critique> {
    match (perspective.rates_risk, perspective.needs_context) {
        (true, true) => CRITIQUE,
        (true, false) => CRITIQUE.without(CONTEXT),
        (false, true) => CRITIQUE.without(RISK),
        (false, false) => CRITIQUE.without(BOTH),
    }
}

/// Returns the last part of a prompt: the exact reply that is expected.
pub fn text(perspective: &Perspective) -> String {
    let lists = format!(
        "`[]` says that there is nothing of the kind; write no entry that says so. An entry is cut after {ENTRY_CHARS} characters, and a list \
         after {MAX_ENTRIES} entries, which a good one never has."
    );
    let met = "Each entry of `covered` and `missing_requirements` begins with the requirement's id, or with its words in quotation marks, as \
         the context has them. A program looks them up there: an entry that it does not find is a weakness and not a missing requirement.";
    let mut rules = vec![lists];
    if perspective.needs_context {
        rules.push(met.to_owned());
    }
    if !perspective.rates_risk {
        rules.push(format!("You may add `{}` if you see a danger.", shown(RISK)));
    }
    let rules: Vec<&str> = rules.iter().map(String::as_str).collect();
    ask(&[&block(perspective).outline], &rules)
}

/// Renders fields on one line.
fn shown(keys: &[&str]) -> String {
    fields(Critique::ITEM.fields.iter().filter(|spec| keys.contains(&spec.key)), None)
}

#[cfg(test)]
mod tests {
    use super::super::testing::perspective;
    use super::*;

    #[test]
    fn the_limits_that_are_told_are_the_limits_that_hold() {
        let text = text(&perspective("product"));
        assert!(text.contains("cut after 1000 characters, and a list after 50 entries"));
    }
}
