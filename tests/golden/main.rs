//! Golden runs: the whole program, run as a user runs it, with all that it says, writes and asks held byte for byte.
//!
//! `runs.toml` lists the runs. Each is played in a folder of its own by this binary itself, which is the program with a
//! fixed [`Env`]: one time, ids and draws that follow from the number of the step. Agents are the fakes of `fixtures/bin`,
//! asked one at a time. What a run left is `runs/NAME.txt`; prompts and arguments, which many runs share, are `texts/HASH.txt`.
//!
//! ```text
//! cargo test --test golden                    compares every run
//! cargo test --test golden -- plan            those whose name holds one of these words
//! cargo test --test golden -- --record [..]   records them anew; git shows what changed
//! ```
#![expect(clippy::print_stdout, clippy::panic, reason = "a program for the one who runs the tests")]

mod record;
mod sandbox;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{env, fs, thread};

use chrono::DateTime;
use debate_agent::env::Env;
use debate_agent::process::{guard, reset_signals};
use serde::Deserialize;

use record::{Golden, Texts};

/// The variable that makes this binary the program; the seed of its draws.
const SEED: &str = "GOLDEN_SEED";

/// The time of every run: 2026-01-15 12:00 UTC.
const NOW: i64 = 1_768_478_400;

/// Most lines of a difference that are shown of one run.
const SHOWN: usize = 60;

/// One run, as `runs.toml` has it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Run {
    /// Its name, and that of its file.
    name: String,
    /// A folder below `fixtures/` that the project is a copy of.
    #[serde(default)]
    project: Option<String>,
    /// Lines of shell that make the project, before anything is recorded; `make.sh` has functions for them.
    #[serde(default)]
    setup: String,
    /// A folder of `fixtures/scenarios`.
    #[serde(default)]
    scenario: Option<String>,
    /// Files for the fakes: `r1_critic.sh`.
    #[serde(default)]
    fake: BTreeMap<String, String>,
    /// The user's own configuration, as JSON, beside `limits.max_parallel`.
    #[serde(default)]
    config: Option<String>,
    /// Lines of shell, each recorded. `$ID` is the newest session. `INT: line` and `TERM: line` send that signal once a fake
    /// has written `$fake/here`.
    steps: Vec<String>,
    /// Whether the newest session is shown and exported after the steps.
    #[serde(default = "yes")]
    show: bool,
}

const fn yes() -> bool {
    true
}

#[derive(Deserialize)]
struct Runs {
    run: Vec<Run>,
}

fn main() -> ExitCode {
    let mut args = env::args_os().skip(1);
    let first = args.next();
    if first.as_ref().is_some_and(|first| guard::is_wanted(first)) {
        reset_signals();
        return guard::main();
    }
    if first.as_ref().is_some_and(|first| first == "__rehearse") {
        reset_signals();
        return debate_agent::cli::main(Env::system());
    }
    if let Some(seed) = env::var(SEED).ok().and_then(|seed| seed.parse().ok()) {
        reset_signals();
        let now = DateTime::from_timestamp(NOW, 0).unwrap_or(DateTime::UNIX_EPOCH);
        return debate_agent::cli::main(Env::fixed(now, seed));
    }
    let words: Vec<String> = env::args().skip(1).collect();
    let record = words.iter().any(|word| word == "--record");
    // What else begins with a dash is for the harness that this is not.
    let words: Vec<&str> =
        words.iter().map(String::as_str).filter(|word| !word.starts_with('-')).collect();
    play(&words, record)
}

/// Plays the runs whose names hold one of these words, or all, and records or compares what they leave.
fn play(words: &[&str], record: bool) -> ExitCode {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let text = fs::read_to_string(folder.join("runs.toml")).unwrap();
    let all: Runs = toml::from_str(&text).unwrap_or_else(|error| panic!("runs.toml: {error}"));
    let wanted: Vec<&Run> = (all.run.iter())
        .filter(|run| words.is_empty() || words.iter().any(|word| run.name.contains(word)))
        .collect();
    let _one = sandbox::lock();
    let texts = Texts::new(folder.join("texts"));
    let next = AtomicUsize::new(0);
    let (differ, used) = (Mutex::new(Vec::new()), Mutex::new(Vec::new()));
    let worker = || {
        while let Some(run) = wanted.get(next.fetch_add(1, Ordering::Relaxed)) {
            let golden = Golden { path: path(&folder, run), texts: &texts };
            let played = sandbox::play(run);
            used.lock().unwrap().extend(played.texts.keys().cloned());
            if record {
                golden.write(&played);
            } else if let Some(difference) = golden.difference(&played) {
                let lines: Vec<&str> = difference.lines().take(SHOWN).collect();
                println!("{} differs:\n{}\n", run.name, lines.join("\n"));
                differ.lock().unwrap().push(run.name.clone());
            }
        }
    };
    // Runs wait for programs most of the time.
    let workers = thread::available_parallelism().map_or(2, std::num::NonZero::get) + 1;
    thread::scope(|scope| (0..workers).for_each(|_| drop(scope.spawn(worker))));
    let differ = differ.into_inner().unwrap();
    println!("golden: {} runs {}", wanted.len(), if record { "recorded" } else { "compared" });
    if differ.is_empty() {
        let left = if words.is_empty() {
            let names: Vec<PathBuf> = all.run.iter().map(|run| path(&folder, run)).collect();
            [stale(&folder.join("runs"), &names), texts.unused(&used.lock().unwrap())].concat()
        } else {
            Vec::new()
        };
        if record {
            left.iter().for_each(|file| fs::remove_file(file).unwrap());
        } else if let [first, ..] = &*left {
            println!("{} is of no run any more: record anew", first.display());
            return ExitCode::FAILURE;
        }
        return ExitCode::SUCCESS;
    }
    println!(
        "{} differ: {}\nif that is meant, record them anew: cargo test --test golden -- --record",
        differ.len(),
        differ.join(", ")
    );
    ExitCode::FAILURE
}

fn path(folder: &Path, run: &Run) -> PathBuf {
    folder.join("runs").join(format!("{}.txt", run.name))
}

/// The files of a folder that none of these is.
fn stale(folder: &Path, names: &[PathBuf]) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    entries.map(|entry| entry.unwrap().path()).filter(|path| !names.contains(path)).collect()
}
