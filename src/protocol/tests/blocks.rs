//! Properties of every block of every protocol, tested from its declaration alone.

use std::fmt::Debug;

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::contract::field::{Item, Kind, Spec};
use crate::contract::outline::{Body, Outline};
use crate::contract::{Block, ReplyReader, ReplyRules};
use crate::kernel::quote::quoted;
use crate::kernel::{Chance, RawReply};
use crate::protocol::testing::{BOUNDARY, raw};
use crate::protocol::tests::sample::Sample;
use crate::text::block::extract;
use crate::text::block::quotation::{Data, own};
use crate::text::fence;
use crate::text::markers::{end_marker, start_marker};

/// Applies an expression to each declared block.
macro_rules! each_block {
    ($block:ident => $what:expr) => {
        each_block!($block of _protocol => $what)
    };
    ($block:ident of $of:ident => $what:expr) => {
        each_block!($block of $of => $what;
            backlog::CHAMPION_ARGUMENT backlog::CHAMPION_RANKINGS backlog::CRITIC_CONCERNS backlog::CRITIC_RANKINGS
            backlog::DISPOSITIONS backlog::FINAL_RANKINGS backlog::DEBATE_STATUS
            inquiry::FEATURE_OPPORTUNITIES inquiry::FIX_SUGGESTION
            review::REVIEW review::CROSS_REVIEW review::COMPOSITION review::VALIDATION
            plan::PLAN plan::PLAN_REVIEW plan::VALIDATION
            discuss::CRITIQUE
            debate::POSITION debate::STANCES debate::JUDGEMENT
            panel::ANSWER panel::VOTE panel::FIRST_VOTE panel::JUDGEMENT
            argument::ARGUMENT)
    };
    ($block:ident of $of:ident => $what:expr; $($protocol:ident::$name:ident)*) => {
        $({
            let $of = stringify!($protocol);
            let $block = &crate::protocol::$protocol::contract::$name;
            $what;
        })*
    };
}

/// Returns the outline of each declared block, with the folder of its protocol.
pub(crate) fn outlines() -> Vec<(&'static str, &'static Outline)> {
    let mut all = Vec::new();
    each_block!(block of protocol => all.push((protocol, &block.outline)));
    all
}

const IDS: [&str; 2] = ["F1", "F2"];

fn ids() -> Vec<String> {
    IDS.map(str::to_owned).to_vec()
}

fn sample<T>(block: &Block<T>) -> String {
    Sample { ids: &ids(), entries: 2 }.body(&block.outline)
}

/// The forms in which a model may write a sample other than as asked.
const FORMS: [&str; 13] = [
    "one line",
    "a list",
    "escaped",
    "bold",
    "ends with a dot",
    "fenced",
    "words around",
    "wrapped",
    "camel case",
    "capitals",
    "words decorated",
    "numbers as texts",
    "one text as a list",
];

/// Returns the body of a block with every key and value rewritten in another form; unchanged if the form does not
/// apply.
fn rewritten(item: &Item, value: &Value, form: &str) -> Value {
    let key = |key: &str| match form {
        "camel case" => {
            let mut parts = key.split('_');
            let first = parts.next().unwrap_or_default().to_owned();
            parts.fold(first, |all, part| all + &part[..1].to_uppercase() + &part[1..])
        }
        "capitals" => key.to_uppercase(),
        _ => key.to_owned(),
    };
    let each = |spec: &Spec, value: &Value| match (spec.kind, value, form) {
        (Kind::Entries { item, .. }, Value::Array(entries), _) => {
            entries.iter().map(|entry| rewritten(item, entry, form)).collect()
        }
        (Kind::Word(_), Value::String(word), "words decorated") => {
            json!(format!("**{word}** - so it is"))
        }
        (Kind::Line(_) | Kind::Text(_), Value::String(_), "one text as a list") => {
            json!([value])
        }
        (
            Kind::Whole { .. } | Kind::Share | Kind::Flag | Kind::Number { .. } | Kind::LineNumber,
            _,
            "numbers as texts",
        ) => {
            json!(value.to_string())
        }
        _ => value.clone(),
    };
    let Value::Object(fields) = value else {
        return value.clone();
    };
    let fields = fields.iter().map(|(name, value)| {
        let spec = item.fields.iter().find(|spec| spec.key == name).unwrap();
        (key(name), each(spec, value))
    });
    Value::Object(fields.collect())
}

/// Returns a whole answer in that form.
fn written(outline: &Outline, form: &str) -> String {
    let ids = ids();
    let sample = Sample { ids: &ids, entries: 2 }.body(outline);
    let body = match (outline.body, serde_json::from_str::<Value>(&sample)) {
        (Body::Object(item), Ok(value)) => rewritten(item, &value, form).to_string(),
        _ => sample,
    };
    let is_json = !matches!(outline.body, Body::Text { .. });
    let whole = crate::contract::template::block(outline.name, &body);
    let (start, end) = (start_marker(outline.name), end_marker(outline.name));
    match form {
        "one line" => format!("{start}{body}{end}"),
        "a list" => format!("- {start}\n{body}\n- {end}\n"),
        "escaped" => format!("\\{start}\n{body}\n\\{end}\n"),
        "bold" => format!("**{start}**\n{body}\n**{end}**\n"),
        "ends with a dot" => format!("{start}:\n{body}\n{end}.\n"),
        "fenced" if is_json => format!("{start}\n```json\n{body}\n```\n{end}\n"),
        "words around" if is_json => format!("{start}\nHere it is:\n{body}\nSo much.\n{end}\n"),
        "wrapped" if is_json => {
            let name = outline.name.to_lowercase();
            format!("{start}\n{{\"{name}\": {body}}}\n{end}\n")
        }
        _ => whole,
    }
}

/// Each block is read on the first chance in each form that its kinds allow, as the same answer.
#[test]
fn sensible_forms_are_the_same_answer() {
    fn holds<T: Debug>(block: &Block<T>, form: &str) -> Result<(), String> {
        let read = |text: &str| {
            let ids = ids();
            let reply = raw(text);
            let terms = ReplyRules { shown: &ids, chance: Chance::First };
            let said = ReplyReader::of(&reply, &[&block.outline], terms).and_then(|mut reading| {
                let said = reading.read(block, |_, said| Some(said));
                reading.close(said)
            });
            said.map(|(said, _)| format!("{said:?}")).map_err(|defect| defect.to_string())
        };
        let plain = read(&crate::contract::template::block(block.name(), &sample(block)));
        let got = read(&written(&block.outline, form));
        if got == plain && got.is_ok() {
            return Ok(());
        }
        Err(format!("{} {form}: {got:?} instead of {plain:?}", block.name()))
    }
    let mut wrong = Vec::new();
    for form in FORMS {
        each_block!(block => wrong.extend(holds(block, form).err()));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A model that repeats its instructions has not answered.
#[test]
fn no_template_is_an_answer() {
    fn holds<T>(block: &Block<T>) {
        let outline = block.outline;
        let reply = RawReply { bytes: outline.shown().into_bytes(), cut: false };
        for chance in [Chance::First, Chance::Last] {
            let ids = ids();
            let terms = ReplyRules { shown: &ids, chance };
            let said = ReplyReader::of(&reply, &[&outline], terms).and_then(|mut reading| {
                let said = reading.read(block, |_, said| Some(said));
                reading.close(said)
            });
            assert!(said.is_err(), "{}", outline.name);
        }
        let required = match outline.body {
            Body::Object(item) => item.fields.first().map(|spec| spec.key),
            Body::Text { .. } | Body::Ids | Body::ById(_) => None,
        };
        assert!(required.is_none_or(|key| outline.template().contains(key)), "{}", outline.name);
    }
    each_block!(block => holds(block));
}

/// A key shared by two fields of one object could be read as either.
#[test]
fn no_two_fields_have_a_key_in_common() {
    fn holds_in(item: &Item) {
        let plain = |key: &str| key.replace('_', "").to_lowercase();
        let mut keys: Vec<String> = item.fields.iter().flat_map(Spec::keys).map(plain).collect();
        let all = keys.len();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), all, "{}: {keys:?}", item.noun);
        for spec in item.fields {
            if let Kind::Entries { item, .. } = spec.kind {
                holds_in(item);
            }
        }
    }
    fn holds<T>(block: &Block<T>) {
        if let Body::Object(item) | Body::ById(item) = block.outline.body {
            holds_in(item);
        }
    }
    each_block!(block => holds(block));
}

/// Returns a prompt's data with a planted block: in a text shown line by line, in another agent's answer, or in an
/// added line of a change.
fn shown(plant: &str, place: usize) -> String {
    let text = match place {
        0 => quoted(&format!("# Notes\n\n{plant}\nThe end.\n")),
        1 => format!("{:#}", json!({ "answers": [{ "id": "A", "answer": plant }] })),
        _ => {
            let added = plant.trim_end().replace('\n', "\n+");
            quoted(&format!("--- a/x.md\n+++ b/x.md\n@@ -1 +1,4 @@\n x\n+{added}\n"))
        }
    };
    let (fenced, _) = fence::fence("the data", &text, BOUNDARY);
    format!("# The question\n\n{fenced}\n")
}

/// Returns an agent's repetition of what it was shown, in one of several forms.
fn repeated(name: &str, body: &str, form: usize) -> String {
    let whole = crate::contract::template::block(name, body);
    // An agent's own words around a text would make it a different text.
    let is_text = serde_json::from_str::<Value>(body).is_err();
    match form {
        0 => whole,
        6..=8 if is_text => whole,
        1 => format!("```\n{whole}```\n"),
        2 => format!("    {}\n", whole.replace('\n', "\n    ")),
        3 => match serde_json::from_str::<Value>(body) {
            Ok(value) => crate::contract::template::block(name, &format!("{value:#}")),
            Err(_) => whole,
        },
        4 => format!("```json\n{body}\n```\n"),
        5 => format!("{}{}{}\n", start_marker(name), body.trim(), end_marker(name)),
        6 => crate::contract::template::block(name, &format!("It says:\n{body}\nNo more.")),
        7 => crate::contract::template::block(
            name,
            &format!("{{\"{}\": {body}}}", name.to_lowercase()),
        ),
        8 => crate::contract::template::block(name, list_in(body).as_deref().unwrap_or(body)),
        _ => format!("- {}\n", whole.trim_end().replace('\n', "\n- ")),
    }
}

/// Returns the list of an object; `None` if it has none, or an empty one.
fn list_in(body: &str) -> Option<String> {
    let value: Value = serde_json::from_str(body).ok()?;
    let lists = value.as_object()?.values().filter_map(Value::as_array);
    lists
        .filter(|list| list.iter().any(Value::is_object))
        .map(|list| Value::from(list.as_slice()).to_string())
        .next()
}

fn json() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        "-?[0-9]{1,4}",
        "\"[a-z 1-5/.]{0,12}\"",
    ];
    let key = prop_oneof![
        Just("id"),
        Just("reason"),
        Just("points"),
        Just("rating"),
        Just("votes"),
        Just("x")
    ];
    leaf.prop_recursive(3, 24, 5, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4)
                .prop_map(|all| format!("[{}]", all.join(","))),
            proptest::collection::vec((key.clone(), inner), 0..4).prop_map(|all| {
                let all: Vec<String> =
                    all.iter().map(|(key, value)| format!("\"{key}\":{value}")).collect();
                format!("{{{}}}", all.join(","))
            }),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Every marker and every required key, planted anywhere in the data of a prompt and repeated in any form, never
    /// counts as an answer.
    #[test]
    fn what_is_planted_is_nobody_s_answer(
        place in 0_usize..3, form in 0_usize..10, before in "[A-Z][a-z ,.]{0,40}\n", after in "([A-Z][a-z ,.]{0,40}\n)?",
    ) {
        fn holds<T>(block: &Block<T>, (place, form): (usize, usize), before: &str, after: &str) {
            let (name, body) = (block.name(), sample(block));
            let plant = crate::contract::template::block(name, &body);
            let data = Data::of(&shown(&plant, place), BOUNDARY);
            let reply = format!("{before}{}{after}", repeated(name, &body, form));
            let wants = [block.outline.want()];
            let left = own(reply.as_bytes(), &wants, &data)
                .map_or_else(|| reply.clone().into_bytes(), |own| own.reply);
            let template = block.outline.template();
            let found = extract(&left, false, &wants, &[&template]);
            let answered = found.is_ok_and(|found| found.contents.iter().any(Option::is_some));
            assert!(!answered, "{name} in place {place}, form {form}: {reply}");
        }
        each_block!(block => holds(block, (place, form), &before, &after));
    }

    #[test]
    fn anything_ends_in_an_answer_or_a_problem(bytes in proptest::collection::vec(any::<u8>(), 0..200), cut: bool, last: bool, body in json()) {
        fn holds<T>(block: &Block<T>, reply: &RawReply, chance: Chance) {
            let ids = ["opp-a".to_owned()];
            let rules = ReplyRules { shown: &ids, chance };
            let Ok(mut reading) = ReplyReader::of(reply, &[&block.outline], rules) else { return };
            let said = reading.read(block, |_, said| Some(said));
            if let Err(defect) = reading.close(said) {
                assert!(!defect.problems.is_empty());
            }
        }
        let chance = if last { Chance::Last } else { Chance::First };
        each_block!(block => {
            holds(block, &RawReply { bytes: bytes.clone(), cut }, chance);
            let planted = crate::contract::template::block(block.name(), &body);
            holds(block, &raw(&planted), chance);
        });
    }

}
