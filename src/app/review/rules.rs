//! A review's additional input: platform rules and known findings.

use std::collections::BTreeMap;

use super::known_findings::{self, FILE};
use crate::app::change;
use crate::app::change::Scope;
use crate::app::run::workspace::Workspace;
use crate::change::Change;
use crate::config::review::PlatformChoice;
use crate::engine::switch::Switch;
use crate::error::{Error, Kind};
use crate::protocol::review::platform::{self, Platform};
use crate::protocol::review::{Rules, SuppressionReason};
use crate::text::Note;

/// Returns the platform rules. The project's guidelines are added later, after the check of their trust.
pub(super) fn rules(workspace: &Workspace, change: &Change) -> Rules {
    let platforms = match workspace.effective.config.review.platform {
        PlatformChoice::Auto => {
            let changed: Vec<String> =
                (change.files.iter()).map(|file| file.path.clone()).collect();
            platform::detect(&changed)
        }
        PlatformChoice::Flutter => vec![Platform::Flutter, Platform::General],
        PlatformChoice::Android => vec![Platform::Android, Platform::General],
        PlatformChoice::Ios => vec![Platform::Ios, Platform::General],
        PlatformChoice::Backend => vec![Platform::Backend, Platform::General],
        PlatformChoice::General => vec![Platform::General],
    };
    Rules { platform: platform::rules(&platforms), guidelines: String::new() }
}

/// Returns the findings that are not raised again: those in the file of the base revision.
///
/// The change's own file does not count: no change dismisses its own bug. A note says how many of its findings do not.
pub(super) async fn known(
    workspace: &Workspace,
    scope: &Scope,
    change: &Change,
    switch: &Switch,
    notes: &mut Vec<Note>,
) -> Result<BTreeMap<String, SuppressionReason>, Error> {
    let mut known = BTreeMap::new();
    if let Some(bytes) = change::at_base(workspace, change, FILE, switch).await? {
        known = known_findings::read(&bytes).map_err(|error| {
            Error::new(Kind::Input, format!("{FILE} of the base revision: {error}"))
                .named("known_findings")
        })?;
    }
    if let Some(bytes) = change::as_changed(workspace, scope, FILE, switch).await {
        notes.extend(idle(&bytes, &known));
    }
    Ok(known)
}

/// Returns a note on known findings that do not count, if there are any.
fn idle(bytes: &[u8], counted: &BTreeMap<String, SuppressionReason>) -> Option<Note> {
    let message = match known_findings::read(bytes) {
        Err(error) => format!("{FILE} does not count, and cannot be read: {error}"),
        Ok(there) => {
            let count = there.keys().filter(|print| !counted.contains_key(*print)).count();
            let findings = match count {
                0 => return None,
                1 => "1 known finding".to_owned(),
                _ => format!("{count} known findings"),
            };
            format!(
                "not counted: {findings} in {FILE}; only the base revision's file counts, and a patch has none"
            )
        }
    };
    Some(Note::new("known_findings_not_counted", message))
}
