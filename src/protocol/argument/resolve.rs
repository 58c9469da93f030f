//! The resolution of a debate: its kind, by rule, and the material for a person who has to decide.
//!
//! | kind | rule |
//! |---|---|
//! | `human_escalation` | no consensus within the rounds |
//! | `conditional_approval` | consensus, and something is not agreed to without reservation: a point that is `partly`, disagreed or unjudged, or a concern that is not fully met; these are the conditions |
//! | `hybrid` | consensus, everything agreed, and the resolution is something neither side started with |
//! | `full_agreement` | consensus, everything agreed, and it is what one side began with |
//!
//! A resolution is what a side *began with* if two thirds of its points, by importance, are. A point is, if half of
//! its keywords occur in that side's first argument (the first proposal, or the first challenge with its concerns). A
//! point without keywords counts as known: nothing that cannot be read is called new.

use serde_json::Value;

use super::content;
use super::metrics::ConcernEntry;
use super::state::{DebateState, Round};
use crate::protocol::debate::typed::{Argument, Resolution, ResolutionKind, Side};
use crate::protocol::debate::{Point, Stance, StanceEntry};
use crate::text::sanitize;
use crate::text::similarity::{Keywords, keywords};

/// Maximum length of a line of the history or of a recommendation, in characters.
const LINE_CHARS: usize = 300;

/// The last resolution: its round, and the stances on it, if any.
pub(super) struct ResolutionState<'a> {
    pub(super) round: &'a Round,
    pub(super) argument: &'a Argument,
    pub(super) points: Vec<Point>,
}

impl<'a> ResolutionState<'a> {
    /// Returns the last resolution of a debate, if there is one.
    pub(super) fn of(course: &'a DebateState) -> Option<Self> {
        let round = course.rounds().iter().rev().find(|round| round.resolution().is_some())?;
        let argument = round.resolution()?;
        Some(Self { round, argument, points: content::points(&argument.said.content) })
    }

    /// Returns the other side's stance on a point, or on a concern of its own.
    pub(super) fn stance(&self, id: &str) -> Option<&'a StanceEntry> {
        self.round.stances.as_ref()?.1.on(id)
    }

    /// Returns the points that are not agreed to without reservation.
    pub(super) fn open_points(&self) -> impl Iterator<Item = (&Point, Option<&'a StanceEntry>)> {
        let judged = self.points.iter().map(|point| (point, self.stance(&point.id)));
        judged.filter(|(_, said)| said.is_none_or(|said| said.stance != Stance::Agree))
    }
}

/// Returns the concerns that are not met so far: those an evaluation left open or, in a round without an evaluation,
/// all that count in it.
pub(super) fn open_concerns(course: &DebateState) -> Vec<ConcernEntry> {
    let Some(round) = course.rounds().last() else {
        return Vec::new();
    };
    match &round.evaluation {
        Some(evaluation) => evaluation.open.clone(),
        None => round.concerns(),
    }
}

/// Returns the conditions of a consensus, in words; empty if everything was agreed to.
pub(super) fn conditions(standing: &ResolutionState<'_>, open: &[ConcernEntry]) -> Vec<String> {
    let of_points = standing.open_points().map(|(point, said)| {
        let id = &point.id;
        match said {
            None => format!("{id} was not judged: {}", line(&point.claim)),
            Some(StanceEntry { amendment: Some(amendment), .. }) => {
                format!("{id}: {}", line(amendment))
            }
            Some(said) => format!(
                "{id} ({}): {}: {}",
                said.stance.name(),
                line(&point.claim),
                line(&said.reason)
            ),
        }
    });
    let of_concerns = open.iter().map(|raised| {
        let (id, text) = (&raised.concern.id, line(&raised.concern.text));
        match standing.stance(id).and_then(|said| said.amendment.as_ref()) {
            Some(amendment) => format!("{id}: {}", line(amendment)),
            None => format!("{id} has yet to be met: {text}"),
        }
    });
    of_points.chain(of_concerns).collect()
}

/// Returns the kind of a resolution on which there is consensus.
pub(super) fn kind(
    course: &DebateState,
    standing: &ResolutionState<'_>,
    open: &[ConcernEntry],
) -> ResolutionKind {
    if !open.is_empty() || standing.open_points().next().is_some() {
        return ResolutionKind::ConditionalApproval;
    }
    let began_with = |side: Side| {
        let first = course.arguments().find(|argument| argument.side == side);
        first.is_some_and(|first| is_begun_with(&standing.points, first))
    };
    if Side::ALL.into_iter().any(began_with) {
        ResolutionKind::FullAgreement
    } else {
        ResolutionKind::Hybrid
    }
}

/// Whether two thirds of the points, by importance, occur in an argument.
fn is_begun_with(points: &[Point], first: &Argument) -> bool {
    let mut texts = Vec::new();
    let content = Value::Object(first.said.content.clone());
    leaves(&content, &mut texts);
    texts.extend(first.said.concerns.iter().map(|concern| &*concern.text));
    let known = keywords(texts);
    let weight = |point: &&Point| u64::from(point.importance.clamp(1, 3));
    let whole: u64 = points.iter().map(|point| weight(&point)).sum();
    let of_it: u64 = (points.iter().filter(|point| holds(&known, &point.claim)))
        .map(|point| weight(&point))
        .sum();
    3 * of_it >= 2 * whole
}

fn holds(known: &Keywords, claim: &str) -> bool {
    let own = keywords([claim]);
    2 * own.intersection(known).count() >= own.len()
}

fn leaves<'a>(value: &'a Value, texts: &mut Vec<&'a str>) {
    match value {
        Value::String(text) => texts.push(text),
        Value::Array(entries) => entries.iter().for_each(|entry| leaves(entry, texts)),
        Value::Object(map) => map.values().for_each(|entry| leaves(entry, texts)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Builds the resolution of a debate that ended with or without consensus.
pub(super) fn resolution(
    course: &DebateState,
    kind: ResolutionKind,
    open: &[ConcernEntry],
) -> Resolution {
    let standing = ResolutionState::of(course);
    let escalated = kind == ResolutionKind::HumanEscalation;
    let agreed = standing.iter().flat_map(|standing| {
        let points = standing.points.iter().filter(|point| {
            let said = standing.stance(&point.id);
            said.is_some_and(|said| said.stance == Stance::Agree)
        });
        points.map(|point| format!("{}: {}", point.id, line(&point.claim)))
    });
    let points = standing.iter().flat_map(|standing| {
        standing.open_points().map(|(point, said)| {
            let (id, claim) = (&point.id, line(&point.claim));
            let side = standing.argument.side.other().name();
            match said {
                Some(said) => format!(
                    "{id}: {claim} (the {side}: {}, {})",
                    said.stance.name(),
                    line(&said.reason)
                ),
                None => format!("{id}: {claim} (the {side} did not judge it)"),
            }
        })
    });
    let concerns = open.iter().map(|raised| {
        let (id, text) = (&raised.concern.id, line(&raised.concern.text));
        let (side, round) = (raised.side.name(), raised.round);
        format!("{id}: {text} (raised by the {side} in round {round})")
    });
    let last = |side: Side| {
        let last = course.arguments().filter(|each| each.side == side).last()?;
        let text = line(&content::text(&last.said.content));
        Some(format!("the {}, most recently: {text}", side.name()))
    };
    let conditions = match (&standing, kind) {
        (Some(standing), ResolutionKind::ConditionalApproval) => conditions(standing, open),
        (Some(_) | None, _) => Vec::new(),
    };
    Resolution {
        kind,
        conditions,
        key_decisions: agreed.collect(),
        unresolved_points: points.chain(concerns).collect(),
        recommendations: (Side::ALL.into_iter().filter(|_| escalated)).filter_map(last).collect(),
        history: history(course),
        asked: if escalated { questions(standing.as_ref(), open) } else { Vec::new() },
    }
}

/// Returns the history: one line per argument, and the result of each round.
fn history(course: &DebateState) -> Vec<String> {
    let mut lines = Vec::new();
    for round in course.rounds() {
        let number = round.number;
        lines.extend(round.arguments.iter().map(|argument| {
            let (id, kind) = (&argument.argument_id, argument.said.kind.name());
            let text = line(&content::text(&argument.said.content));
            format!("round {number}, {id}, {kind} by the {}: {text}", argument.side.name())
        }));
        lines.extend(round.evaluation.as_ref().map(|evaluation| {
            let agreement = evaluation.figures.metrics.agreement_score;
            format!("round {number}: agreement {agreement} ({} needed)", evaluation.check.threshold)
        }));
    }
    lines
}

/// Returns the questions for a person if the two sides could not agree.
fn questions(standing: Option<&ResolutionState<'_>>, open: &[ConcernEntry]) -> Vec<String> {
    let points = standing.iter().flat_map(|standing| {
        let open = standing.open_points();
        open.map(|(point, _)| format!("Should {} hold: {}?", point.id, line(&point.claim)))
    });
    let concerns = open.iter().map(|raised| {
        let (id, text) = (&raised.concern.id, line(&raised.concern.text));
        format!("Is {id} so serious that it must be met first: {text}?")
    });
    points.chain(concerns).collect()
}

fn line(text: &str) -> String {
    let line = sanitize::line(text, LINE_CHARS);
    line.trim_end_matches(['.', '?', '!']).to_owned()
}

#[cfg(test)]
mod tests;
