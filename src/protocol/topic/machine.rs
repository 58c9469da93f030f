//! The rules of a dialogue: which turn comes next, how an answer changes the state, and when the dialogue ends.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::contract::{Ask, EXPERT, Side};
use super::input::{self, Input, InputError};
use super::points::{PointIds, UsedNumbers};
use super::reply::{self, Content};
use super::table::{GivenStances, OwnPosition, ProposedPosition, of_a_participant};
use crate::contract::ReplyRules;
use crate::kernel::share::Share;
use crate::kernel::{
    Answer, Answers, Attendance, Chance, Defect, Driver, Ended, Failure, Protocol, Query, RawReply,
    Reply, Respondent, Run, Stage, Step, Stop, Turn, TurnId,
};
use crate::protocol::clarify::Informed;
use crate::protocol::debate::consensus::{self, Basis, COVERED, Check, Comparison};
use crate::protocol::debate::outcome::RoundRecord;
use crate::protocol::debate::{DebateOutcome, Judgement, Outcome, Position, Stances};
use crate::protocol::facts::Facts;
use crate::protocol::opening::Opening;
use crate::text::Note;

mod asking;
mod blind;
mod rounds;

use rounds::RoundChecks;

/// The round, ask and shown points of a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Purpose {
    /// The round, from 1.
    pub round: u32,
    /// The kind of answer requested.
    pub ask: Ask,
    /// Ids of the points that the answer is about.
    pub shown: Vec<String>,
    /// Ids of the points that the answer makes.
    pub ids: PointIds,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// The round in progress and the turn asked in it.
    Open(u32, Ask),
    /// Round 1 of a blind opening: both sides state their positions.
    BlindPositions,
    /// Round 2 of a blind opening: each side judges the other's position.
    BlindStances,
    Closed(DebateOutcome),
}

/// A turn that was answered or failed, without its content: the turn, its round and ask, and the respondent.
#[derive(Debug)]
struct AcceptedAnswer {
    turn: TurnId,
    round: u32,
    ask: Ask,
    seated: Respondent,
}

/// The expert's turn: its ruling, or the failure.
#[derive(Debug, Clone)]
pub(super) struct RulingResult {
    pub(super) seated: Respondent,
    pub(super) result: Result<Judgement, Failure>,
}

#[derive(Debug, Clone)]
pub(crate) struct Machine {
    pub(super) input: Input,
    pub(super) stable: String,
    state: State,
    pub(super) held: BTreeMap<Side, OwnPosition>,
    /// Positions put to the other side, in order; the last one is current.
    pub(super) puts: Vec<ProposedPosition>,
    pub(super) ruled: Option<RulingResult>,
    pub(super) rounds: Vec<RoundRecord>,
    pub(super) drafter: Side,
    /// The numbers of points so far.
    used: UsedNumbers,
    /// The last consensus measured, whatever its value.
    measured: Option<Share>,
}

impl Machine {
    /// Opens a dialogue, before its first turn.
    ///
    /// # Errors
    /// The input does not allow a dialogue: see [`InputError`].
    pub(crate) fn open(input: Input) -> Result<Driver<Self>, InputError> {
        let sides = input::check(&input)?;
        let (mut brief, mut notes) = input.brief.shown();
        brief["opening"] = json!(input.settings.opening);
        let stable = input.prompts.fill("session/dialogue", brief);
        notes.extend(stable.notes);
        if sides[0].vendor == sides[1].vendor {
            notes.push(same_vendor(&sides[0].vendor));
        }
        if input.settings.consensus == Basis::Text {
            let message = "the similarity of the texts decides (`--consensus text`): it cannot tell agreement from similar words";
            notes.push(Note::new("decided_by_text", message));
        }
        let sides = Side::ALL.map(|side| side.seat().to_owned()).into_iter().zip(sides);
        let expert = input.seats.get(EXPERT).map(|seated| (EXPERT.to_owned(), seated.clone()));
        let run = Run::new(sides.chain(expert));
        let boundary = input.prompts.boundary.clone();
        let (state, drafter) = match input.settings.opening {
            Opening::Sequential => (State::Open(1, Ask::Propose), Side::Reviewer),
            Opening::Blind => (State::BlindPositions, Side::Proposer),
        };
        let machine = Self {
            state,
            input,
            stable: stable.text,
            held: BTreeMap::new(),
            puts: Vec::new(),
            ruled: None,
            rounds: Vec::new(),
            drafter,
            used: UsedNumbers::default(),
            measured: None,
        };
        Ok(Driver::new(machine, run, &notes, &boundary))
    }

    fn heard(&mut self, taken: &AcceptedAnswer, said: Content, run: &mut Run) {
        match said {
            Content::Position(position) => self.put(taken, position),
            Content::Both(stances, position) => {
                if let Some(side) = taken.ask.side(self.drafter) {
                    self.set_position(side, position, taken);
                }
                self.judged(taken, stances, run);
                let held = self.held.get(&Side::Reviewer);
                if let (State::Open(_, Ask::Rebuttal), Some(held)) = (self.state, held) {
                    let position = held.position.clone();
                    self.puts.push(ProposedPosition::new(Side::Reviewer, position, taken.round));
                }
            }
            Content::Stances(stances) => self.judged(taken, stances, run),
            Content::Judgement(judgement) => self.expert(taken, Ok(judgement), run),
        }
    }

    /// Puts a position to the other side. A joint draft belongs to neither side, so both sides' own positions are
    /// kept beside it.
    fn put(&mut self, taken: &AcceptedAnswer, position: Position) {
        let round = taken.round;
        let (put, next) = if taken.ask == Ask::Propose {
            self.set_position(Side::Proposer, position.clone(), taken);
            (ProposedPosition::new(Side::Proposer, position, round), Ask::Review)
        } else {
            self.used.take(&position);
            let last = self.puts.last();
            (ProposedPosition::joint(last, self.drafter, position, round), Ask::Answer)
        };
        self.puts.push(put);
        self.state = State::Open(round, next);
    }

    fn set_position(&mut self, side: Side, position: Position, taken: &AcceptedAnswer) {
        self.used.take(&position);
        let held = OwnPosition { position, round: taken.round, seated: taken.seated.clone() };
        self.held.insert(side, held);
    }

    /// Compares a position that was put with that of the side that judged it; `None` if that side has none.
    fn check(&self, put: &ProposedPosition) -> Option<Check> {
        let settings = &self.input.settings;
        let own = self.held.get(&put.reader())?;
        // In a blind opening, and before a joint draft, a side states its position before it judges the other's.
        Some(consensus::check(Comparison {
            position: &put.position,
            stances: &put.stances(),
            other: &own.position,
            basis: settings.consensus,
            threshold: settings.consensus_threshold,
        }))
    }

    /// Records the stances on the last position put, checks consensus, and sets the next state.
    fn judged(&mut self, taken: &AcceptedAnswer, stances: Stances, run: &mut Run) {
        let Some(put) = self.puts.last_mut() else {
            return;
        };
        put.judged = Some(GivenStances { stances, seated: taken.seated.clone() });
        put.round = taken.round;
        let check = self.puts.last().and_then(|put| self.check(put));
        let checks = RoundChecks { decisive: check.clone(), both: BTreeMap::new() };
        self.close_round(taken, checks, &[], run);
        self.go_on(taken, check, run);
    }

    /// Goes on from a round in which nothing is missing, by its check.
    fn go_on(&mut self, taken: &AcceptedAnswer, check: Option<Check>, run: &mut Run) {
        if let Some(conflict) = check.as_ref().and_then(|check| check.conflict) {
            let note = Note::new("conflict", conflict.sentence());
            run.warn(&note, Some(&taken.turn));
        }
        self.state = self.after(taken, check.as_ref());
        if let Some(decisive) = check.and_then(|check| check.decisive) {
            self.measured = Some(decisive);
        }
    }

    /// Returns the state after a round without a missing answer. `measured` is still that of the previous check.
    fn after(&self, taken: &AcceptedAnswer, check: Option<&Check>) -> State {
        let (settings, round) = (&self.input.settings, taken.round);
        if check.is_some_and(|check| check.reached) {
            return State::Closed(DebateOutcome::Adopted);
        }
        let counts = |check: &&Check| check.basis == Basis::Text || check.covered >= COVERED;
        let between = check
            .filter(counts)
            .and_then(|check| check.decisive)
            .is_some_and(|decisive| decisive >= settings.expert_threshold);
        if round >= settings.debating_rounds() {
            return if between {
                State::Closed(DebateOutcome::Partial)
            } else {
                self.to_expert(round)
            };
        }
        let stuck = (check.and_then(|check| check.decisive).zip(self.measured)).is_some_and(
            |(now, before)| now.get() < before.get().saturating_add(settings.deadlock_rise.get()),
        );
        if round >= 2 && !between && stuck {
            return self.to_expert(round);
        }
        following(round, taken.ask)
    }

    /// Continues after a failed turn.
    fn missed(&mut self, taken: &AcceptedAnswer, failure: Failure, run: &mut Run) {
        let Some(side) = taken.ask.side(self.drafter) else {
            return self.expert(taken, Err(failure), run);
        };
        self.close_round(taken, RoundChecks::default(), &[side], run);
        self.state = if taken.ask == Ask::Propose {
            State::Closed(DebateOutcome::Failed)
        } else {
            self.after_silence(taken, &[side], run)
        };
    }

    /// Who was silent is asked for the same again: the other side has nothing new to answer.
    fn after_silence(&self, taken: &AcceptedAnswer, silent: &[Side], run: &Run) -> State {
        let round = taken.round;
        let misses = |side: &Side| run.seats().named(side.seat()).map_or(0, Attendance::misses);
        let twice = silent.iter().any(|side| misses(side) > 1);
        let last = round >= self.input.settings.debating_rounds();
        // Without a position from both sides there was no debate, so there is nothing to rule on.
        let mute = last && Side::ALL.iter().any(|side| !self.held.contains_key(side));
        if twice || mute {
            State::Closed(DebateOutcome::Failed)
        } else if last {
            self.to_expert(round)
        } else if matches!(taken.ask, Ask::Stances(_)) {
            following(round, taken.ask)
        } else {
            State::Open(round + 1, taken.ask)
        }
    }

    fn to_expert(&self, round: u32) -> State {
        let settings = &self.input.settings;
        if self.input.seats.contains_key(EXPERT) && settings.max_rounds > settings.debating_rounds()
        {
            State::Open(round + 1, Ask::Expert)
        } else {
            State::Closed(DebateOutcome::Deadlocked)
        }
    }

    /// Records the ruling or its failure: an expert that failed has approved of nothing.
    fn expert(
        &mut self,
        taken: &AcceptedAnswer,
        result: Result<Judgement, Failure>,
        run: &mut Run,
    ) {
        let (round, seated) = (taken.round, &taken.seated);
        if of_a_participant(run, &seated.vendor) {
            let message = format!(
                "the expert is from {}, like a participant: it is not a third voice",
                seated.vendor
            );
            run.warn(&Note::new("expert_of_a_participant", message), Some(&taken.turn));
        }
        let message = match &result {
            Ok(judgement) => {
                format!("round {round}: the expert ruled on {} open points", judgement.points.len())
            }
            Err(failure) => format!("round {round}: the expert failed: {}", failure.message),
        };
        let data = json!({ "round": round, "ruled": result.is_ok() });
        run.close_round(round, Some(&taken.turn), message, data);
        self.state = State::Closed(match &result {
            Ok(_) => DebateOutcome::Expert,
            Err(_) => DebateOutcome::Deadlocked,
        });
        self.ruled = Some(RulingResult { seated: seated.clone(), result });
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
        Stage::new("propose", "proposal", "proposes"),
        Stage::new("position", "positions", "states its position"),
        Stage::new("stances", "stances", "takes stances"),
        Stage::new("review", "review", "reviews the proposal"),
        Stage::new("rebuttal", "rebuttal", "answers the other position"),
        Stage::new("compromise", "joint position", "drafts a joint position"),
        Stage::new("answer", "answer", "answers the draft"),
        Stage::new("expert", "ruling", "rules"),
    ];

    fn next(&self, run: &Run) -> Step<Outcome, Query<Purpose>> {
        let (round, ask) = match self.state {
            State::Closed(ended) => return Step::Done(self.outcome(Ended::Closed(ended), run)),
            State::BlindPositions => return self.both(1, Ask::Position, run),
            State::BlindStances => return self.both(2, Ask::Stances, run),
            State::Open(round, ask) => (round, ask),
        };
        let opens = self.puts.last().is_none_or(|put| put.round != round);
        let turns = vec![self.query(round, ask, run)];
        Step::Ask { opens_round: opens.then_some(round), turns }
    }

    fn read(
        &self,
        asked: &Purpose,
        reply: &RawReply,
        chance: Chance,
    ) -> Result<Reply<Content>, Defect> {
        let terms = ReplyRules { shown: &asked.shown, chance };
        reply::parse(asked.ask, &asked.ids, reply, terms)
    }

    fn data(&self, asked: &Purpose, turn: &Turn, _: &Run) -> Value {
        json!({ "dialogue": {
            "ask": asked.ask.word(), "round": asked.round, "brief": self.input.brief,
            "shown": self.draft(asked.ask, &turn.id).shown,
        } })
    }

    fn gist(&self, _: &Purpose, said: &Content) -> Vec<String> {
        match said {
            Content::Position(position) => position.gist(),
            Content::Both(stances, position) => {
                stances.gist().into_iter().chain(position.gist()).collect()
            }
            Content::Stances(stances) => stances.gist(),
            Content::Judgement(judgement) => vec![judgement.position.clone()],
        }
    }

    fn quoted(&self, said: &Content) -> Option<String> {
        Some(json!(said).to_string())
    }

    fn apply(&mut self, answers: Answers<Self>, run: &mut Run) {
        let mut all = Vec::with_capacity(answers.len());
        for (Purpose { round, ask, .. }, answer) in answers {
            let Answer { turn, respondent: seated, result, .. } = answer;
            let taken = AcceptedAnswer { turn, round, ask, seated };
            if result.is_ok() {
                self.say_one_vendor(&taken, run);
            }
            all.push((taken, result));
        }
        match self.state {
            State::BlindPositions => self.positioned(all, run),
            State::BlindStances => self.exchanged(all, run),
            State::Open(..) | State::Closed(_) => {
                for (taken, result) in all {
                    match result {
                        Ok(said) => self.heard(&taken, said, run),
                        Err(failure) => self.missed(&taken, failure, run),
                    }
                }
            }
        }
    }

    fn stop(&self, why: Stop, part: &[(Purpose, Answer<Content>)], run: &Run) -> Outcome {
        self.with_part(part).outcome(why.into(), run)
    }
}

/// Returns the first state of the round after this one, which ended with such a turn.
const fn following(round: u32, ask: Ask) -> State {
    match ask {
        Ask::Position(_) => State::BlindStances,
        Ask::Review => State::Open(round + 1, Ask::Rebuttal),
        _ => State::Open(round + 1, Ask::Compromise),
    }
}

impl Machine {
    /// Warns once if both sides have come to be of one vendor.
    fn say_one_vendor(&self, taken: &AcceptedAnswer, run: &mut Run) {
        let vendor = &taken.seated.vendor;
        let side = taken.ask.side(self.drafter);
        let other = side.and_then(|side| run.seats().named(side.other().seat()));
        let both = other.is_some_and(|other| other.vendors().contains(&**vendor));
        if both && run.warnings().iter().all(|known| known.code != "same_vendor") {
            run.warn(&same_vendor(vendor), Some(&taken.turn));
        }
    }
}

fn same_vendor(vendor: &str) -> Note {
    let message =
        format!("both participants are from {vendor}: their agreement is that of one vendor");
    Note::new("same_vendor", message)
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
