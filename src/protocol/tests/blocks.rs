//! What holds for every block of every protocol, by its declaration alone.

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::contract::block::Body;
use crate::contract::sample::Sample;
use crate::contract::{Block, Reading, Terms};
use crate::kernel::quote::quoted;
use crate::kernel::{Chance, RawReply};
use crate::protocol::testing::BOUNDARY;
use crate::text::block::quotation::{Data, own};
use crate::text::block::{BlockLimits, extract};
use crate::text::fence;

/// Does something with each block that is declared.
macro_rules! each_block {
    ($block:ident => $what:expr) => {
        each_block!($block => $what;
            backlog::CHAMPION_ARGUMENT backlog::CHAMPION_RANKINGS backlog::CRITIC_CONCERNS backlog::CRITIC_RANKINGS
            backlog::DISPOSITIONS backlog::FINAL_RANKINGS backlog::DEBATE_STATUS
            inquiry::FEATURE_OPPORTUNITIES inquiry::FIX_SUGGESTION
            review::REVIEW review::CROSS_REVIEW review::COMPOSITION review::VALIDATION
            plan::PLAN plan::PLAN_REVIEW plan::VALIDATION
            discuss::CRITIQUE
            debate::POSITION debate::STANCES debate::JUDGEMENT
            panel::ANSWER panel::VOTE panel::FIRST_VOTE panel::JUDGEMENT
            argument::ARGUMENT argument::ARGUMENT_OF_A_PERSON)
    };
    ($block:ident => $what:expr; $($protocol:ident::$name:ident)*) => {
        $({
            let $block = &crate::protocol::$protocol::contract::$name;
            $what;
        })*
    };
}

const IDS: [&str; 2] = ["F1", "F2"];

fn ids() -> Vec<String> {
    IDS.map(str::to_owned).to_vec()
}

fn sample<T>(block: &Block<T>) -> String {
    Sample { ids: &ids(), entries: 2 }.body(&block.outline)
}

/// A sample of a declaration is read on the first chance; what is written of it is read as the same.
#[test]
fn samples_are_answers() {
    fn holds<T>(block: &Block<T>) {
        let read = |text: String| {
            let (ids, name) = (ids(), block.name());
            let reply = RawReply { bytes: text.into_bytes(), cut: false };
            let terms = Terms {
                shown: &ids,
                chance: Chance::First,
                strict: false,
                limits: BlockLimits::default(),
            };
            let mut reading = Reading::of(&reply, &[&block.outline], terms)
                .unwrap_or_else(|defect| panic!("{name}: {defect}"));
            let said = reading.read(block, |_, said| Some(said));
            reading.close(said).unwrap_or_else(|defect| panic!("{name}: {defect}")).0
        };
        let said = read(crate::contract::template::block(block.name(), &sample(block)));
        let again = read(block.render(&said));
        assert_eq!(block.render(&said), block.render(&again));
    }
    each_block!(block => holds(block));
}

/// A model that repeats its instructions has not answered.
#[test]
fn no_template_is_an_answer() {
    fn holds<T>(block: &Block<T>) {
        let outline = block.outline;
        let reply = RawReply { bytes: outline.shown().into_bytes(), cut: false };
        for chance in [Chance::First, Chance::Last] {
            let ids = ids();
            let terms =
                Terms { shown: &ids, chance, strict: false, limits: BlockLimits::default() };
            let said = Reading::of(&reply, &[&outline], terms).and_then(|mut reading| {
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

/// Where a block is planted: a text that is shown line by line, another agent's answer, an added line of a change.
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

/// How an agent repeats what it was shown.
fn repeated(name: &str, body: &str, form: usize) -> String {
    let whole = crate::contract::template::block(name, body);
    match form {
        0 => whole,
        1 => format!("```\n{whole}```\n"),
        2 => format!("    {}\n", whole.replace('\n', "\n    ")),
        3 => match serde_json::from_str::<Value>(body) {
            Ok(value) => crate::contract::template::block(name, &format!("{value:#}")),
            Err(_) => whole,
        },
        _ => format!("```json\n{body}\n```\n"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Every marker and every required key, planted anywhere in the data of a prompt and repeated in any form, is nobody's answer.
    #[test]
    fn what_is_planted_is_nobody_s_answer(
        place in 0_usize..3, form in 0_usize..5, before in "[A-Z][a-z ,.]{0,40}\n", after in "([A-Z][a-z ,.]{0,40}\n)?",
    ) {
        fn holds<T>(block: &Block<T>, place: usize, form: usize, before: &str, after: &str) {
            let (name, body) = (block.name(), sample(block));
            let plant = crate::contract::template::block(name, &body);
            let data = Data::of(&shown(&plant, place), BOUNDARY);
            let reply = format!("{before}{}{after}", repeated(name, &body, form));
            let left = own(reply.as_bytes(), &[name], &data)
                .map_or_else(|| reply.clone().into_bytes(), |own| own.reply);
            let template = block.outline.template();
            let found = extract(&left, false, &[block.outline.want()], &[&template], BlockLimits::default());
            let answered = found.is_ok_and(|found| found.contents.iter().any(Option::is_some));
            assert!(!answered, "{name} in place {place}, form {form}: {reply}");
        }
        each_block!(block => holds(block, place, form, &before, &after));
    }
}
