//! `mcp status`: the registrations of this program, and whether they answer.

use std::collections::BTreeMap;

use futures_util::future::join_all;
use tokio::sync::watch;

use super::entry::{self, Entry};
use super::own_program::{self, NAME, OwnProgram};
use super::places::ClientPaths;
use super::start;
use crate::app::run::workspace::StartContext;
use crate::error::Error;
use crate::process::Control;
use crate::report::clients::{
    Answer, Client, ClientStatus, ClientsStatus, Registration, Scope, Unreadable,
};

/// Maximum registrations started; no person makes more than a few.
const MOST_STARTED: usize = 24;

/// One registration with what is needed to start it.
struct Found {
    client: Client,
    registration: Registration,
    env: BTreeMap<String, String>,
    /// Whether it names an address instead of a program.
    address: bool,
}

/// Reads the files of every client, without starting the client, and starts the registered servers.
///
/// A registration in a file of the project is started only if it is this binary with the arguments that `mcp install`
/// writes, or with `probe`: such a file may have come with a clone.
///
/// # Errors
/// Nesting, no home, or a signal. A problem with one client is not an error.
pub(crate) async fn status(around: &StartContext, probe: bool) -> Result<ClientsStatus, Error> {
    around.refuse_nesting()?;
    let world = ClientPaths::new(around)?;
    let ourselves = own_program::find(&world, Scope::User)?;
    let mut found = Vec::new();
    let mut clients: Vec<ClientStatus> = Client::ALL
        .into_iter()
        .map(|client| look(client, &world, &ourselves, &mut found))
        .collect();
    let answers = start::stoppable(async |control: watch::Receiver<Control>| {
        let each = found.iter().enumerate().map(|(index, found)| {
            let asked = StatusQuery { world: &world, probe, first: index < MOST_STARTED };
            asked.ask(found, control.clone())
        });
        Ok(join_all(each).await)
    })
    .await?;
    for (found, answer) in found.into_iter().zip(answers) {
        let client = clients.iter_mut().find(|it| it.client == found.client);
        if let Some(client) = client {
            client.registrations.push(Registration { answer, ..found.registration });
        }
    }
    let well = clients.iter().all(|client| {
        let answers = |it: &Registration| !matches!(it.answer, Answer::No { .. });
        client.unreadable.is_empty() && client.registrations.iter().all(answers)
    });
    Ok(ClientsStatus {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        server: ourselves.server,
        found: ourselves.found,
        clients,
        well,
    })
}

/// Examines one client and adds its registrations of this program to `found`.
fn look(
    client: Client,
    world: &ClientPaths<'_>,
    ourselves: &OwnProgram,
    found: &mut Vec<Found>,
) -> ClientStatus {
    let program = world.installed(client);
    let mut status = ClientStatus {
        client,
        present: program.is_some() || world.own_folder(client).is_dir(),
        program,
        registrations: Vec::new(),
        unreadable: Vec::new(),
    };
    for scope in [Scope::User, Scope::Local, Scope::Project] {
        if scope == Scope::Project && world.at_home() {
            continue;
        }
        let Some(place) = world.place(client, scope) else {
            continue;
        };
        let entries = match entry::read(&place) {
            Ok(entries) => entries,
            // It is the same file as for the user scope, which has been reported already.
            Err(_) if scope == Scope::Local => continue,
            Err(why) => {
                status.unreadable.push(Unreadable { file: place.path, why });
                continue;
            }
        };
        let of_ours = |name: &str, entry: &Entry| {
            let server = entry.server.as_ref();
            name == NAME || server.is_some_and(|it| own_program::is_ours(it, world, ourselves))
        };
        let mine = entries.into_iter().filter(|(name, it)| of_ours(name, it));
        found.extend(mine.map(|(name, entry)| {
            Found {
                client,
                env: entry.env,
                address: entry.address,
                registration: Registration {
                    scope,
                    file: place.path.clone(),
                    ours: (entry.server.as_ref())
                        .is_some_and(|server| own_program::is_this(server, world, ourselves)),
                    name,
                    server: entry.server,
                    off: entry.off,
                    answer: Answer::NotTried { why: String::new() },
                },
            }
        }));
    }
    status
}

/// The state for asking the registered servers.
struct StatusQuery<'a> {
    world: &'a ClientPaths<'a>,
    probe: bool,
    first: bool,
}

impl StatusQuery<'_> {
    async fn ask(self, found: &Found, control: watch::Receiver<Control>) -> Answer {
        let not_tried = |why: &str| Answer::NotTried { why: why.to_owned() };
        let registration = &found.registration;
        if registration.off {
            return not_tried("it is switched off there");
        }
        let Some(server) = &registration.server else {
            return if found.address {
                not_tried("it is an address; only programs are started")
            } else {
                Answer::No { why: "the entry names neither a program nor an address".to_owned() }
            };
        };
        if !self.first {
            return not_tried("too many registrations");
        }
        let program = own_program::resolve(server, self.world);
        let harmless = registration.ours
            && found.env.is_empty()
            && matches!(
                server.args.iter().map(String::as_str).collect::<Vec<_>>()[..],
                ["mcp"] | ["mcp", "serve"]
            );
        if registration.scope == Scope::Project && !harmless && !self.probe {
            // Registered by the name that `mcp install` uses, but not found on PATH: no client could start it either.
            if let (NAME, Err(why)) = (&*server.command, &program) {
                return Answer::No { why: why.clone() };
            }
            return not_tried(
                "a file of the project names it, but it is not what `mcp install` writes; --probe starts it",
            );
        }
        match program {
            Ok(program) => {
                start::ask(self.world, &program, &server.args, &found.env, control).await
            }
            Err(why) => Answer::No { why },
        }
    }
}
