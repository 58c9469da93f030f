//! `debate_topic`, and `debate_plan`, which lays a debate out without asking any agent.

use schemars::JsonSchema;
use serde::Deserialize;

use super::session::Wait;
use super::{Call, Told, aside, refusal};
use crate::app::decisions::{self, LogAction, LogMode, Marks};
use crate::app::topic::{self, StyleError};
use crate::app::workspace::Workspace;
use crate::app::{Caller, outline};
use crate::error::{Error, Kind};
use crate::kernel::Warning;
use crate::mcp::answer::Answer;
use crate::mcp::compact;
use crate::mcp::places::AllowedPlaces;
use crate::mcp::schema::output;
use crate::mcp::tool::{Effect, Tool, input};
use crate::protocol::outline::Outline;
use crate::report::debate::{DebateDocument, Logged};

pub(in crate::mcp) const TOPIC: Tool = Tool {
    name: "debate_topic",
    title: "Debate a topic",
    description: "AI agents debate one open question; rules in code say whether they agree. Costs real money, takes minutes. Returns decision, open points, dissent. `decided: false` means no agreement. Not for code changes: debate_review.",
    input: input!(TopicArguments, debate_topic),
    output: output::<compact::Session>,
    effect: Effect::Asks,
};

#[derive(Debug, Deserialize, JsonSchema)]
struct TopicArguments {
    #[serde(flatten)]
    request: topic::Request,
    /// A file for all.
    context: Option<String>,
    #[serde(flatten)]
    told: Told,
    wait_seconds: Option<Wait>,
}

async fn debate_topic(call: &Call<'_>, arguments: TopicArguments) -> Result<Answer, Answer> {
    let mut request = arguments.request;
    request.facts = arguments.told.into();
    let context = arguments.context;
    let found = call.placed(move |places| match context {
        Some(file) => (places.file("context", &file)).map(|(place, file)| (place, vec![file])),
        None => places.anywhere().map(|place| (place, Vec::new())),
    });
    let (place, files) = found.await?;
    request.files = files;
    request.fits_style().map_err(refused)?;
    call.run_session(place.around, request, arguments.wait_seconds, |workspace, held| {
        let mut document = held?.document;
        log(workspace, &mut document);
        Ok(compact::session(&document))
    })
    .await
}

/// The refusal of an argument that the style does not support.
fn refused(refused: StyleError) -> Answer {
    match refused {
        StyleError::Rounds { given, allowed } => Answer::field(
            "max_rounds",
            format!("{given} given; {} to {} in this style", allowed.start(), allowed.end()),
        ),
        StyleError::Opening(style) => {
            Answer::field("opening", format!("it is for dialogues; the style is {}", style.name()))
        }
        StyleError::Side | StyleError::Basis(_) => refusal(refused.into()),
    }
}

/// Logs the agreed decision, as the command line does. A failure to log becomes a warning and does not cost the
/// result.
pub(super) fn log(workspace: &Workspace, document: &mut DebateDocument) {
    match decisions::due(document) {
        LogAction::Log => {}
        // A person has to confirm it, or there is nothing to log.
        LogAction::Ask | LogAction::Offer | LogAction::Nothing => return,
    }
    let logged = decisions::log(workspace, document, LogMode::Automatic, &Marks::default());
    let (code, message) = match logged {
        Ok(logged) => {
            document.logged = Some(Logged::from(&logged.decision));
            match logged.report_not_written {
                Some(why) => ("report_not_written", why),
                None => return,
            }
        }
        Err(error) => ("not_logged", format!("the decision was not logged: {}", error.sentence())),
    };
    document.header.warnings.push(Warning { code: code.to_owned(), turn: None, message });
}

pub(in crate::mcp) const PLAN: Tool = Tool {
    name: "debate_plan",
    title: "Lay out a debate",
    description: "Lays out how a debate would go, phase by phase. Asks nobody, costs nothing, decides nothing. To hold it: debate_topic. To plan a task: debate_360, mode plan.",
    input: input!(outline::Request, debate_plan),
    output: output::<Outline>,
    effect: Effect::Reads,
};

async fn debate_plan(call: &Call<'_>, request: outline::Request) -> Result<Answer, Answer> {
    let place = call.placed(AllowedPlaces::anywhere).await?;
    aside(move || {
        let workspace =
            Workspace::open(place.around, request.flags(Caller::Client)).map_err(refusal)?;
        let outline = outline::outline(&workspace, &request).map_err(refusal)?;
        let value = serde_json::to_value(&outline).map_err(|error| {
            refusal(Error::new(Kind::Bug, "the outline cannot be written as JSON").because(error))
        })?;
        Ok(Answer::Result(value))
    })
    .await
}
