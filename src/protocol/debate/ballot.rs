//! Answers and votes of a panel (`docs/debate.md`, style `panel`).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::model::{LINE_CHARS, MAX_LINES, REASON_CHARS, TEXT_CHARS};
use crate::contract::Entry;
use crate::contract::field::{flag, groups, id, share, text, texts};
use crate::contract::generous::says_nothing;
use crate::declare;
use crate::kernel::share::Share;
use crate::text::sanitize;

/// Maximum number of groups in `same_as`; more than could be formed, since every group takes two answers.
pub const MAX_GROUPS: usize = 12;

/// The word in place of an option for "none of them will do".
pub const NO_OPTION: &str = "none";

/// Maximum length of an option, in characters, as prompts show it.
pub const OPTION_CHARS: usize = 1_000;

declare! {
    /// A seat's own answer: the block `ANSWER`.
    #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
    pub struct AnswerBlock {
        /// Why.
        #[serde(default)]
        pub reasons: Vec<String> = texts(MAX_LINES, LINE_CHARS).shown("<reason>"),
        /// What supports it.
        #[serde(default)]
        pub evidence: Vec<String> = texts(MAX_LINES, LINE_CHARS)
            .shown("<what supports it, and where it can be looked up>")
            .below(),
        /// The option that it takes, as it was given, or `none`: none will do. Missing if there are no options, or if
        /// none of them could be made out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub option: Option<String> =
            id(OPTION_CHARS).optional().counts().shown("<one of the options, copied, or none>").below(),
        /// What the option needs besides: a condition, a rule of another option.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub with: Option<String> =
            text(REASON_CHARS).optional().extra().shown("<what it needs besides, if anything>"),
        /// The answer.
        pub answer: String = text(TEXT_CHARS).shown("<the answer, complete in itself>").below(),
        /// How sure its author is; `null`: not said. Recorded, never decisive, shown to nobody who votes.
        #[serde(default)]
        pub confidence: Option<Share> = share().optional().extra(),
    }
}

declare! {
    /// A seat's vote: the block `VOTE`.
    #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
    pub struct VoteBlock, then moved {
        /// Why.
        pub reason: String = text(REASON_CHARS).shown("<why>"),
        /// The letter of the choice, as it was shown.
        pub choice: String = id(LINE_CHARS).shown("<letter>").below(),
        /// Answers that the seat considers the same.
        #[serde(default)]
        pub same_as: Vec<Vec<String>> = groups(MAX_GROUPS).counts().may_miss().shown("<letter>"),
        /// Whether the seat says that it changed its vote; `None`: not said.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub changed: Option<bool> = flag().optional().extra(),
        /// The evidence that moved it; a change without evidence is not counted.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub moved_by: Option<String> = text(REASON_CHARS)
            .optional()
            .counts()
            .shown("<with a change: the evidence that moved you>")
            .below(),
    }
}

/// Treats text that means "nothing" as naming no evidence.
fn moved(said: &mut VoteBlock, _: &mut Entry<'_>) {
    said.moved_by = said.moved_by.take().filter(|text| !is_nothing(text));
}

fn is_nothing(text: &str) -> bool {
    says_nothing(text) || text.trim_end_matches('.').eq_ignore_ascii_case("no change")
}

/// A vote as the result shows it, with the letters of the result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct VoteRecord {
    /// Who voted.
    pub seat: String,
    /// The agent's name.
    pub agent: String,
    /// Its vendor.
    pub vendor: String,
    /// The id of the choice that counts.
    pub choice: String,
    /// Whether the choice holds the seat's own answer.
    pub own: bool,
    /// Why.
    pub reason: String,
    /// What moved the seat, if it changed its vote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moved_by: Option<String>,
    /// The choice that the seat named without evidence; the vote before it counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_counted: Option<String>,
    /// Whether the seat was not asked in this ballot: its choice led, and its vote of the last one stands.
    #[serde(default)]
    pub stands: bool,
}

/// Answers that count as one: they take the same option, or most seats consider them the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Choice {
    /// `A`, `B`, ...: the first answer in it.
    pub id: String,
    /// Every answer in it.
    pub answers: Vec<String>,
    /// Who gave them, in the same order.
    pub seats: Vec<String>,
    /// What they say, in the same order, with reasons and evidence.
    pub said: Vec<AnswerBlock>,
    /// The text of the first.
    pub text: String,
    /// The option that the first takes; missing if there are no options, or if it takes none of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub option: Option<String>,
    /// Votes for it in the last ballot; if the answers settled it without one, the seats that gave them.
    pub votes: u32,
    /// Vendors of these votes.
    pub vendors: u32,
}

impl Choice {
    /// Returns its option, or else the beginning of its text, as one sanitized line; the whole text is among the answers.
    pub fn short(&self) -> String {
        /// In characters: an option fits, a paragraph does not.
        const CHARS: usize = 80;
        let text = sanitize::line(self.option.as_ref().unwrap_or(&self.text), 400);
        let text = text.trim_end_matches('.');
        match text.char_indices().nth(CHARS) {
            Some((end, _)) => format!("{} ...", text[..end].trim_end()),
            None => text.to_owned(),
        }
    }
}
