//! `discuss_artifact`: one document, read from several perspectives.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Deserialize;

use super::session::{Wait, seconds};
use super::{Call, refusal};
use crate::app::Caller;
use crate::app::discuss::Request;
use crate::mcp::answer::Answer;
use crate::mcp::compact;
use crate::mcp::places::{AllowedPlaces, WorkLocation};
use crate::mcp::tool::{Effect, Output, Tool, input};

/// The location of the artifact, and of the session's records.
struct Files {
    place: WorkLocation,
    artifact: Option<PathBuf>,
    context: Option<PathBuf>,
    session: Option<PathBuf>,
}

impl Files {
    /// Resolves each path to a place that a client may name; a preset's artifact comes from the project of the
    /// folder, or of the start directory.
    fn find(
        places: &AllowedPlaces,
        artifact: Option<&str>,
        context: Option<&str>,
        session: Option<&str>,
    ) -> Result<Self, Answer> {
        let artifact = artifact.map(|file| places.file("artifact", file));
        let context = context.map(|file| places.file("context", file)).transpose()?;
        let session = session.map(|folder| places.folder("session", folder)).transpose()?;
        let (place, artifact) = match artifact.transpose()? {
            Some((place, artifact)) => (place, Some(artifact)),
            None => match &session {
                Some((place, _)) => (place.clone(), None),
                None => (places.start()?, None),
            },
        };
        Ok(Self {
            place,
            artifact,
            context: context.map(|(_, file)| file),
            session: session.map(|(_, folder)| folder),
        })
    }
}

pub(in crate::mcp) const DISCUSS: Tool = Tool {
    name: "discuss_artifact",
    title: "Discuss a document",
    description: "AI agents criticise one document from several perspectives, each alone; rules decide whether it can proceed. Costs real money, takes minutes. Returns severity, action items, differing views. `decided: false` means no approval. Not for code changes: debate_review.",
    input: input!(DiscussArguments, discuss),
    output: Output::Session,
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
    request.check(Caller::Client).map_err(refusal)?;
    let files = call.placed(move |places| {
        Files::find(places, artifact.as_deref(), context.as_deref(), session.as_deref())
    });
    let Files { place, artifact, context, session } = files.await?;
    request.artifact = artifact;
    request.context = context;
    request.folder = session;
    let wait = seconds(wait_seconds);
    call.run_session("discuss_artifact", place.around, request, wait, |_, held| {
        Ok(compact::session(&held?.document))
    })
    .await
}
