//! The agent's own part of a reply: the protocol does not see quotations of the prompt.

use super::TurnAsk;
use crate::agent::attempts::Attempts;
use crate::agent::roster::Agent;
use crate::kernel::{Chance, Defect, RawReply};
use crate::text::Problem;
use crate::text::block::quotation::{self, Data, OwnText};

impl<A: Attempts> TurnAsk<'_, A> {
    /// Lets the protocol judge a reply without its quotations.
    pub(super) fn judge(
        &mut self,
        agent: &Agent,
        reply: &RawReply,
        chance: Chance,
    ) -> Result<(), Defect> {
        let Some(OwnText { reply: left, quoted }) = self.own(agent, reply) else {
            return match self.doubtful(agent, reply) {
                Some(problem) => Err(Defect { problems: vec![problem], expected_ids: Vec::new() }),
                None => (self.parse)(reply, chance),
            };
        };
        let own = RawReply { bytes: left, ..*reply };
        let parsed = (self.parse)(&own, chance);
        let alone = quoted.iter().filter(|quoted| !quoted.again);
        let mut problems: Vec<_> = alone.map(quotation::Quotation::problem).collect();
        match parsed {
            // An optional block is also asked for again: the agent may have intended it.
            Ok(()) if chance == Chance::First && !problems.is_empty() => {
                Err(Defect { problems, expected_ids: Vec::new() })
            }
            Ok(()) => {
                for note in quoted.iter().map(quotation::Quotation::note) {
                    if !self.notes.contains(&note) {
                        self.notes.push(note);
                    }
                }
                Ok(())
            }
            Err(mut defect) => {
                // That the block is missing is implied.
                (defect.problems).retain(|other| {
                    other.code != "missing_block"
                        || problems.iter().all(|problem| problem.block != other.block)
                });
                problems.append(&mut defect.problems);
                Err(Defect { problems, ..defect })
            }
        }
    }

    /// Returns why the object in a reply without markers is not accepted.
    fn doubtful(&self, agent: &Agent, reply: &RawReply) -> Option<Problem> {
        let is_looked_at = !agent.is_person();
        let prompt = || self.turn.prompt.text();
        let (wants, boundary) = (&self.turn.blocks, &self.settings.boundary);
        is_looked_at
            .then(|| quotation::doubtful(&reply.bytes, reply.cut, wants, &prompt(), boundary))
            .flatten()
    }

    /// Returns the reply without its quotations; `None` if it has none.
    pub(super) fn own(&self, agent: &Agent, reply: &RawReply) -> Option<OwnText> {
        if agent.is_person() || self.turn.blocks.is_empty() {
            return None;
        }
        let data =
            self.data.get_or_init(|| Data::of(&self.turn.prompt.text(), &self.settings.boundary));
        quotation::own(&reply.bytes, &self.turn.blocks, data)
    }
}
