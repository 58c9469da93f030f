//! The message to a coordinator: six lines in the layout that coordinators of such rounds read (`docs/discuss.md`).
//!
//! Each line stays one line whatever its texts contain, so that no text can pose as another line.

use super::DiscussDocument;
use super::page::speakers;
use crate::protocol::discuss::{Severity, Verdict};
use crate::report::words;
use crate::text::sanitize;

/// Maximum characters of a line.
const LINE_CHARS: usize = 500;
/// Maximum number of divergences named.
const DIVERGENCES: usize = 3;
/// Maximum number of action items named.
const ITEMS: usize = 5;

/// Returns the message; `None` unless the critique is blocked with severity high or medium.
pub(super) fn message(document: &DiscussDocument) -> Option<String> {
    let severity = match (document.header.verdict, document.result.severity?) {
        (Verdict::ConsensusBlocked, Severity::High) => "HIGH",
        (Verdict::ConsensusBlocked, Severity::Medium) => "MEDIUM",
        (
            Verdict::ConsensusBlocked
            | Verdict::ConsensusReached
            | Verdict::OneVendor
            | Verdict::Undecided,
            Severity::None | Severity::Low | Severity::Medium | Severity::High,
        ) => return None,
    };
    let id = &document.round_id;
    let role = document.role.as_deref().unwrap_or("debate-agent");
    let task = document.task_id.as_deref().unwrap_or(id);
    let verdict = document.header.verdict;
    // The first line stays readable to its end, because the coordinator acts on it.
    let [role, task, id] = [role, task, id].map(|name| sanitize::line(name, 100));
    // A rehearsal must not be mistaken for a real critique.
    let rehearsal = if document.header.rehearsal { " [rehearsal: no model was asked]" } else { "" };
    let divergences = document.result.divergences.iter().take(DIVERGENCES);
    let divergences = divergences.map(|divergence| {
        let (kind, severity) = (divergence.kind, divergence.severity);
        let by = speakers(divergence).map(|who| {
            let who: Vec<String> = who.iter().map(|name| words::name(name)).collect();
            format!(" ({})", who.join(", "))
        });
        format!("{kind} ({severity}){}: {}", by.unwrap_or_default(), divergence.text)
    });
    let required =
        (document.result.action_items.iter()).filter(|item| item.urgency >= Severity::Medium);
    let items = required.take(ITEMS).map(|item| {
        let (urgency, asked_by) = (item.urgency, item.perspectives.join("; also "));
        format!("[{urgency}] {} ({asked_by})", item.text)
    });
    let recommendation = document.result.recommendation.map_or("none", |advice| advice.name());
    let record = document.record_path.as_deref().unwrap_or("none written");
    let lines = [
        format!(
            "[{role}] {task} complete. Discuss {id}: {verdict} (severity={severity}){rehearsal}"
        ),
        format!("Divergences: {}", numbered(divergences.collect())),
        format!("Action items: {}", numbered(items.collect())),
        format!("Recommendation: {recommendation}"),
        format!("Artifact: {}", document.artifact),
        format!("Discussion: {record}"),
    ];
    Some(lines.map(|line| sanitize::line(&line, LINE_CHARS)).join("\n"))
}

/// `1) one; 2) other`, each with its share of the line, so that a long text does not push the others out.
fn numbered(texts: Vec<String>) -> String {
    if texts.is_empty() {
        return "none".to_owned();
    }
    // Subtracts the length of the label, and of a number and a separator.
    let share = (LINE_CHARS - 20) / texts.len() - 5;
    let texts = (1..).zip(texts);
    let texts = texts.map(|(number, text)| format!("{number}) {}", sanitize::line(&text, share)));
    texts.collect::<Vec<_>>().join("; ")
}
