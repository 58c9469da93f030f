//! The documents that commands print, by name, with their JSON Schemas.

use std::path::PathBuf;

use schemars::{JsonSchema, schema_for};
use serde::Serialize;
use serde_json::{Value, json};

use crate::app::config::{Shown, Validated};
use crate::app::dismissals::{DismissDocument, Dismissals};
use crate::app::init::Initialised;
use crate::app::run_agent::CallDocument;
use crate::app::trust::Candidates;
use crate::app::{agents, doctor, skills};
use crate::config::schema;
use crate::config::store::Pin;
use crate::report::schema::{self as documents, DOCUMENTS, Entry};
use crate::session::GcReport;
use crate::sink::Table;

/// The result of `skills list`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SkillsDocument {
    /// The skill of every role that has one.
    pub skills: Vec<skills::Row>,
}

/// The result of `skills show`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SkillDocument {
    /// The role.
    pub role: String,
    /// The whole file.
    pub text: String,
}

/// Files that were written: the result of `skills export` and `man`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FilesDocument {
    /// Their paths.
    pub files: Vec<PathBuf>,
}

/// The result of `trust --list`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TrustedDocument {
    /// What is trusted on this machine.
    pub trusted: Vec<Pin>,
}

/// The result of `trust --revoke`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RevokedDocument {
    /// What was trusted before.
    pub revoked: Vec<Pin>,
}

/// The result of `sessions gc`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct GcDocument {
    /// Nothing was removed; this is what would be.
    pub dry_run: bool,
    /// What was removed.
    pub removed: Vec<Removed>,
    /// The bytes of it.
    pub bytes: u64,
    /// Sessions that were left alone.
    pub kept: Vec<Kept>,
}

/// One thing that was removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Removed {
    /// Where it was.
    pub path: PathBuf,
    /// Why it went.
    pub why: String,
    /// Its size.
    pub bytes: u64,
}

/// A session that was left alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Kept {
    /// Its id.
    pub session_id: String,
    /// Why: it is in use, or cannot be read.
    pub why: String,
}

impl GcDocument {
    /// Makes the document of a report.
    pub fn new(report: &GcReport, dry_run: bool) -> Self {
        Self {
            dry_run,
            removed: report
                .removed
                .iter()
                .map(|removal| Removed {
                    path: removal.path.clone(),
                    why: removal.why.to_owned(),
                    bytes: removal.bytes,
                })
                .collect(),
            bytes: report.removed.iter().map(|removal| removal.bytes).sum(),
            kept: report
                .kept
                .iter()
                .map(|(id, why)| Kept { session_id: id.clone(), why: why.clone() })
                .collect(),
        }
    }
}

fn entries() -> Vec<Entry> {
    let more: [Entry; 15] = [
        ("run", || schema_for!(CallDocument)),
        ("agents", || schema_for!(agents::Listing)),
        ("doctor", || schema_for!(doctor::Report)),
        ("init", || schema_for!(Initialised)),
        ("skills", || schema_for!(SkillsDocument)),
        ("skill", || schema_for!(SkillDocument)),
        ("files", || schema_for!(FilesDocument)),
        ("config-show", || schema_for!(Shown)),
        ("config-validate", || schema_for!(Validated)),
        ("trust", || schema_for!(Candidates)),
        ("trust-list", || schema_for!(TrustedDocument)),
        ("trust-revoke", || schema_for!(RevokedDocument)),
        ("gc", || schema_for!(GcDocument)),
        ("review-dismiss", || schema_for!(DismissDocument)),
        ("dismissals", || schema_for!(Dismissals)),
    ];
    DOCUMENTS.iter().chain(&more).copied().collect()
}

/// Returns the names of all documents.
pub fn names() -> Vec<&'static str> {
    entries()
        .into_iter()
        .map(|(name, _)| name)
        .chain(["config", "journal", "error", "bigquery-sessions", "bigquery-turns"])
        .collect()
}

/// Returns the JSON Schema of a document.
pub fn schema(name: &str) -> Option<Value> {
    match name {
        "config" => Some(schema::json_schema()),
        "journal" => Some(journal()),
        "bigquery-sessions" => serde_json::from_str(Table::Sessions.schema()).ok(),
        "bigquery-turns" => serde_json::from_str(Table::Turns.schema()).ok(),
        "error" => Some(error()),
        _ => documents::schema(&entries(), name),
    }
}

/// One line of a journal (`session/wire.rs`). What a body holds depends on its type and only grows.
fn journal() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "journal",
        "description": "One line of .debate/sessions/ID/journal.jsonl",
        "type": "object",
        "required": ["v", "seq", "type", "at", "body", "crc"],
        "properties": {
            "v": { "const": crate::session::wire::VERSION, "description": "The version of the format" },
            "seq": { "type": "integer", "minimum": 1, "description": "Dense: 1, 2, 3, ..." },
            "type": { "enum": crate::session::record::KINDS },
            "at": { "type": "string", "format": "date-time", "description": "For people; `seq` gives the order" },
            "body": { "type": "object" },
            "crc": { "type": "string", "pattern": "^[0-9a-f]{8}$", "description": "CRC-32 of the line's bytes without this member" }
        }
    })
}

/// What `--json` prints on standard output where a command fails.
fn error() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "error",
        "type": "object",
        "required": ["error"],
        "properties": {
            "error": {
                "type": "object",
                "required": ["code", "message", "exit_code"],
                "properties": {
                    "code": { "type": "string", "description": "A stable name" },
                    "message": { "type": "string" },
                    "hint": { "type": "string", "description": "How to mend it" },
                    "causes": { "type": "array", "items": { "type": "string" } },
                    "exit_code": { "type": "integer" }
                }
            }
        }
    })
}
