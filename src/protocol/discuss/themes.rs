//! Groups the points of several perspectives: themes that they share, and views in which they differ.
//!
//! # Theory of operation
//!
//! Points (strengths, weaknesses, suggestions, risks, missing requirements) are grouped by their words. Two points are
//! alike if they have the same words, or share 45% of the keywords that either has, unless one of these rules keeps
//! them apart:
//!
//! * both name ids or numbers, and have none in common (`FR-12`, `FR-17`);
//! * both are of one kind and follow one pattern with a different subject ("no test plan for the client", "no release
//!   plan for the client");
//! * both are suggestions, and one of them says "not", "never", "without" and the like;
//! * both are in the same list of the same perspective: an author who lists them separately tells them apart.
//!
//! All points of a group are alike to each other, so that no chain of intermediate points joins unlike ones. The most
//! alike are grouped first, and ties go by text, kind and perspective: the groups do not depend on the order of the
//! answers.
//!
//! A wrong group hides the points it absorbs, a missed one costs its reader a line: wherever there was a choice,
//! points were left apart, and every group keeps its members. Two missing requirements must share 75%.
//!
//! # Accuracy
//!
//! Measured on pairs that were written for this purpose (`themes/pair_tests.rs`): of 88 pairs on which the bound was
//! chosen, 7 of the 44 that belong together were grouped, and none of the 44 others; of 32 held out, 6 of 16, and none of
//! the 16 others. So a reported theme is nearly always one, and most of the existing themes are not reported: two
//! perspectives that say the same in different words ("no buffer for the audit", "no slack if the audit takes longer")
//! yield two lines.

mod cluster;
mod likeness;

use std::cmp::Reverse;

pub(super) use cluster::Clusters;

use super::model::{Critique, PerspectiveReply, Point, PointKind, Severity, Theme, View};

/// The themes that perspectives share, and the views in which they differ.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ThemeGroups {
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

/// Groups the points of all perspectives, which are expected in the order asked.
pub fn group(voices: &[PerspectiveReply]) -> ThemeGroups {
    let points: Vec<Point> = voices
        .iter()
        .flat_map(|voice| KINDS.into_iter().flat_map(|kind| points(voice, kind)))
        .collect();
    let clusters = Clusters::of(&points);
    let mut grouped = ThemeGroups::default();
    for places in clusters.groups() {
        let members: Vec<Point> = places.iter().map(|at| points[*at].clone()).collect();
        let perspectives = perspectives(&members, |_| true);
        let middle = clusters.middle(places).map(|at| points[at].text.clone());
        let (Some(text), 2..) = (middle, perspectives.len()) else {
            continue;
        };
        let praised_by = self::perspectives(&members, |kind| kind == PointKind::Strength);
        let faulted_by = self::perspectives(&members, faults);
        let differ = (praised_by.iter()).any(|one| faulted_by.iter().any(|other| one != other));
        if differ {
            grouped.views.push(View {
                text,
                severity: Severity::Low,
                praised_by,
                faulted_by,
                members,
            });
        } else {
            grouped.themes.push(Theme { text, perspectives, members });
        }
    }
    (grouped.themes).sort_by_key(|theme| Reverse(theme.perspectives.len()));
    (grouped.views).sort_by_key(|view| Reverse(perspectives(&view.members, |_| true).len()));
    grouped
}

/// Whether a kind of point counts against the artifact; a suggestion may come with praise.
const fn faults(kind: PointKind) -> bool {
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
mod pair_tests;
#[cfg(test)]
pub(in crate::protocol::discuss) mod samples;
#[cfg(test)]
mod tests;
