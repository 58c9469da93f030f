//! Tests of the table's consistency.

use serde_json::{Map, Value};

use super::*;
use crate::config::key::KeyPath;
use crate::config::setting;
use crate::mcp::tool::Effect;

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

/// A tool that asks agents for a session can be waited for; no other can, except the one for a session's result.
#[test]
fn a_tool_waits_if_it_has_a_run_to_wait_for() {
    for tool in TOOLS {
        let waits = properties(tool).contains_key("wait_seconds");
        let runs = tool.effect == Effect::Asks && tool.name != "run_agent";
        assert_eq!(waits, runs || tool.name == "session_result", "{}", tool.name);
    }
}

#[test]
fn every_argument_says_what_it_means_and_every_number_has_bounds() {
    for tool in TOOLS {
        for (name, argument) in properties(tool) {
            let said = argument["description"].as_str();
            assert!(said.is_some_and(|said| !said.is_empty()), "{} {name}", tool.name);
            let bounded = ["minimum", "maximum"].iter().all(|word| argument[word].is_u64());
            assert!(bounded || argument["type"] != "integer", "{} {name}", tool.name);
        }
    }
}

fn properties(tool: &Tool) -> Map<String, Value> {
    tool.input_schema()["properties"].as_object().unwrap().clone()
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
        let argument = &properties(tool(name).unwrap())[key];
        let bound = |word: &str| argument[word].as_f64().unwrap();
        let least_of_all = settings.iter().map(|key| bounds(key).0).fold(f64::MAX, f64::min);
        let most_of_all = settings.iter().map(|key| bounds(key).1).fold(0.0, f64::max);
        let least_of_all = if key == "confidence_threshold" { 50.0 } else { least_of_all };
        assert_eq!(
            (bound("minimum"), bound("maximum")),
            (least_of_all, most_of_all),
            "{name}: {key}"
        );
    }
}
