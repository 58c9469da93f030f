//! `debate_topic`, and `debate_plan`, which lays a debate out without asking anybody.

use std::collections::BTreeMap;

use serde_json::json;

use super::held::{Held, finished, flag, seconds};
use super::{Call, aside, refusal};
use crate::app::decisions::{self, Due, How, Marks};
use crate::app::workspace::Workspace;
use crate::app::{RunOptions, outline, topic};
use crate::config::trust::Use;
use crate::error::{Error, Kind};
use crate::kernel::Warning;
use crate::mcp::answer::Answer;
use crate::mcp::compact;
use crate::mcp::places::Places;
use crate::mcp::table::{OutlineArguments, TopicArguments};
use crate::protocol::debate::Mode;
use crate::protocol::style::Style;
use crate::report::debate::{DebateDocument, Logged};

/// Holds a debate on a topic.
pub(super) async fn debate_topic(
    call: &Call<'_>,
    arguments: TopicArguments,
) -> Result<Answer, Answer> {
    let TopicArguments { style, mode, context, .. } = arguments;
    let found = call.placed(move |places| match context {
        Some(file) => (places.file("context", &file)).map(|(place, file)| (place, vec![file])),
        None => places.anywhere().map(|place| (place, Vec::new())),
    });
    let (place, files) = found.await?;
    let section = match style {
        Style::Argument => "argument",
        Style::Panel => "panel",
        Style::Dialogue => "topic",
    };
    let mut flags = Vec::new();
    if let Some(rounds) = arguments.max_rounds {
        rounds_fit(style, rounds)?;
        let path = [section, "max_rounds"];
        flags.push(flag("max_rounds", path, json!(rounds)));
    }
    let mut request = topic::Request {
        topic: arguments.topic.trim().to_owned(),
        description: arguments.description.unwrap_or_default().trim().to_owned(),
        files,
        metadata: BTreeMap::new(),
        style,
        mode: mode.unwrap_or(Mode::Adversarial),
        options: arguments.options,
        language: None,
        participants: arguments.participants,
        expert: arguments.expert,
        person: None,
        pause: false,
        out: None,
        run: RunOptions::default(),
    };
    let held = Held {
        tool: "debate_topic",
        around: place.around,
        flags,
        used: Use::Agents,
        wait: seconds(arguments.wait_seconds),
    };
    let answer = held.by(call.server, call.progress, move |workspace, options, reporters| {
        request.run = options;
        if mode.is_none() {
            request.mode = workspace.effective.config.debate.default_mode.into();
        }
        let mut document = finished(topic::debate(workspace, &request, reporters))?.document;
        log(workspace, &mut document);
        Ok(compact::session(&document))
    });
    Ok(answer.await)
}

/// Refuses rounds that a style does not have.
fn rounds_fit(style: Style, rounds: u32) -> Result<(), Answer> {
    let allowed = match style {
        Style::Panel => 0..=5,
        Style::Dialogue | Style::Argument => 1..=10,
    };
    if allowed.contains(&rounds) {
        return Ok(());
    }
    Err(Answer::field(
        "max_rounds",
        format!("{rounds} given; {} to {} in this style", allowed.start(), allowed.end()),
    ))
}

/// Logs what all agreed on, as the command line does. What could not be logged is told, and costs the result nothing.
pub(super) fn log(workspace: &Workspace, document: &mut DebateDocument) {
    match decisions::due(document) {
        Due::Log => {}
        // A person's yes is needed, or there is nothing to log.
        Due::Ask | Due::Offer | Due::Nothing => return,
    }
    let logged = decisions::log(workspace, document, How::Automatic, &Marks::default());
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

/// Lays a debate out.
pub(super) async fn debate_plan(
    call: &Call<'_>,
    arguments: OutlineArguments,
) -> Result<Answer, Answer> {
    let place = call.placed(Places::anywhere).await?;
    let mut flags = Vec::new();
    if !arguments.agents.is_empty() {
        let path = ["debate", "default_agents"];
        flags.push(flag("agents", path, json!(arguments.agents)));
    }
    let OutlineArguments { topic, mode, rounds, .. } = arguments;
    let request = outline::Request { topic, mode: Some(mode), rounds };
    aside(move || {
        let workspace = Workspace::open(place.around, flags).map_err(refusal)?;
        let outline = outline::outline(&workspace, &request).map_err(refusal)?;
        let value = serde_json::to_value(&outline).map_err(|error| {
            refusal(Error::new(Kind::Bug, "the outline cannot be written as JSON").because(error))
        })?;
        Ok(Answer::Result(value))
    })
    .await
}
