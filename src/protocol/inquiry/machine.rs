//! The inquiry's state machine: which questions are still open, and what came of the others.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::input::{self, Input, InputError};
use super::reply::{self, Features, Reply, Said, Terms};
use super::{Role, contract, prompt};
use crate::kernel::{
    Answer, Chance, Defect, Fact, Failure, Protocol, RawReply, Seat, SeatStatus, Step, Stop, Turn,
    Warning,
};
use crate::text::block::BlockLimits;
use crate::text::{Note, Problem};

/// How an inquiry ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum InquiryOutcome {
    /// Every question has an answer.
    Answered,
    /// Some questions have an answer, others failed.
    Partial,
    /// Every question failed.
    AgentFailure,
    /// The next call did not fit into the budget.
    Budget,
    /// Stopped by a signal, a client or the deadline.
    Interrupted,
    /// No end: a process is still running it.
    Running,
    /// A person closed the session before it was decided (`sessions terminate`).
    Terminated,
}

impl InquiryOutcome {
    /// Returns the outcome's name as it stands in JSON and messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Answered => "answered",
            Self::Partial => "partial",
            Self::AgentFailure => "agent_failure",
            Self::Budget => "budget",
            Self::Interrupted => "interrupted",
            Self::Running => "running",
            Self::Terminated => "terminated",
        }
    }

    /// Returns whether the session is over; the others leave it open, so that a resume asks what has no answer.
    pub const fn closes(self) -> bool {
        match self {
            Self::Answered => true,
            Self::Partial
            | Self::AgentFailure
            | Self::Budget
            | Self::Interrupted
            | Self::Running
            | Self::Terminated => false,
        }
    }
}

/// How the inquiry ended, and what was answered.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// How it ended.
    pub outcome: InquiryOutcome,
    /// Turn ids and their answers, in the order of the questions.
    pub answers: Vec<(String, Reply)>,
    /// Turn ids and why they have no answer, in the order of the questions.
    pub failures: Vec<(String, Failure)>,
    /// Turn ids of the questions that nobody answered and that did not fail: a stop came first.
    pub open: Vec<String>,
    /// Who sat where and answered; only roles that a question was for.
    pub seats: Vec<Seat>,
    /// All warnings: of the prompts and of every reply.
    pub warnings: Vec<Warning>,
}

impl Outcome {
    /// Returns the analyst's answer. `None` is no answer, which is not the answer that there is no idea.
    pub fn features(&self) -> Option<&Features> {
        self.answers.iter().find_map(|(_, reply)| match &reply.said {
            Said::Features(features) => Some(features),
            Said::Fix(_) => None,
        })
    }

    /// Returns the suggested fixes by the ids of their opportunities.
    pub fn fixes(&self) -> impl Iterator<Item = (&str, &str)> {
        self.answers.iter().filter_map(|(turn, reply)| match &reply.said {
            Said::Fix(text) => Some((turn.strip_prefix("fix/")?, text.as_str())),
            Said::Features(_) => None,
        })
    }
}

/// What came of one question.
#[derive(Debug, Clone, PartialEq)]
struct Answered {
    result: Result<Reply, Failure>,
    fell_back_to: Option<String>,
}

/// The inquiry.
#[derive(Debug, Clone)]
pub struct Machine {
    input: Input,
    turns: Vec<Turn>,
    /// One entry a question; `None` while it is open.
    answered: Vec<Option<Answered>>,
    warnings: Vec<Warning>,
}

impl Machine {
    /// Prepares an inquiry: all prompts are made now.
    pub fn new(input: Input) -> Result<Self, InputError> {
        input::check(&input)?;
        let mut turns = Vec::with_capacity(input.questions.len());
        let mut warnings = Vec::new();
        for question in &input.questions {
            let (id, role) = (question.turn_id(), question.role());
            let (prompt, notes) =
                prompt::prompt(question, &input.boundary, input.settings.prompt_chars);
            warnings.extend(notes.iter().map(|note| warning(note, &id)));
            turns.push(Turn {
                id,
                role: role.name().to_owned(),
                plays: role.config_name().into(),
                prompt,
                blocks: vec![contract::name(role)],
                not_vendor_of: Vec::new(),
                not_vendors: Vec::new(),
            });
        }
        Ok(Self { answered: vec![None; turns.len()], turns, warnings, input })
    }

    /// Returns the input, for whoever builds the result document.
    pub fn input(&self) -> &Input {
        &self.input
    }

    /// Returns the turns that have no answer yet.
    fn open(&self) -> impl Iterator<Item = &Turn> {
        self.turns
            .iter()
            .zip(&self.answered)
            .filter(|(_, answered)| answered.is_none())
            .map(|(turn, _)| turn)
    }

    /// Returns how it ended, if every question has come to its end.
    fn ended(&self) -> Option<InquiryOutcome> {
        let mut failed = 0;
        for answered in &self.answered {
            failed += usize::from(answered.as_ref()?.result.is_err());
        }
        Some(match failed {
            0 => InquiryOutcome::Answered,
            all if all == self.answered.len() => InquiryOutcome::AgentFailure,
            _ => InquiryOutcome::Partial,
        })
    }

    fn outcome(&self, outcome: InquiryOutcome) -> Outcome {
        let (mut answers, mut failures, mut open) = (Vec::new(), Vec::new(), Vec::new());
        for (turn, answered) in self.turns.iter().zip(&self.answered) {
            let id = turn.id.clone();
            match answered.as_ref().map(|answered| &answered.result) {
                Some(Ok(reply)) => answers.push((id, reply.clone())),
                Some(Err(failure)) => failures.push((id, failure.clone())),
                None => open.push(id),
            }
        }
        Outcome {
            outcome,
            answers,
            failures,
            open,
            seats: Role::ALL.into_iter().filter_map(|role| self.seat(role)).collect(),
            warnings: self.warnings.clone(),
        }
    }

    /// Returns a role's seat, if a question is for it. One failed turn of many is a failed seat: it names how many.
    fn seat(&self, role: Role) -> Option<Seat> {
        let asked: Vec<Option<&Answered>> = self
            .input
            .questions
            .iter()
            .zip(&self.answered)
            .filter(|(question, _)| question.role() == role)
            .map(|(_, answered)| answered.as_ref())
            .collect();
        if asked.is_empty() {
            return None;
        }
        let ended = || asked.iter().flatten();
        let failed: Vec<&Failure> =
            ended().filter_map(|answered| answered.result.as_ref().err()).collect();
        let failure = failed.first().map(|first| {
            let first = format!("{}: {}", first.class.name(), first.message);
            if asked.len() == 1 {
                first
            } else {
                format!("{} of {} turns failed; {first}", failed.len(), asked.len())
            }
        });
        let fell_back_to = ended().find_map(|answered| answered.fell_back_to.clone());
        let status = if failure.is_some() {
            SeatStatus::Failed
        } else if ended().next().is_none() {
            SeatStatus::Skipped
        } else if fell_back_to.is_some() {
            SeatStatus::FellBack
        } else {
            SeatStatus::Answered
        };
        let configured = self.input.seats.of(role);
        Some(Seat {
            role: role.name().to_owned(),
            agent: configured.agent.clone(),
            vendor: configured.vendor.clone(),
            status,
            failure,
            fell_back_to,
        })
    }

    fn take(&mut self, answer: Answer<Reply>) -> Vec<Fact> {
        let open = self
            .turns
            .iter()
            .position(|turn| turn.id == answer.turn)
            .filter(|at| self.answered[*at].is_none());
        let fits = |at: &usize| match &answer.result {
            Ok(reply) => reply.said.role() == self.input.questions[*at].role(),
            Err(_) => true,
        };
        let Some(at) = open.filter(fits) else {
            let message = format!(
                "an answer to {} came, which was not asked now; it is ignored",
                answer.turn
            );
            return vec![fact("unexpected_answer", &answer.turn, message)];
        };
        let mut notes = answer.notes;
        if let Ok(reply) = &answer.result {
            notes.extend(reply.notes.iter().cloned());
        }
        self.warnings.extend(notes.iter().map(|note| warning(note, &answer.turn)));
        let answered_by = answer.seated;
        self.answered[at] = Some(Answered {
            fell_back_to: (answer.result.is_ok() && answered_by.fell_back_from.is_some())
                .then_some(answered_by.agent),
            result: answer.result,
        });
        notes.into_iter().map(|note| fact(&note.code, &answer.turn, note.message)).collect()
    }
}

fn warning(note: &Note, turn: &str) -> Warning {
    Warning { code: note.code.clone(), turn: Some(turn.to_owned()), message: note.message.clone() }
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

impl Protocol for Machine {
    type Reply = Reply;
    type Outcome = Outcome;

    fn next(&self) -> Step<Outcome> {
        match self.ended() {
            Some(outcome) => Step::Done(self.outcome(outcome)),
            None => Step::Ask { opens_round: None, turns: self.open().cloned().collect() },
        }
    }

    fn quorum(&self) -> usize {
        1
    }

    fn parse(&self, turn: &Turn, reply: &RawReply, chance: Chance) -> Result<Reply, Defect> {
        let question = self.input.questions.iter().find(|question| question.turn_id() == turn.id);
        let Some(question) = question else {
            let message = format!("`{}` is no question of this inquiry", turn.id);
            return Err(Defect {
                problems: vec![Problem::new("unknown_turn", None, message)],
                expected_ids: Vec::new(),
            });
        };
        let terms = Terms {
            strict: self.input.settings.strict,
            limits: BlockLimits { block_bytes: self.input.settings.block_bytes },
        };
        reply::parse(question, reply, chance, terms)
    }

    fn apply(&mut self, answers: Vec<Answer<Reply>>) -> Vec<Fact> {
        answers.into_iter().flat_map(|answer| self.take(answer)).collect()
    }

    /// No answer depends on another, so each that came counts.
    fn part(&mut self, answers: Vec<Answer<Reply>>) {
        self.apply(answers);
    }

    fn stop(&self, why: Stop) -> Outcome {
        match (self.ended(), why) {
            (_, Stop::Running) => self.outcome(InquiryOutcome::Running),
            (_, Stop::Terminated) => self.outcome(InquiryOutcome::Terminated),
            // An inquiry that is over stays what it is.
            (Some(outcome), _) => self.outcome(outcome),
            (None, Stop::Budget) => self.outcome(InquiryOutcome::Budget),
            (None, Stop::Deadline | Stop::Cancelled(_)) => {
                self.outcome(InquiryOutcome::Interrupted)
            }
        }
    }
}

#[cfg(test)]
mod tests;
