//! Speed of parsing a large diff and splitting it into prompts: 40 MB in 400 files, in git's output format.
//!
//! Reading it from git is not included: `diff` on a real repository of that size is measured by hand.

#![expect(clippy::expect_used, reason = "a bench without its diff measures nothing")]

use std::fmt::Write as _;
use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use debate_agent::change::assemble::{Assembler, ShowLimits};
use debate_agent::change::parse::{self, Entry};
use debate_agent::change::policy::{self, Policy};
use debate_agent::change::{Change, ChangeKind, ChangedFile};

const FILES: usize = 400;
/// Hunks of a file, and lines of a hunk: 24 of 90 bytes, half of them old.
const HUNKS: usize = 46;
const LINES: usize = 24;

/// The output of `--raw -z --patch` for it.
fn printed() -> Vec<u8> {
    const ID: &str = "0123456789abcdef0123456789abcdef01234567";
    let mut list = String::new();
    let mut patch = String::new();
    // Writing to a String cannot fail.
    for file in 0..FILES {
        let name = format!("src/part_{file:03}/mod.rs");
        let _ = write!(list, ":100644 100644 {ID} {ID} M\0{name}\0");
        let _ = write!(
            patch,
            "diff --git a/{name} b/{name}\nindex {ID}..{ID} 100644\n--- a/{name}\n+++ b/{name}\n"
        );
        for hunk in 0..HUNKS {
            let (start, half) = (hunk * 100 + 1, LINES / 2);
            let _ = writeln!(patch, "@@ -{start},{half} +{start},{half} @@ fn part_{hunk}()");
            for line in 0..LINES {
                let mark = if line % 2 == 0 { '-' } else { '+' };
                let _ = writeln!(
                    patch,
                    "{mark}        let total = lines.iter().filter(|line| line.paid).sum::<u64>(); // {line:>8}"
                );
            }
        }
    }
    format!("{list}\0{patch}").into_bytes()
}

fn assemble(entries: &[Entry<'_>], policy: &Policy) -> Change {
    let room = ShowLimits { batch_bytes: 400_000, batches: 8, require_complete: false };
    let mut into = Assembler::new("bench".to_owned(), None, room);
    for entry in entries {
        let path = parse::path_text(&entry.listed.path);
        if policy.by_name(&path, policy::PLAIN).is_some() {
            continue;
        }
        for section in &entry.sections {
            let (added, removed) = parse::count(section);
            into.count(added, removed, section.len());
            let section = parse::section(section).expect("the diff is well-formed");
            let file = ChangedFile {
                path: path.clone(),
                old_path: None,
                kind: ChangeKind::Modified,
                modes: None,
                hunks: section.hunks,
                lines: None,
                text: None,
            };
            if policy::by_content(file.kind, false, &file.hunks, None).is_none() {
                into.show(file);
            }
        }
    }
    into.finish()
}

fn change(c: &mut Criterion) {
    let printed = printed();
    let policy = Policy::new(&["Cargo.lock".to_owned()], &[], &[], &[]).expect("patterns");
    let mut group = c.benchmark_group("change");
    group.throughput(Throughput::Bytes(printed.len() as u64));
    group.sample_size(10);
    group.bench_function("part 40 MB at its files", |b| {
        b.iter(|| parse::entries(black_box(&printed)).map(|entries| entries.len()));
    });
    group.bench_function("read, judge and assemble 40 MB", |b| {
        let entries = parse::entries(&printed).expect("the list is well-formed");
        b.iter(|| assemble(black_box(&entries), &policy));
    });
    group.finish();
}

criterion_group!(benches, change);
criterion_main!(benches);
