//! Choices and counts by hand, and every ballot of three and four seats against an oracle that counts otherwise.

use super::*;

/// What each of the voting seats holds to be the same, of the answers 0 to 3; what comes of it.
type Same<'a> = (&'a [&'a [&'a [usize]]], [usize; 4]);

#[test]
fn answers_are_one_choice_when_most_of_those_who_vote_say_so() {
    let rows: [Same<'_>; 10] = [
        (&[&[], &[], &[]], [0, 1, 2, 3]),
        (&[&[&[0, 1]], &[], &[]], [0, 1, 2, 3]),
        // Half is not most.
        (&[&[&[0, 1]], &[&[0, 1]], &[], &[]], [0, 1, 2, 3]),
        (&[&[&[0, 1]], &[&[1, 0]], &[]], [0, 0, 2, 3]),
        (&[&[&[1, 3]], &[&[1, 3]], &[]], [0, 1, 2, 1]),
        // A seat that says 0 = 1 and 1 = 2 says 0 = 2.
        (&[&[&[0, 1], &[1, 2]], &[&[0, 2]], &[]], [0, 1, 0, 3]),
        // 0 = 1 has two of three seats, 1 = 2 two others: all three are one.
        (&[&[&[0, 1]], &[&[0, 1, 2]], &[&[1, 2]]], [0, 0, 0, 3]),
        // Two pairs that share nothing.
        (&[&[&[0, 3], &[1, 2]], &[&[0, 3], &[1, 2]]], [0, 1, 1, 0]),
        // An answer that does not exist changes nothing.
        (&[&[&[0, 9]], &[&[0, 9]], &[]], [0, 1, 2, 3]),
        // Joined late, under the first of all.
        (&[&[&[2, 3], &[0, 3]], &[&[2, 3], &[0, 3]], &[]], [0, 1, 0, 0]),
    ];
    for (number, (held, expected)) in rows.into_iter().enumerate() {
        let held: Vec<Vec<Vec<usize>>> =
            (held.iter()).map(|seat| seat.iter().map(|group| group.to_vec()).collect()).collect();
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
}

fn tally(votes: &[(usize, &str)]) -> Tally {
    Tally::new(votes.iter().map(|(choice, vendor)| Cast { choice: *choice, vendor }))
}

/// Votes by choice and vendor, of so many seats: who leads, who has all, who has most, whether it counts.
type Row<'a> = (&'a [(usize, &'a str)], usize, Option<usize>, Option<usize>, Option<usize>, bool);

#[test]
fn who_leads_who_has_all_and_who_has_most() {
    let rows: [Row<'_>; 10] = [
        (&[], 3, None, None, None, false),
        (&[(0, "a"), (0, "b"), (0, "c")], 3, Some(0), Some(0), Some(0), true),
        (&[(0, "a"), (0, "b"), (1, "c")], 3, Some(0), None, Some(0), true),
        (&[(0, "a"), (1, "b"), (2, "c")], 3, Some(0), None, None, true),
        // Two of three voted, both for one, of two vendors.
        (&[(1, "a"), (1, "b")], 3, Some(1), Some(1), Some(1), true),
        // Two of four are half: no quorum, no majority.
        (&[(1, "a"), (1, "b")], 4, Some(1), Some(1), None, false),
        // One vendor agrees with itself.
        (&[(2, "a"), (2, "a"), (2, "a")], 3, Some(2), None, None, false),
        (&[(2, "a"), (2, "a"), (1, "b")], 3, Some(2), None, None, true),
        // Three of five, of two vendors.
        (&[(0, "a"), (1, "a"), (1, "b"), (1, "a"), (0, "b")], 5, Some(1), None, Some(1), true),
        // Equal votes: more vendors lead.
        (&[(0, "a"), (0, "a"), (1, "a"), (1, "b")], 4, Some(1), None, None, true),
    ];
    for (number, (votes, seats, leading, unanimous, majority, quorum)) in
        rows.into_iter().enumerate()
    {
        let tally = tally(votes);
        assert_eq!(
            (tally.leading(), tally.unanimous(), tally.majority(seats), tally.quorum(seats)),
            (leading, unanimous, majority, quorum),
            "row {number}"
        );
        // Only what has more votes than any other leads alone.
        let alone = leading.filter(|_| ![3, 9].contains(&number));
        assert_eq!(tally.leads(), alone, "row {number}");
    }
}

/// Counts as one would by hand: for every choice, asks each seat.
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

/// Every way in which three or four seats can vote or fail, with every spread of vendors.
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
            // Spreads that are the same but for the names of the vendors say nothing new.
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
                    .map(|seat| Some(digit(ballot, seats + 1, seat)).filter(|vote| *vote < seats))
                    .collect();
                let cast: Vec<(usize, &str)> = (votes.iter().zip(&vendors))
                    .filter_map(|(vote, vendor)| Some(((*vote)?, *vendor)))
                    .collect();
                let tally = tally(&cast);
                let found = (tally.unanimous(), tally.majority(seats), tally.quorum(seats));
                assert_eq!(found, oracle(&votes, &vendors), "{votes:?} {vendors:?}");
                held += 1;
            }
        }
    }
    // 5 spreads of vendors and 4^3 ballots of three; 15 and 5^4 of four.
    assert_eq!(held, 5 * 64 + 15 * 625);
}
