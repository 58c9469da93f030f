//! The driver of a protocol: what is alike for all of them, done once.
//!
//! # Theory of operation
//!
//! A protocol is rules. [`Driver`] keeps what they need and never decides: the step that is asked now, who
//! attended, what was warned of. It hands the rules the answers of a whole step, in the order of its turns, each
//! with what it was asked for, so that no rule has to ask whether an answer fits. A step that a limit cut short
//! is never applied: its answers are shown to [`Protocol::stop`], which decides nothing.
//!
//! ```text
//!            turns                      answers of the whole step
//!   next ---------------> agents ------------------------------------> apply --> next
//!     \                        \  some answers, a stop
//!      \--> Done(outcome)       \------------------------------------> stop  --> outcome
//! ```
//!
//! It knows no clock, file or process. [`crate::kernel::Driver::apply`] returns what happened as [`Event`]s.

use super::protocol::{Answers, Protocol, Step, Stop};
use super::turn::{Answer, Chance, Defect, RawReply, Reply, Turn};
use super::{End, Ending, Event, Run};
use crate::text::{Note, fence};

/// A protocol on its way.
#[derive(Debug, Clone)]
pub struct Driver<P: Protocol> {
    protocol: P,
    run: Run,
    /// What is asked now: made once, as prompts are long.
    step: Step<P::Outcome, super::Query<P::Ask>>,
    /// What was answered of a step that was cut short.
    part: Answers<P>,
    /// The session's boundary around untrusted text.
    boundary: String,
}

impl<P: Protocol> Driver<P> {
    /// Begins. `notes`: what was noticed of the input; it stands before all other warnings. `boundary`: the session's,
    /// around untrusted text.
    pub fn new(protocol: P, mut run: Run, notes: &[Note], boundary: &str) -> Self {
        for note in notes {
            run.warn(note, None);
        }
        let step = protocol.next(&run);
        let mut driver =
            Self { protocol, run, step, part: Vec::new(), boundary: boundary.to_owned() };
        driver.warn_of_prompts();
        // Nobody listens yet: the result says it.
        drop(driver.run.take_events());
        driver
    }

    /// Makes the driver of a protocol that is one of several, of which this one was chosen.
    pub fn wrap<Q: Protocol<Outcome = P::Outcome>>(
        self,
        protocol: impl FnOnce(P) -> Q,
        ask: impl Fn(P::Ask) -> Q::Ask,
    ) -> Driver<Q> {
        Driver {
            protocol: protocol(self.protocol),
            run: self.run,
            step: self.step.map(|query| query.map(&ask)),
            part: Vec::new(),
            boundary: self.boundary,
        }
    }

    /// Returns the rules, for whoever looks at them.
    pub fn protocol(&self) -> &P {
        &self.protocol
    }

    /// Returns who attended, and what was warned of.
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// Returns the turns to ask now, or how it ended.
    pub fn next(&self) -> Step<P::Outcome> {
        match &self.step {
            Step::Ask { opens_round, turns } => Step::Ask {
                opens_round: *opens_round,
                turns: turns.iter().map(|query| query.turn.clone()).collect(),
            },
            Step::Done(outcome) => Step::Done(outcome.clone()),
        }
    }

    /// Returns how many of the step's turns must be answered for it to be worth asking.
    pub fn quorum(&self) -> usize {
        self.protocol.quorum()
    }

    /// Reads a reply to a turn of this step.
    pub fn read(
        &self,
        turn: &Turn,
        reply: &RawReply,
        chance: Chance,
    ) -> Result<Reply<P::Said>, Defect> {
        let turns = match &self.step {
            Step::Ask { turns, .. } => &**turns,
            Step::Done(_) => &[],
        };
        match turns.iter().find(|query| query.turn.id == turn.id) {
            Some(query) => self.protocol.read(&query.ask, reply, chance),
            None => Err(Defect::of("unknown_turn", format!("`{}` is not asked now", turn.id))),
        }
    }

    /// Takes the answers of the whole step, in the order of its turns, and goes on to the next. What is over stays over.
    pub fn apply(&mut self, answers: Vec<Answer<Reply<P::Said>>>) -> Vec<Event> {
        if let Step::Done(_) = self.step {
            return Vec::new();
        }
        let answers = self.attend(answers.into_iter().map(Some));
        self.protocol.apply(answers, &mut self.run);
        self.step = self.protocol.next(&self.run);
        self.warn_of_prompts();
        self.run.take_events()
    }

    /// Takes what was answered of a step that a limit cut short: `None` stands for a turn without an answer. Only
    /// [`Driver::stop`] may follow.
    pub fn part(&mut self, answers: impl IntoIterator<Item = Option<Answer<Reply<P::Said>>>>) {
        if self.protocol.keeps_part() {
            self.part = self.attend(answers);
            drop(self.run.take_events());
        }
    }

    /// Wraps up. What is over stays what it is, unless a person closed it or somebody still runs it.
    pub fn stop(&self, why: Stop) -> P::Outcome {
        match (&self.step, why) {
            (Step::Done(outcome), Stop::Budget | Stop::Deadline | Stop::Cancelled(_)) => {
                outcome.clone()
            }
            (_, _) => self.protocol.stop(why, &self.part, &self.run),
        }
    }

    /// Says how a run ends that is over, or that `why` stops.
    pub fn end(&self, why: Stop) -> End {
        match &self.step {
            Step::Done(outcome) if outcome.closes() => End::Closed,
            Step::Done(_) => End::Failed,
            Step::Ask { .. } => End::Stopped(why),
        }
    }

    /// Notes who attended and what was noticed, and puts to each answer what it was asked for.
    fn attend(
        &mut self,
        answers: impl IntoIterator<Item = Option<Answer<Reply<P::Said>>>>,
    ) -> Answers<P> {
        let Step::Ask { turns, .. } = &self.step else {
            return Vec::new();
        };
        let mut all = Vec::with_capacity(turns.len());
        for (query, answer) in turns.iter().zip(answers) {
            let Some(answer) = answer else { continue };
            let seat = self.protocol.attends(&query.ask, &query.turn.role);
            self.run.seats_mut().attend(seat, &answer.seated, answer.result.as_ref().err());
            let mut notes = answer.notes.clone();
            let result = match &answer.result {
                Ok(reply) => {
                    notes.extend(reply.notes.iter().cloned());
                    let quoted = self.protocol.quoted(&reply.said);
                    notes.extend(forged(quoted, &self.boundary, P::DEFUSED));
                    Ok(reply.said.clone())
                }
                Err(failure) => Err(failure.clone()),
            };
            for note in &notes {
                self.run.warn(note, Some(&query.turn.id));
            }
            let answer = answer.with(result);
            all.push((query.ask.clone(), answer));
        }
        all
    }

    /// Says what was cut or defused in the prompts of this step.
    fn warn_of_prompts(&mut self) {
        if let Step::Ask { turns, .. } = &self.step {
            for query in turns {
                for note in &query.notes {
                    self.run.warn(note, Some(&query.turn.id));
                }
            }
        }
    }
}

/// Notes marker-like text in an answer that other agents will read: it is defused there.
fn forged(quoted: Option<String>, boundary: &str, defused: &str) -> Option<Note> {
    let (_, places) = fence::defuse(&quoted?, boundary);
    let message =
        format!("the answer holds text that looks like our markers in {places} places; {defused}");
    (places > 0).then(|| Note::new("forged_marker", message))
}
