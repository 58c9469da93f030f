//! The final plan, by rule: the winner's plan is the base, and confirmed steps of the others are added.
//!
//! * A group is the winner's if it contains a step of its own plan; the winner's words are used. Every step of the
//!   winner's plan stays, whatever the votes: they are shown with it, and validation can reject it.
//! * A group that is not the winner's, but is confirmed, is added with the words of its first member.
//! * Dependencies are rewritten to the final steps. If added steps depend on each other in a cycle, the last of them is
//!   left out, with a note.
//! * A step also takes over the dependencies that other authors of the same step gave it, unless that would create a
//!   cycle.
//! * The order is that of the phases (the winner's, then new ones as they appear), within the constraints of the
//!   dependencies. Two phases that differ in numbering, punctuation or case are one.
//! * Files and criteria of other authors of a step are kept. A dependency on a step that is left out is replaced by those
//!   of that step.
//!
//! | rule | [`Merge::Draft`] | [`Merge::Voted`] |
//! |---|---|---|
//! | a change that nobody opposes ([`Group::change`]) | put in | put in if approved |
//! | a step of another that nobody confirmed, with such a change | added | added if approved |
//! | a confirmed step of another | added | added unless rejected |
//!
//! A dependency that is removed or replaced has a note.

use super::group::{normal, phase};
use super::model::{AuthoredStep, Change, Group, PlanStep, Status, ValidationResult};
use super::order::{self, Predecessors};
use crate::ordered::{BTreeMap, BTreeSet, Gather};
use crate::text::{Note, folded};

/// Whether the final vote was held.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Merge<'a> {
    /// What the final vote is held on: all changes that nobody opposes are put in.
    Draft,
    /// After the final vote, with the results by group.
    Voted(&'a BTreeMap<usize, ValidationResult>),
}

impl Merge<'_> {
    fn change(self, at: usize, group: &Group) -> Option<Change<'_>> {
        let stands = match self {
            Self::Draft => true,
            Self::Voted(results) => results.get(&at).is_some_and(|result| result.stands()),
        };
        group.change().filter(|_| stands)
    }

    /// Returns the reason why a group that is not the winner's is left out; `None` if it is added.
    fn leaves_out(self, at: usize, group: &Group) -> Option<&'static str> {
        let status = group.status();
        let (votes, changed) = match self {
            Self::Draft => (None, self.change(at, group).is_some()),
            Self::Voted(results) => (results.get(&at), self.change(at, group).is_some()),
        };
        match (status, votes) {
            (Status::Confirmed, Some(ValidationResult::Rejected)) if group.change().is_none() => {
                Some("it was rejected in the final vote")
            }
            (Status::Confirmed, _) => None,
            (Status::Contested, _) if changed => None,
            (Status::Contested, Some(_)) => {
                Some("nobody agreed with it as it is, and the change was not approved")
            }
            _ => Some(why(group, status)),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MergedStep {
    pub group: usize,
    /// The words used, with the ids of the groups and the phase as its first step spells it.
    pub step: PlanStep,
    /// The key of the step whose words are used.
    pub key: String,
    /// Those of its files that an author marked as new, normalised.
    pub creates: BTreeSet<String>,
    /// Whether it comes from another plan than the winner's.
    pub added: bool,
    /// The seat whose change was put in.
    pub changed_by: Option<usize>,
    /// Whether it has dependencies that its author did not state.
    pub rewired: bool,
}

impl MergedStep {
    /// Returns the step as its author wrote it.
    pub(crate) fn raised<'g>(&self, groups: &'g [Group]) -> Option<&'g AuthoredStep> {
        groups[self.group].members.iter().find(|raised| raised.key == self.key)
    }

    /// Whether the final vote can change anything about it: it was added, changed, joined or rewired, or is not
    /// confirmed.
    pub(crate) fn is_in_question(&self, groups: &[Group]) -> bool {
        let group = &groups[self.group];
        self.added
            || self.rewired
            || self.changed_by.is_some()
            || !group.joined.is_empty()
            || group.status() != Status::Confirmed
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct MergedPlan {
    /// The steps, in their final order.
    pub steps: Vec<MergedStep>,
    /// Groups that are not in the plan, by index, with the reason.
    pub left_out: Vec<(usize, String)>,
    /// Notes on removed steps and dependencies.
    pub notes: Vec<Note>,
}

/// A step that is in the plan, by group.
type Part = (usize, AuthoredStep);

pub(crate) fn merge(groups: &[Group], winner: usize, how: Merge<'_>) -> MergedPlan {
    let base_of = |group: &Group| {
        let own = |raised: &&AuthoredStep| raised.seat == winner && raised.round == 0;
        group.members.iter().find(own).cloned()
    };
    let mut base: Vec<Part> =
        (groups.iter().enumerate()).filter_map(|(at, group)| Some((at, base_of(group)?))).collect();
    base.sort_by_key(|(_, raised)| raised.place);
    let count = base.len();
    let mut parts = base;
    let in_base: BTreeSet<usize> = parts.iter().map(|(group, _)| *group).gather();
    let mut merged = MergedPlan::default();
    for (at, group) in groups.iter().enumerate().filter(|(at, _)| !in_base.contains(at)) {
        match (how.leaves_out(at, group), group.members.first()) {
            (None, Some(first)) => parts.push((at, first.clone())),
            (why, _) => merged.left_out.push((at, why.unwrap_or_default().to_owned())),
        }
    }
    let places = StepIndex::new(groups);
    let mut firm;
    loop {
        firm = places.firm(&parts);
        let Some(cycle) = order::cycle(&firm) else {
            break;
        };
        // The winner's plan has no cycle of its own and depends on nothing else, so at least one step of this cycle
        // was added.
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
    let carried = places.notes(&parts, &mut merged.notes);
    let before = places.borrow(&parts, firm.clone(), &mut merged.notes);
    let id = |at: &usize| groups[parts[*at].0].id.clone();
    let mut phases: Vec<(String, &str)> = Vec::new();
    let ranks: Vec<usize> = (parts.iter())
        .map(|(_, raised)| {
            let name = phase(&raised.step.phase);
            phases.iter().position(|(known, _)| *known == name).unwrap_or_else(|| {
                phases.push((name, &raised.step.phase));
                phases.len() - 1
            })
        })
        .collect();
    for at in order::sorted(&before, |at| (ranks[at], at)) {
        let (group, raised) = &parts[at];
        let change = how.change(*group, &groups[*group]);
        let (mut step, creates) =
            revised(&groups[*group], raised, change.map(|change| change.description));
        step.id = id(&at);
        step.depends_on = before[at].iter().map(id).collect();
        phases[ranks[at]].1.clone_into(&mut step.phase);
        merged.steps.push(MergedStep {
            group: *group,
            step,
            key: raised.key.clone(),
            creates,
            added: at >= count,
            changed_by: change.map(|change| change.seat),
            rewired: carried.contains(&at) || before[at] != firm[at],
        });
    }
    merged
}

/// Returns a step with everything that other authors of the same step stated, and with a change; and its new files.
fn revised(
    group: &Group,
    raised: &AuthoredStep,
    change: Option<&str>,
) -> (PlanStep, BTreeSet<String>) {
    let mut step = raised.step.clone();
    let mut creates = raised.creates.clone();
    let mut files: BTreeSet<String> = step.files.iter().map(|file| normal(file)).gather();
    let mut criteria = BTreeSet::from([folded(&raised.step.acceptance), String::new()]);
    for other in group.members.iter().filter(|other| other.key != raised.key) {
        let more = other.step.files.iter().filter(|file| files.insert(normal(file)));
        step.files.extend(more.cloned());
        creates.extend(other.creates.iter().cloned());
        if criteria.insert(folded(&other.step.acceptance)) {
            let gap = if step.acceptance.is_empty() { "" } else { "\n" };
            step.acceptance = format!("{}{gap}{}", step.acceptance, other.step.acceptance);
        }
    }
    if let Some(change) = change {
        change.clone_into(&mut step.description);
    }
    (step, creates)
}

fn quoted(raised: &AuthoredStep) -> String {
    format!("`{}`", raised.step.title)
}

/// Returns the reason why a step of another plan is not in the merged plan.
fn why(group: &Group, status: Status) -> &'static str {
    match status {
        Status::Disputed | Status::Refuted => "more seats disagree with it than agree",
        Status::Contested if group.count(super::model::Stance::Disagree) == 0 => {
            "nobody agreed with it as it is; others want it changed"
        }
        Status::Contested => "as many seats disagree with it as agree",
        Status::Unverified => "nobody but its author said anything about it",
        Status::OneVendor | Status::Confirmed | Status::Reproduced => {
            "only agents from one vendor support it"
        }
    }
}

/// The index of each step's group, by key and by neutral id.
struct StepIndex<'a> {
    groups: &'a [Group],
    index: BTreeMap<&'a str, usize>,
}

impl<'a> StepIndex<'a> {
    fn new(groups: &'a [Group]) -> Self {
        let keys = groups.iter().enumerate().flat_map(|(at, group)| {
            let members = group.members.iter().map(move |raised| (&*raised.key, at));
            members.chain(group.ids().map(move |id| (id, at)))
        });
        Self { groups, index: keys.gather() }
    }

    /// Returns the parts that a step depends on, excluding itself: those that are in the plan and, in place of each that
    /// is not, those that it depends on.
    fn needs(
        &self,
        raised: &AuthoredStep,
        own: usize,
        at: &BTreeMap<usize, usize>,
    ) -> BTreeSet<usize> {
        let mut found = BTreeSet::new();
        let mut seen = BTreeSet::from([own]);
        let mut open: Vec<&str> = raised.needs.iter().map(String::as_str).collect();
        while let Some(need) = open.pop() {
            let Some(group) = self.index.get(need).filter(|group| seen.insert(**group)) else {
                continue;
            };
            if let Some(part) = at.get(group) {
                found.insert(*part);
            } else {
                let members = self.groups[*group].members.iter();
                open.extend(members.flat_map(|raised| &raised.needs).map(String::as_str));
            }
        }
        found
    }

    /// Returns the dependencies that the steps themselves state.
    fn firm(&self, parts: &[Part]) -> Predecessors {
        let at = by_group(parts);
        (parts.iter()).map(|(group, raised)| self.needs(raised, *group, &at)).collect()
    }

    /// Notes the dependencies on steps outside the plan. Returns the steps that took over the dependencies of one.
    fn notes(&self, parts: &[Part], notes: &mut Vec<Note>) -> BTreeSet<usize> {
        let at = by_group(parts);
        let mut carried = BTreeSet::new();
        for (part, (own, raised)) in parts.iter().enumerate() {
            for need in &raised.needs {
                let group = self.index.get(&**need);
                if group.is_some_and(|group| at.contains_key(group)) {
                    continue;
                }
                let title = quoted(raised);
                let lost =
                    |needs: &str| AuthoredStep { needs: vec![needs.to_owned()], ..raised.clone() };
                let instead = self.needs(&lost(need), *own, &at);
                let (code, message) = match self.left_out(group.copied()) {
                    Some(gone) if !instead.is_empty() => {
                        carried.insert(part);
                        let titles: Vec<String> =
                            instead.iter().map(|at| quoted(&parts[*at].1)).collect();
                        let titles = titles.join(", ");
                        let message = format!(
                            "{title} depends on {gone}, which is not in the plan; it now depends on {titles} instead, as {gone} did"
                        );
                        ("dependency_carried", message)
                    }
                    _ => {
                        let message = format!(
                            "{title} depends on a step that is not in the plan; the dependency was removed"
                        );
                        ("dependency_dropped", message)
                    }
                };
                notes.push(Note::new(code, message));
            }
        }
        carried
    }

    /// Returns the title of a group that is not in the plan.
    fn left_out(&self, group: Option<usize>) -> Option<String> {
        self.groups.get(group?)?.members.first().map(quoted)
    }

    /// Adds the dependencies that other authors of the same steps stated, one by one, unless one creates a cycle.
    fn borrow(&self, parts: &[Part], firm: Predecessors, notes: &mut Vec<Note>) -> Predecessors {
        let at = by_group(parts);
        let mut before = firm;
        for (step, (group, raised)) in parts.iter().enumerate() {
            let others = self.groups[*group].members.iter();
            for other in others.filter(|other| other.key != raised.key) {
                let needs = self.needs(other, *group, &at);
                for need in needs {
                    if before[step].insert(need) && order::cycle(&before).is_some() {
                        before[step].remove(&need);
                        let (title, other) = (quoted(raised), quoted(&parts[need].1));
                        let message = format!(
                            "another author of {title} makes it depend on {other}; that would be a circle, and was left out"
                        );
                        notes.push(Note::new("dependency_dropped", message));
                    }
                }
            }
        }
        before
    }
}

fn by_group(parts: &[Part]) -> BTreeMap<usize, usize> {
    (parts.iter().enumerate()).map(|(at, (group, _))| (*group, at)).gather()
}

#[cfg(test)]
mod tests {
    //! Tests of the content and order of the final plan, and of what is removed from it.

    use proptest::prelude::*;

    use super::super::group;
    use super::super::testing::{judged, step, vendor};
    use super::*;

    /// Returns the groups of plans whose steps are `(id, phase, depends_on)`; every group gets the votes `stances` by
    /// seat.
    fn groups(plans: &[&[(&str, &str, &[&str])]], stances: &str) -> Vec<Group> {
        let raised = plans.iter().enumerate().flat_map(|(seat, plan)| {
            let steps: Vec<PlanStep> =
                (plan.iter()).map(|(id, phase, needs)| step(id, phase, needs)).collect();
            AuthoredStep::all(&steps, seat, &vendor(seat), 0)
        });
        let groups = group::cluster(raised.collect());
        groups.into_iter().map(|group| judged(group, stances)).collect()
    }

    /// Returns the name that a step has in its plan.
    fn name(step: &MergedStep) -> &str {
        step.step.title.strip_prefix("Do ").unwrap()
    }

    fn names(merged: &MergedPlan) -> Vec<&str> {
        merged.steps.iter().map(name).collect()
    }

    fn needs<'a>(merged: &'a MergedPlan, of: &str) -> Vec<&'a str> {
        let step = merged.steps.iter().find(|step| name(step) == of).unwrap();
        let needs = |other: &&MergedStep| step.step.depends_on.contains(&other.step.id);
        merged.steps.iter().filter(needs).map(name).collect()
    }

    #[test]
    fn the_winners_plan_stands_and_what_is_confirmed_is_added() {
        let plans: &[&[(&str, &str, &[&str])]] = &[
            &[("a", "one", &[]), ("b", "two", &["a"])],
            &[("a", "one", &[]), ("c", "one", &["a"])],
        ];
        let all = groups(plans, "aa");
        let merged = merge(&all, 0, Merge::Draft);
        assert_eq!(names(&merged), ["a", "c", "b"], "by phase");
        assert_eq!(needs(&merged, "c"), ["a"], "on the winner's `a`");
        let added: Vec<bool> = merged.steps.iter().map(|step| step.added).collect();
        assert_eq!(added, [false, true, false]);
        assert!(merged.left_out.is_empty() && merged.notes.is_empty());
        assert_eq!(names(&merge(&all, 1, Merge::Draft)), ["a", "c", "b"]);
    }

    #[test]
    fn what_is_not_confirmed_is_left_out_with_the_reason() {
        let plans: &[&[(&str, &str, &[&str])]] = &[&[("a", "one", &[])], &[("b", "one", &[])]];
        for (stances, reason) in [
            ("", "nobody but its author said anything about it"),
            ("d", "more seats disagree with it than agree"),
            ("m", "nobody agreed with it as it is; others want it changed"),
            ("a.d", "as many seats disagree with it as agree"),
        ] {
            let all = groups(plans, stances);
            let merged = merge(&all, 0, Merge::Voted(&BTreeMap::new()));
            assert_eq!(names(&merged), ["a"], "{stances}: the winner's stays, refuted or not");
            assert_eq!(merged.left_out, [(1, reason.to_owned())], "{stances}");
        }
        let mut one_vendor = groups(plans, "a");
        one_vendor[1].judged.get_mut(&0).unwrap().vendor = vendor(1);
        let left_out = &merge(&one_vendor, 0, Merge::Draft).left_out;
        assert_eq!(left_out[0].1, "only agents from one vendor support it");
    }

    #[test]
    fn a_dependency_on_a_step_that_is_left_out_is_removed_with_a_note() {
        let plans: &[&[(&str, &str, &[&str])]] =
            &[&[("a", "one", &[])], &[("b", "one", &[]), ("c", "one", &["b"])]];
        let mut all = groups(plans, "aa");
        all[1].judged.clear();
        let merged = merge(&all, 0, Merge::Draft);
        assert_eq!(names(&merged), ["a", "c"]);
        assert!(needs(&merged, "c").is_empty());
        assert_eq!(merged.notes[0].code, "dependency_dropped");
        assert!(merged.notes[0].message.contains("`Do c`"));
    }

    /// s2's `x` depends on `y`, s3's `y` on `x`: both are confirmed, but not both are possible.
    #[test]
    fn a_circle_of_added_steps_drops_the_last_with_a_note() {
        let plans: &[&[(&str, &str, &[&str])]] = &[
            &[("a", "one", &[])],
            &[("x", "one", &["y"]), ("y", "one", &[])],
            &[("y", "one", &["x"]), ("x", "one", &[])],
        ];
        let mut all = groups(plans, "a");
        // `x` has the words of s2, `y` those of s3.
        for group in &mut all {
            let stands = if group.members[0].step.id == "x" { 1 } else { 2 };
            group.members.sort_by_key(|raised| raised.seat != stands);
        }
        let merged = merge(&all, 0, Merge::Draft);
        assert_eq!(names(&merged), ["a", "x"]);
        let codes: Vec<&str> = merged.notes.iter().map(|note| &*note.code).collect();
        assert_eq!(codes, ["step_dropped", "dependency_dropped"]);
        assert!(merged.notes[0].message.contains("`Do x` -> `Do y` -> `Do x`"));
        assert!(merged.left_out[0].1.contains("depend on each other"));
    }

    /// The winner does not know the step on which another author makes `b` depend.
    #[test]
    fn the_base_waits_for_what_was_added() {
        let plans: &[&[(&str, &str, &[&str])]] = &[
            &[("a", "one", &[]), ("b", "one", &[])],
            &[("migrate", "one", &[]), ("b", "one", &["migrate"])],
        ];
        let all = groups(plans, "aa");
        let merged = merge(&all, 0, Merge::Draft);
        assert_eq!(names(&merged), ["a", "migrate", "b"]);
        assert_eq!(needs(&merged, "b"), ["migrate"]);
        // Unless that creates a cycle.
        let plans: &[&[(&str, &str, &[&str])]] = &[
            &[("a", "one", &[]), ("b", "one", &["a"])],
            &[("b", "one", &[]), ("c", "one", &["b"]), ("a", "one", &["c"])],
        ];
        let merged = merge(&groups(plans, "aa"), 0, Merge::Draft);
        assert_eq!(names(&merged), ["a", "b", "c"]);
        assert!(needs(&merged, "a").is_empty());
    }

    #[test]
    fn dependencies_come_before_phases_and_phases_before_the_rest() {
        let plans: &[&[(&str, &str, &[&str])]] = &[
            &[("a", "Build", &["c"]), ("b", "build", &[]), ("c", "Phase 2", &[])],
            &[("d", "Phase 3", &[]), ("e", "Phase 1.2: BUILD", &[])],
        ];
        let merged = merge(&groups(plans, "aa"), 0, Merge::Draft);
        assert_eq!(names(&merged), ["b", "e", "c", "a", "d"]);
        let phases: Vec<&str> = merged.steps.iter().map(|step| &*step.step.phase).collect();
        assert_eq!(phases, ["Build", "Build", "Phase 2", "Build", "Phase 3"]);
    }

    /// The base's own order too, where the other author of the same step demands it.
    #[test]
    fn dependencies_of_other_authors_are_kept() {
        let plans: &[&[(&str, &str, &[&str])]] =
            &[&[("a", "one", &[]), ("b", "one", &[])], &[("b", "one", &[]), ("a", "one", &["b"])]];
        let all = groups(plans, "");
        let merged = merge(&all, 0, Merge::Draft);
        assert_eq!((needs(&merged, "a"), names(&merged)), (vec!["b"], vec!["b", "a"]));
        assert!(merged.steps.iter().any(|step| step.rewired && step.is_in_question(&all)));
        // A circle is left out, and that is said.
        let plans: &[&[(&str, &str, &[&str])]] = &[
            &[("a", "one", &[]), ("b", "one", &["a"])],
            &[("b", "one", &[]), ("a", "one", &["b"])],
        ];
        let merged = merge(&groups(plans, ""), 0, Merge::Draft);
        assert!(needs(&merged, "a").is_empty());
        assert_eq!(merged.notes[0].code, "dependency_dropped");
    }

    #[test]
    fn what_is_left_out_hands_its_dependencies_on() {
        let plans: &[&[(&str, &str, &[&str])]] = &[
            &[("a", "one", &[])],
            &[("a", "one", &[]), ("b", "one", &["a"]), ("c", "one", &["b"]), ("d", "one", &["c"])],
        ];
        let mut all = groups(plans, "aa");
        for group in &mut all[1..3] {
            group.judged.clear();
        }
        let merged = merge(&all, 0, Merge::Draft);
        assert_eq!(names(&merged), ["a", "d"]);
        assert_eq!(needs(&merged, "d"), ["a"], "over two steps");
        assert_eq!(merged.notes[0].code, "dependency_carried");
        assert!(merged.notes[0].message.contains("now depends on `Do a` instead, as `Do c` did"));
    }

    proptest! {
        /// For any plans and votes: there is no cycle, every dependency is an earlier step of the plan, ids are
        /// unique, all of the winner's steps are there, and every group is in the plan or left out with a reason.
        #[test]
        fn a_merged_plan_can_always_be_done(
            plans in proptest::collection::vec(proptest::collection::vec((0_usize..6, 0_usize..3, any::<u8>()), 1..6), 2..4),
            votes in proptest::collection::vec("[.adm]{3}", 18),
            shifts in proptest::collection::vec(any::<bool>(), 18),
        ) {
            let names = ["a", "b", "c", "d", "e", "f"];
            let raised = plans.iter().enumerate().flat_map(|(seat, plan)| {
                let mut ids: Vec<&str> = Vec::new();
                let mut steps = Vec::new();
                for (name, phase, needs) in plan {
                    if ids.contains(&names[*name]) {
                        continue;
                    }
                    let before: Vec<&str> = ids.iter().enumerate().filter(|(at, _)| needs >> at & 1 == 1).map(|(_, id)| *id).collect();
                    steps.push(step(names[*name], ["one", "two", "three"][*phase], &before));
                    ids.push(names[*name]);
                }
                AuthoredStep::all(&steps, seat, &vendor(seat), 0)
            });
            let mut all: Vec<Group> = group::cluster(raised.collect()).into_iter().zip(&votes).map(|(group, votes)| judged(group, votes)).collect();
            for (group, shift) in all.iter_mut().zip(&shifts) {
                if *shift {
                    group.members.rotate_left(1);
                }
            }
            let results = (0..all.len()).zip(&shifts).map(|(at, shift)| {
                (at, if *shift { ValidationResult::Rejected } else { ValidationResult::Approved })
            });
            let results = results.collect();
            let ways = [Merge::Draft, Merge::Voted(&results)];
            for (winner, how) in (0..plans.len()).flat_map(|winner| ways.map(|how| (winner, how))) {
                let merged = merge(&all, winner, how);
                let ids: Vec<&String> = merged.steps.iter().map(|step| &step.step.id).collect();
                let unique: BTreeSet<&&String> = ids.iter().collect();
                prop_assert_eq!(unique.len(), ids.len());
                for (at, step) in merged.steps.iter().enumerate() {
                    for need in &step.step.depends_on {
                        prop_assert!(ids[..at].contains(&need), "{need} before {}", step.step.id);
                    }
                }
                let base = merged.steps.iter().filter(|step| !step.added).count();
                prop_assert_eq!(base, all.iter().filter(|group| group.wrote(winner)).count());
                let mut places: Vec<usize> = merged.steps.iter().map(|step| step.group).chain(merged.left_out.iter().map(|(at, _)| *at)).collect();
                places.sort_unstable();
                prop_assert_eq!(places, (0..all.len()).collect::<Vec<_>>());
                prop_assert_eq!(&merge(&all, winner, how), &merged);
            }
        }
    }
}
