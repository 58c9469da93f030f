//! A plan's score: 0 to 100, in integers, without AI (`docs/plan.md`, the score).
//!
//! | part | points |
//! |---|---|
//! | clarity 30 | 5 any step; 2 a title of 5 characters or more, at most 8; 2 a description of 20 or more, at most 8; 1.5 a step with files, at most 6, halves rounded down; 3 a summary of 20 characters or more |
//! | completeness 30 | 15 x share of the named or changed files that a step names, rounded down (10 if there are none); 5 for three phases or more, 3 for two; 2 a risk, at most 5; 2 a question, at most 5 |
//! | feasibility 20 | 5 any step; 5 phases in order; 5 dependencies valid as they were given; 5 for 3 to 15 steps, 3 for 2 to 20, else 1 |
//! | consensus 20 | 20 x share of agreeing votes among the votes that others cast on its steps, rounded down; 0 without votes |
//!
//! Phases are in order when none resumes after another one has begun, and, if every name contains a number, the
//! numbers never decrease.

use super::group::normal;
use super::model::{Group, PlanBlock, PlanStep, ScoreBreakdown, Stance};
use crate::change::Change;
use crate::ordered::{BTreeSet, Gather};

/// Maximum number of wanted files; beyond it, files named in the task no longer count.
const MAX_NAMED: usize = 200;

/// Endings of names that denote files even where a text does not mark them as code.
const ENDINGS: [&str; 44] = [
    "c", "cc", "cfg", "conf", "cpp", "cs", "css", "csv", "dart", "go", "gradle", "h", "hpp",
    "html", "ini", "java", "js", "json", "jsx", "kt", "lock", "lua", "m", "md", "php", "plist",
    "proto", "py", "rb", "rs", "scala", "sh", "sql", "svg", "swift", "toml", "ts", "tsx", "txt",
    "vue", "xml", "yaml", "yml", "zig",
];

/// Returns the files that a task names and those that a change contains. One without a folder may be anywhere.
pub(crate) fn wanted(task: &str, change: Option<&Change>) -> BTreeSet<String> {
    let changed = change.into_iter().flat_map(|change| &change.files);
    let mut all: BTreeSet<String> = changed.map(|file| normal(&file.path)).gather();
    // Every second piece between backticks is code.
    for (at, piece) in task.split('`').enumerate() {
        let code = at % 2 == 1;
        let words = piece.split(|c: char| c.is_whitespace() || "()[]{}<>\"',;".contains(c));
        for word in words.filter_map(|word| file_name(word, code)) {
            if all.len() < MAX_NAMED {
                all.insert(word);
            }
        }
    }
    all
}

/// Returns a word as a path, if it looks like one: `src/a.rs`, `README.md`; `Node.js` and `1.2` do not.
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

/// Scores a seat's plan. A seat without a plan is never scored.
pub(crate) fn score(
    seat: usize,
    said: &PlanBlock,
    groups: &[Group],
    wanted: &BTreeSet<String>,
) -> ScoreBreakdown {
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

/// Returns `each` points per item, at most `most`.
fn points(count: usize, each: u32, most: u32) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX).saturating_mul(each).min(most)
}

fn clarity(said: &PlanBlock) -> u32 {
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

fn completeness(said: &PlanBlock, wanted: &BTreeSet<String>) -> u32 {
    let files: BTreeSet<String> =
        (said.steps.iter()).flat_map(|step| &step.files).map(|file| normal(file)).gather();
    let is = |file: &str, wanted: &str| {
        file == wanted || !wanted.contains('/') && file.rsplit('/').next() == Some(wanted)
    };
    let covered = wanted.iter().filter(|path| files.iter().any(|file| is(file, path))).count();
    let coverage = match wanted.len() {
        0 => 10,
        all => u32::try_from(15 * covered / all).unwrap_or(15),
    };
    let phases: BTreeSet<String> = said.steps.iter().map(phase).gather();
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

fn feasibility(said: &PlanBlock) -> u32 {
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
    let distinct: BTreeSet<&String> = phases.iter().gather();
    let numbers: Option<Vec<u64>> = phases.iter().map(|phase| number(phase)).collect();
    distinct.len() == phases.len() && numbers.is_none_or(|numbers| numbers.is_sorted())
}

fn number(name: &str) -> Option<u64> {
    let start = name.find(|c: char| c.is_ascii_digit())?;
    let digits = name[start..].split(|c: char| !c.is_ascii_digit()).next()?;
    digits.parse().ok()
}

fn consensus(seat: usize, groups: &[Group]) -> u32 {
    let own = || groups.iter().filter(|group| group.wrote(seat));
    let cast = own().map(|group| group.votes().count()).sum::<usize>();
    let agreeing = own().map(|group| group.count(Stance::Agree)).sum::<usize>();
    if cast == 0 {
        return 0;
    }
    u32::try_from(20 * agreeing / cast).unwrap_or(20)
}

/// Returns the seat with the highest total; ties are broken by consensus, then clarity, then the order of the seats.
pub(crate) fn winner(scores: &[(usize, ScoreBreakdown)]) -> Option<usize> {
    let key = |(seat, score): &(usize, ScoreBreakdown)| {
        let seat = std::cmp::Reverse(*seat);
        (score.total, score.consensus, score.clarity, seat)
    };
    scores.iter().max_by_key(|each| key(each)).map(|(seat, _)| *seat)
}

#[cfg(test)]
mod tests {
    //! Tests of each part of the score, calculated by hand from the specification, of its caps, and of the winner.

    use proptest::prelude::*;

    use super::super::model::PlanStep;
    use super::super::testing::{group, judged, step, steps};
    use super::*;

    fn said(steps: Vec<PlanStep>) -> PlanBlock {
        PlanBlock {
            steps,
            summary: String::new(),
            risks: Vec::new(),
            open_questions: Vec::new(),
            dependencies_valid: true,
        }
    }

    fn many(count: usize, change: impl Fn(usize, &mut PlanStep)) -> PlanBlock {
        let one = |at: usize| {
            let mut step = PlanStep {
                title: "ab".to_owned(),
                description: "short".to_owned(),
                files: Vec::new(),
                ..step(&format!("n{at}"), "work", &[])
            };
            change(at, &mut step);
            step
        };
        said((0..count).map(one).collect())
    }

    #[test]
    fn clarity_counts_steps_titles_descriptions_files_and_the_summary() {
        for (what, plan, points) in [
            ("one bare step", many(1, |_, _| {}), 5),
            ("a title of five", many(1, |_, step| step.title = "abcde".into()), 7),
            ("a title of four", many(1, |_, step| step.title = "abcd ".into()), 5),
            ("four titles", many(4, |_, step| step.title = "abcde".into()), 13),
            ("the cap of titles", many(9, |_, step| step.title = "abcde".into()), 13),
            ("a description of twenty", many(1, |_, step| step.description = "x".repeat(20)), 7),
            ("one of nineteen", many(1, |_, step| step.description = "x".repeat(19)), 5),
            ("the cap of descriptions", many(9, |_, step| step.description = "x".repeat(20)), 13),
            // 1.5 points each, halves rounded down: 1, 3, 4, 6.
            ("one with files", many(1, |_, step| step.files = vec!["a".into()]), 6),
            ("two with files", many(2, |_, step| step.files = vec!["a".into()]), 8),
            ("three with files", many(3, |_, step| step.files = vec!["a".into()]), 9),
            ("four with files", many(4, |_, step| step.files = vec!["a".into()]), 11),
            ("the cap of files", many(9, |_, step| step.files = vec!["a".into()]), 11),
        ] {
            assert_eq!(clarity(&plan), points, "{what}");
        }
        for (chars, points) in [(19, 5), (20, 8)] {
            let mut plan = many(1, |_, _| {});
            plan.summary = "x".repeat(chars);
            assert_eq!(clarity(&plan), points);
        }
    }

    #[test]
    fn completeness_counts_coverage_phases_risks_and_questions() {
        let files = wanted("`src/a.rs` and `src/b.rs` and README.md", None);
        assert_eq!(files.len(), 3);
        let covering = |files: &[&str]| {
            let files: Vec<String> = files.iter().map(|file| (*file).to_owned()).collect();
            many(1, |_, step| step.files.clone_from(&files))
        };
        for (named, points) in [
            (&[][..], 0),
            (&["src/a.rs"], 5),
            (&["./src/a.rs", "src/b.rs"], 10),
            (&["src/a.rs", "src/b.rs", "README.md"], 15),
            // A name without a directory matches a file of that name anywhere; a path matches only itself.
            (&["docs/README.md"], 5),
            (&["lib/a.rs"], 0),
        ] {
            assert_eq!(completeness(&covering(named), &files), points, "{named:?}");
        }
        assert_eq!(completeness(&many(1, |_, _| {}), &BTreeSet::new()), 10, "nothing is named");
        for (count, points) in [(1, 10), (2, 13), (3, 15), (7, 15)] {
            let phases = many(count, |at, step| step.phase = format!("p{at}"));
            assert_eq!(completeness(&phases, &BTreeSet::new()), points, "{count} phases");
        }
        let same = many(3, |at, step| {
            step.phase = ["Build", "build ", "BUILD"][at].into();
        });
        assert_eq!(completeness(&same, &BTreeSet::new()), 10);
        for (count, points) in [(1, 12), (2, 14), (3, 15), (9, 15)] {
            let mut risky = many(1, |_, _| {});
            risky.risks = vec!["r".into(); count];
            assert_eq!(completeness(&risky, &BTreeSet::new()), points, "{count} risks");
            let mut asking = many(1, |_, _| {});
            asking.open_questions = vec!["q".into(); count];
            assert_eq!(completeness(&asking, &BTreeSet::new()), points, "{count} questions");
        }
    }

    #[test]
    fn feasibility_counts_order_dependencies_and_size() {
        for (count, points) in
            [(0, 0), (1, 16), (2, 18), (3, 20), (15, 20), (16, 18), (20, 18), (21, 16)]
        {
            assert_eq!(feasibility(&many(count, |_, _| {})), points, "{count} steps");
        }
        for (phases, points) in [
            (["a", "a", "b"], 20),
            (["a", "b", "a"], 15),
            (["b", "a", "a"], 20),
            (["2", "1", "1"], 15),
            (["1 build", "1 test", "2 ship"], 20),
            (["Phase 9", "Phase 10", "Phase 11"], 20),
            (["Phase 2", "Start", "Phase 1"], 20),
        ] {
            let plan = many(3, |at, step| step.phase = phases[at].into());
            assert_eq!(feasibility(&plan), points, "{phases:?}");
        }
        let mut dropped = many(3, |_, _| {});
        dropped.dependencies_valid = false;
        assert_eq!(feasibility(&dropped), 15);
    }

    #[test]
    fn consensus_is_the_share_of_agreeing_votes_of_others() {
        for (own, points) in [
            (&[""][..], 0),
            (&["."], 0),
            (&[".a"], 20),
            (&[".d"], 0),
            (&[".m"], 0),
            (&[".ad"], 10),
            (&[".aad"], 13),
            (&[".a", ".d", ".d"], 6),
            // A seat's judgement on its own step is not a vote.
            (&["a"], 0),
        ] {
            let groups: Vec<Group> =
                own.iter().map(|votes| judged(group("S1", &[0]), votes)).collect();
            assert_eq!(consensus(0, &groups), points, "{own:?}");
        }
        // Votes on steps of others count only for those others.
        assert_eq!(consensus(0, &[judged(group("S1", &[1]), "a")]), 0);
        assert_eq!(consensus(1, &[judged(group("S1", &[0, 1]), "..a")]), 20);
    }

    #[test]
    fn files_are_found_in_a_task() {
        for (task, expected) in [
            (
                "Add a cache to `src/store.rs` and describe it in README.md.",
                &["README.md", "src/store.rs"][..],
            ),
            (
                "Update src/a.rs, (lib/b.ts) and \"docs/c.md\"!",
                &["docs/c.md", "lib/b.ts", "src/a.rs"],
            ),
            ("Move to Node.js 20.1 and version 1.2.3, e.g. now. See https://x.org/a.html", &[]),
            ("Run `cargo test` and `npm run a.b`", &["a.b"]),
            ("Fix and/or remove ../x and C:\\a.rs", &[]),
            ("Mend Dockerfile.dev in build/Dockerfile.dev", &["build/Dockerfile.dev"]),
            (".gitignore and .env", &[]),
            ("", &[]),
        ] {
            let found: Vec<String> = wanted(task, None).into_iter().collect();
            assert_eq!(found, expected, "{task}");
        }
        let names: Vec<String> = (0..1_000).map(|at| format!("f{at}.rs")).collect();
        let long = names.join(" ");
        assert_eq!(wanted(&long, None).len(), MAX_NAMED);
    }

    #[test]
    fn a_change_s_files_are_wanted_by_their_paths() {
        let file = crate::change::ChangedFile {
            path: "src/new.rs".to_owned(),
            old_path: None,
            kind: crate::change::ChangeKind::Added,
            modes: None,
            hunks: Vec::new(),
            lines: None,
            text: None,
        };
        let change = Change { files: vec![file], ..Change::default() };
        let wanted = wanted("Finish it.", Some(&change));
        let named = |path: &str| many(1, |_, step| step.files = vec![path.to_owned()]);
        assert_eq!(completeness(&named("src/new.rs"), &wanted), 15);
        assert_eq!(completeness(&named("lib/new.rs"), &wanted), 0);
    }

    /// Ranked by total, then consensus, then clarity, then the order of the seats.
    #[test]
    fn the_winner_is_chosen_in_four_steps() {
        let of = |total, consensus, clarity| ScoreBreakdown {
            clarity,
            consensus,
            total,
            ..ScoreBreakdown::default()
        };
        for (scores, expected) in [
            (&[][..], None),
            (&[(1, of(0, 0, 0))], Some(1)),
            (&[(0, of(50, 9, 9)), (1, of(51, 0, 0))], Some(1)),
            (&[(0, of(50, 1, 9)), (1, of(50, 2, 0))], Some(1)),
            (&[(0, of(50, 2, 1)), (1, of(50, 2, 2))], Some(1)),
            (&[(0, of(50, 2, 2)), (1, of(50, 2, 2))], Some(0)),
            (&[(2, of(50, 2, 2)), (1, of(50, 2, 2))], Some(1)),
        ] {
            assert_eq!(winner(scores), expected, "{scores:?}");
        }
    }

    #[test]
    fn the_best_plan_has_a_hundred_points() {
        let mut plan = said(steps("abcd"));
        for (at, step) in plan.steps.iter_mut().enumerate() {
            step.phase = format!("phase {at}");
            step.title = "abcde".to_owned();
            step.description = "x".repeat(20);
        }
        plan.summary = "x".repeat(20);
        plan.risks = vec!["r".into(); 3];
        plan.open_questions = vec!["q".into(); 3];
        let groups = [judged(group("S1", &[0]), ".aa")];
        let best = score(0, &plan, &groups, &wanted("src/a.rs", None));
        assert_eq!(
            (best.clarity, best.completeness, best.feasibility, best.consensus),
            (30, 30, 20, 20)
        );
        assert_eq!(best.total, 100);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// Every component is within its range, and the total is their sum, for any plan.
        #[test]
        fn scores_stay_within_their_ranges(
            texts in proptest::collection::vec(("[a-c1-3 ]{0,8}", "[a-z]{0,30}", 0_usize..3), 0..130),
            lines in (0_usize..60, 0_usize..60, any::<bool>()),
            votes in proptest::collection::vec("[.adm]{0,4}", 0..6),
            task in "[a-z./ `]{0,60}",
        ) {
            let mut plan = many(texts.len(), |at, step| {
                let (phase, description, files) = &texts[at];
                step.phase.clone_from(phase);
                step.title.clone_from(description);
                step.description.clone_from(description);
                step.files = vec![format!("{description}.rs"); *files];
            });
            plan.risks = vec!["r".into(); lines.0];
            plan.open_questions = vec!["q".into(); lines.1];
            plan.dependencies_valid = lines.2;
            let groups: Vec<Group> = votes.iter().map(|votes| judged(group("S1", &[0]), votes)).collect();
            let score = score(0, &plan, &groups, &wanted(&task, None));
            prop_assert!(score.clarity <= 30 && score.completeness <= 30 && score.feasibility <= 20 && score.consensus <= 20);
            prop_assert_eq!(score.total, score.clarity + score.completeness + score.feasibility + score.consensus);
        }
    }
}
