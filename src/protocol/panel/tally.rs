//! Counting: which answers are one choice, who has all votes, who has most of the seats.
//!
//! Pure arithmetic on indices; a letter or a name is no business of this module. Answers are counted from 0 in
//! the order of their letters, and a choice is named by the first answer in it.

use std::collections::{BTreeMap, BTreeSet};

/// Vendors that an agreement takes (`spec/topic-debate.md`, style `panel`).
pub const VENDORS: usize = 2;

/// Which choice each answer belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Choices {
    /// For each answer, the first answer of its choice.
    first: Vec<usize>,
}

impl Choices {
    /// Makes one choice of answers that more than half of the voting seats hold to be the same.
    ///
    /// `held`: for each voting seat, the groups of answers that it holds to be one. What a seat says of A and B and
    /// of B and C it says of A and C too; and so do the pairs that a majority holds equal.
    pub fn new(answers: usize, held: &[&[Vec<usize>]]) -> Self {
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

    /// Returns the choice that holds an answer.
    pub fn of(&self, answer: usize) -> usize {
        self.first.get(answer).copied().unwrap_or(answer)
    }

    /// Returns the choices, in order.
    pub fn all(&self) -> Vec<usize> {
        let firsts: BTreeSet<usize> = self.first.iter().copied().collect();
        firsts.into_iter().collect()
    }

    /// Returns the answers of a choice, in order.
    pub fn answers(&self, choice: usize) -> Vec<usize> {
        (0..self.first.len()).filter(|answer| self.first[*answer] == choice).collect()
    }
}

/// Makes two answers one, under the lower of their firsts. Answers that do not exist change nothing.
fn join(first: &mut [usize], one: usize, other: usize) {
    let (Some(&one), Some(&other)) = (first.get(one), first.get(other)) else {
        return;
    };
    let (low, high) = (one.min(other), one.max(other));
    for entry in first.iter_mut().filter(|entry| **entry == high) {
        *entry = low;
    }
}

/// One seat's vote, as it is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cast<'a> {
    /// The choice.
    pub choice: usize,
    /// The vendor of the agent that voted.
    pub vendor: &'a str,
}

/// The votes of one ballot.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tally {
    /// Seats that voted.
    pub cast: usize,
    /// Vendors that voted.
    pub vendors: usize,
    /// By choice: votes, and vendors of them.
    pub by_choice: BTreeMap<usize, (usize, usize)>,
}

impl Tally {
    /// Counts a ballot.
    pub fn new<'a>(casts: impl IntoIterator<Item = Cast<'a>>) -> Self {
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

    /// Whether enough seats of enough vendors voted for the ballot to mean anything.
    pub fn quorum(&self, seats: usize) -> bool {
        quorum(self.cast, self.vendors, seats)
    }

    /// Returns the choice with most votes; of equal ones that with more vendors, then the first.
    pub fn leading(&self) -> Option<usize> {
        let best = self.by_choice.iter().rev().max_by_key(|(_, counted)| **counted);
        best.map(|(choice, _)| *choice)
    }

    /// Returns the choice that has more votes than any other.
    pub fn leads(&self) -> Option<usize> {
        let leading = self.leading()?;
        let most = self.by_choice.get(&leading)?.0;
        let equal = self.by_choice.values().filter(|(votes, _)| *votes == most);
        (equal.count() == 1).then_some(leading)
    }

    /// Returns the choice that has every vote, of two vendors or more.
    pub fn unanimous(&self) -> Option<usize> {
        let (choice, (votes, vendors)) = self.by_choice.first_key_value()?;
        (*votes == self.cast && *vendors >= VENDORS).then_some(*choice)
    }

    /// Returns the choice that has more than half of all seats, of two vendors or more. A seat without a vote
    /// is a seat that did not vote for it.
    pub fn majority(&self, seats: usize) -> Option<usize> {
        let most = |counted: &(usize, usize)| counted.0 * 2 > seats && counted.1 >= VENDORS;
        let won = self.by_choice.iter().find(|(_, counted)| most(counted));
        won.map(|(choice, _)| *choice)
    }
}

/// Whether so many seats of so many vendors are a quorum: more than half of the seats, of two vendors (`spec/contracts.md`).
pub const fn quorum(answered: usize, vendors: usize, seats: usize) -> bool {
    answered * 2 > seats && vendors >= VENDORS
}

#[cfg(test)]
mod tests;
