//! One test per kind, and the order among them.

use proptest::prelude::*;

use super::super::themes;
use super::super::themes::samples::{voice, voices};
use super::*;
use crate::protocol::discuss::model::PointKind::{MissingRequirement, Risk, Strength, Weakness};

fn told(voices: &[Voice]) -> Vec<Divergence> {
    all(voices, &themes::group(voices).views)
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
    let praised = "The success metrics are measurable.";
    let faulted = "The success metrics cannot be measured.";
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
            "technical rates it 2 of 5: \"The success metrics cannot be measured.\"",
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
            "product praises what technical faults: \"The success metrics are measurable.\"",
        ),
    ];
    assert_eq!(told(&voices), expected);
}

#[test]
fn one_gap_of_several_is_told_once_with_all_who_name_it() {
    let voices = [
        voice("a", 3).says(MissingRequirement, &["Offline mode"]),
        voice("b", 3).says(MissingRequirement, &["offline mode"]),
        voice("c", 3).says(MissingRequirement, &["Offline mode."]),
    ];
    let text = "1 requirement is missing (a, b and c): \"Offline mode\"";
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
            .says(Risk, &["Prices may rise.", "Keys may leak.", "Staff may leave.", "Laws change."])
            .risk(RiskLevel::Critical),
    ];
    let told = told(&voices);
    assert_eq!(told.len(), 1);
    assert_eq!(
        told[0].text,
        "a and b rate the risk critical: \"Prices may rise.\"; \"The vendor may close.\"; \"Keys may leak.\"; and 2 more"
    );
    let silent = all(&[voice("a", 3).risk(RiskLevel::High)], &[]);
    assert_eq!(silent[0].text, "a rates the risk high without naming one");
}

#[test]
fn a_quote_is_one_line_and_short() {
    let long = format!("One\n\n two\t{}", "é".repeat(500));
    let told = told(&[voice("a", 1).says(Weakness, &[&long])]);
    assert_eq!(told[0].text, format!("a rates it 1 of 5: \"One two {}…\"", "é".repeat(152)));
}

/// Ratings, and the sentence about them.
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
        let voices: Vec<Voice> = named.map(|(rating, name)| voice(name, *rating)).collect();
        let told = all(&voices, &[]);
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
