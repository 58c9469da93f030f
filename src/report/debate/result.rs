//! Converts a topic debate to the common result of sessions.

use super::DebateDocument;
use crate::protocol::debate::Verdict;
use crate::report::compact::{Compact, Item, assumed, labelled, line};
use crate::report::document::{HeaderView, Notes};
use crate::report::session_result::SessionDocument;

impl SessionDocument for DebateDocument {
    fn header(&self) -> HeaderView<'_> {
        self.header.view()
    }

    fn notes(&mut self) -> Notes<'_> {
        self.header.notes()
    }

    fn compact(&self) -> Compact {
        let (essentials, items) = points(self);
        Compact { suspended: self.header.suspended(), essentials, items, ..Compact::default() }
    }
}

/// Returns the decision, then open points, then dissent. A result that was not adopted is not called a decision.
fn points(document: &DebateDocument) -> (Vec<String>, Vec<Item>) {
    let mut items = Vec::new();
    let mut essentials = Vec::new();
    essentials.extend(assumed(&document.assumptions));
    if let Some(decision) = &document.result.decision {
        let (kind, label) = match document.header.verdict {
            Verdict::Consensus | Verdict::Ruled => ("decision", "Decided"),
            Verdict::Partial | Verdict::OneVendor | Verdict::NoConsensus | Verdict::Undecided => {
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
    items.extend(document.result.open_points.iter().map(|point| {
        Item {
            severity: Some(format!("importance {} of 3", point.importance)),
            status: point.stance.map(|stance| stance.name().to_owned()),
            ..Item::new(&point.id, "open_point", &point.text)
        }
        .detailed(&[
            &point.reason,
            &labelled("Ruling", point.ruling.as_deref().unwrap_or_default()),
        ])
    }));
    items.extend(document.result.dissent.iter().map(|dissent| {
        Item::new(&dissent.seat, "dissent", &dissent.about)
            .detailed(&[&labelled(&line(&dissent.agent), &dissent.reason)])
    }));
    (essentials, items)
}
