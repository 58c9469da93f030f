//! Follow-ups of results in real folders: with links, damage and several writers, and on a disk where everything
//! fails.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::PathBuf;

use serde_json::{Value, json};

use super::*;
use crate::protocol::discuss::{DivergenceKind, Point, PointKind};
use crate::session::memfs::{Fault, Plan, TornWrite};
use crate::session::{MemFs, RealFs};

/// A result's parts, owned.
pub(super) struct Case {
    session: String,
    task_id: Option<String>,
    artifact: Artifact,
    sign_off: bool,
    severity: Option<Severity>,
    divergences: Vec<Divergence>,
    items: Vec<ActionItem>,
    rehearsal: bool,
}

impl Case {
    pub(super) fn entry(&self) -> Entry<'_> {
        Entry {
            session_id: &self.session,
            round_id: "DISCUSS-002",
            task_id: self.task_id.as_deref(),
            artifact: &self.artifact,
            sign_off: self.sign_off,
            severity: self.severity,
            average_rating: self.severity.map(|_| 2.5),
            divergences: &self.divergences,
            action_items: &self.items,
            rehearsal: self.rehearsal,
            at: DateTime::from_timestamp(1_790_000_000, 999_000_000).unwrap(),
        }
    }
}

fn divergence(text: &str) -> Divergence {
    Divergence {
        kind: DivergenceKind::HighRisk,
        severity: Severity::Medium,
        perspectives: vec!["risk".into(), "quality".into()],
        text: text.into(),
    }
}

fn item(text: &str) -> ActionItem {
    ActionItem {
        text: text.into(),
        urgency: Severity::Medium,
        perspectives: vec!["risk".into()],
        members: vec![Point {
            perspective: "risk".into(),
            kind: PointKind::Risk,
            text: text.into(),
        }],
    }
}

fn case(session: u32, artifact: &str, severity: Severity) -> Case {
    Case {
        session: format!("0199a3c2-{session}"),
        task_id: None,
        artifact: Artifact {
            name: artifact.into(),
            text: "# Brief\n".into(),
            sha256: "ab".repeat(32),
            bytes: 8,
        },
        sign_off: false,
        severity: Some(severity),
        divergences: vec![divergence("The vendor may leave.")],
        items: vec![item("Name a second vendor.")],
        rehearsal: false,
    }
}

fn high(session: u32, artifact: &str) -> Case {
    case(session, artifact, Severity::High)
}

struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn dir(&self) -> PathBuf {
        self.0.path().join("records")
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir().join(name)
    }

    fn does(&self, case: &Case) -> FollowUpAction {
        record(&RealFs::default(), &self.dir(), &case.entry()).unwrap().action
    }

    fn lines(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.path("policy.jsonl")).unwrap();
        let lines = text.lines();
        lines.map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.dir()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

#[test]
fn a_line_holds_what_the_next_one_to_work_on_it_needs() {
    let place = Place::new();
    let mut case = high(1, "docs/a.md");
    case.task_id = Some("DRAFT-001".into());
    record(&RealFs::default(), &place.dir(), &case.entry()).unwrap();
    assert_eq!(
        place.lines(),
        [json!({
            "schema_version": 1, "time": "2026-09-21T14:13:20Z", "session_id": "0199a3c2-1", "round_id": "DISCUSS-002",
            "artifact": "docs/a.md", "artifact_sha256": "ab".repeat(32), "action": "revision_task", "task": "DRAFT-001-R1",
            "severity": "high",
            "divergences": [{"kind": "high_risk", "severity": "medium", "perspectives": ["risk", "quality"], "text": "The vendor may leave."}],
            "action_items": [{"severity": "medium", "perspectives": ["risk"], "text": "Name a second vendor."}],
        })]
    );
    for (name, mode) in [("", 0o700), ("policy.jsonl", 0o600), ("policy.lock", 0o600)] {
        let found = fs::metadata(place.path(name)).unwrap().permissions().mode();
        assert_eq!(found & 0o777, mode, "{name}");
    }
    assert_eq!(place.names(), ["policy.jsonl", "policy.lock"]);
}

#[test]
fn a_gate_stops_every_time_and_is_no_revision() {
    let place = Place::new();
    for session in 1..=2 {
        let mut gate = high(session, "docs/a.md");
        gate.sign_off = true;
        let made = record(&RealFs::default(), &place.dir(), &gate.entry()).unwrap();
        assert_eq!(made.action, FollowUpAction::SignOff);
        assert!(made.stops && made.recorded);
    }
    assert_eq!(revisions(&RealFs::default(), &place.dir(), "docs/a.md").unwrap(), 0);
    assert_eq!(place.lines()[1]["action"], "sign_off");
}

#[test]
fn what_goes_on_or_decides_nothing_leaves_no_trace() {
    let place = Place::new();
    let mut undecided = high(1, "a");
    undecided.severity = None;
    for (case, wanted) in [
        (case(1, "a", Severity::None), FollowUpAction::GoOn),
        (case(1, "a", Severity::Low), FollowUpAction::GoOn),
        (undecided, FollowUpAction::Nothing),
    ] {
        let made = record(&RealFs::default(), &place.dir(), &case.entry()).unwrap();
        assert_eq!((made.action, made.recorded, made.file), (wanted, false, None));
    }
    assert!(!place.dir().exists());
}

#[test]
fn one_artifact_has_many_spellings() {
    for (a, b, same) in [
        ("./docs/a.md", "docs/a.md", true),
        ("docs//a.md", "docs/./a.md", true),
        ("docs/x/../a.md", "docs/a.md", true),
        ("../a.md", "../x/../a.md", true),
        ("/../a.md", "/a.md", false),
        ("../a.md", "a.md", false),
        ("../../a.md", "a.md", false),
        ("/docs/a.md", "docs/a.md", false),
        ("docs/A.md", "docs/a.md", false),
        ("docs/a.md ", "docs/a.md", false),
    ] {
        assert_eq!(log::parts(a) == log::parts(b), same, "{a} {b}");
        let place = Place::new();
        place.does(&high(1, a));
        let wanted = if same { FollowUpAction::Escalate } else { FollowUpAction::RevisionTask };
        assert_eq!(place.does(&high(2, b)), wanted, "{a} {b}");
        assert_eq!(revisions(&RealFs::default(), &place.dir(), b).unwrap(), 1, "{a} {b}");
    }
}

#[test]
fn a_session_is_written_down_once_and_told_the_same_again() {
    let place = Place::new();
    for (number, action) in [(1, FollowUpAction::RevisionTask), (2, FollowUpAction::Escalate)] {
        let case = high(number, "docs/a.md");
        let first = record(&RealFs::default(), &place.dir(), &case.entry()).unwrap();
        assert_eq!(first.action, action);
        let text = fs::read(place.path("policy.jsonl")).unwrap();
        assert_eq!(record(&RealFs::default(), &place.dir(), &case.entry()).unwrap(), first);
        assert_eq!(fs::read(place.path("policy.jsonl")).unwrap(), text);
    }
    // The first one too: its artifact has one revision by now, its own.
    assert_eq!(place.does(&high(1, "docs/a.md")), FollowUpAction::RevisionTask);
    let warned = case(3, "docs/a.md", Severity::Medium);
    let first = record(&RealFs::default(), &place.dir(), &warned.entry()).unwrap();
    let text = fs::read(place.path("wisdom/issues.md")).unwrap();
    assert_eq!(record(&RealFs::default(), &place.dir(), &warned.entry()).unwrap(), first);
    assert_eq!(fs::read(place.path("wisdom/issues.md")).unwrap(), text);
}

#[test]
fn several_writers_send_one_artifact_back_once() {
    let place = Place::new();
    let dir = place.dir();
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let dir = &dir;
            scope.spawn(move || {
                for number in 0..3 {
                    let case = high(writer * 10 + number, "docs/a.md");
                    record(&RealFs::default(), dir, &case.entry()).unwrap();
                    let case = case_of(writer * 10 + number);
                    record(&RealFs::default(), dir, &case.entry()).unwrap();
                }
            });
        }
    });
    let actions: Vec<Value> = (place.lines().iter()).map(|line| line["action"].clone()).collect();
    assert_eq!(actions.len(), 12);
    assert_eq!(actions[0], "revision_task");
    assert!(actions[1..].iter().all(|action| action == "escalate"));
    let page = fs::read_to_string(place.path("wisdom/issues.md")).unwrap();
    assert_eq!(page.matches("\nSession: `").count(), 12);
}

fn case_of(session: u32) -> Case {
    case(session, "docs/b.md", Severity::Medium)
}

#[test]
fn links_and_other_things_are_refused_and_untouched() {
    for (name, severity) in [
        ("policy.jsonl", Severity::High),
        ("policy.lock", Severity::High),
        ("policy.lock", Severity::Medium),
        ("wisdom", Severity::Medium),
        ("wisdom/issues.md", Severity::Medium),
    ] {
        let place = Place::new();
        let target = place.0.path().join("target");
        if name == "wisdom" {
            fs::create_dir(&target).unwrap();
        } else {
            fs::write(&target, "mine").unwrap();
        }
        fs::create_dir_all(place.path(name).parent().unwrap()).unwrap();
        symlink(&target, place.path(name)).unwrap();
        let error =
            record(&RealFs::default(), &place.dir(), &case(1, "a", severity).entry()).unwrap_err();
        assert_eq!(error.status().code(), 5, "{name}");
        assert!(error.text(false).contains("a symbolic link"), "{name}: {}", error.text(false));
        if target.is_dir() {
            assert_eq!(fs::read_dir(&target).unwrap().count(), 0);
        } else {
            assert_eq!(fs::read_to_string(&target).unwrap(), "mine", "{name}");
        }
        assert!(place.path(name).is_symlink(), "{name}");
    }
    let place = Place::new();
    let target = place.0.path().join("target");
    fs::create_dir(&target).unwrap();
    symlink(&target, place.dir()).unwrap();
    for severity in [Severity::Medium, Severity::High] {
        let error =
            record(&RealFs::default(), &place.dir(), &case(1, "a", severity).entry()).unwrap_err();
        assert!(error.text(false).contains("a symbolic link"), "{}", error.text(false));
    }
    assert!(revisions(&RealFs::default(), &place.dir(), "a").is_err());
    assert_eq!(fs::read_dir(&target).unwrap().count(), 0);
    fs::remove_file(place.dir()).unwrap();
    fs::write(place.dir(), "a file").unwrap();
    assert!(revisions(&RealFs::default(), &place.dir(), "a").is_err());
    assert!(record(&RealFs::default(), &place.dir(), &high(1, "a").entry()).is_err());
}

#[test]
fn a_pipe_holds_nobody_up() {
    let place = Place::new();
    fs::create_dir(place.dir()).unwrap();
    let pipe = rustix::fs::FileType::Fifo;
    let (at, mode) = (rustix::fs::CWD, rustix::fs::Mode::RWXU);
    rustix::fs::mknodat(at, place.path("policy.jsonl"), pipe, mode, 0).unwrap();
    let error = record(&RealFs::default(), &place.dir(), &high(1, "a").entry()).unwrap_err();
    assert!(error.what.contains("is a special file, not a file"), "{}", error.what);
}

#[test]
fn a_folder_that_cannot_be_written_is_an_error() {
    let place = Place::new();
    fs::create_dir(place.dir()).unwrap();
    fs::set_permissions(place.dir(), fs::Permissions::from_mode(0o500)).unwrap();
    // A user without restrictions (root) cannot be shown a refusal.
    if fs::write(place.path("probe"), "").is_ok() {
        return;
    }
    for severity in [Severity::Medium, Severity::High] {
        let error =
            record(&RealFs::default(), &place.dir(), &case(1, "a", severity).entry()).unwrap_err();
        assert_eq!(error.status().code(), 5);
    }
    fs::set_permissions(place.dir(), fs::Permissions::from_mode(0o700)).unwrap();
    assert!(place.names().is_empty());
}

mod damage;
mod disk;
