//! The machine over the rules: which turn comes next, and when the debate ends.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::content::text;
use super::contract::Ask;
use super::evidence::EvidenceSources;
use super::input::{Input, InputError};
use super::reply::{self, Content, ReplyContext};
use super::state::{DebateRules, DebateState, Evaluation, Expected, Refusal};
use crate::contract::ReplyRules as ReadTerms;
use crate::kernel::{
    Answer, Answers, Attendance, Chance, Defect, Driver, Ended, Failure, FailureClass, HUMAN,
    Protocol, Query, RawReply, Reply, Respondent, Run, Stage, Step, Stop, Turn, TurnId,
};
use crate::protocol::clarify::Informed;
use crate::protocol::debate::typed::{ArgumentType, Side};
use crate::protocol::debate::{DebateOutcome, Outcome, PERSON, Status};
use crate::protocol::facts::Facts;
use crate::protocol::seats::respondent;
use crate::text::{Note, counted};

/// The ask, side and shown ids of a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Purpose {
    /// The kind of answer requested.
    pub ask: Ask,
    /// The side that answers.
    pub side: Side,
    /// Ids that stances are due on, or concerns that an argument may address.
    pub shown: Vec<String>,
}

/// The state machine of a debate of typed arguments.
#[derive(Debug, Clone)]
pub(crate) struct Machine {
    pub(super) input: Input,
    pub(super) stable: String,
    shelf: EvidenceSources,
    pub(super) course: DebateState,
    /// The vendor of every agent that argued, by agent.
    pub(super) vendors: BTreeMap<String, String>,
}

impl Machine {
    /// Opens a debate, before its first turn.
    ///
    /// # Errors
    /// The topic is empty or some part is too large, one agent is on both sides, or a setting is out of range.
    pub(crate) fn open(input: Input) -> Result<Driver<Self>, InputError> {
        input.brief.check()?;
        let terms = DebateRules {
            max_rounds: input.settings.max_rounds,
            consensus_threshold: input.settings.consensus_threshold,
            impact_areas: input.settings.impact_areas.clone(),
        };
        let (primary, adversary) =
            (respondent(&input.seats, "primary")?, respondent(&input.seats, "adversary")?);
        let mut course = DebateState::new(&primary.agent, &adversary.agent, terms)?;
        course.start()?;
        let (brief, mut notes) = input.brief.shown();
        let stable = input.prompts.fill("session/argument", brief);
        notes.extend(stable.notes);
        notes.extend(vendor_note(&primary, &adversary));
        let boundary = input.prompts.boundary.clone();
        let machine = Self {
            shelf: EvidenceSources::new(&input.brief),
            stable: stable.text,
            course,
            vendors: BTreeMap::new(),
            input,
        };
        let seats = [(Side::Primary, primary), (Side::Adversary, adversary)];
        let run = Run::new(seats.map(|(side, seated)| (side.name().to_owned(), seated)));
        Ok(Driver::new(machine, run, &notes, &boundary))
    }

    fn due(&self) -> Option<(Ask, Side)> {
        match self.course.due() {
            Expected::Argument(may) => {
                let last = self.course.last_move().map(|last| last.kind);
                Some((Ask::after(last), may.first()?.side))
            }
            Expected::Stances(side) => Some((Ask::Stances, side)),
            // A round is evaluated as soon as it is complete, and a debate starts when it is created.
            Expected::Evaluation | Expected::Start | Expected::Nothing => None,
        }
    }

    fn query(&self, ask: Ask, side: Side, run: &Run) -> Query<Purpose> {
        let id = TurnId::in_round(self.course.current_round(), ask.word());
        let purpose = Purpose { ask, side, shown: self.shown(ask) };
        let mut query = self.draft(ask, side, &id).to(side.name(), purpose);
        let turn = &mut query.turn;
        let [own, other] = [side, side.other()].map(|side| run.seats().named(side.name()));
        if own.is_some_and(|own| own.seated.vendor == HUMAN) {
            turn.plays = PERSON.into();
        }
        turn.not_vendor_of = vec![side.other().name().to_owned()];
        let vendors = other.into_iter().flat_map(Attendance::vendors);
        turn.not_vendors = vendors.map(str::to_owned).collect();
        query
    }

    fn shown(&self, ask: Ask) -> Vec<String> {
        match ask {
            Ask::Stances => (self.course.to_judge().into_iter()).map(|(id, _)| id).collect(),
            Ask::Proposal | Ask::Challenge | Ask::Defense | Ask::Reply | Ask::Resolution => {
                (self.course.round_concerns().into_iter()).map(|raised| raised.concern.id).collect()
            }
        }
    }

    /// Records a side's answer. A failed turn ends the debate: nobody speaks for a silent side.
    fn argued(&mut self, side: Side, answer: Answer<Content>, run: &mut Run) {
        let Answer { turn, respondent: seated, result, .. } = answer;
        let taken = match result {
            Ok(said) => self.submit(&turn, side, &seated, said, run).map_err(|refusal| {
                let message = refusal.to_string();
                let failure = Failure { class: FailureClass::Unreadable, message };
                run.refuse(side.name(), failure.clone());
                failure
            }),
            Err(failure) => Err(failure),
        };
        if let Err(failure) = taken {
            // A debate in progress can always fail.
            drop(self.course.fail());
            let message = format!(
                "the {} did not answer {turn}, so nothing can be decided: {}",
                side.name(),
                failure.message
            );
            run.warn(&Note::new("side_failed", message), Some(&turn));
        } else {
            self.vendors.insert(seated.agent, seated.vendor);
        }
    }

    /// Submits a side's answer to the debate, unless the rules refuse it.
    fn submit(
        &mut self,
        turn: &TurnId,
        side: Side,
        seated: &Respondent,
        said: Content,
        run: &mut Run,
    ) -> Result<(), Refusal> {
        self.course.stand_in(side, &seated.agent)?;
        match said {
            Content::Argument(said) => {
                let silent = said.kind == ArgumentType::Challenge
                    && said.concerns.is_empty()
                    && self.course.round_concerns().is_empty();
                self.course.submit(&seated.agent, *said)?;
                if silent {
                    let note = Note::new("no_concerns", "the challenge raises no concern");
                    run.warn(&note, Some(turn));
                }
            }
            Content::Stances(stances) => {
                self.course.submit_stances(&seated.agent, stances)?;
                let round = self.course.current_round();
                let evaluation = self.course.evaluate()?;
                evaluated(turn, round, evaluation, run);
            }
        }
        Ok(())
    }
}

impl Informed for Machine {
    type Input = Input;

    fn informed(input: &Input, facts: &Facts) -> Option<Self> {
        Self::open(input.knowing(facts)).ok().map(|driver| driver.protocol().clone())
    }
}

impl Protocol for Machine {
    type Ask = Purpose;
    type Content = Content;
    type Outcome = Outcome;

    const STAGES: &'static [Stage] = &[
        Stage::new("proposal", "proposal", "proposes"),
        Stage::new("challenge", "challenge", "challenges"),
        Stage::new("defense", "defense", "defends"),
        Stage::new("reply", "reply", "replies"),
        Stage::new("resolution", "resolution", "resolves"),
        Stage::new("stances", "stances", "takes stances"),
    ];

    fn next(&self, run: &Run) -> Step<Outcome, Query<Purpose>> {
        let Some((ask, side)) = self.due() else {
            let ended = match self.course.status() {
                Status::ConsensusReached => DebateOutcome::ConsensusReached,
                Status::Deadlocked => DebateOutcome::Deadlocked,
                Status::Failed | Status::Pending | Status::InProgress | Status::Terminated => {
                    DebateOutcome::Failed
                }
            };
            return Step::Done(self.outcome(Ended::Closed(ended), run));
        };
        let round = self.course.current_round();
        let opens = ask == Ask::Proposal;
        let turns = vec![self.query(ask, side, run)];
        Step::Ask { opens_round: opens.then_some(round), turns }
    }

    fn read(
        &self,
        asked: &Purpose,
        reply: &RawReply,
        chance: Chance,
    ) -> Result<Reply<Content>, Defect> {
        let terms = ReadTerms { shown: &asked.shown, chance };
        let scene = ReplyContext { course: &self.course, shelf: &self.shelf, side: asked.side };
        reply::parse(asked.ask, reply, scene, terms)
    }

    fn data(&self, asked: &Purpose, turn: &Turn, _: &Run) -> Value {
        json!({ "argument": {
            "ask": asked.ask.word(), "brief": self.input.brief,
            "shown": self.draft(asked.ask, asked.side, &turn.id).shown,
        } })
    }

    fn gist(&self, _: &Purpose, said: &Content) -> Vec<String> {
        match said {
            Content::Argument(said) => {
                let text = format!("{}: {}", said.kind.name(), text(&said.content));
                let concerns = said.concerns.iter().map(|each| format!("concern: {}", each.text));
                std::iter::once(text).chain(concerns).collect()
            }
            Content::Stances(stances) => stances.gist(),
        }
    }

    fn quoted(&self, said: &Content) -> Option<String> {
        Some(json!(said).to_string())
    }

    fn apply(&mut self, answers: Answers<Self>, run: &mut Run) {
        for (asked, answer) in answers {
            self.argued(asked.side, answer, run);
        }
    }

    fn stop(&self, why: Stop, _: &[(Purpose, Answer<Content>)], run: &Run) -> Outcome {
        self.outcome(why.into(), run)
    }
}

fn evaluated(turn: &TurnId, round: u32, evaluation: &Evaluation, run: &mut Run) {
    let (figures, check) = (&evaluation.figures, &evaluation.check);
    let metrics = &figures.metrics;
    if !metrics.complete {
        let message = "not both sides rated feasibility in their last argument; the figure covers only those that did";
        run.warn(&Note::new("incomplete_metrics", message), Some(turn));
    }
    let uncovered = if !check.reached && metrics.agreement_score >= check.threshold {
        format!(", but with stances on only {} of the points", figures.covered)
    } else {
        String::new()
    };
    let message = format!(
        "round {round}: consensus {} ({} needed){uncovered}; {} open",
        metrics.agreement_score,
        check.threshold,
        counted(evaluation.open.len(), "concern")
    );
    let data = json!({
        "round": round, "consensus": metrics.agreement_score, "threshold": check.threshold,
        "stance_score": figures.stance_score, "concerns_met": figures.concerns_met,
        "open_concerns": evaluation.open.len(), "reached": check.reached,
        "check": check, "metrics": metrics,
    });
    run.close_round(round, Some(turn), message, data);
}

/// Returns a note if only one vendor argues, whose agents may share their mistakes.
fn vendor_note(primary: &Respondent, adversary: &Respondent) -> Option<Note> {
    let sides = [primary, adversary];
    if let Some(agent) = sides.iter().find(|seated| seated.vendor != HUMAN)
        && sides.iter().any(|seated| seated.vendor == HUMAN)
    {
        let message = format!("a person argues with {}: only one vendor takes part", agent.vendor);
        return Some(Note::new("one_vendor", message));
    }
    let message = format!("both sides are from {}: they may share mistakes", primary.vendor);
    (primary.vendor == adversary.vendor).then(|| Note::new("same_vendor", message))
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
