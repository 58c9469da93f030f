//! `review dismiss`: finds the finding, and adds its dismissal to the file.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use chrono::SubsecRound as _;
use schemars::JsonSchema;
use serde::Serialize;

use super::find::{self, Review, Source};
use crate::app::review::dismissal_file::{
    Dismissal, Dismissals, DismissalsError, FILE, VERSION, parse,
};
use crate::app::run::workspace::Workspace;
use crate::config::file::{IfExists, Links, MAX_BYTES, read_text, write_atomic};
use crate::error::{Error, Kind};
use crate::protocol::review::ReportedFinding;
use crate::report::baseline::is_fingerprint;
use crate::report::document::{SCHEMA_VERSION, to_json};
use crate::report::review::ReviewDocument;
use crate::text::sanitize;

/// Maximum characters of a reason.
const MOST_WHY: usize = 2_000;
/// Minimum digits of a fingerprint that identify a finding.
const FEWEST_DIGITS: usize = 4;
/// Maximum ids listed in an error.
const MOST_LISTED: usize = 20;
/// The wait for another process's change: attempts and the pause between them.
const PATIENCE: (u32, Duration) = (100, Duration::from_millis(20));

/// The request to dismiss a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dismiss {
    /// The finding's id (`F3`), or the first digits of its fingerprint.
    pub id: String,
    /// Why it is not a finding.
    pub why: String,
    /// The person who dismisses it.
    pub by: Option<String>,
    /// The review that the id belongs to.
    pub source: Source,
}

/// The result of `review dismiss`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DismissDocument {
    /// The finding's id in its review.
    pub id: String,
    /// Further findings of that review with the same fingerprint: they are dismissed with it.
    pub also: Vec<String>,
    /// The entry in the file.
    pub dismissal: Dismissal,
    /// It was already there, and was left unchanged.
    pub already: bool,
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
        let of = &self.dismissal;
        let what = format!(
            "{} ({} {}: {})",
            line(&self.id),
            of.severity.name(),
            line(&of.file),
            line(&of.title)
        );
        if self.already {
            return format!(
                "{what} was already dismissed on {}, because: {}\nNothing was changed.\n",
                of.at.format("%Y-%m-%d"),
                line(&of.why)
            );
        }
        let also = match self.also.as_slice() {
            [] => String::new(),
            ids => {
                format!("The same code, and so the same dismissal: {}.\n", line(&ids.join(", ")))
            }
        };
        format!(
            "Dismissed {what}, as found in {}.\n{also}It is not raised again while the code it quotes is unchanged. Commit {FILE}: it takes effect once it is in the revision that a change is compared with.\n",
            line(&self.review)
        )
    }
}

/// Dismisses a finding of a review.
///
/// # Errors
/// No reason, no such finding, an unreadable review or a rehearsal, or a file that is invalid or cannot be written.
/// The file is then unchanged.
pub async fn dismiss(workspace: &Workspace, request: &Dismiss) -> Result<DismissDocument, Error> {
    let why = reason(&request.why)?;
    let Review { document, name } = find::review(workspace, &request.source).await?;
    if document.header.rehearsal {
        return Err(Error::new(
            Kind::Input,
            format!(
                "{name} is from a rehearsal: its findings are invented, so none can be dismissed"
            ),
        )
        .named("rehearsal"));
    }
    let found = find_in(&document, &name, &request.id)?;
    let same = |other: &&ReportedFinding| {
        other.fingerprint == found.fingerprint && !std::ptr::eq(*other, found)
    };
    let findings = document.findings.iter().map(|finding| &finding.reported);
    let also = findings.filter(same).map(|other| other.id.clone()).collect();
    let dismissal = Dismissal {
        fingerprint: found.fingerprint.clone(),
        file: found.file.clone(),
        title: sanitize::line(&found.title, 300),
        severity: found.severity,
        why,
        at: workspace.env().now().trunc_subsecs(0),
        by: (request.by.as_deref()).map(|by| sanitize::line(by, 100)).filter(|by| !by.is_empty()),
    };
    let path = workspace.root().join(FILE);
    let (dismissal, already) = add(workspace.root(), &path, dismissal)?;
    Ok(DismissDocument {
        id: found.id.clone(),
        also,
        dismissal,
        already,
        review: name,
        path: path.display().to_string(),
        schema_version: SCHEMA_VERSION,
    })
}

fn reason(why: &str) -> Result<String, Error> {
    let refused = |what: &str| {
        Err(Error::new(Kind::Usage, what).named("no_reason").hint(
            "say in a sentence why it is not a finding: whoever reads the file later wants to know",
        ))
    };
    let why = sanitize::terminal(why).trim().to_owned();
    if why.is_empty() {
        return refused("a dismissal needs a reason, and `--why` is empty");
    }
    if why.chars().count() > MOST_WHY {
        return refused("the reason has more than 2,000 characters");
    }
    Ok(why)
}

/// Finds the finding with this id or with this prefix of a fingerprint.
fn find_in<'a>(
    document: &'a ReviewDocument,
    name: &str,
    id: &str,
) -> Result<&'a ReportedFinding, Error> {
    let wanted = id.trim();
    let all = || document.findings.iter().map(|finding| &finding.reported);
    let digits = wanted.to_ascii_lowercase();
    let is_prefix =
        digits.len() >= FEWEST_DIGITS && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let named = |reported: &&ReportedFinding| reported.id.eq_ignore_ascii_case(wanted);
    let begins =
        |reported: &&ReportedFinding| is_prefix && reported.fingerprint.starts_with(&digits);
    let mut found: Vec<&ReportedFinding> = all().filter(named).collect();
    if found.is_empty() {
        found = all().filter(begins).collect();
        found.dedup_by(|a, b| a.fingerprint == b.fingerprint);
    }
    match found.as_slice() {
        [one] if is_fingerprint(&one.fingerprint) => Ok(one),
        [one] => Err(Error::new(
            Kind::Input,
            format!("{name}: the fingerprint of {} is invalid", sanitize::line(&one.id, 60)),
        )
        .named("unreadable_report")),
        [] => Err(unknown(document, name, wanted)),
        several => Err(Error::new(
            Kind::Input,
            format!(
                "`{}` begins the fingerprints of {} findings of {name}",
                sanitize::line(wanted, 60),
                several.len()
            ),
        )
        .named("ambiguous_id")
        .hint("give more of its digits, or the finding's id")),
    }
}

fn unknown(document: &ReviewDocument, name: &str, wanted: &str) -> Error {
    let shown = sanitize::line(wanted, 60);
    let gone =
        (document.eliminated.iter()).find(|gone| gone.reported.id.eq_ignore_ascii_case(wanted));
    if gone.is_some() {
        return Error::new(
            Kind::Input,
            format!("{shown} of {name} did not remain, so there is nothing to dismiss"),
        )
        .named("unknown_id");
    }
    let error =
        Error::new(Kind::Input, format!("{name} has no finding `{shown}`")).named("unknown_id");
    let listed: Vec<String> = (document.findings.iter())
        .take(MOST_LISTED)
        .map(|finding| {
            let reported = &finding.reported;
            format!(
                "{} ({} {}: {})",
                sanitize::line(&reported.id, 20),
                reported.severity.name(),
                sanitize::line(&reported.file, 80),
                sanitize::line(&reported.title, 60)
            )
        })
        .collect();
    if listed.is_empty() {
        return error.hint(
            "it has no findings at all; name another review: `--session ID` or `--report FILE`",
        );
    }
    let more = match document.findings.len().saturating_sub(MOST_LISTED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    error.hint(format!("it has {}{more}", listed.join(", ")))
}

/// Adds a dismissal to the file. Returns the entry, and whether it was in the file before.
fn add(root: &Path, path: &Path, new: Dismissal) -> Result<(Dismissal, bool), Error> {
    let _held = lock(root)?;
    let mut all = current(path)?;
    if let Some(old) = (all.iter()).find(|old| old.fingerprint == new.fingerprint) {
        return Ok((old.clone(), true));
    }
    all.push(new.clone());
    // Sorted, so that the dismissals of two branches merge.
    all.sort_by(|a, b| (&a.file, &a.fingerprint).cmp(&(&b.file, &b.fingerprint)));
    let file = Dismissals { version: VERSION, dismissals: all };
    let text = to_json(&file).map_err(|error| {
        Error::new(Kind::Bug, "the dismissals cannot be written as JSON").because(error)
    })?;
    if text.len() as u64 > MAX_BYTES {
        return Err(Error::new(
            Kind::State,
            format!(
                "{FILE} would have more than {MAX_BYTES} bytes, which is too large to read back"
            ),
        )
        .hint("remove dismissals of code that is gone"));
    }
    write_atomic(path, text.as_bytes(), 0o644, IfExists::Replace).map_err(|error| {
        Error::new(Kind::State, format!("failed to write {}", path.display())).because(error)
    })?;
    Ok((new, false))
}

/// Reads the current file; a missing file has no dismissals.
fn current(path: &Path) -> Result<Vec<Dismissal>, Error> {
    let unreadable = || {
        Error::new(Kind::Input, format!("failed to read {}", path.display())).named("dismissals")
    };
    if let Err(error) = path.symlink_metadata()
        && error.kind() == std::io::ErrorKind::NotFound
    {
        return Ok(Vec::new());
    }
    let text = read_text(path, Links::Refuse).map_err(|error| unreadable().because(error))?;
    parse(text.as_bytes()).map_err(|error: DismissalsError| {
        unreadable()
            .because(error)
            .hint("the file was left unchanged; fix that place by hand, or restore it from version control")
    })
}

/// Locks the project's folder itself, which leaves no file behind, so that two processes do not lose each other's
/// dismissals. `None` if the file system has no locks.
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
    use std::path::PathBuf;

    use super::*;
    use crate::app::dismissals::read;
    use crate::app::run::workspace::StartContext;
    use crate::protocol::review::{Severity, SuppressionReason};
    use crate::report::review::example;

    struct Project {
        dir: tempfile::TempDir,
        workspace: Workspace,
    }

    impl Project {
        fn new() -> Self {
            let dir = tempfile::tempdir().unwrap();
            fs::create_dir(dir.path().join(".git")).unwrap();
            fs::create_dir(dir.path().join(".debate")).unwrap();
            let home = dir.path().join("home").display().to_string();
            let around = StartContext::of(
                dir.path(),
                BTreeMap::from([("HOME".to_owned(), home)]),
                crate::env::Env::system(),
            );
            let workspace = Workspace::open(around, Vec::new()).unwrap();
            Self { dir, workspace }
        }

        fn report(&self, name: &str, document: &ReviewDocument) -> PathBuf {
            let path = self.dir.path().join(".debate").join(name);
            fs::write(&path, to_json(document).unwrap()).unwrap();
            path
        }

        fn file(&self) -> PathBuf {
            self.dir.path().join(FILE)
        }

        fn dismiss(&self, id: &str, why: &str, source: Source) -> Result<DismissDocument, Error> {
            let request = Dismiss { id: id.into(), why: why.into(), by: None, source };
            let mut runtime = tokio::runtime::Builder::new_current_thread();
            let runtime = runtime.build().unwrap();
            runtime.block_on(dismiss(&self.workspace, &request))
        }

        fn newest(&self, id: &str) -> Result<DismissDocument, Error> {
            self.dismiss(id, "It is a test.", Source::Newest)
        }

        fn known(&self) -> BTreeMap<String, SuppressionReason> {
            read(&fs::read(self.file()).unwrap()).unwrap()
        }
    }

    #[test]
    fn a_finding_of_the_newest_report_is_written_sorted_and_read_back() {
        let project = Project::new();
        let mut older = example::changes_requested();
        older.findings[0].reported.fingerprint = "0123456789abcdef".into();
        project.report("review-20261101T000000Z-aa.json", &older);
        project.report("review-20261102T000000Z-bb.json", &example::changes_requested());
        let second = project.newest("f2").unwrap();
        assert_eq!((second.id.as_str(), second.already), ("F2", false));
        let first = project.newest("F1").unwrap();
        assert_eq!(first.dismissal.file, "src/pay.rs");
        let text = fs::read_to_string(project.file()).unwrap();
        let at = |part: &str| text.find(part).unwrap();
        assert!(at("src/pay.rs") < at("src/store.rs"), "sorted by file: {text}");
        assert!(text.ends_with("}\n"));
        let why = |severity| SuppressionReason::Dismissed { why: "It is a test.".into(), severity };
        let expected = BTreeMap::from([
            ("f1f1f1f1f1f1f1f1".to_owned(), why(Severity::P0)),
            ("f2f2f2f2f2f2f2f2".to_owned(), why(Severity::P1)),
        ]);
        assert_eq!(project.known(), expected);
    }

    #[test]
    fn the_digits_of_a_fingerprint_name_a_finding_too() {
        let project = Project::new();
        project.report("review-1.json", &example::changes_requested());
        assert_eq!(project.newest("f3f3F3").unwrap().id, "F3");
        // Three digits are ambiguous.
        assert_eq!(project.newest("f2f").unwrap_err().code, "unknown_id");
    }

    #[test]
    fn a_second_time_says_so_and_changes_nothing() {
        let project = Project::new();
        project.report("review-1.json", &example::changes_requested());
        project.newest("F1").unwrap();
        let before = fs::read(project.file()).unwrap();
        let again = project.dismiss("F1", "Another reason.", Source::Newest).unwrap();
        assert!(again.already);
        assert_eq!(again.dismissal.why, "It is a test.");
        assert_eq!(fs::read(project.file()).unwrap(), before);
        assert!(again.render().contains("already dismissed"), "{}", again.render());
    }

    #[test]
    fn findings_of_the_same_code_are_named_with_it() {
        let project = Project::new();
        let mut document = example::changes_requested();
        document.findings[1].reported.fingerprint =
            document.findings[0].reported.fingerprint.clone();
        project.report("review-1.json", &document);
        assert_eq!(project.newest("F1").unwrap().also, ["F2"]);
        // Both have this prefix, and are one dismissal.
        assert!(project.newest("f1f1f1").unwrap().already);
    }

    #[test]
    fn what_cannot_be_dismissed_is_refused_with_the_ids_there_are() {
        let project = Project::new();
        assert_eq!(project.newest("F1").unwrap_err().code, "no_review");
        let path = project.report("review-1.json", &example::changes_requested());
        let unknown = project.newest("F9").unwrap_err();
        assert_eq!(unknown.code, "unknown_id");
        assert!(
            unknown.hints[0].contains("F1 (P0 src/pay.rs: A large refund"),
            "{:?}",
            unknown.hints
        );
        assert!(unknown.hints[0].contains("F3"), "{:?}", unknown.hints);
        let refuted = project.newest("F4").unwrap_err();
        assert!(refuted.what.contains("did not remain"), "{}", refuted.what);
        for why in ["", "  \n", "\u{1b}[2J"] {
            let no_reason = project.dismiss("F1", why, Source::Newest).unwrap_err();
            assert_eq!(no_reason.code, "no_reason", "{why:?}");
        }
        let long = project.dismiss("F1", &"w".repeat(2_001), Source::Newest);
        assert_eq!(long.unwrap_err().code, "no_reason");
        let no_session = project.dismiss("F1", "why", Source::Session("0199".into()));
        assert!(no_session.is_err());
        fs::write(&path, "{}").unwrap();
        assert_eq!(project.newest("F1").unwrap_err().code, "unreadable_report");
        assert!(!project.file().exists());
    }

    #[test]
    fn two_findings_that_begin_alike_are_told_apart_by_more_digits() {
        let project = Project::new();
        let mut document = example::changes_requested();
        document.findings[0].reported.fingerprint = "aaaa000000000000".into();
        document.findings[1].reported.fingerprint = "aaaa100000000000".into();
        project.report("review-1.json", &document);
        assert_eq!(project.newest("aaaa").unwrap_err().code, "ambiguous_id");
        assert_eq!(project.newest("aaaa1").unwrap().id, "F2");
    }

    /// `F1` of an older review is another finding: an unreadable report is never skipped.
    #[test]
    fn a_damaged_newest_report_is_an_error_and_not_an_older_one() {
        let project = Project::new();
        project.report("review-20261101T000000Z-aa.json", &example::changes_requested());
        let newest = project.dir.path().join(".debate/review-20261102T000000Z-bb.json");
        fs::write(newest, "{").unwrap();
        assert_eq!(project.newest("F1").unwrap_err().code, "unreadable_report");
    }

    #[test]
    fn rehearsals_are_passed_over_and_refused_by_name() {
        let project = Project::new();
        project.report("review-1.json", &example::changes_requested());
        let mut rehearsed = example::changes_requested();
        rehearsed.header.rehearsal = true;
        rehearsed.findings.clear();
        let path = project.report("review-2.json", &rehearsed);
        assert_eq!(project.newest("F1").unwrap().id, "F1");
        let named = project.dismiss("F1", "why", Source::Report(path));
        assert_eq!(named.unwrap_err().code, "rehearsal");
    }

    #[test]
    fn a_file_that_is_not_understood_is_left_as_it_is() {
        let project = Project::new();
        project.report("review-1.json", &example::changes_requested());
        for text in ["{", "{\"version\": 2, \"dismissals\": []}", ""] {
            fs::write(project.file(), text).unwrap();
            let error = project.newest("F1").unwrap_err();
            assert_eq!(error.code, "dismissals", "{text}");
            assert_eq!(fs::read_to_string(project.file()).unwrap(), text);
        }
    }

    #[test]
    fn a_link_in_the_files_place_is_refused_and_its_target_untouched() {
        let project = Project::new();
        project.report("review-1.json", &example::changes_requested());
        let target = project.dir.path().join("elsewhere.json");
        fs::write(&target, "{\"version\": 1, \"dismissals\": []}").unwrap();
        symlink(&target, project.file()).unwrap();
        assert_eq!(project.newest("F1").unwrap_err().code, "dismissals");
        assert!(project.file().is_symlink());
        assert_eq!(fs::read_to_string(&target).unwrap().len(), 32);
    }

    #[test]
    fn many_at_once_lose_none() {
        let project = Project::new();
        let document = example::changes_requested();
        let one = document.findings[0].clone();
        let mut document = document;
        document.findings = (0..8)
            .map(|index| {
                let mut finding = one.clone();
                finding.reported.id = format!("F{}", index + 1);
                finding.reported.fingerprint = format!("{index:016x}");
                finding
            })
            .collect();
        let path = project.report("review-1.json", &document);
        let (root, file) = (project.dir.path(), project.file());
        std::thread::scope(|scope| {
            for finding in &document.findings {
                let (reported, file) = (&finding.reported, &file);
                scope.spawn(move || {
                    let dismissal = Dismissal {
                        fingerprint: reported.fingerprint.clone(),
                        file: reported.file.clone(),
                        title: reported.title.clone(),
                        severity: reported.severity,
                        why: "why".into(),
                        at: chrono::DateTime::UNIX_EPOCH,
                        by: None,
                    };
                    add(root, file, dismissal).unwrap();
                });
            }
        });
        assert_eq!(project.known().len(), 8);
        drop(path);
    }

    #[test]
    fn what_people_read_says_that_it_must_be_committed() {
        let project = Project::new();
        project.report("review-1.json", &example::changes_requested());
        let text = project.newest("F1").unwrap().render();
        assert!(text.starts_with("Dismissed F1 (P0 src/pay.rs: A large refund"), "{text}");
        assert!(text.contains("Commit debate-agent.dismissals.json"), "{text}");
    }
}
