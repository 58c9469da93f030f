//! Which files and folders a client may name, and where what it asks for is done.
//!
//! # Theory of operation
//!
//! A client names a path; what counts is where that path really leads. So a path is resolved first (links and `..`
//! followed, by the operating system), and then compared component by component with the real paths of the repository in
//! which the server was started and of the roots of the user's own configuration (`mcp.roots`). What the use case is
//! handed is the resolved path, absolute and without links, so that nothing is resolved twice with two results.
//!
//! A file that the change deletes is not there: its nearest folder that is there is resolved, and the rest must be plain
//! names. Git then says whether the change knows it.
//!
//! ```text
//!   named path -> real path -> in the start repository?  workspace at the start directory, narrowed to the path
//!                           -> in a root?                workspace at that path's repository, which lies in the root too
//!                           -> else                      refused, in the same words whether it is there or not
//! ```
//!
//! The check is not the reading: in between somebody who may write into the repository can put a link in the place of a
//! part of the path. So a file is opened part by part from its real path, no part of which may be a link by then
//! (`app::shown`, [`crate::files`]), and git never follows links out of the working tree.

use std::ffi::OsStr;
use std::fmt::Display;
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Component, Path, PathBuf};

use super::answer::Answer;
use crate::app::workspace::Surroundings;
use crate::config::load::repository_of;
use crate::text::sanitize;

/// Characters of a path that a refusal repeats.
const SHOWN: usize = 200;

/// The places of one server.
#[derive(Debug, Clone)]
pub(crate) struct Places {
    around: Surroundings,
    /// The real start directory; as it was given where it has none.
    here: PathBuf,
    /// The real root of its repository.
    repository: Option<PathBuf>,
    /// As they are configured.
    roots: Vec<String>,
}

/// Where something is done.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    /// Where the workspace is opened.
    pub(crate) around: Surroundings,
    /// What of it is meant: absolute and real; `None`: all of it.
    pub(crate) narrowed: Option<PathBuf>,
}

impl Place {
    fn whole(around: Surroundings) -> Self {
        Self { around, narrowed: None }
    }
}

impl Places {
    /// `roots`: as the user's own configuration has them, absolute or from the home. One that is not there (any more, or
    /// yet) allows nothing.
    pub(crate) fn new(around: &Surroundings, roots: &[String]) -> Self {
        let here = real(&around.dir).unwrap_or_else(|_| around.dir.clone());
        Self {
            around: around.clone(),
            repository: repository_of(&here).map(Path::to_owned),
            here,
            roots: roots.to_vec(),
        }
    }

    /// The start directory, for what needs a repository.
    ///
    /// # Errors
    /// The server was started outside any.
    pub(crate) fn start(&self) -> Result<Place, Answer> {
        if self.repository.is_some() {
            return Ok(Place::whole(self.around.clone()));
        }
        Err(Answer::Refused(format!(
            "the server was started in {}, outside any git repository: give `path` in a folder of `mcp.roots`{}, or start the server in the repository",
            shown(&self.here),
            self.roots_said()
        )))
    }

    /// The start directory, for what needs no repository. Outside of any, sessions are kept in a folder of the user's state,
    /// which is made where it is not there.
    ///
    /// # Errors
    /// That folder cannot be made.
    pub(crate) fn anywhere(&self) -> Result<Place, Answer> {
        if self.repository.is_some() {
            return Ok(Place::whole(self.around.clone()));
        }
        let dir = self.state_dir();
        let made = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&dir);
        made.map_err(|error| {
            Answer::Refused(format!(
                "the server was started outside any git repository, and the folder for its sessions, {}, cannot be made: {error}",
                shown(&dir)
            ))
        })?;
        Ok(Place::whole(self.at(dir)))
    }

    /// All places whose sessions can be known without a path: the start repository or the user's state, then each root that
    /// is or lies in a repository inside it.
    pub(crate) fn known(&self) -> Vec<Surroundings> {
        let mut known = Vec::new();
        if self.repository.is_some() {
            known.push(self.around.clone());
        } else {
            let state = self.state_dir();
            if state.is_dir() {
                known.push(self.at(state));
            }
        }
        let others = (self.live_roots().0.into_iter())
            .filter(|root| repository_of(root) == Some(root.as_path()))
            .filter(|root| Some(root) != self.repository.as_ref());
        known.extend(others.map(|root| self.at(root)));
        known
    }

    /// Finds where a path leads. What is not there may be named, where its folder may be: git knows deleted files.
    ///
    /// # Errors
    /// The refusal that names `field`: it leads out of everything that a client may name, is git's own, or is not to be
    /// resolved.
    pub(crate) fn resolve(&self, field: &str, text: &str) -> Result<Place, Answer> {
        self.find(field, text).map(|(place, _)| place)
    }

    /// As [`resolve`](Self::resolve), for what must be a file that is there. Returns where, and the file.
    ///
    /// # Errors
    /// As [`resolve`](Self::resolve); there is no file.
    pub(crate) fn file(&self, field: &str, text: &str) -> Result<(Place, PathBuf), Answer> {
        let (place, path) = self.find(field, text)?;
        let why = match path.symlink_metadata() {
            Ok(meta) if meta.is_file() => return Ok((place, path)),
            Ok(meta) if meta.is_dir() => {
                "is a folder; name one file (the command line discusses folders)".to_owned()
            }
            Ok(_) => "is no plain file; name a text file".to_owned(),
            Err(error) if is_absent(&error) => {
                "is not there; paths count from the folder in which the server was started"
                    .to_owned()
            }
            Err(error) => format!("cannot be read: {error}"),
        };
        Err(refused(field, text, why))
    }

    /// As [`resolve`](Self::resolve), for what is a folder, or will be one. Returns where, and the folder.
    ///
    /// # Errors
    /// As [`resolve`](Self::resolve); something else stands there.
    pub(crate) fn folder(&self, field: &str, text: &str) -> Result<(Place, PathBuf), Answer> {
        let (place, path) = self.find(field, text)?;
        match path.symlink_metadata() {
            Ok(meta) if !meta.is_dir() => Err(refused(field, text, "is no folder; name one")),
            Ok(_) => Ok((place, path)),
            Err(error) if is_absent(&error) => Ok((place, path)),
            Err(error) => Err(refused(field, text, format!("cannot be read: {error}"))),
        }
    }

    /// Finds the place of a path, and the real path.
    fn find(&self, field: &str, text: &str) -> Result<(Place, PathBuf), Answer> {
        if text.contains('\0') {
            return Err(refused(field, text, "holds a NUL, which no path can"));
        }
        // Without `.` and a slash at the end, which nothing here is about.
        let named: PathBuf = self.here.join(text).components().collect();
        let (near, rest, error) = nearest(&named);
        let path = rest.iter().fold(near.clone(), |path, part| path.join(part));
        let Some(place) = self.place_of(field, text, &near, &path)? else {
            return Err(self.outside(field, text));
        };
        if let Some(error) = error {
            let plain = (rest.iter()).all(|part| *part != "..");
            if !is_absent(&error) || !plain {
                return Err(refused(field, text, format!("cannot be found: {error}")));
            }
            let next = rest.first().map(|part| near.join(part));
            if next.is_some_and(|next| next.symlink_metadata().is_ok()) {
                return Err(refused(field, text, "is a link that leads nowhere"));
            }
        }
        let top = match &self.repository {
            Some(repository) if path.starts_with(repository) => repository,
            Some(_) | None => &place.around.dir,
        };
        let within = path.strip_prefix(top).unwrap_or(&path);
        if within.components().any(is_of_git) {
            return Err(refused(field, text, "belongs to git itself, which nobody is shown"));
        }
        Ok((place, path))
    }

    /// The place of a real path; `None`: it lies nowhere that a client may name. `near`: what of it is there.
    fn place_of(
        &self,
        field: &str,
        text: &str,
        near: &Path,
        path: &Path,
    ) -> Result<Option<Place>, Answer> {
        if let Some(repository) = &self.repository
            && near.starts_with(repository)
        {
            return Ok(Some(Place {
                around: self.around.clone(),
                narrowed: (path != repository).then(|| path.to_owned()),
            }));
        }
        let roots = self.live_roots().0;
        let mut within = roots.iter().filter(|root| near.starts_with(root));
        let Some(first) = within.next() else {
            return Ok(None);
        };
        // Of roots within each other, any that holds the repository will do.
        let repository = repository_of(near).filter(|repository| {
            std::iter::once(first).chain(within).any(|root| repository.starts_with(root))
        });
        let Some(repository) = repository else {
            return Err(refused(
                field,
                text,
                "lies in a folder of `mcp.roots`, but in no git repository inside of it",
            ));
        };
        Ok(Some(Place {
            around: self.at(repository.to_owned()),
            narrowed: (path != repository).then(|| path.to_owned()),
        }))
    }

    fn outside(&self, field: &str, text: &str) -> Answer {
        let why = match &self.repository {
            Some(repository) => format!(
                "is outside the repository ({}) and of `mcp.roots`{}",
                shown(repository),
                self.roots_said()
            ),
            None => format!(
                "is outside of `mcp.roots`{}, and the server was started outside any git repository ({})",
                self.roots_said(),
                shown(&self.here)
            ),
        };
        refused(field, text, why)
    }

    /// ` (/work/a; /work/gone does not exist)`.
    fn roots_said(&self) -> String {
        let (live, gone) = self.live_roots();
        let mut said: Vec<String> = live.iter().map(|root| shown(root)).collect();
        said.extend(gone.iter().map(|root| format!("{root} does not exist")));
        if said.is_empty() {
            return " (none are set)".to_owned();
        }
        format!(" ({})", said.join("; "))
    }

    /// The roots that are there, by their real paths, and those that are not, as they are configured.
    fn live_roots(&self) -> (Vec<PathBuf>, Vec<String>) {
        let (mut live, mut gone) = (Vec::new(), Vec::new());
        for root in &self.roots {
            let path = match root.strip_prefix('~') {
                Some(below) => (self.around.home()).join(below.trim_start_matches('/')),
                None => PathBuf::from(root),
            };
            // A relative one would count from wherever the server happens to be started.
            match real(&path).ok().filter(|_| path.is_absolute()) {
                Some(real) => live.push(real),
                None => gone.push(sanitize::line(root, SHOWN)),
            }
        }
        (live, gone)
    }

    fn state_dir(&self) -> PathBuf {
        self.around.state_dir().join("mcp")
    }

    fn at(&self, dir: PathBuf) -> Surroundings {
        Surroundings { dir, ..self.around.clone() }
    }
}

/// The real path of the longest beginning of a path that has one, what is left of it, and why the whole has none.
fn nearest(path: &Path) -> (PathBuf, Vec<&OsStr>, Option<io::Error>) {
    let mut why = None;
    let mut rest = Vec::new();
    let mut parts = path.components();
    loop {
        match real(parts.as_path()) {
            Ok(real) => {
                rest.reverse();
                return (real, rest, why);
            }
            Err(error) => why = why.or(Some(error)),
        }
        match parts.next_back() {
            Some(part) => rest.push(part.as_os_str()),
            // Not even `/` can be resolved: nothing lies within anything.
            None => return (PathBuf::new(), rest, why),
        }
    }
}

/// Absolute, without links and `..`.
fn real(path: &Path) -> io::Result<PathBuf> {
    path.canonicalize()
}

/// Whether nothing is there. What is there and cannot be looked at is another matter.
fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Whether a part of a path is git's own folder, however the file system spells it.
fn is_of_git(part: Component<'_>) -> bool {
    part.as_os_str().eq_ignore_ascii_case(".git")
}

fn refused(field: &str, text: &str, why: impl Display) -> Answer {
    let text = sanitize::line(text, SHOWN);
    Answer::field(field, format!("`{text}` {why}"))
}

fn shown(path: &Path) -> String {
    sanitize::line(&path.to_string_lossy(), SHOWN)
}

#[cfg(test)]
mod tests;
