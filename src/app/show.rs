//! The gate for files that agents will be shown: which may be opened, and what counts as text.
//!
//! Everything that a user names and every agent then reads passes this gate. A link in the project that leads out of
//! it is refused: the user typed its name, but whoever filled the project chose its target. Other links are followed;
//! the target counts as much as the name: either can mark a file of secrets, which is refused. What is opened is the
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
use crate::files::Folder;
use crate::text::redact::Redactor;
use crate::text::{name, sanitize};

/// Why a file is not shown.
#[derive(Debug)]
pub(crate) enum ShowError {
    /// It does not exist.
    Missing(io::Error),
    /// It cannot be opened.
    Unreadable(io::Error),
    /// It is not a regular file; contains what it is: `a folder`.
    NotPlain(&'static str),
    /// It looks like a file of secrets; contains the reason.
    Secret(String),
    /// It is outside of the folder that it must be in.
    Outside,
    /// A link in the project leads out of it.
    LeadsOut {
        /// The link, relative to the project's root.
        link: PathBuf,
        to: PathBuf,
    },
}

impl ShowError {
    /// Returns the message and the hint for a link that leads out of the project: its target, and how to read that
    /// anyway.
    pub(crate) fn leads_out(link: &Path, to: &Path) -> (String, String) {
        let (link, to) = (label(link), label(to));
        (
            format!("{link} is a symbolic link that leads out of the project, to {to}"),
            format!("if you want that very file to be read, name it by its own path: {to}"),
        )
    }
}

/// Returns the real path of an absolute path: absolute, without links.
///
/// # Errors
/// [`ShowError::LeadsOut`]: a link below `root` leads out of it. Also [`ShowError::Missing`] and
/// [`ShowError::Unreadable`].
pub(crate) fn follow(root: &Path, path: &Path) -> Result<PathBuf, ShowError> {
    let mut real = PathBuf::new();
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
                if real.starts_with(root) && !target.starts_with(root) {
                    return Err(ShowError::LeadsOut {
                        link: next.strip_prefix(root).unwrap_or(&next).to_owned(),
                        // Removes the trailing slash if nothing follows.
                        to: target.join(parts.as_path()).components().collect(),
                    });
                }
                real = target;
            }
        }
    }
    Ok(real)
}

/// Opens an input named by the user: a backlog, a patch, a topic. Not all of it is shown verbatim, but agents see its
/// content. `wanted` describes the expected content in the hint.
///
/// # Errors
/// It does not exist, is not a file, or a link in the project leads out of it.
pub(crate) fn input(workspace: &Workspace, path: &Path, wanted: &str) -> Result<File, Error> {
    let root = workspace.root();
    let failed = |error: io::Error| {
        let what = format!("failed to read {}", workspace.around.dir.join(path).display());
        (Error::new(Kind::Input, what).because(error))
            .hint(format!("give {wanted}, or `-` for standard input"))
    };
    let real = match follow(root, &workspace.around.dir.join(path)) {
        Ok(real) => real,
        Err(ShowError::LeadsOut { link, to }) => {
            let (what, hint) = ShowError::leads_out(&link, &to);
            return Err(Error::new(Kind::Input, what).named("leads_out").hint(hint));
        }
        // A file passed by a shell (`<(git diff)` is `/dev/fd/63`) has no path of its own.
        Err(_) if path.is_absolute() && !path.starts_with(root) => path.to_owned(),
        Err(ShowError::Missing(error) | ShowError::Unreadable(error)) => return Err(failed(error)),
        Err(ShowError::NotPlain(_) | ShowError::Secret(_) | ShowError::Outside) => {
            return Err(failed(io::ErrorKind::InvalidInput.into()));
        }
    };
    if real.is_dir() {
        let error = io::Error::new(io::ErrorKind::IsADirectory, "it is a directory");
        return Err(failed(error));
    }
    match real.strip_prefix(root) {
        Ok(below) => Folder::open(root).and_then(|root| root.file(below)),
        Err(_) => File::open(&real),
    }
    .map_err(failed)
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
    /// The project's root.
    root: PathBuf,
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
        Ok(Self { policy, redactor: workspace.redactor(), root: workspace.root().to_owned() })
    }

    /// Opens a file by its absolute path; with `below`, only if it is really in that folder.
    pub(crate) fn open(
        &self,
        path: &Path,
        below: Option<&Path>,
    ) -> Result<ShowableFile, ShowError> {
        // Both the target of a link, which is what is read, and the given name count.
        let real = match (follow(&self.root, path), below) {
            (Err(ShowError::LeadsOut { .. }), Some(_)) => return Err(ShowError::Outside),
            (real, _) => real?,
        };
        if let Some(folder) = below
            && !real.starts_with(folder.canonicalize().map_err(unopened)?)
        {
            return Err(ShowError::Outside);
        }
        if let Some(why) = [path, &real].iter().find_map(|path| self.secret_name(path)) {
            return Err(ShowError::Secret(why));
        }
        let top = Folder::open(Path::new("/")).map_err(unopened)?;
        let within = real.strip_prefix("/").unwrap_or(&real);
        // Checked before opening, since opening a device may have an effect.
        let found = top.look(within).map_err(unopened)?;
        plain(found.ok_or(ShowError::Missing(io::ErrorKind::NotFound.into()))?.kind)?;
        let file = top.file(within).map_err(unopened)?;
        let bytes = file.metadata().map_err(ShowError::Unreadable)?.len();
        Ok(ShowableFile { file, bytes })
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
            let ShowError::LeadsOut { to, .. } = refused else {
                panic!("{path}: {refused:?}");
            };
            assert!(to.starts_with(world.path("elsewhere")), "{}", to.display());
        }
        // A link of the user's own, outside of the project, may lead anywhere.
        assert!(gate.open(&world.path("around/a.md"), None).is_ok());
        assert!(gate.open(&world.path("elsewhere/a.md"), None).is_ok());
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
            ("repo/spec/a.md", "repo/alias", true),
            ("repo/in.md", "repo/spec", true),
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
