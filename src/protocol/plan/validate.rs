//! The vote on the merged plan, step by step.

use std::collections::BTreeMap;

use super::merge::{MergedPlan, MergedStep};
use super::model::{Group, Status, StepValidation, ValidationBlock, ValidationResult};
use crate::protocol::council::Vote;

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
    ballots: &BTreeMap<usize, ValidationBlock>,
    winner: usize,
    may_vote: impl Fn(usize, &MergedStep) -> bool,
) -> Vec<StepValidation> {
    let tally = |step: &MergedStep| {
        let (mut approves, mut rejects, mut wanted) = (0, 0, false);
        for (seat, said) in ballots.iter().filter(|(seat, _)| may_vote(**seat, step)) {
            match said.votes.iter().find(|vote| vote.id == groups[step.group].id) {
                Some(vote) if vote.vote == Vote::Approve => {
                    approves += 1;
                    wanted |= *seat == winner;
                }
                Some(_) => rejects += 1,
                None => {}
            }
        }
        let result = ValidationResult::of(approves, rejects, wanted);
        StepValidation { approves, rejects, result }
    };
    merged.steps.iter().map(tally).collect()
}

/// Returns the votes on the steps of the plan after the vote, from those on the draft: a vote on a change that was not
/// approved is none on the step, which stays as it was written.
pub(crate) fn on_final(
    draft: &MergedPlan,
    votes: &[StepValidation],
    merged: &MergedPlan,
) -> Vec<StepValidation> {
    let of = |step: &MergedStep| {
        let mut asked = draft.steps.iter().zip(votes);
        let vote = asked.find(|(asked, _)| asked.group == step.group)?;
        (vote.0.changed_by == step.changed_by).then(|| vote.1.clone())
    };
    let none = StepValidation { approves: 0, rejects: 0, result: ValidationResult::Unvalidated };
    merged.steps.iter().map(|step| of(step).unwrap_or_else(|| none.clone())).collect()
}

/// Whether validation rejects most of the steps.
///
/// A step that only one seat wrote and no seat voted on counts for neither side: silence must not carry a plan whose
/// every vote was against it. A step that was confirmed counts as wanted without a vote, since nobody may be asked about
/// it again.
pub(crate) fn rejected(merged: &MergedPlan, groups: &[Group], tally: &[StepValidation]) -> bool {
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
    use super::super::model::{Ballot, Status};
    use super::super::testing::{group, judged, vendor};
    use super::*;
    use crate::protocol::testing::vote as voted;

    /// Returns the result for one step by these authors with these votes of seats 0 to 3: `a`, `r`, `.` for none. The
    /// winner is the first author.
    fn vote(authors: &[usize], votes: &str) -> (StepValidation, bool) {
        let groups = [group("S1", authors)];
        let merged = merge(&groups, authors[0], Merge::Draft);
        let ballots = votes.chars().enumerate().filter(|(_, vote)| *vote != '.');
        let ballots = ballots.map(|(seat, vote)| {
            let ballot =
                Ballot { id: "S1".to_owned(), vote: voted(vote == 'a'), reason: String::new() };
            let votes = vec![ballot];
            (seat, ValidationBlock { votes })
        });
        let eligible = |seat, step: &MergedStep| may_vote(seat, step, &groups);
        let tally = tally(&merged, &groups, &ballots.collect(), authors[0], eligible);
        (tally[0].clone(), rejected(&merged, &groups, &tally))
    }

    /// A tie on what is not in its own words goes as the winner voted for it.
    #[test]
    fn the_winner_breaks_a_tie() {
        let groups = [group("S1", &[1])];
        let merged = merge(&groups, 1, Merge::Draft);
        let ballot = |approve| ValidationBlock {
            votes: vec![Ballot {
                id: "S1".to_owned(),
                vote: voted(approve),
                reason: String::new(),
            }],
        };
        let ballots = BTreeMap::from([(0, ballot(true)), (2, ballot(false))]);
        for (winner, result) in [
            (0, ValidationResult::TieBroken),
            (1, ValidationResult::TieKept),
            (2, ValidationResult::TieKept),
        ] {
            let eligible = |seat, step: &MergedStep| may_vote(seat, step, &groups);
            let votes = tally(&merged, &groups, &ballots, winner, eligible);
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
            let tally: Vec<StepValidation> = (merged.steps.iter())
                .map(|step| StepValidation {
                    approves: 0,
                    rejects: 0,
                    result: result(steps.chars().nth(step.group).unwrap()),
                })
                .collect();
            assert_eq!(rejected(&merged, &groups, &tally), expected, "{steps}");
        }
    }

    /// The status of a step: two and three seats, all authorships, votes and vendors, against the specification's
    /// sentences. They are total and disjoint: each case matches exactly one.
    #[test]
    fn every_status_of_two_and_three_seats() {
        let mut seen = BTreeMap::new();
        for seats in 2..=3_usize {
            for authors in 1..1_usize << seats {
                let wrote: Vec<usize> =
                    (0..seats).filter(|seat| authors >> seat & 1 == 1).collect();
                for n in 0..4_usize.pow(3) {
                    for vendors in 0..1_usize << seats {
                        let letter = |seat: usize| {
                            ['.', 'a', 'd', 'm'][n / 4_usize.pow(u32::try_from(seat).unwrap()) % 4]
                        };
                        let votes: String = (0..seats).map(letter).collect();
                        let name = |seat: usize| vendor(vendors >> seat & 1);
                        let mut step = judged(group("S1", &wrote), &votes);
                        for member in &mut step.members {
                            member.vendor = name(member.seat);
                        }
                        for (seat, judged) in &mut step.judged {
                            judged.vendor = name(*seat);
                        }
                        let of = |wanted: char| -> Vec<usize> {
                            let others = (0..seats).filter(|seat| !wrote.contains(seat));
                            others.filter(|seat| letter(*seat) == wanted).collect()
                        };
                        let (agree, disagree, modify) =
                            (wrote.len() - 1 + of('a').len(), of('d').len(), of('m').len());
                        let behind: std::collections::BTreeSet<String> =
                            wrote.iter().chain(&of('a')).map(|seat| name(*seat)).collect();
                        let nobody = agree + disagree + modify == 0;
                        let expected = [
                            (Status::Unverified, nobody),
                            (Status::OneVendor, agree > disagree && behind.len() == 1),
                            (Status::Refuted, disagree > agree),
                            (Status::Contested, !nobody && disagree == agree),
                            (Status::Confirmed, agree > disagree && behind.len() > 1),
                        ];
                        let holds: Vec<Status> = expected
                            .into_iter()
                            .filter(|(_, holds)| *holds)
                            .map(|(status, _)| status)
                            .collect();
                        assert_eq!(holds, [step.status()], "{wrote:?} {votes} {vendors}");
                        *seen.entry(step.status()).or_insert(0) += 1;
                    }
                }
            }
        }
        assert_eq!(seen.len(), 5, "{seen:?}");
    }
}
