//! Dismissing findings of stored reports, on a real folder.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use super::*;
use crate::app::dismissals::read;
use crate::app::workspace::Surroundings;
use crate::protocol::review::{Known, Severity};
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
        let around = Surroundings {
            dir: dir.path().to_owned(),
            config: None,
            vars: BTreeMap::from([("HOME".to_owned(), home)]),
            group: 0,
            groups: String::new(),
            nested: false,
            env: crate::env::Env::system(),
        };
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

    fn known(&self) -> BTreeMap<String, Known> {
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
    let why = |severity| Known::Dismissed { why: "It is a test.".into(), severity };
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
    // Three digits could be anything.
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
    document.findings[1].reported.fingerprint = document.findings[0].reported.fingerprint.clone();
    project.report("review-1.json", &document);
    assert_eq!(project.newest("F1").unwrap().also, ["F2"]);
    // Both begin like this, and are one dismissal.
    assert!(project.newest("f1f1f1").unwrap().already);
}

#[test]
fn what_cannot_be_dismissed_is_refused_with_the_ids_there_are() {
    let project = Project::new();
    assert_eq!(project.newest("F1").unwrap_err().code, "no_review");
    let path = project.report("review-1.json", &example::changes_requested());
    let unknown = project.newest("F9").unwrap_err();
    assert_eq!(unknown.code, "unknown_id");
    assert!(unknown.hints[0].contains("F1 (P0 src/pay.rs: A large refund"), "{:?}", unknown.hints);
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

/// `F1` of an older review is another finding: what cannot be read is never passed over.
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
