//! The divergences: reasons against going on and differences among perspectives, each in one sentence.
//!
//! | kind | severity | when |
//! |---|---|---|
//! | `coverage_gap` | high | requirements are missing: one for all of them |
//! | `high_risk` | high, medium | perspectives rate the risk critical; high: one for each level |
//! | `low_rating` | medium | a perspective rates the artifact 2 or less: one for each |
//! | `rating_spread` | medium | the highest and the lowest rating are 3 or more apart |
//! | `view` | low | one praises what another faults: one for each |
//!
//! They are listed heaviest first, then in the order of this table, then in the order asked. The verdict's severity
//! is the ladder's; a divergence's severity is only its own weight.

use std::cmp::Reverse;

use super::ladder::LOW_RATING;
use super::model::{
    Divergence, DivergenceKind, Gap, PerspectiveReply, PointKind, RiskLevel, Severity, View,
};
use super::themes::{faults, points};

/// Minimum difference of the ratings that is reported (`docs/discuss.md`).
const SPREAD: u8 = 3;
/// Maximum texts quoted in a sentence.
const QUOTED: usize = 3;
/// Maximum characters of a quote; the lists of the result contain the whole texts.
const QUOTE_CHARS: usize = 160;

/// Returns all divergences, heaviest first; `gaps` and `views` are those of the same voices.
pub fn all(voices: &[PerspectiveReply], gaps: &[Gap], views: &[View]) -> Vec<Divergence> {
    let mut all: Vec<Divergence> = coverage_gap(voices, gaps).into_iter().collect();
    let risky = [(RiskLevel::Critical, Severity::High), (RiskLevel::High, Severity::Medium)];
    all.extend(risky.iter().filter_map(|(level, weight)| high_risk(voices, *level, *weight)));
    all.extend(voices.iter().filter_map(low_rating));
    all.extend(rating_spread(voices));
    all.extend(views.iter().map(|view| differing(voices, view)));
    all.sort_by_key(|one| (Reverse(one.severity), one.kind));
    all
}

fn coverage_gap(voices: &[PerspectiveReply], gaps: &[Gap]) -> Option<Divergence> {
    let named = |voice: &PerspectiveReply| {
        gaps.iter().any(|gap| gap.perspectives.contains(&voice.perspective))
    };
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

fn high_risk(
    voices: &[PerspectiveReply],
    level: RiskLevel,
    severity: Severity,
) -> Option<Divergence> {
    let rates = |voice: &PerspectiveReply| voice.critique.risk_level == Some(level);
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

fn low_rating(voice: &PerspectiveReply) -> Option<Divergence> {
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

fn rating_spread(voices: &[PerspectiveReply]) -> Option<Divergence> {
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

fn differing(voices: &[PerspectiveReply], view: &View) -> Divergence {
    let verb = |who: &[String], one: &'static str, many: &'static str| {
        if who.len() == 1 { one } else { many }
    };
    let fault = view.members.iter().find(|point| faults(point.kind)).map(|point| &point.text);
    let quotes: Vec<String> =
        [&view.text].into_iter().chain(fault).map(|text| quote(text)).collect();
    Divergence {
        kind: DivergenceKind::View,
        severity: view.severity,
        text: format!(
            "{} {} what {} {}: {}",
            listed(&view.praised_by),
            verb(&view.praised_by, "praises", "praise"),
            listed(&view.faulted_by),
            verb(&view.faulted_by, "faults", "fault"),
            quotes.join(" against ")
        ),
        perspectives: names(voices, |voice| {
            let name = &voice.perspective;
            view.praised_by.contains(name) || view.faulted_by.contains(name)
        }),
    }
}

/// Returns the names of the perspectives that match, in the order asked.
fn names(voices: &[PerspectiveReply], of: impl Fn(&PerspectiveReply) -> bool) -> Vec<String> {
    let voices = voices.iter().filter(|voice| of(voice));
    voices.map(|voice| voice.perspective.clone()).collect()
}

/// Joins names: `product`, `product and risk`, `product, risk and quality`.
fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// Quotes the first texts and counts the others; `None` if there is no text.
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

/// Quotes a text on one line, cut to its beginning if it is long.
fn quote(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(QUOTE_CHARS) {
        Some((end, _)) => format!("\"{}…\"", text[..end].trim_end()),
        None => format!("\"{text}\""),
    }
}

#[cfg(test)]
mod tests {
    //! One test per kind, and the order of the kinds.

    use proptest::prelude::*;

    use super::super::actions;
    use super::super::themes::samples::{grouped, voice, voices};
    use super::*;
    use crate::protocol::discuss::model::PointKind::{
        MissingRequirement, Risk, Strength, Weakness,
    };

    fn told(voices: &[PerspectiveReply]) -> Vec<Divergence> {
        let grouped = grouped(voices);
        all(voices, &actions::gaps(&grouped.groups), &grouped.views)
    }

    fn row(kind: DivergenceKind, severity: Severity, who: &[&str], text: &str) -> Divergence {
        Divergence {
            kind,
            severity,
            perspectives: who.iter().map(|&name| name.to_owned()).collect(),
            text: text.to_owned(),
        }
    }

    #[test]
    fn nothing_diverges_where_nothing_does() {
        assert_eq!(told(&[]), []);
        assert_eq!(told(&[voice("a", 3), voice("b", 5)]), []);
        let level = |level| told(&[voice("a", 3).risk(level)]).len();
        assert_eq!([RiskLevel::Low, RiskLevel::Medium].map(level), [0, 0]);
    }

    #[test]
    fn the_heaviest_come_first_then_the_kinds_in_order() {
        use DivergenceKind::{CoverageGap, HighRisk, LowRating, RatingSpread, View};
        use Severity::{High, Low, Medium};
        let praised = "'Complaints below 10' can be counted.";
        let faulted = "'Complaints below 10' has no date.";
        let voices = [
            voice("product", 5).says(Strength, &[praised]),
            voice("technical", 2)
                .says(Weakness, &[faulted, "It is slow."])
                .says(Risk, &["The vendor may raise prices."])
                .risk(RiskLevel::High),
            voice("risk", 1)
                .says(Risk, &["The gateway is a single point of failure."])
                .risk(RiskLevel::Critical),
            voice("coverage", 5).says(MissingRequirement, &["Offline mode", "CSV export"]),
        ];
        let expected = [
            row(
                CoverageGap,
                High,
                &["coverage"],
                "2 requirements are missing (coverage): \"Offline mode\"; \"CSV export\"",
            ),
            row(
                HighRisk,
                High,
                &["risk"],
                "risk rates the risk critical: \"The gateway is a single point of failure.\"",
            ),
            row(
                HighRisk,
                Medium,
                &["technical"],
                "technical rates the risk high: \"The vendor may raise prices.\"",
            ),
            row(
                LowRating,
                Medium,
                &["technical"],
                "technical rates it 2 of 5: \"'Complaints below 10' has no date.\"",
            ),
            row(LowRating, Medium, &["risk"], "risk rates it 1 of 5 without naming a weakness"),
            row(
                RatingSpread,
                Medium,
                &["product", "risk", "coverage"],
                "ratings from 1 (risk) to 5 (product and coverage)",
            ),
            row(
                View,
                Low,
                &["product", "technical"],
                "product praises what technical faults: \"'Complaints below 10' can be counted.\" against \"'Complaints below 10' has no date.\"",
            ),
        ];
        assert_eq!(told(&voices), expected);
    }

    #[test]
    fn one_gap_of_several_is_told_once_with_all_who_name_it() {
        let voices = [
            voice("a", 3).says(MissingRequirement, &["FR-12: no filter"]),
            voice("b", 3).says(MissingRequirement, &["(fr-12) is not met"]),
            voice("c", 3).says(MissingRequirement, &["'Filter the reports' (FR-12)"]),
        ];
        let text = "1 requirement is missing (a, b and c): \"FR-12: no filter\"";
        let who = ["a", "b", "c"];
        let expected = row(DivergenceKind::CoverageGap, Severity::High, &who, text);
        assert_eq!(told(&voices), [expected]);
    }

    #[test]
    fn three_texts_are_quoted_and_the_rest_is_counted() {
        let voices = [
            voice("a", 3)
                .says(Risk, &["Prices may rise.", "The vendor may close."])
                .risk(RiskLevel::Critical),
            voice("b", 3)
                .says(
                    Risk,
                    &["Prices may rise.", "Keys may leak.", "Staff may leave.", "Laws change."],
                )
                .risk(RiskLevel::Critical),
        ];
        let told = told(&voices);
        assert_eq!(told.len(), 1);
        assert_eq!(
            told[0].text,
            "a and b rate the risk critical: \"Prices may rise.\"; \"The vendor may close.\"; \"Keys may leak.\"; and 2 more"
        );
        let silent = all(&[voice("a", 3).risk(RiskLevel::High)], &[], &[]);
        assert_eq!(silent[0].text, "a rates the risk high without naming one");
    }

    #[test]
    fn a_quote_is_one_line_and_short() {
        let long = format!("One\n\n two\t{}", "é".repeat(500));
        let told = told(&[voice("a", 1).says(Weakness, &[&long])]);
        assert_eq!(told[0].text, format!("a rates it 1 of 5: \"One two {}…\"", "é".repeat(152)));
    }

    /// The ratings, and the sentence about their spread.
    #[test]
    fn a_spread_is_told_from_three_on() {
        let rows: [(&[u8], Option<&str>); 6] = [
            (&[1, 4], Some("ratings from 1 (a) to 4 (b)")),
            (&[5, 2, 2], Some("ratings from 2 (b and c) to 5 (a)")),
            (&[2, 4], None),
            (&[3, 5, 4], None),
            (&[1], None),
            (&[], None),
        ];
        for (ratings, expected) in rows {
            let named = ratings.iter().zip(["a", "b", "c"]);
            let voices: Vec<PerspectiveReply> =
                named.map(|(rating, name)| voice(name, *rating)).collect();
            let told = all(&voices, &[], &[]);
            let spread = told.iter().find(|one| one.kind == DivergenceKind::RatingSpread);
            assert_eq!(spread.map(|one| one.text.as_str()), expected, "{ratings:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn every_low_rating_gap_and_danger_is_told_and_nothing_is_endless(voices in voices()) {
            let told = told(&voices);
            prop_assert!(told.is_sorted_by_key(|one| (Reverse(one.severity), one.kind)));
            for voice in &voices {
                let tells = |kind| told.iter().any(|one| one.kind == kind && one.perspectives.contains(&voice.perspective));
                prop_assert_eq!(tells(DivergenceKind::LowRating), voice.critique.rating <= 2);
                let dangerous = voice.critique.risk_level >= Some(RiskLevel::High);
                prop_assert_eq!(tells(DivergenceKind::HighRisk), dangerous);
                let gap = !points(voice, MissingRequirement).is_empty();
                prop_assert_eq!(tells(DivergenceKind::CoverageGap), gap);
            }
            for one in &told {
                prop_assert!(!one.perspectives.is_empty() && !one.text.contains('\n'));
                prop_assert!(one.text.chars().count() < 3 * (QUOTE_CHARS + 8) + 200);
            }
        }
    }
}
