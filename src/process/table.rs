//! The system's process table, as far as a clean-up needs it.

use std::collections::{BTreeMap, BTreeSet};

use rustix::process::Pid;

use super::platform;

/// One process at the moment of a look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Process {
    pub(super) pid: Pid,
    pub(super) parent: i32,
    pub(super) group: i32,
    pub(super) session: i32,
    /// The kernel's state letter: `Z` for a zombie, `T` for stopped, ...
    pub(super) state: u8,
    /// Start time in ticks since boot; with the pid it identifies a process for good. 0 where the system does not
    /// report it.
    pub(super) start: u64,
}

impl Process {
    /// Returns whether the process runs or could run again.
    pub(super) fn alive(&self) -> bool {
        !matches!(self.state, b'Z' | b'X' | b'x')
    }

    pub(super) fn stopped(&self) -> bool {
        matches!(self.state, b'T' | b't')
    }

    /// Returns whether the process was started with this variable in its environment, whatever its value.
    pub(super) fn is_marked(&self, variable: &str) -> bool {
        !marked([*self].into_iter(), variable).is_empty()
    }
}

/// A look at all processes. It is not atomic, so whatever acts on it must look again.
#[derive(Debug, Default)]
pub(super) struct Table(BTreeMap<i32, Process>);

impl Table {
    pub(super) fn look() -> Self {
        Self(platform::processes())
    }

    /// Returns whether nothing could be seen, not even this process: `/proc` is missing, or `ps` may not be run.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the live processes accepted by `wanted`, and all their descendants.
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

    /// Returns the live processes outside `known` that were started with the given entry in their environment; never
    /// this process.
    pub(super) fn tagged(&self, entry: &str, known: &[Process]) -> Vec<Process> {
        let me = rustix::process::getpid();
        let others = (self.0.values().copied())
            .filter(|process| process.alive() && process.pid != me && !known.contains(process));
        platform::with_entry(others, |it| it == entry.as_bytes())
    }

    /// Returns the live processes that were started with this variable in their environment, whatever its value.
    pub(super) fn marked(&self, variable: &str) -> Vec<Process> {
        marked(self.0.values().copied().filter(Process::alive), variable)
    }

    pub(super) fn get(&self, pid: Pid) -> Option<Process> {
        self.0.get(&pid.as_raw_pid()).copied()
    }

    /// Returns the children of `parent`, zombies included.
    pub(super) fn children(&self, parent: Pid) -> impl Iterator<Item = &Process> {
        (self.0.values()).filter(move |process| process.parent == parent.as_raw_pid())
    }
}

fn marked(processes: impl Iterator<Item = Process>, variable: &str) -> Vec<Process> {
    platform::with_entry(processes, |entry| {
        (entry.strip_prefix(variable.as_bytes())).is_some_and(|rest| rest.starts_with(b"="))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_is_in_the_table() {
        let me = rustix::process::getpid();
        let table = Table::look();
        assert!(table.get(me).unwrap().alive());
        assert!(!table.get(me).unwrap().is_marked("NO_SUCH"));
        assert!(!table.is_empty());
    }
}
