//! `discuss_artifact`: one document, read from several perspectives.

use super::Call;
use super::held::{Held, finished};
use crate::app::RunOptions;
use crate::app::discuss::{self, Request};
use crate::config::trust::Use;
use crate::mcp::answer::Answer;
use crate::mcp::compact;
use crate::protocol::discuss::Severity;

/// Discusses one file. Nothing follows from it: the policy is the user's to apply.
pub(super) async fn discuss(call: &Call<'_>) -> Result<Answer, Answer> {
    let artifact = call.owned("artifact").unwrap_or_default();
    let context = call.owned("context");
    let files = call.placed(move |places| {
        let (place, artifact) = places.file("artifact", &artifact)?;
        let context = match context {
            Some(context) => Some(places.file("context", &context)?.1),
            None => None,
        };
        Ok((place, artifact, context))
    });
    let (place, artifact, context) = files.await?;
    let mut request = Request {
        artifacts: vec![artifact],
        perspectives: call.arguments.names("perspectives").to_vec(),
        preset: call.arguments.text("preset").map(str::to_owned),
        context,
        round_id: None,
        folder: None,
        apply_policy: false,
        role: None,
        task_id: None,
        fail_on: Severity::Medium,
        run: RunOptions::default(),
    };
    let held = Held {
        tool: "discuss_artifact",
        around: place.around,
        flags: Vec::new(),
        used: Use::Discuss,
        wait: call.arguments.wait(),
    };
    let answer = held.by(
        call.server,
        call.progress,
        move |workspace, options, reporters| {
            request.run = options;
            let held = finished(discuss::discuss(workspace, &request, reporters))?;
            compact::discussed(held.document)
        },
    );
    Ok(answer.await)
}
