//! Dependencies as a graph: named cycles, and an order that respects the dependencies.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::ordered::{BTreeMap, BTreeSet, Gather};

/// For each step, by index, the steps that must be done before it.
pub(crate) type Predecessors = Vec<BTreeSet<usize>>;

/// Returns a cycle: each step depends on the next one, the last on the first. `None` if there is none.
///
/// The same graph always gives the same cycle: the search goes by index.
pub(crate) fn cycle(before: &Predecessors) -> Option<Vec<usize>> {
    // 0: not seen, 1: on the path, 2: done. The stack is explicit, so that no depth overflows it.
    let mut state = vec![0_u8; before.len()];
    for start in 0..before.len() {
        if state[start] != 0 {
            continue;
        }
        let mut path = vec![(start, before[start].iter())];
        state[start] = 1;
        while let Some((at, rest)) = path.last_mut() {
            let at = *at;
            match rest.next() {
                Some(&next) if next >= before.len() => {}
                Some(&next) if state[next] == 1 => {
                    let from = path.iter().position(|(step, _)| *step == next)?;
                    return Some(path[from..].iter().map(|(step, _)| *step).collect());
                }
                Some(&next) if state[next] == 0 => {
                    state[next] = 1;
                    path.push((next, before[next].iter()));
                }
                Some(_) => {}
                None => {
                    state[at] = 2;
                    path.pop();
                }
            }
        }
    }
    None
}

/// Formats a cycle: `a -> b -> a`.
pub(crate) fn named<'a>(cycle: impl IntoIterator<Item = &'a str>) -> String {
    let mut names: Vec<&str> = cycle.into_iter().collect();
    names.extend(names.first().copied());
    names.join(" -> ")
}

/// Returns an order in which each step follows those it depends on; of the steps that could come next, the one with
/// the smallest key does. Steps on a cycle, and steps that depend on one, come last, by key.
pub(crate) fn sorted<K: Ord + Clone>(
    before: &Predecessors,
    key: impl Fn(usize) -> K,
) -> Vec<usize> {
    let mut after: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let mut open: Vec<usize> = Vec::with_capacity(before.len());
    for (step, needs) in before.iter().enumerate() {
        let known = needs.iter().filter(|need| **need < before.len());
        for need in known.clone() {
            after.entry(*need).or_default().push(step);
        }
        open.push(known.count());
    }
    let mut ready: BinaryHeap<Reverse<(K, usize)>> = (0..before.len())
        .filter(|step| open[*step] == 0)
        .map(|step| Reverse((key(step), step)))
        .collect();
    let mut order = Vec::with_capacity(before.len());
    while let Some(Reverse((_, step))) = ready.pop() {
        order.push(step);
        for next in after.get(&step).into_iter().flatten() {
            open[*next] -= 1;
            if open[*next] == 0 {
                ready.push(Reverse((key(*next), *next)));
            }
        }
    }
    let placed: BTreeSet<usize> = order.iter().copied().gather();
    let mut rest: Vec<usize> = (0..before.len()).filter(|step| !placed.contains(step)).collect();
    rest.sort_by_key(|step| (key(*step), *step));
    order.extend(rest);
    order
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn graph(edges: &[(usize, usize)], count: usize) -> Predecessors {
        let mut before = vec![BTreeSet::new(); count];
        for (step, need) in edges {
            before[*step].insert(*need);
        }
        before
    }

    #[test]
    fn cycles_are_found_and_named() {
        for (edges, expected) in [
            (&[][..], None),
            (&[(1, 0), (2, 1), (2, 0)], None),
            (&[(0, 0)], Some(vec![0])),
            (&[(0, 1), (1, 0)], Some(vec![0, 1])),
            (&[(0, 1), (1, 2), (2, 1)], Some(vec![1, 2])),
            (&[(0, 1), (1, 2), (2, 0)], Some(vec![0, 1, 2])),
        ] {
            assert_eq!(cycle(&graph(edges, 3)), expected, "{edges:?}");
        }
        assert_eq!(named(["a", "b"]), "a -> b -> a");
        assert_eq!(named(["a"]), "a -> a");
    }

    #[test]
    fn the_order_is_the_key_s_as_far_as_dependencies_allow() {
        for (edges, expected) in [
            (&[][..], [0, 1, 2, 3]),
            (&[(0, 3)], [1, 2, 3, 0]),
            (&[(1, 2), (0, 1)], [2, 1, 0, 3]),
            (&[(3, 0), (2, 0)], [0, 1, 2, 3]),
        ] {
            assert_eq!(sorted(&graph(edges, 4), |step| step), expected, "{edges:?}");
        }
    }

    #[test]
    fn a_long_chain_overflows_no_stack() {
        let edges: Vec<(usize, usize)> = (1..50_000).map(|step| (step - 1, step)).collect();
        let mut before = graph(&edges, 50_000);
        assert_eq!(cycle(&before), None);
        assert_eq!(sorted(&before, |step| step)[0], 49_999);
        before[49_999].insert(0);
        assert_eq!(cycle(&before).unwrap().len(), 50_000);
    }

    proptest! {
        #[test]
        fn an_order_exists_exactly_without_a_cycle(
            edges in proptest::collection::vec((0_usize..12, 0_usize..12), 0..30),
            keys in proptest::collection::vec(0_u8..4, 12),
        ) {
            let before = graph(&edges, 12);
            let order = sorted(&before, |step| keys[step]);
            let mut all = order.clone();
            all.sort_unstable();
            prop_assert_eq!(all, (0..12).collect::<Vec<_>>());
            let place = |step: usize| order.iter().position(|other| *other == step).unwrap();
            let respected = edges.iter().all(|(step, need)| place(*need) < place(*step));
            match cycle(&before) {
                None => prop_assert!(respected),
                Some(cycle) => {
                    prop_assert!(!respected);
                    for (at, step) in cycle.iter().enumerate() {
                        prop_assert!(before[*step].contains(&cycle[(at + 1) % cycle.len()]));
                    }
                }
            }
        }
    }
}
