//! Context files of a debate (`--file`): read once, bounded, redacted, before anybody is asked.
//!
//! The person named them, so they may lie anywhere; but every agent will be shown them, so a link of the project that leads
//! out of it is refused, and so is what looks like a file of secrets, by the rules by which a review leaves such files out. What
//! they say is data: the prompts defuse and fence it.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::shown::{self, Gate, Refused};
use super::workspace::Workspace;
use crate::error::{Error, Kind};
use crate::protocol::debate::ContextFile;
use crate::protocol::debate::brief::{BriefError, CONTEXT_BYTES, MAX_FILES};
use crate::text::{Note, sanitize};

/// Bytes that are read beyond what is kept: a secret that begins before the cut is seen whole, and redacted.
const MARGIN: usize = 16 << 10;

/// Context files, and what was noticed in them.
#[derive(Debug, Default)]
pub(crate) struct Context {
    /// In the order given.
    pub(crate) files: Vec<ContextFile>,
    /// `context_redacted`, `context_empty`; that a file was cut, its prompts say.
    pub(crate) notes: Vec<Note>,
}

/// Reads context files; `-` is `stdin`. Of all together [`CONTEXT_BYTES`] are kept, from the first on; a file whose
/// end is missing says so.
///
/// # Errors
/// A file is missing, no plain file, no text, named twice, or looks like a file of secrets.
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
        let file = if path == Path::new("-") {
            one("standard input", stdin, &gate, room)?
        } else {
            let name = path.display().to_string();
            let mut opened = (gate.open(&workspace.around.dir.join(path), None))
                .map_err(|refused| refuse(&name, refused))?;
            one(&name, &mut opened.file, &gate, room)?
        };
        room -= file.0.text.len();
        context.files.push(file.0);
        context.notes.extend(file.1);
    }
    Ok(context)
}

fn one(
    name: &str,
    input: &mut dyn Read,
    gate: &Gate,
    room: usize,
) -> Result<(ContextFile, Option<Note>), Error> {
    let name = sanitize::line(name, 200);
    let mut bytes = Vec::new();
    let most = u64::try_from(room + MARGIN).unwrap_or(u64::MAX);
    (input.take(most).read_to_end(&mut bytes)).map_err(|error| unread(&name, error))?;
    let full = bytes.len() == room + MARGIN;
    let text = shown::text(bytes, full)
        .map_err(|_| unread(&name, io::Error::other("it is not text in UTF-8")))?;
    if let Some(why) = Gate::secret_text(&text) {
        return Err(secret(&name, &why));
    }
    let redacted = gate.redact(&text);
    let note = if text.trim().is_empty() {
        Some(("context_empty", "is empty"))
    } else if redacted == text {
        None
    } else {
        Some(("context_redacted", "held what looks like a secret, which was taken out"))
    };
    let kept = redacted.floor_char_boundary(room);
    let file =
        ContextFile { text: redacted[..kept].to_owned(), cut: full || kept < redacted.len(), name };
    let note =
        note.map(|(code, what)| Note::new(code, format!("the context file {} {what}", file.name)));
    Ok((file, note))
}

fn refuse(name: &str, refused: Refused) -> Error {
    match refused {
        Refused::Missing(error) | Refused::Unreadable(error) => unread(name, error),
        Refused::NotPlain(what) => {
            unread(name, io::Error::other(format!("it is {what}, not a plain file")))
        }
        Refused::Secret(why) => secret(name, &why),
        Refused::LeadsOut { link, to } => {
            let (what, hint) = Refused::leads_out(&link, &to);
            let what = format!("the context file {}: {what}", sanitize::line(name, 200));
            Error::new(Kind::Input, what).named("context").hint(hint)
        }
        Refused::Outside => unread(name, io::Error::other("it lies outside of the project")),
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
mod tests;
