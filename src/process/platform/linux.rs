//! Linux: `/proc` read with plain file operations, pidfds and a subreaper.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;

use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

use crate::ordered::{BTreeMap, Gather};
use crate::process::table::Process;

/// Whether guards adopt processes below them that lose their parent.
pub(crate) const ADOPTS: bool = true;

/// Makes this process adopt processes below it that lose their parent.
pub(crate) fn become_subreaper() -> io::Result<()> {
    Ok(rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?)
}

/// Returns the program to be the guard: the running image itself.
#[expect(clippy::unnecessary_wraps, reason = "elsewhere its path may be unknown")]
pub(crate) fn guard_program() -> io::Result<PathBuf> {
    Ok(PathBuf::from("/proc/self/exe"))
}

/// Returns the signals that this process ignores, as bits from 0; `None` if the system does not report them.
pub(crate) fn ignored() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
    u64::from_str_radix(mask.trim(), 16).ok()
}

/// Returns the processes of this machine by pid.
pub(crate) fn processes() -> BTreeMap<i32, Process> {
    let Ok(folder) = fs::read_dir("/proc") else {
        return BTreeMap::new();
    };
    folder
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter_map(|pid| Some((pid, read(Pid::from_raw(pid)?)?)))
        .gather()
}

/// Returns the bytes of a process that no file holds, and the number of its threads; 0 once it is gone.
pub(crate) fn used(pid: Pid) -> (u64, u64) {
    let status = content(&format!("/proc/{}/status", pid.as_raw_pid())).unwrap_or_default();
    let number = |name| number(&status, name).unwrap_or_default();
    (number("RssAnon:").saturating_add(number("RssShmem:")) << 10, number("Threads:"))
}

/// Whether less than a twentieth of the machine's memory can still be had.
pub(crate) fn is_full() -> bool {
    let info = content("/proc/meminfo").unwrap_or_default();
    let all = ["MemAvailable:", "MemTotal:"].map(|name| number(&info, name));
    matches!(all, [Some(left), Some(all)] if left < all / 20)
}

/// Returns a number of a file of `/proc`, in KiB if it is a size.
fn number(text: &[u8], name: &str) -> Option<u64> {
    let text = std::str::from_utf8(text).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_ascii_whitespace().next()?.parse().ok()
}

pub(crate) fn this() -> Option<Process> {
    read(rustix::process::getpid())
}

/// Returns whether `child` is the only child of this process, which must have one thread. For a subreaper this means
/// that it has no descendants but `child` and those of `child`. `false` if the kernel keeps no such list: the process
/// table decides then.
pub(crate) fn only_child(child: Pid) -> bool {
    let me = rustix::process::getpid().as_raw_pid();
    fs::read_to_string(format!("/proc/self/task/{me}/children"))
        .is_ok_and(|list| list.trim().parse() == Ok(child.as_raw_pid()))
}

/// Returns those of the processes that were started with an environment entry (`NAME=value`) accepted by `wanted` and
/// belong to this user: processes of other users are never inspected.
pub(crate) fn with_entry(
    processes: impl Iterator<Item = Process>,
    wanted: impl Fn(&[u8]) -> bool,
) -> Vec<Process> {
    processes.filter(|process| environment_has(process.pid, &wanted)).collect()
}

fn environment_has(pid: Pid, wanted: impl Fn(&[u8]) -> bool) -> bool {
    let folder = format!("/proc/{}", pid.as_raw_pid());
    let ours = fs::metadata(&folder)
        .is_ok_and(|folder| folder.uid() == rustix::process::geteuid().as_raw());
    ours && content(&format!("{folder}/environ"))
        .is_ok_and(|environment| environment.split(|byte| *byte == 0).any(wanted))
}

/// Parents and command lines of processes, each read on demand.
#[derive(Debug)]
pub(crate) struct Lineage;

impl Lineage {
    /// The byte between the arguments in [`command`](Self::command).
    pub(crate) const SEPARATOR: u8 = 0;

    pub(crate) fn look() -> Self {
        Self
    }

    /// Returns the pid of a process's parent; `None` once the process is gone.
    #[expect(clippy::unused_self, reason = "elsewhere it is a look at all processes at once")]
    pub(crate) fn parent(&self, pid: Pid) -> Option<i32> {
        read(pid).map(|process| process.parent)
    }

    /// Returns the first `most` bytes of a command line; empty if it cannot be read, which is never so for our own
    /// processes.
    #[expect(clippy::unused_self, reason = "elsewhere it is a look at all processes at once")]
    pub(crate) fn command(&self, pid: Pid, most: usize) -> Vec<u8> {
        let mut line = Vec::new();
        File::open(format!("/proc/{}/cmdline", pid.as_raw_pid()))
            .and_then(|file| file.take(most as u64).read_to_end(&mut line))
            .map_or_else(|_| Vec::new(), |_| line)
    }
}

/// Reads a file whose size `/proc` does not report. A look reads one or two files per process of the machine, so the
/// many small reads needed to find out a size would add up.
fn content(path: &str) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(4 << 10);
    // `take` hides that this is a file, and so avoids the query for its size.
    File::open(path)?.take(u64::MAX).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads one process; `None` once it is gone.
fn read(pid: Pid) -> Option<Process> {
    let stat = content(&format!("/proc/{}/stat", pid.as_raw_pid())).ok()?;
    parse(pid, &String::from_utf8_lossy(&stat))
}

/// The command's name is in parentheses and may contain anything, including parentheses and blanks, so only the text
/// after the last one is read.
fn parse(pid: Pid, stat: &str) -> Option<Process> {
    let (_, fields) = stat.rsplit_once(')')?;
    let fields: Vec<&str> = fields.split_ascii_whitespace().collect();
    Some(Process {
        pid,
        state: *fields.first()?.as_bytes().first()?,
        parent: fields.get(1)?.parse().ok()?,
        group: fields.get(2)?.parse().ok()?,
        session: fields.get(3)?.parse().ok()?,
        start: fields.get(19)?.parse().ok()?,
    })
}

impl Process {
    pub(crate) fn has_open(&self, pipes: &[u64]) -> bool {
        let Ok(folder) = fs::read_dir(format!("/proc/{}/fd", self.pid.as_raw_pid())) else {
            return false;
        };
        folder.filter_map(|entry| fs::read_link(entry.ok()?.path()).ok()).any(|target| {
            pipes.iter().any(|pipe| target.as_os_str() == format!("pipe:[{pipe}]").as_str())
        })
    }

    /// Sends a signal to this process and to no other: the handle is taken first, then the start time is compared, so
    /// a process that got the pid later is never hit. Returns whether the process still existed.
    pub(crate) fn signal(&self, signal: Signal) -> io::Result<bool> {
        let handle = match pidfd_open(self.pid, PidfdFlags::empty()) {
            Ok(handle) => Some(handle),
            Err(Errno::SRCH) => return Ok(false),
            // The call is not available (old kernel, sandbox): signal by number, right after the comparison.
            Err(_) => None,
        };
        if read(self.pid).is_none_or(|now| now.start != self.start) {
            return Ok(false);
        }
        let sent = match &handle {
            Some(handle) => pidfd_send_signal(handle, signal),
            None => rustix::process::kill_process(self.pid, signal),
        };
        match sent {
            Ok(()) => Ok(true),
            Err(Errno::SRCH) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Returns a handle that becomes readable once the process is dead.
    pub(crate) fn handle(&self) -> Option<OwnedFd> {
        pidfd_open(self.pid, PidfdFlags::empty()).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_name_cannot_forge_the_fields() {
        let pid = Pid::from_raw(42).unwrap();
        let stat = "42 (a) R 1 1 (x) S 7 8 9 0 -1 4 1 2 3 4 5 6 7 8 20 0 1 0 777 1 2";
        let process = parse(pid, stat).unwrap();
        assert_eq!((process.parent, process.group, process.session), (7, 8, 9));
        assert_eq!((process.start, process.alive()), (777, true));
        assert_eq!(parse(pid, "42 (sh"), None);
    }
}
