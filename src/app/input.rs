//! A caller's input: literal text, a file, or standard input.

use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use clap::builder::{PathBufValueParser, StringValueParser, TypedValueParser};
use schemars::JsonSchema;
use serde::Deserialize;

use super::show;
use super::workspace::Workspace;
use crate::error::{Error, Kind};

/// An input to be read. In a client's arguments it is literal text, whatever it says.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(from = "String")]
pub enum Input {
    /// The content itself.
    Given {
        /// The name for messages.
        name: String,
        /// The content.
        bytes: Vec<u8>,
    },
    /// A file, relative to the directory of the request; `-` is standard input.
    File(PathBuf),
}

impl From<String> for Input {
    fn from(text: String) -> Self {
        Self::words(text)
    }
}

impl Default for Input {
    fn default() -> Self {
        Self::words("")
    }
}

impl Input {
    /// Creates an input from literal text.
    pub fn words(text: impl Into<String>) -> Self {
        Self::Given { name: String::new(), bytes: text.into().into_bytes() }
    }

    /// Parses an argument: `-` is standard input, anything else literal text.
    pub(crate) fn typed() -> impl TypedValueParser<Value = Self> {
        let read = |text: String| if text == "-" { Self::File(text.into()) } else { text.into() };
        StringValueParser::new().map(read)
    }

    /// Parses an argument that names a file.
    pub(crate) fn file() -> impl TypedValueParser<Value = Self> {
        PathBufValueParser::new().map(Self::File)
    }

    /// Refuses to read standard input twice.
    ///
    /// # Errors
    /// Two of these inputs and files are standard input.
    pub(crate) fn check_stdin(inputs: &[&Self], files: &[PathBuf]) -> Result<(), Error> {
        let files = files.iter().filter(|file| file.as_os_str() == "-").count();
        if files + inputs.iter().filter(|input| input.is_stdin()).count() > 1 {
            let what = "standard input can be read only once, but two arguments are `-`";
            return Err(Error::new(Kind::Usage, what).hint("put one of them into a file"));
        }
        Ok(())
    }

    /// Whether it is standard input that has not been read yet.
    pub fn is_stdin(&self) -> bool {
        matches!(self, Self::File(file) if file == Path::new("-"))
    }

    /// Returns the name of a file that has not been read yet, as typed; `None` for standard input.
    pub(crate) fn typed_name(&self) -> Option<String> {
        match self {
            Self::File(file) if !self.is_stdin() => Some(file.display().to_string()),
            Self::File(_) | Self::Given { .. } => None,
        }
    }

    /// Returns the name and the bytes; both are empty until the input is read.
    pub(crate) fn named(&self) -> (&str, &[u8]) {
        match self {
            Self::Given { name, bytes } => (name, bytes),
            Self::File(_) => ("", &[]),
        }
    }

    /// Returns the text; empty until the input is read, or if it is not UTF-8.
    pub fn text(&self) -> &str {
        str::from_utf8(self.named().1).unwrap_or_default()
    }

    /// Reads the file, at most `most` bytes of it. `wanted` describes the expected content in messages.
    ///
    /// # Errors
    /// It cannot be read.
    pub(crate) fn read(
        &mut self,
        workspace: &Workspace,
        most: u64,
        wanted: &str,
    ) -> Result<(), Error> {
        let Self::File(file) = self else {
            return Ok(());
        };
        let mut bytes = Vec::new();
        let (name, read) = if file == Path::new("-") {
            ("standard input".to_owned(), io::stdin().lock().take(most).read_to_end(&mut bytes))
        } else {
            let opened = show::input(workspace, file, wanted)?;
            let name = workspace.around.dir.join(file).display().to_string();
            (name, opened.take(most).read_to_end(&mut bytes))
        };
        read.map_err(|error| {
            Error::new(Kind::Input, format!("failed to read {name}"))
                .because(error)
                .hint(format!("give {wanted}, or `-` for standard input"))
        })?;
        *self = Self::Given { name, bytes };
        Ok(())
    }

    /// Reads text and trims the white space around it.
    ///
    /// # Errors
    /// It cannot be read, or is not UTF-8.
    pub(crate) fn read_text(
        &mut self,
        workspace: &Workspace,
        most: u64,
        wanted: &str,
    ) -> Result<&str, Error> {
        self.read(workspace, most, wanted)?;
        let (name, bytes) = self.named();
        let text = str::from_utf8(bytes)
            .map_err(|_| Error::new(Kind::Input, format!("{name} is not UTF-8")))?;
        let words = Self::words(text.trim());
        *self = words;
        Ok(self.text())
    }
}
