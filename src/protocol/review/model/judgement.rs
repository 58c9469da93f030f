//! Types for the rules' conclusions from the blocks: locations, groups, judgements that count, statuses, verdict,
//! outcome.

use crate::kernel::EndWord;
use crate::ordered::{BTreeMap, BTreeSet, Gather};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Finding, Severity, Stance};

use crate::change::Change;
use crate::protocol::council;
use crate::protocol::review::fingerprint::fingerprint;
use crate::protocol::review::proof::Proof;
use crate::words;

/// Whether a finding is where it says (`docs/review.md`, step 2).
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Location {
    /// File, and line or quote, were found.
    Located,
    /// The file is in the change, the line or the quote is not there.
    Mislocated,
    /// The file is not in the change.
    Outside,
}

/// How close a located finding is to what changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Distance {
    /// In a changed hunk.
    Exact,
    /// Elsewhere in the file.
    Context,
    /// In lines that the change removes.
    Removed,
}

/// A finding after the check of its location.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocatedFinding {
    /// The finding; `file` is the normalised path, and `line` the corrected line if the quote was found elsewhere.
    pub finding: Finding,
    /// Whether the finding is where it claims to be.
    pub location: Location,
    /// Distance to the change; `None` unless the finding is located, or if it names neither line nor quote.
    pub nearness: Option<Distance>,
    /// The line that the reviewer wrote, if it was corrected.
    pub written_line: Option<u32>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuthoredFinding {
    pub seat: usize,
    /// The vendor that answered for the seat at the time.
    pub vendor: String,
    /// The batch that it is about, from 0.
    pub batch: usize,
    /// 1 for the independent reviews; higher for findings added by a cross-review.
    pub round: u32,
    pub placed: LocatedFinding,
}

/// A seat's latest judgement on a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeatJudgement {
    /// The vendor that answered for the seat at the time.
    pub vendor: String,
    pub round: u32,
    /// The stance as counted: without evidence that was found, `Unsure`.
    pub stance: Stance,
    pub said: Stance,
    pub reason: String,
    /// The evidence, if it was found in the change.
    pub evidence: Option<String>,
    /// The part of the finding that it agrees with.
    pub only: Option<String>,
    /// The severity that it gives the defect.
    pub severity: Option<Severity>,
    /// The id of a group that it says is about the same defect.
    pub same_as: Option<String>,
    /// The lines that it would have to see, if it is unsure: `src/a.rs:480-500`.
    pub lines: Option<String>,
}

/// Findings about the same defect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// Neutral and stable id: `F1`.
    pub id: String,
    /// The findings, in a fixed order that does not depend on the seats' order; never empty. The first is the one
    /// shown.
    pub members: Vec<AuthoredFinding>,
    /// The latest judgements by seat; never an author's.
    pub judged: BTreeMap<usize, SeatJudgement>,
    /// What its author said to the one seat that refuted it; asked once.
    pub rebuttals: BTreeMap<usize, SeatJudgement>,
    /// What came of testing it, if it was tested.
    pub proof: Option<Proof>,
    /// Hash of the file, the symbol and the quoted code: unchanged as long as that code is.
    pub fingerprint: String,
}

impl Group {
    pub(crate) fn new(number: usize, members: Vec<AuthoredFinding>, change: &Change) -> Self {
        let shown = members.first().map(|first| fingerprint(change, &first.placed));
        Self {
            id: format!("F{number}"),
            fingerprint: shown.unwrap_or_default(),
            members,
            judged: BTreeMap::new(),
            rebuttals: BTreeMap::new(),
            proof: None,
        }
    }

    /// Returns the groups that two vendors call the same as one, as if they had been grouped at once. Who agreed with one of
    /// them agrees, whatever it said of the others.
    pub(crate) fn pooled(groups: &[&Self]) -> Option<Self> {
        let (first, others) = groups.split_first()?;
        let mut pooled = (*first).clone();
        for other in others {
            pooled.members.extend(other.members.iter().cloned());
            for (seat, judged) in &other.judged {
                let said = pooled.judged.entry(*seat).or_insert_with(|| judged.clone());
                if judged.stance < said.stance {
                    said.clone_from(judged);
                }
            }
        }
        let proofs = groups.iter().filter_map(|group| group.proof.clone());
        pooled.proof = proofs.min_by_key(|proof| proof.status);
        Some(pooled)
    }

    /// Returns the seats that wrote the group's findings.
    pub fn authors(&self) -> BTreeSet<usize> {
        self.members.iter().map(|raised| raised.seat).gather()
    }

    /// Returns the severity: the highest that seats of two vendors give, where a P0 counts for a P1 and a P2 too. It
    /// is the highest that an author gave without two vendors, and where all authors are of one vendor: a judge
    /// confirms that severity or leaves it unconfirmed.
    pub fn severity(&self) -> Severity {
        self.confirmed_severity().unwrap_or_else(|| self.highest())
    }

    /// Returns the highest severity given by one of the authors.
    pub fn highest(&self) -> Severity {
        let severities = self.members.iter().map(|raised| raised.placed.finding.severity);
        severities.min().unwrap_or(Severity::P2)
    }

    /// Whether only one vendor stands behind the severity. A P2 is the least that a finding can be, so there is
    /// nothing to confirm.
    pub fn severity_unconfirmed(&self) -> bool {
        self.confirmed_severity().is_none() && self.highest() < Severity::P2
    }

    /// Returns the highest severity that two vendors give: as authors, or as judges who agree and name one. Silence
    /// about the severity gives none.
    fn confirmed_severity(&self) -> Option<Severity> {
        let authors = self.authors();
        let wrote =
            self.members.iter().map(|raised| (&raised.vendor, raised.placed.finding.severity));
        let judged = self
            .judged
            .iter()
            .filter(|(seat, judged)| judged.stance == Stance::Agree && !authors.contains(seat));
        let judged = judged.filter_map(|(_, judged)| Some((&judged.vendor, judged.severity?)));
        let mut worst: BTreeMap<&String, Severity> = BTreeMap::new();
        for (vendor, severity) in wrote.chain(judged) {
            let worst = worst.entry(vendor).or_insert(severity);
            *worst = severity.min(*worst);
        }
        let mut given: Vec<Severity> = worst.into_values().collect();
        given.sort_unstable();
        let second = given.get(1).copied()?;
        // Authors of two vendors weigh the harm independently. A judge has read what it weighs: alone it confirms a
        // severity, but lowers none, as it alone refutes no P0.
        let wrote = self.members.iter().map(|raised| &raised.vendor);
        if wrote.gather::<BTreeSet<_>>().len() > 1 {
            return Some(second);
        }
        Some(self.highest()).filter(|highest| second <= *highest)
    }

    /// Returns what makes it fail, as the first author who says so tells it.
    pub fn trigger(&self) -> Option<&str> {
        let mut told =
            self.members.iter().filter_map(|raised| raised.placed.finding.trigger.as_deref());
        told.find(|trigger| !trigger.trim().is_empty())
    }

    /// Whether it is a P0 or P1 of which nobody says what makes it fail: it is not confirmed, whoever agrees.
    pub fn lacks_trigger(&self) -> bool {
        self.severity() < Severity::P2 && self.trigger().is_none()
    }

    /// Whether another seat has spoken on it since a seat last judged it.
    pub(crate) fn has_news(&self, seat: usize) -> bool {
        let judged = self.judged.iter().map(|(other, judged)| (*other, judged.round));
        let wrote = self.members.iter().map(|raised| (raised.seat, raised.round));
        council::has_news(seat, judged, wrote)
    }

    /// Returns the finding as it is shown: in the words of its first author, with what the group adds. `None` for a group
    /// without members, of which there is none.
    pub fn shown(&self) -> Option<Finding> {
        let first = &self.members.first()?.placed.finding;
        let trigger = self.trigger().map(str::to_owned);
        Some(Finding { severity: self.severity(), trigger, ..first.clone() })
    }

    /// Returns the best location among the members.
    pub fn location(&self) -> Location {
        let places = self.members.iter().map(|raised| raised.placed.location);
        places.min().unwrap_or(Location::Outside)
    }
}

words! {
    /// The verdict on the whole change.
    #[derive(PartialOrd, Ord, Hash)]
    pub enum Verdict {
        /// Everyone reviewed everything and nothing remains.
        Clean = "clean",
        /// Something minor remains, or only one seat refuted something serious.
        Comments = "comments",
        /// A P0 or a P1 remains.
        ChangesRequested = "changes_requested",
        /// Quorum is missing, or nothing remains but not everyone reviewed everything.
        Undecided = "undecided",
    }
}

impl EndWord for Verdict {
    fn closes(self) -> bool {
        self != Self::Undecided
    }

    fn decides(self) -> bool {
        self.closes()
    }
}

#[cfg(test)]
mod tests {
    //! Tests of a group's severity and trigger, row by row.

    use super::*;
    use crate::protocol::review::samples;
    use crate::protocol::review::samples::{group, judgement, raised};

    use Severity::{P0, P1, P2};

    fn of(authors: &[(&str, Severity)], judges: &[(&str, Option<Severity>)]) -> Group {
        let mut group = group("F1", P2, &[], &[]);
        for (seat, (vendor, severity)) in authors.iter().enumerate() {
            let finding = samples::finding(*severity, "src/db/pool.rs", Some(12), "t");
            group.members.push(raised(seat, vendor, finding));
        }
        for (at, (vendor, severity)) in judges.iter().enumerate() {
            let agreed = SeatJudgement { severity: *severity, ..judgement(vendor, Stance::Agree) };
            group.judged.insert(authors.len() + at, agreed);
        }
        group
    }

    #[test]
    fn the_severity_is_the_highest_that_two_vendors_give() {
        type Row = (
            &'static [(&'static str, Severity)],
            &'static [(&'static str, Option<Severity>)],
            Severity,
            bool,
        );
        let rows: [Row; 15] = [
            // Authors, judges who agree, the severity, whether it is unconfirmed.
            (&[("red", P0)], &[], P0, true),
            (&[("red", P1)], &[("blue", None)], P1, true),
            (&[("red", P2)], &[("blue", None)], P2, false),
            (&[("red", P0)], &[("blue", Some(P0))], P0, false),
            // A P0 counts for a P1 and a P2.
            (&[("red", P0), ("blue", P1)], &[], P1, false),
            (&[("red", P0), ("blue", P2)], &[], P2, false),
            (&[("red", P1)], &[("blue", Some(P0))], P1, false),
            (&[("red", P0), ("blue", P2)], &[("green", Some(P1))], P1, false),
            (&[("red", P0), ("blue", P2)], &[("green", Some(P0))], P0, false),
            // A judge alone lowers nothing.
            (&[("red", P0)], &[("blue", Some(P1))], P0, true),
            (&[("red", P0)], &[("blue", Some(P2)), ("green", Some(P1))], P0, true),
            // The highest of a vendor counts for it, and one vendor confirms nothing.
            (&[("red", P0)], &[("red", Some(P2))], P0, true),
            (&[("red", P2), ("red", P0)], &[("blue", Some(P0))], P0, false),
            (&[("red", P2)], &[("blue", Some(P0))], P2, false),
            (&[("red", P1)], &[("blue", None), ("green", Some(P1))], P1, false),
        ];
        for (authors, judges, severity, unconfirmed) in rows {
            let group = of(authors, judges);
            let found = (group.severity(), group.severity_unconfirmed());
            assert_eq!(found, (severity, unconfirmed), "{authors:?} {judges:?}");
        }
    }

    #[test]
    fn only_who_agrees_and_did_not_write_it_gives_a_severity() {
        for stance in [Stance::Disagree, Stance::Unsure] {
            let mut group = of(&[("red", P0)], &[("blue", Some(P2))]);
            group.judged.get_mut(&1).unwrap().stance = stance;
            assert_eq!((group.severity(), group.severity_unconfirmed()), (P0, true));
        }
        let mut own = of(&[("red", P0)], &[]);
        own.judged
            .insert(0, SeatJudgement { severity: Some(P2), ..judgement("blue", Stance::Agree) });
        assert_eq!(own.severity(), P0);
    }

    #[test]
    fn a_grave_finding_needs_a_trigger_of_any_author() {
        for (severity, triggers, lacks) in [
            (P0, [None, None], true),
            (P1, [Some(" "), None], true),
            (P1, [None, Some("with 0")], false),
            (P2, [None, None], false),
        ] {
            let mut group = of(&[("red", severity), ("blue", severity)], &[]);
            for (member, trigger) in group.members.iter_mut().zip(triggers) {
                member.placed.finding.trigger = trigger.map(str::to_owned);
            }
            assert_eq!(group.lacks_trigger(), lacks, "{severity:?} {triggers:?}");
        }
    }
}
