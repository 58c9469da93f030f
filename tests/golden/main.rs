//! Golden runs: the whole program, run as a user runs it, with what it prints and asks compared with a record.
//!
//! A run is one file, `runs/NAME.txt`: how its project is made, the commands, and what came of them (`case.rs`). It is
//! played in a folder of its own by this binary itself, which is the program with a fixed [`Env`]: one time, ids and
//! draws that follow from the number of the step. Agents are the fakes of `fixtures/bin`, asked one at a time. JSON is
//! compared by meaning. The prompt of each kind of turn is kept once, in `prompts/NAME/CALL.txt`.
//!
//! The screens of the live view in the middle of some runs are kept in `screens`, and shown in `docs/watching.md`.
//!
//! ```text
//! cargo test --test golden                    compares every run
//! cargo test --test golden -- plan            those whose name contains one of these words
//! cargo test --test golden -- --record [..]   records them anew; git shows what changed
//! ```

// `cfg(test)` marks these modules as test code for clippy.
#[cfg(test)]
mod case;
#[cfg(test)]
mod play;
#[cfg(test)]
mod reference;
#[cfg(test)]
mod sandbox;
#[cfg(test)]
mod schemas;
#[cfg(test)]
mod screens;
#[cfg(test)]
mod settle;

use std::process::ExitCode;

use chrono::DateTime;
use debate_agent::env::{Env, var};

/// The variable that turns this binary into the program; its value is the seed of its draws.
const SEED: &str = "GOLDEN_SEED";

/// The time of every run: 2026-01-15 12:00 UTC.
const NOW: i64 = 1_768_478_400;

fn main() -> ExitCode {
    if let Some(ended) = debate_agent::run_helper() {
        return ended;
    }
    if let Some(seed) = var(SEED).and_then(|seed| seed.parse().ok()) {
        let now = DateTime::from_timestamp(NOW, 0).unwrap_or(DateTime::UNIX_EPOCH);
        return debate_agent::main(Env::fixed(now, seed));
    }
    let words: Vec<String> = std::env::args().skip(1).collect();
    let has = |flag: &str| words.iter().any(|word| word == flag);
    // System messages differ on other systems; and `--list`, a question of another test runner, is answered with no
    // tests.
    if !cfg!(target_os = "linux") || has("--list") {
        return ExitCode::SUCCESS;
    }
    // Other words with a dash are options of the standard harness, which is not in use.
    let names: Vec<&str> =
        words.iter().map(String::as_str).filter(|word| !word.starts_with('-')).collect();
    let record = has("--record");
    if reference::differs(record) && !record {
        play::say(
            "docs/configuration.md is not what the settings make of it: cargo test --test golden -- --record",
        );
        return ExitCode::FAILURE;
    }
    let schemas = schemas::differing(record);
    if !schemas.is_empty() {
        let next = if record {
            "they are written; once more, as the program holds them"
        } else {
            "if that is meant, record them anew"
        };
        play::say(&format!(
            "not what their types derive: src/schemas/{{{}}}.json\n{next}: cargo test --test golden -- --record",
            schemas.join(",")
        ));
        return ExitCode::FAILURE;
    }
    if names.is_empty() || names.contains(&"screens") {
        let screens = screens::differing(record);
        if !screens.is_empty() && !record {
            play::say(&format!(
                "not what the live view shows: {}\nif that is meant, record them anew: cargo test --test golden -- --record",
                screens.join(" ")
            ));
            return ExitCode::FAILURE;
        }
    }
    play::play(&names, record)
}
