//! The prompts: rules and change first, the turn's own material next, the contract last.
//!
//! The stable part is the same text in a seat's review of a batch and in all its judgements on it, so that providers
//! can cache it; it is also the same for all seats. A reviewer gets the platform's rules with its task: to judge a
//! finding takes none of them. Composer and validators get the frame without the diff, and instead the code around the
//! findings, each line once, with the risks and questions that the reviewers named.
//!
//! Everything that came from the repository or from an agent is fenced and defused. Findings are JSON, which has no
//! line breaks of its own; the lines of a diff begin with their mark; any other text of several lines has `| ` before
//! each. So no line of it can be the `turn:` line, a marker or a heading.
//!
//! No seat learns who wrote or said what: findings carry neutral ids in an order specific to the seat, reasons are
//! sorted by content, and no agent, vendor or seat is named in the material to be judged.

use std::collections::BTreeSet;

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

/// The material that composer and validators are shown beside the findings.
#[derive(Debug, Clone)]
pub struct Material<'a> {
    pub change: &'a Change,
    /// What the reviewers named as risks, in an order that tells nothing of the seats.
    pub risks: BTreeSet<&'a String>,
    /// What they could not find out, likewise.
    pub questions: BTreeSet<&'a String>,
}

/// What a turn shows: the part about which it answers, and what stands beside it.
struct Data {
    shown: Value,
    beside: Vec<(&'static str, Value)>,
}

/// Builds the prompt of an independent review. `part` is the batch's number, from 1, and the number of batches.
pub fn review(frame: Frame<'_>, platform: &str, part: (usize, usize)) -> Draft {
    let which = match part {
        (_, 1) => "the change above".to_owned(),
        (number, all) => format!("part {number} of {all} of the change, which stands above"),
    };
    let mut task = format!(
        "You are one of the reviewers. Review {which}. Nobody has seen it before you, and nobody sees your review before all are in. \
         Report what is really wrong, each thing once, at the place where it is wrong, with its real severity. Each finding is handed to \
         somebody who tries to refute it, and one whose place does not exist counts against you."
    );
    if !platform.trim().is_empty() {
        task.push_str("\n\n# What to look for on this platform\n\n");
        task.push_str(platform.trim());
    }
    let prompt = prompt(frame, Role::Reviewer, &task, "", &[]);
    Draft { prompt, notes: Vec::new(), shown: Value::Null }
}

/// Builds the prompt of a cross-examination, and notes any cut or defused text.
///
/// The judge is a seat in a round, counted in cross-examinations from 1; `groups` are in the order in which they are
/// shown, `others` the findings of which it sees the titles.
pub fn cross(
    frame: Frame<'_>,
    (seat, round): (usize, u32),
    groups: &[&Group],
    others: &[&Group],
) -> Draft {
    let count = findings(groups.len());
    let again = if round > 1 {
        " They are not settled yet, or new: `others` is what the others said of a finding, in no order, and `yours` what you said. Answer \
         their reasons. Change your mind for a reason, never for company; a judgement whose evidence was not found counted as unsure."
    } else {
        ""
    };
    let beside = if others.is_empty() {
        ""
    } else {
        " Below them stand the titles of all other findings, your own among them: they are not to be judged now, and what they name is not \
         missed."
    };
    let task = format!(
        "You are one of the reviewers. Below stand {count} of other reviewers on the change above, in an order drawn by lot. Judge each on \
         what it says and on the code, and on nothing else. Try to refute it first: is the place right, can the code get there, is it \
         handled elsewhere? Agree with what you can derive yourself, disagree with what the code itself contradicts, and say unsure where \
         what you can see does not tell.{again}{beside}"
    );
    let ids = ids(groups);
    let build = |room: FindingDetail| {
        let shown = groups.iter().map(|group| view::for_judge(group, seat, room)).collect();
        let titles: Vec<Value> = others.iter().map(|group| view::title(group)).collect();
        let mut beside = Vec::new();
        if !titles.is_empty() {
            beside.push(("titles of the other findings", Value::Array(titles)));
        }
        Data { shown: Value::Array(shown), beside }
    };
    with_data(frame, Role::CrossReviewer, &task, "findings of other reviewers", &build, &ids)
}

/// Builds the composer's prompt, and notes any cut or defused text. `groups` are those that can be decided on.
pub fn compose(frame: Frame<'_>, material: &Material<'_>, groups: &[&Group]) -> Draft {
    let count = findings(groups.len());
    let task = format!(
        "You compose the result. Below stand {count} that the reviewers made and judged, in an order drawn by lot, each with its status \
         after the votes and with the reasons that were given; then the code around them, and the risks and questions that the reviewers \
         named. Keep what a developer should act on, and word it better where it needs that; merge what is one and the same defect; \
         eliminate what is not a defect of this change. The severity is not yours to change: it follows from what the reviewers gave. What \
         two vendors confirmed stays, whatever you say of it. Those who did not write a finding vote on what you change of it; its authors \
         have no vote."
    );
    let ids = ids(groups);
    let build = |room: FindingDetail| {
        let shown = groups.iter().map(|group| view::for_composer(group, room)).collect();
        Data { shown: Value::Array(shown), beside: beside(material, groups, room) }
    };
    with_data(frame, Role::Composer, &task, "findings of the reviewers", &build, &ids)
}

/// Builds a validator's prompt, and notes any cut or defused text. `decisions` are those it may vote on, in the order
/// in which they are shown.
pub fn validate(
    frame: Frame<'_>,
    material: &Material<'_>,
    decisions: &[&Decision],
    groups: &[Group],
) -> Draft {
    let count = decisions.len();
    let noun = if count == 1 { "decision" } else { "decisions" };
    let task = format!(
        "You validate the result. Below stand {count} {noun} of the reviewer that composed it, in an order drawn by lot, each with the \
         finding as its reviewer wrote it, the composer's reason (`because`) or new words (`new_title`, `new_detail`, `new_fix`), and the \
         reasons that reviewers gave for and against it; then the code around them, and the risks and questions that the reviewers named. \
         How the votes stood is left out on purpose. Approve a decision that is right, reject one that is wrong: an elimination of a real \
         defect, a merge of two different ones, new words that say something else. Judge each by itself."
    );
    let ids: Vec<String> = decisions.iter().map(|each| each.id.clone()).collect();
    let about = |decision: &&Decision| [Some(decision.id.clone()), decision.into.clone()];
    let about: Vec<&Group> = (decisions.iter().flat_map(about).flatten())
        .filter_map(|id| groups.iter().find(|group| group.id == id))
        .collect();
    let build = |room: FindingDetail| {
        let views = decisions.iter().map(|decision| decided(decision, groups, room));
        Data { shown: Value::Array(views.collect()), beside: beside(material, &about, room) }
    };
    with_data(frame, Role::Validator, &task, "decisions on findings", &build, &ids)
}

/// Returns the code around some findings, and the reviewers' risks and questions.
fn beside(
    material: &Material<'_>,
    groups: &[&Group],
    room: FindingDetail,
) -> Vec<(&'static str, Value)> {
    let placed: Vec<_> =
        groups.iter().filter_map(|group| Some(&group.members.first()?.placed)).collect();
    let mut all = Vec::new();
    let code = excerpt::excerpts(material.change, &placed, room.context);
    if !code.is_empty() {
        let code = code.into_iter().map(|(path, lines)| json!({ "file": path, "code": lines }));
        all.push(("the code around them", Value::Array(code.collect())));
    }
    let lines = |lines: &BTreeSet<&String>| -> Vec<String> {
        lines.iter().map(|line| view::cut(line, room.text)).collect()
    };
    let (risks, questions) = (lines(&material.risks), lines(&material.questions));
    if !risks.is_empty() || !questions.is_empty() {
        let told = json!({ "residual_risks": risks, "open_questions": questions });
        all.push(("risks and questions that the reviewers named", told));
    }
    all
}

/// Returns one decision as a validator sees it.
fn decided(decision: &Decision, groups: &[Group], room: FindingDetail) -> Value {
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
        map.insert("finding".into(), view::for_validator(group, room));
    }
    if let Some(into) = decision.into.as_deref().and_then(find) {
        map.insert("into".into(), view::for_validator(into, room));
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
    label: &'static str,
    build: &dyn Fn(FindingDetail) -> Data,
    ids: &[String],
) -> Draft {
    let mut notes = Vec::new();
    let (mut shown, mut texts) = (Value::Null, Vec::new());
    for (index, room) in ROOMS.into_iter().enumerate() {
        let data = build(room);
        let beside = data.beside.iter().map(|(label, value)| (*label, value));
        // `Value`'s alternate form is pretty JSON and, unlike the serialiser's, has no error to handle.
        texts = std::iter::once((label, &data.shown))
            .chain(beside)
            .map(|(label, value)| (label, format!("{value:#}")))
            .collect::<Vec<_>>();
        shown = data.shown;
        let last = index + 1 == ROOMS.len();
        let size: usize = texts.iter().map(|(_, text)| text.chars().count()).sum();
        if last || size <= DATA_CHARS {
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
    let mut fenced = String::new();
    for (label, text) in texts {
        let (text, forged) = fence::fence(label, &text, frame.boundary);
        fenced.push_str("\n\n");
        fenced.push_str(text.trim_end());
        if forged > 0 {
            let message = format!(
                "{label} hold text that looks like our markers in {forged} places; it was defused"
            );
            notes.push(Note::new("forged_marker", message));
        }
    }
    Draft { prompt: prompt(frame, role, task, &fenced, ids), notes, shown }
}

fn prompt(frame: Frame<'_>, role: Role, task: &str, data: &str, ids: &[String]) -> Prompt {
    let varying = format!("turn: {}\n\n# This turn\n\n{task}{data}", frame.turn);
    Prompt { stable: frame.stable.to_owned(), varying, contract: contract::text(role, ids) }
}

#[cfg(test)]
mod tests;
