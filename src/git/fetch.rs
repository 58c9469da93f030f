//! Commits of another repository, fetched into one of our own: the user's checkout, index, branches and stash have no
//! part in it.

use std::path::Path;
use std::time::Duration;

use super::call::{Caller, Subcommand};
use super::{CommitId, Git, GitError, Host};
use crate::ordered::BTreeMap;

/// Maximum time of a fetch, and of a checkout: the files of two commits of a large repository.
const FETCH_TIMEOUT: Duration = Duration::from_mins(10);

/// Against the settings that let git talk to nobody. The user's own configuration may name a mirror, which may be
/// reached through ssh or be a folder.
const SETTINGS: [&str; 6] = [
    "protocol.https.allow=always",
    "protocol.ssh.allow=always",
    "protocol.file.allow=always",
    "fetch.recurseSubmodules=false",
    "gc.auto=0",
    "maintenance.auto=false",
];
const VARS: [(&str, &str); 2] =
    [("GIT_ALLOW_PROTOCOL", "https:ssh:file"), ("GIT_SSH_COMMAND", "ssh -oBatchMode=yes")];
/// What git and the helper need to reach the server as the user.
const PASSED: [&str; 1] = ["SSH_AUTH_SOCK"];

/// Makes a repository in the empty folder `dir` that has these commits without their history, with the first of them
/// checked out.
///
/// `url` and `helper` (a credential helper, as git's setting has it) are the caller's own, never a repository's; `vars`
/// are those of the helper.
///
/// # Errors
/// git failed: there is no such commit, no network, no permission.
pub async fn checked_out(
    host: Host,
    dir: &Path,
    url: &str,
    helper: &str,
    vars: &BTreeMap<String, String>,
    commits: &[CommitId],
) -> Result<(), GitError> {
    let mut caller = Caller::new(host.clone(), dir.to_owned());
    // Without a template there is no hook either.
    caller.call(Subcommand::Init, &["--quiet", "--template="]).await?.whole()?;
    caller.host.limits.timeout = FETCH_TIMEOUT;
    caller.shields = SETTINGS.map(str::to_owned).into();
    caller.shields.push(format!("credential.helper={helper}"));
    let passed = PASSED.iter().filter_map(|name| Some((*name, host.vars.get(*name)?.clone())));
    let theirs = vars.iter().map(|(name, value)| (name.as_str(), value.clone()));
    let ours = VARS.iter().map(|(name, value)| (*name, (*value).to_owned()));
    let vars: Vec<_> = theirs.chain(passed).chain(ours).collect();
    let mut args = vec!["--quiet", "--no-tags", "--no-write-fetch-head", "--depth=1", "--", url];
    args.extend(commits.iter().map(CommitId::as_str));
    caller.run(Subcommand::Fetch, &args, Vec::new(), &vars).await?.whole()?;
    // Opened anew: now the filters of the user's configuration are switched off.
    let mut git = Git::open(host, dir).await?;
    git.caller.host.limits.timeout = FETCH_TIMEOUT;
    if let Some(first) = commits.first() {
        let args = ["--quiet", "--force", "--detach", first.as_str()];
        git.caller.call(Subcommand::Checkout, &args).await?.whole()?;
    }
    Ok(())
}
