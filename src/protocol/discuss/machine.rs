//! The state machine of a critique: one step that asks all perspectives at once.

use serde_json::{Value, json};

use super::input::{self, Input, InputError, Perspective};
use super::ladder;
use super::model::{Critique, Outcome, Verdict};
use super::prompt;
use super::reply;
use super::requirement::{self, Requirements};
use crate::kernel::{
    Answer, Answers, Chance, Defect, Draft, Driver, Ended, Protocol, Query, RawReply, Reply, Run,
    Stage, Step, Stop, Turn, TurnId, Warning,
};
use crate::text::Note;

/// The state of a critique.
#[derive(Debug, Clone)]
pub struct Machine {
    pub(super) input: Input,
    /// The part that all prompts share.
    stable: String,
    /// The context's requirements; `None` without a context.
    requirements: Option<Requirements>,
    /// The answers and the outcome; `None` while the perspectives are asked.
    closed: Option<Box<(Answers<Self>, Outcome)>>,
}

impl Machine {
    /// Opens a critique.
    ///
    /// # Errors
    ///
    /// An input that allows no critique, before any agent is asked.
    pub fn open(input: Input) -> Result<Driver<Self>, InputError> {
        input::check(&input)?;
        let stable = prompt::stable(&input);
        let seat = |perspective: &Perspective| {
            let seated = input.seats.get(&perspective.name)?;
            Some((perspective.name.clone(), seated.clone()))
        };
        let run = Run::new(input.task.perspectives.iter().filter_map(seat));
        let boundary = input.prompts.boundary.clone();
        let requirements =
            input.task.context.as_ref().map(|context| Requirements::of(&context.text));
        let machine = Self { stable: stable.text, requirements, closed: None, input };
        Ok(Driver::new(machine, run, &stable.notes, &boundary))
    }

    /// Returns how many perspectives must answer: more than half of those asked.
    pub(super) fn needed(&self) -> usize {
        self.input.task.perspectives.len() / 2 + 1
    }

    fn query(&self, perspective: &Perspective) -> Query<Perspective> {
        let id = turn_id(perspective);
        let draft = prompt::prompt(&self.input, &self.stable, &id, perspective);
        let draft = Draft { plays: perspective.plays.clone(), ..draft };
        draft.to(&perspective.name, perspective.clone())
    }

    /// Reports how many answered, with which ratings, and the ladder's verdict.
    fn close_round(&self, outcome: &Outcome, run: &mut Run) {
        let (answered, asked) =
            (outcome.result.perspectives.len(), self.input.task.perspectives.len());
        let verdict = outcome.verdict;
        let came = match outcome.result.severity {
            Some(severity) => format!("severity {severity}: {verdict}"),
            None => format!("{verdict}: {} must answer", outcome.quorum.needed),
        };
        let ratings: Vec<String> = (outcome.result.perspectives.iter())
            .map(|voice| format!("{} {}", voice.perspective, voice.critique.rating))
            .collect();
        let rated = match ratings.join(", ") {
            none if none.is_empty() => none,
            ratings => format!(" ({ratings})"),
        };
        run.close_round(
            1,
            self.input.task.perspectives.last().map(turn_id).as_ref(),
            format!("round 1: {answered} of {asked} perspectives answered{rated}; {came}"),
            json!({
                "round": 1, "answered": answered, "asked": asked, "ratings": outcome.result.ratings,
                "severity": outcome.result.severity, "verdict": verdict,
            }),
        );
    }
}

/// Returns the id of a perspective's turn: `r1/product`.
fn turn_id(perspective: &Perspective) -> TurnId {
    TurnId::in_round(1, &perspective.name)
}

impl Protocol for Machine {
    type Ask = Perspective;
    type Content = Critique;
    type Outcome = Outcome;

    const STAGES: &'static [Stage] = &[Stage::new("", "critique", "reads it")];

    fn next(&self, _: &Run) -> Step<Outcome, Query<Perspective>> {
        if let Some(closed) = &self.closed {
            return Step::Done(closed.1.clone());
        }
        let perspectives = self.input.task.perspectives.iter();
        let turns = perspectives.map(|perspective| self.query(perspective)).collect();
        Step::Ask { opens_round: Some(1), turns }
    }

    fn read(
        &self,
        perspective: &Perspective,
        reply: &RawReply,
        chance: Chance,
    ) -> Result<Reply<Critique>, Defect> {
        let mut reply = reply::parse(perspective, reply, chance)?;
        let known = self.requirements.as_ref().filter(|_| perspective.needs_context);
        reply.notes.extend(requirement::settle(&mut reply.content, known));
        Ok(reply)
    }

    fn data(&self, perspective: &Perspective, _: &Turn, _: &Run) -> Value {
        let task = &self.input.task;
        let context = task.context.as_ref().map(|context| &context.text);
        json!({ "discuss": {
            "perspective": perspective, "artifact": task.artifact.text, "context": context,
        } })
    }

    fn gist(&self, _: &Perspective, said: &Critique) -> Vec<String> {
        let risk = said.risk_level.map(|risk| format!(", risk {risk}")).unwrap_or_default();
        let rating = format!("rates it {} of 5{risk}", said.rating);
        let wrong = said.weaknesses.iter().chain(&said.missing_requirements).cloned();
        std::iter::once(rating).chain(wrong).collect()
    }

    fn quorum(&self) -> usize {
        self.needed()
    }

    fn apply(&mut self, answers: Answers<Self>, run: &mut Run) {
        let view = self.view(&answers);
        let ended = match view.severity().map(ladder::verdict) {
            None => Verdict::Undecided,
            Some(Verdict::ConsensusReached) if view.one_vendor().is_some() => Verdict::OneVendor,
            Some(verdict) => verdict,
        };
        if let Some(note) = view.one_vendor() {
            run.warn(&note, None);
        }
        let outcome = view.outcome(Ended::Closed(ended), run);
        self.close_round(&outcome, run);
        self.closed = Some(Box::new((answers, outcome)));
    }

    /// Received critiques are paid for and worth reading without the others; nothing is decided on them.
    fn stop(&self, why: Stop, part: &[(Perspective, Answer<Critique>)], run: &Run) -> Outcome {
        if let Some(closed) = &self.closed {
            return self.view(&closed.0).outcome(why.into(), run);
        }
        let view = self.view(part);
        let mut outcome = view.outcome(why.into(), run);
        let warning = |note: Note| Warning { code: note.code, turn: None, message: note.message };
        outcome.warnings.extend(view.one_vendor().map(warning));
        outcome
    }
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
