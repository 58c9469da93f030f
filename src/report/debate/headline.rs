//! The first line: how the debate ended, in capitals, then in a sentence. It depends on the outcome alone.

use super::DebateDocument;
use crate::kernel::Ended;
use crate::protocol::debate::ballot::Choice;
use crate::protocol::debate::consensus::{Basis, COVERED};
use crate::protocol::debate::typed::ResolutionKind;
use crate::protocol::debate::{DebateOutcome, Verdict};
use crate::report::page::{Emphasis, Text, agent_text, count, name, session, text};

impl DebateDocument {
    /// Returns in one line how the debate ended.
    pub(crate) fn headline_text(&self) -> Text {
        let after = self.result.rounds.last().map(|round| text![" after round ", round.round]);
        let measured = self.measured();
        let outcome = match self.header.outcome {
            Ended::Closed(outcome) => outcome,
            Ended::Stopped(halt) => return session::halted(halt, Text::default()),
        };
        let text = match outcome {
            DebateOutcome::Adopted => {
                let adopted = match self.thresholds.basis {
                    Basis::Stance => "ADOPTED: ",
                    Basis::Text => "ADOPTED by the similarity of the texts: ",
                };
                text![adopted, measured, after, "."]
            }
            DebateOutcome::ConsensusReached => {
                let kind = self.result.resolution.as_ref().map(|by| {
                    let conditions = Some(by.conditions.len()).filter(|conditions| *conditions > 0);
                    let conditions = conditions.map(|all| text![", ", count(all, "condition")]);
                    text![" (", kind(by.kind), conditions, ")"]
                });
                text!["CONSENSUS", kind, ": ", measured, after, "."]
            }
            DebateOutcome::Expert => {
                text!["RULED by the expert", self.ruler(), ". Without the ruling: ", measured, "."]
            }
            DebateOutcome::Partial => {
                let taken = match &self.logged {
                    Some(logged) => text!["A person accepted it: decision ", name(&logged.id)],
                    None => text!["Not adopted: a person decides"],
                };
                text!["PARTIAL: ", measured, after, ". ", taken, "."]
            }
            DebateOutcome::OneVendor => {
                let what = if self.result.choices.is_empty() { measured } else { self.leading() };
                let taken = match &self.logged {
                    Some(logged) => text!["A person accepted it: decision ", name(&logged.id)],
                    None => text!["No second vendor checked it: a person decides"],
                };
                text!["AGREED: ", what, after, ". ", taken, "."]
            }
            DebateOutcome::Deadlocked => {
                let nobody = match &self.result.expert {
                    Some(_) => text!["the expert", self.ruler(), " gave no ruling"],
                    // Typed arguments have no expert: open points go to a person.
                    None if self.result.resolution.is_some() => "a person has to decide".into(),
                    None => "nobody ruled".into(),
                };
                text!["DEADLOCKED: ", measured, after, "; ", nobody, "."]
            }
            DebateOutcome::Settled => text!["SETTLED: ", self.leading(), "."],
            DebateOutcome::Judged => {
                let chosen = self.chosen().map(|choice| text![" ", named(choice), ","]);
                let judge = self.ruler();
                text!["RULED by the judge", judge, ":", chosen, " the same choice in both orders."]
            }
            DebateOutcome::Unstable => text![
                "UNSTABLE: the ruling of the judge",
                self.ruler(),
                " depends on the order of the answers; nothing is decided."
            ],
            DebateOutcome::Split => {
                let nobody = match &self.result.expert {
                    Some(_) => text!["the judge", self.ruler(), " gave no ruling"],
                    None => "nobody judged".into(),
                };
                text!["SPLIT: ", self.leading(), "; ", nobody, "."]
            }
            DebateOutcome::Failed => {
                let failed = self.header.seats.iter().filter(|seat| seat.failure.is_some());
                let causes = session::causes(failed, &[], "failed");
                text!["UNDECIDED: agents failed; ", self.attendance(), ".", causes]
            }
        };
        text.tone(match self.header.verdict {
            Verdict::Consensus | Verdict::Ruled => Emphasis::Good,
            Verdict::Partial | Verdict::OneVendor | Verdict::NoConsensus => Emphasis::Doubt,
            Verdict::Undecided => Emphasis::Bad,
        })
    }

    /// `2 of 2 participants answered (2 needed), from 2 vendors`.
    pub(super) fn attendance(&self) -> Text {
        let quorum = self.header.quorum;
        text![
            quorum.answered,
            " of ",
            self.table().count(),
            " participants answered (",
            quorum.needed,
            " needed), ",
            session::vendors(quorum.vendors)
        ]
    }

    /// `consensus 91% (85% needed)`; `agreement` if concerns count as well as stances.
    fn measured(&self) -> Text {
        let wanted = self.thresholds.consensus.map(|wanted| text![" (", wanted, " needed)"]);
        let what = match (self.result.consensus, &self.result.resolution) {
            (None, _) => "no consensus was measured",
            (Some(_), Some(_)) => "agreement ",
            (Some(_), None) => "consensus ",
        };
        let last = self.result.rounds.iter().rev().find_map(|round| round.consensus.as_ref());
        let few = last.filter(|check| check.basis == Basis::Stance && check.covered < COVERED);
        let few = few.map(|check| {
            text![", only ", check.covered, " of the points' weight judged (", COVERED, " needed)"]
        });
        text![what, self.result.consensus, wanted, few]
    }

    /// ` codex (openai)`.
    fn ruler(&self) -> Option<Text> {
        let expert = self.result.expert.as_ref()?;
        Some(text![" ", session::agent(&expert.agent, &expert.vendor)])
    }

    /// Whether a panel's answers all took the same option, so that no vote was held.
    pub(super) fn is_settled_without_vote(&self) -> bool {
        let settled = [DebateOutcome::Settled, DebateOutcome::OneVendor];
        settled.iter().any(|settled| self.header.outcome == *settled)
            && self.result.last_votes.is_empty()
    }

    pub(super) fn chosen(&self) -> Option<&Choice> {
        let decided = self.result.decision.as_ref()?;
        self.result.choices.iter().find(|choice| choice.text == decided.text)
    }

    /// `"Kafka" (answer B) has the votes of 3 of 4 seats, 2 vendors`.
    fn leading(&self) -> Text {
        let seats = count(self.table().count(), "seat");
        let most = self.result.choices.iter().map(|choice| choice.votes).max();
        let leaders: Vec<&Choice> = (self.result.choices.iter())
            .filter(|choice| choice.votes > 0 && Some(choice.votes) == most)
            .collect();
        match leaders.as_slice() {
            [] => text!["no choice has a vote from any of ", seats],
            [one] => {
                let vendors = count(one.vendors, "vendor");
                if self.is_settled_without_vote() {
                    let (named, of) = (named(one), one.votes);
                    return text![
                        named,
                        " is the answer of ",
                        of,
                        " of ",
                        seats,
                        ", ",
                        vendors,
                        ", without a vote"
                    ];
                }
                text![named(one), " has the votes of ", one.votes, " of ", seats, ", ", vendors]
            }
            [one, ..] => {
                let votes = one.votes;
                text![leaders.len(), " answers have the votes of ", votes, " of ", seats, " each"]
            }
        }
    }
}

/// A choice by its option (`"Kafka"`) or, since letters are dealt anew in each debate, by its text: `"Use Kafka" (answer
/// B)`.
fn named(choice: &Choice) -> Text {
    let answer = choice.option.is_none().then(|| text![" (answer ", name(&choice.id), ")"]);
    text!["\"", agent_text(&choice.short()), "\"", answer]
}

pub(super) const fn kind(kind: ResolutionKind) -> &'static str {
    match kind {
        ResolutionKind::FullAgreement => "full agreement",
        ResolutionKind::ConditionalApproval => "conditional approval",
        ResolutionKind::Hybrid => "hybrid",
        ResolutionKind::HumanEscalation => "human escalation",
    }
}
