//! A file system in memory that fails, tears and forgets: the test double of the fault method.
//!
//! The program never uses it. It is a module of the library for the crash-point test, which drives
//! a whole debate from outside: run with operation n failing, crash, examine the resulting disk,
//! resume.
//!
//! # Model
//!
//! Every operation changes the *live* state at once and stays in a list of pending changes until
//! the right sync: `sync_file` makes a file's bytes durable, `sync_dir` the names in a directory.
//! [`MemFs::crash`] builds the disk left by a power cut: the durable state plus any subset of the
//! pending changes, in order. A kept name whose bytes were not kept is an empty file, as on ext4. A
//! failed sync drops the file's pending bytes: a second sync would succeed and save nothing, as on
//! Linux.

mod ops;

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How the chosen operation fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The process dies before it.
    AbortBefore,
    /// The process dies after it.
    AbortAfter,
    /// A write completes this many bytes (or all but this many at the end), then the process dies.
    Torn(TornWrite),
    /// No space: half of a write is done. Only once; the next operation works again.
    NoSpaceOnce,
    /// No space from here on, for every operation that needs it.
    NoSpace,
    /// An input/output error, once. A failed sync drops the bytes that it should have saved.
    Io,
}

/// Where a write tears.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TornWrite {
    /// After this many bytes.
    At(usize),
    /// In the middle.
    Half,
    /// This many bytes before the end.
    Before(usize),
}

impl TornWrite {
    fn of(self, len: usize) -> usize {
        match self {
            Self::At(count) => count.min(len),
            Self::Half => len / 2,
            Self::Before(count) => len.saturating_sub(count),
        }
    }
}

/// Which operation fails, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Plan {
    /// The operation's number, from 0, among those below `under`.
    pub(crate) at: u64,
    /// How it fails.
    pub(crate) fault: Fault,
    /// Only operations on paths below this count and fail; `None`: all.
    pub(crate) under: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Node {
    Dir,
    File(usize),
}

/// The bytes of one file.
#[derive(Debug, Clone, Default)]
struct Inode {
    live: Vec<u8>,
    durable: Vec<u8>,
}

/// A change that has not been made durable by a sync.
#[derive(Debug, Clone)]
enum Pending {
    Bytes { inode: usize, at: usize, bytes: Vec<u8> },
    Length { inode: usize, len: usize },
    Link { path: PathBuf, node: Node },
    Rename { from: PathBuf, to: PathBuf, node: Node },
    Unlink { path: PathBuf },
}

impl Pending {
    /// The directory whose sync makes it durable, if it changes names.
    fn dir(&self) -> Option<&Path> {
        match self {
            Self::Link { path, .. } | Self::Unlink { path } | Self::Rename { to: path, .. } => {
                path.parent()
            }
            Self::Bytes { .. } | Self::Length { .. } => None,
        }
    }

    fn inode(&self) -> Option<usize> {
        match self {
            Self::Bytes { inode, .. } | Self::Length { inode, .. } => Some(*inode),
            Self::Link { .. } | Self::Rename { .. } | Self::Unlink { .. } => None,
        }
    }
}

#[derive(Debug, Default)]
struct Disk {
    live: BTreeMap<PathBuf, Node>,
    durable: BTreeMap<PathBuf, Node>,
    inodes: Vec<Inode>,
    pending: Vec<Pending>,
    locks: BTreeSet<PathBuf>,
    plan: Option<Plan>,
    counted: u64,
    trace: Vec<String>,
    full: bool,
    dead: bool,
    lockless: bool,
}

/// How far an operation may go.
enum Go {
    /// To completion.
    Whole,
    /// To completion, then the process dies.
    ThenDie,
    /// This many bytes of a write; then this error.
    Partly(TornWrite, io::Error),
}

fn dead() -> io::Error {
    io::Error::other("the process is dead (injected)")
}

/// A file system in memory. Clones share one disk.
#[derive(Debug, Clone, Default)]
pub(crate) struct MemFs(Arc<Mutex<Disk>>);

impl MemFs {
    /// Creates an empty disk with the directories leading to `root`.
    pub(crate) fn new(root: &Path) -> Self {
        let fs = Self::default();
        {
            let mut disk = fs.disk();
            for dir in root.ancestors() {
                disk.live.insert(dir.to_owned(), Node::Dir);
                disk.durable.insert(dir.to_owned(), Node::Dir);
            }
        }
        fs
    }

    /// Selects the operation that fails. Counting restarts at 0.
    pub(crate) fn plan(&self, plan: Option<Plan>) {
        let mut disk = self.disk();
        disk.plan = plan;
        disk.counted = 0;
        disk.full = false;
        disk.trace.clear();
    }

    /// Returns the number of operations since the last [`plan`](Self::plan).
    pub(crate) fn ops(&self) -> u64 {
        self.disk().counted
    }

    /// Returns those operations in words, for a failed test's message.
    pub(crate) fn trace(&self) -> Vec<String> {
        self.disk().trace.clone()
    }

    /// Makes locks fail as unsupported, as on some network disks.
    pub(crate) fn without_locks(&self) {
        self.disk().lockless = true;
    }

    /// Returns the number of changes that a power cut could lose now.
    pub(crate) fn pending(&self) -> usize {
        self.disk().pending.len()
    }

    /// Returns the disk after a power cut that kept the pending changes accepted by `keep`, by number from 0.
    #[must_use]
    pub(crate) fn crash(&self, keep: impl Fn(usize) -> bool) -> Self {
        let disk = self.disk();
        let mut names = disk.durable.clone();
        let mut inodes: Vec<Inode> = disk
            .inodes
            .iter()
            .map(|inode| Inode { live: inode.durable.clone(), durable: inode.durable.clone() })
            .collect();
        for (_, change) in disk.pending.iter().enumerate().filter(|(at, _)| keep(*at)) {
            apply(change, &mut names, &mut inodes);
        }
        for inode in &mut inodes {
            inode.live.clone_from(&inode.durable);
        }
        let reachable = names
            .iter()
            .filter(|(path, _)| {
                path.ancestors().skip(1).all(|dir| names.get(dir) == Some(&Node::Dir))
            })
            .map(|(path, node)| (path.clone(), *node))
            .collect::<BTreeMap<_, _>>();
        Self(Arc::new(Mutex::new(Disk {
            live: reachable.clone(),
            durable: reachable,
            inodes,
            lockless: disk.lockless,
            ..Disk::default()
        })))
    }

    /// Returns the disk after a kill -9 of the process alone: the system still has everything, synced or not.
    #[must_use]
    pub(crate) fn kill(&self) -> Self {
        let disk = self.disk();
        Self(Arc::new(Mutex::new(Disk {
            live: disk.live.clone(),
            durable: disk.durable.clone(),
            inodes: disk.inodes.clone(),
            pending: disk.pending.clone(),
            lockless: disk.lockless,
            ..Disk::default()
        })))
    }

    /// Returns every path below `dir` with its bytes (`None` for directories).
    pub(crate) fn tree(&self, dir: &Path) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
        let disk = self.disk();
        disk.live
            .iter()
            .filter(|(path, _)| path.starts_with(dir))
            .map(|(path, node)| {
                let bytes = match node {
                    Node::Dir => None,
                    Node::File(inode) => Some(disk.inodes[*inode].live.clone()),
                };
                (path.clone(), bytes)
            })
            .collect()
    }

    /// Replaces a file's bytes behind the session's back, durable at once.
    pub(crate) fn overwrite(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut disk = self.disk();
        let inode = disk.file(path)?;
        disk.pending.retain(|change| change.inode() != Some(inode));
        disk.inodes[inode] = Inode { live: bytes.to_vec(), durable: bytes.to_vec() };
        Ok(())
    }

    fn disk(&self) -> MutexGuard<'_, Disk> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Makes one change durable.
fn apply(change: &Pending, names: &mut BTreeMap<PathBuf, Node>, inodes: &mut [Inode]) {
    match change {
        Pending::Bytes { inode, at, bytes } => {
            let durable = &mut inodes[*inode].durable;
            let end = at + bytes.len();
            if durable.len() < end {
                // A lost write before a kept one leaves zeros.
                durable.resize(end, 0);
            }
            durable[*at..end].copy_from_slice(bytes);
        }
        Pending::Length { inode, len } => inodes[*inode].durable.resize(*len, 0),
        Pending::Link { path, node } => {
            names.insert(path.clone(), *node);
        }
        Pending::Rename { from, to, node } => {
            names.remove(from);
            names.insert(to.clone(), *node);
        }
        Pending::Unlink { path } => {
            names.remove(path);
        }
    }
}

impl Disk {
    /// Counts an operation and returns how far it may go. `grows`: it needs space.
    fn go(&mut self, what: &str, path: &Path, grows: bool) -> io::Result<Go> {
        if self.dead {
            return Err(dead());
        }
        let counts = self
            .plan
            .as_ref()
            .and_then(|plan| plan.under.as_ref())
            .is_none_or(|under| path.starts_with(under));
        if !counts {
            return Ok(Go::Whole);
        }
        let now = self.counted;
        self.counted += 1;
        self.trace.push(format!("{now} {what} {}", path.display()));
        let full = || io::Error::from(io::ErrorKind::StorageFull);
        if self.full && grows {
            return Ok(Go::Partly(TornWrite::Half, full()));
        }
        let Some(fault) = self.plan.as_ref().filter(|plan| plan.at == now).map(|plan| plan.fault)
        else {
            return Ok(Go::Whole);
        };
        match fault {
            Fault::AbortBefore => {
                self.dead = true;
                Err(dead())
            }
            Fault::AbortAfter => Ok(Go::ThenDie),
            Fault::Torn(cut) => {
                self.dead = true;
                Ok(Go::Partly(cut, dead()))
            }
            Fault::NoSpaceOnce => Ok(Go::Partly(TornWrite::Half, full())),
            Fault::NoSpace => {
                self.full = true;
                Ok(Go::Partly(TornWrite::Half, full()))
            }
            Fault::Io => {
                Ok(Go::Partly(TornWrite::At(0), io::Error::other("input/output error (injected)")))
            }
        }
    }

    /// Runs an operation that is done completely or not at all.
    fn whole<T>(
        &mut self,
        what: &str,
        path: &Path,
        grows: bool,
        done: impl FnOnce(&mut Self) -> io::Result<T>,
    ) -> io::Result<T> {
        match self.go(what, path, grows)? {
            Go::Whole => done(self),
            Go::ThenDie => {
                done(self)?;
                self.dead = true;
                Err(dead())
            }
            Go::Partly(_, error) => Err(error),
        }
    }

    fn file(&self, path: &Path) -> io::Result<usize> {
        match self.live.get(path) {
            Some(Node::File(inode)) => Ok(*inode),
            Some(Node::Dir) => Err(io::ErrorKind::IsADirectory.into()),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    /// Adds a name whose directory must exist and that must be free.
    fn link(&mut self, path: &Path, node: Node) -> io::Result<()> {
        if self.live.contains_key(path) {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        match path.parent().and_then(|dir| self.live.get(dir)) {
            Some(Node::Dir) => {}
            Some(Node::File(_)) => return Err(io::ErrorKind::NotADirectory.into()),
            None => return Err(io::ErrorKind::NotFound.into()),
        }
        self.live.insert(path.to_owned(), node);
        self.pending.push(Pending::Link { path: path.to_owned(), node });
        Ok(())
    }

    fn write(&mut self, inode: usize, bytes: &[u8]) {
        let at = self.inodes[inode].live.len();
        self.inodes[inode].live.extend_from_slice(bytes);
        self.pending.push(Pending::Bytes { inode, at, bytes: bytes.to_vec() });
    }

    /// Writes as far as the operation may go.
    fn write_as(&mut self, go: Go, inode: usize, bytes: &[u8]) -> io::Result<()> {
        match go {
            Go::Whole => {
                self.write(inode, bytes);
                Ok(())
            }
            Go::ThenDie => {
                self.write(inode, bytes);
                self.dead = true;
                Err(dead())
            }
            Go::Partly(cut, error) => {
                let count = cut.of(bytes.len());
                if count > 0 {
                    self.write(inode, &bytes[..count]);
                }
                Err(error)
            }
        }
    }

    /// Makes the pending bytes of a file durable, or drops them on a fault.
    fn sync(&mut self, path: &Path, inode: usize) -> io::Result<()> {
        let go = self.go("sync_file", path, false)?;
        let (mine, rest) = std::mem::take(&mut self.pending)
            .into_iter()
            .partition(|change| change.inode() == Some(inode));
        self.pending = rest;
        match go {
            Go::Whole | Go::ThenDie => {
                for change in &mine {
                    apply(change, &mut self.durable, &mut self.inodes);
                }
            }
            Go::Partly(_, error) if self.dead => {
                // The process died; the pages may still be written or lost.
                self.pending.extend(mine);
                return Err(error);
            }
            Go::Partly(_, error) => return Err(error),
        }
        self.dead = matches!(go, Go::ThenDie);
        if self.dead { Err(dead()) } else { Ok(()) }
    }

    fn unlink(&mut self, path: &Path) {
        self.live.remove(path);
        self.pending.push(Pending::Unlink { path: path.to_owned() });
    }
}
