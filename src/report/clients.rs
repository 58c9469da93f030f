//! The result of registering with a client (`mcp install`, `mcp uninstall`), and the present registrations
//! (`mcp status`).

mod text;

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;

use crate::words;

pub use text::{change, line, status};

words! {
    /// A program that can start this one as an MCP server.
    #[derive(PartialOrd, Ord)]
    pub enum Client {
        /// Claude Code.
        Claude = "claude",
        /// Codex.
        Codex = "codex",
        /// Gemini CLI.
        Gemini = "gemini",
        /// Cursor.
        Cursor = "cursor",
        /// Visual Studio Code.
        Vscode = "vscode",
        /// Claude Desktop.
        ClaudeDesktop = "claude-desktop",
    }
}

impl Client {
    /// Returns the client's product name.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Claude => "Claude Code",
            Self::Codex => "Codex",
            Self::Gemini => "Gemini CLI",
            Self::Cursor => "Cursor",
            Self::Vscode => "VS Code",
            Self::ClaudeDesktop => "Claude Desktop",
        }
    }
}

words! {
    /// Who a registration applies to.
    pub enum Scope {
        /// The user, wherever the client runs.
        User = "user",
        /// Everybody who works in the project: the file is in it.
        Project = "project",
        /// The user, only in this project (Claude Code's `local`). It is read, never written.
        Local = "local",
    }
}

/// What a client starts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Server {
    /// The program.
    pub command: String,
    /// Its arguments.
    pub args: Vec<String>,
}

/// What became of a registration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RegistrationResult {
    /// It was added.
    Registered,
    /// It was there, and nothing was changed.
    AlreadyRegistered,
    /// It replaced another of the same name.
    Replaced,
    /// It was removed.
    Removed,
    /// There was none to remove.
    NotRegistered,
}

/// The result of `mcp install` and `mcp uninstall`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ClientChange {
    /// The client.
    pub client: Client,
    /// Who it applies to.
    pub scope: Scope,
    /// The server's name there.
    pub name: String,
    /// What was done; with `dry_run`: what would be.
    pub done: RegistrationResult,
    /// Nothing was run and nothing was written.
    pub dry_run: bool,
    /// What the client starts.
    pub server: Server,
    /// How `server.command` was found.
    pub found: String,
    /// The file that contains it.
    pub file: PathBuf,
    /// If `file` is a link: the file that it points to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub real_file: Option<PathBuf>,
    /// The client's own commands that were run, each with its arguments; with `dry_run`: that would be.
    pub commands: Vec<Vec<String>>,
    /// What was changed in `file`, as a unified diff, where this program edits it itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    /// A copy of the file as it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backup: Option<PathBuf>,
    /// What else is worth knowing.
    pub notes: Vec<String>,
}

/// The result of `mcp status`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ClientsStatus {
    /// This version.
    pub version: String,
    /// What `mcp install` would register.
    pub server: Server,
    /// How `server.command` was found.
    pub found: String,
    /// Each client.
    pub clients: Vec<ClientStatus>,
    /// Every registration that was found answers, and every file could be read. `false` is exit code 1.
    pub well: bool,
}

/// What was found of one client.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ClientStatus {
    /// The client.
    pub client: Client,
    /// There is a program or a folder of it on this machine.
    pub present: bool,
    /// Its program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub program: Option<PathBuf>,
    /// The registrations that were found.
    pub registrations: Vec<Registration>,
    /// Its files that could not be read.
    pub unreadable: Vec<Unreadable>,
}

/// A file that could not be read: nobody knows what is registered there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Unreadable {
    /// The file.
    pub file: PathBuf,
    /// Why.
    pub why: String,
}

/// One registration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Registration {
    /// Who it applies to.
    pub scope: Scope,
    /// The file that contains it.
    pub file: PathBuf,
    /// The server's name.
    pub name: String,
    /// What the client starts; `None`: it names no program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<Server>,
    /// The client is told not to start it.
    pub off: bool,
    /// The program is this very binary.
    pub ours: bool,
    /// Whether it answers.
    pub answer: Answer,
}

/// Whether a registered server answers as an MCP server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum Answer {
    /// It was started and answered.
    Yes {
        /// The name that it gives itself.
        name: String,
        /// Its version.
        version: String,
        /// How many tools it has.
        tools: u64,
        /// From its start to its end, in milliseconds.
        milliseconds: u64,
    },
    /// It was started, or could not be, and did not answer.
    No {
        /// Why.
        why: String,
    },
    /// It was not started.
    NotTried {
        /// Why.
        why: String,
    },
}
