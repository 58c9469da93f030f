//! The prompts: the purpose of a critique and what its words and numbers mean, then artifact and context, then the
//! perspective, and the contract last.
//!
//! The stable part is the same bytes for all perspectives of a session, so that a vendor that answers for several can
//! cache it. Artifact and context have `| ` before every line: none of their lines can be the `turn:` line, a marker
//! or a heading. Both are fenced and defused. No perspective is shown another's reply, and no agent or vendor is
//! named.

use serde_json::json;

use super::contract;
use super::input::{Input, Perspective};
use crate::kernel::Draft;
use crate::protocol::prompt::{Asked, Filled};

pub(super) fn stable(input: &Input) -> Filled {
    let (artifact, context) = (&input.task.artifact, &input.task.context);
    input.prompts.fill("session/discuss", json!({ "artifact": artifact, "context": context }))
}

pub(super) fn prompt(input: &Input, stable: &str, turn: &str, perspective: &Perspective) -> Draft {
    input.prompts.draft(Asked {
        turn,
        role: "discuss-perspective",
        stable,
        blocks: &[&contract::block(perspective).outline],
        data: json!({
            "title": perspective.title, "looks_at": perspective.looks_at, "rates_risk": perspective.rates_risk,
            "needs_context": perspective.needs_context, "risk": contract::risk(),
            "entry_chars": contract::ENTRY_CHARS, "most_entries": contract::MAX_ENTRIES,
        }),
        shown: None,
    })
}

#[cfg(test)]
mod tests;
