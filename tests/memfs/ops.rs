//! The operations of the file system in memory.

use std::io;
use std::path::{Path, PathBuf};

use super::{Go, Inode, MemFs, Node, Pending, apply, dead};
use debate_agent::session::fs::{
    AppendFile, Entry, EntryKind, FileLock, Fs, LockState, Ownership, TryLock,
};

#[derive(Debug)]
struct MemAppend {
    disk: MemFs,
    path: PathBuf,
    inode: usize,
}

impl AppendFile for MemAppend {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut disk = self.disk.disk();
        let go = disk.go("append", &self.path, true)?;
        disk.write_as(go, self.inode, bytes)
    }
    fn sync(&mut self) -> io::Result<()> {
        self.disk.disk().sync(&self.path, self.inode)
    }
}

#[derive(Debug)]
struct MemFileLock {
    disk: MemFs,
    path: PathBuf,
}

impl FileLock for MemFileLock {}

impl Drop for MemFileLock {
    fn drop(&mut self) {
        self.disk.disk().locks.remove(&self.path);
    }
}

impl Fs for MemFs {
    fn create_dir(&self, path: &Path) -> io::Result<()> {
        self.disk().whole("create_dir", path, true, |disk| disk.link(path, Node::Dir))
    }

    fn write_new(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut disk = self.disk();
        let go = disk.go("write_new", path, true)?;
        let inode = disk.inodes.len();
        disk.link(path, Node::File(inode))?;
        disk.inodes.push(Inode::default());
        disk.write_as(go, inode, bytes)
    }

    fn open_append(&self, path: &Path) -> io::Result<Box<dyn AppendFile>> {
        let inode = self.disk().whole("open_append", path, false, |disk| disk.file(path))?;
        Ok(Box::new(MemAppend { disk: self.clone(), path: path.to_owned(), inode }))
    }

    fn truncate(&self, path: &Path, len: u64) -> io::Result<()> {
        self.disk().whole("truncate", path, false, |disk| {
            let inode = disk.file(path)?;
            let len = usize::try_from(len).map_err(io::Error::other)?;
            disk.inodes[inode].live.resize(len, 0);
            disk.pending.push(Pending::Length { inode, len });
            Ok(())
        })
    }

    fn sync_file(&self, path: &Path) -> io::Result<()> {
        let mut disk = self.disk();
        let inode = disk.file(path)?;
        disk.sync(path, inode)
    }

    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        self.disk().whole("sync_dir", path, false, |disk| {
            if disk.live.get(path) != Some(&Node::Dir) {
                return Err(io::ErrorKind::NotFound.into());
            }
            let (mine, rest): (Vec<_>, _) = std::mem::take(&mut disk.pending)
                .into_iter()
                .partition(|change| change.dir() == Some(path));
            disk.pending = rest;
            for change in &mine {
                apply(change, &mut disk.durable, &mut disk.inodes);
            }
            Ok(())
        })
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.disk().whole("rename", to, false, |disk| {
            if from.parent() != to.parent() {
                return Err(io::ErrorKind::CrossesDevices.into());
            }
            let node = Node::File(disk.file(from)?);
            disk.live.remove(from);
            disk.live.insert(to.to_owned(), node);
            disk.pending.push(Pending::Rename { from: from.to_owned(), to: to.to_owned(), node });
            Ok(())
        })
    }

    fn read(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        self.disk().whole("read", path, false, |disk| {
            let bytes = &disk.inodes[disk.file(path)?].live;
            if bytes.len() as u64 > limit {
                return Err(io::ErrorKind::FileTooLarge.into());
            }
            Ok(bytes.clone())
        })
    }

    fn len(&self, path: &Path) -> io::Result<u64> {
        self.disk()
            .whole("len", path, false, |disk| Ok(disk.inodes[disk.file(path)?].live.len() as u64))
    }

    fn kind(&self, path: &Path) -> io::Result<Option<EntryKind>> {
        self.disk().whole("kind", path, false, |disk| {
            Ok(disk.live.get(path).map(|node| match node {
                Node::Dir => EntryKind::Dir,
                Node::File(_) => EntryKind::File,
            }))
        })
    }

    fn owned(&self, path: &Path) -> io::Result<Ownership> {
        match self.kind(path)? {
            Some(_) => Ok(Ownership { is_wide: false, by_us: true }),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    fn set_private(&self, path: &Path) -> io::Result<()> {
        self.owned(path).map(drop)
    }

    fn list(&self, path: &Path) -> io::Result<Vec<Entry>> {
        self.disk().whole("list", path, false, |disk| {
            if disk.live.get(path) != Some(&Node::Dir) {
                return Err(io::ErrorKind::NotFound.into());
            }
            Ok(disk
                .live
                .iter()
                .filter(|(entry, _)| entry.parent() == Some(path))
                .filter_map(|(entry, node)| {
                    let (kind, len) = match node {
                        Node::Dir => (EntryKind::Dir, 0),
                        Node::File(inode) => {
                            (EntryKind::File, disk.inodes[*inode].live.len() as u64)
                        }
                    };
                    Some(Entry { name: entry.file_name()?.to_str()?.to_owned(), kind, len })
                })
                .collect())
        })
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        self.disk().whole("remove_file", path, false, |disk| {
            disk.file(path)?;
            disk.unlink(path);
            Ok(())
        })
    }

    fn remove_dir_all(&self, path: &Path) -> io::Result<()> {
        self.disk().whole("remove_dir_all", path, false, |disk| {
            let below: Vec<PathBuf> =
                disk.live.keys().filter(|entry| entry.starts_with(path)).cloned().collect();
            if below.is_empty() {
                return Err(io::ErrorKind::NotFound.into());
            }
            for entry in below.iter().rev() {
                disk.unlink(entry);
            }
            Ok(())
        })
    }

    fn try_lock(&self, path: &Path, contents: &[u8]) -> io::Result<TryLock> {
        let mut disk = self.disk();
        // Not `whole`: a lock taken and dropped by an abort would need this disk, which we hold.
        let dies = match disk.go("try_lock", path, true)? {
            Go::Whole => false,
            Go::ThenDie => true,
            Go::Partly(_, error) => return Err(error),
        };
        if disk.lockless {
            return Ok(TryLock::Unsupported);
        }
        let inode = if let Ok(inode) = disk.file(path) {
            inode
        } else {
            let inode = disk.inodes.len();
            disk.link(path, Node::File(inode))?;
            disk.inodes.push(Inode::default());
            inode
        };
        if dies {
            disk.dead = true;
            return Err(dead());
        }
        if !disk.locks.insert(path.to_owned()) {
            return Ok(TryLock::Busy(disk.inodes[inode].live.clone()));
        }
        disk.inodes[inode].live = contents.to_vec();
        Ok(TryLock::Held(Box::new(MemFileLock { disk: self.clone(), path: path.to_owned() })))
    }

    fn lock_state(&self, path: &Path) -> io::Result<LockState> {
        self.disk().whole("lock_state", path, false, |disk| {
            Ok(if disk.lockless {
                LockState::Unknown
            } else if disk.locks.contains(path) {
                LockState::Busy(disk.inodes[disk.file(path)?].live.clone())
            } else {
                LockState::Free
            })
        })
    }
}
