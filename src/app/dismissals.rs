//! `review dismiss`: adds findings of a review to the file of known findings, each with a reason.
//!
//! # Theory of operation
//!
//! [`FILE`] is at the project's root and is committed. A review reads the file of the *base* revision, so a change
//! cannot dismiss its own bug; [`dismiss`] writes the file of the working tree, which counts once it is part of what
//! later changes are compared with. The key is a finding's fingerprint (file, symbol, quoted code): when that code
//! changes, the finding is raised again.
//!
//! Which finding `F3` is depends on the review, so the project's newest one is used unless another is named.
//! Rehearsals are skipped: their findings are invented.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use chrono::SubsecRound as _;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use crate::app::review::known_findings::{FILE, KnownFinding, KnownFindings};
use crate::app::review::known_findings::{VERSION, is_fingerprint, parse};
use crate::app::run::workspace::Workspace;
use crate::app::sessions;
use crate::config::file::{IfExists, Links, MAX_BYTES, read_text, write_atomic};
use crate::error::{Error, Kind, store_error};
use crate::protocol::review::{ReportedFinding, Severity};
use crate::report::document::{SCHEMA_VERSION, to_json};
use crate::report::review::ReviewDocument;
use crate::text::{json, sanitize};

/// Maximum bytes of a report.
const MAX_REPORT: u64 = 64 << 20;
/// Maximum characters of a reason.
const MOST_WHY: usize = 2_000;
/// The wait for another process's change: attempts and the pause between them.
const PATIENCE: (u32, Duration) = (100, Duration::from_millis(20));

/// The review in which a finding's id is looked up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// The newest review of the project.
    Newest,
    /// The session with this id or prefix of an id.
    Session(String),
    /// The report in this JSON file.
    Report(PathBuf),
}

/// The request to dismiss findings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dismiss {
    /// The findings' ids (`F3`) or fingerprints; empty for all findings of the review.
    pub ids: Vec<String>,
    /// Why they are not raised again.
    pub why: String,
    /// The person who dismisses them.
    pub by: Option<String>,
    /// The review that the ids belong to.
    pub source: Source,
}

/// The result of `review dismiss`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DismissDocument {
    /// All findings of the review that the entries cover: several may be about the same code.
    pub ids: Vec<String>,
    /// Entries that were added to the file.
    pub added: Vec<KnownFinding>,
    /// Entries that were already there, and were left unchanged.
    pub already: Vec<KnownFinding>,
    /// Which review was looked at.
    pub review: String,
    /// The file.
    pub path: String,
    /// The version of this document.
    pub schema_version: u32,
}

impl DismissDocument {
    /// Returns the result as text, with a newline at the end.
    pub fn render(&self) -> String {
        let line = |text: &str| sanitize::line(text, 400);
        let shown = |known: &KnownFinding| {
            format!("  {} {}: {}", known.severity.name(), line(&known.file), line(&known.title))
        };
        let ids = self.ids.join(", ");
        let mut lines = vec![format!("Dismissed {ids}, as found in {}:", line(&self.review))];
        lines.extend(self.added.iter().map(shown));
        lines.extend(self.already.iter().map(|known| {
            let (at, why) = (known.at.format("%Y-%m-%d"), line(&known.why));
            format!("{} (already dismissed on {at}: {why})", shown(known))
        }));
        lines.push(if self.added.is_empty() {
            "Nothing was changed.\n".to_owned()
        } else {
            format!(
                "It is not raised again while the code it quotes is unchanged. Commit {FILE}: it takes effect once it is in the revision that a change is compared with.\n"
            )
        });
        lines.join("\n")
    }
}

/// What is read of a review.
#[derive(Debug, Deserialize)]
struct Review {
    protocol: String,
    rehearsal: bool,
    findings: Vec<Finding>,
}

/// What is read of a finding.
#[derive(Debug, Deserialize)]
struct Finding {
    id: String,
    fingerprint: String,
    file: String,
    title: String,
    severity: Severity,
}

/// Dismisses findings of a review.
///
/// # Errors
/// No reason, no such finding, an unreadable review or a rehearsal, or a file that is invalid or cannot be written.
/// The file is then unchanged.
pub async fn dismiss(workspace: &Workspace, request: &Dismiss) -> Result<DismissDocument, Error> {
    let why = reason(&request.why)?;
    let (reviewed, review) = find(workspace, &request.source).await?;
    if reviewed.rehearsal {
        let what = format!(
            "{review} is from a rehearsal: its findings are invented, so none can be dismissed"
        );
        return Err(Error::new(Kind::Input, what).named("rehearsal"));
    }
    let by = request.by.as_deref().map(|by| sanitize::line(by, 100)).filter(|by| !by.is_empty());
    let at = workspace.env().now().trunc_subsecs(0);
    let known = |found: &Finding| KnownFinding {
        fingerprint: found.fingerprint.clone(),
        file: found.file.clone(),
        title: sanitize::line(&found.title, 300),
        severity: found.severity,
        why: why.clone(),
        at,
        by: by.clone(),
    };
    let new = chosen(&reviewed.findings, &review, &request.ids)?.into_iter().map(known).collect();
    let path = workspace.root().join(FILE);
    let (added, already) = add(workspace.root(), &path, new)?;
    let covers = |known: &KnownFinding, found: &Finding| {
        known.fingerprint == found.fingerprint && known.severity <= found.severity
    };
    let ids = (reviewed.findings.iter())
        .filter(|found| added.iter().chain(&already).any(|known| covers(known, found)))
        .map(|found| sanitize::line(&found.id, 60))
        .collect();
    let path = path.display().to_string();
    Ok(DismissDocument { ids, added, already, review, path, schema_version: SCHEMA_VERSION })
}

fn reason(why: &str) -> Result<String, Error> {
    let why = sanitize::terminal(why).trim().to_owned();
    if why.is_empty() || why.chars().count() > MOST_WHY {
        let what = format!("a dismissal needs a reason (`--why`) of at most {MOST_WHY} characters");
        return Err(Error::new(Kind::Usage, what).named("no_reason").hint(
            "say in a sentence why it is not raised again: whoever reads the file later wants to know",
        ));
    }
    Ok(why)
}

/// Returns a finding of a stored review, whether it remains or not, and the review's name.
///
/// # Errors
/// There is no such review or finding.
pub(super) async fn finding(
    workspace: &Workspace,
    id: &str,
    session: Option<&str>,
) -> Result<(ReportedFinding, String), Error> {
    let (document, review) = stored(workspace, session).await?;
    let result = document.result;
    let kept = result.findings.into_iter().map(|finding| finding.reported);
    let mut all = kept.chain(result.eliminated.into_iter().map(|finding| finding.reported));
    let found = all.find(|found| found.id.eq_ignore_ascii_case(id.trim()));
    let found = found.ok_or_else(|| {
        let what = format!("{review} has no finding `{}`", sanitize::line(id, 60));
        Error::new(Kind::Input, what).named("unknown_id")
    })?;
    Ok((found, review))
}

/// Returns a stored review and its name. `session`: its id; `None` for the newest of the project.
async fn stored(
    workspace: &Workspace,
    session: Option<&str>,
) -> Result<(ReviewDocument, String), Error> {
    let no_review =
        |what: String, hint: &str| Error::new(Kind::Input, what).named("no_review").hint(hint);
    let id = if let Some(id) = session {
        id.to_owned()
    } else {
        let listed = workspace.store().list().map_err(store_error)?;
        let reviews = listed.into_iter().filter_map(|listed| {
            let summary = listed.summary?;
            let is_review = summary.protocol == "review" && !summary.rehearsal;
            is_review.then_some((summary.started_at, listed.id))
        });
        let newest = reviews.max().ok_or_else(|| {
                no_review(
                    "this project has no review".to_owned(),
                    "run `debate-agent review` first (rehearsals do not count: their findings are invented)",
                )
            })?;
        newest.1
    };
    let shown = sessions::show(workspace, &id).await?;
    let document = shown.document::<ReviewDocument>().ok_or_else(|| {
        no_review(
            format!("session `{}` is not a review", sanitize::line(&id, 60)),
            "`debate-agent sessions list` shows which are",
        )
    })?;
    let name = format!("session {}", crate::report::short_id(&document.header.session_id));
    Ok((document.clone(), name))
}

async fn find(workspace: &Workspace, source: &Source) -> Result<(Review, String), Error> {
    let session = match source {
        Source::Report(path) => return report(workspace, path),
        Source::Session(id) => Some(id.as_str()),
        Source::Newest => None,
    };
    let (document, name) = stored(workspace, session).await?;
    let findings = (document.result.findings.iter().map(|finding| &finding.reported))
        .map(|reported| Finding {
            id: reported.id.clone(),
            fingerprint: reported.fingerprint.clone(),
            file: reported.finding.file.clone(),
            title: reported.finding.title.clone(),
            severity: reported.finding.severity,
        })
        .collect();
    let header = &document.header;
    let (protocol, rehearsal) = (header.protocol.clone(), header.rehearsal);
    Ok((Review { protocol, rehearsal, findings }, name))
}

fn report(workspace: &Workspace, path: &Path) -> Result<(Review, String), Error> {
    let name = sanitize::line(&path.display().to_string(), 400);
    let unreadable = || {
        Error::new(Kind::Input, format!("{name} cannot be read as the JSON of a review"))
            .named("unreadable_report")
            .hint("name another review: `--session ID` or `--report FILE`")
    };
    let bytes =
        (workspace.fs.read(path, MAX_REPORT)).map_err(|error| unreadable().because(error))?;
    let text = String::from_utf8(bytes).map_err(|error| unreadable().because(error))?;
    let value = json::parse(&text).map_err(|error| unreadable().because(error))?;
    let reviewed: Review = json::typed(&value).map_err(|error| unreadable().because(error))?;
    let mut prints = reviewed.findings.iter().map(|found| &found.fingerprint);
    if reviewed.protocol != "review" || !prints.all(|print| is_fingerprint(print)) {
        return Err(unreadable());
    }
    Ok((reviewed, name))
}

/// Returns the findings with these ids or fingerprints, or all, one for each fingerprint: the gravest.
fn chosen<'a>(all: &'a [Finding], review: &str, ids: &[String]) -> Result<Vec<&'a Finding>, Error> {
    let unknown = |what: String| {
        let there: Vec<_> = all.iter().map(|found| sanitize::line(&found.id, 20)).collect();
        Error::new(Kind::Input, what).named("unknown_id").hint(format!(
            "what remained in it: {}",
            if there.is_empty() { "nothing".to_owned() } else { there.join(", ") }
        ))
    };
    let mut chosen = Vec::new();
    for id in ids {
        let named = |found: &&Finding| {
            [&found.id, &found.fingerprint].iter().any(|name| name.eq_ignore_ascii_case(id.trim()))
        };
        let found = all.iter().find(named).ok_or_else(|| {
            unknown(format!("{review} has no finding `{}`", sanitize::line(id, 60)))
        })?;
        chosen.push(found);
    }
    if ids.is_empty() {
        chosen = all.iter().collect();
    }
    if chosen.is_empty() {
        return Err(unknown(format!("{review} has no findings")));
    }
    chosen.sort_by(|a, b| (&a.fingerprint, a.severity).cmp(&(&b.fingerprint, b.severity)));
    chosen.dedup_by(|a, b| a.fingerprint == b.fingerprint);
    Ok(chosen)
}

/// Adds findings to the file. Returns the entries added, and those that were there before and cover a finding.
fn add(
    root: &Path,
    path: &Path,
    new: Vec<KnownFinding>,
) -> Result<(Vec<KnownFinding>, Vec<KnownFinding>), Error> {
    let _held = lock(root)?;
    let mut all = current(path)?;
    let (mut added, mut already) = (Vec::new(), Vec::new());
    for finding in new {
        match all.iter_mut().find(|old| old.fingerprint == finding.fingerprint) {
            Some(old) if old.severity <= finding.severity => already.push(old.clone()),
            Some(milder) => {
                milder.clone_from(&finding);
                added.push(finding);
            }
            None => {
                all.push(finding.clone());
                added.push(finding);
            }
        }
    }
    if added.is_empty() {
        return Ok((added, already));
    }
    // Sorted, so that the entries of two branches merge.
    all.sort_by(|a, b| (&a.file, &a.fingerprint).cmp(&(&b.file, &b.fingerprint)));
    let text = to_json(&KnownFindings { version: VERSION, findings: all }).map_err(|error| {
        Error::new(Kind::Bug, "the known findings cannot be written as JSON").because(error)
    })?;
    if text.len() as u64 > MAX_BYTES {
        let what = format!("{FILE} would have more than {MAX_BYTES} bytes, too large to read back");
        return Err(Error::new(Kind::State, what).hint("remove findings in code that is gone"));
    }
    write_atomic(path, text.as_bytes(), 0o644, IfExists::Replace).map_err(|error| {
        Error::new(Kind::State, format!("failed to write {}", path.display())).because(error)
    })?;
    Ok((added, already))
}

/// Reads the current file; a missing file has no findings.
pub(super) fn current(path: &Path) -> Result<Vec<KnownFinding>, Error> {
    let unreadable = || {
        Error::new(Kind::Input, format!("failed to read {}", path.display()))
            .named("known_findings")
    };
    if let Err(error) = path.symlink_metadata()
        && error.kind() == std::io::ErrorKind::NotFound
    {
        return Ok(Vec::new());
    }
    let text = read_text(path, Links::Refuse).map_err(|error| unreadable().because(error))?;
    parse(text.as_bytes()).map_err(|error| {
        unreadable()
            .because(error)
            .hint("the file was left unchanged; fix that place by hand, or restore it from version control")
    })
}

/// Locks the project's folder itself, which leaves no file behind, so that two processes do not lose each other's
/// entries. `None` if the file system has no locks.
fn lock(root: &Path) -> Result<Option<File>, Error> {
    let failed = |error: std::io::Error| {
        Error::new(Kind::State, format!("failed to lock {}", root.display())).because(error)
    };
    let folder = File::open(root).map_err(failed)?;
    for _ in 0..PATIENCE.0 {
        match folder.try_lock() {
            Ok(()) => return Ok(Some(folder)),
            Err(TryLockError::WouldBlock) => sleep(PATIENCE.1),
            Err(TryLockError::Error(_)) => return Ok(None),
        }
    }
    Err(Error::new(Kind::State, format!("another process has been changing {FILE} for 2 s"))
        .named("locked")
        .hint("try again when it has finished"))
}

#[cfg(test)]
mod tests {
    //! Dismissing findings of stored reports, in a real folder.

    use std::collections::BTreeMap;
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::app::review::known_findings::read;
    use crate::app::run::workspace::StartContext;
    use crate::protocol::review::SuppressionReason;
    use crate::report::review::example;

    struct Project {
        dir: tempfile::TempDir,
        workspace: Workspace,
    }

    impl Project {
        fn new(document: &ReviewDocument) -> Self {
            let dir = tempfile::tempdir().unwrap();
            fs::create_dir(dir.path().join(".git")).unwrap();
            fs::write(dir.path().join("report.json"), to_json(document).unwrap()).unwrap();
            let home = dir.path().join("home").display().to_string();
            let around = StartContext::of(
                dir.path(),
                BTreeMap::from([("HOME".to_owned(), home)]),
                crate::env::Env::system(),
            );
            let workspace = Workspace::open(around, Vec::new()).unwrap();
            Self { dir, workspace }
        }

        fn file(&self) -> PathBuf {
            self.dir.path().join(FILE)
        }

        fn dismiss(&self, ids: &[&str], why: &str) -> Result<DismissDocument, Error> {
            let source = Source::Report(self.dir.path().join("report.json"));
            let ids = ids.iter().map(|&id| id.to_owned()).collect();
            let request = Dismiss { ids, why: why.into(), by: None, source };
            let mut runtime = tokio::runtime::Builder::new_current_thread();
            let runtime = runtime.build().unwrap();
            runtime.block_on(dismiss(&self.workspace, &request))
        }

        fn known(&self) -> BTreeMap<String, SuppressionReason> {
            read(&fs::read(self.file()).unwrap()).unwrap()
        }
    }

    fn known(fingerprint: &str, severity: Severity) -> (String, SuppressionReason) {
        (fingerprint.to_owned(), SuppressionReason { why: "It is a test.".into(), severity })
    }

    #[test]
    fn findings_are_written_sorted_and_read_back() {
        let project = Project::new(&example::changes_requested());
        let two = project.dismiss(&["f2", "f1f1f1f1F1F1F1F1"], "It is a test.").unwrap();
        assert_eq!(two.ids, ["F1", "F2"]);
        let text = fs::read_to_string(project.file()).unwrap();
        let at = |part: &str| text.find(part).unwrap();
        assert!(at("src/pay.rs") < at("src/store.rs"), "sorted by file: {text}");
        assert!(text.ends_with("}\n"));
        let (one, two) =
            (known("f1f1f1f1f1f1f1f1", Severity::P0), known("f2f2f2f2f2f2f2f2", Severity::P1));
        assert_eq!(project.known(), BTreeMap::from([one, two]));
        // All of them: what is there already stays as it is.
        let all = project.dismiss(&[], "Another reason.").unwrap();
        assert_eq!((all.added.len(), all.already.len()), (1, 2));
        assert_eq!(project.known().len(), 3);
        assert_eq!(project.known()["f1f1f1f1f1f1f1f1"].why, "It is a test.");
        let before = fs::read(project.file()).unwrap();
        let again = project.dismiss(&["F1"], "Another reason.").unwrap().render();
        assert!(again.contains("already dismissed on") && again.contains("Nothing was changed"));
        assert_eq!(fs::read(project.file()).unwrap(), before);
    }

    #[test]
    fn findings_of_the_same_code_are_named_with_it_and_a_graver_one_is_not_covered() {
        let mut document = example::changes_requested();
        let print = document.result.findings[0].reported.fingerprint.clone();
        document.result.findings[1].reported.fingerprint = print.clone();
        let project = Project::new(&document);
        assert_eq!(project.dismiss(&["F2"], "It is a test.").unwrap().ids, ["F2"]);
        assert_eq!(project.known(), BTreeMap::from([known(&print, Severity::P1)]));
        let graver = project.dismiss(&["F1"], "It is a test.").unwrap();
        assert_eq!((graver.ids, graver.added.len()), (vec!["F1".into(), "F2".into()], 1));
        assert_eq!(project.known(), BTreeMap::from([known(&print, Severity::P0)]));
    }

    #[test]
    fn what_cannot_be_dismissed_is_refused_with_the_ids_there_are() {
        let project = Project::new(&example::changes_requested());
        // F4 was refuted.
        for id in ["F9", "F4", "f1f1", ""] {
            let unknown = project.dismiss(&["F1", id], "why").unwrap_err();
            assert_eq!(unknown.code, "unknown_id", "{id}");
            assert!(unknown.hints[0].ends_with("F1, F2, F3"), "{:?}", unknown.hints);
        }
        for why in ["", "  \n", "\u{1b}[2J", &"w".repeat(2_001)] {
            let no_reason = project.dismiss(&["F1"], why).unwrap_err();
            assert_eq!(no_reason.code, "no_reason", "{why:?}");
        }
        let mut damaged = example::changes_requested();
        damaged.result.findings[0].reported.fingerprint = "F1".into();
        for text in ["{}".to_owned(), to_json(&damaged).unwrap()] {
            fs::write(project.dir.path().join("report.json"), text).unwrap();
            assert_eq!(project.dismiss(&["F2"], "why").unwrap_err().code, "unreadable_report");
        }
        assert!(!project.file().exists());
        let clean = Project::new(&example::clean()).dismiss(&[], "why").unwrap_err();
        assert_eq!(clean.code, "unknown_id");
        let mut rehearsal = example::changes_requested();
        rehearsal.header.rehearsal = true;
        assert_eq!(Project::new(&rehearsal).dismiss(&[], "why").unwrap_err().code, "rehearsal");
    }

    #[test]
    fn a_link_in_the_files_place_is_refused_and_its_target_untouched() {
        let project = Project::new(&example::changes_requested());
        let target = project.dir.path().join("elsewhere.json");
        let text = "{\"version\": 1, \"findings\": []}";
        fs::write(&target, text).unwrap();
        symlink(&target, project.file()).unwrap();
        assert_eq!(project.dismiss(&["F1"], "why").unwrap_err().code, "known_findings");
        assert!(project.file().is_symlink());
        assert_eq!(fs::read_to_string(&target).unwrap(), text);
    }

    #[test]
    fn many_at_once_lose_none() {
        let project = Project::new(&example::clean());
        let (root, file) = (project.dir.path(), &project.file());
        std::thread::scope(|scope| {
            for index in 0..8 {
                scope.spawn(move || {
                    let finding = KnownFinding {
                        fingerprint: format!("{index:016x}"),
                        file: "src/a.rs".into(),
                        title: "T".into(),
                        severity: Severity::P1,
                        why: "why".into(),
                        at: chrono::DateTime::UNIX_EPOCH,
                        by: None,
                    };
                    add(root, file, vec![finding]).unwrap();
                });
            }
        });
        assert_eq!(project.known().len(), 8);
    }
}
