//! Groups the points of several perspectives: themes that they share, and views in which they differ.
//!
//! # Theory of operation
//!
//! Points (strengths, weaknesses, suggestions, risks, missing requirements) are grouped by what they are about. Two
//! points of different perspectives are together if they name the same place of the artifact or of its context: both
//! quote it, one quotation within the other, or name a figure or an id that stands there ([`place`]). Words that are
//! alike join nothing, and a point without a place joins only what is the same to the letter. A suggestion says what
//! should be, not what is wrong: it joins suggestions alone.
//!
//! All points of a group share a place with each other, so that no chain of intermediate points joins unlike ones.
//! Points of one kind are grouped first, then those that share the longest words, and ties go by perspective, kind and
//! text: the groups do not depend on the order of the answers.
//!
//! What is said about a place may still differ: every group keeps its members, each in its author's words, and the text
//! that stands for it is that of its first.

mod cluster;
mod place;

use std::cmp::Reverse;

use super::input::Artifact;
use super::model::{Critique, PerspectiveReply, Point, PointKind, Severity, Theme, View};

/// The themes that perspectives share, and the views in which they differ.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ThemeGroups {
    /// All points: each in one group, and most in one of their own.
    pub groups: Vec<Vec<Point>>,
    /// Points raised by two or more perspectives: the most shared first, then in the order asked.
    pub themes: Vec<Theme>,
    /// Points praised by one perspective and faulted by another, in the same order.
    pub views: Vec<View>,
}

/// All kinds, in the order of a group's members.
const KINDS: [PointKind; 5] = [
    PointKind::Strength,
    PointKind::Weakness,
    PointKind::Suggestion,
    PointKind::Risk,
    PointKind::MissingRequirement,
];

/// Groups the points of all perspectives, which are expected in the order asked; `shown`: what they have read.
pub fn group(voices: &[PerspectiveReply], shown: &[&Artifact]) -> ThemeGroups {
    let points: Vec<Point> = voices
        .iter()
        .flat_map(|voice| KINDS.into_iter().flat_map(|kind| points(voice, kind)))
        .collect();
    let mut grouped =
        ThemeGroups { groups: cluster::groups(&points, shown), ..ThemeGroups::default() };
    for members in &grouped.groups {
        let [first, _, ..] = &members[..] else {
            continue;
        };
        let praise = members.iter().find(|point| point.kind == PointKind::Strength);
        let faulted_by = perspectives(members, faults);
        match praise.filter(|_| !faulted_by.is_empty()) {
            Some(praise) => grouped.views.push(View {
                text: praise.text.clone(),
                severity: Severity::Low,
                praised_by: perspectives(members, |kind| kind == PointKind::Strength),
                faulted_by,
                members: members.clone(),
            }),
            None => grouped.themes.push(Theme {
                text: first.text.clone(),
                perspectives: perspectives(members, |_| true),
                members: members.clone(),
            }),
        }
    }
    (grouped.themes).sort_by_key(|theme| Reverse(theme.perspectives.len()));
    (grouped.views).sort_by_key(|view| Reverse(view.members.len()));
    grouped
}

/// Whether a kind of point counts against the artifact; a suggestion may come with praise.
pub(super) const fn faults(kind: PointKind) -> bool {
    match kind {
        PointKind::Weakness | PointKind::Risk | PointKind::MissingRequirement => true,
        PointKind::Strength | PointKind::Suggestion => false,
    }
}

/// Returns a perspective's points of one kind, as written, without blank ones and duplicates.
pub(super) fn points(voice: &PerspectiveReply, kind: PointKind) -> Vec<Point> {
    let texts = texts(&voice.critique, kind);
    (texts.iter().enumerate())
        .filter(|(at, text)| {
            let text = text.trim();
            !text.is_empty() && !texts[..*at].iter().any(|before| before.trim() == text)
        })
        .map(|(_, text)| Point { perspective: voice.perspective.clone(), kind, text: text.clone() })
        .collect()
}

fn texts(critique: &Critique, kind: PointKind) -> &[String] {
    match kind {
        PointKind::Strength => &critique.strengths,
        PointKind::Weakness => &critique.weaknesses,
        PointKind::Suggestion => &critique.suggestions,
        PointKind::Risk => &critique.risks,
        PointKind::MissingRequirement => &critique.missing_requirements,
    }
}

/// Returns the perspectives behind the matching points, each once, in their order.
pub(super) fn perspectives(members: &[Point], of: impl Fn(PointKind) -> bool) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for point in members.iter().filter(|point| of(point.kind)) {
        if !names.contains(&point.perspective) {
            names.push(point.perspective.clone());
        }
    }
    names
}

#[cfg(test)]
pub(in crate::protocol::discuss) mod samples;
#[cfg(test)]
mod tests;
