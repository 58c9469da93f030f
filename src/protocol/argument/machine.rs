//! The state machine over the rules: whom to ask what, and when it is over.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::contract::Ask;
use super::course::{Course, Due, Evaluation, Terms};
use super::evidence::Shelf;
use super::input::{Input, InputError};
use super::outcome;
use super::prompt::{self, Frame};
use super::reply::{self, Reply, Said, Scene};
use crate::contract::Terms as ReadTerms;
use crate::kernel::{
    Answer, Chance, Defect, Drive, Event, Fact, Failure, FailureClass, HUMAN, RawReply, Seated,
    Step, Stop, Turn, Warning,
};
use crate::protocol::debate::prompt::Stable;
use crate::protocol::debate::typed::{ArgumentType, Side};
use crate::protocol::debate::{DebateOutcome, Outcome, PERSON, Status};
use crate::text::block::BlockLimits;
use crate::text::{Note, Problem, fence};

/// What became of a side's turns.
#[derive(Debug, Clone, Default)]
pub(super) struct Attendance {
    /// Turns that were asked and answered, or failed.
    pub(super) asked: usize,
    pub(super) failure: Option<Failure>,
    pub(super) fell_back_to: Option<String>,
    /// The vendors that answered, once each.
    pub(super) vendors: Vec<String>,
}

/// A turn that is asked now: its id, what for, and the side; `None` is the person.
type Asked = (String, Ask, Option<Side>);

/// The debate.
#[derive(Debug, Clone)]
pub struct Machine {
    pub(super) input: Input,
    stable: Stable,
    shelf: Shelf,
    pub(super) course: Course,
    /// Whether a remark is asked for before the round under way.
    remark_due: bool,
    pub(super) remarks: BTreeMap<u32, String>,
    pub(super) attendance: BTreeMap<Side, Attendance>,
    /// The vendors of everybody who argued, by agent.
    pub(super) vendors: BTreeMap<String, String>,
    pub(super) warnings: Vec<Warning>,
    closed: Option<DebateOutcome>,
}

impl Machine {
    /// Prepares a debate.
    ///
    /// # Errors
    /// There is no topic or too much of something, one agent is on both sides, a setting is out of range.
    pub fn new(input: Input) -> Result<Self, InputError> {
        input.brief.check()?;
        let terms = Terms {
            max_rounds: input.settings.max_rounds,
            consensus_threshold: input.settings.consensus_threshold,
            impact_areas: input.settings.impact_areas.clone(),
        };
        let mut course = Course::new(&input.primary.agent, &input.adversary.agent, terms)?;
        course.start()?;
        let stable = prompt::stable(&input);
        let mut notes = stable.notes.clone();
        notes.extend(vendor_note(&input.primary, &input.adversary));
        Ok(Self {
            shelf: Shelf::new(&input.brief, &input.sources),
            warnings: notes.iter().map(|note| warning(note, None)).collect(),
            stable,
            course,
            remark_due: false,
            remarks: BTreeMap::new(),
            attendance: Side::ALL.map(|side| (side, Attendance::default())).into(),
            vendors: BTreeMap::new(),
            closed: None,
            input,
        })
    }

    /// Returns the input, for whoever builds the result document.
    pub fn input(&self) -> &Input {
        &self.input
    }

    /// Returns the rules as they stand, for whoever looks at a debate under way.
    pub fn course(&self) -> &Course {
        &self.course
    }

    pub(super) const fn seated(&self, side: Side) -> &Seated {
        match side {
            Side::Primary => &self.input.primary,
            Side::Adversary => &self.input.adversary,
        }
    }

    /// Returns what is asked now.
    fn asked(&self) -> Option<Asked> {
        if self.closed.is_some() {
            return None;
        }
        let round = self.course.current_round();
        let turn = |ask: Ask, side| Some((format!("r{round}/{}", ask.word()), ask, side));
        if self.remark_due {
            return turn(Ask::Remark, None);
        }
        match self.course.due() {
            Due::Argument(may) => {
                let side = may.first()?.side;
                let last = self.course.last_move();
                turn(Ask::after(last.map(|last| last.kind)), Some(side))
            }
            Due::Stances(side) => turn(Ask::Stances, Some(side)),
            // A round is evaluated as soon as it is complete; a debate begins when it is made.
            Due::Evaluation | Due::Start | Due::Nothing => None,
        }
    }

    fn turn(&self) -> Option<(Turn, Ask, Vec<Note>)> {
        let (id, ask, side) = self.asked()?;
        let round = self.course.current_round();
        let remark = self.remarks.get(&round).map(String::as_str);
        let frame = Frame {
            turn: &id,
            side,
            course: &self.course,
            remark,
            stable: &self.stable.text,
            input: &self.input,
        };
        let (prompt, notes) = prompt::prompt(frame, ask);
        let human = side.is_none_or(|side| self.seated(side).vendor == HUMAN);
        let other = side.map(Side::other);
        let stood_in = other.and_then(|other| self.attendance.get(&other));
        let turn = Turn {
            role: side.map_or(PERSON, Side::name).to_owned(),
            plays: match side {
                Some(side) if !human => side.name(),
                Some(_) | None => PERSON,
            }
            .into(),
            prompt,
            blocks: vec![ask.block()],
            not_vendor_of: (other.into_iter()).map(|other| other.name().to_owned()).collect(),
            not_vendors: stood_in.map_or_else(Vec::new, |other| other.vendors.clone()),
            id: crate::kernel::TurnId::read(&id),
        };
        Some((turn, ask, notes))
    }

    /// What stances are due on, or which concerns an argument may address.
    fn shown(&self, ask: Ask) -> Vec<String> {
        match ask {
            Ask::Remark => Vec::new(),
            Ask::Stances => (self.course.to_judge().into_iter()).map(|(id, _)| id).collect(),
            Ask::Proposal | Ask::Challenge | Ask::Defense | Ask::Reply | Ask::Resolution => {
                (self.course.round_concerns().into_iter()).map(|raised| raised.concern.id).collect()
            }
        }
    }

    fn take(&mut self, answer: Answer<Reply>) -> Vec<Fact> {
        let asked = self.asked().filter(|(id, ..)| *id == answer.turn);
        let fits = asked.filter(|(_, ask, _)| match &answer.result {
            Ok(reply) => match &reply.said {
                Said::Remark(_) => *ask == Ask::Remark,
                Said::Stances(_) => *ask == Ask::Stances,
                Said::Argument(said) => ask.types().contains(&said.kind),
            },
            Err(_) => true,
        });
        let Some((turn, _, side)) = fits else {
            let turn = answer.turn;
            let message =
                format!("an answer to {turn} came, which was not asked now; it is ignored");
            return vec![fact("unexpected_answer", &turn, message)];
        };
        let mut notes = answer.notes.clone();
        if let Ok(reply) = &answer.result {
            notes.extend(reply.notes.iter().cloned());
            notes.extend(self.forged(&reply.said));
        }
        let mut facts = self.warn(&turn, &notes);
        facts.extend(match side {
            None => self.remarked(&turn, answer.result),
            Some(side) => self.argued(&turn, side, answer),
        });
        if let Some((next, _, notes)) = self.turn() {
            facts.extend(self.warn(&next.id, &notes));
        }
        facts
    }

    /// A remark that failed is none: nobody owes one.
    fn remarked(&mut self, turn: &str, result: Result<Reply, Failure>) -> Vec<Fact> {
        self.remark_due = false;
        match result {
            Ok(Reply { said: Said::Remark(remark), .. }) => {
                let round = self.course.current_round();
                self.remarks.extend(remark.map(|remark| (round, remark)));
                Vec::new()
            }
            Ok(_) => Vec::new(),
            Err(failure) => {
                let message = format!("there is no remark: {}", failure.message);
                self.warn(turn, &[Note::new("no_remark", message)])
            }
        }
    }

    fn argued(&mut self, turn: &str, side: Side, answer: Answer<Reply>) -> Vec<Fact> {
        let seated = answer.seated;
        let taken = match answer.result {
            Ok(reply) => self.submit(turn, side, &seated, reply.said),
            Err(failure) => Err(failure),
        };
        let attendance = self.attendance.entry(side).or_default();
        attendance.asked += 1;
        match taken {
            Ok(facts) => {
                if !attendance.vendors.contains(&seated.vendor) {
                    attendance.vendors.push(seated.vendor.clone());
                }
                if seated.fell_back_from.is_some() {
                    attendance.fell_back_to = Some(seated.agent.clone());
                }
                self.vendors.insert(seated.agent, seated.vendor);
                facts
            }
            Err(failure) => {
                let message = format!(
                    "the {} did not answer {turn}, so nothing can be decided: {}",
                    side.name(),
                    failure.message
                );
                attendance.failure = Some(failure);
                self.close(DebateOutcome::Failed);
                self.warn(turn, &[Note::new("side_failed", message)])
            }
        }
    }

    /// Takes what a side said into the course; what the rules refuse is a failed turn.
    fn submit(
        &mut self,
        turn: &str,
        side: Side,
        seated: &Seated,
        said: Said,
    ) -> Result<Vec<Fact>, Failure> {
        let refused = |refusal: super::course::Refusal| Failure {
            class: FailureClass::Unreadable,
            message: refusal.to_string(),
        };
        self.course.stand_in(side, &seated.agent).map_err(refused)?;
        match said {
            Said::Argument(said) => {
                let silent = said.kind == ArgumentType::Challenge
                    && said.concerns.is_empty()
                    && self.course.round_concerns().is_empty();
                self.course.submit(&seated.agent, *said).map_err(refused)?;
                let note = Note::new("no_concerns", "the challenge raises no concern");
                Ok(if silent { self.warn(turn, &[note]) } else { Vec::new() })
            }
            Said::Stances(stances) => {
                self.course.submit_stances(&seated.agent, stances).map_err(refused)?;
                let round = self.course.current_round();
                let evaluation = self.course.evaluate().map_err(refused)?.clone();
                Ok(self.evaluated(turn, round, &evaluation))
            }
            Said::Remark(_) => Ok(Vec::new()),
        }
    }

    fn evaluated(&mut self, turn: &str, round: u32, evaluation: &Evaluation) -> Vec<Fact> {
        let (figures, check) = (&evaluation.figures, &evaluation.check);
        let metrics = &figures.metrics;
        let mut facts = Vec::new();
        if !metrics.complete {
            let message = "not both sides rated how feasible it is with their last argument; the figure is of those that did";
            facts.extend(self.warn(turn, &[Note::new("incomplete_metrics", message)]));
        }
        let uncovered = if !check.reached && metrics.agreement_score >= check.threshold {
            format!(", but stances on only {} of the points", figures.covered)
        } else {
            String::new()
        };
        facts.push(Fact {
            code: "round_closed".to_owned(),
            turn: Some(turn.to_owned()),
            message: format!(
                "round {round}: consensus {} ({} wanted){uncovered}; {} open",
                metrics.agreement_score,
                check.threshold,
                outcome::count("concern", evaluation.open.len())
            ),
            data: json!({
                "round": round, "consensus": metrics.agreement_score, "threshold": check.threshold,
                "stance_score": figures.stance_score, "concerns_met": figures.concerns_met,
                "open_concerns": evaluation.open.len(), "reached": check.reached,
                "check": check, "metrics": metrics,
            }),
            warning: false,
        });
        match evaluation.status {
            Status::ConsensusReached => self.close(DebateOutcome::ConsensusReached),
            Status::Deadlocked => self.close(DebateOutcome::Deadlocked),
            Status::InProgress => self.remark_due = self.input.settings.pause,
            // An evaluation ends in none of these.
            Status::Pending | Status::Terminated | Status::Failed => {}
        }
        facts
    }

    fn close(&mut self, outcome: DebateOutcome) {
        if outcome == DebateOutcome::Failed {
            // A debate under way can always fail; one that is over is not asked anything.
            drop(self.course.fail());
        }
        self.closed = Some(outcome);
    }

    /// Notes marker-like text in an answer that others will read: it is defused there.
    fn forged(&self, said: &Said) -> Option<Note> {
        let body = match said {
            Said::Argument(said) => json!(said).to_string(),
            Said::Stances(stances) => json!(stances).to_string(),
            Said::Remark(remark) => remark.clone().unwrap_or_default(),
        };
        let (_, places) = fence::defuse(&body, &self.input.boundary);
        let message = format!(
            "the answer holds text that looks like our markers in {places} places; it is defused for the others"
        );
        (places > 0).then(|| Note::new("forged_marker", message))
    }

    fn warn(&mut self, turn: &str, notes: &[Note]) -> Vec<Fact> {
        let warnings = notes.iter().map(|note| warning(note, Some(turn)));
        self.warnings.extend(warnings);
        (notes.iter()).map(|note| fact(&note.code, turn, note.message.clone())).collect()
    }
}

/// Says that only one vendor argues, which may share its mistakes with itself.
fn vendor_note(primary: &Seated, adversary: &Seated) -> Option<Note> {
    let sides = [primary, adversary];
    if let Some(agent) = sides.iter().find(|seated| seated.vendor != HUMAN)
        && sides.iter().any(|seated| seated.vendor == HUMAN)
    {
        let message = format!("a person argues with {}: no second vendor takes part", agent.vendor);
        return Some(Note::new("one_vendor", message));
    }
    let message = format!("both sides are of {}: they may share their mistakes", primary.vendor);
    (primary.vendor == adversary.vendor).then(|| Note::new("same_vendor", message))
}

fn warning(note: &Note, turn: Option<&str>) -> Warning {
    Warning {
        code: note.code.clone(),
        turn: turn.map(str::to_owned),
        message: note.message.clone(),
    }
}

fn fact(code: &str, turn: &str, message: String) -> Fact {
    Fact {
        code: code.to_owned(),
        turn: Some(turn.to_owned()),
        message,
        data: Value::Null,
        warning: true,
    }
}

impl Machine {
    pub(crate) fn apply(&mut self, answers: Vec<Answer<Reply>>) -> Vec<Fact> {
        let mut facts = Vec::new();
        for answer in answers {
            facts.extend(self.take(answer));
        }
        facts
    }
}

impl Drive for Machine {
    type Reply = Reply;
    type Outcome = Outcome;

    fn next(&self) -> Step<Outcome> {
        let Some((turn, ask, _)) = self.turn() else {
            // What asks nobody is over; `closed` says how.
            let ended = self.closed.unwrap_or(DebateOutcome::Failed);
            return Step::Done(outcome::outcome(self, ended));
        };
        let round = self.course.current_round();
        // The remark opens its round, where one is asked for.
        let opens = match ask {
            Ask::Remark => true,
            Ask::Proposal => round == 1 || !self.input.settings.pause,
            Ask::Challenge | Ask::Defense | Ask::Reply | Ask::Resolution | Ask::Stances => false,
        };
        Step::Ask { opens_round: opens.then_some(round), turns: vec![turn] }
    }

    fn parse(&self, turn: &Turn, reply: &RawReply, chance: Chance) -> Result<Reply, Defect> {
        let asked = self.asked().filter(|(id, ..)| *id == turn.id);
        let Some((_, ask, side)) = asked else {
            let message = format!("`{}` is no turn that is asked now", turn.id);
            return Err(Defect {
                problems: vec![Problem::new("unknown_turn", None, message)],
                expected_ids: Vec::new(),
            });
        };
        let terms = ReadTerms {
            shown: &self.shown(ask),
            chance,
            strict: self.input.settings.strict,
            limits: BlockLimits { block_bytes: self.input.settings.block_bytes },
        };
        let scene =
            Scene { course: &self.course, shelf: &self.shelf, side: side.unwrap_or(Side::Primary) };
        reply::parse(ask, reply, scene, terms)
    }

    fn apply(&mut self, answers: Vec<Answer<Reply>>) -> Vec<Event> {
        Self::apply(self, answers).into_iter().map(Event::of).collect()
    }

    fn stop(&self, why: Stop) -> Outcome {
        let ended = match (self.closed, why) {
            (_, Stop::Running) => DebateOutcome::Running,
            (_, Stop::Terminated) | (None, Stop::Budget | Stop::Deadline) => {
                DebateOutcome::Terminated
            }
            // A debate that is over stays what it is.
            (Some(ended), _) => ended,
            (None, Stop::Cancelled(_)) => DebateOutcome::Interrupted,
        };
        outcome::outcome(self, ended)
    }
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
