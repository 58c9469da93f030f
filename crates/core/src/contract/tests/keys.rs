//! Fields not given under their own key: other keys, defaults, and unknown keys.

use super::*;

declare! {
    #[derive(Debug, Clone, PartialEq)]
    struct Job {
        title: String = line(20).also(&["name", "heading"]),
        quick: bool = flag().may_miss(),
        weight: u8 = whole(1, 3).usually(2).counts().noted(),
        at: Option<u32> = line_number().optional().also(&["line"]),
        why: String = text(20).may_miss().also(&["reason"]),
    }
}

const JOB: Block<Job> = object("JOB");

fn job(given: &Value) -> (Job, Vec<String>) {
    let (job, notes) = read(&JOB, &given.to_string(), Chance::First).unwrap();
    (job, notes.into_iter().map(|note| format!("{}: {}", note.code, note.message)).collect())
}

#[test]
fn another_key_is_taken_with_a_note() {
    let (plain, notes) = job(&json!({"title": "One", "weight": 1, "at": 3}));
    assert_eq!((&*plain.title, plain.at, notes), ("One", Some(3), Vec::new()));
    let (other, notes) = job(&json!({"heading": "One", "weight": 1, "line": 3}));
    assert_eq!(other, plain);
    assert_eq!(
        notes,
        [
            "key_normalised: `heading` was read as `title`",
            "key_normalised: `line` was read as `at`"
        ]
    );
    let (odd, notes) = job(&json!({"HEADING": "One", "weight": 1, "at": 3}));
    assert_eq!((odd, notes.len()), (plain, 2), "another key, and in another writing: {notes:?}");
    // A `null` value is missing under any key.
    let (null, notes) = job(&json!({"title": null, "name": "One", "heading": null, "weight": 1}));
    assert_eq!((&*null.title, notes.len()), ("One", 1));
}

/// The cost of a wrong value does not depend on its key, and the message names the key to use.
#[test]
fn what_is_wrong_under_another_key_is_wrong() {
    for (given, message) in [
        (json!({"name": {}}), "`title` must be text"),
        (json!({"name": " "}), "`title` must be text"),
        (json!({"quick": true}), "`title` must be text"),
        (json!({"title": "One", "reason": {}}), "`why` must be text"),
    ] {
        for chance in [Chance::First, Chance::Last] {
            let defect = read(&JOB, &given.to_string(), chance).unwrap_err();
            assert_eq!(defect.problems[0].message, message, "{given}");
        }
    }
}

#[test]
fn a_field_under_two_keys_cannot_be_read() {
    for given in [
        json!({"title": "One", "name": "Two"}),
        json!({"name": "One", "title": "Two"}),
        json!({"title": "One", "name": "One"}),
    ] {
        for chance in [Chance::First, Chance::Last] {
            let defect = read(&JOB, &given.to_string(), chance).unwrap_err();
            assert_eq!(problems(&defect), ["conflicting_entries"]);
            let message = "`title` is given twice, once as `name`; give it once";
            assert_eq!(defect.problems[0].message, message);
        }
    }
    let given = json!({"heading": "One", "name": "Two"}).to_string();
    let defect = read(&JOB, &given, Chance::Last).unwrap_err();
    assert_eq!(
        defect.problems[0].message,
        "`title` is given twice, once as `heading`; give it once"
    );
}

#[test]
fn a_value_stands_for_one_that_is_not_given() {
    let usual = (false, 2, None);
    let of = |job: &Job| (job.quick, job.weight, job.at);
    let (none, notes) = job(&json!({"title": "One"}));
    assert_eq!(of(&none), usual);
    assert_eq!(notes, ["missing_field: `weight` is not given; read as 2"]);
    let null = json!({"title": "One", "quick": null, "weight": null, "at": null});
    assert_eq!(of(&job(&null).0), usual);
    let given = json!({"title": "One", "quick": true, "weight": 3, "at": 1});
    assert_eq!(of(&job(&given).0), (true, 3, Some(1)));
    // An unreadable value gets no default, unless the field decides nothing.
    for (key, wrong) in [("quick", json!("perhaps")), ("at", json!(0))] {
        let given = json!({"title": "One", key: wrong}).to_string();
        assert!(read(&JOB, &given, Chance::Last).is_err(), "{key}");
    }
}
