//! The result of `eval`: its document and its page.

use schemars::JsonSchema;
use serde::Serialize;

use super::page::template::Data;
use super::page::{Page, ToPage};
use crate::eval::score::{CaseResult, Table};

/// The result of `eval` and `eval merge`.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct EvalDocument {
    /// The name of the folder of cases.
    pub cases: String,
    /// Of this program.
    pub version: String,
    /// Agents that are scripted: with any of them, the figures are no evidence.
    pub scripted: Vec<String>,
    /// One for each part and kind.
    pub tables: Vec<Table>,
    /// Every case that counts, with what each arm made of it.
    pub results: Vec<CaseResult>,
    /// Cases without a result, which count nowhere.
    pub not_scored: Vec<NotScored>,
    /// Cases of kinds that are not evaluated.
    pub left_out: Vec<String>,
    /// The shard that this is, as `1/4`; `null`: all of them.
    pub shard: Option<String>,
    /// Shards that were not given: their cases are missing.
    pub missing_shards: Vec<String>,
    /// How often the held-out part was scored for this version, this time included; 0: never.
    pub held_out_scored: u32,
    /// What ended the run early.
    pub stopped_by: Option<String>,
    pub schema_version: u32,
}

/// A case that counts nowhere, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NotScored {
    pub name: String,
    pub why: String,
}

impl EvalDocument {
    /// Whether every case that was asked for has a result.
    pub fn is_complete(&self) -> bool {
        self.not_scored.is_empty() && self.missing_shards.is_empty() && self.stopped_by.is_none()
    }
}

impl ToPage for EvalDocument {
    fn page(&self) -> Page {
        let data = Data::of(self).with("complete", self.is_complete());
        let mut page = Page::new("Evaluation", data.sentence("eval/headline"));
        page.blocks().append(data.fill("eval/page"));
        page
    }
}
