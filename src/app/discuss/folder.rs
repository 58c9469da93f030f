//! Which artifacts are meant: files stay files, a folder becomes the texts in it.
//!
//! A folder is walked as the finding of work walks a project: hidden and ignored files are none of it, links are not followed. What
//! else cannot be read stands in a list with its reason, since a folder may hold pictures; a file that was *named* and
//! cannot be read is an error, which [`super::artifact::read`] tells.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::{Path, PathBuf};

use super::artifact::STDIN;
use crate::app::shown::{self, Gate, Refused};
use crate::app::workspace::Workspace;
use crate::error::{Error, Kind};
use crate::files::{Above, Walk};
use crate::protocol::discuss::input::ARTIFACT_BYTES;
use crate::text::sanitize;

/// Artifacts of one run at most: each costs a call for every perspective.
pub(crate) const MOST: usize = 50;

/// Entries of a folder that are looked at; a home directory taken for a folder of documents must not hold the run up.
const MAX_ENTRIES: usize = 5_000;

/// Entries of what was left out; the rest is counted in one.
const MAX_LEFT_OUT: usize = 200;

/// Bytes of a file by which it is told whether it is text, once there are too many anyway.
const HEAD: u64 = 8 << 10;

/// What is to be read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Expanded {
    /// The artifacts, in the order given; those of a folder by their paths.
    pub(crate) files: Vec<PathBuf>,
    /// What was found and is not read.
    pub(crate) left_out: Vec<LeftOut>,
    /// Whether a folder was given, be it one with a single file.
    pub(crate) of_folder: bool,
}

/// A file that is not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LeftOut {
    /// Its path, for people.
    pub(crate) path: String,
    /// Why: `binary`, `empty`, `too_large`, `secret`, `own`, `unreadable`, `not_a_file`, `named_twice`, `more`.
    pub(crate) code: &'static str,
    /// The same as a sentence.
    pub(crate) why: String,
}

/// Finds out what is to be read. `-` is standard input.
///
/// # Errors
/// [`Kind::Input`], named `artifact_folder_unreadable` or `artifact_folder_empty`, where a folder holds nothing to read;
/// [`Kind::Usage`], named `too_many_artifacts`.
pub(crate) fn expand(workspace: &Workspace, given: &[PathBuf]) -> Result<Expanded, Error> {
    let mut found = Found {
        gate: Gate::new(workspace)?,
        own: own(workspace),
        seen: BTreeSet::new(),
        files: Vec::new(),
        count: 0,
        met: 0,
        left_out: Vec::new(),
        of_folder: false,
        more: 0,
    };
    for path in given {
        if path == Path::new("-") {
            found.add(path.clone(), path.clone());
            continue;
        }
        match shown::follow(workspace.root(), &workspace.around.dir.join(path)) {
            Ok(real) if real.is_dir() => found.folder(path, &real)?,
            Ok(real) => found.add(path.clone(), real),
            Err(Refused::LeadsOut { link, to }) => {
                let (what, hint) = Refused::leads_out(&link, &to);
                return Err(Error::new(Kind::Input, what).named("artifact_outside").hint(hint));
            }
            // Whoever reads it says that it is not there.
            Err(_) => found.add(path.clone(), path.clone()),
        }
    }
    if found.count > MOST {
        let what = format!("{} artifacts are named, {MOST} are possible at once", found.count);
        return Err(Error::new(Kind::Usage, what)
            .named("too_many_artifacts")
            .hint("name the files or the subfolder that matter: `discuss docs/*.md` leaves subfolders out"));
    }
    Ok(found.finish())
}

/// This program's own folders: what it wrote is no artifact of the project.
fn own(workspace: &Workspace) -> Vec<PathBuf> {
    let paths = &workspace.effective.config.paths;
    ([&paths.debate, &paths.backlog].iter()).map(|path| workspace.root().join(path)).collect()
}

/// Whether a file is the record of an earlier critique.
fn is_record(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let parent = path.parent().and_then(Path::file_name);
    parent.is_some_and(|parent| parent == "discussions")
        && (name.ends_with("-discussion.md") || name.ends_with("-discussion.json"))
}

/// What was found so far.
struct Found {
    gate: Gate,
    own: Vec<PathBuf>,
    /// What is read already, each by its one real path.
    seen: BTreeSet<PathBuf>,
    files: Vec<PathBuf>,
    /// How many artifacts there are; beyond the limit they are counted and not kept.
    count: usize,
    /// How many there were to read, those that are read already among them.
    met: usize,
    left_out: Vec<LeftOut>,
    of_folder: bool,
    more: usize,
}

impl Found {
    /// Takes a file, unless it is read already.
    fn add(&mut self, path: PathBuf, real: PathBuf) {
        self.met += 1;
        if !self.seen.insert(real) {
            let why = "it is named twice and read once".to_owned();
            self.leave_out(&path, "named_twice", why);
            return;
        }
        self.count += 1;
        if self.count <= MOST {
            self.files.push(path);
        }
    }

    fn leave_out(&mut self, path: &Path, code: &'static str, why: String) {
        if self.left_out.len() == MAX_LEFT_OUT {
            self.more += 1;
            return;
        }
        let path = if path == Path::new("-") { STDIN.to_owned() } else { shown::label(path) };
        self.left_out.push(LeftOut { path, code, why });
    }

    /// Takes the texts in a folder. `given` is how it was named, `real` where it lies.
    fn folder(&mut self, given: &Path, real: &Path) -> Result<(), Error> {
        self.of_folder = true;
        let name = shown::label(given);
        // The walker reports an unreadable folder as one entry among others.
        std::fs::read_dir(real).map(drop).map_err(|error| {
            let what = format!("failed to read the folder {name}: {error}");
            Error::new(Kind::Input, what)
                .named("artifact_folder_unreadable")
                .hint("let your user read it, or name the files")
        })?;
        let (met_before, left_before) = (self.met, self.left_out.len());
        let mut entries = Vec::new();
        let mut walk = walk(real, &self.own);
        for (entry, count) in walk.by_ref().zip(0..) {
            if count == MAX_ENTRIES {
                let what =
                    format!("the folder {name} holds {MAX_ENTRIES} files and folders or more");
                return Err(Error::new(Kind::Usage, what)
                    .named("too_many_artifacts")
                    .hint("name the files or the subfolder that matter"));
            }
            match entry {
                Ok(entry) if entry.file_type().is_some_and(|kind| kind.is_dir()) => {}
                Ok(entry) => entries.push(entry.into_path()),
                Err(error) => {
                    let why =
                        format!("it cannot be read: {}", sanitize::line(&error.to_string(), 300));
                    self.leave_out(given, "unreadable", why);
                }
            }
        }
        for (file, why) in walk.unread() {
            let relative = file.strip_prefix(real).unwrap_or(&file);
            self.leave_out(&given.join(relative), "unreadable", why);
        }
        entries.sort();
        for file in entries {
            let relative = file.strip_prefix(real).unwrap_or(&file);
            let path =
                if given == Path::new(".") { relative.to_owned() } else { given.join(relative) };
            match self.judge(&file, real) {
                Ok(()) => self.add(path, file),
                Err((code, why)) => self.leave_out(&path, code, why),
            }
        }
        if self.met == met_before {
            return Err(self.nothing(&name, left_before));
        }
        Ok(())
    }

    /// Says whether a file of a folder can be criticised, and if not, why.
    fn judge(&self, file: &Path, folder: &Path) -> Result<(), (&'static str, String)> {
        if is_record(file) {
            return Err(("own", "it is the record of an earlier critique".to_owned()));
        }
        let is_link = file.symlink_metadata().is_ok_and(|meta| meta.is_symlink());
        if is_link {
            return Err(("not_a_file", "it is a link, which is not followed".to_owned()));
        }
        let mut opened = self.gate.open(file, Some(folder)).map_err(|refused| match refused {
            Refused::Missing(error) | Refused::Unreadable(error) => {
                ("unreadable", format!("it cannot be read: {error}"))
            }
            Refused::NotPlain(what) => ("not_a_file", format!("it is {what}")),
            Refused::Secret(why) => ("secret", why),
            Refused::Outside | Refused::LeadsOut { .. } => {
                ("unreadable", "it leads out of the folder".to_owned())
            }
        })?;
        let most = u64::try_from(ARTIFACT_BYTES).unwrap_or(u64::MAX);
        let too_large = |bytes: u64| {
            let why = format!("it has {bytes} bytes and may have {most}");
            ("too_large", why)
        };
        if opened.bytes > most {
            return Err(too_large(opened.bytes));
        }
        let whole = self.count <= MOST;
        let mut bytes = Vec::new();
        let limit = if whole { most + 1 } else { HEAD };
        (opened.file.by_ref().take(limit).read_to_end(&mut bytes))
            .map_err(|error| ("unreadable", format!("it cannot be read: {error}")))?;
        if bytes.len() > ARTIFACT_BYTES {
            return Err(too_large(most + 1));
        }
        let text = shown::text(bytes, !whole).map_err(|why| ("binary", why.to_string()))?;
        if shown::is_empty(&text) {
            return Err(("empty", "it is empty".to_owned()));
        }
        match Gate::secret_text(&text) {
            Some(why) => Err(("secret", why)),
            None => Ok(()),
        }
    }

    /// The error of a folder that has nothing to read: what it has, by reason.
    fn nothing(&self, name: &str, left_before: usize) -> Error {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for one in self.left_out.iter().skip(left_before) {
            *counts.entry(one.code).or_default() += 1;
        }
        let mut counts: Vec<String> = (counts.iter())
            .map(|(code, count)| format!("{count} {}", code.replace('_', " ")))
            .collect();
        if counts.is_empty() {
            counts.push("no files that are not hidden or ignored".to_owned());
        }
        let what = format!("the folder {name} holds nothing to read: {}", counts.join(", "));
        Error::new(Kind::Input, what)
            .named("artifact_folder_empty")
            .hint("name the files themselves, or another folder")
    }

    fn finish(mut self) -> Expanded {
        if self.more > 0 {
            self.left_out.push(LeftOut {
                path: format!("{} more", self.more),
                code: "more",
                why: "they are left out too".to_owned(),
            });
        }
        Expanded { files: self.files, left_out: self.left_out, of_folder: self.of_folder }
    }
}

/// Walks as the finding of work does (`discovery`): inside of a repository by git's rules, those of its folders above included;
/// without one by what stands in a `.gitignore` from here on.
fn walk(root: &Path, own: &[PathBuf]) -> Walk {
    let own = own.to_vec();
    crate::files::walk(root, true, Above::Repository, move |entry| {
        !own.iter().any(|dir| entry.path() == dir)
    })
}

#[cfg(test)]
mod tests;
