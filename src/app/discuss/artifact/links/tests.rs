//! Links to files, on a scratch project.

use std::fs;
use std::os::unix::fs::symlink;

use super::*;
use crate::config::tests::World;

fn looked_up(world: &World, file: &str, text: &str) -> (Vec<String>, Option<Note>) {
    let artifact =
        Artifact { name: file.to_owned(), text: text.to_owned(), sha256: String::new(), bytes: 0 };
    let real = world.path("repo").join(file);
    let (places, note) = broken(&artifact, &real, &world.path("repo"));
    (places.into_iter().map(|place| place.text).collect(), note)
}

#[test]
fn files_that_are_there_are_found_from_the_artifacts_folder() {
    let world = World::new();
    for file in [
        "repo/docs/a.md",
        "repo/docs/b c.md",
        "repo/README.md",
        "repo/docs/%zz.md",
        "repo/docs/x?y",
    ] {
        world.write(file, "x");
    }
    fs::create_dir(world.path("repo/docs/folder")).unwrap();
    for (target, there) in [
        ("a.md", true),
        ("./a.md", true),
        ("../docs/a.md", true),
        ("../README.md", true),
        ("folder", true),
        ("folder/", true),
        ("b%20c.md", true),
        ("<b c.md>", true),
        ("%zz.md", true),
        ("a.md#part", true),
        ("a.md?raw=1#part", true),
        ("x%3Fy", true),
        ("#only-a-heading", true),
        ("?query", true),
        ("..", true),
        ("A2.md", false),
        ("../a.md", false),
        ("a.md/below", false),
        ("none/../none.md", false),
        ("a%00.md", false),
        ("x?y#z", false),
    ] {
        let text = format!("[x]({target})");
        let (broken, note) = looked_up(&world, "docs/start.md", &text);
        let expected = if there { vec![] } else { vec![text] };
        assert_eq!((broken, note), (expected, None));
    }
}

#[test]
fn nothing_outside_of_the_project_is_looked_at() {
    let world = World::new();
    world.write("outside/secret.md", "x");
    world.write("repo/in.md", "x");
    symlink(world.path("outside"), world.path("repo/way-out")).unwrap();
    // Whether they are there or not makes no difference.
    for target in [
        "../outside/secret.md",
        "../outside/none.md",
        "../../../../../../etc/passwd",
        "%2e%2e/outside/none.md",
        "/etc/none",
        "way-out/secret.md",
        "way-out/none.md",
        "way-out/../none.md/../in.md",
    ] {
        let (broken, _) = looked_up(&world, "a.md", &format!("[x]({target})"));
        assert_eq!(broken, Vec::<String>::new(), "{target}");
    }
    let artifact = Artifact {
        name: "b.md".to_owned(),
        text: "[x](none.md)".to_owned(),
        sha256: String::new(),
        bytes: 0,
    };
    let elsewhere = world.path("outside/b.md");
    assert_eq!(broken(&artifact, &elsewhere, &world.path("repo")), (vec![], None));
}

#[test]
fn only_markdown_has_links_and_what_was_taken_out_is_no_fault() {
    let world = World::new();
    assert_eq!(looked_up(&world, "a.rs", "[x](none.md)").0.len(), 0);
    assert_eq!(looked_up(&world, "a.md", "[x](keys/[redacted].md)").0.len(), 0);
    assert_eq!(looked_up(&world, "a.md", "`[x](none.md)`").0.len(), 0);
}

#[test]
fn so_many_links_are_looked_up_and_the_rest_is_said() {
    let world = World::new();
    let (broken, note) = looked_up(&world, "a.md", &"[x](none.md) ".repeat(500));
    assert_eq!((broken.len(), note), (500, None));
    let (broken, note) = looked_up(&world, "a.md", &"[x](none.md) ".repeat(501));
    assert_eq!(broken.len(), 500);
    assert_eq!(note.unwrap().code, "artifact_links_unchecked");
}
