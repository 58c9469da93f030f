//! What a topic debate is asked for.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::Value;

use crate::app::run::options::RunOptions;
use crate::protocol::debate::Mode;
use crate::protocol::debate::typed::Side;
use crate::protocol::style::Style;

/// What is to be settled, and how.
#[derive(Debug, Clone)]
pub struct Request {
    /// The question.
    pub topic: String,
    /// More about it; may be empty.
    pub description: String,
    /// Files that all sides are shown.
    pub files: Vec<PathBuf>,
    /// Carried into the result.
    pub metadata: BTreeMap<String, Value>,
    /// How it is debated.
    pub style: Style,
    /// The tone.
    pub mode: Mode,
    /// What there is to choose from.
    pub options: Vec<String>,
    /// The language that agents write in.
    pub language: Option<String>,
    /// Who debates, in order; empty for the configuration's.
    pub participants: Vec<String>,
    /// Who rules or judges; `None` for the configuration's.
    pub expert: Option<String>,
    /// The side that a person takes.
    pub person: Option<Side>,
    /// Whether a person is asked for a remark between rounds.
    pub pause: bool,
    /// Where the report goes.
    pub out: Option<PathBuf>,
    /// The rest.
    pub run: RunOptions,
}
