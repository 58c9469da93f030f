//! The files and folders that a client may name, and the directory in which its request is run.
//!
//! # Theory of operation
//!
//! A client names a path; what counts is where that path really leads. So a path is resolved first (links and `..`
//! followed, by the operating system), and then compared component by component with the real paths of the repository
//! in which the server was started and of the roots of the user's own configuration (`mcp.roots`). The use case
//! receives the resolved path, absolute and without links, so that nothing is resolved twice with two results.
//!
//! A file that the change deletes does not exist: its nearest existing folder is resolved, and the rest must be plain
//! names. Git then decides whether the change contains it.
//!
//! ```text
//!   named path -> real path -> in the start repository?  workspace at the start directory, narrowed to the path
//!                           -> in a root?                workspace at the path's repository, also in the root
//!                           -> else                      refused, in the same words whether it exists or not
//! ```
//!
//! The check is not the read: in between, anyone who can write to the repository may replace a part of the path by a
//! link. So a file is opened part by part from its real path, no part of which may be a link by then (`app::shown`,
//! [`crate::files`]), and git never follows links out of the working tree.

use std::ffi::OsStr;
use std::fmt::Display;
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use super::answer::Answer;
use crate::app::workspace::StartContext;
use crate::config::load::repository_of;
use crate::files::{is_absent, is_of_git, withheld};
use crate::text::sanitize;

/// Maximum number of characters of a path that a refusal repeats.
const SHOWN: usize = 200;

#[derive(Debug, Clone)]
pub(crate) struct AllowedPlaces {
    around: StartContext,
    /// The real start directory; as given if it cannot be resolved.
    here: PathBuf,
    /// The real root of its repository.
    repository: Option<PathBuf>,
    roots: Vec<String>,
}

#[derive(Debug, Clone)]
pub(crate) struct WorkLocation {
    /// The context in which the workspace is opened.
    pub(crate) around: StartContext,
    /// The part of it that is meant, absolute and real; `None`: all of it.
    pub(crate) narrowed: Option<PathBuf>,
}

impl WorkLocation {
    fn whole(around: StartContext) -> Self {
        Self { around, narrowed: None }
    }
}

impl AllowedPlaces {
    /// `roots`: as in the user's own configuration, absolute or relative to the home. One that does not exist (any
    /// more, or yet) allows nothing.
    pub(crate) fn new(around: &StartContext, roots: &[String]) -> Self {
        let here = real(&around.dir).unwrap_or_else(|_| around.dir.clone());
        Self {
            around: around.clone(),
            repository: repository_of(&here).map(Path::to_owned),
            here,
            roots: roots.to_vec(),
        }
    }

    /// The start directory, for work that needs a repository.
    ///
    /// # Errors
    /// The server was started outside any repository.
    pub(crate) fn start(&self) -> Result<WorkLocation, Answer> {
        if self.repository.is_some() {
            return Ok(WorkLocation::whole(self.around.clone()));
        }
        Err(Answer::Refused(format!(
            "the server was started in {}, outside any git repository: give `path` in a folder of `mcp.roots`{}, or start the server in the repository",
            shown(&self.here),
            self.roots_said()
        )))
    }

    /// The start directory, for work that needs no repository. Outside of any, sessions are kept in a folder of the
    /// user's state, which is created if it is missing.
    ///
    /// # Errors
    /// That folder cannot be created.
    pub(crate) fn anywhere(&self) -> Result<WorkLocation, Answer> {
        if self.repository.is_some() {
            return Ok(WorkLocation::whole(self.around.clone()));
        }
        let dir = self.state_dir();
        let made = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&dir);
        made.map_err(|error| {
            Answer::Refused(format!(
                "the server was started outside any git repository, and the folder for its sessions, {}, cannot be created: {error}",
                shown(&dir)
            ))
        })?;
        Ok(WorkLocation::whole(self.at(dir)))
    }

    /// All places whose sessions can be found without a path: the start repository or the user's state, then every
    /// other root that is itself a repository.
    pub(crate) fn known(&self) -> Vec<StartContext> {
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

    /// Resolves a path. A path that does not exist is accepted if its folder may be named: git knows deleted files.
    ///
    /// # Errors
    /// The refusal that names `field`: the path leads out of everything that a client may name, belongs to git
    /// itself, or cannot be resolved.
    pub(crate) fn resolve(&self, field: &str, text: &str) -> Result<WorkLocation, Answer> {
        self.find(field, text).map(|(place, _)| place)
    }

    /// As [`resolve`](Self::resolve), for a path that must be an existing file. Returns its location, and the file.
    ///
    /// # Errors
    /// Those of [`resolve`](Self::resolve); there is no file.
    pub(crate) fn file(&self, field: &str, text: &str) -> Result<(WorkLocation, PathBuf), Answer> {
        let (place, path) = self.find(field, text)?;
        let why = match path.symlink_metadata() {
            Ok(meta) if meta.is_file() => {
                let root = repository_of(&path).unwrap_or(&place.around.dir);
                let Some(way) = withheld(root, &[], &path) else {
                    return Ok((place, path));
                };
                format!(
                    "leads {way}, which is shown to nobody; copy what matters into another file, or have the user name it on the command line"
                )
            }
            Ok(meta) if meta.is_dir() => {
                "is a folder; name one file (the command line discusses folders)".to_owned()
            }
            Ok(_) => "is not a regular file; name a text file".to_owned(),
            Err(error) if is_absent(&error) => {
                "is not there; paths are relative to the folder in which the server was started"
                    .to_owned()
            }
            Err(error) => format!("cannot be read: {error}"),
        };
        Err(refused(field, text, why))
    }

    /// As [`resolve`](Self::resolve), for a path that is a folder, or will be one. Returns its location, and the
    /// folder.
    ///
    /// # Errors
    /// Those of [`resolve`](Self::resolve); the path is something else.
    pub(crate) fn folder(
        &self,
        field: &str,
        text: &str,
    ) -> Result<(WorkLocation, PathBuf), Answer> {
        let (place, path) = self.find(field, text)?;
        match path.symlink_metadata() {
            Ok(meta) if !meta.is_dir() => Err(refused(field, text, "is not a folder; name one")),
            Ok(_) => Ok((place, path)),
            Err(error) if is_absent(&error) => Ok((place, path)),
            Err(error) => Err(refused(field, text, format!("cannot be read: {error}"))),
        }
    }

    fn find(&self, field: &str, text: &str) -> Result<(WorkLocation, PathBuf), Answer> {
        if text.contains('\0') {
            return Err(refused(field, text, "contains a NUL byte, which no path can"));
        }
        // Normalized: without `.` and a trailing slash, which make no difference.
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
                return Err(refused(field, text, "is a broken link"));
            }
        }
        let top = match &self.repository {
            Some(repository) if path.starts_with(repository) => repository,
            Some(_) | None => &place.around.dir,
        };
        let within = path.strip_prefix(top).unwrap_or(&path);
        if within.components().any(is_of_git) {
            return Err(refused(field, text, "belongs to git itself, and is shown to nobody"));
        }
        Ok((place, path))
    }

    /// The location of a real path; `None`: a client may not name it. `near`: the existing part of the path.
    fn place_of(
        &self,
        field: &str,
        text: &str,
        near: &Path,
        path: &Path,
    ) -> Result<Option<WorkLocation>, Answer> {
        if let Some(repository) = &self.repository
            && near.starts_with(repository)
        {
            return Ok(Some(WorkLocation {
                around: self.around.clone(),
                narrowed: (path != repository).then(|| path.to_owned()),
            }));
        }
        let roots = self.live_roots().0;
        let mut within = roots.iter().filter(|root| near.starts_with(root));
        let Some(first) = within.next() else {
            return Ok(None);
        };
        // Of nested roots, any that contains the repository will do.
        let repository = repository_of(near).filter(|repository| {
            std::iter::once(first).chain(within).any(|root| repository.starts_with(root))
        });
        let Some(repository) = repository else {
            return Err(refused(
                field,
                text,
                "is in a folder of `mcp.roots`, but not in a git repository inside it",
            ));
        };
        Ok(Some(WorkLocation {
            around: self.at(repository.to_owned()),
            narrowed: (path != repository).then(|| path.to_owned()),
        }))
    }

    fn outside(&self, field: &str, text: &str) -> Answer {
        let why = match &self.repository {
            Some(repository) => format!(
                "is outside the repository ({}) and `mcp.roots`{}",
                shown(repository),
                self.roots_said()
            ),
            None => format!(
                "is outside `mcp.roots`{}, and the server was started outside any git repository ({})",
                self.roots_said(),
                shown(&self.here)
            ),
        };
        refused(field, text, why)
    }

    /// For example ` (/work/a; /work/gone does not exist)`.
    fn roots_said(&self) -> String {
        let (live, gone) = self.live_roots();
        let mut said: Vec<String> = live.iter().map(|root| shown(root)).collect();
        said.extend(gone.iter().map(|root| format!("{root} does not exist")));
        if said.is_empty() {
            return " (none are set)".to_owned();
        }
        format!(" ({})", said.join("; "))
    }

    /// The existing roots, by their real paths, and the missing ones, as configured.
    fn live_roots(&self) -> (Vec<PathBuf>, Vec<String>) {
        let (mut live, mut gone) = (Vec::new(), Vec::new());
        for root in &self.roots {
            let path = match root.strip_prefix('~') {
                Some(below) => (self.around.home()).join(below.trim_start_matches('/')),
                None => PathBuf::from(root),
            };
            // A relative one would depend on the directory in which the server happens to be started.
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

    fn at(&self, dir: PathBuf) -> StartContext {
        StartContext { dir, ..self.around.clone() }
    }
}

/// The real path of the longest existing prefix of a path, the remaining parts, and the first error if any remain.
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

/// The path, absolute and without links and `..`.
fn real(path: &Path) -> io::Result<PathBuf> {
    path.canonicalize()
}

fn refused(field: &str, text: &str, why: impl Display) -> Answer {
    let text = sanitize::line(text, SHOWN);
    Answer::field(field, format!("`{text}` {why}"))
}

fn shown(path: &Path) -> String {
    sanitize::line(&path.to_string_lossy(), SHOWN)
}

#[cfg(test)]
mod tests {
    //! Tests of paths that a client may name, and of all others.

    use std::collections::BTreeMap;
    use std::fs;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    /// A folder for everything: `work` is a repository, `other` a root with a repository in it, `out` is neither.
    struct Ground {
        dir: tempfile::TempDir,
    }

    impl Ground {
        fn new() -> Self {
            let ground = Self { dir: tempfile::tempdir().unwrap() };
            for folder in [
                "work/.git",
                "work/src/deep",
                "work/sub/.git",
                "other/repo/.git",
                "other/repo/docs",
                "other/plain",
                "otherwise/.git",
                "out",
                "workshop",
                "home/mine/.git",
            ] {
                fs::create_dir_all(ground.at(folder)).unwrap();
            }
            for file in [
                "work/a.rs",
                "work/.git/config",
                "work/src/b.rs",
                "other/repo/docs/x.md",
                "out/secret.txt",
                "otherwise/y",
            ] {
                fs::write(ground.at(file), "text").unwrap();
            }
            ground
        }

        /// A path below the folder's real path.
        fn at(&self, path: &str) -> PathBuf {
            self.dir.path().canonicalize().unwrap().join(path)
        }

        fn around(&self, dir: &str) -> StartContext {
            let vars = [("HOME", "home"), ("XDG_STATE_HOME", "state")];
            StartContext::of(
                self.at(dir),
                vars.map(|(name, path)| (name.to_owned(), self.at(path).display().to_string()))
                    .into(),
                crate::env::Env::system(),
            )
        }

        fn places(&self, dir: &str, roots: &[&str]) -> AllowedPlaces {
            let root = |root: &&str| {
                if root.starts_with('~') {
                    (*root).to_owned()
                } else {
                    self.at(root).display().to_string()
                }
            };
            let roots: Vec<String> = roots.iter().map(root).collect();
            AllowedPlaces::new(&self.around(dir), &roots)
        }

        /// The directory of the workspace and the narrowed path, relative to the ground; else the refusal.
        fn find(
            &self,
            places: &AllowedPlaces,
            text: &str,
        ) -> Result<(String, Option<String>), String> {
            let below = |path: &Path| {
                let path = path.strip_prefix(self.at("")).unwrap_or(path);
                path.display().to_string()
            };
            match places.resolve("path", text) {
                Ok(place) => {
                    Ok((below(&place.around.dir), place.narrowed.map(|path| below(&path))))
                }
                Err(Answer::Refused(why)) => Err(why),
                Err(Answer::Result(_)) => panic!("a refusal that is a result"),
            }
        }
    }

    #[expect(clippy::unnecessary_wraps, reason = "it is compared with results")]
    fn narrowed(dir: &str, path: &str) -> Result<(String, Option<String>), String> {
        Ok((dir.to_owned(), Some(path.to_owned())))
    }

    #[test]
    fn a_path_within_the_repository_narrows_it_and_its_top_is_all_of_it() {
        let ground = Ground::new();
        let places = ground.places("work/src", &[]);
        for (text, path) in [
            ("b.rs", "work/src/b.rs"),
            ("./b.rs", "work/src/b.rs"),
            ("deep/", "work/src/deep"),
            ("deep/../b.rs", "work/src/b.rs"),
            ("../a.rs", "work/a.rs"),
            ("..//./a.rs", "work/a.rs"),
            (".", "work/src"),
            // Deleted files: only git knows whether they were there.
            ("gone.rs", "work/src/gone.rs"),
            ("gone/and/more.rs", "work/src/gone/and/more.rs"),
            ("b.rs/was/a/folder", "work/src/b.rs/was/a/folder"),
            ("-x", "work/src/-x"),
            ("*", "work/src/*"),
            // A nested repository is a folder of this one.
            ("../sub", "work/sub"),
        ] {
            assert_eq!(ground.find(&places, text), narrowed("work/src", path), "{text}");
        }
        let absolute = ground.at("work/a.rs").display().to_string();
        assert_eq!(ground.find(&places, &absolute), narrowed("work/src", "work/a.rs"));
        assert_eq!(ground.find(&places, ".."), Ok(("work/src".to_owned(), None)));
    }

    #[test]
    fn what_leads_out_is_refused_in_the_same_words_whether_it_is_there_or_not() {
        let ground = Ground::new();
        symlink(ground.at("out"), ground.at("work/link")).unwrap();
        symlink("/etc/passwd", ground.at("work/passwd")).unwrap();
        symlink("../../out/secret.txt", ground.at("work/src/near")).unwrap();
        symlink(ground.at("work"), ground.at("out/back")).unwrap();
        let places = ground.places("work", &[]);
        let outside = format!(
            "is outside the repository ({}) and `mcp.roots` (none are set)",
            ground.at("work").display()
        );
        let out = ground.at("out").display().to_string();
        let prefix = ground.at("workshop").display().to_string();
        for text in [
            "/",
            "/etc",
            "/etc/passwd",
            "/etc/there-is-none",
            "/nowhere/at/all",
            "..",
            "../out",
            "../out/secret.txt",
            "../out/none.txt",
            "../otherwise",
            "../../../../../../../../../../../etc/passwd",
            "src/../../out",
            "link",
            "link/secret.txt",
            "link/none.txt",
            "link/../out",
            "passwd",
            "src/near",
            "sub/../../out",
            &out,
            &prefix,
            "../work/../out",
        ] {
            assert_eq!(
                ground.find(&places, text),
                Err(format!("`path`: `{text}` {outside}")),
                "{text}"
            );
        }
        // A path through a link that leads back in counts as its real path.
        let back = ground.at("out/back/a.rs").display().to_string();
        assert_eq!(ground.find(&places, &back), narrowed("work", "work/a.rs"));
    }

    #[test]
    fn what_cannot_be_resolved_is_refused() {
        let ground = Ground::new();
        symlink("nothing-here", ground.at("work/dangling")).unwrap();
        symlink("/nowhere/at/all", ground.at("work/dangling-out")).unwrap();
        symlink("loop", ground.at("work/loop")).unwrap();
        let places = ground.places("work", &[]);
        let long = "x".repeat(300);
        for (text, why) in [
            ("dangling", "is a broken link"),
            ("dangling-out", "is a broken link"),
            ("dangling/x", "is a broken link"),
            ("loop", "cannot be found: "),
            ("loop/x", "cannot be found: "),
            ("gone/../a.rs", "cannot be found: "),
            ("a.rs/../../out", "cannot be found: "),
            ("a.rs/..", "cannot be found: "),
            ("a\0b", "contains a NUL byte, which no path can"),
            (&long, "cannot be found: "),
            (".git", "belongs to git itself"),
            (".git/config", "belongs to git itself"),
            (".GIT/none", "belongs to git itself"),
            ("sub/.git", "belongs to git itself"),
            ("src/../.git/hooks/pre-commit", "belongs to git itself"),
        ] {
            let said = ground.find(&places, text).unwrap_err();
            assert!(said.starts_with("`path`: `"), "{said}");
            assert!(said.contains(why), "{text:?}: {said}");
        }
    }

    #[test]
    fn a_refusal_repeats_a_path_inert_and_short() {
        let ground = Ground::new();
        let places = ground.places("work", &[]);
        let said =
            ground.find(&places, &format!("/\u{1b}[31m\n{}", "y/".repeat(2_000))).unwrap_err();
        assert!(!said.contains(['\u{1b}', '\n']), "{said}");
        assert!(said.len() < 700, "{}", said.len());
    }

    #[test]
    fn a_root_opens_the_repository_that_lies_in_it() {
        let ground = Ground::new();
        let places = ground.places("work", &["other", "gone", "~/mine"]);
        assert_eq!(
            ground.find(&places, "../other/repo/docs/x.md"),
            narrowed("other/repo", "other/repo/docs/x.md")
        );
        assert_eq!(
            ground.find(&places, "../other/repo/docs/deleted.md"),
            narrowed("other/repo", "other/repo/docs/deleted.md")
        );
        assert_eq!(ground.find(&places, "../other/repo"), Ok(("other/repo".to_owned(), None)));
        assert_eq!(ground.find(&places, "../home/mine/x"), narrowed("home/mine", "home/mine/x"));
        assert_eq!(
        ground.find(&places, "../other/plain"),
        Err("`path`: `../other/plain` is in a folder of `mcp.roots`, but not in a git repository inside it".to_owned())
    );
        assert_eq!(
            ground.find(&places, "../other/repo/.git/config"),
            Err(
                "`path`: `../other/repo/.git/config` belongs to git itself, and is shown to nobody"
                    .to_owned()
            )
        );
        // The comparison is by component, not by letter; and a missing root is named.
        let said = ground.find(&places, "../otherwise/y").unwrap_err();
        assert_eq!(
            said,
            format!(
                "`path`: `../otherwise/y` is outside the repository ({}) and `mcp.roots` ({}; {}; {} does not exist)",
                ground.at("work").display(),
                ground.at("other").display(),
                ground.at("home/mine").display(),
                ground.at("gone").display(),
            )
        );
    }

    #[test]
    fn a_repository_that_holds_the_root_is_not_opened_for_it() {
        let ground = Ground::new();
        let places = ground.places("out", &["work/src"]);
        let said = ground.find(&places, "../work/src/b.rs").unwrap_err();
        assert!(said.ends_with("not in a git repository inside it"), "{said}");
        // A second root that contains the repository makes it valid.
        let places = ground.places("out", &["work/src", "work"]);
        assert_eq!(ground.find(&places, "../work/src/b.rs"), narrowed("work", "work/src/b.rs"));
    }

    #[test]
    fn a_relative_root_allows_nothing() {
        let ground = Ground::new();
        let around = ground.around("work");
        // The relative path leads there from wherever this test runs.
        let other = ground.at("other");
        let relative = format!("{}{}", "../".repeat(64), other.display());
        assert_eq!(real(Path::new(&relative)).unwrap(), real(&other).unwrap());
        let places = AllowedPlaces::new(&around, &[relative, String::new()]);
        assert!(ground.find(&places, "../other/repo").is_err());
    }

    #[test]
    fn outside_any_repository_only_roots_and_the_state_folder_are_left() {
        let ground = Ground::new();
        let places = ground.places("out", &["other"]);
        let said = places.start().unwrap_err();
        assert_eq!(
            said,
            Answer::Refused(format!(
                "the server was started in {}, outside any git repository: give `path` in a folder of `mcp.roots` ({}), or start the server in the repository",
                ground.at("out").display(),
                ground.at("other").display(),
            ))
        );
        let said = ground.find(&places, "secret.txt").unwrap_err();
        assert_eq!(
            said,
            format!(
                "`path`: `secret.txt` is outside `mcp.roots` ({}), and the server was started outside any git repository ({})",
                ground.at("other").display(),
                ground.at("out").display(),
            )
        );
        assert!(ground.find(&places, "../other/repo/docs").is_ok());
        assert_eq!(places.known().len(), 0);
        let place = places.anywhere().unwrap();
        assert_eq!(place.around.dir, ground.at("state/debate-agent/mcp"));
        let mode = fs::metadata(&place.around.dir).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
        // Once created, the folder stays usable, and its sessions are known.
        assert!(places.anywhere().is_ok());
        assert_eq!(places.known().len(), 1);
    }

    #[test]
    fn inside_a_repository_all_start_there() {
        let ground = Ground::new();
        let places = ground.places("work/src", &["other", "otherwise", "work"]);
        for place in [places.start().unwrap(), places.anywhere().unwrap()] {
            assert_eq!(place.around.dir, ground.at("work/src"));
            assert_eq!(place.narrowed, None);
        }
        assert!(!ground.at("state").exists());
        let known: Vec<PathBuf> = (places.known().into_iter()).map(|at| at.dir).collect();
        assert_eq!(known, [ground.at("work/src"), ground.at("otherwise")]);
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "tests make their own pipes")]
    fn a_file_must_be_one() {
        let ground = Ground::new();
        let made = std::process::Command::new("mkfifo").arg(ground.at("work/pipe")).status();
        assert!(made.unwrap().success());
        let places = ground.places("work", &[]);
        let (place, file) = places.file("artifact", "src/b.rs").unwrap();
        assert_eq!(file, ground.at("work/src/b.rs"));
        assert_eq!(place.around.dir, ground.at("work"));
        for (text, why) in [
            ("src", "is a folder; name one file (the command line discusses folders)"),
            ("pipe", "is not a regular file; name a text file"),
            (
                "none.md",
                "is not there; paths are relative to the folder in which the server was started",
            ),
        ] {
            let Err(Answer::Refused(said)) = places.file("artifact", text) else {
                panic!("{text} was taken");
            };
            assert_eq!(said, format!("`artifact`: `{text}` {why}"));
        }
    }

    #[test]
    fn vars_are_those_of_the_start() {
        let ground = Ground::new();
        let places = ground.places("work", &["other"]);
        let place = places.resolve("path", "../other/repo").unwrap();
        let expected: BTreeMap<String, String> = ground.around("work").vars;
        assert_eq!(place.around.vars, expected);
    }
}
