//! What stands against going on, or apart, each in one sentence.
//!
//! | kind | severity | when |
//! |---|---|---|
//! | `coverage_gap` | high | requirements are missing: one for all of them |
//! | `high_risk` | high, medium | perspectives rate the risk critical; high: one for each level |
//! | `low_rating` | medium | a perspective rates the artifact 2 or less: one for each |
//! | `rating_spread` | medium | the highest and the lowest rating lie 3 or more apart |
//! | `view` | low | one praises what another one faults: one for each |
//!
//! They are told heaviest first, then in the order of this table, then in the order asked. The verdict's severity
//! is the ladder's; theirs is only how much each weighs by itself.

use std::cmp::Reverse;

use super::actions;
use super::ladder::LOW_RATING;
use super::model::{Divergence, DivergenceKind, PointKind, RiskLevel, Severity, View, Voice};
use super::themes::points;

/// How far apart ratings lie that are told (`spec/discuss.md`).
const SPREAD: u8 = 3;
/// Texts that are quoted in a sentence at most.
const QUOTED: usize = 3;
/// Characters of a quote at most: whole texts stand in the lists beside it.
const QUOTE_CHARS: usize = 160;

/// Returns all divergences, heaviest first; `views` are those of the same voices.
pub fn all(voices: &[Voice], views: &[View]) -> Vec<Divergence> {
    let mut all: Vec<Divergence> = coverage_gap(voices).into_iter().collect();
    let risky = [(RiskLevel::Critical, Severity::High), (RiskLevel::High, Severity::Medium)];
    all.extend(risky.iter().filter_map(|(level, weight)| high_risk(voices, *level, *weight)));
    all.extend(voices.iter().filter_map(low_rating));
    all.extend(rating_spread(voices));
    all.extend(views.iter().map(|view| differing(voices, view)));
    all.sort_by_key(|one| (Reverse(one.severity), one.kind));
    all
}

fn coverage_gap(voices: &[Voice]) -> Option<Divergence> {
    let gaps = actions::gaps(voices);
    let named =
        |voice: &Voice| gaps.iter().any(|gap| gap.perspectives.contains(&voice.perspective));
    let who = names(voices, named);
    let quotes = quoted(gaps.iter().map(|gap| gap.text.as_str()))?;
    let missing = match gaps.len() {
        1 => "1 requirement is missing".to_owned(),
        count => format!("{count} requirements are missing"),
    };
    Some(Divergence {
        kind: DivergenceKind::CoverageGap,
        severity: Severity::High,
        text: format!("{missing} ({}): {quotes}", listed(&who)),
        perspectives: who,
    })
}

fn high_risk(voices: &[Voice], level: RiskLevel, severity: Severity) -> Option<Divergence> {
    let rates = |voice: &Voice| voice.critique.risk_level == Some(level);
    let who = names(voices, rates);
    let verb = match who.len() {
        0 => return None,
        1 => "rates",
        _ => "rate",
    };
    let mut risks: Vec<String> = Vec::new();
    for voice in voices.iter().filter(|voice| rates(voice)) {
        for point in points(voice, PointKind::Risk) {
            if !risks.contains(&point.text) {
                risks.push(point.text);
            }
        }
    }
    let said = format!("{} {verb} the risk {level}", listed(&who));
    let text = match quoted(risks.iter().map(String::as_str)) {
        Some(quotes) => format!("{said}: {quotes}"),
        None => format!("{said} without naming one"),
    };
    Some(Divergence { kind: DivergenceKind::HighRisk, severity, text, perspectives: who })
}

fn low_rating(voice: &Voice) -> Option<Divergence> {
    let rating = voice.critique.rating;
    let said = format!("{} rates it {rating} of 5", voice.perspective);
    let weakness = points(voice, PointKind::Weakness).into_iter().next();
    (rating <= LOW_RATING).then(|| Divergence {
        kind: DivergenceKind::LowRating,
        severity: Severity::Medium,
        text: match weakness {
            Some(weakness) => format!("{said}: {}", quote(&weakness.text)),
            None => format!("{said} without naming a weakness"),
        },
        perspectives: vec![voice.perspective.clone()],
    })
}

fn rating_spread(voices: &[Voice]) -> Option<Divergence> {
    let ratings = || voices.iter().map(|voice| voice.critique.rating);
    let (least, most) = (ratings().min()?, ratings().max()?);
    if most - least < SPREAD {
        return None;
    }
    let at = |rating: u8| names(voices, |voice| voice.critique.rating == rating);
    Some(Divergence {
        kind: DivergenceKind::RatingSpread,
        severity: Severity::Medium,
        text: format!(
            "ratings from {least} ({}) to {most} ({})",
            listed(&at(least)),
            listed(&at(most))
        ),
        perspectives: names(voices, |voice| [least, most].contains(&voice.critique.rating)),
    })
}

fn differing(voices: &[Voice], view: &View) -> Divergence {
    let verb = |who: &[String], one: &'static str, many: &'static str| {
        if who.len() == 1 { one } else { many }
    };
    Divergence {
        kind: DivergenceKind::View,
        severity: view.severity,
        text: format!(
            "{} {} what {} {}: {}",
            listed(&view.praised_by),
            verb(&view.praised_by, "praises", "praise"),
            listed(&view.faulted_by),
            verb(&view.faulted_by, "faults", "fault"),
            quote(&view.text)
        ),
        perspectives: names(voices, |voice| {
            let name = &voice.perspective;
            view.praised_by.contains(name) || view.faulted_by.contains(name)
        }),
    }
}

/// Returns the names of some perspectives, in the order asked.
fn names(voices: &[Voice], of: impl Fn(&Voice) -> bool) -> Vec<String> {
    let voices = voices.iter().filter(|voice| of(voice));
    voices.map(|voice| voice.perspective.clone()).collect()
}

/// Lists names: `product`, `product and risk`, `product, risk and quality`.
fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// Quotes the first texts, and says how many more there are; `None` of none.
fn quoted<'a>(texts: impl ExactSizeIterator<Item = &'a str>) -> Option<String> {
    let more = texts.len().saturating_sub(QUOTED);
    let quotes: Vec<String> = texts.take(QUOTED).map(quote).collect();
    if quotes.is_empty() {
        return None;
    }
    let quotes = quotes.join("; ");
    Some(match more {
        0 => quotes,
        more => format!("{quotes}; and {more} more"),
    })
}

/// Quotes a text on one line, its beginning where it is long.
fn quote(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(QUOTE_CHARS) {
        Some((end, _)) => format!("\"{}…\"", text[..end].trim_end()),
        None => format!("\"{text}\""),
    }
}
#[cfg(test)]
mod tests;
