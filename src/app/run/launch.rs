//! Runs an attempt's process, and redacts its output before it is kept.

use std::borrow::Cow;
use std::fmt;

use futures_util::future::LocalBoxFuture;
use tokio::sync::watch;

use crate::agent::attempts::Intent;
use crate::process::{self, Control, ProcessResult, Sink, Spec};
use crate::session::SpoolWriter;
use crate::text::redact::{RedactStream, Redactor};

/// Runs the process of an attempt: [`Processes`] in the program, agents without a process in the crash-point tests.
pub trait Launch: fmt::Debug {
    /// Runs one attempt to its end, as [`process::run`] does.
    fn launch<'a>(
        &'a self,
        intent: &'a Intent,
        spec: &'a Spec,
        control: watch::Receiver<Control>,
        sink: &'a mut dyn Sink,
    ) -> LocalBoxFuture<'a, ProcessResult>;
}

/// Real processes, each under a guard.
#[derive(Debug, Clone, Copy, Default)]
pub struct Processes;

impl Launch for Processes {
    fn launch<'a>(
        &'a self,
        _: &'a Intent,
        spec: &'a Spec,
        control: watch::Receiver<Control>,
        sink: &'a mut dyn Sink,
    ) -> LocalBoxFuture<'a, ProcessResult> {
        Box::pin(process::run(spec, control, sink))
    }
}

/// Redacts a program's output, and passes it to the spool and to the reader.
pub(crate) struct Tee<'a> {
    stdout: RedactStream<'a>,
    stderr: RedactStream<'a>,
    spool: Option<SpoolWriter>,
    inner: &'a mut dyn Sink,
}

impl<'a> Tee<'a> {
    pub(crate) fn new(
        redactor: &'a Redactor,
        spool: Option<SpoolWriter>,
        inner: &'a mut dyn Sink,
    ) -> Self {
        Self { stdout: redactor.stream(), stderr: redactor.stream(), spool, inner }
    }

    /// Releases output that was held back as the possible start of a secret.
    pub(crate) fn finish(mut self) {
        let (stdout, stderr) = (self.stdout.finish(), self.stderr.finish());
        if let Some(spool) = &mut self.spool {
            spool.write(&stdout).ok();
        }
        self.inner.stdout(&stdout);
        self.inner.stderr(&stderr);
    }
}

impl Sink for Tee<'_> {
    fn aside<'c>(&mut self, chunk: &'c [u8]) -> Cow<'c, [u8]> {
        self.inner.aside(chunk)
    }

    fn stdout(&mut self, chunk: &[u8]) {
        let clean = self.stdout.push(chunk);
        if let Some(spool) = &mut self.spool
            && spool.write(&clean).is_err()
        {
            self.spool = None;
        }
        self.inner.stdout(&clean);
    }

    fn stderr(&mut self, chunk: &[u8]) {
        let clean = self.stderr.push(chunk);
        self.inner.stderr(&clean);
    }

    fn is_complete(&self) -> bool {
        self.inner.is_complete()
    }
}
