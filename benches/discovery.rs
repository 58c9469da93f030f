//! Speed of examining the code of a large tree: the walk, and the scan for facts.
//!
//! The tree has 50,000 files in 2,000 folders, Rust, Python and TypeScript in turn, some 50 MiB: as much as one run
//! reads. It is in the temporary folder and in the page cache.

#![expect(clippy::expect_used, reason = "a bench without its tree measures nothing")]

use std::fmt::Write as _;
use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use debate_agent::config::discovery::DiscoveryConfig;
use debate_agent::discovery::finding::AgentStatus;
use debate_agent::discovery::quality::{self, Complexity, MAX_TOTAL_BYTES, Request};
use debate_agent::discovery::tree::Tree;

const FILES: usize = 50_000;

/// A source of about a kilobyte; no two are the same.
fn source(n: usize) -> (&'static str, String) {
    let mut text = String::new();
    let (extension, comment) = [("rs", "//"), ("py", "#"), ("ts", "//")][n % 3];
    // Writing to a String cannot fail.
    let _ = writeln!(text, "{comment} unit {n}");
    for part in 0..4 {
        let _ = match extension {
            "rs" => writeln!(
                text,
                "/// Adds what is due.\npub fn unit_{n}_{part}(lines: &[Line], limit: Option<u64>) -> Result<u64, Error> {{\n    let mut sum = 0;\n    for line in lines {{\n        if line.paid && !line.void {{\n            sum += line.amount?;\n        }}\n    }}\n    match limit {{\n        Some(limit) if sum > limit => Err(Error::Limit),\n        Some(_) | None => Ok(sum),\n    }}\n}}\n"
            ),
            "py" => writeln!(
                text,
                "def unit_{n}_{part}(lines, limit=None):\n    \"\"\"Adds what is due.\"\"\"\n    total = sum(line.amount for line in lines if line.paid and not line.void)\n    try:\n        if limit is not None and total > limit:\n            raise ValueError(f\"{{total}} is above {{limit}}\")\n    except TypeError:\n        return None\n    return total\n\n"
            ),
            _ => writeln!(
                text,
                "/** Adds what is due. */\nexport const unit{n}x{part} = async (lines: Line[], limit?: number): Promise<number> => {{\n  let sum = 0;\n  for (const line of lines) {{\n    if (line.paid && !line.void) sum += line.amount ?? 0;\n  }}\n  return limit !== undefined && sum > limit ? limit : sum;\n}};\n"
            ),
        };
    }
    (extension, text)
}

fn make(root: &Path) {
    for n in 0..FILES {
        let (extension, text) = source(n);
        let part = if n % 7 == 0 { "tests" } else { "src" };
        let folder = root.join(format!("package{}/{part}/part{}", n % 50, (n / 50) % 20));
        fs::create_dir_all(&folder).expect("a folder");
        fs::write(folder.join(format!("unit_{n}.{extension}")), text).expect("a file");
    }
}

fn discovery(c: &mut Criterion) {
    let dir = tempfile::tempdir().expect("a temporary folder");
    make(dir.path());
    let read = || Tree::read(dir.path(), &[]).expect("a tree").0;
    let mut group = c.benchmark_group("discovery");
    group.sample_size(10);
    group.throughput(Throughput::Elements(FILES as u64));
    group.bench_function("walk of 50,000 files", |b| {
        b.iter(|| assert_eq!(black_box(read()).files.len(), FILES));
    });
    let request = Request {
        tree: Arc::new(read()),
        settings: DiscoveryConfig::default(),
        changed: std::collections::BTreeMap::new(),
        commits: 200,
        complexity: Complexity::Unknown,
        head: None,
        budget: MAX_TOTAL_BYTES,
    };
    group.bench_function("judging 50,000 files", |b| {
        b.iter(|| {
            let run = quality::look(black_box(&request));
            assert_eq!(run.status, AgentStatus::Completed);
        });
    });
    group.finish();
}

criterion_group!(benches, discovery);
criterion_main!(benches);
