//! Artifacts and contexts in a scratch project: each reason for refusal, and each note.

use std::io;
use std::os::unix::fs::symlink;

use super::*;
use crate::app::run::workspace::StartContext;
use crate::config::tests::World;

fn workspace(world: &World) -> Workspace {
    let mut vars = world.vars.clone();
    vars.insert("DEPLOY_TOKEN".to_owned(), "hunter2-hunter2".to_owned());
    let around = StartContext::of(world.path("repo"), vars, crate::env::Env::system());
    Workspace::open(around, Vec::new()).unwrap()
}

fn take(world: &World, path: &str) -> Result<ArtifactInput, Error> {
    let below = None;
    read(&workspace(world), Path::new(path), below, &mut io::empty())
}

fn of_context(world: &World, path: &str) -> Result<(Artifact, Vec<Note>), Error> {
    context(&workspace(world), Path::new(path), None, None)
}

/// Returns the error's name and its sentence; asserts an input error with exactly one hint.
fn refused<T>(result: Result<T, Error>) -> (&'static str, String) {
    let Err(error) = result else { panic!("it was taken") };
    assert_eq!(error.status().code(), 2, "{error}");
    let text = error.text(false);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 2, "{text}");
    assert!(lines[1].starts_with("hint: "), "{text}");
    (error.code, lines[0]["error: ".len()..].to_owned())
}

fn codes(notes: &[Note]) -> Vec<&str> {
    notes.iter().map(|note| &*note.code).collect()
}

#[test]
fn a_preset_does_not_lead_out_of_its_folder() {
    let world = World::new();
    world.write("repo/spec/a.md", "x");
    world.write("elsewhere/b.md", "x");
    symlink(world.path("elsewhere/b.md"), world.path("repo/spec/b.md")).unwrap();
    let workspace = workspace(&world);
    let root = world.path("repo");
    let within = |path: &str| read(&workspace, Path::new(path), Some(&root), &mut io::empty());
    assert!(within("spec/a.md").is_ok());
    for path in ["spec/b.md", "../elsewhere/b.md"] {
        let (code, what) = refused(within(path));
        assert_eq!(code, "artifact_outside");
        let out = format!("the artifact {path} is a link, or leads out of {}", root.display());
        assert_eq!(what, out);
    }
    // Named by the user it is refused too, with its target, which can be named instead.
    let (code, what) = refused(take(&world, "spec/b.md"));
    assert_eq!(code, "artifact_outside");
    assert!(what.contains("leads out of the project"), "{what}");
    assert!(take(&world, "../elsewhere/b.md").is_ok());
    let context = context(&workspace, Path::new("spec/b.md"), Some(&root), None);
    assert_eq!(refused(context).0, "context_outside");
}

#[test]
fn secrets_and_byte_order_marks_are_taken_out_and_that_is_noted() {
    let world = World::new();
    world.write("repo/a.md", "\u{feff}# A\nthe token is hunter2-hunter2, ok\n");
    let taken = take(&world, "a.md").unwrap();
    assert_eq!(taken.artifact.text, "# A\nthe token is [redacted], ok\n");
    assert_eq!(codes(&taken.notes), ["artifact_byte_order_mark", "artifact_redacted"]);
    // The size of the file, not of the text shown.
    assert_eq!(taken.artifact.bytes, 40);
    assert_eq!(
        taken.artifact.sha256,
        "a3d910193b0fdcf91dfed1a984d37103dc42d2799a91b87901dc04c5d2988faa"
    );
    world.write("repo/c.json", "\u{feff}{\"a\": \"hunter2-hunter2\"}");
    let (context, notes) = of_context(&world, "c.json").unwrap();
    assert_eq!(context.text, "{\"a\": \"[redacted]\"}");
    assert_eq!(codes(&notes), ["context_byte_order_mark", "context_redacted"]);
}
