//! Git's ignore rules, read with the caution due to files of whoever filled the tree.
//!
//! A `.gitignore` that is a link, a pipe or a device is not read (git refuses links there too), and neither is one
//! larger than any honest one: compiled patterns take a thousand times their size. Files named in the user's own git
//! configuration are the user's: links to them are followed, but their size is bounded too.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read as _};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use ignore::gitignore::{Gitignore, GitignoreBuilder, gitconfig_excludes_path};

use super::folder::Folder;

const FILE_BYTES: u64 = 1 << 20;
/// Maximum total size of all ignore files in one walk, in bytes.
const ALL_BYTES: u64 = 8 << 20;
/// Maximum number of patterns in one walk, each counted by its wildcards if it has several: Linux, one of the
/// largest trees, has some 3,000. The maximum takes 0.1 GB and a second.
const PATTERNS: usize = 20_000;
/// Maximum length of a pattern in bytes, as no path is longer. A longer one is skipped.
const PATTERN_BYTES: usize = 4096;
/// Maximum number of wildcards in a pattern. One with more is skipped: it would cost as much as
/// thousands of others.
const WILDCARDS: usize = 64;
/// Maximum size of a `.git` file, which names a folder, in bytes.
const LINK_BYTES: u64 = 8192;

#[derive(Debug)]
struct Level {
    dir: PathBuf,
    rules: Gitignore,
    /// For the top of a repository, its `info/exclude`. Rules of parent folders do not apply inside.
    repository: Option<Gitignore>,
}

/// The rules that apply at the current position of a walk.
#[derive(Debug)]
pub(super) struct IgnoreRules {
    /// The folder below which files of the tree are read.
    top: Folder,
    /// From the top down to the folder whose entries are being judged.
    levels: Vec<Level>,
    /// The user's own rules for all repositories.
    global: Gitignore,
    bytes: u64,
    patterns: usize,
    /// Ignore files that were not read, and why.
    pub(super) unread: Vec<(PathBuf, String)>,
}

impl IgnoreRules {
    /// Starts at a folder, with its own rules and those of its parent folders up to `top`.
    pub(super) fn new(top: &Path, root: &Path) -> io::Result<Self> {
        let mut this = Self {
            top: Folder::open(top)?,
            levels: Vec::new(),
            global: Gitignore::empty(),
            bytes: ALL_BYTES,
            patterns: PATTERNS,
            unread: Vec::new(),
        };
        if let Some(file) = gitconfig_excludes_path() {
            let read = own(&file);
            this.global = this.rules(top, &file, read);
        }
        let above: Vec<&Path> = root.ancestors().take_while(|dir| dir.starts_with(top)).collect();
        for dir in above.into_iter().rev() {
            this.enter(dir);
        }
        Ok(this)
    }

    /// Whether git ignores an entry of the walk, which is depth-first.
    pub(super) fn is_ignored(&mut self, path: &Path, is_dir: bool) -> bool {
        let dir = path.parent().unwrap_or(path);
        while self.levels.len() > 1
            && self.levels.last().is_some_and(|level| !dir.starts_with(&level.dir))
        {
            self.levels.pop();
        }
        let known = self.levels.last().map_or(0, |level| level.dir.components().count());
        let mut missing: Vec<&Path> =
            dir.ancestors().take_while(|dir| dir.components().count() > known).collect();
        while let Some(dir) = missing.pop() {
            self.enter(dir);
        }
        for level in self.levels.iter().rev() {
            let found = level.rules.matched(path, is_dir);
            if !found.is_none() {
                return found.is_ignore();
            }
            if let Some(exclude) = &level.repository {
                let found = exclude.matched(path, is_dir);
                if !found.is_none() {
                    return found.is_ignore();
                }
                break;
            }
        }
        self.global.matched(path, is_dir).is_ignore()
    }

    fn enter(&mut self, dir: &Path) {
        let below = dir.strip_prefix(self.top.path()).unwrap_or(dir).to_owned();
        let file = below.join(".gitignore");
        let read = self.top.read(&file, FILE_BYTES);
        let rules = self.rules(dir, &dir.join(".gitignore"), read);
        let is_repository = self.top.look(&below.join(".git")).is_ok_and(|found| found.is_some());
        let repository = is_repository.then(|| {
            exclude_of(&self.top, &below)
                .map_or_else(Gitignore::empty, |(file, read)| self.rules(dir, &file, read))
        });
        self.levels.push(Level { dir: dir.to_owned(), rules, repository });
    }

    /// Builds rules from a file that was read; without rules, and with a note, if that is
    /// impossible.
    fn rules(&mut self, dir: &Path, file: &Path, read: io::Result<Vec<u8>>) -> Gitignore {
        let made = match read {
            Err(error) if is_absent(&error) => return Gitignore::empty(),
            Err(error) if error.kind() == io::ErrorKind::FileTooLarge => {
                Err(format!("it has more than {} KiB", FILE_BYTES >> 10))
            }
            Err(error) => Err(error.to_string()),
            Ok(bytes) => self.compile(dir, &bytes),
        };
        made.unwrap_or_else(|why| {
            let why = format!("its patterns are not used: {why}");
            self.unread.push((file.to_owned(), why));
            Gitignore::empty()
        })
    }

    fn compile(&mut self, dir: &Path, bytes: &[u8]) -> Result<Gitignore, String> {
        let many = || format!("the tree has more than {PATTERNS} patterns");
        let text = String::from_utf8_lossy(bytes);
        let text = text.trim_start_matches('\u{feff}');
        let wildcards = |line: &str| line.bytes().filter(|byte| b"*?[{".contains(byte)).count();
        let lines = || {
            (text.lines())
                .filter(|line| !line.trim().is_empty() && !line.starts_with('#'))
                .filter(|line| line.len() <= PATTERN_BYTES && wildcards(line) <= WILDCARDS)
        };
        let weight = lines().map(|line| wildcards(line).max(1)).sum();
        self.patterns = self.patterns.checked_sub(weight).ok_or_else(many)?;
        self.bytes = self.bytes.checked_sub(bytes.len() as u64).ok_or_else(many)?;
        let mut builder = GitignoreBuilder::new(dir);
        for line in lines() {
            // An invalid pattern ignores nothing, as in git.
            drop(builder.add_line(None, line));
        }
        builder.build().map_err(|error| error.to_string())
    }
}

/// Reads a file of the user's own: links are followed, pipes do not block.
fn own(file: &Path) -> io::Result<Vec<u8>> {
    let real = file.canonicalize()?;
    let name = real.file_name().unwrap_or_default();
    Folder::open(real.parent().unwrap_or(&real))?.read(Path::new(name), FILE_BYTES)
}

/// Reads the `info/exclude` of the repository whose working tree is at a folder. A `.git` file (linked working trees,
/// submodules) points to another folder, as it does for git.
fn exclude_of(top: &Folder, below: &Path) -> Option<(PathBuf, io::Result<Vec<u8>>)> {
    let exclude = Path::new("info/exclude");
    let dot_git = below.join(".git");
    let found = top.look(&dot_git).ok()??;
    if found.kind.is_dir() {
        let file = dot_git.join(exclude);
        return Some((top.path().join(&file), top.read(&file, FILE_BYTES)));
    }
    let line = |file: File| {
        let mut bytes = Vec::new();
        file.take(LINK_BYTES).read_to_end(&mut bytes).ok()?;
        Some(bytes.trim_ascii_end().to_vec())
    };
    let named = line(top.file(&dot_git).ok()?)?;
    let named = Path::new(OsStr::from_bytes(named.strip_prefix(b"gitdir: ")?)).to_owned();
    let dir = Folder::open(&top.path().join(below).join(named)).ok()?;
    let dir = match dir.file(Path::new("commondir")).ok().and_then(line) {
        Some(common) => Folder::open(&dir.path().join(OsStr::from_bytes(&common))).ok()?,
        None => dir,
    };
    Some((dir.path().join(exclude), dir.read(exclude, FILE_BYTES)))
}

/// Whether an error says that there is nothing at a path. What exists but cannot be inspected is another matter.
pub(crate) fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}
