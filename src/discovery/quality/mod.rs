//! The code quality agent: long and complex functions, little coverage, long files, large files that change often,
//! modules without a test.
//!
//! [`look`] reads the project's own sources once (`scan`, in parallel, within bounds), any coverage reports present
//! (`coverage`) and what `lizard` printed, and judges them by thresholds (`rules`, `gaps`, `lizard`). It runs nothing.
//!
//! | source of evidence | meaning of silence about an item |
//! |---|---|
//! | `complexity`, `file_stats` | the function or file was measured again and is fine, or is gone; complexity by lizard alone |
//! | `missing_tests` | a test for it was found; only if every test file was read |
//! | a report's path | the report was read to its end and shows enough coverage |

mod coverage;
mod facts;
mod functions;
mod gaps;
mod lizard;
mod paths;
mod rules;
mod scan;

use std::collections::BTreeMap;
use std::sync::Arc;

use chrono::{DateTime, Utc};

use super::finding::{AgentName, AgentRun};
use super::tree::Tree;
use crate::config::discovery::DiscoveryConfig;
use crate::protocol::backlog::model::{ActionabilityScore, Effort, Reversibility};
pub use coverage::MAX_REPORT_BYTES;
pub use lizard::Complexity;
pub use paths::{is_code, is_test};
pub use scan::{MAX_FILE_BYTES, MAX_LINE_BYTES, MAX_TOTAL_BYTES};

/// The agent's input.
#[derive(Debug, Clone)]
pub struct Request {
    /// The project's own files.
    pub tree: Arc<Tree>,
    pub settings: DiscoveryConfig,
    /// Recently changed files, each with how many of the last commits changed it: they are read first.
    pub changed: BTreeMap<String, u32>,
    /// How many of the last commits those are counted in.
    pub commits: u32,
    /// What lizard says of the functions.
    pub complexity: Complexity,
    /// Commit time of HEAD: an older report is stale.
    pub head: Option<DateTime<Utc>>,
    /// Maximum total size of sources read, in bytes ([`MAX_TOTAL_BYTES`]).
    pub budget: u64,
}

/// Looks for possible improvements of the code.
pub fn look(request: &Request) -> AgentRun {
    let mut run = AgentRun::new(AgentName::CodeQuality);
    let tree = request.tree.as_ref();
    let sources = tree.files.iter().any(|file| is_code(&file.name));
    let reports = coverage::find(&tree.root, &modules(tree));
    if !sources && reports.is_empty() {
        return run.skipped(
            "no source file, and no coverage report (coverage.xml, cobertura.xml, lcov.info, in the root, coverage/ or \
             target/)",
        );
    }
    let mut usable = gaps::look(request, &reports, &mut run);
    if sources {
        let scan = scan::scan(tree, &request.changed, request.budget);
        usable |= !scan.files.is_empty();
        rules::apply(request, &scan, &mut run);
        lizard::apply(&request.complexity, &mut run);
    }
    if tree.incomplete {
        // The content of an unreadable folder is neither fine nor gone.
        run.looked.sources.clear();
        run.leave_out(
            "folders that could not be read",
            "nothing that was found before counts as resolved",
        );
    }
    if usable {
        run
    } else {
        run.failed("none of it could be read; `skipped` says why, file by file")
    }
}

/// Folders of the root that may be projects with their own reports.
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
    /// Maximum number of folders examined.
    const MOST: usize = 200;
    (tree.files.iter())
        .filter_map(|file| file.name.rsplit_once('/'))
        .filter(|(folder, base)| MANIFESTS.contains(base) && folder.split('/').count() <= 3)
        .map(|(folder, _)| folder.to_owned())
        .take(MOST)
        .collect()
}

/// Builds a score; this agent's proposals are fully reversible.
fn score(clarity: f64, evidence: f64, effort: Effort) -> ActionabilityScore {
    ActionabilityScore { clarity, evidence, effort, reversibility: Reversibility::Full }
}

/// Counts line ends.
#[expect(
    clippy::naive_bytecount,
    reason = "a crate for it earns nothing: the compiler makes vectors of this"
)]
fn newlines(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte == b'\n').count()
}

/// Cuts a text to `most` characters.
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
