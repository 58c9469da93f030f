//! Finds the marker blocks of a reply and judges them by the decision table.

use serde_json::Value;

use super::{Note, Problem};

/// What kind of value a block holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Free text.
    Text,
    /// A JSON array.
    Array,
    /// A JSON object.
    Object,
}

/// A block that a reply should hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Want {
    /// The marker's name, as in `<<<NAME_START>>>`.
    pub name: &'static str,
    /// What stands inside.
    pub shape: Shape,
    /// Whether a reply without it is a problem (a missing optional block is `None`).
    pub required: bool,
}

/// One block's content.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// Of a [`Shape::Text`] block.
    Text(String),
    /// Of the other shapes.
    Json(Value),
}

/// What was found, in the order of the wants.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Extracted {
    /// One entry a want.
    pub contents: Vec<Option<Content>>,
    /// What was normalised on the way.
    pub notes: Vec<Note>,
}

/// Limits of a reply's blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockLimits {
    /// Bytes of one block (1 MiB).
    pub block_bytes: usize,
}

impl Default for BlockLimits {
    fn default() -> Self {
        Self {
            block_bytes: 1 << 20,
        }
    }
}

/// Finds the wanted blocks. `cut`: the model stopped at its output limit.
/// `templates`: block bodies that our own prompt showed, to recognise an echo.
pub fn extract(
    _reply: &[u8],
    _cut: bool,
    _wants: &[Want],
    _templates: &[&str],
    _limits: BlockLimits,
) -> Result<Extracted, Vec<Problem>> {
    todo!("helper text")
}
