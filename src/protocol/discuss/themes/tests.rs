//! Which points are grouped, which differ, and which are left apart.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::samples::{grouped, point, voice, voices};
use super::*;
use crate::protocol::discuss::model::PointKind::{
    MissingRequirement, Risk, Strength, Suggestion, Weakness,
};

/// What four perspectives say of the sample text, as in a trial with models.
fn trial() -> [PerspectiveReply; 4] {
    [
        voice("product", 3).says(
            Weakness,
            &[
                "Contradiction: 1 promises that changes are 'never lost', and 2 gives them up: 'the oldest are removed'.",
                "Contradiction: Retention (3) wants 90 days, Privacy (4) 30 days: support cannot answer a customer.",
                "1: 'complaints below 10 in a week' has no date by which it is counted.",
                "6: nobody is named who may stop it.",
            ],
        ),
        voice("technical", 2).says(
            Weakness,
            &[
                "Error: 200 pictures of 36 MB for 100 days are 720 GB, not the 72 GB of 2.",
                "Gap: 5 sorts 'by the time of the device', and users set their clocks.",
                "Error: 4 drops `blob_ref` in the first release, 6 needs it for a year.",
                "3: nobody is named who may stop it.",
            ],
        ),
        voice("quality", 3).says(
            Weakness,
            &[
                "\"The oldest are removed\" (2) breaks the first promise of the document.",
                "Contradiction: what is 'kept for 90 days' cannot be gone after a third of that.",
                "5: 'The last write wins, by the time of the device' cannot be tested: whose time?",
                "Gap: the goal is about loss, but 'complaints below 10' counts letters.",
            ],
        ),
        voice("risk", 3)
            .says(
                Risk,
                &[
                    "2: in a tunnel, a full queue ('when it is full, the oldest are removed') eats a day of work.",
                    "6: old apps that still read `blob_ref` show no pictures.",
                ],
            )
            .says(Suggestion, &["6: Go to all only with 'complaints below 10 in a week', counted by a date."]),
    ]
}

/// By words that are alike, the suggestion joined the third, and none of the five was found.
#[test]
fn what_names_one_place_is_a_theme_and_nothing_else() {
    let expected: [&[(&str, &str)]; 5] = [
        &[("product", "Contradiction: 1"), ("quality", "\"The oldest"), ("risk", "2: in a")],
        &[("product", "Contradiction: R"), ("quality", "Contradiction: what")],
        &[("product", "1: 'complaints"), ("quality", "Gap: the goal")],
        &[("technical", "Gap: 5"), ("quality", "5: 'The last")],
        &[("technical", "Error: 4"), ("risk", "6: old apps")],
    ];
    let themes = grouped(&trial()).themes;
    assert_eq!(themes.len(), expected.len(), "{themes:#?}");
    for (theme, expected) in themes.iter().zip(expected) {
        let members = theme.members.iter().zip(expected);
        let are = |(point, (who, begins)): (&Point, &(&str, &str))| {
            point.perspective == *who && point.text.starts_with(begins)
        };
        assert!(theme.members.len() == expected.len() && members.clone().all(are), "{theme:#?}");
        // In the words of the first, who is named first.
        let first = &theme.members[0];
        assert_eq!((&theme.text, &theme.perspectives[0]), (&first.text, &first.perspective));
    }
}

/// Two weaknesses of two perspectives, and whether they are about one place.
#[test]
fn a_place_is_what_is_quoted_or_named_in_a_section() {
    for (one, other, together) in [
        ("'kept for 90 days' is long", "3 keeps them 90 days", true),
        ("Never lost? No.", "Never lost, really?", false),
        ("'never lost' isn't so", "the users' word is \"never lost\"", true),
        ("'when it is full … are removed'", "\u{201c}It is FULL\u{201d}: then what?", true),
        ("'is never lost' is meant", "'lost. Success is' is a slip", false),
        // Too short to be no chance; code is a name.
        ("'never' is long", "'never' is longer", false),
        ("5: `complete` twice", "`complete` is not safe", true),
        // A figure that stands in several places is one of those that the section has.
        ("4: 30 days", "Privacy wants 30 days", true),
        ("4: 30 days", "3: 30 days", false),
        ("4: 30 days", "30 days are short", false),
        ("10% is much", "10 % is little", true),
        ("a 90-day delay", "90 days", true),
        ("72 GB are much", "2: 72 GB", true),
        // Elsewhere it is the author's own figure; a quotation is where it is.
        ("5: 72 GB", "2: 72 GB", false),
        ("5: 'keeps 72 GB of pictures'", "2: 72 GB", true),
        ("below 10 has no date", "below 10 has no unit", false),
        // A heading says where to look, and is no place.
        ("'Conflicts' is vague", "'Conflicts' is long", false),
        ("'Offline sync' is vague", "'Offline sync' is long", false),
        ("4: `blob_ref` is dropped", "6: `blob_ref` is read", false),
        ("4: `blob_ref` is dropped", "Why drop `blob_ref` (4)?", true),
        // The context is read, too.
        ("FR-12: no filter", "Nothing meets (fr-12)", true),
        ("FR-12: no filter", "FR-17: no filter", false),
        ("\u{300c}注文は取り消\u{300d}", "\u{300c}文は取り\u{300d}", true),
        // The same sentence.
        ("No tests.", "No tests.", true),
        ("No tests.", "No tests!", false),
    ] {
        let voices =
            [("a", one), ("b", other)].map(|(who, said)| voice(who, 3).says(Weakness, &[said]));
        assert_eq!(grouped(&voices).themes.len(), usize::from(together), "{one} / {other}");
    }
}

#[test]
fn praise_and_fault_of_one_place_are_a_view_and_suggestions_stand_apart() {
    let (one, other) = ("'never lost' is clear", "'never lost' is not kept");
    for (kind, other_kind, themes, views) in [
        (Strength, Weakness, 0, 1),
        (Risk, Strength, 0, 1),
        (Strength, MissingRequirement, 0, 1),
        (Strength, Strength, 1, 0),
        (Weakness, Risk, 1, 0),
        (MissingRequirement, Weakness, 1, 0),
        (Suggestion, Suggestion, 1, 0),
        (Suggestion, Weakness, 0, 0),
        (Strength, Suggestion, 0, 0),
    ] {
        let voices = [voice("a", 3).says(kind, &[one]), voice("b", 3).says(other_kind, &[other])];
        let told = grouped(&voices);
        assert_eq!((told.themes.len(), told.views.len()), (themes, views), "{kind} {other_kind}");
        // A single perspective makes neither.
        let alone = voice("a", 3).says(kind, &[one]).says(other_kind, &[other]);
        let told = grouped(&[alone]);
        assert_eq!((told.themes, told.views), (Vec::new(), Vec::new()));
    }
    let voices = [
        voice("a", 3).says(Weakness, &[other]),
        voice("b", 3).says(Strength, &[one]),
        voice("c", 3).says(Strength, &["'never lost' is a promise"]),
    ];
    let expected = View {
        text: one.to_owned(),
        severity: Severity::Low,
        praised_by: vec!["b".to_owned(), "c".to_owned()],
        faulted_by: vec!["a".to_owned()],
        members: vec![
            point("a", Weakness, other),
            point("b", Strength, one),
            point("c", Strength, "'never lost' is a promise"),
        ],
    };
    assert_eq!(grouped(&voices).views, [expected]);
}

#[test]
fn nothing_is_joined_by_what_lies_between() {
    let voices = [
        voice("a", 3).says(Weakness, &["'Success is complaints' is wrong"]),
        voice("b", 3).says(Weakness, &["'never lost. Success is complaints below 10' mixes two"]),
        voice("c", 3).says(Risk, &["'never lost' is dear", "'never lost. success is' is a slip"]),
    ];
    let themes = grouped(&voices).themes;
    assert_eq!(themes.len(), 1);
    assert_eq!(themes[0].perspectives, ["a", "b"]);
}

fn sets(grouped: &ThemeGroups) -> BTreeSet<BTreeSet<Point>> {
    grouped.groups.iter().map(|group| group.iter().cloned().collect()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_point_is_in_one_group_as_it_was_written_and_nobody_is_given_anothers_words(voices in voices()) {
        let all: Vec<Point> = (voices.iter())
            .flat_map(|voice| KINDS.into_iter().flat_map(|kind| points(voice, kind)))
            .collect();
        let grouped = grouped(&voices);
        let mut told: Vec<&Point> = grouped.groups.iter().flatten().collect();
        told.sort();
        let mut all: Vec<&Point> = all.iter().collect();
        all.sort();
        prop_assert_eq!(told, all);
        for group in &grouped.groups {
            prop_assert_eq!(perspectives(group, |_| true).len(), group.len());
        }
        let themes = grouped.themes.iter().map(|theme| (&theme.text, &theme.perspectives, &theme.members));
        let views = grouped.views.iter().map(|view| (&view.text, &view.praised_by, &view.members));
        for (text, who, members) in themes.chain(views) {
            prop_assert!(grouped.groups.contains(members) && members.len() > 1);
            prop_assert!(members.iter().any(|one| &one.text == text && one.perspective == who[0]));
        }
    }

    #[test]
    fn the_order_of_arrival_changes_no_group(voices in voices(), seed in any::<prop::sample::Index>()) {
        let mut turned = voices.clone();
        turned.rotate_left(seed.index(voices.len()));
        prop_assert_eq!(sets(&grouped(&turned)), sets(&grouped(&voices)));
        turned.reverse();
        prop_assert_eq!(sets(&grouped(&turned)), sets(&grouped(&voices)));
    }
}
