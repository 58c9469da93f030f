//! Turns an analyst's answer into findings, with a return calculated here.

use crate::discovery::finding::{Finding, Rule};
use crate::discovery::tree::Tree;
use crate::ordered::{BTreeSet, Gather};
use crate::protocol::backlog::model::{ActionabilityScore, Effort, Evidence, Reversibility};
use crate::protocol::inquiry::{Feature, Features};
use crate::text::{Note, sanitize};

/// The [`Evidence::source`] of every proposed feature.
///
/// It is never among the sources "read to their end" ([`crate::discovery::finding::SearchExtent::sources`]): an analyst is
/// told what is known and asked not to repeat it, so its silence about a feature says nothing.
pub const SOURCE: &str = "feature_analysis";

/// A good return: the middle of all scales, with an impact just above it (impact 6, effort 5, risk
/// 3).
const GOOD_RETURN: f64 = 10.0;

/// A return that justifies a very small effort: half a good one.
const FAIR_RETURN: f64 = 5.0;

/// Maximum lengths of the texts kept, in characters.
const TITLE_CHARS: usize = 200;
const DESCRIPTION_CHARS: usize = 2_000;
const VALUE_CHARS: usize = 1_000;

/// Maximum number of files of one feature.
const FILES: usize = 20;

/// The kind of investment that a feature is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Category {
    /// A good return for an effort of at most 3.
    QuickWin,
    /// Not a good return, but a fair one (at least 5) for an effort of at most 2.
    LowHangingFruit,
    /// More work than that, with a good return or an impact of at least 7.
    StrategicBet,
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
/// counting as 1 (`docs/discover.md`). Never taken from the answer.
pub fn roi(feature: &Feature) -> f64 {
    feature.impact * (10.0 - feature.effort) / feature.risk.max(1.0)
}

/// Findings, with warnings about how they were made.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Proposals {
    /// One per feature, best return first; ties in the order of the answer.
    pub findings: Vec<Finding>,
    /// `unknown_file`: an answer names a file that the tree does not have.
    pub warnings: Vec<Note>,
}

/// Turns an answer into findings. They have no file or symbol: the store recognises known ones by similarity.
pub fn findings(said: &Features, tree: &Tree) -> Proposals {
    let known: BTreeSet<&str> = tree.files.iter().map(|file| file.name.as_str()).gather();
    let mut sorted: Vec<&Feature> = said.features.iter().collect();
    sorted.sort_by(|a, b| roi(b).total_cmp(&roi(a)));
    let mut proposed = Proposals::default();
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

/// Returns a text without hidden characters, with an ellipsis if it was cut.
fn cut(text: &str, max: usize) -> String {
    let clean = sanitize::terminal(text);
    match clean.char_indices().nth(max) {
        None => clean,
        Some(_) => clean.chars().take(max - 1).chain(['…']).collect(),
    }
}

#[cfg(test)]
mod tests {
    //! Returns, categories, files and the order of proposals.

    use proptest::prelude::*;

    use super::super::tests::Repository;
    use super::*;

    fn feature(title: &str, [impact, effort, leverage, risk]: [f64; 4]) -> Feature {
        Feature {
            title: title.to_owned(),
            description: "Build it.".to_owned(),
            user_value: "It helps.".to_owned(),
            impact,
            effort,
            leverage,
            risk,
            existing_code: Vec::new(),
        }
    }

    fn said(features: Vec<Feature>) -> Features {
        Features { product_type: "a tool".to_owned(), target_users: Vec::new(), features }
    }

    /// (impact, effort, leverage, risk), return, category. The first row is the source's own example, whose
    /// answer claimed 24.0 where the formula gives 28.
    #[test]
    fn returns_and_categories() {
        for (numbers, expected, category) in [
            ([8.0, 3.0, 9.0, 2.0], 28.0, Category::QuickWin),
            ([6.0, 3.0, 5.0, 4.2], 10.0, Category::QuickWin),
            ([6.0, 3.0, 5.0, 4.3], 9.8, Category::BackBurner),
            ([3.0, 2.0, 5.0, 4.0], 6.0, Category::LowHangingFruit),
            ([3.0, 2.0, 5.0, 5.0], 4.8, Category::BackBurner),
            ([6.0, 5.0, 5.0, 3.0], 10.0, Category::StrategicBet),
            ([7.0, 9.0, 5.0, 7.0], 1.0, Category::StrategicBet),
            ([6.9, 9.0, 5.0, 7.0], 1.0, Category::BackBurner),
            ([10.0, 1.0, 1.0, 1.0], 90.0, Category::QuickWin),
            ([10.0, 10.0, 1.0, 1.0], 0.0, Category::StrategicBet),
            ([4.0, 5.0, 1.0, 0.0], 20.0, Category::StrategicBet),
        ] {
            let feature = feature("F", numbers);
            assert!((roi(&feature) - expected).abs() < 0.06, "{numbers:?}: {}", roi(&feature));
            assert_eq!(Category::of(&feature), category, "{numbers:?}");
        }
    }

    #[test]
    fn only_files_of_the_tree_are_named() {
        let tree = Repository::new(&[("src/a.py", ""), ("src/b.py", "")]).tree();
        let mut feature = feature("F", [5.0; 4]);
        feature.existing_code = [
            "./src/b.py",
            "src/a.py",
            "src/a.py",
            "src",
            "/etc/passwd",
            "../x",
            "src/c.py\u{1b}[2J",
        ]
        .map(str::to_owned)
        .to_vec();
        let proposed = findings(&said(vec![feature]), &tree);
        assert_eq!(proposed.findings[0].affected_files, ["src/b.py", "src/a.py"]);
        assert_eq!(proposed.warnings.len(), 1);
        assert_eq!(proposed.warnings[0].code, "unknown_file");
        assert!(
            proposed.warnings[0].message.ends_with(": src, /etc/passwd, ../x, src/c.py"),
            "{}",
            proposed.warnings[0].message
        );
    }

    #[test]
    fn no_idea_is_no_finding() {
        assert_eq!(findings(&said(Vec::new()), &Repository::new(&[]).tree()), Proposals::default());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]

        /// For any answer: bounded texts, scores from 0 to 1, returns from 0 to 90 in descending order.
        #[test]
        fn findings_are_bounded(all in proptest::collection::vec(
            ("(\\PC|\n|\u{1b}\\[2J){0,40}", 1.0_f64..=10.0, 1.0_f64..=10.0, 1.0_f64..=10.0, 1.0_f64..=10.0, 0_usize..200),
            0..6,
        )) {
            let features: Vec<Feature> = all.into_iter().map(|(text, impact, effort, leverage, risk, times)| Feature {
                description: text.repeat(times),
                user_value: text.repeat(times),
                existing_code: vec![text.clone()],
                ..feature(&text.repeat(times), [impact, effort, leverage, risk])
            }).collect();
            let count = features.len();
            let proposed = findings(&said(features), &Tree::default());
            prop_assert_eq!(proposed.findings.len(), count);
            let mut last = 90.0;
            for each in &proposed.findings {
                prop_assert!(each.title.chars().count() <= 200 && each.description.chars().count() <= 3_002);
                prop_assert!((0.0..=1.0).contains(&each.actionability.clarity));
                let text = each.evidence[0].content.strip_prefix("roi ").unwrap().split(' ').next().unwrap();
                let roi: f64 = text.parse().unwrap();
                prop_assert!(roi <= last && (0.0..=90.0).contains(&roi));
                last = roi;
            }
        }
    }
}
