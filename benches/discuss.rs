//! Speed of grouping the perspectives' points on an artifact: the maximum of five perspectives in one list each, the
//! maximum of five and nine in all lists, and the same with all points about one place.

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use debate_agent::protocol::discuss::input::Artifact;
use debate_agent::protocol::discuss::{Critique, PerspectiveReply, actions, themes};

const SUBJECTS: [&str; 4] = [
    "the import of orders",
    "the success metrics of the launch",
    "the rollback plan for the migration",
    "the retention of personal data",
];

const SAYINGS: [&str; 7] = [
    "does not say what happens when it fails",
    "has no owner and no date",
    "cannot be measured as it is described",
    "depends on a single vendor without an alternative",
    "leaves open who may see the results",
    "is not traced to any need of the users",
    "costs more than the estimate allows",
];

/// Generates a given number of texts.
type Texts = fn(usize) -> Vec<String>;

fn said(subject: usize, saying: usize) -> String {
    format!("{} {}", SUBJECTS[subject % SUBJECTS.len()], SAYINGS[saying % SAYINGS.len()])
}

/// An artifact with a section for each subject, which has all sayings.
fn artifact() -> Artifact {
    let section = |at: usize| {
        let all: Vec<String> = (0..SAYINGS.len()).map(|saying| said(at, saying)).collect();
        format!("## {at} {}\n\n{}.\n\n", SUBJECTS[at], all.join(". "))
    };
    let text: String = (0..SUBJECTS.len()).map(section).collect();
    let bytes = text.len() as u64;
    Artifact { name: "design.md".to_owned(), text, sha256: String::new(), bytes }
}

/// Points of one list, which quote places that differ from list to list.
fn list(seed: usize) -> Vec<String> {
    let text = |at: usize| format!("Reader {seed} sees: '{}'.", said(at + seed, at / 5 + seed));
    (0..50).map(text).collect()
}

/// Fifty points on one place, with several quotations each.
fn alike(_: usize) -> Vec<String> {
    let quotes = [0, 1, 2, 3, 4, 5, 6].map(|saying| format!("'{}'", said(1, saying))).join(" ");
    (0..50).map(|at| format!("{}{quotes}", "very ".repeat(at))).collect()
}

fn voices(count: usize, lists: usize, list: fn(usize) -> Vec<String>) -> Vec<PerspectiveReply> {
    let said = |seed: usize, at: usize| {
        if at < lists { list(seed + at) } else { Vec::new() }
    };
    (0..count)
        .map(|seed| PerspectiveReply {
            perspective: format!("p{seed}"),
            title: "reader".to_owned(),
            agent: "claude".to_owned(),
            vendor: "anthropic".to_owned(),
            instead_of: None,
            critique: Critique {
                suggestions: said(seed, 0),
                weaknesses: said(seed, 1),
                strengths: said(seed, 2),
                risks: said(seed, 3),
                missing_requirements: said(seed, 4),
                rating: 3,
                ..Critique::default()
            },
        })
        .collect()
}

fn group(c: &mut Criterion) {
    let mut group = c.benchmark_group("discuss");
    group.sample_size(10);
    group.measurement_time(Duration::from_secs(3));
    let artifact = artifact();
    let sizes: [(&str, usize, usize, Texts); 5] = [
        ("5 x 1 x 50", 5, 1, list),
        ("5 x 5 x 50", 5, 5, list),
        ("9 x 5 x 50", 9, 5, list),
        ("9 x 1 x 50 alike", 9, 1, alike),
        ("9 x 5 x 50 alike", 9, 5, alike),
    ];
    for (name, count, lists, list) in sizes {
        let voices = voices(count, lists, list);
        group.bench_function(format!("themes of {name}"), |b| {
            b.iter(|| themes::group(black_box(&voices), &[&artifact]));
        });
    }
    let voices = voices(5, 5, list);
    let grouped = themes::group(&voices, &[&artifact]);
    group.bench_function("actions of 5 x 5 x 50", |b| {
        b.iter(|| actions::items(black_box(&voices), &grouped.groups));
    });
    group.finish();
}

criterion_group!(benches, group);
criterion_main!(benches);
