//! The time to read and fold a journal of 10,000 records, with and without its answers.
//!
//! Promised: under 100 ms for the fold, under 200 ms with every answer read and hashed again.
#![expect(clippy::unwrap_used, reason = "a benchmark may fail")]

#[path = "support/session.rs"]
mod session;

use criterion::{Criterion, criterion_group, criterion_main};

fn fold(c: &mut Criterion) {
    let (_dir, store) = session::stored();
    let mut group = c.benchmark_group("journal");
    group.sample_size(20);
    group.bench_function("fold 10,000 records", |b| b.iter(|| session::fold(&store)));
    group.bench_function("fold 10,000 records and read 2,500 answers", |b| {
        b.iter(|| session::fold_with_answers(&store));
    });
    group.finish();
}

criterion_group!(benches, fold);
criterion_main!(benches);
