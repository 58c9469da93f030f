//! What a review is told besides the change: platform rules, and which findings are known.

use std::collections::BTreeMap;

use super::Request;
use crate::app::workspace::Workspace;
use crate::app::{change, dismissals};
use crate::change::Change;
use crate::config::review::PlatformChoice;
use crate::discovery::tree::Tree;
use crate::engine::limits::Switch;
use crate::error::{Error, Kind};
use crate::protocol::review::platform::{self, Platform};
use crate::protocol::review::{Known, Rules};
use crate::report::baseline;
use crate::text::Note;

/// Returns the rules of the platforms. The project's guidelines come later, with the check of their trust.
pub(super) async fn rules(workspace: &Workspace, change: &Change) -> Result<Rules, Error> {
    let platforms = match workspace.effective.config.review.platform {
        PlatformChoice::Auto => {
            let changed: Vec<String> = (change.files.iter())
                .map(|file| file.path.clone())
                .collect();
            platform::detect(&changed, &repository(workspace).await)
        }
        PlatformChoice::Flutter => vec![Platform::Flutter, Platform::General],
        PlatformChoice::Android => vec![Platform::Android, Platform::General],
        PlatformChoice::Ios => vec![Platform::Ios, Platform::General],
        PlatformChoice::Backend => vec![Platform::Backend, Platform::General],
        PlatformChoice::General => vec![Platform::General],
    };
    Ok(Rules {
        platform: platform::rules(&platforms),
        guidelines: String::new(),
    })
}

/// Returns the names of the repository's files. What cannot be read says nothing of its platform.
async fn repository(workspace: &Workspace) -> Vec<String> {
    let root = workspace.root().to_owned();
    let read = tokio::task::spawn_blocking(move || Tree::read(&root, &[]));
    match read.await {
        Ok(Ok((tree, _))) => tree.files.into_iter().map(|file| file.name).collect(),
        Ok(Err(_)) | Err(_) => Vec::new(),
    }
}

/// Returns the findings that are not raised again: of the baseline, and dismissed in the base revision.
///
/// The dismissals of the change itself do not count: no change dismisses its own bug.
pub(super) async fn known(
    workspace: &Workspace,
    request: &Request,
    change: &Change,
    switch: &Switch,
    notes: &mut Vec<Note>,
) -> Result<BTreeMap<String, Known>, Error> {
    let mut known = BTreeMap::new();
    if let Some((name, bytes)) = &request.baseline {
        let read = baseline::read(bytes).map_err(|error| {
            Error::new(Kind::Input, format!("{name}: {error}")).named("baseline")
        })?;
        notes.extend(read.warnings);
        let fingerprints = read.fingerprints.into_iter();
        known.extend(fingerprints.map(|fingerprint| (fingerprint, Known::Baseline)));
    }
    if let Some(bytes) = change::at_base(workspace, change, dismissals::FILE, switch).await? {
        let dismissed = dismissals::read(&bytes).map_err(|error| {
            Error::new(
                Kind::Input,
                format!("{} of the base revision: {error}", dismissals::FILE),
            )
            .named("dismissals")
        })?;
        known.extend(dismissed);
    }
    Ok(known)
}
