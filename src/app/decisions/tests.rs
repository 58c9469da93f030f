//! Debates that are logged and those that are not, by the table, and the content of an entry.

use crate::kernel::{Ended, Halt};
use crate::report::decisions::Priority;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::*;
use crate::app::run::workspace::StartContext;
use crate::kernel::share::Share;
use crate::protocol::debate::DebateOutcome;
use crate::report::debate::example::ended;

pub(in crate::app) fn workspace(dir: &Path) -> Workspace {
    let home = dir.join("home").display().to_string();
    let around = StartContext::of(
        dir,
        BTreeMap::from([
            ("HOME".to_owned(), home),
            ("ACME_TOKEN".to_owned(), "hunter2hunter2".to_owned()),
        ]),
        crate::env::Env::system(),
    );
    Workspace::open(around, Vec::new()).unwrap()
}

pub(in crate::app) struct Project {
    pub(in crate::app) dir: tempfile::TempDir,
    pub(in crate::app) workspace: Workspace,
}

impl Project {
    pub(in crate::app) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join(".git")).unwrap();
        let workspace = workspace(dir.path());
        Self { dir, workspace }
    }

    pub(in crate::app) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(".debate").join(name)
    }

    pub(in crate::app) fn log(
        &self,
        document: &DebateDocument,
        how: LogMode,
    ) -> Result<DecisionDocument, Error> {
        log(&self.workspace, document, how, &Marks::default())
    }

    pub(in crate::app) fn ids(&self) -> Vec<String> {
        let log = list(&self.workspace).unwrap();
        log.decisions.into_iter().map(|entry| entry.id).collect()
    }
}

pub(in crate::app) fn by_hand(title: &str) -> Manual {
    Manual {
        title: title.into(),
        decision: "gRPC.".into(),
        reason: String::new(),
        alternatives: Vec::new(),
        marks: Marks::default(),
    }
}

/// Worked out by hand from `docs/debate.md`: automatic at or above the threshold, after the person's yes for
/// `partial`.
#[test]
fn what_is_logged_is_what_the_table_says() {
    use DebateOutcome as O;
    for (outcome, wanted) in [
        (O::Adopted, LogAction::Log),
        (O::ConsensusReached, LogAction::Log),
        (O::Settled, LogAction::Log),
        (O::Partial, LogAction::Ask),
        (O::Expert, LogAction::Offer),
        (O::Judged, LogAction::Offer),
        (O::Deadlocked, LogAction::Nothing),
        (O::Unstable, LogAction::Nothing),
        (O::Split, LogAction::Nothing),
        (O::Failed, LogAction::Nothing),
    ]
    .map(|(outcome, wanted)| (Ended::from(outcome), wanted))
    .into_iter()
    .chain([Halt::Terminated, Halt::Interrupted].map(|halt| (halt.into(), LogAction::Nothing)))
    {
        let mut document = ended(outcome);
        assert_eq!(due(&document), wanted, "{outcome:?}");
        for how in [LogMode::Automatic, LogMode::Confirmed] {
            let project = Project::new();
            let source = match (wanted, how) {
                (LogAction::Log, LogMode::Automatic) => Some(Source::Automatic),
                (LogAction::Log | LogAction::Ask | LogAction::Offer, LogMode::Confirmed) => {
                    Some(Source::Confirmed)
                }
                (LogAction::Ask | LogAction::Offer, LogMode::Automatic)
                | (LogAction::Nothing, _) => None,
            };
            let logged = project.log(&document, how);
            let kept = logged.as_ref().ok().map(|done| done.decision.source);
            assert_eq!(kept, source, "{outcome:?} {how:?}");
            assert_eq!(project.path("decisions.json").exists(), source.is_some());
            if let Err(error) = logged {
                let code = if wanted == LogAction::Nothing {
                    "nothing_decided"
                } else {
                    "needs_confirmation"
                };
                assert_eq!((error.code, error.status().code()), (code, 2));
                assert!(!error.hints.is_empty());
            }
        }
        // A rehearsal decides nothing, however it ends and whoever asks.
        document.header.rehearsal = true;
        assert_eq!(due(&document), LogAction::Nothing, "{outcome:?}");
        for how in [LogMode::Automatic, LogMode::Confirmed] {
            let project = Project::new();
            let error = project.log(&document, how).unwrap_err();
            assert_eq!(error.code, "rehearsal", "{outcome:?}");
            assert!(!project.path("").exists(), "{outcome:?}");
        }
    }
}

#[test]
fn a_verdict_without_words_decides_nothing() {
    let mut document = ended(DebateOutcome::Adopted);
    document.result.decision.as_mut().unwrap().text = " \u{200b}\n".into();
    assert_eq!(due(&document), LogAction::Nothing);
    document.result.decision = None;
    assert_eq!(due(&document), LogAction::Nothing);
    let project = Project::new();
    assert!(project.log(&document, LogMode::Automatic).is_err());
}

#[test]
fn an_entry_holds_what_was_decided_why_and_who_stood_against_it() {
    let project = Project::new();
    let mut document = ended(DebateOutcome::Adopted);
    let decision = document.result.decision.as_mut().unwrap();
    decision.text = "gRPC between services, REST at the edge.".into();
    decision.amendments = vec!["P2: Only inside the cluster.".into()];
    let entry = project.log(&document, LogMode::Automatic).unwrap().decision;
    assert_eq!(entry.id, "D1");
    assert_eq!(entry.title, "REST or gRPC between our services?");
    assert_eq!(Some(entry.date), document.header.completed_at);
    assert_eq!(entry.consensus, Some(Share::thousandths(875)));
    assert_eq!(entry.priority, Priority::High);
    assert_eq!(entry.tags, ["debate", "dialogue"]);
    assert_eq!(
        entry.decision,
        "gRPC between services, REST at the edge.\nAmended: P2: Only inside the cluster."
    );
    assert_eq!(entry.why, "ADOPTED: consensus 87.5% (85% needed) after round 2.");
    assert_eq!(entry.alternatives[0], "claude (proposer): Summary of r2-rebuttal.");
    assert_eq!(entry.alternatives.len(), 3, "{:?}", entry.alternatives);
    let stood: Vec<&str> = entry.positions.iter().map(|stood| stood.agent.as_str()).collect();
    assert_eq!(stood, ["claude", "gemini"]);
    assert!(entry.dissent[0].starts_with("claude (proposer) on B4"));
    assert_eq!(entry.session_id.as_deref(), Some(document.header.session_id.as_str()));
    let open = project.log(&ended(DebateOutcome::Adopted), LogMode::Confirmed).unwrap();
    assert!(open.already, "a debate is logged once");
    assert_eq!(project.ids(), ["D1"]);
}

/// 85% is high, anything below is not; without a measure it is medium, whoever confirms it.
#[test]
fn the_priority_comes_from_the_consensus_unless_it_is_given() {
    for (consensus, wanted) in [
        (Some(849), Priority::Medium),
        (Some(850), Priority::High),
        (Some(1000), Priority::High),
        (None, Priority::Medium),
    ] {
        let mut document = ended(DebateOutcome::Adopted);
        document.result.consensus = consensus.map(Share::thousandths);
        let entry = Project::new().log(&document, LogMode::Automatic).unwrap().decision;
        assert_eq!(entry.priority, wanted, "{consensus:?}");
    }
    let marks = Marks {
        priority: Some(Priority::Low),
        tags: vec!["api".into(), " API ".into(), String::new()],
    };
    let project = Project::new();
    let document = ended(DebateOutcome::Partial);
    let entry = log(&project.workspace, &document, LogMode::Confirmed, &marks).unwrap().decision;
    assert_eq!(entry.priority, Priority::Low);
    assert_eq!(entry.tags, ["debate", "dialogue", "api"]);
    assert_eq!(entry.open_points, ["J2 (partly): Claim 2 of r3-compromise."]);
}

#[test]
fn nothing_is_left_out_silently() {
    let mut document = ended(DebateOutcome::Adopted);
    let one = document.result.dissent[0].clone();
    document.result.dissent = vec![one; 37];
    document.result.decision.as_mut().unwrap().text = "long ".repeat(2_000);
    let position = document.result.final_positions.get_mut("claude").unwrap();
    position.text = "p".repeat(300);
    let entry = Project::new().log(&document, LogMode::Automatic).unwrap().decision;
    assert_eq!(entry.dissent.len(), 31);
    assert_eq!(entry.dissent[30], "and 7 more, in the record of the debate");
    assert!(entry.decision.ends_with("(The rest is in the record of the debate.)"));
    assert_eq!(entry.positions[0].position.chars().count(), 200);
    assert!(entry.positions[0].position.ends_with('…'));
}

#[test]
fn a_manual_decision_has_no_consensus_and_its_secrets_are_taken_out() {
    let project = Project::new();
    let mut given = by_hand("Transport");
    given.reason = "The key hunter2hunter2 is old.\nLatency.".into();
    given.alternatives = vec![" REST ".into(), String::new(), "GraphQL".into()];
    let entry = manual(&project.workspace, &given).unwrap().decision;
    assert_eq!((entry.consensus, entry.source), (None, Source::Manual));
    assert_eq!(entry.priority, Priority::Medium);
    assert_eq!(entry.alternatives, ["REST", "GraphQL"]);
    assert!(entry.why.ends_with("is old.\nLatency."), "{}", entry.why);
    let file = fs::read_to_string(project.path("decisions.json")).unwrap();
    assert!(!file.contains("hunter2"), "{file}");
    // Two identical decisions stay two: nothing states that they are one.
    manual(&project.workspace, &by_hand("Transport")).unwrap();
    assert_eq!(project.ids(), ["D1", "D2"]);
}

#[test]
fn a_person_s_words_are_refused_and_not_cut() {
    let project = Project::new();
    let mut long = by_hand("x");
    long.decision = "d".repeat(4_001);
    let mut tags = by_hand("x");
    tags.marks.tags = vec!["t".repeat(41)];
    let mut many = by_hand("x");
    many.alternatives = vec!["a".into(); 31];
    let mut silent = by_hand("x");
    silent.decision = "\n".into();
    for (given, says) in [
        (by_hand(" \u{200b} "), "`--title` is empty"),
        (by_hand(&"t".repeat(201)), "`--title` has 201 characters, over the limit of 200"),
        (silent, "`--decision` is empty"),
        (long, "`--decision` has 4001 characters"),
        (tags, "a tag has 41 characters"),
        (many, "31 alternatives are given; at most 30 are allowed"),
    ] {
        let error = manual(&project.workspace, &given).unwrap_err();
        assert!(error.what.contains(says), "{}", error.what);
        assert_eq!(error.status().code(), 2);
    }
    assert!(!project.path("").exists(), "nothing was written");
}
