//! Judges one reply: its block by its declaration, and the part that the program can use (`docs/answers.md`).
//!
//! An answer that leaves this module has at most as many features as were asked for, each with a title of its own and
//! four numbers from 1 to 10. A faulty feature is a problem at first; on the last chance faulty features are left out
//! with one warning each, and never fixed: a number that nobody gave would be an invention. A list whose every
//! feature was faulty is not an answer, so that it cannot pass for one without ideas.

use std::collections::BTreeSet;

use super::Role;
use super::contract::{self, FEATURE_OPPORTUNITIES, FIX_SUGGESTION};
pub(crate) use super::contract::{Feature, Features};
use crate::contract::{Diagnostics, ReplyReader, ReplyRules};
use crate::kernel::{Chance, Defect, RawReply, Reply};
#[cfg(test)]
use crate::protocol::testing::written;
use crate::text::sanitize;

/// The terms of a turn's question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ask {
    /// The analyst's question, for features.
    Features {
        /// Maximum number of features to propose.
        limit: u32,
    },
    /// The advisor's question.
    Fix,
}

impl Ask {
    pub(crate) const fn role(self) -> Role {
        match self {
            Self::Features { .. } => Role::Analyst,
            Self::Fix => Role::Advisor,
        }
    }
}

/// An accepted answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// The analyst's answer; it may propose no feature.
    Features(Features),
    /// The advisor's answer: 1 to [`contract::FIX_CHARS`] characters.
    Fix(String),
}

impl Content {
    /// Renders the answer as its block; [`parse`] reads the same answer back.
    #[cfg(test)]
    pub fn render(&self) -> String {
        match self {
            Self::Features(said) => written(&FEATURE_OPPORTUNITIES, said),
            Self::Fix(text) => crate::contract::template::block(FIX_SUGGESTION.name(), text),
        }
    }
}

pub(crate) fn parse(ask: Ask, reply: &RawReply, chance: Chance) -> Result<Reply<Content>, Defect> {
    let terms = ReplyRules { shown: &[], chance };
    let mut reading = ReplyReader::of(reply, &[contract::outline(ask.role())], terms)?;
    let said = match ask {
        Ask::Features { limit } => {
            let said = reading
                .read(&FEATURE_OPPORTUNITIES, |judge, said| Some(usable(judge, said, limit)));
            said.map(Content::Features)
        }
        Ask::Fix => reading.read(&FIX_SUGGESTION, |_, text| Some(Content::Fix(text))),
    };
    let (said, notes) = reading.close(said)?;
    Ok(Reply { content: said, notes })
}

/// Drops features with a duplicate title, and those beyond the number asked for.
fn usable(judge: &mut Diagnostics, mut said: Features, limit: u32) -> Features {
    let mut titles = BTreeSet::new();
    said.features.retain(|feature| {
        let first = titles.insert(key(&feature.title));
        if !first {
            let title = sanitize::line(&feature.title, 60);
            let message = format!(
                "opportunity `{title}` has the same title as an earlier one; the first counts"
            );
            judge.lenient("duplicate_title", message);
        }
        first
    });
    let most = usize::try_from(limit).unwrap_or(usize::MAX);
    let given = said.features.len();
    if given > most {
        let message = format!(
            "{given} opportunities are given, but at most {limit} were asked for; only the first ones count"
        );
        judge.lenient("too_many", message);
        said.features.truncate(most);
    }
    said
}

/// Normalises a title so that titles a reader would call the same are equal.
fn key(title: &str) -> String {
    let words: Vec<String> = title
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    if words.is_empty() { title.to_owned() } else { words.join(" ") }
}

#[cfg(test)]
mod properties;
