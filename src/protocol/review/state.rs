//! The state of a review: reviews, groups, rounds, decisions. The machine advances it; the outcome follows from it.

use super::compose::{self, Decision};
use super::machine::Ask;
use super::model::{
    AuthoredFinding, Finding, Group, Judgement, Location, ReviewBlock, ScoreBreakdown,
    SeatJudgement, Stance, ValidationRecord,
};
use super::prompt::asked_for;
use super::reply::Statement;
use super::reviewers::Reviewers;
use super::{Compose, Input, group, repeats, score, shown, status};
use crate::change::{Batch, Change};
use crate::kernel::{Answer, Run};
use crate::ordered::{BTreeMap, BTreeSet, Gather};
use crate::protocol::council::{QUORUM, RoundRecord};

/// The round of the first cross-examination. What a judge asks for in a later one is not shown any more.
const FIRST_CROSSING: u32 = 2;

/// The winner's selection, with the votes on it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Composition {
    /// The composer's seat; `None` for the deterministic merge.
    pub(super) seat: Option<usize>,
    /// One decision per group that is not out by rule.
    pub(super) decisions: Vec<Decision>,
    /// The votes on them; empty for the deterministic merge.
    pub(super) tallies: Vec<ValidationRecord>,
    /// Risks that the composer names in addition.
    pub(super) residual_risks: Vec<String>,
    /// Questions that the composer names in addition.
    pub(super) open_questions: Vec<String>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct State {
    pub(super) input: Input,
    pub(super) reviewers: Reviewers,
    /// Answered reviews by seat and batch.
    pub(super) reviews: BTreeMap<(usize, usize), ReviewBlock>,
    /// All groups, including those set aside: their ids must not be assigned again.
    pub(super) groups: Vec<Group>,
    pub(super) aside: BTreeSet<String>,
    /// Seats with findings that could not be read.
    pub(super) lossy: BTreeSet<usize>,
    pub(super) rounds: Vec<RoundRecord>,
    /// How many seats answered everything in the last round.
    present: usize,
    /// The latest confidence, 0 before the first round is over.
    pub(super) confidence: u32,
    /// By seat; only seats that had answered everything by then.
    pub(super) scores: BTreeMap<usize, ScoreBreakdown>,
    /// The scored seats, the winner first.
    pub(super) ranking: Vec<usize>,
    pub(super) composition: Option<Composition>,
}

impl State {
    pub(super) fn new(input: Input) -> Self {
        Self {
            reviewers: Reviewers::new(input.seats.len()),
            input,
            reviews: BTreeMap::new(),
            groups: Vec::new(),
            aside: BTreeSet::new(),
            lossy: BTreeSet::new(),
            rounds: Vec::new(),
            present: 0,
            confidence: 0,
            scores: BTreeMap::new(),
            ranking: Vec::new(),
            composition: None,
        }
    }

    /// Records which seat reviewed what, and which seats' findings could not all be read.
    pub(super) fn attend(&mut self, answers: &[(Ask, Answer<Statement>)]) {
        for (ask, answer) in answers {
            let turn = (ask.seat, ask.role, ask.batch);
            self.reviewers.attend(turn, &answer.respondent, answer.result.is_err());
            if answer.result.as_ref().is_ok_and(|statement| statement.left_out > 0) {
                self.lossy.insert(ask.seat);
            }
        }
    }

    /// Returns the groups that count: all that are not known.
    pub(super) fn visible(&self) -> impl Iterator<Item = &Group> {
        let aside = &self.aside;
        self.groups.iter().filter(|group| !aside.contains(&group.id))
    }

    pub(super) fn counted(&self) -> Vec<Group> {
        self.visible().cloned().collect()
    }

    /// Returns the seats' names in the result.
    pub(super) fn names(&self) -> Vec<String> {
        self.reviewers.names(&self.input.seats)
    }

    /// Whether enough seats reviewed a batch.
    pub(super) fn quorum(&self, batch: usize) -> bool {
        self.reviewers.of(batch) >= QUORUM
    }

    /// Returns the highest number of seats that reviewed the same batch; below two, no seat's findings could be
    /// judged by another.
    pub(super) fn met(&self) -> usize {
        let batches = 0..self.input.change.batches.len();
        batches.map(|batch| self.reviewers.of(batch)).max().unwrap_or(0)
    }

    /// Whether fewer than two agents reviewed the same batch: nothing can be confirmed.
    pub(super) fn degraded(&self) -> bool {
        self.met() < QUORUM
    }

    /// Returns the batch in which a group's code is shown.
    pub(super) fn home(&self, group: &Group) -> usize {
        let Some(first) = group.members.first() else {
            return 0;
        };
        home(&self.input.change, first).unwrap_or(first.batch)
    }

    /// Returns the groups that a seat can be asked to judge in a batch: written by others, and not ruled out by the
    /// program.
    pub(super) fn to_judge(&self, seat: usize, batch: usize, all: bool) -> Vec<&Group> {
        if !self.quorum(batch) || !self.reviewers.reviewed(seat, batch) {
            return Vec::new();
        }
        self.visible()
            .filter(|group| group.location() != Location::Outside)
            .filter(|group| self.home(group) == batch)
            .filter(|group| {
                if all {
                    return !group.authors().contains(&seat);
                }
                status::is_asked_again(group, seat) || self.shows_more(seat, group)
            })
            .collect()
    }

    /// Whether a seat that could not judge an open group is shown the lines that it asked for.
    fn shows_more(&self, seat: usize, group: &Group) -> bool {
        let asked = group.judged.get(&seat).filter(|judged| judged.round == FIRST_CROSSING);
        let lines = asked.and_then(|judged| judged.lines.as_deref());
        status::is_open(group)
            && lines.is_some_and(|lines| !asked_for(&self.input.change, lines).is_empty())
    }

    /// Returns the groups that stand beside those that a seat judges, of which it sees the titles.
    pub(super) fn others(&self, judged: &[&Group]) -> Vec<&Group> {
        self.visible()
            .filter(|group| group.location() != Location::Outside)
            .filter(|group| judged.iter().all(|other| other.id != group.id))
            .collect()
    }

    /// Returns the groups that a composer is asked about: not out by rule, not shown with another, and reviewed by two
    /// seats or more.
    pub(super) fn to_decide(&self) -> Vec<&Group> {
        let repeats = repeats::repeats(&self.counted());
        self.visible()
            .filter(|group| !status::is_out(group) && self.quorum(self.home(group)))
            .filter(|group| !repeats.contains_key(&group.id))
            .collect()
    }

    /// Whether a winner composes the result: by setting, always, never, or where a vote can settle what is contested.
    pub(super) fn is_composed(&self) -> bool {
        let groups = self.to_decide();
        let seats = (0..self.input.seats.len()).filter(|seat| Some(seat) != self.ranking.first());
        match self.input.settings.compose {
            Compose::Always => !groups.is_empty(),
            Compose::Never => false,
            Compose::Auto => groups.iter().any(|group| {
                let mut voters = seats.clone().filter(|seat| self.may_vote_on(*seat, group));
                voters.any(|seat| status::awaits_vote(group, seat))
            }),
        }
    }

    /// Whether a seat can be asked to vote on a group: it saw the code, and did not write it.
    fn may_vote_on(&self, seat: usize, group: &Group) -> bool {
        !group.authors().contains(&seat) && self.reviewers.reviewed(seat, self.home(group))
    }

    /// Whether a decision is voted on: not if the rules made it, and unless every result is composed, only if it changes
    /// something.
    pub(super) fn needs_votes(&self, decision: &Decision) -> bool {
        let is_full = self.input.settings.compose == Compose::Always;
        !decision.is_by_rule() && (is_full || decision.changes())
    }

    /// Whether a seat can be asked to vote on a decision: it saw the code, and wrote none of the groups concerned.
    pub(super) fn may_vote(&self, seat: usize, decision: &Decision) -> bool {
        let about = [Some(&decision.id), decision.into.as_ref()];
        about.into_iter().flatten().all(|id| {
            let group = self.groups.iter().find(|group| group.id == *id);
            group.is_some_and(|group| self.may_vote_on(seat, group))
        })
    }

    /// Returns the findings of an answer, placed in the change.
    pub(super) fn raised(
        &self,
        ask: &Ask,
        vendor: &str,
        round: u32,
        findings: &[Finding],
    ) -> Vec<AuthoredFinding> {
        let placed = findings.iter().map(|finding| AuthoredFinding {
            seat: ask.seat,
            vendor: vendor.to_owned(),
            batch: ask.batch,
            round,
            placed: shown::place(&self.input.change, finding),
        });
        placed.collect()
    }

    /// Groups the findings of the independent reviews.
    pub(super) fn cluster(&mut self, raised: Vec<AuthoredFinding>) {
        self.groups = group::cluster(raised, &self.input.change);
        self.set_aside(0);
    }

    /// Adds the findings that a round reports as missed.
    pub(super) fn join(&mut self, raised: Vec<AuthoredFinding>) {
        let before = self.groups.len();
        group::join(&mut self.groups, raised, &self.input.change);
        self.set_aside(before);
    }

    /// Sets aside the known groups from index `from` on.
    fn set_aside(&mut self, from: usize) {
        let known = &self.input.known;
        let new = self.groups.iter().skip(from);
        let known = new.filter(|group| {
            (known.get(&group.fingerprint)).is_some_and(|known| known.covers(group.highest()))
        });
        self.aside.extend(known.map(|group| group.id.clone()));
    }

    /// Counts the judgements of an answer. Returns whether one differs from the seat's previous one on that group.
    pub(super) fn judge(
        &mut self,
        ask: &Ask,
        vendor: &str,
        round: u32,
        judgements: Vec<Judgement>,
    ) -> bool {
        let (change, mut moved) = (&self.input.change, false);
        for judgement in judgements {
            let Some(group) = self.groups.iter_mut().find(|group| group.id == judgement.id) else {
                continue;
            };
            let evidence = judgement.evidence.and_then(|text| shown::evidence(change, &text));
            let stance = match judgement.stance {
                _ if evidence.is_none() => Stance::Unsure,
                stance => stance,
            };
            let judged = SeatJudgement {
                vendor: vendor.to_owned(),
                round,
                stance,
                said: judgement.stance,
                reason: judgement.reason,
                evidence,
                only: judgement.only,
                severity: judgement.severity,
                same_as: judgement.same_as,
                lines: judgement.lines,
            };
            let is_author = group.authors().contains(&ask.seat);
            let said = if is_author { &mut group.rebuttals } else { &mut group.judged };
            let before = said.insert(ask.seat, judged);
            moved |= before.is_none_or(|before| before.stance != stance);
        }
        moved
    }

    /// Records the confidence after a round. `round` counts cross-examinations from 1; 0 means the reviews.
    pub(super) fn close_round(&mut self, round: u32, turns: &[(usize, bool)], run: &mut Run) {
        let failed: BTreeSet<usize> =
            turns.iter().filter(|(_, answered)| !answered).map(|(seat, _)| *seat).gather();
        let seats = self.input.seats.len();
        let batches = self.input.change.batches.len();
        self.present = (0..seats)
            .filter(|seat| (0..batches).all(|batch| self.reviewers.reviewed(*seat, batch)))
            .filter(|seat| !failed.contains(seat))
            .count();
        let answered = turns.iter().filter(|(_, answered)| *answered).count();
        let record = self.record(round, (answered, turns.len()));
        record.tell("finding", None, run);
        self.rounds.push(record);
    }

    /// Returns the record of a round as the groups stand now, whose confidence is the latest one.
    pub(super) fn record(&mut self, round: u32, turns: (usize, usize)) -> RoundRecord {
        // Groups outside the change are out by rule: no seat is asked about them.
        let groups = self.visible().filter(|group| group.location() != Location::Outside);
        let groups: Vec<_> =
            groups.map(|group| (group.severity().weight(), status::is_settled(group))).collect();
        let seats = (self.present, self.input.seats.len());
        let record = RoundRecord::new(round, &groups, seats, turns, self.degraded());
        self.confidence = record.confidence;
        record
    }

    /// Scores and ranks the seats that have answered everything so far.
    pub(super) fn score(&mut self) {
        let groups = self.counted();
        let seats = (0..self.input.seats.len()).filter(|seat| self.reviewers.complete(*seat));
        let scores: Vec<(usize, ScoreBreakdown)> = seats
            .map(|seat| {
                let own = self.reviews.iter().filter(|((by, _), _)| *by == seat);
                let said: Vec<&ReviewBlock> = own.map(|(_, said)| said).collect();
                (seat, score::score(seat, &groups, &said))
            })
            .collect();
        self.ranking = score::ranking(&scores, &groups);
        self.scores = scores.into_iter().gather();
    }

    /// Returns the composition by rule, without a composer: every group that is not out is kept.
    pub(super) fn by_rule(&self) -> Composition {
        Composition { decisions: compose::by_rule(&self.counted()), ..Composition::default() }
    }
}

/// Returns the batch in which a finding was raised if it shows the finding's file, otherwise the first that shows any
/// part of it.
fn home(change: &Change, raised: &AuthoredFinding) -> Option<usize> {
    let file = &raised.placed.finding.file;
    let at = change.files.iter().position(|one| one.path == *file)?;
    let shows = |batch: &Batch| batch.parts.iter().any(|part| part.file == at);
    let own = Some(raised.batch).filter(|own| change.batches.get(*own).is_some_and(shows));
    own.or_else(|| change.batches.iter().position(shows))
}
