//! The agent for stalled work: queries git and gh, and applies the rules to their output.

use std::path::{Path, PathBuf};
use std::time::Duration;

use chrono::{DateTime, Utc};

use super::context::Context;
use crate::agent::roster::{ToolError, find_tool};
use crate::app::run::tool;
use crate::discovery::finding::AgentRun;
use crate::discovery::stalled::{self, Branch, GH, GIT, Rules, Source};
use crate::git::{self, CommitId, Git, GitError};
use crate::text::redact::Redactor;
use crate::text::sanitize;

/// The agent's sources and parameters.
#[derive(Debug)]
pub struct Request<'a> {
    /// The repository's root, absolute.
    pub root: &'a Path,
    /// The parameters of the rules.
    pub rules: Rules<'a>,
    /// The repository, or why there is none.
    pub git: Result<&'a Git, &'a GitError>,
    /// The path of gh, or why it is not run.
    pub gh: Result<PathBuf, ToolError>,
    /// Redacts secrets in gh's output.
    pub redactor: &'a Redactor,
}

/// Looks for stalled work, with the parameters from the run's context.
pub(crate) async fn run(context: &Context<'_>, git: Result<&Git, &GitError>) -> AgentRun {
    let redactor = context.workspace.redactor();
    let request = Request {
        root: &context.root,
        rules: Rules { now: context.now, config: &context.workspace.effective.config.discovery },
        git,
        gh: find_tool("gh", &context.workspace.machine()),
        redactor: &redactor,
    };
    look(&request).await
}

/// Reads every source of stalled work there is.
pub async fn look(request: &Request<'_>) -> AgentRun {
    let (root, rules) = (request.root, request.rules);
    let mut sources = Vec::new();
    match request.git {
        Ok(git) => {
            sources.push(branches(git, rules).await);
            sources.push(pull_requests(git, request).await);
        }
        Err(error) if says_no_repository(error, root) => {
            sources.push(Source::absent(GIT, error.to_string()));
        }
        Err(error) => sources.push(Source::unusable(GIT, error.to_string())),
    }
    stalled::conclude(sources)
}

/// Whether there is no repository at all, as opposed to one that cannot be read.
fn says_no_repository(error: &GitError, root: &Path) -> bool {
    match error {
        GitError::NotARepository { .. } => true,
        // Without git, only a `.git` shows that there is something to read.
        GitError::NotInstalled(_) => {
            !root.ancestors().any(|folder| folder.join(".git").symlink_metadata().is_ok())
        }
        _ => false,
    }
}

/// Maximum old branches whose commits are counted, the youngest first.
const COUNTED: usize = 500;

async fn branches(git: &Git, rules: Rules<'_>) -> Source {
    let listed = match git.branches().await {
        Ok(listed) => listed,
        Err(error) => return Source::unusable(GIT, error.to_string()),
    };
    let mut left_out: Vec<(String, String)> = Vec::new();
    let mut old = Vec::new();
    for branch in &listed.others {
        let what = || format!("branch {}", sanitize::line(&branch.name, 200));
        match branch.committed {
            None => left_out
                .push((what(), "the time of its last commit is not a valid time".to_owned())),
            Some(at) if at > rules.now => {
                left_out.push((what(), format!("its last commit is in the future ({at})")));
            }
            Some(at) if rules.is_stale(at) => old.push((at, branch, what())),
            Some(_) => {}
        }
    }
    old.sort_by(|one, other| other.0.cmp(&one.0).then_with(|| one.1.name.cmp(&other.1.name)));
    if old.len() > COUNTED {
        let more = old.len() - COUNTED;
        left_out.push((GIT.to_owned(), format!("{more} even older branches were not looked at")));
        old.truncate(COUNTED);
    }
    let (stale, uncounted) = count(git, old, &listed.base).await;
    left_out.extend(uncounted);
    let mut source = stalled::branches(&listed.default, listed.others.len(), &stale, rules);
    for (what, why) in left_out {
        source.leave_out(what, why);
    }
    source
}

/// Counts the commits unique to each branch: with one call or, if that fails, with one for each, so that only a
/// broken branch is left out.
async fn count(
    git: &Git,
    old: Vec<(DateTime<Utc>, &git::Branch, String)>,
    base: &[CommitId],
) -> (Vec<Branch>, Vec<(String, String)>) {
    let tips: Vec<&CommitId> = old.iter().map(|(_, branch, _)| &branch.tip).collect();
    let counted = git.all_ahead(&tips, base).await.ok();
    let mut counted = counted.into_iter().flatten();
    let (mut stale, mut left_out) = (Vec::new(), Vec::new());
    for (committed, branch, what) in old {
        let ahead = match counted.next() {
            Some(ahead) => Ok(ahead),
            None => git.ahead(&branch.tip, base).await,
        };
        match ahead {
            Ok(ahead) => stale.push(Branch {
                name: branch.name.clone(),
                committed,
                author: branch.author.clone(),
                ahead,
            }),
            Err(error @ (GitError::Stopped { .. } | GitError::TimedOut { .. })) => {
                left_out.push((what, format!("{error}; no branch after it was looked at")));
                break;
            }
            Err(error) => left_out.push((what, error.to_string())),
        }
    }
    (stale, left_out)
}

/// Maximum time for gh, which queries a server.
const GH_TIMEOUT: Duration = Duration::from_secs(20);

/// The arguments of gh. [`stalled::PULL_REQUESTS`] is its limit.
const GH_ARGS: [&str; 8] = [
    "pr",
    "list",
    "--state",
    "open",
    "--limit",
    "100",
    "--json",
    "number,title,headRefName,updatedAt,url,isDraft,author",
];

async fn pull_requests(git: &Git, request: &Request<'_>) -> Source {
    let program = match &request.gh {
        Ok(program) => program,
        Err(ToolError::Missing(_)) => {
            return Source::absent(
                GH,
                "gh is not on PATH: install it to have pull requests looked at",
            );
        }
        Err(error @ ToolError::Unsafe(_)) => return Source::unusable(GH, error.to_string()),
    };
    if !git.has_remote() {
        return Source::absent(GH, "the repository has no remote, so it has no pull requests");
    }
    match tool::gh(git, program.clone(), &GH_ARGS, GH_TIMEOUT, request.redactor).await {
        Ok(printed) => stalled::pull_requests(&printed, request.rules),
        Err(why) => Source::unusable(GH, why),
    }
}
