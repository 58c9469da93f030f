//! The result of registering with a client (`mcp install`, `mcp uninstall`).

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;

use crate::words;

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

words! {
    /// Who a registration applies to.
    pub enum Scope {
        /// The user, wherever the client runs.
        User = "user",
        /// Everybody who works in the project: the file is in it.
        Project = "project",
    }
}

/// The result of `mcp install` and `mcp uninstall`: a command of the client's that was run, or what a person has to
/// write or delete.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ClientChange {
    /// The client.
    pub client: Client,
    /// Who it applies to.
    pub scope: Scope,
    /// Whether the client's own command was run, and ended well.
    pub done: bool,
    /// The client's own command, as it was run; with `--dry-run`: as it would be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<Vec<String>>,
    /// What a person has to do, where the client has no command for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by_hand: Option<ByHand>,
    /// What else is worth knowing.
    pub notes: Vec<String>,
}

/// An entry of a client's file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ByHand {
    /// The file.
    pub file: PathBuf,
    /// The entry, as JSON with the keys around it.
    pub entry: String,
    /// Whether it is to be deleted; else it is to be added.
    pub delete: bool,
}

impl ClientChange {
    /// Returns the result for a terminal.
    pub fn text(&self) -> String {
        let mut text = String::new();
        if let Some(command) = &self.command {
            text += if self.done { "ran " } else { "would run " };
            text += &line(command);
            text.push('\n');
        }
        if let Some(ByHand { file, entry, delete }) = &self.by_hand {
            let todo = if *delete { "delete this from" } else { "add this to" };
            text += &format_args!("{todo} {}:\n\n{entry}\n", file.display()).to_string();
        }
        for note in &self.notes {
            text += note;
            text.push('\n');
        }
        text
    }
}

/// Returns a command line ready to be typed.
pub fn line<'a>(words: impl IntoIterator<Item = &'a String>) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@%+,".contains(c);
    let quoted = |word: &String| {
        if !word.is_empty() && word.chars().all(plain) {
            return word.clone();
        }
        format!("'{}'", word.replace('\'', r"'\''"))
    };
    words.into_iter().map(quoted).collect::<Vec<String>>().join(" ")
}
