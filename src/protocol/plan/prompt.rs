//! The prompts: rules, task and change first, the turn's own material next, the contract last.
//!
//! The stable part is the same bytes in every turn of a planning, so that providers can cache it. The task and the
//! change have `| ` before every line; steps are JSON, which has no line breaks of its own: no line of either can be
//! the `turn:` line, a marker or a heading. All of it is fenced and defused.
//!
//! No seat learns who wrote or said what: steps carry neutral ids in an order specific to the seat, judgements of
//! others are sorted by content, and no agent, vendor or seat is named.

use serde_json::{Value, json};

use super::contract::{self, Ask};
use super::input::Input;
use super::merge::MergedPlan;
use super::model::{Group, PlanStep, SeatJudgement, Stance};
use crate::change::{NotReviewed, Omission, Reason};
use crate::kernel::fit::fit_value;
use crate::kernel::quote::quoted;
use crate::kernel::shuffle::shuffle;
use crate::kernel::{Draft, Prompt};
use crate::protocol::facts;
use crate::protocol::frame::{NO_TOOLS, how_lines_are_marked, how_to_read};
use crate::text::{Note, fence, sanitize};

/// Maximum number of characters of the steps in one prompt.
const DATA_CHARS: usize = 400_000;

/// Maximum number of files, and likewise of dependencies, shown of one step.
const SHOWN_LIST: usize = 20;

/// The part that all prompts share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StablePrefix {
    /// The text of the part.
    pub text: String,
    /// Notes on defused text.
    pub notes: Vec<Note>,
    /// Parts of the change that the text does not contain.
    pub not_shown: Vec<NotReviewed>,
}

/// Builds the part that all prompts share. If a change has several batches, the first is shown, and the files of the
/// rest are named.
pub(crate) fn stable(input: &Input) -> StablePrefix {
    let boundary = &*input.boundary;
    let (task, mut forged) = fence::fence("the task", &quoted(&input.task), boundary);
    let mut text = format!(
        "# The planning\n\n\
         Several planners plan one task, each alone. They then judge each other's steps without knowing whose they are, a program merges \
         what was confirmed into the best plan, and the others vote on it. The program counts; no planner decides alone.\n\n\
         A step is something that one person can do and somebody else can check. Judge a step by whether the task needs it, whether it can \
         be done as it is written, in that order, and whether one will see that it is done; never by its style or by its length.\n\n\
         {NO_TOOLS}\n\n{}\n{}\n# The task\n\n{task}",
        how_to_read(
            boundary,
            "a task to plan, the state of a repository, the words of other planners",
            ""
        ),
        how_lines_are_marked()
    );
    let (facts, found) = facts::sections(&input.facts, boundary);
    forged += found;
    text.push_str(&facts);
    let mut not_shown = Vec::new();
    if let Some(change) = &input.change {
        not_shown.clone_from(&change.not_reviewed);
        let shown = change.batches.first().map(|batch| change.render(batch));
        let later = change.batches.iter().skip(1).flat_map(|batch| &batch.parts);
        for file in later.filter_map(|part| change.files.get(part.file)) {
            if not_shown.iter().all(|known| known.path != file.path) {
                let detail = "planners are shown one prompt's worth of the change";
                let reason = Reason::missed(Omission::BeyondBatches, detail);
                not_shown.push(NotReviewed::new(file.path.clone(), reason));
            }
        }
        text.push_str("\n# The change that is there already\n\n");
        let scope = sanitize::line(&change.scope, 200);
        let shown = format!("{scope}\n{}", shown.unwrap_or_default());
        let (shown, found) = fence::fence("the change", &quoted(&shown), boundary);
        forged += found;
        text.push_str(&shown);
        let names: Vec<&str> = not_shown.iter().map(|each| &*each.path).take(200).collect();
        if !names.is_empty() {
            let label = "files of the change that are not shown";
            let (names, found) = fence::fence(label, &quoted(&names.join("\n")), boundary);
            forged += found;
            text.push('\n');
            text.push_str(&names);
        }
    }
    text.truncate(text.trim_end().len());
    StablePrefix {
        text,
        notes: forged_note("the task and the change hold", forged).into_iter().collect(),
        not_shown,
    }
}

fn forged_note(what: &str, places: usize) -> Option<Note> {
    let message =
        format!("{what} text that looks like our markers in {places} places; it was defused");
    (places > 0).then(|| Note::new("forged_marker", message))
}

/// The material of a turn's prompt apart from the steps.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Frame<'a> {
    /// The turn's id.
    pub turn: &'a str,
    /// The seat that is asked, from 0.
    pub seat: usize,
    /// The part that all prompts share.
    pub stable: &'a str,
    /// The input of the planning.
    pub input: &'a Input,
}

impl Frame<'_> {
    fn prompt(self, ask: Ask, task: &str, data: &str) -> Prompt {
        let data = if data.is_empty() { String::new() } else { format!("\n\n{}", data.trim_end()) };
        Prompt {
            stable: self.stable.to_owned(),
            varying: format!("turn: {}\n\n# This turn\n\n{task}{data}", self.turn),
            contract: contract::text(ask).trim_end().to_owned(),
        }
    }

    fn with_data(self, ask: Ask, task: &str, label: &str, shown: Value) -> Draft {
        let mut notes = Vec::new();
        let (text, cut) = fit_value(&shown, DATA_CHARS);
        if cut.texts > 0 {
            let (texts, line) = (cut.texts, cut.waterline);
            let message = format!("{texts} texts of steps were cut to {line} characters for it");
            notes.push(Note::new("shortened_for_prompt", message));
        }
        let (fenced, forged) = fence::fence(label, &text, &self.input.boundary);
        notes.extend(forged_note("the steps of others hold", forged));
        Draft { prompt: self.prompt(ask, task, &fenced), notes, shown }
    }
}

/// Builds the prompt of an independent plan.
pub(crate) fn plan(frame: Frame<'_>) -> Draft {
    let change = if frame.input.change.is_some() {
        " Begin from the change that is there already: what it does needs no step, what it lacks does."
    } else {
        ""
    };
    let task = format!(
        "You are one of the planners. Plan the task above. Nobody has planned it before you, and nobody sees your plan before all are in. \
         Write the steps in the order in which they should be done, grouped into phases; say of each what is done, which files it touches, \
         what it depends on and how one sees that it is done. Name no file that you do not know to exist unless the step creates it.{change}"
    );
    let prompt = frame.prompt(Ask::Plan, &task, "");
    Draft { prompt, notes: Vec::new(), shown: Value::Null }
}

/// Builds the prompt of a cross-examination, and notes any cut or defused text. `round` counts cross-examinations
/// from 1; `ids` are the groups that the seat judges.
pub(crate) fn cross(frame: Frame<'_>, round: u32, groups: &[Group], ids: &[String]) -> Draft {
    let (again, other) = if round > 1 {
        let again = " They are not settled yet, or new: `others` is what the others said of a step, in no order, and `yours` what you said. Answer \
         their reasons. Change your mind for a reason, never for company.";
        (again, "settled, or nothing new was said of them")
    } else {
        ("", "settled")
    };
    let task = format!(
        "You are one of the planners. Below stand steps of other planners for the same task, in an order drawn by lot. Judge each on what it \
         says and on the task, and on nothing else: agree with what the task needs and can be done so, disagree with what it does not need \
         or what would do harm, and modify what is needed otherwise, with a suggestion that could replace it.{again} `your_steps` are your \
         own, `other_steps` are {other}; neither is judged here, and missing steps may depend on them."
    );
    let mut shown: Vec<&Group> = groups.iter().filter(|group| ids.contains(&group.id)).collect();
    shuffle(&mut shown, frame.input.seed, frame.turn);
    let name = |group: &&Group| json!({ "id": group.id, "title": title(group) });
    let own = groups.iter().filter(|group| group.wrote(frame.seat));
    let others = groups.iter().filter(|group| !group.wrote(frame.seat) && !ids.contains(&group.id));
    let (own, others): (Vec<&Group>, Vec<&Group>) = (own.collect(), others.collect());
    let data = json!({
        "steps": shown.iter().map(|group| judged_view(group, groups, frame.seat)).collect::<Vec<_>>(),
        "your_steps": own.iter().map(name).collect::<Vec<_>>(),
        "other_steps": others.iter().map(name).collect::<Vec<_>>(),
    });
    frame.with_data(Ask::Cross, &task, "steps of other planners", data)
}

/// Builds a validator's prompt, and notes any cut or defused text. `ids` are the groups that the seat votes on.
pub(crate) fn validate(
    frame: Frame<'_>,
    merged: &MergedPlan,
    groups: &[Group],
    ids: &[String],
) -> Draft {
    let task = "You are one of the planners. Below stands the plan that the program merged from the best plan and from what was confirmed of \
         the others, in the order in which it would be done, with the votes so far. Vote on the steps under `vote_on`: approve a step that \
         belongs into this plan, reject one that the plan is better without. The votes are there to be weighed, not to be repeated.";
    let by_id = |id: &String| {
        let step = merged.steps.iter().find(|step| step.step.id == *id);
        step.map(|step| groups[step.group].id.clone())
    };
    let view = |step: &super::merge::MergedStep| {
        let group = &groups[step.group];
        let needs = step.step.depends_on.iter().filter_map(by_id).collect();
        let mut value = step_view(&group.id, &step.step, needs);
        value["votes"] = json!({
            "agree": group.authors().len() - 1 + group.count(Stance::Agree),
            "disagree": group.count(Stance::Disagree), "modify": group.count(Stance::Modify),
        });
        let objections = group.votes().map(|(_, judged)| judged);
        value["objections"] =
            judgements_json(objections.filter(|judged| judged.stance != Stance::Agree));
        value
    };
    let mut vote_on = ids.to_vec();
    shuffle(&mut vote_on, frame.input.seed, frame.turn);
    let data = json!({
        "plan": merged.steps.iter().map(view).collect::<Vec<_>>(),
        "vote_on": vote_on,
    });
    frame.with_data(Ask::Validation, task, "the merged plan", data)
}

fn title(group: &Group) -> &str {
    group.members.first().map_or("", |raised| &raised.step.title)
}

/// Returns a step as a judge sees it: the words of its first author, dependencies by neutral ids, judgements so far.
fn judged_view(group: &Group, groups: &[Group], seat: usize) -> Value {
    let Some(first) = group.members.first() else {
        return Value::Null;
    };
    let place = |need: &String| {
        let is = |group: &&Group| {
            group.id == *need || group.members.iter().any(|raised| raised.key == *need)
        };
        groups.iter().find(is).map(|group| group.id.clone())
    };
    let needs = first.needs.iter().filter_map(place).collect();
    let mut value = step_view(&group.id, &first.step, needs);
    let others = group.votes().filter(|(judge, _)| *judge != seat);
    let others: Vec<&SeatJudgement> = others.map(|(_, judged)| judged).collect();
    if !others.is_empty() {
        value["others"] = judgements_json(others.into_iter());
    }
    if let Some(judged) = group.judged.get(&seat) {
        value["yours"] = spoken(judged);
    }
    value
}

fn step_view(id: &str, step: &PlanStep, mut needs: Vec<String>) -> Value {
    needs.sort_unstable();
    needs.dedup();
    json!({
        "id": id, "phase": step.phase, "title": step.title, "description": step.description,
        "files": step.files.iter().take(SHOWN_LIST).collect::<Vec<_>>(),
        "depends_on": needs.iter().take(SHOWN_LIST).collect::<Vec<_>>(), "acceptance": step.acceptance,
    })
}

/// Returns judgements on a step, without names and sorted by content.
fn judgements_json<'a>(all: impl Iterator<Item = &'a SeatJudgement>) -> Value {
    let mut all: Vec<&SeatJudgement> = all.collect();
    all.sort_by_key(|judged| (judged.stance, &judged.reason, &judged.suggestion));
    all.into_iter().map(spoken).collect()
}

fn spoken(judged: &SeatJudgement) -> Value {
    let mut value = json!({ "stance": judged.stance.name(), "reason": judged.reason });
    if let Some(suggestion) = &judged.suggestion {
        value["suggestion"] = json!(suggestion);
    }
    value
}

#[cfg(test)]
mod tests;
