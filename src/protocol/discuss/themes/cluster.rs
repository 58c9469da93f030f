//! Groups points that say the same.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::likeness::{Traits, Words};
use crate::protocol::discuss::model::{Point, PointKind};

/// Groups of points, and the traits by which they were formed.
pub(in crate::protocol::discuss) struct Clusters {
    traits: Vec<Traits>,
    groups: Vec<Vec<usize>>,
}

impl Clusters {
    /// Groups points. The groups do not depend on the order of the points.
    pub(in crate::protocol::discuss) fn of(points: &[Point]) -> Self {
        let mut order: Vec<usize> = (0..points.len()).collect();
        order.sort_by_key(|at| {
            let point = &points[*at];
            (&point.text, point.kind, &point.perspective)
        });
        // From now on a point is identified by its index in this order.
        let points: Vec<&Point> = order.iter().map(|at| &points[*at]).collect();
        let mut words = Words::default();
        let traits: Vec<Traits> =
            points.iter().map(|point| words.traits(point.kind, &point.text)).collect();
        let mut groups: Vec<Vec<usize>> = join(&points, &traits)
            .into_iter()
            .map(|members| {
                let mut members: Vec<usize> = members.into_iter().map(|at| order[at]).collect();
                members.sort_unstable();
                members
            })
            .collect();
        groups.sort_unstable();
        let mut placed: Vec<(usize, Traits)> = order.into_iter().zip(traits).collect();
        placed.sort_by_key(|(at, _)| *at);
        Self { traits: placed.into_iter().map(|(_, traits)| traits).collect(), groups }
    }

    /// Returns the groups as indices of points: every point in exactly one group, each group in order, and the groups
    /// sorted by their first point.
    pub(in crate::protocol::discuss) fn groups(&self) -> &[Vec<usize>] {
        &self.groups
    }

    /// Returns the member most alike to all others; the first among equals.
    pub(in crate::protocol::discuss) fn middle(&self, members: &[usize]) -> Option<usize> {
        let nearness = |at: usize| -> usize {
            let others = members.iter().filter(|other| **other != at);
            others.filter_map(|other| self.traits.get(at)?.alike(self.traits.get(*other)?)).sum()
        };
        (members.iter().copied()).max_by_key(|at| (nearness(*at), Reverse(*at)))
    }
}

/// Joins the most alike first, and only if all points of one group are alike to all of the other.
fn join(points: &[&Point], traits: &[Traits]) -> Vec<Vec<usize>> {
    let lists: BTreeMap<(&str, PointKind), usize> =
        (points.iter()).map(|point| (point.perspective.as_str(), point.kind)).zip(0..).collect();
    let list: Vec<Option<&usize>> =
        (points.iter()).map(|point| lists.get(&(point.perspective.as_str(), point.kind))).collect();
    let mut alike: Vec<BitSet> = vec![BitSet::new(points.len()); points.len()];
    let mut pairs = Vec::new();
    for one in 0..points.len() {
        for other in one + 1..points.len() {
            // An author who lists two things in one list tells them apart.
            if list[one] != list[other]
                && let Some(likeness) = traits[one].alike(&traits[other])
            {
                pairs.push((Reverse(likeness), one, other));
                alike[one].set(other);
                alike[other].set(one);
            }
        }
    }
    pairs.sort_unstable();
    let mut home: Vec<usize> = (0..points.len()).collect();
    let mut members: Vec<Vec<usize>> = (0..points.len()).map(|at| vec![at]).collect();
    for (_, one, other) in pairs {
        let (into, from) = (home[one].min(home[other]), home[one].max(home[other]));
        if into == from {
            continue;
        }
        let mut across =
            members[into].iter().flat_map(|one| members[from].iter().map(|other| (*one, *other)));
        if !across.all(|(one, other)| alike[one].has(other)) {
            continue;
        }
        let moved = std::mem::take(&mut members[from]);
        for at in &moved {
            home[*at] = into;
        }
        members[into].extend(moved);
    }
    members.retain(|members| !members.is_empty());
    members
}

#[derive(Clone)]
struct BitSet(Vec<u64>);

impl BitSet {
    fn new(most: usize) -> Self {
        Self(vec![0; most.div_ceil(64)])
    }

    fn set(&mut self, at: usize) {
        self.0[at / 64] |= 1 << (at % 64);
    }

    fn has(&self, at: usize) -> bool {
        self.0[at / 64] & (1 << (at % 64)) != 0
    }
}
