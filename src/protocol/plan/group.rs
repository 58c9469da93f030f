//! Grouping of the steps of several plans that are the same.
//!
//! Two steps are the same when the words of title and description are alike (Jaccard index of their keywords,
//! [`LEAST_ALIKE`] or more, or equal texts) **and** their files overlap. Steps that both name no file are compared by
//! their words alone: no file contradicts it, and two purely organisational plans could otherwise never agree. A step
//! with files and one without do not overlap. Of two steps with the same files, one also repeats the other if two thirds
//! of its keywords stand in it. Two steps of one plan are never the same: their author distinguished
//! them, and dependencies run between them.
//!
//! What the words do not show, a judge can say (`same_as`): [`join_same`] joins such groups by rule.

use std::cmp::Reverse;

use super::model::{AuthoredStep, Group, JoinedGroup, SameClaim, SeatJudgement, Stance};
use crate::ordered::{BTreeMap, BTreeSet, Gather};
use crate::protocol::council::group;
use crate::text::Note;
use crate::text::similarity::{self, Keywords};

/// The minimum similarity of the words (`docs/plan.md`: 0.6), as a fraction in integers.
pub(crate) const LEAST_ALIKE: (usize, usize) = (6, 10);

struct StepText {
    text: String,
    words: Keywords,
    files: BTreeSet<String>,
}

impl StepText {
    fn new(raised: &AuthoredStep) -> Self {
        let step = &raised.step;
        let words: Vec<&str> = [&step.title, &step.description]
            .into_iter()
            .flat_map(|text| text.split_whitespace())
            .collect();
        Self {
            text: words.join(" "),
            words: similarity::keywords([&*step.title, &*step.description]),
            files: step.files.iter().map(|file| normal(file)).gather(),
        }
    }

    /// Returns the similarity of two steps in thousandths; `None` if they are not the same.
    fn same(&self, other: &Self) -> Option<usize> {
        let overlap = if self.files.is_empty() && other.files.is_empty() {
            true
        } else {
            !self.files.is_disjoint(&other.files)
        };
        if !overlap {
            return None;
        }
        if self.text == other.text {
            return Some(1000);
        }
        let shared = self.words.intersection(&other.words).count();
        let all = self.words.len() + other.words.len() - shared;
        let (part, whole) = LEAST_ALIKE;
        let fewer = self.words.len().min(other.words.len());
        let contained = fewer >= 3 && 3 * shared >= 2 * fewer;
        let repeats = contained && !self.files.is_empty() && self.files == other.files;
        (all > 0 && (repeats || shared * whole >= all * part)).then(|| shared * 1000 / all)
    }
}

/// Returns a path without its empty and `.` parts: `./src//a.rs` is `src/a.rs`.
pub(crate) fn normal(path: &str) -> String {
    let parts: Vec<&str> =
        path.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    parts.join("/")
}

/// Returns the name of a phase, to compare it with another: lower-case words without the numbering before them.
pub(crate) fn phase(text: &str) -> String {
    let lower = text.to_lowercase();
    let words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let counts = |word: &&str| *word == "phase" || word.bytes().all(|byte| byte.is_ascii_digit());
    let name: Vec<&str> = words.skip_while(counts).collect();
    if name.is_empty() { lower } else { name.join(" ") }
}

/// Returns the sort key of a step: its words, files and place; the key, which names the author, only if all else is
/// equal.
fn canonical(raised: &AuthoredStep) -> impl Ord + use<> {
    let step = raised.step.clone();
    (
        step.title,
        step.description,
        step.phase,
        step.files,
        step.acceptance,
        raised.place,
        raised.key.clone(),
    )
}

/// Groups the steps of independent plans. Ids follow the steps' words, so they reveal nothing about the authors.
pub(crate) fn cluster(mut raised: Vec<AuthoredStep>) -> Vec<Group> {
    raised.sort_by_cached_key(canonical);
    let prepared: Vec<StepText> = raised.iter().map(StepText::new).collect();
    // A group contains each seat at most once.
    let apart = |one: usize, other: usize| raised[one].seat == raised[other].seat;
    let alike = |one: usize, other: usize| {
        prepared[one].same(&prepared[other]).filter(|_| !apart(one, other))
    };
    let groups = group::cluster(raised.len(), alike, apart);
    let steps = |members: Vec<usize>| members.into_iter().map(|at| raised[at].clone()).collect();
    (1..).zip(groups).map(|(number, members)| Group::new(number, steps(members))).collect()
}

/// Adds missing steps: each joins the group that it is most similar to, or opens a new one. Existing groups keep
/// their ids and never merge; a seat that becomes an author loses its judgement. Returns the number of new groups.
pub(crate) fn join(groups: &mut Vec<Group>, mut raised: Vec<AuthoredStep>) -> usize {
    raised.sort_by_cached_key(canonical);
    let before = groups.len();
    // Joined groups keep their numbers.
    let ids = groups.iter().flat_map(Group::ids);
    let mut last = ids.map(number).max().unwrap_or_default();
    let mut known: Vec<Vec<StepText>> =
        (groups.iter()).map(|group| group.members.iter().map(StepText::new).collect()).collect();
    for step in raised {
        let prepared = StepText::new(&step);
        if let Some(at) = group::best(&known, |member| member.same(&prepared)) {
            groups[at].judged.remove(&step.seat);
            groups[at].members.push(step);
            known[at].push(prepared);
        } else {
            last += 1;
            groups.push(Group::new(last, vec![step]));
            known.push(vec![prepared]);
        }
    }
    groups.len() - before
}

fn number(id: &str) -> usize {
    id.trim_start_matches('S').parse().unwrap_or_default()
}

/// Joins the groups of which judges say that they are the same. Returns the number of groups that were joined, and
/// notes on those that stay apart.
///
/// Two groups stay apart if a seat that does not say so itself disagrees with one of them (an objection to one half
/// is no objection to the other), or if a planner has a step of its own plan in each: its author told them apart.
/// Nothing is lost: all members stay, with their files, dependencies and criteria. Of a seat's judgements on both
/// halves the later one counts, and of two of the same round the one that agrees less.
pub(crate) fn join_same(groups: &mut Vec<Group>, claims: Vec<SameClaim>) -> (usize, Vec<Note>) {
    let mut pairs: BTreeMap<(usize, usize), Vec<SameClaim>> = BTreeMap::new();
    for claim in claims {
        let [one, other] = claim.ids.each_ref().map(|id| number(id));
        pairs.entry((one.min(other), one.max(other))).or_default().push(claim);
    }
    let mut pairs: Vec<_> = pairs.into_iter().collect();
    // What more seats say comes first.
    pairs.sort_by_key(|(pair, said)| (Reverse(said.len()), *pair));
    let (mut joined, mut notes) = (0, Vec::new());
    for ((one, other), said) in pairs {
        let at = |wanted: usize| groups.iter().position(|group| group.is(&format!("S{wanted}")));
        let (Some(one), Some(other)) = (at(one), at(other)) else { continue };
        if one == other {
            continue;
        }
        let (into, from) = (one.min(other), one.max(other));
        if let Some(why) = apart(&groups[into], &groups[from], &said) {
            let message = format!("{} and {} stay apart: {why}", groups[into].id, groups[from].id);
            notes.push(Note::new("not_joined", message));
            continue;
        }
        let from = groups.remove(from);
        let into = &mut groups[into];
        let authors: BTreeSet<usize> = into.authors().union(&from.authors()).copied().gather();
        into.members.extend(from.members);
        for (seat, judged) in from.judged {
            let rank = |judged: &SeatJudgement| {
                let agrees_less = match judged.stance {
                    Stance::Agree => 0,
                    Stance::Modify => 1,
                    Stance::Disagree => 2,
                };
                (judged.round, agrees_less)
            };
            let held = into.judged.entry(seat).or_insert_with(|| judged.clone());
            if rank(&judged) > rank(held) {
                *held = judged;
            }
        }
        into.judged.retain(|seat, _| !authors.contains(seat));
        into.joined.push(JoinedGroup { id: from.id, said });
        into.joined.extend(from.joined);
        joined += 1;
    }
    (joined, notes)
}

/// Returns the reason why two groups that are called the same stay apart, if there is one.
fn apart(one: &Group, other: &Group, said: &[SameClaim]) -> Option<&'static str> {
    let planners = |group: &Group| -> BTreeSet<usize> {
        let planned = group.members.iter().filter(|raised| raised.round == 0);
        planned.map(|raised| raised.seat).gather()
    };
    if !planners(one).is_disjoint(&planners(other)) {
        return Some("one planner has both in its plan");
    }
    let says = |seat: usize| said.iter().any(|claim| claim.seat == seat);
    let opposed = [one, other].into_iter().flat_map(Group::votes);
    let mut opposed = opposed.filter(|(_, judged)| judged.stance == Stance::Disagree);
    opposed.any(|(seat, _)| !says(seat)).then_some("one of them is disputed")
}

#[cfg(test)]
mod tests {
    //! Tests of which steps are the same.

    use proptest::prelude::*;

    use super::super::model::PlanStep;
    use super::super::testing::{judged, step, vendor};
    use super::*;

    fn written(seat: usize, steps: &[(&str, &str, &[&str])]) -> Vec<AuthoredStep> {
        let step = |(at, (title, description, files)): (usize, &(&str, &str, &[&str]))| PlanStep {
            title: (*title).to_owned(),
            description: (*description).to_owned(),
            files: files.iter().map(|file| (*file).to_owned()).collect(),
            ..step(&format!("x{at}"), "work", &[])
        };
        let steps: Vec<PlanStep> = steps.iter().enumerate().map(step).collect();
        AuthoredStep::all(&steps, seat, &vendor(seat), 0)
    }

    /// The title and the text of a step, and its files.
    type Words<'a> = ((&'a str, &'a str), &'a [&'a str]);

    fn together(one: Words<'_>, other: Words<'_>) -> bool {
        let of = |seat, ((title, text), files): Words<'_>| written(seat, &[(title, text, files)]);
        let raised = [of(0, one), of(1, other)].concat();
        cluster(raised).len() == 1
    }

    #[test]
    fn words_and_files_decide() {
        let (cache, ask, none) =
            (("Add the cache", "Keep values."), ("Agree on it", "Ask everybody."), ("be it", "so"));
        let (memory, disk) = (("add cache", "store memory"), ("add cache", "store disk"));
        let long = (
            "Keep values between two starts",
            "Add a cache that can store what was read from disk.",
        );
        let files: &[&str] = &["src/cache.rs"];
        let two: &[&str] = &["src/cache.rs", "src/main.rs"];
        for (what, one, other, same) in [
            ("equal", (cache, files), (cache, files), true),
            // Keywords add cache store memory against add cache store disk: 3 of 5.
            ("six in ten", (memory, files), (disk, files), true),
            // add cache store memory against add cache disk file: 2 of 6.
            ("below it", (memory, files), (("add cache", "disk file"), files), false),
            ("other files", (cache, files), (cache, &["src/other.rs"]), false),
            ("one shared file", (cache, &["a.rs", "b.rs"]), (cache, &["b.rs", "c.rs"]), true),
            ("the same path", (cache, files), (cache, &["./src//cache.rs"]), true),
            ("the same name elsewhere", (cache, files), (cache, &["lib/cache.rs"]), false),
            // add, cache, store: all in the other.
            ("contained", (("Add the cache", "Store it"), files), (long, files), true),
            ("with more files", (("Add the cache", "Store it"), files), (long, two), false),
            ("without files", (("Add the cache", "Store it"), &[]), (long, &[]), false),
            ("no files", (ask, &[]), (ask, &[]), true),
            ("files on one side", (ask, &[]), (ask, files), false),
            ("no keyword at all", (none, files), (none, files), true),
            ("none, and others", (none, files), (("it is", "so"), files), false),
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
        let mut missing = written(
            1,
            &[("Add the cache", "Keep values!", files), ("Undo it", "If needed.", files)],
        );
        for raised in &mut missing {
            raised.round = 1;
        }
        assert_eq!(join(&mut groups, missing), 1);
        let ids: Vec<&str> = groups.iter().map(|group| &*group.id).collect();
        assert_eq!(ids, ["S1", "S2", "S3"]);
        assert_eq!(groups[0].members.len(), 2);
        // The judge has become an author: its vote is removed, its authorship counts.
        assert!(groups[0].judged.is_empty() && groups[0].wrote(1));
        assert_eq!(groups[0].members[0].seat, 0, "the first author's words stand");
    }

    fn same(seat: usize, one: &str, other: &str) -> SameClaim {
        SameClaim {
            seat,
            ids: [one.to_owned(), other.to_owned()],
            reason: "Both do it.".to_owned(),
            description: None,
        }
    }

    /// Groups of one step each: `S1` by the first seat, and so on.
    fn apart_by(seats: &[usize], stances: &[&str]) -> Vec<Group> {
        let groups = seats.iter().zip(stances).zip(1..);
        groups
            .map(|((seat, stances), at)| {
                judged(super::super::testing::group(&format!("S{at}"), &[*seat]), stances)
            })
            .collect()
    }

    fn keys(groups: &[Group]) -> BTreeSet<String> {
        groups.iter().flat_map(|group| &group.members).map(|raised| raised.key.clone()).collect()
    }

    #[test]
    fn groups_are_joined_unless_disputed_or_of_one_plan() {
        for (what, seats, stances, claims, left) in [
            ("one says so", &[0, 1][..], &["", ""][..], &[(0, "S2", "S1")][..], &["S1"][..]),
            ("the other too", &[0, 1], &["", ""], &[(0, "S2", "S1"), (1, "S1", "S2")], &["S1"]),
            (
                "its own disagreement is about the repeat",
                &[0, 1],
                &["", "d"],
                &[(0, "S2", "S1")],
                &["S1"],
            ),
            ("the other disagrees", &[0, 1], &[".d", ""], &[(0, "S2", "S1")], &["S1", "S2"]),
            ("a third disagrees", &[0, 1], &["", "..d"], &[(0, "S2", "S1")], &["S1", "S2"]),
            ("a third wants it changed", &[0, 1], &["", "..m"], &[(0, "S2", "S1")], &["S1"]),
            ("one plan", &[1, 1], &["", ""], &[(0, "S2", "S1")], &["S1", "S2"]),
            ("in a row", &[0, 1, 2], &["", "", ""], &[(0, "S2", "S1"), (1, "S3", "S2")], &["S1"]),
            // Two seats say that S3 is S2, one that it is S1: more come first.
            (
                "more come first",
                &[1, 1, 0],
                &["", "", ""],
                &[(2, "S3", "S1"), (0, "S3", "S2"), (1, "S2", "S3")],
                &["S1", "S2"],
            ),
            ("unknown", &[0, 1], &["", ""], &[(0, "S2", "S9")], &["S1", "S2"]),
        ] {
            let mut groups = apart_by(seats, stances);
            let all = keys(&groups);
            let claims = claims.iter().map(|(seat, one, other)| same(*seat, one, other));
            let (joined, notes) = join_same(&mut groups, claims.collect());
            let ids: Vec<&str> = groups.iter().map(|group| &*group.id).collect();
            assert_eq!(ids, left, "{what}");
            assert_eq!(joined, seats.len() - left.len(), "{what}");
            assert_eq!(keys(&groups), all, "{what}: no step is lost");
            assert!(groups.iter().all(|group| group.judged.keys().all(|seat| !group.wrote(*seat))));
            assert!(notes.iter().all(|note| note.code == "not_joined"), "{what}");
        }
    }

    #[test]
    fn of_two_judgements_the_later_counts_and_then_the_one_that_agrees_less() {
        for (one, other, expected) in [
            (("a", 1), ("m", 1), Stance::Modify),
            (("m", 1), ("a", 1), Stance::Modify),
            (("m", 1), ("a", 2), Stance::Agree),
        ] {
            let mut groups = apart_by(&[0, 1], &["", ""]);
            for (group, (letter, round)) in groups.iter_mut().zip([one, other]) {
                *group = judged(group.clone(), &format!("..{letter}"));
                group.judged.get_mut(&2).unwrap().round = round;
            }
            join_same(&mut groups, vec![same(0, "S2", "S1")]);
            assert_eq!(groups[0].judged[&2].stance, expected);
        }
    }

    #[test]
    fn a_joined_group_keeps_its_ids_and_new_groups_get_others() {
        let mut groups = apart_by(&[0, 1], &["", ""]);
        join_same(&mut groups, vec![same(0, "S2", "S1")]);
        assert!(groups[0].is("S2") && groups[0].contains("S2") && groups[0].contains("s2.s2"));
        join(&mut groups, written(1, &[("Undo it", "If needed.", &[])]));
        assert_eq!(groups[1].id, "S3");
    }

    proptest! {
        /// The order of the seats changes neither the groups nor their ids; every step is in exactly one group, and
        /// each group has at most one step per plan.
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
            let forth: Vec<AuthoredStep> = plans.iter().enumerate().flat_map(|(seat, plan)| of(seat, plan)).collect();
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
}
