//! Counting: which answers form one choice, which choice has all votes, which has a majority of the seats.
//!
//! Pure arithmetic on indices, without letters or names. Answers are counted from 0 in the order of their letters,
//! and a choice is identified by its first answer.

use std::collections::{BTreeMap, BTreeSet};

/// Number of vendors needed for an agreement (`docs/debate.md`, style `panel`).
pub(crate) const VENDORS: usize = 2;

/// The choice that each answer belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Choices {
    /// For each answer, the first answer of its choice.
    first: Vec<usize>,
}

impl Choices {
    /// Joins answers that more than half of the voting seats consider the same into one choice.
    ///
    /// `held` contains, for each voting seat, the groups of answers that it considers the same. Sameness is
    /// transitive: a seat that joins A with B and B with C also joins A with C, and so do the pairs on which a
    /// majority agrees.
    pub(crate) fn new(answers: usize, held: &[&[Vec<usize>]]) -> Self {
        let of_seats: Vec<Vec<usize>> = (held.iter())
            .map(|groups| {
                let mut first: Vec<usize> = (0..answers).collect();
                for group in *groups {
                    for pair in group.windows(2) {
                        join(&mut first, pair[0], pair[1]);
                    }
                }
                first
            })
            .collect();
        let mut first: Vec<usize> = (0..answers).collect();
        for one in 0..answers {
            for other in one + 1..answers {
                let seats = of_seats.iter().filter(|of| of[one] == of[other]).count();
                if seats * 2 > held.len() {
                    join(&mut first, one, other);
                }
            }
        }
        Self { first }
    }

    /// Joins the answers of each group into one choice, whatever the seats hold.
    #[must_use]
    pub(crate) fn joined(mut self, groups: &[Vec<usize>]) -> Self {
        for pair in groups.iter().flat_map(|group| group.windows(2)) {
            join(&mut self.first, pair[0], pair[1]);
        }
        self
    }

    /// Returns the choice that contains an answer.
    pub(crate) fn of(&self, answer: usize) -> usize {
        self.first.get(answer).copied().unwrap_or(answer)
    }

    pub(crate) fn all(&self) -> Vec<usize> {
        let firsts: BTreeSet<usize> = self.first.iter().copied().collect();
        firsts.into_iter().collect()
    }

    pub(crate) fn answers(&self, choice: usize) -> Vec<usize> {
        (0..self.first.len()).filter(|answer| self.first[*answer] == choice).collect()
    }
}

/// Joins two answers under the lower of their firsts. Answers that do not exist change nothing.
fn join(first: &mut [usize], one: usize, other: usize) {
    let (Some(&one), Some(&other)) = (first.get(one), first.get(other)) else {
        return;
    };
    let (low, high) = (one.min(other), one.max(other));
    for entry in first.iter_mut().filter(|entry| **entry == high) {
        *entry = low;
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SeatVote<'a> {
    /// The choice, by its first answer.
    pub choice: usize,
    pub vendor: &'a str,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Tally {
    /// Number of seats that voted.
    pub cast: usize,
    /// Number of vendors that voted.
    pub vendors: usize,
    /// By choice, the number of votes and the number of their vendors.
    pub by_choice: BTreeMap<usize, (usize, usize)>,
}

impl Tally {
    pub(crate) fn new<'a>(casts: impl IntoIterator<Item = SeatVote<'a>>) -> Self {
        let (mut votes, mut all) = (BTreeMap::<usize, Vec<&str>>::new(), Vec::new());
        for cast in casts {
            votes.entry(cast.choice).or_default().push(cast.vendor);
            all.push(cast.vendor);
        }
        let different = |vendors: &[&str]| vendors.iter().collect::<BTreeSet<_>>().len();
        Self {
            cast: all.len(),
            vendors: different(&all),
            by_choice: (votes.into_iter())
                .map(|(choice, of)| (choice, (of.len(), different(&of))))
                .collect(),
        }
    }

    /// Whether enough seats of enough vendors voted for the ballot to count. `wanted`: the vendors needed.
    pub(crate) fn quorum(&self, seats: usize, wanted: usize) -> bool {
        self.cast * 2 > seats && self.vendors >= wanted
    }

    /// Returns the choice with the most votes; in a tie the one with more vendors, then the first.
    pub(crate) fn leading(&self) -> Option<usize> {
        let best = self.by_choice.iter().rev().max_by_key(|(_, counted)| **counted);
        best.map(|(choice, _)| *choice)
    }

    /// Returns the choice that has more votes than any other, if there is one.
    pub(crate) fn leads(&self) -> Option<usize> {
        let leading = self.leading()?;
        let most = self.by_choice.get(&leading)?.0;
        let equal = self.by_choice.values().filter(|(votes, _)| *votes == most);
        (equal.count() == 1).then_some(leading)
    }

    /// Returns the choice that has every vote, from so many vendors or more.
    pub(crate) fn unanimous(&self, wanted: usize) -> Option<usize> {
        let (choice, (votes, vendors)) = self.by_choice.first_key_value()?;
        (*votes == self.cast && *vendors >= wanted).then_some(*choice)
    }

    /// Returns the choice with more than half of all seats, of so many vendors or more. A seat without a vote has
    /// not voted for it.
    pub(crate) fn majority(&self, seats: usize, wanted: usize) -> Option<usize> {
        let most = |counted: &(usize, usize)| counted.0 * 2 > seats && counted.1 >= wanted;
        let won = self.by_choice.iter().find(|(_, counted)| most(counted));
        won.map(|(choice, _)| *choice)
    }
}

#[cfg(test)]
mod tests {
    //! Choices and counts worked out by hand, and every ballot of three and four seats compared with an oracle that
    //! counts in another way.

    use super::*;

    /// For each voting seat, the answers among 0 to 3 that it considers the same; and the expected choices.
    type Same<'a> = (&'a [&'a [&'a [usize]]], [usize; 4]);

    #[test]
    fn answers_are_one_choice_when_most_of_those_who_vote_say_so() {
        let rows: [Same<'_>; 10] = [
            (&[&[], &[], &[]], [0, 1, 2, 3]),
            (&[&[&[0, 1]], &[], &[]], [0, 1, 2, 3]),
            // Half is not a majority.
            (&[&[&[0, 1]], &[&[0, 1]], &[], &[]], [0, 1, 2, 3]),
            (&[&[&[0, 1]], &[&[1, 0]], &[]], [0, 0, 2, 3]),
            (&[&[&[1, 3]], &[&[1, 3]], &[]], [0, 1, 2, 1]),
            // A seat that joins 0 with 1 and 1 with 2 also joins 0 with 2.
            (&[&[&[0, 1], &[1, 2]], &[&[0, 2]], &[]], [0, 1, 0, 3]),
            // Two of three seats join 0 with 1, and another two join 1 with 2: all three are one choice.
            (&[&[&[0, 1]], &[&[0, 1, 2]], &[&[1, 2]]], [0, 0, 0, 3]),
            // Two pairs without a common answer.
            (&[&[&[0, 3], &[1, 2]], &[&[0, 3], &[1, 2]]], [0, 1, 1, 0]),
            // An answer that does not exist changes nothing.
            (&[&[&[0, 9]], &[&[0, 9]], &[]], [0, 1, 2, 3]),
            // Joined late, under the first of all three.
            (&[&[&[2, 3], &[0, 3]], &[&[2, 3], &[0, 3]], &[]], [0, 1, 0, 0]),
        ];
        for (number, (held, expected)) in rows.into_iter().enumerate() {
            let held: Vec<Vec<Vec<usize>>> = (held.iter())
                .map(|seat| seat.iter().map(|group| group.to_vec()).collect())
                .collect();
            let held: Vec<&[Vec<usize>]> = held.iter().map(|seat| &**seat).collect();
            let choices = Choices::new(4, &held);
            let of: Vec<usize> = (0..4).map(|answer| choices.of(answer)).collect();
            assert_eq!(of, expected, "row {number}");
            assert_eq!(Choices::new(4, &held), choices);
            let all: Vec<usize> =
                choices.all().into_iter().flat_map(|choice| choices.answers(choice)).collect();
            assert_eq!(all.len(), 4, "row {number}: every answer is of one choice");
        }
        assert_eq!(Choices::default().all(), Vec::<usize>::new());
        let joined = Choices::new(4, &[]).joined(&[vec![1, 3], vec![0, 9]]);
        assert_eq!((0..4).map(|answer| joined.of(answer)).collect::<Vec<_>>(), [0, 1, 2, 1]);
    }

    fn tally(votes: &[(usize, &str)]) -> Tally {
        Tally::new(votes.iter().map(|(choice, vendor)| SeatVote { choice: *choice, vendor }))
    }

    /// Votes by choice and vendor; number of seats; the leading, the unanimous and the majority choice; whether there
    /// is a quorum.
    type Row<'a> =
        (&'a [(usize, &'a str)], usize, Option<usize>, Option<usize>, Option<usize>, bool);

    #[test]
    fn who_leads_who_has_all_and_who_has_most() {
        let rows: [Row<'_>; 10] = [
            (&[], 3, None, None, None, false),
            (&[(0, "a"), (0, "b"), (0, "c")], 3, Some(0), Some(0), Some(0), true),
            (&[(0, "a"), (0, "b"), (1, "c")], 3, Some(0), None, Some(0), true),
            (&[(0, "a"), (1, "b"), (2, "c")], 3, Some(0), None, None, true),
            // Two of three voted, both for one, of two vendors.
            (&[(1, "a"), (1, "b")], 3, Some(1), Some(1), Some(1), true),
            // Two of four are half: neither a quorum nor a majority.
            (&[(1, "a"), (1, "b")], 4, Some(1), Some(1), None, false),
            // One vendor agreeing with itself.
            (&[(2, "a"), (2, "a"), (2, "a")], 3, Some(2), None, None, false),
            (&[(2, "a"), (2, "a"), (1, "b")], 3, Some(2), None, None, true),
            // Three of five, of two vendors.
            (&[(0, "a"), (1, "a"), (1, "b"), (1, "a"), (0, "b")], 5, Some(1), None, Some(1), true),
            // Equal votes: the choice with more vendors leads.
            (&[(0, "a"), (0, "a"), (1, "a"), (1, "b")], 4, Some(1), None, None, true),
        ];
        for (number, (votes, seats, leading, unanimous, majority, quorum)) in
            rows.into_iter().enumerate()
        {
            let tally = tally(votes);
            assert_eq!(
                (
                    tally.leading(),
                    tally.unanimous(VENDORS),
                    tally.majority(seats, VENDORS),
                    tally.quorum(seats, VENDORS)
                ),
                (leading, unanimous, majority, quorum),
                "row {number}"
            );
            // Only a choice with more votes than any other leads alone.
            let alone = leading.filter(|_| ![3, 9].contains(&number));
            assert_eq!(tally.leads(), alone, "row {number}");
        }
    }

    /// Counts as a person would by hand: for every choice, asks each seat.
    fn oracle(votes: &[Option<usize>], vendors: &[&str]) -> (Option<usize>, Option<usize>, bool) {
        let present: Vec<usize> = (0..votes.len()).filter(|seat| votes[*seat].is_some()).collect();
        let two = |seats: &[usize]| seats.iter().any(|seat| vendors[*seat] != vendors[seats[0]]);
        let (mut all, mut most) = (None, None);
        for choice in 0..votes.len() {
            let for_it: Vec<usize> =
                present.iter().copied().filter(|seat| votes[*seat] == Some(choice)).collect();
            if for_it.is_empty() || !two(&for_it) {
                continue;
            }
            if present.iter().all(|seat| for_it.contains(seat)) {
                all = Some(choice);
            }
            let against = votes.len() - for_it.len();
            if for_it.len() > against {
                most = Some(choice);
            }
        }
        let absent = votes.len() - present.len();
        let quorum = present.len() > absent && two(&present);
        (all, most, quorum)
    }

    /// Every combination of votes and failures of three or four seats, with every distribution of vendors.
    #[test]
    fn all_ballots_of_three_and_four_seats_agree_with_the_oracle() {
        let mut held = 0;
        for seats in [3_usize, 4] {
            let names = ["a", "b", "c", "d"];
            for spread in 0..seats.pow(u32::try_from(seats).unwrap()) {
                let digit = |number: usize, base: usize, seat: usize| {
                    number / base.pow(u32::try_from(seat).unwrap()) % base
                };
                let vendors: Vec<&str> =
                    (0..seats).map(|seat| names[digit(spread, seats, seat)]).collect();
                // Distributions that differ only in the names of the vendors add nothing.
                let mut seen = Vec::new();
                if !vendors.iter().all(|vendor| {
                    if !seen.contains(vendor) {
                        seen.push(*vendor);
                    }
                    *vendor <= names[seen.len() - 1]
                }) {
                    continue;
                }
                for ballot in 0..(seats + 1).pow(u32::try_from(seats).unwrap()) {
                    let votes: Vec<Option<usize>> = (0..seats)
                        .map(|seat| {
                            Some(digit(ballot, seats + 1, seat)).filter(|vote| *vote < seats)
                        })
                        .collect();
                    let cast: Vec<(usize, &str)> = (votes.iter().zip(&vendors))
                        .filter_map(|(vote, vendor)| Some(((*vote)?, *vendor)))
                        .collect();
                    let tally = tally(&cast);
                    let found = (
                        tally.unanimous(VENDORS),
                        tally.majority(seats, VENDORS),
                        tally.quorum(seats, VENDORS),
                    );
                    assert_eq!(found, oracle(&votes, &vendors), "{votes:?} {vendors:?}");
                    held += 1;
                }
            }
        }
        // 5 distributions of vendors and 4^3 ballots of three seats; 15 and 5^4 of four seats.
        assert_eq!(held, 5 * 64 + 15 * 625);
    }
}
