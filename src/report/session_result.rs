//! The result of a stored session of any kind: the operations common to all documents.

use std::any::Any;
use std::fmt;

use serde::{Serialize, Serializer};
use serde_json::Value;

use super::compact::Compact;
use super::document::{HeaderView, Notes};
use super::page::ToPage;

/// A document as a value, with its fields in their order.
pub trait ToValue {
    /// Returns the document as a value.
    ///
    /// # Errors
    /// The document cannot be written as JSON: a bug.
    fn value(&self) -> serde_json::Result<Value>;
}

impl<T: Serialize> ToValue for T {
    fn value(&self) -> serde_json::Result<Value> {
        serde_json::to_value(self)
    }
}

pub trait SessionDocument: Any + fmt::Debug + ToPage + ToValue {
    /// Returns the header common to all results.
    fn header(&self) -> HeaderView<'_>;
    /// Returns the fields that a run completes after the result was made.
    fn notes(&mut self) -> Notes<'_>;
    fn place(&mut self, report: String) {
        *self.notes().report_path = Some(report);
    }
    /// Returns the report as it is printed, which may say where the report was written.
    fn printed_markdown(&self) -> String {
        self.markdown()
    }
    /// Returns the compact form for a client's model.
    fn compact(&self) -> Compact;
}

/// The result of a stored session: the document of its kind.
#[derive(Debug)]
pub struct SessionResult(Box<dyn SessionDocument>);

impl SessionResult {
    /// Returns the document if it is of kind `D`.
    pub fn document<D: SessionDocument>(&self) -> Option<&D> {
        let document: &dyn Any = &*self.0;
        document.downcast_ref()
    }

    /// Returns the document for changes if it is of kind `D`.
    pub fn document_mut<D: SessionDocument>(&mut self) -> Option<&mut D> {
        let document: &mut dyn Any = &mut *self.0;
        document.downcast_mut()
    }
}

impl<D: SessionDocument> From<D> for SessionResult {
    fn from(document: D) -> Self {
        Self(Box::new(document))
    }
}

impl std::ops::Deref for SessionResult {
    type Target = dyn SessionDocument;

    fn deref(&self) -> &Self::Target {
        &*self.0
    }
}

impl Serialize for dyn SessionDocument {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.value().map_err(serde::ser::Error::custom)?.serialize(serializer)
    }
}
