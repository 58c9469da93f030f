//! `config show`, `config schema`, `config validate`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::Value;

use crate::config::key::KeyPath;
use crate::config::layers::{Source, at};
use crate::config::load::{Effective, validate_file};
use crate::config::{ConfigError, schema};
use crate::text::Note;

/// One value and where it comes from.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// The key.
    pub key: KeyPath,
    /// The value; secrets are hidden.
    pub value: Value,
    /// Where it comes from.
    pub source: Source,
}

/// The configuration that counts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Shown {
    /// Every value, sorted by key.
    pub values: Vec<Row>,
    /// What is worth knowing.
    pub warnings: Vec<Note>,
}

/// Shows every value with its source.
pub fn show(effective: &Effective) -> Shown {
    let values = effective
        .provenance
        .iter()
        .filter_map(|(key, source)| {
            Some(Row {
                key: key.clone(),
                value: shown(key, at(&effective.value, key)?),
                source: source.clone(),
            })
        })
        .collect();
    Shown {
        values,
        warnings: effective.warnings.clone(),
    }
}

/// Hides what is likely a secret: variables to set are the one place where a configuration can hold any.
fn shown(key: &KeyPath, value: &Value) -> Value {
    const SECRET: [&str; 5] = ["KEY", "TOKEN", "SECRET", "PASSWORD", "CREDENTIAL"];
    match key.keys()[..] {
        ["agents", _, "env", name]
            if SECRET.iter().any(|word| name.to_uppercase().contains(word)) =>
        {
            "(hidden)".into()
        }
        _ => value.clone(),
    }
}

impl Shown {
    /// Writes one line a value: `limits.budget_usd = 2.5    # default`.
    pub fn text(&self) -> String {
        let lines: Vec<(String, String)> = self
            .values
            .iter()
            .map(|row| {
                (
                    format!("{} = {}", row.key, row.value),
                    row.source.to_string(),
                )
            })
            .collect();
        let width = lines
            .iter()
            .map(|(left, _)| left.chars().count())
            .max()
            .unwrap_or(0)
            .min(60);
        let mut text = String::new();
        for (left, source) in lines {
            // Writing to a String cannot fail.
            let _never = writeln!(text, "{left:width$}  # {source}");
        }
        text
    }
}

/// Returns the JSON Schema of a configuration file.
pub fn json_schema() -> Value {
    schema::json_schema()
}

/// A file that is a valid configuration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Validated {
    /// The file.
    pub file: PathBuf,
    /// What is worth knowing.
    pub warnings: Vec<Note>,
}

/// Judges one file, laid over the defaults alone.
pub fn validate(file: &Path) -> Result<Validated, ConfigError> {
    Ok(Validated {
        warnings: validate_file(file)?,
        file: file.to_owned(),
    })
}
