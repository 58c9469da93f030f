//! Folders on a scratch project: what is read, what is left out and why.

use std::fs::{self, File};
use std::os::unix::fs::symlink;

use super::*;
use crate::app::workspace::Surroundings;
use crate::config::tests::World;

fn expanded(world: &World, given: &[&str]) -> Result<Expanded, Error> {
    let around = Surroundings {
        dir: world.path("repo"),
        config: None,
        vars: world.vars.clone(),
        group: 0,
        groups: String::new(),
        nested: false,
        env: crate::env::Env::system(),
    };
    let workspace = Workspace::open(around, Vec::new()).unwrap();
    let given: Vec<PathBuf> = given.iter().map(PathBuf::from).collect();
    expand(&workspace, &given)
}

fn files(expanded: &Expanded) -> Vec<String> {
    (expanded.files.iter()).map(|path| path.display().to_string()).collect()
}

fn left_out(expanded: &Expanded) -> Vec<(&str, &str)> {
    (expanded.left_out.iter()).map(|left| (&*left.path, left.code)).collect()
}

fn refused(world: &World, given: &[&str]) -> (i32, &'static str, String) {
    let error = expanded(world, given).unwrap_err();
    assert_eq!(error.hints.len(), 1, "{error}");
    (i32::from(error.status().code()), error.code, error.what)
}

#[test]
fn a_folder_becomes_its_texts_sorted_by_path() {
    let world = World::new();
    for file in ["b.md", "a/z.md", "a.md", "a/b/c.txt", "main.rs", "LICENSE"] {
        world.write(&format!("repo/docs/{file}"), "text");
    }
    let found = expanded(&world, &["docs"]).unwrap();
    // Folder by folder, as paths are compared: `a/` before `a.md`.
    assert_eq!(
        files(&found),
        ["docs/LICENSE", "docs/a/b/c.txt", "docs/a/z.md", "docs/a.md", "docs/b.md", "docs/main.rs"]
    );
    assert_eq!(found.left_out, []);
    // However it was named.
    for (given, first) in [("docs/", "docs/LICENSE"), ("./docs", "./docs/LICENSE")] {
        assert_eq!(files(&expanded(&world, &[given]).unwrap())[0], first);
    }
    symlink("docs", world.path("repo/alias")).unwrap();
    assert_eq!(files(&expanded(&world, &["alias"]).unwrap())[0], "alias/LICENSE");
    let whole = expanded(&world, &["."]).unwrap();
    assert_eq!((&*files(&whole)[0], whole.files.len()), ("docs/LICENSE", 6));
}

#[test]
fn hidden_and_ignored_files_and_what_this_program_wrote_are_no_artifacts() {
    let world = World::new();
    world.project(r#"{"paths": {"debate": "state/debate"}}"#);
    for file in [
        ".hidden.md",
        ".debate/discuss/discussions/A-discussion.md",
        "state/debate/x/report.md",
        "build/out.md",
        "docs/draft.md",
        "docs/discussions/A-discussion.md",
        "docs/discussions/A-discussion.json",
        "docs/discussions/notes.md",
        "docs/a-discussion.md",
    ] {
        world.write(&format!("repo/{file}"), "text");
    }
    world.write("repo/.gitignore", "build/\n");
    world.write("repo/docs/.gitignore", "draft*\n");
    let found = expanded(&world, &["."]).unwrap();
    assert_eq!(
        files(&found),
        ["debate-agent.config.json", "docs/a-discussion.md", "docs/discussions/notes.md"]
    );
    assert_eq!(
        left_out(&found),
        [
            ("docs/discussions/A-discussion.json", "own"),
            ("docs/discussions/A-discussion.md", "own"),
        ]
    );
    // Named, any of them is read.
    for named in [".hidden.md", "docs/draft.md", "docs/discussions/A-discussion.md"] {
        assert_eq!(files(&expanded(&world, &[named]).unwrap()), [named]);
    }
}

#[test]
fn what_cannot_be_read_in_a_folder_is_left_out_with_its_reason() {
    let world = World::new();
    world.write("repo/docs/good.md", "text");
    world.write("repo/docs/empty.md", " \n");
    world.write("repo/docs/server.pem", "x");
    fs::write(world.path("repo/docs/logo.png"), b"\x89PNG\0").unwrap();
    fs::write(world.path("repo/docs/latin.md"), b"caf\xe9").unwrap();
    let huge = File::create(world.path("repo/docs/huge.md")).unwrap();
    huge.set_len(52_428_800).unwrap();
    let key = format!("-----BEGIN PRIVATE KEY-----\n{}\n", "MIIEpAIBAAKCAQEA".repeat(4));
    world.write("repo/docs/key.txt", &key);
    world.write("elsewhere/x.md", "x");
    symlink(world.path("elsewhere"), world.path("repo/docs/away")).unwrap();
    symlink("good.md", world.path("repo/docs/link.md")).unwrap();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        world.path("repo/docs/pipe"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR,
        0,
    )
    .unwrap();
    let found = expanded(&world, &["docs"]).unwrap();
    assert_eq!(files(&found), ["docs/good.md"]);
    assert_eq!(
        left_out(&found),
        [
            ("docs/away", "not_a_file"),
            ("docs/empty.md", "empty"),
            ("docs/huge.md", "too_large"),
            ("docs/key.txt", "secret"),
            ("docs/latin.md", "binary"),
            ("docs/link.md", "not_a_file"),
            ("docs/logo.png", "binary"),
            ("docs/pipe", "not_a_file"),
            ("docs/server.pem", "secret"),
        ]
    );
    assert_eq!(found.left_out[2].why, "it has 52428800 bytes and may have 921600");
    // Named, each is left to whoever reads it, and is an error there.
    assert_eq!(files(&expanded(&world, &["docs/logo.png"]).unwrap()), ["docs/logo.png"]);
}

#[test]
fn what_is_named_stays_in_the_order_given_and_is_read_once() {
    let world = World::new();
    world.write("repo/docs/a.md", "x");
    world.write("repo/docs/b.md", "x");
    symlink("docs/a.md", world.path("repo/link.md")).unwrap();
    let found = expanded(
        &world,
        &["none.md", "docs/b.md", "-", "docs", "docs/../docs/b.md", "link.md", "-", "none.md"],
    )
    .unwrap();
    assert_eq!(files(&found), ["none.md", "docs/b.md", "-", "docs/a.md"]);
    assert_eq!(
        left_out(&found),
        [
            ("docs/b.md", "named_twice"),
            ("docs/../docs/b.md", "named_twice"),
            ("link.md", "named_twice"),
            ("standard input", "named_twice"),
            ("none.md", "named_twice"),
        ]
    );
    let again = expanded(&world, &["docs", "docs"]).unwrap();
    assert_eq!((again.files.len(), again.left_out.len()), (2, 2));
}

#[test]
fn a_folder_with_nothing_to_read_is_an_error_that_says_what_it_has() {
    let world = World::new();
    fs::create_dir_all(world.path("repo/empty/below")).unwrap();
    assert_eq!(
        refused(&world, &["empty"]),
        (
            2,
            "artifact_folder_empty",
            "the folder empty holds nothing to read: no files that are not hidden or ignored"
                .to_owned()
        )
    );
    world.write("repo/docs/a.md", "");
    world.write("repo/docs/b.md", "");
    fs::write(world.path("repo/docs/c.png"), b"\0").unwrap();
    world.write("repo/good.md", "x");
    // What was left out of another folder is not counted here.
    world.write("repo/other/a.md", "");
    world.write("repo/other/b.md", "x");
    assert_eq!(
        refused(&world, &["good.md", "other", "docs"]),
        (
            2,
            "artifact_folder_empty",
            "the folder docs holds nothing to read: 1 binary, 2 empty".to_owned()
        )
    );
}

#[test]
fn there_are_fifty_artifacts_at_most() {
    let world = World::new();
    for n in 0..50 {
        world.write(&format!("repo/docs/{n:02}.md"), "x");
    }
    assert_eq!(expanded(&world, &["docs"]).unwrap().files.len(), 50);
    // A picture is none of them, also behind the fiftieth.
    world.write("repo/docs/98.md", "x");
    fs::write(world.path("repo/docs/99.png"), b"\0").unwrap();
    let (status, code, what) = refused(&world, &["docs", "docs/00.md", "-"]);
    assert_eq!((status, code), (2, "too_many_artifacts"));
    assert_eq!(what, "52 artifacts are named, 50 are possible at once");
}

#[test]
fn a_folder_that_is_no_folder_of_documents_is_refused() {
    let world = World::new();
    fs::create_dir(world.path("repo/many")).unwrap();
    for n in 0..MAX_ENTRIES {
        fs::create_dir(world.path("repo/many").join(n.to_string())).unwrap();
    }
    let (status, code, what) = refused(&world, &["many"]);
    assert_eq!((status, code), (2, "too_many_artifacts"));
    assert_eq!(what, "the folder many holds 5000 files and folders or more");
}

#[test]
fn the_list_of_what_is_left_out_is_bounded_and_says_so() {
    let world = World::new();
    world.write("repo/docs/good.md", "x");
    for n in 0..203 {
        world.write(&format!("repo/docs/{n:03}.md"), "");
    }
    let found = expanded(&world, &["docs"]).unwrap();
    assert_eq!(found.left_out.len(), 201);
    assert_eq!(left_out(&found)[200], ("3 more", "more"));
}
