//! The rules for plans and missing steps: fields, ids, dependencies, what is left out on the last chance.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::super::contract::{ID_CHARS, LINE_CHARS, MAX_LIST, MAX_MISSING, MAX_STEPS, TEXT_CHARS};
use super::super::model::{PlanReviewSaid, PlanSaid, PlanStep};
use super::super::order::{self, Before};
use crate::kernel::Chance;
use crate::text::ids::{IdIndex, Resolved};
use crate::text::{Note, Problem, sanitize};

/// Things of one kind that are named one by one; the rest is counted.
const NAMED: usize = 20;

/// Collects notes and problems while a reply is judged.
pub(super) struct Judge {
    block: &'static str,
    pub(super) chance: Chance,
    pub(super) notes: Vec<Note>,
    pub(super) problems: Vec<Problem>,
}

/// Something that cannot be taken as it is.
pub(super) struct Fault {
    pub(super) code: &'static str,
    pub(super) message: String,
}

impl Fault {
    pub(super) fn new(code: &'static str, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { code, message }
    }
}

impl Judge {
    pub(super) fn new(block: &'static str, chance: Chance, notes: Vec<Note>) -> Self {
        Self { block, chance, notes, problems: Vec::new() }
    }

    pub(super) fn note(&mut self, code: &str, message: impl Into<String>) {
        self.notes.push(Note::new(code, message));
    }

    pub(super) fn problem(&mut self, code: &str, message: impl Into<String>) {
        let problem = Problem::new(code, Some(self.block), message);
        self.problems.push(problem);
    }

    /// Something that is a problem while a re-ask can mend it, and a warning when none can.
    pub(super) fn lenient(&mut self, code: &str, message: impl Into<String>) {
        match self.chance {
            Chance::First => self.problem(code, message),
            Chance::Last => self.note(code, message),
        }
    }

    /// Reports faults: problems at first, afterwards warnings under one code that says what was done.
    pub(super) fn report(&mut self, done: &str, faults: &[Fault]) {
        for fault in faults.iter().take(NAMED) {
            match self.chance {
                Chance::First => self.problem(fault.code, fault.message.clone()),
                Chance::Last => self.note(done, format!("{done}: {}", fault.message)),
            }
        }
        if faults.len() > NAMED {
            let message = format!("{} more of this kind", faults.len() - NAMED);
            self.lenient(done, message);
        }
    }

    pub(super) fn object(&mut self, value: Value) -> Option<Map<String, Value>> {
        if let Value::Object(map) = value {
            return Some(map);
        }
        self.problem("wrong_type", "give one JSON object");
        None
    }

    /// Takes a list out of an object. No list at all must never pass for an empty one.
    pub(super) fn list(&mut self, map: &mut Map<String, Value>, name: &str) -> Option<Vec<Value>> {
        if let Some(Value::Array(entries)) = map.remove(name) {
            return Some(entries);
        }
        self.problem("wrong_type", format!("`{name}` must be a JSON array"));
        None
    }

    /// Reads a list of texts beside the main one: it is not worth failing a turn for.
    fn texts(&mut self, map: &mut Map<String, Value>, name: &str) -> Vec<String> {
        let Some(value) = map.remove(name) else {
            self.note("missing_field", format!("`{name}` is not given"));
            return Vec::new();
        };
        let Some(mut texts) = strings(value) else {
            let message = format!("`{name}` must be an array of texts; it is left empty otherwise");
            self.lenient("wrong_type", message);
            return Vec::new();
        };
        if texts.len() > MAX_LIST {
            let message = format!("`{name}` has {} entries; {MAX_LIST} count", texts.len());
            self.lenient("too_many", message);
            texts.truncate(MAX_LIST);
        }
        let mut seen = BTreeSet::new();
        texts.retain(|text| seen.insert(text.clone()));
        let cut = |text: String| self.cut(name, &text);
        texts.into_iter().map(cut).collect()
    }

    /// Sanitizes a text, and cuts it where it is longer than any use of it needs.
    pub(super) fn cut(&mut self, name: &str, text: &str) -> String {
        let clean = sanitize::terminal(text);
        let clean = clean.trim();
        let Some((at, _)) = clean.char_indices().nth(TEXT_CHARS) else {
            return clean.to_owned();
        };
        let message = format!("`{name}` is longer than {TEXT_CHARS} characters; it was cut there");
        self.note("shortened", message);
        format!("{}…", clean[..at].trim_end())
    }

    /// Judges a `PLAN` block.
    pub(super) fn plan(&mut self, value: Value) -> Option<PlanSaid> {
        let mut map = self.object(value)?;
        let entries = self.list(&mut map, "steps")?;
        let given = entries.len();
        if given == 0 {
            self.problem("no_steps", "a plan has at least one step");
            return None;
        }
        if given > MAX_STEPS {
            let message = format!("the plan has {given} steps and may have {MAX_STEPS}");
            self.problem("too_many", message);
            return None;
        }
        let (mut steps, faults) = self.steps("step", entries);
        let unread = faults.len();
        self.report("step_left_out", &faults);
        if self.chance == Chance::Last && unread * 3 > given {
            let message = format!("{unread} of {given} steps could not be read");
            self.problem("no_valid_plan", message);
        }
        let unknown = self.depends(&mut steps, &[]);
        self.report("dependency_dropped", &unknown);
        if let Some(cycle) = order::cycle(&graph(&steps)) {
            let ids = cycle.iter().map(|at| &*steps[*at].id);
            let message = format!("steps depend on each other: {}", order::named(ids));
            self.problem("dependency_cycle", message);
        }
        let summary = match map.remove("summary") {
            Some(Value::String(text)) => self.cut("summary", &text),
            None => {
                self.note("missing_field", "`summary` is not given");
                String::new()
            }
            Some(_) => {
                self.lenient("wrong_type", "`summary` must be text; it is left empty");
                String::new()
            }
        };
        if steps.is_empty() && self.problems.is_empty() {
            self.problem("no_steps", "none of the steps could be read");
        }
        Some(PlanSaid {
            summary,
            risks: self.texts(&mut map, "risks"),
            open_questions: self.texts(&mut map, "open_questions"),
            dependencies_valid: unknown.is_empty(),
            steps,
        })
    }

    /// Judges a `PLAN_REVIEW` block.
    pub(super) fn cross(
        &mut self,
        value: Value,
        ids: &[String],
        others: &[String],
    ) -> Option<PlanReviewSaid> {
        let mut map = self.object(value)?;
        let judgements = self.judgements(&mut map, ids, others)?;
        let missing_steps = match map.remove("missing_steps") {
            Some(Value::Array(entries)) => self.missing(entries, ids, others),
            None => {
                self.note("missing_field", "`missing_steps` is not given");
                Vec::new()
            }
            Some(_) => {
                let message = "`missing_steps` must be a JSON array; none is taken otherwise";
                self.lenient("wrong_type", message);
                Vec::new()
            }
        };
        Some(PlanReviewSaid { judgements, missing_steps })
    }

    fn missing(
        &mut self,
        mut entries: Vec<Value>,
        ids: &[String],
        others: &[String],
    ) -> Vec<PlanStep> {
        if entries.len() > MAX_MISSING {
            let given = entries.len();
            let message = format!("{given} missing steps are given; the first {MAX_MISSING} count");
            self.lenient("too_many", message);
            entries.truncate(MAX_MISSING);
        }
        let shown: Vec<String> = ids.iter().chain(others).cloned().collect();
        let (mut steps, mut faults) = self.steps("missing step", entries);
        let taken: BTreeSet<&String> = shown.iter().collect();
        steps.retain(|step| {
            let free = !taken.contains(&step.id);
            if !free {
                let message = format!("missing step `{}` has the id of another step", step.id);
                faults.push(Fault::new("duplicate_id", message));
            }
            free
        });
        self.report("step_left_out", &faults);
        let unknown = self.depends(&mut steps, &shown);
        self.report("dependency_dropped", &unknown);
        while let Some(cycle) = order::cycle(&graph(&steps)) {
            let names: Vec<String> = cycle.iter().map(|at| steps[*at].id.clone()).collect();
            let circle = order::named(names.iter().map(String::as_str));
            let message = format!("missing steps depend on each other: {circle}");
            self.report("step_left_out", &[Fault::new("dependency_cycle", message)]);
            steps.retain(|step| !names.contains(&step.id));
            let unknown = self.depends(&mut steps, &shown);
            self.report("dependency_dropped", &unknown);
        }
        steps
    }

    /// Reads steps. Equal ones of one id count once; different ones of one id are a problem at any chance.
    fn steps(&mut self, noun: &str, entries: Vec<Value>) -> (Vec<PlanStep>, Vec<Fault>) {
        let (mut steps, mut faults): (Vec<PlanStep>, _) = (Vec::new(), Vec::new());
        let mut by_id: BTreeMap<String, usize> = BTreeMap::new();
        for (number, entry) in (1..).zip(entries) {
            let before = self.notes.len();
            let step = match self.step(&format!("{noun} {number}"), entry) {
                Ok(step) => step,
                Err(found) => {
                    // What was normalised in something that is left out concerns nobody.
                    self.notes.truncate(before);
                    let code = found.first().map_or("wrong_type", |fault| fault.code);
                    let all: Vec<String> = found.into_iter().map(|fault| fault.message).collect();
                    faults.push(Fault::new(code, all.join("; ")));
                    continue;
                }
            };
            match by_id.get(&step.id) {
                None => {
                    by_id.insert(step.id.clone(), steps.len());
                    steps.push(step);
                }
                Some(at) if steps[*at] == step => {
                    let message = format!("{noun} `{}` is given twice", step.id);
                    self.note("duplicate_equal", message);
                }
                Some(_) => {
                    let message = format!("two different steps have the id `{}`", step.id);
                    self.problem("duplicate_id", message);
                }
            }
        }
        (steps, faults)
    }

    fn step(&mut self, name: &str, entry: Value) -> Result<PlanStep, Vec<Fault>> {
        let Value::Object(map) = entry else {
            let message = format!("{name} is no JSON object");
            return Err(vec![Fault::new("wrong_type", message)]);
        };
        let name = match map.get("title") {
            Some(Value::String(title)) => format!("{name} (`{}`)", sanitize::line(title, 60)),
            Some(_) | None => name.to_owned(),
        };
        let mut fields = Fields { judge: self, map, name, faults: Vec::new() };
        let step = PlanStep {
            id: fields.id(),
            phase: fields.line("phase"),
            title: fields.line("title"),
            description: fields.text("description"),
            files: fields.names("files"),
            depends_on: fields.names("depends_on"),
            acceptance: fields.optional("acceptance"),
        };
        if fields.faults.is_empty() { Ok(step) } else { Err(fields.faults) }
    }

    /// Resolves the dependencies of steps among themselves and `shown`; drops and returns the unknown ones.
    fn depends(&mut self, steps: &mut [PlanStep], shown: &[String]) -> Vec<Fault> {
        let own = steps.iter().map(|step| step.id.clone());
        let index = IdIndex::new(&own.chain(shown.iter().cloned()).collect::<Vec<_>>());
        let mut unknown = Vec::new();
        for step in steps {
            let mut seen = BTreeSet::new();
            let mut known = Vec::new();
            for written in std::mem::take(&mut step.depends_on) {
                let id = match index.resolve(&written) {
                    Resolved::Exact(at) => index.ids()[at].clone(),
                    Resolved::Normalised(at) => {
                        let id = index.ids()[at].clone();
                        let message = format!("`{written}` was read as `{id}`");
                        self.note("id_normalised", message);
                        id
                    }
                    Resolved::Unknown => {
                        let (step, written) = (&step.id, sanitize::line(&written, ID_CHARS));
                        let message =
                            format!("step `{step}` depends on `{written}`, which is no step");
                        unknown.push(Fault::new("unknown_dependency", message));
                        continue;
                    }
                };
                if seen.insert(id.clone()) {
                    known.push(id);
                }
            }
            step.depends_on = known;
        }
        unknown
    }
}

/// The dependencies of steps among themselves, by index.
fn graph(steps: &[PlanStep]) -> Before {
    let at: BTreeMap<&str, usize> =
        (steps.iter().enumerate()).map(|(at, step)| (&*step.id, at)).collect();
    let needs = |step: &PlanStep| {
        let known = step.depends_on.iter().filter_map(|id| at.get(&**id));
        known.copied().collect()
    };
    steps.iter().map(needs).collect()
}

/// One step of the answer, while it is read.
struct Fields<'a> {
    judge: &'a mut Judge,
    map: Map<String, Value>,
    name: String,
    faults: Vec<Fault>,
}

impl Fields<'_> {
    fn fault(&mut self, code: &'static str, message: &str) {
        let message = format!("{}: {message}", self.name);
        self.faults.push(Fault::new(code, message));
    }

    /// An id: a short text, or a whole number, which planners like to count with.
    fn id(&mut self) -> String {
        let written = match self.map.remove("id") {
            Some(Value::String(id)) => sanitize::line(&id, LINE_CHARS),
            Some(Value::Number(number)) if number.is_u64() => {
                let message = format!("{}: the id {number} is a number", self.name);
                self.judge.note("id_normalised", message);
                number.to_string()
            }
            Some(_) | None => String::new(),
        };
        if written.is_empty() || written.chars().count() > ID_CHARS {
            let message = format!("`id` must be a text of 1 to {ID_CHARS} characters");
            self.fault("missing_id", &message);
        }
        written
    }

    fn line(&mut self, field: &str) -> String {
        let line = match self.map.remove(field) {
            Some(Value::String(text)) => sanitize::line(&text, LINE_CHARS),
            Some(_) | None => String::new(),
        };
        if line.is_empty() {
            self.fault("missing_field", &format!("`{field}` must be text"));
        }
        line
    }

    fn text(&mut self, field: &str) -> String {
        let text = match self.map.remove(field) {
            Some(Value::String(text)) => self.judge.cut(field, &text),
            Some(_) | None => String::new(),
        };
        if text.is_empty() {
            self.fault("missing_field", &format!("`{field}` must be text"));
        }
        text
    }

    fn optional(&mut self, field: &str) -> String {
        match self.map.remove(field) {
            Some(Value::String(text)) => self.judge.cut(field, &text),
            None => {
                let message = format!("{}: `{field}` is not given", self.name);
                self.judge.note("missing_field", message);
                String::new()
            }
            Some(_) => {
                self.fault("wrong_type", &format!("`{field}` must be text"));
                String::new()
            }
        }
    }

    /// Paths or ids: a list of texts, each once; a whole number stands for itself.
    fn names(&mut self, field: &str) -> Vec<String> {
        let Some(value) = self.map.remove(field) else {
            let message = format!("{}: `{field}` is not given", self.name);
            self.judge.note("missing_field", message);
            return Vec::new();
        };
        let Some(names) = strings(value) else {
            self.fault("wrong_type", &format!("`{field}` must be an array of texts"));
            return Vec::new();
        };
        if names.len() > MAX_LIST {
            let message = format!("`{field}` has {} entries, at most {MAX_LIST}", names.len());
            self.fault("too_many", &message);
        }
        let mut seen = BTreeSet::new();
        let names = names.iter().map(|name| sanitize::line(name, LINE_CHARS));
        names.filter(|name| seen.insert(name.clone())).collect()
    }
}

/// Reads an array of texts and whole numbers, without the empty ones.
fn strings(value: Value) -> Option<Vec<String>> {
    let Value::Array(entries) = value else {
        return None;
    };
    let texts = entries.into_iter().map(|entry| match entry {
        Value::String(text) => Some(text.trim().to_owned()),
        Value::Number(number) if number.is_u64() => Some(number.to_string()),
        Value::Number(_) | Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => {
            None
        }
    });
    let texts: Option<Vec<String>> = texts.collect();
    texts.map(|texts| texts.into_iter().filter(|text| !text.is_empty()).collect())
}
