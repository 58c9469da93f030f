//! A pull request: what it is, what people said below earlier findings, and a review of it as comments.
//!
//! Each comment at a line begins with the fingerprint of its finding, and is ours if the account that `gh` is logged in
//! with wrote it. So every step finds what an interrupted run did, and a later run posts only what is new:
//!
//! | step | what is there already |
//! |---|---|
//! | summary | the comment with the marker is changed |
//! | review | findings that have a thread are left out; without any others nothing is posted |
//! | resolve | threads that are resolved are left alone |
//!
//! A thread is resolved if its code changed or a judge refuted its finding, and the finding is not in the result: that
//! reviewers did not mention it again proves nothing.
//!
//! What is pending from an earlier session is not posted once a later one has summed up.

use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

use super::github::{api, comment, ours, read};
use super::{Failure, Shell, Step, StepAction};
use crate::config::sinks::SinkConfig;
use crate::ordered::BTreeSet;

/// Before a summary; the session follows. No other text can start a comment of ours.
const SUMMARY: &str = "<!-- debate-agent pull request, session ";
/// Before a comment at a line; the finding's fingerprint and severity follow.
const FINDING: &str = "<!-- debate-agent finding ";
/// What a reply begins with that dismisses the finding above it.
const DISMISS: &str = "debate-agent: dismiss because ";
/// Maximum pages of threads that are read, of 100 each. With more, nothing is posted: it could be there already.
const PAGES: usize = 20;

/// A review to post.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Posting {
    /// The session's id, which tells the earlier of two.
    pub session: String,
    /// The pull request's number.
    pub number: u64,
    /// The commit that was reviewed.
    pub head: String,
    /// The whole result, as a comment below the pull request.
    pub summary: String,
    /// Findings at lines of the diff.
    pub comments: Vec<LineComment>,
    /// The fingerprints of the findings that remain.
    pub remaining: Vec<String>,
    /// The fingerprints of those that were thrown out.
    pub eliminated: Vec<String>,
    /// Whether something was decided: else no thread is resolved.
    pub decided: bool,
}

/// A finding as a comment at a line, or at the last of several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LineComment {
    pub fingerprint: String,
    /// `P1`.
    pub severity: String,
    pub path: String,
    /// The lines in the new file, from 1.
    pub lines: (u32, u32),
    pub body: String,
}

/// A pull request as its host has it.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Remote {
    pub title: String,
    #[serde(default)]
    pub body: String,
    pub head_ref_oid: String,
    pub base_ref_oid: String,
    author: Option<Account>,
    #[serde(rename = "closingIssuesReferences", deserialize_with = "or_default")]
    pub issues: Nodes<Issue>,
    #[serde(rename = "reviewThreads")]
    threads: Nodes<Thread>,
    /// The account that gh is logged in with.
    #[serde(skip)]
    viewer: Option<u64>,
}

/// An issue that a pull request closes.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Issue {
    pub number: u64,
    pub title: String,
    #[serde(default)]
    pub body: String,
    repository: Repository,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Repository {
    name_with_owner: String,
}

/// A list of GraphQL.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
#[serde(bound = "T: Deserialize<'de>")]
pub(crate) struct Nodes<T> {
    #[serde(deserialize_with = "present")]
    pub nodes: Vec<T>,
    page_info: Option<PageInfo>,
}

/// Reads a value of GraphQL that may be null: what the account may not see is.
fn or_default<'de, D, T>(value: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Default,
{
    Ok(Option::<T>::deserialize(value)?.unwrap_or_default())
}

/// Reads a list whose entries may be null.
fn present<'de, D, T>(list: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    let list: Vec<Option<T>> = or_default(list)?;
    Ok(list.into_iter().flatten().collect())
}

impl<T> Default for Nodes<T> {
    fn default() -> Self {
        Self { nodes: Vec::new(), page_info: None }
    }
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
struct PageInfo {
    has_next_page: bool,
    end_cursor: Option<String>,
}

/// An account. A deleted one has none; an app's has its number as well.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Account {
    login: String,
    database_id: Option<u64>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Thread {
    id: String,
    is_resolved: bool,
    is_outdated: bool,
    comments: Nodes<Reply>,
}

#[derive(Debug, Clone, Deserialize)]
struct Reply {
    body: String,
    author: Option<Account>,
}

impl Reply {
    fn is_by(&self, account: Option<u64>) -> bool {
        account.is_some() && self.author.as_ref().and_then(|author| author.database_id) == account
    }
}

impl Thread {
    /// Returns the fingerprint and the severity of the finding that it is about, if it is ours.
    fn finding(&self, viewer: Option<u64>) -> Option<(&str, &str)> {
        let first = self.comments.nodes.first().filter(|first| first.is_by(viewer))?;
        let (marked, _) = first.body.strip_prefix(FINDING)?.split_once(" -->")?;
        marked.split_once(' ')
    }
}

/// A finding that somebody who may write to the repository dismissed by a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Dismissal {
    pub fingerprint: String,
    pub severity: String,
    /// The reason, and who gave it.
    pub why: String,
}

const QUERY: &str = "query($owner: String!, $name: String!, $number: Int!, $after: String) { \
    viewer { login databaseId } \
    repository(owner: $owner, name: $name) { pullRequest(number: $number) { \
    title body headRefOid baseRefOid author { login ...account } \
    closingIssuesReferences(first: 5) { nodes { number title body repository { nameWithOwner } } } \
    reviewThreads(first: 100, after: $after) { pageInfo { hasNextPage endCursor } nodes { \
    id isResolved isOutdated comments(first: 50) { nodes { body author { login ...account } } } } } \
    } } } \
    fragment account on Actor { ... on User { databaseId } ... on Bot { databaseId } \
    ... on Mannequin { databaseId } }";

const RESOLVE: &str =
    "mutation($id: ID!) { resolveReviewThread(input: {threadId: $id}) { thread { id } } }";

/// Reads a pull request with all its threads. Issues of other repositories are left out: a pull request does not
/// choose what is read.
pub(crate) async fn fetch(
    config: &SinkConfig,
    shell: &Shell<'_>,
    number: u64,
) -> Result<Remote, Failure> {
    let repo = config.repo.as_deref().unwrap_or_default();
    let (owner, name) = repo.split_once('/').unwrap_or_default();
    let (mut found, mut after): (Option<Remote>, Option<String>) = (None, None);
    for _ in 0..PAGES {
        let variables = json!({ "owner": owner, "name": name, "number": number, "after": after });
        let query = json!({ "query": QUERY, "variables": variables });
        let mut answer: Value =
            read(&api(config, shell, "POST", "graphql", Some(&query)).await?, "pull request")?;
        let viewer = answer["data"]["viewer"]["databaseId"].as_u64();
        let pull = answer["data"]["repository"]["pullRequest"].take();
        if pull.is_null() {
            return Err(Failure::lasting(format!("{repo} has no pull request {number}")));
        }
        let page: Remote = serde_json::from_value(pull)
            .map_err(|error| Failure::lasting(format!("gh printed no pull request: {error}")))?;
        after = page
            .threads
            .page_info
            .as_ref()
            .and_then(|info| info.end_cursor.clone().filter(|_| info.has_next_page));
        match &mut found {
            Some(found) => found.threads.nodes.extend(page.threads.nodes),
            None => found = Some(Remote { viewer, ..page }),
        }
        if after.is_none() {
            break;
        }
    }
    let mut found = found.filter(|_| after.is_none()).ok_or_else(|| {
        Failure::lasting(format!("pull request {number} has more threads than can be read"))
    })?;
    // Without it, what is ours could not be told from what is not.
    if found.viewer.is_none() {
        return Err(Failure::lasting("gh does not say who is logged in"));
    }
    found.issues.nodes.retain(|issue| issue.repository.name_with_owner == repo);
    Ok(found)
}

/// Returns the commit where a head left a base.
pub(crate) async fn merge_base(
    config: &SinkConfig,
    shell: &Shell<'_>,
    base: &str,
    head: &str,
) -> Result<String, Failure> {
    let repo = config.repo.as_deref().unwrap_or_default();
    // The second page, of one commit: its files are not needed.
    let path = format!("repos/{repo}/compare/{base}...{head}?page=2");
    let found: Value = read(&api(config, shell, "GET", &path, None).await?, "comparison")?;
    (found["merge_base_commit"]["sha"].as_str())
        .map(str::to_owned)
        .ok_or_else(|| Failure::lasting(format!("{base} and {head} have no commit in common")))
}

/// Returns the findings that were dismissed by replies: each by somebody who may write to the repository and is not
/// the author of the pull request, which the numbers of their accounts tell and not their names.
pub(crate) async fn dismissals(
    config: &SinkConfig,
    shell: &Shell<'_>,
    remote: &Remote,
) -> Result<Vec<Dismissal>, Failure> {
    let repo = config.repo.as_deref().unwrap_or_default();
    let author = remote.author.as_ref().and_then(|author| author.database_id);
    let mut dismissed = Vec::new();
    for thread in &remote.threads.nodes {
        let Some((fingerprint, severity)) = thread.finding(remote.viewer) else { continue };
        for reply in thread.comments.nodes.iter().skip(1) {
            let reason = reply.body.trim().strip_prefix(DISMISS).map(str::trim);
            let (Some(why), Some(who)) = (reason.filter(|why| !why.is_empty()), &reply.author)
            else {
                continue;
            };
            let is_name =
                who.login.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
            if !is_name || author.is_none() || who.database_id == author {
                continue;
            }
            let path = format!("repos/{repo}/collaborators/{}/permission", who.login);
            let may: Value = match api(config, shell, "GET", &path, None).await {
                Ok(answer) => read(&answer, "permission")?,
                Err(failure) if failure.status() == Some(404) => continue,
                Err(failure) => return Err(failure),
            };
            let is_they =
                who.database_id.is_some() && may["user"]["id"].as_u64() == who.database_id;
            if is_they && matches!(may["permission"].as_str(), Some("admin" | "write")) {
                dismissed.push(Dismissal {
                    fingerprint: fingerprint.to_owned(),
                    severity: severity.to_owned(),
                    why: format!("{why} ({}, on the pull request)", who.login),
                });
            }
        }
    }
    Ok(dismissed)
}

pub(super) fn steps(config: &SinkConfig, posting: &Posting) -> Vec<Step> {
    let repo = config.repo.as_deref().unwrap_or_default();
    let number = posting.number.to_string();
    let comments = format!("{:?} {:?}", posting.comments, posting.remaining);
    let mut steps = vec![
        Step::new(StepAction::Summary, "summary", &[repo, &number, &posting.summary]),
        Step::new(StepAction::Review, "review", &[repo, &number, &posting.head, &comments]),
    ];
    if posting.decided {
        steps.push(Step::new(StepAction::Resolve, "resolve", &[repo, &number, &comments]));
    }
    steps
}

/// Takes a step of the posting, unless a later session has summed up: then nothing of this one is news.
pub(super) async fn post(
    action: &StepAction,
    config: &SinkConfig,
    shell: &Shell<'_>,
    posting: &Posting,
) -> Result<(), Failure> {
    let is_empty = matches!(action, StepAction::Review) && posting.comments.is_empty();
    if is_empty || is_superseded(config, shell, posting).await? {
        return Ok(());
    }
    match action {
        StepAction::Summary => {
            let body = format!("{SUMMARY}{} -->\n{}", posting.session, posting.summary);
            comment(config, shell, SUMMARY, posting.number, &body).await
        }
        StepAction::Review => review(config, shell, posting).await,
        _ => resolve(config, shell, posting).await,
    }
}

/// Whether a later session has summed up.
async fn is_superseded(
    config: &SinkConfig,
    shell: &Shell<'_>,
    posting: &Posting,
) -> Result<bool, Failure> {
    let there = ours(config, shell, SUMMARY, posting.number).await?;
    let there = there.as_ref().and_then(|one| one.body.as_deref()?.strip_prefix(SUMMARY));
    // Ids of sessions are in the order of their times.
    Ok(there.and_then(|rest| rest.split_once(' ')).is_some_and(|(id, _)| id > &*posting.session))
}

/// Posts the findings that have no thread yet, as one review.
async fn review(config: &SinkConfig, shell: &Shell<'_>, posting: &Posting) -> Result<(), Failure> {
    let remote = fetch(config, shell, posting.number).await?;
    // A finding whose thread was settled by a change, and which is there again, is new.
    let standing = remote.threads.nodes.iter().filter(|one| !(one.is_resolved && one.is_outdated));
    let there: BTreeSet<&str> =
        standing.filter_map(|thread| Some(thread.finding(remote.viewer)?.0)).collect();
    let fresh = posting.comments.iter().filter(|one| !there.contains(one.fingerprint.as_str()));
    let fresh: Vec<Value> = fresh.map(LineComment::posted).collect();
    let findings = match fresh.len() {
        0 => return Ok(()),
        1 => "1 finding".to_owned(),
        many => format!("{many} findings"),
    };
    let sent = json!({
        "commit_id": posting.head,
        "event": "COMMENT",
        "body": format!("{findings} at the lines below; the comment that sums up has all of the result. To dismiss one for good, somebody with write access who is not the author replies `{DISMISS}...`."),
        "comments": fresh,
    });
    let repo = config.repo.as_deref().unwrap_or_default();
    let path = format!("repos/{repo}/pulls/{}/reviews", posting.number);
    api(config, shell, "POST", &path, Some(&sent)).await.map(drop)
}

impl LineComment {
    fn posted(&self) -> Value {
        let Self { fingerprint, severity, path, lines: (first, last), body } = self;
        let body = format!("{FINDING}{fingerprint} {severity} -->\n{body}");
        let mut posted = json!({ "path": path, "side": "RIGHT", "line": last, "body": body });
        if first < last {
            posted["start_line"] = json!(first);
            posted["start_side"] = json!("RIGHT");
        }
        posted
    }
}

/// Resolves our threads whose findings are gone.
async fn resolve(config: &SinkConfig, shell: &Shell<'_>, posting: &Posting) -> Result<(), Failure> {
    let remote = fetch(config, shell, posting.number).await?;
    let has = |all: &[String], one: &str| all.iter().any(|known| known == one);
    for thread in remote.threads.nodes.iter().filter(|thread| !thread.is_resolved) {
        let Some((fingerprint, _)) = thread.finding(remote.viewer) else { continue };
        let is_settled = thread.is_outdated || has(&posting.eliminated, fingerprint);
        if is_settled && !has(&posting.remaining, fingerprint) {
            let query = json!({ "query": RESOLVE, "variables": { "id": thread.id } });
            api(config, shell, "POST", "graphql", Some(&query)).await?;
        }
    }
    Ok(())
}
