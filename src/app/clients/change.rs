//! `mcp install` and `mcp uninstall`.

use std::path::{Path, PathBuf};

use serde_json::json;
use tokio::sync::watch;

use super::disk::{self, edge};
use super::edit::{self, Change};
use super::entry::{self, Entry};
use super::own_program::{self, NAME, OwnProgram};
use super::places::{self, ClientFile, ClientPaths, RegistrationMethod};
use super::start;
use crate::agent::roster::{ToolError, find_tool};
use crate::app::run::workspace::StartContext;
use crate::error::{Error, Kind};
use crate::process::Control;
use crate::report::clients::{Client, ClientChange, RegistrationResult, Scope, Server, line};
use crate::text::redact::Redactor;

/// A request of `mcp install` or `mcp uninstall`.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    /// The client to change.
    pub client: Client,
    /// The scope of the registration.
    pub scope: Scope,
    /// The server's name in the client; `None` for `debate-agent`.
    pub name: Option<String>,
    /// Whether to replace another entry of that name, or to remove the entry although it starts another program.
    pub force: bool,
    /// Whether to report what would be done without doing it.
    pub dry_run: bool,
}

/// Registers this program with a client.
///
/// # Errors
/// Usage: the client has no such scope, or the name is invalid. Input: the client's file cannot be read, or another
/// entry has the name. Environment: the client's program is missing. Trust: the file is a link that leads away, or
/// belongs to another user. State: the file could not be written, or the client did not do it.
pub(crate) async fn install(
    around: &StartContext,
    request: &Request,
) -> Result<ClientChange, Error> {
    let task = Task::new(around, request)?;
    let way = places::way_in(task.client, task.scope);
    let program = match way {
        RegistrationMethod::Command => Some(task.program(true)?),
        RegistrationMethod::Edit => None,
    };
    let found = task.found()?;
    let mut done = task.document(request.dry_run);
    done.notes.extend(task.ourselves.warning.clone());
    if let Some(entry) = &found {
        if entry.is_fresh(&task.ourselves.server) {
            done.done = RegistrationResult::AlreadyRegistered;
            if !entry.more.is_empty() {
                let more = entry.more.join(", ");
                done.notes.push(format!("other settings there are kept: {more}"));
            }
            return Ok(done);
        }
        if !request.force {
            return Err(task.refused(entry));
        }
        done.done = RegistrationResult::Replaced;
    }
    done.notes.extend(places::note(task.client, task.scope).map(str::to_owned));
    let Some(program) = program else {
        let (key, entry) = task.json_entry();
        return task.edit(done, key, &Change::Put(entry));
    };
    // Codex, Gemini CLI and VS Code replace an existing entry; Claude Code refuses to.
    let mut commands = Vec::new();
    if found.is_some() && task.client == Client::Claude {
        commands.push(places::remove(task.client, task.scope, &task.name));
    }
    commands.push(task.add());
    task.register(done, &program, &commands, found.is_some()).await
}

/// Removes this program's registration from a client.
///
/// # Errors
/// As [`install`]; Input also if the entry starts another program.
pub(crate) async fn uninstall(
    around: &StartContext,
    request: &Request,
) -> Result<ClientChange, Error> {
    let task = Task::new(around, request)?;
    let found = task.found()?;
    let mut done = task.document(request.dry_run);
    let Some(entry) = found else {
        done.done = RegistrationResult::NotRegistered;
        done.notes = task.elsewhere();
        return Ok(done);
    };
    done.done = RegistrationResult::Removed;
    let ours = entry
        .server
        .as_ref()
        .is_some_and(|server| own_program::is_ours(server, &task.world, &task.ourselves));
    if !ours && !request.force {
        return Err(Error::new(
            Kind::Input,
            format!(
                "`{}` in {} does not start debate-agent: {}",
                task.name,
                task.place.path.display(),
                entry.words()
            ),
        )
        .named("not_ours")
        .hint("--force removes it anyway"));
    }
    match places::way_out(task.client, task.scope) {
        RegistrationMethod::Edit => {
            let (key, _) = task.json_entry();
            task.edit(done, key, &Change::Remove)
        }
        RegistrationMethod::Command => {
            let program = task.program(false)?;
            let args = places::remove(task.client, task.scope, &task.name);
            task.register(done, &program, &[args], false).await
        }
    }
}

/// One client, scope and name, with everything known about them.
struct Task<'a> {
    world: ClientPaths<'a>,
    client: Client,
    scope: Scope,
    name: String,
    place: ClientFile,
    ourselves: OwnProgram,
}

impl<'a> Task<'a> {
    fn new(around: &'a StartContext, request: &Request) -> Result<Self, Error> {
        around.refuse_nesting()?;
        let (client, scope) = (request.client, request.scope);
        let name = request.name.as_deref().unwrap_or(NAME);
        check_name(name)?;
        let world = ClientPaths::new(around)?;
        let Some(place) = world.place(client, scope) else {
            let title = client.title();
            return Err(Error::new(
                Kind::Usage,
                format!("{title} has no project servers that another program could register"),
            )
            .hint("leave --scope out, or use --scope user"));
        };
        if scope == Scope::Project && world.at_home() {
            return Err(Error::new(
                Kind::Usage,
                "the project here is your home folder, where a project's file would be your personal one",
            )
            .hint("change to the project's folder, or leave --scope out"));
        }
        let ourselves = own_program::find(&world, scope)?;
        Ok(Self { world, client, scope, name: name.to_owned(), place, ourselves })
    }

    /// Returns the result document of a registration that adds an entry.
    fn document(&self, dry_run: bool) -> ClientChange {
        let real = disk::find(&self.place).ok();
        let linked = self.place.path.symlink_metadata().is_ok_and(|meta| meta.is_symlink());
        ClientChange {
            client: self.client,
            scope: self.scope,
            name: self.name.clone(),
            done: RegistrationResult::Registered,
            dry_run,
            server: self.ourselves.server.clone(),
            found: self.ourselves.found.clone(),
            file: self.place.path.clone(),
            real_file: real.filter(|_| linked),
            commands: Vec::new(),
            diff: None,
            backup: None,
            notes: Vec::new(),
        }
    }

    /// Finds the client's program. If it is missing, the error explains what to install and what to do by hand.
    fn program(&self, adding: bool) -> Result<PathBuf, Error> {
        if let Some(program) = self.world.installed(self.client) {
            return Ok(program);
        }
        let word = places::program(self.client).unwrap_or_default();
        let (why, install) = match find_tool(word, &self.world.machine()) {
            Ok(program) => return Ok(program),
            Err(ToolError::Missing(_)) => {
                let install = match places::profile(self.client) {
                    Some(profile) => format!("install it: {}", profile.probes.install),
                    None => r#"in VS Code, run "Shell Command: Install 'code' command in PATH""#
                        .to_owned(),
                };
                ("is not on PATH".to_owned(), Some(install))
            }
            Err(ToolError::Unsafe(why)) => (format!("cannot be used: {why}"), None),
        };
        let title = self.client.title();
        let args =
            if adding { self.add() } else { places::remove(self.client, self.scope, &self.name) };
        let mut error = Error::new(
            Kind::Environment,
            format!("{title} is changed through its own command `{word}`, which {why}"),
        )
        .named("client_missing");
        if let Some(install) = install {
            error = error.hint(install);
        }
        error = error.hint(format!(
            "or run yourself, where `{word}` works: {}",
            line([word.to_owned()].iter().chain(&args))
        ));
        if self.client == Client::Vscode {
            let (key, entry) = self.json_entry();
            error = error.hint(format!(
                "or put this into {}: {}",
                self.place.path.display(),
                json!({ key: { &self.name: entry } })
            ));
        }
        Err(error)
    }

    fn add(&self) -> Vec<String> {
        let Server { command, args } = &self.ourselves.server;
        let server: Vec<String> = std::iter::once(command).chain(args).cloned().collect();
        places::add(self.client, self.scope, &self.name, &server)
    }

    /// Returns the client's current entry of this name.
    fn found(&self) -> Result<Option<Entry>, Error> {
        let real = disk::find(&self.place).map_err(|error| edge(&error))?;
        let mut entries = entry::read(&self.place).map_err(|why| {
            Error::new(Kind::Input, format!("{} cannot be read: {why}", real.display()))
                .named("client_file")
                .hint("fix it first; it was left unchanged")
        })?;
        Ok(entries.remove(&self.name))
    }

    fn refused(&self, entry: &Entry) -> Error {
        let file = self.place.path.display();
        let fresh = Entry::fresh(&self.ourselves.server);
        Error::new(
            Kind::Input,
            format!("`{}` is already registered in {file}, but not as it would be now", self.name),
        )
        .named("other_entry")
        .hint(format!("it is now: {}", entry.words()))
        .hint(format!("it would be: {}", fresh.words()))
        .hint("--force replaces it, keeping a backup; --name NAME registers another beside it")
    }

    /// Lists the other scopes in which the client has an entry of this name.
    fn elsewhere(&self) -> Vec<String> {
        let scopes = [Scope::User, Scope::Project, Scope::Local];
        let others = scopes.into_iter().filter(|scope| *scope != self.scope);
        others
            .filter_map(|scope| {
                let place = self.world.place(self.client, scope)?;
                let entries = entry::read(&place).ok()?;
                entries
                    .contains_key(&self.name)
                    .then(|| format!("it is in {} (scope {})", place.path.display(), scope.name()))
            })
            .collect()
    }

    /// Returns the key of the servers in a JSON file, and the entry to put there.
    fn json_entry(&self) -> (&'static str, serde_json::Value) {
        let Server { command, args } = &self.ourselves.server;
        match self.client {
            Client::Vscode => {
                ("servers", json!({"type": "stdio", "command": command, "args": args}))
            }
            Client::Claude
            | Client::Codex
            | Client::Gemini
            | Client::Cursor
            | Client::ClaudeDesktop => ("mcpServers", json!({"command": command, "args": args})),
        }
    }

    fn edit(
        &self,
        mut done: ClientChange,
        key: &str,
        change: &Change,
    ) -> Result<ClientChange, Error> {
        let real = disk::find(&self.place).map_err(|error| edge(&error))?;
        let old = disk::read(&real).map_err(|error| edge(&error))?;
        let text = old.as_deref().unwrap_or_default();
        let new = edit::edit(text, key, &self.name, change).map_err(|flaw| {
            Error::new(Kind::Input, format!("{} cannot be edited: {flaw}", real.display()))
                .named("client_file")
                .hint("fix it first; it was left unchanged")
        })?;
        disk::check(&real, old.as_deref()).map_err(|error| edge(&error))?;
        // Redacted, since neighbouring entries may contain keys of other servers.
        let file = self.place.path.display().to_string();
        let diff = diffy::DiffOptions::new()
            .set_original_filename(file.clone())
            .set_modified_filename(file)
            .create_patch(text, &new)
            .to_string();
        done.diff = Some(Redactor::new(&[]).text(&diff));
        if done.dry_run {
            return Ok(done);
        }
        if old.is_some() {
            let copy = disk::back_up(&real, text, &self.stamp()).map_err(|error| edge(&error))?;
            done.backup = Some(copy);
        }
        disk::replace(&real, old.as_deref(), &new).map_err(|error| edge(&error))?;
        self.confirm(&done)?;
        Ok(done)
    }

    /// Returns the current time in UTC, formatted for a backup's name.
    fn stamp(&self) -> String {
        self.world.around.env.now().format("%Y%m%dT%H%M%SZ").to_string()
    }

    /// Runs the client's own commands one after the other, then checks that its file shows the result.
    async fn register(
        &self,
        mut done: ClientChange,
        program: &Path,
        commands: &[Vec<String>],
        keep: bool,
    ) -> Result<ClientChange, Error> {
        let word = program.to_string_lossy().into_owned();
        done.commands = commands
            .iter()
            .map(|args| std::iter::once(&word).chain(args).cloned().collect())
            .collect();
        if done.dry_run {
            return Ok(done);
        }
        if keep {
            let real = disk::find(&self.place).map_err(|error| edge(&error))?;
            if let Some(old) = self.own_text(&real)? {
                let copy =
                    disk::back_up(&real, &old, &self.stamp()).map_err(|error| edge(&error))?;
                done.backup = Some(copy);
            }
        }
        let told = start::stoppable(async |control: watch::Receiver<Control>| {
            for args in commands {
                start::command(&self.world, program, args, self.cwd(), control.clone()).await?;
            }
            Ok(())
        });
        told.await.map_err(|error| match &done.backup {
            Some(copy) => error.hint(format!("the file as it was: {}", copy.display())),
            None => error,
        })?;
        match (self.confirm(&done), self.client) {
            (Ok(()), _) => {}
            // VS Code may keep the user's servers in a profile whose folder only VS Code knows.
            (Err(_), Client::Vscode) => done.notes.push(format!(
                "VS Code reported success, but {} does not show it: look at \"MCP: List Servers\" in VS Code",
                self.place.path.display()
            )),
            (Err(error), _) => return Err(error),
        }
        Ok(done)
    }

    /// Returns the text of a client's own file, which can be large; `None` if there is no file.
    fn own_text(&self, real: &Path) -> Result<Option<String>, Error> {
        match std::fs::read_to_string(real) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Error::new(
                Kind::State,
                format!("failed to keep a copy of {}", self.place.path.display()),
            )
            .because(error)),
        }
    }

    /// Returns the working directory of a client's command. A project's files are those of its working directory; for
    /// the user scope nothing of a repository may be read.
    fn cwd(&self) -> &Path {
        match self.scope {
            Scope::User => &self.world.home,
            Scope::Project | Scope::Local => &self.world.project,
        }
    }

    /// Reads the file again and fails unless it shows what was done.
    fn confirm(&self, done: &ClientChange) -> Result<(), Error> {
        let found = self.found()?;
        let well = match done.done {
            RegistrationResult::Registered
            | RegistrationResult::Replaced
            | RegistrationResult::AlreadyRegistered => {
                found.is_some_and(|entry| entry.is_fresh(&self.ourselves.server))
            }
            RegistrationResult::Removed | RegistrationResult::NotRegistered => found.is_none(),
        };
        if well {
            return Ok(());
        }
        Err(Error::new(
            Kind::State,
            format!(
                "{} reported success, but {} does not show it",
                self.client.title(),
                self.place.path.display()
            ),
        )
        .named("not_confirmed")
        .hint("`debate-agent mcp status` shows what is registered where"))
    }
}

/// Refuses names that a client would reject or mistake for an option.
fn check_name(name: &str) -> Result<(), Error> {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let first = name.chars().next().is_some_and(|c| c.is_ascii_alphanumeric());
    if first && name.len() <= 64 && name.chars().all(plain) {
        return Ok(());
    }
    Err(Error::new(
        Kind::Usage,
        "the name of a server is 1 to 64 letters, digits, `-` and `_`, and begins with a letter or digit",
    )
    .hint("leave --name out to use `debate-agent`"))
}
