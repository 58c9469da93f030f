//! The JSON Schemas of what commands print and read, by name, as recorded in `src/schemas`: deriving them at run time
//! would add a megabyte to the program. `cargo test --test golden` checks that each equals what its type derives.

use serde_json::Value;

macro_rules! recorded {
    ($($name:literal)*) => {
        &[$((
            $name,
            include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/schemas/", $name, ".json")),
        )),*]
    };
}

/// The recorded schemas by name. `sessions show` and `resume` print the protocol's own document.
const SCHEMAS: &[(&str, &str)] = recorded![
    "prioritize"
    "discover"
    "diff"
    "inquiry"
    "review"
    "review-nothing"
    "backlog"
    "backlog-similar"
    "outline"
    "plan"
    "debate"
    "discuss"
    "decisions"
    "decision"
    "dry-run"
    "sessions"
    "mcp-change"
    "session-status"
    "sync"
    "run"
    "agents"
    "doctor"
    "init"
    "skills"
    "skill"
    "files"
    "config-show"
    "config-validate"
    "trust"
    "trust-list"
    "trust-revoke"
    "gc"
    "review-dismiss"
    "known-findings"
    "config"
    "journal"
    "events"
    "error"
    "bigquery-sessions"
    "bigquery-turns"
];

/// Returns the names of all schemas.
pub fn names() -> impl Iterator<Item = &'static str> {
    SCHEMAS.iter().map(|(name, _)| *name)
}

/// Returns the schema of this name.
pub fn schema(name: &str) -> Option<Value> {
    let (_, text) = SCHEMAS.iter().find(|(known, _)| *known == name)?;
    serde_json::from_str(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_schema_can_be_read() {
        for name in names() {
            assert!(schema(name).is_some(), "{name}");
        }
        assert_eq!(schema("nonsense"), None);
    }
}
