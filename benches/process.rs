//! The cost of a run: the start of a guard and a program, a large answer, many runs at once.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark prints its figures and may fail"
)]

use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group, criterion_main};
use debate_agent::process::{Control, Depth, Ending, Limits, Sink, Spec, run};
use tokio::sync::watch;

#[derive(Default)]
struct Counter(u64);

impl Sink for Counter {
    fn stdout(&mut self, chunk: &[u8]) {
        self.0 += black_box(chunk).len() as u64;
    }
    fn stderr(&mut self, _chunk: &[u8]) {}
}

fn spec(script: &str) -> Spec {
    Spec {
        guard: env!("CARGO_BIN_EXE_debate-agent").into(),
        program: "/bin/sh".into(),
        args: vec!["-c".into(), script.into()],
        depth: Depth::Counts,
        env: BTreeMap::from([("PATH".into(), "/usr/bin:/bin".into())]),
        cwd: "/".into(),
        scratch: None,
        stdin: b"prompt".to_vec(),
        tag: debate_agent::env::unique(),
        limits: Limits { stdout_bytes: u64::MAX, ..Limits::default() },
    }
}

async fn once(script: &str) -> u64 {
    let (_control, listener) = watch::channel(Control::Run);
    let mut counter = Counter::default();
    let ran = run(&spec(script), listener, &mut counter).await;
    assert_eq!(ran.ending, Ending::Exited { code: 0 });
    counter.0
}

/// Returns this process's peak memory in kB.
fn peak() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM"));
    line.unwrap_or("unknown").to_owned()
}

fn process(criterion: &mut Criterion) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    criterion.bench_function("run true under a guard", |bencher| {
        bencher.iter(|| runtime.block_on(once("exit 0")));
    });
    let before = peak();
    let start = Instant::now();
    let bytes = runtime.block_on(once("head -c 500000000 /dev/zero"));
    let took = start.elapsed();
    println!("{bytes} bytes of stdout: {took:?}; peak memory {before} -> {}", peak());
    let start = Instant::now();
    runtime.block_on(futures_util::future::join_all((0..100).map(|_| once("sleep 1"))));
    println!("100 runs of 1 s at once: {:?}; peak memory {}", start.elapsed(), peak());
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(30).measurement_time(Duration::from_secs(3));
    targets = process
}
criterion_main!(benches);
