//! The review's state machine: what is asked next, and when it is over.

use std::collections::BTreeMap;

use serde_json::json;

use super::check::{self, InputError};
use super::model::{DecisionKind, Outcome, ReviewOutcome, Said, ValidationResult};
use super::reply::{self, Reply, Terms};
use super::state::{Composition, Judging, QUORUM, State};
use super::{Input, compose, outcome, prompt, validate};
use crate::kernel::{Answer, Chance, Defect, Drive, Event, Fact, RawReply, Step, Stop, Turn};
use crate::protocol::council::ValidationSaid;
use crate::text::block::BlockLimits;
use crate::text::{Note, Problem};

mod ask;
mod notes;

use ask::{Asked, Taken, turns};
use notes::{validated, warning};

/// Where a review stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// The independent reviews are asked for.
    Reviewing,
    /// A cross-examination, counted from 1.
    Crossing(u32),
    /// The next best seat composes; its place in the ranking.
    Composing(usize),
    /// The others vote on what this seat composed.
    Validating(usize),
    /// Nothing is left to ask.
    Closed,
}

/// The review.
#[derive(Debug, Clone)]
pub struct Machine {
    state: State,
    phase: Phase,
    /// The open step; empty once it is closed.
    asked: Vec<Asked>,
    /// What begins the prompts of each batch.
    stables: Vec<String>,
    /// What begins the prompts of composer and validators.
    frame: String,
}

impl Machine {
    /// Prepares a review.
    pub fn new(input: Input) -> Result<Self, InputError> {
        check::check(&input)?;
        let mut warnings = Vec::new();
        let mut stables = Vec::new();
        for batch in 0..input.change.batches.len() {
            let stable = prompt::stable(&input, batch);
            for note in stable.notes {
                let note = warning(&note, None);
                if !warnings.contains(&note) {
                    warnings.push(note);
                }
            }
            stables.push(stable.text);
        }
        let vendor = &input.seats.first().map(|seat| seat.vendor.clone());
        if let Some(vendor) = vendor
            && input.seats.iter().all(|seat| seat.vendor == *vendor)
        {
            let message = format!(
                "all agents are of {vendor}: their agreement is one vendor's, so no finding can be confirmed"
            );
            warnings.push(warning(&Note::new("same_vendor", message), None));
        }
        let mut machine = Self {
            frame: prompt::frame(&input),
            stables,
            phase: Phase::Reviewing,
            asked: Vec::new(),
            state: State { warnings, ..State::new(input) },
        };
        machine.ask_reviews();
        Ok(machine)
    }

    /// Returns the input, for whoever builds the result document.
    pub fn input(&self) -> &Input {
        &self.state.input
    }

    /// Returns how many turns a review on this input asks at most, for the limits of a run.
    pub fn most_turns(input: &Input) -> usize {
        let seats = input.seats.len();
        let batches = input.change.batches.len();
        let crossings = usize::try_from(crossings(input)).unwrap_or(usize::MAX);
        let judged = seats * batches * (1 + crossings);
        if input.settings.single_round { judged } else { judged + seats + seats.saturating_sub(1) }
    }

    /// Takes one answer of the open step; `None` unless it was not asked.
    fn take(&mut self, answer: Answer<Reply>) -> Option<Fact> {
        let open = self.asked.iter_mut().find(|asked| {
            asked.turn.id == answer.turn
                && asked.taken.is_none()
                && match &answer.result {
                    Ok(reply) => reply.said.role() == asked.role,
                    Err(_) => true,
                }
        });
        let Some(asked) = open else {
            let message = format!(
                "an answer to {} came, which was not asked now; it is ignored",
                answer.turn
            );
            let note = Note::new("unexpected_answer", message);
            return Some(Fact::warning(&note, Some(&answer.turn)));
        };
        let mut notes = answer.notes;
        if let Ok(reply) = &answer.result {
            notes.extend(reply.notes.iter().cloned());
        }
        asked.taken = Some(Taken { seated: answer.seated, result: answer.result, notes });
        None
    }

    /// Closes the open step: notes who attended, counts what was said, and asks what follows.
    fn close(&mut self) -> Vec<Fact> {
        let step = std::mem::take(&mut self.asked);
        let mut facts = self.attend(&step);
        match self.phase {
            Phase::Reviewing => {
                facts.extend(self.count_reviews(step));
                facts.extend(self.miss_quorum());
                facts.extend(self.after_round(0, true));
            }
            Phase::Crossing(crossing) => {
                let (moved, closed) = self.count_judgements(crossing, &step);
                facts.extend(closed);
                facts.extend(self.after_round(crossing, moved));
            }
            Phase::Composing(place) => facts.extend(self.count_composition(place, step)),
            Phase::Validating(composer) => facts.extend(self.count_votes(composer, step)),
            Phase::Closed => {}
        }
        facts
    }

    /// Notes who answered, in the order of the turns, whatever the order of the answers.
    fn attend(&mut self, step: &[Asked]) -> Vec<Fact> {
        let mut facts = Vec::new();
        for asked in step {
            let Some(taken) = &asked.taken else { continue };
            let failure = taken.result.as_ref().err();
            self.state.panel.attend(asked.seat, asked.role, asked.batch, &taken.seated, failure);
            if taken.result.as_ref().is_ok_and(|reply| reply.left_out > 0) {
                self.state.lossy.insert(asked.seat);
            }
            facts.extend(self.warn(&taken.notes, Some(&asked.turn.id)));
        }
        facts
    }

    fn count_reviews(&mut self, step: Vec<Asked>) -> Vec<Fact> {
        let turns = turns(&step);
        let mut vendors = BTreeMap::new();
        for asked in step {
            let place = (asked.seat, asked.batch);
            if let Some(taken) = asked.taken
                && let Ok(reply) = taken.result
                && let Said::Review(said) = reply.said
            {
                vendors.insert(place, taken.seated.vendor);
                self.state.reviews.insert(place, said);
            }
        }
        self.state.cluster(&vendors);
        let mut facts = Vec::new();
        let aside = self.state.aside.len();
        if aside > 0 {
            let message = format!("{aside} findings are known and not raised again");
            let note = Note::new("known_findings", message);
            facts.push(Fact { warning: false, ..Fact::warning(&note, None) });
        }
        facts.push(self.state.close_round(0, &turns));
        facts
    }

    /// Warns of the parts that too few reviewed.
    fn miss_quorum(&mut self) -> Vec<Fact> {
        let seats = self.state.input.seats.len();
        let missed: Vec<Note> = self
            .batches()
            .filter(|batch| !self.state.quorum(*batch))
            .map(|batch| {
                let answered = self.state.panel.reviewers_of(batch);
                let part = batch + 1;
                let message = format!(
                    "part {part} of the change: {answered} of {seats} agents answered; it counts as not reviewed"
                );
                Note::new("no_quorum", message)
            })
            .collect();
        self.warn(&missed, None)
    }

    fn count_judgements(&mut self, crossing: u32, step: &[Asked]) -> (bool, Vec<Fact>) {
        let turns = turns(step);
        let mut judgings = Vec::new();
        for asked in step {
            if let Some(taken) = &asked.taken
                && let Ok(reply) = &taken.result
                && let Said::Cross(said) = &reply.said
            {
                judgings.push(Judging {
                    seat: asked.seat,
                    batch: asked.batch,
                    vendor: &taken.seated.vendor,
                    said: said.clone(),
                });
            }
        }
        let moved = self.state.judge(crossing + 1, judgings);
        let closed = self.state.close_round(crossing, &turns);
        (moved, vec![closed])
    }

    /// Decides what follows a round: another one, the composition, or the end.
    fn after_round(&mut self, crossing: u32, moved: bool) -> Vec<Fact> {
        let mut facts = Vec::new();
        let settings = &self.state.input.settings;
        if self.state.degraded() {
            let message = "fewer than two agents answered: nothing can be confirmed".to_owned();
            self.state.score();
            self.finish(self.state.by_rule());
            return self.warn(&[Note::new("degraded", message)], None);
        }
        // The first cross-examination is of all that a seat did not write; further ones have to be worth it.
        let worth = crossing == 0 || (moved && self.state.confidence() < settings.confidence);
        if worth && crossing < crossings(&self.state.input) {
            facts.extend(self.ask_judgements(crossing + 1));
            if !self.asked.is_empty() {
                self.phase = Phase::Crossing(crossing + 1);
                return facts;
            }
        }
        self.state.score();
        if self.state.input.settings.single_round || self.state.to_decide().is_empty() {
            self.finish(self.state.by_rule());
            return facts;
        }
        facts.extend(self.compose(0));
        facts
    }

    /// Asks the seat at this place of the ranking to compose; after the last one the rules do.
    fn compose(&mut self, place: usize) -> Vec<Fact> {
        let facts = self.ask_composer(place);
        if self.asked.is_empty() {
            self.finish(self.state.by_rule());
        } else {
            self.phase = Phase::Composing(place);
        }
        facts
    }

    fn count_composition(&mut self, place: usize, step: Vec<Asked>) -> Vec<Fact> {
        let said = step.into_iter().find_map(|asked| {
            let seat = asked.seat;
            match asked.taken?.result.ok()?.said {
                Said::Composition(said) => Some((seat, asked.turn.id, said)),
                Said::Review(_) | Said::Cross(_) | Said::Validation(_) => None,
            }
        });
        let Some((seat, id, said)) = said else {
            return self.compose(place + 1);
        };
        let composed = compose::apply(&self.state.counted(), &said);
        let mut facts = self.warn(&composed.notes, Some(&id));
        let kinds = |kind| {
            let decisions = composed.decisions.iter();
            decisions.filter(|decision| decision.kind == kind).count()
        };
        let [keep, merge, eliminate] =
            [DecisionKind::Keep, DecisionKind::Merge, DecisionKind::Eliminate].map(kinds);
        facts.push(Fact {
            code: "composed".to_owned(),
            turn: Some(id.to_string()),
            message: format!("composed: {keep} kept, {merge} merged, {eliminate} eliminated"),
            data: json!({ "kept": keep, "merged": merge, "eliminated": eliminate }),
            warning: false,
        });
        self.state.composition = Some(Composition {
            seat: Some(seat),
            decisions: composed.decisions,
            tallies: Vec::new(),
            residual_risks: said.residual_risks,
            open_questions: said.open_questions,
        });
        facts.extend(self.ask_validators(seat));
        self.phase = Phase::Validating(seat);
        if self.asked.is_empty() {
            facts.extend(self.count_votes(seat, Vec::new()));
        }
        facts
    }

    fn count_votes(&mut self, composer: usize, step: Vec<Asked>) -> Vec<Fact> {
        let mut votes: BTreeMap<usize, ValidationSaid> = BTreeMap::new();
        for asked in step {
            if let Some(taken) = asked.taken
                && let Ok(reply) = taken.result
                && let Said::Validation(said) = reply.said
            {
                votes.insert(asked.seat, said);
            }
        }
        let Some(mut composition) = self.state.composition.take() else {
            return Vec::new();
        };
        let groups = self.state.counted();
        composition.tallies = validate::tally(&composition.decisions, &votes, &groups, composer);
        let tallies = composition.tallies.iter();
        let stand = tallies.clone().filter(|tally| tally.stands()).count();
        let silent = tallies.filter(|tally| tally.result == ValidationResult::Unvalidated);
        let (silent, all) = (silent.count(), composition.tallies.len());
        self.finish(composition);
        vec![Fact {
            code: "validated".to_owned(),
            turn: None,
            message: validated(stand, silent, all),
            data: json!({ "stand": stand, "unvalidated": silent, "decisions": all, "voters": votes.len() }),
            warning: false,
        }]
    }

    fn finish(&mut self, composition: Composition) {
        self.state.composition = Some(composition);
        self.phase = Phase::Closed;
    }

    /// Records what notes say, in the warnings and as facts.
    fn warn(&mut self, notes: &[Note], turn: Option<&str>) -> Vec<Fact> {
        let new = notes.iter().map(|note| warning(note, turn));
        self.state.warnings.extend(new);
        (notes.iter()).map(|note| Fact::warning(note, turn)).collect()
    }
}

/// Returns how many cross-examinations a review may have.
fn crossings(input: &Input) -> u32 {
    let settings = &input.settings;
    match (settings.critique, settings.single_round) {
        (false, _) => 0,
        (true, true) => 1,
        (true, false) => settings.max_rounds,
    }
}

impl Machine {
    pub(crate) fn apply(&mut self, answers: Vec<Answer<Reply>>) -> Vec<Fact> {
        let answers = answers.into_iter();
        let mut facts: Vec<Fact> = answers.filter_map(|answer| self.take(answer)).collect();
        let open = |asked: &Asked| asked.taken.is_none();
        if !self.asked.is_empty() && !self.asked.iter().any(open) {
            facts.extend(self.close());
        }
        facts
    }

    /// What was paid for is shown, if it is a finding or a judgement on one; a step that is not
    /// whole decides nothing.
    pub(crate) fn part(&mut self, answers: Vec<Answer<Reply>>) {
        for answer in answers {
            drop(self.take(answer));
        }
    }
}

impl Drive for Machine {
    type Reply = Reply;
    type Outcome = Outcome;

    fn next(&self) -> Step<Outcome> {
        let open: Vec<Turn> = self
            .asked
            .iter()
            .filter(|asked| asked.taken.is_none())
            .map(|asked| asked.turn.clone())
            .collect();
        if open.is_empty() {
            return Step::Done(outcome::decided(&self.state));
        }
        let begun = open.len() < self.asked.len();
        let opens_round = match self.phase {
            Phase::Reviewing => Some(1),
            Phase::Crossing(crossing) => Some(crossing + 1),
            Phase::Composing(_) | Phase::Validating(_) | Phase::Closed => None,
        };
        Step::Ask { opens_round: opens_round.filter(|_| !begun), turns: open }
    }

    fn quorum(&self) -> usize {
        QUORUM
    }

    fn parse(&self, turn: &Turn, reply: &RawReply, chance: Chance) -> Result<Reply, Defect> {
        let Some(asked) = self.asked.iter().find(|asked| asked.turn.id == turn.id) else {
            let message = format!("`{}` is no turn that is asked now", turn.id);
            return Err(Defect {
                problems: vec![Problem::new("unknown_turn", None, message)],
                expected_ids: Vec::new(),
            });
        };
        let settings = &self.state.input.settings;
        let terms = Terms {
            shown: &asked.shown,
            strict: settings.strict,
            limits: BlockLimits { block_bytes: settings.block_bytes },
        };
        reply::parse(asked.role, reply, chance, terms)
    }

    fn apply(&mut self, answers: Vec<Answer<Reply>>) -> Vec<Event> {
        Self::apply(self, answers).into_iter().map(Event::of).collect()
    }

    fn part(&mut self, answers: Vec<Option<Answer<Reply>>>) {
        Self::part(self, answers.into_iter().flatten().collect());
    }

    fn stop(&self, why: Stop) -> Outcome {
        if self.asked.is_empty() {
            return match why {
                Stop::Running => outcome::stopped(&self.state, ReviewOutcome::Running),
                Stop::Terminated => outcome::stopped(&self.state, ReviewOutcome::Terminated),
                // A review that is over stays what it is.
                Stop::Budget | Stop::Deadline | Stop::Cancelled(_) => outcome::decided(&self.state),
            };
        }
        let mut copy = self.clone();
        let step = std::mem::take(&mut copy.asked);
        let (taken, _): (Vec<Asked>, Vec<Asked>) =
            step.into_iter().partition(|asked| asked.taken.is_some());
        drop(copy.attend(&taken));
        match copy.phase {
            Phase::Reviewing => drop(copy.count_reviews(taken)),
            Phase::Crossing(crossing) => drop(copy.count_judgements(crossing, &taken)),
            Phase::Composing(_) | Phase::Validating(_) | Phase::Closed => {}
        }
        if matches!(copy.phase, Phase::Reviewing | Phase::Crossing(_)) {
            // The round is not over, so it has no confidence.
            copy.state.rounds.pop();
        }
        if copy.phase != Phase::Reviewing {
            copy.state.score();
        }
        copy.state.composition = Some(copy.state.by_rule());
        let how = match why {
            Stop::Budget => ReviewOutcome::Budget,
            Stop::Deadline | Stop::Cancelled(_) => ReviewOutcome::Interrupted,
            Stop::Running => ReviewOutcome::Running,
            Stop::Terminated => ReviewOutcome::Terminated,
        };
        outcome::stopped(&copy.state, how)
    }
}

#[cfg(test)]
mod arrows_tests;
#[cfg(test)]
mod more_tests;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
