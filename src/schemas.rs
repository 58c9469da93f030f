//! The JSON Schemas of what commands print and read, by name, as recorded in `src/schemas`: deriving them at run time
//! would add a megabyte to the program. `cargo test --test golden` checks that each equals what its type derives.

use serde_json::Value;

/// The recorded schemas by name. `sessions show` and `resume` print the protocol's own document.
const SCHEMAS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/schemas.rs"));

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
