//! The panel's confidence: the share of agreeing votes among all votes cast, times attendance.

use super::model::{Group, Stance};

/// Returns the confidence in percent, the floor of one exact fraction: the share of agreeing votes among the votes
/// cast by seats other than the author (of what was joined since, the author at the time), times the share of seats that answered every time. Without votes it is 0,
/// since no seat has judged anything.
pub(crate) fn confidence(groups: &[Group], answered: usize, seats: usize) -> u32 {
    let cast: usize = groups.iter().map(|group| group.votes().count() + group.former.len()).sum();
    let former = groups.iter().flat_map(|group| &group.former);
    let former = former.filter(|(_, stance)| *stance == Stance::Agree).count();
    let agreeing: usize =
        groups.iter().map(|group| group.count(Stance::Agree)).sum::<usize>() + former;
    let whole = cast * seats;
    if whole == 0 {
        return 0;
    }
    u32::try_from(100 * agreeing * answered.min(seats) / whole).unwrap_or(100)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{group, judged};
    use super::*;

    #[test]
    fn it_is_the_floor_of_the_exact_fraction() {
        let all = |stances: &str| vec![judged(group("S1", &[0]), stances)];
        for (stances, answered, seats, expected) in [
            ("", 2, 2, 0),
            (".a", 2, 2, 100),
            (".d", 2, 2, 0),
            (".m", 2, 2, 0),
            (".ad", 3, 3, 50),
            (".aad", 4, 4, 66),
            (".aa", 2, 3, 66),
            (".am", 1, 3, 16),
            // An author's judgement on its own step does not count.
            ("aa", 2, 2, 100),
            ("a", 2, 2, 0),
        ] {
            assert_eq!(
                confidence(&all(stances), answered, seats),
                expected,
                "{stances} {answered}/{seats}"
            );
        }
        assert_eq!(confidence(&[], 2, 2), 0);
        assert_eq!(confidence(&all(".a"), 0, 0), 0);
    }

    /// Whoever calls a step its own has judged it before, and its vote is not lost.
    #[test]
    fn a_vote_on_a_step_that_was_joined_counts() {
        let mut joined = group("S1", &[0, 1]);
        joined.former = vec![(0, Stance::Agree), (1, Stance::Modify)];
        assert_eq!(confidence(&[joined], 2, 2), 50);
    }

    #[test]
    fn votes_of_all_steps_count_alike() {
        let groups = [
            judged(group("S1", &[0]), ".a"),
            judged(group("S2", &[1]), "d"),
            judged(group("S3", &[1]), "a"),
        ];
        assert_eq!(confidence(&groups, 2, 2), 66);
    }
}
