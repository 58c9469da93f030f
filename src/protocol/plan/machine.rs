//! The planning's state machine: which seats are asked for what, and when the planning is over.

use serde_json::{Value, json};

use super::contract::Ask;
use super::input::{self, Input, InputError};
use super::merge::{self, Merge, MergedPlan, MergedStep};
use super::model::{
    AuthoredStep, Ballots, Content, Group, Outcome, PlanBlock, PlanStep, SameClaim, ScoreBreakdown,
    SeatJudgement, Stance, Tally, Verdict,
};
use super::prompt;
use super::reply;
use super::{group, score, validate};
use crate::change::NotReviewed;
use crate::contract::ReplyRules;
use crate::kernel::{
    Answer, Answers, Chance, Defect, Driver, Ended, Protocol, Query, RawReply, Reply, Run, Stage,
    Step, Stop, Turn, TurnId, seat_name,
};
use crate::ordered::{BTreeMap, Gather};
use crate::protocol::clarify::Informed;
use crate::protocol::council::{QUORUM, RoundRecord, gist};
use crate::protocol::facts::Facts;
use crate::text::Note;

mod asking;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Purpose {
    /// The kind of answer that it asks for.
    pub kind: Ask,
    /// The seat that is asked, from 0.
    pub seat: usize,
    /// Ids of the groups that the answer is about.
    pub ids: Vec<String>,
}

/// The step of the planning that is being asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Plans,
    /// A cross-examination, counted from 1.
    Cross(u32),
    Validation,
    Closed(Verdict),
}

/// The state of the plans: scores, the seat with the best plan, the merged plan.
#[derive(Debug, Clone)]
pub(super) struct PlanState {
    pub(super) scores: Vec<(usize, ScoreBreakdown)>,
    pub(super) winner: usize,
    /// The plan that the final vote is held on.
    pub(super) draft: MergedPlan,
    /// The plan after the votes that were cast.
    pub(super) merged: MergedPlan,
    pub(super) tally: Vec<Tally>,
}

/// A planning as a [`Protocol`].
#[derive(Debug, Clone)]
pub(crate) struct Machine {
    pub(super) input: Input,
    /// The part that all prompts share.
    pub(super) stable: String,
    /// Parts of the change that it does not contain.
    pub(super) not_shown: Vec<NotReviewed>,
    state: State,
    /// One entry per seat.
    pub(super) plans: Vec<Option<PlanBlock>>,
    pub(super) groups: Vec<Group>,
    pub(super) rounds: Vec<RoundRecord>,
    pub(super) ballots: Ballots,
    /// The vendors that answered for the seats that voted.
    pub(super) voted: BTreeMap<usize, String>,
    /// Whether the last cross-examination changed anything.
    moved: bool,
    /// The state of the plans on which the final vote is held.
    settled: Option<PlanState>,
}

impl Machine {
    /// Prepares a planning.
    ///
    /// # Errors
    /// An input that cannot be planned.
    pub(crate) fn open(input: Input) -> Result<Driver<Self>, InputError> {
        input::check(&input)?;
        let (stable, not_shown) = prompt::stable(&input);
        let seats = input.seats.iter().enumerate();
        let run = Run::new(seats.map(|(seat, seated)| (seat_name(seat), seated.clone())));
        let mut notes = stable.notes.clone();
        notes.extend(run.seats().only_vendor().map(|vendor| {
            let message =
                format!("all planners are from {vendor}: no step of another plan can be confirmed");
            Note::new("same_vendor", message)
        }));
        let (seats, boundary) = (input.seats.len(), input.prompts.boundary.clone());
        let machine = Self {
            stable: stable.text,
            not_shown,
            state: State::Plans,
            plans: vec![None; seats],
            groups: Vec::new(),
            rounds: Vec::new(),
            ballots: Ballots::new(),
            voted: BTreeMap::new(),
            moved: false,
            settled: None,
            input,
        };
        Ok(Driver::new(machine, run, &notes, &boundary))
    }

    /// Returns the seats that have a plan.
    pub(super) fn planners(&self) -> impl Iterator<Item = usize> {
        (0..self.plans.len()).filter(|seat| self.plans[*seat].is_some())
    }

    /// Scores and merges the plans; `None` if there is no plan.
    pub(super) fn standing(&self) -> Option<PlanState> {
        let wanted = score::wanted(&self.input.task, self.input.change.as_ref());
        let scores: Vec<(usize, ScoreBreakdown)> = (self.plans.iter().enumerate())
            .filter_map(|(seat, plan)| {
                let plan = plan.as_ref()?;
                Some((seat, score::score(seat, plan, &self.groups, &wanted)))
            })
            .collect();
        let winner = score::winner(&scores)?;
        let draft = merge::merge(&self.groups, winner, Merge::Draft);
        let votes = validate::tally(&draft, &self.groups, &self.ballots, winner);
        let results = draft.steps.iter().zip(&votes).map(|(step, vote)| (step.group, vote.result));
        let merged = merge::merge(&self.groups, winner, Merge::Voted(&results.gather()));
        let tally = validate::on_final(&draft, &votes, &merged);
        Some(PlanState { scores, winner, draft, merged, tally })
    }

    pub(super) fn may_vote(&self, seat: usize, step: &MergedStep) -> bool {
        validate::may_vote(seat, step, &self.groups)
    }

    fn take_plans(&mut self, answers: &[(Purpose, Answer<Content>)]) {
        let mut steps = Vec::new();
        for (asked, answer) in answers {
            if let Ok(Content::Plan(plan)) = &answer.result {
                let vendor = &answer.respondent.vendor;
                steps.extend(authored(&plan.steps, asked.seat, vendor, 0));
                self.plans[asked.seat] = Some(plan.clone());
            }
        }
        self.groups = group::cluster(steps);
    }

    /// Takes the judgements of a round; returns notes on what could not be joined.
    fn take_judgements(&mut self, round: u32, answers: &[(Purpose, Answer<Content>)]) -> Vec<Note> {
        let (before, mut missed, mut same) = (self.stances(), Vec::new(), Vec::new());
        for (Purpose { seat, .. }, answer) in answers {
            let Ok(Content::Cross(said)) = &answer.result else { continue };
            let vendor = &answer.respondent.vendor;
            for judgement in &said.judgements {
                let group = self.groups.iter_mut().find(|group| group.id == judgement.id);
                if let Some(group) = group.filter(|group| !group.wrote(*seat)) {
                    let judged = SeatJudgement {
                        vendor: vendor.clone(),
                        round,
                        stance: judgement.stance,
                        reason: judgement.reason.clone(),
                        description: judgement.description.clone(),
                    };
                    group.judged.insert(*seat, judged);
                    same.extend(judgement.same_as.clone().map(|other| SameClaim {
                        seat: *seat,
                        ids: [judgement.id.clone(), other],
                        reason: judgement.reason.clone(),
                        description: judgement.description.clone(),
                    }));
                }
            }
            missed.extend(authored(&said.missing_steps, *seat, vendor, round));
        }
        let new = group::join(&mut self.groups, missed);
        let (joined, notes) = group::join_same(&mut self.groups, same);
        self.moved = new + joined > 0 || self.stances() != before;
        notes
    }

    fn take_ballots(&mut self, answers: Answers<Self>) {
        for (asked, answer) in answers {
            if let Ok(Content::Validation(said)) = answer.result {
                self.voted.insert(asked.seat, answer.respondent.vendor);
                self.ballots.insert(asked.seat, said);
            }
        }
    }

    /// Returns every vote that counts, to determine whether anything moved.
    fn stances(&self) -> Vec<(usize, usize, Stance)> {
        let votes = self.groups.iter().enumerate().flat_map(|(at, group)| {
            let votes = group.votes();
            votes.map(move |(seat, judged)| (at, seat, judged.stance))
        });
        votes.collect()
    }

    /// Records the result of a round; round 0 is that of the plans.
    fn close_round(&mut self, round: u32, answers: &[(Purpose, Answer<Content>)], run: &mut Run) {
        let groups: Vec<_> =
            self.groups.iter().map(|group| (1, group.status().settled())).collect();
        let answered = answers.iter().filter(|(_, answer)| answer.result.is_ok()).count();
        let record = RoundRecord::new(
            round,
            &groups,
            (run.seats().intact(), self.plans.len()),
            (answered, answers.len()),
            self.planners().count() < QUORUM,
        );
        record.tell("step", answers.last().map(|(_, answer)| &answer.turn), run);
        self.rounds.push(record);
    }

    /// Returns the state that follows a complete round; round 0 is that of the plans.
    fn after_round(&self, round: u32) -> State {
        let settings = &self.input.settings;
        let confidence = self.rounds.last().map_or(0, |round| round.confidence);
        let low = confidence < settings.confidence && (round == 0 || self.moved);
        // Steps that a critic reported as missing are judged while there is a round left for it: otherwise they would
        // have been requested for nothing.
        let new = round > 0
            && self.groups.iter().any(|group| {
                let fresh = |raised: &AuthoredStep| raised.round == round;
                group.members.iter().all(fresh) && group.votes().next().is_none()
            });
        let somebody = || self.planners().any(|seat| !self.to_judge(seat).is_empty());
        if round < settings.max_rounds && (low || new) && somebody() {
            State::Cross(round + 1)
        } else {
            State::Validation
        }
    }

    /// Whether every step of the plan was confirmed as it is, so that a vote could change nothing.
    pub(super) fn needs_no_vote(&self) -> bool {
        let steps = |standing: PlanState| {
            !standing.draft.steps.iter().any(|step| step.is_in_question(&self.groups))
        };
        self.standing().is_some_and(steps)
    }

    /// Decides by the votes on the merged plan.
    fn validated(&self) -> Verdict {
        let Some(standing) = self.standing() else {
            return Verdict::Undecided;
        };
        if validate::rejected(&standing.merged, &self.groups, &standing.tally) {
            Verdict::Rejected
        } else {
            Verdict::Accepted
        }
    }
}

/// Returns the steps of one answer. `round` is 0 for a plan.
fn authored(steps: &[PlanStep], seat: usize, vendor: &str, round: u32) -> Vec<AuthoredStep> {
    let all = AuthoredStep::all(steps, seat, vendor, round).into_iter();
    all.map(AuthoredStep::read_marks).collect()
}

impl Informed for Machine {
    type Input = Input;

    fn informed(input: &Input, facts: &Facts) -> Option<Self> {
        let input = Input { facts: facts.clone(), ..input.clone() };
        Self::open(input).ok().map(|driver| driver.protocol().clone())
    }
}

impl Protocol for Machine {
    type Ask = Purpose;
    type Content = Content;
    type Outcome = Outcome;

    const STAGES: &'static [Stage] = &[
        Stage::new("plan", "plans", "plans"),
        Stage::new("cross", "cross-examination", "judges the others' steps"),
        Stage::new("validate", "vote", "votes on the plan"),
    ];

    fn next(&self, run: &Run) -> Step<Outcome, Query<Purpose>> {
        match self.state {
            State::Closed(ended) => Step::Done(self.outcome(Ended::Closed(ended), run)),
            State::Plans | State::Cross(_) | State::Validation => Step::Ask {
                opens_round: self.opens(),
                turns: self.asked().into_iter().map(|asked| self.query(asked)).collect(),
            },
        }
    }

    fn read(
        &self,
        asked: &Purpose,
        reply: &RawReply,
        chance: Chance,
    ) -> Result<Reply<Content>, Defect> {
        let ids = self.groups.iter().map(|group| group.id.clone());
        let others: Vec<String> = ids.filter(|id| !asked.ids.contains(id)).collect();
        let terms = ReplyRules { shown: &asked.ids, chance };
        reply::parse(asked.kind, reply, terms, &others)
    }

    fn gist(&self, _: &Purpose, said: &Content) -> Vec<String> {
        match said {
            Content::Plan(said) => said.steps.iter().map(|step| step.title.clone()).collect(),
            Content::Cross(said) => {
                let title = |id: &str| {
                    let group = self.groups.iter().find(|group| group.is(id));
                    group.and_then(|group| Some(&*group.members.first()?.step.title))
                };
                let judgements = said.judgements.iter().map(|judgement| {
                    let verb = match judgement.stance {
                        Stance::Agree => "agrees with",
                        Stance::Disagree => "rejects",
                        Stance::Modify => "changes",
                    };
                    gist::on(verb, &judgement.id, title(&judgement.id))
                });
                let missing = said.missing_steps.iter();
                judgements.chain(missing.map(|step| format!("adds {}", step.title))).collect()
            }
            Content::Validation(said) => gist::votes(said),
        }
    }

    fn quoted(&self, said: &Content) -> Option<String> {
        serde_json::to_string(said).ok()
    }

    fn data(&self, asked: &Purpose, turn: &Turn, _: &Run) -> Value {
        json!({ "plan": {
            "task": self.input.task, "ask": asked.kind.word(), "seat": asked.seat, "round": self.opens(),
            "shown": self.draft(asked, &turn.id).shown,
        } })
    }

    fn quorum(&self) -> usize {
        QUORUM
    }

    fn apply(&mut self, answers: Answers<Self>, run: &mut Run) {
        let too_few = run.seats().intact() < QUORUM;
        self.state = match self.state {
            State::Plans => {
                self.take_plans(&answers);
                self.close_round(0, &answers, run);
                if self.planners().count() < QUORUM {
                    State::Closed(Verdict::Undecided)
                } else {
                    self.after_round(0)
                }
            }
            State::Cross(round) => {
                let apart = self.take_judgements(round, &answers);
                let turn = answers.last().map(|(_, answer)| answer.turn.clone());
                for note in &apart {
                    run.warn(note, turn.as_ref());
                }
                self.close_round(round, &answers, run);
                if too_few { State::Closed(Verdict::Undecided) } else { self.after_round(round) }
            }
            State::Validation => {
                self.take_ballots(answers);
                State::Closed(if too_few { Verdict::Undecided } else { self.validated() })
            }
            State::Closed(ended) => State::Closed(ended),
        };
        if self.state == State::Validation {
            self.settled = self.standing();
            // If no vote can change anything, the planning ends with the merged plan unchanged.
            if self.asked().is_empty() {
                if !self.needs_no_vote() {
                    let message =
                        "every step was written by every planner, so nobody could vote on one";
                    run.warn(
                        &Note::new("unvalidated", message),
                        Some(&TurnId::of(Ask::Validation.word())),
                    );
                }
                self.state = State::Closed(self.validated());
            }
        }
    }

    /// Plans received were paid for and are worth reading without the others; judgements and votes count only
    /// together.
    fn keeps_part(&self) -> bool {
        self.state == State::Plans
    }

    fn stop(&self, why: Stop, part: &[(Purpose, Answer<Content>)], run: &Run) -> Outcome {
        let ended = why.into();
        if self.state != State::Plans {
            return self.outcome(ended, run);
        }
        let mut came = self.clone();
        came.take_plans(part);
        came.outcome(ended, run)
    }
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
