//! Systems without `/proc`, pidfds and subreapers, mainly macOS: POSIX and `ps`.
//!
//! It is weaker than Linux in four ways. An orphan goes to the first process of the machine, so one that left both
//! its session and its environment is not found. A process is signalled by its pid, a moment after the look. It is
//! not visible which descendant has an output open, so any of them may. And where `ps` may not be run, the table is
//! empty: then only the program's process group is killed.

use std::io::{self, Read as _};
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use nix::unistd::{getpgid, getsid};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::process::{Pid, Signal};

use crate::ordered::{BTreeMap, BTreeSet, Gather};
use crate::process::sweep::timespec;
use crate::process::table::Process;

/// Whether guards adopt processes below them that lose their parent.
pub(crate) const ADOPTS: bool = false;

/// POSIX does not name a path; on macOS and the BSDs it is this one.
const PS: &str = "/bin/ps";

/// Maximum time for `ps`. It is generous, since a busy machine is slow and without the table only a group is killed.
/// A guard that waits for `ps` too long is replaced by the second clock.
const PS_LIMIT: Duration = Duration::from_secs(5);

/// Options that make `ps` print environments too: there is no letter common to all systems.
const WITH_ENVIRONMENTS: &str = if cfg!(target_os = "macos") { "-AEww" } else { "axeww" };

/// Does nothing: these systems have no subreapers.
#[expect(clippy::unnecessary_wraps, reason = "Linux may refuse it")]
pub(crate) fn become_subreaper() -> io::Result<()> {
    Ok(())
}

pub(crate) fn guard_program() -> io::Result<PathBuf> {
    std::env::current_exe()
}

/// Returns `None`: these systems do not report which signals are ignored.
pub(crate) fn ignored() -> Option<u64> {
    None
}

/// Returns the processes of this machine by pid, without the `ps` that lists them.
pub(crate) fn processes() -> BTreeMap<i32, Process> {
    let Some((ps, list)) = ps("-Aww", &["pid", "ppid", "pgid", "stat"]) else {
        return BTreeMap::new();
    };
    (list.lines().filter_map(parse))
        .map(|process| (process.pid.as_raw_pid(), process))
        .filter(|(pid, _)| *pid != ps)
        .gather()
}

/// Not told here.
pub(crate) fn used(_: Pid) -> (u64, u64) {
    (0, 0)
}

/// Not told here.
pub(crate) fn is_full() -> bool {
    false
}

pub(crate) fn this() -> Option<Process> {
    let pid = rustix::process::getpid();
    Some(Process {
        pid,
        parent: rustix::process::getppid().map_or(0, Pid::as_raw_pid),
        group: getpgid(None).ok()?.as_raw(),
        session: getsid(None).ok()?.as_raw(),
        state: b'R',
        start: 0,
    })
}

/// Returns `false`, since it is unknown: the process table decides.
pub(crate) fn only_child(_child: Pid) -> bool {
    false
}

/// Returns those of the processes that were started with an environment entry (`NAME=value`) accepted by `wanted` and
/// belong to this user. `ps` separates entries, and the arguments before them, by blanks alone, so `wanted` must not
/// match what an argument could contain by chance.
pub(crate) fn with_entry(
    processes: impl Iterator<Item = Process>,
    wanted: impl Fn(&[u8]) -> bool,
) -> Vec<Process> {
    let Some((_, list)) = ps(WITH_ENVIRONMENTS, &["pid", "uid", "command"]) else {
        return Vec::new();
    };
    let me = rustix::process::geteuid().as_raw();
    let with_entry = list.lines().filter_map(|line| {
        let mut words = line.split_ascii_whitespace();
        let pid: i32 = words.next()?.parse().ok()?;
        let ours = words.next()?.parse() == Ok(me);
        (ours && words.any(|word| wanted(word.as_bytes()))).then_some(pid)
    });
    let with_entry: BTreeSet<i32> = with_entry.gather();
    processes.filter(|process| with_entry.contains(&process.pid.as_raw_pid())).gather()
}

/// Parents and command lines of all processes at one moment.
#[derive(Debug)]
pub(crate) struct Lineage(BTreeMap<i32, (i32, String)>);

impl Lineage {
    /// The byte between the arguments in [`command`](Self::command).
    pub(crate) const SEPARATOR: u8 = b' ';

    pub(crate) fn look() -> Self {
        let (_, list) = ps("-Aww", &["pid", "ppid", "command"]).unwrap_or_default();
        let lines = list.lines().filter_map(|line| {
            let (pid, rest) = line.trim_start().split_once(' ')?;
            let (parent, command) = rest.trim_start().split_once(' ')?;
            Some((pid.parse().ok()?, (parent.parse().ok()?, command.trim_start().to_owned())))
        });
        Self(lines.gather())
    }

    /// Returns the pid of a process's parent; `None` for a process that was not in the table.
    pub(crate) fn parent(&self, pid: Pid) -> Option<i32> {
        self.0.get(&pid.as_raw_pid()).map(|(parent, _)| *parent)
    }

    /// Returns the first `most` bytes of a command line.
    pub(crate) fn command(&self, pid: Pid, most: usize) -> Vec<u8> {
        let line = self.0.get(&pid.as_raw_pid()).map_or("", |(_, command)| command);
        line.bytes().take(most).gather()
    }
}

/// Parses a line of pid, parent, group and state. The session comes from a system call, because `ps` on macOS does
/// not print it.
fn parse(line: &str) -> Option<Process> {
    let mut words = line.split_ascii_whitespace();
    let pid = words.next()?.parse().ok()?;
    Some(Process {
        pid: Pid::from_raw(pid)?,
        parent: words.next()?.parse().ok()?,
        group: words.next()?.parse().ok()?,
        session: getsid(Some(nix::unistd::Pid::from_raw(pid))).map_or(0, nix::unistd::Pid::as_raw),
        state: *words.next()?.as_bytes().first()?,
        start: 0,
    })
}

/// Runs `ps` with these options and columns, and returns its pid and output; `None` if it cannot be run, fails, or
/// takes too long.
#[expect(clippy::disallowed_methods, reason = "the process table of systems without files for it")]
fn ps(options: &str, columns: &[&str]) -> Option<(i32, String)> {
    let mut ps = Command::new(PS)
        .arg(options)
        // One option per column: POSIX treats everything after `=` as a title.
        .args(columns.iter().map(|column| format!("-o{column}=")))
        .env_clear()
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        // A Ctrl-C at the terminal must not reach it.
        .process_group(0)
        .spawn()
        .ok()?;
    let Some(list) = ps.stdout.take().and_then(read_in_time) else {
        // On macOS it runs as another user and may refuse to be killed, so it is not waited for.
        ps.kill().ok();
        ps.try_wait().ok();
        return None;
    };
    let pid = Pid::from_child(&ps).as_raw_pid();
    let ended = ps.wait().ok()?;
    ended.success().then(|| (pid, String::from_utf8_lossy(&list).into_owned()))
}

fn read_in_time(mut pipe: ChildStdout) -> Option<Vec<u8>> {
    let deadline = Instant::now() + PS_LIMIT;
    let mut bytes = Vec::new();
    let mut chunk = [0; 16 << 10];
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        match poll(&mut [PollFd::new(&pipe, PollFlags::IN)], Some(&timespec(left))) {
            Err(Errno::INTR) => continue,
            Ok(0) | Err(_) => return None,
            Ok(_) => {}
        }
        match pipe.read(&mut chunk) {
            Ok(0) => return Some(bytes),
            Ok(count) => bytes.extend(chunk.iter().take(count)),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
    }
}

impl Process {
    /// Returns whether the process may have one of these pipes open: always, since it cannot be seen.
    #[expect(clippy::unused_self, reason = "Linux looks")]
    pub(crate) fn has_open(&self, _pipes: &[u64]) -> bool {
        true
    }

    /// Signals the process by its pid, if that still belongs to the group that was seen. Returns whether the process
    /// still existed.
    pub(crate) fn signal(&self, signal: Signal) -> io::Result<bool> {
        let now = getpgid(Some(nix::unistd::Pid::from_raw(self.pid.as_raw_pid())));
        if now.map(nix::unistd::Pid::as_raw) != Ok(self.group) {
            return Ok(false);
        }
        match rustix::process::kill_process(self.pid, signal) {
            Ok(()) => Ok(true),
            Err(Errno::SRCH) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Returns `None`: these systems have no handles.
    #[expect(clippy::unused_self, reason = "Linux has them")]
    pub(crate) fn handle(&self) -> Option<OwnedFd> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_ps_is_a_process_and_what_is_none_is_passed_over() {
        let process = parse("  42     7   8 Ss+").unwrap();
        assert_eq!((process.pid.as_raw_pid(), process.parent, process.group), (42, 7, 8));
        assert!(process.alive() && !process.stopped());
        assert!(!parse("42 7 8 Z").unwrap().alive());
        assert!(parse("42 7 8 T").unwrap().stopped());
        for line in ["", "42 7 8", "PID PPID PGID STAT", "0 0 0 Ss"] {
            assert_eq!(parse(line), None, "{line:?}");
        }
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a child of its own")]
    fn a_child_is_known_by_descent_by_its_mark_and_by_its_command_and_is_killed() {
        let mut child =
            Command::new("/bin/sleep").arg("50").env("A_MARK", "of-portable").spawn().unwrap();
        let pid = Pid::from_child(&child);
        let found = processes()[&pid.as_raw_pid()];
        let me = this().unwrap();
        assert_eq!(found.parent, me.pid.as_raw_pid());
        assert_eq!((found.group, found.session), (me.group, me.session));
        let all = processes().into_values();
        assert_eq!(with_entry(all, |entry| entry == b"A_MARK=of-portable"), [found]);
        assert_eq!(with_entry([found].into_iter(), |entry| entry == b"A_MARK=of"), []);
        let lineage = Lineage::look();
        assert_eq!(lineage.parent(pid), Some(me.pid.as_raw_pid()));
        assert_eq!(lineage.command(pid, 64), b"/bin/sleep 50");
        // A process that does not match the one seen is left alone.
        assert!(!Process { group: found.group + 1, ..found }.signal(Signal::KILL).unwrap());
        assert!(found.signal(Signal::KILL).unwrap());
        child.wait().unwrap();
        assert!(!found.signal(Signal::KILL).unwrap());
    }
}
