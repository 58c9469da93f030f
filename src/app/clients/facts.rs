//! Facts about each client: its program, the syntax of its own commands, the files of those that have none.
//!
//! Learnt from the clients themselves (Claude Code 2.1.197, Codex 0.169, Gemini CLI 0.61, run on an empty home) and from
//! the documentation of the others. `tests/clients/registration` checks the facts against the first three.

use serde_json::json;

use crate::report::clients::{Client, Scope};

type Command = (&'static str, Vec<String>);

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// Returns the command that registers `server` (program first) under a name, if the client has one.
///
/// Gemini CLI 0.61 has one for the user scope alone: in a folder that it does not trust, as a project is at first, its
/// `mcp add --scope project` writes the file without the servers and settings that were in it.
pub(super) fn add(client: Client, scope: Scope, name: &str, server: &[String]) -> Option<Command> {
    let (program, mut args) = match (client, scope) {
        (Client::Claude, _) => {
            ("claude", words(&["mcp", "add", "--scope", scope.name(), name, "--"]))
        }
        (Client::Codex, Scope::User) => ("codex", words(&["mcp", "add", name, "--"])),
        // Its parser would read a `--` as the command; none of these words looks like an option.
        (Client::Gemini, Scope::User) => {
            ("gemini", words(&["mcp", "add", "--scope", "user", name]))
        }
        (Client::Vscode, Scope::User) => {
            let (command, rest) = server.split_first()?;
            let entry = json!({ "name": name, "command": command, "args": rest });
            return Some(("code", vec!["--add-mcp".to_owned(), entry.to_string()]));
        }
        _ => return None,
    };
    args.extend_from_slice(server);
    Some((program, args))
}

pub(super) fn remove(client: Client, scope: Scope, name: &str) -> Option<Command> {
    match (client, scope) {
        (Client::Claude, _) => {
            Some(("claude", words(&["mcp", "remove", "--scope", scope.name(), name])))
        }
        (Client::Codex, Scope::User) => Some(("codex", words(&["mcp", "remove", name]))),
        (Client::Gemini, Scope::User) => {
            Some(("gemini", words(&["mcp", "remove", "--scope", "user", name])))
        }
        _ => None,
    }
}

/// Returns the file that has a server's entry, below the home or the project, and the entry with the keys around it;
/// `None` if the client has no such scope.
pub(super) fn entry(
    client: Client,
    scope: Scope,
    name: &str,
    server: &[String],
) -> Option<(&'static str, String)> {
    let settings = if cfg!(target_os = "macos") {
        [
            "Library/Application Support/Code/User/mcp.json",
            "Library/Application Support/Claude/claude_desktop_config.json",
        ]
    } else {
        [".config/Code/User/mcp.json", ".config/Claude/claude_desktop_config.json"]
    };
    let file = match (client, scope) {
        (Client::Gemini, _) => ".gemini/settings.json",
        (Client::Cursor, _) => ".cursor/mcp.json",
        (Client::Vscode, Scope::Project) => ".vscode/mcp.json",
        (Client::Vscode, Scope::User) => settings[0],
        (Client::ClaudeDesktop, Scope::User) => settings[1],
        (Client::Claude | Client::Codex, _) | (Client::ClaudeDesktop, Scope::Project) => {
            return None;
        }
    };
    let key = if client == Client::Vscode { "servers" } else { "mcpServers" };
    let (command, args) = server.split_first()?;
    let entry = json!({ key: { name: { "command": command, "args": args } } });
    Some((file, format!("{entry:#}")))
}

/// Returns a hint for users whose client does not start a registered server.
pub(super) fn note(client: Client, scope: Scope) -> Option<&'static str> {
    match (client, scope) {
        (Client::Claude, Scope::Project) => {
            Some("Claude Code asks each person once before it starts a project's server")
        }
        (Client::Gemini, _) => Some("Gemini CLI starts servers only in folders that it trusts"),
        (Client::Vscode, _) => Some("VS Code asks once before it starts a new server"),
        (Client::Cursor | Client::ClaudeDesktop, _) => {
            Some("restart it if it is running: it reads the file when it starts")
        }
        (Client::Claude | Client::Codex, _) => None,
    }
}
