//! The figures of the simulation, as the README shows them.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::simulation::{Bench, METHODS, REMAINS, Rates, Totals, run};

/// Number of reviews of every change for the README.
pub(crate) const TRIALS: u64 = 50;

/// Returns a share in thousandths, rounded down; 0 if both are 0.
fn share(part: u64, all: u64) -> u64 {
    (1000 * part).checked_div(all).unwrap_or(0)
}

/// Returns thousandths as percent with one decimal.
pub(crate) fn percent(thousandths: u64) -> String {
    format!("{}.{}", thousandths / 10, thousandths % 10)
}

impl Totals {
    fn precision(&self, method: usize) -> u64 {
        let counts = &self.methods[method];
        share(counts.right, counts.reported)
    }

    fn recall(&self, method: usize) -> u64 {
        share(self.methods[method].found, self.bugs)
    }

    /// Returns the harmonic mean of precision and recall, in thousandths.
    pub(crate) fn f1(&self, method: usize) -> u64 {
        let (precision, recall) = (self.precision(method), self.recall(method));
        (2 * precision * recall).checked_div(precision + recall).unwrap_or(0)
    }
}

/// The panels: two agents of two vendors, three agents of two.
pub(crate) const PANELS: [(&str, &[&str]); 2] =
    [("two seats", &["red", "blue"]), ("three seats", &["red", "red", "blue"])];

/// Returns the table for the fixed rates.
pub(crate) fn table(bench: &Bench, trials: u64) -> String {
    let languages = bench.cases.iter().filter_map(|case| case.name.split('-').next());
    let languages: BTreeSet<&str> = languages.collect();
    let clean = bench.cases.iter().filter(|case| case.bugs.is_empty()).count();
    let mut text = format!(
        "{} changes in {} languages, {clean} of them clean; {} planted faults; each change reviewed {trials} times. Figures are percent.\n\n",
        bench.cases.len(),
        languages.len(),
        bench.cases.iter().map(|case| case.bugs.len()).sum::<usize>(),
    );
    text.push_str(
        "| panel | what is reported | precision | recall | F1 | faulty, nothing said | clean, something said |\n|---|---|---|---|---|---|---|\n",
    );
    let mut all = BTreeMap::new();
    for (panel, vendors) in PANELS {
        let totals = run(bench, bench.rates, vendors, trials);
        all.insert(panel, totals);
        for (method, name) in METHODS.iter().enumerate() {
            let counts = &totals.methods[method];
            let cells = [
                totals.precision(method),
                totals.recall(method),
                totals.f1(method),
                share(counts.silent, totals.faulty),
                share(counts.noisy, totals.clean),
            ];
            let cells = cells.map(percent).join(" | ");
            // Writing to a String cannot fail.
            let _ = writeln!(text, "| {panel} | {name} | {cells} |");
        }
    }
    text.push_str(
        "\n| panel | planted P0 and P1 that remain | that remain as P0 or P1 | calls a review |\n|---|---|---|---|\n",
    );
    for (panel, totals) in &all {
        let remains = &totals.methods[REMAINS];
        let cells =
            [remains.grave, remains.blocking].map(|part| percent(share(part, totals.grave)));
        let asked = share(totals.calls, totals.reviews);
        let _ = writeln!(
            text,
            "| {panel} | {} | {}.{:02} |",
            cells.join(" | "),
            asked / 1000,
            asked % 1000 / 10
        );
    }
    text.push('\n');
    for (panel, totals) in all {
        let share = share(totals.best_wins, totals.faulty);
        let _ = writeln!(
            text,
            "With {panel}, the winner by score had found as many faults as anybody in {} of 100 reviews of faulty changes.",
            percent(share)
        );
    }
    text
}

/// A rate of the sweep: its name, its values, and its field.
type Row = (&'static str, &'static [u64], fn(&mut Rates) -> &mut u64);

/// Returns the sweep: one rate changed at a time, F1 of each method, and the cases in which the pipeline loses.
pub(crate) fn sweep(bench: &Bench, trials: u64) -> String {
    let base = bench.rates;
    let mut text = String::from(
        "| rate | value | panel | union | majority | pipeline: remains | the pipeline |\n|---|---|---|---|---|---|---|\n",
    );
    let rows: [Row; 5] = [
        ("hits", &[200, 400, 600, 800, 950], |rates| &mut rates.hit),
        ("false alarms a change", &[0, 250, 500, 1000, 2000], |rates| &mut rates.alarm),
        ("critics right", &[300, 450, 600, 750, 900], |rates| &mut rates.critic_right),
        ("critics unsure", &[0, 100, 200, 250], |rates| &mut rates.critic_unsure),
        ("shared false alarms", &[0, 250, 500, 1000], |rates| &mut rates.shared_alarm),
    ];
    for (name, values, rate) in rows {
        for value in values {
            let mut rates = base;
            *rate(&mut rates) = *value;
            for (panel, vendors) in PANELS {
                let totals = run(bench, rates, vendors, trials);
                let [union, majority, pipeline] = [0, 1, 2].map(|method| totals.f1(method));
                let outcome = match (union.cmp(&pipeline), majority.cmp(&pipeline)) {
                    (Ordering::Greater, Ordering::Greater) => "loses to both",
                    (Ordering::Greater, _) => "loses to the union",
                    (_, Ordering::Greater) => "loses to the majority",
                    (_, _) => "",
                };
                let cells = [union, majority, pipeline].map(percent).join(" | ");
                let value = percent(*value);
                let _ = writeln!(text, "| {name} | {value} | {panel} | {cells} | {outcome} |");
            }
        }
    }
    text
}
