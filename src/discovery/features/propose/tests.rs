//! Returns, categories, files and the order of what is proposed.

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
fn findings_have_the_best_return_first_and_show_how_it_comes_about() {
    let said = said(vec![
        feature("Small", [3.0, 5.0, 2.0, 3.0]),
        feature("Large", [8.0, 7.5, 12.0, 2.0]),
        feature("Best", [8.0, 3.0, 9.0, 2.0]),
        feature("As small", [3.0, 5.0, 2.0, 3.0]),
    ]);
    let proposed = findings(&said, &Repository::new(&[]).tree());
    let titles: Vec<&str> = proposed.findings.iter().map(|each| &*each.title).collect();
    assert_eq!(titles, ["Best", "Large", "Small", "As small"]);
    let best = &proposed.findings[0];
    assert_eq!(best.evidence.len(), 1);
    assert_eq!(best.evidence[0].source, "feature_analysis");
    assert_eq!(
        best.evidence[0].content,
        "roi 28.0 = impact 8 * (10 - effort 3) / risk 2; leverage 9; quick win"
    );
    assert_eq!(best.description, "Build it.\n\nIt helps.");
    assert_eq!((best.rule, &best.file, &best.symbol), (Rule::Feature, &None, &None));
    let scores: Vec<_> = proposed
        .findings
        .iter()
        .map(|each| (each.actionability.clarity, each.actionability.effort))
        .collect();
    assert_eq!(
        scores,
        [(0.9, Effort::Small), (1.0, Effort::Large), (0.2, Effort::Medium), (0.2, Effort::Medium)]
    );
    for each in &proposed.findings {
        assert!((each.actionability.evidence - 0.7).abs() < 1e-9);
        assert_eq!(each.actionability.reversibility, Reversibility::Full);
    }
}

#[test]
fn only_files_of_the_tree_are_named() {
    let tree = Repository::new(&[("src/a.py", ""), ("src/b.py", "")]).tree();
    let mut feature = feature("F", [5.0; 4]);
    feature.existing_code =
        ["./src/b.py", "src/a.py", "src/a.py", "src", "/etc/passwd", "../x", "src/c.py\u{1b}[2J"]
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
    assert_eq!(findings(&said(Vec::new()), &Repository::new(&[]).tree()), Proposed::default());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    /// Whatever an answer says: bounded texts, scores from 0 to 1, returns from 0 to 90 in falling order.
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
