//! The contract kit, kind by kind: values read, notes and faults, on either chance.

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::block::{Block, by_id, ids, object, plain};
use super::field::*;
use super::read::{FieldType, Rejection};
use super::reply::{ReplyReader, ReplyRules};
use super::sample::Sample;
use super::{Entry, template};
use crate::kernel::share::Share;
use crate::kernel::{Chance, Defect, RawReply};
use crate::text::Note;
use crate::{declare, words};

mod generous;
mod ids;
mod keys;

#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Size {
    Small,
    Large,
}

impl Word for Size {
    const WORDS: &'static [Self] = &[Self::Small, Self::Large];

    fn word(self) -> &'static str {
        match self {
            Self::Small => "small",
            Self::Large => "large",
        }
    }

    fn alias(written: &str) -> Option<Self> {
        (written == "big").then_some(Self::Large)
    }
}

words! {
    enum Vote {
        Approve = "approve" | "approved",
        Reject = "reject" | "rejects",
    }
}

declare! {
    #[derive(Debug, Clone, PartialEq, Serialize)]
    struct Task as "task", then checked {
        title: String = line(20).shown("<one line>"),
        size: Size = word(),
        likely: Share = share().below(),
        cost: Option<f64> = number(1.0, 10.0).optional(),
        risk: Option<f64> = raised_number(1.0, 10.0).optional(),
        weight: u8 = whole(1, 3).usually(2).counts().noted(),
        done: Option<bool> = flag().optional().counts(),
        vote: Option<Vote> = word().optional(),
        at: Option<u32> = line_number().optional().counts(),
        why: String = text(20).counts().may_miss().below(),
        code: Option<String> = code(12).optional(),
        notes: Vec<String> = texts(2, 8),
        mark: Option<bool> = ours(),
        extra: Option<Value> = json("<anything>").optional().extra(),
    }
}

/// A rule of its own: a large task needs a reason.
fn checked(task: &mut Task, entry: &mut Entry<'_>) {
    if task.size == Size::Large && task.why == "none" {
        entry.fault("missing_reason", "`why` says nothing");
        task.why.clear();
    }
}

declare! {
    #[derive(Debug, Clone, PartialEq)]
    struct List {
        tasks: Vec<Task> = entries(3).apart(),
        topic: String = line(40).shown("<the topic>").below(),
        name: Option<String> = name(5).key("id").optional(),
    }
}

declare! {
    #[derive(Debug, Clone, PartialEq)]
    struct Ruling as "ruling" {
        why: Option<String> = text(20).shown("<why>").optional().extra(),
        size: Size = word().alone(),
    }
}

declare! {
    #[derive(Debug, Clone, PartialEq)]
    struct OneSize as "size" {
        size: Size = word().alone(),
    }
}

declare! {
    #[derive(Debug, Clone, PartialEq)]
    struct Words as "word" {
        words: Vec<String> = texts(9, 9).owed().whole().alone(),
    }
}

const LIST: Block<List> = object("LIST");
const ORDER: Block<Vec<String>> = ids("ORDER");
const SIZES: Block<super::block::ById<OneSize>> = by_id("SIZES");
const WORDS: Block<super::block::ById<Words>> = by_id("WORDS");
const RULINGS: Block<super::block::ById<Ruling>> = by_id("RULINGS");
const CASE: Block<String> = plain("CASE", "case", "<your case>", 10);

fn terms(shown: &[String], chance: Chance) -> ReplyRules<'_> {
    ReplyRules { shown, chance }
}

fn read<T>(block: &Block<T>, body: &str, chance: Chance) -> Result<(T, Vec<Note>), Defect> {
    let bytes = template::block(block.name(), body).into_bytes();
    let reply = RawReply { bytes, cut: false };
    let mut reading = ReplyReader::of(&reply, &[&block.outline], terms(&[], chance))?;
    let said = reading.read(block, |_, said| Some(said));
    reading.close(said)
}

fn codes(notes: &[Note]) -> Vec<&str> {
    notes.iter().map(|note| &*note.code).collect()
}

fn problems(defect: &Defect) -> Vec<&str> {
    defect.problems.iter().map(|problem| &*problem.code).collect()
}

fn task(key: &str, value: Value) -> Value {
    let mut task = json!({"title": "One", "size": "small", "likely": 0.5, "weight": 1});
    task[key] = value;
    task
}

fn list(tasks: &Value) -> String {
    json!({"tasks": tasks, "topic": "Tests"}).to_string()
}

/// (key, value, expected value, notes)
#[test]
fn each_kind_reads_what_it_is() {
    for (key, value, read_as, notes) in [
        ("title", json!(" One\n line "), json!("One line"), &[][..]),
        ("title", json!("x".repeat(30)), json!(format!("{}…", "x".repeat(19))), &[]),
        ("size", json!(" LARGE "), json!("large"), &["word_normalised"]),
        ("size", json!("big"), json!("large"), &["word_normalised"]),
        ("likely", json!(0), json!(0.0), &[]),
        ("likely", json!(1), json!(1.0), &[]),
        ("cost", json!(1), json!(1.0), &[]),
        ("cost", json!(10), json!(10.0), &[]),
        ("cost", json!("7.5"), json!(7.5), &["number_normalised"]),
        ("cost", json!(" 7 / 10 "), json!(7.0), &["number_normalised"]),
        ("risk", json!(0), json!(1.0), &["number_raised"]),
        ("risk", json!(2), json!(2.0), &[]),
        ("weight", json!(3), json!(3), &[]),
        ("weight", Value::Null, json!(2), &["missing_field"]),
        ("done", json!(true), json!(true), &[]),
        ("vote", json!("Reject"), json!("reject"), &["word_normalised"]),
        ("vote", json!("approve"), json!("approve"), &[]),
        ("at", json!(1), json!(1), &[]),
        ("at", json!("L42-48"), json!(42), &["number_normalised"]),
        ("why", json!("a\u{1b}[31m\nb "), json!("a\nb"), &[]),
        ("why", json!("x".repeat(21)), json!(format!("{}…", "x".repeat(19))), &["shortened"]),
        ("why", json!("x".repeat(20)), json!("x".repeat(20)), &[]),
        ("code", json!("\n  a\n    b\n"), json!("  a\n    b"), &[]),
        ("code", json!("first\nsecond line"), json!("first"), &["shortened"]),
        ("code", json!("first\n\n\nand another"), json!("first"), &["shortened"]),
        ("code", json!("a line of more than that"), json!("a line of mo"), &["shortened"]),
        ("notes", json!("one"), json!(["one"]), &["unwrapped"]),
        ("notes", json!(["a", "b", "c"]), json!(["a", "b"]), &["too_many"]),
        ("notes", json!(["a longer one", ""]), json!(["a longe…"]), &["says_nothing", "shortened"]),
        ("notes", json!(["a", "a"]), json!(["a"]), &[]),
        ("notes", json!([7]), json!(["7"]), &["text_normalised"]),
        ("mark", json!(true), Value::Null, &["mark_ignored"]),
        ("extra", json!([{}]), json!([{}]), &[]),
        // The forms in which models write.
        ("title", json!(["One"]), json!("One"), &["text_normalised"]),
        ("title", json!(["One", "Two"]), json!("One Two"), &["text_normalised"]),
        ("title", json!(7), json!("7"), &["text_normalised"]),
        ("title", json!({"name": "One"}), json!("One"), &["text_normalised"]),
        ("code", json!(["a", "b"]), json!("a\nb"), &["text_normalised"]),
        ("size", json!("**Large**"), json!("large"), &["word_normalised"]),
        ("size", json!("large (very)"), json!("large"), &["word_normalised"]),
        ("size", json!("large: it is"), json!("large"), &["word_normalised"]),
        ("size", json!("`big` - indeed"), json!("large"), &["word_normalised"]),
        ("vote", json!("approved"), json!("approve"), &["word_normalised"]),
        ("vote", json!("rejects"), json!("reject"), &["word_normalised"]),
        ("likely", json!("0.8"), json!(0.8), &["number_normalised"]),
        ("likely", json!(80), json!(0.8), &["number_normalised"]),
        ("likely", json!("80%"), json!(0.8), &["number_normalised"]),
        ("likely", json!("5 %"), json!(0.05), &["number_normalised"]),
        ("weight", json!(2.0), json!(2), &[]),
        ("weight", json!("3"), json!(3), &["number_normalised"]),
        ("weight", json!("2/3"), json!(2), &["number_normalised"]),
        ("weight", json!("1 - low"), json!(1), &["number_normalised"]),
        ("done", json!("Yes"), json!(true), &["flag_normalised"]),
        ("done", json!("false"), json!(false), &["flag_normalised"]),
        ("at", json!([2, 3]), json!(2), &["number_normalised"]),
        ("notes", json!([{"a": "x", "b": 1}]), json!(["x: 1"]), &["text_normalised"]),
        ("notes", json!(["None."]), json!([]), &["says_nothing"]),
        ("notes", json!("none"), json!([]), &["unwrapped", "says_nothing"]),
        ("cost", json!("7 - high"), json!(7.0), &["number_normalised"]),
        ("cost", json!("7/10"), json!(7.0), &["number_normalised"]),
    ] {
        for chance in [Chance::First, Chance::Last] {
            let body = list(&json!([task(key, value.clone())]));
            let (said, found) = read(&LIST, &body, chance).expect(key);
            let written = serde_json::to_value(&said.tasks[0]).unwrap();
            assert_eq!(written[key], read_as, "{key}: {value}");
            assert_eq!(codes(&found), notes, "{key}: {value}");
        }
    }
}

/// (key, value, the problem, and the result on the last chance: left out, or taken with this note)
#[test]
fn what_cannot_be_read_costs_what_its_class_says() {
    for (key, value, code, at_last) in [
        ("title", Value::Null, "missing_field", "entry_left_out"),
        ("title", json!("\u{200b}"), "missing_field", "entry_left_out"),
        ("title", json!(true), "wrong_type", "entry_left_out"),
        ("size", Value::Null, "missing_field", "entry_left_out"),
        ("size", json!("medium"), "unknown_word", "entry_left_out"),
        ("size", json!(["vast"]), "unknown_word", "entry_left_out"),
        ("likely", json!(1.001), "out_of_range", "entry_left_out"),
        ("likely", json!(-0.1), "out_of_range", "entry_left_out"),
        ("likely", json!("half"), "out_of_range", "entry_left_out"),
        ("cost", json!(0.99), "out_of_range", "entry_left_out"),
        ("cost", json!(10.01), "out_of_range", "entry_left_out"),
        ("cost", json!("7/5"), "out_of_range", "entry_left_out"),
        ("cost", json!("high"), "out_of_range", "entry_left_out"),
        ("cost", json!("7e0"), "out_of_range", "entry_left_out"),
        ("risk", json!(-0.1), "out_of_range", "entry_left_out"),
        ("risk", json!(11), "out_of_range", "entry_left_out"),
        ("weight", json!(0), "out_of_range", "out_of_range"),
        ("weight", json!(4), "out_of_range", "out_of_range"),
        ("weight", json!(1.5), "out_of_range", "out_of_range"),
        ("done", json!("perhaps"), "wrong_type", "wrong_type"),
        ("vote", json!("maybe"), "unknown_word", "entry_left_out"),
        ("at", json!(0), "wrong_line", "wrong_line"),
        ("at", json!("N/A"), "wrong_line", "wrong_line"),
        ("at", json!([2, 3, 4]), "wrong_line", "wrong_line"),
        ("why", json!([1]), "wrong_type", "wrong_type"),
        ("code", json!(1), "wrong_type", "entry_left_out"),
    ] {
        let body = list(&json!([task(key, value.clone()), task("title", json!("Two"))]));
        let defect = read(&LIST, &body, Chance::First).expect_err(key);
        assert_eq!(problems(&defect), [code], "{key}: {value}: {defect}");
        let message = &defect.problems[0].message;
        assert!(
            message.starts_with("task 1") && message.contains(&format!("`{key}`")),
            "{message}"
        );
        let (said, notes) = read(&LIST, &body, Chance::Last).expect(key);
        assert_eq!(codes(&notes), [at_last], "{key}: {value}");
        let kept = if at_last == "entry_left_out" { 1 } else { 2 };
        assert_eq!(said.tasks.len(), kept, "{key}: {value}");
    }
}

/// Messages that say how to fix a fault, word for word.
#[test]
fn messages_say_what_where_and_how() {
    for (key, value, message) in [
        ("title", json!(true), "task 1: `title` must be text"),
        ("size", json!("vast"), "task 1 (`One`): `size` must be one of small, large, not `vast`"),
        ("likely", json!(2), "task 1 (`One`): `likely` must be a number from 0 to 1, not `2`"),
        ("cost", json!(14), "task 1 (`One`): `cost` must be a number from 1 to 10, not `14`"),
        ("cost", json!({}), "task 1 (`One`): `cost` must be a number from 1 to 10, not `{}`"),
        (
            "weight",
            json!(9),
            "task 1 (`One`): `weight` must be a whole number from 1 to 3, not `9`; read as 2 otherwise",
        ),
        ("done", json!(0), "task 1 (`One`): `done` must be true or false; ignored otherwise"),
        ("vote", json!("no"), "task 1 (`One`): `vote` must be one of approve, reject, not `no`"),
        ("at", json!(0), "task 1 (`One`): `at` must be a line number from 1; ignored otherwise"),
    ] {
        let defect = read(&LIST, &list(&json!([task(key, value)])), Chance::First).unwrap_err();
        assert_eq!(defect.problems[0].message, message);
    }
    let whole = |body: Value| {
        let defect = read(&LIST, &body.to_string(), Chance::First).unwrap_err();
        defect.problems[0].message.clone()
    };
    assert_eq!(whole(json!({"topic": "x"})), "`tasks` must be a JSON array");
    assert_eq!(whole(json!({"tasks": [], "topic": ""})), "`topic` must be text");
    assert_eq!(
        whole(json!({"tasks": [], "topic": "x", "id": "longer"})),
        "`id` must be text of 1 to 5 characters"
    );
}

/// A name is a text or a whole number, of any length up to its maximum.
#[test]
fn names_that_an_author_gives() {
    let named = |id: Value| {
        let body = json!({"tasks": [], "topic": "x", "id": id}).to_string();
        read(&LIST, &body, Chance::Last).map(|(said, notes)| (said.name, notes))
    };
    assert_eq!(named(json!("12345")).unwrap(), (Some("12345".to_owned()), Vec::new()));
    let (name, notes) = named(json!(7)).unwrap();
    assert_eq!((name.as_deref(), codes(&notes)), (Some("7"), vec!["id_normalised"]));
    for none in [json!("123456"), json!(1.5), json!(-1), json!(["a", "b"])] {
        assert_eq!(problems(&named(none).unwrap_err()), ["wrong_type"]);
    }
}

#[test]
fn a_list_is_one_or_the_answer_is_none() {
    for none in [Value::Null, json!({}), json!("none"), json!(0)] {
        for chance in [Chance::First, Chance::Last] {
            let defect = read(&LIST, &list(&none), chance).unwrap_err();
            assert_eq!(problems(&defect), ["wrong_type"]);
        }
    }
    assert_eq!(read(&LIST, &list(&json!([])), Chance::First).unwrap().0.tasks, []);
}

/// With nothing left the reasons are the problems, on any chance; up to twenty are listed, the rest counted.
#[test]
fn a_list_of_nothing_but_faults_is_no_answer() {
    let body = list(&json!([{"title": "One"}, 7]));
    for (chance, more) in [(Chance::First, 0), (Chance::Last, 1)] {
        let defect = read(&LIST, &body, chance).unwrap_err();
        let all = ["no_valid_entry", "missing_field", "missing_field", "wrong_type"];
        assert_eq!(problems(&defect), all[1 - more..], "{defect}");
    }
    declare! {
        #[derive(Serialize)]
        struct Many {
            all: Vec<Task> = entries(10_000),
        }
    }
    const MANY: Block<Many> = object("MANY");
    let many: Vec<Value> = (0..5_000).map(Value::from).collect();
    let body = json!({ "all": many }).to_string();
    let defect = read(&MANY, &body, Chance::First).map(drop).unwrap_err();
    assert_eq!(defect.problems.len(), 21);
    assert_eq!(defect.problems[20].message, "4980 more have similar faults");
    let twenty: Vec<Value> = (0..20).map(Value::from).collect();
    let body = json!({ "all": twenty }).to_string();
    assert_eq!(read(&MANY, &body, Chance::First).map(drop).unwrap_err().problems.len(), 20);
}

#[test]
fn more_entries_than_a_list_may_have() {
    let all: Vec<Value> = (1..=5).map(|n| task("title", json!(format!("T{n}")))).collect();
    let (said, notes) = read(&LIST, &list(&json!(all[..3])), Chance::First).unwrap();
    assert_eq!((said.tasks.len(), notes), (3, Vec::new()), "as many as it may have");
    let body = list(&json!(all));
    let defect = read(&LIST, &body, Chance::First).unwrap_err();
    assert_eq!(defect.problems[0].message, "`tasks` has 5 entries; only the first 3 count");
    let (said, notes) = read(&LIST, &body, Chance::Last).unwrap();
    assert_eq!((said.tasks.len(), codes(&notes)), (3, vec!["too_many"]));
    declare! {
        #[derive(Serialize)]
        struct Few {
            all: Vec<Task> = entries(3).or_refused(),
        }
    }
    const FEW: Block<Few> = object("FEW");
    for chance in [Chance::First, Chance::Last] {
        let defect = read(&FEW, &json!({ "all": all }).to_string(), chance).map(drop).unwrap_err();
        assert_eq!(defect.problems[0].message, "`all` has 5 entries, over the limit of 3");
    }
}

/// A list that an answer can do without may lose all its entries on the last chance.
#[test]
fn entries_of_a_list_that_decides_nothing_may_all_be_left_out() {
    declare! {
        struct Loose {
            all: Vec<Task> = entries(3).counts(),
        }
    }
    const LOOSE: Block<Loose> = object("LOOSE");
    let body = json!({"all": [{"title": "One"}, 7]}).to_string();
    let all = ["missing_field", "missing_field", "wrong_type"];
    assert_eq!(problems(&read(&LOOSE, &body, Chance::First).map(drop).unwrap_err()), all);
    let (said, notes) = read(&LOOSE, &body, Chance::Last).unwrap();
    assert_eq!((said.all, codes(&notes)), (Vec::new(), vec!["entry_left_out"; 2]));
}

/// The same entries, in another list.
#[test]
fn entries_may_be_called_and_shown_otherwise() {
    declare! {
        #[derive(Serialize)]
        struct Errands {
            all: Vec<Task> = entries(3).called("errand").or_refused().apart(),
        }
    }
    const ERRANDS: Block<Errands> = object("ERRANDS").shown(&[("notes", "<what it reads>")]);
    let template = ERRANDS.outline.template();
    assert!(template.contains(r#""title": "<one line>""#), "{template}");
    assert!(template.contains(r#""notes": ["<what it reads>", ...]"#), "{template}");
    let body = json!({"all": [task("size", json!("vast"))]}).to_string();
    let defect = read(&ERRANDS, &body, Chance::First).map(drop).unwrap_err();
    assert!(defect.problems[0].message.starts_with("errand 1 (`One`): `size`"), "{defect}");
}

/// Two surplus entries and one faulty one, by noun.
#[test]
fn what_is_left_out_is_counted() {
    let mut all: Vec<Value> = (1..=5).map(|n| task("title", json!(format!("T{n}")))).collect();
    all[0]["title"] = json!(null);
    let bytes = template::block("LIST", &list(&json!(all))).into_bytes();
    let reply = RawReply { bytes, cut: false };
    let mut reading = ReplyReader::of(&reply, &[&LIST.outline], terms(&[], Chance::Last)).unwrap();
    let counted =
        reading.read(&LIST, |judge, said| Some((said.tasks.len(), judge.left_out.clone())));
    assert_eq!(counted.unwrap(), (2, std::collections::BTreeMap::from([("task", 3)])));
}

#[test]
fn a_rule_of_its_own_may_refuse_an_entry() {
    let mut large = task("size", json!("large"));
    large["why"] = json!("none");
    let body = list(&json!([large, task("title", json!("Two"))]));
    assert_eq!(problems(&read(&LIST, &body, Chance::First).unwrap_err()), ["missing_reason"]);
    assert_eq!(read(&LIST, &body, Chance::Last).unwrap().0.tasks.len(), 1);
}

#[test]
fn templates_show_what_is_asked_for() {
    let shown = r#"{"tasks": [
  {"title": "<one line>", "size": "<small|large>",
   "likely": <0 to 1>, "cost": <1-10>, "risk": <1-10>, "weight": <1 to 3>, "done": <true or false>, "vote": "<approve|reject>", "at": <number>,
   "why": "<text>", "code": "<text>", "notes": ["<text>", ...], "extra": <anything>}, ...],
 "topic": "<the topic>", "id": "<text>"}"#;
    assert_eq!(LIST.outline.template(), shown);
    assert_eq!(
        LIST.without(&["tasks"]).outline.template(),
        shown[shown.find("\"topic").unwrap()..].replacen("\"topic", "{\"topic", 1)
    );
    assert_eq!(ORDER.outline.template(), r#"["<id>", "<id>", ...]"#);
    assert_eq!(SIZES.outline.template(), r#"{"<id>": "<small|large>", ...}"#);
    assert_eq!(CASE.outline.template(), "<your case>");
    for body in [LIST.outline.template(), ORDER.outline.template(), SIZES.outline.template()] {
        assert!(serde_json::from_str::<Value>(&body).is_err(), "{body}");
    }
}

/// The last part of a prompt, byte for byte: it is part of the call's key.
#[test]
fn a_prompt_asks_for_blocks_in_their_markers() {
    let (case_outline, order_outline) = (&CASE.outline, &ORDER.outline);
    let case = "# Your answer\n\nWork it out first. A program reads only the block below and throws away everything around it, so keep notes \
        before it under 150 words and write nothing after it.\n\n<<<CASE_START>>>\n<your case>\n<<<CASE_END>>>\n\nEach marker is alone on its \
        line, with no code fence. Replace every <placeholder>, its angle brackets included.";
    assert_eq!(template::ask(&[case_outline], &[]), case);
    let rules = template::ask(&[case_outline], &["One.", "Two."]);
    assert_eq!(rules, format!("{case}\n\nOne.\n\nTwo."));
    let order = "# Your answer\n\nWork it out first. A program reads only the blocks below, in this order, and throws away everything around \
        them, so keep notes before them under 150 words and write nothing after them.\n\n<<<CASE_START>>>\n<your case>\n<<<CASE_END>>>\n\n\
        <<<ORDER_START>>>\n[\"<id>\", \"<id>\", ...]\n<<<ORDER_END>>>\n\nEach marker is alone on its line, with no code fence. Replace every \
        <placeholder>, its angle brackets included. The JSON is what any parser accepts: double quotes; inside a string a backslash is \
        `\\\\`, a quote `\\\"`, a line break `\\n` (code with `\\d` becomes `\\\\d`); no comments, no trailing commas. `...` stands for further entries.";
    assert_eq!(template::ask(&[case_outline, order_outline], &[]), order);
}

/// A reply is searched for all blocks except optional ones.
#[test]
fn a_block_that_may_be_left_out_is_no_problem() {
    let wants = template::wants(&[&CASE.outline, &LIST.optional().outline]);
    let wants: Vec<_> = wants.iter().map(|want| (want.name, want.required)).collect();
    assert_eq!(wants, [("CASE", true), ("LIST", false)]);
}

#[test]
fn what_is_not_asked_for_is_not_owed_and_is_read() {
    let block = LIST.without(&["topic"]);
    let (said, notes) = read(&block, r#"{"tasks": []}"#, Chance::First).unwrap();
    assert_eq!((said.topic.as_str(), notes), ("", Vec::new()));
    let given = read(&block, &list(&json!([])), Chance::First).unwrap();
    assert_eq!(given.0.topic, "Tests");
}

#[test]
fn a_key_in_another_writing_is_read() {
    let body = r#"{"Tasks": [], "TO-PIC": "Tests", "id": "x"}"#;
    let (said, notes) = read(&LIST, body, Chance::First).unwrap();
    assert_eq!((said.topic.as_str(), codes(&notes)), ("Tests", vec!["key_normalised"; 2]));
    assert_eq!(notes[1].message, "`TO-PIC` was read as `topic`");
    let twice = r#"{"tasks": [], "topic": "Tests", "Topic": "Tests"}"#;
    for chance in [Chance::First, Chance::Last] {
        let defect = read(&LIST, twice, chance).unwrap_err();
        assert_eq!(problems(&defect), ["conflicting_entries"]);
    }
}

#[test]
fn a_field_may_be_read_by_a_function_and_a_list_owed() {
    declare! {
        #[derive(Serialize)]
        struct Count {
            count: u8 = whole(1, 9).usually(0).read_by(counted),
            names: Vec<String> = texts(2, 8).owed(),
        }
    }
    const COUNT: Block<Count> = object("COUNT");
    fn counted(value: Value, spec: &Spec, entry: &mut Entry<'_>) -> Result<Option<u8>, Rejection> {
        if value == "many" {
            entry.note("many", "that is 9");
            return Ok(Some(9));
        }
        FieldType::read(value, spec, entry)
    }
    for (body, count, notes) in [
        (r#"{"count": "many", "names": []}"#, 9, &["many"][..]),
        (r#"{"count": 2, "names": []}"#, 2, &[]),
        (r#"{"count": null, "names": []}"#, 0, &[]),
    ] {
        let (said, found) = read(&COUNT, body, Chance::First).unwrap();
        assert_eq!((said.count, codes(&found)), (count, notes.to_vec()), "{body}");
    }
    // A required value must be given.
    let defect = read(&COUNT, r#"{"count": "few"}"#, Chance::Last).map(drop).unwrap_err();
    assert_eq!(problems(&defect), ["out_of_range", "wrong_type"]);
}

/// A sample reads without change.
#[test]
fn samples_are_answers() {
    let ids = ["a", "b"].map(str::to_owned);
    let sample = Sample { ids: &ids, entries: 2 };
    let (said, notes) = read(&LIST, &sample.body(&LIST.outline), Chance::First).unwrap();
    assert_eq!((said.tasks.len(), notes), (2, Vec::new()));
    let order = read(&ORDER, &sample.body(&ORDER.outline), Chance::First).unwrap();
    assert_eq!(order, (ids.to_vec(), Vec::new()));
    let sizes = read(&SIZES, &sample.body(&SIZES.outline), Chance::First).unwrap().0;
    let small = |id: &String| (id.clone(), Ok(OneSize { size: Size::Small }));
    assert_eq!(sizes, ids.iter().map(small).collect::<Vec<_>>());
    assert_eq!(read(&CASE, &sample.body(&CASE.outline), Chance::First).unwrap().0, "A case.");
}

#[test]
fn an_order_is_of_ids_alone() {
    let order = |body: &str| read(&ORDER, body, Chance::Last);
    let (said, notes) =
        order(r#"[{"id": "a", "rank": 1}, {"opportunity_id": "b", "rank": 2}]"#).unwrap();
    assert_eq!((said, codes(&notes)), (vec!["a".to_owned(), "b".to_owned()], vec!["unwrapped"]));
    assert!(order(r#"[{"rank": "1", "id": "a"}, {"rank": "2", "ID": "b"}]"#).is_ok());
    for (body, code) in [
        ("[]", "empty_block"),
        ("[1]", "wrong_type"),
        (r#"["a", {}]"#, "wrong_type"),
        (r#"[{"id": "a", "rank": 2}, {"id": "b", "rank": 1}]"#, "wrong_order"),
        (r#"[{"id": "a", "rank": 1}, {"id": "b", "rank": 1}]"#, "wrong_order"),
        (r##"[{"Rank": "#2", "id": "a"}, {"Rank": "#1", "id": "b"}]"##, "wrong_order"),
        (r#"[{"position": 2, "id": "a"}, {"position": 1, "id": "b"}]"#, "wrong_order"),
    ] {
        assert_eq!(problems(&order(body).unwrap_err()), [code], "{body}");
    }
}

#[test]
fn what_stands_under_an_id_is_read_or_kept_as_it_stands() {
    let (said, notes) = read(&SIZES, r#"{"a": "Small", "b": 7}"#, Chance::Last).unwrap();
    let expected =
        [("a".to_owned(), Ok(OneSize { size: Size::Small })), ("b".to_owned(), Err(json!(7)))];
    assert_eq!(said, expected);
    assert_eq!(notes[0].message, "`a`: `size` `Small` was read as `small`");
    assert_eq!(problems(&read(&SIZES, "{}", Chance::Last).unwrap_err()), ["empty_block"]);
    let (said, _) = read(&WORDS, r#"{"a": ["x"], "b": ["x", true]}"#, Chance::Last).unwrap();
    assert_eq!(
        said,
        [
            ("a".to_owned(), Ok(Words { words: vec!["x".to_owned()] })),
            ("b".to_owned(), Err(json!(["x", true]))),
        ]
    );
}

#[test]
fn plain_words_are_neither_empty_nor_the_template_s() {
    for none in ["", " ", "<your case>", "<your\ncase>"] {
        for chance in [Chance::First, Chance::Last] {
            assert_eq!(problems(&read(&CASE, none, chance).unwrap_err()), ["empty_block"]);
        }
    }
    assert_eq!(read(&CASE, " It is so.", Chance::First).unwrap().0, "It is so.");
    let long = "A longer case.";
    assert_eq!(problems(&read(&CASE, long, Chance::First).unwrap_err()), ["too_long"]);
    let (said, notes) = read(&CASE, long, Chance::Last).unwrap();
    assert_eq!((said.as_str(), codes(&notes)), ("A longer …", vec!["shortened"]));
}

#[test]
fn groups_are_lists_of_names_and_what_is_no_text_names_nothing() {
    declare! {
        struct Same {
            same: Vec<Vec<String>> = groups(2).counts().may_miss().shown("<id>"),
        }
    }
    const SAME: Block<Same> = object("SAME");
    assert_eq!(SAME.outline.template(), r#"{"same": [["<id>", "<id>"], ...]}"#);
    let same = |value: &Value, chance: Chance| {
        let body = json!({ "same": value }).to_string();
        let found = read(&SAME, &body, chance);
        found.map(|(said, notes)| {
            (json!(said.same), notes.into_iter().map(|note| note.code).collect())
        })
    };
    for value in [json!([["a", "b"], ["c"]]), json!([])] {
        assert_eq!(same(&value, Chance::First).unwrap(), (value.clone(), Vec::<String>::new()));
    }
    assert_eq!(same(&json!([["a", 7]]), Chance::First).unwrap().0, json!([["a", ""]]));
    assert_eq!(same(&Value::Null, Chance::First).unwrap(), (json!([]), Vec::new()));
    for (value, code, kept) in [
        (json!("a"), "wrong_type", json!([])),
        (json!([["a"], "b"]), "wrong_type", json!([])),
        (json!([[], [], []]), "too_many", json!([])),
    ] {
        assert_eq!(problems(&same(&value, Chance::First).unwrap_err()), [code], "{value}");
        assert_eq!(same(&value, Chance::Last).unwrap(), (kept, vec![code.to_owned()]), "{value}");
    }
}

/// A rule about an unread field has nothing to add.
#[test]
fn a_rule_knows_which_fields_were_read() {
    let has = |body: &str, chance: Chance| {
        let bytes = template::block("LIST", body).into_bytes();
        let reply = RawReply { bytes, cut: false };
        let mut reading = ReplyReader::of(&reply, &[&LIST.outline], terms(&[], chance)).unwrap();
        let has = reading
            .read(&LIST, |judge, _| Some((judge.has_read("tasks"), judge.has_read("topic"))));
        has.unwrap()
    };
    for chance in [Chance::First, Chance::Last] {
        assert_eq!(has(r#"{"tasks": [], "topic": "Tests"}"#, chance), (true, true));
        assert_eq!(has(r#"{"tasks": {}, "topic": ""}"#, chance), (false, false));
        assert_eq!(has(r#"{"tasks": [7], "topic": "Tests"}"#, chance), (false, true));
    }
}

declare! {
    #[derive(Debug, PartialEq)]
    struct Free {
        body: Map<String, Value> = map("<any object>"),
    }
}

const FREE: Block<Free> = object("FREE");

#[test]
fn an_object_of_any_form_is_one() {
    let (said, notes) = read(&FREE, r#"{"body": {"a": [1]}}"#, Chance::First).unwrap();
    assert_eq!((Value::Object(said.body), notes), (json!({"a": [1]}), vec![]));
    let none = read(&FREE, r#"{"body": []}"#, Chance::Last).unwrap_err();
    assert_eq!(problems(&none), ["wrong_type"]);
    assert_eq!(problems(&read(&FREE, r#"{"x": 1}"#, Chance::Last).unwrap_err()).len(), 1);
}

/// One of two blocks is optional, and its absence is a note.
#[test]
fn a_reading_knows_what_is_there() {
    let case = CASE.optional();
    let text = template::block("ORDER", r#"["a"]"#);
    for (text, there) in [(text.clone(), false), (text + &template::block("CASE", "So."), true)] {
        let reply = RawReply { bytes: text.into_bytes(), cut: false };
        let blocks = [&ORDER.outline, &case.outline];
        let mut reading = ReplyReader::of(&reply, &blocks, terms(&[], Chance::First)).unwrap();
        assert_eq!((reading.has("ORDER"), reading.has("CASE")), (true, there));
        reading.note("looked", "it was looked at".to_owned());
        let order = reading.read(&ORDER, |_, order| Some(order));
        assert_eq!(codes(&reading.close(order).unwrap().1), ["looked"]);
    }
}

#[test]
fn a_sample_says_what_its_texts_stand_for() {
    let body = Sample { ids: &[], entries: 2 }.body(&LIST.outline);
    let list: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(
        (&list["tasks"][1]["title"], &list["topic"]),
        (&json!("title 2"), &json!("topic 1"))
    );
}

/// An object under each id, or its only deciding word; nothing beside the word makes it unreadable.
#[test]
fn an_object_under_an_id_may_be_its_word_alone() {
    assert_eq!(
        RULINGS.outline.template(),
        r#"{"<id>": {"why": "<why>", "size": "<small|large>"}, ...}"#
    );
    for (value, why, readable) in [
        (r#""small""#, None, true),
        (r#"{"size": "small"}"#, None, true),
        (r#"{"why": "Quick.", "size": "small"}"#, Some("Quick."), true),
        (r#"{"size": "small", "why": 7}"#, Some("7"), true),
        (r#"{"size": "small", "why": true}"#, None, true),
        (r#"{"Size": "small"}"#, None, true),
        (r#"{"verdict": "small"}"#, None, true),
        (r#"{"why": "small"}"#, None, false),
        (r#"{"size": "huge"}"#, None, false),
        (r#"{"verdict": "small", "other": 1}"#, None, false),
        (r#"["small"]"#, None, false),
        ("null", None, false),
    ] {
        let body = format!("{{\"a\": {value}}}");
        let (said, _) = read(&RULINGS, &body, Chance::First).expect(value);
        let (id, ruling) = &said[0];
        assert_eq!((id.as_str(), ruling.is_ok()), ("a", readable), "{value}");
        if let Ok(ruling) = ruling {
            assert_eq!(ruling.size, Size::Small, "{value}");
            assert_eq!(ruling.why.as_deref(), why, "{value}");
        }
    }
    assert_eq!(problems(&read(&RULINGS, "{}", Chance::Last).unwrap_err()), ["empty_block"]);
}
