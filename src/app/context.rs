//! Context files of a debate (`--file`): read once, bounded and redacted, before any agent is asked.
//!
//! The user named them, so they may be anywhere; but every agent is shown them, so a link in the project that leads
//! out of it is refused, and so is anything that looks like a file of secrets, by the rules by which a review leaves
//! such files out. Their content is data: the prompts defuse and fence it.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::app::run::workspace::Workspace;
use crate::app::show::{self, Gate, ShowError};
use crate::error::{Error, Kind};
use crate::protocol::context::ContextFile;
use crate::protocol::context::{CONTEXT_BYTES, MAX_FILES};
use crate::protocol::debate::brief::BriefError;
use crate::text::{Note, sanitize};

/// Bytes read beyond what is kept, so that a secret starting before the cut is seen whole and redacted.
const MARGIN: usize = 16 << 10;

#[derive(Debug, Default)]
pub(crate) struct Context {
    pub(crate) files: Vec<ContextFile>,
    /// `context_redacted`, `context_empty`. A cut file has no note: the prompts mention it.
    pub(crate) notes: Vec<Note>,
}

/// Reads context files; `-` is `stdin`. In total [`CONTEXT_BYTES`] are kept, starting with the first file; a file
/// that was cut is marked as such.
///
/// # Errors
/// A file is missing, is not a regular file, is not text, is named twice, or looks like a file of secrets.
pub(crate) fn read(
    workspace: &Workspace,
    files: &[PathBuf],
    stdin: &mut dyn Read,
) -> Result<Context, Error> {
    if files.len() > MAX_FILES {
        let what =
            BriefError::TooMany { what: "context files", count: files.len(), most: MAX_FILES };
        return Err(Error::new(Kind::Usage, what.to_string())
            .named("context")
            .hint("put what matters into fewer files"));
    }
    let gate = Gate::new(workspace)?;
    let mut context = Context::default();
    let mut room = CONTEXT_BYTES;
    for (index, path) in files.iter().enumerate() {
        if files[..index].contains(path) {
            let what = format!("the context file {} is named twice", path.display());
            return Err(Error::new(Kind::Usage, what).named("context").hint("name each file once"));
        }
        let (name, read) = if path == Path::new("-") {
            ("standard input".to_owned(), one("standard input", stdin, &gate, room))
        } else {
            let name = path.display().to_string();
            let opened = gate.open(&workspace.around.dir.join(path), None);
            let read = opened.and_then(|mut opened| one(&name, &mut opened.file, &gate, room));
            (name, read)
        };
        let file = read.map_err(|refused| refuse(&name, refused))?;
        room -= file.0.text.len();
        context.files.push(file.0);
        context.notes.extend(file.1);
    }
    Ok(context)
}

/// Reads one file, of which at most `room` bytes are kept.
///
/// # Errors
/// It cannot be read, is not text, or contains a private key.
pub(crate) fn one(
    name: &str,
    input: &mut dyn Read,
    gate: &Gate,
    room: usize,
) -> Result<(ContextFile, Option<Note>), ShowError> {
    let name = sanitize::line(name, 200);
    let mut bytes = Vec::new();
    let most = u64::try_from(room + MARGIN).unwrap_or(u64::MAX);
    input.take(most).read_to_end(&mut bytes).map_err(ShowError::Unreadable)?;
    let full = bytes.len() == room + MARGIN;
    let text = show::text(bytes, full)
        .map_err(|_| ShowError::Unreadable(io::Error::other("it is not UTF-8 text")))?;
    if let Some(why) = Gate::secret_text(&text) {
        return Err(ShowError::Secret(why));
    }
    let redacted = gate.redact(&text);
    let note = if text.trim().is_empty() {
        Some(("context_empty", "is empty"))
    } else if redacted == text {
        None
    } else {
        Some(("context_redacted", "contained what looks like a secret, which was removed"))
    };
    let kept = redacted.floor_char_boundary(room);
    let file =
        ContextFile { text: redacted[..kept].to_owned(), cut: full || kept < redacted.len(), name };
    let note =
        note.map(|(code, what)| Note::new(code, format!("the context file {} {what}", file.name)));
    Ok((file, note))
}

fn refuse(name: &str, refused: ShowError) -> Error {
    match refused {
        ShowError::Missing(error) | ShowError::Unreadable(error) => unread(name, error),
        ShowError::Secret(why) => secret(name, &why),
        ShowError::Leads { .. } => {
            let what = format!("the context file {}: {refused}", sanitize::line(name, 200));
            Error::new(Kind::Input, what).named("context").hint(refused.hint().unwrap_or_default())
        }
        ShowError::NotPlain(_) | ShowError::Outside => {
            unread(name, io::Error::other(refused.to_string()))
        }
    }
}

fn unread(name: &str, error: io::Error) -> Error {
    Error::new(
        Kind::Input,
        format!("failed to read the context file {}", sanitize::line(name, 200)),
    )
    .named("context")
    .because(error)
    .hint("`--file` takes text files, or `-` for standard input")
}

fn secret(name: &str, why: &str) -> Error {
    let what = format!(
        "the context file {} would be shown to every agent: {why}",
        sanitize::line(name, 200)
    );
    Error::new(Kind::Input, what)
        .named("context")
        .hint("leave it out, or copy what matters into another file")
}

#[cfg(test)]
mod tests {
    //! Context files in a scratch project.

    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::app::run::workspace::StartContext;
    use crate::config::tests::World;

    fn workspace(world: &World) -> Workspace {
        let mut vars = world.vars.clone();
        vars.insert("DEPLOY_TOKEN".to_owned(), "hunter2-hunter2".to_owned());
        let around = StartContext::of(world.path("repo"), vars, crate::env::Env::system());
        Workspace::open(around, Vec::new()).unwrap()
    }

    fn read_all(world: &World, files: &[&str], stdin: &str) -> Result<Context, Error> {
        let files: Vec<PathBuf> = files.iter().map(PathBuf::from).collect();
        read(&workspace(world), &files, &mut stdin.as_bytes())
    }

    fn refused(world: &World, files: &[&str]) -> String {
        let error = read_all(world, files, "").unwrap_err();
        assert_eq!(error.status().code(), 2, "{error}");
        assert!(!error.hints.is_empty(), "{error} has no hint");
        error.text(false)
    }

    #[test]
    fn files_are_read_from_where_the_person_is_in_the_order_given() {
        let world = World::new();
        world.write("repo/notes/a.md", "first\n");
        world.write("repo/notes/b.md", "second \u{1b}[31m\n");
        symlink("notes/b.md", world.path("repo/link.md")).unwrap();
        let context = read_all(&world, &["link.md", "notes/a.md", "-"], "third").unwrap();
        let read: Vec<(&str, &str, bool)> =
            (context.files.iter()).map(|file| (&*file.name, &*file.text, file.cut)).collect();
        assert_eq!(
            read,
            [
                ("link.md", "second \u{1b}[31m\n", false),
                ("notes/a.md", "first\n", false),
                ("standard input", "third", false),
            ]
        );
        assert_eq!(context.notes, []);
    }

    #[test]
    fn what_cannot_be_shown_is_refused_before_anybody_is_asked() {
        let world = World::new();
        world.write("repo/a.md", "text");
        fs::write(world.path("repo/b.bin"), b"\x89PNG\0\0").unwrap();
        fs::write(world.path("repo/c.bin"), b"caf\xe9 au lait").unwrap();
        fs::create_dir(world.path("repo/folder")).unwrap();
        rustix::fs::mknodat(
            rustix::fs::CWD,
            world.path("repo/pipe"),
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RUSR,
            0,
        )
        .unwrap();
        for (file, why) in [
            ("missing.md", "No such file"),
            ("folder", "not a plain file"),
            ("pipe", "not a plain file"),
            ("b.bin", "not UTF-8 text"),
            ("c.bin", "not UTF-8 text"),
        ] {
            let said = refused(&world, &["a.md", file]);
            assert!(said.contains(why) && said.contains(file), "{said}");
        }
        assert!(refused(&world, &["a.md", "a.md"]).contains("named twice"));
        assert!(
            refused(&world, &["a.md"; 21])
                .contains("21 context files are given; at most 20 are allowed")
        );
    }

    #[test]
    fn files_of_secrets_are_refused_by_name_behind_a_link_and_by_what_they_hold() {
        let world = World::new();
        for file in [".env", "home/.ssh/id_ed25519", "credentials.json"] {
            world.write(&format!("repo/{file}"), "x");
            assert!(refused(&world, &[file]).contains("shown to every agent"));
        }
        symlink(world.path("repo/.env"), world.path("repo/harmless.txt")).unwrap();
        assert!(refused(&world, &["harmless.txt"]).contains("environment files hold secrets"));
        let key = format!(
            "-----BEGIN RSA PRIVATE KEY-----\n{}\n-----END RSA PRIVATE KEY-----\n",
            "MIIEpAIBAAKCAQEA".repeat(4)
        );
        world.write("repo/notes.txt", &key);
        assert!(refused(&world, &["notes.txt"]).contains("private key"));
        world.write("repo/.env.example", "TOKEN=\n");
        assert_eq!(read_all(&world, &[".env.example"], "").unwrap().files.len(), 1);
    }

    #[test]
    fn secrets_inside_are_taken_out_and_that_is_said() {
        let world = World::new();
        world.write("repo/a.md", "the token is hunter2-hunter2, ok\n");
        world.write("repo/empty.md", " \n");
        let context = read_all(&world, &["a.md", "empty.md"], "").unwrap();
        assert!(!context.files[0].text.contains("hunter2"), "{context:?}");
        assert!(context.files[0].text.ends_with(", ok\n"));
        let codes: Vec<&str> = context.notes.iter().map(|note| &*note.code).collect();
        assert_eq!(codes, ["context_redacted", "context_empty"]);
    }

    #[test]
    fn all_together_are_bounded_and_the_cut_is_marked() {
        let world = World::new();
        // A secret across the cut: its beginning must not remain.
        let mut long = "é".repeat((CONTEXT_BYTES - 1_000) / 2 - 4);
        long.push_str("hunter2-hunter2");
        long.push_str(&"y".repeat(100_000));
        world.write("repo/long.txt", &long);
        world.write("repo/first.txt", &"z".repeat(1_000));
        let context = read_all(&world, &["first.txt", "long.txt", "-"], "late").unwrap();
        let [first, second, third] = &context.files[..] else {
            panic!("{}", context.files.len());
        };
        assert!(!first.cut && second.cut && third.cut);
        assert!(!second.text.contains("hunter"), "half a secret");
        let total: usize = context.files.iter().map(|file| file.text.len()).sum();
        assert!(total <= CONTEXT_BYTES && total > CONTEXT_BYTES - 4, "{total}");
        assert_eq!(third.text, "");
        // A character split by the read limit is not an error in the file.
        for shift in ["", "a"] {
            world.write("repo/wide.txt", &format!("{shift}{}", "é".repeat(CONTEXT_BYTES)));
            let context = read_all(&world, &["wide.txt"], "").unwrap();
            assert!(context.files[0].cut);
        }
    }
}
