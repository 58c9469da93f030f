//! Which points are grouped, which differ, and which are left apart.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::likeness::Words;
use super::samples::{point, voice, voices};
use super::*;
use crate::protocol::discuss::model::PointKind::{
    MissingRequirement, Risk, Strength, Suggestion, Weakness,
};

#[test]
fn what_two_raise_is_a_theme_with_its_members() {
    let voices = [
        voice("product", 3).says(Weakness, &["The API has no rate limit.", "It is dear."]),
        voice("technical", 3).says(Suggestion, &["Give the API a rate limit."]),
        voice("quality", 3).says(Strength, &["The pictures are pretty."]),
    ];
    let expected = Theme {
        text: "The API has no rate limit.".to_owned(),
        perspectives: vec!["product".to_owned(), "technical".to_owned()],
        members: vec![
            point("product", Weakness, "The API has no rate limit."),
            point("technical", Suggestion, "Give the API a rate limit."),
        ],
    };
    let grouped = group(&voices);
    assert_eq!(grouped.themes, [expected]);
    assert_eq!(grouped.views, []);
    assert_eq!(group(&[]), ThemeGroups::default());
}

#[test]
fn what_one_praises_and_another_faults_is_a_view() {
    let (good, bad) =
        ("The success metrics are measurable.", "The success metrics cannot be measured.");
    for fault in [Weakness, Risk, MissingRequirement] {
        let voices =
            [voice("product", 5).says(Strength, &[good]), voice("quality", 2).says(fault, &[bad])];
        let expected = View {
            text: good.to_owned(),
            severity: Severity::Low,
            praised_by: vec!["product".to_owned()],
            faulted_by: vec!["quality".to_owned()],
            members: vec![point("product", Strength, good), point("quality", fault, bad)],
        };
        let grouped = group(&voices);
        assert_eq!(grouped.views, [expected]);
        assert_eq!(grouped.themes, []);
    }
}

/// Perspectives and kinds of points with one text; the expected numbers of themes and views.
type Row<'a> = (&'a [(&'a str, PointKind)], usize, usize);

#[test]
fn a_view_takes_praise_of_one_and_a_fault_of_another() {
    let rows: [Row<'_>; 9] = [
        (&[("a", Strength), ("b", Weakness)], 0, 1),
        // A perspective's own praise and own fault are one opinion.
        (&[("a", Strength), ("a", Weakness)], 0, 0),
        // Another perspective praises too: now they differ.
        (&[("a", Strength), ("a", Weakness), ("b", Strength)], 0, 1),
        (&[("a", Strength), ("a", Weakness), ("b", Weakness)], 0, 1),
        // A suggestion is neither praise nor fault.
        (&[("a", Strength), ("b", Suggestion)], 1, 0),
        (&[("a", Weakness), ("b", Suggestion)], 1, 0),
        (&[("a", Strength), ("a", Weakness), ("b", Suggestion)], 1, 0),
        (&[("a", Weakness), ("b", MissingRequirement)], 1, 0),
        // A single perspective makes no theme, whatever it repeats.
        (&[("a", Weakness), ("a", Suggestion), ("a", Risk)], 0, 0),
    ];
    for (said, themes, views) in rows {
        let voices = ["a", "b"].map(|name| {
            let own = said.iter().filter(|(who, _)| *who == name);
            own.fold(voice(name, 3), |voice, (_, kind)| {
                voice.says(*kind, &["The rollout plan is what it is."])
            })
        });
        let grouped = group(&voices);
        let counts = (grouped.themes.len(), grouped.views.len());
        assert_eq!(counts, (themes, views), "{said:?}");
    }
}

#[test]
fn views_name_all_who_praise_and_all_who_fault() {
    let text = "The rollout plan is staged.";
    let voices = [
        voice("a", 3).says(Strength, &[text]).says(Weakness, &[text]),
        voice("b", 3).says(Strength, &[text]),
        voice("c", 3).says(Risk, &[text]),
        voice("d", 3).says(Suggestion, &[text]),
    ];
    let views = group(&voices).views;
    assert_eq!(views.len(), 1);
    assert_eq!(views[0].praised_by, ["a", "b"]);
    assert_eq!(views[0].faulted_by, ["a", "c"]);
    assert_eq!(views[0].members.len(), 5);
}

#[test]
fn most_voices_come_first_then_the_order_asked() {
    let two = "Nobody owns the budget of the project.";
    let three = "The onboarding flow is too long.";
    let other = "Backups are never restored as a test.";
    let voices = [
        voice("a", 3).says(Weakness, &[two, three]),
        voice("b", 3).says(Weakness, &[other, three]),
        voice("c", 3).says(Weakness, &[two, three, other]),
    ];
    let texts: Vec<String> = (group(&voices).themes.into_iter()).map(|theme| theme.text).collect();
    assert_eq!(texts, [three, two, other]);
}

#[test]
fn the_member_most_alike_to_all_stands_for_them() {
    let voices = [
        voice("a", 3).says(Weakness, &["The onboarding flow is too long for new users."]),
        voice("b", 3).says(Weakness, &["The onboarding flow is too long."]),
        voice("c", 3).says(Weakness, &["The onboarding is too long."]),
    ];
    let themes = group(&voices).themes;
    assert_eq!(themes.len(), 1);
    assert_eq!(themes[0].members.len(), 3);
    assert_eq!(themes[0].text, "The onboarding flow is too long.");
}

#[test]
fn nothing_is_joined_by_what_lies_between() {
    let voices = [
        voice("a", 3).says(Weakness, &["The session timeout of 30 seconds is too short."]),
        voice("b", 3).says(Weakness, &["The session timeout is too short."]),
        voice("c", 3).says(Risk, &["The session timeout of 45 seconds is too short."]),
    ];
    let themes = group(&voices).themes;
    assert_eq!(themes.len(), 1);
    assert_eq!(themes[0].perspectives, ["a", "b"]);
}

#[test]
fn one_list_tells_its_points_apart_and_says_a_text_once() {
    let (one, other) = ("The export of reports is too slow.", "The export of reports is slow.");
    let voices = [
        voice("a", 3).says(Weakness, &[one, other, one, " ", &format!(" {one}")]),
        voice("b", 3).says(Weakness, &[one]),
    ];
    assert_eq!(points(&voices[0], Weakness).len(), 2);
    let themes = group(&voices).themes;
    assert_eq!(themes.len(), 1);
    assert_eq!(themes[0].members, [point("a", Weakness, one), point("b", Weakness, one)]);
}

/// Two points of two perspectives, and whether they are grouped.
#[test]
fn what_speaks_against_it_keeps_points_apart() {
    let rows = [
        // The same words, whatever the case and punctuation.
        (Weakness, "No tests", Weakness, "no tests!", true),
        (Risk, "供应商可能退出", Weakness, "供应商可能退出。", true),
        (Risk, "供应商可能退出", Risk, "时间太短", false),
        // Different ids; a point without an id may be the same.
        (
            MissingRequirement,
            "FR-12: filter the reports",
            MissingRequirement,
            "FR-17: filter the reports",
            false,
        ),
        (
            MissingRequirement,
            "FR-12: filter the reports",
            MissingRequirement,
            "(fr-12) filter the reports",
            true,
        ),
        (
            MissingRequirement,
            "FR-12: filter the reports",
            Weakness,
            "There is no filter for the reports",
            true,
        ),
        // One pattern, two subjects.
        (
            Weakness,
            "There is no test plan for the mobile client.",
            Weakness,
            "There is no release plan for the mobile client.",
            false,
        ),
        (
            Suggestion,
            "Let users choose the language of the interface.",
            Suggestion,
            "Let users choose the time zone of the interface.",
            false,
        ),
        // A stating verb is not a subject, nor is a stop word.
        (
            Weakness,
            "The document does not define a test plan for the client.",
            Weakness,
            "The document does not describe a test plan for the client.",
            true,
        ),
        (
            Suggestion,
            "Define a test plan for the client.",
            Suggestion,
            "Write a test plan for the client.",
            true,
        ),
        (
            Weakness,
            "There is no test plan for the client.",
            Weakness,
            "There is no test plan for a client.",
            true,
        ),
        // Contrary advice.
        (
            Suggestion,
            "Cache the session data in Redis.",
            Suggestion,
            "Do not cache the session data in Redis.",
            false,
        ),
        (
            Weakness,
            "The session data is cached in Redis.",
            Suggestion,
            "Do not cache the session data in Redis.",
            true,
        ),
        // Nothing in common.
        (Weakness, "Pricing is not covered.", Weakness, "The queue is never drained.", false),
        // Nothing to compare.
        (Weakness, "!!!", Weakness, "!!!", false),
    ];
    for (kind, one, other_kind, other, expected) in rows {
        let points = [point("a", kind, one), point("b", other_kind, other)];
        let together = Clusters::of(&points).groups().len() == 1;
        assert_eq!(together, expected, "{one} / {other}");
        let turned = [points[1].clone(), points[0].clone()];
        assert_eq!(Clusters::of(&turned).groups().len() == 1, expected);
    }
}

#[test]
fn somebody_who_writes_the_same_in_hundreds_of_ways_is_bounded() {
    let texts: Vec<String> = (0..40)
        .map(|number| {
            let fill = "very ".repeat(number);
            format!("Cache the {fill}session data of all users in Redis.")
        })
        .collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let voices = ["a", "b", "c"].map(|name| voice(name, 3).says(Suggestion, &texts));
    let grouped = group(&voices);
    let members: usize = grouped.themes.iter().map(|theme| theme.members.len()).sum();
    assert!((2..=120).contains(&members), "{members}");
}

type Sets = BTreeSet<BTreeSet<Point>>;

fn sets(grouped: &ThemeGroups) -> (Sets, Sets) {
    let set = |members: &Vec<Point>| members.iter().cloned().collect();
    (
        grouped.themes.iter().map(|one| set(&one.members)).collect(),
        grouped.views.iter().map(|one| set(&one.members)).collect(),
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_point_is_in_one_group_at_most_and_as_it_was_written(voices in voices()) {
        let all: Vec<Point> = (voices.iter())
            .flat_map(|voice| KINDS.into_iter().flat_map(|kind| points(voice, kind)))
            .collect();
        let clusters = Clusters::of(&all);
        let mut seen: Vec<usize> = clusters.groups().iter().flatten().copied().collect();
        seen.sort_unstable();
        prop_assert_eq!(seen, (0..all.len()).collect::<Vec<_>>());
        let mut words = Words::default();
        let traits: Vec<_> = all.iter().map(|one| words.traits(one.kind, &one.text)).collect();
        for members in clusters.groups() {
            for (at, one) in members.iter().enumerate() {
                for other in &members[..at] {
                    prop_assert!(traits[*one].alike(&traits[*other]).is_some());
                    let list = |at: usize| (all[at].perspective.clone(), all[at].kind);
                    prop_assert_ne!(list(*one), list(*other));
                }
            }
        }
        let grouped = group(&voices);
        let themes = grouped.themes.iter().map(|theme| (&theme.text, &theme.members));
        let views = grouped.views.iter().map(|view| (&view.text, &view.members));
        let mut told = BTreeSet::new();
        for (text, members) in themes.chain(views) {
            prop_assert!(perspectives(members, |_| true).len() >= 2);
            prop_assert!(members.iter().any(|member| &member.text == text));
            for member in members {
                prop_assert!(all.contains(member));
                prop_assert!(told.insert(member.clone()), "{:?} is told twice", member);
            }
        }
    }

    #[test]
    fn the_order_of_arrival_changes_no_group(voices in voices(), seed in any::<prop::sample::Index>()) {
        let mut turned = voices.clone();
        turned.rotate_left(seed.index(voices.len()));
        prop_assert_eq!(sets(&group(&turned)), sets(&group(&voices)));
        turned.reverse();
        prop_assert_eq!(sets(&group(&turned)), sets(&group(&voices)));
        prop_assert_eq!(group(&voices), group(&voices));
    }
}
