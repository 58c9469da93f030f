//! Resolves the artifacts to read: files stay files, a folder becomes the text files in it.
//!
//! A folder is walked as discovery walks a project: hidden and ignored files are skipped, links are not followed.
//! Other files that cannot be read go into a list with the reason, since a folder may contain pictures; a file that
//! was *named* and cannot be read is an error, reported by [`super::artifact::read`].

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::{Path, PathBuf};

use super::artifact::STDIN;
use crate::app::run::workspace::Workspace;
use crate::app::show::{self, Gate, ShowError};
use crate::error::{Error, Kind};
use crate::files::{ParentRules, Walk};
use crate::protocol::discuss::input::ARTIFACT_BYTES;
use crate::text::sanitize;

/// Maximum artifacts of one run: each costs a call for every perspective.
pub(crate) const MOST: usize = 50;

/// Maximum entries of a folder; a home directory given by mistake must not hold the run up.
const MAX_ENTRIES: usize = 5_000;

/// Maximum entries in the list of what was left out; the rest are counted in one entry.
const MAX_LEFT_OUT: usize = 200;

/// Bytes of a file that decide whether it is text, once there are too many artifacts anyway.
const HEAD: u64 = 8 << 10;

/// The files to read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct FolderInput {
    /// The artifacts in the order given; those of a folder sorted by path.
    pub(crate) files: Vec<PathBuf>,
    /// Files that were found but are not read.
    pub(crate) left_out: Vec<SkippedFile>,
    /// Whether a folder was given, even one with a single file.
    pub(crate) of_folder: bool,
}

/// A file that is not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SkippedFile {
    /// Its path for display.
    pub(crate) path: String,
    /// The reason: `binary`, `empty`, `too_large`, `secret`, `own`, `unreadable`, `not_a_file`, `named_twice`,
    /// `more`.
    pub(crate) code: &'static str,
    /// The reason as a sentence.
    pub(crate) why: String,
}

/// Resolves the given paths to files. `-` is standard input.
///
/// # Errors
/// [`Kind::Input`], named `artifact_folder_unreadable` or, if a folder contains nothing to read,
/// `artifact_folder_empty`; also `artifact_outside` for a link that leads out of the project. [`Kind::Usage`], named
/// `too_many_artifacts`.
pub(crate) fn expand(workspace: &Workspace, given: &[PathBuf]) -> Result<FolderInput, Error> {
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
        match show::follow(workspace.root(), &workspace.around.dir.join(path)) {
            Ok(real) if real.is_dir() => found.folder(path, &real)?,
            Ok(real) => found.add(path.clone(), real),
            Err(ShowError::LeadsOut { link, to }) => {
                let (what, hint) = ShowError::leads_out(&link, &to);
                return Err(Error::new(Kind::Input, what).named("artifact_outside").hint(hint));
            }
            // Reading it reports that it is missing.
            Err(_) => found.add(path.clone(), path.clone()),
        }
    }
    if found.count > MOST {
        let what =
            format!("{} artifacts are named, at most {MOST} are possible at once", found.count);
        return Err(Error::new(Kind::Usage, what)
            .named("too_many_artifacts")
            .hint("name the files or the subfolder that matter: `discuss docs/*.md` leaves subfolders out"));
    }
    Ok(found.finish())
}

/// Returns this program's own folders: its output is not an artifact of the project.
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

/// The files found so far.
struct Found {
    gate: Gate,
    own: Vec<PathBuf>,
    /// The real paths of the files to read.
    seen: BTreeSet<PathBuf>,
    files: Vec<PathBuf>,
    /// The number of artifacts; those beyond the limit are counted but not kept.
    count: usize,
    /// The number of readable files found, including repeated ones.
    met: usize,
    left_out: Vec<SkippedFile>,
    of_folder: bool,
    more: usize,
}

impl Found {
    /// Adds a file unless it was added before.
    fn add(&mut self, path: PathBuf, real: PathBuf) {
        self.met += 1;
        if !self.seen.insert(real) {
            let why = "it is named twice but read only once".to_owned();
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
        let path = if path == Path::new("-") { STDIN.to_owned() } else { show::label(path) };
        self.left_out.push(SkippedFile { path, code, why });
    }

    /// Adds the text files of a folder. `given` is the path as typed, `real` the real one.
    fn folder(&mut self, given: &Path, real: &Path) -> Result<(), Error> {
        self.of_folder = true;
        let name = show::label(given);
        // The walker would report an unreadable folder as just one entry.
        std::fs::read_dir(real).map(drop).map_err(|error| {
            let what = format!("failed to read the folder {name}: {error}");
            Error::new(Kind::Input, what)
                .named("artifact_folder_unreadable")
                .hint("make it readable for your user, or name the files")
        })?;
        let (met_before, left_before) = (self.met, self.left_out.len());
        let mut entries = Vec::new();
        let mut walk = walk(real, &self.own);
        for (entry, count) in walk.by_ref().zip(0..) {
            if count == MAX_ENTRIES {
                let what =
                    format!("the folder {name} contains {MAX_ENTRIES} or more files and folders");
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

    /// Checks whether a file of a folder can be criticised; otherwise returns the code and the reason.
    fn judge(&self, file: &Path, folder: &Path) -> Result<(), (&'static str, String)> {
        if is_record(file) {
            return Err(("own", "it is the record of an earlier critique".to_owned()));
        }
        let is_link = file.symlink_metadata().is_ok_and(|meta| meta.is_symlink());
        if is_link {
            return Err(("not_a_file", "it is a link, which is not followed".to_owned()));
        }
        let mut opened = self.gate.open(file, Some(folder)).map_err(|refused| match refused {
            ShowError::Missing(error) | ShowError::Unreadable(error) => {
                ("unreadable", format!("it cannot be read: {error}"))
            }
            ShowError::NotPlain(what) => ("not_a_file", format!("it is {what}")),
            ShowError::Secret(why) => ("secret", why),
            ShowError::Outside | ShowError::LeadsOut { .. } => {
                ("unreadable", "it leads out of the folder".to_owned())
            }
        })?;
        let most = u64::try_from(ARTIFACT_BYTES).unwrap_or(u64::MAX);
        let too_large = |bytes: u64| {
            let why = format!("it has {bytes} bytes, over the limit of {most}");
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
        let text = show::text(bytes, !whole).map_err(|why| ("binary", why.to_string()))?;
        if show::is_empty(&text) {
            return Err(("empty", "it is empty".to_owned()));
        }
        match Gate::secret_text(&text) {
            Some(why) => Err(("secret", why)),
            None => Ok(()),
        }
    }

    /// Returns the error for a folder without anything to read: its files counted by reason.
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
        let what = format!("the folder {name} contains nothing to read: {}", counts.join(", "));
        Error::new(Kind::Input, what)
            .named("artifact_folder_empty")
            .hint("name the files themselves, or another folder")
    }

    fn finish(mut self) -> FolderInput {
        if self.more > 0 {
            self.left_out.push(SkippedFile {
                path: format!("{} more", self.more),
                code: "more",
                why: "they are left out too".to_owned(),
            });
        }
        FolderInput { files: self.files, left_out: self.left_out, of_folder: self.of_folder }
    }
}

/// Walks as discovery does: in a repository by git's rules, including those of the folders above; elsewhere by each
/// `.gitignore` from this folder down.
fn walk(root: &Path, own: &[PathBuf]) -> Walk {
    let own = own.to_vec();
    crate::files::walk(root, true, ParentRules::Repository, move |entry| {
        !own.iter().any(|dir| entry.path() == dir)
    })
}

#[cfg(test)]
mod tests {
    //! Folders in a scratch project: what is read, what is left out, and why.

    use std::fs::{self, File};
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::app::run::workspace::StartContext;
    use crate::config::tests::World;

    fn expanded(world: &World, given: &[&str]) -> Result<FolderInput, Error> {
        let around =
            StartContext::of(world.path("repo"), world.vars.clone(), crate::env::Env::system());
        let workspace = Workspace::open(around, Vec::new()).unwrap();
        let given: Vec<PathBuf> = given.iter().map(PathBuf::from).collect();
        expand(&workspace, &given)
    }

    fn files(expanded: &FolderInput) -> Vec<String> {
        (expanded.files.iter()).map(|path| path.display().to_string()).collect()
    }

    fn left_out(expanded: &FolderInput) -> Vec<(&str, &str)> {
        (expanded.left_out.iter()).map(|left| (&*left.path, left.code)).collect()
    }

    fn refused(world: &World, given: &[&str]) -> (i32, &'static str, String) {
        let error = expanded(world, given).unwrap_err();
        assert_eq!(error.hints.len(), 1, "{error}");
        (i32::from(error.status().code()), error.code, error.what)
    }

    #[test]
    fn a_folder_becomes_its_texts_sorted_by_path() {
        let world = World::new();
        for file in ["b.md", "a/z.md", "a.md", "a/b/c.txt", "main.rs", "LICENSE"] {
            world.write(&format!("repo/docs/{file}"), "text");
        }
        let found = expanded(&world, &["docs"]).unwrap();
        // Folder by folder, as paths compare: `a/` before `a.md`.
        assert_eq!(
            files(&found),
            [
                "docs/LICENSE",
                "docs/a/b/c.txt",
                "docs/a/z.md",
                "docs/a.md",
                "docs/b.md",
                "docs/main.rs"
            ]
        );
        assert_eq!(found.left_out, []);
        // However it is named.
        for (given, first) in [("docs/", "docs/LICENSE"), ("./docs", "./docs/LICENSE")] {
            assert_eq!(files(&expanded(&world, &[given]).unwrap())[0], first);
        }
        symlink("docs", world.path("repo/alias")).unwrap();
        assert_eq!(files(&expanded(&world, &["alias"]).unwrap())[0], "alias/LICENSE");
        let whole = expanded(&world, &["."]).unwrap();
        assert_eq!((&*files(&whole)[0], whole.files.len()), ("docs/LICENSE", 6));
    }

    #[test]
    fn hidden_and_ignored_files_and_what_this_program_wrote_are_no_artifacts() {
        let world = World::new();
        world.project(r#"{"paths": {"debate": "state/debate"}}"#);
        for file in [
            ".hidden.md",
            ".debate/discuss/discussions/A-discussion.md",
            "state/debate/x/report.md",
            "build/out.md",
            "docs/draft.md",
            "docs/discussions/A-discussion.md",
            "docs/discussions/A-discussion.json",
            "docs/discussions/notes.md",
            "docs/a-discussion.md",
        ] {
            world.write(&format!("repo/{file}"), "text");
        }
        world.write("repo/.gitignore", "build/\n");
        world.write("repo/docs/.gitignore", "draft*\n");
        let found = expanded(&world, &["."]).unwrap();
        assert_eq!(
            files(&found),
            ["debate-agent.config.json", "docs/a-discussion.md", "docs/discussions/notes.md"]
        );
        assert_eq!(
            left_out(&found),
            [
                ("docs/discussions/A-discussion.json", "own"),
                ("docs/discussions/A-discussion.md", "own"),
            ]
        );
        // Named explicitly, any of them is read.
        for named in [".hidden.md", "docs/draft.md", "docs/discussions/A-discussion.md"] {
            assert_eq!(files(&expanded(&world, &[named]).unwrap()), [named]);
        }
    }

    #[test]
    fn what_cannot_be_read_in_a_folder_is_left_out_with_its_reason() {
        let world = World::new();
        world.write("repo/docs/good.md", "text");
        world.write("repo/docs/empty.md", " \n");
        world.write("repo/docs/server.pem", "x");
        fs::write(world.path("repo/docs/logo.png"), b"\x89PNG\0").unwrap();
        fs::write(world.path("repo/docs/latin.md"), b"caf\xe9").unwrap();
        let huge = File::create(world.path("repo/docs/huge.md")).unwrap();
        huge.set_len(52_428_800).unwrap();
        let key = format!("-----BEGIN PRIVATE KEY-----\n{}\n", "MIIEpAIBAAKCAQEA".repeat(4));
        world.write("repo/docs/key.txt", &key);
        world.write("elsewhere/x.md", "x");
        symlink(world.path("elsewhere"), world.path("repo/docs/away")).unwrap();
        symlink("good.md", world.path("repo/docs/link.md")).unwrap();
        rustix::fs::mknodat(
            rustix::fs::CWD,
            world.path("repo/docs/pipe"),
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RUSR,
            0,
        )
        .unwrap();
        let found = expanded(&world, &["docs"]).unwrap();
        assert_eq!(files(&found), ["docs/good.md"]);
        assert_eq!(
            left_out(&found),
            [
                ("docs/away", "not_a_file"),
                ("docs/empty.md", "empty"),
                ("docs/huge.md", "too_large"),
                ("docs/key.txt", "secret"),
                ("docs/latin.md", "binary"),
                ("docs/link.md", "not_a_file"),
                ("docs/logo.png", "binary"),
                ("docs/pipe", "not_a_file"),
                ("docs/server.pem", "secret"),
            ]
        );
        assert_eq!(found.left_out[2].why, "it has 52428800 bytes, over the limit of 921600");
        // Named explicitly, each is passed on to be read, and is an error there.
        assert_eq!(files(&expanded(&world, &["docs/logo.png"]).unwrap()), ["docs/logo.png"]);
    }

    #[test]
    fn what_is_named_stays_in_the_order_given_and_is_read_once() {
        let world = World::new();
        world.write("repo/docs/a.md", "x");
        world.write("repo/docs/b.md", "x");
        symlink("docs/a.md", world.path("repo/link.md")).unwrap();
        let found = expanded(
            &world,
            &["none.md", "docs/b.md", "-", "docs", "docs/../docs/b.md", "link.md", "-", "none.md"],
        )
        .unwrap();
        assert_eq!(files(&found), ["none.md", "docs/b.md", "-", "docs/a.md"]);
        assert_eq!(
            left_out(&found),
            [
                ("docs/b.md", "named_twice"),
                ("docs/../docs/b.md", "named_twice"),
                ("link.md", "named_twice"),
                ("standard input", "named_twice"),
                ("none.md", "named_twice"),
            ]
        );
        let again = expanded(&world, &["docs", "docs"]).unwrap();
        assert_eq!((again.files.len(), again.left_out.len()), (2, 2));
    }

    #[test]
    fn a_folder_with_nothing_to_read_is_an_error_that_says_what_it_has() {
        let world = World::new();
        fs::create_dir_all(world.path("repo/empty/below")).unwrap();
        assert_eq!(
            refused(&world, &["empty"]),
            (
                2,
                "artifact_folder_empty",
                "the folder empty contains nothing to read: no files that are not hidden or ignored"
                    .to_owned()
            )
        );
        world.write("repo/docs/a.md", "");
        world.write("repo/docs/b.md", "");
        fs::write(world.path("repo/docs/c.png"), b"\0").unwrap();
        world.write("repo/good.md", "x");
        // Files left out of another folder are not counted for this one.
        world.write("repo/other/a.md", "");
        world.write("repo/other/b.md", "x");
        assert_eq!(
            refused(&world, &["good.md", "other", "docs"]),
            (
                2,
                "artifact_folder_empty",
                "the folder docs contains nothing to read: 1 binary, 2 empty".to_owned()
            )
        );
    }

    #[test]
    fn there_are_fifty_artifacts_at_most() {
        let world = World::new();
        for n in 0..50 {
            world.write(&format!("repo/docs/{n:02}.md"), "x");
        }
        assert_eq!(expanded(&world, &["docs"]).unwrap().files.len(), 50);
        // A picture is not an artifact, even after the fiftieth.
        world.write("repo/docs/98.md", "x");
        fs::write(world.path("repo/docs/99.png"), b"\0").unwrap();
        let (status, code, what) = refused(&world, &["docs", "docs/00.md", "-"]);
        assert_eq!((status, code), (2, "too_many_artifacts"));
        assert_eq!(what, "52 artifacts are named, at most 50 are possible at once");
    }

    #[test]
    fn a_folder_that_is_no_folder_of_documents_is_refused() {
        let world = World::new();
        fs::create_dir(world.path("repo/many")).unwrap();
        for n in 0..MAX_ENTRIES {
            fs::create_dir(world.path("repo/many").join(n.to_string())).unwrap();
        }
        let (status, code, what) = refused(&world, &["many"]);
        assert_eq!((status, code), (2, "too_many_artifacts"));
        assert_eq!(what, "the folder many contains 5000 or more files and folders");
    }

    #[test]
    fn the_list_of_what_is_left_out_is_bounded_and_says_so() {
        let world = World::new();
        world.write("repo/docs/good.md", "x");
        for n in 0..203 {
            world.write(&format!("repo/docs/{n:03}.md"), "");
        }
        let found = expanded(&world, &["docs"]).unwrap();
        assert_eq!(found.left_out.len(), 201);
        assert_eq!(left_out(&found)[200], ("3 more", "more"));
    }
}
