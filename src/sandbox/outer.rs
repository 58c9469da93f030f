//! The outer helper: writes out the sides of a change, and runs the sandbox on each.

use std::fs;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use tokio::sync::watch;

use super::inner::Task;
use super::{PLACE, Place, Request, bubblewrap, side_time};
use crate::env;
use crate::git::{Git, Host, Side};
use crate::process::{self, Control, Depth, Limits, OutputBuffer, Spec};
use crate::protocol::review::Reviewed;
use crate::protocol::review::proof::{TestReport, TestRun, TestedSide};

/// Maximum number of processes and their threads in a sandbox.
const THREADS: u64 = 1_024;
/// Time between two looks. What is taken in between is bounded by the limits of each process.
const EVERY: Duration = Duration::from_millis(100);

/// Runs the request on standard input and prints the report.
pub(super) fn main() -> ExitCode {
    let report = answer().unwrap_or_else(|why| TestReport { runs: Vec::new(), failure: Some(why) });
    let printed = serde_json::to_vec(&report).map_err(io::Error::other);
    match printed.and_then(|text| io::stdout().write_all(&text)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn answer() -> Result<TestReport, String> {
    let place = env::var(PLACE).ok_or("it is a helper of a review, and not called by hand")?;
    let place: Place = serde_json::from_str(&place).map_err(|error| error.to_string())?;
    let mut prompt = String::new();
    io::stdin().read_to_string(&mut prompt).map_err(|error| error.to_string())?;
    let request: Request =
        serde_json::from_str(prompt.trim()).map_err(|error| error.to_string())?;
    if place.permitted != request.prove.test {
        return Err("`review.prove` is not what it was when the review began".to_owned());
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| error.to_string())?.block_on(test(&place, &request))
}

/// Runs the test on the change and, if it fails there each time, on the base.
async fn test(place: &Place, request: &Request) -> Result<TestReport, String> {
    let words = |error: io::Error| error.to_string();
    for entry in &place.permitted.read {
        bubblewrap::check_read(entry, &place.root, &place.home)?;
    }
    let dir = std::env::current_dir().map_err(words)?;
    // Whatever is left of this helper, its guard removes with the call's own folder.
    tempfile::env::override_temp_dir(&dir)
        .map_err(|other| format!("{} is used", other.display()))?;
    let (sender, control) = watch::channel(Control::Run);
    let guard = process::guard_program().map_err(words)?;
    let host = Host {
        program: place.git.clone(),
        guard,
        vars: env::all_vars(),
        control,
        token: env::unique(),
        limits: Limits { timeout: super::COPYING, ..Limits::default() },
    };
    let git = Git::open(host, &place.root).await.map_err(|error| error.to_string())?;
    let change = match &request.prove.change {
        Reviewed::WorkTree => Side::WorkTree,
        Reviewed::Index => Side::Index,
        Reviewed::Commit(id) => commit(&git, id).await?,
    };
    let mut report = TestReport::default();
    let run = Runner { place, request, git: &git, dir: &dir, stop: &sender };
    report.failure = run.side(&change, TestedSide::Change, &mut report.runs).await.err();
    let failed = |run: &TestRun| run.ended.is_none() && run.code.is_some_and(|code| code != 0);
    let Some(base) = request.prove.base.as_ref().filter(|_| report.runs.iter().all(failed)) else {
        return Ok(report);
    };
    if report.failure.is_none() {
        let base = commit(&git, base).await?;
        report.failure = run.side(&base, TestedSide::Base, &mut report.runs).await.err();
    }
    Ok(report)
}

async fn commit(git: &Git, id: &str) -> Result<Side, String> {
    let commit = git.resolve(id).await.map_err(|error| error.to_string())?;
    commit.map(Side::Commit).ok_or_else(|| format!("the commit {id} is not in the repository"))
}

struct Runner<'a> {
    place: &'a Place,
    request: &'a Request,
    git: &'a Git,
    /// The call's own folder.
    dir: &'a Path,
    stop: &'a watch::Sender<Control>,
}

impl Runner<'_> {
    /// Runs the test on one side, and adds the runs.
    async fn side(
        &self,
        side: &Side,
        named: TestedSide,
        runs: &mut Vec<TestRun>,
    ) -> Result<(), String> {
        let source = self.dir.join(match named {
            TestedSide::Change => "change",
            TestedSide::Base => "base",
        });
        fs::create_dir(&source).map_err(|error| error.to_string())?;
        self.git.write_out(side, &source).await.map_err(|error| error.to_string())?;
        let spec = self.spec(&source, named)?;
        let mut printed = OutputBuffer::default();
        let memory = self.request.prove.test.memory_mb;
        let (ran, exceeded) = {
            let running = process::run(&spec, self.stop.subscribe(), &mut printed);
            tokio::pin!(running);
            tokio::select! {
                ran = &mut running => (ran, None),
                what = exceeds(memory, self.stop) => (running.await, Some(what)),
            }
        };
        let lines = printed.stdout.split(|byte| *byte == b'\n');
        let read =
            lines.filter_map(|line| serde_json::from_slice::<Result<TestRun, String>>(line).ok());
        for run in read.take(self.request.runs as usize) {
            runs.push(TestRun { side: named, ..run? });
        }
        let own = runs.iter().filter(|run| run.side == named).count();
        if own >= self.request.runs as usize {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&printed.stderr);
        let said = crate::text::sanitize::line(&said, 300);
        Err(exceeded.unwrap_or_else(|| format!("the sandbox {}: {said}", ran.ending)))
    }

    fn spec(&self, source: &Path, named: TestedSide) -> Result<Spec, String> {
        let program = std::env::current_exe().map_err(|error| error.to_string())?;
        let Request { prove, reproduction, runs } = self.request;
        let task = Task {
            test: prove.test.clone(),
            reproduction: reproduction.clone(),
            runs: *runs,
            side: named,
        };
        let vars = env::all_vars();
        Ok(Spec {
            guard: self.git.host().guard.clone(),
            program: PathBuf::from(&self.place.bubblewrap),
            args: bubblewrap::arguments(self.place, source, &program, &vars),
            depth: Depth::Free,
            env: std::collections::BTreeMap::new(),
            cwd: self.dir.to_owned(),
            scratch: None,
            stdin: serde_json::to_vec(&task).map_err(|error| error.to_string())?,
            tag: format!("debate-agent/{}/sandbox", env::unique()),
            limits: Limits { timeout: side_time(&prove.test), ..Limits::default() },
        })
    }
}

/// Kills what `stop` controls when it exceeds a limit, and returns which; ends only then.
async fn exceeds(memory_mb: u64, stop: &watch::Sender<Control>) -> String {
    loop {
        tokio::time::sleep(EVERY).await;
        let used = process::used_below();
        let what = if used.threads > THREADS {
            format!("it ran more than {THREADS} processes and threads")
        } else if used.memory_bytes >> 20 > memory_mb {
            format!("it took more than {memory_mb} MiB of memory")
        } else if used.is_machine_full {
            "it left the machine without memory".to_owned()
        } else {
            continue;
        };
        stop.send_replace(Control::Kill);
        return what;
    }
}
