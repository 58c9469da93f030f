//! Each part of the score by hand from the specification, its caps, and who wins.

use proptest::prelude::*;

use super::super::model::PlanStep;
use super::super::testing::{group, judged, step, steps};
use super::*;

fn said(steps: Vec<PlanStep>) -> PlanSaid {
    PlanSaid {
        steps,
        summary: String::new(),
        risks: Vec::new(),
        open_questions: Vec::new(),
        dependencies_valid: true,
    }
}

fn many(count: usize, change: impl Fn(usize, &mut PlanStep)) -> PlanSaid {
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
        // A name without a directory means a file of that name anywhere; a path means itself.
        (&["docs/README.md"], 5),
        (&["lib/a.rs"], 0),
    ] {
        assert_eq!(completeness(&covering(named), &files), points, "{named:?}");
    }
    assert_eq!(completeness(&many(1, |_, _| {}), &[]), 10, "nothing is named");
    for (count, points) in [(1, 10), (2, 13), (3, 15), (7, 15)] {
        let phases = many(count, |at, step| step.phase = format!("p{at}"));
        assert_eq!(completeness(&phases, &[]), points, "{count} phases");
    }
    let same = many(3, |at, step| {
        step.phase = ["Build", "build ", "BUILD"][at].into();
    });
    assert_eq!(completeness(&same, &[]), 10);
    for (count, points) in [(1, 12), (2, 14), (3, 15), (9, 15)] {
        let mut risky = many(1, |_, _| {});
        risky.risks = vec!["r".into(); count];
        assert_eq!(completeness(&risky, &[]), points, "{count} risks");
        let mut asking = many(1, |_, _| {});
        asking.open_questions = vec!["q".into(); count];
        assert_eq!(completeness(&asking, &[]), points, "{count} questions");
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
        // One's own word is no vote.
        (&["a"], 0),
    ] {
        let groups: Vec<Group> = own.iter().map(|votes| judged(group("S1", &[0]), votes)).collect();
        assert_eq!(consensus(0, &groups), points, "{own:?}");
    }
    // Votes on steps of others count for them alone.
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
        ("Update src/a.rs, (lib/b.ts) and \"docs/c.md\"!", &["docs/c.md", "lib/b.ts", "src/a.rs"]),
        ("Move to Node.js 20.1 and version 1.2.3, e.g. now. See https://x.org/a.html", &[]),
        ("Run `cargo test` and `npm run a.b`", &["a.b"]),
        ("Fix and/or remove ../x and C:\\a.rs", &[]),
        ("Mend Dockerfile.dev in build/Dockerfile.dev", &["build/Dockerfile.dev"]),
        (".gitignore and .env", &[]),
        ("", &[]),
    ] {
        let found: Vec<String> = wanted(task, None).into_iter().map(|file| file.path).collect();
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

/// By total, then consensus, then clarity, then the order of the seats.
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

    /// Every component within its range, the total their sum, whatever a plan holds.
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
