//! Which answers of several seats are the same, by how alike they are.

use std::cmp::Reverse;

/// Groups items, by index: pairs that are `alike` are joined in the order of their likeness, unless two of the groups'
/// members are to stay `apart`. The groups, and the items in each, are in the order of the items.
pub(crate) fn cluster<L: Ord>(
    count: usize,
    alike: impl Fn(usize, usize) -> Option<L>,
    apart: impl Fn(usize, usize) -> bool,
) -> Vec<Vec<usize>> {
    let mut pairs = Vec::new();
    for one in 0..count {
        for other in one + 1..count {
            pairs.extend(alike(one, other).map(|alike| (Reverse(alike), one, other)));
        }
    }
    pairs.sort_unstable();
    let mut home: Vec<usize> = (0..count).collect();
    let mut groups: Vec<Vec<usize>> = (0..count).map(|at| vec![at]).collect();
    for (_, one, other) in pairs {
        let (into, from) = (home[one].min(home[other]), home[one].max(home[other]));
        let clash = |one: &usize| groups[from].iter().any(|other| apart(*one, *other));
        if into == from || groups[into].iter().any(clash) {
            continue;
        }
        let moved = std::mem::take(&mut groups[from]);
        for at in &moved {
            home[*at] = into;
        }
        groups[into].extend(moved);
        groups[into].sort_unstable();
    }
    groups.retain(|group| !group.is_empty());
    groups
}

/// Returns the group whose best member is most `alike`; among equals, the first.
pub(crate) fn best<T, L: Ord>(groups: &[Vec<T>], alike: impl Fn(&T) -> Option<L>) -> Option<usize> {
    let fit = |(at, members): (usize, &Vec<T>)| {
        Some((members.iter().filter_map(&alike).max()?, Reverse(at)))
    };
    let best = groups.iter().enumerate().filter_map(fit).max();
    best.map(|(_, Reverse(at))| at)
}
