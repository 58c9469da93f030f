//! Tests of `init` on scratch repositories.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use super::*;
use crate::agent::roster::trusted_groups;
use crate::config::load::load;
use crate::config::tests::World;
use crate::config::trust::Use;

fn request(world: &World, existing: Existing) -> Init {
    fs::create_dir_all(world.path("bin")).unwrap();
    Init {
        dir: world.path("repo"),
        vars: world.vars.clone(),
        machine: machine(world),
        existing,
        dry_run: false,
        at: DateTime::UNIX_EPOCH,
    }
}

fn machine(world: &World) -> Machine {
    Machine {
        path: world.path("bin").display().to_string(),
        workspace: world.path("repo"),
        home: world.path("home"),
        trusted_groups: trusted_groups(rustix::process::getgid().as_raw(), ""),
    }
}

fn program(world: &World, name: &str) {
    world.write(name, "#!/bin/sh\n");
    fs::set_permissions(world.path(name), fs::Permissions::from_mode(0o755)).unwrap();
}

fn roles(world: &World) -> [String; 3] {
    let config = world.load().unwrap().config;
    ["champion", "critic", "moderator"]
        .map(|role| config.roles[&format!("backlog-{role}")].agent.clone().unwrap())
}

/// Who reviews and plans.
fn default_agents(world: &World) -> Vec<String> {
    world.load().unwrap().config.debate.default_agents
}

fn participants(world: &World) -> Vec<String> {
    world.load().unwrap().config.topic.participants
}

#[test]
fn the_clis_that_are_found_play_the_roles_and_the_project_is_trusted() {
    let world = World::new();
    program(&world, "bin/claude");
    program(&world, "bin/gemini");
    let done = init(&request(&world, Existing::Keep)).unwrap();
    let found: Vec<&str> = done.found.iter().map(|cli| cli.agent.as_str()).collect();
    assert_eq!(found, ["claude", "gemini"]);
    assert_eq!(done.missing[0].agent, "codex");
    assert!(done.missing[0].install.contains("npm install"));
    assert_eq!(roles(&world), ["claude", "gemini", "claude"]);
    assert_eq!(default_agents(&world), ["gemini", "claude"]);
    assert!(done.skills.is_empty() && !world.path("repo/skills").exists());
    assert_eq!(participants(&world), ["claude", "gemini"]);
    assert!(done.warnings.is_empty());
    assert_eq!(world.check(), Ok(()));
}

#[test]
fn the_files_go_to_the_root_of_the_repository() {
    let world = World::new();
    let mut below = request(&world, Existing::Keep);
    below.dir = world.path("repo/a/b");
    fs::create_dir_all(&below.dir).unwrap();
    let done = init(&below).unwrap();
    assert_eq!(done.config, world.path("repo/debate-agent.config.json"));
    assert!(!world.path("repo/a/b/debate-agent.config.json").exists());
}

#[test]
fn a_cli_that_only_a_shell_alias_reaches_is_found_and_trusted() {
    let world = World::new();
    program(&world, "home/.claude/local/claude");
    let done = init(&request(&world, Existing::Keep)).unwrap();
    let path = world.path("home/.claude/local/claude");
    assert_eq!(done.found[0].path, path.display().to_string());
    assert_eq!(done.trusted, [world.path("repo/debate-agent.config.json")]);
    assert_eq!(done.warnings[0].code, "one_vendor");
    assert_eq!(roles(&world), ["claude", "codex", "claude"]);
    assert_eq!(world.check_as(&world.request(), Use::Agents), Ok(()));
}

#[test]
fn without_any_cli_the_defaults_are_written_with_a_warning() {
    let world = World::new();
    let done = init(&request(&world, Existing::Keep)).unwrap();
    assert_eq!((done.found.len(), done.missing.len()), (0, 3));
    assert_eq!(done.warnings[0].code, "no_cli");
    assert_eq!(roles(&world), ["claude", "codex", "claude"]);
    assert_eq!(default_agents(&world), ["codex", "claude"]);
    assert_eq!(participants(&world), ["claude", "codex"]);
    assert!(load(&world.request()).is_ok());
}

#[test]
fn a_configuration_is_replaced_by_force_alone() {
    let world = World::new();
    let file = world.path("repo/debate-agent.config.json");
    world.project("mine");
    let error = init(&request(&world, Existing::Keep)).unwrap_err();
    assert!(error.to_string().contains("exists; nothing was written"), "{error}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
    let done = init(&request(&world, Existing::Replace)).unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), done.text);
}

#[test]
fn a_dry_run_shows_what_would_be_written_and_writes_nothing() {
    let world = World::new();
    program(&world, "bin/claude");
    let dry = init(&Init { dry_run: true, ..request(&world, Existing::Keep) });
    let dry = dry.unwrap();
    assert!(!dry.config.exists() && dry.trusted.is_empty());
    let done = init(&request(&world, Existing::Keep)).unwrap();
    assert_eq!(done.text, dry.text);
    assert_eq!(fs::read_to_string(done.config).unwrap(), dry.text);
}

#[test]
fn skills_that_lie_there_are_not_trusted_with_it() {
    let world = World::new();
    let skill = "repo/skills/backlog-critic/SKILL.md";
    world.write(skill, "---\nname: backlog-critic\ndescription: Mine.\n---\nAgree.\n");
    let done = init(&request(&world, Existing::Keep)).unwrap();
    let note = done.warnings.iter().find(|note| note.code == "untrusted");
    assert!(note.is_some_and(|note| note.message.contains("SKILL.md")));
    assert!(done.trusted.iter().all(|path| !path.ends_with("SKILL.md")));
}

#[test]
fn nothing_is_written_through_a_link() {
    let world = World::new();
    world.write("outside", "mine");
    symlink(world.path("outside"), world.path("repo/debate-agent.config.json")).unwrap();
    assert!(init(&request(&world, Existing::Keep)).is_err());
    init(&request(&world, Existing::Replace)).unwrap();
    assert_eq!(fs::read_to_string(world.path("outside")).unwrap(), "mine");
}

#[test]
fn clis_with_a_built_in_profile_are_found_and_take_part_in_nothing() {
    let world = World::new();
    for name in ["claude", "codex", "qwen", "opencode"] {
        program(&world, &format!("bin/{name}"));
    }
    let done = init(&request(&world, Existing::Keep)).unwrap();
    let found: Vec<&str> = done.found.iter().map(|cli| cli.agent.as_str()).collect();
    assert_eq!(found, ["claude", "codex", "opencode", "qwen"]);
    assert_eq!(done.missing.len(), 1, "gemini alone is missed");
    assert!(!done.text.contains("qwen"));
    assert_eq!(participants(&world), ["claude", "codex"]);
}
