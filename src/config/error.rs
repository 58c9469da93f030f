//! The reasons why a configuration is refused: the fault, its file and line, and how to fix it.

use std::path::PathBuf;
use std::{fmt, io};

use super::document::{DocumentError, Position};
use super::key::KeyPath;
use super::layers::Layer;

/// The location of a fault, for messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FaultLocation {
    /// A position in a file (`None`: the embedded default).
    File(Option<PathBuf>, Position),
    /// A variable, by its name.
    Variable(String),
    /// A flag of the command line, by its spelling.
    Flag(String),
}

impl fmt::Display for FaultLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(Some(file), at) => {
                write!(f, "{}:{}:{}", file.display(), at.line, at.column)
            }
            Self::File(None, at) => write!(f, "embedded default:{}:{}", at.line, at.column),
            Self::Variable(name) | Self::Flag(name) => f.write_str(name),
        }
    }
}

/// The reason why a file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// An I/O error.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The file is a symbolic link and came with the project.
    #[error("is a symbolic link, or behind one; files of a project must be regular files")]
    Symlink,
    /// The file belongs to the user, but others can write it.
    #[error(
        "can be written by others (mode {mode:o}); check its contents, then run `chmod go-w` on it"
    )]
    Open {
        /// The permissions of the file.
        mode: u32,
    },
    /// The path is a folder, a pipe or a device.
    #[error("is not a regular file")]
    NotPlain,
    /// The file is larger than its kind may be.
    #[error("is larger than {cap} bytes")]
    TooLarge {
        /// The maximum size.
        cap: u64,
    },
    /// The file is not UTF-8.
    #[error("is not UTF-8 (first bad byte at {at})")]
    NotUtf8 {
        /// Offset of the first invalid byte.
        at: usize,
    },
}

/// The reason why a configuration is refused.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// A file could not be read.
    #[error("failed to read {}: {source}", file.display())]
    Read {
        file: PathBuf,
        /// The reason.
        source: ReadError,
    },
    /// A file is not a JSON object, or has duplicate keys.
    #[error("{place}: {source}")]
    Malformed {
        place: FaultLocation,
        /// The fault.
        source: DocumentError,
    },
    /// A key that does not exist.
    #[error("{place}: unknown key `{path}`{}", hint(nearest.as_deref()))]
    UnknownKey {
        place: FaultLocation,
        path: KeyPath,
        /// The key that was probably meant, if one is similar enough.
        nearest: Option<String>,
    },
    /// A value of the wrong type, out of range, or that names something that does not exist.
    #[error("{place}: `{path}` {message}")]
    Invalid {
        place: FaultLocation,
        path: KeyPath,
        /// The fault, as the rest of a sentence that begins with the key.
        message: String,
    },
    /// A variable with our prefix that does not exist.
    #[error("unknown variable {name}{}", hint(nearest.as_deref()))]
    UnknownVariable {
        name: String,
        /// The name that was probably meant, if one is similar enough.
        nearest: Option<String>,
    },
    /// A key that only the user's own file may set.
    #[error("{place}: `{path}` counts only in the user's own file, not in {layer}")]
    UserOnly { place: FaultLocation, path: KeyPath, layer: Layer },
}

/// The settings of a dialogue with their defaults, for users who have them in a file of another kind.
const TOPIC: &str = r#"{"topic": {"max_rounds": 4, "round_timeout_seconds": 300, "consensus_threshold": 0.85, "expert_threshold": 0.7}}"#;

/// Returns the end of a message that names what was probably meant.
pub(super) fn hint(nearest: Option<&str>) -> String {
    nearest.map(|name| format!("; did you mean `{name}`?")).unwrap_or_default()
}

impl ConfigError {
    /// Returns how to fix the error, where the message itself does not say so.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Read { source, .. } => match source {
                ReadError::Symlink => {
                    Some("put the file itself there, or name it with --config".to_owned())
                }
                _ => None,
            },
            Self::UnknownKey { nearest: None, .. } => {
                Some("`debate-agent config schema` lists all keys".to_owned())
            }
            Self::UnknownVariable { .. } => Some(format!(
                "the variables are {}",
                crate::config::key::NAMES.map(|(name, _)| name).join(", ")
            )),
            Self::UserOnly { .. } => Some(
                "set it in $XDG_CONFIG_HOME/debate-agent/config.json if you mean it".to_owned(),
            ),
            Self::Malformed { place: FaultLocation::File(Some(file), _), .. }
                if (file.extension()).is_some_and(|kind| kind == "yaml" || kind == "yml") =>
            {
                Some(format!("a configuration is JSON; a debate's settings are {TOPIC}"))
            }
            Self::Malformed { .. } | Self::UnknownKey { .. } | Self::Invalid { .. } => None,
        }
    }
}

/// Returns the name most similar to `wrong`, if one is similar enough to be meant.
pub fn nearest<'a>(wrong: &str, names: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let likeness = |name: &str| {
        // `timeout` for `timeout_seconds` is far off by letters, but close in meaning.
        let short = wrong.len().min(name.len());
        if short >= 3 && (name.starts_with(wrong) || wrong.starts_with(name)) {
            0.9
        } else {
            strsim::normalized_damerau_levenshtein(wrong, name)
        }
    };
    names
        .into_iter()
        .map(|name| (likeness(name), name))
        .filter(|(similarity, _)| *similarity >= 0.5)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, name)| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_settings_that_are_shown_are_the_defaults() {
        let shown: serde_json::Value = serde_json::from_str(TOPIC).unwrap();
        let defaults: serde_json::Value = serde_json::from_str(crate::config::EMBEDDED).unwrap();
        for (key, value) in shown["topic"].as_object().unwrap() {
            assert_eq!(&defaults["topic"][key], value, "{key}");
        }
    }
}
