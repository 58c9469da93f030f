//! Ignore files of a hostile tree, through the program: none of them costs memory or time, or blocks Ctrl-C.
#![cfg(target_os = "linux")]

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::support::{BIN, Run, Sandbox};

/// Maximum memory that a run may map: a few times that of an honest run, a fraction of that of an unbounded read.
const KILOBYTES: &str = "1500000";
/// A run that has not ended by then reads a device or waits for a writer; `timeout` ends it with 124.
const SECONDS: &str = "600";

/// A repository with a change, a folder of documents, and an ignore file of some kind.
fn tree(plant: fn(&std::path::Path)) -> Sandbox {
    let sandbox = Sandbox::discussing().planted();
    sandbox.write("docs/design.md", "# Design\n\nOne cache for all.\n");
    plant(&sandbox.project().join(".gitignore"));
    sandbox
}

/// Runs the program with little memory.
#[expect(clippy::disallowed_methods, reason = "tests start the program itself")]
fn bounded(sandbox: &Sandbox, args: &[&str]) -> Run {
    let script = format!("ulimit -v {KILOBYTES} && exec timeout {SECONDS} \"$0\" \"$@\"");
    let mut command = Command::new("sh");
    command
        .args(["-c", &script, BIN])
        .args(args)
        .env_clear()
        .envs(sandbox.vars())
        .current_dir(sandbox.project());
    Sandbox::finish(command.output().unwrap())
}

#[test]
fn h1_no_ignore_file_takes_all_memory_or_time() {
    type Plant = fn(&std::path::Path);
    let plants: [(&str, Plant); 4] = [
        ("a link to a device", |at| symlink("/dev/zero", at).unwrap()),
        ("2 MB", |at| {
            fs::write(at, format!("some/{}*.rs\n", "path/".repeat(80)).repeat(5_000)).unwrap();
        }),
        ("19 MiB", |at| {
            fs::write(at, "a\n".repeat(19 << 19)).unwrap();
        }),
        ("a pipe", pipe),
    ];
    for (what, plant) in plants {
        let sandbox = tree(plant);
        let run = bounded(&sandbox, &["discover", "--type", "quality", "--json"]);
        let found = run.exits(0).json();
        let skipped = found["agents"][0]["skipped"].to_string();
        assert!(skipped.contains(".gitignore"), "{what}: {found:#}");
        // On a pipe git itself would wait, so it is not called.
        let run = bounded(&sandbox, &["review", "--rehearse", "--json"]);
        assert!([0, 1, 3, 4].contains(&run.code), "{what}: {} {}", run.code, run.stderr);
        let run = bounded(&sandbox, &["discuss", "docs/design.md", "--rehearse", "--json"]);
        assert!([0, 1, 4].contains(&run.code), "{what}: {} {}", run.code, run.stderr);
    }
}

fn pipe(at: &std::path::Path) {
    let kind = rustix::fs::FileType::Fifo;
    let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
    rustix::fs::mknodat(rustix::fs::CWD, at, kind, mode, 0).unwrap();
}

/// L1: git reads such files in every folder that it visits, and waits on a pipe for its writer.
#[test]
fn l1_a_pipe_that_git_would_wait_for_is_named_before_git_is_asked() {
    let plants: [(&str, &[&str]); 5] = [
        ("src/deep/.gitignore", &[]),
        ("new/.gitignore", &[]),
        ("src/.gitattributes", &[]),
        (".git/info/attributes", &[]),
        // Git visits an ignored folder if something in it is tracked.
        ("kept/.gitattributes", &["/kept/"]),
    ];
    for (at, ignored) in plants {
        let sandbox = Sandbox::discussing().planted();
        for name in ["src/deep/a.py", "kept/b.py"] {
            sandbox.write(name, "a = 1\n");
        }
        sandbox.commit("more");
        sandbox.write("kept/b.py", "a = 2\n");
        sandbox.write("new/c.py", "a = 1\n");
        sandbox.write(".gitignore", ignored.join("\n"));
        pipe(&sandbox.project().join(at));
        for command in [&["review", "--rehearse"][..], &["diff"]] {
            let run = sandbox.run(command);
            run.exits(3).says(&format!("{at} is a pipe"));
        }
    }
    // Folders that git does not visit do not matter.
    let sandbox = Sandbox::discussing().planted();
    sandbox.write(".gitignore", "/built/\n");
    sandbox.write("built/a", "");
    pipe(&sandbox.project().join("built/.gitignore"));
    sandbox.run(&["diff"]).exits(0);
}

#[test]
fn l1_ctrl_c_ends_a_discovery_within_a_second() {
    let sandbox = tree(|at| fs::write(at, "*a*b*c*d*\n".repeat(4_000)).unwrap());
    for folder in 0..200 {
        for file in 0..100 {
            sandbox.write(&format!("src/part{folder}/unit_abc_{file}.txt"), "");
        }
    }
    let live = sandbox.start(&["discover", "--type", "quality"]);
    std::thread::sleep(Duration::from_millis(400));
    let before = Instant::now();
    live.send(Signal::INT);
    let run = live.finish();
    assert!(before.elapsed() < Duration::from_secs(2), "{:?}", before.elapsed());
    // It may have finished by then.
    assert!([0, 130].contains(&run.code), "{} {}", run.code, run.stderr);
}
