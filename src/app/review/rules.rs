//! A review's additional input: platform rules and known findings.

use std::collections::BTreeMap;

use super::request::Request;
use crate::app::change;
use crate::app::change::Scope;
use crate::app::review::dismissal_file as dismissals;
use crate::app::run::workspace::Workspace;
use crate::change::Change;
use crate::config::review::PlatformChoice;
use crate::discovery::tree::Tree;
use crate::engine::switch::Switch;
use crate::error::{Error, Kind};
use crate::protocol::review::platform::{self, Platform};
use crate::protocol::review::{Rules, SuppressionReason};
use crate::report::baseline;
use crate::text::Note;

/// Returns the platform rules. The project's guidelines are added later, after the check of their trust.
pub(super) async fn rules(
    workspace: &Workspace,
    change: &Change,
    switch: &Switch,
) -> Result<Rules, Error> {
    let platforms = match workspace.effective.config.review.platform {
        PlatformChoice::Auto => {
            let changed: Vec<String> =
                (change.files.iter()).map(|file| file.path.clone()).collect();
            platform::detect(&changed, &repository(workspace, switch).await)
        }
        PlatformChoice::Flutter => vec![Platform::Flutter, Platform::General],
        PlatformChoice::Android => vec![Platform::Android, Platform::General],
        PlatformChoice::Ios => vec![Platform::Ios, Platform::General],
        PlatformChoice::Backend => vec![Platform::Backend, Platform::General],
        PlatformChoice::General => vec![Platform::General],
    };
    Ok(Rules { platform: platform::rules(&platforms), guidelines: String::new() })
}

/// Returns the names of the repository's files; empty if they cannot be read, which leaves the platform unknown.
async fn repository(workspace: &Workspace, switch: &Switch) -> Vec<String> {
    let root = workspace.root().to_owned();
    let stopped = switch.watch();
    let read = tokio::task::spawn_blocking(move || Tree::read_unless(&root, &[], stopped));
    match read.await {
        Ok(Ok((tree, _))) => tree.files.into_iter().map(|file| file.name).collect(),
        Ok(Err(_)) | Err(_) => Vec::new(),
    }
}

/// Returns the findings that are not raised again: those of the baseline, and those dismissed in the base revision.
///
/// The change's own dismissals do not count: no change dismisses its own bug. A note lists how many there are.
pub(super) async fn known(
    workspace: &Workspace,
    request: &Request,
    change: &Change,
    switch: &Switch,
    notes: &mut Vec<Note>,
) -> Result<BTreeMap<String, SuppressionReason>, Error> {
    let mut known = BTreeMap::new();
    if let Some(earlier) = &request.baseline {
        let (name, bytes) = earlier.named();
        let read = baseline::read(bytes).map_err(|error| {
            Error::new(Kind::Input, format!("{name}: {error}")).named("baseline")
        })?;
        notes.extend(read.warnings);
        let fingerprints = read.fingerprints.into_iter();
        known.extend(fingerprints.map(|fingerprint| (fingerprint, SuppressionReason::Baseline)));
    }
    let mut dismissed = BTreeMap::new();
    if let Some(bytes) = change::at_base(workspace, change, dismissals::FILE, switch).await? {
        dismissed = dismissals::read(&bytes).map_err(|error| {
            Error::new(Kind::Input, format!("{} of the base revision: {error}", dismissals::FILE))
                .named("dismissals")
        })?;
    }
    let scope = &request.scope.scope;
    if let Some(bytes) = change::as_changed(workspace, scope, dismissals::FILE, switch).await {
        notes.extend(idle(scope, &bytes, &dismissed));
    }
    known.extend(dismissed);
    Ok(known)
}

/// Returns a note on dismissals that do not count, if there are any.
fn idle(
    scope: &Scope,
    bytes: &[u8],
    counted: &BTreeMap<String, SuppressionReason>,
) -> Option<Note> {
    let file = dismissals::FILE;
    let patch = matches!(scope, Scope::Patch(_));
    let message = match dismissals::read(bytes) {
        Err(error) => format!("{file} does not count, and cannot be read: {error}"),
        Ok(there) => {
            let count = there.keys().filter(|print| !counted.contains_key(*print)).count();
            let dismissals = match count {
                0 => return None,
                1 => format!("1 dismissal in {file} does"),
                _ => format!("{count} dismissals in {file} do"),
            };
            if patch {
                format!("{dismissals} not count: a patch has no base revision to read them from")
            } else {
                format!(
                    "{dismissals} not count until {} in the base",
                    if count == 1 { "it is" } else { "they are" }
                )
            }
        }
    };
    Some(Note::new("dismissals_not_counted", message))
}
