//! The table holds together.

use std::collections::BTreeSet;

use super::*;
use crate::mcp::tool::Kind;

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
        let names = tool.fields.iter().flat_map(|field| [Some(field.name), field.alias]);
        let names: Vec<&str> = names.flatten().collect();
        let different: BTreeSet<&str> = names.iter().copied().collect();
        assert_eq!(different.len(), names.len(), "{}", tool.name);
    }
}

/// What asks agents for a session can be waited for; nothing else can, but the result of one.
#[test]
fn a_tool_waits_if_it_has_a_run_to_wait_for() {
    for tool in TOOLS {
        let waits = tool.fields.iter().any(|field| field.name == "wait_seconds");
        let runs = tool.output == Output::Session && tool.effect == Effect::Asks;
        assert_eq!(waits, runs || tool.name == "session_result", "{}", tool.name);
    }
}

/// A default that the check would refuse would be a trap.
#[test]
fn every_default_is_allowed() {
    for field in TOOLS.iter().flat_map(|tool| tool.fields) {
        match field.kind {
            Kind::Whole { least, most, default } => {
                assert!(least <= most);
                assert!(default.is_none_or(|default| (least..=most).contains(&default)));
            }
            Kind::Choice { of, default } => {
                assert!(default.is_none_or(|default| of.contains(&default)));
            }
            Kind::Names { least, most, .. } => assert!(1 <= least && least <= most),
            Kind::Text { .. }
            | Kind::Flag { .. }
            | Kind::Path
            | Kind::Session
            | Kind::Objects { .. } => {}
        }
    }
}
