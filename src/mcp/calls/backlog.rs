//! `prioritize_backlog`: a partner debate over items of the client, or over the project's stored backlog.

use super::Call;
use super::held::{Held, finished, seconds};
use crate::app::backlog::{self, Filter};
use crate::app::prioritize::{self, Request};
use crate::app::workspace::Workspace;
use crate::config::trust::Use;
use crate::error::{Error, Kind};
use crate::mcp::answer::Answer;
use crate::mcp::compact;
use crate::mcp::places::Places;
use crate::mcp::table::BacklogArguments;

/// Ranks the items that are given; without any, the open ones of the stored backlog.
pub(super) async fn prioritize(
    call: &Call<'_>,
    arguments: BacklogArguments,
) -> Result<Answer, Answer> {
    let given = arguments.opportunities;
    let place = match &given {
        Some(_) => call.placed(Places::anywhere).await?,
        None => call.placed(Places::start).await?,
    };
    let held = Held {
        tool: "prioritize_backlog",
        around: place.around,
        flags: Vec::new(),
        used: Use::Agents,
        wait: seconds(arguments.wait_seconds),
    };
    let answer = held.by(call.server, call.progress, move |workspace, options, reporters| {
        let (name, bytes) = match given {
            Some(given) => ("opportunities", written(&given)?),
            None => ("the stored backlog", stored(workspace)?),
        };
        let request = Request {
            name: name.to_owned(),
            backlog: prioritize::read(workspace, name, &bytes).map_err(about_items)?,
            options,
        };
        let held = finished(prioritize::prioritize(workspace, &request, reporters))
            .map_err(about_items)?;
        Ok(compact::session(&held.document))
    });
    Ok(answer.await)
}

/// Says of an error in the items that it is about them.
fn about_items(error: Error) -> Error {
    match (error.kind, error.code) {
        (Kind::Input, "input") => error.named("opportunities"),
        _ => error,
    }
}

/// What is open in the stored backlog, in the form in which a backlog is read.
fn stored(workspace: &Workspace) -> Result<Vec<u8>, Error> {
    let listed = backlog::list(workspace, Filter::default())?;
    written(&listed.opportunities)
}

fn written(items: &impl serde::Serialize) -> Result<Vec<u8>, Error> {
    serde_json::to_vec(items).map_err(|error| {
        Error::new(Kind::Bug, "the items cannot be written as JSON").because(error)
    })
}
