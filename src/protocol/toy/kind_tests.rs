//! The toy as a kind of session: the parts other than its rules that open, run, show and resume it, and tests of
//! them.

use std::borrow::Cow;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::LocalBoxFuture;
use serde::{Deserialize, Serialize};
use tokio::sync::watch;

use super::{Outcome, Toy, ToyEnd};
use crate::agent::attempts::Intent;
use crate::app::kinds::{StoredKind, TEST_KINDS, among};
use crate::app::run::calls::CallRules;
use crate::app::run::kind::{Parts, SessionKind};
use crate::app::run::launch::Launch;
use crate::app::run::panel::{SeatHolder, recorded};
use crate::app::run::resume::ResumeRequest;
use crate::app::run::session_run::SessionRun;
use crate::app::run::workspace::{StartContext, Workspace};
use crate::app::{RunOptions, block_on};
use crate::config::Config;
use crate::config::key::KeyPath;
use crate::env::Env;
use crate::error::Error;
use crate::exit::ExitStatus;
use crate::kernel::{Driver, Quorum, SessionOutcome as _, Stamp, Usd};
use crate::process::{Control, Ending, ProcessResult, Sink, Spec};
use crate::report::compact::Compact;
use crate::report::document::{Header, HeaderView, Notes, SessionFacts};
use crate::report::page::{Page, ToPage, text};
use crate::report::session_result::SessionDocument;
use crate::session::{Ledger, MemFs, StoredSession};

pub(crate) struct ToyKind;

/// The result document of a toy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ToyDocument {
    #[serde(flatten)]
    header: Header<String, String>,
    number: Option<u32>,
}

impl SessionKind for ToyKind {
    const NAME: &'static str = "toy";
    type Task = ();
    type Settings = ();
    type Protocol = Toy;
    type Document = ToyDocument;

    fn skills(_: &Config, (): &(), (): &()) -> Vec<Cow<'static, str>> {
        Vec::new()
    }

    fn seating((): &(), calls: &CallRules) -> Vec<SeatHolder> {
        recorded(calls, |_| "toy".into())
    }

    fn machine(_: Parts<'_, Self>) -> Result<Driver<Toy>, Error> {
        Ok(Toy::open())
    }

    fn document(
        _: Parts<'_, Self>,
        outcome: Outcome,
        _: &Ledger,
        stamp: &Stamp,
        about: SessionFacts,
    ) -> ToyDocument {
        let (ended, verdict) = (outcome.name(), outcome.verdict().to_owned());
        let mut header = Header::of(Self::NAME, ended, verdict, 1, stamp, about);
        header.quorum = Quorum::of(&outcome.seats, 2);
        header.decided = outcome.number.is_some();
        header.seats = outcome.seats;
        ToyDocument { header, number: outcome.number }
    }

    fn status(outcome: &Outcome, _: Option<i32>, _: Usd) -> ExitStatus {
        if outcome.closes() { ExitStatus::Success } else { ExitStatus::Undecided }
    }

    fn bounds((): &(), (): &()) -> (u32, u32) {
        (1, 1)
    }
}

impl ToPage for ToyDocument {
    fn page(&self) -> Page {
        let headline = match self.number {
            Some(number) => text!["DECIDED: ", number],
            None => "UNDECIDED".into(),
        };
        Page::new("A toy", headline)
    }
}

impl SessionDocument for ToyDocument {
    fn header(&self) -> HeaderView<'_> {
        self.header.view()
    }

    fn notes(&mut self) -> Notes<'_> {
        self.header.notes()
    }

    fn compact(&self) -> Compact {
        Compact { suspended: !self.header.decided, ..Compact::default() }
    }
}

/// Agents without a process: the numbers that the seats name, one per attempt; a seat's last number is repeated.
#[derive(Debug)]
struct Says(RefCell<Vec<(&'static str, &'static str)>>);

impl Launch for Says {
    fn launch<'a>(
        &'a self,
        intent: &'a Intent,
        _: &'a Spec,
        _: watch::Receiver<Control>,
        sink: &'a mut dyn Sink,
    ) -> LocalBoxFuture<'a, ProcessResult> {
        let mut left = self.0.borrow_mut();
        let at = left.iter().position(|(seat, _)| *seat == intent.role).unwrap();
        let last = left.iter().filter(|(seat, _)| *seat == intent.role).count() == 1;
        let (_, said) = if last { left[at] } else { left.remove(at) };
        sink.stdout(format!("<<<NUMBER_START>>>\n{said}\n<<<NUMBER_END>>>\n").as_bytes());
        Box::pin(std::future::ready(ProcessResult {
            ending: Ending::Exited { code: 0 },
            survivors_killed: 0,
            unkillable: 0,
            leaked_output: false,
            took: Duration::ZERO,
            stdout_seen: 0,
        }))
    }
}

fn workspace(
    disk: &MemFs,
    dir: &std::path::Path,
    says: &[(&'static str, &'static str)],
) -> Workspace {
    let around = StartContext::of(
        dir,
        [("HOME", dir.display().to_string())].map(|(name, value)| (name.to_owned(), value)).into(),
        Env::fixed(chrono::DateTime::UNIX_EPOCH, 0),
    );
    let says = Rc::new(Says(RefCell::new(says.to_vec())));
    Workspace::open(around, Vec::new()).unwrap().on(Arc::new(disk.clone()), says)
}

fn row(stored: &StoredSession) -> &'static dyn StoredKind {
    among(&TEST_KINDS, stored).unwrap()
}

#[test]
fn a_kind_is_opened_run_shown_forked_and_resumed_by_the_code_of_all() {
    let dir = tempfile::tempdir().unwrap();
    let disk = MemFs::new(dir.path());
    let options = RunOptions { rehearse: true, ..RunOptions::default() };
    let silent = workspace(&disk, dir.path(), &[("s1", "7"), ("s2", "I will not")]);
    let seating = ["s1", "s2", "referee"].map(|seat| SeatHolder::new(seat, seat, "toy"));
    let mut run = SessionRun::<ToyKind>::new(&silent, &options, &seating, (), ()).unwrap();
    let held = block_on(run.start(|()| "a toy".to_owned(), &options, Vec::new())).unwrap().unwrap();
    assert_eq!(held.outcome.ended, ToyEnd::Failed);
    assert_eq!(held.finished.status, ExitStatus::Undecided);

    // Stored, and found by its name alone.
    let store = silent.store();
    let id = store.ids().unwrap().remove(0);
    let stored = store.read(&id).unwrap();
    let shown = block_on(row(&stored).shown(&silent, &stored)).unwrap().unwrap();
    assert_eq!(shown.headline(), "UNDECIDED");
    assert_eq!(shown.header().outcome.as_deref(), Some("failed"));
    assert!(shown.compact().suspended && !shown.header().decided);
    let open = block_on(row(&stored).open_turns(&stored)).unwrap().unwrap();
    assert_eq!(open, ["r1/guess/s2"]);

    // A resume asks the open turns and the ones that follow from them.
    let talks = workspace(&disk, dir.path(), &[("s2", "4"), ("referee", "5")]);
    let request = ResumeRequest { id: id.clone(), ..ResumeRequest::default() };
    let resumed = row(&stored).resume(&talks, &request, stored, Vec::new());
    let resumed = block_on(resumed).unwrap().unwrap();
    assert_eq!(resumed.status, ExitStatus::Success);
    let document = resumed.document.document::<ToyDocument>().unwrap();
    assert_eq!((document.number, &*document.header.outcome), (Some(5), "decided"));
    let report = document.header.report_path.as_deref().unwrap();
    assert!(std::fs::read_to_string(report).unwrap().contains("DECIDED: 5"));

    // A closed session gives its result again; a fork asks anew; the toy has no rules to decide by.
    let nobody = workspace(&disk, dir.path(), &[]);
    let stored = store.read(&id).unwrap();
    let again = row(&stored).resume(&nobody, &request, stored, Vec::new());
    assert_eq!(block_on(again).unwrap().unwrap().status, ExitStatus::Success);
    let stored = store.read(&id).unwrap();
    let fork = workspace(&disk, dir.path(), &[("s1", "3"), ("s2", "3")]);
    let request = ResumeRequest { from_round: Some(1), ..request };
    let forked = row(&stored).resume(&fork, &request, store.read(&id).unwrap(), Vec::new());
    assert_eq!(block_on(forked).unwrap().unwrap().document.headline(), "DECIDED: 3");
    let decided =
        block_on(row(&stored).decide(&stored, &Config::default(), &[KeyPath::of(["x"])])).unwrap();
    assert_eq!(decided.unwrap_err().code, "no_rules");
}
