//! Speed of the processing of every reply: scan and parse, redaction, sanitizing.

#[path = "support/reply.rs"]
mod reply;

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use debate_agent::text::block::extract;
use debate_agent::text::block::quotation::{Data, own};
use debate_agent::text::fence::fence;
use debate_agent::text::redact::Redactor;
use debate_agent::text::sanitize;
use reply::{MIB, WANT, prose};

fn scan_and_parse(c: &mut Criterion) {
    let reply = reply::reply();
    let mut group = c.benchmark_group("reply");
    group.sample_size(20);
    group.throughput(Throughput::Bytes(reply.len() as u64));
    group.bench_function("scan and parse 10 MiB with a 1 MiB block", |b| {
        b.iter(|| {
            let found = extract(black_box(reply.as_bytes()), false, &[WANT], &[]);
            assert!(found.is_ok());
            found
        });
    });
    group.finish();
}

/// A prompt of 2 MiB that plants a block of 1 MiB, and a reply that quotes it.
fn quote(c: &mut Criterion) {
    let planted = format!(
        "<<<REVIEW_START>>>\n[\"{}\"]\n<<<REVIEW_END>>>\n",
        prose(MIB).replace(['\n', '"', '\\'], " ")
    );
    let shown = format!("{}\n{planted}", prose(MIB));
    let prompt = fence("diff", &shown, "b0unda7y").0;
    let mut group = c.benchmark_group("quotation");
    group.sample_size(20);
    group.throughput(Throughput::Bytes((prompt.len() + planted.len()) as u64));
    group.bench_function("1 MiB quoted of a prompt of 2 MiB", |b| {
        b.iter(|| {
            let data = Data::of(black_box(&prompt), "b0unda7y");
            let own = own(black_box(planted.as_bytes()), &[WANT], &data);
            assert!(own.is_some());
            own
        });
    });
    group.finish();
}

fn redact(c: &mut Criterion) {
    let secrets: Vec<String> = (0..12).map(|n| format!("canary-{n}-0123456789abcdef")).collect();
    let redactor = Redactor::new(&secrets);
    let text = prose(16 * MIB);
    let mut group = c.benchmark_group("redact");
    group.sample_size(20);
    group.throughput(Throughput::Bytes(text.len() as u64));
    group.bench_function("16 MiB in chunks of 8 KiB", |b| {
        b.iter(|| {
            let mut stream = redactor.stream();
            let mut written = 0;
            for chunk in text.as_bytes().chunks(8 << 10) {
                written += stream.push(black_box(chunk)).len();
            }
            written + stream.finish().len()
        });
    });
    // Code contains more of the rules' keywords than prose.
    let code = include_str!("../src/app/run/attempts.rs").repeat(100);
    group.throughput(Throughput::Bytes(code.len() as u64));
    group.bench_function("code in chunks of 8 KiB", |b| {
        b.iter(|| {
            let mut stream = redactor.stream();
            let mut written = 0;
            for chunk in code.as_bytes().chunks(8 << 10) {
                written += stream.push(black_box(chunk)).len();
            }
            written + stream.finish().len()
        });
    });
    group.finish();
}

fn clean(c: &mut Criterion) {
    let text = prose(4 * MIB);
    let mut group = c.benchmark_group("sanitize");
    group.sample_size(20);
    group.throughput(Throughput::Bytes(text.len() as u64));
    group.bench_function("terminal, 4 MiB", |b| {
        b.iter(|| sanitize::terminal(black_box(&text)));
    });
    group.bench_function("markdown, 4 MiB", |b| {
        b.iter(|| sanitize::markdown(black_box(&text)));
    });
    group.finish();
}

criterion_group!(benches, scan_and_parse, quote, redact, clean);
criterion_main!(benches);
