//! Converts a planning to the common result of sessions.

use super::PlanDocument;
use crate::report::compact::{Compact, Item, assumed, labelled, line};
use crate::report::document::{HeaderView, Notes};
use crate::report::session_result::SessionDocument;

impl SessionDocument for PlanDocument {
    fn header(&self) -> HeaderView<'_> {
        self.header.view()
    }

    fn notes(&mut self) -> Notes<'_> {
        self.header.notes()
    }

    fn compact(&self) -> Compact {
        let (essentials, items) = points(self);
        Compact {
            suspended: self.header.suspended(),
            confidence: Some(self.result.confidence),
            winner: self.result.winner.as_deref().map(line),
            essentials,
            items,
            ..Compact::default()
        }
    }
}

fn points(document: &PlanDocument) -> (Vec<String>, Vec<Item>) {
    let items = document.result.steps.iter().map(|step| {
        Item {
            status: Some(step.status.name().to_owned()),
            file: step.words.files.first().map(|file| line(file)),
            keep_rejected: step.keep_rejected(),
            ..Item::new(&step.words.id, "step", &step.words.title)
        }
        .detailed(&[
            &step.words.description,
            &labelled("After", &step.words.depends_on.join(", ")),
            &labelled("Not in the repository", &step.missing_files.join(", ")),
            &labelled("Done when", &step.words.acceptance),
        ])
    });
    let mut essentials = Vec::new();
    essentials.push(labelled("In short", &document.result.summary));
    essentials.extend(assumed(&document.assumptions));
    essentials.push(labelled("Risks", &document.result.risks.join("; ")));
    essentials.push(labelled("Open", &document.result.open_questions.join("; ")));
    essentials.retain(|text| !text.is_empty());
    (essentials, items.collect())
}
