//! `discuss_artifact`: one document, read from several perspectives.

use std::path::PathBuf;

use super::session::seconds;
use super::{Call, refusal};
use crate::app::Caller;
use crate::app::discuss::Request;
use crate::mcp::answer::Answer;
use crate::mcp::compact;
use crate::mcp::places::{AllowedPlaces, WorkLocation};
use crate::mcp::table::DiscussArguments;

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

/// Discusses one file, or the artifact of a preset.
pub(super) async fn discuss(
    call: &Call<'_>,
    arguments: DiscussArguments,
) -> Result<Answer, Answer> {
    let DiscussArguments { artifact, context, session, preset, role, task_id, .. } = arguments;
    if artifact.is_none() && preset.is_none() {
        return Err(Answer::field(
            "artifact",
            "it is missing, and no `preset` names one".to_owned(),
        ));
    }
    let mut request = Request {
        perspectives: arguments.perspectives,
        preset,
        round_id: arguments.round_id,
        apply_policy: arguments.apply_policy,
        role,
        task_id,
        ..Request::default()
    };
    request.check(Caller::Client).map_err(refusal)?;
    let files = call.placed(move |places| {
        Files::find(places, artifact.as_deref(), context.as_deref(), session.as_deref())
    });
    let Files { place, artifact, context, session } = files.await?;
    request.artifact = artifact;
    request.context = context;
    request.folder = session;
    let wait = seconds(arguments.wait_seconds);
    call.run_session("discuss_artifact", place.around, request, wait, |_, held| {
        Ok(compact::session(&held?.document))
    })
    .await
}
