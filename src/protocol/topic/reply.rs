//! Reads one reply to a turn of a dialogue: all its blocks together, all faults reported at once.

use serde::Serialize;

use super::contract::Ask;
use super::points::PointIds;
use crate::contract::{Diagnostics, ReplyReader, ReplyRules, some_of};
use crate::kernel::{Defect, RawReply, Reply};
use crate::protocol::debate::contract::{JUDGEMENT, POSITION, STANCES};
use crate::protocol::debate::reply::{judgement, stances};
use crate::protocol::debate::{Judgement, Position, Stance, Stances};
#[cfg(test)]
use crate::protocol::testing::written;

/// The content of an accepted answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub(crate) enum Content {
    /// A position alone: a first one, or a joint draft.
    Position(Position),
    /// Stances on the other side's points and the author's own position: a review or a rebuttal.
    Both(Stances, Position),
    /// Stances alone, in answer to a joint draft.
    Stances(Stances),
    /// The expert's ruling.
    Judgement(Judgement),
}

impl Content {
    /// Writes the answer as blocks; [`parse`] reads the same answer back.
    #[cfg(test)]
    pub(crate) fn render(&self) -> String {
        match self {
            Self::Position(position) => written(&POSITION, position),
            Self::Both(stances, position) => {
                format!("{}\n{}", written(&STANCES, stances), written(&POSITION, position))
            }
            Self::Stances(stances) => written(&STANCES, stances),
            Self::Judgement(judgement) => written(&JUDGEMENT, judgement),
        }
    }
}

/// Reads the reply to a turn. `terms.shown` lists the points that must be judged in it; `ids` has those of its own
/// points.
pub(crate) fn parse(
    ask: Ask,
    ids: &PointIds,
    reply: &RawReply,
    terms: ReplyRules<'_>,
) -> Result<Reply<Content>, Defect> {
    let mut reading = ReplyReader::of(reply, ask.blocks(), terms)?;
    let stances = |judge: &mut Diagnostics, said| {
        let said = stances(judge, said);
        amended(judge, &said);
        Some(said)
    };
    let position = |judge: &mut Diagnostics, said| Some(ids.position(judge, said));
    let said = match ask {
        Ask::Propose | Ask::Position(_) | Ask::Compromise => {
            let block = ask.position().unwrap_or(POSITION);
            reading.read(&block, position).map(Content::Position)
        }
        Ask::Review | Ask::Rebuttal => {
            // Both are read, so that one re-ask reports the faults of either.
            let block = ask.position().unwrap_or(POSITION);
            let stances = reading.read(&STANCES, stances);
            let position = reading.read(&block, position);
            stances.zip(position).map(|(stances, position)| Content::Both(stances, position))
        }
        Ask::Stances(_) | Ask::Answer => reading.read(&STANCES, stances).map(Content::Stances),
        Ask::Expert => {
            reading.read(&JUDGEMENT, |judge, said| Some(Content::Judgement(judgement(judge, said))))
        }
    };
    let (said, notes) = reading.close(said)?;
    Ok(Reply { content: said, notes })
}

/// Notes where "partly" names no amendment: half of an agreement to nobody knows what.
fn amended(judge: &mut Diagnostics, said: &Stances) {
    let partly = said.stances.iter().filter(|said| said.stance == Stance::Partly);
    let bare: Vec<&str> =
        partly.filter(|said| said.amendment.is_none()).map(|said| &*said.point).collect();
    if !bare.is_empty() {
        let message = format!("`partly` on {} without an amendment", some_of(&bare));
        judge.note("no_amendment", message);
    }
}
