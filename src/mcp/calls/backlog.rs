//! `prioritize_backlog`: a partner debate over the client's items, or over the project's stored backlog.

use super::session::seconds;
use super::{Call, refusal};
use crate::app::Input;
use crate::app::prioritize::{Items, Request};
use crate::error::{Error, Kind};
use crate::mcp::answer::Answer;
use crate::mcp::compact;
use crate::mcp::places::AllowedPlaces;
use crate::mcp::table::BacklogArguments;

/// Ranks the given items; without any, the open ones of the stored backlog.
pub(super) async fn prioritize(
    call: &Call<'_>,
    arguments: BacklogArguments,
) -> Result<Answer, Answer> {
    let given = arguments.opportunities;
    let place = match &given {
        Some(_) => call.placed(AllowedPlaces::anywhere).await?,
        None => call.placed(AllowedPlaces::start).await?,
    };
    let items = match given {
        Some(given) => Items::Of(Input::Given {
            name: "opportunities".to_owned(),
            bytes: serde_json::to_vec(&given).map_err(|error| {
                refusal(Error::new(Kind::Bug, "the items cannot be written as JSON").because(error))
            })?,
        }),
        None => Items::Stored,
    };
    let mut request = Request::of(items);
    request.opening = arguments.opening;
    let wait = seconds(arguments.wait_seconds);
    call.run_session("prioritize_backlog", place.around, request, wait, |_, held| {
        Ok(compact::session(&held.map_err(about_items)?.document))
    })
    .await
}

/// Marks an error in the items as being about the `opportunities` argument.
fn about_items(error: Error) -> Error {
    match (error.kind, error.code) {
        (Kind::Input, "input") => error.named("opportunities"),
        _ => error,
    }
}
