//! The prompts: rules and change first, the turn's own material next, the contract last.
//!
//! The stable part is the same text in a seat's review of a batch and in all its judgements on it, so that providers
//! can cache it; it is also the same for all seats. Composer and validators get the same rules without the diff, and
//! an excerpt of the code around each finding instead.
//!
//! Everything that came from the repository or from an agent is fenced and defused. Findings are JSON, which has no
//! line breaks of its own; the lines of a diff begin with their mark; any other text of several lines has `| ` before
//! each. So no line of it can be the `turn:` line, a marker or a heading.
//!
//! No seat learns who wrote or said what: findings carry neutral ids in an order specific to the seat, reasons are
//! sorted by content, and no agent, vendor or seat is named in the material to be judged.

use serde_json::{Value, json};

use super::compose::Decision;
use super::model::{DecisionKind, Group};
use super::{Role, contract};
use crate::change::Change;
use crate::kernel::{Draft, Prompt};
use crate::text::{Note, fence};

mod excerpt;
mod stable;
mod view;

pub use stable::{StablePrefix, frame, stable};
use view::FindingDetail;

/// Maximum number of characters of findings in one prompt, unless there are so many that even short texts need more.
const DATA_CHARS: usize = 200_000;

/// Levels of detail of the findings: full, then less and less until they fit.
const ROOMS: [FindingDetail; 5] = [
    FindingDetail { text: 4_000, context: 12 },
    FindingDetail { text: 1_500, context: 8 },
    FindingDetail { text: 600, context: 4 },
    FindingDetail { text: 250, context: 2 },
    FindingDetail { text: 100, context: 0 },
];

/// The surroundings of a turn's prompt: its id, its beginning, and the boundary.
#[derive(Debug, Clone, Copy)]
pub struct Frame<'a> {
    /// The turn's id.
    pub turn: &'a str,
    /// The stable part, with which the prompt begins.
    pub stable: &'a str,
    /// The session's boundary around untrusted text.
    pub boundary: &'a str,
}

/// Builds the prompt of an independent review. `part` is the batch's number, from 1, and the number of batches.
pub fn review(frame: Frame<'_>, part: (usize, usize)) -> Draft {
    let which = match part {
        (_, 1) => "the change above".to_owned(),
        (number, all) => format!("part {number} of {all} of the change, which stands above"),
    };
    let task = format!(
        "You are one of the reviewers. Review {which}. Nobody has seen it before you, and nobody sees your review before all are in. \
         Report what is really wrong, each thing once, at the place where it is wrong, with the severity that it has; a finding that \
         turns out false counts against you, and so does one whose place does not exist."
    );
    let prompt = prompt(frame, Role::Reviewer, &task, None, &[]);
    Draft { prompt, notes: Vec::new(), shown: Value::Null }
}

/// Builds the prompt of a cross-examination, and notes any cut or defused text.
///
/// `seat` is the judge, `round` counts cross-examinations from 1, and `groups` are in the order in which they are
/// shown.
pub fn cross(frame: Frame<'_>, seat: usize, round: u32, groups: &[&Group]) -> Draft {
    let count = findings(groups.len());
    let again = if round > 1 {
        " They are not settled yet, or new: `others` is what the others said of a finding, in no order, and `yours` what you said. Answer \
         their reasons. Change your mind for a reason, never for company; a disagreement whose evidence was not found counted as unsure."
    } else {
        ""
    };
    let task = format!(
        "You are one of the reviewers. Below stand {count} of other reviewers on the change above, in an order drawn by lot. Judge each on \
         what it says and on the code, and on nothing else. Try to refute it first: is the place right, can the code get there, is it \
         handled elsewhere? Agree with what stands up, disagree with what the code itself contradicts, and say unsure where what you can \
         see does not tell.{again}"
    );
    let ids = ids(groups);
    let build = |room: FindingDetail| {
        Value::Array(groups.iter().map(|group| view::for_judge(group, seat, room)).collect())
    };
    with_data(frame, Role::CrossReviewer, &task, "findings of other reviewers", &build, &ids)
}

/// Builds the composer's prompt, and notes any cut or defused text. `groups` are those that can be decided on.
pub fn compose(frame: Frame<'_>, change: &Change, groups: &[&Group]) -> Draft {
    let count = findings(groups.len());
    let task = format!(
        "You compose the result. Below stand {count} that the reviewers made and judged, in an order drawn by lot, each with how it stands \
         after the votes, with the reasons that were given, and with the code around it. Keep what a developer should act on, and word it \
         better where it needs that; merge what is one and the same defect; eliminate what is not a defect of this change, with the reason \
         that its author would accept. The votes are there to be weighed, not to be repeated. What you eliminate is voted on by others."
    );
    let ids = ids(groups);
    let build = |room: FindingDetail| {
        Value::Array(groups.iter().map(|group| view::for_composer(group, change, room)).collect())
    };
    with_data(frame, Role::Composer, &task, "findings of the reviewers", &build, &ids)
}

/// Builds a validator's prompt, and notes any cut or defused text. `decisions` are those it may vote on, in the order
/// in which they are shown.
pub fn validate(
    frame: Frame<'_>,
    change: &Change,
    decisions: &[&Decision],
    groups: &[Group],
) -> Draft {
    let count = decisions.len();
    let noun = if count == 1 { "decision" } else { "decisions" };
    let task = format!(
        "You validate the result. Below stand {count} {noun} of the reviewer that composed it, in an order drawn by lot, each with the \
         finding, how it stands after the votes, the reasons that were given, and the code around it. Approve a decision that is right, \
         reject one that is wrong: an elimination of a real defect, a merge of two different ones, a finding kept that the code \
         contradicts. Judge each by itself."
    );
    let ids: Vec<String> = decisions.iter().map(|each| each.id.clone()).collect();
    let build = |room: FindingDetail| {
        let views = decisions.iter().map(|decision| decided(decision, change, groups, room));
        Value::Array(views.collect())
    };
    with_data(frame, Role::Validator, &task, "decisions on findings", &build, &ids)
}

/// Returns one decision as a validator sees it.
fn decided(decision: &Decision, change: &Change, groups: &[Group], room: FindingDetail) -> Value {
    let find = |id: &str| groups.iter().find(|group| group.id == id);
    let mut value = json!({ "id": decision.id, "decision": word(decision.kind) });
    let Some(map) = value.as_object_mut() else {
        return value;
    };
    if let Some(reason) = &decision.reason {
        map.insert("because".into(), json!(view::cut(reason, room.text)));
    }
    for (key, text) in [
        ("new_title", &decision.title),
        ("new_detail", &decision.detail),
        ("new_fix", &decision.fix),
    ] {
        if let Some(text) = text {
            map.insert(key.into(), json!(view::cut(text, room.text)));
        }
    }
    if let Some(group) = find(&decision.id) {
        map.insert("finding".into(), view::for_composer(group, change, room));
    }
    if let Some(into) = decision.into.as_deref().and_then(find) {
        map.insert("into".into(), view::for_composer(into, change, room));
    }
    value
}

const fn word(kind: DecisionKind) -> &'static str {
    match kind {
        DecisionKind::Keep => "keep",
        DecisionKind::Merge => "merge",
        DecisionKind::Eliminate => "eliminate",
    }
}

fn ids(groups: &[&Group]) -> Vec<String> {
    groups.iter().map(|group| group.id.clone()).collect()
}

fn findings(count: usize) -> String {
    match count {
        1 => "one finding".to_owned(),
        count => format!("{count} findings"),
    }
}

/// Builds a prompt with data in the most detailed form that fits.
fn with_data(
    frame: Frame<'_>,
    role: Role,
    task: &str,
    label: &str,
    build: &dyn Fn(FindingDetail) -> Value,
    ids: &[String],
) -> Draft {
    let mut notes = Vec::new();
    let (mut shown, mut text) = (Value::Null, String::new());
    for (index, room) in ROOMS.into_iter().enumerate() {
        // `Value`'s alternate form is pretty JSON and, unlike the serialiser's, has no error to handle.
        shown = build(room);
        text = format!("{shown:#}");
        let last = index + 1 == ROOMS.len();
        if last || text.chars().count() <= DATA_CHARS {
            if index > 0 {
                let message = format!(
                    "{label} are shown with at most {} characters a text, so that they fit into the prompt",
                    room.text
                );
                notes.push(Note::new("shortened_for_prompt", message));
            }
            break;
        }
    }
    let (fenced, forged) = fence::fence(label, &text, frame.boundary);
    if forged > 0 {
        let message = format!(
            "{label} hold text that looks like our markers in {forged} places; it was defused"
        );
        notes.push(Note::new("forged_marker", message));
    }
    Draft { prompt: prompt(frame, role, task, Some(&fenced), ids), notes, shown }
}

fn prompt(frame: Frame<'_>, role: Role, task: &str, data: Option<&str>, ids: &[String]) -> Prompt {
    let mut varying = format!("turn: {}\n\n# This turn\n\n{task}", frame.turn);
    if let Some(data) = data {
        varying.push_str("\n\n");
        varying.push_str(data.trim_end());
    }
    Prompt { stable: frame.stable.to_owned(), varying, contract: contract::text(role, ids) }
}

#[cfg(test)]
mod tests;
