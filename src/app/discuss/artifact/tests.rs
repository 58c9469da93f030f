//! Artifacts and contexts in a scratch project: each reason for refusal, and each note.

use std::fs::{self, File};
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

fn piped(world: &World, bytes: &[u8]) -> Result<ArtifactInput, Error> {
    read(&workspace(world), Path::new("-"), None, &mut &*bytes)
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
fn an_artifact_is_taken_as_it_stands() {
    let world = World::new();
    world.write("repo/spec/brief.md", "# A\r\n\r\nb\r\n");
    let taken = take(&world, "spec/brief.md").unwrap();
    assert_eq!(taken.artifact.name, "spec/brief.md");
    assert_eq!(taken.artifact.text, "# A\r\n\r\nb\r\n");
    assert_eq!(taken.artifact.bytes, 10);
    // `printf '# A\r\n\r\nb\r\n' | sha256sum`
    assert_eq!(
        taken.artifact.sha256,
        "bb99560c80a0a1d0c6623a9f9fb4580ed00bea278afe25b852abd7358f765b16"
    );
    assert_eq!((taken.broken_links, taken.notes), (vec![], vec![]));
    let absolute = world.path("repo/spec/brief.md").display().to_string();
    assert_eq!(take(&world, &absolute).unwrap().artifact.name, absolute);
}

/// An input that fails.
struct Broken;

impl Read for Broken {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(io::Error::other("the wire is cut"))
    }
}

#[test]
fn standard_input_is_an_artifact_like_any_other() {
    let world = World::new();
    let taken = piped(&world, b"# A [x](none.md)\n").unwrap();
    assert_eq!(taken.artifact.name, "standard input");
    assert_eq!(taken.broken_links, [], "from which folder?");
    for (bytes, code) in [
        (&b""[..], "artifact_empty"),
        (b" \r\n", "artifact_empty"),
        (b"\x89PNG\0", "artifact_binary"),
        (b"caf\xe9", "artifact_binary"),
    ] {
        assert_eq!(refused(piped(&world, bytes)).0, code);
    }
    let workspace = workspace(&world);
    // An input that never ends.
    let endless = read(&workspace, Path::new("-"), None, &mut io::repeat(b'x'));
    assert_eq!(
        refused(endless),
        (
            "artifact_too_large",
            "the artifact standard input has more than 921600 bytes, over the limit of 921600 (900 KiB)"
                .to_owned()
        )
    );
    let (code, what) = refused(read(&workspace, Path::new("-"), None, &mut Broken));
    assert_eq!(code, "artifact_unreadable");
    assert!(what.ends_with("standard input: the wire is cut"), "{what}");
}

#[test]
fn what_cannot_be_criticised_is_refused_with_its_name_and_reason() {
    let world = World::new();
    fs::create_dir(world.path("repo/folder")).unwrap();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        world.path("repo/pipe"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR,
        0,
    )
    .unwrap();
    fs::write(world.path("repo/logo.png"), b"\x89PNG\r\n\x1a\n\0\0").unwrap();
    fs::write(world.path("repo/nul.md"), b"# A\0").unwrap();
    fs::write(world.path("repo/latin.md"), b"caf\xe9 au lait").unwrap();
    fs::write(world.path("repo/utf16.md"), b"\xff\xfe#\0").unwrap();
    let key = format!(
        "-----BEGIN RSA PRIVATE KEY-----\n{}\n-----END RSA PRIVATE KEY-----\n",
        "MIIEpAIBAAKCAQEA".repeat(4)
    );
    for (file, text) in [
        ("empty.md", ""),
        ("blank.md", " \n\t\u{feff}\n"),
        (".env", "A=b"),
        ("key.md", &key),
        ("file", "x"),
    ] {
        world.write(&format!("repo/{file}"), text);
    }
    symlink("loop", world.path("repo/loop")).unwrap();
    for (path, expected, what) in [
        ("none.md", "artifact_missing", "the artifact none.md does not exist"),
        (
            "evil\u{1b}[31m\nhint: no.md",
            "artifact_missing",
            "the artifact evil hint: no.md does not exist",
        ),
        (
            "file/below.md",
            "artifact_unreadable",
            "failed to read the artifact file/below.md: Not a directory (os error 20)",
        ),
        (
            "loop",
            "artifact_unreadable",
            "failed to read the artifact loop: Too many levels of symbolic links (os error 40)",
        ),
        ("folder", "artifact_not_a_file", "the artifact folder is a folder, not a plain file"),
        ("pipe", "artifact_not_a_file", "the artifact pipe is a pipe, not a plain file"),
        (
            "/dev/zero",
            "artifact_not_a_file",
            "the artifact /dev/zero is a device, not a plain file",
        ),
        (
            "logo.png",
            "artifact_binary",
            "the artifact logo.png is not text: it contains a NUL byte, at byte 8",
        ),
        (
            "nul.md",
            "artifact_binary",
            "the artifact nul.md is not text: it contains a NUL byte, at byte 3",
        ),
        (
            "latin.md",
            "artifact_binary",
            "the artifact latin.md is not text: it is not UTF-8 from byte 3 on",
        ),
        (
            "utf16.md",
            "artifact_binary",
            "the artifact utf16.md is not text: it contains a NUL byte, at byte 3",
        ),
        ("empty.md", "artifact_empty", "the artifact empty.md is empty"),
        (
            "blank.md",
            "artifact_empty",
            "the artifact blank.md is empty: it contains only white space",
        ),
        (
            ".env",
            "artifact_secret",
            "the artifact .env would be shown to every agent: `.env`: environment files hold secrets",
        ),
        (
            "key.md",
            "artifact_secret",
            "the artifact key.md would be shown to every agent: it contains a private key",
        ),
    ] {
        let (code, said) = refused(take(&world, path));
        assert_eq!((code, &*said), (expected, what));
    }
}

#[test]
fn a_size_is_looked_at_before_anything_is_read() {
    let world = World::new();
    // A sparse file: reading it would take a while, checking its size does not.
    let huge = File::create(world.path("repo/huge.md")).unwrap();
    huge.set_len(52_428_800).unwrap();
    assert_eq!(
        refused(take(&world, "huge.md")),
        (
            "artifact_too_large",
            "the artifact huge.md has 52428800 bytes, over the limit of 921600 (900 KiB)"
                .to_owned()
        )
    );
    world.write("repo/most.md", &"x".repeat(921_600));
    assert_eq!(take(&world, "most.md").unwrap().artifact.bytes, 921_600);
    world.write("repo/more.md", &"x".repeat(921_601));
    assert_eq!(refused(take(&world, "more.md")).0, "artifact_too_large");
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
        let out = format!("the artifact {path} leads out of {}", root.display());
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

#[test]
fn a_context_is_valid_json() {
    let world = World::new();
    world.write("repo/good.json", "{\"requirements\": [\"a\"]}\n");
    let (context, notes) = of_context(&world, "good.json").unwrap();
    assert_eq!(
        (&*context.name, &*context.text, context.bytes, notes),
        ("good.json", "{\"requirements\": [\"a\"]}\n", 24, vec![])
    );
    for (text, why) in [
        ("{\n  \"a\": 1,\n}", "trailing comma at line 3, column 1"),
        ("# Brief", "expected value at line 1, column 1"),
        ("{\"a\": 1", "at line 1, column 7"),
        ("{\"a\": 1, \"a\": 2}", "at line 1"),
    ] {
        world.write("repo/bad.json", text);
        let (code, what) = refused(of_context(&world, "bad.json"));
        assert_eq!(code, "context_not_json");
        assert!(
            what.starts_with("the context bad.json is not valid JSON: ") && what.contains(why),
            "{what}"
        );
    }
    world.write("repo/most.json", &format!("\"{}\"", "x".repeat(262_142)));
    assert_eq!(of_context(&world, "most.json").unwrap().0.bytes, 262_144);
    world.write("repo/more.json", &format!("\"{}\"", "x".repeat(262_143)));
    assert_eq!(refused(of_context(&world, "more.json")).0, "context_too_large");
    // A check against any of these would find nothing missing.
    for bare in ["{}", "[]", "null", "true", "3", "\" \"", r#"{"requirements": [], "version": 2}"#]
    {
        world.write("repo/bare.json", bare);
        let (code, what) = refused(of_context(&world, "bare.json"));
        assert_eq!(code, "context_empty", "{bare}");
        assert!(what.ends_with("contains nothing to check an artifact against"));
    }
    world.write("repo/empty.json", "\n");
    for (path, code) in [
        ("empty.json", "context_empty"),
        ("none.json", "context_missing"),
        (".", "context_not_a_file"),
    ] {
        assert_eq!(refused(of_context(&world, path)).0, code);
    }
}

#[test]
fn standard_input_is_one_of_the_two() {
    let world = World::new();
    let workspace = workspace(&world);
    let (context, _) =
        context(&workspace, Path::new("-"), None, Some(&mut &b"[\"FR-1\"]"[..])).unwrap();
    assert_eq!((&*context.name, &*context.text), ("standard input", "[\"FR-1\"]"));
    let (code, what) = refused(of_context(&world, "-"));
    assert_eq!(code, "context_twice");
    assert_eq!(what, "standard input cannot be both the artifact and its context");
}
