//! The final plan, by rule: the winner's plan is the base, what was confirmed of the others is added.
//!
//! * A group is the winner's if a step of its own plan is in it; the winner's words stand. Every step of the
//!   winner's plan stays, whatever the votes say: they are shown with it, and validation can reject it.
//! * A group that is not, but is confirmed, is added with the words of its first member.
//! * Dependencies are rewritten to the final steps. One on a step that is not in the plan is removed, with a note.
//!   Where added steps depend on each other in a circle, the last of them is left out, with a note.
//! * A step also takes over what the other authors of the same step let it depend on, where that is an added
//!   step (the base must be able to wait for it), unless a circle would come of it.
//! * The order is that of the phases (the winner's, then new ones as they come), within what the dependencies demand.

use std::collections::{BTreeMap, BTreeSet};

use super::model::{Group, PlanStep, Raised, Status};
use super::order::{self, Before};
use crate::text::Note;

/// A step of the merged plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergedStep {
    /// Its group, by index.
    pub group: usize,
    /// The words that stand, with `id` and `depends_on` of the merged plan.
    pub step: PlanStep,
    /// It is not of the winner's plan.
    pub added: bool,
}

/// The merged plan, and what is not in it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Merged {
    /// In order.
    pub steps: Vec<MergedStep>,
    /// Groups that are not in the plan, by index, with the reason.
    pub left_out: Vec<(usize, String)>,
    /// What was removed.
    pub notes: Vec<Note>,
}

/// Merges the groups around the winner's plan.
pub fn merge(groups: &[Group], winner: usize) -> Merged {
    let base_of = |group: &Group| {
        let own = |raised: &&Raised| raised.seat == winner && raised.round == 0;
        group.members.iter().find(own).cloned()
    };
    let mut base: Vec<(usize, Raised)> =
        (groups.iter().enumerate()).filter_map(|(at, group)| Some((at, base_of(group)?))).collect();
    base.sort_by_key(|(_, raised)| raised.place);
    let count = base.len();
    let mut parts = base;
    let in_base: BTreeSet<usize> = parts.iter().map(|(group, _)| *group).collect();
    let mut merged = Merged::default();
    for (at, group) in groups.iter().enumerate() {
        match (group.status(), group.members.first()) {
            _ if in_base.contains(&at) => {}
            (Status::Confirmed, Some(first)) => parts.push((at, first.clone())),
            (status, _) => merged.left_out.push((at, why(group, status).to_owned())),
        }
    }
    let places = Places::new(groups);
    let mut firm;
    loop {
        firm = places.firm(&parts);
        let Some(cycle) = order::cycle(&firm) else {
            break;
        };
        // The winner's plan has no cycle of its own and depends on nothing else, so one of these was added.
        let Some(last) = cycle.iter().copied().filter(|at| *at >= count).max() else {
            break;
        };
        let titles: Vec<String> = cycle.iter().map(|at| quoted(&parts[*at].1)).collect();
        let named = order::named(titles.iter().map(String::as_str));
        let (group, raised) = parts.remove(last);
        let title = quoted(&raised);
        let message = format!("{title} is not added: with it, steps depend on each other: {named}");
        merged.notes.push(Note::new("step_dropped", message));
        let reason = format!("added steps would depend on each other: {named}");
        merged.left_out.push((group, reason));
    }
    merged.left_out.sort_unstable();
    places.notes(&parts, &mut merged.notes);
    let before = places.borrow(groups, &parts, count, firm);
    let ids = ids(&parts);
    let mut phases: Vec<String> = Vec::new();
    let ranks: Vec<usize> = (parts.iter())
        .map(|(_, raised)| {
            let phase = raised.step.phase.trim().to_lowercase();
            phases.iter().position(|known| *known == phase).unwrap_or_else(|| {
                phases.push(phase);
                phases.len() - 1
            })
        })
        .collect();
    for at in order::sorted(&before, |at| (ranks[at], at)) {
        let (group, raised) = &parts[at];
        let step = PlanStep {
            id: ids[at].clone(),
            depends_on: before[at].iter().map(|need| ids[*need].clone()).collect(),
            ..raised.step.clone()
        };
        merged.steps.push(MergedStep { group: *group, step, added: at >= count });
    }
    merged
}

fn quoted(raised: &Raised) -> String {
    format!("`{}`", raised.step.title)
}

/// Says why a step of others is not in the plan.
fn why(group: &Group, status: Status) -> &'static str {
    match status {
        Status::Refuted => "more seats disagree with it than agree",
        Status::Contested if group.count(super::model::Stance::Disagree) == 0 => {
            "nobody agreed with it as it is; others want it otherwise"
        }
        Status::Contested => "as many seats disagree with it as agree",
        Status::Unverified if group.votes().next().is_none() && group.authors().len() == 1 => {
            "nobody but its author said anything about it"
        }
        Status::Unverified | Status::Confirmed => "only agents of one vendor stand behind it",
    }
}

/// Where each step of the planning is, by key and by neutral id.
struct Places<'a>(BTreeMap<&'a str, usize>);

impl<'a> Places<'a> {
    fn new(groups: &'a [Group]) -> Self {
        let keys = groups.iter().enumerate().flat_map(|(at, group)| {
            let members = group.members.iter().map(move |raised| (&*raised.key, at));
            members.chain([(&*group.id, at)])
        });
        Self(keys.collect())
    }

    /// Returns the parts that a step needs and that are in the plan, itself left out.
    fn needs(&self, raised: &Raised, own: usize, at: &BTreeMap<usize, usize>) -> BTreeSet<usize> {
        (raised.needs.iter())
            .filter_map(|need| self.0.get(&**need))
            .filter(|group| **group != own)
            .filter_map(|group| at.get(group).copied())
            .collect()
    }

    /// Returns what the steps themselves depend on.
    fn firm(&self, parts: &[(usize, Raised)]) -> Before {
        let at = by_group(parts);
        (parts.iter()).map(|(group, raised)| self.needs(raised, *group, &at)).collect()
    }

    /// Notes the dependencies that lead out of the plan.
    fn notes(&self, parts: &[(usize, Raised)], notes: &mut Vec<Note>) {
        let at = by_group(parts);
        for (_, raised) in parts {
            for need in &raised.needs {
                if self.0.get(&**need).is_none_or(|group| !at.contains_key(group)) {
                    let title = quoted(raised);
                    let message = format!(
                        "{title} depends on a step that is not in the plan; the dependency was removed"
                    );
                    notes.push(Note::new("dependency_dropped", message));
                }
            }
        }
    }

    /// Adds what other authors of the same steps let them depend on, one by one while no circle comes of it.
    fn borrow(
        &self,
        groups: &[Group],
        parts: &[(usize, Raised)],
        count: usize,
        firm: Before,
    ) -> Before {
        let at = by_group(parts);
        let mut before = firm;
        for (step, (group, raised)) in parts.iter().enumerate() {
            let others = groups[*group].members.iter();
            for other in others.filter(|other| other.key != raised.key) {
                let needs = self.needs(other, *group, &at);
                for need in needs.into_iter().filter(|need| *need >= count) {
                    if before[step].insert(need) && order::cycle(&before).is_some() {
                        before[step].remove(&need);
                    }
                }
            }
        }
        before
    }
}

fn by_group(parts: &[(usize, Raised)]) -> BTreeMap<usize, usize> {
    (parts.iter().enumerate()).map(|(at, (group, _))| (*group, at)).collect()
}

/// Returns the final ids: as written, with a number where another step has it already.
fn ids(parts: &[(usize, Raised)]) -> Vec<String> {
    let mut taken = BTreeSet::new();
    let mut ids = Vec::with_capacity(parts.len());
    for (_, raised) in parts {
        let written = &raised.step.id;
        let mut id = written.clone();
        let mut number = 2_usize;
        while !taken.insert(id.to_lowercase()) {
            id = format!("{written}-{number}");
            number += 1;
        }
        ids.push(id);
    }
    ids
}

#[cfg(test)]
mod tests;
