//! A plan's score: 0 to 100, in integers, no AI (`spec/review-and-plan.md`, plan pipeline).
//!
//! | part | points |
//! |---|---|
//! | clarity 30 | 5 any step; 2 a title of 5 characters or more, at most 8; 2 a description of 20 or more, at most 8; 1.5 a step with files, at most 6, halves rounded down; 3 a summary of 20 characters or more |
//! | completeness 30 | 15 x share of the named or changed files that a step names, rounded down (10 where there are none); 5 for three phases or more, 3 for two; 2 a risk, at most 5; 2 a question, at most 5 |
//! | feasibility 20 | 5 any step; 5 phases in order; 5 dependencies valid as they were given; 5 for 3 to 15 steps, 3 for 2 to 20, else 1 |
//! | consensus 20 | 20 x share of agreeing votes among the votes that others cast on its steps, rounded down; 0 without votes |
//!
//! Phases are in order when none is taken up again after another one began, and, where each name holds a
//! number, the numbers never fall.

use std::collections::BTreeSet;

use super::group::normal;
use super::model::{Group, PlanSaid, PlanStep, ScoreBreakdown, Stance};
use crate::change::Change;

/// Files of a task that count at most.
const MAX_NAMED: usize = 200;

/// Endings of names that are files also where a text does not mark them as code.
const ENDINGS: [&str; 44] = [
    "c", "cc", "cfg", "conf", "cpp", "cs", "css", "csv", "dart", "go", "gradle", "h", "hpp",
    "html", "ini", "java", "js", "json", "jsx", "kt", "lock", "lua", "m", "md", "php", "plist",
    "proto", "py", "rb", "rs", "scala", "sh", "sql", "svg", "swift", "toml", "ts", "tsx", "txt",
    "vue", "xml", "yaml", "yml", "zig",
];

/// A file that a plan should touch.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Wanted {
    /// Its path as named.
    path: String,
    /// It was named without a directory, so that a file of that name anywhere is meant.
    anywhere: bool,
}

impl Wanted {
    /// Returns its path as it was named.
    pub fn path(&self) -> &str {
        &self.path
    }

    fn is(&self, file: &str) -> bool {
        file == self.path || (self.anywhere && file.rsplit('/').next() == Some(&*self.path))
    }
}

/// Returns the files that a task names and a change holds.
pub fn wanted(task: &str, change: Option<&Change>) -> Vec<Wanted> {
    let changed = change.into_iter().flat_map(|change| &change.files);
    let mut all: BTreeSet<Wanted> =
        changed.map(|file| Wanted { path: normal(&file.path), anywhere: false }).collect();
    // Every second piece between backticks is code.
    for (at, piece) in task.split('`').enumerate() {
        let code = at % 2 == 1;
        let words = piece.split(|c: char| c.is_whitespace() || "()[]{}<>\"',;".contains(c));
        for word in words.filter_map(|word| file_name(word, code)) {
            if all.len() < MAX_NAMED {
                let anywhere = !word.contains('/');
                all.insert(Wanted { path: word, anywhere });
            }
        }
    }
    all.into_iter().collect()
}

/// Returns the path that a word is, if it looks like one: `src/a.rs`, `README.md`; `Node.js` and `1.2` do not.
fn file_name(word: &str, code: bool) -> Option<String> {
    let word = word.trim_end_matches(['.', ':', '!', '?']);
    if word.contains("://") || word.contains('\\') || word.chars().count() > 200 {
        return None;
    }
    let path = normal(word);
    let name = path.rsplit('/').next()?;
    let (stem, ending) = name.rsplit_once('.')?;
    let plain = |c: char| c.is_alphanumeric() || "._-+@".contains(c);
    let letter = ending.starts_with(|c: char| c.is_ascii_alphabetic());
    if !letter || ending.len() > 10 || !path.chars().all(|c| plain(c) || c == '/') {
        return None;
    }
    let library = ending == "js" && stem.starts_with(char::is_uppercase);
    let known = ENDINGS.contains(&ending.to_ascii_lowercase().as_str());
    let marked = code || (path.contains('/') && !stem.is_empty());
    (marked || (known && !library && !stem.is_empty())).then_some(path)
}

/// Scores a seat's plan. A seat without a plan has no score, so it never gets here.
pub fn score(seat: usize, said: &PlanSaid, groups: &[Group], wanted: &[Wanted]) -> ScoreBreakdown {
    let (clarity, completeness) = (clarity(said), completeness(said, wanted));
    let (feasibility, consensus) = (feasibility(said), consensus(seat, groups));
    ScoreBreakdown {
        clarity,
        completeness,
        feasibility,
        consensus,
        total: clarity + completeness + feasibility + consensus,
    }
}

/// `each` points for each, at most `most`.
fn points(count: usize, each: u32, most: u32) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX).saturating_mul(each).min(most)
}

fn clarity(said: &PlanSaid) -> u32 {
    let long = |text: &str, least: usize| text.trim().chars().count() >= least;
    let count = |is: &dyn Fn(&PlanStep) -> bool| said.steps.iter().filter(|step| is(step)).count();
    let titles = count(&|step| long(&step.title, 5));
    let descriptions = count(&|step| long(&step.description, 20));
    let files = count(&|step| !step.files.is_empty());
    let any = if said.steps.is_empty() { 0 } else { 5 };
    let summary = if long(&said.summary, 20) { 3 } else { 0 };
    // 1.5 points are 3 halves.
    let halves = points(files, 3, 12);
    any + points(titles, 2, 8) + points(descriptions, 2, 8) + halves / 2 + summary
}

fn completeness(said: &PlanSaid, wanted: &[Wanted]) -> u32 {
    let files: BTreeSet<String> =
        (said.steps.iter()).flat_map(|step| &step.files).map(|file| normal(file)).collect();
    let covered = (wanted.iter()).filter(|wanted| files.iter().any(|file| wanted.is(file))).count();
    let coverage = match wanted.len() {
        0 => 10,
        all => u32::try_from(15 * covered / all).unwrap_or(15),
    };
    let phases: BTreeSet<String> = said.steps.iter().map(phase).collect();
    let phases = match phases.len() {
        0 | 1 => 0,
        2 => 3,
        _ => 5,
    };
    coverage + phases + points(said.risks.len(), 2, 5) + points(said.open_questions.len(), 2, 5)
}

fn phase(step: &PlanStep) -> String {
    step.phase.trim().to_lowercase()
}

fn feasibility(said: &PlanSaid) -> u32 {
    let count = said.steps.len();
    if count == 0 {
        return 0;
    }
    let in_order = if phases_in_order(&said.steps) { 5 } else { 0 };
    let valid = if said.dependencies_valid { 5 } else { 0 };
    let size = match count {
        3..=15 => 5,
        2 | 16..=20 => 3,
        _ => 1,
    };
    5 + in_order + valid + size
}

fn phases_in_order(steps: &[PlanStep]) -> bool {
    let mut phases: Vec<String> = steps.iter().map(phase).collect();
    phases.dedup();
    let distinct: BTreeSet<&String> = phases.iter().collect();
    let numbers: Option<Vec<u64>> = phases.iter().map(|phase| number(phase)).collect();
    distinct.len() == phases.len() && numbers.is_none_or(|numbers| numbers.is_sorted())
}

/// Returns the first number of a name.
fn number(name: &str) -> Option<u64> {
    let start = name.find(|c: char| c.is_ascii_digit())?;
    let digits = name[start..].split(|c: char| !c.is_ascii_digit()).next()?;
    digits.parse().ok()
}

fn consensus(seat: usize, groups: &[Group]) -> u32 {
    let own = || groups.iter().filter(|group| group.wrote(seat));
    let cast: usize = own().map(|group| group.votes().count()).sum();
    let agreeing: usize = own().map(|group| group.count(Stance::Agree)).sum();
    if cast == 0 {
        return 0;
    }
    u32::try_from(20 * agreeing / cast).unwrap_or(20)
}

/// Returns the seat with the highest total; equal ones by consensus, then clarity, then the order of the seats.
pub fn winner(scores: &[(usize, ScoreBreakdown)]) -> Option<usize> {
    let key = |(seat, score): &(usize, ScoreBreakdown)| {
        let seat = std::cmp::Reverse(*seat);
        (score.total, score.consensus, score.clarity, seat)
    };
    scores.iter().max_by_key(|each| key(each)).map(|(seat, _)| *seat)
}

#[cfg(test)]
mod tests;
