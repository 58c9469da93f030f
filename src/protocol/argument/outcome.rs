//! Builds the result from the machine's state: agents are named again, and no objection is lost.

use super::content;
use super::machine::Machine;
use super::metrics::ConcernEntry;
use super::resolve::{self, ResolutionState};
use super::state::Round;
use crate::kernel::{Attendance, Ended, HUMAN, Run, Seat};
use crate::ordered::{BTreeMap, BTreeSet, Gather};
use crate::protocol::debate::model::USUAL_IMPORTANCE;
use crate::protocol::debate::outcome::{
    self, DebateResult, Decision, Dissent, FinalPosition, OpenPoint, RoundRecord,
};
use crate::protocol::debate::typed::{Resolution, ResolutionKind, Side};
use crate::protocol::debate::{DebateOutcome, Outcome, Position, Stance};

/// Number of sides that must have answered (`docs/exit-codes.md`, quorum).
const NEEDED: u32 = 2;

impl Machine {
    /// Builds the outcome of a debate that ended as `ended`.
    pub(super) fn outcome(&self, ended: Ended<DebateOutcome>, run: &Run) -> Outcome {
        let course = &self.course;
        let standing = ResolutionState::of(course);
        let open = resolve::open_concerns(course);
        let result = FinalState { machine: self, run, standing: standing.as_ref(), open: &open };
        let mut evaluated = course.rounds().iter().filter_map(|round| round.evaluation.as_ref());
        let vendors: BTreeSet<&str> = (run.seats().iter())
            .flat_map(Attendance::vendors)
            .filter(|vendor| *vendor != HUMAN)
            .gather();
        let resolution = result.resolution(ended);
        let decision = result.decision(ended);
        let vendors = u32::try_from(vendors.len()).unwrap_or(u32::MAX);
        let seats = run.seats().iter().map(seat).collect();
        let result = DebateResult {
            consensus: evaluated.next_back().map(|last| last.figures.metrics.agreement_score),
            rounds: result.rounds(ended),
            final_positions: result.final_positions(),
            code_change_required: decision.as_ref().is_some_and(|decision| {
                let position = decision.position.as_ref();
                position.and_then(|position| position.code_change_required) == Some(true)
            }),
            decision,
            open_points: result.open_points(),
            dissent: result.dissent(),
            resolution,
            ..DebateResult::default()
        };
        let failure = run.seats().failure().cloned();
        outcome::outcome(ended, (NEEDED, vendors), seats, failure, run.warnings(), result)
    }
}

/// One failed turn ends the debate, so a side has failed at most once.
fn seat(side: &Attendance) -> Seat {
    let failure = side.failures().next();
    side.seat(failure.is_none(), failure.map(ToString::to_string))
}

struct FinalState<'a> {
    machine: &'a Machine,
    run: &'a Run,
    standing: Option<&'a ResolutionState<'a>>,
    open: &'a [ConcernEntry],
}

impl FinalState<'_> {
    /// Returns the agent that spoke last for a side, or the agent named for it if none did.
    fn agent(&self, side: Side) -> String {
        let spoke = self.machine.course.arguments().filter(|each| each.side == side);
        let named = || self.run.seats().named(side.name()).map(|seat| seat.seated.agent.clone());
        let spoke = spoke.last().map(|argument| argument.agent_id.clone());
        spoke.or_else(named).unwrap_or_default()
    }

    /// Returns every round with an argument or a missing answer.
    fn rounds(&self, ended: Ended<DebateOutcome>) -> Vec<RoundRecord> {
        let last = self.machine.course.current_round();
        let failed: Vec<String> = (self.run.seats().iter())
            .filter(|side| ended == DebateOutcome::Failed && side.failures().next().is_some())
            .map(|side| side.name.clone())
            .collect();
        let record = |round: &Round| {
            let evaluation = round.evaluation.as_ref();
            RoundRecord {
                round: round.number,
                consensus: evaluation.map(|evaluation| evaluation.check.clone()),
                stances: (round.stances.iter())
                    .map(|(side, stances)| (side.name().to_owned(), stances.clone()))
                    .gather(),
                arguments: round.arguments.clone(),
                metrics: evaluation.map(|evaluation| evaluation.figures.metrics.clone()),
                forced: if round.number == last { failed.clone() } else { Vec::new() },
                ..RoundRecord::default()
            }
        };
        let happened =
            |record: &RoundRecord| !record.arguments.is_empty() || !record.forced.is_empty();
        let rounds = self.machine.course.rounds().iter().map(record);
        rounds.filter(happened).collect()
    }

    fn final_positions(&self) -> BTreeMap<String, FinalPosition> {
        let last = |side: Side| {
            let spoke = self.machine.course.arguments().filter(|each| each.side == side);
            let argument = spoke.last()?;
            let vendor = self.machine.vendors.get(&argument.agent_id);
            let by = (&*argument.agent_id, vendor.map_or("", |vendor| vendor));
            let text = content::text(&argument.said.content);
            let last = FinalPosition::new(side.name(), by, &text, argument.round);
            Some((side.name().to_owned(), last))
        };
        Side::ALL.into_iter().filter_map(last).gather()
    }

    fn decision(&self, ended: Ended<DebateOutcome>) -> Option<Decision> {
        let standing = self.standing.filter(|_| ended == DebateOutcome::ConsensusReached)?;
        let argument = standing.argument;
        let text = content::text(&argument.said.content);
        let amendments = standing.open_points().filter_map(|(_, said)| said);
        let met = self.open.iter().filter_map(|raised| standing.stance(&raised.concern.id));
        let amendments = amendments.chain(met).filter_map(|said| said.amendment.clone());
        Some(Decision {
            by: argument.side.name().to_owned(),
            amendments: amendments.collect(),
            position: Some(Position {
                summary: text.clone(),
                points: standing.points.clone(),
                concedes: Vec::new(),
                changes: Vec::new(),
                risks: argument.said.risks.iter().map(|risk| risk.name.clone()).collect(),
                confidence: argument.confidence,
                code_change_required: content::code_change_required(&argument.said.content),
            }),
            text,
            ..Decision::default()
        })
    }

    fn resolution(&self, ended: Ended<DebateOutcome>) -> Option<Resolution> {
        let course = &self.machine.course;
        let kind = match (ended, self.standing) {
            (Ended::Closed(DebateOutcome::ConsensusReached), Some(standing)) => {
                resolve::kind(course, standing, self.open)
            }
            (Ended::Closed(DebateOutcome::Deadlocked), _) => ResolutionKind::HumanEscalation,
            // An undecided debate can be continued; it has no resolution.
            (_, Some(_) | None) => return None,
        };
        Some(resolve::resolution(course, kind, self.open))
    }

    fn open_points(&self) -> Vec<OpenPoint> {
        let points = self.standing.iter().flat_map(|standing| {
            standing.open_points().map(|(point, said)| {
                OpenPoint::new(&point.id, &point.claim, point.importance, said)
            })
        });
        let concerns = self.open.iter().map(|raised| {
            let said = self.standing.and_then(|standing| standing.stance(&raised.concern.id));
            OpenPoint::new(&raised.concern.id, &raised.concern.text, USUAL_IMPORTANCE, said)
        });
        points.chain(concerns).collect()
    }

    /// Returns everything not agreed to in the last resolution, and every concern that is not met.
    fn dissent(&self) -> Vec<Dissent> {
        let mut all = Vec::new();
        let mut add = |side: Side, about: String, reason: String| {
            all.push(Dissent {
                seat: side.name().to_owned(),
                agent: self.agent(side),
                about,
                reason,
            });
        };
        if let Some(standing) = self.standing
            && let Some((side, stances)) = &standing.round.stances
        {
            for (point, said) in standing.open_points() {
                let Some(said) = said else { continue };
                let stance = said.stance.name();
                add(
                    *side,
                    format!("{} ({stance}): {}", point.id, point.claim),
                    said.reason.clone(),
                );
            }
            for missing in &stances.missing {
                add(*side, "missing in the resolution".to_owned(), missing.clone());
            }
        }
        for raised in self.open {
            let id = &raised.concern.id;
            let said = self.standing.and_then(|standing| standing.stance(id));
            let reason = match said {
                Some(said) if said.stance != Stance::Agree => said.reason.clone(),
                Some(_) | None => format!("raised in round {}, and not met", raised.round),
            };
            add(raised.side, format!("{id}: {}", raised.concern.text), reason);
        }
        all
    }
}

#[cfg(test)]
mod tests {
    //! Amendments, conditions and areas in the result.

    use serde_json::json;

    use super::super::testing::*;
    use super::*;
    use crate::kernel::share::Share;
    use crate::protocol::debate::typed::ArgumentType::{Challenge, Defense, Proposal, Resolution};

    #[test]
    fn a_consensus_with_amendments_is_conditional_and_keeps_them() {
        let mut machine = machine();
        for (kind, more) in [
            (Proposal, json!({"impact_areas": ["operations", "vibes"]})),
            (Challenge, json!({"concerns": concerns(&["Cost"])})),
            (Defense, json!({})),
            (
                Resolution,
                json!({
                    "content": {"text": "Do it.", "code_change_required": true,
                        "points": [{"claim": "a", "importance": 3}, {"claim": "b", "importance": 1}]},
                    "addresses": addresses(&["C1"]), "risks": [{"name": "Delay", "likelihood": 0.5, "impact": 0.5}],
                }),
            ),
        ] {
            give(&mut machine, Some(&argument(kind, more)));
        }
        let text = stances_block(&[("P1", "agree"), ("P2", "partly")]);
        give(&mut machine, Some(&text.replace("\"missing\":[]", "\"missing\":[\"A date\"]")));
        let end = done(&machine);
        // (3 x 1 + 1 x 0.5) of 4.
        assert_eq!(end.result.consensus.map(Share::get), Some(875));
        assert_eq!(end.outcome, DebateOutcome::ConsensusReached);
        assert!(end.result.code_change_required);
        let decision = end.result.decision.unwrap();
        assert_eq!(decision.amendments, ["Only for reads."]);
        assert_eq!(decision.position.unwrap().risks, ["Delay"]);
        let resolution = end.result.resolution.unwrap();
        assert_eq!(resolution.kind, ResolutionKind::ConditionalApproval);
        assert_eq!(resolution.conditions, ["P2: Only for reads"]);
        assert_eq!(resolution.key_decisions, ["P1: a"]);
        assert!(resolution.asked.is_empty() && resolution.recommendations.is_empty());
        let about: Vec<&str> = end.result.dissent.iter().map(|each| &*each.about).collect();
        assert_eq!(about, ["P2 (partly): b", "missing in the resolution"]);
        assert_eq!(end.result.rounds[0].arguments[0].unknown_areas, ["vibes"]);
        assert_eq!(
            end.result.final_positions["primary"].text,
            "It survives a restart, which the cache does not."
        );
    }
}
