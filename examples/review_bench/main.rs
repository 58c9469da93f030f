//! Prints the results of a review's rules for scripted reviewers; see `fixtures/review-bench/README.md`.
//!
//! `cargo run --release --example review_bench`

mod figures;
mod simulation;

use std::io::Write as _;
use std::path::Path;

use figures::{TRIALS, sweep, table};
use simulation::Bench;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/review-bench");
    let bench = Bench::load(&folder)?;
    let mut out = std::io::stdout();
    writeln!(out, "{}\n{}", table(&bench, TRIALS), sweep(&bench, TRIALS))?;
    Ok(())
}
