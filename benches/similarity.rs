//! Speed of comparing two positions of a debate: ten points each, and two of the maximum size.

use std::fmt::Write as _;
use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use debate_agent::text::similarity::score;

/// Points of a position, all worded differently.
fn position(points: usize, subject: &str) -> String {
    let mut text = format!("We should keep the {subject} in a store of its own.\n");
    for point in 0..points {
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "Point {point}: the {subject} is read by service{point} more often than it is written, so a cache of size {point} pays."
        );
    }
    text
}

fn compare(c: &mut Criterion) {
    let mut group = c.benchmark_group("text_score");
    for points in [10, 600] {
        let (one, other) = (position(points, "session"), position(points, "catalogue"));
        group.bench_function(format!("{points} points each"), |b| {
            b.iter(|| score::text_score(black_box(&one), black_box(&other)));
        });
    }
    group.finish();
}

criterion_group!(benches, compare);
criterion_main!(benches);
