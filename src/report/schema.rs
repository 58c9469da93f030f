//! The result documents by name, each with its JSON Schema.

use schemars::{Schema, schema_for};
use serde_json::Value;

use super::backlog_item::SimilarDocument;
use super::backlog_list::BacklogDocument;
use super::change::DiffDocument;
use super::clients::{ClientChange, ClientsStatus};
use super::debate::DebateDocument;
use super::decisions::{DecisionDocument, DecisionLog};
use super::discovery::DiscoveryDocument;
use super::discuss::{DiscussDocument, DiscussionsDocument};
use super::document::PrioritizeDocument;
use super::inquiry::InquiryDocument;
use super::plan_result::PlanDocument;
use super::review::{NothingToReview, ReviewDocument};
use super::sessions::{SessionStatusDocument, SessionsDocument};
use super::sinks::SyncDocument;
use crate::protocol::outline::Outline;

/// A document's name with the maker of its schema.
pub type Entry = (&'static str, fn() -> Schema);

/// Every document that this module knows. `sessions show` and `resume` print the protocol's own.
pub const DOCUMENTS: &[Entry] = &[
    ("prioritize", || schema_for!(PrioritizeDocument)),
    ("discover", || schema_for!(DiscoveryDocument)),
    ("diff", || schema_for!(DiffDocument)),
    ("inquiry", || schema_for!(InquiryDocument)),
    ("review", || schema_for!(ReviewDocument)),
    ("review-nothing", || schema_for!(NothingToReview)),
    ("backlog", || schema_for!(BacklogDocument)),
    ("backlog-similar", || schema_for!(SimilarDocument)),
    ("outline", || schema_for!(Outline)),
    ("plan", || schema_for!(PlanDocument)),
    ("debate", || schema_for!(DebateDocument)),
    ("discuss", || schema_for!(DiscussDocument)),
    ("discussions", || schema_for!(DiscussionsDocument)),
    ("decisions", || schema_for!(DecisionLog)),
    ("decision", || schema_for!(DecisionDocument)),
    ("dry-run", || schema_for!(super::plan::Plan)),
    ("sessions", || schema_for!(SessionsDocument)),
    ("mcp-change", || schema_for!(ClientChange)),
    ("mcp-status", || schema_for!(ClientsStatus)),
    ("session-status", || schema_for!(SessionStatusDocument)),
    ("sync", || schema_for!(SyncDocument)),
];

/// Returns the JSON Schema of the document with this name, looked up in `entries`
/// ([`DOCUMENTS`] and what other layers add: config, journal).
pub fn schema(entries: &[Entry], name: &str) -> Option<Value> {
    let (_, make) = entries.iter().find(|(known, _)| *known == name)?;
    Some(make().to_value())
}
