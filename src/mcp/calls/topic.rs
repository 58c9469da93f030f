//! `debate_topic`, and `debate_plan`, which lays a debate out without asking anybody.

use std::collections::BTreeMap;

use serde_json::json;

use super::held::{Held, finished, flag};
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
use crate::protocol::debate::Mode;
use crate::protocol::style::Style;
use crate::report::debate::{DebateDocument, Logged};
use crate::report::sessions::SessionResult;

/// Holds a debate on a topic.
pub(super) async fn debate_topic(call: &Call<'_>) -> Result<Answer, Answer> {
    let context = call.owned("context");
    let found = call.placed(move |places| match context {
        Some(file) => (places.file("context", &file)).map(|(place, file)| (place, vec![file])),
        None => places.anywhere().map(|place| (place, Vec::new())),
    });
    let (place, files) = found.await?;
    let mode = call.arguments.choice("mode").map(mode_of);
    let (style, section) = match call.arguments.choice("style") {
        Some("argument") => (Style::Argument, "argument"),
        Some("panel") => (Style::Panel, "panel"),
        Some(_) | None => (Style::Dialogue, "topic"),
    };
    let mut flags = Vec::new();
    if let Some(rounds) = call.arguments.whole("max_rounds") {
        rounds_fit(style, rounds)?;
        let path = [section, "max_rounds"];
        flags.push(flag("max_rounds", path, json!(rounds)));
    }
    let text = |name: &str| call.arguments.text(name).unwrap_or_default().trim();
    let mut request = topic::Request {
        topic: text("topic").to_owned(),
        description: text("description").to_owned(),
        files,
        metadata: BTreeMap::new(),
        style,
        mode: mode.unwrap_or(Mode::Adversarial),
        options: call.arguments.names("options").to_vec(),
        language: None,
        participants: call.arguments.names("participants").to_vec(),
        expert: call.owned("expert"),
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
        wait: call.arguments.wait(),
    };
    let answer = held.by(call.server, call.progress, move |workspace, options, reporters| {
        request.run = options;
        if mode.is_none() {
            request.mode = workspace.effective.config.debate.default_mode.into();
        }
        let mut document = finished(topic::debate(workspace, &request, reporters))?.document;
        log(workspace, &mut document);
        Ok(compact::session(&SessionResult::from(document)))
    });
    Ok(answer.await)
}

/// The mode of a word of the table.
fn mode_of(word: &str) -> Mode {
    match word {
        "consensus" => Mode::Consensus,
        "collaborative" => Mode::Collaborative,
        _ => Mode::Adversarial,
    }
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
pub(super) async fn debate_plan(call: &Call<'_>) -> Result<Answer, Answer> {
    let place = call.placed(Places::anywhere).await?;
    let mut flags = Vec::new();
    match call.arguments.names("agents") {
        [] => {}
        agents => flags.push(flag("agents", ["debate", "default_agents"], json!(agents))),
    }
    let request = outline::Request {
        topic: call.arguments.text("topic").unwrap_or_default().to_owned(),
        mode: call.arguments.choice("mode").map(mode_of),
        rounds: call.arguments.whole("rounds").unwrap_or(2),
    };
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
