//! Tests of skills: front matter, origins, links.

use std::os::unix::fs::symlink;

use super::*;
use crate::config::tests::World;

mod perspectives;

const GOOD: &str = "---\nname: mine\ndescription: \"Does: things\"\nlicense: MIT\n---\n\n# Do it\n";

fn one(world: &World, role: &str) -> Result<Skill, String> {
    load_one(&world.load().unwrap(), role).map_err(|error| error.to_string())
}

#[test]
fn every_built_in_skill_is_readable_and_named_as_its_role() {
    for (role, text) in BUILTIN {
        let skill = builtin(role, role).unwrap();
        assert_eq!((skill.name.as_str(), skill.text.as_str()), (*role, *text));
        assert_eq!(skill.needs_trust(), None);
    }
}

/// The form of the answer stands in the turn alone: a second description contradicts the first sooner or later.
#[test]
fn no_skill_has_a_marker() {
    for (role, text) in BUILTIN {
        assert!(!text.contains("<<<"), "{role}");
    }
}

#[test]
fn front_matter_is_flat_and_strict() {
    let read = |text: &str| {
        parse("r", text, Path::new("SKILL.md"), Origin::Path).map_err(|error| error.to_string())
    };
    let skill = read(GOOD).unwrap();
    assert_eq!((skill.name.as_str(), skill.description.as_str()), ("mine", "Does: things"));
    assert_eq!(skill.extra["license"], "MIT");
    assert_eq!(skill.prompt, "# Do it\n");
    assert_eq!(read(&GOOD.replace('\n', "\r\n")).unwrap().prompt, "# Do it\r\n");
    assert_eq!(read("---\nname: 'it''s'\ndescription: d\n---\nx").unwrap().name, "it's");
    for (text, message) in [
        ("", "SKILL.md:1: there is no prompt"),
        (" \n\n", "SKILL.md:1: there is no prompt"),
        (
            "\n---\nname: x\ndescription: y\n---\nx",
            "SKILL.md:1: front matter begins with a line of only `---`",
        ),
        ("---\nname: x\n", "SKILL.md:2: the front matter has no end"),
        ("---\nname: x\n---\nx", "SKILL.md:3: the front matter has no `description`"),
        ("---\nname: x\nname: y\n---\nx", "SKILL.md:3: `name` is given twice"),
        ("---\nname: x\ndescription: >\n  long\n---\nx", "SKILL.md:3: only flat"),
        ("---\nname: x\nmeta:\n  a: b\n---\nx", "SKILL.md:4: only flat"),
        ("---\nname: x\ndescription: \"y\n---\nx", "SKILL.md:3: the quotes of `description`"),
        ("---\nname: x\ndescription:\n---\nx", "SKILL.md:4: `description` must have"),
        ("---\nname: x\ndescription: y\n---\n \n", "SKILL.md:4: there is no prompt"),
    ] {
        let error = read(text).unwrap_err();
        assert!(error.starts_with(message), "{text:?}: {error}");
    }
}

#[test]
fn a_file_without_front_matter_is_all_prompt_and_named_by_its_folder() {
    let read = |text: &str, file: &str| parse("r", text, Path::new(file), Origin::Path).unwrap();
    let skill = read("\n# The critic (tech)\n\nLook.\n", "skills/critic/SKILL.md");
    assert_eq!(
        (&*skill.name, &*skill.description, &*skill.prompt),
        ("critic", "The critic (tech)", "# The critic (tech)\n\nLook.\n")
    );
    let note = skill.note.unwrap();
    assert!(
        note.starts_with("skills/critic/SKILL.md has no front matter: its folder's name"),
        "{note}"
    );
    let named = read("Look.", "prompts/mine.md");
    assert_eq!((&*named.name, &*named.description), ("mine", "Look."));
    let long = read(&"x".repeat(2_000), &format!("{}/SKILL.md", "n".repeat(80)));
    assert_eq!((long.name.len(), long.description.len()), (64, 1_024));
    assert_eq!(read(GOOD, "SKILL.md").note, None);
    // A byte order mark belongs to neither.
    let marked = read(&format!("\u{feff}{GOOD}"), "SKILL.md");
    assert_eq!((&*marked.name, &*marked.prompt), ("mine", "# Do it\n"));
    assert_eq!(marked.note, None);
    let marked = read("\u{feff}# The critic\n", "critic/SKILL.md");
    assert_eq!((&*marked.description, &*marked.prompt), ("The critic", "# The critic\n"));
}

#[test]
fn a_skill_where_claude_code_keeps_its_own_is_named_until_it_is_read() {
    let world = World::new();
    world.write("repo/.claude/skills/backlog-critic/SKILL.md", "Look.");
    let note = one(&world, "backlog-critic").unwrap().note.unwrap();
    assert!(note.starts_with(".claude/skills/backlog-critic/SKILL.md is not read"));
    assert_eq!(one(&world, "backlog-champion").unwrap().note, None);
    world.project(r#"{"paths": {"skills": ".claude/skills"}}"#);
    let skill = one(&world, "backlog-critic").unwrap();
    assert_eq!((skill.origin, &*skill.prompt), (Origin::Project, "Look."));
    assert!(skill.note.unwrap().contains("no front matter"));
    // Whoever has chosen another file knows about it.
    world.project("{}");
    world.write("repo/skills/backlog-critic/SKILL.md", GOOD);
    assert_eq!(one(&world, "backlog-critic").unwrap().note, None);
}

#[test]
fn the_projects_own_skill_takes_the_place_of_the_built_in_one() {
    let world = World::new();
    assert_eq!(one(&world, "backlog-critic").unwrap().origin, Origin::Builtin);
    world.write("repo/skills/backlog-critic/SKILL.md", GOOD);
    let skill = one(&world, "backlog-critic").unwrap();
    assert_eq!(skill.origin, Origin::Project);
    assert_eq!(
        skill.needs_trust(),
        Some(world.path("repo/skills/backlog-critic/SKILL.md").as_path())
    );
    assert_eq!(skill.sha256, sha256(GOOD.as_bytes()));
}

#[test]
fn a_path_is_relative_to_the_file_that_names_it() {
    let world = World::new();
    world.user(r#"{"roles": {"backlog-critic": {"skill": "./mine.md"}}}"#);
    world.write("home/.config/debate-agent/mine.md", GOOD);
    let skill = one(&world, "backlog-critic").unwrap();
    assert_eq!((skill.origin, skill.needs_trust()), (Origin::Path, None), "the user's own");
    world.user("{}").project(r#"{"roles": {"backlog-critic": {"skill": "prompts/mine.md"}}}"#);
    world.write("repo/prompts/mine.md", GOOD);
    assert!(one(&world, "backlog-critic").unwrap().needs_trust().is_some());
}

#[test]
fn nothing_within_the_project_is_read_through_a_link() {
    let world = World::new();
    world.write("outside/backlog-critic/SKILL.md", GOOD);
    symlink(world.path("outside"), world.path("repo/skills")).unwrap();
    assert!(one(&world, "backlog-critic").unwrap_err().contains("symbolic link"));
    fs::remove_file(world.path("repo/skills")).unwrap();
    fs::create_dir_all(world.path("repo/skills/backlog-critic")).unwrap();
    symlink(
        world.path("outside/backlog-critic/SKILL.md"),
        world.path("repo/skills/backlog-critic/SKILL.md"),
    )
    .unwrap();
    assert!(one(&world, "backlog-critic").unwrap_err().contains("symbolic link"));
}

#[test]
fn a_name_is_never_a_way_out_of_the_folder() {
    let world = World::new();
    world.write("repo/SKILL.md", GOOD);
    world.write("SKILL.md", GOOD);
    for name in ["..", ".", "a\\..\\..", ""] {
        assert!(load_one(&world.load().unwrap(), name).is_err(), "{name}");
    }
    let error = load_one(&world.load().unwrap(), "backlog-critik").unwrap_err();
    assert_eq!(
        error.to_string(),
        "no skill for the role `backlog-critik`; did you mean `backlog-critic`?"
    );
}
