//! `discuss_artifact`: one document, read from several perspectives.

use std::path::PathBuf;

use super::held::{Held, finished, seconds};
use super::{Call, refusal};
use crate::app::RunOptions;
use crate::app::discuss::{self, Request};
use crate::config::trust::Use;
use crate::mcp::answer::Answer;
use crate::mcp::compact;
use crate::mcp::places::{Place, Places};
use crate::mcp::table::DiscussArguments;
use crate::protocol::discuss::Severity;

/// Where what is discussed lies, and where its records go.
struct Files {
    place: Place,
    artifact: Option<PathBuf>,
    context: Option<PathBuf>,
    session: Option<PathBuf>,
}

impl Files {
    /// Each path leads where a client may name one; a preset brings its artifact from the project of the folder, or of the
    /// start directory.
    fn find(
        places: &Places,
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

/// Discusses one file, or that of a preset.
pub(super) async fn discuss(
    call: &Call<'_>,
    arguments: DiscussArguments,
) -> Result<Answer, Answer> {
    let DiscussArguments { artifact, context, session, preset, role, task_id, .. } = arguments;
    if artifact.is_none() && preset.is_none() {
        return Err(Answer::field(
            "artifact",
            "it is missing, and there is no `preset` that brings one".to_owned(),
        ));
    }
    discuss::one_line("role", "role", role.as_deref()).map_err(refusal)?;
    discuss::one_line("task_id", "task_id", task_id.as_deref()).map_err(refusal)?;
    let files = call.placed(move |places| {
        Files::find(places, artifact.as_deref(), context.as_deref(), session.as_deref())
    });
    let Files { place, artifact, context, session } = files.await?;
    let mut request = Request {
        artifacts: artifact.into_iter().collect(),
        perspectives: arguments.perspectives,
        preset,
        context,
        round_id: arguments.round_id,
        folder: session,
        apply_policy: arguments.apply_policy,
        role,
        task_id,
        fail_on: Severity::Medium,
        run: RunOptions::default(),
    };
    let held = Held {
        tool: "discuss_artifact",
        around: place.around,
        flags: Vec::new(),
        used: Use::Discuss,
        wait: seconds(arguments.wait_seconds),
    };
    let answer = held.by(call.server, call.progress, move |workspace, options, reporters| {
        request.run = options;
        let held = finished(discuss::discuss(workspace, &request, reporters))?;
        compact::discussed(held.document)
    });
    Ok(answer.await)
}
