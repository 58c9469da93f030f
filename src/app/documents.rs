//! The documents that commands print, by name, with their JSON Schemas.

use schemars::schema_for;
use serde_json::Value;

use super::run_agent::CallDocument;
use crate::config::schema;
use crate::report::document::{self, DOCUMENTS, Entry};

fn entries() -> Vec<Entry> {
    let mut entries: Vec<Entry> = DOCUMENTS.to_vec();
    entries.push(("run", || schema_for!(CallDocument)));
    entries
}

/// Returns the names of all documents.
pub fn names() -> Vec<&'static str> {
    entries()
        .into_iter()
        .map(|(name, _)| name)
        .chain(["config"])
        .collect()
}

/// Returns the JSON Schema of a document.
pub fn schema(name: &str) -> Option<Value> {
    if name == "config" {
        return Some(schema::json_schema());
    }
    document::schema(&entries(), name)
}
