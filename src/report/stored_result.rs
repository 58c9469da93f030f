//! The result of a session that another version of this program made, as that version stored it: no rule of it is
//! applied again.

use serde::{Serialize, Serializer};
use serde_json::Value;

use super::Look;
use super::compact::Compact;
use super::document::{Header, HeaderView, Notes};
use super::page::{Page, ToPage, agent_text};
use super::session_result::SessionDocument;
use crate::text::sanitize;

#[derive(Debug)]
pub(crate) struct StoredResult {
    /// What the journal alone says.
    header: Header<String, String>,
    document: Value,
    markdown: String,
    made: String,
}

impl StoredResult {
    pub(crate) fn new(
        header: Header<String, String>,
        document: Value,
        markdown: &str,
        made: String,
    ) -> Self {
        // Whoever brings a folder of sessions wrote the file.
        Self { header, document, markdown: sanitize::terminal(markdown), made }
    }
}

impl Serialize for StoredResult {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.document.serialize(serializer)
    }
}

impl ToPage for StoredResult {
    fn page(&self) -> Page {
        let mut page = Page::new("Session", agent_text(&self.made));
        page.blocks().quote(&self.markdown);
        page.brief().quote(&self.markdown);
        page
    }

    fn render(&self, _: Look) -> String {
        format!("{}\n\n{}", self.made, self.markdown)
    }

    fn markdown(&self) -> String {
        self.markdown.clone()
    }
}

impl SessionDocument for StoredResult {
    fn header(&self) -> HeaderView<'_> {
        self.header.view()
    }

    fn notes(&mut self) -> Notes<'_> {
        self.header.notes()
    }

    fn compact(&self) -> Compact {
        Compact { essentials: vec![self.made.clone()], ..Compact::default() }
    }
}
