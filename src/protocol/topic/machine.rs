//! The rules of a dialogue: which turn comes next, how an answer changes the state, and when the dialogue ends.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::contract::Ask;
use super::input::{self, Input, InputError};
use super::prompt;
use super::reply::{self, Content};
use super::table::{GivenStances, Kind, OwnPosition, ProposedPosition, Side, of_a_participant};
use crate::contract::ReplyRules;
use crate::kernel::share::Share;
use crate::kernel::{
    Answer, Answers, Chance, Defect, Driver, Failure, Protocol, Query, RawReply, Reply, Respondent,
    Run, Step, Stop, Turn, TurnId,
};
use crate::protocol::debate::consensus::{self, Basis, COVERED, Check, Comparison};
use crate::protocol::debate::outcome::RoundRecord;
use crate::protocol::debate::prompt::{StablePrefix, stable};
use crate::protocol::debate::{DebateOutcome, Judgement, Outcome, Position, Stances};
use crate::text::Note;
use crate::text::block::BlockLimits;

mod asking;
mod rounds;

/// The round, ask and shown points of a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Purpose {
    /// The round, from 1.
    pub round: u32,
    /// The kind of answer requested.
    pub ask: Ask,
    /// Ids of the points that the answer is about.
    pub shown: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// The round in progress and the turn asked in it.
    Open(u32, Ask),
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

/// The state machine of a dialogue.
#[derive(Debug, Clone)]
pub(crate) struct Machine {
    pub(super) input: Input,
    stable: StablePrefix,
    state: State,
    /// Each side's last position.
    pub(super) held: BTreeMap<Side, OwnPosition>,
    /// Positions put to the other side, in order; the last one is current.
    pub(super) puts: Vec<ProposedPosition>,
    pub(super) ruled: Option<RulingResult>,
    pub(super) rounds: Vec<RoundRecord>,
    /// The person's remark before the current round.
    remark: Option<String>,
    /// The last consensus measured, whatever its value.
    measured: Option<Share>,
}

impl Machine {
    /// Opens a dialogue, before its first turn.
    ///
    /// # Errors
    /// The input does not allow a dialogue: see [`InputError`].
    pub(crate) fn open(input: Input) -> Result<Driver<Self>, InputError> {
        input::check(&input)?;
        let stable = stable(&input.brief, prompt::HOW, &input.boundary);
        let mut notes = stable.notes.clone();
        if input.proposer.vendor == input.reviewer.vendor {
            notes.push(same_vendor(&input.proposer.vendor));
        }
        if input.settings.consensus == Basis::Text {
            let message = "the similarity of the texts decides (`--consensus text`): it cannot tell agreement from similar words";
            notes.push(Note::new("decided_by_text", message));
        }
        let sides = [(Side::Proposer, &input.proposer), (Side::Reviewer, &input.reviewer)];
        let sides = sides.map(|(side, seated)| (side.seat().to_owned(), seated.clone()));
        let expert = input.expert.clone().map(|seated| (Ask::Expert.role().to_owned(), seated));
        let run = Run::new(sides.into_iter().chain(expert));
        let boundary = input.boundary.clone();
        let machine = Self {
            input,
            stable,
            state: State::Open(1, Ask::Propose),
            held: BTreeMap::new(),
            puts: Vec::new(),
            ruled: None,
            rounds: Vec::new(),
            remark: None,
            measured: None,
        };
        Ok(Driver::new(machine, run, &notes, &boundary))
    }

    fn heard(&mut self, taken: &AcceptedAnswer, said: Content, run: &mut Run) {
        match said {
            Content::Remark(remark) => {
                self.remark = remark;
                self.state = State::Open(taken.round, first(taken.round));
            }
            Content::Position(position) => self.put(taken, position),
            Content::Both(stances, position) => {
                if let Some(side) = Side::of(taken.ask) {
                    self.set_position(side, position, taken);
                }
                self.judged(taken, stances, run);
            }
            Content::Stances(stances) => self.judged(taken, stances, run),
            Content::Judgement(judgement) => self.expert(taken, Ok(judgement), run),
        }
    }

    /// Puts a position to the other side. A joint draft belongs to neither side, so both sides' own positions are
    /// kept beside it.
    fn put(&mut self, taken: &AcceptedAnswer, position: Position) {
        let round = taken.round;
        let (put, next) = match taken.ask {
            Ask::Propose => {
                self.set_position(Side::Proposer, position.clone(), taken);
                (ProposedPosition::new(Kind::Proposal, position, round), Ask::Review)
            }
            Ask::Alternative => {
                self.set_position(Side::Reviewer, position.clone(), taken);
                (ProposedPosition::new(Kind::Alternative, position, round), Ask::Rebuttal)
            }
            Ask::Compromise
            | Ask::Remark
            | Ask::Review
            | Ask::Rebuttal
            | Ask::Answer
            | Ask::Expert => {
                let put = match self.puts.last() {
                    Some(last) => ProposedPosition::over(last, position, round),
                    None => ProposedPosition::new(Kind::Joint, position, round),
                };
                (put, Ask::Answer)
            }
        };
        self.puts.push(put);
        self.state = State::Open(round, next);
    }

    fn set_position(&mut self, side: Side, position: Position, taken: &AcceptedAnswer) {
        let held = OwnPosition { position, round: taken.round, seated: taken.seated.clone() };
        self.held.insert(side, held);
    }

    /// Records the stances on the last position put, checks consensus, and sets the next state.
    fn judged(&mut self, taken: &AcceptedAnswer, stances: Stances, run: &mut Run) {
        let Some(put) = self.puts.last_mut() else {
            return;
        };
        put.judged = Some(GivenStances { stances, seated: taken.seated.clone() });
        let put = &*put;
        let reader = put.kind.author().other();
        let threshold = self.input.settings.consensus_threshold;
        let check = self.held.get(&reader).map(|own| {
            consensus::check(Comparison {
                position: &put.position,
                stances: &put.stances(),
                other: &own.position,
                same_answer: put.kind != Kind::Joint,
                basis: self.input.settings.consensus,
                threshold,
            })
        });
        self.close_round(taken, check.clone(), None, run);
        if let Some(conflict) = check.as_ref().and_then(|check| check.polarity_conflict) {
            let note = Note::new("polarity_conflict", conflict.sentence());
            run.warn(&note, Some(&taken.turn));
        }
        self.state = self.after(taken.round, check.as_ref());
        if let Some(decisive) = check.and_then(|check| check.decisive) {
            self.measured = Some(decisive);
        }
    }

    /// Returns the state after a round without a missing answer. `measured` is still that of the previous check.
    fn after(&self, round: u32, check: Option<&Check>) -> State {
        let settings = &self.input.settings;
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
        self.further(round)
    }

    /// Continues after a failed turn.
    fn missed(&mut self, taken: &AcceptedAnswer, failure: Failure, run: &mut Run) {
        let round = taken.round;
        let Some(side) = Side::of(taken.ask) else {
            if taken.ask == Ask::Expert {
                return self.expert(taken, Err(failure), run);
            }
            let message = format!("no remark was taken: {}", failure.message);
            run.warn(&Note::new("no_remark", message), Some(&taken.turn));
            self.state = State::Open(round, first(round));
            return;
        };
        self.close_round(taken, None, Some(side), run);
        let twice = run.seats().named(side.seat()).is_some_and(|seat| seat.misses() > 1);
        let last = round >= self.input.settings.debating_rounds();
        // Without a position from both sides there was no debate, so there is nothing to rule on.
        let mute = last && Side::ALL.iter().any(|side| !self.held.contains_key(side));
        self.state = if taken.ask == Ask::Propose || twice || mute {
            State::Closed(DebateOutcome::Failed)
        } else if last {
            self.to_expert(round)
        } else {
            self.further(round)
        };
    }

    fn further(&self, round: u32) -> State {
        let next = round + 1;
        let ask = if self.input.settings.pause { Ask::Remark } else { first(next) };
        State::Open(next, ask)
    }

    fn to_expert(&self, round: u32) -> State {
        // With `max_rounds` 1 no round is left for an expert.
        if self.input.expert.is_some() && self.input.settings.max_rounds > 1 {
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

impl Protocol for Machine {
    type Ask = Purpose;
    type Content = Content;
    type Outcome = Outcome;

    fn next(&self, run: &Run) -> Step<Outcome, Query<Purpose>> {
        let (round, ask) = match self.state {
            State::Closed(ended) => return Step::Done(self.outcome(ended, run)),
            State::Open(round, ask) => (round, ask),
        };
        let opens = match ask {
            Ask::Remark | Ask::Propose | Ask::Expert => true,
            // With `pause`, the remark has already opened the round.
            Ask::Alternative | Ask::Compromise => !self.input.settings.pause,
            Ask::Review | Ask::Rebuttal | Ask::Answer => false,
        };
        let turns = vec![self.query(round, ask, run)];
        Step::Ask { opens_round: opens.then_some(round), turns }
    }

    fn read(
        &self,
        asked: &Purpose,
        reply: &RawReply,
        chance: Chance,
    ) -> Result<Reply<Content>, Defect> {
        let terms = ReplyRules {
            shown: &asked.shown,
            chance,
            strict: self.input.settings.strict,
            limits: BlockLimits { block_bytes: self.input.settings.block_bytes },
        };
        reply::parse(asked.ask, reply, terms)
    }

    fn data(&self, asked: &Purpose, turn: &Turn, _: &Run) -> Value {
        json!({ "dialogue": {
            "ask": asked.ask.word(), "round": asked.round, "brief": self.input.brief,
            "shown": self.draft(asked.ask, &turn.id).shown,
        } })
    }

    fn quoted(&self, said: &Content) -> Option<String> {
        Some(match said {
            Content::Position(position) => json!(position).to_string(),
            Content::Both(stances, position) => json!([stances, position]).to_string(),
            Content::Stances(stances) => json!(stances).to_string(),
            Content::Judgement(judgement) => json!(judgement).to_string(),
            Content::Remark(remark) => remark.clone().unwrap_or_default(),
        })
    }

    fn apply(&mut self, answers: Answers<Self>, run: &mut Run) {
        for (Purpose { round, ask, .. }, Answer { turn, respondent: seated, result, .. }) in answers
        {
            let taken = AcceptedAnswer { turn, round, ask, seated };
            match result {
                Ok(said) => {
                    say_one_vendor(&taken, run);
                    self.heard(&taken, said, run);
                }
                Err(failure) => self.missed(&taken, failure, run),
            }
        }
    }

    fn stop(&self, why: Stop, _: &[(Purpose, Answer<Content>)], run: &Run) -> Outcome {
        self.outcome(why.into(), run)
    }
}

/// Returns the first turn of a debating round.
const fn first(round: u32) -> Ask {
    match round {
        0 | 1 => Ask::Propose,
        2 => Ask::Alternative,
        _ => Ask::Compromise,
    }
}

/// Warns once if both sides have come to be of one vendor.
fn say_one_vendor(taken: &AcceptedAnswer, run: &mut Run) {
    let vendor = &taken.seated.vendor;
    let other = Side::of(taken.ask).and_then(|side| run.seats().named(side.other().seat()));
    let both = other.is_some_and(|other| other.vendors().contains(&**vendor));
    if both && run.warnings().iter().all(|known| known.code != "same_vendor") {
        run.warn(&same_vendor(vendor), Some(&taken.turn));
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
