//! What the votes say of a group (`spec/review-and-plan.md`, step 4).
//!
//! An author speaks for its finding once, by writing it: what it may have judged later does not
//! count. The first author opens the question and is no vote; each further author agrees. A seat that
//! failed, or that was not asked, is no vote at all.

use std::collections::BTreeSet;

use super::model::{Group, Location, Severity, Stance, Status};

#[cfg(test)]
mod tests;

/// The votes on a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Count {
    /// Authors but one, and others that agree.
    pub agree: u32,
    /// Others that disagree, with evidence.
    pub disagree: u32,
    /// Different vendors of the authors and of those that agree.
    pub vendors: u32,
}

/// Counts the votes on a group.
pub fn count(group: &Group) -> Count {
    let authors = group.authors();
    let mut vendors: BTreeSet<&str> =
        group.members.iter().map(|raised| raised.vendor.as_str()).collect();
    let mut agree = size(authors.len()).saturating_sub(1);
    let mut disagree = 0;
    let others = group.judged.iter().filter(|(seat, _)| !authors.contains(seat));
    for (_, judged) in others {
        match judged.stance {
            Stance::Agree => {
                agree += 1;
                vendors.insert(&judged.vendor);
            }
            Stance::Disagree => disagree += 1,
            Stance::Unsure => {}
        }
    }
    Count { agree, disagree, vendors: size(vendors.len()) }
}

/// Returns what the votes say of a group.
pub fn status(group: &Group) -> Status {
    let Count { agree, disagree, vendors } = count(group);
    if agree == 0 && disagree == 0 {
        return Status::Unverified;
    }
    match disagree.cmp(&agree) {
        std::cmp::Ordering::Greater => match (group.severity(), disagree) {
            (Severity::P0 | Severity::P1, 1) => Status::Disputed,
            (Severity::P0 | Severity::P1 | Severity::P2, _) => Status::Refuted,
        },
        std::cmp::Ordering::Equal => Status::Contested,
        std::cmp::Ordering::Less if vendors >= 2 => Status::Confirmed,
        std::cmp::Ordering::Less => Status::Unverified,
    }
}

/// Whether a group is out by rule: its file is not in the change, or it is refuted. No composer is
/// asked about it, and none can bring it back.
pub fn is_out(group: &Group) -> bool {
    group.location() == Location::Outside || status(group) == Status::Refuted
}

/// Whether a further cross-examination is worth its money for a group: it is not settled, and not
/// out by rule.
pub fn is_open(group: &Group) -> bool {
    group.location() != Location::Outside && !status(group).settled()
}

/// Returns a count as it stands in results; there are far fewer seats than 2^32.
fn size(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
