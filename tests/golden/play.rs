//! The list of runs; each is played, then recorded or compared.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{fs, thread};

use serde::Deserialize;

use crate::record::{Golden, Texts};
use crate::sandbox;

/// Maximum number of lines shown of one run's difference.
const SHOWN: usize = 60;

/// One run, as in `runs.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Run {
    /// Its name, which is also that of its file.
    pub(crate) name: String,
    /// The folder below `fixtures/` that the project is copied from.
    #[serde(default)]
    pub(crate) project: Option<String>,
    /// Shell lines that create the project, before anything is recorded; `make.sh` has functions for them.
    #[serde(default)]
    pub(crate) setup: String,
    /// A folder of `fixtures/scenarios`.
    #[serde(default)]
    pub(crate) scenario: Option<String>,
    /// Files for the fakes, such as `r1_critic.sh`.
    #[serde(default)]
    pub(crate) fake: BTreeMap<String, String>,
    /// The user's own configuration, as JSON, in addition to `limits.max_parallel`.
    #[serde(default)]
    pub(crate) config: Option<String>,
    /// Shell lines, each recorded. `$ID` is the newest session. `INT: line` and `TERM: line` send that signal once a
    /// fake has written `$fake/here`.
    pub(crate) steps: Vec<String>,
    /// Whether the newest session is shown and exported after the steps.
    #[serde(default = "yes")]
    pub(crate) show: bool,
}

const fn yes() -> bool {
    true
}

#[derive(Deserialize)]
struct Runs {
    run: Vec<Run>,
}

/// Plays the runs whose names contain one of these words, or all, and records or compares the results.
pub(crate) fn play(words: &[&str], record: bool) -> ExitCode {
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
    // Runs spend most of their time waiting for programs.
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
            for file in left {
                fs::remove_file(file).unwrap();
            }
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

/// The files of a folder that are not in the list.
pub(crate) fn stale(folder: &Path, names: &[PathBuf]) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    entries.map(|entry| entry.unwrap().path()).filter(|path| !names.contains(path)).collect()
}

/// Prints a line.
pub(crate) fn say(text: &str) {
    println!("{text}");
}
