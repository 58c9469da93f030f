//! Groups points that name the same place, or are the same sentence.

use std::cmp::Reverse;

use super::place;
use crate::protocol::discuss::input::Artifact;
use crate::protocol::discuss::model::{Point, PointKind};

/// Groups points: each is in exactly one group, each group is in order, and the groups are sorted by their first point.
/// The groups do not depend on the order of the points.
pub(super) fn groups(points: &[Point], shown: &[&Artifact]) -> Vec<Vec<Point>> {
    let texts = place::texts(shown);
    let places: Vec<_> = points.iter().map(|point| place::named_by(&texts, &point.text)).collect();
    let count = points.len();
    let mut joined = vec![vec![false; count]; count];
    let mut pairs = Vec::new();
    for one in 0..count {
        for other in one + 1..count {
            let (first, second) = (&points[one], &points[other]);
            let same = (first.text == second.text).then_some(first.text.len());
            if may_join(first, second)
                && let Some(shared) = same.max(place::shared(&places[one], &places[other]))
            {
                let kinds = first.kind != second.kind;
                let both = (first.min(second), first.max(second));
                pairs.push((kinds, Reverse(shared), both, one, other));
                joined[one][other] = true;
                joined[other][one] = true;
            }
        }
    }
    pairs.sort_unstable();
    let mut home: Vec<usize> = (0..count).collect();
    let mut members: Vec<Vec<usize>> = (0..count).map(|at| vec![at]).collect();
    for (.., one, other) in pairs {
        let (into, from) = (home[one].min(home[other]), home[one].max(home[other]));
        let mut across = members[into]
            .iter()
            .flat_map(|one| members[from].iter().map(|other| joined[*one][*other]));
        if into != from && across.all(|joined| joined) {
            let moved = std::mem::take(&mut members[from]);
            for at in &moved {
                home[*at] = into;
            }
            members[into].extend(moved);
            members[into].sort_unstable();
        }
    }
    members.retain(|members| !members.is_empty());
    members.sort_unstable();
    let group = |members: Vec<usize>| members.iter().map(|at| points[*at].clone()).collect();
    members.into_iter().map(group).collect()
}

/// Whether points may be about the same: an author tells its own apart, and a suggestion says what should be, not what
/// is wrong.
fn may_join(one: &Point, other: &Point) -> bool {
    let suggests = |point: &Point| point.kind == PointKind::Suggestion;
    one.perspective != other.perspective && suggests(one) == suggests(other)
}
