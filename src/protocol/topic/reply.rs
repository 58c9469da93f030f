//! Reads one reply to a turn of a dialogue: all its blocks together, all faults reported at once.

use super::contract::Ask;
use crate::contract::{ReplyReader, ReplyRules};
use crate::kernel::{Defect, RawReply, Reply};
use crate::protocol::debate::contract::{JUDGEMENT, POSITION, REMARK, STANCES};
use crate::protocol::debate::reply::{judgement, position, stances};
use crate::protocol::debate::{Judgement, Position, Stances};

/// The content of an accepted answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// A position: a proposal, an alternative or a joint draft.
    Position(Position),
    /// Stances on the other side's points and the author's own position: a review or a rebuttal.
    Both(Stances, Position),
    /// Stances alone, in answer to a joint draft.
    Stances(Stances),
    /// The expert's ruling.
    Judgement(Judgement),
    /// A person's remark; `None` if the person has nothing to say.
    Remark(Option<String>),
}

impl Content {
    /// Writes the answer as blocks; [`parse`] reads the same answer back.
    pub fn render(&self) -> String {
        match self {
            Self::Position(position) => POSITION.render(position),
            Self::Both(stances, position) => {
                format!("{}\n{}", STANCES.render(stances), POSITION.render(position))
            }
            Self::Stances(stances) => STANCES.render(stances),
            Self::Judgement(judgement) => JUDGEMENT.render(judgement),
            Self::Remark(remark) => REMARK.render(&remark.clone().unwrap_or_default()),
        }
    }
}

/// Reads the reply to a turn. `terms.shown` lists the points that must be judged in it.
pub(crate) fn parse(
    ask: Ask,
    reply: &RawReply,
    terms: ReplyRules<'_>,
) -> Result<Reply<Content>, Defect> {
    let mut reading = ReplyReader::of(reply, ask.blocks(), terms)?;
    let said =
        match ask {
            Ask::Remark => Some(Content::Remark(reading.read(&REMARK, |_, remark| Some(remark)))),
            Ask::Propose | Ask::Alternative | Ask::Compromise => reading
                .read(&POSITION, |judge, said| Some(Content::Position(position(judge, said)))),
            Ask::Review | Ask::Rebuttal => {
                // Both are read, so that one re-ask reports the faults of either.
                let stances = reading.read(&STANCES, |judge, said| Some(stances(judge, said)));
                let position = reading.read(&POSITION, |judge, said| Some(position(judge, said)));
                stances.zip(position).map(|(stances, position)| Content::Both(stances, position))
            }
            Ask::Answer => {
                reading.read(&STANCES, |judge, said| Some(Content::Stances(stances(judge, said))))
            }
            Ask::Expert => reading
                .read(&JUDGEMENT, |judge, said| Some(Content::Judgement(judgement(judge, said)))),
        };
    let (said, notes) = reading.close(said)?;
    Ok(Reply { content: said, notes })
}

#[cfg(test)]
mod properties;
