//! Files that agents will be shown: what may be opened, and what is text.
//!
//! One gate for everything that a person names and every agent then reads. A link of the project that leads out of it is
//! refused: a person typed its name, but whoever filled the project chose where it leads. Other links are followed; what
//! lies behind one counts as much as its name: a file of secrets is refused by either. What is opened is the real path,
//! part by part and without links ([`crate::files`]), so that nothing can be put in its place meanwhile. Nothing that is no
//! plain file is ever opened, so neither a pipe that nobody writes to nor a device can hold the program up.

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
    /// It is not there.
    Missing(io::Error),
    /// It cannot be opened.
    Unreadable(io::Error),
    /// What it is instead of a plain file: `a folder`.
    NotPlain(&'static str),
    /// Why it is taken for a file of secrets.
    Secret(String),
    /// It leads out of the folder that it must lie in.
    Outside,
    /// A link of the project leads out of it.
    LeadsOut {
        /// The link, from the project's root.
        link: PathBuf,
        /// What the path comes to.
        to: PathBuf,
    },
}

impl ShowError {
    /// Says of a link that leads out of the project where it leads, and how to read that all the same.
    pub(crate) fn leads_out(link: &Path, to: &Path) -> (String, String) {
        let (link, to) = (label(link), label(to));
        (
            format!("{link} is a symbolic link that leads out of the project, to {to}"),
            format!("if you want that very file to be read, name it by its own path: {to}"),
        )
    }
}

/// Returns where an absolute path really leads: absolute, without links.
///
/// # Errors
/// [`ShowError::LeadsOut`]: a link below `root` leads out of it. [`ShowError::Missing`], [`ShowError::Unreadable`].
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
                        // Without a slash at the end where nothing follows.
                        to: target.join(parts.as_path()).components().collect(),
                    });
                }
                real = target;
            }
        }
    }
    Ok(real)
}

/// Opens an input that a person named: a backlog, a patch, a topic. Not everything of it is shown as it is, but agents see what
/// it says. `wanted`: what it should be, for the hint.
///
/// # Errors
/// There is none, it is no file, or a link of the project leads out of it.
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
        // What a shell hands over (`<(git diff)` is `/dev/fd/63`) has no path of its own.
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
    /// Open for reading, from its beginning.
    pub(crate) file: File,
    /// Where it really lies: absolute, without links.
    pub(crate) real: PathBuf,
    /// Its length, by what the file system says of it.
    pub(crate) bytes: u64,
}

/// What decides on files, and takes secrets out of them.
#[derive(Debug)]
pub(crate) struct Gate {
    policy: Policy,
    redactor: Redactor,
    /// The project's root.
    root: PathBuf,
}

impl Gate {
    /// Makes the gate of a project.
    ///
    /// # Errors
    /// `review.secrets` holds what is no pattern.
    pub(crate) fn new(workspace: &Workspace) -> Result<Self, Error> {
        let secrets = &workspace.effective.config.review.secrets;
        let policy = Policy::new(&[], secrets, &[], &[])
            .map_err(|error| Error::new(Kind::Config, error.to_string()))?;
        Ok(Self { policy, redactor: workspace.redactor(), root: workspace.root().to_owned() })
    }

    /// Opens a file by its absolute path; with `below`, only if it really lies in that folder.
    pub(crate) fn open(
        &self,
        path: &Path,
        below: Option<&Path>,
    ) -> Result<ShowableFile, ShowError> {
        // Behind a link: what is read is what counts, and so does the name that was given.
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
        // Before it is opened, since opening a device may do something.
        let found = top.look(within).map_err(unopened)?;
        plain(found.ok_or(ShowError::Missing(io::ErrorKind::NotFound.into()))?.kind)?;
        let file = top.file(within).map_err(unopened)?;
        let bytes = file.metadata().map_err(ShowError::Unreadable)?.len();
        Ok(ShowableFile { file, real, bytes })
    }

    /// Says why a file is taken for one of secrets by its name, if it is. Patterns of the configuration count from the
    /// project's root on.
    fn secret_name(&self, path: &Path) -> Option<String> {
        let within = path.strip_prefix(&self.root).ok();
        (within.into_iter().chain([path])).find_map(|path| {
            let reason = (self.policy).by_name(&path.to_string_lossy(), policy::PLAIN)?;
            (reason.why == Omission::Secret).then_some(reason.detail)
        })
    }

    /// Says why a text is taken for one of secrets by what it holds, if it is.
    pub(crate) fn secret_text(text: &str) -> Option<String> {
        policy::holds_private_key(text).then(|| "it holds a private key".to_owned())
    }

    /// Takes secrets out of a text.
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

/// Why bytes are no text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NoText {
    /// As in most binary formats.
    #[error("it holds a NUL, at byte {0}")]
    Nul(usize),
    /// Another encoding, or a binary format.
    #[error("it is not UTF-8 from byte {0} on")]
    Encoding(usize),
}

/// Returns bytes as text; `cut`: the last character may be half. Places in errors count from 0.
pub(crate) fn text(bytes: Vec<u8>, cut: bool) -> Result<String, NoText> {
    // Valid UTF-8 all the same, as many binary formats begin.
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

/// Whether a text holds nothing that anybody could read: white space and characters that show nothing.
pub(crate) fn is_empty(text: &str) -> bool {
    text.chars().all(|c| c.is_whitespace() || sanitize::is_hidden(c))
}

/// Returns a path as people and agents read it: one line, bytes that are not UTF-8 spelled out.
pub(crate) fn label(path: &Path) -> String {
    /// Characters of it; longer than any path that a person reads.
    const CHARS: usize = 1_000;
    sanitize::line(&name::spell(path.as_os_str().as_encoded_bytes()), CHARS)
}

#[cfg(test)]
mod tests {
    //! The gate on a scratch project; what its errors say is told by those who use it.

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
            assert_eq!(
                (text.as_str(), opened.real, opened.bytes),
                ("text", world.path("repo/inner/a.md"), 4)
            );
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
        // A link of the user's own, outside of the project, leads where the user put it.
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
