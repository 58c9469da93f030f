//! The prompts: rules, task and change first, the turn's own material next, the contract last.
//!
//! The stable part is the same bytes in every turn of a planning, so that providers can cache it. The task and the
//! change have `| ` before every line; steps are JSON, which has no line breaks of its own: no line of either can be
//! the `turn:` line, a marker or a heading. All of it is fenced and defused.
//!
//! No seat learns who wrote or said what: steps carry neutral ids; plans stand in an
//! order drawn by lot for the seat, each in the order of its dependencies; judgements of others are sorted by content,
//! and no agent, vendor or seat is named.

use serde_json::{Value, json};

use super::contract::{Ask, MAX_MISSING, MAX_STEPS};
use super::group::normal;
use super::input::Input;
use super::merge::{MergedPlan, MergedStep};
use super::model::{AuthoredStep, Group, PlanStep, SeatJudgement, Stance};
use super::order::{self, Predecessors};
use crate::change::{NotReviewed, Omission, Reason};
use crate::kernel::Draft;
use crate::kernel::shuffle::shuffle;
use crate::ordered::{BTreeSet, Gather};
use crate::protocol::prompt::{Asked, Filled, shown_files};
use crate::text::sanitize;

/// Maximum number of files, and likewise of dependencies, shown of one step.
const SHOWN_LIST: usize = 20;

/// Builds the part that all prompts share, with the parts of the change that it does not contain. If a change has
/// several batches, the first is shown, and the files of the rest are named.
pub(crate) fn stable(input: &Input) -> (Filled, Vec<NotReviewed>) {
    let (files, mut notes) = shown_files(&input.context);
    let repository = input.repository.as_ref().map(|known| {
        let (shown, cut) = shown_files(&known.shown);
        notes.extend(cut);
        let listing = known.listing();
        json!({ "complete": known.complete, "listing": listing.trim_end(), "shown": shown })
    });
    let mut not_shown = Vec::new();
    let change = input.change.as_ref().map(|change| {
        not_shown.clone_from(&change.not_reviewed);
        let later = change.batches.iter().skip(1).flat_map(|batch| &batch.parts);
        for file in later.filter_map(|part| change.files.get(part.file)) {
            if not_shown.iter().all(|known| known.path != file.path) {
                let detail = "planners are shown one prompt's worth of the change";
                let reason = Reason::missed(Omission::BeyondBatches, detail);
                not_shown.push(NotReviewed::new(file.path.clone(), reason));
            }
        }
        let shown = change.batches.first().map(|batch| change.render(batch));
        let scope = sanitize::line(&change.scope, 200);
        let names: Vec<&str> = not_shown.iter().map(|each| &*each.path).take(200).collect();
        json!({
            "shown": format!("{scope}\n{}", shown.unwrap_or_default()), "not_shown": names.join("\n"),
        })
    });
    let mut filled = input.prompts.fill(
        "session/plan",
        json!({
            "read_repo": input.settings.read_repo, "today": input.settings.today, "task": input.task,
            "facts": input.facts.shown(), "files": files, "repository": repository, "change": change,
        }),
    );
    filled.notes.splice(..0, notes);
    (filled, not_shown)
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
    pub input: &'a Input,
}

impl Frame<'_> {
    fn draft(self, ask: Ask, data: Value, shown: Option<(&str, Value)>) -> Draft {
        let (turn, stable, role) = (self.turn, self.stable, ask.plays());
        let asked = Asked { turn, role, stable, blocks: &[ask.outline()], data, shown };
        self.input.prompts.draft(asked)
    }
}

/// Builds the prompt of an independent plan.
pub(crate) fn plan(frame: Frame<'_>) -> Draft {
    let Input { repository, change, .. } = frame.input;
    let data = json!({
        "repository": repository.is_some(), "change": change.is_some(), "most_steps": MAX_STEPS,
    });
    frame.draft(Ask::Plan, data, None)
}

/// Builds the prompt of a cross-examination, and notes any cut or defused text. `round` counts cross-examinations
/// from 1; `ids` are the groups that the seat judges.
pub(crate) fn cross(frame: Frame<'_>, round: u32, groups: &[Group], ids: &[String]) -> Draft {
    let view = Views::new(frame, groups);
    let mut shown: Vec<usize> =
        (0..groups.len()).filter(|at| ids.contains(&groups[*at].id)).collect();
    view.in_order(&mut shown);
    let (own, others): (Vec<usize>, Vec<usize>) = (0..groups.len())
        .filter(|at| !ids.contains(&groups[*at].id))
        .partition(|at| groups[*at].wrote(frame.seat));
    let own = view.own_in_order(own);
    let name = |at: &usize| json!({ "id": groups[*at].id, "title": title(&groups[*at]) });
    let data = json!({
        "steps": shown.iter().map(|at| view.judged(&groups[*at])).collect::<Vec<_>>(),
        "your_steps": own.iter().filter_map(|at| view.own(&groups[*at])).collect::<Vec<_>>(),
        "other_steps": others.iter().map(name).collect::<Vec<_>>(),
    });
    let words = json!({ "again": round > 1, "most_missing": MAX_MISSING });
    frame.draft(Ask::Cross, words, Some(("steps of other planners", data)))
}

/// Builds a validator's prompt, and notes any cut or defused text. `ids` are the groups that the seat votes on.
pub(crate) fn validate(
    frame: Frame<'_>,
    merged: &MergedPlan,
    groups: &[Group],
    ids: &[String],
) -> Draft {
    let view = Views::new(frame, groups);
    let step_of = |step: &MergedStep| {
        let group = &groups[step.group];
        let mut value = view.step(&step.step, &step.creates);
        value["votes"] = json!({
            "agree": group.authors().len() - 1 + group.count(Stance::Agree),
            "disagree": group.count(Stance::Disagree), "modify": group.count(Stance::Modify),
        });
        let objections = (group.votes())
            .filter(|(seat, judged)| {
                judged.stance != Stance::Agree && Some(*seat) != step.changed_by
            })
            .map(|(_, judged)| judged);
        value["objections"] = judgements_json(objections);
        add_wordings(&mut value, group, &step.key);
        value
    };
    let touches = |one: &MergedStep, other: &MergedStep| {
        let (one, other) = (&one.step, &other.step);
        let shares = || one.files.iter().any(|file| other.files.contains(file));
        let waits = one.depends_on.contains(&other.id) || other.depends_on.contains(&one.id);
        one.id != other.id && (waits || shares())
    };
    let amended = || merged.steps.iter().filter(|step| step.changed_by.is_some());
    let amendment = |step: &MergedStep| {
        let near = amended().filter(|other| touches(step, other)).map(|other| &other.step.id);
        json!({
            "id": step.step.id,
            "instead_of": step.raised(groups).map(|raised| &raised.step.description),
            "because": groups[step.group].change().map(|change| &change.judged.reason),
            "touches": near.collect::<Vec<_>>(),
        })
    };
    let mut vote_on = ids.to_vec();
    shuffle(&mut vote_on, frame.input.seed, frame.turn);
    let words = json!({ "amended": amended().next().is_some() });
    let data = json!({
        "plan": merged.steps.iter().map(step_of).collect::<Vec<_>>(),
        "amendments": amended().map(amendment).collect::<Vec<_>>(),
        "vote_on": vote_on,
    });
    frame.draft(Ask::Validation, words, Some(("the merged plan", data)))
}

fn title(group: &Group) -> &str {
    group.members.first().map_or("", |raised| &raised.step.title)
}

/// Steps as one seat sees them.
struct Views<'a> {
    frame: Frame<'a>,
    groups: &'a [Group],
    /// The files that some step creates.
    created: BTreeSet<String>,
}

impl<'a> Views<'a> {
    fn new(frame: Frame<'a>, groups: &'a [Group]) -> Self {
        let members = groups.iter().flat_map(|group| &group.members);
        let created = members.flat_map(|raised| raised.creates.iter().cloned()).gather();
        Self { frame, groups, created }
    }

    /// Puts groups in the order of their dependencies, those of one plan together: plans in an order drawn by lot, each
    /// in its author's order, and last what was reported as missing.
    fn in_order(&self, shown: &mut Vec<usize>) {
        let Frame { input, turn, seat, .. } = self.frame;
        let mut seats: Vec<usize> = (0..input.seats.len()).filter(|other| *other != seat).collect();
        shuffle(&mut seats, input.seed, turn);
        let place = |raised: &AuthoredStep| {
            let plan = seats.iter().position(|other| *other == raised.seat);
            (raised.round, plan.unwrap_or(seats.len()), raised.place)
        };
        let groups: Vec<&Group> = shown.iter().map(|at| &self.groups[*at]).collect();
        let on = |need: &String| groups.iter().position(|group| group.contains(need));
        let before: Predecessors = (groups.iter().enumerate())
            .map(|(at, group)| {
                let needs = group.members.iter().flat_map(|raised| &raised.needs);
                needs.filter_map(on).filter(|other| *other != at).gather()
            })
            .collect();
        let order = order::sorted(&before, |at| groups[at].members.iter().map(place).min());
        *shown = order.into_iter().map(|at| shown[at]).collect();
    }

    /// Puts groups that the seat wrote in the order in which it wrote them.
    fn own_in_order(&self, mut own: Vec<usize>) -> Vec<usize> {
        own.sort_by_key(|at| {
            self.words(&self.groups[*at]).map(|raised| (raised.round, raised.place))
        });
        own
    }

    /// Returns the step of a group that the seat sees: its own, else the first.
    fn words<'g>(&self, group: &'g Group) -> Option<&'g AuthoredStep> {
        let own = group.members.iter().find(|raised| raised.seat == self.frame.seat);
        own.or_else(|| group.members.first())
    }

    /// Returns a step as its author sees it.
    fn own(&self, group: &Group) -> Option<Value> {
        self.words(group).map(|own| self.authored(group, own))
    }

    /// Returns a step as a judge sees it: the words of its authors, and the judgements so far.
    fn judged(&self, group: &Group) -> Value {
        let Some(first) = group.members.first() else {
            return Value::Null;
        };
        let mut value = self.authored(group, first);
        let planners = group.authors().len();
        if planners > 1 {
            value["planners"] = json!(planners);
        }
        add_wordings(&mut value, group, &first.key);
        let others = group.votes().filter(|(judge, _)| *judge != self.frame.seat);
        let others: Vec<&SeatJudgement> = others.map(|(_, judged)| judged).collect();
        if !others.is_empty() {
            value["others"] = judgements_json(others.into_iter());
        }
        if let Some(judged) = group.judged.get(&self.frame.seat) {
            value["yours"] = spoken(judged);
        }
        value
    }

    /// Returns one author's words for a step, with neutral ids.
    fn authored(&self, group: &Group, raised: &AuthoredStep) -> Value {
        self.step(&raised.judged_as(group, self.groups), &raised.creates)
    }

    fn step(&self, step: &PlanStep, creates: &BTreeSet<String>) -> Value {
        let files = step.files.iter().take(SHOWN_LIST).map(|file| {
            let mark = if creates.contains(&normal(file)) { " (new)" } else { "" };
            format!("{file}{mark}")
        });
        let mut value = json!({
            "id": step.id, "phase": step.phase, "title": step.title, "description": step.description,
            "files": files.collect::<Vec<_>>(),
            "depends_on": step.depends_on.iter().take(SHOWN_LIST).collect::<Vec<_>>(), "acceptance": step.acceptance,
        });
        let known = self.frame.input.repository.as_ref();
        let missing = known.map(|known| known.missing(&step.files, &self.created));
        if let Some(missing) = missing.filter(|missing| !missing.is_empty()) {
            value["missing_files"] = json!(missing.iter().take(SHOWN_LIST).collect::<Vec<_>>());
        }
        value
    }
}

/// Adds the words of other authors of the same step, where they differ; `key`: the step that is shown already.
fn add_wordings(value: &mut Value, group: &Group, key: &str) {
    let others = group.other_wordings(key).map(
        |raised| json!({ "title": raised.step.title, "description": raised.step.description }),
    );
    let others: Vec<Value> = others.collect();
    if !others.is_empty() {
        value["also_written"] = json!(others);
    }
}

/// Returns judgements on a step, without names and sorted by content.
fn judgements_json<'a>(all: impl Iterator<Item = &'a SeatJudgement>) -> Value {
    let mut all: Vec<&SeatJudgement> = all.collect();
    all.sort_by_key(|judged| (judged.stance, &judged.reason, &judged.description));
    all.into_iter().map(spoken).collect()
}

fn spoken(judged: &SeatJudgement) -> Value {
    let mut value = json!({ "stance": judged.stance.name(), "reason": judged.reason });
    if let Some(description) = &judged.description {
        value["description"] = json!(description);
    }
    value
}
