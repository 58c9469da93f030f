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
use crate::protocol::review::Compose;

pub(super) async fn debate_review(
    call: &Call<'_>,
    arguments: ReviewArguments,
) -> Result<Answer, Answer> {
    let place = call.changed(arguments.path).await?;
    let request = review::Request {
        question: arguments.question,
        scope: within(Scope::WorkingTree, &place),
        agents: arguments.agents,
        // The source's single round: one cross-examination at most, and nothing after it.
        max_rounds: Some(u32::from(arguments.include_critique)),
        compose: Some(Compose::Never),
        platform: Some(arguments.platform),
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
    let given = [
        ("context", arguments.context.is_some()),
        ("facts", !arguments.facts.is_empty()),
        ("clarify", arguments.clarify),
    ];
    if let Some((name, _)) = given.into_iter().find(|(_, given)| *given) {
        return Err(Answer::field(name, "it is given; a review takes none, a plan does"));
    }
    let place = call.changed(arguments.path).await?;
    let request = review::Request {
        question: arguments.question,
        scope: within(Scope::WorkingTree, &place),
        agents: arguments.agents,
        max_rounds: arguments.max_rounds,
        confidence: arguments.confidence_threshold,
        platform: Some(arguments.platform),
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

/// Runs a plan; with a `path`, the planners are shown the changes there, with a `context`, that file.
async fn plan(call: &Call<'_>, arguments: FullArguments) -> Result<Answer, Answer> {
    let (path, context) = (arguments.path, arguments.context);
    let place = call.placed(move |places| {
        let shown = context.map(|file| places.file("context", &file)).transpose()?;
        let (place, files) = match shown {
            Some((place, file)) => (Some(place), vec![file]),
            None => (None, Vec::new()),
        };
        match path {
            Some(path) => {
                let place = changed_at(places, &path)?;
                let scope = within(Scope::WorkingTree, &place);
                Ok((place, Some(scope), files))
            }
            None => Ok((place.map_or_else(|| places.anywhere(), Ok)?, None, files)),
        }
    });
    let (place, scope, files) = place.await?;
    let request = planning::Request {
        task: Input::words(arguments.question),
        scope,
        files,
        agents: arguments.agents,
        max_rounds: arguments.max_rounds,
        confidence: arguments.confidence_threshold,
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
