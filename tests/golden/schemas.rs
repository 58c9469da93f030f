//! The schemas of `src/schemas`, each compared with its type's derived schema: the program embeds the files and
//! derives none.

use std::fs;
use std::path::Path;

use debate_agent::app::config::{ConfigDocument, ValidationDocument};
use debate_agent::app::dismissals::{DismissDocument, KnownFindings};
use debate_agent::app::documents::{
    FilesDocument, GcDocument, RevokedDocument, SkillDocument, SkillsDocument, TrustedDocument,
};
use debate_agent::app::init::InitDocument;
use debate_agent::app::proof::ProofDocument;
use debate_agent::app::run_agent::CallDocument;
use debate_agent::app::sessions::SessionDiff;
use debate_agent::app::trust::Candidates;
use debate_agent::app::{agents, doctor};
use debate_agent::config::Config;
use debate_agent::journal::{record, wire};
use debate_agent::protocol::outline::Outline;
use debate_agent::report::backlog_item::SimilarDocument;
use debate_agent::report::backlog_list::BacklogDocument;
use debate_agent::report::change::DiffDocument;
use debate_agent::report::clients::ClientChange;
use debate_agent::report::debate::DebateDocument;
use debate_agent::report::decisions::{DecisionDocument, DecisionLog};
use debate_agent::report::discovery::DiscoveryDocument;
use debate_agent::report::discuss::DiscussDocument;
use debate_agent::report::document::PrioritizeDocument;
use debate_agent::report::eval::EvalDocument;
use debate_agent::report::inquiry::InquiryDocument;
use debate_agent::report::jsonl::Line;
use debate_agent::report::plan::Plan;
use debate_agent::report::plan_result::PlanDocument;
use debate_agent::report::review::{NothingToReview, ReviewDocument};
use debate_agent::report::sessions::{SessionStatusDocument, SessionsDocument};
use debate_agent::report::sinks::SyncDocument;
use debate_agent::report::standing::StandingDocument;
use debate_agent::report::transcript::TranscriptDocument;
use debate_agent::report::verify::VerifyDocument;
use debate_agent::schemas;
use schemars::schema_for;
use serde_json::{Value, json};

/// Schemas that no type derives.
const BY_HAND: [&str; 3] = ["error", "bigquery-sessions", "bigquery-turns"];

/// Compares the files with the schemas derived from the types, or writes those anew that differ. Returns the names
/// that differ.
pub(crate) fn differing(record: bool) -> Vec<&'static str> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/schemas");
    let derived = derived();
    for name in schemas::names().filter(|name| !BY_HAND.contains(name)) {
        assert!(derived.iter().any(|(known, _)| *known == name), "{name} is derived of no type");
    }
    let mut differ = Vec::new();
    for (name, schema) in derived {
        let path = folder.join(format!("{name}.json"));
        let text = format!("{schema}\n");
        if fs::read_to_string(&path).ok().as_ref() != Some(&text) {
            differ.push(name);
            if record {
                fs::write(path, text).unwrap();
            }
        }
    }
    differ
}

fn derived() -> Vec<(&'static str, Value)> {
    let mut config = schema_for!(Config);
    config.insert("title".to_owned(), "debate-agent configuration".into());
    let documents = [
        ("prioritize", schema_for!(PrioritizeDocument)),
        ("discover", schema_for!(DiscoveryDocument)),
        ("diff", schema_for!(DiffDocument)),
        ("eval", schema_for!(EvalDocument)),
        ("inquiry", schema_for!(InquiryDocument)),
        ("review", schema_for!(ReviewDocument)),
        ("review-nothing", schema_for!(NothingToReview)),
        ("backlog", schema_for!(BacklogDocument)),
        ("backlog-similar", schema_for!(SimilarDocument)),
        ("outline", schema_for!(Outline)),
        ("plan", schema_for!(PlanDocument)),
        ("debate", schema_for!(DebateDocument)),
        ("discuss", schema_for!(DiscussDocument)),
        ("decisions", schema_for!(DecisionLog)),
        ("decision", schema_for!(DecisionDocument)),
        ("dry-run", schema_for!(Plan)),
        ("sessions", schema_for!(SessionsDocument)),
        ("mcp-change", schema_for!(ClientChange)),
        ("session-status", schema_for!(SessionStatusDocument)),
        ("session-diff", schema_for!(SessionDiff)),
        ("standing", schema_for!(StandingDocument)),
        ("sync", schema_for!(SyncDocument)),
        ("session-verify", schema_for!(VerifyDocument)),
        ("transcript", schema_for!(TranscriptDocument)),
        ("run", schema_for!(CallDocument)),
        ("agents", schema_for!(agents::Listing)),
        ("doctor", schema_for!(doctor::Report)),
        ("init", schema_for!(InitDocument)),
        ("skills", schema_for!(SkillsDocument)),
        ("skill", schema_for!(SkillDocument)),
        ("files", schema_for!(FilesDocument)),
        ("config-show", schema_for!(ConfigDocument)),
        ("config-validate", schema_for!(ValidationDocument)),
        ("trust", schema_for!(Candidates)),
        ("trust-list", schema_for!(TrustedDocument)),
        ("trust-revoke", schema_for!(RevokedDocument)),
        ("gc", schema_for!(GcDocument)),
        ("review-dismiss", schema_for!(DismissDocument)),
        ("review-show", schema_for!(ProofDocument)),
        ("known-findings", schema_for!(KnownFindings)),
        ("events", schema_for!(Line<'static>)),
        ("config", config),
    ];
    let documents = documents.map(|(name, schema)| (name, schema.to_value()));
    documents.into_iter().chain([("journal", journal())]).collect()
}

/// One line of a journal (`journal/wire.rs`). The members of a body depend on its type and only grow.
fn journal() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "journal",
        "description": "One line of .debate/sessions/ID/journal.jsonl",
        "type": "object",
        "required": ["v", "seq", "type", "at", "body", "prev", "crc"],
        "properties": {
            "v": { "const": wire::VERSION, "description": "The version of the format" },
            "seq": { "type": "integer", "minimum": 1, "description": "Dense: 1, 2, 3, ..." },
            "type": { "enum": record::KINDS },
            "at": { "type": "string", "format": "date-time", "description": "For people; `seq` gives the order" },
            "body": { "type": "object" },
            "prev": { "type": "string", "pattern": "^[0-9a-f]{64}$", "description": "SHA-256 of the line before with its line feed; of the first record, zeros" },
            "crc": { "type": "string", "pattern": "^[0-9a-f]{8}$", "description": "CRC-32 of the line's bytes without this member" }
        }
    })
}
