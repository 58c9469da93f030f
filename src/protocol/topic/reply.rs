//! Judges one reply to a turn of a dialogue: its blocks together, all that is wrong at once.

use serde_json::json;

use super::contract::Ask;
use crate::contract::template::{self, REMARK};
use crate::contract::{Reading, Terms};
use crate::kernel::{Defect, RawReply, Reply};
use crate::protocol::debate::contract::{JUDGEMENT, POSITION, STANCES};
use crate::protocol::debate::reply::Blocks as _;
use crate::protocol::debate::{Judgement, Position, Stances};

/// An answer, read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Said {
    /// A position: proposal, alternative, joint draft.
    Position(Position),
    /// Stances on the other side's points, and a position of one's own: review, rebuttal.
    Both(Stances, Position),
    /// Stances alone: the answer to a joint draft.
    Stances(Stances),
    /// The expert's ruling.
    Judgement(Judgement),
    /// A person's remark; `None` for none.
    Remark(Option<String>),
}

impl Said {
    /// Writes the answer as its blocks; [`parse`] reads the same answer back.
    pub fn render(&self) -> String {
        let json = |name: &str, value: serde_json::Value| template::block(name, &value.to_string());
        match self {
            Self::Position(position) => json(POSITION, json!(position)),
            Self::Both(stances, position) => {
                format!("{}\n{}", json(STANCES, json!(stances)), json(POSITION, json!(position)))
            }
            Self::Stances(stances) => json(STANCES, json!(stances)),
            Self::Judgement(judgement) => json(JUDGEMENT, json!(judgement)),
            Self::Remark(remark) => template::block(REMARK, remark.as_deref().unwrap_or_default()),
        }
    }
}

/// Judges the reply to a turn. `terms.shown`: the points that are to be judged in it.
pub fn parse(ask: Ask, reply: &RawReply, terms: Terms<'_>) -> Result<Reply<Said>, Defect> {
    let mut reading = Reading::open(reply, &ask.wants(), &ask.templates(), terms)?;
    let said = match ask {
        Ask::Remark => Some(Said::Remark(reading.remark())),
        Ask::Propose | Ask::Alternative | Ask::Compromise => reading.position().map(Said::Position),
        Ask::Review | Ask::Rebuttal => {
            // Both are read, so that one re-ask names what is wrong in either.
            let (stances, position) = (reading.stances(), reading.position());
            stances.zip(position).map(|(stances, position)| Said::Both(stances, position))
        }
        Ask::Answer => reading.stances().map(Said::Stances),
        Ask::Expert => reading.judgement().map(Said::Judgement),
    };
    let (said, notes) = reading.close(said)?;
    Ok(Reply { said, notes })
}

#[cfg(test)]
mod properties;
