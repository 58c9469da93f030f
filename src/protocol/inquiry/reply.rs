//! Judges one reply: its block by its declaration, and what of it the program can use (`docs/answers.md`).
//!
//! An answer that leaves this module holds at most as many features as were
//! asked for, each with a title of its own and four numbers from 1 to 10. What
//! is faulty is a problem at first; on the last chance the faulty features are
//! left out, one warning each, and never mended: a number that nobody gave
//! would be an invention. A list whose every feature was faulty is no answer,
//! so that it cannot be taken for one that has no ideas.

use std::collections::BTreeSet;

use super::Role;
use super::contract::{self, FEATURE_OPPORTUNITIES, FIX_SUGGESTION};
pub use super::contract::{Feature, Features};
use crate::contract::{Diagnostics, ReplyReader, ReplyRules as Shown};
use crate::kernel::{Chance, Defect, RawReply, Reply};
use crate::text::block::BlockLimits;
use crate::text::sanitize;

/// What a turn is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ask {
    /// The analyst's question.
    Features {
        /// Most features that are wanted.
        limit: u32,
    },
    /// The advisor's.
    Fix,
}

impl Ask {
    /// Returns who is asked.
    pub const fn role(self) -> Role {
        match self {
            Self::Features { .. } => Role::Analyst,
            Self::Fix => Role::Advisor,
        }
    }
}

/// What a role said.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// The analyst's answer.
    Features(Features),
    /// The advisor's answer: 1 to [`contract::FIX_CHARS`] characters.
    Fix(String),
}

impl Content {
    /// Returns the role that says such a thing.
    pub const fn role(&self) -> Role {
        match self {
            Self::Features(_) => Role::Analyst,
            Self::Fix(_) => Role::Advisor,
        }
    }

    /// Writes the answer as its block; [`parse`] reads the same answer back.
    pub fn render(&self) -> String {
        match self {
            Self::Features(said) => FEATURE_OPPORTUNITIES.render(said),
            Self::Fix(text) => FIX_SUGGESTION.render(text),
        }
    }
}

/// What a reply is judged against.
#[derive(Debug, Clone, Copy)]
pub struct ReplyContext {
    /// Whether anything that would be normalised is a defect instead.
    pub strict: bool,
    /// What a block may be at most.
    pub limits: BlockLimits,
}

/// Judges the reply to a question.
pub fn parse(
    ask: Ask,
    reply: &RawReply,
    chance: Chance,
    terms: ReplyContext,
) -> Result<Reply<Content>, Defect> {
    let shown = Shown { shown: &[], chance, strict: terms.strict, limits: terms.limits };
    let mut reading = ReplyReader::of(reply, &[contract::outline(ask.role())], shown)?;
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

/// Leaves out what has the title of another, and what is more than was asked for.
fn usable(judge: &mut Diagnostics, mut said: Features, limit: u32) -> Features {
    let mut titles = BTreeSet::new();
    said.features.retain(|feature| {
        let first = titles.insert(key(&feature.title));
        if !first {
            let title = sanitize::line(&feature.title, 60);
            let message =
                format!("opportunity `{title}` has the title of one before it; the first counts");
            judge.lenient("duplicate_title", message);
        }
        first
    });
    let most = usize::try_from(limit).unwrap_or(usize::MAX);
    let given = said.features.len();
    if given > most {
        let message = format!(
            "{given} opportunities are given, and at most {limit} were asked for; the first of them count"
        );
        judge.lenient("too_many", message);
        said.features.truncate(most);
    }
    said
}

/// What two titles have in common that are the same to a reader.
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
#[cfg(test)]
mod scenarios_tests;
#[cfg(test)]
mod tests;
