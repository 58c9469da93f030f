//! Prints the results of a review's rules for scripted reviewers; see `fixtures/review-bench/README.md`.
//!
//! `cargo run --release --example review_bench`

mod figures;
mod simulation;

use std::io::Write as _;
use std::path::Path;

use figures::{TRIALS, comparison, sweep, table};
use simulation::{Bench, Rules};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/review-bench");
    let bench = Bench::load(&folder)?;
    let [now, before] =
        [Rules::ByEvidence, Rules::Before].map(|rules| table(&bench, TRIALS, rules));
    let (compared, swept) = (comparison(&bench, TRIALS), sweep(&bench, TRIALS));
    writeln!(std::io::stdout(), "{now}\n{compared}\n{swept}\n{before}")?;
    Ok(())
}
