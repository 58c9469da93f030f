//! The recommendation: one paragraph, composed by rule.

use super::{Standing, verdict};
use crate::change::{NotReviewed, Omission};
use crate::protocol::review::model::{Severity, Status, Verdict};

/// The facts that the paragraph states.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Summary<'a> {
    /// The facts that the verdict depends on.
    pub standing: Standing<'a>,
    /// Number of distinct vendors that answered.
    pub vendors: u32,
    /// Number of findings that were refuted, outside the change, or eliminated.
    pub eliminated: usize,
    /// Number of known findings, which are not raised again.
    pub suppressed: usize,
    /// Number of findings that stay although the validators rejected keeping them.
    pub keep_rejected: usize,
}

/// Returns one paragraph: the verdict and its reason, who reviewed, and what was not reviewed.
pub fn recommendation(summary: &Summary<'_>) -> String {
    let standing = &summary.standing;
    let mut sentences = vec![opening(standing), seats(summary)];
    sentences.extend(disputed(standing));
    if summary.keep_rejected > 0 {
        let stay = plural(
            summary.keep_rejected,
            "finding stays although the final vote was against keeping it",
            "findings stay although the final vote was against keeping them",
        );
        sentences.push(format!("{stay}: check for yourself."));
    }
    sentences.extend(left_out(standing));
    if summary.eliminated > 0 {
        let were = plural(summary.eliminated, "finding was", "findings were");
        sentences.push(format!("{were} refuted, outside the change, or discarded."));
    }
    if summary.suppressed > 0 {
        let are = plural(summary.suppressed, "known finding is", "known findings are");
        sentences.push(format!("{are} not raised again."));
    }
    sentences.join(" ")
}

fn opening(standing: &Standing<'_>) -> String {
    let counts = counts(standing);
    match verdict(standing) {
        Verdict::Undecided if standing.tree_changed => {
            let tree = "Undecided: the working tree changed while reviewers could read it.";
            format!("{tree}{}", unchecked(&counts))
        }
        Verdict::Undecided if standing.present < 2 => {
            let few = "Undecided: fewer than two agents answered.";
            format!("{few}{}", unchecked(&counts))
        }
        Verdict::Undecided => {
            "Undecided: no finding remains, but not everyone reviewed everything.".to_owned()
        }
        Verdict::ChangesRequested => format!("Fix this first: {counts}."),
        Verdict::Comments if counts.is_empty() => "Only a doubt remains.".to_owned(),
        Verdict::Comments => format!("Nothing serious remains: {counts}."),
        Verdict::Clean => "No finding remains.".to_owned(),
    }
}

/// Returns a sentence about findings that decide nothing, empty if there are none.
fn unchecked(counts: &str) -> String {
    if counts.is_empty() {
        return String::new();
    }
    format!(" What was found decides nothing: {counts}.")
}

/// Returns `1 P0 (confirmed), 2 P2 (1 contested, 1 unverified)`, empty if nothing remains.
fn counts(standing: &Standing<'_>) -> String {
    let mut parts = Vec::new();
    for severity in Severity::ALL {
        let of = |status: Status| {
            let findings = standing.findings.iter();
            findings.filter(|one| **one == (severity, status)).count()
        };
        let statuses: Vec<(Status, usize)> =
            [Status::Confirmed, Status::Contested, Status::Unverified]
                .into_iter()
                .map(|status| (status, of(status)))
                .filter(|(_, count)| *count > 0)
                .collect();
        let count: usize = statuses.iter().map(|(_, count)| count).sum();
        match statuses.as_slice() {
            [] => {}
            [(status, _)] => parts.push(format!("{count} {} ({})", severity.name(), status.name())),
            several => {
                let names =
                    several.iter().map(|(status, count)| format!("{count} {}", status.name()));
                let names: Vec<String> = names.collect();
                parts.push(format!("{count} {} ({})", severity.name(), names.join(", ")));
            }
        }
    }
    parts.join(", ")
}

fn seats(summary: &Summary<'_>) -> String {
    let Standing { asked, answered, present, .. } = summary.standing;
    let vendors = plural(summary.vendors as usize, "vendor", "vendors");
    let part = present.saturating_sub(answered);
    let part = if part > 0 { format!(", {part} of them only in part") } else { String::new() };
    format!("{present} of {asked} agents, from {vendors}, answered{part}.")
}

fn disputed(standing: &Standing<'_>) -> Option<String> {
    let disputed = standing.findings.iter();
    let disputed = disputed.filter(|(_, status)| *status == Status::Disputed).count();
    let were = plural(disputed, "serious finding is", "serious findings are");
    (disputed > 0)
        .then(|| format!("{were} disputed: only one seat refuted it; check for yourself."))
}

fn left_out(standing: &Standing<'_>) -> Option<String> {
    let (policy, failed): (Vec<&NotReviewed>, Vec<&NotReviewed>) =
        (standing.not_reviewed.iter()).partition(|left| left.by_policy());
    let kinds = |left: &[&NotReviewed]| {
        let mut counted: Vec<(Omission, usize)> = Vec::new();
        let mut sorted: Vec<Omission> = left.iter().map(|left| left.why).collect();
        sorted.sort_unstable();
        for kind in sorted {
            match counted.last_mut() {
                Some((last, count)) if *last == kind => *count += 1,
                Some(_) | None => counted.push((kind, 1)),
            }
        }
        let names = counted
            .iter()
            .map(|(kind, count)| format!("{count} {}", kind.name().replace('_', " ")));
        names.collect::<Vec<_>>().join(", ")
    };
    match (policy.is_empty(), failed.is_empty()) {
        (true, true) => None,
        (false, true) => Some(format!("Left out on purpose: {}.", kinds(&policy))),
        (true, false) => Some(format!("Not reviewed: {}.", kinds(&failed))),
        (false, false) => {
            let (failed, policy) = (kinds(&failed), kinds(&policy));
            Some(format!("Not reviewed: {failed}; left out on purpose: {policy}."))
        }
    }
}

fn plural(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}
