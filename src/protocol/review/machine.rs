//! The review's state machine: what is asked next, and when the review is over.

use serde_json::{Value, json};

use super::check::{self, InputError};
use super::compose::Decision;
use super::model::{Content, DecisionKind, Outcome, ValidationResult};
use super::reply::{self, Statement};
use super::state::{Composition, State};
use super::{Input, Role, compose, outcome, prompt, validate};
use crate::change::{Batch, Change};
use crate::contract::ReplyRules;
use crate::kernel::{
    Answer, Answers, Chance, Defect, Driver, Protocol, Query, RawReply, Reply, Run, Stage, Step,
    Stop, Turn, round_of, seat_name,
};
use crate::ordered::{BTreeSet, Gather};
use crate::protocol::council::{Ballots, QUORUM};
use crate::text::Note;

mod ask;
mod gist;
mod prove;

pub use ask::Ask;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// The independent reviews are pending.
    Reviewing,
    /// A cross-examination, counted from 1.
    Crossing(u32),
    /// The seat at this place of the ranking composes.
    Composing(usize),
    /// The others vote on the composition of this seat.
    Validating(usize),
    /// The authors of grave findings write tests of them, for the first or the second time.
    Proving(u32),
    /// The program runs those tests.
    Testing(u32),
    /// Nothing is left to ask.
    Closed,
}

const STAGES: [Stage; 6] = [
    Stage::new("review", "review", "reviews"),
    Stage::new("cross", "cross-examination", "judges the others' findings"),
    Stage::new("prove", "proof", "writes a test"),
    Stage::new("test", "test", "runs the test"),
    Stage::new("compose", "composition", "composes"),
    Stage::new("validate", "vote", "votes on the composition"),
];

#[derive(Debug, Clone)]
pub struct Machine {
    state: State,
    phase: Phase,
    /// The beginning of the prompts of each batch.
    stables: Vec<String>,
    /// The beginning of the prompts of composer and validators.
    frame: String,
}

impl Machine {
    /// The stages of a review that tests nothing.
    pub const UNPROVEN: &'static [Stage] = &[STAGES[0], STAGES[1], STAGES[4], STAGES[5]];

    /// Prepares a review.
    ///
    /// # Errors
    /// An input that cannot be reviewed.
    pub fn open(input: Input) -> Result<Driver<Self>, InputError> {
        check::check(&input)?;
        let mut notes = Vec::new();
        let mut stables = Vec::new();
        for batch in 0..input.change.batches.len() {
            let stable = prompt::stable(&input, Some(batch));
            for note in stable.notes {
                if !notes.contains(&note) {
                    notes.push(note);
                }
            }
            stables.push(stable.text);
        }
        let seats = input.seats.iter().enumerate();
        let run = Run::new(seats.map(|(at, seated)| (seat_name(at), seated.clone())));
        if let Some(vendor) = run.seats().only_vendor() {
            let message = format!(
                "all agents are from {vendor}: their agreement is one vendor's, so no finding can be confirmed"
            );
            notes.push(Note::new("same_vendor", message));
        }
        let boundary = input.prompts.boundary.clone();
        let machine = Self {
            // Its notes are among those of the batches.
            frame: prompt::stable(&input, None).text,
            stables,
            phase: Phase::Reviewing,
            state: State::new(input),
        };
        Ok(Driver::new(machine, run, &notes, &boundary))
    }

    fn count_reviews(&mut self, answers: Answers<Self>, run: &mut Run) {
        let turns = turns(&answers);
        let mut raised = Vec::new();
        for (ask, answer) in answers {
            let vendor = &answer.respondent.vendor;
            if let Ok(Statement { said: Content::Review(said), .. }) = answer.result {
                raised.extend(self.state.raised(&ask, vendor, 1, &said.findings));
                self.state.reviews.insert((ask.seat, ask.batch), said);
            }
        }
        self.state.cluster(raised);
        let aside = self.state.aside.len();
        if aside > 0 {
            let message = format!("{aside} findings are known and not raised again");
            run.state("known_findings", None, message, Value::Null);
        }
        self.state.close_round(0, &turns, run);
    }

    /// Warns of the parts that too few seats reviewed.
    fn miss_quorum(&self, run: &mut Run) {
        let seats = self.state.input.seats.len();
        for batch in self.batches().filter(|batch| !self.state.quorum(*batch)) {
            let answered = self.state.reviewers.of(batch);
            let part = batch + 1;
            let message = format!(
                "part {part} of the change: {answered} of {seats} agents answered; it counts as not reviewed"
            );
            run.warn(&Note::new("no_quorum", message), None);
        }
    }

    /// Counts the judgements; returns whether anything moved.
    fn count_judgements(&mut self, crossing: u32, answers: Answers<Self>, run: &mut Run) -> bool {
        let turns = turns(&answers);
        let (mut moved, mut raised) = (false, Vec::new());
        for (ask, answer) in answers {
            let (vendor, round) = (&answer.respondent.vendor, crossing + 1);
            if let Ok(Statement { said: Content::Cross(said), .. }) = answer.result {
                raised.extend(self.state.raised(&ask, vendor, round, &said.missed_issues));
                moved |= self.state.judge(&ask, vendor, round, said.judgements);
            }
        }
        moved |= !raised.is_empty();
        self.state.join(raised);
        self.state.close_round(crossing, &turns, run);
        moved
    }

    /// Decides what follows a round: another one, the composition, or the end.
    fn after_round(&mut self, crossing: u32, moved: bool, run: &mut Run) -> Phase {
        let settings = &self.state.input.settings;
        if self.state.degraded() {
            let message = "fewer than two agents answered: nothing can be confirmed";
            run.warn(&Note::new("degraded", message), None);
            self.state.score();
            return self.close(self.state.by_rule());
        }
        // The first cross-examination covers everything that a seat did not write; further ones must be worth their
        // cost.
        let worth = crossing == 0 || (moved && self.state.confidence < settings.confidence);
        if worth && crossing < settings.max_rounds && self.anybody_judges(crossing + 1) {
            return Phase::Crossing(crossing + 1);
        }
        self.state.score();
        if self.is_proven(run) {
            return Phase::Proving(1);
        }
        self.after_judging()
    }

    /// Decides what follows when everything is judged and tested: the composition, or the end.
    fn after_judging(&mut self) -> Phase {
        if !self.state.is_composed() {
            return self.close(self.state.by_rule());
        }
        self.compose(0)
    }

    /// Lets the seat at this place of the ranking compose; after the last one, the rules compose.
    fn compose(&mut self, place: usize) -> Phase {
        if place < self.state.ranking.len() {
            Phase::Composing(place)
        } else {
            self.close(self.state.by_rule())
        }
    }

    fn count_composition(&mut self, place: usize, answers: Answers<Self>, run: &mut Run) -> Phase {
        let said = answers.into_iter().find_map(|(ask, answer)| match answer.result {
            Ok(Statement { said: Content::Composition(said), .. }) => {
                Some((ask.seat, answer.turn, said))
            }
            Ok(_) | Err(_) => None,
        });
        let Some((seat, id, said)) = said else {
            return self.compose(place + 1);
        };
        let composed = compose::apply(&self.state.counted(), &said);
        for note in &composed.notes {
            run.warn(note, Some(&id));
        }
        let kinds = |kind| {
            let decisions = composed.decisions.iter();
            decisions.filter(|decision| decision.kind == kind).count()
        };
        let [keep, merge, eliminate] =
            [DecisionKind::Keep, DecisionKind::Merge, DecisionKind::Eliminate].map(kinds);
        run.state(
            "composed",
            Some(&id),
            format!("composed: {keep} kept, {merge} merged, {eliminate} eliminated"),
            json!({ "kept": keep, "merged": merge, "eliminated": eliminate }),
        );
        self.state.composition = Some(Composition {
            seat: Some(seat),
            decisions: composed.decisions,
            tallies: Vec::new(),
            residual_risks: said.residual_risks,
            open_questions: said.open_questions,
        });
        if self.seats().any(|voter| voter != seat && !self.to_vote_on(voter).is_empty()) {
            Phase::Validating(seat)
        } else {
            self.count_votes(seat, Vec::new(), run)
        }
    }

    fn count_votes(&mut self, composer: usize, answers: Answers<Self>, run: &mut Run) -> Phase {
        let votes: Ballots = (answers.into_iter())
            .filter_map(|(ask, answer)| match answer.result {
                Ok(Statement { said: Content::Validation(said), .. }) => Some((ask.seat, said)),
                Ok(_) | Err(_) => None,
            })
            .gather();
        let Some(mut composition) = self.state.composition.take() else {
            return Phase::Closed;
        };
        let groups = self.state.counted();
        let put: Vec<Decision> = (composition.decisions.iter())
            .filter(|decision| self.state.needs_votes(decision))
            .cloned()
            .collect();
        let names = self.state.names();
        composition.tallies = validate::tally(&put, &votes, &groups, composer, &names);
        let tallies = composition.tallies.iter();
        let stand = tallies.clone().filter(|vote| vote.tally.result.stands()).count();
        let silent = tallies.filter(|vote| vote.tally.result == ValidationResult::Unvalidated);
        let (silent, all) = (silent.count(), composition.tallies.len());
        run.state(
            "validated",
            None,
            validated(stand, silent, all),
            json!({ "stand": stand, "unvalidated": silent, "decisions": all, "voters": votes.len() }),
        );
        self.close(composition)
    }

    fn close(&mut self, composition: Composition) -> Phase {
        self.state.composition = Some(composition);
        Phase::Closed
    }
}

fn turns(answers: &[(Ask, Answer<Statement>)]) -> Vec<(usize, bool)> {
    answers.iter().map(|(ask, answer)| (ask.seat, answer.result.is_ok())).collect()
}

/// Reports the result of the votes. A decision without votes is not rejected, so it is reported separately.
fn validated(stand: usize, silent: usize, all: usize) -> String {
    if all == 0 {
        return "not validated: nothing was changed".to_owned();
    }
    if silent == all {
        return "not validated: nobody voted, so every finding stays as it is".to_owned();
    }
    let silent = match silent {
        0 => String::new(),
        silent => format!("; nobody voted on {silent}"),
    };
    format!("validated: {stand} of {all} decisions stand{silent}")
}

/// Returns four of the lines that a part of the change adds, evenly spread, for a rehearsal; blank lines aside.
fn added(change: &Change, batch: &Batch) -> Vec<Value> {
    let mut added = Vec::new();
    for part in &batch.parts {
        let Some(file) = change.files.get(part.file) else { continue };
        for hunk in file.hunks.get(part.first..part.end).unwrap_or_default() {
            let mut number = hunk.new_start;
            for line in hunk.body.lines() {
                if let Some(text) = line.strip_prefix('+').filter(|text| !text.trim().is_empty()) {
                    added.push((&file.path, number, text.trim()));
                }
                number += u32::from(!line.starts_with(['-', '\\']));
            }
        }
    }
    let places: BTreeSet<usize> = (0..4).map(|quarter| quarter * added.len() / 4).gather();
    let picked = places.iter().filter_map(|at| added.get(*at));
    picked.map(|(file, line, text)| json!({ "file": file, "line": line, "quote": text })).collect()
}

impl Protocol for Machine {
    type Ask = Ask;
    type Content = Statement;
    type Outcome = Outcome;

    const STAGES: &'static [Stage] = &STAGES;

    fn next(&self, run: &Run) -> Step<Outcome, Query<Ask>> {
        let opens_round = match self.phase {
            Phase::Reviewing => Some(1),
            Phase::Crossing(crossing) => Some(crossing + 1),
            Phase::Composing(_) | Phase::Validating(_) | Phase::Proving(_) | Phase::Testing(_) => {
                None
            }
            Phase::Closed => return Step::Done(outcome::outcome(&self.state, None, run)),
        };
        let turns = self.queries().into_iter().map(|(query, _)| query).collect();
        Step::Ask { opens_round, turns }
    }

    fn read(
        &self,
        ask: &Ask,
        reply: &RawReply,
        chance: Chance,
    ) -> Result<Reply<Statement>, Defect> {
        let terms = ReplyRules { shown: &ask.shown, chance };
        reply::parse(ask.role, reply, terms, &ask.named)
    }

    fn gist(&self, _: &Ask, said: &Statement) -> Vec<String> {
        gist::of(&self.state.groups, said)
    }

    fn quorum(&self) -> usize {
        QUORUM
    }

    /// A test that is missing is no missing review.
    fn attends<'a>(&self, ask: &Ask, role: &'a str) -> &'a str {
        if matches!(ask.role, Role::Prover | Role::Sandbox) { "" } else { role }
    }

    fn data(&self, ask: &Ask, turn: &Turn, _: &Run) -> Value {
        let all = self.queries();
        let shown = all.into_iter().find(|(query, _)| query.turn.id == turn.id);
        let change = &self.state.input.change;
        let added = change.batches.get(ask.batch).map(|batch| added(change, batch));
        json!({ "review": {
            "ask": ask.role.word(), "seat": ask.seat + 1, "round": round_of(&turn.id), "added": added, "shown": shown.map(|(_, shown)| shown),
        } })
    }

    fn apply(&mut self, answers: Answers<Self>, run: &mut Run) {
        self.state.attend(&answers);
        self.phase = match self.phase {
            Phase::Reviewing => {
                self.count_reviews(answers, run);
                self.miss_quorum(run);
                self.after_round(0, true, run)
            }
            Phase::Crossing(crossing) => {
                let moved = self.count_judgements(crossing, answers, run);
                self.after_round(crossing, moved, run)
            }
            Phase::Composing(place) => self.count_composition(place, answers, run),
            Phase::Validating(composer) => self.count_votes(composer, answers, run),
            Phase::Proving(attempt) => self.count_reproductions(attempt, answers),
            Phase::Testing(attempt) => self.count_tests(attempt, answers, run),
            Phase::Closed => Phase::Closed,
        };
    }

    /// Findings and judgements on them were paid for, so they are shown; an incomplete step decides nothing.
    fn stop(&self, why: Stop, part: &[(Ask, Answer<Statement>)], run: &Run) -> Outcome {
        let mut copy = self.clone();
        copy.state.attend(part);
        let mut told = run.clone();
        match self.phase {
            Phase::Reviewing => copy.count_reviews(part.to_vec(), &mut told),
            Phase::Crossing(crossing) => {
                copy.count_judgements(crossing, part.to_vec(), &mut told);
            }
            Phase::Composing(_)
            | Phase::Validating(_)
            | Phase::Proving(_)
            | Phase::Testing(_)
            | Phase::Closed => {}
        }
        if matches!(self.phase, Phase::Reviewing | Phase::Crossing(_)) {
            // The round is not over, so it has no confidence.
            copy.state.rounds.pop();
        }
        if self.phase != Phase::Reviewing {
            copy.state.score();
        }
        copy.state.composition = Some(copy.state.by_rule());
        outcome::outcome(&copy.state, Some(why), run)
    }
}

#[cfg(test)]
mod arrows_tests;
#[cfg(test)]
mod evidence_tests;
#[cfg(test)]
mod more_tests;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
