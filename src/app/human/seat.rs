//! The replies that a person in a seat is asked for, and their order.
//!
//! | after | reply of the person in the seat |
//! |---|---|
//! | questions before the first round (`--clarify`) | an answer to each, or none |
//! | the beginning of a round after the first, with pauses | a remark, or nothing |
//! | an argument of the other side | as listed in the table of [`legality`] |
//! | a resolution of the other side | stances |
//!
//! The other side's replies are not known in advance, so a position is a set of states: a file of arguments can be
//! checked before any agent is paid, and a line is refused only if no course of the debate would ask for it.

use std::collections::BTreeSet;

use crate::kernel::{round_of, task_of};
use crate::protocol::argument::legality::{self, Move};
use crate::protocol::clarify::FACTS_TASK;
use crate::protocol::debate::typed::{ArgumentType, Side};

/// A kind of reply that a person can give.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Word {
    /// A typed argument.
    Argument(ArgumentType),
    /// Stances on the other side's resolution.
    Stances,
    /// A remark between rounds.
    Remark,
    /// Answers to the questions before the first round.
    Facts,
}

impl Word {
    /// Returns the name for messages.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Argument(kind) => kind.name(),
            Self::Stances => "stances",
            Self::Remark => "remark",
            Self::Facts => FACTS_TASK,
        }
    }
}

/// Returns the kinds of reply that a turn requires, by its id: `r1/proposal`, `r2/reply`; empty for a turn that no
/// person has.
pub(crate) fn owed(turn: &str) -> Vec<Word> {
    use ArgumentType::{Challenge, Counter, Defense, Proposal, Resolution};
    // A person is only asked within rounds.
    if round_of(turn).is_none() {
        return Vec::new();
    }
    match task_of(turn) {
        "proposal" => vec![Word::Argument(Proposal)],
        "challenge" => vec![Word::Argument(Challenge)],
        "defense" => vec![Word::Argument(Defense)],
        "reply" => vec![Word::Argument(Counter), Word::Argument(Resolution)],
        "resolution" => vec![Word::Argument(Resolution)],
        "stances" => vec![Word::Stances],
        "remark" => vec![Word::Remark],
        FACTS_TASK => vec![Word::Facts],
        _ => Vec::new(),
    }
}

/// Lists kinds of reply for a message: `counter` or `resolution`.
pub(crate) fn named(words: &[Word]) -> String {
    let names: Vec<String> = (words.iter()).map(|word| format!("`{}`", word.name())).collect();
    names.join(" or ")
}

/// A person's part in a debate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seat {
    /// The side that the person argues for (`--as`); `None`: the person only remarks.
    pub side: Option<Side>,
    /// Whether a remark is asked for before each round after the first.
    pub pause: bool,
    /// Whether facts are asked for before the first round.
    pub facts: bool,
    /// Maximum rounds.
    pub rounds: u32,
}

impl Seat {
    /// The seat of a person who is asked for facts, and for nothing else.
    pub const fn of_facts() -> Self {
        Self { side: None, pause: false, facts: true, rounds: 0 }
    }

    /// Whether the person is asked for anything.
    pub const fn is_taken(self) -> bool {
        self.side.is_some() || self.pause || self.facts
    }
}

/// The position within a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum RoundPosition {
    /// The round is about to begin: time for a remark.
    Open,
    /// After an argument; `None` at the beginning of the round.
    After(Option<(ArgumentType, Side)>),
    /// After a resolution of this side.
    Resolved(Side),
}

/// The possible positions in a debate, given the person's replies so far.
#[derive(Debug, Clone)]
pub(crate) struct DebatePosition {
    seat: Seat,
    states: BTreeSet<(u32, RoundPosition)>,
}

impl DebatePosition {
    pub(crate) fn new(seat: Seat) -> Self {
        let mut course = Self { seat, states: BTreeSet::new() };
        course.reach(1, RoundPosition::Open);
        course
    }

    /// Returns the kinds of reply possible next; empty if no round is left.
    pub(crate) fn may(&self) -> Vec<Word> {
        let words: BTreeSet<Word> = (self.states.iter())
            .flat_map(|(round, at)| self.words_at(*round, *at))
            .map(|(word, _)| word)
            .collect();
        words.into_iter().collect()
    }

    /// Advances by one reply; returns `false` and changes nothing if it is not possible.
    pub(crate) fn take(&mut self, word: Word) -> bool {
        let next: Vec<(u32, RoundPosition)> = (self.states.iter())
            .flat_map(|(round, at)| {
                let said = self.words_at(*round, *at).into_iter();
                said.filter(|(said, _)| *said == word).map(|(_, next)| (*round, next))
            })
            .collect();
        if next.is_empty() {
            return false;
        }
        self.states.clear();
        for (round, at) in next {
            // Stances end their round; after a remark or an argument it continues.
            if word == Word::Stances {
                self.reach(round + 1, RoundPosition::Open);
            } else {
                self.reach(round, at);
            }
        }
        true
    }

    /// Returns the kinds of reply possible in a state, and the states that follow.
    fn words_at(&self, round: u32, at: RoundPosition) -> Vec<(Word, RoundPosition)> {
        match at {
            RoundPosition::Open if self.seat.pause && round > 1 => {
                vec![(Word::Remark, RoundPosition::After(None))]
            }
            RoundPosition::After(last) => moves(last)
                .filter(|to| Some(to.side) == self.seat.side)
                .map(|to| (Word::Argument(to.kind), after(to)))
                .collect(),
            RoundPosition::Resolved(by) if self.seat.side == Some(by.other()) => {
                vec![(Word::Stances, RoundPosition::Open)]
            }
            RoundPosition::Open | RoundPosition::Resolved(_) => Vec::new(),
        }
    }

    /// Adds a state and all states that others, or silence, can lead to from it.
    fn reach(&mut self, round: u32, at: RoundPosition) {
        if round > self.seat.rounds || !self.states.insert((round, at)) {
            return;
        }
        match at {
            RoundPosition::Open => self.reach(round, RoundPosition::After(None)),
            RoundPosition::After(last) => {
                let own = self.seat.side;
                for to in moves(last).filter(|to| Some(to.side) != own) {
                    self.reach(round, after(to));
                }
            }
            RoundPosition::Resolved(by) if self.seat.side != Some(by.other()) => {
                self.reach(round + 1, RoundPosition::Open);
            }
            RoundPosition::Resolved(_) => {}
        }
    }
}

fn moves(last: Option<(ArgumentType, Side)>) -> impl Iterator<Item = Move> {
    let last = last.map(|(kind, side)| Move { kind, side });
    legality::successors(last).iter().copied()
}

const fn after(to: Move) -> RoundPosition {
    match to.kind {
        ArgumentType::Resolution => RoundPosition::Resolved(to.side),
        ArgumentType::Proposal
        | ArgumentType::Challenge
        | ArgumentType::Defense
        | ArgumentType::Counter => RoundPosition::After(Some((to.kind, to.side))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ArgumentType::{Challenge, Counter, Defense, Proposal, Resolution};

    fn seat(side: Option<Side>, pause: bool, rounds: u32) -> Seat {
        Seat { side, pause, facts: false, rounds }
    }

    fn a(kind: ArgumentType) -> Word {
        Word::Argument(kind)
    }

    /// Replies given, and the kinds possible after them.
    type Row<'a> = (&'a [Word], &'a [Word]);

    fn hold(seat: Seat, rows: &[Row<'_>]) {
        for (said, may) in rows {
            let mut course = DebatePosition::new(seat);
            for word in *said {
                assert!(course.take(*word), "{word:?} of {said:?}");
            }
            assert_eq!(course.may(), *may, "after {said:?}");
            let all = ArgumentType::ALL.map(a).into_iter();
            for word in all.chain([Word::Stances, Word::Remark]) {
                let mut next = course.clone();
                assert_eq!(next.take(word), may.contains(&word), "{word:?} after {said:?}");
            }
        }
    }

    #[test]
    fn a_primary_proposes_defends_and_resolves_or_takes_a_stand() {
        let (p, d, r, s) = (a(Proposal), a(Defense), a(Resolution), Word::Stances);
        hold(
            seat(Some(Side::Primary), false, 2),
            &[
                (&[], &[p]),
                (&[p], &[d]),
                (&[p, d], &[r, s]),
                (&[p, d, r], &[p]),
                (&[p, d, s], &[p]),
                (&[p, d, s, p, d], &[r, s]),
                // There is no third round.
                (&[p, d, s, p, d, r], &[]),
            ],
        );
    }

    #[test]
    fn an_adversary_challenges_then_resolves_or_counters_and_takes_a_stand() {
        let (h, c, r, s) = (a(Challenge), a(Counter), a(Resolution), Word::Stances);
        hold(
            seat(Some(Side::Adversary), true, 2),
            &[
                (&[], &[h]),
                (&[h], &[c, r]),
                (&[h, c], &[s]),
                (&[h, r], &[h, Word::Remark]),
                (&[h, c, s], &[h, Word::Remark]),
                // A remark comes at most once, and only before the first argument of a round.
                (&[h, r, Word::Remark], &[h]),
                (&[h, r, Word::Remark, h, r], &[]),
            ],
        );
    }

    #[test]
    fn who_only_remarks_does_so_before_each_further_round() {
        let m = Word::Remark;
        hold(seat(None, true, 3), &[(&[], &[m]), (&[m], &[m]), (&[m, m], &[])]);
        hold(seat(None, true, 1), &[(&[], &[])]);
        hold(seat(None, false, 3), &[(&[], &[])]);
    }

    #[test]
    fn turns_owe_what_their_names_say() {
        for (turn, words) in [
            ("r1/proposal", "`proposal`"),
            ("r2/challenge", "`challenge`"),
            ("r1/defense", "`defense`"),
            ("r1/reply", "`counter` or `resolution`"),
            ("r1/resolution", "`resolution`"),
            ("r9/stances", "`stances`"),
            ("r2/remark", "`remark`"),
            ("r0/facts", "`facts`"),
            ("r1/review", ""),
            ("proposal", ""),
        ] {
            assert_eq!(named(&owed(turn)), words, "{turn}");
        }
    }
}
