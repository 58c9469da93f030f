//! The status of a group by its votes (`docs/review.md`, step 4).
//!
//! An author speaks for its finding once, by writing it: any judgement that it gave on the group does not count. The
//! first author raises the question and does not vote; each further author agrees. A seat that failed, or that was
//! not asked, has no vote at all. A P0 or P1 of which no author says what makes it fail is not confirmed by any number
//! of votes; they can still refute it. An agreement without evidence counts as unsure: it confirms nothing, but as long
//! as those who said to agree are as many as those who disagree, the finding is contested and not refuted.
//!
//! A single seat does not end a P0 or P1: its author is shown the refutation and asked once whether it stands by it.
//! If it does not, the finding is refuted. An author that was not asked, or did not answer, gives up nothing.

use super::model::{Group, Location, Severity, Stance, Status};
use super::proof::ProofStatus;
use crate::kernel;
use crate::ordered::{BTreeSet, Gather};

/// The votes on a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Count {
    /// Number of authors minus one, plus other seats that agree.
    pub agree: u32,
    /// Number of other seats that disagree, with evidence.
    pub disagree: u32,
    /// Number of other seats that said to agree, but without evidence that counts.
    pub unproven: u32,
    /// Number of distinct vendors among the authors and the seats that agree.
    pub vendors: u32,
}

pub fn count(group: &Group) -> Count {
    let authors = group.authors();
    let mut vendors: BTreeSet<&str> =
        group.members.iter().map(|raised| raised.vendor.as_str()).gather();
    let mut agree = kernel::count(authors.len()).saturating_sub(1);
    let (mut disagree, mut unproven) = (0, 0);
    let others = group.judged.iter().filter(|(seat, _)| !authors.contains(seat));
    for (_, judged) in others {
        match judged.stance {
            Stance::Agree => {
                agree += 1;
                vendors.insert(&judged.vendor);
            }
            Stance::Disagree => disagree += 1,
            Stance::Unsure => unproven += u32::from(judged.said == Stance::Agree),
        }
    }
    Count { agree, disagree, unproven, vendors: kernel::count(vendors.len()) }
}

/// Returns the status of a group: that of the votes, except that a test that shows it stands above them, and that nobody
/// can confirm a P0 or P1 of which nobody says what makes it fail.
pub fn status(group: &Group) -> Status {
    let shown = group.proof.as_ref().map(|proof| proof.status);
    if shown == Some(ProofStatus::Reproduced) {
        return Status::Reproduced;
    }
    let status = by_votes(group);
    if status == Status::Confirmed && group.lacks_trigger() { Status::Unverified } else { status }
}

fn by_votes(group: &Group) -> Status {
    let Count { agree, disagree, unproven, vendors } = count(group);
    if agree == 0 && disagree == 0 {
        return Status::Unverified;
    }
    match Status::of(agree, disagree, vendors) {
        // Who agrees without evidence confirms nothing, but does not let go of it either.
        Status::Refuted if disagree <= agree + unproven => Status::Contested,
        Status::Refuted if disagree == 1 && group.severity() < Severity::P2 && !yields(group) => {
            Status::Disputed
        }
        status => status,
    }
}

/// Whether its author, shown the refutation, no longer stands by it. Who does is not outvoted for want of code, and a
/// stand-in of another vendor, maybe that of the seat that refuted it, gives up nothing for the author.
fn yields(group: &Group) -> bool {
    let wrote = |seat, vendor| {
        group.members.iter().any(|raised| raised.seat == seat && raised.vendor == vendor)
    };
    let mut said = group.rebuttals.iter();
    said.any(|(seat, said)| said.said != Stance::Agree && wrote(*seat, &*said.vendor))
}

/// Whether its author is still to answer the one seat that refuted it.
pub fn awaits_rebuttal(group: &Group) -> bool {
    by_votes(group) == Status::Disputed && group.rebuttals.is_empty()
}

/// Whether a seat is asked about a group again: its author to answer the one refutation; a judge while votes could still
/// settle it, if another has spoken on it since. A seat that reads only what it knows says it again.
pub fn is_asked_again(group: &Group, seat: usize) -> bool {
    if group.authors().contains(&seat) {
        return awaits_rebuttal(group);
    }
    is_open(group) && group.has_news(seat)
}

/// Whether votes and author have said all that they will be asked for.
pub fn is_settled(group: &Group) -> bool {
    status(group).settled() && !awaits_rebuttal(group)
}

/// Whether a group is contested and a judge has not said which side it is on. One that has would say it again in a vote.
pub fn awaits_vote(group: &Group, seat: usize) -> bool {
    let judged = group.judged.get(&seat);
    status(group) == Status::Contested && judged.is_none_or(|judged| judged.said == Stance::Unsure)
}

/// Whether a group is out by rule: its file is not in the change, or it is refuted. No composer is asked about it,
/// and none can bring it back.
pub fn is_out(group: &Group) -> bool {
    group.location() == Location::Outside || status(group) == Status::Refuted
}

/// Whether a group is worth the cost of a further cross-examination: it is not outside the change, and votes could
/// still settle it, and it is a P0 or P1.
pub fn is_open(group: &Group) -> bool {
    let is_grave = group.severity() < Severity::P2;
    let settled = by_votes(group).settled() && !awaits_rebuttal(group);
    is_grave && group.location() != Location::Outside && !settled
}

#[cfg(test)]
mod tests {
    //! Tests of [`super`]: every panel of two, three and four seats against the sentences of the spec.

    use super::*;
    use crate::protocol::review::model::Stance;
    use crate::protocol::review::samples::{at, group};

    /// The relation of a seat to a group.
    #[derive(Clone, Copy, PartialEq)]
    enum Part {
        Author,
        Judge(Stance),
        Silent,
    }

    const PARTS: [Part; 5] = [
        Part::Author,
        Part::Judge(Stance::Agree),
        Part::Judge(Stance::Disagree),
        Part::Judge(Stance::Unsure),
        Part::Silent,
    ];

    /// Calls `each` with every panel of so many seats that has an author: the parts, and a vendor per seat.
    fn panels(seats: usize, mut each: impl FnMut(&[Part], &[usize])) {
        let power = u32::try_from(seats).unwrap();
        for code in 0..5_usize.pow(power) {
            let part = |seat: usize| PARTS[code / 5_usize.pow(u32::try_from(seat).unwrap()) % 5];
            let parts: Vec<Part> = (0..seats).map(part).collect();
            if !parts.contains(&Part::Author) {
                continue;
            }
            for vendors in 0..2_usize.pow(power) {
                let vendors: Vec<usize> = (0..seats).map(|seat| (vendors >> seat) & 1).collect();
                each(&parts, &vendors);
            }
        }
    }

    fn of(severity: Severity, parts: &[Part], vendors: &[usize]) -> Group {
        let names = ["red", "blue"];
        let (mut authors, mut judged) = (Vec::new(), Vec::new());
        for (seat, (part, vendor)) in parts.iter().zip(vendors).enumerate() {
            match part {
                Part::Author => authors.push((seat, names[*vendor])),
                Part::Judge(stance) => judged.push((seat, names[*vendor], *stance)),
                Part::Silent => {}
            }
        }
        group("F1", severity, &authors, &judged)
    }

    /// Returns the statuses that the spec's five sentences name, each checked on its own, without regard to the
    /// others.
    fn sentences(severity: Severity, parts: &[Part], vendors: &[usize]) -> Vec<Status> {
        let number = |part: Part| parts.iter().filter(|one| **one == part).count();
        let authors = number(Part::Author);
        let agree = authors - 1 + number(Part::Judge(Stance::Agree));
        let disagree = number(Part::Judge(Stance::Disagree));
        let speaks = |part: &Part| matches!(part, Part::Author | Part::Judge(Stance::Agree));
        let of = |vendor: usize| {
            let mut seats = parts.iter().zip(vendors);
            seats.any(|(part, own)| speaks(part) && *own == vendor)
        };
        let two_vendors = of(0) && of(1);
        let grave = severity != Severity::P2;
        let mut holds = Vec::new();
        if agree == 0 && disagree == 0 {
            holds.push(Status::Unverified);
        }
        if agree > disagree && !two_vendors {
            holds.push(Status::OneVendor);
        }
        if disagree > agree && grave && disagree == 1 {
            holds.push(Status::Disputed);
        }
        if disagree > agree && !(grave && disagree == 1) {
            holds.push(Status::Refuted);
        }
        if agree == disagree && disagree != 0 {
            holds.push(Status::Contested);
        }
        if agree > disagree && two_vendors {
            holds.push(Status::Confirmed);
        }
        holds
    }

    /// Evidence for agreement must not cost a true finding that somebody believed without quoting a line.
    #[test]
    fn an_agreement_without_evidence_confirms_nothing_and_keeps_from_refutation() {
        use crate::protocol::review::model::SeatJudgement;
        use crate::protocol::review::samples::judgement;
        let unproven = |vendor: &str| SeatJudgement {
            said: Stance::Agree,
            ..judgement(vendor, Stance::Unsure)
        };
        for severity in [Severity::P1, Severity::P2] {
            let alone = |judges: &[(usize, &str, Stance)], hesitant: &[usize]| {
                let mut group = group("F1", severity, &[(0, "red")], judges);
                for seat in hesitant {
                    group.judged.insert(*seat, unproven("green"));
                }
                status(&group)
            };
            assert_eq!(alone(&[], &[1, 2]), Status::Unverified);
            assert_eq!(alone(&[(1, "blue", Stance::Disagree)], &[2]), Status::Contested);
            let two = [(1, "blue", Stance::Disagree), (3, "blue", Stance::Disagree)];
            assert_eq!(alone(&two, &[2]), Status::Refuted);
            assert_eq!(alone(&two, &[2, 4]), Status::Contested);
        }
    }

    #[test]
    fn nobody_but_its_author_gives_a_finding_up() {
        use crate::protocol::review::samples::judgement;
        let refuted = [(1, "blue", Stance::Disagree)];
        for (vendor, stance, expected) in [
            ("red", Stance::Disagree, Status::Refuted),
            ("red", Stance::Unsure, Status::Refuted),
            ("red", Stance::Agree, Status::Disputed),
            // The author's CLI failed, and the vendor that refuted it, or a third one, stepped in.
            ("blue", Stance::Disagree, Status::Disputed),
            ("green", Stance::Unsure, Status::Disputed),
        ] {
            let mut group = group("F1", Severity::P0, &[(0, "red")], &refuted);
            assert!(awaits_rebuttal(&group));
            group.rebuttals.insert(0, judgement(vendor, stance));
            assert_eq!((status(&group), awaits_rebuttal(&group)), (expected, false), "{vendor}");
        }
    }

    #[test]
    fn every_panel_has_the_one_status_that_the_spec_names() {
        let mut seen = 0;
        for seats in 2..=4 {
            panels(seats, |parts, vendors| {
                for severity in Severity::ALL {
                    let expected = sentences(severity, parts, vendors);
                    assert_eq!(expected.len(), 1, "the sentences are total and disjoint");
                    let group = of(severity, parts, vendors);
                    assert_eq!(status(&group), expected[0], "{group:?}");
                    // Of two or three no vote says more: the bound of a review counts none.
                    let mut judges = (0..seats).filter(|seat| parts[*seat] != Part::Author);
                    assert!(seats > 3 || !judges.any(|seat| awaits_vote(&group, seat)));
                    seen += 1;
                }
            });
        }
        // (5^n - 4^n) panels with an author, 2^n ways to assign two vendors, 3 severities.
        assert_eq!(seen, 3 * (9 * 4 + 61 * 8 + 369 * 16));
    }

    #[test]
    fn an_authors_judgement_never_counts() {
        for stance in Stance::ALL {
            let own = group("F1", Severity::P1, &[(0, "red")], &[(0, "red", stance)]);
            assert_eq!(status(&own), Status::Unverified, "{stance:?}");
            let authors = [(0, "red"), (1, "blue")];
            let both = group("F1", Severity::P1, &authors, &[(1, "blue", stance)]);
            assert_eq!(status(&both), Status::Confirmed, "{stance:?}");
        }
    }

    #[test]
    fn repeats_of_one_author_are_one_voice() {
        let twice = group("F1", Severity::P1, &[(0, "red"), (0, "blue")], &[]);
        assert_eq!(count(&twice).agree, 0);
        assert_eq!(status(&twice), Status::Unverified);
    }

    #[test]
    fn a_group_is_out_if_refuted_or_outside_and_open_if_neither_settled_nor_outside() {
        let agree = [(1, "blue", Stance::Agree)];
        let disagree = [(1, "blue", Stance::Disagree)];
        let author = [(0, "red")];
        for (group, out, open) in [
            (group("F1", Severity::P2, &author, &disagree), true, false),
            // Its author is still to be asked.
            (group("F1", Severity::P0, &author, &disagree), false, true),
            (group("F1", Severity::P0, &author, &agree), false, false),
            (group("F1", Severity::P0, &author, &[]), false, true),
            (at(group("F1", Severity::P0, &author, &[]), Location::Outside), true, false),
            (at(group("F1", Severity::P0, &author, &agree), Location::Outside), true, false),
            (at(group("F1", Severity::P0, &author, &[]), Location::Mislocated), false, true),
        ] {
            assert_eq!((is_out(&group), is_open(&group)), (out, open), "{group:?}");
        }
    }
}
