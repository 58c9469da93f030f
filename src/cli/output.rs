//! The destinations of results, errors and progress, and their appearance there.

use std::cell::Cell;
use std::io::{self, BufRead, IsTerminal as _, Read, Write};
use std::os::fd::AsFd;
use std::time::Instant;

use clap::error::ErrorKind;
use serde::Serialize;

use super::format::Format;
use super::options::{Global, Progress};
use crate::app::workspace::Workspace;
use crate::error::{Error, Kind};
use crate::exit::ExitStatus;
use crate::rehearsal;
use crate::report::live::LiveProgress;
use crate::report::progress::{Plain, Volume};
use crate::report::{Look, Reporter, SinkLost, document, look};
use crate::text::redact::Redactor;
use crate::text::sanitize;

/// The standard streams of one command.
#[derive(Debug)]
pub(super) struct Output {
    pub(super) asked: Option<Format>,
    /// The formats that the command has, the usual one first.
    pub(super) offered: &'static [Format],
    configured: Cell<Format>,
    pub(super) progress: Progress,
}

impl Output {
    pub(super) fn new(global: &Global, offered: &'static [Format]) -> Self {
        let asked = global.json.then_some(Format::Json);
        Self { asked, offered, configured: Cell::default(), progress: global.progress }
    }

    /// Sets the format of results for which the command line asks for none.
    pub(super) fn configure(&self, workspace: &Workspace) {
        self.configured.set(workspace.effective.config.format);
    }

    pub(super) fn format(&self) -> Format {
        let usual = self.offered.first().copied().unwrap_or_default();
        let configured = Some(self.configured.get());
        let configured =
            configured.filter(|one| *one != Format::Text && self.offered.contains(one));
        self.asked.or(configured).unwrap_or(usual)
    }

    pub(super) fn json(&self) -> bool {
        self.format() == Format::Json
    }

    /// Returns the look of results on standard output.
    #[expect(clippy::unused_self, reason = "callers ask the output, whatever it depends on")]
    pub(super) fn look(&self) -> Look {
        result_look(&io::stdout())
    }

    /// Writes the result. A closed standard output is success.
    pub(super) fn result(&self, text: &str) -> Result<ExitStatus, Error> {
        self.result_as(text, ExitStatus::Success)
    }

    /// Writes the result of a command that ends with this status.
    pub(super) fn result_as(&self, text: &str, status: ExitStatus) -> Result<ExitStatus, Error> {
        self.bytes(text.as_bytes(), status)
    }

    /// Writes the result, which may be something else than text.
    #[expect(clippy::unused_self, reason = "results leave through the output alone")]
    pub(super) fn bytes(&self, bytes: &[u8], status: ExitStatus) -> Result<ExitStatus, Error> {
        let mut out = io::stdout().lock();
        match out.write_all(bytes).and_then(|()| out.flush()).map_err(SinkLost::from) {
            Ok(()) | Err(SinkLost::Closed) => Ok(status),
            // The reader closed the terminal, which is not a failure of the run.
            Err(SinkLost::Failed(error)) if hung_up(&error, &out) => Ok(status),
            Err(lost @ SinkLost::Failed(_)) => {
                Err(Error::new(Kind::State, "failed to write the result").because(lost))
            }
        }
    }

    /// Writes a document as JSON.
    pub(super) fn document(
        &self,
        value: &impl Serialize,
        status: ExitStatus,
    ) -> Result<ExitStatus, Error> {
        self.result_as(&Self::json_of(value)?, status)
    }

    pub(super) fn json_of(value: &(impl Serialize + ?Sized)) -> Result<String, Error> {
        document::to_json(value).map_err(|error| {
            Error::new(Kind::Bug, "a result cannot be written as JSON").because(error)
        })
    }

    /// Prints a document: as JSON, or as the text rendered from it.
    pub(super) fn either(
        &self,
        document: &impl Serialize,
        status: ExitStatus,
        text: impl FnOnce(Look) -> String,
    ) -> Result<ExitStatus, Error> {
        if self.json() {
            self.document(document, status)
        } else {
            self.result_as(&text(self.look()), status)
        }
    }

    /// Writes an error to the stream on which this command's reader expects it.
    pub(super) fn error(&self, error: &Error) -> ExitStatus {
        if self.json() {
            let text = document::to_json(&error.json()).unwrap_or_default();
            // With both streams closed it cannot be reported; the exit code still reflects it.
            io::stdout().write_all(text.as_bytes()).ok();
        }
        let look = result_look(&io::stderr());
        io::stderr().write_all(error.text(look.colour).as_bytes()).ok();
        error.status()
    }

    /// Prints a notice on standard error, unless progress is off.
    pub(super) fn notice(&self, text: &str) {
        if self.progress != Progress::Off {
            Self::beside(text);
        }
    }

    /// Prints a warning on standard error, also without progress.
    pub(super) fn warning(text: &str) {
        Self::beside(&format!("warning: {text}"));
    }

    /// Prints a failure that accompanies a result, also without progress.
    pub(super) fn beside(text: &str) {
        writeln!(io::stderr(), "{}", sanitize::terminal(text)).ok();
    }

    /// Whether progress is drawn live, on a terminal.
    pub(super) fn is_live(&self) -> bool {
        self.progress_look().live
    }

    /// Returns the reporter for people on standard error.
    pub(super) fn reporter(&self) -> Box<dyn Reporter> {
        let stderr = Box::new(io::stderr());
        let look = self.progress_look();
        if look.live {
            return Box::new(LiveProgress::new(stderr, look, size, is_ours, Instant::now));
        }
        let quiet = self.progress == Progress::Off;
        let volume = if quiet { Volume::Quiet } else { Volume::Normal };
        Box::new(Plain::new(stderr, look, volume))
    }

    fn progress_look(&self) -> Look {
        Look::decide(&look::StreamFacts::of(&io::stderr()), self.progress == Progress::Auto)
    }
}

/// Whether a write failed because its terminal is gone. A disk fails with the same error, but is not a character
/// device.
fn hung_up(error: &io::Error, stream: &impl AsFd) -> bool {
    error.raw_os_error() == Some(rustix::io::Errno::IO.raw_os_error())
        && rustix::fs::fstat(stream)
            .is_ok_and(|stat| rustix::fs::FileType::from_raw_mode(stat.st_mode).is_char_device())
}

fn result_look(stream: &(impl AsFd + io::IsTerminal)) -> Look {
    Look::decide(&look::StreamFacts::of(stream), false)
}

/// Returns the columns and rows of standard error's terminal, if it is one that knows them.
fn size() -> Option<(usize, usize)> {
    let size = rustix::termios::tcgetwinsize(io::stderr()).ok()?;
    let (columns, rows) = (size.ws_col.into(), size.ws_row.into());
    (columns > 0 && rows > 0).then_some((columns, rows))
}

/// Whether this job may draw on standard error.
fn is_ours() -> bool {
    look::is_in_front(&io::stderr()) != Some(false)
}

/// Prints clap's messages: help and version are results, everything else is a usage error.
pub(super) fn usage(error: &clap::Error, json: bool) -> ExitStatus {
    let wanted = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
    if json && !wanted {
        let text = error.render().to_string();
        // The message ends at the first empty line; the rest is usage and tips.
        let lines: Vec<&str> =
            text.lines().map(str::trim).take_while(|line| !line.is_empty()).collect();
        let what = lines.join(" ");
        let what = what.trim_start_matches("error: ");
        let hint = super::hints::of(error).unwrap_or("see `debate-agent --help`");
        let error = Error::new(Kind::Usage, what).hint(hint);
        let text = document::to_json(&error.json()).unwrap_or_default();
        io::stdout().write_all(text.as_bytes()).ok();
    }
    // The user's input is quoted: a pasted name must not act on the terminal either, or show a secret.
    let plain = error.render().to_string();
    let inert = sanitize::terminal(&Redactor::new(&[]).text(&plain));
    if wanted || inert == plain {
        error.print().ok();
    } else {
        io::stderr().write_all(inert.as_bytes()).ok();
    }
    if wanted { ExitStatus::Success } else { ExitStatus::Usage }
}

/// Plays one turn of a rehearsal: the prompt from `input`, the reply to `output`.
pub(super) fn rehearse(mut input: impl Read, mut output: impl Write) -> ExitStatus {
    let mut prompt = String::new();
    if input.read_to_string(&mut prompt).is_err() {
        return ExitStatus::Usage;
    }
    match output.write_all(rehearsal::answer(&prompt).as_bytes()) {
        Ok(()) => ExitStatus::Success,
        Err(_) => ExitStatus::State,
    }
}

/// Whether standard input is a terminal.
pub(super) fn is_typed() -> bool {
    io::stdin().is_terminal()
}

pub(super) fn can_ask() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks for a line; `None` at the end of the input.
pub(super) fn ask(prompt: &str) -> Option<String> {
    write!(io::stderr(), "{} ", sanitize::terminal(prompt)).ok();
    io::stderr().flush().ok();
    let mut line = String::new();
    match io::stdin().lock().read_line(&mut line) {
        Ok(0) | Err(_) => {
            // The line of the question is still open.
            writeln!(io::stderr()).ok();
            None
        }
        Ok(_) => Some(line.trim().to_owned()),
    }
}

/// Asks a question answered with y or n; without a terminal the answer is no.
pub(super) fn confirm(question: &str) -> bool {
    can_ask()
        && ask(&format!("{question} [y/N]"))
            .is_some_and(|line| matches!(line.to_lowercase().as_str(), "y" | "yes"))
}
