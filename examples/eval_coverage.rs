//! Prints how often the intervals of `eval` contain the truth, in 1,000 simulations: 93 to 97% are wanted.
//!
//! `cargo run --release --example eval_coverage`

use std::io::Write as _;

use debate_agent::eval::statistics::{Counted, figure};
use fastrand::Rng;

const SIMULATIONS: u32 = 1_000;

/// A case as an arm meets it: found of 0 to 3 defects, and false alarms.
fn case(rng: &mut Rng) -> [f64; 3] {
    let defects = [0, 1, 1, 1, 2, 3][rng.usize(0..6)];
    let found = (0..defects).filter(|_| rng.f64() < 0.6).count();
    let alarms = (0..4).filter(|_| rng.f64() < 0.2).count();
    [found, alarms, defects].map(|number| f64::from(u8::try_from(number).unwrap_or(u8::MAX)))
}

/// The name of a figure, what a case adds to it, and its true value.
type Row = (&'static str, fn(&mut Rng) -> Counted, f64);

fn main() -> std::io::Result<()> {
    // Of a case: 4/3 defects, 0.8 found, 0.8 alarms.
    let rows: [Row; 5] = [
        (
            "precision",
            |rng| {
                let [found, alarms, _] = case(rng);
                (found, found + alarms)
            },
            0.5,
        ),
        (
            "recall",
            |rng| {
                let [found, _, defects] = case(rng);
                (found, defects)
            },
            0.6,
        ),
        (
            "F1",
            |rng| {
                let [found, alarms, defects] = case(rng);
                (2.0 * found, found + alarms + defects)
            },
            6.0 / 11.0,
        ),
        ("accuracy 0.7", |rng| (f64::from(u8::from(rng.f64() < 0.7)), 1.0), 0.7),
        ("accuracy 0.85", |rng| (f64::from(u8::from(rng.f64() < 0.85)), 1.0), 0.85),
    ];
    let mut rng = Rng::with_seed(5);
    let mut out = std::io::stdout();
    for (name, draw, truth) in rows {
        for cases in [30, 100, 300] {
            let covered = (0..SIMULATIONS).filter(|_| {
                let sample: Vec<Counted> = (0..cases).map(|_| draw(&mut rng)).collect();
                figure(&sample).is_some_and(|found| (found.low..=found.high).contains(&truth))
            });
            let percent = 100.0 * f64::from(u32::try_from(covered.count()).unwrap_or(0))
                / f64::from(SIMULATIONS);
            writeln!(out, "{name}, {cases} cases: {percent:.1}%")?;
        }
    }
    Ok(())
}
