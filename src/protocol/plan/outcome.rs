//! Builds the result from the machine's state: agents are named again, and every judgement and vote is included.

use std::collections::{BTreeMap, BTreeSet};

use super::machine::{Machine, PlanState};
use super::model::{
    FinalStep, Group, Objection, ObjectionKind, OmittedStep, Outcome, PlanOutcome, Stance, Status,
    StepValidation, StepVotes, ValidationResult, Verdict,
};
use super::validate;
use crate::kernel::warning::warning;
use crate::kernel::{Attendance, Run, Seat, SeatStatus, SessionOutcome, Warning};

/// Maximum number of entries in a result's list of risks or questions.
const MAX_LINES: usize = 100;

impl Machine {
    /// Builds the outcome of a planning that ended in this way.
    pub(super) fn outcome(&self, ended: PlanOutcome, run: &Run) -> Outcome {
        let standing = self.standing();
        let names = Names(self);
        let (steps, left_out) = match &standing {
            Some(standing) => (names.steps(standing), names.left_out(standing)),
            None => (Vec::new(), Vec::new()),
        };
        let winner = standing.as_ref().map(|standing| standing.winner);
        let plan = winner.and_then(|seat| self.plans[seat].as_ref());
        let mut warnings = run.warnings().to_vec();
        let merged = standing.iter().flat_map(|standing| &standing.merged.notes);
        warnings.extend(merged.map(warning));
        let order = winner.into_iter().chain(self.planners().filter(|seat| Some(*seat) != winner));
        let plans: Vec<_> = order.filter_map(|seat| self.plans[seat].as_ref()).collect();
        let intact = run.seats().iter().filter(|seat| seat.is_intact());
        let vendors: BTreeSet<&str> = intact.flat_map(Attendance::vendors).collect();
        let scores = standing.iter().flat_map(|standing| &standing.scores);
        let mut outcome = Outcome {
            outcome: ended,
            verdict: ended.verdict(),
            winner: winner.map(|seat| names.agent(seat)),
            confidence: self.rounds.last().map_or(0, |round| round.confidence),
            rounds: self.rounds.clone(),
            scores: scores.map(|(seat, score)| (names.agent(*seat), *score)).collect(),
            summary: plan.map(|plan| plan.summary.clone()).unwrap_or_default(),
            risks: once(plans.iter().flat_map(|plan| &plan.risks)),
            open_questions: once(plans.iter().flat_map(|plan| &plan.open_questions)),
            recommendation: String::new(),
            not_shown: self.stable.not_shown.clone(),
            degraded: self.planners().count() < 2,
            // A seat counts as failed even if only one of its turns failed; the failure states how many did.
            seats: (run.seats().iter())
                .map(|seat| seat.seat(seat.is_intact(), seat.failed()))
                .collect(),
            vendors: u32::try_from(vendors.len()).unwrap_or(u32::MAX),
            failure: run.seats().failure().cloned(),
            steps,
            left_out,
            warnings,
        };
        outcome.recommendation = recommendation(&outcome);
        outcome
    }
}

/// Returns each text once, ignoring case and spaces, in order.
fn once<'a>(texts: impl Iterator<Item = &'a String>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let key = |text: &str| {
        let words: Vec<&str> = text.split_whitespace().collect();
        words.join(" ").to_lowercase()
    };
    texts.filter(|text| seen.insert(key(text))).take(MAX_LINES).cloned().collect()
}

/// Restores the agents' names.
struct Names<'a>(&'a Machine);

impl Names<'_> {
    fn agent(&self, seat: usize) -> String {
        let seated = self.0.input.seats.get(seat);
        seated.map(|seated| seated.agent.clone()).unwrap_or_default()
    }

    fn authors(&self, group: &Group) -> Vec<String> {
        group.authors().into_iter().map(|seat| self.agent(seat)).collect()
    }

    fn votes(&self, group: &Group) -> StepVotes {
        let of = |stance: Stance| {
            let votes = group.votes().filter(|(_, judged)| judged.stance == stance);
            votes.map(|(seat, _)| self.agent(seat)).collect()
        };
        StepVotes {
            agree: of(Stance::Agree),
            disagree: of(Stance::Disagree),
            modify: of(Stance::Modify),
        }
    }

    /// Returns the objections to a step: latest judgements that do not agree, then votes against it.
    fn objections(&self, group: &Group, winner: usize) -> Vec<Objection> {
        let judged = group.votes().filter_map(|(seat, judged)| {
            let kind = match judged.stance {
                Stance::Agree => return None,
                Stance::Disagree => ObjectionKind::Disagree,
                Stance::Modify => ObjectionKind::Modify,
            };
            Some(Objection {
                agent: self.agent(seat),
                kind,
                reason: judged.reason.clone(),
                suggestion: judged.suggestion.clone(),
            })
        });
        let ballots = self.0.ballots.iter();
        let voters = ballots.filter(|(seat, _)| **seat != winner && !group.wrote(**seat));
        let rejected = voters.filter_map(|(seat, said)| {
            let vote = said.votes.iter().find(|vote| vote.id == group.id)?;
            (!vote.approve).then(|| Objection {
                agent: self.agent(*seat),
                kind: ObjectionKind::Reject,
                reason: vote.reason.clone(),
                suggestion: None,
            })
        });
        judged.chain(rejected).collect()
    }

    fn steps(&self, standing: &PlanState) -> Vec<FinalStep> {
        let (groups, winner) = (&self.0.groups, standing.winner);
        let tally = validate::tally(&standing.merged, groups, winner, &self.0.ballots);
        // If no vote was held, no validation is shown; if one was, a step without votes is shown as such.
        let held = !self.0.ballots.is_empty();
        let step = |(step, validation): (&super::merge::MergedStep, StepValidation)| {
            let group = &groups[step.group];
            let words = step.step.clone();
            FinalStep {
                id: words.id,
                phase: words.phase,
                title: words.title,
                description: words.description,
                files: words.files,
                depends_on: words.depends_on,
                acceptance: words.acceptance,
                status: group.status(),
                proposed_by: self.authors(group),
                added: step.added,
                votes: self.votes(group),
                objections: self.objections(group, winner),
                validation: held.then_some(validation),
            }
        };
        standing.merged.steps.iter().zip(tally).map(step).collect()
    }

    fn left_out(&self, standing: &PlanState) -> Vec<OmittedStep> {
        let step = |(at, reason): &(usize, String)| {
            let group = &self.0.groups[*at];
            let first = group.members.first()?;
            Some(OmittedStep {
                title: first.step.title.clone(),
                description: first.step.description.clone(),
                files: first.step.files.clone(),
                status: group.status(),
                proposed_by: self.authors(group),
                reason: reason.clone(),
                votes: self.votes(group),
                objections: self.objections(group, standing.winner),
            })
        };
        standing.merged.left_out.iter().filter_map(step).collect()
    }
}

/// Returns the reason why a planning has no steps.
const fn no_plan(ended: PlanOutcome) -> &'static str {
    match ended {
        PlanOutcome::Running | PlanOutcome::Interrupted | PlanOutcome::Budget => {
            "There is no plan yet."
        }
        PlanOutcome::Accepted
        | PlanOutcome::Rejected
        | PlanOutcome::Undecided
        | PlanOutcome::Terminated => "There is no plan: nobody provided one.",
    }
}

/// Returns the reason why an undecided plan is a draft.
const fn draft(ended: PlanOutcome) -> &'static str {
    match ended {
        PlanOutcome::Running => "the planners are still at work",
        PlanOutcome::Budget | PlanOutcome::Interrupted | PlanOutcome::Terminated => {
            "the planning was stopped early"
        }
        PlanOutcome::Accepted | PlanOutcome::Rejected | PlanOutcome::Undecided => {
            "not enough planners answered to say more about it"
        }
    }
}

/// Returns one paragraph, composed by rule, on how to use the plan.
fn recommendation(outcome: &Outcome) -> String {
    let count = |noun: &str, count: usize| match count {
        1 => format!("1 {noun}"),
        _ => format!("{count} {noun}s"),
    };
    let mut said = Vec::new();
    let steps = count("step", outcome.steps.len());
    said.push(match outcome.verdict {
        _ if outcome.steps.is_empty() => no_plan(outcome.outcome).to_owned(),
        Verdict::Accepted => format!("The plan of {steps} can be followed."),
        Verdict::Rejected => {
            format!("Do not follow the plan of {steps} as it is: most of them were rejected.")
        }
        Verdict::Undecided => {
            format!("The plan of {steps} is a draft: {}.", draft(outcome.outcome))
        }
    });
    let mut by_status: BTreeMap<Status, usize> = BTreeMap::new();
    for step in &outcome.steps {
        *by_status.entry(step.status).or_default() += 1;
    }
    if !by_status.is_empty() {
        let parts: Vec<String> = (by_status.iter())
            .map(|(status, count)| format!("{count} {}", status.name()))
            .collect();
        said.push(format!("By cross-examination: {}.", parts.join(", ")));
    }
    let result = |wanted: ValidationResult| {
        let results = outcome.steps.iter().filter_map(|step| step.validation.as_ref());
        results.filter(|each| each.result == wanted).count()
    };
    let (rejected, silent) =
        (result(ValidationResult::Rejected), result(ValidationResult::Unvalidated));
    if rejected > 0 {
        said.push(format!("{} rejected in the final vote.", count("step", rejected)));
    }
    if silent > 0 {
        said.push(format!("Nobody could vote on {}.", count("step", silent)));
    }
    let added = outcome.steps.iter().filter(|step| step.added).count();
    if added > 0 {
        said.push(format!("{} came from other plans.", count("step", added)));
    }
    let open = outcome.steps.iter().filter(|step| !step.objections.is_empty());
    let open = open.count();
    if open > 0 {
        said.push(format!("Read the objections to {} first.", count("step", open)));
    }
    let failed: Vec<&str> = (outcome.seats.iter())
        .filter(|seat| match seat.status {
            SeatStatus::Failed | SeatStatus::Asked | SeatStatus::Skipped => true,
            SeatStatus::Answered | SeatStatus::FellBack => false,
        })
        .map(|seat| &*seat.agent)
        .collect();
    if !failed.is_empty() {
        said.push(format!("No complete answer from {}.", failed.join(", ")));
    }
    if !outcome.not_shown.is_empty() {
        let parts = count("part", outcome.not_shown.len());
        let were = if outcome.not_shown.len() == 1 { "was" } else { "were" };
        said.push(format!("{parts} of the change {were} not shown to the planners."));
    }
    said.join(" ")
}

impl SessionOutcome for Outcome {
    fn name(&self) -> String {
        self.outcome.name().to_owned()
    }

    fn verdict(&self) -> &str {
        self.verdict.name()
    }

    fn closes(&self) -> bool {
        self.outcome.closes()
    }

    fn seats(&mut self) -> &mut [Seat] {
        &mut self.seats
    }

    fn warnings(&self) -> &[Warning] {
        &self.warnings
    }
}

#[cfg(test)]
mod tests {
    //! Tests that names return, that risks are listed once, and that the paragraph matches the figures.

    use super::super::testing::*;
    use super::*;
    use crate::kernel::{Driver, Stop};

    #[test]
    fn names_come_back_and_each_risk_stands_once() {
        let mut machine = machine(3);
        plans(&mut machine, &["ab", "c", "d"]);
        says(&mut machine, "adm");
        says(&mut machine, "adm");
        says(&mut machine, "aar");
        let end = done(&machine);
        assert_eq!(end.winner.as_deref(), Some("codex"));
        assert_eq!(end.risks, ["It may be slow."]);
        assert_eq!(end.open_questions, ["How large may it grow?"]);
        // `a` was refuted by one seat, and another wanted it changed; `c` is the base, and one seat voted against it.
        let left = end.left_out.iter().find(|step| step.title == "Do a").unwrap();
        assert_eq!(
            (&*left.proposed_by, left.status),
            (&["claude".to_owned()][..], Status::Refuted)
        );
        assert_eq!((&*left.votes.disagree[0], &*left.votes.modify[0]), ("codex", "gemini"));
        let kinds = |objections: &[Objection]| -> Vec<(String, ObjectionKind)> {
            objections.iter().map(|each| (each.agent.clone(), each.kind)).collect()
        };
        assert_eq!(
            kinds(&left.objections),
            [
                ("codex".to_owned(), ObjectionKind::Disagree),
                ("gemini".to_owned(), ObjectionKind::Modify)
            ]
        );
        let base = end.steps.iter().find(|step| step.id == "c").unwrap();
        assert_eq!(
            kinds(&base.objections),
            [
                ("gemini".to_owned(), ObjectionKind::Modify),
                ("gemini".to_owned(), ObjectionKind::Reject)
            ]
        );
        assert_eq!(base.objections[0].suggestion.as_deref(), Some("Half of it."));
        assert_eq!(
            end.seats.iter().map(|seat| &*seat.role).collect::<Vec<_>>(),
            ["s1", "s2", "s3"]
        );
    }

    #[test]
    fn the_paragraph_is_composed_by_rule() {
        let mut machine = machine(2);
        let said = |machine: &Driver<Machine>| machine.stop(Stop::Budget).recommendation;
        assert_eq!(said(&machine), "There is no plan yet. No complete answer from claude, codex.");
        plans(&mut machine, &["ab", "bc"]);
        assert_eq!(
            said(&machine),
            "The plan of 2 steps is a draft: the planning was stopped early. \
         By cross-examination: 1 confirmed, 1 unverified."
        );
        says(&mut machine, "aa");
        says(&mut machine, "ar");
        assert_eq!(
            done(&machine).recommendation,
            "The plan of 3 steps can be followed. By cross-examination: 3 confirmed. 1 step rejected in the final vote. \
         Nobody could vote on 2 steps. 1 step came from other plans. Read the objections to 1 step first."
        );
    }
}
