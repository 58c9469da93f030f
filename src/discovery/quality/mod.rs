//! The code quality agent: complex functions, little coverage, long files, modules without a test.
//!
//! [`look`] reads the project's own sources once (`scan`, in parallel, within bounds) and the coverage reports that
//! lie around (`coverage`), and judges by the thresholds of the settings (`rules`, `gaps`). It runs nothing.
//!
//! | source of evidence | what silence about an item means |
//! |---|---|
//! | `complexity`, `file_stats` | the function or file was measured again and is fine, or is gone |
//! | `missing_tests` | a test for it was found; only where every test file was read |
//! | a report's path | the report was read to its end and shows enough coverage |

mod cache;
pub mod complexity;
mod coverage;
mod facts;
mod gaps;
mod paths;
mod rules;
mod scan;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use chrono::{DateTime, Utc};

use super::finding::{AgentName, AgentRun};
use super::tree::Tree;
use crate::config::discovery::DiscoveryConfig;
use crate::protocol::backlog::model::{ActionabilityScore, Effort, Reversibility};
pub use coverage::MAX_REPORT_BYTES;
pub use paths::is_test;
pub use scan::{MAX_FILE_BYTES, MAX_LINE_BYTES, MAX_TOTAL_BYTES};

/// What the agent is given.
#[derive(Debug, Clone)]
pub struct Request {
    /// The project's own files.
    pub tree: Arc<Tree>,
    /// The thresholds.
    pub settings: DiscoveryConfig,
    /// Files that were changed lately: they are read first.
    pub changed: BTreeSet<String>,
    /// When HEAD was committed: a report from before is stale.
    pub head: Option<DateTime<Utc>>,
    /// The debate folder, for the cache; nothing is written where it is not there yet.
    pub debate: Option<PathBuf>,
    /// Bytes of sources that are read at most ([`MAX_TOTAL_BYTES`]).
    pub budget: u64,
}

/// Looks for what could be better in the code.
pub fn look(request: &Request) -> AgentRun {
    let mut run = AgentRun::new(AgentName::CodeQuality);
    let tree = request.tree.as_ref();
    let sources = tree.files.iter().any(|file| paths::is_code(&file.name));
    let reports = coverage::find(&tree.root, &modules(tree));
    if !sources && reports.is_empty() {
        return run.skipped(
            "no source file of a language that it knows (Rust, Python, JavaScript, TypeScript, Go, Java and others by \
             their lines), and no coverage report (coverage.xml, cobertura.xml, lcov.info, jacoco.xml, in the root, \
             coverage/ or target/)",
        );
    }
    let mut usable = gaps::look(request, &reports, &mut run);
    if sources {
        let mut cache = cache::Cache::open(&tree.root, request.debate.as_deref());
        let scan = scan::scan(tree, &request.changed, &mut cache, request.budget);
        cache.save();
        usable |= !scan.files.is_empty();
        rules::apply(request, &scan, &mut run);
    }
    if tree.incomplete {
        // What is in a folder that could not be read is neither fine nor gone.
        run.looked.sources.clear();
        run.leave_out(
            "folders that could not be read",
            "nothing that was found before counts as resolved",
        );
    }
    if usable {
        run
    } else {
        run.failed("nothing of what there is could be read; `skipped` says why, file by file")
    }
}

/// Folders of the root that may be projects of their own, with reports of their own.
fn modules(tree: &Tree) -> Vec<String> {
    const MANIFESTS: [&str; 7] = [
        "pom.xml",
        "build.gradle",
        "build.gradle.kts",
        "package.json",
        "Cargo.toml",
        "pyproject.toml",
        "setup.py",
    ];
    /// Most folders that are looked at.
    const MOST: usize = 200;
    (tree.files.iter())
        .filter_map(|file| file.name.rsplit_once('/'))
        .filter(|(folder, base)| MANIFESTS.contains(base) && folder.split('/').count() <= 3)
        .map(|(folder, _)| folder.to_owned())
        .take(MOST)
        .collect()
}

/// Builds a score; what this agent proposes can be taken back in full.
fn score(clarity: f64, evidence: f64, effort: Effort) -> ActionabilityScore {
    ActionabilityScore { clarity, evidence, effort, reversibility: Reversibility::Full }
}

/// Counts the ends of lines.
#[expect(
    clippy::naive_bytecount,
    reason = "a crate for it earns nothing: the compiler makes vectors of this"
)]
fn newlines(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte == b'\n').count()
}

/// Cuts a text to a number of characters.
fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(most.saturating_sub(1)).collect();
    short.push('…');
    short
}

#[cfg(test)]
mod tests;
