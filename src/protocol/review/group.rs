//! Grouping of findings about the same defect (`docs/review.md`, step 3).
//!
//! # Theory of operation
//!
//! Two findings are the same if they are in the same file and
//!
//! * their lines overlap or are at most `NEAR_LINES` apart, and their texts are alike; or
//! * they have the same substantial quote, and were not found at two places of the file that are further apart than
//!   that: the same faulty line written twice is two faults; or
//! * their lines overlap, and the quote of one contains that of the other: one line, one defect.
//!
//! Two findings that name no line are about their file as a whole, and overlap. Equal titles alone never make two
//! findings the same, and severity plays no part. [`cluster`] joins all findings that are linked, whoever wrote them,
//! so that the groups do not depend on any order. [`join`] adds the findings of later rounds: existing groups keep
//! their id, their members and the finding that is shown, and never merge.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::locate;
use super::model::{AuthoredFinding, Group, Location, Severity};
use crate::change::Change;
use crate::protocol::council::group;
use crate::text::similarity;

#[cfg(test)]
mod pair_tests;
#[cfg(test)]
mod tests;

/// The maximum number of lines between two findings about the same defect (`docs/review.md`, step 3).
const NEAR_LINES: u32 = 5;
/// Texts are alike if they share at least this percentage of their keywords. Among the pairs in the tests, two
/// descriptions of one fault share 20 to 58, and two faults of one function, which share its names, up to 22. The
/// threshold is set so that two faults never become one: a fault listed twice costs its reader a line, but two in one
/// group hide one of them and pass for agreement.
const ALIKE_PERCENT: usize = 25;
/// Maximum number of keywords of a finding that are compared: a longer text is not a description.
const MOST_WORDS: usize = 400;

/// Groups the findings of the independent reviews. Ids are `F1`, `F2`, ... in order of file, line, severity, text.
pub fn cluster(raised: Vec<AuthoredFinding>, change: &Change) -> Vec<Group> {
    let raised = sorted(raised);
    let mut words = Words::default();
    let traits: Vec<Traits> = raised.iter().map(|one| words.traits(one)).collect();
    let alike = |one: usize, other: usize| traits[one].same(&traits[other]);
    let groups = group::cluster(raised.len(), alike, |_, _| false).into_iter();
    let findings = |members: Vec<usize>| members.into_iter().map(|at| raised[at].clone()).collect();
    let mut groups: Vec<Vec<AuthoredFinding>> = groups.map(findings).collect();
    groups.sort_by_cached_key(|members| members.first().map(place_key));
    (1..).zip(groups).map(|(number, members)| Group::new(number, members, change)).collect()
}

/// Adds the findings of a later round: each joins the group that it fits best by its quote, then by likeness, then by
/// nearness, or opens a new one. A seat that becomes an author of a group loses its judgement on it.
pub fn join(groups: &mut Vec<Group>, raised: Vec<AuthoredFinding>, change: &Change) {
    let mut words = Words::default();
    let members = |group: &Group| group.members.iter().map(|one| words.traits(one)).collect();
    let mut known: Vec<Vec<Traits>> = groups.iter().map(members).collect();
    for finding in sorted(raised) {
        let traits = words.traits(&finding);
        if let Some(at) = group::best(&known, |other| traits.same(other)) {
            groups[at].judged.remove(&finding.seat);
            groups[at].members.push(finding);
            known[at].push(traits);
        } else {
            groups.push(Group::new(groups.len() + 1, vec![finding], change));
            known.push(vec![traits]);
        }
    }
}

/// Sorts findings so that the best to show come first: by location, severity, and length of description, then by
/// everything else; by seat last, if nothing else differs.
fn sorted(mut raised: Vec<AuthoredFinding>) -> Vec<AuthoredFinding> {
    raised.sort_by_cached_key(|one| {
        let finding = &one.placed.finding;
        (
            (one.placed.location, finding.severity),
            Reverse(finding.detail.chars().count()),
            place_key(one),
            finding.quote.clone(),
            (one.round, one.batch, one.placed.written_line),
            (one.vendor.clone(), one.seat),
        )
    });
    raised
}

/// A finding's place in the order of the groups.
type PlaceKey = ((Location, String), (Option<u32>, Option<u32>), Severity, [String; 3]);

/// Returns file, line, severity and text; findings without a line come first, findings outside the change last.
fn place_key(raised: &AuthoredFinding) -> PlaceKey {
    let finding = &raised.placed.finding;
    let outside = match raised.placed.location {
        Location::Located | Location::Mislocated => Location::Located,
        Location::Outside => Location::Outside,
    };
    (
        (outside, finding.file.clone()),
        (finding.line, finding.end_line),
        finding.severity,
        [&finding.title, &finding.detail, &finding.fix].map(Clone::clone),
    )
}

/// Words as numbers, for fast comparison of texts.
#[derive(Default)]
struct Words(BTreeMap<String, u32>);

/// The compared properties of a finding.
struct Traits {
    file: String,
    lines: Option<(u32, u32)>,
    /// Whether the program found the place: its line is then reliable.
    located: bool,
    quote: Option<String>,
    /// Keywords of title and description, sorted.
    words: Vec<u32>,
    /// Title and description.
    text: String,
}

impl Words {
    fn traits(&mut self, raised: &AuthoredFinding) -> Traits {
        let finding = &raised.placed.finding;
        let (title, detail) = (finding.title.as_str(), finding.detail.as_str());
        let keywords = similarity::keywords([title, detail]);
        let mut words = Vec::with_capacity(keywords.len());
        for word in keywords.into_iter().take(MOST_WORDS) {
            let next = u32::try_from(self.0.len()).unwrap_or(u32::MAX);
            words.push(*self.0.entry(word).or_insert(next));
        }
        words.sort_unstable();
        Traits {
            file: finding.file.clone(),
            lines: finding.line.map(|line| (line, finding.end_line.unwrap_or(line))),
            located: raised.placed.location == Location::Located,
            quote: finding.quote.as_deref().and_then(locate::quote_key),
            words,
            text: format!("{title}\n{detail}"),
        }
    }
}

impl Traits {
    /// Returns how well two findings fit: by their quote, their likeness, their nearness; `None` if they are not the same.
    fn same(&self, other: &Self) -> Option<(bool, usize, Reverse<u32>)> {
        let near = self.gap(other) <= NEAR_LINES;
        let apart = self.located && other.located && !near;
        let quoted = (self.quote.as_ref().zip(other.quote.as_ref())).is_some_and(|(one, two)| {
            let contained = self.gap(other) == 0 && (one.contains(&**two) || two.contains(&**one));
            one == two || contained
        });
        let is_same =
            self.file == other.file && ((quoted && !apart) || (near && self.is_alike(other)));
        is_same.then(|| (quoted, self.likeness(other), Reverse(self.gap(other))))
    }

    /// Returns the number of lines between two findings; 0 if they overlap, or neither names a line.
    fn gap(&self, other: &Self) -> u32 {
        match (self.lines, other.lines) {
            (Some((first, last)), Some((start, end))) => {
                start.saturating_sub(last).max(first.saturating_sub(end))
            }
            (None, None) => 0,
            (Some(_), None) | (None, Some(_)) => u32::MAX,
        }
    }

    fn is_alike(&self, other: &Self) -> bool {
        self.text == other.text || self.likeness(other) >= ALIKE_PERCENT
    }

    /// Returns the share of keywords that are in both, percent, rounded down.
    fn likeness(&self, other: &Self) -> usize {
        let (mut shared, mut rest) = (0_usize, other.words.iter().peekable());
        for word in &self.words {
            while rest.next_if(|next| *next < word).is_some() {}
            shared += usize::from(rest.next_if(|next| *next == word).is_some());
        }
        let all = self.words.len() + other.words.len() - shared;
        (100 * shared).checked_div(all).unwrap_or(0)
    }
}
