//! The name by which a client finds this program: a path that survives an upgrade; in a file of the project the bare
//! name, since the file is shared and this machine's path is not.

use std::path::{Path, PathBuf};

use super::places::ClientPaths;
use crate::agent::roster::find_tool;
use crate::error::{Error, Kind};
use crate::report::clients::{Scope, Server};

/// The name of this program on PATH, and of its registration unless another one is given.
pub(super) const NAME: &str = "debate-agent";

/// The server entry that clients get for this program.
#[derive(Debug, Clone)]
pub(super) struct OwnProgram {
    pub(super) server: Server,
    /// A description for people of how the program was found.
    pub(super) found: String,
    /// A problem to solve before a registration can start, if any.
    pub(super) warning: Option<String>,
    /// The real path of this program's executable.
    pub(super) real: PathBuf,
}

/// Finds this program: by its path on `PATH` if that is this very file, else by the file itself; for a project by its
/// name.
pub(super) fn find(world: &ClientPaths<'_>, scope: Scope) -> Result<OwnProgram, Error> {
    let lost = |error: std::io::Error| {
        Error::new(Kind::Environment, "failed to find this program's own file")
            .because(error)
            .hint("if it was upgraded just now, run the command again")
    };
    let own = std::env::current_exe().map_err(lost)?;
    let real = own.canonicalize().map_err(lost)?;
    let on_path = find_tool(NAME, &world.machine()).ok();
    if scope == Scope::Project {
        let warning = match &on_path {
            Some(path) if is_file(path, &real) => None,
            Some(path) => Some(format!(
                "the debate-agent on PATH is not this one: {} will be started",
                path.display()
            )),
            None => Some(format!(
                "debate-agent is not on PATH, so this will not start: put {} into a folder of PATH, and tell the others in this project",
                own.display()
            )),
        };
        return Ok(OwnProgram {
            server: server(NAME),
            found: "by its name, since the file is for everybody: each person's client looks for it on PATH".to_owned(),
            warning,
            real,
        });
    }
    let (path, found) = match on_path {
        Some(path) if is_file(&path, &real) => {
            (path, "found on PATH: an upgrade there keeps the registration")
        }
        Some(_) => (own, "this program's own file: the debate-agent on PATH is a different one"),
        None => (
            own,
            "this program's own file: it is not on PATH, so moving it breaks the registration",
        ),
    };
    let command = path.to_str().ok_or_else(|| {
        Error::new(
            Kind::Environment,
            format!("{} is not UTF-8, so no client's file can contain it", path.display()),
        )
        .hint("install debate-agent at another path")
    })?;
    Ok(OwnProgram { server: server(command), found: found.to_owned(), warning: None, real })
}

fn server(command: &str) -> Server {
    Server { command: command.to_owned(), args: vec!["mcp".to_owned(), "serve".to_owned()] }
}

fn is_file(path: &Path, real: &Path) -> bool {
    path.canonicalize().is_ok_and(|path| path == real)
}

/// Resolves the program of a registration as a client would.
pub(super) fn resolve(server: &Server, world: &ClientPaths<'_>) -> Result<PathBuf, String> {
    let command = Path::new(&server.command);
    if !command.is_absolute() {
        return find_tool(&server.command, &world.machine()).map_err(|error| error.to_string());
    }
    if command.is_file() {
        Ok(command.to_owned())
    } else {
        Err(format!("{} is not there", command.display()))
    }
}

/// Whether a registration starts this very binary.
pub(super) fn is_this(server: &Server, world: &ClientPaths<'_>, ourselves: &OwnProgram) -> bool {
    resolve(server, world).is_ok_and(|path| is_file(&path, &ourselves.real))
}

/// Whether a registration starts this program, including another copy of it or one that no longer exists.
pub(super) fn is_ours(server: &Server, world: &ClientPaths<'_>, ourselves: &OwnProgram) -> bool {
    let named = Path::new(&server.command).file_name().is_some_and(|name| name == NAME);
    let asks_for_it = server.args.first().is_some_and(|first| first == "mcp");
    (named || is_this(server, world, ourselves)) && asks_for_it
}
