//! Branches, as git told them.

use chrono::{DateTime, Utc};

use super::{GIT, Rules, Source, Stall, named};
use crate::discovery::finding::{Finding, Rule};
use crate::protocol::backlog::model::Effort;

/// A branch with commits that the default branch has not, and untouched for too long.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Branch {
    /// Its name.
    pub name: String,
    /// When its last commit was made.
    pub committed: DateTime<Utc>,
    /// Who made it.
    pub author: String,
    /// Its commits that `default` has not.
    pub ahead: u64,
}

/// Makes the source of the branches: `all` were looked at, and `stale` are older than the limit.
/// What was left out is the caller's to add.
pub fn branches(default: &str, all: usize, stale: &[Branch], rules: Rules<'_>) -> Source {
    let mut source = Source::new(GIT);
    source.findings = (stale.iter())
        .filter(|branch| branch.ahead > 0 && rules.is_stale(branch.committed))
        .filter_map(|branch| finding(default, branch, rules))
        .collect();
    // A repository was read even where it has no branch besides its default one.
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
            "Branch {name} has {commits} not in {default} and was not touched for {ago}"
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
