//! Counting rules: letters, votes and their changes, the choice of a judge, the worth of a ruling.

use std::collections::{BTreeMap, BTreeSet};

use super::super::input::Judge;
use super::super::letters::{letter, place_of};
use super::super::model::{Ballot, Content, CountedVote, PanelAnswer};
use super::super::moved::names_something;
use super::super::tally::VENDORS;
use super::{Machine, Purpose, State};
use crate::kernel::shuffle::shuffle;
use crate::kernel::{Answer, Answers, Run, seat_name};
use crate::protocol::debate::ballot::VoteBlock;
use crate::protocol::debate::{DebateOutcome, Judgement};
use crate::text::Note;

impl Machine {
    /// Orders the answers received by lot, which gives them their letters: no letter reveals a seat.
    pub(super) fn take_answers(&mut self, answers: &[(Purpose, Answer<Content>)]) {
        for (asked, answer) in answers {
            if let (Purpose::Answer(seat), Ok(Content::Answer(said))) = (asked, &answer.result) {
                let given = PanelAnswer { seat: *seat, by: by(answer), said: said.clone() };
                self.answers.push(given);
            }
        }
        shuffle(&mut self.answers, self.input.seed, "r1/answer");
    }

    pub(super) fn after_answers(&self) -> State {
        let enough = self.answers.len() * 2 > self.seats.len();
        if !enough || self.vendors() < self.vendors_wanted() {
            return State::Closed(DebateOutcome::Failed);
        }
        if self.takes_one_option() {
            return State::Closed(DebateOutcome::Settled);
        }
        State::Vote
    }

    /// Returns the option that an answer takes by name, by its place; `None` if it takes none of them.
    pub(in super::super) fn taken(&self, answer: usize) -> Option<usize> {
        let taken = self.answers.get(answer)?.said.option.as_ref()?;
        let options = self.options();
        let at = options.iter().position(|option| option == taken)?;
        (at < self.input.brief.options.len()).then_some(at)
    }

    /// Returns groups of two or more answers that take the same option.
    pub(in super::super) fn one_option(&self) -> Vec<Vec<usize>> {
        let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for answer in 0..self.answers.len() {
            if let Some(option) = self.taken(answer) {
                groups.entry(option).or_default().push(answer);
            }
        }
        groups.into_values().filter(|group| group.len() > 1).collect()
    }

    fn takes_one_option(&self) -> bool {
        let first = self.taken(0);
        first.is_some() && (1..self.answers.len()).all(|answer| self.taken(answer) == first)
    }

    /// Returns the number of vendors that answered last: in the last ballot, or before the first.
    pub(in super::super) fn vendors(&self) -> usize {
        let answers = || {
            let vendors = self.answers.iter().map(|given| &given.by.1);
            vendors.collect::<BTreeSet<_>>().len()
        };
        let last = self.ballots.last();
        last.map_or_else(answers, |ballot| ballot.tally.vendors)
    }

    pub(in super::super) fn answer_by(&self, seat: usize) -> Option<usize> {
        self.answers.iter().position(|given| given.seat == seat)
    }

    /// Returns the number of vendors that an agreement needs: two, unless all seats are of one from the start.
    fn vendors_wanted(&self) -> usize {
        let seated: BTreeSet<&String> = self.seats.iter().map(|seat| &seat.vendor).collect();
        seated.len().min(VENDORS)
    }

    pub(super) fn after_ballot(&self) -> State {
        let Some(ballot) = self.ballots.last() else {
            return State::Closed(DebateOutcome::Failed);
        };
        let (seats, wanted) = (self.seats.len(), self.vendors_wanted());
        if !ballot.tally.quorum(seats, wanted) {
            return State::Closed(DebateOutcome::Failed);
        }
        let crossed = u32::try_from(self.ballots.len() - 1).unwrap_or(u32::MAX);
        let most = self.input.settings.max_rounds;
        // Until the seats have seen each other's reasons, if they are to see them at all, only a unanimous vote
        // settles it.
        let won = match crossed {
            0 if most > 0 => ballot.tally.unanimous(wanted),
            _ => ballot.tally.majority(seats, wanted),
        };
        let round = ballot.round + 1;
        match (won, &self.judge) {
            (Some(_), _) => State::Closed(DebateOutcome::Settled),
            (None, _) if crossed < most => State::Cross(round),
            (None, Judge::Nobody) => State::Closed(DebateOutcome::Split),
            // A seat of the one vendor is no judge of what its vendor disagrees on.
            (None, Judge::Seat) if wanted < VENDORS => State::Closed(DebateOutcome::Split),
            (None, Judge::Named(_) | Judge::Seat) => State::Own(round),
        }
    }

    /// Returns a seat's latest vote, from whichever ballot.
    pub(in super::super) fn vote_of(&self, seat: usize) -> Option<&CountedVote> {
        let mut latest = self.ballots.iter().rev();
        latest.find_map(|ballot| ballot.votes.get(&seat))
    }

    /// Returns a seat's vote in the last ballot if it was for the one choice that leads: a cross round does not ask that
    /// seat again.
    pub(super) fn standing(&self, seat: usize) -> Option<&CountedVote> {
        let last = self.ballots.last()?;
        let leads = last.tally.leads()?;
        last.votes.get(&seat).filter(|vote| last.choices.of(vote.answer) == leads)
    }

    pub(super) fn take_votes(&mut self, round: u32, answers: Answers<Self>, run: &mut Run) {
        let standing = (0..self.seats.len()).filter_map(|seat| {
            Some((seat, CountedVote { stands: true, ..self.standing(seat)?.clone() }))
        });
        let mut votes: BTreeMap<usize, CountedVote> = standing.collect();
        for (asked, answer) in answers {
            let by = by(&answer);
            if let (Purpose::Vote(seat) | Purpose::Cross(seat), Ok(Content::Vote(said))) =
                (asked, answer.result)
            {
                let (vote, notes) = self.counted(seat, by, said);
                for note in &notes {
                    run.warn(note, Some(&answer.turn));
                }
                votes.extend(vote.map(|vote| (seat, vote)));
            }
        }
        let one = self.one_option();
        self.ballots.push(Ballot::new(round, votes, self.answers.len(), &one));
    }

    /// Returns the vote that counts, given the seat's previous vote, with notes on what differs.
    fn counted(
        &self,
        seat: usize,
        by: (String, String),
        said: VoteBlock,
    ) -> (Option<CountedVote>, Vec<Note>) {
        let Some(answer) = place_of(&said.choice).filter(|at| *at < self.answers.len()) else {
            return (None, Vec::new());
        };
        let groups = said.same_as.iter().map(|group| {
            let known = group.iter().filter_map(|letter| place_of(letter));
            known.collect()
        });
        let mut vote = CountedVote {
            by,
            answer,
            same_as: groups.collect(),
            reason: said.reason,
            moved_by: None,
            wanted: None,
            stands: false,
        };
        let mut notes = Vec::new();
        let (Some(before), Some(last)) = (self.vote_of(seat), self.ballots.last()) else {
            if said.changed == Some(true) {
                let message = "the seat says that it changed its vote, but this is its first";
                notes.push(Note::new("changed_contradicts", message));
            }
            return (Some(vote), notes);
        };
        let moved = last.choices.of(before.answer) != last.choices.of(answer);
        if said.changed.is_some_and(|changed| changed != moved) {
            let (is, says) = if moved {
                ("a different choice than before", "no change")
            } else {
                ("the choice that it voted for before", "a change")
            };
            let message =
                format!("the vote is for {is} but says that it is {says}: the choice counts");
            notes.push(Note::new("changed_contradicts", message));
        }
        if !moved {
            return (Some(vote), notes);
        }
        let moved_by = said.moved_by.filter(|text| self.is_named(seat, text));
        if moved_by.is_some() {
            vote.moved_by = moved_by;
            return (Some(vote), notes);
        }
        let message = format!(
            "the change from {} to {} names no evidence that moved it and is not counted",
            letter(before.answer),
            letter(answer)
        );
        notes.push(Note::new("change_not_counted", message));
        let wanted = Some((answer, vote.reason));
        let kept = CountedVote { moved_by: None, wanted, stands: false, ..before.clone() };
        (Some(kept), notes)
    }

    fn is_named(&self, seat: usize, text: &str) -> bool {
        let said = self.answers.iter().map(|given| &given.said).flat_map(|said| {
            let lists = said.reasons.iter().chain(&said.evidence);
            lists.chain([&said.answer]).chain(&said.with).chain(&said.option)
        });
        let others = (0..self.seats.len()).filter(|other| *other != seat);
        let reasons = others.filter_map(|other| Some(&self.vote_of(other)?.reason));
        let shown = said.chain(reasons).chain([&self.stable]);
        let shown: Vec<&str> = shown.map(String::as_str).collect();
        names_something(text, self.answers.len(), &shown)
    }

    /// Chooses the seat that judges if no other judge is available, and warns if the judge's vendor has a stake in
    /// the question.
    pub(super) fn seat_judge(&mut self, round: u32, run: &mut Run) {
        let vendor = match &self.judge {
            Judge::Nobody => None,
            Judge::Named(judge) => {
                let mut seats = self.seats.iter();
                seats
                    .find(|seat| seat.vendor == judge.vendor)
                    .map(|_| format!("the judge is from {}, which also has a seat", judge.vendor))
            }
            Judge::Seat => {
                let Some(seat) = self.least_vendors_seat() else {
                    return;
                };
                self.bench.seat = Some(seat);
                let seated = &self.seats[seat];
                Some(format!(
                    "there is no judge from another vendor, so seat {} ({}) judges: its vendor, {}, has the fewest votes in play",
                    seat_name(seat),
                    seated.agent,
                    seated.vendor
                ))
            }
        };
        if let Some(message) = vendor {
            run.warn(&Note::new("judge_of_panel", message), Some(&Purpose::Own.id(round)));
        }
    }

    /// Returns the seat whose vendor cast the fewest votes in the last ballot; in a tie the later one. A seat that
    /// did not vote is not asked to judge.
    fn least_vendors_seat(&self) -> Option<usize> {
        let votes = &self.ballots.last()?.votes;
        let mut cast: BTreeMap<&str, usize> = BTreeMap::new();
        for vote in votes.values() {
            *cast.entry(&vote.by.1).or_default() += 1;
        }
        let of = |vendor: &str| cast.get(vendor).copied().unwrap_or_default();
        let least = votes.iter().rev().min_by_key(|(_, vote)| of(&vote.by.1));
        least.map(|(seat, _)| *seat)
    }

    pub(super) fn take_judge(&mut self, answers: Answers<Self>) {
        for (asked, answer) in answers {
            let by = by(&answer);
            match (asked, answer.result) {
                (_, Ok(Content::Answer(said))) => self.bench.own = Some((by, said)),
                (Purpose::Ruling { reversed }, Ok(Content::Ruling(said))) => {
                    self.ruled(reversed, &by, said);
                }
                (_, Ok(_)) => {}
                (_, Err(failure)) => {
                    self.bench.failure.get_or_insert(failure.to_string());
                }
            }
        }
    }

    /// Records one of the two rulings. Only the agent that committed itself to an answer can give one.
    fn ruled(&mut self, reversed: bool, by: &(String, String), said: Judgement) {
        let committed = self.bench.own.as_ref().map(|(who, _)| who);
        if committed == Some(by) {
            self.bench.rulings[usize::from(reversed)] = Some(said);
        } else {
            let why = format!(
                "{} ruled in one of the orders, but was not the one that had committed to an answer",
                by.0
            );
            self.bench.failure.get_or_insert(why);
        }
    }

    /// Returns the rulings received, that of the first order first.
    pub(in super::super) fn rulings(&self) -> impl Iterator<Item = &Judgement> {
        self.bench.rulings.iter().flatten()
    }

    /// Returns the outcome of the two rulings. A judge that failed once has not judged.
    pub(super) fn judged(&self) -> DebateOutcome {
        match &self.bench.rulings {
            [Some(first), Some(second)] if first.position == second.position => {
                DebateOutcome::Judged
            }
            [Some(_), Some(_)] => DebateOutcome::Unstable,
            [_, _] => DebateOutcome::Split,
        }
    }
}

/// Returns the agent that answered, and its vendor.
fn by(answer: &Answer<Content>) -> (String, String) {
    (answer.respondent.agent.clone(), answer.respondent.vendor.clone())
}
