//! Any bytes as the body of a declared block: an accepted block conforms to its declaration, is accepted in the same
//! form on either attempt, and reads back as it is written.
#![no_main]

use debate_core::contract::block::object;
use debate_core::contract::field::{
    Word, code, entries, flag, line, line_number, name, number, raised_number, share, text,
    texts, whole, word,
};
use debate_core::contract::{Block, ReplyReader, ReplyRules, template};
use debate_core::declare;
use debate_core::kernel::share::Share;
use debate_core::kernel::{Chance, RawReply};
use libfuzzer_sys::fuzz_target;
use serde::Serialize;

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
}

declare! {
    /// Every kind of field.
    #[derive(Debug, Clone, PartialEq, Serialize)]
    struct Task as "task" {
        /// Owed.
        title: String = line(40),
        /// Owed.
        size: Size = word(),
        /// Owed.
        likely: Share = share(),
        /// May miss.
        cost: Option<f64> = number(1.0, 10.0).optional(),
        /// May miss.
        risk: Option<f64> = raised_number(1.0, 10.0).optional(),
        /// Two where it is not given.
        weight: u8 = whole(1, 3).usually(2).counts().noted(),
        /// May miss.
        done: Option<bool> = flag().optional().counts(),
        /// May miss.
        at: Option<u32> = line_number().optional().counts(),
        /// May miss.
        why: String = text(60).counts().may_miss(),
        /// May miss.
        code: Option<String> = code(60).optional(),
        /// May miss.
        notes: Vec<String> = texts(3, 20),
    }
}

declare! {
    /// A list of them.
    #[derive(Debug, Clone, PartialEq, Serialize)]
    struct List {
        /// At most four.
        tasks: Vec<Task> = entries(4),
        /// May miss.
        id: Option<String> = name(10).optional(),
    }
}

const LIST: Block<List> = object("LIST");

fn read(block: &str, chance: Chance) -> Option<(List, bool)> {
    let reply = RawReply { bytes: block.as_bytes().to_vec(), cut: false };
    let terms = ReplyRules { shown: &[], chance };
    let mut reading = ReplyReader::of(&reply, &[&LIST.outline], terms).ok()?;
    let said = reading.read(&LIST, |_, said| Some(said));
    let (said, notes) = reading.close(said).ok()?;
    Some((said, notes.is_empty()))
}

fuzz_target!(|body: &str| {
    holds(body);
});

fn holds(body: &str) {
    let block = format!("<<<LIST_START>>>\n{body}\n<<<LIST_END>>>\n");
    let first = read(&block, Chance::First);
    let last = read(&block, Chance::Last);
    if let Some((said, _)) = &first {
        let (at_last, _) = last.as_ref().expect("what is taken at first is taken at last");
        assert_eq!(said, at_last);
    }
    let Some((said, _)) = last else { return };
    assert!(said.tasks.len() <= 4);
    for task in &said.tasks {
        assert!(!task.title.is_empty() && task.title.chars().count() <= 40);
        assert!(!task.title.contains(['\n', '\u{1b}']));
        assert!(task.cost.is_none_or(|cost| (1.0..=10.0).contains(&cost)));
        assert!(task.risk.is_none_or(|risk| (1.0..=10.0).contains(&risk)));
        assert!((1..=3).contains(&task.weight) && task.at != Some(0));
        assert!(task.why.chars().count() <= 60 && !task.why.contains('\u{1b}'));
        assert!(task.code.as_ref().is_none_or(|code| code.chars().count() <= 60));
        assert!(task.notes.len() <= 3);
    }
    let written = template::block("LIST", &serde_json::to_string(&said).expect("it is JSON"));
    let (again, clean) = read(&written, Chance::First).expect("what is written is read");
    assert!(clean, "without a note: {said:?}");
    assert_eq!(said, again);
}
