//! What becomes of an analyst's answer: findings with a return that is worked out here.

use std::collections::BTreeSet;

use crate::discovery::finding::{Finding, Rule};
use crate::discovery::tree::Tree;
use crate::protocol::backlog::model::{ActionabilityScore, Effort, Evidence, Reversibility};
use crate::protocol::inquiry::{Feature, Features};
use crate::text::{Note, sanitize};

/// The [`Evidence::source`] of every proposed feature.
///
/// It is never among the sources that were "read to their end"
/// ([`crate::discovery::finding::Looked::sources`]): an analyst is told what is known and asked not to repeat it, so
/// its silence about a feature says nothing.
pub const SOURCE: &str = "feature_analysis";

/// A return that is good: what the middle of all scales gives, with an impact just above it
/// (impact 6, effort 5, risk 3).
const GOOD_RETURN: f64 = 10.0;

/// A return that is worth the little work of something very small: half a good one.
const FAIR_RETURN: f64 = 5.0;

/// Characters of what is kept of a text.
const TITLE_CHARS: usize = 200;
const DESCRIPTION_CHARS: usize = 2_000;
const VALUE_CHARS: usize = 1_000;

/// Files of one feature.
const FILES: usize = 20;

/// What kind of investment a feature is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Category {
    /// A good return for an effort of 3 or less.
    QuickWin,
    /// Not a good return, but a fair one (5 or more) for an effort of 2 or less.
    LowHangingFruit,
    /// More work than that, with a good return or an impact of 7 or more.
    StrategicBet,
    /// All others.
    BackBurner,
}

impl Category {
    /// Returns the category in words.
    pub const fn name(self) -> &'static str {
        match self {
            Self::QuickWin => "quick win",
            Self::LowHangingFruit => "low-hanging fruit",
            Self::StrategicBet => "strategic bet",
            Self::BackBurner => "back burner",
        }
    }

    /// Returns the category of a feature.
    pub fn of(feature: &Feature) -> Self {
        let (roi, effort) = (roi(feature), feature.effort);
        if roi >= GOOD_RETURN && effort <= 3.0 {
            Self::QuickWin
        } else if roi >= FAIR_RETURN && effort <= 2.0 {
            Self::LowHangingFruit
        } else if effort > 3.0 && (roi >= GOOD_RETURN || feature.impact >= 7.0) {
            Self::StrategicBet
        } else {
            Self::BackBurner
        }
    }
}

/// Returns a feature's return on investment, 0 to 90: `impact * (10 - effort) / risk`, a risk below 1
/// counting as 1 (`spec/backlog.md`). Never a figure of the answer.
pub fn roi(feature: &Feature) -> f64 {
    feature.impact * (10.0 - feature.effort) / feature.risk.max(1.0)
}

/// Findings, and what is worth knowing of how they were made.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Proposed {
    /// One a feature, the best return first; equal ones in the order of the answer.
    pub findings: Vec<Finding>,
    /// `unknown_file`: an answer names a file that the tree does not have.
    pub warnings: Vec<Note>,
}

/// Makes findings of an answer. They have no file and no symbol: the store tells by similarity whether one is known.
pub fn findings(said: &Features, tree: &Tree) -> Proposed {
    let known: BTreeSet<&str> = tree.files.iter().map(|file| file.name.as_str()).collect();
    let mut sorted: Vec<&Feature> = said.features.iter().collect();
    sorted.sort_by(|a, b| roi(b).total_cmp(&roi(a)));
    let mut proposed = Proposed::default();
    for feature in sorted {
        let (files, unknown) = files(feature, &known);
        if !unknown.is_empty() {
            let names: Vec<String> = unknown.iter().map(|name| sanitize::line(name, 100)).collect();
            let message = format!(
                "`{}` names files that are not in the repository; they were left out: {}",
                sanitize::line(&feature.title, 60),
                sanitize::line(&names.join(", "), 500)
            );
            proposed.warnings.push(Note::new("unknown_file", message));
        }
        proposed.findings.push(finding(feature, files));
    }
    proposed
}

fn finding(feature: &Feature, affected_files: Vec<String>) -> Finding {
    let Feature { impact, effort, leverage, risk, .. } = feature;
    let content = format!(
        "roi {:.1} = impact {impact} * (10 - effort {effort}) / risk {}; leverage {leverage}; {}",
        roi(feature),
        risk.max(1.0),
        Category::of(feature).name()
    );
    Finding {
        measure: 0,
        rule: Rule::Feature,
        file: None,
        symbol: None,
        title: sanitize::line(&feature.title, TITLE_CHARS),
        description: format!(
            "{}\n\n{}",
            cut(&feature.description, DESCRIPTION_CHARS),
            cut(&feature.user_value, VALUE_CHARS)
        ),
        evidence: vec![Evidence {
            source: SOURCE.to_owned(),
            content,
            file_path: None,
            line_number: None,
            timestamp: None,
        }],
        actionability: ActionabilityScore {
            clarity: (leverage / 10.0).clamp(0.0, 1.0),
            evidence: 0.7,
            effort: if *effort <= 3.0 {
                Effort::Small
            } else if *effort <= 6.0 {
                Effort::Medium
            } else {
                Effort::Large
            },
            reversibility: Reversibility::Full,
        },
        affected_files,
    }
}

/// Returns the named files that are in the tree, and those that are not.
fn files<'a>(feature: &'a Feature, known: &BTreeSet<&str>) -> (Vec<String>, Vec<&'a str>) {
    let (mut kept, mut unknown): (Vec<String>, Vec<&str>) = (Vec::new(), Vec::new());
    for written in &feature.existing_code {
        let written = written.trim();
        let name = written.strip_prefix("./").unwrap_or(written);
        if !known.contains(name) {
            unknown.push(written);
        } else if kept.len() < FILES && !kept.iter().any(|each| each == name) {
            kept.push(name.to_owned());
        }
    }
    (kept, unknown)
}

/// Returns a text without anything hidden, with an ellipsis where it was cut.
fn cut(text: &str, max: usize) -> String {
    let clean = sanitize::terminal(text);
    match clean.char_indices().nth(max) {
        None => clean,
        Some(_) => clean.chars().take(max - 1).chain(['…']).collect(),
    }
}

#[cfg(test)]
mod tests;
