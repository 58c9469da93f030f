//! Converts a critique to the common result of sessions.

use super::DiscussDocument;
use crate::protocol::discuss::{Recommendation, Severity};
use crate::report::compact::{Compact, Item, labelled};
use crate::report::document::{HeaderView, Notes};
use crate::report::page::markdown;
use crate::report::page::terminal::line;
use crate::report::session_result::SessionDocument;

impl SessionDocument for DiscussDocument {
    fn header(&self) -> HeaderView<'_> {
        self.header.view()
    }

    fn notes(&mut self) -> Notes<'_> {
        self.header.notes()
    }

    fn place(&mut self, report: String) {
        Self::place(self, report);
    }

    /// With the lines for a coordinator at its end, if there are any.
    fn printed_markdown(&self) -> String {
        markdown::render(&self.page_with_message())
    }

    fn compact(&self) -> Compact {
        let (essentials, items) = points(self);
        Compact {
            suspended: self.header.suspended(),
            severity: self.result.severity.map(Severity::name),
            recommendation: self.result.recommendation.map(Recommendation::name),
            message: self.message.clone(),
            essentials,
            items,
            ..Compact::default()
        }
    }
}

fn points(document: &DiscussDocument) -> (Vec<String>, Vec<Item>) {
    let actions = (1..).zip(&document.result.action_items).map(|(number, item)| {
        let by = labelled("Asked for by", &item.perspectives.join("; also "));
        let others = item.members.iter().skip(1);
        let others = others.map(|point| labelled(&point.perspective, &point.text));
        let said: Vec<String> = [by].into_iter().chain(others).collect();
        Item {
            severity: Some(item.urgency.name().to_owned()),
            ..Item::new(&format!("A{number}"), "action_item", &item.text)
        }
        .detailed(&said.iter().map(|said| &**said).collect::<Vec<_>>())
    });
    let apart = (1..).zip(&document.result.divergences).map(|(number, divergence)| {
        Item {
            severity: Some(divergence.severity.name().to_owned()),
            status: Some(divergence.kind.name().to_owned()),
            ..Item::new(&format!("D{number}"), "divergence", &divergence.text)
        }
        .detailed(&[&labelled("Raised by", &divergence.perspectives.join(", "))])
    });
    let mut essentials = vec![labelled("Artifact", &document.artifact)];
    if let Some(advice) = document.advice() {
        essentials.push(labelled("Recommended", &line(&advice)));
    }
    (essentials, actions.chain(apart).collect())
}
