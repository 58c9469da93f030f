//! Pull requests: which one, what it says, and its commits in a place of our own.
//!
//! The host and the repository are those of the user's checkout as `gh` sees them, or of an address that the user
//! typed. What the pull request says is data from then on, and its branch is only compared: configuration and prompts
//! are those of the commit that it is to be merged into.

use std::path::Path;
use std::time::Duration;

use serde::Deserialize;
use tempfile::TempDir;

use super::change::{self, Scope};
use super::review;
use super::run::git::{git_host, open_git};
use super::run::signals;
use super::run::sinks::with_shell;
use super::run::tool;
use super::run::workspace::{Checkout, Workspace};
use crate::agent::roster::find_tool;
use crate::config::sinks::{SinkConfig, SinkKind};
use crate::engine::switch::Switch;
use crate::error::{Error, Kind, git_error};
use crate::git::{self, CommitId};
use crate::protocol::review::{PullRequest, SuppressionReason};
use crate::sink::pull_request::{Remote, dismissals, fetch, merge_base};
use crate::sink::{Failure, Target, github_variables};

/// Maximum time for one answer of gh.
const GH_TIMEOUT: Duration = Duration::from_secs(30);

/// Where a pull request is.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Address {
    host: String,
    /// `owner/name`.
    repo: String,
    number: u64,
}

/// A pull request, ready for a review.
#[derive(Debug)]
pub struct Fetched {
    /// The commit that it is to be merged into, whose configuration counts.
    pub checkout: Checkout,
    pull_request: PullRequest,
    scope: Scope,
    dismissed: Vec<(String, SuppressionReason)>,
    /// Removed with this value.
    _folder: TempDir,
}

impl Fetched {
    /// Makes a request the review of this pull request. Paths are relative to the user's own folder.
    pub fn fill(&self, request: &mut review::Request, dir: &Path) {
        let dir = dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
        let below = |path: &Path| {
            let path = dir.join(path);
            let inside =
                path.strip_prefix(&self.checkout.of).map(|path| self.checkout.dir.join(path));
            inside.unwrap_or(path)
        };
        let paths = request.scope.paths.iter().map(|path| below(path)).collect();
        request.scope = change::Request { scope: self.scope.clone(), paths };
        request.pull_request = Some(self.pull_request.clone());
        request.dismissed = self.dismissed.iter().cloned().collect();
    }
}

/// Reads a pull request through `gh`, and fetches its commits. `named`: its number or its address; without, that of the
/// current branch. `comment`: whether the result is posted there.
///
/// # Errors
/// There is none, gh is not there or not logged in, or something cannot be read or fetched.
pub async fn prepare(
    workspace: &Workspace,
    named: Option<&str>,
    comment: bool,
) -> Result<Fetched, Error> {
    let switch = Switch::default();
    let fetched = prepared(workspace, named, comment, &switch);
    signals::during(&workspace.stops, &switch, None, fetched).await?
}

async fn prepared(
    workspace: &Workspace,
    named: Option<&str>,
    comment: bool,
    switch: &Switch,
) -> Result<Fetched, Error> {
    let address = match named.and_then(Address::of_url) {
        Some(address) => address,
        None => address(workspace, named, switch).await?,
    };
    let sink = address.sink();
    let target = target(&sink);
    let redactor = workspace.redactor();
    let read = with_shell(workspace, &target, &redactor, switch, async |shell| {
        let remote = fetch(&sink, &shell, address.number).await?;
        let base = merge_base(&sink, &shell, &remote.base_ref_oid, &remote.head_ref_oid).await?;
        let dismissed = dismissals(&sink, &shell, &remote).await?;
        Ok::<_, Failure>((remote, base, dismissed))
    });
    let read = read.await.map_err(|why| unreadable(&address, &why))?;
    let (remote, base, dismissed) = read.map_err(|why| unreadable(&address, &why.message))?;
    let dismissed = dismissed.into_iter().filter_map(|one| {
        let severity = serde_json::from_value(one.severity.into()).ok()?;
        Some((one.fingerprint, SuppressionReason { why: one.why, severity }))
    });
    let (checkout, folder) = checked_out(
        workspace,
        &address,
        [&remote.base_ref_oid, &base, &remote.head_ref_oid],
        switch,
    )
    .await?;
    let short = |id: &str| id.get(..10).unwrap_or(id).to_owned();
    let label = format!(
        "pull request {} of {}, {} since {}",
        address.number,
        address.repo,
        short(&remote.head_ref_oid),
        short(&base)
    );
    let description = description(&remote);
    Ok(Fetched {
        checkout,
        scope: Scope::Commits { old: base, new: remote.head_ref_oid.clone(), label },
        dismissed: dismissed.collect(),
        pull_request: PullRequest {
            host: address.host,
            repo: address.repo,
            number: address.number,
            head: remote.head_ref_oid,
            title: remote.title,
            description,
            comment,
        },
        _folder: folder,
    })
}

/// Returns what the author says, and then the issues that are closed.
fn description(remote: &Remote) -> String {
    let issues = remote.issues.nodes.iter();
    let issues = issues.map(|one| format!("Issue {}: {}\n\n{}", one.number, one.title, one.body));
    let all: Vec<String> = std::iter::once(remote.body.clone()).chain(issues).collect();
    all.join("\n\n").trim().to_owned()
}

/// Returns the sink that posts on a pull request: of its repository alone.
pub(crate) fn sink_of(pull_request: &PullRequest) -> SinkConfig {
    let PullRequest { host, repo, number, .. } = pull_request;
    Address { host: host.clone(), repo: repo.clone(), number: *number }.sink()
}

pub(crate) const fn target(sink: &SinkConfig) -> Target<'_> {
    Target { kind: SinkKind::Github, config: sink, is_pull_request: true }
}

impl Address {
    /// Parses `https://github.com/owner/name/pull/12`, and what a browser puts behind it.
    fn of_url(url: &str) -> Option<Self> {
        let rest = url.trim().strip_prefix("https://")?;
        let rest = rest.split(['?', '#']).next()?;
        let mut parts = rest.split('/');
        let (host, owner, name) = (parts.next()?, parts.next()?, parts.next()?);
        let number = (parts.next()? == "pull").then(|| parts.next()?.parse().ok())??;
        let is_plain = |text: &str| {
            let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
            text.bytes().all(is_plain)
                && text.starts_with(|first: char| first.is_ascii_alphanumeric() || first == '_')
        };
        let is_whole = [host, owner, name].into_iter().all(is_plain);
        is_whole.then(|| Self { host: host.to_owned(), repo: format!("{owner}/{name}"), number })
    }

    fn sink(&self) -> SinkConfig {
        SinkConfig {
            kind: Some(SinkKind::Github),
            repo: Some(self.repo.clone()),
            host: (self.host != "github.com").then(|| self.host.clone()),
            ..SinkConfig::default()
        }
    }
}

fn unreadable(Address { repo, number, .. }: &Address, why: &str) -> Error {
    Error::new(Kind::Environment, format!("failed to read pull request {number} of {repo}: {why}"))
        .named("pull_request")
        .hint("`gh auth status` says who is logged in; gh has to be allowed to read the repository")
}

/// Asks gh for the pull request of the user's checkout.
async fn address(
    workspace: &Workspace,
    named: Option<&str>,
    switch: &Switch,
) -> Result<Address, Error> {
    let is_number = |text: &str| text.parse::<u64>().is_ok_and(|number| number > 0);
    let named = named.map(|text| text.trim().trim_start_matches('#'));
    if let Some(text) = named.filter(|text| !is_number(text)) {
        let shown = crate::text::sanitize::line(text, 100);
        return Err(Error::new(Kind::Usage, format!("`{shown}` is no pull request"))
            .hint("give its number, its address (https://github.com/OWNER/NAME/pull/12), or nothing for that of the current branch"));
    }
    let git = open_git(workspace, switch).await.map_err(|error| git_error(error, switch))?;
    let mut args = vec!["pr", "view"];
    args.extend(named);
    args.extend(["--json", "url"]);
    let failed = |why: String| {
        Error::new(Kind::Environment, format!("no pull request was found: {why}"))
            .named("pull_request")
            .hint("`gh pr view` has to show it; name another one by its number or address")
    };
    let printed = tool::gh(&git, gh(workspace)?, &args, GH_TIMEOUT, &workspace.redactor()).await;
    let printed = printed.map_err(failed)?;
    let seen: Seen = serde_json::from_slice(&printed)
        .map_err(|error| failed(format!("gh printed no address: {error}")))?;
    Address::of_url(&seen.url).ok_or_else(|| failed("gh printed no address".to_owned()))
}

#[derive(Deserialize)]
struct Seen {
    url: String,
}

fn gh(workspace: &Workspace) -> Result<std::path::PathBuf, Error> {
    find_tool("gh", &workspace.machine()).map_err(|error| {
        Error::new(Kind::Environment, format!("pull requests are read through gh: {error}"))
            .named("no_gh")
            .hint("install the GitHub CLI and log in with `gh auth login`")
    })
}

/// Fetches commits into a folder of our own, and checks out the first.
async fn checked_out(
    workspace: &Workspace,
    address: &Address,
    commits: [&String; 3],
    switch: &Switch,
) -> Result<(Checkout, TempDir), Error> {
    let failed = |error| git_error(error, switch);
    let ids: Option<Vec<CommitId>> =
        commits.iter().map(|id| CommitId::read(id.as_bytes())).collect();
    let ids = ids.ok_or_else(|| unreadable(address, "gh printed no commit ids"))?;
    let folder =
        tempfile::Builder::new().prefix("debate-agent-pr-").tempdir().map_err(|error| {
            Error::new(Kind::Environment, "failed to make a folder for the pull request")
                .because(error)
        })?;
    let dir = folder.path().canonicalize().map_err(|error| {
        Error::new(Kind::Environment, "failed to find the folder of the pull request")
            .because(error)
    })?;
    let url = format!("https://{}/{}.git", address.host, address.repo);
    // As `gh auth setup-git` has it: git asks gh for what gh is logged in with.
    let helper = format!(
        "!'{}' auth git-credential",
        gh(workspace)?.display().to_string().replace('\'', r"'\''")
    );
    let vars = github_variables(&workspace.around.vars);
    let host = git_host(workspace, switch).map_err(failed)?;
    git::checked_out(host, &dir, &url, &helper, &vars, &ids).await.map_err(failed)?;
    let of = workspace.root().to_owned();
    let sessions = of.join(&workspace.effective.config.paths.debate).into_os_string();
    let sessions = sessions.into_string().map_err(|path| {
        let what = format!("{} cannot be written as text", path.display());
        Error::new(Kind::Usage, what).hint("name `paths.debate` in UTF-8")
    })?;
    Ok((Checkout { dir, of, sessions }, folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_a_repository_and_a_number_and_nothing_else() {
        for (url, found) in [
            ("https://github.com/acme/app/pull/12", Some(("github.com", "acme/app", 12))),
            (
                "https://git.acme.dev/a_b/c.d/pull/3/files?w=1#x",
                Some(("git.acme.dev", "a_b/c.d", 3)),
            ),
            ("https://github.com/acme/app/issues/12", None),
            ("https://github.com/acme/app/pull/x", None),
            ("http://github.com/acme/app/pull/12", None),
            ("https://github.com/acme/../pull/12", None),
            ("https://github.com/-x/app/pull/12", None),
            ("https://me@github.com/acme/app/pull/12", None),
            ("https://github.com/acme/a b/pull/12", None),
            ("12", None),
        ] {
            let read = Address::of_url(url);
            let read = read.as_ref().map(|it| (it.host.as_str(), it.repo.as_str(), it.number));
            assert_eq!(read, found, "{url}");
        }
    }
}
