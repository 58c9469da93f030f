//! The decision record in Markdown (`.debate/debate-TIMESTAMP.md`): what a team would commit.

use super::DebateDocument;
use crate::report::page::Page;
use crate::report::progress::REHEARSAL;

impl DebateDocument {
    /// Returns the decision record: text of others is text, never markup.
    pub fn markdown(&self) -> String {
        let mut page = Page::default();
        page.line("# Decision record");
        page.gap();
        if self.header.rehearsal {
            page.line(&format!("**{REHEARSAL}**"));
            page.gap();
        }
        page.line(&self.headline());
        page.text
    }
}
