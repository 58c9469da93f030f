//! `debate_review` and `debate_360`: councils over a change, and over a task.

use std::time::Duration;

use serde_json::json;

use super::Call;
use super::change::{changed_at, within};
use super::held::{Held, finished, flag, seconds};
use crate::app::RunOptions;
use crate::app::change::Scope;
use crate::app::planning;
use crate::app::review::{self, Reviewed};
use crate::config::load::Flag;
use crate::config::review::PlatformChoice;
use crate::config::trust::Use;
use crate::mcp::answer::Answer;
use crate::mcp::compact;
use crate::mcp::places::Place;
use crate::mcp::table::{FullArguments, FullMode, ReviewArguments};
use crate::protocol::review::Severity;

/// A review of one round.
pub(super) async fn debate_review(
    call: &Call<'_>,
    arguments: ReviewArguments,
) -> Result<Answer, Answer> {
    let place = call.changed(arguments.path).await?;
    let review = Review {
        tool: "debate_review",
        place,
        question: arguments.question,
        agents: arguments.agents,
        single_round: true,
        no_critique: !arguments.include_critique,
        flags: vec![platform(arguments.platform)],
        wait: seconds(arguments.wait_seconds),
    };
    Ok(review.held(call).await)
}

/// The whole pipeline, for a change or a task.
pub(super) async fn debate_360(
    call: &Call<'_>,
    arguments: FullArguments,
) -> Result<Answer, Answer> {
    let section = arguments.mode.name();
    let mut flags = vec![
        flag("max_rounds", [section, "max_rounds"], json!(arguments.max_rounds)),
        flag(
            "confidence_threshold",
            [section, "confidence"],
            json!(arguments.confidence_threshold),
        ),
    ];
    if arguments.mode == FullMode::Plan {
        return held_plan(call, arguments, flags).await;
    }
    flags.push(platform(arguments.platform));
    let place = call.changed(arguments.path).await?;
    let review = Review {
        tool: "debate_360",
        place,
        question: arguments.question,
        agents: arguments.agents,
        single_round: false,
        no_critique: false,
        flags,
        wait: seconds(arguments.wait_seconds),
    };
    Ok(review.held(call).await)
}

fn platform(choice: PlatformChoice) -> Flag {
    flag("platform", ["review", "platform"], json!(choice))
}

/// Which review.
struct Review {
    tool: &'static str,
    place: Place,
    question: String,
    agents: Vec<String>,
    single_round: bool,
    no_critique: bool,
    flags: Vec<Flag>,
    wait: Duration,
}

impl Review {
    async fn held(self, call: &Call<'_>) -> Answer {
        let mut request = review::Request {
            question: self.question,
            scope: within(Scope::WorkingTree, &self.place),
            agents: self.agents,
            single_round: self.single_round,
            no_critique: self.no_critique,
            baseline: None,
            allow_empty: true,
            out: None,
            fail_on: Severity::P1,
            options: RunOptions::default(),
        };
        let held = Held {
            tool: self.tool,
            around: self.place.around,
            flags: self.flags,
            used: Use::Review,
            wait: self.wait,
        };
        held.by(call.server, call.progress, move |workspace, options, reporters| {
            request.options = options;
            Ok(match finished(review::review(workspace, &request, reporters))? {
                Reviewed::Nothing(nothing) => compact::nothing(&nothing),
                Reviewed::Held(held) => compact::session(&held.document),
            })
        })
        .await
    }
}

/// A plan; with a `path`, the planners are shown what differs there.
async fn held_plan(
    call: &Call<'_>,
    arguments: FullArguments,
    flags: Vec<Flag>,
) -> Result<Answer, Answer> {
    let path = arguments.path;
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
        task: arguments.question.trim().to_owned(),
        scope,
        agents: arguments.agents,
        out: None,
        options: RunOptions::default(),
    };
    let held = Held {
        tool: "debate_360",
        around: place.around,
        flags,
        used: Use::Agents,
        wait: seconds(arguments.wait_seconds),
    };
    let answer = held.by(call.server, call.progress, move |workspace, options, reporters| {
        request.options = options;
        let held = finished(planning::plan(workspace, &request, reporters))?;
        Ok(compact::session(&held.document))
    });
    Ok(answer.await)
}
