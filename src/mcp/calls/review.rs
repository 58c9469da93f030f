//! `debate_review` and `debate_360`: councils over a change, and over a task.

use serde_json::{Value, json};

use super::Call;
use super::change::{changed_at, within};
use super::held::{Held, finished, flag};
use crate::app::RunOptions;
use crate::app::change::Scope;
use crate::app::planning;
use crate::app::review::{self, Reviewed};
use crate::config::load::Flag;
use crate::config::trust::Use;
use crate::mcp::answer::Answer;
use crate::mcp::compact;
use crate::mcp::places::Place;
use crate::protocol::review::Severity;
use crate::report::sessions::SessionResult;

/// A review of one round.
pub(super) async fn debate_review(call: &Call<'_>) -> Result<Answer, Answer> {
    let place = call.changed().await?;
    let kind = Kind {
        tool: "debate_review",
        single_round: true,
        no_critique: !call.arguments.flag("include_critique"),
    };
    Ok(held_review(call, place, kind, Vec::new()).await)
}

/// The whole pipeline, for a change or a task.
pub(super) async fn debate_360(call: &Call<'_>) -> Result<Answer, Answer> {
    let mode = call.arguments.choice("mode").unwrap_or("review");
    let mut flags = Vec::new();
    let section = if mode == "plan" { "plan" } else { "review" };
    if let Some(rounds) = call.arguments.whole("max_rounds") {
        let path = [section, "max_rounds"];
        flags.push(flag("max_rounds", path, json!(rounds)));
    }
    if let Some(percent) = call.arguments.whole("confidence_threshold") {
        let path = [section, "confidence"];
        flags.push(flag("confidence_threshold", path, json!(percent)));
    }
    if mode == "plan" {
        return held_plan(call, flags).await;
    }
    let kind = Kind { tool: "debate_360", single_round: false, no_critique: false };
    let place = call.changed().await?;
    Ok(held_review(call, place, kind, flags).await)
}

/// Which review.
struct Kind {
    tool: &'static str,
    single_round: bool,
    no_critique: bool,
}

async fn held_review(call: &Call<'_>, place: Place, kind: Kind, mut flags: Vec<Flag>) -> Answer {
    if let Some(platform) = call.arguments.choice("platform") {
        let path = ["review", "platform"];
        flags.push(flag("platform", path, json!(platform)));
    }
    let question = call.arguments.text("question").unwrap_or_default();
    let mut request = review::Request {
        question: question.to_owned(),
        scope: within(Scope::WorkingTree, &place),
        agents: call.arguments.names("agents").to_vec(),
        single_round: kind.single_round,
        no_critique: kind.no_critique,
        baseline: None,
        allow_empty: true,
        out: None,
        fail_on: Severity::P1,
        options: RunOptions::default(),
    };
    let held = Held {
        tool: kind.tool,
        around: place.around,
        flags,
        used: Use::Review,
        wait: call.arguments.wait(),
    };
    held.by(call.server, call.progress, move |workspace, options, reporters| {
        request.options = options;
        Ok(match finished(review::review(workspace, &request, reporters))? {
            Reviewed::Nothing(nothing) => compact::nothing(&nothing),
            Reviewed::Held(held) => result(held.document),
        })
    })
    .await
}

/// A plan; with a `path`, the planners are shown what differs there.
async fn held_plan(call: &Call<'_>, flags: Vec<Flag>) -> Result<Answer, Answer> {
    let path = call.owned("path");
    let place = call.placed(move |places| match path {
        Some(path) => {
            let place = changed_at(places, &path)?;
            let scope = within(Scope::WorkingTree, &place);
            Ok((place, Some(scope)))
        }
        None => Ok((places.anywhere()?, None)),
    });
    let (place, scope) = place.await?;
    let mut request = planning::Request {
        task: (call.arguments.text("question").unwrap_or_default()).trim().to_owned(),
        scope,
        agents: call.arguments.names("agents").to_vec(),
        out: None,
        options: RunOptions::default(),
    };
    let held = Held {
        tool: "debate_360",
        around: place.around,
        flags,
        used: Use::Agents,
        wait: call.arguments.wait(),
    };
    let answer = held.by(call.server, call.progress, move |workspace, options, reporters| {
        request.options = options;
        let held = finished(planning::plan(workspace, &request, reporters))?;
        Ok(result(held.document))
    });
    Ok(answer.await)
}

fn result(document: impl Into<SessionResult>) -> Value {
    compact::session(&document.into())
}
