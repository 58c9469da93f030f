//! Builds the result from the machine's state: agents are named again, and every judgement and vote is included.

use std::collections::{BTreeMap, BTreeSet};

use super::group::normal;
use super::machine::{Machine, PlanState};
use super::merge::MergedStep;
use super::model::{
    Amendment, AuthoredStep, FinalStep, FinalVote, Group, Objection, ObjectionKind, OmittedStep,
    OtherWording, Outcome, PlanOutcome, SaidSame, Stance, Status, StepValidation, StepVotes,
    ValidationResult, Verdict,
};
use super::references;
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
            final_vote: if !self.ballots.is_empty() {
                FinalVote::Held
            } else if ended.closes() && self.needs_no_vote() {
                FinalVote::NotNeeded
            } else {
                FinalVote::NotHeld
            },
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

    /// Returns the objections to a step: latest judgements that do not agree, then votes against it. A change that was
    /// put in is none.
    fn objections(&self, at: usize, standing: &PlanState, taken: Option<usize>) -> Vec<Objection> {
        let group = &self.0.groups[at];
        let open = group.votes().filter(|(seat, _)| Some(*seat) != taken);
        let judged = open.filter_map(|(seat, judged)| {
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
        let draft = standing.draft.steps.iter().find(|step| step.group == at);
        let rejected = self.0.ballots.iter().filter_map(|(seat, said)| {
            let draft = draft.filter(|step| self.0.may_vote(*seat, step, standing.winner))?;
            let vote = said.votes.iter().find(|vote| vote.id == group.id)?;
            let kind = if draft.changed_by == taken {
                ObjectionKind::Reject
            } else {
                ObjectionKind::RefusedChange
            };
            (!vote.approve).then(|| Objection {
                agent: self.agent(*seat),
                kind,
                reason: vote.reason.clone(),
                suggestion: None,
            })
        });
        judged.chain(rejected).collect()
    }

    /// Returns the status of a step of the plan. Behind a step with a change stand who suggested it and who approved
    /// it, instead of its authors, who wrote it otherwise.
    fn status(&self, step: &MergedStep, group: &Group, standing: &PlanState) -> Status {
        let Some(change) = group.change().filter(|_| step.changed_by.is_some()) else {
            return group.status();
        };
        let approving = self.0.ballots.iter().filter(|(seat, said)| {
            let vote = said.votes.iter().find(|vote| vote.id == group.id);
            self.0.may_vote(**seat, step, standing.winner) && vote.is_some_and(|vote| vote.approve)
        });
        let mut vendors: BTreeSet<&str> =
            approving.filter_map(|(seat, _)| self.0.voted.get(seat).map(String::as_str)).collect();
        vendors.insert(&change.judged.vendor);
        if vendors.len() >= 2 { Status::Confirmed } else { Status::Unverified }
    }

    fn steps(&self, standing: &PlanState) -> Vec<FinalStep> {
        let groups = &self.0.groups;
        let repository = self.0.input.repository.as_ref();
        let created: BTreeSet<String> =
            standing.merged.steps.iter().flat_map(|step| &step.creates).cloned().collect();
        // If no vote was held, no validation is shown; if one was, a step without votes is shown as such.
        let held = !self.0.ballots.is_empty();
        let step = |(step, validation): (&MergedStep, &StepValidation)| {
            let group = &groups[step.group];
            let words = step.step.clone();
            let change = group.change().filter(|_| step.changed_by.is_some());
            let is_new = |file: &&String| step.creates.contains(&normal(file));
            FinalStep {
                id: words.id,
                label: group.id.clone(),
                phase: words.phase,
                title: words.title,
                description: words.description,
                new_files: words.files.iter().filter(is_new).cloned().collect(),
                missing_files: repository
                    .map(|known| known.missing(&words.files, &created))
                    .unwrap_or_default(),
                files: words.files,
                depends_on: words.depends_on,
                acceptance: words.acceptance,
                status: self.status(step, group, standing),
                proposed_by: self.authors(group),
                added: step.added,
                votes: self.votes(group),
                objections: self.objections(step.group, standing, step.changed_by),
                amendment: change.map(|change| Amendment {
                    agent: self.agent(change.seat),
                    reason: change.judged.reason.clone(),
                    suggestion: change.suggestion.to_owned(),
                }),
                other_wordings: self.other_wordings(group, &step.key),
                said_same: self.said_same(group),
                validation: held.then(|| validation.clone()),
            }
        };
        standing.merged.steps.iter().zip(&standing.tally).map(step).collect()
    }

    /// Returns other authors' words for a step, where they differ; `key`: the step whose words are used.
    fn other_wordings(&self, group: &Group, key: &str) -> Vec<OtherWording> {
        if !self.0.input.settings.revises {
            return Vec::new();
        }
        let words = |raised: &AuthoredStep| {
            (references::bare(&raised.step.title), references::bare(&raised.step.description))
        };
        let used = group.members.iter().filter(|raised| raised.key == key).map(words);
        let mut seen: BTreeSet<_> = used.collect();
        (group.members.iter())
            .filter(|raised| seen.insert(words(raised)))
            .map(|raised| OtherWording {
                agent: self.agent(raised.seat),
                title: raised.step.title.clone(),
                description: raised.step.description.clone(),
            })
            .collect()
    }

    fn said_same(&self, group: &Group) -> Vec<SaidSame> {
        let said = group.joined.iter().flat_map(|joined| &joined.said);
        said.map(|claim| SaidSame {
            agent: self.agent(claim.seat),
            steps: claim.ids.clone(),
            reason: claim.reason.clone(),
            suggestion: claim.suggestion.clone(),
        })
        .collect()
    }

    fn left_out(&self, standing: &PlanState) -> Vec<OmittedStep> {
        let step = |(at, reason): &(usize, String)| {
            let group = &self.0.groups[*at];
            let first = group.members.first()?;
            Some(OmittedStep {
                label: group.id.clone(),
                title: first.step.title.clone(),
                description: first.step.description.clone(),
                files: first.step.files.clone(),
                status: group.status(),
                proposed_by: self.authors(group),
                reason: reason.clone(),
                votes: self.votes(group),
                objections: self.objections(*at, standing, None),
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
        Verdict::Accepted => {
            let contested = outcome.steps.iter().filter(|step| step.is_contested());
            let contested: Vec<String> = contested.map(|step| format!("`{}`", step.id)).collect();
            if contested.is_empty() {
                format!("The plan of {steps} can be followed.")
            } else {
                let which = contested.join(", ");
                format!(
                    "The plan of {steps} can be followed, but not everybody stands behind {which}."
                )
            }
        }
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
    let rejected = result(ValidationResult::Rejected);
    let silent = outcome.steps.iter().filter(|step| step.is_unvoted(outcome.final_vote)).count();
    if rejected > 0 {
        said.push(format!("{} rejected in the final vote.", count("step", rejected)));
    }
    let missing: usize = outcome.steps.iter().map(|step| step.missing_files.len()).sum();
    if silent > 0 {
        said.push(format!("Nobody could vote on {}.", count("step", silent)));
    }
    let added = outcome.steps.iter().filter(|step| step.added).count();
    if added > 0 {
        said.push(format!("{} came from other plans.", count("step", added)));
    }
    let amended = outcome.steps.iter().filter(|step| step.amendment.is_some()).count();
    if amended > 0 {
        said.push(format!("{} amended as another planner suggested.", count("step", amended)));
    }
    if missing > 0 {
        let places = count("path", missing);
        let exist = if missing == 1 { "does" } else { "do" };
        said.push(format!("{places} named in the steps {exist} not exist."));
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
        let mut machine = before(3);
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
         1 step came from other plans. Read the objections to 1 step first."
        );
    }
}
