//! `debate_topic`, and `debate_plan`, which lays a debate out without asking any agent.

use super::session::seconds;
use super::{Call, aside, refusal};
use crate::app::decisions::{self, LogAction, LogMode, Marks};
use crate::app::topic::{self, StyleError};
use crate::app::workspace::Workspace;
use crate::app::{Caller, Input, facts, outline};
use crate::error::{Error, Kind};
use crate::kernel::Warning;
use crate::mcp::answer::Answer;
use crate::mcp::compact;
use crate::mcp::places::AllowedPlaces;
use crate::mcp::table::{OutlineArguments, TopicArguments};
use crate::protocol::clarify::Mode;
use crate::report::debate::{DebateDocument, Logged};

pub(super) async fn debate_topic(
    call: &Call<'_>,
    arguments: TopicArguments,
) -> Result<Answer, Answer> {
    let mut request = topic::Request {
        description: arguments.description.unwrap_or_default().trim().to_owned(),
        style: Some(arguments.style),
        mode: arguments.mode,
        options: arguments.options,
        participants: arguments.participants,
        expert: arguments.expert,
        max_rounds: arguments.max_rounds,
        facts: facts::listed(&arguments.facts),
        clarify: arguments.clarify.then_some(Mode::List),
        opening: arguments.opening,
        ..topic::Request::about(Input::words(arguments.topic))
    };
    let context = arguments.context;
    let found = call.placed(move |places| match context {
        Some(file) => (places.file("context", &file)).map(|(place, file)| (place, vec![file])),
        None => places.anywhere().map(|place| (place, Vec::new())),
    });
    let (place, files) = found.await?;
    request.files = files;
    request.check().map_err(refused)?;
    let wait = seconds(arguments.wait_seconds);
    call.run_session("debate_topic", place.around, request, wait, |workspace, held| {
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

pub(super) async fn debate_plan(
    call: &Call<'_>,
    arguments: OutlineArguments,
) -> Result<Answer, Answer> {
    let place = call.placed(AllowedPlaces::anywhere).await?;
    let OutlineArguments { topic, mode, rounds, agents } = arguments;
    let request = outline::Request { topic, mode: Some(mode), rounds, agents };
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
