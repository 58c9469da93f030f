//! Speed of grouping the perspectives' points on an artifact: the maximum of five perspectives in one list each, the
//! maximum of five and nine in all lists, and the same with all points alike.

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use debate_agent::protocol::discuss::{Critique, PerspectiveReply, actions, themes};

const SUBJECTS: [&str; 10] = [
    "the import of orders",
    "the export of reports",
    "the success metrics of the launch",
    "the rollback plan for the migration",
    "the onboarding flow for new users",
    "the audit log of administrators",
    "the payment gateway",
    "the retention of personal data",
    "the test plan for the mobile client",
    "the pricing model for large customers",
];

const SAYINGS: [&str; 10] = [
    "does not say what happens when it fails",
    "has no owner and no date",
    "cannot be measured as it is described",
    "depends on a single vendor without an alternative",
    "is described twice and differently",
    "leaves open who may see the results",
    "takes too long under load",
    "needs acceptance criteria that can be tested",
    "is not traced to any need of the users",
    "costs more than the estimate allows",
];

/// Generates a given number of texts.
type Texts = fn(usize) -> Vec<String>;

/// Points of one list, in words that differ from list to list.
fn list(seed: usize) -> Vec<String> {
    let text = |at: usize| {
        let (subject, saying) = ((at + seed) % 10, (at / 10 + 3 * seed) % 10);
        format!("For reader {seed} {} {}.", SUBJECTS[subject], SAYINGS[saying])
    };
    (0..50).map(text).collect()
}

/// Fifty variants of the same statement.
fn alike(seed: usize) -> Vec<String> {
    let text = |at: usize| {
        format!(
            "Cache the {}{}session data of all users in Redis.",
            "very ".repeat(at),
            "quite ".repeat(seed)
        )
    };
    (0..50).map(text).collect()
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
            b.iter(|| themes::group(black_box(&voices)));
        });
    }
    let voices = voices(5, 5, list);
    group.bench_function("actions of 5 x 5 x 50", |b| {
        b.iter(|| actions::items(black_box(&voices), &actions::gaps(&voices)));
    });
    group.finish();
}

criterion_group!(benches, group);
criterion_main!(benches);
