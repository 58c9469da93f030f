//! Tests of the table's consistency.

use std::collections::BTreeSet;

use super::*;
use crate::config::key::KeyPath;
use crate::config::setting;
use crate::contract::exact::Exact;
use crate::contract::field::{Fallback, Kind, Spec};

#[test]
fn every_tool_of_the_specification_is_there_once() {
    let names: Vec<&str> = TOOLS.iter().map(|tool| tool.name).collect();
    assert_eq!(
        names,
        [
            "list_agents",
            "read_diff",
            "run_agent",
            "debate_review",
            "debate_plan",
            "debate_360",
            "debate_topic",
            "prioritize_backlog",
            "discuss_artifact",
            "session_status",
            "session_result",
            "session_resume",
            "session_cancel",
        ]
    );
    for listed in TOOLS {
        let found = tool(listed.name).map(|found| found.title);
        assert_eq!(found, Some(listed.title));
    }
    assert!(tool("debate").is_none());
}

#[test]
fn no_two_spellings_of_a_tool_are_the_same() {
    for tool in TOOLS {
        let names: Vec<&str> = tool.input.item.fields.iter().flat_map(Spec::keys).collect();
        let different: BTreeSet<&str> = names.iter().copied().collect();
        assert_eq!(different.len(), names.len(), "{}", tool.name);
    }
}

/// A tool that asks agents for a session can be waited for; no other can, except the one for a session's result.
#[test]
fn a_tool_waits_if_it_has_a_run_to_wait_for() {
    for tool in TOOLS {
        let waits = tool.input.item.fields.iter().any(|spec| spec.key == "wait_seconds");
        let runs = tool.output == Output::Session && tool.effect == Effect::Asks;
        assert_eq!(waits, runs || tool.name == "session_result", "{}", tool.name);
    }
}

/// A default that the check refuses would be a trap.
#[test]
fn every_default_is_allowed() {
    for spec in TOOLS.iter().flat_map(|tool| tool.input.item.fields) {
        match (exact(spec), spec.usual) {
            (_, Fallback::None) | (Exact::Flag, Fallback::Flag(_)) => {}
            (Exact::Whole { least, most }, Fallback::Whole(usual)) => {
                assert!((least..=most).contains(&usual), "{spec:?}");
            }
            (Exact::Word(words), Fallback::Word(usual)) => {
                assert!(words().contains(&usual), "{spec:?}");
            }
            _ => panic!("{spec:?}"),
        }
    }
}

/// Every argument can be given, and one that is not given has a default or is absent.
#[test]
fn every_argument_is_exact_and_says_what_it_means() {
    for spec in TOOLS.iter().flat_map(|tool| tool.input.item.fields) {
        assert!(!spec.about.is_empty(), "{spec:?}");
        match exact(spec) {
            Exact::Whole { least, most } => assert!(least <= most, "{spec:?}"),
            Exact::Names { least, most, .. } => assert!(1 <= least && least <= most, "{spec:?}"),
            Exact::Flag => assert!(spec.usual != Fallback::None, "{spec:?}"),
            Exact::Text { .. }
            | Exact::Path
            | Exact::Start { .. }
            | Exact::Word(_)
            | Exact::Objects { .. } => {}
        }
    }
}

fn exact(spec: &Spec) -> Exact {
    let Kind::Exact(exact) = spec.kind else { panic!("{spec:?}") };
    exact
}

/// A field that sets a configuration value has the bounds of that setting; a confidence is asked for from 50 up.
#[test]
fn numbers_have_the_bounds_of_the_settings_that_they_set() {
    let bounds = |key: &str| setting::bounds(&KeyPath::of(key.split('.'))).unwrap();
    for (name, key, settings) in [
        ("debate_360", "max_rounds", &["review.max_rounds", "plan.max_rounds"][..]),
        (
            "debate_topic",
            "max_rounds",
            &["topic.max_rounds", "argument.max_rounds", "panel.max_rounds"][..],
        ),
        ("debate_360", "confidence_threshold", &["review.confidence", "plan.confidence"][..]),
    ] {
        let spec = tool(name).unwrap().input.item.fields.iter().find(|spec| spec.key == key);
        let Kind::Exact(Exact::Whole { least, most }) = spec.unwrap().kind else {
            panic!("{name}: {key}")
        };
        let least_of_all = settings.iter().map(|key| bounds(key).0).fold(f64::MAX, f64::min);
        let most_of_all = settings.iter().map(|key| bounds(key).1).fold(0.0, f64::max);
        let least_of_all = if key == "confidence_threshold" { 50.0 } else { least_of_all };
        assert_eq!(
            (f64::from(least), f64::from(most)),
            (least_of_all, most_of_all),
            "{name}: {key}"
        );
    }
}
