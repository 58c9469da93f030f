//! `config show`, `config validate`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::agent::dangerous;
use crate::agent::roster::guess;
use crate::config::key::KeyPath;
use crate::config::layers::{Source, at};
use crate::config::load::{Effective, validate_file};
use crate::config::{Config, ConfigError};
use crate::error::{Error, Kind};
use crate::text::Note;
use crate::text::redact::{Redactor, variables};

/// One value and where it comes from.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Row {
    /// The key.
    pub key: KeyPath,
    /// The value; secrets are hidden.
    pub value: Value,
    /// Where it comes from.
    pub source: Source,
}

/// The configuration that counts.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ConfigDocument {
    /// Every value, sorted by key.
    pub values: Vec<Row>,
    /// What is worth knowing.
    pub warnings: Vec<Note>,
}

/// Returns every value with its source.
pub fn show(effective: &Effective) -> ConfigDocument {
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
    ConfigDocument { values, warnings: effective.warnings.clone() }
}

/// Hides likely secrets: a configuration can contain them only in variables to set and in arguments.
fn shown(key: &KeyPath, value: &Value) -> Value {
    match (&key.keys()[..], value) {
        (["agents", _, "env", name], _)
            if variables::names_secret(name)
                || value
                    .as_str()
                    .is_some_and(|value| !variables::secrets_of(name, value).is_empty()) =>
        {
            "(hidden)".into()
        }
        (["agents", _, "env", _], Value::String(text)) => Redactor::new(&[]).text(text).into(),
        (["agents", _, "args"], Value::Array(arguments)) => {
            let arguments: Vec<String> = arguments
                .iter()
                .map(|argument| argument.as_str().unwrap_or_default().to_owned())
                .collect();
            variables::arguments(&arguments, &Redactor::new(&[])).into()
        }
        _ => value.clone(),
    }
}

impl ConfigDocument {
    /// Returns one line per value: `limits.budget_usd = 2.5    # default`.
    pub fn text(&self) -> String {
        let lines: Vec<(String, String)> = self
            .values
            .iter()
            .map(|row| (format!("{} = {}", row.key, row.value), row.source.to_string()))
            .collect();
        let width = lines.iter().map(|(left, _)| left.chars().count()).max().unwrap_or(0).min(60);
        let mut text = String::new();
        for (left, source) in lines {
            // Writing to a `String` cannot fail.
            let _never = writeln!(text, "{left:width$}  # {source}");
        }
        text
    }
}

/// A file that is a valid configuration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ValidationDocument {
    /// The file.
    pub file: PathBuf,
    /// What is worth knowing.
    pub warnings: Vec<Note>,
}

/// Converts a configuration error into the user-facing one.
pub(super) fn refused(error: &ConfigError) -> Error {
    let refused = Error::new(Kind::Config, error.to_string());
    error.hint().into_iter().fold(refused, Error::hint)
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{} {} permissions or a sandbox; remove {them} (only `limits.allow_dangerous` in your own configuration file permits {them})",
    list(.0),
    if .0.len() == 1 { "switches off" } else { "switch off" },
    them = if .0.len() == 1 { "it" } else { "them" }
)]
pub struct DangerousFlags(
    /// The key of each affected agent with the flags found there, as written.
    pub Vec<(KeyPath, String)>,
);

fn list(found: &[(KeyPath, String)]) -> String {
    let parts: Vec<String> =
        found.iter().map(|(key, flag)| format!("`{flag}` in `{key}`")).collect();
    parts.join(", ")
}

/// Refuses dangerous flags of every agent, including agents that the command would not use.
pub fn refuse_dangerous(config: &Config) -> Result<(), DangerousFlags> {
    if config.limits.allow_dangerous {
        return Ok(());
    }
    let found: Vec<(KeyPath, String)> = config
        .agents
        .iter()
        .flat_map(|(name, agent)| {
            let profile = agent.profile.unwrap_or_else(|| guess(&agent.path));
            let flags = dangerous::find(profile, &agent.args, &agent.env);
            let key = KeyPath::of(["agents", name]);
            flags.into_iter().map(move |flag| (key.clone(), flag))
        })
        .collect();
    if found.is_empty() { Ok(()) } else { Err(DangerousFlags(found)) }
}

/// Validates one file, laid over the defaults alone.
///
/// # Errors
/// The file cannot be read, or part of it is refused.
pub fn validate(file: &Path) -> Result<ValidationDocument, Error> {
    let judged = validate_file(file).map_err(|error| refused(&error))?;
    refuse_dangerous(&judged.config)
        .map_err(|flags| Error::new(Kind::Config, flags.to_string()))?;
    Ok(ValidationDocument { warnings: judged.warnings, file: file.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::tests::World;

    #[test]
    fn every_value_is_shown_with_its_source_and_secrets_are_hidden() {
        let world = World::new();
        world.user(r#"{"limits": {"budget_usd": 1}}"#);
        world.project(
            r#"{"agents": {"claude": {"env": {"ANTHROPIC_API_KEY": "sk-canary", "LANG": "C"}}}}"#,
        );
        let shown = show(&world.load().unwrap());
        let text = shown.text();
        let line = |key: &str| text.lines().find(|line| line.starts_with(key)).unwrap();
        assert!(line("limits.budget_usd = 1 ").ends_with("config.json:1"), "{text}");
        assert!(line("limits.max_ids = 1000 ").ends_with("# default"));
        assert!(line("agents.claude.env.LANG = \"C\"").contains("repo/debate-agent.config.json:1"));
        assert!(!text.contains("sk-canary"));
        let json = serde_json::to_value(&shown).unwrap();
        assert!(!json.to_string().contains("sk-canary"));
        let budget =
            json["values"].as_array().unwrap().iter().find(|row| row["key"] == "limits.budget_usd");
        assert_eq!(budget.unwrap()["source"]["layer"], "user");
    }

    #[test]
    fn the_bypass_flags_of_the_source_system_are_refused_by_name() {
        let world = World::new();
        let text = r#"{"agents": {"claude": {"path": "claude", "args": ["--print", "--dangerously-skip-permissions"]},
            "codex": {"path": "codex", "args": ["exec", "--full-auto"]}}}"#;
        world.write("seed.json", text);
        let error = validate(&world.path("seed.json")).unwrap_err().to_string();
        assert!(error.starts_with("`--dangerously-skip-permissions` in `agents.claude`, `--full-auto` in `agents.codex` switch off"), "{error}");
        world.write(
            "mended.json",
            &text
                .replace(", \"--dangerously-skip-permissions\"", "")
                .replace(", \"--full-auto\"", ""),
        );
        assert!(validate(&world.path("mended.json")).is_ok());
        world.write("one.json", &text.replace(", \"--full-auto\"", ""));
        let error = validate(&world.path("one.json")).unwrap_err().to_string();
        assert!(
            error.starts_with("`--dangerously-skip-permissions` in `agents.claude` switches off"),
            "{error}"
        );
        world.user(&format!(r#"{{"limits": {{"allow_dangerous": true}}, {}"#, &text[1..]));
        assert_eq!(refuse_dangerous(&world.load().unwrap().config), Ok(()));
    }
}
