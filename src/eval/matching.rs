//! Which findings are about which defects.
//!
//! A finding can be about a defect of its file if its line is at most [`NEAR_LINES`] from the defect's. Of all ways to
//! pair them, each at most once, one with the most pairs counts. What a finding says is not compared: that would favour
//! those who write like the cases. Nor is its last line: a finding about a whole file would match all that is in it.

use schemars::JsonSchema;
use serde::Serialize;

use super::case::Defect;

/// The maximum number of lines between a finding and a defect that it is about: those that git shows around a change,
/// so that a finding which names the line above a call, or the end of a statement, is not lost.
pub const NEAR_LINES: u32 = 3;

/// A finding, and where it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Place {
    /// The path from the top.
    pub file: String,
    /// Its line, from 1; a finding without one matches nothing.
    pub line: Option<u32>,
    /// What it is called; not compared.
    pub title: String,
}

fn can_match(defect: &Defect, place: &Place) -> bool {
    place.line.is_some_and(|line| {
        defect.file == place.file
            && line.saturating_add(NEAR_LINES) >= defect.from
            && line <= defect.to.saturating_add(NEAR_LINES)
    })
}

/// Returns, for each defect, the index of the finding that is about it, in a maximum matching. How many are matched
/// does not depend on any order.
pub fn matched(defects: &[Defect], found: &[Place]) -> Vec<Option<usize>> {
    let mut of_found: Vec<Option<usize>> = vec![None; found.len()];
    for defect in 0..defects.len() {
        augment(defect, defects, found, &mut of_found, &mut vec![false; found.len()]);
    }
    let of = |defect| of_found.iter().position(|of| *of == Some(defect));
    (0..defects.len()).map(of).collect()
}

/// Finds a place for a defect, if need be by giving others another one (Kuhn 1955). Returns whether there is one.
fn augment(
    defect: usize,
    defects: &[Defect],
    found: &[Place],
    of_found: &mut [Option<usize>],
    seen: &mut [bool],
) -> bool {
    for at in 0..found.len() {
        if seen[at] || !can_match(&defects[defect], &found[at]) {
            continue;
        }
        seen[at] = true;
        let free = match of_found[at] {
            None => true,
            Some(other) => augment(other, defects, found, of_found, seen),
        };
        if free {
            of_found[at] = Some(defect);
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests;
