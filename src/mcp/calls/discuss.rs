//! `discuss_artifact`: one document, read from several perspectives.

use schemars::JsonSchema;
use serde::Deserialize;

use super::Call;
use super::session::Wait;
use crate::app::discuss::Request;
use crate::mcp::answer::Answer;
use crate::mcp::compact;
use crate::mcp::schema::output;
use crate::mcp::tool::{Effect, Tool, input};

pub(in crate::mcp) const DISCUSS: Tool = Tool {
    name: "discuss_artifact",
    title: "Discuss a document",
    description: "AI agents criticise one document from several perspectives, each alone; rules decide whether it can proceed. Costs real money, takes minutes. Returns severity, action items, differing views. `decided: false` means no approval. Not for code changes: debate_review.",
    input: input!(DiscussArguments, discuss),
    output: output::<compact::Session>,
    effect: Effect::Asks,
};

#[derive(Debug, Deserialize, JsonSchema)]
struct DiscussArguments {
    /// The file; default: the preset's.
    artifact: Option<String>,
    /// JSON that coverage checks against.
    context: Option<String>,
    /// Folder for records.
    session: Option<String>,
    #[serde(flatten)]
    request: Request,
    wait_seconds: Option<Wait>,
}

/// Discusses one file, or the artifact of a preset.
async fn discuss(call: &Call<'_>, arguments: DiscussArguments) -> Result<Answer, Answer> {
    let DiscussArguments { artifact, context, session, mut request, wait_seconds } = arguments;
    if artifact.is_none() && request.preset.is_none() {
        return Err(Answer::field("artifact", "it is missing, and no `preset` names one"));
    }
    let found = call.placed(move |places| {
        let file =
            |field, path: Option<String>| path.map(|path| places.file(field, &path)).transpose();
        let (artifact, context) = (file("artifact", artifact)?, file("context", context)?);
        let session = session.map(|path| places.folder("session", &path)).transpose()?;
        let place = match artifact.as_ref().or(session.as_ref()) {
            Some((place, _)) => place.clone(),
            // A preset's artifact comes from the project of the start directory.
            None => places.start()?,
        };
        Ok((place, [artifact, context, session].map(|found| found.map(|(_, path)| path))))
    });
    let (place, paths) = found.await?;
    [request.artifact, request.context, request.folder] = paths;
    call.run_session(place.around, request, wait_seconds, |_, held| {
        Ok(compact::session(&held?.document))
    })
    .await
}
