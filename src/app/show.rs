//! The gate for files that agents will be shown: which may be opened, and what counts as text.
//!
//! Every file that agents are shown, whole or in part, passes this gate. The user typed its name, but whoever filled
//! the project chose where its links lead: one that leads out of the project, to git's own files, to this program's, or
//! to what git ignores is refused. Other links are followed; the target counts as much as the name: either can mark a
//! file of secrets, which is refused. Where nobody typed the name, no link is followed at all. What is opened is the
//! real path, part by part and without links ([`crate::files`]), so that nothing can be put in its place meanwhile.
//! Only plain files are ever opened, so neither a pipe without a writer nor a device can block the program.

use std::fs::File;
use std::io;
use std::path::{Component, Path, PathBuf};

use rustix::fs::FileType;

use crate::app::run::workspace::Workspace;
use crate::change::Omission;
use crate::change::policy::{self, Policy};
use crate::error::{Error, Kind};
use crate::files::{Folder, is_link, withheld};
use crate::text::redact::Redactor;
use crate::text::{name, sanitize};

/// Why a file is not shown.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ShowError {
    #[error("{0}")]
    Missing(io::Error),
    #[error("{0}")]
    Unreadable(io::Error),
    /// It is not a regular file; contains what it is: `a folder`.
    #[error("it is {0}, not a plain file")]
    NotPlain(&'static str),
    /// It looks like a file of secrets; contains the reason.
    #[error("it would be shown to every agent: {0}")]
    Secret(String),
    /// It is not in the folder that it must be in, or only by a link.
    #[error("it is a link, or leads out of its folder")]
    Outside,
    /// A link in the project that must not be followed.
    #[error("{} is a symbolic link that leads {way}, to {}", label(link), label(to))]
    Leads {
        /// The link, relative to the project's root.
        link: PathBuf,
        way: &'static str,
        to: PathBuf,
    },
}

impl ShowError {
    /// Returns what to do about a refusal on purpose.
    pub(crate) fn hint(&self) -> Option<String> {
        match self {
            Self::Secret(_) => {
                Some("leave it out, or copy what matters into another file".to_owned())
            }
            Self::Leads { to, .. } => Some(format!(
                "if you want that very file to be read, name it by its own path: {}",
                label(to)
            )),
            Self::Missing(_) | Self::Unreadable(_) | Self::NotPlain(_) | Self::Outside => None,
        }
    }
}

/// Returns the real path of an absolute path, which is absolute and without links, and the first link of the project
/// on the way, relative to the project's root.
///
/// # Errors
/// [`ShowError::Leads`]: a link below `root` leads out of it. Also [`ShowError::Missing`] and
/// [`ShowError::Unreadable`].
fn follow(root: &Path, path: &Path) -> Result<(PathBuf, Option<PathBuf>), ShowError> {
    let mut real = PathBuf::new();
    let mut met = None;
    let mut parts = path.components();
    while let Some(part) = parts.next() {
        match part {
            Component::Prefix(_) | Component::RootDir => real.push(part),
            Component::CurDir => {}
            Component::ParentDir => {
                real.pop();
            }
            Component::Normal(name) => {
                let next = real.join(name);
                let target = next.canonicalize().map_err(unopened)?;
                if real.starts_with(root) && target != next {
                    let link = next.strip_prefix(root).unwrap_or(&next).to_owned();
                    if !target.starts_with(root) {
                        // Removes the trailing slash if nothing follows.
                        let to = target.join(parts.as_path()).components().collect();
                        return Err(ShowError::Leads { link, way: "out of the project", to });
                    }
                    met.get_or_insert(link);
                }
                real = target;
            }
        }
    }
    Ok((real, met))
}

/// Opens an input named by the user: a backlog, a patch, a topic, facts. Not all of it is shown verbatim, but agents
/// see its content. `wanted` describes the expected content in the hint.
///
/// # Errors
/// As [`Gate::open`].
pub(crate) fn input(workspace: &Workspace, path: &Path, wanted: &str) -> Result<File, Error> {
    let full = workspace.around.dir.join(path);
    let failed = |error: io::Error| {
        (Error::new(Kind::Input, format!("failed to read {}", full.display())).because(error))
            .hint(format!("give {wanted}, or `-` for standard input"))
    };
    let refused = match Gate::new(workspace)?.open(&full, None) {
        Ok(opened) => return Ok(opened.file),
        Err(refused) => refused,
    };
    if let Some(hint) = refused.hint() {
        let code = if matches!(refused, ShowError::Secret(_)) { "secret" } else { "leads_out" };
        let what = format!("{} is not read: {refused}", label(path));
        return Err(Error::new(Kind::Input, what).named(code).hint(hint));
    }
    // A file passed by a shell (`<(git diff)` is `/dev/fd/63`) has no path of its own.
    if path.is_absolute() && !path.starts_with(workspace.root()) && !full.is_dir() {
        return File::open(&full).map_err(failed);
    }
    Err(failed(match refused {
        ShowError::Missing(error) | ShowError::Unreadable(error) => error,
        refused => io::Error::other(refused.to_string()),
    }))
}

/// A plain file that may be shown.
#[derive(Debug)]
pub(crate) struct ShowableFile {
    pub(crate) file: File,
    /// The length reported by the file system.
    pub(crate) bytes: u64,
}

/// Decides which files may be shown, and redacts secrets in them.
#[derive(Debug)]
pub(crate) struct Gate {
    policy: Policy,
    redactor: Redactor,
    root: PathBuf,
    /// The folders of this program's records, below the root.
    own: [String; 2],
}

impl Gate {
    /// Creates the gate of a project.
    ///
    /// # Errors
    /// `review.secrets` contains an invalid pattern.
    pub(crate) fn new(workspace: &Workspace) -> Result<Self, Error> {
        let secrets = &workspace.effective.config.review.secrets;
        let policy = Policy::new(&[], secrets, &[], &[])
            .map_err(|error| Error::new(Kind::Config, error.to_string()))?;
        let paths = &workspace.effective.config.paths;
        let own = [paths.debate.clone(), paths.backlog.clone()];
        let root = workspace.root().to_owned();
        Ok(Self { policy, redactor: workspace.redactor(), root, own })
    }

    /// Opens a file by its absolute path. With `below` nobody typed its name: no part of it below that folder may be a
    /// link.
    pub(crate) fn open(
        &self,
        path: &Path,
        below: Option<&Path>,
    ) -> Result<ShowableFile, ShowError> {
        let (top, within) = match below {
            Some(folder) => {
                let within = path.strip_prefix(folder).map_err(|_| ShowError::Outside)?;
                (folder.canonicalize().map_err(unopened)?, within.to_owned())
            }
            None => (PathBuf::from("/"), self.typed(path)?.components().skip(1).collect()),
        };
        // Both the target of a link, which is what is read, and the given name count.
        if let Some(why) = [path, &top.join(&within)].iter().find_map(|path| self.secret_name(path))
        {
            return Err(ShowError::Secret(why));
        }
        let top = Folder::open(&top).map_err(unopened)?;
        // Checked before opening, since opening a device may have an effect.
        let found = match top.look(&within) {
            Ok(found) => found.ok_or(ShowError::Missing(io::ErrorKind::NotFound.into()))?,
            Err(error) if is_link(&error) || error.kind() == io::ErrorKind::InvalidFilename => {
                return Err(ShowError::Outside);
            }
            Err(error) => return Err(unopened(error)),
        };
        if below.is_some() && found.kind.is_symlink() {
            return Err(ShowError::Outside);
        }
        plain(found.kind)?;
        let file = top.file(&within).map_err(unopened)?;
        let bytes = file.metadata().map_err(ShowError::Unreadable)?.len();
        Ok(ShowableFile { file, bytes })
    }

    fn typed(&self, path: &Path) -> Result<PathBuf, ShowError> {
        let (real, link) = follow(&self.root, path)?;
        if let Some(link) = link
            && let Some(way) = withheld(&self.root, &self.own, &real)
        {
            return Err(ShowError::Leads { link, way, to: real });
        }
        Ok(real)
    }

    /// Returns why a file counts as one of secrets by its name, if it does. The configuration's patterns are relative
    /// to the project's root.
    fn secret_name(&self, path: &Path) -> Option<String> {
        let within = path.strip_prefix(&self.root).ok();
        (within.into_iter().chain([path])).find_map(|path| {
            let reason = (self.policy).by_name(&path.to_string_lossy(), policy::PLAIN)?;
            (reason.why == Omission::Secret).then_some(reason.detail)
        })
    }

    /// Returns why a text counts as one of secrets by its content, if it does.
    pub(crate) fn secret_text(text: &str) -> Option<String> {
        policy::holds_private_key(text).then(|| "it contains a private key".to_owned())
    }

    pub(crate) fn redact(&self, text: &str) -> String {
        self.redactor.text(text)
    }
}

fn unopened(error: io::Error) -> ShowError {
    if error.kind() == io::ErrorKind::NotFound {
        ShowError::Missing(error)
    } else {
        ShowError::Unreadable(error)
    }
}

fn plain(kind: FileType) -> Result<(), ShowError> {
    let what = if kind.is_file() {
        return Ok(());
    } else if kind.is_dir() {
        "a folder"
    } else if kind.is_fifo() {
        "a pipe"
    } else if kind.is_socket() {
        "a socket"
    } else if kind.is_symlink() {
        "a link that changed just now"
    } else {
        "a device"
    };
    Err(ShowError::NotPlain(what))
}

/// Why bytes are not text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NoText {
    #[error("it contains a NUL byte, at byte {0}")]
    Nul(usize),
    #[error("it is not UTF-8 from byte {0} on")]
    Encoding(usize),
}

/// Converts bytes to text; `cut`: the last character may be incomplete. Positions in errors count from 0.
pub(crate) fn text(bytes: Vec<u8>, cut: bool) -> Result<String, NoText> {
    // It is valid UTF-8, but many binary formats begin like this.
    if let Some(at) = bytes.iter().position(|byte| *byte == 0) {
        return Err(NoText::Nul(at));
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(text),
        Err(error) => {
            let (at, whole) = (error.utf8_error().valid_up_to(), error.utf8_error());
            if !cut || whole.error_len().is_some() {
                return Err(NoText::Encoding(at));
            }
            let mut bytes = error.into_bytes();
            bytes.truncate(at);
            String::from_utf8(bytes).map_err(|_| NoText::Encoding(at))
        }
    }
}

/// Whether a text has no visible character: only white space and invisible characters.
pub(crate) fn is_empty(text: &str) -> bool {
    text.chars().all(|c| c.is_whitespace() || sanitize::is_hidden(c))
}

/// Returns a path for display to people and agents: on one line, with bytes that are not UTF-8 escaped.
pub(crate) fn label(path: &Path) -> String {
    /// Maximum characters; longer than any path that a person reads.
    const CHARS: usize = 1_000;
    sanitize::line(&name::spell(path.as_os_str().as_encoded_bytes()), CHARS)
}

#[cfg(test)]
mod tests {
    //! The gate in a scratch project; its error messages are tested where they are used.

    use std::fs;
    use std::io::Read as _;
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;

    use super::*;
    use crate::app::run::workspace::StartContext;
    use crate::config::tests::World;

    fn gate(world: &World) -> Gate {
        let around =
            StartContext::of(world.path("repo"), world.vars.clone(), crate::env::Env::system());
        Gate::new(&Workspace::open(around, Vec::new()).unwrap()).unwrap()
    }

    #[test]
    fn what_is_opened_is_the_file_behind_the_links() {
        let world = World::new();
        world.write("repo/inner/a.md", "text");
        symlink("inner", world.path("repo/docs")).unwrap();
        symlink(world.path("repo"), world.path("mine")).unwrap();
        for path in ["repo/docs/a.md", "mine/docs/a.md"] {
            let mut opened = gate(&world).open(&world.path(path), None).unwrap();
            let mut text = String::new();
            opened.file.read_to_string(&mut text).unwrap();
            assert_eq!((text.as_str(), opened.bytes), ("text", 4));
        }
    }

    #[test]
    fn a_link_of_the_project_that_leads_out_of_it_is_refused_by_whatever_way() {
        let world = World::new();
        world.write("elsewhere/a.md", "text");
        world.write("repo/inner/b.md", "text");
        symlink(world.path("elsewhere"), world.path("repo/docs")).unwrap();
        symlink("../docs/a.md", world.path("repo/inner/c.md")).unwrap();
        symlink(world.path("repo"), world.path("elsewhere/back")).unwrap();
        symlink(world.path("repo/docs"), world.path("around")).unwrap();
        let gate = gate(&world);
        for path in [
            "repo/docs/a.md",
            "repo/docs/back/inner/b.md",
            "repo/docs/../a.md",
            "repo/inner/c.md",
            "elsewhere/back/docs/a.md",
        ] {
            let refused = gate.open(&world.path(path), None).unwrap_err();
            let ShowError::Leads { to, way: "out of the project", .. } = refused else {
                panic!("{path}: {refused:?}");
            };
            assert!(to.starts_with(world.path("elsewhere")), "{}", to.display());
        }
        // A link of the user's own, outside of the project, may lead anywhere.
        assert!(gate.open(&world.path("around/a.md"), None).is_ok());
        assert!(gate.open(&world.path("elsewhere/a.md"), None).is_ok());
    }

    #[test]
    fn a_link_to_what_git_ignores_to_gits_own_or_to_our_records_is_refused() {
        let world = World::new();
        world.user(r#"{"paths": {"debate": "talks"}}"#);
        for file in [
            ".git/config",
            "nested/.GIT/config",
            "ignored/prod.yml",
            "a.local",
            ".debate/a.md",
            ".swarm/backlog/a.json",
            "talks/b.md",
            "kept.md",
        ] {
            world.write(&format!("repo/{file}"), "text");
        }
        world.write("repo/.gitignore", "/ignored/\n*.local\n");
        symlink("ignored", world.path("repo/docs")).unwrap();
        symlink("a.md", world.path("repo/.debate/b.md")).unwrap();
        let gate = gate(&world);
        for (to, way) in [
            (".git/config", Some("git's own")),
            ("nested/.GIT/config", Some("git's own")),
            ("ignored/prod.yml", Some("ignores")),
            ("docs/prod.yml", Some("ignores")),
            ("a.local", Some("ignores")),
            (".debate/a.md", Some("records")),
            (".debate/b.md", Some("records")),
            (".swarm/backlog/a.json", Some("records")),
            ("talks/b.md", Some("records")),
            ("kept.md", None),
        ] {
            let link = world.path("repo/README.md");
            fs::remove_file(&link).ok();
            symlink(to, &link).unwrap();
            match (gate.open(&link, None), way) {
                (Ok(_), None) => {}
                (Err(ShowError::Leads { way: said, .. }), Some(way)) if said.contains(way) => {}
                (opened, _) => panic!("{to}: {opened:?}"),
            }
            // Nobody typed it: whatever it leads to.
            let root = world.path("repo");
            assert!(matches!(gate.open(&link, Some(&root)), Err(ShowError::Outside)), "{to}");
        }
        // Typed by its own path, it is the user's choice.
        assert!(gate.open(&world.path("repo/ignored/prod.yml"), None).is_ok());
        assert!(gate.open(&world.path("repo/docs/prod.yml"), None).is_err());
    }

    #[test]
    fn only_plain_files_are_opened() {
        let world = World::new();
        let gate = gate(&world);
        fs::create_dir(world.path("repo/folder")).unwrap();
        drop(UnixListener::bind(world.path("repo/socket")).unwrap());
        rustix::fs::mknodat(
            rustix::fs::CWD,
            world.path("repo/pipe"),
            FileType::Fifo,
            rustix::fs::Mode::RUSR,
            0,
        )
        .unwrap();
        symlink("pipe", world.path("repo/link")).unwrap();
        for (path, is) in [
            (world.path("repo/folder"), "a folder"),
            (world.path("repo/socket"), "a socket"),
            (world.path("repo/pipe"), "a pipe"),
            (world.path("repo/link"), "a pipe"),
            ("/dev/null".into(), "a device"),
            ("/dev/zero".into(), "a device"),
        ] {
            let refused = gate.open(&path, None).unwrap_err();
            assert!(matches!(refused, ShowError::NotPlain(what) if what == is), "{refused:?}");
        }
        symlink("nowhere", world.path("repo/dangling")).unwrap();
        for missing in ["repo/none", "repo/dangling"] {
            let refused = gate.open(&world.path(missing), None).unwrap_err();
            assert!(matches!(refused, ShowError::Missing(_)), "{refused:?}");
        }
        world.write("repo/file", "x");
        let refused = gate.open(&world.path("repo/file/below"), None).unwrap_err();
        assert!(matches!(refused, ShowError::Unreadable(_)), "{refused:?}");
    }

    #[test]
    fn a_folder_that_must_not_be_left_is_not_left_by_links_either() {
        let world = World::new();
        world.write("repo/spec/a.md", "x");
        world.write("repo/b.md", "x");
        world.write("repo-2/c.md", "x");
        symlink("../b.md", world.path("repo/spec/out.md")).unwrap();
        symlink("spec/a.md", world.path("repo/in.md")).unwrap();
        symlink("spec", world.path("repo/alias")).unwrap();
        let gate = gate(&world);
        for (file, below, inside) in [
            ("repo/spec/a.md", "repo", true),
            // The folder is the user's choice, not what lies in it.
            ("repo/alias/a.md", "repo/alias", true),
            ("repo/alias/a.md", "repo", false),
            ("repo/in.md", "repo", false),
            ("repo/in.md", "repo/spec", false),
            ("repo/spec/../b.md", "repo/spec", false),
            ("repo/spec/out.md", "repo/spec", false),
            ("repo-2/c.md", "repo", false),
        ] {
            let opened = gate.open(&world.path(file), Some(&world.path(below)));
            match opened {
                Ok(_) => assert!(inside, "{file}"),
                Err(ShowError::Outside) => assert!(!inside, "{file}"),
                Err(other) => panic!("{file}: {other:?}"),
            }
        }
    }

    #[test]
    fn files_of_secrets_are_known_by_their_names_from_the_projects_root_on() {
        let world = World::new();
        world.user(r#"{"review": {"secrets": ["/private/*.md", "*.vault"]}}"#);
        for file in [
            "repo/.env",
            "repo/private/a.md",
            "repo/docs/private/a.md",
            "repo/x.vault",
            "elsewhere/y.vault",
        ] {
            world.write(file, "x");
        }
        symlink("private/a.md", world.path("repo/harmless.md")).unwrap();
        let gate = gate(&world);
        for (file, secret) in [
            ("repo/.env", true),
            ("repo/private/a.md", true),
            ("repo/harmless.md", true),
            ("repo/x.vault", true),
            ("elsewhere/y.vault", true),
            ("repo/docs/private/a.md", false),
        ] {
            let opened = gate.open(&world.path(file), None);
            assert_eq!(matches!(opened, Err(ShowError::Secret(_))), secret, "{file}: {opened:?}");
        }
    }

    #[test]
    fn text_is_utf8_without_nul() {
        assert_eq!(text(b"caf\xc3\xa9".to_vec(), false), Ok("café".to_owned()));
        assert_eq!(text(b"ab\0c\xff".to_vec(), true), Err(NoText::Nul(2)));
        assert_eq!(text(b"caf\xe9 x".to_vec(), true), Err(NoText::Encoding(3)));
        assert_eq!(text(b"caf\xc3".to_vec(), false), Err(NoText::Encoding(3)));
        assert_eq!(text(b"caf\xc3".to_vec(), true), Ok("caf".to_owned()));
    }

    #[test]
    fn what_shows_nothing_is_empty() {
        for blank in ["", " \r\n\t", "\u{200b}\u{feff}\n", "\u{a0}\u{1b}"] {
            assert!(is_empty(blank), "{blank:?}");
        }
        assert!(!is_empty(" .\n"));
    }

    #[test]
    fn labels_are_one_line_whatever_a_path_holds() {
        use std::os::unix::ffi::OsStrExt as _;
        let evil = std::ffi::OsStr::from_bytes(b"a\x1b[31m\xff\nb\xe2\x80\xae.md");
        assert_eq!(label(Path::new(evil)), "a\\xff b.md");
        assert!(label(Path::new(&"x".repeat(5_000))).chars().count() <= 1_000);
    }

    #[test]
    fn m6_a_folder_that_changes_into_a_link_meanwhile_never_leads_out() {
        let world = World::new();
        world.write("repo/docs/a.md", "inside");
        world.write("elsewhere/a.md", "outside");
        symlink(world.path("elsewhere"), world.path("repo/link")).unwrap();
        let gate = gate(&world);
        let stop = std::sync::atomic::AtomicBool::new(false);
        let (docs, link, aside) =
            (world.path("repo/docs"), world.path("repo/link"), world.path("repo/aside"));
        let mut read = 0;
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                    fs::rename(&docs, &aside).unwrap();
                    fs::rename(&link, &docs).unwrap();
                    fs::rename(&docs, &link).unwrap();
                    fs::rename(&aside, &docs).unwrap();
                }
            });
            for _ in 0..5_000 {
                if let Ok(mut opened) = gate.open(&world.path("repo/docs/a.md"), None) {
                    let mut text = String::new();
                    opened.file.read_to_string(&mut text).unwrap();
                    read += usize::from(text == "inside");
                    if text != "inside" {
                        stop.store(true, std::sync::atomic::Ordering::Relaxed);
                        panic!("it read what lies {text}");
                    }
                }
            }
            stop.store(true, std::sync::atomic::Ordering::Relaxed);
        });
        assert!(read > 0);
    }
}
