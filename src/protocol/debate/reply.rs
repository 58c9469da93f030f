//! What the blocks of a debate mean: positions, stances, judgements, remarks (`robustness.md` section 4).
//!
//! What leaves this module holds points with ids of ours, stances on points that were shown, at most one
//! each, and texts of bounded length. Faults are problems at first, all at once, so that one re-ask can mend
//! everything. On the last chance faulty entries are left out, one warning each, and never mended by guessing:
//!
//! * a position needs a point; a stance that is missing was not given, and counts against agreement later;
//! * an answer that owes stances and gives none has failed, whatever else it holds;
//! * "agree" with an amendment, or "agree, but", is `partly`;
//! * two different stances on one point are none; a ruling that is missing makes a judgement none at all.

use super::contract::TEXT_CHARS;
use super::model::{Judgement, Position, Stances};
use crate::contract::Reading;
use crate::contract::template::{REMARK, REMARK_TEMPLATE};
use crate::text::sanitize;

mod content;

pub(in crate::protocol) use content::{judgement, position, stances};

/// The blocks of a debate, as a reply's reading gives them.
pub(in crate::protocol) trait Blocks {
    /// Reads the block `POSITION`.
    fn position(&mut self) -> Option<Position>;

    /// Reads the block `STANCES`: about the ids that were shown.
    fn stances(&mut self) -> Option<Stances>;

    /// Reads the block `JUDGEMENT`: about the ids that were shown.
    fn judgement(&mut self) -> Option<Judgement>;

    /// Reads the block `REMARK`; `None` for none, or an empty one.
    fn remark(&mut self) -> Option<String>;
}

impl Blocks for Reading<'_> {
    fn position(&mut self) -> Option<Position> {
        self.object(super::contract::POSITION, position)
    }

    fn stances(&mut self) -> Option<Stances> {
        self.object(super::contract::STANCES, stances)
    }

    fn judgement(&mut self) -> Option<Judgement> {
        self.object(super::contract::JUDGEMENT, judgement)
    }

    fn remark(&mut self) -> Option<String> {
        let text = self.text(REMARK)?;
        let clean = sanitize::terminal(&text);
        let clean = clean.trim();
        if clean == REMARK_TEMPLATE {
            return None;
        }
        let Some((at, _)) = clean.char_indices().nth(TEXT_CHARS) else {
            return (!clean.is_empty()).then(|| clean.to_owned());
        };
        let message =
            format!("the remark is longer than {TEXT_CHARS} characters; it was cut there");
        self.note("shortened", message);
        Some(format!("{}…", clean[..at].trim_end()))
    }
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
