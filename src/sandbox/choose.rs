//! Which sandbox works on this machine: bubblewrap, else Landlock with seccomp.

use std::path::Path;
use std::time::Duration;

use tokio::sync::watch;

use super::view::View;
use super::{ARGUMENT, CONFINED, Failure, PLACE, Place, Request, bubblewrap, side_time, spec};
use crate::env;
use crate::process::{self, Control, Ending, OutputBuffer};
use crate::protocol::review::proof::{Reproduction, TestReport, TestRun};
use crate::protocol::review::{Prove, Reviewed};
use crate::text::sanitize;
use crate::words;

/// Maximum time for a sandbox to start, on a busy machine.
const START: Duration = Duration::from_secs(30);

/// A name that no test has.
const NO_TEST: &str = "debate_agent_no_such_test";

words! {
    /// A sandbox of this machine.
    pub(crate) enum Sandbox {
        Bubblewrap = "bubblewrap",
        Landlock = "Landlock and seccomp",
    }
}

/// Reads what no test may.
const FORBIDDEN: &str = "! (: < /proc/version)";

/// Returns the sandbox that works here: each is tried as a test would be run, Landlock with what it has to refuse.
///
/// # Errors
/// None works; why not.
pub(crate) async fn choose(
    place: &Place,
    control: &watch::Receiver<Control>,
) -> Result<Sandbox, Failure> {
    let program = std::env::current_exe()?;
    let view = View::new(place, &env::all_vars(), Path::new("/tmp"));
    let mut line = bubblewrap::arguments(place, &view, Path::new("/usr"), &program);
    // In place of the helper's name.
    line.pop();
    line.push("--version".to_owned());
    let first = starts(&place.bubblewrap, line, control).await;
    let Err(first) = first else { return Ok(Sandbox::Bubblewrap) };
    let bounds = serde_json::to_string(&view.bounds(&[]))?;
    let line = [CONFINED, &bounds, "/bin/sh", "-c", FORBIDDEN].map(str::to_owned).to_vec();
    let second = starts(&process::guard_program()?, line, control).await;
    second
        .map_err(|second| format!("bubblewrap: {first}; Landlock: {second}").into())
        .map(|()| Sandbox::Landlock)
}

async fn starts(
    program: &Path,
    args: Vec<String>,
    control: &watch::Receiver<Control>,
) -> Result<(), String> {
    let spec = spec(program, args, START).map_err(|error| error.to_string())?;
    let mut printed = OutputBuffer::default();
    let ran = process::run(&spec, control.clone(), &mut printed).await;
    let said = sanitize::line(&String::from_utf8_lossy(&printed.stderr), 300);
    match ran.ending {
        Ending::Exited { code: 0 } => Ok(()),
        Ending::Exited { .. } if !said.is_empty() => Err(said),
        ending => Err(format!("it {ending}")),
    }
}

/// Runs the test command once, in a sandbox, for a test that does not exist: whether it starts there.
///
/// # Errors
/// There is no sandbox, or the command is not in it.
pub(crate) async fn try_command(
    place: &Place,
    control: &watch::Receiver<Control>,
) -> Result<TestRun, Failure> {
    let folder = tempfile::tempdir()?;
    let no_test = Reproduction {
        files: Vec::new(),
        file: NO_TEST.to_owned(),
        test: NO_TEST.to_owned(),
        fails_with: String::new(),
        cannot: String::new(),
    };
    let test = place.permitted.clone();
    let prove = Prove { test, base: None, change: Reviewed::WorkTree };
    let timeout = side_time(&prove.test);
    let mut spec = spec(&process::guard_program()?, vec![ARGUMENT.to_owned()], timeout)?;
    spec.stdin = serde_json::to_vec(&Request { prove, reproduction: no_test, runs: 1 })?;
    spec.cwd = folder.path().to_owned();
    spec.env = env::all_vars();
    spec.env.insert(PLACE.to_owned(), serde_json::to_string(place)?);
    let mut printed = OutputBuffer::default();
    process::run(&spec, control.clone(), &mut printed).await;
    let report: TestReport = serde_json::from_slice(&printed.stdout)?;
    let run = report.runs.into_iter().next();
    run.ok_or_else(|| report.failure.unwrap_or_else(|| "the sandbox was stopped".to_owned()).into())
}
