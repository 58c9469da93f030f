//! `debate_review` and `debate_360`: councils over a change, and over a task.

use schemars::JsonSchema;
use serde::Deserialize;

use super::change::{ChangedPath, changed_at, within};
use super::session::Wait;
use super::{Agents, Call, Told};
use crate::app::Input;
use crate::app::change::Scope;
use crate::app::planning;
use crate::app::review::{self, ReviewResult};
use crate::config::review::PlatformChoice;
use crate::mcp::answer::Answer;
use crate::mcp::compact;
use crate::mcp::places::WorkLocation;
use crate::mcp::schema::output;
use crate::mcp::tool::{Effect, Tool, input};
use crate::protocol::review::Compose;
use crate::words;

pub(in crate::mcp) const REVIEW: Tool = Tool {
    name: "debate_review",
    title: "Review a change",
    description: "AI agents review the uncommitted change, each alone, then judge each other's findings blind: one round. Costs real money, takes minutes. Returns findings, and who did not answer. `decided: false` means no approval. To see the change for free: read_diff. For a validated result: debate_360.",
    input: input!(ReviewArguments, debate_review),
    output: output::<compact::Session>,
    effect: Effect::Asks,
};

#[derive(Debug, Deserialize, JsonSchema)]
struct ReviewArguments {
    /// What to look at in particular.
    question: String,
    agents: Option<Agents>,
    /// Judge each other's findings (default true).
    include_critique: Option<bool>,
    path: Option<ChangedPath>,
    platform: Option<Platform>,
    wait_seconds: Option<Wait>,
}

/// Whose rules apply; default: general.
#[derive(Debug, Deserialize, JsonSchema)]
struct Platform(PlatformChoice);

fn chosen(platform: Option<Platform>) -> PlatformChoice {
    platform.map_or(PlatformChoice::General, |Platform(choice)| choice)
}

async fn debate_review(call: &Call<'_>, arguments: ReviewArguments) -> Result<Answer, Answer> {
    let place = call.changed(arguments.path).await?;
    let request = review::Request {
        question: arguments.question,
        scope: within(Scope::WorkingTree, &place),
        agents: arguments.agents.unwrap_or_default().0,
        // The source's single round: one cross-examination at most, and nothing after it.
        max_rounds: Some(u32::from(arguments.include_critique.unwrap_or(true))),
        compose: Some(Compose::Never),
        platform: Some(chosen(arguments.platform)),
        ..review::Request::default()
    };
    run_with_change(call, place, request, arguments.wait_seconds).await
}

pub(in crate::mcp) const FULL: Tool = Tool {
    name: "debate_360",
    title: "Full review or plan",
    description: "AI agents review the uncommitted change, or plan a task, each alone; then blind cross-examination, one merged result, its validation. The most expensive tool: costs real money, takes many minutes. Returns findings or steps, and who did not answer. `decided: false` means no approval. For a quick look: debate_review.",
    input: input!(FullArguments, debate_360),
    output: output::<compact::Session>,
    effect: Effect::Asks,
};

words! {
    /// What `debate_360` makes.
    enum Made {
        Review = "review",
        Plan = "plan",
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
struct FullArguments {
    /// What to look at, or the task to plan.
    question: String,
    /// What to make; default: review.
    mode: Option<Made>,
    agents: Option<Agents>,
    /// File or folder; default: the whole change (plan: none).
    path: Option<ChangedPath>,
    /// Plan: a file shown to all.
    context: Option<String>,
    platform: Option<Platform>,
    /// Maximum cross-examinations.
    #[schemars(range(max = 5))]
    max_rounds: Option<u32>,
    /// Confidence in percent that ends it.
    #[schemars(range(min = 50, max = 100))]
    confidence_threshold: Option<u32>,
    /// Run a test of each P0 and P1 by the user's `review.prove`.
    prove: Option<bool>,
    #[serde(flatten)]
    told: Told,
    wait_seconds: Option<Wait>,
}

/// The whole pipeline, for a change or a task.
async fn debate_360(call: &Call<'_>, arguments: FullArguments) -> Result<Answer, Answer> {
    if arguments.mode == Some(Made::Plan) {
        return plan(call, arguments).await;
    }
    let given = [
        ("context", arguments.context.is_some()),
        ("facts", !arguments.told.facts.is_empty()),
        ("clarify", arguments.told.clarify),
    ];
    if let Some((name, _)) = given.into_iter().find(|(_, given)| *given) {
        return Err(Answer::field(name, "it is given; a review takes none, a plan does"));
    }
    let place = call.changed(arguments.path).await?;
    let request = review::Request {
        question: arguments.question,
        scope: within(Scope::WorkingTree, &place),
        agents: arguments.agents.unwrap_or_default().0,
        max_rounds: arguments.max_rounds,
        confidence: arguments.confidence_threshold,
        prove: arguments.prove.unwrap_or_default(),
        platform: Some(chosen(arguments.platform)),
        ..review::Request::default()
    };
    run_with_change(call, place, request, arguments.wait_seconds).await
}

async fn run_with_change(
    call: &Call<'_>,
    place: WorkLocation,
    request: review::Request,
    wait: Option<Wait>,
) -> Result<Answer, Answer> {
    call.run_session(place.around, request, wait, |_, reviewed| {
        Ok(match reviewed? {
            ReviewResult::Nothing(nothing) => compact::nothing(&nothing),
            ReviewResult::Held(held) => compact::session(&held.document),
        })
    })
    .await
}

/// Runs a plan; with a `path`, the planners are shown the changes there, with a `context`, that file.
async fn plan(call: &Call<'_>, arguments: FullArguments) -> Result<Answer, Answer> {
    if arguments.prove.is_some() {
        return Err(Answer::field("prove", "it is given; a plan takes none, a review does"));
    }
    let (path, context) = (arguments.path, arguments.context);
    let place = call.placed(move |places| {
        let shown = context.map(|file| places.file("context", &file)).transpose()?;
        let (place, files) = match shown {
            Some((place, file)) => (Some(place), vec![file]),
            None => (None, Vec::new()),
        };
        match path {
            Some(ChangedPath(path)) => {
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
        agents: arguments.agents.unwrap_or_default().0,
        max_rounds: arguments.max_rounds,
        confidence: arguments.confidence_threshold,
        facts: arguments.told.into(),
        ..planning::Request::default()
    };
    call.run_session(place.around, request, arguments.wait_seconds, |_, held| {
        Ok(compact::session(&held?.document))
    })
    .await
}
