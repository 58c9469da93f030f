//! Commits and their parents, to count what a branch has of its own. Pure.

use std::collections::HashMap;

use super::CommitId;

/// Some commits, and which of them are parents of which.
#[derive(Debug, Default)]
pub(super) struct Graph<'a> {
    places: HashMap<&'a [u8], usize>,
    parents: Vec<Vec<usize>>,
}

impl<'a> Graph<'a> {
    /// Reads what `rev-list --parents` prints: a commit a line, its parents behind it.
    pub(super) fn read(printed: &'a [u8]) -> Self {
        let lines = || {
            (printed.split(|byte| *byte == b'\n'))
                .map(|line| line.split(|byte| *byte == b' '))
                .filter_map(|mut ids| Some((ids.next().filter(|id| !id.is_empty())?, ids)))
        };
        let mut graph = Self::default();
        for (id, _) in lines() {
            let next = graph.places.len();
            graph.places.entry(id).or_insert(next);
        }
        graph.parents = vec![Vec::new(); graph.places.len()];
        for (id, parents) in lines() {
            if let Some(parents_of) = graph.places.get(id).and_then(|at| graph.parents.get_mut(*at))
            {
                // Parents that were not listed are in the base.
                parents_of.extend(parents.filter_map(|id| graph.places.get(id)));
            }
        }
        graph
    }

    /// Counts a commit and its ancestors, as far as they are listed.
    ///
    /// That is what it has and the base has not: whatever lies behind a commit of the base is in
    /// the base itself, so no way to an unlisted commit leads on to a listed one.
    pub(super) fn reachable(&self, tip: &CommitId) -> u64 {
        let mut seen = vec![false; self.parents.len()];
        let mut open: Vec<usize> =
            self.places.get(tip.as_str().as_bytes()).copied().into_iter().collect();
        let mut count = 0;
        while let Some(at) = open.pop() {
            let Some(seen) = seen.get_mut(at).filter(|seen| !**seen) else {
                continue;
            };
            *seen = true;
            count += 1;
            open.extend(self.parents.get(at).into_iter().flatten());
        }
        count
    }
}
