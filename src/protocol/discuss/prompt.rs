//! The prompts: the purpose of a critique, then artifact and context, then the perspective, and the contract last.
//!
//! The stable part is the same bytes for all perspectives of a session, so that a vendor that answers for several can
//! cache it. Artifact and context have `| ` before every line: none of their lines can be the `turn:` line, a marker
//! or a heading. Both are fenced and defused. No perspective is shown another's reply, and no agent or vendor is
//! named.

use super::contract;
use super::input::{Artifact, Perspective, Task};
use crate::kernel::Prompt;
use crate::kernel::quote::quoted;
use crate::protocol::frame::{NO_TOOLS, how_lines_are_marked, how_to_read};
use crate::text::{Note, fence, sanitize};

/// The line that opens the stable part of every critique.
pub const HEADING: &str = "# The critique";
/// The heading of the artifact.
pub const ARTIFACT: &str = "# The artifact";
/// The heading of the context that the artifact is checked against.
pub const CONTEXT: &str = "# The context";
/// The line before the list of aspects that a perspective examines.
pub const LOOK_AT: &str = "Look at:";

/// Maximum characters of a title, and of one aspect.
const LINE_CHARS: usize = 200;

/// The prefix that all prompts of a session share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StablePrefix {
    pub(super) text: String,
    /// Notes on text that was defused in it.
    pub(super) notes: Vec<Note>,
}

pub(super) fn stable(task: &Task, boundary: &str) -> StablePrefix {
    let mut text = format!(
        "{HEADING}\n\n\
         Several people read one artifact at the same time, each alone and from a perspective of their own. A program puts together what \
         they say; none of them decides alone, and nobody sees what another one says.\n\n\
         An artifact is judged by what it says and leaves out, never by its tone or its length. Say what is there to be read: quote few \
         words, name the heading or the line. What you cannot know from it is a question to be answered, not a fault that is proven.\n\n\
         Write in the language of the artifact. Keys and words in angle brackets stay as they are.\n\n\
         {NO_TOOLS}\n\n{}\n{}",
        how_to_read(
            boundary,
            "the artifact, and what it is checked against",
            ", and name it as a weakness"
        ),
        how_lines_are_marked()
    );
    let mut notes = Vec::new();
    let parts = [
        (ARTIFACT, "the artifact", Some(&task.artifact)),
        (CONTEXT, "the context", task.context.as_ref()),
    ];
    for (heading, what, part) in parts {
        let Some(part) = part else { continue };
        let (fenced, forged) = fenced(what, part, boundary);
        text.extend(["\n", heading, "\n\n", &*fenced]);
        if forged > 0 {
            let message = format!(
                "{what} holds text that looks like our markers in {forged} places; it was defused"
            );
            notes.push(Note::new("forged_marker", message));
        }
    }
    text.truncate(text.trim_end().len());
    StablePrefix { text, notes }
}

fn fenced(what: &str, part: &Artifact, boundary: &str) -> (String, usize) {
    let label = format!("{what} {}", sanitize::line(&part.name, 100));
    fence::fence(&label, &quoted(&part.text), boundary)
}

pub(super) fn prompt(
    stable: &StablePrefix,
    turn: &str,
    perspective: &Perspective,
    boundary: &str,
) -> Prompt {
    // The configuration is trusted, but a slip in it must not forge one of our markers.
    let plain = |text: &str| fence::defuse(&sanitize::line(text, LINE_CHARS), boundary).0;
    let mut varying = format!(
        "turn: {}\n\n# This turn\n\nYou are the {}.",
        plain(turn),
        plain(&perspective.title)
    );
    if !perspective.looks_at.is_empty() {
        varying.extend([" ", LOOK_AT, "\n"]);
    }
    for thing in &perspective.looks_at {
        varying.extend(["\n- ", &*plain(thing)]);
    }
    varying.push_str(
        "\n\nLeave to others what is not yours. Say what is good, what is not, and what should be changed, and rate the artifact as it stands.",
    );
    if perspective.rates_risk {
        varying.push_str(
            " Say what may go wrong and of what it comes, and how dangerous the artifact is as it stands.",
        );
    }
    if perspective.needs_context {
        varying.push_str(
            " Go through the context, requirement by requirement, and say which of them the artifact meets and which it does not.",
        );
    }
    Prompt {
        stable: stable.text.clone(),
        varying,
        contract: contract::text(perspective).trim_end().to_owned(),
    }
}

#[cfg(test)]
mod tests;
