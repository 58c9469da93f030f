//! The outer helper: writes out the sides of a change, and runs the sandbox on each.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use tokio::sync::watch;

use super::bubblewrap::{self, SOURCE};
use super::choose::{Sandbox, choose};
use super::inner::Task;
use super::view::{View, WORK, check_read};
use super::{Failure, INNER, PLACE, Place, Request, THREADS, block_on, side_time, spec};
use crate::env;
use crate::git::{Git, Host, Side};
use crate::process::{self, Control, Limits, OutputBuffer, Spec};
use crate::protocol::review::Reviewed;
use crate::protocol::review::proof::{TestReport, TestRun, TestedSide};

/// Time between two looks. What is taken in between is bounded by the limits of each process.
const EVERY: Duration = Duration::from_millis(100);

/// Runs the request on standard input and prints the report.
pub(super) fn main() -> ExitCode {
    let mut runs = Vec::new();
    let failure = block_on(answer(&mut runs)).err().map(|why| why.to_string());
    let printed = serde_json::to_vec(&TestReport { runs, failure }).map_err(io::Error::other);
    match printed.and_then(|text| io::stdout().write_all(&text)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

/// Runs the test on the change and, if it fails there each time, on the base.
async fn answer(runs: &mut Vec<TestRun>) -> Result<(), Failure> {
    // Where it may, it comes before what it watches: it counts processes while a test makes more of them.
    rustix::process::setpriority_process(None, -20).ok();
    let place = env::var(PLACE).ok_or("it is a helper of a review, and not called by hand")?;
    let place: Place = serde_json::from_str(&place)?;
    let prompt = io::read_to_string(io::stdin())?;
    let request: Request = serde_json::from_str(prompt.trim())?;
    if place.permitted != request.prove.test {
        return Err("`review.prove` is not what it was when the review began".into());
    }
    for entry in &place.permitted.read {
        check_read(entry, &place.project, &place.home)?;
    }
    let dir = std::env::current_dir()?;
    // Whatever is left of this helper, its guard removes with the call's own folder.
    tempfile::env::override_temp_dir(&dir)
        .map_err(|other| format!("{} is used", other.display()))?;
    let (stop, control) = watch::channel(Control::Run);
    let sandbox = choose(&place, &control).await?;
    let host = Host {
        program: place.git.clone(),
        guard: process::guard_program()?,
        vars: env::all_vars(),
        control,
        token: env::unique(),
        limits: Limits { timeout: super::COPYING, ..Limits::default() },
    };
    let git = Git::open(host, &place.root).await?;
    let change = match &request.prove.change {
        Reviewed::WorkTree => Side::WorkTree,
        Reviewed::Index => Side::Index,
        Reviewed::Commit(id) => commit(&git, id).await?,
    };
    let run =
        Runner { place: &place, request: &request, git: &git, dir: &dir, stop: &stop, sandbox };
    run.side(&change, TestedSide::Change, runs).await?;
    let failed = |run: &TestRun| run.ended.is_none() && run.code.is_some_and(|code| code != 0);
    if let Some(base) = request.prove.base.as_ref().filter(|_| runs.iter().all(failed)) {
        run.side(&commit(&git, base).await?, TestedSide::Base, runs).await?;
    }
    Ok(())
}

async fn commit(git: &Git, id: &str) -> Result<Side, Failure> {
    let commit = git.resolve(id).await?;
    Ok(Side::Commit(commit.ok_or_else(|| format!("the commit {id} is not in the repository"))?))
}

struct Runner<'a> {
    place: &'a Place,
    request: &'a Request,
    git: &'a Git,
    /// The call's own folder.
    dir: &'a Path,
    stop: &'a watch::Sender<Control>,
    sandbox: Sandbox,
}

impl Runner<'_> {
    /// Runs the test on one side, and adds the runs.
    async fn side(
        &self,
        side: &Side,
        named: TestedSide,
        runs: &mut Vec<TestRun>,
    ) -> Result<(), Failure> {
        let source = self.dir.join(format!("{named:?}"));
        fs::create_dir(&source)?;
        self.git.write_out(side, &source).await?;
        let spec = self.spec(&source, named)?;
        let mut printed = OutputBuffer::default();
        let memory = self.request.prove.test.memory_mb;
        // Landlock has no memory of its own to write to.
        let disk = match self.sandbox {
            Sandbox::Landlock => Some((self.dir, room(self.dir)?)),
            Sandbox::Bubblewrap => None,
        };
        let (ran, exceeded) = {
            let running = process::run(&spec, self.stop.subscribe(), &mut printed);
            tokio::pin!(running);
            tokio::select! {
                ran = &mut running => (ran, None),
                what = exceeds(memory, disk, self.stop) => (running.await, Some(what)),
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
        Err(exceeded.unwrap_or_else(|| format!("the sandbox {}: {said}", ran.ending)).into())
    }

    fn spec(&self, source: &Path, named: TestedSide) -> Result<Spec, Failure> {
        let mut task = Task {
            request: self.request.clone(),
            side: named,
            work: PathBuf::from(WORK),
            source: Some(PathBuf::from(SOURCE)),
            bounds: None,
            links: Vec::new(),
        };
        let (program, args, vars);
        let tmp = self.dir.join(format!("{named:?} tmp"));
        match self.sandbox {
            Sandbox::Bubblewrap => {
                let view = View::new(self.place, &env::all_vars(), Path::new("/tmp"));
                program = self.place.bubblewrap.clone();
                let own = std::env::current_exe()?;
                args = bubblewrap::arguments(self.place, &view, source, &own);
                vars = BTreeMap::new();
            }
            Sandbox::Landlock => {
                let view = View::new(self.place, &env::all_vars(), &tmp);
                program = process::guard_program()?;
                args = vec![INNER.to_owned()];
                task.bounds = Some(view.bounds(&[source, &tmp]));
                let within = |(from, to): &(PathBuf, PathBuf)| {
                    Some((from.clone(), to.strip_prefix(WORK).ok()?.to_owned()))
                };
                task.links = view.read.iter().filter_map(within).collect();
                (task.work, task.source) = (source.to_owned(), None);
                vars = view.vars;
            }
        }
        let (cwd, stdin) = (self.dir.to_owned(), serde_json::to_vec(&task)?);
        let timeout = side_time(&self.request.prove.test);
        Ok(Spec { env: vars, cwd, stdin, ..spec(&program, args, timeout)? })
    }
}

/// Kills what `stop` controls when it exceeds a limit, and returns which; ends only then.
async fn exceeds(
    memory_mb: u64,
    disk: Option<(&Path, u64)>,
    stop: &watch::Sender<Control>,
) -> String {
    loop {
        tokio::time::sleep(EVERY).await;
        let used = process::used_below();
        let what = if used.threads > THREADS {
            format!("it ran more than {THREADS} processes and threads")
        } else if used.memory_bytes >> 20 > memory_mb {
            format!("it took more than {memory_mb} MiB of memory")
        } else if used.is_machine_full {
            "it left the machine without memory".to_owned()
        } else if disk
            .is_some_and(|(dir, had)| had.saturating_sub(room(dir).unwrap_or(0)) >> 20 > memory_mb)
        {
            format!("more than {memory_mb} MiB of the disk were written meanwhile")
        } else {
            continue;
        };
        stop.send_replace(Control::Kill);
        return what;
    }
}

/// Returns the bytes that are free on the disk of a folder. The files of a test could be hidden from a walk, these not.
fn room(dir: &Path) -> io::Result<u64> {
    let disk = rustix::fs::statvfs(dir)?;
    Ok(disk.f_bavail.saturating_mul(disk.f_frsize))
}
