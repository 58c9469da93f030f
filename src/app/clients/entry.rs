//! The servers in the clients' files, read without starting them.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::Read as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use rustix::fs::OFlags;
use serde::Deserialize;
use serde_json::Value;

use super::disk;
use super::edit::Document;
use super::places::{ClientFile, Form};
use crate::config::error::ReadError;
use crate::config::file::{Links, read_text};
use crate::report::clients::Server;
use crate::text::sanitize;

/// Maximum bytes of Claude Code's state that are read: it contains histories, tens of megabytes on a busy machine.
const CLAUDE_BYTES: u64 = 128 << 20;

/// The servers of a file, by name.
pub(super) type Entries = BTreeMap<String, Entry>;

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Entry {
    /// The server started by the client, if it starts one.
    pub(super) server: Option<Server>,
    /// Whether it names an address, for a server of another kind.
    pub(super) address: bool,
    /// The additional environment variables.
    pub(super) env: BTreeMap<String, String>,
    /// Whether the client is told not to start it.
    pub(super) off: bool,
    /// The names of its other settings.
    pub(super) more: Vec<String>,
}

impl Entry {
    fn of(value: &Value) -> Self {
        let text = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
        let args = value.get("args").and_then(Value::as_array);
        let args = args.into_iter().flatten();
        let env = value.get("env").and_then(Value::as_object);
        let known = ["command", "args", "env", "type", "disabled", "enabled"];
        let is_true = |name: &str| value.get(name).and_then(Value::as_bool);
        Self {
            server: text("command").map(|command| Server {
                command,
                args: args
                    .map(|arg| arg.as_str().map_or_else(|| arg.to_string(), str::to_owned))
                    .collect(),
            }),
            address: ["url", "httpUrl", "serverUrl"].iter().any(|name| text(name).is_some()),
            env: env
                .into_iter()
                .flatten()
                .filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())))
                .collect(),
            off: is_true("disabled") == Some(true) || is_true("enabled") == Some(false),
            more: value
                .as_object()
                .into_iter()
                .flatten()
                .map(|(name, _)| name.clone())
                .filter(|name| !known.contains(&name.as_str()))
                .collect(),
        }
    }

    /// Returns the entry that this program would register.
    pub(super) fn fresh(server: &Server) -> Self {
        Self {
            server: Some(server.clone()),
            address: false,
            env: BTreeMap::new(),
            off: false,
            more: Vec::new(),
        }
    }

    /// Whether a client treats this entry exactly as it would a fresh one.
    pub(super) fn is_fresh(&self, server: &Server) -> bool {
        self.server.as_ref() == Some(server) && self.env.is_empty() && !self.off
    }

    /// Returns the entry as text for people. Values of variables are left out: they may be secrets.
    pub(super) fn words(&self) -> String {
        let mut text = self.server.as_ref().map_or_else(
            || {
                let what = if self.address {
                    "an address instead of a program"
                } else {
                    "neither a program nor an address"
                };
                what.to_owned()
            },
            |server| {
                let words = std::iter::once(&server.command).chain(&server.args);
                crate::report::clients::line(words)
            },
        );
        if !self.env.is_empty() {
            let names: Vec<&str> = self.env.keys().map(String::as_str).collect();
            text.push_str(" with the variables ");
            text.push_str(&names.join(", "));
        }
        if self.off {
            text.push_str(", switched off");
        }
        sanitize::line(&text, 400)
    }
}

/// Reads the servers of a file; a missing or empty file has none. The error text gives the problem and its position.
pub(super) fn read(place: &ClientFile) -> Result<Entries, String> {
    disk::find(place).map_err(|error| error.to_string())?;
    match &place.form {
        Form::Json(key) => json(&text(&place.path)?, key),
        Form::Codex => toml(&text(&place.path)?),
        Form::Claude(project) => claude(&place.path, project.as_deref()),
    }
}

fn text(path: &Path) -> Result<String, String> {
    match read_text(path, Links::Follow) {
        Ok(text) => Ok(text),
        Err(ReadError::Io(error)) if error.kind() == std::io::ErrorKind::NotFound => {
            Ok(String::new())
        }
        Err(error) => Err(error.to_string()),
    }
}

fn json(text: &str, key: &str) -> Result<Entries, String> {
    let body = text.trim_start_matches('\u{feff}');
    if body.trim().is_empty() {
        return Ok(Entries::new());
    }
    let value = Document::parse(body).and_then(|document| document.value());
    let value = value.map_err(|flaw| flaw.to_string())?;
    match value.get(key) {
        None | Some(Value::Null) => Ok(Entries::new()),
        Some(Value::Object(servers)) => Ok(entries(servers)),
        Some(Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_)) => {
            Err(format!("`{key}` is not an object"))
        }
    }
}

fn entries<'a>(servers: impl IntoIterator<Item = (&'a String, &'a Value)>) -> Entries {
    servers.into_iter().map(|(name, value)| (name.clone(), Entry::of(value))).collect()
}

/// The relevant part of Codex's configuration.
#[derive(Deserialize)]
struct Codex {
    #[serde(default)]
    mcp_servers: BTreeMap<String, Value>,
}

fn toml(text: &str) -> Result<Entries, String> {
    let config: Codex = toml::from_str(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        let line = text.get(..at).unwrap_or_default().matches('\n').count() + 1;
        format!("line {line}: {}", sanitize::line(error.message(), 200))
    })?;
    Ok(entries(&config.mcp_servers))
}

/// The relevant part of Claude Code's state; the rest is skipped while reading.
#[derive(Deserialize)]
struct Claude {
    #[serde(default, rename = "mcpServers")]
    servers: Option<BTreeMap<String, Value>>,
    #[serde(default)]
    projects: Option<BTreeMap<String, ClaudeProject>>,
}

#[derive(Deserialize)]
struct ClaudeProject {
    #[serde(default, rename = "mcpServers")]
    servers: Option<BTreeMap<String, Value>>,
}

fn claude(path: &Path, project: Option<&Path>) -> Result<Entries, String> {
    let opened = OpenOptions::new()
        .read(true)
        .custom_flags(OFlags::NONBLOCK.bits().cast_signed())
        .open(path);
    let file = match opened {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Entries::new()),
        Err(error) => return Err(error.to_string()),
    };
    let meta = file.metadata().map_err(|error| error.to_string())?;
    if !meta.is_file() {
        return Err(ReadError::NotPlain.to_string());
    }
    if meta.len() > CLAUDE_BYTES {
        return Err(ReadError::TooLarge { cap: CLAUDE_BYTES }.to_string());
    }
    if meta.len() == 0 {
        return Ok(Entries::new());
    }
    let reader = std::io::BufReader::new(file.take(CLAUDE_BYTES));
    let state: Claude = serde_json::from_reader(reader).map_err(|error| error.to_string())?;
    let servers = match project {
        None => state.servers,
        Some(project) => {
            project.to_str().and_then(|project| state.projects?.remove(project)?.servers)
        }
    };
    Ok(servers.iter().flat_map(entries).collect())
}
