//! `sessions verify`: whether sessions are as they were written.

use clap::Args;

use super::SESSION;
use crate::app::run::foreign;
use crate::app::run::workspace::Workspace;
use crate::error::{Error, store_error};
use crate::report::document::SCHEMA_VERSION;
use crate::report::verify::VerifyDocument;
use crate::session::is_sha;

/// The request of `sessions verify`.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
pub struct VerifyRequest {
    /// Its id, the beginning of it, `@last` or `@last:review`.
    #[arg(id = "session", value_name = SESSION, required_unless_present = "all", conflicts_with = "all")]
    pub id: Option<String>,
    /// All sessions of this project.
    #[arg(long)]
    pub all: bool,
    /// A head that was kept elsewhere: one of the records must have this hash.
    #[arg(long, value_name = "HASH", conflicts_with = "all", value_parser = hash)]
    pub head: Option<String>,
}

fn hash(text: &str) -> Result<String, &'static str> {
    is_sha(text).then(|| text.to_owned()).ok_or("a head has 64 hexadecimal digits, in lower case")
}

/// Checks one session, or all, newest first. Nothing is written.
///
/// # Errors
/// The id is unknown, or the sessions cannot be listed.
pub fn verify(workspace: &Workspace, request: &VerifyRequest) -> Result<VerifyDocument, Error> {
    let store = foreign::store(workspace)?;
    let ids = match &request.id {
        Some(id) => vec![store.resolve(id).map_err(store_error)?],
        None => store.ids().map_err(store_error)?,
    };
    let head = request.head.as_deref();
    let sessions = ids.iter().rev().map(|id| store.verify(id, head)).collect();
    Ok(VerifyDocument { sessions, schema_version: SCHEMA_VERSION })
}
