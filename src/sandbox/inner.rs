//! The inner helper: copies a side into the sandbox's memory, adds the test, and runs it.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use rustix::process::{DumpableBehavior, Resource, Rlimit};
use serde::{Deserialize, Serialize};
use tokio::sync::watch;

use super::view::Bounds;
use super::{CONFINED, Failure, Request, block_on, spec};
use crate::env;
use crate::process::{self, Control, Ending, OutputBuffer, program};
use crate::protocol::review::proof::{TestFile, TestRun, TestedSide};

/// Maximum bytes of output of a run.
const OUTPUT: u64 = 4 << 20;
/// Bytes at the end of a run's output that are kept.
const KEPT: usize = 16 << 10;
/// Maximum number of open files of a process.
const FILES: u64 = 4_096;

/// What is to be run.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Task {
    pub(super) request: Request,
    pub(super) side: TestedSide,
    /// The folder in which it is run.
    pub(super) work: PathBuf,
    /// The folder that is copied there first.
    pub(super) source: Option<PathBuf>,
    /// Bounds that each run sets for itself.
    pub(super) bounds: Option<Bounds>,
    /// Folders to read that appear in the first: where each is, and its name there.
    pub(super) links: Vec<(PathBuf, PathBuf)>,
}

/// Runs the task on standard input, and prints a line of JSON for each run: the run, or why there is none.
pub(super) fn main() -> ExitCode {
    // The test has the same user: it may not write to this process's outputs through `/proc`.
    rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable).ok();
    let done = block_on(run()).or_else(|why| say(&Err(why.to_string())));
    done.map_or(ExitCode::FAILURE, |()| ExitCode::SUCCESS)
}

fn say(run: &Result<TestRun, String>) -> Result<(), Failure> {
    let mut line = serde_json::to_vec(run)?;
    line.push(b'\n');
    Ok(io::stdout().write_all(&line)?)
}

fn prepare(task: &Task) -> Result<(), Failure> {
    let all = task.request.prove.test.memory_mb << 20;
    for (resource, limit) in [
        (Resource::Core, 0),
        (Resource::Data, all),
        (Resource::Fsize, all),
        (Resource::Nofile, FILES),
    ] {
        let limit = Rlimit { current: Some(limit), maximum: Some(limit) };
        rustix::process::setrlimit(resource, limit)?;
    }
    // A test that takes all of the machine leaves the rest of it usable.
    rustix::process::setpriority_process(None, 19)?;
    fs::create_dir_all(env::var("HOME").ok_or("there is no HOME")?)?;
    if let Some(source) = &task.source {
        let copied = copy(source, &task.work);
        copied.map_err(|error| format!("the files do not fit into the sandbox: {error}"))?;
    }
    for (from, name) in &task.links {
        // Where the repository has something of that name, the test sees that.
        if let Ok(free) = free(&task.work, &name.to_string_lossy()) {
            std::os::unix::fs::symlink(from, free)?;
        }
    }
    for TestFile { path, content } in &task.request.reproduction.files {
        let free = free(&task.work, path)?;
        fs::write(free, content).map_err(|error| format!("{path}: {error}"))?;
    }
    Ok(())
}

/// Copies a folder; what is mounted there already stays.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (kind, target) = (entry.file_type()?, to.join(entry.file_name()));
        let is_there = fs::symlink_metadata(&target).is_ok();
        if kind.is_dir() {
            if !is_there {
                fs::create_dir(&target)?;
            }
            copy(&entry.path(), &target)?;
        } else if is_there {
            // A folder to read that the repository has as well.
        } else if kind.is_symlink() {
            std::os::unix::fs::symlink(fs::read_link(entry.path())?, &target)?;
        } else {
            fs::copy(entry.path(), &target)?;
        }
    }
    Ok(())
}

/// Makes the folders of a new file: none of its name may be there, and no link may lead there. Returns where it is.
fn free(work: &Path, path: &str) -> Result<PathBuf, String> {
    let (mut folder, mut parts) = (work.to_owned(), path.split('/').peekable());
    while let Some(part) = parts.next() {
        folder.push(part);
        let found = fs::symlink_metadata(&folder);
        if parts.peek().is_none() {
            let why = format!("`{path}` is there already: a reproduction adds new files");
            return if found.is_ok() { Err(why) } else { Ok(folder) };
        }
        match found {
            Ok(found) if found.is_dir() => {}
            Ok(_) => return Err(format!("`{path}` is below something that is no folder")),
            Err(_) => fs::create_dir(&folder).map_err(|error| format!("{path}: {error}"))?,
        }
    }
    Err("a file of the test has no name".to_owned())
}

/// Returns the command with the names of the test filled in.
pub(super) fn filled(command: &[String], file: &str, test: &str) -> Vec<String> {
    command.iter().map(|part| part.replace("{file}", file).replace("{test}", test)).collect()
}

async fn run() -> Result<(), Failure> {
    let task: Task = serde_json::from_reader(io::stdin())?;
    prepare(&task)?;
    let vars = env::all_vars();
    let mut line = filled(
        &task.request.prove.test.command,
        &task.request.reproduction.file,
        &task.request.reproduction.test,
    )
    .into_iter();
    let name = line.next().ok_or("the command is empty")?;
    let found = if name.contains('/') {
        Some(task.work.join(&name)).filter(|path| path.is_file())
    } else {
        program::find(&name, vars.get("PATH").map_or("", String::as_str))
    };
    let program = found.ok_or_else(|| {
        format!("`{name}` is not in the sandbox: `review.prove.read` lists what it may read")
    })?;
    let mut args: Vec<String> = line.collect();
    let mut starts = program;
    if let Some(bounds) = &task.bounds {
        let own =
            [CONFINED.to_owned(), serde_json::to_string(bounds)?, starts.display().to_string()];
        args.splice(0..0, own);
        starts = process::guard_program()?;
    }
    for _ in 0..task.request.runs {
        say(&Ok(once(&task, &starts, &args, &vars).await?))?;
    }
    Ok(())
}

async fn once(
    task: &Task,
    program: &Path,
    args: &[String],
    vars: &BTreeMap<String, String>,
) -> Result<TestRun, Failure> {
    let seconds = task.request.prove.test.timeout_seconds;
    let mut spec = spec(program, args.to_vec(), Duration::from_secs(seconds))?;
    (spec.env, spec.cwd) = (vars.clone(), task.work.clone());
    spec.limits.grace = Duration::from_secs(1);
    (spec.limits.stdout_bytes, spec.limits.stderr_bytes) = (OUTPUT, OUTPUT);
    let (_sender, control) = watch::channel(Control::Run);
    let mut printed = OutputBuffer::default();
    let ran = process::run(&spec, control, &mut printed).await;
    let (code, ended) = match ran.ending {
        Ending::Exited { code } => (Some(code), None),
        Ending::TimedOut | Ending::Idle | Ending::Lingering => {
            (None, Some(format!("it took longer than {seconds} s")))
        }
        Ending::OutputLimit => (None, Some(format!("it printed more than {} MiB", OUTPUT >> 20))),
        ending => (None, Some(format!("it {ending}"))),
    };
    // What a build says comes before what the tests say.
    let mut output = printed.stderr;
    output.push(b'\n');
    output.extend_from_slice(&printed.stdout);
    let output = String::from_utf8_lossy(&output);
    let output = crate::text::sanitize::terminal(&output);
    let from = output.floor_char_boundary(output.len().saturating_sub(KEPT));
    Ok(TestRun {
        side: task.side,
        code,
        ended,
        has_text: output.contains(task.request.reproduction.fails_with.trim()),
        output: output[from..].to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_adds_new_files_and_follows_no_link() {
        let dir = tempfile::tempdir().unwrap();
        let (work, outside) = (dir.path().join("work"), dir.path().join("outside"));
        fs::create_dir_all(work.join("tests")).unwrap();
        fs::create_dir(&outside).unwrap();
        fs::write(work.join("tests/old.py"), "old").unwrap();
        std::os::unix::fs::symlink(&outside, work.join("link")).unwrap();
        std::os::unix::fs::symlink(outside.join("new"), work.join("tests/dangling.py")).unwrap();
        assert_eq!(free(&work, "tests/deep/new.py"), Ok(work.join("tests/deep/new.py")));
        assert!(work.join("tests/deep").is_dir());
        for path in ["tests/old.py", "link/new.py", "tests/dangling.py", "tests/old.py/new.py"] {
            assert!(free(&work, path).is_err(), "{path}");
        }
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
        assert_eq!(fs::read_to_string(work.join("tests/old.py")).unwrap(), "old");
    }

    #[test]
    fn names_are_filled_in_as_they_are() {
        let command = ["pytest", "{file}", "-k", "{test}", "--x={test}"].map(str::to_owned);
        let line = filled(&command, "tests/a b.py", "; rm -rf /");
        assert_eq!(line, ["pytest", "tests/a b.py", "-k", "; rm -rf /", "--x=; rm -rf /"]);
    }
}
