//! The other accepted forms, kind by kind: each with its note.

use super::*;

/// An ambiguous value is not read.
#[test]
fn nothing_is_guessed() {
    for (key, value) in [
        ("title", json!({"a": "x", "b": "y"})),
        ("title", json!(["a", 1])),
        ("size", json!("not large")),
        ("size", json!("largest")),
        ("size", json!("small or large")),
        ("size", json!("large, but not yet")),
        ("size", json!("large (if it grows)")),
        ("vote", json!("approve - unless it is slow")),
        ("cost", json!("7-8")),
        ("cost", json!("7/8")),
        ("vote", json!("approve or reject")),
        ("likely", json!("high")),
        ("likely", json!(2)),
        ("likely", json!(9.5)),
        ("likely", json!(101)),
        ("likely", json!("-5%")),
        ("weight", json!("2-3")),
        ("weight", json!(2.5)),
        ("weight", json!("2/10")),
        ("weight", json!(4)),
        ("done", json!(1)),
        ("done", json!("perhaps")),
        ("at", json!([1, 2, 3])),
    ] {
        let body = list(&json!([task(key, value.clone())]));
        assert!(read(&LIST, &body, Chance::First).is_err(), "{key} {value}");
    }
}

/// The first rules reject what is read generously.
#[test]
fn keys_may_be_written_otherwise_and_a_strange_one_is_named_where_one_is_missing() {
    let mut one = task("why", Value::Null);
    one["because"] = json!("so");
    let body = json!({"Tasks": [one], "TOPIC": "Tests"}).to_string();
    let (_, notes) = read(&LIST, &body, Chance::First).unwrap();
    assert_eq!(
        codes(&notes),
        ["key_normalised", "key_normalised", "unknown_key", "unknown_key"][..3]
    );
    assert!(
        notes.iter().any(|note| note.message.contains("`because` is not one of its keys")),
        "{notes:?}"
    );
}

#[test]
fn a_list_alone_and_a_block_under_its_own_name_are_unwrapped() {
    const TASKS: Block<Tasks> = object("TASKS");
    let one = task("weight", json!(1));
    for body in [json!([one]), json!({"tasks": {"all": [one]}}), json!({"Tasks": {"all": [one]}})] {
        let (said, notes) = read(&TASKS, &body.to_string(), Chance::First).unwrap();
        assert_eq!((said.all.len(), codes(&notes)), (1, vec!["unwrapped"]), "{body}");
    }
}

declare! {
    #[derive(Debug)]
    struct Tasks {
        all: Vec<Task> = entries(3),
    }
}

declare! {
    #[derive(Debug, Clone, PartialEq, Serialize)]
    struct Reply as "reply" {
        id: String = id(10),
        how: String = text(20).alone(),
    }
}

declare! {
    #[derive(Debug, Serialize)]
    struct Replies {
        all: Vec<Reply> = entries(3),
        sure: Option<Share> = share().optional().extra(),
        more: Vec<Reply> = entries(3).may_miss().aside(),
    }
}

const REPLIES: Block<Replies> = object("REPLIES");

#[test]
fn entries_may_stand_under_their_ids_and_be_a_text_alone() {
    for all in
        [json!({"C1": {"how": "so"}}), json!({"C1": "so"}), json!([{"id": "C1", "how": "so"}])]
    {
        let body = json!({"all": all, "sure": 1}).to_string();
        let (said, _) = read(&REPLIES, &body, Chance::First).unwrap();
        assert_eq!(said.all, [Reply { id: "C1".to_owned(), how: "so".to_owned() }]);
    }
    let body = json!({"all": {"C1": {"id": "C2", "how": "so"}}}).to_string();
    assert!(read(&REPLIES, &body, Chance::First).is_err(), "two ids");
    // Whether there are other entries is unknown, and the field names are not ids.
    let body = json!({"all": {"id": "C1", "how": "so"}}).to_string();
    assert!(read(&REPLIES, &body, Chance::First).is_err(), "one entry");
}

declare! {
    #[derive(Debug, Serialize)]
    struct Doubts {
        all: Vec<Doubt> = entries(3).may_miss(),
        tasks: Vec<Task> = entries(3),
        same: Vec<Vec<String>> = groups(3).may_miss(),
    }
}

declare! {
    #[derive(Debug, Clone, PartialEq, Serialize)]
    struct Doubt as "doubt" {
        text: String = text(20).alone(),
    }
}

/// A text that says that there is nothing is not an entry; for a required list it is not an answer.
#[test]
fn a_list_may_say_that_it_is_empty() {
    const DOUBTS: Block<Doubts> = object("DOUBTS");
    let one = task("weight", json!(1));
    for (all, count, said_notes) in [
        (json!("It is slow."), 1, &["unwrapped", "unwrapped"][..]),
        (json!(["It is slow."]), 1, &["unwrapped"]),
        (json!("None."), 0, &["unwrapped", "says_nothing"]),
        (json!(["None.", "n/a"]), 0, &["says_nothing"]),
        (json!(["None.", "It is slow."]), 1, &["says_nothing", "unwrapped"]),
    ] {
        let body = json!({"all": all, "tasks": [one], "same": "none"}).to_string();
        let (said, mut notes) = read(&DOUBTS, &body, Chance::First).unwrap();
        let of_same = notes.pop().unwrap();
        assert_eq!((of_same.code.as_str(), said.same.len()), ("says_nothing", 0));
        assert_eq!((said.all.len(), codes(&notes)), (count, said_notes.to_vec()), "{all}");
    }
    for tasks in [json!("none"), json!(["None."])] {
        let body = json!({"all": [], "tasks": tasks}).to_string();
        assert!(read(&DOUBTS, &body, Chance::First).is_err(), "{tasks}");
    }
}

/// Repeating the template is not an answer, whatever else is given; an id may keep the brackets in which it is shown.
#[test]
fn what_the_template_shows_is_no_value() {
    const SHOWN: Block<List> = object("LIST").shown(&[("title", "<a name>")]);
    for (key, shown) in [("title", "<one line>"), ("title", " <one line> ")] {
        let body = list(&json!([task(key, json!(shown))]));
        let defect = read(&LIST, &body, Chance::First).unwrap_err();
        assert_eq!(problems(&defect), ["template"], "{shown}");
    }
    let body = list(&json!([task("title", json!("<select>"))]));
    assert_eq!(read(&LIST, &body, Chance::First).unwrap().0.tasks[0].title, "<select>");
    let body = list(&json!([task("title", json!("<a name>"))]));
    assert!(read(&SHOWN, &body, Chance::First).is_err());
    assert!(read(&LIST, &body, Chance::First).is_ok());
}

/// A value wrapped in an object: under its key, or as the only one.
#[test]
fn what_stands_under_an_id_may_stand_in_an_object() {
    let small = ("a".to_owned(), Ok(OneSize { size: Size::Small }));
    for (body, message) in [
        (json!({"a": {"Size": "small", "why": "so"}}), "`Size` was read as `size`"),
        (json!({"a": {"verdict": "small"}}), "taken from an object, where it was called `verdict`"),
        (json!([{"ID": "a", "verdict": "small"}]), "where it was called `verdict`"),
        (json!([{"id": "a", "size": "small", "why": "so"}]), "SIZES"),
    ] {
        let (said, notes) = read(&SIZES, &body.to_string(), Chance::First).unwrap();
        assert_eq!(said, std::slice::from_ref(&small), "{body}");
        assert!(notes.iter().any(|note| note.message.contains(message)), "{body}: {notes:?}");
    }
    for body in [json!({"a": {"verdict": "small", "why": "so"}}), json!({"a": {}})] {
        let (said, _) = read(&SIZES, &body.to_string(), Chance::First).unwrap();
        assert!(said[0].1.is_err(), "{body}");
    }
}

/// A field that decides nothing is never a reason to ask again; by the earlier rules it was.
#[test]
fn what_decides_nothing_costs_nothing() {
    let all = json!([{"id": "C1", "how": "so"}]);
    for (body, said_notes) in [
        (json!({"all": all}), &[][..]),
        (json!({"all": all, "sure": "high"}), &["out_of_range"]),
        (json!({"all": all, "sure": 1, "more": 1}), &["wrong_type"]),
        (json!({"all": all, "sure": 1, "more": "x"}), &["unwrapped", "entry_left_out"]),
        (
            json!({"all": all, "sure": 1, "more": [{"id": "C2"}, {"id": "C3", "how": "so"}]}),
            &["entry_left_out"],
        ),
    ] {
        let body = body.to_string();
        let (_, notes) = read(&REPLIES, &body, Chance::First).unwrap();
        assert_eq!(codes(&notes), said_notes, "{body}");
    }
}

/// A block on one line, with words inside, or with an escape too many still reads.
#[test]
fn a_block_in_the_forms_of_models_is_read() {
    let body = list(&json!([task("weight", json!(1))]));
    for text in [
        format!("<<<LIST_START>>>{body}<<<LIST_END>>>"),
        format!("- <<<LIST_START>>>\nHere it is:\n{body}\n- <<<LIST_END>>>."),
        format!("<<<LIST_START>>>\n{body}}}\n<<<LIST_END>>>"),
    ] {
        let reply = RawReply { bytes: text.clone().into_bytes(), cut: false };
        let found = ReplyReader::of(&reply, &[&LIST.outline], terms(&[], Chance::First));
        assert!(found.is_ok(), "{text}");
    }
}
