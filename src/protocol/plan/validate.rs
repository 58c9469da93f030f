//! The vote on the merged plan, step by step.

use super::merge::{MergedPlan, MergedStep};
use super::model::{Ballots, Group, Status, Tally, ValidationResult};
use crate::protocol::council::{Vote, votes_on};

/// Whether a seat votes on a step of the merged plan.
///
/// Nobody votes on its own words. Those are: a step that the seat wrote, unless somebody else changed it or said that it
/// is the same as another; and a change that the seat suggested.
pub(crate) fn may_vote(seat: usize, step: &MergedStep, groups: &[Group]) -> bool {
    let group = &groups[step.group];
    if let Some(by) = step.changed_by {
        return seat != by;
    }
    let mut said = group.joined.iter().flat_map(|joined| &joined.said);
    let joined_by_others = !group.joined.is_empty() && said.all(|claim| claim.seat != seat);
    !group.wrote(seat) || joined_by_others
}

/// Counts the votes on each step of the merged plan. `winner`: the seat with the best plan, which breaks a tie where it
/// may vote.
pub(crate) fn tally(
    merged: &MergedPlan,
    groups: &[Group],
    ballots: &Ballots,
    winner: usize,
) -> Vec<Tally> {
    let tally = |step: &MergedStep| {
        let id = &groups[step.group].id;
        let votes = votes_on(ballots, id, |seat| may_vote(seat, step, groups));
        Tally::of(
            &votes,
            votes.iter().any(|(seat, vote)| *seat == winner && vote.vote == Vote::Approve),
        )
    };
    merged.steps.iter().map(tally).collect()
}

/// Returns the votes on the steps of the plan after the vote, from those on the draft: a vote on a change that was not
/// approved is none on the step, which stays as it was written.
pub(crate) fn on_final(draft: &MergedPlan, votes: &[Tally], merged: &MergedPlan) -> Vec<Tally> {
    let of = |step: &MergedStep| {
        let mut asked = draft.steps.iter().zip(votes);
        let vote = asked.find(|(asked, _)| asked.group == step.group)?;
        (vote.0.changed_by == step.changed_by).then_some(*vote.1)
    };
    let none = Tally { approves: 0, rejects: 0, result: ValidationResult::Unvalidated };
    merged.steps.iter().map(|step| of(step).unwrap_or(none)).collect()
}

/// Whether validation rejects most of the steps.
///
/// A step that only one seat wrote and no seat voted on counts for neither side: silence must not carry a plan whose
/// every vote was against it. A step that was confirmed counts as wanted without a vote, since nobody may be asked about
/// it again.
pub(crate) fn rejected(merged: &MergedPlan, groups: &[Group], tally: &[Tally]) -> bool {
    let (mut rejected, mut all) = (0_usize, 0_usize);
    for (step, validation) in merged.steps.iter().zip(tally) {
        let wanted = groups[step.group].status() == Status::Confirmed;
        match validation.result {
            ValidationResult::Rejected => {
                rejected += 1;
                all += 1;
            }
            ValidationResult::Unvalidated if !wanted => {}
            ValidationResult::Approved
            | ValidationResult::TieBroken
            | ValidationResult::TieKept
            | ValidationResult::Unvalidated => all += 1,
        }
    }
    2 * rejected > all
}

#[cfg(test)]
mod tests {
    //! Tests of votes on the merged plan, by enumeration, against independently written rules.

    use super::super::merge::{Merge, merge};
    use super::super::model::{Status, ValidationBlock};
    use super::super::testing::{group, judged, vendor};
    use super::*;
    use crate::protocol::council::Ballot;

    /// Returns the result for one step by these authors with these votes of seats 0 to 3: `a`, `r`, `.` for none. The
    /// winner is the first author.
    fn vote(authors: &[usize], votes: &str) -> (Tally, bool) {
        let groups = [group("S1", authors)];
        let merged = merge(&groups, authors[0], Merge::Draft);
        let ballots = votes.chars().enumerate().filter(|(_, vote)| *vote != '.');
        let ballots = ballots.map(|(seat, vote)| {
            let votes = vec![Ballot::on("S1", vote == 'a')];
            (seat, ValidationBlock { votes })
        });
        let tally = tally(&merged, &groups, &ballots.collect(), authors[0]);
        (tally[0], rejected(&merged, &groups, &tally))
    }

    /// A tie on what is not in its own words goes as the winner voted for it.
    #[test]
    fn the_winner_breaks_a_tie() {
        let groups = [group("S1", &[1])];
        let merged = merge(&groups, 1, Merge::Draft);
        let ballot = |approve| ValidationBlock { votes: vec![Ballot::on("S1", approve)] };
        let ballots = Ballots::from([(0, ballot(true)), (2, ballot(false))]);
        for (winner, result) in [
            (0, ValidationResult::TieBroken),
            (1, ValidationResult::TieKept),
            (2, ValidationResult::TieKept),
        ] {
            let votes = tally(&merged, &groups, &ballots, winner);
            assert_eq!(votes[0].result, result, "{winner}");
        }
    }

    /// All votes of four seats and all authorships: authors have no vote, the majority decides, a lack
    /// of votes approves nothing, and only votes against a step reject it.
    #[test]
    fn every_vote_of_four_seats() {
        let mut seen = std::collections::BTreeSet::new();
        for authors in [&[0][..], &[0, 1], &[0, 1, 2], &[1], &[1, 3]] {
            for n in 0..81_usize {
                let letter = |seat: u32| ['.', 'a', 'r'][n / 3_usize.pow(seat) % 3];
                let votes: String = (0..4).map(letter).collect();
                let counted = |wanted: char| {
                    let counts =
                        |(seat, vote): &(usize, char)| *vote == wanted && !authors.contains(seat);
                    u32::try_from(votes.chars().enumerate().filter(counts).count()).unwrap()
                };
                let (yes, no) = (counted('a'), counted('r'));
                let (found, refused) = vote(authors, &votes);
                assert_eq!((found.approves, found.rejects), (yes, no), "{authors:?} {votes}");
                let expected = match (yes, no) {
                    (0, 0) => ValidationResult::Unvalidated,
                    (yes, no) if yes > no => ValidationResult::Approved,
                    (yes, no) if yes < no => ValidationResult::Rejected,
                    _ => ValidationResult::TieKept,
                };
                assert_eq!(found.result, expected, "{authors:?} {votes}");
                assert_eq!(refused, no > yes, "{authors:?} {votes}");
                seen.insert(found.result);
            }
        }
        assert_eq!(seen.len(), 4);
    }

    #[test]
    fn most_of_the_steps_decide_and_silence_does_not() {
        // One letter per step: approved, rejected, tied, unvalidated with one author, unvalidated with two.
        for (steps, expected) in [
            ("a", false),
            ("r", true),
            ("ra", false),
            ("rra", true),
            ("rt", false),
            ("t", false),
            ("ru", true),
            ("ruuu", true),
            ("rb", false),
            ("rrb", true),
            ("u", false),
            ("b", false),
        ] {
            let result = |letter| match letter {
                'a' => ValidationResult::Approved,
                'r' => ValidationResult::Rejected,
                't' => ValidationResult::TieKept,
                _ => ValidationResult::Unvalidated,
            };
            let group = |(at, letter): (usize, char)| {
                let authors: &[usize] = if letter == 'b' { &[0, 1] } else { &[0] };
                group(&format!("S{}", at + 1), authors)
            };
            let groups: Vec<_> = steps.chars().enumerate().map(group).collect();
            let merged = merge(&groups, 0, Merge::Draft);
            let tally: Vec<Tally> = (merged.steps.iter())
                .map(|step| Tally {
                    approves: 0,
                    rejects: 0,
                    result: result(steps.chars().nth(step.group).unwrap()),
                })
                .collect();
            assert_eq!(rejected(&merged, &groups, &tally), expected, "{steps}");
        }
    }

    /// Those of all votes are enumerated with reviews; a step has `modify` besides, which is neither for nor against it.
    #[test]
    fn the_votes_of_others_give_a_step_its_status() {
        for (authors, votes, two, one) in [
            (&[0][..], "...", Status::Unverified, Status::Unverified),
            (&[0], "a..", Status::Unverified, Status::Unverified),
            (&[0], ".a.", Status::Confirmed, Status::OneVendor),
            (&[0], ".am", Status::Confirmed, Status::OneVendor),
            (&[0], ".m.", Status::Contested, Status::Contested),
            (&[0], ".ad", Status::Contested, Status::Contested),
            (&[0], ".dm", Status::Refuted, Status::Refuted),
            (&[0, 1], "...", Status::Confirmed, Status::OneVendor),
            (&[0, 1], "..d", Status::Contested, Status::Contested),
        ] {
            let mut step = judged(group("S1", authors), votes);
            assert_eq!(step.status(), two, "{authors:?} {votes}");
            step.members.iter_mut().for_each(|member| member.vendor = vendor(0));
            step.judged.values_mut().for_each(|judged| judged.vendor = vendor(0));
            assert_eq!(step.status(), one, "{authors:?} {votes}");
        }
    }
}
