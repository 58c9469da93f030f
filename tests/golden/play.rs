//! Plays the runs, and records them or compares them with their records.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{fs, thread};

use crate::case::{Case, Played};
use crate::sandbox;

/// Maximum number of lines shown of one run's difference.
const SHOWN: usize = 60;

/// Plays the runs whose names contain one of these words, or all, and records or compares the results.
pub(crate) fn play(words: &[&str], record: bool) -> ExitCode {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let wanted: Vec<Case> = listed(&folder.join("runs"))
        .iter()
        .map(|path| {
            let name = path.file_stem().unwrap().to_string_lossy();
            Case::parse(&name, &fs::read_to_string(path).unwrap())
        })
        .filter(|case| words.is_empty() || words.iter().any(|word| case.name.contains(word)))
        .collect();
    let _one = sandbox::lock();
    let next = AtomicUsize::new(0);
    let differ = Mutex::new(Vec::new());
    let worker = || {
        while let Some(case) = wanted.get(next.fetch_add(1, Ordering::Relaxed)) {
            let played = sandbox::play(case);
            // A page says so of a part that it cannot show: no record may make that what is right.
            if played.transcript.contains("which is a bug") {
                println!("{} shows a bug of a page", case.name);
                differ.lock().unwrap().push(case.name.clone());
            }
            if record {
                write(&folder, case, &played);
            } else if let Some(difference) = difference(&folder, case, &played) {
                let lines: Vec<&str> = difference.lines().take(SHOWN).collect();
                println!("{} differs:\n{}\n", case.name, lines.join("\n"));
                differ.lock().unwrap().push(case.name.clone());
            }
        }
    };
    // Runs spend most of their time waiting for programs.
    let workers = thread::available_parallelism().map_or(2, std::num::NonZero::get) + 1;
    thread::scope(|scope| (0..workers).for_each(|_| drop(scope.spawn(worker))));
    let differ = differ.into_inner().unwrap();
    println!("golden: {} runs {}", wanted.len(), if record { "recorded" } else { "compared" });
    if differ.is_empty() {
        return ExitCode::SUCCESS;
    }
    println!(
        "{} differ: {}\nif that is meant, record them anew: cargo test --test golden -- --record",
        differ.len(),
        differ.join(", ")
    );
    ExitCode::FAILURE
}

/// The folder of a run's prompts.
fn prompts(folder: &Path, case: &Case) -> PathBuf {
    folder.join("prompts").join(&case.name)
}

fn write(folder: &Path, case: &Case, played: &Played) {
    let text = case.with(&played.transcript);
    fs::write(folder.join("runs").join(format!("{}.txt", case.name)), text).unwrap();
    fs::remove_dir_all(prompts(folder, case)).ok();
    for (call, prompt) in &played.prompts {
        fs::create_dir_all(prompts(folder, case)).unwrap();
        fs::write(prompts(folder, case).join(format!("{call}.txt")), prompt).unwrap();
    }
}

/// Returns the lines in which a run differs from its record. Prompts come first: other differences often follow from
/// them.
fn difference(folder: &Path, case: &Case, played: &Played) -> Option<String> {
    let record = |path: PathBuf| fs::read_to_string(path).unwrap_or_default();
    let mut pairs: Vec<(String, &str)> = (played.prompts.iter())
        .map(|(call, prompt)| {
            (record(prompts(folder, case).join(format!("{call}.txt"))), &**prompt)
        })
        .collect();
    let text = case.with(&played.transcript);
    pairs.push((record(folder.join("runs").join(format!("{}.txt", case.name))), &text));
    let patches: String = (pairs.iter())
        .filter(|(old, new)| old != new)
        .map(|(old, new)| diffy::create_patch(old, new).to_string())
        .collect();
    (!patches.is_empty()).then_some(patches)
}

/// The entries of a folder, sorted.
pub(crate) fn listed(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let mut entries: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    entries
}

/// Prints a line.
pub(crate) fn say(text: &str) {
    println!("{text}");
}
