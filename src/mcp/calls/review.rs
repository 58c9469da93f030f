//! `debate_review` and `debate_360`: councils over a change, and over a task.

use super::Call;
use super::change::{changed_at, within};
use super::session::seconds;
use crate::app::Input;
use crate::app::change::Scope;
use crate::app::review::{self, ReviewResult};
use crate::app::{facts, planning};
use crate::mcp::answer::Answer;
use crate::mcp::compact;
use crate::mcp::places::WorkLocation;
use crate::mcp::table::{FullArguments, FullMode, ReviewArguments};
use crate::protocol::clarify::Mode;

/// A review of one round.
pub(super) async fn debate_review(
    call: &Call<'_>,
    arguments: ReviewArguments,
) -> Result<Answer, Answer> {
    let place = call.changed(arguments.path).await?;
    let request = review::Request {
        question: arguments.question,
        scope: within(Scope::WorkingTree, &place),
        agents: arguments.agents,
        single_round: true,
        no_critique: !arguments.include_critique,
        platform: Some(arguments.platform),
        allow_empty: true,
        ..review::Request::default()
    };
    run_with_change(call, "debate_review", place, request, arguments.wait_seconds).await
}

/// The whole pipeline, for a change or a task.
pub(super) async fn debate_360(
    call: &Call<'_>,
    arguments: FullArguments,
) -> Result<Answer, Answer> {
    if arguments.mode == FullMode::Plan {
        return plan(call, arguments).await;
    }
    for (name, given) in [("facts", !arguments.facts.is_empty()), ("clarify", arguments.clarify)] {
        if given {
            return Err(Answer::field(name, "it is given; a review takes none, a plan does"));
        }
    }
    let place = call.changed(arguments.path).await?;
    let request = review::Request {
        question: arguments.question,
        scope: within(Scope::WorkingTree, &place),
        agents: arguments.agents,
        max_rounds: Some(arguments.max_rounds),
        confidence: Some(arguments.confidence_threshold),
        platform: Some(arguments.platform),
        allow_empty: true,
        ..review::Request::default()
    };
    run_with_change(call, "debate_360", place, request, arguments.wait_seconds).await
}

async fn run_with_change(
    call: &Call<'_>,
    tool: &'static str,
    place: WorkLocation,
    request: review::Request,
    wait: u32,
) -> Result<Answer, Answer> {
    call.run_session(tool, place.around, request, seconds(wait), |_, reviewed| {
        Ok(match reviewed? {
            ReviewResult::Nothing(nothing) => compact::nothing(&nothing),
            ReviewResult::Held(held) => compact::session(&held.document),
        })
    })
    .await
}

/// Runs a plan; with a `path`, the planners are shown the changes there.
async fn plan(call: &Call<'_>, arguments: FullArguments) -> Result<Answer, Answer> {
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
    let request = planning::Request {
        task: Input::words(arguments.question),
        scope,
        agents: arguments.agents,
        max_rounds: Some(arguments.max_rounds),
        confidence: Some(arguments.confidence_threshold),
        facts: facts::listed(&arguments.facts),
        clarify: arguments.clarify.then_some(Mode::List),
        ..planning::Request::default()
    };
    let wait = seconds(arguments.wait_seconds);
    call.run_session("debate_360", place.around, request, wait, |_, held| {
        Ok(compact::session(&held?.document))
    })
    .await
}
