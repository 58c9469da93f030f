//! The first line: how the debate ended, in capitals, then in a sentence. It depends on the outcome alone.

use super::DebateDocument;
use crate::protocol::debate::DebateOutcome;
use crate::protocol::debate::consensus::Basis;
use crate::report::words::{self, BAD, DOUBT, GOOD, count};

impl DebateDocument {
    /// Says in one line how it ended. Names in it are sanitized.
    pub fn headline(&self) -> String {
        let after = self
            .rounds
            .last()
            .map_or_else(String::new, |round| format!(" after round {}", round.round));
        let measured = self.measured();
        match self.header.outcome {
            DebateOutcome::Adopted => match self.thresholds.basis {
                Basis::Stance => format!("ADOPTED: {measured}{after}."),
                Basis::Text => {
                    format!("ADOPTED by the likeness of the texts: {measured}{after}.")
                }
            },
            DebateOutcome::ConsensusReached => {
                let kind = self.resolution.as_ref().map_or_else(String::new, |by| {
                    format!(" ({})", by.kind.name().replace('_', " "))
                });
                format!("CONSENSUS{kind}: {measured}{after}.")
            }
            DebateOutcome::Expert => {
                let who = self.ruler();
                format!("RULED by the expert{who}. Without it: {measured}.")
            }
            DebateOutcome::Partial => {
                format!("PARTIAL: {measured}{after}. Not adopted: a person decides.")
            }
            DebateOutcome::Deadlocked => {
                let nobody = match &self.expert {
                    Some(_) => format!("the expert{} gave no ruling", self.ruler()),
                    // Typed arguments have no expert: what is open goes to a person.
                    None if self.resolution.is_some() => "a person has to decide".to_owned(),
                    None => "nobody ruled".to_owned(),
                };
                format!("DEADLOCKED: {measured}{after}; {nobody}.")
            }
            DebateOutcome::Settled => format!("SETTLED: {}.", self.leading()),
            DebateOutcome::Judged => format!(
                "RULED by the judge{}: the same choice in both orders.",
                self.ruler()
            ),
            DebateOutcome::Unstable => format!(
                "UNSTABLE: the ruling of the judge{} depends on the order of the answers; nothing is decided.",
                self.ruler()
            ),
            DebateOutcome::Split => {
                let nobody = match &self.expert {
                    Some(_) => format!("the judge{} gave no ruling", self.ruler()),
                    None => "nobody judged".to_owned(),
                };
                format!("SPLIT: {}; {nobody}.", self.leading())
            }
            DebateOutcome::Failed => format!("UNDECIDED: agents failed; {}.", self.attendance()),
            DebateOutcome::Terminated => {
                "UNDECIDED: ended before its end, by a person, the budget or the deadline."
                    .to_owned()
            }
            DebateOutcome::Interrupted => "UNDECIDED: interrupted.".to_owned(),
        }
    }

    /// The headline's colour: green where something was decided, red where nothing could be.
    pub(super) const fn style(&self) -> anstyle::Style {
        match self.header.outcome {
            DebateOutcome::Adopted
            | DebateOutcome::ConsensusReached
            | DebateOutcome::Settled
            | DebateOutcome::Expert
            | DebateOutcome::Judged => GOOD,
            DebateOutcome::Partial
            | DebateOutcome::Deadlocked
            | DebateOutcome::Unstable
            | DebateOutcome::Split => DOUBT,
            DebateOutcome::Failed | DebateOutcome::Terminated | DebateOutcome::Interrupted => BAD,
        }
    }

    /// `2 of 2 participants answered, from 2 vendors (2 needed)`.
    pub(super) fn attendance(&self) -> String {
        let quorum = self.header.quorum;
        format!(
            "{} of {} participants answered, from {} ({} needed)",
            quorum.answered,
            self.table().count(),
            count(quorum.vendors, "vendor"),
            quorum.needed
        )
    }

    /// `consensus 91% (85% wanted)`; `agreement` where concerns are counted with the stances.
    fn measured(&self) -> String {
        let wanted = (self.thresholds.consensus)
            .map_or_else(String::new, |wanted| format!(" ({wanted} wanted)"));
        match self.consensus {
            Some(measured) => {
                let what = match self.resolution {
                    Some(_) => "agreement",
                    None => "consensus",
                };
                format!("{what} {measured}{wanted}")
            }
            None => format!("no consensus was measured{wanted}"),
        }
    }

    /// ` codex (openai)`.
    fn ruler(&self) -> String {
        self.expert.as_ref().map_or_else(String::new, |expert| {
            format!(
                " {} ({})",
                words::name(&expert.agent),
                words::name(&expert.vendor)
            )
        })
    }

    /// `B has 3 of 4 seats, 2 vendors`.
    fn leading(&self) -> String {
        let seats = count(
            u32::try_from(self.table().count()).unwrap_or(u32::MAX),
            "seat",
        );
        let most = self.choices.iter().map(|choice| choice.votes).max();
        let leaders: Vec<_> = (self.choices.iter())
            .filter(|choice| choice.votes > 0 && Some(choice.votes) == most)
            .collect();
        match leaders.as_slice() {
            [] => format!("no choice has a vote of {seats}"),
            [one] => format!(
                "answer {} has the votes of {} of {seats}, {}",
                words::name(&one.id),
                one.votes,
                count(one.vendors, "vendor")
            ),
            [one, ..] => format!(
                "{} answers have the votes of {} of {seats} each",
                leaders.len(),
                one.votes
            ),
        }
    }
}
