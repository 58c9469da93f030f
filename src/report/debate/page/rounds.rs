//! The transcript: each side's position, round by round, with the other side's stances beside it.

use serde_json::Value;

use super::measured::own;
use super::{evidence, kept, lines, or_dash};
use crate::protocol::debate::model::{Point, Position, StanceEntry, Stances};
use crate::protocol::debate::outcome::RoundRecord;
use crate::protocol::debate::typed::{Argument, Evidence};
use crate::report::debate::DebateDocument;
use crate::report::page::{Blocks, Table, Text, agent_text, name, names, text};

/// The name under which a round stores a draft for both sides.
const JOINT: &str = "joint";

/// Adds all rounds. The raw replies are kept with the session.
pub(super) fn add(blocks: &mut Blocks, document: &DebateDocument) {
    let session = agent_text(&document.header.session_id);
    blocks.para(text![
        "As the program read it. The raw answers are kept with session ",
        session,
        "."
    ]);
    if document.result.rounds.is_empty() {
        blocks.para("No round was completed.");
    }
    let mut before = None;
    for record in &document.result.rounds {
        blocks.section(text!["Round ", record.round], |below| round(below, record, before));
        before = Some(record);
    }
}

/// Adds one round; a position that has not changed since the round before is not repeated.
fn round(blocks: &mut Blocks, round: &RoundRecord, before: Option<&RoundRecord>) {
    if !round.forced.is_empty() {
        let silent = names(&round.forced);
        blocks.para(text![
            "Ended without an answer from ",
            silent,
            ": no check was made in this round."
        ]);
    }
    for argument in &round.arguments {
        self::argument(blocks, argument);
    }
    let mut judged = Vec::new();
    // Points of every position are called P1, P2, ...: if a joint draft was put, the stances are on it alone.
    let joint = round.positions.contains_key(JOINT);
    for (seat, position) in &round.positions {
        let others = round.stances.iter().filter(|(other, _)| *other != seat);
        let mut of =
            others.filter(|(_, stances)| (!joint || seat == JOINT) && concerns(stances, position));
        let stances = of.next();
        judged.extend(stances.map(|(other, _)| other.as_str()));
        let stood = before
            .filter(|before| stances.is_none() && before.positions.get(seat) == Some(position));
        match stood {
            Some(before) => {
                let as_before = text!["As in round ", before.round, "."];
                let heading = text!["Position of ", name(seat)];
                blocks.section(heading, |below| _ = below.para(as_before));
            }
            None => self::position(blocks, seat, position, stances),
        }
    }
    for (seat, stances) in &round.stances {
        if !judged.contains(&seat.as_str()) {
            let heading = text!["Stances of ", name(seat)];
            blocks.section(heading, |below| self::stances(below, stances));
        }
    }
    let said = round.positions.len() + round.arguments.len() + round.stances.len();
    if said + round.votes.len() + round.forced.len() == 0 {
        blocks.para("The answers are above.");
    }
    let votes = round
        .votes
        .iter()
        .map(|vote| vec![name(&vote.seat), name(&vote.agent), own(vote), agent_text(&vote.reason)]);
    let votes = Table::new(["Seat", "Agent", "Choice", "Why"], votes);
    blocks.section("Votes", |below| _ = below.table(votes));
}

fn concerns(stances: &Stances, position: &Position) -> bool {
    position.points.iter().any(|point| stances.on(&point.id).is_some())
}

/// Adds stances on points that are shown elsewhere.
fn stances(blocks: &mut Blocks, stances: &Stances) {
    if stances.stances.is_empty() {
        blocks.para("On no point.");
    }
    let rows = stances.stances.iter().map(|stance| {
        let amendment = stance.amendment.as_deref().map(agent_text);
        let name = name(&stance.point);
        vec![name, said(stance), agent_text(&stance.reason), or_dash(amendment)]
    });
    blocks.table(Table::new(["Point", "Stance", "Why", "Amendment"], rows));
    blocks.facts([("Missing", lines(&stances.missing))]);
}

fn position(
    blocks: &mut Blocks,
    seat: &str,
    position: &Position,
    stances: Option<(&String, &Stances)>,
) {
    let whose = if seat == JOINT {
        "Joint draft of both sides".into()
    } else {
        text!["Position of ", name(seat)]
    };
    let missing = stances.map(|(_, stances)| lines(&stances.missing));
    blocks.section(whose, |below| {
        below.quote(&position.summary);
        below.table(points(position, stances));
        below.facts([
            ("Stated confidence", position.confidence.map(Text::from).into_iter().collect()),
            ("Changed", lines(&position.changes)),
            ("Missing, says the other side", missing.unwrap_or_default()),
            ("Conceded to the other side", lines(&position.concedes)),
            ("Risks", lines(&position.risks)),
        ]);
    });
}

fn points(position: &Position, stances: Option<(&String, &Stances)>) -> Table {
    let row = |point: &Point| {
        let evidence = match &point.evidence[..] {
            [] => "none".into(),
            all => Text::join(all.iter().map(|each| evidence(each)), "; "),
        };
        let id = text![name(&point.id), kept(point)];
        let mut row = vec![id, claim(point), point.importance.into(), evidence];
        if let Some((_, stances)) = stances {
            let said = stances.on(&point.id);
            row.push(said.map_or("none given".into(), self::said));
            row.push(or_dash(said.map(why)));
        }
        row
    };
    let mut headers: Vec<Text> =
        ["Point", "Claim", "Importance", "Evidence"].into_iter().map(Text::from).collect();
    if let Some((other, _)) = stances {
        headers.extend([text!["Stance of ", name(other)], "Why".into()]);
    }
    Table::new(headers, position.points.iter().map(row))
}

/// `agree (support: weak)`.
fn said(stance: &StanceEntry) -> Text {
    let support = stance.support.map(|support| text![" (support: ", support.name(), ")"]);
    text![stance.stance.name(), support]
}

fn claim(point: &Point) -> Text {
    let because = agent_text(&point.reasoning);
    let because = (!because.is_blank()).then(|| text![" Because: ", because]);
    text![agent_text(&point.claim), because]
}

fn why(stance: &StanceEntry) -> Text {
    let amendment = stance.amendment.as_deref();
    let amendment = amendment.map(|amendment| text![" Amendment: ", agent_text(amendment)]);
    text![agent_text(&stance.reason), amendment]
}

/// `A2 challenge of adversary (gemini), about A1`, and its whole content.
fn argument(blocks: &mut Blocks, argument: &Argument) {
    let (what, whose) = (&argument.said, argument.side.name());
    let about = (!what.references.is_empty()).then(|| text![", about ", names(&what.references)]);
    let (id, agent) = (name(&argument.argument_id), name(&argument.agent_id));
    let heading = text![id, " ", what.kind.name(), " of ", whose, " (", agent, ")", about];
    blocks.section(heading, |below| {
        content(below, argument);
        below.facts(facts(argument));
        let evidence = what.evidence.iter().map(|evidence| {
            vec![name(&evidence.kind), agent_text(&evidence.words()), checked(evidence).into()]
        });
        below.table(Table::new(["Evidence", "What", "Looked up"], evidence));
        let risks = what.risks.iter();
        let risks = risks
            .map(|risk| vec![agent_text(&risk.name), risk.likelihood.into(), risk.impact.into()]);
        below.table(Table::new(["Risk", "Likelihood", "Impact"], risks));
    });
}

fn facts(argument: &Argument) -> [(&'static str, Vec<Text>); 5] {
    let what = &argument.said;
    let sure = match (argument.confidence, what.confidence_score) {
        (Some(worth), Some(stated)) => text![worth, ", stated as ", stated],
        _ => "not stated".into(),
    };
    let feasible = what.feasibility.map(|rating| text![rating]);
    let concerns = what.concerns.iter();
    let concerns =
        concerns.map(|concern| text![name(&concern.id), ": ", agent_text(&concern.text)]);
    let met = what.addresses.iter().map(|by| text![name(&by.id), ": ", agent_text(&by.how)]);
    let areas = what.impact_areas.iter().map(|area| {
        let unknown = argument.unknown_areas.contains(area).then_some(" (not in the list)");
        text![name(area), unknown]
    });
    let areas = Text::join(areas, ", ");
    [
        ("Confidence", vec![sure]),
        ("Feasibility", feasible.into_iter().collect()),
        ("Concerns", concerns.collect()),
        ("Concerns it resolves", met.collect()),
        ("Touches", if what.impact_areas.is_empty() { Vec::new() } else { vec![areas] }),
    ]
}

/// The result of the program's check of a piece of evidence.
const fn checked(evidence: &Evidence) -> &'static str {
    match evidence.checked {
        Some(true) => "found",
        Some(false) => "not found",
        None => "not looked up",
    }
}

/// Adds the text of an argument and its points, then the rest of its content as JSON.
fn content(blocks: &mut Blocks, argument: &Argument) {
    let content = &argument.said.content;
    let mut rest = content.clone();
    if let Some(text) = content.get("text").and_then(Value::as_str) {
        blocks.quote(text);
        rest.remove("text");
    }
    let points = content.get("points").and_then(Value::as_array);
    let rows: Option<Vec<Vec<Text>>> = points.and_then(|points| points.iter().map(row).collect());
    if let Some(rows) = rows.filter(|rows| !rows.is_empty()) {
        blocks.table(Table::new(["Point", "Claim", "Importance"], rows));
        rest.remove("points");
    }
    if !rest.is_empty() {
        blocks.code(&serde_json::to_string_pretty(&rest).unwrap_or_default());
    }
}

/// Returns a point of a resolution as a row; `None` if the value is not a point.
fn row(point: &Value) -> Option<Vec<Text>> {
    let importance = match point.get("importance") {
        None => "-".into(),
        Some(importance) => importance.as_u64()?.into(),
    };
    Some(vec![
        name(point.get("id")?.as_str()?),
        agent_text(point.get("claim")?.as_str()?),
        importance,
    ])
}
