//! The prompts: the purpose of a critique and what its words and numbers mean, then artifact and context, then the
//! perspective, and the contract last.
//!
//! The stable part is the same bytes for all perspectives of a session, so that a vendor that answers for several can
//! cache it. Artifact and context have `| ` before every line: none of their lines can be the `turn:` line, a marker
//! or a heading. Both are fenced and defused. No perspective is shown another's reply, and no agent or vendor is
//! named.

use super::contract;
use super::input::{Artifact, Perspective, Task};
use crate::kernel::Prompt;
use crate::kernel::quote::quoted;
use crate::protocol::frame::{NO_TOOLS, forged_note, how_lines_are_marked, how_to_read};
use crate::text::{Note, fence, sanitize};

/// The line that opens the stable part of every critique.
pub const HEADING: &str = "# The critique";
pub const ARTIFACT: &str = "# The artifact";
/// The heading of the context that the artifact is checked against.
pub const CONTEXT: &str = "# The context";
/// The line before the list of aspects that a perspective examines.
pub const LOOK_AT: &str = "Look at:";

const ENTRIES: &str = "## How to write an entry\n\n\
    One point, one entry, once, in one or two sentences: where it stands (the heading, the id, a few quoted words) and what follows from it. \
    Without the place nobody finds it, without the consequence nobody mends it. The gravest comes first; three that matter are worth more than \
    ten that fill a list, and an empty list is an answer.\n\n\
    `strengths` are what a revision must not lose. `weaknesses` are what is wrong or missing. `suggestions` are changes that can be made as they \
    stand: the sentence to put in, or the figure, if the text gives it or it follows from the text; otherwise say which figure is missing and \
    who would know it. \"Consider\", \"ensure\" and \"improve\" are no changes.";

const RATING: &str = "## Rating\n\n\
    Write the points first, then one whole number for the artifact as it is, by what has to happen next:\n\n\
    - **5**: ready as it is. There is nothing that you would change.\n\
    - **4**: ready, with notes. Whoever goes on is glad of them and needs none of them.\n\
    - **3**: usable, with changes that can wait until after the next step.\n\
    - **2**: it must be changed before it goes on: whoever builds on it as it is builds the wrong thing.\n\
    - **1**: unusable: to be written anew, or not what it claims to be.\n\n\
    Between 3 and 2, ask what happens if somebody starts from it tomorrow. Length, tone and effort do not count. A 5 beside a weakness, or a 2 \
    with neither a weakness nor a risk, contradicts itself. Doubt is no reason for a 3: rate what you could judge, and name the rest as a \
    weakness.";

const RISK: &str = "## Risk level\n\n\
    The worst that remains after what the text does about it:\n\n\
    - `low`: nothing to speak of.\n\
    - `medium`: to be watched; it costs time or money, and there is a way out.\n\
    - `high`: likely or costly, and nothing in the text deals with it: somebody has to, and the work goes on with caution until then.\n\
    - `critical`: going on as written ends in harm that cannot be taken back (data, law, safety, trust, the whole undertaking).\n\n\
    The level says how dangerous it is, the rating whether the text can be used: `high` goes with a 3 where the work can go on while somebody \
    deals with the risk, and with a 2 where the text must be changed first.";

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
    let (context, data) = match &task.context {
        Some(_) => (
            ", and the context, which says in JSON what was wanted",
            "the artifact, and the context that it is checked against",
        ),
        None => ("", "the artifact"),
    };
    let mut text = format!(
        "{HEADING}\n\n\
         Several people read one artifact at the same time, each alone and from a perspective of their own. A program puts together what \
         they say and decides by rule; nobody sees what another says, so leave to the others what is theirs.\n\n\
         You have the artifact, whole{context}; no other file. Links and paths in it cannot be opened: do not guess what is behind them. An \
         artifact is judged by what it says and leaves out, never by its tone or its length. What you cannot know from it is a question to \
         be answered, not a proven fault.\n\n\
         Write in the language of the artifact; keys and fixed words stay as they are.\n\n\
         {NO_TOOLS}\n\n{ENTRIES}\n\n{RATING}\n\n{RISK}\n\n{}\n{}",
        how_to_read(boundary, data, ", and name it as a weakness"),
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
        notes.extend(forged_note(&format!("{what} holds"), forged));
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
        "\n\nSay what is good, what is wrong or missing, and what should be changed, and rate the artifact as it is.",
    );
    if perspective.rates_risk {
        varying.push_str(
            " Say what may go wrong and what causes it, each risk once, and give the risk level.",
        );
    }
    if perspective.needs_context {
        varying.push_str(
            " Go through the context, requirement by requirement, and say which of them the artifact meets and which it does not meet.",
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
