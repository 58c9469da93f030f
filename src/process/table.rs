//! The system's process table, as far as a clean-up needs it.
//!
//! Linux only: it is read from `/proc`. Elsewhere the table is empty, and what
//! is left of a clean-up is the KILL of the program's process group.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use rustix::process::{Pid, Signal};

/// One process at the moment of the look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Process {
    pub(super) pid: Pid,
    pub(super) parent: i32,
    pub(super) group: i32,
    pub(super) session: i32,
    /// The kernel's letter: `Z` a zombie, `T` stopped, ...
    state: u8,
    /// Start, in ticks since boot: with the pid it names a process for good.
    pub(super) start: u64,
}

impl Process {
    /// Tells whether it still runs or could run again.
    pub(super) fn alive(&self) -> bool {
        !matches!(self.state, b'Z' | b'X' | b'x')
    }

    /// Tells whether it is stopped.
    pub(super) fn stopped(&self) -> bool {
        matches!(self.state, b'T' | b't')
    }
}

/// A look at all processes. It is no atomic one: whoever acts on it looks again.
#[derive(Debug, Default)]
pub(super) struct Table(BTreeMap<i32, Process>);

impl Table {
    /// Returns the live processes for which `wanted` holds, and all their descendants.
    pub(super) fn trees(&self, wanted: impl Fn(&Process) -> bool) -> Vec<Process> {
        let mut children: BTreeMap<i32, Vec<i32>> = BTreeMap::new();
        for process in self.0.values() {
            children.entry(process.parent).or_default().push(process.pid.as_raw_pid());
        }
        let mut open: Vec<i32> = (self.0.values())
            .filter(|process| wanted(process))
            .map(|process| process.pid.as_raw_pid())
            .collect();
        let mut found = BTreeSet::new();
        while let Some(pid) = open.pop() {
            if found.insert(pid) {
                open.extend(children.get(&pid).into_iter().flatten());
            }
        }
        (found.iter()).filter_map(|pid| self.0.get(pid).copied()).filter(Process::alive).collect()
    }

    /// Returns the live processes outside `known` that were started with the given entry in
    /// their environment; never this process.
    pub(super) fn tagged(&self, entry: &str, known: &[Process]) -> Vec<Process> {
        let me = rustix::process::getpid();
        (self.0.values().copied())
            .filter(|process| process.alive() && process.pid != me && !known.contains(process))
            .filter(|process| process.holds(entry))
            .collect()
    }

    /// Returns the live processes that were started with this variable in their environment, whatever its value.
    pub(super) fn marked(&self, variable: &str) -> Vec<Process> {
        (self.0.values().copied())
            .filter(|process| process.alive() && process.holds_any(variable))
            .collect()
    }

    /// Returns one process.
    pub(super) fn get(&self, pid: Pid) -> Option<Process> {
        self.0.get(&pid.as_raw_pid()).copied()
    }

    /// Returns the children of `parent`, zombies included.
    pub(super) fn children(&self, parent: Pid) -> impl Iterator<Item = &Process> {
        (self.0.values()).filter(move |process| process.parent == parent.as_raw_pid())
    }
}

#[cfg(not(target_os = "linux"))]
pub(super) use elsewhere::only_child;
#[cfg(target_os = "linux")]
pub(super) use linux::only_child;

#[cfg(target_os = "linux")]
mod linux {
    //! `/proc`, read with nothing but files.

    use std::fs::{self, File};
    use std::io::Read as _;
    use std::os::fd::OwnedFd;
    use std::os::unix::fs::MetadataExt as _;

    use rustix::io::Errno;
    use rustix::process::{PidfdFlags, pidfd_open, pidfd_send_signal};

    use super::{BTreeMap, Pid, Process, Signal, Table, io};

    impl Table {
        /// Looks at the processes of this machine.
        pub(crate) fn look() -> Self {
            let Ok(folder) = fs::read_dir("/proc") else {
                return Self::default();
            };
            let processes: BTreeMap<i32, Process> = folder
                .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
                .filter_map(|pid| Some((pid, read(Pid::from_raw(pid)?)?)))
                .collect();
            Self(processes)
        }
    }

    /// Tells whether `child` is the only child of this process, which must have one thread.
    /// For a subreaper that means that `child` and its own are all its descendants. `false`
    /// where the kernel keeps no such list: the table tells then.
    pub(crate) fn only_child(child: Pid) -> bool {
        let me = rustix::process::getpid().as_raw_pid();
        fs::read_to_string(format!("/proc/self/task/{me}/children"))
            .is_ok_and(|list| list.trim().parse() == Ok(child.as_raw_pid()))
    }

    /// Reads a file whose size `/proc` does not tell. A look reads one or two of every process
    /// of the machine, so the many small reads by which a size is found out would add up.
    fn content(path: &str) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::with_capacity(4 << 10);
        // `take` hides that it is a file, and with it the question for its size.
        File::open(path)?.take(u64::MAX).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Reads one process; `None` once it is gone.
    fn read(pid: Pid) -> Option<Process> {
        let stat = content(&format!("/proc/{}/stat", pid.as_raw_pid())).ok()?;
        parse(pid, &String::from_utf8_lossy(&stat))
    }

    /// The command's name stands in parentheses and may hold anything, parentheses and
    /// blanks included: only what follows the last one is read.
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
        /// Returns this very process.
        pub(crate) fn this() -> Option<Self> {
            Self::of(rustix::process::getpid())
        }

        /// Returns a process by its number; `None` once it is gone.
        pub(crate) fn of(pid: Pid) -> Option<Self> {
            read(pid)
        }

        /// Tells whether the environment it was started with holds exactly `variable`
        /// (`NAME=value`), and it is ours: processes of other users are never looked at.
        pub(crate) fn holds(&self, variable: &str) -> bool {
            self.environment(|entry| entry == variable.as_bytes())
        }

        /// Tells whether its environment holds a variable of this name, as [`holds`](Self::holds) does for one entry.
        pub(crate) fn holds_any(&self, name: &str) -> bool {
            self.environment(|entry| {
                (entry.strip_prefix(name.as_bytes())).is_some_and(|rest| rest.starts_with(b"="))
            })
        }

        fn environment(&self, wanted: impl Fn(&[u8]) -> bool) -> bool {
            let folder = format!("/proc/{}", self.pid.as_raw_pid());
            let ours = fs::metadata(&folder)
                .is_ok_and(|folder| folder.uid() == rustix::process::geteuid().as_raw());
            ours && content(&format!("{folder}/environ"))
                .is_ok_and(|environment| environment.split(|byte| *byte == 0).any(wanted))
        }

        /// Tells whether it has one of these pipes open.
        pub(crate) fn has_open(&self, pipes: &[u64]) -> bool {
            let Ok(folder) = fs::read_dir(format!("/proc/{}/fd", self.pid.as_raw_pid())) else {
                return false;
            };
            folder.filter_map(|entry| fs::read_link(entry.ok()?.path()).ok()).any(|target| {
                pipes.iter().any(|pipe| target.as_os_str() == format!("pipe:[{pipe}]").as_str())
            })
        }

        /// Sends it a signal, and only it: the handle is taken first, then the start time
        /// is compared, so a process that got the number later is never hit. Returns
        /// whether it was there to get it.
        pub(crate) fn signal(&self, signal: Signal) -> io::Result<bool> {
            let handle = match pidfd_open(self.pid, PidfdFlags::empty()) {
                Ok(handle) => Some(handle),
                Err(Errno::SRCH) => return Ok(false),
                // No such call here (old kernel, sandbox): by number, right after the comparison.
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

        /// Returns a handle that is readable once it is dead.
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

        #[test]
        fn this_process_is_in_the_table() {
            let me = rustix::process::getpid();
            let table = Table::look();
            assert!(table.get(me).unwrap().alive());
            assert!(table.get(me).unwrap().holds("NO_SUCH=variable").eq(&false));
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod elsewhere {
    //! No table: the calls exist so that the callers read the same everywhere.

    use std::os::fd::OwnedFd;

    use super::{Pid, Process, Signal, Table, io};

    impl Table {
        /// Returns an empty table.
        pub(crate) fn look() -> Self {
            Self::default()
        }
    }

    /// Unknown here.
    pub(crate) fn only_child(_child: Pid) -> bool {
        false
    }

    impl Process {
        /// Unknown here.
        pub(crate) fn this() -> Option<Self> {
            None
        }

        /// Unknown here.
        pub(crate) fn holds(&self, _variable: &str) -> bool {
            false
        }

        /// Unknown here.
        pub(crate) fn holds_any(&self, _name: &str) -> bool {
            false
        }

        /// Unknown here.
        pub(crate) fn has_open(&self, _pipes: &[u64]) -> bool {
            false
        }

        /// Sends it a signal, by number.
        pub(crate) fn signal(&self, signal: Signal) -> io::Result<bool> {
            rustix::process::kill_process(self.pid, signal)?;
            Ok(true)
        }

        /// There are no handles here.
        pub(crate) fn handle(&self) -> Option<OwnedFd> {
            None
        }
    }
}
