//! Which steps are the same, and which are not.

use proptest::prelude::*;

use super::super::model::PlanStep;
use super::super::testing::{judged, step, vendor};
use super::*;

/// Steps of one plan with given texts and files.
fn written(seat: usize, steps: &[(&str, &str, &[&str])]) -> Vec<Raised> {
    let step = |(at, (title, description, files)): (usize, &(&str, &str, &[&str]))| PlanStep {
        title: (*title).to_owned(),
        description: (*description).to_owned(),
        files: files.iter().map(|file| (*file).to_owned()).collect(),
        ..step(&format!("x{at}"), "work", &[])
    };
    let steps: Vec<PlanStep> = steps.iter().enumerate().map(step).collect();
    Raised::all(&steps, seat, &vendor(seat), 0)
}

fn together(one: (&str, &str, &[&str]), other: (&str, &str, &[&str])) -> bool {
    let raised = [written(0, &[one]), written(1, &[other])].concat();
    cluster(raised).len() == 1
}

#[test]
fn words_and_files_decide() {
    let files: &[&str] = &["src/cache.rs"];
    for (what, one, other, same) in [
        (
            "equal",
            ("Add the cache", "Keep values.", files),
            ("Add the cache", "Keep values.", files),
            true,
        ),
        // Keywords add cache store memory against add cache store disk: 3 of 5.
        (
            "six in ten",
            ("add cache", "store memory", files),
            ("add cache", "store disk", files),
            true,
        ),
        // add cache store memory against add cache disk file: 2 of 6.
        (
            "below it",
            ("add cache", "store memory", files),
            ("add cache", "disk file", files),
            false,
        ),
        (
            "other files",
            ("Add the cache", "Keep values.", files),
            ("Add the cache", "Keep values.", &["src/other.rs"]),
            false,
        ),
        (
            "one shared file",
            ("Add the cache", "Keep values.", &["a.rs", "b.rs"]),
            ("Add the cache", "Keep values.", &["b.rs", "c.rs"]),
            true,
        ),
        (
            "the same path",
            ("Add the cache", "Keep values.", files),
            ("Add the cache", "Keep values.", &["./src//cache.rs"]),
            true,
        ),
        (
            "the same name elsewhere",
            ("Add the cache", "Keep values.", files),
            ("Add the cache", "Keep values.", &["lib/cache.rs"]),
            false,
        ),
        (
            "no files",
            ("Agree on it", "Ask everybody.", &[]),
            ("Agree on it", "Ask everybody.", &[]),
            true,
        ),
        (
            "files on one side",
            ("Agree on it", "Ask everybody.", &[]),
            ("Agree on it", "Ask everybody.", files),
            false,
        ),
        ("no keyword at all", ("be it", "so", files), ("be it", "so", files), true),
        ("none, and others", ("be it", "so", files), ("it is", "so", files), false),
    ] {
        assert_eq!(together(one, other), same, "{what}");
        assert_eq!(together(other, one), same, "{what}, the other way");
    }
}

#[test]
fn two_steps_of_one_plan_stay_two() {
    let twice: &[(&str, &str, &[&str])] =
        &[("Add it", "Now.", &["a.rs"]), ("Add it", "Now.", &["a.rs"])];
    let groups = cluster([written(0, twice), written(1, &twice[..1])].concat());
    assert_eq!(groups.len(), 2);
    let authors: Vec<usize> = groups.iter().map(|group| group.authors().len()).collect();
    assert_eq!(authors, [2, 1]);
}

#[test]
fn ids_follow_the_words_and_not_the_authors() {
    let of = |seat, title| written(seat, &[(title, "Work.", &["a.rs"])]);
    let one = cluster([of(0, "Zebra"), of(1, "Apple")].concat());
    let other = cluster([of(0, "Apple"), of(1, "Zebra")].concat());
    for groups in [one, other] {
        let shown: Vec<(&str, &str)> =
            (groups.iter()).map(|group| (&*group.id, &*group.members[0].step.title)).collect();
        assert_eq!(shown, [("S1", "Apple"), ("S2", "Zebra")]);
    }
}

#[test]
fn what_was_missing_joins_or_opens_a_group() {
    let files: &[&str] = &["a.rs"];
    let mut groups = cluster(written(
        0,
        &[("Add the cache", "Keep values.", files), ("Test it", "Twice.", files)],
    ));
    groups[0] = judged(groups[0].clone(), ".a");
    let mut missing =
        written(1, &[("Add the cache", "Keep values!", files), ("Undo it", "If needed.", files)]);
    for raised in &mut missing {
        raised.round = 1;
    }
    assert_eq!(join(&mut groups, missing), 1);
    let ids: Vec<&str> = groups.iter().map(|group| &*group.id).collect();
    assert_eq!(ids, ["S1", "S2", "S3"]);
    assert_eq!(groups[0].members.len(), 2);
    // The judge has become an author: its vote is gone, its authorship counts.
    assert!(groups[0].judged.is_empty() && groups[0].wrote(1));
    assert_eq!(groups[0].members[0].seat, 0, "the first author's words stand");
}

proptest! {
    /// The seats' order changes neither the groups nor their ids, every step is in one group, and a plan at most once in each.
    #[test]
    fn groups_do_not_depend_on_the_order_of_seats(
        plans in proptest::collection::vec(proptest::collection::vec((0_usize..4, 0_usize..3), 1..5), 2..4),
    ) {
        let titles = ["add cache store", "add cache disk", "test cache", "write docs"];
        let files: [&[&str]; 3] = [&[], &["a.rs"], &["a.rs", "b.rs"]];
        let of = |seat: usize, plan: &Vec<(usize, usize)>| {
            let steps: Vec<(&str, &str, &[&str])> = plan.iter().map(|(title, file)| (titles[*title], "memory", files[*file])).collect();
            written(seat, &steps)
        };
        let forth: Vec<Raised> = plans.iter().enumerate().flat_map(|(seat, plan)| of(seat, plan)).collect();
        let groups = cluster(forth.clone());
        prop_assert_eq!(groups.iter().map(|group| group.members.len()).sum::<usize>(), forth.len());
        for group in &groups {
            prop_assert_eq!(group.authors().len(), group.members.len());
        }
        let mut mixed = forth;
        mixed.reverse();
        prop_assert_eq!(cluster(mixed), groups);
    }
}
