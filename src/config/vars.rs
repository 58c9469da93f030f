//! The variables that set a value: `DEBATE_AGENT_*`.

use std::collections::BTreeMap;

use serde_json::Value;

use super::error::{ConfigError, nearest};
use super::key::KeyPath;
use super::setting::value_of;
use crate::config::key::NAMES;

/// Variables that the program sets for its own processes; they are not settings.
pub const INTERNAL: [&str; 2] = ["DEBATE_AGENT_DEPTH", "DEBATE_AGENT_CALL"];

/// One value set by a variable.
#[derive(Debug, Clone, PartialEq)]
pub struct Set {
    /// The name of the variable.
    pub name: &'static str,
    /// The key that it sets.
    pub path: KeyPath,
    /// The value, of the right type; its range is judged with everything else.
    pub value: Value,
}

/// Reads the variables. An empty one counts as not set.
pub fn read(vars: &BTreeMap<String, String>) -> Result<Vec<Set>, ConfigError> {
    let mut set = Vec::new();
    for (name, text) in vars {
        if !name.starts_with("DEBATE_AGENT_") || INTERNAL.contains(&name.as_str()) {
            continue;
        }
        let Some((name, key)) = NAMES.iter().find(|(known, _)| known == name) else {
            return Err(ConfigError::UnknownVariable {
                name: name.clone(),
                nearest: nearest(name, NAMES.map(|(known, _)| known)),
            });
        };
        if text.is_empty() {
            continue;
        }
        let path = KeyPath::of(key.split('.'));
        let value = value_of(&path, text.trim());
        set.push(Set { name, path, value });
    }
    Ok(set)
}
