//! A server and the configuration it is started with.

use serde_json::Map;
use tokio::sync::watch;

use super::*;
use crate::config::tests::World;
use crate::mcp::answer::{Answer, Progress};
use crate::mcp::calls;

fn around(world: &World) -> Surroundings {
    Surroundings {
        dir: world.path("repo"),
        config: None,
        vars: world.vars.clone(),
        group: 0,
        groups: String::new(),
        nested: false,
        env: crate::env::Env::system(),
    }
}

fn call(server: &Server, tool: &str) -> Option<Answer> {
    let (progress, _) = watch::channel(Progress::default());
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(calls::call(server, tool, Map::new(), &progress))
}

#[test]
fn a_broken_configuration_refuses_every_call_until_it_is_mended() {
    let world = World::new();
    world.user(r#"{"mcp": {"budget": 1}}"#);
    let server = Server::new(around(&world), true);
    let Some(Answer::Refused(said)) = call(&server, "list_agents") else {
        panic!("it was not refused")
    };
    assert!(said.contains("unknown key `mcp.budget`"), "{said}");
    assert!(call(&server, "no_such_tool").is_none());

    world.user(r#"{"mcp": {"budget_usd": 0.5, "roots": ["/srv"]}}"#);
    assert!(matches!(call(&server, "list_agents"), Some(Answer::Result(_))));
    let account = server.runs().account();
    assert_eq!(account.most, Usd::from_micros(500_000));
}

#[test]
fn what_was_read_once_stands_until_the_server_is_started_again() {
    let world = World::new();
    world.user(r#"{"mcp": {"budget_usd": 0.5}}"#);
    let server = Server::new(around(&world), true);
    world.user(r#"{"mcp": {"budget_usd": 500, "allow_run_agent": true}}"#);
    assert!(call(&server, "list_agents").is_some());
    assert!(!server.settings().unwrap().allow_run_agent);
    assert_eq!(server.runs().account().most, Usd::from_micros(500_000));
}

#[test]
fn a_hostile_project_gives_itself_nothing() {
    let world = World::new();
    world.project(r#"{"mcp": {"roots": ["/"], "budget_usd": 1000000, "allow_run_agent": true}}"#);
    let server = Server::new(around(&world), true);
    assert_eq!(*server.settings().unwrap(), McpConfig::default());
    assert_eq!(server.runs().account().most, Usd::from_micros(10_000_000));
}
