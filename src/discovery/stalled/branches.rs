//! Branches, from the output of git.

use chrono::{DateTime, Utc};

use super::{GIT, Rules, Source, Stall, named};
use crate::discovery::finding::{Finding, Rule};
use crate::protocol::backlog::model::Effort;

/// A stale branch with commits that the default branch lacks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Branch {
    pub name: String,
    /// The time of its last commit.
    pub committed: DateTime<Utc>,
    pub author: String,
    /// Number of its commits that `default` lacks.
    pub ahead: u64,
}

/// Creates the source for branches: `all` were examined, and `stale` are older than the limit. The
/// caller adds what was left out.
pub fn branches(default: &str, all: usize, stale: &[Branch], rules: Rules<'_>) -> Source {
    let mut source = Source::new(GIT);
    source.findings = (stale.iter())
        .filter(|branch| branch.ahead > 0 && rules.is_stale(branch.committed))
        .filter_map(|branch| finding(default, branch, rules))
        .collect();
    // A repository counts as read even if it has only its default branch.
    let mut source = source.counted(all.max(1), "branch");
    source.amount = match all {
        1 => "1 branch besides the default one".to_owned(),
        all => format!("{all} branches besides the default one"),
    };
    source
}

fn finding(default: &str, branch: &Branch, rules: Rules<'_>) -> Option<Finding> {
    let (name, ago) = (named(&branch.name)?, rules.ago(branch.committed));
    let commits = match branch.ahead {
        1 => "1 commit".to_owned(),
        ahead => format!("{ahead} commits"),
    };
    let stall = Stall {
        rule: Rule::StaleBranch,
        title: format!(
            "Branch {name} has {commits} not in {default} and has not been touched for {ago}"
        ),
        description: format!("Finish and merge it into {default}, or delete it."),
        source: GIT,
        content: format!(
            "{commits} not in {default}, the last by {} at {}",
            branch.author,
            branch.committed.to_rfc3339()
        ),
        file: None,
        at: Some(branch.committed),
        clarity: 0.7,
        evidence: 0.8,
        effort: Effort::Small,
        symbol: branch.name.clone(),
    };
    Some(stall.finding())
}
