//! Small result documents of commands.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;

use crate::app::skills;
use crate::config::store::Pin;
use crate::session::GcReport;

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
    pub removed: Vec<RemovedItem>,
    /// Its size in bytes.
    pub bytes: u64,
    /// Sessions that were left alone.
    pub kept: Vec<KeptSession>,
}

/// One thing that was removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RemovedItem {
    /// Where it was.
    pub path: PathBuf,
    /// Why it was removed.
    pub why: String,
    /// Its size.
    pub bytes: u64,
}

/// A session that was left alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct KeptSession {
    /// Its id.
    pub session_id: String,
    /// Why: it is in use, or cannot be read.
    pub why: String,
}

impl GcDocument {
    /// Creates the document of a report.
    pub fn new(report: &GcReport, dry_run: bool) -> Self {
        Self {
            dry_run,
            removed: report
                .removed
                .iter()
                .map(|removal| RemovedItem {
                    path: removal.path.clone(),
                    why: removal.why.to_owned(),
                    bytes: removal.bytes,
                })
                .collect(),
            bytes: report.removed.iter().map(|removal| removal.bytes).sum(),
            kept: report
                .kept
                .iter()
                .map(|(id, why)| KeptSession { session_id: id.clone(), why: why.clone() })
                .collect(),
        }
    }
}
