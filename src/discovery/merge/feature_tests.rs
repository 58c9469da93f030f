//! Features are recognised by their wording, which a model chooses anew every time.

use super::tests::{finding, run, step, stored};
use super::*;
use crate::discovery::finding::Rule;

#[test]
fn a_feature_in_other_words_is_the_stored_one() {
    let propose = |title: &str| {
        vec![run(AgentName::FeatureOpportunities, vec![finding(Rule::Feature, "", "", title)])]
    };
    let mut store = stored(&propose("Export the backlog as a spreadsheet file"));
    let id = store[0].opportunity_id.clone();
    assert_eq!(
        id::of(&finding(Rule::Feature, "x", "y", "EXPORT the backlog, as a spreadsheet file!")),
        id
    );
    store[0].status = OpportunityStatus::Rejected;
    let merged = step(&mut store, &propose("Exporting backlog to a spreadsheet file"), 60);
    assert_eq!(store.len(), 1);
    assert_eq!(merged.suppressed[0].of, id);
    assert_eq!(store[0].title, "Export the backlog as a spreadsheet file", "its words are kept");
    step(&mut store, &propose("Notify a channel when a debate ends"), 90);
    assert_eq!(store.len(), 2);
}

#[test]
fn a_new_feature_takes_nothing_from_the_stored_one_tomorrow() {
    let propose = |titles: &[(&str, &str)]| {
        let findings = (titles.iter())
            .map(|(symbol, title)| finding(Rule::Feature, "", symbol, title))
            .collect();
        vec![run(AgentName::FeatureOpportunities, findings)]
    };
    let mut store = stored(&propose(&[("", "slow parser lexer")]));
    let id = store[0].opportunity_id.clone();
    // The first is the stored one in other words, but even more similar to the second, which is
    // new.
    let again =
        propose(&[("", "slow parser lexer export input"), ("f", "slow parser export input")]);
    let first = step(&mut store, &again, 60);
    assert_eq!(store.len(), 2);
    let second = step(&mut store, &again, 120);
    assert_eq!(second.kept, first.kept);
    assert!(second.kept.contains(&id));
    assert_eq!(second.resolved, Vec::<String>::new());
}
