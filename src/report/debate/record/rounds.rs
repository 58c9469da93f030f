//! The transcript: what each side said, round by round, with the other side's stances beside it.

use serde_json::Value;

use super::{claim, evidence, inert, strings};
use crate::protocol::debate::model::{Position, StanceSaid, Stances};
use crate::protocol::debate::outcome::RoundRecord;
use crate::protocol::debate::typed::{Argument, Evidence};
use crate::report::debate::DebateDocument;
use crate::report::debate::people::own;
use crate::report::pieces::Page;

/// The name under which a round keeps a draft for both sides.
const JOINT: &str = "joint";

/// All rounds. The raw answers are kept with the session.
pub(super) fn transcript(page: &mut Page, document: &DebateDocument) {
    page.heading(2, "Transcript");
    page.line(&format!(
        "As the program read it. The raw answers are kept with session {}.",
        inert(&document.header.session_id)
    ));
    if document.rounds.is_empty() {
        page.gap();
        page.line("No round was completed.");
    }
    let mut before = None;
    for record in &document.rounds {
        page.heading(3, &format!("Round {}", record.round));
        round(page, record, before);
        before = Some(record);
    }
}

/// One round; a position that stands as it stood in the round before is not written again.
fn round(page: &mut Page, round: &RoundRecord, before: Option<&RoundRecord>) {
    if let Some(remark) = &round.remark {
        page.line("A remark of the person who asked, to both sides:");
        page.gap();
        page.quote(remark);
        page.gap();
    }
    if !round.forced.is_empty() {
        page.line(&format!(
            "Ended without an answer of {}: no check was made in this round.",
            inert(&round.forced.join(", "))
        ));
        page.gap();
    }
    for argument in &round.arguments {
        self::argument(page, argument);
    }
    let mut judged = Vec::new();
    // Points of every position are called P1, P2, ...: where a joint draft was put, the stances are on it alone.
    let joint = round.positions.contains_key(JOINT);
    for (seat, position) in &round.positions {
        let others = round.stances.iter().filter(|(other, _)| *other != seat);
        let mut of =
            others.filter(|(_, stances)| (!joint || seat == JOINT) && concerns(stances, position));
        let stances = of.next();
        judged.extend(stances.map(|(other, _)| other.as_str()));
        let stood = before.filter(|_| stances.is_none());
        match stood.filter(|before| before.positions.get(seat) == Some(position)) {
            Some(before) => {
                page.heading(4, &format!("Position of {}", inert(seat)));
                page.line(&format!("As in round {}.", before.round));
            }
            None => self::position(page, seat, position, stances),
        }
    }
    for (seat, stances) in &round.stances {
        if !judged.contains(&seat.as_str()) {
            page.heading(4, &format!("Stances of {}", inert(seat)));
            let rows = stances.stances.iter().map(|said| {
                vec![
                    inert(&said.point),
                    said.stance.name().to_owned(),
                    inert(&said.reason),
                    (said.amendment.as_deref()).map_or_else(|| "-".to_owned(), inert),
                ]
            });
            page.table(&["Point", "Stance", "Why", "Amendment"], rows);
            strings(page, "Missing", &stances.missing);
        }
    }
    let said = round.positions.len() + round.arguments.len() + round.stances.len();
    if said + round.votes.len() + round.forced.len() == 0 {
        page.line("What was answered stands above.");
    }
    if !round.votes.is_empty() {
        page.heading(4, "Votes");
        let rows = round.votes.iter().map(|vote| {
            vec![inert(&vote.seat), inert(&vote.agent), inert(&own(vote)), inert(&vote.reason)]
        });
        page.table(&["Seat", "Agent", "Choice", "Why"], rows);
    }
}

/// Whether stances are about a position's points.
fn concerns(stances: &Stances, position: &Position) -> bool {
    position.points.iter().any(|point| stances.on(&point.id).is_some())
}

fn position(
    page: &mut Page,
    seat: &str,
    position: &Position,
    stances: Option<(&String, &Stances)>,
) {
    let whose = match seat {
        JOINT => "Joint draft of both sides".to_owned(),
        _ => format!("Position of {}", inert(seat)),
    };
    page.heading(4, &whose);
    page.quote(&position.summary);
    page.gap();
    if let Some(confidence) = position.confidence {
        page.line(&format!("Stated confidence: {confidence}."));
    }
    page.gap();
    match stances {
        None => super::points(page, position),
        Some((other, stances)) => {
            let rows = position.points.iter().map(|point| {
                let said = stances.on(&point.id);
                vec![
                    inert(&point.id),
                    claim(&point.claim, &point.reasoning),
                    point.importance.to_string(),
                    evidence(&point.evidence),
                    (said.map_or("none given", |said| said.stance.name())).to_owned(),
                    said.map_or_else(|| "-".to_owned(), why),
                ]
            });
            let stance = format!("Stance of {}", inert(other));
            let headers = ["Point", "Claim", "Importance", "Evidence", &stance, "Why"];
            page.table(&headers, rows);
            strings(page, "Missing, says the other side", &stances.missing);
        }
    }
    strings(page, "Granted to the other side", &position.concedes);
    strings(page, "Risks", &position.risks);
}

fn why(said: &StanceSaid) -> String {
    match &said.amendment {
        Some(amendment) => format!("{} Amendment: {}", inert(&said.reason), inert(amendment)),
        None => inert(&said.reason),
    }
}

fn argument(page: &mut Page, argument: &Argument) {
    let said = &argument.said;
    page.heading(
        4,
        &format!(
            "{} {} of {} ({})",
            inert(&argument.argument_id),
            said.kind.name(),
            argument.side.name(),
            inert(&argument.agent_id)
        ),
    );
    if !said.references.is_empty() {
        page.line(&format!("About: {}.", inert(&said.references.join(", "))));
        page.gap();
    }
    content(page, argument);
    page.gap();
    let feasible =
        said.feasibility.map_or_else(String::new, |rating| format!("; feasibility {rating} of 5"));
    let sure = match (argument.confidence, said.confidence_score) {
        (Some(worth), Some(stated)) => format!("Confidence {worth}, stated as {stated}"),
        _ => "Confidence not stated".to_owned(),
    };
    page.line(&format!("{sure}{feasible}."));
    let texts = |texts: &mut dyn Iterator<Item = String>| texts.collect::<Vec<String>>();
    strings(
        page,
        "Concerns",
        &texts(
            &mut said.concerns.iter().map(|concern| format!("{}: {}", concern.id, concern.text)),
        ),
    );
    strings(
        page,
        "Concerns that it disposes of",
        &texts(&mut said.addresses.iter().map(|by| format!("{}: {}", by.id, by.how))),
    );
    if !said.evidence.is_empty() {
        page.gap();
        let rows = said.evidence.iter().map(|evidence| {
            vec![inert(&evidence.kind), inert(&evidence.words()), checked(evidence).to_owned()]
        });
        page.table(&["Evidence", "What", "Looked up"], rows);
    }
    if !said.risks.is_empty() {
        page.gap();
        let rows = said.risks.iter().map(|risk| {
            vec![inert(&risk.name), risk.likelihood.to_string(), risk.impact.to_string()]
        });
        page.table(&["Risk", "Likelihood", "Impact"], rows);
    }
    let areas = (said.impact_areas.iter()).map(|area| {
        let unknown = argument.unknown_areas.contains(area);
        format!("{area}{}", if unknown { " (not in the list)" } else { "" })
    });
    let areas: Vec<String> = areas.collect();
    if !areas.is_empty() {
        page.gap();
        page.line(&format!("Touches: {}.", inert(&areas.join(", "))));
    }
}

/// What the program found of a piece of evidence.
fn checked(evidence: &Evidence) -> &'static str {
    match evidence.checked {
        Some(true) => "found",
        Some(false) => "not found",
        None => "not looked up",
    }
}

/// A point of a resolution as a row; `None` for what is none.
fn row(point: &Value) -> Option<Vec<String>> {
    let of = |name: &str| point.get(name);
    let importance = match of("importance") {
        None => "-".to_owned(),
        Some(importance) => importance.as_u64()?.to_string(),
    };
    Some(vec![inert(of("id")?.as_str()?), inert(of("claim")?.as_str()?), importance])
}

/// The text of an argument and its points, then what else its content holds, as JSON.
fn content(page: &mut Page, argument: &Argument) {
    let content = &argument.said.content;
    let text = content.get("text").and_then(Value::as_str);
    if let Some(text) = text {
        page.quote(text);
    }
    let mut rest = content.clone();
    if text.is_some() {
        rest.remove("text");
    }
    let points = content.get("points").and_then(Value::as_array);
    let rows: Option<Vec<Vec<String>>> = points.and_then(|points| points.iter().map(row).collect());
    if let Some(rows) = rows.filter(|rows| !rows.is_empty()) {
        rest.remove("points");
        page.gap();
        page.table(&["Point", "Claim", "Importance"], rows);
    }
    if !rest.is_empty() {
        page.gap();
        page.code(&serde_json::to_string_pretty(&rest).unwrap_or_default());
    }
}
