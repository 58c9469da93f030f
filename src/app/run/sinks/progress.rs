//! Reports on a session while it runs: the comment of a `github` sink with `progress`.
//!
//! The reports run beside the debate, which never waits for them: news that arrives while a comment is being changed
//! is reported with the next change. Failing to change a comment is not a failure, except for the one at the
//! session's end.

use std::io;
use std::pin::pin;

use rustix::process::Signal;
use tokio::sync::watch;

use super::issue;
use crate::app::run::workspace::Workspace;
use crate::engine::events::{Event, EventKind, Reporter};
use crate::engine::switch::Switch;
use crate::error::Error;
use crate::kernel::Stop;
use crate::session::{Deliveries, Session};
use crate::sink::{Export, Progress, Step, Target};
use crate::text::redact::Redactor;

pub(crate) struct ProgressSender<'a> {
    workspace: &'a Workspace,
    session: String,
    redactor: Redactor,
    issue: Option<u64>,
    targets: Vec<Target<'a>>,
    progress: watch::Receiver<Progress>,
    switch: Switch,
}

struct ProgressListener(watch::Sender<Progress>);

impl Reporter for ProgressListener {
    fn event(&mut self, event: &Event) -> io::Result<()> {
        self.0.send_if_modified(|known| match &event.kind {
            EventKind::SessionStarted { title, spent, .. } => {
                known.title.clone_from(title);
                known.spent = *spent;
                false
            }
            EventKind::RoundOpened { round, of } => {
                (known.round, known.of) = (*round, *of);
                true
            }
            EventKind::TurnFinished { spent, .. } => {
                known.spent = *spent;
                false
            }
            EventKind::SessionFinished { outcome, resumable, .. } => {
                known.stopped = resumable.then(|| outcome.clone());
                *resumable
            }
            _ => false,
        });
        Ok(())
    }
}

impl<'a> ProgressSender<'a> {
    /// Creates the sender for a session, and adds its listener to the reporters; `None` if no sink wants progress.
    pub(crate) fn new(
        workspace: &'a Workspace,
        session: &Session,
        owed: Option<&Deliveries>,
        reporters: &mut Vec<Box<dyn Reporter>>,
    ) -> Option<Self> {
        let owed = owed?;
        let opened = session.ledger().opened()?;
        let issue = issue(&opened.input);
        let sinks = &workspace.effective.config.sinks;
        let targets: Vec<Target<'_>> = (owed.sinks.keys())
            .filter_map(|name| Target::of(sinks.get(name)?))
            .filter(|target| target.config.progress && (issue.or(target.config.issue)).is_some())
            .collect();
        if targets.is_empty() {
            return None;
        }
        let (ear, told) = watch::channel(Progress::default());
        reporters.push(Box::new(ProgressListener(ear)));
        Some(Self {
            workspace,
            session: session.id().to_owned(),
            redactor: workspace.redactor(),
            issue,
            targets,
            progress: told,
            switch: Switch::default(),
        })
    }

    /// Does `work` and reports on it meanwhile. No report is still running when it returns.
    pub(crate) async fn beside<T>(teller: Option<&Self>, work: impl Future<Output = T>) -> T {
        let Some(teller) = teller else {
            return work.await;
        };
        let (mut work, mut telling) = (pin!(work), pin!(teller.send_all()));
        tokio::select! {
            biased;
            done = &mut work => {
                teller.switch.stop(Stop::Cancelled(Signal::TERM.as_raw()));
                telling.await;
                done
            }
            () = &mut telling => work.await,
        }
    }

    /// Sends reports until the switch is stopped or the listener is gone.
    async fn send_all(&self) {
        let mut told = self.progress.clone();
        let mut control = self.switch.listen();
        loop {
            tokio::select! {
                biased;
                _ = control.changed() => return,
                changed = told.changed() => if changed.is_err() { return },
            }
            let now = told.borrow_and_update().clone();
            self.send(&now, &self.switch).await;
        }
    }

    /// Reports that the session stopped and can be resumed, if so.
    pub(crate) async fn send_stop(&self, switch: Option<&Switch>) -> Result<(), Error> {
        let last = self.progress.borrow().clone();
        if last.stopped.is_none() {
            return Ok(());
        }
        let work = async |switch: &Switch| self.send(&last, switch).await;
        super::stopping(self.workspace, switch, None, work).await
    }

    async fn send(&self, progress: &Progress, switch: &Switch) {
        for target in &self.targets {
            let Some(issue) = self.issue.or(target.config.issue) else {
                continue;
            };
            let safe = Progress { title: self.redactor.text(&progress.title), ..progress.clone() };
            let step: Step = safe.step(target.config, &self.session, issue);
            let export = Export::named(&self.session);
            let shell =
                super::with_shell(self.workspace, target, &self.redactor, switch, async |shell| {
                    target.perform(&step, &export, &shell).await.ok()
                });
            shell.await.ok();
        }
    }
}
