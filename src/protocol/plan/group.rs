//! Which steps of several plans are the same.
//!
//! Two steps are the same when the words of title and description are alike (Jaccard index of their
//! keywords, [`LEAST_ALIKE`] or more, or equal texts) **and** their files overlap. Steps that both name
//! no file are compared by their words alone: nothing speaks against it, and two plans of pure
//! organisation could otherwise never agree. A step with files and one without do not overlap.
//! Two steps of one plan are never the same: their author told them apart, and dependencies run between them.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::model::{Group, Raised};
use crate::text::similarity::{self, Keywords};

/// How alike the words must be (`spec/review-and-plan.md`: 0.6), as a fraction in integers.
pub const LEAST_ALIKE: (usize, usize) = (6, 10);

/// What is compared of a step.
struct Prepared {
    text: String,
    words: Keywords,
    files: BTreeSet<String>,
}

impl Prepared {
    fn new(raised: &Raised) -> Self {
        let step = &raised.step;
        let words: Vec<&str> = [&step.title, &step.description]
            .into_iter()
            .flat_map(|text| text.split_whitespace())
            .collect();
        Self {
            text: words.join(" "),
            words: similarity::keywords([&*step.title, &*step.description]),
            files: step.files.iter().map(|file| normal(file)).collect(),
        }
    }

    /// Returns how alike two steps are in thousandths, if they are the same.
    fn same(&self, other: &Self) -> Option<usize> {
        let overlap = if self.files.is_empty() && other.files.is_empty() {
            true
        } else {
            !self.files.is_disjoint(&other.files)
        };
        if !overlap {
            return None;
        }
        if self.text == other.text {
            return Some(1000);
        }
        let shared = self.words.intersection(&other.words).count();
        let all = self.words.len() + other.words.len() - shared;
        let (part, whole) = LEAST_ALIKE;
        (all > 0 && shared * whole >= all * part).then(|| shared * 1000 / all)
    }
}

/// Returns a path without what means nothing: `./src//a.rs` is `src/a.rs`.
pub fn normal(path: &str) -> String {
    let parts: Vec<&str> =
        path.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    parts.join("/")
}

/// What decides the order of steps, without a look at who wrote them.
fn canonical(raised: &Raised) -> impl Ord + use<> {
    let step = raised.step.clone();
    (
        step.title,
        step.description,
        step.phase,
        step.files,
        step.acceptance,
        raised.place,
        raised.key.clone(),
    )
}

/// Groups the steps of independent plans. Ids follow the steps' words, so they tell nothing of the authors.
pub fn cluster(mut raised: Vec<Raised>) -> Vec<Group> {
    raised.sort_by_cached_key(canonical);
    let prepared: Vec<Prepared> = raised.iter().map(Prepared::new).collect();
    let mut pairs = Vec::new();
    for one in 0..raised.len() {
        for other in one + 1..raised.len() {
            if raised[one].seat != raised[other].seat
                && let Some(alike) = prepared[one].same(&prepared[other])
            {
                pairs.push((Reverse(alike), one, other));
            }
        }
    }
    pairs.sort_unstable();
    // Who belongs to whom, the most alike first; a seat at most once.
    let mut home: Vec<usize> = (0..raised.len()).collect();
    let mut members: Vec<Vec<usize>> = (0..raised.len()).map(|at| vec![at]).collect();
    for (_, one, other) in pairs {
        let (into, from) = (home[one].min(home[other]), home[one].max(home[other]));
        let seats: BTreeSet<usize> = members[into].iter().map(|at| raised[*at].seat).collect();
        let clash = (members[from].iter()).any(|at| seats.contains(&raised[*at].seat));
        if into == from || clash {
            continue;
        }
        let moved = std::mem::take(&mut members[from]);
        for at in &moved {
            home[*at] = into;
        }
        members[into].extend(moved);
        members[into].sort_unstable();
    }
    let groups = members.into_iter().filter(|members| !members.is_empty());
    (1..)
        .zip(groups)
        .map(|(number, members): (usize, _)| Group {
            id: format!("S{number}"),
            members: members.into_iter().map(|at| raised[at].clone()).collect(),
            judged: std::collections::BTreeMap::new(),
        })
        .collect()
}

/// Adds missing steps: each joins the group that it is most alike to, or opens a new one. Existing groups keep
/// their ids and never merge; a seat that becomes an author loses its judgement. Returns how many groups are new.
pub fn join(groups: &mut Vec<Group>, mut raised: Vec<Raised>) -> usize {
    raised.sort_by_cached_key(canonical);
    let before = groups.len();
    let mut known: Vec<Vec<Prepared>> =
        (groups.iter()).map(|group| group.members.iter().map(Prepared::new).collect()).collect();
    for step in raised {
        let prepared = Prepared::new(&step);
        let alike = |members: &Vec<Prepared>| {
            let likes = members.iter().filter_map(|member| member.same(&prepared));
            likes.max()
        };
        let best = (known.iter().enumerate())
            .filter_map(|(at, members)| Some((alike(members)?, Reverse(at))))
            .max();
        if let Some((_, Reverse(at))) = best {
            groups[at].judged.remove(&step.seat);
            groups[at].members.push(step);
            known[at].push(prepared);
        } else {
            groups.push(Group {
                id: format!("S{}", groups.len() + 1),
                members: vec![step],
                judged: std::collections::BTreeMap::new(),
            });
            known.push(vec![prepared]);
        }
    }
    groups.len() - before
}

#[cfg(test)]
mod tests;
