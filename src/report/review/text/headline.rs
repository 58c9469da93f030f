//! The first sentence of a review: the verdict in plain words, and what nobody may overlook.

use std::fmt::Write as _;

use super::files;
use crate::change::{LeftOut, NotReviewed};
use crate::protocol::review::{ReviewOutcome, Severity, Verdict};
use crate::report::review::ReviewDocument;
use crate::report::standing;
use crate::report::words::{self, BAD, DOUBT, GOOD};
use crate::text::sanitize;

/// Says in plain words what came of it; what cannot be relied on comes first.
pub(in crate::report::review) fn headline(document: &ReviewDocument) -> (String, anstyle::Style) {
    let cut = match document.header.outcome {
        ReviewOutcome::Budget => Some("the budget does not cover the next call"),
        ReviewOutcome::Interrupted => Some("the review was interrupted"),
        ReviewOutcome::Undecided => return (undecided(document), BAD),
        ReviewOutcome::Running => {
            let found = findings(document.findings.len());
            return (format!("{} ({found}).", standing::RUNNING), DOUBT);
        }
        ReviewOutcome::Terminated => {
            let found = findings(document.findings.len());
            let text = format!("{}; {found} by then.", standing::TERMINATED);
            return (text, BAD);
        }
        ReviewOutcome::Clean | ReviewOutcome::Comments | ReviewOutcome::ChangesRequested => None,
    };
    if let Some(why) = cut {
        let so_far = match document.findings.len() {
            0 => "Nothing was decided, and that nothing was found so far is not \"clean\"."
                .to_owned(),
            found => format!("Nothing was decided; {} so far.", findings(found)),
        };
        return (format!("NOT FINISHED: {why}. {so_far}"), BAD);
    }
    match document.header.verdict {
        Verdict::Undecided => (undecided(document), BAD),
        Verdict::ChangesRequested => (changes_requested(document), BAD),
        Verdict::Comments => (comments(document), DOUBT),
        Verdict::Clean => (clean(document), GOOD),
    }
}

/// What nobody may overlook: who did not answer, what was not looked at.
fn gaps(document: &ReviewDocument) -> Vec<String> {
    let mut gaps = Vec::new();
    if document.tree_changed() {
        gaps.push("the working tree changed while it was reviewed".to_owned());
    }
    gaps.extend(words::silence(document.silent(), "did not answer"));
    let lapsed = words::silence(document.lapsed(), "did not answer everything");
    gaps.extend(lapsed);
    let (few, none): (Vec<_>, Vec<_>) =
        (document.missed()).partition(|part| part.why == LeftOut::NoQuorum);
    if !none.is_empty() {
        let were = match none.len() {
            1 => "1 part of the change was".to_owned(),
            missed => format!("{missed} parts of the change were"),
        };
        gaps.push(format!("{were} not looked at, look yourself: {}", named(&none)));
    }
    // Where fewer than two answered at all, that is what was said already.
    match few.len() {
        0 => {}
        _ if document.degraded && !gaps.is_empty() => {}
        1 => gaps.push("1 part of the change was looked at by fewer than two agents".to_owned()),
        missed => gaps
            .push(format!("{missed} parts of the change were looked at by fewer than two agents")),
    }
    gaps
}

/// `a.bin (binary), b.key (secret) and 3 more`.
fn named(parts: &[&NotReviewed]) -> String {
    const SHOWN: usize = 3;
    let first = parts.iter().take(SHOWN).map(|part| {
        let path = sanitize::line(&part.path, 120);
        format!("{path} ({})", part.why.name().replace('_', " "))
    });
    let first: Vec<String> = first.collect();
    let mut text = first.join(", ");
    if let Some(more) = super::beyond(parts.len(), SHOWN) {
        write!(text, " and {more} more").ok();
    }
    text
}

/// What else the headline counts, so that it says what the lists below it say: what the final vote was against, what was
/// left out on purpose, what is known.
fn also(document: &ReviewDocument) -> String {
    let mut text = String::new();
    let findings = document.findings.iter();
    let rejected = findings.filter(|finding| finding.keep_rejected.is_some());
    match rejected.count() {
        0 => {}
        1 => text += "; the final vote was against keeping 1 of them",
        count => drop(write!(text, "; the final vote was against keeping {count} of them")),
    }
    let left_out = document.not_reviewed.iter().filter(|part| part.by_policy());
    match left_out.count() {
        0 => {}
        count => drop(write!(text, "; {count} left out on purpose")),
    }
    match document.suppressed.len() {
        0 => {}
        known => drop(write!(text, "; {known} known and not raised again")),
    }
    text
}

fn undecided(document: &ReviewDocument) -> String {
    let mut reasons = gaps(document);
    let quorum = document.header.quorum;
    if reasons.is_empty() {
        // With a quorum and without a gap, only what could not be read keeps a review undecided.
        reasons.push(if quorum.answered < quorum.needed {
            "fewer than two agents answered".to_owned()
        } else {
            "a part of what an agent found could not be read".to_owned()
        });
    }
    let silent = document.silent().next().is_some();
    let found = match (document.findings.len(), quorum.answered) {
        (0, 0) => "nobody looked at anything".to_owned(),
        (0, _) if silent => "nothing was found by the others, which is not \"clean\"".to_owned(),
        (0, _) => "nothing remains, which is not \"clean\"".to_owned(),
        (found, _) if document.degraded => {
            format!("{} of one agent alone, nothing is confirmed", findings(found))
        }
        (found, _) => findings(found),
    };
    format!("UNDECIDED: {}; {found}{}.", reasons.join("; "), also(document))
}

fn changes_requested(document: &ReviewDocument) -> String {
    let counts = [Severity::P0, Severity::P1]
        .map(|severity| (severity.name(), document.remaining(severity)));
    let all = counts.iter().map(|(_, count)| count).sum();
    let each: Vec<String> = (counts.iter())
        .filter(|(_, count)| *count > 0)
        .map(|(name, count)| format!("{count} {name}"))
        .collect();
    let mut text =
        format!("CHANGES REQUESTED: {} at P1 or above ({})", findings(all), each.join(", "));
    let disputed = document.disputed();
    if disputed > 0 {
        let are = if disputed == 1 { "is" } else { "are" };
        write!(text, "; {disputed} more {are} disputed, refuted by one agent alone: look yourself")
            .ok();
    }
    match document.remaining(Severity::P2) {
        0 => {}
        minor => drop(write!(text, "; {minor} P2")),
    }
    for gap in gaps(document) {
        write!(text, "; {gap}").ok();
    }
    text + &also(document) + "."
}

fn comments(document: &ReviewDocument) -> String {
    let disputed = document.disputed();
    let others = document.findings.len() - disputed;
    let mut parts = Vec::new();
    if others > 0 {
        parts.push(format!("{}, none at P1 or above", findings(others)));
    }
    if disputed > 0 {
        parts.push(format!(
            "{} at P1 or above that one agent alone refuted: look at {}",
            findings(disputed),
            if disputed == 1 { "it" } else { "them" }
        ));
    }
    parts.extend(gaps(document));
    format!("COMMENTS: {}{}.", parts.join("; "), also(document))
}

fn clean(document: &ReviewDocument) -> String {
    let quorum = document.header.quorum;
    let text = format!(
        "CLEAN: {} from {} looked at {}, and nothing remains",
        words::count(quorum.answered, "agent"),
        words::count(quorum.vendors, "vendor"),
        files(document.change.files_shown)
    );
    text + &unsettled(document) + &also(document) + "."
}

/// Says that a clean result rests on findings that were thrown out without being settled; the reason of a low
/// confidence beside `clean`.
fn unsettled(document: &ReviewDocument) -> String {
    if document.confidence >= document.confidence_wanted {
        return String::new();
    }
    let last = document.rounds.last();
    let open = last.map_or(0, |round| round.groups.saturating_sub(round.settled));
    match open {
        0 => String::new(),
        1 => "; 1 finding was thrown out without being settled".to_owned(),
        _ => format!("; {open} findings were thrown out without being settled"),
    }
}

fn findings(count: usize) -> String {
    match count {
        1 => "1 finding".to_owned(),
        _ => format!("{count} findings"),
    }
}
