//! What a round measures: each figure computed from the arguments alone, in whole numbers, rounded down.
//!
//! | figure | how |
//! |---|---|
//! | agreement score | the lower of the stances on the resolution's points, weighed by importance, and of the concerns met |
//! | resolution quality | concerns that the resolution names and disposes of with a reason, of all |
//! | evidence strength | the evidence's weight, of one full weight a claim |
//! | implementation feasibility | the mean of what both sides rate with their last argument, (n - 1) / 4 |
//! | risk assessment | by name, the mean of the sides' likelihood x impact |
//! | confidence | as stated, at most 0.5 + 0.5 x the strength of the argument's own evidence |
//!
//! *Concerns* of a round are those raised in it and those that it began with, still open; without any,
//! both shares are 1. A concern is met as far as the side that raised it says so in its stance; where
//! that side writes the resolution itself, the concern is met if the resolution disposes of it, and not
//! otherwise.
//!
//! A *claim* is a point or a concern of an argument; an argument without either is one claim. Each claim
//! is backed by one piece of evidence, the best that is left, so that further pieces neither inflate a
//! figure nor water it down. Evidence that was checked weighs 1, a named source half, a bare assertion
//! nothing; what was looked for and not found is no better than an assertion.

use std::collections::BTreeMap;

use super::content;
use crate::kernel::share::Share;
use crate::protocol::debate::typed::{
    Argument, ArgumentSaid, ArgumentType, Concern, Evidence, Metrics, Side,
};
use crate::protocol::debate::{Stance, Stances, consensus};

/// Characters of a risk's name that tell it from others.
const RISK_CHARS: usize = 120;

/// The type of evidence that names its source.
pub const SOURCE: &str = "source";

/// The type of evidence that names a file, and a line where it can.
pub const FILE: &str = "file";

/// A concern, and whose it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Raised {
    /// The concern.
    pub concern: Concern,
    /// Who raised it.
    pub side: Side,
    /// The round in which it was raised, from 1.
    pub round: u32,
}

/// A round that can be measured: it has a resolution, and the other side's stances.
#[derive(Debug, Clone, Copy)]
pub struct Measured<'a> {
    /// Its arguments, in order, the resolution last.
    pub arguments: &'a [Argument],
    /// The resolution.
    pub resolution: &'a Argument,
    /// Concerns that it began with and concerns raised in it.
    pub concerns: &'a [Raised],
    /// What the side that did not write the resolution thinks of it.
    pub stances: &'a Stances,
}

/// The figures of a round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Figures {
    /// Those of the specification.
    pub metrics: Metrics,
    /// The stances on the resolution's points.
    pub stance_score: Share,
    /// The share of the points, by weight, that have a stance.
    pub covered: Share,
    /// The concerns that are met.
    pub concerns_met: Share,
}

/// Measures a round.
pub fn measure(round: Measured<'_>) -> Figures {
    let points = content::points(&round.resolution.said.content);
    let tally = consensus::tally(&points, round.stances);
    let stance_score = tally.map_or(Share::ZERO, |tally| tally.score);
    let concerns_met = concerns_met(round);
    let (feasibility, complete) = feasibility(round.arguments);
    Figures {
        metrics: Metrics {
            agreement_score: stance_score.min(concerns_met),
            resolution_quality: disposed_of(round),
            evidence_strength: strength(round.arguments.iter().map(|argument| &argument.said)),
            implementation_feasibility: feasibility,
            risk_assessment: risks(round.arguments),
            complete,
        },
        stance_score,
        covered: tally.map_or(Share::ZERO, |tally| tally.covered),
        concerns_met,
    }
}

/// Returns how far a concern is met, in halves.
pub fn met(raised: &Raised, round: Measured<'_>) -> u64 {
    if raised.side == round.resolution.side {
        let named = disposes(&round.resolution.said, &raised.concern.id);
        return if named { Stance::Agree.halves() } else { 0 };
    }
    let stance = round.stances.on(&raised.concern.id);
    stance.map_or(0, |said| said.stance.halves())
}

fn disposes(said: &ArgumentSaid, id: &str) -> bool {
    (said.addresses.iter()).any(|each| each.id == id && !each.how.trim().is_empty())
}

fn concerns_met(round: Measured<'_>) -> Share {
    let halves = round.concerns.iter().map(|raised| met(raised, round)).sum();
    // No concerns: nothing is left to meet.
    Share::of(halves, 2 * count(round.concerns.len())).unwrap_or(Share::ONE)
}

fn disposed_of(round: Measured<'_>) -> Share {
    let disposed = (round.concerns.iter())
        .filter(|raised| disposes(&round.resolution.said, &raised.concern.id));
    Share::of(count(disposed.count()), count(round.concerns.len())).unwrap_or(Share::ONE)
}

/// Returns what a piece of evidence weighs, in halves.
pub fn weight(evidence: &Evidence) -> u64 {
    match evidence.checked {
        Some(true) => 2,
        Some(false) => 0,
        None => u64::from(names_source(evidence)),
    }
}

/// Whether a source is named: something with letters or digits in it, of a type that says so, or an object's `source`.
/// A file without a line is one: it is there, and it is no place.
fn names_source(evidence: &Evidence) -> bool {
    let kind = evidence.kind.trim();
    let by_kind = [SOURCE, FILE].iter().any(|name| kind.eq_ignore_ascii_case(name));
    let text = evidence.data.as_str().filter(|_| by_kind);
    let named = text.or_else(|| evidence.source());
    named.is_some_and(|name| name.chars().filter(|c| c.is_alphanumeric()).nth(2).is_some())
}

/// Returns the weight of the evidence, of one full weight a claim.
pub fn strength<'a>(arguments: impl Iterator<Item = &'a ArgumentSaid>) -> Share {
    let (mut halves, mut claims) = (0, 0);
    for said in arguments {
        let of_it = content::claim_count(said);
        let mut weights: Vec<u64> = said.evidence.iter().map(weight).collect();
        weights.sort_unstable_by(|a, b| b.cmp(a));
        halves += weights.iter().take(of_it).sum::<u64>();
        claims += count(of_it);
    }
    Share::of(halves, 2 * claims).unwrap_or(Share::ZERO)
}

/// Returns what an argument's stated confidence is worth; `None` where none was stated.
pub fn confidence(said: &ArgumentSaid) -> Option<Share> {
    let own = strength(std::iter::once(said)).get();
    let most = Share::thousandths(500 + own / 2);
    said.confidence_score.map(|stated| stated.min(most))
}

/// The mean of what the sides rate with their last argument, and whether both did.
fn feasibility(arguments: &[Argument]) -> (Option<Share>, bool) {
    let rating = |side: Side| {
        let last = arguments.iter().rev().find(|argument| argument.side == side);
        last.and_then(|argument| argument.said.feasibility)
    };
    let given: Vec<u64> = (Side::ALL.into_iter().filter_map(rating))
        .map(|rating| u64::from(rating.clamp(1, 5)) - 1)
        .collect();
    let mean = Share::of(given.iter().sum(), 4 * count(given.len()));
    (mean, given.len() == Side::ALL.len())
}

/// By name, the mean of the sides' likelihood times impact; what a side says last of a risk counts.
fn risks(arguments: &[Argument]) -> BTreeMap<String, Share> {
    let mut named: BTreeMap<String, BTreeMap<Side, u64>> = BTreeMap::new();
    for argument in arguments {
        for risk in &argument.said.risks {
            let weighed = u64::from(risk.likelihood.get()) * u64::from(risk.impact.get());
            let of_sides = named.entry(risk_name(&risk.name)).or_default();
            of_sides.insert(argument.side, weighed);
        }
    }
    (named.into_iter())
        .filter_map(|(name, sides)| {
            let whole = 1_000_000 * count(sides.len());
            Some((name, Share::of(sides.values().sum(), whole)?))
        })
        .collect()
}

/// Returns the name under which a risk is known: case, spaces and the full stop make no difference.
pub fn risk_name(name: &str) -> String {
    let line = crate::text::sanitize::line(name, RISK_CHARS).to_lowercase();
    line.trim_end_matches(['.', '!', ':', ';']).trim().to_owned()
}

/// Returns the areas of an argument that are not among the known ones, as written.
pub fn unknown_areas(said: &ArgumentSaid, known: &[String]) -> Vec<String> {
    let is_known = |area: &String| {
        let area = area.trim().to_lowercase();
        known.iter().any(|name| name.trim().to_lowercase() == area)
    };
    let unknown = said.impact_areas.iter().filter(|area| !is_known(area));
    unknown.cloned().collect()
}

/// Returns the resolution of a round's arguments: the last one, if it is one.
pub fn resolution(arguments: &[Argument]) -> Option<&Argument> {
    let last = arguments.last()?;
    (last.said.kind == ArgumentType::Resolution).then_some(last)
}

fn count(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
