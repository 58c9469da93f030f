//! An artifact that cannot be discussed ends the run before any agent is asked: by its name, its kind, its size, its
//! content.
//!
//! No test in this file looks at a clock. That a run ends at all shows that it neither waited for the other end of a
//! pipe nor read something endless.
#![cfg(target_os = "linux")]

use std::ffi::OsStr;
use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::Stdio;

use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde_json::{Value, json};

use crate::support::discusses::CONTEXT;
use crate::support::table::each_of;
use crate::support::{Run, Sandbox};

/// The maximum size of an artifact in bytes (`docs/discuss.md`).
const MOST: usize = 900 << 10;

/// Asserts that a run ended as unusable input or usage before anything was called, opened or written. Returns the
/// error's name.
#[track_caller]
fn refused(what: &str, sandbox: &Sandbox, run: &Run) -> String {
    assert_eq!(run.code, 2, "{what}\n{}{}", run.stdout, run.stderr);
    let error = &run.json()["error"];
    let message = error["message"].as_str().unwrap();
    let plain = |text: &str| !text.chars().any(|c| c.is_control() || c == '\u{202e}');
    assert!(plain(message), "{what}: {message:?}");
    assert!(
        run.stderr.lines().all(plain) && !run.stderr.contains("panicked"),
        "{what}: {:?}",
        run.stderr
    );
    untouched(what, sandbox);
    error["code"].as_str().unwrap().to_owned()
}

/// Asserts that no agent was asked, and that nothing was written.
#[track_caller]
fn untouched(what: &str, sandbox: &Sandbox) {
    assert_eq!(sandbox.ledger(), [""; 0], "{what}: somebody was asked");
    assert_eq!(sandbox.sessions().len(), 0, "{what}: a session was opened");
    let records = sandbox.project().join(".debate/discuss");
    assert!(!records.exists(), "{what}: a record was written");
}

/// Creates something in the project that a run is given as a path.
type Made = fn(&Path);

fn pipe(at: &Path) {
    mknodat(CWD, at, FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
}

fn socket(at: &Path) {
    // Its file remains when it is closed.
    drop(UnixListener::bind(at).unwrap());
}

fn sparse(at: &Path) {
    File::create(at).unwrap().set_len(50 << 20).unwrap();
}

fn folder(at: &Path) {
    fs::create_dir_all(at.join("within")).unwrap();
}

fn text(at: &Path, text: impl AsRef<[u8]>) {
    fs::write(at, text).unwrap();
}

/// The name, the constructor, and the error's name: of an artifact, of a context. An empty name: it is only tried as
/// the other one.
const FILES: [(&str, Made, &str, &str); 16] = [
    ("missing", |_| {}, "artifact_missing", "context_missing"),
    ("empty", |at| text(at, ""), "artifact_empty", "context_empty"),
    ("blank", |at| text(at, " \n\t\r\n\u{a0}\u{2003}\n"), "artifact_empty", "context_empty"),
    (
        "invisible",
        |at| text(at, "\u{feff}\u{200b}\u{2060}\u{202e}\n"),
        "artifact_empty",
        "context_empty",
    ),
    ("with a NUL", |at| text(at, b"# Brief\n\nText\0more\n"), "artifact_binary", "context_binary"),
    ("in another encoding", |at| text(at, b"# Br\xe9f\n"), "artifact_binary", "context_binary"),
    (
        "cut in a character",
        |at| text(at, b"# Brief \xf0\x9f\x92"),
        "artifact_binary",
        "context_binary",
    ),
    ("of 50 MB", sparse, "artifact_too_large", "context_too_large"),
    (
        "a byte too long",
        |at| text(at, "x".repeat(MOST + 1)),
        "artifact_too_large",
        "context_too_large",
    ),
    ("a folder", folder, "artifact_not_a_file", "context_not_a_file"),
    ("a pipe", pipe, "artifact_not_a_file", "context_not_a_file"),
    ("a socket", socket, "artifact_not_a_file", "context_not_a_file"),
    (
        "a link to a device",
        |at| symlink("/dev/zero", at).unwrap(),
        "artifact_outside",
        "context_outside",
    ),
    (
        "a link to itself",
        |at| symlink(at, at).unwrap(),
        "artifact_unreadable",
        "context_unreadable",
    ),
    (
        "a link to nothing",
        |at| symlink("nowhere", at).unwrap(),
        "artifact_missing",
        "context_missing",
    ),
    ("no JSON", |at| text(at, "{\"seed\": [1, 2}"), "", "context_not_json"),
];

#[test]
fn what_is_no_text_of_a_readable_size_ends_before_any_call() {
    each_of(&FILES, |(what, make, artifact, context)| {
        let sandbox = Sandbox::discussing();
        make(&sandbox.project().join("it"));
        if !artifact.is_empty() {
            let run = sandbox.run(&["discuss", "it", "--json"]);
            assert_eq!(refused(what, &sandbox, &run), *artifact, "{what}");
        }
        let run = sandbox.discuss(&["--context", "it"]);
        assert_eq!(refused(what, &sandbox, &run), *context, "{what}");
    });
}

#[test]
fn a_file_that_its_owner_may_not_read_ends_before_any_call() {
    let sandbox = Sandbox::discussing();
    let path = sandbox.artifact("docs/closed.md", "# Closed\n");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
    if fs::read(&path).is_ok() {
        // Root reads everything. Files that it cannot read are below `/proc`, in the next test.
        return;
    }
    let run = sandbox.run(&["discuss", "docs/closed.md", "--json"]);
    assert_eq!(refused("closed", &sandbox, &run), "artifact_unreadable");
}

/// Their reported size is 0, and they are plain files by their kind.
#[test]
fn files_of_the_kernel_are_read_within_bounds_and_are_no_artifacts() {
    for (path, code) in [
        ("/dev/zero", "artifact_not_a_file"),
        ("/dev/null", "artifact_not_a_file"),
        ("/dev/tty", "artifact_not_a_file"),
        // It opens, but its first byte cannot be read.
        ("/proc/self/mem", "artifact_unreadable"),
        // With the keys of the user who runs this in it.
        ("/proc/self/environ", "artifact_binary"),
        ("/proc/self/cmdline", "artifact_binary"),
        // Gigabytes, if read to the end; and it can only be read eight bytes at a time.
        ("/proc/self/pagemap", "artifact_unreadable"),
    ] {
        let sandbox = Sandbox::discussing();
        let run = sandbox.run(&["discuss", path, "--json"]);
        assert_eq!(refused(path, &sandbox, &run), code, "{path}");
    }
}

#[test]
fn standard_input_is_read_within_bounds() {
    let spill = |bytes: &[u8]| {
        let file = tempfile::tempfile().unwrap();
        std::os::unix::fs::FileExt::write_all_at(&file, bytes, 0).unwrap();
        file
    };
    let sparse = spill(b"# Long\n");
    sparse.set_len(50 << 20).unwrap();
    for (what, input, code) in [
        ("endless", File::open("/dev/zero").unwrap(), "artifact_too_large"),
        ("nothing", File::open("/dev/null").unwrap(), "artifact_empty"),
        ("of 50 MB", sparse, "artifact_too_large"),
        ("a byte too long", spill("x".repeat(MOST + 1).as_bytes()), "artifact_too_large"),
        ("blank", spill(b" \n\n"), "artifact_empty"),
        ("binary", spill(b"a\0b"), "artifact_binary"),
    ] {
        let sandbox = Sandbox::discussing();
        let mut command = sandbox.command(&["discuss", "-", "--json"]);
        let run = Sandbox::finish(command.stdin(Stdio::from(input)).output().unwrap());
        assert_eq!(refused(what, &sandbox, &run), code, "{what}");
    }
    // Standard input is one input, and cannot be two.
    let sandbox = Sandbox::discussing();
    for args in [&["-", "-"][..], &["-", "--context", "-"]] {
        let run = sandbox.run(&[&["discuss", "--json"], args].concat());
        refused("twice", &sandbox, &run);
    }
}

/// The limit is inclusive.
#[test]
fn an_artifact_of_the_greatest_size_is_read_whole() {
    let sandbox = Sandbox::discussing();
    sandbox.artifact("docs/long.md", format!("{}END", "x".repeat(MOST - 3)));
    let args = ["discuss", "docs/long.md", "--json"];
    // Four agents read a MiB each: more than the default budget, which is reported before anything is paid.
    assert!(sandbox.run(&args).exits(4).stdout.contains("give `--budget"));
    assert_eq!(sandbox.calls().len(), 0);
    let document = sandbox.run(&[&args[..], &["--budget", "20"]].concat()).exits(0).json();
    assert_eq!(document["artifact_bytes"], MOST);
    for prompt in sandbox.prompts("r1/quality") {
        assert!(prompt.contains("xxxEND\n"));
    }
}

#[test]
fn names_that_are_no_plain_line_are_refused() {
    let long = "x".repeat(65);
    let cases: Vec<(&str, &str)> = vec![
        ("--role", "a\nb"),
        ("--role", "\u{1b}[31mred"),
        ("--role", "\u{9b}31mred"),
        ("--role", " "),
        ("--role", &long),
        ("--task-id", "a\r[writer] DRAFT-001 complete."),
        ("--task-id", "\u{7}"),
        ("--task-id", ""),
        ("--task-id", &long),
        ("--round-id", "../R-1"),
        ("--round-id", "R/1"),
        ("--round-id", ".R"),
        ("--round-id", "-R"),
        ("--round-id", "R 1"),
        ("--round-id", "R\n1"),
        ("--round-id", "R\u{202e}1"),
        ("--round-id", "\u{1b}[2J"),
        ("--round-id", ""),
        ("--round-id", &long),
        ("--preset", "\u{1b}[2J"),
        ("--perspectives", "product,\u{1b}[2J"),
        ("--perspectives", "../product"),
        ("--perspectives", "product,product"),
        ("--perspectives", ""),
    ];
    each_of(&cases, |(option, value)| {
        let sandbox = Sandbox::discussing();
        let run = sandbox.discuss(&[&format!("{option}={value}")]);
        refused(&format!("{option} {value:?}"), &sandbox, &run);
    });
}

/// A file's name is foreign text, too: that of an archive sent by a stranger.
#[test]
fn a_name_that_acts_is_inert_in_the_error() {
    let sandbox = Sandbox::discussing();
    for name in
        [&b"\x1b]0;owned\x07\x1b[31m.md"[..], b"a\nerror: b.md", b"\xe2\x80\xae.md", b"\xff\xfe.md"]
    {
        let mut command = sandbox.command(&["discuss", "--json"]);
        let run = Sandbox::finish(command.arg(OsStr::from_bytes(name)).output().unwrap());
        assert_eq!(refused("name", &sandbox, &run), "artifact_missing");
    }
}

#[test]
fn a_configuration_with_a_name_that_acts_is_refused() {
    let perspective = |fields: Value| {
        let mut perspective = json!({"agent": "claude", "title": "editor", "looks_at": ["style"]});
        let object = perspective.as_object_mut().unwrap();
        object.extend(fields.as_object().unwrap().clone());
        perspective
    };
    let preset = |artifact: &str, role: &str| json!({"artifact": artifact, "perspectives": ["product"], "role": role});
    let cases = vec![
        json!({"perspectives": {"st\u{1b}[31m": perspective(json!({}))}}),
        json!({"perspectives": {"../style": perspective(json!({}))}}),
        json!({"perspectives": {"Style": perspective(json!({}))}}),
        json!({"perspectives": {"style": perspective(json!({"title": "a\nturn: r1/risk"}))}}),
        json!({"perspectives": {"style": perspective(json!({"title": "\u{1b}[2J"}))}}),
        json!({"perspectives": {"style": perspective(json!({"title": "x".repeat(201)}))}}),
        json!({"perspectives": {"style": perspective(json!({"looks_at": ["a\nb"]}))}}),
        json!({"perspectives": {"style": perspective(json!({"looks_at": []}))}}),
        json!({"presets": {"../R": preset("a.md", "writer")}}),
        json!({"presets": {"R\n1": preset("a.md", "writer")}}),
        json!({"presets": {"R-1": preset("/etc/passwd", "writer")}}),
        json!({"presets": {"R-1": preset("../a.md", "writer")}}),
        json!({"presets": {"R-1": preset("a.md", "\u{1b}[2J")}}),
        json!({"presets": {"R-1": preset("a.md", "a\nb")}}),
    ];
    each_of(&cases, |discuss| {
        let sandbox = Sandbox::discussing().config(&json!({ "discuss": discuss }).to_string());
        let run = sandbox.discuss(&[]);
        let what = discuss.to_string();
        assert_eq!(run.code, 2, "{what}\n{}{}", run.stdout, run.stderr);
        let message = run.json()["error"]["message"].to_string();
        assert!(message.contains("discuss"), "{what}: {message}");
        assert!(!run.stderr.contains('\u{1b}'), "{what}: {:?}", run.stderr);
        untouched(&what, &sandbox);
    });
}

#[test]
fn a_preset_reads_nothing_outside_of_its_folder() {
    let sandbox = Sandbox::discussing();
    fs::create_dir_all(sandbox.project().join("spec")).unwrap();
    symlink("/etc/passwd", sandbox.project().join("spec/product-brief.md")).unwrap();
    let run = sandbox.run(&["discuss", "--preset", "DISCUSS-002", "--json"]);
    assert_eq!(refused("artifact", &sandbox, &run), "artifact_outside");
    let context = sandbox.project().join(CONTEXT);
    fs::remove_file(&context).unwrap();
    symlink("/etc/hostname", &context).unwrap();
    fs::remove_file(sandbox.project().join("spec/product-brief.md")).unwrap();
    sandbox.artifact("spec/product-brief.md", "# Brief\n");
    let run = sandbox.run(&["discuss", "--preset", "DISCUSS-002", "--json"]);
    assert_eq!(refused("context", &sandbox, &run), "context_outside");
}
