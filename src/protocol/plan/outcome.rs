//! Builds the result from the machine's state: agents are named again, and every judgement and vote is included.

use super::group::normal;
use super::machine::{Machine, PlanState};
use super::merge::MergedStep;
use super::model::{
    Amendment, FinalStep, FinalVote, Group, Objection, ObjectionKind, OmittedStep, OtherWording,
    Outcome, PlanResult, SaidSame, ShownFiles, Stance, Status, StepVotes, Tally, Verdict,
};
use crate::kernel::warning::warning;
use crate::kernel::{Attendance, Ended, Quorum, Run, attendance};
use crate::ordered::{BTreeSet, Gather};
use crate::protocol::council::{Vote, once, unsaid, votes_on};
use crate::text::similarity::keywords;

impl Machine {
    pub(super) fn outcome(&self, ended: Ended<Verdict>, run: &Run) -> Outcome {
        let standing = self.standing();
        let answered = run.seats().iter().map(Attendance::agents);
        let names = Names(self, attendance::names(answered, &self.input.seats));
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
        // What a step decides, and what is already asked, is no open question and no risk.
        let words = steps.iter().map(|step| &step.words);
        let mut said: Vec<_> = words
            .map(|step| keywords([&*step.title, &*step.description, &*step.acceptance]))
            .collect();
        let questions = once(plans.iter().flat_map(|plan| &plan.open_questions));
        let open_questions = unsaid(questions, &mut said);
        let mut asked = open_questions.iter().map(|text| keywords([text.as_str()])).collect();
        let risks = unsaid(once(plans.iter().flat_map(|plan| &plan.risks)), &mut asked);
        let repository = self.input.repository.as_ref();
        let shown = repository.iter().flat_map(|known| &known.shown).chain(&self.input.context);
        let files = ShownFiles {
            shown: shown.map(|file| file.name.clone()).collect(),
            left_out: repository.map(|known| known.left_out.clone()).unwrap_or_default(),
        };
        let intact = run.seats().iter().filter(|seat| seat.is_intact());
        let vendors: BTreeSet<&str> = intact.flat_map(Attendance::vendors).gather();
        let scores = standing.iter().flat_map(|standing| &standing.scores);
        let vendors = u32::try_from(vendors.len()).unwrap_or(u32::MAX);
        let outcome = match ended {
            Ended::Closed(Verdict::Accepted) if vendors < 2 => Ended::Closed(Verdict::OneVendor),
            other => other,
        };
        // A seat counts as failed even if only one of its turns failed; the failure states how many did.
        let seats = run.seats().iter().map(|seat| seat.seat(seat.is_intact(), seat.failed()));
        let seats: Vec<_> = seats.collect();
        Outcome {
            outcome,
            verdict: match outcome {
                Ended::Closed(verdict) => verdict,
                Ended::Stopped(_) => Verdict::Undecided,
            },
            // The seats name the configured agents; only the protocol knows their stand-ins.
            quorum: Quorum { vendors, ..Quorum::of(&seats, 2) },
            seats,
            rounds_used: self.rounds.last().map_or(0, |round| round.round),
            failure: run.seats().failure().cloned(),
            warnings,
            result: PlanResult {
                winner: winner.map(|seat| names.agent(seat)),
                confidence: self.rounds.last().map_or(0, |round| round.confidence),
                rounds: self.rounds.clone(),
                scores: scores.map(|(seat, score)| (names.agent(*seat), *score)).gather(),
                summary: plan.map(|plan| plan.summary.clone()).unwrap_or_default(),
                risks,
                open_questions,
                files,
                not_shown: self.not_shown.clone(),
                degraded: self.planners().count() < 2,
                final_vote: if !self.ballots.is_empty() {
                    FinalVote::Held
                } else if ended.closes() && self.needs_no_vote() {
                    FinalVote::NotNeeded
                } else {
                    FinalVote::NotHeld
                },
                steps,
                left_out,
            },
        }
    }
}

struct Names<'a>(&'a Machine, Vec<String>);

impl Names<'_> {
    fn agent(&self, seat: usize) -> String {
        self.1.get(seat).cloned().unwrap_or_default()
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
                description: judged.description.clone(),
            })
        });
        let draft = standing.draft.steps.iter().find(|step| step.group == at);
        let rejected = self.0.ballots.iter().filter_map(|(seat, said)| {
            let draft = draft.filter(|step| self.0.may_vote(*seat, step))?;
            let vote = said.on(&group.id)?;
            let kind = if draft.changed_by == taken {
                ObjectionKind::Reject
            } else {
                ObjectionKind::RefusedChange
            };
            (vote.vote == Vote::Reject).then(|| Objection {
                agent: self.agent(*seat),
                kind,
                reason: vote.reason.clone(),
                description: None,
            })
        });
        judged.chain(rejected).collect()
    }

    /// Returns the status of a step of the plan. Behind a step with a change stand who suggested it and who approved
    /// it, instead of its authors, who wrote it otherwise.
    fn status(&self, step: &MergedStep, group: &Group) -> Status {
        let Some(change) = group.change().filter(|_| step.changed_by.is_some()) else {
            return group.status();
        };
        let votes = votes_on(&self.0.ballots, &group.id, |seat| self.0.may_vote(seat, step));
        let approving = votes.iter().filter(|(_, vote)| vote.vote == Vote::Approve);
        let mut vendors: BTreeSet<&str> =
            approving.filter_map(|(seat, _)| self.0.voted.get(seat).map(String::as_str)).gather();
        vendors.insert(&change.judged.vendor);
        if vendors.len() >= 2 { Status::Confirmed } else { Status::OneVendor }
    }

    fn steps(&self, standing: &PlanState) -> Vec<FinalStep> {
        let groups = &self.0.groups;
        let repository = self.0.input.repository.as_ref();
        let created: BTreeSet<String> =
            standing.merged.steps.iter().flat_map(|step| &step.creates).cloned().gather();
        // If no vote was held, no validation is shown; if one was, a step without votes is shown as such.
        let held = !self.0.ballots.is_empty();
        let step = |(step, validation): (&MergedStep, &Tally)| {
            let group = &groups[step.group];
            let words = step.step.clone();
            let change = group.change().filter(|_| step.changed_by.is_some());
            let is_new = |file: &&String| step.creates.contains(&normal(file));
            FinalStep {
                new_files: words.files.iter().filter(is_new).cloned().collect(),
                missing_files: repository
                    .map(|known| known.missing(&words.files, &created))
                    .unwrap_or_default(),
                words,
                status: self.status(step, group),
                proposed_by: self.authors(group),
                added: step.added,
                votes: self.votes(group),
                objections: self.objections(step.group, standing, step.changed_by),
                amendment: change.map(|change| Amendment {
                    agent: self.agent(change.seat),
                    reason: change.judged.reason.clone(),
                    instead_of: step
                        .raised(groups)
                        .map(|raised| raised.step.description.clone())
                        .unwrap_or_default(),
                }),
                other_wordings: self.other_wordings(group, &step.key),
                said_same: self.said_same(group),
                validation: held.then_some(*validation),
            }
        };
        standing.merged.steps.iter().zip(&standing.tally).map(step).collect()
    }

    /// Returns other authors' words for a step, where they differ; `key`: the step whose words are used.
    fn other_wordings(&self, group: &Group, key: &str) -> Vec<OtherWording> {
        let others = group.other_wordings(key).map(|raised| OtherWording {
            agent: self.agent(raised.seat),
            title: raised.step.title.clone(),
            description: raised.step.description.clone(),
        });
        others.collect()
    }

    fn said_same(&self, group: &Group) -> Vec<SaidSame> {
        let said = group.joined.iter().flat_map(|joined| &joined.said);
        said.map(|claim| SaidSame {
            agent: self.agent(claim.seat),
            steps: claim.ids.clone(),
            reason: claim.reason.clone(),
            description: claim.description.clone(),
        })
        .collect()
    }

    fn left_out(&self, standing: &PlanState) -> Vec<OmittedStep> {
        let step = |(at, reason): &(usize, String)| {
            let group = &self.0.groups[*at];
            let first = group.members.first()?;
            Some(OmittedStep {
                words: first.judged_as(group, &self.0.groups),
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

#[cfg(test)]
mod tests {
    //! Tests that names return, that risks are listed once, that the paragraph matches the figures, and what a changed repository spoils.

    use serde_json::json;

    use super::super::contract::PLAN;
    use super::super::model::PlanStep;
    use super::super::testing::*;
    use super::*;
    use crate::contract::template::block;
    use crate::kernel::Halt;
    use crate::protocol::council;

    #[test]
    fn names_come_back_and_each_risk_stands_once() {
        let mut machine = machine(3);
        plans(&mut machine, &["ab", "c", "d"]);
        says(&mut machine, "adm");
        says(&mut machine, "adm");
        says(&mut machine, "aar");
        let end = done(&machine);
        assert_eq!(end.result.winner.as_deref(), Some("codex"));
        assert_eq!(end.result.risks, ["It may be slow."]);
        assert_eq!(end.result.open_questions, ["How large may it grow?"]);
        // `a` was refuted by one seat, and another wanted it changed.
        let left = end.result.left_out.iter().find(|step| step.words.title == "Do a").unwrap();
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
        assert_eq!(
            end.seats.iter().map(|seat| &*seat.role).collect::<Vec<_>>(),
            ["s1", "s2", "s3"]
        );
    }

    #[test]
    fn what_a_step_decides_is_no_question_and_what_is_asked_no_risk() {
        let mut machine = machine(2);
        let body = json!({
            "steps": [PlanStep {
                description: "A lower case `l` is refused, as every letter outside of the alphabet.".to_owned(),
                ..step("a", "work", &[])
            }],
            "summary": "",
            "open_questions": ["Is lower case `l` refused?", "Which letters come later?"],
            "risks": ["Letters may come later.", "Old schedules hold letters.", "Schedules hold old letters!"],
        });
        round(&mut machine, |_| Some(block(PLAN.name(), &body.to_string())));
        let result = done(&machine).result;
        assert_eq!(result.open_questions, ["Which letters come later?"]);
        assert_eq!(result.risks, ["Old schedules hold letters."]);
    }

    #[test]
    fn a_changed_repository_takes_the_verdict_and_leaves_the_plan() {
        let mut machine = machine(2);
        plans(&mut machine, &["abc", "abc"]);
        let end = done(&machine);
        let undecided = Ended::Closed(Verdict::Undecided);
        for (before, after) in [
            (end.outcome, undecided),
            (Halt::Budget.into(), undecided),
            (Halt::Terminated.into(), Halt::Terminated.into()),
            (Halt::Running.into(), Halt::Running.into()),
        ] {
            let mut spoilt = end.clone();
            spoilt.outcome = before;
            council::spoil(&mut spoilt, Verdict::Undecided, &["src/a.rs".to_owned()], "planners");
            assert_eq!((spoilt.outcome, spoilt.verdict), (after, Verdict::Undecided));
            assert_eq!(spoilt.result, end.result);
            let last = spoilt.warnings.last().unwrap();
            assert!(last.code == "tree_changed" && last.message.contains("src/a.rs"), "{last:?}");
        }
    }
}
