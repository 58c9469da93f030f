//! Converts an inquiry to the common result of sessions.

use super::InquiryDocument;
use crate::report::compact::{Compact, Item, files};
use crate::report::document::{HeaderView, Notes};
use crate::report::session_result::SessionDocument;

impl SessionDocument for InquiryDocument {
    fn header(&self) -> HeaderView<'_> {
        self.header.view()
    }

    fn notes(&mut self) -> Notes<'_> {
        self.header.notes()
    }

    fn compact(&self) -> Compact {
        Compact { suspended: self.header.suspended(), items: items(self), ..Compact::default() }
    }
}

fn items(document: &InquiryDocument) -> Vec<Item> {
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
    items
}
