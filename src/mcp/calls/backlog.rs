//! `prioritize_backlog`: a partner debate over the client's items, or over the project's stored backlog.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::session::Wait;
use super::{Call, refusal};
use crate::app::Input;
use crate::app::prioritize::{Items, Request};
use crate::error::{Error, Kind};
use crate::mcp::answer::Answer;
use crate::mcp::compact;
use crate::mcp::places::AllowedPlaces;
use crate::mcp::schema::output;
use crate::mcp::tool::{Effect, Tool, input};
use crate::protocol::opening::Opening;

pub(in crate::mcp) const BACKLOG: Tool = Tool {
    name: "prioritize_backlog",
    title: "Prioritize a backlog",
    description: "Ranks items: one AI agent argues, another challenges. Costs real money, takes minutes. Returns the ranking. `decided: false`: do not rely on it. One question: debate_topic.",
    input: input!(BacklogArguments, prioritize),
    output: output::<compact::Session>,
    effect: Effect::Asks,
};

#[derive(Debug, Deserialize, JsonSchema)]
struct BacklogArguments {
    /// Items with a title; default: stored backlog.
    #[serde(default)]
    #[schemars(schema_with = "items")]
    opportunities: Option<Vec<Map<String, Value>>>,
    /// blind: rank apart.
    opening: Option<Opening>,
    wait_seconds: Option<Wait>,
}

/// Gemini refuses an object without members, so the one that each must have is named.
fn items(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "array",
        "items": {"type": "object", "properties": {"title": {"type": "string"}}},
        "maxItems": 100,
    })
}

/// Ranks the given items; without any, the open ones of the stored backlog.
async fn prioritize(call: &Call<'_>, arguments: BacklogArguments) -> Result<Answer, Answer> {
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
    call.run_session(place.around, request, arguments.wait_seconds, |_, held| {
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
