//! `read_diff`: the material that a review would show and leave out. Also resolves a client's arguments to a change.

use std::path::Path;

use schemars::JsonSchema;
use serde::Deserialize;
use tokio::sync::watch;

use super::{Call, aside, block_on, refusal};
use crate::app::change::{self, Request, Scope};
use crate::app::workspace::Workspace;
use crate::app::{Order, Stops};
use crate::config::load::repository_of;
use crate::mcp::answer::Answer;
use crate::mcp::compact;
use crate::mcp::places::{AllowedPlaces, WorkLocation};
use crate::mcp::schema::output;
use crate::mcp::tool::{Effect, Tool, input};
use crate::text::sanitize;

/// File or folder, from the start directory; default: the whole change.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct ChangedPath(pub(super) String);

impl Call<'_> {
    /// The location of the change: the client's `path`, else the start directory.
    pub(super) async fn changed(&self, path: Option<ChangedPath>) -> Result<WorkLocation, Answer> {
        self.placed(move |places| match path {
            Some(ChangedPath(path)) => changed_at(places, &path),
            None => places.start(),
        })
        .await
    }
}

/// The location of a change narrowed to a client's `path`.
pub(super) fn changed_at(places: &AllowedPlaces, path: &str) -> Result<WorkLocation, Answer> {
    let place = places.resolve("path", path)?;
    match another(&place) {
        None => Ok(place),
        Some(top) => Err(Answer::field(
            "path",
            format!(
                "it is in {}, a separate repository, of which git shows nothing here; start the server there",
                sanitize::line(&top.to_string_lossy(), 200)
            ),
        )),
    }
}

/// The nested repository (a submodule, for example) that contains the location, if any.
fn another(place: &WorkLocation) -> Option<&Path> {
    let within = place.narrowed.as_deref()?.parent()?;
    let (top, dir) = (repository_of(within)?, place.around.dir.canonicalize().ok()?);
    (repository_of(&dir) != Some(top)).then_some(top)
}

pub(super) fn within(scope: Scope, place: &WorkLocation) -> Request {
    Request { scope, paths: place.narrowed.clone().into_iter().collect() }
}

/// Stops the reading when the caller no longer waits for it.
struct ReadCancel(watch::Sender<Order>);

impl Drop for ReadCancel {
    fn drop(&mut self) {
        self.0.send_replace(Order::Stop);
    }
}

pub(in crate::mcp) const READ_DIFF: Tool = Tool {
    name: "read_diff",
    title: "Read the change",
    description: "Shows what a review would show to its agents, and what it would leave out and why: everything that differs from HEAD, untracked files included, or a part. Asks nobody, costs nothing.",
    input: input!(DiffArguments, read_diff),
    output: output::<compact::Diff>,
    effect: Effect::Reads,
};

#[derive(Debug, Deserialize, JsonSchema)]
struct DiffArguments {
    /// Only what is staged.
    #[serde(default)]
    staged: bool,
    /// Compare with the merge base of this branch: main.
    #[schemars(length(max = 1_024))]
    base: Option<String>,
    path: Option<ChangedPath>,
}

/// Reads the change and reports the part of it that agents would be shown.
async fn read_diff(call: &Call<'_>, arguments: DiffArguments) -> Result<Answer, Answer> {
    let place = call.changed(arguments.path).await?;
    let scope = match (arguments.staged, arguments.base) {
        (true, Some(_)) => {
            return Err(Answer::field(
                "staged",
                "what is staged is compared with HEAD; leave `staged` or `base` out",
            ));
        }
        (true, None) => Scope::Staged,
        (false, Some(base)) => Scope::Base(base),
        (false, None) => Scope::WorkingTree,
    };
    let request = within(scope, &place);
    let gone = ReadCancel(watch::Sender::default());
    let stops = Stops::Remote(gone.0.subscribe());
    aside(move || {
        let workspace = Workspace::open(place.around, Vec::new()).map_err(refusal)?;
        let workspace = workspace.stopped_by(stops);
        let read = block_on(change::show::diff(&workspace, &request, true)).and_then(|read| read);
        Ok(Answer::Result(compact::diff(&read.map_err(refusal)?)))
    })
    .await
}
