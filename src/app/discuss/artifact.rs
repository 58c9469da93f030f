//! An artifact and its context, read once and checked before any agent is asked.
//!
//! Anything that cannot be criticised is an error, with its own name and one hint: a file that is missing, not a
//! plain file, not text, empty, too large, or a file of secrets. The size is checked before anything is read, and at
//! most the limit plus one byte is read, whatever the reported size. Secrets inside are redacted, and a note says so.
//! The text is data: the prompts defuse and fence it.

use std::io::Read;
use std::path::Path;

use serde_json::Value;

use crate::app::run::workspace::Workspace;
use crate::app::show::{self, Gate, ShowError, ShowableFile};
use crate::config::file::sha256;
use crate::error::{Error, Kind};
use crate::protocol::discuss::input::{ARTIFACT_BYTES, Artifact, CONTEXT_BYTES};
use crate::text::{Note, json};

pub(crate) const STDIN: &str = "standard input";

/// An artifact, and notes from reading it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ArtifactInput {
    pub(crate) artifact: Artifact,
    /// `artifact_redacted`, `artifact_byte_order_mark`.
    pub(crate) notes: Vec<Note>,
}

/// Reads an artifact; `-` is `stdin`. With `below`, it must really be in that folder.
///
/// # Errors
/// [`Kind::Input`], named `artifact_missing`, `artifact_unreadable`, `artifact_not_a_file`, `artifact_outside`,
/// `artifact_secret`, `artifact_binary`, `artifact_empty` or `artifact_too_large`.
pub(crate) fn read(
    workspace: &Workspace,
    path: &Path,
    below: Option<&Path>,
    stdin: &mut dyn Read,
) -> Result<ArtifactInput, Error> {
    let subject = Subject::Artifact;
    let gate = Gate::new(workspace)?;
    if path == Path::new("-") {
        let (artifact, notes) = subject.take(STDIN, stdin, &gate)?;
        return Ok(ArtifactInput { artifact, notes });
    }
    let (name, mut opened) = subject.open(workspace, path, below, &gate)?;
    let (artifact, notes) = subject.take(&name, &mut opened.file, &gate)?;
    Ok(ArtifactInput { artifact, notes })
}

/// Reads a context, which is JSON; `-` is `stdin`, `None` if standard input is the artifact already.
///
/// # Errors
/// As [`read`], with names that start with `context_`; also `context_not_json`, and [`Kind::Usage`], named
/// `context_twice`, if standard input would have to be both.
pub(crate) fn context(
    workspace: &Workspace,
    path: &Path,
    below: Option<&Path>,
    stdin: Option<&mut dyn Read>,
) -> Result<(Artifact, Vec<Note>), Error> {
    let subject = Subject::Context;
    let gate = Gate::new(workspace)?;
    if path == Path::new("-") {
        let Some(stdin) = stdin else {
            let what = "standard input cannot be both the artifact and its context";
            return Err(Error::new(Kind::Usage, what)
                .named("context_twice")
                .hint("give one of the two as a file"));
        };
        return subject.take(STDIN, stdin, &gate);
    }
    let (name, mut opened) = subject.open(workspace, path, below, &gate)?;
    subject.take(&name, &mut opened.file, &gate)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Subject {
    Artifact,
    Context,
}

/// A defect of an artifact or a context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    Missing,
    Unreadable,
    NotAFile,
    Outside,
    Secret,
    Binary,
    Empty,
    TooLarge,
    NotJson,
}

impl Fault {
    /// Returns the error's name for an artifact and for a context.
    const fn codes(self) -> (&'static str, &'static str) {
        match self {
            Self::Missing => ("artifact_missing", "context_missing"),
            Self::Unreadable => ("artifact_unreadable", "context_unreadable"),
            Self::NotAFile => ("artifact_not_a_file", "context_not_a_file"),
            Self::Outside => ("artifact_outside", "context_outside"),
            Self::Secret => ("artifact_secret", "context_secret"),
            Self::Binary => ("artifact_binary", "context_binary"),
            Self::Empty => ("artifact_empty", "context_empty"),
            Self::TooLarge => ("artifact_too_large", "context_too_large"),
            Self::NotJson => ("artifact_not_json", "context_not_json"),
        }
    }

    const fn hint(self, subject: Subject) -> &'static str {
        match (self, subject) {
            (Self::Missing, _) => "check the path: it is relative to the working folder",
            (Self::Unreadable, _) => "make it readable for your user, or name another file",
            (Self::NotAFile, Subject::Artifact) => {
                "name a text file, a folder of them, or `-` for standard input"
            }
            (Self::NotAFile, Subject::Context) => "name a JSON file",
            (Self::Outside, _) => {
                "a preset reads only within that folder: name the file on the command line if you want it read"
            }
            (Self::Secret, _) => "leave it out, or copy what matters into another file",
            (Self::Binary, Subject::Artifact) => "name a text file, saved as UTF-8",
            (Self::Binary, Subject::Context) => "name a JSON file, saved as UTF-8",
            (Self::Empty, _) => "write it first, or name another file",
            (Self::TooLarge, Subject::Artifact) => "split it, and discuss the parts one by one",
            (Self::TooLarge, Subject::Context) => "keep only what the artifact is checked against",
            (Self::NotJson, _) => "fix it there, or leave the context out",
        }
    }
}

impl Subject {
    const fn name(self) -> &'static str {
        match self {
            Self::Artifact => "artifact",
            Self::Context => "context",
        }
    }

    /// Returns the maximum size in bytes.
    const fn most(self) -> usize {
        match self {
            Self::Artifact => ARTIFACT_BYTES,
            Self::Context => CONTEXT_BYTES,
        }
    }

    fn error(self, fault: Fault, what: String) -> Error {
        let (artifact, context) = fault.codes();
        let code = match self {
            Self::Artifact => artifact,
            Self::Context => context,
        };
        Error::new(Kind::Input, what).named(code).hint(fault.hint(self))
    }

    /// Opens the file unless its size alone is too large.
    fn open(
        self,
        workspace: &Workspace,
        path: &Path,
        below: Option<&Path>,
        gate: &Gate,
    ) -> Result<(String, ShowableFile), Error> {
        let (kind, name) = (self.name(), show::label(path));
        let opened =
            gate.open(&workspace.around.dir.join(path), below).map_err(
                |refused| match refused {
                    ShowError::Missing(_) => {
                        self.error(Fault::Missing, format!("the {kind} {name} does not exist"))
                    }
                    ShowError::Unreadable(error) => self.error(
                        Fault::Unreadable,
                        format!("failed to read the {kind} {name}: {error}"),
                    ),
                    ShowError::NotPlain(what) => self.error(
                        Fault::NotAFile,
                        format!("the {kind} {name} is {what}, not a plain file"),
                    ),
                    ShowError::Secret(why) => self.secret(&name, &why),
                    ShowError::Leads { .. } => Error {
                        hints: refused.hint().into_iter().collect(),
                        ..self.error(Fault::Outside, format!("the {kind} {name}: {refused}"))
                    },
                    ShowError::Outside => {
                        let folder = show::label(below.unwrap_or(workspace.root()));
                        let what = format!("the {kind} {name} is a link, or leads out of {folder}");
                        self.error(Fault::Outside, what)
                    }
                },
            )?;
        if opened.bytes > u64::try_from(self.most()).unwrap_or(u64::MAX) {
            return Err(self.too_large(&name, &opened.bytes.to_string()));
        }
        Ok((name, opened))
    }

    /// Reads at most the limit plus one byte, whatever the reported size.
    fn take(
        self,
        name: &str,
        input: &mut dyn Read,
        gate: &Gate,
    ) -> Result<(Artifact, Vec<Note>), Error> {
        let kind = self.name();
        let mut bytes = Vec::new();
        let most = u64::try_from(self.most()).unwrap_or(u64::MAX);
        (input.take(most.saturating_add(1)).read_to_end(&mut bytes)).map_err(|error| {
            let what = format!("failed to read the {kind} {name}: {error}");
            self.error(Fault::Unreadable, what)
        })?;
        if bytes.len() > self.most() {
            return Err(self.too_large(name, &format!("more than {most}")));
        }
        let read = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        let sha256 = sha256(&bytes);
        let text = show::text(bytes, false).map_err(|why| {
            self.error(Fault::Binary, format!("the {kind} {name} is not text: {why}"))
        })?;
        let mut notes = Vec::new();
        let text = match text.strip_prefix('\u{feff}') {
            Some(rest) => {
                notes.push(Note::new(
                    &format!("{kind}_byte_order_mark"),
                    format!("the {kind} {name} began with a byte order mark, which was removed"),
                ));
                rest
            }
            None => &text,
        };
        if show::is_empty(text) {
            let why = if read == 0 { "is empty" } else { "is empty: it contains only white space" };
            return Err(self.error(Fault::Empty, format!("the {kind} {name} {why}")));
        }
        if let Some(why) = Gate::secret_text(text) {
            return Err(self.secret(name, &why));
        }
        if self == Self::Context {
            let value = json::parse(text).map_err(|error| {
                let what = format!("the {kind} {name} is not valid JSON: {error}");
                self.error(Fault::NotJson, what)
            })?;
            // A check against nothing finds nothing missing.
            if is_bare(&value) {
                let what =
                    format!("the {kind} {name} contains nothing to check an artifact against");
                return Err(self.error(Fault::Empty, what));
            }
        }
        let redacted = gate.redact(text);
        if redacted != text {
            notes.push(Note::new(
                &format!("{kind}_redacted"),
                format!("the {kind} {name} contained what looks like a secret, which was removed"),
            ));
        }
        let artifact = Artifact { name: name.to_owned(), text: redacted, sha256, bytes: read };
        Ok((artifact, notes))
    }

    fn secret(self, name: &str, why: &str) -> Error {
        let what = format!("the {} {name} would be shown to every agent: {why}", self.name());
        self.error(Fault::Secret, what)
    }

    fn too_large(self, name: &str, bytes: &str) -> Error {
        let (kind, most) = (self.name(), self.most());
        let what = format!(
            "the {kind} {name} has {bytes} bytes, over the limit of {most} ({} KiB)",
            most >> 10
        );
        self.error(Fault::TooLarge, what)
    }
}

/// Whether a context contains neither text nor anything with text in it.
fn is_bare(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(entries) => entries.iter().all(is_bare),
        Value::Object(fields) => fields.values().all(is_bare),
    }
}

#[cfg(test)]
mod tests;
