//! The replies that a person who takes a side is asked for, and their order.
//!
//! | after | reply of the person in the seat |
//! |---|---|
//! | an argument of the other side | as listed in the table of [`legality`] |
//! | a resolution of the other side | stances |
//!
//! The other side's replies are not known in advance, so a position is a set of states: a file of arguments can be
//! checked before any agent is paid, and a line is refused only if no course of the debate would ask for it.

use crate::kernel::{round_of, task_of};
use crate::ordered::{BTreeSet, Gather};
use crate::protocol::argument::legality::{self, Move};
use crate::protocol::debate::typed::{ArgumentType, Side};

/// A kind of reply that a person can give.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Word {
    Argument(ArgumentType),
    /// Stances on the other side's resolution.
    Stances,
}

impl Word {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Argument(kind) => kind.name(),
            Self::Stances => "stances",
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
    /// The side that the person argues for (`--as`), if any.
    pub side: Option<Side>,
    /// Whether facts are asked for before the first round.
    pub facts: bool,
    /// Maximum rounds.
    pub rounds: u32,
}

impl Seat {
    /// The seat of a person who is asked for facts, and for nothing else.
    pub const fn of_facts() -> Self {
        Self { side: None, facts: true, rounds: 0 }
    }

    /// Whether the person is asked for anything.
    pub const fn is_taken(self) -> bool {
        self.side.is_some() || self.facts
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum RoundPosition {
    /// After an argument; `None` at the beginning of the round.
    After(Option<(ArgumentType, Side)>),
    /// After a resolution of this side.
    Resolved(Side),
}

/// The possible positions in a debate, given the person's replies so far.
#[derive(Debug, Clone)]
pub(crate) struct DebatePosition {
    side: Side,
    rounds: u32,
    states: BTreeSet<(u32, RoundPosition)>,
}

impl DebatePosition {
    pub(crate) fn new(side: Side, rounds: u32) -> Self {
        let mut course = Self { side, rounds, states: BTreeSet::new() };
        course.reach(1, RoundPosition::After(None));
        course
    }

    /// Returns the kinds of reply possible next; empty if no round is left.
    pub(crate) fn may(&self) -> Vec<Word> {
        let words: BTreeSet<Word> = (self.states.iter())
            .flat_map(|(_, at)| self.words_at(*at))
            .map(|(word, _)| word)
            .gather();
        words.into_iter().collect()
    }

    /// Advances by one reply; returns `false` and changes nothing if it is not possible.
    pub(crate) fn take(&mut self, word: Word) -> bool {
        let next: Vec<(u32, RoundPosition)> = (self.states.iter())
            .flat_map(|(round, at)| {
                let said = self.words_at(*at).into_iter();
                said.filter(|(said, _)| *said == word).map(|(_, next)| (*round, next))
            })
            .collect();
        if next.is_empty() {
            return false;
        }
        self.states.clear();
        for (round, at) in next {
            // Stances end their round; after an argument it continues.
            if word == Word::Stances {
                self.reach(round + 1, RoundPosition::After(None));
            } else {
                self.reach(round, at);
            }
        }
        true
    }

    /// Returns the kinds of reply possible in a state, and the states that follow.
    fn words_at(&self, at: RoundPosition) -> Vec<(Word, RoundPosition)> {
        match at {
            RoundPosition::After(last) => moves(last)
                .filter(|to| to.side == self.side)
                .map(|to| (Word::Argument(to.kind), after(to)))
                .collect(),
            RoundPosition::Resolved(by) if self.side == by.other() => {
                vec![(Word::Stances, RoundPosition::After(None))]
            }
            RoundPosition::Resolved(_) => Vec::new(),
        }
    }

    /// Adds a state and all states that others, or silence, can lead to from it.
    fn reach(&mut self, round: u32, at: RoundPosition) {
        if round > self.rounds || !self.states.insert((round, at)) {
            return;
        }
        match at {
            RoundPosition::After(last) => {
                let own = self.side;
                for to in moves(last).filter(|to| to.side != own) {
                    self.reach(round, after(to));
                }
            }
            RoundPosition::Resolved(by) if self.side != by.other() => {
                self.reach(round + 1, RoundPosition::After(None));
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

    fn a(kind: ArgumentType) -> Word {
        Word::Argument(kind)
    }

    /// Replies given, and the kinds possible after them.
    type Row<'a> = (&'a [Word], &'a [Word]);

    fn hold(side: Side, rows: &[Row<'_>]) {
        for (said, may) in rows {
            let mut course = DebatePosition::new(side, 2);
            for word in *said {
                assert!(course.take(*word), "{word:?} of {said:?}");
            }
            assert_eq!(course.may(), *may, "after {said:?}");
            let all = ArgumentType::ALL.map(a).into_iter();
            for word in all.chain([Word::Stances]) {
                let mut next = course.clone();
                assert_eq!(next.take(word), may.contains(&word), "{word:?} after {said:?}");
            }
        }
    }

    #[test]
    fn a_primary_proposes_defends_and_resolves_or_takes_a_stand() {
        let (p, d, r, s) = (a(Proposal), a(Defense), a(Resolution), Word::Stances);
        hold(
            Side::Primary,
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
            Side::Adversary,
            &[
                (&[], &[h]),
                (&[h], &[c, r]),
                (&[h, c], &[s]),
                (&[h, r], &[h]),
                (&[h, c, s], &[h]),
                (&[h, r, h, r], &[]),
            ],
        );
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
            ("r0/facts", ""),
            ("r1/review", ""),
            ("proposal", ""),
        ] {
            assert_eq!(named(&owed(turn)), words, "{turn}");
        }
    }
}
