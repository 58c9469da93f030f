//! `github`: one comment per session and issue, a draft pull request with the record, closing the issue.

use serde::Deserialize;
use serde_json::{Value, json};

use super::shell::{Call, Failure, Shell};
use super::{Export, Step, StepAction};
use crate::config::sinks::SinkConfig;
use crate::kernel::Usd;
use crate::ordered::{BTreeMap, Gather};
use crate::text::sanitize;

/// Maximum length of a comment in characters; GitHub allows 65,536.
const MOST_CHARS: usize = 60_000;

/// The progress of a session, for the comment that reports it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Progress {
    /// The session's title.
    pub title: String,
    /// The current round, from 1.
    pub round: u32,
    /// Maximum number of rounds.
    pub of: u32,
    /// Amount spent so far.
    pub spent: Usd,
    /// Why it stopped, if it can be resumed.
    pub stopped: Option<String>,
}

impl Progress {
    pub(crate) fn step(&self, config: &SinkConfig, session: &str, issue: u64) -> Step {
        let far = match &self.stopped {
            Some(outcome) => format!(
                "Stopped in round {} ({}), spent {}. It can be resumed: `debate-agent sessions resume {session}`.",
                self.round,
                inert(outcome),
                self.spent
            ),
            None => format!(
                "Round {} of at most {} is running, {} spent so far.",
                self.round, self.of, self.spent
            ),
        };
        let (marker, title) = (marker(session), inert(&self.title));
        let body = format!("{marker}\n**{title}**\n\n{far}\n");
        comment_step(config, issue, body)
    }
}

pub(super) fn steps(config: &SinkConfig, export: &Export) -> Result<Vec<Step>, String> {
    let repo = repo(config);
    let issue = export.issue.or(config.issue);
    let mut steps = Vec::new();
    if let Some(issue) = issue {
        steps.push(comment_step(config, issue, body(export)));
    }
    if config.pull_request && export.decided && export.code_change_required {
        steps.push(Step::new(StepAction::PullRequest, "pull-request", &[repo, &export.session]));
    }
    if let Some(issue) = issue.filter(|_| config.close && export.decided) {
        let parts = [repo, &issue.to_string()];
        steps.push(Step::new(StepAction::Close { issue }, "close", &parts));
    }
    if steps.is_empty() {
        return Err(
            "no issue is named: set `issue` of the sink, or `--set sinks.NAME.issue=N`".to_owned()
        );
    }
    Ok(steps)
}

fn comment_step(config: &SinkConfig, issue: u64, body: String) -> Step {
    let parts = [repo(config), &issue.to_string(), &body].map(str::to_owned);
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    Step::new(StepAction::Comment { issue, body }, "comment", &parts)
}

fn repo(config: &SinkConfig) -> &str {
    config.repo.as_deref().unwrap_or_default()
}

/// The start of our comments. No other text can start one: agents' text comes after it.
pub(super) fn marker(session: &str) -> String {
    format!("<!-- debate-agent session {session} -->")
}

fn inert(text: &str) -> String {
    sanitize::markdown(text)
}

/// Returns the comment of a session that has ended. The record is already inert: nothing in it can end the fold
/// around it.
fn body(export: &Export) -> String {
    let shown = sanitize::beginning(&export.record, MOST_CHARS);
    let more = if shown.len() < export.record.len() {
        let all = format!("debate-agent sessions show {} --format markdown", export.session);
        let seal = &export.seal;
        format!("\nThe record is longer than a comment may be; `{all}` has all of it.\n{seal}")
    } else {
        String::new()
    };
    let undecided = if export.decided { "" } else { "Nothing was decided.\n\n" };
    format!(
        "{}\n**{}**\n\n{undecided}<details><summary>Record of the debate</summary>\n\n{shown}{more}\n</details>\n",
        marker(&export.session),
        inert(&export.headline),
    )
}

pub(super) async fn api(
    config: &SinkConfig,
    shell: &Shell<'_>,
    method: &str,
    path: &str,
    body: Option<&Value>,
) -> Result<Vec<u8>, Failure> {
    let mut args = vec!["api".to_owned()];
    if let Some(host) = &config.host {
        args.extend(["--hostname".to_owned(), host.clone()]);
    }
    args.extend(["--method", method].map(str::to_owned));
    let stdin = match body {
        Some(body) => {
            args.extend(["--input", "-"].map(str::to_owned));
            body.to_string().into_bytes()
        }
        None => Vec::new(),
    };
    if path.contains('?') && method == "GET" && path.contains("per_page") {
        args.push("--paginate".to_owned());
    }
    args.push(path.to_owned());
    let program = "gh";
    shell.run(Call { program, args, stdin }).await
}

pub(super) fn read<T: for<'de> Deserialize<'de>>(bytes: &[u8], what: &str) -> Result<T, Failure> {
    serde_json::from_slice(bytes)
        .map_err(|error| Failure::lasting(format!("gh printed no {what}: {error}")))
}

#[derive(Deserialize)]
pub(super) struct Comment {
    id: u64,
    #[serde(default)]
    pub(super) body: Option<String>,
    #[serde(default)]
    user: Option<User>,
}

#[derive(Deserialize)]
struct User {
    login: String,
}

/// Parses all pages: one array, or one per page.
fn comments(bytes: &[u8]) -> Result<Vec<Comment>, Failure> {
    let pages = serde_json::Deserializer::from_slice(bytes).into_iter::<Vec<Comment>>();
    let pages: Result<Vec<_>, _> = pages.collect();
    let pages =
        pages.map_err(|error| Failure::lasting(format!("gh printed no comments: {error}")))?;
    Ok(pages.into_iter().flatten().collect())
}

/// Returns the account name under which comments are written. An app's token has no user, so `/user` does not work.
async fn viewer(config: &SinkConfig, shell: &Shell<'_>) -> Result<String, Failure> {
    let query = json!({ "query": "query { viewer { login } }" });
    let found: Value =
        read(&api(config, shell, "POST", "graphql", Some(&query)).await?, "name of a user")?;
    (found["data"]["viewer"]["login"].as_str())
        .map(str::to_owned)
        .ok_or_else(|| Failure::lasting("gh does not say who is logged in"))
}

/// Creates or updates our comment on an issue that begins with `first`: an existing one is changed, so there is never a
/// second.
pub(super) async fn comment(
    config: &SinkConfig,
    shell: &Shell<'_>,
    first: &str,
    issue: u64,
    body: &str,
) -> Result<(), Failure> {
    let repo = repo(config);
    let sent = json!({ "body": body });
    match ours(config, shell, first, issue).await? {
        Some(comment) if same(comment.body.as_deref(), body) => Ok(()),
        Some(comment) => {
            let path = format!("repos/{repo}/issues/comments/{}", comment.id);
            api(config, shell, "PATCH", &path, Some(&sent)).await.map(drop)
        }
        None => {
            let path = format!("repos/{repo}/issues/{issue}/comments");
            api(config, shell, "POST", &path, Some(&sent)).await.map(drop)
        }
    }
}

/// Finds our comment on an issue that begins with `first`.
pub(super) async fn ours(
    config: &SinkConfig,
    shell: &Shell<'_>,
    first: &str,
    issue: u64,
) -> Result<Option<Comment>, Failure> {
    let path = format!("repos/{}/issues/{issue}/comments?per_page=100", repo(config));
    let listed = api(config, shell, "GET", &path, None).await?;
    let marked: Vec<Comment> = comments(&listed)?
        .into_iter()
        .filter(|comment| (comment.body.as_deref()).is_some_and(|body| body.starts_with(first)))
        .collect();
    if marked.is_empty() {
        return Ok(None);
    }
    // Somebody else's comment is not ours, whatever it begins with.
    let viewer = viewer(config, shell).await?;
    let is_ours =
        |comment: &Comment| (comment.user.as_ref()).is_some_and(|user| user.login == viewer);
    Ok(marked.into_iter().find(is_ours))
}

/// Compares texts, ignoring GitHub's line ends.
fn same(there: Option<&str>, body: &str) -> bool {
    let lines = |text: &str| text.trim_end().lines().map(str::to_owned).collect::<Vec<_>>();
    there.is_some_and(|there| lines(there) == lines(body))
}

/// Closes the issue, unless it is closed already.
pub(super) async fn close(
    config: &SinkConfig,
    shell: &Shell<'_>,
    issue: u64,
) -> Result<(), Failure> {
    let path = format!("repos/{}/issues/{issue}", repo(config));
    let state = json!({ "state": "closed", "state_reason": "completed" });
    api(config, shell, "PATCH", &path, Some(&state)).await.map(drop)
}

/// Opens a draft pull request from a branch with only the record. The branch is created together with its commit, in
/// one call, and only if it does not exist; the same applies to the pull request.
pub(super) async fn pull_request(
    config: &SinkConfig,
    shell: &Shell<'_>,
    export: &Export,
) -> Result<(), Failure> {
    let repo = repo(config);
    let branch = format!("debate/{}", export.session);
    let base =
        text(&api(config, shell, "GET", &format!("repos/{repo}"), None).await?, "/default_branch")?;
    let there = format!("repos/{repo}/git/ref/heads/{branch}");
    match api(config, shell, "GET", &there, None).await {
        Ok(_) => {}
        Err(failure) if failure.status() == Some(404) => {
            make_branch(config, shell, export, &branch, &base).await?;
        }
        Err(failure) => return Err(failure),
    }
    let owner = repo.split_once('/').map_or(repo, |(owner, _)| owner);
    let open = format!("repos/{repo}/pulls?state=all&head={owner}:{branch}");
    let open: Vec<Value> = read(&api(config, shell, "GET", &open, None).await?, "pull requests")?;
    if !open.is_empty() {
        return Ok(());
    }
    let issue = export.issue.or(config.issue);
    let about = issue.map_or_else(String::new, |issue| format!("It is about #{issue}.\n\n"));
    let body = format!(
        "{}\n**{}**\n\n{about}The record of the debate is `{}` in this branch. What it decided is still to be implemented.\n",
        marker(&export.session),
        inert(&export.headline),
        path(export),
    );
    let sent = json!({
        "title": sanitize::line(&format!("Debate: {}", export.title), 200),
        "head": branch,
        "base": base,
        "body": body,
        "draft": true,
    });
    let path = format!("repos/{repo}/pulls");
    api(config, shell, "POST", &path, Some(&sent)).await.map(drop)
}

/// The record's path in its branch.
fn path(export: &Export) -> String {
    format!("docs/decisions/debate-{}.md", export.session)
}

async fn make_branch(
    config: &SinkConfig,
    shell: &Shell<'_>,
    export: &Export,
    branch: &str,
    base: &str,
) -> Result<(), Failure> {
    let git = format!("repos/{}/git", repo(config));
    let head = api(config, shell, "GET", &format!("{git}/ref/heads/{base}"), None).await?;
    let head = text(&head, "/object/sha")?;
    let commit = api(config, shell, "GET", &format!("{git}/commits/{head}"), None).await?;
    let tree = json!({
        "base_tree": text(&commit, "/tree/sha")?,
        "tree": [{ "path": path(export), "mode": "100644", "type": "blob", "content": export.record }],
    });
    let tree = api(config, shell, "POST", &format!("{git}/trees"), Some(&tree)).await?;
    let commit = json!({
        "message": format!("Record the debate {}", export.session),
        "tree": text(&tree, "/sha")?,
        "parents": [head],
    });
    let commit = api(config, shell, "POST", &format!("{git}/commits"), Some(&commit)).await?;
    let made = json!({
        "ref": format!("refs/heads/{branch}"),
        "sha": text(&commit, "/sha")?,
    });
    match api(config, shell, "POST", &format!("{git}/refs"), Some(&made)).await {
        Err(failure) if failure.stderr.contains("Reference already exists") => Ok(()),
        made => made.map(drop),
    }
}

fn text(answer: &[u8], pointer: &str) -> Result<String, Failure> {
    let answer: Value = read(answer, "JSON")?;
    (answer.pointer(pointer).and_then(Value::as_str))
        .map(str::to_owned)
        .ok_or_else(|| Failure::lasting(format!("gh's answer has no `{pointer}`")))
}

/// Returns the variables for `gh` in addition to those for every program: what it needs to reach its server as the
/// user.
pub(crate) fn variables(vars: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    const STARTS: [&str; 4] = ["GH_", "GITHUB_", "XDG_", "SSL_CERT_"];
    // The location of the system's key ring, in which gh stores its token.
    const NAMES: [&str; 1] = ["DBUS_SESSION_BUS_ADDRESS"];
    const PROXIES: [&str; 4] = ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY"];
    // They change its output, or name programs.
    const NOT: [&str; 6] =
        ["GH_FORCE_TTY", "GH_DEBUG", "GH_PATH", "GH_BROWSER", "GH_EDITOR", "GH_PAGER"];
    const SET: [(&str, &str); 4] = [
        ("GH_PAGER", "cat"),
        ("GH_PROMPT_DISABLED", "1"),
        ("GH_NO_UPDATE_NOTIFIER", "1"),
        ("NO_COLOR", "1"),
    ];
    let wanted = |name: &str| {
        !NOT.contains(&name)
            && (STARTS.iter().any(|start| name.starts_with(start))
                || NAMES.contains(&name)
                || PROXIES.contains(&name.to_uppercase().as_str()))
    };
    (vars.iter())
        .filter(|(name, _)| wanted(name))
        .map(|(name, value)| (name.clone(), value.clone()))
        .chain(SET.map(|(name, value)| (name.to_owned(), value.to_owned())))
        .gather()
}
