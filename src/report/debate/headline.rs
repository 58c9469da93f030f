//! The first line: how the debate ended, in capitals, then in a sentence. It depends on the outcome alone.

use super::DebateDocument;
use crate::protocol::debate::DebateOutcome;
use crate::protocol::debate::consensus::Basis;
use crate::report::standing;
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
            DebateOutcome::Partial => match &self.logged {
                Some(logged) => format!(
                    "PARTIAL: {measured}{after}. A person took it: decision {}.",
                    words::name(&logged.id)
                ),
                None => format!("PARTIAL: {measured}{after}. Not adopted: a person decides."),
            },
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
            DebateOutcome::Judged => {
                let chosen =
                    (self.chosen()).map_or_else(String::new, |choice| format!(" {choice},"));
                format!(
                    "RULED by the judge{}:{chosen} the same choice in both orders.",
                    self.ruler()
                )
            }
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
            DebateOutcome::Failed => {
                let seats = self.header.seats.iter();
                let failed = seats.filter(|seat| seat.failure.is_some());
                format!(
                    "UNDECIDED: agents failed; {}.{}",
                    self.attendance(),
                    words::causes(failed, "failed")
                )
            }
            DebateOutcome::Terminated => match self.header.stopped_by {
                Some(limit) => format!("UNDECIDED: {}.", limit.reason()),
                None => format!("{}.", standing::TERMINATED),
            },
            DebateOutcome::Interrupted => "UNDECIDED: interrupted.".to_owned(),
            DebateOutcome::Running => format!("{}.", standing::RUNNING),
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
            | DebateOutcome::Split
            | DebateOutcome::Running => DOUBT,
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
            format!(" {} ({})", words::name(&expert.agent), words::name(&expert.vendor))
        })
    }

    /// The choice whose text was decided.
    fn chosen(&self) -> Option<String> {
        let decided = self.decision.as_ref()?;
        let choice = (self.choices.iter()).find(|choice| choice.text == decided.text)?;
        Some(choice.named())
    }

    /// `"Kafka" (answer B) has the votes of 3 of 4 seats, 2 vendors`.
    fn leading(&self) -> String {
        let seats = count(u32::try_from(self.table().count()).unwrap_or(u32::MAX), "seat");
        let most = self.choices.iter().map(|choice| choice.votes).max();
        let leaders: Vec<_> = (self.choices.iter())
            .filter(|choice| choice.votes > 0 && Some(choice.votes) == most)
            .collect();
        match leaders.as_slice() {
            [] => format!("no choice has a vote of {seats}"),
            [one] => format!(
                "{} has the votes of {} of {seats}, {}",
                one.named(),
                one.votes,
                count(one.vendors, "vendor")
            ),
            [one, ..] => {
                format!("{} answers have the votes of {} of {seats} each", leaders.len(), one.votes)
            }
        }
    }
}
