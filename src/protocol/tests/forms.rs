//! The forms in which models write answers: those read on the first chance, and those that are asked for again.
//!
//! A row is an answer to one turn with its expected result: `read`, with these `notes`, or `never`, which costs a
//! second call. `why` gives the reason where it is debatable. In an
//! answer, `@{id:TEXT}@` is replaced by the id of the item in the prompt whose text begins with TEXT, and
//! `@{lower:TEXT}@` by that id in lower case.

use regex::{Captures, Regex};
use serde::Deserialize;
use serde_json::Value;

use crate::kernel::{Chance, Driver, Protocol, Turn};
use crate::protocol::conformance::Subject;
use crate::protocol::debate::typed::ArgumentType;
use crate::protocol::testing::{BOUNDARY, asked, judged, raw};
use crate::protocol::{argument, backlog, discuss, inquiry, panel, plan, review, topic};
use crate::text::block::quotation::{Data, doubtful, own};

#[derive(Deserialize)]
struct Row {
    turn: String,
    form: String,
    expected: String,
    #[serde(default)]
    notes: Vec<String>,
    reply: String,
}

fn rows(text: &str) -> Vec<Row> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Returns the id in a prompt of the item whose text begins with `text`.
fn id_of(prompt: &str, text: &str) -> String {
    fn find(value: &Value, text: &str) -> Option<String> {
        let begins = |value: &Value| value.as_str().is_some_and(|each| each.starts_with(text));
        match value {
            Value::Object(fields) => {
                let id = fields.get("id").and_then(Value::as_str);
                let here = id.filter(|_| fields.values().any(begins)).map(str::to_owned);
                here.or_else(|| fields.values().find_map(|value| find(value, text)))
            }
            Value::Array(values) => values.iter().find_map(|value| find(value, text)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
        }
    }
    let starts = ["\n{\n", "\n[\n"].into_iter().flat_map(|start| prompt.match_indices(start));
    let starts = starts.map(|(at, _)| at + 1);
    let values = starts.filter_map(|at| {
        serde_json::Deserializer::from_str(&prompt[at..]).into_iter::<Value>().next()?.ok()
    });
    let mut found = values.filter_map(|value| find(&value, text));
    found.next().unwrap_or_else(|| panic!("`{text}` is not shown:\n{prompt}"))
}

/// Replaces the placeholders in an answer by values from the prompt.
fn filled(reply: &str, prompt: &str) -> String {
    let places = Regex::new(r"@\{(id|lower):([^}]*)\}@").unwrap();
    let fill = |found: &Captures<'_>| {
        let id = id_of(prompt, &found[2]);
        if &found[1] == "lower" { id.to_lowercase() } else { id }
    };
    places.replace_all(reply, fill).into_owned()
}

/// Reads a reply of an agent that may still be re-asked.
fn read<P: Protocol>(driver: &Driver<P>, turn: &Turn, reply: &str) -> Result<Vec<String>, String> {
    let prompt = turn.prompt.text();
    let mut reply = raw(&filled(reply, &prompt));
    if let Some(own) = own(&reply.bytes, &turn.blocks, &Data::of(&prompt, BOUNDARY)) {
        reply.bytes = own.reply;
    } else if let Some(problem) = doubtful(&reply.bytes, false, &turn.blocks, &prompt, BOUNDARY) {
        return Err(problem.message);
    }
    let read = driver.read(turn, &reply, Chance::First).map_err(|defect| defect.to_string())?;
    let mut codes: Vec<String> = read.notes.into_iter().map(|note| note.code).collect();
    codes.dedup();
    Ok(codes)
}

/// Answers every turn of the open step with the result of `reply` for its role.
fn step<P: Protocol>(driver: &mut Driver<P>, reply: impl Fn(&str) -> String) {
    let turns = asked(driver);
    let answers = turns
        .iter()
        .map(|turn| judged(driver, turn, &filled(&reply(&turn.role), &turn.prompt.text())));
    let answers = answers.collect();
    driver.apply(answers);
}

/// Returns the open turn whose id ends with `end`.
fn turn<P: Protocol>(driver: &Driver<P>, end: &str) -> Turn {
    let turn = asked(driver).into_iter().find(|turn| turn.id.ends_with(end));
    turn.unwrap_or_else(|| panic!("no turn ends with {end}"))
}

const REVIEW: &str = r#"<<<REVIEW_START>>>
{"findings": [{"severity": "P1", "title": "No test withdraws too much", "file": "src/a.rs", "line": 3, "quote": "let a03 = compute_a(03);", "detail": "It is not tried.", "fix": "Try it."}]}
<<<REVIEW_END>>>"#;
const NO_FINDING: &str = "<<<REVIEW_START>>>\n{\"findings\": []}\n<<<REVIEW_END>>>";
const CROSS: &str = r#"<<<CROSS_REVIEW_START>>>
{"judgements": [{"id": "@{id:No test withdraws too much}@", "stance": "agree", "reason": "So it is."}]}
<<<CROSS_REVIEW_END>>>"#;
const COMPOSITION: &str = r#"<<<COMPOSITION_START>>>
{"eliminate": [{"id": "@{id:No test withdraws too much}@", "reason": "It is no defect."}]}
<<<COMPOSITION_END>>>"#;
const ANSWER: &str = r#"<<<ANSWER_START>>>
{"answer": "Answer number @.", "reasons": ["It was measured."]}
<<<ANSWER_END>>>"#;
const POSITION: &str = r#"<<<POSITION_START>>>
{"summary": "Use Redis.", "points": [{"id": "P1", "claim": "Redis survives a restart", "reasoning": "r", "evidence": [], "importance": 3}, {"id": "P2", "claim": "Latency stays under a millisecond", "reasoning": "r", "evidence": [], "importance": 2}], "confidence": 0.7}
<<<POSITION_END>>>"#;
const CHAMPION: &str = r#"<<<CHAMPION_ARGUMENT_START>>>
Because.
<<<CHAMPION_ARGUMENT_END>>>
<<<CHAMPION_RANKINGS_START>>>
["opp-1", "opp-2", "opp-3"]
<<<CHAMPION_RANKINGS_END>>>"#;
const CRITIC: &str = r#"<<<CRITIC_CONCERNS_START>>>
{"opp-1": ["x"], "opp-2": ["x"], "opp-3": ["x"]}
<<<CRITIC_CONCERNS_END>>>
<<<CRITIC_RANKINGS_START>>>
["opp-1", "opp-2", "opp-3"]
<<<CRITIC_RANKINGS_END>>>"#;

fn reviewed() -> Driver<review::Machine> {
    let mut driver = review::testing::machine(2);
    step(&mut driver, |role| if role == "s1" { REVIEW } else { NO_FINDING }.to_owned());
    driver
}

/// Returns a debate with two plans of two steps each, all of them different.
fn planned() -> Driver<plan::Machine> {
    let mut driver = plan::testing::machine(2);
    plan::testing::plans(&mut driver, &["ab", "cd"]);
    driver
}

/// Returns an argument with one concern, which a resolution addresses.
fn argued(kind: ArgumentType) -> String {
    let more = match kind {
        ArgumentType::Resolution => {
            serde_json::json!({ "addresses": argument::testing::addresses(&["C1"]) })
        }
        _ => {
            serde_json::json!({ "concerns": argument::testing::concerns(&["It is slow."]) })
        }
    };
    argument::testing::argument(kind, more)
}

fn three() -> Driver<backlog::Machine> {
    let items = (1..4).map(|at| serde_json::json!({"opportunity_id": format!("opp-{at}"), "title": format!("Title {at}")}));
    let items = backlog::testing::read(&items.collect());
    backlog::Machine::open(backlog::testing::input(items)).unwrap()
}

#[expect(clippy::too_many_lines, reason = "a row for each turn")]
fn read_as(row: &Row) -> Result<Vec<String>, String> {
    let reply = &*row.reply;
    match &*row.turn {
        "review" => {
            let driver = <review::Machine as Subject>::open(0);
            read(&driver, &turn(&driver, "s1"), reply)
        }
        "cross" => {
            let driver = reviewed();
            read(&driver, &asked(&driver)[0], reply)
        }
        "composition" => {
            let mut driver = reviewed();
            step(&mut driver, |_| CROSS.to_owned());
            read(&driver, &asked(&driver)[0], reply)
        }
        "position" => {
            let driver = topic::testing::machine(3);
            read(&driver, &turn(&driver, "propose"), reply)
        }
        "stances" => {
            let mut driver = topic::testing::machine(3);
            step(&mut driver, |_| POSITION.to_owned());
            read(&driver, &asked(&driver)[0], reply)
        }
        "expert" => {
            let mut driver = topic::testing::machine(3);
            topic::testing::play(&mut driver, "2 ad2 ad");
            read(&driver, &asked(&driver)[0], reply)
        }
        "critique" => {
            let driver = discuss::testing::machine("product");
            read(&driver, &turn(&driver, "product"), reply)
        }
        "answer" => {
            let driver = panel::testing::machine(3);
            read(&driver, &asked(&driver)[0], reply)
        }
        "vote" => {
            let mut driver = panel::testing::machine(3);
            step(&mut driver, |role| ANSWER.replace('@', &role[1..]));
            read(&driver, &asked(&driver)[0], reply)
        }
        "argument" => {
            let driver = argument::testing::machine();
            read(&driver, &asked(&driver)[0], reply)
        }
        "plan" => {
            let driver = <plan::Machine as Subject>::open(0);
            read(&driver, &asked(&driver)[0], reply)
        }
        "validation" => {
            let mut driver = reviewed();
            step(&mut driver, |_| CROSS.to_owned());
            step(&mut driver, |_| COMPOSITION.to_owned());
            read(&driver, &asked(&driver)[0], reply)
        }
        "plan_review" => {
            let driver = planned();
            read(&driver, &turn(&driver, "s1"), reply)
        }
        "plan_validation" => {
            let mut driver = planned();
            while asked(&driver)[0].id.ends_with("cross/s1") {
                plan::testing::round(&mut driver, |turn| {
                    let ids = plan::testing::to_judge(turn);
                    Some(plan::testing::review(&ids, &"a".repeat(ids.len()), &[]))
                });
            }
            read(&driver, &turn(&driver, "s2"), reply)
        }
        "cross_vote" => {
            let mut driver = panel::testing::machine(3);
            panel::testing::answers(&mut driver, &[]);
            panel::testing::votes(&mut driver, "1 2 3");
            read(&driver, &asked(&driver)[0], reply)
        }
        "ruling" => {
            let mut driver = panel::testing::judged_by_mistral(3, 0);
            panel::testing::answers(&mut driver, &[]);
            panel::testing::votes(&mut driver, "1 2 3");
            step(&mut driver, |_| ANSWER.to_owned());
            read(&driver, &turn(&driver, "first"), reply)
        }
        "challenge" => {
            let mut driver = argument::testing::machine();
            argument::testing::give(&mut driver, Some(&argued(ArgumentType::Proposal)));
            read(&driver, &asked(&driver)[0], reply)
        }
        "resolution" | "verdicts" => {
            let mut driver = argument::testing::machine();
            for kind in [ArgumentType::Proposal, ArgumentType::Challenge, ArgumentType::Defense] {
                argument::testing::give(&mut driver, Some(&argued(kind)));
            }
            if row.turn == "verdicts" {
                argument::testing::give(&mut driver, Some(&argued(ArgumentType::Resolution)));
            }
            read(&driver, &asked(&driver)[0], reply)
        }
        "risk" | "coverage" => {
            let mut input = discuss::testing::input(&row.turn);
            let context = r#"{"requirements": [{"id": "R1"}, {"id": "R2"}]}"#;
            input.task.context = Some(discuss::testing::artifact("context.json", context));
            let driver = discuss::Machine::open(input).unwrap();
            read(&driver, &turn(&driver, &row.turn), reply)
        }
        "fix" => {
            let driver = <inquiry::Machine as Subject>::open(0);
            read(&driver, &asked(&driver)[0], reply)
        }
        "champion" => {
            let driver = three();
            read(&driver, &turn(&driver, "champion"), reply)
        }
        "critic" => {
            let mut driver = three();
            step(&mut driver, |_| CHAMPION.to_owned());
            read(&driver, &turn(&driver, "critic"), reply)
        }
        "moderator" => {
            let mut driver = three();
            step(&mut driver, |_| CHAMPION.to_owned());
            step(&mut driver, |_| CRITIC.to_owned());
            read(&driver, &turn(&driver, "moderator"), reply)
        }
        "features" => {
            let driver = <inquiry::Machine as Subject>::open(1);
            read(&driver, &turn(&driver, "features"), reply)
        }
        other => panic!("`{other}` is no turn"),
    }
}

/// Returns how many rows were asked for again, and the rows that differ from their expectation.
fn judged_rows(text: &str) -> (usize, Vec<String>) {
    let mut wrong = Vec::new();
    let mut asked = 0;
    for row in rows(text) {
        let got = read_as(&row);
        asked += usize::from(got.is_err());
        let is_expected = match &*row.expected {
            "read" => got.as_ref().is_ok_and(|notes| *notes == row.notes),
            "never" => got.is_err(),
            other => panic!("{other:?} is not expected of anything"),
        };
        if !is_expected {
            let Row { turn, form, expected, notes, .. } = row;
            wrong.push(format!("{expected} {notes:?} | {turn} | {form} | {got:?}"));
        }
    }
    wrong.sort();
    (asked, wrong)
}

#[test]
fn each_form_is_read_or_asked_for_again_as_the_table_says() {
    let (asked, wrong) = judged_rows(include_str!("../../../fixtures/replies/forms.jsonl"));
    assert!(wrong.is_empty(), "{}\n{}", wrong.len(), wrong.join("\n"));
    // The number given in `docs/calls.md`.
    assert_eq!(asked, 63);
}

/// The blocks that the first table leaves out, in the same forms, and the cases that were once read differently in
/// one of them.
#[test]
fn the_same_forms_are_read_alike_in_all_blocks() {
    let (_, wrong) = judged_rows(include_str!("../../../fixtures/replies/others.jsonl"));
    assert!(wrong.is_empty(), "{}\n{}", wrong.len(), wrong.join("\n"));
}
