//! Facts about each client: its program, its files, the syntax of its own commands. Computes paths; touches nothing.
//!
//! Learnt from the clients themselves (Claude Code 2.1.197, Codex 0.169, Gemini CLI 0.61, run on an empty home) and
//! from the documentation of the others, which are not command-line programs. `tests/clients/registration` checks the
//! facts against the first three.

use std::path::{Path, PathBuf};

use crate::agent::profile::{PROFILES, Profile};
use crate::agent::roster::{HostRules, find_tool, trusted_groups};
use crate::app::init;
use crate::app::run::workspace::StartContext;
use crate::config::load::repository_of;
use crate::error::{Error, Kind};
use crate::report::clients::{Client, Scope};

/// The places where clients look, relative to the directory of the command.
#[derive(Debug)]
pub(super) struct ClientPaths<'a> {
    pub(super) around: &'a StartContext,
    /// The user's home directory.
    pub(super) home: PathBuf,
    /// The repository's root, or the start directory if there is no repository.
    pub(super) project: PathBuf,
}

/// A file with a client's servers.
#[derive(Debug, Clone)]
pub(super) struct ClientFile {
    pub(super) path: PathBuf,
    pub(super) form: Form,
    /// The folders that no link may lead out of.
    pub(super) bounds: Vec<PathBuf>,
}

/// The format of such a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Form {
    /// JSON with comments; the servers are under this key.
    Json(&'static str),
    /// Claude Code's own state: large, strict JSON; the servers of a project are under its path.
    Claude(Option<PathBuf>),
    /// Codex's TOML.
    Codex,
}

/// The way to make a registration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RegistrationMethod {
    /// Through the client's own command.
    Command,
    /// By editing the client's file.
    Edit,
}

impl<'a> ClientPaths<'a> {
    pub(super) fn new(around: &'a StartContext) -> Result<Self, Error> {
        let home = around.home();
        if around.var("HOME").is_none() || !home.is_absolute() {
            return Err(Error::new(
                Kind::Environment,
                "HOME is not an absolute path, so it is unknown where the clients keep their files",
            )
            .hint("set HOME"));
        }
        let dir = around.dir.canonicalize().map_err(|error| {
            Error::new(
                Kind::Environment,
                format!("failed to find the real path of {}", around.dir.display()),
            )
            .because(error)
        })?;
        let project = repository_of(&dir).map_or_else(|| dir.clone(), Path::to_owned);
        Ok(Self { around, home, project })
    }

    /// Returns the rules for where programs may be.
    pub(super) fn machine(&self) -> HostRules {
        HostRules {
            path: self.around.var("PATH").unwrap_or_default().to_owned(),
            workspace: self.project.clone(),
            home: self.home.clone(),
            trusted_groups: trusted_groups(self.around.group, &self.around.groups),
        }
    }

    /// Finds the program of a client: on PATH, and for clients that are agents too also in the installers' usual
    /// folders.
    pub(super) fn installed(&self, client: Client) -> Option<PathBuf> {
        let machine = self.machine();
        match profile(client) {
            Some(profile) => init::find(profile.name, &machine).ok().map(|it| it.program),
            None => find_tool(program(client)?, &machine).ok(),
        }
    }

    /// Whether the project is the home directory, so that its files are the user's own.
    pub(super) fn at_home(&self) -> bool {
        self.home.canonicalize().is_ok_and(|home| home == self.project)
    }

    /// Returns the folder that a variable names, else one below home, and the bounds for the files in it.
    fn folder(&self, variable: &str, below_home: &str) -> (PathBuf, Vec<PathBuf>) {
        let named = self.around.var(variable).map(PathBuf::from);
        match named.filter(|path| path.is_absolute()) {
            Some(folder) => (folder.clone(), vec![self.home.clone(), folder]),
            None => (self.home.join(below_home), vec![self.home.clone()]),
        }
    }

    /// Returns the folder for the settings of desktop programs, and its bounds.
    fn settings(&self) -> (PathBuf, Vec<PathBuf>) {
        if cfg!(target_os = "macos") {
            let folder = self.home.join("Library/Application Support");
            return (folder, vec![self.home.clone()]);
        }
        self.folder("XDG_CONFIG_HOME", ".config")
    }

    /// Returns the client's own folder for the user.
    pub(super) fn own_folder(&self, client: Client) -> PathBuf {
        match client {
            Client::Claude => self.folder("CLAUDE_CONFIG_DIR", ".claude").0,
            Client::Codex => self.folder("CODEX_HOME", ".codex").0,
            Client::Gemini => self.folder("GEMINI_CLI_HOME", "").0.join(".gemini"),
            Client::Cursor => self.home.join(".cursor"),
            Client::Vscode => self.settings().0.join("Code/User"),
            Client::ClaudeDesktop => self.settings().0.join("Claude"),
        }
    }

    /// Returns the file of a client for a scope; `None` if the client has no such scope.
    pub(super) fn place(&self, client: Client, scope: Scope) -> Option<ClientFile> {
        let user = |(folder, bounds): (PathBuf, Vec<PathBuf>), name: &str, form| {
            Some(ClientFile { path: folder.join(name), form, bounds })
        };
        let home = || (self.home.clone(), vec![self.home.clone()]);
        let project = |name: &str, key| {
            Some(ClientFile {
                path: self.project.join(name),
                form: Form::Json(key),
                bounds: vec![self.project.clone()],
            })
        };
        let claude = |project| {
            user(self.folder("CLAUDE_CONFIG_DIR", ""), ".claude.json", Form::Claude(project))
        };
        match (client, scope) {
            (Client::Claude, Scope::User) => claude(None),
            (Client::Claude, Scope::Local) => claude(Some(self.project.clone())),
            (Client::Claude, Scope::Project) => project(".mcp.json", "mcpServers"),
            (Client::Codex, Scope::User) => {
                user(self.folder("CODEX_HOME", ".codex"), "config.toml", Form::Codex)
            }
            (Client::Gemini, Scope::User) => user(
                self.folder("GEMINI_CLI_HOME", ""),
                ".gemini/settings.json",
                Form::Json("mcpServers"),
            ),
            (Client::Gemini, Scope::Project) => project(".gemini/settings.json", "mcpServers"),
            (Client::Cursor, Scope::User) => {
                user(home(), ".cursor/mcp.json", Form::Json("mcpServers"))
            }
            (Client::Cursor, Scope::Project) => project(".cursor/mcp.json", "mcpServers"),
            (Client::Vscode, Scope::User) => {
                user(self.settings(), "Code/User/mcp.json", Form::Json("servers"))
            }
            (Client::Vscode, Scope::Project) => project(".vscode/mcp.json", "servers"),
            (Client::ClaudeDesktop, Scope::User) => {
                user(self.settings(), "Claude/claude_desktop_config.json", Form::Json("mcpServers"))
            }
            (Client::Codex | Client::ClaudeDesktop, Scope::Project)
            | (
                Client::Codex
                | Client::Gemini
                | Client::Cursor
                | Client::Vscode
                | Client::ClaudeDesktop,
                Scope::Local,
            ) => None,
        }
    }
}

/// Returns the name of a client's program on PATH; `None` for a client without one.
pub(super) fn program(client: Client) -> Option<&'static str> {
    match client {
        Client::Claude => Some("claude"),
        Client::Codex => Some("codex"),
        Client::Gemini => Some("gemini"),
        Client::Cursor => Some("cursor"),
        Client::Vscode => Some("code"),
        Client::ClaudeDesktop => None,
    }
}

/// Returns the profile of a client that is also an agent.
pub(super) fn profile(client: Client) -> Option<&'static Profile> {
    let program = program(client)?;
    PROFILES.iter().copied().find(|profile| profile.probes.program == program)
}

/// Returns how a server is registered with a client.
///
/// Gemini CLI 0.61 is changed by its command for the user scope only: in a folder that it does not trust, as a
/// project is at first, its `mcp add --scope project` writes the file without the servers and settings that were in
/// it, and its `mcp remove` finds nothing and ends with 0.
pub(super) fn way_in(client: Client, scope: Scope) -> RegistrationMethod {
    match (client, scope) {
        (Client::Claude | Client::Codex, _) | (Client::Gemini | Client::Vscode, Scope::User) => {
            RegistrationMethod::Command
        }
        (Client::Cursor | Client::ClaudeDesktop, _)
        | (Client::Gemini | Client::Vscode, Scope::Project | Scope::Local) => {
            RegistrationMethod::Edit
        }
    }
}

/// Returns how a registration is removed: VS Code has no command for it.
pub(super) fn way_out(client: Client, scope: Scope) -> RegistrationMethod {
    match client {
        Client::Vscode => RegistrationMethod::Edit,
        Client::Claude
        | Client::Codex
        | Client::Gemini
        | Client::Cursor
        | Client::ClaudeDesktop => way_in(client, scope),
    }
}

/// Returns a hint for users whose client does not start a registered server.
pub(super) fn note(client: Client, scope: Scope) -> Option<&'static str> {
    match (client, scope) {
        (Client::Claude, Scope::Project) => {
            Some("Claude Code asks each person once before it starts a project's server")
        }
        (Client::Gemini, _) => Some("Gemini CLI starts servers only in folders that it trusts"),
        (Client::Vscode, _) => Some("VS Code asks once before it starts a new server"),
        (Client::Cursor, _) => {
            Some("restart Cursor if it is running: it reads the file when it starts")
        }
        (Client::ClaudeDesktop, _) => {
            Some("restart Claude Desktop if it is running: it reads the file when it starts")
        }
        (Client::Claude, Scope::User | Scope::Local) | (Client::Codex, _) => None,
    }
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// Returns the arguments with which a client registers `server` (program first) under a name.
pub(super) fn add(client: Client, scope: Scope, name: &str, server: &[String]) -> Vec<String> {
    let scope = scope.name();
    let mut args = match client {
        Client::Claude => words(&["mcp", "add", "--scope", scope, name, "--"]),
        Client::Codex => words(&["mcp", "add", name, "--"]),
        // Its parser would read a `--` as the command; none of these words looks like an option.
        Client::Gemini => words(&["mcp", "add", "--scope", scope, name]),
        Client::Vscode | Client::Cursor | Client::ClaudeDesktop => {
            let (command, rest) =
                server.split_first().map_or(("", &[][..]), |(first, rest)| (first.as_str(), rest));
            let entry = serde_json::json!({ "name": name, "command": command, "args": rest });
            return vec!["--add-mcp".to_owned(), entry.to_string()];
        }
    };
    args.extend_from_slice(server);
    args
}

/// Returns the arguments with which a client removes a server; empty if it has no such command.
pub(super) fn remove(client: Client, scope: Scope, name: &str) -> Vec<String> {
    let scope = scope.name();
    match client {
        Client::Claude | Client::Gemini => words(&["mcp", "remove", "--scope", scope, name]),
        Client::Codex => words(&["mcp", "remove", name]),
        Client::Cursor | Client::Vscode | Client::ClaudeDesktop => Vec::new(),
    }
}
