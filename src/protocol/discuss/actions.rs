//! What is to be done, most urgent first.
//!
//! | what | urgency |
//! |---|---|
//! | a requirement that is missing | high |
//! | a risk, from a perspective that rates the risk critical | high |
//! | a risk, from one that rates it high | medium |
//! | a suggestion, from one that rates the artifact 2 or less | high if the ratings alone stop the artifact (two are low, or the only one is), else medium |
//! | any other suggestion | low |
//!
//! Who asks for nothing by these rules is taken by its weaknesses, else by its risks, as urgent as its suggestions would
//! have been. Who rates low, or rates the risk high, and gives nothing to go by is to be asked why: whatever blocks an artifact has an
//! item that is required. Within an urgency it goes by the rows of the table, then by how many ask, the lowest rating of
//! those who do, and the order asked. What several ask for alike is one item (`super::themes`), as urgent as its most urgent member.

use std::cmp::Reverse;

use super::ladder::{LOW_RATING, Standing};
use super::model::{ActionItem, Gap, Point, PointKind, RiskLevel, Severity, Voice};
use super::themes::{Clusters, perspectives, points};

/// Returns the requirements that are missing, in the order asked; what several name alike is one.
pub fn gaps(voices: &[Voice]) -> Vec<Gap> {
    let missing: Vec<Point> =
        voices.iter().flat_map(|voice| points(voice, PointKind::MissingRequirement)).collect();
    let clusters = Clusters::of(&missing);
    let groups = clusters.groups().iter();
    groups
        .filter_map(|places| {
            let members: Vec<Point> = places.iter().map(|at| missing[*at].clone()).collect();
            Some(Gap {
                text: members.first()?.text.clone(),
                perspectives: perspectives(&members, |_| true),
                members,
            })
        })
        .collect()
}

/// The rows of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Row {
    Requirement,
    Risk,
    OfLowRating,
    Other,
}

/// What one perspective wants done about one point.
struct Wish {
    point: Point,
    urgency: Severity,
    row: Row,
}

/// An item and what decides its place, beside its urgency.
struct Ranked {
    item: ActionItem,
    row: Row,
    rating: u8,
    place: usize,
}

/// Returns what is to be done, most urgent first; `gaps` are those of the same voices.
pub fn items(voices: &[Voice], gaps: &[Gap]) -> Vec<ActionItem> {
    let ratings: Vec<u8> = voices.iter().map(|voice| voice.critique.rating).collect();
    let rejected = Standing { ratings: &ratings, risk: None, gap: false, raised: false }.rejected();
    let place = |names: &[String]| -> (usize, u8) {
        let named = |(_, voice): &(usize, &Voice)| names.contains(&voice.perspective);
        let mut who = voices.iter().enumerate().filter(named).peekable();
        let first = who.peek().map_or(usize::MAX, |(at, _)| *at);
        let lowest = who.map(|(_, voice)| voice.critique.rating).min();
        (first, lowest.unwrap_or(u8::MAX))
    };
    let ranked = |item: ActionItem, row: Row| {
        let (place, rating) = place(&item.perspectives);
        Ranked { item, row, rating, place }
    };
    let mut all: Vec<Ranked> = Vec::new();
    for gap in gaps {
        let item = ActionItem {
            text: format!("Meet the requirement: {}", gap.text),
            urgency: Severity::High,
            perspectives: gap.perspectives.clone(),
            members: gap.members.clone(),
        };
        all.push(ranked(item, Row::Requirement));
    }
    let mut wishes = Vec::new();
    for voice in voices {
        let (own, asks) = wishes_of(voice, rejected);
        wishes.extend(own);
        all.extend(asks.into_iter().map(|(item, row)| ranked(item, row)));
    }
    for kind in [PointKind::Risk, PointKind::Suggestion, PointKind::Weakness] {
        let of_kind: Vec<&Wish> = (wishes.iter()).filter(|wish| wish.point.kind == kind).collect();
        let points: Vec<Point> = of_kind.iter().map(|wish| wish.point.clone()).collect();
        for places in Clusters::of(&points).groups() {
            let together = places.iter().map(|at| of_kind[*at]);
            let strongest = together.max_by_key(|wish| (wish.urgency, Reverse(wish.row)));
            let members: Vec<Point> = places.iter().map(|at| points[*at].clone()).collect();
            let (Some(strongest), Some(first)) = (strongest, members.first()) else {
                continue;
            };
            let item = ActionItem {
                text: worded(first),
                urgency: strongest.urgency,
                perspectives: perspectives(&members, |_| true),
                members,
            };
            all.push(ranked(item, strongest.row));
        }
    }
    // The sort is stable: what one perspective asks for stays as it was written.
    all.sort_by_key(|one| {
        (
            Reverse(one.item.urgency),
            one.row,
            Reverse(one.item.perspectives.len()),
            one.rating,
            one.place,
        )
    });
    all.into_iter().map(|one| one.item).collect()
}

/// Says what is to be done about a point.
fn worded(point: &Point) -> String {
    let text = &point.text;
    match point.kind {
        PointKind::MissingRequirement => format!("Meet the requirement: {text}"),
        PointKind::Risk => format!("Deal with the risk: {text}"),
        PointKind::Weakness => format!("Resolve: {text}"),
        PointKind::Suggestion | PointKind::Strength => text.clone(),
    }
}

/// Returns what one perspective wants done, and what is to be asked of it.
fn wishes_of(voice: &Voice, rejected: bool) -> (Vec<Wish>, Vec<(ActionItem, Row)>) {
    let critique = &voice.critique;
    let low = critique.rating <= LOW_RATING;
    let (urgency, row) = match (low, rejected) {
        (true, true) => (Severity::High, Row::OfLowRating),
        (true, false) => (Severity::Medium, Row::OfLowRating),
        (false, _) => (Severity::Low, Row::Other),
    };
    let wishes = |kind: PointKind, urgency: Severity, row: Row| -> Vec<Wish> {
        let wish = |point| Wish { point, urgency, row };
        points(voice, kind).into_iter().map(wish).collect()
    };
    let danger = match critique.risk_level {
        Some(level @ RiskLevel::Critical) => Some((level, Severity::High)),
        Some(level @ RiskLevel::High) => Some((level, Severity::Medium)),
        Some(RiskLevel::Low | RiskLevel::Medium) | None => None,
    };
    let ask = |text: String, urgency: Severity| ActionItem {
        text,
        urgency,
        perspectives: vec![voice.perspective.clone()],
        members: Vec::new(),
    };
    let name = &voice.perspective;
    let mut asks = Vec::new();
    let mut own = Vec::new();
    if let Some((level, urgency)) = danger {
        own.extend(wishes(PointKind::Risk, urgency, Row::Risk));
        if own.is_empty() {
            let text = format!("Ask {name} why it rates the risk {level}");
            asks.push((ask(text, urgency), Row::Risk));
        }
    }
    own.extend(wishes(PointKind::Suggestion, urgency, row));
    let gap = || !points(voice, PointKind::MissingRequirement).is_empty();
    if own.is_empty() && !gap() {
        own.extend(wishes(PointKind::Weakness, urgency, row));
        if own.is_empty() {
            own.extend(wishes(PointKind::Risk, urgency, row));
        }
        if own.is_empty() && low {
            let rating = critique.rating;
            let text = format!("Ask {name} why it rates the artifact {rating} of 5");
            asks.push((ask(text, urgency), row));
        }
    }
    (own, asks)
}
#[cfg(test)]
mod tests;
