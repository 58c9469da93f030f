//! The seeded-fault benchmark of the review: its fixture is sound, its figures are those of the README.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use debate_agent::protocol::review::locate::place;
use debate_agent::protocol::review::{Distance, Finding, Location};

#[path = "../../examples/review_bench/figures.rs"]
mod figures;
#[path = "../../examples/review_bench/simulation.rs"]
mod simulation;

use figures::{TRIALS, sweep, table};
use simulation::Bench;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/review-bench")
}

fn bench() -> Bench {
    Bench::load(&folder()).unwrap()
}

#[test]
fn the_changes_hold_what_the_truths_say() {
    let bench = bench();
    let clean = bench.cases.iter().filter(|case| case.bugs.is_empty()).count();
    assert!(bench.cases.len() - clean >= 24, "{} changes", bench.cases.len());
    assert!(clean >= 8, "{clean} clean changes");
    let languages: BTreeSet<&str> =
        bench.cases.iter().filter_map(|case| Some(case.name.split_once('-')?.0)).collect();
    assert_eq!(languages.len(), 5, "{languages:?}");
    for case in &bench.cases {
        assert_eq!(case.change.files.len(), 1, "{}", case.name);
        for bug in &case.bugs {
            assert_eq!(bug.tellings.len(), 2, "{}", case.name);
            // Without a line number the quote determines the line, so the line is checked as well.
            let placed = place(
                &case.change,
                Finding {
                    severity: bug.severity,
                    file: bug.file.clone(),
                    quote: Some(bug.quote.clone()),
                    ..Finding::default()
                },
            );
            assert_eq!(placed.location, Location::Located, "{}", case.name);
            assert_eq!(placed.nearness, Some(Distance::Exact), "{}", case.name);
            assert_eq!(placed.finding.line, Some(bug.line), "{}", case.name);
        }
    }
    let diffs = std::fs::read_dir(folder().join("changes")).unwrap();
    assert_eq!(diffs.count(), bench.cases.len(), "a diff nobody knows of");
}

#[test]
fn the_rates_are_those_that_were_fixed_beforehand() {
    let rates = bench().rates;
    let fixed = [rates.hit, rates.alarm, rates.critic_right, rates.critic_unsure];
    assert_eq!(fixed, [600, 500, 750, 100]);
    assert_eq!(rates.shared_alarm, 0);
    let said = [rates.trigger, rates.alarm_trigger, rates.evidence, rates.wrong_evidence];
    assert_eq!(said, [900, 600, 900, 600]);
    let more = [rates.judged_severity, rates.same_as, rates.wrong_same_as, rates.only];
    assert_eq!(more, [800, 500, 20, 100]);
    let again = [rates.yields, rates.wrong_yields, rates.persuaded, rates.wrong_persuaded];
    assert_eq!(again, [600, 100, 500, 100]);
}

#[test]
fn the_readme_shows_what_the_program_prints() {
    let readme = std::fs::read_to_string(folder().join("README.md")).unwrap();
    let bench = bench();
    let printed = table(&bench, TRIALS);
    assert!(readme.contains(&printed), "refresh the README:\n{printed}");
    // The sweep includes the fixed rates; for those it must agree with the table.
    for (panel, vendors) in figures::PANELS {
        let totals = simulation::run(&bench, bench.rates, vendors, TRIALS);
        let cells = [0, 1, 2].map(|method| figures::percent(totals.f1(method)));
        let row = format!("| hits | 60.0 | {panel} | {} |", cells.join(" | "));
        assert!(readme.contains(&row), "refresh the README: {row}");
    }
}

#[test]
fn the_sweep_is_the_same_each_time_and_tells_where_the_pipeline_loses() {
    let bench = bench();
    let printed = sweep(&bench, 1);
    assert_eq!(printed, sweep(&bench, 1));
    assert!(printed.contains("loses to"), "{printed}");
}
