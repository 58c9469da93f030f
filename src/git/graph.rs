//! Commits and their parents, to count a branch's own commits. Pure.

use std::collections::HashMap;

use super::CommitId;

/// Some commits, and their parent relation.
#[derive(Debug, Default)]
pub(super) struct Graph<'a> {
    places: HashMap<&'a [u8], usize>,
    parents: Vec<Vec<usize>>,
}

impl<'a> Graph<'a> {
    /// Parses the output of `rev-list --parents`: one commit per line, followed by its parents.
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

    /// Counts a commit and its listed ancestors.
    ///
    /// These are the commits that the base lacks: all ancestors of a commit in the base are in the
    /// base themselves, so no path through an unlisted commit leads to a listed one.
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
