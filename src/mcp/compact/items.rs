//! What came of a session, point by point, and the sentences of its summary that are about it.

use serde::Serialize;

use super::{line, name};
use crate::protocol::backlog::model::Opportunity;
use crate::protocol::council::KeepRejected;
use crate::protocol::debate::Verdict as DebateVerdict;
use crate::protocol::review::FinalFinding;
use crate::report::debate::DebateDocument;
use crate::report::discuss::DiscussDocument;
use crate::report::document::PrioritizeDocument;
use crate::report::inquiry::InquiryDocument;
use crate::report::plan_result::PlanDocument;
use crate::report::review::{ReviewDocument, file_line};
use crate::report::sessions::SessionResult;

/// One point.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub(super) struct Item {
    id: String,
    kind: &'static str,
    title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    severity: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    keep_rejected: Option<KeepRejected>,
}

impl Item {
    fn new(id: &str, kind: &'static str, title: &str) -> Self {
        Self { id: line(id), kind, title: line(title), ..Self::default() }
    }

    /// With these texts, each a sentence, as its detail. Empty ones are left out.
    fn detailed(mut self, texts: &[&str]) -> Self {
        let texts: Vec<&str> =
            (texts.iter().map(|text| text.trim())).filter(|text| !text.is_empty()).collect();
        let mut detail = String::new();
        for text in texts {
            if !detail.is_empty() {
                let ended = detail.ends_with(['.', '!', '?', ':', ';', '…']);
                detail.push_str(if ended { " " } else { ". " });
            }
            detail.push_str(text);
        }
        self.detail = Some(line(&detail)).filter(|text| !text.is_empty());
        self
    }
}

/// The essentials, sentence by sentence, and the points, the most important first.
pub(super) fn of(result: &SessionResult) -> (Vec<String>, Vec<Item>) {
    match result {
        SessionResult::Backlog(document) => backlog(document),
        SessionResult::Inquiry(document) => inquiry(document),
        SessionResult::Review(document) => review(document),
        SessionResult::Plan(document) => plan(document),
        SessionResult::Debate(document) => debate(document),
        SessionResult::Discuss(document) => discuss(document),
    }
}

/// `Pro: text`, where there is a text.
fn labelled(label: &str, text: &str) -> String {
    let text = line(text);
    if text.is_empty() {
        return String::new();
    }
    format!("{label}: {text}")
}

/// Files as a sentence; nothing where there are none.
fn files(files: &[String]) -> String {
    labelled("Files", &files.join(", "))
}

/// Ranked items only where ranks were applied: an old order would look like a result.
fn backlog(document: &PrioritizeDocument) -> (Vec<String>, Vec<Item>) {
    if !document.decided() {
        return (Vec::new(), Vec::new());
    }
    let item = |(place, item): (u32, &Opportunity)| {
        let rank = item.priority_rank.unwrap_or(place);
        let concern = document.session.rounds.last();
        let concern = concern
            .and_then(|round| round.critic_concerns.get(&item.opportunity_id))
            .and_then(|concerns| concerns.first());
        Item {
            status: item.disposition.and_then(|disposition| name(&disposition)),
            ..Item::new(&item.opportunity_id, "opportunity", &item.title)
        }
        .detailed(&[
            &format!("Rank {rank}."),
            &labelled("Concern", concern.map_or("", String::as_str)),
            &item.description,
            &files(&item.affected_files),
        ])
    };
    let ranked = (1..).zip(&document.ranked_opportunities);
    let items: Vec<Item> = ranked.map(item).collect();
    let first: Vec<&str> = items.iter().take(3).map(|item| &*item.title).collect();
    (vec![format!("First: {}.", first.join("; "))], items)
}

fn inquiry(document: &InquiryDocument) -> (Vec<String>, Vec<Item>) {
    let mut items = Vec::new();
    for entry in &document.answers {
        for feature in entry.features.iter().flatten() {
            items.push(
                Item::new(&entry.turn, "feature", &feature.title)
                    .detailed(&[&feature.description, &files(&feature.existing_code)]),
            );
        }
        if let Some(fix) = &entry.fix {
            items.push(Item::new(&entry.turn, "fix", fix));
        }
        if let Some(failure) = &entry.failure {
            items.push(Item {
                status: Some("failed".to_owned()),
                ..Item::new(&entry.turn, "no_answer", failure)
            });
        }
    }
    (Vec::new(), items)
}

fn review(document: &ReviewDocument) -> (Vec<String>, Vec<Item>) {
    let item = |finding: &FinalFinding| {
        let reported = &finding.reported;
        Item {
            severity: Some(reported.severity.name().to_owned()),
            status: Some(finding.status.name().to_owned()),
            file: Some(line(&reported.file)),
            line: file_line(reported),
            keep_rejected: finding.keep_rejected,
            ..Item::new(&reported.id, "finding", &reported.title)
        }
        .detailed(&[&reported.detail, &labelled("Fix", &reported.fix)])
    };
    let mut essentials = vec![line(&document.recommendation)];
    match document.eliminated.len() {
        0 => {}
        1 => essentials.push("1 finding was eliminated.".to_owned()),
        many => essentials.push(format!("{many} findings were eliminated.")),
    }
    let known = document.suppressed_counts;
    if known.dismissed + known.baseline > 0 {
        essentials.push(format!(
            "Known and not raised again: {} dismissed, {} of the baseline.",
            known.dismissed, known.baseline
        ));
    }
    if !document.not_reviewed.is_empty() {
        let some = (document.not_reviewed.iter().take(5)).map(|part| &*part.path);
        let some: Vec<&str> = some.collect();
        let more = document.not_reviewed.len() - some.len();
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        essentials.push(labelled("Not reviewed", &format!("{}{more}.", some.join(", "))));
    }
    (essentials, document.findings.iter().map(item).collect())
}

fn plan(document: &PlanDocument) -> (Vec<String>, Vec<Item>) {
    let items = document.steps.iter().map(|step| {
        Item {
            status: Some(step.status.name().to_owned()),
            file: step.files.first().map(|file| line(file)),
            keep_rejected: step.keep_rejected(),
            ..Item::new(&step.id, "step", &step.title)
        }
        .detailed(&[
            &step.description,
            &labelled("After", &step.depends_on.join(", ")),
            &labelled("Done when", &step.acceptance),
        ])
    });
    let mut essentials = vec![line(&document.recommendation)];
    essentials.push(labelled("In short", &document.summary));
    essentials.push(labelled("Risks", &document.risks.join("; ")));
    essentials.push(labelled("Open", &document.open_questions.join("; ")));
    essentials.retain(|text| !text.is_empty());
    (essentials, items.collect())
}

/// What was decided, then what is open, then who did not agree. What is not adopted is not called a decision.
fn debate(document: &DebateDocument) -> (Vec<String>, Vec<Item>) {
    let mut items = Vec::new();
    let mut essentials = Vec::new();
    if let Some(decision) = &document.decision {
        let (kind, label) = match document.header.verdict {
            DebateVerdict::Consensus | DebateVerdict::Ruled => ("decision", "Decided"),
            DebateVerdict::Partial | DebateVerdict::NoConsensus | DebateVerdict::Undecided => {
                ("proposal", "Proposed, not decided")
            }
        };
        essentials.push(labelled(label, &decision.text));
        items.push(Item::new("decision", kind, &decision.text).detailed(&[
            &labelled("By", &decision.by),
            &labelled("Amended", &decision.amendments.join("; ")),
        ]));
        let points = decision.position.iter().flat_map(|position| &position.points);
        items.extend(points.map(|point| Item::new(&point.id, "point", &point.claim)));
    }
    items.extend(document.open_points.iter().map(|point| {
        Item {
            severity: Some(format!("importance {} of 3", point.importance)),
            status: point.stance.and_then(|stance| name(&stance)),
            ..Item::new(&point.id, "open_point", &point.text)
        }
        .detailed(&[
            &point.reason,
            &labelled("Ruling", point.ruling.as_deref().unwrap_or_default()),
        ])
    }));
    items.extend(document.dissent.iter().map(|dissent| {
        Item::new(&dissent.seat, "dissent", &dissent.about)
            .detailed(&[&labelled(&line(&dissent.agent), &dissent.reason)])
    }));
    essentials.push(line(&document.recommendation));
    (essentials, items)
}

fn discuss(document: &DiscussDocument) -> (Vec<String>, Vec<Item>) {
    let actions = (1..).zip(&document.action_items).map(|(number, item)| {
        Item {
            severity: Some(item.urgency.name().to_owned()),
            ..Item::new(&format!("A{number}"), "action_item", &item.text)
        }
        .detailed(&[&labelled("Asked for by", &item.perspectives.join(", "))])
    });
    let apart = (1..).zip(&document.divergences).map(|(number, divergence)| {
        Item {
            severity: Some(divergence.severity.name().to_owned()),
            status: Some(divergence.kind.name().to_owned()),
            ..Item::new(&format!("D{number}"), "divergence", &divergence.text)
        }
        .detailed(&[&labelled("Raised by", &divergence.perspectives.join(", "))])
    });
    let mut essentials = vec![labelled("Artifact", &document.artifact)];
    if let Some(advice) = document.advice() {
        essentials.push(labelled("Recommended", &crate::report::page::terminal::line(&advice)));
    }
    (essentials, actions.chain(apart).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_texts_of_a_detail_stand_apart_as_sentences() {
        let detail = |texts: &[&str]| Item::new("S1", "step", "Read").detailed(texts).detail;
        assert_eq!(
            detail(&["Read it. ", "After: schema", "", "Done when: green"]).as_deref(),
            Some("Read it. After: schema. Done when: green")
        );
        assert_eq!(detail(&["", " "]), None);
    }
}
