//! Finds the review that an id belongs to: the newest, or the one named.

use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};
use serde::Deserialize as _;

use crate::app::run::workspace::Workspace;
use crate::app::sessions;
use crate::error::{Error, Kind, store_error};
use crate::report::review::ReviewDocument;
use crate::session::fs::EntryKind;
use crate::text::{json, sanitize};

/// Maximum bytes of a report.
const MAX_REPORT: u64 = 64 << 20;

/// The review in which a finding's id is looked up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// The newest review of the project, among sessions and reports.
    Newest,
    /// The session with this id or prefix of an id.
    Session(String),
    /// The report in this JSON file.
    Report(PathBuf),
}

/// A review in which ids are looked up.
#[derive(Debug)]
pub(super) struct Review {
    pub(super) document: ReviewDocument,
    /// Its name in messages.
    pub(super) name: String,
}

/// Returns the review that a source refers to.
pub(super) async fn review(workspace: &Workspace, source: &Source) -> Result<Review, Error> {
    match source {
        Source::Session(id) => session(workspace, id).await,
        Source::Report(path) => report(workspace, path),
        Source::Newest => newest(workspace).await,
    }
}

async fn newest(workspace: &Workspace) -> Result<Review, Error> {
    let listed = workspace.store(false).list().map_err(store_error)?;
    let held = listed.into_iter().filter_map(|listed| {
        let summary = listed.summary?;
        let is_review = summary.protocol == "review" && !summary.rehearsal;
        is_review.then_some((summary.started_at, listed.id))
    });
    let held: Option<(DateTime<Utc>, String)> = held.max();
    let written = newest_report(workspace)?;
    match (held, written) {
        (Some((began, _)), Some(report)) if report.document.header.started_at > began => Ok(report),
        (Some((_, id)), _) => session(workspace, &id).await,
        (None, Some(report)) => Ok(report),
        (None, None) => Err(Error::new(
            Kind::Input,
            "this project has no review whose findings could be dismissed",
        )
        .named("no_review")
        .hint("run `debate-agent review` first, or name a report: `--report FILE` (rehearsals do not count: their findings are invented)")),
    }
}

async fn session(workspace: &Workspace, id: &str) -> Result<Review, Error> {
    let shown = sessions::show(workspace, id).await?;
    let document = shown.document::<ReviewDocument>().cloned().ok_or_else(|| {
        let id = sanitize::line(id, 60);
        Error::new(Kind::Input, format!("session `{id}` is not a review"))
            .named("no_review")
            .hint("`debate-agent sessions list` shows which are")
    })?;
    let name = format!("session {}", crate::report::short_id(&document.header.session_id));
    Ok(Review { document, name })
}

/// Returns the newest report in `.debate/` that is not a rehearsal's. The file names start with the time.
fn newest_report(workspace: &Workspace) -> Result<Option<Review>, Error> {
    let folder = workspace.root().join(&workspace.effective.config.paths.debate);
    let fs = workspace.fs.as_ref();
    let failed = |error| {
        let what = format!("failed to look for reports in {}", folder.display());
        Error::new(Kind::State, what).because(error)
    };
    if fs.kind(&folder).map_err(failed)? != Some(EntryKind::Dir) {
        return Ok(None);
    }
    let mut names: Vec<String> = (fs.list(&folder).map_err(failed)?.into_iter())
        .filter(|entry| entry.kind == EntryKind::File)
        .map(|entry| entry.name)
        .filter(|name| is_report(name))
        .collect();
    names.sort();
    for name in names.iter().rev() {
        // An unreadable report is no reason to use an older one: `F3` would be another finding.
        let found = report(workspace, &folder.join(name))?;
        if !found.document.header.rehearsal {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// Whether a name is that of a review's JSON as this program writes it.
fn is_report(name: &str) -> bool {
    (name.strip_prefix("review-")).is_some_and(|rest| rest.strip_suffix(".json").is_some())
}

fn report(workspace: &Workspace, path: &Path) -> Result<Review, Error> {
    let shown = path.display().to_string();
    let unreadable = || {
        Error::new(Kind::Input, format!("{shown} cannot be read as the JSON of a review"))
            .named("unreadable_report")
            .hint("name another review: `--session ID` or `--report FILE`")
    };
    let bytes =
        (workspace.fs.read(path, MAX_REPORT)).map_err(|error| unreadable().because(error))?;
    let text = String::from_utf8(bytes).map_err(|error| unreadable().because(error))?;
    let value = json::parse(&text).map_err(|error| unreadable().because(error))?;
    let document =
        ReviewDocument::deserialize(&value).map_err(|error| unreadable().because(error))?;
    if document.header.protocol != "review" {
        return Err(unreadable());
    }
    Ok(Review { document, name: sanitize::line(&shown, 400) })
}
