//! The rules for plans and missing steps: ids are unique, and dependencies exist and have no cycle.

use crate::contract::{Diagnostics, some_of};
use crate::kernel::Chance;
use crate::ordered::{BTreeMap, Gather};
use crate::protocol::plan::contract::ID_CHARS;
use crate::protocol::plan::model::{PlanBlock, PlanStep};
use crate::protocol::plan::order::{self, Predecessors};
use crate::text::ids::{IdIndex, IdMatch};
use crate::text::sanitize;

/// Checks a plan. On the last chance, two thirds of its steps must be readable, and a repeated id or a cycle loses only
/// what cannot be told from it.
pub(super) fn plan(judge: &mut Diagnostics, mut said: PlanBlock) -> Option<PlanBlock> {
    let unread = judge.left_out.get("step").copied().unwrap_or_default();
    let given = said.steps.len() + unread;
    if !judge.has_read("steps") {
        return None;
    }
    if given == 0 {
        judge.problem("no_steps", "a plan has at least one step".to_owned());
        return None;
    }
    let unread = unread + unique(judge, "step", &mut said.steps, Diagnostics::lenient);
    if judge.chance == Chance::Last && unread * 3 > given {
        let message = format!("{unread} of {given} steps could not be read");
        judge.problem("no_valid_plan", message);
    }
    let known = depends(judge, &mut said.steps, &[], Diagnostics::lenient);
    said.dependencies_valid = acyclic(judge, &mut said.steps, Diagnostics::lenient) && known;
    Some(said)
}

/// Checks missing steps: faulty ones are left out. `shown` are the ids of other steps.
pub(super) fn missing(
    judge: &mut Diagnostics,
    mut steps: Vec<PlanStep>,
    shown: &[String],
) -> Vec<PlanStep> {
    unique(judge, "missing step", &mut steps, Diagnostics::note);
    steps.retain(|step| {
        let free = !shown.contains(&step.id);
        if !free {
            let message = format!("missing step `{}` has the id of another step", step.id);
            judge.note("duplicate_id", message);
        }
        free
    });
    depends(judge, &mut steps, shown, Diagnostics::note);
    acyclic(judge, &mut steps, Diagnostics::note);
    steps
}

type ReportProblem = fn(&mut Diagnostics, &str, String);

/// Keeps the first of several steps with one id; different ones are reported with `say`, identical ones only noted.
/// Returns how many different ones were left out.
fn unique(
    judge: &mut Diagnostics,
    noun: &str,
    steps: &mut Vec<PlanStep>,
    say: ReportProblem,
) -> usize {
    let mut different = 0;
    let mut first: BTreeMap<String, PlanStep> = BTreeMap::new();
    steps.retain(|step| match first.get(&step.id) {
        None => {
            first.insert(step.id.clone(), step.clone());
            true
        }
        Some(same) if same == step => {
            judge.note("duplicate_equal", format!("{noun} `{}` is given twice", step.id));
            false
        }
        Some(_) => {
            let message = format!("two different steps have the id `{}`", step.id);
            say(judge, "duplicate_id", message);
            different += 1;
            false
        }
    });
    different
}

/// Drops the dependencies within each cycle, which is reported with `say`. Returns whether there was none.
fn acyclic(judge: &mut Diagnostics, steps: &mut [PlanStep], say: ReportProblem) -> bool {
    let mut valid = true;
    while let Some(cycle) = order::cycle(&graph(steps)) {
        valid = false;
        let within: Vec<String> = cycle.iter().map(|at| steps[*at].id.clone()).collect();
        let named = order::named(within.iter().map(String::as_str));
        say(judge, "dependency_cycle", format!("steps depend on each other: {named}"));
        for at in cycle {
            steps[at].depends_on.retain(|need| !within.contains(need));
        }
    }
    valid
}

/// Resolves the dependencies of steps among themselves and `shown`, and drops unknown ones. Returns whether none was
/// dropped.
fn depends(
    judge: &mut Diagnostics,
    steps: &mut [PlanStep],
    shown: &[String],
    say: ReportProblem,
) -> bool {
    let own = steps.iter().map(|step| step.id.clone());
    let all: Vec<String> = own.chain(shown.iter().cloned()).collect();
    let index = IdIndex::new(&all);
    let mut unknown = Vec::new();
    for step in steps {
        let mut known: Vec<String> = Vec::with_capacity(step.depends_on.len());
        for written in std::mem::take(&mut step.depends_on) {
            let id = match index.resolve(&written) {
                IdMatch::Exact(at) => index.ids()[at].clone(),
                IdMatch::Normalised(at) => {
                    let id = index.ids()[at].clone();
                    judge.note("id_normalised", format!("`{written}` was read as `{id}`"));
                    id
                }
                IdMatch::Unknown => {
                    let written = sanitize::line(&written, ID_CHARS);
                    unknown.push(format!("`{}` on `{written}`", step.id));
                    continue;
                }
            };
            if !known.contains(&id) {
                known.push(id);
            }
        }
        step.depends_on = known;
    }
    if !unknown.is_empty() {
        let all: Vec<&str> = unknown.iter().map(String::as_str).collect();
        let message = format!(
            "steps depend on something that is not a step, which is dropped otherwise: {}",
            some_of(&all)
        );
        say(judge, "unknown_dependency", message);
    }
    unknown.is_empty()
}

/// Returns the dependencies of steps among themselves, by index.
fn graph(steps: &[PlanStep]) -> Predecessors {
    let at: BTreeMap<&str, usize> =
        (steps.iter().enumerate()).map(|(at, step)| (&*step.id, at)).gather();
    let needs = |step: &PlanStep| {
        let known = step.depends_on.iter().filter_map(|id| at.get(&**id));
        known.copied().gather()
    };
    steps.iter().map(needs).collect()
}
