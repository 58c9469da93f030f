//! A snapshot of a repository, to detect later whether somebody wrote to it.
//!
//! # Theory of operation
//!
//! Agents that may read a repository must not change it, and a review of files that change while being
//! read is worthless. So a snapshot is taken before and after, and differences are reported. Nothing is
//! restored.
//!
//! A snapshot covers every file that git does not ignore, and every tracked one, by kind, mode and
//! content (beyond 8 MiB per file or 256 MiB in total by inode, size and times, of which the change time
//! cannot be set back); the index; branches and tags; and the files of the `.git` folder that have
//! effects: HEAD, the configuration, hooks, `info`, those of submodules too, and the configuration of
//! other working trees.
//!
//! It leaves out ignored files, which builds and editors write all the time, remote branches, which may
//! be fetched in the background, and this program's own folders.

use std::ffi::{OsStr, OsString};
use std::fs::{self, Metadata};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Component, Path, PathBuf};

use sha2::{Digest as _, Sha256};

use super::{Git, GitError, Subcommand};
use crate::files::{ParentRules, walk};
use crate::ordered::{BTreeMap, BTreeSet, Gather};
use crate::text::name::spell;

/// Maximum number of files; a larger tree is refused.
const FILES: usize = 500_000;

const FILE_BYTES: usize = 8 << 20;

/// Maximum number of bytes read in total.
const TOTAL_BYTES: u64 = 256 << 20;

/// Files of the `.git` folder that have effects, and folders of such files.
const ACTING: [&str; 6] =
    ["HEAD", "config", "config.worktree", "hooks", "info", "objects/info/alternates"];

/// Files with effects in another working tree's folder in `.git`: the others change as somebody works
/// there.
const ACTING_ELSEWHERE: [&str; 1] = ["config.worktree"];

/// Levels below `.git/modules` searched for submodules: their names may contain slashes, and each may contain others.
const MODULE_DEPTH: u32 = 8;

/// Levels below [`ACTING`] that are entered.
const ACTING_DEPTH: u32 = 4;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    entries: BTreeMap<String, EntryState>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum EntryState {
    /// The content is known to git or to us.
    Known(Stamp, [u8; 32]),
    /// Only its metadata is known.
    Stamped(Stamp),
    /// It could not be read, for this reason.
    Unreadable(String),
}

/// Metadata that changes along with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Stamp {
    inode: u64,
    size: u64,
    /// Modification and change time, in nanoseconds.
    times: [i128; 2],
}

impl EntryState {
    /// Whether two states are the same. Content decides if it is known on both sides.
    fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Known(_, one), Self::Known(_, other)) => one == other,
            (
                Self::Known(one, _) | Self::Stamped(one),
                Self::Known(other, _) | Self::Stamped(other),
            ) => one == other,
            (Self::Unreadable(one), Self::Unreadable(other)) => one == other,
            (Self::Unreadable(_), Self::Known(..) | Self::Stamped(_))
            | (Self::Known(..) | Self::Stamped(_), Self::Unreadable(_)) => false,
        }
    }
}

impl EntryState {
    /// The digest used in a mark: that of the content if it is known, since inodes and times may change without
    /// it.
    fn digest(&self) -> [u8; 32] {
        match self {
            Self::Known(_, content) => *content,
            Self::Stamped(stamp) => Sha256::digest(format!("stamped {stamp:?}")).into(),
            Self::Unreadable(why) => Sha256::digest(format!("unreadable {why}")).into(),
        }
    }
}

impl Snapshot {
    /// Lists the differences from another snapshot, sorted: files of the working tree by path, staged
    /// ones as `PATH (staged)`, the rest as `.git/config` or `refs/heads/main`.
    pub fn differs(&self, other: &Self) -> Vec<String> {
        let gone = (self.entries.iter())
            .filter(|(name, look)| !other.entries.get(*name).is_some_and(|now| look.same(now)));
        let new = (other.entries.keys()).filter(|name| !self.entries.contains_key(*name));
        let mut names: Vec<String> = gone.map(|(name, _)| name).chain(new).cloned().collect();
        names.sort();
        names
    }
}

/// Maximum number of marks in a journal: beyond that, marks are per folder.
const MARKS: usize = 10_000;

impl Snapshot {
    /// Returns the entries by name, each with a short mark of its content, for comparison by a later run
    /// ([`differing`]). For a repository with more than `MARKS` entries, one mark represents everything below a
    /// folder.
    pub fn marks(&self) -> BTreeMap<String, String> {
        if self.entries.len() <= MARKS {
            let entries = self.entries.iter();
            return entries.map(|(name, look)| (name.clone(), short(look.digest()))).gather();
        }
        let mut folders: BTreeMap<&str, Sha256> = BTreeMap::new();
        for (name, look) in &self.entries {
            let top = name.split_once('/').map_or("", |(top, _)| top);
            let folder = folders.entry(top).or_default();
            folder.update(name.as_bytes());
            folder.update([0]);
            folder.update(look.digest());
        }
        let folders = folders.into_iter();
        folders.map(|(top, digest)| (format!("{top}/"), short(digest.finalize().into()))).gather()
    }
}

/// Lists the differences between the marks of two snapshots, sorted.
pub fn differing(before: &BTreeMap<String, String>, now: &BTreeMap<String, String>) -> Vec<String> {
    let names: BTreeSet<&String> = before.keys().chain(now.keys()).gather();
    let differ = |name: &&&String| before.get(**name) != now.get(**name);
    names.iter().filter(differ).map(|name| (*name).clone()).collect()
}

/// Eight bytes are enough to detect accidents; anybody who forges them can forge the journal as
/// well.
fn short(digest: [u8; 32]) -> String {
    let first: [u8; 8] = digest.first_chunk().copied().unwrap_or_default();
    format!("{:016x}", u64::from_be_bytes(first))
}

impl Git {
    /// Takes a snapshot of the repository. `own` are folders of this program, relative to the top.
    ///
    /// # Errors
    /// git failed, or there are too many files. A file that cannot be read is not an error: it counts as
    /// changed once it can be, or vice versa.
    pub async fn seen(&self, own: &[String]) -> Result<Snapshot, GitError> {
        let mut entries = self.staged().await?;
        entries.extend(self.branch_tips().await?);
        for dir in self.git_dirs().await? {
            acting_in(&dir, Path::new(""), &mut entries);
        }
        let flags = ["--cached", "--ignored", "--exclude-standard", "-z"];
        let tracked = self.read(Subcommand::LsFiles, &flags, &[], &[]).await?;
        let mut left = TOTAL_BYTES;
        for path in tracked.split(|byte| *byte == 0) {
            self.look(path, own, &mut left, &mut entries)?;
        }
        let walk =
            walk(self.root(), false, ParentRules::Nothing, |entry| entry.file_name() != ".git");
        for entry in walk {
            match entry {
                Ok(entry) if entry.file_type().is_some_and(|kind| !kind.is_dir()) => {
                    let path = entry.path().strip_prefix(self.root());
                    let path = path.unwrap_or(entry.path()).as_os_str().as_bytes();
                    self.look(path, own, &mut left, &mut entries)?;
                }
                Ok(_) => {}
                Err(error) => {
                    let name = format!("a folder ({error})");
                    entries.insert(name, EntryState::Unreadable(String::new()));
                }
            }
        }
        Ok(Snapshot { entries })
    }

    /// Examines one file of the working tree, once.
    fn look(
        &self,
        path: &[u8],
        own: &[String],
        left: &mut u64,
        entries: &mut BTreeMap<String, EntryState>,
    ) -> Result<(), GitError> {
        let name = spell(path);
        let ours = own.iter().any(|dir| {
            let rest = name.strip_prefix(dir.trim_end_matches('/'));
            !dir.is_empty() && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        });
        if path.is_empty() || ours || entries.contains_key(&name) {
            return Ok(());
        }
        if entries.len() >= FILES {
            return Err(GitError::Hostile {
                what: format!(
                    "more than {FILES} files that git does not ignore, too many to see whether one changes"
                ),
            });
        }
        let meta = fs::symlink_metadata(self.root().join(OsStr::from_bytes(path)));
        let look = match meta {
            // Listed, but deleted in the working tree: treated as missing.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
            Err(error) => EntryState::Unreadable(error.kind().to_string()),
            // A submodule; its files are found by the walk.
            Ok(meta) if meta.is_dir() => return Ok(()),
            Ok(meta) => self.look_into(path, &meta, left),
        };
        entries.insert(name, look);
        Ok(())
    }

    fn look_into(&self, path: &[u8], meta: &Metadata, left: &mut u64) -> EntryState {
        let stamp = Stamp::of(meta);
        if meta.len() > *left || usize::try_from(meta.len()).is_ok_and(|size| size > FILE_BYTES) {
            return EntryState::Stamped(stamp);
        }
        *left -= meta.len();
        match self.file(path, FILE_BYTES) {
            Ok(file) if file.is_whole() => {
                let mut digest = Sha256::new_with_prefix(file.mode.as_bytes());
                digest.update(&file.bytes);
                EntryState::Known(stamp, digest.finalize().into())
            }
            Ok(_) => EntryState::Stamped(stamp),
            // A pipe, a socket, or a file that nobody may read.
            Err(error) => EntryState::Unreadable(format!("{} {}", meta.mode(), error.kind())),
        }
    }

    async fn staged(&self) -> Result<BTreeMap<String, EntryState>, GitError> {
        let flags = ["--cached", "--raw", "-z", "--no-renames", "--full-index"];
        let printed = self.read(Subcommand::Diff, &flags, &[], &[]).await?;
        let mut parts = printed.split(|byte| *byte == 0);
        let mut entries = BTreeMap::new();
        // `:MODE MODE ID ID STATUS`, then the path.
        while let (Some(what), Some(path)) = (parts.next(), parts.next()) {
            entries.insert(format!("{} (staged)", spell(path)), known(what));
        }
        Ok(entries)
    }

    async fn branch_tips(&self) -> Result<BTreeMap<String, EntryState>, GitError> {
        let flags = ["--format=%(refname)%00%(objectname)", "refs/heads", "refs/tags"];
        let printed = self.read(Subcommand::ForEachRef, &flags, &[], &[]).await?;
        let lines = printed.split(|byte| *byte == b'\n');
        Ok(lines
            .filter_map(|line| {
                let end = line.iter().position(|byte| *byte == 0)?;
                Some((spell(&line[..end]), known(&line[end..])))
            })
            .gather())
    }

    /// Returns the folder of the hooks, which need not exist, and the one that it lies in: the working tree, or what all
    /// working trees share. `None`: it may be that of other repositories too.
    ///
    /// # Errors
    /// git failed.
    pub async fn hooks_folder(&self) -> Result<(PathBuf, Option<PathBuf>), GitError> {
        let common = self.git_dirs().await?.pop().unwrap_or_default();
        let args = ["-z", "--show-scope", "--type=path", "--get-all", "core.hooksPath"];
        let named = self.caller.call(Subcommand::Config, &args).await?.if_any()?;
        let named = named.unwrap_or_default();
        let fields: Vec<&[u8]> = named.split(|byte| *byte == 0).collect();
        // The last one counts, but for our own.
        let named = fields.chunks_exact(2).rfind(|pair| pair[0] != b"command");
        let folder = named.map_or_else(
            || common.join("hooks"),
            |pair| self.root().join(OsStr::from_bytes(pair[1])),
        );
        let folder = folder.canonicalize().unwrap_or(folder);
        let is_own = named.is_none_or(|pair| {
            [&b"local"[..], b"worktree"].contains(&pair[0]) || !pair[1].starts_with(b"/")
        });
        // One that is not there may lead out yet.
        let leads_up = folder.components().any(|part| part == Component::ParentDir);
        let mut roots = [self.root().to_owned(), common].into_iter();
        let within = roots.find(|root| is_own && !leads_up && folder.starts_with(root));
        Ok((folder, within))
    }

    /// Returns the `.git` folder, and the one that linked working trees share.
    async fn git_dirs(&self) -> Result<Vec<PathBuf>, GitError> {
        let flags = ["--absolute-git-dir", "--git-common-dir"];
        let printed = self.read(Subcommand::RevParse, &flags, &[], &[]).await?;
        let mut dirs: Vec<PathBuf> = printed
            .split(|byte| *byte == b'\n')
            .filter(|line| !line.is_empty())
            .map(|line| self.root().join(OsStr::from_bytes(line)))
            .filter_map(|dir| dir.canonicalize().ok())
            .collect();
        dirs.dedup();
        Ok(dirs)
    }
}

impl Stamp {
    fn of(meta: &Metadata) -> Self {
        let nanos =
            |seconds: i64, nanos: i64| i128::from(seconds) * 1_000_000_000 + i128::from(nanos);
        Self {
            inode: meta.ino(),
            size: meta.len(),
            times: [nanos(meta.mtime(), meta.mtime_nsec()), nanos(meta.ctime(), meta.ctime_nsec())],
        }
    }
}

fn known(content: &[u8]) -> EntryState {
    EntryState::Known(Stamp::default(), Sha256::digest(content).into())
}

/// Examines the files with effects in a `.git` folder: its own, its submodules', and the configuration of its other
/// working trees.
fn acting_in(dir: &Path, git: &Path, entries: &mut BTreeMap<String, EntryState>) {
    for name in ACTING {
        acting(dir, &git.join(name), ACTING_DEPTH, entries);
    }
    for tree in folders(&dir.join(git).join("worktrees")) {
        for name in ACTING_ELSEWHERE {
            let name = git.join("worktrees").join(&tree).join(name);
            acting(dir, &name, ACTING_DEPTH, entries);
        }
    }
    modules(dir, &git.join("modules"), MODULE_DEPTH, entries);
}

/// Examines the `.git` folders of submodules below a folder.
fn modules(dir: &Path, below: &Path, depth: u32, entries: &mut BTreeMap<String, EntryState>) {
    let Some(depth) = depth.checked_sub(1) else {
        return;
    };
    for name in folders(&dir.join(below)) {
        let module = below.join(name);
        if fs::symlink_metadata(dir.join(&module).join("HEAD")).is_ok() {
            acting_in(dir, &module, entries);
        } else {
            modules(dir, &module, depth, entries);
        }
    }
}

/// Returns the names of the subfolders of a folder, excluding links.
fn folders(dir: &Path) -> Vec<OsString> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    entries
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .map(|entry| entry.file_name())
        .collect()
}

/// Examines a file of the `.git` folder, or the files of a folder in it.
fn acting(dir: &Path, name: &Path, depth: u32, entries: &mut BTreeMap<String, EntryState>) {
    let path = dir.join(name);
    let shown = format!(".git/{}", spell(name.as_os_str().as_bytes()));
    let Ok(meta) = fs::symlink_metadata(&path) else {
        return;
    };
    if meta.is_dir() {
        let Some(depth) = depth.checked_sub(1) else {
            entries.insert(shown, EntryState::Stamped(Stamp::of(&meta)));
            return;
        };
        for entry in fs::read_dir(&path).into_iter().flatten().flatten() {
            acting(dir, &name.join(entry.file_name()), depth, entries);
        }
        return;
    }
    let stamp = Stamp::of(&meta);
    let small = usize::try_from(meta.len()).is_ok_and(|size| size <= FILE_BYTES);
    let content = if meta.is_symlink() {
        fs::read_link(&path).map(|target| target.as_os_str().as_bytes().to_vec())
    } else if meta.is_file() && small {
        fs::read(&path)
    } else {
        entries.insert(shown, EntryState::Stamped(stamp));
        return;
    };
    let look = match content {
        Ok(content) => {
            let mut digest = Sha256::new_with_prefix(meta.mode().to_be_bytes());
            digest.update(&content);
            EntryState::Known(stamp, digest.finalize().into())
        }
        Err(error) => EntryState::Unreadable(error.kind().to_string()),
    };
    // A linked working tree has a HEAD of its own beside the shared one.
    let shown = if entries.contains_key(&shown) {
        format!("{shown} (of the main working tree)")
    } else {
        shown
    };
    entries.insert(shown, look);
}
